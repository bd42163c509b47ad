// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Batches over ranks that all hold the same scene. Each rank keeps as many of its items as all are to ask for; what it
// has beyond goes to those that have fewer, and the answers come back to where they belong.

#include <string.h>

#include "base/platform.h"
#include "core/ranks/query.h"
#include "core/scene/scene.h"
#include "core/trace/ray_query.h"

enum { COLUMNS = 2 };

typedef struct batch batch;

/// A query that answers item by item.
struct batch {
    tact_ranks* ranks;
    tact_scene* scene;
    const void* work;              ///< the query's own
    const void* columns[COLUMNS];  ///< of items; the second may be NULL
    size_t sizes[COLUMNS];         ///< of an item in each, in bytes; 0: there is none
    size_t count;                  ///< of this rank's items
    void* answers;
    size_t answer_size;
    const char *items_name, *answers_name;  ///< in the public header
    /// Asks for `count` items.
    tact_result (*ask)(const batch* b, const void* const columns[COLUMNS], size_t count, void* answers,
                       const tact_query_options* options, tact_query_report* report);
};

/// How many items each rank hands over to each other one.
typedef struct plan {
    size_t kept;             ///< of this rank's own
    size_t taken;            ///< of others'
    tact_rank_bytes* moves;  ///< room for as many as there are ranks
    uint64_t* at;            ///< where each move begins: in this rank's items, or in those that it takes
    uint64_t* moved;         ///< items of each
    size_t move_count;
    bool gives;
} plan;

/// How many of `all` items rank i asks for.
static uint64_t share_of(uint64_t all, uint32_t i, uint32_t ranks)
{
    return all / ranks + (i < all % ranks);
}

/// Matches what ranks have too much with what others lack, both in order of rank. `counts` of all.
static void make_plan(const tact_ranks* r, const uint64_t* counts, plan* p)
{
    const uint32_t ranks = r->calls.count, own = r->calls.rank;
    uint64_t all = 0;
    for (uint32_t i = 0; i < ranks; ++i)
        all += counts[i];
    const uint64_t share = share_of(all, own, ranks);
    p->gives = counts[own] > share;
    p->kept = (size_t)(p->gives ? share : counts[own]);
    uint64_t at = p->gives ? p->kept : 0, given = 0, taken = 0;
    for (uint32_t from = 0, to = 0; from < ranks && to < ranks;) {
        const uint64_t from_share = share_of(all, from, ranks), to_share = share_of(all, to, ranks);
        const uint64_t over = counts[from] > from_share ? counts[from] - from_share - given : 0;
        const uint64_t under = counts[to] < to_share ? to_share - counts[to] - taken : 0;
        const uint64_t some = over < under ? over : under;
        if (some > 0 && (from == own || to == own)) {
            p->moves[p->move_count].rank = from == own ? to : from;
            p->at[p->move_count] = at;
            p->moved[p->move_count++] = some;
            at += some;
            if (to == own) p->taken += (size_t)some;
        }
        given += some;
        taken += some;
        if (over == some) {
            ++from;
            given = 0;
        }
        if (under == some) {
            ++to;
            taken = 0;
        }
    }
}

/// Moves items of a size along the plan, or back. `given` are the giver's, `taken` the taker's.
static tact_result move(const batch* b, const plan* p, const void* given, void* taken, size_t size, bool back)
{
    char* base = (char*)(uintptr_t)(p->gives ? given : taken);
    for (size_t i = 0; i < p->move_count; ++i) {
        p->moves[i].bytes = base + p->at[i] * size;
        p->moves[i].size = p->moved[i] * size;
    }
    const bool out = p->gives != back;
    return tact_ranks_exchange(b->ranks, NULL, p->moves, out ? p->move_count : 0, p->moves, out ? 0 : p->move_count);
}

typedef struct part_progress {
    const tact_query_options* options;
    double done, part;  ///< of all
} part_progress;

