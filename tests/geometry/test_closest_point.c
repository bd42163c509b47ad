// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Closest points of one shape, against hand-made cases and an oracle in 113-bit arithmetic that tries every feature.

#include "tests/support/run.h"

#include "tact/geometry/closest_point.h"
#include "tests/geometry/points.h"

static const float scales[] = {1e-6f, 1.0f, 1e6f};

static void near_to(float a, double b)
{
    assert_true(fabs((double)a - b) <= 2e-7 * fabs(b));
}

static void is_nowhere(tact_closest c)
{
    assert_true(isinf(c.distance) && c.distance > 0 && isinf(c.squared) && isnan(c.point.x) && isnan(c.point.z));
}

TEST(planes_of_any_normal)
{
    // The printed divisor n . n would give 1.25 for this normal of length 2 (with it, distance 2.5 on the other side).
    const tact_plane p = {{0, 0, 2}, 6};
    assert_true(tact_plane_signed_distance(v3(5, 5, 8), p) == 5.0f);
    assert_true(tact_plane_signed_distance(v3(5, 5, -2), p) == -5.0f);
    const tact_closest c = tact_closest_on_plane(v3(5, 6, 8), p);
    same_point(c.point, 5, 6, 3);
    assert_true(c.distance == 5.0f && c.squared == 25.0f && c.u == 5.0f);
    assert_true(tact_closest_on_plane(v3(5, 6, -2), p).u == -5.0f);
    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        const tact_plane q = {{s, s, 0}, s * s};  // x + y = s
        near_to(tact_plane_signed_distance(v3(s, s, 7), q), (double)s / sqrt(2.0));
        const tact_closest d = tact_closest_on_plane(v3(s, s, 7), q);
        assert_true(fabsf(d.point.x - 0.5f * s) <= 1e-6f * s && d.point.z == 7.0f);
    }
    const tact_plane none = {{0, 0, 0}, 1};
    assert_true(isnan(tact_plane_signed_distance(v3(0, 0, 0), none)));
    is_nowhere(tact_closest_on_plane(v3(0, 0, 0), none));
}

TEST(lines_segments_rays)
{
    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        const tact_segment ab = {v3(0, 0, 0), v3(4 * s, 0, 0)};
        tact_closest c = tact_closest_on_line(v3(8 * s, 3 * s, 0), ab);
        same_point(c.point, 8 * s, 0, 0);
        near_to(c.distance, 3.0 * (double)s);
        assert_true(c.u == -1.0f && c.v == 2.0f);
        c = tact_closest_on_segment(v3(8 * s, 3 * s, 0), ab);
        same_point(c.point, 4 * s, 0, 0);
        near_to(c.distance, 5.0 * (double)s);
        near_to(c.squared, 25.0 * (double)s * (double)s);
        assert_true(c.u == 0.0f && c.v == 1.0f);
        c = tact_closest_on_segment(v3(-s, 3 * s, 0), ab);
        assert_true(c.u == 1.0f && c.v == 0.0f && c.point.x == 0.0f);
        c = tact_closest_on_segment(v3(s, 3 * s, 0), ab);
        assert_true(c.u == 0.75f && c.v == 0.25f);
        const tact_ray r = {s, 0, 0, 0.0f, 2 * s, 0, 0, INFINITY};
        c = tact_closest_on_ray(v3(5 * s, s, 0), &r);
        same_point(c.point, 5 * s, 0, 0);
        near_to(c.v, 2.0);
        c = tact_closest_on_ray(v3(-5 * s, 8 * s, 0), &r);
        same_point(c.point, s, 0, 0);
        near_to(c.distance, 10.0 * (double)s);
        const tact_ray line = {s, 0, 0, -INFINITY, 2 * s, 0, 0, INFINITY};
        near_to(tact_closest_on_ray(v3(-5 * s, 8 * s, 0), &line).v, -3.0);
        const tact_ray piece = {s, 0, 0, -1.0f, 2 * s, 0, 0, 1.0f};
        assert_true(tact_closest_on_ray(v3(-5 * s, 8 * s, 0), &piece).v == -1.0f);
        assert_true(tact_closest_on_ray(v3(9 * s, 8 * s, 0), &piece).v == 1.0f);
    }
    // A segment that is a point: the first printed form divides 0 by 0.
    const tact_segment point = {v3(1, 2, 3), v3(1, 2, 3)};
    tact_closest c = tact_closest_on_segment(v3(1, 2, 5), point);
    assert_true(c.distance == 2.0f && c.u == 1.0f && c.v == 0.0f && c.point.z == 3.0f);
    c = tact_closest_on_line(v3(1, 2, 5), point);
    assert_true(c.distance == 2.0f && c.u == 1.0f && c.v == 0.0f);
    const tact_ray still = {1, 2, 3, 2.0f, 0, 0, 0, 5.0f};
    c = tact_closest_on_ray(v3(1, 2, 5), &still);
    assert_true(c.distance == 2.0f && c.v == 2.0f);
    const tact_ray empty = {1, 2, 3, 1.0f, 1, 0, 0, 0.0f};
    is_nowhere(tact_closest_on_ray(v3(1, 2, 5), &empty));
    const tact_ray beyond = {1, 2, 3, INFINITY, 1, 0, 0, INFINITY};
    is_nowhere(tact_closest_on_ray(v3(1, 2, 5), &beyond));
    // Never a negative square: here e e / f rounds above c . c in the printed form, in single precision.
    const tact_segment slanted = {v3(0, 0, 0), v3(0.1f, 0.7f, 0.3f)};
    for (int k = 1; k < 100; ++k) {
        const float t = 0.01f * (float)k;
        assert_true(tact_closest_on_segment(v3(0.1f * t, 0.7f * t, 0.3f * t), slanted).squared >= 0.0f);
    }
}

