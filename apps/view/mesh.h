// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Meshes as the viewer draws them.

#include "apps/inputs/model.h"

/// Three of a triangle. 16 bytes.
typedef struct tact_view_vertex {
    float position[3];
    uint32_t normal;  ///< three times ten bits, signed; 0: not known
} tact_view_vertex;

/// The corners of a mesh's triangles, 3 * triangle_count of them. Normals are smooth where neighbours meet at less than
/// some 50 degrees, neighbours being triangles with a corner at the same place. Triangles that are not finite become
/// points.
bool tact_view_mesh_vertices(const tact_model_mesh* mesh, tact_view_vertex* vertices, tact_problem* problem);
