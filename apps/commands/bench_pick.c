// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/bench/plain.h"
#include "apps/bench/plot.h"
#include "apps/commands.h"
#include "apps/inputs/pick_input.h"
#include "apps/inputs/scenes.h"
#include "apps/system.h"

enum { WIDTH = 1024, HEIGHT = 768, WINDOW = 3, RING = 8, ROOM = 16384, MOST_PICKS = 1000, TURNS = 21 };

typedef struct bench_scene {
    const char* name;
    unsigned side;    ///< of a landscape's squares; 0: copies
    uint64_t copies;  ///< of a ball, a knot and a cube, at random
    uint64_t triangles;
} bench_scene;

static const bench_scene scenes[] = {
    {"landscape", 71, 0, 10082},    {"landscape", 224, 0, 100352},           {"1,000 instances", 0, 1000, 452120},
    {"landscape", 708, 0, 1002528}, {"10,000 instances", 0, 10000, 4521184}, {"landscape", 2237, 0, 10008338}};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

/// A way to find out. Those that draw do so in every frame, of a camera that moves, unless the view is kept.
typedef enum bench_kind { DRAWN = 0, PLAIN = 1, CAST = 2 } bench_kind;

typedef struct bench_way {
    const char* name;
    bench_kind kind;
    bool later;   ///< the answer is collected when it is there, some frames later
    bool window;  ///< only the pixels around the point are drawn
    bool keep;    ///< drawn once: neither camera nor scene change
    tact_backend backend;
} bench_way;

static const bench_way ways[] = {{"whole view, at once", DRAWN, false, false, false, TACT_BACKEND_GL},
                                 {"whole view, later", DRAWN, true, false, false, TACT_BACKEND_GL},
                                 {"3 x 3 window, at once", DRAWN, false, true, false, TACT_BACKEND_GL},
                                 {"3 x 3 window, later", DRAWN, true, true, false, TACT_BACKEND_GL},
                                 {"kept view, at once", DRAWN, false, false, true, TACT_BACKEND_GL},
                                 {"kept view, later", DRAWN, true, false, true, TACT_BACKEND_GL},
                                 {"all ids to the host (plain)", PLAIN, false, false, false, TACT_BACKEND_GL},
                                 {"kept, all ids to the host (plain)", PLAIN, false, false, true, TACT_BACKEND_GL},
                                 {"cpu rays", CAST, false, false, false, TACT_BACKEND_CPU},
                                 {"gl rays", CAST, false, false, false, TACT_BACKEND_GL}};
enum { WAYS = sizeof ways / sizeof ways[0], REGIONS = 2 };

static const char* const region_names[REGIONS] = {"point", "frame"};

/// What was found in a frame, to be compared: how many things, and the nearest.
typedef struct bench_answer {
    size_t count;
    uint32_t instance, primitive;
    int turn;
} bench_answer;

typedef struct bench_row {
    bool here;
    size_t picks;  ///< measured
    tact_spread draw, held, latency, frames;
    uint64_t results;  ///< of the last
    uint64_t other;    ///< answers that are not the CPU's
} bench_row;

typedef struct pick_bench {
    tact_bench_run run;
    uint64_t most;  ///< triangles; 0: not given
    tact_picker* picker;
    tact_pick* picks;
    double *draw, *held, *latency, *frames;  ///< of each pick
    bench_answer* answers;
    uint64_t* seen;  ///< plain: by instance
    bench_row rows[SCENES][REGIONS][WAYS];
    uint64_t triangles[SCENES];
    double interval[SCENES];  ///< milliseconds from frame to frame
} pick_bench;

/// A scene under measurement.
typedef struct bench_run {
    pick_bench* bench;
    tact_scene* scene;
    tact_bounds bounds;
    tact_pick_target* targets[2];  ///< of the view, of the window
    tact_plain_pick* plain;
    size_t instances;
    double interval;
    int32_t point[2];  ///< a pixel that shows something
    int region;
    const bench_way* way;
    size_t collected;
    bool known[REGIONS][TURNS];
    bench_answer right[REGIONS][TURNS];  ///< the CPU's
} bench_run;

// ---- Scenes ----

