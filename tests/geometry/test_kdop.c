// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// k-DOPs and slabs against projections in 113-bit arithmetic, which holds them exactly.

#include <float.h>

#include "tests/support/run.h"

#include "tact/geometry/aabb.h"
#include "tact/geometry/kdop.h"
#include "tests/geometry/points.h"
#include "tests/geometry/wide.h"
#include "tests/support/hulls.h"

static const float bad[] = {NAN, INFINITY, -INFINITY};
static const uint32_t kinds[] = {6, 8, 12, 14, 18, 20, 26};
enum { KINDS = 7 };

static const tact_transform identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};

static void same_kdop(const tact_kdop* a, const tact_kdop* b)
{
    assert_int_equal(a->k, b->k);
    for (uint32_t i = 0; i < a->k / 2; ++i)
        assert_true(a->lower[i] == b->lower[i] && a->upper[i] == b->upper[i]);
}

static int axis_index(uint32_t k, float x, float y, float z)
{
    const tact_vec3* const n = tact_kdop_axes(k);
    for (uint32_t i = 0; i < k / 2; ++i)
        if (n[i].x == x && n[i].y == y && n[i].z == z) return (int)i;
    return -1;
}

TEST(axes_are_those_of_the_families)
{
    for (uint32_t k = 0; k < 40; ++k) {
        bool known = false;
        for (int i = 0; i < KINDS; ++i)
            known = known || kinds[i] == k;
        const tact_vec3* const n = tact_kdop_axes(k);
        assert_true((n != NULL) == known);
        const tact_kdop e = tact_kdop_empty(k);
        assert_true(tact_kdop_is_empty(&e) && e.k == (known ? k : 0));
        if (!known) continue;
        const bool face = k == 6 || k == 14 || k == 18 || k == 26, corner = k == 8 || k == 14 || k == 20 || k == 26,
                   edge = k == 12 || k == 18 || k == 20 || k == 26;
        for (uint32_t i = 0; i < k / 2; ++i) {
            const float nonzero = fabsf(n[i].x) + fabsf(n[i].y) + fabsf(n[i].z);
            assert_true((nonzero == 1 && face) || (nonzero == 2 && edge) || (nonzero == 3 && corner));
            assert_true(fabsf(n[i].x) <= 1 && fabsf(n[i].y) <= 1 && fabsf(n[i].z) <= 1);
            for (uint32_t j = 0; j < i; ++j) {
                const float cx = n[i].y * n[j].z - n[i].z * n[j].y, cy = n[i].z * n[j].x - n[i].x * n[j].z,
                            cz = n[i].x * n[j].y - n[i].y * n[j].x;
                assert_true(cx != 0 || cy != 0 || cz != 0);
            }
        }
    }
}

/// The triangle of RTCD figure 4.13: {1, 1, 4, -4, 5, 5, 9, 2}.
TEST(the_printed_figure)
{
    const tact_vec3 p[] = {{3, 1, 0}, {5, 4, 0}, {1, 5, 0}};
    const float expected[4][4] = {{1, 0, 1, 5}, {0, 1, 1, 5}, {1, 1, 4, 9}, {1, -1, -4, 2}};
    const tact_vec3 normals[4] = {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, -1, 0}};
    tact_slab slabs[4];
    tact_slabs_from_points(p, 3, 0, normals, 4, slabs);
    const uint32_t with[] = {18, 26};
    for (int w = 0; w < 2; ++w) {
        const tact_kdop d = tact_kdop_from_points(with[w], p, 3, 0);
        for (int i = 0; i < 4; ++i) {
            const int at = axis_index(with[w], expected[i][0], expected[i][1], 0);
            assert_true(at >= 0 && d.lower[at] == expected[i][2] && d.upper[at] == expected[i][3]);
            assert_true(slabs[i].lower == expected[i][2] && slabs[i].upper == expected[i][3]);
        }
        assert_true(tact_kdop_contains_point(&d, p[0]) && tact_kdop_contains_point(&d, (tact_vec3){3, 3, 0}));
        assert_false(tact_kdop_contains_point(&d, (tact_vec3){1, 1, 0}));  // in the box, cut off by x + y >= 4
    }
    assert_true(tact_slabs_contain_point(slabs, 4, p[1]));
    assert_false(tact_slabs_contain_point(slabs, 4, (tact_vec3){1, 1, 0}));
}

