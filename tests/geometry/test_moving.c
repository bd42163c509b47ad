// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Moving boxes against exact integer arithmetic, dented polygons against their parts, and interval halving.

#include "tests/geometry/moving.h"

static const tact_aabb unit = {{-1, -1, -1}, {1, 1, 1}};

TEST(boxes_meet_planes_at_known_times)
{
    const tact_plane ground = {{0, 0, 2}, -6};  // z = -3
    expect(tact_moving_aabb_plane(unit, v3(2, 0, -4), ground), 0.5f, v3(1, 0, -3), v3(0, 0, 1));
    expect(tact_moving_aabb_plane(unit, v3(0, 0, -2), ground), 1, v3(0, 0, -3), v3(0, 0, 1));
    assert_false(tact_moving_aabb_plane(unit, v3(0, 0, -1.9999f), ground).hit);
    assert_false(tact_moving_aabb_plane(unit, v3(9, 9, 0), ground).hit);
    assert_false(tact_moving_aabb_plane(unit, v3(0, 0, 9), ground).hit);
    // An edge; a corner; from behind.
    const tact_plane slope = {{1, 1, 0}, 6}, corner = {{-1, 1, 1}, 7};
    expect_near(tact_moving_aabb_plane(unit, v3(4, 4, 0), slope), 0.5f, v3(3, 3, 0), v3(-0.70710678f, -0.70710678f, 0));
    expect_near(tact_moving_aabb_plane(unit, v3(-2, 2, 4), corner), 0.5f, v3(-2, 2, 3),
                v3(0.57735027f, -0.57735027f, -0.57735027f));
    // At the start: touching from either side and leaving, straddling, halved.
    expect(tact_moving_aabb_plane(unit, v3(0, 0, 9), (tact_plane){{0, 0, 1}, -1}), 0, v3(0, 0, -1), v3(0, 0, 1));
    expect(tact_moving_aabb_plane(unit, v3(0, 0, -9), (tact_plane){{0, 0, 1}, 1}), 0, v3(0, 0, 1), v3(0, 0, -1));
    expect(tact_moving_aabb_plane(unit, still, (tact_plane){{0, 4, 0}, 2}), 0, v3(0, 0.5f, 0), v3(0, -1, 0));
    expect(tact_moving_aabb_plane(unit, still, (tact_plane){{0, 4, 0}, 0}), 0, v3(0, 0, 0), v3(0, 0, 0));
    assert_false(tact_moving_aabb_plane(unit, still, (tact_plane){{0, 0, 0}, 0}).hit);
}

