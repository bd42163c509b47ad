// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "kernels/closest_bent.h"
#include "tests/support/closest_check.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/shape_lab.h"

// Closest points on spheres, boxes and capsules that their instances stretch and shear: every backend against the brute
// force, and the brute force against supporting planes in double precision.

// ---- How far away in double precision ----

/// A capsule or sphere in the world about its first end: what the matrix makes of a ball, and the way to the other end.
typedef struct oracle_solid {
    double axes[3][3];   ///< columns
    double duals[3][3];  ///< columns of the transposed inverse, times its determinant: normals of directions
    double along[3];
} oracle_solid;

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void make_unit(double n[3])
{
    const double length = sqrt(dot(n, n));
    for (int k = 0; k < 3; ++k)
        n[k] = length > 0.0 ? n[k] / length : (k == 0 ? 1.0 : 0.0);
}

/// By how much a point is beyond the supporting plane across n. The greatest of all n is how far beyond the surface the
/// point is, negative within.
static double beyond_plane(const oracle_solid* s, const double y[3], const double n[3])
{
    double square = 0.0;
    for (int c = 0; c < 3; ++c) {
        const double part = (s->axes[0][c] * n[0] + s->axes[1][c] * n[1]) + s->axes[2][c] * n[2];
        square += part * part;
    }
    return dot(n, y) - sqrt(square) - fmax(dot(n, s->along), 0.0);
}

/// Turns n to where the plane is farthest, by ever smaller steps in eight directions.
static double climb(const oracle_solid* s, const double y[3], double n[3], double step)
{
    double best = beyond_plane(s, y, n);
    for (int tries = 0; tries < 3000 && step > 1e-12; ++tries) {
        double t1[3] = {0.0, 0.0, 0.0}, to[3] = {0.0, 0.0, 0.0};
        const int least =
            fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2) : (fabs(n[1]) < fabs(n[2]) ? 1 : 2);
        t1[least] = 1.0;
        for (int k = 0; k < 3; ++k)
            to[k] = n[(k + 1) % 3] * t1[(k + 2) % 3] - n[(k + 2) % 3] * t1[(k + 1) % 3];
        make_unit(to);
        for (int k = 0; k < 3; ++k)
            t1[k] = n[(k + 1) % 3] * to[(k + 2) % 3] - n[(k + 2) % 3] * to[(k + 1) % 3];
        bool better = false;
        for (int way = 0; way < 8 && !better; ++way) {
            const double angle = (double)way * 0.7853981633974483 + (double)tries, c = cos(angle), d = sin(angle);
            double next[3];
            for (int k = 0; k < 3; ++k)
                next[k] = n[k] + step * (c * to[k] + d * t1[k]);
            make_unit(next);
            const double value = beyond_plane(s, y, next);
            if (!(value > best)) continue;
            best = value;
            memcpy(n, next, sizeof next);
            better = true;
        }
        step *= better ? 1.6 : 0.5;
        step = fmin(step, 0.5);
    }
    return best;
}

/// The same among normals across the segment, where the greatest may lie on a ridge.
static double climb_across(const oracle_solid* s, const double y[3], test_random* r)
{
    double d[3], t1[3], t2[3], best = -HUGE_VAL;
    memcpy(d, s->along, sizeof d);
    if (!(dot(d, d) > 0.0)) return best;
    make_unit(d);
    const int least = fabs(d[0]) < fabs(d[1]) ? (fabs(d[0]) < fabs(d[2]) ? 0 : 2) : (fabs(d[1]) < fabs(d[2]) ? 1 : 2);
    for (int k = 0; k < 3; ++k)
        t2[k] = k == least ? 1.0 : 0.0;
    for (int k = 0; k < 3; ++k)
        t1[k] = d[(k + 1) % 3] * t2[(k + 2) % 3] - d[(k + 2) % 3] * t2[(k + 1) % 3];
    make_unit(t1);
    for (int k = 0; k < 3; ++k)
        t2[k] = d[(k + 1) % 3] * t1[(k + 2) % 3] - d[(k + 2) % 3] * t1[(k + 1) % 3];
    for (int i = 0; i < 400; ++i) {
        double w[3] = {(double)test_random_signed(r), (double)test_random_signed(r), (double)test_random_signed(r)},
               n[3];
        for (int k = 0; k < 3; ++k)
            n[k] = i % 2 ? w[k] : dot(s->duals[k], w);
        double angle = atan2(dot(n, t2), dot(n, t1)), value = -HUGE_VAL;
        for (double step = 0.01; step > 1e-13;) {
            bool better = false;
            for (int way = -1; way <= 1; ++way) {
                const double at = angle + (double)way * step;
                double next[3];
                for (int k = 0; k < 3; ++k)
                    next[k] = cos(at) * t1[k] + sin(at) * t2[k];
                const double there = beyond_plane(s, y, next);
                if (!(there > value)) continue;
                better = way != 0 || value == -HUGE_VAL;
                value = there;
                angle = at;
            }
            step *= better ? 1.5 : 0.5;
            if (i >= 40 && value < best - 1.0) break;
        }
        best = fmax(best, value);
    }
    return best;
}

