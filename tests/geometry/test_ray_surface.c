// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays against plane, triangle, quadrilateral, polygon and disc: analytic cases, exact oracles on whole numbers, and
// signed volumes in 113-bit arithmetic.

#include "tests/support/run.h"

#include "kernels/ray_triangle.h"
#include "tests/geometry/ray_cases.h"
#include "tests/geometry/wide.h"

typedef tact_ray_surface_hit caster(const tact_ray*, const tact_triangle*);

static tact_ray_surface_hit by_prepared(const tact_ray* ray, const tact_triangle* t)
{
    const tact_ray_triangle_prepared p = tact_ray_triangle_prepare(t);
    return tact_ray_triangle_with(ray, &p);
}

static tact_ray_surface_hit by_polygon(const tact_ray* ray, const tact_triangle* t)
{
    const tact_vec3 v[3] = {t->a, t->b, t->c};
    return tact_ray_polygon(ray, v, 3);
}

/// Those below EXACT compute in double and agree on whole numbers; those below WITH_UV tell u and v.
enum { MOLLER, PREPARED, PLUCKER, EXACT, WATERTIGHT = EXACT, WITH_UV, POLYGON = WITH_UV, ALL };
static caster* const casters[ALL] = {tact_ray_triangle_moller_trumbore, by_prepared, tact_ray_triangle_plucker,
                                     tact_ray_triangle_watertight, by_polygon};

static const tact_triangle corner = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};

static bool plausible(const tact_ray* r, const tact_ray_surface_hit* h)
{
    if (!h->hit) return h->t == 0.0f && same_vec(h->normal, v3(0, 0, 0));
    if (!(h->t >= r->tmin && h->t <= r->tmax && isfinite(h->t))) return false;
    if (fabs(dot3(h->normal, h->normal) - 1.0) > 1e-6) return false;
    return h->front == (dot3(h->normal, direction(r)) < 0.0);
}

static bool same_surface_hit(tact_ray_surface_hit a, tact_ray_surface_hit b)
{
    return a.hit == b.hit && a.front == b.front && a.t == b.t && a.u == b.u && a.v == b.v &&
           same_vec(a.normal, b.normal);
}

// ---- planes ----

TEST(planes_are_met_at_their_distance)
{
    const tact_plane p = {{0, 0, 2}, 6};  // z = 3
    tact_ray r = make_ray(1, 2, 7, 0, 0, -2);
    tact_ray_surface_hit h = tact_ray_plane(&r, &p);
    assert_true(h.hit && h.t == 2.0f && h.front && same_vec(h.normal, v3(0, 0, 1)) && h.u == 0.0f);
    r.dz = 2.0f;
    assert_false(tact_ray_plane(&r, &p).hit || tact_ray_overlaps_plane(&r, &p));
    r.tmin = -INFINITY;
    h = tact_ray_plane(&r, &p);
    assert_true(h.hit && h.t == -2.0f && !h.front && tact_ray_overlaps_plane(&r, &p));
    // Within the plane: an overlap, but no one t.
    r = make_ray(1, 2, 3, 1, -1, 0);
    assert_true(!tact_ray_plane(&r, &p).hit && tact_ray_overlaps_plane(&r, &p));
    r.oz = nextafterf(3, 4);
    assert_true(!tact_ray_plane(&r, &p).hit && !tact_ray_overlaps_plane(&r, &p));
    r.tmin = -INFINITY;
    assert_true(!tact_ray_plane(&r, &p).hit && !tact_ray_overlaps_plane(&r, &p));
    const tact_plane none = {{0, 0, 0}, 0};
    r = make_ray(0, 0, 0, 0, 0, 1);
    assert_true(!tact_ray_plane(&r, &none).hit && !tact_ray_overlaps_plane(&r, &none));
    r.dz = 0.0f;  // a point
    const tact_plane through = {{0, 0, 1}, 0};
    assert_true(!tact_ray_plane(&r, &through).hit && tact_ray_overlaps_plane(&r, &through));
    // Farther than floats go.
    r = make_ray(0, 0, 0, 0, 0, 1e-30f);
    const tact_plane far = {{0, 0, 1}, 1e10f};
    assert_false(tact_ray_plane(&r, &far).hit);
}

/// In print the last comparison of a segment's t is with 0: it would find nothing but its start.
TEST(segments_are_tested_to_their_end)
{
    const tact_plane p = {{0, 0, 1}, 3};
    for (int k = 0; k <= 8; ++k) {
        const float end = (float)k;
        const tact_ray r = make_segment(v3(0, 0, 0), v3(1, 1, end));
        const tact_ray_surface_hit h = tact_ray_plane(&r, &p);
        assert_int_equal(h.hit, k >= 3);
        assert_int_equal(tact_ray_overlaps_plane(&r, &p), k >= 3);
        const tact_ray back = make_segment(v3(1, 1, end), v3(0, 0, 0));
        assert_int_equal(tact_ray_overlaps_plane(&back, &p), k >= 3);
        const tact_triangle t = {{-9, -9, 3}, {9, -9, 3}, {0, 9, 3}};
        assert_int_equal(tact_ray_overlaps_triangle(&r, &t), k >= 3);
        for (int c = 0; c < ALL; ++c)
            assert_int_equal(casters[c](&r, &t).hit, k >= 3);
    }
}

