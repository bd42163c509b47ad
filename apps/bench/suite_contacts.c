// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/suite.h"
#include "apps/inputs/body_input.h"
#include "apps/peers/peers.h"
#include "apps/system.h"

// Contacts of bodies: of a list of pairs, and of all bodies of a heap in motion.

enum { CPU = 1u << TACT_BACKEND_CPU, ALL = CPU | 1u << TACT_BACKEND_GL | 1u << TACT_BACKEND_CL };
enum { PEERS = 16 };  // at most, with one thread and with all

/// A peer on one thread or on all.
typedef struct contact_peer {
    const tact_contact_peer* peer;
    char name[48];
    int threads;
} contact_peer;

typedef struct contact_work {
    tact_context* context;
    tact_body_input input;
    tact_bodies* set;
    tact_pair* pairs;  ///< NULL: all bodies that may touch
    size_t pair_count;
    tact_pose* poses;       ///< of this frame
    tact_hull_mesh* hulls;  ///< of each shape
    uint8_t* points;        ///< of each pair, as a peer has found them
    int threads;
    bool one;        ///< asked on one thread
    bool distances;  ///< and not contacts
    double move_ms;  ///< of the last ask
    size_t touching;
    contact_peer peers[PEERS];
} contact_work;

static bool make_hulls(contact_work* w, tact_problem* problem)
{
    w->hulls = calloc(w->input.shape_count + 1, sizeof *w->hulls);
    if (!w->hulls) return tact_problem_out_of_memory(problem, "the hulls");
    for (size_t i = 0; i < w->input.shape_count; ++i) {
        const tact_body_shape* s = &w->input.shapes[i];
        if (s->kind != TACT_BODY_HULL) continue;
        const tact_result result = tact_hull_mesh_3d(s->points, s->point_count, NULL, &w->hulls[i]);
        if (result != TACT_OK) return tact_problem_from_result(problem, result, NULL, "the hulls");
    }
    return true;
}

static contact_work* open_work(const tact_suite_input* input, void** own, tact_problem* problem)
{
    contact_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) {
        tact_problem_out_of_memory(problem, "the bodies");
        return NULL;
    }
    w->context = input->context;
    w->threads = input->threads;
    return w;
}

static bool answer(void* own, tact_suite_answer* to, tact_problem* problem)
{
    (void)problem;
    const contact_work* w = own;
    size_t count = 0;
    const tact_contact* contacts = tact_contacts_last(w->set, &count);
    *to = tact_suite_items(contacts, count, sizeof *contacts);
    return true;
}

static void close_work(void* own)
{
    contact_work* w = own;
    if (!w) return;
    for (size_t i = 0; w->hulls && i < w->input.shape_count; ++i)
        tact_hull_mesh_free(&w->hulls[i]);
    tact_bodies_destroy(w->set);
    tact_body_input_free(&w->input);
    free(w->pairs);
    free(w->poses);
    free(w->hulls);
    free(w->points);
    free(w);
}

static void choose_threads(void* own, unsigned variant)
{
    ((contact_work*)own)->one = variant == 1;
}

static const tact_suite_variant by_threads[] = {
    {.name = "tact", .backends = ALL}, {.name = "tact, one thread", .backends = CPU}, {.name = NULL}};

static tact_contact_peer_input peer_input(const contact_work* w, int threads)
{
    return (tact_contact_peer_input){.shapes = w->input.shapes,
                                     .hulls = w->hulls,
                                     .shape_count = w->input.shape_count,
                                     .bodies = w->input.bodies,
                                     .body_count = w->input.count,
                                     .pairs = w->pairs,
                                     .pair_count = w->pair_count,
                                     .threads = threads};
}

// ---- Pairs ----

