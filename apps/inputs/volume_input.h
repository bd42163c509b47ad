// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The volumes a command works on: from a NumPy file or generated, all AABBs or all spheres, and where they are in each
/// frame of a motion.

#include "apps/inputs/volumes.h"
#include "tact/pairs.h"

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
