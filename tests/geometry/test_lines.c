// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Crossings in the plane and of planes, against hand-made cases and an oracle in 113-bit arithmetic.

#include "tests/support/run.h"

#include "tact/geometry/lines.h"
#include "tests/geometry/vectors.h"
#include "tests/geometry/wide.h"
#include "tests/support/random.h"

static const float scales[] = {1e-6f, 1.0f, 1e6f};

static bool crossed(const float* c)
{
    return tact_segments_cross_2d(v2(c[0], c[1]), v2(c[2], c[3]), v2(c[4], c[5]), v2(c[6], c[7]));
}

TEST(segments_that_touch_cross)
{
    const struct {
        float c[8];
        bool yes;
    } cases[] = {
        {{0, 0, 4, 4, 0, 4, 4, 0}, true},    // an X
        {{0, 0, 4, 0, 2, 0, 2, 4}, true},    // a T
        {{0, 0, 4, 0, 4, 0, 4, 4}, true},    // an L
        {{0, 0, 4, 0, 1, 1, 3, 1}, false},   // parallel
        {{0, 0, 4, 0, 4, 0, 8, 0}, true},    // collinear, end to end
        {{0, 0, 4, 0, 3, 0, 8, 0}, true},    // collinear, overlapping
        {{0, 0, 4, 0, 5, 0, 8, 0}, false},   // collinear, apart: the division-free form of 22.15.1 says yes
        {{0, 0, 4, 4, 5, 5, 8, 8}, false},   // the same, slanted
        {{0, 0, 4, 0, 6, -1, 6, 1}, false},  // c d straddles the line only
        {{0, 0, 4, 0, 5, 0, 6, 3}, false},   // one area zero, the other negative: the printed integer test says yes
        {{2, 0, 2, 0, 0, 0, 4, 0}, true},    // a point on a segment
        {{2, 1, 2, 1, 0, 0, 4, 0}, false},   // and off it
        {{5, 0, 5, 0, 0, 0, 4, 0}, false},   // and in line with it
        {{1, 1, 1, 1, 1, 1, 1, 1}, true},    // equal points
        {{1, 1, 1, 1, 1, 2, 1, 2}, false},   // two points
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            float c[8];
            for (int j = 0; j < 8; ++j)
                c[j] = cases[i].c[j] * scales[k];
            if (i == 7 && k != 1) continue;  // rounding bends the diagonal
            assert_int_equal(crossed(c), cases[i].yes);
        }
    }
    // Areas of 1e-80: their product is zero in double, and that of floats much earlier.
    const float tiny[8] = {0, 0, 4e-42f, 4e-42f, 0, 4e-42f, 4e-42f, 0};
    assert_true(crossed(tiny));
    const float apart[8] = {0, 0, 4e-42f, 0, 0, 1e-42f, 4e-42f, 2e-42f};
    assert_false(crossed(apart));
    const float huge[8] = {-3e38f, -3e38f, 3e38f, 3e38f, -3e38f, 3e38f, 3e38f, -3e38f};
    assert_true(crossed(huge));
}

TEST(signs_are_exact_where_doubles_cancel)
{
    // c is on the line from the origin to (2^100, 2^100 (1 + 2^-23)). Moving that line's start by 2^-60 puts c on one
    // side or the other, which differences rounded to double do not see.
    const float big = 0x1p100f, up = 0x1.000002p100f, e = 0x1p-60f;
    const float on[8] = {0, 0, big, up, 1.0f, 0x1.000002p0f, 0.0f, 4.0f};
    const float left[8] = {e, 0, big, up, 1.0f, 0x1.000002p0f, 0.0f, 4.0f};
    const float right[8] = {-e, 0, big, up, 1.0f, 0x1.000002p0f, 0.0f, 4.0f};
    assert_true(crossed(on));
    assert_false(crossed(left));
    assert_true(crossed(right));
}

