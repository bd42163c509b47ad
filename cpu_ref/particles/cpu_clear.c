// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What is clear about a particle. Most particles are far from all colliders and bodies, or near and slow; asking for
// touches and distances in every substep would find nothing most of the time. So each slot keeps a place A and a
// distance C, and whatever its particle's centre is, no surface is nearer to it than C less its distance from A.
//
// Why that changes no result. Let D(x) be the distance of x from the nearest surface that concerns the particle, as
// computed: the least over the colliders and the triangles, or anything beyond the limit asked for. But for rounding it
// is a distance from a set, so |D(x) - D(A)| <= |x - A|. (Signed distances of solids are so too, and so is the least of
// several.) It is rounded by less than 2^-18 of the coordinates of x and of all surfaces: see particle_mesh.h, where it
// is 2^-20, and a frame adds three rounded products. C is D(A) less 2^-16 of all these together and of D(A) itself,
// which bounds how far x can be from A while there is anything left. So while C - |x - A| is greater than
//   - the radius, D(x) is too: no touch, since their depth is the radius less D(x);
//   - the way and half a radius, the first query of particle_way.h finds nothing within its limit, and the way is free.
// Numbers that are not finite fail these comparisons, and all is asked. The place may be any at all: a particle that a
// period has moved, or the caller, is far from it. What is in the way stands still during a step; when it changes
// between steps, or the particles are loaded anew, everything is forgotten.

#include <math.h>
#include <string.h>

#include "cpu_ref/particles/cpu_engine.h"

static float size3(float x, float y, float z)
{
    return fabsf(x) + fabsf(y) + fabsf(z);
}

static float size_of_solid(const TactSolid* c)
{
    return size3(c->px, c->py, c->pz) + size3(c->ex, c->ey, c->ez) + fabsf(c->radius);
}

static float size_of_body(const tact_particle_body* b)
{
    const float at = size3(b->frame.tx, b->frame.ty, b->frame.tz);
    if (b->kind == TACT_COLLIDER_FIELD) {
        const float x = tact_field_corner(b->across, b->across.squares),
                    z = tact_field_corner(b->along, b->along.squares);
        return at + size3(b->across.origin, b->lowest, b->along.origin) + size3(x, b->highest, z);
    }
    float most = 0.0f;
    for (int k = 0; b->triangle_count > 0 && k < 2; ++k) {
        const tact_bvh_child* c = &b->nodes[0].children[k];
        if ((c->child & (uint32_t)TACT_BVH_LEAF_BIT) && c->count == 0) continue;
        TACT_ASSERT(c->lower[0] <= c->upper[0] && c->lower[1] <= c->upper[1] && c->lower[2] <= c->upper[2]);
        most += size3(c->lower[0], c->lower[1], c->lower[2]) + size3(c->upper[0], c->upper[1], c->upper[2]);
    }
    return at + most;
}

static float size_of_all(const tact_particle_model* model)
{
    float most = 0.0f;
    for (uint32_t i = 0; i < model->solid_count; ++i)
        most = fmaxf(most, size_of_solid(&model->solids[i].solid));
    for (uint32_t i = 0; i < model->body_count; ++i)
        most = fmaxf(most, size_of_body(&model->bodies[i]));
    return most;
}

bool tact_cpu_clear_room(tact_particle_cpu* e)
{
    TACT_ASSERT(e->count <= e->capacity);
    tact_particle_slots* const sides[2] = {&e->now, &e->next};
    for (int k = 0; k < 2; ++k) {
        if (sides[k]->clear) continue;
        sides[k]->clear = tact_allocate_zeroed(e->base.env, e->capacity + TACT_SLOT_PAD, sizeof *sides[k]->clear);
        if (!sides[k]->clear) return false;
    }
    return true;
}

tact_result tact_cpu_clear_begin(tact_particle_cpu* e, const tact_particle_model* model)
{
    const uint64_t versions[3] = {model->solids_version, model->bodies_version, model->poses_version};
    const bool kept = e->keeps_clear && memcmp(versions, e->clear_versions, sizeof versions) == 0;
    e->keeps_clear = false;
    if (model->response == TACT_RESPONSE_NONE || (model->solid_count == 0 && model->body_count == 0)) return TACT_OK;
    if (!tact_cpu_clear_room(e)) return TACT_ERROR_OUT_OF_MEMORY;
    e->keeps_clear = true;
    if (kept) return TACT_OK;
    memcpy(e->clear_versions, versions, sizeof versions);
    e->clear_scale = size_of_all(model);
    const float unknown[4] = {0.0f, 0.0f, 0.0f, -INFINITY};
    for (size_t i = 0; i < e->count; ++i)
        memcpy(e->now.clear[i], unknown, sizeof unknown);
    return TACT_OK;
}

void tact_cpu_clear_look(const tact_particle_cpu* e, const tact_particle_model* model, size_t i, tact_particle_self* p)
{
    if (!e->keeps_clear) return;
    TACT_ASSERT(i < e->count && e->now.clear);
    const float way = model->motion.dt * tact_length3(p->vx, p->vy, p->vz);
    if (p->clear > p->radius + way) return;
    float* c = e->now.clear[i];
    // Of what touches a surface nothing is clear, and asking every time is wasted: only when it has moved.
    if (c[3] > -INFINITY && tact_length3(p->x - c[0], p->y - c[1], p->z - c[2]) < 0.25f * p->radius) return;
    // So far that it is not soon asked again, but not so far that looking takes long.
    const float ahead = fminf(16.0f * way, 60.0f * p->radius);
    const float distance = tact_particle_clearance(model, p, 4.0f * p->radius + ahead);
    const float lost = (e->clear_scale + size3(p->x, p->y, p->z) + fabsf(distance)) * 0x1p-16f;
    const float clear[4] = {p->x, p->y, p->z, distance - lost};
    memcpy(c, clear, sizeof clear);
    p->clear = clear[3];
}

tact_particle_self tact_cpu_finish_near(const tact_particle_walk* walk, size_t i, const float sum[4],
                                        tact_particle_counters* counters)
{
    TACT_ASSERT(i < walk->engine->count);
    tact_particle_self p = tact_cpu_self(walk->engine, i);
    tact_cpu_clear_look(walk->engine, walk->model, i, &p);
    TactVec force = tact_vec(sum[0], sum[1], sum[2]);
    if (walk->model->response == TACT_RESPONSE_SPRING) tact_particle_static_forces(walk->model, &p, &force);
    tact_particle_finish(walk->model, &p, force, counters);
    return p;
}
