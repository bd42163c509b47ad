// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Boxes against exact arithmetic: every function is either exact or rounds outward by less than two units in the last
// place, and both are checked with 113-bit numbers that hold the exact answers.

#include <float.h>

#include "tests/support/run.h"

#include "tact/geometry/aabb.h"
#include "tests/geometry/wide.h"
#include "tests/support/hulls.h"
#include "tests/support/random.h"

static float get(tact_vec3 v, int k)
{
    return k == 0 ? v.x : k == 1 ? v.y : v.z;
}

static void set(tact_vec3* v, int k, float x)
{
    *(k == 0 ? &v->x : k == 1 ? &v->y : &v->z) = x;
}

static tact_aabb box(float ax, float ay, float az, float bx, float by, float bz)
{
    return (tact_aabb){{ax, ay, az}, {bx, by, bz}};
}

/// Numbers that touch often (kind 0), of any size up to 2^20 (kind 1), at scales 1e-6 and 1e6 (2, 3), far out (4).
static float number(test_random* r, uint32_t kind)
{
    const float x = test_random_signed(r);
    if (kind == 0) return (float)test_random_below(r, 5) - 2.0f;
    if (kind == 1) return ldexpf(x, (int)test_random_below(r, 40) - 20);
    if (kind == 2) return 1e-6f * x;
    if (kind == 3) return 1e6f * x;
    return 1e6f + floorf(4 * x) * 0.0625f;
}

static tact_vec3 point(test_random* r, uint32_t kind)
{
    const float x = number(r, kind), y = number(r, kind), z = number(r, kind);
    return (tact_vec3){x, y, z};
}

static tact_aabb random_box(test_random* r, uint32_t kind)
{
    tact_vec3 p[2] = {point(r, kind), point(r, kind)};
    tact_aabb b = tact_aabb_from_points(p, 2, 0);
    if (test_random_below(r, 20) == 0) b = (tact_aabb){p[0], p[1]};  // often empty
    if (test_random_below(r, 10) == 0) b.upper.x = b.lower.x;        // flat
    return b;
}

static tact_transform random_transform(test_random* r, uint32_t kind)
{
    tact_transform m;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            m.m[i][j] = kind == 0 ? (float)((int)test_random_below(r, 3) - 1) : test_random_signed(r);
    }
    m.t = point(r, kind);
    return m;
}

static void same_box(tact_aabb a, tact_aabb b)
{
    for (int k = 0; k < 3; ++k)
        assert_true(get(a.lower, k) == get(b.lower, k) && get(a.upper, k) == get(b.upper, k));
}

