// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Oriented boxes: separating axes against an oracle that clips edges (in double, and in 113 bits where that is not
// decisive), exact contacts, the variants and their measured rates, conversions and merging.

#include "tact/geometry/obb.h"

#include "tests/support/run.h"

#include "tests/geometry/boxes.h"

#define REAL double
#define NAME_SEGMENT double_segment
#define NAME_EDGES double_edges
#include "tests/geometry/obb_oracle.inl"

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 wide;
#define REAL wide
#define NAME_SEGMENT wide_segment
#define NAME_EDGES wide_edges
#include "tests/geometry/obb_oracle.inl"
#endif

static const tact_obb cube = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}};

/// 1 overlap, 0 none, -1 within 1e-14 of touching, relative to the sizes and the distance.
static int ask(const tact_obb* a, const tact_obb* b)
{
    const int more = double_edges(a, b, 1e-10) || double_edges(b, a, 1e-10);
    if (!more) return 0;
    if (double_edges(a, b, -1e-10) || double_edges(b, a, -1e-10)) return 1;
#ifdef __SIZEOF_FLOAT128__
    const wide band = (wide)1e-14;
    if (!wide_edges(a, b, band) && !wide_edges(b, a, band)) return 0;
    if (wide_edges(a, b, -band) || wide_edges(b, a, -band)) return 1;
#endif
    return -1;
}

static void set_half(tact_obb* b, uint32_t axis, float x)
{
    if (axis == 0) b->half.x = x;
    if (axis == 1) b->half.y = x;
    if (axis == 2) b->half.z = x;
}

/// Moves b along a random axis of the 15 (or so) until the projections are `gap` of their size apart.
static void bring_near(test_random* r, const tact_obb* a, tact_obb* b, double gap)
{
    const tact_vec3 u = a->axis[test_random_below(r, 3)], v = b->axis[test_random_below(r, 3)];
    double n[3] = {(double)u.y * (double)v.z - (double)u.z * (double)v.y,
                   (double)u.z * (double)v.x - (double)u.x * (double)v.z,
                   (double)u.x * (double)v.y - (double)u.y * (double)v.x};
    if (test_random_bits(r) & 1) {
        n[0] = (double)u.x;
        n[1] = (double)u.y;
        n[2] = (double)u.z;
    }
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (length < 1e-9) return;
    double reach = 0.0;
    const tact_obb* boxes[2] = {a, b};
    for (int k = 0; k < 2; ++k) {
        const float h[3] = {boxes[k]->half.x, boxes[k]->half.y, boxes[k]->half.z};
        for (int i = 0; i < 3; ++i) {
            const tact_vec3 w = boxes[k]->axis[i];
            reach += (double)h[i] * fabs((double)w.x * n[0] + (double)w.y * n[1] + (double)w.z * n[2]);
        }
    }
    const double s = reach * (1.0 + gap) / (length * length);
    b->center.x = (float)((double)a->center.x + s * n[0]);
    b->center.y = (float)((double)a->center.y + s * n[1]);
    b->center.z = (float)((double)a->center.z + s * n[2]);
}

