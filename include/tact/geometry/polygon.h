// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/polygon.h
/// Polygons of several rings: triangles that cover them and convex parts of them; planes of polygons in space. All
/// decisions are exact, so any rings give a result: holes that touch, vertices in one place or on other edges, edges
/// that lie on each other, spikes, rings without area, rings that cross. Only places where edges cross are rounded, to
/// the nearest float, once they have been decided about.
///
/// Sources: Ericson, "Real-Time Collision Detection", 2005, sections 12.4.2 and 12.5; Lawson, 1977, and Sloan, 1993, as
/// the triangulation; Amenta, Choi and Rote, "Incremental constructions con BRIO", 2003 (order of the points); Hertel
/// and Mehlhorn, "Fast triangulation of simple polygons", 1983; Keil, "Decomposing a polygon into simpler components",
/// 1985, and Keil and Snoeyink, "On the time bound for convex decomposition of simple polygons", 2002.

#include "tact/geometry/types.h"

/// Rings of vertices, each joined to the next and the last to the first. A ring may have any number of vertices, and
/// any direction.
typedef struct tact_polygon_view {
    const tact_vec2* vertices;   ///< of all rings
    size_t vertex_count;         ///< of `vertices`
    const uint32_t* ring_start;  ///< ring_count + 1 places in `vertices`, from 0 to vertex_count; NULL: one ring of all
    size_t ring_count;           ///< without `ring_start` not looked at
} tact_polygon_view;

/// What is inside of rings.
typedef enum tact_polygon_rule {
    TACT_POLYGON_EVEN_ODD = 0,  ///< what a ray to it crosses an odd number of edges for: holes in either direction
    TACT_POLYGON_NONZERO = 1    ///< what the rings go round, those clockwise taken off: holes the other way round
} tact_polygon_rule;

/// Triangles or convex parts of a polygon, until tact_polygon_parts_free(). The corners of part i are those from
/// `start[i]` up to, but without, `start[i + 1]`, counter-clockwise.
typedef struct tact_polygon_parts {
    tact_vec2* points;         ///< the polygon's vertices as given, then the places where edges cross
    size_t point_count;        ///< of `points`
    uint32_t* start;           ///< part_count + 1 places in `corners`
    uint32_t* corners;         ///< numbers of points; of vertices in one place always the lowest
    size_t part_count;         ///< parts, none of which is flat but for rounding
    uint32_t crossing[2];      ///< the first two edges found that cross, each by its first vertex; else both UINT32_MAX
    tact_allocator allocator;  ///< of the arrays
    uint64_t reserved[4];      ///< zeros
} tact_polygon_parts;

/// Covers what is inside of a polygon with triangles, which have sides in common wherever they touch: all edges are
/// sides, and all vertices that are inside or on the border are corners. A polygon of n vertices with h holes whose
/// rings do not touch gets n + 2 h - 2 triangles and no points but its own, a vertex on a straight edge included; with
/// edges that cross, `point_count - vertex_count` points are added. Diagonals are those of a constrained Delaunay
/// triangulation but for rounding. A polygon without an inside has no triangles.
///
/// Takes n log n for most inputs, and n^2 at worst; edges that cross diagonals take as many steps as there are of
/// these. About 200 bytes a vertex. `allocator` may be NULL: the C library's. Errors, after which the parts are empty:
/// INVALID_ARGUMENT for a rule that is none, rings that do not begin where the last ends and coordinates that are not
/// finite or beyond TACT_MAX_COORDINATE, with the vertex or ring; OUT_OF_MEMORY; LIMIT for more than 2^27 vertices and
/// crossings.
TACT_API tact_result tact_polygon_triangulate(const tact_polygon_view* polygon, tact_polygon_rule rule,
                                              const tact_allocator* allocator, tact_polygon_parts* parts);

/// Divides what is inside of a polygon into convex parts: tact_polygon_triangulate(), of whose diagonals each is taken
/// out that no corner needs. Without holes, rings that touch, crossings and vertices inside there are at most four
/// times as many parts as the least number; tact_polygon_least_parts() has that. Corners may be straight. Exact,
/// linear after the triangles. Errors as above.
TACT_API tact_result tact_polygon_convex_parts(const tact_polygon_view* polygon, tact_polygon_rule rule,
                                               const tact_allocator* allocator, tact_polygon_parts* parts);

/// Vertices of the largest polygon that tact_polygon_least_parts() takes.
#define TACT_POLYGON_LEAST_VERTICES 512u

/// Divides a simple polygon, one ring in either direction whose edges have nothing in common but the vertices of
/// neighbours, into the least number of convex parts whose corners are all vertices. Corners may be straight. The
/// square of the vertices in steps and memory where few see each other, the cube where all do. Errors as above, and
/// INVALID_ARGUMENT for a ring that is not simple, with two edges or a vertex; LIMIT for more than
/// TACT_POLYGON_LEAST_VERTICES.
TACT_API tact_result tact_polygon_least_parts(const tact_vec2* vertices, size_t count, const tact_allocator* allocator,
                                              tact_polygon_parts* parts);

/// Frees the arrays and clears the struct. A zeroed struct is allowed.
TACT_API void tact_polygon_parts_free(tact_polygon_parts* parts);

/// Finds the plane of a polygon in space and returns how far the farthest vertex is from it, or -1, and a plane of
/// zeros, for fewer than three vertices, an area of 0 and numbers that are not finite. The plane goes through the mean
/// of the vertices, its normal is Newell's, of length 1: for a polygon counter-clockwise seen from its tip. The
/// distance is that of the plane before rounding, good to 2^-40 of the polygon's size. Two passes, 30 operations a
/// vertex.
TACT_API double tact_polygon_plane(const tact_vec3* vertices, size_t count, tact_plane* plane);

/// Tests whether a polygon in space is in one plane and convex there, as tact_polygon_is_convex_2d(). Exact: few
/// polygons of computed vertices are in a plane; with a tolerance, compare tact_polygon_plane() with it. False for a
/// polygon without area and a NaN or infinity.
TACT_API bool tact_polygon_is_convex(const tact_vec3* vertices, uint32_t count);
