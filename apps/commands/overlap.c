// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/commands/overlap_run.h"
#include "apps/explain_out.h"
#include "apps/inputs/mesh_file.h"
#include "apps/inputs/npy.h"
#include "apps/inputs/poses.h"

enum { LINES = 20, DEFAULT_RESOLUTION = 64 };

static const char* const methods[] = {"exact", "image-convex", "image-concave", NULL};
static const char* const measures[] = {"query", "readback", NULL};

// ---- What is asked ----

static bool check_exact(const tact_overlap_options* o, tact_problem* problem)
{
    static const char wanted[] = "needs --method image-convex or image-concave";
    if (o->measure != TACT_OVERLAP_UNSET)
        return tact_problem_set(problem, "--measure %s: %s", measures[o->measure], wanted);
    if (o->resolution) return tact_problem_set(problem, "--resolution %" PRIu64 ": %s", o->resolution, wanted);
    if (o->image) return tact_problem_set(problem, "--image %s: %s", o->image, wanted);
    return !o->unchecked || tact_problem_set(problem, "--unchecked: %s", wanted);
}

static bool check_drawn(const tact_overlap_options* o, tact_problem* problem)
{
    const char* method = methods[o->method];
    const tact_backend backend = (tact_backend)o->common.backend;
    if (backend != TACT_BACKEND_AUTO && backend != TACT_BACKEND_GL) {
        return tact_problem_set(problem, "--backend %s: --method %s draws, which takes OpenGL (gl)",
                                tact_backend_name(backend), method);
    }
    if (o->contacts) return tact_problem_set(problem, "--contacts %s: needs --method exact", o->contacts);
    return !o->common.shadow ||
           tact_problem_set(problem, "--shadow: --method %s has no reference, but a tolerance", method);
}

static bool check_options(tact_overlap_run* run, tact_problem* problem)
{
    const tact_overlap_options* o = &run->options;
    if (o->files.count != 2) {
        return tact_problem_set(problem, "two files are needed, A and B, not %zu", o->files.count);
    }
    if (o->pose && o->random) return tact_problem_set(problem, "--pose and --random: one of them, not both");
    const bool good = o->method == TACT_OVERLAP_EXACT ? check_exact(o, problem) : check_drawn(o, problem);
    if (!o->resolution) run->options.resolution = DEFAULT_RESOLUTION;
    return good && tact_expect_check(&o->common, problem);
}

static bool load_poses(tact_overlap_run* run, tact_problem* problem)
{
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const tact_overlap_options* o = &run->options;
    if (o->pose) return tact_poses_read(o->pose, &run->poses, &run->pose_count, problem);
    run->pose_count = o->random ? (size_t)o->random : 1;
    run->poses = malloc(run->pose_count * sizeof *run->poses);
    if (!run->poses) return tact_problem_out_of_memory(problem, "the poses");
    if (o->random) {
        tact_poses_scatter(&run->models[0], &run->models[1], o->common.seed, 1.6, true, run->poses, run->pose_count);
        snprintf(run->source, sizeof run->source, "random:%" PRIu64, o->random);
    } else {
        memcpy(run->poses[0], identity, sizeof identity);
        snprintf(run->source, sizeof run->source, "identity");
    }
    return true;
}

static bool load(tact_overlap_run* run, tact_problem* problem)
{
    const tact_overlap_options* o = &run->options;
    for (int i = 0; i < 2; ++i) {
        if (!tact_mesh_file_read_guarded(o->files.items[i], &run->models[i], problem)) return false;
    }
    if (!load_poses(run, problem)) return false;
    if (o->image && run->pose_count == 0) return tact_problem_set(problem, "--image %s: there is no pose", o->image);
    if (o->method == TACT_OVERLAP_EXACT) return tact_session_open(&run->session, &o->common, problem);
    if (!tact_overlap_images_check(run, problem)) return false;
    tact_common_options drawn = o->common;
    drawn.backend = TACT_BACKEND_GL;
    return tact_session_open(&run->session, &drawn, problem);
}

// ---- Running ----

static bool run_once(tact_overlap_run* run, tact_digest* digest, tact_problem* problem)
{
    if (run->options.method == TACT_OVERLAP_EXACT) return tact_overlap_exact_run(run, digest, problem);
    return tact_overlap_images_run(run, digest, problem);
}

