// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// GJK, penetration depth and casts: analytic cases, separating axes as an oracle for polytopes, and for all pairs of
// kinds the certificate that makes an answer right whoever found it.

#include <float.h>

#include "tests/support/run.h"

#include "tests/geometry/convex_shapes.h"
#include "tests/geometry/vectors.h"

static tact_obb cube(float x, float y, float z, float half)
{
    return (tact_obb){{x, y, z}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {half, half, half}};
}

TEST(cubes_have_the_depth_they_are_in_each_other)
{
    const float scales[] = {1e-6f, 1.0f, 1e6f};
    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        const tact_obb a = cube(0, 0, 0, s), b = cube(1.9f * s, 0, 0, s), same = cube(0, 0, 0, s);
        tact_convex_contact c = tact_convex_penetration(tact_convex_obb(&a), tact_convex_obb(&b));
        assert_true(near(c.distance / s, -0.1, 1e-6) && c.normal.x == 1.0f && c.converged);
        assert_true(tact_convex_overlap(tact_convex_obb(&a), tact_convex_obb(&b), NULL));
        c = tact_convex_penetration(tact_convex_obb(&a), tact_convex_obb(&same));
        assert_true(near(c.distance / s, -2.0, 1e-6) && c.converged);
        const tact_obb touching = cube(2.0f * s, 0.5f * s, 0, s), corner = cube(2.0f * s, 2.0f * s, 2.0f * s, s);
        assert_true(tact_convex_overlap(tact_convex_obb(&a), tact_convex_obb(&touching), NULL));
        assert_true(tact_convex_overlap(tact_convex_obb(&a), tact_convex_obb(&corner), NULL));
        assert_true(near(tact_convex_penetration(tact_convex_obb(&a), tact_convex_obb(&touching)).distance, 0, 0));
        const tact_obb apart = cube(2.0f * s * (1.0f + 0x1p-22f), 0.5f * s, 0, s);
        assert_false(tact_convex_overlap(tact_convex_obb(&a), tact_convex_obb(&apart), NULL));
        c = tact_convex_distance(tact_convex_obb(&a), tact_convex_obb(&apart), NULL);
        assert_true(near(c.distance, (double)apart.center.x - 2.0 * (double)s, 1e-12 * (double)s));
        assert_true(c.normal.x == 1.0f);
    }
}

TEST(round_shapes_about_one_centre_have_a_depth)
{
    const tact_sphere s = {{1, 2, 3}, 2.0f}, inner = {{1, 2, 3}, 0.5f};
    tact_convex_contact c = tact_convex_penetration(tact_convex_sphere(&s), tact_convex_sphere(&inner));
    assert_true(c.distance == -2.5f && near(c.normal.x * c.normal.x, 1, 1e-6));
    const tact_ellipsoid round = {{1, 2, 3}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {2, 2, 2}};
    c = tact_convex_penetration(tact_convex_ellipsoid(&round), tact_convex_sphere(&inner));
    assert_true(c.distance <= -2.4999f && c.distance >= -2.5001f);
    const tact_ellipsoid egg = {{1, 2, 3}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {2, 1, 3}};
    c = tact_convex_penetration(tact_convex_ellipsoid(&egg), tact_convex_sphere(&inner));
    assert_true(near(c.distance, -1.5, 1e-6) && near(fabsf(c.normal.y), 1, 1e-5));
    const tact_cylinder can = {{0, 0, -1}, {0, 0, 1}, 3.0f};
    const tact_vec3 p = {0.5f, 0, 0.25f};
    c = tact_convex_penetration(tact_convex_cylinder(&can), tact_convex_point(&p));
    assert_true(near(c.distance, -0.75, 1e-6) && c.normal.z == 1.0f);
    const tact_vec3 q = {2.9f, 0, 0};
    c = tact_convex_penetration(tact_convex_cylinder(&can), tact_convex_point(&q));
    assert_true(near(c.distance, (double)q.x - 3.0, 1e-6) && near(c.normal.x, 1, 1e-6));
    const tact_cone hat = {{0, 0, 4}, {0, 0, -1}, 4.0f, 3.0f};
    const tact_vec3 side = {3, 0, 4};
    c = tact_convex_distance(tact_convex_cone(&hat), tact_convex_point(&side), NULL);
    assert_true(near(c.distance, 12.0 / 5.0, 1e-6));  // from (3, 4) to the slant 4 x + 3 y = 12
}