TEST(boxes_meet_boxes_at_known_times)
{
    const tact_aabb other = {{4, 0, 0}, {6, 8, 1}};
    expect(tact_moving_aabb_aabb(unit, v3(6, 0, 0), other, still), 0.5f, v3(4, 0.5f, 0.5f), v3(-1, 0, 0));
    // Both move.
    expect(tact_moving_aabb_aabb(unit, v3(3, 2, 0), other, v3(-3, 2, 0)), 0.5f, v3(2.5f, 1.5f, 0.5f), v3(-1, 0, 0));
    expect(tact_moving_aabb_aabb(other, v3(-6, 0, 0), unit, still), 0.5f, v3(1, 0.5f, 0.5f), v3(1, 0, 0));
    // Edges that pass in touch, and by a hair not.
    expect(tact_moving_aabb_aabb(unit, v3(8, -8, 0), (tact_aabb){{3, -9, -1}, {9, -3, 1}}, still), 0.25f, v3(3, -3, 0),
           v3(-1, 0, 0));
    const tact_aabb low = {{3, -9, -1}, {9, -5, 1}}, lower = {{3, -9, -1}, {9, -5.000001f, 1}};
    assert_true(tact_moving_aabb_aabb(unit, v3(16, 0, 0), (tact_aabb){{3, -9, -1}, {9, -1, 1}}, still).hit);
    assert_true(tact_moving_aabb_aabb(unit, v3(16, -8, 0), low, still).t == 0.5f);
    assert_true(tact_moving_aabb_aabb(unit, v3(16, -8, 0), lower, still).t > 0.5f);
    assert_false(tact_moving_aabb_aabb(unit, v3(16, -7.99f, 0), (tact_aabb){{3, -9, -1}, {5, -5, 1}}, still).hit);
    assert_false(tact_moving_aabb_aabb(unit, v3(2.9999f, 0, 0), other, still).hit);
    assert_false(tact_moving_aabb_aabb(unit, v3(6, 0, 0), other, v3(6, 0, 0)).hit);
    // At the start: least depth; touching and leaving; the same box.
    expect(tact_moving_aabb_aabb(unit, v3(-9, 0, 0), (tact_aabb){{0, 0.5f, -4}, {9, 9, 9}}, still), 0,
           v3(0.5f, 0.75f, 0), v3(0, -1, 0));
    expect(tact_moving_aabb_aabb(unit, v3(-9, 0, 0), (tact_aabb){{1, -1, -1}, {9, 1, 1}}, still), 0, v3(1, 0, 0),
           v3(-1, 0, 0));
    assert_true(tact_moving_aabb_aabb(unit, still, unit, still).hit);
    assert_false(tact_moving_aabb_aabb(unit, still, (tact_aabb){{1, 0, 0}, {0, 1, 1}}, still).hit);
    // Points, and a long way.
    const tact_aabb p = {{0, 0, 0}, {0, 0, 0}}, q = {{1, 2, 3}, {1, 2, 3}};
    assert_true(tact_moving_aabb_aabb(p, v3(4, 8, 12), q, still).t == 0.25f);
    assert_false(tact_moving_aabb_aabb(p, v3(4, 8, 13), q, still).hit);
    const tact_aabb far = {{-0x1p60f, 0, 0}, {-0x1p60f, 0, 0}};
    assert_true(tact_moving_aabb_aabb(far, v3(0x1p61f, 0, 0), p, still).t == 0.5f);
}

/// Whether the boxes overlap at the time num / den.
static bool grid_overlap(const grid_box* a, const int64_t m[3], const grid_box* b, int64_t num, int64_t den)
{
    for (int i = 0; i < 3; ++i) {
        if (a->low[i] * den + m[i] * num > b->high[i] * den || a->high[i] * den + m[i] * num < b->low[i] * den) {
            return false;
        }
    }
    return true;
}

/// The first contact is at time 0 or when two faces pass. -1: none.
static double grid_first(const grid_box* a, const int64_t m[3], const grid_box* b)
{
    double best = grid_overlap(a, m, b, 0, 1) ? 0.0 : -1.0;
    for (int i = 0; i < 3; ++i) {
        if (m[i] == 0) continue;
        const int64_t sign = m[i] < 0 ? -1 : 1, den = sign * m[i];
        const int64_t nums[2] = {sign * (b->low[i] - a->high[i]), sign * (b->high[i] - a->low[i])};
        for (int k = 0; k < 2; ++k) {
            const double t = (double)nums[k] / (double)den;
            if (nums[k] < 0 || nums[k] > den || (best >= 0.0 && t >= best)) continue;
            if (grid_overlap(a, m, b, nums[k], den)) best = t;
        }
    }
    return best;
}

