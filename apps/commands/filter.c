// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/digest.h"
#include "apps/explain_out.h"
#include "apps/inputs/filter_input.h"
#include "apps/inputs/npy.h"
#include "apps/json_out.h"
#include "apps/pictures/filter.h"
#include "apps/progress.h"
#include "apps/session.h"
#include "apps/system.h"
#include "apps/timing.h"

_Static_assert(sizeof(tact_filter_pair) == 16, "rows of four numbers");

enum { FIRST_ROOM = 1 << 16, PICTURE_SIDE = 1024, MOST_OBJECTS = 1 << 24 };

typedef struct filter_options {
    tact_common_options common;
    tact_text_list files;
    const char *pairs, *image;
    uint64_t copies, frames;  ///< 0: not given
    bool reliable, fast;
} filter_options;

/// One frame, or the last repetition.
typedef struct filter_frame {
    tact_filter_count stages[TACT_FILTER_STAGES];
    uint64_t pairs, object_pairs, colliding;
    double ms;
    tact_digest digest;
} filter_frame;

/// What a run of the command holds; all of it is released at one place.
typedef struct filter_run {
    filter_options options;
    tact_filter_input input;
    tact_session session;
    tact_filter* filter;
    tact_progress progress;
    tact_filter_pair* pairs;  ///< of the last run
    size_t pair_count, pair_room;
    bool* touched;  ///< objects that collide
    filter_frame* frames;
    size_t frame_count;
    tact_query_report report;
    uint64_t memory;
    double first_ms;
    tact_phase_times times;
} filter_run;

static bool check_options(const filter_options* o, tact_problem* problem)
{
    if (o->files.count == 0 && !o->copies) return tact_problem_set(problem, "a FILE or --random-scene N is needed");
    if (o->frames > 1 && o->common.repeat) {
        return tact_problem_set(problem, "--repeat %" PRIu64 ": not with --frames; each frame is timed once",
                                o->common.repeat);
    }
    if (o->reliable && o->fast) return tact_problem_set(problem, "--reliable: not with --fast, which may lose pairs");
    // Pairs that --fast loses are in the reference's, and how many may be is unknown.
    if (o->common.shadow && o->fast)
        return tact_problem_set(problem, "--shadow: not with --fast, which may lose pairs");
    return tact_expect_check(&o->common, problem);
}

// ---- Running ----

/// Finds the pairs, with room for them. The report and counts are those of the run that had it.
static bool find(filter_run* run, filter_frame* frame, tact_problem* problem)
{
    const tact_filter_input* in = &run->input;
    const filter_options* o = &run->options;
    // Whoever asks for OpenGL or for the reliable images wants to see what images leave out.
    const bool images = o->reliable || o->common.backend == TACT_BACKEND_GL;
    const tact_filter_options options = {.images = images ? TACT_FILTER_IMAGES_ALWAYS : TACT_FILTER_IMAGES_AUTO,
                                         .fast = o->fast};
    tact_query_options query = tact_query_asked(&run->options.common);
    query.progress = tact_progress_update;
    query.progress_user = &run->progress;
    for (;;) {
        const tact_result result =
            tact_filter_run(run->filter, in->shapes, in->shape_count, in->objects, in->object_count, &options,
                            run->pairs, run->pair_room, &run->pair_count, frame->stages, &query, &run->report);
        if (result < 0) return tact_problem_from_result(problem, result, run->session.context, "the filter");
        if (result != TACT_INCOMPLETE) break;
        free(run->pairs);
        run->pairs = NULL;
        run->pair_room = run->pair_count;
        if (run->pair_count <= SIZE_MAX / sizeof *run->pairs) run->pairs = malloc(run->pair_count * sizeof *run->pairs);
        if (!run->pairs) return tact_problem_out_of_memory(problem, "the pairs");
    }
    tact_query_report* r = &run->report;
    if (options.fast && r->backend == TACT_BACKEND_GL) {
        // Nothing says how much is lost.
        r->exact = false;
        r->tolerance = HUGE_VAL;
    }
    if (r->memory_bytes > run->memory) run->memory = r->memory_bytes;
    frame->ms = r->build_ms + r->upload_ms + r->query_ms + r->download_ms;
    return true;
}

static bool same_objects(const tact_filter_pair* a, const tact_filter_pair* b)
{
    return a->object_a == b->object_a && a->object_b == b->object_b;
}

