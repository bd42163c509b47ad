// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Nearest points of two shapes, against hand-made cases and an oracle in 113-bit arithmetic that tries every feature.

#include "tests/support/run.h"

#include "tact/geometry/distance.h"
#include "tests/geometry/points.h"

static const float scales[] = {1e-6f, 1.0f, 1e6f};

static tact_segment seg(float ax, float ay, float az, float bx, float by, float bz)
{
    return (tact_segment){v3(ax, ay, az), v3(bx, by, bz)};
}

static void near_to(float a, double b)
{
    assert_true(fabs((double)a - b) <= 3e-7 * fabs(b));
}

static void is_nowhere(tact_closest_pair c)
{
    assert_true(isinf(c.distance) && isinf(c.squared) && c.distance > 0);
    assert_true(isnan(c.a.x) && isnan(c.b.z) && isnan(c.weight_a[0]) && isnan(c.weight_b[2]));
}

TEST(lines_pass_each_other)
{
    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        // The x axis, and a line along y over x = 3 s. With the printed f = d1 . r the second foot would not be at y 0.
        tact_closest_pair c =
            tact_closest_line_line(seg(0, 0, 0, s, 0, 0), seg(3 * s, 2 * s, 5 * s, 3 * s, 4 * s, 5 * s));
        same_point(c.a, 3 * s, 0, 0);
        same_point(c.b, 3 * s, 0, 5 * s);
        near_to(c.distance, 5.0 * (double)s);
        near_to(c.weight_a[1], 3.0);
        near_to(c.weight_a[0], -2.0);
        near_to(c.weight_b[1], -1.0);
        c = tact_closest_line_line(seg(0, 0, 0, s, 0, 0), seg(7 * s, 3 * s, 4 * s, 9 * s, 3 * s, 4 * s));
        same_point(c.a, 0, 0, 0);
        same_point(c.b, 0, 3 * s, 4 * s);
        near_to(c.distance, 5.0 * (double)s);
        c = tact_closest_line_line(seg(s, s, 0, s, s, 0), seg(0, 0, 0, s, 0, 0));
        same_point(c.b, s, 0, 0);
        near_to(c.distance, (double)s);
        c = tact_closest_line_line(seg(0, 0, 0, s, 0, 0), seg(4 * s, s, 0, 4 * s, s, 0));
        same_point(c.a, 4 * s, 0, 0);
        near_to(c.distance, (double)s);
        c = tact_closest_line_line(seg(-s, -s, 0, s, s, 0), seg(-s, s, 0, s, -s, 0));
        assert_true(c.distance == 0.0f);
    }
    const tact_closest_pair c = tact_closest_line_line(seg(1, 0, 0, 1, 0, 0), seg(1, 0, 2, 1, 0, 2));
    assert_true(c.distance == 2.0f);
}

