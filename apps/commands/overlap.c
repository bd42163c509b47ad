// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/commands/overlap_run.h"
#include "apps/inputs/mesh_file.h"
#include "apps/inputs/npy.h"
#include "apps/inputs/poses.h"

enum { LINES = 20, DEFAULT_RESOLUTION = 64 };

static const char* const methods[] = {"exact", "image-convex", "image-concave", NULL};
static const char* const measures[] = {"query", "readback", "stencil", NULL};  // as tact_image_method has them
static const char* const makings[] = {"either", "drawn", "computed", NULL};    // as tact_image_making has them

// ---- What is asked ----

static bool check_exact(const tact_overlap_options* o, tact_problem* problem)
{
    static const char wanted[] = "needs --method image-convex or image-concave";
    if (o->measure != TACT_OVERLAP_UNSET)
        return tact_problem_set(problem, "--measure %s: %s", measures[o->measure], wanted);
    if (o->making) return tact_problem_set(problem, "--make %s: %s", makings[o->making], wanted);
    if (o->resolution) return tact_problem_set(problem, "--resolution %" PRIu64 ": %s", o->resolution, wanted);
    if (o->image) return tact_problem_set(problem, "--image %s: %s", o->image, wanted);
    return !o->unchecked || tact_problem_set(problem, "--unchecked: %s", wanted);
}

static bool check_drawn(const tact_overlap_options* o, tact_problem* problem)
{
    return !o->contacts || tact_problem_set(problem, "--contacts %s: needs --method exact", o->contacts);
}

static bool check_stencil(const tact_overlap_run* run, tact_problem* problem)
{
    const tact_overlap_options* o = &run->options;
    const tact_common_options* common = &run->query.common;
    if (o->measure != TACT_IMAGE_STENCIL) return true;
    if (o->method != TACT_OVERLAP_CONCAVE) {
        return tact_problem_set(problem, "--measure stencil: needs --method image-concave");
    }
    if (o->making == TACT_IMAGE_COMPUTED) {
        return tact_problem_set(problem, "--make computed: not with --measure stencil, which is drawn");
    }
    if (o->image) {
        return tact_problem_set(problem, "--image %s: not with --measure stencil, which keeps no image", o->image);
    }
    return !common->shadow || tact_problem_set(problem, "--shadow: not with --measure stencil, which is approximate");
}

static bool check_options(tact_overlap_run* run, tact_problem* problem)
{
    const tact_overlap_options* o = &run->options;
    if (o->files.count != 2) {
        return tact_problem_set(problem, "two files are needed, A and B, not %zu", o->files.count);
    }
    if (o->pose && o->random) return tact_problem_set(problem, "--pose and --random: one of them, not both");
    const bool good = (o->method == TACT_OVERLAP_EXACT ? check_exact(o, problem) : check_drawn(o, problem)) &&
                      check_stencil(run, problem);
    if (!o->resolution) run->options.resolution = DEFAULT_RESOLUTION;
    return good;
}

static bool load_poses(tact_overlap_run* run, tact_problem* problem)
{
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const tact_overlap_options* o = &run->options;
    run->source = o->pose;
    if (o->pose) return tact_poses_read(o->pose, &run->poses, &run->pose_count, problem);
    run->pose_count = o->random ? (size_t)o->random : 1;
    run->source = run->generated;
    run->poses = tact_query_room(NULL, run->pose_count, sizeof *run->poses, problem);
    if (!run->poses) return false;
    if (o->random) {
        tact_poses_scatter(&run->models[0], &run->models[1], run->query.common.seed, 1.6, true, run->poses,
                           run->pose_count);
        snprintf(run->generated, sizeof run->generated, "random:%" PRIu64, o->random);
    } else {
        memcpy(run->poses[0], identity, sizeof identity);
        snprintf(run->generated, sizeof run->generated, "identity");
    }
    return true;
}

static bool load(void* command, tact_problem* problem)
{
    tact_overlap_run* run = command;
    const tact_overlap_options* o = &run->options;
    if (!check_options(run, problem)) return false;
    for (int i = 0; i < 2; ++i) {
        if (!tact_mesh_file_read_guarded(o->files.items[i], &run->models[i], problem)) return false;
    }
    if (!load_poses(run, problem)) return false;
    run->query.count = run->pose_count;
    if (o->image && run->pose_count == 0) return tact_problem_set(problem, "--image %s: there is no pose", o->image);
    return o->method == TACT_OVERLAP_EXACT || tact_overlap_images_check(run, problem);
}

// ---- Running ----

static bool is_exact(const tact_overlap_run* run)
{
    return run->options.method == TACT_OVERLAP_EXACT;
}

static bool prepare(void* command, tact_problem* problem)
{
    tact_overlap_run* run = command;
    return is_exact(run) ? tact_overlap_exact_prepare(run, problem) : tact_overlap_images_prepare(run, problem);
}

static bool ask(void* command, const tact_query_options* options, tact_problem* problem)
{
    tact_overlap_run* run = command;
    return is_exact(run) ? tact_overlap_exact_run(run, options, problem)
                         : tact_overlap_images_run(run, options, problem);
}

static bool finish(void* command, tact_problem* problem)
{
    tact_overlap_run* run = command;
    const tact_overlap_options* o = &run->options;
    tact_query_report* r = &run->query.report;
    // Images report no time for building, but the first run makes programs and targets, which takes that much longer.
    const double built = run->query.first_ms - r->query_ms;
    if (!is_exact(run) && built > 0.0) {
        r->build_ms += built;
        r->total_ms += built;
    }
    if (o->contacts && !tact_npy_write(o->contacts, TACT_NPY_UINT32, run->pair_count, 3, run->pairs, problem)) {
        return false;
    }
    const tact_query_options how = {.backend = r->backend, .threads = (int)run->query.common.threads};
    return !o->image || tact_overlap_images_picture(run, o->image, &how, problem);
}