TEST(flat_shapes_have_no_depth_but_their_radii)
{
    const tact_triangle t = {{0, 0, 1}, {4, 0, 1}, {0, 4, 1}}, u = {{1, 1, 1}, {5, 1, 1}, {1, 5, 1}};
    tact_convex_contact c = tact_convex_penetration(tact_convex_triangle(&t), tact_convex_triangle(&u));
    assert_true(c.distance == 0.0f && fabsf(c.normal.z) == 1.0f);
    const tact_capsule a = {{0, 0, 0}, {4, 0, 0}, 0.5f}, b = {{2, 0, 0}, {6, 0, 0}, 0.25f};
    c = tact_convex_penetration(tact_convex_capsule(&a), tact_convex_capsule(&b));
    assert_true(c.distance == -0.75f && c.normal.x == 0.0f);
    const tact_capsule across = {{2, -1, 0}, {2, 1, 0}, 0.25f};
    c = tact_convex_penetration(tact_convex_capsule(&a), tact_convex_capsule(&across));
    assert_true(c.distance == -0.75f && fabsf(c.normal.z) == 1.0f);
    const tact_vec3 p = {1, 1, 1};
    assert_true(tact_convex_overlap(tact_convex_triangle(&t), tact_convex_point(&p), NULL));
    assert_true(tact_convex_overlap(tact_convex_point(&p), tact_convex_point(&p), NULL));
    c = tact_convex_penetration(tact_convex_point(&p), tact_convex_point(&p));
    assert_true(c.distance == 0.0f && c.normal.x == 1.0f);
}

static float* numbers(any_shape* s, size_t* count)
{
    static const size_t sizes[] = {3, 4, 6, 7, 9, 6, 15, 10, 7, 8, 15, 12};
    *count = sizes[s->convex.kind];
    return s->convex.kind == TACT_CONVEX_HULL ? &s->corner[0].x : (float*)(void*)&s->as;
}

TEST(invalid_numbers_anywhere_mean_no)
{
    test_random r = test_random_seeded(5);
    const tact_vec3 at = {0, 0, 0};
    for (int kind = 0; kind < 12; ++kind) {
        any_shape a, b;
        random_shape(&r, &a, (tact_convex_kind)kind, at, 1.0f);
        random_shape(&r, &b, TACT_CONVEX_AABB, at, 1.0f);
        size_t count;
        float* f = numbers(&a, &count);
        for (size_t i = 0; i < count; ++i) {
            const float values[] = {NAN, INFINITY, -INFINITY};
            for (int v = 0; v < 3; ++v) {
                const float kept = f[i];
                f[i] = values[v];
                assert_false(tact_convex_overlap(a.convex, b.convex, NULL));
                assert_false(tact_convex_overlap(b.convex, a.convex, NULL));
                assert_true(tact_convex_distance(a.convex, b.convex, NULL).distance == INFINITY);
                assert_true(tact_convex_penetration(b.convex, a.convex).distance == INFINITY);
                assert_true(isnan(tact_convex_support(a.convex, (tact_vec3){1, 0, 0}).x));
                assert_false(tact_convex_cast(a.convex, (tact_vec3){1, 0, 0}, b.convex).hit);
                f[i] = kept;
            }
        }
    }
    const tact_sphere s = {{0, 0, 0}, 1}, negative = {{0, 0, 0}, -1};
    assert_false(tact_convex_overlap(tact_convex_sphere(&s), tact_convex_sphere(&negative), NULL));
    assert_false(tact_convex_cast(tact_convex_sphere(&s), (tact_vec3){NAN, 0, 0}, tact_convex_sphere(&s)).hit);
    assert_true(isnan(tact_convex_support(tact_convex_sphere(&s), (tact_vec3){0, NAN, 0}).y));
    assert_true(isnan(tact_convex_support(tact_convex_sphere(&s), (tact_vec3){0, 0, 0}).y));
    const tact_aabb empty = {{1, 0, 0}, {0, 1, 1}};
    assert_false(tact_convex_overlap(tact_convex_sphere(&s), tact_convex_aabb(&empty), NULL));
    const tact_cylinder none = {{0, 0, 0}, {0, 0, 0}, 1};
    assert_false(tact_convex_overlap(tact_convex_sphere(&s), tact_convex_cylinder(&none), NULL));
    const tact_hull nothing = {0};
    assert_false(tact_convex_overlap(tact_convex_sphere(&s), tact_convex_hull(&nothing), NULL));
    assert_false(tact_convex_overlap(tact_convex_sphere(&s), tact_convex_custom(&s, NULL), NULL));
}

