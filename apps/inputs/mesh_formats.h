// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Text in memory, line by line and word by word. Lines end with LF, CR LF or CR; the text needs no terminator.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/inputs/model.h"
#include "apps/timing.h"

/// A text and the line that is read.
typedef struct tact_lines {
    const char *next, *end;  ///< what follows this line
    const char *at, *stop;   ///< what is left of this line
    const char* begin;       ///< of the text
    size_t line;             ///< its number, from one
    bool returns;            ///< the text has a CR
} tact_lines;

void tact_lines_begin(tact_lines* lines, const void* bytes, size_t size);

/// What shows how far in their text lines are, from time to time; NULL: nothing.
void tact_lines_watch(tact_waiting* waiting);

/// Goes to the next line. False at the end.
bool tact_lines_next(tact_lines* lines);

/// Skips blanks within the line. False at its end.
bool tact_lines_skip_blanks(tact_lines* lines);

/// Takes the next word of the line and returns its size, 0 at the line's end.
size_t tact_lines_word(tact_lines* lines, const char** word);

/// True where a word ends: a blank, or the line's end.
bool tact_lines_at_gap(const tact_lines* lines);

bool tact_text_is(const char* word, size_t size, const char* same);

/// Copies a text for people: ends at a zero byte or where `room` does; a control character, or what is no character of
/// UTF-8, becomes a question mark.
void tact_text_copy(const char* from, size_t size, char* to, size_t room);

// Numbers in text that has an end but no terminator, the same in every locale.

/// Reads a decimal number and rounds it to the nearest float, ties to even: digits with a point or, as some exporters
/// write it, a comma among, before or after them, and an exponent; or `nan`, `inf`, `infinity` in any case; each with a
/// sign or without. `*at` moves behind it. False, and `*at` stays, where there is none. Too large numbers are infinite.
bool tact_number_float(const char** at, const char* end, float* value);

/// Reads a whole number with a sign or without. One beyond 2^62 becomes 2^62 with that sign. `*at` moves behind it.
/// False, and `*at` stays, where there is none.
bool tact_number_integer(const char** at, const char* end, int64_t* value);

// The faces of a file while it is read, and what becomes of them: triangles.

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

// Readers of our own for OBJ, PLY and STL files in memory. Vertices and triangles are those, in the order, that
// tact_mesh_file_read() tells; numbers in text are rounded to the nearest float. What a reader allocates is at most
// some hundred times `size`, whatever the file announces. Errors begin with `name`, and give the line in text or the
// byte in binary data. On failure the mesh is empty.

typedef bool tact_mesh_parse(const void* bytes, size_t size, const char* name, tact_model_mesh* mesh,
                             tact_problem* problem);

/// Reads vertices (homogeneous ones are divided; colours are left out) and faces. Each corner of a face is a vertex of
/// its own; each `o` or `g` is a part. What else the format knows, such as curves and materials, is skipped.
tact_mesh_parse tact_mesh_obj_parse;

/// Reads text and binary files of either byte order: vertices as in the file, faces and triangle strips.
tact_mesh_parse tact_mesh_ply_parse;

/// Reads text (each solid is a part) and binary files. Each corner of a triangle is a vertex of its own.
tact_mesh_parse tact_mesh_stl_parse;

/// Whether bytes are a binary STL file: as many as it says.
bool tact_mesh_stl_is_binary(const void* bytes, size_t size);