static double beyond_solid(const oracle_solid* s, const double y[3], test_random* r)
{
    enum { TOP = 10, SAMPLES = 1500 };
    double top[TOP][3], values[TOP], best = climb_across(s, y, r);
    for (int i = 0; i < TOP; ++i)
        values[i] = -HUGE_VAL;
    for (int i = 0; i < SAMPLES; ++i) {
        const double w[3] = {(double)test_random_signed(r), (double)test_random_signed(r),
                             (double)test_random_signed(r)};
        double n[3];
        for (int k = 0; k < 3; ++k)
            n[k] = i % 2 ? w[k] : dot(s->duals[k], w);
        if (i == 1) memcpy(n, y, sizeof n);
        make_unit(n);
        const double value = beyond_plane(s, y, n);
        int least = 0;
        for (int k = 1; k < TOP; ++k)
            least = values[k] < values[least] ? k : least;
        if (value <= values[least]) continue;
        values[least] = value;
        memcpy(top[least], n, sizeof n);
    }
    for (int i = 0; i < TOP; ++i)
        best = fmax(best, climb(s, y, top[i], 0.05));
    return best;
}

/// How far a point of the world is from a point of the surface, the one that is as far around it in the shape's frame.
static double radially_off(const float m[12], const TactShape* s, const double x[3])
{
    double adjugate[3][3], own[3], determinant = 0.0, along = 0.0, length2 = 0.0, away[3], off[3];
    const double e[3] = {(double)s->bx, (double)s->by, (double)s->bz};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            adjugate[i][k] = (double)m[4 * a + c] * (double)m[4 * b + d] - (double)m[4 * a + d] * (double)m[4 * b + c];
        }
    }
    for (int k = 0; k < 3; ++k)
        determinant += (double)m[k] * adjugate[k][0];
    for (int i = 0; i < 3; ++i) {
        own[i] = dot(adjugate[i], x) / determinant;
        along += own[i] * e[i];
        length2 += e[i] * e[i];
    }
    const double t = length2 > 0.0 ? fmin(fmax(along / length2, 0.0), 1.0) : 0.0;
    for (int k = 0; k < 3; ++k)
        away[k] = own[k] - t * e[k];
    const double size = sqrt(dot(away, away)), part = 1.0 - (double)s->radius / size;
    for (int i = 0; i < 3; ++i) {
        off[i] = 0.0;
        for (int k = 0; k < 3; ++k)
            off[i] += (double)m[4 * i + k] * away[k] * part;
    }
    return sqrt(dot(off, off));
}

// ---- Matrices ----

/// Turned, scaled along three axes by the powers of two of `range` or one of them alone by `ratio`, and turned again;
/// every fifth one mirrors.
static void bent_matrix(test_random* r, int number, float m[12])
{
    static const float ratios[6] = {1.0f, 0.0f, 0.0f, 1e-3f, 1e3f, 1e-6f};
    float first[9], second[9], scale[3];
    const float one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int mode = number % 6;
    for (int k = 0; k < 3; ++k) {
        scale[k] = mode == 1   ? exp2f(3.0f * test_random_signed(r))
                   : mode == 2 ? exp2f(10.0f * test_random_signed(r))
                               : 1.0f;
        if (mode != 1 && mode != 2 && k == number / 6 % 3) scale[k] = ratios[mode];
    }
    test_random_rotation(r, first);
    test_random_rotation(r, second);
    if (number % 4 == 0) memcpy(second, one, sizeof second);
    if (number % 8 == 0) memcpy(first, one, sizeof first);
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            float sum = 0.0f;
            for (int c = 0; c < 3; ++c)
                sum += first[3 * i + c] * scale[c] * second[3 * c + k];
            m[4 * i + k] = number % 5 == 0 && k == 0 ? -sum : sum;
        }
        m[4 * i + 3] = 0.0f;
    }
}

