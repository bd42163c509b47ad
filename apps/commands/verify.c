// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apps/bench/device_model.h"
#include "apps/commands.h"
#include "apps/inputs/scenes.h"
#include "apps/system.h"
#include "apps/verify/verify.h"

static bool (*const queries[])(tact_verify_run* run, tact_problem* problem) = {
    tact_verify_raycast, tact_verify_pairs, tact_verify_particles, tact_verify_overlap, tact_verify_filter,
    tact_verify_images,  tact_verify_picks, tact_verify_near,      tact_verify_scene,   tact_verify_contacts,
};
static const char* const query_names[] = {"all",   "raycast", "pairs", "particles", "overlap",  "filter",
                                          "image", "pick",    "near",  "scene",     "contacts", NULL};

enum { QUERIES = sizeof queries / sizeof queries[0] };

bool tact_verify_wants(const tact_verify_run* run, const tact_verify_device* who)
{
    return run->common.backend == TACT_BACKEND_AUTO || run->common.backend == (int)who->backend;
}

bool tact_verify_wants_scene(const tact_verify_run* run, const char* name)
{
    return !run->scene || strstr(name, run->scene);
}

bool tact_verify_scenes(tact_verify_run* run, tact_verify_scene_fn* verify, tact_problem* problem)
{
    bool good = true;
    for (size_t i = 0; good && i < tact_test_scene_count; ++i) {
        const tact_test_scene* test = &tact_test_scenes[i];
        if (!tact_verify_wants_scene(run, test->name)) continue;
        tact_model model = {0};
        tact_progress_update((double)i / (double)tact_test_scene_count, &run->progress);
        good = tact_verify_goes_on(problem) && test->make(run->quick, &model, problem) &&
               verify(run, test->name, &model, run->quick ? test->quick_rays : test->rays, problem);
        tact_model_free(&model);
    }
    return good;
}

static void add_row(tact_verify_run* run, const tact_verify_row* row, const tact_verify_device* who, const char* digest,
                    const char* differing, const char* status)
{
    tact_table_add(&run->table, "%s", row->scene);
    tact_table_add(&run->table, "%s", row->set);
    tact_table_add(&run->table, "%zu", row->count);
    tact_table_add(&run->table, "%s", row->mode);
    tact_table_add(&run->table, "%s", who->label);
    tact_table_add(&run->table, "%s", digest);
    tact_table_add(&run->table, "%s", differing);
    tact_table_add(&run->table, "%s", status);
}

static cJSON* add_json_row(tact_verify_run* run, const tact_verify_row* row, const tact_verify_device* who,
                           const char* status)
{
    cJSON* entry = tact_json_append(run->rows);
    tact_json_text(entry, "query", row->query);
    tact_json_text(entry, "scene", row->scene);
    tact_json_text(entry, "rays", row->set);
    tact_json_count(entry, "count", row->count);
    tact_json_text(entry, "mode", row->mode);
    tact_json_text(entry, "device", who->label);
    tact_json_text(entry, "status", status);
    return entry;
}

void tact_verify_skip(tact_verify_run* run, const tact_verify_row* row, const tact_verify_device* who,
                      const char* reason)
{
    add_row(run, row, who, "-", "-", "skipped");
    tact_json_text(add_json_row(run, row, who, "skipped"), "reason", reason);
}

void tact_verify_fail(tact_verify_run* run, const tact_verify_row* row, tact_verify_device* who, const char* detail)
{
    ++run->checks;
    ++who->checks;
    ++run->failed;
    ++who->failed_checks;
    if (!run->first[0]) {
        snprintf(run->first, sizeof run->first, "first failure: %s, %s, %s, %s: %.600s\n", row->scene, row->set,
                 row->mode, who->label, detail);
    }
    add_row(run, row, who, "-", "-", "FAILED");
    tact_json_text(add_json_row(run, row, who, "failed"), "reason", detail);
}

void tact_verify_error(tact_verify_run* run, const tact_verify_row* row, tact_verify_device* who, tact_result result)
{
    const char* detail = tact_context_error(run->session.context);
    if (!*detail) detail = tact_result_string(result);
    if (result == TACT_ERROR_UNSUPPORTED || result == TACT_ERROR_NO_DEVICE) {
        tact_verify_skip(run, row, who, detail);
    } else {
        tact_verify_fail(run, row, who, detail);
    }
}

void tact_verify_answer(tact_verify_run* run, const tact_verify_row* row, tact_verify_device* who, const char* digest,
                        uint64_t differing)
{
    tact_verify_answer_but(run, row, who, digest, differing, 0);
}

