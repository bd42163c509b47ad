// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Least rectangles: rotating calipers against projecting on every edge and against turning by small angles.

#include "tact/geometry/min_area_rect.h"

#include "tests/support/run.h"

#include "cpu_ref/geometry/fit_internal.h"
#include "tests/support/random.h"

static bool contains(const tact_rect* r, tact_vec2 p)
{
    const double x = (double)p.x - (double)r->center.x, y = (double)p.y - (double)r->center.y;
    const double u = (double)r->axis.x, v = (double)r->axis.y, n = u * u + v * v;
    // The tolerance of the box tests: a last bit of the terms.
    const double slack = 0x1p-50 * (fabs(x) + fabs(y));
    return fabs(x * u + y * v) <= (double)r->half.x * n + slack && fabs(y * u - x * v) <= (double)r->half.y * n + slack;
}

static int by_x(const void* a, const void* b)
{
    const tact_vec2 *p = a, *q = b;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : (p->y > q->y) - (p->y < q->y);
}

static double turn(tact_vec2 a, tact_vec2 b, tact_vec2 c)
{
    return ((double)b.x - (double)a.x) * ((double)c.y - (double)a.y) -
           ((double)b.y - (double)a.y) * ((double)c.x - (double)a.x);
}

/// Counter-clockwise hull; collinear points stay when asked for.
static size_t hull_of(tact_vec2* p, size_t n, bool keep_collinear, tact_vec2* hull)
{
    qsort(p, n, sizeof *p, by_x);
    size_t used = 0, different = 1;
    for (size_t i = 1; i < n; ++i) {
        if (by_x(&p[i], &p[different - 1]) != 0) p[different++] = p[i];
    }
    n = different;
    for (int half = 0; half < 2; ++half) {
        const size_t from = used;
        for (size_t i = 0; i < n; ++i) {
            const tact_vec2 q = half ? p[n - 1 - i] : p[i];
            while (used >= from + 2) {
                const double t = turn(hull[used - 2], hull[used - 1], q);
                if (t > 0.0 || (t == 0.0 && keep_collinear)) break;
                --used;
            }
            hull[used++] = q;
        }
        --used;
    }
    return used > 0 ? used : 1;
}

static size_t random_polygon(test_random* r, int variant, tact_vec2* hull)
{
    tact_vec2 p[64];
    const size_t n = 3 + test_random_below(r, 60);
    for (size_t i = 0; i < n; ++i) {
        p[i] = (tact_vec2){test_random_signed(r), test_random_signed(r)};
        if (variant == 1) {  // near a circle
            const float l = sqrtf(p[i].x * p[i].x + p[i].y * p[i].y) + 1e-6f;
            p[i] = (tact_vec2){p[i].x / l, p[i].y / l};
        }
        if (variant == 2) p[i] = (tact_vec2){floorf(4 * p[i].x), floorf(4 * p[i].y)};
        if (variant == 3) p[i].y *= 1e-4f;
        if (variant == 4) p[i] = (tact_vec2){p[i].x + 1000.0f, p[i].y - 3000.0f};
        if (variant == 5) p[i] = (tact_vec2){1e-6f * (p[i].x + p[i].y), 1e-6f * p[i].x};
        if (variant == 6) p[i] = (tact_vec2){1e6f * p[i].x, 1e6f * p[i].y};
        if (variant == 7) p[i].y = 0.5f * p[i].x;  // a segment
    }
    return hull_of(p, n, variant == 2, hull);
}

TEST(calipers_agree_with_every_edge)
{
    test_random r = test_random_seeded(1);
    for (int i = 0; i < 200000; ++i) {
        tact_vec2 hull[130];
        size_t n = random_polygon(&r, i % 8, hull);
        if (i % 3 == 0) hull[n] = hull[n - 1], ++n;  // a vertex twice
        tact_rect a, b;
        assert_true(tact_min_area_rect(hull, n, &a) && tact_min_area_rect_quadratic(hull, n, &b));
        double size = 0.0;
        for (size_t k = 0; k < n; ++k) {
            assert_true(contains(&a, hull[k]) && contains(&b, hull[k]));
            const double x = (double)hull[k].x - (double)hull[0].x, y = (double)hull[k].y - (double)hull[0].y;
            size = fmax(size, fabs(x) + fabs(y));
        }
        // Rounding of the centre, which is far from the origin in variant 4.
        const double unit = size * 1e-6 + (i % 8 == 4 ? 1e-3 : 0.0);
        if (!(fabs(tact_rect_area(&a) - tact_rect_area(&b)) <= unit * size))
            fail_msg("case %d: %g, %g", i, tact_rect_area(&a), tact_rect_area(&b));
        if (i % 8 == 7) assert_true(tact_rect_area(&a) <= 1e-6 * size * size);
    }
}

TEST(no_angle_gives_less)
{
    test_random r = test_random_seeded(2);
    for (int i = 0; i < 2000; ++i) {
        tact_vec2 hull[130];
        const size_t n = random_polygon(&r, i % 4, hull);
        tact_rect a;
        assert_true(tact_min_area_rect(hull, n, &a));
        double least = HUGE_VAL, diagonal = 0.0;
        for (int k = 0; k < 720; ++k) {
            const double c = cos(k * 3.14159265358979 / 1440), s = sin(k * 3.14159265358979 / 1440);
            double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
            for (size_t j = 0; j < n; ++j) {
                const double x = (double)hull[j].x, y = (double)hull[j].y, u = c * x + s * y, v = c * y - s * x;
                low[0] = fmin(low[0], u);
                high[0] = fmax(high[0], u);
                low[1] = fmin(low[1], v);
                high[1] = fmax(high[1], v);
            }
            const double width = high[0] - low[0], height = high[1] - low[1];
            least = fmin(least, width * height);
            diagonal = fmax(diagonal, width * width + height * height);
        }
        assert_true(tact_rect_area(&a) <= least * (1.0 + 1e-5) + 1e-12);
        // The nearest of the angles tried is off by at most half their step, 0.00109.
        assert_true(tact_rect_area(&a) >= least - 0.0011 * diagonal);
    }
}

