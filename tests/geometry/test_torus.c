// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Tori: cases that are worked out, and distances from the circle with more bits, by which rays step from surface to
// surface as no quartic does.

#include "tests/support/run.h"

#include "tact/geometry.h"
#define WIDE long double
#include "tests/geometry/ray_cases.h"
#include "tests/geometry/wide.h"
#include "tests/support/effort.h"

static const tact_vec3 none = {0, 0, 0};
static const tact_torus ring = {{0, 0, 0}, {0, 0, 2}, 2, 1};

static void assert_part(tact_ray_solid_hit h, double t, double leave, tact_vec3 n, tact_vec3 m)
{
    if (!h.hit || h.t != (float)t || h.exit != (float)leave) {
        fail_msg("hit %d t %.9g exit %.9g instead of %.9g %.9g", h.hit, (double)h.t, (double)h.exit, t, leave);
    }
    const tact_vec3 a = along(h.normal, -1.0, n), b = along(h.exit_normal, -1.0, m);
    if (dot3(a, a) > 1e-12 || dot3(b, b) > 1e-12) {
        fail_msg("normals %g %g %g and %g %g %g", (double)h.normal.x, (double)h.normal.y, (double)h.normal.z,
                 (double)h.exit_normal.x, (double)h.exit_normal.y, (double)h.exit_normal.z);
    }
}

// ---- Rays that are worked out ----

TEST(rings_are_entered_and_left_twice)
{
    tact_ray_solid_hit h[2];
    const tact_vec3 left = {-1, 0, 0}, right = {1, 0, 0}, up = {0, 0, 1}, down = {0, 0, -1};
    tact_ray r = make_ray(-5, 0, 0, 1, 0, 0);
    assert_int_equal(tact_ray_torus(&r, &ring, h), 2);
    assert_part(h[0], 2, 4, left, right);
    assert_part(h[1], 6, 8, left, right);
    r.dx = 2.0f;  // t is in units of the direction
    r.tmax = 3.5f;
    assert_int_equal(tact_ray_torus(&r, &ring, h), 2);
    assert_part(h[0], 1, 2, left, right);
    assert_part(h[1], 3, 3.5, left, none);
    r.tmin = 2.25f;
    r.tmax = 2.75f;  // in the hole
    assert_int_equal(tact_ray_torus(&r, &ring, h), 0);
    // From the hole, from inside, and a line.
    r = make_ray(0, 0, 0, 1, 0, 0);
    assert_int_equal(tact_ray_torus(&r, &ring, h), 1);
    assert_part(h[0], 1, 3, left, right);
    r = make_ray(2, 0, 0, 1, 0, 0);
    assert_int_equal(tact_ray_torus(&r, &ring, h), 1);
    assert_part(h[0], 0, 1, none, right);
    r.tmin = -INFINITY;
    assert_int_equal(tact_ray_torus(&r, &ring, h), 2);
    assert_part(h[0], -5, -3, left, right);
    // Along the axis: through the hole, and through the tube.
    r = make_ray(0, 0, -5, 0, 0, 1);
    assert_int_equal(tact_ray_torus(&r, &ring, h), 0);
    r.ox = 2.0f;
    assert_int_equal(tact_ray_torus(&r, &ring, h), 1);
    assert_part(h[0], 4, 6, down, up);
    // A point.
    r = make_ray(2, 0, 0.5f, 0, 0, 0);
    assert_int_equal(tact_ray_torus(&r, &ring, h), 1);
    assert_part(h[0], 0, HUGE_VAL, none, none);
    r.oz = 1.5f;
    assert_int_equal(tact_ray_torus(&r, &ring, h), 0);
}

