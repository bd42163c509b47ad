// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/query/request.h"

#include <string.h>

tact_result tact_request_ask(tact_request* r, const tact_query_options* options, tact_query_report* report,
                             tact_result* result)
{
    TACT_ASSERT(r->context && r->query && r->query->ask);
    r->count = 0;
    r->unasked = false;
    const tact_result asked = r->query->ask(r, options, report);
    if (r->unasked) return asked;
    *result = asked;
    return TACT_OK;
}

tact_result tact_request_fail(tact_request* r, tact_result result)
{
    TACT_ASSERT(result < TACT_OK);
    r->unasked = true;
    return result;
}

void* tact_request_room(tact_request* r, int place, uint64_t count, size_t size)
{
    TACT_ASSERT(place >= 0 && place < TACT_REQUEST_ROOMS && size > 0);
    tact_env* env = &r->context->env;
    if (count > SIZE_MAX / size) return NULL;
    const size_t bytes = (size_t)count * size;
    if (r->rooms[place] && r->room_bytes[place] >= bytes) return r->rooms[place];
    tact_release(env, r->rooms[place]);
    r->room_bytes[place] = bytes;
    r->rooms[place] = tact_allocate(env, bytes, 1);
    return r->rooms[place];
}

void* tact_request_array(tact_request* r, size_t count, size_t size)
{
    TACT_ASSERT(r->array_count < TACT_REQUEST_ARRAYS);
    void* array = tact_allocate_zeroed(&r->context->env, count, size);
    if (array) r->arrays[r->array_count++] = array;
    return array;
}

void tact_request_own(tact_request* r, void* object, void (*release)(void* object))
{
    TACT_ASSERT(r->owned_count < TACT_REQUEST_OWNED && object);
    tact_resident_keep(&r->owned[r->owned_count++], object, release);
}

void tact_request_release(tact_request* r)
{
    while (r->owned_count > 0)
        tact_resident_release(&r->owned[--r->owned_count]);
    for (size_t i = 0; i < r->array_count; ++i)
        tact_release(&r->context->env, r->arrays[i]);
    r->array_count = 0;
    for (int i = 0; i < TACT_REQUEST_ROOMS; ++i) {
        if (r->context) tact_release(&r->context->env, r->rooms[i]);
        r->rooms[i] = NULL;
        r->room_bytes[i] = 0;
    }
    memset(r->objects, 0, sizeof r->objects);
}