static const tact_body_pair_kind pair_kinds[] = {
#define STATES(a, b)                                     \
    {a, b, TACT_PAIR_APART}, {a, b, TACT_PAIR_TOUCHING}, \
    {                                                    \
        a, b, TACT_PAIR_DEEP                             \
    }
    STATES(TACT_MEASURED_BOX, TACT_MEASURED_BOX),
    {TACT_MEASURED_BOX, TACT_MEASURED_BOX, TACT_PAIR_RESTING},
    STATES(TACT_MEASURED_SPHERE, TACT_MEASURED_BOX),
    STATES(TACT_MEASURED_CAPSULE, TACT_MEASURED_BOX),
    {TACT_MEASURED_CAPSULE, TACT_MEASURED_BOX, TACT_PAIR_RESTING},
    STATES(TACT_MEASURED_SPHERE, TACT_MEASURED_SPHERE),
    STATES(TACT_MEASURED_CAPSULE, TACT_MEASURED_CAPSULE),
    STATES(TACT_MEASURED_HULL_8, TACT_MEASURED_HULL_8),
    STATES(TACT_MEASURED_HULL_32, TACT_MEASURED_HULL_32),
    STATES(TACT_MEASURED_HULL_256, TACT_MEASURED_HULL_256),
    STATES(TACT_MEASURED_BOX, TACT_MEASURED_HULL_32),
    STATES(TACT_MEASURED_SPHERE, TACT_MEASURED_MESH),
    STATES(TACT_MEASURED_CAPSULE, TACT_MEASURED_MESH),
    STATES(TACT_MEASURED_BOX, TACT_MEASURED_MESH),
#undef STATES
};

static bool open_pairs(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                       double* setup_ms, tact_problem* problem)
{
    (void)setup_ms;
    contact_work* w = open_work(input, own, problem);
    if (!w) return false;
    w->pair_count = (size_t)size;
    w->pairs = calloc(w->pair_count + 1, sizeof *w->pairs);
    w->points = calloc(w->pair_count + 1, sizeof *w->points);
    if (!w->pairs || !w->points) return tact_problem_out_of_memory(problem, "the pairs");
    for (size_t i = 0; i < w->pair_count; ++i)
        w->pairs[i] = (tact_pair){(uint32_t)(2 * i), (uint32_t)(2 * i + 1)};
    return tact_body_input_pairs(&pair_kinds[query->argument], w->pair_count, input->seed, w->context, &w->input,
                                 problem) &&
           make_hulls(w, problem) && tact_body_input_make_set(&w->input, "pairs", w->context, &w->set, problem);
}

static tact_result ask_pairs(void* own, const tact_query_options* options, tact_query_report* report)
{
    contact_work* w = own;
    tact_query_options mine = *options;
    size_t count = 0;
    if (w->one) mine.threads = 1;
    return tact_contacts_find(
        w->set, &(tact_contacts_work){.pairs = w->pairs, .pair_count = w->pair_count, .count = &count}, &mine, report);
}

/// The peer number `index` of those that take the shapes, each on all threads and on one. False: past the last one.
static bool choose_peer(const contact_work* w, size_t index, contact_peer* p)
{
    bool mesh = false;
    for (size_t s = 0; s < w->input.shape_count; ++s)
        mesh = mesh || w->input.shapes[s].kind == TACT_BODY_MESH;
    size_t left = index;
    for (size_t i = 0; index < PEERS; ++i) {
        p->peer = (w->distances ? tact_distance_peer_at : tact_contact_peer_at)(i);
        if (!p->peer) break;
        for (int way = 0; way < (w->threads > 1 ? 2 : 1); ++way) {
            p->threads = way == 0 ? w->threads : 1;
            if ((!mesh || p->threads <= p->peer->mesh_threads) && left-- == 0) return true;
        }
    }
    return false;
}

static bool open_pair_peer(void* own, size_t index, tact_contestant* who)
{
    contact_work* w = own;
    contact_peer chosen;
    if (!choose_peer(w, index, &chosen)) return false;
    contact_peer* p = &w->peers[index];
    const tact_contact_peer* peer = chosen.peer;
    *p = chosen;
    snprintf(p->name, sizeof p->name, "%s%s", peer->name, w->threads > 1 && p->threads == 1 ? ", one thread" : "");
    const tact_contact_peer_input input = peer_input(w, p->threads);
    who->peer = p;
    who->peer_name = p->name;
    who->threads = p->threads;
    who->made = peer->make(&input);
    return true;
}

static bool ask_pair_peer(void* own, tact_contestant* who, unsigned frame)
{
    (void)frame;
    contact_work* w = own;
    const contact_peer* p = who->peer;
    return p->peer->run(who->made, w->points);
}

