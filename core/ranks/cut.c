// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays through a scene of which each rank has some instances. A ray goes to the ranks whose instances' box it enters,
// one a round, nearest first, and takes along how far its best hit is; answers come back to the rank that has the ray.
// The interval of a box contains those of all boxes within, as computed (docs/results.md), so that what is left out
// holds no hit that matters, and no answer depends on which rank has what.

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "base/parallel.h"
#include "base/platform.h"
#include "core/ranks/query.h"
#include "core/scene/scene.h"
#include "cpu_ref/trace/walk.h"

enum {
    GRAIN = 1 << 10,
    RAY_WORDS = sizeof(tact_ray) / sizeof(uint32_t),
    HIT_WORDS = sizeof(tact_hit) / sizeof(uint32_t)
};

/// What all ranks have of each other.
typedef struct rank_box {
    float lower[3], upper[3];
    uint32_t there;   ///< it has something that can be hit
    uint32_t id_end;  ///< of its part
    uint64_t ids;     ///< 1: it names the ids of the whole
} rank_box;

/// How far a ray has come: the box it has entered last.
typedef struct ray_way {
    float enter;
    uint32_t rank;  ///< TACT_NONE: none yet
} ray_way;

typedef struct cut_cast {
    tact_ranks* ranks;
    tact_env* env;
    const tact_ranks_part* part;
    const tact_raycast_work* work;
    const uint32_t* masks;  ///< of the rays; NULL: none of their own
    tact_query_options options;
    rank_box* boxes;  ///< of all ranks
    uint32_t first;   ///< id in the whole of this rank's id 0, where none are named
    tact_hit* hits;   ///< of this rank's rays
    ray_way* ways;    ///< likewise
    size_t* active;   ///< rays that still have a rank to visit
    size_t active_count;
    size_t* order;               ///< the same by rank that they visit now
    const void** bytes;          ///< of each rank
    uint64_t *sizes, *in_sizes;  ///< likewise
    uint64_t *starts, *counts;   ///< likewise: of the order
    size_t asked;                ///< rounds in which this rank has cast
} cut_cast;

static size_t ray_words(const cut_cast* c)
{
    return RAY_WORDS + (c->masks != NULL);
}

/// Words of a hit that comes back: the ray's place in what was sent, and what the mode gives.
static size_t answer_words(const cut_cast* c)
{
    return c->work->mode == TACT_RAY_CLOSEST ? 1 + HIT_WORDS : c->work->mode == TACT_RAY_COUNT ? 2 : 1;
}

// ---- Where rays go ----

/// How far a ray may still find something.
static float limit_of(const cut_cast* c, size_t ray)
{
    const bool nearer = c->work->mode == TACT_RAY_CLOSEST && c->hits[ray].instance != TACT_NONE;
    return nearer ? c->hits[ray].t : c->work->rays[ray].tmax;
}

/// Moves a ray's way on to the next box that it enters. False: there is none that matters.
static bool go_on(const cut_cast* c, size_t i)
{
    const tact_ray* ray = &c->work->rays[i];
    if (c->work->mode == TACT_RAY_ANY && c->hits[i].instance != TACT_NONE) return false;
    const TactRayFrame frame = tact_ray_frame(ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz);
    if (!frame.valid || !tact_trace_interval_valid(ray)) return false;
    const ray_way last = c->ways[i];
    const float limit = limit_of(c, i);
    ray_way next = {0.0f, TACT_NONE};
    for (uint32_t rank = 0; rank < c->ranks->calls.count; ++rank) {
        const rank_box* b = &c->boxes[rank];
        if (!b->there) continue;
        const TactBox box = {b->lower[0], b->lower[1], b->lower[2], b->upper[0], b->upper[1], b->upper[2]};
        const TactInterval interval = tact_box_interval(frame, box, TACT_INSTANCE_SLACK);
        if (!(interval.enter <= interval.leave && interval.enter <= limit && interval.leave >= ray->tmin)) continue;
        const float enter = interval.enter;
        if (last.rank != TACT_NONE && (enter < last.enter || (enter == last.enter && rank <= last.rank))) continue;
        // Ranks ascend, so that of equals the first stays.
        if (next.rank == TACT_NONE || enter < next.enter) next = (ray_way){enter, rank};
    }
    c->ways[i] = next;
    return next.rank != TACT_NONE;
}

