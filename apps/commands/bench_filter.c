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
#include "apps/inputs/filter_input.h"
#include "apps/system.h"

enum { SIZES = 3, CONTESTANTS = 8, MOST_FRAMES = 10000, CULLIDE_PIXELS = 1024, CULLIDE_ROUNDS = 100 };

static const uint64_t sizes[SIZES] = {100, 1000, 10000};

/// A way to find them. CULLIDE tells only which objects may collide.
typedef struct contestant {
    const char* name;
    tact_backend backend;
    tact_filter_images images;
    bool fast, cullide, boxes;
} contestant;

static const contestant contestants[CONTESTANTS] = {
    {"cpu", TACT_BACKEND_CPU, TACT_FILTER_IMAGES_NEVER, false, false, false},
    {"cl", TACT_BACKEND_CL, TACT_FILTER_IMAGES_NEVER, false, false, false},
    {"cl, images", TACT_BACKEND_CL, TACT_FILTER_IMAGES_ALWAYS, false, false, false},
    {"gl, no images", TACT_BACKEND_GL, TACT_FILTER_IMAGES_NEVER, false, false, false},
    {"gl, images", TACT_BACKEND_GL, TACT_FILTER_IMAGES_ALWAYS, false, false, false},
    {"gl, fast", TACT_BACKEND_GL, TACT_FILTER_IMAGES_ALWAYS, true, false, false},
    {"CULLIDE, boxes", TACT_BACKEND_GL, TACT_FILTER_IMAGES_NEVER, false, true, true},
    {"CULLIDE, objects", TACT_BACKEND_GL, TACT_FILTER_IMAGES_NEVER, false, true, false}};

typedef struct filter_row {
    bool here;
    uint64_t frames;  ///< measured
    double* samples;  ///< ms of each frame
    tact_spread spread;
    tact_filter_count stages[TACT_FILTER_STAGES];  ///< sums over the frames
    uint64_t pairs;                                ///< of triangles, likewise
    uint64_t lost;                                 ///< of triangles, or colliding objects, that it left out
    uint64_t left, rounds, draws, queries;         ///< CULLIDE's
} filter_row;

typedef struct filter_bench {
    tact_bench_run run;
    uint64_t frames, most;  ///< 0: not given
    uint64_t cullide_frames;
    tact_filter* filter;
    tact_filter_pair *pairs, *expected;
    size_t pair_capacity, expected_capacity, expected_count;
    size_t objects[SIZES];
    uint64_t triangles[SIZES], collided[SIZES];  ///< objects that do, over the frames
    filter_row rows[SIZES][CONTESTANTS];
    bool* left;
    tact_model_mesh cube;
    tact_filter_object* boxes;
} filter_bench;

// ---- Asking ----

static bool ask(filter_bench* bench, const contestant* c, const tact_filter_input* input, filter_row* row,
                size_t* count, double* ms, tact_problem* problem)
{
    const tact_query_options query = {
        .backend = c->backend, .threads = (int)bench->run.common.threads, .no_fallback = true};
    const tact_filter_options options = {.images = c->images, .fast = c->fast};
    tact_filter_count stages[TACT_FILTER_STAGES];
    for (;;) {
        const double start = tact_system_milliseconds();
        const tact_result result = tact_filter_meshes(bench->filter,
                                                      &(tact_filter_work){.shapes = input->shapes,
                                                                          .shape_count = input->shape_count,
                                                                          .objects = input->objects,
                                                                          .object_count = input->object_count,
                                                                          .options = &options,
                                                                          .pairs = bench->pairs,
                                                                          .capacity = bench->pair_capacity,
                                                                          .count = count,
                                                                          .stages = stages},
                                                      &query, NULL);
        *ms = tact_system_milliseconds() - start;
        if (result == TACT_OK) break;
        if (result != TACT_INCOMPLETE) {
            return tact_problem_set(problem, "%s: %s", c->name, tact_context_error(bench->run.session.context));
        }
        free(bench->pairs);
        bench->pair_capacity = 2 * *count;
        bench->pairs = malloc(bench->pair_capacity * sizeof *bench->pairs);
        if (!bench->pairs) return tact_problem_out_of_memory(problem, "the pairs");
    }
    for (int s = 0; s < TACT_FILTER_STAGES; ++s) {
        row->stages[s].ran = row->stages[s].ran || stages[s].ran;
        row->stages[s].objects += stages[s].objects;
        row->stages[s].triangles += stages[s].triangles;
        row->stages[s].rounds += stages[s].rounds;
        row->stages[s].ms += stages[s].ms;
    }
    row->pairs += *count;
    return true;
}