/// Projections 3, 2, 1: the printed code leaves the upper bounds at -FLT_MAX, and for a single point too.
TEST(falling_values_set_both_bounds)
{
    const tact_vec3 falling[] = {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}};
    for (int i = 0; i < KINDS; ++i) {
        const tact_kdop d = tact_kdop_from_points(kinds[i], falling, 3, 0),
                        one = tact_kdop_from_points(kinds[i], falling, 1, 0);
        const tact_vec3* const n = tact_kdop_axes(kinds[i]);
        for (uint32_t j = 0; j < kinds[i] / 2; ++j) {
            const float sum = n[j].x + n[j].y + n[j].z;
            assert_true(d.lower[j] == fminf(sum, 3 * sum) && d.upper[j] == fmaxf(sum, 3 * sum));
            assert_true(one.lower[j] == 3 * sum && one.upper[j] == 3 * sum);
        }
    }
}

/// Bounds are projections: moving adds axis . t to both. Were they the d of n . x + d = 0, it would be subtracted.
TEST(moving_adds_the_projection)
{
    const tact_vec3 p[] = {{1, 2, 3}, {0, -1, 5}}, q[] = {{11, 22, 33}, {10, 19, 35}};
    for (int i = 0; i < KINDS; ++i) {
        const tact_kdop a = tact_kdop_from_points(kinds[i], p, 2, 0), b = tact_kdop_from_points(kinds[i], q, 2, 0);
        const tact_kdop moved = tact_kdop_translate(&a, (tact_vec3){10, 20, 30});
        same_kdop(&moved, &b);
    }
}

TEST(a_bad_number_anywhere_means_no)
{
    const tact_vec3 two[] = {{-1, -1, -1}, {1, 1, 1}}, zero = {0, 0, 0};
    for (int i = 0; i < KINDS; ++i) {
        const uint32_t k = kinds[i];
        const tact_kdop good = tact_kdop_from_points(k, two, 2, 0), none = tact_kdop_empty(k);
        assert_true(tact_kdop_overlaps_kdop(&good, &good) && tact_kdop_contains_point(&good, zero));
        assert_false(tact_kdop_overlaps_kdop(&good, &none) || tact_kdop_contains_point(&none, zero));
        tact_kdop r = tact_kdop_union(&good, &none);
        same_kdop(&r, &good);
        r = tact_kdop_union(&none, &good);
        same_kdop(&r, &good);
        r = tact_kdop_union(&none, &none);
        same_kdop(&r, &none);
        r = tact_kdop_from_points(k, NULL, 0, 0);
        same_kdop(&r, &none);
        const tact_kdop other = tact_kdop_from_points(k == 6 ? 8 : 6, two, 2, 0);
        assert_false(tact_kdop_overlaps_kdop(&good, &other));
        r = tact_kdop_union(&good, &other);
        assert_true(tact_kdop_is_empty(&r));
        r = tact_kdop_from_sphere(k, (tact_sphere){zero, -1});
        assert_true(tact_kdop_is_empty(&r));
        r = tact_kdop_from_aabb(k, tact_aabb_empty());
        assert_true(tact_kdop_is_empty(&r));
        for (int which = 0; which < 3; ++which) {
            for (uint32_t j = 0; j < k; ++j) {
                tact_kdop d = good;
                *(j % 2 ? &d.upper[j / 2] : &d.lower[j / 2]) = bad[which];
                assert_false(tact_kdop_overlaps_kdop(&d, &good) || tact_kdop_overlaps_kdop(&good, &d));
                assert_false(tact_kdop_contains_point(&d, zero));
                r = tact_kdop_translate(&d, zero);
                assert_true(tact_kdop_is_empty(&r));
                if (which > 0) continue;
                r = tact_kdop_union(&d, &good);
                same_kdop(&r, &good);
                r = tact_kdop_union(&good, &d);
                same_kdop(&r, &good);
            }
            for (int j = 0; j < 4; ++j) {
                float f[4] = {0, 0, 0, 1};
                f[j] = bad[which];
                const tact_vec3 v = {f[0], f[1], f[2]};
                r = tact_kdop_from_sphere(k, (tact_sphere){v, f[3]});
                assert_true(tact_kdop_is_empty(&r));
                if (j == 3) continue;
                const tact_vec3 three[] = {two[0], v, two[1]};
                r = tact_kdop_from_points(k, three, 3, 0);
                assert_true(tact_kdop_is_empty(&r));
                r = tact_kdop_from_transformed_points(k, three, 3, 0, &identity);
                assert_true(tact_kdop_is_empty(&r));
                r = tact_kdop_from_aabb(k, (tact_aabb){v, two[1]});
                assert_true(tact_kdop_is_empty(&r));
                r = tact_kdop_translate(&good, v);
                assert_true(tact_kdop_is_empty(&r));
                assert_false(tact_kdop_contains_point(&good, v));
                const uint32_t first[2] = {0, 0};
                const tact_hull_graph lone = {&v, first, first, 1};
                uint32_t extreme[26] = {0};
                r = tact_kdop_climb(k, &lone, &identity, extreme);
                assert_true(tact_kdop_is_empty(&r));
            }
            for (int j = 0; j < 12; ++j) {
                tact_transform m = identity;
                *(j < 9 ? &m.m[j / 3][j % 3] : j == 9 ? &m.t.x : j == 10 ? &m.t.y : &m.t.z) = bad[which];
                r = tact_kdop_from_transformed_points(k, two, 2, 0, &m);
                assert_true(tact_kdop_is_empty(&r));
                const uint32_t first[2] = {0, 0};
                const tact_hull_graph lone = {two, first, first, 1};
                uint32_t extreme[26] = {7};
                r = tact_kdop_climb(k, &lone, &m, extreme);
                assert_true(tact_kdop_is_empty(&r) && extreme[0] == 7);
            }
        }
    }
    const tact_kdop strange = {.k = 7, .lower = {0}, .upper = {0}};
    assert_false(tact_kdop_overlaps_kdop(&strange, &strange) || tact_kdop_contains_point(&strange, zero));
    tact_kdop r = tact_kdop_translate(&strange, zero);
    assert_true(tact_kdop_is_empty(&r) && r.k == 0);
    r = tact_kdop_from_points(9, two, 2, 0);
    assert_true(tact_kdop_is_empty(&r) && r.k == 0);
}

