// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What shapes of bodies amount to, against closed forms, sums over slices, and meshes inside and outside rounded hulls.
#include "tests/support/run.h"

#include "tact/body_grains.h"
#include "tact/geometry/hull.h"
#include "tact/geometry/mesh_report.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"
#include "tests/support/test_context.h"

static const double pi = 3.14159265358979323846;

static tact_bodies* set;

static int open_set(void** state)
{
    return open_host_context(state) == 0 && tact_bodies_create(context, &set) == TACT_OK ? 0 : -1;
}

static int close_set(void** state)
{
    tact_bodies_destroy(set);
    return close_context(state);
}

static uint32_t add(tact_body_shape shape)
{
    uint32_t number;
    if (tact_bodies_add_shape(set, &shape, &number) != TACT_OK) fail_msg("%s", tact_context_error(context));
    return number;
}

static uint32_t add_hull(const tact_vec3* points, size_t count, float radius)
{
    return add((tact_body_shape){.kind = TACT_BODY_HULL, .points = points, .point_count = count, .radius = radius});
}

static uint32_t add_box(float x, float y, float z, float radius)
{
    return add((tact_body_shape){.kind = TACT_BODY_BOX, .half = {x, y, z}, .radius = radius});
}

static tact_body_measures measured(uint32_t shape, float scale, const tact_body_matter* matter)
{
    tact_body_measures m;
    memset(&m, 0xff, sizeof m);
    if (tact_body_measure(set, shape, scale, matter, &m) != TACT_OK) fail_msg("%s", tact_context_error(context));
    for (int k = 0; k < 4; ++k)
        assert_true(m.reserved[k] == 0);
    assert_true(m.inner > 0.0 && m.inner <= m.reach);
    return m;
}

static bool near(double a, double b, double part)
{
    return fabs(a - b) <= part * fabs(b);
}

/// Compares what does not depend on the frame's axes being the principal ones, and the tensor with `inertia` to a part
/// of its largest element.
static void check(const tact_body_measures* m, double volume, const double center[3], const double inertia[6],
                  double part)
{
    double size = 0.0;
    for (int k = 0; k < 3; ++k)
        size = fmax(size, fabs(inertia[k]));
    if (!near(m->volume, volume, part)) fail_msg("a volume of %.17g, not %.17g", m->volume, volume);
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(m->center[k] - center[k]) <= part * m->reach))
            fail_msg("a centre at %.17g, not %.17g, along axis %d", m->center[k], center[k], k);
    }
    for (int k = 0; k < 6; ++k) {
        if (!(fabs(m->inertia[k] - inertia[k]) <= part * size))
            fail_msg("%d of the tensor is %.17g, not %.17g", k, m->inertia[k], inertia[k]);
    }
}

static void check_upright(const tact_body_measures* m, double volume, double y, double xx, double yy, double zz,
                          double part)
{
    const double center[3] = {0.0, y, 0.0}, inertia[6] = {xx, yy, zz, 0.0, 0.0, 0.0};
    check(m, volume, center, inertia, part);
}

TEST(balls_and_capsules_have_their_closed_forms)
{
    const uint32_t ball = add((tact_body_shape){.kind = TACT_BODY_SPHERE, .radius = 0.5f});
    const uint32_t capsule = add((tact_body_shape){.kind = TACT_BODY_CAPSULE, .radius = 0.5f, .half = {0, 2, 0}});
    tact_body_measures m = measured(ball, 0.0f, NULL);
    const double v = pi / 6.0, i = 0.4 * 1000.0 * v * 0.25;
    check_upright(&m, v, 0.0, i, i, i, 1e-15);
    assert_true(near(m.mass, 1000.0 * v, 1e-15) && m.radius == 0.5 && m.reach == 0.5 && m.inner == 0.5);
    assert_true(m.center[0] == 0.0 && m.center[1] == 0.0 && m.center[2] == 0.0);
    // A cylinder of length 4 and two half balls, whose centres of mass are 3/8 of the radius beyond its ends.
    const tact_body_matter light = {.density = 3.0f};
    m = measured(capsule, 1.0f, &light);
    const double rod = pi, caps = pi / 6.0;
    const double along = 0.5 * rod * 0.25 + 0.4 * caps * 0.25;
    const double across = rod * (0.25 / 4.0 + 16.0 / 12.0) + caps * (0.4 * 0.25 + 4.0 + 2.0 * 2.0 * 3.0 / 8.0 * 0.5);
    check_upright(&m, rod + caps, 0.0, 3.0 * across, 3.0 * along, 3.0 * across, 1e-15);
    assert_true(near(m.mass, 3.0 * (rod + caps), 1e-15) && m.radius == 0.5 && m.reach == 2.5 && m.inner == 0.5);
    // The same as boxes without sides, and as hulls of a point and of two.
    const double r = m.radius;
    const tact_vec3 ends[2] = {{10, -2, 20}, {10, 2, 20}}, turned[2] = {{0, 0, 0}, {0, 2.4f, 3.2f}};
    const uint32_t same[] = {add_box(0, 2, 0, 0.5f), add_hull(ends, 2, 0.5f), add_hull(turned, 2, 0.5f)};
    for (size_t k = 0; k < 3; ++k) {
        const tact_body_measures n = measured(same[k], 1.0f, &light);
        assert_true(near(n.volume, m.volume, 2e-7) && near(n.mass, m.mass, 2e-7));
        assert_true(near(n.reach, m.reach, 1e-7) && near(n.inner, r, 1e-15));
        // A ball of that volume is larger.
        assert_true(near(4.0 / 3.0 * pi * n.radius * n.radius * n.radius, n.volume, 1e-15));
        if (k < 2) check(&n, m.volume, k ? (double[3]){10, 0, 20} : (double[3]){0}, m.inertia, 1e-14);
    }
    const tact_body_measures t = measured(same[2], 1.0f, &light);
    const double yy = 3.0 * (0.36 * along * 1.0 + 0.64 * across), zz = 3.0 * (0.36 * across + 0.64 * along);
    const double yz = 3.0 * (along - across) * 0.6 * 0.8;
    check(&t, rod + caps, (double[3]){0.0, 1.2, 1.6}, (double[6]){3.0 * across, yy, zz, 0.0, 0.0, yz}, 2e-7);
    m = measured(add_box(0, 0, 0, 0.5f), 1.0f, NULL);
    check_upright(&m, v, 0.0, i, i, i, 1e-15);
    m = measured(add_hull(&ends[1], 1, 0.5f), 1.0f, NULL);
    check(&m, v, (double[3]){10, 2, 20}, (double[6]){i, i, i, 0, 0, 0}, 1e-15);
    assert_true(near(m.radius, 0.5, 1e-15) && m.reach == 0.5 && m.inner == 0.5);
}

