// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact bench` over all queries, and `tact bench compare`: what they say must be so, and their checks must be able to
// fail.

#define _POSIX_C_SOURCE 200809L
#include <ctype.h>

#include "tests/support/run.h"

#include "apps/bench/html_report.h"
#include "apps/bench/suite.h"
#include "apps/system.h"
#include "tests/support/temporary.h"
#include "tests/support/tool.h"

const char tool_prefix[] = "clib";

// ---- Crossovers ----

TEST(crossovers_are_found_between_sizes)
{
    const double sizes[] = {100.0, 1000.0, 10000.0, 100000.0};
    const double cpu[] = {1.0, 10.0, 100.0, 1000.0};
    // The ratio goes from 1/10 to 10 within a decade: in its middle, on the scale of logarithms.
    const double crossing[] = {10.0, 100.0, 10.0, 10.0};
    tact_crossover c = tact_find_crossover(sizes, cpu, crossing, 4);
    assert_int_equal(c.kind, TACT_CROSSOVER_AT);
    assert_true(fabs(c.size - sqrt(1000.0 * 10000.0)) < 1e-6 * c.size);
    assert_true(fabs(c.speed_up - 100.0) < 1e-9 && c.largest == 100000.0);

    const double slow[] = {10.0, 100.0, 1000.0, 10000.0}, fast[] = {0.5, 5.0, 50.0, 500.0};
    c = tact_find_crossover(sizes, cpu, slow, 4);
    assert_int_equal(c.kind, TACT_CROSSOVER_NONE);
    assert_true(c.size == 100000.0);
    c = tact_find_crossover(sizes, cpu, fast, 4);
    assert_int_equal(c.kind, TACT_CROSSOVER_ALWAYS);
    assert_true(c.size == 100.0 && fabs(c.speed_up - 2.0) < 1e-12);
    // As fast is not faster.
    c = tact_find_crossover(sizes, cpu, cpu, 4);
    assert_int_equal(c.kind, TACT_CROSSOVER_NONE);

    // Faster, slower, faster again: for good from the last change on.
    const double twice[] = {0.5, 20.0, 50.0, 500.0};
    c = tact_find_crossover(sizes, cpu, twice, 4);
    assert_int_equal(c.kind, TACT_CROSSOVER_AT);
    assert_true(fabs(c.size - sqrt(1000.0 * 10000.0)) < 1e-6 * c.size);
    // Faster at first only.
    const double early[] = {0.5, 5.0, 200.0, 2000.0};
    assert_int_equal(tact_find_crossover(sizes, cpu, early, 4).kind, TACT_CROSSOVER_NONE);

    // What was not measured is stepped over.
    const double holes[] = {10.0, 0.0, (double)NAN, 100.0};
    c = tact_find_crossover(sizes, cpu, holes, 4);
    assert_int_equal(c.kind, TACT_CROSSOVER_AT);
    assert_true(fabs(c.size - sqrt(100.0 * 100000.0)) < 1e-6 * c.size);
    assert_int_equal(tact_find_crossover(sizes, cpu, holes, 0).kind, TACT_CROSSOVER_UNKNOWN);
    const double none[] = {0.0, 0.0, 0.0, 0.0};
    assert_int_equal(tact_find_crossover(sizes, cpu, none, 4).kind, TACT_CROSSOVER_UNKNOWN);

    char text[128];
    c = (tact_crossover){TACT_CROSSOVER_AT, 1234567.0, 10000000.0, 2.0};
    tact_suite_crossover_text(&c, "rays", text, sizeof text);
    assert_string_equal(text, "from about 1,234,567 on, up to 10,000,000 rays");
    c = (tact_crossover){TACT_CROSSOVER_ALWAYS, 100.0, 100.0, 2.0};
    tact_suite_crossover_text(&c, "rays", text, sizeof text);
    assert_string_equal(text, "at 100 rays, the one size measured");
}

// ---- Pages ----

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == ':' || c == '_';
}

