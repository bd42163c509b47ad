// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/solids/planar.h"

#include <math.h>
#include <string.h>

#define NONE TACT_PLANAR_NONE

static uint32_t next(uint32_t side)
{
    return side % 3 == 2 ? side - 2 : side + 1;
}

static uint32_t previous(uint32_t side)
{
    return side % 3 == 0 ? side + 2 : side - 1;
}

static int turn(const tact_planar* p, uint32_t a, uint32_t b, uint32_t c)
{
    return p->turn(p->user, a, b, c);
}

// ---- Memory ----

/// Room for so many points, of which none but those that are there is in the triangulation.
static tact_result make_room(tact_planar* p, size_t points)
{
    // Each point adds two triangles.
    const size_t sides = 3 * p->count, all = 6 * points;
    if (!tact_reserve(p->env, (void**)&p->corners, &p->triangle_room, sides, all, sizeof *p->corners) ||
        !tact_reserve(p->env, (void**)&p->across, &p->side_room, sides, all, sizeof *p->across) ||
        !tact_reserve(p->env, (void**)&p->fixed, &p->fixed_room, sides, all, sizeof *p->fixed) ||
        !tact_reserve(p->env, (void**)&p->side_of, &p->point_room, p->points, points, sizeof *p->side_of)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = p->points; i < points; ++i)
        p->side_of[i] = NONE;
    p->points = points;
    return TACT_OK;
}

tact_result tact_planar_begin(tact_planar* p, size_t points)
{
    p->count = p->points = 0;
    const tact_result result = make_room(p, points);
    if (result < 0) return result;
    for (uint32_t k = 0; k < 3; ++k) {
        p->corners[k] = k;
        p->across[k] = NONE;
        p->fixed[k] = 0;
        p->side_of[k] = k;
    }
    p->count = 1;
    p->last = 0;
    p->mixed = 1;
    return TACT_OK;
}

void tact_planar_end(tact_planar* p)
{
    void* const arrays[] = {p->corners, p->across, p->fixed, p->side_of, p->stack, p->queue};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        tact_release(p->env, arrays[i]);
    memset(p, 0, sizeof *p);
}

// ---- Triangles ----

/// Sets a side, its neighbour and the neighbour's.
static void set_side(tact_planar* p, uint32_t side, uint32_t from, uint32_t other, uint32_t fixed)
{
    p->corners[side] = from;
    p->across[side] = other;
    p->fixed[side] = fixed;
    p->side_of[from] = side;
    if (other == NONE) return;
    p->across[other] = side;
    p->fixed[other] = fixed;
}

/// What is beyond a side.
typedef struct border {
    uint32_t other;
    uint32_t fixed;
} border;

static border beyond(const tact_planar* p, uint32_t side)
{
    return (border){p->across[side], p->fixed[side]};
}

/// Puts a point inside triangle t: three triangles.
static void split_triangle(tact_planar* p, uint32_t t, uint32_t point)
{
    const uint32_t a = p->corners[3 * t], b = p->corners[3 * t + 1], c = p->corners[3 * t + 2];
    const border ab = beyond(p, 3 * t), bc = beyond(p, 3 * t + 1), ca = beyond(p, 3 * t + 2);
    const uint32_t u = 3 * (uint32_t)p->count, v = u + 3;
    p->count += 2;
    set_side(p, 3 * t, a, ab.other, ab.fixed);
    set_side(p, u, b, bc.other, bc.fixed);
    set_side(p, v, c, ca.other, ca.fixed);
    set_side(p, u + 2, point, NONE, 0);
    set_side(p, v + 2, point, NONE, 0);
    set_side(p, 3 * t + 2, point, NONE, 0);
    set_side(p, 3 * t + 1, b, u + 2, 0);
    set_side(p, u + 1, c, v + 2, 0);
    set_side(p, v + 1, a, 3 * t + 2, 0);
}

