// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays, shapes and moving shapes against trees of solids: by trying all triangles, in whole numbers on random cubes,
// and by many moments of a motion.

#include "tests/support/run.h"

#include "tact/geometry/overlap.h"
#include "tests/geometry/solid_cubes.h"
#include "tests/geometry/solids.h"
#include "tests/support/effort.h"

static tact_vec3 random_point(test_random* r, float size)
{
    return (tact_vec3){size * test_random_signed(r), size * test_random_signed(r), size * test_random_signed(r)};
}

static tact_vec3 along(tact_vec3 a, double t, tact_vec3 d)
{
    return (tact_vec3){(float)((double)a.x + t * (double)d.x), (float)((double)a.y + t * (double)d.y),
                       (float)((double)a.z + t * (double)d.z)};
}

static bool outside(const solid* s, tact_vec3 p)
{
    return tact_mesh_locate(s->positions, s->indices, (uint32_t)s->triangles, p, NULL) == TACT_POINT_OUTSIDE;
}

// ---- Rays in whole numbers ----

/// Whether the closed solid of a set of cubes holds a point in sixths of a cube.
static bool cubes_hold(const cubes* m, const int* sixths)
{
    for (int i = 0; i < SIDE * SIDE * SIDE; ++i) {
        const int at[3] = {i % 3, i / 3 % 3, i / 9};
        bool in = cubes_full(m, at[0], at[1], at[2]);
        for (int k = 0; k < 3; ++k)
            in = in && sixths[k] >= 6 * at[k] && sixths[k] <= 6 * at[k] + 6;
        if (in) return true;
    }
    return false;
}

/// Rays of whole coordinates along axes and diagonals, through corners, edges and in planes of faces: all parts, by
/// steps of a sixth, as no step of these directions passes a plane but at a third of a step.
TEST(rays_on_a_grid_are_exact)
{
    test_random r = test_random_seeded(311);
    size_t parts = 0, touches = 0, in_plane = 0;
    for (size_t i = 0; i < effort(400, 5000); ++i) {
        cubes* m = scratch(sizeof *m);
        cubes_build(m, &r, 1.0f);
        if (m->count == 0) continue;
        const solid s = {m->vertices, m->indices, 64, m->count};
        const tact_bsp* tree = solid_tree(&s, NULL);
        for (int k = 0; k < 60; ++k) {
            int o[3], d[3], half = 1 + (int)test_random_below(&r, 2);
            for (int j = 0; j < 3; ++j) {
                o[j] = (int)test_random_below(&r, (uint32_t)(5 * half)) - half;
                d[j] = (int)test_random_below(&r, 3) - 1;
            }
            if (d[0] == 0 && d[1] == 0 && d[2] == 0) continue;
            const float h = (float)half;
            const tact_ray ray = {(float)o[0] / h, (float)o[1] / h, (float)o[2] / h, 0.0f,
                                  (float)d[0],     (float)d[1],     (float)d[2],     7.0f};
            tact_bsp_interval found[16], expected[16];
            size_t count = 0;
            bool was = false;
            for (int t = 0; t <= 7 * 6; ++t) {
                const int at[3] = {6 * o[0] / half + t * d[0], 6 * o[1] / half + t * d[1], 6 * o[2] / half + t * d[2]};
                const bool in = cubes_hold(m, at);
                // Between two steps too: from a corner of one cube to the next the way may be outside.
                if (in && !was) expected[count++].in = (float)t;
                if (in) expected[count - 1].out = (float)t;
                was = in;
            }
            const size_t many = tact_bsp_intervals(tree, &ray, found, 16);
            assert_int_equal(many, count);
            for (size_t j = 0; j < count; ++j) {
                assert_true(fabsf(6.0f * found[j].in - expected[j].in) < 1e-4f);
                assert_true(fabsf(6.0f * found[j].out - expected[j].out) < 1e-4f);
                touches += expected[j].in == expected[j].out;
                assert_true((found[j].node_in == TACT_BSP_NONE) == (found[j].in == 0.0f && j == 0) ||
                            found[j].in == 0.0f);
            }
            const tact_bsp_ray_hit hit = tact_bsp_ray(tree, &ray);
            assert_true(hit.hit == (count > 0));
            if (hit.hit) assert_true(hit.t == found[0].in && hit.node == found[0].node_in);
            parts += count;
            in_plane += half == 1;
        }
    }
    assert_true(parts > effort(1000, 10000) && touches > effort(100, 1000) && in_plane > effort(1000, 10000));
}

