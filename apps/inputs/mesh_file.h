// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Meshes from files: OBJ, PLY and STL by readers of our own, all other formats by the Assimp library.

#include <stdbool.h>

#include "apps/inputs/mesh_formats.h"
#include "apps/inputs/model.h"

struct aiScene;

/// Reads a file, of the format that its name's ending says, or standard input ("-"), of that which its bytes say (OBJ,
/// PLY, STL, binary glTF), into one mesh: every part of the file, placed where the
/// file's nodes put it, depth first in the file's order; each node that holds triangles is one of the mesh's parts.
/// Faces of more than three corners are triangulated; points and lines are dropped and counted. A file without a
/// triangle is an error.
bool tact_mesh_file_read(const char* path, tact_model_mesh* mesh, tact_problem* problem);

/// The same, but what Assimp reads is read in a process of its own where the system has such (not on Windows). There,
/// time and (on Linux) memory are limited by the file's size: a file on which Assimp crashes, does not end or allocates
/// without bound is then an ordinary error. Our own readers run in this process; their time and memory are bounded by
/// the file's size as they are.
bool tact_mesh_file_read_guarded(const char* path, tact_model_mesh* mesh, tact_problem* problem);

/// True if a reader of our own reads files of this name.
bool tact_mesh_file_is_ours(const char* path);

/// Reads a file by Assimp, whatever its format, in this process.
bool tact_mesh_file_read_assimp(const char* path, tact_model_mesh* mesh, tact_problem* problem);

/// The second half of it: makes one mesh of what Assimp made. Distrusts every count, index and pointer.
bool tact_mesh_file_convert(const struct aiScene* scene, const char* name, tact_model_mesh* mesh,
                            tact_problem* problem);

/// A file that is there to be read.
typedef struct tact_mesh_source {
    const char* path;
    void* bytes;  ///< all of it, from malloc; NULL: Assimp opens it by its name
    size_t size;
    tact_mesh_parse* parse;  ///< a reader of our own, or NULL
    const char* format;      ///< what Assimp calls the format of the bytes, without a parser
} tact_mesh_source;

/// Reads a file's bytes, unless Assimp has to open it by its name.
bool tact_mesh_source_open(tact_mesh_source* source, const char* path, tact_problem* problem);
bool tact_mesh_source_read(const tact_mesh_source* source, tact_model_mesh* mesh, tact_problem* problem);
/// Reads it by tact_mesh_source_read(), or what stands for that, and shows how far it is when it takes long.
bool tact_mesh_source_read_shown(const tact_mesh_source* source,
                                 bool (*read)(const tact_mesh_source*, tact_model_mesh*, tact_problem*),
                                 tact_model_mesh* mesh, tact_problem* problem);
void tact_mesh_source_close(tact_mesh_source* source);
