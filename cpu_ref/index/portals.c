// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What can be seen through portals: parts of the view, cones from the eye, that the sides of portals cut down.

#include "tact/geometry/portals.h"

#include <string.h>

#include "base/env.h"
#include "cpu_ref/geometry/vec.h"

enum {
    USUAL_LIMIT = 65536,
    CORNERS = TACT_PORTAL_CORNERS + TACT_PORTAL_PLANES + TACT_FRUSTUM_PLANES,  ///< each cut adds one
};

#define NONE 0xffffffffu

/// By what share of distances parts of the view are too wide.
#define WIDER 0x1p-40

typedef struct door {
    uint32_t cell[2];
    uint32_t first, count;
    dvec normal;  ///< of unit length
} door;

struct tact_portals {
    tact_env env;
    door* doors;
    dvec* points;
    uint32_t* start;  ///< of each cell, where its doors begin among `of_cell`
    uint32_t* of_cell;
    size_t door_count;
    uint32_t cell_count;
};

/// A side of a part of the view: n . p <= room + slack (|p| + room) for places p from the eye. Rounding has moved what
/// is in view by no more than the slack allows.
typedef struct side {
    dvec normal;
    double room, slack;
} side;

/// A part of the view: a cone from the eye, but for the sides of a frustum that do not meet there.
typedef struct cone {
    uint32_t count;
    side sides[TACT_PORTAL_PLANES];
} cone;

/// A step of the way that is being followed.
typedef struct step {
    uint32_t cell, door;
    uint32_t next;  ///< of the cell's doors, among `of_cell`
    cone view;
} step;

typedef struct looking {
    const tact_portals* g;
    tact_portal_view* view;
    dvec eye;
    bool has_far;
    side far;
    step* steps;
    size_t depth, step_capacity;
    uint8_t* seen;     ///< by cell
    uint8_t* on_way;   ///< by door
    uint32_t* queue;   ///< of cells, when the limit is reached
    uint8_t* flooded;  ///< by cell
    bool ended;
} looking;

// ---- Making ----

static dvec newell(const dvec* p, uint32_t count)
{
    dvec n = {0.0, 0.0, 0.0};
    for (uint32_t i = 1; i + 1 < count; ++i)
        n = d_add(n, d_cross(d_sub(p[i], p[0]), d_sub(p[i + 1], p[0])));
    return n;
}

/// NULL for a polygon that a portal may be; else what is wrong with it. `normal` receives its unit normal.
static const char* fault_of(const dvec* p, uint32_t count, dvec* normal)
{
    double size = 0.0;
    const dvec n = newell(p, count);
    for (uint32_t i = 1; i < count; ++i)
        size = fmax(size, d_length(d_sub(p[i], p[0])));
    const double area = d_length(n);
    if (!(area > 0x1p-30 * size * size)) return "has no area";
    *normal = d_scale(n, 1.0 / area);
    double turned = 0.0;
    for (uint32_t i = 0; i < count; ++i) {
        const dvec a = d_sub(p[(i + 1) % count], p[i]), b = d_sub(p[(i + 2) % count], p[(i + 1) % count]);
        const double turn = d_dot(d_cross(a, b), *normal);
        if (fabs(d_dot(d_sub(p[i], p[0]), *normal)) > 0x1p-16 * size) return "is not flat";
        if (turn < -0x1p-20 * size * size) return "is not convex";
        turned += atan2(turn, d_dot(a, b));
    }
    return turned > 7.0 ? "turns around more than once" : NULL;
}

static tact_result check(const tact_portal* p, size_t number, const tact_vec3* points, size_t point_count,
                         uint32_t cell_count, door* made, dvec* corners)
{
    if (p->cell[0] >= cell_count || p->cell[1] >= cell_count || p->cell[0] == p->cell[1])
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "portal %zu connects cells %u and %u of %u", number,
                         (unsigned)p->cell[0], (unsigned)p->cell[1], (unsigned)cell_count);
    if (p->count < 3 || p->count > TACT_PORTAL_CORNERS || p->first > point_count || p->count > point_count - p->first)
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "portal %zu has %u corners from point %u on of %zu", number,
                         (unsigned)p->count, (unsigned)p->first, point_count);
    for (uint32_t i = 0; i < p->count; ++i) {
        if (!v_finite(points[p->first + i]))
            return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "portal %zu has a corner that is not finite", number);
        corners[i] = d_from(points[p->first + i]);
    }
    const char* fault = fault_of(corners, p->count, &made->normal);
    if (fault) return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "portal %zu %s", number, fault);
    return TACT_OK;
}

