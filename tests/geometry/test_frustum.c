// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Frusta of all common projections, against clip space, corners by the eight, and polygons cut by planes, in extended
// precision.

#include <float.h>

#include "tests/support/run.h"

#include "tact/geometry/frustum.h"
#include "tests/geometry/overlap_numbers.h"

enum { SYMMETRIC, OFF_CENTRE, ORTHOGRAPHIC, INFINITE, REVERSED, REVERSED_INFINITE, PROJECTIONS };

typedef struct view {
    double m[4][4];
    float f[16];  // by rows
    tact_clip_depth depth;
    double size;
} view;

static void multiply(double a[4][4], double b[4][4], double c[4][4])
{
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            c[i][j] = 0.0;
            for (int k = 0; k < 4; ++k)
                c[i][j] += a[i][k] * b[k][j];
        }
    }
}

/// Depth row for a camera that looks along -z: clip z = a z + b, where w is -z or 1.
static void depth_row(int kind, tact_clip_depth depth, double n, double f, double* a, double* b)
{
    const double low = depth == TACT_CLIP_ZERO_TO_ONE ? 0.0 : -1.0;
    const double at_near = kind >= REVERSED ? 1.0 : low, at_far = kind >= REVERSED ? low : 1.0;
    if (kind == ORTHOGRAPHIC) {
        *a = (at_near - at_far) / (f - n);
        *b = at_near + *a * n;
    } else if (kind == INFINITE || kind == REVERSED_INFINITE) {
        *a = -at_far;
        *b = (at_near - at_far) * n;
    } else {
        *a = (at_near * n - at_far * f) / (f - n);
        *b = n * (*a + at_near);
    }
}

static view make_view(int kind, tact_clip_depth depth, const double* bounds, const float* axes, const double* eye)
{
    const double l = bounds[0], r = bounds[1], b = bounds[2], t = bounds[3], n = bounds[4], f = bounds[5];
    double p[4][4] = {{0}}, v[4][4] = {{0}};
    const bool ortho = kind == ORTHOGRAPHIC;
    p[0][0] = (ortho ? 2.0 : 2.0 * n) / (r - l);
    p[0][ortho ? 3 : 2] = (ortho ? -1.0 : 1.0) * (r + l) / (r - l);
    p[1][1] = (ortho ? 2.0 : 2.0 * n) / (t - b);
    p[1][ortho ? 3 : 2] = (ortho ? -1.0 : 1.0) * (t + b) / (t - b);
    depth_row(kind, depth, n, f, &p[2][2], &p[2][3]);
    p[3][ortho ? 3 : 2] = ortho ? 1.0 : -1.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            v[i][j] = (double)axes[3 * i + j];
            v[i][3] -= v[i][j] * eye[j];
        }
    }
    v[3][3] = 1.0;
    view w;
    multiply(p, v, w.m);
    for (int k = 0; k < 16; ++k) {
        w.f[k] = (float)w.m[k / 4][k % 4];
        w.m[k / 4][k % 4] = (double)w.f[k];
    }
    w.depth = depth;
    w.size = f;
    return w;
}

static view random_view(test_random* r, int kind)
{
    float axes[9];
    test_random_rotation(r, axes);
    const double n = 0.1 + (double)test_random_unit(r), x = 0.2 + (double)test_random_unit(r);
    const double y = 0.2 + (double)test_random_unit(r);
    const double shift = kind == OFF_CENTRE ? 1.5 * (double)test_random_signed(r) : 0.0;
    const double bounds[6] = {
        n * (shift - x), n * (shift + x), n * -y, n * y, n, n + 10.0 * (double)test_random_unit(r) + 1.0};
    const double eye[3] = {5.0 * (double)test_random_signed(r), 5.0 * (double)test_random_signed(r),
                           5.0 * (double)test_random_signed(r)};
    return make_view(kind, test_random_below(r, 2) ? TACT_CLIP_ZERO_TO_ONE : TACT_CLIP_MINUS_ONE_TO_ONE, bounds, axes,
                     eye);
}

static tact_frustum frustum_of(const view* v)
{
    tact_frustum f;
    assert_true(tact_frustum_from_matrix(v->f, TACT_MATRIX_BY_ROWS, v->depth, &f));
    return f;
}

static void clip(const view* v, rvec p, real w, real* c)
{
    for (int k = 0; k < 4; ++k)
        c[k] = (real)v->m[k][0] * p.x + (real)v->m[k][1] * p.y + (real)v->m[k][2] * p.z + (real)v->m[k][3] * w;
}

