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
    for (int i = 0; i < TACT_REQUEST_ROOMS; ++i)
        r->rooms[i].rows = 0;
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
    tact_room* room = &r->rooms[place];
    room->rows = 0;
    if (count > SIZE_MAX / size) return NULL;
    const size_t bytes = (size_t)count * size;
    if (!room->data || room->bytes < bytes) {
        tact_release(env, room->data);
        room->bytes = bytes;
        room->data = tact_allocate(env, bytes, 1);
    }
    if (!room->data) return NULL;
    room->rows = (size_t)count;
    room->size = size;
    room->list = false;
    return room->data;
}

void* tact_request_list(tact_request* r, int place, uint64_t capacity, size_t size)
{
    void* rows = tact_request_room(r, place, capacity, size);
    r->rooms[place].list = true;
    return rows;
}

size_t tact_request_rows(const tact_request* r, int place)
{
    const tact_room* room = &r->rooms[place];
    return room->list && r->count < room->rows ? r->count : room->rows;
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
        if (r->context) tact_release(&r->context->env, r->rooms[i].data);
        r->rooms[i] = (tact_room){0};
    }
    memset(r->objects, 0, sizeof r->objects);
}