/// Any bits: nothing may crash or loop for ever, under the sanitizers too.
TEST(arbitrary_bits_give_defined_results)
{
    test_random r = test_random_seeded(13);
    for (int i = 0; i < 60000; ++i) {
        any_shape s[2];
        for (int k = 0; k < 2; ++k) {
            random_shape(&r, &s[k], (tact_convex_kind)test_random_below(&r, 12), (tact_vec3){0, 0, 0}, 1.0f);
            size_t count;
            float* f = numbers(&s[k], &count);
            for (size_t j = 0; j < count; ++j)
                f[j] = test_random_any(&r);
        }
        const tact_convex_contact c = tact_convex_penetration(s[0].convex, s[1].convex);
        assert_false(isnan(c.distance));
        (void)tact_convex_cast(s[0].convex, random_vec3(&r, 1e30f), s[1].convex);
    }
}

typedef struct tally {
    size_t apart, deep, open;
    double worst;
} tally;

static void check_certificate(const pair_of_shapes* p, test_random* r, tally* t, int i)
{
    const tact_convex_contact c = tact_convex_penetration(p->a.convex, p->b.convex);
    const double d = (double)c.distance;
    const xyz a = of_vec3(c.a), b = of_vec3(c.b), n = of_vec3(c.normal);
    // What rounding to floats costs, in coordinates and in the normal.
    const double coordinates = norm(p->base) + 8.0 * p->size + fabs(d);
    const double slack = 3e-7 * coordinates;
    const double fine = 2e-6 * 8.0 * p->size;  // by the normal's last bits
    const int ka = (int)p->a.convex.kind, kb = (int)p->b.convex.kind;
    if (!(fabs(norm(n) - 1.0) < 1e-6)) fail_msg("case %d (%d, %d): normal %g", i, ka, kb, norm(n));
    const double off = norm(minus(minus(b, a), times(d, n)));
    if (!(off <= (c.converged ? slack : 0.02 * p->size)))
        fail_msg("case %d (%d, %d): b - a is off by %g, distance %g", i, ka, kb, off, d);
    // The plane across the normal proves that they are no nearer, or that this shift suffices.
    const double gap = gap_along(p, n);
    if (!(fabs(gap - d) <= fine)) fail_msg("case %d (%d, %d): distance %.9g, gap %.9g", i, ka, kb, d, gap);
    t->apart += d > 0.0;
    t->deep += d < 0.0;
    t->open += !c.converged;
    for (int k = 0; k < 8; ++k) {
        xyz u = random_unit(r);
        if (k % 2 == 0) {
            const double step = k % 4 == 0 ? 0.1 : 0.001;
            u = minus(n, times(-step, u));
            u = times(1.0 / norm(u), u);
        }
        // The points belong to the shapes, and no other direction does better.
        for (double sign = -1.0; sign <= 1.0; sign += 2.0) {
            const xyz w = times(sign, u);
            if (dot(w, minus(a, p->base)) > reach(&p->a, w, p->base) + slack)
                fail_msg("case %d (%d, %d): a", i, ka, kb);
            if (dot(w, minus(b, p->base)) > reach(&p->b, w, p->base) + slack)
                fail_msg("case %d (%d, %d): b", i, ka, kb);
        }
        const double other = gap_along(p, u);
        if (other > d + (c.converged ? fine : 0.02 * p->size))
            fail_msg("case %d (%d, %d): %.9g is not the best, %.9g is", i, ka, kb, d, other);
    }
    const bool overlap = tact_convex_overlap(p->a.convex, p->b.convex, NULL);
    if (fabs(d) > 1e-12 * p->size && overlap != (d <= 0.0)) fail_msg("case %d (%d, %d): overlap, %g", i, ka, kb, d);
}