/// How far inside each bound of clip space.
static void margins(const view* v, rvec p, real w, real* margin)
{
    real c[4];
    clip(v, p, w, c);
    for (int k = 0; k < 6; ++k)
        margin[k] = (k == 4 && v->depth == TACT_CLIP_ZERO_TO_ONE ? 0 : c[3]) + (k % 2 ? -c[k / 2] : c[k / 2]);
}

static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

TEST(the_identity_shows_clip_space)
{
    for (int d = 0; d < 2; ++d) {
        tact_frustum f;
        const float low = d == 0 ? -1.0f : 0.0f;
        assert_true(tact_frustum_from_matrix(identity, TACT_MATRIX_BY_ROWS, (tact_clip_depth)d, &f));
        assert_int_equal(f.planes, 0x3f);
        assert_int_equal(f.directions, 0);
        for (int k = 0; k < 8; ++k) {
            assert_true(f.corner[k].x == (k & 1 ? 1.0f : -1.0f) && f.corner[k].y == (k & 2 ? 1.0f : -1.0f));
            assert_true(f.corner[k].z == (k & 4 ? 1.0f : low));
        }
        assert_true(f.plane[TACT_FRUSTUM_LEFT].normal.x == -1.0f && f.plane[TACT_FRUSTUM_LEFT].distance == 1.0f);
        assert_true(f.plane[TACT_FRUSTUM_NEAR].normal.z == -1.0f && f.plane[TACT_FRUSTUM_NEAR].distance == -low);
        // Touching from inside is inside, from outside it intersects.
        assert_int_equal(tact_frustum_sphere(&f, (tact_sphere){{0, 0.5f, 0.5f}, 0.5f}), TACT_INSIDE);
        assert_int_equal(tact_frustum_sphere(&f, (tact_sphere){{0, 0.5f, 0.5f}, 0.501f}), TACT_INTERSECTING);
        assert_int_equal(tact_frustum_sphere(&f, (tact_sphere){{0, 2, 0.5f}, 1}), TACT_INTERSECTING);
        assert_int_equal(tact_frustum_sphere(&f, (tact_sphere){{0, 2, 0.5f}, 0.999f}), TACT_OUTSIDE);
        assert_int_equal(tact_frustum_sphere(&f, (tact_sphere){{0, 0, low - 1.0f}, 0.999f}), TACT_OUTSIDE);
        assert_int_equal(tact_frustum_aabb(&f, (tact_aabb){{-1, -1, low}, {1, 1, 1}}), TACT_INSIDE);
        assert_int_equal(tact_frustum_aabb(&f, (tact_aabb){{1, 1, 1}, {2, 2, 2}}), TACT_INTERSECTING);
        assert_int_equal(tact_frustum_aabb(&f, (tact_aabb){{1.001f, 1, 1}, {2, 2, 2}}), TACT_OUTSIDE);
        assert_true(tact_frustum_contains_point(&f, (tact_vec3){1, -1, low}));
        assert_false(tact_frustum_contains_point(&f, (tact_vec3){1, -1.0001f, 0.5f}));
    }
}

TEST(the_order_of_elements_is_what_is_said)
{
    test_random r = test_random_seeded(1);
    for (int i = 0; i < 100; ++i) {
        const view v = random_view(&r, i % PROJECTIONS);
        const tact_frustum f = frustum_of(&v);
        float turned_over[16];
        for (int k = 0; k < 16; ++k)
            turned_over[k % 4 * 4 + k / 4] = v.f[k];
        tact_frustum g;
        assert_true(tact_frustum_from_matrix(turned_over, TACT_MATRIX_BY_COLUMNS, v.depth, &g));
        assert_memory_equal(&f, &g, sizeof f);
        assert_true(tact_frustum_from_planes(f.plane, &g));
        assert_int_equal(g.planes, f.planes);
        assert_int_equal(g.directions, f.directions);
    }
}

