// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry/hull_graph.h
/// Extreme vertices of a convex polyhedron found by walking along its edges.

#include "tact/geometry/types.h"

/// The vertices and edges of a convex polyhedron. The neighbours of vertex i are neighbour[first[i]] up to, not
/// including, neighbour[first[i + 1]]; `first` has count + 1 elements. Every edge of the surface is listed from both
/// ends; diagonals of flat faces may be listed or not, but a vertex inside a flat face must have the neighbours that
/// surround it there. All indices are below `count`, which is not checked.
typedef struct tact_hull_graph {
    const tact_vec3* vertex;    ///< `count` of them
    const uint32_t* first;      ///< `count` + 1 places in `neighbour`
    const uint32_t* neighbour;  ///< vertex numbers
    uint32_t count;             ///< of the vertices
} tact_hull_graph;

/// Finds the vertex farthest along `direction` (any length, not zero), found from vertex `start` on; a start that is
/// not a vertex means 0. Returns UINT32_MAX when there are no vertices, when all are NaN, or when the direction is
/// zero, NaN or infinite. Of equally far vertices any one.
///
/// Method: moves to the best neighbour while it is better. Where the walk ends beside a neighbour that is as far within
/// 2^-18 of the length of the edge between them, the end may be a false one: a vertex all of whose neighbours lie in
/// the same flat face is no better and no worse than they, even on the far side of the polyhedron. There all the
/// vertices are compared. So the result is right for every polyhedron that is convex up to the rounding of its
/// coordinates, at the price of O(n) when a face or edge is perpendicular to the direction. Remove vertices inside flat
/// faces to keep that rare. Otherwise a step costs 3 multiplications a neighbour, and coherent calls take a step or
/// two. Source: C. Ericson, Real-Time Collision Detection, 2005, 4.2.5, where the false end is described as a
/// limitation.
TACT_API uint32_t tact_hull_graph_extreme(const tact_hull_graph* graph, tact_vec3 direction, uint32_t start);

/// Returns how many numbers a map of apex points has with `cells` cells along each edge of a cube of directions: six
/// times their square; 0 for less than 1 and more than 1,024.
TACT_API size_t tact_apex_map_size(uint32_t cells);

/// Makes a map of apex points, tact_apex_map_size() numbers: for each cell of a cube of directions the vertex
/// farthest along the cell's middle, from where tact_apex_map_extreme() begins. About one cell for each vertex is
/// enough: of n vertices sqrt(n / 6) cells along an edge. Takes a few steps of a walk for each cell. False for no
/// vertices and for `cells` out of range; the map is then not written. Source: Levey, Peters, O'Sullivan, "New
/// Visibility Computations in Particle Systems Simulation", 2000, as Real-Time Rendering, 2018, 22.13.4 has it.
TACT_API bool tact_apex_map_make(const tact_hull_graph* graph, uint32_t cells, uint32_t* map);

/// Finds what tact_hull_graph_extreme() does, walking from the vertex that the map has for the direction: a step or two
/// for any direction, where that from the last vertex takes as many as the direction has jumped over. `cells` as the
/// map was made with.
TACT_API uint32_t tact_apex_map_extreme(const tact_hull_graph* graph, const uint32_t* map, uint32_t cells,
                                        tact_vec3 direction);
