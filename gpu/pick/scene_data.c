// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/pick/scene.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK = 1 << 18,  // triangles or vertices brought to the device at once
    // Subtrees of this size or less are drawn whole: a piece costs 196 bytes of upload and a call, or what the device
    // makes of one, about as much as so many triangles that are clipped away.
    PIECE_LEAST = 256,
    GAP_MOST = 64,  // triangles drawn for nothing rather than a piece more
    BOUNDS = 6
};

// ---- What the device holds ----

tact_result tact_pick_scene_data_settle(tact_device* device)
{
    return tact_device_describe(device)->software ? tact_device_finish(device) : TACT_OK;
}

void tact_pick_scene_data_release(void* data)
{
    tact_pick_scene_data* d = data;
    if (!d) return;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(d->device) == TACT_OK;
    if (entered) tact_pick_scene_data_settle(d->device);
    tact_buffer_drop(&d->vertices);
    tact_buffer_drop(&d->indices);
    tact_buffer_drop(&d->primitives);
    if (entered) tact_device_leave(d->device);
    tact_env* env = tact_device_env(d->device);
    tact_release(env, d->meshes);
    tact_release(env, d->taken_before);
    tact_release(env, d);
}

/// Counts the slots that are not free.
static tact_result count_slots(tact_pick_scene_data* d, const tact_trace_scene* scene)
{
    tact_env* env = tact_device_env(d->device);
    tact_release(env, d->taken_before);
    d->taken_before = tact_allocate(env, scene->slot_count / TACT_BVH8_BLOCK + 1, sizeof *d->taken_before);
    if (!d->taken_before) return tact_device_fail(d->device, TACT_ERROR_OUT_OF_MEMORY);
    uint32_t sum = 0;
    for (size_t i = 0; i < scene->slot_count / TACT_BVH8_BLOCK; ++i) {
        d->taken_before[i] = sum;
        for (int k = 0; k < TACT_BVH8_BLOCK; ++k)
            sum += scene->blocks[i].primitive[k] != TACT_NONE;
    }
    d->taken_before[scene->slot_count / TACT_BVH8_BLOCK] = sum;
    return TACT_OK;
}

/// How many of the slots before this one are not free.
static uint32_t taken(const tact_pick_scene_data* d, const tact_trace_scene* scene, uint32_t slot)
{
    const uint32_t block = slot / TACT_BVH8_BLOCK;
    uint32_t sum = d->taken_before[block];
    for (uint32_t k = 0; k < slot % TACT_BVH8_BLOCK; ++k)
        sum += scene->blocks[block].primitive[k] != TACT_NONE;
    return sum;
}

static void range_of(const tact_pick_scene_data* d, const tact_trace_scene* scene, uint32_t node, uint32_t* first,
                     uint32_t* count)
{
    uint32_t begin, end;
    tact_bvh8_range(scene->wide, node, &begin, &end);
    *first = taken(d, scene, begin);
    *count = taken(d, scene, end) - *first;
}

static tact_result place_meshes(tact_pick_scene_data* d, const tact_trace_scene* scene)
{
    tact_env* env = tact_device_env(d->device);
    tact_release(env, d->meshes);
    d->mesh_count = 0;
    d->meshes = tact_allocate_zeroed(env, scene->mesh_count, sizeof *d->meshes);
    if (!d->meshes) return tact_device_fail(d->device, TACT_ERROR_OUT_OF_MEMORY);
    uint64_t vertices = 0;
    for (size_t i = 0; i < scene->mesh_count; ++i) {
        const tact_trace_mesh* mesh = &scene->meshes[i];
        tact_pick_mesh_place* place = &d->meshes[i];
        place->first_vertex = (uint32_t)vertices;
        vertices += mesh->vertex_count;
        // The slots of shapes are not those of triangles.
        if (mesh->kind != TACT_KIND_TRIANGLES) continue;
        range_of(d, scene, mesh->wide_root, &place->first_slot, &place->slots);
    }
    d->mesh_count = scene->mesh_count;
    // Draws add the first vertex of a mesh as a signed number.
    if (vertices <= INT32_MAX) return TACT_OK;
    return tact_fail(env, TACT_ERROR_LIMIT, "%llu vertices are more than one draw can address",
                     (unsigned long long)vertices);
}

