// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What it means for a volume to be culled: the arithmetic behind tact_cull_volumes(), shared by C, GLSL and OpenCL C.
// docs/culling.md states it in prose, with the error bounds behind the margins; change neither without the other.
//
// Every test asks whether something separates the volume from the region, and says yes only when the gap, as computed,
// exceeds TACT_CULL_MARGIN of the absolute terms it is the difference of: more than all rounding errors together. So a
// volume with a point in the region is never culled, and where numbers overflow the comparison fails and keeps it.
#ifndef TACT_CULL_VOLUME_H
#define TACT_CULL_VOLUME_H

#include "dialect.h"

// 2^-20, sixteen rounding errors. No chain of operations below has more than nine, but for the weights of k-DOPs, where
// four times the size is taken.
#define TACT_CULL_MARGIN 9.5367431640625e-7f
// 2^-120: products that underflow, or are flushed to zero, err by less.
#define TACT_CULL_TINY 7.52316384526264e-37f
// 2^-100: added to the length of an axis, so that the same holds after multiplying by a half length.
#define TACT_CULL_AXIS_TINY 7.88860905221012e-31f

// As tact_containment in the public header.
#define TACT_CULL_OUTSIDE 0
#define TACT_CULL_CROSSING 1
#define TACT_CULL_INSIDE 2

STRUCT(TactCullBox)
{
    float lx, ly, lz;
    float hx, hy, hz;
};

// n . x <= d, the largest component of n in [1, 2); see cpu_ref/cull/cull_table.c.
STRUCT(TactCullPlane)
{
    float nx, ny, nz, d;
    float norm;  // length of n, rounded up
};

// A sphere and what is needed of its radius: its power of two, and the square of what is left with the margin.
STRUCT(TactCullSphere)
{
    float x, y, z, r;
    float scale, limit;
};

STRUCT(TactCullObb)
{
    float cx, cy, cz;
    float ax, ay, az;
    float bx, by, bz;
    float gx, gy, gz;
    float ha, hb, hg;
    float spread;  // sum of half lengths times the axes' absolute components
};

STRUCT(TactCullKdop)
{
    int k;
    float lower[13];
    float upper[13];
    float size;  // largest absolute bound
};

// Three slabs of a k-DOP whose axes, weighted, add up to a plane's normal.
STRUCT(TactCullMix)
{
    int i, j, k;
    float wi, wj, wk;
};

FN float tact_cull_less(float a, float b)
{
    return a < b ? a : b;
}

FN float tact_cull_more(float a, float b)
{
    return a > b ? a : b;
}

// By the bits: drivers make one comparison with the greater of two numbers of two comparisons, which loses a NaN.
FN bool tact_cull_is_finite(float x)
{
    return (as_uint(x) & 0x7fffffffu) < 0x7f800000u;
}

FN float tact_cull_margin(float size)
{
    PRECISE float margin = size * TACT_CULL_MARGIN + TACT_CULL_TINY;
    return margin;
}

// n v, and 0 for a zero n even where v is infinite.
FN float tact_cull_term(float n, float v)
{
    PRECISE float t = n * v;
    return n == 0.0f ? 0.0f : t;
}

FN float tact_cull_dot(float ax, float ay, float az, float bx, float by, float bz)
{
    PRECISE float sum = (ax * bx + ay * by) + az * bz;
    return sum;
}

FN float tact_cull_sum(float a, float b, float c)
{
    PRECISE float sum = (a + b) + c;
    return sum;
}

FN float tact_cull_sizes(float a, float b, float c)
{
    return tact_cull_sum(ABS(a), ABS(b), ABS(c));
}

// The side of a plane at d that an interval is on, of which `low` and `high` are the ends and the sizes what went in.
FN int tact_cull_side(float low, float low_size, float high, float high_size, float d)
{
    PRECISE float above = low - d;
    PRECISE float below = d - high;
    PRECISE float low_terms = low_size + ABS(d);
    PRECISE float high_terms = high_size + ABS(d);
    int side = TACT_CULL_CROSSING;
    if (below > tact_cull_margin(high_terms)) side = TACT_CULL_INSIDE;
    if (above > tact_cull_margin(low_terms)) side = TACT_CULL_OUTSIDE;
    return side;
}

// ---- boxes ----

// Holds a point. A NaN does not; infinite bounds do.
FN bool tact_cull_box_live(TactCullBox b)
{
    return b.lx <= b.hx && b.ly <= b.hy && b.lz <= b.hz;
}

