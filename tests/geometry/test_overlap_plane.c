// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Shapes and planes: analytic cases, what the printed versions got wrong, and oracles in wider arithmetic that use
// other formulas (corners, Pythagoras, a matrix).

#include <float.h>

#include "tests/support/run.h"

#include "tact/geometry/overlap.h"
#include "tests/support/random.h"

typedef enum kind { SPHERE, AABB, OBB, TRIANGLE, CAPSULE, CYLINDER, CONE, ELLIPSOID, KINDS } kind;

/// One shape of any kind as its numbers, in the order of its struct.
typedef union shape {
    float f[15];
    tact_sphere sphere;
    tact_aabb aabb;
    tact_obb obb;
    tact_triangle triangle;
    tact_capsule capsule;
    tact_cylinder cylinder;
    tact_cone cone;
    tact_ellipsoid ellipsoid;
} shape;

static const int numbers[KINDS] = {4, 6, 15, 9, 7, 7, 8, 15};

/// A question about a shape of any kind and a plane, by the function tact_SHAPE_question.
#define OF_ANY_KIND(type, name, question)                           \
    static type name(kind k, const shape* s, tact_plane p)          \
    {                                                               \
        switch (k) {                                                \
            case SPHERE:                                            \
                return tact_sphere_##question(s->sphere, p);        \
            case AABB:                                              \
                return tact_aabb_##question(s->aabb, p);            \
            case OBB:                                               \
                return tact_obb_##question(&s->obb, p);             \
            case TRIANGLE:                                          \
                return tact_triangle_##question(&s->triangle, p);   \
            case CAPSULE:                                           \
                return tact_capsule_##question(&s->capsule, p);     \
            case CYLINDER:                                          \
                return tact_cylinder_##question(&s->cylinder, p);   \
            case CONE:                                              \
                return tact_cone_##question(&s->cone, p);           \
            default:                                                \
                return tact_ellipsoid_##question(&s->ellipsoid, p); \
        }                                                           \
    }
OF_ANY_KIND(tact_side, side, plane_side)
OF_ANY_KIND(tact_containment, halfspace, halfspace)
OF_ANY_KIND(bool, overlap, overlaps_plane)

static tact_plane plane(float x, float y, float z, float d)
{
    return (tact_plane){{x, y, z}, d};
}

/// Each shape reaches from 2 to 4 along x.
static const shape examples[KINDS] = {
    {{3, 0, 0, 1}},
    {{2, -1, -1, 4, 1, 1}},
    {{3, 0, 0, 0, 1, 0, -1, 0, 0, 0, 0, 1, 2, 1, 3}},
    {{2, 5, 0, 4, 0, 0, 3, 0, 7}},
    {{2.5f, 0, 0, 3.5f, 9, 9, 0.5f}},
    {{2, 1, 1, 4, 1, 1, 7}},
    {{4, 1, 1, -1, 0, 0, 2, 5}},
    {{3, 0, 0, 0, 1, 0, -1, 0, 0, 0, 0, 1, 2, 1, 3}},
};

TEST(sides_are_told_and_touching_counts)
{
    for (int k = 0; k < KINDS; ++k) {
        const shape* s = &examples[k];
        const struct {
            float d;
            tact_side side;
            tact_containment within;
        } expected[] = {{1, TACT_SIDE_FRONT, TACT_OUTSIDE},     {1.9999f, TACT_SIDE_FRONT, TACT_OUTSIDE},
                        {2, TACT_SIDE_BOTH, TACT_INTERSECTING}, {3, TACT_SIDE_BOTH, TACT_INTERSECTING},
                        {4, TACT_SIDE_BOTH, TACT_INSIDE},       {4.0001f, TACT_SIDE_BEHIND, TACT_INSIDE},
                        {5, TACT_SIDE_BEHIND, TACT_INSIDE}};
        for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
            const float scales[] = {1.0f, 0x1p-20f, 0x1p20f, 0x1p-60f, 0x1p60f};
            for (size_t j = 0; j < sizeof scales / sizeof *scales; ++j) {  // normals of any length
                const tact_plane p = plane(scales[j], 0, 0, expected[i].d * scales[j]);
                if (side(k, s, p) != expected[i].side) fail_msg("kind %d, d %g", k, (double)expected[i].d);
                assert_int_equal(halfspace(k, s, p), expected[i].within);
                assert_int_equal(overlap(k, s, p), expected[i].side == TACT_SIDE_BOTH);
            }
            const tact_plane back = plane(-1, 0, 0, -expected[i].d);
            const tact_side turned = expected[i].side == TACT_SIDE_FRONT    ? TACT_SIDE_BEHIND
                                     : expected[i].side == TACT_SIDE_BEHIND ? TACT_SIDE_FRONT
                                                                            : TACT_SIDE_BOTH;
            assert_int_equal(side(k, s, back), turned);
        }
    }
}