TEST(planes_agree_with_whole_numbers)
{
    test_random r = test_random_seeded(1);
    size_t hits = 0;
    enum { CASES = 1200000 };
    for (int i = 0; i < CASES; ++i) {
        const int n = i & 1 ? 4 : 1000;
        const tact_ray ray = random_grid_ray(&r, n, n);
        const tact_plane p = {random_grid(&r, n), (float)random_whole(&r, n)};
        const int64_t slope = (int64_t)dot3(p.normal, direction(&ray));
        const int64_t room = (int64_t)p.distance - (int64_t)dot3(p.normal, v3(ray.ox, ray.oy, ray.oz));
        const int64_t sign = slope < 0 ? -1 : 1;
        const bool after = ray.tmin == -INFINITY || sign * room >= (int64_t)ray.tmin * sign * slope;
        const bool before = ray.tmax == INFINITY || sign * room <= (int64_t)ray.tmax * sign * slope;
        const bool expected = slope != 0 && after && before;
        const bool flat = slope == 0 && room == 0 && !same_vec(p.normal, v3(0, 0, 0));
        const tact_ray_surface_hit h = tact_ray_plane(&ray, &p);
        hits += expected;
        if (h.hit != expected || !plausible(&ray, &h)) fail_msg("case %d: expected %d", i, expected);
        if (tact_ray_overlaps_plane(&ray, &p) != (expected || flat)) fail_msg("case %d: boolean", i);
        if (expected && h.t != (float)((double)room / (double)slope)) fail_msg("case %d: t", i);
    }
    assert_in_range(hits, CASES / 5, CASES * 4 / 5);
}

/// n . d is 2^-30 between terms of 2^25: a sum in double loses it.
TEST(grazing_planes_are_met)
{
    const tact_plane p = {{8193, 0x1p-30f, 8193}, 0x1p-30f};
    tact_ray r = make_ray(0, 0, 0, 16385, 1, -16385);
    const tact_ray_surface_hit h = tact_ray_plane(&r, &p);
    assert_true(h.hit && h.t == 1.0f && tact_ray_overlaps_plane(&r, &p));
    r.tmax = 0.5f;
    assert_false(tact_ray_overlaps_plane(&r, &p));
}

// ---- triangles ----

TEST(known_triangles_have_exact_hits)
{
    for (int c = 0; c < ALL; ++c) {
        tact_ray r = make_ray(0.25f, 0.5f, 2, 0, -0.0f, -4);
        tact_ray_surface_hit h = casters[c](&r, &corner);
        assert_true(h.hit && h.front && h.t == 0.5f && same_vec(h.normal, v3(0, 0, 1)));
        if (c < WITH_UV) assert_true(h.u == 0.25f && h.v == 0.5f);
        r = make_ray(0.25f, 0.5f, -2, 0, 0, 1);
        h = casters[c](&r, &corner);
        assert_true(h.hit && !h.front && h.t == 2.0f && same_vec(h.normal, v3(0, 0, 1)));
        assert_false(tact_ray_triangle_front(&r, &corner).hit);
        r.tmax = nextafterf(2, 0);
        assert_false(casters[c](&r, &corner).hit);
        r = make_ray(0.25f, 0.25f, 0, 0, 0, 1);  // from the surface
        assert_true(casters[c](&r, &corner).hit && casters[c](&r, &corner).t == 0.0f);
        // Edges and vertices, and just beside them.
        const float on[][2] = {{0, 0}, {1, 0}, {0, 1}, {0.5f, 0}, {0, 0.5f}, {0.5f, 0.5f}};
        for (size_t k = 0; k < COUNT(on); ++k) {
            r = make_ray(on[k][0], on[k][1], 1, 0, 0, -1);
            assert_true(casters[c](&r, &corner).hit && tact_ray_overlaps_triangle(&r, &corner));
            assert_true(tact_ray_triangle_front(&r, &corner).hit);
        }
        const float off[][2] = {{-1e-7f, 0.5f}, {0.5f, -1e-7f}, {0.5f, 0.500001f}, {1.000001f, 0}};
        for (size_t k = 0; k < COUNT(off); ++k) {
            r = make_ray(off[k][0], off[k][1], 1, 0, 0, -1);
            assert_false(casters[c](&r, &corner).hit || tact_ray_overlaps_triangle(&r, &corner));
        }
        r = make_ray(-1, 0.25f, 0, 1, 0, 0);  // edge-on
        assert_false(casters[c](&r, &corner).hit || tact_ray_overlaps_triangle(&r, &corner));
        r = make_ray(0.25f, 0.25f, 0, 0, 0, 0);  // a point
        assert_false(casters[c](&r, &corner).hit || tact_ray_overlaps_triangle(&r, &corner));
        // A segment, and a point, as triangles.
        const tact_triangle line = {{0, 0, 0}, {1, 1, 0}, {3, 3, 0}}, dot = {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}};
        r = make_ray(1, 1, 1, 0, 0, -1);
        assert_false(casters[c](&r, &line).hit || casters[c](&r, &dot).hit || tact_ray_overlaps_triangle(&r, &line));
    }
}

