// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/geometry/convex_mesh_internal.h"

#include <string.h>

void tact_convex_mesh_free(tact_convex_mesh* mesh)
{
    void* const arrays[] = {mesh->points, mesh->face_start, mesh->face_points, mesh->face_source, mesh->point_source};
    for (int i = 0; i < 5; ++i) {
        if (arrays[i]) mesh->allocator.release(arrays[i], mesh->allocator.user);
    }
    memset(mesh, 0, sizeof *mesh);
}

tact_hull tact_convex_mesh_hull(const tact_convex_mesh* mesh)
{
    return (tact_hull){.points = mesh->points,
                       .point_count = mesh->point_count,
                       .face_start = mesh->face_start,
                       .face_points = mesh->face_points,
                       .face_count = mesh->face_count};
}

tact_result tact_convex_mesh_finish(tact_convex_mesh* mesh, tact_result result)
{
    if (result < 0) tact_convex_mesh_free(mesh);
    return result;
}

bool tact_convex_mesh_reserve(tact_env* env, tact_convex_mesh* mesh, size_t points, size_t faces, size_t corners)
{
    TACT_ASSERT(points >= 4 && faces >= 4);
    mesh->points = tact_allocate(env, points, sizeof *mesh->points);
    mesh->face_start = tact_allocate(env, faces + 1, sizeof *mesh->face_start);
    mesh->face_points = tact_allocate(env, corners, sizeof *mesh->face_points);
    mesh->point_count = (uint32_t)points;
    mesh->face_count = (uint32_t)faces;
    return mesh->points && mesh->face_start && mesh->face_points;
}

tact_result tact_convex_mesh_of_hull(tact_env* env, const tact_hull_mesh* hull, size_t sites, tact_convex_mesh* mesh)
{
    const size_t corners = hull->triangle_count + 2 * hull->facet_count;
    uint32_t* number = tact_allocate(env, sites, sizeof *number);
    if (!number || !tact_convex_mesh_reserve(env, mesh, hull->vertex_count, hull->facet_count, corners)) {
        tact_release(env, number);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < hull->vertex_count; ++i)
        number[hull->vertices[i]] = (uint32_t)i;
    uint32_t used = 0;
    for (size_t f = 0; f < hull->facet_count; ++f) {
        mesh->face_start[f] = used;
        for (size_t c = 0; c < hull_facet_size(hull, f); ++c)
            mesh->face_points[used++] = number[hull_facet_corner(hull, f, c)];
    }
    TACT_ASSERT(used == corners);
    mesh->face_start[hull->facet_count] = used;
    mesh->kind = TACT_CONVEX_MESH_SOLID;
    tact_release(env, number);
    return TACT_OK;
}
