// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Pairs within sets that lie over ranks. Space is cut among the ranks; each gets the volumes that reach into its part,
// finds their pairs as one process does, and reports those whose boxes' common part begins, with its lower corner, in
// its own. Both volumes reach there, so that the rank has found the pair; and the corner lies in one part alone.

#include "core/ranks/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/float_env.h"
#include "base/parallel.h"
#include "base/platform.h"
#include "core/pairs/pairs.h"
#include "core/ranks/query.h"
#include "core/ranks/sample.h"
#include "core/volumes/volumes.h"

enum { SETS = 2, GRAIN = 1 << 12, CATEGORY_WORDS = 2 };

/// A set over ranks: this rank's part of it, and what reaches into its part of space.
typedef struct spread_set {
    tact_volumes* own;
    uint64_t before;  ///< ids of the ranks before
    bool categories;  ///< some rank's part has them
    uint32_t* homes;  ///< by id: the part of space that a volume lies in, or TACT_RANK_PARTS
    tact_volumes* near;
    uint32_t* ids;  ///< by id in `near`: in the whole; ascending
} spread_set;

typedef struct ranks_pairs {
    tact_ranks* ranks;
    tact_env* env;
    tact_query_options options;
    spread_set sets[SETS];
    int count;  ///< of sets
    tact_rank_curve curve;
    uint32_t* parts;  ///< room for as many as there are ranks
    uint8_t* mine;    ///< of each pair that was found
} ranks_pairs;

// ---- Which rank asks for which volumes ----

static tact_result check(const tact_ranks* ranks, tact_volumes* a, const tact_ranks_pairs_work* work,
                         const tact_query_options* options)
{
    tact_result result = tact_ranks_check(ranks, a ? a->context : NULL, "a", options);
    if (result != TACT_OK) return result;
    tact_env* env = &a->context->env;
    if (!work || !work->count) return tact_null(env, work ? "count" : "work");
    return tact_pairs_check_arguments(a, work->b, work->method);
}

/// Whether all ranks ask for pairs of the same kinds; and what goes on where the ranks before end.
static tact_result compare_ranks(ranks_pairs* p)
{
    const tact_volumes *a = p->sets[0].own, *b = p->sets[1].own;
    const uint64_t kinds = (uint64_t)a->kind | (b ? (uint64_t)b->kind << 1 | 4u : 0u);
    tact_result result = tact_ranks_same(p->ranks, &kinds, 1, "the kind of the sets");
    if (result != TACT_OK) return result;
    uint64_t categories[SETS] = {a->categories != NULL, b && b->categories};
    result = tact_ranks_combine(p->ranks, TACT_RANKS_MAX, categories, SETS);
    for (int k = 0; k < p->count && result == TACT_OK; ++k) {
        spread_set* s = &p->sets[k];
        uint64_t all = 0;
        s->categories = categories[k] != 0;
        result = tact_ranks_before(p->ranks, s->own->id_end, &s->before, &all);
        // Seen alike by all.
        if (result == TACT_OK && all >= UINT32_MAX)
            result = tact_fail(p->env, TACT_ERROR_LIMIT, "%llu volumes are more than ids of 32 bits",
                               (unsigned long long)all);
    }
    return result;
}

// ---- Cutting space ----

/// The lower corner of each volume whose number is a multiple of `stride`, of those that take part. NULL `to` only
/// counts them.
static size_t take_sample(const ranks_pairs* p, uint64_t stride, tact_vec3* to)
{
    size_t taken = 0;
    uint64_t number = 0;
    for (int k = 0; k < p->count; ++k) {
        const tact_volume_view* view = tact_volumes_view(p->sets[k].own);
        for (uint32_t i = 0; i < view->count; ++i) {
            if (!tact_volume_is_live(&view->boxes[i]) || number++ % stride != 0) continue;
            if (to) to[taken] = view->boxes[i].lower;
            ++taken;
        }
    }
    return taken;
}

