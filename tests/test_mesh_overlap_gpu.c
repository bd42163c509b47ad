// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Overlap of meshes on a device, OpenGL's or OpenCL's as the argument says, against its definition or, where that takes
// too long, the CPU's engine.
#include "tests/support/run.h"

#include "apps/inputs/mesh_file.h"
#include "apps/inputs/scenes.h"
#include "core/mesh/mesh.h"
#include "gpu/overlap/overlap.h"
#include "tests/support/calls.h"
#include "tests/support/effort.h"
#include "tests/support/flushed.h"
#include "tests/support/mesh_soup.h"
#include "tests/support/meshes.h"
#include "tests/support/objects.h"
#include "tests/support/tested_device.h"

enum { POSES = 12 };

static tact_mesh* make_soup(test_random* r, soup_kind kind, size_t triangles)
{
    static soup s;
    fill_soup(r, kind, triangles, &s);
    return make_mesh(context, s.positions, s.vertices, s.indices, s.triangles);
}

typedef struct answer {
    tact_mesh_pair* pairs;
    size_t count;
    uint8_t* relations[2];     ///< not solid, solid
    tact_query_report report;  ///< of the pairs
} answer;

static void expect_ok(const char* what, tact_result result)
{
    if (result != TACT_OK) fail_msg("%s: %s: %s", what, tact_result_name(result), tact_context_error(context));
}

/// Pairs, and relations unless b is NULL: a with itself.
static answer ask(const char* what, tact_mesh* a, tact_mesh* b, const float (*poses)[12], size_t count,
                  tact_backend backend)
{
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    answer r = {0};
    tact_result result = TACT_INCOMPLETE;
    for (int round = 0; round < 2 && result == TACT_INCOMPLETE; ++round) {
        const size_t room = r.count;
        r.pairs = scratch((room + 1) * sizeof *r.pairs);
        result = b ? call_mesh_overlap_pairs(a, b, poses, count, r.pairs, room, &r.count, &options, &r.report)
                   : tact_mesh_self_overlap_pairs(a, r.pairs, room, &r.count, &options, &r.report);
    }
    expect_ok(what, result);
    assert_int_equal(r.report.backend, backend);
    for (int solid = 0; solid < 2; ++solid) {
        r.relations[solid] = scratch_zeroed(count + 1, 1);
        if (!b) continue;
        expect_ok(what, call_mesh_overlap(a, b, poses, count, solid != 0, r.relations[solid], &options, NULL));
    }
    return r;
}

static void expect_same(const char* what, const answer* got, const answer* expected, size_t poses)
{
    for (size_t i = 0; i < got->count && i < expected->count; ++i) {
        const tact_mesh_pair g = got->pairs[i], e = expected->pairs[i];
        if (memcmp(&g, &e, sizeof g) == 0) continue;
        fail_msg("%s: pair %zu is (%u: %u, %u), expected (%u: %u, %u)", what, i, g.pose, g.a, g.b, e.pose, e.a, e.b);
    }
    if (got->count != expected->count) fail_msg("%s: %zu pairs, expected %zu", what, got->count, expected->count);
    for (int solid = 0; solid < 2; ++solid) {
        for (size_t i = 0; i < poses; ++i) {
            const int g = got->relations[solid][i], e = expected->relations[solid][i];
            if (g != e) fail_msg("%s: pose %zu, solid %d: relation %d, expected %d", what, i, solid, g, e);
        }
    }
}

static size_t compare(const char* what, tact_mesh* a, tact_mesh* b, const float (*poses)[12], size_t count,
                      tact_backend with)
{
    answer got = ask(what, a, b, poses, count, tested), expected = ask(what, a, b, poses, count, with);
    expect_same(what, &got, &expected, count);
    return got.count;
}

