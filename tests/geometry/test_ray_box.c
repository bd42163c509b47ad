// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rays against boxes, slabs and convex polyhedra: analytic cases, motions that change nothing, bad numbers.
// test_ray_box_exact.c has the exact oracles.

#include "tests/support/run.h"

#include "tests/geometry/ray_boxes.h"

static const tact_aabb cube = {{0, 0, 0}, {1, 1, 1}};

/// In every form that tells t.
static void assert_forms(const tact_ray* ray, const tact_aabb* b, float t, float leave, tact_vec3 n, tact_vec3 m)
{
    assert_solid(tact_ray_aabb(ray, b), t, leave, n, m);
    assert_solid(slabs_of(ray, b, 3.0f), t, leave, n, m);
    for (uint32_t turn = 0; turn < 8; ++turn) {
        const tact_obb o = as_obb(b, turn);
        assert_solid(tact_ray_obb(ray, &o), t, leave, n, m);
        assert_true(tact_ray_overlaps_obb(ray, &o) && tact_ray_overlaps_obb_slopes(ray, &o));
    }
    const planes p = as_planes(b, 0.125f);
    assert_solid(tact_ray_convex(ray, p.plane, p.count), t, leave, n, m);
    assert_true(tact_ray_overlaps_aabb(ray, b));
    assert_true(slopes_overlap(ray, b));
}

static void assert_missed(const tact_ray* ray, const tact_aabb* b)
{
    assert_false(tact_ray_aabb(ray, b).hit);
    assert_false(slabs_of(ray, b, 2.0f).hit);
    const planes p = as_planes(b, 4.0f);
    assert_false(tact_ray_convex(ray, p.plane, p.count).hit);
    for (uint32_t turn = 0; turn < 8; ++turn) {
        const tact_obb o = as_obb(b, turn);
        assert_false(tact_ray_obb(ray, &o).hit);
        assert_false(tact_ray_overlaps_obb(ray, &o) || tact_ray_overlaps_obb_slopes(ray, &o));
    }
    assert_false(tact_ray_overlaps_aabb(ray, b));
    assert_false(slopes_overlap(ray, b));
}

TEST(known_rays_enter_and_leave_where_they_should)
{
    const tact_vec3 none = {0, 0, 0};
    tact_ray r = make_ray(-2, 0.5f, 0.5f, 4, 0, 0);
    assert_forms(&r, &cube, 0.5f, 0.75f, v3(-1, 0, 0), v3(1, 0, 0));
    r = make_ray(0.25f, 3, 0.75f, -0.0f, -0.5f, 0);
    assert_forms(&r, &cube, 4, 6, v3(0, 1, 0), v3(0, -1, 0));
    r = make_ray(0.25f, 0.5f, -1, 0, 0, 1);
    assert_forms(&r, &cube, 1, 2, v3(0, 0, -1), v3(0, 0, 1));
    // From inside: tmin, and where it leaves.
    r = make_ray(0.5f, 0.5f, 0.5f, 0, 0, -1);
    assert_forms(&r, &cube, 0, 0.5f, none, v3(0, 0, -1));
    r.tmin = 0.25f;
    r.tmax = 0.375f;
    assert_forms(&r, &cube, 0.25f, 0.375f, none, none);
    // A line behind its origin, and the point that a ray without direction is.
    r = make_ray(5, 0.5f, 0.5f, 1, 0, 0);
    assert_missed(&r, &cube);
    r.tmin = -INFINITY;
    assert_forms(&r, &cube, -5, -4, v3(-1, 0, 0), v3(1, 0, 0));
    r = make_ray(0.5f, 1, 0, 0, -0.0f, 0);
    assert_forms(&r, &cube, 0, INFINITY, none, none);
    r.tmin = -INFINITY;
    assert_forms(&r, &cube, -INFINITY, INFINITY, none, none);
    r.oy = 1.5f;
    assert_missed(&r, &cube);
}

