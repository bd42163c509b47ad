// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/dispatch/explain.h"

#include <stdio.h>
#include <string.h>

#include "core/dispatch/dispatch.h"
#include "core/dispatch/notes.h"

const char* tact_candidate_fate_name(tact_candidate_fate fate)
{
    static const char* const names[TACT_CANDIDATE_FATE_COUNT] = {"answered", "dearer",  "failed",     "not asked",
                                                                 "lost",     "missing", "unsuitable", "not open"};
    return (unsigned)fate < TACT_CANDIDATE_FATE_COUNT ? names[fate] : "?";
}

static void say(tact_candidate* c, const char* first, const char* second)
{
    c->why[0] = '\0';
    tact_explain_add(c->why, sizeof c->why, first);
    tact_explain_add(c->why, sizeof c->why, second);
}

/// The choice of a backend among those that could run, of several the one that answered, or failed last, or would have
/// been asked first; NULL: it was none.
static const tact_choice* choice_of(const tact_decision* d, tact_backend backend)
{
    const tact_choice* best = NULL;
    for (size_t i = 0; i < d->count; ++i) {
        const tact_choice* choice = &d->choices[i];
        if (choice->backend->backend == backend && (!best || choice->ran)) best = choice;
    }
    return best;
}

/// Says what other ways there are on a choice's backend.
static void explain_ways(const tact_decision* d, const tact_choice* choice, tact_candidate* c)
{
    for (size_t i = 0; i < d->count; ++i) {
        const tact_choice* other = &d->choices[i];
        if (other == choice || other->backend->backend != choice->backend->backend || !other->cost.method) continue;
        tact_explain_add(c->why, sizeof c->why, "; as ");
        tact_explain_add(c->why, sizeof c->why, other->cost.method);
        if (other->ran) {
            tact_explain_add(c->why, sizeof c->why, " it failed");
            continue;
        }
        tact_explain_add(c->why, sizeof c->why, " it is expected to take ");
        tact_explain_add_ms(c->why, sizeof c->why, other->expected.total);
        tact_explain_add(c->why, sizeof c->why, " ms");
    }
}

/// What was to be, of a device that is there or could be opened, before any was asked.
static void explain_chances(const tact_decision* d, const tact_choice* choice, bool opened, tact_candidate* c)
{
    bool runs = false;
    for (size_t i = 0; i < d->query->backend_count; ++i)
        runs = runs || d->query->backends[i].backend == c->backend;
    const bool open = d->asked == TACT_BACKEND_AUTO;
    if (!opened && open && runs) {
        c->fate = TACT_CANDIDATE_NOT_OPEN;
        say(c, "the CPU took less so far than opening it", "");
    } else if (!choice && ((d->lost >> c->backend & 1u) || (open && runs))) {
        c->fate = TACT_CANDIDATE_LOST;
        say(c, "it was lost before", "");
    } else if (!runs) {
        c->fate = TACT_CANDIDATE_UNSUITABLE;
        say(c, "this query does not run there", "");
    } else if (!open) {
        c->fate = TACT_CANDIDATE_NOT_ASKED;
        say(c, tact_backend_name(d->asked), " was selected");
    } else if (choice && choice->cost.unable) {
        c->fate = TACT_CANDIDATE_UNSUITABLE;
        say(c, choice->cost.unable, "");
    } else {
        const tact_choice* best = &d->choices[d->count > 1 && (d->choices[0].trial || d->choices[0].ahead)];
        c->fate = TACT_CANDIDATE_DEARER;
        if (choice == best && d->choices[0].ahead) {
            say(c, "another takes less from the next call on", "");
        } else if (choice == best) {
            say(c, "another was tried, to see whether it is still the slower one", "");
        } else if (choice && choice->expected.total < best->expected.total) {
            say(c, "it shares the CPU's cores, and is not expected to take far less than ",
                tact_backend_name(best->backend->backend));
        } else {
            say(c, tact_backend_name(best->backend->backend), " is expected to take less");
        }
    }
}

static void explain_expected(tact_context* context, const tact_decision* d, const tact_choice* choice,
                             tact_candidate* c)
{
    tact_cost_table* table = &context->costs[choice->device];
    char key[TACT_COST_KEY];
    tact_cost_expectation e = choice->expected;
    // With what is known by now, since it was not looked at then.
    if (d->asked == choice->backend->backend && tact_cost_key(d->query->name, choice->cost.method, key)) {
        e = tact_cost_expect(tact_cost_find(table, key), &choice->cost);
    }
    c->fixed_ms = e.terms[TACT_COST_FIXED];
    c->prepare_ms = e.terms[TACT_COST_PREPARE];
    c->work_ms = e.terms[TACT_COST_WORK];
    c->upload_ms = e.terms[TACT_COST_UPLOAD];
    c->download_ms = e.terms[TACT_COST_DOWNLOAD];
    c->expected_ms = e.total;
    c->calibrated = e.calibrated;
    c->calibrated_on = e.calibrated ? table->day : 0;
    c->learned_runs = e.learned;
    c->learned_factor = e.factor;
}

