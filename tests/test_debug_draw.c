// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "tests/support/objects.h"
#include "tests/support/random.h"

// Debug drawing: how many primitives there are and where, limits, trees that hold what they should, broken input.

static tact_context* context;
static tact_debug_list* list;

static int open_context(void** state)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 2};
    if (tact_context_create(&desc, &context) < 0) return 1;
    return tact_debug_list_create(context, &list);
}

static int close_context(void** state)
{
    tact_debug_list_destroy(list);
    tact_context_destroy(context);
    return 0;
}

static tact_debug_draw fresh(void)
{
    tact_debug_list_clear(list);
    return tact_debug_list_draw(list);
}

static size_t points(void)
{
    size_t n;
    tact_debug_list_points(list, &n);
    return n;
}

static size_t lines(void)
{
    size_t n;
    tact_debug_list_lines(list, &n);
    assert_int_equal(n % 2, 0);
    return n / 2;
}

static size_t faces(void)
{
    size_t n;
    tact_debug_list_triangles(list, &n);
    assert_int_equal(n % 3, 0);
    return n / 3;
}

/// The box of all lines drawn.
static tact_aabb extent(void)
{
    size_t n;
    const tact_debug_vertex* v = tact_debug_list_lines(list, &n);
    tact_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            float *lower = &box.lower.x + k, *upper = &box.upper.x + k;
            if (v[i].position[k] < *lower) *lower = v[i].position[k];
            if (v[i].position[k] > *upper) *upper = v[i].position[k];
        }
    }
    return box;
}

static double length_of(size_t line)
{
    const tact_debug_vertex* v = tact_debug_list_lines(list, NULL) + 2 * line;
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double d = (double)v[1].position[k] - (double)v[0].position[k];
        sum += d * d;
    }
    return sqrt(sum);
}

static void expect_extent(float x0, float y0, float z0, float x1, float y1, float z1)
{
    const tact_aabb b = extent();
    const float is[6] = {b.lower.x, b.lower.y, b.lower.z, b.upper.x, b.upper.y, b.upper.z};
    const float should[6] = {x0, y0, z0, x1, y1, z1};
    for (int i = 0; i < 6; ++i) {
        if (!(fabsf(is[i] - should[i]) <= 1e-5f))
            fail_msg("extent %d: %g, not %g", i, (double)is[i], (double)should[i]);
    }
}

static void expect_color(tact_debug_kind kind)
{
    const tact_debug_color want = tact_debug_default_color(kind);
    size_t n;
    const tact_debug_vertex* v = tact_debug_list_lines(list, &n);
    for (size_t i = 0; i < n; ++i)
        assert_memory_equal(&v[i].color, &want, sizeof want);
}

TEST(boxes_have_twelve_edges)
{
    const tact_aabb box = {{-1, 2, 3}, {4, 7, 5}};
    tact_debug_draw d = fresh();
    assert_int_equal(tact_debug_aabb(&d, TACT_DEBUG_LEAF, box), TACT_OK);
    assert_int_equal(lines(), 12);
    assert_int_equal(d.asked, 12);
    expect_extent(-1, 2, 3, 4, 7, 5);
    expect_color(TACT_DEBUG_LEAF);
    double sum = 0.0;
    for (size_t i = 0; i < 12; ++i)
        sum += length_of(i);
    assert_true(fabs(sum - 4 * (5 + 5 + 2)) < 1e-9);

    // A quarter turn about z and a shift.
    const float turn[12] = {0, -1, 0, 10, 1, 0, 0, 20, 0, 0, 1, 30};
    d = fresh();
    assert_int_equal(tact_debug_moved_aabb(&d, TACT_DEBUG_NODE, box, turn), TACT_OK);
    expect_extent(3, 19, 33, 8, 24, 35);

    const float h = sqrtf(0.5f);
    const tact_obb obb = {{1, 0, 0}, {{h, h, 0}, {-h, h, 0}, {0, 0, 1}}, {1, 1, 2}};
    d = fresh();
    assert_int_equal(tact_debug_obb(&d, TACT_DEBUG_VOLUME, &obb), TACT_OK);
    assert_int_equal(lines(), 12);
    expect_extent(1 - 2 * h, -2 * h, -2, 1 + 2 * h, 2 * h, 2);
}

