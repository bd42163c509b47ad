// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a mesh.

#include "core/context/context.h"
#include "core/context/guard.h"
#include "core/context/residents.h"
#include "cpu_ref/overlap/overlap_mesh.h"
#include "cpu_ref/overlap/separation_tree.h"
#include "cpu_ref/trace/scene.h"
#include "tact/mesh.h"

/// The tree of scenes, as it was built: what those that attach the mesh copy into their arrays.
typedef struct tact_mesh_scene_tree {
    tact_bvh8 wide;  ///< zeroes: not built
    tact_trace_bounds bounds;
    uint32_t built_on;  ///< the device that built it; 0: the CPU
} tact_mesh_scene_tree;

struct tact_mesh {
    tact_context* context;
    tact_guard guard;
    TACT_ATOMIC(size_t) holders;  ///< the caller, and each mesh of a scene that it is attached as
    bool destroyed;               ///< the caller holds it no longer
    bool counted;                 ///< for tact_scene_get_stats()
    tact_overlap_mesh shape;      ///< its trees are built when they are first needed
    double build_ms;
    uint64_t version;                      ///< counts moves of the vertices, so that what was made of them can tell
    tact_separation_tree apart;            ///< for separation, built when first needed
    uint64_t apart_version;                ///< the version that they are of
    tact_resident kept[TACT_MAX_DEVICES];  ///< what each device keeps for this mesh
    tact_mesh_scene_tree scene_trees[TACT_MESH_HIGH + 1];  ///< by quality, of the vertices as they are
};

/// Builds the trees for queries about meshes, unless they are there. Errors: OUT_OF_MEMORY.
tact_result tact_mesh_need_trees(tact_mesh* mesh);

/// Finds out which triangles share edges, and whether the mesh is closed, unless that is known. OUT_OF_MEMORY.
tact_result tact_mesh_need_neighbours(tact_mesh* mesh);

/// Takes a holder away; the last one frees the mesh.
void tact_mesh_let_go(tact_mesh* mesh);

/// Host memory of the vertices and indices.
static inline uint64_t tact_mesh_copy_bytes(const tact_mesh* mesh)
{
    return ((uint64_t)mesh->shape.vertex_count + mesh->shape.triangle_count) * 12;
}
