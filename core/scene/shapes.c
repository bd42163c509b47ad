// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a scene holds beside plain triangles: meshes of spheres, boxes and capsules, and alpha masks.

#include <float.h>
#include <string.h>

#include "base/parallel.h"
#include "core/scene/scene.h"
#include "cpu_ref/trace/scene.h"

enum { GRAIN = 1 << 14, ALPHA_MOST = 1 << 16 };

_Static_assert((uint32_t)TACT_ALPHA_WRAP_REPEAT == TACT_ALPHA_REPEAT &&
                   (uint32_t)TACT_ALPHA_WRAP_CLAMP == TACT_ALPHA_CLAMP,
               "the kernels know how to wrap by these numbers");

static tact_env* env_of(const tact_scene* scene)
{
    return &scene->context->env;
}

// ---- Adding ----

static void put(float out[3], tact_vec3 v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static tact_trace_shape read_shape(const void* array, uint32_t kind, size_t i)
{
    TACT_ASSERT(kind == TACT_KIND_SPHERES || kind == TACT_KIND_BOXES || kind == TACT_KIND_CAPSULES);
    tact_trace_shape s;
    memset(&s, 0, sizeof s);
    s.primitive = (uint32_t)i;
    if (kind == TACT_KIND_SPHERES) {
        const tact_sphere* sphere = (const tact_sphere*)array + i;
        put(s.a, sphere->center);
        s.radius = sphere->radius;
    } else if (kind == TACT_KIND_BOXES) {
        const tact_aabb* box = (const tact_aabb*)array + i;
        put(s.a, box->lower);
        put(s.b, box->upper);
    } else {
        const tact_capsule* capsule = (const tact_capsule*)array + i;
        put(s.a, capsule->a);
        put(s.b, capsule->b);
        s.radius = capsule->radius;
    }
    return s;
}

static tact_result add_shapes(tact_scene* scene, uint32_t kind, const void* array, size_t count, uint32_t* out)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    tact_env* env = env_of(scene);
    if (!out) return tact_null(env, "mesh");
    if (count > 0 && !array) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a mesh of %zu shapes, but the array is NULL", count);
    }
    const tact_result reserved = tact_scene_reserve_mesh(scene, count);
    if (reserved != TACT_OK) return reserved;
    tact_scene_mesh mesh = {.kind = kind, .shape_count = count};
    mesh.shapes = tact_allocate(env, count, sizeof *mesh.shapes);
    if (!mesh.shapes) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i)
        mesh.shapes[i] = read_shape(array, kind, i);
    *out = (uint32_t)scene->mesh_count;
    scene->meshes[scene->mesh_count++] = mesh;
    scene->primitive_total += count;
    scene->committed = false;
    return TACT_OK;
}

tact_result tact_scene_add_spheres(tact_scene* scene, const tact_sphere* spheres, size_t count, uint32_t* mesh)
{
    return add_shapes(scene, TACT_KIND_SPHERES, spheres, count, mesh);
}

tact_result tact_scene_add_boxes(tact_scene* scene, const tact_aabb* boxes, size_t count, uint32_t* mesh)
{
    return add_shapes(scene, TACT_KIND_BOXES, boxes, count, mesh);
}

tact_result tact_scene_add_capsules(tact_scene* scene, const tact_capsule* capsules, size_t count, uint32_t* mesh)
{
    return add_shapes(scene, TACT_KIND_CAPSULES, capsules, count, mesh);
}

// ---- Trees ----

typedef struct box_job {
    const tact_scene_mesh* mesh;
    tact_build_reference* references;
} box_job;

static void box_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const box_job* job = user;
    for (size_t i = begin; i < end; ++i) {
        const TactShape shape = tact_trace_shape_of(&job->mesh->shapes[i]);
        tact_build_reference* r = &job->references[i];
        r->id = TACT_NONE;
        if (!tact_shape_in_range(shape, job->mesh->kind)) continue;
        const TactBox b = tact_shape_box(shape, job->mesh->kind);
        const float lower[3] = {b.lx, b.ly, b.lz}, upper[3] = {b.hx, b.hy, b.hz};
        *r = tact_build_reference_of(lower, upper, (uint32_t)i);
    }
}

