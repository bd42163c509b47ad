// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Shapes with one core as solids: what their volume and moments are, and how far their surface is. All of it is double
/// arithmetic in a fixed order, without functions whose last bits differ between machines.

#include "core/particles/solid_moments.h"
#include "cpu_ref/contacts/contacts.h"
#include "cpu_ref/geometry/vec.h"

/// More faces than a hull has.
enum { TACT_CORE_MOST_FACES = 2 * TACT_HULL_MOST_POINTS };

/// A shape of scale 1. Places are from `base`, in the shape's frame.
typedef struct tact_core_solid {
    const tact_shape_tables* tables;
    TactCore core;
    dvec base;                           ///< the middle of the box around the core
    tact_solid_moments moments;          ///< zeros: there is no volume, or none that rounding leaves
    dvec normals[TACT_CORE_MOST_FACES];  ///< of a hull's faces, of unit length
} tact_core_solid;

/// Adds a solid whose moments are about a place, in the frame of the one that it is added to.
void tact_solid_add(tact_solid_moments* moments, const tact_solid_moments* other, dvec at);

/// The centre of mass of a solid that has volume.
dvec tact_solid_center(const tact_solid_moments* moments);

/// Measures a shape: a sphere, capsule, box or hull.
void tact_core_solid_make(tact_core_solid* solid, const tact_shape_tables* tables, uint32_t shape);

/// The radius of the largest ball about a place in a solid; of a place outside it is not positive.
double tact_core_solid_depth(const tact_core_solid* solid, dvec at);

/// How far the solid's farthest point is from a place.
double tact_core_solid_reach(const tact_core_solid* solid, dvec from);