/// The place after an entity, or NULL.
static const char* after_entity(const char* p)
{
    static const char* const known[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
        if (strncmp(p, known[i], strlen(known[i])) == 0) return p + strlen(known[i]);
    return NULL;
}

/// The place after a tag's attributes, which must be name="value", at '>' or "/>"; NULL where they are not.
static const char* after_attributes(const char* p)
{
    for (;;) {
        const char* start = p;
        while (isspace((unsigned char)*p))
            ++p;
        if (*p == '>' || (*p == '/' && p[1] == '>')) return p;
        if (p == start || !is_name(*p)) return NULL;
        while (is_name(*p))
            ++p;
        if (*p++ != '=' || *p++ != '"') return NULL;
        while (*p && *p != '"' && *p != '<') {
            p = *p == '&' ? after_entity(p) : p + 1;
            if (!p) return NULL;
        }
        if (*p++ != '"') return NULL;
    }
}

/// Whether a page is well-formed: every element is closed where it should be, every attribute quoted once, no text has
/// a bare '<' or '&', and all of it is UTF-8 without control characters. `*at`: where it is not.
static bool is_well_formed(const char* page, const char** at)
{
    enum { DEEP = 64, NAME = 32 };
    char open[DEEP][NAME];
    int depth = 0;
    const char* p = page;
    bool good = strncmp(p, "<!DOCTYPE html>", 15) == 0;
    p += good ? 15 : 0;
    while (good && *p) {
        if (*p == '&') {
            const char* next = after_entity(p);
            good = next != NULL;
            p = next ? next : p;
        } else if (strncmp(p, "<![CDATA[", 9) == 0) {
            const char* end = strstr(p, "]]>");
            good = end != NULL;
            p = end ? end + 3 : p;
        } else if (*p != '<') {
            good = (unsigned char)*p >= 0x20 || *p == '\n';
            p += good;
        } else {
            const bool closes = p[1] == '/';
            const char* name = p + 1 + closes;
            size_t length = 0;
            while (is_name(name[length]))
                ++length;
            const char* end = after_attributes(name + length);
            good = length > 0 && length < NAME && end && !(closes && *end == '/');
            if (good && closes) {
                good = depth > 0 && strlen(open[depth - 1]) == length && strncmp(open[depth - 1], name, length) == 0;
                --depth;
            } else if (good && *end == '>') {
                good = depth < DEEP;
                if (good) {
                    memcpy(open[depth], name, length);
                    open[depth++][length] = '\0';
                }
            }
            if (good) p = end + (*end == '/' ? 2 : 1);
        }
    }
    *at = p;
    return good && depth == 0;
}

static void expect_well_formed(const char* page)
{
    const char* at;
    const bool good = is_well_formed(page, &at);
    if (!good) print_error("not well-formed at: %.80s\n", at);
    assert_true(good);
}

TEST(malformed_pages_are_noticed)
{
    const char* at;
    expect_well_formed("<!DOCTYPE html>\n<html><p class=\"a\">1 &lt; 2<br/><![CDATA[1 < 2 && 3]]></p></html>\n");
    static const char* const wrong[] = {"<p>",
                                        "<p></b>",
                                        "<p><b></p></b>",
                                        "<p>a & b</p>",
                                        "<p>a < b</p>",
                                        "<p class=a></p>",
                                        "<p class=\"a\"b=\"c\"></p>",
                                        "</p>",
                                        "<p><![CDATA[a</p>",
                                        "<p>\x01</p>"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        char page[128];
        snprintf(page, sizeof page, "<!DOCTYPE html>%s", wrong[i]);
        assert_false(is_well_formed(page, &at));
    }
}

static size_t count_of(const char* text, const char* part)
{
    size_t count = 0;
    while ((text = strstr(text, part)) != NULL) {
        ++count;
        text += strlen(part);
    }
    return count;
}

static const tact_suite_query fake = {.name = "fake",
                                      .title = "A <fake> & \"query\"",
                                      .set = "made up",
                                      .unit = "things",
                                      .found = "things",
                                      .about = "1 < 2 && 'so'."};

/// A device's name is foreign text.
TEST(foreign_text_does_no_harm)
{
    tact_suite_row rows[4];
    for (int i = 0; i < 4; ++i) {
        const double ms = i == 0 ? 1.0 : i == 1 ? 4.0 : i == 2 ? 100.0 : 25.0;
        rows[i] = (tact_suite_row){.query = &fake,
                                   .mesh = "<b>\"x\" & y.obj",
                                   .size = i < 2 ? 100 : 10000,
                                   .backend = i % 2 ? TACT_BACKEND_GL : TACT_BACKEND_CPU,
                                   .total = {ms, ms / 2.0, ms * 2.0}};
    }
    rows[3].detail[0] = '<';
    const tact_suite_results results = {.rows = rows, .count = 4, .capacity = 4, .seconds = 1.0};
    cJSON* json = cJSON_CreateObject();
    cJSON* machine = tact_json_object(json, "machine");
    tact_json_text(machine, "system", "</dd><script>alert(1)</script>");
    cJSON* device = tact_json_append(tact_json_array(json, "devices"));
    tact_json_text(device, "backend", "gl");
    tact_json_text(device, "name", "\" onload='x' <svg> \x01\x1b[0m \xff\xc0\x80 \xed\xa0\x80 Gr\xc3\xbc\xc3\x9f");
    tact_text page = {0};
    assert_true(tact_html_report(&page, &results, json));
    expect_well_formed(page.bytes);
    assert_int_equal(count_of(page.bytes, "<script"), 1);
    assert_null(strstr(page.bytes, "<script>alert"));
    assert_null(strstr(page.bytes, "\xff"));
    assert_non_null(strstr(page.bytes, "Gr\xc3\xbc\xc3\x9f"));
    assert_int_equal(count_of(page.bytes, "<svg"), 1 + 2);  // a chart, and two lines in its legend
    assert_int_equal(count_of(page.bytes, "class=\"crossover\""), 1);
    // From a quarter to four times as fast: in the middle.
    assert_non_null(strstr(page.bytes, "from about 1,000 on, up to 10,000 things"));
    tact_text_free(&page);
    cJSON_Delete(json);
}

// ---- Measuring ----

/// A query whose answer is told by whoever is asked.
typedef struct fake_work {
    tact_backend asked;
    uint64_t asks;
} fake_work;

typedef enum fake_fault { FAULT_NONE, FAULT_OTHER_THAN_REFERENCE, FAULT_CHANGES, FAULT_FAILS } fake_fault;

static bool fake_open(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                      double* setup_ms, tact_problem* problem)
{
    *setup_ms = 1.0;
    *own = calloc(1, sizeof(fake_work));
    return *own != NULL;
}

static fake_fault fault;

static tact_result fake_ask(void* own, const tact_query_options* options, tact_query_report* report)
{
    fake_work* w = own;
    w->asked = options->backend;
    ++w->asks;
    report->query_ms = 0.5;
    return fault == FAULT_FAILS && w->asked == TACT_BACKEND_CPU ? TACT_ERROR_DEVICE_LOST : TACT_OK;
}

static bool fake_answer(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    const fake_work* w = own;
    uint64_t value = 7;
    if (fault == FAULT_OTHER_THAN_REFERENCE && w->asked == TACT_BACKEND_CPU) value = 8;
    if (fault == FAULT_CHANGES && w->asks == 3) value = 9;
    answer->digest = tact_digest_of(&value, sizeof value);
    answer->results = value;
    return true;
}

static tact_suite_results measure_fake(fake_fault with)
{
    fault = with;
    const tact_suite_query queries[] = {{.name = "fake",
                                         .title = "fake",
                                         .set = "made up",
                                         .unit = "things",
                                         .found = "things",
                                         .about = "fake",
                                         .backends = 1u << TACT_BACKEND_CPU,
                                         .first = 10,
                                         .most = 1000,
                                         .reference_most = 100,
                                         .open = fake_open,
                                         .ask = fake_ask,
                                         .answer = fake_answer,
                                         .close = free},
                                        {.name = NULL}};
    tact_suite_settings settings = {.budget = 5, .repeat = 3, .queries = queries};
    settings.common.backend = TACT_BACKEND_CPU;
    settings.common.quiet = true;
    tact_problem problem = {0};
    tact_session session;
    assert_true(tact_session_open(&session, &settings.common, &problem));
    tact_suite_results results = {0};
    assert_true(tact_suite_measure(&settings, &session, &results, &problem));
    tact_session_close(&session);
    for (size_t i = 0; i < results.count; ++i)
        results.rows[i].query = &fake;  // the table is about to go
    return results;
}

TEST(only_right_answers_have_times)
{
    tact_suite_results r = measure_fake(FAULT_NONE);
    assert_int_equal(r.count, 3);
    assert_int_equal(r.wrong, 0);
    for (size_t i = 0; i < 3; ++i) {
        assert_true(tact_suite_counts(&r.rows[i]));
        assert_int_equal(r.rows[i].size, i == 0 ? 10 : i == 1 ? 100 : 1000);
        assert_int_equal(r.rows[i].by_reference, i < 2);
        assert_true(r.rows[i].query_ms.median == 0.5 && r.rows[i].setup_ms == 1.0);
    }
    tact_suite_free(&r);

    r = measure_fake(FAULT_OTHER_THAN_REFERENCE);
    assert_int_equal(r.count, 3);
    assert_int_equal(r.wrong, 2);
    assert_int_equal(r.rows[0].status, TACT_BENCH_DIFFERS);
    assert_non_null(strstr(r.rows[0].detail, "expected"));
    assert_true(tact_suite_counts(&r.rows[2]));  // without brute force nobody knows better
    tact_suite_free(&r);

    r = measure_fake(FAULT_CHANGES);
    assert_true(r.wrong >= 1);
    assert_int_equal(r.rows[2].status, TACT_BENCH_DIFFERS);
    assert_non_null(strstr(r.rows[2].detail, "asked again"));
    tact_suite_free(&r);

    r = measure_fake(FAULT_FAILS);
    assert_int_equal(r.count, 1);  // larger ones are not tried
    assert_int_equal(r.wrong, 1);
    assert_int_equal(r.rows[0].status, TACT_BENCH_FAILED);
    tact_suite_free(&r);
}

static tact_result slow_ask(void* own, const tact_query_options* options, tact_query_report* report)
{
    const double end = tact_system_milliseconds() + 60.0;
    while (tact_system_milliseconds() < end) {
    }
    return fake_ask(own, options, report);
}

/// Sixty milliseconds a run at every size, on a machine as busy as that: five series of three sizes take 5 s.
TEST(a_run_ends_in_its_time_and_tells_what_it_left_out)
{
    enum { SERIES = 5 };
    static tact_suite_query queries[SERIES + 1];
    static const char* const names[SERIES] = {"slow_a", "slow_b", "slow_c", "slow_d", "slow_e"};
    for (int i = 0; i < SERIES; ++i) {
        queries[i] = fake;
        queries[i].name = names[i];
        queries[i].backends = 1u << TACT_BACKEND_CPU;
        queries[i].first = 10;
        queries[i].most = 1000;
        queries[i].open = fake_open;
        queries[i].ask = slow_ask;
        queries[i].answer = fake_answer;
        queries[i].close = free;
    }
    fault = FAULT_NONE;
    tact_suite_settings settings = {.budget = 1, .repeat = 5, .queries = queries};
    settings.common.backend = TACT_BACKEND_CPU;
    settings.common.quiet = true;
    tact_problem problem = {0};
    tact_session session;
    assert_true(tact_session_open(&session, &settings.common, &problem));
    tact_suite_results r = {0};
    assert_true(tact_suite_measure(&settings, &session, &r, &problem));
    assert_int_equal(r.wrong, 0);
    // The rest is what a machine that does other things too may take of one run.
    assert_true(r.seconds < 2.0);
    size_t series = 0;
    for (size_t at = 0; at < r.count; ++series) {
        const size_t count = tact_suite_series(&r, at);
        char text[64];
        assert_true(tact_suite_left_out(&r.rows[at], count, text, sizeof text));
        assert_non_null(strstr(text, "cpu from 1"));
        at += count;
    }
    assert_int_equal(series, SERIES);
    assert_int_equal(r.left_out, SERIES);
    cJSON* json = tact_suite_to_json(&settings, &session, &r);
    assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(json, "status")), "incomplete");
    assert_int_equal(cJSON_GetNumberValue(cJSON_GetObjectItem(json, "left_out")), SERIES);
    tact_text page = {0};
    assert_true(tact_html_report(&page, &r, json));
    expect_well_formed(page.bytes);
    assert_null(strstr(page.bytes, "class=\"good\""));
    assert_non_null(strstr(page.bytes, "Incomplete</b>: for 5 sizes"));
    // In the matrix, the charts, their legends and the table; what has no time at all has no line.
    const size_t empty = count_of(page.bytes, "<td class=\"out\" data-by=\"cpu\">left out: slow");
    assert_int_equal(empty + count_of(page.bytes, "; left out: slow above"), SERIES);
    assert_int_equal(empty + count_of(page.bytes, "class=\"ended\""), SERIES);
    assert_int_equal(count_of(page.bytes, "<span class=\"part\">left out: slow"), SERIES);
    assert_int_equal(count_of(page.bytes, "<td class=\"l part\">left out: slow"), SERIES);
    tact_text_free(&page);
    cJSON_Delete(json);
    tact_suite_free(&r);
    tact_session_close(&session);
}

