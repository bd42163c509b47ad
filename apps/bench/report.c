// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/system.h"
#include "apps/text.h"

#ifndef TACT_GIT_COMMIT
#define TACT_GIT_COMMIT ""
#endif
#ifndef TACT_BUILD_FLAGS
#define TACT_BUILD_FLAGS ""
#endif

double tact_bench_rate(uint64_t count, double ms)
{
    return ms > 0.0 ? (double)count / ms * 1e-3 : 0.0;
}

static void machine_to_json(cJSON* root, const tact_session* session)
{
    char system[160];
    tact_system_name(system, sizeof system);
    cJSON* machine = tact_json_object(root, "machine");
    tact_json_text(machine, "system", system);
    cJSON* devices = tact_json_array(root, "devices");
    for (uint32_t i = 0; i < tact_context_device_count(session->context); ++i) {
        tact_device_info info;
        if (tact_context_device(session->context, i, &info) < 0) continue;
        if (info.backend == TACT_BACKEND_CPU) {
            tact_json_text(machine, "cpu", info.name);
            tact_json_count(machine, "threads", info.compute_units);
        }
        cJSON* device = tact_json_append(devices);
        tact_json_text(device, "backend", tact_backend_name(info.backend));
        tact_json_text(device, "name", info.name);
        tact_json_text(device, "vendor", info.vendor);
        tact_json_text(device, "driver", info.driver);
        tact_json_text(device, "version", info.version);
        tact_json_truth(device, "software", info.software);
        tact_json_truth(device, "exact", info.probe.exact);
    }
    cJSON* missing = tact_json_array(root, "missing");
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
        const char* reason = tact_context_missing(session->context, (tact_backend)b);
        if (!reason) continue;
        cJSON* entry = tact_json_append(missing);
        tact_json_text(entry, "backend", tact_backend_name((tact_backend)b));
        tact_json_text(entry, "reason", reason);
    }
}

void tact_bench_head_to_json(cJSON* root, const char* command, const tact_session* session)
{
    tact_json_text(root, "command", command);
    tact_json_text(root, "version", tact_version());
    tact_json_text(root, "build", tact_build_info());
    tact_json_text(root, "flags", TACT_BUILD_FLAGS);
    tact_json_text(root, "commit", tact_bench_commit());
    machine_to_json(root, session);
}

const char* tact_bench_commit(void)
{
    return TACT_GIT_COMMIT;
}

// ---- Rows ----

void tact_report_open(tact_report* report, cJSON* root, const char* rows)
{
    *report = (tact_report){.root = root, .rows = tact_json_array(root, rows), .unknown = "-"};
}

void tact_report_row(tact_report* report)
{
    report->made = report->table.columns > 0;
    report->row = NULL;
    if (report->heads_alone && !report->made) return;
    report->heads_alone = false;
    report->row = tact_json_append(report->rows);
    ++report->row_count;
}

/// A cell of the table, which makes its column in the first row.
static void add_cell(tact_report* report, const char* head, const char* text)
{
    tact_table* table = &report->table;
    if (!head) return;
    if (!report->made && table->columns < TACT_TABLE_COLUMNS) {
        table->right[table->columns] = head[0] == '>';
        table->heads[table->columns++] = head + (head[0] == '>');
    }
    if (!report->heads_alone) tact_table_add(table, "%s", text);
}

void tact_report_text(tact_report* report, const char* head, const char* key, const char* text)
{
    add_cell(report, head, text);
    if (key) tact_json_text(report->row, key, text);
}

void tact_report_count(tact_report* report, const char* head, const char* key, uint64_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, count);
    add_cell(report, head, text);
    if (key) tact_json_count(report->row, key, count);
}

static void add_number(tact_report* report, const char* head, const char* format, double value)
{
    char text[64];
    if (!isnan(value)) snprintf(text, sizeof text, format, value);
    add_cell(report, head, isnan(value) ? report->unknown : text);
}

