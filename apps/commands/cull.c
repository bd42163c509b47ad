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
#include "apps/inputs/npy.h"
#include "apps/inputs/volumes.h"
#include "apps/json_out.h"
#include "apps/pictures/cull.h"
#include "apps/progress.h"
#include "apps/session.h"
#include "apps/timing.h"

enum { PICTURE_SIZE = 1024, NO_FRUSTUM = -1 };

typedef struct cull_options {
    tact_common_options common;
    const char *boxes, *spheres, *against, *out, *image;
    uint64_t random;  ///< UINT64_MAX: not given
    int frustum;
} cull_options;

/// What a run of the command holds; all of it is released at one place.
typedef struct cull_run {
    cull_options options;
    tact_session session;
    tact_culler* culler;
    tact_cull_work work;
    void* volumes;
    tact_aabb* against;
    tact_aabb* shown;  ///< boxes around spheres, for the picture
    tact_aabb bounds;  ///< of the volumes that are finite
    tact_frustum frustum;
    tact_plane planes[TACT_FRUSTUM_PLANES];
    const uint32_t* ids;
    size_t kept;
    tact_query_report report;  ///< medians
    double run_ms;
    tact_digest digest;
} cull_run;

_Static_assert(sizeof(tact_aabb) == 24 && sizeof(tact_sphere) == 16, "rows of six and of four floats");

static bool check_options(const cull_options* o, tact_problem* problem)
{
    const int sources = (o->boxes != NULL) + (o->spheres != NULL) + (o->random != UINT64_MAX);
    if (sources != 1) return tact_problem_set(problem, "one of --boxes FILE, --spheres FILE, --random N is needed");
    if (o->frustum == NO_FRUSTUM && !o->against) {
        return tact_problem_set(problem, "--frustum camera or --against FILE is needed, or both");
    }
    return tact_expect_check(&o->common, problem);
}

static bool read_rows(const char* path, uint32_t columns, void** data, size_t* count, tact_problem* problem)
{
    tact_npy_table table;
    if (!tact_npy_read(path, TACT_NPY_FLOAT32, columns, &table, problem)) return false;
    *data = table.data;
    *count = (size_t)table.rows;
    return table.rows <= TACT_CULL_MAX || tact_problem_set(problem, "%s: more than 2^30 rows", path);
}

static bool load(cull_run* run, tact_problem* problem)
{
    const cull_options* o = &run->options;
    size_t count = 0, against = 0;
    void* boxes = NULL;
    bool good = true;
    if (o->boxes) {
        good = read_rows(o->boxes, 6, &run->volumes, &count, problem);
    } else if (o->spheres) {
        good = read_rows(o->spheres, 4, &run->volumes, &count, problem);
    } else {
        count = (size_t)o->random;
        run->volumes = count <= SIZE_MAX / sizeof(tact_aabb) ? malloc(count * sizeof(tact_aabb) + 1) : NULL;
        if (!run->volumes) return tact_problem_out_of_memory(problem, "the boxes");
        tact_volumes_uniform(count, o->common.seed, run->volumes);
    }
    if (good && o->against) good = read_rows(o->against, 6, &boxes, &against, problem);
    run->against = boxes;
    if (!good) return false;
    run->work = (tact_cull_work){.kind = o->spheres ? TACT_CULL_SPHERES : TACT_CULL_AABBS,
                                 .volumes = run->volumes,
                                 .count = count,
                                 .boxes = run->against,
                                 .box_count = against};
    return true;
}

static tact_aabb box_of(const cull_run* run, size_t i)
{
    if (run->work.kind == TACT_CULL_AABBS) return ((const tact_aabb*)run->volumes)[i];
    const tact_sphere s = ((const tact_sphere*)run->volumes)[i];
    return (tact_aabb){{s.center.x - s.radius, s.center.y - s.radius, s.center.z - s.radius},
                       {s.center.x + s.radius, s.center.y + s.radius, s.center.z + s.radius}};
}

