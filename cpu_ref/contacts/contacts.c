// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/contacts/contacts.h"

#include <math.h>
#include <string.h>

#include "base/lane_levels.h"
#include "base/parallel.h"
#include "cpu_ref/geometry/round_internal.h"

enum {
    PIECE = 1024,  // pairs whose contacts stay in a cache until those that are there are put away
    SLICE = 1 << 15
};

_Static_assert(SLICE % PIECE == 0, "slices are made of pieces");

_Static_assert(TACT_KIND_SPHERE == TACT_BODY_SPHERE && TACT_KIND_CAPSULE == TACT_BODY_CAPSULE &&
                   TACT_KIND_BOX == TACT_BODY_BOX && TACT_KIND_HALF_SPACE == TACT_BODY_HALF_SPACE,
               "the kernels count on it");
_Static_assert(TACT_KIND_HULL == TACT_BODY_HULL && TACT_KIND_COMPOUND == TACT_BODY_COMPOUND &&
                   TACT_KIND_MESH == TACT_BODY_MESH,
               "the kernels count on it");
_Static_assert(TACT_CONTACT_POINTS == TACT_CONTACT_MOST_POINTS, "a manifold is a contact");

void tact_body_rows(const tact_pose* pose, uint32_t shape, float margin, float4 rows[TACT_POSED_ROWS])
{
    const double at[3] = {pose->x, pose->y, pose->z};
    float high[3], low[3];
    for (int k = 0; k < 3; ++k) {
        high[k] = (float)at[k];
        low[k] = (float)(at[k] - (double)high[k]);
    }
    const tact_quat q = pose->rotation;
    rows[0] = (float4){high[0], high[1], high[2], pose->scale};
    rows[1] = (float4){low[0], low[1], low[2], margin};
    rows[2] = (float4){q.x, q.y, q.z, q.w};
    rows[3] = (float4){as_float(shape), 0.0f, 0.0f, 0.0f};
}

static float below(double x)
{
    return d_sum_down((dsum){x, 0.0});
}

static float above(double x)
{
    return d_sum_up((dsum){x, 0.0});
}

tact_aabb tact_body_box(const tact_shape_tables* t, const float4 rows[TACT_POSED_ROWS], const tact_pose* pose)
{
    const TactBodyRow own = tact_body_of(rows, 0), *body = &own;
    const TactShapes shapes = tact_shapes_of(t);
    const TactCore core = tact_core_of(&shapes, body->shape, body->scale);
    const tact_shape_bounds* bounds = &t->bounds[body->shape];
    if (bounds->tree.nodes) {
        double turned[3][3], low[3], high[3];
        const double place[3] = {pose->x, pose->y, pose->z};
        tact_quat_axes(&pose->rotation, turned);
        tact_box_moved(bounds->lower, bounds->upper, turned, place, (double)pose->scale, bounds->radius, low, high);
        const double margin = (double)body->margin * (1.0 + 1e-6);
        return (tact_aabb){{below(low[0] - margin), below(low[1] - margin), below(low[2] - margin)},
                           {above(high[0] + margin), above(high[1] + margin), above(high[2] + margin)}};
    }
    if (core.kind == TACT_KIND_HALF_SPACE) {
        return (tact_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    }
    const TactPlaced axes = tact_axes_of(body->qx, body->qy, body->qz, body->qw);
    const TactVec across[3] = {
        {axes.x.x, axes.y.x, axes.z.x}, {axes.x.y, axes.y.y, axes.z.y}, {axes.x.z, axes.y.z, axes.z.z}};
    const double at[3] = {pose->x, pose->y, pose->z};
    double low[3], high[3];
    // Rounding of axes, of places and of distances stays below a hundred-thousandth of the extent; of what is between
    // positions whose small part is rounded, below 2^-48 of the position.
    const double about = (double)core.radius + (double)body->margin;
    for (int k = 0; k < 3; ++k) {
        const TactFarthest up = tact_core_farthest(&shapes, core, across[k]);
        const TactFarthest down = tact_core_farthest(&shapes, core, tact_times(across[k], -1.0f));
        const double slack = about * (1.0 + 1e-5) + 2e-5 * (double)core.extent + fabs(at[k]) * 0x1p-46;
        low[k] = at[k] - (double)down.along - slack;
        high[k] = at[k] + (double)up.along + slack;
    }
    return (tact_aabb){{below(low[0]), below(low[1]), below(low[2])}, {above(high[0]), above(high[1]), above(high[2])}};
}

tact_contact tact_contact_of(tact_pair pair, tact_pair parts, const TactManifold* m)
{
    tact_contact c;
    memset(&c, 0, sizeof c);
    c.a = pair.a;
    c.b = pair.b;
    c.origin = m->from_b ? pair.b : pair.a;
    c.part_a = parts.a;
    c.part_b = parts.b;
    c.count = m->count;
    if (m->count == 0) return c;
    c.normal = (tact_vec3){m->way.x, m->way.y, m->way.z};
    for (uint32_t k = 0; k < m->count; ++k) {
        c.point[k] = (tact_contact_point){{m->at[k].x, m->at[k].y, m->at[k].z}, m->apart[k], m->feature[k]};
    }
    return c;
}

TACT_LANE_CHOICE(tact_contact_lanes, TACT_LANE_TABLES(tact_contact_lanes), tact_contact_lanes_best)

static void run_reference(const tact_contacts_job* job, const TactShapes* shapes, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        const tact_pair pair = job->pairs[i];
        const tact_pair parts = tact_contacts_parts(job, i);
        const TactManifold m = tact_body_contact(shapes, tact_body_of(job->bodies, pair.a),
                                                 tact_body_of(job->bodies, pair.b), parts.a, parts.b);
        TACT_ASSERT(m.count <= TACT_CONTACT_MOST_POINTS);
        job->contacts[i] = tact_contact_of(pair, parts, &m);
    }
}

