// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A query with all that it is asked with, as objects and arrays: what recordings that run again and sample work have
/// in common. Each kind of query is asked here, through the public interface, and nowhere else in tools.

#include "core/context/query.h"
#include "tact/tact.h"

enum { TACT_REQUEST_ROOMS = 2 };

/// All zeros: nothing. Objects and arrays are the caller's.
typedef struct tact_request {
    tact_context* context;
    tact_recorded_kind kind;
    uint32_t parameters[TACT_RECORDED_PARAMETERS];  ///< by kind: docs/replay.md
    tact_given given[TACT_QUERY_INPUTS];            ///< arrays, by the query's inputs

    // What the other inputs are.
    tact_scene* scene;
    tact_mesh* meshes[2];      ///< [1] NULL: the first with itself
    tact_volume_set* sets[2];  ///< [1] NULL: pairs within the first
    tact_particles* particles;
    const tact_filter_shape* shapes;
    size_t shape_count;

    // What is kept from call to call, and released with the request.
    tact_culler* culler;
    tact_filter* filter;
    void* rooms[TACT_REQUEST_ROOMS];  ///< for answers
    size_t room_bytes[TACT_REQUEST_ROOMS];

    size_t count;  ///< what the last call counted, if it counts
} tact_request;

/// Asks, as often as the caller likes. *result is what the query returned; the return value says what kept it from
/// being asked: OUT_OF_MEMORY, UNSUPPORTED (a kind that needs a target or draws).
tact_result tact_request_ask(tact_request* request, const tact_query_options* options, tact_query_report* report,
                             tact_result* result);

/// Releases what is kept from call to call.
void tact_request_release(tact_request* request);

/// Numbers of 64 bits in two parameters, the low word first.
static inline uint64_t tact_request_wide(const tact_request* request, int place)
{
    return request->parameters[place] | (uint64_t)request->parameters[place + 1] << 32;
}

static inline void tact_request_set_wide(tact_request* request, int place, uint64_t value)
{
    request->parameters[place] = (uint32_t)value;
    request->parameters[place + 1] = (uint32_t)(value >> 32);
}