TEST(answers_prove_themselves_for_all_pairs_of_kinds)
{
    test_random r = test_random_seeded(21);
    tally t = {0};
    for (int i = 0; i < 144 * 7200; ++i) {
        pair_of_shapes p;
        random_pair(&r, &p, (tact_convex_kind)(i % 12), (tact_convex_kind)(i / 12 % 12));
        if (!pair_valid(&p.a) || !pair_valid(&p.b)) continue;
        check_certificate(&p, &r, &t, i);
    }
    print_message("apart %zu, deep %zu, not converged %zu\n", t.apart, t.deep, t.open);
    assert_true(t.apart + t.deep > 1000000 && t.deep > 200000 && t.open < 1000);
}

/// A cube with `n` by `n` squares on each face: most corners are surrounded by points of one plane.
typedef struct grid_cube {
    tact_vec3 point[1000];
    uint32_t face_point[2400], face_start[601], neighbour_start[1001], neighbour[2400];
    tact_hull hull;
} grid_cube;

static uint32_t grid_point(grid_cube* g, int x, int y, int z, int n)
{
    const float s = 2.0f / (float)n;
    const tact_vec3 p = {s * (float)x - 1.0f, s * (float)y - 1.0f, s * (float)z - 1.0f};
    for (uint32_t i = 0; i < g->hull.point_count; ++i)
        if (g->point[i].x == p.x && g->point[i].y == p.y && g->point[i].z == p.z) return i;
    g->point[g->hull.point_count] = p;
    return g->hull.point_count++;
}

static void make_grid_cube(grid_cube* g, int n)
{
    g->hull = (tact_hull){.points = g->point, .face_start = g->face_start, .face_points = g->face_point};
    g->face_start[0] = 0;
    for (int side = 0; side < 6; ++side) {
        for (int square = 0; square < n * n; ++square) {
            const int u = square % n, v = square / n, w = side % 2 == 0 ? 0 : n;
            for (int k = 0; k < 4; ++k) {
                const int turn = side % 2 == 0 ? 3 - k : k;  // counter-clockwise from outside
                const int c[3] = {u + (turn == 1 || turn == 2), v + (turn >= 2), w};
                const int axis = side / 2;
                g->face_point[4 * g->hull.face_count + (uint32_t)k] =
                    grid_point(g, c[(5 - axis) % 3], c[(6 - axis) % 3], c[(7 - axis) % 3], n);
            }
            ++g->hull.face_count;
            g->face_start[g->hull.face_count] = 4 * g->hull.face_count;
        }
    }
}

TEST(climbing_finds_what_looking_at_all_points_finds)
{
    static grid_cube g;
    test_random r = test_random_seeded(17);
    for (int n = 1; n <= 9; n += 4) {
        make_grid_cube(&g, n);
        assert_int_equal(g.hull.point_count, 6 * n * n + 2);
        assert_int_equal(tact_hull_link(&g.hull, g.neighbour_start, g.neighbour), TACT_OK);
        tact_hull linked = g.hull;
        linked.neighbour_start = g.neighbour_start;
        linked.neighbours = g.neighbour;
        for (int i = 0; i < 30000; ++i) {
            // Straight up, nearly so by a float's last place, and anything.
            tact_vec3 d = random_vec3(&r, i % 3 == 0 ? 1.0f : i % 3 == 1 ? 1e-7f : 0.0f);
            const float sign = i % 2 == 0 ? 1.0f : -1.0f;
            *(i % 4 == 0 ? &d.x : i % 4 == 1 ? &d.y : &d.z) += sign;
            const xyz u = of_vec3(d), zero = {0, 0, 0};
            const double top = dot(u, of_vec3(tact_convex_support(tact_convex_hull(&linked), d)));
            assert_true(top >= corners_reach(g.point, g.hull.point_count, u, zero) * (1.0 - 1e-15));
        }
        const tact_vec3 p = {3.0f, 0.25f, -0.125f}, q = {0.5f, 0.25f, -0.125f};
        const tact_convex_contact c = tact_convex_distance(tact_convex_hull(&linked), tact_convex_point(&p), NULL);
        assert_true(c.distance == 2.0f && c.normal.x == 1.0f && c.a.x == 1.0f);
        assert_true(tact_convex_penetration(tact_convex_hull(&linked), tact_convex_point(&q)).distance == -0.5f);
    }
    // The printed climb stays in the middle of the bottom, where all neighbours are level.
    make_grid_cube(&g, 2);
    assert_int_equal(tact_hull_link(&g.hull, g.neighbour_start, g.neighbour), TACT_OK);
    g.hull.neighbour_start = g.neighbour_start;
    g.hull.neighbours = g.neighbour;
    uint32_t middle = grid_point(&g, 1, 1, 0, 2);
    const tact_vec3 first = g.point[0];
    for (uint32_t i = 0; i < g.neighbour_start[g.hull.point_count]; ++i)
        g.neighbour[i] = g.neighbour[i] == 0 ? middle : g.neighbour[i] == middle ? 0 : g.neighbour[i];
    for (uint32_t i = 0; i < 24 * 4; ++i)
        g.face_point[i] = g.face_point[i] == 0 ? middle : g.face_point[i] == middle ? 0 : g.face_point[i];
    g.point[0] = g.point[middle];
    g.point[middle] = first;
    assert_int_equal(tact_hull_link(&g.hull, g.neighbour_start, g.neighbour), TACT_OK);
    assert_true(tact_convex_support(tact_convex_hull(&g.hull), (tact_vec3){0, 0, 1}).z == 1.0f);
}

