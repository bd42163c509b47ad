// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What all calls that cast rays share: costs for the dispatcher, and checks.

#include "core/query/ask.h"
#include "core/scene/scene.h"
#include "tact/raycast.h"

/// Expected visits of nodes and triangles, in millions.
double tact_ray_work(const tact_scene* scene, size_t count);

/// What a cast of `count` rays costs. `slower`: than casting for the closest hit.
tact_cost tact_ray_cost_cpu(const tact_device_info* device, const tact_scene* scene, size_t count, const char* method,
                            double slower);

#ifdef TACT_HAVE_GPU
/// `passes`: how often the rays are cast. `found`: bytes that come back.
tact_cost tact_ray_cost_device(const tact_device_info* device, uint32_t index, tact_scene* scene, size_t count,
                               const char* method, double passes, double found);
#endif

/// A mode, as the cost model names it.
const char* tact_ray_mode_name(tact_ray_mode mode);

/// Fails unless the scene is committed and the rules, which may be NULL, are such. Errors: INVALID_ARGUMENT.
tact_result tact_ray_check(const tact_scene* scene, const tact_ray_rules* rules);

/// The same of all numbers of a work; not of its arrays. Errors: INVALID_ARGUMENT, LIMIT.
tact_result tact_ray_check_work(const tact_scene* scene, const tact_raycast_work* work);

/// Casts rays and does not wait for a device, unless no ticket is asked for (core/trace/raycast_submit.c).
tact_result tact_raycast_submit(tact_scene* scene, const tact_raycast_work* work, const tact_query_options* options,
                                tact_query_report* report);

/// Casts rays of which an array, or two, lie on a device (core/trace/raycast_submit.c).
tact_result tact_raycast_on_device(tact_scene* scene, const tact_raycast_work* work, const tact_query_options* options,
                                   tact_query_report* report);

/// A call that casts rays. Parameters: 0 and from 4 on are the caller's; 1 the mask, 2 the sides to cull, 3 whether
/// alpha is ignored. `rules` may be NULL.
tact_call tact_ray_call(const tact_query* query, void* arguments, const tact_scene* scene, const tact_ray* rays,
                        size_t count, const tact_ray_rules* rules);

struct tact_request;
struct tact_sample;

/// The rules of a request, in `rules`; NULL for none, which are answered in another way.
const tact_ray_rules* tact_ray_rules_of(const struct tact_request* request, tact_ray_rules* rules);

/// For rows: whether there is a mask for each ray.
const char* tact_ray_check_request(const struct tact_request* request);

/// Rays against one mesh, or a mixed scene. OUT_OF_MEMORY.
tact_result tact_ray_sample(struct tact_sample* sample, bool mixed);

/// A mask for each ray and one side to cull. OUT_OF_MEMORY.
tact_result tact_ray_sample_rules(struct tact_sample* sample);

/// The inputs of such calls.
// clang-format off
#define TACT_RAY_INPUTS                                           \
    {{.type = TACT_CHUNK_SCENE},                                  \
     {TACT_CHUNK_ARRAY, false, "rays", 8, TACT_RECORDED_FLOATS},  \
     {TACT_CHUNK_ARRAY, true, "masks", 1, TACT_RECORDED_WORDS}}
// clang-format on