TEST(boxes_and_rectangles)
{
    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        const tact_aabb box = {v3(-s, -2 * s, -3 * s), v3(s, 2 * s, 3 * s)};
        const tact_obb same = {v3(0, 0, 0), {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)}, v3(s, 2 * s, 3 * s)};
        const tact_obb turned = {v3(0, 0, 0), {v3(0, 1, 0), v3(-1, 0, 0), v3(0, 0, -1)}, v3(2 * s, s, 3 * s)};
        for (int k = 0; k < 27; ++k) {  // every region
            const tact_vec3 at = v3((float)(k % 3 - 1), (float)(k / 3 % 3 - 1), (float)(k / 9 - 1));
            const tact_vec3 p = v3(3 * s * at.x, 5 * s * at.y, 7 * s * at.z);
            const double far = sqrt(fabs((double)at.x) * 4 + fabs((double)at.y) * 9 + fabs((double)at.z) * 16);
            const tact_closest c = tact_closest_on_aabb(p, &box);
            same_point(c.point, s * at.x, 2 * s * at.y, 3 * s * at.z);
            near_to(c.distance, far * (double)s);
            const tact_closest o = tact_closest_on_obb(p, &same), t = tact_closest_on_obb(p, &turned);
            same_point(o.point, s * at.x, 2 * s * at.y, 3 * s * at.z);
            same_point(t.point, s * at.x, 2 * s * at.y, 3 * s * at.z);
            near_to(o.distance, far * (double)s);
            near_to(t.distance, far * (double)s);
            assert_true(t.u == 2 * s * at.y && t.v == -s * at.x && t.w == -3 * s * at.z);
        }
        const tact_closest r = tact_closest_on_rectangle(v3(3 * s, 3 * s, s), v3(0, 0, 0), v3(s, s, 0), v3(-s, s, 0));
        same_point(r.point, s, 2 * s - s, 0);
        assert_true(r.u == 1.0f && r.v == 0.0f);
        near_to(r.distance, 3.0 * (double)s);
    }
    const tact_aabb flat = {v3(0, 0, 1), v3(1, 1, 1)}, inside_out = {v3(0, 0, 1), v3(1, 1, 0.5f)};
    assert_true(tact_closest_on_aabb(v3(0.5f, 0.5f, 3), &flat).distance == 2.0f);
    is_nowhere(tact_closest_on_aabb(v3(0.5f, 0.5f, 3), &inside_out));
    const tact_obb plate = {v3(1, 1, 1), {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)}, v3(1, 1, 0)};
    assert_true(tact_closest_on_obb(v3(0.5f, 1.5f, 3), &plate).distance == 2.0f);
    // Inside, p itself comes back, though the axes of rounded numbers would lead elsewhere.
    const tact_obb askew = {v3(0, 0, 0), {v3(0.6f, 0.8f, 0), v3(-0.8f, 0.6f, 0), v3(0, 0, 1)}, v3(1, 1, 1)};
    const tact_closest in = tact_closest_on_obb(v3(0.3f, 0.1f, 0.7f), &askew);
    assert_true(in.distance == 0.0f && in.squared == 0.0f && in.point.x == 0.3f && in.point.y == 0.1f);
    tact_obb negative = plate;
    negative.half.y = -1;
    is_nowhere(tact_closest_on_obb(v3(0.5f, 1.5f, 3), &negative));
    tact_closest r = tact_closest_on_rectangle(v3(0.25f, 0.5f, 3), v3(0, 0, 1), v3(1, 0, 0), v3(0, 2, 0));
    assert_true(r.distance == 2.0f && r.u == 0.25f && r.v == 0.25f && r.point.y == 0.5f);
    r = tact_closest_on_rectangle(v3(0.25f, 0.5f, 3), v3(0, 0, 0.5f), v3(1, 0, 0), v3(0, 0, 0));
    assert_true(r.point.x == 0.25f && r.point.y == 0.0f && r.v == 0.0f);
}