// ---- The tool ----

static const char* const query_names[] = {
    "ray_closest",        "ray_any",          "ray_count",   "ray_all",       "closest_points", "locate_points",
    "sphere_cast",        "scene_cull",       "cull_boxes",  "pairs",         "pairs_frame",    "particles_spring",
    "particles_position", "particles_grains", "neighbours",  "overlap_pairs", "overlap_solid",  "separation",
    "overlap_images",     "filter",           "pick",        "pick_drawn",    "contacts",       "nearest_points",
    "points_within",      "spheres_touch",    "block_scan",  "block_reduce",  "block_compact",  "block_sort32",
    "block_sort64",       "block_bounds",     "block_morton"};
enum { QUERY_NAMES = sizeof query_names / sizeof query_names[0] };

static void check_spread(const cJSON* times, const char* key)
{
    const cJSON* s = cJSON_GetObjectItem(times, key);
    assert_non_null(s);
    assert_true(json_number(s, "min") >= 0.0);
    assert_true(json_number(s, "min") <= json_number(s, "median"));
    assert_true(json_number(s, "median") <= json_number(s, "max"));
}

static void check_row(const cJSON* row)
{
    json_text(row, "set");
    json_text(row, "unit");
    assert_true(json_number(row, "size") >= 10.0);
    const char* result = json_text(row, "result");
    if (strcmp(result, "left out: slow") == 0) return;
    if (cJSON_GetObjectItem(row, "peer")) {
        check_spread(cJSON_GetObjectItem(row, "time_ms"), "total");
        return;
    }
    assert_string_equal(result, "equal");
    json_text(row, "device");
    json_text(row, "compared_with");
    assert_true(json_number(row, "per_second") > 0.0);
    assert_true(json_number(row, "results") >= 0.0);
    const cJSON* times = cJSON_GetObjectItem(row, "time_ms");
    static const char* const phases[] = {"build", "upload", "query", "download", "total"};
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; ++i)
        check_spread(times, phases[i]);
    if (strncmp(json_text(row, "query"), "block_", 6) != 0) assert_int_equal(strlen(json_text(row, "digest")), 16);
}

