// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A picture of what was picked: the view shaded, all else dimmed; what is picked in warm colours where it is seen,
/// hatched where it is picked though something is in front of it, outlined; and the region.

#include "apps/inputs/pick_input.h"

/// `scene` is of `input`; `region` what was asked for; `hidden`: show also what is not seen of the things picked.
typedef struct tact_pick_picture {
    const tact_pick_input* input;
    tact_scene* scene;
    tact_context* context;
    const tact_pick_view* view;
    const tact_pick_region* region;
    tact_pick_group group;
    bool hidden;
    const tact_pick* picks;
    size_t count;
} tact_pick_picture;

bool tact_picture_of_picks(const char* path, const tact_pick_picture* picture, tact_problem* problem);