static int compare_pairs(const tact_filter_pair* a, const tact_filter_pair* b)
{
    const uint32_t x[4] = {a->object_a, a->object_b, a->triangle_a, a->triangle_b};
    const uint32_t y[4] = {b->object_a, b->object_b, b->triangle_a, b->triangle_b};
    for (int i = 0; i < 4; ++i)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

/// How many of the expected pairs are not among those found; both are in order.
static uint64_t count_lost(const filter_bench* bench, size_t count)
{
    uint64_t lost = 0;
    size_t at = 0;
    for (size_t i = 0; i < bench->expected_count; ++i) {
        while (at < count && compare_pairs(&bench->pairs[at], &bench->expected[i]) < 0)
            ++at;
        lost += at == count || compare_pairs(&bench->pairs[at], &bench->expected[i]) != 0;
    }
    return lost;
}

static bool keep_expected(filter_bench* bench, size_t count, tact_problem* problem)
{
    if (count > bench->expected_capacity) {
        free(bench->expected);
        bench->expected = malloc(count * sizeof *bench->expected);
        bench->expected_capacity = bench->expected ? count : 0;
        if (!bench->expected) return tact_problem_out_of_memory(problem, "the pairs");
    }
    if (count) memcpy(bench->expected, bench->pairs, count * sizeof *bench->pairs);
    bench->expected_count = count;
    return true;
}

/// The cube around each object's turned shape, or the objects themselves.
static void box_objects(filter_bench* bench, const tact_filter_input* input)
{
    for (size_t i = 0; i < input->object_count; ++i) {
        const tact_filter_object* o = &input->objects[i];
        const tact_mesh_extent* e = &input->extents[o->shape];
        tact_filter_object* box = &bench->boxes[i];
        *box = (tact_filter_object){.shape = 0};
        for (int r = 0; r < 3; ++r) {
            double middle = (double)o->pose[4 * r + 3], half = 0.0;
            for (int k = 0; k < 3; ++k) {
                const double m = (double)o->pose[4 * r + k];
                middle += m * e->middle[k];
                half += (m < 0.0 ? -m : m) * e->half[k];
            }
            box->pose[5 * r] = (float)(half * (1.0 + 1e-5));
            box->pose[4 * r + 3] = (float)middle;
        }
    }
}

static bool ask_cullide(filter_bench* bench, const contestant* c, const tact_filter_input* input,
                        tact_plain_cullide* plain, filter_row* row, double* ms, tact_problem* problem)
{
    const tact_filter_object* objects = c->boxes ? bench->boxes : input->objects;
    tact_plain_cullide_count counted;
    if (c->boxes) box_objects(bench, input);
    const double start = tact_system_milliseconds();
    if (!tact_plain_cullide_run(plain, objects, input->object_count, CULLIDE_ROUNDS, bench->left, &counted, problem)) {
        return false;
    }
    *ms = tact_system_milliseconds() - start;
    row->left += counted.left;
    row->rounds += counted.rounds;
    row->draws += counted.draws;
    row->queries += counted.queries;
    // Both objects of a pair must be left; each is counted once.
    for (size_t i = 0; i < bench->expected_count; ++i) {
        const uint32_t both[2] = {bench->expected[i].object_a, bench->expected[i].object_b};
        for (int k = 0; k < 2; ++k) {
            if (bench->left[both[k]]) continue;
            bench->left[both[k]] = true;
            ++row->lost;
        }
    }
    return true;
}

// ---- Measuring ----

static uint64_t colliding_objects(filter_bench* bench, size_t objects)
{
    uint64_t count = 0;
    memset(bench->left, 0, objects * sizeof *bench->left);
    for (size_t i = 0; i < bench->expected_count; ++i) {
        const uint32_t both[2] = {bench->expected[i].object_a, bench->expected[i].object_b};
        for (int k = 0; k < 2; ++k) {
            count += !bench->left[both[k]];
            bench->left[both[k]] = true;
        }
    }
    return count;
}

static bool run_frame(filter_bench* bench, int size, const tact_filter_input* input, tact_plain_cullide* plain[2],
                      uint64_t frame, tact_problem* problem)
{
    for (int i = 0; i < CONTESTANTS; ++i) {
        const contestant* c = &contestants[i];
        filter_row* row = &bench->rows[size][i];
        double ms = 0.0;
        size_t count = 0;
        if (!row->here || (c->cullide && frame >= bench->cullide_frames)) continue;
        if (c->cullide) {
            if (!ask_cullide(bench, c, input, plain[c->boxes ? 0 : 1], row, &ms, problem)) return false;
        } else {
            if (!ask(bench, c, input, row, &count, &ms, problem)) return false;
            if (i == 0) {
                if (!keep_expected(bench, count, problem)) return false;
                bench->collided[size] += colliding_objects(bench, input->object_count);
            }
            const uint64_t lost = count_lost(bench, count);
            row->lost += lost;
            // What may lose pairs must find no other ones all the same.
            const bool may_lose = c->fast;
            bench->run.wrong += (lost > 0 && !may_lose) || count != bench->expected_count - lost;
        }
        row->samples[row->frames++] = ms;
    }
    return true;
}

static bool prepare(filter_bench* bench, int size, const tact_filter_input* input, tact_plain_cullide* plain[2],
                    tact_problem* problem)
{
    const tact_mesh_desc cube = {.positions = bench->cube.positions,
                                 .vertex_count = bench->cube.vertex_count,
                                 .indices = bench->cube.indices,
                                 .triangle_count = bench->cube.triangle_count};
    bench->objects[size] = input->object_count;
    bench->triangles[size] = tact_filter_input_triangles(input);
    free(bench->left);
    free(bench->boxes);
    bench->left = malloc(input->object_count * sizeof *bench->left);
    bench->boxes = malloc(input->object_count * sizeof *bench->boxes);
    if (!bench->left || !bench->boxes) return tact_problem_out_of_memory(problem, "the objects");
    for (int i = 0; i < CONTESTANTS; ++i) {
        filter_row* row = &bench->rows[size][i];
        tact_device_info info;
        row->here = tact_session_device(&bench->run.session, contestants[i].backend, &info) >= 0 &&
                    (!contestants[i].cullide || tact_plain_cullide_is_there());
        row->samples = malloc((size_t)bench->frames * sizeof *row->samples);
        if (!row->samples) return tact_problem_out_of_memory(problem, "the times");
        if (!row->here || !contestants[i].cullide) continue;
        const bool made =
            contestants[i].boxes
                ? tact_plain_cullide_create(bench->run.session.context, &cube, 1, CULLIDE_PIXELS, &plain[0], problem)
                : tact_plain_cullide_create(bench->run.session.context, input->shapes, input->shape_count,
                                            CULLIDE_PIXELS, &plain[1], problem);
        if (!made) return false;
    }
    return true;
}

/// What was measured of a size that a signal has stopped counts for nothing.
static bool is_stopped(filter_bench* bench, int size, tact_problem* problem)
{
    if (!tact_bench_stopped(&bench->run, problem, "%" PRIu64 " objects", (uint64_t)sizes[size])) return false;
    for (int i = 0; i < CONTESTANTS; ++i)
        bench->rows[size][i].frames = 0;
    return true;
}

static bool measure_size(filter_bench* bench, int size, tact_problem* problem)
{
    if (is_stopped(bench, size, problem)) return true;
    tact_filter_input input = {0};
    tact_plain_cullide* plain[2] = {NULL, NULL};
    const tact_text_list none = {0};
    bool good = tact_filter_input_load(&none, sizes[size], bench->run.common.seed, &input, problem) &&
                prepare(bench, size, &input, plain, problem);
    for (uint64_t f = 0; f < bench->frames && good; ++f) {
        tact_progress_update(((double)size + (double)f / (double)bench->frames) / SIZES, &bench->run.progress);
        if (f > 0 && is_stopped(bench, size, problem)) break;
        if (f > 0) tact_filter_input_step(&input);
        good = run_frame(bench, size, &input, plain, f, problem);
    }
    for (int i = 0; i < CONTESTANTS && good; ++i) {
        filter_row* row = &bench->rows[size][i];
        // The first frame also makes buffers and kernels.
        const size_t skip = row->frames > 1;
        if (row->frames) row->spread = tact_spread_of(row->samples + skip, (size_t)row->frames - skip);
    }
    tact_plain_cullide_destroy(plain[0]);
    tact_plain_cullide_destroy(plain[1]);
    tact_filter_input_free(&input);
    return good;
}

// ---- Reporting ----

static double mean(uint64_t frames, uint64_t sum)
{
    return frames ? (double)sum / (double)frames : 0.0;
}

/// What a stage left in a frame, on average.
static void add_stage(tact_report* r, const char* head, const filter_row* row, tact_filter_stage stage, bool objects)
{
    const tact_filter_count* c = &row->stages[stage];
    tact_report_number(r, head, NULL, "%.0f",
                       c->ran ? mean(row->frames, objects ? c->objects : c->triangles) : (double)NAN);
}

static void add_stages(cJSON* entry, const filter_row* row)
{
    cJSON* stages = tact_json_array(entry, "stages");
    for (int s = 0; s < TACT_FILTER_STAGES; ++s) {
        const tact_filter_count* c = &row->stages[s];
        if (!c->ran) continue;
        cJSON* stage = tact_json_append(stages);
        tact_json_text(stage, "name", tact_filter_stage_name((tact_filter_stage)s));
        tact_json_number(stage, "objects", mean(row->frames, c->objects));
        tact_json_number(stage, "triangles", mean(row->frames, c->triangles));
        tact_json_number(stage, "rounds", mean(row->frames, c->rounds));
        tact_json_time(stage, "ms", c->ms / (double)row->frames);
    }
}

static void add_row(tact_report* r, const filter_bench* bench, int size, int i)
{
    const filter_row* row = &bench->rows[size][i];
    const bool cullide = contestants[i].cullide;
    const double left = mean(row->frames, row->left), nothing = (double)NAN;
    tact_report_row(r);
    tact_report_count(r, ">objects", "objects", bench->objects[size]);
    tact_report_count(r, ">triangles", "triangles", bench->triangles[size]);
    tact_report_text(r, "by", "by", contestants[i].name);
    tact_json_count(r->row, "frames", row->frames);
    tact_report_spread(r, ">ms", "ms", "%.3f", 1.0, &row->spread);
    add_stage(r, ">boxes", row, TACT_FILTER_BOXES, true);
    if (cullide)
        tact_report_number(r, ">left", "objects_left", "%.0f", left);
    else
        add_stage(r, ">left", row, TACT_FILTER_OBJECTS, true);
    add_stage(r, ">parts", row, TACT_FILTER_PARTS, false);
    add_stage(r, ">triangles left", row, TACT_FILTER_TRIANGLES, false);
    tact_report_number(r, ">collide", "colliding_objects", "%.0f", mean(bench->frames, bench->collided[size]));
    add_stage(r, ">in exact", row, TACT_FILTER_EXACT, false);
    tact_report_number(r, ">pairs", "pairs", "%.0f", cullide ? nothing : mean(row->frames, row->pairs));
    tact_report_count(r, ">lost", "lost", row->lost);
    if (!cullide) add_stages(r->row, row);
    tact_report_number(r, NULL, "rounds", NULL, cullide ? mean(row->frames, row->rounds) : nothing);
    tact_report_number(r, NULL, "draws", NULL, cullide ? mean(row->frames, row->draws) : nothing);
    tact_report_number(r, NULL, "queries", NULL, cullide ? mean(row->frames, row->queries) : nothing);
}

static bool report(filter_bench* bench, tact_problem* problem)
{
    tact_plot chart = {
        .x_label = "objects", .y_label = "milliseconds", .title = "Overlapping triangles of many objects, a frame"};
    tact_json_count(bench->run.report.root, "frames", bench->frames);
    for (int k = 0; k < SIZES * CONTESTANTS; ++k) {
        const int size = k / CONTESTANTS, i = k % CONTESTANTS;
        const filter_row* row = &bench->rows[size][i];
        if (!row->frames) continue;
        add_row(&bench->run.report, bench, size, i);
        tact_plot_add(&chart, contestants[i].name, contestants[i].cullide, (double)bench->objects[size],
                      row->spread.median);
    }
    char heading[200];
    snprintf(heading, sizeof heading,
             "means and medians of %" PRIu64 " frames; lost: over all frames, pairs, or objects that collide",
             bench->frames);
    return tact_bench_report(&bench->run, TACT_BACKEND_GL, heading, problem) &&
           (!bench->run.out || tact_plot_write(tact_bench_path_of(&bench->run, "filter.svg").text, &chart, problem));
}

static bool measure(filter_bench* bench, tact_problem* problem)
{
    const tact_result result = tact_filter_create(bench->run.session.context, &bench->filter);
    if (result < 0) return tact_problem_from_result(problem, result, bench->run.session.context, "the filter");
    bool good = tact_mesh_cube(1.0, &bench->cube, problem);
    for (int size = 0; size < SIZES && good; ++size)
        if (sizes[size] <= bench->most) good = measure_size(bench, size, problem);
    return good;
}

static void release(filter_bench* bench)
{
    for (int k = 0; k < SIZES * CONTESTANTS; ++k)
        free(bench->rows[k / CONTESTANTS][k % CONTESTANTS].samples);
    free(bench->pairs);
    free(bench->expected);
    free(bench->left);
    free(bench->boxes);
    tact_model_mesh_free(&bench->cube);
    tact_filter_destroy(bench->filter);
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    filter_bench* bench = (void*)run;
    if (run->common.backend != TACT_BACKEND_AUTO) {
        return tact_problem_set(problem, "--backend: all are measured beside each other");
    }
    if (run->common.repeat) return tact_problem_set(problem, "--repeat: --frames says how often");
    if (!bench->frames) bench->frames = run->quick ? 3 : 10;
    if (!bench->most) bench->most = run->quick ? 1000 : 10000;
    const bool good = tact_bench_begin(run, "bench filter", bench->frames, bench->frames, problem) &&
                      measure(bench, problem) && report(bench, problem);
    release(bench);
    return good && tact_bench_verdict(run->wrong, "frames have other pairs than the CPU's", problem);
}

static const char help_text[] =
    "Usage: tact bench filter [--frames N] [--cullide N] [--most N] [--out DIR] [options]\n\n"
    "Times the overlapping triangles of 100, 1,000 and 10,000 moving objects, frame after frame: on every backend, on\n"
    "devices with and without images, on OpenGL also with plain rasterisation's, and beside them the potentially\n"
    "colliding set of CULLIDE as published, of boxes and of objects. In every frame the pairs must be those of the\n"
    "CPU, of which only what may lose some may lack any.\n";

int tact_command_bench_filter(int argc, char** argv, tact_problem* problem)
{
    filter_bench bench = {.cullide_frames = 3};
    const tact_option own[] = {
        TACT_NUMBER("frames", "N", "of each size (default: 10, --quick: 3)", &bench.frames, 1, MOST_FRAMES),
        TACT_NUMBER("cullide", "N", "frames in which CULLIDE runs too (default: 3)", &bench.cullide_frames, 0,
                    MOST_FRAMES),
        TACT_NUMBER("most", "N", "objects at most (default: 10000, --quick: 1000)", &bench.most, 100, 10000),
        TACT_BENCH_QUICK(bench.run, "three frames, 1,000 objects at most, where not given"),
        TACT_BENCH_OUT(bench.run, "bench.json, bench.csv and a chart"),
        {.name = NULL},
    };
    return tact_bench_command(&bench.run, help_text, own, execute, argc, argv, problem);
}