static void random_pair(test_random* r, int kind, tact_obb* a, tact_obb* b)
{
    const float least = kind == 7 ? 1e-3f : 0.2f;
    *a = test_obb(r, 1.0f, least, 1.0f);
    *b = test_obb(r, 1.6f, least, 1.0f);
    if (kind == 1 || kind == 2) {  // parallel, and parallel but for last bits
        for (int i = 0; i < 3; ++i) {
            b->axis[i] = a->axis[(i + 1) % 3];
            if (kind == 2) b->axis[i].x = nextafterf(b->axis[i].x, test_random_signed(r));
            if (kind == 2) b->axis[i].z = nextafterf(b->axis[i].z, test_random_signed(r));
        }
    }
    if (kind == 3 || kind == 4) {  // a lattice
        *a = *b = cube;
        a->half = (tact_vec3){(float)test_random_below(r, 4), (float)test_random_below(r, 4), 1.0f};
        b->half = (tact_vec3){(float)test_random_below(r, 4), 2.0f, (float)test_random_below(r, 4)};
        const tact_vec3 at = test_vec3(r, 7.0f);
        b->center = (tact_vec3){floorf(at.x), floorf(at.y), floorf(at.z)};
        if (kind == 4) test_frame(r, b->axis);
    }
    if (kind == 5) {  // flat, segments, points
        set_half(a, test_random_below(r, 3), 0.0f);
        set_half(b, test_random_below(r, 3), 0.0f);
        set_half(b, test_random_below(r, 3), 0.0f);
    }
    if (kind == 6) {  // a common axis
        const double c = cos((double)test_random_unit(r)), s = sqrt(1.0 - c * c);
        *b = (tact_obb){b->center, {{(float)c, (float)s, 0}, {(float)-s, (float)c, 0}, {0, 0, 1}}, b->half};
        *a = (tact_obb){a->center, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}}, a->half};
    }
    if (kind == 7) set_half(a, test_random_below(r, 3), 1e4f);  // needles and beams
    if (kind >= 8) {                                            // nearly parallel, and axes that are nearly orthonormal
        const float angle = powf(10.0f, -1.0f - 6.0f * test_random_unit(r));
        for (int i = 0; i < 3; ++i) {
            const tact_vec3 off = test_vec3(r, kind == 8 ? angle : fminf(angle, 1e-5f)), u = a->axis[(i + 2) % 3];
            b->axis[i] = (tact_vec3){u.x + off.x, u.y + off.y, u.z + off.z};
        }
    }
    if (kind == 8) test_orthonormalize(b->axis);
    const double gaps[] = {0.0, 1e-7, -1e-7, 1e-5, -1e-5, 1e-4, -1e-4, -1e-3, 1e-2};
    if (test_random_bits(r) & 1) bring_near(r, a, b, gaps[test_random_below(r, 9)]);
}

static void scale_pair(tact_obb* b, int exponent)
{
    b->center =
        (tact_vec3){ldexpf(b->center.x, exponent), ldexpf(b->center.y, exponent), ldexpf(b->center.z, exponent)};
    b->half = (tact_vec3){ldexpf(b->half.x, exponent), ldexpf(b->half.y, exponent), ldexpf(b->half.z, exponent)};
}

TEST(overlap_agrees_with_edges_clipped)
{
    test_random r = test_random_seeded(1);
    size_t decided = 0, overlaps = 0;
    for (int i = 0; i < 1100000; ++i) {
        tact_obb a, b;
        random_pair(&r, i % 10, &a, &b);
        if (i % 3 == 1) {  // far away, and tiny or huge
            a.center.x += 1000.0f;
            b.center.x += 1000.0f;
        }
        const int exponent = i % 5 == 0 ? -20 : i % 5 == 1 ? 20 : 0;
        scale_pair(&a, exponent);
        scale_pair(&b, exponent);
        const bool overlap = tact_obb_overlaps_obb(&a, &b);
        if (overlap != tact_obb_overlaps_obb(&b, &a)) fail_msg("case %d is not symmetric", i);
        const int expected = ask(&a, &b);
        if (expected < 0) {
            if (i % 10 == 3 && !overlap) fail_msg("case %d: a lattice contact is missed", i);
            continue;
        }
        ++decided;
        overlaps += (size_t)expected;
        if (overlap != (expected == 1)) fail_msg("case %d: %d, the oracle says %d", i, overlap, expected);
        if (overlap && !tact_obb_overlaps_obb_faces(&a, &b)) fail_msg("case %d: the six axes miss it", i);
        for (int up = 0; up < 3 && overlap; ++up)
            if (!tact_obb_overlaps_obb_upright(&a, &b, up)) fail_msg("case %d: upright misses it", i);
    }
    assert_true(decided > 1000000);
    assert_true(overlaps > 250000 && overlaps < decided - 250000);
}

TEST(swapped_projections_would_be_noticed)
{
    // The printed code projects on the third axis where the second is meant: a false hit and a miss.
    tact_obb b = cube;
    b.center = (tact_vec3){0, 5, 0};
    assert_false(tact_obb_overlaps_obb(&cube, &b));
    tact_obb a = cube;
    a.half.z = 3.0f;
    b.center = (tact_vec3){0, 0, 2.5f};
    assert_true(tact_obb_overlaps_obb(&a, &b));
}

