// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Walks over whole trees, for TACT_VALIDATE (base/asserts.h).

#include "cpu_ref/trace/scene.h"

/// Whether a tree is what its builder was asked for: every reference in one leaf and no other primitive in any, leaves
/// within blocks, links in range, no node reached twice or never, depth as it is told and within the limit, and every
/// child's box around all references under it.
bool tact_bvh8_is_valid(const tact_bvh8* wide, const tact_build_desc* desc, const tact_build_reference* references,
                        size_t count);

/// The same of a mesh's tree in the arrays of a scene: every triangle or shape in range in one leaf, with the numbers
/// that the mesh has, and within the boxes above it, padded as the definition of a ray cast asks.
bool tact_trace_mesh_is_valid(const tact_trace_scene* scene, const tact_trace_mesh* mesh);

/// The same of the tree over instances: each with a mesh that is not empty in one leaf, as it is by id.
bool tact_trace_top_is_valid(const tact_trace_scene* scene);