/// Standing up, so that the camera looks at it from above.
static bool make_landscape(unsigned side, tact_model* model, tact_problem* problem)
{
    tact_model_mesh mesh;
    if (!tact_mesh_terrain(side, 5, &mesh, problem)) return false;
    for (size_t i = 0; i < mesh.vertex_count; ++i) {
        float* p = mesh.positions + 3 * i;
        const float height = p[1];
        p[1] = -p[2];
        p[2] = height;
    }
    return tact_model_add_mesh(model, &mesh, problem) && tact_model_add_instance(model, 0, NULL, problem);
}

/// The model has the input's meshes.
static bool make_copies(uint64_t copies, tact_filter_input* input, tact_model* model, tact_problem* problem)
{
    const tact_text_list none = {0};
    if (!tact_filter_input_load(&none, copies, 1, input, problem)) return false;
    model->meshes = input->meshes;
    model->mesh_count = input->shape_count;
    for (size_t i = 0; i < input->object_count; ++i) {
        const tact_filter_object* o = &input->objects[i];
        if (!tact_model_add_instance(model, o->shape, o->pose, problem)) return false;
    }
    return true;
}

// ---- One pick ----

/// The camera of a frame; a kept view is that of the first.
static int turn_of(const bench_run* run, uint64_t frame)
{
    return run->way->keep ? 0 : (int)(frame % TURNS) - TURNS / 2;
}

static tact_pick_region region_of(const bench_run* run)
{
    tact_pick_region region = {.shape = TACT_PICK_POINT, .x = run->point[0], .y = run->point[1]};
    if (run->region == 1) region = (tact_pick_region){.shape = TACT_PICK_RECTANGLE, .rectangle = {0, 0, WIDTH, HEIGHT}};
    return region;
}

static tact_pick_group group_of(const bench_run* run)
{
    return run->region == 1 ? TACT_PICK_BY_INSTANCE : TACT_PICK_BY_PRIMITIVE;
}

static bool failed(const bench_run* run, tact_result result, tact_problem* problem)
{
    return result < 0 && !tact_problem_from_result(problem, result, run->bench->run.session.context, run->way->name);
}

static tact_result draw(bench_run* run, uint64_t frame)
{
    const tact_pick_view whole = tact_pick_camera(&run->bounds, WIDTH, HEIGHT, turn_of(run, frame));
    tact_pick_view view = whole;
    if (run->way->window && !tact_pick_window(&whole, run->point[0], run->point[1], WINDOW, &view)) {
        return TACT_ERROR_INTERNAL;
    }
    return tact_pick_target_draw(run->targets[run->way->window], run->scene, &view, frame);
}

/// Notes an answer that has come in.
static void note(bench_run* run, size_t count, int turn)
{
    pick_bench* b = run->bench;
    const tact_pick* first = b->picks;
    b->answers[run->collected++] =
        (bench_answer){count, count ? first->instance : 0, count && run->region == 0 ? first->primitive : 0, turn};
}

/// A question that is on its way.
typedef struct asked {
    tact_pick_ticket ticket;
    uint64_t frame;
    double start, draw, held;
} asked;

static void store(bench_run* run, const asked* a, double now, uint64_t frame, size_t count)
{
    pick_bench* b = run->bench;
    const size_t at = run->collected;
    b->draw[at] = a->draw;
    b->held[at] = a->held;
    b->latency[at] = now - a->start;
    b->frames[at] = (double)(frame - a->frame);
    note(run, count, turn_of(run, a->frame));
}

/// Asks those on their way, oldest first, as a program does once a frame; with `wait` takes the oldest all the same.
static tact_result collect(bench_run* run, asked* queue, size_t* waiting, uint64_t frame, bool wait)
{
    tact_pick_target* target = run->targets[run->way->window];
    tact_result result = TACT_OK;
    bool done = true;
    while (*waiting && done && result >= 0) {
        asked* a = &queue[0];
        const double start = tact_system_milliseconds();
        size_t count = 0;
        done = wait;
        if (!wait) result = tact_pick_target_poll(target, a->ticket, &done);
        if (result >= 0 && done) {
            result = tact_pick_target_wait(target, a->ticket, run->bench->picks, ROOM, &count, NULL);
        }
        const double now = tact_system_milliseconds();
        a->held += now - start;
        if (result < 0 || !done) break;
        store(run, a, now, frame, count);
        --*waiting;
        memmove(queue, queue + 1, *waiting * sizeof *queue);
        wait = false;
    }
    return result;
}