TEST(known_boxes)
{
    const tact_aabb unit = box(0, 0, 0, 1, 1, 1);
    assert_true(tact_aabb_overlaps_aabb(unit, box(1, 1, 1, 2, 2, 2)));  // a corner
    assert_false(tact_aabb_overlaps_aabb(unit, box(nextafterf(1, 2), 0, 0, 2, 1, 1)));
    assert_true(tact_aabb_overlaps_aabb(unit, box(0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f)));
    assert_true(tact_aabb_overlaps_aabb(unit, box(-INFINITY, -INFINITY, 1, INFINITY, INFINITY, INFINITY)));
    assert_false(tact_aabb_overlaps_aabb(unit, box(2, 0, 0, -1, 1, 1)));  // empty though all four bounds interleave
    assert_false(tact_aabb_overlaps_aabb(unit, tact_aabb_empty()));
    assert_true(tact_aabb_is_empty(tact_aabb_empty()));
    assert_true(tact_aabb_volume(box(1, 2, 3, 2, 4, 6)) == 6.0f);
    assert_true(tact_aabb_surface_area(box(1, 2, 3, 2, 4, 6)) == 22.0f);
    assert_true(tact_aabb_volume(tact_aabb_empty()) == 0.0f && tact_aabb_surface_area(tact_aabb_empty()) == 0.0f);
    assert_true(tact_aabb_volume(box(-INFINITY, 0, 0, INFINITY, 0, 1)) == 0.0f);
    assert_true(tact_aabb_surface_area(box(-INFINITY, 0, 0, INFINITY, 0, 1)) == INFINITY);
    assert_true(tact_aabb_volume(box(INFINITY, 0, 0, INFINITY, 1, 1)) == 0.0f);
    same_box(tact_aabb_expand(unit, 2), box(-2, -2, -2, 3, 3, 3));
    assert_true(tact_aabb_is_empty(tact_aabb_expand(unit, -1)));
    same_box(tact_aabb_expand(unit, -0.5f), box(0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f));
    same_box(tact_aabb_translate(unit, (tact_vec3){1, 2, 3}), box(1, 2, 3, 2, 3, 4));
    same_box(tact_aabb_translate(box(0, 0, 0, INFINITY, 1, 1), (tact_vec3){1, 2, 3}), box(1, 2, 3, INFINITY, 3, 4));
    same_box(tact_aabb_from_sphere((tact_sphere){{1, 2, 3}, 1}), box(0, 1, 2, 2, 3, 4));
    assert_true(tact_aabb_is_empty(tact_aabb_from_sphere((tact_sphere){{1, 2, 3}, -1})));
    assert_true(tact_aabb_is_empty(tact_aabb_from_points(NULL, 0, 0)));
    same_box(tact_aabb_include_point(tact_aabb_empty(), (tact_vec3){1, 2, 3}), box(1, 2, 3, 1, 2, 3));
    same_box(tact_aabb_include_point(unit, (tact_vec3){0.5f, NAN, 0}), unit);
    same_box(tact_aabb_union(unit, box(5, 0, 0, 1, 1, 1)), unit);
    same_box(tact_aabb_intersection(unit, box(2, 0, 0, 3, 1, 1)), tact_aabb_empty());
    assert_true(tact_aabb_contains_aabb(unit, unit));
    assert_false(tact_aabb_contains_aabb(unit, tact_aabb_empty()));
    const tact_aabb_center c = tact_aabb_to_center(box(-1, 0, 1, 3, 4, 7));
    assert_true(c.center.x == 1 && c.center.z == 4 && c.half.x == 2 && c.half.z == 3);
    const tact_aabb_widths w = tact_aabb_to_widths(box(-1, 0, 1, 3, 4, 7));
    assert_true(w.lower.z == 1 && w.width.z == 6);
    assert_true(tact_aabb_to_widths(box(-FLT_MAX, 0, 0, FLT_MAX, 1, 1)).width.x < 0);
    assert_true(tact_aabb_to_center(box(-INFINITY, 0, 0, 0, 1, 1)).half.x < 0);
    same_box(tact_aabb_from_center(tact_aabb_to_center(box(-FLT_MAX, 0, 0, FLT_MAX, 1, 1))),
             box(-FLT_MAX, 0, 0, FLT_MAX, 1, 1));
}

