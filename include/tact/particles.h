// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file particles.h
/// Particle systems: up to millions of spheres that collide with each other and with what particle_bodies.h adds, on
/// the CPU or resident on a GPU. docs/particles.md has the model, its parameters and its limits.
///
/// Any consistent units; the comments speak of metres, kilograms and seconds. One frame.
///
/// A system's state after any number of steps is defined by a brute-force reference, and is the same bytes for every
/// backend and number of threads (where tact_query_report::exact holds).
///
/// Particles have ids, small integers from 0. An id that was removed is used again, the smallest first. Arrays go in
/// and out in order of id. In memory, and in what is drawn or listed by *slot*, particles are in an order of their own
/// that follows their positions and changes with every step.

#include "tact/context.h"
#include "tact/device_array.h"
#include "tact/geometry/types.h"

/// A particle system.
typedef struct tact_particles tact_particles;

/// The response to contacts.
typedef enum tact_particle_response {
    TACT_RESPONSE_SPRING = 0,    ///< springs, dashpots and friction (the discrete element method)
    TACT_RESPONSE_POSITION = 1,  ///< positions are moved apart, with friction (position-based dynamics)
    TACT_RESPONSE_NONE = 2,      ///< none: contacts are only listed, and the caller resolves them
    TACT_RESPONSE_GRAINS = 3,    ///< springs that remember, between spheres that turn: particle_grains.h
} tact_particle_response;

/// The kind of the two faces of the domain across an axis.
typedef enum tact_boundary {
    TACT_BOUNDARY_OPEN = 0,      ///< nothing
    TACT_BOUNDARY_WALL = 1,      ///< walls; a centre never leaves the domain
    TACT_BOUNDARY_PERIODIC = 2,  ///< what leaves at one face comes in at the other
} tact_boundary;

/// A contact's rule is made of both materials: stiffness in series, the mean of the restitutions, the geometric mean of
/// the frictions, the mean of the tangential dampings; tact_particles_set_contact() overrides it for a pair.
typedef struct tact_particle_material {
    float stiffness;           ///< of this side of a contact, N/m, > 0 (SPRING)
    float restitution;         ///< speed after by speed before a head-on collision, 0.01 <= e <= 1 (SPRING)
    float friction;            ///< Coulomb's coefficient, >= 0
    float tangential_damping;  ///< damping ratio of sliding below the friction limit, >= 0 (SPRING)
} tact_particle_material;

enum { TACT_PARTICLE_MATERIALS = 16, TACT_PARTICLE_GROUPS = 32 };

/// Particles of a system at most, 2^30.
#define TACT_MAX_PARTICLES 0x40000000u

/// The largest radius is at most this many times the smallest.
#define TACT_MAX_RADIUS_RATIO 16.0f

/// All bits zero asks for the defaults.
typedef struct tact_particles_desc {
    tact_particle_response response;  ///< the response to contacts
    tact_backend backend;             ///< holds the state and runs the steps; AUTO: the dispatcher chooses
    tact_boundary boundary[3];        ///< of x, y, z
    tact_aabb domain;  ///< read for axes with walls or a period; must be wider than six of the largest radii
    tact_vec3 origin;  ///< of open axes: where particles are expected. They may be anywhere, but those beyond
                       ///< 32,768 cells from here take longer.
    float max_radius;  ///< 0: the largest of the first particles added
    const tact_particle_material* materials;  ///< copied; NULL: one, {1e4, 0.5, 0.5, 0.5}
    uint32_t material_count;                  ///< at most TACT_PARTICLE_MATERIALS
    uint8_t wall_material;                    ///< of the domain's walls
    tact_vec3 gravity;                        ///< acceleration; default: none
    float drag;              ///< 1/s: a free particle loses this part of its speed in a second, at first
    float speed_limit;       ///< greatest speed; faster ones are slowed to it and counted. 0: eight of the largest
                             ///< radii a substep. Never more than a period of the domain a substep, nor, where there
                             ///< are colliders, meshes or height fields, than 16,000 of the least radii
    uint32_t iterations;     ///< POSITION: of the solver in a substep; 0: 4
    float relaxation;        ///< POSITION: 0 < w < 2; 0: 1.2
    float separation_speed;  ///< POSITION: what moving apart adds to a speed at most; 0: no limit
    float sleep_speed;       ///< POSITION: a particle slower than this that touches something stays; 0: none does
    size_t reserve;          ///< particles to make room for now
    uint64_t reserved[4];    ///< zeros: room for fields to come
} tact_particles_desc;

