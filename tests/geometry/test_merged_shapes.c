// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Unions of capsules and lozenges hold both, boxes of motions hold all moments and no more, and rays are in lozenges
// where the distance is 0.

#include "tests/support/run.h"

#include <float.h>

#include "tact/geometry/aabb.h"
#include "tact/geometry/convex.h"
#include "tact/geometry/ray.h"
#include "tact/geometry/swept_sphere.h"
#include "tests/geometry/points.h"
#include "tests/geometry/wide.h"
#include "tests/support/effort.h"

static float size_at(test_random* r, uint32_t kind)
{
    return fabsf(number(r, kind < 4 ? kind : 0));
}

/// The square of the distance of a point from a parallelogram or a segment at `c`, in wide numbers: the least over its
/// edges, and over its inside by Cramer's rule.
static wide to_segment(wide3 p, wide3 d)
{
    const wide dd = w_dot(d, d);
    wide t = dd > (wide)0 ? w_dot(p, d) / dd : (wide)0;
    t = t < (wide)0 ? (wide)0 : t > (wide)1 ? (wide)1 : t;
    const wide3 off = w_along(p, -t, d);
    return w_dot(off, off);
}

static wide to_inner(wide3 p, wide3 c, wide3 u, wide3 v)
{
    const wide3 q = w_sub(p, c), n = w_cross(u, v);
    const wide nn = w_dot(n, n);
    wide best = to_segment(q, u);
    const wide others[3] = {to_segment(q, v), to_segment(w_sub(q, u), v), to_segment(w_sub(q, v), u)};
    for (int k = 0; k < 3; ++k)
        best = others[k] < best ? others[k] : best;
    if (!(nn > (wide)0)) return best;
    const wide s = w_dot(w_cross(q, v), n), t = w_dot(w_cross(u, q), n), h = w_dot(q, n);
    if (s >= (wide)0 && s <= nn && t >= (wide)0 && t <= nn && h * h / nn < best) best = h * h / nn;
    return best;
}

/// A ball at p is in the shape, but for the rounding of wide numbers.
static void holds_ball(wide3 p, float radius, wide3 c, wide3 u, wide3 v, float whole)
{
    const wide room = (wide)whole - (wide)radius, size = w_abs(p.x - c.x) + w_abs(p.y - c.y) + w_abs(p.z - c.z);
    const wide most = room + (wide)1e-17 * size;
    if (room < (wide)0 || to_inner(p, c, u, v) > most * most) fail_msg("a ball of %g sticks out", (double)radius);
}

static tact_capsule some_capsule(test_random* r, uint32_t kind)
{
    tact_capsule c = {point(r, kind), point(r, kind), size_at(r, kind)};
    if (test_random_below(r, 5) == 0) c.b = c.a;
    if (test_random_below(r, 5) == 0) c.radius = 0;
    return c;
}

TEST(unions_of_capsules_hold_both)
{
    test_random r = test_random_seeded(851);
    for (size_t trial = 0; trial < effort(20000, 200000); ++trial) {
        const tact_capsule c[2] = {some_capsule(&r, (uint32_t)(trial % 5)), some_capsule(&r, (uint32_t)(trial % 5))};
        const tact_capsule both = tact_capsule_union(&c[0], &c[1]);
        assert_true(both.radius >= 0.0f);
        const wide3 at = w_of(both.a), along = w_sub(w_of(both.b), at), none = {(wide)0, (wide)0, (wide)0};
        for (int k = 0; k < 2; ++k) {
            holds_ball(w_of(c[k].a), c[k].radius, at, along, none, both.radius);
            holds_ball(w_of(c[k].b), c[k].radius, at, along, none, both.radius);
            assert_true(tact_capsule_volume(&both) >= tact_capsule_volume(&c[k]) * (1.0 - 1e-9));
        }
    }
}