/// b is a moved by 2 (q - center): they overlap iff q is in a. q on the boundary is a contact, exact with integers.
TEST(parallel_boxes_touch_exactly)
{
    const tact_obb shapes[] = {
        {{0, 0, 0}, {{3, 4, 0}, {-4, 3, 0}, {0, 0, 5}}, {1, 2, 3}},
        {{7, -5, 3}, {{1, 2, 2}, {2, 1, -2}, {2, -2, 1}}, {2, 0, 1}},
        {{0, 0, 0}, {{2, 3, 6}, {3, -6, 2}, {6, 2, -3}}, {0, 4, 0}},
    };
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
        for (int i = 0; i < 27; ++i) {
            const int r[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
            const tact_obb* a = &shapes[k];
            for (int e = -30; e <= 30; e += 10) {
                tact_obb scaled = *a, b = *a;
                b.center = test_at(a, 2 * r[0], 2 * r[1], 2 * r[2]);
                scale_pair(&scaled, e);
                scale_pair(&b, e);
                assert_true(tact_obb_overlaps_obb(&scaled, &b));
                assert_true(tact_obb_overlaps_obb_faces(&scaled, &b));
                assert_true(tact_obb_contains_point(&scaled, test_at(&scaled, r[0], r[1], r[2])));
                if (k != 0 || (r[0] == 0 && r[1] == 0 && r[2] == 0)) continue;
                b.center = test_at(&scaled, 2.000001 * r[0], 2.000001 * r[1], 2.000001 * r[2]);
                assert_false(tact_obb_overlaps_obb(&scaled, &b));
                assert_false(tact_obb_contains_point(
                    &scaled, test_at(&scaled, 1.000001 * r[0], 1.000001 * r[1], 1.000001 * r[2])));
            }
        }
    }
}

TEST(crossed_edges_touch_exactly)
{
    // The edge of b along (1, -1, 0) meets that of the cube at (1, 1, 0), nothing else does.
    tact_obb b = {{3, 3, -1}, {{1, -1, 0}, {1, 1, 1}, {-1, -1, 2}}, {1, 1, 1}};
    assert_true(tact_obb_overlaps_obb(&cube, &b));
    assert_true(tact_obb_overlaps_obb_front_faces(&cube, &b));
    assert_true(tact_obb_overlaps_obb_edges(&cube, &b));
    b.center = (tact_vec3){nextafterf(3, 4), 3, -1};
    assert_false(tact_obb_overlaps_obb(&cube, &b));
    assert_true(tact_obb_overlaps_obb_faces(&cube, &b));  // corners alone do not see it
}

TEST(parallel_edges_do_not_separate)
{
    test_random r = test_random_seeded(3);
    for (int i = 0; i < 300000; ++i) {
        tact_obb a = test_obb(&r, 100.0f, 0.0f, 1.0f), b = a;
        const double s = i % 2 ? 1.0 - 1e-4 : 0.0;
        b.center = test_at(&a, s * 2.0 * (double)test_random_signed(&r), s, s * (double)test_random_signed(&r));
        for (int k = 0; k < 3 && i % 3; ++k)
            b.axis[k].y = nextafterf(b.axis[k].y, test_random_signed(&r));
        if (a.half.x < 0.1f || a.half.y < 0.1f || a.half.z < 0.1f) continue;
        assert_true(tact_obb_overlaps_obb(&a, &b));
    }
}

static float* number(tact_obb* b, int i)
{
    float* at[15] = {&b->center.x,  &b->center.y,  &b->center.z,  &b->axis[0].x, &b->axis[0].y,
                     &b->axis[0].z, &b->axis[1].x, &b->axis[1].y, &b->axis[1].z, &b->axis[2].x,
                     &b->axis[2].y, &b->axis[2].z, &b->half.x,    &b->half.y,    &b->half.z};
    return at[i];
}

