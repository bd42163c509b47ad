// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What particle systems are made of inside: a state, a model that says how it moves, and engines that hold a state and
/// move it (the reference, the CPU's, a GPU's), each with the same results. The arithmetic is in kernels/particle_*.h,
/// written once for all; docs/particles.md states the definition in prose.

#include "base/env.h"
#include "cpu_ref/particles/bodies.h"
#include "cpu_ref/particles/clumps.h"
#include "cpu_ref/particles/grain_energy.h"
#include "kernels/exact_sum.h"
#include "kernels/grain_bond.h"
#include "kernels/particle_contact.h"
#include "kernels/particle_domain.h"
#include "kernels/particle_grid.h"
#include "kernels/particle_surface.h"
#include "tact/particle_bodies.h"

/// What a contact of GRAINS remembers, from substep to substep, while it lasts: that of two particles as seen from the
/// one with the smaller id; that with a wall, collider or body as seen from the particle.
typedef struct tact_grain_record {
    uint32_t a, with, b;  ///< as in tact_particle_contact
    float normal[3];      ///< with surfaces: where it was; with a particle: of the bond its length and kind, and 0
    TactGrainMemory spring;
} tact_grain_record;

static inline TactBond tact_grain_bond_of(const tact_grain_record* r)
{
    const TactBond none = {0.0f, 0.0f}, bond = {r->normal[0], r->normal[1]};
    return r->with == TACT_CONTACT_PARTICLE ? bond : none;
}

/// Particles on the host, in ascending order of id.
typedef struct tact_particle_state {
    size_t count, capacity;
    float (*position)[4];        ///< x y z radius
    float (*velocity)[4];        ///< x y z, reciprocal of the mass (0: infinite)
    uint32_t (*tag)[2];          ///< id; material + 256 * group
    bool turns;                  ///< GRAINS: what follows is there
    float (*spin)[4];            ///< angular velocity x y z; 0
    float (*turn)[4];            ///< orientation, a unit quaternion x y z w
    tact_grain_record* records;  ///< sorted by (a, with, b), those of one body in the order in which they are met
    size_t record_count, record_capacity;
    tact_clump_motion* clumps;  ///< in the order of tact_clump_table
    size_t clump_count, clump_capacity;
} tact_particle_state;

/// Room for `count`, keeping what is there. False when out of memory: the state is then as before.
bool tact_particle_state_reserve(tact_env* env, tact_particle_state* state, size_t count);
/// Room for `count` records, keeping those there. False when out of memory.
bool tact_particle_state_reserve_records(tact_env* env, tact_particle_state* state, size_t count);
/// The same for clumps.
bool tact_particle_state_reserve_clumps(tact_env* env, tact_particle_state* state, size_t count);
/// Copies clumps to a state that has room.
void tact_particle_state_copy_clumps(tact_particle_state* to, const tact_particle_state* from);
/// Copies to a state that has room.
void tact_particle_state_copy(tact_particle_state* to, const tact_particle_state* from);
/// Makes room and copies. False when out of memory.
bool tact_particle_state_assign(tact_env* env, tact_particle_state* to, const tact_particle_state* from);
/// Copies the particle in row `i` to row `k` of a state, which may be the same.
void tact_particle_state_move(tact_particle_state* to, size_t k, const tact_particle_state* from, size_t i);
/// Merges particles, in ascending order of ids that are not there, into a state that has room.
void tact_particle_state_merge(tact_particle_state* to, const tact_particle_state* extra);
/// Where an id is in a state, or the state's count.
size_t tact_particle_state_find(const tact_particle_state* state, uint32_t id);
void tact_particle_state_free(tact_env* env, tact_particle_state* state);
/// Where a state turns, puts the particle in row `i` at rest, as it was made.
void tact_particle_state_still(tact_particle_state* state, size_t i);

static inline uint32_t tact_tag_material(uint32_t word)
{
    return word & 0xffu;
}
static inline uint32_t tact_tag_group(uint32_t word)
{
    return word >> 8 & 31u;
}

