// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Convex parts of a mesh as files: each as a mesh, and all as one body for `tact contacts --bodies`.

#include "apps/json_out.h"
#include "tact/geometry/mesh_decompose.h"

/// Writes FOLDER/part-0001.obj and so on, and FOLDER/bodies.json. A folder that has more parts is refused.
bool tact_mesh_parts_write(const tact_decomposition* decomposition, const char* folder, tact_problem* problem);

void tact_mesh_parts_to_json(const tact_decomposition* decomposition, const char* folder, cJSON* to);
