// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Convex shapes with a pose: what they reach, by a rotation of the test's own; answers that prove themselves; shapes
// whose points were moved instead.

#include "tests/support/run.h"

#include "tests/geometry/convex_shapes.h"
#include "tests/geometry/vectors.h"

typedef struct placed {
    any_shape s;
    tact_pose pose;
    tact_posed_convex posed;
    tact_convex convex;
} placed;

static void place(placed* p)
{
    p->s.convex.shape = &p->s.as;
    if (p->s.convex.kind == TACT_CONVEX_HULL) p->s.as.hull.points = p->s.corner;
    p->posed = (tact_posed_convex){.shape = p->s.convex, .pose = &p->pose};
    p->convex = tact_convex_posed(&p->posed);
}

static tact_quat random_turn(test_random* r)
{
    const xyz u = random_unit(r);
    const double half = 3.2 * (double)test_random_unit(r), length = 0.6 + (double)test_random_unit(r);
    return (tact_quat){(float)(length * sin(half) * u.x), (float)(length * sin(half) * u.y),
                       (float)(length * sin(half) * u.z), (float)(length * cos(half))};
}

static void random_placed(test_random* r, placed* p, tact_convex_kind kind)
{
    do {
        random_shape(r, &p->s, kind, random_vec3(r, 0.5f), 1.0f);
    } while (!pair_valid(&p->s));
    const tact_vec3 at = random_vec3(r, 1.0f);
    p->pose = (tact_pose){.x = (double)at.x, .y = (double)at.y, .z = (double)at.z, .rotation = random_turn(r)};
    if (test_random_below(r, 2)) p->pose.scale = 0.5f + test_random_unit(r);
    place(p);
}

/// v turned by the quaternion: v + 2 (w (u x v) + u x (u x v)) / q . q, or back.
static xyz turned_by(tact_quat q, xyz v, bool back)
{
    const xyz u = {(double)q.x, (double)q.y, (double)q.z};
    const double w = back ? -(double)q.w : (double)q.w, qq = dot(u, u) + w * w;
    const xyz c = cross(u, v);
    return minus(v, times(-2.0 / qq, minus(times(w, c), times(-1.0, cross(u, c)))));
}

static double scale_of(const placed* p)
{
    return p->pose.scale == 0.0f ? 1.0 : (double)p->pose.scale;
}

/// The largest n . (x - base) of the points x of the shape where it is.
static double reach_placed(const placed* p, xyz n, xyz base)
{
    const xyz at = {p->pose.x - base.x, p->pose.y - base.y, p->pose.z - base.z}, zero = {0, 0, 0};
    return dot(n, at) + scale_of(p) * reach(&p->s, turned_by(p->pose.rotation, n, true), zero);
}

static double gap_placed(const placed* a, const placed* b, xyz n, xyz base)
{
    return -reach_placed(b, times(-1.0, n), base) - reach_placed(a, n, base);
}

TEST(support_points_are_where_the_pose_puts_them)
{
    test_random r = test_random_seeded(71);
    const xyz zero = {0, 0, 0};
    for (int i = 0; i < 12 * 5000; ++i) {
        placed p;
        random_placed(&r, &p, (tact_convex_kind)(i % 12));
        const xyz n = random_unit(&r);
        const double top = dot(n, of_vec3(tact_convex_support(p.convex, to_vec3(n))));
        if (fabs(top - reach_placed(&p, n, zero)) > 2e-6) fail_msg("case %d: %g", i, top - reach_placed(&p, n, zero));
    }
}