TEST(a_bad_number_anywhere_means_no)
{
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int which = 0; which < 3; ++which) {
        for (int k = 0; k < 6; ++k) {
            float f[6] = {0, 0, 0, 1, 1, 1};
            f[k] = bad[which];
            const tact_vec3 p = {f[0], f[1], f[2]}, q = {f[3], f[4], f[5]};
            const tact_aabb b = {p, q}, unit = box(0, 0, 0, 1, 1, 1);
            const tact_aabb_widths w = {p, q}, uw = {{0, 0, 0}, {1, 1, 1}};
            const tact_aabb_center c = {p, q}, uc = {{0, 0, 0}, {1, 1, 1}};
            assert_false(tact_aabb_widths_overlap(w, uw) || tact_aabb_widths_overlap(uw, w));
            assert_false(tact_aabb_center_overlap(c, uc) || tact_aabb_center_overlap(uc, c));
            assert_true(tact_aabb_is_empty(tact_aabb_from_widths(w)) && tact_aabb_is_empty(tact_aabb_from_center(c)));
            assert_true(tact_aabb_to_widths(b).width.x < 0 && tact_aabb_to_center(b).half.x < 0);
            const tact_vec3 points[2] = {p, q};
            assert_true(tact_aabb_is_empty(tact_aabb_from_points(points, 2, 0)));
            size_t i = 7, j = 7;
            assert_false(tact_extreme_points(points, 2, 0, (tact_vec3){1, 0, 0}, &i, &j));
            const tact_transform identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
            assert_true(tact_aabb_is_empty(tact_aabb_from_transformed_points(points, 2, 0, &identity)));
            assert_true(tact_aabb_is_empty(tact_aabb_transform(b, &identity)));
            assert_true(tact_aabb_center_transform(c, &identity).half.x < 0);
            if (which == 0) {
                assert_true(tact_aabb_is_empty(b));
                assert_false(tact_aabb_overlaps_aabb(b, unit) || tact_aabb_overlaps_aabb(unit, b));
                assert_false(tact_aabb_contains_point(b, (tact_vec3){0.5f, 0.5f, 0.5f}));
                assert_false(tact_aabb_contains_aabb(b, unit) || tact_aabb_contains_aabb(unit, b));
                same_box(tact_aabb_union(b, unit), unit);
                same_box(tact_aabb_union(unit, b), unit);
                assert_true(tact_aabb_is_empty(tact_aabb_intersection(b, unit)));
                assert_true(tact_aabb_volume(b) == 0 && tact_aabb_surface_area(b) == 0);
            }
        }
        for (int k = 0; k < 12; ++k) {
            tact_transform m = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
            float* f = k < 9 ? &m.m[k / 3][k % 3] : k == 9 ? &m.t.x : k == 10 ? &m.t.y : &m.t.z;
            *f = bad[which];
            const tact_vec3 p = {0, 0, 0};
            const uint32_t first[2] = {0, 0};
            const tact_hull_graph g = {&p, first, first, 1};
            uint32_t extreme[6] = {0};
            assert_true(tact_aabb_is_empty(tact_aabb_climb(&g, &m, extreme)));
            assert_true(tact_aabb_is_empty(tact_aabb_transform(box(0, 0, 0, 1, 1, 1), &m)));
            assert_true(tact_aabb_is_empty(tact_aabb_from_transformed_points(&p, 1, 0, &m)));
            assert_true(tact_aabb_center_transform((tact_aabb_center){{0, 0, 0}, {1, 1, 1}}, &m).half.x < 0);
        }
        for (int k = 0; k < 4; ++k) {
            float f[4] = {0, 0, 0, 1};
            f[k] = bad[which];
            assert_true(tact_aabb_is_empty(tact_aabb_from_sphere((tact_sphere){{f[0], f[1], f[2]}, f[3]})));
            if (k == 3) continue;
            const tact_vec3 v = {f[0], f[1], f[2]};
            const tact_aabb unit = box(0, 0, 0, 1, 1, 1);
            assert_false(
                tact_aabb_contains_point(box(-INFINITY, -INFINITY, -INFINITY, INFINITY, INFINITY, INFINITY), v));
            assert_true(tact_aabb_is_empty(tact_aabb_translate(unit, v)));
            size_t i, j;
            assert_false(tact_extreme_points(&unit.upper, 1, 0, v, &i, &j));
        }
        assert_true(tact_aabb_is_empty(tact_aabb_expand(box(0, 0, 0, 1, 1, 1), bad[which])));
    }
}

/// All intervals with ends in [-12, 11], the empty ones too: a million comparisons, against counting.
TEST(integer_intervals_exhaustively)
{
    enum { LOW = -12, HIGH = 12 };
    size_t count = 0;
    for (int a = LOW; a < HIGH; ++a)
        for (int b = LOW; b < HIGH; ++b)
            for (int c = LOW; c < HIGH; ++c)
                for (int d = LOW; d < HIGH; ++d) {
                    bool shared = false;
                    for (int x = a; x <= b && !shared; ++x)
                        shared = c <= x && x <= d;
                    if (tact_interval_int_overlap(a, b, c, d) != shared) fail_msg("[%d, %d] [%d, %d]", a, b, c, d);
                    ++count;
                    const tact_aabb_int p = {{0, a, 0}, {1, b, 1}}, q = {{1, c, -1}, {2, d, 0}};
                    assert_true(tact_aabb_int_overlap(&p, &q) == shared);
                    // The same numbers as centres and half-widths, negative ones too.
                    const tact_aabb_center_int s = {{0, 0, a}, {1, 1, b}}, t = {{2, -2, c}, {1, 1, d}};
                    const bool near = b >= 0 && d >= 0 && abs(a - c) <= b + d;
                    assert_true(tact_aabb_center_int_overlap(&s, &t) == near);
                }
    assert_true(count == (size_t)24 * 24 * 24 * 24);
}

