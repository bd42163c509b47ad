// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/digest.h"
#include "apps/explain_out.h"
#include "apps/inputs/npy.h"
#include "apps/inputs/volume_input.h"
#include "apps/json_out.h"
#include "apps/pictures/pairs.h"
#include "apps/progress.h"
#include "apps/session.h"
#include "apps/system.h"
#include "apps/timing.h"

typedef struct pairs_options {
    tact_common_options common;
    const char *boxes, *against, *spheres, *against_spheres, *scene, *out, *image, *speed_text;
    uint64_t random, count, frames;
    int method;  ///< a tact_pairs_method
    double speed;
    bool to_spheres;
} pairs_options;

/// One frame, or one repetition of a set at rest.
typedef struct pairs_step {
    double set_ms;  ///< the volumes given to the set
    double build_ms, upload_ms, query_ms, download_ms;
    uint64_t pairs, tests;
    uint64_t changes[3];  ///< begun, ended, kept: by tact_pair_change
    bool rebuilt;
} pairs_step;

/// What a run of the command holds; all of it is released at one place.
typedef struct pairs_run {
    pairs_options options;
    char source[256];
    tact_session session;
    tact_volume_input first, second, moved;
    bool two;
    tact_volume_set *a, *b;
    tact_progress progress;
    pairs_step* steps;
    size_t step_count;
    double first_ms;
    tact_query_report report;
    tact_pairs_info info;
    const tact_pair* pairs;  ///< of the last frame, in the set or the tracker
    size_t pair_count;
    tact_pair_tracker* tracker;  ///< with frames
    tact_digest digest;
} pairs_run;

static const char* const methods[] = {"auto", "brute", "sap", "grid", "hgrid", "bvh", "tree", NULL};

enum { DEFAULT_COUNT = 10000 };

static bool check_source(pairs_run* run, tact_problem* problem)
{
    const pairs_options* o = &run->options;
    const int sources = (o->boxes != NULL) + (o->spheres != NULL) + (o->scene != NULL) + (o->random != 0);
    if (sources == 0) {
        return tact_problem_set(problem, "one of --boxes FILE, --spheres FILE, --random N and --scene NAME is needed");
    }
    if (sources > 1) {
        return tact_problem_set(problem, "--boxes, --spheres, --random and --scene: one of them, not %d", sources);
    }
    if (o->against && o->against_spheres) {
        return tact_problem_set(problem, "--against and --against-spheres: one of them, not both");
    }
    if (o->scene && !tact_volume_scene_named(o->scene)) {
        char names[512] = "";
        for (size_t i = 0; i < tact_volume_scene_count; ++i) {
            const size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", tact_volume_scenes[i].name);
        }
        return tact_problem_set(problem, "--scene %s: must be one of %s", o->scene, names);
    }
    if (o->count && !o->scene) return tact_problem_set(problem, "--count %" PRIu64 ": needs --scene NAME", o->count);
    if (o->to_spheres && (o->boxes || o->spheres)) {
        return tact_problem_set(problem, "--as-spheres: is for generated sets (--random, --scene)");
    }
    return true;
}

static bool check_speed(pairs_run* run, tact_problem* problem)
{
    pairs_options* o = &run->options;
    o->speed = 0.1;
    if (!o->speed_text) return true;
    char* end = NULL;
    o->speed = strtod(o->speed_text, &end);
    if (end == o->speed_text || *end || !(o->speed >= 0.0) || !(o->speed <= 1e6)) {
        return tact_problem_set(problem, "--speed %s: must be a number from 0 to 1e6", o->speed_text);
    }
    return o->frames > 1 || tact_problem_set(problem, "--speed %s: needs --frames of 2 or more", o->speed_text);
}

static bool check_options(pairs_run* run, tact_problem* problem)
{
    const pairs_options* o = &run->options;
    if (!check_source(run, problem) || !check_speed(run, problem)) return false;
    if (o->frames > 1 && o->common.repeat) {
        return tact_problem_set(problem, "--repeat %" PRIu64 ": not with --frames; each frame is timed once",
                                o->common.repeat);
    }
    return tact_expect_check(&o->common, problem);
}

