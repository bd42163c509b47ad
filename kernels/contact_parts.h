// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Parts of shapes: children of compounds, triangles of meshes and height fields. A part is a body of its own, whose
// position is near it, so that a part far from its shape's origin loses nothing.
#ifndef TACT_CONTACT_PARTS_H
#define TACT_CONTACT_PARTS_H

#include "contact_shape.h"

STRUCT(TactPart)
{
    TactBodyRow row;
    TactCore core;
    TactVec offset;  // from the body's position to the part's, along the world's axes
};

STRUCT(TactTwo)
{
    float sum, rest;
};

// a + b exactly (Knuth: The Art of Computer Programming, volume 2, 4.2.2).
FN TactTwo tact_two_sum(float a, float b)
{
    TactTwo r;
    PRECISE float sum = a + b;
    PRECISE float of_b = sum - a;
    PRECISE float of_a = sum - of_b;
    PRECISE float rest_a = a - of_a;
    PRECISE float rest_b = b - of_b;
    PRECISE float rest = rest_a + rest_b;
    r.sum = sum;
    r.rest = rest;
    return r;
}

// A body moved by an offset along the world's axes.
FN TactBodyRow tact_body_moved(TactBodyRow body, TactVec offset)
{
    TactBodyRow r = body;
    TactTwo x = tact_two_sum(body.hx, offset.x);
    TactTwo y = tact_two_sum(body.hy, offset.y);
    TactTwo z = tact_two_sum(body.hz, offset.z);
    PRECISE float lx = body.lx + x.rest;
    PRECISE float ly = body.ly + y.rest;
    PRECISE float lz = body.lz + z.rest;
    r.hx = x.sum;
    r.hy = y.sum;
    r.hz = z.sum;
    r.lx = lx;
    r.ly = ly;
    r.lz = lz;
    return r;
}

FN TactBodyRow tact_body_turned(TactBodyRow body, float4 q)
{
    TactBodyRow r = body;
    PRECISE float x = ((body.qw * q.x + body.qx * q.w) + body.qy * q.z) - body.qz * q.y;
    PRECISE float y = ((body.qw * q.y - body.qx * q.z) + body.qy * q.w) + body.qz * q.x;
    PRECISE float z = ((body.qw * q.z + body.qx * q.y) - body.qy * q.x) + body.qz * q.w;
    PRECISE float w = ((body.qw * q.w - body.qx * q.x) - body.qy * q.y) - body.qz * q.z;
    r.qx = x;
    r.qy = y;
    r.qz = z;
    r.qw = w;
    return r;
}

// A part's place in its shape, along the world's axes.
FN TactVec tact_part_offset(TactBodyRow body, float4 at)
{
    TactPlaced axes = tact_axes_of(body.qx, body.qy, body.qz, body.qw);
    return tact_placed_way(axes, tact_times(tact_vec(at.x, at.y, at.z), body.scale));
}

// The part of a body; of a shape without parts the body itself.
FN TactPart tact_part_of(TACT_SHAPES_FROM TactBodyRow body, uint part)
{
    TactPart r;
    uint4 first = SHAPES(to_uint(TACT_SHAPE_ROWS) * body.shape);
    r.row = body;
    r.offset = tact_vec(0.0f, 0.0f, 0.0f);
    if (first.x == to_uint(TACT_KIND_COMPOUND)) {
        uint at = first.y + to_uint(TACT_CHILD_POINTS) * part;
        float4 place = POINTS(at);
        r.offset = tact_part_offset(body, place);
        r.row = tact_body_turned(tact_body_moved(body, r.offset), POINTS(at + 1u));
        PRECISE float scale = body.scale * place.w;
        r.row.scale = scale;
        r.row.shape = as_uint(POINTS(at + 2u).x);
        r.core = tact_core_of(TACT_SHAPES_WITH r.row.shape, scale);
    } else if (first.x == to_uint(TACT_KIND_MESH)) {
        uint4 second = SHAPES(to_uint(TACT_SHAPE_ROWS) * body.shape + 1u);
        uint4 third = SHAPES(to_uint(TACT_SHAPE_ROWS) * body.shape + 2u);
        uint at = first.y + to_uint(TACT_TRIANGLE_POINTS) * part;
        r.offset = tact_part_offset(body, POINTS(at + 3u));
        r.row = tact_body_moved(body, r.offset);
        TactCore c;
        c.kind = to_uint(TACT_KIND_TRIANGLE);
        c.point = at;
        c.point_count = 3u;
        c.face = first.w + 2u * part;
        c.face_count = 2u;
        c.edge = second.y;
        c.edge_count = 3u;
        r.core = tact_core_sized(c, as_float(third.x), POINTS(at + 3u).w, body.scale);
    } else {
        r.core = tact_core_of(TACT_SHAPES_WITH body.shape, body.scale);
    }
    return r;
}

// Whether triangles of a body's shape touch on the side alone from which their corners go round to the left.
FN bool tact_part_is_one_sided(TACT_SHAPES_FROM TactBodyRow body)
{
    return SHAPES(to_uint(TACT_SHAPE_ROWS) * body.shape + 2u).z != 0u;
}

#endif