TEST(boxes_have_their_closed_form_as_hulls_too_and_far_away)
{
    tact_body_measures m = measured(add_box(0.5f, 1.0f, 2.0f, 0.0f), 1.0f, NULL);
    const double xx = 8000.0 * 5.0 / 3.0, yy = 8000.0 * 4.25 / 3.0, zz = 8000.0 * 1.25 / 3.0;
    check_upright(&m, 8.0, 0.0, xx, yy, zz, 1e-15);
    assert_true(m.mass == 8000.0 && m.inner == 0.5 && near(m.reach, sqrt(5.25), 1e-15));
    assert_true(near(m.radius, cbrt(6.0 / pi), 1e-15));
    assert_true(m.inertia[3] == 0.0 && m.center[0] == 0.0 && m.center[1] == 0.0 && m.center[2] == 0.0);
    // A thin one is no less exact.
    m = measured(add_box(1.0f, 0x1p-30f, 1.0f, 0.0f), 1.0f, NULL);
    assert_true(m.volume == 0x1p-27 && m.inner == 0x1p-30);
    const float far[] = {0.0f, 4096.0f, 1048576.0f};
    for (size_t k = 0; k < sizeof far / sizeof *far; ++k) {
        tact_vec3 corners[9];
        for (int i = 0; i < 8; ++i)
            corners[i] = (tact_vec3){far[k] + (i & 1 ? 0.5f : -0.5f), far[k] + (i & 2 ? 1.0f : -1.0f),
                                     -far[k] + (i & 4 ? 2.0f : -2.0f)};
        // One that is inside.
        corners[8] = (tact_vec3){far[k], far[k], -far[k]};
        m = measured(add_hull(corners, 9, 0.0f), 1.0f, NULL);
        const double at = (double)far[k];
        check(&m, 8.0, (double[3]){at, at, -at}, (double[6]){xx, yy, zz, 0, 0, 0}, 1e-14);
        assert_true(near(m.inner, 0.5, 1e-14) && near(m.reach, sqrt(5.25), 1e-14));
    }
}

TEST(a_tetrahedron_has_its_closed_form)
{
    const tact_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t shape = add_hull(corners, 4, 0.0f);
    const tact_body_matter one = {.mass = 1.0f, .density = 7.0f};
    const tact_body_measures m = measured(shape, 1.0f, &one);
    const double a = 3.0 / 40.0, b = 1.0 / 80.0;
    check(&m, 1.0 / 6.0, (double[3]){0.25, 0.25, 0.25}, (double[6]){a, a, a, b, b, b}, 1e-14);
    assert_true(m.mass == 1.0 && near(m.inner, 0.25 / sqrt(3.0), 1e-14));
    assert_true(near(m.reach, sqrt(0.75 * 0.75 + 2.0 * 0.0625), 1e-14));
}

/// A regular polygon's area, and its second moment about an axis in its plane through its middle.
static void polygon(double radius, double* area, double* second)
{
    const double turn = 2.0 * pi / TACT_ROUND_SIDES;
    *area = 0.5 * TACT_ROUND_SIDES * radius * radius * sin(turn);
    *second = *area * radius * radius * (2.0 + cos(turn)) / 12.0;
}

TEST(cylinders_are_prisms_and_cones_pyramids)
{
    double area, second;
    polygon(0.75, &area, &second);
    const tact_body_matter even = {.density = 1.0f};
    tact_body_measures m = measured(
        add((tact_body_shape){.kind = TACT_BODY_CYLINDER, .radius = 0.75f, .half = {0, 1.5f, 0}}), 1.0f, &even);
    double v = 3.0 * area, across = 3.0 * second + v * 9.0 / 12.0;
    // The corners are rounded to single precision.
    check_upright(&m, v, 0.0, across, 6.0 * second, across, 1e-7);
    assert_true(near(m.inner, 0.75 * cos(pi / TACT_ROUND_SIDES), 1e-7) && near(m.reach, sqrt(2.8125), 1e-7));
    m = measured(add((tact_body_shape){.kind = TACT_BODY_CONE, .radius = 0.75f, .half = {0, 1.5f, 0}}), 1.0f, &even);
    v = area;
    across = 3.0 / 5.0 * second + v * 9.0 * 3.0 / 80.0;
    check_upright(&m, v, -0.75, across, 6.0 / 5.0 * second, across, 1e-7);
    // The centre is 0.75 above the bottom; the sides are nearer.
    const double inside = 0.75 * cos(pi / TACT_ROUND_SIDES), side = 2.25 * inside / sqrt(9.0 + inside * inside);
    assert_true(near(m.inner, side, 1e-7) && near(m.reach, 2.25, 1e-7));
}

