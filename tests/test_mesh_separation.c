// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <float.h>

#include "tests/support/run.h"

#include "base/lane_levels.h"
#include "core/mesh/mesh.h"
#include "cpu_ref/overlap/separation.h"
#include "cpu_ref/overlap/separation_square.h"
#include "tact/geometry/distance.h"
#include "tact/tact.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"
#include "tests/support/meshes.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"
#include "tests/support/separation_input.h"
#include "tests/support/test_context.h"

// The distance of meshes, with and without a front, against the brute force, to the byte.

// ---- Comparing ----

static void reference(tact_mesh* a, tact_mesh* b, const float pose[12], float limit, tact_mesh_distance* result)
{
    const tact_separation_job job = {&a->shape, &b->shape, pose, limit};
    tact_separation_nearest nearest;
    tact_separation_reference(&job, &nearest);
    tact_separation_result(&job, &nearest, result);
}

static bool same(const tact_mesh_distance* x, const tact_mesh_distance* y)
{
    return memcmp(x, y, sizeof *x) == 0;
}

/// Without a front by each set of instructions, each from the roots.
static tact_mesh_distance check(tact_mesh* a, tact_mesh* b, const float pose[12], float limit, tact_mesh_front* front)
{
    tact_mesh_distance expected, found;
    reference(a, b, pose, limit, &expected);
    for (int level = front ? TACT_LANE_LEVELS - 1 : 0; level < TACT_LANE_LEVELS; ++level) {
        if (!tact_lanes_limit(level) && !front) continue;
        assert_int_equal(tact_mesh_separation(a, b, pose, limit, front, &found), TACT_OK);
        if (!same(&expected, &found)) {
            print_message("expected %.9g (%u, %u), found %.9g (%u, %u), limit %g, level %d\n",
                          (double)expected.distance, expected.triangle_a, expected.triangle_b, (double)found.distance,
                          found.triangle_a, found.triangle_b, (double)limit, level);
        }
        assert_true(same(&expected, &found));
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
    return expected;
}

// ---- Tests ----

TEST(known_distances)
{
    tact_mesh *a = KEEP(make_cube_mesh(context, 0, 0, 0, 1)), *b = KEEP(make_cube_mesh(context, 3, 0, 0, 1)),
              *c = KEEP(make_cube_mesh(context, 3, 4, 5, 1));
    const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    tact_mesh_distance d = check(a, b, identity, INFINITY, NULL);
    assert_true(d.distance == 1.0f && d.point_a.x == 1.0f && d.point_b.x == 2.0f);
    assert_true(d.point_a.y == d.point_b.y && d.point_a.z == d.point_b.z);
    assert_int_equal(tact_mesh_separation(a, b, NULL, 1.0f, NULL, &d), TACT_OK);
    assert_true(d.distance == 1.0f);
    assert_int_equal(tact_mesh_separation(a, b, NULL, 0.9999999f, NULL, &d), TACT_OK);
    assert_true(isinf(d.distance) && d.triangle_a == TACT_NONE && d.triangle_b == TACT_NONE && isnan(d.point_a.x));
    d = check(a, c, identity, INFINITY, NULL);
    assert_true(d.distance == sqrtf(1 + 4 + 9));
    d = check(a, a, identity, 0.0f, NULL);
    assert_true(d.distance == 0.0f && d.triangle_a == 0 && d.triangle_b == 0);
    assert_memory_equal(&d.point_a, &d.point_b, sizeof d.point_a);
}

/// The squares that decide are those of the distance that the geometry functions tell.
TEST(squares_are_right)
{
    test_random r = test_random_seeded(31);
    double worst = 0.0;
    for (int round = 0; round < (int)effort(5000, 20000); ++round) {
        tact_triangle t[2];
        float* const v = &t[0].a.x;
        const double scale = pow(10.0, -4.0 * unit(&r)), apart = 3.0 * unit(&r);
        for (int i = 0; i < 18; ++i)
            v[i] = (float)((i < 9 ? 0.0 : apart) + (i % 2 ? scale : 1.0) * (2.0 * unit(&r) - 1.0));
        const uint64_t sort = test_random_bits(&r) % 8;
        if (sort == 0) t[1].b = t[1].a;
        if (sort == 1) t[0].b = t[0].a = t[0].c;
        if (sort == 2)  // parallel edges
            t[1].b = (tact_vec3){t[1].a.x + (t[0].b.x - t[0].a.x), t[1].a.y + (t[0].b.y - t[0].a.y),
                                 t[1].a.z + (t[0].b.z - t[0].a.z)};
        if (sort == 3) t[0].c = (tact_vec3){t[0].a.x, t[0].a.y, nextafterf(t[0].a.z, 9.0f)};
        if (tact_triangle_overlaps_triangle(&t[0], &t[1])) continue;
        const tact_separation_triangle x = tact_separation_prepare(&t[0]), y = tact_separation_prepare(&t[1]);
        dvec gap;
        const double found = sqrt(tact_separation_square(&x, &y, &gap));
        const tact_closest_pair pair = tact_closest_triangle_triangle(&t[0], &t[1]);
        const double error = fabs(found - (double)pair.distance);
        assert_true(fabs(d_length(gap) - found) <= 1e-15);
        worst = fmax(worst, error - (double)pair.distance * 0x1p-23);
    }
    print_message("largest difference beyond the float's rounding: %.3g\n", worst);
    assert_true(worst < 0x1p-38);
}

TEST(random_poses)
{
    test_random r = test_random_seeded(7);
    tact_mesh* meshes[] = {make_cube_mesh(context, 0, 0, 0, 1),
                           make_torus(),
                           make_soup(&r, 1, 1.0f),
                           make_soup(&r, 2, 1.0f),
                           make_soup(&r, 30, 1.0f),
                           make_soup(&r, 200, 1.0f),
                           make_mesh(context, NULL, 0, NULL, 0)};
    enum { MESHES = sizeof meshes / sizeof meshes[0] };
    int apart = 0, touching = 0, beyond = 0;
    for (int i = 0; i < MESHES; ++i) {
        for (int j = 0; j < MESHES; ++j) {
            for (int k = 0; k < (int)effort(6, 24); ++k) {
                float pose[12];
                random_pose(&r, k % 3 == 0 ? 1.5 : 4.0, pose);
                const tact_mesh_distance d = check(meshes[i], meshes[j], pose, INFINITY, NULL);
                apart += isfinite(d.distance) && d.distance > 0.0f;
                touching += d.distance == 0.0f;
                if (!isfinite(d.distance)) continue;
                (void)check(meshes[i], meshes[j], pose, d.distance, NULL);
                beyond += check(meshes[i], meshes[j], pose, nextafterf(d.distance, 0.0f), NULL).triangle_a == TACT_NONE;
                (void)check(meshes[i], meshes[j], pose, 2.0f * d.distance, NULL);
            }
        }
    }
    print_message("%d apart, %d touching, %d beyond a limit\n", apart, touching, beyond);
    const int some = (int)effort(70, 300);
    assert_true(apart > some && touching > some / 3 && beyond > some);
    for (int i = 0; i < MESHES; ++i)
        tact_mesh_destroy(meshes[i]);
}

/// A body that moves a little from pose to pose, leaps at times, and passes through the other.
TEST(along_paths)
{
    test_random r = test_random_seeded(8);
    tact_mesh* meshes[] = {make_torus(), make_cube_mesh(context, 0, 0, 0, 0.2f), make_soup(&r, 100, 1.0f),
                           make_torus()};
    for (int i = 0; i < 4; ++i) {
        tact_mesh *a = meshes[i], *b = meshes[(i + 1) % 4];
        tact_mesh_front* front = NULL;
        assert_int_equal(tact_mesh_front_create(a, b, &front), TACT_OK);
        double axis[3] = {0.3, 1.0, -0.2}, shift[3] = {3.0, 0.1, 0.2};
        const int steps = (int)effort(75, 150);
        for (int step = 0; step < steps; ++step) {
            const double angle = 0.01 * step;
            shift[0] -= 6.0 / steps;
            if (step % 40 == 39) shift[1] += 0.5 * (2.0 * unit(&r) - 1.0);
            float pose[12];
            rigid(axis, angle, shift, pose);
            if (step % 50 == 49) random_pose(&r, 3.0, pose);
            if (step % 37 == 36) pose[3] = 3e18f;
            const float limits[] = {INFINITY, INFINITY, 0.5f, 0.0f, INFINITY};
            (void)check(a, b, pose, limits[step % 5], front);
        }
        tact_mesh_front_destroy(front);
    }
    for (int i = 0; i < 4; ++i)
        tact_mesh_destroy(meshes[i]);
}

/// A body that goes round another while it turns and grows, so that the front has pairs of subtrees that were divided
/// while another side was the larger one.
TEST(growing)
{
    test_random r = test_random_seeded(14);
    tact_mesh *a = KEEP(make_torus()), *b = KEEP(make_soup(&r, 80, 1.0f));
    for (int way = 0; way < 2; ++way) {
        tact_mesh_front* front = NULL;
        assert_int_equal(tact_mesh_front_create(a, b, &front), TACT_OK);
        double size = 0.05;
        for (int step = 0; step < (int)effort(150, 600); ++step) {
            const double axis[3] = {1.0, 0.4, 0.1}, angle = 0.01 * step, far = way == 0 ? 1.6 : 0.5;
            const double shift[3] = {far * cos(angle), far * sin(angle), 0.2};
            float pose[12];
            rigid(axis, 2.0 * angle, shift, pose);
            for (int k = 0; k < 12; ++k)
                pose[k] *= k % 4 == 3 ? 1.0f : (float)size;
            (void)check(a, b, pose, INFINITY, front);
            size *= 1.01;
        }
        tact_mesh_front_destroy(front);
    }
}

/// The front is worth having: what it saves is counted, not timed.
TEST(front_saves_work)
{
    tact_mesh *a = make_torus(), *b = make_torus();
    float pose[12];
    const double axis[3] = {1.0, 0.4, 0.1}, shift[3] = {2.0, 0.6, 1.9};
    rigid(axis, 1.0, shift, pose);
    const tact_separation_job job = {&a->shape, &b->shape, pose, INFINITY};
    tact_mesh_distance d;
    assert_int_equal(tact_mesh_separation(a, b, pose, INFINITY, NULL, &d), TACT_OK);
    tact_separation_front front = {0};
    tact_separation_nearest nearest;
    tact_separation_work first, work;
    tact_env* env = &context->env;
    assert_int_equal(tact_separation_cpu(env, &job, &a->apart, &b->apart, &front, &nearest, &first), TACT_OK);
    assert_true(first.from_roots);
    uint64_t bounds = 0;
    for (int step = 0; step < 50; ++step) {
        pose[3] += 1e-3f;
        assert_int_equal(tact_separation_cpu(env, &job, &a->apart, &b->apart, &front, &nearest, &work), TACT_OK);
        bounds += work.bounds;
    }
    print_message("%d bounds from the roots, %.1f with the front\n", (int)first.bounds, (double)bounds / 50.0);
    assert_true(bounds * 5 < first.bounds * 50);
    tact_separation_front_free(env, &front);
    tact_mesh_destroy(a);
    tact_mesh_destroy(b);
}

TEST(moved_vertices)
{
    test_random r = test_random_seeded(9);
    float p[3 * TORUS_VERTICES];
    uint32_t t[3 * TORUS_TRIANGLES];
    torus(p, t);
    tact_mesh *a = KEEP(make_torus()), *b = KEEP(make_torus());
    tact_mesh_front* front = NULL;
    assert_int_equal(tact_mesh_front_create(a, b, &front), TACT_OK);
    const float pose[12] = {1, 0, 0, 2.7f, 0, 1, 0, 0.1f, 0, 0, 1, 0.2f};
    for (int step = 0; step < 12; ++step) {
        (void)check(a, b, pose, INFINITY, front);
        for (int i = 0; i < 3 * TORUS_VERTICES; ++i)
            p[i] += 0.1f * (float)(2.0 * unit(&r) - 1.0);
        if (step == 5) p[0] = NAN;
        if (step == 7) p[0] = 1.3f;
        assert_int_equal(tact_mesh_move_vertices(step % 2 ? a : b, p, TORUS_VERTICES, 0), TACT_OK);
    }
    tact_mesh_front_destroy(front);
}

TEST(far_and_small)
{
    test_random r = test_random_seeded(10);
    const float sizes[] = {1e18f, 3e9f, 1e-30f, 1e-38f};
    for (int i = 0; i < 4; ++i) {
        tact_mesh *a = make_soup(&r, 60, sizes[i]), *b = make_soup(&r, 60, sizes[i]);
        tact_mesh_front* front = NULL;
        assert_int_equal(tact_mesh_front_create(a, b, &front), TACT_OK);
        for (int k = 0; k < 30; ++k) {
            float pose[12];
            random_pose(&r, 2.0, pose);
            for (int j = 3; j < 12; j += 4)
                pose[j] *= sizes[i];
            (void)check(a, b, pose, INFINITY, k % 2 ? front : NULL);
            if (k % 5 == 0) pose[k % 12] = FLT_MAX;
            (void)check(a, b, pose, INFINITY, front);
        }
        tact_mesh_front_destroy(front);
        tact_mesh_destroy(a);
        tact_mesh_destroy(b);
    }
}

/// One in the hole of the other, one inside the other, and both in one place: the least pair of those that overlap.
TEST(nested_and_in_one_place)
{
    test_random r = test_random_seeded(12);
    tact_mesh *ring = KEEP(make_torus()), *small = KEEP(make_cube_mesh(context, 0, 0, 0, 0.2f)),
              *large = KEEP(make_cube_mesh(context, 0, 0, 0, 5.0f)), *same_ring = KEEP(make_torus());
    tact_mesh_front* front = NULL;
    assert_int_equal(tact_mesh_front_create(ring, same_ring, &front), TACT_OK);
    int apart = 0;
    for (int k = 0; k < (int)effort(20, 60); ++k) {
        float pose[12];
        const double axis[3] = {unit(&r), unit(&r), unit(&r)}, little = 0.02 * k;
        const double shift[3] = {little * unit(&r), little * unit(&r), little * unit(&r)};
        rigid(axis, unit(&r), shift, pose);
        apart += check(ring, small, pose, INFINITY, NULL).distance > 0.0f;
        apart += check(large, ring, pose, INFINITY, NULL).distance > 0.0f;
        (void)check(small, large, pose, INFINITY, NULL);
        rigid(axis, 0.02 * unit(&r) * (k % 3), shift, pose);
        (void)check(ring, same_ring, pose, INFINITY, k % 2 ? front : NULL);
    }
    assert_true(apart > (int)effort(10, 30));
    tact_mesh_front_destroy(front);
}

/// Meshes that touch in a point, along an edge and in a face, and by a hair do not.
TEST(touching)
{
    tact_mesh *a = KEEP(make_cube_mesh(context, 0, 0, 0, 1)), *b = KEEP(make_cube_mesh(context, 0, 0, 0, 1));
    tact_mesh_front* front = NULL;
    assert_int_equal(tact_mesh_front_create(a, b, &front), TACT_OK);
    for (int way = 1; way < 8; ++way) {
        for (int hair = -2; hair <= 2; ++hair) {
            float pose[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
            for (int k = 0; k < 3; ++k)
                pose[4 * k + 3] = way >> k & 1 ? 2.0f + (float)hair * 0x1p-22f : 0.25f;
            const tact_mesh_distance d = check(a, b, pose, INFINITY, NULL);
            assert_int_equal(d.distance > 0.0f, hair > 0);
            (void)check(a, b, pose, INFINITY, front);
        }
    }
    tact_mesh_front_destroy(front);
}

/// Far from each other and from the origin, and one a thousand times as large as the other.
TEST(of_other_sizes)
{
    test_random r = test_random_seeded(13);
    tact_mesh *a = KEEP(make_torus()), *b = KEEP(make_soup(&r, 120, 1.0f));
    tact_mesh_front* front = NULL;
    assert_int_equal(tact_mesh_front_create(a, b, &front), TACT_OK);
    const float sizes[] = {1e-3f, 1e-1f, 10.0f, 1e3f};
    for (int k = 0; k < (int)effort(24, 96); ++k) {
        float pose[12];
        const double far = k % 2 ? 1e5 : 3.0;
        random_pose(&r, far, pose);
        for (int i = 0; i < 12; ++i)
            pose[i] *= i % 4 == 3 ? 1.0f : sizes[k / 2 % 4];
        (void)check(a, b, pose, INFINITY, NULL);
        (void)check(b, a, pose, INFINITY, NULL);
        (void)check(a, b, pose, INFINITY, front);
    }
    tact_mesh_front_destroy(front);
}

/// Trees of several nodes of which none is larger than another.
TEST(points_alone)
{
    enum { COUNT = 40 };
    float p[9 * COUNT], pose[12];
    test_random r = test_random_seeded(11);
    for (int i = 0; i < 9 * COUNT; ++i)
        p[i] = -4.0f;
    const tact_mesh_desc desc = {.positions = p, .vertex_count = 3 * COUNT, .triangle_count = COUNT};
    tact_mesh *a = KEEP(new_mesh(context, &desc)), *b = KEEP(new_mesh(context, &desc));
    for (int k = 0; k < 20; ++k) {
        random_pose(&r, 2.0, pose);
        (void)check(a, b, pose, INFINITY, NULL);
    }
}

TEST(wrong_arguments)
{
    tact_mesh *a = KEEP(make_cube_mesh(context, 0, 0, 0, 1)), *b = KEEP(make_cube_mesh(context, 3, 0, 0, 1));
    tact_mesh_front* front = NULL;
    tact_mesh_distance d;
    float pose[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    assert_int_equal(tact_mesh_front_create(a, NULL, &front), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_mesh_front_create(a, b, &front), TACT_OK);
    assert_int_equal(tact_mesh_separation(b, a, pose, 1.0f, front, &d), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_mesh_separation(a, b, pose, NAN, front, &d), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_mesh_separation(a, b, pose, -1.0f, front, &d), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_mesh_separation(a, b, pose, 1.0f, front, NULL), TACT_ERROR_INVALID_ARGUMENT);
    pose[7] = INFINITY;
    assert_int_equal(tact_mesh_separation(a, b, pose, 1.0f, front, &d), TACT_ERROR_INVALID_ARGUMENT);
    pose[7] = NAN;
    assert_int_equal(tact_mesh_separation(a, b, pose, 1.0f, NULL, &d), TACT_ERROR_INVALID_ARGUMENT);
    tact_mesh_front_destroy(front);
    tact_mesh_front_destroy(NULL);
}

static tact_result sequence(tact_context* where, const float* p, const uint32_t* t, const tact_mesh_distance* expected)
{
    const tact_mesh_desc desc = {
        .positions = p, .vertex_count = TORUS_VERTICES, .indices = t, .triangle_count = TORUS_TRIANGLES};
    tact_mesh* mesh = NULL;
    tact_mesh_front* front = NULL;
    tact_mesh_distance d;
    tact_result result = tact_mesh_create(where, &desc, &mesh);
    if (result == TACT_OK) result = tact_mesh_front_create(mesh, mesh, &front);
    for (int i = 0; i < 4 && result == TACT_OK; ++i) {
        const float pose[12] = {1, 0, 0, 2.7f - 0.05f * (float)i, 0, 1, 0, 0.1f, 0, 0, 1, 0.2f};
        result = tact_mesh_separation(mesh, mesh, pose, INFINITY, front, &d);
        if (result == TACT_OK) assert_true(same(&d, &expected[i]));
    }
    // Whatever failed, the objects that there are still answer when there is memory.
    tact_mesh_front_destroy(front);
    tact_mesh_destroy(mesh);
    return result;
}

TEST(out_of_memory)
{
    float p[3 * TORUS_VERTICES];
    uint32_t t[3 * TORUS_TRIANGLES];
    torus(p, t);
    tact_mesh* mesh = make_torus();
    tact_mesh_distance expected[4];
    for (int i = 0; i < 4; ++i) {
        const float pose[12] = {1, 0, 0, 2.7f - 0.05f * (float)i, 0, 1, 0, 0.1f, 0, 0, 1, 0.2f};
        reference(mesh, mesh, pose, INFINITY, &expected[i]);
    }
    tact_mesh_destroy(mesh);
    counting_allocator counter = {0};
    const tact_allocator hooks = counting_hooks(&counter);
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 1, .allocator = hooks};
    tact_context* own = new_context(&desc);
    const size_t live = counter.live;
    bool failed = true;
    int rounds = 0;
    for (size_t at = 1; failed; ++at, ++rounds) {
        counter.fail_at = counter.requests + at;
        counter.failed = false;
        const tact_result result = sequence(own, p, t, expected);
        failed = counter.failed;
        assert_int_equal(result, failed ? TACT_ERROR_OUT_OF_MEMORY : TACT_OK);
        assert_int_equal(counter.live, live);
    }
    assert_true(rounds > 10);
    counter.fail_at = 0;
    tact_context_destroy(own);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