TEST(one_bad_number_is_none)
{
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < KINDS; ++k) {
        for (int i = 0; i < numbers[k] + 4; ++i) {
            for (int b = 0; b < 3; ++b) {
                shape s = examples[k];
                float p[4] = {1, 0, 0, 3};
                if (i < numbers[k])
                    s.f[i] = bad[b];
                else
                    p[i - numbers[k]] = bad[b];
                const tact_plane q = plane(p[0], p[1], p[2], p[3]);
                if (side(k, &s, q) != TACT_SIDE_NONE) fail_msg("kind %d, number %d", k, i);
                assert_int_equal(halfspace(k, &s, q), TACT_OUTSIDE);
                assert_false(overlap(k, &s, q));
            }
        }
        assert_int_equal(side(k, &examples[k], plane(0, 0, 0, 0)), TACT_SIDE_NONE);
    }
}

TEST(what_is_no_shape_has_no_side)
{
    const tact_plane p = plane(1, 0, 0, 3);
    const int size[][2] = {{SPHERE, 3}, {OBB, 12}, {OBB, 13},       {OBB, 14},       {CAPSULE, 6},   {CYLINDER, 6},
                           {CONE, 6},   {CONE, 7}, {ELLIPSOID, 12}, {ELLIPSOID, 13}, {ELLIPSOID, 14}};
    for (size_t i = 0; i < sizeof size / sizeof *size; ++i) {
        shape s = examples[size[i][0]];
        s.f[size[i][1]] = -1.0f;
        assert_int_equal(side((kind)size[i][0], &s, p), TACT_SIDE_NONE);
        s.f[size[i][1]] = 0.0f;  // flat, thin or small, but something
        assert_int_not_equal(side((kind)size[i][0], &s, p), TACT_SIDE_NONE);
    }
    const shape empty = {{4, 0, 0, 2, 1, 1}}, ends = {{3, 0, 0, 3, 0, 0, 1}}, flat = {{3, 0, 0, 0, 0, 0, 1, 1}};
    const shape volume = {{3, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1}};
    assert_int_equal(side(AABB, &empty, p), TACT_SIDE_NONE);
    assert_int_equal(side(CYLINDER, &ends, p), TACT_SIDE_NONE);
    assert_int_equal(side(CONE, &flat, p), TACT_SIDE_NONE);
    assert_int_equal(side(OBB, &volume, p), TACT_SIDE_NONE);
    assert_int_equal(side(CAPSULE, &ends, p), TACT_SIDE_BOTH);  // a sphere
}

/// The sum of half_i n . axis_i without absolute values is 0 here, and the box seems a point (D7).
TEST(an_obb_reaches_as_far_whatever_its_axes_point_to)
{
    const tact_obb box = {{0, 0, 0}, {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}, {1, 1, 0.5f}};
    assert_int_equal(tact_obb_plane_side(&box, plane(1, 1, 0, 1.5f)), TACT_SIDE_BOTH);
    assert_int_equal(tact_obb_plane_side(&box, plane(1, 1, 0, 2.0f)), TACT_SIDE_BOTH);
    assert_int_equal(tact_obb_plane_side(&box, plane(1, 1, 0, 2.001f)), TACT_SIDE_BEHIND);
}

/// The printed base point is apex + h v + r m with an m of length sin of the angle: too shallow (D8). And for a normal
/// along the axis m is 0, not NaN.
TEST(a_cone_reaches_to_the_rim_of_its_base)
{
    const tact_cone cone = {{0, 0, 0}, {1, 0, 0}, 4, 3};  // the rim in direction (3, 4): (4, 3), height 24
    assert_int_equal(tact_cone_plane_side(&cone, plane(3, 4, 0, 24)), TACT_SIDE_BOTH);
    assert_int_equal(tact_cone_plane_side(&cone, plane(3, 4, 0, 23.9f)), TACT_SIDE_BOTH);
    assert_int_equal(tact_cone_plane_side(&cone, plane(3, 4, 0, 24.001f)), TACT_SIDE_BEHIND);
    assert_int_equal(tact_cone_plane_side(&cone, plane(3, 4, 0, 0)), TACT_SIDE_BOTH);
    assert_int_equal(tact_cone_plane_side(&cone, plane(4, 3, 0, -0.001f)), TACT_SIDE_FRONT);
    assert_int_equal(tact_cone_plane_side(&cone, plane(1, 0, 0, 4)), TACT_SIDE_BOTH);
    assert_int_equal(tact_cone_plane_side(&cone, plane(-1, 0, 0, -4)), TACT_SIDE_BOTH);
    assert_int_equal(tact_cone_plane_side(&cone, plane(1, 0, 0, 4.001f)), TACT_SIDE_BEHIND);
}