/// Powers of two only move exponents.
TEST(any_scale_gives_the_same_frustum)
{
    test_random r = test_random_seeded(3);
    for (int i = 0; i < 400; ++i) {
        view v = random_view(&r, i % PROJECTIONS);
        const tact_frustum f = frustum_of(&v);
        const float scale = i % 4 < 2 ? 0x1p-20f : 0x1p20f, w = i % 2 ? 0x1p-9f : 0x1p9f;
        for (int k = 0; k < 16; ++k)
            v.f[k] *= k % 4 < 3 ? w / scale : w;
        const tact_frustum g = frustum_of(&v);
        assert_true(f.planes == g.planes && f.directions == g.directions);
        for (int k = 0; k < 6; ++k) {
            assert_memory_equal(&f.plane[k].normal, &g.plane[k].normal, sizeof f.plane[k].normal);
            assert_true(scale * f.plane[k].distance == g.plane[k].distance);
        }
        for (int k = 0; k < 8; ++k) {
            const float s = f.directions >> k & 1 ? 1.0f : scale;
            assert_true(s * f.corner[k].x == g.corner[k].x && s * f.corner[k].z == g.corner[k].z);
        }
    }
}

TEST(a_far_plane_at_infinity_is_missing)
{
    const double bounds[6] = {-1, 1, -1, 1, 1, 9}, eye[3] = {0, 0, 0};
    const float axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < 4; ++i) {
        const bool reversed = i & 1;
        const view v = make_view(reversed ? REVERSED_INFINITE : INFINITE, (tact_clip_depth)(i / 2), bounds, axes, eye);
        const tact_frustum f = frustum_of(&v);
        const uint32_t missing = reversed ? TACT_FRUSTUM_NEAR : TACT_FRUSTUM_FAR;
        assert_int_equal(f.planes, 0x3f & ~(1u << missing));
        assert_int_equal(f.directions, reversed ? 0x0f : 0xf0);
        const tact_vec3 d = f.corner[reversed ? 3 : 7], c = f.corner[reversed ? 7 : 3];
        const float third = (float)(1.0 / sqrt(3.0));
        assert_true(fabsf(d.x - third) < 1e-6f && fabsf(d.y - third) < 1e-6f && fabsf(d.z + third) < 1e-6f);
        assert_true(fabsf(c.x - 1) < 1e-6f && fabsf(c.y - 1) < 1e-6f && fabsf(c.z + 1) < 1e-6f);
        assert_int_equal(tact_frustum_sphere(&f, (tact_sphere){{0, 0, -1e30f}, 1}), TACT_INSIDE);
        assert_int_equal(tact_frustum_sphere(&f, (tact_sphere){{0, 0, 3}, 1}), TACT_OUTSIDE);
        // In front of the eye's plane, large and beside: only the corners tell.
        const tact_aabb beside = {{-100, -100, 2}, {100, 100, 100}}, around = {{-100, -100, -9}, {100, 100, 100}};
        assert_int_equal(tact_frustum_aabb_tight(&f, beside), TACT_OUTSIDE);
        assert_int_equal(tact_frustum_aabb_tight(&f, around), TACT_INTERSECTING);
    }
}