TEST(bad_slabs_mean_no)
{
    const tact_vec3 two[] = {{-1, -1, -1}, {1, 1, 1}}, zero = {0, 0, 0};
    const tact_vec3 normals[] = {{1, 0, 0}, {0.5f, 2, -1}, {1, 1, 3}};
    tact_slab good[3], s[3];
    tact_slabs_from_points(two, 2, 0, normals, 3, good);
    assert_true(tact_slabs_overlap(good, good, 3) && tact_slabs_contain_point(good, 3, zero));
    assert_false(tact_slabs_overlap(good, good, 0) || tact_slabs_contain_point(good, 0, zero));
    for (int at = 0; at < 3; ++at) {
        for (int which = 0; which < 3; ++which) {
            for (int j = 0; j < 5; ++j) {
                memcpy(s, good, sizeof s);
                *(j == 0   ? &s[at].normal.x
                  : j == 1 ? &s[at].normal.y
                  : j == 2 ? &s[at].normal.z
                  : j == 3 ? &s[at].lower
                           : &s[at].upper) = bad[which];
                assert_false(tact_slabs_overlap(s, good, 3) || tact_slabs_overlap(good, s, 3));
                assert_false(tact_slabs_overlap(s, s, 3));
                assert_false(tact_slabs_contain_point(s, 3, zero));
            }
            tact_vec3 v = two[0];
            *(at == 0 ? &v.x : at == 1 ? &v.y : &v.z) = bad[which];
            assert_false(tact_slabs_contain_point(good, 3, v));
            const tact_vec3 three[] = {two[0], v, two[1]};
            tact_slabs_from_points(three, 3, 0, normals, 3, s);
            assert_true(s[0].lower > s[0].upper && s[2].lower > s[2].upper);
            tact_slabs_from_points(two, 2, 0, &v, 1, s);
            assert_true(s[0].lower > s[0].upper);
        }
        memcpy(s, good, sizeof s);
        s[at].normal.z += 1;
        assert_false(tact_slabs_overlap(s, good, 3));
        s[at].normal = zero;
        assert_false(tact_slabs_overlap(s, s, 3) || tact_slabs_contain_point(s, 3, zero));
    }
    tact_slabs_from_points(two, 0, 0, normals, 3, s);
    assert_true(s[1].lower > s[1].upper && s[1].normal.y == 2);
    tact_slabs_from_points(two, 2, 0, &zero, 1, s);
    assert_true(s[0].lower > s[0].upper);
}

