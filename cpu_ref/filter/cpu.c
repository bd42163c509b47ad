// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The CPU's engine: shapes are made ready, the objects of candidate pairs get their boxes, and each pair is searched.
// Pairs of much work are cut into items, so that threads share them; at last each pair's findings are sorted, so that
// neither the cuts nor the threads show.

#include "base/parallel.h"
#include "cpu_ref/filter/engine.h"
#include "cpu_ref/pair_keys.h"

TACT_LANE_CHOICE(tact_filter_lanes, TACT_LANE_TABLES_TO_AVX2(tact_filter_lanes), tact_filter_lanes_best)

enum {
    MOST_WORKERS = 256,
    NODES_AT_ONCE = 8,
    OBJECTS_AT_ONCE = 16,
    ITEMS_AT_ONCE = 16,
    PAIRS_AT_ONCE = 64,
    BATCH = 1 << 18,  // pairs of objects, so that what is held does not grow with their number
    SLICES = 16,      // of the search, between which progress is asked
    LIGHT = 512,      // groups of a pair that is never cut
    SHARE = 16,       // a pair is cut if it has more groups than a thread's share divided by this
    PIECES = 64,      // into as many at least, for each thread
    MOST_ROUNDS = 8
};

/// An item of a pair.
typedef struct piece {
    tact_filter_item item;
    uint32_t pair;
    int worker;  ///< who did it, and which of its keys it found
    size_t begin, count;
} piece;

typedef struct piece_list {
    piece* pieces;
    size_t count, capacity;
} piece_list;

typedef struct engine {
    tact_env* env;
    const tact_filter_job* job;
    const tact_filter_lanes* lanes;
    tact_filter_ready ready;
    tact_filter_side* sides;  ///< for each object; without nodes where it is in no pair
    uint32_t* taking_part;    ///< objects
    size_t taking_count;
    size_t* first;  ///< of the nodes on level 1 of those, counted through; taking_count + 1 entries
    tact_filter_node* nodes;
    size_t node_count;
    tact_filter_search* searches;
    piece_list pieces;
    size_t first_pair, pair_count;  ///< of a batch
    size_t first_piece;             ///< of a slice
    size_t* pair_piece;             ///< of each pair of the batch, and one more entry
    size_t* pair_place;             ///< its place among the batch's findings, likewise
    uint64_t *keys, *spare;
    size_t most_keys;  ///< of any batch
    tact_filter_pair* found;
} engine;

static int workers_of(const tact_filter_job* job)
{
    return job->threads < 1 ? 1 : job->threads < MOST_WORKERS ? job->threads : MOST_WORKERS;
}

static tact_result ask(engine* e, double done)
{
    const tact_filter_job* job = e->job;
    if (!job->progress || job->progress(done, job->progress_user)) return TACT_OK;
    return tact_fail(e->env, TACT_ERROR_CANCELLED, "cancelled");
}

// ---- Objects ----

/// The objects of candidate pairs, and their shapes made ready.
static tact_result gather_objects(engine* e)
{
    const tact_filter_job* job = e->job;
    bool* wanted = tact_allocate_zeroed(e->env, job->shape_count, sizeof *wanted);
    bool* taking = tact_allocate_zeroed(e->env, job->object_count, sizeof *taking);
    tact_result result = wanted && taking ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < job->candidate_count && result == TACT_OK; ++i)
        taking[job->candidates[i].a] = taking[job->candidates[i].b] = true;
    for (size_t i = 0; i < job->object_count && result == TACT_OK; ++i) {
        TACT_ASSERT(job->objects[i].shape < job->shape_count);
        if (!taking[i]) continue;
        wanted[job->objects[i].shape] = true;
        e->taking_part[e->taking_count++] = (uint32_t)i;
    }
    if (result == TACT_OK) result = tact_filter_make_ready(e->env, job, wanted, &e->ready);
    tact_release(e->env, wanted);
    tact_release(e->env, taking);
    return result;
}

