// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Recorded queries run again: what they were asked of is made anew, and the digest of the answer comes from where it
// was recorded, since the calls are the same.

#include <stdio.h>
#include <string.h>

#include "core/bodies/bodies.h"
#include "core/queries.h"
#include "core/query/request.h"
#include "tact/volumes.h"
#include "tools/replay/recording.h"

// ---- What queries are asked of ----

static tact_result add_shapes(tact_scene* scene, uint32_t kind, const tact_read_chunk* array, uint32_t* mesh)
{
    tact_env* env = &scene->context->env;
    const tact_trace_shape* given = (const tact_trace_shape*)(const void*)array->bytes;
    const size_t count = tact_read_rows(array);
    // Room for any of them.
    void* made = tact_allocate(env, count, sizeof(tact_capsule));
    if (!made) return TACT_ERROR_OUT_OF_MEMORY;
    tact_sphere* spheres = made;
    tact_aabb* boxes = made;
    tact_capsule* capsules = made;
    for (size_t i = 0; i < count; ++i) {
        const tact_trace_shape* s = &given[i];
        const tact_vec3 a = {s->a[0], s->a[1], s->a[2]}, b = {s->b[0], s->b[1], s->b[2]};
        if (kind == TACT_KIND_SPHERES) {
            spheres[i] = (tact_sphere){a, s->radius};
        } else if (kind == TACT_KIND_BOXES) {
            boxes[i] = (tact_aabb){a, b};
        } else {
            capsules[i] = (tact_capsule){a, b, s->radius};
        }
    }
    const tact_result result = kind == TACT_KIND_SPHERES ? tact_scene_add_spheres(scene, spheres, count, mesh)
                               : kind == TACT_KIND_BOXES ? tact_scene_add_boxes(scene, boxes, count, mesh)
                                                         : tact_scene_add_capsules(scene, capsules, count, mesh);
    tact_release(env, made);
    return result;
}

static tact_mesh_desc mesh_of(const tact_recording* r, const tact_read_chunk* chunk)
{
    const tact_read_chunk *positions = tact_recording_reference(r, chunk, 0),
                          *indices = tact_recording_reference(r, chunk, 1);
    tact_mesh_desc desc = {0};
    if (!positions || !indices) return desc;
    desc.positions = (const float*)(const void*)positions->bytes;
    desc.vertex_count = tact_read_rows(positions);
    desc.indices = (const uint32_t*)(const void*)indices->bytes;
    desc.triangle_count = tact_read_rows(indices);
    return desc;
}

static tact_result add_mesh(const tact_recording* r, const tact_read_chunk* chunk, tact_scene* scene)
{
    uint32_t words[TACT_MESH_WORDS], mesh = 0;
    memcpy(words, chunk->bytes, sizeof words);
    if (words[0] != TACT_KIND_TRIANGLES) {
        return add_shapes(scene, words[0], tact_recording_reference(r, chunk, 2), &mesh);
    }
    const tact_mesh_desc desc = mesh_of(r, chunk);
    tact_result result = tact_scene_add_mesh(scene, &desc, &mesh);
    if (result == TACT_OK) result = tact_scene_set_quality(scene, mesh, (tact_mesh_quality)words[1]);
    if (result != TACT_OK || !words[2]) return result;
    const tact_alpha_desc alpha = {
        .uvs = (const float*)(const void*)tact_recording_reference(r, chunk, 3)->bytes,
        .texels = tact_recording_reference(r, chunk, 4)->bytes,
        .width = words[3],
        .height = words[4],
        .threshold = (uint8_t)words[6],
        .wrap = (tact_alpha_wrap)words[5],
    };
    return tact_scene_set_alpha(scene, mesh, &alpha);
}