void tact_verify_answer_but(tact_verify_run* run, const tact_verify_row* row, tact_verify_device* who,
                            const char* digest, uint64_t differing, uint64_t undecided)
{
    ++run->checks;
    ++who->checks;
    run->differing += differing > 0;
    who->differing_checks += differing > 0;
    char number[32], status[64];
    snprintf(number, sizeof number, "%" PRIu64, differing);
    snprintf(status, sizeof status, "%s", differing ? "DIFFERS" : "equal");
    if (undecided) {
        const size_t used = strlen(status);
        snprintf(status + used, sizeof status - used, ", %" PRIu64 " not compared", undecided);
    }
    add_row(run, row, who, digest, number, status);
    cJSON* entry = add_json_row(run, row, who, differing ? "differs" : "equal");
    tact_json_text(entry, "digest", digest);
    tact_json_count(entry, "differing", differing);
    if (undecided) tact_json_count(entry, "undecided", undecided);
}

void tact_verify_difference(tact_verify_run* run, const tact_verify_row* row, const tact_verify_device* who,
                            size_t index, uint64_t differing, const char* item, const char* expected, const char* got)
{
    if (!run->first[0]) {
        snprintf(run->first, sizeof run->first,
                 "first difference: %s, %s, %s, %s: number %zu (%" PRIu64
                 " of %zu differ)\n  input     %s\n  reference %s\n  %-9s %s\n",
                 row->scene, row->set, row->mode, who->label, index, differing, row->count, item, expected, who->label,
                 got);
    }
    // The query that differs is the last one that was asked.
    if (run->report && !run->recorded) {
        char path[4096];
        snprintf(path, sizeof path, "%s.record", run->report);
        run->recorded = tact_record_save(run->session.context, path) == TACT_OK;
    }
    cJSON* entry = tact_json_append(run->differences);
    tact_json_text(entry, "query", row->query);
    tact_json_text(entry, "scene", row->scene);
    tact_json_text(entry, "rays", row->set);
    tact_json_text(entry, "mode", row->mode);
    tact_json_text(entry, "device", who->label);
    tact_json_count(entry, "index", index);
    tact_json_text(entry, strcmp(row->query, "raycast") == 0 ? "ray" : "input", item);
    tact_json_text(entry, "expected", expected);
    tact_json_text(entry, "got", got);
}

static void find_contestants(tact_verify_run* run)
{
    static const tact_verify_device all[TACT_VERIFY_DEVICES] = {
        {.label = "cpu", .backend = TACT_BACKEND_CPU},
        {.label = "cpu/1", .backend = TACT_BACKEND_CPU, .threads = 1},
        {.label = "gl", .backend = TACT_BACKEND_GL},
        {.label = "cl", .backend = TACT_BACKEND_CL}};
    memcpy(run->devices, all, sizeof all);
    for (int i = 0; i < TACT_VERIFY_DEVICES; ++i) {
        tact_verify_device* who = &run->devices[i];
        tact_device_info info;
        if (tact_session_device(&run->session, who->backend, &info) >= 0) {
            snprintf(who->device, sizeof who->device, "%s", info.name);
            continue;
        }
        const char* reason = tact_context_missing(run->session.context, who->backend);
        snprintf(who->missing, sizeof who->missing, "%s", reason ? reason : "not found");
    }
}

static bool verify_all(tact_verify_run* run, tact_problem* problem)
{
    tact_progress_start(&run->progress, "verifying", run->common.quiet);
    run->progress.parts = run->query ? 1 : QUERIES;
    tact_system_note_signals();
    bool good = true;
    for (int i = 0; good && i < QUERIES; ++i) {
        if (run->query != 0 && run->query != i + 1) continue;
        good = tact_verify_goes_on(problem) && queries[i](run, problem);
        run->done += good;
        ++run->progress.part;
        tact_progress_update(0.0, &run->progress);
    }
    tact_progress_end(&run->progress);
    return good;
}

static void summary_people(const tact_verify_run* run, double seconds, FILE* file)
{
    fputc('\n', file);
    for (int i = 0; i < TACT_VERIFY_DEVICES; ++i) {
        const tact_verify_device* who = &run->devices[i];
        if (who->missing[0]) {
            if (run->common.backend == TACT_BACKEND_AUTO) fprintf(file, "%-6s skipped: %s\n", who->label, who->missing);
        } else if (who->checks) {
            fprintf(file,
                    "%-6s %" PRIu64 " of %" PRIu64 " checks equal to the reference or within tolerance, %" PRIu64
                    " differ, %" PRIu64 " failed (%s)\n",
                    who->label, who->checks - who->differing_checks - who->failed_checks, who->checks,
                    who->differing_checks, who->failed_checks, who->device);
        }
    }
    fputs(run->first, file);
    const char* verdict = run->differing || run->failed ? "FAILED" : run->stopped ? "NOT PASSED" : "passed";
    fprintf(file, "%s: %" PRIu64 " checks in %.1f s", verdict, run->checks, seconds);
    if (run->stopped) fprintf(file, ", stopped in query %" PRIu64 " of %" PRIu64, run->done + 1, run->progress.parts);
    fputc('\n', file);
}

