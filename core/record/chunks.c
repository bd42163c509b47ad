// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Chunks, each kept once by its content, and what is made of scenes, sets and meshes.

#include <string.h>

#include "core/mesh/mesh.h"
#include "core/record/record.h"
#include "core/scene/scene.h"
#include "core/volumes/volumes.h"

static bool is_little_endian(void)
{
    const uint32_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1;
}

void tact_record_swap(void* words, size_t count)
{
    if (is_little_endian()) return;
    uint8_t* b = words;
    for (size_t i = 0; i < count; ++i, b += 4) {
        const uint8_t turned[4] = {b[3], b[2], b[1], b[0]};
        memcpy(b, turned, 4);
    }
}

size_t tact_record_sum(size_t a, size_t count, size_t each)
{
    size_t product, sum;
    return tact_multiply_sizes(count, each, &product) && tact_add_sizes(a, product, &sum) ? sum : SIZE_MAX;
}

// ---- Keeping ----

static void free_chunk(tact_env* env, tact_record_chunk* chunk)
{
    tact_release(env, chunk->references);
    tact_release(env, chunk->bytes);
    tact_release(env, chunk);
}

static size_t cost_of(const tact_record_chunk* chunk)
{
    return chunk->size + sizeof *chunk + chunk->reference_count * sizeof(void*);
}

void tact_record_drop(tact_recorder* r, tact_record_chunk* chunk)
{
    TACT_ASSERT(!chunk || chunk->users > 0);
    if (!chunk || --chunk->users > 0) return;
    // Chunks refer no deeper than scene, mesh, array.
    for (uint32_t i = 0; i < chunk->reference_count; ++i)
        tact_record_drop(r, chunk->references[i]);
    tact_record_chunk** link = &r->buckets[chunk->digest % TACT_RECORD_BUCKETS];
    while (*link != chunk)
        link = &(*link)->next;
    *link = chunk->next;
    TACT_ASSERT(r->used >= cost_of(chunk));
    r->used -= cost_of(chunk);
    free_chunk(&r->context->env, chunk);
}

static bool same_references(const tact_record_chunk* chunk, tact_record_chunk* const* references, uint32_t count)
{
    return chunk->reference_count == count &&
           (count == 0 || memcmp(chunk->references, references, count * sizeof(void*)) == 0);
}

/// Bytes in the order of files.
static tact_record_chunk* intern_bytes(tact_recorder* r, tact_chunk_type type, uint32_t row_words, const void* bytes,
                                       size_t size, tact_record_chunk** references, uint32_t count)
{
    TACT_ASSERT(bytes || size == 0);
    TACT_ASSERT(row_words == 0 || size % (4 * (size_t)row_words) == 0 || type != TACT_CHUNK_ARRAY);
    tact_env* env = &r->context->env;
    tact_xxh64 state;
    tact_xxh64_begin(&state);
    const uint32_t head[2] = {(uint32_t)type, row_words};
    tact_xxh64_add(&state, head, sizeof head);
    for (uint32_t i = 0; i < count; ++i) {
        const uint64_t digest = references[i] ? references[i]->digest : 0;
        tact_xxh64_add(&state, &digest, sizeof digest);
    }
    tact_xxh64_add(&state, bytes, size);
    const uint64_t digest = tact_xxh64_end(&state);
    tact_record_chunk** bucket = &r->buckets[digest % TACT_RECORD_BUCKETS];
    for (tact_record_chunk* c = *bucket; c; c = c->next) {
        if (c->digest != digest || c->type != (uint32_t)type || c->row_words != row_words || c->size != size ||
            !same_references(c, references, count) || (size > 0 && memcmp(c->bytes, bytes, size) != 0)) {
            continue;
        }
        ++c->users;
        for (uint32_t i = 0; i < count; ++i)
            tact_record_drop(r, references[i]);  // it has its own
        return c;
    }
    tact_record_chunk* chunk = tact_allocate_zeroed(env, 1, sizeof *chunk);
    uint8_t* copy = chunk ? tact_allocate(env, size, 1) : NULL;
    tact_record_chunk** refers = chunk && count > 0 ? tact_allocate(env, count, sizeof(void*)) : NULL;
    if (!copy || (count > 0 && !refers)) {
        tact_release(env, refers);
        tact_release(env, copy);
        tact_release(env, chunk);
        for (uint32_t i = 0; i < count; ++i)
            tact_record_drop(r, references[i]);
        return NULL;
    }
    if (size > 0) memcpy(copy, bytes, size);
    if (refers) memcpy(refers, references, count * sizeof(void*));
    *chunk = (tact_record_chunk){.next = *bucket,
                                 .digest = digest,
                                 .type = type,
                                 .row_words = row_words,
                                 .size = size,
                                 .reference_count = count,
                                 .users = 1,
                                 .references = refers,
                                 .bytes = copy};
    *bucket = chunk;
    r->used += cost_of(chunk);
    return chunk;
}

