// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Boxes against spheres and triangles: the same bits from all forms, and answers that are exact.

#include <float.h>

#include "tests/support/run.h"

#include "tact/geometry/batch.h"
#include "tact/geometry/overlap.h"
#include "tact/geometry/triangle_triangle.h"
#include "tests/geometry/overlap_numbers.h"

/// All bits alike: the two scalar forms and the batch (D2: the early-out form is missing from its printed source).
TEST(sphere_and_box_forms_agree_to_the_bit)
{
    test_random r = test_random_seeded(21);
    int yes = 0;
    for (int i = 0; i < 1500000; ++i) {
        float f[10];
        draw(&r, "plb", i % WAYS, f);
        if (i % 3 == 1) f[3] = (float)sphere_aabb_gap(f);
        if (i % 7 == 2) {
            for (int k = 0; k < 10; ++k)
                f[k] = test_random_any(&r);
        }
        if (i % 5 == 3) {  // squares that are subnormal or zero
            for (int k = 0; k < 10; ++k)
                f[k] *= 1e-22f;
        }
        const bool got = sphere_aabb(f);
        const tact_batch_spheres s = {f, f + 1, f + 2, f + 3};
        const tact_batch_aabbs b = {{f + 4, f + 5, f + 6}, {f + 7, f + 8, f + 9}};
        uint32_t bits;
        if (sphere_aabb_early(f) != got || tact_batch_sphere_aabb_pairs(&s, &b, 1, &bits) != got) fail_msg("%d", i);
        yes += got;
    }
    assert_true(yes > 200000);
}

/// A triangle meets a box when a vertex is inside or it meets a face.
static bool meets_faces(const float* box, const tact_triangle* t)
{
    const tact_vec3 v[3] = {t->a, t->b, t->c};
    for (int k = 0; k < 3; ++k) {
        if (box[0] <= v[k].x && v[k].x <= box[3] && box[1] <= v[k].y && v[k].y <= box[4] && box[2] <= v[k].z &&
            v[k].z <= box[5]) {
            return true;
        }
    }
    for (int face = 0; face < 6; ++face) {
        const int i = face % 3, j = (i + 1) % 3, k = (i + 2) % 3;
        float p[4][3];
        for (int n = 0; n < 4; ++n) {
            p[n][i] = box[face < 3 ? i : i + 3];
            p[n][j] = box[n == 1 || n == 2 ? j + 3 : j];
            p[n][k] = box[n >= 2 ? k + 3 : k];
        }
        tact_triangle one, two;
        memcpy(&one, p, sizeof one);
        memcpy(p[1], p[0], sizeof p[0]);
        memcpy(&two, p + 1, sizeof two);
        if (tact_triangle_overlaps_triangle(&one, t) || tact_triangle_overlaps_triangle(&two, t)) return true;
    }
    return false;
}

static void draw_box_and_triangle(test_random* r, int i, float* f)
{
    draw(r, "bppp", i % WAYS, f);
    if (i / WAYS % 8 == 3) f[3] = f[0];                          // flat boxes
    if (i / WAYS % 8 == 4) memcpy(f + 9, f + 6, 3 * sizeof *f);  // triangles that are segments
    if (i / WAYS % 8 == 5) memcpy(f + 12, f + 6, 3 * sizeof *f);
    if (i / WAYS % 8 == 6) {  // a plane that touches a corner, nearly or exactly
        const float corner[3] = {f[0], f[4], f[5]};
        for (int k = 0; k < 3; ++k)
            f[6 + k] = 2.0f * corner[k] - 0.5f * (f[9 + k] + f[12 + k]);
    }
    if (i / WAYS % 8 == 7) f[8] = f[11] = f[14] = f[5];  // in a face's plane
}

TEST(box_and_triangle_are_decided_exactly)
{
    test_random r = test_random_seeded(12);
    int yes = 0, no = 0;
    for (int i = 0; i < 1000000; ++i) {
        float f[MOST] = {0};
        draw_box_and_triangle(&r, i, f);
        const tact_triangle t = triangle(f + 6);
        const bool got = aabb_triangle(f), expected = meets_faces(f, &t);
        if (got != expected) fail_msg("case %d: %d", i, got);
        yes += got;
        no += !got;
    }
    assert_true(yes > 100000 && no > 100000);
}

static bool box_meets(float lx, float ly, float lz, float hx, float hy, float hz, tact_triangle t)
{
    return tact_aabb_overlaps_triangle((tact_aabb){{lx, ly, lz}, {hx, hy, hz}}, &t);
}

/// Pairs that the printed code gets wrong (D10): one projection uses z twice; the plane through the moved vertices is
/// tested against the box that was not moved.
TEST(printed_box_triangle_errors_are_not_made)
{
    assert_true(box_meets(-2, -2, 0, 0, 0, 4, (tact_triangle){{-4, -3, -3}, {-4, 3, -4}, {0, -1, 0}}));
    assert_false(box_meets(0, 1, -1, 2, 3, 1, (tact_triangle){{3, 3, 0}, {2, 4, -3}, {2, 3, 4}}));
    assert_false(box_meets(-4, -3, -2, 0, -1, 0, (tact_triangle){{-4, 3, -1}, {-4, -2, 1}, {-4, 4, 0}}) !=
                 box_meets(-4, -3, -2, 0, -1, 0, (tact_triangle){{-4, 4, 0}, {-4, 3, -1}, {-4, -2, 1}}));
    assert_true(box_meets(9, -1, -1, 11, 1, 1, (tact_triangle){{10, -9, -9}, {10, 9, -9}, {10, 0, 9}}));
    assert_false(box_meets(9, -1, -1, 11, 1, 1, (tact_triangle){{0, -9, -9}, {0, 9, -9}, {0, 0, 9}}));
}