TEST(round_shapes_have_their_size)
{
    const tact_sphere s = {{1, 2, 3}, 2};
    tact_debug_draw d = fresh();
    assert_int_equal(tact_debug_sphere(&d, TACT_DEBUG_VOLUME, s), TACT_OK);
    assert_int_equal(lines(), 96);
    expect_extent(-1, 0, 1, 3, 4, 5);
    size_t n;
    const tact_debug_vertex* v = tact_debug_list_lines(list, &n);
    for (size_t i = 0; i < n; ++i) {
        const float x = v[i].position[0] - 1, y = v[i].position[1] - 2, z = v[i].position[2] - 3;
        assert_true(fabsf(x * x + y * y + z * z - 4.0f) < 1e-4f);
    }
    // All vertices of a capsule are its radius away from the segment.
    const tact_capsule c = {{0, 0, 0}, {3, 4, 0}, 0.5f};
    d = fresh();
    assert_int_equal(tact_debug_capsule(&d, TACT_DEBUG_VOLUME, c), TACT_OK);
    assert_int_equal(lines(), 132);
    v = tact_debug_list_lines(list, &n);
    for (size_t i = 0; i < n; ++i) {
        const double x = (double)v[i].position[0], y = (double)v[i].position[1], z = (double)v[i].position[2];
        double t = (3.0 * x + 4.0 * y) / 25.0;
        t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
        const double dx = x - 3.0 * t, dy = y - 4.0 * t;
        assert_true(fabs(sqrt(dx * dx + dy * dy + z * z) - 0.5) < 1e-5);
    }
    const tact_capsule ball = {{1, 1, 1}, {1, 1, 1}, 1};
    d = fresh();
    assert_int_equal(tact_debug_capsule(&d, TACT_DEBUG_VOLUME, ball), TACT_OK);
    assert_int_equal(lines(), 96);
    expect_extent(0, 0, 0, 2, 2, 2);
}

TEST(planes_triangles_and_frusta)
{
    // z = 2, by a normal of length 2.
    const tact_plane plane = {{0, 0, 2}, 4};
    const tact_vec3 center = {5, 6, 7};
    tact_debug_draw d = fresh();
    assert_int_equal(tact_debug_plane(&d, plane, center, 4), TACT_OK);
    assert_int_equal(lines(), 7);
    expect_extent(3, 4, 2, 7, 8, 3);

    const tact_triangle t = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    d = fresh();
    assert_int_equal(tact_debug_triangle(&d, t, false), TACT_OK);
    assert_true(lines() == 3 && faces() == 0);
    d = fresh();
    assert_int_equal(tact_debug_triangle(&d, t, true), TACT_OK);
    assert_true(lines() == 3 && faces() == 1);

    // 90 degrees, near 1, far 3; and the same with the far plane at infinity.
    const float finite[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -2, -3, 0, 0, -1, 0};
    const float endless[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, -2, 0, 0, -1, 0};
    tact_frustum f;
    assert_true(tact_frustum_from_matrix(finite, TACT_MATRIX_BY_ROWS, TACT_CLIP_MINUS_ONE_TO_ONE, &f));
    d = fresh();
    assert_int_equal(tact_debug_frustum(&d, &f, 100), TACT_OK);
    assert_int_equal(lines(), 12);
    expect_extent(-3, -3, -3, 3, 3, -1);
    assert_true(tact_frustum_from_matrix(endless, TACT_MATRIX_BY_ROWS, TACT_CLIP_MINUS_ONE_TO_ONE, &f));
    assert_int_equal(f.directions, 0xf0);
    d = fresh();
    assert_int_equal(tact_debug_frustum(&d, &f, 10 * sqrtf(3.0f)), TACT_OK);
    assert_int_equal(lines(), 8);
    expect_extent(-11, -11, -11, 11, 11, -1);
    f.planes = 0;
    d = fresh();
    assert_int_equal(tact_debug_frustum(&d, &f, 10), TACT_OK);
    assert_int_equal(lines(), 0);
}

TEST(rays_end_where_they_hit)
{
    const tact_ray ray = {0, 0, 0, 0.5f, 2, 0, 0, INFINITY};
    const tact_hit hit = {0, 0, 2, 0, 0}, miss = {TACT_NONE, TACT_NONE, INFINITY, 0, 0};
    const tact_vec3 normal = {0, 3, 0};
    tact_debug_draw d = fresh();
    assert_int_equal(tact_debug_ray(&d, &ray, &hit, &normal, 100), TACT_OK);
    assert_true(lines() == 2 && points() == 1);
    expect_extent(1, 0, 0, 4, 3, 0);
    d = fresh();
    assert_int_equal(tact_debug_ray(&d, &ray, &miss, &normal, 10), TACT_OK);
    assert_true(lines() == 1 && points() == 0);
    expect_extent(1, 0, 0, 11, 0, 0);
    expect_color(TACT_DEBUG_MISS);
    d = fresh();
    assert_int_equal(tact_debug_ray(&d, &ray, &hit, NULL, 1), TACT_OK);
    assert_true(lines() == 1 && points() == 0);  // the hit is out of reach
    expect_extent(1, 0, 0, 2, 0, 0);
}

