// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays against sphere, capsule, cylinder, cone and ellipsoid: analytic cases, the lowest value of their quadratics on
// whole numbers, and bad numbers. test_ray_solids.c has them in any position.

#include "tests/support/run.h"

#include "tests/geometry/ray_cases.h"

static const tact_vec3 none = {0, 0, 0};

static void assert_hit(tact_ray_solid_hit h, float t, float leave, tact_vec3 n, tact_vec3 m)
{
    if (!h.hit || h.t != t || h.exit != leave) {
        fail_msg("hit %d t %.9g exit %.9g instead of %.9g %.9g", h.hit, (double)h.t, (double)h.exit, (double)t,
                 (double)leave);
    }
    const tact_vec3 a = along(h.normal, -1.0, n), b = along(h.exit_normal, -1.0, m);
    if (dot3(a, a) > 1e-12 || dot3(b, b) > 1e-12) {
        fail_msg("normals %g %g %g and %g %g %g", (double)h.normal.x, (double)h.normal.y, (double)h.normal.z,
                 (double)h.exit_normal.x, (double)h.exit_normal.y, (double)h.exit_normal.z);
    }
}

// ---- spheres ----

static void assert_sphere(tact_ray r, tact_sphere s, float t, float leave, tact_vec3 n, tact_vec3 m)
{
    const tact_ellipsoid e = {s.center, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {s.radius, s.radius, s.radius}};
    const tact_capsule c = {s.center, s.center, s.radius};
    assert_hit(tact_ray_sphere(&r, &s), t, leave, n, m);
    assert_hit(tact_ray_sphere_geometric(&r, &s), t, leave, n, m);
    assert_hit(tact_ray_capsule(&r, &c), t, leave, n, m);
    if (s.radius > 0.0f) assert_hit(tact_ray_ellipsoid(&r, &e), t, leave, n, m);
    assert_true(tact_ray_overlaps_sphere(&r, &s));
}

static void assert_no_sphere(tact_ray r, tact_sphere s)
{
    const tact_ellipsoid e = {s.center, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {s.radius, s.radius, s.radius}};
    assert_false(tact_ray_sphere(&r, &s).hit || tact_ray_sphere_geometric(&r, &s).hit);
    assert_false(tact_ray_overlaps_sphere(&r, &s));
    assert_false(tact_ray_ellipsoid(&r, &e).hit);
}

TEST(spheres_are_entered_and_left_at_both_roots)
{
    const tact_sphere s = {{1, 2, 3}, 2};
    tact_ray r = make_ray(1, 2, -3, 0, 0, 1);
    assert_sphere(r, s, 4, 8, v3(0, 0, -1), v3(0, 0, 1));
    r.dz = 4.0f;  // a direction of another length
    assert_sphere(r, s, 1, 2, v3(0, 0, -1), v3(0, 0, 1));
    r.tmax = 1.0f;  // a segment that ends on it
    assert_sphere(r, s, 1, 1, v3(0, 0, -1), none);
    r.tmax = nextafterf(1.0f, 0.0f);
    assert_no_sphere(r, s);
    r.dz = -4.0f;
    r.tmax = INFINITY;
    assert_no_sphere(r, s);
    r.tmin = -INFINITY;  // as a line
    assert_sphere(r, s, -2, -1, v3(0, 0, 1), v3(0, 0, -1));
    // From inside: tmin, never the far side; it has a name of its own.
    r = make_ray(1, 2, 2, 0, 0, 0.5f);
    assert_sphere(r, s, 0, 6, none, v3(0, 0, 1));
    r.tmin = 1.0f;
    r.tmax = 2.0f;
    assert_sphere(r, s, 1, 2, none, none);
    // From the surface, inwards and outwards.
    r = make_ray(1, 2, 1, 0, 0, 1);
    assert_sphere(r, s, 0, 4, v3(0, 0, -1), v3(0, 0, 1));
    r.dz = -1.0f;
    assert_sphere(r, s, 0, 0, none, v3(0, 0, -1));
    // A tangent touches, one beside it does not.
    r = make_ray(3, 2, -3, 0, 0, 1);
    assert_sphere(r, s, 6, 6, v3(1, 0, 0), v3(1, 0, 0));
    r.ox = nextafterf(3, 4);
    assert_no_sphere(r, s);
    // A point as a sphere, and a ray that is a point.
    const tact_sphere point = {{0, 0, 0}, 0};
    assert_sphere(make_ray(-1, -2, -3, 1, 2, 3), point, 1, 1, unit_of(v3(-1, -2, -3)), unit_of(v3(1, 2, 3)));
    r = make_ray(1, 2, 1, 0, -0.0f, 0);
    assert_sphere(r, s, 0, INFINITY, none, none);
    r.oz = 0.5f;
    assert_no_sphere(r, s);
    // Behind, with an interval that ends before the closest point.
    r = make_ray(1, 2, 8, 0, 0, -1);
    r.tmax = 2.0f;
    assert_no_sphere(r, s);
    r.tmax = 4.0f;
    assert_sphere(r, s, 3, 4, v3(0, 0, 1), none);
}

