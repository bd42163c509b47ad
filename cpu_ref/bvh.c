// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/bvh.h"

#include <float.h>
#include <string.h>

#include "base/parallel.h"
#include "base/simd.h"

enum {
    BINS = 16,
    PARALLEL_SIZE = 1 << 15,  // ranges from this size on are binned by all threads
    TASK_SIZE = 1 << 12,      // subtrees up to this size are built by one thread
    FEW = 8,                  // references for which it takes less to sort them by bin than to go through the bins
    GRAIN = 1 << 13
};

typedef struct reference {
    float lower[3];
    uint32_t id;
    float upper[3];
    uint32_t bins;  // of its centroid, for each axis a byte
} reference;

/// The fourth of each four is any number.
typedef struct box {
    float lower[4], upper[4];
} box;

typedef struct bin {
    box box;
    uint32_t count;
} bin;

typedef struct bins {
    bin axis[3][BINS];
} bins;

/// A range of references still to be split, and where its inner nodes go. A subtree of n references has at most n - 1
/// inner nodes, so giving it the n places from `node` on needs no shared counter, and no order of work shows.
typedef struct range {
    size_t begin, end;
    size_t node;
    box box, centroids;
    uint32_t depth;
} range;

typedef struct builder {
    tact_env* env;
    int threads;
    reference* references;
    reference* scratch;
    tact_bvh_node* nodes;
    uint32_t max_leaf, max_depth;
    range* tasks;
    size_t task_count, task_capacity;
} builder;

static const box empty_box = {{FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX}};

static inline void grow(box* b, f4 lower, f4 upper)
{
    f4_store(b->lower, f4_min(lower, f4_load(b->lower)));
    f4_store(b->upper, f4_max(upper, f4_load(b->upper)));
}

static inline void grow_by(box* b, const box* by)
{
    grow(b, f4_load(by->lower), f4_load(by->upper));
}

static inline void grow_by_reference(box* b, const reference* r)
{
    const float* rows = (const float*)(const void*)r;
    grow(b, f4_load(rows), f4_load(rows + 4));
}

static inline f4 centroid(const reference* r)
{
    const f4 half = f4_set(0.5f);
    return f4_add(f4_mul(half, f4_load_three(r->lower)), f4_mul(half, f4_load_three(r->upper)));
}

static inline double half_area(const box* b)
{
    const double x = (double)b->upper[0] - (double)b->lower[0];
    const double y = (double)b->upper[1] - (double)b->lower[1];
    const double z = (double)b->upper[2] - (double)b->lower[2];
    return b->lower[0] > b->upper[0] ? 0.0 : x * y + y * z + z * x;
}

static void bin_scale(const range* r, double scale[3])
{
    for (int k = 0; k < 3; ++k) {
        const double width = (double)r->centroids.upper[k] - (double)r->centroids.lower[k];
        scale[k] = width > 0.0 ? BINS / width : 0.0;
    }
}

/// The bins of a reference, which it keeps.
static inline uint32_t find_bins(const range* r, const double scale[3], reference* ref)
{
    float c[4];
    f4_store(c, centroid(ref));
    ref->bins = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double place = ((double)c[axis] - (double)r->centroids.lower[axis]) * scale[axis];
        TACT_ASSERT(place >= 0.0);
        ref->bins |= (uint32_t)(place < BINS - 1.0 ? place : BINS - 1.0) << 8 * axis;
    }
    return ref->bins;
}

static inline uint32_t bin_along(uint32_t of_reference, int axis)
{
    return of_reference >> 8 * axis & 0xffu;
}

static void clear_bins(bins* b)
{
    for (int axis = 0; axis < 3; ++axis) {
        for (int i = 0; i < BINS; ++i) {
            b->axis[axis][i].box = empty_box;
            b->axis[axis][i].count = 0;
        }
    }
}

static void fill_bins(const builder* b, const range* r, const double scale[3], size_t begin, size_t end, bins* out)
{
    TACT_ASSERT(begin >= r->begin && end <= r->end);
    for (size_t i = begin; i < end; ++i) {
        reference* ref = &b->references[i];
        const uint32_t found = find_bins(r, scale, ref);
        for (int axis = 0; axis < 3; ++axis) {
            bin* into = &out->axis[axis][bin_along(found, axis)];
            grow_by_reference(&into->box, ref);
            ++into->count;
        }
    }
}

