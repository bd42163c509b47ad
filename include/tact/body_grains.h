// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file body_grains.h
/// Bodies of a set that move as grains: convex shapes and compounds of them, with the laws of contacts that spheres
/// have (particle_grains.h). Contacts are those of tact_contacts_find(), on any backend; forces and motion are worked
/// out on the host. docs/grains.md has the model and its limits.

#include "tact/bodies.h"
#include "tact/particle_grains.h"

/// What a body is made of.
typedef struct tact_body_matter {
    float density;          ///< kg/m^3, evenly; 0: 1000
    float mass;             ///< kg; 0: by the density; INFINITY: contacts do not move it
    const double* center;   ///< centre of mass, x y z, in the body's frame, of the shape as it is scaled; NULL: by the
                            ///< density
    const double* inertia;  ///< tensor about it: xx yy zz xy xz yz, of these three the elements, minus the products of
                            ///< inertia; NULL: by the density, at the mass
    float radius;           ///< m, of curvature at contacts; 0: tact_body_measures has the usual one
    uint8_t material;       ///< index into the laws
    uint64_t reserved[4];   ///< zeros: room for fields to come
} tact_body_matter;

/// What a shape amounts to.
typedef struct tact_body_measures {
    double volume;      ///< m^3; of a compound the sum over its parts
    double mass;        ///< kg
    double center[3];   ///< centre of mass
    double inertia[6];  ///< xx yy zz xy xz yz about it
    double reach;       ///< of the farthest point from it
    double inner;       ///< radius of a ball in the shape, of a compound in its smallest part; about the centre of mass
                        ///< where that is inside
    double radius;      ///< of curvature: that of a sphere, a capsule; else of the ball of this volume
    uint64_t reserved[4];  ///< zeros
} tact_body_measures;

/// Measures a shape of the set, scaled (0 stands for 1). `matter` NULL stands for zeros. Exact but for rounding. Parts
/// of a compound that have no volume count for `reach` alone. Errors: INVALID_ARGUMENT (no such shape; a half-space,
/// mesh or height field; a number that is negative or not finite, a scale outside 2^-40 to 2^40, an inertia that no
/// body has; a shape without volume).
TACT_API tact_result tact_body_measure(const tact_bodies* set, uint32_t shape, float scale,
                                       const tact_body_matter* matter, tact_body_measures* measures);

/// How bodies of a set move.
typedef struct tact_body_grains tact_body_grains;

/// What it is made with.
typedef struct tact_body_grains_desc {
    tact_vec3 gravity;        ///< acceleration, m/s^2
    float drag;               ///< 1/s: a free body loses this part of its speed in a second, at first
    tact_grain_law law;       ///< between all materials, at first
    uint32_t material_count;  ///< 0: 1; at most TACT_PARTICLE_MATERIALS
    uint64_t reserved[4];     ///< zeros: room for fields to come
} tact_body_grains_desc;

/// Lets bodies of a set move. The set must outlive it, has its poses from then on, and can be changed and asked between
/// steps. Bodies without matter stay where the caller puts them. A set has at most one. Not to be used by two threads
/// at once. Errors: INVALID_ARGUMENT (a number out of range; a set that has one), OUT_OF_MEMORY.
TACT_API tact_result tact_body_grains_create(tact_bodies* set, const tact_body_grains_desc* desc,
                                             tact_body_grains** grains);

/// Destroys it; the bodies stay where they are. NULL is allowed.
TACT_API void tact_body_grains_destroy(tact_body_grains* grains);

/// Sets the law of contacts between two materials, from the next step on. Errors: INVALID_ARGUMENT.
TACT_API tact_result tact_body_grains_set_law(tact_body_grains* grains, uint8_t a, uint8_t b,
                                              const tact_grain_law* law);

/// Changes gravity from the next step on. Errors: INVALID_ARGUMENT (not finite).
TACT_API tact_result tact_body_grains_set_gravity(tact_body_grains* grains, tact_vec3 gravity);

/// Gives bodies matter: one of each, or with `each` false the first to all. They keep their velocity. `ids` NULL stands
/// for 0 to count - 1. Where mass is INFINITY any shape is allowed, and nothing else is measured. Errors: as
/// tact_body_measure(), INVALID_ARGUMENT (an id that is not in the set), OUT_OF_MEMORY; nothing is changed then.
TACT_API tact_result tact_body_grains_set_matter(tact_body_grains* grains, const uint32_t* ids, size_t count,
                                                 const tact_body_matter* matter, bool each);

/// Gets what a body amounts to. Errors: INVALID_ARGUMENT (not in the set, or without matter of finite mass).
TACT_API tact_result tact_body_grains_get_measures(const tact_body_grains* grains, uint32_t id,
                                                   tact_body_measures* measures);

