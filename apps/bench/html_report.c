// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/html_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/plot.h"
#include "apps/system.h"

// The charts are drawn for a white page (plot.c); in the dark the style below gives their colours other values.
static const char* const style[] = {
    ":root{color-scheme:light dark;--page:#fff;--text:#1d2430;--faint:#5b6675;--line:#d8dde4;--box:#f5f7f9;",
    "--good:#0a6b3d;--bad:#b3261e;--part:#8a5200;--grid:#d4d7dc;--fine:#eef0f2;--axis:#777}\n",
    "@media "
    "(prefers-color-scheme:dark){:root{--page:#14181e;--text:#e4e8ee;--faint:#9aa5b4;--line:#333c48;--box:#1c222b;",
    "--good:#5fd39a;--bad:#ff8a80;--part:#f0b35e;--grid:#3a4350;--fine:#252c36;--axis:#8b95a3}\n",
    "svg [stroke=\"#0072b2\"]{stroke:#5ab4ee}svg [fill=\"#0072b2\"]{fill:#5ab4ee}\n",
    "svg [stroke=\"#d55e00\"]{stroke:#ff9147}svg [fill=\"#d55e00\"]{fill:#ff9147}\n",
    "svg [stroke=\"#009e73\"]{stroke:#3fd2a5}svg [fill=\"#009e73\"]{fill:#3fd2a5}\n",
    "svg [stroke=\"#444444\"]{stroke:#aaaaaa}svg [fill=\"#444444\"]{fill:#aaaaaa}\n",
    "svg [stroke=\"#8a6d3b\"]{stroke:#c7a76a}svg [fill=\"#8a6d3b\"]{fill:#c7a76a}\n",
    "svg [stroke=\"#7b3fa0\"]{stroke:#bb86dd}svg [fill=\"#7b3fa0\"]{fill:#bb86dd}}\n",
    "*{box-sizing:border-box}body{margin:0 auto;padding:1rem;max-width:72rem;background:var(--page);color:var(--text);",
    "font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,Helvetica,Arial,sans-serif}\n",
    "h1{font-size:1.7rem;margin:.3rem 0}h2{font-size:1.25rem;margin:2.4rem 0 .3rem;border-top:1px solid var(--line);",
    "padding-top:1.2rem}h2 small{font-weight:normal;color:var(--faint);font-size:.95rem}p{margin:.4rem "
    "0;max-width:46rem}\n",
    ".machine{background:var(--box);border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem;margin:1rem 0}",
    ".machine dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}",
    ".machine dt{color:var(--faint)}.machine dd{margin:0;overflow-wrap:anywhere}\n",
    ".good{color:var(--good)}.part{color:var(--part)}.bad{color:var(--bad);font-weight:600}.faint{color:var(--faint)}"
    "\n",
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums}",
    "th,td{padding:.22rem .6rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}",
    "th{color:var(--faint);font-weight:600}th.l,td.l{text-align:left}td.w{text-align:left;white-space:normal;min-width:"
    "9rem}summary{cursor:pointer;color:var(--faint);margin:."
    "5rem 0}\n",
    "figure{margin:.6rem 0}svg{display:block;width:100%;max-width:46rem;height:auto}svg text{font-family:inherit}",
    "svg [fill=\"#333\"],svg[fill=\"#333\"]{fill:var(--text)}svg rect[fill=\"#ffffff\"]{fill:none}",
    "svg [stroke=\"#d4d7dc\"]{stroke:var(--grid)}svg [stroke=\"#eef0f2\"]{stroke:var(--fine)}",
    "svg [stroke=\"#777\"]{stroke:var(--axis)}\n",
    "a{color:inherit}@media (max-width:36rem){body{padding:.7rem}.machine dl{grid-template-columns:1fr}",
    ".machine dd{margin-bottom:.4rem}}@media print{details>*{display:block}}\n",
};

static void put_text(tact_text* t, const cJSON* object, const char* key)
{
    const char* text = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
    tact_text_put_escaped(t, text && *text ? text : "unknown");
}

static void put_fact(tact_text* t, const char* name, const cJSON* object, const char* key)
{
    tact_text_put(t, "<dt>%s</dt><dd>", name);
    put_text(t, object, key);
    tact_text_put(t, "</dd>\n");
}