/// A frame of a way that draws; the answer comes now or later.
static tact_result frame_drawn(bench_run* run, asked* queue, size_t* waiting, uint64_t frame, bool ask)
{
    const bench_way* way = run->way;
    const tact_pick_region region = region_of(run);
    tact_result result = TACT_OK;
    asked a = {.frame = frame, .start = tact_system_milliseconds()};
    if (!way->keep) result = draw(run, frame);
    a.draw = tact_system_milliseconds() - a.start;
    // Those of the frames before, in each frame.
    if (result >= 0) result = collect(run, queue, waiting, frame, *waiting == RING);
    if (result < 0 || !ask) return result;
    const double start = tact_system_milliseconds();
    result = tact_pick_target_submit(run->targets[way->window], &region, group_of(run), &a.ticket);
    a.held = tact_system_milliseconds() - start;
    if (result < 0) return result;
    queue[(*waiting)++] = a;
    return way->later ? result : collect(run, queue, waiting, frame, true);
}

/// The host's loop over the whole plane.
static size_t count_plane(pick_bench* b, const uint32_t (*ids)[4], size_t instances, const int32_t* point)
{
    // Nothing is all zeroes, which what is there has no normal for, but for one.
    static const uint32_t nothing[4] = {0};
    if (point) {
        const uint32_t* id = ids[(size_t)(HEIGHT - 1 - point[1]) * WIDTH + (size_t)point[0]];
        b->picks[0].instance = id[1];
        b->picks[0].primitive = id[2];
        return memcmp(id, nothing, sizeof nothing) != 0;
    }
    size_t count = 0;
    memset(b->seen, 0, instances * sizeof *b->seen);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; ++i) {
        const uint32_t instance = ids[i][1];
        if (instance < instances && memcmp(ids[i], nothing, sizeof nothing) != 0) count += b->seen[instance]++ == 0;
    }
    return count;
}

static bool frame_plain(bench_run* run, uint64_t frame, tact_problem* problem)
{
    asked a = {.frame = frame, .start = tact_system_milliseconds()};
    if (!run->way->keep && failed(run, draw(run, frame), problem)) return false;
    const double start = tact_system_milliseconds();
    a.draw = start - a.start;
    const uint32_t(*ids)[4] = NULL;
    if (!tact_plain_pick_read(run->plain, &ids, problem)) return false;
    const size_t count = count_plane(run->bench, ids, run->instances, run->region == 0 ? run->point : NULL);
    const double now = tact_system_milliseconds();
    a.held = now - start;
    store(run, &a, now, frame, count);
    return true;
}

static tact_result cast(bench_run* run, int turn, tact_backend backend, size_t* count)
{
    pick_bench* b = run->bench;
    const tact_pick_view view = tact_pick_camera(&run->bounds, WIDTH, HEIGHT, turn);
    const tact_pick_region region = region_of(run);
    const tact_pick_options options = {.group = group_of(run)};
    const tact_query_options query = {.backend = backend, .threads = (int)b->run.common.threads, .no_fallback = true};
    return tact_pick_scene(
        b->picker, run->scene,
        &(tact_pick_work){
            .view = &view, .region = &region, .options = &options, .picks = b->picks, .capacity = ROOM, .count = count},
        &query, NULL);
}

static bool frame_cast(bench_run* run, uint64_t frame, tact_problem* problem)
{
    asked a = {.frame = frame, .start = tact_system_milliseconds()};
    size_t count = 0;
    if (failed(run, cast(run, turn_of(run, frame), run->way->backend, &count), problem)) return false;
    const double now = tact_system_milliseconds();
    a.held = now - a.start;
    store(run, &a, now, frame, count);
    return true;
}

// ---- A row ----

static void wait_until(double time)
{
    while (tact_system_milliseconds() < time)
        continue;
}

/// Draws what is kept, and waits until it is there.
static tact_result draw_kept(bench_run* run)
{
    const tact_pick_region region = {.shape = TACT_PICK_POINT, .x = run->point[0], .y = run->point[1]};
    size_t count = 0;
    tact_result result = draw(run, 0);
    if (result >= 0) {
        result = tact_pick_target_query(run->targets[run->way->window], &region, TACT_PICK_BY_INSTANCE,
                                        run->bench->picks, ROOM, &count);
    }
    return result;
}