TEST(unions_of_capsules_are_small)
{
    test_random r = test_random_seeded(852);
    // On a line: from end to end. One that holds the other: itself.
    for (size_t trial = 0; trial < effort(1000, 10000); ++trial) {
        const float at[4] = {number(&r, 1), number(&r, 1), number(&r, 1), number(&r, 1)},
                    radius = size_at(&r, 0) + 0.5f;
        const tact_capsule a = {v3(at[0], 1, 2), v3(at[1], 1, 2), radius},
                           b = {v3(at[2], 1, 2), v3(at[3], 1, 2), radius};
        const float low = fminf(fminf(at[0], at[1]), fminf(at[2], at[3]));
        const float high = fmaxf(fmaxf(at[0], at[1]), fmaxf(at[2], at[3]));
        const tact_capsule line = {v3(low, 1, 2), v3(high, 1, 2), radius}, both = tact_capsule_union(&a, &b);
        assert_true(tact_capsule_volume(&both) <= tact_capsule_volume(&line) * (1.0 + 1e-5));
        tact_capsule small = a;
        small.radius = 0.25f * radius;
        small.b = small.a;
        const tact_capsule same = tact_capsule_union(&small, &a), again = tact_capsule_union(&a, &small);
        assert_memory_equal(&same, &a, sizeof a);
        assert_memory_equal(&again, &a, sizeof a);
    }
    // At random: no larger together than capsules around points of both.
    double unions = 0.0, fits = 0.0;
    for (size_t trial = 0; trial < effort(300, 3000); ++trial) {
        const tact_capsule c[2] = {some_capsule(&r, 0), some_capsule(&r, 0)};
        tact_vec3 points[400];
        for (int i = 0; i < 400; ++i) {
            const float z = test_random_signed(&r), turn = 6.2831853f * test_random_unit(&r), s = sqrtf(1 - z * z);
            const tact_vec3 end = i % 4 < 2 ? c[i % 2].a : c[i % 2].b;
            const float q = c[i % 2].radius;
            points[i] = v3(end.x + q * s * cosf(turn), end.y + q * s * sinf(turn), end.z + q * z);
        }
        tact_capsule fit;
        assert_true(tact_capsule_fit(points, 400, &fit));
        const tact_capsule both = tact_capsule_union(&c[0], &c[1]);
        unions += tact_capsule_volume(&both);
        fits += tact_capsule_volume(&fit);
    }
    if (!(unions < fits)) fail_msg("%g for %g", unions, fits);
}

static tact_lozenge some_lozenge(test_random* r, uint32_t kind)
{
    float axes[9];
    test_random_rotation(r, axes);
    const float a = size_at(r, kind), b = test_random_below(r, 4) ? size_at(r, kind) : 0.0f;
    const tact_vec3 u = v3(a * axes[0], a * axes[1], a * axes[2]), v = v3(b * axes[3], b * axes[4], b * axes[5]);
    return (tact_lozenge){point(r, kind), {u, v}, test_random_below(r, 5) ? size_at(r, kind) : 0.0f};
}

TEST(unions_of_lozenges_hold_both)
{
    test_random r = test_random_seeded(853);
    double unions = 0.0, capsules = 0.0;
    for (size_t trial = 0; trial < effort(10000, 100000); ++trial) {
        const uint32_t kind = (uint32_t)(trial % 5);
        const tact_lozenge l[2] = {some_lozenge(&r, kind), some_lozenge(&r, kind)};
        const tact_lozenge both = tact_lozenge_union(&l[0], &l[1]);
        assert_true(both.radius >= 0.0f);
        const wide3 at = w_of(both.corner), u = w_of(both.edge[0]), v = w_of(both.edge[1]);
        for (int k = 0; k < 8; ++k) {
            const tact_lozenge* one = &l[k / 4];
            wide3 p = w_of(one->corner);
            if (k & 1) p = w_along(p, (wide)1, w_of(one->edge[0]));
            if (k & 2) p = w_along(p, (wide)1, w_of(one->edge[1]));
            holds_ball(p, one->radius, at, u, v, both.radius);
        }
        tact_lozenge inner = l[0];
        inner.radius *= 0.5f;
        const tact_lozenge same = tact_lozenge_union(&inner, &l[0]);
        if (inner.radius > 0.0f) assert_memory_equal(&same, &l[0], sizeof same);
        if (kind != 0) continue;
        // A capsule is a lozenge as well, and no better one.
        const tact_capsule c[2] = {some_capsule(&r, 0), some_capsule(&r, 0)};
        const tact_lozenge m[2] = {tact_lozenge_from_capsule(&c[0]), tact_lozenge_from_capsule(&c[1])};
        const tact_capsule wrapped = tact_capsule_union(&c[0], &c[1]);
        const tact_lozenge flat = tact_lozenge_union(&m[0], &m[1]);
        capsules += tact_capsule_volume(&wrapped);
        unions += tact_lozenge_volume(&flat);
    }
    if (!(unions < capsules)) fail_msg("%g for %g", unions, capsules);
}

