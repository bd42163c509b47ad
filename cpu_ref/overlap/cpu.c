// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The CPU's engine: threads over poses where there are many, over what is below the tops of the trees where there are
// few. Each pose's pairs are sorted, so that neither the trees nor the threads show.

#include <string.h>

#include "base/order.h"
#include "base/parallel.h"
#include "cpu_ref/overlap/engine.h"
#include "cpu_ref/pair_keys.h"

enum {
    MOST_WORKERS = 256,
    SLICE_OF_POSES = 64  ///< for each thread between two questions for progress
};

static tact_result cancelled(tact_env* env)
{
    return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled");
}

/// Of a thread, which cannot tell itself.
static tact_result no_memory(tact_env* env)
{
    return tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: pairs of triangles");
}

static int workers_of(const tact_overlap_job* job)
{
    return job->threads < 1 ? 1 : job->threads < MOST_WORKERS ? job->threads : MOST_WORKERS;
}

static tact_overlap_search* searches_begin(tact_env* env, const tact_overlap_job* job, bool any)
{
    const int workers = workers_of(job);
    tact_overlap_search* s = tact_allocate(env, (size_t)workers, sizeof *s);
    for (int w = 0; s && w < workers; ++w) {
        // The stack needs no zeroes.
        memset(&s[w], 0, offsetof(tact_overlap_search, stack));
        s[w].env = env;
        s[w].a = job->a;
        s[w].b = job->b;
        s[w].self = job->self;
        s[w].any = any;
    }
    return s;
}

static void searches_end(tact_env* env, const tact_overlap_job* job, tact_overlap_search* s)
{
    for (int w = 0; s && w < workers_of(job); ++w)
        tact_release(env, s[w].keys);
    tact_release(env, s);
}

static void begin_pose(tact_overlap_search* s, const tact_overlap_frame* frame)
{
    TACT_ASSERT(s->a && s->b && frame);
    s->frame = frame;
    s->found = false;
    s->depth = 0;
    if (s->a->tree.triangle_count == 0 || s->b->tree.triangle_count == 0) return;
    s->stack[s->depth++] = (tact_overlap_item){0, 0};
}

// ---- Sorting ----

/// What a search has found since `begin`.
static bool sort_tail(const tact_overlap_job* job, tact_overlap_search* s, size_t begin)
{
    TACT_ASSERT(begin <= s->count);
    if (!TACT_ORDERED) return true;
    const size_t count = s->count - begin;
    if (count <= TACT_PAIR_KEYS_SHORT) {
        tact_pair_keys_sort(s->keys + begin, NULL, count, 0, 0);
        return true;
    }
    void* keys = s->keys;
    if (!tact_reserve_in_loop(s->env, &keys, &s->capacity, s->count, s->count + count, sizeof *s->keys)) return false;
    s->keys = keys;
    tact_pair_keys_sort(s->keys + begin, s->keys + s->count, count, job->a->triangle_count, job->b->triangle_count);
    return true;
}

// ---- All pairs, many poses ----

/// Where a pose's pairs are.
typedef struct pose_result {
    size_t begin, count;  ///< in the worker's keys; then `begin` in the list
    int worker;
} pose_result;

typedef struct pose_loop {
    const tact_overlap_job* job;
    const tact_overlap_lanes* lanes;
    tact_overlap_search* searches;
    pose_result* results;
    uint8_t* relations;
    bool solid;
    size_t first;
    tact_overlap_list* list;
} pose_loop;

static void pairs_of_poses(size_t begin, size_t end, int worker, void* user)
{
    const pose_loop* l = user;
    tact_overlap_search* s = &l->searches[worker];
    for (size_t p = l->first + begin; p < l->first + end && !s->out_of_memory; ++p) {
        tact_overlap_frame frame;
        TACT_ASSERT(p < l->job->pose_count);
        tact_overlap_frame_make(l->job->poses[p], l->job->a, l->job->b, &frame);
        const size_t before = s->count;
        begin_pose(s, &frame);
        l->lanes->run(s);
        if (!s->out_of_memory && !sort_tail(l->job, s, before)) s->out_of_memory = true;
        l->results[p] = (pose_result){before, s->count - before, worker};
    }
}