typedef struct bin_job {
    const builder* b;
    const range* r;
    double scale[3];
    bins* parts;  // one for each worker; merging minima, maxima and counts is exact in any order
    bool* used;
} bin_job;

static void bin_piece(size_t begin, size_t end, int worker, void* user)
{
    bin_job* job = user;
    TACT_ASSERT(worker >= 0 && worker < job->b->threads);
    TACT_ASSERT(job->r->begin + end <= job->r->end);
    if (!job->used[worker]) clear_bins(&job->parts[worker]);
    job->used[worker] = true;
    fill_bins(job->b, job->r, job->scale, job->r->begin + begin, job->r->begin + end, &job->parts[worker]);
}

static void gather_bins(const builder* b, const range* r, bins* out)
{
    enum { MAX_WORKERS = 64 };
    bin_job job = {b, r, {0}, NULL, NULL};
    bin_scale(r, job.scale);
    clear_bins(out);
    const size_t size = r->end - r->begin;
    const int workers = b->threads < MAX_WORKERS ? b->threads : MAX_WORKERS;
    bool used[MAX_WORKERS] = {false};
    if (size >= PARALLEL_SIZE && workers > 1) {
        job.parts = tact_allocate(b->env, (size_t)workers, sizeof *job.parts);
        job.used = used;
    }
    if (!job.parts) {  // small, or no memory to do it by threads: the sums are the same
        fill_bins(b, r, job.scale, r->begin, r->end, out);
        return;
    }
    tact_parallel_for(workers, size, GRAIN, bin_piece, &job);
    for (int w = 0; w < workers; ++w) {
        if (!used[w]) continue;
        for (int axis = 0; axis < 3; ++axis) {
            for (int i = 0; i < BINS; ++i) {
                const bin* from = &job.parts[w].axis[axis][i];
                grow_by(&out->axis[axis][i].box, &from->box);
                out->axis[axis][i].count += from->count;
            }
        }
    }
    tact_release(b->env, job.parts);
}

typedef struct split {
    double cost;   // of the children: sum of area x count
    int axis;      // -1: none
    uint32_t bin;  // references in bins below it go left
} split;

static split find_split(const bins* all, const range* r)
{
    split best = {DBL_MAX, -1, 0};
    for (int axis = 0; axis < 3; ++axis) {
        if (!(r->centroids.upper[axis] > r->centroids.lower[axis])) continue;
        const bin* b = all->axis[axis];
        double right_cost[BINS];
        box side = empty_box;
        uint32_t count = 0;
        for (int i = BINS - 1; i > 0; --i) {
            grow_by(&side, &b[i].box);
            count += b[i].count;
            right_cost[i] = count ? half_area(&side) * count : -1.0;
        }
        side = empty_box;
        count = 0;
        for (uint32_t i = 1; i < BINS; ++i) {
            grow_by(&side, &b[i - 1].box);
            count += b[i - 1].count;
            if (count == 0 || right_cost[i] < 0.0) continue;
            const double cost = half_area(&side) * count + right_cost[i];
            if (cost < best.cost) {
                best.cost = cost;
                best.axis = axis;
                best.bin = i;
            }
        }
    }
    return best;
}

static double area_of(const reference* r)
{
    box own = empty_box;
    grow_by_reference(&own, r);
    return half_area(&own);
}