static void go_on_all(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const cut_cast* c = user;
    for (size_t k = begin; k < end; ++k)
        if (!go_on(c, c->active[k])) c->ways[c->active[k]].rank = TACT_NONE;
}

/// Finds where the active rays go now, and orders them by that.
static void order_rays(cut_cast* c)
{
    const uint32_t ranks = c->ranks->calls.count;
    const int threads = c->options.threads > 0 ? c->options.threads : c->ranks->context->threads;
    tact_parallel_for(threads, c->active_count, GRAIN, go_on_all, c);
    memset(c->counts, 0, ranks * sizeof *c->counts);
    size_t left = 0;
    for (size_t k = 0; k < c->active_count; ++k) {
        const size_t ray = c->active[k];
        if (c->ways[ray].rank == TACT_NONE) continue;
        ++c->counts[c->ways[ray].rank];
        c->active[left++] = ray;
    }
    c->active_count = left;
    uint64_t at = 0;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
        c->starts[rank] = at;
        at += c->counts[rank];
        c->counts[rank] = 0;
    }
    for (size_t k = 0; k < left; ++k) {
        const uint32_t rank = c->ways[c->active[k]].rank;
        c->order[c->starts[rank] + c->counts[rank]++] = c->active[k];
    }
}

// ---- One round ----

