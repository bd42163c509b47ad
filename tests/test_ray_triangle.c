// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The definition of a ray's hit with a triangle, against analytic cases, an independent oracle in 113-bit arithmetic,
// and the properties that docs/results.md claims.

#include "tests/support/run.h"

#include "kernels/ray_triangle.h"
#include "tests/support/random.h"

static const TactInterval open_gate = {-INFINITY, INFINITY};

typedef struct shot {
    float o[3], d[3], tmin, tmax;
    float a[3], b[3], c[3];
} shot;

static TactTriangleHit fire(const shot* s)
{
    const TactRayFrame frame = tact_ray_frame(s->o[0], s->o[1], s->o[2], s->d[0], s->d[1], s->d[2]);
    const TactTriangleHit miss = {0};
    if (!frame.valid) return miss;
    return tact_ray_triangle(frame, s->a[0], s->a[1], s->a[2], s->b[0], s->b[1], s->b[2], s->c[0], s->c[1], s->c[2],
                             open_gate, s->tmin, s->tmax);
}

static shot unit_shot(float x, float y)
{
    return (shot){{x, y, 2}, {0, 0, -1}, 0, INFINITY, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
}

TEST(known_hits_have_exact_parameters)
{
    shot s = unit_shot(0.25f, 0.5f);
    TactTriangleHit h = fire(&s);
    assert_int_equal(h.hit, 1);
    assert_true(h.t == 2.0f && h.u == 0.25f && h.v == 0.5f);
    // The other side, a direction of length 4, and an interval that just holds the hit.
    s = (shot){{0.25f, 0.5f, -2}, {0, 0, 4}, 0.5f, 0.5f, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    h = fire(&s);
    assert_int_equal(h.hit, TACT_FACE_BACK);
    assert_true(h.t == 0.5f && h.u == 0.25f && h.v == 0.5f);
    s.tmin = nextafterf(0.5f, 1.0f);
    s.tmax = 1.0f;
    assert_int_equal(fire(&s).hit, 0);
    s.tmin = 0.0f;
    s.tmax = nextafterf(0.5f, 0.0f);
    assert_int_equal(fire(&s).hit, 0);
    // Behind the origin, reached by a negative tmin.
    s = unit_shot(0.25f, 0.5f);
    s.d[2] = 1.0f;
    assert_int_equal(fire(&s).hit, 0);
    s.tmin = -5.0f;
    assert_int_equal(fire(&s).hit, TACT_FACE_BACK);
    assert_true(fire(&s).t == -2.0f);
    // An origin on the surface.
    s = unit_shot(0.25f, 0.25f);
    s.o[2] = 0.0f;
    h = fire(&s);
    assert_int_equal(h.hit, 1);
    assert_true(h.t == 0.0f);
}

TEST(edges_and_vertices_belong_to_the_triangle)
{
    const float on[][2] = {{0, 0}, {1, 0}, {0, 1}, {0.5f, 0}, {0, 0.5f}, {0.5f, 0.5f}, {0.125f, 0.875f}};
    for (size_t i = 0; i < sizeof on / sizeof on[0]; ++i) {
        const shot s = unit_shot(on[i][0], on[i][1]);
        assert_int_equal(fire(&s).hit, 1);
    }
    const float off[][2] = {{-1e-7f, 0.5f}, {0.5f, -1e-7f}, {0.5f, 0.50001f}, {1.00001f, 0}, {-1, -1}};
    for (size_t i = 0; i < sizeof off / sizeof off[0]; ++i) {
        const shot s = unit_shot(off[i][0], off[i][1]);
        assert_int_equal(fire(&s).hit, 0);
    }
}

TEST(flat_and_edge_on_triangles_are_not_hit)
{
    shot s = unit_shot(0.25f, 0.0f);
    s.c[0] = 2.0f;  // a line
    s.c[1] = 0.0f;
    assert_int_equal(fire(&s).hit, 0);
    s = unit_shot(0.0f, 0.0f);
    for (int k = 0; k < 3; ++k)
        s.a[k] = s.b[k] = s.c[k] = 0.0f;  // a point
    assert_int_equal(fire(&s).hit, 0);
    s = unit_shot(0.25f, 0.25f);
    s.o[0] = -1.0f;  // within its plane
    s.o[2] = 0.0f;
    s.d[0] = 1.0f;
    s.d[2] = 0.0f;
    assert_int_equal(fire(&s).hit, 0);
}

TEST(invalid_rays_have_no_frame)
{
    const float bad[][6] = {
        {NAN, 0, 0, 0, 0, 1},       {0, INFINITY, 0, 0, 0, 1}, {0, 0, 0, 0, NAN, 1},
        {0, 0, 0, -INFINITY, 0, 1}, {0, 0, 0, 0, 0, 0},        {0, 0, 0, -0.0f, 0, -0.0f},
        {0, 0, 0, 1e-39f, 0, 0},    {2e18f, 0, 0, 0, 0, 1},    {0, -1.2e18f, 0, 0, 0, 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_int_equal(tact_ray_frame(bad[i][0], bad[i][1], bad[i][2], bad[i][3], bad[i][4], bad[i][5]).valid, 0);
    }
    assert_int_equal(tact_ray_frame(1e18f, 0, 0, 1e-30f, 0, 1e38f).valid, 1);
}

#ifdef __SIZEOF_FLOAT128__

__extension__ typedef __float128 wide;

static wide wide_abs(wide x)
{
    return x < 0 ? -x : x;
}

typedef struct oracle {
    int inside;  // 1 inside, -1 outside, 0 too near an edge or too edge-on to tell from float input
    int side;
    double t, u, v;
    double slack;  // of t, absolute
} oracle;

/// Ray against plane and barycentric coordinates by Cramer's rule. The determinants of three float vectors are exact
/// to 2^-113 of their terms, far below what is asked.
static oracle ask(const shot* s)
{
    wide e1[3], e2[3], o[3], d[3], p[3], q[3];
    wide scale = 0;
    for (int k = 0; k < 3; ++k) {
        e1[k] = (wide)s->b[k] - (wide)s->a[k];
        e2[k] = (wide)s->c[k] - (wide)s->a[k];
        o[k] = (wide)s->o[k] - (wide)s->a[k];
        d[k] = (wide)s->d[k];
        const wide away = wide_abs(o[k]) + wide_abs(e1[k]) + wide_abs(e2[k]);
        scale = away > scale ? away : scale;
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        p[k] = d[i] * e2[j] - d[j] * e2[i];
        q[k] = o[i] * e1[j] - o[j] * e1[i];
    }
    wide det = 0, u = 0, v = 0, t = 0, length = 0, size = 0;
    for (int k = 0; k < 3; ++k) {
        det += e1[k] * p[k];
        u += o[k] * p[k];
        v += d[k] * q[k];
        t += e2[k] * q[k];
        length = wide_abs(d[k]) > length ? wide_abs(d[k]) : length;
        size = wide_abs(e1[k]) > size ? wide_abs(e1[k]) : size;
        size = wide_abs(e2[k]) > size ? wide_abs(e2[k]) : size;
    }
    oracle answer = {0};
    // Sheared coordinates are off by at most 8 x 2^-24 of the distances; edge values by that times the triangle's size.
    const wide error = (wide)16 * (wide)0x1p-24 * scale * (size + scale * (wide)0x1p-20) * length;
    const wide sign = det < 0 ? -1 : 1;
    const wide m = sign * det, mu = sign * u, mv = sign * v, mw = m - mu - mv;
    if (mu < -error || mv < -error || mw < -error) answer.inside = -1;
    if (mu > error && mv > error && mw > error) answer.inside = 1;
    if (answer.inside == 1) {
        // The determinant is the direction's part against the normal.
        answer.side = det > 0 ? TACT_FACE_FRONT : TACT_FACE_BACK;
        answer.t = (double)(t / det);
        answer.u = (double)(u / det);
        answer.v = (double)(v / det);
        answer.slack = (double)(error / m * size / length + (wide)16 * (wide)0x1p-24 * scale / length);
    }
    return answer;
}

static shot random_shot(test_random* r, int kind)
{
    shot s = {.tmin = -INFINITY};
    float w[3] = {test_random_signed(r), test_random_signed(r), test_random_signed(r)};
    const float size = kind == 1 ? 1e-3f : kind == 2 ? 1e3f : 1.0f;
    for (int k = 0; k < 3; ++k) {
        s.a[k] = size * test_random_signed(r);
        s.b[k] = size * test_random_signed(r);
        s.c[k] = size * test_random_signed(r);
        s.o[k] = 4.0f * test_random_signed(r);
    }
    if (kind == 3) {  // a needle
        for (int k = 0; k < 3; ++k)
            s.c[k] = s.b[k] + 1e-4f * test_random_signed(r);
    }
    if (kind == 4) {  // a wall along an axis, and origins on a coarse lattice
        const uint32_t axis = test_random_below(r, 3);
        s.b[axis] = s.c[axis] = s.a[axis];
        for (int k = 0; k < 3; ++k)
            s.o[k] = floorf(s.o[k]);
    }
    // Half of the rays are aimed at a point of the triangle or near it.
    if (test_random_bits(r) & 1) {
        for (int k = 0; k < 3; ++k)
            w[k] = fabsf(w[k]);
        const float sum = w[0] + w[1] + w[2] + 1e-6f;
        for (int k = 0; k < 3; ++k) {
            s.d[k] = (w[0] * s.a[k] + w[1] * s.b[k] + w[2] * s.c[k]) / sum - s.o[k];
        }
    } else {
        for (int k = 0; k < 3; ++k)
            s.d[k] = test_random_signed(r);
        if (kind == 4) s.d[test_random_below(r, 3)] = 0.0f;
    }
    s.tmin = -1e30f;
    s.tmax = 1e30f;
    return s;
}

TEST(hits_agree_with_an_oracle_in_wide_arithmetic)
{
    test_random r = {42};
    size_t decided = 0, hits = 0;
    for (int i = 0; i < 1500000; ++i) {
        const shot s = random_shot(&r, i % 5);
        const oracle expected = ask(&s);
        if (expected.inside == 0) continue;
        ++decided;
        const TactTriangleHit h = fire(&s);
        if ((h.hit != 0) != (expected.inside == 1)) {
            fail_msg("case %d: hit %d, the oracle says %d", i, h.hit, expected.inside);
        }
        if (!h.hit) continue;
        ++hits;
        assert_int_equal(h.hit, expected.side);
        if (fabs((double)h.t - expected.t) > expected.slack + 1e-6 * fabs(expected.t)) {
            fail_msg("case %d: t %.9g, the oracle has %.9g, slack %.3g", i, (double)h.t, expected.t, expected.slack);
        }
    }
    // The oracle must not excuse itself from most cases.
    assert_true(decided > 1000000);
    assert_true(hits > 300000);
}

static wide exact_edge(float a, float b, float c, float d)
{
    return (wide)a * (wide)b - (wide)c * (wide)d;
}

TEST(edge_values_have_the_exact_sign)
{
    test_random r = {7};
    size_t zeros = 0;
    for (int i = 0; i < 4000000; ++i) {
        float a = test_random_signed(&r), b = test_random_signed(&r);
        float c = a, d = b;
        if (a == 0.0f || b == 0.0f) continue;  // a neighbour of zero is subnormal, where nothing is promised
        // Near-equal products: perturb the last bits of either factor.
        const uint32_t which = test_random_below(&r, 4);
        if (which & 1) c = as_float(as_uint(c) + test_random_below(&r, 3));
        if (which & 2) d = as_float(as_uint(d) - test_random_below(&r, 3));
        if (i & 1) {
            const float swap = c;
            c = d;
            d = swap;
        }
        const wide exact = exact_edge(a, b, c, d);
        const float e = tact_edge(a, b, c, d);
        zeros += a * b - c * d == 0.0f && exact != 0;
        if ((e > 0.0f) != (exact > 0) || (e < 0.0f) != (exact < 0)) fail_msg("case %d: sign of %a", i, (double)e);
        if (tact_edge(c, d, a, b) != -e) fail_msg("case %d: not antisymmetric", i);
    }
    assert_true(zeros > 100000);
}

#endif

TEST(scaling_by_powers_of_two_changes_no_bit)
{
    test_random r = {3};
    for (int i = 0; i < 200000; ++i) {
        shot s = {.tmin = -1e30f, .tmax = 1e30f};
        for (int k = 0; k < 3; ++k) {
            s.a[k] = test_random_signed(&r);
            s.b[k] = test_random_signed(&r);
            s.c[k] = test_random_signed(&r);
            s.o[k] = test_random_signed(&r);
            s.d[k] = test_random_signed(&r);
        }
        const TactTriangleHit expected = fire(&s);
        for (int e = -24; e <= 48; e += 12) {
            shot scaled = s;
            for (int k = 0; k < 3; ++k) {
                scaled.a[k] = ldexpf(s.a[k], e);
                scaled.b[k] = ldexpf(s.b[k], e);
                scaled.c[k] = ldexpf(s.c[k], e);
                scaled.o[k] = ldexpf(s.o[k], e);
                scaled.d[k] = ldexpf(s.d[k], e);
            }
            const TactTriangleHit h = fire(&scaled);
            assert_memory_equal(&h, &expected, sizeof h);
        }
    }
}

/// Rays at a fan of triangles around a common vertex, whose union is a disc: none may slip through, wherever it passes.
TEST(no_ray_slips_through_a_fan)
{
    enum { SPOKES = 7, RAYS = 400000 };
    test_random r = {11};
    for (int i = 0; i < RAYS; ++i) {
        float rim[SPOKES][3], hub[3], o[3], d[3], target[3];
        const float flat = i % 3 == 0 ? 0.0f : 0.3f;
        for (int k = 0; k < 3; ++k)
            hub[k] = 0.1f * test_random_signed(&r);
        for (int j = 0; j < SPOKES; ++j) {
            const float angle = 6.2831853f * ((float)j + 0.3f * test_random_unit(&r)) / SPOKES;
            rim[j][0] = cosf(angle);
            rim[j][1] = sinf(angle);
            rim[j][2] = flat * test_random_signed(&r);
        }
        // At the hub, on a spoke, or anywhere well inside.
        const uint32_t spoke = test_random_below(&r, SPOKES);
        const float along = i % 4 == 0 ? 0.0f : 0.5f * test_random_unit(&r);
        for (int k = 0; k < 3; ++k) {
            target[k] = hub[k] + along * (rim[spoke][k] - hub[k]);
            if (i % 4 == 3) target[k] += 0.01f * test_random_signed(&r);
        }
        o[0] = test_random_signed(&r);
        o[1] = test_random_signed(&r);
        o[2] = 1.5f + 2.0f * test_random_unit(&r);
        if (i % 5 == 0) {  // along an axis
            o[0] = target[0];
            o[1] = target[1];
        }
        for (int k = 0; k < 3; ++k)
            d[k] = target[k] - o[k];
        int hits = 0;
        for (int j = 0; j < SPOKES; ++j) {
            const float* b = rim[j];
            const float* c = rim[(j + 1) % SPOKES];
            const shot s = {{o[0], o[1], o[2]}, {d[0], d[1], d[2]}, 0, INFINITY, {hub[0], hub[1], hub[2]},
                            {b[0], b[1], b[2]}, {c[0], c[1], c[2]}};
            hits += fire(&s).hit != 0;
        }
        if (hits == 0) fail_msg("ray %d slipped through", i);
    }
}

/// A larger box has a larger interval: what makes pruning safe. With directions of every kind.
TEST(intervals_of_larger_boxes_contain_those_of_smaller_ones)
{
    test_random r = {5};
    for (int i = 0; i < 1000000; ++i) {
        float d[3], o[3], lo[3], hi[3], wl[3], wh[3];
        for (int k = 0; k < 3; ++k) {
            const uint32_t kind = test_random_below(&r, 6);
            d[k] = kind == 0   ? 0.0f
                   : kind == 1 ? -0.0f
                   : kind == 2 ? ldexpf(test_random_signed(&r), -120)
                               : test_random_signed(&r);
            const float x = test_random_signed(&r), y = test_random_signed(&r);
            lo[k] = x < y ? x : y;
            hi[k] = x < y ? y : x;
            wl[k] = i & 1 ? lo[k] - test_random_unit(&r) : nextafterf(lo[k], -2.0f);
            wh[k] = i & 2 ? hi[k] + test_random_unit(&r) : hi[k];
            o[k] = kind == 4 ? lo[k] : kind == 5 ? hi[k] : 2.0f * test_random_signed(&r);
        }
        const TactRayFrame f = tact_ray_frame(o[0], o[1], o[2], d[0], d[1], d[2]);
        const TactBox small = {lo[0], lo[1], lo[2], hi[0], hi[1], hi[2]};
        const TactBox large = {wl[0], wl[1], wl[2], wh[0], wh[1], wh[2]};
        const TactInterval a = tact_box_interval(f, small, TACT_SLACK);
        const TactInterval b = tact_box_interval(f, large, TACT_SLACK);
        assert_true(b.enter <= a.enter && b.leave >= a.leave);
    }
}

/// Bit patterns of every kind must neither trap (this runs under UBSan) nor give a hit outside its interval.
TEST(arbitrary_bits_give_defined_results)
{
    test_random r = {13};
    for (int i = 0; i < 3000000; ++i) {
        shot s;
        float* f = (float*)(void*)&s;
        for (size_t k = 0; k < sizeof s / sizeof *f; ++k)
            f[k] = test_random_any(&r);
        const TactTriangleHit h = fire(&s);
        if (h.hit) assert_true(h.t >= s.tmin && h.t <= s.tmax && fabsf(h.t) <= TACT_LARGEST);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