TEST(bad_numbers_show_nothing)
{
    const float bad[] = {NAN, INFINITY, -INFINITY};
    tact_frustum f;
    const tact_vec3 origin = {0, 0, 0.5f};
    const tact_obb box = {{0, 0, 0.5f}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0.1f, 0.1f, 0.1f}};
    for (int i = 0; i < 48; ++i) {
        float m[16];
        memcpy(m, identity, sizeof m);
        m[i % 16] = bad[i / 16];
        assert_false(tact_frustum_from_matrix(m, TACT_MATRIX_BY_ROWS, TACT_CLIP_ZERO_TO_ONE, &f));
        assert_int_equal(tact_frustum_sphere(&f, (tact_sphere){{0, 0, 0.5f}, 0.1f}), TACT_OUTSIDE);
        assert_int_equal(tact_frustum_aabb_tight(&f, (tact_aabb){{0, 0, 0}, {1, 1, 1}}), TACT_OUTSIDE);
        assert_int_equal(tact_frustum_obb_tight(&f, &box), TACT_OUTSIDE);
        assert_false(tact_frustum_contains_point(&f, origin));
        assert_int_equal(tact_frustum_octant(&f, origin), 0);
        assert_int_equal(tact_clip_points(m, TACT_MATRIX_BY_ROWS, TACT_CLIP_ZERO_TO_ONE, &origin, 1), TACT_OUTSIDE);
    }
    assert_true(tact_frustum_from_matrix(identity, TACT_MATRIX_BY_ROWS, TACT_CLIP_ZERO_TO_ONE, &f));
    for (int i = 0; i < 45; ++i) {
        float g[15] = {0, 0, 0.5f, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1f, 0.1f, 0.1f};
        g[i % 15] = bad[i / 15];
        const tact_obb b = obb(g);
        assert_int_equal(tact_frustum_obb(&f, &b), TACT_OUTSIDE);
        float s[6] = {0, 0, 0.5f, 1, 1, 1};
        s[i % 6] = bad[i / 15];
        assert_int_equal(tact_frustum_aabb(&f, aabb(s)), TACT_OUTSIDE);
        if (i % 6 < 4) assert_int_equal(tact_frustum_sphere(&f, sphere(s)), TACT_OUTSIDE);
        if (i % 6 < 3) {
            assert_false(tact_frustum_contains_point(&f, (tact_vec3){s[0], s[1], s[2]}));
            assert_int_equal(tact_frustum_octant(&f, (tact_vec3){s[0], s[1], s[2]}), 0);
            const tact_vec3 p = {s[0], s[1], s[2]};
            assert_int_equal(tact_clip_points(identity, TACT_MATRIX_BY_ROWS, TACT_CLIP_ZERO_TO_ONE, &p, 1),
                             TACT_OUTSIDE);
        }
        tact_frustum bent = f;  // by hand
        float* number = i % 4 == 3 ? &bent.plane[i % 6].distance : &bent.plane[i % 6].normal.x + i % 4;
        *number = bad[i / 15];
        assert_int_equal(tact_frustum_sphere(&bent, (tact_sphere){{0, 0, 0.5f}, 0.1f}), TACT_OUTSIDE);
        tact_frustum g2;
        assert_false(tact_frustum_from_planes(bent.plane, &g2));
        assert_int_equal(g2.planes, 0);
    }
    assert_int_equal(tact_frustum_sphere(&f, (tact_sphere){{0, 0, 0.5f}, -0.1f}), TACT_OUTSIDE);
    assert_int_equal(tact_frustum_aabb(&f, (tact_aabb){{1, 0, 0}, {0, 1, 1}}), TACT_OUTSIDE);
    assert_int_equal(tact_clip_points(identity, TACT_MATRIX_BY_ROWS, TACT_CLIP_ZERO_TO_ONE, &origin, 0), TACT_OUTSIDE);
}

TEST(matrices_without_a_volume_are_refused)
{
    tact_frustum f;
    float m[16] = {0};
    assert_false(tact_frustum_from_matrix(m, TACT_MATRIX_BY_ROWS, TACT_CLIP_ZERO_TO_ONE, &f));
    for (int i = 0; i < 16; i += 5) {  // singular, or inside out
        memcpy(m, identity, sizeof m);
        m[i] = 0.0f;
        assert_false(tact_frustum_from_matrix(m, TACT_MATRIX_BY_ROWS, TACT_CLIP_ZERO_TO_ONE, &f));
    }
    memcpy(m, identity, sizeof m);
    m[15] = -1.0f;
    assert_false(tact_frustum_from_matrix(m, TACT_MATRIX_BY_ROWS, TACT_CLIP_MINUS_ONE_TO_ONE, &f));
    memcpy(m, identity, sizeof m);
    m[4] = 1.0f;
    m[5] = 0.0f;  // y is x
    assert_false(tact_frustum_from_matrix(m, TACT_MATRIX_BY_ROWS, TACT_CLIP_MINUS_ONE_TO_ONE, &f));
    tact_plane planes[6] = {{{-1, 0, 0}, FLT_MAX}, {{1, 0, 0}, 1},  {{0, -1, 0}, 1},
                            {{0, 1, 0}, 1},        {{0, 0, -1}, 1}, {{0, 0, 1}, 1}};
    assert_true(tact_frustum_from_planes(planes, &f));
    planes[0].normal.x = -0x1p-20f;  // farther than floats go
    assert_false(tact_frustum_from_planes(planes, &f));
    planes[0] = (tact_plane){{-1, 0, 0}, -2};  // x >= 2 and x <= 1
    assert_false(tact_frustum_from_planes(planes, &f));
    planes[0] = (tact_plane){{0, 0, 0}, 1};
    assert_false(tact_frustum_from_planes(planes, &f));
}

