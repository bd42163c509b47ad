// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Integrals over solids, and the tensors of inertia that follow from them.

#include <stdbool.h>

/// Integrals over a solid.
typedef struct tact_solid_moments {
    double volume, first[3];  ///< of 1; of x y z
    double second[6];         ///< of xx yy zz xy xz yz
} tact_solid_moments;

/// Adds the tetrahedron between the origin and a triangle, as negative where the triangle is clockwise seen from there
/// outwards.
void tact_solid_add_tetrahedron(tact_solid_moments* moments, double corners[3][3]);

/// The tensor of inertia about a point of a solid of mass 1: xx yy zz xy xz yz.
void tact_solid_inertia(const tact_solid_moments* moments, const double about[3], double inertia[6]);

/// Whether a tensor of inertia, xx yy zz xy xz yz, is positive definite (Sylvester's criterion).
bool tact_solid_is_inertia(const double inertia[6]);