TEST(points_may_lie_apart)
{
    const float data[] = {1, 2, 3, NAN, -4, 5, 6, NAN, 7, -8, 9};
    const tact_vec3 packed[] = {{1, 2, 3}, {-4, 5, 6}, {7, -8, 9}};
    const tact_vec3* p = (const tact_vec3*)(const void*)data;
    for (int i = 0; i < KINDS; ++i) {
        const tact_kdop a = tact_kdop_from_points(kinds[i], p, 3, 16),
                        b = tact_kdop_from_points(kinds[i], packed, 3, 0);
        const tact_kdop c = tact_kdop_from_transformed_points(kinds[i], p, 3, 16, &identity);
        same_kdop(&a, &b);
        same_kdop(&c, &b);
        tact_slab s[13], t[13];
        tact_slabs_from_points(p, 3, 16, tact_kdop_axes(kinds[i]), kinds[i] / 2, s);
        tact_slabs_from_points(packed, 3, 0, tact_kdop_axes(kinds[i]), kinds[i] / 2, t);
        for (uint32_t j = 0; j < kinds[i] / 2; ++j)
            assert_true(s[j].lower == b.lower[j] && t[j].upper == b.upper[j]);
    }
    const tact_vec3 corner[] = {{1, 2, 3}, {2, 4, 8}};
    const tact_aabb box = {corner[0], corner[1]};
    const tact_kdop six = tact_kdop_from_points(6, corner, 2, 0), from_box = tact_kdop_from_aabb(6, box);
    same_kdop(&six, &from_box);
}

TEST(any_bits_are_safe)
{
    test_random r = test_random_seeded(21);
    for (int i = 0; i < 100000; ++i) {
        const uint32_t k = kinds[i % KINDS];
        tact_kdop a = {.k = k}, b = {.k = k};
        for (int j = 0; j < TACT_KDOP_AXES_MAX; ++j) {
            a.lower[j] = test_random_any(&r);
            a.upper[j] = test_random_any(&r);
            b.lower[j] = test_random_any(&r);
            b.upper[j] = test_random_any(&r);
        }
        const tact_vec3 p[2] = {{test_random_any(&r), test_random_any(&r), test_random_any(&r)},
                                {test_random_any(&r), test_random_any(&r), test_random_any(&r)}};
        assert_true(tact_kdop_overlaps_kdop(&a, &b) == tact_kdop_overlaps_kdop(&b, &a));
        (void)tact_kdop_translate(&a, p[0]);
        (void)tact_kdop_contains_point(&a, p[0]);
        const tact_kdop d = tact_kdop_from_points(k, p, 2, 0);
        for (uint32_t j = 0; j < k / 2; ++j)
            assert_false(isnan(d.lower[j]) || isnan(d.upper[j]));
        bool all_finite = !tact_kdop_is_empty(&d);
        for (uint32_t j = 0; j < k / 2; ++j)
            all_finite = all_finite && isfinite(d.lower[j]) && isfinite(d.upper[j]);
        if (all_finite) assert_true(tact_kdop_contains_point(&d, p[0]) && tact_kdop_contains_point(&d, p[1]));
        tact_slab s[2];
        tact_slabs_from_points(p, 2, 0, p, 2, s);
        (void)tact_slabs_contain_point(s, 2, p[1]);
    }
}

/// A hull of the cube with grids on its faces, most of whose vertices are inside of flat faces, and globes.
static void pick_hull(test_hull* hull, int shape)
{
    if (shape == 0) test_hull_cube(hull, 1);
    if (shape == 1) test_hull_cube(hull, 6);
    if (shape == 2) test_hull_globe(hull, 9, 12, 1, 1, 1);
    if (shape == 3) test_hull_globe(hull, 7, 16, 1, 1e-3f, 1e3f);
}

static tact_transform random_transform(test_random* r, int i)
{
    tact_transform m;
    for (int row = 0; row < 3; ++row)
        for (int j = 0; j < 3; ++j)
            m.m[row][j] = i % 4 == 1 ? (float)test_random_below(r, 3) - 1 : test_random_signed(r);
    m.t = point(r, (uint32_t)i % 5);
    return m;
}