/// A near plane through the eye: its four corners are one point, which rounding puts on the wrong side of some plane.
TEST(a_pyramid_is_a_frustum)
{
    test_random r = test_random_seeded(8);
    for (int i = 0; i < 3000; ++i) {
        float axes[9];
        test_random_rotation(&r, axes);
        const float eye[3] = {1000.0f * test_random_signed(&r), test_random_signed(&r), 30.0f * test_random_signed(&r)};
        tact_plane planes[6];
        for (int k = 0; k < 6; ++k) {
            // Sides at 20 to 65 degrees from the axis, which is the third row.
            const float angle = 0.35f + 0.8f * test_random_unit(&r), sign = k % 2 ? 1.0f : -1.0f;
            float n[3];
            double d = 0.0;
            for (int c = 0; c < 3; ++c) {
                n[c] =
                    k < 4 ? sign * cosf(angle) * axes[3 * (k / 2) + c] - sinf(angle) * axes[6 + c] : sign * axes[6 + c];
                d += (double)n[c] * ((double)eye[c] + (k == 5 ? 10.0 * (double)axes[6 + c] : 0.0));
            }
            planes[k] = (tact_plane){{n[0], n[1], n[2]}, (float)d};
        }
        tact_frustum f;
        if (!tact_frustum_from_planes(planes, &f)) fail_msg("case %d is refused", i);
        for (int k = 0; k < 4; ++k)
            assert_true(fabsf(f.corner[k].x - eye[0]) < 2e-3f && fabsf(f.corner[k].z - eye[2]) < 2e-3f);
    }
}

TEST(planes_bound_what_clip_space_shows)
{
    test_random r = test_random_seeded(2);
    int inside = 0, cases = 0;
    for (int i = 0; i < 25000; ++i) {
        const int kind = i % PROJECTIONS;
        const view v = random_view(&r, kind);
        const tact_frustum f = frustum_of(&v);
        for (int k = 0; k < 8; ++k) {  // corners are where three bounds are met, and within the others
            real m[6], size = 1 + (real)v.size;
            const bool direction = f.directions >> k & 1;
            margins(&v, at(&f.corner[k].x), direction ? 0 : 1, m);
            for (int j = 0; j < 6; ++j) {
                const bool on = (k >> j / 2 & 1) == (j & 1);
                if (on && !(direction && j >= 4)) assert_true(fabsl(m[j]) < 3e-5L * size * size);
                if (!on && f.planes >> j & 1) assert_true(m[j] > -3e-5L * size * size);
            }
        }
        for (int n = 0; n < 40; ++n) {
            const tact_vec3 a = f.corner[0], b = f.corner[f.directions & 0x80 ? 3 : 7];
            const float t = 2.0f * test_random_unit(&r) - 0.5f, s = 3.0f;
            const tact_vec3 p = {a.x + t * (b.x - a.x) + s * test_random_signed(&r),
                                 a.y + t * (b.y - a.y) + s * test_random_signed(&r),
                                 a.z + t * (b.z - a.z) + s * test_random_signed(&r)};
            real m[6], least = HUGE_VALL;
            margins(&v, at(&p.x), 1, m);
            for (int j = 0; j < 6; ++j)
                least = fminl(least, m[j]);
            const bool got = tact_frustum_contains_point(&f, p);
            inside += got;
            ++cases;
            if (fabsl(least) > 2e-5L && got != (least > 0)) fail_msg("case %d: %d, by %g", i, got, (double)least);
        }
    }
    assert_true(inside > cases / 20 && inside < cases * 19 / 20);
}

/// Outside one plane with all corners, or inside all with all: in extended precision, corner by corner.
static tact_containment by_corners(const tact_frustum* f, const rvec* p, int count, real radius, real* doubt)
{
    bool outside = false, inside = true;
    *doubt = HUGE_VALL;
    for (int k = 0; k < 6; ++k) {
        if (!(f->planes >> k & 1)) continue;
        real low = HUGE_VALL, high = -HUGE_VALL;
        for (int i = 0; i < count; ++i) {
            const real h = dot(at(&f->plane[k].normal.x), p[i]) - (real)f->plane[k].distance;
            low = fminl(low, h - radius);
            high = fmaxl(high, h + radius);
        }
        outside = outside || low > 0;
        inside = inside && high <= 0;
        *doubt = fminl(*doubt, fminl(fabsl(low), fabsl(high)));
    }
    return outside ? TACT_OUTSIDE : inside ? TACT_INSIDE : TACT_INTERSECTING;
}

