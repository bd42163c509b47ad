// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Generated sets of boxes and spheres, the same on every machine: for `pairs`, `verify`, `bench` and the tests.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/problem.h"
#include "tact/geometry/types.h"
#include "tact/pairs.h"

/// A kind of set. Boxes lie about the unit cube unless the summary says otherwise.
typedef struct tact_volume_scene {
    const char* name;
    const char* summary;
    void (*make)(size_t count, uint64_t seed, tact_aabb* boxes);
    /// More than about this many make more pairs than a test is to compare.
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

// Generated sets of boxes in the unit cube with one property chosen, for the sweeps of `tact bench pairs`.

/// Boxes each width of which is between 0.5 and 1.5 of the mean, and that overlap `overlaps` others each, but for those
/// at the cube's faces.
void tact_input_volumes_dense(size_t count, uint64_t seed, double overlaps, tact_aabb* boxes);

/// Cubes whose widths differ by up to `spread` : 1, the number of them falling with the square of the width, and that
/// overlap about four others each on average.
void tact_input_volumes_spread(size_t count, uint64_t seed, double spread, tact_aabb* boxes);

// The volumes a command works on: from a NumPy file or generated, all AABBs or all spheres, and where they are in each
// frame of a motion.

typedef struct tact_volume_input {
    tact_volume_kind kind;
    size_t count;
    tact_aabb* boxes;      ///< of AABBs; from malloc, like the next
    tact_sphere* spheres;  ///< of spheres
    bool generated;        ///< by a scene: moves as the tests move it
} tact_volume_input;

/// Most volumes that are generated.
#define TACT_VOLUME_INPUT_MOST UINT64_C(0x10000000)

/// Reads float32 (n, 6) boxes or (n, 4) spheres.
bool tact_volume_input_read(const char* path, tact_volume_kind kind, tact_volume_input* input, tact_problem* problem);

/// Makes a generated set of boxes.
bool tact_volume_input_make(const tact_volume_scene* scene, size_t count, uint64_t seed, tact_volume_input* input,
                            tact_problem* problem);

/// Turns boxes into the spheres inside them.
bool tact_volume_input_to_spheres(tact_volume_input* input, tact_problem* problem);

/// Where the volumes are in a frame; frame 0 is as given. Each has a speed of its own, up to `speed` of its largest
/// width a frame, and turns back at the faces of the unit cube, or of the box of all when they were read from a file.
/// `moved` is a set of the same count and kind.
bool tact_volume_input_move(const tact_volume_input* input, uint64_t seed, unsigned frame, double speed,
                            tact_volume_input* moved, tact_problem* problem);

/// Room for as many of the same kind.
bool tact_volume_input_like(const tact_volume_input* input, tact_volume_input* other, tact_problem* problem);

void tact_volume_input_free(tact_volume_input* input);

/// Makes an empty set of the kind, and fills one anew with all volumes.
tact_result tact_volume_input_create_set(const tact_volume_input* input, tact_context* context, tact_volumes** set);
tact_result tact_volume_input_fill_set(const tact_volume_input* input, tact_volumes* set);

/// Moves all volumes of a set that was filled with the input.
tact_result tact_volume_input_move_set(const tact_volume_input* input, tact_volumes* set);