/// What b^2 - a c loses: spheres a million radii away, and origins a hair outside.
TEST(small_spheres_far_away_are_hit_where_they_are)
{
    const tact_sphere s = {{0, 0, 0}, 1.0f / 1024.0f};
    tact_ray r = make_ray(1 << 20, 1.0f / 2048.0f, 0, -1, 0, 0);
    assert_true(tact_ray_sphere(&r, &s).hit);
    r.oy = 1.0f / 1024.0f;  // tangent, 2^30 radii away: squares that need 60 bits
    assert_true(tact_ray_sphere(&r, &s).hit && tact_ray_overlaps_sphere(&r, &s));
    r.oy = nextafterf(r.oy, 1.0f);
    assert_false(tact_ray_sphere(&r, &s).hit || tact_ray_overlaps_sphere(&r, &s));
    // The near root when b is large and c small.
    const tact_sphere big = {{0, 0, -1048576.0f}, 1048576.0f};
    r = make_ray(0, 0, 0x1p-20f, 0, 0, -1);
    assert_true(tact_ray_sphere(&r, &big).t == 0x1p-20f);
    assert_true(tact_ray_sphere(&r, &big).exit == 2097152.0f);
}

// ---- cylinders ----

TEST(cylinders_have_sides_and_caps)
{
    const tact_cylinder c = {{0, 0, 0}, {0, 0, 4}, 2};
    tact_ray r = make_ray(-5, 0, 1, 1, 0, 0);
    assert_hit(tact_ray_cylinder(&r, &c), 3, 7, v3(-1, 0, 0), v3(1, 0, 0));
    r.oz = 4.0f;  // along the cap
    assert_hit(tact_ray_cylinder(&r, &c), 3, 7, v3(-1, 0, 0), v3(1, 0, 0));
    r.oz = nextafterf(4.0f, 5.0f);
    assert_false(tact_ray_cylinder(&r, &c).hit);
    assert_hit(tact_ray_cylinder_infinite(&r, &c), 3, 7, v3(-1, 0, 0), v3(1, 0, 0));
    // Along the axis, within the side, and outside.
    r = make_ray(1, 1, -4, 0, 0, 2);
    assert_hit(tact_ray_cylinder(&r, &c), 2, 4, v3(0, 0, -1), v3(0, 0, 1));
    assert_hit(tact_ray_cylinder_infinite(&r, &c), 0, INFINITY, none, none);
    r.ox = 2.0f;
    r.oy = -0.0f;
    assert_hit(tact_ray_cylinder(&r, &c), 2, 4, v3(0, 0, -1), v3(0, 0, 1));
    r.ox = nextafterf(2.0f, 3.0f);
    assert_false(tact_ray_cylinder(&r, &c).hit || tact_ray_cylinder_infinite(&r, &c).hit);
    // In through a cap, out through the side.
    r = make_ray(-1, 0, -1, 1, 0, 1);
    assert_hit(tact_ray_cylinder(&r, &c), 1, 3, v3(0, 0, -1), v3(1, 0, 0));
    // At the rim: one point.
    r = make_ray(1, 0, 5, 1, 0, -1);
    assert_true(tact_ray_cylinder(&r, &c).hit && tact_ray_cylinder(&r, &c).t == 1.0f);
    r.oz = nextafterf(5.0f, 6.0f);
    assert_false(tact_ray_cylinder(&r, &c).hit);
    // Tangent to the side.
    r = make_ray(2, -3, 1, 0, 1, 0);
    assert_hit(tact_ray_cylinder(&r, &c), 3, 3, v3(1, 0, 0), v3(1, 0, 0));
    // Inside, a point, a segment that stays inside.
    r = make_ray(1, 1, 1, 0, 0, 0);
    assert_hit(tact_ray_cylinder(&r, &c), 0, INFINITY, none, none);
    r.oz = -1.0f;
    assert_false(tact_ray_cylinder(&r, &c).hit);
    r = make_segment(v3(0, 0, 1), v3(0, 1, 2));
    assert_hit(tact_ray_cylinder(&r, &c), 0, 1, none, none);
    // No axis; no radius.
    const tact_cylinder flat = {{1, 1, 1}, {1, 1, 1}, 2}, wire = {{0, 0, 0}, {0, 0, 4}, 0};
    r = make_ray(1, 1, -4, 0, 0, 1);
    assert_false(tact_ray_cylinder(&r, &flat).hit || tact_ray_cylinder_infinite(&r, &flat).hit);
    r = make_ray(-1, -2, 3, 1, 2, 0);
    assert_hit(tact_ray_cylinder(&r, &wire), 1, 1, unit_of(v3(-1, -2, 0)), unit_of(v3(1, 2, 0)));
    r.oz = 4.5f;
    assert_false(tact_ray_cylinder(&r, &wire).hit);
}