/// Sends the rays in their order, each cut off at its best hit.
static tact_result send_rays(cut_cast* c, uint32_t** in, size_t* in_count)
{
    const size_t words = ray_words(c);
    const uint32_t ranks = c->ranks->calls.count;
    *in = NULL;
    uint32_t* out = tact_allocate(c->env, c->active_count, words * sizeof *out);
    tact_result result = tact_ranks_agree(c->ranks, out ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    for (size_t k = 0; k < c->active_count && result == TACT_OK; ++k) {
        tact_ray ray = c->work->rays[c->order[k]];
        ray.tmax = limit_of(c, c->order[k]);
        memcpy(out + k * words, &ray, sizeof ray);
        if (c->masks) out[k * words + RAY_WORDS] = c->masks[c->order[k]];
    }
    void* came = NULL;
    if (result == TACT_OK) {
        for (uint32_t i = 0; i < ranks; ++i) {
            c->bytes[i] = out + c->starts[i] * words;
            c->sizes[i] = c->counts[i] * words * sizeof *out;
        }
        result = tact_ranks_send(c->ranks, c->bytes, c->sizes, &came, c->in_sizes);
    }
    tact_release(c->env, out);
    uint64_t all = 0;
    for (uint32_t i = 0; i < ranks && result == TACT_OK; ++i)
        all += c->in_sizes[i];
    *in = came;
    *in_count = (size_t)(all / (words * sizeof *out));
    return result;
}

/// Parts rays from their masks, in place. `masks` has room for `count`.
static void part_masks(uint32_t* in, size_t count, uint32_t* masks)
{
    for (size_t k = 0; k < count; ++k) {
        masks[k] = in[k * (RAY_WORDS + 1) + RAY_WORDS];
        memmove(in + k * RAY_WORDS, in + k * (RAY_WORDS + 1), sizeof(tact_ray));
    }
}

/// Casts what came against this rank's part.
static tact_result cast_rays(cut_cast* c, uint32_t* in, size_t count, tact_hit* hits, tact_query_report* report)
{
    tact_raycast_work work = *c->work;
    tact_ray_rules rules;
    uint32_t* masks = NULL;
    work.rays = (const tact_ray*)(const void*)in;
    work.count = count;
    work.hits = hits;
    work.occluded = NULL;
    if (work.rules) {
        rules = *work.rules;
        work.rules = &rules;
    }
    if (c->masks) {
        masks = tact_allocate(c->env, count, sizeof *masks);
        if (!masks) return TACT_ERROR_OUT_OF_MEMORY;
        part_masks(in, count, masks);
        rules.masks = masks;
    }
    tact_query_report own = {.backend = TACT_BACKEND_AUTO};
    const tact_result result = tact_raycast_with(c->part->scene, &work, &c->options, &own);
    tact_release(c->env, masks);
    if (result == TACT_OK) tact_ranks_add_report(report, &own, c->asked++ == 0);
    return result;
}

static uint32_t id_in_whole(const cut_cast* c, uint32_t instance)
{
    return c->part->instances ? c->part->instances[instance] : c->first + instance;
}

static bool has_hit(const cut_cast* c, const tact_hit* hit)
{
    return c->work->mode == TACT_RAY_COUNT ? hit->primitive > 0 : hit->instance != TACT_NONE;
}

/// Writes the hits of those that hit, by the rank that the rays came from, and how many bytes go back to each.
static void write_answers(cut_cast* c, const tact_hit* hits, uint32_t* to)
{
    const size_t words = answer_words(c), ray_bytes = ray_words(c) * sizeof(uint32_t);
    for (uint32_t rank = 0; rank < c->ranks->calls.count; ++rank) {
        const size_t count = (size_t)(c->in_sizes[rank] / ray_bytes);
        c->bytes[rank] = to;
        for (size_t k = 0; k < count; ++k) {
            tact_hit hit = hits[k];
            if (!has_hit(c, &hit)) continue;
            to[0] = (uint32_t)k;
            if (c->work->mode == TACT_RAY_COUNT) to[1] = hit.primitive;
            if (c->work->mode == TACT_RAY_CLOSEST) {
                hit.instance = id_in_whole(c, hit.instance);
                memcpy(to + 1, &hit, sizeof hit);
            }
            to += words;
        }
        c->sizes[rank] = (uint64_t)((const char*)to - (const char*)c->bytes[rank]);
        hits += count;
    }
}

/// Takes what came back from the ranks that this one's rays have visited.
static void take_answers(cut_cast* c, const uint32_t* in)
{
    const size_t words = answer_words(c);
    for (uint32_t rank = 0; rank < c->ranks->calls.count; ++rank) {
        const uint32_t* end = in + c->in_sizes[rank] / sizeof *in;
        for (; in < end; in += words) {
            TACT_ASSERT(in[0] < c->counts[rank]);
            tact_hit *best = &c->hits[c->order[c->starts[rank] + in[0]]], hit = {0};
            if (c->work->mode == TACT_RAY_COUNT) {
                best->primitive += in[1];
            } else if (c->work->mode == TACT_RAY_ANY) {
                *best = hit;
            } else {
                memcpy(&hit, in + 1, sizeof hit);
                // A miss has no instance that comes before another, but its t is the ray's end, where a hit may be.
                if (best->instance == TACT_NONE || tact_trace_closer(hit.t, hit.instance, hit.primitive, best))
                    *best = hit;
            }
        }
    }
}

/// Casts the `count` rays that came and sends back what they hit.
static tact_result answer_rays(cut_cast* c, uint32_t* in, size_t count, tact_query_report* report)
{
    tact_hit* hits = tact_allocate(c->env, count, sizeof *hits);
    uint32_t* out = tact_allocate(c->env, count, answer_words(c) * sizeof *out);
    tact_result result = hits && out ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < c->ranks->calls.count && result == TACT_OK; ++i) {
        if (c->in_sizes[i] / (ray_words(c) * sizeof *in) > UINT32_MAX)
            result = tact_fail(c->env, TACT_ERROR_LIMIT, "rank %u sends more than 2^32 rays at once", (unsigned)i);
    }
    if (result == TACT_OK) result = cast_rays(c, in, count, hits, report);
    result = tact_ranks_agree(c->ranks, result);
    void* back = NULL;
    if (result == TACT_OK) {
        write_answers(c, hits, out);
        result = tact_ranks_send(c->ranks, c->bytes, c->sizes, &back, c->in_sizes);
    }
    tact_release(c->env, hits);
    tact_release(c->env, out);
    if (result == TACT_OK) take_answers(c, back);
    tact_release(c->env, back);
    return result;
}