/// The nearest triangle by trying all, in double precision.
static double first_triangle(const solid* s, const tact_ray* ray, double* second)
{
    double least = HUGE_VAL;
    *second = HUGE_VAL;
    for (size_t i = 0; i < s->triangles; ++i) {
        double p[3][3];
        const double o[3] = {(double)ray->ox, (double)ray->oy, (double)ray->oz};
        const double d[3] = {(double)ray->dx, (double)ray->dy, (double)ray->dz};
        for (int k = 0; k < 3; ++k) {
            const tact_vec3 v = s->positions[s->indices[3 * i + (size_t)k]];
            p[k][0] = (double)v.x - o[0], p[k][1] = (double)v.y - o[1], p[k][2] = (double)v.z - o[2];
        }
        double w[3], sum = 0.0, t = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double *a = p[(k + 1) % 3], *b = p[(k + 2) % 3];
            w[k] = d[0] * (a[1] * b[2] - a[2] * b[1]) + d[1] * (a[2] * b[0] - a[0] * b[2]) +
                   d[2] * (a[0] * b[1] - a[1] * b[0]);
            sum += w[k];
        }
        if (!((w[0] > 0 && w[1] > 0 && w[2] > 0) || (w[0] < 0 && w[1] < 0 && w[2] < 0))) continue;
        for (int k = 0; k < 3; ++k)
            t += w[k] / sum * (d[0] * p[k][0] + d[1] * p[k][1] + d[2] * p[k][2]);
        t /= d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (t < (double)ray->tmin || t > (double)ray->tmax) continue;
        if (t < least)
            *second = least, least = t;
        else if (t < *second)
            *second = t;
    }
    return least;
}

TEST(rays_are_those_of_trying_all)
{
    test_random r = test_random_seeded(312);
    size_t hits = 0, inside = 0;
    for (uint32_t k = 0; k < 6; ++k) {
        const solid s = k == 5 ? solid_torus(20, 10, 1.0f, 0.5f)
                               : solid_ball(&r, 150 + 150 * k, 0.25f, random_point(&r, 0.1f), 1.0f);
        const tact_bsp* tree = solid_tree(&s, NULL);
        for (size_t i = 0; i < effort(3000, 50000); ++i) {
            const tact_vec3 o = random_point(&r, 1.5f), d = random_point(&r, 1.0f);
            const float tmin = i % 3 ? 0.0f : test_random_unit(&r),
                        tmax = i % 2 ? INFINITY : tmin + test_random_unit(&r);
            const tact_ray ray = {o.x, o.y, o.z, tmin, d.x, d.y, d.z, tmax};
            const tact_bsp_ray_hit hit = tact_bsp_ray(tree, &ray);
            const bool in = !outside(&s, along(o, (double)tmin, d));
            double second;
            const double first = first_triangle(&s, &ray, &second);
            inside += in;
            if (in) {
                assert_true(hit.hit && hit.t == tmin && hit.node == TACT_BSP_NONE && hit.triangle == TACT_BSP_NONE);
            } else {
                assert_true(hit.hit == (first < HUGE_VAL));
                if (!hit.hit) continue;
                ++hits;
                assert_true(fabs((double)hit.t - first) <= 1e-5 * fabs(first) + 1e-6);
                assert_true(hit.triangle < s.triangles && hit.node < tree->node_count);
            }
            // Each part's middle is inside, and the middle between two is not.
            tact_bsp_interval part[8];
            const size_t count = tact_bsp_intervals(tree, &ray, part, 8);
            assert_true(count > 0 && part[0].in == hit.t);
            for (size_t j = 0; j < count && j < 8; ++j) {
                assert_true(part[j].in <= part[j].out && (j == 0 || part[j - 1].out <= part[j].in));
                if (isfinite(part[j].out) && part[j].out - part[j].in > 1e-3f) {
                    assert_false(outside(&s, along(o, 0.5 * ((double)part[j].in + (double)part[j].out), d)));
                }
                if (j > 0 && part[j].in - part[j - 1].out > 1e-3f) {
                    assert_true(outside(&s, along(o, 0.5 * ((double)part[j].in + (double)part[j - 1].out), d)));
                }
            }
            assert_int_equal(tact_bsp_intervals(tree, &ray, NULL, 0), count);
        }
    }
    assert_true(hits > effort(1000, 10000) && inside > effort(1000, 10000));
}