/// Cuts the triangle at a side in two: what is behind the side's first half stays the triangle. Returns the second
/// half's side.
static uint32_t cut_triangle(tact_planar* p, uint32_t side, uint32_t point)
{
    const uint32_t b = p->corners[next(side)], c = p->corners[previous(side)];
    const border bc = beyond(p, next(side));
    const uint32_t fixed = p->fixed[side];
    const uint32_t u = 3 * (uint32_t)p->count++;
    set_side(p, u, point, NONE, fixed);
    set_side(p, u + 1, b, bc.other, bc.fixed);
    set_side(p, u + 2, c, NONE, 0);
    set_side(p, next(side), point, u + 2, 0);
    return u;
}

/// Puts a point on a side: two triangles for each at it.
static void split_side(tact_planar* p, uint32_t side, uint32_t point)
{
    const uint32_t other = p->across[side];
    const uint32_t fixed = p->fixed[side];
    const uint32_t second = cut_triangle(p, side, point);
    if (other == NONE) return;
    const uint32_t other_second = cut_triangle(p, other, point);
    set_side(p, side, p->corners[side], other_second, fixed);
    set_side(p, other, p->corners[other], second, fixed);
    p->side_of[point] = second;
}

/// Turns the diagonal: of the triangles a b c, b a d, where the side goes from a to b, c a d and d b c.
static void flip(tact_planar* p, uint32_t side)
{
    const uint32_t other = p->across[side], t = side - side % 3, u = other - other % 3;
    const uint32_t a = p->corners[side], b = p->corners[other], c = p->corners[previous(side)],
                   d = p->corners[previous(other)];
    const border bc = beyond(p, next(side)), ca = beyond(p, previous(side)), ad = beyond(p, next(other)),
                 db = beyond(p, previous(other));
    set_side(p, t, c, ca.other, ca.fixed);
    set_side(p, t + 1, a, ad.other, ad.fixed);
    set_side(p, u, d, db.other, db.fixed);
    set_side(p, u + 1, b, bc.other, bc.fixed);
    set_side(p, u + 2, c, NONE, 0);
    set_side(p, t + 2, d, u + 2, 0);
}

/// Both ends of the other diagonal see each other across the side.
static bool can_flip(const tact_planar* p, uint32_t side)
{
    const uint32_t other = p->across[side];
    const uint32_t a = p->corners[side], b = p->corners[other], c = p->corners[previous(side)],
                   d = p->corners[previous(other)];
    return turn(p, c, a, d) > 0 && turn(p, d, b, c) > 0;
}

/// The point across the side is in the circle through the triangle's corners, and by more than rounding: so that no
/// diagonal turns for ever.
static bool is_better(const tact_planar* p, uint32_t side)
{
    const uint32_t other = p->across[side];
    const double* d = p->place[p->corners[previous(other)]];
    const uint32_t corner[3] = {p->corners[side], p->corners[other], p->corners[previous(side)]};
    double x[3], y[3], square[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = p->place[corner[k]][0] - d[0];
        y[k] = p->place[corner[k]][1] - d[1];
        square[k] = x[k] * x[k] + y[k] * y[k];
    }
    double sum = 0.0, size = 0.0;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double up = x[i] * y[j], down = x[j] * y[i];
        sum += square[k] * (up - down);
        size += square[k] * (fabs(up) + fabs(down));
    }
    return sum > 0x1p-30 * size;
}