static tact_result cast_all(cut_cast* c, tact_query_report* report)
{
    for (;;) {
        order_rays(c);
        uint64_t under_way = c->active_count;
        tact_result result = tact_ranks_combine(c->ranks, TACT_RANKS_SUM, &under_way, 1);
        if (result != TACT_OK || under_way == 0) return result;
        uint32_t* in = NULL;
        size_t count = 0;
        result = send_rays(c, &in, &count);
        if (result == TACT_OK) result = answer_rays(c, in, count, report);
        tact_release(c->env, in);
        if (result != TACT_OK) return result;
    }
}

// ---- The whole ----

/// The ids of a part in the whole.
static tact_result check_part(const tact_ranks* ranks, const tact_ranks_part* part, const tact_query_options* options)
{
    tact_env* env = ranks ? &ranks->context->env : part && part->scene ? &part->scene->context->env : NULL;
    if (!part) return tact_null(env, "part");
    const tact_result result = tact_ranks_check(ranks, part->scene ? part->scene->context : NULL, "scene", options);
    if (result != TACT_OK || !part->instances) return result;
    if (part->count < part->scene->instance_count)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu ids for %zu instances", part->count,
                         part->scene->instance_count);
    for (size_t i = 0; i < part->count; ++i) {
        if (part->instances[i] == TACT_NONE || (i > 0 && part->instances[i] <= part->instances[i - 1]))
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "id %zu of the whole, %u, does not ascend", i,
                             (unsigned)part->instances[i]);
    }
    return TACT_OK;
}

static rank_box box_of(const tact_ranks_part* part)
{
    const tact_scene* s = part->scene;
    rank_box b = {.id_end = (uint32_t)s->instance_count, .ids = part->instances != NULL};
    for (int p = 0; p < TACT_SCENE_PARTS; ++p) {
        const tact_scene_part* of = &s->parts[p];
        for (int k = 0; k < 3 && of->count > 0; ++k) {
            if (!b.there || of->box.lower[k] < b.lower[k]) b.lower[k] = of->box.lower[k];
            if (!b.there || of->box.upper[k] > b.upper[k]) b.upper[k] = of->box.upper[k];
        }
        b.there = b.there || of->count > 0;
    }
    return b;
}

/// What this rank has to know of the others.
static tact_result meet_ranks(cut_cast* c)
{
    const rank_box own = box_of(c->part);
    uint64_t facts[TACT_RANKS_CAST_FACTS + 1];
    tact_ranks_cast_facts(c->work, facts);
    facts[TACT_RANKS_CAST_FACTS] = own.ids;
    tact_result result = tact_ranks_same(c->ranks, facts, TACT_RANKS_CAST_FACTS + 1, "the work");
    if (result == TACT_OK) result = tact_ranks_gather(c->ranks, &own, sizeof own, c->boxes);
    uint64_t all = 0;
    for (uint32_t i = 0; i < c->ranks->calls.count && result == TACT_OK; ++i) {
        if (i == c->ranks->calls.rank) c->first = (uint32_t)all;
        all += own.ids ? 0 : c->boxes[i].id_end;
    }
    if (result == TACT_OK && all >= TACT_NONE)
        result =
            tact_fail(c->env, TACT_ERROR_LIMIT, "%llu instances are more than ids of 32 bits", (unsigned long long)all);
    return result;
}

