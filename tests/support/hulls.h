// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Convex polyhedra with their edges, for the tests of hill climbing: a cube whose faces are grids (most vertices lie
/// inside flat faces) and a globe.

#include "tact/geometry/hull_graph.h"

enum { TEST_HULL_MAX = 700, TEST_HULL_DEGREE = 16 };

typedef struct test_hull {
    tact_vec3 vertex[TEST_HULL_MAX];
    uint32_t first[TEST_HULL_MAX + 1], neighbour[TEST_HULL_MAX * TEST_HULL_DEGREE];
    uint32_t count, degree[TEST_HULL_MAX], near[TEST_HULL_MAX][TEST_HULL_DEGREE];
} test_hull;

static inline uint32_t test_hull_vertex(test_hull* h, float x, float y, float z)
{
    for (uint32_t i = 0; i < h->count; ++i) {
        if (h->vertex[i].x == x && h->vertex[i].y == y && h->vertex[i].z == z) return i;
    }
    h->vertex[h->count] = (tact_vec3){x, y, z};
    h->degree[h->count] = 0;
    return h->count++;
}

static inline void test_hull_link_one(test_hull* h, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < h->degree[a]; ++i) {
        if (h->near[a][i] == b) return;
    }
    h->near[a][h->degree[a]++] = b;
}

static inline void test_hull_link(test_hull* h, uint32_t a, uint32_t b)
{
    test_hull_link_one(h, a, b);
    test_hull_link_one(h, b, a);
}

static inline tact_hull_graph test_hull_graph(test_hull* h)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < h->count; ++i) {
        h->first[i] = at;
        for (uint32_t k = 0; k < h->degree[i]; ++k)
            h->neighbour[at++] = h->near[i][k];
    }
    h->first[h->count] = at;
    return (tact_hull_graph){h->vertex, h->first, h->neighbour, h->count};
}

/// The cube [-n, n]^3 with a vertex at every second lattice point of its surface, and only the grid lines as edges.
static inline void test_hull_cube(test_hull* h, int n)
{
    h->count = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (int side = -n; side <= n; side += 2 * n) {
            for (int i = -n; i <= n; i += 2) {
                uint32_t before[2] = {UINT32_MAX, UINT32_MAX};
                for (int j = -n; j <= n; j += 2) {
                    for (int turn = 0; turn < 2; ++turn) {
                        float p[3];
                        p[axis] = (float)side;
                        p[(axis + 1) % 3] = (float)(turn ? j : i);
                        p[(axis + 2) % 3] = (float)(turn ? i : j);
                        const uint32_t v = test_hull_vertex(h, p[0], p[1], p[2]);
                        if (before[turn] != UINT32_MAX) test_hull_link(h, before[turn], v);
                        before[turn] = v;
                    }
                }
            }
        }
    }
}

/// A globe of `rings` rings of `spokes` vertices, its poles included as points; spokes <= TEST_HULL_DEGREE.
static inline void test_hull_globe(test_hull* h, int rings, int spokes, float rx, float ry, float rz)
{
    h->count = 0;
    const uint32_t south = test_hull_vertex(h, 0, 0, -rz), north = test_hull_vertex(h, 0, 0, rz);
    const float pi = 3.14159265f;
    for (int i = 0; i < rings; ++i) {
        const float latitude = pi * ((float)(i + 1) / (float)(rings + 1) - 0.5f);
        for (int j = 0; j < spokes; ++j) {
            const float longitude = 2 * pi * (float)j / (float)spokes;
            const uint32_t v = h->count++;
            h->vertex[v] = (tact_vec3){rx * cosf(latitude) * cosf(longitude), ry * cosf(latitude) * sinf(longitude),
                                       rz * sinf(latitude)};
            h->degree[v] = 0;
            if (j > 0) test_hull_link(h, v, v - 1);
            if (j == spokes - 1) test_hull_link(h, v, v - (uint32_t)j);
            test_hull_link(h, v, i == 0 ? south : v - (uint32_t)spokes);
            if (i == rings - 1) test_hull_link(h, v, north);
        }
    }
}
