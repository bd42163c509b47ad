// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a substep does to one particle besides the other particles: see particles.h. Every engine on the CPU calls
// these, and the kernels do the same with the same headers.

#include <math.h>

#include "cpu_ref/particles/particles.h"

static bool meets(uint32_t mask, uint32_t group)
{
    TACT_ASSERT(group < TACT_PARTICLE_GROUPS);
    return mask >> group & 1u;
}

static TactTouch touch_face(TactDomainAxis a, uint32_t face, float at, float radius)
{
    const uint32_t axis = face / 2;
    TACT_ASSERT(face < 6);
    return tact_touch_wall(a, (int)(face & 1u), axis == 0 ? 1.0f : 0.0f, axis == 1 ? 1.0f : 0.0f,
                           axis == 2 ? 1.0f : 0.0f, at, radius);
}

TactVec tact_particle_wall_normal(uint32_t face)
{
    const TactDomainAxis any = {.faces = TACT_FACES_WALL};
    const TactTouch t = touch_face(any, face, 0.0f, 1.0f);
    return tact_vec(t.nx, t.ny, t.nz);
}

static void wall_touches(const tact_particle_model* model, const tact_particle_self* p, tact_surface_fn* f, void* user)
{
    const TactDomainAxis* const axes[3] = {&model->domain.x, &model->domain.y, &model->domain.z};
    const float at[3] = {p->x, p->y, p->z};
    for (uint32_t face = 0; face < 6; ++face) {
        tact_surface_touch s = {.with = TACT_CONTACT_WALL, .index = face, .triangle = TACT_NONE};
        s.touch = touch_face(*axes[face / 2], face, at[face / 2], p->radius);
        s.material = model->wall_material;
        if (s.touch.touches) f(model, p, &s, user);
    }
}

static void solid_touches(const tact_particle_model* model, const tact_particle_self* p, tact_surface_fn* f, void* user)
{
    for (uint32_t i = 0; i < model->solid_count; ++i) {
        const TactSolid* c = &model->solids[i].solid;
        if (!meets(model->solids[i].mask, p->group)) continue;
        const TactSurface surface = tact_surface_solid(*c, p->x, p->y, p->z);
        tact_surface_touch s = {
            .with = TACT_CONTACT_COLLIDER, .index = i, .triangle = TACT_NONE, .material = c->material};
        s.touch = tact_touch_surface(surface.nx, surface.ny, surface.nz, surface.distance, p->radius);
        if (!s.touch.touches) continue;
        s.spin = tact_vec(c->rx, c->ry, c->rz);
        s.velocity =
            tact_surface_velocity(c->lx, c->ly, c->lz, c->rx, c->ry, c->rz, p->x - c->px, p->y - c->py, p->z - c->pz);
        f(model, p, &s, user);
    }
}

static void body_touches(const tact_particle_model* model, const tact_particle_self* p, tact_surface_fn* f, void* user)
{
    const float center[3] = {p->x, p->y, p->z};
    for (uint32_t i = 0; i < model->body_count; ++i) {
        const tact_particle_body* b = &model->bodies[i];
        tact_body_touch touches[TACT_BODY_TOUCHES];
        const size_t count = tact_body_touches(b, center, p->radius, touches);
        TACT_ASSERT(count <= TACT_BODY_TOUCHES);
        for (size_t k = 0; k < count; ++k) {
            const tact_body_touch* t = &touches[k];
            tact_surface_touch s = {
                .with = TACT_CONTACT_BODY, .index = i, .triangle = t->triangle, .material = b->material};
            s.touch = tact_touch_surface(t->nx, t->ny, t->nz, t->distance, p->radius);
            if (!s.touch.touches) continue;
            const tact_body_pose* o = &b->pose;
            s.spin = tact_vec(o->spin.x, o->spin.y, o->spin.z);
            s.velocity =
                tact_surface_velocity(o->velocity.x, o->velocity.y, o->velocity.z, o->spin.x, o->spin.y, o->spin.z,
                                      p->x - o->position.x, p->y - o->position.y, p->z - o->position.z);
            f(model, p, &s, user);
        }
    }
}

void tact_particle_surfaces(const tact_particle_model* model, const tact_particle_self* p, tact_surface_fn* f,
                            void* user)
{
    wall_touches(model, p, f, user);
    tact_particle_obstacles(model, p, f, user);
}

