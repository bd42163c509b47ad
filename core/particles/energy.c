// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Where the energy of a system is and where it goes. Contacts are summed in their order (meetings.h): the sums are the
// same on every device.

#include <math.h>

#include "core/particles/meetings.h"
#include "core/particles/programs.h"
#include "core/particles/spread.h"

/// Adds what tact_spring_force() stores, takes and gives in a contact.
static void add_spring(const tact_particle_meeting* m, tact_particle_totals* t)
{
    const float* own = m->state->velocity[m->row];
    const double inverse_mass =
        (double)own[3] + (m->other < m->state->count ? (double)m->state->velocity[m->other][3] : 0.0);
    const TactContactRule* rule = m->rule;
    const double n[3] = {(double)m->touch.nx, (double)m->touch.ny, (double)m->touch.nz};
    const double surface[3] = {(double)m->velocity.x, (double)m->velocity.y, (double)m->velocity.z};
    double v[3], along = 0.0, slip2 = 0.0, force[3];
    for (int k = 0; k < 3; ++k) {
        v[k] = surface[k] - (double)own[k];
        along += v[k] * n[k];
    }
    for (int k = 0; k < 3; ++k)
        slip2 += (v[k] - along * n[k]) * (v[k] - along * n[k]);
    const double depth = (double)m->touch.depth, spring = (double)rule->stiffness * depth, slip = sqrt(slip2);
    const double dashpot = sqrt((double)rule->stiffness / inverse_mass);
    const double push = fmax(spring - (double)rule->normal_damping * dashpot * along, 0.0);
    const double full = (double)rule->tangential_damping * dashpot, most = (double)rule->friction * push;
    const double drag = full * slip > most ? most / slip : full;
    t->elastic_energy += 0.5 * spring * depth;
    t->dissipated_power += (spring - push) * along + drag * slip2;
    for (int k = 0; k < 3; ++k) {
        force[k] = drag * (v[k] - along * n[k]) - push * n[k];
        // A wall, collider or body, whose motion nothing changes.
        if (m->other == m->state->count) t->external_power += force[k] * surface[k];
    }
}

/// Whether a particle is of no clump.
static bool is_free(const tact_particles* p, size_t row)
{
    return tact_clump_of(p->model.clumps, p->mirror.tag[row][0]) == TACT_NONE;
}

/// Adds what gravity gives to a mass, and drag takes.
static void add_mass(const tact_particles* p, const float v[3], double mass, tact_particle_totals* t)
{
    const TactMotion* m = &p->model.motion;
    const double g[3] = {(double)m->gx, (double)m->gy, (double)m->gz};
    for (int k = 0; k < 3; ++k) {
        const double speed = (double)v[k];
        t->external_power += mass * g[k] * speed;
        t->dissipated_power += (double)p->desc.drag * mass * speed * speed;
    }
}

/// Adds what gravity and the caller's forces give to a particle, and drag takes. `with`: the forces.
static void add_particle(const tact_particles* p, const tact_particle_model* with, size_t row, tact_particle_totals* t)
{
    const float* v = p->mirror.velocity[row];
    if (!(v[3] > 0.0f)) return;
    const uint32_t id = p->mirror.tag[row][0];
    if (is_free(p, row)) add_mass(p, v, 1.0 / (double)v[3], t);
    for (int k = 0; k < 3; ++k) {
        if (id < with->force_count) t->external_power += (double)with->forces[id][k] * (double)v[k];
        if (id < with->torque_count) t->external_power += (double)with->torques[id][k] * (double)p->mirror.spin[row][k];
    }
}

// ---- GRAINS ----

