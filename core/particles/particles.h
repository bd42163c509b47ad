// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a particle system: the model, the host's copy of the state, the engines.

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "core/context/context.h"
#include "core/particles/laws.h"
#include "cpu_ref/particles/program.h"
#include "tact/particle_programs.h"

/// The system's clock.
typedef struct tact_particle_clock {
    uint64_t steps, substeps;
    double time;
    float dt;  ///< of the last substep; 0 before there was one
    tact_particle_counters counters;
} tact_particle_clock;

/// How far an emitter has come.
typedef struct tact_emitter_state {
    uint64_t sheets, emitted;
    double next;  ///< when the next sheet is due
} tact_emitter_state;

/// Steps done since the host's copy was made, as long as they can be done again.
typedef struct tact_particle_journal {
    uint64_t steps;
    float dt;
    uint32_t substeps;
    bool broken;  ///< something else was changed in between
} tact_particle_journal;

/// What surfaces that move by themselves, have a servo or wear are doing: surfaces.h.
typedef struct tact_surface_drives tact_surface_drives;

/// A force function, and what it is called with.
typedef struct tact_force_calls {
    tact_force_function* function;  ///< NULL: there is none
    void* user;
    tact_particle_state state;  ///< at the start of the substep
    uint32_t* ids;
    float *positions, *velocities, *radii, *masses, *spins, *forces, *torques;
    size_t capacity;                         ///< of these
    float (*by_id)[3], (*torques_by_id)[3];  ///< the sum of what it gave and what was set
    size_t by_id_capacity, torques_capacity;
    size_t set_count;  ///< of forces that were set, while a step is taken
} tact_force_calls;

struct tact_particles {
    tact_context* context;
    tact_particles_desc desc;  ///< materials is NULL
    tact_particle_model model;
    tact_particle_material materials[TACT_PARTICLE_MATERIALS];
    uint32_t material_count;
    float max_radius, min_radius;  ///< of all particles ever; 0 before the first
    float least_mass;              ///< of all ever, infinite ones left out; 0 before the first
    float most_stiffness, most_damping;
    TactGrainRule grain_rules[TACT_PARTICLE_MATERIALS * TACT_PARTICLE_MATERIALS];  ///< GRAINS: of the model
    TactBondRule bond_rules[TACT_BOND_KINDS];                                      ///< GRAINS: of the model
    float bond_slope;                                                              ///< of the steepest bond, N/m

    tact_clump_table clumps;     ///< GRAINS: of the model, unless it is empty
    tact_particle_state mirror;  ///< the host's copy
    bool mirror_fresh;           ///< it is the present state
    tact_particle_clock clock, mirror_clock;
    tact_particle_journal journal;

    tact_particle_engine* engines[TACT_BACKEND_COUNT];  ///< made when first used
    tact_backend home;                                  ///< whose engine had the state last; AUTO: none
    bool engine_fresh;                                  ///< that engine has the present state

    uint64_t* used;  ///< a bit for each id
    size_t used_capacity;
    uint32_t id_end, free_from;
    size_t count;

    uint64_t* user_data;                                                     ///< by id; NULL until it is set
    uint64_t collider_data[TACT_MAX_COLLIDERS], body_data[TACT_MAX_BODIES];  ///< likewise the caller's
    size_t user_count, user_capacity;
    uint64_t known_steps;  ///< while lost steps are taken again: how many there were

    float (*forces)[3];
    tact_particle_engine* forces_away;  ///< the engine that alone has the forces; NULL: the host has them
    size_t force_capacity;
    tact_particle_solid* solids;
    size_t solid_capacity;
    tact_collider* colliders;  ///< as given, beside the solids
    size_t collider_capacity;
    tact_particle_body* bodies;
    size_t body_capacity;

    tact_surface_drives* drives;  ///< NULL until first used

    struct tact_particle_spread* spread;  ///< spread.h; NULL: one process has all. Then `mirror` has this rank's part,
                                          ///< and ids in use and how many there are are those of all ranks

    struct tact_program_settings* program;  ///< programs.h; NULL: there is none
    tact_program_room program_room;         ///< for figures of the host's copy
    tact_force_calls calls;

    tact_emitter emitters[TACT_MAX_EMITTERS];
    tact_emitter_state emitter_states[TACT_MAX_EMITTERS], mirror_emitter_states[TACT_MAX_EMITTERS];
    uint32_t emitter_count;
    tact_particle_solid sinks[TACT_MAX_SINKS];
    tact_collider sink_colliders[TACT_MAX_SINKS];
    uint32_t sink_count;
    uint32_t* sink_ids;  ///< scratch
    size_t sink_id_capacity;
};

/// Brings the host's copy up to date. Errors: the device's.
tact_result tact_particles_fetch(tact_particles* particles);

/// Does the same at the beginning of a call, which can do without the device: steps that a lost one takes with it are
/// taken again on the CPU. DEVICE_LOST where they cannot be: the host's copy is then the state.
tact_result tact_particles_recall(tact_particles* particles);

/// The same, for changing it: the engines' copies are then out of date.
tact_result tact_particles_edit(tact_particles* particles);

/// Notes that something a step depends on was changed, so that steps before cannot be done again.
void tact_particles_changed(tact_particles* particles);

/// The engine of a backend, made if need be, with the present state.
tact_result tact_particles_engine(tact_particles* particles, tact_backend backend, uint32_t device,
                                  tact_particle_engine** engine);

/// Brings forces to the host that only a device has. Errors: the device's.
tact_result tact_particles_fetch_forces(tact_particles* particles);

/// Works out cells and their levels for the radii there are. INVALID_ARGUMENT: a periodic axis is too short.
tact_result tact_particles_set_grid(tact_particles* particles, float max_radius, float min_radius);

