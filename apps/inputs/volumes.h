// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Generated sets of boxes and spheres, the same on every machine: for `pairs`, `verify`, `bench` and the tests.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/problem.h"
#include "tact/geometry/types.h"

/// A kind of set. Boxes lie about the unit cube unless the summary says otherwise.
typedef struct tact_volume_scene {
    const char* name;
    const char* summary;
    void (*make)(size_t count, uint64_t seed, tact_aabb* boxes);
    /// More than about this many make more pairs than a test wants to look at.
    size_t most;
} tact_volume_scene;

extern const tact_volume_scene tact_volume_scenes[];
extern const size_t tact_volume_scene_count;

/// The scene of this name, or NULL.
const tact_volume_scene* tact_volume_scene_named(const char* name);

/// Boxes in the unit cube, each width between 0.5 and 1.5 of the mean, that overlap about four others each: the scene
/// "uniform", and what `tact pairs --random` makes.
void tact_input_volumes_uniform(size_t count, uint64_t seed, tact_aabb* boxes);

/// The sphere inside each box: its middle, and half its least width.
void tact_input_volumes_to_spheres(const tact_aabb* boxes, size_t count, tact_sphere* spheres);

/// The boxes of frame `frame` of a moving set: each has a speed of its own, up to `speed` of the largest width of its
/// box a frame, and turns back at the faces of the unit cube. A box that is not finite does not move.
void tact_input_volumes_move(const tact_aabb* boxes, size_t count, uint64_t seed, unsigned frame, double speed,
                             tact_aabb* moved);
