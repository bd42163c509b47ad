// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The top level of a scene: a tree over the instances that stay and one over those that move, under one root, so that
// who walks it sees one tree.

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "core/scene/scene.h"
#include "cpu_ref/trace/scene.h"

enum {
    GRAIN = 1 << 10,
    // The root lies above both.
    DEPTH = TACT_BVH8_MAX_TOP_DEPTH - 1,
    // Places of the wide roots: that of all, and behind it, since children that are nodes are neighbours, the parts'.
    WIDE_ROOTS = 1 + TACT_SCENE_PARTS
};

static tact_env* env_of(const tact_scene* scene)
{
    return &scene->context->env;
}

void tact_scene_touch(tact_scene* scene, uint32_t instance)
{
    TACT_ASSERT(instance < scene->instance_count && scene->dynamic[instance] < TACT_SCENE_PARTS);
    scene->parts[scene->dynamic[instance]].changed = true;
    scene->committed = false;
}

tact_result tact_scene_set_mask(tact_scene* scene, uint32_t instance, uint32_t mask)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    const tact_result known = tact_scene_check_instance(scene, instance);
    if (known != TACT_OK || scene->instances[instance].mask == mask) return known;
    scene->instances[instance].mask = mask;
    tact_scene_touch(scene, instance);
    return TACT_OK;
}

tact_result tact_scene_set_dynamic(tact_scene* scene, uint32_t instance, bool dynamic)
{
    if (!tact_enter(scene ? scene->context : NULL, "scene")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&scene->guard);
    const tact_result known = tact_scene_check_instance(scene, instance);
    const uint8_t part = dynamic ? TACT_SCENE_DYNAMIC : TACT_SCENE_STATIC;
    if (known != TACT_OK || scene->dynamic[instance] == part) return known;
    tact_scene_touch(scene, instance);
    scene->dynamic[instance] = part;
    tact_scene_touch(scene, instance);
    return TACT_OK;
}

static void free_part(tact_env* env, tact_scene_part* part)
{
    tact_bvh8_free(env, &part->wide);
}

void tact_scene_free_top(tact_scene* scene)
{
    tact_env* env = env_of(scene);
    for (int p = 0; p < TACT_SCENE_PARTS; ++p)
        free_part(env, &scene->parts[p]);
    tact_release(env, scene->wide_top);
    tact_release(env, scene->placed);
}

// ---- One part ----

/// Whether a matrix turns, mirrors and scales alike in all directions, but for 2^-18, by 2^-30 to 2^30.
static bool keeps_form(const float m[12])
{
    double dots[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            dots[i][k] = 0.0;
            for (int c = 0; c < 3; ++c)
                dots[i][k] += (double)m[4 * i + c] * (double)m[4 * k + c];
        }
    }
    const double scale2 = dots[0][0];
    if (!(scale2 >= 0x1p-60 && scale2 <= 0x1p60)) return false;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (!(fabs(dots[i][k] - (i == k ? scale2 : 0.0)) <= 0x1p-18 * scale2)) return false;
        }
    }
    return true;
}

typedef struct place_job {
    tact_scene* scene;
    const uint32_t* ids;
    uint8_t* good;
} place_job;

static void place_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const place_job* job = user;
    tact_scene* scene = job->scene;
    const float origin[3] = {0.0f, 0.0f, 0.0f};
    for (size_t i = begin; i < end; ++i) {
        const uint32_t id = job->ids[i];
        tact_trace_instance* instance = &scene->instances[id];
        TACT_ASSERT(id < scene->instance_count && instance->mesh < scene->mesh_count);
        const tact_scene_mesh* mesh = &scene->meshes[instance->mesh];
        TACT_ASSERT(mesh->built && !mesh->moved);
        const bool empty = mesh->bounds.lower[0] > mesh->bounds.upper[0];
        instance->wide_root = mesh->wide_root;
        instance->bent = instance->kind != TACT_KIND_TRIANGLES && !keeps_form(scene->matrices[id]);
        job->good[i] = tact_trace_place(instance, scene->matrices[id], empty ? origin : mesh->bounds.lower,
                                        empty ? origin : mesh->bounds.upper);
    }
}

