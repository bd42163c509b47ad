// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/digest.h"
#include "apps/json_out.h"
#include "apps/mesh_file.h"
#include "apps/progress.h"
#include "apps/scenes.h"
#include "apps/session.h"
#include "apps/system.h"
#include "apps/table.h"

/// Who is compared with the reference. The CPU comes twice: the number of threads must not matter.
typedef struct contestant {
    const char* label;
    tact_backend backend;
    int threads;  ///< 0: the context's
    char device[128];
    char missing[512];  ///< why it is skipped; empty when it takes part
    uint64_t checks, differing_checks, failed_checks;
} contestant;

enum { CONTESTANTS = 4, RAY_SETS = 3, MODES = 3 };

static const char* const set_names[RAY_SETS] = {"camera", "random", "hard"};
static const char* const mode_names[MODES] = {"closest", "any", "count"};

typedef struct verify_run {
    tact_common_options common;
    bool quick;
    tact_text_list meshes;
    const char* scene;  ///< only scenes with this in their name; NULL: all
    tact_session session;
    contestant contestants[CONTESTANTS];
    tact_table table;
    cJSON* root;
    cJSON* rows;
    cJSON* differences;
    tact_progress progress;
    uint64_t checks, differing, failed;
    uint64_t scenes_done, scenes;
    char first[1024];  ///< the first difference of all, for people
} verify_run;

/// One scene and set of rays, ready to be cast.
typedef struct verify_case {
    const char* scene_name;
    const char* set_name;
    tact_scene* scene;
    const tact_ray* rays;
    size_t count;
    tact_hit* expected;
    tact_hit* got;
} verify_case;

static void describe_ray(char* text, size_t size, const tact_ray* r)
{
    snprintf(text, size, "o %a %a %a  d %a %a %a  t %a to %a", (double)r->ox, (double)r->oy, (double)r->oz,
             (double)r->dx, (double)r->dy, (double)r->dz, (double)r->tmin, (double)r->tmax);
}

static void describe_hit(char* text, size_t size, const tact_hit* h)
{
    snprintf(text, size, "instance %" PRIu32 " primitive %" PRIu32 " t %a u %a v %a", h->instance, h->primitive,
             (double)h->t, (double)h->u, (double)h->v);
}

static void keep_difference(verify_run* run, const verify_case* c, int mode, const contestant* who, size_t index,
                            size_t differing)
{
    char ray[320], expected[160], got[160];
    describe_ray(ray, sizeof ray, &c->rays[index]);
    describe_hit(expected, sizeof expected, &c->expected[index]);
    describe_hit(got, sizeof got, &c->got[index]);
    if (!run->first[0]) {
        snprintf(run->first, sizeof run->first,
                 "first difference: %s, %s rays, %s, %s: ray %zu (%zu of %zu differ)\n  ray       %s\n  reference %s\n"
                 "  %-9s %s\n",
                 c->scene_name, c->set_name, mode_names[mode], who->label, index, differing, c->count, ray, expected,
                 who->label, got);
    }
    cJSON* entry = tact_json_append(run->differences);
    tact_json_text(entry, "scene", c->scene_name);
    tact_json_text(entry, "rays", c->set_name);
    tact_json_text(entry, "mode", mode_names[mode]);
    tact_json_text(entry, "device", who->label);
    tact_json_count(entry, "index", index);
    tact_json_text(entry, "ray", ray);
    tact_json_text(entry, "expected", expected);
    tact_json_text(entry, "got", got);
}

static void add_row(verify_run* run, const verify_case* c, int mode, const contestant* who, const char* digest,
                    const char* differing, const char* status)
{
    tact_table_add(&run->table, "%s", c->scene_name);
    tact_table_add(&run->table, "%s", c->set_name);
    tact_table_add(&run->table, "%zu", c->count);
    tact_table_add(&run->table, "%s", mode_names[mode]);
    tact_table_add(&run->table, "%s", who->label);
    tact_table_add(&run->table, "%s", digest);
    tact_table_add(&run->table, "%s", differing);
    tact_table_add(&run->table, "%s", status);
}

