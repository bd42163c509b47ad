// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the entries of every_query.c are written with: calls that are made again as the world wants it, and answers.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/every_query.h"
#include "tests/support/random.h"

/// Of the meshes that queries are asked of.
enum { TRIANGLES = 60 };

static inline bool once_more(query_world* w, tact_result result, const char* what, bool of_context)
{
    return w->again && w->again(w, result, what, of_context);
}

static inline tact_result returned(query_world* w, tact_result result, const tact_query_report* report)
{
    return w->returned ? w->returned(w, result, report) : result;
}

/// The entries of every_geometry.c.
tact_result every_query_geometry(query_world* w);
tact_result every_query_indices(query_world* w);

/// Makes a call, again as often as the world wants it. `result` and `out` are the caller's.
#define TRY_(w, call, told, of_context)                                                                   \
    do {                                                                                                  \
        while ((result = returned(w, (call), told)) < TACT_OK && once_more(w, result, #call, of_context)) \
            continue;                                                                                     \
        if (result < TACT_OK) {                                                                           \
            (w)->failed = #call;                                                                          \
            goto out;                                                                                     \
        }                                                                                                 \
    } while (0)
#define TRY(w, call) TRY_(w, call, NULL, true)
/// Of a function that tries again by itself.
#define PASS(w, call)                              \
    do {                                           \
        if ((result = (call)) < TACT_OK) goto out; \
    } while (0)
/// A query, which leaves a report.
#define ASK(w, call)                  \
    do {                              \
        report.failures = 0;          \
        TRY_(w, call, &report, true); \
        take_report(w, &report);      \
    } while (0)

static inline void take_report(query_world* w, const tact_query_report* report)
{
    if (w->part_count == EVERY_QUERY_PARTS) {
        fprintf(stderr, "a run of more than %d queries has no room\n", EVERY_QUERY_PARTS);
        abort();
    }
    w->parts[w->part_count++] = (query_part){w->size, report->failures > 0};
    if (report->failures == 0) return;
    w->failures += report->failures;
    snprintf(w->reason, sizeof w->reason, "%s", report->reason);
}

/// Appends numbers of `word` bytes each, the least byte first, so that an answer is the same on every machine.
static inline void put_words(query_world* w, const void* data, size_t bytes, size_t word)
{
    if (bytes > sizeof w->answer - w->size) {
        fprintf(stderr, "an answer of %zu bytes and more has no room\n", w->size + bytes);
        abort();
    }
    const uint16_t one = 1;
    uint8_t least = 0;
    memcpy(&least, &one, 1);
    uint8_t* to = w->answer + w->size;
    if (bytes > 0) memcpy(to, data, bytes);
    for (size_t i = 0; least == 0 && i < bytes; ++i)
        to[i] = ((const uint8_t*)data)[i - i % word + (word - 1 - i % word)];
    w->size += bytes;
}

/// Of 32-bit numbers, or structs of them.
static inline void put(query_world* w, const void* data, size_t bytes)
{
    put_words(w, data, bytes, 4);
}

static inline void put_number(query_world* w, uint64_t n)
{
    put_words(w, &n, sizeof n, sizeof n);
}

static inline void fill(test_random* r, float* numbers, size_t count, float size)
{
    for (size_t i = 0; i < count; ++i)
        numbers[i] = size * test_random_signed(r);
}

/// Corners of small triangles about the origin.
static inline void fill_triangles(test_random* r, float* positions, size_t triangles)
{
    for (size_t i = 0; i < triangles; ++i) {
        float centre[3], corner[9];
        fill(r, centre, 3, 1);
        fill(r, corner, 9, 0.4f);
        for (size_t k = 0; k < 9; ++k)
            positions[9 * i + k] = centre[k % 3] + corner[k];
    }
}