TEST(random_meshes)
{
    static const char* const names[] = {"smooth", "lattice", "broken", "tiny", "huge", "needles"};
    static const size_t sizes[] = {0, 1, 7, 30, 150, 400};
    test_random r = test_random_seeded(11);
    for (int kind = 0; kind < SOUP_KINDS; ++kind) {
        size_t total = 0;
        for (int round = 0; round < 6; round += (int)effort(2, 1)) {
            tact_mesh* a = KEEP(make_soup(&r, (soup_kind)kind, sizes[round]));
            tact_mesh* b = KEEP(make_soup(&r, (soup_kind)kind, sizes[(round * 5 + 3) % 6]));
            float poses[POSES][12];
            for (int i = 0; i < POSES; ++i)
                random_pose(&r, (soup_kind)kind, poses[i]);
            total += compare(names[kind], a, b, (const float(*)[12])poses, POSES, TACT_BACKEND_REFERENCE);
            total += compare(names[kind], b, a, (const float(*)[12])poses, 1, TACT_BACKEND_REFERENCE);
            total += compare(names[kind], a, a, NULL, 1, TACT_BACKEND_REFERENCE);
            total += compare(names[kind], b, NULL, NULL, 1, TACT_BACKEND_REFERENCE);
        }
        print_message("%s: %zu pairs\n", names[kind], total);
        assert_true(total > 100);
    }
}

// ---- Larger ones ----

/// `count` strips along x, side by side in y, each of one long triangle.
static tact_mesh* make_strips(uint32_t count, bool across)
{
    float* p = scratch((size_t)count * 9 * sizeof *p);
    uint32_t* t = scratch((size_t)count * 3 * sizeof *t);
    for (uint32_t i = 0; i < count; ++i) {
        const float y = ((float)i + 0.5f) / (float)count;
        const float low = across ? -0.1f : -0.05f, high = across ? 0.1f : 0.05f;
        const float corners[3][3] = {{-0.5f, y, low}, {-0.5f, y, high}, {2.0f, y, 0.0f}};
        for (int k = 0; k < 3; ++k) {
            p[9 * i + 3 * k] = corners[k][across ? 1 : 0];
            p[9 * i + 3 * k + 1] = corners[k][across ? 0 : 1];
            p[9 * i + 3 * k + 2] = corners[k][2];
            t[3 * i + k] = 3 * i + k;
        }
    }
    return make_mesh(context, p, (size_t)count * 3, t, count);
}

TEST(all_strips_cross)
{
    tact_mesh *a = KEEP(make_strips(330, false)), *b = KEEP(make_strips(320, true));
    assert_int_equal(compare("strips", a, b, NULL, 1, TACT_BACKEND_CPU), 330 * 320);
}

static void turn_about(test_random* r, float shift, float m[12])
{
    random_turn(r, 1.0f, m);
    for (int i = 0; i < 3; ++i)
        m[4 * i + 3] = shift * test_random_signed(r);
}

TEST(many_poses)
{
    enum { COUNT = 70000 };  // more than a batch
    test_random r = test_random_seeded(3);
    tact_mesh *a = KEEP(make_soup(&r, SMOOTH, 60)), *b = KEEP(make_soup(&r, SMOOTH, 10));
    float(*poses)[12] = scratch(COUNT * sizeof *poses);
    for (size_t i = 0; i < COUNT; ++i)
        turn_about(&r, 2.0f, poses[i]);
    const size_t found = compare("many poses", a, b, (const float(*)[12])poses, COUNT, TACT_BACKEND_CPU);
    print_message("%zu pairs\n", found);
    assert_true(found > COUNT / 10);
}

/// A bumpy ball.
static tact_mesh* make_ball(uint32_t rings, float radius)
{
    const uint32_t around = 2 * rings;
    float* p = scratch((size_t)(rings + 1) * around * 3 * sizeof *p);
    uint32_t* t = scratch((size_t)rings * around * 6 * sizeof *t);
    uint32_t n = 0;
    for (uint32_t i = 0; i <= rings; ++i) {
        for (uint32_t k = 0; k < around; ++k) {
            const double u = 3.14159265 * i / rings, v = 6.2831853 * k / around;
            const double size = (double)radius * (1.0 + 0.05 * sin(9 * u) * cos(7 * v));
            float* at = p + 3 * (size_t)(i * around + k);
            at[0] = (float)(size * sin(u) * cos(v));
            at[1] = (float)(size * sin(u) * sin(v));
            at[2] = (float)(size * cos(u));
        }
    }
    for (uint32_t i = 0; i < rings; ++i) {
        for (uint32_t k = 0; k < around; ++k) {
            const uint32_t next = (k + 1) % around, here = i * around, below = here + around;
            const uint32_t corners[6] = {here + k, below + k, here + next, here + next, below + k, below + next};
            memcpy(t + n, corners, sizeof corners);
            n += 6;
        }
    }
    return make_mesh(context, p, (size_t)(rings + 1) * around, t, n / 3);
}

