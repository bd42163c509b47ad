// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Colliders and bodies that move without the caller, have a servo or wear. Where one is follows from where it was put
// and from how far it has come since, in double precision on the host, by + - * / and square roots alone: the same on
// every machine, whatever backend steps the particles.

#include "core/particles/surfaces.h"

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/particles/programs.h"
#include "core/particles/spread.h"

static const tact_surface_progress at_first = {.turned = {0.0, 0.0, 0.0, 1.0}};

bool tact_surfaces_make(tact_particles* p)
{
    if (p->drives) return true;
    p->drives = tact_allocate_zeroed(&p->context->env, 1, sizeof *p->drives);
    if (!p->drives) return false;
    tact_surface_drives* d = p->drives;
    for (uint32_t i = 0; i < TACT_SURFACES; ++i)
        d->now[i] = d->before[i] = d->mirror[i] = at_first;
    for (uint32_t i = 0; i < p->model.body_count; ++i)
        d->given[i] = p->bodies[i].pose;
    return true;
}

static tact_result check_surface(const tact_particles* p, tact_contact_with kind, uint32_t index, uint32_t* surface)
{
    if (kind == TACT_CONTACT_COLLIDER && index < p->model.solid_count) {
        *surface = index;
        return TACT_OK;
    }
    if (kind == TACT_CONTACT_BODY && index < p->model.body_count) {
        *surface = TACT_MAX_COLLIDERS + index;
        return TACT_OK;
    }
    return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "no collider or body %u of kind %d",
                     (unsigned)index, (int)kind);
}

static tact_result check_forces(const tact_particles* p)
{
    if (p->model.response == TACT_RESPONSE_SPRING || p->model.response == TACT_RESPONSE_GRAINS) return TACT_OK;
    return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "the system's response has no forces");
}

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void doubles_of(tact_vec3 v, double to[3])
{
    to[0] = (double)v.x;
    to[1] = (double)v.y;
    to[2] = (double)v.z;
}

static void unit_of(tact_vec3 v, double to[3])
{
    doubles_of(v, to);
    const double length = sqrt(dot(to, to));
    for (int k = 0; k < 3; ++k)
        to[k] /= length;
}

tact_result tact_surfaces_check_servo(tact_env* env, const tact_servo* s)
{
    double direction[3];
    doubles_of(s->direction, direction);
    const double length = sqrt(dot(direction, direction));
    if (!(length >= 1e-30 && length <= 1e30))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a servo's direction has length %g", length);
    if (!(fabsf(s->force) <= 1e30f))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a servo's force is %g", (double)s->force);
    if (!(s->gain > 0.0f && s->gain <= 1e30f))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a servo's gain is %g, which must be positive",
                         (double)s->gain);
    if (!(s->greatest_speed > 0.0f && s->greatest_speed <= TACT_MAX_COORDINATE))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a servo's greatest_speed is %g, which must be positive",
                         (double)s->greatest_speed);
    return TACT_OK;
}

/// The velocity that the caller gave one, but for what its servo makes of it; and its spin.
static void motion_of(const tact_particles* p, uint32_t surface, double velocity[3], double spin[3])
{
    const tact_surface_drives* d = p->drives;
    const tact_surface_setting* s = &d->settings[surface];
    if (surface < TACT_MAX_COLLIDERS) {
        const tact_collider* c = &p->colliders[surface];
        const tact_vec3 still = {0, 0, 0};
        doubles_of(c->velocity, velocity);
        doubles_of(c->kind == TACT_COLLIDER_PLANE ? still : c->spin, spin);
    } else {
        doubles_of(d->given[surface - TACT_MAX_COLLIDERS].velocity, velocity);
        doubles_of(d->given[surface - TACT_MAX_COLLIDERS].spin, spin);
    }
    if (!s->has_servo) return;
    double direction[3];
    unit_of(s->servo.direction, direction);
    const double more = d->now[surface].speed - dot(velocity, direction);
    for (int k = 0; k < 3; ++k)
        velocity[k] += more * direction[k];
}

