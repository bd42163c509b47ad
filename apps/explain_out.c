// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/explain_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "apps/text.h"

void tact_explain_date(int64_t days, char text[16])
{
    const time_t seconds = (time_t)days * 86400;
    const struct tm* day = gmtime(&seconds);
    if (!day || strftime(text, 16, "%Y-%m-%d", day) == 0) snprintf(text, 16, "?");
}

void tact_explain_rests_on(const tact_candidate* c, char* text, size_t size)
{
    char date[16], learned[64] = "";
    tact_explain_date(c->calibrated_on, date);
    if (c->learned_runs) {
        snprintf(learned, sizeof learned, "learned from %u runs (x %.3g)", c->learned_runs, c->learned_factor);
    }
    snprintf(text, size, "%s%s%s%s",
             c->calibrated ? "calibrated "
             : learned[0]  ? ""
                           : "uncalibrated",
             c->calibrated ? date : "", c->calibrated && learned[0] ? ", " : "", learned);
}

static bool has_expectation(const tact_candidate* c)
{
    return c->expected_ms > 0.0;
}

void tact_explain_begin(tact_session* session, const tact_common_options* common)
{
    static const tact_device_counts none;
    for (int b = TACT_BACKEND_CPU; b < TACT_BACKEND_COUNT && common->explain; ++b)
        session->given[b] = tact_session_counts(session, (tact_backend)b, &none);
}

/// Whether the candidate's device was given anything since.
static bool count_run(const tact_session* session, const tact_candidate* c, tact_device_counts* counts)
{
    *counts = tact_session_counts(session, c->backend, &session->given[c->backend]);
    return counts->launches + counts->waits + counts->bytes_up + counts->bytes_down + counts->allocations > 0;
}

static void print_counts(const tact_session* session, const tact_candidate* candidate)
{
    tact_device_counts c;
    if (!count_run(session, candidate, &c)) return;
    printf("%s, the last run: launches %" PRIu64 ", waits %" PRIu64 ", bytes up %" PRIu64 ", bytes down %" PRIu64
           ", allocations %" PRIu64 "\n",
           tact_backend_name(candidate->backend), c.launches, c.waits, c.bytes_up, c.bytes_down, c.allocations);
}

void tact_explain_print(const tact_session* session, const tact_common_options* common)
{
    tact_explanation e;
    if (!common->explain || tact_explain(session->context, &e) != TACT_OK) return;
    printf("\nexplained: %s%s%s, asked of %s; the last of the runs, milliseconds\n", e.query, e.method[0] ? ", " : "",
           e.method, tact_backend_name(e.asked));
    static const char* const heads[] = {"backend",   ">fixed",    ">prepare", ">work",    ">upload", ">download",
                                        ">expected", ">measured", "fate",     "rests on", "why"};
    tact_table table;
    tact_table_init(&table, heads, sizeof heads / sizeof heads[0]);
    for (uint32_t i = 0; i < e.count; ++i) {
        const tact_candidate* c = &e.candidates[i];
        const double ms[] = {c->fixed_ms, c->prepare_ms, c->work_ms, c->upload_ms, c->download_ms, c->expected_ms};
        tact_table_add(&table, "%s", tact_backend_name(c->backend));
        for (size_t k = 0; k < sizeof ms / sizeof ms[0]; ++k)
            tact_table_add(&table, has_expectation(c) ? "%.3g" : "-", ms[k]);
        tact_table_add(&table, c->measured_ms > 0.0 ? "%.3g" : "-", c->measured_ms);
        char basis[96] = "-";
        if (has_expectation(c)) tact_explain_rests_on(c, basis, sizeof basis);
        tact_table_add(&table, "%s", tact_candidate_fate_name(c->fate));
        tact_table_add(&table, "%s", basis);
        tact_table_add(&table, "%.*s", (int)strcspn(c->why, "\n"), c->why);
    }
    tact_table_print(&table, stdout);
    tact_table_free(&table);
    for (uint32_t i = 0; i < e.count; ++i)
        print_counts(session, &e.candidates[i]);
}

void tact_explain_json(cJSON* object, const tact_session* session, const tact_common_options* common)
{
    tact_explanation e;
    if (!common->explain || tact_explain(session->context, &e) != TACT_OK) return;
    cJSON* root = tact_json_object(object, "explain");
    tact_json_text(root, "query", e.query);
    tact_json_text(root, "method", e.method);
    tact_json_text(root, "asked", tact_backend_name(e.asked));
    tact_json_text(root, "answered", tact_backend_name(e.answered));
    cJSON* list = tact_json_array(root, "candidates");
    for (uint32_t i = 0; i < e.count; ++i) {
        const tact_candidate* c = &e.candidates[i];
        cJSON* entry = tact_json_append(list);
        tact_json_text(entry, "backend", tact_backend_name(c->backend));
        tact_json_text(entry, "device", c->device);
        tact_json_text(entry, "fate", tact_candidate_fate_name(c->fate));
        tact_json_text(entry, "why", c->why);
        if (has_expectation(c)) {
            cJSON* ms = tact_json_object(entry, "expected_ms");
            tact_json_time(ms, "fixed", c->fixed_ms);
            tact_json_time(ms, "prepare", c->prepare_ms);
            tact_json_time(ms, "work", c->work_ms);
            tact_json_time(ms, "upload", c->upload_ms);
            tact_json_time(ms, "download", c->download_ms);
            tact_json_time(ms, "total", c->expected_ms);
            tact_json_truth(entry, "calibrated", c->calibrated);
            if (c->calibrated) {
                char date[16];
                tact_explain_date(c->calibrated_on, date);
                tact_json_text(entry, "calibrated_on", date);
            }
            tact_json_count(entry, "learned_runs", c->learned_runs);
            tact_json_number(entry, "learned_factor", c->learned_factor);
        }
        if (c->measured_ms > 0.0) tact_json_time(entry, "measured_ms", c->measured_ms);
        tact_device_counts counts;
        if (count_run(session, c, &counts)) tact_json_counts(entry, &counts);
    }
}
