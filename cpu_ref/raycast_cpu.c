// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace_walk.h"

typedef struct cast {
    tact_trace_walk walk;  // first, since that is what hits are given to
    tact_hit best;
    uint32_t count;
} cast;

static void take_closest(tact_trace_walk* walk, uint32_t instance, uint32_t primitive, const TactTriangleHit* h)
{
    cast* c = (cast*)walk;
    if (!tact_trace_closer(h->t, instance, primitive, &c->best)) return;
    c->best = (tact_hit){instance, primitive, h->t, h->u, h->v};
    walk->limit = h->t;
}

static void take_any(tact_trace_walk* walk, uint32_t instance, uint32_t primitive, const TactTriangleHit* h)
{
    (void)instance;
    (void)primitive;
    (void)h;
    walk->done = true;
}

static void take_count(tact_trace_walk* walk, uint32_t instance, uint32_t primitive, const TactTriangleHit* h)
{
    (void)instance;
    (void)primitive;
    (void)h;
    ++((cast*)walk)->count;
}

static void cast_piece(const tact_trace_job* job, size_t begin, size_t end)
{
    static tact_trace_take_fn* const take[] = {take_closest, take_any, take_count};
    for (size_t i = begin; i < end; ++i) {
        const tact_ray* ray = &job->rays[i];
        cast c = {.walk = {job->scene, ray, ray->tmax, false, take[job->mode]}};
        tact_trace_miss(ray, &c.best);
        tact_trace_walk_all(&c.walk);
        switch (job->mode) {
            case TACT_RAY_CLOSEST:
                job->hits[i] = c.best;
                break;
            case TACT_RAY_ANY:
                job->hits[i] = c.walk.done ? (tact_hit){0} : c.best;
                break;
            case TACT_RAY_COUNT:
                job->hits[i] = (tact_hit){.primitive = c.count};
                break;
        }
    }
}

tact_result tact_raycast_cpu(tact_env* env, const tact_trace_job* job)
{
    return tact_trace_batch(env, job, cast_piece, (size_t)1 << 18, 256);
}
