// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What overlap of meshes means: every triangle of A against every moved triangle of B.

#include <string.h>

#include "cpu_ref/overlap/overlap.h"
#include "tact/geometry/containment.h"

void tact_overlap_list_free(tact_env* env, tact_overlap_list* list)
{
    tact_release(env, list->pairs);
    *list = (tact_overlap_list){0};
}

static tact_result add_pair(tact_env* env, tact_overlap_list* list, tact_mesh_pair pair)
{
    void* pairs = list->pairs;
    if (!tact_reserve(env, &pairs, &list->capacity, list->count, list->count + 1, sizeof *list->pairs)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    list->pairs = pairs;
    list->pairs[list->count++] = pair;
    return TACT_OK;
}

/// B in one pose: all its triangles, and whether each is there.
typedef struct moved {
    tact_triangle* triangles;
    bool* there;
    bool whole;  ///< no triangle of B is there that in this pose is not
} moved;

static void move_all(const tact_overlap_mesh* b, const float pose[12], moved* m)
{
    m->whole = true;
    for (size_t i = 0; i < b->triangle_count; ++i) {
        const tact_triangle t = tact_overlap_triangle(b, i);
        m->there[i] = tact_overlap_triangle_there(&t);
        if (!m->there[i]) continue;
        m->triangles[i] = tact_overlap_move(pose, &t);
        m->there[i] = tact_overlap_triangle_there(&m->triangles[i]);
        m->whole = m->whole && m->there[i];
    }
}

static tact_result cancelled(tact_env* env)
{
    return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled");
}

/// All pairs of one pose; the first one alone when `any` is not NULL, where it is told.
static tact_result search(tact_env* env, const tact_overlap_job* job, size_t pose, const moved* m, bool* any,
                          tact_overlap_list* list)
{
    TACT_ASSERT(any || list);
    tact_result result = TACT_OK;
    const size_t count = job->a->triangle_count;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        const double done = ((double)pose + (double)i / (double)count) / (double)job->pose_count;
        if (job->progress && i % 64 == 0 && !job->progress(done, job->progress_user)) return cancelled(env);
        const tact_triangle a = tact_overlap_triangle(job->a, i);
        if (!tact_overlap_triangle_there(&a)) continue;
        for (size_t j = job->self ? i + 1 : 0; j < job->b->triangle_count && result == TACT_OK; ++j) {
            if (!m->there[j]) continue;
            if (job->self && tact_overlap_share_place(&a, &m->triangles[j])) continue;
            if (!tact_triangle_overlaps_triangle(&a, &m->triangles[j])) continue;
            if (any) {
                *any = true;
                return TACT_OK;
            }
            result = add_pair(env, list, (tact_mesh_pair){(uint32_t)pose, (uint32_t)i, (uint32_t)j});
        }
    }
    return result;
}

static tact_result moved_begin(tact_env* env, const tact_overlap_mesh* b, moved* m)
{
    m->triangles = tact_allocate(env, b->triangle_count, sizeof *m->triangles);
    m->there = tact_allocate(env, b->triangle_count, sizeof *m->there);
    return m->triangles && m->there ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static void moved_end(tact_env* env, moved* m)
{
    tact_release(env, m->triangles);
    tact_release(env, m->there);
}

tact_result tact_overlap_pairs_reference(tact_env* env, const tact_overlap_job* job, tact_overlap_list* list)
{
    moved m;
    tact_result result = moved_begin(env, job->b, &m);
    list->count = 0;
    for (size_t p = 0; p < job->pose_count && result == TACT_OK; ++p) {
        move_all(job->b, job->poses[p], &m);
        result = search(env, job, p, &m, NULL, list);
    }
    moved_end(env, &m);
    return result;
}

/// The triangles of a mesh that are there, as a mesh of their own for tact_mesh_locate().
typedef struct surface {
    tact_vec3* corners;
    uint32_t* indices;
    uint32_t count;
} surface;

static tact_result surface_begin(tact_env* env, const tact_overlap_mesh* mesh, surface* s)
{
    s->count = (uint32_t)mesh->tree.triangle_count;
    s->corners = tact_allocate(env, s->count, 3 * sizeof *s->corners);
    s->indices = tact_allocate(env, s->count, 3 * sizeof *s->indices);
    if (!s->corners || !s->indices) return TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < 3 * s->count; ++i)
        s->indices[i] = i;
    return TACT_OK;
}

static void surface_end(tact_env* env, surface* s)
{
    tact_release(env, s->corners);
    tact_release(env, s->indices);
}

static void surface_fill(const tact_overlap_mesh* mesh, const moved* m, surface* s)
{
    uint32_t n = 0;
    for (size_t i = 0; i < mesh->triangle_count; ++i) {
        const tact_triangle t = m ? m->triangles[i] : tact_overlap_triangle(mesh, i);
        if (m ? !m->there[i] : !tact_overlap_triangle_there(&t)) continue;
        memcpy(s->corners + 3 * (size_t)n++, &t, sizeof t);
        TACT_ASSERT(n <= s->count);
    }
}

/// Whether some part of `mesh`, moved where a pose is given, is inside the surface.
static bool some_part_inside(const tact_overlap_mesh* mesh, const float* pose, const surface* s)
{
    for (size_t i = 0; i < mesh->part_count; ++i) {
        const float* v = mesh->positions + 3 * (size_t)mesh->parts[i];
        tact_vec3 p = {v[0], v[1], v[2]};
        if (pose) p = tact_overlap_move_point(pose, p);
        if (tact_mesh_locate(s->corners, s->indices, s->count, p, NULL) == TACT_POINT_INSIDE) return true;
    }
    return false;
}

static tact_mesh_relation relate(const tact_overlap_job* job, size_t pose, const moved* m, surface* a, surface* b)
{
    TACT_ASSERT(job->a->connected && job->b->connected);
    if (!m->whole) return TACT_MESHES_APART;
    if (job->b->closed) {
        surface_fill(job->b, m, b);
        if (some_part_inside(job->a, NULL, b)) return TACT_MESHES_A_INSIDE;
    }
    if (job->a->closed) {
        surface_fill(job->a, NULL, a);
        if (some_part_inside(job->b, job->poses[pose], a)) return TACT_MESHES_B_INSIDE;
    }
    return TACT_MESHES_APART;
}

tact_result tact_overlap_relations_reference(tact_env* env, const tact_overlap_job* job, bool solid, uint8_t* relations)
{
    moved m;
    surface a, b;
    tact_result result = moved_begin(env, job->b, &m);
    const tact_result made_a = surface_begin(env, job->a, &a), made_b = surface_begin(env, job->b, &b);
    if (made_a != TACT_OK || made_b != TACT_OK) result = TACT_ERROR_OUT_OF_MEMORY;
    for (size_t p = 0; p < job->pose_count && result == TACT_OK; ++p) {
        bool any = false;
        move_all(job->b, job->poses[p], &m);
        result = search(env, job, p, &m, &any, NULL);
        relations[p] = TACT_MESHES_INTERSECT;
        if (!any) relations[p] = (uint8_t)(solid ? relate(job, p, &m, &a, &b) : TACT_MESHES_APART);
    }
    surface_end(env, &a);
    surface_end(env, &b);
    moved_end(env, &m);
    return result;
}