TEST(crossings_have_their_parameters)
{
    tact_crossing2 r = tact_segment_segment_2d(v2(0, 0), v2(4, 0), v2(1, -1), v2(1, 3));
    assert_int_equal(r.kind, TACT_CROSSING_POINT);
    assert_true(r.s == 0.25f && r.t == 0.25f && r.point.x == 1.0f && r.point.y == 0.0f);
    r = tact_segment_segment_2d(v2(0, 0), v2(4, 0), v2(6, 0), v2(2, 0));
    assert_int_equal(r.kind, TACT_CROSSING_OVERLAP);
    assert_true(r.point.x == 2.0f && r.end.x == 4.0f && r.s == 0.5f && r.t == 1.0f);
    r = tact_segment_segment_2d(v2(4, 0), v2(0, 0), v2(1, 0), v2(3, 0));
    assert_int_equal(r.kind, TACT_CROSSING_OVERLAP);
    assert_true(r.point.x == 3.0f && r.end.x == 1.0f && r.s == 0.25f);
    r = tact_segment_segment_2d(v2(0, 0), v2(4, 0), v2(4, 0), v2(9, 0));
    assert_int_equal(r.kind, TACT_CROSSING_POINT);
    assert_true(r.point.x == 4.0f && r.s == 1.0f && r.t == 0.0f);
    r = tact_segment_segment_2d(v2(1, 1), v2(1, 1), v2(1, 1), v2(1, 1));
    assert_int_equal(r.kind, TACT_CROSSING_POINT);
    assert_int_equal(tact_segment_segment_2d(v2(0, 0), v2(1, 0), v2(0, 1), v2(1, 1)).kind, TACT_CROSSING_NONE);

    r = tact_line_line_2d(v2(0, 0), v2(1, 0), v2(5, 1), v2(5, 2));
    assert_int_equal(r.kind, TACT_CROSSING_POINT);
    assert_true(r.s == 5.0f && r.t == -1.0f && r.point.x == 5.0f && r.point.y == 0.0f);
    r = tact_line_line_2d(v2(1, 1), v2(2, 2), v2(4, 4), v2(6, 6));
    assert_int_equal(r.kind, TACT_CROSSING_OVERLAP);
    assert_true(r.point.x == 1.0f && r.s == 0.0f && r.t == -1.5f);
    assert_int_equal(tact_line_line_2d(v2(0, 0), v2(1, 1), v2(0, 1), v2(1, 2)).kind, TACT_CROSSING_NONE);
    assert_int_equal(tact_line_line_2d(v2(0, 0), v2(0, 0), v2(0, 1), v2(1, 2)).kind, TACT_CROSSING_NONE);
    assert_int_equal(tact_line_line_2d(v2(0, 0), v2(1, 0), v2(0, 1), v2(0, 1)).kind, TACT_CROSSING_NONE);
    // The smallest angle that floats of one size can make.
    r = tact_line_line_2d(v2(0, 0), v2(0x1.fffffep0f, 0x1.fffffcp0f), v2(0, 0), v2(0x1.fffffcp0f, 0x1.fffffap0f));
    assert_int_equal(r.kind, TACT_CROSSING_POINT);
    assert_true(r.point.x == 0.0f && r.point.y == 0.0f);
}