TEST(triangles)
{
    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        // An obtuse angle at a; p lies beyond the line a b, but the nearest point is on a c.
        const tact_triangle t = {v3(0, 0, 0), v3(4 * s, 0, 0), v3(-8 * s, 2 * s, 0)};
        tact_closest c = tact_closest_on_triangle(v3(-4 * s, -3 * s, 0), &t);
        const double foot = (32.0 - 6.0) / 68.0;
        same_point(c.point, (float)(-8.0 * foot) * s, (float)(2.0 * foot) * s, 0);
        near_to(c.w, foot);
        assert_true(c.v == 0.0f);
        c = tact_closest_on_triangle(v3(s, -s, 2 * s), &t);
        same_point(c.point, s, 0, 0);
        assert_true(c.v == 0.25f && c.w == 0.0f);
        // On the edge b c the printed (d4 - d3) / (d4 - d3) + (d5 - d6) gives 1 and more: a point past c.
        const tact_triangle right = {v3(0, 0, 0), v3(4 * s, 0, 0), v3(0, 4 * s, 0)};
        c = tact_closest_on_triangle(v3(5 * s, 3 * s, s), &right);
        same_point(c.point, 3 * s, s, 0);
        assert_true(c.u == 0.0f);
        near_to(c.v, 0.75);
        near_to(c.w, 0.25);
        near_to(c.distance, 3.0 * (double)s);
        c = tact_closest_on_triangle(v3(s, s, -7 * s), &right);
        same_point(c.point, s, s, 0);
        near_to(c.u, 0.5);
        near_to(c.distance, 7.0 * (double)s);
        const float corners[3][2] = {{-1, -1}, {9, -1}, {-1, 9}};
        for (int k = 0; k < 3; ++k) {
            c = tact_closest_on_triangle(v3(corners[k][0] * s, corners[k][1] * s, s), &right);
            assert_true((k == 0 ? c.u : k == 1 ? c.v : c.w) == 1.0f);
        }
    }
    const tact_triangle line = {v3(0, 0, 0), v3(3, 0, 0), v3(1, 0, 0)}, dot = {v3(1, 1, 1), v3(1, 1, 1), v3(1, 1, 1)};
    tact_closest c = tact_closest_on_triangle(v3(2, 2, 0), &line);
    assert_true(c.point.x == 2.0f && c.distance == 2.0f);
    c = tact_closest_on_triangle(v3(1, 1, 4), &dot);
    assert_true(c.point.x == 1.0f && c.distance == 3.0f && c.u + c.v + c.w == 1.0f);
}

