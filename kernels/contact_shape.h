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

#include "contact_layout.h"
#include "dialect.h"
#include "particle_mesh.h"

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
    // Only the host's: points, faces and open edges for what stands in for functions with TACT_CONTACT_LANES.
    const float *point_lanes, *face_lanes;
    const uint8_t* edge_open;
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

// Where B is in the frame of A: its axes as columns, and its position.
STRUCT(TactPlaced)
{
    TactVec x, y, z, t;
};

STRUCT(TactBodyRow)
{
    float hx, hy, hz, scale;  // positions are sums of two numbers
    float lx, ly, lz, margin;
    float qx, qy, qz, qw;
    uint shape;
};

FN float tact_dot_vec(TactVec a, TactVec b)
{
    return tact_dot3(a.x, a.y, a.z, b.x, b.y, b.z);
}

FN TactVec tact_cross_vec(TactVec a, TactVec b)
{
    return tact_cross3(a.x, a.y, a.z, b.x, b.y, b.z);
}

FN TactVec tact_less(TactVec a, TactVec b)
{
    PRECISE float x = a.x - b.x;
    PRECISE float y = a.y - b.y;
    PRECISE float z = a.z - b.z;
    return tact_vec(x, y, z);
}

// a + times b
FN TactVec tact_more(TactVec a, TactVec b, float times)
{
    PRECISE float x = a.x + b.x * times;
    PRECISE float y = a.y + b.y * times;
    PRECISE float z = a.z + b.z * times;
    return tact_vec(x, y, z);
}

FN TactVec tact_times(TactVec a, float times)
{
    PRECISE float x = a.x * times;
    PRECISE float y = a.y * times;
    PRECISE float z = a.z * times;
    return tact_vec(x, y, z);
}

// A direction of B's in the frame of A.
FN TactVec tact_placed_way(TactPlaced p, TactVec v)
{
    PRECISE float x = (p.x.x * v.x + p.y.x * v.y) + p.z.x * v.z;
    PRECISE float y = (p.x.y * v.x + p.y.y * v.y) + p.z.y * v.z;
    PRECISE float z = (p.x.z * v.x + p.y.z * v.y) + p.z.z * v.z;
    return tact_vec(x, y, z);
}

// A direction of A's frame in that of B.
FN TactVec tact_placed_back(TactPlaced p, TactVec v)
{
    return tact_vec(tact_dot_vec(p.x, v), tact_dot_vec(p.y, v), tact_dot_vec(p.z, v));
}

// The axes of a unit quaternion's rotation as columns; t is zero.
FN TactPlaced tact_axes_of(float qx, float qy, float qz, float qw)
{
    PRECISE float xx = qx * qx;
    PRECISE float yy = qy * qy;
    PRECISE float zz = qz * qz;
    PRECISE float xy = qx * qy;
    PRECISE float xz = qx * qz;
    PRECISE float yz = qy * qz;
    PRECISE float wx = qw * qx;
    PRECISE float wy = qw * qy;
    PRECISE float wz = qw * qz;
    PRECISE float m00 = 1.0f - 2.0f * (yy + zz);
    PRECISE float m11 = 1.0f - 2.0f * (xx + zz);
    PRECISE float m22 = 1.0f - 2.0f * (xx + yy);
    PRECISE float m10 = 2.0f * (xy + wz);
    PRECISE float m01 = 2.0f * (xy - wz);
    PRECISE float m20 = 2.0f * (xz - wy);
    PRECISE float m02 = 2.0f * (xz + wy);
    PRECISE float m21 = 2.0f * (yz + wx);
    PRECISE float m12 = 2.0f * (yz - wx);
    TactPlaced p;
    p.x = tact_vec(m00, m10, m20);
    p.y = tact_vec(m01, m11, m21);
    p.z = tact_vec(m02, m12, m22);
    p.t = tact_vec(0.0f, 0.0f, 0.0f);
    return p;
}

// From A's position to B's, along the world's axes. The differences of the large parts are exact where bodies are near
// each other, however far they are from the origin.
FN TactVec tact_between_bodies(TactBodyRow a, TactBodyRow b)
{
    PRECISE float hx = b.hx - a.hx;
    PRECISE float hy = b.hy - a.hy;
    PRECISE float hz = b.hz - a.hz;
    PRECISE float lx = b.lx - a.lx;
    PRECISE float ly = b.ly - a.ly;
    PRECISE float lz = b.lz - a.lz;
    PRECISE float x = hx + lx;
    PRECISE float y = hy + ly;
    PRECISE float z = hz + lz;
    return tact_vec(x, y, z);
}

FN TactBodyRow tact_body_of(FROM(float4, bodies) uint id)
{
    float4 high = bodies[to_uint(TACT_POSED_ROWS) * id];
    float4 low = bodies[to_uint(TACT_POSED_ROWS) * id + 1u];
    float4 turn = bodies[to_uint(TACT_POSED_ROWS) * id + 2u];
    TactBodyRow r;
    r.hx = high.x;
    r.hy = high.y;
    r.hz = high.z;
    r.scale = high.w;
    r.lx = low.x;
    r.ly = low.y;
    r.lz = low.z;
    r.margin = low.w;
    r.qx = turn.x;
    r.qy = turn.y;
    r.qz = turn.z;
    r.qw = turn.w;
    r.shape = as_uint(bodies[to_uint(TACT_POSED_ROWS) * id + 3u].x);
    return r;
}

FN TactPlaced tact_placed(TactPlaced a, TactPlaced b, TactVec between)
{
    TactPlaced p;
    p.x = tact_placed_back(a, b.x);
    p.y = tact_placed_back(a, b.y);
    p.z = tact_placed_back(a, b.z);
    p.t = tact_placed_back(a, between);
    return p;
}

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
