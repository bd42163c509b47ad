// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/dispatch/explain.h"

#include <stdio.h>
#include <string.h>

#include "core/context/context.h"

const char* tact_candidate_fate_name(tact_candidate_fate fate)
{
    static const char* const names[TACT_CANDIDATE_FATE_COUNT] = {"answered", "dearer",  "failed",    "not asked",
                                                                 "lost",     "missing", "unsuitable"};
    return (unsigned)fate < TACT_CANDIDATE_FATE_COUNT ? names[fate] : "?";
}

tact_result tact_explain(const tact_context* context, tact_explanation* explanation)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &((tact_context*)(uintptr_t)context)->env;
    if (!explanation) return tact_null(env, "explanation");
    if (!context->explanation.query[0]) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no query has run on the context");
    }
    *explanation = context->explanation;
    return TACT_OK;
}

tact_candidate* tact_explain_candidate(tact_explanation* explanation, tact_backend backend)
{
    TACT_ASSERT(explanation->count <= TACT_CANDIDATES_MAX);
    for (uint32_t i = 0; i < explanation->count; ++i)
        if (explanation->candidates[i].backend == backend) return &explanation->candidates[i];
    if (explanation->count == TACT_CANDIDATES_MAX) return NULL;
    tact_candidate* c = &explanation->candidates[explanation->count++];
    *c = (tact_candidate){.backend = backend, .learned_factor = 1.0};
    return c;
}

void tact_explain_expect(tact_candidate* c, const tact_cost_expectation* expected, int64_t day)
{
    c->fixed_ms = expected->terms[TACT_COST_FIXED];
    c->prepare_ms = expected->terms[TACT_COST_PREPARE];
    c->work_ms = expected->terms[TACT_COST_WORK];
    c->upload_ms = expected->terms[TACT_COST_UPLOAD];
    c->download_ms = expected->terms[TACT_COST_DOWNLOAD];
    c->expected_ms = expected->total;
    c->calibrated = expected->calibrated;
    c->calibrated_on = expected->calibrated ? day : 0;
    c->learned_runs = expected->learned;
    c->learned_factor = expected->factor;
}

void tact_explain_add(char* text, size_t size, const char* more)
{
    TACT_ASSERT(strlen(text) < size);
    const size_t used = strlen(text), length = strlen(more);
    const size_t fits = used + length < size ? length : size - 1 - used;
    memcpy(text + used, more, fits);
    text[used + fits] = '\0';
}

void tact_explain_add_ms(char* text, size_t size, double ms)
{
    char digits[32];
    if (!(ms >= 0.001 && ms < 999.0)) {
        snprintf(digits, sizeof digits, "%.3g", ms);
        tact_explain_add(text, size, digits);
        return;
    }
    // Three digits that are not all before the point: shifted there, rounded, and the point set among them.
    int after = 0;
    double shifted = ms;
    for (; shifted < 99.95; ++after)
        shifted *= 10.0;
    unsigned value = (unsigned)(shifted + 0.5);
    for (; after > 0 && value % 10u == 0; --after)
        value /= 10u;
    char* at = digits + sizeof digits;
    *--at = '\0';
    for (int i = 0; i < after; ++i, value /= 10u)
        *--at = (char)('0' + value % 10u);
    if (after > 0) *--at = '.';
    TACT_ASSERT(at > digits + 1);
    do {
        *--at = (char)('0' + value % 10u);
        value /= 10u;
    } while (value > 0);
    tact_explain_add(text, size, at);
}

void tact_explain_basis(const tact_candidate* c, char* text, size_t size)
{
    text[0] = '\0';
    if (c->calibrated) {
        char day[16];
        tact_explain_day(c->calibrated_on, day);
        tact_explain_add(text, size, "calibrated ");
        tact_explain_add(text, size, day);
        if (c->learned_runs) tact_explain_add(text, size, ", ");
    } else if (!c->learned_runs) {
        tact_explain_add(text, size, "uncalibrated");
    }
    if (c->learned_runs) {
        const unsigned runs = c->learned_runs < 99u ? c->learned_runs : 99u;
        const char count[3] = {(char)('0' + runs / 10u), (char)('0' + runs % 10u), '\0'};
        tact_explain_add(text, size, "learned from ");
        tact_explain_add(text, size, runs < 10u ? count + 1 : count);
        tact_explain_add(text, size, " runs");
    }
}

// The calendar by eras of 400 years, from "chrono-Compatible Low-Level Date Algorithms" (H. Hinnant, 2013): gmtime() is
// not thread-safe.
void tact_explain_day(int64_t day, char text[16])
{
    if (day < 0 || day > 2932896) day = 0;  // to the year 9999
    const int64_t z = day + 719468, era = z / 146097, of_era = z - era * 146097;
    const int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const int64_t shifted = (5 * of_year + 2) / 153, d = of_year - (153 * shifted + 2) / 5 + 1;
    const int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
    const int64_t year = year_of_era + era * 400 + (month <= 2);
    unsigned number = (unsigned)year * 10000u + (unsigned)month * 100u + (unsigned)d;
    memcpy(text, "0000-00-00", 11);
    for (int i = 9; i >= 0; --i) {
        if (text[i] == '-') continue;
        text[i] = (char)('0' + number % 10u);
        number /= 10u;
    }
}