/// What find_split() has of the bins of few references: only where two that follow each other by bin are in different
/// ones there is something to either side, and the first bin of those that part the same is the one after the lower's.
static split find_split_of_few(const builder* b, const range* r)
{
    reference* references = b->references + r->begin;
    const uint32_t size = (uint32_t)(r->end - r->begin);
    split best = {DBL_MAX, -1, 0};
    double scale[3];
    TACT_ASSERT(size >= 2 && size <= FEW);
    bin_scale(r, scale);
    for (uint32_t i = 0; i < size; ++i)
        find_bins(r, scale, &references[i]);
    for (int axis = 0; axis < 3; ++axis) {
        if (!(r->centroids.upper[axis] > r->centroids.lower[axis])) continue;
        // Two are parted alike by all axes.
        if (size == 2) return (split){area_of(&references[0]) + area_of(&references[1]), axis, 1};
        // By bin and place. Each goes to the place that as many come before it.
        uint32_t keys[FEW], sorted[FEW];
        for (uint32_t i = 0; i < size; ++i)
            keys[i] = bin_along(references[i].bins, axis) << 16 | i;
        for (uint32_t i = 0; i < size; ++i) {
            uint32_t before = 0;
            for (uint32_t k = 0; k < size; ++k)
                before += keys[k] < keys[i];
            sorted[before] = keys[i];
        }
        double right_cost[FEW];
        box side = empty_box;
        for (uint32_t i = size - 1; i > 0; --i) {
            grow_by_reference(&side, &references[sorted[i] & 0xffffu]);
            right_cost[i] = half_area(&side) * (size - i);
        }
        side = empty_box;
        for (uint32_t i = 1; i < size; ++i) {
            grow_by_reference(&side, &references[sorted[i - 1] & 0xffffu]);
            if (sorted[i] >> 16 == sorted[i - 1] >> 16) continue;
            const double cost = half_area(&side) * i + right_cost[i];
            if (cost < best.cost) best = (split){cost, axis, (sorted[i - 1] >> 16) + 1};
        }
    }
    return best;
}

/// Puts the left references first, keeping the order within both sides, and measures the sides.
static void partition(const builder* b, const range* r, const split* s, range* left, range* right)
{
    // Which side is next is not foreseen by processors, so there is no branch: what goes right is written to the left,
    // too, and written over by what comes next.
    range* const sides[2] = {right, left};
    const size_t half = r->begin + (r->end - r->begin) / 2;
    size_t l = r->begin, rest = r->begin;
    for (size_t i = r->begin; i < r->end; ++i) {
        const reference ref = b->references[i];
        // Without a split the halves are by position.
        const bool goes_left = s->axis >= 0 ? bin_along(ref.bins, s->axis) < s->bin : i < half;
        const f4 c = centroid(&ref);
        grow_by_reference(&sides[goes_left]->box, &ref);
        grow(&sides[goes_left]->centroids, c, c);
        b->references[l] = ref;
        b->scratch[rest] = ref;
        l += goes_left;
        rest += !goes_left;
    }
    rest -= r->begin;
    if (rest) memcpy(b->references + l, b->scratch + r->begin, rest * sizeof *b->scratch);
    TACT_ASSERT(l + rest == r->end);
    left->begin = r->begin;
    left->end = right->begin = l;
    right->end = r->end;
    TACT_ASSERT(left->begin < left->end && right->begin < right->end);
    left->depth = right->depth = r->depth + 1;
    left->node = r->node + 1;
    right->node = r->node + (left->end - left->begin);
}

static uint32_t log2_ceil(size_t n)
{
    TACT_ASSERT(n >= 1);
    uint32_t bits = 0;
    while (((size_t)1 << bits) < n)
        ++bits;
    return bits;
}

/// Splits a range in two; false when it is better left as a leaf.
static bool divide(const builder* b, const range* r, range* left, range* right)
{
    const size_t size = r->end - r->begin;
    TACT_ASSERT(r->depth <= TACT_BVH_MAX_DEPTH);
    if (size <= 1) return false;
    split s = {0.0, -1, 0};
    // Near the depth limit only halving is sure to stay within it.
    const bool choose = r->depth + log2_ceil(size) < b->max_depth;
    if (choose && size <= FEW) {
        s = find_split_of_few(b, r);
    } else if (choose) {
        bins all;
        gather_bins(b, r, &all);
        s = find_split(&all, r);
    }
    if (size <= b->max_leaf) {
        const double area = half_area(&r->box);
        if (s.axis < 0 || !(area + s.cost < area * (double)size)) return false;
    }
    left->box = right->box = left->centroids = right->centroids = empty_box;
    partition(b, r, &s, left, right);
    return true;
}

static void set_child(const builder* b, size_t node, int side, const range* r, bool leaf)
{
    tact_bvh_child* child = &b->nodes[node].children[side];
    TACT_ASSERT(!leaf || (r->end > r->begin && r->end - r->begin <= b->max_leaf));
    memcpy(child->lower, r->box.lower, sizeof child->lower);
    memcpy(child->upper, r->box.upper, sizeof child->upper);
    child->child = leaf ? (uint32_t)r->begin | (uint32_t)TACT_BVH_LEAF_BIT : (uint32_t)r->node;
    child->count = leaf ? (uint32_t)(r->end - r->begin) : 0;
}