/// Sums over slices of a box with a radius: volume and second moments.
static void sum_round_box(const double half[3], double r, double* volume, double second[3])
{
    enum { SLICES = 3000 };
    *volume = second[0] = second[1] = second[2] = 0.0;
    const double dx = 2.0 * (half[0] + r) / SLICES, dy = 2.0 * (half[1] + r) / SLICES;
    for (int i = 0; i < SLICES; ++i) {
        for (int k = 0; k < SLICES; ++k) {
            const double x = -half[0] - r + (i + 0.5) * dx, y = -half[1] - r + (k + 0.5) * dy;
            const double beyond_x = fmax(fabs(x) - half[0], 0.0), beyond_y = fmax(fabs(y) - half[1], 0.0);
            const double left = r * r - beyond_x * beyond_x - beyond_y * beyond_y;
            if (left <= 0.0) continue;
            const double height = half[2] + sqrt(left), piece = 2.0 * height * dx * dy;
            *volume += piece;
            second[0] += piece * x * x;
            second[1] += piece * y * y;
            second[2] += piece * height * height / 3.0;
        }
    }
}

TEST(boxes_with_a_radius_are_what_slices_add_up_to_as_hulls_too)
{
    const float half[3] = {0.25f, 1.0f, 0.5f}, r = 0.375f;
    double volume, s[3];
    sum_round_box((double[3]){0.25, 1.0, 0.5}, 0.375, &volume, s);
    const tact_body_matter even = {.density = 1.0f};
    const uint32_t box = add_box(half[0], half[1], half[2], r);
    const tact_body_measures m = measured(box, 1.0f, &even);
    check_upright(&m, volume, 0.0, s[1] + s[2], s[0] + s[2], s[0] + s[1], 2e-5);
    assert_true(near(m.inner, 0.625, 1e-15) && near(m.reach, sqrt(1.3125) + 0.375, 1e-15));
    // Box and hull do not share a formula.
    tact_vec3 corners[8];
    for (int i = 0; i < 8; ++i)
        corners[i] = (tact_vec3){(i & 1 ? 1 : -1) * half[0], (i & 2 ? 1 : -1) * half[1], (i & 4 ? 1 : -1) * half[2]};
    tact_body_measures n = measured(add_hull(corners, 8, r), 1.0f, &even);
    check(&n, m.volume, m.center, m.inertia, 1e-14);
    assert_true(near(n.inner, m.inner, 1e-14) && near(n.reach, m.reach, 1e-14) && near(n.radius, m.radius, 1e-14));
    // A plate, as a box and as a flat hull; turned by a right angle.
    const tact_body_measures plate = measured(add_box(0.5f, 0.0f, 2.0f, r), 1.0f, &even);
    const tact_vec3 flat[4] = {{-0.5f, 0, -2}, {0.5f, 0, -2}, {0.5f, 0, 2}, {-0.5f, 0, 2}};
    n = measured(add_hull(flat, 4, r), 1.0f, &even);
    check(&n, plate.volume, plate.center, plate.inertia, 1e-14);
    assert_true(near(n.inner, 0.375, 1e-14) && plate.inner == 0.375);
    const tact_vec3 upright[4] = {{7, -0.5f, -2}, {7, 0.5f, -2}, {7, 0.5f, 2}, {7, -0.5f, 2}};
    n = measured(add_hull(upright, 4, r), 1.0f, &even);
    check(&n, plate.volume, (double[3]){7, 0, 0},
          (double[6]){plate.inertia[1], plate.inertia[0], plate.inertia[2], 0, 0, 0}, 1e-14);
}

/// A hull's volume and moments, by a rule of four points in each tetrahedron.
typedef struct sums {
    double volume, center[3], inertia[6];
} sums;

static void add_place(double second[3][3], double first[3], const double x[3], double weight)
{
    for (int i = 0; i < 3; ++i) {
        first[i] += weight * x[i];
        for (int k = 0; k < 3; ++k)
            second[i][k] += weight * x[i] * x[k];
    }
}

static sums sum_mesh(const tact_vec3* points, size_t count)
{
    tact_hull_mesh hull;
    assert_int_equal(tact_hull_mesh_3d(points, count, NULL, &hull), TACT_OK);
    const tact_mesh_view view = {
        .positions = points, .vertex_count = count, .indices = hull.triangles, .triangle_count = hull.triangle_count};
    tact_mesh_report report = {0};
    assert_int_equal(tact_mesh_report_make(&view, NULL, &report), TACT_OK);
    sums s = {.volume = report.volume};
    double first[3] = {0}, second[3][3] = {{0}};
    for (size_t t = 0; t < hull.triangle_count; ++t) {
        double v[3][3];
        for (int i = 0; i < 3; ++i) {
            const tact_vec3 p = points[hull.triangles[3 * t + (size_t)i]];
            v[i][0] = (double)p.x;
            v[i][1] = (double)p.y;
            v[i][2] = (double)p.z;
        }
        const double six = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) -
                           v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
                           v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
        // The fourth corner is the origin.
        const double most = (5.0 + 3.0 * sqrt(5.0)) / 20.0, least = (5.0 - sqrt(5.0)) / 20.0;
        for (int i = 0; i < 4; ++i) {
            double x[3];
            for (int k = 0; k < 3; ++k)
                x[k] = (i == 0 ? most : least) * v[0][k] + (i == 1 ? most : least) * v[1][k] +
                       (i == 2 ? most : least) * v[2][k];
            add_place(second, first, x, six / 24.0);
        }
    }
    tact_hull_mesh_free(&hull);
    double c[3][3];
    for (int i = 0; i < 3; ++i)
        s.center[i] = first[i] / s.volume;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            c[i][k] = second[i][k] - s.volume * s.center[i] * s.center[k];
    }
    const double all[6] = {c[1][1] + c[2][2], c[0][0] + c[2][2], c[0][0] + c[1][1], -c[0][1], -c[0][2], -c[1][2]};
    memcpy(s.inertia, all, sizeof all);
    return s;
}

static tact_vec3 any_point(test_random* r, float half)
{
    return (tact_vec3){half * test_random_signed(r), half * test_random_signed(r), half * test_random_signed(r)};
}