static void add_json_row(verify_run* run, const verify_case* c, int mode, const contestant* who, const char* digest,
                         uint64_t differing, const char* status, const char* detail)
{
    cJSON* row = tact_json_append(run->rows);
    tact_json_text(row, "scene", c->scene_name);
    tact_json_text(row, "rays", c->set_name);
    tact_json_count(row, "count", c->count);
    tact_json_text(row, "mode", mode_names[mode]);
    tact_json_text(row, "device", who->label);
    tact_json_text(row, "status", status);
    if (digest) {
        tact_json_text(row, "digest", digest);
        tact_json_count(row, "differing", differing);
    }
    if (detail) tact_json_text(row, "reason", detail);
}

/// Runs one contestant on one case and mode and notes what came of it.
static void check_one(verify_run* run, const verify_case* c, int mode, contestant* who)
{
    if (who->missing[0]) {
        add_row(run, c, mode, who, "-", "-", "skipped");
        add_json_row(run, c, mode, who, NULL, 0, "skipped", who->missing);
        return;
    }
    ++run->checks;
    ++who->checks;
    const tact_query_options options = {.backend = who->backend, .threads = who->threads, .no_fallback = true};
    memset(c->got, 0xa5, c->count * sizeof *c->got);
    tact_query_report report;
    const tact_result result =
        tact_raycast(c->scene, (tact_ray_mode)mode, c->rays, c->count, c->got, &options, &report);
    if (result < 0) {
        ++run->failed;
        ++who->failed_checks;
        const char* detail = tact_context_error(run->session.context);
        if (!*detail) detail = tact_result_string(result);
        if (!run->first[0]) {
            snprintf(run->first, sizeof run->first, "first failure: %s, %s rays, %s, %s: %.600s\n", c->scene_name,
                     c->set_name, mode_names[mode], who->label, detail);
        }
        add_row(run, c, mode, who, "-", "-", "FAILED");
        add_json_row(run, c, mode, who, NULL, 0, "failed", detail);
        return;
    }
    size_t differing = 0, first = 0;
    for (size_t i = 0; i < c->count; ++i) {
        if (memcmp(&c->expected[i], &c->got[i], sizeof *c->got) != 0 && differing++ == 0) first = i;
    }
    const tact_digest digest = tact_digest_of(c->got, c->count * sizeof *c->got);
    char number[32];
    snprintf(number, sizeof number, "%zu", differing);
    add_row(run, c, mode, who, digest.text, number, differing ? "DIFFERS" : "equal");
    add_json_row(run, c, mode, who, digest.text, differing, differing ? "differs" : "equal", NULL);
    if (differing) {
        ++run->differing;
        ++who->differing_checks;
        keep_difference(run, c, mode, who, first, differing);
    }
}

static bool check_case(verify_run* run, const verify_case* c, tact_problem* problem)
{
    for (int mode = 0; mode < MODES; ++mode) {
        const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
        const tact_result result =
            tact_raycast(c->scene, (tact_ray_mode)mode, c->rays, c->count, c->expected, &options, NULL);
        if (result < 0) return tact_problem_from_result(problem, result, run->session.context, "the reference");
        for (int i = 0; i < CONTESTANTS; ++i) {
            const contestant* who = &run->contestants[i];
            const bool wanted = run->common.backend == TACT_BACKEND_AUTO || run->common.backend == (int)who->backend;
            if (wanted) check_one(run, c, mode, &run->contestants[i]);
        }
        tact_progress_update((double)mode / MODES, &run->progress);
    }
    return true;
}