void tact_report_number(tact_report* report, const char* head, const char* key, const char* format, double value)
{
    add_number(report, head, format, value);
    if (key && !isnan(value)) tact_json_number(report->row, key, value);
}

void tact_report_spread(tact_report* report, const char* head, const char* key, const char* format, double scale,
                        const tact_spread* spread)
{
    const tact_spread scaled = {scale * spread->median, scale * spread->low, scale * spread->high};
    add_number(report, head, format, scaled.median);
    add_number(report, head ? ">min" : NULL, format, scaled.low);
    add_number(report, head ? ">max" : NULL, format, scaled.high);
    if (key && !isnan(scale)) tact_json_spread(report->row, key, &scaled);
}

bool tact_report_csv(const tact_report* report, const char* folder, const char* name, tact_problem* problem)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path) return tact_problem_set(problem, "%s: a name too long", folder);
    size_t size = 0;
    char* csv = tact_table_csv(&report->table, &size);
    const bool good = csv ? tact_file_replace(path, csv, size, NULL, 0, problem)
                          : tact_problem_out_of_memory(problem, "the CSV text");
    free(csv);
    return good;
}

void tact_report_print(const tact_report* report)
{
    if (report->table.columns) tact_table_print(&report->table, stdout);
}

void tact_report_close(tact_report* report)
{
    tact_table_free(&report->table);
    *report = (tact_report){0};
}

// ---- Stopping ----

tact_bench_path tact_bench_aside(const char* out)
{
    tact_bench_path stem, path;
    snprintf(stem.text, sizeof stem.text - 16, "%s/stopped", out);
    tact_file_free_name(path.text, sizeof path.text, stem.text, "");
    return path;
}

bool tact_bench_is_stopped(const tact_bench_run* run)
{
    return cJSON_GetObjectItem(run->report.root, "stopped") != NULL;
}

/// The list of what is missing, which is made first.
static cJSON* missing_of(tact_bench_run* run)
{
    cJSON* stopped = cJSON_GetObjectItem(run->report.root, "stopped");
    if (stopped) return cJSON_GetObjectItem(stopped, "missing");
    stopped = tact_json_object(run->report.root, "stopped");
    tact_json_count(stopped, "signal", (uint64_t)tact_system_signal());
    if (run->out) {
        tact_problem later = {0};
        run->aside = tact_bench_aside(run->out);
        run->out = run->aside.text;
        // Where this fails, so does writing the files.
        tact_system_make_directory(run->out, &later);
    }
    return tact_json_array(stopped, "missing");
}

bool tact_bench_stopped(tact_bench_run* run, tact_problem* problem, const char* format, ...)
{
    char what[256];
    if (!tact_system_signal() || (problem->text[0] && problem->result != TACT_ERROR_CANCELLED)) return false;
    *problem = (tact_problem){0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    cJSON_AddItemToArray(missing_of(run), cJSON_CreateString(what));
    return true;
}

/// Lists what is missing, and ends as what a signal has stopped.
static bool end_stopped(tact_bench_run* run, tact_problem* problem)
{
    const cJSON *missing = missing_of(run), *what;
    if (!run->common.json) puts("\nStopped before these were measured:");
    cJSON_ArrayForEach(what, missing) if (!run->common.json) printf("  %s\n", what->valuestring);
    if (problem->text[0]) return false;
    return tact_problem_stop(problem, "before all was measured%s%s", run->out ? "; the files are in " : "",
                             run->out ? run->out : "");
}

// ---- Commands ----

/// Files without an option are meshes, where meshes are taken.
static tact_text_list* operands_of(tact_bench_run* run, const tact_option* own)
{
    while (own->name && strcmp(own->name, "mesh") != 0)
        ++own;
    return own->name ? &run->meshes : NULL;
}

bool tact_bench_one_mesh(const tact_bench_run* run, const char** file, const char** other, tact_problem* problem)
{
    for (size_t i = 0; i < run->meshes.count; ++i) {
        const char** to = !*file ? file : other && !*other ? other : NULL;
        const char* mesh = run->meshes.items[i];
        if (!to) return tact_problem_set(problem, "%s: %s at most", mesh, other ? "two meshes" : "one mesh");
        *to = mesh;
    }
    return true;
}

int tact_bench_command(tact_bench_run* run, const char* help, const tact_option* own,
                       bool (*execute)(tact_bench_run* run, tact_problem* problem), int argc, char** argv,
                       tact_problem* problem)
{
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&run->common, common);
    const tact_option_set set = {own, common};
    bool work = false;
    bool good = tact_options_take(&set, help, operands_of(run, own), argc, argv, &work, problem) &&
                (!work || execute(run, problem));
    tact_progress_end(&run->progress);
    if (tact_bench_is_stopped(run)) good = end_stopped(run, problem);
    cJSON_Delete(run->report.root);
    tact_report_close(&run->report);
    tact_session_close(&run->session);
    tact_text_list_free(&run->meshes);
    tact_text_list_free(&run->made);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}

