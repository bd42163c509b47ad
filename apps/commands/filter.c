// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/inputs/filter_input.h"
#include "apps/inputs/npy.h"
#include "apps/pictures/pictures.h"
#include "apps/query_command.h"

_Static_assert(sizeof(tact_filter_pair) == 16, "rows of four numbers");

enum { FIRST_ROOM = 1 << 16, PICTURE_SIDE = 1024, MOST_OBJECTS = 1 << 24 };

static const char* const ways[] = {"auto", "always", "never", NULL};  // as tact_filter_images has them

/// One frame, or the last repetition.
typedef struct filter_frame {
    tact_filter_count stages[TACT_FILTER_STAGES];
    uint64_t pairs, object_pairs, colliding;
    double ms;
    tact_digest digest;
} filter_frame;

typedef struct filter_run {
    tact_query_run run;
    tact_text_list files;
    const char *pairs_path, *image;
    uint64_t copies;  ///< 0: not given
    int images;       ///< -1: not given
    bool reliable, fast;
    tact_filter_input input;
    char source[96];
    tact_filter* filter;
    tact_filter_pair* pairs;  ///< of the last run
    size_t pair_count, pair_room;
    bool* touched;         ///< objects that collide
    filter_frame* frames;  ///< one, or with --frames one each
    filter_frame* last;
    uint64_t memory;  ///< most of all runs
} filter_run;

static bool check_options(const filter_run* f, tact_problem* problem)
{
    const tact_common_options* common = &f->run.common;
    if (f->files.count == 0 && !f->copies) return tact_problem_set(problem, "a FILE or --random-scene N is needed");
    if (f->run.frames > 1 && common->repeat) {
        return tact_problem_set(problem, "--repeat %" PRIu64 ": not with --frames; each frame is timed once",
                                common->repeat);
    }
    if (f->reliable && f->fast) return tact_problem_set(problem, "--reliable: not with --fast, which may lose pairs");
    if (f->images == TACT_FILTER_IMAGES_NEVER && (f->reliable || f->fast)) {
        return tact_problem_set(problem, "--images never: not with --%s, which says how they are made",
                                f->fast ? "fast" : "reliable");
    }
    // Pairs that --fast loses are in the reference's, and how many may be is unknown.
    return !common->shadow || !f->fast || tact_problem_set(problem, "--shadow: not with --fast, which may lose pairs");
}

static bool load(void* command, tact_problem* problem)
{
    filter_run* f = command;
    if (!check_options(f, problem) ||
        !tact_filter_input_load(&f->files, f->copies, f->run.common.seed, &f->input, problem)) {
        return false;
    }
    snprintf(f->source, sizeof f->source, "files");
    if (f->copies) {
        snprintf(f->source, sizeof f->source, "random:%" PRIu64 "%s", f->copies,
                 f->files.count ? "" : " of a sphere, a knot and a cube");
    }
    const uint64_t frames = f->run.frames > 1 ? f->run.frames : 1;
    f->run.count = f->input.object_count;
    f->frames = tact_query_room(NULL, frames, sizeof *f->frames, problem);
    f->touched = tact_query_room(NULL, f->input.object_count, sizeof *f->touched, problem);
    f->pairs = tact_query_room(NULL, FIRST_ROOM, sizeof *f->pairs, problem);
    f->pair_room = FIRST_ROOM;
    return f->frames && f->touched && f->pairs;
}

static bool prepare(void* command, tact_problem* problem)
{
    filter_run* f = command;
    const tact_result result = tact_filter_create(f->run.session.context, &f->filter);
    return tact_query_succeeded(&f->run, result, "the filter", problem);
}

/// Finds the pairs, with room for them. The report and counts are those of the run that had it.
static bool find(filter_run* f, const tact_query_options* query, tact_problem* problem)
{
    const tact_filter_input* in = &f->input;
    // The caller who asks for OpenGL or for the reliable images wants to see what images leave out.
    const bool shown = f->reliable || f->run.common.backend == TACT_BACKEND_GL;
    const tact_filter_images usual = shown ? TACT_FILTER_IMAGES_ALWAYS : TACT_FILTER_IMAGES_AUTO;
    const tact_filter_options options = {.images = f->images < 0 ? usual : (tact_filter_images)f->images,
                                         .fast = f->fast};
    tact_query_report* r = &f->run.report;
    for (;;) {
        const tact_result result = tact_filter_meshes(f->filter,
                                                      &(tact_filter_work){.shapes = in->shapes,
                                                                          .shape_count = in->shape_count,
                                                                          .objects = in->objects,
                                                                          .object_count = in->object_count,
                                                                          .options = &options,
                                                                          .pairs = f->pairs,
                                                                          .capacity = f->pair_room,
                                                                          .count = &f->pair_count,
                                                                          .stages = f->last->stages},
                                                      query, r);
        if (result != TACT_INCOMPLETE) return tact_query_succeeded(&f->run, result, "the filter", problem);
        f->pair_room = f->pair_count;
        f->pairs = tact_query_room(f->pairs, f->pair_room, sizeof *f->pairs, problem);
        if (!f->pairs) return false;
    }
}

