// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/closest.h"

#include "cpu_ref/trace/near_walk.h"
#include "kernels/closest_point.h"

typedef struct search {
    tact_near_walk walk;  // first, since that is what triangles are given to
    float x, y, z;
    TactClosest best;
    uint32_t instance, primitive;
    float a[3], b[3], c[3];  // the best triangle's corners
} search;

static void gap_keys(const tact_near_walk* walk, const tact_near_boxes* boxes, float keys[TACT_BVH8_WIDTH])
{
    const search* s = (const search*)walk;
    const float x = s->x, y = s->y, z = s->z;
    for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
        keys[i] = tact_box_gap2(x, y, z, boxes->lower[0][i], boxes->lower[1][i], boxes->lower[2][i], boxes->upper[0][i],
                                boxes->upper[1][i], boxes->upper[2][i]);
    }
}

static void take(tact_near_walk* walk, const tact_trace_instance* in, float gate, uint32_t primitive, const float a[3],
                 const float b[3], const float c[3])
{
    search* s = (search*)walk;
    const uint32_t instance = in->id;
    const TactClosest r = tact_triangle_closest(s->x, s->y, s->z, a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2],
                                                gate, walk->limit);
    if (!(r.d2 <= walk->limit)) return;
    if (r.d2 == walk->limit && !(instance < s->instance || (instance == s->instance && primitive < s->primitive))) {
        return;
    }
    walk->limit = r.d2;
    s->best = r;
    s->instance = instance;
    s->primitive = primitive;
    memcpy(s->a, a, sizeof s->a);
    memcpy(s->b, b, sizeof s->b);
    memcpy(s->c, c, sizeof s->c);
}

static void write_hit(const search* s, const tact_closest_query* q, tact_closest_hit* hit)
{
    memset(hit, 0, sizeof *hit);
    hit->instance = s->instance;
    hit->primitive = s->primitive;
    memcpy(&hit->distance, &q->max_distance, sizeof hit->distance);  // a NaN keeps its bits
    if (s->instance == TACT_NONE) return;
    const float u = s->best.u, v = s->best.v;
    hit->distance = tact_sqrt(s->best.d2);
    hit->u = u;
    hit->v = v;
    hit->x = tact_closest_at(s->a[0], s->b[0], s->c[0], u, v);
    hit->y = tact_closest_at(s->a[1], s->b[1], s->c[1], u, v);
    hit->z = tact_closest_at(s->a[2], s->b[2], s->c[2], u, v);
}

static search start(const tact_closest_job* job, const tact_closest_query* q)
{
    const float limit2 = tact_closest_limit2(q->x, q->y, q->z, q->max_distance);
    search s = {.walk = {job->scene, limit2}, .x = q->x, .y = q->y, .z = q->z};
    s.instance = s.primitive = TACT_NONE;
    return s;
}

static void reference_piece(const void* user, size_t begin, size_t end)
{
    const tact_closest_job* job = user;
    for (size_t i = begin; i < end; ++i) {
        search s = start(job, &job->queries[i]);
        if (s.walk.limit >= 0.0f) tact_near_walk_every(&s.walk, gap_keys, take);
        write_hit(&s, &job->queries[i], &job->hits[i]);
    }
}

static void cpu_piece(const void* user, size_t begin, size_t end)
{
    const tact_closest_job* job = user;
    for (size_t i = begin; i < end; ++i) {
        search s = start(job, &job->queries[i]);
        if (s.walk.limit >= 0.0f) tact_near_walk_scene(&s.walk, gap_keys, take);
        write_hit(&s, &job->queries[i], &job->hits[i]);
    }
}

tact_result tact_closest_reference(tact_env* env, const tact_closest_job* job)
{
    return tact_batch_run(env, &job->batch, reference_piece, job, 256, 4);
}

tact_result tact_closest_cpu(tact_env* env, const tact_closest_job* job)
{
    return tact_batch_run(env, &job->batch, cpu_piece, job, (size_t)1 << 18, 256);
}