TEST(contacts_are_points_and_lines)
{
    const tact_triangle_contact contacts[4] = {
        {TACT_TRIANGLES_APART, {{0, 0, 0}, {0, 0, 0}}},
        {TACT_TRIANGLES_MEET_IN_POINT, {{1, 1, 1}, {1, 1, 1}}},
        {TACT_TRIANGLES_MEET_IN_SEGMENT, {{0, 0, 0}, {2, 0, 0}}},
        {TACT_TRIANGLES_COPLANAR, {{0, 0, 0}, {0, 0, 0}}},
    };
    const float twice[12] = {2, 0, 0, 1, 0, 2, 0, 0, 0, 0, 2, 0};
    tact_debug_draw d = fresh();
    assert_int_equal(tact_debug_triangle_contacts(&d, contacts, 4, twice), TACT_OK);
    assert_true(lines() == 1 && points() == 1);
    expect_extent(1, 0, 0, 5, 0, 0);
    assert_true(tact_debug_list_points(list, NULL)->position[0] == 3.0f);

    tact_manifold m = {.count = 2, .normal = {0, 0, 1}};
    m.point[0] = (tact_manifold_point){{0, 0, 0}, {0, 0, -1}, -1};
    m.point[1] = (tact_manifold_point){{1, 0, 0}, {1, 0, -1}, -1};
    d = fresh();
    assert_int_equal(tact_debug_manifold(&d, &m, 2), TACT_OK);
    assert_true(lines() == 4 && points() == 4);
    expect_extent(0, 0, -1, 1, 0, 2);
    d = fresh();
    assert_int_equal(tact_debug_contact(&d, (tact_vec3){1, 2, 3}, (tact_vec3){0, 5, 0}, 2), TACT_OK);
    assert_true(points() == 1 && lines() == 1);
    expect_extent(1, 2, 3, 1, 4, 3);
}

static size_t all_of(void)
{
    return lines() + points() + faces();
}

