// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/system.h"
#include "apps/verify/verify.h"

void tact_verify_words(const void* item, size_t bytes, char* text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        uint32_t word;
        memcpy(&word, (const char*)item + i, sizeof word);
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%08x", i ? " " : "", word);
    }
}

static tact_result ask(const tact_verify_case* c, unsigned place, const tact_query_options* options,
                       tact_suite_answer* answer, tact_problem* problem)
{
    tact_query_report report = {.backend = options->backend};
    if (c->query->choose) c->query->choose(c->own, place);
    if (c->query->place && !c->query->place(c->own, 0, problem)) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = c->query->ask(c->own, options, &report);
    if (result < 0) return result;
    return c->query->answer(c->own, answer, problem) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static const void* item_of(const tact_suite_answer* answer, size_t at)
{
    return at < answer->count ? (const char*)answer->items + at * answer->size : NULL;
}

/// How many items differ, and the first of them. Lists of other lengths differ in what one has more, at least.
static uint64_t compare(const tact_suite_answer* expected, const tact_suite_answer* got, size_t* first)
{
    const size_t most = expected->count > got->count ? expected->count : got->count;
    uint64_t differing = 0;
    for (size_t i = 0; i < most; ++i) {
        const void *a = item_of(expected, i), *b = item_of(got, i);
        if (!(a && b && memcmp(a, b, got->size) == 0) && differing++ == 0) *first = i;
    }
    return differing;
}

static void describe(const tact_verify_case* c, const tact_suite_answer* answer, size_t at, char* text, size_t size)
{
    const void* item = item_of(answer, at);
    if (!item)
        snprintf(text, size, "none");
    else if (c->describe)
        c->describe(c, answer, at, text, size);
    else
        tact_verify_words(item, answer->size, text, size);
}

static void judge(tact_verify_run* run, const tact_verify_case* c, tact_verify_device* who,
                  const tact_suite_answer answers[2])
{
    size_t first = 0;
    const uint64_t differing = c->compare ? c->compare(answers, &first) : compare(&answers[0], &answers[1], &first);
    tact_verify_answer(run, &c->row, who, answers[1].digest.text, differing);
    if (differing == 0) return;
    char item[512] = "", texts[2][512];
    if (c->input)
        c->input(c, answers, first, item, sizeof item);
    else if (c->inputs)
        tact_verify_words((const char*)c->inputs + first * c->input_bytes, c->input_bytes, item, sizeof item);
    else
        snprintf(item, sizeof item, "item %zu", first);
    for (int i = 0; i < 2; ++i)
        describe(c, &answers[i], first, texts[i], sizeof texts[i]);
    tact_verify_difference(run, &c->row, who, first, differing, item, texts[0], texts[1]);
}

/// Keeps a copy of the items of what is expected.
static bool keep(tact_suite_answer* expected, const tact_suite_answer* answer, tact_problem* problem)
{
    const size_t bytes = answer->count * answer->size;
    void* copy = malloc(bytes + 1);
    if (!copy) return tact_problem_out_of_memory(problem, "the answers");
    if (bytes) memcpy(copy, answer->items, bytes);
    *expected = *answer;
    expected->items = copy;
    return true;
}

/// Whether a device that flushes subnormal numbers leaves the case to the CPU.
static bool is_left(const tact_verify_run* run, const tact_verify_device* who, tact_result result)
{
    tact_device_info info;
    const tact_context* context = run->session.context;
    for (uint32_t i = 0; result == TACT_ERROR_UNSUPPORTED && i < tact_context_device_count(context); ++i) {
        if (tact_context_device(context, i, &info) != TACT_OK) return false;
        if (info.backend == who->backend) return info.probe.flushes_subnormals;
    }
    return false;
}

bool tact_verify_goes_on(tact_problem* problem)
{
    return !tact_system_signal() || tact_problem_stop(problem, "in a query");
}

static bool check_device(tact_verify_run* run, const tact_verify_case* c, unsigned place, tact_suite_answer* expected,
                         tact_problem* problem)
{
    tact_verify_device* who = &run->devices[place];
    if (!tact_verify_goes_on(problem)) return false;
    if (!tact_verify_wants(run, who) || (c->asks && !c->asks(c, who))) return true;
    if (who->missing[0]) {
        tact_verify_skip(run, &c->row, who, who->missing);
        return true;
    }
    tact_suite_answer got = {.results = 0};
    const tact_query_options options = {.backend = who->backend, .threads = who->threads, .no_fallback = true};
    const tact_result result = ask(c, place, &options, &got, problem);
    if (problem->text[0]) return false;
    if (result >= 0) {
        if (!expected->items && !keep(expected, &got, problem)) return false;
        judge(run, c, who, (const tact_suite_answer[2]){*expected, got});
    } else if (c->failure && *c->failure) {
        tact_verify_fail(run, &c->row, who, c->failure);
    } else if (c->lenient || is_left(run, who, result)) {
        tact_verify_error(run, &c->row, who, result);
    } else {
        const char* detail = tact_context_error(run->session.context);
        tact_verify_fail(run, &c->row, who, *detail ? detail : tact_result_string(result));
    }
    return true;
}

/// Brute force takes long.
static bool go_on(double fraction, void* user)
{
    (void)fraction, (void)user;
    return !tact_system_signal();
}

/// What the definition says.
static bool define(tact_verify_run* run, const tact_verify_case* c, tact_suite_answer* expected, tact_problem* problem)
{
    const bool device = c->definition == TACT_BACKEND_CPU;
    const tact_query_options options = {.backend = device ? TACT_BACKEND_CPU : TACT_BACKEND_REFERENCE,
                                        .threads = device,
                                        .no_fallback = device,
                                        .progress = go_on};
    tact_suite_answer answer = {.results = 0};
    const tact_result result = ask(c, TACT_VERIFY_DEVICES, &options, &answer, problem);
    if (problem->text[0]) return false;
    if (result < 0) return tact_problem_from_result(problem, result, run->session.context, "the reference");
    return keep(expected, &answer, problem);
}

bool tact_verify_check(tact_verify_run* run, const tact_verify_case* c, tact_problem* problem)
{
    tact_suite_answer own = {.results = 0}, *expected = c->known ? c->known : &own;
    // The caller's may hold an older text; here a text means that something went wrong.
    tact_problem met = {0};
    bool good = expected->items || c->first_defines || define(run, c, expected, &met);
    for (unsigned i = 0; good && i < TACT_VERIFY_DEVICES; ++i)
        good = check_device(run, c, i, expected, &met);
    tact_verify_forget(&own);
    if (!good) *problem = met;
    return good;
}

void tact_verify_forget(tact_suite_answer* known)
{
    void* items = NULL;
    memcpy(&items, &known->items, sizeof items);
    free(items);
    known->items = NULL;
}

bool tact_verify_suite(tact_verify_run* run, const char* query, tact_suite_input* input, tact_verify_case* c,
                       tact_problem* problem)
{
    double setup_ms = 0.0;
    input->context = run->session.context;
    input->seed = run->common.seed;
    c->query = tact_suite_find(query);
    const bool good = c->query->open(c->query, input, c->row.count, &c->own, &setup_ms, problem) &&
                      tact_verify_check(run, c, problem);
    c->query->close(c->own);
    c->own = NULL;
    return good;
}