typedef struct contacts_loop {
    const tact_contacts_job* job;
    TactShapes shapes;
    void (*run)(const tact_contacts_job* job, const TactShapes* shapes, size_t begin, size_t end);
    size_t first;
    tact_contact* scratch;  ///< PIECE of each worker
    uint32_t* kept;         ///< of each piece
} contacts_loop;

/// Works out a piece beside the result, of which most may be nothing, and puts what is there at the piece's beginning.
static void work_out(size_t begin, size_t end, int worker, void* user)
{
    const contacts_loop* l = user;
    tact_contacts_job job = *l->job;
    tact_contact *own = l->scratch + (size_t)worker * PIECE, *to = l->job->contacts + l->first + begin;
    job.pairs += l->first + begin;
    if (job.parts) job.parts += l->first + begin;
    job.contacts = own;
    l->run(&job, &l->shapes, 0, end - begin);
    uint32_t kept = 0;
    for (size_t i = 0; i < end - begin; ++i)
        if (own[i].count > 0) to[kept++] = own[i];
    l->kept[(l->first + begin) / PIECE] = kept;
}

tact_result tact_contacts_run(tact_env* env, const tact_contacts_job* job, bool reference, size_t* found)
{
    const size_t pieces = (job->count + PIECE - 1) / PIECE, workers = job->threads < 1 ? 1 : (size_t)job->threads;
    contacts_loop loop = {
        .job = job,
        .shapes = tact_shapes_of(job->tables),
        .run = reference ? run_reference : tact_contact_lanes_best()->run,
        .scratch = tact_allocate(env, pieces > 1 ? PIECE * workers : job->count + 1, sizeof *loop.scratch),
        .kept = tact_allocate(env, pieces + 1, sizeof *loop.kept)};
    tact_result result = loop.scratch && loop.kept ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    *found = 0;
    while (result == TACT_OK && loop.first < job->count) {
        const size_t left = job->count - loop.first, size = job->progress && left > SLICE ? SLICE : left;
        tact_parallel_for(job->threads, size, PIECE, work_out, &loop);
        loop.first += size;
        if (job->progress && !job->progress((double)loop.first / (double)job->count, job->progress_user))
            result = tact_fail(env, TACT_ERROR_CANCELLED, "cancelled");
    }
    for (size_t p = 0; result == TACT_OK && p < pieces; ++p) {
        if (*found != p * PIECE)
            memmove(job->contacts + *found, job->contacts + p * PIECE, loop.kept[p] * sizeof *job->contacts);
        *found += loop.kept[p];
    }
    tact_release(env, loop.scratch);
    tact_release(env, loop.kept);
    return result;
}