/// In a tag's second word: a ghost, a particle that another rank moves. Engines let it act on others, but leave it
/// where it is, and count nothing of it; its own contacts may be incomplete.
#define TACT_TAG_GHOST 0x80000000u

static inline bool tact_tag_is_ghost(uint32_t word)
{
    return (word & TACT_TAG_GHOST) != 0;
}

/// What ranks tell each other of a particle in each substep.
typedef struct tact_particle_row {
    float position[3], velocity[3], spin[3];
} tact_particle_row;

/// A collider ready for use.
typedef struct tact_particle_solid {
    TactSolid solid;
    uint32_t mask;  ///< groups
} tact_particle_solid;

/// Over ranks: how ghosts come to where their own ranks have moved them, while an engine does a substep. Both functions
/// read and write rows of the engine.
typedef struct tact_particle_halo {
    /// POSITION: called between two iterations.
    tact_result (*exchange)(const struct tact_particle_halo* halo);
    /// What ghosts have become is on its way, and none has come farther than `farthest` since the substep before: an
    /// engine of a class that is `late` calls this once, before it looks at a ghost. NULL: they are where they should
    /// be.
    tact_result (*arrive)(struct tact_particle_halo* halo);
    float farthest;
} tact_particle_halo;

/// All that a step depends on besides the state. The versions change when what they count does, so that devices know
/// what to upload again.
typedef struct tact_particle_model {
    tact_particle_response response;
    TactGrid grid;
    TactDomain domain;
    TactMotion motion;                                                         ///< dt: of the substeps now done
    TactContactRule rules[TACT_PARTICLE_MATERIALS * TACT_PARTICLE_MATERIALS];  ///< [this one's * MATERIALS + other's]
    uint32_t masks[TACT_PARTICLE_GROUPS];
    const TactGrainRule* grain_rules;  ///< GRAINS: [this one's * MATERIALS + other's]
    const TactBondRule* bond_rules;    ///< GRAINS: by kind, from 1 on
    bool bonded;                       ///< GRAINS: there may be bonds
    const tact_clump_table* clumps;    ///< GRAINS: NULL: there are none
    float force_unit, torque_unit;     ///< GRAINS: powers of two, units of exact sums
    uint32_t wall_material;
    uint32_t iterations;                              ///< POSITION
    float relaxation, separation_speed, sleep_speed;  ///< POSITION; separation_speed INFINITY: no limit
    uint64_t rules_version;                           ///< of rules and masks

    const float (*forces)[3];  ///< by id
    size_t force_count;
    const float (*torques)[3];  ///< GRAINS: by id
    size_t torque_count;
    uint64_t forces_version;  ///< of forces and torques

    const struct tact_force_program* program;  ///< program.h; NULL: there is none
    const float* program_values;               ///< its parameters
    uint32_t program_value_count;
    uint64_t program_version, program_values_version;
    uint32_t id_end;         ///< ids are below
    double step_begin;       ///< the time at the start of the step, seconds
    double substep_time;     ///< of a substep
    uint32_t first_substep;  ///< the number in the step of the first that an engine does

    const tact_particle_solid* solids;
    uint32_t solid_count;
    uint64_t solids_version;
    const tact_particle_body* bodies;
    uint32_t body_count;
    uint64_t bodies_version;  ///< of the meshes
    uint64_t poses_version;   ///< of where they are

    int threads;               ///< CPU engines
    tact_particle_halo* halo;  ///< NULL: there are no ghosts
} tact_particle_model;

/// What a step counted.
typedef struct tact_particle_counters {
    uint64_t slowed, stopped;
    uint64_t unforced;  ///< times what a program gave a particle was not finite
    uint64_t capped;    ///< GRAINS: times the force of a contact or bond was more than sums have room for
} tact_particle_counters;

/// True when two groups collide.
static inline bool tact_groups_meet(const uint32_t* masks, uint32_t a, uint32_t b)
{
    return (masks[a] >> b & 1u) && (masks[b] >> a & 1u);
}