/// Determinants far below the 1e-5 of the printed epsilon.
TEST(small_triangles_are_hit)
{
    for (int power = -60; power <= 56; power += 4) {
        const float s = ldexpf(1, power);
        const tact_triangle t = {{0, 0, s}, {s, 0, s}, {0, s, s}};
        const tact_ray r = make_ray(0.25f * s, 0.25f * s, 0, 0, 0, s);
        for (int c = 0; c < ALL; ++c)
            assert_true(casters[c](&r, &t).hit && casters[c](&r, &t).t == 1.0f);
        assert_true(tact_ray_overlaps_triangle(&r, &t));
    }
}

// ---- exact oracles on whole numbers: the hit's place, projected, times the slope ----

typedef struct flat_point {
    int64_t x, y;
} flat_point;

static int64_t whole_at(tact_vec3 v, int axis)
{
    return (int64_t)(axis == 0 ? v.x : axis == 1 ? v.y : v.z);
}

/// The vertices as seen from the hit along one axis, times the slope. False when the ray is parallel to the plane or
/// the hit outside its interval.
static bool project(const tact_ray* r, const tact_vec3* v, size_t count, const int64_t n[3], flat_point* out)
{
    const tact_vec3 d = direction(r), o = v3(r->ox, r->oy, r->oz);
    int64_t slope = 0, room = 0;
    int axis = -1;
    for (int k = 0; k < 3; ++k) {
        slope += n[k] * whole_at(d, k);
        room += n[k] * (whole_at(v[0], k) - whole_at(o, k));
        if (n[k] != 0) axis = k;  // the last that works: others drop the largest
    }
    if (slope == 0) return false;
    const int64_t sign = slope < 0 ? -1 : 1;
    if (r->tmin > -INFINITY && sign * room < (int64_t)r->tmin * sign * slope) return false;
    if (r->tmax < INFINITY && sign * room > (int64_t)r->tmax * sign * slope) return false;
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    for (size_t k = 0; k < count; ++k) {
        out[k].x = (whole_at(v[k], i) - whole_at(o, i)) * slope - room * whole_at(d, i);
        out[k].y = (whole_at(v[k], j) - whole_at(o, j)) * slope - room * whole_at(d, j);
    }
    return true;
}

static int64_t turn(flat_point a, flat_point b)
{
    return a.x * b.y - a.y * b.x;
}

/// Whether the origin is in the closed polygon of odd winding, or on an edge.
static bool odd_winding(const flat_point* v, size_t count)
{
    int winding = 0;
    for (size_t k = 0; k < count; ++k) {
        const flat_point a = v[k], b = v[(k + 1) % count];
        const int64_t side = turn(a, b);
        if (side == 0 && a.x * b.x + a.y * b.y <= 0) return true;
        if (a.x <= 0 && b.x > 0 && side < 0) ++winding;
        if (a.x > 0 && b.x <= 0 && side > 0) --winding;
    }
    return winding % 2 != 0;
}

static void whole_normal(const tact_vec3* v, int64_t n[3])
{
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = (whole_at(v[1], i) - whole_at(v[0], i)) * (whole_at(v[2], j) - whole_at(v[0], j)) -
               (whole_at(v[1], j) - whole_at(v[0], j)) * (whole_at(v[2], i) - whole_at(v[0], i));
    }
}

static bool whole_triangle(const tact_ray* r, tact_vec3 a, tact_vec3 b, tact_vec3 c)
{
    const tact_vec3 v[3] = {a, b, c};
    int64_t n[3];
    flat_point p[3];
    whole_normal(v, n);
    return project(r, v, 3, n, p) && odd_winding(p, 3);
}

/// Where the hit's coordinates say it is, against where t says.
static bool place_fits(const tact_ray* r, const tact_ray_surface_hit* h, tact_vec3 a, tact_vec3 b, tact_vec3 c,
                       double u, double v)
{
    for (int k = 0; k < 3; ++k) {
        const double x = (double)whole_at(a, k), y = (double)whole_at(b, k), z = (double)whole_at(c, k);
        const double at = ray_at(r, (double)h->t, k), place = x + u * (y - x) + v * (z - x);
        if (fabs(at - place) > 1e-5 * (10.0 + fabs(at) + fabs((double)h->t * ray_at(r, 1.0, k)))) return false;
    }
    return true;
}

