// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "apps/bench/html_parts.h"

// ---- Charts ----

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

static void put_key(tact_text* t, const tact_plot_line* line, const tact_suite_row* left_out)
{
    tact_text_put(t, "<li>");
    tact_plot_draw_key(t, line);
    tact_text_put_escaped(t, line->name);
    if (left_out) {
        tact_text_put(t, " <span class=\"part\">%s, from ", tact_suite_result(left_out));
        tact_html_put_count(t, (double)left_out->size);
        tact_text_put(t, " on</span>");
    }
    tact_text_put(t, "</li>");
}

/// The legend stands below the chart, where it hides no line.
static void put_legend(tact_text* t, const tact_plot* plot, const tact_suite_row* rows, size_t count)
{
    tact_text_put(t, "<ul class=\"legend\">");
    for (size_t i = 0; i < plot->count; ++i)
        put_key(t, &plot->lines[i], tact_suite_left_out_row(rows, count, plot->lines[i].name));
    // What was left out from the first size on has no line.
    for (int b = TACT_BACKEND_CPU; b <= TACT_BACKEND_CL; ++b) {
        const char* name = tact_backend_name((tact_backend)b);
        const tact_suite_row* from = tact_suite_left_out_row(rows, count, name);
        bool drawn = !from;
        for (size_t i = 0; i < plot->count; ++i)
            drawn = drawn || strcmp(plot->lines[i].name, name) == 0;
        if (!drawn) tact_text_put(t, "<li>%s <span class=\"part\">%s</span></li>", name, tact_suite_result(from));
    }
    tact_text_put(t, "</ul>\n");
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
    for (int b = TACT_BACKEND_CPU; b <= TACT_BACKEND_CL; ++b) {
        const char* name = tact_backend_name((tact_backend)b);
        const tact_suite_row* left_out = tact_suite_left_out_row(rows, count, name);
        if (left_out) tact_plot_end(plot, name, (double)left_out->size);
        tact_crossover c;
        if (b != TACT_BACKEND_CPU && tact_suite_crossover(rows, count, (tact_backend)b, &c) &&
            c.kind == TACT_CROSSOVER_AT)
            tact_plot_mark(plot, name, c.size);
    }
    tact_plot_draw(t, plot);
    put_legend(t, plot, rows, count);
}

static void put_crossovers(tact_text* t, const tact_suite_row* rows, size_t count)
{
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
        tact_crossover c;
        char text[128];
        if (!tact_suite_crossover(rows, count, (tact_backend)b, &c)) continue;
        tact_suite_crossover_text(&c, rows->query->unit, text, sizeof text);
        tact_text_put(t, "<p><b>%s</b> faster than the CPU: %s, where it is ", tact_html_backend((tact_backend)b),
                      text);
        tact_html_put_ratio(t, c.speed_up);
        tact_text_put(t, ".</p>\n");
    }
}

/// A word of a command as a shell takes it.
static void put_word(tact_text* t, const char* word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/%@";
    if (*word && strspn(word, plain) == strlen(word)) {
        tact_text_put(t, "%s", word);
        return;
    }
    tact_text_put(t, "&#39;");
    for (const char* end; (end = strchr(word, '\'')) != NULL; word = end + 1) {
        char piece[64];
        const size_t length = (size_t)(end - word) < sizeof piece ? (size_t)(end - word) : sizeof piece - 1;
        memcpy(piece, word, length);
        piece[length] = '\0';
        tact_text_put_escaped(t, piece);
        tact_text_put(t, "&#39;\\&#39;&#39;");
    }
    tact_text_put_escaped(t, word);
    tact_text_put(t, "&#39;");
}

/// What measures this series alone.
static void put_command(tact_text* t, const tact_suite_row* row, const cJSON* json, bool peers)
{
    char only[128];
    snprintf(only, sizeof only, "=%s,%s", row->query->name, row->query->set);
    tact_text_put(t, "<div class=\"command\"><code>tact bench --only ");
    put_word(t, only);
    if (row->mesh[0] && strncmp(row->mesh, "terrain ", 8) != 0) {
        tact_text_put(t, " --mesh ");
        put_word(t, row->mesh);
    }
    if (cJSON_IsTrue(cJSON_GetObjectItem(json, "quick"))) tact_text_put(t, " --quick");
    if (peers) tact_text_put(t, " --peers");
    tact_text_put(t, "</code></div>\n");
}