TEST(climbing_finds_the_tight_volume)
{
    static test_hull hull;
    test_random r = test_random_seeded(23);
    for (int shape = 0; shape < 4; ++shape) {
        pick_hull(&hull, shape);
        const tact_hull_graph g = test_hull_graph(&hull);
        for (int kind = 0; kind < KINDS; ++kind) {
            uint32_t extreme[26] = {UINT32_MAX};
            for (int i = 0; i < 150; ++i) {
                const tact_transform m = i % 20 == 0 ? identity : random_transform(&r, i);
                const tact_kdop got = tact_kdop_climb(kinds[kind], &g, &m, extreme);
                const tact_kdop all = tact_kdop_from_transformed_points(kinds[kind], g.vertex, g.count, 0, &m);
                // Equal but where two vertices are as high up to the rounding of doubles.
                double size = fabs((double)m.t.x) + fabs((double)m.t.y) + fabs((double)m.t.z);
                for (int v = 0; v < 9; ++v)
                    size = fmax(size, fabs((double)m.m[v / 3][v % 3]) * (shape == 3 ? 1e3 : 6));
                for (uint32_t j = 0; j < kinds[kind] / 2; ++j) {
                    if ((double)got.lower[j] - (double)nextafterf(all.lower[j], INFINITY) > 1e-14 * size ||
                        got.lower[j] < all.lower[j] || got.upper[j] > all.upper[j] ||
                        (double)nextafterf(all.upper[j], -INFINITY) - (double)got.upper[j] > 1e-14 * size) {
                        fail_msg("shape %d, k %u, case %d", shape, (unsigned)kinds[kind], i);
                    }
                }
                if (i % 20 == 0 || i % 4 == 1) continue;
                for (uint32_t j = 0; j < kinds[kind]; ++j)
                    assert_true(extreme[j] < g.count);
            }
            const tact_hull_graph none = {NULL, NULL, NULL, 0};
            const tact_kdop nothing = tact_kdop_climb(kinds[kind], &none, &identity, extreme);
            assert_true(tact_kdop_is_empty(&nothing));
        }
    }
}

#ifdef __SIZEOF_FLOAT128__

static wide project(tact_vec3 n, tact_vec3 p)
{
    return (wide)n.x * (wide)p.x + (wide)n.y * (wide)p.y + (wide)n.z * (wide)p.z;
}

static tact_vec3 image(const tact_transform* m, wide out[3], tact_vec3 p)
{
    const wide t[3] = {(wide)m->t.x, (wide)m->t.y, (wide)m->t.z};
    for (int i = 0; i < 3; ++i)
        out[i] = (wide)m->m[i][0] * (wide)p.x + (wide)m->m[i][1] * (wide)p.y + (wide)m->m[i][2] * (wide)p.z + t[i];
    return p;
}

static size_t random_points(test_random* r, uint32_t kind, tact_vec3* p)
{
    const size_t n = 1 + test_random_below(r, 4);
    for (size_t i = 0; i < n; ++i) {
        p[i] = point(r, kind % 5);
        if (i > 0 && test_random_below(r, 8) == 0) p[i].z = p[0].z;
    }
    return n;
}

