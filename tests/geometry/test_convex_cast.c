// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Casts of convex shapes against formulas and against the shapes moved along, and distances, depths and overlaps of
// pairs that have formulas: separating axes for boxes, the nearest points of two segments for capsules.

#include "tests/support/run.h"

#include "tests/geometry/convex_shapes.h"
#include "tests/geometry/vectors.h"
#include "tests/geometry/wide.h"

static xyz plus(xyz a, double s, xyz b)
{
    return (xyz){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

TEST(spheres_meet_when_the_quadratic_says)
{
    test_random r = test_random_seeded(41);
    size_t hits = 0;
    for (int i = 0; i < 500000; ++i) {
        const float size = i % 3 == 0 ? 1e-6f : i % 3 == 1 ? 1.0f : 1e6f;
        const tact_sphere a = {random_vec3(&r, size), random_size(&r, 0.3f * size)};
        const tact_sphere b = {random_vec3(&r, size), random_size(&r, 0.3f * size)};
        const xyz way = minus(of_vec3(b.center), of_vec3(a.center));
        const tact_vec3 motion = shifted(random_vec3(&r, 0.5f * size), to_vec3(times(2, way)));
        const tact_convex_hit h = tact_convex_cast(tact_convex_sphere(&a), motion, tact_convex_sphere(&b));
        const xyz s = minus(of_vec3(a.center), of_vec3(b.center)), m = of_vec3(motion);
        const double radius = (double)a.radius + (double)b.radius;
        const double c = dot(s, s) - radius * radius, half = dot(s, m), mm = dot(m, m);
        const double disc = half * half - mm * c, t = (-half - sqrt(fmax(disc, 0.0))) / mm;
        const bool expected = c <= 0 || (disc >= 0 && t >= 0 && t <= 1);
        const bool close = fabs(disc) < 1e-7 * mm * (double)size * (double)size || fabs(t - 1) < 1e-7;
        if (h.hit != expected && !close) fail_msg("case %d: hit %d, t %g, disc %g", i, h.hit, t, disc);
        hits += h.hit;
        if (!h.hit || close) continue;
        if (!near(h.t, c <= 0 ? 0 : t, 1e-6)) fail_msg("case %d: t %g, not %g", i, (double)h.t, t);
        if (c <= 0) continue;
        const xyz n = of_vec3(h.normal), expect = times(-1.0 / radius, plus(s, t, m));
        if (radius > 0.01 * (double)size && norm(minus(n, expect)) > 1e-3) fail_msg("case %d: normal", i);
        if (norm(minus(of_vec3(h.point), plus(of_vec3(b.center), -(double)b.radius, n))) > 2e-6 * (double)size)
            fail_msg("case %d: point", i);
    }
    assert_true(hits > 100000);
}

/// Enter and leave times of two boxes on one axis.
static void slab(double low_a, double high_a, double v, double low_b, double high_b, double t[2])
{
    if (v == 0) {
        if (high_a < low_b || low_a > high_b) t[0] = HUGE_VAL;
        return;
    }
    const double t0 = (low_b - high_a) / v, t1 = (high_b - low_a) / v;
    t[0] = fmax(t[0], fmin(t0, t1));
    t[1] = fmin(t[1], fmax(t0, t1));
}

TEST(boxes_meet_when_their_slabs_do)
{
    test_random r = test_random_seeded(43);
    size_t hits = 0;
    for (int i = 0; i < 500000; ++i) {
        any_shape s, u;
        random_shape(&r, &s, TACT_CONVEX_AABB, (tact_vec3){0, 0, 0}, 0.5f);
        random_shape(&r, &u, TACT_CONVEX_AABB, random_vec3(&r, 1.5f), 0.5f);
        const xyz way = minus(of_vec3(u.as.aabb.lower), of_vec3(s.as.aabb.lower));
        tact_vec3 motion = shifted(random_vec3(&r, 1.0f), to_vec3(times(2, way)));
        if (i % 4 == 0) motion.x = 0;
        if (i % 8 == 0) motion.y = 0;
        const tact_aabb a = s.as.aabb, b = u.as.aabb;
        double t[2] = {0, 1};
        slab((double)a.lower.x, (double)a.upper.x, (double)motion.x, (double)b.lower.x, (double)b.upper.x, t);
        slab((double)a.lower.y, (double)a.upper.y, (double)motion.y, (double)b.lower.y, (double)b.upper.y, t);
        slab((double)a.lower.z, (double)a.upper.z, (double)motion.z, (double)b.lower.z, (double)b.upper.z, t);
        const tact_convex_hit h = tact_convex_cast(s.convex, motion, u.convex);
        if (h.hit != (t[0] <= t[1]) && fabs(t[0] - t[1]) > 1e-7) fail_msg("case %d: %g to %g", i, t[0], t[1]);
        if (h.hit && fabs(t[0] - t[1]) > 1e-7 && !near(h.t, t[0], 1e-6)) fail_msg("case %d: t %g", i, (double)h.t);
        hits += h.hit;
    }
    assert_true(hits > 100000);
}

static void move(any_shape* s, tact_vec3 by)
{
    switch (s->convex.kind) {
        case TACT_CONVEX_SEGMENT:
        case TACT_CONVEX_CAPSULE:
        case TACT_CONVEX_CYLINDER:
        case TACT_CONVEX_AABB:
            s->as.segment.b = shifted(s->as.segment.b, by);
            break;
        case TACT_CONVEX_TRIANGLE:
            s->as.triangle.b = shifted(s->as.triangle.b, by);
            s->as.triangle.c = shifted(s->as.triangle.c, by);
            break;
        case TACT_CONVEX_HULL:
            for (int i = 0; i < 12; ++i)
                s->corner[i] = shifted(s->corner[i], by);
            return;
        default:
            break;
    }
    s->as.point = shifted(s->as.point, by);
}

static double distance_at(const pair_of_shapes* p, xyz motion, double t)
{
    any_shape a = p->a;
    a.convex.shape = &a.as;
    if (a.convex.kind == TACT_CONVEX_HULL) a.as.hull.points = a.corner;
    move(&a, to_vec3(times(t, motion)));
    return (double)tact_convex_penetration(a.convex, p->b.convex).distance;
}

TEST(casts_of_all_kinds_stop_where_the_shapes_touch)
{
    test_random r = test_random_seeded(45);
    size_t hits = 0, misses = 0, inside = 0;
    for (int i = 0; i < 144 * 400; ++i) {
        pair_of_shapes p;
        random_pair(&r, &p, (tact_convex_kind)(i % 12), (tact_convex_kind)(i / 12 % 12));
        if (!pair_valid(&p.a) || !pair_valid(&p.b)) continue;
        const int ka = (int)p.a.convex.kind, kb = (int)p.b.convex.kind;
        const xyz way = times(-(double)test_random_unit(&r) * 3, minus(of_vec3(p.a.as.point), of_vec3(p.b.as.point)));
        const bool aimed = ka != TACT_CONVEX_HULL && kb != TACT_CONVEX_HULL;
        const tact_vec3 motion = shifted(random_vec3(&r, (float)p.size), to_vec3(aimed ? way : times(0, way)));
        const xyz m = of_vec3(motion);
        const tact_convex_hit h = tact_convex_cast(p.a.convex, motion, p.b.convex);
        const double slack = 1e-6 * norm(p.base) + 1e-5 * p.size;
        if (h.hit) {
            const double d = distance_at(&p, m, (double)h.t);
            inside += h.t == 0.0f;
            ++hits;
            if (!(h.t >= 0.0f && h.t <= 1.0f)) fail_msg("case %d (%d, %d): t", i, ka, kb);
            if (h.t > 0.0f && fabs(d) > slack)
                fail_msg("case %d (%d, %d): %g apart at t %g", i, ka, kb, d, (double)h.t);
            const xyz n = of_vec3(h.normal), point = minus(of_vec3(h.point), p.base);
            if (fabs(norm(n) - 1) > 1e-6) fail_msg("case %d (%d, %d): normal", i, ka, kb);
            if (h.t == 0.0f) continue;
            for (int k = 0; k < 4; ++k) {
                const xyz u = random_unit(&r);
                const double at_a = reach(&p.a, u, p.base) + (double)h.t * dot(u, m);
                if (dot(u, point) > reach(&p.b, u, p.base) + slack) fail_msg("case %d (%d, %d): point", i, ka, kb);
                if (dot(u, point) > at_a + slack) fail_msg("case %d (%d, %d): point of A", i, ka, kb);
            }
            // The plane through the contact has A behind it and B before it.
            const double behind = reach(&p.a, n, p.base) + (double)h.t * dot(n, m) - dot(n, point);
            const double before = reach(&p.b, times(-1.0, n), p.base) + dot(n, point);
            if (behind > slack || before > slack) fail_msg("case %d (%d, %d): %g, %g", i, ka, kb, behind, before);
        }
        misses += !h.hit;
        for (int k = 0; k < 6; ++k) {
            const double t = (h.hit ? (double)h.t : 1.0) * (double)test_random_unit(&r);
            if (h.hit && h.t == 0.0f) continue;
            if (distance_at(&p, m, t) < -slack) fail_msg("case %d (%d, %d): they met before, at %g", i, ka, kb, t);
        }
    }
    print_message("hits %zu, of them %zu at the start, misses %zu\n", hits, inside, misses);
    assert_true(hits - inside > 3000 && misses > 3000);
}

TEST(touching_at_the_very_end_is_a_hit)
{
    const tact_sphere a = {{0, 0, 0}, 1}, b = {{5, 0, 0}, 1};
    const tact_convex ca = tact_convex_sphere(&a), cb = tact_convex_sphere(&b);
    tact_convex_hit h = tact_convex_cast(ca, (tact_vec3){3, 0, 0}, cb);
    assert_true(h.hit && h.t == 1.0f && h.normal.x == 1.0f && h.point.x == 4.0f);
    assert_false(tact_convex_cast(ca, (tact_vec3){2.9999f, 0, 0}, cb).hit);
    assert_false(tact_convex_cast(ca, (tact_vec3){-3, 0, 0}, cb).hit);
    assert_false(tact_convex_cast(ca, (tact_vec3){0, 0, 0}, cb).hit);
    assert_false(tact_convex_cast(ca, (tact_vec3){INFINITY, 0, 0}, cb).hit);
    // Grazing, and starting inside.
    const tact_sphere beside = {{5, 2, 0}, 1};
    h = tact_convex_cast(ca, (tact_vec3){10, 0, 0}, tact_convex_sphere(&beside));
    assert_true(!h.hit || near(h.t, 0.5, 1e-3));
    h = tact_convex_cast(ca, (tact_vec3){10, 0, 0}, ca);
    assert_true(h.hit && h.t == 0.0f);
    const tact_aabb box = {{-1, -1, -1}, {1, 1, 1}}, slides = {{-3, 1, -1}, {-2, 2, 1}};
    h = tact_convex_cast(tact_convex_aabb(&slides), (tact_vec3){2, 0, 0}, tact_convex_aabb(&box));
    assert_true(h.hit && h.t == 0.5f);
}

typedef struct w_box {
    wide3 center, edge[3];
} w_box;

static w_box w_box_of(const tact_obb* b)
{
    w_box r = {.center = w_of(b->center)};
    const wide half[3] = {(wide)b->half.x, (wide)b->half.y, (wide)b->half.z};
    const wide3 none = {(wide)0, (wide)0, (wide)0};
    for (int i = 0; i < 3; ++i)
        r.edge[i] = w_along(none, half[i], w_of(b->axis[i]));
    return r;
}

/// The gap along an axis of any length, in units of that length; the squared length goes to `ll`.
static wide axis_gap(const w_box* a, const w_box* b, wide3 axis, wide* ll)
{
    wide gap = w_abs(w_dot(axis, w_sub(a->center, b->center)));
    for (int i = 0; i < 3; ++i)
        gap -= w_abs(w_dot(axis, a->edge[i])) + w_abs(w_dot(axis, b->edge[i]));
    *ll = w_dot(axis, axis);
    return gap;
}

/// The largest gap over the 15 axes: minus the depth if negative.
static double largest_gap(const tact_obb* p, const tact_obb* q)
{
    const w_box a = w_box_of(p), b = w_box_of(q);
    double best = -HUGE_VAL;
    for (int i = 0; i < 15; ++i) {
        const w_box* own = i < 3 ? &a : &b;
        const wide3 axis = i < 6 ? w_cross(own->edge[(i + 1) % 3], own->edge[(i + 2) % 3])
                                 : w_cross(a.edge[(i - 6) / 3], b.edge[(i - 6) % 3]);
        wide ll;
        const wide gap = axis_gap(&a, &b, axis, &ll);
        // Parallel edges have no axis of their own; what rounding leaves of one is not.
        if (!((double)ll > 1e-28)) continue;
        best = fmax(best, (double)gap / sqrt((double)ll));
    }
    return best;
}

static void random_box(test_random* r, tact_obb* b, tact_vec3 at)
{
    any_shape s;
    random_shape(r, &s, TACT_CONVEX_OBB, at, 1.0f);
    *b = s.as.obb;
    b->half = (tact_vec3){0.1f + test_random_unit(r), 0.1f + test_random_unit(r), 0.1f + test_random_unit(r)};
}

/// Brings b as near to a as floats allow: along the normal of their contact.
static void bring_to_touch(const tact_obb* a, tact_obb* b, float gap)
{
    const tact_convex_contact c = tact_convex_penetration(tact_convex_obb(a), tact_convex_obb(b));
    const double by = (double)gap - (double)c.distance;
    b->center = to_vec3(plus(of_vec3(b->center), by, of_vec3(c.normal)));
}

TEST(box_depths_are_those_of_the_separating_axes)
{
    test_random r = test_random_seeded(47);
    static const float gaps[] = {0.0f, 1e-7f, -1e-7f, 1e-5f, -1e-5f};
    size_t deep = 0, closest = 0;
    for (int i = 0; i < 60000; ++i) {
        tact_obb a, b;
        random_box(&r, &a, (tact_vec3){0, 0, 0});
        random_box(&r, &b, random_vec3(&r, 1.0f));
        if (i % 5 == 0) memcpy(b.axis, a.axis, sizeof b.axis);  // parallel
        if (i % 2 == 0) bring_to_touch(&a, &b, gaps[test_random_below(&r, 5)]);
        const double gap = largest_gap(&a, &b);
        const tact_convex_contact c = tact_convex_penetration(tact_convex_obb(&a), tact_convex_obb(&b));
        const bool overlap = tact_convex_overlap(tact_convex_obb(&a), tact_convex_obb(&b), NULL);
        if (fabs(gap) > 3e-14 && overlap != (gap <= 0)) fail_msg("case %d: overlap %d, gap %g", i, overlap, gap);
        closest += fabs(gap) < 1e-6;
        if (gap > 0) {
            // The axes' gap is a lower bound of the distance, which is known to 1e-9 of the extent.
            if ((double)c.distance < gap * (1 - 1e-6) - 4e-9) fail_msg("case %d: distance", i);
            continue;
        }
        ++deep;
        if (!near(c.distance, gap, 3e-8 - 1e-7 * gap)) fail_msg("case %d: %g, not %g", i, (double)c.distance, gap);
    }
    assert_true(deep > 15000 && closest > 15000);
}

/// Two faces of the sum are within 2e-9 of the origin, and only one of them parts the boxes.
TEST(boxes_apart_by_a_billionth_at_an_edge_do_not_overlap)
{
    const tact_obb a = {{0, 0, 0},
                        {{0x1.c30676p-1f, -0x1.faf7ep-5f, 0x1.e07bf6p-2f},
                         {0x1.795c26p-3f, -0x1.bc98b6p-1f, -0x1.d77fdp-2f},
                         {0x1.be68a8p-2f, 0x1.f7e178p-2f, -0x1.81cf86p-1f}},
                        {0x1.e727f2p-1f, 0x1.073dd4p-3f, 0x1.db4da6p-1f}};
    tact_obb b = a;
    b.center = (tact_vec3){-0x1.b2f766p-1f, 0x1.a05088p-2f, -0x1.33652ap-1f};
    b.half = (tact_vec3){0x1.a9070ap-4f, 0x1.ac661ap-4f, 0x1.b0b45cp-1f};
    assert_true(fabs(largest_gap(&a, &b) - 1.4037071e-9) < 1e-15);
    assert_false(tact_convex_overlap(tact_convex_obb(&a), tact_convex_obb(&b), NULL));
    assert_false(tact_convex_overlap(tact_convex_obb(&b), tact_convex_obb(&a), NULL));
}

static wide clamp01(wide t)
{
    return t < (wide)0 ? (wide)0 : t > (wide)1 ? (wide)1 : t;
}

static wide point_segment(wide3 p, wide3 a, wide3 d)
{
    const wide dd = w_dot(d, d);
    const wide t = dd > (wide)0 ? clamp01(w_dot(w_sub(p, a), d) / dd) : (wide)0;
    const wide3 v = w_sub(p, w_along(a, t, d));
    return w_dot(v, v);
}

/// The squared distance of two segments: the least of their ends' from the other and that of the lines' nearest points
/// if both segments have them.
static wide segment_segment(const tact_capsule* p, const tact_capsule* q)
{
    const wide3 a = w_of(p->a), b = w_of(q->a), d = w_sub(w_of(p->b), a), e = w_sub(w_of(q->b), b);
    const wide ends[4] = {point_segment(a, b, e), point_segment(w_of(p->b), b, e), point_segment(b, a, d),
                          point_segment(w_of(q->b), a, d)};
    wide best = ends[0];
    for (int i = 1; i < 4; ++i)
        if (ends[i] < best) best = ends[i];
    const wide3 n = w_cross(d, e), s = w_sub(b, a);
    const wide nn = w_dot(n, n);
    if (!(nn > (wide)0)) return best;
    const wide t = w_dot(w_cross(s, e), n) / nn, u = w_dot(w_cross(s, d), n) / nn;
    const wide across = w_dot(s, n);
    if (t >= (wide)0 && t <= (wide)1 && u >= (wide)0 && u <= (wide)1 && across * across / nn < best)
        best = across * across / nn;
    return best;
}

TEST(capsules_are_as_far_apart_as_their_segments_say)
{
    test_random r = test_random_seeded(49);
    size_t overlaps = 0, closest = 0;
    for (int i = 0; i < 120000; ++i) {
        any_shape s, u;
        random_shape(&r, &s, TACT_CONVEX_CAPSULE, (tact_vec3){0, 0, 0}, 1.0f);
        random_shape(&r, &u, TACT_CONVEX_CAPSULE, random_vec3(&r, 2.0f), 1.0f);
        tact_capsule *a = &s.as.capsule, *b = &u.as.capsule;
        if (i % 5 == 0) b->b = shifted(b->a, (tact_vec3){a->b.x - a->a.x, a->b.y - a->a.y, a->b.z - a->a.z});
        if (i % 7 == 0) b->b = b->a;
        const wide dd = segment_segment(a, b);
        const double exact = sqrt((double)dd);
        if (i % 2 == 0 && exact > (double)a->radius) b->radius = (float)(exact - (double)a->radius);
        const wide sum = (wide)a->radius + (wide)b->radius;
        const bool overlap = tact_convex_overlap(s.convex, u.convex, NULL);
        const double gap = exact - (double)sum;
        if (overlap != (dd <= sum * sum) && fabs(gap) > 1e-14) fail_msg("case %d: overlap %d, gap %g", i, overlap, gap);
        overlaps += overlap;
        closest += fabs(gap) < 1e-6;
        const float d = tact_convex_distance(s.convex, u.convex, NULL).distance;
        const float p = tact_convex_penetration(s.convex, u.convex).distance;
        if (exact > 0 && !near(d, gap, 1e-7 * fabs(gap) + 1e-14)) fail_msg("case %d: %g, not %g", i, (double)d, gap);
        if (!near(p, gap, 1e-7 * fabs(gap) + 1e-14)) fail_msg("case %d: %g, not %g", i, (double)p, gap);
    }
    assert_true(overlaps > 30000 && closest > 30000);
}

static tact_vec3 ball_support(const void* shape, tact_vec3 d)
{
    const tact_sphere* s = shape;
    return (tact_vec3){s->center.x + s->radius * d.x, s->center.y + s->radius * d.y, s->center.z + s->radius * d.z};
}

static tact_vec3 broken_support(const void* shape, tact_vec3 d)
{
    const tact_sphere* s = shape;
    return d.x > 0.99f ? s->center : (tact_vec3){NAN, 0, 0};
}

TEST(custom_shapes_work_and_broken_ones_are_none)
{
    const tact_sphere s = {{3, 4, 0}, 1}, far_ball = {{9, 4, 0}, 2}, in = {{3, 5, 0}, 1}, away = {{3, 9, 0}, 1};
    const tact_convex ball = tact_convex_custom(&s, ball_support);
    assert_true(near(tact_convex_distance(ball, tact_convex_sphere(&far_ball), NULL).distance, 3, 1e-5));
    assert_true(near(tact_convex_penetration(ball, tact_convex_sphere(&in)).distance, -1, 1e-4));
    assert_true(tact_convex_overlap(ball, tact_convex_custom(&in, ball_support), NULL));
    assert_true(near(tact_convex_support(ball, (tact_vec3){0, 9, 0}).y, 5, 1e-6));
    const tact_convex_hit h = tact_convex_cast(ball, (tact_vec3){6, 0, 0}, tact_convex_sphere(&far_ball));
    assert_true(h.hit && near(h.t, 0.5, 1e-5));
    assert_int_equal(tact_convex_manifold(ball, tact_convex_sphere(&in), 0.0f, 4).count, 1);
    const tact_convex broken = tact_convex_custom(&s, broken_support);
    assert_false(tact_convex_overlap(broken, tact_convex_sphere(&in), NULL));
    assert_true(tact_convex_distance(broken, tact_convex_sphere(&away), NULL).distance == INFINITY);
    assert_true(tact_convex_penetration(ball, broken).distance == INFINITY);
    assert_false(tact_convex_cast(broken, (tact_vec3){0, 6, 0}, tact_convex_sphere(&away)).hit);
    assert_int_equal(tact_convex_manifold(broken, tact_convex_sphere(&in), 0.0f, 4).count, 0);
    assert_true(isnan(tact_convex_support(broken, (tact_vec3){0, 1, 0}).x));
    assert_false(tact_convex_overlap((tact_convex){(tact_convex_kind)77, &s, NULL}, ball, NULL));
}

/// A ball that is one for some calls and then gives NaN, in one coordinate or all.
typedef struct breaking_ball {
    tact_sphere ball;
    int calls_left;
    bool all;
} breaking_ball;

static tact_vec3 breaking_support(const void* shape, tact_vec3 d)
{
    breaking_ball* s = (breaking_ball*)shape;  // the test's own, and not const
    const tact_vec3 p = ball_support(&s->ball, d);
    if (s->calls_left-- > 0) return p;
    return s->all ? (tact_vec3){NAN, NAN, NAN} : (tact_vec3){p.x, NAN, p.z};
}

TEST(shapes_that_break_on_the_way_are_none)
{
    const tact_sphere other = {{0.3f, 0.2f, 0.9f}, 1};
    const tact_obb box = {{0.1f, 0.2f, 0.3f}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 0.5f, 2}},
                   away = {{5, 6, 0.5f}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 2, 1}};
    size_t broken = 0;
    for (int i = 0; i < 6 * 400; ++i) {
        const int query = i % 6, calls = i / 12;
        breaking_ball s = {.ball = {{0, 0, 0}, 1}, .calls_left = calls, .all = i / 6 % 2 == 0};
        const tact_convex ball = tact_convex_custom(&s, breaking_support);
        const tact_convex deep = tact_convex_obb(&box), far_box = tact_convex_obb(&away);
        bool none = true;
        if (query == 0) none = !tact_convex_overlap(ball, deep, NULL);
        if (query == 1) none = tact_convex_distance(ball, far_box, NULL).distance == INFINITY;
        if (query == 2) none = tact_convex_penetration(ball, deep).distance == INFINITY;
        if (query == 3) none = !tact_convex_cast(ball, (tact_vec3){7, 8, 0.25f}, far_box).hit;
        if (query == 4) none = tact_convex_manifold(ball, deep, 0.0f, 4).count == 0;
        if (query == 5) none = tact_convex_penetration(tact_convex_sphere(&other), ball).distance == INFINITY;
        if (s.calls_left >= 0) continue;  // done before it broke
        broken += 1;
        if (!none) fail_msg("query %d broke at call %d, and has an answer", query, calls);
    }
    assert_true(broken > 150);
}