FN bool tact_cull_boxes_meet(TactCullBox a, TactCullBox b)
{
    return a.lx <= b.hx && b.lx <= a.hx && a.ly <= b.hy && b.ly <= a.hy && a.lz <= b.hz && b.lz <= a.hz;
}

FN bool tact_cull_box_within(TactCullBox a, TactCullBox b)
{
    return b.lx <= a.lx && a.hx <= b.hx && b.ly <= a.ly && a.hy <= b.hy && b.lz <= a.lz && a.hz <= b.hz;
}

FN int tact_cull_box_plane(TactCullBox b, TactCullPlane p)
{
    float lx = tact_cull_term(p.nx, p.nx > 0.0f ? b.lx : b.hx);
    float ly = tact_cull_term(p.ny, p.ny > 0.0f ? b.ly : b.hy);
    float lz = tact_cull_term(p.nz, p.nz > 0.0f ? b.lz : b.hz);
    float hx = tact_cull_term(p.nx, p.nx > 0.0f ? b.hx : b.lx);
    float hy = tact_cull_term(p.ny, p.ny > 0.0f ? b.hy : b.ly);
    float hz = tact_cull_term(p.nz, p.nz > 0.0f ? b.hz : b.lz);
    return tact_cull_side(tact_cull_sum(lx, ly, lz), tact_cull_sizes(lx, ly, lz), tact_cull_sum(hx, hy, hz),
                          tact_cull_sizes(hx, hy, hz), p.d);
}

// Widened for what rounding may have done to `reach`.
FN TactCullBox tact_cull_box_around(float x, float y, float z, float rx, float ry, float rz)
{
    PRECISE float wx = ABS(x) + rx;
    PRECISE float wy = ABS(y) + ry;
    PRECISE float wz = ABS(z) + rz;
    PRECISE float lx = (x - rx) - tact_cull_margin(wx);
    PRECISE float ly = (y - ry) - tact_cull_margin(wy);
    PRECISE float lz = (z - rz) - tact_cull_margin(wz);
    PRECISE float hx = (x + rx) + tact_cull_margin(wx);
    PRECISE float hy = (y + ry) + tact_cull_margin(wy);
    PRECISE float hz = (z + rz) + tact_cull_margin(wz);
    TactCullBox b;
    b.lx = lx;
    b.ly = ly;
    b.lz = lz;
    b.hx = hx;
    b.hy = hy;
    b.hz = hz;
    return b;
}

// ---- spheres ----

FN bool tact_cull_sphere_live(float x, float y, float z, float r)
{
    return tact_cull_is_finite(x) && tact_cull_is_finite(y) && tact_cull_is_finite(z) && tact_cull_is_finite(r) &&
           r >= 0.0f;
}

// Squares of distances would leave the range of floats at scales where the distances do not. So they are taken in units
// of the radius's power of two. From 2^127 on there is none; everything is then within the radius.
FN TactCullSphere tact_cull_sphere(float x, float y, float z, float r)
{
    TactCullSphere s;
    s.x = x;
    s.y = y;
    s.z = z;
    s.r = r;
    s.scale = as_float(0x7f000000u - (as_uint(r) & 0x7f800000u));
    PRECISE float unit = r * s.scale;
    PRECISE float square = unit * unit;
    PRECISE float limit = square + square * TACT_CULL_MARGIN;
    s.limit = limit;
    return s;
}

FN TactCullBox tact_cull_sphere_outer(TactCullSphere s)
{
    return tact_cull_box_around(s.x, s.y, s.z, s.r, s.r, s.r);
}

FN int tact_cull_sphere_plane(TactCullSphere s, TactCullPlane p)
{
    float tx = tact_cull_term(p.nx, s.x);
    float ty = tact_cull_term(p.ny, s.y);
    float tz = tact_cull_term(p.nz, s.z);
    float at = tact_cull_sum(tx, ty, tz);
    PRECISE float reach = s.r * p.norm;
    PRECISE float size = tact_cull_sizes(tx, ty, tz) + reach;
    PRECISE float low = at - reach;
    PRECISE float high = at + reach;
    return tact_cull_side(low, size, high, size, p.d);
}

// How far v is outside of an interval. The difference of two floats rounds once, so comparing it with a float is exact
// on the safe side.
FN float tact_cull_beyond(float v, float low, float high)
{
    PRECISE float under = low - v;
    PRECISE float over = v - high;
    return tact_cull_more(tact_cull_more(under, over), 0.0f);
}