/// Particles in the caller's buffers, all of one material and group.
typedef struct tact_particle_device_rows {
    const tact_device_array* positions;   ///< x y z radius
    const tact_device_array* velocities;  ///< x y z mass; NULL: at rest, with `inverse_mass`
    size_t count;
    uint32_t kind;  ///< material + 256 * group
    float inverse_mass;
    float largest;  ///< no radius may be greater
} tact_particle_device_rows;

/// What an engine finds in them.
typedef struct tact_particle_facts {
    uint32_t bad;                      ///< the first that cannot be taken; TACT_NONE: all can
    float first[2][4], refused[2][4];  ///< rows of the first and of the first bad one: position, velocity if given
    float lower[4], upper[4];          ///< of all positions (x y z radius), NaN left out
    float least_mass;                  ///< infinite where velocities are not given
} tact_particle_facts;

typedef struct tact_particle_engine tact_particle_engine;

/// An engine's functions. Those marked optional may be NULL: then it is done through the host.
typedef struct tact_particle_engine_class {
    tact_backend backend;
    void (*destroy)(tact_particle_engine* engine);
    /// Takes over a copy of a state; on the CPU by so many threads.
    tact_result (*load)(tact_particle_engine* engine, const tact_particle_state* state, int threads);
    /// Copies the state out, in ascending order of id. There is room for all, but for records.
    tact_result (*store)(tact_particle_engine* engine, tact_particle_state* state);
    /// Does `substeps` substeps. Adds to the counters; a device may do so late, at the next store.
    tact_result (*step)(tact_particle_engine* engine, const tact_particle_model* model, uint32_t substeps,
                        tact_particle_counters* counters);
    /// The contacts of the state as it is, as tact_particles_contacts().
    tact_result (*contacts)(tact_particle_engine* engine, const tact_particle_model* model,
                            tact_particle_contact* contacts, size_t capacity, size_t* count);
    /// As tact_particles_neighbours(); the lists stay valid until the engine is next used.
    tact_result (*neighbours)(tact_particle_engine* engine, const tact_particle_model* model, float radius,
                              tact_neighbour_kind kind, tact_neighbour_lists* lists);
    /// Bytes held.
    uint64_t (*bytes)(const tact_particle_engine* engine);
    /// Optional: waits until all steps are done.
    tact_result (*wait)(tact_particle_engine* engine);
    /// Optional: where the state lies on a device.
    tact_result (*buffers)(tact_particle_engine* engine, tact_particle_buffers* buffers);
    /// Optional, all three or none: exchanges particles with the caller's buffers, which are on the engine's own device
    /// and long enough. examine() looks at particles that are to come. A failure of the three other than DEVICE_LOST
    /// leaves the state as it was, but an empty engine must then be loaded anew.
    tact_result (*examine)(tact_particle_engine* engine, const tact_particle_model* model,
                           const tact_particle_device_rows* rows, tact_particle_facts* facts);
    /// Right after examine(): takes them over, with ids as append() has them.
    tact_result (*adopt)(tact_particle_engine* engine, const tact_particle_model* model,
                         const tact_particle_device_rows* rows, const tact_particle_facts* facts, const uint32_t* ids);
    /// Copies positions (x y z radius) and velocities (x y z mass) out in order of id; either may be NULL.
    /// `dense`: all ids are less than the number of particles.
    tact_result (*give)(tact_particle_engine* engine, const tact_device_array* positions,
                        const tact_device_array* velocities, bool dense);
    /// Optional, both or neither: takes over `count` forces (x y z, and a word that is not used), one at least, from
    /// the caller's buffer as those of `version`, unless `*bad` is not TACT_NONE: the first particle with one that is
    /// not finite. A failure leaves those there before.
    tact_result (*take_forces)(tact_particle_engine* engine, const tact_device_array* forces, size_t count,
                               uint64_t version, uint32_t* bad);
    /// Copies them out.
    tact_result (*give_forces)(tact_particle_engine* engine, float (*forces)[3], size_t count);
    /// Optional: appends particles in ascending order of their ids, which are between, before or after those there. A
    /// failure other than DEVICE_LOST leaves the state as it was.
    tact_result (*append)(tact_particle_engine* engine, const tact_particle_state* extra);
    /// Optional, all three or none. Copies the rows of particles out, and in: `rows` are their numbers in order of id.
    /// Between iterations of POSITION their positions are what they have come to.
    tact_result (*read_rows)(tact_particle_engine* engine, const uint32_t* rows, size_t count, tact_particle_row* to);
    tact_result (*write_rows)(tact_particle_engine* engine, const TactGrid* grid, const uint32_t* rows, size_t count,
                              const tact_particle_row* from);
    /// Whether ghosts may come within a substep of GRAINS: tact_particle_halo::arrive.
    bool late;
    /// No particle is faster than `speed`, nor has come farther than `way` in the last substep. Copies rows out too, as
    /// read_rows() does, so that a device is waited for once.
    tact_result (*fastest)(tact_particle_engine* engine, const tact_particle_model* model, const uint32_t* rows,
                           size_t count, tact_particle_row* to, float* speed, float* way);
    /// Optional: takes out particles whose centre is inside, or on the surface of, one of the regions that are for
    /// their group. Writes the ids of those taken out, in any order, to `ids`, which has room for all particles.
    tact_result (*drain)(tact_particle_engine* engine, const tact_particle_solid* regions, uint32_t region_count,
                         uint32_t* ids, size_t* count);
} tact_particle_engine_class;

