// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file scene.h
/// A scene: triangle meshes and instances of them. One frame, right-handed by habit (nothing depends on it), any unit.

#include "tact/context.h"

typedef struct tact_scene tact_scene;

/// Stands for "no instance", "no primitive".
#define TACT_NONE 0xffffffffu

/// Coordinates may be as large as this in magnitude (2^60). A triangle with a vertex beyond it, or with a NaN or
/// infinite one, is kept in the numbering but never hit; tact_scene_stats counts them.
#define TACT_MAX_COORDINATE 1152921504606846976.0f

/// A triangle mesh. The arrays are copied.
typedef struct tact_mesh_desc {
    const float* positions;  ///< x y z of each vertex
    size_t vertex_count;
    size_t position_stride;   ///< bytes from one vertex to the next; 0: tightly packed (12)
    const uint32_t* indices;  ///< three per triangle; NULL: vertices 0 1 2, 3 4 5, ...
    size_t triangle_count;    ///< primitive ids are 0 to triangle_count - 1; at most 2^30 in a scene
} tact_mesh_desc;

/// Makes an empty scene. Errors: OUT_OF_MEMORY.
TACT_API tact_result tact_scene_create(tact_context* context, tact_scene** scene);

/// Destroys a scene and what it holds on devices. NULL is allowed.
TACT_API void tact_scene_destroy(tact_scene* scene);

/// Adds a mesh, which is not hit until an instance of it is added. An empty mesh is allowed. Takes effect with the
/// next tact_scene_commit(). Errors: INVALID_ARGUMENT (an index past the vertices: the detail says which), LIMIT,
/// OUT_OF_MEMORY; the scene is then as before.
TACT_API tact_result tact_scene_add_mesh(tact_scene* scene, const tact_mesh_desc* desc, uint32_t* mesh);

/// Adds an instance of a mesh. `object_to_world` is a 3 x 4 matrix in row-major order (rotation, scale and shear in the
/// first three columns, translation in the last); NULL is the identity. Instance ids count from 0 in order of adding,
/// but an id that was removed is given out again, the smallest first.
/// Errors: INVALID_ARGUMENT (no such mesh; matrix not finite or not invertible), LIMIT, OUT_OF_MEMORY.
TACT_API tact_result tact_scene_add_instance(tact_scene* scene, uint32_t mesh, const float object_to_world[12],
                                             uint32_t* instance);

/// Moves an instance. Only the top level is built again by the next commit. Errors: INVALID_ARGUMENT.
TACT_API tact_result tact_scene_move_instance(tact_scene* scene, uint32_t instance, const float object_to_world[12]);

/// Removes an instance; its id is then free, and may come again with the next one that is added. Takes effect with the
/// next commit, which only builds the top level again. Errors: INVALID_ARGUMENT (no such instance, or removed before).
TACT_API tact_result tact_scene_remove_instance(tact_scene* scene, uint32_t instance);

/// Builds what has changed: one bounding volume hierarchy for each new mesh, one over the instances. Uses the
/// context's threads; the trees do not depend on how many. Errors: OUT_OF_MEMORY (the scene stays uncommitted).
TACT_API tact_result tact_scene_commit(tact_scene* scene);

/// Facts about a committed scene.
typedef struct tact_scene_stats {
    uint64_t meshes, instances;
    uint64_t triangles;          ///< of all meshes, each counted once
    uint64_t skipped_triangles;  ///< of these, never hit: a vertex is NaN, infinite or too large
    uint64_t nodes;              ///< of all trees
    uint32_t depth;              ///< of the deepest mesh tree
    double sah_cost;             ///< surface area heuristic of the largest mesh's tree (node 1, triangle 1)
    double build_ms;             ///< of the last commit
    uint64_t memory_bytes;       ///< host memory of the trees and triangles
    float lower[3], upper[3];    ///< world bounds of what can be hit; lower > upper when that is nothing
} tact_scene_stats;

/// Errors: INVALID_ARGUMENT (not committed).
TACT_API tact_result tact_scene_get_stats(const tact_scene* scene, tact_scene_stats* stats);