// J. Arvo, A Simple Method for Box-Sphere Intersection Testing, 1990.
FN bool tact_cull_sphere_box(TactCullSphere s, TactCullBox b)
{
    float ex = tact_cull_beyond(s.x, b.lx, b.hx);
    float ey = tact_cull_beyond(s.y, b.ly, b.hy);
    float ez = tact_cull_beyond(s.z, b.lz, b.hz);
    bool near_enough = ex <= s.r && ey <= s.r && ez <= s.r;
    PRECISE float ux = ex * s.scale;
    PRECISE float uy = ey * s.scale;
    PRECISE float uz = ez * s.scale;
    return near_enough && !(tact_cull_dot(ux, uy, uz, ux, uy, uz) > s.limit);
}

// ---- oriented boxes ----

FN bool tact_cull_obb_live(TactCullObb o)
{
    bool good = tact_cull_is_finite(o.cx) && tact_cull_is_finite(o.cy) && tact_cull_is_finite(o.cz);
    good = good && tact_cull_is_finite(o.ax) && tact_cull_is_finite(o.ay) && tact_cull_is_finite(o.az);
    good = good && tact_cull_is_finite(o.bx) && tact_cull_is_finite(o.by) && tact_cull_is_finite(o.bz);
    good = good && tact_cull_is_finite(o.gx) && tact_cull_is_finite(o.gy) && tact_cull_is_finite(o.gz);
    good = good && tact_cull_is_finite(o.ha) && tact_cull_is_finite(o.hb) && tact_cull_is_finite(o.hg);
    return good && o.ha >= 0.0f && o.hb >= 0.0f && o.hg >= 0.0f;
}

// h times the absolute components of an axis, and more than any underflow may have taken away.
FN float tact_cull_edge_size(float x, float y, float z, float h)
{
    PRECISE float size = (tact_cull_sizes(x, y, z) + TACT_CULL_AXIS_TINY) * h;
    return size;
}

FN float tact_cull_obb_spread(TactCullObb o)
{
    return tact_cull_sum(tact_cull_edge_size(o.ax, o.ay, o.az, o.ha), tact_cull_edge_size(o.bx, o.by, o.bz, o.hb),
                         tact_cull_edge_size(o.gx, o.gy, o.gz, o.hg));
}

FN TactCullBox tact_cull_obb_outer(TactCullObb o)
{
    return tact_cull_box_around(o.cx, o.cy, o.cz, tact_cull_dot(ABS(o.ax), ABS(o.bx), ABS(o.gx), o.ha, o.hb, o.hg),
                                tact_cull_dot(ABS(o.ay), ABS(o.by), ABS(o.gy), o.ha, o.hb, o.hg),
                                tact_cull_dot(ABS(o.az), ABS(o.bz), ABS(o.gz), o.ha, o.hb, o.hg));
}

// How far the box reaches from its centre along n.
FN float tact_cull_obb_reach(TactCullObb o, float nx, float ny, float nz)
{
    float a = tact_cull_dot(nx, ny, nz, o.ax, o.ay, o.az);
    float b = tact_cull_dot(nx, ny, nz, o.bx, o.by, o.bz);
    float g = tact_cull_dot(nx, ny, nz, o.gx, o.gy, o.gz);
    return tact_cull_dot(ABS(a), ABS(b), ABS(g), o.ha, o.hb, o.hg);
}

FN int tact_cull_obb_plane(TactCullObb o, TactCullPlane p)
{
    float tx = tact_cull_term(p.nx, o.cx);
    float ty = tact_cull_term(p.ny, o.cy);
    float tz = tact_cull_term(p.nz, o.cz);
    float at = tact_cull_sum(tx, ty, tz);
    float reach = tact_cull_obb_reach(o, p.nx, p.ny, p.nz);
    PRECISE float size = tact_cull_sizes(tx, ty, tz) + 2.0f * o.spread;
    PRECISE float low = at - reach;
    PRECISE float high = at + reach;
    return tact_cull_side(low, size, high, size, p.d);
}