TEST(hulls_of_random_points_are_what_meshes_of_them_are)
{
    test_random r = test_random_seeded(7);
    const tact_body_matter even = {.density = 1.0f};
    for (size_t round = 0; round < effort(20, 400); ++round) {
        tact_vec3 points[200];
        const size_t count = 4 + round * 7 % 190;
        for (size_t i = 0; i < count; ++i) {
            points[i] = any_point(&r, 1.0f);
            // Some lie on a grid, so that faces have many corners.
            if (round % 3 == 2)
                points[i] = (tact_vec3){roundf(2 * points[i].x), roundf(2 * points[i].y), roundf(2 * points[i].z)};
            points[i].y += 0.25f;
        }
        if (round % 3 == 2 && count < 20) continue;
        const tact_body_measures m = measured(add_hull(points, count, 0.0f), 1.0f, &even);
        const sums s = sum_mesh(points, count);
        check(&m, s.volume, s.center, s.inertia, 1e-12);
        for (size_t i = 0; i < count; ++i) {
            const double d[3] = {(double)points[i].x - m.center[0], (double)points[i].y - m.center[1],
                                 (double)points[i].z - m.center[2]};
            assert_true(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) <= m.reach * (1.0 + 1e-15));
        }
    }
}

/// Points of balls about points: as many rings as there are columns, and the poles.
static size_t spread(const tact_vec3* about, size_t count, double radius, size_t rings, tact_vec3* points)
{
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        for (size_t a = 0; a <= rings; ++a) {
            const double polar = pi * (double)a / (double)rings;
            for (size_t b = 0; b < (a % rings ? 2 * rings : 1); ++b) {
                const double turn = pi * (double)b / (double)rings;
                points[n++] = (tact_vec3){(float)((double)about[i].x + radius * sin(polar) * cos(turn)),
                                          (float)((double)about[i].y + radius * sin(polar) * sin(turn)),
                                          (float)((double)about[i].z + radius * cos(polar))};
            }
        }
    }
    return n;
}

TEST(rounded_hulls_are_between_meshes_inside_and_outside)
{
    enum { POINTS = 9, RINGS = 24, ROOM = POINTS * (2 + 2 * RINGS * RINGS) };
    // A direction is within half a cell of one of these; its diagonal is sqrt(2) pi / RINGS.
    const double wider = 1.0 / cos(0.5 * sqrt(2.0) * pi / RINGS);
    test_random r = test_random_seeded(8);
    tact_vec3* cloud = scratch(ROOM * sizeof *cloud);
    const tact_body_matter even = {.density = 1.0f};
    for (size_t round = 0; round < effort(8, 60); ++round) {
        tact_vec3 points[POINTS];
        // Solids, one that is flat, one whose faces nearly are one plane.
        const size_t count = round % 4 == 1 ? 5 : round % 4 == 2 ? 4 : POINTS;
        for (size_t i = 0; i < count; ++i) {
            points[i] = any_point(&r, 1.0f);
            if (round % 4 == 1) points[i].z = 0.5f;
            if (round % 4 == 3) points[i].z *= 1e-5f;
        }
        const float radius = round % 2 ? 0.5f : 0.1f;
        const tact_body_measures m = measured(add_hull(points, count, radius), 1.0f, &even);
        const sums low = sum_mesh(cloud, spread(points, count, (double)radius, RINGS, cloud)),
                   high = sum_mesh(cloud, spread(points, count, wider * (double)radius, RINGS, cloud));
        if (!(m.volume > low.volume && m.volume < high.volume))
            fail_msg("round %zu: %.9g is not within %.9g and %.9g", round, m.volume, low.volume, high.volume);
        // The tensor is about as far between as its trace is.
        double trace = 0.0, traces[2] = {0.0, 0.0};
        for (int k = 0; k < 3; ++k) {
            trace += m.inertia[k];
            traces[0] += low.inertia[k];
            traces[1] += high.inertia[k];
        }
        for (int k = 0; k < 6; ++k) {
            const double t = (trace - traces[0]) / (traces[1] - traces[0]);
            const double between = low.inertia[k] + t * (high.inertia[k] - low.inertia[k]);
            assert_true(t > 0.0 && t < 1.0);
            if (!(fabs(m.inertia[k] - between) <= 1e-3 * trace))
                fail_msg("round %zu: %d of the tensor is %.9g, not about %.9g", round, k, m.inertia[k], between);
        }
        for (int k = 0; k < 3; ++k)
            assert_true(fabs(m.center[k] - low.center[k]) <= 1e-3 * m.reach);
    }
}

/// A rounded hull by other pieces: what two rounded halves of it have in common is the rounded polygon between them.
TEST(halves_of_a_rounded_hull_add_up)
{
    const tact_vec3 whole[8] = {{-1, -1, -1}, {2, -1, -1},   {-1, 1.5f, -1},     {-1, -1, 1},
                                {1, 0, 1},    {-1, 0, 1.5f}, {0.5f, 0.5f, 0.5f}, {1.5f, 0.5f, -0.5f}};
    // The hull and its mirror image beyond the face where x is -1, beside which it has nothing: so both are convex.
    tact_vec3 both[16];
    for (size_t i = 0; i < 8; ++i) {
        both[i] = whole[i];
        both[8 + i] = (tact_vec3){-2.0f - whole[i].x, whole[i].y, whole[i].z};
    }
    const tact_vec3 between[4] = {{-1, -1, -1}, {-1, 1.5f, -1}, {-1, 0, 1.5f}, {-1, -1, 1}};
    const tact_body_matter even = {.density = 1.0f};
    const tact_body_measures half = measured(add_hull(whole, 8, 0.3f), 1.0f, &even),
                             all = measured(add_hull(both, 16, 0.3f), 1.0f, &even),
                             cut = measured(add_hull(between, 4, 0.3f), 1.0f, &even);
    assert_true(near(all.volume, 2.0 * half.volume - cut.volume, 1e-13));
    assert_true(near(all.center[0], -1.0, 1e-13));
    double about[6];
    const double d[3] = {half.center[0] + 1.0, half.center[1] - all.center[1], half.center[2] - all.center[2]},
                 e[3] = {0.0, cut.center[1] - all.center[1], cut.center[2] - all.center[2]};
    about[0] = 2.0 * (half.inertia[0] + half.volume * (d[1] * d[1] + d[2] * d[2])) - cut.inertia[0] -
               cut.volume * (e[1] * e[1] + e[2] * e[2]);
    about[1] =
        2.0 * (half.inertia[1] + half.volume * (d[0] * d[0] + d[2] * d[2])) - cut.inertia[1] - cut.volume * e[2] * e[2];
    about[2] =
        2.0 * (half.inertia[2] + half.volume * (d[0] * d[0] + d[1] * d[1])) - cut.inertia[2] - cut.volume * e[1] * e[1];
    about[5] = 2.0 * (half.inertia[5] - half.volume * d[1] * d[2]) - cut.inertia[5] + cut.volume * e[1] * e[2];
    for (int k = 0; k < 6; ++k) {
        if (k == 3 || k == 4)
            assert_true(fabs(all.inertia[k]) <= 1e-13 * all.inertia[0]);
        else
            assert_true(fabs(all.inertia[k] - about[k]) <= 1e-13 * all.inertia[0]);
    }
}

