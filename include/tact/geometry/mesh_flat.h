// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/mesh_flat.h
/// Flat parts of meshes in few triangles: those that lie in a plane become one face, which is triangulated again.
///
/// Source: Ericson, "Real-Time Collision Detection", 2005, section 12.4.1; the triangles are those of
/// geometry/polygon.h.

#include "tact/geometry/mesh_report.h"

/// What tact_mesh_merge_flat() did.
typedef struct tact_mesh_merged {
    uint64_t faces;             ///< flat parts of two triangles or more that are triangulated again
    uint64_t kept;              ///< such parts that stay as they were: they overlap or touch themselves
    uint64_t removed_vertices;  ///< places that triangles had as corners, and no more
    uint64_t bad_triangles;     ///< left out: with a vertex that is not finite or not there
    uint64_t collapsed;         ///< left out: with two corners in one place
    uint64_t reserved[4];       ///< zeros
} tact_mesh_merged;

/// Makes a copy in which neighbouring triangles that lie in a plane and face the same way are as few as they can be
/// with the corners that stay. Neighbours are joined by an edge of two triangles that pass it in opposite directions.
/// Vertices inside of a flat part go, and so do those on a straight border where no third border ends, on both sides of
/// it: no T-junction is made, and a closed mesh stays closed. A part of n corners and h holes has n + 2 h - 2
/// triangles. Equal places are welded, unused vertices left out. No vertex moves.
///
/// `tolerance` is a distance. 0: in a plane and straight are exact, so the surface is the same set of points. Else a
/// part is what is within the tolerance of a plane, which begins as that of its largest triangle, and a border is
/// straight within it: no point of the surface moves further than three times the tolerance. A part whose border then
/// passes over itself is kept.
///
/// Takes about linear time, and that of tact_polygon_triangulate() for each part. `allocator` may be NULL: the C
/// library's; `merged` too. Errors: INVALID_ARGUMENT for a tolerance that is negative or not finite; OUT_OF_MEMORY;
/// LIMIT as tact_mesh_report_make(). The copy is then empty.
TACT_API tact_result tact_mesh_merge_flat(const tact_mesh_view* mesh, float tolerance, const tact_allocator* allocator,
                                          tact_mesh_copy* copy, tact_mesh_merged* merged);