TEST(boxes_are_exact)
{
    test_random r = test_random_seeded(1);
    static const float sizes[3] = {0x1p-12f, 0x1p-32f, 0x1p8f};
    long hits = 0, starts = 0;
    for (int i = 0; i < 2000000; ++i) {
        const bool coarse = i % 2 == 1;
        const grid_box a = grid_make(&r, coarse), b = grid_make(&r, coarse);
        int64_t m[3], ma[3], mb[3];
        for (int k = 0; k < 3; ++k) {
            ma[k] = 2 * grid_number(&r, coarse);
            mb[k] = grid_number(&r, coarse);
            m[k] = ma[k] - mb[k];
        }
        const float size = sizes[i % 3];
        const tact_aabb fa = grid_aabb(&a, size), fb = grid_aabb(&b, size);
        const tact_vec3 va = grid_vector(ma, size), vb = grid_vector(mb, size);
        const double first = grid_first(&a, m, &b);
        const tact_moving_hit h = tact_moving_aabb_aabb(fa, va, fb, vb), back = tact_moving_aabb_aabb(fb, vb, fa, va);
        assert_true(h.hit == (first >= 0.0) && back.hit == h.hit && back.t == h.t);
        if (!h.hit) continue;
        ++hits;
        starts += first == 0.0;
        assert_true(h.t == (float)first);
        assert_true(h.normal.x * h.normal.x + h.normal.y * h.normal.y + h.normal.z * h.normal.z == 1.0f);
        const float inward = h.normal.x * (va.x - vb.x) + h.normal.y * (va.y - vb.y) + h.normal.z * (va.z - vb.z);
        assert_true(first == 0.0 || inward < 0.0f);
        // The point is in both boxes.
        const float t = h.t, loose = 4e-7f * 65536.0f * size;
        const float p[3] = {h.point.x, h.point.y, h.point.z};
        for (int k = 0; k < 3; ++k) {
            const float pa = p[k] - t * grid_float(ma[k], size), pb = p[k] - t * grid_float(mb[k], size);
            assert_true(pa >= grid_float(a.low[k], size) - loose && pa <= grid_float(a.high[k], size) + loose);
            assert_true(pb >= grid_float(b.low[k], size) - loose && pb <= grid_float(b.high[k], size) + loose);
        }
    }
    printf("boxes: %ld contacts, %ld at time 0\n", hits, starts);
    assert_true(hits > 100000 && hits < 1900000);
}

TEST(boxes_against_planes_are_exact)
{
    test_random r = test_random_seeded(2);
    static const float sizes[3] = {0x1p-12f, 0x1p-32f, 0x1p8f};
    long hits = 0;
    for (int i = 0; i < 1000000; ++i) {
        const bool coarse = i % 2 == 1;
        const grid_box a = grid_make(&r, coarse);
        int64_t m[3], n[3], low = INT64_MAX, high = INT64_MIN, speed = 0;
        for (int k = 0; k < 3; ++k) {
            m[k] = 2 * grid_number(&r, coarse);
            n[k] = (int64_t)test_random_below(&r, coarse ? 5 : 2001) - (coarse ? 2 : 1000);
            speed += m[k] * n[k];
        }
        if (n[0] == 0 && n[1] == 0 && n[2] == 0) continue;
        const int64_t d = grid_number(&r, coarse) * (coarse ? 1 : 256);  // a few bits, exact as a float
        for (int c = 0; c < 8; ++c) {
            int64_t h = -d;
            for (int k = 0; k < 3; ++k)
                h += n[k] * (c >> k & 1 ? a.high[k] : a.low[k]);
            low = h < low ? h : low;
            high = h > high ? h : high;
        }
        const int64_t gap = low > 0 ? low : high < 0 ? -high : 0, toward = low > 0 ? -speed : speed;
        const bool hit = gap == 0 || gap <= toward;
        const float size = sizes[i % 3];
        const tact_plane plane = {v3((float)n[0], (float)n[1], (float)n[2]), grid_float(d, size)};
        const tact_moving_hit h = tact_moving_aabb_plane(grid_aabb(&a, size), grid_vector(m, size), plane);
        assert_true(h.hit == hit);
        if (!hit) continue;
        ++hits;
        assert_true(h.t == (gap == 0 ? 0.0f : (float)((double)gap / (double)toward)));
        // The point is on the plane.
        const double nx = (double)n[0], ny = (double)n[1], nz = (double)n[2],
                     length = sqrt(nx * nx + ny * ny + nz * nz);
        const double off =
            ((double)h.point.x * nx + (double)h.point.y * ny + (double)h.point.z * nz - (double)plane.distance) /
            length;
        assert_true(fabs(off) <= 1e-6 * 65536.0 * (double)size);
    }
    assert_true(hits > 100000 && hits < 900000);
}