static void put_machine(tact_text* t, const cJSON* json)
{
    const cJSON* machine = cJSON_GetObjectItem(json, "machine");
    tact_text_put(t, "<div class=\"machine\"><dl>\n");
    put_fact(t, "System", machine, "system");
    const cJSON* device;
    cJSON_ArrayForEach(device, cJSON_GetObjectItem(json, "devices"))
    {
        tact_text_put(t, "<dt>Device ");
        put_text(t, device, "backend");
        tact_text_put(t, "</dt><dd>");
        put_text(t, device, "name");
        if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(device, "backend")), "cpu") == 0) {
            tact_text_put(t, ", %.0f threads", cJSON_GetNumberValue(cJSON_GetObjectItem(machine, "threads")));
        } else {
            tact_text_put(t, "<br/><span class=\"faint\">");
            put_text(t, device, "driver");
            tact_text_put(t, "; ");
            put_text(t, device, "version");
            tact_text_put(t, "</span>");
            if (cJSON_IsTrue(cJSON_GetObjectItem(device, "software")))
                tact_text_put(t, "<br/><b>In software, on the CPU's cores: says nothing about a GPU.</b>");
        }
        tact_text_put(t, "</dd>\n");
    }
    cJSON_ArrayForEach(device, cJSON_GetObjectItem(json, "missing"))
    {
        tact_text_put(t, "<dt>No ");
        put_text(t, device, "backend");
        tact_text_put(t, "</dt><dd class=\"faint\">");
        put_text(t, device, "reason");
        tact_text_put(t, "</dd>\n");
    }
    put_fact(t, "Version", json, "version");
    put_fact(t, "Commit", json, "commit");
    put_fact(t, "Build", json, "build");
    put_fact(t, "Flags", json, "flags");
    put_fact(t, "Date", json, "date");
    tact_text_put(t, "<dt>Runs</dt><dd>medians of %.0f after a warm-up; all of it took %.0f seconds</dd>\n",
                  cJSON_GetNumberValue(cJSON_GetObjectItem(json, "repeat")),
                  cJSON_GetNumberValue(cJSON_GetObjectItem(json, "seconds")));
    tact_text_put(t, "</dl></div>\n");
}

static void put_count(tact_text* t, uint64_t value)
{
    char text[32];
    tact_suite_grouped((double)value, text, sizeof text);
    tact_text_put(t, "%s", text);
}

/// Milliseconds with three digits that mean something.
static void put_ms(tact_text* t, double ms)
{
    tact_text_put(t, "%.*f", ms >= 100.0 ? 0 : ms >= 10.0 ? 1 : ms >= 1.0 ? 2 : 4, ms);
}

static void put_rate(tact_text* t, double rate)
{
    const double unit = rate >= 1e6 ? 1e6 : rate >= 1e3 ? 1e3 : 1.0;
    tact_text_put(t, "%.2f%s", rate / unit, rate >= 1e6 ? " M" : rate >= 1e3 ? " k" : "");
}

// ---- Summary ----

static void put_verdict(tact_text* t, const tact_suite_results* results)
{
    size_t compared = 0;
    for (size_t i = 0; i < results->count; ++i)
        compared += !results->rows[i].peer && tact_suite_counts(&results->rows[i]);
    if (results->left_out) {
        tact_text_put(t,
                      "<p class=\"part\">Incomplete: for %" PRIu64
                      " sizes of a query on a device, and for larger ones, there was no time. A machine that does "
                      "nothing else, or a larger <code>--budget</code>, has it.</p>\n",
                      results->left_out);
    }
    if (results->wrong == 0) {
        tact_text_put(t, "<p class=\"%s\">All %zu measurements %sgave the results they must.</p>\n",
                      results->left_out ? "faint" : "good", compared, results->left_out ? "that were made " : "");
        return;
    }
    tact_text_put(t,
                  "<p class=\"bad\">%" PRIu64 " measurements failed or gave other results than the rest:</p>\n<ul>\n",
                  results->wrong);
    for (size_t i = 0; i < results->count; ++i) {
        const tact_suite_row* r = &results->rows[i];
        if (r->status != TACT_BENCH_DIFFERS && r->status != TACT_BENCH_FAILED) continue;
        tact_text_put(t, "<li>%s, %s, ", r->query->name, tact_suite_who(r));
        put_count(t, r->size);
        tact_text_put(t, " %s: ", r->query->unit);
        tact_text_put_escaped(t, r->detail);
        tact_text_put(t, "</li>\n");
    }
    tact_text_put(t, "</ul>\n");
}

/// The largest size that the CPU was measured at.
static const tact_suite_row* largest_of(const tact_suite_row* rows, size_t count)
{
    const tact_suite_row* found = NULL;
    for (size_t i = 0; i < count; ++i)
        if (!rows[i].peer && rows[i].backend == TACT_BACKEND_CPU && tact_suite_counts(&rows[i])) found = &rows[i];
    return found;
}

