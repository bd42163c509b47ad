// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/mesh_formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/polygon.h"

bool tact_array_grow(void** items, size_t count, size_t* room, size_t size)
{
    if (count < *room) return true;
    const size_t larger = count + count / 2 + 16;
    if (larger > SIZE_MAX / size) return false;
    void* moved = realloc(*items, larger * size);
    if (!moved) return false;
    *items = moved;
    *room = larger;
    return true;
}

bool tact_faces_add(tact_faces* faces, tact_face_kind kind, size_t corners, size_t place)
{
    if (!tact_array_grow((void**)&faces->items, faces->count, &faces->room, sizeof *faces->items)) return false;
    faces->items[faces->count++] = (tact_face){.place = place, .corners = (uint32_t)corners, .kind = kind};
    return true;
}

void tact_faces_free(tact_faces* faces)
{
    free(faces->items);
    free(faces->corners);
    *faces = (tact_faces){0};
}

bool tact_faces_none(const char* name, uint64_t dropped, tact_problem* problem)
{
    return tact_problem_set(problem, "%s: holds no triangle (%" PRIu64 " other faces)", name, dropped);
}

/// One call's state.
typedef struct triangulation {
    const tact_faces* faces;
    tact_model_mesh* mesh;
    tact_polygon_cutter cutter;
    bool fans;  ///< the mesh has polygons of more than three corners, so that triangles may have to be turned
    const char* name;
    tact_problem* problem;
} triangulation;

static bool cut(triangulation* t, const tact_face* face, const uint32_t* corners)
{
    tact_model_mesh* mesh = t->mesh;
    uint32_t* triangles = mesh->indices + 3 * mesh->triangle_count;
    if (face->corners == 3 && !t->fans) {
        memcpy(triangles, corners, 3 * sizeof *triangles);
        ++mesh->triangle_count;
        return true;
    }
    size_t made = 0;
    const tact_polygon_result result =
        tact_polygon_cut(&t->cutter, mesh->positions, corners, face->corners, triangles, &made);
    mesh->triangle_count += made;
    mesh->dropped_faces += result == TACT_POLYGON_NOT_SIMPLE;
    mesh->recut_faces = t->cutter.recut;
    if (result == TACT_POLYGON_NO_MEMORY) return tact_problem_out_of_memory(t->problem, t->name);
    if (result != TACT_POLYGON_TOO_MUCH) return true;
    return tact_problem_set(t->problem,
                            "%s: %s %zu: a face of %" PRIu32 " corners takes too long to cut into triangles", t->name,
                            t->faces->unit, face->place, face->corners);
}

static bool cut_range(triangulation* t, const tact_face_range* range)
{
    size_t corner = range->corner;
    for (size_t i = 0; i < range->count; ++i) {
        const tact_face* face = &t->faces->items[range->face + i];
        if (face->kind == TACT_FACE_POLYGON && face->corners >= 3) {
            if (!cut(t, face, t->faces->corners + corner)) return false;
        } else if (face->kind == TACT_FACE_POLYGON) {
            ++t->mesh->dropped_faces;
        } else {
            t->mesh->dropped_faces += face->corners - (face->kind == TACT_FACE_LINES);
        }
        corner += face->corners;
    }
    return true;
}

bool tact_faces_triangulate(const tact_faces* faces, const tact_face_range* ranges, size_t range_count, size_t* made,
                            size_t size, const char* name, tact_model_mesh* mesh, tact_problem* problem)
{
    triangulation t = {.faces = faces, .mesh = mesh, .name = name, .problem = problem};
    // About a second, and enough for a convex polygon of 16,000 corners.
    t.cutter.work = (UINT64_C(1) << 28) + 64 * (uint64_t)size;
    uint64_t most = 0;
    for (size_t i = 0; i < faces->count; ++i) {
        const tact_face* face = &faces->items[i];
        if (face->kind != TACT_FACE_POLYGON || face->corners < 3) continue;
        most += face->corners - 2;
        t.fans |= face->corners > 3;
    }
    if (most > UINT32_MAX) return tact_problem_set(problem, "%s: more than 2^32 triangles", name);
    if (most > SIZE_MAX / 12) return tact_problem_out_of_memory(problem, name);
    mesh->indices = malloc((size_t)most * 12 + 1);
    if (!mesh->indices) return tact_problem_out_of_memory(problem, name);
    bool good = true;
    for (size_t i = 0; good && i < range_count; ++i) {
        const size_t before = mesh->triangle_count;
        good = cut_range(&t, &ranges[i]);
        if (made) made[i] = mesh->triangle_count - before;
    }
    tact_polygon_free(&t.cutter);
    if (good && mesh->triangle_count == 0) return tact_faces_none(name, mesh->dropped_faces, problem);
    return good;
}
