// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/closest.h"

#include "cpu_ref/trace/closest_found.h"
#include "kernels/sphere_cast_shape.h"

typedef struct search {
    tact_near_walk walk;  // first, since that is what triangles are given to
    TactSphereCast cast;
    uint32_t instance, primitive;
    float a[3], b[3], c[3];             // the best triangle's corners
    const tact_trace_shape* shape;      // the best, NULL: a triangle
    const tact_trace_instance* placed;  // of the best shape
    const tact_trace_instance* gated;   // the instance whose interval is `gate`
    TactInterval gate;
} search;

static void enter_keys(const tact_near_walk* walk, const tact_near_boxes* boxes, float keys[TACT_BVH8_WIDTH])
{
    const search* s = (const search*)walk;
    for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
        const TactInterval in =
            tact_sphere_interval(s->cast, boxes->lower[0][i], boxes->lower[1][i], boxes->lower[2][i],
                                 boxes->upper[0][i], boxes->upper[1][i], boxes->upper[2][i]);
        keys[i] = in.enter <= in.leave && in.leave >= s->cast.tmin ? in.enter : INFINITY;
    }
}

static void enter_gate(search* s, const tact_trace_instance* in)
{
    TACT_ASSERT(in->id < s->walk.scene->by_id_count);
    if (s->gated == in) return;
    s->gated = in;
    s->gate = tact_sphere_interval(s->cast, in->lower[0], in->lower[1], in->lower[2], in->upper[0], in->upper[1],
                                   in->upper[2]);
}

/// Whether a touch comes before the best so far, which it then takes the place of.
static bool comes_first(search* s, TactSphereHit h, uint32_t instance, uint32_t primitive)
{
    if (!h.hit) return false;
    if (!(h.t < s->walk.limit) && !(instance < s->instance || (instance == s->instance && primitive < s->primitive))) {
        return false;
    }
    s->walk.limit = h.t;
    s->instance = instance;
    s->primitive = primitive;
    return true;
}

static void take(tact_near_walk* walk, const tact_trace_instance* in, float gate, uint32_t primitive, const float a[3],
                 const float b[3], const float c[3])
{
    (void)gate;
    search* s = (search*)walk;
    enter_gate(s, in);
    const TactSphereHit h = tact_sphere_triangle(s->cast, a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2],
                                                 s->gate.enter, s->gate.leave, walk->limit);
    if (!comes_first(s, h, in->id, primitive)) return;
    s->shape = NULL;
    memcpy(s->a, a, sizeof s->a);
    memcpy(s->b, b, sizeof s->b);
    memcpy(s->c, c, sizeof s->c);
}

static void take_shape(tact_near_walk* walk, const tact_trace_instance* in, float gate, const tact_trace_shape* shape)
{
    (void)gate;
    search* s = (search*)walk;
    TACT_ASSERT(in->kind != TACT_KIND_TRIANGLES);
    enter_gate(s, in);
    const tact_trace_scene* scene = walk->scene;
    const TactSphereHit h = tact_sphere_shape(
        s->cast, tact_trace_shape_of(shape), in->kind, tact_closest_row(scene, in, 0), tact_closest_row(scene, in, 1),
        tact_closest_row(scene, in, 2), s->gate.enter, s->gate.leave, walk->limit);
    if (!comes_first(s, h, in->id, shape->primitive)) return;
    s->shape = shape;
    s->placed = in;
}

static TactSphereContact contact_of(const search* s)
{
    const float t = s->walk.limit;
    if (!s->shape) {
        return tact_sphere_contact(s->cast, s->a[0], s->a[1], s->a[2], s->b[0], s->b[1], s->b[2], s->c[0], s->c[1],
                                   s->c[2], t);
    }
    const tact_trace_scene* scene = s->walk.scene;
    return tact_sphere_shape_contact(s->cast, tact_trace_shape_of(s->shape), s->placed->kind,
                                     tact_closest_row(scene, s->placed, 0), tact_closest_row(scene, s->placed, 1),
                                     tact_closest_row(scene, s->placed, 2), t);
}

static void write_hit(const search* s, const tact_sphere_cast* q, tact_sphere_hit* hit)
{
    TACT_ASSERT((s->instance == TACT_NONE) == (s->primitive == TACT_NONE));
    tact_sphere_write_none(q, hit);
    if (s->instance == TACT_NONE) return;
    hit->instance = s->instance;
    hit->primitive = s->primitive;
    hit->t = s->walk.limit;
    const TactSphereContact k = contact_of(s);
    hit->x = k.x;
    hit->y = k.y;
    hit->z = k.z;
    hit->nx = k.nx;
    hit->ny = k.ny;
    hit->nz = k.nz;
}

static search start(const tact_sphere_job* job, const tact_sphere_cast* q)
{
    const tact_ray* r = &q->ray;
    search s = {.walk = {job->scene, r->tmax, take_shape}, .instance = TACT_NONE, .primitive = TACT_NONE};
    s.cast = tact_sphere_cast_of(r->ox, r->oy, r->oz, r->tmin, r->dx, r->dy, r->dz, r->tmax, q->radius);
    return s;
}

static void reference_piece(const void* user, size_t begin, size_t end)
{
    const tact_sphere_job* job = user;
    TACT_ASSERT(end <= job->batch.count);
    for (size_t i = begin; i < end; ++i) {
        search s = start(job, &job->casts[i]);
        if (s.cast.valid) tact_near_walk_every(&s.walk, enter_keys, take);
        write_hit(&s, &job->casts[i], &job->hits[i]);
    }
}

static void cpu_piece(const void* user, size_t begin, size_t end)
{
    const tact_sphere_job* job = user;
    TACT_ASSERT(end <= job->batch.count && job->scene->wide_top_count >= 1);
    for (size_t i = begin; i < end; ++i) {
        search s = start(job, &job->casts[i]);
        if (s.cast.valid) tact_near_walk_scene(&s.walk, enter_keys, take);
        write_hit(&s, &job->casts[i], &job->hits[i]);
    }
}

tact_result tact_sphere_casts_reference(tact_env* env, const tact_sphere_job* job)
{
    TACT_ASSERT(job->batch.count == 0 || (job->casts && job->hits));
    return tact_batch_run(env, &job->batch, reference_piece, job, 256, 4);
}

tact_result tact_sphere_casts_cpu(tact_env* env, const tact_sphere_job* job)
{
    TACT_ASSERT(job->batch.count == 0 || (job->casts && job->hits));
    return tact_batch_run(env, &job->batch, cpu_piece, job, (size_t)1 << 18, 256);
}
