// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Shadows and widths of polyhedra by closed forms and by many directions, convexity of polygons by all sides, and
// weights of corners in whole numbers.

#include "tests/support/run.h"

#include "tact/geometry/barycentric.h"
#include "tact/geometry/containment.h"
#include "tact/geometry/convex_mesh.h"
#include "tact/geometry/hull.h"
#include "tact/geometry/polytope.h"
#include "tact/geometry/predicates.h"
#include "tests/geometry/points.h"
#include "tests/support/effort.h"

static const double pi = 3.14159265358979323846;

typedef struct solid {
    tact_convex_mesh mesh;
    tact_hull hull;
    tact_polytope polytope;
} solid;

static void free_solid(void* s)
{
    tact_convex_mesh_free(&((solid*)s)->mesh);
}

/// The hull of some points as a polytope.
static const tact_polytope* polytope_of(const tact_vec3* points, size_t count)
{
    solid* s = scratch_zeroed(1, sizeof *s);
    const tact_vec3 origin = {0, 0, 0};
    assert_int_equal(tact_minkowski_sum(points, count, &origin, 1, NULL, &s->mesh), TACT_OK);
    at_end(free_solid, s);
    s->hull = tact_convex_mesh_hull(&s->mesh);
    tact_hull_side* sides = scratch(s->mesh.face_count * sizeof *sides);
    tact_hull_edge* edges = scratch(s->mesh.face_start[s->mesh.face_count] / 2 * sizeof *edges);
    assert_int_equal(tact_polytope_make(&s->hull, sides, edges, &s->polytope), TACT_OK);
    return &s->polytope;
}

static bool close_to(double a, double b, double part)
{
    return fabs(a - b) <= part * fabs(b);
}

TEST(boxes_and_tetrahedra_have_closed_forms)
{
    tact_vec3 box[8];
    for (int i = 0; i < 8; ++i)
        box[i] = v3(i & 1 ? 5.0f : 2.0f, i & 2 ? 3.0f : 1.0f, i & 4 ? 5.0f : 0.0f);
    const tact_polytope* p = polytope_of(box, 8);
    assert_true(close_to(tact_polytope_mean_width(p), 0.5 * (3 + 2 + 5), 1e-14));
    assert_true(close_to(tact_polytope_mean_shadow(p), 0.5 * (6 + 10 + 15), 1e-14));
    assert_true(close_to(tact_polytope_shadow(p, v3(7, 0, 0)), 10.0, 1e-14));
    assert_true(close_to(tact_polytope_shadow(p, v3(0, 0, -1e-20f)), 6.0, 1e-14));
    assert_true(close_to(tact_polytope_shadow(p, v3(1, 1, 1)), (6 + 10 + 15) / sqrt(3.0), 1e-14));
    const tact_vec3 corner[4] = {v3(1, 1, 1), v3(1, -1, -1), v3(-1, 1, -1), v3(-1, -1, 1)};
    const double edge = sqrt(8.0);
    p = polytope_of(corner, 4);
    assert_true(close_to(tact_polytope_mean_width(p), 6 * edge * acos(-1.0 / 3.0) / (4 * pi), 1e-14));
    assert_true(close_to(tact_polytope_mean_shadow(p), sqrt(3.0) * edge * edge / 4, 1e-14));
    const tact_polytope none = {.hull = NULL};
    assert_true(isnan(tact_polytope_mean_width(&none)) && isnan(tact_polytope_mean_shadow(&none)));
    assert_true(isnan(tact_polytope_shadow(&none, v3(1, 0, 0))) && isnan(tact_polytope_shadow(p, v3(0, 0, 0))));
    assert_true(isnan(tact_polytope_shadow(p, v3(0, NAN, 1))));
}

/// Directions spread evenly over the sphere.
static tact_vec3 spiral(int i, int count)
{
    const double z = 1.0 - (2.0 * i + 1.0) / count, turn = 2.399963229728653 * i, s = sqrt(1.0 - z * z);
    return v3((float)(s * cos(turn)), (float)(s * sin(turn)), (float)z);
}