static void put_figure(tact_text* t, tact_plot* plot, const tact_suite_row* rows, size_t count, size_t at,
                       const cJSON* json)
{
    const tact_suite_query* q = rows->query;
    tact_text_put(t, "<figure id=\"s%zu\"><h3>", at);
    tact_text_put_escaped(t, q->title);
    tact_text_put(t, ": ");
    tact_html_put_subject(t, rows);
    tact_text_put(t, "</h3>\n<p class=\"about\">");
    tact_text_put_escaped(t, q->about);
    if (rows->mesh[0]) {
        tact_text_put(t, " ");
        tact_html_put_count(t, (double)rows->triangles);
        tact_text_put(t, " triangles.");
    }
    tact_text_put(t, "</p>\n");
    put_chart(t, plot, rows, count);
    put_crossovers(t, rows, count);
    bool peers = false;
    for (size_t i = 0; i < count; ++i)
        peers = peers || rows[i].peer;
    put_command(t, rows, json, peers);
    tact_text_put(t, "</figure>\n");
}

bool tact_html_put_charts(tact_text* t, const tact_suite_results* results, const cJSON* json)
{
    tact_plot* plot = malloc(sizeof *plot);
    if (!plot) return false;
    tact_text_put(t, "<div class=\"grid\">\n");
    for (size_t at = 0, count = 0; at < results->count; at += count) {
        count = tact_suite_series(results, at);
        put_figure(t, plot, &results->rows[at], count, at, json);
    }
    tact_text_put(t, "</div>\n");
    free(plot);
    return true;
}

// ---- All numbers ----

/// A cell of a number to three digits, which sorts by all of them.
static void put_number(tact_text* t, double value)
{
    tact_text_put(t, "<td data-v=\"%.6g\">", value);
    tact_text_put_rounded(t, value);
    tact_text_put(t, "</td>");
}

static void put_result(tact_text* t, const tact_suite_row* r)
{
    const bool bad = r->status == TACT_BENCH_DIFFERS || r->status == TACT_BENCH_FAILED;
    const bool out = tact_suite_is_left_out(r);
    tact_text_put(t, "<td class=\"l%s\">%s%s",
                  bad   ? " bad"
                  : out ? " part"
                        : "",
                  tact_suite_result(r), r->by_reference && tact_suite_counts(r) ? ", also brute force" : "");
    if (r->detail[0]) {
        tact_text_put(t, ": ");
        tact_text_put_escaped(t, r->detail);
    }
    tact_text_put(t, "</td><td class=\"l\"><code>%s</code></td></tr>\n", r->digest.text);
}

static void put_row(tact_text* t, const tact_suite_row* rows, size_t count, const tact_suite_row* r)
{
    tact_text_put(t, "<tr><td class=\"l\"><code>%s</code></td><td class=\"l\">", r->query->name);
    tact_text_put_escaped(t, r->query->set);
    tact_text_put(t, "</td><td class=\"l\">");
    tact_text_put_escaped(t, r->mesh);
    tact_text_put(t, "</td><td data-v=\"%.0f\">", (double)r->size);
    tact_html_put_count(t, (double)r->size);
    tact_text_put(t, " %s</td><td class=\"l\">", r->query->unit);
    tact_text_put_escaped(t, tact_suite_who(r));
    tact_text_put(t, "</td>");
    if (tact_suite_counts(r)) {
        const double up = tact_suite_speed_up(rows, count, r);
        put_number(t, r->total.median);
        put_number(t, r->total.low);
        put_number(t, r->total.high);
        put_number(t, tact_suite_per_second(r));
        if (up > 0.0)
            put_number(t, up);
        else
            tact_text_put(t, "<td></td>");
        const double phases[] = {r->build.median, r->upload.median, r->query_ms.median, r->download.median};
        for (size_t i = 0; i < sizeof phases / sizeof phases[0]; ++i)
            put_number(t, phases[i]);
        if (r->memory_bytes)
            put_number(t, (double)r->memory_bytes / 1048576.0);
        else
            tact_text_put(t, "<td></td>");
        tact_text_put(t, "<td data-v=\"%.0f\">", (double)r->results);
        tact_html_put_count(t, (double)r->results);
        tact_text_put(t, " %s</td>", r->query->found);
    } else {
        tact_text_put(t,
                      "<td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td><td></td>"
                      "<td></td>");
    }
    put_result(t, r);
}

void tact_html_put_numbers(tact_text* t, const tact_suite_results* results)
{
    tact_text_put(t,
                  "<div class=\"wide\"><table><thead><tr><th class=\"l\">query</th><th class=\"l\">set</th>"
                  "<th class=\"l\">mesh</th><th>size</th><th class=\"l\">by</th><th>total, ms</th><th>least</th>"
                  "<th>most</th><th>a second</th><th>times as fast as the CPU</th><th>build, ms</th>"
                  "<th>upload, ms</th><th>query, ms</th><th>download, ms</th><th>MiB</th><th>found</th>"
                  "<th class=\"l\">result</th><th class=\"l\">digest</th></tr></thead><tbody>\n");
    for (size_t at = 0, count = 0; at < results->count; at += count) {
        count = tact_suite_series(results, at);
        for (size_t i = 0; i < count; ++i)
            put_row(t, &results->rows[at], count, &results->rows[at + i]);
    }
    tact_text_put(t, "</tbody></table></div>\n");
}