static tact_gpu_overlap_job job_in_pieces(const tact_overlap_job* query, tact_gpu_mesh** a, tact_gpu_mesh** b)
{
    tact_gpu_overlap_job job = {.query = query, .resident_a = a, .resident_b = b, .capacity = 1};
    return job;
}

/// Lists that do not fit give the same as lists that do.
TEST(lists_in_pieces)
{
    tact_mesh *a = KEEP(make_ball(70, 1.0f)), *b = KEEP(make_ball(60, 1.01f));
    test_random r = test_random_seeded(5);
    float poses[16][12];
    for (size_t i = 0; i < 16; ++i)
        turn_about(&r, 0.4f * (float)(i % 4), poses[i]);
    answer expected = ask("pieces", a, b, (const float(*)[12])poses, 16, TACT_BACKEND_CPU);
    const tact_overlap_job query = {
        .a = &a->shape, .b = &b->shape, .poses = (const float(*)[12])poses, .pose_count = 16, .threads = 2};
    tact_gpu_mesh *of_a = NULL, *of_b = NULL;
    tact_gpu_overlap_job job = job_in_pieces(&query, &of_a, &of_b);
    tact_overlap_list list = {0};
    tact_query_report report = {0};
    job.list = &list;
    expect_ok("pieces", tact_gpu_overlap(device, &job, &report));
    print_message("%zu pairs, %llu leaf pairs, %llu unsure, %llu launches\n", list.count,
                  (unsigned long long)job.leaf_pairs, (unsigned long long)job.unsure, (unsigned long long)job.launches);
    assert_true(job.launches > 100);
    assert_int_equal(list.count, expected.count);
    assert_memory_equal(list.pairs, expected.pairs, list.count * sizeof *list.pairs);
    uint8_t overlaps[16];
    job.list = NULL;
    job.overlaps = overlaps;
    expect_ok("pieces", tact_gpu_overlap(device, &job, &report));
    assert_memory_equal(overlaps, expected.relations[0], sizeof overlaps);
    tact_overlap_list_free(&context->env, &list);
    tact_gpu_mesh_release(of_a);
    tact_gpu_mesh_release(of_b);
}

/// Once it is known how many steps a walk takes, a GPU is waited for once, or twice if there is more than there was;
/// also where findings have no room in the middle of what was launched ahead.
TEST(later_calls_wait_for_a_gpu_once)
{
    tact_device_info* info = (tact_device_info*)tact_device_describe(device);
    const bool software = info->software;
    tact_mesh *a = KEEP(make_ball(40, 1.0f)), *b = KEEP(make_ball(30, 1.01f));
    test_random r = test_random_seeded(8);
    float poses[40][12];
    for (size_t i = 0; i < 40; ++i)
        turn_about(&r, 0.6f * (float)(i % 4), poses[i]);
    answer expected = ask("ahead", a, b, (const float(*)[12])poses, 40, TACT_BACKEND_CPU);
    const tact_overlap_job query = {
        .a = &a->shape, .b = &b->shape, .poses = (const float(*)[12])poses, .pose_count = 40, .threads = 2};
    info->software = false;
    for (uint32_t capacity = 0; capacity < 2; ++capacity) {
        tact_gpu_mesh *of_a = NULL, *of_b = NULL;
        tact_gpu_overlap_job job = job_in_pieces(&query, &of_a, &of_b);
        job.capacity = capacity;
        tact_overlap_list list = {0};
        tact_query_report report = {0};
        for (int round = 0; round < 6; ++round) {
            uint8_t overlaps[40];
            const uint64_t before = tact_device_counted(device).waits;
            job.list = round % 2 ? &list : NULL;
            job.overlaps = round % 2 ? NULL : overlaps;
            expect_ok("ahead", tact_gpu_overlap(device, &job, &report));
            if (capacity == 0 && round > 1) assert_in_range(tact_device_counted(device).waits - before, 1, 2);
            if (job.overlaps) assert_memory_equal(overlaps, expected.relations[0], sizeof overlaps);
            if (job.overlaps) continue;
            assert_int_equal(list.count, expected.count);
            assert_memory_equal(list.pairs, expected.pairs, list.count * sizeof *list.pairs);
        }
        tact_overlap_list_free(&context->env, &list);
        tact_gpu_mesh_release(of_a);
        tact_gpu_mesh_release(of_b);
    }
    info->software = software;
}