TEST(segments_near_each_other)
{
    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        const tact_segment x = seg(0, 0, 0, 4 * s, 0, 0);
        tact_closest_pair c = tact_closest_segment_segment(x, seg(s, -s, 2 * s, s, s, 2 * s));
        same_point(c.a, s, 0, 0);
        same_point(c.b, s, 0, 2 * s);
        near_to(c.squared, 4.0 * (double)s * (double)s);
        near_to(c.weight_a[0], 0.75);
        near_to(c.weight_b[1], 0.5);
        // Clamping each line's parameter on its own gives (4, 0, 0) and (6, 1, 0): too far.
        c = tact_closest_segment_segment(x, seg(6 * s, s, 0, 2 * s, 9 * s, 0));
        near_to(c.distance, sqrt(5.0) * (double)s);
        c = tact_closest_segment_segment(x, seg(-3 * s, s, 0, 3 * s, 7 * s, 0));
        same_point(c.a, 0, 0, 0);
        same_point(c.b, -2 * s, 2 * s, 0);
        // Parallel: apart, and side by side.
        near_to(tact_closest_segment_segment(x, seg(7 * s, 4 * s, 0, 9 * s, 4 * s, 0)).distance, 5.0 * (double)s);
        near_to(tact_closest_segment_segment(x, seg(9 * s, 4 * s, 0, 7 * s, 4 * s, 0)).distance, 5.0 * (double)s);
        near_to(tact_closest_segment_segment(x, seg(2 * s, 3 * s, 0, 9 * s, 3 * s, 0)).distance, 3.0 * (double)s);
        near_to(tact_closest_segment_segment(x, seg(-9 * s, 3 * s, 0, 9 * s, 3 * s, 0)).distance, 3.0 * (double)s);
        // Points.
        c = tact_closest_segment_segment(x, seg(s, 2 * s, 0, s, 2 * s, 0));
        near_to(c.distance, 2.0 * (double)s);
        assert_true(c.weight_b[0] + c.weight_b[1] == 1.0f);
        near_to(tact_closest_segment_segment(seg(s, 2 * s, 0, s, 2 * s, 0), x).distance, 2.0 * (double)s);
        near_to(tact_closest_segment_segment(seg(0, 0, s, 0, 0, s), seg(0, 0, 3 * s, 0, 0, 3 * s)).distance,
                2.0 * (double)s);
        // Sharing a point, where doubles cannot hold it.
        c = tact_closest_segment_segment(seg(0, 0, 0, 3 * s, 6 * s, 9 * s), seg(0, 6 * s, 9 * s, 3 * s, 0, 0));
        assert_true(c.distance == 0.0f && c.squared == 0.0f && c.a.x == c.b.x && c.a.y == c.b.y);
    }
}

TEST(segments_and_triangles)
{
    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        const tact_triangle t = {v3(0, 0, 0), v3(4 * s, 0, 0), v3(0, 4 * s, 0)};
        tact_closest_pair c = tact_closest_segment_triangle(seg(s, s, 3 * s, s, s, s), &t);
        near_to(c.distance, (double)s);
        same_point(c.b, s, s, 0);
        near_to(c.weight_b[0], 0.5);
        assert_true(c.weight_a[1] == 1.0f);
        c = tact_closest_segment_triangle(seg(s, s, 3 * s, s, s, -s), &t);
        assert_true(c.distance == 0.0f);
        same_point(c.a, s, s, 0);
        near_to(c.weight_a[0], 0.25);
        near_to(c.weight_b[1], 0.25);
        c = tact_closest_segment_triangle(seg(-s, s, 2 * s, 9 * s, s, 2 * s), &t);  // over it, parallel
        near_to(c.distance, 2.0 * (double)s);
        c = tact_closest_segment_triangle(seg(-s, s, 0, 9 * s, s, 0), &t);  // through it, in its plane
        assert_true(c.distance == 0.0f && c.a.y == c.b.y);
        c = tact_closest_segment_triangle(seg(s, s, 0, s, s, 0), &t);
        assert_true(c.distance == 0.0f);
        c = tact_closest_segment_triangle(seg(5 * s, s, -s, 5 * s, s, 7 * s), &t);  // past an edge
        near_to(c.distance, sqrt(2.0) * (double)s);
        same_point(c.b, 4 * s, 0, 0);
        const tact_triangle line = {v3(0, 0, 0), v3(4 * s, 0, 0), v3(s, 0, 0)};
        near_to(tact_closest_segment_triangle(seg(2 * s, s, -s, 2 * s, s, s), &line).distance, (double)s);
    }
}