TEST(broken_boxes_overlap_nothing)
{
    const float bad[] = {NAN, INFINITY, -INFINITY};
    const tact_aabb unit = {{-1, -1, -1}, {1, 1, 1}};
    const tact_vec3 origin = {0, 0, 0};
    for (int i = 0; i < 15 * 3 + 4; ++i) {
        tact_obb b = cube, out;
        if (i < 45) *number(&b, i / 3) = bad[i % 3];
        if (i >= 45 && i < 48) *number(&b, 12 + i - 45) = -1.0f;
        if (i == 48) b.axis[2] = b.axis[1];
        assert_false(tact_obb_overlaps_obb(&cube, &b) || tact_obb_overlaps_obb(&b, &cube));
        assert_false(tact_obb_overlaps_obb_faces(&cube, &b) || tact_obb_overlaps_obb_faces(&b, &cube));
        assert_false(tact_obb_overlaps_obb_upright(&cube, &b, 2) || tact_obb_overlaps_obb_upright(&b, &cube, 0));
        assert_false(tact_obb_overlaps_obb_front_faces(&cube, &b) || tact_obb_overlaps_obb_front_faces(&b, &cube));
        assert_false(tact_obb_overlaps_obb_edges(&cube, &b) || tact_obb_overlaps_obb_edges(&b, &cube));
        assert_false(tact_obb_overlaps_aabb(&b, unit) || tact_obb_contains_point(&b, origin));
        assert_false(tact_obb_merge(&cube, &b, &out) || tact_obb_merge(&b, &cube, &out));
        const tact_transform same = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
        assert_false(tact_obb_transform(&same, &b, &out));
        assert_true(isnan(tact_obb_volume(&b)) && isnan(tact_obb_area(&b)));
        assert_true(tact_obb_to_aabb(&b).lower.x > tact_obb_to_aabb(&b).upper.x);
        tact_vec3 corners[8];
        tact_obb_corners(&b, corners);
        assert_true(isnan(corners[3].y));
    }
    for (int i = 0; i < 6 * 3; ++i) {
        tact_aabb box = unit;
        float* at[6] = {&box.lower.x, &box.lower.y, &box.lower.z, &box.upper.x, &box.upper.y, &box.upper.z};
        *at[i / 3] = bad[i % 3];
        assert_false(tact_obb_overlaps_aabb(&cube, box));
        const tact_obb none = tact_obb_from_aabb(box);
        assert_false(tact_obb_overlaps_obb(&cube, &none));
        const tact_vec3 p = {i / 6 == 0 ? bad[i % 3] : 0, i / 6 == 1 ? bad[i % 3] : 0, i / 6 == 2 ? bad[i % 3] : 0};
        assert_false(tact_obb_contains_point(&cube, p));
    }
    for (int i = 0; i < 12; ++i) {
        tact_transform t = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
        if (i < 9) t.m[i / 3][i % 3] = NAN;
        if (i == 9) t.t.x = NAN;
        if (i == 10) t.t.y = INFINITY;
        if (i == 11) t.m[2][2] = INFINITY;
        tact_obb out;
        assert_false(tact_obb_transform(&t, &cube, &out));
    }
    assert_false(tact_obb_overlaps_obb_upright(&cube, &cube, -1) || tact_obb_overlaps_obb_upright(&cube, &cube, 3));
    const tact_aabb empty = {{1, 0, 0}, {-1, 1, 1}};
    assert_false(tact_obb_overlaps_aabb(&cube, empty));
}

TEST(huge_and_tiny_boxes_are_decided)
{
    for (int k = 0; k < 2; ++k) {
        const float s = k ? 1e38f : 1e-40f;
        tact_obb a = cube, b = cube;
        a.half = b.half = (tact_vec3){s, s, s};
        b.center = (tact_vec3){2 * s, -2 * s, 2 * s};
        assert_true(tact_obb_overlaps_obb(&a, &b));
        assert_true(tact_obb_overlaps_obb_front_faces(&a, &b));
        assert_true(tact_obb_overlaps_obb_edges(&a, &b));
        b.center.y = nextafterf(b.center.y, -INFINITY);
        assert_false(tact_obb_overlaps_obb(&a, &b));
        assert_false(tact_obb_overlaps_obb_front_faces(&a, &b));
        assert_false(tact_obb_overlaps_obb_edges(&a, &b));
    }
}

