// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Planes at which to cut a solid so that its parts are nearly convex.

#include "base/env.h"
#include "cpu_ref/geometry/vec.h"
#include "cpu_ref/solids/sight.h"
#include "tact/geometry/mesh_report.h"

enum {
    TACT_CUT_DIRECTIONS = 6,
    TACT_CUT_FACED = 4,  ///< notches of which the planes of both faces are tried
    TACT_CUT_PLANES = 2 * TACT_CUT_DIRECTIONS + 2 * TACT_CUT_FACED
};

/// A piece of a solid and its hull.
typedef struct tact_solid_piece {
    tact_mesh_copy mesh;  ///< empty where two pieces have become one
    tact_mesh_copy hull;
    double volume, hull_volume;
    bool whole;     ///< no plane cuts it
    uint64_t born;  ///< how many pieces there were before it
} tact_solid_piece;

typedef struct tact_cut_plane {
    dvec normal;
    double offset;
    int number;
    double near;  ///< how far from it what lies in it may be: it is moved by as much to one side
    double left;  ///< what it leaves of hidden pairs of points and of notches, as shares
    double excess, uneven, score;
} tact_cut_plane;

/// An edge at which the surface bends inward.
typedef struct tact_notch {
    uint32_t ends[2], beside[2];  ///< vertices of it, and the third ones of the triangles at it
    double weight;  ///< length, how far it is from flat (1 at a right angle) and how deep it is in the hull, multiplied
} tact_notch;

typedef struct tact_point_list {
    tact_vec3* points;
    size_t count, room;
} tact_point_list;

/// What the search for planes needs of memory, for all pieces of a solid. All zeros but for the first two at first.
typedef struct tact_plane_search {
    tact_env* env;
    uint32_t positions;  ///< planes that are tried along each direction
    tact_sight sight;
    tact_notch* notches;
    double* heights;  ///< of their ends along a direction
    size_t notch_count, notch_room, height_room;
    double notch_weight;      ///< of all
    tact_point_list side[2];  ///< what one plane makes of one piece
    dvec* facets;             ///< normals of the hull's triangles
    size_t facet_room;
} tact_plane_search;

/// Finds planes across the axes and across the piece's principal directions, through notches and anywhere, and those of
/// the faces at the sharpest and longest notches; the best first. Those with an infinite excess cut nothing.
tact_result tact_find_cut_planes(tact_plane_search* search, const tact_solid_piece* of,
                                 tact_cut_plane planes[TACT_CUT_PLANES]);
void tact_plane_search_end(tact_plane_search* search);

bool tact_point_list_add(tact_env* env, tact_point_list* list, tact_vec3 point);

/// A sixth of the determinant.
static inline double tact_wedge_volume(dvec a, dvec b, dvec c)
{
    return d_dot(a, d_cross(b, c)) / 6.0;
}

/// What a closed mesh encloses.
double tact_mesh_enclosed(const tact_vec3* positions, const uint32_t* indices, size_t triangles);

/// The volume of the hull of points.
tact_result tact_hull_volume(tact_env* env, const tact_point_list* points, double* volume);

/// What the hull has beyond the piece.
static inline double tact_piece_excess(const tact_solid_piece* p)
{
    return fmax(p->hull_volume - p->volume, 0.0);
}