/// The rotation of a unit quaternion, in row-major order.
static void rotation_of(const double q[4], double r[9])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double rows[9] = {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w),       2.0 * (x * z + y * w),
                            2.0 * (x * y + z * w),       1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w),
                            2.0 * (x * z - y * w),       2.0 * (y * z + x * w),       1.0 - 2.0 * (x * x + y * y)};
    memcpy(r, rows, sizeof rows);
}

static void rotate(const double r[9], float* x, float* y, float* z)
{
    const double v[3] = {(double)*x, (double)*y, (double)*z};
    *x = (float)dot(r, v);
    *y = (float)dot(r + 3, v);
    *z = (float)dot(r + 6, v);
}

static void place_collider(tact_particles* p, uint32_t index)
{
    const tact_surface_progress* at = &p->drives->now[index];
    TactSolid s;
    uint32_t mask;
    double r[9], velocity[3], spin[3];
    const tact_result made = tact_particles_make_solid(p, &p->colliders[index], false, &s, &mask);
    TACT_ASSERT(made == TACT_OK);
    (void)made;
    motion_of(p, index, velocity, spin);
    rotation_of(at->turned, r);
    if (s.kind == TACT_SOLID_PLANE) {
        const double normal[3] = {(double)s.ex, (double)s.ey, (double)s.ez};
        s.radius = (float)((double)s.radius + dot(normal, at->moved));
    } else {
        s.px = (float)((double)s.px + at->moved[0]);
        s.py = (float)((double)s.py + at->moved[1]);
        s.pz = (float)((double)s.pz + at->moved[2]);
    }
    if (s.kind == TACT_SOLID_CAPSULE) rotate(r, &s.ex, &s.ey, &s.ez);
    if (s.kind == TACT_SOLID_BOX) {
        rotate(r, &s.ux, &s.uy, &s.uz);
        rotate(r, &s.vx, &s.vy, &s.vz);
        rotate(r, &s.wx, &s.wy, &s.wz);
    }
    s.lx = (float)velocity[0];
    s.ly = (float)velocity[1];
    s.lz = (float)velocity[2];
    p->solids[index].solid = s;
    ++p->model.solids_version;
}

static void place_body(tact_particles* p, uint32_t index)
{
    const tact_surface_progress* at = &p->drives->now[TACT_MAX_COLLIDERS + index];
    tact_body_pose pose = p->drives->given[index];
    double r[9], velocity[3], spin[3];
    motion_of(p, TACT_MAX_COLLIDERS + index, velocity, spin);
    rotation_of(at->turned, r);
    bool none = true;
    for (int k = 0; k < 9; ++k)
        none = none && pose.rotation[k] == 0.0f;
    for (int k = 0; k < 9 && none; k += 4)
        pose.rotation[k] = 1.0f;
    for (int k = 0; k < 3; ++k)
        rotate(r, &pose.rotation[k], &pose.rotation[3 + k], &pose.rotation[6 + k]);
    pose.position.x = (float)((double)pose.position.x + at->moved[0]);
    pose.position.y = (float)((double)pose.position.y + at->moved[1]);
    pose.position.z = (float)((double)pose.position.z + at->moved[2]);
    pose.velocity = (tact_vec3){(float)velocity[0], (float)velocity[1], (float)velocity[2]};
    p->bodies[index].pose = pose;
    p->bodies[index].frame = tact_body_frame(&pose);
    ++p->model.poses_version;
}

/// Whether one has ever gone anywhere, or has a servo's velocity: one that has not is as the caller put it, to the bit.
static bool is_elsewhere(const tact_surface_drives* d, uint32_t surface)
{
    return d->settings[surface].has_servo ||
           memcmp(d->now[surface].moved, at_first.moved, sizeof at_first.moved) != 0 ||
           memcmp(d->now[surface].turned, at_first.turned, sizeof at_first.turned) != 0;
}

static void place(tact_particles* p, uint32_t surface)
{
    const uint32_t body = surface - TACT_MAX_COLLIDERS;
    if (is_elsewhere(p->drives, surface)) {
        if (surface < TACT_MAX_COLLIDERS) {
            place_collider(p, surface);
        } else {
            place_body(p, body);
        }
    } else if (surface < TACT_MAX_COLLIDERS) {
        const tact_result made = tact_particles_make_solid(p, &p->colliders[surface], false, &p->solids[surface].solid,
                                                           &p->solids[surface].mask);
        TACT_ASSERT(made == TACT_OK);
        (void)made;
        ++p->model.solids_version;
    } else {
        p->bodies[body].pose = p->drives->given[body];
        p->bodies[body].frame = tact_body_frame(&p->bodies[body].pose);
        ++p->model.poses_version;
    }
}