TEST(a_cache_changes_the_time_and_not_the_answer)
{
    test_random r = test_random_seeded(51);
    for (int i = 0; i < 30000; ++i) {
        pair_of_shapes p;
        random_pair(&r, &p, (tact_convex_kind)(i % 12), (tact_convex_kind)(i / 12 % 12));
        if (!pair_valid(&p.a) || !pair_valid(&p.b)) continue;
        tact_convex_cache cache = {0}, of_overlap = {0};
        for (int step = 0; step < 5; ++step) {
            const float warm = tact_convex_distance(p.a.convex, p.b.convex, &cache).distance;
            const float cold = tact_convex_distance(p.a.convex, p.b.convex, NULL).distance;
            if (!near(warm, (double)cold, 1e-6 * p.size)) fail_msg("case %d: %g, %g", i, (double)warm, (double)cold);
            const bool overlap = tact_convex_overlap(p.a.convex, p.b.convex, &cache);
            if (overlap != (cold <= 0.0f) && fabs((double)cold) > 1e-12 * p.size) fail_msg("case %d: overlap", i);
            const bool again = tact_convex_overlap(p.a.convex, p.b.convex, &of_overlap);
            if (again != overlap && fabs((double)cold) > 1e-12 * p.size)
                fail_msg("case %d: warm overlap %d, %g, size %g", i, again, (double)cold, p.size);
            move(&p.a, random_vec3(&r, 0.05f * (float)p.size));
            // Nonsense in it must do no harm.
            if (step == 2) cache.direction[0].x = NAN;
            if (step == 3) cache.count = of_overlap.count = 1000;
        }
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