// Whether the direction n separates the oriented box from a box whose corners, relative to its centre, are given.
FN bool tact_cull_obb_apart(TactCullObb o, TactCullBox r, float nx, float ny, float nz)
{
    float lx = tact_cull_term(nx, nx > 0.0f ? r.lx : r.hx);
    float ly = tact_cull_term(ny, ny > 0.0f ? r.ly : r.hy);
    float lz = tact_cull_term(nz, nz > 0.0f ? r.lz : r.hz);
    float hx = tact_cull_term(nx, nx > 0.0f ? r.hx : r.lx);
    float hy = tact_cull_term(ny, ny > 0.0f ? r.hy : r.ly);
    float hz = tact_cull_term(nz, nz > 0.0f ? r.hz : r.lz);
    float reach = tact_cull_obb_reach(o, nx, ny, nz);
    PRECISE float size_a = nx * o.ax;
    PRECISE float size_b = nx * o.bx;
    PRECISE float size_g = nx * o.gx;
    PRECISE float ya = ny * o.ay;
    PRECISE float yb = ny * o.by;
    PRECISE float yg = ny * o.gy;
    PRECISE float za = nz * o.az;
    PRECISE float zb = nz * o.bz;
    PRECISE float zg = nz * o.gz;
    float terms = tact_cull_sum(tact_cull_edge_size(size_a, ya, za, o.ha), tact_cull_edge_size(size_b, yb, zb, o.hb),
                                tact_cull_edge_size(size_g, yg, zg, o.hg));
    PRECISE float above = tact_cull_sum(lx, ly, lz) - reach;
    PRECISE float below = -tact_cull_sum(hx, hy, hz) - reach;
    PRECISE float above_terms = tact_cull_sizes(lx, ly, lz) + terms;
    PRECISE float below_terms = tact_cull_sizes(hx, hy, hz) + terms;
    return above > tact_cull_margin(above_terms) || below > tact_cull_margin(below_terms);
}

// Separating axes but for the box's own, which the outer box has answered: the faces of the oriented box and the
// products of the edges. A direction near zero, from edges that are nearly parallel, is a direction like any other.
// S. Gottschalk, M. Lin, D. Manocha, OBBTree, 1996.
FN bool tact_cull_obb_box(TactCullObb o, TactCullBox b)
{
    TactCullBox r;
    PRECISE float lx = b.lx - o.cx;
    PRECISE float ly = b.ly - o.cy;
    PRECISE float lz = b.lz - o.cz;
    PRECISE float hx = b.hx - o.cx;
    PRECISE float hy = b.hy - o.cy;
    PRECISE float hz = b.hz - o.cz;
    r.lx = lx;
    r.ly = ly;
    r.lz = lz;
    r.hx = hx;
    r.hy = hy;
    r.hz = hz;
    bool apart = false;
    for (int i = 0; i < 3; ++i) {
        float x = i == 0 ? o.ax : (i == 1 ? o.bx : o.gx);
        float y = i == 0 ? o.ay : (i == 1 ? o.by : o.gy);
        float z = i == 0 ? o.az : (i == 1 ? o.bz : o.gz);
        // A face's normal is the product of the other two axes, which for perpendicular axes is the axis.
        apart = apart || tact_cull_obb_apart(o, r, x, y, z);
        apart = apart || tact_cull_obb_apart(o, r, 0.0f, z, -y);
        apart = apart || tact_cull_obb_apart(o, r, -z, 0.0f, x);
        apart = apart || tact_cull_obb_apart(o, r, y, -x, 0.0f);
    }
    return !apart;
}

// ---- k-DOPs ----

// Where the axes of a k stand in the row of thirteen: faces 0 to 2, corners 3 to 6, edges 7 to 12, faces again.
FN int tact_cull_kdop_first(int k)
{
    return k == 8 || k == 20 ? 3 : (k == 12 || k == 18 ? 7 : 0);
}

FN bool tact_cull_kdop_known(int k)
{
    return k == 6 || k == 8 || k == 12 || k == 14 || k == 18 || k == 20 || k == 26;
}

// The place of axis i of a k in that row.
FN int tact_cull_kdop_axis(int k, int i)
{
    int at = tact_cull_kdop_first(k) + i;
    return at >= 13 ? at - 13 : at;
}

// Which of the seven k it is, for tables.
FN int tact_cull_kdop_row(int k)
{
    return k == 6 ? 0 : (k == 8 ? 1 : (k == 12 ? 2 : (k == 14 ? 3 : (k == 18 ? 4 : (k == 20 ? 5 : 6)))));
}

// Half of the interval a + b, widened.
FN float tact_cull_half_down(float a, float b, float size)
{
    PRECISE float half_sum = (a * 0.5f + b * 0.5f) - tact_cull_margin(size);
    return half_sum;
}