TEST(triangles_near_each_other)
{
    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        const tact_triangle t = {v3(0, 0, 0), v3(4 * s, 0, 0), v3(0, 4 * s, 0)};
        const tact_triangle over = {v3(-s, -s, 3 * s), v3(8 * s, 0, 3 * s), v3(0, 8 * s, 3 * s)};
        near_to(tact_closest_triangle_triangle(&t, &over).distance, 3.0 * (double)s);
        const tact_triangle peak = {v3(s, s, 2 * s), v3(s, 2 * s, 5 * s), v3(2 * s, s, 5 * s)};
        tact_closest_pair c = tact_closest_triangle_triangle(&t, &peak);
        near_to(c.distance, 2.0 * (double)s);
        same_point(c.a, s, s, 0);
        assert_true(c.weight_b[0] == 1.0f);
        c = tact_closest_triangle_triangle(&peak, &t);
        same_point(c.b, s, s, 0);
        const tact_triangle through = {v3(s, s, -s), v3(s, s, s), v3(9 * s, 9 * s, 0)};
        c = tact_closest_triangle_triangle(&t, &through);
        assert_true(c.distance == 0.0f && fabsf(c.a.z) <= 1e-6f * s && c.a.x == c.b.x);
        const tact_triangle same_plane = {v3(s, s, 0), v3(9 * s, s, 0), v3(s, 9 * s, 0)};
        assert_true(tact_closest_triangle_triangle(&t, &same_plane).distance == 0.0f);
        const tact_triangle inside = {v3(s, s, 0), v3(1.5f * s, s, 0), v3(s, 1.5f * s, 0)};
        assert_true(tact_closest_triangle_triangle(&t, &inside).distance == 0.0f);
        assert_true(tact_closest_triangle_triangle(&inside, &t).distance == 0.0f);
        const tact_triangle aside = {v3(4 * s, 4 * s, 0), v3(9 * s, 4 * s, 0), v3(4 * s, 9 * s, 0)};
        near_to(tact_closest_triangle_triangle(&t, &aside).distance, sqrt(8.0) * (double)s);
        const tact_triangle corner = {v3(4 * s, 0, 0), v3(9 * s, 0, s), v3(9 * s, s, -s)};
        c = tact_closest_triangle_triangle(&t, &corner);
        assert_true(c.distance == 0.0f && c.a.x == 4 * s);
        const tact_triangle dot = {v3(s, s, s), v3(s, s, s), v3(s, s, s)};
        near_to(tact_closest_triangle_triangle(&t, &dot).distance, (double)s);
    }
}

TEST(boxes)
{
    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        const tact_aabb box = {v3(0, 0, 0), v3(2 * s, 2 * s, 2 * s)};
        tact_closest_pair c = tact_closest_segment_aabb(seg(3 * s, -5 * s, s, 3 * s, 9 * s, s), &box);
        near_to(c.distance, (double)s);
        assert_true(c.b.x == 2 * s && c.weight_b[0] == 0.0f);
        c = tact_closest_segment_aabb(seg(6 * s, 1 * s, s, 1 * s, 6 * s, s), &box);  // past an edge
        near_to(c.distance, 1.5 * sqrt(2.0) * (double)s);
        same_point(c.a, 3.5f * s, 3.5f * s, s);
        c = tact_closest_segment_aabb(seg(9 * s, s, s, 5 * s, s, s), &box);
        assert_true(c.weight_a[1] == 1.0f);
        near_to(c.distance, 3.0 * (double)s);
        c = tact_closest_segment_aabb(seg(5 * s, s, s, 9 * s, s, s), &box);
        assert_true(c.weight_a[0] == 1.0f);
        assert_true(tact_closest_segment_aabb(seg(-s, s, s, 9 * s, s, s), &box).distance == 0.0f);
        assert_true(tact_closest_segment_aabb(seg(s, s, s, s, s, s), &box).distance == 0.0f);
        near_to(tact_closest_segment_aabb(seg(s, s, 5 * s, s, s, 5 * s), &box).distance, 3.0 * (double)s);
        // Touching the edge x = y = 2 with a slant.
        if (i == 1) assert_true(tact_closest_segment_aabb(seg(s, 5 * s, 0, 3 * s, -s, 2 * s), &box).distance == 0.0f);
        const tact_aabb flat = {v3(0, 0, s), v3(s, s, s)};
        assert_true(tact_closest_segment_aabb(seg(0, 0, 0, s, s, 3 * s), &flat).distance == 0.0f);
        near_to(tact_closest_segment_aabb(seg(0, 0, 3 * s, s, s, 3 * s), &flat).distance, 2.0 * (double)s);

        const tact_aabb other = {v3(5 * s, 6 * s, -9 * s), v3(8 * s, 8 * s, 9 * s)},
                        touch = {v3(2 * s, 0, s), v3(3 * s, s, s)};
        c = tact_closest_aabb_aabb(&box, &other);
        near_to(c.distance, 5.0 * (double)s);
        same_point(c.a, 2 * s, 2 * s, 0);
        same_point(c.b, 5 * s, 6 * s, 0);
        c = tact_closest_aabb_aabb(&other, &box);
        near_to(c.squared, 25.0 * (double)s * (double)s);
        assert_true(tact_closest_aabb_aabb(&box, &touch).distance == 0.0f);
        assert_true(tact_closest_aabb_aabb(&box, &box).distance == 0.0f);
    }
    const tact_aabb empty = {v3(0, 2, 0), v3(1, 1, 1)}, box = {v3(0, 0, 0), v3(1, 1, 1)};
    is_nowhere(tact_closest_segment_aabb(seg(0, 0, 0, 1, 1, 1), &empty));
    is_nowhere(tact_closest_aabb_aabb(&empty, &box));
    is_nowhere(tact_closest_aabb_aabb(&box, &empty));
}