/// Builds the subtree of a range that has been divided. Subtrees of at most `task_size` are left to a task.
static bool build_node(builder* b, const range* r, const range sides[2], size_t task_size);

static bool build_side(builder* b, size_t node, int side, const range* r, size_t task_size)
{
    TACT_ASSERT(r->begin < r->end);
    const size_t size = r->end - r->begin;
    if (task_size && size <= task_size && size > b->max_leaf) {
        // Larger than a leaf, so it is an inner node for certain.
        set_child(b, node, side, r, false);
        void* tasks = b->tasks;
        if (!tact_reserve(b->env, &tasks, &b->task_capacity, b->task_count, b->task_count + 1, sizeof *b->tasks)) {
            return false;
        }
        b->tasks = tasks;
        b->tasks[b->task_count++] = *r;
        return true;
    }
    range inner[2];
    const bool divided = divide(b, r, &inner[0], &inner[1]);
    set_child(b, node, side, r, !divided);
    return !divided || build_node(b, r, inner, task_size);
}

static bool build_node(builder* b, const range* r, const range sides[2], size_t task_size)
{
    return build_side(b, r->node, 0, &sides[0], task_size) && build_side(b, r->node, 1, &sides[1], task_size);
}

static void run_tasks(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    builder local = *(builder*)user;
    local.threads = 1;
    for (size_t i = begin; i < end; ++i) {
        const range task = local.tasks[i];
        TACT_ASSERT(task.end - task.begin > local.max_leaf);
        range sides[2];
        if (divide(&local, &task, &sides[0], &sides[1])) build_node(&local, &task, sides, 0);
    }
}

typedef struct measure_job {
    const tact_bvh_box* boxes;
    const uint32_t* ids;
    reference* references;
    range* parts;
} measure_job;

static void measure_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const measure_job* job = user;
    range* part = &job->parts[begin / GRAIN];
    TACT_ASSERT(begin % GRAIN == 0 && begin < end);
    part->box = part->centroids = empty_box;
    for (size_t i = begin; i < end; ++i) {
        reference* ref = &job->references[i];
        memcpy(ref->lower, job->boxes[i].lower, sizeof ref->lower);
        memcpy(ref->upper, job->boxes[i].upper, sizeof ref->upper);
        ref->id = job->ids ? job->ids[i] : (uint32_t)i;
        const f4 c = centroid(ref);
        TACT_ASSERT(ref->lower[0] <= ref->upper[0] && ref->lower[1] <= ref->upper[1] && ref->lower[2] <= ref->upper[2]);
        grow_by_reference(&part->box, ref);
        grow(&part->centroids, c, c);
    }
}

/// Packs the nodes in depth-first order without the places that leaves left empty; measures depth and cost.
static size_t pack(const builder* b, tact_bvh_node* to, tact_bvh* bvh, double root_area)
{
    typedef struct entry {
        uint32_t node, parent, side, depth;
    } entry;
    entry stack[TACT_BVH_STACK];
    int top = 0;
    size_t used = 0;
    double cost = 0.0;
    stack[top++] = (entry){0, UINT32_MAX, 0, 1};
    while (top) {
        const entry e = stack[--top];
        TACT_ASSERT(e.depth <= TACT_BVH_MAX_DEPTH);
        const uint32_t place = (uint32_t)used++;
        TACT_ASSERT(e.parent == UINT32_MAX || e.parent < place);
        to[place] = b->nodes[e.node];
        if (e.parent != UINT32_MAX) to[e.parent].children[e.side].child = place;
        bvh->depth = e.depth > bvh->depth ? e.depth : bvh->depth;
        for (int side = 1; side >= 0; --side) {
            const tact_bvh_child* child = &to[place].children[side];
            box bounds;
            memcpy(bounds.lower, child->lower, sizeof child->lower);
            memcpy(bounds.upper, child->upper, sizeof child->upper);
            const bool leaf = (child->child & (uint32_t)TACT_BVH_LEAF_BIT) != 0;
            cost += half_area(&bounds) * (leaf ? (double)child->count : 1.0);
            TACT_ASSERT(top < TACT_BVH_STACK);
            if (!leaf) stack[top++] = (entry){child->child, place, (uint32_t)side, e.depth + 1};
        }
    }
    bvh->sah_cost = root_area > 0.0 ? 1.0 + cost / root_area : 1.0;
    return used;
}

