// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The calls that the rows of all queries make up (core/query/sample.h), one for each sample and each feature, small;
/// and what the caller has of an answer, which is found by another way than the recorder's.

#include <stdlib.h>

#include "core/queries.h"
#include "core/query/sample.h"
#include "tact/tact.h"

enum { ASKED_MOST = 4096 };  ///< rows of a list that there is room for

typedef struct asked_call {
    const tact_query* query;
    const tact_query_sample* of;
} asked_call;

/// Call number `index` of a row. False: there are no more.
static inline bool asked_of_row(const tact_query* q, size_t index, asked_call* call)
{
    if (index >= q->sample_count + q->feature_count) return false;
    *call = (asked_call){q, index < q->sample_count ? &q->samples[index] : &q->features[index - q->sample_count]};
    return true;
}

/// Call number `index` of all rows. False: there are no more.
static inline bool asked_at(size_t index, asked_call* call)
{
    for (int kind = 1; kind < TACT_RECORDED_KINDS; ++kind) {
        const tact_query* q = tact_query_of((tact_recorded_kind)kind);
        if (asked_of_row(q, index, call)) return true;
        index -= q->sample_count + q->feature_count;
    }
    return false;
}

/// Whether OpenGL alone answers it.
static inline bool asked_is_drawn(const asked_call* call)
{
    return (call->of->variant & TACT_VARIANT_DRAWN) != 0;
}

/// Whether a backend that its query has answers it.
static inline bool asked_runs_on(const asked_call* call, tact_backend backend)
{
    return backend != TACT_BACKEND_CL || !(call->of->variant & TACT_VARIANT_NOT_CL);
}

/// Makes up what is asked, of a size below what is worth measuring.
static inline tact_result asked_make(tact_context* on, const asked_call* call, uint64_t seed, tact_sample** sample)
{
    enum { SMALL = 40 };
    const size_t smallest = call->of->smallest, size = smallest > SMALL ? SMALL : smallest > 1 ? smallest - 1 : 1;
    const tact_result result = tact_sample_create(on, call->query, call->of, size, seed, sample);
    if (result == TACT_OK) (*sample)->request.most = ASKED_MOST;
    return result;
}

/// Takes some of an answer: numbers of `word` bytes each.
typedef void asked_take(const void* data, size_t bytes, size_t word, void* user);

/// What is not rows of words in the caller's arrays.
static inline tact_result asked_state(tact_request* r, asked_take* take, void* user)
{
    size_t size = 0;
    tact_result result = tact_particles_save(r->objects[0], NULL, 0, &size);
    if (result != TACT_INCOMPLETE) return result;
    uint8_t* state = malloc(size);
    if (!state) abort();
    result = tact_particles_save(r->objects[0], state, size, &size);
    if (result == TACT_OK) take(state, size, 1, user);
    free(state);
    return result;
}

static inline int asked_in_order(const void* a, const void* b)
{
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

/// Backends may number slots differently: the pairs of ids, in order.
static inline void asked_neighbours(const tact_neighbour_lists* lists, bool once, asked_take* take, void* user)
{
    const size_t count = lists->slots > 0 ? (size_t)lists->offsets[lists->slots] : 0;
    uint64_t* pairs = malloc((count + 1) * sizeof *pairs);
    if (!pairs) abort();
    for (size_t s = 0; s < lists->slots; ++s) {
        for (uint64_t i = lists->offsets[s]; i < lists->offsets[s + 1]; ++i) {
            const uint64_t a = lists->ids[s], b = lists->ids[lists->neighbours[i]];
            pairs[i] = once && b < a ? b << 32 | a : a << 32 | b;
        }
    }
    qsort(pairs, count, sizeof *pairs, asked_in_order);
    take(pairs, count * sizeof *pairs, sizeof *pairs, user);
    free(pairs);
}

/// Member by member, as the structure has gaps.
static inline void asked_images(const tact_image_result* results, size_t count, asked_take* take, void* user)
{
    for (size_t i = 0; i < count; ++i) {
        const uint32_t found[2] = {results[i].overlap, results[i].drawn};
        // From the bounds of error on, all members are words.
        const size_t first = offsetof(tact_image_result, gap);
        take(found, sizeof found, sizeof found[0], user);
        take((const char*)&results[i] + first, sizeof *results - first, sizeof found[0], user);
    }
}

/// Tells the answer to the last call. Errors: those of reading it.
static inline tact_result asked_answer(tact_request* r, asked_take* take, void* user)
{
    const tact_recorded_kind kind = r->query->kind;
    if (kind == TACT_RECORDED_PARTICLES) return asked_state(r, take, user);
    if (kind == TACT_RECORDED_NEIGHBOURS) {
        asked_neighbours(r->rooms[0].data, r->parameters[1] == TACT_NEIGHBOURS_ONCE, take, user);
        return TACT_OK;
    }
    if (kind == TACT_RECORDED_IMAGE) {
        asked_images(r->rooms[0].data, tact_request_rows(r, 0), take, user);
        return TACT_OK;
    }
    for (int i = 0; i < TACT_REQUEST_ROOMS; ++i) {
        const size_t rows = tact_request_rows(r, i), size = r->rooms[i].size;
        const bool offsets = kind == TACT_RECORDED_RAYCAST_ALL && i == 0;
        if (rows > 0) take(r->rooms[i].data, rows * size, offsets ? 8 : size < 4 ? 1 : 4, user);
    }
    return TACT_OK;
}
