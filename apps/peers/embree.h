// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include "apps/peers/peers.h"

/// Embree 3: one rtcIntersect1 for each ray, robust mode, rays shared out over threads. Takes the meshes where they
/// are: instances that were moved are not for it.
bool tact_peer_embree(const tact_model* model, const tact_ray* rays, size_t count, int threads, uint64_t repeat,
                      tact_peer_result* result, tact_problem* problem);
