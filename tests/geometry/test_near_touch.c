// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Shapes so long that whatever is near them is near by their size: only exact signs decide whether they touch. And
// what has one number that makes it nothing, number by number.

#include "tests/support/run.h"

#include "tact/geometry/bounding_sphere.h"
#include "tact/geometry/closest_point.h"
#include "tact/geometry/distance.h"
#include "tact/geometry/kdop.h"
#include "tact/geometry/obb.h"
#include "tests/geometry/points.h"

/// Its size makes any distance here a small one.
static const float LONG = 1e20f;

/// The axes moved on by `by`.
static tact_vec3 turned(float x, float y, float z, int by)
{
    const float p[3] = {x, y, z};
    return v3(p[(3 - by) % 3], p[(4 - by) % 3], p[(5 - by) % 3]);
}

/// Against a long box over the unit square: segments beside it in each view, both ways round, and one that touches.
TEST(long_boxes_and_segments)
{
    static const struct {
        float ax, ay, bx, by;
        bool touches;
    } rows[] = {
        {2, 0, 3, 1, false},
        {-3, 0, -2, 1, false},
        {0, 2, 1, 3, false},
        {0, -3, 1, -2, false},
        {2.5f, 0, 0, 2.5f, false},
        {0, 2.5f, 2.5f, 0, false},
        {-1.5f, 0.5f, 0.5f, -1.5f, false},
        {0.5f, -1.5f, -1.5f, 0.5f, false},
        {-1.5f, 0.5f, 0.5f, 2.5f, false},
        {0.5f, 2.5f, -1.5f, 0.5f, false},
        {0.5f, -1.5f, 2.5f, 0.5f, false},
        {2.5f, 0.5f, 0.5f, -1.5f, false},
        {2, 0, 0, 2, true},
        {0, 2, 2, 0, true},
        {-1, 0, 0, -1, false},
        {-0.5f, 0.5f, 0.5f, -0.5f, true},
        {-1, 0.5f, 2, 0.5f, true},
        {0.5f, -1, 0.5f, 2, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        for (int by = 0; by < 3; ++by) {
            const tact_aabb box = {turned(0, 0, -LONG, by), turned(1, 1, LONG, by)};
            const tact_segment s = {turned(rows[i].ax, rows[i].ay, 0, by), turned(rows[i].bx, rows[i].by, 0, by)};
            const tact_closest_pair c = tact_closest_segment_aabb(s, &box);
            if ((c.distance == 0.0f) != rows[i].touches) {
                fail_msg("row %zu, axes moved by %d: %g apart", i, by, (double)c.distance);
            }
        }
    }
    // Beyond each face in turn.
    for (int axis = 0; axis < 3; ++axis) {
        for (int side = 0; side < 2; ++side) {
            const tact_aabb box = {v3(0, 0, 0), v3(1, 1, 1)};
            tact_segment s = {v3(-LONG, 0.5f, 0.5f), v3(LONG, 0.5f, 0.5f)};
            s.a = turned(side ? 2.0f : -1.0f, -LONG, 0.5f, axis);
            s.b = turned(side ? 2.0f : -1.0f, LONG, 0.5f, axis);
            const tact_closest_pair c = tact_closest_segment_aabb(s, &box);
            assert_true(c.distance == 1.0f);
            s.a = turned(0.5f, -LONG, side ? 2.0f : -1.0f, axis);
            s.b = turned(0.5f, LONG, side ? 2.0f : -1.0f, axis);
            assert_true(tact_closest_segment_aabb(s, &box).distance == 1.0f);
            // Away from the face: in no view is the box beside its line.
            s.a = turned(0.5f, 0.5f, side ? 2.0f : -1.0f, axis);
            s.b = turned(0.5f, 0.5f, side ? LONG : -LONG, axis);
            assert_true(tact_closest_segment_aabb(s, &box).distance == 1.0f);
        }
    }
}

/// In one plane, beside each other: in the view that the plane is not on edge in.
TEST(long_segments)
{
    for (int by = 0; by < 3; ++by) {
        const tact_segment a = {turned(-LONG, 0, 0, by), turned(LONG, 0, 0, by)};
        const tact_segment b = {turned(-LONG, 1, 0, by), turned(LONG, 1, 0, by)};
        const tact_segment up = {turned(3, 1, 0, by), turned(3, 5, 0, by)}, through = {turned(3, -1, 0, by), up.b};
        const tact_segment over = {turned(3, -1, 1, by), turned(3, 5, 1, by)};
        assert_true(tact_closest_segment_segment(a, b).distance > 0.0f);
        assert_true(tact_closest_segment_segment(a, up).distance > 0.0f);
        assert_true(tact_closest_segment_segment(up, a).distance > 0.0f);
        assert_true(tact_closest_segment_segment(a, through).distance == 0.0f);
        assert_true(tact_closest_segment_segment(a, over).distance > 0.0f);
    }
}

/// Two lines of which one is a point, or both are along one axis.
TEST(lines_that_are_points)
{
    const tact_vec3 p = v3(1, 2, 3);
    const tact_segment point = {p, p}, line = {v3(0, 0, 0), v3(0, 0, 4)};
    const float from[3] = {5, 6, 7};
    for (int axis = -1; axis < 3; ++axis) {
        tact_segment b = {v3(from[0], from[1], from[2]), v3(from[0], from[1], from[2])};
        if (axis >= 0) (&b.b.x)[axis] += 2.0f;
        // The distance of the point from the line, whichever comes first.
        double expected = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double d = k == axis ? 0.0 : (double)from[k] - (double)(&p.x)[k];
            expected += d * d;
        }
        const tact_closest_pair c = tact_closest_line_line(point, b), d = tact_closest_line_line(b, point);
        assert_true(fabs((double)c.squared - expected) < 1e-5 * expected && c.squared == d.squared);
    }
    const tact_segment beside = {v3(3, 4, 0), v3(3, 4, 9)};
    assert_true(tact_closest_line_line(line, beside).distance == 5.0f);
}