static oracle_solid solid_of(const float m[12], const TactShape* s)
{
    oracle_solid solid;
    const double e[3] = {(double)s->bx, (double)s->by, (double)s->bz};
    for (int i = 0; i < 3; ++i) {
        solid.along[i] = 0.0;
        for (int k = 0; k < 3; ++k) {
            solid.axes[i][k] = (double)m[4 * i + k] * (double)s->radius;
            solid.along[i] += (double)m[4 * i + k] * e[k];
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (k + 1) % 3, d = (k + 2) % 3;
            solid.duals[i][k] = solid.axes[a][c] * solid.axes[b][d] - solid.axes[a][d] * solid.axes[b][c];
        }
    }
    return solid;
}

#define ROWS(m)                                                                         \
    tact_row((m)[0], (m)[1], (m)[2], (m)[3]), tact_row((m)[4], (m)[5], (m)[6], (m)[7]), \
        tact_row((m)[8], (m)[9], (m)[10], (m)[11])

/// What is promised: 2^-18 of the largest number that takes part, where axes differ by 2^20 at most.
TEST(round_shapes_are_as_far_as_their_supporting_planes)
{
    test_random r = test_random_seeded(51);
    const int cases = (int)effort(600, 6000);
    int inside = 0;
    for (int i = 0; i < cases; ++i) {
        float m[12];
        bent_matrix(&r, i, m);
        const bool two = i % 3 != 0;
        TactShape s = {.radius = 0.05f + test_random_unit(&r)};
        const float length = i % 7 == 0 ? 0.01f : i % 11 == 0 ? 0.0f : 2.0f;
        if (two) {
            s.bx = length * test_random_signed(&r);
            s.by = i % 13 == 0 ? 0.0f : length * test_random_signed(&r);
            s.bz = i % 13 == 0 ? 0.0f : length * test_random_signed(&r);
        }
        const oracle_solid solid = solid_of(m, &s);
        // At the axis, within, on the surface, close by, far away.
        double w[3] = {(double)test_random_signed(&r), (double)test_random_signed(&r), (double)test_random_signed(&r)};
        make_unit(w);
        const int place = i / 7 % 5;
        const double unit = (double)test_random_unit(&r), t = two ? (double)test_random_unit(&r) * 1.2 - 0.1 : 0.0;
        const double out = place == 0   ? unit
                           : place == 1 ? 1.0
                           : place == 2 ? 1.0 + 0.1 * unit
                           : place == 3 ? 0.0
                                        : 30.0 * unit;
        float p[3];
        double y[3], size = 0.0;
        for (int k = 0; k < 3; ++k) {
            p[k] = (float)(t * solid.along[k] + out * dot(solid.axes[k], w));
            if (place == 4) p[k] += 10.0f * test_random_signed(&r);
            y[k] = (double)p[k];
            size = fmax(size, fmax(fabs(y[k]), fabs(solid.along[k])));
            for (int c = 0; c < 3; ++c)
                size = fmax(size, fabs(solid.axes[k][c]));
        }
        const TactShapeClosest c = tact_bent_round(p[0], p[1], p[2], s, two, ROWS(m));
        const double beyond = beyond_solid(&solid, y, &r), slack = 0x1p-18 * size;
        inside += beyond < 0.0;
        // Planes that were not tried can only be farther: they bound a distance from below outside, from above inside.
        if (beyond >= 0.0 ? (double)c.d2 < beyond - slack : (double)c.d2 > -beyond + slack) {
            fail_msg("case %d: %.9g away, should be %.9g", i, (double)c.d2, beyond);
        }
        const double x[3] = {(double)c.x, (double)c.y, (double)c.z};
        const double led[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
        assert_true(fabs(sqrt(dot(led, led)) - (double)c.d2) <= slack);
        // The point is on the surface.
        const double off = beyond_solid(&solid, x, &r);
        if (!(off <= slack)) fail_msg("case %d: the point is %.9g off", i, off);
        const double within = fmin(-off, radially_off(m, &s, x));
        if (!(within <= 2.0 * slack)) fail_msg("case %d: the point is %.9g within", i, within);
    }
    assert_true(inside > cases / 4);
}

/// Flat tubes, whose two sides are as near as each other as seen along the segment, of which one is reached within its
/// ends. The distances are of double precision.
TEST(the_side_of_a_flat_tube_counts_that_is_within_its_ends)
{
    static const float m[2][12] = {{-0x1.a5667ap-8f, 0x1.dadfb8p+7f, 0x1.e69d8ap+7f, 0, -0x1.587b1ap-6f, 0x1.e70708p+6f,
                                    -0x1.2369a6p+7f, 0, -0x1.955ff8p-7f, -0x1.4a587cp+8f, 0x1.e4b2c2p+6f, 0},
                                   {-0x1.7a0f1p+2f, 0x1.a91cp+0f, 0x1.29657ap+1f, 0, -0x1.2c480cp+3f, 0x1.ac2bd4p+1f,
                                    0x1.427be2p+3f, 0, -0x1.4f2dbap+3f, 0x1.e4f5bap+1f, 0x1.772a88p+3f, 0}};
    static const float ends[2][4] = {{0x1.720424p-1f, -0x1.adb9aep-2f, -0x1.0a34e6p-2f, 0x1.54e0ecp-2f},
                                     {-0x1.b06624p+0f, -0x1.a4181ep+0f, -0x1.6c0eeep+0f, 0x1.cac094p-1f}};
    static const float points[2][3] = {{-0x1.9bc0bp+5f, 0x1.1abd2p+5f, -0x1.0ac45ep+5f},
                                       {0x1.534978p-2f, -0x1.78d944p+3f, -0x1.c2009p+3f}};
    static const double right[2] = {0.000451007142, 0.000142693234}, size[2] = {163.0, 14.1};
    for (int i = 0; i < 2; ++i) {
        const TactShape s = {0, 0, 0, ends[i][0], ends[i][1], ends[i][2], ends[i][3]};
        const TactShapeClosest c = tact_bent_round(points[i][0], points[i][1], points[i][2], s, true, ROWS(m[i]));
        assert_true(fabs((double)c.d2 - right[i]) <= 0x1p-18 * size[i]);
    }
}

/// Boxes as twelve triangles in double precision.
TEST(boxes_are_as_far_as_their_faces)
{
    test_random r = test_random_seeded(53);
    const int cases = (int)effort(3000, 100000);
    for (int i = 0; i < cases; ++i) {
        float m[12], p[3];
        bent_matrix(&r, i, m);
        TactShape s = {-test_random_unit(&r),
                       -test_random_unit(&r),
                       -test_random_unit(&r),
                       test_random_unit(&r),
                       test_random_unit(&r),
                       test_random_unit(&r),
                       0.0f};
        if (i % 9 == 4) s.by = s.ay;
        tact_vec3 corners[8];
        double size = 0.0, best = HUGE_VAL;
        for (uint32_t c = 0; c < 8; ++c) {
            const TactVec v = tact_bent_corner(s, c, ROWS(m));
            corners[c] = (tact_vec3){v.x, v.y, v.z};
            size = fmax(size, (double)tact_most3(ABS(v.x), ABS(v.y), ABS(v.z)));
        }
        const float far = i % 2 ? 0.7f : 3.0f;
        for (int k = 0; k < 3; ++k) {
            p[k] = far * (m[4 * k] * test_random_signed(&r) + m[4 * k + 1] * test_random_signed(&r) +
                          m[4 * k + 2] * test_random_signed(&r));
            size = fmax(size, fabs((double)p[k]));
        }
        static const uint8_t faces[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                            {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};
        for (int f = 0; f < 6; ++f) {
            for (int half = 0; half < 2; ++half) {
                const tact_triangle t = {corners[faces[f][0]], corners[faces[f][1 + half]],
                                         corners[faces[f][2 + half]]};
                best = fmin(best, (double)tact_closest_on_triangle((tact_vec3){p[0], p[1], p[2]}, &t).distance);
            }
        }
        const TactShapeClosest c = tact_bent_box(p[0], p[1], p[2], s, ROWS(m));
        if (!(fabs(sqrt((double)c.d2) - best) <= 0x1p-18 * size)) {
            fail_msg("case %d: %.9g away, should be %.9g", i, sqrt((double)c.d2), best);
        }
    }
}

/// Shapes of all sizes, also points, flat boxes and capsules without length, with all kinds of matrices.
TEST(bent_shapes_are_found_alike_everywhere)
{
    enum { COUNT = 120, ROUNDS = 6 };
    static shape_lab lab;
    static tact_closest_query points[COUNT];
    test_random r = test_random_seeded(55);
    for (int round = 0; round < ROUNDS; ++round) {
        fill_shapes(&r, &lab);
        tact_scene* scene = new_scene(context);
        for (int n = 0; n < PLACED; ++n) {
            // Each kind alone first, then all together, with one that keeps its form among them.
            lab.kinds[n] = round < 3 ? (uint32_t)round : (uint32_t)(n + round) % 3;
            bent_matrix(&r, 7 * round + n + 1, lab.matrices[n]);
            if (n == 3) similar(&r, lab.matrices[n]);
            for (int k = 0; k < 3; ++k)
                lab.matrices[n][4 * k + 3] = 2.0f * test_random_signed(&r);
        }
        put_lab(scene, &lab);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        for (size_t i = 0; i < COUNT; ++i) {
            const tact_vec3 at = somewhere(&r), centre = lab.spheres[i % SHAPES].center;
            const float* m = lab.matrices[i % PLACED];
            points[i] = (tact_closest_query){4 * at.x, 4 * at.y, 4 * at.z, i % 3 ? INFINITY : 0.5f};
            if (i % 4 != 0 || i % SHAPES == 4) continue;
            points[i].x = tact_pose_apply(m[0], m[1], m[2], m[3], centre.x, centre.y, centre.z);
            points[i].y = tact_pose_apply(m[4], m[5], m[6], m[7], centre.x, centre.y, centre.z);
            points[i].z = tact_pose_apply(m[8], m[9], m[10], m[11], centre.x, centre.y, centre.z);
        }
        points[5].x = NAN;
        points[6].max_distance = test_random_any(&r);
        conform_bytes("bent shapes", scene, points, COUNT);
        const float corner[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
        const tact_mesh_desc desc = {.positions = corner, .vertex_count = 3, .triangle_count = 1};
        put_instance(scene, put_mesh(scene, &desc), NULL);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        conform_bytes("bent shapes and a triangle", scene, points, COUNT);
        tact_scene_destroy(scene);
    }
}

TEST(points_of_bent_shapes_are_those_of_their_surfaces)
{
    const tact_sphere ball = {{0, 0, 0}, 1};
    const tact_aabb box = {{-1, -1, -1}, {1, 1, 1}};
    const tact_capsule capsule = {{0, -2, 0}, {0, 2, 0}, 1};
    const float moved[4][12] = {{3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0},
                                {1, 1, 0, 20, 0, 1, 0, 0, 0, 0, 1, 0},
                                {4, 0, 0, 40, 0, 0.25f, 0, 0, 0, 0, 4, 0},
                                {0x1p31f, 0, 0, 0, 0, 0x1p31f, 0, 0x1p34f, 0, 0, 0x1p31f, 0}};
    tact_scene* scene = KEEP(new_scene(context));
    const uint32_t balls = put_spheres(scene, &ball, 1);
    put_instance(scene, balls, moved[0]);
    put_instance(scene, put_boxes(scene, &box, 1), moved[1]);
    put_instance(scene, put_capsules(scene, &capsule, 1), moved[2]);
    put_instance(scene, balls, moved[3]);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    // An ellipsoid from outside and from its middle; a sheared box from its side and from within; a capsule that is
    // flatter than long, from within beside its middle, where the end's other side is nearest, and from the middles of
    // its ends; a ball of 2^31.
    enum { COUNT = 9 };
    static const tact_closest_query points[COUNT] = {
        {9, 0, 0, 20},      {0, 0, 0, 9},     {20, 3, 0, 9},     {20, 0, 0.75f, 9},         {40, 0.25f, 0, 9},
        {40, -0.25f, 0, 9}, {40, 0.5f, 0, 9}, {40, -0.5f, 0, 9}, {0, 0x1p35f, 0, INFINITY},
    };
    static const float right[COUNT][4] = {
        {6, 3, 0, 0},          {1, 0, 0, 1},           {2, 20, 1, 0},
        {0.25f, 20, 0, 1},     {0.5f, 40, 0.75f, 0},   {0.5f, 40, -0.75f, 0},
        {0.25f, 40, 0.75f, 0}, {0.25f, 40, -0.75f, 0}, {0x1p33f * 1.75f, 0, 0x1p34f + 0x1p31f, 0},
    };
    tact_closest_hit hits[COUNT];
    conform_bytes("bent", scene, points, COUNT);
    find(scene, TACT_BACKEND_CPU, 0, points, COUNT, hits);
    for (int i = 0; i < COUNT; ++i) {
        const float size = i == 8 ? 0x1p35f : 40.0f;
        if (!(fabsf(hits[i].distance - right[i][0]) <= size * 1e-6f)) {
            fail_msg("point %d: %.9g away, should be %.9g", i, (double)hits[i].distance, (double)right[i][0]);
        }
        assert_true(fabsf(hits[i].x - right[i][1]) <= size * 1e-6f && fabsf(hits[i].y - right[i][2]) <= size * 1e-6f);
        assert_true(fabsf(fabsf(hits[i].z) - right[i][3]) <= size * 1e-6f);
        assert_true(hits[i].u == 0.0f && hits[i].v == 0.0f);
    }
}

#include TEST_LIST
RUN_ALL(open_context, close_context)
