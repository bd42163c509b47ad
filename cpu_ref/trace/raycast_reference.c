// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/batch.h"
#include "cpu_ref/trace/walk.h"

static void try_triangles(tact_trace_walk* w, const tact_trace_instance* instance, const TactRayFrame* frame,
                          TactInterval gate)
{
    const tact_trace_mesh* mesh = &w->scene->meshes[instance->mesh];
    TACT_ASSERT(mesh->triangle_count == 0 || (mesh->positions && mesh->indices));
    for (size_t k = 0; k < mesh->triangle_count; ++k) {
        const float* a = mesh->positions + (size_t)mesh->indices[3 * k] * 3;
        const float* b = mesh->positions + (size_t)mesh->indices[3 * k + 1] * 3;
        const float* c = mesh->positions + (size_t)mesh->indices[3 * k + 2] * 3;
        if (!tact_in_range(a[0], a[1], a[2]) || !tact_in_range(b[0], b[1], b[2]) || !tact_in_range(c[0], c[1], c[2])) {
            continue;
        }
        const TactTriangleHit h = tact_ray_triangle(*frame, a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], gate,
                                                    w->ray->tmin, w->ray->tmax);
        if (h.hit) tact_trace_offer(w, instance->id, instance->mesh, (uint32_t)k, &h);
    }
}

static void try_shapes(tact_trace_walk* w, const tact_trace_instance* instance, const TactRayFrame* frame,
                       TactInterval gate)
{
    const tact_trace_mesh* mesh = &w->scene->meshes[instance->mesh];
    TACT_ASSERT(mesh->shape_count == 0 || mesh->kind != TACT_KIND_TRIANGLES);
    for (size_t k = 0; k < mesh->shape_count; ++k) {
        const TactShape shape = tact_trace_shape_of(&mesh->shapes[k]);
        if (!tact_shape_in_range(shape, mesh->kind)) continue;
        const TactTriangleHit h = tact_ray_shape(*frame, shape, mesh->kind, gate, w->ray->tmin, w->ray->tmax, w->faces);
        if (h.hit) tact_trace_offer(w, instance->id, instance->mesh, (uint32_t)k, &h);
    }
}

void tact_trace_walk_every(tact_trace_walk* w)
{
    const tact_ray* ray = w->ray;
    const tact_trace_scene* scene = w->scene;
    const TactRayFrame world = tact_ray_frame(ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz);
    const size_t instances = world.valid && tact_trace_interval_valid(ray) ? scene->by_id_count : 0;
    for (size_t i = 0; i < instances; ++i) {
        const tact_trace_instance* instance = &scene->by_id[i];
        TACT_ASSERT(instance->mesh == TACT_NONE || instance->id == i);
        if (instance->mesh == TACT_NONE || (instance->mask & w->mask) == 0) continue;
        const TactBox box = {instance->lower[0], instance->lower[1], instance->lower[2],
                             instance->upper[0], instance->upper[1], instance->upper[2]};
        const TactInterval gate = tact_box_interval(world, box, TACT_INSTANCE_SLACK);
        const TactRayFrame frame = tact_trace_enter(instance, ray->ox, ray->oy, ray->oz, ray->dx, ray->dy, ray->dz);
        if (!frame.valid) continue;
        try_triangles(w, instance, &frame, gate);
        try_shapes(w, instance, &frame, gate);
    }
}

typedef struct cast {
    tact_trace_walk walk;  // first, since that is what hits are given to
    tact_hit best;
    uint32_t count;
} cast;

static void take(tact_trace_walk* walk, uint32_t instance, uint32_t primitive, const TactTriangleHit* h)
{
    cast* c = (cast*)walk;
    ++c->count;
    if (tact_trace_closer(h->t, instance, primitive, &c->best)) {
        c->best = (tact_hit){instance, primitive, h->t, h->u, h->v};
    }
}

static void cast_one(const tact_trace_job* job, size_t i, tact_hit* hit)
{
    TACT_ASSERT((unsigned)job->mode <= TACT_RAY_COUNT);
    const tact_ray* ray = &job->rays[i];
    cast c = {.walk = tact_trace_walk_begin(job->scene, job->rules, ray, i, take)};
    tact_trace_miss(ray, &c.best);
    tact_trace_walk_every(&c.walk);
    switch (job->mode) {
        case TACT_RAY_CLOSEST:
            *hit = c.best;
            break;
        case TACT_RAY_ANY:
            *hit = c.count ? (tact_hit){0} : c.best;
            break;
        case TACT_RAY_COUNT:
            *hit = (tact_hit){.primitive = c.count};
            break;
    }
}

static void cast_piece(const tact_trace_job* job, size_t begin, size_t end)
{
    TACT_ASSERT(begin <= end && end <= job->count);
    for (size_t i = begin; i < end; ++i) {
        tact_hit hit;
        cast_one(job, i, &hit);
        tact_trace_answer(job, i, &hit);
    }
}

tact_result tact_raycast_reference(tact_env* env, const tact_trace_job* job)
{
    return tact_trace_batch(env, job, cast_piece, 256, 4);
}

typedef struct piece_job {
    const tact_trace_job* job;
    tact_trace_fn* function;
} piece_job;

static void run_piece(const void* user, size_t begin, size_t end)
{
    const piece_job* piece = user;
    piece->function(piece->job, begin, end);
}

tact_result tact_trace_batch(tact_env* env, const tact_trace_job* job, tact_trace_fn* function, size_t slice,
                             size_t grain)
{
    TACT_ASSERT(job->scene && function);
    const tact_batch batch = {job->count, job->threads, job->progress, job->progress_user};
    const piece_job piece = {job, function};
    return tact_batch_run(env, &batch, run_piece, &piece, slice, grain);
}
