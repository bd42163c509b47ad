// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
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

// ---- Tables ----

static void add_number(tact_table* table, bool known, const char* format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    tact_table_add(table, "%s", known ? text : "-");
}

static void add_printed(tact_table* table, const tact_suite_row* rows, size_t count, const tact_suite_row* row)
{
    const bool timed = tact_suite_counts(row);
    const double up = tact_suite_speed_up(rows, count, row);
    tact_table_add(table, "%s", row->query->name);
    tact_table_add(table, "%s", row->query->set);
    tact_table_add(table, "%s", row->mesh[0] ? row->mesh : "-");
    tact_table_add(table, "%" PRIu64, row->size);
    tact_table_add(table, "%s", tact_suite_who(row));
    const double times[] = {row->build.median, row->upload.median, row->query_ms.median, row->download.median,
                            row->total.median, row->total.low,     row->total.high};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i)
        add_number(table, timed, "%.4f", times[i]);
    add_number(table, timed, "%.3f", tact_suite_per_second(row) * 1e-6);
    add_number(table, up > 0.0, "%.2f", up);
    add_number(table, timed && row->memory_bytes > 0, "%.2f", (double)row->memory_bytes / 1048576.0);
    tact_table_add(table, "%s%s", tact_suite_result(row), timed && row->by_reference ? " (brute force)" : "");
}

static void add_csv(tact_table* table, const tact_suite_row* rows, size_t count, const tact_suite_row* row)
{
    const bool timed = tact_suite_counts(row);
    const double up = tact_suite_speed_up(rows, count, row);
    tact_table_add(table, "%s", row->query->name);
    tact_table_add(table, "%s", row->query->set);
    tact_table_add(table, "%s", row->mesh);
    tact_table_add(table, "%" PRIu64, row->triangles);
    tact_table_add(table, "%s", row->query->unit);
    tact_table_add(table, "%" PRIu64, row->size);
    tact_table_add(table, "%s", tact_suite_who(row));
    tact_table_add(table, "%s", tact_suite_result(row));
    tact_table_add(table, "%s", row->peer || !timed ? "" : row->by_reference ? "reference" : "cpu");
    tact_table_add(table, "%s", row->digest.text);
    tact_table_add(table, "%" PRIu64, row->results);
    tact_table_add(table, "%d", row->threads);
    tact_table_add(table, "%" PRIu64, row->memory_bytes);
    const double times[] = {row->setup_ms,      row->first_ms,        row->build.median,
                            row->upload.median, row->query_ms.median, row->download.median,
                            row->total.median,  row->total.low,       row->total.high};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
        // What does not count has no times here either.
        if (timed) {
            tact_table_add(table, "%.6f", times[i]);
        } else {
            tact_table_add(table, "%s", "");
        }
    }
    if (timed) {
        tact_table_add(table, "%.1f", tact_suite_per_second(row));
    } else {
        tact_table_add(table, "%s", "");
    }
    if (up > 0.0) {
        tact_table_add(table, "%.4f", up);
    } else {
        tact_table_add(table, "%s", "");
    }
}

static void add_busy(tact_table* table, const tact_suite_row* rows, size_t count, const tact_suite_row* row)
{
    (void)rows, (void)count;
    if (!tact_suite_counts(row) || !(row->busy.median > 0.0)) return;
    tact_table_add(table, "%s", row->query->name);
    tact_table_add(table, "%s", row->query->set);
    tact_table_add(table, "%s", row->mesh[0] ? row->mesh : "-");
    tact_table_add(table, "%" PRIu64, row->size);
    tact_table_add(table, "%s", tact_suite_who(row));
    const double times[] = {row->total.median, row->busy.median, row->busy.low, row->busy.high};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i)
        tact_table_add(table, "%.4f", times[i]);
    tact_table_add(table, "%.2f", row->busy.median / row->total.median);
}

typedef void add_row_fn(tact_table* table, const tact_suite_row* rows, size_t count, const tact_suite_row* row);

static void make_table(tact_table* table, const tact_suite_results* results, add_row_fn* add)
{
    for (size_t at = 0; at < results->count;) {
        const size_t count = tact_suite_series(results, at);
        for (size_t i = 0; i < count; ++i)
            add(table, &results->rows[at], count, &results->rows[at + i]);
        at += count;
    }
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
    puts("\nLeft out for lack of time, and so not compared:");
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
    static const char* const heads[] = {"query",   "set",    "mesh",      ">size",  "device", ">build",
                                        ">upload", ">query", ">download", ">total", ">min",   ">max",
                                        ">M/s",    ">x cpu", ">MiB",      "result"};
    tact_table table;
    tact_table_init(&table, heads, sizeof heads / sizeof heads[0]);
    make_table(&table, results, add_printed);
    tact_table_print(&table, stdout);
    tact_table_free(&table);
    for (size_t i = 0; i < results->count; ++i) {
        const tact_suite_row* r = &results->rows[i];
        if (r->detail[0]) {
            printf("%s %s, %" PRIu64 " %s, %s: %s: %s\n", r->query->name, r->query->set, r->size, r->query->unit,
                   tact_suite_who(r), tact_suite_result(r), r->detail);
        }
    }
    if (settings->busy) {
        static const char* const busy[] = {"query",  "set",   "mesh", ">size", "device",
                                           ">quiet", ">busy", ">min", ">max",  ">x quiet"};
        printf("\nbeside %" PRIu64 " busy programs, total in milliseconds\n\n", settings->busy);
        tact_table_init(&table, busy, sizeof busy / sizeof busy[0]);
        make_table(&table, results, add_busy);
        tact_table_print(&table, stdout);
        tact_table_free(&table);
    }
    print_crossovers(results);
    print_left_out(results);
    printf("\n%.1f seconds\n", results->seconds);
}