static tact_closest_pair ask(int pair, const tact_vec3* p)
{
    const tact_segment a = {p[0], p[1]}, b = {p[2], p[3]};
    const tact_triangle t = {p[0], p[1], p[2]}, u = {p[3], p[4], p[5]}, v = {p[2], p[3], p[4]};
    const tact_aabb low = {v3(p[0].x - 9, p[0].y - 9, p[0].z - 9), v3(p[1].x + 9, p[1].y + 9, p[1].z + 9)};
    const tact_aabb high = {v3(p[2].x + 30, p[2].y - 9, p[2].z - 9), v3(p[3].x + 50, p[3].y + 9, p[3].z + 9)};
    switch (pair) {
        case 0:
            return tact_closest_line_line(a, b);
        case 1:
            return tact_closest_segment_segment(a, b);
        case 2:
            return tact_closest_segment_triangle(a, &v);
        case 3:
            return tact_closest_triangle_triangle(&t, &u);
        case 4:
            return tact_closest_segment_aabb(a, &high);
        default:
            return tact_closest_aabb_aabb(&low, &high);
    }
}

TEST(not_numbers_are_nowhere)
{
    static const int used[] = {12, 12, 15, 18, 12, 12};
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int pair = 0; pair < 6; ++pair) {
        for (int b = 0; b < 3; ++b) {
            for (int i = 0; i < used[pair]; ++i) {
                float c[18] = {3, 1, 2, 1, -1, 0, 0, 1, 1, -1, 1, 0, 2, 2, -3, 5, 5, 4};
                tact_vec3 p[6];
                for (int pass = 0; pass < 2; ++pass) {
                    if (pass) c[i] = bad[b];
                    for (int k = 0; k < 6; ++k)
                        p[k] = v3(c[3 * k], c[3 * k + 1], c[3 * k + 2]);
                    const tact_closest_pair r = ask(pair, p);
                    if (pass)
                        is_nowhere(r);
                    else
                        assert_true(isfinite(r.distance) && isfinite(r.a.x) && isfinite(r.b.x));
                }
            }
        }
    }
}

/// The nearest points need not be unique; the distance is, and the points are that far apart.
static void same_gap(tact_closest_pair a, tact_closest_pair b, float move, float scale)
{
    const float d = a.distance * scale;
    assert_true(fabsf(b.distance - d) <= 2e-7f * d && (a.distance == 0.0f) == (b.distance == 0.0f));
    const double x = (double)b.a.x - (double)b.b.x, y = (double)b.a.y - (double)b.b.y,
                 z = (double)b.a.z - (double)b.b.z;
    assert_true(fabs(sqrt(x * x + y * y + z * z) - (double)d) <= 1e-6 * (double)scale * ((double)move + 20.0));
}