static bool load(pairs_run* run, tact_problem* problem)
{
    const pairs_options* o = &run->options;
    bool good;
    if (o->boxes || o->spheres) {
        const char* path = o->boxes ? o->boxes : o->spheres;
        good = tact_volume_input_read(path, o->boxes ? TACT_VOLUME_AABB : TACT_VOLUME_SPHERE, &run->first, problem);
        snprintf(run->source, sizeof run->source, "%s", path);
    } else {
        const tact_volume_scene* scene = tact_volume_scene_named(o->scene ? o->scene : "uniform");
        const uint64_t count = o->scene ? (o->count ? o->count : DEFAULT_COUNT) : o->random;
        good = tact_volume_input_make(scene, (size_t)count, o->common.seed, &run->first, problem) &&
               (!o->to_spheres || tact_volume_input_to_spheres(&run->first, problem));
        snprintf(run->source, sizeof run->source, "%s:%" PRIu64, scene->name, count);
    }
    const char* other = o->against ? o->against : o->against_spheres;
    run->two = other != NULL;
    if (good && other) {
        good = tact_volume_input_read(other, o->against ? TACT_VOLUME_AABB : TACT_VOLUME_SPHERE, &run->second, problem);
    }
    return good;
}

/// Makes the sets anew: a set that is only filled again may know that nothing has changed.
static tact_result make_sets(pairs_run* run, const tact_volume_input* volumes, double* ms)
{
    tact_context* context = run->session.context;
    tact_volume_set_destroy(run->a);
    tact_volume_set_destroy(run->b);
    run->a = run->b = NULL;
    const double start = tact_system_milliseconds();
    tact_result result = tact_volume_input_create_set(volumes, context, &run->a);
    if (result == TACT_OK) result = tact_volume_input_fill_set(volumes, run->a);
    if (result == TACT_OK && run->two) {
        result = tact_volume_input_create_set(&run->second, context, &run->b);
        if (result == TACT_OK) result = tact_volume_input_fill_set(&run->second, run->b);
    }
    *ms = tact_system_milliseconds() - start;
    return result;
}

static tact_result move_set(pairs_run* run, const tact_volume_input* volumes, double* ms)
{
    const double start = tact_system_milliseconds();
    const tact_result result = tact_volume_input_move_set(volumes, run->a);
    *ms = tact_system_milliseconds() - start;
    return result;
}

/// Asks for the pairs; with a tracker, also for what has changed.
static tact_result ask(pairs_run* run, pairs_step* step)
{
    const pairs_options* o = &run->options;
    tact_query_options options = tact_query_asked(&o->common);
    options.progress = tact_progress_update;
    options.progress_user = &run->progress;
    const tact_pairs_method method = (tact_pairs_method)o->method;
    tact_result result;
    if (run->tracker) {
        result = tact_pair_tracker_update(run->tracker, method, &options, &run->report);
        run->pairs = tact_pair_tracker_pairs(run->tracker, TACT_PAIRS_CURRENT, &run->pair_count);
        for (int i = 0; i < 3; ++i) {
            size_t count = 0;
            tact_pair_tracker_pairs(run->tracker, (tact_pair_change)i, &count);
            step->changes[i] = count;
        }
    } else {
        size_t count = 0;
        result = tact_pairs_find(run->a, run->b, method, NULL, 0, &count, &options, &run->report);
        run->pairs = tact_pairs_last(run->a, &run->pair_count);
    }
    return result;
}

/// Gives the set its volumes, anew or moved, and finds the pairs.
static bool find(pairs_run* run, const tact_volume_input* volumes, bool move, bool track, pairs_step* step,
                 tact_problem* problem)
{
    tact_context* context = run->session.context;
    *step = (pairs_step){0};
    tact_result result = move ? move_set(run, volumes, &step->set_ms) : make_sets(run, volumes, &step->set_ms);
    if (result < 0) return tact_problem_from_result(problem, result, context, "filling the set");
    if (track && !run->tracker) result = tact_pair_tracker_create(run->a, run->b, &run->tracker);
    if (result == TACT_OK) result = ask(run, step);
    if (result < 0) return tact_problem_from_result(problem, result, context, "the query");
    const tact_query_report* r = &run->report;
    tact_pairs_get_info(run->a, &run->info);
    step->build_ms = r->build_ms;
    step->upload_ms = r->upload_ms;
    step->query_ms = r->query_ms;
    step->download_ms = r->download_ms;
    step->pairs = run->pair_count;
    step->tests = run->info.tests;
    step->rebuilt = run->info.rebuilt;
    return true;
}

static tact_digest digest_of_pairs(const pairs_run* run)
{
    return tact_digest_of(run->pairs, run->pair_count * sizeof *run->pairs);
}

