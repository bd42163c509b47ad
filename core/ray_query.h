// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What all calls that cast rays share: estimates for the dispatcher, and checks.

#include "core/dispatch.h"
#include "core/record.h"
#include "core/scene.h"
#include "tact/raycast.h"

/// Expected visits of nodes and triangles, in millions.
double tact_ray_work(const tact_scene* scene, size_t count);

/// Expected milliseconds of a cast of `count` rays, one hit each, on the CPU, and on a device that is software.
double tact_ray_estimate_cpu(const tact_device_info* device, const tact_scene* scene, size_t count);
double tact_ray_estimate_software(const tact_scene* scene, size_t count);

/// Fails unless the scene is committed and the rules, which may be NULL, are such. Errors: INVALID_ARGUMENT.
tact_result tact_ray_check(const tact_scene* scene, const tact_ray_rules* rules);

/// Begins to record a cast. Parameters: 0 is the caller's; 1 the mask, 2 the sides to cull, 3 whether alpha is ignored.
void tact_ray_record(tact_record_call* call, tact_recorded_kind kind, tact_scene* scene, const tact_ray* rays,
                     size_t count, const tact_ray_rules* rules, const tact_query_options* options,
                     tact_query_report* report);