TEST(capsules_have_round_ends)
{
    const tact_capsule c = {{0, 0, 0}, {0, 0, 4}, 2};
    tact_ray r = make_ray(0, 0, -5, 0, 0, 1);
    assert_hit(tact_ray_capsule(&r, &c), 3, 11, v3(0, 0, -1), v3(0, 0, 1));
    r = make_ray(-5, 0, 2, 1, 0, 0);
    assert_hit(tact_ray_capsule(&r, &c), 3, 7, v3(-1, 0, 0), v3(1, 0, 0));
    // Parallel to the axis within the side: from one end's tangent point to the other's.
    r = make_ray(2, 0, -5, 0, 0, 1);
    assert_hit(tact_ray_capsule(&r, &c), 5, 9, v3(1, 0, 0), v3(1, 0, 0));
    r.ox = nextafterf(2, 3);
    assert_false(tact_ray_capsule(&r, &c).hit);
    // Over the rounded edge, where the cylinder's cap would still be.
    r = make_ray(-1.75f, 0, 5.75f, 1, 0, 0);
    r.tmax = 0.1f;
    assert_false(tact_ray_capsule(&r, &c).hit);
    const tact_capsule wire = {{0, 0, 0}, {0, 0, 4}, 0};
    r = make_ray(-1, -2, 3, 1, 2, 0);
    assert_hit(tact_ray_capsule(&r, &wire), 1, 1, unit_of(v3(-1, -2, 0)), unit_of(v3(1, 2, 0)));
    r = make_ray(0, 0, -1, 0, 0, 1);  // along it
    assert_hit(tact_ray_capsule(&r, &wire), 1, 5, v3(0, 0, -1), v3(0, 0, 1));
}

// ---- cones ----

