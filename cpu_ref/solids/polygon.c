// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/polygon.h"

#include <string.h>

#include "cpu_ref/solids/polygon_internal.h"

#define NONE TACT_PLANAR_NONE

/// Sets a list of parts out to be filled, whose arrays are the allocator's.
static void begin(tact_env* env, const tact_allocator* allocator, tact_polygon_parts* parts)
{
    tact_env_init(env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    memset(parts, 0, sizeof *parts);
    parts->allocator = env->allocator;
}

static tact_result finish(tact_polygon_area* area, tact_polygon_parts* parts, tact_result result)
{
    tact_area_end(area);
    if (result < 0) tact_polygon_parts_free(parts);
    return result;
}

/// Finds the inside and takes its parts.
static tact_result run(const tact_polygon_view* polygon, tact_polygon_rule rule, const tact_allocator* allocator,
                       tact_result (*take)(const tact_polygon_area* area, tact_polygon_parts* parts),
                       tact_polygon_parts* parts)
{
    tact_env env;
    tact_polygon_area area;
    begin(&env, allocator, parts);
    tact_result result = tact_area_begin(&area, &env, polygon, rule);
    if (result >= 0) result = take(&area, parts);
    return finish(&area, parts, result);
}

void tact_polygon_parts_free(tact_polygon_parts* parts)
{
    void* const arrays[] = {parts->points, parts->start, parts->corners};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        if (arrays[i]) parts->allocator.release(arrays[i], parts->allocator.user);
    }
    memset(parts, 0, sizeof *parts);
}

// ---- Triangles ----

static size_t count_inside(const tact_polygon_area* a)
{
    size_t count = 0;
    for (size_t t = 0; t < a->planar.count; ++t)
        count += a->inside[t];
    return count;
}

static tact_result take_triangles(const tact_polygon_area* a, tact_polygon_parts* parts)
{
    const size_t count = count_inside(a);
    const tact_result result = tact_area_parts(a, count, 3 * count, parts);
    if (result < 0) return result;
    uint32_t kept = 0;
    for (size_t t = 0; t < a->planar.count; ++t) {
        if (!a->inside[t]) continue;
        for (size_t k = 0; k < 3; ++k)
            parts->corners[kept + k] = a->planar.corners[3 * t + k] - TACT_AREA_FRAME;
        parts->start[kept / 3] = kept;
        kept += 3;
    }
    parts->start[count] = kept;
    return TACT_OK;
}

tact_result tact_polygon_triangulate(const tact_polygon_view* polygon, tact_polygon_rule rule,
                                     const tact_allocator* allocator, tact_polygon_parts* parts)
{
    return run(polygon, rule, allocator, take_triangles, parts);
}

// ---- Convex parts ----

/// Parts whose diagonals go: sides of the triangulation in circles. A side that is gone has itself as the next.
typedef struct ring_list {
    const tact_polygon_area* area;
    uint32_t *next, *previous;  ///< of each side, around its part
} ring_list;

static uint32_t from_of(const ring_list* r, uint32_t side)
{
    return r->area->planar.corners[side];
}

/// Two ways that become neighbours at a point where a diagonal goes make no reflex corner, nor a way back.
static bool stays_convex(const ring_list* r, uint32_t in, uint32_t out)
{
    const uint32_t a = from_of(r, in), b = from_of(r, out), c = from_of(r, r->next[out]);
    const int turn = tact_area_turn(r->area, a, b, c);
    return turn > 0 || (turn == 0 && a != c);
}

static void join(const ring_list* r, uint32_t in, uint32_t out)
{
    r->next[in] = out;
    r->previous[out] = in;
}

static void merge_parts(const ring_list* r)
{
    const tact_planar* p = &r->area->planar;
    for (uint32_t side = 0; side < 3 * p->count; ++side) {
        const uint32_t other = p->across[side];
        if (other == NONE || other < side || !r->area->inside[side / 3] || !r->area->inside[other / 3]) continue;
        const uint32_t before = r->previous[side], after = r->next[side], other_before = r->previous[other],
                       other_after = r->next[other];
        if (!stays_convex(r, before, other_after) || !stays_convex(r, other_before, after)) continue;
        join(r, before, other_after);
        join(r, other_before, after);
        r->next[side] = side;
        r->next[other] = other;
    }
}