TEST(planes_meet_where_they_should)
{
    const tact_plane x = {{2, 0, 0}, 6}, y = {{0, 1, 0}, 2}, z = {{0, 0, -4}, -4};
    const tact_plane_line line = tact_plane_plane(x, y);
    assert_true(line.found && line.sine == 1.0f);
    assert_true(line.point.x == 3.0f && line.point.y == 2.0f && line.point.z == 0.0f);
    assert_true(line.direction.x == 0.0f && line.direction.y == 0.0f && line.direction.z == 1.0f);
    const tact_plane_point point = tact_plane_plane_plane(x, y, z);
    assert_true(point.found && point.volume == 1.0f);
    assert_true(point.point.x == 3.0f && point.point.y == 2.0f && point.point.z == 1.0f);

    const tact_plane other = {{4, 0, 0}, 1}, nothing = {{0, 0, 0}, 0};
    assert_false(tact_plane_plane(x, other).found);
    assert_false(tact_plane_plane(x, x).found);
    assert_false(tact_plane_plane(x, nothing).found);
    assert_false(tact_plane_plane_plane(x, other, y).found);
    assert_false(tact_plane_plane_plane(x, nothing, y).found);
    // All parallel to one line, no two to each other.
    const tact_plane roof[3] = {{{0.1f, 0.3f, 0}, 1}, {{0.7f, -0.2f, 0}, 2}, {{-0.9f, -0.11f, 0}, 3}};
    const tact_plane_point none = tact_plane_plane_plane(roof[0], roof[1], roof[2]);
    assert_true(!none.found && none.volume == 0.0f);
    // Scales of normals and of distances do not matter.
    for (size_t k = 0; k < 3; ++k) {
        const float s = scales[k];
        const tact_plane p = {{s, s, 0}, 2 * s}, q = {{0, 3, 3}, 6};
        const tact_plane_point none2 = tact_plane_plane_plane(p, q, (tact_plane){{1, 0, -1}, 1});
        assert_true(!none2.found && none2.volume == 0.0f);  // n1 / s - n2 / 3 is the third
        const tact_plane_line l = tact_plane_plane(p, q);
        assert_true(l.found && fabsf(l.sine - sqrtf(0.75f)) < 1e-6f);
    }
}

TEST(not_numbers_cross_nothing)
{
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t b = 0; b < 3; ++b) {
        for (int i = 0; i < 8; ++i) {
            float c[8] = {0, 0, 4, 4, 0, 4, 4, 0};
            c[i] = bad[b];
            assert_false(crossed(c));
            const tact_vec2 p[4] = {{c[0], c[1]}, {c[2], c[3]}, {c[4], c[5]}, {c[6], c[7]}};
            assert_int_equal(tact_segment_segment_2d(p[0], p[1], p[2], p[3]).kind, TACT_CROSSING_NONE);
            assert_int_equal(tact_line_line_2d(p[0], p[1], p[2], p[3]).kind, TACT_CROSSING_NONE);
        }
        for (int i = 0; i < 12; ++i) {
            float c[12] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1};
            c[i] = bad[b];
            const tact_plane p = {{c[0], c[1], c[2]}, c[3]}, q = {{c[4], c[5], c[6]}, c[7]};
            const tact_plane r = {{c[8], c[9], c[10]}, c[11]};
            assert_false(tact_plane_plane_plane(p, q, r).found);
            if (i < 8) assert_false(tact_plane_plane(p, q).found);
        }
    }
}

#ifdef __SIZEOF_FLOAT128__