/// Of each cell its doors, in order of their numbers.
static void list_doors(tact_portals* g)
{
    for (size_t i = 0; i < g->door_count; ++i)
        for (int s = 0; s < 2; ++s)
            ++g->start[g->doors[i].cell[s] + 1];
    for (uint32_t c = 0; c < g->cell_count; ++c)
        g->start[c + 1] += g->start[c];
    for (size_t i = g->door_count; i-- > 0;)
        for (int s = 0; s < 2; ++s)
            g->of_cell[--g->start[g->doors[i].cell[s] + 1]] = (uint32_t)i;
    // Each stands where its own begin, one place too high.
    memmove(g->start, g->start + 1, g->cell_count * sizeof *g->start);
    g->start[g->cell_count] = (uint32_t)(2 * g->door_count);
}

static tact_result fill(tact_portals* g, const tact_portal* portals, const tact_vec3* points, size_t point_count)
{
    size_t corners = 0;
    g->doors = tact_allocate(&g->env, g->door_count, sizeof *g->doors);
    g->points = tact_allocate(&g->env, g->door_count, TACT_PORTAL_CORNERS * sizeof *g->points);
    g->start = tact_allocate_zeroed(&g->env, (size_t)g->cell_count + 2, sizeof *g->start);
    g->of_cell = tact_allocate(&g->env, g->door_count, 2 * sizeof *g->of_cell);
    if (!g->doors || !g->points || !g->start || !g->of_cell) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < g->door_count; ++i) {
        const tact_portal* p = &portals[i];
        door* d = &g->doors[i];
        *d = (door){{p->cell[0], p->cell[1]}, (uint32_t)corners, p->count, {0.0, 0.0, 0.0}};
        const tact_result result = check(p, i, points, point_count, g->cell_count, d, g->points + corners);
        if (result != TACT_OK) return result;
        corners += p->count;
    }
    list_doors(g);
    return TACT_OK;
}

tact_result tact_portals_create(const tact_portal* portals, size_t portal_count, const tact_vec3* points,
                                size_t point_count, uint32_t cell_count, const tact_allocator* allocator,
                                tact_portals** graph)
{
    tact_env env;
    tact_error_begin(NULL);
    if (!graph) return tact_null(NULL, "graph");
    *graph = NULL;
    if (!portals && portal_count) return tact_null(NULL, "portals");
    if (!points && point_count) return tact_null(NULL, "points");
    if (portal_count > 0x3ffffff || cell_count > 0x7fffffff)
        return tact_fail(NULL, TACT_ERROR_LIMIT, "%zu portals or %u cells are too many", portal_count,
                         (unsigned)cell_count);
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_portals* g = tact_allocate_zeroed(&env, 1, sizeof *g);
    if (!g) return TACT_ERROR_OUT_OF_MEMORY;
    tact_env_init(&g->env, allocator, NULL, NULL, NULL, NULL);
    g->door_count = portal_count;
    g->cell_count = cell_count;
    const tact_result result = fill(g, portals, points, point_count);
    if (result == TACT_OK) {
        *graph = g;
    } else {
        tact_portals_destroy(g);
    }
    return result;
}

void tact_portals_destroy(tact_portals* graph)
{
    if (!graph) return;
    void* const arrays[] = {graph->doors, graph->points, graph->start, graph->of_cell};
    const tact_allocator allocator = graph->env.allocator;
    for (int i = 0; i < 4; ++i)
        tact_release(&graph->env, arrays[i]);
    allocator.release(graph, allocator.user);
}

// ---- Parts of the view ----

static double beyond(const side* s, dvec p)
{
    return d_dot(s->normal, p) - s->room - s->slack * (d_length(p) + s->room);
}