static const tact_vec3 cube[8] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                  {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
static const uint32_t cube_faces[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                        1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};

TEST(solids)
{
    const tact_vec3 t[4] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
    tact_closest c = tact_closest_on_tetrahedron(v3(1, 1, 1), t);
    assert_true(c.distance == 0.0f && c.point.x == 1.0f);
    c = tact_closest_on_tetrahedron(v3(3, 3, 4), t);
    same_point(c.point, 1, 1, 2);
    c = tact_closest_on_tetrahedron(v3(1, 1, -3), t);
    assert_true(c.distance == 3.0f && c.point.z == 0.0f);
    c = tact_closest_on_tetrahedron(v3(4, 0, 0), t);
    assert_true(c.distance == 0.0f);
    // Flat: the printed test finds every point inside, since its volume is 0.
    const tact_vec3 flat[4] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}};
    assert_true(tact_closest_on_tetrahedron(v3(1, 3, 5), flat).distance == 5.0f);
    assert_true(tact_closest_on_tetrahedron(v3(9, 3, 0), flat).distance == 5.0f);
    assert_true(tact_closest_on_tetrahedron(v3(3, 1, 0), flat).distance == 0.0f);

    uint32_t face = 99;
    c = tact_closest_on_convex(v3(0.5f, 0.25f, 0.9f), cube, cube_faces, 12, &face);
    assert_true(c.distance == 0.0f && face == 12 && c.point.x == 0.5f);
    c = tact_closest_on_mesh(v3(0.5f, 0.25f, 0.9f), cube, cube_faces, 12, &face);
    assert_true(c.point.z == 1.0f && (face == 2 || face == 3));
    near_to(c.distance, 1.0 - (double)0.9f);
    c = tact_closest_on_convex(v3(3, 0.25f, 3), cube, cube_faces, 12, &face);
    same_point(c.point, 1, 0.25f, 1);
    near_to(c.squared, 8.0);
    assert_true(face == 2 || face == 3 || face == 6 || face == 7);
    c = tact_closest_on_convex(v3(1, 0.25f, 1), cube, cube_faces, 12, NULL);
    assert_true(c.distance == 0.0f);
    is_nowhere(tact_closest_on_mesh(v3(0, 0, 0), cube, cube_faces, 0, &face));
    assert_int_equal(face, 0);
    is_nowhere(tact_closest_on_convex(v3(0, 0, 0), cube, cube_faces, 0, NULL));
    assert_true(tact_closest_on_mesh(v3(0, 0, 0), cube, cube_faces, 12, NULL).distance == 1.0f);
    tact_vec3 broken[8];
    memcpy(broken, cube, sizeof cube);
    broken[6].x = NAN;
    is_nowhere(tact_closest_on_convex(v3(3, 3, 3), broken, cube_faces, 12, &face));
    c = tact_closest_on_mesh(v3(0, 0, 3), broken, cube_faces, 12, &face);  // passes over those at corner 6
    assert_true(isfinite(c.distance) && face < 12);

    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        const tact_sphere ball = {v3(s, 0, 0), 2 * s}, dot = {v3(s, 0, 0), 0};
        c = tact_closest_on_sphere(v3(s, 5 * s, 0), &ball);
        same_point(c.point, s, 2 * s, 0);
        near_to(c.distance, 3.0 * (double)s);
        assert_true(tact_closest_on_sphere(v3(s, 2 * s, 0), &ball).distance == 0.0f);
        assert_true(tact_closest_on_sphere(v3(s, 0, 0), &dot).distance == 0.0f);
        near_to(tact_closest_on_sphere(v3(s, 0, s), &dot).distance, (double)s);
        const tact_capsule pill = {v3(0, 0, 0), v3(4 * s, 0, 0), s};
        c = tact_closest_on_capsule(v3(s, 3 * s, 0), &pill);
        same_point(c.point, s, s, 0);
        near_to(c.distance, 2.0 * (double)s);
        assert_true(c.v == 0.25f);
        c = tact_closest_on_capsule(v3(7 * s, 4 * s, 0), &pill);
        same_point(c.point, 4.6f * s, 0.8f * s, 0);
        near_to(c.distance, 4.0 * (double)s);
        assert_true(tact_closest_on_capsule(v3(5 * s, 0, 0), &pill).distance == 0.0f);
        const tact_capsule round = {v3(0, 0, 0), v3(0, 0, 0), s};
        near_to(tact_closest_on_capsule(v3(0, 0, 3 * s), &round).distance, 2.0 * (double)s);
    }
    const tact_sphere negative = {v3(0, 0, 0), -1};
    const tact_capsule minus = {v3(0, 0, 0), v3(1, 0, 0), -1};
    is_nowhere(tact_closest_on_sphere(v3(0, 0, 3), &negative));
    is_nowhere(tact_closest_on_capsule(v3(0, 0, 3), &minus));
}

static tact_closest ask(int shape, const float* c, const tact_vec3* vertices)
{
    const tact_vec3 p = v3(c[0], c[1], c[2]), a = v3(c[3], c[4], c[5]), b = v3(c[6], c[7], c[8]);
    const tact_vec3 d = v3(c[9], c[10], c[11]);
    const tact_segment s = {a, b};
    const tact_ray ray = {a.x, a.y, a.z, c[9], b.x, b.y, b.z, c[10]};
    const tact_aabb box = {v3(a.x - 9, a.y - 9, a.z - 9), v3(b.x + 9, b.y + 9, b.z + 9)};
    const tact_obb obb = {a, {v3(1, 0, 0), v3(0, 1, 0), v3(0, b.x - b.x, 1)}, v3(b.x + 5, b.y + 5, b.z + 5)};
    const tact_triangle t = {a, b, d};
    const tact_sphere ball = {a, b.x + 5};
    const tact_capsule pill = {a, b, d.x + 5};
    switch (shape) {
        case 0:
            return tact_closest_on_plane(p, (tact_plane){a, b.x});
        case 1:
            return tact_closest_on_line(p, s);
        case 2:
            return tact_closest_on_segment(p, s);
        case 3:
            return tact_closest_on_ray(p, &ray);
        case 4:
            return tact_closest_on_aabb(p, &box);
        case 5:
            return tact_closest_on_obb(p, &obb);
        case 6:
            return tact_closest_on_rectangle(p, a, b, d);
        case 7:
            return tact_closest_on_triangle(p, &t);
        case 8:
            return tact_closest_on_tetrahedron(p, vertices);
        case 9:
            return tact_closest_on_sphere(p, &ball);
        case 10:
            return tact_closest_on_capsule(p, &pill);
        case 11:
            return tact_closest_on_mesh(p, vertices, cube_faces, 1, NULL);
        default:
            return tact_closest_on_convex(p, vertices, cube_faces, 1, NULL);
    }
}