/// Frame 0 is the set as given. The digest is the last frame's.
static bool find_frames(pairs_run* run, tact_problem* problem)
{
    const pairs_options* o = &run->options;
    if (!tact_volume_input_like(&run->first, &run->moved, problem)) return false;
    for (uint64_t i = 0; i < o->frames; ++i) {
        run->progress.part = i;
        pairs_step* step = &run->steps[run->step_count++];
        if (!tact_volume_input_move(&run->first, o->common.seed + 1, (unsigned)i, o->speed, &run->moved, problem) ||
            !find(run, &run->moved, i > 0, true, step, problem)) {
            return false;
        }
        if (i == 0) run->first_ms = step->set_ms + run->report.total_ms;
    }
    run->digest = digest_of_pairs(run);
    return true;
}

static bool find_repeatedly(pairs_run* run, size_t repeat, bool warm_up, tact_problem* problem)
{
    for (size_t i = 0; i < repeat + (warm_up ? 1 : 0); ++i) {
        run->progress.part = i;
        pairs_step* step = &run->steps[warm_up && i > 0 ? i - 1 : i];
        if (!find(run, &run->first, false, false, step, problem)) return false;
        const tact_digest digest = digest_of_pairs(run);
        if (i == 0) {
            run->digest = digest;
            run->first_ms = step->set_ms + run->report.total_ms;
        } else if (strcmp(digest.text, run->digest.text) != 0) {
            tact_problem_set(problem, "%s gave other bytes when asked again: digest %s, then %s",
                             tact_backend_name(run->report.backend), run->digest.text, digest.text);
            problem->exit_code = TACT_EXIT_CHECK_FAILED;
            return false;
        }
    }
    run->step_count = repeat;
    return true;
}

static bool find_all(pairs_run* run, tact_problem* problem)
{
    const pairs_options* o = &run->options;
    const bool frames = o->frames > 1;
    const size_t repeat = o->common.repeat ? (size_t)o->common.repeat : 1;
    // Brute force has nothing to warm up and takes its time.
    const bool warm_up = o->common.backend != TACT_BACKEND_REFERENCE && o->method != TACT_PAIRS_BRUTE;
    const size_t most = frames ? (size_t)o->frames : repeat + 1;
    run->steps = calloc(most, sizeof *run->steps);
    if (!run->steps) return tact_problem_out_of_memory(problem, "the measurements");
    tact_progress_start(&run->progress, "finding pairs", o->common.quiet);
    run->progress.parts = frames ? o->frames : repeat + (warm_up ? 1 : 0);
    const bool good = frames ? find_frames(run, problem) : find_repeatedly(run, repeat, warm_up, problem);
    tact_progress_end(&run->progress);
    return good;
}

static double median_of(const pairs_run* run, size_t offset)
{
    double* values = malloc(run->step_count * sizeof *values);
    if (!values) return 0.0;
    for (size_t i = 0; i < run->step_count; ++i)
        memcpy(&values[i], (const char*)&run->steps[i] + offset, sizeof *values);
    const double median = tact_spread_of(values, run->step_count).median;
    free(values);
    return median;
}

/// The report as the command gives it: medians, and filling the set in the time for building.
static void summarize(pairs_run* run)
{
    tact_query_report* r = &run->report;
    r->build_ms = median_of(run, offsetof(pairs_step, set_ms)) + median_of(run, offsetof(pairs_step, build_ms));
    r->upload_ms = median_of(run, offsetof(pairs_step, upload_ms));
    r->query_ms = median_of(run, offsetof(pairs_step, query_ms));
    r->download_ms = median_of(run, offsetof(pairs_step, download_ms));
    r->total_ms = r->build_ms + r->upload_ms + r->query_ms + r->download_ms;
}

static void frames_to_json(const pairs_run* run, cJSON* root)
{
    cJSON* frames = tact_json_array(root, "frames");
    for (size_t i = 0; i < run->step_count; ++i) {
        const pairs_step* s = &run->steps[i];
        cJSON* entry = tact_json_append(frames);
        tact_json_count(entry, "pairs", s->pairs);
        tact_json_count(entry, "begun", s->changes[TACT_PAIRS_BEGUN]);
        tact_json_count(entry, "ended", s->changes[TACT_PAIRS_ENDED]);
        tact_json_count(entry, "kept", s->changes[TACT_PAIRS_KEPT]);
        tact_json_count(entry, "tests", s->tests);
        tact_json_truth(entry, "rebuilt", s->rebuilt);
        cJSON* times = tact_json_object(entry, "time_ms");
        tact_json_number(times, "set", s->set_ms);
        tact_json_number(times, "build", s->build_ms);
        tact_json_number(times, "upload", s->upload_ms);
        tact_json_number(times, "query", s->query_ms);
        tact_json_number(times, "download", s->download_ms);
    }
}

