// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Closed meshes of any number of triangles, concave ones too, for tests of solids. Include after run.h.

#include "tact/geometry/bsp.h"
#include "tests/support/random.h"

typedef struct solid {
    tact_vec3* positions;
    uint32_t* indices;
    size_t vertices, triangles;
} solid;

static inline tact_mesh_view solid_view(const solid* s)
{
    return (tact_mesh_view){s->positions, s->vertices, s->indices, s->triangles};
}

static inline tact_vec3 mean3(tact_vec3 a, tact_vec3 b, float at)
{
    return (tact_vec3){a.x + at * (b.x - a.x), a.y + at * (b.y - a.y), a.z + at * (b.z - a.z)};
}

/// A ball of about `triangles` triangles, with bumps of random height up to `rough` of the radius.
static inline solid solid_ball(test_random* r, size_t triangles, float rough, tact_vec3 at, float radius)
{
    const size_t rings = (size_t)sqrt((double)triangles / 4.0) + 2, spokes = 2 * rings;
    solid s = {scratch((rings * spokes + 2) * sizeof(tact_vec3)), scratch(6 * rings * spokes * sizeof(uint32_t)), 0, 0};
    for (size_t i = 0; i <= rings; ++i) {
        for (size_t k = 0; k < (i == 0 || i == rings ? 1 : spokes); ++k) {
            const double a = 3.14159265358979 * (double)i / (double)rings;
            const double b = 6.28318530717959 * ((double)k + 0.3 * (double)(i % 2)) / (double)spokes;
            const double size = (double)radius * (1.0 + (double)(rough * test_random_signed(r)));
            s.positions[s.vertices++] =
                (tact_vec3){at.x + (float)(size * sin(a) * cos(b)), at.y + (float)(size * sin(a) * sin(b)),
                            at.z + (float)(size * cos(a))};
        }
    }
    for (size_t i = 0; i < rings; ++i) {
        for (size_t k = 0; k < spokes; ++k) {
            const size_t l = (k + 1) % spokes, low = 1 + (i - 1) * spokes, high = 1 + i * spokes;
            const uint32_t a = (uint32_t)(i == 0 ? 0 : low + k), b = (uint32_t)(i + 1 == rings ? high : high + k);
            const uint32_t c = (uint32_t)(i + 1 == rings ? high : high + l), d = (uint32_t)(i == 0 ? 0 : low + l);
            if (b != c) memcpy(&s.indices[3 * s.triangles++], (uint32_t[]){a, b, c}, 12);
            if (a != d) memcpy(&s.indices[3 * s.triangles++], (uint32_t[]){a, c, d}, 12);
        }
    }
    return s;
}

/// A box from its least and greatest corner.
static inline solid solid_box(tact_vec3 low, tact_vec3 high)
{
    static const uint32_t numbers[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                         2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    solid s = {scratch(8 * sizeof(tact_vec3)), scratch(sizeof numbers), 8, 12};
    for (int i = 0; i < 8; ++i)
        s.positions[i] = (tact_vec3){i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z};
    memcpy(s.indices, numbers, sizeof numbers);
    return s;
}

/// A ring about the z axis.
static inline solid solid_torus(uint32_t around, uint32_t tube, float wide, float thin)
{
    solid s = {scratch((size_t)around * tube * sizeof(tact_vec3)),
               scratch((size_t)around * tube * 6 * sizeof(uint32_t)), 0, 0};
    for (uint32_t i = 0; i < around; ++i) {
        for (uint32_t k = 0; k < tube; ++k) {
            const double a = 6.28318530717959 * i / around, b = 6.28318530717959 * k / tube;
            const double out = (double)wide + (double)thin * cos(b);
            s.positions[s.vertices++] =
                (tact_vec3){(float)(out * cos(a)), (float)(out * sin(a)), (float)((double)thin * sin(b))};
            const uint32_t j = (i + 1) % around, l = (k + 1) % tube;
            const uint32_t at[4] = {i * tube + k, j * tube + k, j * tube + l, i * tube + l};
            memcpy(&s.indices[3 * s.triangles++], (uint32_t[]){at[0], at[1], at[2]}, 12);
            memcpy(&s.indices[3 * s.triangles++], (uint32_t[]){at[0], at[2], at[3]}, 12);
        }
    }
    return s;
}

static inline void free_tree(void* tree)
{
    tact_bsp_free(tree);
}

/// A tree until the test ends.
static inline tact_bsp* solid_tree(const solid* s, const tact_bsp_settings* settings)
{
    tact_bsp* tree = scratch(sizeof *tree);
    const tact_mesh_view view = solid_view(s);
    if (tact_bsp_make(&view, settings, NULL, tree) != TACT_OK) fail_msg("%s", tact_last_error());
    at_end(free_tree, tree);
    return tree;
}
