// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Generated scenes and rays, the same on every machine: for `verify`, `bench` and the tests.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/inputs/model.h"
#include "apps/inputs/rays.h"

/// A sphere of radius 1 about the origin: an icosahedron whose 20 faces are divided into four `levels` times
/// (20 * 4^levels triangles, at most 10 levels). Closed, counter-clockwise from outside, corners shared.
bool tact_mesh_icosphere(unsigned levels, tact_model_mesh* mesh, tact_problem* problem);

/// A landscape of side x side squares (2 side^2 triangles) over [-1, 1] x [-1, 1], height along y from hashed noise.
bool tact_mesh_terrain(unsigned side, uint64_t seed, tact_model_mesh* mesh, tact_problem* problem);

/// Long thin triangles, ten to a million times as long as wide, in [-1, 1]^3.
bool tact_mesh_needles(size_t count, uint64_t seed, tact_model_mesh* mesh, tact_problem* problem);

/// What meshes should not have and do: repeated corners, corners in one line, triangles that repeat others (also with
/// their corners turned or their side flipped), NaN, infinite and too large coordinates.
bool tact_mesh_degenerate(size_t count, uint64_t seed, tact_model_mesh* mesh, tact_problem* problem);

/// The named scenes that `verify` goes through.
typedef struct tact_test_scene {
    const char* name;
    bool (*make)(bool quick, tact_model* model, tact_problem* problem);
    uint64_t rays, quick_rays;  ///< for each set of rays, so that brute force stays affordable
} tact_test_scene;

extern const tact_test_scene tact_test_scenes[];
extern const size_t tact_test_scene_count;

/// Rays that break careless code, `count` of them, going round the kinds below and the scene's triangles: along axes
/// with zero and signed-zero components, from a surface, through a corner or the middle of an edge exactly, along an
/// edge, with tiny and huge directions, from far away, limited exactly at the hit, with tmin > tmax, with negative
/// tmin, with zero directions, with NaN and infinite parts.
void tact_rays_hard(const tact_model* model, const tact_bounds* bounds, uint64_t seed, uint64_t count, tact_ray* rays);