/// The plane across the normal proves the distance or the depth, by formulas of the test's own.
TEST(answers_about_posed_shapes_prove_themselves)
{
    test_random r = test_random_seeded(72);
    size_t apart = 0, deep = 0;
    for (int i = 0; i < 144 * 700; ++i) {
        placed a, b;
        random_placed(&r, &a, (tact_convex_kind)(i % 12));
        random_placed(&r, &b, (tact_convex_kind)(i / 12 % 12));
        // Far away every other time: nothing but the points themselves may lose digits.
        const xyz base = i % 2 ? (xyz){1e9, -3e9, 2e9} : (xyz){0, 0, 0};
        for (int k = 0; k < 2; ++k) {
            tact_pose* pose = k ? &b.pose : &a.pose;
            pose->x += base.x;
            pose->y += base.y;
            pose->z += base.z;
        }
        const tact_convex_contact c = tact_convex_penetration(a.convex, b.convex);
        const double d = (double)c.distance, gap = gap_placed(&a, &b, of_vec3(c.normal), base);
        const double slack = c.converged ? 1e-5 : 0.05;
        if (!(fabs(gap - d) <= slack)) fail_msg("case %d: %g, the plane says %g", i, d, gap);
        if (tact_convex_overlap(a.convex, b.convex, NULL) != (d <= 0.0) && fabs(d) > 1e-6) fail_msg("case %d", i);
        apart += d > 0.0;
        deep += d < 0.0;
        for (int k = 0; k < 4; ++k) {
            const double other = gap_placed(&a, &b, random_unit(&r), base);
            if (other > d + slack) fail_msg("case %d: %g is not the best, %g is", i, d, other);
        }
    }
    print_message("%zu apart, %zu deep\n", apart, deep);
    assert_true(apart > 20000 && deep > 10000);
}

static void near_vec3(tact_vec3 a, tact_vec3 b, int i, const char* what)
{
    if (!near(a.x, (double)b.x, 1e-4) || !near(a.y, (double)b.y, 1e-4) || !near(a.z, (double)b.z, 1e-4)) {
        fail_msg("case %d: other %s", i, what);
    }
}

/// A turn by 120 degrees about (1, 1, 1) moves coordinates and rounds nothing, and a power of two as the scale neither.
TEST(posed_shapes_are_those_with_moved_points)
{
    test_random r = test_random_seeded(73);
    size_t hits = 0, points = 0;
    for (int i = 0; i < 144 * 100; ++i) {
        placed a, b;
        any_shape moved[2];
        const bool turn = i % 2 == 0;
        const float scale = i % 3 == 0 ? 0.5f : i % 3 == 1 ? 1.0f : 2.0f;
        for (int k = 0; k < 2; ++k) {
            placed* p = k ? &b : &a;
            random_placed(&r, p, (tact_convex_kind)(k ? i / 12 % 12 : i % 12));
            p->pose = (tact_pose){.scale = scale};
            if (turn) p->pose.rotation = (tact_quat){0.5f, 0.5f, 0.5f, 0.5f};
            place(p);
            moved[k] = p->s;
            change_shape(&moved[k], scale, turn);
            moved[k].convex.shape = &moved[k].as;
            if (moved[k].convex.kind == TACT_CONVEX_HULL) moved[k].as.hull.points = moved[k].corner;
        }
        const tact_convex_contact c = tact_convex_penetration(a.convex, b.convex);
        const tact_convex_contact d = tact_convex_penetration(moved[0].convex, moved[1].convex);
        if (!near(c.distance, (double)d.distance, c.converged && d.converged ? 2e-6 : 0.05)) {
            fail_msg("case %d: %g, moved %g", i, (double)c.distance, (double)d.distance);
        }
        if (fabsf(d.distance) > 1e-6f) {
            assert_int_equal(tact_convex_overlap(a.convex, b.convex, NULL),
                             tact_convex_overlap(moved[0].convex, moved[1].convex, NULL));
        }
        const tact_vec3 motion = random_vec3(&r, 3.0f);
        const tact_convex_hit h = tact_convex_cast(a.convex, motion, b.convex);
        const tact_convex_hit g = tact_convex_cast(moved[0].convex, motion, moved[1].convex);
        if (h.hit == g.hit && h.hit && !near(h.t, (double)g.t, 1e-4)) fail_msg("case %d: other time", i);
        hits += h.hit;
        // Faces, edges and corners of the manifold come from the points too.
        const tact_manifold m = tact_convex_manifold(a.convex, b.convex, 0.01f, 8);
        const tact_manifold n = tact_convex_manifold(moved[0].convex, moved[1].convex, 0.01f, 8);
        if (fabsf(d.distance) < 1e-3f || fabsf(c.normal.x - d.normal.x) > 1e-6f) continue;
        assert_int_equal(m.count > 0, n.count > 0);
        points += m.count;
    }
    assert_true(hits > 3000 && points > 5000);
}