static tact_result write_vertices(tact_pick_scene_data* d, const tact_trace_scene* scene)
{
    uint64_t count = 0;
    for (size_t i = 0; i < scene->mesh_count; ++i)
        count += scene->meshes[i].vertex_count;
    tact_result result = tact_buffer_create(d->device, (size_t)count * 12, NULL, &d->vertices);
    for (size_t i = 0; i < scene->mesh_count && result == TACT_OK; ++i) {
        const tact_trace_mesh* mesh = &scene->meshes[i];
        if (mesh->vertex_count == 0) continue;
        result = tact_buffer_write(d->vertices, (size_t)d->meshes[i].first_vertex * 12, mesh->positions,
                                   mesh->vertex_count * 12);
    }
    return result;
}

/// `corners` has room for CHUNK triangles and their numbers.
static tact_result write_mesh(tact_pick_scene_data* d, const tact_trace_scene* scene, size_t mesh, uint32_t* corners)
{
    uint32_t* primitives = corners + (size_t)CHUNK * 3;
    size_t at = d->meshes[mesh].first_slot;
    uint32_t slot, end;
    if (scene->meshes[mesh].kind != TACT_KIND_TRIANGLES) return TACT_OK;
    tact_bvh8_range(scene->wide, scene->meshes[mesh].wide_root, &slot, &end);
    while (slot < end) {
        size_t count = 0;
        for (; slot < end && count < CHUNK; ++slot) {
            const uint32_t id = scene->blocks[slot / TACT_BVH8_BLOCK].primitive[slot % TACT_BVH8_BLOCK];
            if (id == TACT_NONE) continue;
            memcpy(corners + 3 * count, scene->meshes[mesh].indices + 3 * (size_t)id, 12);
            primitives[count++] = id;
        }
        tact_buffer_write(d->indices, at * 12, corners, count * 12);
        if (tact_buffer_write(d->primitives, at * 4, primitives, count * 4) != TACT_OK) break;
        at += count;
    }
    return tact_device_result(d->device);
}

static tact_result write_triangles(tact_pick_scene_data* d, const tact_trace_scene* scene)
{
    tact_env* env = tact_device_env(d->device);
    uint32_t* corners = tact_allocate(env, (size_t)CHUNK * 4, sizeof *corners);
    if (!corners) return tact_device_fail(d->device, TACT_ERROR_OUT_OF_MEMORY);
    const size_t total = d->taken_before[scene->slot_count / TACT_BVH8_BLOCK];
    tact_buffer_create(d->device, total * 12, NULL, &d->indices);
    tact_buffer_create(d->device, total * 4, NULL, &d->primitives);
    for (size_t m = 0; m < scene->mesh_count; ++m)
        write_mesh(d, scene, m, corners);
    tact_release(env, corners);
    return tact_device_result(d->device);
}

static tact_result fill(tact_pick_scene_data* d, const tact_trace_scene* scene)
{
    d->mesh_version = UINT64_MAX;  // until all of it is there
    tact_result result = tact_pick_scene_data_settle(d->device);
    tact_buffer_drop(&d->vertices);
    tact_buffer_drop(&d->indices);
    tact_buffer_drop(&d->primitives);
    if (result == TACT_OK) result = count_slots(d, scene);
    if (result == TACT_OK) result = place_meshes(d, scene);
    if (result == TACT_OK) result = write_vertices(d, scene);
    if (result == TACT_OK) result = write_triangles(d, scene);
    if (result == TACT_OK) {
        d->mesh_version = scene->mesh_version;
        return TACT_OK;
    }
    tact_buffer_drop(&d->vertices);
    tact_buffer_drop(&d->indices);
    tact_buffer_drop(&d->primitives);
    uint64_t triangles = 0;
    for (size_t i = 0; i < scene->mesh_count; ++i)
        triangles += scene->meshes[i].triangle_count;
    return tact_fail_within(tact_device_env(d->device), result,
                            "a scene of %llu triangles: ", (unsigned long long)triangles);
}