TEST(not_numbers_are_nowhere)
{
    static const int used[] = {7, 9, 9, 10, 9, 9, 12, 12, 15, 7, 10, 12, 12};
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int shape = 0; shape < 13; ++shape) {
        for (int b = 0; b < 3; ++b) {
            for (int i = 0; i < used[shape]; ++i) {
                float c[15] = {3, 1, 2, 1, -1, 0, 0, 1, 1, -1, 1, 0, 2, 2, -3};
                tact_vec3 v[4];
                if (shape == 3 && i == 9 && bad[b] < 0) continue;  // tmin may be -infinity
                for (int pass = 0; pass < 2; ++pass) {
                    if (pass) c[i] = bad[b];
                    for (int k = 0; k < 4; ++k)
                        v[k] = v3(c[3 + 3 * k], c[4 + 3 * k], c[5 + 3 * k]);
                    if (shape == 12) v[1] = v3(c[9], c[10], c[11]), v[2] = v3(c[6], c[7], c[8]);
                    const tact_closest r = ask(shape, c, v);
                    if (pass)
                        is_nowhere(r);
                    else
                        assert_true(isfinite(r.distance) && isfinite(r.point.x));
                }
            }
        }
    }
    assert_true(isnan(tact_plane_signed_distance(v3(NAN, 0, 0), (tact_plane){{1, 0, 0}, 0})));
    assert_true(isnan(tact_plane_signed_distance(v3(0, 0, 0), (tact_plane){{1, 0, 0}, INFINITY})));
    assert_true(isnan(tact_plane_signed_distance(v3(0, 0, 0), (tact_plane){{1, NAN, 0}, 0})));
}

static void same_closest(tact_closest a, tact_closest b, float move, float scale, bool flat)
{
    const float d = a.distance * scale;
    assert_true(fabsf(b.distance - d) <= 2e-7f * d + 0x1p-46f * (move + 20.0f) * scale);
    const tact_vec3 p = moved(a.point, move, scale);
    const float most = 2e-6f * (fabsf(move) + 20.0f) * scale;
    assert_true(fabsf(b.point.x - p.x) <= most && fabsf(b.point.y - p.y) <= most && fabsf(b.point.z - p.z) <= most);
    if (flat) return;  // where more than one set of weights gives the point
    assert_true(fabsf(a.u - b.u) < 1e-6f && fabsf(a.v - b.v) < 1e-6f && fabsf(a.w - b.w) < 1e-6f);
}

TEST(motions_and_scales_change_nothing)
{
    test_random r = test_random_seeded(500);
    for (int n = 0; n < 100000; ++n) {
        tact_vec3 p[5], q[5];
        const float move = (float)test_random_below(&r, 1000),
                    scale = ldexpf(1.0f, (int)test_random_below(&r, 61) - 30);
        for (int i = 0; i < 5; ++i) {
            p[i] = v3(floorf(10.0f * test_random_signed(&r)), floorf(10.0f * test_random_signed(&r)),
                      floorf(10.0f * test_random_signed(&r)));
            q[i] = moved(p[i], move, scale);
        }
        const tact_triangle t = {p[1], p[2], p[3]}, u = {q[1], q[2], q[3]};
        const tact_vec3 e1 = v3(p[2].x - p[1].x, p[2].y - p[1].y, p[2].z - p[1].z);
        const tact_vec3 e2 = v3(p[3].x - p[1].x, p[3].y - p[1].y, p[3].z - p[1].z);
        const bool flat = e1.x * e2.y == e1.y * e2.x && e1.y * e2.z == e1.z * e2.y && e1.z * e2.x == e1.x * e2.z;
        const tact_capsule c = {p[1], p[2], 3.0f}, d = {q[1], q[2], 3.0f * scale};
        same_closest(tact_closest_on_triangle(p[0], &t), tact_closest_on_triangle(q[0], &u), move, scale, flat);
        same_closest(tact_closest_on_capsule(p[0], &c), tact_closest_on_capsule(q[0], &d), move, scale, false);
        const tact_segment s = {p[1], p[2]}, w = {q[1], q[2]};
        same_closest(tact_closest_on_segment(p[0], s), tact_closest_on_segment(q[0], w), move, scale, false);
        const float g = tact_closest_on_tetrahedron(p[0], p + 1).distance * scale;
        const float f = tact_closest_on_tetrahedron(q[0], q + 1).distance;
        assert_true(fabsf(g - f) <= 2e-7f * g + 0x1p-46f * (move + 20.0f) * scale);
        // Powers of two alone: not a bit.
        for (int i = 0; i < 5; ++i)
            q[i] = v3(0.3f * p[i].x * scale, 0.3f * p[i].y * scale, 0.3f * p[i].z * scale);
        const tact_triangle v = {q[1], q[2], q[3]};
        const tact_closest a = tact_closest_on_triangle(q[0], &v);
        for (int i = 0; i < 5; ++i)
            q[i] = v3(q[i].x * 0x1p20f, q[i].y * 0x1p20f, q[i].z * 0x1p20f);
        const tact_triangle x = {q[1], q[2], q[3]};
        const tact_closest b = tact_closest_on_triangle(q[0], &x);
        assert_true(b.distance == a.distance * 0x1p20f && b.u == a.u && b.v == a.v && b.w == a.w);
        assert_true(b.point.x == a.point.x * 0x1p20f && b.point.y == a.point.y * 0x1p20f);
    }
}

