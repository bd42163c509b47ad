// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Oriented boxes for the subtrees of a mesh's tree. Axis-aligned ones say nothing of which way a surface faces, so how
/// far apart two pieces of surface are is known to their own size only; oriented ones are thin where surfaces are flat.

#include "cpu_ref/overlap/overlap_mesh.h"

/// center + x axis[0] + y axis[1] + z axis[2], with x, y, z in [-1, 1], and 2^-22 spread more: holds all triangles of a
/// subtree.
typedef struct tact_separation_volume {
    float center[3], axis[3][3];
    float reach;   ///< no coordinate of the triangles or of the box is larger
    float spread;  ///< sum of the axes' lengths, or a little more
    float unused[2];
} tact_separation_volume;

_Static_assert(sizeof(tact_separation_volume) == 64, "one line of cache");

/// Two for each node: of child `side` of node n at 2 n + side.
typedef struct tact_separation_volumes {
    tact_separation_volume* volumes;
    size_t count;
} tact_separation_volumes;

/// The same for every number of threads. OUT_OF_MEMORY; `volumes` is then empty.
tact_result tact_separation_volumes_make(tact_env* env, int threads, const tact_triangle_tree* tree,
                                         tact_separation_volumes* volumes);

/// Zeroes are allowed.
void tact_separation_volumes_free(tact_env* env, tact_separation_volumes* volumes);
