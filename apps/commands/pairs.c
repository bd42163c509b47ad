// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/inputs/npy.h"
#include "apps/inputs/volume_input.h"
#include "apps/pictures/pictures.h"
#include "apps/query_command.h"
#include "apps/ranks.h"
#include "apps/system.h"
#include "tact/ranks_queries.h"

/// One frame, or one repetition of a set at rest.
typedef struct pairs_step {
    double set_ms;  ///< the volumes given to the set
    tact_query_report report;
    uint64_t pairs, tests;
    uint64_t changes[3];  ///< begun, ended, kept: by tact_pair_change
    bool rebuilt;
} pairs_step;

typedef struct pairs_run {
    tact_query_run run;
    const char *boxes, *against, *spheres, *against_spheres, *scene, *out, *image, *speed_text;
    uint64_t random, scene_count;
    int method;  ///< a tact_pairs_method
    double speed;
    bool to_spheres;
    char source[256];
    tact_volume_input first, second, moved;
    bool two;
    tact_volumes *a, *b;
    pairs_step* steps;
    double set_ms;  ///< median
    tact_pairs_info info;
    const tact_pair* found;  ///< of the last frame, in the set or the tracker, or `collected`
    size_t found_count;
    tact_pair* collected;        ///< with --mpi, on rank 0: of all ranks
    tact_pair_tracker* tracker;  ///< with frames
} pairs_run;

static const char* const methods[] = {"auto", "brute", "sap", "grid", "hgrid", "bvh", "tree", NULL};

enum { DEFAULT_COUNT = 10000 };

static bool check_source(pairs_run* p, tact_problem* problem)
{
    const int sources = (p->boxes != NULL) + (p->spheres != NULL) + (p->scene != NULL) + (p->random != 0);
    if (sources == 0) {
        return tact_problem_set(problem, "one of --boxes FILE, --spheres FILE, --random N and --scene NAME is needed");
    }
    if (sources > 1) {
        return tact_problem_set(problem, "--boxes, --spheres, --random and --scene: one of them, not %d", sources);
    }
    if (p->against && p->against_spheres) {
        return tact_problem_set(problem, "--against and --against-spheres: one of them, not both");
    }
    if (p->scene && !tact_volume_scene_named(p->scene)) {
        char names[512] = "";
        for (size_t i = 0; i < tact_volume_scene_count; ++i) {
            const size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", tact_volume_scenes[i].name);
        }
        return tact_problem_set(problem, "--scene %s: must be one of %s", p->scene, names);
    }
    if (p->scene_count && !p->scene)
        return tact_problem_set(problem, "--count %" PRIu64 ": needs --scene NAME", p->scene_count);
    if (p->to_spheres && (p->boxes || p->spheres)) {
        return tact_problem_set(problem, "--as-spheres: is for generated sets (--random, --scene)");
    }
    return true;
}

static bool check_speed(pairs_run* p, tact_problem* problem)
{
    p->speed = 0.1;
    if (!p->speed_text) return true;
    char* end = NULL;
    p->speed = strtod(p->speed_text, &end);
    if (end == p->speed_text || *end || !(p->speed >= 0.0) || !(p->speed <= 1e6)) {
        return tact_problem_set(problem, "--speed %s: must be a number from 0 to 1e6", p->speed_text);
    }
    return p->run.frames > 1 || tact_problem_set(problem, "--speed %s: needs --frames of 2 or more", p->speed_text);
}

static bool check_options(pairs_run* p, tact_problem* problem)
{
    if (!check_source(p, problem) || !check_speed(p, problem)) return false;
    if (p->run.frames > 1 && p->run.common.repeat) {
        return tact_problem_set(problem, "--repeat %" PRIu64 ": not with --frames; each frame is timed once",
                                p->run.common.repeat);
    }
    return p->run.frames < 2 || !p->run.common.mpi ||
           tact_problem_set(problem, "--frames %" PRIu64 ": not with --mpi", p->run.frames);
}