TEST(lines_that_touch_are_hit_and_lines_beside_are_not)
{
    tact_ray_solid_hit h[2];
    const tact_vec3 up = {0, 0, 1};
    // At the top of the circle: a root of the fourth order.
    tact_ray r = make_ray(-5, 2, 1, 1, 0, 0);
    assert_int_equal(tact_ray_torus(&r, &ring, h), 1);
    assert_part(h[0], 5, 5, up, up);
    r.oz = nextafterf(1.0f, 2.0f);
    assert_int_equal(tact_ray_torus(&r, &ring, h), 0);
    // Around the outside, and the hole from inside, where the two parts are one.
    r = make_ray(-5, 3, 0, 1, 0, 0);
    assert_int_equal(tact_ray_torus(&r, &ring, h), 1);
    assert_part(h[0], 5, 5, v3(0, 1, 0), v3(0, 1, 0));
    r.oy = nextafterf(3.0f, 4.0f);
    assert_int_equal(tact_ray_torus(&r, &ring, h), 0);
    r.oy = 1.0f;
    assert_int_equal(tact_ray_torus(&r, &ring, h), 1);
    const float q = sqrtf(8.0f) / 3.0f, p = 1.0f / 3.0f;
    assert_part(h[0], 5 - sqrt(8.0), 5 + sqrt(8.0), v3(-q, p, 0), v3(q, p, 0));
    r.oy = 0.999f;
    assert_int_equal(tact_ray_torus(&r, &ring, h), 2);
    assert_true(h[0].exit < 5.0f && h[0].exit > 4.9f && h[1].t > 5.0f && h[1].t < 5.1f);
    // Two touches, at the top of either side.
    r = make_ray(-5, 0, 1, 1, 0, 0);
    assert_int_equal(tact_ray_torus(&r, &ring, h), 2);
    assert_part(h[0], 3, 3, up, up);
    assert_part(h[1], 7, 7, up, up);
    r.oz = nextafterf(1.0f, 2.0f);
    assert_int_equal(tact_ray_torus(&r, &ring, h), 0);
}

/// Whether a part of the ray holds t, to the last bits of what t is made of.
static bool part_at(const tact_ray* r, const tact_torus* t, double at)
{
    tact_ray_solid_hit h[2];
    const size_t count = tact_ray_torus(r, t, h);
    for (size_t i = 0; i < count; ++i) {
        if ((double)h[i].t <= at + 1e-6 && (double)h[i].exit >= at - 1e-6) return true;
    }
    return false;
}

/// Exact in floats, but not in the steps of the arithmetic.
TEST(no_line_that_touches_is_missed)
{
    // (3, 4, 0) is on the circle, (33, 44, 20) / 8 on the tube, where (9, 12, 20) is the way out.
    const tact_torus circle = {{0, 0, 0}, {0, 0, 1}, 5, 0}, tube = {{0, 0, 0}, {0, 0, 3}, 5, 3.125f};
    for (int i = -9; i <= 9; ++i) {
        for (int k = -9; k <= 9; ++k) {
            if (i == 0 && k == 0) continue;
            tact_ray r = make_ray(3 - 7 * (float)i, 4 - 7 * (float)k, -7, (float)i, (float)k, 1);
            assert_true(part_at(&r, &circle, 7.0));
            const tact_vec3 d = {4 * (float)i, 5 * (float)k - 3 * (float)i, -3 * (float)k};
            r = make_ray(4.125f - 7 * d.x, 5.5f - 7 * d.y, 2.5f - 7 * d.z, d.x, d.y, d.z);
            assert_true(part_at(&r, &tube, 7.0));
        }
    }
}