/// Where 32-bit sums overflow: the printed expressions are undefined or wrong there.
TEST(integer_intervals_at_the_ends_of_the_range)
{
    assert_true(tact_interval_int_overlap(INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX));
    assert_true(tact_interval_int_overlap(INT32_MIN, INT32_MAX, 0, 1));
    assert_false(tact_interval_int_overlap(INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX));
    assert_false(tact_interval_int_overlap(INT32_MIN, -1, 0, INT32_MAX));
    const int32_t ends[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX};
    for (size_t i = 0; i < 7 * 7 * 7 * 7; ++i) {
        const int64_t a = ends[i % 7], b = ends[i / 7 % 7], c = ends[i / 49 % 7], d = ends[i / 343];
        const bool bounds = (a > c ? a : c) <= (b < d ? b : d);
        assert_true(tact_interval_int_overlap((int32_t)a, (int32_t)b, (int32_t)c, (int32_t)d) ==
                    (bounds && a <= b && c <= d));
        const tact_aabb_center_int s = {{(int32_t)a, 0, 0}, {(int32_t)b, 0, 0}},
                                   t = {{(int32_t)c, 0, 0}, {(int32_t)d, 0, 0}};
        assert_true(tact_aabb_center_int_overlap(&s, &t) == (b >= 0 && d >= 0 && llabs(a - c) <= b + d));
    }
}

TEST(set_operations_agree_with_their_points)
{
    test_random r = test_random_seeded(3);
    for (uint32_t i = 0; i < 1000000; ++i) {
        const tact_aabb a = random_box(&r, i % 5), b = random_box(&r, i % 5);
        const tact_vec3 p = i % 3 ? point(&r, i % 5) : (tact_vec3){a.lower.x, b.upper.y, a.upper.z};
        bool in[2] = {true, true};
        for (int k = 0; k < 3; ++k) {
            in[0] = in[0] && !(get(p, k) < get(a.lower, k)) && !(get(p, k) > get(a.upper, k));
            in[1] = in[1] && !(get(p, k) < get(b.lower, k)) && !(get(p, k) > get(b.upper, k));
        }
        assert_true(tact_aabb_contains_point(a, p) == in[0] && tact_aabb_contains_point(b, p) == in[1]);
        assert_true(tact_aabb_contains_point(tact_aabb_intersection(a, b), p) == (in[0] && in[1]));
        const tact_aabb u = tact_aabb_union(a, b);
        if (in[0] || in[1]) assert_true(tact_aabb_contains_point(u, p));
        same_box(u, tact_aabb_union(b, a));
        if (!tact_aabb_is_empty(a)) assert_true(tact_aabb_contains_aabb(u, a));
        const tact_aabb both = tact_aabb_intersection(a, b);
        assert_true(tact_aabb_is_empty(both) == !tact_aabb_overlaps_aabb(a, b));
        assert_true(tact_aabb_contains_aabb(a, b) ==
                    (!tact_aabb_is_empty(b) && both.lower.x == b.lower.x && both.lower.y == b.lower.y &&
                     both.lower.z == b.lower.z && both.upper.x == b.upper.x && both.upper.y == b.upper.y &&
                     both.upper.z == b.upper.z));
    }
}

/// Distances that no double holds: the sums round to the same number, and only their errors tell them apart.
TEST(reaches_that_differ_in_the_last_of_many_bits)
{
    const tact_vec3 one = {1, 1, 1}, zero = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        tact_vec3 off = zero;
        set(&off, k, -0x1p-60f);
        assert_false(tact_aabb_center_overlap((tact_aabb_center){one, one}, (tact_aabb_center){off, zero}));
        assert_true(tact_aabb_center_overlap((tact_aabb_center){one, one}, (tact_aabb_center){zero, zero}));
        assert_false(tact_aabb_widths_overlap((tact_aabb_widths){one, zero}, (tact_aabb_widths){off, one}));
        assert_true(tact_aabb_widths_overlap((tact_aabb_widths){one, zero}, (tact_aabb_widths){zero, one}));
        set(&off, k, 0x1p-60f);
        assert_true(tact_aabb_center_overlap((tact_aabb_center){one, one}, (tact_aabb_center){off, zero}));
        assert_true(tact_aabb_widths_overlap((tact_aabb_widths){one, zero}, (tact_aabb_widths){off, one}));
    }
}

