// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Is a closed, oriented mesh the boundary of its convex hull, exactly?
//
// It is if (1) each triangle of some area lies in a plane that has the hull behind it, and (2) the triangles cover the
// hull's surface once. For (1), a plane through a corner of the hull supports it if the corner's neighbours in the hull
// are not in front, since a linear function has no maxima but the largest on a convex solid. Connected triangles of one
// plane are checked together, at the corner with the fewest neighbours, so that all checks together take linear time.
// For (2), with (1) a closed and oriented mesh covers every part of the surface equally often, so it is enough to count
// at one place: inside a facet, next to a corner v and the edge v w that it has in this direction, where only triangles
// with the corner v and a side from it along v w can be; on the other side of the edge they would face inward.

#include <string.h>

#include "cpu_ref/geometry/mesh_internal.h"
#include "cpu_ref/geometry/predicates_internal.h"
#include "tact/geometry/hull.h"

typedef struct convexity {
    const tact_mesh_parts* parts;
    const uint32_t* across;
    const tact_vec3* points;  // of the mesh
    tact_hull_mesh hull;
    uint32_t* vertex;     // of each point of the hull: the vertex
    uint32_t* start;      // of each vertex: where its neighbours in the hull start; one more
    uint32_t* neighbour;  // vertices
    uint32_t* waiting;    // triangles
    uint8_t* done;        // of each triangle
} convexity;

/// The places of the mesh as points for the hull. `mark` has a number for each vertex.
static tact_result make_hull(convexity* c, uint32_t* mark)
{
    const tact_mesh_parts* parts = c->parts;
    size_t count = 0;
    memset(mark, 0, parts->mesh->vertex_count * sizeof *mark);
    for (size_t i = 0; i < 3 * parts->count; ++i) {
        const uint32_t v = parts->corners[i];
        if (!mark[v]) c->vertex[count++] = v;
        mark[v] = 1;
    }
    tact_vec3* points = tact_allocate(parts->env, count, sizeof *points);
    if (!points) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i)
        points[i] = c->points[c->vertex[i]];
    const tact_result result = tact_hull_mesh_3d(points, count, &parts->env->allocator, &c->hull);
    tact_release(parts->env, points);
    return result;
}

/// Number `i` of the corners of the facet that starts with triangle `first`.
static uint32_t facet_corner(const convexity* c, uint32_t first, uint32_t i)
{
    const size_t at = i < 3 ? (size_t)3 * first + i : (size_t)3 * (first + i - 2) + 2;
    return c->vertex[c->hull.triangles[at]];
}

/// Each edge of the hull, in the direction in which a facet has it, is one entry: `start` must be zero before the first
/// pass, which counts, and have been summed up before the second, which stores.
static void pass_over_edges(convexity* c, bool store)
{
    for (size_t f = 0; f < c->hull.facet_count; ++f) {
        const uint32_t first = c->hull.facet_start[f];
        const uint32_t corners = c->hull.facet_start[f + 1] - first + 2;
        for (uint32_t i = 0; i < corners; ++i) {
            const uint32_t from = facet_corner(c, first, i), to = facet_corner(c, first, (i + 1) % corners);
            if (store) {
                c->neighbour[--c->start[from]] = to;
            } else {
                ++c->start[from];
            }
        }
    }
}

/// The neighbours of each corner of the hull.
static bool make_graph(convexity* c)
{
    const size_t vertices = c->parts->mesh->vertex_count;
    memset(c->start, 0, (vertices + 1) * sizeof *c->start);
    pass_over_edges(c, false);
    uint32_t total = 0;
    for (size_t i = 0; i <= vertices; ++i) {
        total += c->start[i];
        c->start[i] = total;
    }
    c->neighbour = tact_allocate(c->parts->env, total, sizeof *c->neighbour);
    if (!c->neighbour) return false;
    pass_over_edges(c, true);
    return true;
}

static uint32_t degree(const convexity* c, uint32_t vertex)
{
    return c->start[vertex + 1] - c->start[vertex];
}

static int side_of(const convexity* c, const uint32_t* t, uint32_t vertex)
{
    return tact_orient3d(c->points[t[0]], c->points[t[1]], c->points[t[2]], c->points[vertex]);
}

/// No part of the hull is in front of the triangle, of whose plane `corner` is a corner of the hull; one with no
/// neighbours means that none is known.
static bool supports(const convexity* c, const uint32_t* t, uint32_t corner)
{
    for (uint32_t i = c->start[corner]; i < c->start[corner + 1]; ++i) {
        if (side_of(c, t, c->neighbour[i]) < 0) return false;
    }
    for (size_t i = 0; degree(c, corner) == 0 && i < c->hull.vertex_count; ++i) {
        if (side_of(c, t, c->vertex[c->hull.vertices[i]]) < 0) return false;
    }
    return true;
}