TEST(a_scale_acts_by_its_powers)
{
    const tact_vec3 points[6] = {{1, 2, 3}, {3, 2, 3}, {1, 5, 3}, {1, 2, 4}, {2, 3, 5}, {2, 4, 4}};
    const tact_body_part parts[2] = {{.shape = add_hull(points, 6, 0.5f), .position = {1, 2, 3}},
                                     {.shape = add_box(1, 2, 3, 0.0f), .scale = 0.5f, .rotation = {0, 0.6f, 0, 0.8f}}};
    const uint32_t shapes[] = {parts[0].shape, parts[1].shape,
                               add((tact_body_shape){.kind = TACT_BODY_SPHERE, .radius = 0.75f}),
                               add((tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = parts, .part_count = 2})};
    const float scales[] = {0x1p-20f, 0.25f, 2.0f, 0x1p40f};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        const tact_body_measures m = measured(shapes[i], 1.0f, NULL), same = measured(shapes[i], 0.0f, NULL);
        assert_memory_equal(&m, &same, sizeof m);
        for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k) {
            const double s = (double)scales[k];
            const tact_body_measures n = measured(shapes[i], scales[k], NULL);
            // Powers of two are exact.
            assert_true(n.volume == m.volume * s * s * s && n.mass == m.mass * s * s * s);
            assert_true(n.reach == m.reach * s && n.inner == m.inner * s && near(n.radius, m.radius * s, 1e-15));
            for (int j = 0; j < 3; ++j)
                assert_true(n.center[j] == m.center[j] * s);
            for (int j = 0; j < 6; ++j)
                assert_true(n.inertia[j] == m.inertia[j] * s * s * s * s * s);
        }
    }
}