/// Cubes of 64 points, face to face: in single precision which of a face's points is the farthest is a matter of
/// chance.
TEST(large_hulls_face_to_face_are_decided_by_their_points)
{
    test_random r = test_random_seeded(74);
    tact_vec3 point[64];
    for (int i = 0; i < 64; ++i) {
        const float side[4] = {-1.0f, -0.3f, 0.4f, 1.0f};
        point[i] = v3(side[i % 4], side[i / 4 % 4], side[i / 16]);
    }
    const tact_hull hull = {.points = point, .point_count = 64};
    for (int i = 0; i < 3000; ++i) {
        const tact_pose of_a = {.rotation = random_turn(&r)};
        const xyz n = turned_by(of_a.rotation, (xyz){i % 3 == 0, i % 3 == 1, i % 3 == 2}, false);
        const double gap = (i & 1 ? 1.0 : -1.0) * pow(10.0, -6.0 - 6.0 * (double)test_random_unit(&r));
        const tact_pose of_b = {
            .x = (2.0 + gap) * n.x, .y = (2.0 + gap) * n.y, .z = (2.0 + gap) * n.z, .rotation = of_a.rotation};
        const tact_posed_convex a = {tact_convex_hull(&hull), &of_a, {0}}, b = {tact_convex_hull(&hull), &of_b, {0}};
        tact_convex_cache cache = {0};
        for (int k = 0; k < 2; ++k) {
            const bool yes = tact_convex_overlap(tact_convex_posed(&a), tact_convex_posed(&b), &cache);
            if (yes != (gap < 0.0)) fail_msg("case %d: %d with a gap of %g", i, yes, gap);
        }
    }
}

/// A box whose corners are a hull's, with faces.
typedef struct box_hull {
    tact_vec3 points[8];
    uint32_t start[7], around[24], neighbour_start[9], neighbours[24];
    tact_hull hull;
} box_hull;