/// Clouds, and points that lie nearly in a plane across the direction, by a float's last places.
TEST(the_farthest_of_many_points_is_found)
{
    static tact_vec3 point[300];
    test_random r = test_random_seeded(19);
    const xyz zero = {0, 0, 0};
    for (int i = 0; i < 20000; ++i) {
        const uint32_t count = 1 + test_random_below(&r, i % 4 == 0 ? 300 : 70);
        const float size = i % 5 == 0 ? 1e-30f : i % 5 == 1 ? 1e30f : 1.0f, thin = i % 3 == 0 ? 1.0f : 3e-7f;
        tact_vec3 d = random_vec3(&r, i % 2 == 0 ? 1.0f : 1e-7f);
        d.y += 1.0f;
        for (uint32_t k = 0; k < count; ++k) {
            const tact_vec3 p = random_vec3(&r, size);
            point[k] = (tact_vec3){p.x, thin * p.y + (i % 2 == 0 ? 0.0f : size), p.z};
            if (i % 2 == 0 && thin < 1.0f) point[k].y -= (d.x * p.x + d.z * p.z) / d.y;
        }
        const tact_hull hull = {.points = point, .point_count = count};
        const xyz u = of_vec3(d), at = of_vec3(tact_convex_support(tact_convex_hull(&hull), d));
        const double top = corners_reach(point, count, u, zero);
        if (!(dot(u, at) >= top - 1e-15 * (double)size)) fail_msg("case %d: %.17g, not %.17g", i, dot(u, at), top);
    }
    for (uint32_t k = 0; k < 100; ++k)
        point[k] = (tact_vec3){(float)(k % 3), (float)k, k == 77 ? NAN : 0.0f};
    const tact_hull hull = {.points = point, .point_count = 77}, bad = {.points = point, .point_count = 78};
    assert_true(same_vec(tact_convex_support(tact_convex_hull(&hull), v3(1, 0, 0)), point[2]));  // the first
    assert_true(isnan(tact_convex_support(tact_convex_hull(&bad), v3(1, 0, 0)).x));
    // What follows the points in memory is none of them.
    for (uint32_t k = 70; k < 300; ++k)
        point[k] = v3(0, 1000, 0);
    const tact_hull some = {.points = point, .point_count = 70};
    for (int i = 0; i < 70; ++i) {
        const tact_sphere ball = {{0, 100.0f + (float)i, 0}, 1};
        assert_false(tact_convex_overlap(tact_convex_hull(&some), tact_convex_sphere(&ball), NULL));
    }
}

