// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Approximate hull tests: integer tetrahedra against integer separating axes, boxes against the six-axis test.

#include "tact/geometry/hull_planes.h"

#include "tests/support/run.h"

#include "tact/geometry/obb.h"
#include "tests/support/random.h"

typedef struct ivec {
    int64_t x, y, z;
} ivec;

static ivec minus(ivec a, ivec b)
{
    return (ivec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static ivec across(ivec a, ivec b)
{
    return (ivec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static int64_t along(ivec a, ivec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

typedef struct tetrahedron {
    ivec v[4];
    tact_vec3 vertices[4];
    tact_sphere spheres[4], bound;
    tact_plane planes[4];
    tact_hull_planes hull;
    tact_hull_spheres round;
} tetrahedron;

static bool any_tetrahedron(test_random* r, tetrahedron* t, int spread)
{
    const ivec at = {(int)test_random_below(r, 2 * spread + 1) - spread,
                     (int)test_random_below(r, 2 * spread + 1) - spread, (int)test_random_below(r, 5)};
    double far_off = 0.0;
    for (int i = 0; i < 4; ++i) {
        t->v[i] =
            (ivec){at.x + test_random_below(r, 9), at.y + test_random_below(r, 9), at.z + test_random_below(r, 9)};
        t->vertices[i] = (tact_vec3){(float)t->v[i].x, (float)t->v[i].y, (float)t->v[i].z};
        t->spheres[i] = (tact_sphere){t->vertices[i], 0};
        const double x = (double)(t->v[i].x - at.x) - 4, y = (double)(t->v[i].y - at.y) - 4,
                     z = (double)(t->v[i].z - at.z) - 4;
        far_off = fmax(far_off, sqrt(x * x + y * y + z * z));
    }
    t->bound = (tact_sphere){{(float)at.x + 4, (float)at.y + 4, (float)at.z + 4}, (float)(far_off * 1.000001)};
    for (int i = 0; i < 4; ++i) {
        const ivec a = t->v[(i + 1) & 3], b = t->v[(i + 2) & 3], c = t->v[(i + 3) & 3];
        ivec n = across(minus(b, a), minus(c, a));
        const int64_t side = along(n, minus(t->v[i], a));
        if (side == 0) return false;
        if (side > 0) n = (ivec){-n.x, -n.y, -n.z};
        t->planes[i] = (tact_plane){{(float)n.x, (float)n.y, (float)n.z}, (float)along(n, a)};
    }
    t->hull = (tact_hull_planes){t->planes, 4, t->vertices, 4, test_random_bits(r) & 1 ? &t->bound : NULL};
    t->round = (tact_hull_spheres){t->planes, 4, t->spheres, 4, t->hull.bound};
    return true;
}

/// Whether the projections on n are apart.
static bool apart(const tetrahedron* a, const tetrahedron* b, ivec n)
{
    int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};
    for (int i = 0; i < 8; ++i) {
        const int64_t p = along(n, (i < 4 ? a : b)->v[i & 3]);
        if (p < low[i / 4]) low[i / 4] = p;
        if (p > high[i / 4]) high[i / 4] = p;
    }
    return high[0] < low[1] || high[1] < low[0];
}

static ivec edge(const tetrahedron* t, int i)
{
    static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    return minus(t->v[ends[i][0]], t->v[ends[i][1]]);
}

/// All of b is in front of a face of a.
static bool apart_by_faces(const tetrahedron* a, const tetrahedron* b)
{
    for (int i = 0; i < 4; ++i) {
        const ivec p = a->v[i], q = a->v[(i + 1) & 3], s = a->v[(i + 2) & 3];
        ivec n = across(minus(q, p), minus(s, p));
        if (along(n, minus(a->v[(i + 3) & 3], p)) > 0) n = (ivec){-n.x, -n.y, -n.z};
        int64_t least = INT64_MAX;
        for (int k = 0; k < 4; ++k)
            least = along(n, b->v[k]) < least ? along(n, b->v[k]) : least;
        if (least > along(n, p)) return true;
    }
    return false;
}

/// All spheres of b, of integer radii, are in front of a face of a: squares compared in integers.
static bool spheres_apart(const tetrahedron* a, const tetrahedron* b)
{
    for (int i = 0; i < 4; ++i) {
        const ivec n = {(int64_t)a->planes[i].normal.x, (int64_t)a->planes[i].normal.y, (int64_t)a->planes[i].normal.z};
        bool front = true;
        for (int k = 0; k < 4 && front; ++k) {
            const int64_t gap = along(n, b->v[k]) - (int64_t)a->planes[i].distance;
            const int64_t radius = (int64_t)b->spheres[k].radius;
            front = gap > 0 && gap * gap > radius * radius * along(n, n);
        }
        if (front) return true;
    }
    return false;
}

static bool apart_by_edges(const tetrahedron* a, const tetrahedron* b)
{
    for (int i = 0; i < 36; ++i) {
        if (apart(a, b, across(edge(a, i / 6), edge(b, i % 6)))) return true;
    }
    return false;
}

TEST(tetrahedra_agree_with_integer_axes)
{
    test_random r = test_random_seeded(1);
    int wrong = 0, apart_count = 0;
    const int count = 1000000;
    for (int i = 0; i < count;) {
        tetrahedron a, b;
        if (!any_tetrahedron(&r, &a, 0) || !any_tetrahedron(&r, &b, 5)) continue;
        ++i;
        const bool by_faces = apart_by_faces(&a, &b) || apart_by_faces(&b, &a);
        const bool found = tact_hull_planes_overlap(&a.hull, &b.hull);
        if (found == by_faces) fail_msg("case %d: %d", i, found);
        assert_true(tact_hull_planes_overlap(&b.hull, &a.hull) == found);
        for (int k = 0; k < 4; ++k)
            b.spheres[k].radius = (float)test_random_below(&r, 3);
        a.round.bound = b.round.bound = NULL;  // it does not contain the spheres
        const bool touched = !spheres_apart(&a, &b) && !spheres_apart(&b, &a);
        if (tact_hull_spheres_overlap(&a.round, &b.round) != touched)
            fail_msg("case %d: not %d by spheres", i, touched);
        const bool truly_apart = by_faces || apart_by_edges(&a, &b);
        apart_count += truly_apart;
        wrong += truly_apart && found;
    }
    print_message("%d apart, %d of them reported to overlap\n", apart_count, wrong);
    assert_true(apart_count > count / 4 && apart_count < count - count / 8);
    assert_true(wrong > count / 200 && wrong < count / 10);
}

/// A box with integer perpendicular axes, and its planes: all numbers are exact.
typedef struct exact_box {
    tact_obb obb;
    tact_plane planes[6];
    tact_vec3 vertices[8];
    tact_hull_planes hull;
} exact_box;

static void any_box(test_random* r, exact_box* b)
{
    static const tact_vec3 frames[4][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                           {{3, 4, 0}, {-4, 3, 0}, {0, 0, 5}},
                                           {{1, 2, 2}, {2, 1, -2}, {2, -2, 1}},
                                           {{2, 3, 6}, {3, -6, 2}, {6, 2, -3}}};
    const tact_vec3* f = frames[test_random_below(r, 4)];
    b->obb.center =
        (tact_vec3){(float)test_random_below(r, 8), (float)test_random_below(r, 8), (float)test_random_below(r, 8)};
    const float half[3] = {(float)test_random_below(r, 4) / 2, (float)test_random_below(r, 4) / 4,
                           (float)test_random_below(r, 4) / 4};
    for (int i = 0; i < 3; ++i) {
        const tact_vec3 n = f[i], c = b->obb.center;
        b->obb.axis[i] = n;
        const float at = n.x * c.x + n.y * c.y + n.z * c.z, reach = half[i] * (n.x * n.x + n.y * n.y + n.z * n.z);
        b->planes[i] = (tact_plane){n, at + reach};
        b->planes[i + 3] = (tact_plane){{-n.x, -n.y, -n.z}, reach - at};
    }
    b->obb.half = (tact_vec3){half[0], half[1], half[2]};
    tact_obb_corners(&b->obb, b->vertices);
    b->hull = (tact_hull_planes){b->planes, 6, b->vertices, 8, NULL};
}

TEST(boxes_agree_with_their_six_axes)
{
    test_random r = test_random_seeded(2);
    int hits = 0;
    for (int i = 0; i < 1000000; ++i) {
        exact_box a, b;
        any_box(&r, &a);
        any_box(&r, &b);
        const bool expected = tact_obb_overlaps_obb_faces(&a.obb, &b.obb);
        if (i & 1) tact_hull_planes_order(a.planes, 6);
        if (tact_hull_planes_overlap(&a.hull, &b.hull) != expected) fail_msg("case %d: not %d", i, expected);
        hits += expected;
    }
    assert_true(hits > 100000 && hits < 900000);
}

static const tact_plane cube_planes[6] = {{{1, 0, 0}, 1},  {{-1, 0, 0}, 1}, {{0, 2, 0}, 2},
                                          {{0, -1, 0}, 1}, {{0, 0, 1}, 1},  {{0, 0, -1}, 1}};

TEST(spheres_stand_for_vertices)
{
    for (int e = -40; e <= 40; e += 20) {
        const float k = ldexpf(1.0f, e);
        tact_plane planes[2][6];
        tact_sphere spheres[2][2];
        for (int i = 0; i < 6; ++i) {
            planes[0][i] = planes[1][i] = cube_planes[i];
            planes[0][i].distance *= k;
            planes[1][i].distance = planes[0][i].distance + 4 * k * cube_planes[i].normal.x;
        }
        // The second cube is at x = 4; two spheres, one reaching back to x = 1.
        spheres[0][0] = spheres[0][1] = (tact_sphere){{0, 0, 0}, 1.75f * k};
        spheres[1][0] = (tact_sphere){{4 * k, 0, 0}, 1.75f * k};
        spheres[1][1] = (tact_sphere){{3 * k, 0, 0}, 2 * k};
        tact_hull_spheres a = {planes[0], 6, spheres[0], 2, NULL}, b = {planes[1], 6, spheres[1], 2, NULL};
        assert_false(tact_hull_spheres_overlap(&a, &b));  // in front of x = 3 of the second: 1.75
        spheres[0][1] = (tact_sphere){{k, 0, 0}, 2 * k};
        assert_true(tact_hull_spheres_overlap(&a, &b));  // both planes are touched
        spheres[1][1].center.x = nextafterf(3 * k, INFINITY);
        assert_false(tact_hull_spheres_overlap(&a, &b));
        spheres[1][1].center.x = 3 * k;
        const tact_sphere bound = {{4 * k, 0, 0}, nextafterf(3 * k, 0)}, wide = {{4 * k, 0, 0}, 3 * k};
        b.bound = &bound;
        assert_false(tact_hull_spheres_overlap(&a, &b));
        b.bound = &wide;
        assert_true(tact_hull_spheres_overlap(&a, &b));
    }
}

TEST(broken_hulls_overlap_nothing)
{
    const tact_vec3 corners[8] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
    const tact_hull_planes good = {cube_planes, 6, corners, 8, NULL};
    assert_true(tact_hull_planes_overlap(&good, &good));
    const tact_sphere ball = {{0, 0, 0}, 2};
    const tact_hull_spheres round = {cube_planes, 6, &ball, 1, &ball};
    assert_true(tact_hull_spheres_overlap(&round, &round));
    const float bad[4] = {NAN, INFINITY, -INFINITY, -1.0f};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 24; ++k) {
            tact_plane planes[6];
            for (int j = 0; j < 6; ++j)
                planes[j] = cube_planes[j];
            float* at[4] = {&planes[k / 4].normal.x, &planes[k / 4].normal.y, &planes[k / 4].normal.z,
                            &planes[k / 4].distance};
            *at[k % 4] = bad[i];
            const tact_hull_planes hull = {planes, 6, corners, 8, NULL};
            assert_false(tact_hull_planes_overlap(&hull, &good) || tact_hull_planes_overlap(&good, &hull));
            const tact_hull_spheres spheres = {planes, 6, &ball, 1, NULL};
            assert_false(tact_hull_spheres_overlap(&spheres, &round) || tact_hull_spheres_overlap(&round, &spheres));
            tact_vec3 v[8];
            for (int j = 0; j < 8; ++j)
                v[j] = corners[j];
            float* of[3] = {&v[k / 3].x, &v[k / 3].y, &v[k / 3].z};
            *of[k % 3] = bad[i];
            const tact_hull_planes other = {cube_planes, 6, v, 8, NULL};
            assert_false(tact_hull_planes_overlap(&other, &good) || tact_hull_planes_overlap(&good, &other));
        }
    }
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 4; ++k) {
            tact_sphere s = ball;
            float* at[4] = {&s.center.x, &s.center.y, &s.center.z, &s.radius};
            if (i == 3 && k != 3) continue;
            *at[k] = bad[i];
            const tact_hull_spheres hull = {cube_planes, 6, &s, 1, NULL}, bounded = {cube_planes, 6, &ball, 1, &s};
            assert_false(tact_hull_spheres_overlap(&hull, &round) || tact_hull_spheres_overlap(&round, &hull));
            assert_false(tact_hull_spheres_overlap(&bounded, &round) || tact_hull_spheres_overlap(&round, &bounded));
        }
    }
    const tact_hull_planes none = {cube_planes, 6, NULL, 0, NULL};
    assert_false(tact_hull_planes_overlap(&none, &good) || tact_hull_planes_overlap(&good, &none));
    const tact_hull_planes all = {NULL, 0, corners, 8, NULL};  // no planes: nothing separates
    assert_true(tact_hull_planes_overlap(&all, &good));
}