TEST(motions_and_scales_change_nothing)
{
    test_random r = test_random_seeded(600);
    for (int n = 0; n < 40000; ++n) {
        tact_vec3 p[6], q[6];
        const float move = (float)test_random_below(&r, 1000),
                    scale = ldexpf(1.0f, (int)test_random_below(&r, 61) - 30);
        const float grid = n % 2 ? 3.0f : 9.0f;
        for (int i = 0; i < 6; ++i) {
            p[i] = v3(floorf(grid * test_random_signed(&r)), floorf(grid * test_random_signed(&r)),
                      floorf(grid * test_random_signed(&r)));
            q[i] = moved(p[i], move, scale);
        }
        const tact_segment a = {p[0], p[1]}, b = {p[2], p[3]}, c = {q[0], q[1]}, d = {q[2], q[3]};
        same_gap(tact_closest_segment_segment(a, b), tact_closest_segment_segment(d, c), move, scale);
        const tact_triangle t = {p[2], p[3], p[4]}, u = {q[3], q[2], q[4]};
        same_gap(tact_closest_segment_triangle(a, &t), tact_closest_segment_triangle(c, &u), move, scale);
        const tact_triangle v = {p[0], p[1], p[5]}, w = {q[1], q[5], q[0]};
        same_gap(tact_closest_triangle_triangle(&v, &t), tact_closest_triangle_triangle(&u, &w), move, scale);
        same_gap(tact_closest_triangle_triangle(&v, &v), tact_closest_triangle_triangle(&w, &w), move, scale);
    }
}

#ifdef __SIZEOF_FLOAT128__

#include "tests/geometry/closest_oracle.inl"

/// Apart, on small and larger grids, nearly parallel, nearly in one plane, far from the origin, with common corners.
static void random_points(test_random* r, tact_vec3* p, int count, uint32_t kind)
{
    const float grid = kind == 0 ? 2.0f : kind == 1 ? 6.0f : 0.0f;
    for (int i = 0; i < count; ++i) {
        float* c[3] = {&p[i].x, &p[i].y, &p[i].z};
        for (int k = 0; k < 3; ++k) {
            *c[k] = test_random_signed(r);
            if (grid > 0.0f) *c[k] = floorf(*c[k] * grid);
            if (kind == 4) *c[k] = 1000.0f + 1e-3f * *c[k];
            if (kind == 5) *c[k] *= expf(7.0f * test_random_signed(r));
        }
    }
    const float f = 2.0f * test_random_signed(r), g = 2.0f * test_random_signed(r);
    if (kind == 2)  // the last along p0 p1
        p[count - 1] = v3(p[count - 2].x + f * (p[1].x - p[0].x), p[count - 2].y + f * (p[1].y - p[0].y),
                          p[count - 2].z + f * (p[1].z - p[0].z));
    if (kind == 3)  // the last in the plane of the first
        p[count - 1] = v3(p[0].x + f * (p[1].x - p[0].x) + g * (p[2].x - p[0].x),
                          p[0].y + f * (p[1].y - p[0].y) + g * (p[2].y - p[0].y),
                          p[0].z + f * (p[1].z - p[0].z) + g * (p[2].z - p[0].z));
    if (kind == 6) p[count - 1] = p[test_random_below(r, (uint32_t)count - 1)];
    const float scale = kind < 2 ? 1.0f : scales[test_random_below(r, 3)];
    for (int i = 0; i < count; ++i)
        p[i] = v3(p[i].x * scale, p[i].y * scale, p[i].z * scale);
}

static wide3 weighted(const tact_vec3* p, const float* weight, int count)
{
    wide3 q = {0, 0, 0};
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        assert_true(weight[i] >= 0.0f && weight[i] <= 1.0f);
        sum += (double)weight[i];
        q = w_along(q, (wide)weight[i], w_of(p[i]));
    }
    assert_true(fabs(sum - 1.0) < 2e-7);
    return q;
}