TEST(tori_without_a_hole_are_what_a_ball_covers)
{
    tact_ray_solid_hit h[2];
    const tact_vec3 up = {0, 0, 1}, down = {0, 0, -1};
    const tact_torus horn = {{0, 0, 0}, {0, 0, 1}, 1, 1}, apple = {{0, 0, 0}, {0, 0, 1}, 1, 2};
    tact_ray r = make_ray(0, 0, -5, 0, 0, 1);
    assert_int_equal(tact_ray_torus(&r, &horn, h), 1);
    assert_true(h[0].t == 5.0f && h[0].exit == 5.0f);
    assert_int_equal(tact_ray_torus(&r, &apple, h), 1);
    assert_part(h[0], 5 - sqrt(3.0), 5 + sqrt(3.0), down, up);
    // All but along the axis, where what is covered once is as thin as rounding.
    for (int i = 1; i < 60; ++i) {
        r.ox = ldexpf(1.0f, -i);
        assert_int_equal(tact_ray_torus(&r, &apple, h), 1);
        assert_true(fabs((double)h[0].t - 5.0 + sqrt(3.0)) < 1.1 * (double)r.ox + 1e-6);
        assert_true(fabs((double)h[0].exit - 5.0 - sqrt(3.0)) < 1.1 * (double)r.ox + 1e-6);
    }
    test_random random = test_random_seeded(1);
    for (int i = 0; i < 3000; ++i) {
        const float major = 0.1f + 0.9f * test_random_unit(&random), minor = 1.0f + test_random_unit(&random);
        const tact_torus t = {{0, 0, 0}, {0, 0, 1}, major, minor};
        const double half = sqrt(((double)minor - (double)major) * ((double)minor + (double)major));
        r = make_ray(0, 0, -5, 0, 0, 1);
        assert_int_equal(tact_ray_torus(&r, &t, h), 1);
        assert_true(near(h[0].t, 5.0 - half, 1e-6) && near(h[0].exit, 5.0 + half, 1e-6));
    }
    // Across the dimple at the end of the axis.
    r = make_ray(-5, 0, 1.9f, 1, 0, 0);
    assert_int_equal(tact_ray_torus(&r, &apple, h), 2);
    r.oz = 1.7f;
    assert_int_equal(tact_ray_torus(&r, &apple, h), 1);
    // A ball, a point, a circle.
    const tact_torus ball = {{1, 2, 3}, {1, 0, 0}, 0, 2}, point = {{0, 0, 0}, {1, 0, 0}, 0, 0};
    const tact_torus circle = {{0, 0, 0}, {0, 0, 1}, 2, 0};
    const tact_sphere sphere = {{1, 2, 3}, 2};
    for (int i = 0; i < 1000; ++i) {
        const tact_vec3 o = random_vec(&random, 5.0f), d = random_vec(&random, 1.0f);
        r = make_ray(o.x, o.y, o.z, d.x, d.y, d.z);
        const tact_ray_solid_hit expected = tact_ray_sphere(&r, &sphere);
        assert_int_equal(tact_ray_torus(&r, &ball, h), expected.hit);
        assert_true(!expected.hit || same_hit(h[0], expected));
    }
    r = make_ray(-1, -2, -3, 1, 2, 3);
    assert_int_equal(tact_ray_torus(&r, &point, h), 1);
    assert_true(h[0].t == 1.0f && h[0].exit == 1.0f);
    r = make_ray(2, 0, -5, 0, 0, 1);
    assert_int_equal(tact_ray_torus(&r, &circle, h), 1);
    assert_part(h[0], 5, 5, down, up);
    r.ox = nextafterf(2.0f, 3.0f);
    assert_int_equal(tact_ray_torus(&r, &circle, h), 0);
    r = make_ray(-5, 0, 0, 1, 0, 0);
    assert_int_equal(tact_ray_torus(&r, &circle, h), 2);
    assert_true(h[0].t == 3.0f && h[1].t == 7.0f);
}

// ---- Distances with more bits ----

static wide from_circle(const tact_torus* t, wide3 p)
{
    const wide3 n = w_of(t->axis), d = w_sub(p, w_of(t->center));
    const wide nn = w_dot(n, n), height = w_dot(d, n) / nn;
    const wide3 side = w_along(d, -height, n);
    const wide out = sqrtl(w_dot(side, side)) - (wide)t->major;
    return sqrtl(out * out + height * height * nn);
}

static wide3 point_of(const tact_ray* r, wide t)
{
    return w_along(w_of(v3(r->ox, r->oy, r->oz)), t, w_of(direction(r)));
}

enum { MOST_EVENTS = 16 };

/// Where a line passes the surface, by steps as long as the distance from it. `unsure`: it has been within `band`
/// without passing, or the steps were too many.
typedef struct walk {
    wide passes[MOST_EVENTS];
    int count;
    bool unsure;
} walk;