TEST(cones_have_an_apex_a_side_and_a_base)
{
    const tact_cone c = {{0, 0, 0}, {0, 0, 2}, 4, 4};  // an axis of length 2 means the same
    const float q = sqrtf(0.5f);
    tact_ray r = make_ray(-5, 0, 2, 1, 0, 0);
    assert_hit(tact_ray_cone(&r, &c), 3, 7, v3(-q, 0, -q), v3(q, 0, -q));
    r = make_ray(-5, 0, -2, 1, 0, 0);  // through the other half of the double cone
    assert_false(tact_ray_cone(&r, &c).hit || tact_ray_cone_infinite(&r, &c).hit);
    r = make_ray(1, 0, -3, 0, 0, 1);
    assert_hit(tact_ray_cone(&r, &c), 4, 7, v3(q, 0, -q), v3(0, 0, 1));
    assert_hit(tact_ray_cone_infinite(&r, &c), 4, INFINITY, v3(q, 0, -q), none);
    r = make_ray(1, 0, 9, 0, 0, -1);
    assert_hit(tact_ray_cone(&r, &c), 5, 8, v3(0, 0, 1), v3(q, 0, -q));
    assert_hit(tact_ray_cone_infinite(&r, &c), 0, 8, none, v3(q, 0, -q));
    // Along the axis, from the tip.
    r = make_ray(0, 0, -1, 0, 0, 1);
    assert_hit(tact_ray_cone(&r, &c), 1, 5, v3(0, 0, -1), v3(0, 0, 1));
    // Across the tip: one point. Past it: none.
    r = make_ray(-1, 0, 0, 1, 0, 0);
    assert_true(tact_ray_cone(&r, &c).hit && tact_ray_cone(&r, &c).t == 1.0f && tact_ray_cone(&r, &c).exit == 1.0f);
    r.oz = -1e-30f;
    assert_false(tact_ray_cone(&r, &c).hit);
    // Along a line of the side, and parallel to it inside: a quadratic without a square.
    r = make_ray(-1, 0, -1, 1, 0, 1);
    tact_ray_solid_hit h = tact_ray_cone(&r, &c);
    assert_true(h.hit && h.t == 1.0f && h.exit == 5.0f);
    r = make_ray(-2, 0, -1, 1, 0, 1);
    h = tact_ray_cone(&r, &c);
    assert_true(h.hit && h.t == 1.5f && h.exit == 5.0f);
    r = make_ray(0, 0, -1, 1, 0, 1);
    assert_false(tact_ray_cone(&r, &c).hit);
    r = make_ray(0, 0, 2, 1, 0, 1);
    r.tmin = -INFINITY;
    h = tact_ray_cone(&r, &c);
    assert_true(h.hit && h.t == -1.0f && h.exit == 2.0f);
    r = make_ray(0, 0, 2, -1, 0, -1);
    h = tact_ray_cone(&r, &c);
    assert_true(h.hit && h.t == 0.0f && h.exit == 1.0f);
    // In the plane of the base, and above.
    r = make_ray(-5, 0, 4, 1, 0, 0);
    assert_true(tact_ray_cone(&r, &c).hit && tact_ray_cone(&r, &c).t == 1.0f);
    r.oz = nextafterf(4, 5);
    assert_false(tact_ray_cone(&r, &c).hit);
    assert_true(tact_ray_cone_infinite(&r, &c).hit);
    // A point inside and one outside.
    r = make_ray(0, 1, 3, 0, 0, 0);
    assert_hit(tact_ray_cone(&r, &c), 0, INFINITY, none, none);
    r.oz = -3.0f;
    assert_false(tact_ray_cone(&r, &c).hit || tact_ray_cone_infinite(&r, &c).hit);
}

TEST(flat_and_thin_cones_are_discs_and_segments)
{
    const tact_cone disc = {{0, 0, 1}, {0, 0, 1}, 0, 2}, wire = {{0, 0, 0}, {0, 0, 1}, 4, 0};
    const tact_cone no_axis = {{0, 0, 0}, {0, 0, 0}, 4, 1}, negative = {{0, 0, 0}, {0, 0, 1}, -4, 1};
    tact_ray r = make_ray(2, 0, 3, 0, 0, -1);
    assert_hit(tact_ray_cone(&r, &disc), 2, 2, v3(0, 0, 1), v3(0, 0, -1));
    assert_false(tact_ray_cone_infinite(&r, &disc).hit);
    r.ox = nextafterf(2, 3);
    assert_false(tact_ray_cone(&r, &disc).hit);
    r = make_ray(-3, 0, 1, 1, 0, 0);
    assert_hit(tact_ray_cone(&r, &disc), 1, 5, v3(-1, 0, 0), v3(1, 0, 0));
    r = make_ray(-1, -2, 3, 1, 2, 0);
    assert_true(tact_ray_cone(&r, &wire).hit && tact_ray_cone(&r, &wire).t == 1.0f);
    r.ox = -1.25f;
    assert_false(tact_ray_cone(&r, &wire).hit);
    r = make_ray(0, 0, 5, 0, 0, -1);
    assert_hit(tact_ray_cone(&r, &wire), 1, 5, v3(0, 0, 1), v3(0, 0, -1));
    assert_false(tact_ray_cone(&r, &no_axis).hit || tact_ray_cone_infinite(&r, &no_axis).hit);
    assert_false(tact_ray_cone(&r, &negative).hit);
}