static void draw_box(test_random* r, const tact_frustum* f, float* g, bool aligned)
{
    const tact_vec3 a = f->corner[f->directions & 1 ? 4 : 0],
                    b = f->corner[f->directions ? f->directions & 1 ? 7 : 3 : 7];
    const float t = test_random_unit(r), spread = 4.0f, big = test_random_below(r, 3) ? 1.0f : 8.0f;
    g[0] = a.x + t * (b.x - a.x) + spread * test_random_signed(r);
    g[1] = a.y + t * (b.y - a.y) + spread * test_random_signed(r);
    g[2] = a.z + t * (b.z - a.z) + spread * test_random_signed(r);
    if (aligned)
        memcpy(g + 3, (const float[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof *g);
    else
        test_random_rotation(r, g + 3);
    for (int k = 12; k < 15; ++k)
        g[k] = big * test_random_unit(r) * test_random_unit(r);
}

static tact_aabb bounds_of(const float* g)
{
    return (tact_aabb){{g[0] - g[12], g[1] - g[13], g[2] - g[14]}, {g[0] + g[12], g[1] + g[13], g[2] + g[14]}};
}

static void corners_of(const float* g, bool aligned, rvec* p)
{
    const tact_aabb b = bounds_of(g);
    for (int c = 0; c < 8; ++c) {
        p[c] = at(g);
        for (int i = 0; i < 3; ++i)
            p[c] = along(p[c], (c >> i & 1 ? 1 : -1) * (real)g[12 + i], at(g + 3 + 3 * i));
        if (aligned)
            p[c] = (rvec){(real)(c & 1 ? b.upper.x : b.lower.x), (real)(c & 2 ? b.upper.y : b.lower.y),
                          (real)(c & 4 ? b.upper.z : b.lower.z)};
    }
}

static tact_containment ask(const tact_frustum* f, const float* g, int shape, uint32_t* planes, uint32_t* last)
{
    const tact_obb b = obb(g);
    const tact_sphere s = {{g[0], g[1], g[2]}, g[12]};
    if (shape == 0) return tact_frustum_sphere_masked(f, s, planes, last);
    return shape == 1 ? tact_frustum_aabb_masked(f, bounds_of(g), planes, last)
                      : tact_frustum_obb_masked(f, &b, planes, last);
}

static tact_containment ask_plainly(const tact_frustum* f, const float* g, int shape)
{
    const tact_obb b = obb(g);
    const tact_sphere s = {{g[0], g[1], g[2]}, g[12]};
    if (shape == 0) return tact_frustum_sphere(f, s);
    return shape == 1 ? tact_frustum_aabb(f, bounds_of(g)) : tact_frustum_obb(f, &b);
}

/// A shape within the first one: its answer under the mask must be the plain one.
static void check_child(test_random* r, const tact_frustum* f, const float* g, int shape, uint32_t planes)
{
    float child[15];
    memcpy(child, g, sizeof child);
    for (int k = 12; k < 15; ++k)
        child[k] *= 0.375f;
    child[0] += (shape == 2 ? 0.0f : 0.5f) * g[12] * (float)((int)test_random_below(r, 3) - 1);
    uint32_t last = test_random_below(r, 8);
    const tact_containment plain = ask_plainly(f, child, shape);
    if (ask(f, child, shape, &planes, &last) != plain) fail_msg("the mask changed an answer");
}

TEST(answers_are_those_of_all_corners)
{
    test_random r = test_random_seeded(4);
    int seen[3][3] = {{0}};
    tact_frustum f;
    for (int i = 0; i < 1000000; ++i) {
        if (i % 64 == 0) {
            const view v = random_view(&r, i / 64 % PROJECTIONS);
            f = frustum_of(&v);
        }
        float g[15];
        rvec p[8];
        real doubt;
        const int shape = i % 3;
        draw_box(&r, &f, g, shape == 1);
        corners_of(g, shape == 1, p);
        if (shape == 0) p[0] = at(g);
        const tact_containment expected = by_corners(&f, p, shape == 0 ? 1 : 8, shape == 0 ? (real)g[12] : 0, &doubt);
        uint32_t planes = 0x3f, last = test_random_below(&r, 6);
        const tact_containment got = ask(&f, g, shape, &planes, &last);
        ++seen[shape][got];
        if (doubt > 1e-13L && got != expected) fail_msg("case %d: %d, not %d", i, got, expected);
        if (ask_plainly(&f, g, shape) != got) fail_msg("case %d: first plane %u", i, last);
        if (got == TACT_OUTSIDE) {
            assert_int_equal(planes, 0x3f);
            uint32_t one = 1u << last;  // the plane that told, tells alone
            assert_int_equal(ask(&f, g, shape, &one, NULL), TACT_OUTSIDE);
        }
        if (got == TACT_INTERSECTING) check_child(&r, &f, g, shape, planes);
        uint32_t octant = tact_frustum_octant(&f, (tact_vec3){g[0], g[1], g[2]});
        const tact_containment near = ask(&f, g, shape, &octant, NULL);
        if (shape == 0 ? near != got : near == TACT_OUTSIDE && got != near) fail_msg("case %d: octant", i);
    }
    for (int s = 0; s < 3; ++s) {
        for (int k = 0; k < 3; ++k)
            assert_true(seen[s][k] > 3000);
    }
}

/// Cuts a convex polygon to n . x <= d.
static int cut(rvec* p, int count, rvec n, real d)
{
    rvec kept[32];
    int many = 0;
    for (int i = 0; i < count; ++i) {
        const rvec a = p[i], b = p[(i + 1) % count];
        const real from = dot(n, a) - d, to = dot(n, b) - d;
        if (from <= 0) kept[many++] = a;
        if ((from < 0 && to > 0) || (from > 0 && to < 0)) kept[many++] = along(a, from / (from - to), minus(b, a));
    }
    memcpy(p, kept, (size_t)many * sizeof *p);
    return many;
}

/// Whether the box and the frustum, its planes moved outwards by some distance, have a point in common.
static bool truly_meet(const tact_frustum* f, const float* g, const rvec* corner, real outwards)
{
    static const int face[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};
    for (int k = 0; k < 6; ++k) {
        rvec p[32];
        int count = 4;
        for (int i = 0; i < 4; ++i)
            p[i] = corner[face[k][i]];
        for (int j = 0; j < 6; ++j) {
            if (f->planes >> j & 1)
                count = cut(p, count, at(&f->plane[j].normal.x), (real)f->plane[j].distance + outwards);
        }
        if (count > 0) return true;
    }
    const rvec q = local(at(&f->corner[f->directions & 1 ? 4 : 0].x), g);
    return fabsl(q.x) <= (real)g[12] && fabsl(q.y) <= (real)g[13] && fabsl(q.z) <= (real)g[14];
}

TEST(corners_of_the_frustum_find_large_boxes_outside)
{
    test_random r = test_random_seeded(5);
    int apart = 0, plain = 0, tight = 0;
    tact_frustum f;
    for (int i = 0; i < 200000; ++i) {
        if (i % 16 == 0) {
            const view v = random_view(&r, i / 16 % PROJECTIONS);
            f = frustum_of(&v);
        }
        float g[15];
        rvec p[8];
        const bool aligned = i % 2;
        draw_box(&r, &f, g, aligned);
        for (int k = 12; k < 15; ++k)
            g[k] *= 4.0f;
        for (int k = 0; k < 3; ++k)
            g[k] += 2.0f * g[12 + k] * test_random_signed(&r);
        corners_of(g, aligned, p);
        const tact_obb b = obb(g);
        const tact_containment wide = aligned ? tact_frustum_aabb(&f, bounds_of(g)) : tact_frustum_obb(&f, &b);
        const tact_containment narrow =
            aligned ? tact_frustum_aabb_tight(&f, bounds_of(g)) : tact_frustum_obb_tight(&f, &b);
        if (narrow != wide) assert_true(wide == TACT_INTERSECTING && narrow == TACT_OUTSIDE);
        if (narrow == TACT_OUTSIDE && truly_meet(&f, g, p, -1e-5L)) fail_msg("case %d: it does meet", i);
        if (truly_meet(&f, g, p, 1e-5L)) continue;
        ++apart;
        plain += wide != TACT_OUTSIDE;
        tight += narrow != TACT_OUTSIDE;
    }
    print_message("%d apart; by planes %d not found, with corners %d\n", apart, plain, tight);
    assert_true(plain > 1000 && tight < plain / 2);
}

/// Where three bounds of clip space meet.
static rvec exact_corner(const view* v, int k)
{
    real n[3][4];
    for (int i = 0; i < 3; ++i) {
        const int j = 2 * i + (k >> i & 1);
        const real base = j == 4 && v->depth == TACT_CLIP_ZERO_TO_ONE ? 0 : 1;
        for (int c = 0; c < 4; ++c)
            n[i][c] = base * (real)v->m[3][c] + (j % 2 ? -1 : 1) * (real)v->m[i][c];
    }
    real cross[3][3], det = 0, p[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
        const real *a = n[(i + 1) % 3], *b = n[(i + 2) % 3];
        for (int c = 0; c < 3; ++c)
            cross[i][c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
    }
    for (int c = 0; c < 3; ++c)
        det += n[0][c] * cross[0][c];
    for (int i = 0; i < 3; ++i) {
        for (int c = 0; c < 3; ++c)
            p[c] -= n[i][3] * cross[i][c] / det;
    }
    return (rvec){p[0], p[1], p[2]};
}

/// Boxes that a corner reaches by less than the corner is rounded, far from the origin.
TEST(a_box_that_a_corner_touches_is_never_outside)
{
    test_random r = test_random_seeded(9);
    int touching = 0, beside = 0;
    for (int i = 0; i < 20000; ++i) {
        const double bounds[6] = {-0.7, 0.8, -0.6, 0.9, 1.0, 1.0 + 9.0 * (double)test_random_unit(&r)};
        const double eye[3] = {1000.0 * (double)test_random_signed(&r), 300.0 * (double)test_random_signed(&r),
                               1000.0 * (double)test_random_signed(&r)};
        float axes[9], g[15];
        test_random_rotation(&r, axes);
        const view v = make_view(i % 2 ? SYMMETRIC : ORTHOGRAPHIC, TACT_CLIP_ZERO_TO_ONE, bounds, axes, eye);
        const tact_frustum f = frustum_of(&v);
        test_random_rotation(&r, g + 3);
        rvec corner[8], middle = {0, 0, 0};
        int best = 0;
        for (int k = 0; k < 8; ++k) {
            corner[k] = exact_corner(&v, k);
            middle = along(middle, 0.125L, corner[k]);
            if (dot(at(g + 3), corner[k]) > dot(at(g + 3), corner[best])) best = k;
        }
        const rvec p = along(corner[best], 1e-9L, minus(middle, corner[best]));
        real m[6];
        margins(&v, p, 1, m);
        for (int k = 0; k < 6; ++k)
            assert_true(m[k] > 0);
        g[0] = (float)(p.x + (real)g[3]);
        g[1] = (float)(p.y + (real)g[4]);
        g[2] = (float)(p.z + (real)g[5]);
        g[12] = 2.0f;
        g[13] = g[14] = 40.0f;
        const real reach = fabsl(local(p, g).x);
        g[12] = nextafterf((float)reach, 2.0f * (float)reach);
        const tact_obb touched = obb(g);
        if (tact_frustum_obb(&f, &touched) != TACT_INTERSECTING) continue;
        ++touching;
        if (tact_frustum_obb_tight(&f, &touched) != TACT_INTERSECTING) fail_msg("case %d: a corner is in the box", i);
        g[12] -= 0.01f;
        const tact_obb apart = obb(g);
        beside += tact_frustum_obb_tight(&f, &apart) == TACT_OUTSIDE;
    }
    assert_true(touching > 10000 && beside > 10000);
}

TEST(clip_space_needs_no_planes)
{
    test_random r = test_random_seeded(6);
    int seen[3] = {0};
    for (int i = 0; i < 200000; ++i) {
        const view v = random_view(&r, i % PROJECTIONS);
        const tact_frustum f = frustum_of(&v);
        float g[15];
        rvec p[8];
        tact_vec3 q[8];
        draw_box(&r, &f, g, true);
        corners_of(g, true, p);
        real out[6] = {HUGE_VALL, HUGE_VALL, HUGE_VALL, HUGE_VALL, HUGE_VALL, HUGE_VALL}, most = -HUGE_VALL,
             far = -HUGE_VALL;
        real doubt = HUGE_VALL;
        for (int k = 0; k < 8; ++k) {
            real m[6];
            q[k] = (tact_vec3){(float)p[k].x, (float)p[k].y, (float)p[k].z};
            margins(&v, p[k], 1, m);
            for (int j = 0; j < 6; ++j) {
                out[j] = fminl(out[j], -m[j]);
                most = fmaxl(most, -m[j]);
            }
        }
        for (int j = 0; j < 6; ++j) {
            far = fmaxl(far, out[j]);
            doubt = fminl(doubt, fabsl(out[j]));
        }
        doubt = fminl(doubt, fabsl(most));
        const tact_containment expected = far > 0 ? TACT_OUTSIDE : most <= 0 ? TACT_INSIDE : TACT_INTERSECTING;
        const tact_containment got = tact_clip_points(v.f, TACT_MATRIX_BY_ROWS, v.depth, q, 8);
        ++seen[got];
        if (doubt > 1e-12L && got != expected) fail_msg("case %d: %d, not %d", i, got, expected);
        if (doubt > 1e-3L && tact_frustum_aabb(&f, bounds_of(g)) != got) fail_msg("case %d: planes differ", i);
    }
    for (int k = 0; k < 3; ++k)
        assert_true(seen[k] > 1000);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