static void summary_json(tact_verify_run* run, double seconds)
{
    tact_json_truth(run->root, "passed", run->differing == 0 && run->failed == 0 && !run->stopped);
    if (run->stopped) {
        cJSON* stopped = tact_json_object(run->root, "stopped");
        tact_json_count(stopped, "signal", (uint64_t)tact_system_signal());
        tact_json_count(stopped, "queries_done", run->done);
        tact_json_count(stopped, "queries", run->progress.parts);
    }
    tact_json_count(run->root, "checks", run->checks);
    tact_json_count(run->root, "differing", run->differing);
    tact_json_count(run->root, "failed", run->failed);
    tact_json_time(run->root, "seconds", seconds);
    cJSON* skipped = tact_json_array(run->root, "skipped");
    for (int i = 0; i < TACT_VERIFY_DEVICES; ++i) {
        const tact_verify_device* who = &run->devices[i];
        if (!who->missing[0] || run->common.backend != TACT_BACKEND_AUTO) continue;
        cJSON* entry = tact_json_append(skipped);
        tact_json_text(entry, "device", who->label);
        tact_json_text(entry, "reason", who->missing);
    }
}

// ---- The report ----

static bool is_json(const char* path)
{
    const size_t length = strlen(path);
    return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

static void add_machine(tact_verify_run* run)
{
    cJSON* machine = tact_json_object(run->root, "machine");
    char name[128];
    tact_system_name(name, sizeof name);
    tact_json_text(machine, "system", name);
    tact_json_text(machine, "tact", tact_version());
    tact_json_text(machine, "build", tact_build_info());
    cJSON* devices = tact_json_array(machine, "devices");
    const tact_context* context = run->session.context;
    for (uint32_t i = 0; i < tact_context_device_count(context); ++i) {
        tact_device_info info;
        if (tact_context_device(context, i, &info) != TACT_OK) continue;
        cJSON* entry = tact_json_append(devices);
        tact_json_text(entry, "backend", tact_backend_name(info.backend));
        tact_json_text(entry, "name", info.name);
        tact_json_text(entry, "vendor", info.vendor);
        tact_json_text(entry, "driver", info.driver);
        tact_json_text(entry, "version", info.version);
        tact_json_text(entry, "language", info.language);
        tact_json_truth(entry, "software", info.software);
        tact_json_truth(entry, "exact", info.probe.exact);
        tact_json_truth(entry, "flushes_subnormals", info.probe.flushes_subnormals);
        tact_json_truth(entry, "corrected_division", info.probe.corrected_division);
        tact_json_truth(entry, "corrected_sqrt", info.probe.corrected_sqrt);
        cJSON* operations = tact_json_array(entry, "probe");
        for (int k = 0; info.probe.ran && k < TACT_PROBE_OPERATIONS; ++k) {
            const tact_probe_operation* o = &info.probe.operations[k];
            cJSON* row = tact_json_append(operations);
            tact_json_text(row, "operation", o->name);
            tact_json_count(row, "tested", o->tested);
            tact_json_count(row, "differing", o->differing);
            tact_json_count(row, "worst_ulps", o->worst_ulps);
        }
    }
}

static void print_machine(const tact_verify_run* run, FILE* file)
{
    char name[128];
    tact_system_name(name, sizeof name);
    fprintf(file, "tact verify%s, seed %" PRIu64 "\ntact %s on %s\n%s\n", run->quick ? " --quick" : "",
            run->common.seed, tact_version(), name, tact_build_info());
    const tact_context* context = run->session.context;
    for (uint32_t i = 0; i < tact_context_device_count(context); ++i) {
        tact_device_info info;
        if (tact_context_device(context, i, &info) != TACT_OK) continue;
        fprintf(file, "%s: %s, %s, driver %s, %s, %s; arithmetic %s%s\n", tact_backend_name(info.backend), info.name,
                info.vendor, info.driver, info.version, info.language, info.probe.exact ? "exact" : "differs",
                info.probe.flushes_subnormals ? ", flushes subnormal numbers" : "");
        for (int k = 0; info.probe.ran && k < TACT_PROBE_OPERATIONS; ++k) {
            const tact_probe_operation* o = &info.probe.operations[k];
            if (o->differing == 0) continue;
            fprintf(file, "  %s: %" PRIu32 " of %" PRIu32 " differ, by up to %" PRIu32 " units in the last place\n",
                    o->name, o->differing, o->tested, o->worst_ulps);
        }
    }
}

static bool write_report(tact_verify_run* run, double seconds, tact_problem* problem)
{
    if (is_json(run->report)) return tact_json_write(run->report, run->root, problem);
    tact_platform_output output;
    if (!tact_file_begin(&output, run->report, problem)) return false;
    FILE* file = output.file;
    print_machine(run, file);
    fputc('\n', file);
    tact_table_print(&run->table, file);
    summary_people(run, seconds, file);
    if (run->recorded)
        fprintf(file, "the queries up to the first difference are in %s.record: tact replay\n", run->report);
    return tact_file_finish(&output, true, problem);
}

static bool execute(tact_verify_run* run, tact_problem* problem)
{
    if (run->common.backend == TACT_BACKEND_REFERENCE) {
        return tact_problem_set(problem, "--backend reference: the reference is what the others are compared with");
    }
    run->common.records = run->report != NULL;
    tact_device_model model;
    if (run->model) {
        if (!tact_device_model_read(run->model, &model, problem)) return false;
        run->common.model = &model;
    }
    if (!tact_session_open(&run->session, &run->common, problem)) return false;
    static const char* const heads[] = {"scene", "rays", ">count", "mode", "device", "digest", ">differing", "result"};
    tact_table_init(&run->table, heads, sizeof heads / sizeof heads[0]);
    tact_table_mark(&run->table, "DIFFERS");
    tact_table_mark(&run->table, "FAILED");
    run->root = cJSON_CreateObject();
    tact_json_text(run->root, "command", "verify");
    tact_json_truth(run->root, "quick", run->quick);
    tact_json_count(run->root, "seed", run->common.seed);
    run->rows = tact_json_array(run->root, "rows");
    run->differences = tact_json_array(run->root, "differences");
    find_contestants(run);
    const double start = tact_system_milliseconds();
    const bool good = verify_all(run, problem);
    run->stopped = !good && problem->result == TACT_ERROR_CANCELLED && tact_system_signal();
    if (!good && !run->stopped) return false;
    const double seconds = (tact_system_milliseconds() - start) * 1e-3;
    add_machine(run);
    summary_json(run, seconds);
    if (run->common.json) {
        if (!tact_json_print(run->root, problem)) return false;
    } else {
        if (!run->common.quiet) tact_table_print(&run->table, stdout);
        summary_people(run, seconds, stdout);
    }
    if (run->stopped) {
        // A report is of all that was asked for; one that is there stays.
        return tact_problem_stop(problem,
                                 "after %" PRIu64 " checks, all of %" PRIu64 " of %" PRIu64 " queries: %" PRIu64
                                 " differ, %" PRIu64 " failed%s%s%s",
                                 run->checks, run->done, run->progress.parts, run->differing, run->failed,
                                 run->report ? "; " : "", run->report ? run->report : "",
                                 run->report ? " is not written" : "");
    }
    if (run->report && !write_report(run, seconds, problem)) return false;
    if (run->checks == 0) return tact_problem_set(problem, "nothing was checked");
    if (run->differing == 0 && run->failed == 0) return true;
    tact_problem_set(problem, "%" PRIu64 " of %" PRIu64 " checks differ from the reference, %" PRIu64 " failed",
                     run->differing, run->checks, run->failed);
    problem->exit_code = TACT_EXIT_CHECK_FAILED;
    return false;
}

static const char help_text[] =
    "Usage: tact verify [--quick] [MESH ...] [options]\n\n"
    "Runs every query on every device over generated scenes and hard inputs and compares the results, byte for byte,\n"
    "with the brute-force reference, and what is drawn within its tolerance. A device that is not there is shown as "
    "skipped. Exit status 1 when any differs.\n";

int tact_command_verify(int argc, char** argv, tact_problem* problem)
{
    tact_verify_run run = {0};
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&run.common, common);
    const tact_option own[] = {
        TACT_FLAG("quick", "small scenes: less than a minute", &run.quick),
        TACT_TEXT("scene", "TEXT", "only generated scenes with this in their name", &run.scene),
        TACT_CHOICE("query", "Q",
                    "all (default), raycast, pairs, particles, overlap, filter, image, pick, near, scene or contacts",
                    &run.query, query_names),
        TACT_OUTPUT("report", "FILE", "write all there is to say to a .txt or .json file, to attach to a bug",
                    &run.report),
        TACT_TEXT("model", "FILE", "verify the device that FILE describes (bench/models)", &run.model),
        TACT_LIST("mesh", "FILE", "verify on this mesh too, as FILE alone; may be given again", &run.meshes),
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good = tact_options_take(&set, help_text, &run.meshes, argc, argv, &work, problem) &&
                      (!work || execute(&run, problem));
    tact_session_close(&run.session);
    tact_table_free(&run.table);
    cJSON_Delete(run.root);
    tact_text_list_free(&run.meshes);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
