// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What particles collide with: colliders, meshes, height fields.

#include "tact/particle_bodies.h"

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/mesh/desc.h"
#include "core/particles/surfaces.h"
#include "tact/geometry/numbers.h"

// Of all bodies, so that what is saved of them, 36 bytes of each, has a size also where that has 32 bits.
static const uint64_t MOST_TRIANGLES = SIZE_MAX / 72 < (UINT64_C(1) << 30) ? SIZE_MAX / 72 : UINT64_C(1) << 30;

static bool is_place(tact_vec3 v)
{
    const bool good =
        fabsf(v.x) <= TACT_MAX_COORDINATE && fabsf(v.y) <= TACT_MAX_COORDINATE && fabsf(v.z) <= TACT_MAX_COORDINATE;
    return good;
}

static tact_result check_place(tact_env* env, const char* what, tact_vec3 v)
{
    if (is_place(v)) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s is %g, %g, %g; at most %g along an axis", what, (double)v.x,
                     (double)v.y, (double)v.z, (double)TACT_MAX_COORDINATE);
}

static tact_result check_length(tact_env* env, const char* what, float x)
{
    if (x >= 0.0f && x <= 1e15f) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s is %g, which must be from 0 to 1e15", what, (double)x);
}

static double dot(tact_vec3 a, tact_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static bool is_frame(const tact_vec3 axis[3])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            if (!tact_near_absolute(dot(axis[i], axis[j]), i == j ? 1.0 : 0.0, 0x1p-16)) return false;
        }
    }
    return true;
}

static tact_result make_shape(tact_env* env, const tact_collider* c, TactSolid* s)
{
    s->kind = (int)c->kind;
    if (c->kind == TACT_COLLIDER_PLANE) {
        const tact_plane p = c->shape.plane;
        const double length = sqrt(dot(p.normal, p.normal));
        const double d = (double)p.distance / length;
        if (!(length > 0.0 && length <= 1e30)) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a collider's normal has length %g", length);
        }
        if (!(fabs(d) <= (double)TACT_MAX_COORDINATE)) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a collider's plane is %g from the origin; at most %g",
                             d, (double)TACT_MAX_COORDINATE);
        }
        s->ex = (float)((double)p.normal.x / length);
        s->ey = (float)((double)p.normal.y / length);
        s->ez = (float)((double)p.normal.z / length);
        s->radius = (float)d;
        return TACT_OK;
    }
    if (c->kind == TACT_COLLIDER_SPHERE) {
        const tact_sphere b = c->shape.sphere;
        s->px = b.center.x;
        s->py = b.center.y;
        s->pz = b.center.z;
        s->radius = b.radius;
        const tact_result result = check_place(env, "a collider's center", b.center);
        return result == TACT_OK ? check_length(env, "a collider's radius", b.radius) : result;
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
        tact_result result = check_place(env, "a collider's end a", b.a);
        if (result == TACT_OK) result = check_place(env, "a collider's end b", b.b);
        return result == TACT_OK ? check_length(env, "a collider's radius", b.radius) : result;
    }
    if (c->kind != TACT_COLLIDER_BOX) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no collider is of kind %d", (int)c->kind);
    }
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
    tact_result result = check_place(env, "a collider's center", b.center);
    if (result == TACT_OK) result = check_length(env, "a collider's half.x", b.half.x);
    if (result == TACT_OK) result = check_length(env, "a collider's half.y", b.half.y);
    if (result == TACT_OK) result = check_length(env, "a collider's half.z", b.half.z);
    if (result != TACT_OK || is_frame(b.axis)) return result;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a collider's axes are not unit and at right angles");
}

tact_result tact_particles_make_solid(tact_particles* p, const tact_collider* c, bool sink, TactSolid* solid,
                                      uint32_t* mask)
{
    tact_env* env = &p->context->env;
    TactSolid s = {0};
    tact_result result = make_shape(env, c, &s);
    if (result != TACT_OK) return result;
    if (!sink && c->material >= p->material_count) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no material %u", (unsigned)c->material);
    }
    result = check_place(env, "a collider's velocity", c->velocity);
    if (result == TACT_OK) result = check_place(env, "a collider's spin", c->spin);
    if (result != TACT_OK) return result;
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
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!collider) return tact_null(&p->context->env, "collider");
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
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!collider) return tact_null(&p->context->env, "collider");
    if (index >= p->model.solid_count) {
        return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "no collider %u", (unsigned)index);
    }
    tact_particle_solid solid;
    const tact_result result = tact_particles_make_solid(p, collider, false, &solid.solid, &solid.mask);
    if (result != TACT_OK) return result;
    p->solids[index] = solid;
    p->colliders[index] = *collider;
    tact_surfaces_put(p, index);
    solids_changed(p);
    return TACT_OK;
}

static bool is_rotation(const float r[9])
{
    bool zero = true;
    for (int i = 0; i < 9; ++i)
        zero = zero && r[i] == 0.0f;
    if (zero) return true;
    const tact_vec3 rows[3] = {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}};
    if (!is_frame(rows)) return false;
    const double across = (double)r[4] * (double)r[8] - (double)r[5] * (double)r[7];
    const double back = (double)r[5] * (double)r[6] - (double)r[3] * (double)r[8];
    const double along = (double)r[3] * (double)r[7] - (double)r[4] * (double)r[6];
    return (double)r[0] * across + (double)r[1] * back + (double)r[2] * along > 0.0;
}

static tact_result check_pose(tact_env* env, const tact_body_pose* pose)
{
    if (!is_rotation(pose->rotation)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a body's rotation is not one, within 2^-16");
    }
    tact_result result = check_place(env, "a body's position", pose->position);
    if (result == TACT_OK) result = check_place(env, "a body's velocity", pose->velocity);
    return result == TACT_OK ? check_place(env, "a body's spin", pose->spin) : result;
}

