// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A picture of one or two sets of volumes and how crowded they are.

#include "apps/inputs/volume_input.h"

typedef struct tact_pairs_picture {
    const tact_volume_input* a;
    const tact_volume_input* b;  ///< NULL: pairs within a
    const tact_pair* pairs;
    size_t pair_count;
} tact_pairs_picture;

/// Writes a PNG file: the volumes' boxes as seen from +z, x to the right and y up, coloured by how many others each
/// overlaps, from blue (none) over green to red (the most), lighter where many lie over each other. A few far away are
/// left outside. Takes time proportional to the volumes and pairs, whatever the volumes' size.
bool tact_pairs_picture_write(const char* path, const tact_pairs_picture* picture, tact_problem* problem);
