// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "apps/bench/pairs.h"
#include "apps/bench/suite.h"
#include "apps/inputs/pick_input.h"
#include "apps/system.h"
#include "tact/cull.h"

// Queries about sets of boxes: overlapping pairs, and boxes in view.

enum { ALL = 1u << TACT_BACKEND_CPU | 1u << TACT_BACKEND_GL | 1u << TACT_BACKEND_CL };
enum { AT_REST = 0, MOVING = 1 };

typedef struct pair_work {
    tact_context* context;
    tact_volume_input boxes, moved;
    tact_volume_set* set;
    bool moving;
    uint64_t seed;
    int threads;
} pair_work;

static bool open_pairs(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                       double* setup_ms, tact_problem* problem)
{
    (void)setup_ms;
    pair_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) return tact_problem_out_of_memory(problem, "the boxes");
    w->context = input->context;
    w->moving = query->argument == MOVING;
    w->seed = input->seed;
    w->threads = input->threads;
    return tact_volume_input_make(tact_volume_scene_named("uniform"), (size_t)size, input->seed, &w->boxes, problem) &&
           tact_volume_input_like(&w->boxes, &w->moved, problem);
}

static tact_result begin_pairs(void* own)
{
    pair_work* w = own;
    tact_volume_set_destroy(w->set);
    w->set = NULL;
    return TACT_OK;
}

/// Frame 0 is a set at rest; boxes then move by up to a tenth of their width a frame.
static bool place_pairs(void* own, unsigned frame, tact_problem* problem)
{
    pair_work* w = own;
    if (!w->moving) begin_pairs(w);
    return tact_volume_input_move(&w->boxes, w->seed + 1, w->moving ? frame : 0, 0.1, &w->moved, problem);
}

static tact_result ask_pairs(void* own, const tact_query_options* options, tact_query_report* report)
{
    pair_work* w = own;
    tact_result result = TACT_OK;
    if (w->set) {
        result = tact_volume_input_move_set(&w->moved, w->set);
    } else {
        result = tact_volume_input_create_set(&w->moved, w->context, &w->set);
        if (result >= 0) result = tact_volume_input_fill_set(&w->moved, w->set);
    }
    size_t count = 0;
    if (result >= 0) result = tact_pairs_find(w->set, NULL, TACT_PAIRS_AUTO, NULL, 0, &count, options, report);
    return result;
}

static bool answer_pairs(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    (void)problem;
    const pair_work* w = own;
    size_t count = 0;
    const tact_pair* pairs = tact_pairs_last(w->set, &count);
    answer->digest = tact_digest_of(pairs, count * sizeof *pairs);
    answer->results = count;
    return true;
}

static void close_pairs(void* own)
{
    pair_work* w = own;
    if (!w) return;
    tact_volume_set_destroy(w->set);
    tact_volume_input_free(&w->boxes);
    tact_volume_input_free(&w->moved);
    free(w);
}

static bool run_peer(pair_work* w, const tact_pair_peer* peer, uint64_t repeat, double width, double* samples,
                     tact_suite_peer_result* r, tact_problem* problem)
{
    void* made = peer->open(w->boxes.count, w->threads);
    if (!made) return false;
    bool good = true;
    for (uint64_t i = 0; good && i <= repeat; ++i) {
        good = place_pairs(w, (unsigned)i, problem);
        if (!good) break;
        const bool build = !w->moving || i == 0;
        if (build && i > 0) peer->clear(made);
        const double start = tact_system_milliseconds();
        if (build) {
            good = peer->build(made, w->moved.boxes, width);
        } else {
            peer->move(made, w->moved.boxes);
        }
        const double built = tact_system_milliseconds();
        if (good) r->results = peer->find(made);
        const double end = tact_system_milliseconds();
        if (i == 0) r->build_ms = built - start;
        if (i == 0) continue;
        samples[i - 1] = end - built;
        samples[repeat + i - 1] = end - start;
    }
    peer->close(made);
    r->query = tact_spread_of(samples, (size_t)repeat);
    r->total = tact_spread_of(samples + repeat, (size_t)repeat);
    return good;
}