enum { MOST_REPEATS = 1001 };

bool tact_bench_begin(tact_bench_run* run, const char* command, uint64_t quick, uint64_t usual, tact_problem* problem)
{
    if (run->common.backend == TACT_BACKEND_REFERENCE) {
        return tact_problem_set(problem, "--backend reference: brute force is not timed");
    }
    run->repeat = run->common.repeat ? run->common.repeat : run->quick ? quick : usual;
    if (run->repeat > MOST_REPEATS) run->repeat = MOST_REPEATS;
    if (run->out && !tact_system_make_directory(run->out, problem)) return false;
    if (!tact_session_open(&run->session, &run->common, problem)) return false;
    tact_device_info cpu = {0};
    tact_session_device(&run->session, TACT_BACKEND_CPU, &cpu);
    run->threads = run->common.threads ? (int)run->common.threads : cpu.compute_units ? (int)cpu.compute_units : 1;
    cJSON* root = cJSON_CreateObject();
    tact_bench_head_to_json(root, command, &run->session);
    tact_json_truth(root, "quick", run->quick);
    tact_json_count(root, "seed", run->common.seed);
    tact_json_count(root, "repeat", run->repeat);
    tact_json_count(root, "threads", (uint64_t)run->threads);
    tact_report_open(&run->report, root, "rows");
    tact_progress_start(&run->progress, "measuring", run->common.quiet);
    tact_system_note_signals();
    return true;
}

bool tact_bench_report(tact_bench_run* run, tact_backend named, const char* heading, tact_problem* problem)
{
    tact_progress_end(&run->progress);
    bool good = true;
    if (run->common.json) {
        good = tact_json_print(run->report.root, problem);
    } else {
        tact_device_info info;
        if (tact_session_device(&run->session, named, &info) >= 0) printf("%s\n", info.name);
        printf("%s\n\n", heading);
        tact_report_print(&run->report);
    }
    return good &&
           (!run->out || (tact_json_write(tact_bench_path_of(run, "bench.json").text, run->report.root, problem) &&
                          tact_report_csv(&run->report, run->out, "bench.csv", problem)));
}

tact_bench_path tact_bench_path_of(const tact_bench_run* run, const char* format, ...)
{
    tact_bench_path path;
    const int used = snprintf(path.text, sizeof path.text, "%s/", run->out);
    va_list arguments;
    va_start(arguments, format);
    if (used > 0 && (size_t)used < sizeof path.text)
        vsnprintf(path.text + used, sizeof path.text - (size_t)used, format, arguments);
    va_end(arguments);
    return path;
}

bool tact_bench_verdict(uint64_t wrong, const char* what, tact_problem* problem)
{
    if (wrong == 0) return true;
    tact_problem_set(problem, "%" PRIu64 " %s", wrong, what);
    problem->exit_code = TACT_EXIT_CHECK_FAILED;
    return false;
}
