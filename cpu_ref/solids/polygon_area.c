// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_ref/geometry/determinant_internal.h"
#include "cpu_ref/solids/polygon_internal.h"
#include "tact/geometry/mesh_report.h"
#include "tact/geometry/predicates.h"
#include "tact/scene.h"

#define MOST_POINTS ((size_t)1 << 27)

// ---- Points ----

static tact_meet_point point_of(const tact_polygon_area* a, uint32_t point)
{
    return point < a->given_count ? tact_point_given(a->given[point]) : a->crossing[point - a->given_count];
}

static tact_vec2 flat(const tact_polygon_area* a, uint32_t point)
{
    return (tact_vec2){a->given[point].x, a->given[point].y};
}

int tact_area_turn(const void* area, uint32_t i, uint32_t j, uint32_t k)
{
    const tact_polygon_area* a = area;
    if (i < a->given_count && j < a->given_count && k < a->given_count) {
        return tact_orient2d(flat(a, i), flat(a, j), flat(a, k));
    }
    const tact_meet_point p = point_of(a, i), q = point_of(a, j), r = point_of(a, k);
    return tact_points_turn(&p, &q, &r, 2, a->scale, NULL);
}

/// The ends of an edge, as points.
static void edge_of(const tact_polygon_area* a, uint32_t edge, uint32_t end[2])
{
    end[0] = a->first[edge] + TACT_AREA_FRAME;
    end[1] = a->first[a->next[edge]] + TACT_AREA_FRAME;
}

