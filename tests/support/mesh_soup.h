// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Small random meshes of all sorts, and poses, for tests of overlap.

#include "tests/support/random.h"

enum { MOST_TRIANGLES = 600 };

typedef struct soup {
    float positions[9 * MOST_TRIANGLES];
    uint32_t indices[3 * MOST_TRIANGLES];
    size_t vertices, triangles;
} soup;

typedef enum soup_kind { SMOOTH, LATTICE, BROKEN, TINY, HUGE_ONES, NEEDLES, SOUP_KINDS } soup_kind;

static inline float coordinate(test_random* r, soup_kind kind)
{
    switch (kind) {
        case LATTICE:
            return (float)((int)test_random_below(r, 5) - 2);
        case BROKEN:
            return test_random_below(r, 40) == 0 ? test_random_any(r) : test_random_signed(r);
        case TINY:
            return test_random_signed(r) * 1e-38f;
        case HUGE_ONES:
            return test_random_signed(r) * 0x1p59f;
        default:
            return test_random_signed(r);
    }
}

/// Vertices about a few places, triangles of neighbours among them; some of two corners or of one.
static inline void fill_soup(test_random* r, soup_kind kind, size_t triangles, soup* s)
{
    s->vertices = 3 + triangles * (kind == LATTICE ? 1 : 3) / 2;
    s->triangles = triangles;
    float centre[3] = {0};
    const float spread = kind == LATTICE ? 1.0f : 0.2f;
    for (size_t v = 0; v < s->vertices; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            if (v % 4 == 0) centre[k] = coordinate(r, kind);
            const float c = kind == LATTICE ? coordinate(r, kind) : centre[k] + spread * coordinate(r, kind);
            s->positions[3 * v + k] = kind == NEEDLES && k > 0 ? centre[k] + 1e-4f * coordinate(r, kind) : c;
        }
    }
    for (size_t i = 0; i < triangles; ++i) {
        const uint32_t first = test_random_below(r, (uint32_t)s->vertices);
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t step = kind == LATTICE ? test_random_below(r, (uint32_t)s->vertices) : (uint32_t)k;
            s->indices[3 * i + k] = (first + step) % (uint32_t)s->vertices;
        }
        if (test_random_below(r, 25) == 0) s->indices[3 * i] = s->indices[3 * i + 1];
        if (test_random_below(r, 60) == 0) s->indices[3 * i + 2] = s->indices[3 * i + 1];
    }
}

/// Turned, stretched, mirrored, flattened, shifted.
static inline void random_pose(test_random* r, soup_kind kind, float m[12])
{
    const uint32_t way = test_random_below(r, 8);
    const float unit = kind == HUGE_ONES ? 0x1p59f : kind == TINY ? 1e-38f : 1.0f;
    for (int i = 0; i < 12; ++i)
        m[i] = i % 4 == 3 ? unit * test_random_signed(r) : test_random_signed(r);
    if (way < 3 || kind == LATTICE) {  // a quarter turn, and steps of the lattice
        static const float turn[12] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0},
                           still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        const float* from = way == 0 ? turn : still;
        for (int i = 0; i < 12; ++i)
            m[i] = i % 4 == 3 ? unit * (float)((int)test_random_below(r, 5) - 2) * (kind == LATTICE ? 1.0f : 0.5f)
                              : from[i];
    }
    if (way == 3) m[4] = m[5] = m[6] = 0;
    if (way == 4 && kind != LATTICE) {
        for (int i = 0; i < 12; ++i)
            m[i] *= test_random_below(r, 2) ? 1e-20f : 1e25f;
    }
    if (way == 5) memset(m, 0, 12 * sizeof *m);
    for (int i = 0; i < 12; ++i)
        m[i] = isfinite(m[i]) ? m[i] : 3e38f;
}

/// A turn, times `size`; the shift stays as it is.
static inline void random_turn(test_random* r, float size, float m[12])
{
    float q[4], norm = 0;
    for (int k = 0; k < 4; ++k) {
        q[k] = test_random_signed(r);
        norm += q[k] * q[k];
    }
    const float s = norm > 0 ? 2 / norm : 0, w = q[0], x = q[1], y = q[2], z = q[3];
    const float rows[9] = {1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
                           s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
                           s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
    for (int i = 0; i < 9; ++i)
        m[4 * (i / 3) + i % 3] = size * rows[i];
}