static bool report_json(const pairs_run* run, tact_problem* problem)
{
    const pairs_options* o = &run->options;
    cJSON* root = cJSON_CreateObject();
    tact_json_query(root, "pairs", &run->report, run->first.count, run->pair_count, run->digest.text);
    tact_explain_json(root, &run->session, &run->options.common);
    tact_json_count(root, "boxes", run->first.count);
    if (run->two) tact_json_count(root, "against", run->second.count);
    tact_json_count(root, "pairs", run->pair_count);
    tact_json_text(root, "method", tact_pairs_method_name(run->info.method));
    tact_json_text(root, "method_reason", run->info.reason);
    tact_json_text(root, "kind", run->first.kind == TACT_VOLUME_SPHERE ? "spheres" : "boxes");
    tact_json_text(root, "source", run->source);
    tact_json_count(root, "seed", o->common.seed);
    tact_json_count(root, "tests", run->info.tests);
    tact_json_truth(root, "rebuilt", run->info.rebuilt);
    tact_json_number(root, "set_ms", median_of(run, offsetof(pairs_step, set_ms)));
    tact_json_number(root, "first_run_ms", run->first_ms);
    tact_json_count(root, "failures", run->report.failures);
    if (o->common.shadow) tact_json_text(root, "shadow", "equal");
    if (o->frames > 1) {
        tact_json_number(root, "speed", o->speed);
        frames_to_json(run, root);
    } else {
        tact_json_count(root, "repeat", run->step_count);
    }
    const bool good = tact_json_print(root, problem);
    cJSON_Delete(root);
    return good;
}

static void print_frames(const pairs_run* run)
{
    const uint64_t shown = run->step_count < 12 ? run->step_count : 10;
    printf("frames  %zu; each: pairs, begun, ended, milliseconds\n", run->step_count);
    for (size_t i = 0; i < run->step_count; ++i) {
        if (i >= shown / 2 && i + shown - shown / 2 < run->step_count) {
            if (i == shown / 2) puts("        ...");
            continue;
        }
        const pairs_step* s = &run->steps[i];
        printf("  %5zu %10" PRIu64 " %9" PRIu64 " %9" PRIu64 " %10.3f%s\n", i, s->pairs, s->changes[TACT_PAIRS_BEGUN],
               s->changes[TACT_PAIRS_ENDED], s->set_ms + s->build_ms + s->upload_ms + s->query_ms + s->download_ms,
               s->rebuilt ? "  built anew" : "");
    }
}

static void report_people(const pairs_run* run)
{
    const tact_query_report* r = &run->report;
    printf("volumes %zu %s (%s)", run->first.count, run->first.kind == TACT_VOLUME_SPHERE ? "spheres" : "boxes",
           run->source);
    if (run->two) {
        printf(" against %zu %s", run->second.count, run->second.kind == TACT_VOLUME_SPHERE ? "spheres" : "boxes");
    }
    printf("\ndevice  %s: %s%s", tact_backend_name(r->backend), r->device,
           r->software && r->threads == 0 ? " (software)" : "");
    if (r->threads > 0) printf(", %d thread%s", r->threads, r->threads == 1 ? "" : "s");
    printf("\nreason  %s\n", r->reason);
    printf("method  %s (%s)\n", tact_pairs_method_name(run->info.method), run->info.reason);
    if (run->options.frames > 1) print_frames(run);
    printf("pairs   %zu (%.2f a volume)", run->pair_count,
           run->first.count ? (double)run->pair_count / (double)run->first.count : 0.0);
    if (run->info.tests) printf(", %" PRIu64 " tests", run->info.tests);
    printf("\ndigest  %s%s%s\n", run->digest.text, run->options.frames > 1 ? " of the last frame" : "",
           run->options.common.shadow ? ", equal to the reference" : "");
    printf("time    build %.3f ms (of it the set %.3f), upload %.3f, query %.3f, download %.3f, total %.3f\n",
           r->build_ms, median_of(run, offsetof(pairs_step, set_ms)), r->upload_ms, r->query_ms, r->download_ms,
           r->total_ms);
    printf("memory  %.1f MB\n", (double)r->memory_bytes * 1e-6);
}