TEST(bounds_are_exact_or_one_float_off)
{
    test_random r = test_random_seeded(31);
    for (uint32_t i = 0; i < 60000; ++i) {
        tact_vec3 p[8];
        const uint32_t k = kinds[i % KINDS];
        const size_t count = random_points(&r, i / 7, p);
        const tact_transform m = random_transform(&r, (int)i);
        const tact_vec3 by = point(&r, i % 5);
        const float radius = fabsf(number(&r, i % 5));
        const tact_kdop d = tact_kdop_from_points(k, p, count, 0), moved = tact_kdop_translate(&d, by),
                        turned = tact_kdop_from_transformed_points(k, p, count, 0, &m),
                        ball = tact_kdop_from_sphere(k, (tact_sphere){p[0], radius});
        tact_slab s[13];
        tact_vec3 normals[13];
        for (int j = 0; j < 13; ++j)
            normals[j] = point(&r, i % 4);
        tact_slabs_from_points(p, count, 0, normals, 13, s);
        const tact_vec3* const n = tact_kdop_axes(k);
        for (uint32_t j = 0; j < k / 2; ++j) {
            wide low = 0, high = 0, low2 = 0, high2 = 0, low3 = 0, high3 = 0;
            for (size_t q = 0; q < count; ++q) {
                wide to[3];
                image(&m, to, p[q]);
                const wide h = project(n[j], p[q]),
                           h2 = (wide)n[j].x * to[0] + (wide)n[j].y * to[1] + (wide)n[j].z * to[2],
                           h3 = project(normals[j], p[q]);
                low = q == 0 || h < low ? h : low;
                high = q == 0 || h > high ? h : high;
                low2 = q == 0 || h2 < low2 ? h2 : low2;
                high2 = q == 0 || h2 > high2 ? h2 : high2;
                low3 = q == 0 || h3 < low3 ? h3 : low3;
                high3 = q == 0 || h3 > high3 ? h3 : high3;
            }
            is_rounded_down(d.lower[j], low);
            is_rounded_down(-d.upper[j], -high);
            is_rounded_down(turned.lower[j], low2);
            is_rounded_down(-turned.upper[j], -high2);
            is_rounded_down(moved.lower[j], (wide)d.lower[j] + project(n[j], by));
            is_rounded_down(-moved.upper[j], -(wide)d.upper[j] - project(n[j], by));
            if (normals[j].x != 0 || normals[j].y != 0 || normals[j].z != 0) {
                is_rounded_down(s[j].lower, low3);
                is_rounded_down(-s[j].upper, -high3);
            }
            // |axis| r from both sides: the reach squared, less the square of the exact length times the radius.
            const wide square =
                (wide)(n[j].x * n[j].x + n[j].y * n[j].y + n[j].z * n[j].z) * (wide)radius * (wide)radius;
            const wide c = project(n[j], p[0]), up = (wide)ball.upper[j] - c, down = c - (wide)ball.lower[j];
            assert_true(up >= 0 && down >= 0 && up * up >= square && down * down >= square);
            const wide up2 = (wide)nextafterf(nextafterf(ball.upper[j], -INFINITY), -INFINITY) - c,
                       down2 = c - (wide)nextafterf(nextafterf(ball.lower[j], INFINITY), INFINITY);
            assert_true((up2 < 0 || up2 * up2 <= square) && (down2 < 0 || down2 * down2 <= square));
        }
    }
}

/// A million pairs: the answer is that of the gaps, a "no" separates the points, shared points always overlap.
TEST(overlap_is_right)
{
    test_random r = test_random_seeded(32);
    size_t yes = 0, apart = 0;
    for (uint32_t i = 0; i < 1000000; ++i) {
        tact_vec3 p[8], q[8];
        const uint32_t k = kinds[i % KINDS];
        const size_t np = random_points(&r, i / 7, p), nq = random_points(&r, i / 7, q);
        if (i % 11 == 0) q[0] = p[np - 1];
        const tact_kdop a = tact_kdop_from_points(k, p, np, 0), b = tact_kdop_from_points(k, q, nq, 0);
        bool gap = false;
        for (uint32_t j = 0; j < k / 2; ++j)
            gap = gap || (wide)a.lower[j] - (wide)b.upper[j] > 0 || (wide)b.lower[j] - (wide)a.upper[j] > 0;
        const bool got = tact_kdop_overlaps_kdop(&a, &b);
        if (got == gap || got != tact_kdop_overlaps_kdop(&b, &a)) fail_msg("case %u", (unsigned)i);
        if (i % 11 == 0) assert_true(got);
        yes += got;
        if (got || i % 8) continue;
        bool separated = false;
        const tact_vec3* const n = tact_kdop_axes(k);
        for (uint32_t j = 0; j < k / 2 && !separated; ++j) {
            wide top[2] = {0, 0}, bottom[2] = {0, 0};
            for (size_t c = 0; c < np + nq; ++c) {
                const int side = c >= np;
                const wide h = project(n[j], side ? q[c - np] : p[c]);
                if (c == 0 || c == np || h > top[side]) top[side] = h;
                if (c == 0 || c == np || h < bottom[side]) bottom[side] = h;
            }
            separated = top[0] < bottom[1] || top[1] < bottom[0];
        }
        assert_true(separated);
        ++apart;
    }
    assert_in_range(yes, 100000, 900000);
    assert_in_range(apart, 10000, 1000000);
}

