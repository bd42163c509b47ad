// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "apps/bench/suite.h"
#include "apps/inputs/pick_input.h"
#include "apps/peers/peers.h"
#include "apps/system.h"
#include "tact/cull.h"

// Queries about sets of boxes: overlapping pairs, and boxes in view.

enum { ALL = 1u << TACT_BACKEND_CPU | 1u << TACT_BACKEND_GL | 1u << TACT_BACKEND_CL };
enum { AT_REST = 0, MOVING = 1, FEW_MOVING = 2 };
enum { ONE_IN = 100 };  // moves, where few do

typedef struct pair_work {
    tact_context* context;
    tact_volume_input boxes, moved;
    bool given;  ///< the boxes are not its own
    tact_volumes* set;
    tact_pairs_method method;
    double fill_ms;  ///< of the last ask
    bool moving, few;
    tact_volume_input next;  ///< of few: where all would be
    uint32_t* ids;           ///< of those that move
    tact_aabb* places;       ///< theirs
    size_t id_count;
    uint64_t seed;
    int threads;
    double width;  ///< mean
} pair_work;

static bool open_pairs(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                       double* setup_ms, tact_problem* problem)
{
    (void)setup_ms;
    pair_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) return tact_problem_out_of_memory(problem, "the boxes");
    w->context = input->context;
    w->moving = query->argument != AT_REST;
    w->few = query->argument == FEW_MOVING;
    w->seed = input->seed;
    w->threads = input->threads;
    w->given = input->boxes != NULL;
    if (w->given)
        w->boxes = *input->boxes;
    else if (!tact_volume_input_make(tact_volume_scene_named("uniform"), (size_t)size, input->seed, &w->boxes, problem))
        return false;
    for (size_t i = 0; i < w->boxes.count; ++i)
        w->width += (double)(w->boxes.boxes[i].upper.x - w->boxes.boxes[i].lower.x) / (double)w->boxes.count;
    if (!tact_volume_input_like(&w->boxes, &w->moved, problem)) return false;
    if (!w->few) return true;
    w->ids = calloc(w->boxes.count / ONE_IN + 1, sizeof *w->ids);
    w->places = calloc(w->boxes.count / ONE_IN + 1, sizeof *w->places);
    if (!w->ids || !w->places) return tact_problem_out_of_memory(problem, "the boxes");
    return tact_volume_input_like(&w->boxes, &w->next, problem);
}

static tact_result begin_pairs(void* own)
{
    pair_work* w = own;
    tact_volumes_destroy(w->set);
    w->set = NULL;
    return TACT_OK;
}

/// Others of the boxes each time move by as much as a box moves in a frame.
static bool place_few(pair_work* w, unsigned frame, tact_problem* problem)
{
    const unsigned step = 1 + (frame - 1) / ONE_IN;
    if (!tact_volume_input_move(&w->boxes, w->seed + 1, step, 0.1, &w->next, problem)) return false;
    w->id_count = 0;
    for (size_t i = frame % ONE_IN; i < w->boxes.count; i += ONE_IN) {
        w->moved.boxes[i] = w->next.boxes[i];
        w->places[w->id_count] = w->next.boxes[i];
        w->ids[w->id_count++] = (uint32_t)i;
    }
    return true;
}

/// Frame 0 is a set at rest; boxes then move by up to a tenth of their width a frame.
static bool place_pairs(void* own, unsigned frame, tact_problem* problem)
{
    pair_work* w = own;
    if (!w->moving) begin_pairs(w);
    if (w->few && frame > 0) return place_few(w, frame, problem);
    return tact_volume_input_move(&w->boxes, w->seed + 1, w->moving ? frame : 0, 0.1, &w->moved, problem);
}

static tact_result ask_pairs(void* own, const tact_query_options* options, tact_query_report* report)
{
    pair_work* w = own;
    tact_result result = TACT_OK;
    const double start = tact_system_milliseconds();
    if (w->set && w->few) {
        result = tact_volumes_move_aabbs(w->set, w->ids, w->places, w->id_count);
    } else if (w->set) {
        result = tact_volume_input_move_set(&w->moved, w->set);
    } else {
        result = tact_volume_input_create_set(&w->moved, w->context, &w->set);
        if (result >= 0) result = tact_volume_input_fill_set(&w->moved, w->set);
    }
    w->fill_ms = tact_system_milliseconds() - start;
    size_t count = 0;
    if (result >= 0)
        result = tact_pairs_find(w->set, &(tact_pairs_work){.method = w->method, .count = &count}, options, report);
    tact_pairs_info info;
    if (result < 0 || w->method == TACT_PAIRS_AUTO) return result;
    // Another method than the one that is asked for is no answer.
    result = tact_pairs_get_info(w->set, &info);
    return result >= 0 && info.method != w->method ? TACT_ERROR_UNSUPPORTED : result;
}