/// The listing in print, from which each test below differs, sets the far end to the larger of two: it hits always.
TEST(far_ends_are_the_smallest_of_the_three)
{
    tact_ray r = make_ray(-1, 3.5f, 0.5f, 1, -1, 0);
    assert_missed(&r, &cube);
    r = make_ray(-1, -3, -7, 1, 1, 1);
    assert_missed(&r, &cube);
    // And radii of the crossed axes take the magnitudes of the direction.
    r = make_ray(-1, 1.5f, 0.5f, 2, -1, -0.25f);
    assert_true(tact_ray_overlaps_aabb(&r, &cube) && slopes_overlap(&r, &cube) && tact_ray_aabb(&r, &cube).hit);
}

/// Rounded slopes are off by half a unit, which used to lose these edges.
TEST(lines_that_touch_an_edge_hit)
{
    tact_aabb box = {{-24, -40, -2}, {27, 35, 36}};
    tact_ray r = make_ray(-36, 8, -29, -14, -6, -6);  // at t = -4.5 in (27, 35, -2)
    r.tmin = -INFINITY;
    assert_true(slopes_overlap(&r, &box) && tact_ray_overlaps_aabb(&r, &box));
    box.lower.z = nextafterf(-2.0f, 0.0f);
    assert_false(slopes_overlap(&r, &box) || tact_ray_overlaps_aabb(&r, &box));
    // Edges at three times the direction, with every slope of small numbers.
    for (int dx = 1; dx < 100; ++dx) {
        for (int dy = 1; dy < 100; ++dy) {
            const float x = (float)dx, y = (float)dy;
            const tact_aabb below = {{3 * x, -5, -1}, {3 * x + 7, 3 * y, 1}},
                            above = {{-9, 3 * y, -1}, {3 * x, 500, 1}};
            r = make_ray(0, 0, 0.5f, x, y, 0);
            assert_true(slopes_overlap(&r, &below) && slopes_overlap(&r, &above));
        }
    }
}

TEST(segments_end_at_their_ends)
{
    tact_ray r = make_segment(v3(-3, 0.5f, 0.5f), v3(-1, 0.5f, 0.5f));
    assert_missed(&r, &cube);
    r = make_segment(v3(-3, 0.5f, 0.5f), v3(0, 0.5f, 0.5f));  // touches with its end
    assert_forms(&r, &cube, 1, 1, v3(-1, 0, 0), v3(0, 0, 0));
    r = make_segment(v3(1, 0.5f, 0.5f), v3(3, 0.5f, 0.5f));  // and with its start
    assert_forms(&r, &cube, 0, 0, v3(0, 0, 0), v3(1, 0, 0));
    r = make_segment(v3(nextafterf(1, 2), 0.5f, 0.5f), v3(3, 0.5f, 0.5f));
    assert_missed(&r, &cube);
}

/// Rays along faces and edges, from all sides, with zeros of both signs: a division 0 / 0 must decide nothing.
TEST(rays_in_faces_and_along_edges_hit)
{
    const float zeros[2] = {0.0f, -0.0f};
    const float places[3] = {0.0f, 0.5f, 1.0f};
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < 72; ++k) {
            const float sign = k & 1 ? -1.0f : 1.0f;
            float o[3], d[3];
            o[axis] = k & 1 ? 3.0f : -2.0f;
            d[axis] = sign;
            o[(axis + 1) % 3] = places[k % 3];
            o[(axis + 2) % 3] = places[k / 3 % 3];
            d[(axis + 1) % 3] = zeros[k / 9 % 2];
            d[(axis + 2) % 3] = zeros[k / 18 % 2];
            tact_ray r = make_ray(o[0], o[1], o[2], d[0], d[1], d[2]);
            float n[3] = {0, 0, 0};
            n[axis] = sign;
            assert_forms(&r, &cube, 2, 3, v3(-n[0], -n[1], -n[2]), v3(n[0], n[1], n[2]));
            // On the near face, on the far face, and just beside the box.
            float* moved = axis == 0 ? &r.ox : axis == 1 ? &r.oy : &r.oz;
            *moved = k & 1 ? 1.0f : 0.0f;
            assert_forms(&r, &cube, 0, 1, v3(-n[0], -n[1], -n[2]), v3(n[0], n[1], n[2]));
            *moved = k & 1 ? 0.0f : 1.0f;
            assert_forms(&r, &cube, 0, 0, v3(0, 0, 0), v3(n[0], n[1], n[2]));
            float* beside = axis == 1 ? &r.ox : &r.oy;
            *beside = k & 4 ? nextafterf(1.0f, 2.0f) : -1e-30f;
            if (*beside > 0.5f) assert_missed(&r, &cube);
            assert_false(tact_ray_aabb(&r, &cube).hit);
        }
    }
}

