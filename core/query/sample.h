// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Sample work: made-up calls of a query, of any size, for calibration, for the measurement of regret and for tests.
/// The same at every call with the same seed, on every machine. Each query's row says what it is asked of; here is what
/// such have in common.

#include "core/query/request.h"
#include "tact/geometry/types.h"
#include "tact/raycast.h"

typedef struct tact_sample {
    tact_request request;
    const tact_query_sample* of;
    size_t size;
    uint64_t random;
} tact_sample;

/// Makes the scene, the arrays and what else a call needs. With a size below the smallest that is worth measuring, and
/// for features, meshes are small too. Errors: OUT_OF_MEMORY, and those of what it makes.
tact_result tact_sample_create(tact_context* context, const tact_query* query, const tact_query_sample* of, size_t size,
                               uint64_t seed, tact_sample** sample);
void tact_sample_destroy(tact_sample* sample);

/// One call.
tact_result tact_sample_ask(tact_sample* sample, const tact_query_options* options, tact_query_report* report);

// ---- For the rows ----

/// From 0 to 1.
float tact_sample_uniform(tact_sample* sample);

/// Somewhere in a cube of that half edge.
tact_vec3 tact_sample_place(tact_sample* sample, float half);
void tact_sample_pose(tact_sample* sample, float half, float pose[12]);

/// From within 1.5 towards a place within 1.
tact_ray tact_sample_ray(tact_sample* sample);

/// From a little above a mixed scene down.
tact_ray tact_sample_ray_down(tact_sample* sample);

/// By arithmetic that is the same on every machine, unlike the C library's.
float tact_sample_cube_root(float volume);

/// The rows of an input, `size` of them. NULL when out of memory.
void* tact_sample_rows(tact_sample* sample, int input, size_t bytes);

/// Boxes of edge 1, of which each overlaps some three others. NULL when out of memory.
tact_aabb* tact_sample_boxes(tact_sample* sample);

/// The view of a camera at the origin, as the planes of input 1: half of a cube of half edge 100.
void tact_sample_planes(tact_sample* sample);

/// `size` triangles within a cube of half edge 1 that cross each other, in surfaces[0]. OUT_OF_MEMORY.
tact_result tact_sample_soup(tact_sample* sample);

/// A sphere of radius 1 with bumps: 2 n (n - 1) triangles, in surfaces[0]. OUT_OF_MEMORY.
tact_result tact_sample_mesh(tact_sample* sample, uint32_t n);

/// A scene of that mesh, as input 0: one at the origin, or many within 100.
tact_result tact_sample_scene(tact_sample* sample, uint32_t n, size_t instances);

/// A scene of cubes as input 0, sheared, one removed, masked and moving each; with `shapes` also a mesh with holes,
/// spheres, boxes and capsules.
tact_result tact_sample_mixed_scene(tact_sample* sample, bool shapes);

/// A scene of cubes, and of spheres, boxes and capsules that are stretched, sheared and mirrored, as input 0.
tact_result tact_sample_bent_scene(tact_sample* sample);