/// Frames at a steady pace, as a display sets it, a pick in each, until there are `picks` answers.
static bool run_frames(bench_run* run, size_t picks, tact_problem* problem)
{
    asked queue[RING + 1];
    size_t waiting = 0;
    run->collected = 0;
    if (run->way->kind != CAST && run->way->keep && failed(run, draw_kept(run), problem)) return false;
    for (uint64_t frame = 0; run->collected < picks; ++frame) {
        const double start = tact_system_milliseconds();
        if (tact_system_signal()) return tact_problem_stop(problem, "in a measurement");
        bool good = true;
        if (run->way->kind == DRAWN) {
            const bool ask = run->collected + waiting < picks;
            good = !failed(run, frame_drawn(run, queue, &waiting, frame, ask), problem);
        } else if (run->way->kind == PLAIN) {
            good = frame_plain(run, frame, problem);
        } else {
            good = frame_cast(run, frame, problem);
        }
        if (!good) return false;
        if (run->way->kind != CAST) wait_until(start + run->interval);
    }
    return true;
}

/// Compares the answers with the CPU's rays.
static bool check(bench_run* run, bench_row* row, tact_problem* problem)
{
    pick_bench* b = run->bench;
    for (size_t i = 0; i < row->picks; ++i) {
        const bench_answer* a = &b->answers[i];
        const int turn = a->turn + TURNS / 2;
        bench_answer* r = &run->right[run->region][turn];
        if (!run->known[run->region][turn]) {
            size_t count = 0;
            if (failed(run, cast(run, a->turn, TACT_BACKEND_CPU, &count), problem)) return false;
            *r = (bench_answer){count, count ? b->picks->instance : 0,
                                count && run->region == 0 ? b->picks->primitive : 0, a->turn};
            run->known[run->region][turn] = true;
        }
        // Of the frame the nearest may be another by the depth's rounding; a thing of one pixel may be missed.
        const bool same = run->region == 1
                              ? a->count == r->count
                              : a->count == r->count && a->instance == r->instance && a->primitive == r->primitive;
        row->other += !same;
    }
    return true;
}

/// A scene may be larger than a device can hold; then it has no row.
static bool too_large(bench_run* run)
{
    size_t count = 0;
    if (run->way->kind != CAST) return false;
    const tact_result result = cast(run, 0, run->way->backend, &count);
    return result == TACT_ERROR_LIMIT || result == TACT_ERROR_DEVICE_OUT_OF_MEMORY;
}

static bool measure_row(bench_run* run, int scene, int w, tact_problem* problem)
{
    pick_bench* b = run->bench;
    bench_row* row = &b->rows[scene][run->region][w];
    tact_device_info info;
    run->way = &ways[w];
    row->here = tact_session_device(&b->run.session, run->way->backend, &info) >= 0 &&
                (run->way->kind != PLAIN || run->plain) && !(run->way->window && run->region == 1);
    row->here = row->here && !too_large(run);
    if (!row->here) return true;
    // Once to have kernels and buffers.
    if (!run_frames(run, 2, problem) || !run_frames(run, (size_t)b->run.repeat, problem)) return false;
    row->picks = run->collected;
    row->results = b->answers[row->picks - 1].count;
    if (!check(run, row, problem)) return false;
    row->draw = tact_spread_of(b->draw, row->picks);
    row->held = tact_spread_of(b->held, row->picks);
    row->latency = tact_spread_of(b->latency, row->picks);
    row->frames = tact_spread_of(b->frames, row->picks);
    return true;
}

/// 60 frames a second, or as many as the scene can be drawn and read in.
static bool set_pace(bench_run* run, int scene, tact_problem* problem)
{
    run->interval = 0.0;
    run->way = &ways[0];
    run->region = 0;
    if (!run_frames(run, 5, problem)) return false;
    run->interval = fmax(1000.0 / 60.0, 1.2 * tact_spread_of(run->bench->latency, 5).median);
    run->bench->interval[scene] = run->interval;
    return true;
}