static bool pass_progress(double fraction, void* user)
{
    const part_progress* p = user;
    return p->options->progress(p->done + p->part * fraction, p->options->progress_user);
}

/// Asks for items, which are `part` of all after `done`.
static tact_result ask_part(const batch* b, const void* const columns[COLUMNS], size_t count, void* answers,
                            const tact_query_options* options, double done, tact_query_report* report)
{
    const double all = (double)count + done;
    part_progress progress = {options, all > 0.0 ? done / all : 0.0, all > 0.0 ? (double)count / all : 1.0};
    tact_query_options own = *options;
    if (own.progress) {
        own.progress = pass_progress;
        own.progress_user = &progress;
    }
    tact_query_report part = {.backend = TACT_BACKEND_AUTO};
    const tact_result result = b->ask(b, columns, count, answers, &own, &part);
    if (result == TACT_OK) tact_ranks_add_report(report, &part, done == 0.0);
    return result;
}

/// Asks for what this rank keeps and for what it takes, and gives back.
static tact_result ask_moved(const batch* b, const plan* p, void* const taken[COLUMNS], void* answers,
                             const tact_query_options* options, tact_query_report* report)
{
    tact_result result = TACT_OK;
    for (int k = 0; k < COLUMNS && result == TACT_OK; ++k)
        if (b->sizes[k] > 0) result = move(b, p, b->columns[k], taken[k], b->sizes[k], false);
    if (result == TACT_OK) result = ask_part(b, b->columns, p->kept, b->answers, options, 0.0, report);
    if (result == TACT_OK && p->taken > 0)
        result = ask_part(b, (const void* const*)taken, p->taken, answers, options, (double)p->kept, report);
    result = tact_ranks_agree(b->ranks, result);
    if (result == TACT_OK) result = tact_ranks_agree(b->ranks, move(b, p, b->answers, answers, b->answer_size, true));
    return result;
}