#ifdef __SIZEOF_FLOAT128__

#include "tests/geometry/closest_oracle.inl"

/// Random points: apart, on a grid, nearly on one line or in one plane, far from the origin, of several scales.
static void random_points(test_random* r, tact_vec3* p, int count, uint32_t kind)
{
    const float grid = kind == 0 ? 3.0f : kind == 1 ? 20.0f : 0.0f;
    for (int i = 0; i < count; ++i) {
        float* c[3] = {&p[i].x, &p[i].y, &p[i].z};
        for (int k = 0; k < 3; ++k) {
            *c[k] = test_random_signed(r);
            if (grid > 0.0f) *c[k] = floorf(*c[k] * grid);
            if (kind == 4) *c[k] = 1000.0f + 1e-3f * *c[k];
            if (kind == 5) *c[k] *= expf(10.0f * test_random_signed(r));
        }
    }
    const float f = 2.0f * test_random_signed(r), g = 2.0f * test_random_signed(r);
    if (kind == 2 && count > 3)  // the last three nearly on one line, as floats go
        p[3] = v3(p[1].x + f * (p[2].x - p[1].x), p[1].y + f * (p[2].y - p[1].y), p[1].z + f * (p[2].z - p[1].z));
    if (kind == 3 && count > 3)  // the first nearly in the plane of the last three
        p[0] = v3(p[1].x + f * (p[2].x - p[1].x) + g * (p[3].x - p[1].x),
                  p[1].y + f * (p[2].y - p[1].y) + g * (p[3].y - p[1].y),
                  p[1].z + f * (p[2].z - p[1].z) + g * (p[3].z - p[1].z));
    if (kind == 6 && count > 3) p[3] = p[1 + test_random_below(r, 2)];
    if (kind == 6) p[0] = p[1 + test_random_below(r, 2)];
    if (kind == 7 && count > 3) {  // a needle whose sides are no doubles: its normal is mostly rounding
        const float tiny = ldexpf(1.0f, -38 - (int)test_random_below(r, 14));
        p[1] = v3(p[1].x * tiny, p[1].y * tiny, p[1].z * tiny);
        p[3] = v3(4.0f * p[2].x, 4.0f * p[2].y, 4.0f * p[2].z);
    }
    const float scale = scales[test_random_below(r, 3)];
    for (int i = 0; i < count; ++i)
        p[i] = v3(p[i].x * scale, p[i].y * scale, p[i].z * scale);
}

/// The distance is the oracle's, the point is that far away, and the weights lead to it.
static void agrees(tact_closest c, tact_vec3 p, wide expect, double size, const tact_vec3* corners, int count)
{
    const double d = w_root(expect);
    assert_true(fabs((double)c.distance - d) <= 0x1p-23 * d + 0x1p-46 * size);
    assert_true(fabs((double)c.squared - (double)expect) <=
                0x1p-22 * d * d + 0x1p-44 * size * d + 0x1p-90 * size * size);
    assert_true(fabs(w_root(w_apart(w_of(p), w_of(c.point))) - d) <= 0x1p-22 * (d + size));
    const float weight[3] = {c.u, c.v, c.w};
    wide3 q = {0, 0, 0};
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        assert_true(weight[i] >= 0.0f && weight[i] <= 1.0f);
        sum += (double)weight[i];
        q = w_along(q, (wide)weight[i], w_of(corners[i]));
    }
    if (count == 0) return;
    assert_true(fabs(sum - 1.0) < 2e-7);
    assert_true(w_root(w_apart(q, w_of(c.point))) <= 0x1p-21 * size);
}