/// Far from the origin and at the ends of the format.
TEST(large_numbers_do_not_hide_a_touch)
{
    const tact_sphere far = {{16777216.0f, -16777216.0f, 3.0f}, 5.0f};
    assert_int_equal(tact_sphere_plane_side(far, plane(3, 3, 4, 12)), TACT_SIDE_BOTH);
    const float d = 12.0f + 5.0f * sqrtf(34.0f);
    assert_int_equal(tact_sphere_plane_side(far, plane(3, 3, 4, nextafterf(d, 0))), TACT_SIDE_BOTH);
    assert_int_equal(tact_sphere_plane_side(far, plane(3, 3, 4, nextafterf(nextafterf(d, 99), 99))), TACT_SIDE_BEHIND);
    const tact_sphere touch = {{16777216.0f, -16777216.0f, 3.0f}, 2.0f};
    assert_int_equal(tact_sphere_plane_side(touch, plane(0, 0, 7, 35)), TACT_SIDE_BOTH);
    assert_int_equal(tact_sphere_plane_side(touch, plane(0, 0, 7, 35.00001f)), TACT_SIDE_BEHIND);
    // Large terms that cancel round the small one up by a third, past the radius times the normal's length.
    const float height = 0.75f * 0x1p-22f, radius = 0.87f * 0x1p-22f / sqrtf(3.0f);
    const tact_sphere above = {{height, 0x1p30f, 0x1p30f}, radius};
    assert_int_equal(tact_sphere_plane_side(above, plane(1, 1, -1, 0)), TACT_SIDE_BOTH);
    const float big = FLT_MAX, small = FLT_TRUE_MIN;
    const tact_aabb all = {{-big, -big, -big}, {big, big, big}}, least = {{0, 0, 0}, {small, small, small}};
    assert_int_equal(tact_aabb_plane_side(all, plane(big, big, big, big)), TACT_SIDE_BOTH);
    assert_int_equal(tact_aabb_plane_side(least, plane(small, small, small, 0)), TACT_SIDE_BOTH);
    assert_int_equal(tact_aabb_plane_side(least, plane(1, 0, 0, small)), TACT_SIDE_BOTH);
    assert_int_equal(tact_aabb_plane_side(least, plane(1, 0, 0, 2 * small)), TACT_SIDE_BEHIND);
    // Sums that cancel over many orders of magnitude.
    const tact_triangle t = {{0x1p60f, 1, 0}, {0x1p60f, 2, 0}, {0x1p60f, 3, 0}};
    assert_int_equal(tact_triangle_plane_side(&t, plane(1, 0x1p-70f, 0, 0x1p60f)), TACT_SIDE_FRONT);
    assert_int_equal(tact_triangle_plane_side(&t, plane(1, -0x1p-70f, 0, 0x1p60f)), TACT_SIDE_BEHIND);
}

static bool thick_sides(const tact_vec3* p, size_t count, tact_plane plane, float thickness, size_t front,
                        size_t behind, size_t within)
{
    const tact_thick_sides s = tact_points_thick_plane(p, count, plane, thickness);
    return s.front == front && s.behind == behind && s.within == within;
}

TEST(points_are_in_front_of_behind_and_within_thick_planes)
{
    const tact_vec3 p[6] = {{5, 1, 2.5f}, {1, 7, 1.5f}, {3, 3, 2.50001f}, {0, 0, 1.49f}, {9, 9, 2}, {-4, 0, 9}};
    tact_vec3 bad[2] = {{0, 0, 0}, {0, 0, 0}};
    const tact_plane level = {{0, 0, 2}, 4};
    assert_true(thick_sides(p, 6, level, 0.5f, 2, 1, 3));
    assert_true(thick_sides(p, 6, level, 0.0f, 3, 2, 1));
    assert_true(thick_sides(p, 6, level, 100.0f, 0, 0, 6));
    assert_true(thick_sides(p, 0, level, 0.5f, 0, 0, 0));
    assert_true(thick_sides(p, 6, level, -0.5f, 0, 0, 0) && thick_sides(p, 6, level, NAN, 0, 0, 0));
    assert_true(thick_sides(p, 6, (tact_plane){{0, 0, 0}, 4}, 0.5f, 0, 0, 0));
    bad[1].y = INFINITY;
    assert_true(thick_sides(bad, 1, level, 0.5f, 0, 1, 0) && thick_sides(bad, 2, level, 0.5f, 0, 0, 0));
    test_random r = test_random_seeded(31);
    for (int i = 0; i < 20000; ++i) {
        const tact_vec3 q = {test_random_signed(&r), test_random_signed(&r), test_random_signed(&r)};
        const tact_plane any = {{test_random_signed(&r), test_random_signed(&r), 0.25f}, test_random_signed(&r)};
        const float thickness = 0.5f * test_random_unit(&r);
        const tact_side side = tact_sphere_plane_side((tact_sphere){q, thickness}, any);
        assert_true(thick_sides(&q, 1, any, thickness, side == TACT_SIDE_FRONT, side == TACT_SIDE_BEHIND,
                                side == TACT_SIDE_BOTH));
    }
}