/// Fills in the transforms and boxes of `count` instances.
static tact_result place_all(tact_scene* scene, const uint32_t* ids, size_t count)
{
    tact_env* env = env_of(scene);
    place_job job = {scene, ids, tact_allocate(env, count, 1)};
    if (!job.good) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(scene->context->threads, count, GRAIN, place_piece, &job);
    tact_result result = TACT_OK;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        if (job.good[i]) continue;
        result = tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                           "instance %u moves its mesh out of range (coordinates beyond 2^60)", ids[i]);
    }
    tact_release(env, job.good);
    return result;
}

/// The instances in `ids` whose mesh is not empty: their boxes, and what the part has to know of them all.
static size_t keep(const tact_scene* scene, const uint32_t* ids, size_t count, tact_build_reference* references,
                   tact_scene_part* part)
{
    size_t kept = 0;
    part->box = (tact_bvh_box){{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    part->has_shapes = part->has_bent = part->has_hidden = false;
    part->stretch = 1.0f;
    for (size_t i = 0; i < count; ++i) {
        const tact_trace_instance* instance = &scene->instances[ids[i]];
        const tact_scene_mesh* mesh = &scene->meshes[instance->mesh];
        if (mesh->bounds.lower[0] > mesh->bounds.upper[0]) continue;
        part->has_shapes = part->has_shapes || instance->kind != TACT_KIND_TRIANGLES;
        part->has_bent = part->has_bent || instance->bent != 0;
        part->has_hidden = part->has_hidden || instance->mask == 0;
        for (int k = 0; k < 3; ++k) {
            const float* row = instance->rows[k];
            const float sum = fabsf(row[0]) + fabsf(row[1]) + fabsf(row[2]);
            part->stretch = sum > part->stretch ? sum : part->stretch;
        }
        for (int k = 0; k < 3; ++k) {
            part->box.lower[k] = instance->lower[k] < part->box.lower[k] ? instance->lower[k] : part->box.lower[k];
            part->box.upper[k] = instance->upper[k] > part->box.upper[k] ? instance->upper[k] : part->box.upper[k];
        }
        references[kept++] = tact_build_reference_of(instance->lower, instance->upper, ids[i]);
    }
    TACT_ASSERT(kept <= count && part->stretch >= 1.0f);
    return kept;
}

static tact_result build_part(tact_scene* scene, int which)
{
    tact_env* env = env_of(scene);
    tact_scene_part* part = &scene->parts[which];
    free_part(env, part);
    part->count = 0;
    size_t count = 0;
    for (size_t i = 0; i < scene->instance_count; ++i)
        count += scene->instances[i].mesh != TACT_NONE && scene->dynamic[i] == which;
    uint32_t* ids = tact_allocate(env, count, sizeof *ids);
    tact_build_reference* references = tact_allocate(env, count, sizeof *references);
    tact_result result = ids && references ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        size_t n = 0;
        for (size_t i = 0; i < scene->instance_count; ++i) {
            if (scene->instances[i].mesh != TACT_NONE && scene->dynamic[i] == which) ids[n++] = (uint32_t)i;
        }
        TACT_ASSERT(n == count);
        result = place_all(scene, ids, count);
    }
    if (result == TACT_OK) {
        const tact_build_desc desc = {TACT_BUILD_MEDIUM, 1, DEPTH};
        part->count = keep(scene, ids, count, references, part);
        result = tact_bvh8_build(env, scene->context->threads, &desc, references, part->count, &part->wide);
        TACT_VALIDATE(result != TACT_OK || tact_bvh8_is_valid(&part->wide, &desc, references, part->count));
    }
    tact_release(env, ids);
    tact_release(env, references);
    part->builds += result == TACT_OK;
    return result;
}

// ---- Both under one root ----

static tact_result reserve_all(tact_scene* scene, size_t nodes, size_t placed)
{
    tact_env* env = env_of(scene);
    // What is there stays: it may be that of a part that has not changed.
    void *w = scene->wide_top, *p = scene->placed;
    bool grown =
        tact_reserve(env, &w, &scene->wide_top_capacity, scene->wide_top_count, nodes, sizeof *scene->wide_top);
    scene->wide_top = w;
    grown = grown && tact_reserve(env, &p, &scene->placed_capacity, scene->placed_count, placed, sizeof *scene->placed);
    scene->placed = p;
    return grown ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// Puts a part's root at its place among the roots and its other nodes from `at` on; slots begin with `slot`.
static void put_nodes(tact_scene* scene, int which, size_t at, size_t slot)
{
    const tact_bvh8* wide = &scene->parts[which].wide;
    TACT_ASSERT(at >= WIDE_ROOTS && at + wide->node_count - 1 <= scene->wide_top_capacity);
    for (size_t i = 0; i < wide->node_count; ++i) {
        tact_bvh8_node* node = &scene->wide_top[i == 0 ? 1 + (size_t)which : at + i - 1];
        *node = wide->nodes[i];
        // Node i of the part, the root apart, is place at + i - 1.
        node->node += (uint32_t)at - 1;
        node->slot += (uint32_t)slot;
    }
}

/// The root of all. Where one part is empty the other's root is that.
static void put_root(tact_scene* scene)
{
    const tact_scene_part* parts = scene->parts;
    tact_bvh8_node* root = &scene->wide_top[0];
    for (int p = 0; p < TACT_SCENE_PARTS; ++p) {
        if (parts[1 - p].count > 0) continue;
        *root = scene->wide_top[1 + p];
        return;
    }
    memset(root, 0, sizeof *root);
    TACT_ASSERT(parts[0].count > 0 && parts[1].count > 0);
    root->node = 1;
    tact_bvh_box boxes[TACT_SCENE_PARTS];
    for (int p = 0; p < TACT_SCENE_PARTS; ++p) {
        boxes[p] = parts[p].box;
        root->inner |= (uint8_t)(1u << p);
        root->meta[p] = (uint8_t)((unsigned)TACT_BVH8_INNER << 5 | (unsigned)p);
    }
    tact_bvh8_set_boxes(root, boxes, TACT_SCENE_PARTS);
}

/// Brings the parts from the first that has changed on to their places; those before it are there.
static tact_result join(tact_scene* scene)
{
    size_t nodes = WIDE_ROOTS, placed = 0;
    for (int p = 0; p < TACT_SCENE_PARTS; ++p) {
        nodes += scene->parts[p].wide.node_count - 1;
        placed += scene->parts[p].count;
    }
    const tact_result reserved = reserve_all(scene, nodes, placed);
    if (reserved != TACT_OK) return reserved;
    size_t at = WIDE_ROOTS, first = 0;
    bool move = false;
    for (int p = 0; p < TACT_SCENE_PARTS; ++p) {
        const tact_scene_part* part = &scene->parts[p];
        TACT_ASSERT(part->wide.node_count >= 1 && part->wide.count == part->count);
        move = move || part->changed;
        if (move) {
            put_nodes(scene, p, at, first);
            // Leaves hold one each, so no place is left free between them.
            for (size_t i = 0; i < part->count; ++i)
                scene->placed[first + i] = scene->instances[part->wide.order[i]];
        }
        at += part->wide.node_count - 1;
        first += part->count;
    }
    TACT_ASSERT(at == nodes && first == placed);
    scene->wide_top_count = nodes;
    scene->placed_count = placed;
    put_root(scene);
    return TACT_OK;
}

tact_result tact_scene_build_top(tact_scene* scene)
{
    TACT_ASSERT(scene->parts[TACT_SCENE_STATIC].changed || scene->parts[TACT_SCENE_DYNAMIC].changed);
    tact_result result = TACT_OK;
    for (int p = 0; p < TACT_SCENE_PARTS && result == TACT_OK; ++p) {
        if (scene->parts[p].changed) result = build_part(scene, p);
    }
    if (result == TACT_OK) result = join(scene);
    if (result != TACT_OK) return result;
    for (int p = 0; p < TACT_SCENE_PARTS; ++p)
        scene->parts[p].changed = false;
    return TACT_OK;
}

tact_result tact_scene_require_committed(const tact_scene* scene)
{
    if (scene->committed) return TACT_OK;
    return tact_fail(env_of(scene), TACT_ERROR_INVALID_ARGUMENT, "the scene has changes that are not committed");
}

tact_result tact_scene_refuse_shapes(const tact_scene* scene, const char* what)
{
    if (!scene->trace.has_shapes) return TACT_OK;
    return tact_fail(env_of(scene), TACT_ERROR_UNSUPPORTED,
                     "%s is of triangles, but the scene has instances of spheres, boxes or capsules", what);
}