TEST(edges_agree_with_axes_unless_boxes_touch)
{
    test_random r = test_random_seeded(14);
    size_t overlaps = 0, apart = 0, inside = 0;
    for (int i = 0; i < 300000; ++i) {
        tact_obb a = test_obb(&r, 0.0f, 0.02f, 1.0f), b = test_obb(&r, 1.4f, 0.02f, 1.0f);
        if (i % 3 == 1) set_half(&b, test_random_below(&r, 3), 0.0f);
        if (i % 3 == 2) {
            // Well inside, off the middle: no edge meets a face.
            b.center = test_at(&a, 0.6 * (double)test_random_signed(&r), 0.5, -0.6);
            const float most = 0.2f * fminf(a.half.x, fminf(a.half.y, a.half.z));
            b.half = (tact_vec3){most, 0.5f * most, 0.0f};
        }
        const bool overlap = tact_obb_overlaps_obb(&a, &b);
        tact_obb less = b, more = b;
        for (int k = 0; k < 3; ++k) {
            float* at[2] = {number(&less, 12 + k), number(&more, 12 + k)};
            *at[0] = fmaxf(*at[0] - 1e-5f, 0.0f);
            *at[1] += 1e-5f;
        }
        // Flat boxes cannot be made thinner, so both are grown and shrunk.
        tact_obb less_a = a;
        less_a.half = (tact_vec3){a.half.x - 1e-5f, a.half.y - 1e-5f, a.half.z - 1e-5f};
        if (tact_obb_overlaps_obb(&less_a, &less) != tact_obb_overlaps_obb(&a, &more)) continue;
        overlaps += overlap;
        apart += !overlap;
        inside += i % 3 == 2;
        assert_true(i % 3 != 2 || overlap);
        if (tact_obb_overlaps_obb_edges(&a, &b) != overlap) fail_msg("case %d: axes say %d", i, overlap);
        if (tact_obb_overlaps_obb_edges(&b, &a) != overlap) fail_msg("case %d reversed: axes say %d", i, overlap);
    }
    assert_true(overlaps > 150000 && apart > 50000 && inside > 90000);
}

typedef struct rates {
    double pairs, overlaps, faces, upright, front_missed, front_wrong;
} rates;

static rates measure(uint64_t seed, int count, float least, bool upright)
{
    test_random r = test_random_seeded(seed);
    rates n = {0};
    for (int i = 0; i < count; ++i) {
        tact_obb a, b;
        a = test_obb(&r, 0.0f, least, 1.0f);
        b = test_obb(&r, least < 0.1f ? 1.15f : 1.6f, least, 1.0f);
        if (least < 0.1f) set_half(&a, test_random_below(&r, 3), 0.02f);
        if (upright) {
            for (int k = 0; k < 2; ++k) {
                tact_obb* box = k ? &b : &a;
                const double angle = 7.0 * (double)test_random_unit(&r);
                const float c = (float)cos(angle), s = (float)sin(angle);
                box->axis[0] = (tact_vec3){c, s, 0};
                box->axis[1] = (tact_vec3){0, 0, k ? -1.0f : 1.0f};
                box->axis[2] = (tact_vec3){s, -c, 0};
            }
        }
        const bool overlap = tact_obb_overlaps_obb(&a, &b), front = tact_obb_overlaps_obb_front_faces(&a, &b);
        n.pairs += 1;
        n.overlaps += overlap;
        n.faces += tact_obb_overlaps_obb_faces(&a, &b) && !overlap;
        n.upright += tact_obb_overlaps_obb_upright(&a, &b, 1) != overlap;
        n.front_missed += overlap && !front;
        n.front_wrong += front && !overlap;
    }
    print_message(
        "least half %g: %.1f %% overlap, six axes wrong %.3f %%, upright %.3f %%, fronts miss %.4f %% of "
        "overlaps\n",
        (double)least, 100 * n.overlaps / n.pairs, 100 * n.faces / n.pairs, 100 * n.upright / n.pairs,
        100 * n.front_missed / n.overlaps);
    return n;
}

TEST(variants_have_the_rates_they_document)
{
    const rates bricks = measure(5, 600000, 0.2f, false);
    assert_true(bricks.overlaps > 0.4 * bricks.pairs && bricks.overlaps < 0.6 * bricks.pairs);
    const rates plates = measure(6, 400000, 0.02f, false);
    const rates upright = measure(7, 1000000, 0.2f, true);
    assert_true(bricks.front_wrong + plates.front_wrong + upright.front_wrong == 0);
    assert_true(upright.upright == 0 && upright.faces == 0);
    assert_true(bricks.front_missed + plates.front_missed + upright.front_missed == 0);
    assert_true(bricks.faces > 0.03 * bricks.pairs && bricks.faces < 0.04 * bricks.pairs);
    assert_true(plates.faces > 0.03 * plates.pairs && plates.faces < 0.045 * plates.pairs);
    assert_true(bricks.upright > 0.05 * bricks.pairs && bricks.upright < 0.08 * bricks.pairs);
}