static void write_poses(size_t begin, size_t end, int worker, void* user)
{
    const pose_loop* l = user;
    (void)worker;
    size_t to = 0;
    for (size_t p = 0; p < begin; ++p)
        to += l->results[p].count;
    for (size_t p = begin; p < end; ++p) {
        const pose_result r = l->results[p];
        TACT_ASSERT(r.begin + r.count <= l->searches[r.worker].count && to + r.count <= l->list->count);
        const uint64_t* keys = l->searches[r.worker].keys + r.begin;
        for (size_t i = 0; i < r.count; ++i)
            l->list->pairs[to++] = (tact_mesh_pair){(uint32_t)p, (uint32_t)(keys[i] >> 32), (uint32_t)keys[i]};
    }
}

static tact_result make_room(tact_env* env, tact_overlap_list* list, size_t count)
{
    void* pairs = list->pairs;
    if (!tact_reserve(env, &pairs, &list->capacity, 0, count, sizeof *list->pairs)) return TACT_ERROR_OUT_OF_MEMORY;
    list->pairs = pairs;
    list->count = count;
    return TACT_OK;
}

/// Runs a loop over all poses, in slices between which progress is asked.
static tact_result loop_over_poses(tact_env* env, pose_loop* l, size_t grain, tact_parallel_fn* function)
{
    TACT_ASSERT(grain >= 1);
    const tact_overlap_job* job = l->job;
    const size_t slice = (size_t)workers_of(job) * SLICE_OF_POSES;
    for (l->first = 0; l->first < job->pose_count;) {
        const size_t left = job->pose_count - l->first, size = job->progress && left > slice ? slice : left;
        tact_parallel_for(workers_of(job), size, grain, function, l);
        l->first += size;
        if (job->progress && !job->progress((double)l->first / (double)job->pose_count, job->progress_user)) {
            return cancelled(env);
        }
        for (int w = 0; w < workers_of(job); ++w)
            if (l->searches[w].out_of_memory) return no_memory(env);
    }
    return TACT_OK;
}

static tact_result pairs_by_poses(tact_env* env, pose_loop* l)
{
    const tact_overlap_job* job = l->job;
    l->results = tact_allocate(env, job->pose_count, sizeof *l->results);
    if (!l->results) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = loop_over_poses(env, l, 1, pairs_of_poses);
    size_t total = 0;
    for (size_t p = 0; p < job->pose_count && result == TACT_OK; ++p)
        total += l->results[p].count;
    if (result == TACT_OK) result = make_room(env, l->list, total);
    const size_t workers = (size_t)workers_of(job);
    if (result == TACT_OK) {
        tact_parallel_for((int)workers, job->pose_count, job->pose_count / workers + 1, write_poses, l);
    }
    tact_release(env, l->results);
    return result;
}

// ---- All pairs, few poses ----

enum { PIECES = 64, MOST_ROUNDS = 12 };  // of a pose, for each thread

typedef struct piece_loop {
    const tact_overlap_lanes* lanes;
    tact_overlap_search* searches;
    const tact_overlap_frame* frame;
    const tact_overlap_item* items;
    size_t first;
} piece_loop;

static void pairs_of_pieces(size_t begin, size_t end, int worker, void* user)
{
    const piece_loop* l = user;
    tact_overlap_search* s = &l->searches[worker];
    s->frame = l->frame;
    for (size_t i = l->first + begin; i < l->first + end && !s->out_of_memory; ++i) {
        s->stack[0] = l->items[i];
        s->depth = 1;
        l->lanes->run(s);
    }
}

typedef struct item_list {
    tact_overlap_item* items;
    size_t count, capacity;
} item_list;

/// Opens every item once. Pairs of groups are looked into, which takes them from the list.
static bool open_all(const tact_overlap_lanes* lanes, tact_overlap_search* s, const item_list* from, item_list* to)
{
    TACT_ASSERT(from != to);
    to->count = 0;
    for (size_t i = 0; i < from->count; ++i) {
        s->stack[0] = from->items[i];
        s->depth = 1;
        lanes->step(s);
        TACT_ASSERT(s->depth <= TACT_OVERLAP_STACK);
        void* items = to->items;
        if (s->out_of_memory ||
            !tact_reserve(s->env, &items, &to->capacity, to->count, to->count + s->depth, sizeof *to->items)) {
            to->items = items;
            return false;
        }
        to->items = items;
        // The stack gives back what was put there last; so does a search that is not cut in pieces.
        for (size_t k = s->depth; k-- > 0;)
            to->items[to->count++] = s->stack[k];
    }
    return true;
}

