// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The faces of a file while it is read, and what becomes of them: triangles.

#include "apps/inputs/model.h"

typedef enum tact_face_kind {
    TACT_FACE_POLYGON,
    TACT_FACE_LINES,  ///< from each corner to the next
    TACT_FACE_POINTS,
} tact_face_kind;

typedef struct tact_face {
    size_t place;  ///< the line, or the byte, that it stands in
    uint32_t corners;
    tact_face_kind kind;
} tact_face;

/// All zero: none. Arrays are from malloc and grow with what is added.
typedef struct tact_faces {
    tact_face* items;
    size_t count, room;
    uint32_t* corners;  ///< numbers of vertices, of all faces one after the other
    size_t corner_count, corner_room;
    const char* unit;  ///< of places: "line" or "byte"
} tact_faces;

/// Makes room in an array from malloc for one more item. False: memory ran out.
bool tact_array_grow(void** items, size_t count, size_t* room, size_t size);

/// Adds a corner to the face that will be added next.
static inline bool tact_faces_corner(tact_faces* faces, uint32_t vertex)
{
    if (faces->corner_count == faces->corner_room &&
        !tact_array_grow((void**)&faces->corners, faces->corner_count, &faces->corner_room, sizeof *faces->corners)) {
        return false;
    }
    faces->corners[faces->corner_count++] = vertex;
    return true;
}

/// Adds a face of the last so many corners.
bool tact_faces_add(tact_faces* faces, tact_face_kind kind, size_t corners, size_t place);

void tact_faces_free(tact_faces* faces);

/// Faces that follow each other.
typedef struct tact_face_range {
    size_t face, corner;  ///< the first of each
    size_t count;         ///< faces
} tact_face_range;

/// Allocates the mesh's triangles and fills them from the faces of each range in turn. `mesh` has its positions; every
/// corner is one of its vertices. `made[i]`, unless NULL, receives the number of triangles of range i. Lines, points
/// and what cannot be cut are counted in `dropped_faces`. `size` is the file's; the work for cutting polygons is
/// bounded by it. A mesh without a triangle is an error. On failure the mesh keeps what it has.
bool tact_faces_triangulate(const tact_faces* faces, const tact_face_range* ranges, size_t range_count, size_t* made,
                            size_t size, const char* name, tact_model_mesh* mesh, tact_problem* problem);

/// The error for a mesh without a triangle. Returns false.
bool tact_faces_none(const char* name, uint64_t dropped, tact_problem* problem);