static void count_pairs(filter_run* run, filter_frame* frame)
{
    frame->pairs = run->pair_count;
    frame->digest = tact_digest_of(run->pairs, run->pair_count * sizeof *run->pairs);
    frame->object_pairs = frame->colliding = 0;
    memset(run->touched, 0, run->input.object_count * sizeof *run->touched);
    for (size_t i = 0; i < run->pair_count; ++i) {
        const tact_filter_pair* p = &run->pairs[i];
        if (i > 0 && same_objects(p, p - 1)) continue;
        ++frame->object_pairs;
        frame->colliding += !run->touched[p->object_a];
        run->touched[p->object_a] = true;
        frame->colliding += !run->touched[p->object_b];
        run->touched[p->object_b] = true;
    }
}

static bool run_frames(filter_run* run, tact_problem* problem)
{
    for (uint64_t i = 0; i < run->options.frames; ++i) {
        filter_frame* frame = &run->frames[i];
        run->progress.part = i;
        if (i > 0) tact_filter_input_step(&run->input);
        if (!find(run, frame, problem)) return false;
        count_pairs(run, frame);
        if (i == 0) run->first_ms = run->report.total_ms;
        tact_phase_times_add(&run->times, &run->report);
        ++run->frame_count;
    }
    tact_phase_times_sums(&run->times, &run->report);
    return true;
}

static bool run_repeatedly(filter_run* run, size_t repeat, bool warm_up, tact_problem* problem)
{
    for (size_t i = 0; i < repeat + warm_up; ++i) {
        filter_frame* frame = &run->frames[0];
        const tact_digest before = frame->digest;
        run->progress.part = i;
        if (!find(run, frame, problem)) return false;
        count_pairs(run, frame);
        if (i == 0) {
            run->first_ms = run->report.total_ms;
        } else if (strcmp(frame->digest.text, before.text) != 0) {
            tact_problem_set(problem, "%s gave other bytes when asked again: digest %s, then %s",
                             tact_backend_name(run->report.backend), before.text, frame->digest.text);
            problem->exit_code = TACT_EXIT_CHECK_FAILED;
            return false;
        }
        if (i >= warm_up) tact_phase_times_add(&run->times, &run->report);
    }
    run->frame_count = 1;
    tact_phase_times_report(&run->times, &run->report);
    return true;
}

static bool run_all(filter_run* run, tact_problem* problem)
{
    const filter_options* o = &run->options;
    const bool frames = o->frames > 1;
    const size_t repeat = o->common.repeat ? (size_t)o->common.repeat : 1;
    // Brute force has nothing to warm up and takes its time.
    const bool warm_up = o->common.backend != TACT_BACKEND_REFERENCE;
    const tact_result made = tact_filter_create(run->session.context, &run->filter);
    if (made < 0) return tact_problem_from_result(problem, made, run->session.context, "the filter");
    run->frames = calloc(frames ? (size_t)o->frames : 1, sizeof *run->frames);
    run->touched = malloc(run->input.object_count * sizeof *run->touched + 1);
    run->pairs = malloc(FIRST_ROOM * sizeof *run->pairs);
    run->pair_room = FIRST_ROOM;
    if (!run->frames || !run->touched || !run->pairs) return tact_problem_out_of_memory(problem, "the frames");
    if (!tact_phase_times_start(&run->times, frames ? (size_t)o->frames : repeat, problem)) return false;
    tact_progress_start(&run->progress, "filtering", o->common.quiet);
    run->progress.parts = frames ? o->frames : repeat + warm_up;
    const bool good = frames ? run_frames(run, problem) : run_repeatedly(run, repeat, warm_up, problem);
    tact_progress_end(&run->progress);
    run->report.memory_bytes = run->memory;
    return good;
}

// ---- Reporting ----

static const filter_frame* last_of(const filter_run* run)
{
    return &run->frames[run->frame_count - 1];
}

static void source_of(const filter_run* run, char* text, size_t size)
{
    const filter_options* o = &run->options;
    if (!o->copies) {
        snprintf(text, size, "files");
    } else {
        snprintf(text, size, "random:%" PRIu64 "%s", o->copies,
                 o->files.count ? "" : " of a sphere, a knot and a cube");
    }
}

static void stages_to_json(const filter_frame* frame, cJSON* to)
{
    cJSON* stages = tact_json_array(to, "stages");
    for (int i = 0; i < TACT_FILTER_STAGES; ++i) {
        const tact_filter_count* c = &frame->stages[i];
        if (!c->ran) continue;
        cJSON* entry = tact_json_append(stages);
        tact_json_text(entry, "name", tact_filter_stage_name((tact_filter_stage)i));
        tact_json_count(entry, "objects", c->objects);
        tact_json_count(entry, "triangles", c->triangles);
        tact_json_count(entry, "rounds", c->rounds);
        tact_json_number(entry, "ms", c->ms);
    }
}

