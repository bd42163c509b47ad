// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Meshes from files of any format that the loader library reads.

#include <stdbool.h>

#include "apps/inputs/model.h"

struct aiScene;

/// Reads a file into one mesh: every part of the file, placed where the file's nodes put it, depth first in the file's
/// order; each node that holds triangles is one of the mesh's parts. Faces of more than three corners are triangulated;
/// points and lines are dropped and counted. A file without a triangle is an error.
bool tact_mesh_file_read(const char* path, tact_model_mesh* mesh, tact_problem* problem);

/// The same in a process of its own where the system has such (not on Windows): a loader that crashes or never ends on
/// a broken file is then an ordinary error.
bool tact_mesh_file_read_guarded(const char* path, tact_model_mesh* mesh, tact_problem* problem);

/// The second half of it: what the loader made, into one mesh. Distrusts every count, index and pointer.
bool tact_mesh_file_convert(const struct aiScene* scene, const char* name, tact_model_mesh* mesh,
                            tact_problem* problem);