/// Writes the parts that are left, or, without corners, counts them and their corners.
static void list_parts(const ring_list* r, uint8_t* seen, size_t* parts, size_t* corners, tact_polygon_parts* to)
{
    const tact_planar* p = &r->area->planar;
    *parts = *corners = 0;
    memset(seen, 0, 3 * p->count);
    for (uint32_t side = 0; side < 3 * p->count; ++side) {
        if (!r->area->inside[side / 3] || seen[side] || r->next[side] == side) continue;
        if (to) to->start[*parts] = (uint32_t)*corners;
        ++*parts;
        for (uint32_t at = side; !seen[at]; at = r->next[at]) {
            seen[at] = 1;
            if (to) to->corners[*corners] = from_of(r, at) - TACT_AREA_FRAME;
            ++*corners;
        }
    }
    if (to) to->start[*parts] = (uint32_t)*corners;
}

static tact_result take_convex(const tact_polygon_area* a, tact_polygon_parts* parts)
{
    const size_t sides = 3 * a->planar.count;
    ring_list rings = {.area = a};
    rings.next = tact_allocate(a->env, sides, sizeof *rings.next);
    rings.previous = tact_allocate(a->env, sides, sizeof *rings.previous);
    uint8_t* seen = tact_allocate(a->env, sides, 1);
    tact_result result = rings.next && rings.previous && seen ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result >= 0) {
        for (uint32_t t = 0; t < sides; t += 3) {
            for (uint32_t k = 0; k < 3; ++k)
                join(&rings, t + k, t + (k + 1) % 3);
        }
        merge_parts(&rings);
        size_t count, corners;
        list_parts(&rings, seen, &count, &corners, NULL);
        result = tact_area_parts(a, count, corners, parts);
        if (result >= 0) list_parts(&rings, seen, &count, &corners, parts);
    }
    tact_release(a->env, rings.next);
    tact_release(a->env, rings.previous);
    tact_release(a->env, seen);
    return result;
}

tact_result tact_polygon_convex_parts(const tact_polygon_view* polygon, tact_polygon_rule rule,
                                      const tact_allocator* allocator, tact_polygon_parts* parts)
{
    return run(polygon, rule, allocator, take_convex, parts);
}

// ---- The least number ----

static tact_result check_simple(const tact_polygon_area* a)
{
    const size_t count = a->polygon->vertex_count;
    if (count < 3) return tact_fail(a->env, TACT_ERROR_INVALID_ARGUMENT, "the ring has %zu vertices", count);
    for (uint32_t v = 0; v < count; ++v) {
        if (a->first[v] == v) continue;
        return tact_fail(a->env, TACT_ERROR_INVALID_ARGUMENT, "vertices %u and %u of the ring are in one place",
                         (unsigned)a->first[v], (unsigned)v);
    }
    if (a->crossing_count) {
        return tact_fail(a->env, TACT_ERROR_INVALID_ARGUMENT, "the edges at vertices %u and %u of the ring cross",
                         (unsigned)a->edges[0], (unsigned)a->edges[1]);
    }
    for (uint32_t v = 0; v < count; ++v) {
        const uint32_t from = v + TACT_AREA_FRAME, to = a->next[v] + TACT_AREA_FRAME;
        const uint32_t on = a->planar.corners[a->planar.across[tact_planar_side(&a->planar, from, to)]];
        if (on == to) continue;
        return tact_fail(a->env, TACT_ERROR_INVALID_ARGUMENT, "vertex %u of the ring is on the edge at vertex %u",
                         (unsigned)(on - TACT_AREA_FRAME), (unsigned)v);
    }
    return TACT_OK;
}

tact_result tact_polygon_least_parts(const tact_vec2* vertices, size_t count, const tact_allocator* allocator,
                                     tact_polygon_parts* parts)
{
    tact_env env;
    tact_polygon_area area = {0};
    begin(&env, allocator, parts);
    area.env = &env;
    const tact_polygon_view polygon = {.vertices = vertices, .vertex_count = count};
    tact_result result = count <= TACT_POLYGON_LEAST_VERTICES
                             ? tact_area_begin(&area, &env, &polygon, TACT_POLYGON_EVEN_ODD)
                             : tact_fail(&env, TACT_ERROR_LIMIT, "the ring has %zu vertices, more than %u", count,
                                         TACT_POLYGON_LEAST_VERTICES);
    if (result >= 0) result = check_simple(&area);
    if (result >= 0) result = tact_area_least(&area, parts);
    return finish(&area, parts, result);
}
