// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A scene that all ranks make alike, and the parts of it that they have when it is cut.

#include "apps/inputs/model.h"
#include "apps/inputs/rays.h"
#include "tests/ranks/ranks_run.h"

/// Which instances are of spheres, boxes or capsules in place of triangles.
typedef enum ranks_shapes {
    SHAPES_NONE,
    SHAPES_SOME,  ///< every fourth
    SHAPES_KEPT   ///< of these, those that are neither stretched nor sheared
} ranks_shapes;

typedef struct ranks_world {
    tact_model model;
    ranks_shapes shapes;
    tact_scene* scene;
    tact_bounds bounds;
} ranks_world;

/// The scene "instances" a few times over, the second time in its own place: many hits are the same there.
void ranks_world_make(const ranks_run* run, ranks_world* world, ranks_shapes shapes);
void ranks_world_free(ranks_world* world);

/// A scene of those instances for which `ids` has the numbers, in that order.
tact_scene* ranks_world_scene(const ranks_run* run, const ranks_world* world, const uint32_t* ids, size_t count);

/// A rank's part of the instances: `deal` DEAL_COUNT takes every so manieth, so that ids of the whole must be named.
/// `ids` has room for all.
tact_ranks_part ranks_world_part(const ranks_run* run, const ranks_world* world, int deal, uint32_t* ids);

/// Zeroed memory for `count` things and one more, to be freed.
void* ranks_room(const ranks_run* run, size_t count, size_t size);
