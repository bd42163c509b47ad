// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/portals.h
/// Cells that are connected by portals, such as rooms by doors: which can be seen from a place, and through which part
/// of the view. Sources: Luebke and Georges, "Portals and Mirrors: Simple, Fast Evaluation of Potentially Visible
/// Sets", 1995; Ericson, "Real-Time Collision Detection", 2005, 7.6.

#include "tact/geometry/frustum.h"

/// Corners of a portal at most.
#define TACT_PORTAL_CORNERS 32

/// Planes of a part of the view at most. Where a part has more, some are left out: it is larger then.
#define TACT_PORTAL_PLANES 32

/// A hole between two cells: a flat convex polygon, open in both directions.
typedef struct tact_portal {
    uint32_t cell[2];  ///< that it connects, in any order
    uint32_t first;    ///< of its corners, among the points
    uint32_t count;    ///< of its corners, 3 to TACT_PORTAL_CORNERS, in order around it
} tact_portal;

/// Cells and portals. What is between cells beside portals cannot be seen through.
typedef struct tact_portals tact_portals;

/// Makes a graph of `cell_count` cells, numbers below that, whose shape is the caller's own. Portals and points are
/// copied. `allocator` may be NULL: the C library's. The caller destroys it. Any number of threads may look at once.
/// Errors: INVALID_ARGUMENT (NULL; a portal that connects a cell that is not there, or one with itself, has too few or
/// too many corners, corners that are not there or not finite, no area, or is not convex, or is out of its plane by
/// more than 2^-16 of its size: the detail says which), OUT_OF_MEMORY; *graph is NULL then.
TACT_API tact_result tact_portals_create(const tact_portal* portals, size_t portal_count, const tact_vec3* points,
                                         size_t point_count, uint32_t cell_count, const tact_allocator* allocator,
                                         tact_portals** graph);

/// Frees a graph. NULL is allowed.
TACT_API void tact_portals_destroy(tact_portals* graph);

/// Receives a cell and the planes, with outward unit normals, that bound the part of the view in which it is seen
/// through one way of portals: those of the frustum at first, then those through the eye and the sides of the last
/// portal, as far as it is seen, and the far plane. A cell that is seen through several ways comes several times.
/// `portal` is the last of the way, UINT32_MAX for the cell of the eye. Returns false to end the search.
typedef bool tact_portal_fn(uint32_t cell, uint32_t portal, const tact_plane* planes, uint32_t plane_count, void* user);

/// Where one looks from.
typedef struct tact_portal_view {
    tact_vec3 eye;                ///< finite
    uint32_t cell;                ///< that the eye is in
    const tact_frustum* frustum;  ///< what is in view; its near plane is not heeded. NULL: all directions, any distance
    size_t limit;                 ///< of steps into a cell; 0: 65,536
    tact_portal_fn* seen;         ///< called for each step; NULL: it is not
    void* user;                   ///< passed to it
    uint32_t* cells;              ///< receives the cells that are seen, each once, ascending, at most `capacity`
    size_t capacity;              ///< of `cells`, which may be NULL where it is 0
    size_t count;                 ///< receives how many are seen
    bool limited;                 ///< receives whether the limit was reached
    uint64_t reserved[4];         ///< zeros: room for fields to come
} tact_portal_view;

/// Finds the cells that are seen from a place: steps through each portal that is in the part of the view left so far,
/// and goes on with what is seen through it. Conservative: whatever a straight line from the eye within the frustum
/// reaches through portals, each once, is in a cell that is found, since parts are wider than rounding by 2^-40 of
/// distances. A portal whose plane the eye is in, to 2^-20 of its distance, leaves the part as it is. Rings of portals
/// are fine: a line passes a flat portal once. Beyond the limit of steps all cells that can be reached count as seen,
/// and `seen` is called for them with the planes of the frustum. Planes are rounded to floats, outward for what is at
/// the eye's distance from the origin. Where more cells are seen than `capacity` it returns INCOMPLETE, and `cells` has
/// the first. Errors: INVALID_ARGUMENT (NULL, a cell that is not there, an eye that is not finite), OUT_OF_MEMORY.
TACT_API tact_result tact_portals_see(const tact_portals* graph, tact_portal_view* view);