static bool load_volumes(pairs_run* p, tact_problem* problem)
{
    bool good;
    if (p->boxes || p->spheres) {
        const char* path = p->boxes ? p->boxes : p->spheres;
        good = tact_volume_input_read(path, p->boxes ? TACT_VOLUME_AABB : TACT_VOLUME_SPHERE, &p->first, problem);
        snprintf(p->source, sizeof p->source, "%s", path);
    } else {
        const tact_volume_scene* scene = tact_volume_scene_named(p->scene ? p->scene : "uniform");
        const uint64_t count = p->scene ? (p->scene_count ? p->scene_count : DEFAULT_COUNT) : p->random;
        good = tact_volume_input_make(scene, (size_t)count, p->run.common.seed, &p->first, problem) &&
               (!p->to_spheres || tact_volume_input_to_spheres(&p->first, problem));
        snprintf(p->source, sizeof p->source, "%s:%" PRIu64, scene->name, count);
    }
    const char* other = p->against ? p->against : p->against_spheres;
    p->two = other != NULL;
    if (good && other) {
        good = tact_volume_input_read(other, p->against ? TACT_VOLUME_AABB : TACT_VOLUME_SPHERE, &p->second, problem);
    }
    return good;
}

static bool load(void* command, tact_problem* problem)
{
    pairs_run* p = command;
    const uint64_t runs = p->run.frames > 1 ? p->run.frames : p->run.common.repeat + 2;
    if (!check_options(p, problem) || !load_volumes(p, problem)) return false;
    p->run.count = p->first.count;
    p->run.cold = p->method == TACT_PAIRS_BRUTE;
    p->steps = tact_query_room(NULL, runs, sizeof *p->steps, problem);
    return p->steps && (p->run.frames < 2 || tact_volume_input_like(&p->first, &p->moved, problem));
}

/// What this process has of the volumes.
static tact_volume_input own_part(const pairs_run* p, const tact_volume_input* all)
{
    uint64_t begin = 0, own = 0;
    tact_query_slice(&p->run, all->count, &begin, &own);
    tact_volume_input part = *all;
    part.count = (size_t)own;
    if (part.boxes) part.boxes += begin;
    if (part.spheres) part.spheres += begin;
    return part;
}

/// Makes the sets anew: a set that is only filled again may know that nothing has changed.
static tact_result make_sets(pairs_run* p, const tact_volume_input* volumes)
{
    tact_context* context = p->run.session.context;
    tact_volumes_destroy(p->a);
    tact_volumes_destroy(p->b);
    p->a = p->b = NULL;
    const tact_volume_input first = own_part(p, volumes), second = own_part(p, &p->second);
    tact_result result = tact_volume_input_create_set(&first, context, &p->a);
    if (result == TACT_OK) result = tact_volume_input_fill_set(&first, p->a);
    if (result == TACT_OK && p->two) {
        result = tact_volume_input_create_set(&second, context, &p->b);
        if (result == TACT_OK) result = tact_volume_input_fill_set(&second, p->b);
    }
    return result;
}

/// Frame 0 is the set as given.
static bool fill(pairs_run* p, double* ms, tact_problem* problem)
{
    const uint64_t frame = p->run.run;
    const tact_volume_input* volumes = p->run.frames > 1 ? &p->moved : &p->first;
    if (volumes == &p->moved &&
        !tact_volume_input_move(&p->first, p->run.common.seed + 1, (unsigned)frame, p->speed, &p->moved, problem)) {
        return false;
    }
    const double start = tact_system_milliseconds();
    tact_result result =
        volumes == &p->moved && frame > 0 ? tact_volume_input_move_set(volumes, p->a) : make_sets(p, volumes);
    *ms = tact_system_milliseconds() - start;
    if (result == TACT_OK && volumes == &p->moved && !p->tracker) {
        result = tact_pair_tracker_create(p->a, p->b, &p->tracker);
    }
    return tact_query_succeeded(&p->run, result, "filling the set", problem);
}

/// The pairs; with a tracker, also what has changed.
static tact_result find(pairs_run* p, const tact_query_options* options, pairs_step* step)
{
    const tact_pairs_method method = (tact_pairs_method)p->method;
    if (!p->tracker) {
        size_t count = 0;
        const tact_result result = tact_pairs_find(
            p->a, &(tact_pairs_work){.b = p->b, .method = method, .count = &count}, options, &p->run.report);
        p->found = tact_pairs_last(p->a, &p->found_count);
        return result;
    }
    const tact_result result = tact_pair_tracker_update(p->tracker, method, options, &p->run.report);
    p->found = tact_pair_tracker_pairs(p->tracker, TACT_PAIRS_CURRENT, &p->found_count);
    for (int i = 0; i < 3; ++i) {
        size_t count = 0;
        tact_pair_tracker_pairs(p->tracker, (tact_pair_change)i, &count);
        step->changes[i] = count;
    }
    return result;
}