static void include(float* low, float* high, float lower, float upper)
{
    if (lower < *low) *low = lower;
    if (upper > *high) *high = upper;
}

static void find_bounds(cull_run* run)
{
    tact_aabb b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < run->work.count; ++i) {
        const tact_aabb v = box_of(run, i);
        const float parts[6] = {v.lower.x, v.lower.y, v.lower.z, v.upper.x, v.upper.y, v.upper.z};
        bool good = v.lower.x <= v.upper.x && v.lower.y <= v.upper.y && v.lower.z <= v.upper.z;
        for (int k = 0; k < 6; ++k)
            good = good && fabsf(parts[k]) <= 1e15f;  // what is farther would make the rest a dot
        if (!good) continue;
        include(&b.lower.x, &b.upper.x, v.lower.x, v.upper.x);
        include(&b.lower.y, &b.upper.y, v.lower.y, v.upper.y);
        include(&b.lower.z, &b.upper.z, v.lower.z, v.upper.z);
    }
    const bool any = b.lower.x <= b.upper.x;
    run->bounds = any ? b : (tact_aabb){{0, 0, 0}, {1, 1, 1}};
}

/// In the middle of the volumes, looking along -z with +y up, 60 degrees high and as wide as 16 to 9, from a
/// thousandth of half the bounds' diagonal to all of it.
static void make_frustum(cull_run* run)
{
    const tact_aabb* b = &run->bounds;
    const double x = 0.5 * ((double)b->lower.x + (double)b->upper.x),
                 y = 0.5 * ((double)b->lower.y + (double)b->upper.y);
    const double z = 0.5 * ((double)b->lower.z + (double)b->upper.z);
    const double dx = (double)b->upper.x - x, dy = (double)b->upper.y - y, dz = (double)b->upper.z - z;
    double far = sqrt(dx * dx + dy * dy + dz * dz);
    if (!(far > 0.0)) far = 1.0;
    const double near = far / 1000.0, high = sqrt(1.0 / 3.0), wide = high * 16.0 / 9.0;
    const tact_plane planes[TACT_FRUSTUM_PLANES] = {
        {{-1, 0, (float)wide}, (float)(wide * z - x)},
        {{1, 0, (float)wide}, (float)(wide * z + x)},
        {{0, -1, (float)high}, (float)(high * z - y)},
        {{0, 1, (float)high}, (float)(high * z + y)},
        {{0, 0, 1}, (float)(z - near)},
        {{0, 0, -1}, (float)(far - z)},
    };
    (void)tact_frustum_from_planes(planes, &run->frustum);
    run->work.planes = run->planes;
    run->work.plane_count = tact_cull_frustum(&run->frustum, run->planes);
}

/// One call, its answer's digest in `digest`.
static bool cull_once(cull_run* run, tact_progress* progress, tact_digest* digest, tact_problem* problem)
{
    const cull_options* o = &run->options;
    tact_query_options options = tact_query_asked(&o->common);
    options.progress = tact_progress_update;
    options.progress_user = progress;
    const tact_result result = tact_cull(run->culler, &run->work, NULL, 0, &run->kept, NULL, &options, &run->report);
    if (result < 0) return tact_problem_from_result(problem, result, run->session.context, "culling");
    size_t count = 0;
    run->ids = tact_cull_last(run->culler, &count);
    *digest = tact_digest_of(run->ids, count * sizeof *run->ids);
    return true;
}