static const char* why_it_answered(const tact_decision* d, const tact_choice* choice)
{
    if (d->asked != TACT_BACKEND_AUTO) {
        return d->asked == choice->backend->backend ? "it was selected" : "the selected backend failed";
    }
    for (size_t i = 0; i < d->count; ++i) {
        const tact_choice* other = &d->choices[i];
        if (other->ran && other->result < TACT_OK && other->expected.total <= choice->expected.total) {
            return "those that were expected to take less failed";
        }
    }
    if (choice->ahead) return "it takes less from the next call on, as what it needs is there then";
    return choice->trial ? "it was tried, to see whether it is still the slower one"
                         : "it was expected to take the least time";
}

static void explain_one(tact_context* context, const tact_decision* d, const tact_choice* choice, tact_backend backend,
                        tact_candidate* c)
{
    const int device = tact_context_find_open(context, backend);
    *c = (tact_candidate){.backend = backend, .learned_factor = 1.0};
    if (device < 0 && !(context->settled >> backend & 1u)) {
        explain_chances(d, choice, false, c);
        return;
    }
    if (device < 0) {
        c->fate = TACT_CANDIDATE_MISSING;
        say(c, context->missing[backend], "");
        return;
    }
    tact_explain_add(c->device, sizeof c->device, tact_context_describe(context, (uint32_t)device)->name);
    explain_chances(d, choice, true, c);
    if (choice && choice->backend->cost) explain_expected(context, d, choice, c);
    if (!choice || !choice->ran) return;
    if (choice->result < TACT_OK) {
        c->fate = TACT_CANDIDATE_FAILED;
        say(c, d->failures[backend], "");
        return;
    }
    c->fate = TACT_CANDIDATE_ANSWERED;
    c->measured_ms = choice->ms;
    say(c, why_it_answered(d, choice), "");
}

static void explain_backend(tact_context* context, const tact_decision* d, tact_backend backend, tact_candidate* c)
{
    const tact_choice* choice = choice_of(d, backend);
    explain_one(context, d, choice, backend, c);
    if (choice) explain_ways(d, choice, c);
}

/// The method of the answer, or, where there was none, of the choices.
static const char* method_of(const tact_decision* d)
{
    const char* method = NULL;
    for (size_t i = 0; i < d->count; ++i) {
        if (!d->choices[i].cost.method) continue;
        if (!method || (d->choices[i].ran && d->choices[i].result >= TACT_OK)) method = d->choices[i].cost.method;
    }
    return method ? method : "";
}

/// Explains a decision. Under the context's lock.
static void explain(tact_context* context, const tact_decision* d, tact_explanation* explanation)
{
    *explanation = (tact_explanation){.asked = d->asked, .answered = tact_notes_answer(d)};
    tact_explain_add(explanation->query, sizeof explanation->query, d->query->name);
    tact_explain_add(explanation->method, sizeof explanation->method, method_of(d));
    for (int b = TACT_BACKEND_CPU; b < TACT_BACKEND_COUNT && explanation->count < TACT_CANDIDATES_MAX; ++b) {
        if (b == TACT_BACKEND_REFERENCE && d->asked != TACT_BACKEND_REFERENCE) continue;
        explain_backend(context, d, (tact_backend)b, &explanation->candidates[explanation->count++]);
    }
}

tact_result tact_explain(const tact_context* given, tact_explanation* explanation)
{
    if (!tact_enter(given, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_context* context = (tact_context*)(uintptr_t)given;
    if (!explanation) return tact_null(&context->env, "explanation");
    tact_decision last;
    tact_notes_last(context, &last);
    if (!last.query) {
        return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "no query has run on the context");
    }
    tact_mutex_lock(&context->shared);
    explain(context, &last, explanation);
    tact_mutex_unlock(&context->shared);
    return TACT_OK;
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

void tact_explain_basis(const tact_cost_expectation* expected, int64_t day, char* text, size_t size)
{
    text[0] = '\0';
    if (expected->calibrated) {
        char date[16];
        tact_explain_day(day, date);
        tact_explain_add(text, size, "calibrated ");
        tact_explain_add(text, size, date);
        if (expected->learned) tact_explain_add(text, size, ", ");
    } else if (!expected->learned) {
        tact_explain_add(text, size, "uncalibrated");
    }
    if (expected->learned) {
        const unsigned runs = expected->learned < 99u ? expected->learned : 99u;
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