/// On whole numbers up to 6, different distances differ by more than 1e-12: so the oracle's zeros are told apart.
static void agrees(tact_closest_pair c, wide expect, const tact_vec3* p, int first, int second, bool whole_numbers)
{
    const double size = size_of(p, first + second), d = w_root(expect);
    assert_true(fabs((double)c.distance - d) <= 0x1p-23 * d + 0x1p-46 * size);
    assert_true(fabs((double)c.squared - d * d) <= 0x1p-22 * d * d + 0x1p-44 * size * d + 0x1p-90 * size * size);
    assert_true(fabs(w_root(w_apart(w_of(c.a), w_of(c.b))) - d) <= 0x1p-21 * size);
    if (first) assert_true(w_root(w_apart(weighted(p, c.weight_a, first), w_of(c.a))) <= 0x1p-21 * size);
    if (second) assert_true(w_root(w_apart(weighted(p + first, c.weight_b, second), w_of(c.b))) <= 0x1p-21 * size);
    if (whole_numbers && d < 1e-12)
        assert_true(c.distance == 0.0f && c.a.x == c.b.x && c.a.y == c.b.y && c.a.z == c.b.z);
    if (whole_numbers && d >= 1e-12) assert_true(c.distance > 0.0f);
}

/// A slab between the shapes, at right angles to the line of their nearest points and nearly as thick as those are
/// apart, proves that no points are nearer: whatever features the oracle looks at.
static void nothing_is_nearer(tact_closest_pair c, const tact_vec3* p, int first, int second)
{
    const double size = size_of(p, first + second), d = (double)c.distance;
    if (d < 0.05 * size) return;
    const wide3 r = w_sub(w_of(c.b), w_of(c.a));
    wide most = (wide)-HUGE_VAL, least = (wide)HUGE_VAL;
    for (int i = 0; i < first; ++i)
        most = -w_least(-most, -w_dot(w_of(p[i]), r));
    for (int i = first; i < first + second; ++i)
        least = w_least(least, w_dot(w_of(p[i]), r));
    assert_true((double)(least - most) / w_root(w_dot(r, r)) >= d - 0x1p-17 * size);
}

static bool w_pierces(wide3 p, wide3 q, const wide3* t)
{
    const wide over = w_volume(t[0], t[1], t[2], p), under = w_volume(t[0], t[1], t[2], q);
    if (!((over > 0 && under < 0) || (over < 0 && under > 0))) return false;
    const wide a = w_volume(p, q, t[0], t[1]), b = w_volume(p, q, t[1], t[2]), c = w_volume(p, q, t[2], t[0]);
    return (a >= 0 && b >= 0 && c >= 0) || (a <= 0 && b <= 0 && c <= 0);
}

static wide w_segment_triangle(wide3 p, wide3 q, const wide3* t)
{
    if (w_pierces(p, q, t)) return 0;
    wide best = w_least(w_point_triangle(p, t), w_point_triangle(q, t));
    for (int i = 0; i < 3; ++i)
        best = w_least(best, w_segment_segment(p, q, t[i], t[(i + 1) % 3]));
    return best;
}

static wide w_triangle_triangle(const wide3* a, const wide3* b)
{
    wide best = (wide)HUGE_VAL;
    for (int i = 0; i < 3; ++i)
        best = w_least(
            best, w_least(w_segment_triangle(a[i], a[(i + 1) % 3], b), w_segment_triangle(b[i], b[(i + 1) % 3], a)));
    return best;
}