tact_record_chunk* tact_record_intern(tact_recorder* r, tact_chunk_type type, uint32_t row_words, const void* words,
                                      size_t size, tact_record_chunk** references, uint32_t count)
{
    if (is_little_endian()) return intern_bytes(r, type, row_words, words, size, references, count);
    tact_env* env = &r->context->env;
    void* turned = tact_allocate(env, size, 1);
    if (!turned) {
        for (uint32_t i = 0; i < count; ++i)
            tact_record_drop(r, references[i]);
        return NULL;
    }
    if (size > 0) memcpy(turned, words, size);
    if (row_words > 0) tact_record_swap(turned, size / 4);
    tact_record_chunk* chunk = intern_bytes(r, type, row_words, turned, size, references, count);
    tact_release(env, turned);
    return chunk;
}

/// An array's chunk; NULL when there is none, or no memory, which *good then tells.
static tact_record_chunk* array_of(tact_recorder* r, const void* rows, uint32_t row_words, size_t count, bool* good)
{
    if (!rows) return NULL;
    const size_t size = row_words ? count * row_words * 4 : count;
    tact_record_chunk* chunk = tact_record_intern(r, TACT_CHUNK_ARRAY, row_words, rows, size, NULL, 0);
    *good = *good && chunk;
    return chunk;
}

/// A chunk that refers to others, of which some may be missing for want of memory.
static tact_record_chunk* group(tact_recorder* r, tact_chunk_type type, const uint32_t* words, uint32_t word_count,
                                tact_record_chunk** references, uint32_t count, bool good)
{
    TACT_ASSERT(word_count == 0 || words);
    if (good) return tact_record_intern(r, type, 1, words, word_count * 4, references, count);
    for (uint32_t i = 0; i < count; ++i)
        tact_record_drop(r, references[i]);
    return NULL;
}

// ---- Meshes ----

static tact_record_chunk* triangles_of(tact_recorder* r, const float* positions, size_t vertex_count,
                                       const uint32_t* indices, size_t triangle_count, tact_mesh_quality quality)
{
    bool good = true;
    tact_record_chunk* parts[TACT_MESH_PLACES] = {
        array_of(r, positions ? (const void*)positions : "", 3, vertex_count, &good),
        array_of(r, indices ? (const void*)indices : "", 3, triangle_count, &good)};
    const uint32_t words[TACT_MESH_WORDS] = {TACT_KIND_TRIANGLES, (uint32_t)quality};
    return group(r, TACT_CHUNK_MESH, words, TACT_MESH_WORDS, parts, TACT_MESH_PLACES, good);
}

static tact_record_chunk* mesh_of(tact_recorder* r, const tact_scene_mesh* m)
{
    if (m->kind == TACT_KIND_TRIANGLES && !m->alpha) {
        return triangles_of(r, m->positions, m->vertex_count, m->indices, m->triangle_count, m->quality);
    }
    bool good = true;
    tact_record_chunk* parts[TACT_MESH_PLACES] = {0};
    uint32_t words[TACT_MESH_WORDS] = {m->kind, (uint32_t)m->quality};
    if (m->kind == TACT_KIND_TRIANGLES) {
        const tact_trace_alpha* alpha = m->alpha;
        parts[0] = array_of(r, m->positions, 3, m->vertex_count, &good);
        parts[1] = array_of(r, m->indices, 3, m->triangle_count, &good);
        parts[3] = array_of(r, alpha->uvs, 2, m->vertex_count, &good);
        parts[4] = array_of(r, alpha->texels, 0, (size_t)alpha->width * alpha->height, &good);
        words[2] = 1;
        words[3] = alpha->width;
        words[4] = alpha->height;
        words[5] = alpha->wrap;
        words[6] = alpha->threshold;
    } else {
        parts[2] = array_of(r, m->shapes, sizeof *m->shapes / 4, m->shape_count, &good);
    }
    return group(r, TACT_CHUNK_MESH, words, TACT_MESH_WORDS, parts, TACT_MESH_PLACES, good);
}