TEST(a_compound_is_the_sum_of_its_parts)
{
    // Two halves of a box, of which one is turned about x and is half as large in its own frame.
    const uint32_t left = add_box(0.5f, 1.0f, 2.0f, 0.0f), right = add_box(1.0f, 4.0f, 2.0f, 0.0f);
    const float root = 0.70710678f;
    const tact_body_part parts[2] = {
        {.shape = left, .position = {99.5f, -7, 3}},
        {.shape = right, .scale = 0.5f, .position = {100.5f, -7, 3}, .rotation = {root, 0, 0, root}}};
    const uint32_t both = add((tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = parts, .part_count = 2});
    const tact_body_measures one = measured(add_box(1.0f, 1.0f, 2.0f, 0.0f), 1.0f, NULL),
                             m = measured(both, 1.0f, NULL);
    check(&m, one.volume, (double[3]){100, -7, 3}, one.inertia, 1e-13);
    assert_true(near(m.mass, one.mass, 1e-14) && near(m.reach, one.reach, 1e-7) && near(m.radius, one.radius, 1e-14));
    assert_true(near(m.inner, 0.5, 1e-14));
    // Overlaps count twice, parts without volume for reach alone.
    const tact_vec3 flat[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    const uint32_t ball = add((tact_body_shape){.kind = TACT_BODY_SPHERE, .radius = 1.0f}),
                   plate = add_hull(flat, 3, 0.0f);
    const tact_body_part twice[3] = {
        {.shape = ball}, {.shape = ball}, {.shape = plate, .scale = 3.0f, .position = {0, 0, 1}}};
    const tact_body_measures balls =
        measured(add((tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = twice, .part_count = 3}), 1.0f, NULL);
    const double v = 8.0 / 3.0 * pi, i = 400.0 * v;
    check(&balls, v, (double[3]){0}, (double[6]){i, i, i, 0, 0, 0}, 1e-14);
    assert_true(balls.reach == 4.0 && balls.inner == 1.0);
    // The smallest part, turned and at another centre than the compound's.
    const tact_vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const tact_body_part mixed[2] = {{.shape = ball, .position = {5, 0, 0}},
                                     {.shape = add_hull(corners, 4, 0.25f),
                                      .scale = 2.0f,
                                      .position = {-3, 1, 2},
                                      .rotation = {0.5f, 0.5f, 0.5f, 0.5f}}};
    const tact_body_measures n =
        measured(add((tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = mixed, .part_count = 2}), 1.0f, NULL);
    const tact_body_measures a = measured(ball, 1.0f, NULL), b = measured(mixed[1].shape, 2.0f, NULL);
    assert_true(near(n.volume, a.volume + b.volume, 1e-14) && near(n.inner, fmin(a.inner, b.inner), 1e-14));
    // That rotation takes x to y, y to z and z to x.
    const double at[3] = {-3.0 + b.center[2], 1.0 + b.center[0], 2.0 + b.center[1]};
    double place[3], far = 0.0;
    for (int k = 0; k < 3; ++k) {
        place[k] = (a.volume * (k ? 0.0 : 5.0) + b.volume * at[k]) / n.volume;
        assert_true(fabs(n.center[k] - place[k]) <= 1e-14 * n.reach);
    }
    const double ends[4][3] = {{-3, 1, 2}, {-3, 3, 2}, {-3, 1, 4}, {-1, 1, 2}};
    for (int e = 0; e < 4; ++e)
        far = fmax(far, 0.5 + sqrt((ends[e][0] - place[0]) * (ends[e][0] - place[0]) +
                                   (ends[e][1] - place[1]) * (ends[e][1] - place[1]) +
                                   (ends[e][2] - place[2]) * (ends[e][2] - place[2])));
    const double ball_far = 1.0 + sqrt((5.0 - place[0]) * (5.0 - place[0]) + place[1] * place[1] + place[2] * place[2]);
    assert_true(near(n.reach, fmax(far, ball_far), 1e-14));
}

TEST(the_callers_numbers_take_precedence)
{
    const uint32_t box = add_box(1.0f, 2.0f, 3.0f, 0.0f), ball = add((tact_body_shape){.radius = 1.0f});
    const double center[3] = {0.5, -1.0, 1.0}, tensor[6] = {3, 4, 5, 0.5, -0.25, 0.125};
    const tact_body_matter off = {.density = 2.0f, .center = center, .radius = 0.125f};
    tact_body_measures m = measured(box, 1.0f, &off);
    // About that point, which is the shape's as it is scaled.
    const double mass = 96.0;
    check(&m, 48.0, center,
          (double[6]){mass * (13.0 / 3.0 + 2.0), mass * (10.0 / 3.0 + 1.25), mass * (5.0 / 3.0 + 1.25), mass * 0.5,
                      -mass * 0.5, mass},
          1e-14);
    assert_true(m.radius == 0.125 && m.mass == mass && m.inner == 0.5);
    assert_true(near(m.reach, sqrt(1.5 * 1.5 + 9.0 + 16.0), 1e-15));
    m = measured(box, 2.0f, &off);
    assert_true(m.center[0] == 0.5 && m.radius == 0.125 && m.inner == 1.5 && m.mass == 8.0 * mass);
    assert_true(near(m.reach, sqrt(2.5 * 2.5 + 25.0 + 49.0), 1e-15));
    const tact_body_matter own = {.mass = 5.0f, .density = 2.0f, .inertia = tensor};
    m = measured(box, 1.0f, &own);
    assert_true(m.mass == 5.0 && memcmp(m.inertia, tensor, sizeof tensor) == 0 && m.center[0] == 0.0);
    // Outside the shape: the ball in it is about its own centre.
    const double outside[3] = {9.0, 0.0, 0.0}, aside[3] = {0.5, 0.0, 0.0};
    m = measured(box, 1.0f, &(tact_body_matter){.center = outside});
    assert_true(m.inner == 1.0 && m.center[0] == 9.0 && near(m.reach, sqrt(113.0), 1e-15));
    m = measured(ball, 1.0f, &(tact_body_matter){.center = outside});
    assert_true(m.inner == 1.0 && m.reach == 10.0 && m.radius == 1.0);
    m = measured(ball, 1.0f, &(tact_body_matter){.center = aside});
    assert_true(m.inner == 0.5 && m.reach == 1.5);
}

TEST(centres_beside_a_hull_and_within_its_radius_are_inside)
{
    // A place beside a face, an edge and a corner of a cube from 0 to 2, whose radius is 1.
    tact_vec3 cube[8];
    for (int i = 0; i < 8; ++i)
        cube[i] = (tact_vec3){i & 1 ? 2.0f : 0.0f, i & 2 ? 2.0f : 0.0f, i & 4 ? 2.0f : 0.0f};
    const uint32_t shapes[2] = {add_hull(cube, 8, 1.0f), add_box(1, 1, 1, 1.0f)};
    const double places[4][3] = {{1, 1, 2.5}, {2.3, 1, 2.4}, {-0.2, -0.1, -0.2}, {1.5, 1, 1}};
    const double inner[4] = {0.5, 0.5, 0.7, 1.5};
    for (size_t i = 0; i < 4; ++i) {
        for (size_t k = 0; k < 2; ++k) {
            const double at[3] = {places[i][0] - (double)k, places[i][1] - (double)k, places[i][2] - (double)k};
            const tact_body_measures m = measured(shapes[k], 1.0f, &(tact_body_matter){.center = at});
            if (!near(m.inner, inner[i], 1e-14)) fail_msg("place %zu of shape %zu: %.17g", i, k, m.inner);
        }
    }
    // Beyond the corner by more than the radius, though within that of each plane.
    const double beyond[3] = {2.9, 2.9, 2.9};
    assert_true(near(measured(shapes[0], 1.0f, &(tact_body_matter){.center = beyond}).inner, 2.0, 1e-14));
    const tact_vec3 segment[2] = {{0, 0, 0}, {4, 0, 0}};
    const double near_end[3] = {4.3, 0.4, 0.0};
    const tact_body_measures m = measured(add_hull(segment, 2, 1.0f), 1.0f, &(tact_body_matter){.center = near_end});
    assert_true(near(m.inner, 0.5, 1e-14) && near(m.reach, sqrt(4.3 * 4.3 + 0.16) + 1.0, 1e-14));
}

TEST(flat_hulls_with_a_radius_are_plates_in_any_plane)
{
    test_random r = test_random_seeded(10);
    for (size_t round = 0; round < effort(100, 2000); ++round) {
        // Parallelograms of integers are flat without rounding.
        double u[3], v[3], uu = 0.0, vv = 0.0, uv = 0.0;
        for (int k = 0; k < 3; ++k) {
            u[k] = (double)test_random_below(&r, 41) - 20.0;
            v[k] = (double)test_random_below(&r, 41) - 20.0;
            uu += u[k] * u[k];
            vv += v[k] * v[k];
            uv += u[k] * v[k];
        }
        const double area = sqrt(uu * vv - uv * uv), edges = 2.0 * (sqrt(uu) + sqrt(vv)), radius = 0.75;
        if (area < 1.0) continue;
        tact_vec3 points[4];
        for (int i = 0; i < 4; ++i)
            points[i] = (tact_vec3){(float)(i & 1 ? u[0] : 0.0) + (float)(i & 2 ? v[0] : 0.0),
                                    (float)(i & 1 ? u[1] : 0.0) + (float)(i & 2 ? v[1] : 0.0),
                                    (float)(i & 1 ? u[2] : 0.0) + (float)(i & 2 ? v[2] : 0.0)};
        const tact_body_measures m = measured(add_hull(points, 4, (float)radius), 1.0f, NULL);
        const double volume =
            2.0 * radius * area + 0.5 * pi * radius * radius * edges + 4.0 / 3.0 * pi * radius * radius * radius;
        if (!near(m.volume, volume, 1e-13)) fail_msg("round %zu: %.17g, not %.17g", round, m.volume, volume);
        for (int k = 0; k < 3; ++k)
            assert_true(fabs(m.center[k] - 0.5 * (u[k] + v[k])) <= 1e-13 * m.reach);
        assert_true(near(m.inner, radius, 1e-13));
    }
}

/// Mixes numbers into a digest that does not depend on the order of a machine's bytes.
static uint64_t mixed(uint64_t digest, const double* numbers, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        digest = (digest ^ bits) * 0x9e3779b97f4a7c15u;
        digest ^= digest >> 29;
    }
    return digest;
}

