// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Boxes for `tact bench geometry --only volumes`, which peers hold too.

#include "apps/bench/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TACT_TREE_BOXES = 65536 };

typedef struct tact_tree_boxes {
    tact_aabb boxes[TACT_TREE_BOXES];
    tact_aabb asked[TACT_GEOMETRY_COUNT];  ///< boxes to search in
    tact_vec3 points[TACT_GEOMETRY_COUNT];
    tact_ray rays[TACT_GEOMETRY_COUNT];
    tact_aabb moved[TACT_GEOMETRY_COUNT];  ///< where every sixteenth box moves to
} tact_tree_boxes;

void tact_tree_boxes_make(tact_tree_boxes* data);

#ifdef __cplusplus
}
#endif