TEST(hulls_that_are_not_closed_are_refused)
{
    static grid_cube g;
    make_grid_cube(&g, 2);
    tact_hull h = g.hull;
    h.face_count = 23;
    assert_int_equal(tact_hull_link(&h, g.neighbour_start, g.neighbour), TACT_ERROR_INVALID_ARGUMENT);
    h = g.hull;
    h.face_points = NULL;
    assert_int_equal(tact_hull_link(&h, g.neighbour_start, g.neighbour), TACT_ERROR_INVALID_ARGUMENT);
    h = g.hull;
    h.face_count = 0;
    assert_int_equal(tact_hull_link(&h, g.neighbour_start, g.neighbour), TACT_ERROR_INVALID_ARGUMENT);
    h = g.hull;
    h.point_count = 25;
    assert_int_equal(tact_hull_link(&h, g.neighbour_start, g.neighbour), TACT_ERROR_INVALID_ARGUMENT);
    h.point_count = 27;
    assert_int_equal(tact_hull_link(&h, g.neighbour_start, g.neighbour), TACT_ERROR_INVALID_ARGUMENT);
    g.face_start[3] = g.face_start[2] + 2;
    assert_int_equal(tact_hull_link(&g.hull, g.neighbour_start, g.neighbour), TACT_ERROR_INVALID_ARGUMENT);
    g.face_start[3] = g.face_start[2] + 4;
    g.face_start[0] = 1;
    assert_int_equal(tact_hull_link(&g.hull, g.neighbour_start, g.neighbour), TACT_ERROR_INVALID_ARGUMENT);
    g.face_start[0] = 0;
    g.face_point[1] = g.face_point[0];
    assert_int_equal(tact_hull_link(&g.hull, g.neighbour_start, g.neighbour), TACT_ERROR_INVALID_ARGUMENT);
}

/// Subnormal numbers have fewer bits.
static bool same_scaled(float a, float b, float by)
{
    return a * by == b || (fabsf(a * by) < FLT_MIN && fabsf(b) < FLT_MIN);
}

static void same_vec3(tact_vec3 a, tact_vec3 b, float by, int i)
{
    if (!same_scaled(a.x, b.x, by) || !same_scaled(a.y, b.y, by) || !same_scaled(a.z, b.z, by))
        fail_msg("case %d: other points", i);
}

TEST(scaling_by_powers_of_two_scales_the_answers_and_nothing_else)
{
    test_random r = test_random_seeded(23);
    for (int i = 0; i < 144 * 300; ++i) {
        pair_of_shapes p;
        random_pair(&r, &p, (tact_convex_kind)(i % 12), (tact_convex_kind)(i / 12 % 12));
        if (!pair_valid(&p.a) || !pair_valid(&p.b)) continue;
        const tact_convex_contact c = tact_convex_penetration(p.a.convex, p.b.convex);
        const tact_convex_contact back = tact_convex_penetration(p.b.convex, p.a.convex);
        const bool overlap = tact_convex_overlap(p.a.convex, p.b.convex, NULL);
        const tact_convex_hit h = tact_convex_cast(p.a.convex, (tact_vec3){(float)p.size, 0, 0}, p.b.convex);
        const double slack = (c.converged && back.converged ? 4e-7 : 0.02) * p.size;
        if (!near(back.distance, (double)c.distance, slack))
            fail_msg("case %d: %.9g, swapped %.9g, size %g", i, (double)c.distance, (double)back.distance, p.size);
        const float by = i % 2 == 0 ? 0x1p-20f : 0x1p20f;
        change_shape(&p.a, by, false);
        change_shape(&p.b, by, false);
        const tact_convex_contact d = tact_convex_penetration(p.a.convex, p.b.convex);
        if (d.distance != by * c.distance && fabsf(d.distance) > 1e-30f) fail_msg("case %d: other distance", i);
        if (fabsf(c.distance) < 1e-12f * (float)p.size) continue;
        same_vec3(c.a, d.a, by, i);
        same_vec3(c.b, d.b, by, i);
        same_vec3(c.normal, d.normal, 1.0f, i);
        if (overlap != tact_convex_overlap(p.a.convex, p.b.convex, NULL)) fail_msg("case %d: overlap", i);
        const tact_convex_hit g = tact_convex_cast(p.a.convex, (tact_vec3){by * (float)p.size, 0, 0}, p.b.convex);
        if (g.hit != h.hit || g.t != h.t) fail_msg("case %d: other cast", i);
        change_shape(&p.a, 1.0f, true);
        change_shape(&p.b, 1.0f, true);
        const tact_convex_contact e = tact_convex_penetration(p.a.convex, p.b.convex);
        const double more = (c.converged && e.converged ? 4e-7 : 0.02) * p.size;
        if (!near(e.distance / by, (double)c.distance, more)) fail_msg("case %d: turned, %g", i, (double)e.distance);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