/// The part of a polygon on this side. Points are from the eye. Returns how many corners are left in `to`.
static uint32_t cut(const dvec* from, uint32_t count, const side* s, dvec* to)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const dvec a = from[i], b = from[(i + 1) % count];
        const double h = beyond(s, a), g = beyond(s, b);
        if (h <= 0.0 && left < CORNERS) to[left++] = a;
        if ((h <= 0.0) != (g <= 0.0) && left < CORNERS) to[left++] = d_add(a, d_scale(d_sub(b, a), h / (h - g)));
    }
    return left;
}

/// The cone through the corners of a convex polygon whose plane is `away` from the eye: a side for each of its edges,
/// with as much slack as corners are beyond it by rounding. False where it is seen edge-on, so that it bounds nothing.
static bool cone_of(const dvec* p, uint32_t count, double away, cone* c)
{
    c->count = 0;
    for (uint32_t i = 0; i < count && c->count < TACT_PORTAL_PLANES; ++i) {
        const dvec a = p[i], b = p[(i + 1) % count];
        const dvec n = d_cross(a, b);
        const double length = d_length(n);
        if (!(length > 0x1p-48 * d_length(a) * d_length(b))) continue;
        const dvec unit = d_scale(n, 1.0 / length);
        double low = 0.0, high = 0.0;
        for (uint32_t k = 0; k < count; ++k) {
            const double h = d_dot(unit, p[k]);
            low = fmin(low, h);
            high = fmax(high, h);
        }
        const bool flip = -low < high;
        const double out = flip ? -low : high;
        c->sides[c->count++] = (side){d_scale(unit, flip ? -1.0 : 1.0), 0.0, fmax(WIDER, 2.0 * out / away)};
    }
    return c->count >= 3;
}

/// Narrows a part of the view to what is seen through a door. False: nothing is.
static bool narrow(const looking* l, const door* d, const cone* from, cone* to)
{
    dvec corners[2][CORNERS];
    uint32_t count = d->count;
    int at = 0;
    double reach = 0.0;
    for (uint32_t i = 0; i < count; ++i) {
        corners[0][i] = d_sub(l->g->points[d->first + i], l->eye);
        reach = fmax(reach, d_length(corners[0][i]));
    }
    const double away = fabs(d_dot(d->normal, corners[0][0]));
    for (uint32_t i = 0; i < from->count && count > 0; ++i, at = !at)
        count = cut(corners[at], count, &from->sides[i], corners[!at]);
    if (l->has_far && count > 0) {
        count = cut(corners[at], count, &l->far, corners[!at]);
        at = !at;
    }
    if (count == 0) return false;
    // The eye in the plane of the door: it may be in the door.
    if (away <= 0x1p-20 * reach || !cone_of(corners[at], count, away, to)) *to = *from;
    return true;
}

// ---- Looking ----

static tact_plane plane_of(const looking* l, const side* s)
{
    const dvec n = s->normal, e = l->eye;
    const double size = fabs(n.x * e.x) + fabs(n.y * e.y) + fabs(n.z * e.z) + s->room;
    return (tact_plane){d_round(n), (float)(d_dot(n, e) + s->room + 0x1p-22 * size)};
}

static void report(looking* l, uint32_t cell, uint32_t door_number, const cone* part)
{
    tact_plane planes[TACT_PORTAL_PLANES + 1];
    uint32_t count = 0;
    l->seen[cell] = 1;
    if (!l->view->seen) return;
    for (; count < part->count; ++count)
        planes[count] = plane_of(l, &part->sides[count]);
    if (l->has_far) planes[count++] = plane_of(l, &l->far);
    l->ended = !l->view->seen(cell, door_number, planes, count, l->view->user);
}

/// The part that the frustum shows, without its near plane. A line from an eye that is beyond a side reaches what is
/// within by places that are no further beyond than the eye.
static void begin_view(looking* l, cone* c)
{
    const tact_frustum* f = l->view->frustum;
    c->count = 0;
    for (uint32_t k = 0; f && k < TACT_FRUSTUM_PLANES; ++k) {
        const tact_plane* p = &f->plane[k];
        if (!(f->planes >> k & 1) || k == TACT_FRUSTUM_NEAR) continue;
        const dvec n = d_from(p->normal);
        const side s = {n, fmax(0.0, (double)p->distance - d_dot(n, l->eye)), WIDER};
        if (k == TACT_FRUSTUM_FAR) {
            l->has_far = true;
            l->far = s;
        } else {
            c->sides[c->count++] = s;
        }
    }
}

