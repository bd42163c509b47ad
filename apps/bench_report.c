// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench.h"
#include "apps/system.h"
#include "apps/table.h"

#ifndef TACT_GIT_COMMIT
#define TACT_GIT_COMMIT ""
#endif

static const char* const status_names[] = {"equal", "DIFFERS", "failed", "left out: slow", "missing"};

double tact_bench_rate(uint64_t count, double ms)
{
    return ms > 0.0 ? (double)count / ms * 1e-3 : 0.0;
}

static const char* const heads[] = {
    "mesh",         ">triangles",       "rays",       ">count",    "device", ">scene ms",
    ">kernels ms",  ">first upload ms", ">upload ms", ">query ms", ">min",   ">max",
    ">download ms", ">total ms",        ">Mrays/s",   ">x cpu",    "digest", "result"};
enum { COLUMNS = sizeof heads / sizeof heads[0] };

static void add_row(tact_table* table, const tact_bench_row* row)
{
    const tact_raycast_timing* t = &row->timing;
    const bool timed = row->status == TACT_BENCH_EQUAL;
    const double times[] = {row->scene_ms, t->build_ms,   t->first_upload,    t->upload.median, t->query.median,
                            t->query.low,  t->query.high, t->download.median, t->run.median};
    tact_table_add(table, "%s", row->mesh);
    tact_table_add(table, "%" PRIu64, row->triangles);
    tact_table_add(table, "%s", row->rays);
    tact_table_add(table, "%" PRIu64, row->count);
    tact_table_add(table, "%s", tact_backend_name(row->backend));
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
        if (timed) {
            tact_table_add(table, "%.3f", times[i]);
        } else {
            tact_table_add(table, "-");
        }
    }
    if (timed) {
        tact_table_add(table, "%.3f", tact_bench_rate(row->count, t->run.median));
    } else {
        tact_table_add(table, "-");
    }
    if (timed && row->speed_up > 0.0) {
        tact_table_add(table, "%.2f", row->speed_up);
    } else {
        tact_table_add(table, "-");
    }
    tact_table_add(table, "%s", t->digest.text[0] ? t->digest.text : "-");
    tact_table_add(table, "%s%s", status_names[row->status], timed && row->by_reference ? " (brute force)" : "");
}

static void make_table(tact_table* table, const tact_bench_results* results)
{
    tact_table_init(table, heads, COLUMNS);
    for (size_t i = 0; i < results->row_count; ++i)
        add_row(table, &results->rows[i]);
}

/// The rows of one mesh and kind of rays lie together, from few rays to many: the first count at which a device needs
/// less time than the CPU, transfers included.
typedef struct crossover {
    const tact_bench_row* from;
    tact_backend backend;
    uint64_t count;  ///< 0: not within what was measured
} crossover;

static bool same_series(const tact_bench_row* a, const tact_bench_row* b)
{
    return strcmp(a->mesh, b->mesh) == 0 && strcmp(a->rays, b->rays) == 0;
}

/// Goes through every series and device; false when there are no more. `*at` starts as 0.
static bool next_crossover(const tact_bench_results* results, size_t* at, crossover* found)
{
    for (; *at < results->row_count; ++*at) {
        const tact_bench_row* row = &results->rows[*at];
        bool first = row->backend == TACT_BACKEND_GL || row->backend == TACT_BACKEND_CL;
        for (size_t i = 0; first && i < *at; ++i) {
            first = !(same_series(&results->rows[i], row) && results->rows[i].backend == row->backend);
        }
        if (!first) continue;
        *found = (crossover){row, row->backend, 0};
        for (size_t i = results->row_count; i-- > *at;) {
            const tact_bench_row* other = &results->rows[i];
            if (!same_series(other, row) || other->backend != row->backend) continue;
            if (other->status != TACT_BENCH_EQUAL || !(other->speed_up > 1.0)) {
                // Slower here: whatever lies above it is where it wins for good.
                if (other->status == TACT_BENCH_EQUAL || found->count) break;
                continue;
            }
            found->count = other->count;
        }
        ++*at;
        return true;
    }
    return false;
}