TEST(rays_that_are_none_miss)
{
    const solid s = solid_box((tact_vec3){-1, -1, -1}, (tact_vec3){1, 1, 1});
    const tact_bsp* tree = solid_tree(&s, NULL);
    const tact_ray good = {-3, 0.25f, 0.5f, 0, 1, 0, 0, INFINITY};
    tact_ray bad[6] = {good, good, good, good, good, good};
    bad[0].ox = NAN;
    bad[1].dy = INFINITY;
    bad[2].dx = 0.0f;
    bad[3].tmax = -1.0f;
    bad[4].tmin = NAN;
    bad[5].tmin = INFINITY;
    tact_bsp_ray_hit hits[6];
    tact_bsp_rays(tree, bad, 6, hits);
    for (int i = 0; i < 6; ++i) {
        assert_true(!hits[i].hit && isinf(hits[i].t) && hits[i].triangle == TACT_BSP_NONE);
        assert_int_equal(tact_bsp_intervals(tree, &bad[i], NULL, 0), 0);
    }
    const tact_bsp none = {0};
    assert_false(tact_bsp_ray(&none, &good).hit);
    const tact_bsp_ray_hit hit = tact_bsp_ray(tree, &good);
    assert_true(hit.hit && hit.t == 2.0f && hit.triangle < 12);
    // A whole line, backwards too.
    const tact_ray line = {5, 0.25f, 0.5f, -INFINITY, 1, 0, 0, INFINITY};
    tact_bsp_interval part;
    assert_int_equal(tact_bsp_intervals(tree, &line, &part, 1), 1);
    assert_true(part.in == -6.0f && part.out == -4.0f);
    // Ends that are on the surface, and short of it by the least that a float can be.
    tact_ray end = good;
    end.tmax = 2.0f;
    assert_true(tact_bsp_ray(tree, &end).hit);
    end.tmax = nextafterf(2.0f, 0.0f);
    assert_false(tact_bsp_ray(tree, &end).hit);
    end = (tact_ray){-3, 0.25f, 0.5f, 4, 1, 0, 0, 9};
    assert_true(tact_bsp_ray(tree, &end).hit);
    end.tmin = nextafterf(4.0f, 9.0f);
    assert_false(tact_bsp_ray(tree, &end).hit);
}

// ---- Shapes ----

typedef union any_shape {
    tact_sphere sphere;
    tact_obb obb;
    tact_capsule capsule;
    tact_vec3 point;
} any_shape;