TEST(flat_boxes_are_the_sets_they_are)
{
    const tact_aabb sheet = {{0, 0, 2}, {1, 1, 2}}, point = {{1, 2, 3}, {1, 2, 3}};
    tact_ray r = make_ray(0.5f, 0.5f, 0, 0, 0, 1);
    assert_forms(&r, &sheet, 2, 2, v3(0, 0, -1), v3(0, 0, 1));
    r = make_ray(-1, 0.5f, 2, 1, 0, 0);
    assert_forms(&r, &sheet, 1, 2, v3(-1, 0, 0), v3(1, 0, 0));
    r = make_ray(0, 2, 3, 0.5f, 0, 0);
    assert_forms(&r, &point, 2, 2, v3(-1, 0, 0), v3(1, 0, 0));
    r = make_ray(0, 0, 0, 1, 2, 3);
    assert_true(tact_ray_aabb(&r, &point).hit && tact_ray_aabb(&r, &point).t == 1.0f);
    assert_true(tact_ray_overlaps_aabb(&r, &point));
    // An empty box is never hit.
    const tact_aabb empty = {{1, 0, 0}, {0, 1, 1}};
    r = make_ray(0.5f, 0.5f, -1, 0, 0, 1);
    assert_false(tact_ray_aabb(&r, &empty).hit || tact_ray_overlaps_aabb(&r, &empty) || slopes_overlap(&r, &empty));
    assert_false(slabs_of(&r, &empty, 1.0f).hit);
    tact_obb negative = as_obb(&cube, 0);
    negative.half.y = -0.5f;
    assert_false(tact_ray_obb(&r, &negative).hit || tact_ray_overlaps_obb(&r, &negative));
}

TEST(unbounded_sets_are_hit_without_end)
{
    const tact_vec3 none = {0, 0, 0}, up = {0, 0, 1};
    tact_ray r = make_ray(0, 0, 5, 0, 0, -1);
    const float low = 1.0f, high = INFINITY, no_low = -INFINITY, two = 2.0f, three = 3.0f, nan = NAN;
    assert_solid(tact_ray_slabs(&r, &up, &low, &high, 1), 0, 4, none, v3(0, 0, -1));
    assert_solid(tact_ray_slabs(&r, &up, &no_low, &two, 1), 3, INFINITY, up, none);
    assert_solid(tact_ray_slabs(&r, &up, &no_low, &high, 1), 0, INFINITY, none, none);
    assert_solid(tact_ray_slabs(&r, NULL, NULL, NULL, 0), 0, INFINITY, none, none);
    assert_solid(tact_ray_convex(&r, NULL, 0), 0, INFINITY, none, none);
    assert_false(tact_ray_slabs(&r, &up, &three, &two, 1).hit);
    assert_false(tact_ray_slabs(&r, &up, &high, &high, 1).hit || tact_ray_slabs(&r, &up, &no_low, &no_low, 1).hit);
    assert_false(tact_ray_slabs(&r, &up, &nan, &two, 1).hit || tact_ray_slabs(&r, &up, &low, &nan, 1).hit);
    // Slabs hold projections, so that moving a shape by x adds n . x to both limits.
    tact_ray moved = make_ray(10, 20, 35, 0, 0, -1);
    const float low_moved = low + 30.0f, high_moved = two + 30.0f;
    assert_solid(tact_ray_slabs(&moved, &up, &low_moved, &high_moved, 1), 3, 4, up, v3(0, 0, -1));
    // A plane whose normal is zero is everything or nothing.
    const tact_plane all = {{0, 0, 0}, 0}, nothing = {{0, 0, 0}, -1};
    assert_true(tact_ray_convex(&r, &all, 1).hit);
    assert_false(tact_ray_convex(&r, &nothing, 1).hit);
}

