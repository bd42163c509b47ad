// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Polygons whose vertices are points of a grid, and facts about them in whole numbers.

#include <stdint.h>
#include <string.h>

#include "tact/geometry/polygon.h"
#include "tests/support/random.h"

enum { MOST_CORNERS = 1200 };

typedef struct grid_polygon {
    int64_t x[MOST_CORNERS], y[MOST_CORNERS];
    size_t count;
    tact_vec2 vertices[MOST_CORNERS];  // the same, as polygon_view() has made them
} grid_polygon;

static inline tact_polygon_view polygon_view(grid_polygon* p)
{
    for (size_t i = 0; i < p->count; ++i)
        p->vertices[i] = (tact_vec2){(float)p->x[i], (float)p->y[i]};
    return (tact_polygon_view){.vertices = p->vertices, .vertex_count = p->count};
}

/// Twice the signed area of three vertices.
static inline int64_t grid_turn(const grid_polygon* p, size_t a, size_t b, size_t c)
{
    return (p->x[b] - p->x[a]) * (p->y[c] - p->y[a]) - (p->y[b] - p->y[a]) * (p->x[c] - p->x[a]);
}

static inline int grid_sign(int64_t x)
{
    return (x > 0) - (x < 0);
}

/// Twice the signed area of all.
static inline int64_t grid_area(const grid_polygon* p)
{
    int64_t sum = 0;
    for (size_t i = 0; i < p->count; ++i) {
        const size_t k = (i + 1) % p->count;
        sum += p->x[i] * p->y[k] - p->x[k] * p->y[i];
    }
    return sum;
}

/// Vertex c, which is on the line of a and b, is between them or at one.
static inline bool grid_between(const grid_polygon* p, size_t a, size_t b, size_t c)
{
    const int64_t dot = (p->x[a] - p->x[c]) * (p->x[b] - p->x[c]) + (p->y[a] - p->y[c]) * (p->y[b] - p->y[c]);
    return dot <= 0;
}

/// The segments a b and c d have a point in common.
static inline bool grid_meet(const grid_polygon* p, size_t a, size_t b, size_t c, size_t d)
{
    const int u = grid_sign(grid_turn(p, a, b, c)), v = grid_sign(grid_turn(p, a, b, d));
    const int w = grid_sign(grid_turn(p, c, d, a)), z = grid_sign(grid_turn(p, c, d, b));
    if (u * v < 0 && w * z < 0) return true;
    return (u == 0 && grid_between(p, a, b, c)) || (v == 0 && grid_between(p, a, b, d)) ||
           (w == 0 && grid_between(p, c, d, a)) || (z == 0 && grid_between(p, c, d, b));
}

/// An edge has nothing in common with the others but its ends with its neighbours.
static inline bool grid_edge_simple(const grid_polygon* p, size_t i)
{
    const size_t n = p->count, k = (i + 1) % n;
    if (p->x[i] == p->x[k] && p->y[i] == p->y[k]) return false;
    for (size_t e = 0; e < n; ++e) {
        const size_t f = (e + 1) % n;
        if (e == i) continue;
        if (f == i || e == k) {
            const size_t common = f == i ? i : k, mine = f == i ? k : i, other = f == i ? e : f;
            if (grid_turn(p, common, mine, other) == 0 && !grid_between(p, mine, other, common)) return false;
        } else if (grid_meet(p, i, k, e, f)) {
            return false;
        }
    }
    return true;
}

/// A simple polygon: a triangle, and vertices put into its edges at random. False if it did not get that large.
static inline bool grid_grow(grid_polygon* p, test_random* r, size_t count, uint32_t side)
{
    p->count = 3;
    do {
        for (size_t i = 0; i < 3; ++i) {
            p->x[i] = test_random_below(r, side);
            p->y[i] = test_random_below(r, side);
        }
    } while (grid_turn(p, 0, 1, 2) == 0);
    for (size_t tries = 0; p->count < count && tries < 400 * count; ++tries) {
        const size_t at = 1 + test_random_below(r, (uint32_t)p->count), rest = p->count - at;
        memmove(p->x + at + 1, p->x + at, rest * sizeof *p->x);
        memmove(p->y + at + 1, p->y + at, rest * sizeof *p->y);
        p->x[at] = test_random_below(r, side);
        p->y[at] = test_random_below(r, side);
        ++p->count;
        if (grid_edge_simple(p, at - 1) && grid_edge_simple(p, at)) continue;
        memmove(p->x + at, p->x + at + 1, rest * sizeof *p->x);
        memmove(p->y + at, p->y + at + 1, rest * sizeof *p->y);
        --p->count;
    }
    return p->count == count;
}

static inline void grid_turn_round(grid_polygon* p)
{
    for (size_t i = 0, k = p->count - 1; i < k; ++i, --k) {
        const int64_t x = p->x[i], y = p->y[i];
        p->x[i] = p->x[k];
        p->y[i] = p->y[k];
        p->x[k] = x;
        p->y[k] = y;
    }
}