TEST(broken_input_draws_nothing)
{
    const float bad[3] = {NAN, INFINITY, -INFINITY};
    for (int b = 0; b < 3; ++b) {
        tact_debug_draw d = fresh();
        const float x = bad[b];
        const tact_vec3 v = {0, x, 0}, o = {0, 0, 0};
        const tact_aabb box = {{0, 0, 0}, {1, x, 1}};
        const tact_obb obb = {{0, 0, 0}, {{1, 0, 0}, {0, x, 0}, {0, 0, 1}}, {1, 1, 1}};
        const tact_obb wide = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, x, 1}};
        const float matrix[12] = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0};
        const tact_aabb good = {{0, 0, 0}, {1, 1, 1}};
        tact_frustum f = {.planes = 63, .corner[3] = v};
        tact_ray ray = {0, x, 0, 0, 1, 0, 0, 1}, along = {0, 0, 0, 0, x, 0, 0, 1};
        tact_manifold m = {.count = 1, .point[0] = {v, o, 0}};
        const tact_triangle_contact contact = {TACT_TRIANGLES_MEET_IN_SEGMENT, {v, o}};
        tact_debug_aabb(&d, TACT_DEBUG_VOLUME, box);
        tact_debug_obb(&d, TACT_DEBUG_VOLUME, &obb);
        tact_debug_obb(&d, TACT_DEBUG_VOLUME, &wide);
        tact_debug_moved_aabb(&d, TACT_DEBUG_VOLUME, good, matrix);
        tact_debug_sphere(&d, TACT_DEBUG_VOLUME, (tact_sphere){v, 1});
        tact_debug_sphere(&d, TACT_DEBUG_VOLUME, (tact_sphere){o, x});
        tact_debug_capsule(&d, TACT_DEBUG_VOLUME, (tact_capsule){o, v, 1});
        tact_debug_capsule(&d, TACT_DEBUG_VOLUME, (tact_capsule){o, o, x});
        tact_debug_plane(&d, (tact_plane){v, 0}, o, 1);
        tact_debug_plane(&d, (tact_plane){{0, 1, 0}, x}, o, 1);
        tact_debug_triangle(&d, (tact_triangle){o, o, v}, true);
        tact_debug_frustum(&d, &f, 1);
        tact_debug_ray(&d, &ray, NULL, NULL, 1);
        tact_debug_ray(&d, &along, NULL, NULL, 1);
        ray.oy = 0;
        tact_debug_ray(&d, &ray, NULL, NULL, x);
        tact_debug_contact(&d, v, o, 1);
        tact_debug_triangle_contacts(&d, &contact, 1, NULL);
        tact_debug_manifold(&d, &m, 1);
        if (all_of() != 0 || d.asked != 0) fail_msg("%g: %zu drawn", (double)x, all_of());
    }
    tact_debug_draw d = fresh();
    const tact_aabb none = {{1, 1, 1}, {0, 2, 2}};
    const tact_ray still = {0, 0, 0, 0, 0, 0, 0, 1}, no = {0, 0, 0, 2, 1, 0, 0, 1},
                   nan_end = {0, 0, 0, 0, 1, 0, 0, NAN};
    tact_debug_aabb(&d, TACT_DEBUG_VOLUME, none);
    tact_debug_sphere(&d, TACT_DEBUG_VOLUME, (tact_sphere){{0, 0, 0}, -1});
    tact_debug_plane(&d, (tact_plane){{0, 0, 0}, 1}, (tact_vec3){0, 0, 0}, 1);
    tact_debug_ray(&d, &still, NULL, NULL, 10);
    tact_debug_ray(&d, &no, NULL, NULL, 10);
    tact_debug_ray(&d, &nan_end, NULL, NULL, 10);
    assert_int_equal(all_of(), 0);
    // Finite numbers whose sum is not: what comes out infinite is left out, the rest is drawn.
    tact_debug_sphere(&d, TACT_DEBUG_VOLUME, (tact_sphere){{3e38f, 0, 0}, 3e38f});
    assert_true(lines() > 0 && lines() < 96);
    size_t n;
    const tact_debug_vertex* v = tact_debug_list_lines(list, &n);
    for (size_t i = 0; i < n; ++i)
        assert_true(isfinite(v[i].position[0]));
    assert_int_equal(tact_debug_aabb(NULL, TACT_DEBUG_VOLUME, none), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_debug_obb(&d, TACT_DEBUG_VOLUME, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_debug_scene_bounds(&d, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_debug_volumes(&d, NULL), TACT_ERROR_INVALID_ARGUMENT);
    tact_debug_list_destroy(NULL);
    tact_debug_list_clear(NULL);
}

TEST(a_limit_is_kept_and_told)
{
    const tact_sphere s = {{0, 0, 0}, 1};
    const tact_aabb box = {{0, 0, 0}, {1, 1, 1}};
    for (uint64_t limit = 1; limit < 120; ++limit) {
        tact_debug_draw d = fresh();
        d.limit = limit;
        const tact_result first = tact_debug_sphere(&d, TACT_DEBUG_VOLUME, s);
        const tact_result second = tact_debug_aabb(&d, TACT_DEBUG_VOLUME, box);
        assert_int_equal(first, limit < 96 ? TACT_INCOMPLETE : TACT_OK);
        assert_int_equal(second, limit < 108 ? TACT_INCOMPLETE : TACT_OK);
        assert_int_equal(lines(), limit < 108 ? limit : 108);
        assert_int_equal(d.asked, 108);
    }
    // Without callbacks it counts.
    tact_debug_draw d = {0};
    assert_int_equal(tact_debug_sphere(&d, TACT_DEBUG_VOLUME, s), TACT_OK);
    assert_int_equal(d.asked, 96);
}

static size_t taken, calls;

static tact_result take_some(const tact_debug_vertex* vertices, size_t count, void* user)
{
    assert_true(count > 0 && count <= 192 && count % 2 == 0);
    taken += count;
    return ++calls == 2 ? TACT_ERROR_CANCELLED : TACT_OK;
}

TEST(a_callback_can_stop_it)
{
    tact_debug_color colors[TACT_DEBUG_KINDS] = {{0}};
    tact_debug_draw d = {.lines = take_some, .colors = colors};
    taken = calls = 0;
    assert_int_equal(tact_debug_capsule(&d, TACT_DEBUG_VOLUME, (tact_capsule){{0, 0, 0}, {1, 0, 0}, 1}),
                     TACT_ERROR_CANCELLED);
    assert_int_equal(calls, 2);
    assert_int_equal(taken, 264);
    taken = calls = 0;
    const tact_aabb box = {{0, 0, 0}, {1, 1, 1}};
    assert_int_equal(tact_debug_aabb(&d, TACT_DEBUG_VOLUME, box), TACT_OK);
    assert_int_equal(calls, 1);  // one call for a box
}

// Bodies

static tact_bodies* new_bodies(const tact_body_shape* shape, const tact_pose* pose)
{
    tact_bodies* set = NULL;
    uint32_t number;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    assert_int_equal(tact_bodies_add_shape(set, shape, &number), TACT_OK);
    assert_int_equal(tact_bodies_add(set, &(tact_body){.pose = *pose}, 1, NULL), TACT_OK);
    return set;
}

static void draw_alone(const tact_body_shape* shape, const tact_pose* pose, const double origin[3], size_t edges)
{
    tact_bodies* set = KEEP(new_bodies(shape, pose));
    tact_debug_draw d = fresh();
    assert_int_equal(tact_debug_bodies(&d, set, origin, 4.0f), TACT_OK);
    assert_int_equal(lines(), edges);
    assert_int_equal(d.asked, edges);
}

TEST(bodies_have_their_size_and_place)
{
    const double half = sqrt(0.5), origin[3] = {1e9, 2.0, -1e9};
    // A quarter turn about z: x becomes y, y becomes -x.
    const tact_pose pose = {
        .x = 1e9 + 1.0, .y = 4.0, .z = -1e9, .rotation = {0, 0, (float)half, (float)half}, .scale = 2};
    const tact_vec3 pyramid[] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}, {0, 2, 0}, {0, 0.5f, 0}};
    draw_alone(&(tact_body_shape){.kind = TACT_BODY_SPHERE, .radius = 1}, &pose, origin, 96);
    expect_extent(-1, 0, -2, 3, 4, 2);
    draw_alone(&(tact_body_shape){.kind = TACT_BODY_CAPSULE, .radius = 1, .half = {0, 2, 0}}, &pose, origin, 132);
    expect_extent(-5, 0, -2, 7, 4, 2);
    draw_alone(&(tact_body_shape){.kind = TACT_BODY_BOX, .half = {1, 2, 3}}, &pose, origin, 12);
    expect_extent(-3, 0, -6, 5, 4, 6);
    // With a radius each face has an outline of its own.
    draw_alone(&(tact_body_shape){.kind = TACT_BODY_BOX, .half = {1, 2, 3}, .radius = 0.5f}, &pose, origin, 24);
    expect_extent(-4, -1, -7, 6, 5, 7);
    draw_alone(&(tact_body_shape){.kind = TACT_BODY_HULL, .points = pyramid, .point_count = 6}, &pose, origin, 8);
    expect_extent(-3, 0, -2, 1, 4, 2);
    draw_alone(&(tact_body_shape){.kind = TACT_BODY_HULL, .points = pyramid, .point_count = 4}, &pose, origin, 4);
    expect_extent(1, 0, -2, 1, 4, 2);
    draw_alone(&(tact_body_shape){.kind = TACT_BODY_HULL, .points = pyramid, .point_count = 2}, &pose, origin, 1);
    expect_extent(1, 0, -2, 1, 4, -2);
    draw_alone(&(tact_body_shape){.kind = TACT_BODY_HULL, .points = pyramid, .point_count = 1, .radius = 1}, &pose,
               origin, 96);
    expect_extent(-1, -2, -4, 3, 2, 0);
    draw_alone(&(tact_body_shape){.kind = TACT_BODY_CYLINDER, .radius = 1, .half = {0, 2, 0}}, &pose, origin, 68);
    expect_extent(-3, 0, -2, 5, 4, 2);
    draw_alone(&(tact_body_shape){.kind = TACT_BODY_CONE, .radius = 1, .half = {0, 2, 0}}, &pose, origin, 36);
    expect_extent(-3, 0, -2, 5, 4, 2);
    static const uint32_t corners[] = {0, 1, 4, 2, 3, 4};
    draw_alone(
        &(tact_body_shape){
            .kind = TACT_BODY_MESH, .points = pyramid, .point_count = 5, .triangles = corners, .triangle_count = 2},
        &pose, origin, 6);
    expect_extent(-3, 0, -2, 1, 4, 2);
    // Six places along x and z, which become y and z: seven edges along them, and two within the cells.
    static const float heights[] = {0, 1, 2, 3, 4, 5};
    draw_alone(
        &(tact_body_shape){
            .kind = TACT_BODY_HEIGHT_FIELD, .heights = heights, .columns = 3, .rows = 2, .half = {1, 0, 3}},
        &pose, origin, 9);
    expect_extent(-9, 2, 0, 1, 6, 6);
    // The square's normal is a quarter as long as it is wide.
    draw_alone(&(tact_body_shape){.kind = TACT_BODY_HALF_SPACE}, &pose, origin, 7);
    expect_extent(0, 0, -2, 1, 4, 2);
    // Without an origin the numbers are the world's.
    draw_alone(&(tact_body_shape){.kind = TACT_BODY_SPHERE, .radius = 1}, &(tact_pose){.x = 5}, NULL, 96);
    expect_extent(4, -1, -1, 6, 1, 1);
}