/// What is launched ahead, by what the last call had, has room also if there are many times more pairs of leaves.
TEST(many_more_leaves_than_the_last_time)
{
    enum { COUNT = 200 };
    tact_device_info* info = (tact_device_info*)tact_device_describe(device);
    const bool software = info->software;
    tact_mesh *a = KEEP(make_ball(20, 1.0f)), *b = KEEP(make_ball(20, 1.01f));
    test_random r = test_random_seeded(9);
    float(*poses)[COUNT][12] = scratch(2 * sizeof *poses);  // around each other, then through each other
    for (size_t i = 0; i < COUNT; ++i) {
        turn_about(&r, 0.0f, poses[1][i]);
        for (int k = 0; k < 12; ++k)
            poses[0][i][k] = 1.32f * poses[1][i][k];
    }
    tact_gpu_mesh *of_a = NULL, *of_b = NULL;
    uint64_t leaf_pairs[2] = {0};
    info->software = false;
    for (int round = 0; round < 4; ++round) {
        const tact_overlap_job query = {.a = &a->shape,
                                        .b = &b->shape,
                                        .poses = (const float(*)[12])poses[round % 2],
                                        .pose_count = COUNT,
                                        .threads = 2};
        tact_gpu_overlap_job job = job_in_pieces(&query, &of_a, &of_b);
        tact_overlap_list list = {0};
        tact_query_report report = {0};
        job.list = &list;
        expect_ok("more", tact_gpu_overlap(device, &job, &report));
        answer expected = ask("more", a, b, query.poses, COUNT, TACT_BACKEND_CPU);
        assert_int_equal(list.count, expected.count);
        if (list.count > 0) assert_memory_equal(list.pairs, expected.pairs, list.count * sizeof *list.pairs);
        leaf_pairs[round % 2] = job.leaf_pairs;
        tact_overlap_list_free(&context->env, &list);
    }
    info->software = software;
    tact_gpu_mesh_release(of_a);
    tact_gpu_mesh_release(of_b);
    print_message("%llu pairs of leaves, then %llu\n", (unsigned long long)leaf_pairs[0],
                  (unsigned long long)leaf_pairs[1]);
    assert_true(leaf_pairs[1] > 10 * (leaf_pairs[0] + 1));
}

/// Nothing on top of itself is sure: all goes to the host.
TEST(the_same_on_itself)
{
    tact_mesh* a = KEEP(make_ball(24, 1.0f));
    compare("itself", a, a, NULL, 1, TACT_BACKEND_CPU);
    compare("its own", a, NULL, NULL, 1, TACT_BACKEND_CPU);
}

/// Neighbours are known by place: none of a ball's triangles meets another, though each has vertices of its own.
TEST(neighbours_are_known_by_place)
{
    tact_problem problem = {0};
    tact_model_mesh ball = {0};
    assert_true(tact_mesh_icosphere(2, &ball, &problem));
    const size_t corners = 3 * ball.triangle_count;
    float* loose = scratch((corners + 6) * 3 * sizeof *loose);
    for (size_t i = 0; i < 3 * corners; ++i) {
        const float x = ball.positions[3 * (size_t)ball.indices[i / 3] + i % 3];
        loose[i] = x == 0.0f && i % 2 ? -0.0f : x;
    }
    // Two that go through each other.
    static const float crossing[18] = {0, 0, 5, 2, 0, 5, 0, 2, 5, 0.25f, 0, 5, 1, 1, 4, 1, 1, 6};
    memcpy(loose + 3 * corners, crossing, sizeof crossing);
    tact_mesh *apart = KEEP(make_mesh(context, loose, corners, NULL, ball.triangle_count)),
              *through = KEEP(make_mesh(context, loose, corners + 6, NULL, ball.triangle_count + 2));
    assert_int_equal(compare("loose", apart, NULL, NULL, 1, TACT_BACKEND_REFERENCE), 0);
    assert_int_equal(compare("through", through, NULL, NULL, 1, TACT_BACKEND_REFERENCE), 1);
    tact_model_mesh_free(&ball);
}

