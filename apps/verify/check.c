// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    const uint64_t differing = compare(&answers[0], &answers[1], &first);
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

static bool check_device(tact_verify_run* run, const tact_verify_case* c, unsigned place,
                         const tact_suite_answer* expected, tact_problem* problem)
{
    tact_verify_device* who = &run->devices[place];
    if (!tact_verify_wants(run, who)) return true;
    if (who->missing[0]) {
        tact_verify_skip(run, &c->row, who, who->missing);
        return true;
    }
    tact_suite_answer answers[2] = {*expected, {.results = 0}};
    const tact_query_options options = {.backend = who->backend, .threads = who->threads, .no_fallback = true};
    const tact_result result = ask(c, place, &options, &answers[1], problem);
    if (problem->text[0]) return false;
    if (result >= 0) {
        judge(run, c, who, answers);
    } else if (c->lenient) {
        tact_verify_error(run, &c->row, who, result);
    } else {
        const char* detail = tact_context_error(run->session.context);
        tact_verify_fail(run, &c->row, who, *detail ? detail : tact_result_string(result));
    }
    return true;
}

bool tact_verify_check(tact_verify_run* run, const tact_verify_case* c, tact_problem* problem)
{
    const tact_query_options options = {.backend = c->definition ? c->definition : TACT_BACKEND_REFERENCE,
                                        .threads = c->definition ? 1 : 0,
                                        .no_fallback = c->definition != TACT_BACKEND_AUTO};
    tact_suite_answer expected = {.results = 0};
    const tact_result result = ask(c, TACT_VERIFY_DEVICES, &options, &expected, problem);
    if (problem->text[0]) return false;
    if (result < 0) return tact_problem_from_result(problem, result, run->session.context, "the reference");
    const size_t bytes = expected.count * expected.size;
    void* copy = malloc(bytes + 1);
    if (!copy) return tact_problem_out_of_memory(problem, "the answers");
    if (bytes) memcpy(copy, expected.items, bytes);
    expected.items = copy;
    bool good = true;
    for (unsigned i = 0; good && i < TACT_VERIFY_DEVICES; ++i)
        good = check_device(run, c, i, &expected, problem);
    free(copy);
    return good;
}

bool tact_verify_suite(tact_verify_run* run, const char* query, tact_suite_input* input, tact_verify_case* c,
                       tact_problem* problem)
{
    double setup_ms = 0.0;
    input->context = run->session.context;
    input->seed = run->common.seed;
    for (c->query = tact_suite_scene_queries; strcmp(c->query->name, query) != 0;)
        ++c->query;
    const bool good = c->query->open(c->query, input, c->row.count, &c->own, &setup_ms, problem) &&
                      tact_verify_check(run, c, problem);
    c->query->close(c->own);
    c->own = NULL;
    return good;
}
