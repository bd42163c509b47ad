// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/geometry/min_area_rect_internal.h"

static bool before(dvec2 a, dvec2 b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

static void sift(dvec2* points, size_t root, size_t count)
{
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

/// Andrew's monotone chain: drops what is not left of the line to p.
static size_t append(dvec2* hull, size_t used, size_t keep, dvec2 p)
{
    while (used >= keep + 2) {
        const dvec2 from = hull[used - 2], a = hull[used - 1];
        if ((a.x - from.x) * (p.y - from.y) - (a.y - from.y) * (p.x - from.x) > 0.0) break;
        --used;
    }
    hull[used] = p;
    return used + 1;
}

size_t tact_flat_hull(dvec2* points, size_t count, dvec2* hull)
{
    sort(points, count);
    size_t used = 0;
    for (size_t i = 0; i < count; ++i)
        used = append(hull, used, 0, points[i]);
    const size_t lower = used;
    for (size_t i = count - 1; i > 0; --i)
        used = append(hull, used, lower - 1, points[i - 1]);
    return used > 1 ? used - 1 : used;  // the first point closes the ring
}
