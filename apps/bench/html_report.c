// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/html_report.h"

#include <string.h>

#include "apps/bench/html_parts.h"
#include "apps/system.h"

/// report.css and report.js, embedded by the build.
extern const unsigned char tact_report_css[], tact_report_js[];

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

/// A text of any length, as it is.
static void put_plain(tact_text* t, const unsigned char* text)
{
    enum { PIECE = 1000 };
    const char* s = (const char*)text;
    for (size_t left = strlen(s); left > 0;) {
        const size_t piece = left < PIECE ? left : PIECE;
        tact_text_put(t, "%.*s", (int)piece, s);
        s += piece;
        left -= piece;
    }
}

static void put_commands(tact_text* t, const cJSON* json, bool peers)
{
    tact_text_put(t,
                  "<p>All of this page again, and two of them beside each other:</p>\n"
                  "<div class=\"command\"><code>tact bench%s%s --out DIR</code></div>\n"
                  "<div class=\"command\"><code>tact bench compare OLD/results.json DIR/results.json</code></div>\n",
                  cJSON_IsTrue(cJSON_GetObjectItem(json, "quick")) ? " --quick" : "", peers ? " --peers" : "");
}

bool tact_html_report(tact_text* t, const tact_suite_results* results, const cJSON* json)
{
    tact_text_put(t,
                  "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
                  "<meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                  "<title>Tact: benchmark</title>\n<style>\n");
    put_plain(t, tact_report_css);
    tact_text_put(t, "</style>\n</head>\n<body>\n<h1>Tact: every query on every device</h1>\n");
    tact_html_put_headline(t, results);
    tact_html_put_matrix(t, results);
    tact_text_put(t,
                  "<h2>Over sizes</h2>\n<p>Both axes are logarithmic. Times are from call to answer: upload, query and "
                  "download. A thin line through a point goes from the least to the greatest time; a dotted line marks "
                  "where a device overtakes the CPU, a cross from where on it was left out.</p>\n");
    if (!tact_html_put_charts(t, results, json)) return false;
    tact_text_put(t,
                  "<h2>All numbers</h2>\n<p>A time counts only when its result is, byte for byte, that of the others, "
                  "or what is drawn within its own tolerance of it.</p>\n");
    tact_html_put_numbers(t, results);
    tact_text_put(t, "<h2>Where and how it was measured</h2>\n");
    put_machine(t, json);
    bool peers = false;
    for (size_t i = 0; i < results->count; ++i)
        peers = peers || results->rows[i].peer;
    put_commands(t, json, peers);
    // Between these marks a reader of XML takes all as text; a browser takes the marks as comments.
    tact_text_put(t, "<script>//<![CDATA[\n");
    put_plain(t, tact_report_js);
    tact_text_put(t, "//]]></script>\n</body>\n</html>\n");
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