struct tact_particle_engine {
    const tact_particle_engine_class* type;
    tact_env* env;
};

/// Whether one of the regions has a point, for a group.
static inline bool tact_particle_is_in(const tact_particle_solid* regions, uint32_t region_count, float x, float y,
                                       float z, uint32_t group)
{
    for (uint32_t k = 0; k < region_count; ++k) {
        if (!(regions[k].mask >> group & 1u)) continue;
        if (tact_surface_solid(regions[k].solid, x, y, z).distance <= 0.0f) return true;
    }
    return false;
}

/// The brute force that defines the results. `turns`: for GRAINS.
tact_result tact_particle_reference_create(tact_env* env, bool turns, tact_particle_engine** engine);
/// The CPU's.
tact_result tact_particle_cpu_create(tact_env* env, bool turns, tact_particle_engine** engine);

/// Sorts contacts by (a, with, b, triangle).
void tact_particle_contacts_sort(tact_particle_contact* contacts, size_t count);

// The definition of a substep, a particle at a time, in terms of which all engines are tested.

/// Where a particle is and what it is.
typedef struct tact_particle_self {
    float x, y, z, radius;
    float vx, vy, vz, inverse_mass;
    uint32_t id, material, group;
    float clear;  ///< no collider or body is nearer than this, however that is computed; 0 or less: nothing is known
    bool ghost;   ///< TACT_TAG_GHOST
} tact_particle_self;

/// A contact of a particle with something that does not feel it.
typedef struct tact_surface_touch {
    TactTouch touch;
    TactVec velocity;  ///< of the surface, as if it went through the particle's centre
    TactVec spin;      ///< of the surface
    uint32_t material;
    uint32_t with, index, triangle;  ///< as in tact_particle_contact
} tact_surface_touch;

typedef void tact_surface_fn(const tact_particle_model* model, const tact_particle_self* p,
                             const tact_surface_touch* touch, void* user);

/// The normal of contacts with a face of the domain.
TactVec tact_particle_wall_normal(uint32_t face);
/// Calls a function for each contact of a particle with walls, colliders and bodies, in this order.
void tact_particle_surfaces(const tact_particle_model* model, const tact_particle_self* p, tact_surface_fn* f,
                            void* user);