TEST(vertices_move)
{
    static soup s;
    test_random r = test_random_seeded(9);
    fill_soup(&r, SMOOTH, 300, &s);
    tact_mesh *a = KEEP(make_mesh(context, s.positions, s.vertices, s.indices, s.triangles)),
              *b = KEEP(make_soup(&r, SMOOTH, 300));
    float pose[1][12];
    size_t total = 0;
    for (int round = 0; round < 6; ++round) {
        turn_about(&r, 0.1f, pose[0]);
        for (size_t i = 0; i < 3 * s.vertices; ++i)
            s.positions[i] += 0.05f * test_random_signed(&r);
        // From here on other triangles are there than at first.
        if (round == 3) s.positions[0] = NAN;
        assert_int_equal(tact_mesh_move_vertices(a, s.positions, s.vertices, 0), TACT_OK);
        total += compare("moved", a, b, (const float(*)[12])pose, 1, TACT_BACKEND_REFERENCE);
        total += compare("moved, itself", a, NULL, NULL, 1, TACT_BACKEND_REFERENCE);
    }
    assert_true(total > 100);
}

TEST(a_bunny_and_a_bunny)
{
    tact_model_mesh model = {0};
    tact_problem problem;
    if (!tact_mesh_file_read("/usr/share/glmark2/models/bunny.obj", &model, &problem))
        skip_because("no bunny (package glmark2-data)");
    tact_mesh* a = KEEP(make_mesh(context, model.positions, model.vertex_count, model.indices, model.triangle_count));
    test_random r = test_random_seeded(1);
    float poses[5][12];
    tact_mesh_info info;
    assert_int_equal(tact_mesh_get_info(a, &info), TACT_OK);
    for (size_t i = 0; i < 5; ++i)
        turn_about(&r, 0.5f * (info.upper[0] - info.lower[0]), poses[i]);
    print_message("%zu pairs\n", compare("bunny", a, a, (const float(*)[12])poses, 5, TACT_BACKEND_CPU));
    tact_model_mesh_free(&model);
}

/// Poses that overlap and poses that do not are told apart by the device, what is inside what by the CPU.
TEST(one_inside_the_other)
{
    static const float shifts[] = {0, 5, 0.75f, 0.5f, 0.76f, 1.25f, 1.26f, 0.1f};
    static const uint8_t expected[] = {TACT_MESHES_B_INSIDE, TACT_MESHES_APART,     TACT_MESHES_INTERSECT,
                                       TACT_MESHES_B_INSIDE, TACT_MESHES_INTERSECT, TACT_MESHES_INTERSECT,
                                       TACT_MESHES_APART,    TACT_MESHES_B_INSIDE};
    tact_mesh *large = KEEP(make_cube_mesh(context, 0, 0, 0, 1.0f)),
              *small = KEEP(make_cube_mesh(context, 0, 0, 0, 0.25f));
    float poses[8][12] = {{0}};
    for (int i = 0; i < 8; ++i) {
        poses[i][0] = poses[i][5] = poses[i][10] = 1;
        poses[i][3] = shifts[i];
    }
    answer got = ask("inside", large, small, (const float(*)[12])poses, 8, tested);
    assert_memory_equal(got.relations[1], expected, 8);
    got = ask("inside", small, large, (const float(*)[12])poses, 8, tested);
    for (int i = 0; i < 8; ++i) {
        const int other = expected[i] == TACT_MESHES_B_INSIDE ? TACT_MESHES_A_INSIDE : expected[i];
        assert_int_equal(got.relations[1][i], other);
    }
}

// ---- What is kept, and what fails ----

TEST(a_mesh_is_uploaded_once)
{
    tact_mesh *a = make_ball(100, 1.0f), *b = make_ball(100, 1.0f);
    const float pose[1][12] = {{1, 0, 0, 1.99f, 0, 1, 0, 0, 0, 0, 1, 0}};
    const int place = tact_context_find(context, tested);
    answer first = ask("first", a, b, pose, 1, tested);
    void *const of_a = a->kept[place].data, *const of_b = b->kept[place].data;
    assert_non_null(of_a);
    assert_non_null(of_b);
    const uint64_t bytes = tact_device_bytes(device);
    assert_true(first.report.memory_bytes > 2 * 40000 * 48 && first.report.memory_bytes <= bytes);
    answer second = ask("second", a, b, pose, 1, tested);
    assert_ptr_equal(a->kept[place].data, of_a);
    assert_ptr_equal(b->kept[place].data, of_b);
    assert_int_equal(tact_device_bytes(device), bytes);
    expect_same("second", &second, &first, 1);
    tact_mesh_destroy(a);
    tact_mesh_destroy(b);
    // But what transfers go through, each way.
    assert_int_equal(tact_device_enter(device), TACT_OK);
    assert_int_equal(tact_device_bytes(device), 2 * tact_device_ring_bytes(device));
    tact_device_leave(device);
}