static bool verify_model(verify_run* run, const char* name, const tact_model* model, uint64_t count,
                         tact_problem* problem)
{
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    if (!tact_model_build(model, run->session.context, &scene, &stats, problem)) return false;
    const tact_bounds bounds = tact_ray_bounds(&stats);
    // The camera's picture is about twice as wide as high.
    uint32_t height = 1;
    while ((uint64_t)(height + 1) * (height + 1) * 2 <= count)
        ++height;
    tact_ray* rays = malloc((size_t)count * sizeof *rays);
    tact_hit* expected = malloc((size_t)count * sizeof *expected);
    tact_hit* got = malloc((size_t)count * sizeof *got);
    bool good = rays && expected && got;
    if (!good) tact_problem_out_of_memory(problem, "rays and hits");
    for (int set = 0; good && set < RAY_SETS; ++set) {
        verify_case c = {name, set_names[set], scene, rays, (size_t)count, expected, got};
        if (set == 0) {
            c.count = (size_t)height * height * 2;
            tact_rays_camera(&bounds, 2 * height, height, rays);
        } else if (set == 1) {
            tact_rays_random(&bounds, run->common.seed, count, rays);
        } else {
            tact_rays_hard(model, &bounds, run->common.seed, count, rays);
        }
        run->progress.part = run->scenes_done * RAY_SETS + (uint64_t)set;
        good = check_case(run, &c, problem);
    }
    free(rays);
    free(expected);
    free(got);
    tact_scene_destroy(scene);
    ++run->scenes_done;
    return good;
}

static void find_contestants(verify_run* run)
{
    static const contestant all[CONTESTANTS] = {{.label = "cpu", .backend = TACT_BACKEND_CPU},
                                                {.label = "cpu/1", .backend = TACT_BACKEND_CPU, .threads = 1},
                                                {.label = "gl", .backend = TACT_BACKEND_GL},
                                                {.label = "cl", .backend = TACT_BACKEND_CL}};
    memcpy(run->contestants, all, sizeof all);
    for (int i = 0; i < CONTESTANTS; ++i) {
        contestant* who = &run->contestants[i];
        tact_device_info info;
        if (tact_session_device(&run->session, who->backend, &info) >= 0) {
            snprintf(who->device, sizeof who->device, "%s", info.name);
            continue;
        }
        const char* reason = tact_context_missing(run->session.context, who->backend);
        snprintf(who->missing, sizeof who->missing, "%s", reason ? reason : "not found");
    }
}

static bool verify_all(verify_run* run, tact_problem* problem)
{
    run->scenes = tact_test_scene_count + run->meshes.count;
    tact_progress_start(&run->progress, "verifying", run->common.quiet);
    run->progress.parts = run->scenes * RAY_SETS;
    bool good = true;
    for (size_t i = 0; good && i < tact_test_scene_count; ++i) {
        const tact_test_scene* test = &tact_test_scenes[i];
        if (run->scene && !strstr(test->name, run->scene)) continue;
        tact_model model = {0};
        good = test->make(run->quick, &model, problem) &&
               verify_model(run, test->name, &model, run->quick ? test->quick_rays : test->rays, problem);
        tact_model_free(&model);
    }
    for (size_t i = 0; good && i < run->meshes.count; ++i) {
        tact_model model = {0};
        tact_model_mesh mesh;
        good = tact_mesh_file_read_guarded(run->meshes.items[i], &mesh, problem) &&
               tact_model_add_mesh(&model, &mesh, problem) && tact_model_add_instance(&model, 0, NULL, problem) &&
               verify_model(run, run->meshes.items[i], &model, run->quick ? 300 : 4000, problem);
        tact_model_free(&model);
    }
    tact_progress_end(&run->progress);
    return good;
}

static void summary_people(const verify_run* run, double seconds)
{
    if (!run->common.quiet) tact_table_print(&run->table, stdout);
    putchar('\n');
    for (int i = 0; i < CONTESTANTS; ++i) {
        const contestant* who = &run->contestants[i];
        if (who->missing[0]) {
            if (run->common.backend == TACT_BACKEND_AUTO) printf("%-6s skipped: %s\n", who->label, who->missing);
        } else if (who->checks) {
            printf("%-6s %" PRIu64 " of %" PRIu64 " checks equal to the reference, %" PRIu64 " differ, %" PRIu64
                   " failed (%s)\n",
                   who->label, who->checks - who->differing_checks - who->failed_checks, who->checks,
                   who->differing_checks, who->failed_checks, who->device);
        }
    }
    fputs(run->first, stdout);
    printf("%s: %" PRIu64 " checks in %.1f s\n", run->differing || run->failed ? "FAILED" : "passed", run->checks,
           seconds);
}