TEST(empty_shapes_add_nothing)
{
    const tact_capsule c = {v3(1, 2, 3), v3(4, 5, 6), 0.5f}, none = {v3(0, 0, 0), v3(1, 0, 0), -1},
                       bad = {v3(NAN, 0, 0), v3(0, 0, 0), 1};
    tact_capsule both = tact_capsule_union(&none, &c);
    assert_memory_equal(&both, &c, sizeof c);
    both = tact_capsule_union(&c, &bad);
    assert_memory_equal(&both, &c, sizeof c);
    assert_true(tact_capsule_union(&bad, &none).radius < 0.0f);
    const tact_capsule far[2] = {{v3(FLT_MAX, 0, 0), v3(FLT_MAX, 0, 0), FLT_MAX},
                                 {v3(-FLT_MAX, 0, 0), v3(-FLT_MAX, 0, 0), 1}};
    both = tact_capsule_union(&far[0], &far[1]);
    assert_true(both.radius < 0.0f || isfinite(both.radius));
    const tact_lozenge l = tact_lozenge_from_capsule(&c), no = {v3(0, 0, 0), {v3(0, 0, 0), v3(0, 0, 0)}, -1};
    const tact_lozenge whole = tact_lozenge_union(&no, &l);
    assert_memory_equal(&whole, &l, sizeof l);
    assert_true(tact_lozenge_union(&no, &no).radius < 0.0f);
}

// ---- Boxes of motions ----

TEST(a_box_of_a_motion_holds_both_ends)
{
    test_random r = test_random_seeded(854);
    for (size_t trial = 0; trial < effort(5000, 50000); ++trial) {
        const uint32_t kind = (uint32_t)(trial % 5);
        const tact_vec3 p[2] = {point(&r, kind), point(&r, kind)}, motion = point(&r, kind);
        const tact_aabb box = tact_aabb_from_points(p, 2, 0), swept = tact_aabb_swept(box, motion);
        const tact_aabb moved = tact_aabb_translate(box, motion);
        assert_true(tact_aabb_contains_aabb(swept, box) && tact_aabb_contains_aabb(swept, moved));
        assert_true(swept.lower.x == fminf(box.lower.x, moved.lower.x) &&
                    swept.upper.z == fmaxf(box.upper.z, moved.upper.z));
    }
    const tact_aabb box = {v3(0, 0, 0), v3(1, 1, 1)};
    assert_true(tact_aabb_is_empty(tact_aabb_swept(box, v3(NAN, 0, 0))));
    assert_true(tact_aabb_is_empty(tact_aabb_swept(tact_aabb_empty(), v3(1, 0, 0))));
}

/// A point at a fraction of a screw motion, by Rodrigues' formula.
static void screwed(const tact_screw* s, tact_vec3 p, double part, double* out)
{
    const double ax = (double)s->axis.x, ay = (double)s->axis.y, az = (double)s->axis.z;
    const double length = sqrt(ax * ax + ay * ay + az * az), k[3] = {ax / length, ay / length, az / length};
    const double q[3] = {(double)p.x - (double)s->point.x, (double)p.y - (double)s->point.y,
                         (double)p.z - (double)s->point.z};
    const double angle = part * (double)s->angle, c = cos(angle), w = sin(angle);
    const double dot = k[0] * q[0] + k[1] * q[1] + k[2] * q[2];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, m = (i + 2) % 3;
        out[i] = q[i] * c + (k[j] * q[m] - k[m] * q[j]) * w + k[i] * dot * (1.0 - c) + (double)(&s->point.x)[i] +
                 part * (double)s->advance * k[i];
    }
}

