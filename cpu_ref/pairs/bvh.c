// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A wide tree of bounds over the boxes in spatial order, against itself or another set's. When boxes move the bounds
// are refitted in the old order, until that order has become bad.

#include "cpu_ref/pairs/bvh.h"
#include "base/compiler.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/platform.h"
#include "cpu_ref/pairs/bvh_answer.h"
#include "cpu_ref/pairs/lanes.h"

/// How well an order still serves.
typedef struct order_quality {
    double spread;    ///< mean width of the groups' bounds, as a part of all there is
    double fresh;     ///< the same after the order was made
    double tests[2];  ///< a box, by the first query in this order: within, between
    bool tested[2];
    double surplus;  ///< tests a box beyond that, all queries together
} order_quality;

typedef struct kept_tree {
    tact_bvh_tree tree;
    tact_box_order order;
    order_quality quality;
    float unit[3];  ///< 1 / the width of everything when the order was made
    double* sums;   ///< spread of each block
    size_t sum_capacity;
    uint16_t* moved;  ///< by group, of the last refit: a bit for each box that has moved
    size_t moved_capacity;
    uint32_t moved_count;  ///< boxes; NO_REFIT where the last update was none
    uint32_t* places;      ///< in which group, and where there, a box is, by id; NOWHERE: in none
    size_t place_capacity;
    uint32_t place_count;  ///< ids; 0: not known of this order
    tact_bvh_answer answer;
    uint64_t version;
    bool filled;
} kept_tree;

#define NO_REFIT UINT32_MAX
#define NOWHERE UINT32_MAX

enum {
    /// To make the order anew costs about as much as this many tests a box.
    TESTS_OF_A_REBUILD = 20,
    BLOCKS_AT_A_TIME = 8,
};

/// With what spread, as a multiple of the fresh one, the order is made anew before it is used.
static const double too_spread = 1.6;

typedef struct fill_loop {
    kept_tree* kept;
    const tact_volume_view* of;
    bool refit;
    bool* stale;  ///< a box that the order knows is gone
    const tact_pairs_lane_table* lanes;
} fill_loop;

static void put_bounds(tact_bvh_boxes* boxes, uint32_t at, const tact_aabb* b)
{
    TACT_ASSERT(at < TACT_BVH_WIDTH);
    const float numbers[6] = {b->lower.x, b->lower.y, b->lower.z, b->upper.x, b->upper.y, b->upper.z};
    for (int axis = 0; axis < 3; ++axis) {
        boxes->lower[axis][at] = numbers[axis];
        boxes->upper[axis][at] = numbers[axis + 3];
    }
}

static const tact_aabb no_box = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
static const tact_aabb inverted = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void widen(tact_aabb* bounds, const tact_aabb* by)
{
    bounds->lower.x = by->lower.x < bounds->lower.x ? by->lower.x : bounds->lower.x;
    bounds->lower.y = by->lower.y < bounds->lower.y ? by->lower.y : bounds->lower.y;
    bounds->lower.z = by->lower.z < bounds->lower.z ? by->lower.z : bounds->lower.z;
    bounds->upper.x = by->upper.x > bounds->upper.x ? by->upper.x : bounds->upper.x;
    bounds->upper.y = by->upper.y > bounds->upper.y ? by->upper.y : bounds->upper.y;
    bounds->upper.z = by->upper.z > bounds->upper.z ? by->upper.z : bounds->upper.z;
}

/// Whether a box differs from that at a place of a group.
static bool has_moved(const tact_bvh_boxes* boxes, uint32_t at, const tact_aabb* b)
{
    return boxes->lower[0][at] != b->lower.x || boxes->lower[1][at] != b->lower.y ||
           boxes->lower[2][at] != b->lower.z || boxes->upper[0][at] != b->upper.x ||
           boxes->upper[1][at] != b->upper.y || boxes->upper[2][at] != b->upper.z;
}

