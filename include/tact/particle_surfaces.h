// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file particle_surfaces.h
/// The surfaces that particles meet (the domain's walls, colliders, meshes and height fields): what particles exert on
/// them, how they wear, and surfaces that move without the caller: at their own velocity and spin, or as a servo says.
/// docs/grains.md has the formulas.
///
/// A surface is named by a tact_contact_with (COLLIDER or BODY) and its index. All of it is worked out on the host, in
/// double precision and in a fixed order, and is the same on every backend and after tact_particles_restore().

#include "tact/particle_bodies.h"

/// The load that particles put on a surface. 96 bytes.
typedef struct tact_surface_load {
    double force[3];      ///< on the surface, N
    double torque[3];     ///< on it, N m, about a body's position, a sphere's or box's centre, a capsule's end a; about
                          ///< the origin for walls and planes
    double normal_force;  ///< sum over contacts of what presses, N
    double rubbing_power;  ///< sum over contacts of normal force times speed of sliding, W: the rate of Archard's wear
    uint64_t contacts;     ///< with particles that can move
    uint64_t reserved[3];  ///< zeros: room for fields to come
} tact_surface_load;

/// Measures what particles exert on surfaces now (SPRING and GRAINS): `walls`, 6 of them in the order of
/// tact_contact_with; `colliders` and `bodies`, one for each there is. Each may be NULL. Sums are in order of id. A
/// spring along the surface counts as far as it is drawn. Reads the state from the device where it lives on one.
/// Errors: INVALID_ARGUMENT (another response), OUT_OF_MEMORY, the device's.
TACT_API tact_result tact_particles_measure_surfaces(tact_particles* particles, tact_surface_load* walls,
                                                     tact_surface_load* colliders, tact_surface_load* bodies);

/// Sets whether a collider or body moves on by itself: after each substep of h seconds by h times its velocity, and
/// turned by its spin about the point that its velocity is of (Cayley's map, as grains turn), from where it was put
/// last. At first none does. tact_particles_set_collider() and tact_particles_move_body() put it elsewhere, or change
/// its velocity, and it goes on from there. A step that would take one beyond TACT_MAX_COORDINATE is LIMIT, and not
/// taken. Each substep in which one moves makes particles look for surfaces anew. Errors: INVALID_ARGUMENT (no such
/// surface, a wall), OUT_OF_MEMORY.
TACT_API tact_result tact_particles_set_motion(tact_particles* particles, tact_contact_with kind, uint32_t index,
                                               bool moves);

/// A surface that is pressed against particles: at the start of each step its speed along `direction` becomes `gain`
/// times (`force` less the force that particles exert against the direction), at most `greatest_speed` either way.
typedef struct tact_servo {
    tact_vec3 direction;   ///< in which it is to press, of any length but 0
    float force;           ///< target, N; for a pressure its product with the area pressed
    float gain;            ///< m/(N s), > 0; stable while it times the stiffness pressed times the step is below 2
    float greatest_speed;  ///< m/s, > 0
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_servo;

/// Gives a collider or body a servo, NULL: takes it off. The surface then moves as tact_particles_set_motion() says,
/// but for its velocity along the servo's direction. The state is copied to the host before each step. Errors:
/// INVALID_ARGUMENT (no such surface, a wall, a number out of range, a response without forces), OUT_OF_MEMORY.
TACT_API tact_result tact_particles_set_servo(tact_particles* particles, tact_contact_with kind, uint32_t index,
                                              const tact_servo* servo);

/// Sets whether a collider's or body's wear is counted: tact_surface_load::rubbing_power at the start of each step
/// times the step, a sample, in N m. Archard's law has the volume lost be that times a constant by the hardness. The
/// state is copied to the host before each step. Errors: as tact_particles_set_servo().
TACT_API tact_result tact_particles_set_wear(tact_particles* particles, tact_contact_with kind, uint32_t index,
                                             bool counted);

/// Where a surface is, and what it has been through.
typedef struct tact_surface_state {
    tact_body_pose pose;   ///< a body's. Of a collider: `position` is the point that torques are about (of a plane: its
                           ///< closest to the origin), `rotation` how it has turned since it was put there
    double servo_speed;    ///< along the servo's direction, m/s; 0 without one
    double servo_force;    ///< that particles exerted against it at the start of the last step, N
    double wear;           ///< counted so far, N m
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_surface_state;

/// Gets where a collider or body is now. Steps that a device still does count. Errors: INVALID_ARGUMENT (no such
/// surface, a wall).
TACT_API tact_result tact_particles_get_surface(const tact_particles* particles, tact_contact_with kind, uint32_t index,
                                                tact_surface_state* state);