/// The pairs of all ranks, on rank 0.
static bool find_over_ranks(pairs_run* p, const tact_query_options* options, tact_problem* problem)
{
    uint64_t count = 0;
    size_t own = 0;
    const tact_ranks_pairs_work work = {.b = p->b, .method = (tact_pairs_method)p->method, .count = &count};
    const tact_result result = tact_ranks_find_pairs(p->run.session.ranks, p->a, &work, options, &p->run.report);
    if (!tact_query_succeeded(&p->run, result, "the query", problem)) return false;
    const tact_pair* pairs = tact_pairs_last(p->a, &own);
    if (tact_tool_prints()) {
        p->collected = tact_query_room(p->collected, count, sizeof *p->collected, problem);
        if (!p->collected) return false;
        p->found = p->collected;
        p->found_count = (size_t)count;
    }
    return tact_query_collect(&p->run, pairs, own * sizeof *pairs, p->collected, count * sizeof *pairs, problem);
}

static bool ask(void* command, const tact_query_options* options, tact_problem* problem)
{
    pairs_run* p = command;
    pairs_step* step = &p->steps[p->run.run];
    *step = (pairs_step){0};
    if (!fill(p, &step->set_ms, problem)) return false;
    if (p->run.session.ranks) {
        if (!find_over_ranks(p, options, problem)) return false;
    } else if (!tact_query_succeeded(&p->run, find(p, options, step), "the query", problem)) {
        return false;
    }
    tact_pairs_get_info(p->a, &p->info);
    step->report = p->run.report;
    step->pairs = p->found_count;
    step->tests = p->info.tests;
    step->rebuilt = p->info.rebuilt;
    // Filling the set is part of building.
    p->run.report.build_ms += step->set_ms;
    p->run.report.total_ms += step->set_ms;
    p->run.found = p->found_count;
    p->run.answer = p->found;
    p->run.answer_bytes = p->found_count * sizeof *p->found;
    return true;
}

static bool finish(void* command, tact_problem* problem)
{
    pairs_run* p = command;
    const size_t timed = p->run.times.runs, first = (size_t)p->run.run - timed;
    double* set_ms = tact_query_room(NULL, timed, sizeof *set_ms, problem);
    if (!set_ms) return false;
    for (size_t i = 0; i < timed; ++i)
        set_ms[i] = p->steps[first + i].set_ms;
    p->set_ms = tact_spread_of(set_ms, timed).median;
    free(set_ms);
    if (p->out && !tact_npy_write(p->out, TACT_NPY_UINT32, p->found_count, 2, p->found, problem)) return false;
    const tact_pairs_picture picture = {.a = p->run.frames > 1 ? &p->moved : &p->first,
                                        .b = p->two ? &p->second : NULL,
                                        .pairs = p->found,
                                        .pair_count = p->found_count};
    return !p->image || tact_pairs_picture_write(p->image, &picture, problem);
}

static const char* kind_name(const tact_volume_input* volumes)
{
    return volumes->kind == TACT_VOLUME_SPHERE ? "spheres" : "boxes";
}

static void frames_to_json(const pairs_run* p, cJSON* root)
{
    cJSON* frames = tact_json_array(root, "frames");
    for (uint64_t i = 0; i < p->run.frames; ++i) {
        const pairs_step* s = &p->steps[i];
        cJSON* entry = tact_json_append(frames);
        tact_json_count(entry, "pairs", s->pairs);
        tact_json_count(entry, "begun", s->changes[TACT_PAIRS_BEGUN]);
        tact_json_count(entry, "ended", s->changes[TACT_PAIRS_ENDED]);
        tact_json_count(entry, "kept", s->changes[TACT_PAIRS_KEPT]);
        tact_json_count(entry, "tests", s->tests);
        tact_json_truth(entry, "rebuilt", s->rebuilt);
        cJSON* times = tact_json_object(entry, "time_ms");
        tact_json_time(times, "set", s->set_ms);
        tact_json_time(times, "build", s->report.build_ms);
        tact_json_time(times, "upload", s->report.upload_ms);
        tact_json_time(times, "query", s->report.query_ms);
        tact_json_time(times, "download", s->report.download_ms);
    }
}

static void json(const void* command, cJSON* root)
{
    const pairs_run* p = command;
    tact_json_count(root, "boxes", p->first.count);
    if (p->two) tact_json_count(root, "against", p->second.count);
    tact_json_count(root, "pairs", p->found_count);
    tact_json_text(root, "method", tact_pairs_method_name(p->info.method));
    tact_json_text(root, "method_reason", p->info.reason);
    tact_json_text(root, "kind", kind_name(&p->first));
    tact_json_text(root, "source", p->source);
    tact_json_count(root, "tests", p->info.tests);
    tact_json_truth(root, "rebuilt", p->info.rebuilt);
    tact_json_time(root, "set_ms", p->set_ms);
    if (p->run.frames < 2) return;
    tact_json_number(root, "speed", p->speed);
    frames_to_json(p, root);
}

