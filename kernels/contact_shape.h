// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Posed shapes as a pair of them sees each other: the arithmetic behind contacts, shared by C, GLSL and OpenCL C.
// docs/results.md states it in prose; change neither without the other.
//
// A shape is a core, a convex polytope of points, edges and faces, with a radius around it: of a sphere one point, of a
// capsule two and the edge between. A half-space is one face without an end. A pair is worked out in the frame of A,
// whose axes are A's and whose origin is A's position; units are the world's, scales are taken into account.
//
// Functions read the buffers of shapes by the macros FROM and WITH: parameters of C and OpenCL C, names of GLSL.
#ifndef TACT_CONTACT_SHAPE_H
#define TACT_CONTACT_SHAPE_H

#include "contact_frame.h"

#if defined(TACT_GLSL) || defined(TACT_OPENCL)
#define TACT_SHAPES_FROM \
    FROM(uint4, shapes)  \
    FROM(float4, points) FROM(uint4, faces) FROM(uint, corners) FROM(uint4, edges)
#define TACT_SHAPES_WITH WITH(shapes) WITH(points) WITH(faces) WITH(corners) WITH(edges)
#define SHAPES(i) shapes[i]
#define POINTS(i) points[i]
#define FACES(i) faces[i]
#define CORNERS(i) corners[i]
#define EDGES(i) edges[i]
#else
typedef struct TactShapes {
    const uint4* shapes;
    const float4* points;
    const uint4* faces;
    const uint32_t* corners;
    const uint4* edges;
    // Only the host's: points, faces and edges for what stands in for functions with TACT_CONTACT_LANES.
    const float *point_lanes, *face_lanes, *edge_lanes;
    const uint16_t *face_edges, *edge_lists;
} TactShapes;
#define TACT_SHAPES_FROM const TactShapes *tables,
#define TACT_SHAPES_WITH tables,
#define SHAPES(i) tables->shapes[i]
#define POINTS(i) tables->points[i]
#define FACES(i) tables->faces[i]
#define CORNERS(i) tables->corners[i]
#define EDGES(i) tables->edges[i]
#endif

STRUCT(TactCore)
{
    uint kind;
    uint point, point_count;  // the first of its rows in `points`, and how many
    uint face, face_count;
    uint edge, edge_count;
    float radius;  // around the core
    float scale;
    float extent;  // of the core's points from the body's position, at most
};

// What of a core goes with its body's scale. `radius` and `extent`: of the shape.
FN TactCore tact_core_sized(TactCore c, float radius, float extent, float scale)
{
    TactCore r = c;
    PRECISE float radius_there = radius * scale;
    PRECISE float extent_there = extent * scale;
    r.scale = scale;
    r.radius = radius_there;
    r.extent = extent_there;
    return r;
}

FN TactCore tact_core_of(TACT_SHAPES_FROM uint shape, float scale)
{
    uint4 first = SHAPES(to_uint(TACT_SHAPE_ROWS) * shape);
    uint4 second = SHAPES(to_uint(TACT_SHAPE_ROWS) * shape + 1u);
    uint4 third = SHAPES(to_uint(TACT_SHAPE_ROWS) * shape + 2u);
    TactCore c;
    c.kind = first.x;
    c.point = first.y;
    c.point_count = first.z;
    c.face = first.w;
    c.face_count = second.x;
    c.edge = second.y;
    c.edge_count = second.z;
    return tact_core_sized(c, as_float(third.x), as_float(third.y), scale);
}

// A point of a core in its body's frame. `i` counts from the core's first.
FN TactVec tact_core_point(TACT_SHAPES_FROM TactCore c, uint i)
{
    float4 p = POINTS(c.point + i);
    return tact_times(tact_vec(p.x, p.y, p.z), c.scale);
}

// A point of B's core in the frame of A.
FN TactVec tact_other_point(TACT_SHAPES_FROM TactCore c, TactPlaced b, uint i)
{
    TactVec p = tact_core_point(TACT_SHAPES_WITH c, i);
    return tact_more(b.t, tact_placed_way(b, p), 1.0f);
}

STRUCT(TactFarthest)
{
    float along;
    uint i;
};

// The point of a core that is farthest along a direction of its body's frame; of equal ones the first.
FN TactFarthest tact_points_farthest_each(TACT_SHAPES_FROM TactCore c, TactVec way)
{
    TactFarthest best;
    best.along = 0.0f;
    best.i = 0u;
    for (uint i = 0u; i < c.point_count; ++i) {
        float4 p = POINTS(c.point + i);
        float along = tact_dot3(p.x, p.y, p.z, way.x, way.y, way.z);
        bool more = i == 0u || along > best.along;
        best.along = more ? along : best.along;
        best.i = more ? i : best.i;
    }
    PRECISE float scaled = best.along * c.scale;
    best.along = scaled;
    return best;
}

#ifdef TACT_CONTACT_LANES
FN TactFarthest tact_points_farthest(TACT_SHAPES_FROM TactCore c, TactVec way);
#else
#define tact_points_farthest tact_points_farthest_each
#endif

// The same; of a box by the signs of the direction, which say a bit each of the corner's number.
FN TactFarthest tact_core_farthest(TACT_SHAPES_FROM TactCore c, TactVec way)
{
    TactFarthest r;
    if (c.kind == to_uint(TACT_KIND_BOX)) {
        r.i = (way.x > 0.0f ? 1u : 0u) + (way.y > 0.0f ? 2u : 0u) + (way.z > 0.0f ? 4u : 0u);
        float4 p = POINTS(c.point + r.i);
        PRECISE float along = tact_dot3(p.x, p.y, p.z, way.x, way.y, way.z) * c.scale;
        r.along = along;
    } else {
        r = tact_points_farthest(TACT_SHAPES_WITH c, way);
    }
    return r;
}

// How far B is from A along a direction of A's frame: negative where they overlap along it.
FN float tact_apart_along(TACT_SHAPES_FROM TactCore a, TactCore b, TactPlaced placed, TactVec way)
{
    TactFarthest of_a = tact_core_farthest(TACT_SHAPES_WITH a, way);
    TactVec back = tact_placed_back(placed, way);
    TactFarthest of_b = tact_core_farthest(TACT_SHAPES_WITH b, tact_times(back, -1.0f));
    PRECISE float apart = (tact_dot_vec(placed.t, way) - of_b.along) - of_a.along;
    return apart;
}

#endif
