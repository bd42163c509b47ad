// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/solids/flat.h"

#include <stdlib.h>
#include <string.h>

#include "cpu_ref/geometry/predicates_internal.h"
#include "cpu_ref/geometry/vec.h"
#include "cpu_ref/solids/meeting.h"
#include "tact/scene.h"

// ---- Parts ----

typedef struct ranked {
    double area;
    uint32_t triangle;
} ranked;

static int by_area(const void* a, const void* b)
{
    const ranked *p = a, *q = b;
    if (p->area != q->area) return p->area > q->area ? -1 : 1;
    return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

/// The plane of a part, about, and the triangle that it begins with.
typedef struct base_plane {
    tact_vec3 corner[3];
    dvec at, normal;   ///< a point of the plane; of length 1
    int axis, facing;  ///< how the triangle is seen
} base_plane;

static bool is_near(const tact_flat_parts* f, const base_plane* base, tact_vec3 p)
{
    if (f->tolerance == 0.0f) return tact_orient3d(base->corner[0], base->corner[1], base->corner[2], p) == 0;
    const double height = d_dot(base->normal, d_sub(d_from(p), base->at));
    return fabs(height) <= (double)f->tolerance;
}

static bool in_reach(const tact_vec3 corner[3])
{
    for (int k = 0; k < 3; ++k) {
        const dvec p = d_from(corner[k]);
        if (fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) > (double)TACT_MAX_COORDINATE) return false;
    }
    return true;
}

/// The triangle lies in the plane and faces as it does, or is seen edge-on.
static bool belongs(const tact_flat_parts* f, const base_plane* base, uint32_t triangle)
{
    tact_vec3 t[3];
    tact_flat_triangle(f, triangle, t);
    if (!in_reach(t)) return false;
    const int turn = tact_orient2d(tact_drop_axis(t[0], base->axis), tact_drop_axis(t[1], base->axis),
                                   tact_drop_axis(t[2], base->axis));
    return turn * base->facing >= 0 && is_near(f, base, t[0]) && is_near(f, base, t[1]) && is_near(f, base, t[2]);
}

/// Two triangles at the side pass it in opposite directions.
static bool is_smooth(const tact_flat_parts* f, uint32_t side)
{
    const uint32_t other = f->across[side];
    return other < TACT_MESH_MANY && f->parts.corners[tact_mesh_next_side(other)] == f->parts.corners[side];
}

/// Gives a part to its triangles, from the first of the queue on. Returns how many there are; all are in the queue.
static size_t spread(const tact_flat_parts* f, const base_plane* base, uint32_t part, uint32_t* queue)
{
    size_t count = 1;
    f->part[queue[0]] = part;
    for (size_t i = 0; i < count; ++i) {
        for (uint32_t side = 3 * queue[i]; side < 3 * queue[i] + 3; ++side) {
            if (!is_smooth(f, side)) continue;
            const uint32_t other = f->across[side] / 3;
            if (f->part[other] != UINT32_MAX || !belongs(f, base, other)) continue;
            f->part[other] = part;
            queue[count++] = other;
        }
    }
    return count;
}

/// The mean plane of triangles, by area.
static void fit(const tact_flat_parts* f, const uint32_t* triangles, size_t count, base_plane* base)
{
    const dvec origin = d_from(base->corner[0]);
    dvec normal = d_make(0.0, 0.0, 0.0), at = normal;
    double weight = 0.0;
    for (size_t i = 0; i < count; ++i) {
        tact_vec3 t[3];
        tact_flat_triangle(f, triangles[i], t);
        const dvec a = d_sub(d_from(t[0]), origin), b = d_sub(d_from(t[1]), origin), c = d_sub(d_from(t[2]), origin);
        const dvec cross = d_cross(d_sub(b, a), d_sub(c, a));
        const double area = d_length(cross);
        normal = d_add(normal, cross);
        at = d_along(at, area / 3.0, d_add(a, d_add(b, c)));
        weight += area;
    }
    base->normal = d_unit(normal);
    base->at = d_along(origin, 1.0 / weight, at);
}

