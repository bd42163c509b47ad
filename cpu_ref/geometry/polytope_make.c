// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include <stdlib.h>

#include "base/env.h"
#include "cpu_ref/geometry/convex_internal.h"
#include "cpu_ref/geometry/hull_internal.h"
#include "tact/geometry/polytope.h"

/// Part of a hull's size, how thin it may be.
#define THIN 1e-12

static dvec point_above(const tact_hull* hull, uint32_t i)
{
    return d_sub(d_from(hull->points[i]), d_from(hull->points[0]));
}

static int by_points(const void* a, const void* b)
{
    const tact_hull_edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/// The edges that go up in numbers, each by the face that has it so.
static uint32_t collect_edges(const tact_hull* hull, tact_hull_edge* edges)
{
    uint32_t count = 0;
    const uint32_t most = hull->face_start[hull->face_count] / 2;
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        for (uint32_t i = hull->face_start[f]; i < hull->face_start[f + 1]; ++i) {
            const uint32_t from = hull->face_points[i], to = tact_hull_next_point(hull, f, i);
            if (from > to) continue;
            if (count == most) return UINT32_MAX;
            edges[count++] = (tact_hull_edge){from, to, f, UINT32_MAX};
        }
    }
    qsort(edges, count, sizeof *edges, by_points);
    return count;
}

/// Finds the other face of each edge. False unless there is exactly one of each.
static bool match_edges(const tact_hull* hull, tact_hull_edge* edges, uint32_t count)
{
    if (count == UINT32_MAX || 2 * count != hull->face_start[hull->face_count]) return false;
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        for (uint32_t i = hull->face_start[f]; i < hull->face_start[f + 1]; ++i) {
            const tact_hull_edge key = {tact_hull_next_point(hull, f, i), hull->face_points[i], 0, 0};
            if (key.from >= key.to) continue;
            tact_hull_edge* edge = bsearch(&key, edges, count, sizeof *edges, by_points);
            if (edge == NULL || edge->right != UINT32_MAX) return false;
            edge->right = f;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (edges[i].right == UINT32_MAX || (i > 0 && by_points(&edges[i - 1], &edges[i]) == 0)) return false;
    }
    return true;
}

/// The mean normal of a face (Newell's), whose length is twice the area.
static dvec area_of(const tact_hull* hull, uint32_t f)
{
    const dvec first = point_above(hull, hull->face_points[hull->face_start[f]]);
    dvec n = d_make(0.0, 0.0, 0.0);
    for (uint32_t i = hull->face_start[f] + 1; i + 1 < hull->face_start[f + 1]; ++i) {
        const dvec p = d_sub(point_above(hull, hull->face_points[i]), first);
        const dvec q = d_sub(point_above(hull, hull->face_points[i + 1]), first);
        n = d_add(n, d_cross(p, q));
    }
    return n;
}

/// The side of face f. False when it has no area, is in front of no thickness or behind a point; the detail says which.
static bool make_side(const tact_hull* hull, uint32_t f, double extent, tact_hull_side* side, const char** why)
{
    const dvec area = area_of(hull, f), n = d_unit(area);
    double low = HUGE_VAL, high = -HUGE_VAL, own = HUGE_VAL;
    for (uint32_t i = 0; i < hull->point_count; ++i) {
        const double height = d_dot(n, point_above(hull, i));
        low = height < low ? height : low;
        high = height > high ? height : high;
    }
    for (uint32_t i = hull->face_start[f]; i < hull->face_start[f + 1]; ++i) {
        const double height = d_dot(n, point_above(hull, hull->face_points[i]));
        own = height < own ? height : own;
    }
    *side = (tact_hull_side){n.x, n.y, n.z, high};
    *why = !(d_dot(n, n) > 0.0)                           ? "face %u of the hull has no area"
           : !(high - own <= TACT_POLYTOPE_BENT * extent) ? "a point is in front of face %u of the hull"
                                                          : "the hull is flat behind face %u";
    return d_dot(n, n) > 0.0 && high - own <= TACT_POLYTOPE_BENT * extent && high - low > THIN * extent;
}

static void measure(const tact_hull* hull, tact_polytope* polytope)
{
    dvec sum = d_make(0.0, 0.0, 0.0);
    for (uint32_t i = 0; i < hull->point_count; ++i) {
        const dvec p = point_above(hull, i);
        sum = d_add(sum, p);
        if (convex_size(p) > polytope->extent) polytope->extent = convex_size(p);
    }
    polytope->middle[0] = sum.x / (double)hull->point_count;
    polytope->middle[1] = sum.y / (double)hull->point_count;
    polytope->middle[2] = sum.z / (double)hull->point_count;
}

tact_result tact_polytope_make(const tact_hull* hull, tact_hull_side* sides, tact_hull_edge* edges,
                               tact_polytope* polytope)
{
    tact_error_begin(NULL);
    *polytope = (tact_polytope){.hull = NULL};
    if (!tact_hull_faces_valid(hull)) {
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "%s", tact_hull_bad_faces);
    }
    if (!isfinite(tact_hull_extent(hull->points, hull->point_count).largest)) {
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "a point of the hull is not finite");
    }
    const uint32_t count = collect_edges(hull, edges);
    if (!match_edges(hull, edges, count)) {
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "%s", tact_hull_open);
    }
    tact_polytope made = {.hull = hull, .sides = sides, .edges = edges, .edge_count = count};
    measure(hull, &made);
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        const char* why;
        if (!make_side(hull, f, made.extent, &sides[f], &why)) {
            return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, why, f);
        }
    }
    *polytope = made;
    return TACT_OK;
}

double tact_polytope_shadow(const tact_polytope* polytope, tact_vec3 direction)
{
    const dvec d = d_unit(d_from(direction));
    if (!polytope->hull || !v_finite(direction) || !(d_dot(d, d) > 0.0)) return (double)NAN;
    double sum = 0.0;
    for (uint32_t f = 0; f < polytope->hull->face_count; ++f)
        sum += fabs(d_dot(d, area_of(polytope->hull, f)));
    return 0.25 * sum;
}

double tact_polytope_mean_shadow(const tact_polytope* polytope)
{
    if (!polytope->hull) return (double)NAN;
    double sum = 0.0;
    for (uint32_t f = 0; f < polytope->hull->face_count; ++f)
        sum += d_length(area_of(polytope->hull, f));
    return 0.125 * sum;
}

double tact_polytope_mean_width(const tact_polytope* polytope)
{
    if (!polytope->hull) return (double)NAN;
    double sum = 0.0;
    for (uint32_t i = 0; i < polytope->edge_count; ++i) {
        const tact_hull_edge* e = &polytope->edges[i];
        const tact_hull_side *l = &polytope->sides[e->left], *r = &polytope->sides[e->right];
        const dvec n = d_make(l->x, l->y, l->z), m = d_make(r->x, r->y, r->z);
        const double length = d_length(d_sub(point_above(polytope->hull, e->to), point_above(polytope->hull, e->from)));
        sum += length * atan2(d_length(d_cross(n, m)), d_dot(n, m));
    }
    return sum / (4.0 * 3.14159265358979323846);
}