TEST(aabb_and_obb_agree)
{
    test_random r = test_random_seeded(9);
    for (int i = 0; i < 1000000; ++i) {
        tact_obb b = test_obb(&r, 1.5f, 0.0f, 1.0f), a = cube;
        // Bounds whose midpoint is a float, so that both ways have the same numbers.
        a.center = (tact_vec3){floorf(4 * test_random_signed(&r)) / 8, 0.25f, 0};
        a.half = (tact_vec3){floorf(8 * test_random_unit(&r)) / 8, 0.5f, floorf(8 * test_random_unit(&r)) / 8};
        const tact_aabb box = {{a.center.x - a.half.x, a.center.y - a.half.y, a.center.z - a.half.z},
                               {a.center.x + a.half.x, a.center.y + a.half.y, a.center.z + a.half.z}};
        assert_true(tact_obb_overlaps_obb(&a, &b) == tact_obb_overlaps_aabb(&b, box));
        if (i % 5 != 0) continue;
        const tact_aabb around = tact_obb_to_aabb(&b);
        if (!tact_obb_overlaps_aabb(&b, around)) fail_msg("case %d", i);
        const tact_obb back = tact_obb_from_aabb(around);
        tact_vec3 corners[8];
        tact_obb_corners(&b, corners);
        float low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 8; ++k) {
            low = fminf(low, corners[k].y);
            high = fmaxf(high, corners[k].y);
            assert_true(corners[k].x >= around.lower.x && corners[k].x <= around.upper.x);
            assert_true(corners[k].z >= around.lower.z && corners[k].z <= around.upper.z);
            assert_true(tact_obb_contains_point(&back, corners[k]));
        }
        assert_true(low >= around.lower.y && low - around.lower.y <= 3e-7f);
        assert_true(high <= around.upper.y && around.upper.y - high <= 3e-7f);
    }
    const tact_aabb odd = {{16777215.0f, 0, 0}, {16777220.0f, 1, 1}};
    const tact_obb b = tact_obb_from_aabb(odd);
    assert_true(tact_obb_contains_point(&b, odd.lower) && tact_obb_contains_point(&b, odd.upper));
}

TEST(containment_agrees_with_box_coordinates)
{
    test_random r = test_random_seeded(10);
    size_t inside = 0, decided = 0;
    for (int i = 0; i < 1000000; ++i) {
        const tact_obb b = test_obb(&r, 2.0f, i % 7 == 0 ? 0.0f : 0.1f, 1.0f);
        double t[3], most = 0.0;
        for (int k = 0; k < 3; ++k) {
            t[k] = 1.3 * (double)test_random_signed(&r);
            if (i % 3 == 0 && k == 0) t[k] = t[k] < 0 ? -1.00001 : 0.99999;
            most = fmax(most, fabs(t[k]));
        }
        const tact_vec3 p = test_at(&b, t[0], t[1], t[2]);
        const double band = 1e-6 / ((double)fminf(b.half.x, fminf(b.half.y, b.half.z)) + 1e-9);
        if (fabs(most - 1.0) < band) continue;
        ++decided;
        inside += most < 1.0;
        if (tact_obb_contains_point(&b, p) != (most < 1.0)) fail_msg("case %d: %.9g", i, most);
    }
    assert_true(decided > 900000 && inside > 200000);
}

TEST(transforms_contain_the_image)
{
    test_random r = test_random_seeded(11);
    for (int i = 0; i < 50000; ++i) {
        const tact_obb b = test_obb(&r, 3.0f, 0.0f, 1.0f);
        tact_transform t;
        tact_vec3 axis[3];
        test_frame(&r, axis);
        const float scale = i % 4 == 0 ? 1e-6f : i % 4 == 1 ? 1e6f : -2.0f;
        for (int k = 0; k < 3; ++k) {
            t.m[0][k] = axis[k].x * scale;
            t.m[1][k] = axis[k].y * scale;
            t.m[2][k] = axis[k].z * scale;
        }
        const bool rigid = i % 4 < 3;
        for (int k = 0; k < 9 && !rigid; ++k)
            t.m[k / 3][k % 3] = test_random_signed(&r);
        if (i % 16 == 7) t.m[1][0] = t.m[1][1] = t.m[1][2] = 0.0f;  // flattened
        t.t = test_vec3(&r, fabsf(scale));
        tact_obb image;
        assert_true(tact_obb_transform(&t, &b, &image));
        for (int k = 0; k < 20; ++k) {
            const tact_vec3 p = test_at(&b, (k & 1) * 2 - 1, (k & 2) - 1, (k & 4) / 2 - 1);
            double q[3];
            for (int j = 0; j < 3; ++j)
                q[j] = (double)t.m[j][0] * (double)p.x + (double)t.m[j][1] * (double)p.y +
                       (double)t.m[j][2] * (double)p.z +
                       (double)(j == 0   ? t.t.x
                                : j == 1 ? t.t.y
                                         : t.t.z);
            tact_obb grown = image;
            const float slack = 2e-6f * fabsf(scale);
            grown.half.x += slack;
            grown.half.y += slack;
            grown.half.z += slack;
            const tact_vec3 at = {(float)q[0], (float)q[1], (float)q[2]};
            assert_true(tact_obb_contains_point(&grown, at));
        }
        if (!rigid) continue;
        const double expected = tact_obb_volume(&b) * pow(fabs((double)scale), 3);
        const double side = (double)fminf(b.half.x, fminf(b.half.y, b.half.z));
        assert_true(fabs(tact_obb_volume(&image) - expected) <= expected * (1e-5 + 1e-5 / side));
    }
}