// ---- invariance, bad numbers ----

static bool probe_aabb(const tact_ray* ray, const float* s)
{
    tact_aabb b;
    memcpy(&b, s, sizeof b);
    const tact_ray_solid_hit h = tact_ray_aabb(ray, &b);
    assert_true(plausible_solid_hit(ray, &h));
    return h.hit;
}

/// Unbounded boxes are boxes there; the rest of what is not finite is not.
static bool probe_bounded_aabb(const tact_ray* ray, const float* s)
{
    bool bounded = true;
    for (int i = 0; i < 6; ++i)
        bounded = bounded && !isinf(s[i]);
    return probe_aabb(ray, s) && bounded;
}

PROBE(probe_axes, tact_aabb, tact_ray_overlaps_aabb(ray, &shape))
PROBE(probe_slopes, tact_aabb, slopes_overlap(ray, &shape))
PROBE(probe_obb, tact_obb, tact_ray_obb(ray, &shape).hit)
PROBE(probe_obb_axes, tact_obb, tact_ray_overlaps_obb(ray, &shape))
PROBE(probe_obb_slopes, tact_obb, tact_ray_overlaps_obb_slopes(ray, &shape))

static bool probe_convex(const tact_ray* ray, const float* s)
{
    tact_plane p[6];
    memcpy(p, s, sizeof p);
    return tact_ray_convex(ray, p, 6).hit;
}

static bool probe_slabs(const tact_ray* ray, const float* s)
{
    tact_vec3 n[3];
    memcpy(n, s, sizeof n);
    const float lower[3] = {0, 0, 0}, upper[3] = {1, 1, 1};
    return tact_ray_slabs(ray, n, lower, upper, 3).hit;
}