/// What all bodies have in common, and room for one more. `triangles`: how many the new one has.
static tact_result begin_body(tact_particles* p, const tact_body_pose* pose, uint8_t material, uint64_t triangles)
{
    tact_env* env = &p->context->env;
    if (material >= p->material_count) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no material %u", (unsigned)material);
    }
    if (pose) {
        const tact_result result = check_pose(env, pose);
        if (result != TACT_OK) return result;
    }
    const uint32_t count = p->model.body_count;
    if (count >= TACT_MAX_BODIES) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%d meshes and height fields are there already", TACT_MAX_BODIES);
    }
    uint64_t total = triangles;
    for (uint32_t i = 0; i < count; ++i)
        total += p->bodies[i].triangle_end;
    if (triangles > MOST_TRIANGLES || total > MOST_TRIANGLES) {
        return tact_fail(env, TACT_ERROR_LIMIT, "bodies have at most %llu triangles; this would make %llu",
                         (unsigned long long)MOST_TRIANGLES, (unsigned long long)total);
    }
    if (!tact_reserve(env, (void**)&p->bodies, &p->body_capacity, count, count + 1, sizeof *p->bodies)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    // The array may have moved.
    p->model.bodies = p->bodies;
    return TACT_OK;
}

static void end_body(tact_particles* p, tact_particle_body* made, const tact_body_pose* pose, uint8_t material,
                     uint32_t* index)
{
    const uint32_t count = p->model.body_count;
    made->material = material;
    if (pose) made->pose = *pose;
    made->frame = tact_body_frame(&made->pose);
    p->bodies[count] = *made;
    p->model.body_count = count + 1;
    tact_surfaces_put(p, TACT_MAX_COLLIDERS + count);
    ++p->model.bodies_version;
    ++p->model.poses_version;
    tact_particles_changed(p);
    if (index) *index = count;
}

tact_result tact_particles_add_mesh(tact_particles* p, const tact_mesh_desc* mesh, const tact_body_pose* pose,
                                    uint8_t material, uint32_t* index)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!mesh) return tact_null(&p->context->env, "mesh");
    tact_env* env = &p->context->env;
    tact_particle_body body = {0};
    const tact_mesh_limits limits = {.triangles = MOST_TRIANGLES, .vertices = UINT32_MAX};
    tact_result result = tact_mesh_desc_check(p->context, mesh, &limits);
    if (result == TACT_OK) result = begin_body(p, pose, material, mesh->triangle_count);
    if (result != TACT_OK) return result;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    result = tact_body_make_mesh(env, p->context->threads, mesh, &body);
    if (result == TACT_OK) end_body(p, &body, pose, material, index);
    tact_float_env_leave(&float_env);
    return result;
}

/// The corners must lie apart by far more than their coordinates are rounded by.
static bool is_axis(float origin, float step, uint32_t corners)
{
    const double end = (double)origin + (double)step * (double)(corners - 1);
    const double most = fabs(end) > fabs((double)origin) ? fabs(end) : fabs((double)origin);
    return step > 0.0f && most <= (double)TACT_MAX_COORDINATE && (double)step >= most * 0x1p-18;
}

static tact_result check_field(tact_env* env, const tact_height_field_desc* f)
{
    if (!f->heights || f->columns < 2 || f->rows < 2) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "a height field of %u columns and %u rows; it takes two of each, and heights",
                         (unsigned)f->columns, (unsigned)f->rows);
    }
    if ((uint64_t)f->columns * f->rows > MOST_TRIANGLES / 2) {
        return tact_fail(env, TACT_ERROR_LIMIT, "a height field of %u columns and %u rows; at most %llu corners fit",
                         (unsigned)f->columns, (unsigned)f->rows, (unsigned long long)(MOST_TRIANGLES / 2));
    }
    if (!is_axis(f->origin.x, f->step_x, f->columns) || !is_axis(f->origin.z, f->step_z, f->rows)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "a height field's steps are %g and %g; they must be positive and at least 2^-18 of the "
                         "largest coordinate",
                         (double)f->step_x, (double)f->step_z);
    }
    if (!(fabsf(f->origin.y) <= TACT_MAX_COORDINATE)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a height field's origin is out of range");
    }
    return TACT_OK;
}

tact_result tact_particles_add_height_field(tact_particles* p, const tact_height_field_desc* field,
                                            const tact_body_pose* pose, uint8_t material, uint32_t* index)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!field) return tact_null(&p->context->env, "field");
    tact_env* env = &p->context->env;
    tact_particle_body body = {0};
    tact_result result = check_field(env, field);
    if (result == TACT_OK) {
        const uint64_t squares = (uint64_t)(field->columns - 1) * (field->rows - 1);
        result = begin_body(p, pose, material, 2 * squares);
    }
    if (result != TACT_OK) return result;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    result = tact_body_make_field(env, field, &body);
    if (result == TACT_OK) end_body(p, &body, pose, material, index);
    tact_float_env_leave(&float_env);
    return result;
}

tact_result tact_particles_move_body(tact_particles* p, uint32_t index, const tact_body_pose* pose)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!pose) return tact_null(&p->context->env, "pose");
    tact_env* env = &p->context->env;
    if (index >= p->model.body_count) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no mesh or height field %u", (unsigned)index);
    }
    const tact_result result = check_pose(env, pose);
    if (result != TACT_OK) return result;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    p->bodies[index].pose = *pose;
    p->bodies[index].frame = tact_body_frame(pose);
    tact_surfaces_put(p, TACT_MAX_COLLIDERS + index);
    tact_float_env_leave(&float_env);
    ++p->model.poses_version;
    tact_particles_changed(p);
    return TACT_OK;
}