/// All ids, those that were removed too, which are then removed: ids come as they were.
static tact_result add_instances(const tact_read_chunk* instances, tact_scene* scene)
{
    const size_t count = tact_read_rows(instances);
    const uint32_t* row = (const uint32_t*)(const void*)instances->bytes;
    tact_result result = TACT_OK;
    for (size_t i = 0; i < count && result == TACT_OK; ++i, row += TACT_INSTANCE_WORDS) {
        const bool removed = row[0] == TACT_NONE;
        float matrix[12];
        uint32_t id = 0;
        memcpy(matrix, row + 4, sizeof matrix);
        result = tact_scene_add_instance(scene, removed ? 0 : row[0], removed ? NULL : matrix, &id);
        if (result != TACT_OK || removed) continue;
        result = tact_scene_set_mask(scene, id, row[1]);
        if (result == TACT_OK) result = tact_scene_set_dynamic(scene, id, row[2] != 0);
    }
    row = (const uint32_t*)(const void*)instances->bytes;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        if (row[i * TACT_INSTANCE_WORDS] == TACT_NONE) result = tact_scene_remove_instance(scene, (uint32_t)i);
    }
    return result;
}

static tact_result make_scene(const tact_recording* r, const tact_read_chunk* chunk, tact_scene** out)
{
    *out = NULL;
    tact_scene* scene = NULL;
    tact_result result = tact_scene_create(r->context, &scene);
    for (uint32_t i = 1; i < chunk->reference_count && result == TACT_OK; ++i)
        result = add_mesh(r, tact_recording_reference(r, chunk, i), scene);
    if (result == TACT_OK) result = add_instances(tact_recording_reference(r, chunk, 0), scene);
    if (result == TACT_OK) result = tact_scene_commit(scene);
    if (result == TACT_OK) {
        *out = scene;
    } else {
        tact_scene_destroy(scene);
    }
    return result;
}

tact_result tact_recording_make_scene(const tact_recording* r, size_t index, tact_scene** scene)
{
    if (!tact_enter(r ? r->context : NULL, "recording")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &r->context->env;
    if (!scene) return tact_null(env, "scene");
    *scene = NULL;
    const tact_read_chunk* chunk = tact_recording_find(r, index);
    if (!chunk) return tact_recording_lacks(r, index);
    const tact_read_chunk* first = tact_recording_reference(r, chunk, 0);
    return first && first->type == TACT_CHUNK_SCENE ? make_scene(r, first, scene) : TACT_OK;
}

static tact_result fill_set(const tact_recording* r, const tact_read_chunk* chunk, tact_volumes* set, bool spheres)
{
    const tact_read_chunk *volumes = tact_recording_reference(r, chunk, 0),
                          *given = tact_recording_reference(r, chunk, 1), *used = tact_recording_reference(r, chunk, 2);
    const void* array = volumes->bytes;
    const tact_categories* filters = given ? (const tact_categories*)(const void*)given->bytes : NULL;
    const size_t count = tact_read_rows(volumes);
    tact_result result = spheres ? tact_volumes_add_spheres(set, array, count, filters, NULL, NULL)
                                 : tact_volumes_add_aabbs(set, array, count, filters, NULL, NULL);
    for (size_t i = 0; used && i < count && result == TACT_OK; ++i) {
        const uint32_t id = (uint32_t)i;
        if (!used->bytes[i]) result = tact_volumes_remove(set, &id, 1);
    }
    return result;
}

static tact_result make_set(const tact_recording* r, const tact_read_chunk* chunk, tact_volumes** out)
{
    *out = NULL;
    if (!chunk) return TACT_OK;
    uint32_t kind;
    memcpy(&kind, chunk->bytes, sizeof kind);
    const tact_volumes_desc desc = {.kind = (tact_volume_kind)kind};
    const tact_result result = tact_volumes_create(r->context, &desc, out);
    return result == TACT_OK ? fill_set(r, chunk, *out, kind == TACT_VOLUME_SPHERE) : result;
}

// ---- The queries ----

static tact_result refuse(const tact_recording* r, const tact_recorded_query* q, const char* what)
{
    return tact_fail(&r->context->env, TACT_ERROR_INVALID_ARGUMENT, "query %llu: %s", (unsigned long long)q->number,
                     what);
}

/// The shapes of a filter, by their arrays in the recording.
static tact_result list_shapes(const tact_recording* r, const tact_read_chunk* group, tact_request* request,
                               tact_given* given)
{
    tact_mesh_desc* shapes = tact_request_array(request, group->reference_count, sizeof *shapes);
    if (!shapes) return TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < group->reference_count; ++i)
        shapes[i] = mesh_of(r, tact_recording_reference(r, group, i));
    *given = (tact_given){shapes, group->reference_count};
    return TACT_OK;
}