static bool summary_json(verify_run* run, double seconds, tact_problem* problem)
{
    tact_json_truth(run->root, "passed", run->differing == 0 && run->failed == 0);
    tact_json_count(run->root, "checks", run->checks);
    tact_json_count(run->root, "differing", run->differing);
    tact_json_count(run->root, "failed", run->failed);
    tact_json_number(run->root, "seconds", seconds);
    cJSON* skipped = tact_json_array(run->root, "skipped");
    for (int i = 0; i < CONTESTANTS; ++i) {
        const contestant* who = &run->contestants[i];
        if (!who->missing[0] || run->common.backend != TACT_BACKEND_AUTO) continue;
        cJSON* entry = tact_json_append(skipped);
        tact_json_text(entry, "device", who->label);
        tact_json_text(entry, "reason", who->missing);
    }
    return tact_json_print(run->root, problem);
}

static bool execute(verify_run* run, tact_problem* problem)
{
    if (run->common.backend == TACT_BACKEND_REFERENCE) {
        return tact_problem_set(problem, "--backend reference: the reference is what the others are compared with");
    }
    if (!tact_session_open(&run->session, &run->common, problem)) return false;
    static const char* const heads[] = {"scene", "rays", ">count", "mode", "device", "digest", ">differing", "result"};
    tact_table_init(&run->table, heads, sizeof heads / sizeof heads[0]);
    run->root = cJSON_CreateObject();
    tact_json_text(run->root, "command", "verify");
    tact_json_truth(run->root, "quick", run->quick);
    tact_json_count(run->root, "seed", run->common.seed);
    run->rows = tact_json_array(run->root, "rows");
    run->differences = tact_json_array(run->root, "differences");
    find_contestants(run);
    const double start = tact_system_milliseconds();
    if (!verify_all(run, problem)) return false;
    const double seconds = (tact_system_milliseconds() - start) * 1e-3;
    if (run->common.json) {
        if (!summary_json(run, seconds, problem)) return false;
    } else {
        summary_people(run, seconds);
    }
    if (run->checks == 0) return tact_problem_set(problem, "nothing was checked");
    if (run->differing == 0 && run->failed == 0) return true;
    tact_problem_set(problem, "%" PRIu64 " of %" PRIu64 " checks differ from the reference, %" PRIu64 " failed",
                     run->differing, run->checks, run->failed);
    problem->exit_code = TACT_EXIT_CHECK_FAILED;
    return false;
}

static const char help_text[] =
    "Usage: tact verify [--quick] [options]\n\n"
    "Runs every query on every device over generated scenes and hard inputs and compares the results, byte for byte,\n"
    "with the brute-force reference. A device that is not there is shown as skipped. Exit status 1 when any differs.\n";

int tact_command_verify(int argc, char** argv, tact_problem* problem)
{
    verify_run run = {0};
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&run.common, common);
    const tact_option own[] = {
        {"quick", NULL, "small scenes: a few seconds", TACT_OPTION_FLAG, &run.quick, 0, 0, NULL},
        {"scene", "TEXT", "only generated scenes with this in their name", TACT_OPTION_TEXT, &run.scene, 0, 0, NULL},
        {"mesh", "FILE", "verify on this mesh too; may be given again", TACT_OPTION_LIST, &run.meshes, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool help = false;
    bool good = tact_options_parse(&set, argc, argv, &help, problem);
    if (good && help) {
        puts(help_text);
        tact_options_print(&set, stdout);
    } else if (good) {
        good = execute(&run, problem);
    }
    tact_session_close(&run.session);
    tact_table_free(&run.table);
    cJSON_Delete(run.root);
    tact_text_list_free(&run.meshes);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