// ---- JSON ----

static void series_to_json(cJSON* entry, const tact_suite_row* row)
{
    tact_json_text(entry, "query", row->query->name);
    tact_json_text(entry, "set", row->query->set);
    if (row->mesh[0]) tact_json_text(entry, "mesh", row->mesh);
}

static void times_to_json(cJSON* entry, const tact_suite_row* row)
{
    cJSON* times = tact_json_object(entry, "time_ms");
    tact_json_number(times, "setup", row->setup_ms);
    if (!row->peer) {
        tact_json_number(times, "first", row->first_ms);
        tact_json_number(times, "first_build", row->first_build_ms);
        tact_json_number(times, "first_upload", row->first_upload_ms);
        tact_json_spread(times, "build", &row->build);
        tact_json_spread(times, "upload", &row->upload);
        tact_json_spread(times, "download", &row->download);
    }
    tact_json_spread(times, "query", &row->query_ms);
    tact_json_spread(times, "total", &row->total);
    if (row->busy.median > 0.0) tact_json_spread(times, "busy", &row->busy);
}

static void row_to_json(cJSON* rows, const tact_suite_row* series, size_t count, const tact_suite_row* row)
{
    cJSON* entry = tact_json_append(rows);
    series_to_json(entry, row);
    if (row->mesh[0]) tact_json_count(entry, "triangles", row->triangles);
    tact_json_text(entry, "unit", row->query->unit);
    tact_json_count(entry, "size", row->size);
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
    }
    tact_json_text(entry, "found", row->query->found);
    tact_json_count(entry, "results", row->results);
    tact_json_count(entry, "threads", (uint64_t)(row->threads > 0 ? row->threads : 0));
    times_to_json(entry, row);
    tact_json_number(entry, "per_second", tact_suite_per_second(row));
    const double up = tact_suite_speed_up(series, count, row);
    if (up > 0.0) tact_json_number(entry, "speed_up", up);
}

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
    tact_json_count(root, "seed", settings->common.seed);
    tact_json_count(root, "repeat", settings->repeat);
    if (settings->busy) tact_json_count(root, "busy", settings->busy);
    tact_json_number(root, "seconds", results->seconds);
    tact_json_count(root, "wrong", results->wrong);
    tact_json_truth(root, "passed", results->wrong == 0);
    tact_json_count(root, "left_out", results->left_out);
    tact_json_text(root, "status", results->wrong ? "wrong" : results->left_out ? "incomplete" : "complete");
    cJSON* rows = tact_json_array(root, "rows");
    for (size_t at = 0; at < results->count;) {
        const size_t count = tact_suite_series(results, at);
        for (size_t i = 0; i < count; ++i)
            row_to_json(rows, &results->rows[at], count, &results->rows[at + i]);
        at += count;
    }
    crossovers_to_json(root, results);
    return root;
}

// ---- Files ----

static bool write_csv(const char* path, const tact_suite_results* results, tact_problem* problem)
{
    static const char* const heads[] = {"query",        "set",          "mesh",         "triangles",     "unit",
                                        "size",         "device",       "result",       "compared_with", "digest",
                                        "results",      "threads",      "memory_bytes", "setup_ms",      "first_ms",
                                        "build_ms",     "upload_ms",    "query_ms",     "download_ms",   "total_ms",
                                        "total_min_ms", "total_max_ms", "per_second",   "speed_up"};
    tact_table table;
    tact_table_init(&table, heads, sizeof heads / sizeof heads[0]);
    make_table(&table, results, add_csv);
    size_t size = 0;
    char* csv = tact_table_csv(&table, &size);
    const bool good = csv ? tact_file_replace(path, csv, size, NULL, 0, problem)
                          : tact_problem_out_of_memory(problem, "the CSV text");
    free(csv);
    tact_table_free(&table);
    return good;
}

bool tact_suite_write(const tact_suite_settings* settings, const tact_suite_results* results, const cJSON* json,
                      tact_problem* problem)
{
    const size_t size = strlen(settings->out) + 32;
    char* path = malloc(size);
    if (!path) return tact_problem_out_of_memory(problem, "a path");
    snprintf(path, size, "%s/results.json", settings->out);
    bool good = tact_json_write(path, json, problem);
    snprintf(path, size, "%s/results.csv", settings->out);
    good = good && write_csv(path, results, problem);
    snprintf(path, size, "%s/report.html", settings->out);
    good = good && tact_html_report_write(path, results, json, problem);
    free(path);
    return good;
}