TEST(measures_are_the_same_bits_on_every_machine)
{
    test_random r = {12};
    uint64_t digest = 0;
    for (size_t round = 0; round < 200; ++round) {
        tact_vec3 points[40];
        const size_t count = 1 + round % 40;
        for (size_t i = 0; i < count; ++i)
            points[i] = any_point(&r, 1.0f);
        const uint32_t hull = add_hull(points, count, round % 3 || count < 4 ? 0.125f : 0.0f);
        const tact_body_part parts[2] = {
            {.shape = hull, .scale = 1.3f, .position = {1, 2, 3}, .rotation = {0.1f, 0.2f, 0.3f, 0.9f}},
            {.shape = hull}};
        const tact_body_measures m[2] = {
            measured(hull, 0.7f, NULL),
            measured(add((tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = parts, .part_count = 2}), 0.7f, NULL)};
        for (size_t k = 0; k < 2; ++k) {
            digest = mixed(digest, m[k].center, 3);
            digest = mixed(digest, m[k].inertia, 6);
            digest = mixed(digest, (double[5]){m[k].volume, m[k].mass, m[k].reach, m[k].inner, m[k].radius}, 5);
        }
    }
    if (digest != 0x4440224697da401fu) fail_msg("a digest of %016llx", (unsigned long long)digest);
}

static void refused(uint32_t shape, float scale, tact_body_matter matter, const char* why)
{
    tact_body_measures m, before;
    memset(&m, 0x5a, sizeof m);
    before = m;
    assert_int_equal(tact_body_measure(set, shape, scale, &matter, &m), TACT_ERROR_INVALID_ARGUMENT);
    assert_memory_equal(&m, &before, sizeof m);
    if (!strstr(tact_context_error(context), why)) fail_msg("\"%s\" is not about %s", tact_context_error(context), why);
}

TEST(shapes_without_volume_are_refused)
{
    const tact_vec3 flat[4] = {{0, 0, 0}, {1, 0.25f, 0}, {0, 1, 0.75f}, {1, 1.25f, 0.75f}};
    const uint32_t plate = add_hull(flat, 4, 0.0f);
    const tact_body_part part = {.shape = plate};
    const uint32_t shapes[] = {plate,
                               add_hull(flat, 1, 0.0f),
                               add_hull(flat, 2, 0.0f),
                               add_hull(flat, 3, 0.0f),
                               add_box(1, 0, 1, 0.0f),
                               add_box(0, 0, 0, 0.0f),
                               add((tact_body_shape){.kind = TACT_BODY_SPHERE}),
                               add((tact_body_shape){.kind = TACT_BODY_CAPSULE, .half = {0, 1, 0}}),
                               add((tact_body_shape){.kind = TACT_BODY_CYLINDER, .half = {0, 1, 0}}),
                               add((tact_body_shape){.kind = TACT_BODY_CYLINDER, .radius = 1.0f}),
                               add((tact_body_shape){.kind = TACT_BODY_CONE, .radius = 1.0f}),
                               add((tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = &part, .part_count = 1})};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i)
        refused(shapes[i], 1.0f, (tact_body_matter){0}, "has no volume");
    // Points of a plane as far as they are rounded.
    test_random r = test_random_seeded(9);
    for (size_t round = 0; round < effort(200, 5000); ++round) {
        tact_vec3 points[12];
        // Every third time also of a line.
        const tact_vec3 u = any_point(&r, 1.0f), v = any_point(&r, round % 3 ? 1.0f : 1e-6f), o = any_point(&r, 1.0f);
        for (size_t i = 0; i < 12; ++i) {
            const float a = test_random_signed(&r), b = test_random_signed(&r);
            points[i] = (tact_vec3){o.x + a * u.x + b * v.x, o.y + a * u.y + b * v.y, o.z + a * u.z + b * v.z};
        }
        tact_body_measures m = {.inner = -1.0};
        const tact_result result = tact_body_measure(set, add_hull(points, 12, 0.0f), 1.0f, NULL, &m);
        if (result == TACT_OK)
            assert_true(m.volume > 0.0 && m.volume < 1e-4 && m.inner > 0.0 && m.inner < 1e-4);
        else
            assert_int_equal(result, TACT_ERROR_INVALID_ARGUMENT);
        // A radius always gives it some, about that of a plate.
        const tact_body_measures thick = measured(add_hull(points, 12, 0.25f), 1.0f, NULL);
        assert_true(near(thick.inner, 0.25, 1e-5) && thick.volume > pi / 48.0 && thick.volume < 5.0);
    }
}