static void print_frames(const pairs_run* p)
{
    const uint64_t frames = p->run.frames, shown = frames < 12 ? frames : 10;
    printf("frames  %" PRIu64 "; each: pairs, begun, ended, milliseconds\n", frames);
    for (uint64_t i = 0; i < frames; ++i) {
        if (i >= shown / 2 && i + shown - shown / 2 < frames) {
            if (i == shown / 2) puts("        ...");
            continue;
        }
        const pairs_step* s = &p->steps[i];
        printf("  %5" PRIu64 " %10" PRIu64 " %9" PRIu64 " %9" PRIu64 " %10.3f%s\n", i, s->pairs,
               s->changes[TACT_PAIRS_BEGUN], s->changes[TACT_PAIRS_ENDED],
               s->set_ms + s->report.build_ms + s->report.upload_ms + s->report.query_ms + s->report.download_ms,
               s->rebuilt ? "  built anew" : "");
    }
}

static void print(const void* command)
{
    const pairs_run* p = command;
    printf("volumes %zu %s (%s)", p->first.count, kind_name(&p->first), p->source);
    if (p->two) printf(" against %zu %s", p->second.count, kind_name(&p->second));
    printf("\nmethod  %s (%s)\n", tact_pairs_method_name(p->info.method), p->info.reason);
    if (p->run.frames > 1) print_frames(p);
    printf("pairs   %zu (%.2f a volume)", p->found_count,
           p->first.count ? (double)p->found_count / (double)p->first.count : 0.0);
    if (p->info.tests) printf(", %" PRIu64 " tests", p->info.tests);
    printf("\nset     filled in %.3f ms, a part of building\n", p->set_ms);
}

static void release(void* command)
{
    pairs_run* p = command;
    tact_pair_tracker_destroy(p->tracker);
    tact_volumes_destroy(p->a);
    tact_volumes_destroy(p->b);
    tact_volume_input_free(&p->first);
    tact_volume_input_free(&p->second);
    tact_volume_input_free(&p->moved);
    free(p->collected);
    free(p->steps);
}

static const tact_query_command description = {
    .name = "pairs",
    .help =
        "Usage: tact pairs (--boxes FILE.npy | --spheres FILE.npy | --random N | --scene NAME) [options]\n\n"
        "Finds all overlapping pairs within a set of boxes or spheres, or between two sets.\n",
    .doing = "finding pairs",
    .rebuilds = true,
    TACT_QUERY_FUNCTIONS,
};

int tact_command_pairs(int argc, char** argv, tact_problem* problem)
{
    pairs_run p = {.source = ""};
    const tact_option own[] = {
        TACT_TEXT("boxes", "FILE.npy", "boxes, float32 (n, 6): minx miny minz maxx maxy maxz", &p.boxes),
        TACT_TEXT("spheres", "FILE.npy", "spheres, float32 (n, 4): x y z radius", &p.spheres),
        TACT_NUMBER("random", "N", "N boxes in the unit cube, about four overlaps each", &p.random, 1,
                    TACT_VOLUME_INPUT_MOST),
        TACT_TEXT("scene", "NAME", "a generated set: uniform, clustered, sizes, line, ...", &p.scene),
        TACT_NUMBER("count", "N", "of the generated set (default 10000)", &p.scene_count, 1, TACT_VOLUME_INPUT_MOST),
        TACT_FLAG("as-spheres", "the spheres inside the generated boxes", &p.to_spheres),
        TACT_TEXT("against", "FILE.npy", "a second set, of boxes", &p.against),
        TACT_TEXT("against-spheres", "FILE.npy", "a second set, of spheres", &p.against_spheres),
        TACT_CHOICE("method", "M", "auto (default), brute, sap, grid, hgrid, bvh or tree", &p.method, methods),
        TACT_NUMBER("frames", "K", "K frames of motion; the first is the set as given", &p.run.frames, 1, 1000000),
        TACT_TEXT("speed", "S", "of its largest width a volume moves at most a frame (default 0.1)", &p.speed_text),
        TACT_MPI_OPTION(&p.run.common),
        TACT_OUTPUT("out", "FILE.npy", "write the pairs", &p.out),
        TACT_PICTURE("image", "write a picture, seen from +z", &p.image),
        {.name = NULL},
    };
    return tact_query_command_run(&description, &p, own, NULL, argc, argv, problem);
}