static bool run_repeatedly(tact_overlap_run* run, size_t repeat, bool warm_up, tact_problem* problem)
{
    double built = 0.0;
    for (size_t i = 0; i < repeat + warm_up; ++i) {
        tact_digest digest;
        run->progress.part = i;
        if (!run_once(run, &digest, problem)) return false;
        if (i == 0) {
            run->digest = digest;
            run->first_ms = run->report.total_ms;
            built = run->report.build_ms;
        } else if (strcmp(digest.text, run->digest.text) != 0) {
            tact_problem_set(problem, "%s gave other bytes when asked again: digest %s, then %s",
                             tact_backend_name(run->report.backend), run->digest.text, digest.text);
            problem->exit_code = TACT_EXIT_CHECK_FAILED;
            return false;
        }
        if (i >= warm_up) tact_phase_times_add(&run->times, &run->report);
    }
    // What was built is built once: both trees, and kernels in the first run.
    tact_query_report* r = &run->report;
    tact_phase_times_report(&run->times, r);
    // Images tell of no building: programs and targets are made in the first run, which takes that much longer.
    const bool images = run->options.method != TACT_OVERLAP_EXACT;
    if (images && run->first_ms > r->total_ms) built = run->first_ms - r->total_ms;
    r->total_ms += run->prepare_ms + built - r->build_ms;
    r->build_ms = run->prepare_ms + built;
    return true;
}

static bool run_all(tact_overlap_run* run, tact_problem* problem)
{
    const tact_common_options* common = &run->options.common;
    const size_t repeat = common->repeat ? (size_t)common->repeat : 1;
    // Brute force has nothing to warm up and takes its time.
    const bool warm_up = common->backend != TACT_BACKEND_REFERENCE;
    const bool exact = run->options.method == TACT_OVERLAP_EXACT;
    if (!(exact ? tact_overlap_exact_prepare(run, problem) : tact_overlap_images_prepare(run, problem))) return false;
    if (!tact_phase_times_start(&run->times, repeat, problem)) return false;
    tact_progress_start(&run->progress, "testing poses", common->quiet);
    run->progress.parts = repeat + warm_up;
    const bool good = run_repeatedly(run, repeat, warm_up, problem);
    tact_progress_end(&run->progress);
    return good;
}

// ---- Reporting ----

static uint64_t results_of(const tact_overlap_run* run)
{
    return run->options.method == TACT_OVERLAP_EXACT ? run->pair_count : run->overlapping;
}

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

static bool report_json(const tact_overlap_run* run, tact_problem* problem)
{
    const tact_overlap_options* o = &run->options;
    const bool exact = o->method == TACT_OVERLAP_EXACT;
    cJSON* root = cJSON_CreateObject();
    tact_json_query(root, "overlap", &run->report, run->pose_count, results_of(run), run->digest.text);
    tact_explain_json(root, &run->session, &run->options.common);
    tact_json_text(root, "method", methods[o->method]);
    tact_json_count(root, "overlapping", run->overlapping);
    if (exact) tact_json_count(root, "pairs", run->pair_count);
    if (!exact) tact_json_text(root, "measure", measures[o->measure == TACT_IMAGE_READBACK]);
    if (!exact) tact_json_count(root, "resolution", o->resolution);
    tact_json_text(root, "source", o->pose ? o->pose : run->source);
    tact_json_count(root, "seed", o->common.seed);
    meshes_to_json(run, root);
    tact_json_count(root, "repeat", run->times.runs);
    tact_json_number(root, "first_run_ms", run->first_ms);
    tact_json_count(root, "failures", run->report.failures);
    if (o->common.shadow) tact_json_text(root, "shadow", "equal");
    cJSON* poses = tact_json_array(root, "poses");
    for (size_t i = 0; i < run->pose_count; ++i) {
        cJSON* entry = tact_json_append(poses);
        if (exact) {
            tact_overlap_exact_pose(run, i, entry);
        } else {
            tact_overlap_images_pose(run, i, entry);
        }
    }
    const bool good = tact_json_print(root, problem);
    cJSON_Delete(root);
    return good;
}

static void print_poses(const tact_overlap_run* run)
{
    for (size_t i = 0; i < run->pose_count && i < LINES; ++i) {
        if (run->options.method == TACT_OVERLAP_EXACT) {
            tact_overlap_exact_line(run, i);
        } else {
            tact_overlap_images_line(run, i);
        }
    }
    if (run->pose_count > LINES) printf("  and %zu more\n", run->pose_count - LINES);
}

