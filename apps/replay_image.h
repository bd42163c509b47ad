// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Pictures of recorded queries.

#include "apps/problem.h"

/// Draws what query `index` was asked of, seen by the camera of `tact raycast --rays camera:WxH`, and over it, by the
/// library's debug drawing, the first 500 rays, points or spheres with what they find, or the bounds of instances.
/// Volumes and meshes in poses are drawn as they are. Particles, oriented boxes and k-DOPs are not drawn: a problem.
bool tact_replay_image(const tact_recording* recording, size_t index, const tact_recorded_query* query,
                       tact_context* context, const char* path, tact_problem* problem);