TEST(any_bits_are_safe)
{
    test_random r = test_random_seeded(17);
    for (int i = 0; i < 500000; ++i) {
        float f[24];
        for (size_t k = 0; k < 24; ++k)
            f[k] = test_random_any(&r);
        const tact_aabb a = box(f[0], f[1], f[2], f[3], f[4], f[5]), b = box(f[6], f[7], f[8], f[9], f[10], f[11]);
        const bool overlap = tact_aabb_overlaps_aabb(a, b);
        assert_true(overlap == tact_aabb_overlaps_aabb(b, a));
        const tact_aabb_center c = tact_aabb_to_center(a);
        if (c.half.x >= 0) assert_true(tact_aabb_contains_aabb(tact_aabb_from_center(c), a));
        const tact_aabb_widths w = tact_aabb_to_widths(a);
        if (w.width.x >= 0) assert_true(tact_aabb_contains_aabb(tact_aabb_from_widths(w), a));
        const tact_transform m = {{{f[12], f[13], f[14]}, {f[15], f[16], f[17]}, {f[18], f[19], f[20]}},
                                  {f[21], f[22], f[23]}};
        const tact_aabb t = tact_aabb_transform(a, &m);
        assert_true(tact_aabb_is_empty(t) || !tact_aabb_is_empty(a));
        (void)tact_aabb_center_transform(c, &m);
        assert_false(isnan(tact_aabb_volume(a)) || isnan(tact_aabb_surface_area(b)));
        (void)tact_aabb_expand(a, f[12]);
    }
}

#ifdef __SIZEOF_FLOAT128__

/// The three overlap tests against gaps in exact arithmetic: no case may differ.
TEST(overlaps_are_exact)
{
    test_random r = test_random_seeded(1);
    size_t yes[3] = {0};
    for (uint32_t i = 0; i < 1200000; ++i) {
        const tact_vec3 p = point(&r, i % 5), q = point(&r, i % 5);
        tact_vec3 s = point(&r, i % 5), t = point(&r, i % 5);
        for (int k = 0; k < 3 && i % 40 != 0; ++k) {
            set(&s, k, fabsf(get(s, k)));
            set(&t, k, fabsf(get(t, k)));
            // Touching up to the last bit: the distance is the reach, rounded.
            if (i % 7 == 0 && k == 1) {
                s.y = (float)((double)q.y - (double)p.y);
                t.y = fabsf(s.y) - fabsf(t.y);
            }
        }
        wide gap[3] = {-1, -1, -1};
        const tact_aabb a = random_box(&r, i % 5), b = random_box(&r, i % 5);
        for (int k = 0; k < 3; ++k) {
            const wide al = (wide)get(a.lower, k), au = (wide)get(a.upper, k), bl = (wide)get(b.lower, k),
                       bu = (wide)get(b.upper, k), pk = (wide)get(p, k), qk = (wide)get(q, k), sk = (wide)get(s, k),
                       tk = (wide)get(t, k);
            wide g = al - bu > bl - au ? al - bu : bl - au;
            if (al > au || bl > bu) g = 1;
            if (g > gap[0]) gap[0] = g;
            g = pk > qk ? pk - (qk + tk) : qk - (pk + sk);
            if (sk < 0 || tk < 0) g = 1;
            if (g > gap[1]) gap[1] = g;
            g = w_abs(pk - qk) - sk - tk;
            if (sk < 0 || tk < 0) g = 1;
            if (g > gap[2]) gap[2] = g;
        }
        const bool got[3] = {
            tact_aabb_overlaps_aabb(a, b),
            tact_aabb_widths_overlap((tact_aabb_widths){p, s}, (tact_aabb_widths){q, t}),
            tact_aabb_center_overlap((tact_aabb_center){p, s}, (tact_aabb_center){q, t}),
        };
        assert_true(got[0] == tact_aabb_overlaps_aabb(b, a));
        assert_true(got[1] == tact_aabb_widths_overlap((tact_aabb_widths){q, t}, (tact_aabb_widths){p, s}));
        assert_true(got[2] == tact_aabb_center_overlap((tact_aabb_center){q, t}, (tact_aabb_center){p, s}));
        for (int k = 0; k < 3; ++k) {
            if (got[k] != (gap[k] <= 0)) fail_msg("case %u, form %d", (unsigned)i, k);
            yes[k] += got[k];
        }
    }
    for (int k = 0; k < 3; ++k)
        assert_in_range(yes[k], 60000, 1100000);
}