size_t tact_record_mesh_bytes(const tact_mesh* mesh)
{
    return tact_record_sum(tact_record_sum(0, mesh->shape.vertex_count, 12), mesh->shape.triangle_count, 12);
}

// ---- Scenes ----

size_t tact_record_scene_bytes(const tact_scene* scene)
{
    size_t sum = tact_record_sum(0, scene->instance_count, 4 * TACT_INSTANCE_WORDS);
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        const tact_scene_mesh* m = &scene->meshes[i];
        sum = tact_record_sum(sum, m->vertex_count, m->alpha ? 20 : 12);
        sum = tact_record_sum(sum, m->triangle_count, 12);
        sum = tact_record_sum(sum, m->shape_count, sizeof *m->shapes);
        if (m->alpha) sum = tact_record_sum(sum, m->alpha->width, m->alpha->height);
    }
    return sum;
}

static tact_record_chunk* instances_of(tact_recorder* r, const tact_scene* scene, bool* good)
{
    tact_env* env = &r->context->env;
    uint32_t(*rows)[TACT_INSTANCE_WORDS] = tact_allocate(env, scene->instance_count, sizeof *rows);
    if (!rows) {
        *good = false;
        return NULL;
    }
    for (size_t i = 0; i < scene->instance_count; ++i) {
        const bool removed = scene->instances[i].mesh == TACT_NONE;
        TACT_ASSERT(removed || scene->instances[i].mesh < scene->mesh_count);
        memset(rows[i], 0, sizeof rows[i]);
        rows[i][0] = scene->instances[i].mesh;
        if (removed) continue;  // what it was shows nowhere
        rows[i][1] = scene->instances[i].mask;
        rows[i][2] = scene->dynamic[i];
        memcpy(&rows[i][4], scene->matrices[i], sizeof scene->matrices[i]);
    }
    tact_record_chunk* chunk = array_of(r, rows, TACT_INSTANCE_WORDS, scene->instance_count, good);
    tact_release(env, rows);
    return chunk;
}

static tact_record_chunk* scene_of(tact_recorder* r, const tact_scene* scene)
{
    tact_env* env = &r->context->env;
    bool good = scene->mesh_count < UINT32_MAX;
    tact_record_chunk** parts = good ? tact_allocate_zeroed(env, scene->mesh_count + 1, sizeof(void*)) : NULL;
    if (!parts) return NULL;
    parts[0] = instances_of(r, scene, &good);
    for (size_t i = 0; i < scene->mesh_count && good; ++i) {
        parts[i + 1] = mesh_of(r, &scene->meshes[i]);
        good = parts[i + 1] != NULL;
    }
    tact_record_chunk* chunk = group(r, TACT_CHUNK_SCENE, NULL, 0, parts, (uint32_t)scene->mesh_count + 1, good);
    tact_release(env, parts);
    return chunk;
}

// ---- Sets ----

size_t tact_record_set_bytes(const tact_volumes* set)
{
    // Each id: the volume, its categories, whether it is in use.
    return tact_record_sum(0, set->id_end, (set->kind == TACT_VOLUME_SPHERE ? 16 : 24) + (set->categories ? 8 : 0) + 1);
}