static tact_result ask_over(const batch* b, plan* p, const uint64_t* counts, const tact_query_options* options,
                            tact_query_report* report)
{
    tact_env* env = &b->ranks->context->env;
    make_plan(b->ranks, counts, p);
    void* taken[COLUMNS] = {NULL, NULL};
    bool room = true;
    for (int k = 0; k < COLUMNS; ++k) {
        if (b->sizes[k] == 0) continue;
        taken[k] = tact_allocate(env, p->taken, b->sizes[k]);
        room = room && taken[k];
    }
    void* answers = tact_allocate(env, p->taken, b->answer_size);
    tact_result result = tact_ranks_agree(b->ranks, room && answers ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = ask_moved(b, p, taken, answers, options, report);
    for (int k = 0; k < COLUMNS; ++k)
        tact_release(env, taken[k]);
    tact_release(env, answers);
    return result;
}

static tact_result ask_ranks(const batch* b, const tact_query_options* options, tact_query_report* report)
{
    tact_env* env = &b->ranks->context->env;
    const uint32_t ranks = b->ranks->calls.count;
    uint64_t* numbers = tact_allocate(env, 3 * (size_t)ranks, sizeof *numbers);
    plan p = {.moves = tact_allocate(env, ranks, sizeof *p.moves)};
    tact_result result = tact_ranks_agree(b->ranks, numbers && p.moves ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) {
        const uint64_t count = b->count;
        p.at = numbers + ranks;
        p.moved = numbers + 2 * (size_t)ranks;
        result = tact_ranks_gather(b->ranks, &count, sizeof count, numbers);
    }
    if (result == TACT_OK) result = ask_over(b, &p, numbers, options, report);
    tact_release(env, p.moves);
    tact_release(env, numbers);
    return result;
}

static tact_result check(const batch* b, const tact_query_options* options)
{
    const tact_result result = tact_ranks_check(b->ranks, b->scene ? b->scene->context : NULL, "scene", options);
    if (result != TACT_OK) return result;
    tact_env* env = &b->scene->context->env;
    if (b->count > 0 && (!b->columns[0] || !b->answers))
        return tact_null(env, b->columns[0] ? b->answers_name : b->items_name);
    return TACT_OK;
}

/// Whether all ranks ask the same of the same scene, as far as numbers tell.
static tact_result compare_ranks(const batch* b, const uint64_t* facts, size_t count)
{
    const tact_scene* s = b->scene;
    const uint64_t scene[] = {s->instance_count, s->removed_count, s->primitive_total, s->triangle_total};
    const tact_result result = tact_ranks_same(b->ranks, scene, sizeof scene / sizeof *scene, "the scene");
    return result == TACT_OK ? tact_ranks_same(b->ranks, facts, count, "the work") : result;
}

/// `checked`: what this rank's own work has come to. `facts` must be the same on all ranks.
static tact_result ask_batch(const batch* b, tact_result checked, const uint64_t* facts, size_t fact_count,
                             const tact_query_options* options, tact_query_report* report)
{
    static const tact_query_options defaults = {.backend = TACT_BACKEND_AUTO};
    if (!options) options = &defaults;
    if (checked == TACT_OK) checked = check(b, options);
    tact_result result = tact_ranks_agree(b->ranks, checked);
    if (result != TACT_OK) return result;
    if (tact_ranks_count(b->ranks) == 1) return b->ask(b, b->columns, b->count, b->answers, options, report);
    const double start = tact_platform_milliseconds();
    tact_query_report own = {.backend = TACT_BACKEND_AUTO};
    result = compare_ranks(b, facts, fact_count);
    if (result == TACT_OK) result = ask_ranks(b, options, &own);
    tact_ranks_end_report(&own, start);
    if (report && result == TACT_OK) *report = own;
    return result;
}

// ---- The queries ----

static tact_result ask_raycast(const batch* b, const void* const columns[COLUMNS], size_t count, void* answers,
                               const tact_query_options* options, tact_query_report* report)
{
    const tact_raycast_work* given = b->work;
    tact_raycast_work work = *given;
    tact_ray_rules rules;
    work.rays = columns[0];
    work.count = count;
    work.hits = given->occluded ? NULL : answers;
    work.occluded = given->occluded ? answers : NULL;
    if (given->rules) {
        rules = *given->rules;
        if (rules.masks) rules.masks = columns[1];
        work.rules = &rules;
    }
    return tact_raycast_with(b->scene, &work, options, report);
}

tact_result tact_ranks_check_cast(tact_scene* scene, const tact_raycast_work* work, const tact_ranks* ranks)
{
    tact_env* env = ranks ? &ranks->context->env : &scene->context->env;
    if (!scene) return tact_null(env, "scene");
    if (!work) return tact_null(env, "work");
    if (work->device_rays || work->device_hits)
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "rays over ranks are in host memory");
    if (work->rules && work->rules->accept)
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "rays over ranks cannot be asked by a function of one process");
    return tact_ray_check_work(scene, work);
}

void tact_ranks_cast_facts(const tact_raycast_work* work, uint64_t facts[TACT_RANKS_CAST_FACTS])
{
    const tact_ray_rules none = {0}, *rules = work->rules ? work->rules : &none;
    facts[0] = (uint64_t)work->mode;
    facts[1] = work->occluded != NULL;
    facts[2] = rules->mask;
    facts[3] = rules->masks != NULL;
    facts[4] = (uint64_t)rules->cull;
    facts[5] = rules->ignore_alpha;
}