/// A part that is turned and scaled, in a body that is, too.
TEST(parts_of_bodies_have_their_place)
{
    const double half = sqrt(0.5);
    const tact_quat quarter = {0, 0, (float)half, (float)half};
    const tact_body_part part = {.shape = 0, .scale = 2, .position = {3, 0, 0}, .rotation = quarter};
    tact_bodies* set =
        KEEP(new_bodies(&(tact_body_shape){.kind = TACT_BODY_BOX, .half = {1, 2, 3}}, &(tact_pose){.x = 0}));
    const uint32_t first = 0;
    uint32_t number;
    const tact_body_shape whole = {.kind = TACT_BODY_COMPOUND, .parts = &part, .part_count = 1};
    assert_int_equal(tact_bodies_add_shape(set, &whole, &number), TACT_OK);
    assert_int_equal(tact_bodies_remove(set, &first, 1), TACT_OK);
    const tact_body body = {.pose = {.x = 100, .rotation = quarter, .scale = 3}, .shape = number};
    assert_int_equal(tact_bodies_add(set, &body, 1, NULL), TACT_OK);
    tact_debug_draw d = fresh();
    assert_int_equal(tact_debug_bodies(&d, set, (const double[3]){100, 0, 0}, 1.0f), TACT_OK);
    // Half a turn in all, six times as large, 9 along the body's x, which is the world's y.
    assert_int_equal(lines(), 12);
    expect_extent(-6, -3, -18, 6, 21, 18);
}