tact_result tact_pick_scene_data_update(tact_device* device, const tact_trace_scene* scene, tact_pick_scene_data** data)
{
    if (!*data) {
        tact_pick_scene_data* d = tact_allocate_zeroed(tact_device_env(device), 1, sizeof *d);
        if (!d) return TACT_ERROR_OUT_OF_MEMORY;
        d->device = device;
        d->mesh_version = UINT64_MAX;
        *data = d;
    }
    return (*data)->mesh_version == scene->mesh_version ? TACT_OK : fill(*data, scene);
}

uint64_t tact_pick_scene_data_bytes(const tact_pick_scene_data* d)
{
    const tact_buffer* own[] = {d->vertices, d->indices, d->primitives};
    uint64_t sum = 0;
    // None is there after a failure.
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i)
        sum += tact_buffer_size(own[i]);
    return sum;
}

// ---- What is in view ----

tact_pick_rows tact_pick_view_rows(const tact_pick_view* view)
{
    tact_pick_rows rows;
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c)
            rows.at[r][c] = (double)view->world_to_clip[view->order == TACT_MATRIX_BY_ROWS ? 4 * r + c : r + 4 * c];
    return rows;
}

tact_pick_rows tact_pick_object_rows(const tact_pick_rows* world, const float object_to_world[12])
{
    tact_pick_rows rows;
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) {
            double sum = c == 3 ? world->at[r][3] : 0.0;
            for (int k = 0; k < 3; ++k)
                sum += world->at[r][k] * (double)object_to_world[4 * k + c];
            rows.at[r][c] = sum;
        }
    }
    return rows;
}

// Linear functions that are not negative inside.
typedef struct bounds {
    double f[BOUNDS][4];
} bounds;

static bounds bounds_of(const tact_pick_rows* matrix, tact_clip_depth depth)
{
    bounds b;
    const double(*rows)[4] = (const double(*)[4])matrix->at;
    for (int c = 0; c < 4; ++c) {
        b.f[0][c] = rows[3][c] + rows[0][c];
        b.f[1][c] = rows[3][c] - rows[0][c];
        b.f[2][c] = rows[3][c] + rows[1][c];
        b.f[3][c] = rows[3][c] - rows[1][c];
        b.f[4][c] = depth == TACT_CLIP_ZERO_TO_ONE ? rows[2][c] : rows[3][c] + rows[2][c];
        b.f[5][c] = rows[3][c] - rows[2][c];
    }
    return b;
}

// False: the box is outside. Else `crossed` keeps those of its bounds that the box crosses. The slack is far more than
// the rounding of these sums, and far less than the half pixel between the view's border and the next centre.
static bool meets(const bounds* b, const float lower[3], const float upper[3], uint32_t* crossed)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < BOUNDS; ++i) {
        if ((*crossed >> i & 1) == 0) continue;
        double middle = b->f[i][3], reach = 0.0, size = fabs(b->f[i][3]);
        for (int k = 0; k < 3; ++k) {
            const double centre = 0.5 * ((double)lower[k] + (double)upper[k]);
            const double half = 0.5 * ((double)upper[k] - (double)lower[k]);
            middle += b->f[i][k] * centre;
            reach += fabs(b->f[i][k]) * half;
            size += fabs(b->f[i][k] * centre);
        }
        reach += 1e-13 * (size + reach);
        if (middle + reach < 0.0) return false;
        if (middle - reach < 0.0) left |= 1u << i;
    }
    *crossed = left;
    return true;
}

typedef struct walk {
    tact_env* env;
    const tact_trace_scene* scene;
    const tact_pick_scene_data* data;
    tact_pick_pieces* pieces;
    bounds bounds;
    uint32_t instance;
    uint8_t* seen;  // of each instance
} walk;

static bool add(walk* w, uint32_t first, uint32_t count)
{
    tact_pick_pieces* p = w->pieces;
    tact_pick_piece* last = p->count ? &p->items[p->count - 1] : NULL;
    if (last && last->instance == w->instance && first - (last->first + last->count) <= GAP_MOST) {
        p->triangles += first + count - (last->first + last->count);
        last->count = first + count - last->first;
        return true;
    }
    void* items = p->items;
    const bool grown = tact_reserve(w->env, &items, &p->capacity, p->count, p->count + 1, sizeof *p->items);
    p->items = items;
    if (!grown) return false;
    p->items[p->count++] = (tact_pick_piece){w->instance, first, count};
    p->triangles += count;
    return true;
}