/// The first surface from this one on that there is.
static uint32_t next_surface(const tact_particles* p, uint32_t surface)
{
    if (surface >= p->model.solid_count && surface < TACT_MAX_COLLIDERS) surface = TACT_MAX_COLLIDERS;
    return surface < TACT_MAX_COLLIDERS + p->model.body_count ? surface : TACT_SURFACES;
}

void tact_surfaces_place(tact_particles* p)
{
    for (uint32_t i = next_surface(p, 0); i < TACT_SURFACES; i = next_surface(p, i + 1))
        place(p, i);
}

void tact_surfaces_put(tact_particles* p, uint32_t surface)
{
    tact_surface_drives* d = p->drives;
    if (!d) return;
    if (surface >= TACT_MAX_COLLIDERS) {
        const uint32_t body = surface - TACT_MAX_COLLIDERS;
        d->given[body] = p->bodies[body].pose;
    }
    tact_surface_progress* const all[3] = {&d->now[surface], &d->before[surface], &d->mirror[surface]};
    for (int k = 0; k < 3; ++k) {
        const double wear = all[k]->wear;
        *all[k] = at_first;
        all[k]->wear = wear;
    }
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    if (d->settings[surface].has_servo) place(p, surface);
    tact_float_env_leave(&float_env);
}

void tact_surfaces_roll_back(tact_particles* p)
{
    tact_surface_drives* d = p->drives;
    if (!d) return;
    memcpy(d->now, d->mirror, sizeof d->now);
    // However the caller rounds: this need not be within a query.
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    tact_surfaces_place(p);
    tact_float_env_leave(&float_env);
}

static bool moves(const tact_surface_drives* d, uint32_t surface)
{
    return d->settings[surface].moves || d->settings[surface].has_servo;
}

/// Whether one stays within the coordinates there are for `dt` seconds.
static bool has_room(const tact_particles* p, uint32_t surface, double dt)
{
    double velocity[3], spin[3], at[3] = {0.0, 0.0, 0.0};
    motion_of(p, surface, velocity, spin);
    if (surface >= TACT_MAX_COLLIDERS) {
        doubles_of(p->drives->given[surface - TACT_MAX_COLLIDERS].position, at);
    } else {
        const tact_collider* c = &p->colliders[surface];
        if (c->kind == TACT_COLLIDER_SPHERE) doubles_of(c->shape.sphere.center, at);
        if (c->kind == TACT_COLLIDER_CAPSULE) doubles_of(c->shape.capsule.a, at);
        if (c->kind == TACT_COLLIDER_BOX) doubles_of(c->shape.box.center, at);
    }
    for (int k = 0; k < 3; ++k) {
        const double end = at[k] + p->drives->now[surface].moved[k] + dt * velocity[k];
        if (!(fabs(end) <= (double)TACT_MAX_COORDINATE)) return false;
    }
    return true;
}

bool tact_surfaces_is_used(const tact_particles* p, uint32_t surface)
{
    const tact_surface_setting* s = &p->drives->settings[surface];
    return s->moves || s->worn || is_elsewhere(p->drives, surface) || p->drives->now[surface].wear != 0.0;
}

bool tact_surfaces_is_good(const tact_particles* p, uint32_t surface)
{
    const tact_surface_setting* s = &p->drives->settings[surface];
    const tact_surface_progress* at = &p->drives->now[surface];
    const double* q = at->turned;
    const double square = ((q[0] * q[0] + q[1] * q[1]) + q[2] * q[2]) + q[3] * q[3];
    const double most = s->has_servo ? (double)s->servo.greatest_speed : 0.0;
    return fabs(square - 1.0) <= 1e-9 && fabs(at->speed) <= most && isfinite(at->force) && at->wear >= 0.0 &&
           isfinite(at->wear) && has_room(p, surface, 0.0);
}