TEST(random_triangles_and_segments)
{
    test_random r = test_random_seeded(501);
    for (long n = 0; n < 400000; ++n) {
        tact_vec3 p[4];
        random_points(&r, p, 4, (uint32_t)(n % 8));
        const tact_triangle t = {p[1], p[2], p[3]};
        const wide3 corner[3] = {w_of(p[1]), w_of(p[2]), w_of(p[3])};
        const double size = size_of(p, 4);
        agrees(tact_closest_on_triangle(p[0], &t), p[0], w_point_triangle(w_of(p[0]), corner), size, p + 1, 3);
        const wide s = w_point_segment(w_of(p[0]), corner[0], corner[1]);
        agrees(tact_closest_on_segment(p[0], (tact_segment){p[1], p[2]}), p[0], s, size, p + 1, 2);
        if (n % 2) continue;
        const float radius = (float)w_root(s) * 2.0f * test_random_unit(&r);
        const tact_capsule pill = {p[1], p[2], radius};
        const double gap = w_root(s) - (double)radius;
        const tact_closest c = tact_closest_on_capsule(p[0], &pill);
        agrees(c, p[0], gap > 0.0 ? (wide)gap * (wide)gap : 0, size + (double)radius, p + 1, 0);
        const tact_ray ray = {p[1].x, p[1].y, p[1].z, -0.5f, p[2].x, p[2].y, p[2].z, 2.0f};
        const wide3 d = corner[1];
        const wide ray_square =
            w_point_segment(w_of(p[0]), w_along(corner[0], (wide)-0.5f, d), w_along(corner[0], 2, d));
        agrees(tact_closest_on_ray(p[0], &ray), p[0], ray_square, 3.0 * size, p + 1, 0);
        if (w_apart(corner[0], corner[1]) == 0) continue;
        const wide3 u = w_sub(corner[1], corner[0]), x = w_cross(w_sub(w_of(p[0]), corner[0]), u);
        const tact_closest l = tact_closest_on_line(p[0], (tact_segment){p[1], p[2]});
        const double off = w_root(w_dot(x, x) / w_dot(u, u));
        assert_true(fabs((double)l.distance - off) <= 0x1p-22 * off + 0x1p-44 * (size + fabs((double)l.v) * size));
    }
}

/// The faces of the box with bits i of k for its corners, by triangles.
static wide box_oracle(wide3 p, const wide3* corner, bool inside)
{
    wide best = (wide)HUGE_VAL;
    for (int f = 0; !inside && f < 12; ++f) {
        const wide3 t[3] = {corner[cube_faces[3 * f]], corner[cube_faces[3 * f + 1]], corner[cube_faces[3 * f + 2]]};
        best = w_least(best, w_point_triangle(p, t));
    }
    return inside ? 0 : best;
}

TEST(random_boxes)
{
    test_random r = test_random_seeded(502);
    for (long n = 0; n < 40000; ++n) {
        tact_vec3 p[4];
        random_points(&r, p, 4, (uint32_t)(n % 8));
        const tact_vec3 low = v3(fminf(p[1].x, p[2].x), fminf(p[1].y, p[2].y), fminf(p[1].z, p[2].z));
        const tact_vec3 high = v3(fmaxf(p[1].x, p[2].x), fmaxf(p[1].y, p[2].y), fmaxf(p[1].z, p[2].z));
        const tact_aabb box = {low, high};
        const wide3 q = w_of(p[0]), lo = w_of(low), hi = w_of(high);
        wide3 corner[8];
        for (int k = 0; k < 8; ++k)
            corner[k] = (wide3){cube[k].x < 0 ? lo.x : hi.x, cube[k].y < 0 ? lo.y : hi.y, cube[k].z < 0 ? lo.z : hi.z};
        bool inside = q.x >= lo.x && q.x <= hi.x && q.y >= lo.y && q.y <= hi.y && q.z >= lo.z && q.z <= hi.z;
        agrees(tact_closest_on_aabb(p[0], &box), p[0], box_oracle(q, corner, inside), size_of(p, 3), p, 0);
        // Oriented: axes from a random rotation, with whatever rounding leaves of their being orthonormal.
        const float x = test_random_signed(&r), y = test_random_signed(&r), z = test_random_signed(&r), w = 0.3f;
        const double s = 2.0 / (double)(x * x + y * y + z * z + w * w), half = w_root(w_apart(w_of(p[1]), w_of(p[2])));
        const double X = (double)x, Y = (double)y, Z = (double)z, W = (double)w;
        const tact_obb obb = {
            p[1],
            {v3((float)(1 - s * (Y * Y + Z * Z)), (float)(s * (X * Y + W * Z)), (float)(s * (X * Z - W * Y))),
             v3((float)(s * (X * Y - W * Z)), (float)(1 - s * (X * X + Z * Z)), (float)(s * (Y * Z + W * X))),
             v3((float)(s * (X * Z + W * Y)), (float)(s * (Y * Z - W * X)), (float)(1 - s * (X * X + Y * Y)))},
            v3((float)half, 0.5f * (float)half, test_random_below(&r, 4) ? 0.7f * (float)half : 0.0f)};
        inside = true;
        for (int k = 0; k < 8; ++k) {
            corner[k] = w_of(obb.center);
            corner[k] = w_along(corner[k], (wide)(cube[k].x * obb.half.x), w_of(obb.axis[0]));
            corner[k] = w_along(corner[k], (wide)(cube[k].y * obb.half.y), w_of(obb.axis[1]));
            corner[k] = w_along(corner[k], (wide)(cube[k].z * obb.half.z), w_of(obb.axis[2]));
        }
        for (int k = 0; k < 3; ++k) {
            const wide at = w_dot(w_sub(q, corner[0]), w_of(obb.axis[k]));
            const wide most = w_dot(w_sub(corner[6], corner[0]), w_of(obb.axis[k]));
            inside = inside && at >= 0 && at <= most;
        }
        const double d = w_root(box_oracle(q, corner, inside)), size = size_of(p, 3) + 2.0 * half;
        const tact_closest c = tact_closest_on_obb(p[0], &obb);
        assert_true(fabs((double)c.distance - d) <= 1e-6 * size);
        assert_true(fabs(w_root(w_apart(q, w_of(c.point))) - d) <= 1e-6 * size);
        // The rectangle of a flat box.
        const double e0 = 2.0 * (double)obb.half.x, e1 = 2.0 * (double)obb.half.y;
        const tact_vec3 i = obb.axis[0], j = obb.axis[1];
        const tact_vec3 edge[2] = {v3((float)(e0 * (double)i.x), (float)(e0 * (double)i.y), (float)(e0 * (double)i.z)),
                                   v3((float)(e1 * (double)j.x), (float)(e1 * (double)j.y), (float)(e1 * (double)j.z))};
        const wide3 o = w_of(p[1]), a = w_along(o, 1, w_of(edge[0])), b = w_along(o, 1, w_of(edge[1]));
        const wide3 first[3] = {o, a, b}, second[3] = {w_along(a, 1, w_of(edge[1])), b, a};
        const double away = w_root(w_least(w_point_triangle(q, first), w_point_triangle(q, second)));
        const tact_closest e = tact_closest_on_rectangle(p[0], p[1], edge[0], edge[1]);
        assert_true(fabs((double)e.distance - away) <= 1e-6 * size);
    }
}