FN float tact_cull_half_up(float a, float b, float size)
{
    PRECISE float half_sum = (a * 0.5f + b * 0.5f) + tact_cull_margin(size);
    return half_sum;
}

FN TactCullBox tact_cull_kdop_outer(TactCullKdop v)
{
    TactCullBox b;
    if (v.k == 8 || v.k == 20) {
        // Twice a coordinate is the sum of two corner axes, in two ways.
        b.lx = tact_cull_more(tact_cull_half_down(v.lower[1], v.lower[2], v.size),
                              tact_cull_half_down(v.lower[0], -v.upper[3], v.size));
        b.ly = tact_cull_more(tact_cull_half_down(v.lower[1], v.lower[3], v.size),
                              tact_cull_half_down(v.lower[0], -v.upper[2], v.size));
        b.lz = tact_cull_more(tact_cull_half_down(v.lower[2], v.lower[3], v.size),
                              tact_cull_half_down(v.lower[0], -v.upper[1], v.size));
        b.hx = tact_cull_less(tact_cull_half_up(v.upper[1], v.upper[2], v.size),
                              tact_cull_half_up(v.upper[0], -v.lower[3], v.size));
        b.hy = tact_cull_less(tact_cull_half_up(v.upper[1], v.upper[3], v.size),
                              tact_cull_half_up(v.upper[0], -v.lower[2], v.size));
        b.hz = tact_cull_less(tact_cull_half_up(v.upper[2], v.upper[3], v.size),
                              tact_cull_half_up(v.upper[0], -v.lower[1], v.size));
    } else if (v.k == 12) {
        b.lx = tact_cull_more(tact_cull_half_down(v.lower[0], v.lower[1], v.size),
                              tact_cull_half_down(v.lower[2], v.lower[3], v.size));
        b.ly = tact_cull_more(tact_cull_half_down(v.lower[0], -v.upper[1], v.size),
                              tact_cull_half_down(v.lower[4], v.lower[5], v.size));
        b.lz = tact_cull_more(tact_cull_half_down(v.lower[2], -v.upper[3], v.size),
                              tact_cull_half_down(v.lower[4], -v.upper[5], v.size));
        b.hx = tact_cull_less(tact_cull_half_up(v.upper[0], v.upper[1], v.size),
                              tact_cull_half_up(v.upper[2], v.upper[3], v.size));
        b.hy = tact_cull_less(tact_cull_half_up(v.upper[0], -v.lower[1], v.size),
                              tact_cull_half_up(v.upper[4], v.upper[5], v.size));
        b.hz = tact_cull_less(tact_cull_half_up(v.upper[2], -v.lower[3], v.size),
                              tact_cull_half_up(v.upper[4], -v.lower[5], v.size));
    } else {
        int face = v.k == 18 ? 6 : 0;
        b.lx = v.lower[face];
        b.ly = v.lower[face + 1];
        b.lz = v.lower[face + 2];
        b.hx = v.upper[face];
        b.hy = v.upper[face + 1];
        b.hz = v.upper[face + 2];
    }
    return b;
}

// A lower bound of n . x over the k-DOP, by duality: the slabs that the weights make n of.
FN float tact_cull_kdop_low(TactCullKdop v, TactCullMix m)
{
    return tact_cull_dot(m.wi, m.wj, m.wk, m.wi > 0.0f ? v.lower[m.i] : v.upper[m.i],
                         m.wj > 0.0f ? v.lower[m.j] : v.upper[m.j], m.wk > 0.0f ? v.lower[m.k] : v.upper[m.k]);
}

FN float tact_cull_kdop_high(TactCullKdop v, TactCullMix m)
{
    return tact_cull_dot(m.wi, m.wj, m.wk, m.wi > 0.0f ? v.upper[m.i] : v.lower[m.i],
                         m.wj > 0.0f ? v.upper[m.j] : v.lower[m.j], m.wk > 0.0f ? v.upper[m.k] : v.lower[m.k]);
}

// By two mixes for the same plane, the better bound of each.
FN int tact_cull_kdop_plane(TactCullKdop v, TactCullMix first, TactCullMix second, float d)
{
    float low = tact_cull_more(tact_cull_kdop_low(v, first), tact_cull_kdop_low(v, second));
    float high = tact_cull_less(tact_cull_kdop_high(v, first), tact_cull_kdop_high(v, second));
    PRECISE float size = 4.0f * v.size;
    return tact_cull_side(low, size, high, size, d);
}

#endif
