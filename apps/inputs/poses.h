// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Poses of one mesh relative to another: from files, or at random.

#include "apps/inputs/model.h"
#include "apps/inputs/random.h"

/// Reads matrices (4, 4) or (n, 4, 4), float32 or float64, whose last row is 0 0 0 1; the first three are the pose.
/// `*poses` is from malloc, never NULL. What is not so is a problem that names the matrix and the row.
bool tact_poses_read(const char* path, float (**poses)[12], size_t* count, tact_problem* problem);

/// The middle of a mesh's box, its half extents, and half the length of its diagonal. Vertices beyond
/// TACT_MAX_COORDINATE are left out; without any other, all is zero.
typedef struct tact_mesh_extent {
    double middle[3], half[3], radius;
} tact_mesh_extent;

tact_mesh_extent tact_mesh_extent_of(const tact_model_mesh* mesh);

/// A point in the unit ball of so many dimensions, not too near its centre, and its distance from there: the direction
/// is uniform.
double tact_random_direction(tact_random* random, int dimensions, double* v);

/// A uniformly random turn, as a quaternion w x y z of unit length; and that as a matrix of rows.
void tact_random_quaternion(tact_random* random, double q[4]);
void tact_quaternion_matrix(const double q[4], double turn[3][3]);

/// The pose that turns about the point `middle` and then brings that to `to`.
void tact_pose_about(const double q[4], const double middle[3], const double to[3], float pose[12]);

/// Poses of B in A's frame: B is turned at random about the middle of its box, which is then moved in a random
/// direction from the middle of A's, by a distance uniform from 0 to `spread` times the mean of their radii. With
/// `meet` those in which A's box and the box about B's turned one are apart are drawn again.
void tact_poses_scatter(const tact_model_mesh* a, const tact_model_mesh* b, uint64_t seed, double spread, bool meet,
                        float (*poses)[12], size_t count);