TEST(ellipsoids_are_scaled_spheres)
{
    const tact_ellipsoid e = {{1, 0, 0}, {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}, {2, 4, 8}};
    tact_ray r = make_ray(-17, 0, 0, 2, 0, 0);
    assert_hit(tact_ray_ellipsoid(&r, &e), 5, 13, v3(-1, 0, 0), v3(1, 0, 0));
    r = make_ray(1, 2, -3, 0, 0, 1);  // tangent
    assert_hit(tact_ray_ellipsoid(&r, &e), 3, 3, v3(0, 1, 0), v3(0, 1, 0));
    r.oy = nextafterf(2, 3);
    assert_false(tact_ray_ellipsoid(&r, &e).hit);
    r = make_ray(1, 0, 0, 0, 1, 0);
    assert_hit(tact_ray_ellipsoid(&r, &e), 0, 2, none, v3(0, 1, 0));
    r = make_ray(1, 0, 4, 0, 0, 0);
    assert_hit(tact_ray_ellipsoid(&r, &e), 0, INFINITY, none, none);
    tact_ellipsoid flat = e;
    flat.radius.y = 0.0f;
    assert_false(tact_ray_ellipsoid(&r, &flat).hit);
}

// ---- exact oracles on whole numbers ----

/// a t^2 + 2 b t + c <= 0 for some t of [low / s, high / s]; an end that is `open` is infinite.
typedef struct trial {
    int64_t a, b, c;
    int64_t low, low_s, high, high_s;
    bool no_low, no_high, empty;
} trial;

static trial start(const tact_ray* r, int64_t a, int64_t b, int64_t c)
{
    trial q = {a, b, c, 0, 1, 0, 1, r->tmin == -INFINITY, r->tmax == INFINITY, false};
    if (!q.no_low) q.low = (int64_t)r->tmin;
    if (!q.no_high) q.high = (int64_t)r->tmax;
    return q;
}

/// slope t <= limit
static void restrict_to(trial* q, int64_t slope, int64_t limit)
{
    if (slope == 0) q->empty = q->empty || limit < 0;
    if (slope > 0 && (q->no_high || limit * q->high_s < q->high * slope)) {
        q->no_high = false;
        q->high = limit;
        q->high_s = slope;
    }
    if (slope < 0 && (q->no_low || -limit * q->low_s > q->low * -slope)) {
        q->no_low = false;
        q->low = -limit;
        q->low_s = -slope;
    }
}

static bool at_most_zero(const trial* q, int64_t n, int64_t s)
{
    return q->a * n * n + 2 * q->b * n * s + q->c * s * s <= 0;
}

static bool end_reaches(const trial* q, bool infinite, int64_t sign, int64_t n, int64_t s)
{
    if (!infinite) return at_most_zero(q, n, s);
    if (q->a != 0) return q->a < 0;
    return q->b != 0 ? sign * q->b < 0 : q->c <= 0;
}

static bool reaches(const trial* q)
{
    if (q->empty) return false;
    if (!q->no_low && !q->no_high && q->low * q->high_s > q->high * q->low_s) return false;
    if (end_reaches(q, q->no_low, -1, q->low, q->low_s) || end_reaches(q, q->no_high, 1, q->high, q->high_s))
        return true;
    if (q->a <= 0 || q->b * q->b < q->a * q->c) return false;
    // The lowest point, -b / a, within the interval.
    return (q->no_low || -q->b * q->low_s >= q->low * q->a) && (q->no_high || -q->b * q->high_s <= q->high * q->a);
}

