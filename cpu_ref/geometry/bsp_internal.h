// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Planes of BSP trees and pieces of triangles that planes have cut, without a coordinate that was not given.
///
/// On a triangle a plane is a row of three numbers: the heights of the corners above it. A point of the triangle is
/// three weights of its corners, and its height is their scalar product with the row. Two lines on the triangle, where
/// two planes cut it, meet in the weights that are the cross product of their rows; so the height of that point above a
/// third plane has the sign of the determinant of three rows. An edge of the triangle is a row too: the weight of the
/// corner across.

#include "cpu_ref/geometry/big_internal.h"
#include "cpu_ref/geometry/vec.h"
#include "tact/geometry/bsp.h"

/// In place of the number of a node: an edge of the triangle itself, this and the number of the corner across.
#define TACT_BSP_OWN 0xfffffff0u

/// What is needed to know a plane to the last bit.
typedef struct tact_bsp_mesh {
    const tact_vec3* positions;
    const uint32_t* indices;
    const tact_bsp_node* nodes;
    int32_t scale;     ///< of the whole numbers: the lowest shift of all coordinates
    uint64_t* unsure;  ///< decisions that took whole numbers; may be NULL
} tact_bsp_mesh;

/// A line on a triangle, with what is inside to its left.
typedef struct tact_bsp_edge {
    uint32_t node;  ///< whose plane cuts the triangle there, or TACT_BSP_OWN + k
    int32_t sign;   ///< 1 where the heights of the inside are positive, else -1
    double row[3];  ///< each good to 2^-26 of itself, and 0 only where it is
} tact_bsp_edge;

/// A convex piece of a triangle, counter-clockwise; its edges follow it. Corner k is where edges k and k + 1 meet.
typedef struct tact_bsp_piece {
    uint32_t triangle;
    uint32_t edges;
} tact_bsp_piece;

typedef enum tact_bsp_side { BSP_FRONT, BSP_BACK, BSP_IN_PLANE, BSP_CUT } tact_bsp_side;

static inline size_t bsp_piece_size(const tact_bsp_piece* piece)
{
    return sizeof *piece + piece->edges * sizeof(tact_bsp_edge);
}

static inline tact_bsp_edge* bsp_edges_of(tact_bsp_piece* piece)
{
    return (tact_bsp_edge*)(piece + 1);
}

static inline const tact_bsp_edge* bsp_const_edges(const tact_bsp_piece* piece)
{
    return (const tact_bsp_edge*)(piece + 1);
}

/// The height of a point above a node's plane times the length of its normal, and what it can be wrong by.
static inline double bsp_quick_height(const tact_bsp_node* node, tact_vec3 p, double* bound)
{
    const dvec d = d_sub(d_from(p), d_from(node->point));
    *bound = node->bound * ((fabs(d.x) + fabs(d.y)) + fabs(d.z));
    return (node->normal[0] * d.x + node->normal[1] * d.y) + node->normal[2] * d.z;
}

/// The height of a point, good to 2^-26 of itself, with the exact sign. `point` finite.
double tact_bsp_height(const tact_bsp_mesh* mesh, const tact_bsp_node* node, tact_vec3 point);

/// The sign of it alone.
static inline int bsp_point_side(const tact_bsp_mesh* mesh, const tact_bsp_node* node, tact_vec3 point)
{
    double bound, height = bsp_quick_height(node, point, &bound);
    if (!(fabs(height) > bound)) height = tact_bsp_height(mesh, node, point);
    return (height > 0.0) - (height < 0.0);
}

/// The same as a whole number: of the vector from the node's point to `point`, or of `point` itself as a vector.
void tact_bsp_height_exact(const tact_bsp_mesh* mesh, const tact_bsp_node* node, tact_vec3 point, bool vector,
                           int32_t scale, tact_big* height);

/// A node's plane by a triangle or TACT_BSP_AXIS + axis, through `point`, which is a corner of that triangle.
void tact_bsp_set_plane(const tact_bsp_mesh* mesh, tact_bsp_node* node, uint32_t triangle, tact_vec3 point);

/// Whether a triangle in the plane of a node, which is that of another one, faces as that does: 1 or -1.
int tact_bsp_facing(const tact_bsp_mesh* mesh, const tact_bsp_node* node, uint32_t triangle);

/// The lowest shift of all coordinates.
int32_t tact_bsp_scale_of(const tact_vec3* positions, size_t count);

/// A whole triangle.
void tact_bsp_piece_whole(tact_bsp_piece* piece, uint32_t triangle);

/// The side of a node's plane that a piece is on. Of one that is cut, `row` has the heights of the triangle's corners
/// and `sides` the sign of each corner of the piece, for which it has room.
tact_bsp_side tact_bsp_classify(const tact_bsp_mesh* mesh, const tact_bsp_node* node, const tact_bsp_piece* piece,
                                double row[3], int8_t* sides);

/// Writes the parts of a piece that is cut in front of and behind the plane of node number `node`. There is room for
/// one edge more than `piece` has in each.
void tact_bsp_cut(const tact_bsp_piece* piece, uint32_t node, const double row[3], const int8_t* sides,
                  tact_bsp_piece* front, tact_bsp_piece* back);
