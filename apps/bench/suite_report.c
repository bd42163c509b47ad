// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "apps/bench/html_report.h"
#include "apps/bench/suite.h"
#include "apps/system.h"

enum { SCHEMA_VERSION = 1 };

/// The CPU's row of the same size in a series, if its time counts.
static const tact_suite_row* cpu_of(const tact_suite_row* rows, size_t count, const tact_suite_row* row)
{
    for (size_t i = 0; i < count; ++i) {
        const tact_suite_row* r = &rows[i];
        if (!r->peer && r->backend == TACT_BACKEND_CPU && r->size == row->size && tact_suite_counts(r)) return r;
    }
    return NULL;
}

double tact_suite_speed_up(const tact_suite_row* rows, size_t count, const tact_suite_row* row)
{
    const tact_suite_row* cpu = cpu_of(rows, count, row);
    return cpu && tact_suite_counts(row) && row->total.median > 0.0 ? cpu->total.median / row->total.median : 0.0;
}

double tact_suite_per_second(const tact_suite_row* row)
{
    return tact_suite_counts(row) && row->total.median > 0.0 ? (double)row->size / row->total.median * 1e3 : 0.0;
}

// ---- Rows ----

static void series_to_json(cJSON* entry, const tact_suite_row* row)
{
    tact_json_text(entry, "query", row->query->name);
    tact_json_text(entry, "set", row->query->set);
    if (row->mesh[0]) tact_json_text(entry, "mesh", row->mesh);
}

static void times_to_json(cJSON* entry, const tact_suite_row* row)
{
    cJSON* times = tact_json_object(entry, "time_ms");
    tact_json_time(times, "setup", row->setup_ms);
    if (!row->peer) {
        tact_json_time(times, "first", row->first_ms);
        tact_json_time(times, "first_build", row->first_build_ms);
        tact_json_time(times, "first_upload", row->first_upload_ms);
        tact_json_spread(times, "build", &row->build);
        tact_json_spread(times, "upload", &row->upload);
        tact_json_spread(times, "download", &row->download);
    }
    tact_json_spread(times, "query", &row->query_ms);
    tact_json_spread(times, "total", &row->total);
    if (row->busy.median > 0.0) tact_json_spread(times, "busy", &row->busy);
}

/// What is in the JSON alone.
static void rest_to_json(cJSON* entry, const tact_suite_row* row)
{
    if (row->mesh[0]) tact_json_count(entry, "triangles", row->triangles);
    tact_json_text(entry, "unit", row->query->unit);
    if (row->peer) {
        tact_json_text(entry, "peer", row->peer);
    } else {
        tact_json_text(entry, "backend", tact_backend_name(row->backend));
        tact_json_text(entry, "device", row->device);
        tact_json_truth(entry, "software", row->software);
    }
    tact_json_text(entry, "result", tact_suite_result(row));
    if (row->digest.text[0]) tact_json_text(entry, "digest", row->digest.text);
    if (row->detail[0]) tact_json_text(entry, "reason", row->detail);
    if (!tact_suite_counts(row)) return;
    if (!row->peer) {
        tact_json_text(entry, "compared_with", row->by_reference ? "reference" : "cpu");
        tact_json_count(entry, "memory_bytes", row->memory_bytes);
        if (row->counts.launches > 0) tact_json_counts(entry, &row->counts);
        if (row->floor_ms > 0.0) tact_json_time(entry, "floor_ms", row->floor_ms);
    }
    tact_json_text(entry, "found", row->query->found);
    tact_json_count(entry, "results", row->results);
    tact_json_count(entry, "threads", (uint64_t)(row->threads > 0 ? row->threads : 0));
    times_to_json(entry, row);
    tact_json_number(entry, "per_second", tact_suite_per_second(row));
}

/// The columns that begin every table.
static void add_case(tact_report* r, const tact_suite_row* row)
{
    tact_report_text(r, "query", "query", row->query->name);
    tact_report_text(r, "set", "set", row->query->set);
    tact_report_text(r, "mesh", row->mesh[0] ? "mesh" : NULL, row->mesh[0] ? row->mesh : r->unknown);
}

typedef void add_row_fn(tact_report* r, const tact_suite_row* rows, size_t count, const tact_suite_row* row);