static void choose_method(void* own, unsigned variant)
{
    pair_work* w = own;
    w->method = (tact_pairs_method)variant;
}

static bool answer_pairs(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    (void)problem;
    const pair_work* w = own;
    size_t count = 0;
    const tact_pair* pairs = tact_pairs_last(w->set, &count);
    *answer = tact_suite_items(pairs, count, sizeof *pairs);
    return true;
}

static void close_pairs(void* own)
{
    pair_work* w = own;
    if (!w) return;
    tact_volumes_destroy(w->set);
    if (!w->given) tact_volume_input_free(&w->boxes);
    tact_volume_input_free(&w->moved);
    tact_volume_input_free(&w->next);
    free(w->ids);
    free(w->places);
    free(w);
}

// ---- Peers ----

static bool open_pair_peer(void* own, size_t index, tact_contestant* who)
{
    const pair_work* w = own;
    const tact_pair_peer* peer = tact_pair_peer_at(index);
    if (!peer) return false;
    who->peer = peer;
    who->peer_name = peer->name;
    who->threads = peer->threaded ? w->threads : 1;
    who->made = peer->open(w->boxes.count, w->threads);
    return true;
}

static bool ask_pair_peer(void* own, tact_contestant* who, unsigned frame)
{
    const pair_work* w = own;
    const tact_pair_peer* peer = who->peer;
    bool good = true;
    const double start = tact_system_milliseconds();
    if (!w->moving || frame == 0)
        good = peer->build(who->made, w->moved.boxes, w->width);
    else
        peer->move(who->made, w->moved.boxes);
    const double built = tact_system_milliseconds();
    if (good) who->results = peer->find(who->made);
    who->report.build_ms = built - start;
    who->report.query_ms = tact_system_milliseconds() - built;
    if (frame == 0) who->build_ms = built - start;
    return good;
}

/// Devices have two of the methods.
static const tact_suite_variant methods[] = {
    {.name = "auto", .backends = 1u << TACT_BACKEND_CPU},  {.name = "brute", .backends = 1u << TACT_BACKEND_CPU},
    {.name = "sap", .backends = 1u << TACT_BACKEND_CPU},   {.name = "grid", .backends = ALL},
    {.name = "hgrid", .backends = 1u << TACT_BACKEND_CPU}, {.name = "bvh", .backends = ALL},
    {.name = "tree", .backends = 1u << TACT_BACKEND_CPU},  {.name = NULL}};

/// A peer's pairs come in no order: they are counted, of frames all together. Of ours there are also tests of box
/// against box for each box.
static void note_pairs(void* own, tact_contestant* who, const tact_suite_answer* expected)
{
    (void)expected;
    const pair_work* w = own;
    const tact_pair_peer* peer = who->peer;
    who->other = w->moving ? who->other + who->results : who->results;
    // At rest the next one begins anew.
    if (peer && !w->moving) peer->clear(who->made);
    tact_pairs_info info;
    if (peer || tact_pairs_get_info(w->set, &info) < 0) return;
    who->fill_ms = w->fill_ms;
    if (w->method == TACT_PAIRS_AUTO) who->chosen = methods[info.method].name;
    who->extra = w->boxes.count ? (double)info.tests / (double)w->boxes.count : 0.0;
}

static void close_pair_peer(tact_contestant* who)
{
    const tact_pair_peer* peer = who->peer;
    peer->close(who->made);
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
    return tact_cull_volumes(w->culler, &w->work, &(tact_cull_room){.count = &kept}, options, report);
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
    .peer = open_pair_peer, .peer_ask = ask_pair_peer, .note = note_pairs, .peer_close = close_pair_peer,     \
    .close = close_pairs

const tact_suite_query tact_suite_pair_queries[] = {
    {.name = "new", .argument = AT_REST, .reference_most = 20000, .variants = methods, .choose = choose_method, PAIRS},
    {.name = "frame",
     .moves = true,
     .argument = MOVING,
     .reference_most = 5000,
     .variants = methods,
     .choose = choose_method,
     PAIRS},
    {.name = "few",
     .moves = true,
     .argument = FEW_MOVING,
     .reference_most = 5000,
     .variants = methods,
     .choose = choose_method,
     PAIRS},
    {.name = NULL},
};

const tact_suite_query tact_suite_volume_queries[] = {
    {TACT_SUITE_ROW("cull_boxes", "Boxes in view", "uniform", "in view",
                    "Which of many boxes are in a camera's frustum; the boxes are brought to the device each time."),
     .unit = "boxes", .backends = ALL, .first = 1000, .most = 10000000, .quick_most = 1000000,
     .reference_most = 1000000, .open = open_cull, .ask = ask_cull, .answer = answer_cull, .close = close_cull},
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