static walk walk_along(const tact_ray* r, const tact_torus* t, wide band)
{
    walk w = {.count = 0};
    const wide3 d = w_of(direction(r));
    const wide length = sqrtl(w_dot(d, d)), size = (wide)t->major + (wide)t->minor;
    const wide middle = w_dot(w_sub(w_of(t->center), point_of(r, 0)), d) / (length * length);
    wide s = -2 * size;
    bool inside = false, near = false;
    for (int i = 0; i < 20000 && s < 2 * size; ++i) {
        const wide gap = from_circle(t, point_of(r, middle + s / length)) - (wide)t->minor;
        if (w_abs(gap) <= band) {
            near = true;
            s += band;
            continue;
        }
        if ((gap < 0) != inside) {
            if (w.count < MOST_EVENTS) w.passes[w.count++] = middle + s / length;
            inside = gap < 0;
        } else if (near) {
            w.unsure = true;
        }
        near = false;
        s += w_abs(gap);
    }
    w.unsure = w.unsure || s < 2 * size || inside;
    return w;
}

static tact_torus random_torus(test_random* r, float size)
{
    static const float tubes[] = {0.3f, 0.01f, 1e-4f, 1.0f, 0.999f, 2.5f, 30.0f};
    tact_torus t = {.center = random_vec(r, size), .axis = unit_of(random_vec(r, 1.0f))};
    const uint32_t kind = test_random_below(r, COUNT(tubes) + 2);
    t.minor = size * (0.1f + test_random_unit(r));
    t.major = kind < COUNT(tubes) ? t.minor / tubes[kind] : size * (0.1f + test_random_unit(r));
    if (kind == COUNT(tubes)) t.axis = v3(0, 0, 1);
    const float whole = t.major + t.minor;
    t.major *= size / whole;
    t.minor *= size / whole;
    return t;
}

/// A point of the surface, about, and the way out there.
static tact_vec3 surface_point(test_random* r, const tact_torus* t, tact_vec3* normal)
{
    const tact_vec3 n = unit_of(t->axis), v = random_vec(r, 1.0f);
    const tact_vec3 side = unit_of(along(v, -dot3(v, n), n));
    const double angle = 6.3 * (double)test_random_unit(r);
    *normal = unit_of(along(along(v3(0, 0, 0), cos(angle), side), sin(angle), n));
    return along(along(t->center, (double)t->major, side), (double)t->minor, *normal);
}

/// A line through a random place, one that almost touches, or one along or across the axis.
static tact_ray random_line(test_random* r, const tact_torus* t, float size)
{
    tact_vec3 n, p = surface_point(r, t, &n), d = unit_of(random_vec(r, 1.0f));
    const uint32_t kind = test_random_below(r, 4);
    if (kind == 0) {
        const double off[] = {0.0, 1e-2, -1e-2, 1e-4, -1e-4, 1e-5, -1e-5};
        d = unit_of(along(d, -dot3(d, n), n));
        p = along(p, (double)t->minor * off[test_random_below(r, COUNT(off))], n);
    }
    if (kind == 1) d = unit_of(t->axis);
    if (kind == 2) d = unit_of(along(d, -dot3(d, t->axis) / dot3(t->axis, t->axis), t->axis));
    if (kind == 3 && test_random_below(r, 2))
        p = along(t->center, (double)test_random_signed(r) * (double)size, t->axis);
    const float back = size * (test_random_below(r, 3) ? 2.0f : 100.0f) * test_random_signed(r);
    const tact_vec3 o = along(p, (double)back, d);
    tact_ray ray = make_ray(o.x, o.y, o.z, d.x, d.y, d.z);
    ray.tmin = -INFINITY;
    return ray;
}