TEST(known_rectangles_are_found)
{
    const tact_vec2 turned[4] = {{0, 0}, {6, 8}, {2, 11}, {-4, 3}};  // 10 by 5 along (3, 4)
    tact_rect r;
    assert_true(tact_min_area_rect(turned, 4, &r));
    assert_true(fabs(tact_rect_area(&r) - 50.0) < 1e-4);
    assert_true(fabs((double)r.center.x - 1.0) < 1e-6 && fabs((double)r.center.y - 5.5) < 1e-6);
    const tact_vec2 square[8] = {{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    for (int e = -40; e <= 40; e += 20) {
        tact_vec2 p[8];
        for (int i = 0; i < 8; ++i)
            p[i] = (tact_vec2){ldexpf(square[i].x, e), ldexpf(square[i].y, e)};
        assert_true(tact_min_area_rect(p, 8, &r));
        assert_true(tact_rect_area(&r) == ldexp(4.0, 2 * e) && r.center.x == ldexpf(1.0f, e));
    }
    assert_true(tact_min_area_rect(square, 1, &r) && tact_rect_area(&r) == 0.0 && r.half.x == 0.0f);
    assert_true(tact_min_area_rect_quadratic(square, 1, &r) && r.half.x == 0.0f);
    assert_true(tact_min_area_rect(square, 3, &r) && r.half.x == 1.0f && r.half.y == 0.0f);
    const tact_vec2 same[3] = {{5, 5}, {5, 5}, {5, 5}};
    assert_true(tact_min_area_rect(same, 3, &r) && r.half.x == 0.0f && r.half.y == 0.0f);
    const tact_vec2 dart[4] = {{0, 0}, {4, 0}, {1, 1}, {0, 4}};  // not convex, yet contained
    assert_true(tact_min_area_rect(dart, 4, &r));
    for (int i = 0; i < 4; ++i)
        assert_true(contains(&r, dart[i]));
}

TEST(broken_polygons_are_refused)
{
    tact_rect r;
    assert_false(tact_min_area_rect(NULL, 0, &r) || tact_min_area_rect_quadratic(NULL, 0, &r));
    const float bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 18; ++i) {
        float p[6] = {0, 0, 1, 0, 0, 1};
        p[i / 3] = bad[i % 3];
        const tact_vec2 polygon[3] = {{p[0], p[1]}, {p[2], p[3]}, {p[4], p[5]}};
        assert_false(tact_min_area_rect(polygon, 3, &r) || tact_min_area_rect_quadratic(polygon, 3, &r));
    }
    const tact_vec2 huge[3] = {{-3e38f, -3e38f}, {3e38f, -3e38f}, {3e38f, 3e38f}};
    if (tact_min_area_rect(huge, 3, &r)) {
        for (int i = 0; i < 3; ++i)
            assert_true(contains(&r, huge[i]));
    }
    // The middle of the rectangle around this is beyond the largest float.
    const tact_vec2 corner[3] = {{3.4e38f, 3.4e38f}, {-3.4e38f, 3.4e38f}, {3.4e38f, -3.4e38f}};
    assert_true(tact_min_area_rect(corner, 3, &r));
    const tact_vec2 diagonal[2] = {{-3.4e38f, -3.4e38f}, {3.4e38f, 3.4e38f}};
    assert_false(tact_min_area_rect(diagonal, 2, &r));
}

// ---- Hulls in a plane ----

/// Whether three points of whole numbers below 2^52 turn left, in integers.
static bool turn_left(dvec2 a, dvec2 b, dvec2 c)
{
    __extension__ typedef __int128 wide;
    const wide left = (wide)(b.x - a.x) * (wide)(c.y - a.y), right = (wide)(b.y - a.y) * (wide)(c.x - a.x);
    return left > right;
}

/// Points of a line, but for the rounding of their coordinates: with turns told by rounded products they are on both
/// chains, and more than there is room for.
TEST(lines_have_hulls)
{
    enum { MOST = 9, ROUNDS = 60000 };
    test_random r = test_random_seeded(77);
    size_t flat = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        dvec2 points[MOST], hull[2 * MOST + 1];
        const size_t count = 3 + test_random_below(&r, MOST - 2);
        const double x = 0x1p46 * (double)test_random_signed(&r), y = 0x1p46 * (double)test_random_signed(&r);
        for (size_t i = 0; i < count; ++i) {
            const double t = (double)test_random_below(&r, 33) - 16.0;
            points[i] = (dvec2){floor(t / 3.0 * x), floor(t / 3.0 * y)};
        }
        const dvec2 guard = {-7.0, -8.0};
        hull[2 * count] = guard;
        const size_t used = tact_flat_hull(points, count, hull);
        assert_true(used >= 1 && used <= count && memcmp(&hull[2 * count], &guard, sizeof guard) == 0);
        flat += used == 2;
        for (size_t i = 0; i < used && used > 2; ++i)
            assert_true(turn_left(hull[i], hull[(i + 1) % used], hull[(i + 2) % used]));
        // Nothing is left outside.
        for (size_t i = 0; i < used && used > 2; ++i)
            for (size_t k = 0; k < count; ++k)
                assert_false(turn_left(hull[(i + 1) % used], hull[i], points[k]));
    }
    assert_true(flat > 10 && flat < ROUNDS / 2);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