/// The pixel nearest to the middle that shows something, or the middle.
static bool find_point(bench_run* run, tact_problem* problem)
{
    const tact_pick_view view = tact_pick_camera(&run->bounds, WIDTH, HEIGHT, 0);
    const tact_pick_region around = {.shape = TACT_PICK_POINT, .x = WIDTH / 2, .y = HEIGHT / 2, .radius = 300};
    const tact_query_options query = {.backend = TACT_BACKEND_CPU};
    size_t count = 0;
    run->way = &ways[WAYS - 1];
    run->point[0] = WIDTH / 2;
    run->point[1] = HEIGHT / 2;
    if (failed(run,
               tact_pick_scene(
                   run->bench->picker, run->scene,
                   &(tact_pick_work){
                       .view = &view, .region = &around, .picks = run->bench->picks, .capacity = ROOM, .count = &count},
                   &query, NULL),
               problem)) {
        return false;
    }
    if (count) {
        run->point[0] = run->bench->picks->x;
        run->point[1] = run->bench->picks->y;
    }
    return true;
}

static bool measure_ways(bench_run* run, int scene, tact_problem* problem)
{
    pick_bench* b = run->bench;
    tact_device_info info;
    if (tact_session_device(&b->run.session, TACT_BACKEND_GL, &info) >= 0) {
        const tact_pick_target_desc whole = {.width = WIDTH, .height = HEIGHT, .ring = RING};
        const tact_pick_target_desc window = {.width = WINDOW, .height = WINDOW, .ring = RING};
        run->way = &ways[0];
        if (failed(run, tact_pick_target_create(b->run.session.context, &whole, &run->targets[0]), problem) ||
            failed(run, tact_pick_target_create(b->run.session.context, &window, &run->targets[1]), problem) ||
            (tact_plain_pick_is_there() &&
             !tact_plain_pick_create(b->run.session.context, run->targets[0], WIDTH, HEIGHT, &run->plain, problem)) ||
            !set_pace(run, scene, problem)) {
            return false;
        }
    }
    for (run->region = 0; run->region < REGIONS; ++run->region) {
        for (int w = 0; w < WAYS; ++w) {
            tact_progress_update((double)(run->region * WAYS + w) / (REGIONS * WAYS), &b->run.progress);
            if (!measure_row(run, scene, w, problem) &&
                !tact_bench_stopped(&b->run, problem, "%s, %" PRIu64 " triangles, %s, %s", scenes[scene].name,
                                    scenes[scene].triangles, region_names[run->region], ways[w].name)) {
                return false;
            }
        }
    }
    return true;
}

static bool measure_scene(pick_bench* b, int s, tact_problem* problem)
{
    tact_model model = {0};
    tact_filter_input input = {0};
    tact_scene_stats stats;
    bench_run run = {.bench = b};
    if (tact_bench_stopped(&b->run, problem, "%s, %" PRIu64 " triangles", scenes[s].name, scenes[s].triangles))
        return true;
    bool good = scenes[s].copies ? make_copies(scenes[s].copies, &input, &model, problem)
                                 : make_landscape(scenes[s].side, &model, problem);
    good = good && tact_model_build(&model, b->run.session.context, &run.scene, &stats, problem);
    if (good) {
        run.bounds = tact_ray_bounds(&stats);
        run.instances = model.instance_count;
        b->triangles[s] = tact_model_triangles(&model);
        b->seen = malloc(run.instances * sizeof *b->seen);
        good = b->seen != NULL || tact_problem_out_of_memory(problem, "the benchmark");
    }
    good = good && find_point(&run, problem) && measure_ways(&run, s, problem);
    // In setting the pace.
    good =
        good || tact_bench_stopped(&b->run, problem, "%s, %" PRIu64 " triangles", scenes[s].name, scenes[s].triangles);
    free(b->seen);
    b->seen = NULL;
    tact_plain_pick_destroy(run.plain);
    for (int i = 0; i < 2; ++i)
        tact_pick_target_destroy(run.targets[i]);
    tact_scene_destroy(run.scene);
    if (scenes[s].copies) {
        free(model.instances);
    } else {
        tact_model_free(&model);
    }
    tact_filter_input_free(&input);
    return good;
}

// ---- Reporting ----