#ifdef __SIZEOF_FLOAT128__

__extension__ typedef __float128 wide;

static wide w_sqrt(wide x)
{
    if (!(x > 0)) return 0;
    wide r = (wide)sqrt((double)x);
    for (int i = 0; i < 2; ++i)
        r = (r + x / r) / 2;
    return r;
}

typedef struct wvec {
    wide v[3];
} wvec;

static wvec w_of(const float* f)
{
    return (wvec){{(wide)f[0], (wide)f[1], (wide)f[2]}};
}

static wide w_dot(wvec a, wvec b)
{
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

static wvec w_along(wvec a, wide s, wvec b)
{
    return (wvec){{a.v[0] + s * b.v[0], a.v[1] + s * b.v[1], a.v[2] + s * b.v[2]}};
}

typedef struct span {
    wide low, high;
} span;

static void extend(span* s, wide height, wide reach)
{
    if (height - reach < s->low) s->low = height - reach;
    if (height + reach > s->high) s->high = height + reach;
}

/// The disc's reach by Pythagoras: what of the normal is not along the axis.
static wide rim(wvec n, wvec axis, wide radius)
{
    const wide along = w_dot(n, axis);
    const wide square = w_dot(n, n) - along * along / w_dot(axis, axis);
    return radius * w_sqrt(square);
}

static void corners(const float* center, const float* axes, const float* half, wvec n, wide d, span* out)
{
    for (int c = 0; c < 8; ++c) {
        wvec p = w_of(center);
        for (int i = 0; i < 3; ++i)
            p = w_along(p, (wide)half[i] * (c >> i & 1 ? 1 : -1), w_of(axes + 3 * i));
        extend(out, w_dot(n, p) - d, 0);
    }
}

/// n' M n with M the sum of radius^2 axis axis'.
static wide quadric(const float* axes, const float* radius, wvec n)
{
    wide sum = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            wide m = 0;
            for (int k = 0; k < 3; ++k)
                m += (wide)radius[k] * (wide)radius[k] * (wide)axes[3 * k + i] * (wide)axes[3 * k + j];
            sum += n.v[i] * m * n.v[j];
        }
    }
    return w_sqrt(sum);
}

static span oracle(kind k, const shape* s, tact_plane p)
{
    span r = {(wide)INFINITY, -(wide)INFINITY};
    const float* f = s->f;
    const wvec n = w_of(&p.normal.x);
    const wide d = (wide)p.distance, length = w_sqrt(w_dot(n, n));
    if (k == SPHERE) extend(&r, w_dot(n, w_of(f)) - d, (wide)f[3] * length);
    if (k == AABB) {
        for (int c = 0; c < 8; ++c) {
            const wvec q = {{(wide)f[c & 1 ? 3 : 0], (wide)f[c & 2 ? 4 : 1], (wide)f[c & 4 ? 5 : 2]}};
            extend(&r, w_dot(n, q) - d, 0);
        }
    }
    if (k == OBB) corners(f, f + 3, f + 12, n, d, &r);
    for (int i = 0; k == TRIANGLE && i < 3; ++i)
        extend(&r, w_dot(n, w_of(f + 3 * i)) - d, 0);
    if (k == CAPSULE || k == CYLINDER) {
        const wvec a = w_of(f), b = w_of(f + 3), axis = w_along(b, -1, a);
        const wide reach = k == CAPSULE ? (wide)f[6] * length : rim(n, axis, (wide)f[6]);
        extend(&r, w_dot(n, a) - d, reach);
        extend(&r, w_dot(n, b) - d, reach);
    }
    if (k == CONE) {
        const wvec a = w_of(f), axis = w_of(f + 3);
        extend(&r, w_dot(n, a) - d, 0);
        extend(&r, w_dot(n, w_along(a, (wide)f[6], axis)) - d, rim(n, axis, (wide)f[7]));
    }
    if (k == ELLIPSOID) extend(&r, w_dot(n, w_of(f)) - d, quadric(f + 3, f + 12, n));
    return r;
}

