// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/pairs.h"
#include "apps/bench/plot.h"

typedef const tact_pairs_bench_row row_type;

static bool is_timed(row_type* row)
{
    return row->status == TACT_BENCH_EQUAL && row->ms.median > 0.0;
}

static bool same_contestant(row_type* a, row_type* b)
{
    return a->who.peer == b->who.peer && a->who.backend == b->who.backend && a->who.method == b->who.method;
}

static bool same_case(row_type* a, row_type* b)
{
    return strcmp(a->scene, b->scene) == 0 && a->count == b->count && a->moving == b->moving &&
           !(a->parameter < b->parameter) && !(a->parameter > b->parameter);
}

/// How time grows with the number of boxes, n to the power of this, since the size before; NaN when there is none.
static double growth_of(const tact_pairs_bench_results* r, row_type* row)
{
    for (row_type* before = row; before-- > r->rows;) {
        if (strcmp(before->scene, row->scene) != 0 || before->moving != row->moving || !same_contestant(before, row) ||
            !is_timed(before) || before->count >= row->count) {
            continue;
        }
        return log(row->ms.median / before->ms.median) / log((double)row->count / (double)before->count);
    }
    return (double)NAN;
}

typedef enum side { OURS, PEERS } side;

/// The fastest of one side in the case of a row, or NULL.
static row_type* fastest(const tact_pairs_bench_results* r, row_type* in, side of)
{
    row_type* best = NULL;
    for (size_t i = 0; i < r->count; ++i) {
        row_type* row = &r->rows[i];
        if (!same_case(row, in) || !is_timed(row) || (row->who.peer != NULL) != (of == PEERS)) continue;
        if (!best || row->ms.median < best->ms.median) best = row;
    }
    return best;
}

static row_type* automatic(const tact_pairs_bench_results* r, row_type* in)
{
    for (size_t i = 0; i < r->count; ++i) {
        row_type* row = &r->rows[i];
        const bool is = !row->who.peer && row->who.backend == TACT_BACKEND_CPU && row->who.method == TACT_PAIRS_AUTO;
        if (is && same_case(row, in) && is_timed(row)) return row;
    }
    return NULL;
}

static const char* result_of(row_type* row)
{
    static const char* const ours[] = {"equal", "DIFFERS", "failed", "left out: slow", "missing"};
    static const char* const peers[] = {"as many, unsorted", "OTHER NUMBER", "failed", "left out: slow", "missing"};
    if (row->status == TACT_BENCH_EQUAL && row->by_reference) return "equal (brute force)";
    return row->who.peer ? peers[row->status] : ours[row->status];
}

static void add_number(tact_table* table, bool known, double value)
{
    if (known) {
        tact_table_add(table, "%.3f", value);
    } else {
        tact_table_add(table, "-");
    }
}

static void add_short(tact_table* table, bool known, double value)
{
    if (known) {
        tact_table_add(table, "%.2f", value);
    } else {
        tact_table_add(table, "-");
    }
}

static void add_parameter(tact_table* table, row_type* row)
{
    if (row->parameter > 0.0) {
        tact_table_add(table, "%g", row->parameter);
    } else {
        tact_table_add(table, "-");
    }
}

static void add_row(tact_table* table, const tact_pairs_bench_results* r, row_type* row)
{
    char name[64];
    const bool timed = is_timed(row);
    const double growth = timed ? growth_of(r, row) : (double)NAN;
    tact_table_add(table, "%s", row->scene);
    add_parameter(table, row);
    tact_table_add(table, "%" PRIu64, row->count);
    tact_table_add(table, row->moving ? "frame" : "new");
    tact_table_add(table, "%s", tact_pairs_contestant_name(&row->who, name, sizeof name));
    tact_table_add(table, "%d", row->threads);
    add_number(table, timed, row->ms.median);
    add_number(table, timed, row->ms.low);
    add_number(table, timed, row->ms.high);
    add_number(table, timed && !row->who.peer, row->set_ms);
    add_number(table, timed, row->build_ms);
    tact_table_add(table, "%" PRIu64, row->pairs);
    add_short(table, row->status == TACT_BENCH_EQUAL, row->overlaps);
    add_short(table, timed && !row->who.peer, row->tests_per_box);
    add_short(table, timed && row->memory_bytes, (double)row->memory_bytes * 1e-6);
    add_short(table, !isnan(growth), growth);
    tact_table_add(table, "%s", row->digest.text[0] ? row->digest.text : "-");
    tact_table_add(table, "%s", result_of(row));
}