TEST(bodies_that_are_removed_are_not_drawn)
{
    tact_bodies* set =
        KEEP(new_bodies(&(tact_body_shape){.kind = TACT_BODY_SPHERE, .radius = 1}, &(tact_pose){.x = 0}));
    const uint32_t id = 0;
    tact_debug_draw d = fresh();
    assert_int_equal(tact_bodies_add(set, &(tact_body){.pose.x = 8}, 1, NULL), TACT_OK);
    assert_int_equal(tact_bodies_remove(set, &id, 1), TACT_OK);
    assert_int_equal(tact_debug_bodies(&d, set, NULL, 1.0f), TACT_OK);
    expect_extent(7, -1, -1, 9, 1, 1);
    d = fresh();
    d.limit = 10;
    assert_int_equal(tact_debug_bodies(&d, set, NULL, 1.0f), TACT_INCOMPLETE);
    assert_int_equal(lines(), 10);
}

TEST(contacts_of_bodies_lie_between_the_surfaces)
{
    tact_bodies* set =
        KEEP(new_bodies(&(tact_body_shape){.kind = TACT_BODY_SPHERE, .radius = 1}, &(tact_pose){.x = 1e9}));
    const double origin[3] = {1e9, 0.0, 0.0};
    const tact_contact* contacts;
    size_t count = 0;
    assert_int_equal(tact_bodies_add(set, &(tact_body){.pose = {.x = 1e9, .y = 1.5}}, 1, NULL), TACT_OK);
    assert_int_equal(tact_contacts_find(set, &(tact_contacts_work){.count = &count}, NULL, NULL), TACT_OK);
    contacts = tact_contacts_last(set, &count);
    assert_int_equal(count, 1);
    tact_debug_draw d = fresh();
    assert_int_equal(tact_debug_body_contacts(&d, set, contacts, count, origin, 2.0f), TACT_OK);
    assert_int_equal(points(), 1);
    assert_int_equal(lines(), 2);
    expect_extent(0, 0.5f, 0, 0, 2.75f, 0);
    // From the surface of A, 1, to that of B, 0.5.
    const tact_debug_vertex* v = tact_debug_list_lines(list, NULL);
    assert_true(v[0].position[1] == 1.0f && v[1].position[1] == 0.5f && v[2].position[1] == 0.75f);
    tact_contact wrong[2] = {contacts[0], contacts[0]};
    wrong[1].origin = 7;
    d = fresh();
    assert_int_equal(tact_debug_body_contacts(&d, set, wrong, 2, NULL, 1.0f), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(context), "contact 1: body 7 is not in the set"));
    assert_int_equal(lines(), 0);
    assert_int_equal(tact_debug_body_contacts(&d, set, NULL, 0, NULL, 1.0f), TACT_OK);
}

