// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "apps/bench/suite.h"
#include "apps/inputs/body_input.h"
#include "apps/peers/peers.h"

// Casts of rays and shapes through a heap of bodies, from above into it.

enum { CPU = 1u << TACT_BACKEND_CPU, ALL = CPU | 1u << TACT_BACKEND_GL | 1u << TACT_BACKEND_CL };

/// What is cast.
typedef enum cast_kind { RAYS, SPHERES, BOXES, HULLS, BOXES_THAT_TURN, MESHES, MESHES_THAT_TURN } cast_kind;

typedef struct cast_work {
    cast_kind kind;
    tact_body_input input;
    tact_bodies* set;
    tact_body_cast* casts;
    size_t count;
    double* fractions;  ///< as the peer has found them
    int threads;
    bool one;  ///< asked on one thread
} cast_work;

/// The rings and columns of a ball of triangles.
enum { RINGS = 12, COLUMNS = 24 };

static bool add_ball(tact_body_input* input, tact_problem* problem)
{
    tact_vec3 points[(RINGS + 1) * COLUMNS];
    uint32_t triangles[6 * RINGS * COLUMNS], *to = triangles;
    for (uint32_t i = 0; i < (RINGS + 1) * COLUMNS; ++i) {
        const double up = 3.14159265358979 * (i / COLUMNS) / RINGS, round = 6.28318530717959 * (i % COLUMNS) / COLUMNS;
        points[i] = (tact_vec3){(float)(0.5 * sin(up) * cos(round)), (float)(0.5 * cos(up)),
                                (float)(0.5 * sin(up) * sin(round))};
    }
    for (uint32_t i = 0; i < RINGS * COLUMNS; ++i) {
        const uint32_t next = i / COLUMNS * COLUMNS + (i + 1) % COLUMNS;
        const uint32_t both[6] = {i, next, i + COLUMNS, next, next + COLUMNS, i + COLUMNS};
        for (int k = 0; k < 6; ++k)
            *to++ = both[k];
    }
    const tact_body_shape mesh = {.kind = TACT_BODY_MESH,
                                  .points = points,
                                  .point_count = (RINGS + 1) * COLUMNS,
                                  .triangles = triangles,
                                  .triangle_count = (size_t)2 * RINGS * COLUMNS};
    return tact_body_input_add_shape(input, &mesh, problem);
}

static bool add_cast_shape(tact_body_input* input, cast_kind kind, uint64_t seed, tact_problem* problem)
{
    tact_random random = {seed + 2};
    switch (kind) {
        case RAYS:
            return tact_body_input_add_shape(input, &(tact_body_shape){.kind = TACT_BODY_SPHERE}, problem);
        case SPHERES:
            return tact_body_input_add_shape(input, &(tact_body_shape){.kind = TACT_BODY_SPHERE, .radius = 0.4f},
                                             problem);
        case BOXES:
        case BOXES_THAT_TURN:
            return tact_body_input_add_shape(
                input, &(tact_body_shape){.kind = TACT_BODY_BOX, .half = {0.5f, 0.25f, 0.3f}}, problem);
        case HULLS:
            return tact_body_input_add_hull(input, &random, 32, problem);
        default:
            return add_ball(input, problem);
    }
}

static bool turns(cast_kind kind)
{
    return kind == BOXES_THAT_TURN || kind == MESHES_THAT_TURN;
}

/// Every body has the last shape, as large as it was.
static void take_last_shape(tact_body_input* input)
{
    for (size_t i = 1; i < input->count; ++i) {
        input->bodies[i].shape = (uint32_t)(input->shape_count - 1);
        input->bodies[i].pose.scale = 1.0f;
    }
}

static bool open_casts(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                       double* setup_ms, tact_problem* problem)
{
    (void)setup_ms;
    cast_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) return tact_problem_out_of_memory(problem, "the casts");
    const cast_kind kind = w->kind = (cast_kind)query->argument;
    w->threads = input->threads;
    w->count = (size_t)size;
    w->casts = calloc(w->count + 1, sizeof *w->casts);
    w->fractions = calloc(w->count + 1, sizeof *w->fractions);
    if (!w->casts || !w->fractions) return tact_problem_out_of_memory(problem, "the casts");
    if (!tact_body_input_make(tact_body_scene_named("mixed"), w->count + 1, input->seed, &w->input, problem) ||
        !add_cast_shape(&w->input, kind, input->seed, problem))
        return false;
    if (kind >= MESHES) take_last_shape(&w->input);
    const tact_body of = {.shape = (uint32_t)(w->input.shape_count - 1), .pose.scale = 1.0f};
    tact_body_input_casts(&w->input, &of, turns(kind), input->seed, w->count, w->casts);
    return tact_body_input_make_set(&w->input, "casts", input->context, &w->set, problem);
}