static tact_result cut_space(ranks_pairs* p)
{
    uint64_t live = 0;
    for (int k = 0; k < p->count; ++k)
        live += tact_volumes_view(p->sets[k].own)->live;
    tact_result result = tact_ranks_combine(p->ranks, TACT_RANKS_SUM, &live, 1);
    if (result != TACT_OK) return result;
    const uint64_t stride = tact_rank_stride(p->ranks, live);
    const size_t count = take_sample(p, stride, NULL);
    tact_vec3* own = tact_allocate(p->env, count, sizeof *own);
    if (own) take_sample(p, stride, own);
    result = tact_ranks_agree(p->ranks, own ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = tact_ranks_cut_by_sample(p->ranks, own, count, &p->curve);
    tact_release(p->env, own);
    return result;
}

// ---- Sending volumes ----

typedef struct home_loop {
    const tact_rank_curve* curve;
    const tact_aabb* boxes;
    uint32_t* homes;
} home_loop;

static void find_homes(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const home_loop* l = user;
    for (size_t i = begin; i < end; ++i)
        if (tact_volume_is_live(&l->boxes[i])) l->homes[i] = tact_rank_curve_home(l->curve, &l->boxes[i]);
}

/// The parts of space that a volume reaches into, in p->parts; 0 of one that takes no part.
static uint32_t parts_of(const ranks_pairs* p, const spread_set* s, uint32_t id)
{
    const tact_aabb* box = &s->own->boxes[id];
    if (!tact_volume_is_live(box)) return 0;
    if (s->homes[id] == TACT_RANK_PARTS) return tact_rank_curve_meets(&p->curve, box, p->parts);
    p->parts[0] = s->homes[id];
    return 1;
}

/// Words of a volume as it is sent: itself, its id in the whole, and its categories.
static size_t words_of(const spread_set* s)
{
    const size_t volume = s->own->kind == TACT_VOLUME_SPHERE ? sizeof(tact_sphere) : sizeof(tact_aabb);
    return volume / sizeof(uint32_t) + 1 + (s->categories ? CATEGORY_WORDS : 0);
}

static void write_volume(const spread_set* s, uint32_t id, uint32_t* to)
{
    const tact_volumes* own = s->own;
    const bool round = own->kind == TACT_VOLUME_SPHERE;
    const size_t size = round ? sizeof *own->spheres : sizeof *own->boxes;
    memcpy(to, round ? (const void*)&own->spheres[id] : &own->boxes[id], size);
    to += size / sizeof *to;
    *to++ = (uint32_t)(s->before + id);
    if (!s->categories) return;
    const tact_categories categories = own->categories ? own->categories[id] : TACT_CATEGORIES_ALL;
    memcpy(to, &categories, sizeof categories);
}

/// Where in a message the volumes of each rank are, by how many go there.
static void* place_volumes(ranks_pairs* p, const spread_set* s, uint64_t* sizes, uint64_t* places)
{
    const uint64_t bytes = words_of(s) * sizeof(uint32_t);
    uint64_t all = 0;
    memset(sizes, 0, p->curve.parts * sizeof *sizes);
    for (uint32_t id = 0; id < s->own->id_end; ++id) {
        const uint32_t count = parts_of(p, s, id);
        for (uint32_t i = 0; i < count; ++i)
            sizes[p->parts[i]] += bytes;
    }
    for (uint32_t i = 0; i < p->curve.parts; ++i) {
        places[i] = all;
        all += sizes[i];
    }
    return all <= SIZE_MAX ? tact_allocate(p->env, (size_t)all, 1) : NULL;
}

static void write_volumes(const ranks_pairs* p, const spread_set* s, char* to, uint64_t* places)
{
    const uint64_t bytes = words_of(s) * sizeof(uint32_t);
    for (uint32_t id = 0; id < s->own->id_end; ++id) {
        const uint32_t count = parts_of(p, s, id);
        for (uint32_t i = 0; i < count; ++i) {
            write_volume(s, id, (uint32_t*)(void*)(to + places[p->parts[i]]));
            places[p->parts[i]] += bytes;
        }
    }
}

/// Makes a set of the `count` volumes that came.
static tact_result read_volumes(ranks_pairs* p, spread_set* s, const uint32_t* in, uint64_t count)
{
    tact_env* env = p->env;
    const bool round = s->own->kind == TACT_VOLUME_SPHERE;
    const size_t size = round ? sizeof(tact_sphere) : sizeof(tact_aabb), words = words_of(s);
    if (count > TACT_MAX_VOLUMES)
        return tact_fail(env, TACT_ERROR_LIMIT, "%llu volumes reach into a rank's part of space; a set holds 2^30",
                         (unsigned long long)count);
    char* volumes = tact_allocate(env, (size_t)count, size);
    tact_categories* categories = s->categories ? tact_allocate(env, (size_t)count, sizeof *categories) : NULL;
    s->ids = tact_allocate(env, (size_t)count, sizeof *s->ids);
    tact_result result = volumes && s->ids && (categories || !s->categories) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        const uint32_t* one = in + i * words;
        memcpy(volumes + i * size, one, size);
        s->ids[i] = one[size / sizeof *one];
        if (categories) memcpy(&categories[i], one + size / sizeof *one + 1, sizeof *categories);
        // Parts come in order of rank, each in order of id.
        TACT_ASSERT(i == 0 || s->ids[i] > s->ids[i - 1]);
    }
    const tact_volumes_desc desc = {.kind = s->own->kind, .reserve = (size_t)count};
    if (result == TACT_OK) result = tact_volumes_create(p->ranks->context, &desc, &s->near);
    if (result == TACT_OK && round) {
        result = tact_volumes_add_spheres(s->near, (const tact_sphere*)(void*)volumes, (size_t)count, categories, NULL,
                                          NULL);
    } else if (result == TACT_OK) {
        result =
            tact_volumes_add_aabbs(s->near, (const tact_aabb*)(void*)volumes, (size_t)count, categories, NULL, NULL);
    }
    tact_release(env, volumes);
    tact_release(env, categories);
    return result;
}