static tact_result make_sides(engine* e)
{
    size_t nodes = 0;
    e->first[0] = 0;
    for (size_t i = 0; i < e->taking_count; ++i) {
        const tact_filter_rows* rows = &e->ready.rows[e->job->objects[e->taking_part[i]].shape];
        e->first[i + 1] = e->first[i] + (rows->levels > 0 ? rows->level_begin[1] : 0);
        nodes += rows->level_begin[rows->levels];
    }
    e->node_count = nodes;
    e->nodes = tact_allocate(e->env, nodes, sizeof *e->nodes);
    if (!e->nodes) return TACT_ERROR_OUT_OF_MEMORY;
    tact_filter_node* next = e->nodes;
    for (size_t i = 0; i < e->taking_count; ++i) {
        const tact_filter_object* o = &e->job->objects[e->taking_part[i]];
        const tact_filter_rows* rows = &e->ready.rows[o->shape];
        e->sides[e->taking_part[i]] = (tact_filter_side){rows, o->pose, next};
        next += rows->level_begin[rows->levels];
    }
    TACT_ASSERT(next == e->nodes + nodes);
    return TACT_OK;
}

static void fit_groups(size_t begin, size_t end, int worker, void* user)
{
    const engine* e = user;
    (void)worker;
    size_t at = tact_filter_find(e->first, e->taking_count, begin);
    for (size_t i = begin; i < end; ++i) {
        while (i >= e->first[at + 1])
            ++at;
        const tact_filter_side* s = &e->sides[e->taking_part[at]];
        const uint32_t node = (uint32_t)(i - e->first[at]), group = TACT_WIDE * node;
        TACT_ASSERT(group < s->rows->group_count);
        const uint32_t left = s->rows->group_count - group;
        e->lanes->fit(s->pose, s->rows->groups + group, left < TACT_WIDE ? left : TACT_WIDE, &s->nodes[node]);
    }
}

/// Box i of a node: around all boxes of the node below; empty without one.
static void set_box(tact_filter_node* n, uint32_t i, const tact_filter_node* of)
{
    for (int k = 0; k < 3; ++k) {
        float low = INFINITY, high = -INFINITY;
        for (uint32_t c = 0; of && c < TACT_WIDE; ++c) {
            low = of->lower[k][c] < low ? of->lower[k][c] : low;
            high = of->upper[k][c] > high ? of->upper[k][c] : high;
        }
        n->lower[k][i] = low;
        n->upper[k][i] = high;
    }
}

static void fit_nodes(size_t begin, size_t end, int worker, void* user)
{
    const engine* e = user;
    (void)worker;
    for (size_t at = begin; at < end; ++at) {
        const tact_filter_side* s = &e->sides[e->taking_part[at]];
        for (uint32_t level = 2; level <= s->rows->levels; ++level) {
            const uint32_t below = s->rows->level_begin[level - 2], here = s->rows->level_begin[level - 1];
            for (uint32_t n = here; n < s->rows->level_begin[level]; ++n) {
                for (uint32_t i = 0; i < TACT_WIDE; ++i) {
                    const uint32_t child = below + TACT_WIDE * (n - here) + i;
                    set_box(&s->nodes[n], i, child < here ? &s->nodes[child] : NULL);
                }
            }
        }
    }
}

static tact_result move_objects(engine* e)
{
    const size_t objects = e->job->object_count;
    e->sides = tact_allocate_zeroed(e->env, objects, sizeof *e->sides);
    e->taking_part = tact_allocate(e->env, objects, sizeof *e->taking_part);
    if (!e->sides || !e->taking_part) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = gather_objects(e);
    if (result != TACT_OK) return result;
    e->first = tact_allocate(e->env, e->taking_count + 1, sizeof *e->first);
    result = e->first ? make_sides(e) : TACT_ERROR_OUT_OF_MEMORY;
    if (result != TACT_OK) return result;
    tact_parallel_for(workers_of(e->job), e->first[e->taking_count], NODES_AT_ONCE, fit_groups, e);
    tact_parallel_for(workers_of(e->job), e->taking_count, OBJECTS_AT_ONCE, fit_nodes, e);
    return TACT_OK;
}

// ---- Pieces ----

static bool add_piece(engine* e, piece_list* list, uint32_t pair, tact_filter_item item)
{
    TACT_ASSERT(pair < e->job->candidate_count);
    if (list->count == list->capacity) {
        void* pieces = list->pieces;
        if (!tact_reserve(e->env, &pieces, &list->capacity, list->count, list->count + 1, sizeof *list->pieces)) {
            return false;
        }
        list->pieces = pieces;
    }
    list->pieces[list->count++] = (piece){.item = item, .pair = pair};
    return true;
}

