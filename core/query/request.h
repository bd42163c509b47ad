// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A query with all that it is asked with, as objects and arrays: what recordings that run again and sample work have
/// in common. Each query's row asks it through the public interface.

#include "core/context/query.h"
#include "core/context/residents.h"
#include "tact/scene.h"

/// Room for an answer, kept from call to call.
typedef struct tact_room {
    void* data;
    size_t bytes;
    size_t rows, size;  ///< of the last call: how many rows there is room for, and of how many bytes
    bool list;          ///< the call counts the rows that there are; else it fills in all
} tact_room;

enum { TACT_REQUEST_ROOMS = 2, TACT_REQUEST_OWNED = 8, TACT_REQUEST_ARRAYS = 4 };

/// All zeros but for the context and the query: nothing is given yet.
typedef struct tact_request {
    tact_context* context;
    const tact_query* query;
    uint32_t parameters[TACT_RECORDED_PARAMETERS];  ///< by query: docs/replay.md
    uint64_t asked;                                 ///< for so much, where arrays do not tell
    tact_given given[TACT_QUERY_INPUTS];            ///< by its inputs; for a mesh its tact_mesh_desc, such as one of:
    tact_mesh_desc surfaces[2];

    void* objects[2];                         ///< made of what is given when it is first asked
    tact_resident owned[TACT_REQUEST_OWNED];  ///< released with the request, the last one first
    void* arrays[TACT_REQUEST_ARRAYS];        ///< so are these
    tact_room rooms[TACT_REQUEST_ROOMS];
    size_t owned_count, array_count;

    size_t most;  ///< rows that the caller wants of lists of which a record does not tell the room; 0: only counted

    size_t count;  ///< what the last call counted, if it counts
    bool unasked;  ///< the last call failed before the query was asked
} tact_request;

/// Asks, as often as the caller likes. *result is what the query returned; the return value says what kept it from
/// being asked: OUT_OF_MEMORY, and the errors of objects that it is asked of.
tact_result tact_request_ask(tact_request* request, const tact_query_options* options, tact_query_report* report,
                             tact_result* result);

/// Releases what the request owns.
void tact_request_release(tact_request* request);

/// Returns `result` from a row's ask(): the query could not be asked.
tact_result tact_request_fail(tact_request* request, tact_result result);

/// Room for an answer's rows, all of which the call fills in. NULL when out of memory.
void* tact_request_room(tact_request* request, int place, uint64_t count, size_t size);

/// Room for a list, of which the call counts the rows. NULL when out of memory.
void* tact_request_list(tact_request* request, int place, uint64_t capacity, size_t size);

/// How many rows of a room the last call filled in.
size_t tact_request_rows(const tact_request* request, int place);

/// Zeros, which the request owns. NULL when out of memory.
void* tact_request_array(tact_request* request, size_t count, size_t size);

/// Hands an object over.
void tact_request_own(tact_request* request, void* object, void (*release)(void* object));

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
