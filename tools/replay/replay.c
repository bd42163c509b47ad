// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Recorded queries run again: what they were asked of is made anew, and the digest of the answer comes from where it
// was recorded, since the calls are the same.

#include <stdio.h>
#include <string.h>

#include "tools/replay/replay.h"
#include "tools/request/request.h"

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

tact_mesh_desc tact_replay_mesh(const tact_recording* r, const tact_read_chunk* chunk)
{
    const tact_read_chunk *positions = tact_recording_reference(r, chunk, 0),
                          *indices = tact_recording_reference(r, chunk, 1);
    tact_mesh_desc desc = {0};
    uint32_t words[TACT_MESH_WORDS];
    memcpy(words, chunk->bytes, sizeof words);
    if (!positions || !indices) return desc;
    desc.positions = (const float*)(const void*)positions->bytes;
    desc.vertex_count = tact_read_rows(positions);
    desc.indices = (const uint32_t*)(const void*)indices->bytes;
    desc.triangle_count = tact_read_rows(indices);
    desc.quality = (tact_mesh_quality)words[1];
    return desc;
}

static tact_result add_mesh(const tact_recording* r, const tact_read_chunk* chunk, tact_scene* scene)
{
    uint32_t words[TACT_MESH_WORDS], mesh = 0;
    memcpy(words, chunk->bytes, sizeof words);
    if (words[0] != TACT_KIND_TRIANGLES) {
        return add_shapes(scene, words[0], tact_recording_reference(r, chunk, 2), &mesh);
    }
    const tact_mesh_desc desc = tact_replay_mesh(r, chunk);
    tact_result result = tact_scene_add_mesh(scene, &desc, &mesh);
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

tact_result tact_replay_scene(const tact_recording* r, const tact_read_chunk* chunk, tact_scene** out)
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
    return first && first->type == TACT_CHUNK_SCENE ? tact_replay_scene(r, first, scene) : TACT_OK;
}

static tact_result fill_set(const tact_recording* r, const tact_read_chunk* chunk, tact_volume_set* set, bool spheres)
{
    const tact_read_chunk *volumes = tact_recording_reference(r, chunk, 0),
                          *given = tact_recording_reference(r, chunk, 1), *used = tact_recording_reference(r, chunk, 2);
    const void* array = volumes->bytes;
    const tact_volume_filter* filters = given ? (const tact_volume_filter*)(const void*)given->bytes : NULL;
    const size_t count = tact_read_rows(volumes);
    tact_result result = spheres ? tact_volume_set_add_spheres(set, array, count, filters, NULL, NULL)
                                 : tact_volume_set_add_aabbs(set, array, count, filters, NULL, NULL);
    for (size_t i = 0; used && i < count && result == TACT_OK; ++i) {
        const uint32_t id = (uint32_t)i;
        if (!used->bytes[i]) result = tact_volume_set_remove(set, &id, 1);
    }
    return result;
}

static tact_result make_set(const tact_recording* r, const tact_read_chunk* chunk, tact_volume_set** out)
{
    *out = NULL;
    if (!chunk) return TACT_OK;
    uint32_t kind;
    memcpy(&kind, chunk->bytes, sizeof kind);
    const tact_volume_set_desc desc = {.kind = (tact_volume_kind)kind};
    const tact_result result = tact_volume_set_create(r->context, &desc, out);
    return result == TACT_OK ? fill_set(r, chunk, *out, kind == TACT_VOLUME_SPHERE) : result;
}

static tact_result make_mesh(const tact_recording* r, const tact_read_chunk* chunk, tact_mesh** out)
{
    *out = NULL;
    if (!chunk) return TACT_OK;
    const tact_mesh_desc desc = tact_replay_mesh(r, chunk);
    return tact_mesh_create(r->context, &desc, out);
}

// ---- The queries ----
// Each stores what the query itself returned and returns what keeps it from being asked.

tact_result tact_replay_refuse(const tact_replay* p, const char* what)
{
    return tact_fail(tact_replay_env(p->recording), TACT_ERROR_INVALID_ARGUMENT, "query %llu: %s",
                     (unsigned long long)p->query.number, what);
}

