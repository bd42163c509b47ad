// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Boxes of objects in the world, without moving all of their vertices.

#include "cpu_ref/filter/filter.h"

/// A box for each of the job's objects that holds every triangle of it that can overlap anything, lower > upper where
/// there is none. Up to 2048 vertices are moved themselves. Of larger shapes, and of those that use a part of a buffer,
/// runs of triangles are, as they come in the file: some 256 runs, or of 32 triangles each. Their boxes are moved
/// instead of all vertices, which takes a fraction of the time where many objects are of one shape; the result is
/// larger by no more than a run is wide. Of shapes without vertices on the host `shape_boxes` has the box around all
/// that is finite. Errors: OUT_OF_MEMORY.
tact_result tact_filter_boxes(tact_env* env, const tact_filter_job* job, const tact_aabb* shape_boxes,
                              tact_aabb* boxes);