TEST(nothing_that_is_no_number_hits)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; ++k) {
        const tact_vec3 worse[3] = {{bad[k], 0, 0}, {0, bad[k], 0}, {0, 0, bad[k]}};
        for (int i = 0; i < 3; ++i) {
            const tact_vec3 w = worse[i];
            assert_false(tact_moving_aabb_aabb(unit, w, unit, still).hit);
            assert_false(tact_moving_aabb_aabb(unit, still, unit, w).hit);
            assert_false(tact_moving_aabb_aabb((tact_aabb){w, unit.upper}, still, unit, still).hit);
            assert_false(tact_moving_aabb_aabb((tact_aabb){unit.lower, w}, still, unit, still).hit);
            assert_false(tact_moving_aabb_aabb(unit, still, (tact_aabb){w, unit.upper}, still).hit);
            assert_false(tact_moving_aabb_aabb(unit, still, (tact_aabb){unit.lower, w}, still).hit);
            assert_false(tact_moving_aabb_plane((tact_aabb){w, unit.upper}, still, (tact_plane){{1, 0, 0}, 0}).hit);
            assert_false(tact_moving_aabb_plane((tact_aabb){unit.lower, w}, still, (tact_plane){{1, 0, 0}, 0}).hit);
            assert_false(tact_moving_aabb_plane(unit, w, (tact_plane){{1, 0, 0}, 0}).hit);
            assert_false(tact_moving_aabb_plane(unit, still, (tact_plane){w, 0}).hit);
        }
        assert_false(tact_moving_aabb_plane(unit, still, (tact_plane){{1, 0, 0}, bad[k]}).hit);
    }
}

/// A dented polygon is what two convex ones make that share an edge within it.
TEST(dented_polygons_agree_with_their_parts)
{
    test_random r = test_random_seeded(9);
    static const float ell[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}};
    static const float parts[2][4][2] = {{{0, 0}, {2, 0}, {2, 1}, {0, 1}}, {{0, 0}, {1, 0}, {1, 3}, {0, 3}}};
    long hits = 0;
    for (int i = 0; i < 300000; ++i) {
        const float tilt = (float)test_random_below(&r, 5) - 2.0f, lift = (float)test_random_below(&r, 5) - 2.0f;
        tact_vec3 whole[6], part[2][4];
        for (int k = 0; k < 6; ++k)
            whole[i % 2 ? k : 5 - k] = v3(ell[k][0], tilt * ell[k][0] + lift * ell[k][1], ell[k][1]);
        for (int p = 0; p < 2; ++p) {
            for (int k = 0; k < 4; ++k) {
                const float x = parts[p][k][0], z = parts[p][k][1];
                part[p][k] = v3(x, tilt * x + lift * z, z);
            }
        }
        const tact_sphere s = {test_vec3(&r, 3.0f), 0.8f * test_random_unit(&r)};
        const tact_vec3 m = test_vec3(&r, 6.0f);
        const tact_moving_hit h = tact_moving_sphere_polygon(s, m, whole, 6);
        const tact_moving_hit a = tact_moving_sphere_polygon(s, m, part[0], 4);
        const tact_moving_hit b = tact_moving_sphere_polygon(s, m, part[1], 4);
        assert_true(h.hit == (a.hit || b.hit));
        if (!h.hit) continue;
        ++hits;
        const tact_moving_hit* first = !b.hit || (a.hit && a.t <= b.t) ? &a : &b;
        assert_true(fabsf(h.t - first->t) <= 1e-6f);
    }
    printf("dented polygons: %ld hits of 300000\n", hits);
    assert_true(hits > 30000 && hits < 270000);
}

// Interval halving.

typedef struct balls {
    dv p, m;
    double reach;
    long asked;
} balls;

static double balls_distance(double t, void* user)
{
    balls* b = user;
    ++b->asked;
    const dv at = {b->p.x + t * b->m.x, b->p.y + t * b->m.y, b->p.z + t * b->m.z};
    return sqrt(dv_dot(at, at)) - b->reach;
}

static double balls_movement(double t0, double t1, void* user)
{
    const balls* b = user;
    return sqrt(dv_dot(b->m, b->m)) * (t1 - t0);
}