TEST(a_box_of_a_screw_holds_all_moments_and_no_more)
{
    test_random r = test_random_seeded(855);
    enum { MOMENTS = 4000 };
    for (size_t trial = 0; trial < effort(300, 3000); ++trial) {
        const float angles[6] = {0.0f, 0.3f, -2.0f, 5.0f, -9.0f, 40.0f};
        const tact_screw screw = {point(&r, 1), trial % 7 ? point(&r, 1) : v3(0, 0, -3),
                                  angles[trial % 6] * (0.5f + test_random_unit(&r)),
                                  trial % 4 ? test_random_signed(&r) * 10.0f : 0.0f};
        const tact_vec3 p[2] = {point(&r, 1), point(&r, 1)};
        const tact_aabb box = tact_aabb_from_screw(p, 2, 0, &screw);
        double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, most = 0.0;
        for (int m = 0; m <= MOMENTS; ++m) {
            for (int i = 0; i < 2; ++i) {
                double at[3];
                screwed(&screw, p[i], (double)m / MOMENTS, at);
                for (int k = 0; k < 3; ++k) {
                    low[k] = fmin(low[k], at[k]);
                    high[k] = fmax(high[k], at[k]);
                    most = fmax(most, fabs(at[k]));
                    assert_true(at[k] >= (double)(&box.lower.x)[k] && at[k] <= (double)(&box.upper.x)[k]);
                }
            }
        }
        // Between two moments a wave rises by no more than its height times half the square of half the step.
        const double step = 60.0 / MOMENTS, far = size_of(p, 2) + size_of(&screw.point, 1);
        const double slack = step * step * far + 2e-7 * (most + far);
        for (int k = 0; k < 3; ++k) {
            assert_true((double)(&box.lower.x)[k] >= low[k] - slack && (double)(&box.upper.x)[k] <= high[k] + slack);
        }
    }
}

TEST(bad_screws_have_no_box)
{
    const tact_vec3 p = v3(1, 0, 0);
    tact_screw s = {v3(0, 0, 0), v3(0, 0, 2), 1e9f, 3};
    const tact_aabb whole = tact_aabb_from_screw(&p, 1, 0, &s);
    assert_true(whole.lower.x <= -1 && whole.upper.x >= 1 && whole.lower.x > -1.001f && whole.upper.z >= 3);
    // Of more turns than angles tell apart whole circles, also at the end of the way.
    s.axis = v3(0, 1, 1);
    s.angle = 1e17f;
    const tact_aabb oblique = tact_aabb_from_screw(&p, 1, 0, &s);
    assert_true(near(oblique.upper.y, 2.8284271247, 1e-6) && near(oblique.lower.y, -0.7071067812, 1e-6));
    assert_true(near(oblique.upper.z, 2.8284271247, 1e-6) && near(oblique.lower.z, -0.7071067812, 1e-6));
    s.axis = v3(0, 0, 2);
    s.angle = 0;
    const tact_aabb straight = tact_aabb_from_screw(&p, 1, 0, &s);
    assert_true(straight.lower.x <= 1 && straight.lower.x > 0.999f && straight.upper.z >= 3 &&
                straight.upper.z < 3.001f);
    s.axis.z = 0;
    assert_true(tact_aabb_is_empty(tact_aabb_from_screw(&p, 1, 0, &s)));
    s.axis.z = 1;
    s.angle = INFINITY;
    assert_true(tact_aabb_is_empty(tact_aabb_from_screw(&p, 1, 0, &s)));
    s.angle = 1;
    assert_true(tact_aabb_is_empty(tact_aabb_from_screw(&p, 0, 0, &s)));
    const tact_vec3 bad[2] = {p, v3(NAN, 0, 0)};
    assert_true(tact_aabb_is_empty(tact_aabb_from_screw(bad, 2, 0, &s)));
}

// ---- Rays ----