static void single_leaf_root(tact_bvh_node* node, const range* all)
{
    TACT_ASSERT(all->begin == 0);
    memset(node, 0, sizeof *node);
    for (int side = 0; side < 2; ++side)
        node->children[side].child = (uint32_t)TACT_BVH_LEAF_BIT;
    if (all->end == 0) return;
    memcpy(node->children[0].lower, all->box.lower, sizeof node->children[0].lower);
    memcpy(node->children[0].upper, all->box.upper, sizeof node->children[0].upper);
    node->children[0].count = (uint32_t)all->end;
}

tact_result tact_bvh_build(tact_env* env, int threads, const tact_bvh_box* boxes, const uint32_t* ids, size_t count,
                           uint32_t max_leaf, uint32_t max_depth, tact_bvh* bvh)
{
    TACT_ASSERT(env);
    TACT_ASSERT(max_leaf >= 1 && max_leaf <= TACT_BVH_MAX_LEAF && max_depth <= TACT_BVH_MAX_DEPTH);
    memset(bvh, 0, sizeof *bvh);
    if (count > ((size_t)1 << 30)) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu primitives are more than a tree can hold (2^30)", count);
    }
    TACT_ASSERT(boxes || count == 0);
    builder b = {.env = env, .threads = threads, .max_leaf = max_leaf, .max_depth = max_depth};
    const size_t pieces = count / GRAIN + 1;
    range* parts = tact_allocate(env, pieces, sizeof *parts);
    b.references = tact_allocate(env, count, sizeof *b.references);
    b.scratch = tact_allocate(env, count, sizeof *b.scratch);
    b.nodes = tact_allocate(env, count ? count : 1, sizeof *b.nodes);
    bool good = parts && b.references && b.scratch && b.nodes;
    range all = {.begin = 0, .end = count, .box = empty_box, .centroids = empty_box, .depth = 1};
    if (good) {
        measure_job job = {boxes, ids, b.references, parts};
        tact_parallel_for(threads, count, GRAIN, measure_piece, &job);
        for (size_t i = 0; i * GRAIN < count; ++i) {
            grow_by(&all.box, &parts[i].box);
            grow_by(&all.centroids, &parts[i].centroids);
        }
        range sides[2];
        if (divide(&b, &all, &sides[0], &sides[1])) {
            // One thread builds the top of the tree (its loops over many references are threaded), then all build the
            // rest. Large trees get large tasks: a hundred per thread balance well enough.
            const size_t task_size = count / 64 > TASK_SIZE ? count / 64 : TASK_SIZE;
            good = build_node(&b, &all, sides, task_size);
            if (good) tact_parallel_for(threads, b.task_count, 1, run_tasks, &b);
        } else {
            single_leaf_root(&b.nodes[0], &all);
        }
    }
    if (good) {
        // The scratch of the partition is no longer needed; free it before the last allocations.
        tact_release(env, b.scratch);
        b.scratch = NULL;
        tact_bvh_node* packed = tact_allocate(env, count ? count : 1, sizeof *packed);
        bvh->order = tact_allocate(env, count, sizeof *bvh->order);
        good = packed && bvh->order;
        if (good) {
            bvh->nodes = packed;
            bvh->node_count = pack(&b, packed, bvh, half_area(&all.box));
            bvh->count = count;
            TACT_ASSERT(bvh->node_count >= 1 && bvh->node_count <= (count ? count : 1) &&
                        bvh->depth <= TACT_BVH_MAX_DEPTH);
            for (size_t i = 0; i < count; ++i)
                bvh->order[i] = b.references[i].id;
        } else {
            tact_release(env, packed);
            tact_release(env, bvh->order);
        }
    }
    tact_release(env, parts);
    tact_release(env, b.references);
    tact_release(env, b.scratch);
    tact_release(env, b.nodes);
    tact_release(env, b.tasks);
    if (!good) {
        memset(bvh, 0, sizeof *bvh);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    return TACT_OK;
}

void tact_bvh_free(tact_env* env, tact_bvh* bvh)
{
    tact_release(env, bvh->nodes);
    tact_release(env, bvh->order);
    memset(bvh, 0, sizeof *bvh);
}