TEST(means_are_those_of_many_directions)
{
    test_random r = test_random_seeded(841);
    enum { WAYS = 4000 };
    for (size_t trial = 0; trial < effort(20, 200); ++trial) {
        tact_vec3 points[20];
        for (int i = 0; i < 20; ++i)
            points[i] = point(&r, trial % 2 ? 1 : 3);
        const tact_polytope* p = polytope_of(points, 20);
        double shadow = 0.0, width = 0.0;
        for (int k = 0; k < WAYS; ++k) {
            const tact_vec3 d = spiral(k, WAYS);
            double low = HUGE_VAL, high = -HUGE_VAL;
            for (int i = 0; i < 20; ++i) {
                const tact_vec3 q = points[i];
                const double h = (double)q.x * (double)d.x + (double)q.y * (double)d.y + (double)q.z * (double)d.z;
                low = fmin(low, h);
                high = fmax(high, h);
            }
            width += (high - low) / WAYS;
            shadow += tact_polytope_shadow(p, d) / WAYS;
        }
        assert_true(close_to(tact_polytope_mean_width(p), width, 2e-3));
        assert_true(close_to(tact_polytope_mean_shadow(p), shadow, 2e-3));
        // The shadow along z is the hull of what is seen.
        tact_vec2 flat[20];
        for (int i = 0; i < 20; ++i) {
            flat[i] = v2(points[i].x, points[i].y);
        }
        tact_hull_mesh hull;
        assert_int_equal(tact_hull_mesh_2d(flat, 20, NULL, &hull), TACT_OK);
        double area = 0.0;
        for (size_t t = 0; t < hull.triangle_count; ++t) {
            const uint32_t* i = &hull.triangles[3 * t];
            area += tact_signed_area(flat[i[0]], flat[i[1]], flat[i[2]]);
        }
        tact_hull_mesh_free(&hull);
        assert_true(close_to(tact_polytope_shadow(p, v3(0, 0, 3)), area, 1e-9));
    }
}

// ---- Convex polygons ----

/// Every edge has all vertices on one side, the same for all, and the vertices follow each other around the middle
/// once.
static bool convex_by_all(const tact_vec2* p, uint32_t count)
{
    int side = 0;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < count; ++k) {
            const int s = tact_orient2d(p[i], p[(i + 1) % count], p[k]);
            if (s != 0 && side != 0 && s != side) return false;
            if (s != 0) side = s;
        }
    }
    if (side == 0) return false;
    // Nothing goes back: the outline is as long as the hull's, which has no way twice.
    tact_hull_mesh hull;
    assert_int_equal(tact_hull_mesh_2d(p, count, NULL, &hull), TACT_OK);
    double around = 0.0, least = 0.0;
    for (uint32_t i = 0; i < count; ++i) {
        const tact_vec2 a = p[i], b = p[(i + 1) % count];
        around += hypot((double)b.x - (double)a.x, (double)b.y - (double)a.y);
    }
    for (size_t i = 0; i < hull.vertex_count; ++i) {
        const tact_vec2 a = p[hull.vertices[i]], b = p[hull.vertices[(i + 1) % hull.vertex_count]];
        least += hypot((double)b.x - (double)a.x, (double)b.y - (double)a.y);
    }
    tact_hull_mesh_free(&hull);
    return around < least * (1.0 + 1e-9);
}

TEST(polygons_are_convex_by_all_sides)
{
    test_random r = test_random_seeded(842);
    size_t found[2] = {0, 0};
    for (size_t trial = 0; trial < effort(100000, 1000000); ++trial) {
        tact_vec2 p[6];
        const uint32_t count = 1 + test_random_below(&r, 6);
        const int size = 1 + (int)(trial % 3);
        for (uint32_t i = 0; i < count; ++i) {
            p[i].x = (float)((int)test_random_below(&r, (uint32_t)(2 * size + 1)) - size);
            p[i].y = (float)((int)test_random_below(&r, (uint32_t)(2 * size + 1)) - size);
        }
        const bool expected = convex_by_all(p, count);
        if (tact_polygon_is_convex_2d(p, count) != expected) {
            fail_msg("%u: (%g %g) (%g %g) (%g %g) (%g %g)", count, (double)p[0].x, (double)p[0].y, (double)p[1].x,
                     (double)p[1].y, (double)p[2].x, (double)p[2].y, (double)p[3].x, (double)p[3].y);
        }
        ++found[expected];
    }
    assert_true(found[0] > 120 && found[1] > 120);
}

TEST(stars_and_bad_polygons_are_not_convex)
{
    tact_vec2 star[5], ring[5];
    for (int i = 0; i < 5; ++i) {
        const float a = 0.4f * 3.14159265f * (float)i;
        ring[i] = v2(cosf(a), sinf(a));
        star[i] = v2(cosf(2 * a), sinf(2 * a));
    }
    assert_true(tact_polygon_is_convex_2d(ring, 5));
    assert_false(tact_polygon_is_convex_2d(star, 5));
    ring[3].y = NAN;
    assert_false(tact_polygon_is_convex_2d(ring, 5));
    assert_false(tact_polygon_is_convex_2d(ring, 0));
    // One unit in the last place.
    tact_vec2 square[5] = {v2(0, 0), v2(1, 0), v2(1, 1), v2(0.5f, 1), v2(0, 1)};
    assert_true(tact_polygon_is_convex_2d(square, 5));
    square[3].y = nextafterf(1, 0);
    assert_false(tact_polygon_is_convex_2d(square, 5));
}