static void report_people(const tact_overlap_run* run)
{
    const tact_overlap_options* o = &run->options;
    const tact_query_report* r = &run->report;
    printf("meshes  %zu triangles (%s), %zu triangles (%s)\n", run->models[0].triangle_count, o->files.items[0],
           run->models[1].triangle_count, o->files.items[1]);
    printf("device  %s: %s%s", tact_backend_name(r->backend), r->device,
           r->software && r->threads == 0 ? " (software)" : "");
    if (r->threads > 0) printf(", %d thread%s", r->threads, r->threads == 1 ? "" : "s");
    printf("\nreason  %s\nmethod  %s\n", r->reason, methods[o->method]);
    printf("poses   %zu (%s)\n", run->pose_count, o->pose ? o->pose : run->source);
    print_poses(run);
    printf("overlap %zu poses", run->overlapping);
    if (o->method == TACT_OVERLAP_EXACT) printf(", %zu pairs of triangles", run->pair_count);
    printf("\ndigest  %s, %s", run->digest.text, r->exact ? "exact" : "with a tolerance of ");
    if (!r->exact) printf("%g", r->tolerance);
    printf("%s\n", o->common.shadow ? ", equal to the reference" : "");
    printf("time    build %.3f ms, upload %.3f, query %.3f, download %.3f, total %.3f\n", r->build_ms, r->upload_ms,
           r->query_ms, r->download_ms, r->total_ms);
    printf("memory  %.1f MB\n", (double)r->memory_bytes * 1e-6);
}

static bool execute(tact_overlap_run* run, tact_problem* problem)
{
    const tact_overlap_options* o = &run->options;
    if (!check_options(run, problem) || !load(run, problem) || !run_all(run, problem)) return false;
    if (o->contacts && !tact_npy_write(o->contacts, TACT_NPY_UINT32, run->pair_count, 3, run->pairs, problem)) {
        return false;
    }
    if (o->image && !tact_overlap_images_picture(run, o->image, problem)) return false;
    if (o->common.json) {
        if (!report_json(run, problem)) return false;
    } else {
        report_people(run);
        tact_explain_print(&run->session, &run->options.common);
    }
    return tact_expect_digest(&o->common, run->digest.text, problem);
}

static void release(tact_overlap_run* run)
{
    tact_overlap_exact_free(run);
    tact_overlap_images_free(run);
    tact_session_close(&run->session);
    for (int i = 0; i < 2; ++i)
        tact_model_mesh_free(&run->models[i]);
    tact_phase_times_free(&run->times);
    tact_text_list_free(&run->options.files);
    free(run->poses);
}

static const char help_text[] =
    "Usage: tact overlap A B [--pose FILE.npy | --random N] [--method exact|image-convex|image-concave] [options]\n\n"
    "Tests two meshes in one or many poses: whether they overlap, as solids where they are closed, and which "
    "triangles\n"
    "do; or, on OpenGL, sees it in an image, within a tolerance.\n";

int tact_command_overlap(int argc, char** argv, tact_problem* problem)
{
    tact_overlap_run run = {.options = {.measure = TACT_OVERLAP_UNSET}};
    tact_overlap_options* o = &run.options;
    tact_option common[TACT_QUERY_OPTIONS];
    tact_query_table(&o->common, common);
    const tact_option own[] = {
        {"pose", "FILE.npy", "poses of B in A's frame: (n, 4, 4) or (4, 4)", TACT_OPTION_TEXT, &o->pose, 0, 0, NULL},
        {"random", "N", "N random poses of B in which the boxes meet", TACT_OPTION_NUMBER, &o->random, 1, 100000000,
         NULL},
        {"method", "M", "exact (default), image-convex or image-concave", TACT_OPTION_CHOICE, &o->method, 0, 0,
         methods},
        {"measure", "M", "of images: query (default) or readback", TACT_OPTION_CHOICE, &o->measure, 0, 0, measures},
        {"resolution", "N", "of images: width and height (default 64)", TACT_OPTION_NUMBER, &o->resolution, 4, 1024,
         NULL},
        {"unchecked", NULL, "of images: also of meshes that are not convex, or not closed", TACT_OPTION_FLAG,
         &o->unchecked, 0, 0, NULL},
        {"contacts", "FILE.npy", "write the overlapping triangles: pose, of A, of B", TACT_OPTION_TEXT, &o->contacts, 0,
         0, NULL},
        {"image", "FILE.png", "of images: write what the test of the first pose saw", TACT_OPTION_TEXT, &o->image, 0, 0,
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