TEST(merged_boxes_contain_both)
{
    test_random r = test_random_seeded(12);
    double ratio = 0.0;
    for (int i = 0; i < 50000; ++i) {
        tact_obb a = test_obb(&r, 2.0f, 0.0f, 1.0f), b = test_obb(&r, 2.0f, 0.0f, 1.0f), m;
        if (i % 5 == 0) set_half(&a, test_random_below(&r, 3), 0.0f);
        if (i % 7 == 0) {
            b = a;
            b.half = (tact_vec3){0.5f * a.half.x, a.half.y, 0.25f * a.half.z};
        }
        if (i % 3 == 0) scale_pair(&a, 20), scale_pair(&b, 20);
        assert_true(tact_obb_merge(&a, &b, &m));
        for (int k = 0; k < 16; ++k) {
            const tact_obb* from = k & 8 ? &b : &a;
            // A little inside, as corners are rounded to float.
            const double s = 1.0 - 1e-5;
            tact_obb slack = m;
            const float more = i % 3 == 0 ? 0.5f : 5e-7f;
            slack.half = (tact_vec3){m.half.x + more, m.half.y + more, m.half.z + more};
            assert_true(
                tact_obb_contains_point(&slack, test_at(from, (k & 1) ? s : -s, (k & 2) ? s : -s, (k & 4) ? s : -s)));
        }
        const double larger = fmax(tact_obb_volume(&a), tact_obb_volume(&b));
        assert_true(tact_obb_volume(&m) >= larger * (1.0 - 1e-5));
        if (i % 7 == 0 && larger > 0.01) ratio = fmax(ratio, tact_obb_volume(&m) / larger);
    }
    assert_true(ratio < 1.00002);
    // Two halves of a brick make the brick.
    tact_obb a = cube, b = cube, m;
    b.center.x = 2.0f;
    assert_true(tact_obb_merge(&a, &b, &m));
    assert_true(tact_obb_volume(&m) == 16.0 && tact_obb_area(&m) == 40.0);
    assert_true(m.center.x == 1.0f && m.center.y == 0.0f);
}

/// Exact rigid motions and scales: renaming coordinates, moving along a lattice, powers of two.
TEST(exact_motions_change_no_answer)
{
    test_random r = test_random_seeded(13);
    for (int i = 0; i < 100000; ++i) {
        tact_obb a, b;
        random_pair(&r, i % 8, &a, &b);
        const bool expected[2] = {tact_obb_overlaps_obb(&a, &b), tact_obb_overlaps_obb_faces(&a, &b)};
        tact_obb p = a, q = b;
        tact_obb* pair[2] = {&p, &q};
        for (int k = 0; k < 2; ++k) {
            tact_vec3* v[4] = {&pair[k]->center, &pair[k]->axis[0], &pair[k]->axis[1], &pair[k]->axis[2]};
            for (int j = 0; j < 4; ++j)
                *v[j] = (tact_vec3){-v[j]->y, v[j]->z, -v[j]->x};
            scale_pair(pair[k], i % 2 ? -20 : 20);
        }
        assert_true(tact_obb_overlaps_obb(&p, &q) == expected[0]);
        assert_true(tact_obb_overlaps_obb_faces(&p, &q) == expected[1]);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