static void images(const tact_transform* m, tact_vec3 p, wide out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = (wide)m->m[i][0] * (wide)p.x + (wide)m->m[i][1] * (wide)p.y + (wide)m->m[i][2] * (wide)p.z +
                 (wide)get(m->t, i);
    }
}

static void fits(tact_aabb got, const wide low[3], const wide high[3])
{
    for (int k = 0; k < 3; ++k) {
        is_rounded_down(get(got.lower, k), low[k]);
        is_rounded_down(-get(got.upper, k), -high[k]);
    }
}

TEST(transformed_boxes_hold_the_exact_images)
{
    test_random r = test_random_seeded(9);
    for (uint32_t i = 0; i < 150000; ++i) {
        const tact_vec3 two[2] = {point(&r, i % 5), point(&r, i % 5)};
        const tact_aabb a = tact_aabb_from_points(two, 2, 0);
        const tact_transform m = random_transform(&r, i % 4);
        wide low[3], high[3], image[3];
        tact_vec3 corner[8];
        for (int c = 0; c < 8; ++c) {
            corner[c] = (tact_vec3){c & 1 ? a.upper.x : a.lower.x, c & 2 ? a.upper.y : a.lower.y,
                                    c & 4 ? a.upper.z : a.lower.z};
            images(&m, corner[c], image);
            for (int k = 0; k < 3; ++k) {
                if (c == 0 || image[k] < low[k]) low[k] = image[k];
                if (c == 0 || image[k] > high[k]) high[k] = image[k];
            }
        }
        fits(tact_aabb_transform(a, &m), low, high);
        fits(tact_aabb_from_transformed_points(corner, 8, 0, &m), low, high);
        // By centre and halves: contains the image, and stays near it.
        const tact_aabb_center c = tact_aabb_center_transform(tact_aabb_to_center(a), &m);
        for (int k = 0; k < 3; ++k) {
            const wide l = (wide)get(c.center, k) - (wide)get(c.half, k),
                       h = (wide)get(c.center, k) + (wide)get(c.half, k);
            assert_true(l <= low[k] && h >= high[k]);
            const wide size = w_abs(low[k]) + w_abs(high[k]) + w_abs((wide)a.lower.x) + w_abs((wide)a.upper.x) +
                              w_abs((wide)a.lower.y) + w_abs((wide)a.upper.y) + w_abs((wide)a.lower.z) +
                              w_abs((wide)a.upper.z);
            assert_true((low[k] - l) + (h - high[k]) <= (wide)0x1p-20 * size);
        }
    }
}

TEST(conversions_and_moves_round_outward)
{
    test_random r = test_random_seeded(19);
    for (uint32_t i = 0; i < 300000; ++i) {
        const tact_vec3 two[2] = {point(&r, i % 5), point(&r, (i / 5) % 5)}, by = point(&r, (i / 25) % 5);
        const tact_aabb a = tact_aabb_from_points(two, 2, 0);
        const tact_aabb_widths w = tact_aabb_to_widths(a);
        const tact_aabb_center c = tact_aabb_to_center(a);
        wide low[3], high[3], lo2[3], hi2[3], lo3[3], hi3[3], lo4[3], hi4[3];
        const float grow = fabsf(by.x);
        const tact_sphere s = {two[0], grow};
        for (int k = 0; k < 3; ++k) {
            const wide l = (wide)get(a.lower, k), u = (wide)get(a.upper, k);
            low[k] = l + (wide)get(by, k);
            high[k] = u + (wide)get(by, k);
            lo2[k] = l - (wide)grow;
            hi2[k] = u + (wide)grow;
            lo3[k] = (wide)get(c.center, k) - (wide)get(c.half, k);
            hi3[k] = (wide)get(c.center, k) + (wide)get(c.half, k);
            lo4[k] = (wide)get(two[0], k) - (wide)grow;
            hi4[k] = (wide)get(two[0], k) + (wide)grow;
            assert_true(lo3[k] <= l && hi3[k] >= u);
            is_rounded_down(-get(w.width, k), l - u);
            assert_true((hi3[k] - lo3[k]) - (u - l) <= (wide)0x1p-21 * (w_abs(l) + w_abs(u)));
        }
        fits(tact_aabb_translate(a, by), low, high);
        fits(tact_aabb_expand(a, grow), lo2, hi2);
        fits(tact_aabb_from_center(c), lo3, hi3);
        fits(tact_aabb_from_sphere(s), lo4, hi4);
        const wide volume = (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
        assert_true(w_abs((wide)tact_aabb_volume(a) - volume) <= (wide)0x1.01p-24 * volume + (wide)0x1p-149);
        const wide x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2], area = 2 * (x * y + y * z + z * x);
        assert_true(w_abs((wide)tact_aabb_surface_area(a) - area) <= (wide)0x1.01p-24 * area + (wide)0x1p-149);
    }
}