/// How many lines a CSV has; each as many cells as the first.
static size_t check_csv(const char* csv)
{
    size_t lines = 0, columns = 0, cells = 1;
    for (const char* p = csv; *p; ++p) {
        cells += *p == ',';
        if (*p != '\n') continue;
        if (lines++ == 0) columns = cells;
        assert_int_equal(cells, columns);
        cells = 1;
    }
    return lines;
}

TEST(every_query_is_measured_and_written)
{
    const char* arguments =
        "bench --quick --most 100 --budget 5 --repeat 2 --threads 1 --backend cpu --peers --json --quiet "
        "--mesh clib_cube.obj --out clib_bench/inner";
    tool_outcome o = tool_ends(arguments, 0);
    cJSON* json = tool_json(arguments, &o);
    assert_string_equal(json_text(json, "command"), "bench");
    assert_string_equal(json_text(json, "schema"), "tact bench");
    assert_true(json_number(json, "schema_version") == 1.0);
    assert_true(json_truth(json, "passed"));
    static const char* const facts[] = {"version", "build", "flags", "date"};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; ++i)
        assert_true(strlen(json_text(json, facts[i])) > 0);
    json_text(json, "commit");  // empty outside of a repository
    json_text(cJSON_GetObjectItem(json, "machine"), "system");
    const cJSON* rows = cJSON_GetObjectItem(json, "rows");
    const cJSON* row;
    size_t found[QUERY_NAMES] = {0}, of_cube = 0;
    cJSON_ArrayForEach(row, rows)
    {
        check_row(row);
        for (size_t i = 0; i < QUERY_NAMES; ++i)
            found[i] += strcmp(json_text(row, "query"), query_names[i]) == 0;
        const cJSON* mesh = cJSON_GetObjectItem(row, "mesh");
        of_cube += mesh && strcmp(cJSON_GetStringValue(mesh), "clib_cube.obj") == 0;
    }
    for (size_t i = 0; i < QUERY_NAMES; ++i) {
        if (found[i] == 0) print_error("%s is missing\n", query_names[i]);
        assert_true(found[i] > 0);
    }
    assert_true(of_cube >= 6);
    char* stored = tool_text("clib_bench/inner/results.json");
    assert_string_equal(stored, o.out);
    char* csv = tool_text("clib_bench/inner/results.csv");
    assert_memory_equal(csv, "query,set,mesh,triangles,unit,size,device,", 42);
    assert_int_equal(check_csv(csv), (size_t)cJSON_GetArraySize(rows) + 1);
    char* page = tool_text("clib_bench/inner/report.html");
    expect_well_formed(page);
    for (size_t i = 0; i < QUERY_NAMES; ++i) {
        char key[64];
        snprintf(key, sizeof key, "<code>%s</code>", query_names[i]);
        if (!strstr(page, key)) print_error("%s is not on the page\n", query_names[i]);
        assert_non_null(strstr(page, key));
    }
    // Nothing is fetched from elsewhere.
    static const char* const outside[] = {"src=", "@import", "url(", "<link", "<img", "<iframe", "https:", "fetch("};
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; ++i)
        assert_null(strstr(page, outside[i]));
    assert_int_equal(count_of(page, "http:"), count_of(page, "=\"http://www.w3.org/"));
}