enum { MOST_ROUNDS = 8 };

/// Within a tolerance, the plane of the first triangle is as good as that is large, so the plane of all is tried again
/// as long as it finds more.
static void grow(const tact_flat_parts* f, uint32_t seed, uint32_t* queue)
{
    base_plane base;
    f->part[seed] = seed;
    tact_flat_triangle(f, seed, base.corner);
    if (!in_reach(base.corner) || tact_collinear(base.corner[0], base.corner[1], base.corner[2])) return;
    base.at = d_from(base.corner[0]);
    base.normal = d_unit(d_cross(d_sub(d_from(base.corner[1]), base.at), d_sub(d_from(base.corner[2]), base.at)));
    base.axis = tact_best_axis(base.corner, &base.facing);
    queue[0] = seed;
    size_t count = spread(f, &base, seed, queue);
    bool more = f->tolerance > 0.0f;
    for (int round = 0; more && round < MOST_ROUNDS; ++round) {
        base_plane next = base;
        fit(f, queue, count, &next);
        for (size_t i = 0; i < count; ++i)
            f->part[queue[i]] = UINT32_MAX;
        const size_t found = belongs(f, &next, seed) ? spread(f, &next, seed, queue) : 0;
        more = found > count;
        if (more) {
            count = found;
            base = next;
            continue;
        }
        for (size_t i = 0; i < found; ++i)
            f->part[queue[i]] = UINT32_MAX;
        count = spread(f, &base, seed, queue);
    }
}