/// A turn about a random axis, rounded to floats.
static tact_transform turn(test_random* r)
{
    float q[4], n = 0;
    for (int k = 0; k < 4; ++k) {
        q[k] = test_random_signed(r);
        n += q[k] * q[k];
    }
    n = sqrtf(n + 1e-9f);
    const float w = q[0] / n, x = q[1] / n, y = q[2] / n, z = q[3] / n;
    return (tact_transform){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}},
                            {test_random_signed(r), test_random_signed(r), test_random_signed(r)}};
}

TEST(climbing_finds_the_tight_box)
{
    static test_hull hull;
    test_random r = test_random_seeded(23);
    for (int shape = 0; shape < 4; ++shape) {
        if (shape == 0) test_hull_cube(&hull, 1);
        if (shape == 1) test_hull_cube(&hull, 6);
        if (shape == 2) test_hull_globe(&hull, 9, 12, 1, 1, 1);
        if (shape == 3) test_hull_globe(&hull, 7, 16, 1, 1e-3f, 1e3f);
        const tact_hull_graph g = test_hull_graph(&hull);
        uint32_t extreme[6] = {UINT32_MAX, 0, 0, 0, 0, 0};
        for (int i = 0; i < 1500; ++i) {
            tact_transform m = turn(&r);
            if (i % 5 == 1) {  // quarter and half turns, where faces lie flat
                const float sign = i % 2 ? 1.0f : -1.0f;
                const tact_transform quarter = {{{0, -1, 0}, {sign, 0, 0}, {0, 0, -sign}}, {0, 0, 0}};
                m = quarter;
            }
            if (i % 5 == 2)  // flattened
                m.m[i % 3][0] = m.m[i % 3][1] = m.m[i % 3][2] = 0;
            const tact_aabb got = tact_aabb_climb(&g, &m, extreme);
            wide low[3], high[3], image[3];
            for (uint32_t v = 0; v < g.count; ++v) {
                images(&m, g.vertex[v], image);
                for (int k = 0; k < 3; ++k) {
                    if (v == 0 || image[k] < low[k]) low[k] = image[k];
                    if (v == 0 || image[k] > high[k]) high[k] = image[k];
                }
            }
            fits(got, low, high);
            same_box(got, tact_aabb_from_transformed_points(g.vertex, g.count, 0, &m));
        }
    }
}

#endif

/// The trap: at the middle of a flat face, with the object turned upside down, no neighbour is better.
TEST(climbing_leaves_the_middle_of_a_flat_face)
{
    static test_hull hull;
    test_hull_cube(&hull, 4);
    const tact_hull_graph g = test_hull_graph(&hull);
    const uint32_t top = test_hull_vertex(&hull, 0, 0, 4);
    assert_true(hull.degree[top] == 4);
    assert_true(g.vertex[tact_hull_graph_extreme(&g, (tact_vec3){0, 0, 1}, top)].z == 4.0f);
    assert_true(g.vertex[tact_hull_graph_extreme(&g, (tact_vec3){0, 0, -1}, top)].z == -4.0f);
    assert_true(g.vertex[tact_hull_graph_extreme(&g, (tact_vec3){0, 0, -1e-30f}, top)].z == -4.0f);
    assert_true(tact_hull_graph_extreme(&g, (tact_vec3){0, 0, 0}, 0) == UINT32_MAX);
    assert_true(tact_hull_graph_extreme(&g, (tact_vec3){0, NAN, 1}, 0) == UINT32_MAX);
    hull.vertex[0].x = NAN;  // as a start it is left at once
    assert_true(g.vertex[tact_hull_graph_extreme(&g, (tact_vec3){0, 1, 0}, 0)].y == 4.0f);
    const tact_hull_graph none = {NULL, NULL, NULL, 0};
    assert_true(tact_hull_graph_extreme(&none, (tact_vec3){0, 1, 0}, 0) == UINT32_MAX);
}