/// A triangle is in front of a neighbour. Most meshes that are not convex are told by this at once, without a hull.
static bool has_dent(const convexity* c)
{
    const uint32_t* corners = c->parts->corners;
    for (uint32_t side = 0; side < 3 * c->parts->count; ++side) {
        const uint32_t other = c->across[side];
        if (other >= TACT_MESH_MANY) continue;
        const uint32_t apex = corners[tact_mesh_next_side(tact_mesh_next_side(other))];
        if (side_of(c, corners + (size_t)3 * (side / 3), apex) < 0) return true;
    }
    return false;
}

/// The sign of a triangle's area as seen along an axis.
static int sign_along(const convexity* c, const uint32_t* t, int axis)
{
    return tact_orient2d(tact_drop_axis(c->points[t[0]], axis), tact_drop_axis(c->points[t[1]], axis),
                         tact_drop_axis(c->points[t[2]], axis));
}

/// An axis along which the triangle has an area, or 3.
static int axis_of(const convexity* c, const uint32_t* t)
{
    int axis = 0;
    while (axis < 3 && sign_along(c, t, axis) == 0)
        ++axis;
    return axis;
}

/// The triangles of one plane that are connected with `first`: all face the same way, and their plane supports the
/// hull.
static bool check_plane(convexity* c, uint32_t first, int axis)
{
    const uint32_t* t = c->parts->corners + (size_t)3 * first;
    const int sign = sign_along(c, t, axis);
    uint32_t best = t[0];
    size_t waiting = 0;
    c->waiting[waiting++] = first;
    c->done[first] = 1;
    while (waiting) {
        const uint32_t triangle = c->waiting[--waiting];
        for (uint32_t side = 3 * triangle; side < 3 * triangle + 3; ++side) {
            const uint32_t vertex = c->parts->corners[side];
            const bool fewer = degree(c, vertex) < degree(c, best) || degree(c, best) == 0;
            if (degree(c, vertex) && fewer) best = vertex;
            if (c->across[side] >= TACT_MESH_MANY || c->done[c->across[side] / 3]) continue;
            const uint32_t other = c->across[side] / 3;
            const uint32_t* o = c->parts->corners + (size_t)3 * other;
            if (side_of(c, t, o[0]) || side_of(c, t, o[1]) || side_of(c, t, o[2])) continue;
            const int other_sign = sign_along(c, o, axis);
            if (other_sign == -sign) return false;
            c->waiting[waiting++] = other;
            c->done[other] = 1;
        }
    }
    return supports(c, t, best);
}

static bool all_planes_support(convexity* c)
{
    for (uint32_t i = 0; i < c->parts->count; ++i) {
        if (c->done[i]) continue;
        const int axis = axis_of(c, c->parts->corners + (size_t)3 * i);
        if (axis < 3 && !check_plane(c, i, axis)) return false;
    }
    return true;
}

static bool covers_once(const convexity* c)
{
    const uint32_t corner = facet_corner(c, 0, 0);
    const tact_vec3 v = c->points[corner], w = c->points[facet_corner(c, 0, 1)];
    uint64_t covers = 0;
    for (uint32_t i = 0; i < 3 * c->parts->count; ++i) {
        if (c->parts->corners[i] != corner) continue;
        const uint32_t next = tact_mesh_next_side(i);
        const uint32_t b = c->parts->corners[next], d = c->parts->corners[tact_mesh_next_side(next)];
        covers += tact_collinear(v, w, c->points[b]) && !tact_collinear(v, w, c->points[d]);
    }
    return covers == 1;
}

static tact_result check(convexity* c, bool* convex)
{
    if (has_dent(c)) return TACT_OK;
    tact_env* env = c->parts->env;
    const size_t vertices = c->parts->mesh->vertex_count;
    c->vertex = tact_allocate(env, vertices, sizeof *c->vertex);
    c->start = tact_allocate(env, vertices + 1, sizeof *c->start);
    if (!c->vertex || !c->start) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = make_hull(c, c->start);
    if (result < 0 || c->hull.dimension < 3) return result;
    c->waiting = tact_allocate(env, c->parts->count, sizeof *c->waiting);
    c->done = tact_allocate_zeroed(env, c->parts->count, sizeof *c->done);
    if (!c->waiting || !c->done || !make_graph(c)) return TACT_ERROR_OUT_OF_MEMORY;
    *convex = all_planes_support(c) && covers_once(c);
    return TACT_OK;
}

tact_result tact_mesh_is_convex(const tact_mesh_parts* parts, const uint32_t* across, bool* convex)
{
    convexity c = {.parts = parts, .across = across, .points = parts->mesh->positions};
    *convex = false;
    const tact_result result = check(&c, convex);
    tact_hull_mesh_free(&c.hull);
    void* const arrays[] = {c.vertex, c.start, c.neighbour, c.waiting, c.done};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        tact_release(parts->env, arrays[i]);
    return result;
}