TEST(lines_pass_the_surface_where_steps_do)
{
    test_random r = test_random_seeded(2);
    const size_t cases = effort(30000, 300000);
    size_t sure = 0, twice = 0, once = 0, grazes = 0;
    for (size_t i = 0; i < cases; ++i) {
        const float size = i % 3 == 0 ? 1e-6f : i % 3 == 1 ? 1.0f : 1e6f;
        const tact_torus t = random_torus(&r, size);
        const tact_ray ray = random_line(&r, &t, size);
        tact_ray_solid_hit h[2];
        const size_t count = tact_ray_torus(&ray, &t, h);
        const walk w = walk_along(&ray, &t, (wide)size * (wide)1e-9);
        // Each end is on the surface, to the last bit of t and 2^-26 of the size.
        for (size_t k = 0; k < count; ++k) {
            assert_true(plausible_solid_hit(&ray, &h[k]));
            assert_true(k == 0 || h[k - 1].exit <= h[k].t);
            for (int e = 0; e < 2; ++e) {
                const wide at = (wide)(e ? h[k].exit : h[k].t);
                const wide off = w_abs(from_circle(&t, point_of(&ray, at)) - (wide)t.minor);
                if (off > w_abs(at) * (wide)0x1p-23 + (wide)size * (wide)0x1p-26) {
                    fail_msg("case %zu: %g of %g beside the surface", i, (double)off, (double)size);
                }
            }
        }
        grazes += w.unsure;
        if (w.unsure) continue;
        ++sure;
        once += count == 1;
        twice += count == 2;
        if (2 * count != (size_t)w.count) fail_msg("case %zu: %zu parts, %d passes", i, count, w.count);
        for (size_t k = 0; k < count; ++k) {
            assert_true(w_abs((wide)h[k].t - w.passes[2 * k]) <= (wide)2e-3 * (wide)size);
            assert_true(w_abs((wide)h[k].exit - w.passes[2 * k + 1]) <= (wide)2e-3 * (wide)size);
        }
    }
    print_message("%zu sure, %zu once, %zu twice, %zu graze\n", sure, once, twice, grazes);
    assert_true(sure > cases * 9 / 10 && once > cases / 4 && twice > cases / 10);
}

TEST(points_spheres_and_bounds_agree_with_the_distance)
{
    test_random r = test_random_seeded(3);
    const size_t cases = effort(100000, 1000000);
    size_t inside = 0, touching = 0;
    for (size_t i = 0; i < cases; ++i) {
        const float size = i % 3 == 0 ? 1e-6f : i % 3 == 1 ? 1.0f : 1e6f;
        const tact_torus t = random_torus(&r, size);
        tact_vec3 n;
        const tact_vec3 on = surface_point(&r, &t, &n);
        const tact_vec3 p = along(on, (double)size * (i % 2 ? 0.3 : 1e-4) * (double)test_random_signed(&r), n);
        const wide gap = from_circle(&t, w_of(p)) - (wide)t.minor, band = (wide)size * (wide)1e-14;
        if (w_abs(gap) > band) assert_int_equal(tact_torus_contains_point(&t, p), gap < 0);
        inside += gap < 0;
        const tact_closest c = tact_closest_on_torus(p, &t);
        const wide expected = gap < 0 ? 0 : gap;
        assert_true(w_abs((wide)c.distance - expected) <= expected * (wide)0x1p-23 + band);
        assert_true(gap >= -band || same_vec(c.point, p));
        const wide3 way = w_sub(w_of(p), w_of(c.point));
        const wide rounded = (wide)size * (wide)0x1p-22;
        assert_true(from_circle(&t, w_of(c.point)) <= (wide)t.minor + rounded);
        assert_true(w_abs(sqrtl(w_dot(way, way)) - expected) <= rounded);
        const tact_sphere ball = {p, size * 0.3f * test_random_unit(&r)};
        if (w_abs(gap - (wide)ball.radius) > band) {
            assert_int_equal(tact_torus_overlaps_sphere(&t, ball), gap <= (wide)ball.radius);
            touching += gap <= (wide)ball.radius;
        }
        const wide3 a = w_of(t.axis), m = w_of(t.center);
        const wide aa = w_dot(a, a), major = (wide)t.major, minor = (wide)t.minor;
        const tact_aabb box = tact_aabb_from_torus(&t);
        is_rounded_down(box.lower.x, m.x - major * sqrtl((aa - a.x * a.x) / aa) - minor);
        is_rounded_down(box.lower.y, m.y - major * sqrtl((aa - a.y * a.y) / aa) - minor);
        is_rounded_down(box.lower.z, m.z - major * sqrtl((aa - a.z * a.z) / aa) - minor);
        is_rounded_down(-box.upper.x, -(m.x + major * sqrtl((aa - a.x * a.x) / aa) + minor));
        is_rounded_down(-box.upper.y, -(m.y + major * sqrtl((aa - a.y * a.y) / aa) + minor));
        is_rounded_down(-box.upper.z, -(m.z + major * sqrtl((aa - a.z * a.z) / aa) + minor));
    }
    assert_true(inside > cases / 10 && touching > cases / 4);
}