/// Parts from the largest triangle on, then numbered by their first triangles.
static tact_result find_parts(tact_flat_parts* f)
{
    const size_t count = f->parts.count;
    ranked* order = tact_allocate(f->env, count, sizeof *order);
    uint32_t* queue = tact_allocate(f->env, count, sizeof *queue);
    uint32_t* number = tact_allocate(f->env, count, sizeof *number);
    const bool good = order && queue && number;
    for (uint32_t t = 0; good && t < count; ++t) {
        tact_vec3 p[3];
        tact_flat_triangle(f, t, p);
        const dvec a = d_from(p[0]);
        order[t] = (ranked){d_length(d_cross(d_sub(d_from(p[1]), a), d_sub(d_from(p[2]), a))), t};
        f->part[t] = UINT32_MAX;
        number[t] = UINT32_MAX;
    }
    if (good && count) qsort(order, count, sizeof *order, by_area);
    for (size_t i = 0; good && i < count; ++i) {
        const uint32_t seed = order[i].triangle;
        if (f->part[seed] == UINT32_MAX) grow(f, seed, queue);
    }
    for (uint32_t t = 0; good && t < count; ++t) {
        uint32_t* of = &number[f->part[t]];
        if (*of == UINT32_MAX) {
            f->seed[f->count] = f->part[t];
            *of = (uint32_t)f->count++;
        }
        f->part[t] = *of;
    }
    tact_release(f->env, order);
    tact_release(f->env, queue);
    tact_release(f->env, number);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static void list_members(const tact_flat_parts* f)
{
    memset(f->start, 0, (f->count + 1) * sizeof *f->start);
    for (size_t t = 0; t < f->parts.count; ++t)
        ++f->start[f->part[t]];
    uint32_t sum = 0;
    for (size_t i = 0; i < f->count; ++i) {
        sum += f->start[i];
        f->start[i] = sum;
    }
    f->start[f->count] = sum;
    for (size_t t = f->parts.count; t-- > 0;)
        f->members[--f->start[f->part[t]]] = (uint32_t)t;
}

// ---- Borders ----

static void add_end(const tact_flat_parts* f, uint32_t vertex, uint32_t other)
{
    if (f->ends[vertex] < 2) f->beside[2 * (size_t)vertex + f->ends[vertex]] = other;
    if (f->ends[vertex] < 3) ++f->ends[vertex];
}

static void find_borders(const tact_flat_parts* f)
{
    for (size_t i = 0; i < f->sides.count; ++i) {
        const uint32_t side = f->sides.sides[i];
        const bool inside = is_smooth(f, side) && f->part[side / 3] == f->part[f->across[side] / 3];
        f->border[side] = !inside;
        if (inside || (i > 0 && f->sides.keys[i] == f->sides.keys[i - 1])) continue;
        const uint32_t a = f->parts.corners[side], b = f->parts.corners[tact_mesh_next_side(side)];
        add_end(f, a, b);
        add_end(f, b, a);
    }
}

tact_result tact_flat_begin(tact_flat_parts* f, tact_env* env, const tact_mesh_view* mesh, float tolerance,
                            tact_mesh_report* counts)
{
    memset(f, 0, sizeof *f);
    f->env = env;
    f->tolerance = tolerance;
    tact_result result = tact_mesh_parts_begin(&f->parts, env, mesh, counts);
    if (result < 0) return result;
    const size_t triangles = f->parts.count, vertices = mesh->vertex_count;
    result = tact_mesh_sides_begin(&f->sides, env, f->parts.corners, triangles, vertices);
    if (result < 0) return result;
    f->across = tact_allocate(env, triangles, 3 * sizeof *f->across);
    f->part = tact_allocate(env, triangles, sizeof *f->part);
    f->seed = tact_allocate(env, triangles, sizeof *f->seed);
    f->start = tact_allocate(env, triangles + 1, sizeof *f->start);
    f->members = tact_allocate(env, triangles, sizeof *f->members);
    f->border = tact_allocate(env, triangles, 3);
    f->ends = tact_allocate_zeroed(env, vertices, 1);
    f->beside = tact_allocate(env, vertices, 2 * sizeof *f->beside);
    f->anchored = tact_allocate_zeroed(env, vertices, 1);
    f->gone = tact_allocate_zeroed(env, vertices, 1);
    if (!f->across || !f->part || !f->seed || !f->start || !f->members || !f->border || !f->ends || !f->beside ||
        !f->anchored || !f->gone) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_mesh_link(&f->sides, f->across);
    result = find_parts(f);
    if (result < 0) return result;
    list_members(f);
    find_borders(f);
    return TACT_OK;
}

void tact_flat_end(tact_flat_parts* f)
{
    void* const arrays[] = {f->across, f->part, f->seed,   f->start,    f->members,
                            f->border, f->ends, f->beside, f->anchored, f->gone};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        tact_release(f->env, arrays[i]);
    tact_mesh_sides_end(&f->sides, f->env);
    tact_mesh_parts_end(&f->parts);
}

// ---- Straight borders ----

/// A vertex at which a border only goes on.
static bool goes_on(const tact_flat_parts* f, uint32_t vertex)
{
    return f->ends[vertex] == 2 && !f->anchored[vertex];
}

static bool between(double a, double b, double c)
{
    return (a < b && b < c) || (a > b && b > c);
}

/// Exactly on the segment between its neighbours.
static bool is_straight(const tact_flat_parts* f, uint32_t vertex)
{
    const uint32_t* beside = f->beside + 2 * (size_t)vertex;
    const tact_vec3 a = tact_flat_place(f, beside[0]), b = tact_flat_place(f, vertex),
                    c = tact_flat_place(f, beside[1]);
    if (!tact_collinear(a, b, c)) return false;
    return between((double)a.x, (double)b.x, (double)c.x) || between((double)a.y, (double)b.y, (double)c.y) ||
           between((double)a.z, (double)b.z, (double)c.z);
}

/// A border from a vertex that stays to the next one, and the pieces of it that are still to be looked at.
typedef struct chain {
    uint32_t* vertex;
    size_t count, room;
    size_t (*piece)[2];
    size_t piece_room;
} chain;

/// Takes out what is within the tolerance of the segment between two of the chain, or divides it at the farthest.
/// Douglas and Peucker, "Algorithms for the reduction of the number of points required to represent a digitized line",
/// 1973.
static tact_result simplify(const tact_flat_parts* f, chain* c)
{
    size_t depth = 0;
    if (!tact_reserve(f->env, (void**)&c->piece, &c->piece_room, 0, c->count, sizeof *c->piece)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    c->piece[depth][0] = 0;
    c->piece[depth++][1] = c->count - 1;
    while (depth > 0) {
        const size_t from = c->piece[--depth][0], to = c->piece[depth][1];
        const dvec a = d_from(tact_flat_place(f, c->vertex[from]));
        const dvec along = d_sub(d_from(tact_flat_place(f, c->vertex[to])), a);
        double most = (double)f->tolerance;
        size_t farthest = from;
        for (size_t i = from + 1; i < to; ++i) {
            const double far = d_to_segment(d_sub(d_from(tact_flat_place(f, c->vertex[i])), a), along);
            if (!(far > most)) continue;
            most = far;
            farthest = i;
        }
        for (size_t i = from + 1; i < to && farthest == from; ++i)
            f->gone[c->vertex[i]] = 1;
        if (farthest == from) continue;
        c->piece[depth][0] = from;
        c->piece[depth++][1] = farthest;
        c->piece[depth][0] = farthest;
        c->piece[depth++][1] = to;
    }
    return TACT_OK;
}

/// Follows a border from a vertex that stays, by way of a neighbour.
static tact_result follow(const tact_flat_parts* f, chain* c, uint32_t from, uint32_t to, uint8_t* seen)
{
    c->count = 0;
    for (;;) {
        if (!tact_reserve(f->env, (void**)&c->vertex, &c->room, c->count, c->count + 2, sizeof *c->vertex)) {
            return TACT_ERROR_OUT_OF_MEMORY;
        }
        c->vertex[c->count++] = from;
        if (!goes_on(f, to) || seen[to]) break;
        seen[to] = 1;
        const uint32_t* beside = f->beside + 2 * (size_t)to;
        const uint32_t next = beside[0] == from ? beside[1] : beside[0];
        from = to;
        to = next;
    }
    c->vertex[c->count++] = to;
    return simplify(f, c);
}

/// Within the tolerance. A border that ends nowhere keeps its lowest vertex.
static tact_result straighten_near(const tact_flat_parts* f, uint8_t* seen)
{
    chain c = {.count = 0};
    const size_t vertices = f->parts.mesh->vertex_count;
    tact_result result = TACT_OK;
    // Borders that end: seen from a vertex beside the end.
    for (uint32_t v = 0; v < vertices && result >= 0; ++v) {
        for (size_t k = 0; k < 2 && result >= 0 && goes_on(f, v) && !seen[v]; ++k) {
            const uint32_t end = f->beside[2 * (size_t)v + k];
            if (!goes_on(f, end)) result = follow(f, &c, end, v, seen);
        }
    }
    for (uint32_t v = 0; v < vertices && result >= 0; ++v) {
        if (!goes_on(f, v) || seen[v]) continue;
        seen[v] = 1;
        result = follow(f, &c, v, f->beside[2 * (size_t)v], seen);
    }
    tact_release(f->env, c.vertex);
    tact_release(f->env, c.piece);
    return result;
}

tact_result tact_flat_straighten(tact_flat_parts* f)
{
    const size_t vertices = f->parts.mesh->vertex_count;
    memset(f->gone, 0, vertices);
    if (f->tolerance == 0.0f) {
        for (uint32_t v = 0; v < vertices; ++v)
            f->gone[v] = goes_on(f, v) && is_straight(f, v);
        return TACT_OK;
    }
    uint8_t* seen = tact_allocate_zeroed(f->env, vertices, 1);
    const tact_result result = seen ? straighten_near(f, seen) : TACT_ERROR_OUT_OF_MEMORY;
    tact_release(f->env, seen);
    return result;
}