/// Points a pair, and of a peer the pairs of which it says something else than we do: whether the two touch.
static void note_pairs(void* own, tact_contestant* who, const tact_suite_answer* expected)
{
    const contact_work* w = own;
    uint64_t points = 0;
    if (!who->peer) {
        size_t count = 0;
        const tact_contact* contacts = tact_contacts_last(w->set, &count);
        // With a mesh there is a row for each triangle.
        who->results = 0;
        for (size_t i = 0; i < count; ++i) {
            points += contacts[i].count;
            who->results += i == 0 || contacts[i].a != contacts[i - 1].a;
        }
        who->threads = w->one ? 1 : w->threads;
    } else {
        const tact_contact* right = expected ? expected->items : NULL;
        size_t next = 0;
        who->results = who->differing = 0;
        for (size_t i = 0; i < w->pair_count; ++i) {
            const size_t first = next;
            while (right && next < expected->count && right[next].a == w->pairs[i].a)
                ++next;
            const bool touches = next > first;
            points += w->points[i];
            who->results += w->points[i] > 0;
            who->differing += right && (w->points[i] > 0) != touches;
        }
    }
    who->extra = w->pair_count ? (double)points / (double)w->pair_count : 0.0;
}

static void close_pair_peer(tact_contestant* who)
{
    const contact_peer* p = who->peer;
    p->peer->release(who->made);
}

// ---- Distances ----

static bool open_distances(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                           double* setup_ms, tact_problem* problem)
{
    if (!open_pairs(query, input, size, own, setup_ms, problem)) return false;
    ((contact_work*)*own)->distances = true;
    return true;
}

static tact_result ask_distances(void* own, const tact_query_options* options, tact_query_report* report)
{
    contact_work* w = own;
    tact_query_options mine = *options;
    size_t count = 0;
    if (w->one) mine.threads = 1;
    return tact_body_distances_find(
        w->set, &(tact_body_distances_work){.pairs = w->pairs, .pair_count = w->pair_count, .count = &count}, &mine,
        report);
}

static bool answer_distances(void* own, tact_suite_answer* to, tact_problem* problem)
{
    (void)problem;
    const contact_work* w = own;
    size_t count = 0;
    const tact_body_distance_row* distances = tact_body_distances_last(w->set, &count);
    *to = tact_suite_items(distances, count, sizeof *distances);
    return true;
}

/// Of a peer the pairs of which it says something else than we do: whether the two are apart.
static void note_distances(void* own, tact_contestant* who, const tact_suite_answer* expected)
{
    const contact_work* w = own;
    if (!who->peer) {
        who->threads = w->one ? 1 : w->threads;
        return;
    }
    const tact_body_distance_row* right = expected ? expected->items : NULL;
    who->results = w->pair_count;
    who->differing = 0;
    for (size_t i = 0; right && i < w->pair_count; ++i)
        who->differing += (w->points[i] > 0) != (right[i].distance <= 0.0f);
}

// ---- Heaps ----

static tact_result begin_heap(void* own)
{
    contact_work* w = own;
    tact_problem problem = {0};
    tact_bodies_destroy(w->set);
    w->set = NULL;
    return tact_body_input_make_set(&w->input, "bodies", w->context, &w->set, &problem) ? TACT_OK
                                                                                        : TACT_ERROR_OUT_OF_MEMORY;
}

static bool open_heap(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                      double* setup_ms, tact_problem* problem)
{
    (void)setup_ms;
    contact_work* w = open_work(input, own, problem);
    if (!w) return false;
    if (!tact_body_input_make(tact_body_scene_named(query->set), (size_t)size, input->seed, &w->input, problem))
        return false;
    w->poses = calloc(w->input.count + 1, sizeof *w->poses);
    return w->poses ? make_hulls(w, problem) : tact_problem_out_of_memory(problem, "the bodies");
}

static bool place_heap(void* own, unsigned frame, tact_problem* problem)
{
    (void)problem;
    contact_work* w = own;
    tact_body_input_poses(&w->input, frame, w->poses);
    return true;
}

static tact_result ask_heap(void* own, const tact_query_options* options, tact_query_report* report)
{
    contact_work* w = own;
    tact_query_options mine = *options;
    size_t count = 0;
    if (w->one) mine.threads = 1;
    const double start = tact_system_milliseconds();
    const tact_result moved = tact_bodies_move(w->set, NULL, w->poses, w->input.count);
    w->move_ms = tact_system_milliseconds() - start;
    if (moved < 0) return moved;
    return tact_contacts_find(w->set, &(tact_contacts_work){.count = &count}, &mine, report);
}

static bool open_world(void* own, size_t index, tact_contestant* who)
{
    const contact_work* w = own;
    const tact_world_peer* peer = tact_world_peer_at(index);
    if (!peer) return false;
    const tact_contact_peer_input input = peer_input(w, 1);
    who->peer = peer;
    who->peer_name = peer->name;
    who->threads = 1;
    who->made = peer->make(&input);
    return true;
}

