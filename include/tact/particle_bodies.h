// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file particle_bodies.h
/// Bodies that particles collide with besides each other: colliders (planes, spheres, capsules, boxes), triangle meshes
/// and height fields, still or moving; emitters, which add particles, and sinks, which remove them.
///
/// Bodies are rigid, and nothing that touches them moves them. A body's velocity drags what touches it; moving it is a
/// separate call, or done by itself after each substep: particle_surfaces.h.
///
/// No tunnelling: the way of a particle's centre is cut short before it comes closer than half its radius to a collider
/// or mesh, at any speed; what would move more than 16,000 of the least radii in a substep is slowed to that, and
/// counted. This holds while coordinates and triangles are below 16,384 radii, since roundings are far less than half a
/// radius then. A particle thus never passes through one, unless it is put there, or a body is moved over it by more
/// than half its radius at a time, or it is squeezed between two moving bodies.

#include "tact/particles.h"
#include "tact/scene.h"

/// The kind of a collider, and so the member of its union.
typedef enum tact_collider_kind {
    TACT_COLLIDER_PLANE = 0,  ///< the half-space below it is solid
    TACT_COLLIDER_SPHERE = 1,
    TACT_COLLIDER_CAPSULE = 2,
    TACT_COLLIDER_BOX = 3,
} tact_collider_kind;

/// A shape that particles collide with, and that they do not move.
typedef struct tact_collider {
    tact_collider_kind kind;  ///< selects the member of `shape`
    union {
        tact_plane plane;      ///< the normal, of any length but 0, points to where particles are
        tact_sphere sphere;    ///< of SPHERE
        tact_capsule capsule;  ///< of CAPSULE
        tact_obb box;          ///< solid; axes orthonormal within 2^-16
    } shape;                   ///< in the world
    bool inside;               ///< a container: particles are kept in it rather than out
    uint8_t material;          ///< index into the system's materials
    uint32_t mask;             ///< groups that collide with it, bit g for group g; 0: all
    tact_vec3 velocity;        ///< of the shape's centre (of a plane: of every point; of a capsule: of its end a)
    tact_vec3 spin;            ///< angular velocity about it, radians/s; ignored for planes
} tact_collider;

enum { TACT_MAX_COLLIDERS = 256, TACT_MAX_BODIES = 256, TACT_MAX_EMITTERS = 64, TACT_MAX_SINKS = 64 };

/// Adds a collider; indices count from 0. Errors: INVALID_ARGUMENT (not finite, empty, no such material), LIMIT.
TACT_API tact_result tact_particles_add_collider(tact_particles* particles, const tact_collider* collider,
                                                 uint32_t* index);
/// Replaces a collider, which may be of another kind: to move one, change its shape and velocity.
TACT_API tact_result tact_particles_set_collider(tact_particles* particles, uint32_t index,
                                                 const tact_collider* collider);

/// The place and motion of a body. `rotation` in row-major order, a rotation within 2^-16; all zero stands for the
/// identity.
typedef struct tact_body_pose {
    float rotation[9];   ///< from its own frame to the world
    tact_vec3 position;  ///< of its frame's origin
    tact_vec3 velocity;  ///< of the point `position`
    tact_vec3 spin;      ///< about it, radians/s
} tact_body_pose;

/// Adds a triangle mesh, copied; both sides of its triangles are solid, and particles on either side stay there. `pose`
/// NULL: as given. Triangles with a corner that is not finite or beyond TACT_MAX_COORDINATE are left out. Errors:
/// INVALID_ARGUMENT, LIMIT, OUT_OF_MEMORY.
TACT_API tact_result tact_particles_add_mesh(tact_particles* particles, const tact_mesh_desc* mesh,
                                             const tact_body_pose* pose, uint8_t material, uint32_t* body);