/// The items of a pose into lists[0].
static bool cut_in_pieces(const tact_overlap_lanes* lanes, tact_overlap_search* s, const tact_overlap_frame* frame,
                          size_t wanted, item_list lists[2])
{
    begin_pose(s, frame);
    TACT_ASSERT(s->depth <= 1);
    void* items = lists[0].items;
    if (!tact_reserve(s->env, &items, &lists[0].capacity, 0, 1, sizeof *lists[0].items)) return false;
    lists[0].items = items;
    lists[0].count = s->depth;
    lists[0].items[0] = s->stack[0];
    for (int round = 0; round < MOST_ROUNDS && lists[0].count > 0 && lists[0].count < wanted; ++round) {
        if (!open_all(lanes, s, &lists[0], &lists[1])) return false;
        const item_list swap = lists[0];
        lists[0] = lists[1];
        lists[1] = swap;
    }
    return true;
}

static tact_result run_pieces(tact_env* env, const tact_overlap_job* job, size_t pose, piece_loop* l, size_t count)
{
    TACT_ASSERT(pose < job->pose_count);
    const size_t slice = job->progress ? count / 16 + 1 : count;
    for (l->first = 0; l->first < count;) {
        const size_t left = count - l->first, size = left < slice ? left : slice;
        tact_parallel_for(workers_of(job), size, 1, pairs_of_pieces, l);
        l->first += size;
        const double done = ((double)pose + (double)l->first / (double)count) / (double)job->pose_count;
        if (job->progress && !job->progress(done, job->progress_user)) return cancelled(env);
    }
    for (int w = 0; w < workers_of(job); ++w)
        if (l->searches[w].out_of_memory) return no_memory(env);
    return TACT_OK;
}