static void expect_fallback(tact_mesh* a, tact_mesh* b, const float (*poses)[12], const answer* expected, bool* failed)
{
    const tact_query_options options = {.backend = tested};
    tact_mesh_pair* pairs = scratch_zeroed(expected->count + 1, sizeof *pairs);
    size_t count = 0;
    tact_query_report report;
    expect_ok("fallback",
              call_mesh_overlap_pairs(a, b, poses, POSES, pairs, expected->count, &count, &options, &report));
    *failed = report.failures > 0;
    assert_int_equal(report.backend, *failed ? TACT_BACKEND_CPU : tested);
    assert_int_equal(count, expected->count);
    assert_memory_equal(pairs, expected->pairs, count * sizeof *pairs);
}

TEST(a_failing_buffer_is_answered_by_the_cpu)
{
    test_random r = test_random_seeded(2);
    float poses[POSES][12];
    for (int i = 0; i < POSES; ++i)
        turn_about(&r, 0.5f, poses[i]);
    bool failed = true;
    uint32_t number = 1;
    for (; failed; ++number) {
        tact_mesh *a = make_soup(&r, SMOOTH, 100), *b = make_soup(&r, SMOOTH, 100);
        answer expected = ask("failing", a, b, (const float(*)[12])poses, POSES, TACT_BACKEND_CPU);
        tact_device_fail_buffer(device, number);
        expect_fallback(a, b, (const float(*)[12])poses, &expected, &failed);
        tact_device_fail_buffer(device, 0);
        answer again = ask("after a failure", a, b, (const float(*)[12])poses, POSES, tested);
        expect_same("after a failure", &again, &expected, POSES);
        tact_mesh_destroy(a);
        tact_mesh_destroy(b);
        assert_true(number < 100);
    }
    assert_true(number > 10);
}

TEST(a_lost_device_is_answered_by_the_cpu)
{
    test_random r = test_random_seeded(4);
    float poses[POSES][12];
    for (int i = 0; i < POSES; ++i)
        turn_about(&r, 0.5f, poses[i]);
    tact_context* const before = context;
    for (uint32_t number = 1; number < 12; number += 2) {
        context = one_device_context(tested);
        assert_non_null(context);
        tact_mesh *a = make_soup(&r, SMOOTH, 100), *b = make_soup(&r, SMOOTH, 100);
        answer expected = ask("lost", a, b, (const float(*)[12])poses, POSES, TACT_BACKEND_CPU);
        tact_device_fail_launch(context->devices[tact_context_find(context, tested)], number);
        bool failed = false;
        expect_fallback(a, b, (const float(*)[12])poses, &expected, &failed);
        assert_true(failed);
        tact_mesh_destroy(a);
        tact_mesh_destroy(b);
        tact_context_destroy(context);
    }
    context = before;
}

/// Triangles beside, and in, the plane y = 0, that are of two sizes, and of which x and z are small too in some.
static tact_mesh* make_sheets(float y, float size)
{
    const float p[4][3] = {{-size, y, -size}, {size, y, -size}, {0, y, size}, {0, y + size, 0}};
    const uint32_t t[] = {0, 1, 2, 0, 1, 3, 1, 2, 3};
    return make_mesh(context, &p[0][0], 4, t, 3);
}