/// Fills a group from the set and returns its bounds, and which boxes have moved; false when a box is gone.
static bool fill_group(const fill_loop* l, uint32_t index, tact_aabb* bounds, uint32_t* moved)
{
    tact_bvh_tree* t = &l->kept->tree;
    tact_bvh_group* g = &t->groups[index];
    const uint32_t first = index * TACT_BVH_WIDTH, left = t->live - first;
    const uint32_t count = left < TACT_BVH_WIDTH ? left : TACT_BVH_WIDTH;
    TACT_ASSERT(index < t->group_count && first < t->live);
    TACT_ASSERT(l->refit || first + count <= l->kept->order.count);
    bool there = true;
    *bounds = inverted;
    *moved = 0;
    if (!l->refit) {
        for (uint32_t i = 0; i < count; ++i)
            g->ids[i] = (uint32_t)l->kept->order.items[first + i];
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (g->ids[i] >= l->of->count) return false;
    }
    if (count == TACT_BVH_WIDTH) return l->lanes->bvh_fill(l->of->boxes, g, bounds, moved);
    for (uint32_t i = 0; i < count; ++i) {
        const tact_aabb* box = &l->of->boxes[g->ids[i]];
        there = there && tact_volume_is_live(box);
        *moved |= (uint32_t)has_moved(&g->boxes, i, box) << i;
        put_bounds(&g->boxes, i, box);
        widen(bounds, box);
    }
    for (uint32_t i = count; i < TACT_BVH_WIDTH; ++i) {
        g->ids[i] = 0;
        put_bounds(&g->boxes, i, &no_box);
    }
    return there;
}

/// Asks for the boxes of a group that is filled soon: they lie anywhere in the set.
static void fetch_ahead(const fill_loop* l, uint32_t group)
{
    const tact_bvh_tree* t = &l->kept->tree;
    if (group + 1 >= t->group_count) return;
    for (uint32_t i = 0; i < TACT_BVH_WIDTH; ++i) {
        const uint32_t id =
            l->refit ? t->groups[group].ids[i] : (uint32_t)l->kept->order.items[group * TACT_BVH_WIDTH + i];
        TACT_PREFETCH(&l->of->boxes[id < l->of->count ? id : 0]);
    }
}

/// How wide bounds are, as parts of all there is, at most 1 an axis.
static double spread_of(const kept_tree* kept, const tact_aabb* b)
{
    const float widths[3] = {b->upper.x - b->lower.x, b->upper.y - b->lower.y, b->upper.z - b->lower.z};
    double sum = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const float part = widths[axis] * kept->unit[axis];
        sum += part < 1.0f ? (double)part : 1.0;
    }
    return sum;
}

static void fill_blocks(size_t begin, size_t end, int worker, void* user)
{
    const fill_loop* l = user;
    tact_bvh_tree* t = &l->kept->tree;
    TACT_ASSERT(end <= t->level_count[0]);
    for (size_t block = begin; block < end; ++block) {
        tact_aabb all = inverted;
        double spread = 0.0;
        for (uint32_t k = 0; k < TACT_BVH_WIDTH; ++k) {
            const uint32_t group = (uint32_t)block * TACT_BVH_WIDTH + k;
            tact_aabb bounds = no_box;
            if (group < t->group_count) {
                fetch_ahead(l, group + 2);
                uint32_t moved;
                if (!fill_group(l, group, &bounds, &moved)) l->stale[worker] = true;
                l->kept->moved[group] = (uint16_t)moved;
                widen(&all, &bounds);
                spread += spread_of(l->kept, &bounds);
            }
            put_bounds(&t->blocks[block], k, &bounds);
        }
        l->kept->sums[block] = spread;
        put_bounds(&t->blocks[t->level_first[1] + block / TACT_BVH_WIDTH], block % TACT_BVH_WIDTH, &all);
    }
}

static tact_aabb box_at(const tact_bvh_boxes* boxes, uint32_t at)
{
    return (tact_aabb){{boxes->lower[0][at], boxes->lower[1][at], boxes->lower[2][at]},
                       {boxes->upper[0][at], boxes->upper[1][at], boxes->upper[2][at]}};
}