/// Closes the gaps that shapes which are none leave, and bounds the others. Returns how many they are.
static size_t keep(tact_scene_mesh* mesh, tact_build_reference* references)
{
    tact_trace_bounds* b = &mesh->bounds;
    for (int k = 0; k < 3; ++k) {
        b->lower[k] = b->tight_lower[k] = FLT_MAX;
        b->upper[k] = b->tight_upper[k] = -FLT_MAX;
    }
    size_t kept = 0;
    for (size_t i = 0; i < mesh->shape_count; ++i) {
        const tact_build_reference r = references[i];
        if (r.id == TACT_NONE) continue;
        TACT_ASSERT(r.id == i);
        const TactBox t = tact_shape_tight_box(tact_trace_shape_of(&mesh->shapes[i]), mesh->kind);
        const float low[3] = {t.lx, t.ly, t.lz}, high[3] = {t.hx, t.hy, t.hz};
        for (int k = 0; k < 3; ++k) {
            b->tight_lower[k] = low[k] < b->tight_lower[k] ? low[k] : b->tight_lower[k];
            b->tight_upper[k] = high[k] > b->tight_upper[k] ? high[k] : b->tight_upper[k];
            b->lower[k] = r.lower[k] < b->lower[k] ? r.lower[k] : b->lower[k];
            b->upper[k] = -r.negated[k] > b->upper[k] ? -r.negated[k] : b->upper[k];
        }
        references[kept++] = r;
    }
    return kept;
}

/// Appends the tree, and the shapes in the order of its slots, to the scene's arrays.
static tact_result append(tact_scene* scene, tact_scene_mesh* mesh, const tact_bvh8* wide)
{
    TACT_ASSERT(wide->slot_count % TACT_BVH8_BLOCK == 0);
    tact_env* env = env_of(scene);
    void *shapes = scene->shapes, *nodes = scene->wide;
    const size_t first = scene->shape_slot_count;
    bool grown =
        tact_reserve(env, &shapes, &scene->shape_capacity, first, first + wide->slot_count, sizeof *scene->shapes);
    scene->shapes = shapes;
    grown = grown && tact_reserve(env, &nodes, &scene->wide_capacity, scene->wide_count,
                                  scene->wide_count + wide->node_count, sizeof *scene->wide);
    scene->wide = nodes;
    if (!grown) return TACT_ERROR_OUT_OF_MEMORY;
    mesh->wide_root = (uint32_t)scene->wide_count;
    mesh->wide_count = wide->node_count;
    for (size_t i = 0; i < wide->node_count; ++i) {
        tact_bvh8_node* node = &scene->wide[scene->wide_count + i];
        *node = wide->nodes[i];
        node->node += mesh->wide_root;
        node->slot += (uint32_t)first;
    }
    scene->wide_count += wide->node_count;
    for (size_t s = 0; s < wide->slot_count; ++s) {
        tact_trace_shape* shape = &scene->shapes[first + s];
        TACT_ASSERT(wide->order[s] == UINT32_MAX || wide->order[s] < mesh->shape_count);
        memset(shape, 0, sizeof *shape);
        shape->primitive = TACT_NONE;
        if (wide->order[s] != UINT32_MAX) *shape = mesh->shapes[wide->order[s]];
    }
    scene->shape_slot_count += wide->slot_count;
    return TACT_OK;
}

tact_result tact_scene_build_shapes(tact_scene* scene, tact_scene_mesh* mesh)
{
    TACT_ASSERT(mesh->kind != TACT_KIND_TRIANGLES && !mesh->built);
    tact_env* env = env_of(scene);
    const int threads = scene->context->threads;
    tact_build_reference* references = tact_allocate(env, mesh->shape_count, sizeof *references);
    if (!references) return TACT_ERROR_OUT_OF_MEMORY;
    box_job job = {mesh, references};
    tact_parallel_for(threads, mesh->shape_count, GRAIN, box_piece, &job);
    const size_t kept = keep(mesh, references);
    mesh->skipped_shapes = mesh->shape_count - kept;
    tact_bvh8 wide = {0};
    const tact_build_desc desc = {TACT_BUILD_MEDIUM, TACT_BVH8_MAX_LEAF, TACT_BVH8_MAX_DEPTH};
    tact_result result = tact_bvh8_build(env, threads, &desc, references, kept, &wide);
    TACT_VALIDATE(result != TACT_OK || tact_bvh8_is_valid(&wide, &desc, references, kept));
    tact_release(env, references);
    if (result == TACT_OK) result = append(scene, mesh, &wide);
    mesh->depth = wide.depth;
    mesh->sah_cost = wide.sah_cost;
    mesh->built = result == TACT_OK;
    tact_bvh8_free(env, &wide);
    return result;
}