static void add_row(tact_report* r, const tact_suite_row* rows, size_t count, const tact_suite_row* row)
{
    const double once = tact_suite_counts(row) ? 1.0 : (double)NAN, up = tact_suite_speed_up(rows, count, row);
    const double bytes = row->memory_bytes > 0 ? (double)row->memory_bytes : (double)NAN;
    char result[64];
    snprintf(result, sizeof result, "%s%s", tact_suite_result(row),
             tact_suite_counts(row) && row->by_reference ? " (brute force)" : "");
    tact_report_row(r);
    add_case(r, row);
    tact_report_count(r, ">size", "size", row->size);
    tact_report_text(r, "device", NULL, tact_suite_who(row));
    tact_report_number(r, ">build", NULL, "%.4f", once * row->build.median);
    tact_report_number(r, ">upload", NULL, "%.4f", once * row->upload.median);
    tact_report_number(r, ">query", NULL, "%.4f", once * row->query_ms.median);
    tact_report_number(r, ">download", NULL, "%.4f", once * row->download.median);
    tact_report_spread(r, ">total", NULL, "%.4f", once, &row->total);
    tact_report_number(r, ">M/s", NULL, "%.3f", once * tact_suite_per_second(row) * 1e-6);
    tact_report_number(r, ">x cpu", "speed_up", "%.2f", up > 0.0 ? up : (double)NAN);
    tact_report_number(r, ">MiB", NULL, "%.2f", once * bytes / 1048576.0);
    tact_report_text(r, "result", NULL, result);
    rest_to_json(r->row, row);
}

static void add_csv(tact_report* r, const tact_suite_row* rows, size_t count, const tact_suite_row* row)
{
    const bool timed = tact_suite_counts(row);
    // What does not count has no times here either.
    const double once = timed ? 1.0 : (double)NAN, up = tact_suite_speed_up(rows, count, row);
    tact_report_row(r);
    add_case(r, row);
    tact_report_count(r, "triangles", NULL, row->triangles);
    tact_report_text(r, "unit", NULL, row->query->unit);
    tact_report_count(r, "size", NULL, row->size);
    tact_report_text(r, "device", NULL, tact_suite_who(row));
    tact_report_text(r, "result", NULL, tact_suite_result(row));
    tact_report_text(r, "compared_with", NULL, row->peer || !timed ? "" : row->by_reference ? "reference" : "cpu");
    tact_report_text(r, "digest", NULL, row->digest.text);
    tact_report_count(r, "results", NULL, row->results);
    tact_report_number(r, "threads", NULL, "%.0f", row->threads);
    tact_report_count(r, "memory_bytes", NULL, row->memory_bytes);
    tact_report_number(r, "setup_ms", NULL, "%.6f", once * row->setup_ms);
    tact_report_number(r, "first_ms", NULL, "%.6f", once * row->first_ms);
    tact_report_number(r, "build_ms", NULL, "%.6f", once * row->build.median);
    tact_report_number(r, "upload_ms", NULL, "%.6f", once * row->upload.median);
    tact_report_number(r, "query_ms", NULL, "%.6f", once * row->query_ms.median);
    tact_report_number(r, "download_ms", NULL, "%.6f", once * row->download.median);
    tact_report_number(r, "total_ms", NULL, "%.6f", once * row->total.median);
    tact_report_number(r, "total_min_ms", NULL, "%.6f", once * row->total.low);
    tact_report_number(r, "total_max_ms", NULL, "%.6f", once * row->total.high);
    tact_report_number(r, "per_second", NULL, "%.1f", once * tact_suite_per_second(row));
    tact_report_number(r, "speed_up", NULL, "%.4f", up > 0.0 ? up : (double)NAN);
}

static void add_busy(tact_report* r, const tact_suite_row* rows, size_t count, const tact_suite_row* row)
{
    (void)rows, (void)count;
    if (!tact_suite_counts(row) || !(row->busy.median > 0.0)) return;
    tact_report_row(r);
    add_case(r, row);
    tact_report_count(r, ">size", NULL, row->size);
    tact_report_text(r, "device", NULL, tact_suite_who(row));
    tact_report_number(r, ">quiet", NULL, "%.4f", row->total.median);
    tact_report_spread(r, ">busy", NULL, "%.4f", 1.0, &row->busy);
    tact_report_number(r, ">x quiet", NULL, "%.2f", row->busy.median / row->total.median);
}

/// What is predicted of the modelled device, and the least that its bytes take.
static void add_prediction(tact_report* r, const tact_suite_row* row, double cpu)
{
    const tact_device_counts* c = &row->counts;
    const double floor = row->floor_ms, ms = row->total.median;
    tact_report_row(r);
    add_case(r, row);
    tact_report_count(r, ">size", NULL, row->size);
    tact_report_number(r, ">cpu", NULL, "%.4f", cpu > 0.0 ? cpu : (double)NAN);
    tact_report_number(r, ">predicted", NULL, "%.4f", ms);
    tact_report_number(r, ">floor", NULL, "%.4f", floor);
    tact_report_number(r, ">x floor", NULL, "%.1f", floor > 0.0 ? ms / floor : (double)NAN);
    tact_report_count(r, ">launches", NULL, c->launches);
    tact_report_count(r, ">waits", NULL, c->waits);
    tact_report_number(r, ">MB up", NULL, "%.3f", (double)c->bytes_up * 1e-6);
    tact_report_number(r, ">MB down", NULL, "%.3f", (double)c->bytes_down * 1e-6);
    tact_report_number(r, ">MB by kernels", NULL, "%.3f", (double)c->kernel_bytes * 1e-6);
    tact_report_number(r, ">of memory", NULL, "%.3f", (double)c->memory_bytes * 1e-6);
}