/// Sends the volumes of a set to the ranks whose parts of space they reach into. `lists` has room for three numbers of
/// each rank.
static tact_result send_volumes(ranks_pairs* p, spread_set* s, const void** bytes, uint64_t* lists)
{
    const uint32_t ranks = p->curve.parts;
    uint64_t *sizes = lists, *places = lists + ranks, *in_sizes = lists + 2 * (size_t)ranks;
    s->homes = tact_allocate(p->env, s->own->id_end, sizeof *s->homes);
    char* out = NULL;
    if (s->homes) {
        home_loop loop = {&p->curve, s->own->boxes, s->homes};
        const int threads = p->options.threads > 0 ? p->options.threads : p->ranks->context->threads;
        tact_parallel_for(threads, s->own->id_end, GRAIN, find_homes, &loop);
        out = place_volumes(p, s, sizes, places);
    }
    tact_result result = tact_ranks_agree(p->ranks, out ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    void* in = NULL;
    if (result == TACT_OK) {
        for (uint32_t i = 0; i < ranks; ++i)
            bytes[i] = out + places[i];
        write_volumes(p, s, out, places);
        result = tact_ranks_send(p->ranks, bytes, sizes, &in, in_sizes);
    }
    tact_release(p->env, out);
    tact_release(p->env, s->homes);
    s->homes = NULL;
    if (result != TACT_OK) return result;
    uint64_t all = 0;
    for (uint32_t i = 0; i < ranks; ++i)
        all += in_sizes[i];
    result = read_volumes(p, s, in, all / (words_of(s) * sizeof(uint32_t)));
    tact_release(p->env, in);
    return tact_ranks_agree(p->ranks, result);
}

static tact_result send_all(ranks_pairs* p)
{
    const uint32_t ranks = p->curve.parts;
    const void** bytes = tact_allocate(p->env, ranks, sizeof *bytes);
    uint64_t* lists = tact_allocate(p->env, 3 * (size_t)ranks, sizeof *lists);
    p->parts = tact_allocate(p->env, ranks, sizeof *p->parts);
    tact_result result = tact_ranks_agree(p->ranks, bytes && lists && p->parts ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    for (int k = 0; k < p->count && result == TACT_OK; ++k)
        result = send_volumes(p, &p->sets[k], bytes, lists);
    tact_release(p->env, (void*)bytes);
    tact_release(p->env, lists);
    return result;
}

// ---- Finding ----

typedef struct mine_loop {
    const ranks_pairs* p;
    const tact_pair* pairs;
} mine_loop;

static float later(float a, float b)
{
    return a > b ? a : b;
}

/// Whether the lower corner of what two boxes have in common lies in this rank's part of space. Where all of the first
/// one does, which most do, the second need not be looked up.
static void find_mine(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const mine_loop* l = user;
    const ranks_pairs* p = l->p;
    const tact_aabb *of_a = p->sets[0].near->boxes, *of_b = p->count > 1 ? p->sets[1].near->boxes : of_a;
    uint32_t home = TACT_RANK_PARTS;
    for (size_t i = begin; i < end; ++i) {
        const tact_aabb* box = &of_a[l->pairs[i].a];
        // Pairs are sorted by the first.
        if (i == begin || l->pairs[i].a != l->pairs[i - 1].a) home = tact_rank_curve_home(&p->curve, box);
        p->mine[i] = home != TACT_RANK_PARTS;
        if (p->mine[i]) continue;
        const tact_vec3 a = box->lower, b = of_b[l->pairs[i].b].lower;
        const tact_vec3 corner = {later(a.x, b.x), later(a.y, b.y), later(a.z, b.z)};
        p->mine[i] = tact_rank_curve_part(&p->curve, corner) == p->ranks->calls.rank;
    }
}

/// Keeps those of the pairs that this rank reports, with ids in the whole, and returns how many.
static size_t keep_mine(const ranks_pairs* p, tact_pair* pairs, size_t count)
{
    const uint32_t *of_a = p->sets[0].ids, *of_b = p->count > 1 ? p->sets[1].ids : of_a;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i)
        if (p->mine[i]) pairs[kept++] = (tact_pair){of_a[pairs[i].a], of_b[pairs[i].b]};
    return kept;
}

/// This rank's own search. The pairs stay in the first near set.
static tact_result find_near(ranks_pairs* p, tact_pairs_method method, tact_query_report* report)
{
    tact_volumes *a = p->sets[0].near, *b = p->sets[1].near;
    size_t count = 0;
    const tact_pairs_work work = {.b = b, .method = method, .count = &count};
    const tact_result result = tact_pairs_find(a, &work, &p->options, report);
    if (result != TACT_OK) return result;
    p->mine = tact_allocate(p->env, count, sizeof *p->mine);
    if (!p->mine) return TACT_ERROR_OUT_OF_MEMORY;
    TACT_ASSERT(count == a->pair_count);
    mine_loop loop = {p, a->pairs};
    const int threads = p->options.threads > 0 ? p->options.threads : p->ranks->context->threads;
    tact_parallel_for(threads, count, GRAIN, find_mine, &loop);
    a->pair_count = keep_mine(p, a->pairs, count);
    return TACT_OK;
}

/// The near set's list becomes that of `a`, sorted over all ranks.
static tact_result hand_over(ranks_pairs* p, tact_volumes* a)
{
    tact_volumes* near = p->sets[0].near;
    tact_release(p->env, a->pairs);
    a->pairs = near->pairs;
    a->pair_count = near->pair_count;
    near->pairs = NULL;
    near->pair_count = near->pair_capacity = 0;
    if (!a->pairs) a->pairs = tact_allocate(p->env, 0, sizeof *a->pairs);
    tact_result result = tact_ranks_agree(p->ranks, a->pairs ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = tact_ranks_sort_pairs(p->ranks, &a->pairs, &a->pair_count);
    if (result != TACT_OK) {
        tact_release(p->env, a->pairs);
        a->pairs = NULL;
        a->pair_count = 0;
    }
    a->pair_capacity = a->pair_count;
    a->info = near->info;
    a->info.pairs = a->pair_count;
    a->answered = result == TACT_OK;
    return result;
}

static tact_result find_over(ranks_pairs* p, const tact_ranks_pairs_work* work, tact_query_report* report)
{
    tact_volumes* a = p->sets[0].own;
    const tact_pairs_arguments q = {.a = a, .b = work->b};
    tact_result result = compare_ranks(p);
    if (result == TACT_OK) result = tact_ranks_agree(p->ranks, tact_pairs_fetch(&q));
    if (result == TACT_OK) result = cut_space(p);
    if (result == TACT_OK) result = send_all(p);
    if (result == TACT_OK) result = tact_ranks_agree(p->ranks, find_near(p, work->method, report));
    if (result == TACT_OK) result = hand_over(p, a);
    uint64_t before = 0;
    if (result == TACT_OK) result = tact_ranks_before(p->ranks, a->pair_count, &before, work->count);
    if (result == TACT_OK && work->before) *work->before = before;
    return result;
}

static void release(ranks_pairs* p)
{
    for (int k = 0; k < SETS; ++k) {
        tact_volumes_destroy(p->sets[k].near);
        tact_release(p->env, p->sets[k].ids);
    }
    tact_rank_curve_free(p->env, &p->curve);
    tact_release(p->env, p->parts);
    tact_release(p->env, p->mine);
}

static tact_result find_alone(tact_volumes* a, const tact_ranks_pairs_work* work, const tact_query_options* options,
                              tact_query_report* report)
{
    size_t count = 0;
    const tact_pairs_work own = {.b = work->b, .method = work->method, .count = &count};
    const tact_result result = tact_pairs_find(a, &own, options, report);
    *work->count = count;
    return result;
}

tact_result tact_ranks_find_pairs(tact_ranks* ranks, tact_volumes* a, const tact_ranks_pairs_work* work,
                                  const tact_query_options* options, tact_query_report* report)
{
    if (!tact_ranks_enter(ranks, a ? a->context : NULL, "a", options)) return TACT_ERROR_INVALID_ARGUMENT;
    if (work && work->count) *work->count = 0;
    if (work && work->before) *work->before = 0;
    tact_result result = tact_ranks_agree(ranks, check(ranks, a, work, options));
    if (result != TACT_OK) return result;
    if (tact_ranks_count(ranks) == 1) return find_alone(a, work, options, report);
    const double start = tact_platform_milliseconds();
    tact_query_report own = {.backend = TACT_BACKEND_AUTO};
    ranks_pairs p = {
        .ranks = ranks, .env = &ranks->context->env, .sets = {{.own = a}, {.own = work->b}}, .count = work->b ? 2 : 1};
    if (options) p.options = *options;
    p.options.ticket = NULL;
    tact_float_env caller;
    tact_float_env_enter(&caller);
    tact_pairs_enter(a, work->b);
    a->pair_count = 0;
    a->answered = false;
    result = find_over(&p, work, &own);
    release(&p);
    tact_pairs_leave(a, work->b);
    tact_float_env_leave(&caller);
    tact_ranks_end_report(&own, start);
    if (report && result == TACT_OK) *report = own;
    return result;
}