void tact_particle_obstacles(const tact_particle_model* model, const tact_particle_self* p, tact_surface_fn* f,
                             void* user)
{
    if (p->clear > p->radius) return;
    solid_touches(model, p, f, user);
    body_touches(model, p, f, user);
}

static void add_force(const tact_particle_model* model, const tact_particle_self* p, const tact_surface_touch* s,
                      void* user)
{
    TACT_ASSERT(p->material < TACT_PARTICLE_MATERIALS && s->material < TACT_PARTICLE_MATERIALS);
    TactVec* force = user;
    const TactVec f =
        tact_spring_force(s->touch, s->velocity.x - p->vx, s->velocity.y - p->vy, s->velocity.z - p->vz,
                          p->inverse_mass, model->rules[p->material * TACT_PARTICLE_MATERIALS + s->material]);
    force->x += f.x;
    force->y += f.y;
    force->z += f.z;
}

void tact_particle_static_forces(const tact_particle_model* model, const tact_particle_self* p, TactVec* force)
{
    tact_particle_surfaces(model, p, add_force, force);
}

void tact_particle_wall_forces(const tact_particle_model* model, const tact_particle_self* p, TactVec* force)
{
    wall_touches(model, p, add_force, force);
}

typedef struct shift_sum {
    const float* from;
    TactVec* shift;
    uint32_t* count;
} shift_sum;

static void add_shift(const tact_particle_model* model, const tact_particle_self* p, const tact_surface_touch* s,
                      void* user)
{
    TACT_ASSERT(p->material < TACT_PARTICLE_MATERIALS && s->material < TACT_PARTICLE_MATERIALS);
    shift_sum* sum = user;
    const float dt = model->motion.dt;
    const float sx = dt * s->velocity.x - (p->x - sum->from[0]);
    const float sy = dt * s->velocity.y - (p->y - sum->from[1]);
    const float sz = dt * s->velocity.z - (p->z - sum->from[2]);
    const TactVec m = tact_position_shift(s->touch, sx, sy, sz, p->inverse_mass > 0.0f ? 1.0f : 0.0f,
                                          model->rules[p->material * TACT_PARTICLE_MATERIALS + s->material].friction);
    sum->shift->x += m.x;
    sum->shift->y += m.y;
    sum->shift->z += m.z;
    ++*sum->count;
}

void tact_particle_static_shifts(const tact_particle_model* model, const tact_particle_self* p, const float from[3],
                                 TactVec* shift, uint32_t* count)
{
    shift_sum sum = {from, shift, count};
    tact_particle_surfaces(model, p, add_shift, &sum);
}

/// The nearest collider or body, as WAY_DISTANCE wants it: the first of several at the same distance.
static TactSurface nearest(const tact_particle_model* model, uint32_t group, float x, float y, float z, float limit)
{
    TACT_ASSERT(!(limit < 0.0f));
    TactSurface best = {TACT_FARTHEST, 0.0f, 1.0f, 0.0f};
    for (uint32_t i = 0; i < model->solid_count; ++i) {
        if (!meets(model->solids[i].mask, group)) continue;
        const TactSurface s = tact_surface_solid(model->solids[i].solid, x, y, z);
        if (s.distance < best.distance) best = s;
    }
    const float point[3] = {x, y, z};
    for (uint32_t i = 0; i < model->body_count; ++i) {
        float normal[3];
        const float distance = tact_body_distance(&model->bodies[i], point, limit, normal);
        if (distance <= limit && distance < best.distance) {
            best = (TactSurface){distance, normal[0], normal[1], normal[2]};
        }
    }
    return best;
}

float tact_particle_clearance(const tact_particle_model* model, const tact_particle_self* p, float limit)
{
    const float distance = nearest(model, p->group, p->x, p->y, p->z, limit).distance;
    return distance < limit ? distance : limit;
}