/// A height field over columns x rows points: point (c, r) is at (origin.x + c * step_x, origin.y + heights[r * columns
/// + c], origin.z + r * step_z) of its own frame, where y is up. Each square is two triangles, 2 (r (columns - 1) + c)
/// with its corners (c, r), (c, r+1), (c+1, r), and the next one with (c+1, r), (c, r+1), (c+1, r+1). Squares with a
/// NaN corner are holes.
typedef struct tact_height_field_desc {
    const float* heights;    ///< copied
    uint32_t columns, rows;  ///< points each way, at least 2
    float step_x, step_z;    ///< from one point to the next, > 0
    tact_vec3 origin;        ///< added to every point
    uint64_t reserved[4];    ///< zeros: room for fields to come
} tact_height_field_desc;

/// Adds a height field, as tact_particles_add_mesh() adds a mesh, and with its errors.
TACT_API tact_result tact_particles_add_height_field(tact_particles* particles, const tact_height_field_desc* field,
                                                     const tact_body_pose* pose, uint8_t material, uint32_t* body);

/// Moves a mesh or height field. Errors: INVALID_ARGUMENT.
TACT_API tact_result tact_particles_move_body(tact_particles* particles, uint32_t body, const tact_body_pose* pose);

/// Sets what a collider, or a mesh or height field, is in your program; at first 0.
/// tact_particles_get_touched_user_data() looks it up by contacts; tact_particles_save() leaves it out. Errors:
/// INVALID_ARGUMENT (no such one).
TACT_API tact_result tact_particles_set_collider_user_data(tact_particles* particles, uint32_t index,
                                                           uint64_t user_data);
TACT_API tact_result tact_particles_set_body_user_data(tact_particles* particles, uint32_t body, uint64_t user_data);

/// Adds particles, a sheet at a time: a grid of them over a parallelogram, all with one velocity. A sheet is due when
/// the one before has moved on by `spacing` (or `interval` has passed), and comes at the start of the first step that
/// begins no earlier, moved on by what it has missed; several come together when several are due. The first is due when
/// the emitter is there and `start` has come. The particles added depend on the emitter, on those it has added before
/// and on the system's clock, not on obstacles: keep its place clear.
typedef struct tact_emitter {
    tact_vec3 corner, edge[2];  ///< centres lie at corner + s edge[0] + t edge[1], 0 <= s, t <= 1
    tact_vec3 velocity;         ///< of all particles, and of the sheets
    float spacing;              ///< of the grid; at least twice `radius`; 0: 2.1 times it
    float interval;             ///< seconds between sheets; 0: spacing by speed across the sheet
    float jitter;    ///< part of the room between neighbours of a sheet that they may use up by moving about, 0 to 1
    float radius;    ///< largest; 0: 0.5
    float smallest;  ///< radii lie evenly in [smallest, radius]; 0: all `radius`
    float density;   ///< 0: 1000
    uint8_t material, group;  ///< of all particles
    uint32_t seed;            ///< of radii and jitter
    uint64_t limit;           ///< particles to add, in all; 0: no limit
    double start, stop;       ///< seconds of the system's clock; stop 0: never
} tact_emitter;

/// Adds an emitter. Errors: INVALID_ARGUMENT (not finite, out of range, a sheet that reaches outside the domain or
/// never moves on, radii that the system cannot have), LIMIT, OUT_OF_MEMORY. From then on tact_particles_stable_step()
/// allows for the particles that the emitter may add.
TACT_API tact_result tact_particles_add_emitter(tact_particles* particles, const tact_emitter* emitter,
                                                uint32_t* index);
/// Replaces an emitter, which goes on counting: `limit` includes the particles added before.
TACT_API tact_result tact_particles_set_emitter(tact_particles* particles, uint32_t index, const tact_emitter* emitter);

/// Adds a sink, which removes particles whose centre is in the collider's solid, or on its surface, at the end of a
/// step. Material, velocity and spin are not read. Errors: as tact_particles_add_collider().
TACT_API tact_result tact_particles_add_sink(tact_particles* particles, const tact_collider* region, uint32_t* index);