static bool cull_all(cull_run* run, tact_progress* progress, tact_problem* problem)
{
    const cull_options* o = &run->options;
    const size_t repeat = o->common.repeat ? (size_t)o->common.repeat : 1;
    const size_t warm_up = o->common.backend != TACT_BACKEND_REFERENCE;
    double* samples = malloc(5 * repeat * sizeof *samples);
    if (!samples) return tact_problem_out_of_memory(problem, "the measurements");
    double first_build = 0.0;
    bool good = true;
    progress->parts = repeat + warm_up;
    for (size_t i = 0; i < repeat + warm_up && good; ++i) {
        tact_digest digest;
        progress->part = i;
        good = cull_once(run, progress, &digest, problem);
        if (!good) break;
        if (i == 0) {
            run->digest = digest;
            first_build = run->report.build_ms;
        } else if (strcmp(digest.text, run->digest.text) != 0) {
            good = tact_problem_set(problem, "the answer was another when asked again");
            problem->exit_code = TACT_EXIT_CHECK_FAILED;
        }
        if (i < warm_up) continue;
        double* s = samples + (i - warm_up);
        s[0] = run->report.build_ms;
        s[repeat] = run->report.upload_ms;
        s[2 * repeat] = run->report.query_ms;
        s[3 * repeat] = run->report.download_ms;
        s[4 * repeat] = s[0] + s[repeat] + s[2 * repeat] + s[3 * repeat];
    }
    if (good) {
        tact_query_report* r = &run->report;
        r->build_ms = first_build;
        r->upload_ms = tact_spread_of(samples + repeat, repeat).median;
        r->query_ms = tact_spread_of(samples + 2 * repeat, repeat).median;
        r->download_ms = tact_spread_of(samples + 3 * repeat, repeat).median;
        r->total_ms = r->build_ms + r->upload_ms + r->query_ms + r->download_ms;
        run->run_ms = tact_spread_of(samples + 4 * repeat, repeat).median;
    }
    free(samples);
    return good;
}

static double volumes_per_second(const cull_run* run)
{
    return run->run_ms > 0.0 ? (double)run->work.count / run->run_ms * 1e3 : 0.0;
}

static bool report_json(const cull_run* run, tact_problem* problem)
{
    cJSON* root = cJSON_CreateObject();
    tact_json_query(root, "cull", &run->report, run->work.count, run->kept, run->digest.text);
    tact_explain_json(root, &run->session, &run->options.common);
    tact_json_count(root, "volumes", run->work.count);
    tact_json_count(root, "kept", run->kept);
    tact_json_text(root, "kind", run->work.kind == TACT_CULL_SPHERES ? "spheres" : "boxes");
    tact_json_count(root, "planes", run->work.plane_count);
    tact_json_count(root, "against", run->work.box_count);
    tact_json_count(root, "seed", run->options.common.seed);
    tact_json_count(root, "repeat", run->options.common.repeat ? run->options.common.repeat : 1);
    tact_json_number(root, "volumes_per_second", volumes_per_second(run));
    tact_json_count(root, "failures", run->report.failures);
    if (run->options.common.shadow) tact_json_text(root, "shadow", "equal");
    const bool good = tact_json_print(root, problem);
    cJSON_Delete(root);
    return good;
}

static void report_people(const cull_run* run)
{
    const tact_query_report* r = &run->report;
    printf("volumes %zu %s", run->work.count, run->work.kind == TACT_CULL_SPHERES ? "spheres" : "boxes");
    if (run->work.plane_count) printf(", in a frustum of %u planes", (unsigned)run->work.plane_count);
    if (run->work.boxes) printf(", against %zu boxes", run->work.box_count);
    printf("\ndevice  %s: %s%s", tact_backend_name(r->backend), r->device,
           r->software && r->threads == 0 ? " (software)" : "");
    if (r->threads > 0) printf(", %d thread%s", r->threads, r->threads == 1 ? "" : "s");
    printf("\nreason  %s\n", r->reason);
    printf("kept    %zu (%.2f %%)\n", run->kept,
           run->work.count ? 100.0 * (double)run->kept / (double)run->work.count : 0.0);
    printf("digest  %s, %s", run->digest.text, r->exact ? "exact" : "with a tolerance of ");
    if (!r->exact) printf("%g", r->tolerance);
    printf("%s\n", run->options.common.shadow ? ", equal to the reference" : "");
    printf("time    build %.2f ms, upload %.2f, query %.2f, download %.2f, total %.2f\n", r->build_ms, r->upload_ms,
           r->query_ms, r->download_ms, r->total_ms);
    printf("rate    %.3f million volumes a second\n", volumes_per_second(run) * 1e-6);
}

