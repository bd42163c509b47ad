// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/trace/ray_query.h"

#include <math.h>

#ifdef TACT_HAVE_GPU
#include "gpu/trace/raycast.h"
#endif

double tact_ray_work(const tact_scene* scene, size_t count)
{
    return (double)count * (8.0 + 2.0 * log2((double)scene->primitive_total + 2.0)) * 1e-6;
}

// Rates of an ordinary desktop, in force until they are measured on the machine at hand.

tact_cost tact_ray_cost_cpu(const tact_device_info* device, const tact_scene* scene, size_t count, const char* method,
                            double slower)
{
    // 5 ns of a thread for each visit, as incoherent rays take (3.5 to 6.4 by the table in docs/benchmarks.md). Rays
    // that go side by side take 0.4 to 1.9, but whether they do is not known before they are cast.
    const double work = tact_ray_work(scene, count) * 5.0 * slower / tact_dispatch_threads(device);
    return tact_cost_of(method, 0.01, work, 0.0, 0.0);
}

#ifdef TACT_HAVE_GPU

tact_cost tact_ray_cost_device(const tact_device_info* device, uint32_t index, const tact_scene* scene, size_t count,
                               const char* method, double passes, double found)
{
    // A GPU's work costs little beside moving rays in and hits out. A software device is a CPU with more overhead.
    const double rays = (double)count * (double)sizeof(tact_ray);
    const double bytes = rays + (double)tact_gpu_scene_missing(scene->resident[index], &scene->trace);
    const double work = tact_ray_work(scene, count) * passes;
    if (device->software) return tact_cost_of(method, 2.0, work * 30.0, bytes, found);
    return tact_cost_of(method, 0.15, work * 0.05, bytes, found);
}

#endif

const char* tact_ray_mode_name(tact_ray_mode mode)
{
    return mode == TACT_RAY_CLOSEST ? "closest" : mode == TACT_RAY_ANY ? "any" : "count";
}

tact_result tact_ray_check(const tact_scene* scene, const tact_ray_rules* rules)
{
    if (rules && (unsigned)rules->cull > TACT_RAY_CULL_FRONT) {
        return tact_fail(&scene->context->env, TACT_ERROR_INVALID_ARGUMENT, "no sides of number %d to cull",
                         (int)rules->cull);
    }
    return tact_scene_require_committed(scene);
}

void tact_ray_record(tact_record_call* call, tact_recorded_kind kind, tact_scene* scene, const tact_ray* rays,
                     size_t count, const tact_ray_rules* rules, const tact_query_options* options,
                     tact_query_report* report)
{
    const uint32_t* masks = rules ? rules->masks : NULL;
    const size_t each = sizeof *rays + (masks ? sizeof *masks : 0);
    tact_record_begin(call, scene->context, kind, options, report, count,
                      scene->context->recorder ? tact_record_sum(tact_record_scene_bytes(scene), count, each) : 0);
    if (call->number == 0) return;
    tact_record_scene(call, 0, scene);
    tact_record_array(call, 1, rays, sizeof *rays / 4, count);
    if (!rules) return;
    if (masks) tact_record_array(call, 2, masks, 1, count);
    tact_record_parameter(call, 1, rules->mask);
    tact_record_parameter(call, 2, (uint32_t)rules->cull);
    tact_record_parameter(call, 3, rules->ignore_alpha);
    if (rules->filter) tact_record_missing(call, "hits were filtered by the caller's function");
}