static void make_table(tact_table* table, const tact_pairs_bench_results* r)
{
    static const char* const heads[] = {"scene",     ">parameter", ">boxes", "what",    "by",        ">threads",
                                        ">ms",       ">min",       ">max",   ">set ms", ">build ms", ">pairs",
                                        ">overlaps", ">tests/box", ">MB",    ">growth", "digest",    "result"};
    tact_table_init(table, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < r->count; ++i)
        add_row(table, r, &r->rows[i]);
}

/// The first row of each case.
static bool begins_case(const tact_pairs_bench_results* r, size_t i)
{
    return i == 0 || !same_case(&r->rows[i - 1], &r->rows[i]);
}

static void make_ratios(tact_table* table, const tact_pairs_bench_results* r)
{
    static const char* const heads[] = {"scene", ">parameter", ">boxes",       "what",    "fastest of ours",
                                        ">ms",   ">auto",      "fastest peer", ">its ms", ">x faster"};
    tact_table_init(table, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < r->count; ++i) {
        row_type* row = &r->rows[i];
        row_type *ours = fastest(r, row, OURS), *peer = fastest(r, row, PEERS), *by_itself = automatic(r, row);
        if (!begins_case(r, i) || !ours) continue;
        char names[2][64];
        tact_table_add(table, "%s", row->scene);
        add_parameter(table, row);
        tact_table_add(table, "%" PRIu64, row->count);
        tact_table_add(table, row->moving ? "frame" : "new");
        tact_table_add(table, "%s", tact_pairs_contestant_name(&ours->who, names[0], sizeof names[0]));
        add_number(table, true, ours->ms.median);
        add_number(table, by_itself != NULL, by_itself ? by_itself->ms.median : 0.0);
        tact_table_add(table, "%s", peer ? tact_pairs_contestant_name(&peer->who, names[1], sizeof names[1]) : "-");
        add_number(table, peer != NULL, peer ? peer->ms.median : 0.0);
        add_short(table, peer != NULL, peer ? peer->ms.median / ours->ms.median : 0.0);
    }
}

static void row_to_json(cJSON* rows, const tact_pairs_bench_results* r, row_type* row)
{
    cJSON* entry = tact_json_append(rows);
    tact_json_text(entry, "scene", row->scene);
    if (row->parameter > 0.0) tact_json_number(entry, "parameter", row->parameter);
    tact_json_count(entry, "count", row->count);
    tact_json_text(entry, "what", row->moving ? "frame" : "new");
    if (row->who.peer) {
        tact_json_text(entry, "peer", row->who.peer->name);
    } else {
        tact_json_text(entry, "backend", tact_backend_name(row->who.backend));
        tact_json_text(entry, "method", tact_pairs_method_name(row->who.method));
    }
    tact_json_text(entry, "result", result_of(row));
    if (row->detail[0]) tact_json_text(entry, "reason", row->detail);
    if (row->status == TACT_BENCH_TOO_SLOW) return;
    tact_json_count(entry, "threads", (uint64_t)(row->threads > 0 ? row->threads : 0));
    tact_json_count(entry, "pairs", row->pairs);
    tact_json_truth(entry, "sorted", !row->who.peer);
    if (!row->who.peer) tact_json_text(entry, "digest", row->digest.text);
    if (!is_timed(row)) return;
    cJSON* times = tact_json_object(entry, "time_ms");
    tact_json_spread(times, "total", &row->ms);
    if (!row->who.peer) tact_json_number(times, "set", row->set_ms);
    tact_json_number(times, "build", row->build_ms);
    if (!row->who.peer) tact_json_number(entry, "tests_per_box", row->tests_per_box);
    if (row->memory_bytes) tact_json_count(entry, "memory_bytes", row->memory_bytes);
    tact_json_number(entry, "growth", growth_of(r, row));
}

static cJSON* to_json(const tact_pairs_bench_settings* s, const tact_session* session,
                      const tact_pairs_bench_results* r)
{
    cJSON* root = cJSON_CreateObject();
    tact_bench_head_to_json(root, "bench pairs", session);
    tact_json_truth(root, "quick", s->quick);
    tact_json_text(root, "sweep", tact_pairs_sweep_names[s->sweep]);
    tact_json_count(root, "seed", s->common.seed);
    tact_json_count(root, "repeat", s->repeat);
    cJSON* rows = tact_json_array(root, "rows");
    for (size_t i = 0; i < r->count; ++i)
        row_to_json(rows, r, &r->rows[i]);
    return root;
}

