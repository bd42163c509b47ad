// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A picture of culled boxes, seen from above.

#include "apps/problem.h"

typedef struct tact_cull_picture {
    const tact_aabb* boxes;  ///< or those around spheres
    size_t count;
    const uint32_t* kept;  ///< ids, ascending
    size_t kept_count;
    const tact_frustum* frustum;  ///< NULL: none
    const tact_aabb* against;
    size_t against_count;
    tact_aabb bounds;  ///< of what is shown, finite
} tact_cull_picture;

/// Writes a PNG file of `size` x `size` pixels: x to the right, z down, the culled boxes grey, the kept ones green, the
/// boxes culled against orange, the frustum's edges white.
bool tact_picture_of_culling(const char* path, const tact_cull_picture* picture, uint32_t size, tact_problem* problem);