static void release_set(void* set)
{
    tact_volumes_destroy(set);
}

/// The scene of a chunk. The recording keeps it until a query asks another one: queries in a row often ask the same.
static tact_result keep_scene(tact_recording* r, const tact_read_chunk* chunk, tact_given* given)
{
    tact_result result = TACT_OK;
    if (r->kept_of != chunk) {
        tact_scene_destroy(r->kept);
        r->kept = NULL;
        r->kept_of = NULL;
        result = make_scene(r, chunk, &r->kept);
        if (result == TACT_OK) r->kept_of = chunk;
    }
    *given = (tact_given){r->kept, 1};
    return result;
}

/// Makes what one input that is no scene refers to, or points to its rows.
static tact_result take_input(const tact_recording* r, const tact_read_chunk* query, uint32_t place,
                              tact_request* request)
{
    const tact_read_chunk *chunk = tact_recording_reference(r, query, place),
                          *first = tact_recording_reference(r, query, 0);
    tact_given* given = &request->given[place];
    tact_volumes* set = NULL;
    tact_result result = TACT_OK;
    switch (chunk ? chunk->type : 0) {
        case 0:
            break;
        case TACT_CHUNK_SET:
            result = make_set(r, chunk, &set);
            if (set) tact_request_own(request, set, release_set);
            *given = (tact_given){set, 1};
            break;
        case TACT_CHUNK_SHAPES:
            return list_shapes(r, chunk, request, given);
        case TACT_CHUNK_MESH:
            TACT_ASSERT(place < sizeof request->surfaces / sizeof request->surfaces[0]);
            request->surfaces[place] = mesh_of(r, chunk);
            // A mesh against itself in poses is one mesh, as it was.
            *given = (tact_given){&request->surfaces[chunk == first ? 0 : place], 1};
            break;
        default:
            *given = (tact_given){chunk->bytes, tact_read_rows(chunk)};
            break;
    }
    return result;
}

/// What a query that no dispatcher runs reports: the only backend that has it, whatever the options say.
static void describe_only(const tact_context* context, tact_backend backend, tact_query_report* report)
{
    const int device = tact_context_find(context, backend);
    report->backend = backend;
    report->threads = device > 0 ? 1 : context->threads;
    if (device < 0) return;
    snprintf(report->device, sizeof report->device, "%s", tact_context_describe(context, (uint32_t)device)->name);
}

/// Asks first how much there is, where there was room for an answer: the file may ask for any room, and gets no more
/// than that.
static tact_result limit_room(tact_request* request, const tact_query_options* options, tact_replayed* out)
{
    const int place = request->query->room - 1;
    const uint64_t capacity = place < 0 ? 0 : tact_request_wide(request, place);
    if (capacity == 0) return TACT_OK;
    tact_record_witness* witness = request->context->witness;
    request->context->witness = NULL;
    tact_request_set_wide(request, place, 0);
    const tact_result result = tact_request_ask(request, options, &out->report, &out->result);
    request->context->witness = witness;
    if (result == TACT_OK && out->result >= TACT_OK) {
        tact_request_set_wide(request, place, request->count < capacity ? request->count : capacity);
    }
    return result;
}

static tact_result ask(const tact_recording* r, const tact_recorded_query* q, const tact_query_options* given,
                       tact_request* request, tact_replayed* out)
{
    const tact_query* query = request->query;
    tact_query_options options = *given;
    options.ticket = NULL;
    const char* wrong = query->check ? query->check(request) : NULL;
    if (wrong) return refuse(r, q, wrong);
    if (query->only != TACT_BACKEND_AUTO) describe_only(r->context, query->only, &out->report);
    // What cannot be compared cannot be shadowed.
    if (query->backend_count > 0 && !query->compare) options.shadow = false;
    const tact_result result = limit_room(request, &options, out);
    if (result != TACT_OK || out->result < TACT_OK) return result;
    return tact_request_ask(request, &options, &out->report, &out->result);
}

