// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/ray_query.h"

#include <math.h>

double tact_ray_work(const tact_scene* scene, size_t count)
{
    return (double)count * (8.0 + 2.0 * log2((double)scene->primitive_total + 2.0)) * 1e-6;
}

// Rates of an ordinary desktop, in force until they are measured on the machine at hand.

double tact_ray_estimate_cpu(const tact_device_info* device, const tact_scene* scene, size_t count)
{
    // 5 ns of a thread for each visit, as incoherent rays take (3.5 to 6.4 by the table in docs/benchmarks.md). Rays
    // that go side by side take 0.4 to 1.9, but whether they do is not known before they are cast.
    return 0.01 + tact_ray_work(scene, count) * 5.0 / tact_dispatch_threads(device);
}

double tact_ray_estimate_software(const tact_scene* scene, size_t count)
{
    return 2.0 + tact_ray_work(scene, count) * 30.0;
}

tact_result tact_ray_check(const tact_scene* scene, const tact_ray_rules* rules)
{
    if (rules && (unsigned)rules->cull > TACT_RAY_CULL_FRONT) {
        return tact_fail(&scene->context->env, TACT_ERROR_INVALID_ARGUMENT, "no sides of number %d to cull",
                         (int)rules->cull);
    }
    return tact_scene_require_committed(scene);
}