/// An edge along a box axis makes zero products, which separate nothing (5.2.1.1).
TEST(parallel_edges_do_not_separate)
{
    assert_true(box_meets(0, 0, 0, 1, 1, 1, (tact_triangle){{-1, 0.5f, 0.5f}, {2, 0.5f, 0.5f}, {2, 0.5f, 3}}));
    assert_true(box_meets(0, 0, 0, 1, 1, 1, (tact_triangle){{-1, 1, 1}, {2, 1, 1}, {2, 3, 1}}));
    assert_true(box_meets(0, 0, 0, 1, 1, 1, (tact_triangle){{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}));
    assert_false(box_meets(0, 0, 0, 1, 1, 1, (tact_triangle){{-1, 1, 1.001f}, {2, 1, 1.001f}, {2, 3, 1.001f}}));
    const tact_obb box = {{0.5f, 0.5f, 0.5f}, {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {0.5f, 0.5f, 0.5f}};
    const tact_triangle touch = {{-1, 1, 1}, {2, 1, 1}, {2, 3, 1}},
                        apart = {{-1, 1, 1.001f}, {2, 1, 1.001f}, {2, 3, 2}};
    assert_true(tact_obb_overlaps_triangle(&box, &touch));
    assert_false(tact_obb_overlaps_triangle(&box, &apart));
}

/// Boxes whose axes are coordinate axes must give the exact answers of the AABB.
TEST(turned_boxes_agree_with_the_aabb)
{
    test_random r = test_random_seeded(13);
    for (int i = 0; i < 300000; ++i) {
        float f[MOST] = {0}, g[MOST];
        draw(&r, "bppp", LATTICE, f);
        for (int k = 0; k < 3; ++k)
            g[k] = 0.5f * (f[k] + f[k + 3]);
        turned(&r, g + 3);
        for (int k = 0; k < 3; ++k) {
            const float* a = g + 3 + 3 * k;
            const int axis = a[0] != 0.0f ? 0 : a[1] != 0.0f ? 1 : 2;
            g[12 + k] = 0.5f * (f[axis + 3] - f[axis]);
        }
        memcpy(g + 15, f + 6, 9 * sizeof *f);
        if (obb_triangle(g) != aabb_triangle(f)) fail_msg("case %d", i);
    }
}

/// Corners of the box in the world and thirteen directions, in extended precision; the largest gap relative to what it
/// is the difference of.
static real widest_gap(const float* f)
{
    rvec p[11], direction[13];
    int n = 0;
    for (int c = 0; c < 8; ++c) {
        p[c] = at(f);
        for (int i = 0; i < 3; ++i)
            p[c] = along(p[c], (c >> i & 1 ? 1 : -1) * (real)f[12 + i], at(f + 3 + 3 * i));
    }
    for (int k = 0; k < 3; ++k)
        p[8 + k] = at(f + 15 + 3 * k);
    rvec edge[6];
    for (int k = 0; k < 3; ++k) {
        edge[k] = at(f + 3 + 3 * k);
        edge[3 + k] = minus(p[8 + (k + 1) % 3], p[8 + k]);
    }
    for (int i = 0; i < 4; ++i) {
        for (int j = i < 3 ? 3 : 4; j < (i < 3 ? 6 : 5); ++j) {
            const rvec a = edge[i], b = edge[j];
            direction[n++] = (rvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
        }
    }
    for (int i = 0; i < 3; ++i) {
        const rvec a = edge[(i + 1) % 3], b = edge[(i + 2) % 3];
        direction[n++] = (rvec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    }
    real widest = -1;
    for (int i = 0; i < n; ++i) {
        real low[2] = {HUGE_VALL, HUGE_VALL}, high[2] = {-HUGE_VALL, -HUGE_VALL};
        for (int k = 0; k < 11; ++k) {
            const real x = dot(direction[i], minus(p[k], p[0]));
            low[k >= 8] = fminl(low[k >= 8], x);
            high[k >= 8] = fmaxl(high[k >= 8], x);
        }
        const real size = length(direction[i]);
        if (size > 0) widest = fmaxl(widest, fmaxl(low[1] - high[0], low[0] - high[1]) / size);
    }
    return widest;
}

TEST(oriented_boxes_and_triangles_agree_with_extended_precision)
{
    test_random r = test_random_seeded(14);
    int yes = 0, no = 0;
    for (int i = 0; i < 150000; ++i) {
        float f[MOST] = {0};
        draw(&r, "pahppp", 1 + i % (WAYS - 1), f);
        if (i % 3 == 0) {  // an edge along the box
            for (int k = 0; k < 3; ++k)
                f[18 + k] = f[15 + k] + f[3 + k] * f[12];
        }
        const real gap = widest_gap(f), size = extent("pahppp", f);
        const bool got = obb_triangle(f);
        yes += got;
        no += !got;
        if (fabsl(gap) > 0x1p-44L * size && got != (gap <= 0)) fail_msg("case %d: %d, gap %g", i, got, (double)gap);
    }
    assert_true(yes > 20000 && no > 20000);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