/// Creates an empty system. `desc` may be NULL. Errors: INVALID_ARGUMENT (the detail says which field), LIMIT (room for
/// more than TACT_MAX_PARTICLES), NO_DEVICE, OUT_OF_MEMORY.
TACT_API tact_result tact_particles_create(tact_context* context, const tact_particles_desc* desc,
                                           tact_particles** particles);
/// Destroys a system. NULL is allowed.
TACT_API void tact_particles_destroy(tact_particles* particles);

/// Particles to add. Only `positions` is needed. A NULL array stands for the single value beside it.
typedef struct tact_particle_arrays {
    const float* positions;    ///< x y z of each
    const float* velocities;   ///< x y z of each; NULL: at rest
    const float* radii;        ///< NULL: `radius`
    const float* masses;       ///< INFINITY: nothing moves it but its own velocity. NULL: `density` times the volume
    const uint8_t* materials;  ///< NULL: `material`
    const uint8_t* groups;     ///< NULL: `group`
    float radius;              ///< 0: 0.5
    float density;             ///< kg/m^3; 0: 1000
    uint8_t material;          ///< index into the system's materials
    uint8_t group;             ///< 0 to 31
    uint64_t reserved[4];      ///< zeros: room for fields to come
} tact_particle_arrays;

/// Adds `count` particles, which are copied. Their ids are written to `ids` unless that is NULL.
/// Errors: INVALID_ARGUMENT (a NaN or infinite position or velocity, a position beyond TACT_MAX_COORDINATE or outside a
/// domain with walls, a radius that is not positive and finite, above max_radius or below a sixteenth of it, a mass
/// that is not positive, no such material or group: the detail names the particle), LIMIT, OUT_OF_MEMORY; the system is
/// then as before.
TACT_API tact_result tact_particles_add(tact_particles* particles, const tact_particle_arrays* arrays, size_t count,
                                        uint32_t* ids);

/// Particles in device buffers.
typedef struct tact_particle_device_arrays {
    const tact_device_array* positions;   ///< x y z radius of each
    const tact_device_array* velocities;  ///< x y z mass of each; NULL: at rest, with the mass of `density`
    float density;                        ///< kg/m^3, without velocities; 0: 1000
    uint8_t material;                     ///< of all, index into the system's materials
    uint8_t group;                        ///< of all, 0 to 31
    uint64_t reserved[4];                 ///< zeros: room for fields to come
} tact_particle_device_arrays;

/// Adds `count` particles from device buffers, which are copied. Values are checked as by tact_particles_add(). Stays
/// on the device when the state is there (or the system is empty, and has it as its `backend`), unless masses of
/// different radii must be computed; else goes by way of the host, with the same result. What stays on the device is
/// lost with it: the host has a copy only when it was read or saved since.
TACT_API tact_result tact_particles_add_device(tact_particles* particles, const tact_particle_device_arrays* arrays,
                                               size_t count, uint32_t* ids);

/// Removes particles. Errors: INVALID_ARGUMENT (an id that is not there, or twice in the list; nothing is removed).
TACT_API tact_result tact_particles_remove(tact_particles* particles, const uint32_t* ids, size_t count);

/// Removes all particles and keeps the memory. The clock goes on.
TACT_API void tact_particles_clear(tact_particles* particles);

/// Returns the number of particles.
TACT_API size_t tact_particles_count(tact_particles* particles);

/// Returns one more than the largest id used: the length of arrays indexed by id.
TACT_API size_t tact_particles_id_end(const tact_particles* particles);