static bool pair_peers(void* own, uint64_t repeat, tact_suite_peer_result* results, size_t* count,
                       tact_problem* problem)
{
    pair_work* w = own;
    double* samples = calloc(2 * (size_t)repeat, sizeof *samples);
    if (!samples) return tact_problem_out_of_memory(problem, "the measurements");
    double width = 0.0;
    for (size_t i = 0; i < w->boxes.count; ++i)
        width += (double)(w->boxes.boxes[i].upper.x - w->boxes.boxes[i].lower.x) / (double)w->boxes.count;
    const tact_pair_peer* peer;
    for (size_t i = 0; *count < TACT_SUITE_PEERS && (peer = tact_pair_peer_at(i)) != NULL; ++i) {
        tact_suite_peer_result r = {.name = peer->name, .threads = peer->threaded ? w->threads : 1};
        if (run_peer(w, peer, repeat, width, samples, &r, problem)) results[(*count)++] = r;
        if (problem->text[0]) break;
    }
    free(samples);
    return !problem->text[0];
}

// ---- In view ----

typedef struct cull_work {
    tact_volume_input boxes;
    tact_culler* culler;
    tact_plane planes[TACT_FRUSTUM_PLANES];
    tact_cull_work work;
} cull_work;

static bool open_cull(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                      double* setup_ms, tact_problem* problem)
{
    (void)query, (void)setup_ms;
    cull_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) return tact_problem_out_of_memory(problem, "the boxes");
    if (!tact_volume_input_make(tact_volume_scene_named("uniform"), (size_t)size, input->seed, &w->boxes, problem))
        return false;
    const tact_bounds part = {{0.1, 0.2, 0.0}, {0.6, 0.7, 1.0}};
    const tact_pick_view view = tact_pick_camera(&part, 640, 480, 25);
    w->work = (tact_cull_work){.kind = TACT_CULL_AABBS, .volumes = w->boxes.boxes, .count = w->boxes.count};
    w->work.plane_count = tact_pick_planes(&view, w->planes);
    w->work.planes = w->planes;
    const tact_result result = tact_culler_create(input->context, &w->culler);
    return result >= 0 || tact_problem_from_result(problem, result, input->context, "culling");
}

static tact_result ask_cull(void* own, const tact_query_options* options, tact_query_report* report)
{
    cull_work* w = own;
    size_t kept = 0;
    return tact_cull(w->culler, &w->work, NULL, 0, &kept, NULL, options, report);
}

static bool answer_cull(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    (void)problem;
    const cull_work* w = own;
    size_t count = 0;
    const uint32_t* ids = tact_cull_last(w->culler, &count);
    answer->digest = tact_digest_of(ids, count * sizeof *ids);
    answer->results = count;
    return true;
}

static void close_cull(void* own)
{
    cull_work* w = own;
    if (!w) return;
    tact_culler_destroy(w->culler);
    tact_volume_input_free(&w->boxes);
    free(w);
}

#define PAIRS                                                                                                 \
    .unit = "boxes", .found = "pairs", .backends = ALL, .first = 100, .most = 10000000, .quick_most = 100000, \
    .open = open_pairs, .begin = begin_pairs, .place = place_pairs, .ask = ask_pairs, .answer = answer_pairs, \
    .peers = pair_peers, .close = close_pairs

const tact_suite_query tact_suite_volume_queries[] = {
    {.name = "cull_boxes",
     .title = "Boxes in view",
     .set = "uniform",
     .unit = "boxes",
     .found = "in view",
     .about = "Which of many boxes are in a camera's frustum; the boxes are brought to the device each time.",
     .backends = ALL,
     .first = 1000,
     .most = 10000000,
     .quick_most = 1000000,
     .reference_most = 1000000,
     .open = open_cull,
     .ask = ask_cull,
     .answer = answer_cull,
     .close = close_cull},
    {.name = "pairs",
     .title = "Overlapping pairs, of a new set",
     .set = "uniform",
     .about = "All overlapping pairs of boxes that overlap about four others each; the set is filled anew each time.",
     .reference_most = 10000,
     .argument = AT_REST,
     PAIRS},
    {.name = "pairs_frame",
     .title = "Overlapping pairs, frame by frame",
     .set = "moving",
     .about = "The same while every box moves by up to a tenth of its width a frame.",
     .reference_most = 1000,
     .moves = true,
     .argument = MOVING,
     PAIRS},
    {.name = NULL},
};