void tact_replay_only(tact_replay* p, tact_backend backend, int threads)
{
    const tact_context* context = p->recording->context;
    const int device = tact_context_find(context, backend);
    p->report.backend = backend;
    p->report.threads = threads;
    if (device < 0) return;
    const tact_device_info* info = tact_context_describe(context, (uint32_t)device);
    snprintf(p->report.device, sizeof p->report.device, "%s", info->name);
}

/// The shapes of a filter, by their arrays in the recording.
static tact_result list_shapes(const tact_recording* r, const tact_read_chunk* group, tact_request* request)
{
    tact_filter_shape* shapes = tact_allocate_zeroed(tact_replay_env(r), group->reference_count, sizeof *shapes);
    if (!shapes) return TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < group->reference_count; ++i) {
        const tact_mesh_desc desc = tact_replay_mesh(r, tact_recording_reference(r, group, i));
        shapes[i].positions = desc.positions;
        shapes[i].vertex_count = desc.vertex_count;
        shapes[i].indices = desc.indices;
        shapes[i].triangle_count = desc.triangle_count;
    }
    request->shapes = shapes;
    request->shape_count = group->reference_count;
    return TACT_OK;
}

/// Makes what one input refers to, or points to its rows.
static tact_result take_input(const tact_replay* p, uint32_t place, tact_request* request)
{
    const tact_recording* r = p->recording;
    const tact_read_chunk *chunk = tact_replay_place(p, place), *first = tact_replay_place(p, 0);
    if (!chunk) return TACT_OK;
    switch (chunk->type) {
        case TACT_CHUNK_SCENE:
            return tact_replay_scene(r, chunk, &request->scene);
        case TACT_CHUNK_SET:
            return make_set(r, chunk, &request->sets[place]);
        case TACT_CHUNK_SHAPES:
            return list_shapes(r, chunk, request);
        case TACT_CHUNK_MESH:
            if (place == 0 || chunk != first) return make_mesh(r, chunk, &request->meshes[place]);
            // A mesh against itself in poses is one mesh, as it was.
            request->meshes[place] = request->meshes[0];
            return TACT_OK;
        default:
            request->given[place] = (tact_given){chunk->bytes, tact_read_rows(chunk)};
            return TACT_OK;
    }
}

static tact_result take_inputs(const tact_replay* p, tact_request* request)
{
    const tact_read_chunk* state = tact_replay_place(p, 0);
    for (uint32_t i = 0; i < TACT_QUERY_INPUTS; ++i) {
        const tact_result result = take_input(p, i, request);
        if (result != TACT_OK) return result;
    }
    switch (p->query.kind) {
        case TACT_RECORDED_PARTICLES:
        case TACT_RECORDED_CONTACTS:
        case TACT_RECORDED_NEIGHBOURS:
            return tact_particles_restore(request->context, state->bytes, state->size, p->options.backend,
                                          &request->particles);
        default:
            return TACT_OK;
    }
}

static void release_inputs(const tact_replay* p, tact_request* request)
{
    tact_request_release(request);
    tact_scene_destroy(request->scene);
    tact_volume_set_destroy(request->sets[1]);
    tact_volume_set_destroy(request->sets[0]);
    if (request->meshes[1] != request->meshes[0]) tact_mesh_destroy(request->meshes[1]);
    tact_mesh_destroy(request->meshes[0]);
    tact_particles_destroy(request->particles);
    tact_release(tact_replay_env(p->recording), (void*)(uintptr_t)request->shapes);
}

/// What the arrays of a recording need not be, though each is one by itself.
static tact_result check_inputs(const tact_replay* p, const tact_request* r)
{
    switch (p->query.kind) {
        case TACT_RECORDED_RAYCAST:
        case TACT_RECORDED_RAYCAST_ALL:
            if (r->given[2].data && r->given[2].count != r->given[1].count) {
                return tact_replay_refuse(p, "not a mask for each ray");
            }
            return TACT_OK;
        case TACT_RECORDED_SCENE_CULL:
        case TACT_RECORDED_CULL:
            return r->given[1].count > TACT_CULL_PLANES_MAX ? tact_replay_refuse(p, "too many planes") : TACT_OK;
        case TACT_RECORDED_SEPARATION:
            return r->given[2].count != 1 ? tact_replay_refuse(p, "not one pose") : TACT_OK;
        default:
            return TACT_OK;
    }
}