TEST(triangles_agree_with_exact_projections)
{
    test_random r = test_random_seeded(2);
    size_t hits = 0;
    enum { CASES = 1200000 };
    for (int i = 0; i < CASES; ++i) {
        const int n = i % 3 == 0 ? 2 : i % 3 == 1 ? 5 : 30;
        tact_triangle t = {random_grid(&r, n), random_grid(&r, n), random_grid(&r, n)};
        if (i % 16 == 0) t.b.z = t.c.z = t.a.z;
        tact_ray ray = random_grid_ray(&r, n, n);
        if (i & 1) aim_on_grid(&r, &ray, i & 2 ? t.a : along(t.b, 1.0, along(t.a, -1.0, t.c)), i & 8 ? 0 : n / 2);
        const bool expected = whole_triangle(&ray, t.a, t.b, t.c);
        hits += expected;
        for (int c = 0; c < ALL; ++c) {
            const tact_ray_surface_hit h = casters[c](&ray, &t);
            if (c == WATERTIGHT) continue;
            if (h.hit != expected || !plausible(&ray, &h)) fail_msg("case %d, form %d: expected %d", i, c, expected);
            if (h.hit && c < EXACT && !place_fits(&ray, &h, t.a, t.b, t.c, (double)h.u, (double)h.v)) {
                fail_msg("case %d, form %d: its place", i, c);
            }
        }
        if (tact_ray_overlaps_triangle(&ray, &t) != expected) fail_msg("case %d: boolean, expected %d", i, expected);
        const bool front = tact_ray_triangle_front(&ray, &t).hit;
        if (front != (expected && casters[MOLLER](&ray, &t).front)) fail_msg("case %d: front", i);
    }
    assert_in_range(hits, CASES / 10, CASES * 4 / 5);
}

TEST(quadrilaterals_agree_with_exact_projections)
{
    test_random r = test_random_seeded(3);
    size_t hits = 0;
    enum { CASES = 1000000 };
    for (int i = 0; i < CASES; ++i) {
        const int n = i & 1 ? 3 : 12;
        tact_vec3 q[4] = {random_grid(&r, n), random_grid(&r, n), random_grid(&r, n), random_grid(&r, n)};
        if (i & 2) q[3] = along(q[2], 1.0, along(q[0], -1.0, q[1]));  // a parallelogram
        tact_ray ray = random_grid_ray(&r, n, n);
        // At the middle of the diagonal, at corners, or past them.
        const tact_vec3 sum = along(q[0], 1.0, q[2]);
        if (i & 4) aim_on_grid(&r, &ray, v3(floorf(sum.x / 2), floorf(sum.y / 2), floorf(sum.z / 2)), i & 8 ? 0 : 2);
        const bool first = whole_triangle(&ray, q[0], q[1], q[2]), second = whole_triangle(&ray, q[0], q[2], q[3]);
        const tact_ray_surface_hit h = tact_ray_quad(&ray, q);
        hits += h.hit;
        if (h.hit != (first || second) || !plausible(&ray, &h)) fail_msg("case %d: expected %d %d", i, first, second);
        if (!h.hit) continue;
        const double u = (double)h.u, v = (double)h.v;
        const bool in_first = place_fits(&ray, &h, q[0], q[1], q[2], u - v, v);
        const bool in_second = place_fits(&ray, &h, q[0], q[2], q[3], u, v - u);
        if (!(first && in_first && u > v - 1e-6) && !(second && in_second && v > u - 1e-6))
            fail_msg("case %d: place", i);
        if (!first || !second) continue;
        const tact_triangle a = {q[0], q[1], q[2]}, b = {q[0], q[2], q[3]};
        const float t = tact_ray_triangle_plucker(&ray, &a).t, s = tact_ray_triangle_plucker(&ray, &b).t;
        if (h.t != fminf(t, s)) fail_msg("case %d: not the first of two", i);
    }
    assert_in_range(hits, CASES / 10, CASES * 4 / 5);
}

TEST(quadrilaterals_have_four_edges)
{
    const tact_vec3 q[4] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}};
    // Past the edge 0 1, where print lacks a test, and past the others.
    const float off[4][2] = {{1, -0.5f}, {2.5f, 1}, {1, 2.5f}, {-0.5f, 1}}, on[4][2] = {{1, 0}, {2, 1}, {1, 2}, {0, 1}};
    const float uv[4][2] = {{0.5f, 0}, {1, 0.5f}, {0.5f, 1}, {0, 0.5f}};
    for (int k = 0; k < 4; ++k) {
        tact_ray r = make_ray(off[k][0], off[k][1], 3, 0, 0, -1);
        assert_false(tact_ray_quad(&r, q).hit);
        r = make_ray(on[k][0], on[k][1], 3, 0, 0, -1);
        const tact_ray_surface_hit h = tact_ray_quad(&r, q);
        assert_true(h.hit && h.front && h.t == 3.0f && h.u == uv[k][0] && h.v == uv[k][1]);
    }
    // A dart with the diagonal inside, and its notch.
    const tact_vec3 dart[4] = {{0, 0, 0}, {4, -2, 0}, {1, 0, 0}, {4, 2, 0}};
    tact_ray r = make_ray(2, 0, 1, 0, 0, -1);
    assert_false(tact_ray_quad(&r, dart).hit);
    r.ox = 0.5f;
    assert_true(tact_ray_quad(&r, dart).hit);
    // Bent along the diagonal: the first of both.
    const tact_vec3 bent[4] = {{0, 0, 0}, {0, 4, 4}, {4, 0, 0}, {0, -4, 4}};
    r = make_ray(1, 8, 1, 0, -1, 0);
    assert_true(tact_ray_quad(&r, bent).hit && tact_ray_quad(&r, bent).t == 7.0f);
    r.dy = 1.0f;
    r.oy = -8.0f;
    assert_true(tact_ray_quad(&r, bent).hit && tact_ray_quad(&r, bent).t == 7.0f);
}