/// Where a device makes zeros of numbers below 2^-126 it would move some vertices elsewhere: what touches and what is
/// just apart would be mistaken for each other. With TACT_TEST_DEVICE=flushes it is such a device, else one that is
/// taken for one.
TEST(numbers_that_would_be_flushed_count)
{
    const bool before = device->info.probe.flushes_subnormals;
    take_for_flushing(device, true);
    // Each height is a factor's product with 1, or comes with the shift; some are subnormal, some become so on the way.
    const float heights[] = {0, 0x1p-149f, -0x1p-149f, 0x1p-130f, -0x1p-127f, 0x1p-126f, 0x1.8p-125f, 0x1p-103f};
    enum { HEIGHTS = sizeof heights / sizeof *heights };
    size_t total = 0;
    for (int i = 0; i < HEIGHTS; ++i) {
        for (int large = 0; large < 2; ++large) {
            const float size = large ? 1.0f : 0x1p-100f;
            tact_mesh *a = KEEP(make_sheets(0, size)), *b = KEEP(make_sheets(heights[i], size));
            float poses[3 * HEIGHTS][12];
            for (int k = 0; k < HEIGHTS; ++k) {
                const float still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
                for (int way = 0; way < 3; ++way)
                    memcpy(poses[3 * k + way], still, sizeof still);
                poses[3 * k][7] = -heights[k];
                poses[3 * k + 1][4] = heights[k];  // x goes into y
                poses[3 * k + 2][5] = heights[k];  // y is flattened
                poses[3 * k + 2][7] = 0.5f * heights[k];
            }
            const float(*all)[12] = (const float(*)[12])poses;
            total += compare("moved", a, b, all, 3 * HEIGHTS, TACT_BACKEND_REFERENCE);
            total += compare("still", b, a, all, 3 * HEIGHTS, TACT_BACKEND_REFERENCE);
            total += compare("itself", b, NULL, NULL, 1, TACT_BACKEND_REFERENCE);
        }
    }
    assert_true(total > 100);
    test_random r = test_random_seeded(12);
    for (int round = 0; round < 4; ++round) {
        tact_mesh *a = KEEP(make_soup(&r, TINY, 100)), *b = KEEP(make_soup(&r, TINY, 100));
        float poses[POSES][12];
        for (int i = 0; i < POSES; ++i)
            random_pose(&r, TINY, poses[i]);
        total = compare("tiny", a, b, (const float(*)[12])poses, POSES, TACT_BACKEND_REFERENCE);
        total += compare("tiny itself", b, NULL, NULL, 1, TACT_BACKEND_REFERENCE);
        assert_true(total > 100);
    }
    take_for_flushing(device, before);
}

TEST(a_device_with_other_arithmetic_is_refused)
{
    tact_device_info* info = &context->devices[tact_context_find(context, tested)]->info;
    const tact_probe before = info->probe;
    tact_mesh* a = KEEP(make_strips(10, false));
    const float plain[1][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    const tact_query_options options = {.backend = tested, .no_fallback = true};
    uint8_t relation = 99;
    for (int i = 0; i < TACT_PROBE_OPERATIONS; ++i)
        info->probe.operations[i].differing = 1;
    assert_int_equal(call_mesh_overlap(a, a, plain, 1, false, &relation, &options, NULL), TACT_ERROR_UNSUPPORTED);
    info->probe = before;
}

static bool stop(double done, void* user)
{
    int* left = user;
    assert_true(done >= 0.0 && done <= 1.0);
    return --*left > 0;
}

TEST(a_query_can_be_stopped)
{
    tact_mesh* a = KEEP(make_ball(20, 1.0f));
    int left = 3;
    const tact_query_options options = {.backend = tested, .progress = stop, .progress_user = &left};
    size_t count = 0;
    assert_int_equal(call_mesh_overlap_pairs(a, a, NULL, 1, NULL, 0, &count, &options, NULL), TACT_ERROR_CANCELLED);
    assert_int_equal(left, 0);
}

static void tiny(void** state)
{
    test_random r = test_random_seeded(6);
    tact_mesh *a = KEEP(make_soup(&r, SMOOTH, 30)), *b = KEEP(make_soup(&r, LATTICE, 12));
    float poses[2][12];
    for (int i = 0; i < 2; ++i)
        turn_about(&r, 0.3f, poses[i]);
    compare("tiny", a, b, (const float(*)[12])poses, 2, TACT_BACKEND_REFERENCE);
    compare("tiny, itself", b, NULL, NULL, 1, TACT_BACKEND_REFERENCE);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    const int code = tested_open(argc, argv);
    if (code >= 0) return code;
    const struct CMUnitTest small[] = {cmocka_unit_test(tiny)};
    const bool few = argc > 1 && strcmp(argv[1], "tiny") == 0;
    return tested_close(few ? run_all(small, NULL, NULL) : run_all(all_tests, NULL, NULL));
}