/// Asks first how much there is, where there was room for an answer: the file may ask for any room, and gets no more
/// than that.
static tact_result limit_room(tact_replay* p, tact_request* request, int place)
{
    const uint64_t capacity = tact_request_wide(request, place);
    if (capacity == 0) return TACT_OK;
    tact_record_witness* witness = request->context->witness;
    request->context->witness = NULL;
    tact_request_set_wide(request, place, 0);
    const tact_result result = tact_request_ask(request, &p->options, &p->report, &p->result);
    request->context->witness = witness;
    if (result == TACT_OK && p->result >= TACT_OK) {
        tact_request_set_wide(request, place, request->count < capacity ? request->count : capacity);
    }
    return result;
}

static tact_result ask_request(tact_replay* p, tact_request* request)
{
    tact_result result = check_inputs(p, request);
    if (result != TACT_OK) return result;
    switch (p->query.kind) {
        case TACT_RECORDED_RAYCAST_ALL:
            result = limit_room(p, request, 4);
            break;
        case TACT_RECORDED_CONTACTS:
            result = limit_room(p, request, 0);
            break;
        case TACT_RECORDED_SEPARATION:
        case TACT_RECORDED_SEGMENTS:
            tact_replay_only(p, TACT_BACKEND_CPU, request->context->threads);
            break;
        case TACT_RECORDED_NEIGHBOURS:
            // Which slots hold what is not compared, so it cannot be shadowed.
            p->options.shadow = false;
            break;
        default:
            break;
    }
    if (result != TACT_OK || p->result < TACT_OK) return result;
    return tact_request_ask(request, &p->options, &p->report, &p->result);
}

static tact_result ask(tact_replay* p)
{
    if (p->query.kind == TACT_RECORDED_PICK || p->query.kind == TACT_RECORDED_TARGET) return tact_replay_pick(p);
    if (p->query.kind == TACT_RECORDED_IMAGE) return tact_replay_image_tests(p);
    tact_request request = {.context = p->recording->context, .kind = p->query.kind};
    memcpy(request.parameters, p->query.parameters, sizeof request.parameters);
    tact_result result = take_inputs(p, &request);
    if (result == TACT_OK) result = ask_request(p, &request);
    release_inputs(p, &request);
    return result;
}

/// The options that the query had, as far as they can be had here.
static tact_query_options options_of(const tact_context* context, const tact_recorded_query* q)
{
    const tact_backend by = q->finished ? q->report.backend : q->backend;
    tact_query_options options = {.threads = q->threads, .ray_sort = q->ray_sort};
    if (by != TACT_BACKEND_AUTO && tact_context_find(context, by) >= 0) options.backend = by;
    return options;
}

tact_result tact_recording_run(tact_recording* r, size_t index, const tact_query_options* options, tact_replayed* out)
{
    tact_replay p = {.recording = r, .chunk = tact_recording_find(r, index)};
    const tact_result found = tact_recording_query(r, index, &p.query);
    if (found != TACT_OK) return found;
    if (!out) return tact_null(&r->context->env, "replayed");
    memset(out, 0, sizeof *out);
    if (p.query.missing[0]) return tact_replay_refuse(&p, p.query.missing);
    tact_context* context = r->context;
    p.options = options ? *options : options_of(context, &p.query);
    tact_record_witness witness = {0};
    tact_record_witness* before = context->witness;
    context->witness = &witness;
    const tact_result result = ask(&p);
    context->witness = before;
    if (result != TACT_OK) return result;
    out->result = p.result;
    out->report = p.report;
    out->answered = witness.answered;
    out->digest = witness.digest;
    out->answer_bytes = witness.bytes;
    out->same = witness.answered && p.query.answered && witness.digest == p.query.digest &&
                witness.bytes == p.query.answer_bytes;
    out->promised = tact_replay_promised(r, &p.query, &p.report);
    return TACT_OK;
}