static tact_convex random_shape(test_random* r, any_shape* shape, float place, float size)
{
    const tact_vec3 at = random_point(r, place);
    switch (test_random_below(r, 4)) {
        case 0:
            shape->sphere = (tact_sphere){at, size * test_random_unit(r)};
            return tact_convex_sphere(&shape->sphere);
        case 1:
            shape->obb = (tact_obb){
                .center = at,
                .half = {size * test_random_unit(r), size * test_random_unit(r), size * test_random_unit(r)}};
            test_random_rotation(r, &shape->obb.axis[0].x);
            return tact_convex_obb(&shape->obb);
        case 2:
            shape->capsule =
                (tact_capsule){at, along(at, (double)size, random_point(r, 1.0f)), size * test_random_unit(r)};
            return tact_convex_capsule(&shape->capsule);
        default:
            shape->point = at;
            return tact_convex_point(&shape->point);
    }
}

/// By all triangles and one point of the shape.
static bool overlaps(const solid* s, tact_convex shape)
{
    if (!outside(s, tact_convex_support(shape, (tact_vec3){0, 0, 1}))) return true;
    for (size_t i = 0; i < s->triangles; ++i) {
        const uint32_t* t = s->indices + 3 * i;
        const tact_triangle triangle = {s->positions[t[0]], s->positions[t[1]], s->positions[t[2]]};
        if (tact_convex_overlap(shape, tact_convex_triangle(&triangle), NULL)) return true;
    }
    return false;
}

static tact_convex moved(tact_convex shape, any_shape* to, double t, tact_vec3 motion)
{
    if (shape.kind == TACT_CONVEX_SPHERE) {
        *to = (any_shape){.sphere = *(const tact_sphere*)shape.shape};
        to->sphere.center = along(to->sphere.center, t, motion);
        return tact_convex_sphere(&to->sphere);
    }
    if (shape.kind == TACT_CONVEX_OBB) {
        *to = (any_shape){.obb = *(const tact_obb*)shape.shape};
        to->obb.center = along(to->obb.center, t, motion);
        return tact_convex_obb(&to->obb);
    }
    if (shape.kind == TACT_CONVEX_CAPSULE) {
        *to = (any_shape){.capsule = *(const tact_capsule*)shape.shape};
        to->capsule.a = along(to->capsule.a, t, motion);
        to->capsule.b = along(to->capsule.b, t, motion);
        return tact_convex_capsule(&to->capsule);
    }
    *to = (any_shape){.point = along(*(const tact_vec3*)shape.shape, t, motion)};
    return tact_convex_point(&to->point);
}

TEST(shapes_overlap_as_all_triangles_say)
{
    test_random r = test_random_seeded(313);
    size_t yes = 0, no = 0;
    for (uint32_t k = 0; k < 4; ++k) {
        const solid s =
            k == 3 ? solid_torus(20, 10, 1.0f, 0.3f) : solid_ball(&r, 200, 0.3f, (tact_vec3){0, 0, 0}, 1.0f);
        const tact_bsp* tree = solid_tree(&s, NULL);
        for (size_t i = 0; i < effort(1500, 30000); ++i) {
            any_shape memory;
            const tact_convex shape = random_shape(&r, &memory, 1.6f, 0.4f);
            const bool found = tact_bsp_overlaps_convex(tree, shape);
            assert_int_equal(found, overlaps(&s, shape));
            ++*(found ? &yes : &no);
        }
        const tact_sphere none = {{0, 0, 0}, -1.0f};
        assert_false(tact_bsp_overlaps_convex(tree, tact_convex_sphere(&none)));
    }
    assert_true(yes > effort(500, 5000) && no > effort(500, 5000));
}