static void print_peers(const tact_bench_settings* settings, const tact_bench_results* results)
{
    if (!settings->peers) return;
    if (results->peer_count == 0) {
        puts("\nNo peer libraries were built into this program.");
        return;
    }
    static const char* const names[] = {"mesh",     ">triangles", "rays",      ">count", "peer",
                                        ">threads", ">build ms",  ">query ms", ">min",   ">max",
                                        ">Mrays/s", ">its hits",  ">our hits"};
    tact_table table;
    tact_table_init(&table, names, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < results->peer_count; ++i) {
        const tact_bench_peer_row* p = &results->peers[i];
        tact_table_add(&table, "%s", p->mesh);
        tact_table_add(&table, "%" PRIu64, p->triangles);
        tact_table_add(&table, "%s", p->rays);
        tact_table_add(&table, "%" PRIu64, p->count);
        tact_table_add(&table, "%s", p->peer);
        tact_table_add(&table, "%d", p->threads);
        tact_table_add(&table, "%.3f", p->build_ms);
        tact_table_add(&table, "%.3f", p->query_ms);
        tact_table_add(&table, "%.3f", p->low_ms);
        tact_table_add(&table, "%.3f", p->high_ms);
        tact_table_add(&table, "%.3f", tact_bench_rate(p->count, p->query_ms));
        tact_table_add(&table, "%" PRIu64, p->hits);
        tact_table_add(&table, "%" PRIu64, p->our_hits);
    }
    puts("\nPeers (on this machine's CPU):");
    tact_table_print(&table, stdout);
    tact_table_free(&table);
}

void tact_bench_print(const tact_bench_settings* settings, const tact_session* session,
                      const tact_bench_results* results)
{
    char system[160];
    tact_system_name(system, sizeof system);
    printf("tact %s %s on %s\n%s\n", tact_version(), TACT_GIT_COMMIT, system, tact_build_info());
    for (uint32_t i = 0; i < tact_context_device_count(session->context); ++i) {
        tact_device_info info;
        if (tact_context_device(session->context, i, &info) < 0) continue;
        printf("%s: %s, %s (%s)\n", tact_backend_name(info.backend), info.name, info.driver,
               info.software ? "software" : "hardware");
    }
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
        const char* reason = tact_context_missing(session->context, (tact_backend)b);
        if (reason && settings->common.backend == TACT_BACKEND_AUTO) {
            printf("%s: none: %s\n", tact_backend_name((tact_backend)b), reason);
        }
    }
    printf("closest hits; medians of %" PRIu64 " runs after a warm-up; total = upload + query + download\n\n",
           settings->repeat);
    tact_table table;
    make_table(&table, results);
    tact_table_print(&table, stdout);
    tact_table_free(&table);
    size_t at = 0;
    crossover c;
    bool any = false;
    while (next_crossover(results, &at, &c)) {
        if (!any) puts("\nFaster than the CPU, transfers included:");
        any = true;
        printf("  %s on %s, %s rays: ", tact_backend_name(c.backend), c.from->mesh, c.from->rays);
        if (c.count) {
            printf("from %" PRIu64 " rays on\n", c.count);
        } else {
            puts("not at any size measured");
        }
    }
    print_peers(settings, results);
}

static void spread_to_json(cJSON* object, const char* key, const tact_spread* spread)
{
    cJSON* entry = tact_json_object(object, key);
    tact_json_number(entry, "median", spread->median);
    tact_json_number(entry, "min", spread->low);
    tact_json_number(entry, "max", spread->high);
}