static void take_sides(const engine* e, uint32_t pair, tact_filter_search* s)
{
    TACT_ASSERT(pair < e->job->candidate_count);
    TACT_ASSERT(e->job->candidates[pair].a < e->job->candidates[pair].b);
    TACT_ASSERT(e->job->candidates[pair].b < e->job->object_count);
    s->a = e->sides[e->job->candidates[pair].a];
    s->b = e->sides[e->job->candidates[pair].b];
}

/// Opens pieces of one pair once, those that can be.
static bool open_all(engine* e, const piece_list* from, piece_list* to)
{
    TACT_ASSERT(from != to);
    tact_filter_search* s = &e->searches[0];
    to->count = 0;
    for (size_t i = 0; i < from->count; ++i) {
        const piece* p = &from->pieces[i];
        s->stack[0] = p->item;
        s->depth = 1;
        if (p->item.level_a > 0 || p->item.level_b > 0) e->lanes->open(s);
        TACT_ASSERT(s->depth <= TACT_FILTER_STACK);
        for (; s->depth > 0; --s->depth)
            if (!add_piece(e, to, p->pair, s->stack[s->depth - 1])) return false;
    }
    s->depth = 0;
    return true;
}

static bool cut(engine* e, uint32_t pair, tact_filter_item root, piece_list lists[2])
{
    const size_t wanted = (size_t)PIECES * (size_t)workers_of(e->job);
    lists[0].count = 0;
    take_sides(e, pair, &e->searches[0]);
    if (!add_piece(e, &lists[0], pair, root)) return false;
    for (int round = 0; round < MOST_ROUNDS && lists[0].count > 0 && lists[0].count < wanted; ++round) {
        if (!open_all(e, &lists[0], &lists[1])) return false;
        const piece_list swap = lists[0];
        lists[0] = lists[1];
        lists[1] = swap;
    }
    for (size_t i = 0; i < lists[0].count; ++i)
        if (!add_piece(e, &e->pieces, pair, lists[0].pieces[i].item)) return false;
    return true;
}

static size_t groups_of(const engine* e, size_t pair)
{
    const tact_pair* c = &e->job->candidates[pair];
    TACT_ASSERT(e->sides[c->a].rows && e->sides[c->b].rows);
    return (size_t)e->sides[c->a].rows->group_count + e->sides[c->b].rows->group_count;
}

