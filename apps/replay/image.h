// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Pictures of recorded queries.

#include "apps/problem.h"

/// Draws what query `index` was asked of, seen by the camera of `tact raycast --rays camera:WxH`, or by the view that
/// it has. Over it are, by the library's debug drawing: up to 500 rays, points or spheres with what they find; found
/// volumes, triangles and contacts in orange; culled volumes faintly, and the planes; ways of particles; the region of
/// a pick. A problem for a query without its arrays, or a view that is empty or of over 4096 pixels either way.
bool tact_replay_image(tact_recording* recording, size_t index, const tact_recorded_query* query, tact_context* context,
                       const char* path, tact_problem* problem);