TEST(volumes_that_rounding_drowns_are_refused)
{
    // Corners in the plane x + y + z = 0, and one a little beyond it: the volume is a sixth of a determinant that needs
    // more bits than doubles have.
    test_random r = test_random_seeded(11);
    size_t done = 0, left = 0;
    for (size_t round = 0; round < effort(40, 400); ++round) {
        double p[3][2];
        tact_vec3 points[4];
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 2; ++k)
                p[i][k] = (double)test_random_below(&r, 1u << 22) - (double)(1u << 21);
            points[i] = (tact_vec3){(float)p[i][0], (float)p[i][1], (float)(-p[i][0] - p[i][1])};
        }
        const double twice =
            fabs((p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]));
        for (int e = -40; e <= 10; ++e) {
            points[3] = (tact_vec3){0, 0, ldexpf(1.0f, e)};
            tact_body_measures m;
            const tact_result result = tact_body_measure(set, add_hull(points, 4, 0.0f), 1.0f, NULL, &m);
            done += result == TACT_OK;
            left += result != TACT_OK;
            if (result == TACT_OK && !near(m.volume, ldexp(twice / 6.0, e), 2e-3))
                fail_msg("round %zu, beyond by 2^%d: a volume of %.9g, not %.9g", round, e, m.volume,
                         ldexp(twice / 6.0, e));
        }
        refused(add_hull(points, 3, 0.0f), 1.0f, (tact_body_matter){0}, "has no volume");
    }
    assert_true(done > left / 2 && left > done / 2);
}

TEST(hostile_numbers_are_refused)
{
    const uint32_t box = add_box(1.0f, 2.0f, 3.0f, 0.0f), ground = add((tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
    const tact_vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
    const uint32_t triangle[3] = {0, 1, 2};
    const float heights[4] = {0, 0, 0, 0};
    const uint32_t mesh = add((tact_body_shape){
        .kind = TACT_BODY_MESH, .points = corners, .point_count = 3, .triangles = triangle, .triangle_count = 1});
    const uint32_t field = add((tact_body_shape){
        .kind = TACT_BODY_HEIGHT_FIELD, .half = {1, 0, 1}, .heights = heights, .columns = 2, .rows = 2});
    const tact_body_matter plain = {0};
    refused(field + 1, 1.0f, plain, "no shape");
    refused(UINT32_MAX, 1.0f, plain, "no shape");
    refused(ground, 1.0f, plain, "a half-space");
    refused(mesh, 1.0f, plain, "a mesh");
    refused(field, 1.0f, plain, "height field");
    const float scales[] = {-1.0f, NAN, INFINITY, -INFINITY, 0x1p41f, 0x1p-41f};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; ++i)
        refused(box, scales[i], plain, "a scale of");
    const float numbers[] = {-1.0f, NAN, INFINITY, -INFINITY, -0x1p-149f};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
        refused(box, 1.0f, (tact_body_matter){.density = numbers[i]}, "density is");
        refused(box, 1.0f, (tact_body_matter){.radius = numbers[i]}, "radius is");
        refused(box, 1.0f, (tact_body_matter){.mass = numbers[i]},
                numbers[i] == INFINITY ? "infinite mass" : "mass is");
    }
    const double places[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < 9; ++i) {
        double center[3] = {0}, tensor[6] = {1, 1, 1, 0, 0, 0};
        center[i % 3] = tensor[i % 3 + 3 * (i & 1)] = places[i / 3];
        refused(box, 1.0f, (tact_body_matter){.center = center}, "a centre of mass at");
        refused(box, 1.0f, (tact_body_matter){.inertia = tensor}, "a tensor of inertia with");
    }
    const double tensors[][6] = {{0},
                                 {1, 1, -1, 0, 0, 0},
                                 {-1, -1, -1, 0, 0, 0},
                                 {1, 1, 1, 1, 0, 0},
                                 {1, 1, 1, 0, 2, 0},
                                 {1e200, 1e200, 1, 0, 0, 0}};
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; ++i)
        refused(box, 1.0f, (tact_body_matter){.inertia = tensors[i]}, "no body has a mass of");
    const double away[3] = {0, 1e300, 0};
    refused(box, 1.0f, (tact_body_matter){.center = away}, "no body has a mass of");
    refused(box, 1.0f, (tact_body_matter){.center = away, .inertia = (double[6]){1, 1, 1, 0, 0, 0}},
            "no body has a mass of");
    tact_body_measures m;
    assert_int_equal(tact_body_measure(set, box, 1.0f, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_body_measure(NULL, box, 1.0f, NULL, &m), TACT_ERROR_INVALID_ARGUMENT);
}

TEST(shapes_of_any_size_are_measured_while_their_inertia_fits_a_double)
{
    for (int e = -149; e <= 40; e += 9) {
        const float half = ldexpf(1.0f, e);
        const tact_vec3 corners[4] = {{half, 0, 0}, {0, half, 0}, {0, 0, half}, {-half, -half, -half}};
        const uint32_t shapes[2] = {add_hull(corners, 4, 0.0f), add_box(half, half, half, half)};
        for (int k = 0; k < 6; ++k) {
            tact_body_measures m;
            const float scale = ldexpf(1.0f, 40 * (k / 2 - 1));
            const double l = (double)half * (double)scale;
            const bool done = tact_body_measure(set, shapes[k % 2], scale, NULL, &m) == TACT_OK;
            // The determinant of a tensor is about the fifteenth power.
            if (l >= 0x1p-69 && l <= 0x1p64) assert_true(done);
            if (l < 0x1p-76 || l > 0x1p68) assert_false(done);
            if (done) {
                const double volume = k % 2 ? 8.0 + 24.0 + 6.0 * pi + 4.0 / 3.0 * pi : 4.0 / 6.0;
                assert_true(near(m.volume, volume * l * l * l, 1e-13) && m.inner > 0.1 * l && m.reach < 4.0 * l);
                assert_true(near(4.0 / 3.0 * pi * m.radius * m.radius * m.radius, m.volume, 1e-14));
            } else {
                assert_non_null(strstr(tact_context_error(context), "no body has a mass of"));
            }
        }
    }
}

#include TEST_LIST

RUN_ALL(open_set, close_set)