TEST(polygons_agree_with_exact_winding)
{
    test_random r = test_random_seeded(4);
    size_t hits = 0, cases = 0;
    enum { CASES = 1000000 };
    for (int i = 0; i < CASES; ++i) {
        const size_t count = 3 + test_random_below(&r, 6);
        const tact_vec3 o = random_grid(&r, 3), x = random_grid(&r, 2), y = random_grid(&r, 2);
        tact_vec3 v[8];
        for (size_t k = 0; k < count; ++k)
            v[k] = along(along(o, (double)random_whole(&r, 3), x), (double)random_whole(&r, 3), y);
        if (i % 8 == 0) v[1] = along(along(v[0], -0.5, v[0]), 0.5, v[count - 1]);  // collinear, where whole
        if (v[1].x != floorf(v[1].x) || v[1].y != floorf(v[1].y) || v[1].z != floorf(v[1].z)) continue;
        tact_ray ray = random_grid_ray(&r, 6, 4);
        if (i & 1) aim_on_grid(&r, &ray, o, i & 2 ? 0 : 2);
        int64_t n[3], area[3] = {0, 0, 0};
        const tact_vec3 plane[3] = {o, along(o, 1.0, x), along(o, 1.0, y)};
        whole_normal(plane, n);
        for (size_t k = 1; k + 1 < count; ++k) {
            const tact_vec3 fan[3] = {v[0], v[k], v[k + 1]};
            int64_t part[3];
            whole_normal(fan, part);
            for (int j = 0; j < 3; ++j)
                area[j] += part[j];
        }
        flat_point p[8];
        const bool flat = area[0] == 0 && area[1] == 0 && area[2] == 0;
        const bool expected = !flat && project(&ray, v, count, n, p) && odd_winding(p, count);
        const tact_ray_surface_hit h = tact_ray_polygon(&ray, v, count);
        ++cases;
        hits += expected;
        if (h.hit != expected || !plausible(&ray, &h)) fail_msg("case %d: expected %d", i, expected);
    }
    assert_true(cases > CASES * 8 / 10 && hits > CASES / 20);
}

TEST(polygons_have_insides_of_odd_winding)
{
    // A square whose first three vertices are in line, with a notch from above.
    const tact_vec3 v[7] = {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {4, 0, 1}, {4, 4, 1}, {2, 1, 1}, {0, 4, 1}};
    tact_ray r = make_ray(2, 3, 5, 0, 0, -2);
    assert_false(tact_ray_polygon(&r, v, 7).hit);
    r.oy = 1.0f;
    tact_ray_surface_hit h = tact_ray_polygon(&r, v, 7);
    assert_true(h.hit && h.front && h.t == 2.0f && same_vec(h.normal, v3(0, 0, 1)));
    r.dx = 0.5f;
    r.ox = 1.0f;
    assert_true(tact_ray_polygon(&r, v, 7).hit);
    // A star that winds twice around its middle.
    tact_vec3 star[5];
    for (int k = 0; k < 5; ++k)
        star[k] = v3(cosf((float)(k * 2) * 1.2566371f), sinf((float)(k * 2) * 1.2566371f), 0);
    r = make_ray(0, 0, 1, 0, 0, -1);
    assert_false(tact_ray_polygon(&r, star, 5).hit);
    r.ox = 0.8f;
    assert_true(tact_ray_polygon(&r, star, 5).hit);
    // Too few vertices; no area; edge-on.
    assert_false(tact_ray_polygon(&r, v, 2).hit || tact_ray_polygon(&r, NULL, 0).hit);
    const tact_vec3 line[4] = {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {3, 3, 0}};
    r = make_ray(1, 1, 1, 0, 0, -1);
    assert_false(tact_ray_polygon(&r, line, 4).hit);
    r = make_ray(-1, 1, 1, 1, 0, 0);
    assert_false(tact_ray_polygon(&r, v, 7).hit);
}

TEST(discs_agree_with_exact_places)
{
    test_random r = test_random_seeded(5);
    size_t hits = 0;
    enum { CASES = 1000000 };
    for (int i = 0; i < CASES; ++i) {
        tact_ray ray = random_grid_ray(&r, 10, 6);
        const tact_vec3 center = random_grid(&r, 6), normal = random_grid(&r, 3);
        const float radius = (float)test_random_below(&r, 10);
        if (i & 1) aim_on_grid(&r, &ray, center, 4);
        int64_t slope = 0, room = 0, square = 0;
        const tact_vec3 o = along(v3(ray.ox, ray.oy, ray.oz), -1.0, center), d = direction(&ray);
        for (int k = 0; k < 3; ++k) {
            slope += whole_at(normal, k) * whole_at(d, k);
            room -= whole_at(normal, k) * whole_at(o, k);
        }
        for (int k = 0; k < 3; ++k) {
            const int64_t at = whole_at(o, k) * slope + room * whole_at(d, k);
            square += at * at;
        }
        const int64_t sign = slope < 0 ? -1 : 1, limit = (int64_t)radius * slope;
        bool expected = slope != 0 && square <= limit * limit;
        if (ray.tmin > -INFINITY) expected = expected && sign * room >= (int64_t)ray.tmin * sign * slope;
        if (ray.tmax < INFINITY) expected = expected && sign * room <= (int64_t)ray.tmax * sign * slope;
        const tact_ray_surface_hit h = tact_ray_disc(&ray, center, normal, radius);
        hits += expected;
        if (h.hit != expected || !plausible(&ray, &h)) fail_msg("case %d: expected %d", i, expected);
        if (expected && h.t != (float)((double)room / (double)slope)) fail_msg("case %d: t", i);
    }
    assert_in_range(hits, CASES / 10, CASES * 4 / 5);
}