/// A surface's way in a substep, as grains turn (kernels/grain_contact.h).
static void advance(tact_particles* p, uint32_t surface, double dt)
{
    tact_surface_progress* at = &p->drives->now[surface];
    double velocity[3], w[3];
    motion_of(p, surface, velocity, w);
    for (int k = 0; k < 3; ++k)
        at->moved[k] += dt * velocity[k];
    const double speed = sqrt(dot(w, w));
    if (speed > 0.0) {
        // No more than a radian, beyond which a substep shows nothing of the turn.
        const double part = 0.5 * dt * speed > 0.5 ? 0.5 / speed : 0.5 * dt;
        const double a[3] = {part * w[0], part * w[1], part * w[2]};
        double* q = at->turned;
        const double x = q[0] + ((a[0] * q[3] + a[1] * q[2]) - a[2] * q[1]);
        const double y = q[1] + ((a[1] * q[3] + a[2] * q[0]) - a[0] * q[2]);
        const double z = q[2] + ((a[2] * q[3] + a[0] * q[1]) - a[1] * q[0]);
        const double k = q[3] - ((a[0] * q[0] + a[1] * q[1]) + a[2] * q[2]);
        const double length = sqrt(((x * x + y * y) + z * z) + k * k);
        q[0] = x / length;
        q[1] = y / length;
        q[2] = z / length;
        q[3] = k / length;
    }
    place(p, surface);
}

/// A servo's new speed, from what is measured.
static void steer(tact_particles* p, uint32_t surface)
{
    tact_surface_drives* d = p->drives;
    tact_surface_progress* at = &d->now[surface];
    const tact_servo* servo = &d->settings[surface].servo;
    const double most = (double)servo->greatest_speed;
    double direction[3];
    unit_of(servo->direction, direction);
    at->force = -dot(d->loads[surface].force, direction);
    const double speed = (double)servo->gain * ((double)servo->force - at->force);
    at->speed = speed < -most ? -most : speed > most ? most : speed;
    place(p, surface);
}

bool tact_surfaces_measure(const tact_particles* p)
{
    const tact_surface_drives* d = p->drives;
    bool measured = false;
    for (uint32_t i = next_surface(p, 0); d && i < TACT_SURFACES; i = next_surface(p, i + 1))
        measured = measured || d->settings[i].has_servo || d->settings[i].worn;
    return measured;
}

tact_result tact_surfaces_begin(tact_particles* p, float dt)
{
    tact_surface_drives* d = p->drives;
    if (!d) return TACT_OK;
    memcpy(d->before, d->now, sizeof d->now);
    if (tact_surfaces_measure(p)) {
        const tact_result result = tact_particles_fetch(p);
        if (result != TACT_OK) return result;
        tact_surfaces_sum_loads(p, p->model.motion.dt, NULL, d->loads, d->loads + TACT_MAX_COLLIDERS);
    }
    for (uint32_t i = next_surface(p, 0); i < TACT_SURFACES; i = next_surface(p, i + 1)) {
        if (d->settings[i].worn) d->now[i].wear += d->loads[i].rubbing_power * (double)dt;
        if (d->settings[i].has_servo) steer(p, i);
        if (!moves(d, i) || has_room(p, i, (double)dt)) continue;
        tact_surfaces_take_back(p);
        return tact_fail(&p->context->env, TACT_ERROR_LIMIT, "%s %u would move beyond %g",
                         i < TACT_MAX_COLLIDERS ? "collider" : "body", (unsigned)(i % TACT_MAX_COLLIDERS),
                         (double)TACT_MAX_COORDINATE);
    }
    return TACT_OK;
}

void tact_surfaces_take_back(tact_particles* p)
{
    tact_surface_drives* d = p->drives;
    if (!d) return;
    memcpy(d->now, d->before, sizeof d->now);
    tact_surfaces_place(p);
}