static void pairs_to_json(const filter_run* run, cJSON* root)
{
    cJSON* list = tact_json_array(root, "pairs");
    for (size_t i = 0; i < run->pair_count; ++i) {
        const tact_filter_pair* p = &run->pairs[i];
        if (i > 0 && same_objects(p, p - 1)) continue;
        const int both[2] = {(int)p->object_a, (int)p->object_b};
        cJSON_AddItemToArray(list, cJSON_CreateIntArray(both, 2));
    }
}

static void files_to_json(const filter_run* run, cJSON* root)
{
    cJSON* files = tact_json_array(root, "files");
    for (size_t i = 0; i < run->options.files.count; ++i) {
        cJSON* entry = tact_json_append(files);
        tact_json_text(entry, "file", run->options.files.items[i]);
        tact_json_count(entry, "objects", run->input.file_objects[i]);
        tact_json_count(entry, "triangles", run->input.files[i].triangle_count);
        tact_json_count(entry, "dropped_faces", run->input.files[i].dropped_faces);
    }
}

static void frames_to_json(const filter_run* run, cJSON* root)
{
    cJSON* frames = tact_json_array(root, "frames");
    for (size_t i = 0; i < run->frame_count; ++i) {
        const filter_frame* f = &run->frames[i];
        cJSON* entry = tact_json_append(frames);
        stages_to_json(f, entry);
        tact_json_count(entry, "results", f->pairs);
        tact_json_count(entry, "colliding_pairs", f->object_pairs);
        tact_json_count(entry, "colliding_objects", f->colliding);
        tact_json_text(entry, "digest", f->digest.text);
        tact_json_number(entry, "ms", f->ms);
    }
}

static bool report_json(const filter_run* run, tact_problem* problem)
{
    const filter_options* o = &run->options;
    const filter_frame* last = last_of(run);
    char source[96];
    source_of(run, source, sizeof source);
    cJSON* root = cJSON_CreateObject();
    tact_json_query(root, "filter", &run->report, run->input.object_count, last->pairs, last->digest.text);
    tact_explain_json(root, &run->session, &run->options.common);
    stages_to_json(last, root);
    tact_json_count(root, "objects", run->input.object_count);
    tact_json_count(root, "triangles", tact_filter_input_triangles(&run->input));
    tact_json_count(root, "colliding_objects", last->colliding);
    tact_json_count(root, "colliding_pairs", last->object_pairs);
    pairs_to_json(run, root);
    tact_json_truth(root, "reliable", run->report.exact);
    tact_json_text(root, "source", source);
    tact_json_count(root, "seed", o->common.seed);
    files_to_json(run, root);
    tact_json_number(root, "first_run_ms", run->first_ms);
    tact_json_count(root, "failures", run->report.failures);
    if (o->common.shadow) tact_json_text(root, "shadow", "equal");
    if (o->frames > 1) {
        frames_to_json(run, root);
    } else {
        tact_json_count(root, "repeat", run->times.runs);
    }
    const bool good = tact_json_print(root, problem);
    cJSON_Delete(root);
    return good;
}

static void print_stages(const filter_frame* frame)
{
    puts("stage           objects      triangles   images         ms");
    for (int i = 0; i < TACT_FILTER_STAGES; ++i) {
        const tact_filter_count* c = &frame->stages[i];
        if (!c->ran) continue;
        printf("  %-10s %10" PRIu64 " %14" PRIu64 " %8" PRIu32 " %10.3f\n",
               tact_filter_stage_name((tact_filter_stage)i), c->objects, c->triangles, c->rounds, c->ms);
    }
}

/// The objects and triangles that each stage left, in each frame.
static void print_frames(const filter_run* run)
{
    printf("frames  %zu; each: colliding objects, pairs of objects, of triangles, milliseconds; triangles left by\n",
           run->frame_count);
    for (size_t i = 0; i < run->frame_count; ++i) {
        const filter_frame* f = &run->frames[i];
        printf("  %5zu %8" PRIu64 " %8" PRIu64 " %10" PRIu64 " %10.3f ", i, f->colliding, f->object_pairs, f->pairs,
               f->ms);
        for (int k = TACT_FILTER_BOXES; k < TACT_FILTER_STAGES; ++k) {
            if (!f->stages[k].ran) continue;
            printf(" %s %" PRIu64, tact_filter_stage_name((tact_filter_stage)k), f->stages[k].triangles);
        }
        putchar('\n');
    }
}