/// How far a particle gets that moves from `from` to `to`: cut short before it comes closer than half its radius to a
/// collider or body. Returns true when it was, and then takes from `velocity` (NULL: none) what leads into the surface.
static bool particle_way(const tact_particle_model* model, const tact_particle_self* p, const float from[3],
                         float to[3], float velocity[3])
{
    if ((model->solid_count == 0 && model->body_count == 0) || model->response == TACT_RESPONSE_NONE) return false;
    const float fx = from[0], fy = from[1], fz = from[2], radius = p->radius;
    float tx = to[0], ty = to[1], tz = to[2];
    // A surface that is farther away than the limit of the first query there stops nothing.
    if (p->clear > tact_length3(tx - fx, ty - fy, tz - fz) + 0.5f * radius) return false;
    float surface_distance = 0.0f, surface_nx = 0.0f, surface_ny = 0.0f, surface_nz = 0.0f;
    int way_stopped = 0;
    const TactDomain way_domain = model->domain;
#define WAY_DISTANCE(x, y, z, limit)                                                  \
    {                                                                                 \
        const TactSurface surface = nearest(model, p->group, (x), (y), (z), (limit)); \
        surface_distance = surface.distance;                                          \
        surface_nx = surface.nx;                                                      \
        surface_ny = surface.ny;                                                      \
        surface_nz = surface.nz;                                                      \
    }
#include "kernels/particle_way.h"
#undef WAY_DISTANCE
    to[0] = tx;
    to[1] = ty;
    to[2] = tz;
    if (way_stopped == 2 && velocity) {
        const float along = tact_dot3(velocity[0], velocity[1], velocity[2], surface_nx, surface_ny, surface_nz);
        if (along < 0.0f) {
            velocity[0] = velocity[0] - along * surface_nx;
            velocity[1] = velocity[1] - along * surface_ny;
            velocity[2] = velocity[2] - along * surface_nz;
        }
    }
    return way_stopped != 0;
}

void tact_particle_caller_force(const tact_particle_model* model, uint32_t id, TactVec* force)
{
    if (id >= model->force_count) return;
    force->x += model->forces[id][0];
    force->y += model->forces[id][1];
    force->z += model->forces[id][2];
}

void tact_particle_caller_torque(const tact_particle_model* model, uint32_t id, TactVec* torque)
{
    if (id >= model->torque_count) return;
    torque->x += model->torques[id][0];
    torque->y += model->torques[id][1];
    torque->z += model->torques[id][2];
}

/// The velocity after the forces, within the speed limit.
static void accelerate(const tact_particle_model* model, tact_particle_self* p, TactVec force,
                       tact_particle_counters* counters)
{
    TACT_ASSERT(p->inverse_mass >= 0.0f);
    tact_particle_caller_force(model, p->id, &force);
    const TactVec v =
        tact_motion_velocity(model->motion, p->vx, p->vy, p->vz, force.x, force.y, force.z, p->inverse_mass);
    const TactVec limited = tact_motion_limit(model->motion.speed_limit, v.x, v.y, v.z);
    if (limited.x != v.x || limited.y != v.y || limited.z != v.z) ++counters->slowed;
    p->vx = limited.x;
    p->vy = limited.y;
    p->vz = limited.z;
}

/// A place held inside the domain, and no speed out of it where it was to be outside.
static void hold(const tact_particle_model* model, tact_particle_self* p, float at[3])
{
    p->vx = tact_domain_speed(model->domain.x, at[0], p->vx);
    p->vy = tact_domain_speed(model->domain.y, at[1], p->vy);
    p->vz = tact_domain_speed(model->domain.z, at[2], p->vz);
    at[0] = tact_domain_hold(model->domain.x, at[0]);
    at[1] = tact_domain_hold(model->domain.y, at[1]);
    at[2] = tact_domain_hold(model->domain.z, at[2]);
}

/// Puts the particle down at a place, held inside the domain.
static void place(const tact_particle_model* model, tact_particle_self* p, float x, float y, float z)
{
    p->vx = tact_domain_speed(model->domain.x, x, p->vx);
    p->vy = tact_domain_speed(model->domain.y, y, p->vy);
    p->vz = tact_domain_speed(model->domain.z, z, p->vz);
    p->x = tact_grid_wrap(model->grid.x, tact_domain_hold(model->domain.x, x));
    p->y = tact_grid_wrap(model->grid.y, tact_domain_hold(model->domain.y, y));
    p->z = tact_grid_wrap(model->grid.z, tact_domain_hold(model->domain.z, z));
}