static void print_predictions(const tact_suite_settings* settings, const tact_suite_results* results)
{
    tact_report report;
    cJSON* aside = cJSON_CreateObject();
    printf("\n%s: predicted, and what its bytes take at least, in milliseconds\n\n", settings->model.name);
    tact_report_open(&report, aside, "rows");
    for (size_t at = 0, count = 0; at < results->count; at += count) {
        count = tact_suite_series(results, at);
        for (size_t i = at; i < at + count; ++i) {
            const tact_suite_row *row = &results->rows[i], *cpu = cpu_of(&results->rows[at], count, row);
            if (row->peer || row->backend != TACT_BACKEND_CL || !tact_suite_counts(row)) continue;
            add_prediction(&report, row, cpu ? cpu->total.median : 0.0);
        }
    }
    tact_report_print(&report);
    tact_report_close(&report);
    cJSON_Delete(aside);
}

static void add_rows(tact_report* r, const tact_suite_results* results, add_row_fn* add)
{
    for (size_t at = 0; at < results->count;) {
        const size_t count = tact_suite_series(results, at);
        for (size_t i = 0; i < count; ++i)
            add(r, &results->rows[at], count, &results->rows[at + i]);
        at += count;
    }
}

static void print_rows(const tact_suite_results* results, add_row_fn* add)
{
    tact_report report;
    cJSON* aside = cJSON_CreateObject();
    tact_report_open(&report, aside, "rows");
    add_rows(&report, results, add);
    tact_report_print(&report);
    tact_report_close(&report);
    cJSON_Delete(aside);
}

static void print_crossovers(const tact_suite_results* results)
{
    bool any = false;
    for (size_t at = 0; at < results->count;) {
        const size_t count = tact_suite_series(results, at);
        const tact_suite_row* rows = &results->rows[at];
        for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
            tact_crossover c;
            char text[128];
            if (!tact_suite_crossover(rows, count, (tact_backend)b, &c)) continue;
            if (!any) puts("\nFaster than the CPU, from call to answer:");
            any = true;
            tact_suite_crossover_text(&c, rows->query->unit, text, sizeof text);
            printf("  %-18s %-11s %-16s %-3s %s\n", rows->query->name, rows->query->set, rows->mesh,
                   tact_backend_name((tact_backend)b), text);
        }
        at += count;
    }
}

static void print_left_out(const tact_suite_results* results)
{
    if (results->left_out == 0) return;
    puts(results->stopped ? "\nLeft out since a signal stopped it, or for lack of time, and so not compared:"
                          : "\nLeft out for lack of time, and so not compared:");
    for (size_t at = 0; at < results->count;) {
        const size_t count = tact_suite_series(results, at);
        const tact_suite_row* rows = &results->rows[at];
        char text[128];
        if (tact_suite_left_out(rows, count, text, sizeof text))
            printf("  %-18s %-11s %-16s %s\n", rows->query->name, rows->query->set, rows->mesh, text);
        at += count;
    }
}

void tact_suite_print(const tact_suite_settings* settings, const tact_session* session,
                      const tact_suite_results* results)
{
    char system[160];
    tact_system_name(system, sizeof system);
    printf("tact %s %s on %s\n%s\n", tact_version(), tact_bench_commit(), system, tact_build_info());
    for (uint32_t i = 0; i < tact_context_device_count(session->context); ++i) {
        tact_device_info info;
        if (tact_context_device(session->context, i, &info) < 0) continue;
        printf("%s: %s, %s (%s)\n", tact_backend_name(info.backend), info.name, info.driver,
               info.software ? "software" : "hardware");
    }
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
        const char* reason = tact_context_missing(session->context, (tact_backend)b);
        if (reason && settings->common.backend == TACT_BACKEND_AUTO)
            printf("%s: none: %s\n", tact_backend_name((tact_backend)b), reason);
    }
    printf("milliseconds, medians of %" PRIu64 " runs after a warm-up; total is from call to answer\n\n",
           settings->repeat);
    print_rows(results, add_row);
    for (size_t i = 0; i < results->count; ++i) {
        const tact_suite_row* r = &results->rows[i];
        if (r->detail[0]) {
            printf("%s %s, %" PRIu64 " %s, %s: %s: %s\n", r->query->name, r->query->set, r->size, r->query->unit,
                   tact_suite_who(r), tact_suite_result(r), r->detail);
        }
    }
    if (settings->busy) {
        printf("\nbeside %" PRIu64 " busy programs, total in milliseconds\n\n", settings->busy);
        print_rows(results, add_busy);
    }
    if (settings->model_file) print_predictions(settings, results);
    print_crossovers(results);
    print_left_out(results);
    printf("\n%.1f seconds\n", results->seconds);
}