/// How bodies move: arrays of x y z for each, any of which may be NULL.
typedef struct tact_body_grain_arrays {
    float* velocities;     ///< m/s, of the centre of mass; of the position without finite mass
    float* spins;          ///< radians/s, along the world's axes
    float* forces;         ///< N, of contacts in the last substep
    float* torques;        ///< N m, likewise, about that centre
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_body_grain_arrays;

/// Copies how bodies move; tact_bodies_get() has their poses. `ids` NULL stands for 0 to count - 1. Errors:
/// INVALID_ARGUMENT (an id that is not in the set).
TACT_API tact_result tact_body_grains_read(const tact_body_grains* grains, const uint32_t* ids, size_t count,
                                           const tact_body_grain_arrays* arrays);

/// Gives bodies, with matter or without, velocities and spins; NULL leaves those as they are. tact_bodies_move() gives
/// them poses. Errors: INVALID_ARGUMENT (an id that is not in the set, NaN, infinite; nothing is changed then).
TACT_API tact_result tact_body_grains_write(tact_body_grains* grains, const uint32_t* ids, size_t count,
                                            const float* velocities, const float* spins);

/// Sets forces (N) and torques (N m, about the centre of mass) on bodies, x y z each, in every substep from now on, on
/// top of gravity; NULL: zeros. Errors: as tact_body_grains_write().
TACT_API tact_result tact_body_grains_set_forces(tact_body_grains* grains, const uint32_t* ids, size_t count,
                                                 const float* forces, const float* torques);

/// Returns the longest substep, in seconds, with which contacts are resolved: a twentieth of the shortest contact of
/// two bodies at all four points, allowing for their turning. Infinite while nothing moves.
TACT_API float tact_body_grains_stable_step(const tact_body_grains* grains);

/// Moves the bodies on by `steps` steps of `dt` seconds, each divided into `substeps` (0: as many as
/// tact_body_grains_stable_step() requires). The contacts of each substep are found by the backend of `options`; all
/// backends and numbers of threads lead to the same bytes. No body moves farther in a substep than half its `inner`
/// radius: faster ones are slowed and counted, so that none passes through another. A margin of a body makes no
/// difference. The contacts are not those of tact_contacts_last(), which stay as they were. Progress is reported per
/// step. Errors: INVALID_ARGUMENT (dt not positive and finite, more than 65,536 substeps, a ticket), CANCELLED (between
/// steps), those of tact_contacts_find(): the bodies are then as after the last substep that was done.
TACT_API tact_result tact_body_grains_step(tact_body_grains* grains, float dt, uint32_t substeps, uint32_t steps,
                                           const tact_query_options* options, tact_query_report* report);

/// What a contact does: points that are apart do nothing.
typedef struct tact_body_grain_push {
    tact_vec3 force[TACT_CONTACT_MOST_POINTS];  ///< N, on the contact's body b at each of its points; the opposite on a
    tact_vec3 slid[TACT_CONTACT_MOST_POINTS];   ///< m: how far the spring along the surface is drawn
} tact_body_grain_push;

/// Returns the contacts of the last substep, at the poses before it, and what each did: *count of them, valid until the
/// next step. NULL and 0 when there are none.
TACT_API const tact_contact* tact_body_grains_contacts(const tact_body_grains* grains,
                                                       const tact_body_grain_push** pushes, size_t* count);

/// Where energy is and where it went.
typedef struct tact_body_grains_totals {
    uint64_t steps, substeps;  ///< done
    double time;               ///< seconds since it was made
    uint64_t slowed;           ///< times a body was slowed
    uint64_t searches;         ///< times the pairs that may touch were found anew
    size_t contacts, points;   ///< of the last substep, that push
    double deepest;            ///< m, of these
    double kinetic_energy;     ///< J, of bodies of finite mass, along their way
    double rotational_energy;  ///< J, of turning
    double elastic_energy;     ///< J, of the springs of contacts at the start of the last substep
    double potential_energy;   ///< J, of gravity, 0 at the origin
    double dissipated_energy;  ///< J, that contacts and drag took, in all
    double work;               ///< J, that bodies without finite mass, and forces set, gave, in all
    double momentum[3];        ///< kg m/s
    uint64_t reserved[4];      ///< zeros: room for fields to come
} tact_body_grains_totals;

/// Sums up. Errors: INVALID_ARGUMENT.
TACT_API tact_result tact_body_grains_measure(const tact_body_grains* grains, tact_body_grains_totals* totals);

/// Writes what a run needs to go on to the same bits, but for the set, which the caller has: poses, matter, motion,
/// forces, laws, what contacts remember. `*size` is how many bytes there are. With too small a `capacity` nothing is
/// written and the result is TACT_INCOMPLETE. Little endian on every machine, with a checksum.
TACT_API tact_result tact_body_grains_save(tact_body_grains* grains, void* bytes, size_t capacity, size_t* size);

/// Makes of a set what tact_body_grains_save() wrote; its bodies go to the poses they had. Any bytes may be given.
/// Errors: INVALID_ARGUMENT (bytes that are damaged; a set without those ids, or whose bodies there have other shapes;
/// a set that has one), OUT_OF_MEMORY; nothing is changed then.
TACT_API tact_result tact_body_grains_load(tact_bodies* set, const void* bytes, size_t size, tact_body_grains** grains);