static bool same_objects(const tact_filter_pair* a, const tact_filter_pair* b)
{
    return a->object_a == b->object_a && a->object_b == b->object_b;
}

static void count_pairs(filter_run* f, filter_frame* frame)
{
    frame->pairs = f->pair_count;
    frame->digest = tact_digest_of(f->pairs, f->pair_count * sizeof *f->pairs);
    frame->object_pairs = frame->colliding = 0;
    memset(f->touched, 0, f->input.object_count * sizeof *f->touched);
    for (size_t i = 0; i < f->pair_count; ++i) {
        const tact_filter_pair* p = &f->pairs[i];
        if (i > 0 && same_objects(p, p - 1)) continue;
        ++frame->object_pairs;
        frame->colliding += !f->touched[p->object_a];
        f->touched[p->object_a] = true;
        frame->colliding += !f->touched[p->object_b];
        f->touched[p->object_b] = true;
    }
}

static bool ask(void* command, const tact_query_options* options, tact_problem* problem)
{
    filter_run* f = command;
    tact_query_report* r = &f->run.report;
    const bool moves = f->run.frames > 1;
    f->last = &f->frames[moves ? f->run.run : 0];
    *f->last = (filter_frame){.pairs = 0};
    if (moves && f->run.run > 0) tact_filter_input_step(&f->input);
    if (!find(f, options, problem)) return false;
    if (f->fast && (r->backend == TACT_BACKEND_GL || r->backend == TACT_BACKEND_CL)) {
        // Nothing says how much is lost.
        r->exact = false;
        r->tolerance = HUGE_VAL;
    }
    if (r->memory_bytes > f->memory) f->memory = r->memory_bytes;
    r->memory_bytes = f->memory;
    f->last->ms = r->build_ms + r->upload_ms + r->query_ms + r->download_ms;
    count_pairs(f, f->last);
    f->run.found = f->pair_count;
    f->run.answer = f->pairs;
    f->run.answer_bytes = f->pair_count * sizeof *f->pairs;
    return true;
}

static bool finish(void* command, tact_problem* problem)
{
    filter_run* f = command;
    if (f->pairs_path && !tact_npy_write(f->pairs_path, TACT_NPY_UINT32, f->pair_count, 4, f->pairs, problem)) {
        return false;
    }
    return !f->image || tact_picture_of_filter(f->image, &f->input, f->pairs, f->pair_count, PICTURE_SIDE, problem);
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
        tact_json_time(entry, "ms", c->ms);
    }
}

static void pairs_to_json(const filter_run* f, cJSON* root)
{
    cJSON* list = tact_json_array(root, "pairs");
    for (size_t i = 0; i < f->pair_count; ++i) {
        const tact_filter_pair* p = &f->pairs[i];
        if (i > 0 && same_objects(p, p - 1)) continue;
        const int both[2] = {(int)p->object_a, (int)p->object_b};
        cJSON_AddItemToArray(list, cJSON_CreateIntArray(both, 2));
    }
}

static void files_to_json(const filter_run* f, cJSON* root)
{
    cJSON* files = tact_json_array(root, "files");
    for (size_t i = 0; i < f->files.count; ++i) {
        cJSON* entry = tact_json_append(files);
        tact_json_text(entry, "file", f->files.items[i]);
        tact_json_count(entry, "objects", f->input.file_objects[i]);
        tact_json_count(entry, "triangles", f->input.files[i].triangle_count);
        tact_json_count(entry, "dropped_faces", f->input.files[i].dropped_faces);
    }
}

static void frames_to_json(const filter_run* f, cJSON* root)
{
    cJSON* frames = tact_json_array(root, "frames");
    for (uint64_t i = 0; i < f->run.frames; ++i) {
        const filter_frame* frame = &f->frames[i];
        cJSON* entry = tact_json_append(frames);
        stages_to_json(frame, entry);
        tact_json_count(entry, "results", frame->pairs);
        tact_json_count(entry, "colliding_pairs", frame->object_pairs);
        tact_json_count(entry, "colliding_objects", frame->colliding);
        tact_json_text(entry, "digest", frame->digest.text);
        tact_json_time(entry, "ms", frame->ms);
    }
}

