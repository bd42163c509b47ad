// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Poses of bodies, and where one is in the frame of another.
#ifndef TACT_CONTACT_FRAME_H
#define TACT_CONTACT_FRAME_H

#include "contact_layout.h"
#include "dialect.h"
#include "particle_mesh.h"

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

#endif