/// Room for what is known of each rank and of each ray.
static bool make_room(cut_cast* c)
{
    const size_t ranks = c->ranks->calls.count, count = c->work->count;
    c->boxes = tact_allocate_zeroed(c->env, ranks, sizeof *c->boxes);
    c->bytes = tact_allocate(c->env, ranks, sizeof *c->bytes);
    c->sizes = tact_allocate(c->env, 4 * ranks, sizeof *c->sizes);
    c->hits = c->work->occluded ? tact_allocate(c->env, count, sizeof *c->hits) : c->work->hits;
    c->ways = tact_allocate(c->env, count, sizeof *c->ways);
    c->active = tact_allocate(c->env, count, sizeof *c->active);
    c->order = tact_allocate(c->env, count, sizeof *c->order);
    if (!c->boxes || !c->bytes || !c->sizes || (!c->hits && count > 0) || !c->ways || !c->active || !c->order)
        return false;
    c->in_sizes = c->sizes + ranks;
    c->starts = c->sizes + 2 * ranks;
    c->counts = c->sizes + 3 * ranks;
    c->active_count = count;
    for (size_t i = 0; i < count; ++i) {
        c->hits[i] = (tact_hit){0};
        if (c->work->mode != TACT_RAY_COUNT) tact_trace_miss(&c->work->rays[i], &c->hits[i]);
        c->ways[i] = (ray_way){0.0f, TACT_NONE};
        c->active[i] = i;
    }
    return true;
}

static void release(cut_cast* c)
{
    tact_release(c->env, c->boxes);
    tact_release(c->env, (void*)c->bytes);
    tact_release(c->env, c->sizes);
    if (c->work->occluded) tact_release(c->env, c->hits);
    tact_release(c->env, c->ways);
    tact_release(c->env, c->active);
    tact_release(c->env, c->order);
}

static tact_result cast_over(cut_cast* c, tact_query_report* report)
{
    tact_result result = tact_ranks_agree(c->ranks, make_room(c) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = meet_ranks(c);
    if (result == TACT_OK) result = cast_all(c, report);
    // A rank that no ray has visited says how it would have cast.
    if (result == TACT_OK && c->asked == 0) result = cast_rays(c, NULL, 0, NULL, report);
    result = tact_ranks_agree(c->ranks, result);
    for (size_t i = 0; i < c->work->count && result == TACT_OK && c->work->occluded; ++i)
        c->work->occluded[i] = c->hits[i].instance != TACT_NONE;
    release(c);
    return result;
}

/// One process has the whole scene; its instances may have other ids all the same.
static tact_result cast_alone(const tact_ranks_part* part, const tact_raycast_work* work,
                              const tact_query_options* options, tact_query_report* report)
{
    const tact_result result = tact_raycast_with(part->scene, work, options, report);
    for (size_t i = 0; i < work->count && result == TACT_OK; ++i) {
        if (!part->instances || work->mode != TACT_RAY_CLOSEST || work->hits[i].instance == TACT_NONE) continue;
        work->hits[i].instance = part->instances[work->hits[i].instance];
    }
    return result;
}

tact_result tact_ranks_raycast_cut(tact_ranks* ranks, const tact_ranks_part* part, const tact_raycast_work* work,
                                   const tact_query_options* options, tact_query_report* report)
{
    const tact_context* context = part && part->scene ? part->scene->context : NULL;
    if (!tact_ranks_enter(ranks, context, part ? "scene" : "part", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_result result = check_part(ranks, part, options);
    if (result == TACT_OK) result = tact_ranks_check_cast(part->scene, work, ranks);
    if (result == TACT_OK && work->count > 0 && (!work->rays || (!work->hits && !work->occluded)))
        result = tact_null(&part->scene->context->env, work->rays ? "hits" : "rays");
    result = tact_ranks_agree(ranks, result);
    if (result != TACT_OK) return result;
    if (tact_ranks_count(ranks) == 1) return cast_alone(part, work, options, report);
    const double start = tact_platform_milliseconds();
    cut_cast c = {.ranks = ranks, .env = &ranks->context->env, .part = part, .work = work};
    if (options) c.options = *options;
    // Rounds have no common measure.
    c.options.progress = NULL;
    c.options.ticket = NULL;
    c.masks = work->rules ? work->rules->masks : NULL;
    tact_query_report own = {.backend = TACT_BACKEND_AUTO};
    tact_float_env caller;
    tact_float_env_enter(&caller);
    result = cast_over(&c, &own);
    tact_float_env_leave(&caller);
    tact_ranks_end_report(&own, start);
    if (report && result == TACT_OK) *report = own;
    return result;
}