void tact_particle_finish(const tact_particle_model* model, tact_particle_self* p, TactVec force,
                          tact_particle_counters* counters)
{
    accelerate(model, p, force, counters);
    const float dt = model->motion.dt;
    const float from[3] = {p->x, p->y, p->z};
    float to[3] = {p->x + dt * p->vx, p->y + dt * p->vy, p->z + dt * p->vz};
    // Before the way is looked at: to be moved back from beyond a wall could lead through a mesh.
    hold(model, p, to);
    float velocity[3] = {p->vx, p->vy, p->vz};
    if (particle_way(model, p, from, to, velocity)) ++counters->stopped;
    p->vx = velocity[0];
    p->vy = velocity[1];
    p->vz = velocity[2];
    place(model, p, to[0], to[1], to[2]);
}

void tact_particle_predict(const tact_particle_model* model, tact_particle_self* p, float to[3],
                           tact_particle_counters* counters)
{
    accelerate(model, p, tact_vec(0.0f, 0.0f, 0.0f), counters);
    const float dt = model->motion.dt;
    const float from[3] = {p->x, p->y, p->z};
    to[0] = tact_domain_hold(model->domain.x, p->x + dt * p->vx);
    to[1] = tact_domain_hold(model->domain.y, p->y + dt * p->vy);
    to[2] = tact_domain_hold(model->domain.z, p->z + dt * p->vz);
    if (particle_way(model, p, from, to, NULL)) ++counters->stopped;
}

void tact_particle_settle(const tact_particle_model* model, tact_particle_self* p, const float to[3], bool touched,
                          tact_particle_counters* counters)
{
    TACT_ASSERT(model->response == TACT_RESPONSE_POSITION);
    const float dt = model->motion.dt;
    const float from[3] = {p->x, p->y, p->z};
    float end[3] = {tact_domain_hold(model->domain.x, to[0]), tact_domain_hold(model->domain.y, to[1]),
                    tact_domain_hold(model->domain.z, to[2])};
    if (particle_way(model, p, from, end, NULL)) ++counters->stopped;
    // Not faster than before the contacts by more than the separation speed.
    const float before = tact_length3(p->vx, p->vy, p->vz);
    const float vx = tact_speed_clamp(tact_div(end[0] - from[0], dt));
    const float vy = tact_speed_clamp(tact_div(end[1] - from[1], dt));
    const float vz = tact_speed_clamp(tact_div(end[2] - from[2], dt));
    const TactVec v = tact_motion_limit(before + model->separation_speed, vx, vy, vz);
    if (p->inverse_mass > 0.0f) {
        p->vx = v.x;
        p->vy = v.y;
        p->vz = v.z;
        if (touched && tact_length3(v.x, v.y, v.z) < model->sleep_speed) {
            p->vx = 0.0f;
            p->vy = 0.0f;
            p->vz = 0.0f;
            return;
        }
    }
    place(model, p, end[0], end[1], end[2]);
}

typedef struct contact_list {
    tact_particle_contact* contacts;
    size_t count, capacity;
} contact_list;

static void add_contact(const tact_particle_model* model, const tact_particle_self* p, const tact_surface_touch* s,
                        void* user)
{
    contact_list* list = user;
    TACT_ASSERT(s->with == TACT_CONTACT_WALL || s->with == TACT_CONTACT_COLLIDER || s->with == TACT_CONTACT_BODY);
    const TactTouch t = tact_contact_touch(s->touch);
    const TactVec point = tact_touching_point(t, p->x, p->y, p->z, p->radius);
    (void)model;
    if (list->count < list->capacity) {
        list->contacts[list->count] = (tact_particle_contact){
            .a = p->id,
            .b = s->index,
            .with = s->with,
            .triangle = s->triangle,
            .point = {point.x, point.y, point.z},
            .depth = t.depth,
            .normal = {t.nx, t.ny, t.nz},
        };
    }
    ++list->count;
}

size_t tact_particle_static_contacts(const tact_particle_model* model, const tact_particle_self* p,
                                     tact_particle_contact* contacts, size_t capacity)
{
    TACT_ASSERT(contacts || capacity == 0);
    contact_list list = {contacts, 0, capacity};
    tact_particle_surfaces(model, p, add_contact, &list);
    return list.count;
}