static double dot(TactVec a, TactVec b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

/// Adds what a contact of grains stores, takes and gives.
static void add_grain_meeting(const tact_particles* p, const tact_particle_meeting* meeting, tact_particle_totals* t)
{
    const tact_grain_meeting* m = &meeting->grain;
    TactGrainMemory after;
    const TactGrainPush push = tact_particle_met(p, meeting, &after);
    const tact_grain_energy energy = tact_grain_energy_of(m, &push, &meeting->memory, &after, (double)meeting->dt);
    t->elastic_energy += energy.elastic;
    t->dissipated_power += energy.dissipated;
    // A particle has no surface whose motion nothing changes.
    t->external_power += dot(push.force, m->surface) + dot(push.turn, meeting->spin);
}

/// What a beam holds along, and the rest.
static double beam_holds(TactBeam b, double stretched, const TactGrainMemory* m)
{
    const double slid = (double)m->sx * (double)m->sx + (double)m->sy * (double)m->sy + (double)m->sz * (double)m->sz;
    const double bent = (double)m->rx * (double)m->rx + (double)m->ry * (double)m->ry + (double)m->rz * (double)m->rz;
    return 0.5 * ((double)b.along * stretched * stretched + (double)b.across * slid + (double)b.bend * bent +
                  (double)b.twist * (double)m->twist * (double)m->twist);
}

/// Adds what a bond stores and takes.
static void add_bond(const tact_particles* p, const tact_particle_meeting* m, void* user)
{
    tact_particle_totals* t = user;
    TactGrainMemory after;
    float stretched = 0.0f;
    const TactGrainPush push = tact_particle_met(p, m, &after);
    const TactBeam beam = tact_particle_beam(p, m, &stretched);
    const TactVec n = tact_vec(m->grain.touch.nx, m->grain.touch.ny, m->grain.touch.nz);
    const double pull = (double)beam.along * (double)stretched;
    t->elastic_energy += beam_holds(beam, (double)stretched, &m->memory);
    // What dashpots take: of what the bond does all but its springs.
    const TactVec slid = tact_vec(after.sx, after.sy, after.sz), bent = tact_vec(after.rx, after.ry, after.rz);
    t->dissipated_power += dot(push.force, m->grain.slip) - pull * dot(m->grain.slip, n) -
                           (double)beam.across * dot(slid, m->grain.slip) + dot(push.turn, m->grain.spin) -
                           (double)beam.bend * dot(bent, m->grain.spin) -
                           (double)beam.twist * (double)after.twist * dot(m->grain.spin, n);
}

static void add_meeting(const tact_particles* p, const tact_particle_meeting* m, void* user)
{
    // Bonds are added by themselves.
    if (!m->acts || m->bond.kind > 0.0f) return;
    if (p->mirror.turns) {
        add_grain_meeting(p, m, user);
    } else {
        add_spring(m, user);
    }
}

static void add_turning(const tact_particles* p, size_t row, tact_particle_totals* t)
{
    const tact_grain_self self = tact_grain_of(&p->mirror, row);
    if (!(self.p.inverse_mass > 0.0f) || !is_free(p, row)) return;
    const double radius = (double)self.p.radius;
    t->rotational_energy += 0.5 * dot(self.spin, self.spin) * 0.4 * radius * radius / (double)self.p.inverse_mass;
}

/// Adds elastic energy and powers to totals. The host's copy is up to date. Errors: OUT_OF_MEMORY, the device's.
static tact_result sum_energy(tact_particles* p, tact_particle_totals* totals)
{
    tact_particle_model with;
    tact_result result = tact_particles_fetch_forces(p);
    if (result == TACT_OK) result = tact_programs_look(p, &with);
    if (result != TACT_OK) return result;
    for (size_t i = 0; i < p->mirror.count; ++i) {
        add_particle(p, &with, i, totals);
        if (p->mirror.turns) add_turning(p, i, totals);
    }
    for (size_t k = 0; k < p->clumps.count; ++k) {
        const tact_clump_motion* m = &p->mirror.clumps[k];
        const TactVec momentum = tact_vec(m->momentum[0], m->momentum[1], m->momentum[2]);
        totals->rotational_energy += 0.5 * dot(momentum, tact_clump_spun(&p->clumps, k, m));
        add_mass(p, m->velocity, 1.0 / (double)p->clumps.bodies[k].inverse_mass, totals);
    }
    if (p->mirror.turns) tact_particles_each_bond(p, add_bond, totals);
    return tact_particles_have_forces(p) ? tact_particles_each_meeting(p, &p->mirror, add_meeting, totals, NULL)
                                         : TACT_OK;
}

/// Adds mass, momentum and kinetic energy of what moves. Returns its speed.
static double add_moving(const float velocity[3], float inverse_mass, tact_particle_totals* t)
{
    const double v[3] = {(double)velocity[0], (double)velocity[1], (double)velocity[2]};
    const double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double mass = inverse_mass > 0.0f ? 1.0 / (double)inverse_mass : 0.0;
    t->mass += mass;
    t->kinetic_energy += 0.5 * mass * v2;
    for (int k = 0; k < 3; ++k)
        t->momentum[k] += mass * v[k];
    return sqrt(v2);
}

tact_result tact_particles_measure(tact_particles* p, tact_particle_totals* totals)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "energies");
    if (alone != TACT_OK) return alone;
    if (!totals) return tact_null(&p->context->env, "totals");
    const tact_result result = tact_particles_recall(p);
    if (result != TACT_OK) return result;
    const tact_particle_state* m = &p->mirror;
    tact_particle_totals t = {.lower = {INFINITY, INFINITY, INFINITY}, .upper = {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < m->count; ++i) {
        const float inverse = m->velocity[i][3];
        const double speed = add_moving(m->velocity[i], is_free(p, i) ? inverse : 0.0f, &t);
        t.largest_speed = fmax(speed, t.largest_speed);
        for (int k = 0; k < 3; ++k) {
            if (m->position[i][k] < t.lower[k]) t.lower[k] = m->position[i][k];
            if (m->position[i][k] > t.upper[k]) t.upper[k] = m->position[i][k];
        }
    }
    for (size_t k = 0; k < p->clumps.count; ++k)
        add_moving(m->clumps[k].velocity, p->clumps.bodies[k].inverse_mass, &t);
    const tact_result summed = sum_energy(p, &t);
    if (summed == TACT_OK) *totals = t;
    return summed;
}