TEST(numbers_have_three_digits)
{
    static const struct {
        double value;
        const char* text;
    } cases[] = {{95213456.0, "95,200,000"}, {999.6, "1,000"},  {123.4, "123"},    {12.345, "12.3"}, {9.996, "10.0"},
                 {0.00012344, "0.000123"},   {1.0, "1.00"},     {0.0, "0"},        {-1.0, "0"},      {1e3, "1,000"},
                 {(double)INFINITY, "0"},    {1234.0, "1,230"}, {(double)NAN, "0"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        tact_text t = {0};
        tact_text_put_rounded(&t, cases[i].value);
        assert_string_equal(t.bytes, cases[i].text);
        tact_text_free(&t);
    }
}

TEST(queries_and_sizes_are_chosen)
{
    static const struct {
        const char *arguments, *query, *set;
        int rows;
        double size;
    } cases[] = {
        {"--only =pairs --least 100 --most 1000", "pairs", "uniform", 2, 1000.0},
        {"--only =ray_closest,random --least 1000 --most 1000", "ray_closest", "random", 1, 1000.0},
        {"--only =filter --least 1000000", "filter", "copies", 1, 1000.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "bench --quick --repeat 1 --backend cpu --json --quiet %s",
                 cases[i].arguments);
        cJSON* json = tool_json_of(arguments);
        const cJSON* rows = cJSON_GetObjectItem(json, "rows");
        assert_int_equal(cJSON_GetArraySize(rows), cases[i].rows);
        const cJSON* last = cJSON_GetArrayItem(rows, cases[i].rows - 1);
        assert_string_equal(json_text(last, "query"), cases[i].query);
        assert_string_equal(json_text(last, "set"), cases[i].set);
        assert_true(json_number(last, "size") == cases[i].size);
    }
    tool_refuses("bench --only =pair --backend cpu", "no query has this in its name");
}

TEST(devices_agree_and_are_compared)
{
    cJSON* json = tool_json_of("bench --quick --only scene_cull --most 1000 --repeat 2 --json --quiet");
    assert_non_null(json);
    const size_t devices = (size_t)cJSON_GetArraySize(cJSON_GetObjectItem(json, "devices"));
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "rows")), 2 * devices);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "crossovers")), devices - 1);
    const char* digests[2] = {NULL, NULL};
    const cJSON* row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "rows"))
    {
        check_row(row);
        const char** expected = &digests[json_number(row, "size") > 100.0];
        if (!*expected) *expected = json_text(row, "digest");
        assert_string_equal(*expected, json_text(row, "digest"));
        assert_string_equal(json_text(row, "compared_with"), "reference");
        const cJSON* counts = cJSON_GetObjectItem(row, "counts");
        assert_int_equal(counts != NULL, strcmp(json_text(row, "backend"), "cpu") != 0);
        // The planes go up, the ids come back, and no buffer is made anew.
        if (!counts) continue;
        assert_true(json_number(counts, "launches") >= 1.0 && json_number(counts, "waits") == 1.0);
        assert_true(json_number(counts, "bytes_up") > 0.0 && json_number(counts, "bytes_down") > 0.0);
        assert_true(json_number(counts, "allocations") == 0.0);
    }
    const cJSON* c;
    cJSON_ArrayForEach(c, cJSON_GetObjectItem(json, "crossovers")) assert_true(json_number(c, "largest") == 1000.0);
    tool_outcome o = tool_ends("bench --quick --only cull_boxes --most 1000 --repeat 2 --backend cpu --quiet", 0);
    assert_non_null(strstr(o.out, "cull_boxes"));
    assert_non_null(strstr(o.out, "equal (brute force)"));
}

