// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/json_out.h"
#include "apps/options.h"
#include "apps/system.h"
#include "apps/text.h"

// Two results.json of `tact bench`: what became slower, faster, or other than it was.

typedef struct comparison {
    tact_text_list files;
    bool force, json;
    uint64_t threshold;  ///< percent
    cJSON* roots[2];
    cJSON* out;
    cJSON* changes;
    tact_table table;
    uint64_t compared, slower, faster, changed, lost, added;
} comparison;

static const char* text_of(const cJSON* object, const char* key)
{
    const char* text = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
    return text ? text : "";
}

static double number_of(const cJSON* object, const char* key)
{
    const cJSON* item = cJSON_GetObjectItem(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : (double)NAN;
}

// ---- Files ----

/// A row must have what is compared: a key, and where it counts, its times.
static bool check_row(const cJSON* row, const char* path, int index, tact_problem* problem)
{
    static const char* const texts[] = {"query", "set", "unit", "result"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        if (!cJSON_IsString(cJSON_GetObjectItem(row, texts[i])))
            return tact_problem_set(problem, "%s: row %d has no \"%s\"", path, index, texts[i]);
    }
    if (!(number_of(row, "size") >= 0.0)) return tact_problem_set(problem, "%s: row %d has no \"size\"", path, index);
    if (!cJSON_IsString(cJSON_GetObjectItem(row, "backend")) && !cJSON_IsString(cJSON_GetObjectItem(row, "peer")))
        return tact_problem_set(problem, "%s: row %d has neither \"backend\" nor \"peer\"", path, index);
    const cJSON* times = cJSON_GetObjectItem(row, "time_ms");
    if (!times) return true;
    const cJSON* total = cJSON_GetObjectItem(times, "total");
    const double low = number_of(total, "min"), median = number_of(total, "median"), high = number_of(total, "max");
    if (!(low >= 0.0 && low <= median && median <= high))
        return tact_problem_set(problem, "%s: row %d: its \"total\" is not min <= median <= max", path, index);
    return true;
}

static bool read_results(const char* path, cJSON** root, tact_problem* problem)
{
    void* bytes;
    size_t size;
    if (!tact_file_read(path, &bytes, &size, problem)) return false;
    *root = cJSON_ParseWithLength(bytes, size);
    free(bytes);
    if (!*root) return tact_problem_set(problem, "%s: not JSON", path);
    if (strcmp(text_of(*root, "schema"), "tact bench") != 0)
        return tact_problem_set(problem, "%s: not the results.json of tact bench", path);
    const double version = number_of(*root, "schema_version");
    if (version != 1.0) return tact_problem_set(problem, "%s: schema version %g; this program knows 1", path, version);
    const cJSON* rows = cJSON_GetObjectItem(*root, "rows");
    if (!cJSON_IsArray(rows)) return tact_problem_set(problem, "%s: it has no \"rows\"", path);
    int index = 0;
    const cJSON* row;
    cJSON_ArrayForEach(row, rows)
    {
        if (!check_row(row, path, index++, problem)) return false;
    }
    return true;
}

/// Where two files are of different machines: says what differs first.
static bool same_machine(const cJSON* a, const cJSON* b, char* difference, size_t size)
{
    const cJSON *x = cJSON_GetObjectItem(a, "machine"), *y = cJSON_GetObjectItem(b, "machine");
    if (strcmp(text_of(x, "cpu"), text_of(y, "cpu")) != 0) {
        snprintf(difference, size, "processor \"%s\" and \"%s\"", text_of(x, "cpu"), text_of(y, "cpu"));
        return false;
    }
    const double threads[2] = {number_of(x, "threads"), number_of(y, "threads")};
    if (threads[0] != threads[1] && !(isnan(threads[0]) && isnan(threads[1]))) {
        snprintf(difference, size, "%g and %g threads", threads[0], threads[1]);
        return false;
    }
    // Devices that only one run looked for make no difference.
    const cJSON *device, *other;
    cJSON_ArrayForEach(device, cJSON_GetObjectItem(a, "devices"))
    {
        cJSON_ArrayForEach(other, cJSON_GetObjectItem(b, "devices"))
        {
            if (strcmp(text_of(device, "backend"), text_of(other, "backend")) != 0 ||
                strcmp(text_of(device, "backend"), "cpu") == 0)
                continue;
            if (strcmp(text_of(device, "name"), text_of(other, "name")) == 0 &&
                strcmp(text_of(device, "driver"), text_of(other, "driver")) == 0)
                continue;
            snprintf(difference, size, "%s \"%s\" (%s) and \"%s\" (%s)", text_of(device, "backend"),
                     text_of(device, "name"), text_of(device, "driver"), text_of(other, "name"),
                     text_of(other, "driver"));
            return false;
        }
    }
    return true;
}

// ---- Rows ----

static bool same_key(const cJSON* a, const cJSON* b)
{
    static const char* const keys[] = {"query", "set", "mesh", "backend", "peer"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
        if (strcmp(text_of(a, keys[i]), text_of(b, keys[i])) != 0) return false;
    return number_of(a, "size") == number_of(b, "size");
}

static const cJSON* find_row(const cJSON* root, const cJSON* like)
{
    const cJSON* row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(root, "rows")) if (same_key(row, like)) return row;
    return NULL;
}

static bool is_wrong(const cJSON* row)
{
    const char* result = text_of(row, "result");
    return strcmp(result, "DIFFERS") == 0 || strcmp(result, "failed") == 0;
}

static void tell(comparison* c, const cJSON* row, double from, double to, const char* verdict)
{
    const char* peer = text_of(row, "peer");
    const char* who = *peer ? peer : text_of(row, "backend");
    const char* mesh = text_of(row, "mesh");
    tact_table_add(&c->table, "%s", text_of(row, "query"));
    tact_table_add(&c->table, "%s", text_of(row, "set"));
    tact_table_add(&c->table, "%s", *mesh ? mesh : "-");
    tact_table_add(&c->table, "%.0f", number_of(row, "size"));
    tact_table_add(&c->table, "%s", who);
    const double values[3] = {from, to, to / from};
    for (int i = 0; i < 3; ++i) {
        char text[48];
        snprintf(text, sizeof text, i < 2 ? "%.4f" : "%.3f", values[i]);
        tact_table_add(&c->table, "%s", isfinite(values[i]) ? text : "-");
    }
    tact_table_add(&c->table, "%s", verdict);
    cJSON* entry = tact_json_append(c->changes);
    tact_json_text(entry, "query", text_of(row, "query"));
    tact_json_text(entry, "set", text_of(row, "set"));
    if (*mesh) tact_json_text(entry, "mesh", mesh);
    tact_json_number(entry, "size", number_of(row, "size"));
    tact_json_text(entry, *peer ? "peer" : "backend", who);
    tact_json_time(entry, "from_ms", from);
    tact_json_time(entry, "to_ms", to);
    tact_json_text(entry, "verdict", verdict);
}

/// Whether digests can be compared: the inputs, and where frames move their number, are those of the seed and the
/// repetitions.
static bool same_inputs(const comparison* c)
{
    return number_of(c->roots[0], "seed") == number_of(c->roots[1], "seed") &&
           number_of(c->roots[0], "repeat") == number_of(c->roots[1], "repeat");
}

static void compare_rows(comparison* c, const cJSON* a, const cJSON* b)
{
    const cJSON* x = cJSON_GetObjectItem(cJSON_GetObjectItem(a, "time_ms"), "total");
    const cJSON* y = cJSON_GetObjectItem(cJSON_GetObjectItem(b, "time_ms"), "total");
    const double from = number_of(x, "median"), to = number_of(y, "median");
    if (is_wrong(b) && !is_wrong(a)) {
        ++c->lost;
        tell(c, b, from, to, "NO LONGER RIGHT");
        return;
    }
    const char *old_digest = text_of(a, "digest"), *new_digest = text_of(b, "digest");
    if (*old_digest && *new_digest && strcmp(old_digest, new_digest) != 0 && same_inputs(c)) {
        ++c->changed;
        tell(c, b, from, to, "OTHER RESULTS");
        return;
    }
    if (!x || !y) return;
    ++c->compared;
    // Beyond the threshold, and beyond what the runs themselves varied by.
    const double share = 1.0 + (double)c->threshold / 100.0;
    if (to > from * share && number_of(y, "min") > number_of(x, "max")) {
        ++c->slower;
        tell(c, b, from, to, "SLOWER");
    } else if (from > to * share && number_of(x, "min") > number_of(y, "max")) {
        ++c->faster;
        tell(c, b, from, to, "faster");
    }
}

static void compare_all(comparison* c)
{
    const cJSON* row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(c->roots[0], "rows"))
    {
        const cJSON* other = find_row(c->roots[1], row);
        if (other) compare_rows(c, row, other);
    }
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(c->roots[1], "rows"))
    {
        if (find_row(c->roots[0], row)) continue;
        ++c->added;
        // What is new has nothing to be compared with, but it must not be wrong.
        if (!is_wrong(row)) continue;
        ++c->lost;
        tell(c, row, (double)NAN, (double)NAN, "NOT RIGHT");
    }
}