typedef struct whole {
    int64_t x, y, z;
} whole;

static whole whole_of(tact_vec3 v)
{
    const whole w = {(int64_t)v.x, (int64_t)v.y, (int64_t)v.z};
    return w;
}

static whole whole_from(const tact_ray* r, tact_vec3 p)
{
    return whole_of(v3(r->ox - p.x, r->oy - p.y, r->oz - p.z));
}

static int64_t whole_dot(whole a, whole b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static bool whole_sphere(const tact_ray* r, tact_vec3 center, float radius)
{
    const whole o = whole_from(r, center), d = whole_of(direction(r));
    const int64_t w = (int64_t)radius;
    const trial q = start(r, whole_dot(d, d), whole_dot(o, d), whole_dot(o, o) - w * w);
    return reaches(&q);
}

/// The infinite cylinder's quadratic without cross products: |p|^2 n.n - (p.n)^2.
static bool whole_cylinder(const tact_ray* r, const tact_cylinder* c, bool finite)
{
    const whole o = whole_from(r, c->a), d = whole_of(direction(r));
    const whole n = whole_of(v3(c->b.x - c->a.x, c->b.y - c->a.y, c->b.z - c->a.z));
    const int64_t nn = whole_dot(n, n), on = whole_dot(o, n), dn = whole_dot(d, n), w = (int64_t)c->radius;
    if (nn == 0) return false;
    trial q = start(r, whole_dot(d, d) * nn - dn * dn, whole_dot(o, d) * nn - on * dn,
                    whole_dot(o, o) * nn - on * on - w * w * nn);
    if (finite) {
        restrict_to(&q, dn, nn - on);
        restrict_to(&q, -dn, on);
    }
    return reaches(&q);
}

/// For an axis along a coordinate axis: `sign` times the one given.
static bool whole_cone(const tact_ray* r, const tact_cone* c, whole n, bool finite)
{
    const whole o = whole_from(r, c->apex), d = whole_of(direction(r));
    const int64_t h = (int64_t)c->height, w = (int64_t)c->radius, on = whole_dot(o, n), dn = whole_dot(d, n);
    const int64_t e = h * h + w * w;
    if (h == 0 && !finite) return false;
    trial q = start(r, whole_dot(d, d) * h * h - e * dn * dn, whole_dot(o, d) * h * h - e * on * dn,
                    whole_dot(o, o) * h * h - e * on * on);
    if (h == 0) {  // a disc
        q.a = whole_dot(d, d) - dn * dn;
        q.b = whole_dot(o, d) - on * dn;
        q.c = whole_dot(o, o) - on * on - w * w;
    }
    if (finite) restrict_to(&q, dn, h - on);
    restrict_to(&q, -dn, on);
    return reaches(&q);
}

/// Radii 1, 2, 4 or 8 along the coordinate axes in the order x, y, z.
static bool whole_ellipsoid(const tact_ray* r, tact_vec3 center, const float radius[3])
{
    whole o = whole_from(r, center), d = whole_of(direction(r));
    const int64_t w[3] = {8 / (int64_t)radius[0], 8 / (int64_t)radius[1], 8 / (int64_t)radius[2]};
    o = (whole){o.x * w[0], o.y * w[1], o.z * w[2]};
    d = (whole){d.x * w[0], d.y * w[1], d.z * w[2]};
    const trial q = start(r, whole_dot(d, d), whole_dot(o, d), whole_dot(o, o) - 64);
    return reaches(&q);
}

TEST(spheres_agree_with_exact_quadratics)
{
    test_random r = test_random_seeded(1);
    size_t hits = 0;
    enum { CASES = 1500000 };
    for (int i = 0; i < CASES; ++i) {
        const int n = i % 3 == 0 ? 3 : i % 3 == 1 ? 10 : 300;
        tact_ray ray = random_grid_ray(&r, n, n);
        const tact_sphere s = {random_grid(&r, n), (float)test_random_below(&r, (uint32_t)n)};
        if (i & 1) aim_on_grid(&r, &ray, s.center, n / 2);
        const bool expected = whole_sphere(&ray, s.center, s.radius);
        hits += expected;
        const tact_ray_solid_hit h = tact_ray_sphere(&ray, &s);
        if (h.hit != expected || !plausible_solid_hit(&ray, &h)) fail_msg("case %d: expected %d", i, expected);
        if (tact_ray_overlaps_sphere(&ray, &s) != expected) fail_msg("case %d: boolean, expected %d", i, expected);
        const tact_ray_solid_hit g = tact_ray_sphere_geometric(&ray, &s);
        // It rounds the distance, so a tangent may go either way.
        const bool near = g.hit ? g.exit - g.t < 1e-5f : h.hit && h.exit - h.t < 1e-5f;
        if (g.hit != expected && !near) fail_msg("case %d: geometric, expected %d", i, expected);
        if (g.hit && h.hit && fabsf(g.t - h.t) > 1e-5f * (fabsf(h.t) + 1.0f)) fail_msg("case %d: t", i);
    }
    assert_in_range(hits, CASES / 10, CASES * 4 / 5);
}

TEST(cylinders_and_capsules_agree_with_exact_quadratics)
{
    test_random r = test_random_seeded(2);
    size_t hits = 0;
    enum { CASES = 1000000 };
    for (int i = 0; i < CASES; ++i) {
        const int n = i % 2 == 0 ? 3 : 9;
        tact_ray ray = random_grid_ray(&r, n, n);
        tact_cylinder c = {random_grid(&r, n), random_grid(&r, n), (float)test_random_below(&r, (uint32_t)n)};
        if (i & 1) aim_on_grid(&r, &ray, c.a, n / 2);
        if (i % 4 == 0) c.b.x = c.a.x;
        if (i % 8 == 0) c.b.y = c.a.y;
        if (i % 16 == 1) c.b = along(c.a, 1.0, direction(&ray));  // parallel
        const tact_capsule k = {c.a, c.b, c.radius};
        const bool finite = whole_cylinder(&ray, &c, true), infinite = whole_cylinder(&ray, &c, false);
        const bool round = finite || whole_sphere(&ray, c.a, c.radius) || whole_sphere(&ray, c.b, c.radius);
        hits += finite;
        const tact_ray_solid_hit f = tact_ray_cylinder(&ray, &c), g = tact_ray_cylinder_infinite(&ray, &c);
        const tact_ray_solid_hit h = tact_ray_capsule(&ray, &k);
        if (f.hit != finite || !plausible_solid_hit(&ray, &f)) fail_msg("case %d: cylinder, expected %d", i, finite);
        if (g.hit != infinite || !plausible_solid_hit(&ray, &g))
            fail_msg("case %d: infinite, expected %d", i, infinite);
        if (h.hit != round || !plausible_solid_hit(&ray, &h)) fail_msg("case %d: capsule, expected %d", i, round);
        if (f.hit && !(g.t <= f.t && g.exit >= f.exit)) fail_msg("case %d: cut", i);
    }
    assert_in_range(hits, CASES / 10, CASES * 4 / 5);
}

TEST(cones_agree_with_exact_quadratics)
{
    test_random r = test_random_seeded(3);
    size_t hits = 0;
    enum { CASES = 1000000 };
    const tact_vec3 axes[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < CASES; ++i) {
        tact_ray ray = random_grid_ray(&r, 6, i & 1 ? 2 : 6);
        const tact_vec3 axis = axes[test_random_below(&r, 6)];
        const tact_cone c = {random_grid(&r, 4), along(none, 1.0 + (double)(i % 3), axis),
                             (float)test_random_below(&r, 9), (float)test_random_below(&r, 9)};
        if (i & 4) aim_on_grid(&r, &ray, along(c.apex, 2.0, axis), 3);
        const bool finite = whole_cone(&ray, &c, whole_of(axis), true);
        const bool infinite = whole_cone(&ray, &c, whole_of(axis), false);
        const tact_ray_solid_hit f = tact_ray_cone(&ray, &c), g = tact_ray_cone_infinite(&ray, &c);
        hits += finite;
        if (f.hit != finite || !plausible_solid_hit(&ray, &f)) fail_msg("case %d: cone, expected %d", i, finite);
        if (g.hit != infinite || !plausible_solid_hit(&ray, &g))
            fail_msg("case %d: infinite, expected %d", i, infinite);
    }
    assert_in_range(hits, CASES / 10, CASES * 4 / 5);
}

TEST(ellipsoids_agree_with_exact_quadratics)
{
    test_random r = test_random_seeded(4);
    size_t hits = 0;
    enum { CASES = 1000000 };
    for (int i = 0; i < CASES; ++i) {
        tact_ray ray = random_grid_ray(&r, 10, i & 1 ? 2 : 6);
        float radius[3];
        for (int k = 0; k < 3; ++k)
            radius[k] = ldexpf(1.0f, (int)test_random_below(&r, 4));
        const tact_ellipsoid e = {
            random_grid(&r, 6), {{0, 0, 1}, {-1, 0, 0}, {0, 1, 0}}, {radius[2], radius[0], radius[1]}};
        if (i & 4) aim_on_grid(&r, &ray, e.center, 4);
        const bool expected = whole_ellipsoid(&ray, e.center, radius);
        const tact_ray_solid_hit h = tact_ray_ellipsoid(&ray, &e);
        hits += expected;
        if (h.hit != expected || !plausible_solid_hit(&ray, &h)) fail_msg("case %d: expected %d", i, expected);
    }
    assert_in_range(hits, CASES / 10, CASES * 4 / 5);
}

// ---- bad numbers ----

static bool probe_sphere(const tact_ray* ray, const float* s)
{
    tact_sphere x;
    memcpy(&x, s, sizeof x);
    const tact_ray_solid_hit h = tact_ray_sphere(ray, &x);
    assert_true(plausible_solid_hit(ray, &h));
    return h.hit;
}

PROBE(probe_geometric, tact_sphere, tact_ray_sphere_geometric(ray, &shape).hit)
PROBE(probe_overlap, tact_sphere, tact_ray_overlaps_sphere(ray, &shape))
PROBE(probe_capsule, tact_capsule, tact_ray_capsule(ray, &shape).hit)
PROBE(probe_cylinder, tact_cylinder, tact_ray_cylinder(ray, &shape).hit)
PROBE(probe_tube, tact_cylinder, tact_ray_cylinder_infinite(ray, &shape).hit)
PROBE(probe_cone, tact_cone, tact_ray_cone(ray, &shape).hit)
PROBE(probe_long_cone, tact_cone, tact_ray_cone_infinite(ray, &shape).hit)
PROBE(probe_ellipsoid, tact_ellipsoid, tact_ray_ellipsoid(ray, &shape).hit)

TEST(bad_numbers_are_not_hit)
{
    const tact_ray r = make_ray(0.25f, 0.5f, -5, 0, 0.01f, 1);
    const float sphere[4] = {0, 0, 0, 2}, capsule[7] = {0, 0, 0, 0, 0, 2, 2}, cone[8] = {0, 0, 0, 0, 0, 1, 4, 4};
    const float ellipsoid[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 2, 2};
    is_careful(probe_sphere, r, sphere, 4, 200000, 1);
    is_careful(probe_geometric, r, sphere, 4, 100000, 2);
    is_careful(probe_overlap, r, sphere, 4, 100000, 3);
    is_careful(probe_capsule, r, capsule, 7, 100000, 4);
    is_careful(probe_cylinder, r, capsule, 7, 100000, 5);
    is_careful(probe_tube, r, capsule, 7, 100000, 6);
    is_careful(probe_cone, r, cone, 8, 100000, 7);
    is_careful(probe_long_cone, r, cone, 8, 100000, 8);
    is_careful(probe_ellipsoid, r, ellipsoid, 15, 100000, 9);
    const float negative[8] = {0, 0, 0, -2}, thin[7] = {0, 0, 0, 0, 0, 2, -2};
    assert_false(probe_sphere(&r, negative) || probe_geometric(&r, negative) || probe_overlap(&r, negative));
    assert_false(probe_capsule(&r, thin) || probe_cylinder(&r, thin) || probe_tube(&r, thin));
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
