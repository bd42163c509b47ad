// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/image/image.h"

#include <string.h>

#include "tact/geometry/mesh_report.h"

// Copies of what is not laid out as reports want it. NULL: the body's own.
typedef struct packed {
    tact_vec3* positions;
    uint32_t* indices;
} packed;

static tact_result pack(tact_env* env, const tact_image_body* body, packed* p)
{
    p->positions = tact_allocate(env, body->mesh.vertex_count, sizeof *p->positions);
    if (!p->positions) return TACT_ERROR_OUT_OF_MEMORY;
    const size_t stride = body->mesh.position_stride ? body->mesh.position_stride : 12;
    for (size_t i = 0; i < body->mesh.vertex_count; ++i)
        memcpy(&p->positions[i], (const char*)body->mesh.positions + i * stride, sizeof p->positions[i]);
    if (body->mesh.indices) return TACT_OK;
    p->indices = tact_allocate(env, 3 * body->mesh.triangle_count, sizeof *p->indices);
    if (!p->indices) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < 3 * body->mesh.triangle_count; ++i)
        p->indices[i] = (uint32_t)i;
    return TACT_OK;
}

static const char* plural(uint64_t count, const char* one, const char* many)
{
    return count == 1 ? one : many;
}

static tact_result judge(tact_env* env, const tact_mesh_report* r, const char* name)
{
    if (r->bad_triangles > 0) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "object %s has %llu %s with a vertex that is not finite or not there", name,
                         (unsigned long long)r->bad_triangles, plural(r->bad_triangles, "triangle", "triangles"));
    }
    if (r->boundary_edges > 0) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "object %s is open: %llu %s only one triangle", name,
                         (unsigned long long)r->boundary_edges, plural(r->boundary_edges, "edge has", "edges have"));
    }
    if (r->non_manifold_edges > 0) {
        return tact_fail(
            env, TACT_ERROR_INVALID_ARGUMENT, "object %s is not one surface: %llu %s more than two triangles", name,
            (unsigned long long)r->non_manifold_edges, plural(r->non_manifold_edges, "edge has", "edges have"));
    }
    return TACT_OK;
}

tact_result tact_image_check_closed(tact_env* env, const tact_image_body* body, const char* name, bool* once)
{
    *once = false;
    if (body->closed || !body->mesh.positions || body->mesh.device_positions || body->mesh.device_indices)
        return TACT_OK;
    if (body->mesh.triangle_count == 0 || body->mesh.vertex_count == 0) return TACT_OK;
    packed p = {NULL, NULL};
    tact_mesh_report report;
    tact_result result = pack(env, body, &p);
    if (result == TACT_OK) {
        const tact_mesh_view view = {p.positions, body->mesh.vertex_count,
                                     body->mesh.indices ? body->mesh.indices : p.indices, body->mesh.triangle_count};
        result = tact_mesh_report_make(&view, &env->allocator, &report);
        if (result != TACT_OK)
            result = tact_fail(env, result, "the test whether object %s is closed failed: %s", name,
                               tact_result_string(result));
    }
    if (result == TACT_OK) {
        result = judge(env, &report, name);
        *once = report.closed && report.oriented;
    }
    tact_release(env, p.positions);
    tact_release(env, p.indices);
    return result;
}