/// The bits of the ray casts, those of a miss too.
TEST(the_watertight_form_is_that_of_the_ray_casts)
{
    test_random r = test_random_seeded(10);
    const TactInterval gate = {-INFINITY, INFINITY};
    for (int i = 0; i < 300000; ++i) {
        const tact_vec3 a = random_vec(&r, 1), b = random_vec(&r, 1), c = random_vec(&r, 1), o = random_vec(&r, 2);
        const tact_ray ray = make_segment(o, along(along(a, 0.5, b), 0.5, c));
        const tact_triangle t = {a, b, c};
        const TactRayFrame f = tact_ray_frame(o.x, o.y, o.z, ray.dx, ray.dy, ray.dz);
        const TactTriangleHit k = tact_ray_triangle(f, a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, gate, 0, 1);
        const tact_ray_surface_hit h = tact_ray_triangle_watertight(&ray, &t);
        if (h.hit != (k.hit != 0) || h.t != k.t || h.u != k.u || h.v != k.v) fail_msg("case %d", i);
    }
}

#ifdef __SIZEOF_FLOAT128__

static wide3 wide_between(tact_vec3 a, tact_vec3 b)
{
    return w_sub(w_of(b), w_of(a));
}

static wide wide_size(wide3 a)
{
    return w_abs(a.x) + w_abs(a.y) + w_abs(a.z);
}

typedef struct verdict {
    int hit, coarse;  ///< 1, -1, or 0 for too near; in double and in single precision
    double t, u, v, slack;
} verdict;

static int sign_of(wide u, wide v, wide w, wide sum, wide error, wide least)
{
    if (w_abs(sum) <= least) return 0;
    const wide s = sum < 0 ? -1 : 1;
    if (s * u < -error || s * v < -error || s * w < -error) return -1;
    return s * u > error && s * v > error && s * w > error ? 1 : 0;
}

static verdict ask(const tact_ray* r, const tact_triangle* t)
{
    const tact_vec3 o = v3(r->ox, r->oy, r->oz);
    const wide3 a = wide_between(o, t->a), b = wide_between(o, t->b), c = wide_between(o, t->c);
    const wide3 d = wide_between(v3(0, 0, 0), direction(r));
    const wide3 ab = wide_between(t->a, t->b), ac = wide_between(t->a, t->c);
    const wide u = w_triple(d, c, b), v = w_triple(d, a, c), w = w_triple(d, b, a), sum = u + v + w;
    wide reach = wide_size(a);
    if (wide_size(b) > reach) reach = wide_size(b);
    if (wide_size(c) > reach) reach = wide_size(c);
    const wide size = wide_size(ab) * wide_size(ac) * wide_size(d), unit = reach * reach * wide_size(d);
    verdict answer = {sign_of(u, v, w, sum, (wide)1e-15 * unit, (wide)1e-14 * size),
                      sign_of(u, v, w, sum, (wide)4e-6 * unit, (wide)4e-6 * unit),
                      0,
                      0,
                      0,
                      0};
    if (sum == 0) return answer;
    answer.u = (double)(v / sum);
    answer.v = (double)(w / sum);
    answer.t = (double)(w_triple(a, ab, ac) / w_triple(d, ab, ac));
    answer.slack = (double)((wide)1e-14 * unit / w_abs(sum));
    return answer;
}

static void random_pair(test_random* r, int i, tact_ray* ray, tact_triangle* t)
{
    const float size = i % 3 == 0 ? 1e-6f : i % 3 == 1 ? 1.0f : 1e6f;
    *t = (tact_triangle){random_vec(r, size), random_vec(r, size), random_vec(r, size)};
    if (i % 7 == 0) t->c = along(t->b, 1e-4, random_vec(r, size));  // a needle
    // Aimed at an edge, a vertex or a point inside, and past it by a little.
    double x = (double)test_random_unit(r), y = (1.0 - x) * (double)test_random_unit(r);
    if (i % 4 == 1) y = 0.0;
    if (i % 8 == 2) x = y = 0.0;
    tact_vec3 p = along(along(t->a, x, along(t->b, -1.0, t->a)), y, along(t->c, -1.0, t->a));
    p = along(p, ldexp(1.0, -(int)test_random_below(r, 40)), random_vec(r, size));
    *ray = make_segment(random_vec(r, 4.0f * size), p);
    ray->tmin = -1e30f;
    ray->tmax = 1e30f;
}

