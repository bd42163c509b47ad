// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/trace/ray_query.h"

#include "core/query/sample.h"
#include "cpu_ref/trace/rules.h"

#ifdef TACT_HAVE_GPU
#include "gpu/trace/raycast.h"
#endif

double tact_ray_work(const tact_scene* scene, size_t count)
{
    return (double)count * scene->ray_visits * 1e-6;
}

// Rates of an ordinary desktop, in force until they are measured on the machine at hand.

tact_cost tact_ray_cost_cpu(const tact_device_info* device, const tact_scene* scene, size_t count, const char* method,
                            double slower)
{
    TACT_ASSERT(slower > 0.0);
    // 5 ns of a thread for each visit, as incoherent rays take (3.5 to 6.4 by the table in docs/benchmarks.md). Rays
    // that go side by side take 0.4 to 1.9, but whether they do is not known before they are cast.
    const double work = tact_ray_work(scene, count) * 5.0 * slower / tact_dispatch_threads(device);
    return tact_cost_of(method, 0.01, work, 0.0, 0.0);
}

#ifdef TACT_HAVE_GPU

tact_cost tact_ray_cost_device(const tact_device_info* device, uint32_t index, tact_scene* scene, size_t count,
                               const char* method, double passes, double found)
{
    // A GPU's work costs little beside moving rays in and hits out. A software device is a CPU with more overhead.
    tact_resident* kept = &scene->kept[TACT_SCENE_TREES][index];
    const double missing = (double)tact_gpu_scene_missing(kept->data, &scene->trace);
    const double bytes = (double)count * (double)sizeof(tact_ray) + missing;
    const double work = tact_ray_work(scene, count) * passes;
    tact_cost cost = device->software ? tact_cost_of(method, 2.0, work * 30.0, bytes, found)
                                      : tact_cost_of(method, 0.15, work * 0.05, bytes, found);
    tact_cost_stays(&cost, missing, kept, scene->trace.mesh_version + scene->trace.top_version);
    return cost;
}

#endif

const char* tact_ray_mode_name(tact_ray_mode mode)
{
    TACT_ASSERT((unsigned)mode <= TACT_RAY_COUNT);
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

tact_result tact_ray_check_work(const tact_scene* scene, const tact_raycast_work* w)
{
    tact_env* env = &scene->context->env;
    if ((unsigned)w->mode > TACT_RAY_COUNT) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no ray mode %d", (int)w->mode);
    }
    if ((unsigned)w->sort > TACT_RAY_SORT_NEVER) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no sort of rays %d", (int)w->sort);
    }
    if (w->occluded && (w->mode != TACT_RAY_ANY || w->hits || w->device_hits)) {
        return tact_fail(
            env, TACT_ERROR_INVALID_ARGUMENT,
            w->mode != TACT_RAY_ANY ? "occluded rays are not of mode %d" : "occluded rays and hits, in mode %d",
            (int)w->mode);
    }
    if (w->count > SIZE_MAX / sizeof(tact_ray)) return tact_fail(env, TACT_ERROR_LIMIT, "%zu rays", w->count);
    return tact_ray_check(scene, w->rules);
}

tact_call tact_ray_call(const tact_query* query, void* arguments, const tact_scene* scene, const tact_ray* rays,
                        size_t count, const tact_ray_rules* rules)
{
    tact_call call = {.context = scene->context,
                      .query = query,
                      .arguments = arguments,
                      .count = count,
                      .given = {{scene, 1}, {rays, count}}};
    if (!rules) return call;
    call.given[2] = (tact_given){rules->masks, rules->masks ? count : 0};
    call.parameters[1] = rules->mask;
    call.parameters[2] = (uint32_t)rules->cull;
    call.parameters[3] = rules->ignore_alpha;
    if (rules->accept) call.missing = "hits were accepted by the caller's function";
    if (!tact_trace_on_device(rules)) call.host_only = "only the CPU calls functions that accept hits";
    return call;
}

const tact_ray_rules* tact_ray_rules_of(const tact_request* r, tact_ray_rules* rules)
{
    *rules = (tact_ray_rules){.mask = r->parameters[1],
                              .masks = r->given[2].data,
                              .cull = (tact_ray_cull)r->parameters[2],
                              .ignore_alpha = r->parameters[3] != 0};
    return rules->mask || rules->masks || rules->cull != TACT_RAY_CULL_NONE || rules->ignore_alpha ? rules : NULL;
}

const char* tact_ray_check_request(const tact_request* r)
{
    return r->given[2].data && r->given[2].count != r->given[1].count ? "not a mask for each ray" : NULL;
}

tact_result tact_ray_sample(tact_sample* s, bool mixed)
{
    tact_ray* rays = tact_sample_rows(s, 1, sizeof *rays);
    if (!rays) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < s->size; ++i)
        rays[i] = mixed ? tact_sample_ray_down(s) : tact_sample_ray(s);
    return mixed ? tact_sample_mixed_scene(s, true) : tact_sample_scene(s, 64, 1);
}

tact_result tact_ray_sample_rules(tact_sample* s)
{
    uint32_t* masks = tact_sample_rows(s, 2, sizeof *masks);
    if (!masks) return TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < s->size; ++i)
        masks[i] = i % 3 ? 2 : 1;
    s->request.parameters[2] = TACT_RAY_CULL_BACK;
    return TACT_OK;
}