/// The name of an edge among segments is one more than its first vertex.
static tact_result cross(void* area, uint32_t there, uint32_t added, uint32_t* point)
{
    tact_polygon_area* a = area;
    const size_t count = a->given_count + a->crossing_count;
    if (count >= MOST_POINTS) {
        return tact_fail(a->env, TACT_ERROR_LIMIT, "the polygon has more than 2^27 vertices and crossings");
    }
    if (!tact_reserve(a->env, (void**)&a->crossing, &a->crossing_room, a->crossing_count, a->crossing_count + 1,
                      sizeof *a->crossing) ||
        !tact_reserve(a->env, (void**)&a->place, &a->place_room, count, count + 1, sizeof *a->place)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    if (a->crossing_count == 0) {
        a->edges[0] = there - 1;
        a->edges[1] = added - 1;
    }
    uint32_t one[2], two[2];
    edge_of(a, there - 1, one);
    edge_of(a, added - 1, two);
    const tact_meet_point at =
        tact_point_of_segments(a->given[one[0]], a->given[one[1]], a->given[two[0]], a->given[two[1]], a->scale);
    a->crossing[a->crossing_count++] = at;
    a->place[count][0] = at.at[0];
    a->place[count][1] = at.at[1];
    a->planar.place = a->place;
    *point = (uint32_t)count;
    return TACT_OK;
}

// ---- What is given ----

static tact_result check_rings(const tact_polygon_area* a)
{
    const tact_polygon_view* p = a->polygon;
    if (p->vertex_count > MOST_POINTS - TACT_AREA_FRAME) {
        return tact_fail(a->env, TACT_ERROR_LIMIT, "the polygon has %zu vertices, more than 2^27", p->vertex_count);
    }
    for (size_t i = 0; p->ring_start && i <= p->ring_count; ++i) {
        const size_t least = i ? p->ring_start[i - 1] : 0;
        const size_t most = i == 0 ? 0 : p->vertex_count;
        if (p->ring_start[i] >= least && p->ring_start[i] <= most) continue;
        return tact_fail(a->env, TACT_ERROR_INVALID_ARGUMENT, "ring_start[%zu] is %u, of %zu vertices", i,
                         (unsigned)p->ring_start[i], p->vertex_count);
    }
    const size_t last = p->ring_start ? p->ring_start[p->ring_count] : p->vertex_count;
    if (last != p->vertex_count) {
        return tact_fail(a->env, TACT_ERROR_INVALID_ARGUMENT, "the last of %zu rings ends at %zu of %zu vertices",
                         p->ring_count, last, p->vertex_count);
    }
    for (size_t i = 0; i < p->vertex_count; ++i) {
        const tact_vec2 v = p->vertices[i];
        if (fabsf(v.x) <= TACT_MAX_COORDINATE && fabsf(v.y) <= TACT_MAX_COORDINATE) continue;
        return tact_fail(a->env, TACT_ERROR_INVALID_ARGUMENT, "vertex %zu has the coordinates %g, %g", i, (double)v.x,
                         (double)v.y);
    }
    return TACT_OK;
}

static void link_rings(const tact_polygon_area* a)
{
    const tact_polygon_view* p = a->polygon;
    const uint32_t whole[2] = {0, (uint32_t)p->vertex_count};
    const uint32_t* start = p->ring_start ? p->ring_start : whole;
    const size_t rings = p->ring_start ? p->ring_count : 1;
    for (size_t ring = 0; ring < rings; ++ring) {
        for (uint32_t i = start[ring]; i < start[ring + 1]; ++i)
            a->next[i] = i + 1 < start[ring + 1] ? i + 1 : start[ring];
    }
}

/// The frame and the vertices, and where each vertex's place is first.
static tact_result take_points(tact_polygon_area* a)
{
    const size_t count = a->polygon->vertex_count;
    a->given_count = a->place_room = count + TACT_AREA_FRAME;
    a->given = tact_allocate(a->env, a->given_count, sizeof *a->given);
    a->place = tact_allocate(a->env, a->given_count, sizeof *a->place);
    a->next = tact_allocate(a->env, count, sizeof *a->next);
    a->first = tact_allocate(a->env, count, sizeof *a->first);
    if (!a->given || !a->place || !a->next || !a->first) return TACT_ERROR_OUT_OF_MEMORY;
    float reach = 0.0f;
    a->scale = INT32_MAX;
    for (size_t i = 0; i < count; ++i) {
        const tact_vec2 v = a->polygon->vertices[i];
        a->given[i + TACT_AREA_FRAME] = (tact_vec3){v.x, v.y, 0.0f};
        reach = fmaxf(reach, fmaxf(fabsf(v.x), fabsf(v.y)));
        const float both[2] = {v.x, v.y};
        const int32_t scale = tact_det_scale(both, 2);
        if (scale < a->scale && (v.x != 0.0f || v.y != 0.0f)) a->scale = scale;
    }
    if (a->scale == INT32_MAX) {
        a->scale = 0;
        reach = 1.0f;
    }
    a->given[0] = (tact_vec3){-4.0f * reach, -2.0f * reach, 0.0f};
    a->given[1] = (tact_vec3){4.0f * reach, -2.0f * reach, 0.0f};
    a->given[2] = (tact_vec3){0.0f, 4.0f * reach, 0.0f};
    for (size_t i = 0; i < a->given_count; ++i) {
        a->place[i][0] = (double)a->given[i].x;
        a->place[i][1] = (double)a->given[i].y;
    }
    link_rings(a);
    return tact_mesh_weld(a->given + TACT_AREA_FRAME, count, &a->env->allocator, a->first, NULL);
}

// ---- The triangulation ----

/// A point and its place in the order of being put in: in rounds, each about twice as large as the one before, and
/// along a curve that keeps neighbours together in each.
typedef struct ranked {
    uint64_t rank;
    uint32_t point;
} ranked;

static int by_rank(const void* a, const void* b)
{
    const ranked *p = a, *q = b;
    if (p->rank != q->rank) return p->rank < q->rank ? -1 : 1;
    return (p->point > q->point) - (p->point < q->point);
}

/// The bits of a number of 16, with a free one after each.
static uint32_t spread(uint32_t x)
{
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}

static uint64_t rank_of(const double place[2], const double low[2], double size, uint32_t vertex)
{
    const uint32_t x = (uint32_t)(65535.0 * ((place[0] - low[0]) / size)),
                   y = (uint32_t)(65535.0 * ((place[1] - low[1]) / size));
    uint32_t mixed = (vertex + 1) * 2654435769u;
    mixed ^= mixed >> 15;
    mixed *= 2246822519u;
    mixed ^= mixed >> 13;
    uint64_t round = 31;
    for (; round > 0 && mixed & 1; mixed >>= 1)
        --round;
    return round << 32 | spread(x) | spread(y) << 1;
}

static tact_result insert_points(tact_polygon_area* a)
{
    const size_t count = a->polygon->vertex_count;
    ranked* order = tact_allocate(a->env, count, sizeof *order);
    if (!order) return TACT_ERROR_OUT_OF_MEMORY;
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (size_t i = TACT_AREA_FRAME; i < a->given_count; ++i) {
        for (int k = 0; k < 2; ++k) {
            low[k] = fmin(low[k], a->place[i][k]);
            high[k] = fmax(high[k], a->place[i][k]);
        }
    }
    const double size = fmax(fmax(high[0] - low[0], high[1] - low[1]), 0x1p-149);
    size_t kept = 0;
    for (uint32_t v = 0; v < count; ++v) {
        if (a->first[v] != v) continue;
        order[kept++] = (ranked){rank_of(a->place[v + TACT_AREA_FRAME], low, size, v), v + TACT_AREA_FRAME};
    }
    if (kept) qsort(order, kept, sizeof *order, by_rank);
    tact_result result = TACT_OK;
    for (size_t i = 0; i < kept && result >= 0; ++i)
        result = tact_planar_insert(&a->planar, order[i].point);
    tact_release(a->env, order);
    return result;
}

static tact_result fix_edges(tact_polygon_area* a)
{
    tact_result result = TACT_OK;
    for (uint32_t v = 0; v < a->polygon->vertex_count && result >= 0; ++v) {
        uint32_t end[2];
        edge_of(a, v, end);
        result = tact_planar_fix(&a->planar, end[0], end[1], v + 1);
    }
    return result;
}

// ---- Inside ----

/// How many edges go along each side, less those that go against it.
static void count_edges(const tact_polygon_area* a, int32_t* net)
{
    const tact_planar* p = &a->planar;
    for (uint32_t v = 0; v < a->polygon->vertex_count; ++v) {
        uint32_t end[2];
        edge_of(a, v, end);
        while (end[0] != end[1]) {
            const uint32_t side = tact_planar_side(p, end[0], end[1]), other = p->across[side];
            ++net[side];
            --net[other];
            end[0] = p->corners[other];
        }
    }
}

/// Carries the winding numbers from the frame to all triangles.
static void spread_windings(tact_polygon_area* a, const int32_t* net, uint32_t* stack, tact_polygon_rule rule)
{
    // Triangles that have not been reached have a 2.
    memset(a->inside, 2, a->planar.count);
    size_t depth = 0;
    stack[depth++] = a->planar.side_of[0] / 3;
    a->winding[stack[0]] = 0;
    a->inside[stack[0]] = 0;
    while (depth > 0) {
        const uint32_t t = stack[--depth];
        for (uint32_t side = 3 * t; side < 3 * t + 3; ++side) {
            const uint32_t other = a->planar.across[side];
            if (other == TACT_PLANAR_NONE || a->inside[other / 3] != 2) continue;
            const int32_t winding = a->winding[t] - net[side];
            a->winding[other / 3] = winding;
            a->inside[other / 3] = rule == TACT_POLYGON_EVEN_ODD ? winding % 2 != 0 : winding != 0;
            stack[depth++] = other / 3;
        }
    }
}

static tact_result find_inside(tact_polygon_area* a, tact_polygon_rule rule)
{
    const size_t count = a->planar.count;
    a->winding = tact_allocate(a->env, count, sizeof *a->winding);
    a->inside = tact_allocate(a->env, count, 1);
    int32_t* net = tact_allocate_zeroed(a->env, 3 * count, sizeof *net);
    uint32_t* stack = tact_allocate(a->env, count, sizeof *stack);
    const bool good = a->winding && a->inside && net && stack;
    if (good) {
        count_edges(a, net);
        spread_windings(a, net, stack, rule);
    }
    tact_release(a->env, net);
    tact_release(a->env, stack);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

tact_result tact_area_begin(tact_polygon_area* a, tact_env* env, const tact_polygon_view* polygon,
                            tact_polygon_rule rule)
{
    memset(a, 0, sizeof *a);
    a->env = env;
    a->polygon = polygon;
    a->edges[0] = a->edges[1] = UINT32_MAX;
    a->planar = (tact_planar){.env = env, .turn = tact_area_turn, .cross = cross, .user = a};
    if (rule != TACT_POLYGON_EVEN_ODD && rule != TACT_POLYGON_NONZERO) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%d is no rule of polygons", (int)rule);
    }
    tact_result result = check_rings(a);
    if (result >= 0) result = take_points(a);
    a->planar.place = a->place;
    if (result >= 0) result = tact_planar_begin(&a->planar, a->given_count);
    if (result >= 0) result = insert_points(a);
    if (result >= 0) result = fix_edges(a);
    return result < 0 ? result : find_inside(a, rule);
}

void tact_area_end(tact_polygon_area* a)
{
    void* const arrays[] = {a->given, a->place, a->next, a->first, a->crossing, a->winding, a->inside};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        tact_release(a->env, arrays[i]);
    tact_planar_end(&a->planar);
}

tact_result tact_area_parts(const tact_polygon_area* a, size_t parts, size_t corners, tact_polygon_parts* to)
{
    const size_t given = a->polygon->vertex_count;
    to->part_count = parts;
    to->point_count = given + a->crossing_count;
    to->points = tact_allocate(a->env, to->point_count, sizeof *to->points);
    to->start = tact_allocate(a->env, parts + 1, sizeof *to->start);
    to->corners = tact_allocate(a->env, corners, sizeof *to->corners);
    if (!to->points || !to->start || !to->corners) return TACT_ERROR_OUT_OF_MEMORY;
    if (given) memcpy(to->points, a->polygon->vertices, given * sizeof *to->points);
    for (size_t i = 0; i < a->crossing_count; ++i) {
        const double* at = a->crossing[i].at;
        to->points[given + i] = (tact_vec2){(float)at[0], (float)at[1]};
    }
    memcpy(to->crossing, a->edges, sizeof to->crossing);
    return TACT_OK;
}