static float number(test_random* r, int how)
{
    const float x = test_random_signed(r);
    return how == 0 ? floorf(4.0f * x) : how == 1 ? x : how == 2 ? 1e6f * x : how == 3 ? 1e-6f * x : 1e4f + x;
}

static shape random_shape(test_random* r, kind k, int how)
{
    shape s = {{0}};
    for (int i = 0; i < 15; ++i)
        s.f[i] = number(r, how);
    for (int i = 0; k == AABB && i < 3; ++i) {
        if (s.f[i] <= s.f[i + 3]) continue;
        const float swap = s.f[i];
        s.f[i] = s.f[i + 3];
        s.f[i + 3] = swap;
    }
    if (k == OBB || k == ELLIPSOID) {
        test_random_rotation(r, s.f + 3);
        for (int i = 12; i < 15; ++i)
            s.f[i] = test_random_below(r, 8) == 0 ? 0.0f : fabsf(s.f[i]);
    }
    if (k == CONE) {
        float axes[9];
        test_random_rotation(r, axes);
        memcpy(s.f + 3, axes, 3 * sizeof *axes);
    }
    const int last = numbers[k] - 1;
    if (k == SPHERE || k == CAPSULE || k == CYLINDER || k == CONE)
        s.f[last] = test_random_below(r, 8) == 0 ? 0.0f : fabsf(s.f[last]);
    if (k == CONE) s.f[6] = fabsf(s.f[6]);
    if (k == CYLINDER && memcmp(s.f, s.f + 3, 3 * sizeof *s.f) == 0) s.f[0] += 1.0f;
    return s;
}

/// A plane through the shape's middle, one that just touches it to rounding, or any.
static tact_plane random_plane(test_random* r, kind k, const shape* s, int how)
{
    tact_plane p = plane(number(r, how == 0 ? 0 : 1), number(r, how == 0 ? 0 : 1), number(r, how == 0 ? 0 : 1), 0);
    if (p.normal.x == 0.0f && p.normal.y == 0.0f && p.normal.z == 0.0f) p.normal.x = 1.0f;
    const span at = oracle(k, s, p);
    const double t[] = {-0.5, 0.0, 0.0, 0.5, 1.0, 1.0, 1.5};
    p.distance = (float)((double)at.low + t[test_random_below(r, 7)] * (double)(at.high - at.low));
    if (how == 0) p.distance = floorf(p.distance);
    return p;
}

TEST(sides_agree_with_wider_arithmetic)
{
    test_random r = test_random_seeded(11);
    int seen[KINDS][4] = {{0}}, doubtful = 0;
    for (int i = 0; i < 1200000; ++i) {
        const kind k = (kind)(i % KINDS);
        const int how = i / KINDS % 5;
        const shape s = random_shape(&r, k, how);
        const tact_plane p = random_plane(&r, k, &s, how);
        const span at = oracle(k, &s, p);
        const tact_side got = side(k, &s, p);
        const tact_side want = at.low > 0 ? TACT_SIDE_FRONT : at.high < 0 ? TACT_SIDE_BEHIND : TACT_SIDE_BOTH;
        const tact_containment in = halfspace(k, &s, p);
        const tact_containment inside = at.high <= 0 ? TACT_INSIDE : at.low <= 0 ? TACT_INTERSECTING : TACT_OUTSIDE;
        ++seen[k][got];
        if (got == want && in == inside && overlap(k, &s, p) == (got == TACT_SIDE_BOTH)) continue;
        // Rounding: 2^-48 of the height's terms, for kinds whose reach takes a root or whose axes are rounded.
        const double near = fmin(fabs((double)at.low), fabs((double)at.high));
        const double size = fabs((double)p.distance) + fabs((double)at.low) + fabs((double)at.high);
        const bool exact = k == AABB || k == TRIANGLE;
        if (exact || near > 0x1p-48 * size) fail_msg("case %d, kind %d: %d, not %d (by %g)", i, k, got, want, near);
        ++doubtful;
    }
    for (int k = 0; k < KINDS; ++k) {
        for (int j = 1; j < 4; ++j)
            assert_true(seen[k][j] > 5000);
        assert_int_equal(seen[k][0], 0);
    }
    assert_true(doubtful < 2000);
}

#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
