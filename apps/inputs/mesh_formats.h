// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Readers of our own for OBJ, PLY and STL files in memory. Vertices and triangles are those, in the order, that
/// tact_mesh_file_read() tells; numbers in text are rounded to the nearest float. What a reader allocates is at most
/// some hundred times `size`, whatever the file announces. Errors begin with `name`, and give the line in text or the
/// byte in binary data. On failure the mesh is empty.

#include "apps/inputs/model.h"

typedef bool tact_mesh_parse(const void* bytes, size_t size, const char* name, tact_model_mesh* mesh,
                             tact_problem* problem);

/// Reads vertices (homogeneous ones are divided; colours are left out) and faces. Each corner of a face is a vertex of
/// its own; each `o` or `g` is a part. What else the format knows, such as curves and materials, is skipped.
tact_mesh_parse tact_mesh_obj_parse;

/// Reads text and binary files of either byte order: vertices as in the file, faces and triangle strips.
tact_mesh_parse tact_mesh_ply_parse;

/// Reads text (each solid is a part) and binary files. Each corner of a triangle is a vertex of its own.
tact_mesh_parse tact_mesh_stl_parse;