// ---- Reporting ----

static void meshes_to_json(const tact_overlap_run* run, cJSON* root)
{
    cJSON* list = tact_json_array(root, "meshes");
    for (int i = 0; i < 2; ++i) {
        cJSON* entry = tact_json_append(list);
        tact_json_text(entry, "file", run->options.files.items[i]);
        tact_json_count(entry, "vertices", run->models[i].vertex_count);
        tact_json_count(entry, "triangles", run->models[i].triangle_count);
        if (run->meshes[i]) tact_json_count(entry, "skipped_triangles", run->infos[i].skipped_triangles);
        if (run->meshes[i]) tact_json_truth(entry, "closed", run->infos[i].closed);
        tact_json_count(entry, "dropped_faces", run->models[i].dropped_faces);
    }
}

static void json(const void* command, cJSON* root)
{
    const tact_overlap_run* run = command;
    const tact_overlap_options* o = &run->options;
    tact_json_text(root, "method", methods[o->method]);
    tact_json_count(root, "overlapping", run->overlapping);
    if (is_exact(run)) {
        tact_json_count(root, "pairs", run->pair_count);
    } else {
        tact_json_text(root, "measure", measures[tact_overlap_measure(o)]);
        tact_json_truth(root, "approximate", tact_overlap_measure(o) == TACT_IMAGE_STENCIL);
        tact_json_count(root, "resolution", o->resolution);
    }
    tact_json_text(root, "source", run->source);
    meshes_to_json(run, root);
    cJSON* poses = tact_json_array(root, "poses");
    for (size_t i = 0; i < run->pose_count; ++i) {
        cJSON* entry = tact_json_append(poses);
        if (is_exact(run)) {
            tact_overlap_exact_pose(run, i, entry);
        } else {
            tact_overlap_images_pose(run, i, entry);
        }
    }
}

static void print(const void* command)
{
    const tact_overlap_run* run = command;
    const tact_overlap_options* o = &run->options;
    printf("meshes  %zu triangles (%s), %zu triangles (%s)\n", run->models[0].triangle_count, o->files.items[0],
           run->models[1].triangle_count, o->files.items[1]);
    const bool approximate = !is_exact(run) && tact_overlap_measure(o) == TACT_IMAGE_STENCIL;
    printf("method  %s%s\nposes   %zu (%s)\n", methods[o->method], approximate ? " by stencil, approximate" : "",
           run->pose_count, run->source);
    for (size_t i = 0; i < run->pose_count && i < LINES; ++i) {
        if (is_exact(run)) {
            tact_overlap_exact_line(run, i);
        } else {
            tact_overlap_images_line(run, i);
        }
    }
    if (run->pose_count > LINES) printf("  and %zu more\n", run->pose_count - LINES);
    printf("overlap %zu poses", run->overlapping);
    if (is_exact(run)) printf(", %zu pairs of triangles", run->pair_count);
    putchar('\n');
}

static void release(void* command)
{
    tact_overlap_run* run = command;
    tact_overlap_exact_free(run);
    tact_overlap_images_free(run);
    for (int i = 0; i < 2; ++i)
        tact_model_mesh_free(&run->models[i]);
    free(run->poses);
}

static const tact_query_command description = {
    .name = "overlap",
    .help =
        "Usage: tact overlap A B [--pose FILE.npy | --random N] [--method exact|image-convex|image-concave] "
        "[options]\n\n"
        "Tests two meshes in one or many poses: whether they overlap, as solids where they are closed, and which "
        "triangles\ndo; or sees it in an image, within a tolerance.\n",
    .doing = "testing poses",
    .prepare = prepare,
    TACT_QUERY_FUNCTIONS,
};

int tact_command_overlap(int argc, char** argv, tact_problem* problem)
{
    tact_overlap_run run = {.options = {.measure = TACT_OVERLAP_UNSET}};
    tact_overlap_options* o = &run.options;
    const tact_option own[] = {
        TACT_MESH_OPTION(&o->files),
        TACT_TEXT("pose", "FILE.npy", "poses of B in A's frame: (n, 4, 4) or (4, 4)", &o->pose),
        TACT_NUMBER("random", "N", "N random poses of B in which the boxes meet", &o->random, 1, 100000000),
        TACT_CHOICE("method", "M", "exact (default), image-convex or image-concave", &o->method, methods),
        TACT_CHOICE("measure", "M", "of images: query (default), readback or stencil (approximate; OpenGL)",
                    &o->measure, measures),
        TACT_CHOICE("make", "M", "images on devices: either (default; the cheaper), drawn or computed", &o->making,
                    makings),
        TACT_NUMBER("resolution", "N", "of images: width and height (default 64)", &o->resolution, 4, 1024),
        TACT_FLAG("unchecked", "of images: also of meshes that are not convex, or not closed", &o->unchecked),
        TACT_OUTPUT("contacts", "FILE.npy", "write the overlapping triangles: pose, of A, of B", &o->contacts),
        TACT_PICTURE("image", "of images: write what the test of the first pose saw", &o->image),
        {.name = NULL},
    };
    return tact_query_command_run(&description, &run, own, &o->files, argc, argv, problem);
}