TEST(halving_finds_what_the_sphere_test_finds)
{
    test_random r = test_random_seeded(7);
    const double fine = 1e-6;
    long asked = 0, extra = 0, hits = 0, most = 0;
    for (int i = 0; i < 300000; ++i) {
        const tact_sphere a = {test_vec3(&r, 3.0f), test_random_unit(&r)},
                          b = {test_vec3(&r, 3.0f), test_random_unit(&r)};
        const tact_vec3 m = test_vec3(&r, i % 4 ? 6.0f : 100.0f);
        balls user = {dv_sub(dv_of(a.center), dv_of(b.center)), dv_of(m), (double)a.radius + (double)b.radius, 0};
        const tact_moving_pair pair = {balls_distance, balls_movement, &user};
        const tact_moving_interval found = tact_moving_halving(&pair, 0.0, 1.0, fine);
        const tact_moving_hit h = tact_moving_sphere_sphere(a, m, b, still);
        asked += user.asked;
        most = user.asked > most ? user.asked : most;
        assert_true(!h.hit || found.found);
        hits += h.hit;
        if (!found.found) continue;
        assert_true(found.t1 - found.t0 <= fine && found.t0 >= 0.0 && found.t1 <= 1.0);
        if (!h.hit) {
            ++extra;
            assert_true(balls_distance(found.t0, &user) <= fine * balls_movement(0.0, 1.0, &user));
            continue;
        }
        assert_true(found.t0 <= (double)h.t + 1e-7);
        if (found.t1 < (double)h.t - 1e-7) assert_true(balls_distance(found.t0, &user) <= 2e-4);  // a graze
    }
    printf("halving: %ld hits, %ld near misses found, %.1f distances a query, %ld at most\n", hits, extra,
           (double)asked / 300000.0, most);
    assert_true(hits > 10000 && extra < 100);
}

/// A rod of length 2 that turns once about its middle beside a point: what a straight path cannot do.
static double rod_distance(double t, void* user)
{
    const double* point = user;
    const double angle = 6.283185307179586 * t, c = cos(angle), s = sin(angle);
    const double along = fmin(1.0, fmax(-1.0, point[0] * c + point[1] * s));
    return hypot(point[0] - along * c, point[1] - along * s) - 0.01;
}

static double rod_movement(double t0, double t1, void* user)
{
    (void)user;
    return 6.283185307179586 * (t1 - t0);
}

static double never(double t, void* user)
{
    (void)t, (void)user;
    return (double)NAN;
}

TEST(halving_follows_turning_things)
{
    double point[2] = {0.0, 0.5};
    const tact_moving_pair rod = {rod_distance, rod_movement, point}, lost = {never, rod_movement, NULL};
    // The rod of radius 0.01 reaches the point a little before a quarter turn.
    const tact_moving_interval i = tact_moving_halving(&rod, 0.0, 1.0, 1e-9);
    const double t = 0.25 - asin(0.01 / 0.5) / 6.283185307179586;
    assert_true(i.found && i.t0 <= t + 1e-12 && i.t1 >= t - 1e-9 && i.t1 - i.t0 <= 1e-9);
    point[1] = 1.02;
    assert_false(tact_moving_halving(&rod, 0.0, 1.0, 1e-9).found);
    point[1] = 0.5;
    assert_false(tact_moving_halving(&rod, 0.0, 0.2, 1e-9).found);
    assert_true(tact_moving_halving(&rod, 0.25, 0.25, 1e-9).found);
    assert_false(tact_moving_halving(&rod, 0.1, 0.1, 1e-9).found);
    // Within reach from the start, and at the finest resolution there is.
    assert_true(tact_moving_halving(&rod, 0.25, 1.0, 1e-9).t1 == 0.25);
    assert_true(tact_moving_halving(&rod, 0.0, 1.0, 0.0).found);
    assert_true(tact_moving_halving(&rod, 0.0, 1.0, 1.0).t1 <= 1.0);
    assert_false(tact_moving_halving(&lost, 0.0, 1.0, 1e-9).found);
    assert_false(tact_moving_halving(&rod, 1.0, 0.0, 1e-9).found);
    assert_false(tact_moving_halving(&rod, (double)NAN, 1.0, 1e-9).found);
    assert_false(tact_moving_halving(&rod, 0.0, (double)INFINITY, 1e-9).found);
    assert_false(tact_moving_halving(&rod, 0.0, 1.0, (double)NAN).found);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