// Scenes

static tact_scene* soup(size_t triangles, uint32_t instances)
{
    float* p = scratch(triangles * 9 * sizeof *p);
    test_random random = test_random_seeded(7);
    for (size_t t = 0; t < triangles; ++t) {
        float at[3];
        for (int i = 0; i < 3; ++i)
            at[i] = test_random_unit(&random);
        for (int c = 0; c < 9; ++c)
            p[9 * t + (size_t)c] = at[c % 3] + 0.01f * (float)(c / 3 == c % 3);
    }
    uint32_t mesh, id;
    tact_scene* scene = new_scene(context);
    const tact_mesh_desc desc = {.positions = p, .vertex_count = 3 * triangles, .triangle_count = triangles};
    const tact_mesh_desc empty = {.positions = p};
    assert_int_equal(tact_scene_add_mesh(scene, &desc, &mesh), TACT_OK);
    for (uint32_t i = 0; i < instances; ++i) {
        const float m[12] = {2, 0, 0, 3.0f * (float)i, 0, 1, 0, 0, 0, 0, 1, 0};
        assert_int_equal(tact_scene_add_instance(scene, mesh, m, &id), TACT_OK);
    }
    assert_int_equal(tact_scene_add_mesh(scene, &empty, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_instance(scene, mesh, NULL, &id), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

/// Every level holds all of it.
static void check_levels(const tact_scene* scene, uint32_t instance, uint32_t levels, float width)
{
    size_t before = 0;
    for (uint32_t level = 0; level < levels; ++level) {
        tact_debug_draw d = fresh();
        assert_int_equal(instance == TACT_NONE ? tact_debug_scene_tree(&d, scene, level)
                                               : tact_debug_instance_tree(&d, scene, instance, level),
                         TACT_OK);
        const size_t boxes = lines() / 12;
        const tact_aabb b = extent();
        assert_true(lines() % 12 == 0 && boxes >= before);
        assert_true(level > 0 || boxes == 1);
        assert_true(b.upper.x - b.lower.x > 0.98f * width && b.upper.x - b.lower.x < 1.02f * width);
        before = boxes;
    }
    tact_debug_draw d = fresh();
    assert_int_equal(instance == TACT_NONE ? tact_debug_scene_tree(&d, scene, TACT_DEBUG_LEAVES)
                                           : tact_debug_instance_tree(&d, scene, instance, TACT_DEBUG_LEAVES),
                     TACT_OK);
    assert_int_equal(lines() / 12, before);
    expect_color(TACT_DEBUG_LEAF);
}

TEST(scenes_show_their_trees)
{
    tact_scene* scene = KEEP(soup(1000, 20));
    const uint32_t levels = tact_debug_instance_levels(scene, 3), top = tact_debug_scene_levels(scene);
    // Eight boxes a node: a thousand triangles, four to a leaf, are on level 3 at the earliest, twenty instances on 2.
    assert_true(levels >= 4 && levels < 10 && top >= 3 && top < 6);
    check_levels(scene, 3, levels, 2.0f);
    check_levels(scene, TACT_NONE, top, 59.0f);
    tact_debug_draw d = fresh();
    assert_int_equal(tact_debug_scene_bounds(&d, scene), TACT_OK);
    assert_int_equal(lines(), 20 * 12);
    d = fresh();
    assert_int_equal(tact_debug_instance_bounds(&d, scene, 20), TACT_OK);
    assert_int_equal(tact_debug_instance_box(&d, TACT_DEBUG_VOLUME, scene, 20), TACT_OK);
    assert_int_equal(tact_debug_instance_tree(&d, scene, 20, 0), TACT_OK);
    assert_int_equal(lines(), 0);
    assert_int_equal(tact_debug_instance_levels(scene, 20), 0);
    assert_int_equal(tact_debug_instance_bounds(&d, scene, 21), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_debug_instance_triangle(&d, scene, 0, 1000), TACT_ERROR_INVALID_ARGUMENT);
    d = fresh();
    assert_int_equal(tact_debug_instance_box(&d, TACT_DEBUG_VOLUME, scene, 1), TACT_OK);
    assert_int_equal(tact_debug_instance_edges(&d, scene, 1), TACT_OK);
    assert_int_equal(lines(), 12 + 3000);
    d = fresh();
    assert_int_equal(tact_debug_instance_normals(&d, scene, 1, 0.25f), TACT_OK);
    assert_int_equal(lines(), 1000);
    for (size_t i = 0; i < 1000; ++i)
        assert_true(fabs(length_of(i) - 0.25) < 1e-5);
    d = fresh();
    d.limit = 100;
    assert_int_equal(tact_debug_instance_edges(&d, scene, 1), TACT_INCOMPLETE);
    assert_true(lines() == 100 && d.asked == 3000);
    d = fresh();
    assert_int_equal(tact_debug_instance_triangle(&d, scene, 0, 999), TACT_OK);
    assert_true(lines() == 3 && faces() == 1);
}

TEST(removed_instances_are_not_there)
{
    tact_scene* scene = KEEP(soup(10, 3));
    tact_debug_draw d = fresh();
    assert_int_equal(tact_debug_scene_bounds(&d, scene), TACT_OK);
    const size_t before = lines();
    assert_int_equal(tact_scene_remove_instance(scene, 1), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    d = fresh();
    assert_int_equal(tact_debug_scene_bounds(&d, scene), TACT_OK);
    assert_int_equal(lines(), before - 12);
    assert_int_equal(tact_debug_instance_bounds(&d, scene, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_debug_instance_box(&d, TACT_DEBUG_VOLUME, scene, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_debug_instance_tree(&d, scene, 1, 0), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_debug_instance_edges(&d, scene, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_debug_instance_normals(&d, scene, 1, 1.0f), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_debug_instance_triangle(&d, scene, 1, 0), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_debug_instance_levels(scene, 1), 0);
}

TEST(scenes_without_trees_draw_nothing)
{
    tact_debug_draw d = fresh();
    tact_scene* scene = new_scene(context);
    assert_int_equal(tact_debug_scene_tree(&d, scene, 0), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_debug_scene_tree(&d, scene, 0), TACT_OK);
    assert_int_equal(tact_debug_scene_bounds(&d, scene), TACT_OK);
    assert_int_equal(tact_debug_scene_levels(scene), 0);
    assert_int_equal(all_of(), 0);
    tact_scene_destroy(scene);
    // One triangle: a tree of one leaf.
    scene = soup(1, 1);
    for (uint32_t level = 0; level < 3; ++level) {
        d = fresh();
        assert_int_equal(tact_debug_scene_tree(&d, scene, level), TACT_OK);
        assert_int_equal(tact_debug_instance_tree(&d, scene, 0, level), TACT_OK);
        assert_int_equal(lines(), 24);
    }
    tact_scene_destroy(scene);
}

TEST(sets_show_their_volumes)
{
    const tact_aabb boxes[4] = {
        {{0, 0, 0}, {1, 1, 1}}, {{2, 0, 0}, {3, 1, 1}}, {{NAN, 0, 0}, {1, 1, 1}}, {{4, 0, 0}, {INFINITY, 1, 1}}};
    const tact_sphere spheres[2] = {{{0, 0, 0}, 1}, {{5, 0, 0}, 2}};
    const uint32_t first = 0;
    tact_volumes* set = new_volumes(context, NULL);
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, 4, NULL, NULL, NULL), TACT_OK);
    tact_debug_draw d = fresh();
    assert_int_equal(tact_debug_volumes(&d, set), TACT_OK);
    assert_int_equal(lines(), 24);
    assert_int_equal(tact_volumes_remove(set, &first, 1), TACT_OK);
    d = fresh();
    assert_int_equal(tact_debug_volumes(&d, set), TACT_OK);
    assert_int_equal(lines(), 12);
    expect_extent(2, 0, 0, 3, 1, 1);
    tact_volumes_destroy(set);
    const tact_volumes_desc desc = {.kind = TACT_VOLUME_SPHERE};
    assert_int_equal(tact_volumes_create(context, &desc, &set), TACT_OK);
    assert_int_equal(tact_volumes_add_spheres(set, spheres, 2, NULL, NULL, NULL), TACT_OK);
    d = fresh();
    assert_int_equal(tact_debug_volumes(&d, set), TACT_OK);
    assert_int_equal(lines(), 192);
    expect_extent(-1, -2, -2, 7, 2, 2);
    tact_volumes_destroy(set);
}

#include TEST_LIST
RUN_ALL(open_context, close_context)