/// Puts what all threads found for a pose at the end of the list, sorted.
static tact_result collect(tact_env* env, const tact_overlap_job* job, size_t pose, tact_overlap_search* searches,
                           tact_overlap_list* list)
{
    size_t found = 0, total = 0;
    for (int w = 0; w < workers_of(job); ++w)
        found += searches[w].count;
    void* pairs = list->pairs;
    if (!tact_add_sizes(list->count, found, &total) ||
        !tact_reserve(env, &pairs, &list->capacity, list->count, total, sizeof *list->pairs)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    list->pairs = pairs;
    uint64_t* keys = tact_allocate(env, found, 2 * sizeof *keys);
    if (!keys) return TACT_ERROR_OUT_OF_MEMORY;
    size_t at = 0;
    for (int w = 0; w < workers_of(job); ++w) {
        if (searches[w].count > 0) memcpy(keys + at, searches[w].keys, searches[w].count * sizeof *keys);
        at += searches[w].count;
        searches[w].count = 0;
    }
    if (TACT_ORDERED) tact_pair_keys_sort(keys, keys + found, found, job->a->triangle_count, job->b->triangle_count);
    TACT_ASSERT(at == found);
    for (size_t i = 0; i < found; ++i) {
        list->pairs[list->count++] = (tact_mesh_pair){(uint32_t)pose, (uint32_t)(keys[i] >> 32), (uint32_t)keys[i]};
    }
    TACT_ASSERT(list->count == total);
    tact_release(env, keys);
    return TACT_OK;
}

static tact_result pairs_by_pieces(tact_env* env, const pose_loop* poses)
{
    const tact_overlap_job* job = poses->job;
    item_list lists[2] = {{0}};
    tact_overlap_frame frame;
    piece_loop l = {.lanes = poses->lanes, .searches = poses->searches, .frame = &frame};
    tact_result result = TACT_OK;
    for (size_t p = 0; p < job->pose_count && result == TACT_OK; ++p) {
        tact_overlap_frame_make(job->poses[p], job->a, job->b, &frame);
        const size_t wanted = (size_t)PIECES * (size_t)workers_of(job);
        if (!cut_in_pieces(l.lanes, &l.searches[0], &frame, wanted, lists)) result = no_memory(env);
        l.items = lists[0].items;
        if (result == TACT_OK) result = run_pieces(env, job, p, &l, lists[0].count);
        if (result == TACT_OK) result = collect(env, job, p, l.searches, poses->list);
    }
    tact_release(env, lists[0].items);
    tact_release(env, lists[1].items);
    return result;
}

tact_result tact_overlap_pairs_cpu(tact_env* env, const tact_overlap_job* job, tact_overlap_list* list)
{
    TACT_ASSERT(job->pose_count <= UINT32_MAX && (!job->self || job->a == job->b));
    list->count = 0;
    pose_loop l = {.job = job, .lanes = tact_overlap_lanes_best(), .list = list};
    l.searches = searches_begin(env, job, false);
    if (!l.searches) return TACT_ERROR_OUT_OF_MEMORY;
    const bool many = job->pose_count >= 4 * (size_t)workers_of(job);
    const tact_result result = many ? pairs_by_poses(env, &l) : pairs_by_pieces(env, &l);
    searches_end(env, job, l.searches);
    return result;
}

// ---- Relations ----

/// Whether a pose leaves all triangles of B in range, so that its surface has no holes.
static bool is_whole(const tact_overlap_mesh* b, const float pose[12])
{
    bool sure = b->tree.triangle_count > 0;
    for (int i = 0; i < 3 && sure; ++i) {
        double size = fabs((double)pose[4 * i + 3]);
        for (int k = 0; k < 3; ++k)
            size += fabs((double)pose[4 * i + k]) * fmax(fabs((double)b->lower[k]), fabs((double)b->upper[k]));
        sure = size < 0x1p59;
    }
    for (size_t i = 0; i < b->tree.triangle_count && !sure; ++i) {
        const tact_triangle t = tact_overlap_triangle(b, b->tree.triangles[i].id), u = tact_overlap_move(pose, &t);
        if (!tact_overlap_triangle_there(&u)) return false;
    }
    return true;
}

static bool some_inside(const tact_overlap_mesh* parts, const float* pose, const tact_overlap_mesh* of,
                        const tact_overlap_frame* frame)
{
    TACT_ASSERT(parts->connected && of->connected);
    if (!of->closed) return false;
    for (size_t i = 0; i < parts->part_count; ++i) {
        const float* v = parts->positions + 3 * (size_t)parts->parts[i];
        TACT_ASSERT(parts->parts[i] < parts->vertex_count);
        tact_vec3 p = {v[0], v[1], v[2]};
        if (pose) p = tact_overlap_move_point(pose, p);
        if (tact_overlap_inside(of, frame, p)) return true;
    }
    return false;
}

static tact_mesh_relation relation_of_solids(const tact_overlap_job* job, const float pose[12],
                                             const tact_overlap_frame* frame)
{
    if (!job->a->closed && !job->b->closed) return TACT_MESHES_APART;
    if (!is_whole(job->b, pose)) return TACT_MESHES_APART;
    if (some_inside(job->a, NULL, job->b, frame)) return TACT_MESHES_A_INSIDE;
    return some_inside(job->b, pose, job->a, NULL) ? TACT_MESHES_B_INSIDE : TACT_MESHES_APART;
}

static void relations_of_poses(size_t begin, size_t end, int worker, void* user)
{
    const pose_loop* l = user;
    tact_overlap_search* s = &l->searches[worker];
    for (size_t p = l->first + begin; p < l->first + end; ++p) {
        const float* pose = l->job->poses[p];
        tact_overlap_frame frame;
        tact_overlap_frame_make(pose, l->job->a, l->job->b, &frame);
        begin_pose(s, &frame);
        l->lanes->run(s);
        tact_mesh_relation r = s->found ? TACT_MESHES_INTERSECT : TACT_MESHES_APART;
        if (!s->found && l->solid) r = relation_of_solids(l->job, pose, &frame);
        l->relations[p] = (uint8_t)r;
    }
}

tact_result tact_overlap_relations_cpu(tact_env* env, const tact_overlap_job* job, bool solid, uint8_t* relations)
{
    TACT_ASSERT(relations || job->pose_count == 0);
    pose_loop l = {.job = job, .lanes = tact_overlap_lanes_best(), .relations = relations, .solid = solid};
    l.searches = searches_begin(env, job, true);
    if (!l.searches) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = loop_over_poses(env, &l, 4, relations_of_poses);
    searches_end(env, job, l.searches);
    return result;
}