static tact_result run(tact_recording* r, const tact_read_chunk* chunk, const tact_recorded_query* q,
                       const tact_query_options* options, tact_replayed* out)
{
    tact_request request = {.context = r->context, .query = tact_query_of(q->kind), .asked = q->count};
    memcpy(request.parameters, q->parameters, sizeof request.parameters);
    tact_result result = TACT_OK;
    for (uint32_t i = 0; i < TACT_QUERY_INPUTS && result == TACT_OK; ++i) {
        const tact_read_chunk* there = tact_recording_reference(r, chunk, i);
        const bool scene = there && there->type == TACT_CHUNK_SCENE;
        result = scene ? keep_scene(r, there, &request.given[i]) : take_input(r, chunk, i, &request);
    }
    if (result == TACT_OK) result = ask(r, q, options, &request, out);
    tact_request_release(&request);
    return result;
}

tact_result tact_recording_make_bodies(const tact_recording* r, size_t index, tact_bodies** set)
{
    if (!tact_enter(r ? r->context : NULL, "recording")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &r->context->env;
    if (!set) return tact_null(env, "set");
    *set = NULL;
    tact_recorded_query q;
    const tact_read_chunk* chunk = tact_recording_find(r, index);
    tact_result result = tact_recording_query(r, index, &q);
    if (result != TACT_OK) return result;
    tact_request request = {.context = r->context, .query = tact_query_of(q.kind)};
    if (request.query->check != tact_bodies_check_request) return TACT_OK;
    if (q.missing[0]) return refuse(r, &q, q.missing);
    for (uint32_t i = 0; i < 3 && result == TACT_OK; ++i)
        result = take_input(r, chunk, i, &request);
    const char* wrong = result == TACT_OK ? tact_bodies_check_request(&request) : NULL;
    if (wrong) result = refuse(r, &q, wrong);
    if (result == TACT_OK) result = tact_bodies_make_given(r->context, request.given, set);
    tact_request_release(&request);
    return result;
}

/// Whether the same answer is promised, of a report of a query that was run again.
static bool is_promised(const tact_recording* r, const tact_recorded_query* q, const tact_query_report* report)
{
    const tact_query* query = tact_query_of(q->kind);
    if (!query->drawn || !query->drawn(q->parameters)) return true;
    const int device = tact_context_find(r->context, report->backend);
    return device >= 0 && report->backend == q->report.backend && strcmp(report->device, q->report.device) == 0 &&
           strcmp(tact_context_describe(r->context, (uint32_t)device)->driver, q->driver) == 0;
}

/// The options that the query had, as far as they can be had here.
static tact_query_options options_of(const tact_context* context, const tact_recorded_query* q)
{
    const tact_backend by = q->finished ? q->report.backend : q->backend;
    tact_query_options options = {.threads = q->threads};
    if (by != TACT_BACKEND_AUTO && tact_context_find(context, by) >= 0) options.backend = by;
    return options;
}

tact_result tact_recording_run(tact_recording* r, size_t index, const tact_query_options* options, tact_replayed* out)
{
    return tact_recording_answer(r, index, options, NULL, NULL, out);
}

tact_result tact_recording_answer(tact_recording* r, size_t index, const tact_query_options* options,
                                  tact_answer_fn* take, void* user, tact_replayed* out)
{
    tact_recorded_query q;
    if (!tact_enter_query(r ? r->context : NULL, "recording", options)) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_read_chunk* chunk = tact_recording_find(r, index);
    tact_result found = tact_recording_query(r, index, &q);
    if (found == TACT_OK) found = tact_tickets_check(r->context, options);
    if (found != TACT_OK) return found;
    if (!out) return tact_null(&r->context->env, "replayed");
    memset(out, 0, sizeof *out);
    if (q.missing[0]) return refuse(r, &q, q.missing);
    tact_context* context = r->context;
    const tact_query_options as_then = options_of(context, &q);
    tact_record_witness witness = {.take = take, .user = user};
    tact_record_witness* before = context->witness;
    context->witness = &witness;
    const tact_result result = run(r, chunk, &q, options ? options : &as_then, out);
    context->witness = before;
    if (result != TACT_OK) {
        memset(out, 0, sizeof *out);
        return result;
    }
    out->answered = witness.answered;
    out->digest = witness.digest;
    out->answer_bytes = witness.bytes;
    out->same = witness.answered && q.answered && witness.digest == q.digest && witness.bytes == q.answer_bytes;
    out->promised = is_promised(r, &q, &out->report);
    return tact_ticket_settle(context, options, TACT_OK, &out->report);
}