// ---- Alpha ----

static tact_result check_alpha(tact_env* env, const tact_scene_mesh* mesh, const tact_alpha_desc* d)
{
    if (!d->uvs || !d->texels) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "an alpha mask without coordinates or texels");
    }
    if (d->width < 1 || d->height < 1 || d->width > ALPHA_MOST || d->height > ALPHA_MOST) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "an alpha mask of %u by %u texels; 1 to 65536 are allowed",
                         d->width, d->height);
    }
    if ((d->uv_stride != 0 && d->uv_stride < 2 * sizeof(float)) || d->uv_stride % sizeof(float) != 0) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "a stride of %zu bytes between texture coordinates; it must be a multiple of 4 and at least 8",
                         d->uv_stride);
    }
    if ((unsigned)d->wrap > TACT_ALPHA_WRAP_CLAMP) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no way %d to wrap an alpha mask", (int)d->wrap);
    }
    const size_t step = d->texel_stride ? d->texel_stride : 1;
    if (step > SIZE_MAX / ALPHA_MOST / 2 || (d->row_stride != 0 && d->row_stride < (size_t)(d->width - 1) * step + 1)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "rows of an alpha mask overlap: %zu bytes from one to the next", d->row_stride);
    }
    if (mesh->kind != TACT_KIND_TRIANGLES) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "an alpha mask for a mesh that is not of triangles");
    }
    return TACT_OK;
}

/// A copy, all in one block of memory: the struct, coordinates, texels.
static tact_trace_alpha* copy_alpha(tact_env* env, const tact_scene_mesh* mesh, const tact_alpha_desc* d)
{
    TACT_ASSERT(d->width >= 1 && d->height >= 1);
    const uint64_t all = (uint64_t)d->width * d->height;
    if (all > SIZE_MAX / 2 || mesh->vertex_count > (SIZE_MAX / 2 - (size_t)all) / (2 * sizeof(float))) {
        tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: %zu texture coordinates and %u x %u texels",
                  mesh->vertex_count, d->width, d->height);
        return NULL;
    }
    const size_t texels = (size_t)all;
    const size_t uv_bytes = mesh->vertex_count * 2 * sizeof(float);
    char* memory = tact_allocate(env, sizeof(tact_trace_alpha) + uv_bytes + texels, 1);
    if (!memory) return NULL;
    tact_trace_alpha* alpha = (tact_trace_alpha*)(void*)memory;
    float* uvs = (float*)(void*)(memory + sizeof *alpha);
    uint8_t* image = (uint8_t*)(memory + sizeof *alpha + uv_bytes);
    const size_t uv_stride = d->uv_stride ? d->uv_stride : 2 * sizeof(float);
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        memcpy(uvs + 2 * i, (const char*)d->uvs + i * uv_stride, 2 * sizeof(float));
    const size_t step = d->texel_stride ? d->texel_stride : 1;
    const size_t row = d->row_stride ? d->row_stride : d->width * step;
    for (size_t y = 0; y < d->height; ++y) {
        for (size_t x = 0; x < d->width; ++x)
            image[y * d->width + x] = d->texels[y * row + x * step];
    }
    *alpha = (tact_trace_alpha){uvs, image, d->width, d->height, (uint32_t)d->wrap, d->threshold};
    return alpha;
}

tact_result tact_scene_set_alpha(tact_scene* scene, uint32_t id, const tact_alpha_desc* desc)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    tact_env* env = env_of(scene);
    if (id >= scene->mesh_count) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "an alpha mask for mesh %u, but there are %zu meshes", id,
                         scene->mesh_count);
    }
    tact_scene_mesh* mesh = &scene->meshes[id];
    tact_trace_alpha* alpha = NULL;
    if (desc) {
        const tact_result checked = check_alpha(env, mesh, desc);
        if (checked != TACT_OK) return checked;
        alpha = copy_alpha(env, mesh, desc);
        if (!alpha) return TACT_ERROR_OUT_OF_MEMORY;
    }
    if (!alpha && !mesh->alpha) return TACT_OK;
    if (alpha) ++scene->alpha_count;
    if (mesh->alpha) --scene->alpha_count;
    tact_release(env, mesh->alpha);
    mesh->alpha = alpha;
    // The tracers' view of it is made again.
    if (id < scene->trace_mesh_count) scene->trace_mesh_count = id;
    scene->alpha_changed = true;
    scene->committed = false;
    return TACT_OK;
}