TEST(triangles_agree_with_wide_volumes)
{
    test_random r = test_random_seeded(6);
    size_t decided = 0, coarsely = 0, hits = 0;
    enum { CASES = 600000 };
    for (int i = 0; i < CASES; ++i) {
        tact_triangle t;
        tact_ray ray;
        random_pair(&r, i, &ray, &t);
        const verdict expected = ask(&ray, &t);
        const tact_ray_surface_hit w = tact_ray_triangle_watertight(&ray, &t);
        if (expected.coarse != 0) {
            ++coarsely;
            if (w.hit != (expected.coarse > 0) || !plausible(&ray, &w)) fail_msg("case %d: watertight", i);
        }
        if (expected.hit == 0) continue;
        ++decided;
        hits += expected.hit > 0;
        for (int c = 0; c < EXACT; ++c) {
            const tact_ray_surface_hit h = casters[c](&ray, &t);
            if (h.hit != (expected.hit > 0)) fail_msg("case %d, form %d: expected %d", i, c, expected.hit);
            if (!h.hit) continue;
            const double slack = 1e-6 + expected.slack;
            if (fabs((double)h.u - expected.u) > slack || fabs((double)h.v - expected.v) > slack ||
                fabs((double)h.t - expected.t) > slack * (1.0 + fabs(expected.t))) {
                fail_msg("case %d, form %d: its place", i, c);
            }
        }
        if (tact_ray_overlaps_triangle(&ray, &t) != (expected.hit > 0)) fail_msg("case %d: boolean", i);
        const tact_ray_surface_hit f = tact_ray_triangle_front(&ray, &t), m = casters[MOLLER](&ray, &t);
        if (f.hit != (m.hit && m.front)) fail_msg("case %d: front", i);
    }
    assert_true(decided > CASES * 9 / 10 && coarsely > CASES / 2 && hits > CASES / 5);
}

#endif

/// Through the inside of a shared edge: one of its two triangles is hit, whatever the rounding.
TEST(no_ray_slips_through_an_edge)
{
    test_random r = test_random_seeded(7);
    for (int i = 0; i < 1000000; ++i) {
        const tact_vec3 a = random_vec(&r, 1), b = random_vec(&r, 1), o = random_vec(&r, 3);
        const tact_vec3 p = along(a, 0.1 + 0.8 * (double)test_random_unit(&r), along(b, -1.0, a));
        const tact_ray ray = make_segment(o, along(p, 0.0, a));
        // Two third vertices on both sides of the plane of ray and edge.
        const tact_vec3 d = direction(&ray), e = along(b, -1.0, a);
        const tact_vec3 side = v3(d.y * e.z - d.z * e.y, d.z * e.x - d.x * e.z, d.x * e.y - d.y * e.x);
        if (dot3(side, side) < 1e-2) continue;
        const tact_vec3 c = along(p, 1.0 + (double)test_random_unit(&r), side);
        const tact_vec3 f = along(p, -1.0 - (double)test_random_unit(&r), side);
        const tact_triangle one = {a, b, c}, two = {b, a, f};
        const tact_vec3 quad[4] = {b, c, a, f};
        tact_ray line = ray;
        line.tmax = INFINITY;
        if (!tact_ray_triangle_plucker(&line, &one).hit && !tact_ray_triangle_plucker(&line, &two).hit) {
            fail_msg("case %d: slipped through", i);
        }
        if (!tact_ray_triangle_watertight(&line, &one).hit && !tact_ray_triangle_watertight(&line, &two).hit) {
            fail_msg("case %d: slipped through the watertight form", i);
        }
        const tact_vec3 diagonal[4] = {quad[2], quad[3], quad[0], quad[1]};
        if (!tact_ray_quad(&line, diagonal).hit) fail_msg("case %d: slipped through a diagonal", i);
    }
}

// ---- invariance, bad numbers ----

PROBE(probe_plane, tact_plane, tact_ray_plane(ray, &shape).hit)
PROBE(probe_plane_overlap, tact_plane, tact_ray_overlaps_plane(ray, &shape))
PROBE(probe_moller, tact_triangle, tact_ray_triangle_moller_trumbore(ray, &shape).hit)
PROBE(probe_front, tact_triangle, tact_ray_triangle_front(ray, &shape).hit)
PROBE(probe_triangle_overlap, tact_triangle, tact_ray_overlaps_triangle(ray, &shape))
PROBE(probe_prepared, tact_triangle, by_prepared(ray, &shape).hit)
PROBE(probe_plucker, tact_triangle, tact_ray_triangle_plucker(ray, &shape).hit)
PROBE(probe_watertight, tact_triangle, tact_ray_triangle_watertight(ray, &shape).hit)

typedef struct four {
    tact_vec3 v[4];
} four;
PROBE(probe_quad, four, tact_ray_quad(ray, shape.v).hit)
PROBE(probe_polygon, four, tact_ray_polygon(ray, shape.v, 4).hit)

typedef struct disc {
    tact_vec3 center, normal;
    float radius;
} disc;
PROBE(probe_disc, disc, tact_ray_disc(ray, shape.center, shape.normal, shape.radius).hit)