/// Likewise without walls.
void tact_particle_obstacles(const tact_particle_model* model, const tact_particle_self* p, tact_surface_fn* f,
                             void* user);

/// Contacts of a particle with walls, colliders and bodies at most.
enum { TACT_GRAIN_SURFACES = 6 + TACT_MAX_COLLIDERS + TACT_BODY_TOUCHES * TACT_MAX_BODIES };

/// GRAINS: a particle that turns, and what acts on it.
typedef struct tact_grain_self {
    tact_particle_self p;
    TactVec spin;
    int64_t force[3], torque[3];  ///< exact sums, in units of TactExact::low
    uint32_t capped;              ///< forces among them that are cut, those of pairs at the one with the smaller id
} tact_grain_self;

/// The particle in a row of a state.
tact_particle_self tact_particle_self_of(const tact_particle_state* state, size_t i);
/// GRAINS: likewise.
tact_grain_self tact_grain_of(const tact_particle_state* state, size_t i);

/// Of two particles that touch, as seen from the first.
tact_grain_meeting tact_grain_meet(const tact_particle_model* model, const tact_grain_self* a, const tact_grain_self* b,
                                   TactTouch touch);
tact_grain_meeting tact_grain_meet_surface(const tact_particle_model* model, const tact_grain_self* g,
                                           const tact_surface_touch* touch);
/// What the contact does, and remembers then.
TactGrainPush tact_grain_met(const tact_grain_meeting* meeting, float dt, TactGrainMemory* memory);

/// GRAINS: the records of one particle's contacts with surfaces after a substep, while those of the next are looked at,
/// in their order.
typedef struct tact_grain_past {
    const tact_grain_record* records;
    size_t count;
    uint64_t taken[(TACT_GRAIN_SURFACES + 63) / 64];  ///< they have gone on as another
} tact_grain_past;
/// What the contact that goes on as this one remembers: the first of the same surface, with nearly this normal, that no
/// other has. Nothing where it is new.
TactGrainMemory tact_grain_remembered(tact_grain_past* past, const tact_surface_touch* touch);

/// GRAINS: adds what walls, unless `walls` is false, colliders and bodies do to a particle. `before`: the records of
/// its contacts with them after the substep before, `count` of them, in order. Those of this one go to `records`, which
/// has room for TACT_GRAIN_SURFACES of them and may not be `before`. Returns how many there are.
size_t tact_grain_surfaces(const tact_particle_model* model, tact_grain_self* g, bool walls,
                           const tact_grain_record* before, size_t count, tact_grain_record* records);

/// GRAINS: what two particles do to each other, added to both. `d`: from the first, which has the smaller id, to the
/// second, the shorter way round. `bond`: becomes none where it breaks. False when they neither touch nor are bonded.
bool tact_grain_pair(const tact_particle_model* model, tact_grain_self* a, tact_grain_self* b, TactVec d,
                     TactGrainMemory* memory, TactBond* bond);

/// GRAINS: the force and the torque that all contacts exert.
void tact_grain_load(const tact_particle_model* model, const tact_grain_self* g, TactVec* force, TactVec* torque);

// Clumps: a substep moves each by what acts on its members, leads these to their places, as particles of infinite mass
// that tact_particle_finish() moves, so that nothing on their way is passed, and gives them the clump's motion.

/// From the centre of mass to a member.
TactVec tact_clump_arm(const tact_clump_motion* m, const tact_clump_member* member);
/// Adds what acts on a member.
void tact_clump_push(tact_clump_load* load, TactVec arm, TactVec force, TactVec torque);
/// Moves clump k.
void tact_clump_advance(const tact_particle_model* model, size_t k, tact_clump_motion* m, const tact_clump_load* load,
                        tact_particle_counters* counters);