static void put_summary(tact_text* t, const tact_suite_results* results)
{
    tact_text_put(t,
                  "<div class=\"wide\"><table><thead><tr><th class=\"l\">Query</th><th class=\"l\">Of</th>"
                  "<th>CPU, a second</th><th class=\"l\">OpenGL overtakes the CPU</th>"
                  "<th class=\"l\">OpenCL overtakes the CPU</th>%s</tr></thead><tbody>\n",
                  results->left_out ? "<th class=\"l\">No time for</th>" : "");
    for (size_t at = 0; at < results->count;) {
        const size_t count = tact_suite_series(results, at);
        const tact_suite_row* rows = &results->rows[at];
        tact_text_put(t, "<tr><td class=\"w\"><a href=\"#s%zu\">", at);
        tact_text_put_escaped(t, rows->query->title);
        tact_text_put(t, "</a></td><td class=\"l\">");
        tact_text_put_escaped(t, rows->mesh[0] ? rows->mesh : rows->query->set);
        tact_text_put(t, "</td><td>");
        const tact_suite_row* cpu = largest_of(rows, count);
        if (cpu) put_rate(t, tact_suite_per_second(cpu));
        if (cpu) tact_text_put(t, " %s", rows->query->unit);
        tact_text_put(t, "</td>");
        for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
            tact_crossover c;
            char text[128] = "-";
            if (tact_suite_crossover(rows, count, (tact_backend)b, &c))
                tact_suite_crossover_text(&c, rows->query->unit, text, sizeof text);
            tact_text_put(t, "<td class=\"w\">%s</td>", text);
        }
        char left_out[128] = "";
        tact_suite_left_out(rows, count, left_out, sizeof left_out);
        if (results->left_out) tact_text_put(t, "<td class=\"w part\">%s</td>", left_out);
        tact_text_put(t, "</tr>\n");
        at += count;
    }
    tact_text_put(t, "</tbody></table></div>\n");
}

// ---- A series ----

/// The same backend has the same colour on all charts; peers have those that follow.
static void color_lines(tact_plot* plot)
{
    size_t next = 3;
    for (size_t i = 0; i < plot->count; ++i) {
        tact_plot_line* line = &plot->lines[i];
        line->color = strcmp(line->name, "cpu") == 0  ? 0
                      : strcmp(line->name, "gl") == 0 ? 1
                      : strcmp(line->name, "cl") == 0 ? 2
                                                      : next++;
    }
}

static void put_chart(tact_text* t, tact_plot* plot, const tact_suite_row* rows, size_t count)
{
    memset(plot, 0, sizeof *plot);
    plot->small = true;
    plot->x_label = rows->query->unit;
    plot->y_label = "milliseconds";
    for (size_t i = 0; i < count; ++i) {
        const tact_suite_row* r = &rows[i];
        const double ms[3] = {r->total.low, r->total.median, r->total.high};
        if (tact_suite_counts(r)) tact_plot_add_spread(plot, tact_suite_who(r), r->peer != NULL, (double)r->size, ms);
    }
    color_lines(plot);
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
        tact_crossover c;
        if (tact_suite_crossover(rows, count, (tact_backend)b, &c) && c.kind == TACT_CROSSOVER_AT)
            tact_plot_mark(plot, tact_backend_name((tact_backend)b), c.size);
    }
    tact_text_put(t, "<figure>");
    tact_plot_draw(t, plot);
    char left_out[128];
    if (tact_suite_left_out(rows, count, left_out, sizeof left_out))
        tact_text_put(t, "<figcaption class=\"part\">Not in the chart, for lack of time: %s.</figcaption>", left_out);
    tact_text_put(t, "</figure>\n");
}

static void put_crossovers(tact_text* t, const tact_suite_row* rows, size_t count)
{
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
        tact_crossover c;
        char text[128];
        if (!tact_suite_crossover(rows, count, (tact_backend)b, &c)) continue;
        tact_suite_crossover_text(&c, rows->query->unit, text, sizeof text);
        tact_text_put(t,
                      "<p><b>%s</b> faster than the CPU: %s; at the largest size both were measured at, %.2f times "
                      "as fast.</p>\n",
                      b == TACT_BACKEND_GL ? "OpenGL" : "OpenCL", text, c.speed_up);
    }
}