TEST(boxes_the_wrong_way_round_are_none)
{
    const tact_aabb good = {v3(0, 0, 0), v3(1, 1, 1)};
    const tact_obb turned_box = tact_obb_from_aabb(good);
    const tact_segment s = {v3(3, 3, 3), v3(4, 4, 4)};
    assert_true(tact_obb_overlaps_aabb(&turned_box, good) && turned_box.half.x >= 0.5f);
    assert_true(tact_closest_on_obb(v3(2, 0, 0), &turned_box).distance == 1.0f);
    for (int axis = 0; axis < 3; ++axis) {
        tact_aabb bad = good;
        (&bad.lower.x)[axis] = 2.0f;
        assert_true(isinf(tact_closest_aabb_aabb(&bad, &good).distance));
        assert_true(isinf(tact_closest_aabb_aabb(&good, &bad).distance));
        assert_true(isinf(tact_closest_segment_aabb(s, &bad).distance));
        assert_true(isinf(tact_closest_on_aabb(v3(0, 0, 0), &bad).distance));
        assert_false(tact_obb_overlaps_aabb(&turned_box, bad));
        assert_true(tact_obb_from_aabb(bad).half.x < 0.0f);
        assert_true(tact_sphere_from_aabb(bad).radius < 0.0f);
        for (int end = 0; end < 2; ++end) {
            tact_aabb far = good;
            (end ? &far.upper.x : &far.lower.x)[axis] = end ? INFINITY : -INFINITY;
            assert_true(isinf(tact_closest_aabb_aabb(&far, &good).distance));
            assert_false(tact_obb_overlaps_aabb(&turned_box, far));
        }
        tact_obb thin = turned_box;
        (&thin.half.x)[axis] = -1.0f;
        assert_true(isinf(tact_closest_on_obb(v3(2, 0, 0), &thin).distance));
        thin = turned_box;
        (&thin.axis[axis].x)[axis] = NAN;
        assert_true(isinf(tact_closest_on_obb(v3(2, 0, 0), &thin).distance));
        thin = turned_box;
        (&thin.center.x)[axis] = INFINITY;
        assert_true(isinf(tact_closest_on_obb(v3(2, 0, 0), &thin).distance));
    }
}

/// Slabs of other directions cannot be compared.
TEST(slabs_have_one_direction)
{
    const tact_slab good = {.normal = v3(0.6f, 0.8f, 0), .lower = -1, .upper = 1};
    assert_true(tact_slabs_overlap(&good, &good, 1));
    const tact_vec3 others[3] = {v3(-0.6f, 0.8f, 0), v3(0.6f, -0.8f, 0), v3(0.6f, 0.8f, 1e-9f)};
    for (int i = 0; i < 3; ++i) {
        tact_slab other = good;
        other.normal = others[i];
        assert_false(tact_slabs_overlap(&good, &other, 1));
    }
    tact_slab beyond = good;
    beyond.lower = 2;
    beyond.upper = 3;
    assert_false(tact_slabs_overlap(&good, &beyond, 1));
    assert_false(tact_slabs_overlap(&beyond, &good, 1));
    assert_false(tact_slabs_overlap(&good, &good, 0));
}

/// Around a centre, only what is finite throughout.
TEST(spheres_around_what_is_finite)
{
    tact_vec3 points[3] = {v3(0, 0, 0), v3(3, 0, 0), v3(0, 4, 0)};
    assert_true(tact_sphere_around(v3(0, 0, 0), points, 3, 0).radius >= 4.0f);
    assert_true(tact_sphere_around(v3(0, NAN, 0), points, 3, 0).radius < 0.0f);
    points[2].z = INFINITY;
    assert_true(tact_sphere_around(v3(0, 0, 0), points, 3, 0).radius < 0.0f);
    assert_true(tact_sphere_around(v3(0, 0, 0), points, 2, 0).radius >= 3.0f);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
