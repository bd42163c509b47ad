// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A scene as the tool keeps it: triangle meshes and instances of them, from files or generated.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/problem.h"

/// What one node of a file holds: neighbouring triangles, and the vertices that they alone use.
typedef struct tact_model_part {
    size_t first_vertex, vertex_count;
    size_t first_triangle, triangle_count;  ///< not zero
    char name[64];  ///< as the loader library tells it, or empty; UTF-8 without control characters, a long one cut
} tact_model_part;

/// Arrays from malloc. `positions` has three floats for each vertex, `indices` three numbers for each triangle.
typedef struct tact_model_mesh {
    float* positions;
    size_t vertex_count;
    uint32_t* indices;
    size_t triangle_count;
    tact_model_part* parts;  ///< of a file; generated meshes have none
    size_t part_count;
    uint64_t dropped_faces;  ///< points, lines and faces that could not be triangulated in the file it came from
    uint64_t recut_faces;    ///< polygons whose ears overlap, so that they were cut in another way
} tact_model_mesh;

typedef struct tact_model_instance {
    uint32_t mesh;
    bool moved;           ///< false: the identity, which adds no rounding
    float transform[12];  ///< object to world, 3 x 4 in row-major order
} tact_model_instance;

typedef struct tact_model {
    tact_model_mesh* meshes;
    size_t mesh_count;
    tact_model_instance* instances;
    size_t instance_count;
} tact_model;

/// Adds a mesh, whose arrays the model takes (also when it fails: they are then freed).
bool tact_model_add_mesh(tact_model* model, tact_model_mesh* mesh, tact_problem* problem);

/// `transform` NULL: the identity.
bool tact_model_add_instance(tact_model* model, uint32_t mesh, const float transform[12], tact_problem* problem);

/// The mesh as the library takes it.
tact_mesh_desc tact_model_mesh_desc(const tact_model_mesh* mesh);

void tact_model_mesh_free(tact_model_mesh* mesh);
void tact_model_free(tact_model* model);

uint64_t tact_model_triangles(const tact_model* model);

/// The corners of a triangle in the world, in double precision.
void tact_model_corners(const tact_model* model, size_t instance, size_t triangle, double corners[3][3]);

/// Makes and commits the library's scene of a model.
bool tact_model_build(const tact_model* model, tact_context* context, tact_scene** scene, tact_scene_stats* stats,
                      tact_problem* problem);