static void put_row(tact_text* t, const tact_suite_row* rows, size_t count, const tact_suite_row* r)
{
    tact_text_put(t, "<tr><td>");
    put_count(t, r->size);
    tact_text_put(t, "</td><td class=\"l\">");
    tact_text_put_escaped(t, tact_suite_who(r));
    tact_text_put(t, "</td>");
    if (tact_suite_counts(r)) {
        const double times[] = {r->build.median, r->upload.median, r->query_ms.median, r->download.median,
                                r->total.median};
        for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i) {
            tact_text_put(t, "<td>");
            put_ms(t, times[i]);
            tact_text_put(t, "</td>");
        }
        tact_text_put(t, "<td>");
        put_ms(t, r->total.low);
        tact_text_put(t, " to ");
        put_ms(t, r->total.high);
        tact_text_put(t, "</td><td>");
        put_rate(t, tact_suite_per_second(r));
        tact_text_put(t, "</td><td>");
        const double up = tact_suite_speed_up(rows, count, r);
        if (up > 0.0) tact_text_put(t, "%.2f", up);
        tact_text_put(t, "</td><td>");
        if (r->memory_bytes) tact_text_put(t, "%.2f", (double)r->memory_bytes / 1048576.0);
        tact_text_put(t, "</td><td>");
        put_count(t, r->results);
        tact_text_put(t, "</td>");
    } else {
        tact_text_put(t, "<td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td>");
    }
    const bool bad = r->status == TACT_BENCH_DIFFERS || r->status == TACT_BENCH_FAILED;
    tact_text_put(t, "<td class=\"l%s\">%s%s", bad ? " bad" : "", tact_suite_result(r),
                  r->by_reference && tact_suite_counts(r) ? ", also brute force" : "");
    if (r->detail[0]) {
        tact_text_put(t, ": ");
        tact_text_put_escaped(t, r->detail);
    }
    tact_text_put(t, "</td><td class=\"l\"><code>%s</code></td></tr>\n", r->digest.text);
}

static void put_series(tact_text* t, tact_plot* plot, const tact_suite_row* rows, size_t count, size_t at)
{
    const tact_suite_query* q = rows->query;
    tact_text_put(t, "<h2 id=\"s%zu\">", at);
    tact_text_put_escaped(t, q->title);
    if (rows->mesh[0]) {
        tact_text_put(t, " <small>");
        tact_text_put_escaped(t, rows->mesh);
        tact_text_put(t, ", ");
        put_count(t, rows->triangles);
        tact_text_put(t, " triangles</small>");
    }
    tact_text_put(t, "</h2>\n<p>");
    tact_text_put_escaped(t, q->about);
    tact_text_put(t, "</p>\n");
    put_chart(t, plot, rows, count);
    put_crossovers(t, rows, count);
    tact_text_put(t,
                  "<details><summary>All numbers (<code>%s</code>, set <code>%s</code>)</summary>\n"
                  "<div class=\"wide\"><table><thead><tr><th>%s</th><th class=\"l\">by</th><th>build</th>"
                  "<th>upload</th><th>query</th><th>download</th><th>total ms</th><th>least to most</th>"
                  "<th>a second</th><th>x cpu</th><th>MiB</th><th>%s</th><th class=\"l\">result</th>"
                  "<th class=\"l\">digest</th></tr></thead><tbody>\n",
                  q->name, q->set, q->unit, q->found);
    for (size_t i = 0; i < count; ++i)
        put_row(t, rows, count, &rows[i]);
    tact_text_put(t, "</tbody></table></div></details>\n");
}

bool tact_html_report(tact_text* t, const tact_suite_results* results, const cJSON* json)
{
    tact_plot* plot = malloc(sizeof *plot);
    if (!plot) return false;
    tact_text_put(t,
                  "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
                  "<meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                  "<title>Tact: benchmark</title>\n<style>\n");
    for (size_t i = 0; i < sizeof style / sizeof style[0]; ++i)
        tact_text_put(t, "%s", style[i]);
    tact_text_put(t, "</style>\n</head>\n<body>\n<h1>Tact: every query on every device</h1>\n");
    put_verdict(t, results);
    put_machine(t, json);
    tact_text_put(t,
                  "<p>Times are from call to answer: upload, query and download. A time counts only when its result "
                  "is, byte for byte, that of the others, or what is drawn within its own tolerance of it. Both axes "
                  "of the charts are logarithmic; a thin line "
                  "through a point goes from the least to the greatest time; a dotted line marks where a device "
                  "overtakes the CPU.</p>\n");
    put_summary(t, results);
    for (size_t at = 0; at < results->count;) {
        const size_t count = tact_suite_series(results, at);
        put_series(t, plot, &results->rows[at], count, at);
        at += count;
    }
    tact_text_put(t, "</body>\n</html>\n");
    free(plot);
    return !t->failed;
}

bool tact_html_report_write(const char* path, const tact_suite_results* results, const cJSON* json,
                            tact_problem* problem)
{
    tact_text text = {0};
    const bool good = tact_html_report(&text, results, json)
                          ? tact_file_replace(path, text.bytes, text.size, NULL, 0, problem)
                          : tact_problem_out_of_memory(problem, path);
    tact_text_free(&text);
    return good;
}