static tact_record_chunk* set_of(tact_recorder* r, tact_volumes* set)
{
    tact_env* env = &r->context->env;
    const bool spheres = set->kind == TACT_VOLUME_SPHERE;
    if (tact_volumes_fetch(set) != TACT_OK) return NULL;
    uint8_t* used = NULL;
    if (!set->bound && set->count != set->id_end) {
        used = tact_allocate(env, set->id_end, 1);
        if (!used) return NULL;
        for (uint32_t i = 0; i < set->id_end; ++i)
            used[i] = tact_volumes_contains(set, i);
    }
    bool good = true;
    const void* volumes = spheres ? (const void*)set->spheres : set->boxes;
    tact_record_chunk* parts[TACT_SET_PLACES] = {
        array_of(r, volumes ? volumes : "", spheres ? 4 : 6, set->id_end, &good),
        array_of(r, set->categories, 2, set->id_end, &good), array_of(r, used, 0, set->id_end, &good)};
    tact_release(env, used);
    const uint32_t kind = (uint32_t)set->kind;
    return group(r, TACT_CHUNK_SET, &kind, 1, parts, TACT_SET_PLACES, good);
}

// ---- Shapes of the filter ----

size_t tact_record_shapes_bytes(const tact_mesh_desc* shapes, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum = tact_record_sum(tact_record_sum(sum, shapes[i].vertex_count, 12), shapes[i].triangle_count, 12);
    return sum;
}

/// Triangles whose vertices may lie `stride` bytes apart (0: 12), and be in order where there are no indices.
static tact_record_chunk* strided_of(tact_recorder* r, const float* from, size_t vertex_count, size_t stride,
                                     const uint32_t* corners, size_t triangle_count)
{
    tact_env* env = &r->context->env;
    float* positions = tact_allocate(env, vertex_count, 12);
    uint32_t* indices = tact_allocate(env, triangle_count, 12);
    tact_record_chunk* chunk = NULL;
    if (positions && indices) {
        for (size_t i = 0; i < vertex_count; ++i)
            memcpy(positions + 3 * i, (const char*)from + i * (stride ? stride : 12), 12);
        for (size_t i = 0; i < 3 * triangle_count; ++i)
            indices[i] = corners ? corners[i] : (uint32_t)i;
        chunk = triangles_of(r, positions, vertex_count, indices, triangle_count, TACT_MESH_MEDIUM);
    }
    tact_release(env, positions);
    tact_release(env, indices);
    return chunk;
}

static tact_record_chunk* shapes_of(tact_recorder* r, const tact_mesh_desc* shapes, size_t count)
{
    tact_env* env = &r->context->env;
    bool good = count < UINT32_MAX;
    tact_record_chunk** parts = good ? tact_allocate_zeroed(env, count, sizeof(void*)) : NULL;
    if (!parts) return NULL;
    for (size_t i = 0; i < count && good; ++i) {
        const tact_mesh_desc* s = &shapes[i];
        parts[i] = strided_of(r, s->positions, s->vertex_count, s->position_stride, s->indices, s->triangle_count);
        good = parts[i] != NULL;
    }
    tact_record_chunk* chunk = group(r, TACT_CHUNK_SHAPES, NULL, 0, parts, (uint32_t)count, good);
    tact_release(env, parts);
    return chunk;
}

// ---- Into a query's places ----

/// Stores a chunk, or says that it could not be made. What went wrong is the recorder's affair, not the query's.
static void place_chunk(tact_record_call* call, int place, tact_record_chunk* chunk)
{
    tact_recorder* r = call->context->recorder;
    TACT_ASSERT(r && r->count > 0 && place >= 0 && place < TACT_RECORD_PLACES);
    tact_record_entry* e = &r->ring[(r->first + r->count - 1) % r->capacity];  // the one that has just begun
    TACT_ASSERT(e->query.number == call->number && !e->references[place]);
    e->references[place] = chunk;
    tact_error_clear(&call->context->env);
    if (!chunk) tact_record_missing(call, "there was no memory to keep it");
}

void tact_record_array(tact_record_call* call, int place, const void* rows, uint32_t row_words, size_t count)
{
    if (!call->wants || (!rows && count > 0)) return;
    bool good = true;
    // An array of nothing may be NULL, and is there all the same.
    place_chunk(call, place, array_of(call->context->recorder, rows ? rows : "", row_words, count, &good));
}