// ---- Modelled devices ----

static const char model_text[] =
    "{\"name\": \"%s\", \"launch_us\": 5, \"start_us\": 2, \"wait_us\": %s, \"transfer_us\": 10, "
    "\"allocate_us\": 10, \"up_gbs\": 0.016, \"down_gbs\": 50, \"host_gbs\": 40, \"memory_gbs\": 1000, "
    "\"cache_gbs\": 4000, \"accesses_g\": 100, \"latency_ns\": 250, \"atomics_g\": 2%s}";

/// Writes a model whose name, wait and last members are given.
static void write_model(const char* name, const char* wait, const char* more)
{
    char text[1024];
    snprintf(text, sizeof text, model_text, name, wait, more);
    write_file("clib_model.json", text, strlen(text));
}

TEST(a_modelled_device_is_predicted)
{
    write_model("Tortoise", "600000000", ", \"about\": \"it waits ten minutes\"");
    const char* arguments = "bench --quick --only ray_closest --most 1000 --repeat 2 --model clib_model.json --quiet";
    char with_json[256];
    snprintf(with_json, sizeof with_json, "%s --json", arguments);
    cJSON* json = tool_json_of(with_json);
    if (!json) skip_because("the device is missing");
    assert_string_equal(json_text(json, "model"), "Tortoise");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "devices")), 2);
    const cJSON* row;
    size_t predicted = 0;
    cJSON_ArrayForEach(row, json_rows(json, 4))
    {
        check_row(row);
        if (strcmp(json_text(row, "backend"), "cpu") == 0) {
            assert_null(cJSON_GetObjectItem(row, "floor_ms"));
            continue;
        }
        ++predicted;
        assert_string_equal(json_text(row, "device"), "Tortoise (modelled)");
        // One wait and whatever else, in no time at all; the rays go up at 2 microseconds each.
        const double total = json_number(cJSON_GetObjectItem(cJSON_GetObjectItem(row, "time_ms"), "total"), "median");
        assert_true(total >= 600e3 && total < 660e3);
        const double rays = json_number(row, "size") * 32.0 / 0.016 * 1e-6;
        assert_true(fabs(json_number(row, "floor_ms") - rays) < 1e-6 * rays);
        const cJSON* counts = cJSON_GetObjectItem(row, "counts");
        assert_true(json_number(counts, "kernel_bytes") >= json_number(counts, "memory_bytes"));
        assert_true(json_number(counts, "memory_bytes") > json_number(row, "size") * 32.0);
    }
    assert_true(predicted >= 2);
    const tool_outcome o = tool_ends(arguments, 0);
    assert_non_null(strstr(o.out, "Tortoise: predicted"));
}