/// The output of tact_particles_read(): arrays of tact_particles_count() entries, or NULL.
typedef struct tact_particle_output {
    uint32_t* ids;         ///< ascending
    float* positions;      ///< x y z
    float* velocities;     ///< x y z
    float* radii;          ///< of each
    float* masses;         ///< of each
    uint8_t* materials;    ///< of each
    uint8_t* groups;       ///< of each
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_particle_output;

/// Copies the state, in ascending order of id, to host arrays. Errors: the device's.
TACT_API tact_result tact_particles_read(tact_particles* particles, const tact_particle_output* output);

/// Gives particles a new position and velocity (x y z each; NULL leaves those as they are). `ids` NULL stands for all,
/// in ascending order of id. Errors: INVALID_ARGUMENT (as tact_particles_add(); nothing is changed).
TACT_API tact_result tact_particles_write(tact_particles* particles, const uint32_t* ids, size_t count,
                                          const float* positions, const float* velocities);

/// Sets what particles are in your program: indices, pointers. `ids` NULL stands for all, in ascending order of id. At
/// first 0, as for an id that is used again. No step depends on it. It is on the host alone, 8 bytes an id once it is
/// used; tact_particles_save() leaves it out, and after DEVICE_LOST ids have what they had last. Errors:
/// INVALID_ARGUMENT (an id that is not there: nothing is set), OUT_OF_MEMORY.
TACT_API tact_result tact_particles_set_user_data(tact_particles* particles, const uint32_t* ids, size_t count,
                                                  const uint64_t* user_data);

/// Gets user data. `ids` points to the first id, `stride` is the bytes from one to the next (0: 4): `&contacts[0].a`
/// and `sizeof contacts[0]` for contacts, whose `b` is an id only where `with` is TACT_CONTACT_PARTICLE. TACT_NONE
/// gives 0. `ids` NULL: all, in ascending order of id. Errors: INVALID_ARGUMENT (a stride below 4, an id that is not
/// there: the detail names it).
TACT_API tact_result tact_particles_get_user_data(const tact_particles* particles, const uint32_t* ids, size_t stride,
                                                  size_t count, uint64_t* user_data);

/// Sets the force on each particle besides gravity and contacts, x y z in newtons, `count` of them indexed by id (those
/// beyond have none); copied, and applied in every step until changed. NULL removes all forces. Errors:
/// INVALID_ARGUMENT (NaN or infinite), OUT_OF_MEMORY.
TACT_API tact_result tact_particles_set_forces(tact_particles* particles, const float* forces, size_t count);

/// Sets the forces from a device buffer: x y z and a fourth word that is not read. Stays on the device where the
/// particles live there too; else by way of the host. When that device is lost the forces are lost too: the next step
/// then is DEVICE_LOST, and those after it go without. Other errors as tact_volumes_bind().
TACT_API tact_result tact_particles_set_forces_device(tact_particles* particles, const tact_device_array* forces,
                                                      size_t count);

/// Changes gravity, an acceleration, from the next step on. Errors: INVALID_ARGUMENT (NaN or infinite).
TACT_API tact_result tact_particles_set_gravity(tact_particles* particles, tact_vec3 gravity);

/// Overrides the rule of contacts between two materials. Errors: INVALID_ARGUMENT.
TACT_API tact_result tact_particles_set_contact(tact_particles* particles, uint8_t a, uint8_t b,
                                                const tact_particle_material* rule);

/// Sets the groups that a group collides with: bit g for group g. Two particles collide when each one's mask has the
/// other's group. At first every mask has all bits. Errors: INVALID_ARGUMENT.
TACT_API tact_result tact_particles_set_mask(tact_particles* particles, uint8_t group, uint32_t mask);

/// Returns the longest substep, in seconds, with which contacts are resolved: a twentieth of the shortest contact of
/// two of the lightest particles with the stiffest rule, of all particles so far and all that emitters may add
/// (SPRING). Infinite for other responses and for an empty system.
TACT_API float tact_particles_stable_step(tact_particles* particles);

/// Advances the system by `steps` steps of `dt` seconds, each divided into `substeps` (0: with SPRING as many as
/// tact_particles_stable_step() requires, else 1). The backend of `options` (AUTO: the system's) runs it; a change of
/// backend moves the state. Runs without waiting for the device where it can; progress is reported per step.
/// Errors: INVALID_ARGUMENT (dt not positive and finite, or longer than 20 times the stable step a substep with SPRING,
/// or more than 65,536 substeps a step), CANCELLED (between steps), LIMIT, OUT_OF_MEMORY, and the device's. When a
/// device fails the state is that of the last time the host had a copy (tact_particles_get_info() has its step), the
/// system goes on from there elsewhere and does the steps lost again, unless no_fallback; where something else was
/// changed since that copy, steps cannot be done again, and the result is DEVICE_LOST. Calls that read or change the
/// state after a device was lost take the lost steps again in the same way. `shadow` takes all the steps by brute force
/// too: SHADOW_MISMATCH.
TACT_API tact_result tact_particles_step(tact_particles* particles, float dt, uint32_t substeps, uint32_t steps,
                                         const tact_query_options* options, tact_query_report* report);

/// Waits until the device has done all steps, as time measurements must; on the CPU they are done already. Reading the
/// state waits too. Errors: the device's, after which tact_particles_step() continues as documented there.
TACT_API tact_result tact_particles_wait(tact_particles* particles);

/// The kind of a contact's second party.
typedef enum tact_contact_with {
    TACT_CONTACT_PARTICLE = 0,  ///< b: its id, greater than a
    TACT_CONTACT_WALL = 1,      ///< b: 0 to 5 for the faces -x +x -y +y -z +z of the domain
    TACT_CONTACT_COLLIDER = 2,  ///< b: the collider
    TACT_CONTACT_BODY = 3,      ///< b: the mesh or height field
} tact_contact_with;

/// A particle that touches something. 48 bytes. Numbers below 2^-126 and -0 are 0.
typedef struct tact_particle_contact {
    uint32_t a;         ///< id of a particle
    uint32_t b;         ///< see tact_contact_with
    uint32_t with;      ///< a tact_contact_with
    uint32_t triangle;  ///< of a mesh or height field; TACT_NONE otherwise
    float point[3];     ///< on the first particle's surface, half the depth inside
    float depth;        ///< how far they overlap, >= 0
    float normal[3];    ///< unit, from the first party towards the second
    float unused;       ///< 0
} tact_particle_contact;

/// Lists all contacts as the particles are now, sorted by (a, with, b, triangle), each once. `*count` is how many there
/// are; `contacts` receives at most `capacity` of them, the first ones, and when there are more the call returns
/// TACT_INCOMPLETE; call again with room for them. A pair across a periodic face counts once. Groups that do not
/// collide have no contacts. Errors: NO_DEVICE, SHADOW_MISMATCH, OUT_OF_MEMORY, the device's.
TACT_API tact_result tact_particles_contacts(tact_particles* particles, tact_particle_contact* contacts,
                                             size_t capacity, size_t* count, const tact_query_options* options,
                                             tact_query_report* report);

/// Gets for each contact the user data of what its first particle touches: that of particle, collider or body `b`; 0
/// for a wall of the domain. Errors: INVALID_ARGUMENT (NULL arrays, a contact with what is not there: the detail names
/// it).
TACT_API tact_result tact_particles_get_touched_user_data(const tact_particles* particles,
                                                          const tact_particle_contact* contacts, size_t count,
                                                          uint64_t* user_data);

/// The neighbours to list.
typedef enum tact_neighbour_kind {
    TACT_NEIGHBOURS_ALL = 0,   ///< of each particle all others that are near: each pair twice
    TACT_NEIGHBOURS_ONCE = 1,  ///< those in later slots only: each pair once, at about half the cost
} tact_neighbour_kind;

/// Neighbour lists by slot, valid until the next call with the system. Those of slot s are neighbours[offsets[s]] to
/// neighbours[offsets[s + 1] - 1], ascending slots, s itself not among them (with TACT_NEIGHBOURS_ONCE: all greater
/// than s); ids[s] is the particle in it.
typedef struct tact_neighbour_lists {
    size_t slots;                ///< one for each particle
    const uint32_t* ids;         ///< `slots` of them
    const uint64_t* offsets;     ///< `slots` + 1 of them
    const uint32_t* neighbours;  ///< slots, by `offsets`
} tact_neighbour_lists;

/// Finds all particles whose centres are within `radius` of each other (distance squared, computed as (dx dx + dy dy) +
/// dz dz in single precision, at most radius squared), whatever their own radii and groups. Sorts the particles in
/// memory, so that a next call after small motion is cheaper. Which slot a particle is in differs between backends;
/// which particles are near each other does not. A periodic domain must be at least three radii wide. Errors:
/// INVALID_ARGUMENT, UNSUPPORTED (shadow checking), LIMIT, OUT_OF_MEMORY, NO_DEVICE, the device's.
TACT_API tact_result tact_particles_neighbours(tact_particles* particles, float radius, tact_neighbour_kind kind,
                                               tact_neighbour_lists* lists, const tact_query_options* options,
                                               tact_query_report* report);

/// Sums over all particles, in double precision and in order of id, and over all contacts, in the order in which
/// tact_particles_contacts() lists them. The same on every backend. Only SPRING and GRAINS have contacts with energy.
typedef struct tact_particle_totals {
    double mass, kinetic_energy;  ///< infinite masses count as 0
    double momentum[3];           ///< likewise
    double largest_speed;         ///< of any particle
    float lower[3], upper[3];     ///< of the centres
    double elastic_energy;        ///< J, of the contacts' springs; adhesion counts less than 0
    double dissipated_power;      ///< W, that dashpots, friction and drag take now
    double external_power;        ///< W, that gravity, forces set, a program and moving surfaces give now
    double rotational_energy;     ///< J, of grains; kinetic_energy is without it
    uint64_t reserved[3];         ///< zeros: room for fields to come
} tact_particle_totals;

/// Sums up the state as it is now. Reads it from the device where it lives on one. With SPRING and GRAINS it finds all
/// contacts, on the CPU, which takes about the time of a substep there and 250 bytes a particle while it lasts. The sum
/// of both energies grows by external_power less dissipated_power: summed over substeps, times their length, within
/// what the integrator is off by (docs/particles.md). Errors: OUT_OF_MEMORY, the device's.
TACT_API tact_result tact_particles_measure(tact_particles* particles, tact_particle_totals* totals);

/// Facts about a system.
typedef struct tact_particles_info {
    uint64_t steps, substeps;  ///< done since the system was made
    double time;               ///< seconds since then
    uint64_t slowed;           ///< times a particle was slowed to the speed limit
    uint64_t stopped;          ///< times a particle's way was cut short at a mesh or collider
    uint64_t host_step;        ///< the step of the last copy that the host has
    tact_backend backend;      ///< the one that holds the state
    float cell;                ///< edge of the coarsest cells
    uint32_t levels;           ///< of the grid of cells
    uint64_t device_bytes;     ///< held on the device for the system; on the CPU: by its engine
    uint64_t unforced;         ///< times what a force program gave a particle was NaN or infinite
    uint64_t capped;           ///< GRAINS: substeps of contacts and bonds whose force was more than sums have room for
    uint64_t reserved[2];      ///< zeros: room for fields to come
} tact_particles_info;

/// Gets facts about a system. Errors: INVALID_ARGUMENT, the device's.
TACT_API tact_result tact_particles_get_info(tact_particles* particles, tact_particles_info* info);

/// Copies what the system was made with of its domain: the three kinds of faces to `boundary`, and the box, which
/// counts for axes with walls or a period. Either may be NULL. Errors: INVALID_ARGUMENT.
TACT_API tact_result tact_particles_get_domain(const tact_particles* particles, tact_boundary* boundary,
                                               tact_aabb* domain);

/// The buffers in which the particles lie on the device, for drawing without a copy: valid until the next call with the
/// system. In order of slot. Errors: UNSUPPORTED (the system does not live on a device with an adopted context).
typedef struct tact_particle_buffers {
    tact_device_array positions;   ///< x y z radius
    tact_device_array velocities;  ///< x y z and the reciprocal of the mass
    tact_device_array tags;        ///< two words each: id; material + 256 * group
    size_t count;                  ///< particles, and slots
    uint64_t reserved[4];          ///< zeros: room for fields to come
} tact_particle_buffers;

/// Gets the buffers; nothing is copied. Errors: see tact_particle_buffers.
TACT_API tact_result tact_particles_device_buffers(tact_particles* particles, tact_particle_buffers* buffers);

/// Writes positions (x y z radius) and velocities (x y z mass) in order of id to device buffers: on the device where
/// the state is on it too, else by way of the host. tact_particles_device_buffers() is the way without a copy. Either
/// may be NULL. Errors as tact_volumes_bind().
TACT_API tact_result tact_particles_read_device(tact_particles* particles, const tact_device_array* positions,
                                                const tact_device_array* velocities);

/// Writes everything a run needs to go on to the same bits (state, clock, parameters, bodies, emitters, sinks, forces)
/// to `bytes`; `*size` is how many bytes there are. With too small a `capacity` nothing is written and the result is
/// TACT_INCOMPLETE. Little endian on every machine, with a checksum.
TACT_API tact_result tact_particles_save(tact_particles* particles, void* bytes, size_t capacity, size_t* size);

/// Creates a system from what tact_particles_save() wrote. Any bytes may be given. `backend` as in tact_particles_desc.
/// Errors: INVALID_ARGUMENT (not such bytes, damaged, of another version: the detail says where), OUT_OF_MEMORY.
TACT_API tact_result tact_particles_restore(tact_context* context, const void* bytes, size_t size, tact_backend backend,
                                            tact_particles** particles);
