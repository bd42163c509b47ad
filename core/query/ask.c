// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/query/ask.h"

#include <string.h>

#include "core/mesh/mesh.h"
#include "core/scene/scene.h"
#include "core/volumes/volumes.h"

/// Arrays of nothing may be NULL, and are given all the same.
static bool is_given(const tact_query_input* input, const tact_given* given)
{
    return input->type != 0 && (given->data || !input->optional);
}

/// Bytes of an input in a record.
static size_t bytes_of(const tact_query_input* input, const tact_given* given)
{
    switch (input->type) {
        case TACT_CHUNK_SCENE:
            return tact_record_scene_bytes(given->data);
        case TACT_CHUNK_MESH:
            return tact_record_mesh_bytes(given->data);
        case TACT_CHUNK_SET:
            return tact_record_set_bytes(given->data);
        case TACT_CHUNK_SHAPES:
            return tact_record_shapes_bytes(given->data, given->count);
        case TACT_CHUNK_ARRAY:
            return tact_record_sum(0, given->count, input->row_words > 0 ? 4 * (size_t)input->row_words : 1);
        default:
            return 0;
    }
}

static void record_input(tact_record_call* record, int place, const tact_query_input* input, const tact_given* given)
{
    switch (input->type) {
        case TACT_CHUNK_SCENE:
            // Vertices that a device alone has are brought to be recorded.
            tact_record_scene(record, place, (tact_scene*)(uintptr_t)given->data);
            break;
        case TACT_CHUNK_MESH:
            tact_record_mesh(record, place, given->data);
            break;
        case TACT_CHUNK_SET:
            // Sets in a device's arrays are copied to the host to be recorded.
            tact_record_set(record, place, (tact_volumes*)(uintptr_t)given->data);
            break;
        case TACT_CHUNK_SHAPES:
            tact_record_shapes(record, place, given->data, given->count);
            break;
        default:
            tact_record_array(record, place, given->data, input->row_words, given->count);
            break;
    }
}

void tact_call_record(const tact_call* call, const tact_query_options* options, tact_query_report* report,
                      tact_record_call* record)
{
    TACT_ASSERT(call->context && call->query);
    tact_query_input inputs[TACT_QUERY_INPUTS];
    size_t bytes = 0;
    if (call->context->recorder) {
        tact_query_inputs(call->query, call->parameters, inputs);
        for (int i = 0; i < TACT_QUERY_INPUTS; ++i)
            if (is_given(&inputs[i], &call->given[i])) {
                bytes = tact_record_sum(bytes, 1, bytes_of(&inputs[i], &call->given[i]));
            }
    }
    tact_record_begin(record, call->context, call->query->kind, options, report, call->count, bytes);
    if (record->number == 0) return;
    for (int i = 0; i < TACT_RECORDED_PARAMETERS; ++i)
        tact_record_parameter(record, i, call->parameters[i]);
    for (int i = 0; i < TACT_QUERY_INPUTS; ++i)
        if (is_given(&inputs[i], &call->given[i])) record_input(record, i, &inputs[i], &call->given[i]);
    if (call->missing) tact_record_missing(record, call->missing);
}

#if defined(TACT_ASSERTS)

/// The guard of what an input is; NULL: it is not shared.
static tact_guard* guard_of(tact_chunk_type type, const void* data)
{
    switch (type) {
        case TACT_CHUNK_SCENE:
            return &((tact_scene*)(uintptr_t)data)->guard;
        case TACT_CHUNK_MESH:
            return &((tact_mesh*)(uintptr_t)data)->guard;
        case TACT_CHUNK_SET:
            return &((tact_volumes*)(uintptr_t)data)->guard;
        default:
            return NULL;
    }
}

/// Tells the objects that are asked, or that they have been.
static void tell_objects(const tact_call* call, void (*tell)(tact_guard* guard))
{
    tact_query_input inputs[TACT_QUERY_INPUTS];
    tact_query_inputs(call->query, call->parameters, inputs);
    for (int i = 0; i < TACT_QUERY_INPUTS; ++i) {
        tact_guard* guard = call->given[i].data ? guard_of(inputs[i].type, call->given[i].data) : NULL;
        if (guard) tell(guard);
    }
}

#else
#define tell_objects(call, tell) ((void)(call))
#endif

tact_result tact_ask(const tact_call* call, const tact_query_options* options, tact_query_report* report)
{
    TACT_ASSERT(call->arguments);
    TACT_ASSERT(!call->host_only || !call->why);
    const tact_result room = tact_tickets_check(call->context, options);
    if (room != TACT_OK) return room;
    tact_record_call record;
    tact_call_record(call, options, report, &record);
    const tact_query_options* how = call->instead ? call->instead : options;
    const char* why = call->why;
    tact_query_options alone;
    if (call->query->only != TACT_BACKEND_AUTO) {
        alone =
            (tact_query_options){.backend = call->query->only, .threads = how && how->threads > 0 ? how->threads : 0};
        how = &alone;
        why = "the only one";
    }
    tell_objects(call, tact_guard_ask);
    const tact_result result =
        call->host_only
            ? tact_dispatch_on_host(call->context, call->query, call->arguments, how, call->host_only, record.report)
            : tact_dispatch_because(call->context, call->query, call->arguments, how, why, record.report);
    tell_objects(call, tact_guard_answered);
    if (record.context && (result >= TACT_OK || result == TACT_ERROR_SHADOW_MISMATCH)) {
        call->query->answer(call->arguments, &record);
    }
    return tact_record_end(&record, result);
}

tact_result tact_copy_out(const void* found, size_t count, size_t size, void* to, size_t capacity)
{
    const size_t written = count < capacity ? count : capacity;
    TACT_ASSERT(written == 0 || (found && to));
    if (written > 0) memcpy(to, found, written * size);
    return count > capacity ? TACT_INCOMPLETE : TACT_OK;
}