TEST(bad_numbers_are_not_hit)
{
    const tact_ray r = make_ray(0.5f, 0.25f, -2, 0, 0.01f, 1);
    float box[6], obb[15], faces[24], normals[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const tact_obb o = as_obb(&cube, 0);
    const planes p = as_planes(&cube, 1.0f);
    memcpy(box, &cube, sizeof box);
    memcpy(obb, &o, sizeof obb);
    memcpy(faces, p.plane, sizeof faces);
    refuses_bad_numbers(probe_bounded_aabb, r, box, 6);
    is_careful(probe_axes, r, box, 6, 300000, 2);
    is_careful(probe_slopes, r, box, 6, 300000, 3);
    is_careful(probe_obb, r, obb, 15, 100000, 4);
    is_careful(probe_obb_axes, r, obb, 15, 100000, 5);
    refuses_bad_numbers(probe_obb_slopes, r, obb, 15);
    is_careful(probe_convex, r, faces, 24, 100000, 6);
    is_careful(probe_slabs, r, normals, 9, 100000, 7);
    survives_any_bits(probe_aabb, 6, 300000, 1);
}

TEST(powers_of_two_change_no_bit)
{
    test_random r = test_random_seeded(8);
    for (int i = 0; i < 100000; ++i) {
        const tact_vec3 a = random_vec(&r, 1), b = random_vec(&r, 1), o = random_vec(&r, 2), to = random_vec(&r, 1);
        const tact_aabb box = {{fminf(a.x, b.x), fminf(a.y, b.y), fminf(a.z, b.z)},
                               {fmaxf(a.x, b.x), fmaxf(a.y, b.y), fmaxf(a.z, b.z)}};
        tact_ray ray = make_segment(o, to);
        ray.tmax = 2.0f;
        const tact_obb obb = as_obb(&box, 1);
        for (int power = -60; power <= 100; power += 20) {
            const tact_ray s = scaled_ray(ray, power);
            const tact_aabb sb = {scaled_vec(box.lower, power), scaled_vec(box.upper, power)};
            tact_obb so = obb;
            so.center = scaled_vec(obb.center, power);
            so.half = scaled_vec(obb.half, power);
            assert_true(same_hit(tact_ray_aabb(&s, &sb), tact_ray_aabb(&ray, &box)));
            assert_true(same_hit(tact_ray_obb(&s, &so), tact_ray_obb(&ray, &obb)));
            assert_true(same_hit(slabs_of(&s, &sb, 2.0f), slabs_of(&ray, &box, 2.0f)));
            assert_int_equal(tact_ray_overlaps_aabb(&s, &sb), tact_ray_overlaps_aabb(&ray, &box));
            assert_int_equal(slopes_overlap(&s, &sb), slopes_overlap(&ray, &box));
            // The length of the direction: t is in its units.
            const tact_ray longer = longer_ray(ray, power);
            const tact_ray_solid_hit h = tact_ray_obb(&longer, &obb), same = tact_ray_obb(&ray, &obb);
            assert_true(h.hit == same.hit && h.t == ldexpf(same.t, -power) && h.exit == ldexpf(same.exit, -power));
            assert_true(tact_ray_aabb(&longer, &box).t == ldexpf(tact_ray_aabb(&ray, &box).t, -power));
        }
    }
}

/// Far from the origin, on a lattice that floats resolve there, and with the axes turned.
TEST(grid_motions_change_nothing)
{
    test_random r = test_random_seeded(9);
    for (int i = 0; i < 200000; ++i) {
        const tact_ray ray = random_grid_ray(&r, 6, 6);
        const tact_aabb box = random_grid_box(&r, 6);
        const tact_vec3 by = random_grid(&r, 1 << 22);
        const tact_ray far = moved_ray(ray, by), turn = turned_ray(ray);
        const tact_aabb far_box = {{box.lower.x + by.x, box.lower.y + by.y, box.lower.z + by.z},
                                   {box.upper.x + by.x, box.upper.y + by.y, box.upper.z + by.z}};
        const tact_aabb turned_box = {turned_vec(box.lower), turned_vec(box.upper)};
        const tact_ray_solid_hit h = tact_ray_aabb(&ray, &box), t = tact_ray_aabb(&turn, &turned_box);
        assert_true(same_hit(h, tact_ray_aabb(&far, &far_box)));
        assert_true(h.hit == t.hit && h.t == t.t && h.exit == t.exit);
        assert_int_equal(tact_ray_overlaps_aabb(&far, &far_box), h.hit);
        assert_int_equal(slopes_overlap(&far, &far_box), h.hit);
        const planes p = as_planes(&far_box, 1.0f);
        const tact_obb obb = as_obb(&far_box, (uint32_t)i);
        assert_int_equal(tact_ray_convex(&far, p.plane, p.count).hit, h.hit);
        assert_int_equal(tact_ray_obb(&far, &obb).hit, h.hit);
        assert_int_equal(tact_ray_overlaps_obb(&far, &obb), h.hit);
    }
}

TEST(ends_beyond_the_range_of_float_are_no_hits)
{
    const tact_aabb box = {{1e10f, -1, -1}, {2e10f, 1, 1}};
    tact_ray r = make_ray(0, 0, 0, 1e-30f, 0, 0);
    const planes p = as_planes(&box, 1.0f);
    assert_false(tact_ray_aabb(&r, &box).hit);
    assert_false(tact_ray_convex(&r, p.plane, p.count).hit);
    r.dx = -1e-30f;
    r.tmin = -INFINITY;
    assert_false(tact_ray_aabb(&r, &box).hit);
    assert_false(tact_ray_convex(&r, p.plane, p.count).hit);
    // One that begins within it and ends beyond has an infinite exit.
    const tact_aabb large = {{1e-5f, -1, -1}, {2e10f, 1, 1}};
    const planes q = as_planes(&large, 1.0f);
    r.dx = 1e-30f;
    assert_true(tact_ray_convex(&r, q.plane, q.count).exit == INFINITY);
    assert_true(tact_ray_aabb(&r, &large).hit && tact_ray_aabb(&r, &large).exit == INFINITY);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
