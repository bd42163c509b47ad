// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A mesh as overlap queries see it.

#include "cpu_ref/overlap/wide.h"

/// The arrays are its own. A triangle is *there* if it is in the tree: no coordinate NaN, infinite or too large.
typedef struct tact_overlap_mesh {
    float* positions;  ///< tightly packed
    size_t vertex_count;
    uint32_t* indices;
    size_t triangle_count;    ///< those that are not there too
    tact_triangle_tree tree;  ///< two children, at most TACT_OVERLAP_LEAF triangles in a leaf: for devices
    tact_wide_tree wide;      ///< the same for the CPU
    float lower[3], upper[3];
    /// What tact_overlap_mesh_connect() finds out. Vertices are one if their coordinates are equal.
    bool connected;
    bool closed;  ///< each side of a triangle that is there is one of exactly one other, the other way round
    /// The lowest vertex of each set of triangles that are there and connected by vertices, ascending.
    uint32_t* parts;
    size_t part_count;
} tact_overlap_mesh;

enum { TACT_OVERLAP_LEAF = 4 };

/// Copies a mesh that has been checked. Errors: OUT_OF_MEMORY, LIMIT (2^29 triangles, 2^30 vertices); the mesh is then
/// empty.
tact_result tact_overlap_mesh_make(tact_env* env, int threads, const tact_mesh_desc* desc, tact_overlap_mesh* mesh);

/// Moves the vertices. The tree keeps its shape as long as the same triangles are there, else it is built anew. Errors:
/// OUT_OF_MEMORY; the mesh is then as before.
tact_result tact_overlap_mesh_move(tact_env* env, int threads, const float* positions, size_t stride,
                                   tact_overlap_mesh* mesh);

/// Finds what is closed and connected, if that is not known: what queries about solids ask. Errors: OUT_OF_MEMORY.
tact_result tact_overlap_mesh_connect(tact_env* env, tact_overlap_mesh* mesh);

/// A mesh of zeroes is allowed.
void tact_overlap_mesh_free(tact_env* env, tact_overlap_mesh* mesh);

uint64_t tact_overlap_mesh_bytes(const tact_overlap_mesh* mesh);