TEST(random_segments)
{
    test_random r = test_random_seeded(601);
    long shared = 0;
    for (long n = 0; n < 120000; ++n) {
        tact_vec3 p[4];
        const uint32_t kind = (uint32_t)(n % 8);
        random_points(&r, p, 4, kind);
        const wide3 w[4] = {w_of(p[0]), w_of(p[1]), w_of(p[2]), w_of(p[3])};
        const tact_segment a = {p[0], p[1]}, b = {p[2], p[3]};
        const wide expect = w_segment_segment(w[0], w[1], w[2], w[3]);
        const tact_closest_pair near = tact_closest_segment_segment(a, b);
        agrees(near, expect, p, 2, 2, kind < 2);
        nothing_is_nearer(near, p, 2, 2);
        if (n % 4 == 0)
            assert_true(fabs((double)(tact_closest_segment_segment(b, a).distance) - w_root(expect)) <=
                        0x1p-23 * w_root(expect) + 0x1p-46 * size_of(p, 4));
        shared += kind < 2 && w_root(expect) < 1e-12;
        // The lines: the feet differ from each other by a vector at right angles to both directions.
        const wide3 u = w_sub(w[1], w[0]), v = w_sub(w[3], w[2]), x = w_cross(u, v);
        const wide xx = w_dot(x, x), uu = w_dot(u, u), vv = w_dot(v, v);
        if (!(xx > 0)) continue;
        const tact_closest_pair c = tact_closest_line_line(a, b);
        const wide off = w_dot(w_sub(w[2], w[0]), x);
        const double d = w_root(off * off / xx), size = size_of(p, 4);
        assert_true(fabs((double)c.distance - d) <= 0x1p-23 * d + 1e-45);
        const double sine = w_root(xx / (uu * vv));
        const double far = fabs((double)c.weight_a[1]) + fabs((double)c.weight_b[1]) + 1.0;
        const double slack = size * far * (0x1p-21 + 0x1p-48 / sine);
        const wide3 gap = w_sub(w_of(c.b), w_of(c.a));
        assert_true(fabs((double)w_dot(gap, v)) <= slack * w_root(vv) * 2.0);
        assert_true(w_root(w_dot(gap, gap)) <= d + 4.0 * slack);
        assert_true(w_root(w_apart(w_along(w[0], (wide)c.weight_a[1], u), w_of(c.a))) <= slack);
        assert_true(w_root(w_apart(w_along(w[2], (wide)c.weight_b[1], v), w_of(c.b))) <= slack);
    }
    assert_true(shared > 1000);
}

TEST(random_segments_and_triangles)
{
    test_random r = test_random_seeded(602);
    long shared = 0;
    for (long n = 0; n < 40000; ++n) {
        tact_vec3 p[6];
        wide3 w[6];
        const uint32_t kind = (uint32_t)(n % 8);
        random_points(&r, p, 5, kind);
        for (int i = 0; i < 5; ++i)
            w[i] = w_of(p[i]);
        const tact_segment s = {p[0], p[1]};
        const tact_triangle t = {p[2], p[3], p[4]};
        const wide expect = w_segment_triangle(w[0], w[1], w + 2);
        shared += expect == 0;
        const tact_closest_pair c = tact_closest_segment_triangle(s, &t);
        agrees(c, expect, p, 2, 3, kind < 2);
        nothing_is_nearer(c, p, 2, 3);
        if (n % 2) continue;
        random_points(&r, p, 6, kind);
        for (int i = 0; i < 6; ++i)
            w[i] = w_of(p[i]);
        const tact_triangle a = {p[0], p[1], p[2]}, b = {p[3], p[4], p[5]};
        const wide square = w_triangle_triangle(w, w + 3);
        shared += square == 0;
        const tact_closest_pair e = tact_closest_triangle_triangle(&a, &b);
        agrees(e, square, p, 3, 3, kind < 2);
        nothing_is_nearer(e, p, 3, 3);
        const float back = tact_closest_triangle_triangle(&b, &a).distance;
        assert_true(fabs((double)back - w_root(square)) <= 0x1p-23 * w_root(square) + 0x1p-46 * size_of(p, 6));
    }
    assert_true(shared > 10000);
}

static wide excess(wide x, wide low, wide high)
{
    return x < low ? low - x : x > high ? x - high : 0;
}