// ---- JSON ----

static void crossovers_to_json(cJSON* root, const tact_suite_results* results)
{
    static const char* const kinds[] = {"unknown", "none", "always", "at"};
    cJSON* crossovers = tact_json_array(root, "crossovers");
    for (size_t at = 0; at < results->count;) {
        const size_t count = tact_suite_series(results, at);
        const tact_suite_row* rows = &results->rows[at];
        for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
            tact_crossover c;
            if (!tact_suite_crossover(rows, count, (tact_backend)b, &c)) continue;
            cJSON* entry = tact_json_append(crossovers);
            series_to_json(entry, rows);
            tact_json_text(entry, "backend", tact_backend_name((tact_backend)b));
            tact_json_text(entry, "kind", kinds[c.kind]);
            tact_json_number(entry, "size", c.size);
            tact_json_number(entry, "largest", c.largest);
            tact_json_number(entry, "speed_up", c.speed_up);
        }
        at += count;
    }
}

/// Which signal has stopped it, and what it did not come to, as far as that is known.
static void stopped_to_json(cJSON* root, const tact_suite_results* results)
{
    if (!results->stopped) return;
    cJSON* stopped = tact_json_object(root, "stopped");
    tact_json_count(stopped, "signal", (uint64_t)tact_system_signal());
    cJSON* missing = tact_json_array(stopped, "missing");
    for (size_t i = 0; i < results->count; ++i) {
        const tact_suite_row* row = &results->rows[i];
        if (row->status != TACT_BENCH_STOPPED) continue;
        cJSON* entry = tact_json_append(missing);
        series_to_json(entry, row);
        tact_json_text(entry, "backend", tact_backend_name(row->backend));
        tact_json_count(entry, "from_size", row->size);
    }
}

cJSON* tact_suite_to_json(const tact_suite_settings* settings, const tact_session* session,
                          const tact_suite_results* results)
{
    cJSON* root = cJSON_CreateObject();
    tact_bench_head_to_json(root, "bench", session);
    tact_json_text(root, "schema", "tact bench");
    tact_json_count(root, "schema_version", SCHEMA_VERSION);
    char date[32] = "";
    const time_t now = time(NULL);
    const struct tm* utc = gmtime(&now);
    if (utc) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", utc);
    tact_json_text(root, "date", date);
    tact_json_truth(root, "quick", settings->quick);
    if (settings->model_file) tact_json_text(root, "model", settings->model.name);
    tact_json_count(root, "seed", settings->common.seed);
    tact_json_count(root, "repeat", settings->repeat);
    if (settings->busy) tact_json_count(root, "busy", settings->busy);
    tact_json_time(root, "seconds", results->seconds);
    tact_json_count(root, "wrong", results->wrong);
    tact_json_truth(root, "passed", results->wrong == 0);
    tact_json_count(root, "left_out", results->left_out);
    tact_json_text(root, "status",
                   results->wrong      ? "wrong"
                   : results->stopped  ? "stopped"
                   : results->left_out ? "incomplete"
                                       : "complete");
    stopped_to_json(root, results);
    tact_report report;
    tact_report_open(&report, root, "rows");
    add_rows(&report, results, add_row);
    tact_report_close(&report);
    crossovers_to_json(root, results);
    return root;
}

// ---- Files ----

static bool write_csv(const char* folder, const tact_suite_results* results, tact_problem* problem)
{
    tact_report report;
    cJSON* aside = cJSON_CreateObject();
    tact_report_open(&report, aside, "rows");
    report.unknown = "";
    add_rows(&report, results, add_csv);
    const bool good = tact_report_csv(&report, folder, "results.csv", problem);
    tact_report_close(&report);
    cJSON_Delete(aside);
    return good;
}

bool tact_suite_write(const char* folder, const tact_suite_results* results, const cJSON* json, tact_problem* problem)
{
    const size_t size = strlen(folder) + 32;
    char* path = malloc(size);
    if (!path) return tact_problem_out_of_memory(problem, "a path");
    snprintf(path, size, "%s/results.json", folder);
    bool good = tact_json_write(path, json, problem);
    good = good && write_csv(folder, results, problem);
    snprintf(path, size, "%s/report.html", folder);
    good = good && tact_html_report_write(path, results, json, problem);
    free(path);
    return good;
}