static double height_along(tact_vec3 d, tact_vec3 p)
{
    return ((double)d.x * (double)p.x + (double)d.y * (double)p.y) + (double)d.z * (double)p.z;
}

TEST(climbing_reaches_the_top_from_anywhere)
{
    static test_hull hull;
    test_random r = test_random_seeded(29);
    for (int shape = 0; shape < 6; ++shape) {
        if (shape < 3)
            test_hull_cube(&hull, 1 + 2 * shape);
        else
            test_hull_globe(&hull, 1 + 4 * (shape - 3), 3 + 4 * (shape - 3), 1, 2, shape == 5 ? 1e-4f : 3);
        const tact_hull_graph g = test_hull_graph(&hull);
        const uint32_t cells = 1 + (uint32_t)shape;
        uint32_t map[6 * 6 * 6];
        assert_true(tact_apex_map_size(cells) <= sizeof map / sizeof *map);
        assert_true(tact_apex_map_make(&g, cells, map));
        for (int i = 0; i < 20000; ++i) {
            tact_vec3 d = {test_random_signed(&r), test_random_signed(&r), test_random_signed(&r)};
            if (i % 4 == 0) set(&d, i / 4 % 3, 0);
            if (i % 4 == 1) d = (tact_vec3){(float)(i % 3) - 1, (float)(i / 3 % 3) - 1, 1};
            const uint32_t v = tact_hull_graph_extreme(&g, d, test_random_below(&r, g.count));
            double best = -HUGE_VAL;
            for (uint32_t j = 0; j < g.count; ++j) {
                const double h = height_along(d, g.vertex[j]);
                best = h > best ? h : best;
            }
            assert_true(height_along(d, g.vertex[v]) == best);
            const uint32_t w = tact_apex_map_extreme(&g, map, cells, d);
            assert_true(w < g.count && height_along(d, g.vertex[w]) == best);
        }
        assert_int_equal(tact_apex_map_extreme(&g, map, cells, (tact_vec3){0, 0, 0}), UINT32_MAX);
        assert_int_equal(tact_apex_map_extreme(&g, map, cells, (tact_vec3){0, INFINITY, 0}), UINT32_MAX);
        assert_false(tact_apex_map_make(&g, 0, map) || tact_apex_map_make(&g, 1025, map));
        assert_true(tact_apex_map_size(0) == 0 && tact_apex_map_size(1025) == 0);
    }
    const tact_hull_graph none = {NULL, NULL, NULL, 0};
    uint32_t map[6];
    assert_false(tact_apex_map_make(&none, 1, map));
}

TEST(points_may_lie_apart)
{
    const float data[] = {1, 2, 3, NAN, -4, 5, 6, NAN, 7, -8, 9};
    const tact_vec3* p = (const tact_vec3*)(const void*)data;
    same_box(tact_aabb_from_points(p, 3, 4 * sizeof(float)), box(-4, -8, 3, 7, 5, 9));
    size_t low = 9, high = 9;
    assert_true(tact_extreme_points(p, 3, 4 * sizeof(float), (tact_vec3){0, 1e-20f, 0}, &low, &high));
    assert_true(low == 2 && high == 1);
    // One point is both ends; a zero direction has none.
    assert_true(tact_extreme_points(p, 1, 0, (tact_vec3){1, 1, 1}, &low, &high) && low == 0 && high == 0);
    assert_false(tact_extreme_points(p, 1, 0, (tact_vec3){0, 0, 0}, &low, &high));
    assert_false(tact_extreme_points(p, 0, 0, (tact_vec3){1, 0, 0}, &low, &high));
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