TEST(random_solids)
{
    static const uint32_t faces[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2};
    test_random r = test_random_seeded(503);
    long in = 0, out = 0;
    for (long n = 0; n < 100000; ++n) {
        tact_vec3 p[5];
        random_points(&r, p, 5, (uint32_t)(n % 7));
        if (n % 3 == 0)
            p[0] = v3(0.4f * p[1].x + 0.3f * p[2].x + 0.2f * p[3].x + 0.1f * p[4].x,
                      0.4f * p[1].y + 0.3f * p[2].y + 0.2f * p[3].y + 0.1f * p[4].y,
                      0.4f * p[1].z + 0.3f * p[2].z + 0.2f * p[3].z + 0.1f * p[4].z);
        const tact_vec3* v = p + 1;
        const wide3 q = w_of(p[0]), w[4] = {w_of(v[0]), w_of(v[1]), w_of(v[2]), w_of(v[3])};
        const wide volume = w_volume(w[0], w[1], w[2], w[3]);
        wide surface = (wide)HUGE_VAL;
        bool inside = volume != 0;
        for (int f = 0; f < 4; ++f) {
            const wide3 t[3] = {w[faces[3 * f]], w[faces[3 * f + 1]], w[faces[3 * f + 2]]};
            surface = w_least(surface, w_point_triangle(q, t));
            const wide side = w_volume(t[0], t[1], t[2], q);
            if (volume > 0 ? side < 0 && f == 0 : side > 0 && f == 0) inside = false;
            if (f > 0 && (volume > 0 ? side < 0 : side > 0)) inside = false;
        }
        const double size = size_of(p, 5);
        agrees(tact_closest_on_tetrahedron(p[0], v), p[0], inside ? 0 : surface, size, v, 0);
        if (inside) assert_true(tact_closest_on_tetrahedron(p[0], v).distance == 0.0f);
        uint32_t face = 9;
        const tact_closest m = tact_closest_on_mesh(p[0], v, faces, 4, &face);
        assert_true(face < 4);
        const tact_vec3 corner[3] = {v[faces[3 * face]], v[faces[3 * face + 1]], v[faces[3 * face + 2]]};
        agrees(m, p[0], surface, size, corner, 3);
        in += inside;
        out += !inside;
        if (volume == 0) continue;
        // A closed surface counter-clockwise from outside.
        const tact_vec3 turned[4] = {v[0], volume < 0 ? v[1] : v[2], volume < 0 ? v[2] : v[1], v[3]};
        const tact_closest c = tact_closest_on_convex(p[0], turned, faces, 4, &face);
        agrees(c, p[0], inside ? 0 : surface, size, v, 0);
        assert_int_equal(face == 4, inside);
    }
    assert_true(in > 10000 && out > 10000);
}

#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