static void make_box_hull(box_hull* b, float x, float y, float z)
{
    static const uint32_t faces[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    for (int i = 0; i < 8; ++i)
        b->points[i] = (tact_vec3){i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z};
    for (uint32_t i = 0; i < 7; ++i)
        b->start[i] = 4 * i;
    memcpy(b->around, faces, sizeof faces);
    b->hull = (tact_hull){
        .points = b->points, .point_count = 8, .face_start = b->start, .face_points = b->around, .face_count = 6};
    assert_int_equal(tact_hull_link(&b->hull, b->neighbour_start, b->neighbours), TACT_OK);
    b->hull.neighbour_start = b->neighbour_start;
    b->hull.neighbours = b->neighbours;
}

/// Hulls face to face in one plane exactly, all numbers being whole ones of up to 24 bits, with a corner in common:
/// they touch, though heights above the plane take 72 bits, and come out on either side of it.
TEST(a_corner_in_common_is_never_apart)
{
    enum { FLAT = 6, ALL = 8 };
    test_random r = test_random_seeded(27);
    size_t lost = 0;
    for (int i = 0; i < 20000; ++i) {
        float own[2][3];
        tact_vec3 points[2][ALL];
        for (int c = 0; c < 6; ++c)
            own[c / 3][c % 3] = floorf(0x1p20f * test_random_signed(&r));
        for (int k = 0; k < 2 * ALL; ++k) {
            float p[3];
            const float u = floorf(4.0f * test_random_signed(&r)), v = floorf(4.0f * test_random_signed(&r));
            // Beyond the plane, on either side of it by the shape.
            const float away = k % ALL < FLAT ? 0.0f : k < ALL ? -0x1p-19f : 0x1p-19f;
            for (int c = 0; c < 3; ++c) {
                const int d = (c + 1) % 3, e = (c + 2) % 3;
                p[c] = u * own[0][c] + v * own[1][c] + floorf(away * (own[0][d] * own[1][e] - own[0][e] * own[1][d]));
            }
            points[k / ALL][k % ALL] = (tact_vec3){p[0], p[1], p[2]};
        }
        points[1][0] = points[0][0];
        const tact_hull hulls[2] = {{.points = points[0], .point_count = ALL},
                                    {.points = points[1], .point_count = ALL}};
        lost += !tact_convex_overlap(tact_convex_hull(&hulls[0]), tact_convex_hull(&hulls[1]), NULL);
    }
    assert_int_equal(lost, 0);
}

TEST(manifolds_of_posed_hulls_lie_in_their_faces)
{
    box_hull a, b;
    make_box_hull(&a, 1, 2, 3);
    make_box_hull(&b, 2, 2, 2);
    // A quarter turn about x: A is 1 by 3 by 2. B stands on it, 1/8 deep, a step aside.
    const float h = sqrtf(0.5f);
    const tact_pose of_a = {.x = 10, .rotation = {h, 0, 0, h}}, of_b = {.x = 10.5, .z = 4 - 0.125};
    const tact_posed_convex pa = {tact_convex_hull(&a.hull), &of_a, {0}}, pb = {tact_convex_hull(&b.hull), &of_b, {0}};
    const tact_manifold m = tact_convex_manifold(tact_convex_posed(&pa), tact_convex_posed(&pb), 0.0f, 4);
    assert_int_equal(m.count, 4);
    assert_true(near(m.normal.z, 1.0, 1e-6));
    float low[2] = {100, 100}, high[2] = {-100, -100};
    for (uint32_t i = 0; i < 4; ++i) {
        assert_true(near(m.point[i].distance, -0.125, 1e-5) && near(m.point[i].a.z, 2.0, 1e-5));
        low[0] = fminf(low[0], m.point[i].a.x);
        high[0] = fmaxf(high[0], m.point[i].a.x);
        low[1] = fminf(low[1], m.point[i].a.y);
        high[1] = fmaxf(high[1], m.point[i].a.y);
    }
    assert_true(near(low[0], 9, 1e-5) && near(high[0], 11, 1e-5) && near(low[1], -2, 1e-5) && near(high[1], 2, 1e-5));
}

static tact_vec3 ball_support(const void* shape, tact_vec3 d)
{
    const tact_sphere* s = shape;
    return (tact_vec3){s->center.x + s->radius * d.x, s->center.y + s->radius * d.y, s->center.z + s->radius * d.z};
}

TEST(custom_shapes_take_poses)
{
    const tact_sphere ball = {{1, 0, 0}, 0.5f}, point = {{0, 0, 0}, 0};
    const tact_pose pose = {.y = 3, .rotation = {0, 0, 1, 1}, .scale = 2};  // a quarter turn: the centre is at 0 5 0
    const tact_posed_convex posed = {tact_convex_custom(&ball, ball_support), &pose, {0}};
    const tact_convex_contact c = tact_convex_distance(tact_convex_posed(&posed), tact_convex_sphere(&point), NULL);
    assert_true(near(c.distance, 4.0, 1e-5) && near(c.normal.y, -1.0, 1e-4));
    near_vec3(c.a, (tact_vec3){0, 4, 0}, 0, "point");
}

TEST(poses_that_are_none_make_no_set)
{
    const tact_sphere ball = {{0, 0, 0}, 1};
    const tact_convex plain = tact_convex_sphere(&ball);
    const tact_pose good = {.rotation = {0, 0, 0, 2}, .scale = 0x1p-40f};
    tact_pose bad[] = {good, good, good, good, good, good, good, good};
    bad[0].x = (double)NAN;
    bad[1].y = -0x1.0001p40;
    bad[2].z = (double)INFINITY;
    bad[3].rotation.w = 2.001f;
    bad[4].rotation = (tact_quat){0.1f, 0, 0, 0};
    bad[5].scale = 0x1p41f;
    bad[6].scale = -1.0f;
    bad[7].rotation.y = NAN;
    tact_posed_convex posed = {plain, &good, {0}};
    assert_true(tact_convex_overlap(tact_convex_posed(&posed), plain, NULL));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        posed.pose = &bad[i];
        assert_false(tact_convex_overlap(tact_convex_posed(&posed), plain, NULL));
        assert_true(tact_convex_distance(plain, tact_convex_posed(&posed), NULL).distance == INFINITY);
        assert_true(isnan(tact_convex_support(tact_convex_posed(&posed), v3(1, 0, 0)).x));
    }
    posed.pose = NULL;
    assert_false(tact_convex_overlap(tact_convex_posed(&posed), plain, NULL));
    posed.pose = &good;
    const tact_posed_convex twice = {tact_convex_posed(&posed), &good, {0}};
    assert_false(tact_convex_overlap(tact_convex_posed(&twice), plain, NULL));
    const tact_sphere none = {{0, 0, 0}, -1};
    const tact_posed_convex empty = {tact_convex_sphere(&none), &good, {0}};
    assert_false(tact_convex_overlap(tact_convex_posed(&empty), plain, NULL));
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