/// The squared distance to the box along the segment is convex: it is 0 where one slab ends and all others go on, or
/// least at the crossing of a slab's side or between two such: all quadratics of all choices of sides are tried.
static wide w_segment_box(wide3 p, wide3 q, const wide* low, const wide* high)
{
    const wide o[3] = {p.x, p.y, p.z}, d[3] = {q.x - p.x, q.y - p.y, q.z - p.z};
    wide best = (wide)HUGE_VAL, tries[35];
    int count = 0;
    tries[count++] = 0;
    tries[count++] = 1;
    for (int i = 0; i < 3; ++i) {
        if (d[i] == 0) continue;
        tries[count++] = (low[i] - o[i]) / d[i];
        tries[count++] = (high[i] - o[i]) / d[i];
    }
    for (int k = 1; k < 27; ++k) {  // for each axis: within, below, above
        wide up = 0, down = 0;
        for (int i = 0, f = k; i < 3; ++i, f /= 3) {
            if (f % 3 == 0) continue;
            up -= d[i] * (o[i] - (f % 3 == 1 ? low[i] : high[i]));
            down += d[i] * d[i];
        }
        if (down > 0) tries[count++] = up / down;
    }
    for (int k = 0; k < count; ++k) {
        const wide t = tries[k] < 0 ? 0 : tries[k] > 1 ? 1 : tries[k];
        wide square = 0;
        for (int i = 0; i < 3; ++i) {
            const wide e = excess(o[i] + t * d[i], low[i], high[i]);
            square += e * e;
        }
        best = w_least(best, square);
    }
    return best;
}

TEST(random_boxes)
{
    test_random r = test_random_seeded(603);
    long shared = 0;
    for (long n = 0; n < 120000; ++n) {
        tact_vec3 p[4];
        const uint32_t kind = (uint32_t)(n % 8);
        random_points(&r, p, 4, kind);
        const tact_aabb box = {v3(fminf(p[2].x, p[3].x), fminf(p[2].y, p[3].y), fminf(p[2].z, p[3].z)),
                               v3(fmaxf(p[2].x, p[3].x), fmaxf(p[2].y, p[3].y), fmaxf(p[2].z, p[3].z))};
        const tact_aabb other = {v3(fminf(p[0].x, p[1].x), fminf(p[0].y, p[1].y), fminf(p[0].z, p[1].z)),
                                 v3(fmaxf(p[0].x, p[1].x), fmaxf(p[0].y, p[1].y), fmaxf(p[0].z, p[1].z))};
        const wide low[3] = {(wide)box.lower.x, (wide)box.lower.y, (wide)box.lower.z};
        const wide high[3] = {(wide)box.upper.x, (wide)box.upper.y, (wide)box.upper.z};
        const tact_segment s = {p[0], p[1]};
        const wide expect = w_segment_box(w_of(p[0]), w_of(p[1]), low, high);
        const tact_closest_pair c = tact_closest_segment_aabb(s, &box);
        shared += kind < 2 && w_root(expect) < 1e-12;
        agrees(c, expect, p, 2, 0, kind < 2);
        agrees(c, expect, p, 2, 0, false);
        assert_true(c.b.x >= box.lower.x && c.b.x <= box.upper.x && c.b.z >= box.lower.z && c.b.z <= box.upper.z);
        wide square = 0;
        const wide ol[3] = {(wide)other.lower.x, (wide)other.lower.y, (wide)other.lower.z};
        const wide oh[3] = {(wide)other.upper.x, (wide)other.upper.y, (wide)other.upper.z};
        for (int i = 0; i < 3; ++i) {
            const wide gap = ol[i] > high[i] ? ol[i] - high[i] : low[i] > oh[i] ? low[i] - oh[i] : 0;
            square += gap * gap;
        }
        const tact_closest_pair b = tact_closest_aabb_aabb(&box, &other);
        agrees(b, square, p, 0, 0, false);
        assert_true((b.distance == 0.0f) == (square == 0));
        assert_true(b.a.x >= box.lower.x && b.a.x <= box.upper.x && b.b.x >= other.lower.x && b.b.x <= other.upper.x);
        assert_true(b.a.y >= box.lower.y && b.a.y <= box.upper.y && b.b.y >= other.lower.y && b.b.y <= other.upper.y);
        assert_true(fabs(w_root(w_apart(w_of(b.a), w_of(b.b))) - w_root(square)) <= 1e-30 + 1e-15 * w_root(square));
    }
    assert_true(shared > 1000);
}

#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