tact_result tact_surfaces_step(tact_particles* p, tact_particle_engine* engine, uint32_t substeps)
{
    const tact_surface_drives* d = p->drives;
    bool any = false;
    for (uint32_t i = next_surface(p, 0); d && i < TACT_SURFACES; i = next_surface(p, i + 1))
        any = any || moves(d, i);
    const uint32_t each = any || p->calls.function ? 1 : substeps;
    tact_result result = TACT_OK;
    for (uint32_t k = 0; k < substeps && result == TACT_OK; k += each) {
        p->model.first_substep = k;
        if (p->count > 0) result = tact_programs_call(p, engine);
        if (p->count > 0 && result == TACT_OK) {
            p->mirror_fresh = false;
            result = engine->type->step(engine, &p->model, each, &p->clock.counters);
        }
        for (uint32_t i = next_surface(p, 0); any && i < TACT_SURFACES; i = next_surface(p, i + 1)) {
            if (moves(d, i)) advance(p, i, (double)p->model.motion.dt);
        }
    }
    return result;
}

// ---- Calls ----

tact_result tact_particles_set_motion(tact_particles* p, tact_contact_with kind, uint32_t index, bool does)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    uint32_t surface = 0;
    const tact_result result = check_surface(p, kind, index, &surface);
    if (result != TACT_OK) return result;
    if (!tact_surfaces_make(p)) return TACT_ERROR_OUT_OF_MEMORY;
    p->drives->settings[surface].moves = does;
    tact_particles_changed(p);
    return TACT_OK;
}

tact_result tact_particles_set_servo(tact_particles* p, tact_contact_with kind, uint32_t index, const tact_servo* servo)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    uint32_t surface = 0;
    tact_result result = check_surface(p, kind, index, &surface);
    if (result == TACT_OK) result = check_forces(p);
    if (result == TACT_OK && servo) result = tact_spread_check_alone(p, "servo walls");
    if (result == TACT_OK && servo) result = tact_surfaces_check_servo(&p->context->env, servo);
    if (result != TACT_OK) return result;
    if (!tact_surfaces_make(p)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_surface_drives* d = p->drives;
    d->settings[surface].has_servo = servo != NULL;
    d->settings[surface].servo = (tact_servo){{0, 0, 0}, 0, 0, 0, {0}};
    if (servo) d->settings[surface].servo = *servo;
    tact_surface_progress* const all[3] = {&d->now[surface], &d->before[surface], &d->mirror[surface]};
    for (int k = 0; k < 3; ++k)
        all[k]->speed = all[k]->force = 0.0;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    place(p, surface);
    tact_float_env_leave(&float_env);
    tact_particles_changed(p);
    return TACT_OK;
}

tact_result tact_particles_set_wear(tact_particles* p, tact_contact_with kind, uint32_t index, bool counted)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    uint32_t surface = 0;
    tact_result result = check_surface(p, kind, index, &surface);
    if (result == TACT_OK) result = check_forces(p);
    if (result == TACT_OK && counted) result = tact_spread_check_alone(p, "wear");
    if (result != TACT_OK) return result;
    if (!tact_surfaces_make(p)) return TACT_ERROR_OUT_OF_MEMORY;
    p->drives->settings[surface].worn = counted;
    tact_particles_changed(p);
    return TACT_OK;
}

tact_result tact_particles_get_surface(const tact_particles* p, tact_contact_with kind, uint32_t index,
                                       tact_surface_state* state)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!state) return tact_null(&p->context->env, "state");
    uint32_t surface = 0;
    const tact_result result = check_surface(p, kind, index, &surface);
    if (result != TACT_OK) return result;
    const tact_surface_progress* at = p->drives ? &p->drives->now[surface] : &at_first;
    tact_surface_state s = {.servo_speed = at->speed, .servo_force = at->force, .wear = at->wear};
    if (kind == TACT_CONTACT_BODY) {
        s.pose = p->bodies[index].pose;
    } else {
        const TactSolid* c = &p->solids[index].solid;
        double r[9];
        rotation_of(at->turned, r);
        for (int k = 0; k < 9; ++k)
            s.pose.rotation[k] = (float)r[k];
        s.pose.position = (tact_vec3){c->px, c->py, c->pz};
        if (c->kind == TACT_SOLID_PLANE)
            s.pose.position = (tact_vec3){c->radius * c->ex, c->radius * c->ey, c->radius * c->ez};
        s.pose.velocity = (tact_vec3){c->lx, c->ly, c->lz};
        s.pose.spin = (tact_vec3){c->rx, c->ry, c->rz};
    }
    *state = s;
    return TACT_OK;
}