TEST(regret_of_a_modelled_device_is_measured)
{
    write_model("Hare", "0", "");
    cJSON* json = tool_json_of("bench regret --seconds 1 --model clib_model.json --json --quiet");
    if (!json) skip_because("the device is missing");
    const cJSON* always = cJSON_GetObjectItem(json, "always_within_15_percent");
    const double cpu = json_number(always, "cpu"), cl = json_number(always, "cl");
    assert_true(cpu > 0.0 && cpu <= 1.0 && cl >= 0.0 && cl <= 1.0 && json_number(always, "gl") == 0.0);
}

TEST(models_that_are_none_are_refused)
{
    tool_refuses("bench --model clib_none.json", "clib_none.json");
    write_file("clib_model.json", "[1]", 3);
    tool_refuses("bench --model clib_model.json", "no JSON object");
    write_file("clib_model.json", "{", 1);
    tool_refuses("bench regret --model clib_model.json", "no JSON object");
    write_model("", "1", "");
    tool_refuses("bench --model clib_model.json", "no \"name\"");
    write_model("0123456789012345678901234567890123456789012345678901234567890123", "1", "");
    tool_refuses("bench --model clib_model.json", "no \"name\"");
    write_model("x", "\"1\"", "");
    tool_refuses("bench --model clib_model.json", "no number \"wait_us\"");
    write_model("x", "1", ", \"wait_ms\": 1");
    tool_refuses("bench --model clib_model.json", "\"wait_ms\" is nothing");
    write_model("x", "1", ", \"memory_bytes\": -1");
    tool_refuses("bench --model clib_model.json", "memory_bytes");
    write_model("x", "1", ", \"flushes_subnormals\": 1");
    tool_refuses("bench --model clib_model.json", "neither true nor false");
    tool_refuses("verify --model clib_model.json", "neither true nor false");
    tool_refuses("verify --model clib_none.json", "clib_none.json");
    write_model("x", "-1", "");
    tool_refuses("bench --model clib_model.json", "a time of the modelled device");
    write_model("x", "1e99", "");
    tool_refuses("bench --model clib_model.json", "a time of the modelled device");
}

// ---- compare ----

static void write_results(const char* path, const char* cpu, double first, double second, const char* digest,
                          const char* result)
{
    char text[2048];
    snprintf(text, sizeof text,
             "{\"schema\": \"tact bench\", \"schema_version\": 1, \"seed\": 1, \"repeat\": 3,"
             "\"machine\": {\"cpu\": \"%s\", \"threads\": 2}, \"devices\": ["
             "{\"backend\": \"gl\", \"name\": \"g\", \"driver\": \"1\"}], \"rows\": ["
             "{\"query\": \"pairs\", \"set\": \"uniform\", \"unit\": \"boxes\", \"size\": 100, \"backend\": \"cpu\","
             "\"result\": \"equal\", \"digest\": \"aa\","
             "\"time_ms\": {\"total\": {\"median\": %f, \"min\": %f, \"max\": %f}}},"
             "{\"query\": \"pairs\", \"set\": \"uniform\", \"unit\": \"boxes\", \"size\": 1000, \"backend\": \"cpu\","
             "\"result\": \"%s\", \"digest\": \"%s\","
             "\"time_ms\": {\"total\": {\"median\": %f, \"min\": %f, \"max\": %f}}}]}",
             cpu, first, first * 0.95, first * 1.05, result, digest, second, second * 0.5, second * 2.0);
    write_file(path, text, strlen(text));
}