static int sign_of(wide x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

/// By parameters, not by areas: c + t (d - c) solved in one line's frame. Exact for coordinates within 2^30 of each
/// other in size.
static bool ask_segments(const tact_vec2* p, wide* s, wide* t)
{
    const wide ux = (wide)p[1].x - (wide)p[0].x, uy = (wide)p[1].y - (wide)p[0].y;
    const wide vx = (wide)p[3].x - (wide)p[2].x, vy = (wide)p[3].y - (wide)p[2].y;
    const wide wx = (wide)p[2].x - (wide)p[0].x, wy = (wide)p[2].y - (wide)p[0].y;
    const wide det = ux * vy - uy * vx, sn = wx * vy - wy * vx, tn = wx * uy - wy * ux;
    *s = *t = -1;
    if (det != 0) {
        const int g = sign_of(det);
        *s = sn / det;
        *t = tn / det;
        return g * sn >= 0 && g * sn <= g * det && g * tn >= 0 && g * tn <= g * det;
    }
    if (sn != 0 || tn != 0) return false;
    // Parallel; one may be a point. Both on one line: compare along it.
    const wide dx = ux != 0 || uy != 0 ? ux : vx, dy = ux != 0 || uy != 0 ? uy : vy;
    if (dx == 0 && dy == 0) return wx == 0 && wy == 0;
    if (wx * dy - wy * dx != 0) return false;
    const wide b = ux * dx + uy * dy, c = wx * dx + wy * dy, d = c + vx * dx + vy * dy;
    const wide low = b < 0 ? b : 0, high = b < 0 ? 0 : b;
    return (c < d ? c : d) <= high && (c < d ? d : c) >= low;
}

static void random_ends(test_random* r, tact_vec2* p, uint32_t kind)
{
    const float grid = kind == 0 ? 3.0f : kind == 1 ? 8.0f : kind == 2 ? 1000.0f : 0.0f;
    for (int i = 0; i < 4; ++i) {
        p[i] = v2(test_random_signed(r), test_random_signed(r));
        if (grid > 0.0f) p[i] = v2(floorf(grid * p[i].x) / 7.0f, floorf(grid * p[i].y) / 7.0f);
    }
    if (kind == 4 || kind == 5) {  // c d nearly on a b
        for (int i = 2; i < 4; ++i) {
            const float f = 1.5f * test_random_signed(r);
            p[i] = v2(p[0].x + f * (p[1].x - p[0].x), p[0].y + f * (p[1].y - p[0].y));
        }
    }
    if (kind == 5) p[3] = v2(test_random_signed(r), test_random_signed(r));
    if (kind == 6)
        for (int i = 0; i < 4; ++i)
            p[i] = v2(100.0f + 1e-5f * test_random_signed(r), 100.0f + 1e-5f * test_random_signed(r));
    const float scale = test_random_below(r, 4) == 0 ? scales[test_random_below(r, 3)] : 1.0f;
    for (int i = 0; i < 4; ++i)
        p[i] = v2(p[i].x * scale, p[i].y * scale);
}

TEST(random_segments_agree_with_the_oracle)
{
    test_random r = test_random_seeded(41);
    long yes = 0;
    for (long n = 0; n < 1500000; ++n) {
        tact_vec2 p[4];
        random_ends(&r, p, (uint32_t)(n % 8));
        wide s, t;
        const bool expect = ask_segments(p, &s, &t);
        yes += expect;
        const bool got = tact_segments_cross_2d(p[0], p[1], p[2], p[3]);
        if (got != expect)
            print_error("%a %a  %a %a  %a %a  %a %a\n", (double)p[0].x, (double)p[0].y, (double)p[1].x, (double)p[1].y,
                        (double)p[2].x, (double)p[2].y, (double)p[3].x, (double)p[3].y);
        assert_int_equal(got, expect);
        assert_int_equal(tact_segments_cross_2d(p[3], p[2], p[0], p[1]), expect);
        if (n % 4 != 0) continue;
        const tact_crossing2 c = tact_segment_segment_2d(p[0], p[1], p[2], p[3]);
        assert_int_equal(c.kind != TACT_CROSSING_NONE, expect);
        if (c.kind != TACT_CROSSING_POINT || s < 0) continue;
        assert_true(w_abs((wide)c.s - s) <= (wide)1e-7 * s + (wide)1e-30);
        assert_true(w_abs((wide)c.t - t) <= (wide)1e-7 * t + (wide)1e-30);
        const wide x = (wide)p[0].x + s * ((wide)p[1].x - (wide)p[0].x);
        const wide y = (wide)p[0].y + s * ((wide)p[1].y - (wide)p[0].y);
        const wide size = w_abs((wide)p[0].x) + w_abs((wide)p[0].y) + w_abs((wide)p[1].x) + w_abs((wide)p[1].y);
        assert_true(w_abs((wide)c.point.x - x) <= (wide)0x1p-23 * size);
        assert_true(w_abs((wide)c.point.y - y) <= (wide)0x1p-23 * size);
    }
    assert_true(yes > 300000 && yes < 1200000);
}

static wide wide_det(const wide* a, const wide* b, const wide* c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static float some(test_random* r, uint32_t kind)
{
    return kind == 0 ? floorf(3.0f * test_random_signed(r)) : test_random_signed(r);
}

TEST(random_planes_agree_with_the_oracle)
{
    test_random r = test_random_seeded(42);
    long singular = 0;
    for (long n = 0; n < 600000; ++n) {
        const uint32_t kind = (uint32_t)(n % 4);
        tact_plane p[3];
        for (int i = 0; i < 3; ++i)
            p[i] = (tact_plane){{some(&r, kind), some(&r, kind), some(&r, kind)}, some(&r, kind)};
        const float f = test_random_signed(&r), g = test_random_signed(&r);
        if (kind == 2)  // the third nearly in the plane of the others
            p[2].normal = (tact_vec3){f * p[0].normal.x + g * p[1].normal.x, f * p[0].normal.y + g * p[1].normal.y,
                                      f * p[0].normal.z + g * p[1].normal.z};
        if (kind == 3)  // all three nearly parallel
            for (int i = 1; i < 3; ++i)
                p[i].normal = (tact_vec3){p[0].normal.x + 1e-5f * f, p[0].normal.y + 1e-5f * p[i].normal.y,
                                          p[0].normal.z + 1e-5f * p[i].normal.z};
        wide m[4][3], length[3];
        for (int i = 0; i < 3; ++i) {
            m[0][i] = (wide)p[i].normal.x;
            m[1][i] = (wide)p[i].normal.y;
            m[2][i] = (wide)p[i].normal.z;
            m[3][i] = (wide)p[i].distance;
            length[i] = m[0][i] * m[0][i] + m[1][i] * m[1][i] + m[2][i] * m[2][i];
        }
        const wide det = wide_det(m[0], m[1], m[2]);
        const tact_plane_point got = tact_plane_plane_plane(p[0], p[1], p[2]);
        assert_int_equal(got.found, det != 0);
        singular += det == 0;
        if (det != 0) {
            const wide x = wide_det(m[3], m[1], m[2]) / det, y = wide_det(m[0], m[3], m[2]) / det;
            const wide z = wide_det(m[0], m[1], m[3]) / det;
            assert_true(w_abs((wide)got.point.x - x) <= (wide)0x1p-23 * w_abs(x));
            assert_true(w_abs((wide)got.point.y - y) <= (wide)0x1p-23 * w_abs(y));
            assert_true(w_abs((wide)got.point.z - z) <= (wide)0x1p-23 * w_abs(z));
            const double volume = fabs((double)det) / sqrt((double)(length[0] * length[1] * length[2]));
            assert_true(fabs((double)got.volume - volume) <= 1e-7 * volume);
        }
        const tact_plane_line line = tact_plane_plane(p[0], p[1]);
        const wide cx = m[1][0] * m[2][1] - m[2][0] * m[1][1], cy = m[2][0] * m[0][1] - m[0][0] * m[2][1];
        const wide cz = m[0][0] * m[1][1] - m[1][0] * m[0][1];
        assert_int_equal(line.found, cx != 0 || cy != 0 || cz != 0);
        if (!line.found) continue;
        // The direction is parallel to the cross product; the point solves both planes and is at right angles to it.
        const double norm = sqrt((double)(cx * cx + cy * cy + cz * cz));
        assert_true(fabs((double)line.direction.x - (double)cx / norm) < 1e-7);
        assert_true(fabs((double)line.direction.y - (double)cy / norm) < 1e-7);
        assert_true(fabs((double)line.direction.z - (double)cz / norm) < 1e-7);
        const double away =
            sqrt((double)line.point.x * (double)line.point.x + (double)line.point.y * (double)line.point.y +
                 (double)line.point.z * (double)line.point.z);
        for (int i = 0; i < 2; ++i) {
            const wide side =
                m[0][i] * (wide)line.point.x + m[1][i] * (wide)line.point.y + m[2][i] * (wide)line.point.z - m[3][i];
            assert_true(fabs((double)side) <= 0x1p-22 * away * sqrt((double)length[i]));
        }
        const double along = (double)(cx * (wide)line.point.x + cy * (wide)line.point.y + cz * (wide)line.point.z);
        assert_true(fabs(along) <= 0x1p-22 * away * norm);
    }
    assert_true(singular > 1000);
}

#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