static bool write_picture(cull_run* run, tact_problem* problem)
{
    const tact_aabb* boxes = run->volumes;
    if (run->work.kind == TACT_CULL_SPHERES) {
        run->shown = malloc(run->work.count * sizeof *run->shown + 1);
        if (!run->shown) return tact_problem_out_of_memory(problem, "the picture");
        for (size_t i = 0; i < run->work.count; ++i)
            run->shown[i] = box_of(run, i);
        boxes = run->shown;
    }
    const tact_cull_picture picture = {
        boxes,        run->work.count,     run->ids,   run->kept, run->work.plane_count ? &run->frustum : NULL,
        run->against, run->work.box_count, run->bounds};
    return tact_picture_of_culling(run->options.image, &picture, PICTURE_SIZE, problem);
}

static bool execute(cull_run* run, tact_problem* problem)
{
    const cull_options* o = &run->options;
    if (!check_options(o, problem) || !load(run, problem)) return false;
    find_bounds(run);
    if (o->frustum != NO_FRUSTUM) make_frustum(run);
    if (!tact_session_open(&run->session, &o->common, problem)) return false;
    const tact_result made = tact_culler_create(run->session.context, &run->culler);
    if (made < 0) return tact_problem_from_result(problem, made, run->session.context, "culling");
    tact_progress progress;
    tact_progress_start(&progress, "culling", o->common.quiet);
    const bool good = cull_all(run, &progress, problem);
    tact_progress_end(&progress);
    if (!good) return false;
    if (o->out && !tact_npy_write(o->out, TACT_NPY_UINT32, run->kept, 0, run->ids, problem)) return false;
    if (o->image && !write_picture(run, problem)) return false;
    if (o->common.json) {
        if (!report_json(run, problem)) return false;
    } else {
        report_people(run);
        tact_explain_print(&run->session, &run->options.common);
    }
    return tact_expect_digest(&o->common, run->digest.text, problem);
}

static const char help_text[] =
    "Usage: tact cull (--boxes FILE.npy | --spheres FILE.npy | --random N) [--frustum camera] [--against FILE.npy]\n"
    "                 [options]\n\n"
    "Keeps the volumes that are in view, or near any box of a list, or both.\n";

int tact_command_cull(int argc, char** argv, tact_problem* problem)
{
    static const char* const frusta[] = {"camera", NULL};
    cull_run* run = calloc(1, sizeof *run);
    if (!run) {
        tact_problem_out_of_memory(problem, "the command");
        return problem->exit_code;
    }
    cull_options* o = &run->options;
    o->random = UINT64_MAX;
    o->frustum = NO_FRUSTUM;
    tact_option common[TACT_QUERY_OPTIONS];
    tact_query_table(&o->common, common);
    const tact_option own[] = {
        {"boxes", "FILE.npy", "boxes to cull", TACT_OPTION_TEXT, &o->boxes, 0, 0, NULL},
        {"spheres", "FILE.npy", "spheres to cull", TACT_OPTION_TEXT, &o->spheres, 0, 0, NULL},
        {"random", "N", "N boxes in the unit cube", TACT_OPTION_NUMBER, &o->random, 0, TACT_CULL_MAX, NULL},
        {"frustum", "F", "camera: keep what is in view from the middle", TACT_OPTION_CHOICE, &o->frustum, 0, 0, frusta},
        {"against", "FILE.npy", "keep what is near one of these boxes", TACT_OPTION_TEXT, &o->against, 0, 0, NULL},
        {"out", "FILE.npy", "write the ids kept", TACT_OPTION_TEXT, &o->out, 0, 0, NULL},
        {"image", "FILE.png", "write a picture, seen from above", TACT_OPTION_TEXT, &o->image, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, NULL, argc, argv, &work, problem) && (!work || execute(run, problem));
    tact_culler_destroy(run->culler);
    tact_session_close(&run->session);
    free(run->volumes);
    free(run->against);
    free(run->shown);
    free(run);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