TEST(comparing_tells_what_is_beyond_the_noise)
{
    write_results("clib_a.json", "c", 10.0, 10.0, "bb", "equal");
    // The first has a narrow spread, the second a wide one, in which a factor of two is nothing.
    write_results("clib_noise.json", "c", 10.8, 20.0, "bb", "equal");
    write_results("clib_slow.json", "c", 13.0, 10.0, "bb", "equal");
    write_results("clib_fast.json", "c", 5.0, 10.0, "bb", "equal");
    write_results("clib_other.json", "c", 10.0, 10.0, "cc", "equal");
    write_results("clib_wrong.json", "c", 10.0, 10.0, "cc", "DIFFERS");
    write_results("clib_machine.json", "d", 13.0, 10.0, "bb", "equal");
    static const struct {
        const char* arguments;
        int code;
        const char* says;
    } cases[] = {
        {"bench compare clib_a.json clib_a.json", 0, "2 times compared: 0 slower, 0 faster"},
        {"bench compare clib_a.json clib_noise.json", 0, "0 slower, 0 faster"},
        {"bench compare clib_a.json clib_slow.json", 1, "SLOWER"},
        {"bench compare clib_a.json clib_slow.json --threshold 50", 0, "0 slower"},
        {"bench compare clib_a.json clib_fast.json", 0, "1 faster"},
        {"bench compare clib_a.json clib_other.json", 1, "OTHER RESULTS"},
        {"bench compare clib_a.json clib_wrong.json", 1, "NO LONGER RIGHT"},
        {"bench compare clib_a.json clib_machine.json --force", 1, "1 slower"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        tool_outcome o = tool_ends(cases[i].arguments, cases[i].code);
        if (!strstr(o.out, cases[i].says)) print_error("%s: %s\n", cases[i].arguments, o.out);
        assert_non_null(strstr(o.out, cases[i].says));
    }
    const char* arguments = "bench compare clib_a.json clib_fast.json --json";
    cJSON* json = tool_json_ends(arguments);
    assert_true(json_truth(json, "passed"));
    assert_true(json_number(json, "faster") == 1.0);
    assert_string_equal(json_text(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "changes"), 0), "verdict"), "faster");
}

TEST(files_that_cannot_be_compared_are_refused)
{
    write_results("clib_a.json", "c", 10.0, 10.0, "bb", "equal");
    write_results("clib_machine.json", "d", 10.0, 10.0, "bb", "equal");
    static const char* const texts[] = {
        "{",
        "{\"schema\": \"other\"}",
        "{\"schema\": \"tact bench\", \"schema_version\": 2, \"rows\": []}",
        "{\"schema\": \"tact bench\", \"schema_version\": 1}",
        "{\"schema\": \"tact bench\", \"schema_version\": 1, \"rows\": [{}]}",
        "{\"schema\": \"tact bench\", \"schema_version\": 1, \"rows\": [{\"query\": \"q\", \"set\": \"s\", \"unit\": "
        "\"u\", \"result\": \"equal\", \"size\": 1, \"backend\": \"cpu\", \"time_ms\": {\"total\": {\"median\": "
        "\"x\"}}}]}",
        "{\"schema\": \"tact bench\", \"schema_version\": 1, \"rows\": []}",
    };
    static const char* const says[] = {"not JSON",          "not the results.json",   "schema version 2",
                                       "no \"rows\"",       "row 0 has no \"query\"", "not min <= median <= max",
                                       "different machines"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        write_file("clib_bad.json", texts[i], strlen(texts[i]));
        tool_refuses("bench compare clib_a.json clib_bad.json", says[i]);
    }
    // Still the empty one.
    tool_refuses("bench compare clib_a.json clib_bad.json --force", "no measurement in common");
    tool_refuses("bench compare clib_a.json clib_machine.json", "different machines: processor \"c\" and \"d\"");
    tool_refuses("bench compare clib_a.json nowhere.json", "nowhere.json");
    tool_refuses("bench compare clib_a.json", "two files");
}

// ---- Geometry ----

TEST(the_cost_of_two_trees_is_that_of_its_parts)
{
    cJSON* json = tool_json_ends("bench geometry --quick --json --quiet --only cost");
    static const char* const parts[] = {"tested", "found", "updated"};
    const cJSON *row, *costs = cJSON_GetObjectItem(json, "costs");
    assert_int_equal(cJSON_GetArraySize(costs), 4);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "rows")), 0);
    cJSON_ArrayForEach(row, costs)
    {
        double sum = 0.0;
        for (int i = 0; i < 3; ++i) {
            char key[32];
            snprintf(key, sizeof key, "%s_ns", parts[i]);
            const double count = cJSON_GetObjectItem(row, parts[i])->valuedouble;
            assert_true(count > 1000.0);
            sum += 1e-6 * count * cJSON_GetObjectItem(row, key)->valuedouble;
        }
        assert_true(fabs(sum - cJSON_GetObjectItem(row, "expected_ms")->valuedouble) <= 1e-9 * sum);
        assert_true(cJSON_GetObjectItem(row, "overlaps")->valuedouble > 0.0);
    }
}

static int make_files(void** state)
{
    write_file("clib_cube.obj", tool_cube, strlen(tool_cube));
    return 0;
}

#include TEST_LIST
RUN_ALL(make_files, NULL)