/// Of the angles between plane k and the first `done`.
static double greatest_cosine(const tact_plane* planes, int done, int k)
{
    const tact_vec3 n = planes[k].normal;
    const double x = (double)n.x, y = (double)n.y, z = (double)n.z;
    double most = 0.0;
    for (int i = 0; i < done; ++i) {
        const tact_vec3 m = planes[i].normal;
        const double u = (double)m.x, v = (double)m.y, w = (double)m.z;
        const double squares = (x * x + y * y + z * z) * (u * u + v * v + w * w);
        most = fmax(most, fabs(x * u + y * v + z * w) / sqrt(squares));
    }
    return most;
}

TEST(ordered_planes_turn_away_from_each_other)
{
    tact_plane planes[7];
    for (int i = 0; i < 6; ++i)
        planes[i] = cube_planes[i];
    planes[6] = planes[1];
    planes[1] = (tact_plane){{0, 0, 0}, 7};
    tact_hull_planes_order(planes, 7);
    assert_true(planes[0].normal.x == 1.0f);
    assert_true(planes[1].normal.x == 0.0f && planes[2].normal.x == 0.0f);
    assert_true(planes[1].normal.y * planes[2].normal.y == 0.0f);
    assert_true(planes[6].distance == 7.0f);
    tact_hull_planes_order(planes, 0);
    tact_hull_planes_order(planes, 1);
    test_random r = test_random_seeded(3);
    tact_plane many[200];
    double sum = 0.0, after = 0.0;
    for (int i = 0; i < 200; ++i) {
        many[i] = (tact_plane){{test_random_signed(&r), test_random_signed(&r), test_random_signed(&r)}, (float)i};
        sum += i;
    }
    tact_hull_planes_order(many, 200);
    for (int i = 0; i < 200; ++i)
        after += (double)many[i].distance;
    assert_true(after == sum && many[0].distance == 0.0f);
    // None of those that follow would have turned away further.
    for (int i = 1; i < 200; ++i) {
        const double least = greatest_cosine(many, i, i);
        for (int k = i + 1; k < 200; ++k)
            assert_true(least <= greatest_cosine(many, i, k) + 1e-14);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