/// The mass of the particle in a row of the host's copy; of one in a clump, its part of the clump's.
static inline double tact_particles_mass(const tact_particles* particles, size_t row)
{
    const float inverse = particles->mirror.velocity[row][3];
    const uint32_t id = particles->mirror.tag[row][0];
    if (tact_clump_of(particles->model.clumps, id) != TACT_NONE)
        return (double)particles->clumps.members[particles->clumps.of[id][1]].mass;
    return inverse > 0.0f ? 1.0 / (double)inverse : HUGE_VAL;
}

/// INVALID_ARGUMENT where a place, that of particle `i` of those given, is not finite, too far, or outside the domain.
tact_result tact_particles_check_place(tact_particles* particles, size_t i, const float x[3]);
/// Copies a place that was checked: the two faces of a periodic axis are one.
void tact_particles_put_place(const tact_particles* particles, float to[3], const float x[3]);

/// Removes particles, of clumps too if all of their spheres are among them: as tact_particles_remove().
tact_result tact_particles_take_out(tact_particles* particles, const uint32_t* ids, size_t count);
/// The same of a spread system, for what all ranks name together. Collective.
tact_result tact_particles_take_out_of_all(tact_particles* particles, const uint32_t* ids, size_t count);

/// Ids for `count` new particles, ascending, the smallest that are free. They count as used from then on.
tact_result tact_particles_take_ids(tact_particles* particles, size_t count, uint32_t* ids);
/// The same for `all` of several ranks, of which those from number `first` on, `count` of them, go to `ids`.
tact_result tact_particles_take_ids_of(tact_particles* particles, size_t all, size_t first, size_t count,
                                       uint32_t* ids);
void tact_particles_return_ids(tact_particles* particles, const uint32_t* ids, size_t count);

/// The ids that are number `numbers[i]`, ascending, of those in use; the end of all where there are not as many.
void tact_particles_ids_at(const tact_particles* particles, const uint64_t* numbers, size_t count, uint32_t* ids);

/// Whether an id is in use.
static inline bool tact_particles_has(const tact_particles* particles, uint32_t id)
{
    return id < particles->id_end && (particles->used[id / 64] >> (id % 64) & 1u);
}

/// Takes the user data off ids that new particles have.
void tact_particles_forget_user_data(tact_particles* particles, const uint32_t* ids, size_t count);

/// Turns a collider into a solid. INVALID_ARGUMENT with the reason as detail.
tact_result tact_particles_make_solid(tact_particles* particles, const tact_collider* collider, bool sink,
                                      TactSolid* solid, uint32_t* mask);

#define TACT_LARGEST_RADIUS 1e15f

/// Checks particle i of arrays, which messages call `number`, and puts it at place i of `state`, which has room,
/// without an id. INVALID_ARGUMENT with the reason as detail.
tact_result tact_particles_fill(tact_particles* particles, const tact_particle_arrays* arrays, size_t i, size_t number,
                                tact_particle_state* state);

/// Whether one system may have radii from `least` to `most`.
bool tact_particles_radii_fit(float least, float most);

/// The grid for the radii there are and new ones, from `smallest` to `largest`, which have been checked.
tact_result tact_particles_fit_grid(tact_particles* particles, float smallest, float largest);

/// Notes the reciprocal of a new particle's mass.
void tact_particles_note_mass(tact_particles* particles, float inverse);

/// Adds particles that have been checked, in order of their ids.
tact_result tact_particles_insert(tact_particles* particles, const tact_particle_state* extra);

/// At the start of a step: what emitters let in. At its end: what sinks take out. `*intact` becomes false when a
/// failure leaves the engine's state unknown.
tact_result tact_particles_emit(tact_particles* particles, tact_particle_engine* engine, bool* intact);
/// Before a step: memory for what comes after it, since a step that was taken cannot be taken back for want of it.
bool tact_particles_reserve_drain(tact_particles* particles);
tact_result tact_particles_drain(tact_particles* particles, tact_particle_engine* engine);

/// Whether the host's copy has its particles in ascending order of their ids, and these are the ids in use. For
/// TACT_VALIDATE, when the copy is fresh.
bool tact_particles_are_valid(const tact_particles* particles);

/// INVALID_ARGUMENT where a system's particles do not turn.
tact_result tact_particles_check_turns(const tact_particles* particles);
/// INVALID_ARGUMENT where an orientation is no unit quaternion. `of`, `i`: of what, among those given, for the detail.
tact_result tact_grains_check_orientation(tact_env* env, const char* of, size_t i, const float q[4]);
/// GRAINS: the rule of a contact whose law was not set.
TactGrainRule tact_grain_rule_of(TactContactRule rule);
/// As tact_particles_stable_step(), of a system that has particles.
double tact_grains_stable_step(const tact_particles* particles);
/// Works out the units of forces and torques for the rules and radii there are.
void tact_grains_set_units(tact_particles* particles);

/// The rule of a contact between two materials.
TactContactRule tact_particles_rule(const tact_particle_material* rule, float stiffness);

// Shadow checking of particle systems: what was answered is compared with the brute force.

/// A system's bytes as tact_particles_save() writes them, to be released.
tact_result tact_particles_shadow_save(tact_particles* particles, void** bytes, size_t* size);

/// Takes the steps again, by brute force, from the bytes on. SHADOW_MISMATCH, with the first particle that differs as
/// detail, when the system is in another state.
tact_result tact_particles_shadow_steps(tact_particles* particles, const void* bytes, size_t size, float dt,
                                        uint32_t substeps, uint32_t steps, int threads);

/// Compares the first `capacity` contacts and the number of all. SHADOW_MISMATCH.
tact_result tact_particles_shadow_contacts(tact_particles* particles, const tact_particle_contact* contacts,
                                           size_t capacity, size_t count);
