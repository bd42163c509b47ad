// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The number by which the separation of meshes is decided: how near two triangles are, squared.
///
/// It is the least of 15 squares: each edge of one triangle against each edge of the other, and each corner of one
/// against the inside of the other. For every one of them two points are found, and the square is theirs. How they are
/// found may be rounded; that they are points of the triangles is not: each is a corner plus edges times weights in
/// [0, 1] that sum to at most 1 but for rounding. So with S the largest coordinate and u = 2^-53 either point is within
/// 15 u S of one of its triangle in every coordinate, and
///
///     sqrt(square) >= D - 2^-46 S
///
/// where D is the least distance of the two triangles (twice 15 u S, times sqrt(3), and four roundings of a number that
/// is at most 4 S: less than 2^-46 S). All that prunes leans on this, and on nothing about how good the points are.
/// They are the nearest ones but for rounding (the tests allow 2^-38 between triangles of size 1): an edge pair's is a
/// closed form whose sine is right to 2^-52 of the edges' lengths, one step from edge to edge mends the rest, and an
/// edge at its end is a case of its own.
///
/// Nothing overflows within TACT_MAX_COORDINATE, and a divisor that is not 0 is at least 2^-596.

#include "cpu_ref/geometry/vec.h"

/// A triangle with what the 15 squares need of it. A flat triangle has no inside.
typedef struct tact_separation_triangle {
    dvec corner[3], edge[3];  ///< edge i begins at corner i
    double inverse[3];        ///< of each edge's square; 0 for an edge of equal ends
    dvec side, rise;  ///< their dot products with p - corner[0] are the weights of edge 0 and of edge 2 reversed
    bool face;
} tact_separation_triangle;

static inline tact_separation_triangle tact_separation_prepare(const tact_triangle* t)
{
    tact_separation_triangle r = {.corner = {d_from(t->a), d_from(t->b), d_from(t->c)}};
    for (int i = 0; i < 3; ++i) {
        r.edge[i] = d_sub(r.corner[(i + 1) % 3], r.corner[i]);
        const double square = d_dot(r.edge[i], r.edge[i]);
        r.inverse[i] = square > 0.0 ? 1.0 / square : 0.0;
    }
    const dvec along = r.edge[0], other = d_sub(r.corner[2], r.corner[0]), n = d_cross(along, other);
    const double square = d_dot(n, n);
    r.face = square > 0.0;
    if (!r.face) return r;
    r.side = d_scale(d_cross(other, n), 1.0 / square);
    r.rise = d_scale(d_cross(n, along), 1.0 / square);
    return r;
}

/// Not fmin and fmax: these are one instruction each, and no operand is NaN.
static inline double tact_separation_clamp(double x)
{
    const double low = x > 0.0 ? x : 0.0;
    return low < 1.0 ? low : 1.0;
}

/// From a point of edge i of a to one of edge j of b.
static inline dvec tact_separation_edges(const tact_separation_triangle* a, int i, const tact_separation_triangle* b,
                                         int j)
{
    const dvec d = a->edge[i], e = b->edge[j], w = d_sub(b->corner[j], a->corner[i]), n = d_cross(d, e);
    const double square = d_dot(n, n);
    // Parallel edges: any point will do to begin with.
    const double first = square > 0.0 ? d_dot(d_cross(w, e), n) / square : 0.0;
    double s = tact_separation_clamp(first);
    const double t = tact_separation_clamp((s * d_dot(d, e) - d_dot(w, e)) * b->inverse[j]);
    const dvec from = d_along(w, t, e);
    s = tact_separation_clamp(d_dot(from, d) * a->inverse[i]);
    return d_along(from, -s, d);
}

/// From p to where it is above the inside of the triangle. False: above no inside.
static inline bool tact_separation_above(dvec p, const tact_separation_triangle* t, dvec* to)
{
    const dvec v = d_sub(p, t->corner[0]);
    const double x = d_dot(v, t->side), y = d_dot(v, t->rise);
    if (!(x > 0.0 && y > 0.0 && x + y < 1.0)) return false;
    *to = d_sub(d_along(d_scale(t->edge[0], x), -y, t->edge[2]), v);
    return true;
}

/// The square; `gap` is the way from the one point to the other.
static inline double tact_separation_square(const tact_separation_triangle* a, const tact_separation_triangle* b,
                                            dvec* gap)
{
    double least = HUGE_VAL;
    *gap = d_make(0.0, 0.0, 0.0);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const dvec way = tact_separation_edges(a, i, b, j);
            const double square = d_dot(way, way);
            if (!(square < least)) continue;
            least = square;
            *gap = way;
        }
    }
    for (int i = 0; i < 6; ++i) {
        dvec way;
        const tact_separation_triangle *point = i < 3 ? a : b, *face = i < 3 ? b : a;
        if (!face->face || !tact_separation_above(point->corner[i % 3], face, &way)) continue;
        const double square = d_dot(way, way);
        if (!(square < least)) continue;
        least = square;
        *gap = i < 3 ? way : d_scale(way, -1.0);
    }
    return least;
}