/// Each pair's pieces, one pair after the other.
static tact_result make_pieces(engine* e)
{
    const size_t count = e->pair_count;
    const int workers = workers_of(e->job);
    double all = 0.0;
    for (size_t i = 0; i < count; ++i)
        all += (double)groups_of(e, e->first_pair + i);
    const double heavy = fmax(LIGHT, all / (SHARE * (double)workers));
    piece_list lists[2] = {{0}};
    bool enough = true;
    e->pieces.count = 0;
    for (size_t i = 0; i < count && enough; ++i) {
        const size_t pair = e->first_pair + i;
        e->pair_piece[i] = e->pieces.count;
        const tact_pair* c = &e->job->candidates[pair];
        const tact_filter_rows *a = e->sides[c->a].rows, *b = e->sides[c->b].rows;
        const tact_filter_item root = {0, 0, (uint16_t)a->levels, (uint16_t)b->levels};
        if (a->levels == 0 || b->levels == 0) continue;
        const bool alone = workers == 1 && !e->job->progress;
        if (!alone && (double)groups_of(e, pair) > heavy)
            enough = cut(e, (uint32_t)pair, root, lists);
        else
            enough = add_piece(e, &e->pieces, (uint32_t)pair, root);
    }
    e->pair_piece[count] = e->pieces.count;
    TACT_ASSERT(e->first_pair + count <= e->job->candidate_count && count <= BATCH);
    tact_release(e->env, lists[0].pieces);
    tact_release(e->env, lists[1].pieces);
    return enough ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

// ---- Search ----

static void search_pieces(size_t begin, size_t end, int worker, void* user)
{
    const engine* e = user;
    tact_filter_search* s = &e->searches[worker];
    for (size_t i = e->first_piece + begin; i < e->first_piece + end && !s->out_of_memory; ++i) {
        piece* p = &e->pieces.pieces[i];
        TACT_ASSERT(i < e->pieces.count);
        take_sides(e, p->pair, s);
        p->worker = worker;
        p->begin = s->count;
        s->stack[0] = p->item;
        s->depth = 1;
        e->lanes->run(s);
        TACT_ASSERT(s->depth == 0 || s->out_of_memory);
        p->count = s->count - p->begin;
    }
}

/// Of a thread, which cannot tell itself.
static tact_result no_memory(engine* e)
{
    size_t found = 0;
    for (int w = 0; w < workers_of(e->job); ++w)
        found += e->searches[w].count;
    return tact_fail(e->env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: %zu pairs of triangles and more", found);
}

static tact_result search(engine* e)
{
    const size_t count = e->pieces.count, slice = e->job->progress ? count / SLICES + 1 : count;
    const int workers = workers_of(e->job);
    const size_t grain = count / ((size_t)workers * PIECES) + 1;
    for (e->first_piece = 0; e->first_piece < count;) {
        const size_t left = count - e->first_piece, size = left < slice ? left : slice;
        tact_parallel_for(workers, size, grain < ITEMS_AT_ONCE ? grain : ITEMS_AT_ONCE, search_pieces, e);
        e->first_piece += size;
        for (int w = 0; w < workers; ++w)
            if (e->searches[w].out_of_memory) return no_memory(e);
        const double done = (double)e->first_pair + (double)e->first_piece / (double)count * (double)e->pair_count;
        const tact_result result = ask(e, done / (double)e->job->candidate_count);
        if (result != TACT_OK) return result;
    }
    return TACT_OK;
}

// ---- The result ----

static void write_pairs(size_t begin, size_t end, int worker, void* user)
{
    const engine* e = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const size_t place = e->pair_place[i], count = e->pair_place[i + 1] - place;
        if (count == 0) continue;
        uint64_t* keys = e->keys + place;
        size_t at = 0;
        for (size_t k = e->pair_piece[i]; k < e->pair_piece[i + 1]; ++k) {
            const piece* p = &e->pieces.pieces[k];
            if (p->count > 0) memcpy(keys + at, e->searches[p->worker].keys + p->begin, p->count * sizeof *keys);
            at += p->count;
        }
        TACT_ASSERT(at == count);
        const tact_pair* c = &e->job->candidates[e->first_pair + i];
        const tact_mesh_desc* shapes = e->job->shapes;
        tact_pair_keys_sort(keys, e->spare + place, count, shapes[e->job->objects[c->a].shape].triangle_count,
                            shapes[e->job->objects[c->b].shape].triangle_count);
        for (size_t k = 0; k < count; ++k)
            e->found[place + k] = (tact_filter_pair){c->a, c->b, (uint32_t)(keys[k] >> 32), (uint32_t)keys[k]};
    }
}

/// Room for the findings of a batch: at the end of the list, and as keys.
static tact_result make_room(engine* e, size_t found, tact_filter_list* list)
{
    if (found > UINT32_MAX - list->count) {
        return tact_fail(e->env, TACT_ERROR_LIMIT, "%zu pairs of triangles and more; at most 2^32 - 1",
                         list->count + found);
    }
    void* pairs = list->pairs;
    const size_t total = list->count + found;
    if (!tact_reserve(e->env, &pairs, &list->capacity, list->count, total, sizeof *list->pairs)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    list->pairs = pairs;
    e->found = list->pairs + list->count;
    e->most_keys = found > e->most_keys ? found : e->most_keys;
    e->keys = tact_allocate(e->env, found, sizeof *e->keys);
    e->spare = tact_allocate(e->env, found, sizeof *e->spare);
    TACT_ASSERT(list->capacity >= total);
    return e->keys && e->spare ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// Adds what was found for the batch's pairs to the list, in order.
static tact_result collect(engine* e, tact_filter_list* list)
{
    const size_t count = e->pair_count;
    size_t total = 0;
    for (size_t i = 0; i < count; ++i) {
        e->pair_place[i] = total;
        for (size_t k = e->pair_piece[i]; k < e->pair_piece[i + 1]; ++k)
            total += e->pieces.pieces[k].count;
    }
    e->pair_place[count] = total;
    TACT_ASSERT(!e->keys && !e->spare);
    if (total == 0) return TACT_OK;
    const tact_result result = make_room(e, total, list);
    if (result == TACT_OK) {
        tact_parallel_for(workers_of(e->job), count, PAIRS_AT_ONCE, write_pairs, e);
        list->count += total;
    }
    tact_release(e->env, e->keys);
    tact_release(e->env, e->spare);
    e->keys = e->spare = NULL;
    for (int w = 0; w < workers_of(e->job); ++w)
        e->searches[w].count = 0;
    return result;
}

static tact_result begin_searches(engine* e)
{
    TACT_ASSERT(!e->searches && !e->pair_piece);
    const size_t workers = (size_t)workers_of(e->job);
    const size_t most = e->job->candidate_count < BATCH ? e->job->candidate_count : BATCH;
    e->searches = tact_allocate(e->env, workers, sizeof *e->searches);
    for (size_t w = 0; e->searches && w < workers; ++w) {
        // The stack needs no zeroes.
        memset(&e->searches[w], 0, offsetof(tact_filter_search, stack));
        e->searches[w].env = e->env;
    }
    e->pair_piece = tact_allocate(e->env, most + 1, sizeof *e->pair_piece);
    e->pair_place = tact_allocate(e->env, most + 1, sizeof *e->pair_place);
    return e->searches && e->pair_piece && e->pair_place ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static tact_result search_candidates(engine* e, tact_filter_list* list)
{
    tact_result result = begin_searches(e);
    while (e->first_pair < e->job->candidate_count && result == TACT_OK) {
        const size_t left = e->job->candidate_count - e->first_pair;
        e->pair_count = left < BATCH ? left : BATCH;
        result = make_pieces(e);
        if (result == TACT_OK) result = search(e);
        if (result == TACT_OK) result = collect(e, list);
        e->first_pair += e->pair_count;
    }
    return result;
}

/// What it held at most, nearly: the lists only grow. Making shapes ready takes more for a moment, and so does cutting.
static uint64_t working_bytes(const engine* e)
{
    const tact_filter_job* job = e->job;
    const size_t batch = job->candidate_count < BATCH ? job->candidate_count : BATCH;
    uint64_t groups = 0, keys = 0;
    for (size_t i = 0; i < job->shape_count && e->ready.rows; ++i)
        groups += e->ready.rows[i].group_count;
    for (int w = 0; w < workers_of(job) && e->searches; ++w)
        keys += e->searches[w].capacity;
    return groups * sizeof *e->ready.groups + job->shape_count * sizeof *e->ready.rows +
           job->object_count * (sizeof *e->sides + sizeof *e->taking_part) + e->taking_count * sizeof *e->first +
           e->node_count * sizeof *e->nodes + (uint64_t)workers_of(job) * sizeof *e->searches +
           (keys + 2 * (uint64_t)e->most_keys) * sizeof *e->keys + e->pieces.capacity * sizeof *e->pieces.pieces +
           2 * (uint64_t)batch * sizeof *e->pair_piece;
}

tact_result tact_filter_cpu(tact_env* env, const tact_filter_job* job, tact_filter_list* list)
{
    TACT_ASSERT(job->candidate_count == 0 || (job->boxes && job->candidates));
    engine e = {.env = env, .job = job, .lanes = tact_filter_lanes_best()};
    list->count = 0;
    list->working_bytes = 0;
    tact_result result = ask(&e, 0.0);
    if (result != TACT_OK || job->candidate_count == 0) return result;
    result = move_objects(&e);
    if (result == TACT_OK) result = search_candidates(&e, list);
    list->working_bytes = working_bytes(&e);
    for (int w = 0; e.searches && w < workers_of(job); ++w)
        tact_release(env, e.searches[w].keys);
    void* const all[] = {e.searches, e.sides,         e.taking_part, e.first,
                         e.nodes,    e.pieces.pieces, e.pair_piece,  e.pair_place};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
        tact_release(env, all[i]);
    tact_filter_unready(env, &e.ready);
    return result;
}