// Charts.

static void make_plot(const tact_pairs_bench_settings* s, const tact_pairs_bench_results* r, const char* scene,
                      bool moving, tact_plot* plot)
{
    static const char* const labels[] = {"boxes", "overlaps of a box", "largest width : least width", "boxes"};
    *plot = (tact_plot){.x_label = labels[s->sweep], .y_label = "milliseconds"};
    const char* what = moving ? "a frame of a moving set" : "a new set";
    uint64_t count = 0;
    for (size_t i = 0; i < r->count; ++i) {
        row_type* row = &r->rows[i];
        if (strcmp(row->scene, scene) != 0 || row->moving != moving || !is_timed(row)) continue;
        char name[64];
        const bool by_count = s->sweep == TACT_SWEEP_NONE || s->sweep == TACT_SWEEP_COUNT;
        tact_plot_add(plot, tact_pairs_contestant_name(&row->who, name, sizeof name), row->who.peer != NULL,
                      by_count ? (double)row->count : row->parameter, row->ms.median);
        count = by_count ? 0 : row->count;
    }
    if (count) {
        snprintf(plot->title, sizeof plot->title, "Pairs of %" PRIu64 " boxes, %s", count, what);
    } else {
        snprintf(plot->title, sizeof plot->title, "Pairs of boxes (%s), %s", s->sweep ? "uniform" : scene, what);
    }
}

static bool write_plot(const tact_pairs_bench_settings* s, const tact_pairs_bench_results* r, const char* scene,
                       bool moving, tact_problem* problem)
{
    tact_plot* plot = malloc(sizeof *plot);
    const size_t size = strlen(s->out) + 80;
    char* path = malloc(size);
    bool good = plot && path;
    if (!good) {
        tact_problem_out_of_memory(problem, "a chart");
    } else {
        make_plot(s, r, scene, moving, plot);
        snprintf(path, size, "%s/pairs-%s-%s.svg", s->out, scene, moving ? "frame" : "new");
        good = plot->count == 0 || tact_plot_write(path, plot, problem);
    }
    free(plot);
    free(path);
    return good;
}

static bool write_plots(const tact_pairs_bench_settings* s, const tact_pairs_bench_results* r, tact_problem* problem)
{
    bool good = true;
    for (size_t i = 0; good && i < r->count; ++i) {
        bool seen = false;
        for (size_t k = 0; !seen && k < i; ++k)
            seen = strcmp(r->rows[k].scene, r->rows[i].scene) == 0 && r->rows[k].moving == r->rows[i].moving;
        if (!seen) good = write_plot(s, r, r->rows[i].scene, r->rows[i].moving, problem);
    }
    return good;
}

static void print_people(const tact_pairs_bench_settings* s, const tact_session* session, const tact_table* table,
                         const tact_pairs_bench_results* r)
{
    tact_device_info cpu;
    if (tact_session_device(session, TACT_BACKEND_CPU, &cpu) >= 0) printf("%s\n", cpu.name);
    puts(
        "milliseconds: median, least and most. new: the set filled, its structure made, the pairs found and sorted;\n"
        "frame: all boxes moved, the pairs found and sorted. Peers' pairs are counted and not sorted.\n");
    tact_table_print(table, stdout);
    if (!s->peers) return;
    tact_table ratios;
    make_ratios(&ratios, r);
    puts("\nAgainst the fastest peer:");
    tact_table_print(&ratios, stdout);
    tact_table_free(&ratios);
}

bool tact_pairs_bench_report(const tact_pairs_bench_settings* settings, const tact_session* session,
                             const tact_pairs_bench_results* results, tact_problem* problem)
{
    cJSON* json = to_json(settings, session, results);
    tact_table table;
    make_table(&table, results);
    bool good = true;
    if (settings->common.json) {
        good = tact_json_print(json, problem);
    } else {
        print_people(settings, session, &table, results);
    }
    if (good && settings->out) {
        good = tact_bench_write_files(settings->out, json, &table, problem) && write_plots(settings, results, problem);
    }
    tact_table_free(&table);
    cJSON_Delete(json);
    return good;
}
