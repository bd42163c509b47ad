// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "base/asserts.h"
#include "cpu_ref/geometry/exact.h"
#include "cpu_ref/geometry/fit_internal.h"

static bool before(dvec2 a, dvec2 b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

static void sift(dvec2* points, size_t root, size_t count)
{
    TACT_ASSERT(root < count);
    const dvec2 p = points[root];
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && before(points[child], points[child + 1])) ++child;
        if (!before(p, points[child])) break;
        points[root] = points[child];
        root = child;
    }
    points[root] = p;
}

/// A heap sort: in place, and never slow.
static void sort(dvec2* points, size_t count)
{
    for (size_t i = count / 2; i > 0; --i)
        sift(points, i - 1, count);
    for (size_t end = count; end > 1; --end) {
        const dvec2 last = points[end - 1];
        points[end - 1] = points[0];
        points[0] = last;
        sift(points, 0, end - 1);
    }
}

/// Whether from, a, p turn left. Exact, unless a product underflows: with rounded signs the points of a line are on
/// both chains, and what comes out is no hull.
static bool turns_left(dvec2 from, dvec2 a, dvec2 p)
{
    const double left = (a.x - from.x) * (p.y - from.y), right = (a.y - from.y) * (p.x - from.x);
    // Three roundings of 2^-53 on each side, and one of the difference (J. R. Shewchuk, Adaptive Precision
    // Floating-Point Arithmetic, 1997, 4.2).
    if (fabs(left - right) > 0x1p-51 * (fabs(left) + fabs(right))) return left > right;
    const double factor[6][2] = {{a.x, p.y}, {-a.x, from.y}, {-from.x, p.y}, {-a.y, p.x}, {a.y, from.x}, {from.y, p.x}};
    double term[12];
    for (int i = 0; i < 6; ++i)
        term[2 * i] = exact_multiply(factor[i][0], factor[i][1], &term[2 * i + 1]);
    return exact_sum(term, 12) > 0.0;
}

/// Andrew's monotone chain: drops what is not left of the line to p (A. M. Andrew, Another efficient algorithm for
/// convex hulls in two dimensions, 1979).
static size_t append(dvec2* hull, size_t used, size_t keep, dvec2 p)
{
    TACT_ASSERT(keep <= used);
    while (used >= keep + 2) {
        if (turns_left(hull[used - 2], hull[used - 1], p)) break;
        --used;
    }
    hull[used] = p;
    return used + 1;
}

size_t tact_flat_hull(dvec2* points, size_t count, dvec2* hull)
{
    TACT_ASSERT(count >= 1 && points != hull);
    sort(points, count);
    size_t used = 0;
    for (size_t i = 0; i < count; ++i)
        used = append(hull, used, 0, points[i]);
    const size_t lower = used;
    for (size_t i = count - 1; i > 0; --i)
        used = append(hull, used, lower - 1, points[i - 1]);
    return used > 1 ? used - 1 : used;  // the first point closes the ring
}
