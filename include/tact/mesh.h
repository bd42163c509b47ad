// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file mesh.h
/// A triangle mesh with its trees, which several queries share and which is held once: tested against others
/// (mesh_overlap.h), attached to scenes (tact_scene_attach_mesh()), described to other functions
/// (tact_mesh_get_desc()).

#include "tact/scene.h"

/// A triangle mesh with its trees.
typedef struct tact_mesh tact_mesh;

/// Creates a mesh from a copy of the arrays. The tree for the queries of mesh_overlap.h is built by the first of them.
/// Triangles with a vertex that is NaN, infinite or beyond TACT_MAX_COORDINATE are kept in the numbering and overlap
/// nothing. An empty mesh is allowed. Errors: INVALID_ARGUMENT (an index past the vertices: the detail says which),
/// LIMIT (more than 2^29 triangles or 2^30 vertices), OUT_OF_MEMORY.
TACT_API tact_result tact_mesh_create(tact_context* context, const tact_mesh_desc* desc, tact_mesh** mesh);

/// Destroys a mesh and what it holds on devices. Scenes that it is attached to keep its vertices until they are
/// destroyed, before or after it. NULL is allowed.
TACT_API void tact_mesh_destroy(tact_mesh* mesh);

/// Moves the vertices, `count` of them as when the mesh was made, `stride` bytes apart (0: 12). A scene that the mesh
/// is attached to takes them with its next commit; until then its results are those of the last commit. The mesh's own
/// tree keeps its shape and its boxes are fitted again, in time linear in the number of triangles; after large
/// deformations create the mesh again. Where triangles begin or cease to be skipped, the tree is built again. Results
/// depend on the vertices alone. Errors: INVALID_ARGUMENT (another count, a stride that is no multiple of 4),
/// OUT_OF_MEMORY; the mesh is then as before.
TACT_API tact_result tact_mesh_move_vertices(tact_mesh* mesh, const float* positions, size_t count, size_t stride);

/// Facts about a mesh.
typedef struct tact_mesh_info {
    uint64_t vertices, triangles;  ///< as given
    uint64_t skipped_triangles;    ///< those that overlap nothing: a vertex is NaN, infinite or too large
    uint64_t nodes;                ///< of its tree
    uint32_t depth;                ///< of its tree
    /// Each side of a triangle that is not skipped is a side of exactly one other, which runs along it the other way,
    /// and there are triangles. Vertices with equal coordinates are one; triangles of which two corners are one do not
    /// count.
    bool closed;
    double build_ms;           ///< of the tree, or of the last fitting
    uint64_t memory_bytes;     ///< held on the host: vertices and indices, its own trees, those kept for scenes
    float lower[3], upper[3];  ///< of what is not skipped; lower > upper when that is nothing
    uint64_t reserved[4];      ///< zeros: room for fields to come
} tact_mesh_info;

/// Gets facts about a mesh. The first call after a mesh was created or moved builds the tree, if there is none, and
/// determines `closed`. Errors: OUT_OF_MEMORY.
TACT_API tact_result tact_mesh_get_info(const tact_mesh* mesh, tact_mesh_info* info);

/// Describes the mesh by its own arrays, for functions that take a description: the filter, particles. They are
/// read-only and valid until the mesh is moved or destroyed. Errors: INVALID_ARGUMENT (NULL).
TACT_API tact_result tact_mesh_get_desc(const tact_mesh* mesh, tact_mesh_desc* desc);

/// Adds a mesh to a scene as tact_scene_add_mesh() does, but copies nothing: the vertices are held once, however many
/// scenes it is attached to, and for each quality the tree is built by the first commit and copied by the others, while
/// the vertices stay and the mesh is not destroyed. Results are those of a mesh of the scene's own. Moved vertices
/// (tact_mesh_move_vertices()) are taken by the next commit, as with TACT_UPDATE_AUTO; tact_scene_update_mesh() refuses
/// the mesh. Quality and alpha mask are the scene's own. Errors: INVALID_ARGUMENT (NULL, a mesh of another context),
/// LIMIT, OUT_OF_MEMORY; the scene is then as before.
TACT_API tact_result tact_scene_attach_mesh(tact_scene* scene, tact_mesh* source, uint32_t* mesh);