static void add_row(tact_report* r, const pick_bench* b, int s, int i)
{
    const bench_row* from = &b->rows[s][i / WAYS][i % WAYS];
    if (!from->picks) return;
    tact_report_row(r);
    tact_report_text(r, "scene", "scene", scenes[s].name);
    tact_report_count(r, ">triangles", "triangles", b->triangles[s]);
    tact_report_text(r, "region", "region", region_names[i / WAYS]);
    tact_report_text(r, "by", "by", ways[i % WAYS].name);
    tact_json_time(r->row, "frame_ms", b->interval[s]);
    tact_report_spread(r, ">held ms", "held_ms", "%.3f", 1.0, &from->held);
    tact_report_number(r, ">draw ms", NULL, "%.3f", from->draw.median);
    tact_report_number(r, ">answer ms", NULL, "%.3f", from->latency.median);
    tact_report_number(r, ">max", NULL, "%.3f", from->latency.high);
    tact_report_number(r, ">frames", NULL, "%.0f", from->frames.median);
    tact_report_count(r, ">picks", "picks", from->results);
    tact_report_count(r, ">other", "other", from->other);
    tact_json_spread(r->row, "draw_ms", &from->draw);
    tact_json_spread(r->row, "answer_ms", &from->latency);
    tact_json_spread(r->row, "frames", &from->frames);
}

/// What drawing takes of the host counts too: without the pick it would not be drawn into the target.
static double cost_of(const bench_row* row, bool answer)
{
    return answer ? row->latency.median : row->held.median + row->draw.median;
}

/// The way with the least of something: among those of a still camera, or of one that moves.
static int best_of(const bench_row* rows, bool still, bool answer)
{
    int best = -1;
    for (int w = 0; w < WAYS; ++w) {
        if (!rows[w].picks || ways[w].keep != still) continue;
        if (best < 0 || cost_of(&rows[w], answer) < cost_of(&rows[best], answer)) best = w;
    }
    return best;
}

/// How to choose, by what was measured here.
static void add_advice(tact_report* r, const pick_bench* b, int s, int i)
{
    const bench_row* rows = b->rows[s][i / 2];
    const int host = best_of(rows, i % 2, false), answer = best_of(rows, i % 2, true);
    if (host < 0) return;
    tact_report_row(r);
    tact_report_text(r, "scene", NULL, scenes[s].name);
    tact_report_count(r, ">triangles", NULL, b->triangles[s]);
    tact_report_text(r, "region", NULL, region_names[i / 2]);
    tact_report_text(r, "camera", NULL, i % 2 ? "still" : "moving");
    tact_report_text(r, "least of the host", NULL, ways[host].name);
    tact_report_number(r, ">ms", NULL, "%.3f", cost_of(&rows[host], false));
    tact_report_text(r, "soonest answer", NULL, ways[answer].name);
    tact_report_number(r, ">ms", NULL, "%.3f", cost_of(&rows[answer], true));
}

static void print_advice(const pick_bench* b)
{
    tact_report advice;
    cJSON* root = cJSON_CreateObject();
    tact_report_open(&advice, root, "advice");
    for (int k = 0; k < SCENES * REGIONS * 2; ++k)
        add_advice(&advice, b, k / (REGIONS * 2), k % (REGIONS * 2));
    puts("\nhow to choose, by these figures (held and drawing together; until the answer)");
    tact_report_print(&advice);
    tact_report_close(&advice);
    cJSON_Delete(root);
}

static bool plot(const pick_bench* b, int region, bool answer, tact_problem* problem)
{
    tact_plot* chart = calloc(1, sizeof *chart);
    if (!chart) return tact_problem_out_of_memory(problem, "a chart");
    snprintf(chart->title, sizeof chart->title, "Picking %s of 1024 x 768: %s", region ? "all" : "a pixel",
             answer ? "until the answer is there" : "how long the host is held in calls");
    chart->x_label = "triangles of a landscape";
    chart->y_label = "milliseconds";
    for (int s = 0; s < SCENES; ++s) {
        for (int w = 0; w < WAYS; ++w) {
            const bench_row* row = &b->rows[s][region][w];
            if (!row->picks || scenes[s].copies) continue;
            tact_plot_add(chart, ways[w].name, ways[w].kind == PLAIN, (double)b->triangles[s],
                          answer ? row->latency.median : row->held.median);
            // The same in all charts, of which not all have all ways.
            tact_plot_line* line = chart->count ? &chart->lines[chart->count - 1] : NULL;
            if (line && strcmp(line->name, ways[w].name) == 0) line->color = (size_t)w;
        }
    }
    const tact_bench_path path =
        tact_bench_path_of(&b->run, "pick-%s-%s.svg", region_names[region], answer ? "answer" : "held");
    const bool good = tact_plot_write(path.text, chart, problem);
    free(chart);
    return good;
}

