// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Meshes and height fields that particles collide with.

#include "base/env.h"
#include "cpu_ref/triangle_tree.h"
#include "kernels/particle_mesh.h"
#include "tact/particle_bodies.h"
#include "tact/scene.h"

/// Contacts of one particle with one body at most.
enum { TACT_BODY_TOUCHES = 4 };

typedef enum tact_particle_body_kind { TACT_COLLIDER_MESH = 0, TACT_COLLIDER_FIELD = 1 } tact_particle_body_kind;

typedef tact_leaf_triangle tact_body_triangle;

/// A mesh or height field, in its own frame. Ids of triangles count those left out.
typedef struct tact_particle_body {
    uint32_t material;
    tact_particle_body_kind kind;
    tact_body_pose pose;  ///< as given
    TactFrame frame;      ///< made of it
    uint32_t triangle_end;

    tact_bvh_node* nodes;  ///< MESH
    size_t node_count;
    tact_body_triangle* triangles;  ///< MESH: in the order of the leaves
    size_t triangle_count;

    TactFieldAxis across, along;  ///< FIELD: x and z
    float* heights;  ///< FIELD: y of the corners, the origin's included, row by row; TACT_FIELD_HOLE or more: none
    float lowest, highest;
} tact_particle_body;

/// Copies a mesh, whose indices have been checked, and builds its tree. OUT_OF_MEMORY.
tact_result tact_body_make_mesh(tact_env* env, int threads, const tact_mesh_desc* mesh, tact_particle_body* body);
/// Copies a height field that has been checked. OUT_OF_MEMORY.
tact_result tact_body_make_field(tact_env* env, const tact_height_field_desc* field, tact_particle_body* body);
/// The frame of a pose that has been checked. Its rotation is made orthonormal to single precision.
TactFrame tact_body_frame(const tact_body_pose* pose);
/// NULL is not allowed; a body of zeroes is.
void tact_body_free(tact_env* env, tact_particle_body* body);

/// Where a sphere touches a body.
typedef struct tact_body_touch {
    uint32_t triangle;
    float distance;    ///< of the centre from the triangle
    float nx, ny, nz;  ///< unit, from the closest point to the centre
} tact_body_touch;

/// The touches of a sphere, the deepest first. By definition: among all triangles at most `radius` away, by the squares
/// that tact_triangle_near() computes in the body's frame, that with the least square is taken, of several the one with
/// the smallest id; then again among those which tact_touch_is_flat() does not hold to be surroundings of one that has
/// been taken; until there is none or there are TACT_BODY_TOUCHES. So the flat surroundings of a contact count once.
size_t tact_body_touches(const tact_particle_body* body, const float center[3], float radius,
                         tact_body_touch touches[TACT_BODY_TOUCHES]);

/// Distance of a point from a body: the exact minimum if that is at most `limit`, else anything greater than `limit`.
/// The surface's unit normal towards the point, at the closest triangle (the smallest id of several), goes to `normal`.
float tact_body_distance(const tact_particle_body* body, const float point[3], float limit, float normal[3]);

/// The same two by brute force, which defines them.
size_t tact_body_touches_reference(const tact_particle_body* body, const float center[3], float radius,
                                   tact_body_touch touches[TACT_BODY_TOUCHES]);
float tact_body_distance_reference(const tact_particle_body* body, const float point[3], float limit, float normal[3]);