/// The velocity that leads a member at `from` to its place in the substep.
TactVec tact_clump_lead(const tact_particle_model* model, const tact_clump_motion* m, TactVec arm, const float from[3]);
/// The angular velocity of clump k.
TactVec tact_clump_spun(const tact_clump_table* table, size_t k, const tact_clump_motion* m);
/// How a member of clump k moves, whose angular velocity is `w`.
void tact_clump_follow(const tact_clump_table* table, size_t k, const tact_clump_motion* m, TactVec w, TactVec arm,
                       float velocity[4], float spin[4], float turn[4]);

/// GRAINS: a substep of a state, by looking at all pairs.
tact_result tact_grain_reference_substep(tact_env* env, const tact_particle_model* model, tact_particle_state* state,
                                         tact_particle_counters* counters);

/// GRAINS: whether a law has rolling or twisting friction.
bool tact_grain_rules_roll(const tact_particle_model* model);

/// GRAINS: pairs are listed that are less than a margin, a part of their reach, apart; the list has all that touch
/// while no grain is farther from where it was then than this part of the margin times its radius.
#define TACT_GRAIN_MARGIN_USED 0.9f
#define TACT_GRAIN_FIRST_MARGIN 0.0625f
/// The margin to try after one whose list served so many substeps. `young`: less than that are too few.
float tact_grain_margin_after(float margin, uint32_t age, uint32_t young);
/// The margin of a list, the wanted one or less where periods have no room for that, and the grid to find its pairs in:
/// those less than 1 and the margin times `reach` times the sum of their radii apart. 0: the list serves one substep;
/// below: periods have no room for pairs that far apart.
float tact_grain_margin_in(const TactGrid* narrow, float wanted, float least_radius, float reach, TactGrid* grid);

/// GRAINS: the spin after what torques of the caller do in a substep, before contacts do.
TactVec tact_grain_torqued(const tact_particle_model* model, const tact_particle_self* p, TactVec spin);
/// GRAINS: the force that all contacts exert, and the spin after the substep.
TactVec tact_grain_finish(const tact_particle_model* model, tact_grain_self* g);

/// SPRING: adds the forces of walls, colliders and bodies, in this order, to `force`, the sum over other particles.
void tact_particle_static_forces(const tact_particle_model* model, const tact_particle_self* p, TactVec* force);

/// SPRING: those of walls alone.
void tact_particle_wall_forces(const tact_particle_model* model, const tact_particle_self* p, TactVec* force);

/// The distance of a particle from the nearest collider or body, or `limit` if none is that near.
float tact_particle_clearance(const tact_particle_model* model, const tact_particle_self* p, float limit);

/// POSITION: adds the shifts of walls, colliders and bodies to `shift`, the sum over other particles, and counts them.
/// (fx, fy, fz): where the particle was when the substep began.
void tact_particle_static_shifts(const tact_particle_model* model, const tact_particle_self* p, const float from[3],
                                 TactVec* shift, uint32_t* count);

/// Adds the forces that the caller gave for a particle.
void tact_particle_caller_force(const tact_particle_model* model, uint32_t id, TactVec* force);

/// Adds the torques that the caller gave for a particle.
void tact_particle_caller_torque(const tact_particle_model* model, uint32_t id, TactVec* torque);

/// The end of a substep for SPRING and NONE: the velocity after the forces, the move, the faces of the domain.
void tact_particle_finish(const tact_particle_model* model, tact_particle_self* p, TactVec force,
                          tact_particle_counters* counters);

/// POSITION: the velocity before contacts, and where it leads. `to` is not wrapped.
void tact_particle_predict(const tact_particle_model* model, tact_particle_self* p, float to[3],
                           tact_particle_counters* counters);

/// POSITION: the end of a substep for a particle that is to be at `to`. `touched`: something, in any iteration.
void tact_particle_settle(const tact_particle_model* model, tact_particle_self* p, const float to[3], bool touched,
                          tact_particle_counters* counters);

/// The contacts of one particle with walls, colliders and bodies, in order. Returns how many there are; at most
/// `capacity` are written.
size_t tact_particle_static_contacts(const tact_particle_model* model, const tact_particle_self* p,
                                     tact_particle_contact* contacts, size_t capacity);