static bool push(looking* l, uint32_t cell, uint32_t door_number, const cone* part)
{
    void* steps = l->steps;
    if (!tact_reserve_in_loop(&l->g->env, &steps, &l->step_capacity, l->depth, l->depth + 1, sizeof *l->steps))
        return false;
    l->steps = steps;
    step* s = &l->steps[l->depth++];
    s->cell = cell;
    s->door = door_number;
    s->next = l->g->start[cell];
    s->view = *part;
    if (door_number != NONE) l->on_way[door_number] = 1;
    report(l, cell, door_number, part);
    return true;
}

/// All that can be reached counts as seen, with the frustum as it is.
static void flood(looking* l, const cone* all)
{
    size_t begin = 0, end = 0;
    const uint32_t from = l->view->cell;
    l->queue[end++] = from;
    l->flooded[from] = 1;
    while (begin < end && !l->ended) {
        const uint32_t cell = l->queue[begin++];
        for (uint32_t i = l->g->start[cell]; i < l->g->start[cell + 1] && !l->ended; ++i) {
            const door* d = &l->g->doors[l->g->of_cell[i]];
            const uint32_t other = d->cell[d->cell[0] == cell];
            if (l->flooded[other]) continue;
            l->flooded[other] = 1;
            l->queue[end++] = other;
            report(l, other, l->g->of_cell[i], all);
        }
    }
}

/// Follows all ways, one after the other. False when out of memory.
static bool follow(looking* l)
{
    cone all, part;
    size_t taken = 1;
    const size_t limit = l->view->limit ? l->view->limit : USUAL_LIMIT;
    begin_view(l, &all);
    if (!push(l, l->view->cell, NONE, &all)) return false;
    while (l->depth > 0 && !l->ended) {
        step* s = &l->steps[l->depth - 1];
        if (s->next == l->g->start[s->cell + 1]) {
            if (s->door != NONE) l->on_way[s->door] = 0;
            --l->depth;
            continue;
        }
        const uint32_t number = l->g->of_cell[s->next++];
        const door* d = &l->g->doors[number];
        if (l->on_way[number] || !narrow(l, d, &s->view, &part)) continue;
        if (taken++ >= limit) {
            l->view->limited = true;
            flood(l, &all);
            return true;
        }
        if (!push(l, d->cell[d->cell[0] == s->cell], number, &part)) return false;
    }
    return true;
}

tact_result tact_portals_see(const tact_portals* graph, tact_portal_view* view)
{
    tact_error_begin(NULL);
    if (!graph) return tact_null(NULL, "graph");
    if (!view) return tact_null(NULL, "view");
    if (!view->cells && view->capacity) return tact_null(NULL, "cells");
    view->count = 0;
    view->limited = false;
    if (view->cell >= graph->cell_count || !v_finite(view->eye))
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "the eye is not finite, or in cell %u of %u",
                         (unsigned)view->cell, (unsigned)graph->cell_count);
    looking l = {.g = graph, .view = view, .eye = d_from(view->eye)};
    const size_t cells = graph->cell_count;
    uint8_t* bytes = tact_allocate_in_loop(&graph->env, 2 * cells + graph->door_count + 1, 1);
    l.queue = tact_allocate_in_loop(&graph->env, cells, sizeof *l.queue);
    bool good = bytes && l.queue;
    if (good) {
        memset(bytes, 0, 2 * cells + graph->door_count + 1);
        l.seen = bytes;
        l.flooded = bytes + cells;
        l.on_way = bytes + 2 * cells;
        good = follow(&l);
    }
    for (uint32_t c = 0; good && c < graph->cell_count; ++c) {
        if (!l.seen[c]) continue;
        if (view->count < view->capacity) view->cells[view->count] = c;
        ++view->count;
    }
    tact_release(&graph->env, bytes);
    tact_release(&graph->env, l.queue);
    tact_release(&graph->env, l.steps);
    if (!good) return tact_fail(NULL, TACT_ERROR_OUT_OF_MEMORY, "no memory for what is seen");
    return view->count <= view->capacity ? TACT_OK : TACT_INCOMPLETE;
}