static bool report(pick_bench* b, tact_problem* problem)
{
    tact_json_count(b->run.report.root, "width", WIDTH);
    tact_json_count(b->run.report.root, "height", HEIGHT);
    for (int k = 0; k < SCENES * REGIONS * WAYS; ++k)
        add_row(&b->run.report, b, k / (REGIONS * WAYS), k % (REGIONS * WAYS));
    char heading[256];
    snprintf(heading, sizeof heading,
             "medians of %" PRIu64
             " picks, one a frame. held: of the host in calls, but for drawing; answer: from "
             "the beginning of the frame, or of the call where nothing is drawn",
             b->run.repeat);
    if (!tact_bench_report(&b->run, TACT_BACKEND_GL, heading, problem)) return false;
    if (!b->run.common.json) print_advice(b);
    bool good = true;
    for (int i = 0; i < 2 * REGIONS && good && b->run.out; ++i)
        good = plot(b, i / 2, i % 2, problem);
    return good;
}

static bool measure(pick_bench* b, tact_problem* problem)
{
    // The pace is set by five picks, however few are asked for.
    const size_t room = (size_t)(b->run.repeat > 5 ? b->run.repeat : 5) + RING;
    b->picks = malloc(ROOM * sizeof *b->picks);
    b->answers = malloc(room * sizeof *b->answers);
    b->draw = malloc(room * 4 * sizeof *b->draw);
    if (!b->picks || !b->answers || !b->draw) return tact_problem_out_of_memory(problem, "the benchmark");
    b->held = b->draw + room;
    b->latency = b->held + room;
    b->frames = b->latency + room;
    const tact_result made = tact_picker_create(b->run.session.context, &b->picker);
    if (made < 0) return tact_problem_from_result(problem, made, b->run.session.context, "picking");
    for (int s = 0; s < SCENES; ++s)
        b->run.progress.parts += scenes[s].triangles <= b->most;
    bool good = true;
    for (int s = 0; s < SCENES && good; ++s) {
        if (scenes[s].triangles > b->most) continue;
        good = measure_scene(b, s, problem);
        ++b->run.progress.part;
    }
    return good;
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    pick_bench* b = (void*)run;
    if (run->common.backend != TACT_BACKEND_AUTO) {
        return tact_problem_set(problem, "--backend: all are measured beside each other");
    }
    if (run->common.repeat > MOST_PICKS)
        return tact_problem_set(problem, "--repeat %" PRIu64 ": at most 1000 picks", run->common.repeat);
    if (!b->most) b->most = run->quick ? 500000 : 20000000;
    const bool good = tact_bench_begin(run, "bench pick", 9, 41, problem) && measure(b, problem) && report(b, problem);
    tact_picker_destroy(b->picker);
    free(b->picks);
    free(b->answers);
    free(b->draw);
    return good;
}

static const char help_text[] =
    "Usage: tact bench pick [--quick] [--most N] [--out DIR] [options]\n\n"
    "Times picks of a pixel and of all of a 1024 x 768 view: drawn whole, in a window of 3 x 3 pixels, and kept; "
    "waiting\n"
    "for the answer and collecting it some frames later; reading all ids to the host; and casting rays.\n";

int tact_command_bench_pick(int argc, char** argv, tact_problem* problem)
{
    pick_bench b = {.most = 0};
    const tact_option own[] = {
        TACT_NUMBER("most", "N", "triangles of a scene at most (default: 20000000, --quick: 500000)", &b.most, 10000,
                    UINT64_C(1) << 30),
        TACT_BENCH_QUICK(b.run, "9 picks each of small scenes, where not given"),
        TACT_BENCH_OUT(b.run, "bench.json, bench.csv and charts"),
        {.name = NULL},
    };
    return tact_bench_command(&b.run, help_text, own, execute, argc, argv, problem);
}
