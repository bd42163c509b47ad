// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What particles collide with: colliders, meshes, height fields.

#include "tact/particle_bodies.h"

#include <math.h>
#include <string.h>

#include "core/particles.h"

static bool is_place(tact_vec3 v)
{
    const bool good =
        fabsf(v.x) <= TACT_MAX_COORDINATE && fabsf(v.y) <= TACT_MAX_COORDINATE && fabsf(v.z) <= TACT_MAX_COORDINATE;
    return good;
}

static bool is_length(float x)
{
    return x >= 0.0f && x <= 1e15f;
}

static bool near_to(double x, double expected)
{
    return fabs(x - expected) <= 0x1p-16;
}

static double dot(tact_vec3 a, tact_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static bool is_frame(const tact_vec3 axis[3])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            if (!near_to(dot(axis[i], axis[j]), i == j ? 1.0 : 0.0)) return false;
        }
    }
    return true;
}

static bool make_shape(const tact_collider* c, TactSolid* s)
{
    s->kind = (int)c->kind;
    if (c->kind == TACT_COLLIDER_PLANE) {
        const tact_plane p = c->shape.plane;
        const double length = sqrt(dot(p.normal, p.normal));
        const double d = (double)p.distance / length;
        if (!(length > 0.0 && length <= 1e30 && fabs(d) <= (double)TACT_MAX_COORDINATE)) return false;
        s->ex = (float)((double)p.normal.x / length);
        s->ey = (float)((double)p.normal.y / length);
        s->ez = (float)((double)p.normal.z / length);
        s->radius = (float)d;
        return true;
    }
    if (c->kind == TACT_COLLIDER_SPHERE) {
        const tact_sphere b = c->shape.sphere;
        s->px = b.center.x;
        s->py = b.center.y;
        s->pz = b.center.z;
        s->radius = b.radius;
        return is_place(b.center) && is_length(b.radius);
    }
    if (c->kind == TACT_COLLIDER_CAPSULE) {
        const tact_capsule b = c->shape.capsule;
        s->px = b.a.x;
        s->py = b.a.y;
        s->pz = b.a.z;
        s->ex = b.b.x - b.a.x;
        s->ey = b.b.y - b.a.y;
        s->ez = b.b.z - b.a.z;
        s->radius = b.radius;
        return is_place(b.a) && is_place(b.b) && is_length(b.radius);
    }
    if (c->kind != TACT_COLLIDER_BOX) return false;
    const tact_obb b = c->shape.box;
    s->px = b.center.x;
    s->py = b.center.y;
    s->pz = b.center.z;
    s->ex = b.half.x;
    s->ey = b.half.y;
    s->ez = b.half.z;
    s->ux = b.axis[0].x;
    s->uy = b.axis[0].y;
    s->uz = b.axis[0].z;
    s->vx = b.axis[1].x;
    s->vy = b.axis[1].y;
    s->vz = b.axis[1].z;
    s->wx = b.axis[2].x;
    s->wy = b.axis[2].y;
    s->wz = b.axis[2].z;
    return is_place(b.center) && is_length(b.half.x) && is_length(b.half.y) && is_length(b.half.z) && is_frame(b.axis);
}

tact_result tact_particles_make_solid(tact_particles* p, const tact_collider* c, bool sink, TactSolid* solid,
                                      uint32_t* mask)
{
    tact_env* env = &p->context->env;
    TactSolid s = {0};
    if ((unsigned)c->kind > TACT_COLLIDER_BOX || !make_shape(c, &s)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a collider of kind %d is not finite, empty or out of range",
                         (int)c->kind);
    }
    if (!sink && c->material >= p->material_count) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no material %u", (unsigned)c->material);
    }
    if (!is_place(c->velocity) || !is_place(c->spin)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a collider's velocity or spin is not finite");
    }
    s.inside = c->inside ? 1 : 0;
    s.material = c->material;
    s.lx = c->velocity.x;
    s.ly = c->velocity.y;
    s.lz = c->velocity.z;
    if (c->kind != TACT_COLLIDER_PLANE) {
        s.rx = c->spin.x;
        s.ry = c->spin.y;
        s.rz = c->spin.z;
    }
    *solid = s;
    *mask = c->mask ? c->mask : 0xffffffffu;
    return TACT_OK;
}

static void solids_changed(tact_particles* p)
{
    p->model.solids = p->solids;
    ++p->model.solids_version;
    tact_particles_changed(p);
}

tact_result tact_particles_add_collider(tact_particles* p, const tact_collider* collider, uint32_t* index)
{
    if (!p || !collider) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &p->context->env;
    tact_particle_solid solid;
    const tact_result result = tact_particles_make_solid(p, collider, false, &solid.solid, &solid.mask);
    if (result != TACT_OK) return result;
    const uint32_t count = p->model.solid_count;
    if (count >= TACT_MAX_COLLIDERS) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%d colliders are there already", TACT_MAX_COLLIDERS);
    }
    if (!tact_reserve(env, (void**)&p->solids, &p->solid_capacity, count, count + 1, sizeof *p->solids) ||
        !tact_reserve(env, (void**)&p->colliders, &p->collider_capacity, count, count + 1, sizeof *p->colliders)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    p->solids[count] = solid;
    p->colliders[count] = *collider;
    p->model.solid_count = count + 1;
    solids_changed(p);
    if (index) *index = count;
    return TACT_OK;
}

tact_result tact_particles_set_collider(tact_particles* p, uint32_t index, const tact_collider* collider)
{
    if (!p || !collider) return TACT_ERROR_INVALID_ARGUMENT;
    if (index >= p->model.solid_count) {
        return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "no collider %u", (unsigned)index);
    }
    tact_particle_solid solid;
    const tact_result result = tact_particles_make_solid(p, collider, false, &solid.solid, &solid.mask);
    if (result != TACT_OK) return result;
    p->solids[index] = solid;
    p->colliders[index] = *collider;
    solids_changed(p);
    return TACT_OK;
}