TEST(containment_is_exact)
{
    test_random r = test_random_seeded(33);
    size_t yes[2] = {0};
    for (uint32_t i = 0; i < 1000000; ++i) {
        tact_vec3 p[8], normals[2];
        const uint32_t k = kinds[i % KINDS];
        const size_t count = random_points(&r, i / 7, p);
        // On a face, an edge or inside: between two of the points, or anywhere.
        tact_vec3 x = point(&r, i / 7 % 5);
        if (i % 3 == 0) x = p[count - 1];
        if (i % 3 == 1) {
            x = (tact_vec3){0.5f * (p[0].x + p[count - 1].x), 0.5f * (p[0].y + p[count - 1].y),
                            0.5f * (p[0].z + p[count - 1].z)};
        }
        const tact_kdop d = tact_kdop_from_points(k, p, count, 0);
        const tact_vec3* const n = tact_kdop_axes(k);
        bool in = true, in_slabs = true;
        for (uint32_t j = 0; j < k / 2; ++j) {
            const wide h = project(n[j], x);
            in = in && h >= (wide)d.lower[j] && h <= (wide)d.upper[j];
        }
        if (tact_kdop_contains_point(&d, x) != in) fail_msg("case %u", (unsigned)i);
        if (i % 3 == 0) assert_true(in);
        for (int j = 0; j < 2; ++j) {
            do {
                normals[j] = point(&r, i % 4);
            } while (normals[j].x == 0 && normals[j].y == 0 && normals[j].z == 0);
        }
        tact_slab s[2];
        tact_slabs_from_points(p, count, 0, normals, 2, s);
        for (int j = 0; j < 2; ++j) {
            const wide h = project(normals[j], x);
            in_slabs = in_slabs && h >= (wide)s[j].lower && h <= (wide)s[j].upper;
        }
        if (tact_slabs_contain_point(s, 2, x) != in_slabs) fail_msg("case %u", (unsigned)i);
        if (i % 3 == 0) assert_true(in_slabs);
        yes[0] += in;
        yes[1] += in_slabs;
    }
    assert_in_range(yes[0], 200000, 990000);
    assert_in_range(yes[1], 200000, 990000);
}

TEST(slabs_overlap_as_their_intervals)
{
    test_random r = test_random_seeded(34);
    size_t yes = 0;
    for (uint32_t i = 0; i < 1000000; ++i) {
        tact_slab a[3], b[3];
        bool gap = false;
        for (int j = 0; j < 3; ++j) {
            const tact_vec3 n = {1 + test_random_unit(&r), test_random_signed(&r), test_random_signed(&r)};
            const float f[4] = {number(&r, i % 5), number(&r, i % 5), number(&r, i % 5), number(&r, i % 5)};
            const bool swap = i % 13 == 0;
            a[j] = (tact_slab){n, swap ? f[0] : fminf(f[0], f[1]), swap ? f[1] : fmaxf(f[0], f[1])};
            b[j] = (tact_slab){n, fminf(f[2], f[3]), fmaxf(f[2], f[3])};
            const wide top = (wide)(a[j].upper < b[j].upper ? a[j].upper : b[j].upper),
                       bottom = (wide)(a[j].lower > b[j].lower ? a[j].lower : b[j].lower);
            gap = gap || top - bottom < 0;
        }
        const bool got = tact_slabs_overlap(a, b, 3);
        if (got == gap || got != tact_slabs_overlap(b, a, 3)) fail_msg("case %u", (unsigned)i);
        yes += got;
    }
    assert_in_range(yes, 100000, 900000);
}

/// The union holds what either holds and touches one of them everywhere, at all scales.
TEST(unions_are_tight)
{
    test_random r = test_random_seeded(35);
    for (uint32_t i = 0; i < 100000; ++i) {
        tact_vec3 p[16];
        const uint32_t k = kinds[i % KINDS];
        const size_t np = random_points(&r, i / 7, p), nq = random_points(&r, i / 7, p + np);
        const tact_kdop a = tact_kdop_from_points(k, p, np, 0), b = tact_kdop_from_points(k, p + np, nq, 0);
        const tact_kdop both = tact_kdop_from_points(k, p, np + nq, 0), u = tact_kdop_union(&a, &b),
                        v = tact_kdop_union(&b, &a);
        same_kdop(&u, &both);
        same_kdop(&v, &both);
        tact_vec3 scaled[16];
        for (size_t c = 0; c < np + nq; ++c)
            scaled[c] = (tact_vec3){0x1p20f * p[c].x, 0x1p20f * p[c].y, 0x1p20f * p[c].z};
        const tact_kdop large = tact_kdop_from_points(k, scaled, np + nq, 0);
        for (uint32_t j = 0; j < k / 2; ++j)
            assert_true(large.lower[j] == 0x1p20f * both.lower[j] && large.upper[j] == 0x1p20f * both.upper[j]);
    }
}

#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