static bool ask_world(void* own, tact_contestant* who, unsigned frame)
{
    (void)frame;
    contact_work* w = own;
    const tact_world_peer* peer = who->peer;
    return peer->run(who->made, w->poses, &w->touching);
}

static void note_heap(void* own, tact_contestant* who, const tact_suite_answer* expected)
{
    (void)expected;
    const contact_work* w = own;
    if (who->peer) {
        who->results = w->touching;
    } else {
        who->threads = w->one ? 1 : w->threads;
        who->fill_ms = w->move_ms;
    }
}

static void close_world(tact_contestant* who)
{
    const tact_world_peer* peer = who->peer;
    peer->release(who->made);
}

// ---- Tables ----

#define PAIRS_OF(kind, state, number, most)                                                                        \
    {                                                                                                              \
        .name = kind, .set = state, .unit = "pairs", .found = "contacts", .backends = ALL, .argument = number,     \
        .reference_most = most, .variants = by_threads, .open = open_pairs, .choose = choose_threads,              \
        .ask = ask_pairs, .answer = answer, .peer = open_pair_peer, .peer_ask = ask_pair_peer, .note = note_pairs, \
        .peer_close = close_pair_peer, .close = close_work                                                         \
    }
#define DISTANCES_OF(kind, number)                                                                                   \
    {                                                                                                                \
        .name = kind, .set = "distance", .unit = "pairs", .found = "distances", .backends = ALL, .argument = number, \
        .reference_most = 20000, .variants = by_threads, .open = open_distances, .choose = choose_threads,           \
        .ask = ask_distances, .answer = answer_distances, .peer = open_pair_peer, .peer_ask = ask_pair_peer,         \
        .note = note_distances, .peer_close = close_pair_peer, .close = close_work                                   \
    }
#define STATES_OF(kind, number, most)                                                      \
    PAIRS_OF(kind, "apart", number, most), PAIRS_OF(kind, "touching", (number) + 1, most), \
        PAIRS_OF(kind, "deep", (number) + 2, most)
// The reference works out all triangles of a mesh.
enum { CONVEX_MOST = 20000, MESH_MOST = 64 };

#define HEAP                                                                                                  \
    .set = "mixed", .unit = "bodies", .backends = ALL, .moves = true, .first = 1000, .most = 1000000,         \
    .quick_most = 10000, .reference_most = 1000, .open = open_heap, .begin = begin_heap, .place = place_heap, \
    .ask = ask_heap, .answer = answer, .note = note_heap, .close = close_work

const tact_suite_query tact_suite_contact_queries[] = {
    STATES_OF("box, box", 0, CONVEX_MOST),
    PAIRS_OF("box, box", "resting", 3, CONVEX_MOST),
    STATES_OF("sphere, box", 4, CONVEX_MOST),
    STATES_OF("capsule, box", 7, CONVEX_MOST),
    PAIRS_OF("capsule, box", "resting", 10, CONVEX_MOST),
    STATES_OF("sphere, sphere", 11, CONVEX_MOST),
    STATES_OF("capsule, capsule", 14, CONVEX_MOST),
    STATES_OF("hull 8, hull 8", 17, CONVEX_MOST),
    STATES_OF("hull 32, hull 32", 20, CONVEX_MOST),
    STATES_OF("hull 256, hull 256", 23, CONVEX_MOST),
    STATES_OF("box, hull 32", 26, CONVEX_MOST),
    STATES_OF("sphere, mesh", 29, MESH_MOST),
    STATES_OF("capsule, mesh", 32, MESH_MOST),
    STATES_OF("box, mesh", 35, MESH_MOST),
    DISTANCES_OF("box, box", 0),
    DISTANCES_OF("sphere, box", 4),
    DISTANCES_OF("capsule, capsule", 14),
    DISTANCES_OF("hull 8, hull 8", 17),
    DISTANCES_OF("hull 32, hull 32", 20),
    DISTANCES_OF("hull 256, hull 256", 23),
    {.name = "bodies in motion",
     .found = "pairs that touch",
     .variants = by_threads,
     .choose = choose_threads,
     .peer = open_world,
     .peer_ask = ask_world,
     .peer_close = close_world,
     HEAP},
    {.name = NULL},
};

const tact_suite_query tact_suite_body_queries[] = {
    {.name = "contacts",
     .title = "Contacts of bodies, frame by frame",
     .found = "pairs that touch",
     .about =
         "Where the bodies of a heap touch, spheres, capsules, boxes and hulls, while each moves by up to a hundredth "
         "of its width a frame.",
     HEAP},
    {.name = NULL},
};