static bool report(comparison* c, tact_problem* problem)
{
    if (c->json) {
        tact_json_count(c->out, "compared", c->compared);
        tact_json_count(c->out, "slower", c->slower);
        tact_json_count(c->out, "faster", c->faster);
        tact_json_count(c->out, "other_results", c->changed);
        tact_json_count(c->out, "not_right", c->lost);
        tact_json_truth(c->out, "passed", c->slower + c->changed + c->lost == 0);
        if (!tact_json_print(c->out, problem)) return false;
    } else {
        if (c->table.used) tact_table_print(&c->table, stdout);
        printf("%s%" PRIu64 " times compared: %" PRIu64 " slower, %" PRIu64 " faster, by more than %" PRIu64
               " %% and the spread of both; %" PRIu64 " other results, %" PRIu64 " not right\n",
               c->table.used ? "\n" : "", c->compared, c->slower, c->faster, c->threshold, c->changed, c->lost);
    }
    if (c->slower + c->changed + c->lost == 0) return true;
    tact_problem_set(problem, "%" PRIu64 " slower, %" PRIu64 " other results, %" PRIu64 " not right", c->slower,
                     c->changed, c->lost);
    problem->exit_code = TACT_EXIT_CHECK_FAILED;
    return false;
}

static bool execute(comparison* c, tact_problem* problem)
{
    if (c->files.count != 2) return tact_problem_set(problem, "two files are needed: A.json B.json");
    for (int i = 0; i < 2; ++i)
        if (!read_results(c->files.items[i], &c->roots[i], problem)) return false;
    char difference[600];
    if (!c->force && !same_machine(c->roots[0], c->roots[1], difference, sizeof difference))
        return tact_problem_set(problem, "different machines: %s (--force compares them all the same)", difference);
    static const char* const heads[] = {"query", "set", "mesh", ">size", "device", ">from ms", ">to ms", ">ratio", ""};
    tact_table_init(&c->table, heads, sizeof heads / sizeof heads[0]);
    c->out = cJSON_CreateObject();
    tact_json_text(c->out, "command", "bench compare");
    c->changes = tact_json_array(c->out, "changes");
    compare_all(c);
    if (c->compared + c->changed + c->lost == 0)
        return tact_problem_set(problem, "%s and %s have no measurement in common", c->files.items[0],
                                c->files.items[1]);
    return report(c, problem);
}

static const char help_text[] =
    "Usage: tact bench compare A.json B.json [--threshold PERCENT] [--force]\n\n"
    "Compares two results.json of tact bench, the older one first. A time counts as slower or faster when the medians\n"
    "differ by more than the threshold and the ranges from least to most of both do not meet. Exit code 1 when\n"
    "something became slower, is no longer right or has other results than before.\n";

int tact_command_bench_compare(int argc, char** argv, tact_problem* problem)
{
    comparison c = {.threshold = 10};
    const tact_option own[] = {
        TACT_NUMBER("threshold", "PERCENT", "differences up to this do not count (default 10)", &c.threshold, 0,
                    1000000),
        TACT_FLAG("force", "compare different machines", &c.force),
        TACT_FLAG("json", "print JSON", &c.json),
        {.name = NULL},
    };
    const tact_option none[] = {{.name = NULL}};
    const tact_option_set set = {own, none};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, &c.files, argc, argv, &work, problem) && (!work || execute(&c, problem));
    tact_table_free(&c.table);
    cJSON_Delete(c.out);
    for (int i = 0; i < 2; ++i)
        cJSON_Delete(c.roots[i]);
    tact_text_list_free(&c.files);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