TEST(touches_and_points_of_the_axis_are_defined)
{
    assert_true(tact_torus_contains_point(&ring, v3(3, 0, 0)) && tact_torus_contains_point(&ring, v3(0, 2, 1)));
    assert_false(tact_torus_contains_point(&ring, v3(nextafterf(3, 4), 0, 0)));
    assert_false(tact_torus_contains_point(&ring, v3(0, 0, 0)));
    assert_true(tact_torus_overlaps_sphere(&ring, (tact_sphere){{0, 0, 0}, 1}));
    assert_false(tact_torus_overlaps_sphere(&ring, (tact_sphere){{0, 0, 0}, nextafterf(1, 0)}));
    assert_true(tact_torus_overlaps_sphere(&ring, (tact_sphere){{2, 0, 0}, 0}));
    assert_false(tact_torus_overlaps_sphere(&ring, (tact_sphere){{2, 0, 0}, -0.5f}));
    const tact_closest c = tact_closest_on_torus(v3(0, 0, 0), &ring);
    assert_true(c.distance == 1.0f && c.squared == 1.0f && c.point.z == 0.0f);
    assert_true(fabs(dot3(c.point, c.point) - 1.0) < 1e-6);
    const tact_closest far = tact_closest_on_torus(v3(0, 0, 1.5f), &ring);
    assert_true(far.distance == 1.5f);
    const tact_aabb box = tact_aabb_from_torus(&ring);
    assert_true(same_vec(box.lower, v3(nextafterf(-3, -4), nextafterf(-3, -4), nextafterf(-1, -2))));
    assert_true(same_vec(box.upper, v3(nextafterf(3, 4), nextafterf(3, 4), nextafterf(1, 2))));
}

PROBE(probe_ray, tact_torus, tact_ray_torus(ray, &shape, (tact_ray_solid_hit[2]){{0}}) > 0)

TEST(bad_numbers_are_no_torus)
{
    const tact_ray r = make_ray(2, 0.25f, -5, 0, 0.01f, 1);
    float numbers[8];
    memcpy(numbers, &ring, sizeof ring);
    is_careful(probe_ray, r, numbers, 8, 300000, 4);
    const float bad[] = {NAN, INFINITY, -INFINITY, -1.0f};
    for (size_t i = 0; i < 8 * COUNT(bad) + 1; ++i) {
        tact_torus t;
        memcpy(numbers, &ring, sizeof ring);
        const bool negative = i % COUNT(bad) == 3;
        if (i < 8 * COUNT(bad)) numbers[i / COUNT(bad)] = bad[i % COUNT(bad)];
        memcpy(&t, numbers, sizeof t);
        if (i == 8 * COUNT(bad)) t.axis = none;
        if (negative && i / COUNT(bad) < 6) continue;
        const tact_sphere ball = {{2, 0, 0}, 1};
        assert_false(tact_torus_contains_point(&t, ball.center) || tact_torus_overlaps_sphere(&t, ball));
        assert_true(isinf(tact_closest_on_torus(ball.center, &t).distance));
        assert_true(tact_aabb_from_torus(&t).lower.x > tact_aabb_from_torus(&t).upper.x);
    }
    for (int i = 0; i < 3; ++i) {
        const tact_vec3 p = {i == 0 ? NAN : 2.0f, i == 1 ? INFINITY : 0.0f, i == 2 ? -INFINITY : 0.0f};
        assert_false(tact_torus_contains_point(&ring, p));
        assert_false(tact_torus_overlaps_sphere(&ring, (tact_sphere){p, 1}));
        assert_true(isinf(tact_closest_on_torus(p, &ring).distance));
    }
    assert_false(tact_torus_overlaps_sphere(&ring, (tact_sphere){{2, 0, 0}, NAN}));
    assert_false(tact_torus_overlaps_sphere(&ring, (tact_sphere){{2, 0, 0}, INFINITY}));
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