static tact_result push(tact_planar* p, size_t* depth, uint32_t side)
{
    if (!tact_reserve(p->env, (void**)&p->stack, &p->stack_room, *depth, *depth + 1, sizeof *p->stack)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    p->stack[(*depth)++] = side;
    return TACT_OK;
}

/// Turns diagonals, from the first `depth` sides of the stack on, until none is better.
static tact_result improve(tact_planar* p, size_t depth)
{
    tact_result result = TACT_OK;
    while (depth > 0 && result >= 0) {
        const uint32_t side = p->stack[--depth];
        if (p->across[side] == NONE || p->fixed[side] || !is_better(p, side) || !can_flip(p, side)) continue;
        const uint32_t t = side - side % 3, u = p->across[side] - p->across[side] % 3;
        flip(p, side);
        const uint32_t rim[4] = {t, t + 1, u, u + 1};
        for (int k = 0; k < 4 && result >= 0; ++k)
            result = push(p, &depth, rim[k]);
    }
    return result;
}

// ---- Points ----

/// The triangle that a point is in, by walking; `zeros` has a bit for each side that it is on.
static uint32_t locate(tact_planar* p, uint32_t point, uint32_t* zeros)
{
    uint32_t t = p->last, from = NONE;
    for (;;) {
        // Which side is looked at first must vary, or a walk may go round.
        p->mixed = p->mixed * 1664525u + 1013904223u;
        const uint32_t first = (p->mixed >> 16) % 3;
        uint32_t out = NONE;
        *zeros = 0;
        for (uint32_t i = 0; i < 3 && out == NONE; ++i) {
            const uint32_t side = 3 * t + (first + i) % 3;
            if (side == from) continue;
            const int at = turn(p, p->corners[side], p->corners[next(side)], point);
            if (at < 0) out = side;
            if (at == 0) *zeros |= 1u << side % 3;
        }
        if (out == NONE) return t;
        from = p->across[out];
        TACT_ASSERT(from != NONE);
        t = from / 3;
    }
}

tact_result tact_planar_insert(tact_planar* p, uint32_t point)
{
    TACT_ASSERT(point < p->points && p->side_of[point] == NONE);
    uint32_t zeros;
    const uint32_t t = locate(p, point, &zeros);
    TACT_ASSERT(zeros == 0 || zeros == 1 || zeros == 2 || zeros == 4);
    if (zeros) {
        split_side(p, 3 * t + (zeros == 1 ? 0u : zeros == 2 ? 1u : 2u), point);
    } else {
        split_triangle(p, t, point);
    }
    p->last = p->side_of[point] / 3;
    // The sides across from the point.
    size_t depth = 0;
    uint32_t side = p->side_of[point];
    const uint32_t begin = side;
    tact_result result = TACT_OK;
    do {
        result = push(p, &depth, next(side));
        side = p->across[previous(side)];
    } while (result >= 0 && side != NONE && side != begin);
    if (side == NONE) {
        side = p->across[begin];
        while (result >= 0 && side != NONE) {
            side = next(side);
            result = push(p, &depth, next(side));
            side = p->across[side];
        }
    }
    return result < 0 ? result : improve(p, depth);
}

// ---- Sides ----

/// What the way from a point to another meets first.
typedef enum way_kind { WAY_SIDE, WAY_POINT } way_kind;

typedef struct way {
    way_kind kind;
    uint32_t side;  ///< that it crosses, of the triangle at its beginning, or that it runs along
    uint32_t point;
} way;

/// The side from one point to another where there is one, or in whose triangle the way to it begins.
static bool look_from(const tact_planar* p, uint32_t side, uint32_t from, uint32_t to, way* found)
{
    const uint32_t a = p->corners[next(side)], b = p->corners[previous(side)];
    const int at_a = a == to ? 0 : turn(p, from, a, to), at_b = b == to ? 0 : turn(p, from, to, b);
    if (a == to || (at_a == 0 && at_b > 0)) {
        *found = (way){WAY_POINT, side, a};
    } else if (b == to || (at_b == 0 && at_a > 0)) {
        *found = (way){WAY_POINT, previous(side), b};
    } else if (at_a > 0 && at_b > 0) {
        *found = (way){WAY_SIDE, next(side), NONE};
    } else {
        return false;
    }
    return true;
}

static way look(const tact_planar* p, uint32_t from, uint32_t to)
{
    way found = {WAY_POINT, NONE, NONE};
    const uint32_t begin = p->side_of[from];
    uint32_t side = begin;
    do {
        if (look_from(p, side, from, to, &found)) return found;
        side = p->across[previous(side)];
    } while (side != NONE && side != begin);
    for (side = side == NONE ? p->across[begin] : NONE; side != NONE; side = p->across[side]) {
        side = next(side);
        if (look_from(p, side, from, to, &found)) return found;
    }
    TACT_ASSERT(found.side != NONE);
    return found;
}

static uint32_t find_side(const tact_planar* p, uint32_t from, uint32_t to)
{
    const way found = look(p, from, to);
    TACT_ASSERT(found.kind == WAY_POINT && found.point == to);
    return p->corners[found.side] == from ? found.side : p->across[found.side];
}

static tact_result enqueue(tact_planar* p, size_t* end, uint32_t from, uint32_t to)
{
    if (!tact_reserve(p->env, (void**)&p->queue, &p->queue_room, *end, *end + 1, sizeof *p->queue)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    p->queue[(*end)++] = (uint64_t)from << 32 | to;
    return TACT_OK;
}

/// Cuts a side that the segment with a name crosses there.
static tact_result cross(tact_planar* p, uint32_t side, uint32_t name, uint32_t* point)
{
    if (!p->cross) return tact_fail(p->env, TACT_ERROR_INVALID_ARGUMENT, "two sides that must be there cross");
    tact_result result = p->cross(p->user, p->fixed[side], name, point);
    if (result >= 0 && *point >= p->points) result = make_room(p, (size_t)*point + 1);
    if (result >= 0) split_side(p, side, *point);
    return result;
}

/// The sides between `from` and the first point on the way to `to`, which becomes `*to`. `side` is the first of them.
static tact_result find_crossed(tact_planar* p, uint32_t from, uint32_t* to, uint32_t side, uint32_t name, size_t* end)
{
    tact_result result = TACT_OK;
    *end = 0;
    for (;;) {
        if (p->fixed[side]) return cross(p, side, name, to);
        result = enqueue(p, end, p->corners[side], p->corners[next(side)]);
        if (result < 0) return result;
        const uint32_t other = p->across[side], point = p->corners[previous(other)];
        if (point == *to) return TACT_OK;
        const int at = turn(p, from, *to, point);
        if (at == 0) {
            *to = point;
            return TACT_OK;
        }
        side = at > 0 ? next(other) : previous(other);
    }
}

static void fix_side(tact_planar* p, uint32_t side, uint32_t name)
{
    p->fixed[side] = name;
    if (p->across[side] != NONE) p->fixed[p->across[side]] = name;
}

/// Turns diagonals until none crosses the way between two points, on which there is no other.
static tact_result clear_way(tact_planar* p, uint32_t from, uint32_t to, uint32_t name, size_t end)
{
    tact_result result = TACT_OK;
    size_t begin = 0, depth = 0;
    while (begin < end && result >= 0) {
        const uint32_t a = (uint32_t)(p->queue[begin] >> 32), b = (uint32_t)p->queue[begin];
        ++begin;
        const uint32_t side = find_side(p, a, b);
        if (!can_flip(p, side)) {
            result = enqueue(p, &end, a, b);
            continue;
        }
        const uint32_t c = p->corners[previous(side)], d = p->corners[previous(p->across[side])];
        flip(p, side);
        const bool ends = c == from || c == to || d == from || d == to;
        if (!ends && turn(p, from, to, c) * turn(p, from, to, d) < 0) {
            result = enqueue(p, &end, c, d);
        } else {
            result = push(p, &depth, find_side(p, c, d));
        }
    }
    if (result < 0) return result;
    fix_side(p, find_side(p, from, to), name);
    return improve(p, depth);
}

tact_result tact_planar_fix(tact_planar* p, uint32_t from, uint32_t to, uint32_t name)
{
    TACT_ASSERT(name);
    tact_result result = TACT_OK;
    while (from != to && result >= 0) {
        const way first = look(p, from, to);
        uint32_t point = first.point;
        if (first.kind == WAY_POINT) {
            fix_side(p, first.side, name);
        } else {
            size_t end;
            point = to;
            result = find_crossed(p, from, &point, first.side, name, &end);
            if (result >= 0) result = clear_way(p, from, point, name, end);
        }
        from = point;
    }
    return result;
}

uint32_t tact_planar_side(const tact_planar* p, uint32_t from, uint32_t to)
{
    const way first = look(p, from, to);
    TACT_ASSERT(first.kind == WAY_POINT);
    return p->corners[first.side] == from ? first.side : p->across[first.side];
}

bool tact_planar_sees(const tact_planar* p, uint32_t from, uint32_t to)
{
    const way first = look(p, from, to);
    if (first.kind == WAY_POINT) return first.point == to;
    uint32_t side = first.side;
    while (!p->fixed[side]) {
        const uint32_t other = p->across[side], point = p->corners[previous(other)];
        if (point == to) return true;
        const int at = turn(p, from, to, point);
        if (at == 0) return false;
        side = at > 0 ? next(other) : previous(other);
    }
    return false;
}