// ---- Weights ----

TEST(weights_give_the_point)
{
    test_random r = test_random_seeded(843);
    for (size_t trial = 0; trial < effort(20000, 200000); ++trial) {
        const uint32_t kind = (uint32_t)(trial % 5);
        tact_vec3 c[4];
        for (int i = 0; i < 4; ++i)
            c[i] = point(&r, kind);
        const tact_vec3 p = point(&r, kind);
        float w[4];
        const double size = size_of(c, 4) + size_of(&p, 1);
        if (tact_barycentric_tetrahedron(c, p, w)) {
            const double thin = fabs(tact_orient3d_value(c[0], c[1], c[2], c[3])) / (size * size * size);
            for (int k = 0; k < 3 && thin > 1e-3; ++k) {
                double sum = 0.0, all = 0.0;
                for (int i = 0; i < 4; ++i) {
                    sum += (double)w[i] * (double)(&c[i].x)[k];
                    all += (double)w[i];
                }
                assert_true(fabs(sum - (double)(&p.x)[k]) <= 1e-3 * size && fabs(all - 1.0) <= 1e-3);
            }
            const int turn = tact_orient3d(c[0], c[1], c[2], c[3]);
            assert_true((w[3] > 0) - (w[3] < 0) == turn * tact_orient3d(c[0], c[1], c[2], p));
        } else {
            assert_int_equal(tact_orient3d(c[0], c[1], c[2], c[3]), 0);
            assert_true(isnan(w[0]) && isnan(w[3]));
        }
        const tact_vec2 a = v2(c[0].x, c[0].y), b = v2(c[1].x, c[1].y), d = v2(c[2].x, c[2].y), q = v2(p.x, p.y);
        if (tact_barycentric_2d(a, b, d, q, w)) {
            assert_true((w[2] > 0) - (w[2] < 0) == tact_orient2d(a, b, d) * tact_orient2d(a, b, q));
            assert_true((w[0] > 0) - (w[0] < 0) == tact_orient2d(a, b, d) * tact_orient2d(q, b, d));
        } else {
            assert_int_equal(tact_orient2d(a, b, d), 0);
        }
    }
}

TEST(weights_of_a_triangle_are_of_the_foot)
{
    test_random r = test_random_seeded(844);
    size_t tried = 0;
    for (size_t trial = 0; trial < effort(20000, 200000); ++trial) {
        tact_triangle t = {point(&r, 1), point(&r, 1), point(&r, 1)};
        const float u = test_random_signed(&r), v = test_random_signed(&r);
        const double x[3] = {(double)t.b.x - (double)t.a.x, (double)t.b.y - (double)t.a.y,
                             (double)t.b.z - (double)t.a.z};
        const double y[3] = {(double)t.c.x - (double)t.a.x, (double)t.c.y - (double)t.a.y,
                             (double)t.c.z - (double)t.a.z};
        const double n[3] = {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
        const double nn = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        const double xx = x[0] * x[0] + x[1] * x[1] + x[2] * x[2], yy = y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
        if (!(nn > 1e-2 * xx * yy) || xx > 100 * yy || yy > 100 * xx) continue;
        const double h = sqrt(xx) / sqrt(nn) * (double)test_random_signed(&r);
        tact_vec3 p;
        for (int k = 0; k < 3; ++k)
            (&p.x)[k] = (float)((double)(&t.a.x)[k] + (double)u * x[k] + (double)v * y[k] + h * n[k]);
        float w[3];
        assert_true(tact_barycentric_triangle(&t, p, w));
        const double slack = 1e-4 * (1.0 + size_of(&t.a, 3) / sqrt(fmin(xx, yy)));
        assert_true(fabs((double)w[1] - (double)u) < slack && fabs((double)w[2] - (double)v) < slack);
        assert_true(fabs((double)w[0] + (double)w[1] + (double)w[2] - 1.0) < 1e-5);
        ++tried;
    }
    assert_true(tried > 60);
    float w[3];
    const tact_triangle line = {v3(0, 0, 0), v3(1, 1, 1), v3(3, 3, 3)};
    assert_false(tact_barycentric_triangle(&line, v3(0, 0, 0), w));
    assert_true(isnan(w[1]));
    const tact_triangle good = {v3(0, 0, 0), v3(1, 0, 0), v3(0, 1, 0)};
    assert_false(tact_barycentric_triangle(&good, v3(0, NAN, 0), w));
    assert_false(tact_barycentric_2d(v2(0, 0), v2(1, 0), v2(0, 1), v2(INFINITY, 0), w));
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