static double to_lozenge(const tact_lozenge* l, const tact_ray* ray, double t)
{
    const double ox = (double)ray->ox + t * (double)ray->dx, oy = (double)ray->oy + t * (double)ray->dy;
    const wide3 p = {(wide)ox, (wide)oy, (wide)((double)ray->oz + t * (double)ray->dz)};
    return sqrt((double)to_inner(p, w_of(l->corner), w_of(l->edge[0]), w_of(l->edge[1]))) - (double)l->radius;
}

TEST(rays_are_in_a_lozenge_where_it_is)
{
    test_random r = test_random_seeded(856);
    size_t hits = 0, misses = 0;
    for (size_t trial = 0; trial < effort(5000, 100000); ++trial) {
        float axes[9];
        test_random_rotation(&r, axes);
        const float a = trial % 5 ? test_random_unit(&r) + 0.1f : 0.0f,
                    b = trial % 7 ? test_random_unit(&r) + 0.1f : 0.0f;
        const tact_lozenge l = {v3(test_random_signed(&r), test_random_signed(&r), test_random_signed(&r)),
                                {v3(a * axes[0], a * axes[1], a * axes[2]), v3(b * axes[3], b * axes[4], b * axes[5])},
                                0.1f + 0.5f * test_random_unit(&r)};
        const tact_vec3 o = v3(3 * test_random_signed(&r), 3 * test_random_signed(&r), 3 * test_random_signed(&r));
        const tact_vec3 to = v3(l.corner.x + test_random_signed(&r), l.corner.y + test_random_signed(&r),
                                l.corner.z + test_random_signed(&r));
        const tact_vec3 d = v3(0.4f * (to.x - o.x), 0.4f * (to.y - o.y), 0.4f * (to.z - o.z));
        const tact_ray ray = {o.x, o.y, o.z, 0, d.x, d.y, d.z, trial % 3 ? 8.0f : 2.0f};
        const tact_ray_solid_hit hit = tact_ray_lozenge(&ray, &l);
        const double reach = sqrt((double)d.x * (double)d.x + (double)d.y * (double)d.y + (double)d.z * (double)d.z);
        if (hit.hit) {
            ++hits;
            for (int k = 0; k < 2; ++k) {
                const double t = (double)(k ? hit.exit : hit.t), off = to_lozenge(&l, &ray, t);
                const bool cut = k ? hit.exit == ray.tmax : hit.t == ray.tmin;
                const tact_vec3 n = k ? hit.exit_normal : hit.normal;
                if (cut && n.x == 0 && n.y == 0 && n.z == 0) {
                    assert_true(off <= 1e-5);
                } else {
                    assert_true(fabs(off) <= 1e-5);
                    const double length =
                        (double)n.x * (double)n.x + (double)n.y * (double)n.y + (double)n.z * (double)n.z;
                    assert_true(fabs(length - 1.0) < 1e-5);
                    // A step along the normal leads away from it.
                    tact_ray out = ray;
                    out.ox = (float)((double)ray.ox + t * (double)ray.dx);
                    out.oy = (float)((double)ray.oy + t * (double)ray.dy);
                    out.oz = (float)((double)ray.oz + t * (double)ray.dz);
                    out.dx = n.x;
                    out.dy = n.y;
                    out.dz = n.z;
                    assert_true(fabs(to_lozenge(&l, &out, 0.01) - 0.01) < 1e-4);
                }
            }
            const double middle = 0.5 * ((double)hit.t + (double)hit.exit);
            assert_true(to_lozenge(&l, &ray, middle) <= 1e-5);
            if (hit.t > 1e-3f) assert_true(to_lozenge(&l, &ray, (double)hit.t - 1e-2 * reach) > -1e-5);
        } else {
            ++misses;
            for (int k = 0; k <= 64; ++k)
                assert_true(to_lozenge(&l, &ray, (double)ray.tmax * k / 64) > -1e-5);
        }
    }
    if (!(hits > 40 && misses > 40)) fail_msg("%zu hits, %zu misses", hits, misses);
    const tact_lozenge bad = {v3(0, 0, 0), {v3(NAN, 0, 0), v3(0, 1, 0)}, 1};
    const tact_ray ray = {0, 0, 0, 0, 1, 0, 0, 1};
    assert_false(tact_ray_lozenge(&ray, &bad).hit);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