static bool write_outputs(const pairs_run* run, tact_problem* problem)
{
    const pairs_options* o = &run->options;
    if (o->out && !tact_npy_write(o->out, TACT_NPY_UINT32, run->pair_count, 2, run->pairs, problem)) return false;
    if (!o->image) return true;
    const tact_pairs_picture picture = {.a = o->frames > 1 ? &run->moved : &run->first,
                                        .b = run->two ? &run->second : NULL,
                                        .pairs = run->pairs,
                                        .pair_count = run->pair_count};
    return tact_pairs_picture_write(o->image, &picture, problem);
}

static bool execute(pairs_run* run, tact_problem* problem)
{
    const pairs_options* o = &run->options;
    if (!check_options(run, problem) || !load(run, problem)) return false;
    if (!tact_session_open(&run->session, &o->common, problem)) return false;
    if (!find_all(run, problem) || !write_outputs(run, problem)) return false;
    summarize(run);
    if (o->common.json) {
        if (!report_json(run, problem)) return false;
    } else {
        report_people(run);
        tact_explain_print(&run->session, &run->options.common);
    }
    return tact_expect_digest(&o->common, run->digest.text, problem);
}

static void release(pairs_run* run)
{
    tact_pair_tracker_destroy(run->tracker);
    tact_volume_set_destroy(run->a);
    tact_volume_set_destroy(run->b);
    tact_session_close(&run->session);
    tact_volume_input_free(&run->first);
    tact_volume_input_free(&run->second);
    tact_volume_input_free(&run->moved);
    free(run->steps);
}

static const char help_text[] =
    "Usage: tact pairs (--boxes FILE.npy | --spheres FILE.npy | --random N | --scene NAME) [options]\n\n"
    "Finds all overlapping pairs within a set of boxes or spheres, or between two sets.\n";

int tact_command_pairs(int argc, char** argv, tact_problem* problem)
{
    pairs_run run = {0};
    pairs_options* o = &run.options;
    tact_option common[TACT_QUERY_OPTIONS];
    tact_query_table(&o->common, common);
    const tact_option own[] = {
        {"boxes", "FILE.npy", "boxes, float32 (n, 6): minx miny minz maxx maxy maxz", TACT_OPTION_TEXT, &o->boxes, 0, 0,
         NULL},
        {"spheres", "FILE.npy", "spheres, float32 (n, 4): x y z radius", TACT_OPTION_TEXT, &o->spheres, 0, 0, NULL},
        {"random", "N", "N boxes in the unit cube, about four overlaps each", TACT_OPTION_NUMBER, &o->random, 1,
         TACT_VOLUME_INPUT_MOST, NULL},
        {"scene", "NAME", "a generated set: uniform, clustered, sizes, line, ...", TACT_OPTION_TEXT, &o->scene, 0, 0,
         NULL},
        {"count", "N", "of the generated set (default 10000)", TACT_OPTION_NUMBER, &o->count, 1, TACT_VOLUME_INPUT_MOST,
         NULL},
        {"as-spheres", NULL, "the spheres inside the generated boxes", TACT_OPTION_FLAG, &o->to_spheres, 0, 0, NULL},
        {"against", "FILE.npy", "a second set, of boxes", TACT_OPTION_TEXT, &o->against, 0, 0, NULL},
        {"against-spheres", "FILE.npy", "a second set, of spheres", TACT_OPTION_TEXT, &o->against_spheres, 0, 0, NULL},
        {"method", "M", "auto (default), brute, sap, grid, hgrid, bvh or tree", TACT_OPTION_CHOICE, &o->method, 0, 0,
         methods},
        {"frames", "K", "K frames of motion; the first is the set as given", TACT_OPTION_NUMBER, &o->frames, 1, 1000000,
         NULL},
        {"speed", "S", "of its largest width a volume moves at most a frame (default 0.1)", TACT_OPTION_TEXT,
         &o->speed_text, 0, 0, NULL},
        {"out", "FILE.npy", "write the pairs", TACT_OPTION_TEXT, &o->out, 0, 0, NULL},
        {"image", "FILE.png", "write a picture, seen from +z", TACT_OPTION_TEXT, &o->image, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, NULL, argc, argv, &work, problem) && (!work || execute(&run, problem));
    release(&run);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