/// The time is that of the first of all triangles; nothing is touched before, at many moments.
TEST(moving_shapes_are_never_late)
{
    test_random r = test_random_seeded(314);
    size_t hits = 0, misses = 0, starts = 0;
    for (uint32_t k = 0; k < 4; ++k) {
        const solid s = k == 3 ? solid_torus(16, 8, 1.0f, 0.3f) : solid_ball(&r, 150, 0.3f, (tact_vec3){0, 0, 0}, 1.0f);
        const tact_bsp* tree = solid_tree(&s, NULL);
        for (size_t i = 0; i < effort(500, 10000); ++i) {
            any_shape memory, there;
            const tact_convex shape = random_shape(&r, &memory, 2.0f, 0.3f);
            const tact_vec3 motion = i % 50 ? random_point(&r, 3.0f) : (tact_vec3){0, 0, 0};
            const tact_bsp_cast_hit hit = tact_bsp_cast_convex(tree, shape, motion);
            if (overlaps(&s, shape)) {
                assert_true(hit.hit && hit.t == 0.0f);
                ++starts;
                continue;
            }
            float first = INFINITY;
            for (size_t j = 0; j < s.triangles; ++j) {
                const uint32_t* t = s.indices + 3 * j;
                const tact_triangle triangle = {s.positions[t[0]], s.positions[t[1]], s.positions[t[2]]};
                const tact_convex_hit one = tact_convex_cast(shape, motion, tact_convex_triangle(&triangle));
                if (one.hit && one.t < first) first = one.t;
            }
            assert_true(hit.hit == isfinite(first));
            for (int step = 0; step < 20; ++step) {
                const double t = (hit.hit ? (double)hit.t - 1e-5 : 1.0) * step / 20.0;
                assert_false(t > 0.0 && overlaps(&s, moved(shape, &there, t, motion)));
            }
            if (!hit.hit) {
                ++misses;
                assert_true(isinf(hit.t) && hit.triangle == TACT_BSP_NONE && isnan(hit.point.x));
                continue;
            }
            ++hits;
            assert_true(hit.t <= first && hit.t >= nextafterf(first, 0.0f) && hit.triangle < s.triangles);
            const double size =
                sqrt((double)(hit.normal.x * hit.normal.x + hit.normal.y * hit.normal.y + hit.normal.z * hit.normal.z));
            assert_true(fabs(size - 1.0) < 1e-5);
        }
        const tact_sphere ball = {{0, 0, 0}, 0.01f};
        const tact_convex small = tact_convex_sphere(&ball);
        assert_false(tact_bsp_cast_convex(tree, small, (tact_vec3){NAN, 0, 0}).hit);
        assert_true(tact_bsp_cast_convex(tree, small, (tact_vec3){9, 0, 0}).hit);
    }
    assert_true(hits > effort(100, 1000) && misses > effort(100, 1000) && starts > effort(100, 1000));
}

/// A ball far in front of a sharp edge passes it: the moved planes alone would have it touch.
TEST(corners_do_not_lie)
{
    const tact_vec3 p[4] = {{0, 0, 0}, {8, 1, -4}, {8, 1, 4}, {8, -1, 0}};
    const uint32_t t[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    solid s = {(tact_vec3*)p, (uint32_t*)t, 4, 4};
    tact_mesh_report report;
    const tact_mesh_view view = solid_view(&s);
    assert_int_equal(tact_mesh_report_make(&view, NULL, &report), TACT_OK);
    uint32_t turned[12];
    for (int i = 0; i < 12; i += 3)
        turned[i] = t[i], turned[i + 1] = t[i + 2], turned[i + 2] = t[i + 1];
    if (report.volume < 0.0) s.indices = turned;
    const tact_bsp* tree = solid_tree(&s, NULL);
    const tact_sphere ball = {{-1.5f, -5, 0}, 1.0f};
    const tact_vec3 motion = {0, 10, 0};
    assert_false(tact_bsp_cast_convex(tree, tact_convex_sphere(&ball), motion).hit);
    const tact_sphere resting = {{-1.25f, 0, 0}, 1.0f};
    assert_false(tact_bsp_overlaps_convex(tree, tact_convex_sphere(&resting)));
    const tact_sphere nearer = {{-0.5f, -5, 0}, 1.0f};
    assert_true(tact_bsp_cast_convex(tree, tact_convex_sphere(&nearer), motion).hit);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
