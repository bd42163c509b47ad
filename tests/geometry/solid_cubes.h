// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Closed surfaces of random sets of unit cubes, whose inside is known: with holes, several parts, and edges and corners
// at which cubes only touch.

#include "tact/geometry/containment.h"
#include "tests/support/random.h"

enum { SIDE = 3, MOST_FACES = SIDE * SIDE * SIDE * 12 };

typedef struct cubes {
    bool full[SIDE][SIDE][SIDE];
    tact_vec3 vertices[64];
    uint32_t indices[3 * MOST_FACES];
    uint32_t count;
} cubes;

static inline bool cubes_full(const cubes* m, int x, int y, int z)
{
    return x >= 0 && y >= 0 && z >= 0 && x < SIDE && y < SIDE && z < SIDE && m->full[x][y][z];
}

/// Two triangles, counter-clockwise from outside, for the face of a cube towards +axis or -axis.
static inline void cubes_add_face(cubes* m, const int* cube, int axis, bool up)
{
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    uint32_t corner[4];
    for (int i = 0; i < 4; ++i) {
        int at[3] = {cube[0], cube[1], cube[2]};
        at[axis] += up;
        at[j] += i == 1 || i == 2;
        at[k] += i >= 2;
        corner[i] = (uint32_t)(at[0] + 4 * at[1] + 16 * at[2]);
    }
    static const int order[2][6] = {{0, 2, 1, 0, 3, 2}, {0, 1, 2, 0, 2, 3}};
    for (int i = 0; i < 6; ++i)
        m->indices[3 * m->count + (uint32_t)i] = corner[order[up][i]];
    m->count += 2;
}

static inline void cubes_build(cubes* m, test_random* r, float scale)
{
    m->count = 0;
    for (int i = 0; i < 64; ++i)
        m->vertices[i] = (tact_vec3){scale * (float)(i % 4), scale * (float)(i / 4 % 4), scale * (float)(i / 16)};
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i)
        m->full[i % 3][i / 3 % 3][i / 9] = test_random_below(r, 2) == 0;
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
        const int at[3] = {i % 3, i / 3 % 3, i / 9};
        if (!cubes_full(m, at[0], at[1], at[2])) continue;
        for (int f = 0; f < 6; ++f) {
            int next[3] = {at[0], at[1], at[2]};
            next[f / 2] += f % 2 ? 1 : -1;
            if (!cubes_full(m, next[0], next[1], next[2])) cubes_add_face(m, at, f / 2, f % 2);
        }
    }
}

/// At a point in halves: on the boundary when an exposed face contains it, else in or out with all cubes around it.
static inline tact_location cubes_expect(const cubes* m, const int* halves)
{
    bool any = false;
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
        const int at[3] = {i % 3, i / 3 % 3, i / 9};
        if (!cubes_full(m, at[0], at[1], at[2])) continue;
        bool in = true;
        for (int k = 0; k < 3; ++k)
            in = in && halves[k] >= 2 * at[k] && halves[k] <= 2 * at[k] + 2;
        if (!in) continue;
        any = true;
        for (int f = 0; f < 6; ++f) {
            int next[3] = {at[0], at[1], at[2]};
            next[f / 2] += f % 2 ? 1 : -1;
            const bool touches = halves[f / 2] == 2 * at[f / 2] + (f % 2 ? 2 : 0);
            if (touches && !cubes_full(m, next[0], next[1], next[2])) return TACT_POINT_ON_BOUNDARY;
        }
    }
    return any ? TACT_POINT_INSIDE : TACT_POINT_OUTSIDE;
}