/// The children of one kind of a node, those that are nodes or those that are leaves.
static bool visit_children(walk* w, uint32_t at, uint32_t crossed, bool inner);

/// At most TACT_BVH8_MAX_DEPTH deep. Triangles come in order: a node's own leaves are before what is under its nodes.
static bool visit(walk* w, uint32_t node, uint32_t crossed)
{
    return visit_children(w, node, crossed, false) && visit_children(w, node, crossed, true);
}

static bool visit_children(walk* w, uint32_t at, uint32_t crossed, bool inner)
{
    const tact_bvh8_node* node = &w->scene->wide[at];
    for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
        const uint32_t kind = tact_bvh8_kind(node, i);
        if (kind == 0) break;
        if ((kind == TACT_BVH8_INNER) != inner) continue;
        const tact_bvh_box box = tact_bvh8_child_box(node, i);
        uint32_t here = crossed, first, count = kind;
        if (!meets(&w->bounds, box.lower, box.upper, &here)) continue;
        const uint32_t child = tact_bvh8_child(node, i);
        if (inner) {
            range_of(w->data, w->scene, child, &first, &count);
        } else {
            first = taken(w->data, w->scene, child);
        }
        const bool whole = !inner || here == 0 || count <= PIECE_LEAST;
        if (!(whole ? add(w, first, count) : visit(w, child, here))) return false;
    }
    return true;
}

static void mark(walk* w, uint32_t at, uint32_t crossed)
{
    const tact_bvh8_node* node = &w->scene->wide_top[at];
    for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
        const uint32_t kind = tact_bvh8_kind(node, i);
        if (kind == 0) break;
        const tact_bvh_box box = tact_bvh8_child_box(node, i);
        const uint32_t child = tact_bvh8_child(node, i);
        uint32_t here = crossed;
        if (!meets(&w->bounds, box.lower, box.upper, &here)) continue;
        if (kind == TACT_BVH8_INNER) {
            mark(w, child, here);
        } else {
            for (uint32_t k = 0; k < kind; ++k)
                w->seen[w->scene->instances[child + k].id] = 1;
        }
    }
}

static bool add_instance(walk* w, const tact_pick_rows* world, tact_clip_depth depth)
{
    const tact_trace_scene* scene = w->scene;
    const tact_pick_scene_data* data = w->data;
    const uint32_t id = scene->by_id[w->instance].mesh;
    const tact_trace_mesh* mesh = &scene->meshes[id];
    uint32_t crossed = (1u << BOUNDS) - 1;
    const tact_pick_rows rows = tact_pick_object_rows(world, scene->matrices[w->instance]);
    w->bounds = bounds_of(&rows, depth);
    if (data->meshes[id].slots == 0 || !meets(&w->bounds, mesh->bounds.lower, mesh->bounds.upper, &crossed))
        return true;
    if (crossed == 0 || data->meshes[id].slots <= PIECE_LEAST) {
        return add(w, data->meshes[id].first_slot, data->meshes[id].slots);
    }
    return visit(w, mesh->wide_root, crossed);
}

tact_result tact_pick_pieces_cull(tact_env* env, const tact_trace_scene* scene, const tact_pick_scene_data* data,
                                  const tact_pick_view* view, tact_pick_pieces* pieces)
{
    pieces->count = 0;
    pieces->triangles = 0;
    if (scene->instance_count == 0 || view->width == 0 || view->height == 0) return TACT_OK;
    walk w = {.env = env, .scene = scene, .data = data, .pieces = pieces};
    w.seen = tact_allocate_zeroed(env, scene->by_id_count, 1);
    if (!w.seen) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_pick_rows world = tact_pick_view_rows(view);
    w.bounds = bounds_of(&world, view->depth);
    mark(&w, 0, (1u << BOUNDS) - 1);
    bool good = true;
    // In order of instance: of equal things the first wins, as with rays.
    for (size_t i = 0; i < scene->by_id_count && good; ++i) {
        w.instance = (uint32_t)i;
        if (w.seen[i]) good = add_instance(&w, &world, view->depth);
    }
    tact_release(env, w.seen);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

void tact_pick_pieces_free(tact_env* env, tact_pick_pieces* pieces)
{
    tact_release(env, pieces->items);
    *pieces = (tact_pick_pieces){0};
}