static tact_aabb bounds_of(const tact_bvh_boxes* boxes)
{
    enum { HALF = TACT_BVH_WIDTH / 2 };
    float low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        const float *lower = boxes->lower[axis], *upper = boxes->upper[axis];
        float least[HALF], most[HALF];
        // Places without a box are NaN, which no comparison takes.
        for (int i = 0; i < HALF; ++i) {
            least[i] = lower[i] < INFINITY ? lower[i] : INFINITY;
            most[i] = upper[i] > -INFINITY ? upper[i] : -INFINITY;
        }
        for (int i = 0; i < HALF; ++i) {
            least[i] = lower[HALF + i] < least[i] ? lower[HALF + i] : least[i];
            most[i] = upper[HALF + i] > most[i] ? upper[HALF + i] : most[i];
        }
        low[axis] = least[0];
        high[axis] = most[0];
        for (int i = 1; i < HALF; ++i) {
            low[axis] = least[i] < low[axis] ? least[i] : low[axis];
            high[axis] = most[i] > high[axis] ? most[i] : high[axis];
        }
    }
    return (tact_aabb){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

/// The levels above what fill_blocks has written.
static void fill_upper_levels(tact_bvh_tree* t)
{
    for (int level = 1; level < t->levels; ++level) {
        tact_bvh_boxes* blocks = t->blocks + t->level_first[level];
        const uint32_t below = t->level_count[level - 1], here = t->level_count[level];
        TACT_ASSERT(t->level_first[level] == t->level_first[level - 1] + below);
        for (uint32_t k = below; k < here * TACT_BVH_WIDTH; ++k)
            put_bounds(&blocks[k / TACT_BVH_WIDTH], k % TACT_BVH_WIDTH, &no_box);
        if (level + 1 == t->levels) break;
        for (uint32_t k = 0; k < here; ++k) {
            const tact_aabb all = bounds_of(&blocks[k]);
            put_bounds(&t->blocks[t->level_first[level + 1] + k / TACT_BVH_WIDTH], k % TACT_BVH_WIDTH, &all);
        }
    }
}

/// What follows from the bounds of groups, and of blocks of them.
static void finish_levels(kept_tree* kept)
{
    const tact_bvh_tree* t = &kept->tree;
    fill_upper_levels(&kept->tree);
    TACT_ASSERT(t->levels >= 2 && t->level_count[t->levels - 1] == 1);
    double spread = 0.0;
    for (uint32_t i = 0; i < t->level_count[0]; ++i)
        spread += kept->sums[i];
    kept->quality.spread = spread / t->group_count;
}

/// All bounds from the boxes, in the order that the tree has or that was just made. *whole is false when the tree
/// knows a box that is gone.
static tact_result fill(const tact_pairs_job* job, const tact_volume_view* of, kept_tree* kept, bool refit, bool* whole)
{
    const int threads = job->threads > 0 ? job->threads : 1;
    tact_bvh_tree* t = &kept->tree;
    bool* stale = tact_allocate_zeroed(job->env, (size_t)threads, sizeof *stale);
    if (!stale) return TACT_ERROR_OUT_OF_MEMORY;
    fill_loop loop = {kept, of, refit, stale, tact_pairs_lanes()};
    const uint32_t blocks = t->group_count > 0 ? t->level_count[0] : 0;
    tact_parallel_for(threads, blocks, BLOCKS_AT_A_TIME, fill_blocks, &loop);
    *whole = true;
    for (int i = 0; i < threads; ++i)
        *whole = *whole && !stale[i];
    tact_release(job->env, stale);
    if (blocks > 0) finish_levels(kept);
    return TACT_OK;
}

/// Notes where each box is.
static bool find_places(const tact_pairs_job* job, const tact_volume_view* of, kept_tree* kept)
{
    if (kept->place_count == of->count) return true;
    void* places = kept->places;
    const bool room = tact_reserve(job->env, &places, &kept->place_capacity, 0, of->count, sizeof *kept->places);
    kept->places = places;
    kept->place_count = room ? of->count : 0;
    if (!room) return false;
    const tact_bvh_tree* t = &kept->tree;
    for (uint32_t id = 0; id < of->count; ++id)
        kept->places[id] = NOWHERE;
    for (uint32_t place = 0; place < t->live; ++place)
        kept->places[t->groups[place / TACT_BVH_WIDTH].ids[place % TACT_BVH_WIDTH]] = place;
    return true;
}

#define DIRTY (-1.0)  // sum of a block in which a box has moved

/// Gives a box its new place; false when it is gone, or new.
static bool move_box(kept_tree* kept, const tact_volume_view* of, uint32_t id)
{
    const uint32_t place = kept->places[id], group = place / TACT_BVH_WIDTH, at = place % TACT_BVH_WIDTH;
    const tact_aabb* box = &of->boxes[id];
    if (place == NOWHERE || !tact_volume_is_live(box)) return place == NOWHERE && !tact_volume_is_live(box);
    tact_bvh_boxes* boxes = &kept->tree.groups[group].boxes;
    if (!has_moved(boxes, at, box)) return true;
    put_bounds(boxes, at, box);
    kept->moved[group] |= (uint16_t)(1u << at);
    kept->sums[group / TACT_BVH_WIDTH] = DIRTY;
    return true;
}

/// Bounds of the groups of a block in which boxes have moved, and the block's.
static void mend_block(kept_tree* kept, uint32_t block)
{
    tact_bvh_tree* t = &kept->tree;
    tact_bvh_boxes* bounds = &t->blocks[block];
    double spread = 0.0;
    for (uint32_t k = 0; k < TACT_BVH_WIDTH; ++k) {
        const uint32_t group = block * TACT_BVH_WIDTH + k;
        if (group >= t->group_count) break;
        if (kept->moved[group]) {
            const tact_aabb all = bounds_of(&t->groups[group].boxes);
            put_bounds(bounds, k, &all);
        }
        const tact_aabb here = box_at(bounds, k);
        spread += spread_of(kept, &here);
    }
    kept->sums[block] = spread;
    const tact_aabb all = bounds_of(bounds);
    put_bounds(&t->blocks[t->level_first[1] + block / TACT_BVH_WIDTH], block % TACT_BVH_WIDTH, &all);
}

/// Refits what the set's list of changes says. False, and nothing is done, where it does not say enough, or so much
/// that reading all boxes is no slower. *whole as in fill().
static bool refit_listed(const tact_pairs_job* job, const tact_volume_view* of, kept_tree* kept, bool* whole)
{
    uint32_t first;
    if (!tact_volume_changes_after(of, kept->version, &first)) return false;
    if ((uint64_t)(of->change_count - first) * TACT_BVH_CHANGES > of->live || !find_places(job, of, kept)) return false;
    const tact_bvh_tree* t = &kept->tree;
    memset(kept->moved, 0, t->group_count * sizeof *kept->moved);
    for (uint32_t i = first; i < of->change_count; ++i) {
        enum { AHEAD = 8 };
        if (i + AHEAD < of->change_count) {
            const uint32_t next = of->changes[i + AHEAD].id, place = kept->places[next];
            TACT_PREFETCH(&of->boxes[next]);
            if (place != NOWHERE) TACT_PREFETCH(&t->groups[place / TACT_BVH_WIDTH]);
        }
        TACT_ASSERT(of->changes[i].id < of->count);
        if (move_box(kept, of, of->changes[i].id)) continue;
        *whole = false;
        return true;
    }
    for (uint32_t block = 0; block < t->level_count[0]; ++block)
        if (kept->sums[block] == DIRTY) mend_block(kept, block);
    finish_levels(kept);
    *whole = true;
    return true;
}

/// Room for a tree over `live` boxes, and where its levels are.
static bool lay_out(tact_env* env, kept_tree* kept, uint32_t live)
{
    tact_bvh_tree* t = &kept->tree;
    t->live = live;
    t->group_count = (live + TACT_BVH_WIDTH - 1) / TACT_BVH_WIDTH;
    uint32_t first = 0, count = t->group_count;
    t->levels = 0;
    do {
        count = (count + TACT_BVH_WIDTH - 1) / TACT_BVH_WIDTH;
        TACT_ASSERT(t->levels < TACT_BVH_LEVELS);
        t->level_first[t->levels] = first;
        t->level_count[t->levels++] = count;
        first += count;
    } while (count > 1 || t->levels < 2);
    void *groups = t->groups, *blocks = t->blocks, *sums = kept->sums, *moved = kept->moved;
    bool ok = tact_reserve(env, &groups, &t->group_capacity, 0, t->group_count, sizeof *t->groups);
    t->groups = groups;
    ok = ok && tact_reserve(env, &blocks, &t->block_capacity, 0, first, sizeof *t->blocks);
    t->blocks = blocks;
    ok = ok && tact_reserve(env, &sums, &kept->sum_capacity, 0, t->level_count[0], sizeof *kept->sums);
    kept->sums = sums;
    ok = ok && tact_reserve(env, &moved, &kept->moved_capacity, 0, t->group_count, sizeof *kept->moved);
    kept->moved = moved;
    return ok;
}

/// The units for spread, from the bounds of all groups; infinite ones count as 1 in any unit.
static void choose_units(kept_tree* kept)
{
    const tact_bvh_tree* t = &kept->tree;
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    // Of every block but those at either end of the order, so that a few far boxes do not decide.
    for (uint32_t block = 0; block < t->level_count[0]; ++block) {
        const tact_bvh_boxes* b = &t->blocks[block];
        for (int axis = 0; axis < 3; ++axis) {
            const float middle = 0.5f * b->lower[axis][0] + 0.5f * b->upper[axis][0];
            if (middle < low[axis] && middle >= -FLT_MAX) low[axis] = middle;
            if (middle > high[axis] && middle <= FLT_MAX) high[axis] = middle;
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        const float width = high[axis] - low[axis];
        kept->unit[axis] = width > 1e-37f && width < FLT_MAX ? 1.0f / width : 1.0f;
    }
}

static tact_result rebuild(const tact_pairs_job* job, const tact_volume_view* of, kept_tree* kept)
{
    tact_result result = tact_box_order_make(job->env, job->threads, of, &kept->order);
    if (result != TACT_OK) return result;
    TACT_ASSERT(kept->order.count == of->live);
    kept->place_count = 0;
    if (!lay_out(job->env, kept, kept->order.count)) return TACT_ERROR_OUT_OF_MEMORY;
    bool whole = true;
    result = fill(job, of, kept, false, &whole);
    if (result != TACT_OK) return result;
    TACT_ASSERT(whole);
    choose_units(kept);
    kept->quality = (order_quality){0};
    double spread = 0.0;
    const tact_bvh_tree* t = &kept->tree;
    for (uint32_t g = 0; g < t->group_count; ++g) {
        const tact_bvh_boxes* b = &t->blocks[g / TACT_BVH_WIDTH];
        const uint32_t k = g % TACT_BVH_WIDTH;
        const tact_aabb box = {{b->lower[0][k], b->lower[1][k], b->lower[2][k]},
                               {b->upper[0][k], b->upper[1][k], b->upper[2][k]}};
        spread += spread_of(kept, &box);
    }
    kept->quality.spread = kept->quality.fresh = t->group_count > 0 ? spread / t->group_count : 0.0;
    return TACT_OK;
}

static uint32_t count_moved(const kept_tree* kept)
{
    uint32_t count = 0;
    for (uint32_t group = 0; group < kept->tree.group_count; ++group) {
        for (uint32_t bits = kept->moved[group]; bits; bits &= bits - 1)
            ++count;
    }
    return count;
}

/// Brings the tree of a set up to date.
static tact_result update(tact_pairs_job* job, const tact_volume_view* of, void** slot, kept_tree** result)
{
    if (!*slot) *slot = tact_allocate_zeroed(job->env, 1, sizeof(kept_tree));
    kept_tree* kept = *slot;
    if (!kept) return TACT_ERROR_OUT_OF_MEMORY;
    *result = kept;
    order_quality* q = &kept->quality;
    const bool same = kept->filled && kept->version == of->version;
    bool good = kept->filled && kept->tree.live == of->live && q->surplus < (double)TESTS_OF_A_REBUILD;
    kept->moved_count = 0;
    if (same && good) return TACT_OK;
    kept->filled = false;
    if (good && !refit_listed(job, of, kept, &good)) {
        const tact_result refitted = fill(job, of, kept, true, &good);
        if (refitted != TACT_OK) return refitted;
    }
    good = good && q->spread <= too_spread * q->fresh + 1e-9;
    if (!good) {
        const tact_result built = rebuild(job, of, kept);
        if (built != TACT_OK) return built;
        job->rebuilt = true;
    }
    kept->moved_count = good ? count_moved(kept) : NO_REFIT;
    TACT_VALIDATE(tact_bvh_tree_is_valid(&kept->tree, of));
    kept->version = of->version;
    kept->filled = true;
    return TACT_OK;
}

static size_t bytes_of(const kept_tree* kept)
{
    return kept->tree.group_capacity * sizeof(tact_bvh_group) + kept->tree.block_capacity * sizeof(tact_bvh_boxes) +
           kept->sum_capacity * sizeof(double) + kept->moved_capacity * sizeof *kept->moved +
           kept->place_capacity * sizeof *kept->places + tact_bvh_answer_bytes(&kept->answer) +
           kept->order.memory_bytes + sizeof *kept;
}

/// Tells a tree what a query in its order has cost.
static void learn(kept_tree* kept, uint64_t tests, bool between)
{
    order_quality* q = &kept->quality;
    const double each = (double)tests / ((double)kept->tree.live + 1.0);
    if (!q->tested[between]) {
        q->tested[between] = true;
        q->tests[between] = each;
    }
    if (each > q->tests[between]) q->surplus += each - q->tests[between];
}

enum { COUNTER_STRIDE = 8 };  // numbers, so that threads do not share cache lines

typedef struct query_loop {
    const tact_bvh_tree *from, *to;
    bool swapped;
    const tact_pairs_lane_table* lanes;
    tact_pair_sink* sinks;
    uint64_t* tests;
    uint32_t first;
} query_loop;

static void query_blocks(size_t begin, size_t end, int worker, void* user)
{
    const query_loop* l = user;
    TACT_ASSERT(l->first + end <= l->from->level_count[0]);
    uint64_t tests = 0;
    for (size_t block = begin; block < end; ++block)
        tests += l->lanes->bvh(l->from, l->first + (uint32_t)block, l->to, l->swapped, &l->sinks[worker]);
    l->tests[worker * COUNTER_STRIDE] += tests;
}

static tact_result query(tact_pairs_job* job, const tact_bvh_tree* from, const tact_bvh_tree* to, bool swapped)
{
    if (from->group_count == 0 || to->group_count == 0) return TACT_OK;
    const int threads = job->threads > 0 ? job->threads : 1;
    uint64_t* tests = tact_allocate_zeroed(job->env, (size_t)threads * COUNTER_STRIDE, sizeof *tests);
    if (!tests) return TACT_ERROR_OUT_OF_MEMORY;
    query_loop loop = {from, to, swapped, tact_pairs_lanes(), job->sinks, tests, 0};
    const uint32_t blocks = from->level_count[0];
    TACT_ASSERT(blocks >= 1);
    // In slices, between which progress is asked.
    const uint32_t slice = job->progress ? (uint32_t)threads * 16u : blocks;
    tact_result result = TACT_OK;
    while (loop.first < blocks && result == TACT_OK) {
        const uint32_t size = blocks - loop.first < slice ? blocks - loop.first : slice;
        tact_parallel_for(threads, size, 1, query_blocks, &loop);
        loop.first += size;
        if (job->progress && !job->progress((double)loop.first / (double)blocks, job->progress_user))
            result = tact_fail(job->env, TACT_ERROR_CANCELLED, "cancelled");
    }
    for (int i = 0; i < threads; ++i)
        job->tests += tests[i * COUNTER_STRIDE];
    tact_release(job->env, tests);
    return result;
}

/// Whether few boxes have moved since the last query, so that an answer is worth keeping.
static bool hardly_moves(const kept_tree* kept)
{
    return kept->moved_count != NO_REFIT && (uint64_t)kept->moved_count * TACT_BVH_CHANGES <= kept->tree.live;
}

static tact_result find(tact_pairs_job* job)
{
    const double start = tact_platform_milliseconds();
    kept_tree *a = NULL, *b = NULL;
    tact_result result = update(job, job->a, &job->state_a->kept[TACT_PAIRS_BVH], &a);
    if (result == TACT_OK && job->b) result = update(job, job->b, &job->state_b->kept[TACT_PAIRS_BVH], &b);
    job->build_ms = tact_platform_milliseconds() - start;
    const bool keeps = result == TACT_OK && !b && job->whole && job->sinks[0].plain && hardly_moves(a);
    // What is known is of the boxes as they were.
    if (a && !keeps && a->moved_count > 0) a->answer.known = false;
    if (b && b->moved_count > 0) b->answer.known = false;
    if (result != TACT_OK) return result;
    TACT_ASSERT(a->filled && a->version == job->a->version);
    TACT_ASSERT(!b == !job->b && (!b || (b->filled && b->version == job->b->version)));
    if (keeps && a->answer.known) {
        result = tact_bvh_answer_change(job, &a->answer, &a->tree, a->moved, a->moved_count);
        job->memory_bytes = bytes_of(a);
        return result;
    }
    // The larger set asks: it has more blocks for threads to share.
    const bool swapped = b && b->tree.live > a->tree.live;
    const tact_bvh_tree* from = swapped ? &b->tree : &a->tree;
    const tact_bvh_tree* to = !b || swapped ? &a->tree : &b->tree;
    result = query(job, from, to, swapped);
    if (result == TACT_OK && keeps) result = tact_bvh_answer_keep(job, &a->answer, &a->tree);
    job->memory_bytes = bytes_of(a) + (b ? bytes_of(b) : 0);
    if (result != TACT_OK) return result;
    learn(a, job->tests, b != NULL);
    if (b) learn(b, job->tests, true);
    return TACT_OK;
}

static void release(tact_env* env, void* slot)
{
    kept_tree* kept = slot;
    tact_box_order_release(env, &kept->order);
    tact_release(env, kept->tree.groups);
    tact_release(env, kept->tree.blocks);
    tact_release(env, kept->sums);
    tact_release(env, kept->moved);
    tact_release(env, kept->places);
    tact_bvh_answer_release(env, &kept->answer);
    tact_release(env, kept);
}

const tact_pairs_way tact_pairs_bvh = {TACT_PAIRS_BVH, find, release};

#if defined(TACT_ASSERTS)

static bool same_numbers(const tact_aabb* a, const tact_aabb* b)
{
    return a->lower.x == b->lower.x && a->lower.y == b->lower.y && a->lower.z == b->lower.z &&
           a->upper.x == b->upper.x && a->upper.y == b->upper.y && a->upper.z == b->upper.z;
}

static bool group_is_valid(const tact_bvh_tree* t, const tact_volume_view* of, uint32_t group, unsigned char* seen)
{
    const tact_bvh_group* g = &t->groups[group];
    const uint32_t left = t->live - group * TACT_BVH_WIDTH;
    for (uint32_t i = 0; i < TACT_BVH_WIDTH; ++i) {
        const tact_aabb box = box_at(&g->boxes, i);
        if (i >= left) {
            if (tact_volume_is_live(&box)) return false;
            continue;
        }
        const uint32_t id = g->ids[i];
        if (id >= of->count || seen[id] || !same_numbers(&box, &of->boxes[id])) return false;
        seen[id] = 1;
    }
    return true;
}

/// Whether the bounds at a place of a level are those of the block under it; NaN where there is none.
static bool bounds_are_valid(const tact_bvh_tree* t, int level, uint32_t at)
{
    const tact_bvh_boxes* block = &t->blocks[t->level_first[level] + at / TACT_BVH_WIDTH];
    const tact_aabb here = box_at(block, at % TACT_BVH_WIDTH);
    const uint32_t below = level == 0 ? t->group_count : t->level_count[level - 1];
    if (at >= below) return !tact_volume_is_live(&here);
    const tact_aabb all = bounds_of(level == 0 ? &t->groups[at].boxes : &t->blocks[t->level_first[level - 1] + at]);
    return same_numbers(&here, &all);
}

bool tact_bvh_tree_is_valid(const tact_bvh_tree* t, const tact_volume_view* of)
{
    if (of->count > TACT_VALIDATE_MOST) return true;
    if (t->live != of->live || t->group_count != (t->live + TACT_BVH_WIDTH - 1) / TACT_BVH_WIDTH) return false;
    if (t->group_count == 0) return true;
    unsigned char* seen = calloc((size_t)of->count + 1, 1);
    if (!seen) return true;
    bool valid = true;
    for (uint32_t g = 0; g < t->group_count && valid; ++g)
        valid = group_is_valid(t, of, g, seen);
    free(seen);
    for (int level = 0; level < t->levels && valid; ++level) {
        for (uint32_t at = 0; at < t->level_count[level] * TACT_BVH_WIDTH && valid; ++at)
            valid = bounds_are_valid(t, level, at);
    }
    return valid;
}

#endif
