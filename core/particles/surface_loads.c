// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What particles exert on walls, colliders and bodies: summed on the host's copy of the state, whatever backend steps
// it, in order of id, so that the sums are the same on every device.

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/particles/spread.h"
#include "core/particles/surfaces.h"

/// The contacts of one particle.
typedef struct load_sum {
    const tact_particles* particles;
    const tact_grain_self* self;
    float dt;
    tact_grain_past past;         ///< GRAINS
    tact_surface_load* loads[3];  ///< of walls, colliders, bodies
} load_sum;

/// The point that torques are about.
static void point_of(const tact_particles* p, const tact_surface_touch* touch, double point[3])
{
    point[0] = point[1] = point[2] = 0.0;
    if (touch->with == TACT_CONTACT_COLLIDER) {
        const TactSolid* c = &p->model.solids[touch->index].solid;
        const float at[3] = {c->px, c->py, c->pz};
        for (int k = 0; k < 3 && c->kind != TACT_SOLID_PLANE; ++k)
            point[k] = (double)at[k];
    } else if (touch->with == TACT_CONTACT_BODY) {
        const tact_vec3 at = p->model.bodies[touch->index].pose.position;
        point[0] = (double)at.x;
        point[1] = (double)at.y;
        point[2] = (double)at.z;
    }
}

static void add_surface(const tact_particle_model* model, const tact_particle_self* self,
                        const tact_surface_touch* touch, void* user)
{
    load_sum* s = user;
    tact_surface_load* loads = s->loads[touch->with - TACT_CONTACT_WALL];
    TactVec force, turn = tact_vec(0.0f, 0.0f, 0.0f), slip;
    if (model->response == TACT_RESPONSE_GRAINS) {
        const tact_grain_meeting m = tact_grain_meet_surface(model, s->self, touch);
        TactGrainMemory memory = tact_grain_remembered(&s->past, touch);
        const TactGrainPush push = tact_grain_met(&m, s->dt, &memory);
        force = push.force;
        turn = push.turn;
        slip = m.slip;
    } else {
        slip = tact_vec(touch->velocity.x - self->vx, touch->velocity.y - self->vy, touch->velocity.z - self->vz);
        force = tact_spring_force(touch->touch, slip.x, slip.y, slip.z, self->inverse_mass,
                                  model->rules[self->material * TACT_PARTICLE_MATERIALS + touch->material]);
    }
    if (!loads) return;
    tact_surface_load* load = &loads[touch->index];
    const TactTouch* t = &touch->touch;
    const double n[3] = {(double)t->nx, (double)t->ny, (double)t->nz},
                 arm = (double)tact_grain_arm(self->radius, t->depth);
    const double f[3] = {-(double)force.x, -(double)force.y, -(double)force.z};
    const double u[3] = {(double)slip.x, (double)slip.y, (double)slip.z};
    const double at[3] = {(double)self->x, (double)self->y, (double)self->z};
    const double turns[3] = {(double)turn.x, (double)turn.y, (double)turn.z};
    const double normal = (f[0] * n[0] + f[1] * n[1]) + f[2] * n[2], along = (u[0] * n[0] + u[1] * n[1]) + u[2] * n[2];
    double point[3], r[3], slid = 0.0;
    point_of(s->particles, touch, point);
    for (int k = 0; k < 3; ++k) {
        const double across = u[k] - along * n[k];
        slid += across * across;
        r[k] = (at[k] - point[k]) + arm * n[k];
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        load->force[k] += f[k];
        load->torque[k] += (r[i] * f[j] - r[j] * f[i]) - turns[k];
    }
    if (normal > 0.0) {
        load->normal_force += normal;
        load->rubbing_power += normal * sqrt(slid);
    }
    ++load->contacts;
}

static tact_grain_self self_of(const tact_particle_state* s, size_t i)
{
    return s->turns ? tact_grain_of(s, i) : (tact_grain_self){.p = tact_particle_self_of(s, i)};
}

void tact_surfaces_sum_loads(const tact_particles* p, float dt, tact_surface_load* walls, tact_surface_load* colliders,
                             tact_surface_load* bodies)
{
    const tact_particle_state* m = &p->mirror;
    TACT_ASSERT(p->mirror_fresh && dt > 0.0f);
    if (walls) memset(walls, 0, 6 * sizeof *walls);
    if (colliders) memset(colliders, 0, p->model.solid_count * sizeof *colliders);
    if (bodies) memset(bodies, 0, p->model.body_count * sizeof *bodies);
    size_t at = 0;
    for (size_t i = 0; i < m->count; ++i) {
        const tact_grain_self self = self_of(m, i);
        // Records are sorted as particles are; those with surfaces follow those with particles.
        while (at < m->record_count &&
               (m->records[at].a < self.p.id ||
                (m->records[at].a == self.p.id && m->records[at].with == TACT_CONTACT_PARTICLE))) {
            ++at;
        }
        size_t end = at;
        while (end < m->record_count && m->records[end].a == self.p.id)
            ++end;
        if (self.p.inverse_mass > 0.0f) {
            load_sum s = {.particles = p,
                          .self = &self,
                          .dt = dt,
                          .past = {end > at ? m->records + at : NULL, end - at, {0}},
                          .loads = {walls, colliders, bodies}};
            tact_particle_surfaces(&p->model, &self.p, add_surface, &s);
        }
        at = end;
    }
}

tact_result tact_particles_measure_surfaces(tact_particles* p, tact_surface_load* walls, tact_surface_load* colliders,
                                            tact_surface_load* bodies)
{
    // How far a spring is drawn while it is looked at.
    static const float moment = 1e-9f;
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "loads on surfaces");
    if (alone != TACT_OK) return alone;
    if (p->model.response != TACT_RESPONSE_SPRING && p->model.response != TACT_RESPONSE_GRAINS)
        return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "the system's response has no forces");
    const tact_result result = tact_particles_recall(p);
    if (result != TACT_OK) return result;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    tact_surfaces_sum_loads(p, moment, walls, colliders, bodies);
    tact_float_env_leave(&float_env);
    return TACT_OK;
}
