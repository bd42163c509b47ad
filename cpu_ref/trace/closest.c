// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/closest.h"

#include "cpu_ref/trace/closest_found.h"
#include "cpu_ref/trace/lanes.h"
#include "cpu_ref/trace/sorted_points.h"
#include "kernels/closest_bent.h"

typedef struct search {
    tact_near_walk walk;  // first, since that is what triangles are given to
    float x, y, z;
    TactClosest best;
    TactShapeClosest shape;  // the best, when `is_shape`
    bool is_shape;
    uint32_t instance, primitive;
    float corners[3][3];  // of the best triangle
} search;

TactShapeClosest tact_closest_to_bent(const tact_trace_scene* scene, const tact_trace_instance* in,
                                      const tact_trace_shape* shape, const tact_closest_query* q, float gate2,
                                      float limit2)
{
    TACT_ASSERT(in->bent && in->kind != TACT_KIND_TRIANGLES);
    return tact_bent_closest(q->x, q->y, q->z, tact_trace_shape_of(shape), in->kind, tact_closest_row(scene, in, 0),
                             tact_closest_row(scene, in, 1), tact_closest_row(scene, in, 2), gate2, limit2);
}

float tact_closest_square(const tact_trace_scene* scene, const tact_closest_query* q, uint32_t instance,
                          uint32_t primitive)
{
    TACT_ASSERT(instance < scene->by_id_count && scene->by_id[instance].mesh != TACT_NONE);
    const tact_trace_instance* in = &scene->by_id[instance];
    const tact_trace_mesh* mesh = &scene->meshes[in->mesh];
    TACT_ASSERT(primitive < mesh->triangle_count + mesh->shape_count);
    const float gate2 = tact_box_gap2(q->x, q->y, q->z, in->lower[0], in->lower[1], in->lower[2], in->upper[0],
                                      in->upper[1], in->upper[2]);
    if (mesh->kind != TACT_KIND_TRIANGLES)
        return tact_closest_to_shape(scene, in, &mesh->shapes[primitive], q, gate2, TACT_CLOSEST_FAR2).d2;
    float corners[3][3];
    for (size_t c = 0; c < 3; ++c) {
        const float* p = mesh->positions + (size_t)mesh->indices[3 * (size_t)primitive + c] * 3;
        tact_near_move(scene->matrices[instance], p, corners[c]);
    }
    return tact_closest_to(q, (const float(*)[3])corners, gate2, TACT_CLOSEST_FAR2).d2;
}

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
    TACT_ASSERT(instance < walk->scene->by_id_count && gate >= 0.0f);
    const TactClosest r = tact_triangle_closest(s->x, s->y, s->z, a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2],
                                                gate, walk->limit);
    if (!(r.d2 <= walk->limit)) return;
    if (r.d2 == walk->limit && !(instance < s->instance || (instance == s->instance && primitive < s->primitive))) {
        return;
    }
    walk->limit = r.d2;
    s->best = r;
    s->is_shape = false;
    s->instance = instance;
    s->primitive = primitive;
    memcpy(s->corners[0], a, sizeof s->corners[0]);
    memcpy(s->corners[1], b, sizeof s->corners[1]);
    memcpy(s->corners[2], c, sizeof s->corners[2]);
}

static void take_shape(tact_near_walk* walk, const tact_trace_instance* in, float gate, const tact_trace_shape* shape)
{
    search* s = (search*)walk;
    TACT_ASSERT(in->kind != TACT_KIND_TRIANGLES);
    const tact_closest_query q = {s->x, s->y, s->z, 0.0f};
    const TactShapeClosest r = tact_closest_to_shape(walk->scene, in, shape, &q, gate, walk->limit);
    if (!(r.d2 <= walk->limit)) return;
    if (r.d2 == walk->limit && !(in->id < s->instance || (in->id == s->instance && shape->primitive < s->primitive))) {
        return;
    }
    walk->limit = r.d2;
    s->shape = r;
    s->is_shape = true;
    s->instance = in->id;
    s->primitive = shape->primitive;
}

static void write_hit(const search* s, const tact_closest_query* q, tact_closest_hit* hit)
{
    TACT_ASSERT((s->instance == TACT_NONE) == (s->primitive == TACT_NONE));
    if (s->instance == TACT_NONE) {
        tact_closest_write_none(q, hit);
    } else if (s->is_shape) {
        tact_closest_write_shape(s->walk.scene, s->instance, s->primitive, &s->shape, hit);
    } else {
        tact_closest_write(s->instance, s->primitive, &s->best, (const float(*)[3])s->corners, hit);
    }
}

static search start(const tact_closest_job* job, const tact_closest_query* q)
{
    const float limit2 = tact_closest_limit2(q->x, q->y, q->z, q->max_distance);
    search s = {.walk = {job->scene, limit2, take_shape}, .x = q->x, .y = q->y, .z = q->z};
    s.instance = s.primitive = TACT_NONE;
    return s;
}

static void reference_piece(const void* user, size_t begin, size_t end)
{
    const tact_closest_job* job = user;
    TACT_ASSERT(end <= job->batch.count);
    for (size_t i = begin; i < end; ++i) {
        search s = start(job, &job->queries[i]);
        if (s.walk.limit >= 0.0f) tact_near_walk_every(&s.walk, gap_keys, take);
        write_hit(&s, &job->queries[i], &job->hits[i]);
    }
}

tact_result tact_closest_reference(tact_env* env, const tact_closest_job* job)
{
    return tact_batch_run(env, &job->batch, reference_piece, job, 256, 4);
}

static void lanes_piece(void* user, size_t first, const uint32_t* order, uint32_t count)
{
    tact_closest_job part = *(const tact_closest_job*)user;
    part.queries += first;
    part.hits += first;
    tact_trace_lanes()->closest(&part, order, count);
}

tact_result tact_closest_cpu(tact_env* env, const tact_closest_job* job)
{
    TACT_ASSERT(job->scene->wide_top_count >= 1 && (job->batch.count == 0 || job->hits));
    return tact_points_run(env, job->queries, &job->batch, lanes_piece, (void*)(uintptr_t)job);
}