static void row_to_json(cJSON* rows, const tact_bench_row* row)
{
    const tact_raycast_timing* t = &row->timing;
    cJSON* entry = tact_json_append(rows);
    tact_json_text(entry, "query", "raycast");
    tact_json_text(entry, "mesh", row->mesh);
    tact_json_count(entry, "triangles", row->triangles);
    tact_json_text(entry, "rays", row->rays);
    tact_json_count(entry, "count", row->count);
    tact_json_text(entry, "backend", tact_backend_name(row->backend));
    tact_json_text(entry, "result", status_names[row->status]);
    if (t->digest.text[0]) tact_json_text(entry, "digest", t->digest.text);
    if (row->status != TACT_BENCH_EQUAL) return;
    tact_json_text(entry, "compared_with", row->by_reference ? "reference" : "cpu");
    tact_json_text(entry, "device", t->report.device);
    tact_json_truth(entry, "software", t->report.software);
    tact_json_count(entry, "threads", (uint64_t)t->report.threads);
    tact_json_count(entry, "memory_bytes", t->report.memory_bytes);
    cJSON* times = tact_json_object(entry, "time_ms");
    tact_json_number(times, "scene", row->scene_ms);
    tact_json_number(times, "kernels", t->build_ms);
    tact_json_number(times, "first_upload", t->first_upload);
    spread_to_json(times, "upload", &t->upload);
    spread_to_json(times, "query", &t->query);
    spread_to_json(times, "download", &t->download);
    spread_to_json(times, "total", &t->run);
    tact_json_number(entry, "mrays_per_second", tact_bench_rate(row->count, t->run.median));
    if (row->speed_up > 0.0) tact_json_number(entry, "speed_up", row->speed_up);
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

static void peers_to_json(cJSON* root, const tact_bench_results* results)
{
    cJSON* peers = tact_json_array(root, "peers");
    for (size_t i = 0; i < results->peer_count; ++i) {
        const tact_bench_peer_row* p = &results->peers[i];
        cJSON* entry = tact_json_append(peers);
        tact_json_text(entry, "peer", p->peer);
        tact_json_text(entry, "mesh", p->mesh);
        tact_json_count(entry, "triangles", p->triangles);
        tact_json_text(entry, "rays", p->rays);
        tact_json_count(entry, "count", p->count);
        tact_json_count(entry, "threads", (uint64_t)p->threads);
        cJSON* times = tact_json_object(entry, "time_ms");
        tact_json_number(times, "build", p->build_ms);
        const tact_spread query = {p->query_ms, p->low_ms, p->high_ms};
        spread_to_json(times, "query", &query);
        tact_json_number(entry, "mrays_per_second", tact_bench_rate(p->count, p->query_ms));
        tact_json_count(entry, "hits", p->hits);
        tact_json_count(entry, "our_hits", p->our_hits);
    }
}

void tact_bench_head_to_json(cJSON* root, const char* command, const tact_session* session)
{
    tact_json_text(root, "command", command);
    tact_json_text(root, "version", tact_version());
    tact_json_text(root, "build", tact_build_info());
    tact_json_text(root, "commit", TACT_GIT_COMMIT);
    machine_to_json(root, session);
}

cJSON* tact_bench_to_json(const tact_bench_settings* settings, const tact_session* session,
                          const tact_bench_results* results)
{
    cJSON* root = cJSON_CreateObject();
    tact_bench_head_to_json(root, "bench", session);
    tact_json_truth(root, "quick", settings->quick);
    tact_json_count(root, "seed", settings->common.seed);
    tact_json_count(root, "repeat", settings->repeat);
    cJSON* rows = tact_json_array(root, "rows");
    for (size_t i = 0; i < results->row_count; ++i)
        row_to_json(rows, &results->rows[i]);
    cJSON* crossovers = tact_json_array(root, "crossovers");
    size_t at = 0;
    crossover c;
    while (next_crossover(results, &at, &c)) {
        cJSON* entry = tact_json_append(crossovers);
        tact_json_text(entry, "mesh", c.from->mesh);
        tact_json_text(entry, "rays", c.from->rays);
        tact_json_text(entry, "backend", tact_backend_name(c.backend));
        if (c.count) {
            tact_json_count(entry, "count", c.count);
        } else {
            cJSON_AddNullToObject(entry, "count");
        }
    }
    if (settings->peers) peers_to_json(root, results);
    return root;
}

bool tact_bench_write_files(const char* folder, const cJSON* json, const tact_table* table, tact_problem* problem)
{
    const size_t size = strlen(folder) + 16;
    char* path = malloc(size);
    if (!path) return tact_problem_out_of_memory(problem, "a path");
    snprintf(path, size, "%s/bench.json", folder);
    bool good = tact_json_write(path, json, problem);
    if (good) {
        size_t length = 0;
        char* csv = tact_table_csv(table, &length);
        snprintf(path, size, "%s/bench.csv", folder);
        good = csv ? tact_file_replace(path, csv, length, NULL, 0, problem)
                   : tact_problem_out_of_memory(problem, "the CSV text");
        free(csv);
    }
    free(path);
    return good;
}

bool tact_bench_write(const tact_bench_settings* settings, const cJSON* json, const tact_bench_results* results,
                      tact_problem* problem)
{
    tact_table table;
    make_table(&table, results);
    const bool good = tact_bench_write_files(settings->out, json, &table, problem);
    tact_table_free(&table);
    return good;
}

bool tact_bench_finish(const tact_bench_output* output, cJSON* json, tact_table* table, tact_problem* problem)
{
    bool good = true;
    if (output->json) {
        good = tact_json_print(json, problem);
    } else {
        tact_device_info info;
        if (tact_session_device(output->session, output->named, &info) >= 0) printf("%s\n", info.name);
        printf("%s\n\n", output->heading);
        tact_table_print(table, stdout);
    }
    if (good && output->out) good = tact_bench_write_files(output->out, json, table, problem);
    tact_table_free(table);
    cJSON_Delete(json);
    return good;
}