void tact_record_scene(tact_record_call* call, int place, tact_scene* scene)
{
    if (!call->wants) return;
    if (tact_scene_need_vertices(scene) == TACT_OK) {
        place_chunk(call, place, scene_of(call->context->recorder, scene));
        return;
    }
    tact_error_clear(&call->context->env);
    tact_record_missing(call, "vertices were lost with their device");
}

void tact_record_set(tact_record_call* call, int place, tact_volumes* set)
{
    if (call->wants) place_chunk(call, place, set_of(call->context->recorder, set));
}

void tact_record_mesh(tact_record_call* call, int place, const tact_mesh* mesh)
{
    if (!call->wants) return;
    const tact_overlap_mesh* m = &mesh->shape;
    place_chunk(call, place,
                triangles_of(call->context->recorder, m->positions, m->vertex_count, m->indices, m->triangle_count,
                             TACT_MESH_MEDIUM));
}

void tact_record_shapes(tact_record_call* call, int place, const tact_mesh_desc* shapes, size_t count)
{
    if (!call->wants) return;
    for (size_t i = 0; i < count; ++i) {
        if (!shapes[i].device_positions || shapes[i].positions) continue;
        tact_record_missing(call, "vertices lie in a buffer of a device");
        return;
    }
    place_chunk(call, place, shapes_of(call->context->recorder, shapes, count));
}

// ---- What was drawn, and objects of image-space tests ----

void tact_record_keep(tact_context* context, tact_record_drawing* drawing, const tact_scene* scene,
                      const uint32_t* view, uint32_t view_words)
{
    tact_record_forget(context, drawing);
    tact_recorder* r = context->recorder;
    if (!r) return;
    bool good = true;
    drawing->drawn = true;
    drawing->bytes = tact_record_sum(tact_record_scene_bytes(scene), view_words, sizeof *view);
    if (drawing->bytes > r->budget) return;
    drawing->scene = scene_of(r, scene);
    drawing->view = array_of(r, view, view_words, 1, &good);
    tact_error_clear(&context->env);
}

void tact_record_forget(tact_context* context, tact_record_drawing* drawing)
{
    if (context->recorder) {
        tact_record_drop(context->recorder, drawing->scene);
        tact_record_drop(context->recorder, drawing->view);
    }
    *drawing = (tact_record_drawing){0};
}

void tact_record_drawn(tact_record_call* call, const tact_record_drawing* drawing)
{
    if (!drawing->drawn) tact_record_missing(call, "shaders of the caller's drew it, or nothing was drawn");
    if (!call->wants || !drawing->drawn) return;
    TACT_ASSERT(!drawing->scene || drawing->scene->users > 0);
    if (drawing->scene) ++drawing->scene->users;
    if (drawing->view) ++drawing->view->users;
    place_chunk(call, 0, drawing->scene);
    place_chunk(call, 1, drawing->view);
}

size_t tact_record_body_bytes(const tact_image_body* body)
{
    return tact_record_sum(
        tact_record_sum(tact_record_sum(0, body->mesh.vertex_count, 12), body->mesh.triangle_count, 12),
        body->pose_count, 48);
}

/// The reader wants indices of vertices that are there. What has others is refused by the call, too.
static bool has_all_corners(const tact_image_body* body)
{
    size_t corners;
    if (!tact_multiply_sizes(body->mesh.triangle_count, 3, &corners)) return false;
    if (!body->mesh.indices) return corners <= body->mesh.vertex_count;
    for (size_t i = 0; i < corners; ++i)
        if (body->mesh.indices[i] >= body->mesh.vertex_count) return false;
    return true;
}

void tact_record_body(tact_record_call* call, int place, const tact_image_body* body)
{
    if (!call->wants) return;
    if (body->mesh.device_positions || body->mesh.device_indices) {
        tact_record_missing(call, "vertices lie in a buffer of a device");
    } else if ((body->mesh.vertex_count > 0 && !body->mesh.positions) || !has_all_corners(body)) {
        tact_record_missing(call, "indices or vertices are not there");
    } else {
        place_chunk(call, place,
                    strided_of(call->context->recorder, body->mesh.positions, body->mesh.vertex_count,
                               body->mesh.position_stride, body->mesh.indices, body->mesh.triangle_count));
    }
}