static void choose_threads(void* own, unsigned variant)
{
    ((cast_work*)own)->one = variant == 1;
}

static tact_result ask(void* own, const tact_query_options* options, tact_query_report* report)
{
    cast_work* w = own;
    tact_query_options mine = *options;
    size_t count = 0;
    if (w->one) mine.threads = 1;
    return tact_body_casts_find(
        w->set, &(tact_body_casts_work){.casts = w->casts, .cast_count = w->count, .count = &count}, &mine, report);
}

static bool answer(void* own, tact_suite_answer* to, tact_problem* problem)
{
    (void)problem;
    const cast_work* w = own;
    size_t count = 0;
    const tact_body_cast_hit* hits = tact_body_casts_last(w->set, &count);
    *to = tact_suite_items(hits, count, sizeof *hits);
    return true;
}

static bool open_peer(void* own, size_t index, tact_contestant* who)
{
    const cast_work* w = own;
    // What turns, and meshes, it does not take.
    const tact_cast_peer* peer = w->kind <= HULLS ? tact_cast_peer_at(index) : NULL;
    if (!peer) return false;
    const tact_contact_peer_input input = {.shapes = w->input.shapes,
                                           .shape_count = w->input.shape_count,
                                           .bodies = w->input.bodies,
                                           .body_count = w->input.count,
                                           .threads = 1};
    who->peer = peer;
    who->peer_name = peer->name;
    who->threads = 1;
    who->made = peer->make(&input, w->casts, w->count);
    return true;
}

static bool ask_peer(void* own, tact_contestant* who, unsigned frame)
{
    (void)frame;
    cast_work* w = own;
    const tact_cast_peer* peer = who->peer;
    return peer->run(who->made, w->fractions);
}

/// Of a peer the casts of which it says something else than ours: whether they touch, and when, to a hundredth of a
/// way.
static void note(void* own, tact_contestant* who, const tact_suite_answer* expected)
{
    const cast_work* w = own;
    const tact_body_cast_hit* right = expected ? expected->items : NULL;
    if (!who->peer) {
        who->threads = w->one ? 1 : w->threads;
        who->results = 0;
        for (size_t i = 0; right && i < w->count; ++i)
            who->results += right[i].body != TACT_NONE;
        return;
    }
    who->results = who->differing = 0;
    for (size_t i = 0; i < w->count; ++i) {
        const bool touches = w->fractions[i] <= 1.0;
        who->results += touches;
        if (right) {
            who->differing += touches != (right[i].body != TACT_NONE) ||
                              (touches && fabs(w->fractions[i] - right[i].fraction) > 0.01);
        }
    }
}

static void close_peer(tact_contestant* who)
{
    const tact_cast_peer* peer = who->peer;
    peer->release(who->made);
}

static void close_casts(void* own)
{
    cast_work* w = own;
    if (!w) return;
    tact_bodies_destroy(w->set);
    tact_body_input_free(&w->input);
    free(w->casts);
    free(w->fractions);
    free(w);
}

static const tact_suite_variant by_threads[] = {
    {.name = "tact", .backends = ALL}, {.name = "tact, one thread", .backends = CPU}, {.name = NULL}};

#define CASTS_OF(what, number, most)                                                                              \
    {                                                                                                             \
        .name = what, .set = "cast", .unit = "casts", .found = "hits", .backends = ALL, .argument = number,       \
        .reference_most = most, .variants = by_threads, .open = open_casts, .choose = choose_threads, .ask = ask, \
        .answer = answer, .peer = open_peer, .peer_ask = ask_peer, .note = note, .peer_close = close_peer,        \
        .close = close_casts                                                                                      \
    }

const tact_suite_query tact_suite_cast_queries[] = {
    CASTS_OF("rays", RAYS, 2000),
    CASTS_OF("spheres", SPHERES, 2000),
    CASTS_OF("boxes", BOXES, 2000),
    CASTS_OF("hulls 32", HULLS, 2000),
    CASTS_OF("boxes that turn", BOXES_THAT_TURN, 2000),
    CASTS_OF("meshes", MESHES, 0),
    CASTS_OF("meshes that turn", MESHES_THAT_TURN, 0),
    {.name = NULL},
};
