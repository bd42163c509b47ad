// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// How much of the sphere around a point a strip covers that goes from a segment to infinity along -x: what closes the
// boundary of a surface for its winding number. Shared by C, GLSL and OpenCL C. docs/results.md states it in prose;
// change neither without the other.
//
// By van Oosterom and Strackee ("The solid angle of a plane triangle", 1983) with the third corner at infinity, along
// d = -x: tan(angle / 2) = det(a, b, d) / (|a| |b| + a.b + (a.d) |b| + (b.d) |a|). The denominator is
// (|a| - a.x) (|b| - b.x) + (a.y b.y + a.z b.z), in which nothing cancels but the last sum.
#ifndef TACT_STRIP_TURN_H
#define TACT_STRIP_TURN_H

#include "particle_mesh.h"

// Components smaller than this, with the largest from 1 to 2, count as nothing: no product that matters is then too
// small for devices that flush such.
#define TACT_STRIP_LEAST 9.094947017729282379150390625e-13f

// Turns are integers, of 2^32 to one.
#define TACT_TURN_ONE 4294967296.0f

// atan(r) / (2 pi) = r * (this polynomial of r^2) for r from 0 to 1, but for 2^-25.
#define TACT_TURN_0 0.159154936671257019042969f
#define TACT_TURN_1 -0.0530511774122714996337890625f
#define TACT_TURN_2 0.0318180508911609649658203125f
#define TACT_TURN_3 -0.02259649708867073059082031f
#define TACT_TURN_4 0.0168996620923280715942383f
#define TACT_TURN_5 -0.01186795346438884735107421875f
#define TACT_TURN_6 0.00670641101896762847900390625f
#define TACT_TURN_7 -0.0025037061423063278198242f
#define TACT_TURN_8 0.00044026769697666168212890625f

// An end of a segment as seen from a point: its distance less its x, and its y and z, all by the same factor.
STRUCT(TactStripEnd)
{
    float h, y, z;
};

FN float tact_strip_part(float x, float down)
{
    PRECISE float s = x * down;
    return ABS(s) < TACT_STRIP_LEAST ? 0.0f : s;
}

FN uint tact_strip_exponent(float size)
{
    uint exponent = as_uint(size) & 0x7f800000u;
    return exponent > 0x00800000u ? exponent : 0x00800000u;
}

// Ahead of the point, y and z are brought to about 1: what matters is where they lead, however far the end is. An end
// that is straight ahead is a little less in y, since the point counts as a little farther along y.
FN TactStripEnd tact_strip_end(float px, float py, float pz, float ax, float ay, float az)
{
    PRECISE float dx = ax - px;
    PRECISE float dy = ay - py;
    PRECISE float dz = az - pz;
    float aside = ABS(dy) > ABS(dz) ? ABS(dy) : ABS(dz);
    uint whole = tact_strip_exponent(ABS(dx) > aside ? ABS(dx) : aside);
    uint part = dx > 0.0f ? tact_strip_exponent(aside) : whole;
    float down = as_float(0x7f000000u - whole);
    float x = tact_strip_part(dx, down);
    float y = tact_strip_part(dy, down);
    float z = tact_strip_part(dz, down);
    PRECISE float length2 = x * x + (y * y + z * z);
    float length = tact_sqrt(length2);
    PRECISE float sum = length + ABS(x);
    float up = as_float(0x7f000000u - part);
    TactStripEnd e;
    e.y = tact_strip_part(dy, up);
    e.z = tact_strip_part(dz, up);
    PRECISE float aside2 = e.y * e.y + e.z * e.z;
    uint less = whole - part;
    PRECISE float share = aside2 * as_float(less < 0x3f800000u ? 0x3f800000u - less : 0u);
    e.h = dx > 0.0f ? tact_div(share, sum) : sum;
    if (dx > 0.0f && aside2 == 0.0f) e.y = -1.0f;
    return e;
}

// The angle between 0 and half a turn whose tangent is n / d, in turns; n is not negative. 0 where both are 0.
FN float tact_turn_of(float n, float d)
{
    float m = ABS(d);
    float least = n < m ? n : m;
    float most = n < m ? m : n;
    float r = most > 0.0f ? tact_div(least, most) : 0.0f;
    PRECISE float x = r * r;
    PRECISE float q7 = TACT_TURN_8 * x + TACT_TURN_7;
    PRECISE float q6 = q7 * x + TACT_TURN_6;
    PRECISE float q5 = q6 * x + TACT_TURN_5;
    PRECISE float q4 = q5 * x + TACT_TURN_4;
    PRECISE float q3 = q4 * x + TACT_TURN_3;
    PRECISE float q2 = q3 * x + TACT_TURN_2;
    PRECISE float q1 = q2 * x + TACT_TURN_1;
    PRECISE float q0 = q1 * x + TACT_TURN_0;
    PRECISE float shallow = r * q0;
    PRECISE float steep = 0.25f - shallow;
    float t = n > m ? steep : shallow;
    PRECISE float back = 0.5f - t;
    return d < 0.0f ? back : t;
}

// What the strip of a segment adds to a winding number, but for its sign: up to half a turn.
FN uint tact_strip_turn(TactStripEnd a, TactStripEnd b)
{
    PRECISE float across = a.y * b.z - a.z * b.y;
    PRECISE float along = a.y * b.y + a.z * b.z;
    PRECISE float ahead = a.h * b.h + along;
    PRECISE float turn = tact_turn_of(ABS(across), ahead) * TACT_TURN_ONE;
    return to_uint(turn);
}

#endif