static void json(const void* command, cJSON* root)
{
    const filter_run* f = command;
    stages_to_json(f->last, root);
    tact_json_count(root, "objects", f->input.object_count);
    tact_json_count(root, "triangles", tact_filter_input_triangles(&f->input));
    tact_json_count(root, "colliding_objects", f->last->colliding);
    tact_json_count(root, "colliding_pairs", f->last->object_pairs);
    pairs_to_json(f, root);
    tact_json_truth(root, "reliable", f->run.report.exact);
    tact_json_text(root, "source", f->source);
    files_to_json(f, root);
    if (f->run.frames > 1) frames_to_json(f, root);
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
static void print_frames(const filter_run* f)
{
    printf("frames  %" PRIu64
           "; each: colliding objects, pairs of objects, of triangles, milliseconds; triangles left "
           "by\n",
           f->run.frames);
    for (uint64_t i = 0; i < f->run.frames; ++i) {
        const filter_frame* frame = &f->frames[i];
        printf("  %5" PRIu64 " %8" PRIu64 " %8" PRIu64 " %10" PRIu64 " %10.3f ", i, frame->colliding,
               frame->object_pairs, frame->pairs, frame->ms);
        for (int k = TACT_FILTER_BOXES; k < TACT_FILTER_STAGES; ++k) {
            if (!frame->stages[k].ran) continue;
            printf(" %s %" PRIu64, tact_filter_stage_name((tact_filter_stage)k), frame->stages[k].triangles);
        }
        putchar('\n');
    }
}

static void print(const void* command)
{
    const filter_run* f = command;
    const filter_frame* last = f->last;
    printf("objects %zu of %" PRIu64 " triangles (%s)\n", f->input.object_count, tact_filter_input_triangles(&f->input),
           f->source);
    if (f->run.frames > 1) {
        print_frames(f);
    } else {
        print_stages(last);
    }
    printf("collide %" PRIu64 " objects (%.1f %%) in %" PRIu64 " pairs, %" PRIu64 " pairs of triangles%s\n",
           last->colliding, tact_query_percent(last->colliding, f->run.count), last->object_pairs, last->pairs,
           f->run.report.exact ? "" : ", of which some may be lost (--fast)");
}

static void release(void* command)
{
    filter_run* f = command;
    tact_filter_destroy(f->filter);
    tact_filter_input_free(&f->input);
    free(f->pairs);
    free(f->touched);
    free(f->frames);
}

static const tact_query_command description = {
    .name = "filter",
    .help =
        "Usage: tact filter FILE [FILE ...] [--random-scene N] [--reliable | --fast] [--images W] [--frames K]\n"
        "                   [options]\n\n"
        "Finds which objects of many collide, and with which triangles, by leaving out step by step what cannot. "
        "Each part\nof a file is an object, where the file has it.\n",
    .doing = "filtering",
    .rebuilds = true,
    .sums = true,
    .prepare = prepare,
    TACT_QUERY_FUNCTIONS,
};

int tact_command_filter(int argc, char** argv, tact_problem* problem)
{
    filter_run f = {.images = -1};
    const tact_option own[] = {
        TACT_MESH_OPTION(&f.files),
        TACT_NUMBER("random-scene", "N", "N copies at random instead, of the files' parts or of three shapes",
                    &f.copies, 1, MOST_OBJECTS),
        TACT_FLAG("reliable", "on devices make images too, so that nothing is lost", &f.reliable),
        TACT_FLAG("fast", "on devices make images of pixels' centres alone, by which pairs may be lost", &f.fast),
        TACT_CHOICE("images", "W", "on devices: auto (the cheaper way), always (the default on OpenGL) or never",
                    &f.images, ways),
        TACT_NUMBER("frames", "K", "K frames of motion; the first is the scene as it is", &f.run.frames, 1, 1000000),
        TACT_OUTPUT("pairs", "FILE.npy", "write the colliding triangles: object, object, triangle, triangle",
                    &f.pairs_path),
        TACT_PICTURE("image", "write a picture, seen from +z: what collides is red", &f.image),
        {.name = NULL},
    };
    return tact_query_command_run(&description, &f, own, &f.files, argc, argv, problem);
}