static void report_people(const filter_run* run)
{
    const tact_query_report* r = &run->report;
    const filter_frame* last = last_of(run);
    const size_t objects = run->input.object_count;
    char source[96];
    source_of(run, source, sizeof source);
    printf("objects %zu of %" PRIu64 " triangles (%s)\n", objects, tact_filter_input_triangles(&run->input), source);
    printf("device  %s: %s%s", tact_backend_name(r->backend), r->device,
           r->software && r->threads == 0 ? " (software)" : "");
    if (r->threads > 0) printf(", %d thread%s", r->threads, r->threads == 1 ? "" : "s");
    printf("\nreason  %s\n", r->reason);
    if (run->frame_count > 1) {
        print_frames(run);
    } else {
        print_stages(last);
    }
    printf("collide %" PRIu64 " objects (%.1f %%) in %" PRIu64 " pairs, %" PRIu64 " pairs of triangles%s\n",
           last->colliding, objects ? 100.0 * (double)last->colliding / (double)objects : 0.0, last->object_pairs,
           last->pairs, r->exact ? "" : ", of which some may be lost (--fast)");
    printf("digest  %s%s%s\n", last->digest.text, run->frame_count > 1 ? " of the last frame" : "",
           run->options.common.shadow ? ", equal to the reference" : "");
    printf("time    build %.3f ms, upload %.3f, query %.3f, download %.3f, total %.3f%s\n", r->build_ms, r->upload_ms,
           r->query_ms, r->download_ms, r->total_ms, run->frame_count > 1 ? ", of all frames" : "");
    printf("memory  %.1f MB\n", (double)r->memory_bytes * 1e-6);
}

static bool write_outputs(const filter_run* run, tact_problem* problem)
{
    const filter_options* o = &run->options;
    if (o->pairs && !tact_npy_write(o->pairs, TACT_NPY_UINT32, run->pair_count, 4, run->pairs, problem)) return false;
    return !o->image || tact_picture_of_filter(o->image, &run->input, run->pairs, run->pair_count, run->session.context,
                                               PICTURE_SIDE, problem);
}

static bool execute(filter_run* run, tact_problem* problem)
{
    const filter_options* o = &run->options;
    if (!check_options(o, problem)) return false;
    if (!tact_filter_input_load(&o->files, o->copies, o->common.seed, &run->input, problem)) return false;
    if (!tact_session_open(&run->session, &o->common, problem)) return false;
    if (!run_all(run, problem) || !write_outputs(run, problem)) return false;
    if (o->common.json) {
        if (!report_json(run, problem)) return false;
    } else {
        report_people(run);
        tact_explain_print(&run->session, &run->options.common);
    }
    return tact_expect_digest(&o->common, last_of(run)->digest.text, problem);
}

static void release(filter_run* run)
{
    tact_filter_destroy(run->filter);
    tact_session_close(&run->session);
    tact_filter_input_free(&run->input);
    tact_phase_times_free(&run->times);
    tact_text_list_free(&run->options.files);
    free(run->pairs);
    free(run->touched);
    free(run->frames);
}

static const char help_text[] =
    "Usage: tact filter FILE [FILE ...] [--random-scene N] [--reliable | --fast] [--frames K] [options]\n\n"
    "Finds which objects of many collide, and with which triangles, by leaving out step by step what cannot. Each "
    "part\n"
    "of a file is an object, where the file has it.\n";

int tact_command_filter(int argc, char** argv, tact_problem* problem)
{
    filter_run run = {0};
    filter_options* o = &run.options;
    tact_option common[TACT_QUERY_OPTIONS];
    tact_query_table(&o->common, common);
    const tact_option own[] = {
        {"random-scene", "N", "N copies at random instead, of the files' parts or of three shapes", TACT_OPTION_NUMBER,
         &o->copies, 1, MOST_OBJECTS, NULL},
        {"reliable", NULL, "on OpenGL draw images too, so that nothing is lost", TACT_OPTION_FLAG, &o->reliable, 0, 0,
         NULL},
        {"fast", NULL, "on OpenGL draw pixels' centres alone, by which pairs may be lost", TACT_OPTION_FLAG, &o->fast,
         0, 0, NULL},
        {"frames", "K", "K frames of motion; the first is the scene as it is", TACT_OPTION_NUMBER, &o->frames, 1,
         1000000, NULL},
        {"pairs", "FILE.npy", "write the colliding triangles: object, object, triangle, triangle", TACT_OPTION_TEXT,
         &o->pairs, 0, 0, NULL},
        {"image", "FILE.png", "write a picture, seen from +z: what collides is red", TACT_OPTION_TEXT, &o->image, 0, 0,
         NULL},
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, &o->files, argc, argv, &work, problem) && (!work || execute(&run, problem));
    release(&run);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