tact_result tact_ranks_raycast(tact_ranks* ranks, tact_scene* scene, const tact_raycast_work* work,
                               const tact_query_options* options, tact_query_report* report)
{
    if (!tact_ranks_enter(ranks, scene ? scene->context : NULL, "scene", options)) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result checked = tact_ranks_check_cast(scene, work, ranks);
    uint64_t facts[TACT_RANKS_CAST_FACTS];
    batch b = {.ranks = ranks, .scene = scene, .ask = ask_raycast};
    if (checked != TACT_OK) return ask_batch(&b, checked, facts, 0, options, report);
    b.work = work;
    b.columns[0] = work->rays;
    b.sizes[0] = sizeof *work->rays;
    if (work->rules && work->rules->masks) {
        b.columns[1] = work->rules->masks;
        b.sizes[1] = sizeof *work->rules->masks;
    }
    b.count = work->count;
    b.answers = work->occluded ? (void*)work->occluded : work->hits;
    b.answer_size = work->occluded ? sizeof *work->occluded : sizeof *work->hits;
    b.items_name = "rays";
    b.answers_name = "hits";
    tact_ranks_cast_facts(work, facts);
    return ask_batch(&b, TACT_OK, facts, TACT_RANKS_CAST_FACTS, options, report);
}

static tact_result ask_closest(const batch* b, const void* const columns[COLUMNS], size_t count, void* answers,
                               const tact_query_options* options, tact_query_report* report)
{
    return tact_closest_points(b->scene, columns[0], count, answers, options, report);
}

tact_result tact_ranks_closest_points(tact_ranks* ranks, tact_scene* scene, const tact_closest_query* queries,
                                      size_t count, tact_closest_hit* hits, const tact_query_options* options,
                                      tact_query_report* report)
{
    if (!tact_ranks_enter(ranks, scene ? scene->context : NULL, "scene", options)) return TACT_ERROR_INVALID_ARGUMENT;
    const batch b = {.ranks = ranks,
                     .scene = scene,
                     .columns = {queries, NULL},
                     .sizes = {sizeof *queries, 0},
                     .count = count,
                     .answers = hits,
                     .answer_size = sizeof *hits,
                     .items_name = "queries",
                     .answers_name = "hits",
                     .ask = ask_closest};
    return ask_batch(&b, TACT_OK, NULL, 0, options, report);
}

static tact_result ask_locate(const batch* b, const void* const columns[COLUMNS], size_t count, void* answers,
                              const tact_query_options* options, tact_query_report* report)
{
    return tact_locate_points(b->scene, columns[0], count, answers, options, report);
}

tact_result tact_ranks_locate_points(tact_ranks* ranks, tact_scene* scene, const tact_closest_query* points,
                                     size_t count, tact_point_location* locations, const tact_query_options* options,
                                     tact_query_report* report)
{
    if (!tact_ranks_enter(ranks, scene ? scene->context : NULL, "scene", options)) return TACT_ERROR_INVALID_ARGUMENT;
    const batch b = {.ranks = ranks,
                     .scene = scene,
                     .columns = {points, NULL},
                     .sizes = {sizeof *points, 0},
                     .count = count,
                     .answers = locations,
                     .answer_size = sizeof *locations,
                     .items_name = "points",
                     .answers_name = "locations",
                     .ask = ask_locate};
    return ask_batch(&b, TACT_OK, NULL, 0, options, report);
}

static tact_result ask_spherecast(const batch* b, const void* const columns[COLUMNS], size_t count, void* answers,
                                  const tact_query_options* options, tact_query_report* report)
{
    return tact_spherecast(b->scene, columns[0], count, answers, options, report);
}

tact_result tact_ranks_spherecast(tact_ranks* ranks, tact_scene* scene, const tact_sphere_cast* casts, size_t count,
                                  tact_sphere_hit* hits, const tact_query_options* options, tact_query_report* report)
{
    if (!tact_ranks_enter(ranks, scene ? scene->context : NULL, "scene", options)) return TACT_ERROR_INVALID_ARGUMENT;
    const batch b = {.ranks = ranks,
                     .scene = scene,
                     .columns = {casts, NULL},
                     .sizes = {sizeof *casts, 0},
                     .count = count,
                     .answers = hits,
                     .answer_size = sizeof *hits,
                     .items_name = "casts",
                     .answers_name = "hits",
                     .ask = ask_spherecast};
    return ask_batch(&b, TACT_OK, NULL, 0, options, report);
}
