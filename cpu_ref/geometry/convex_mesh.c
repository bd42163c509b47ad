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