TEST(bad_numbers_are_not_hit)
{
    const tact_ray r = make_ray(0.25f, 0.25f, 3, 0.01f, 0, -1);
    const float plane[4] = {0, 0, 1, 0}, triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const float quad[12] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}, round[7] = {0, 0, 0, 0, 0, 1, 1};
    probe* const of_triangle[] = {probe_moller,   probe_front,   probe_triangle_overlap,
                                  probe_prepared, probe_plucker, probe_watertight};
    is_careful(probe_plane, r, plane, 4, 200000, 11);
    is_careful(probe_plane_overlap, r, plane, 4, 200000, 12);
    for (size_t k = 0; k < COUNT(of_triangle); ++k)
        is_careful(of_triangle[k], r, triangle, 9, 100000, k);
    is_careful(probe_quad, r, quad, 12, 100000, 13);
    is_careful(probe_polygon, r, quad, 12, 100000, 14);
    is_careful(probe_disc, r, round, 7, 100000, 15);
    assert_false(tact_ray_disc(&r, v3(0, 0, 0), v3(0, 0, 1), -1).hit);
    assert_false(tact_ray_disc(&r, v3(0, 0, 0), v3(0, 0, 0), 1).hit);
    assert_false(tact_ray_disc(&r, v3(0, 0, 0), v3(1, 0, 100), 0.25f).hit);
    // Out of the range of the watertight form.
    const tact_triangle far = {{0, 0, -0x1p61f}, {1, 0, -0x1p61f}, {0, 1, -0x1p61f}};
    assert_true(!tact_ray_triangle_watertight(&r, &far).hit);
    // The exact form of a triangle that is invalid when prepared.
    const tact_triangle bad = {{NAN, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    assert_false(tact_ray_triangle_prepare(&bad).valid);
}

static tact_ray_surface_hit any_surface(const tact_ray* r, const tact_vec3 v[4], int form)
{
    const tact_triangle t = {v[0], v[1], v[2]};
    const float size = fabsf(v[3].x) + fabsf(v[3].y);
    if (form < ALL) return casters[form](r, &t);
    if (form == ALL) return tact_ray_quad(r, v);
    if (form == ALL + 1) return tact_ray_polygon(r, v, 4);
    return tact_ray_disc(r, v[0], v[1], size);
}

TEST(powers_of_two_change_no_bit)
{
    test_random r = test_random_seeded(8);
    size_t hits = 0;
    for (int i = 0; i < 80000; ++i) {
        tact_vec3 v[4] = {random_vec(&r, 1), random_vec(&r, 1), random_vec(&r, 1), random_vec(&r, 1)};
        tact_ray ray = make_segment(random_vec(&r, 2), along(v[i % 3], 0.5, random_vec(&r, 1)));
        ray.tmax = 2.0f;
        const int form = i % (ALL + 3);
        const tact_ray_surface_hit h = any_surface(&ray, v, form);
        hits += h.hit;
        for (int power = -60; power <= 100; power += 20) {
            tact_vec3 w[4];
            if (form == WATERTIGHT && (power < -40 || power > 40)) continue;  // out of its range
            for (int k = 0; k < 4; ++k)
                w[k] = scaled_vec(v[k], power);
            const tact_ray s = scaled_ray(ray, power);
            if (!same_surface_hit(any_surface(&s, w, form), h)) fail_msg("case %d, form %d", i, form);
            const tact_ray longer = longer_ray(ray, power);
            const tact_ray_surface_hit l = any_surface(&longer, v, form);
            if (l.hit != h.hit || l.t != ldexpf(h.t, -power) || l.u != h.u) fail_msg("case %d, form %d: t", i, form);
        }
    }
    assert_true(hits > 8000);
}

TEST(grid_motions_change_nothing)
{
    test_random r = test_random_seeded(9);
    for (int i = 0; i < 200000; ++i) {
        tact_ray ray = random_grid_ray(&r, 6, 4);
        tact_vec3 v[4] = {random_grid(&r, 4), random_grid(&r, 4), random_grid(&r, 4), random_grid(&r, 4)};
        tact_vec3 far[4], turned[4];
        const tact_vec3 by = random_grid(&r, 1 << 22);
        const int form = i % (ALL + 2);
        if (i & 1) aim_on_grid(&r, &ray, v[0], 2);
        const tact_ray moved = moved_ray(ray, by), turn_ray = turned_ray(ray);
        for (int k = 0; k < 4; ++k) {
            far[k] = along(v[k], 1.0, by);
            turned[k] = turned_vec(v[k]);
        }
        const tact_ray_surface_hit h = any_surface(&ray, v, form), t = any_surface(&turn_ray, turned, form);
        if (!same_surface_hit(any_surface(&moved, far, form), h)) fail_msg("case %d, form %d: moved", i, form);
        if (form == WATERTIGHT || form == ALL + 1) continue;  // single precision; a bent polygon may drop another axis
        if (t.hit != h.hit || fabsf(t.t - h.t) > 1e-5f * (1 + fabsf(h.t)))
            fail_msg("case %d, form %d: turned", i, form);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
