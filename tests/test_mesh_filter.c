// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tests/support/run.h"

#include "apps/inputs/scenes.h"
#include "cpu_ref/filter/engine.h"
#include "tests/support/calls.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"
#include "tests/support/filter_by_hand.h"
#include "tests/support/meshes.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

// Many objects: every backend, number of threads and set of instructions gives the pairs of the definition, to the
// byte, whatever the objects are.

static tact_context* context;
static tact_filter* filter;

static int setup(void** state)
{
    const tact_context_desc desc = {.threads = 3};
    if (tact_context_create(&desc, &context) != TACT_OK) return -1;
    return tact_filter_create(context, &filter) == TACT_OK ? 0 : -1;
}

static int teardown(void** state)
{
    tact_filter_destroy(filter);
    tact_context_destroy(context);
    return 0;
}

static tact_result run(const tact_query_options* how, tact_filter_pair* pairs, size_t capacity, size_t* count,
                       tact_filter_count* stages)
{
    // In turn: results are the same.
    static const tact_filter_options options[] = {{.images = TACT_FILTER_IMAGES_ALWAYS},
                                                  {.images = TACT_FILTER_IMAGES_NEVER}};
    static unsigned turn;
    return call_filter_meshes(filter, made.shapes, made.shape_count, made.objects, made.object_count,
                              turn++ % 3 ? &options[turn % 2] : NULL, pairs, capacity, count, stages, how, NULL);
}

/// All pairs, and the stages. NULL when the device cannot filter.
static tact_filter_pair* find(const tact_query_options* how, size_t* count, tact_filter_count* stages)
{
    tact_filter_pair* pairs = NULL;
    size_t capacity = 0;
    for (;;) {
        const tact_result result = run(how, pairs, capacity, count, stages);
        if (result == TACT_ERROR_UNSUPPORTED) {
            return NULL;
        }
        if (result != TACT_OK && result != TACT_INCOMPLETE) {
            fail_msg("%s: %s: %s", tact_backend_name(how->backend), tact_result_name(result),
                     tact_context_error(context));
        }
        if (result == TACT_OK) return pairs ? pairs : scratch(1);
        assert_true(*count > capacity);
        capacity = *count;
        pairs = scratch(capacity * sizeof *pairs);
    }
}

/// Counts of the last stage, from pairs.
static void expect_counts(const tact_filter_pair* pairs, size_t count, const tact_filter_count stages[])
{
    static bool object[MOST_OBJECTS], triangle[MOST_OBJECTS][4096];
    memset(object, 0, sizeof object);
    memset(triangle, 0, sizeof triangle);
    uint64_t objects = 0, triangles = 0, all = 0;
    for (size_t i = 0; i < count; ++i) {
        const tact_filter_pair p = pairs[i];
        objects += !object[p.object_a];
        object[p.object_a] = true;
        objects += !object[p.object_b];
        object[p.object_b] = true;
        triangles += !triangle[p.object_a][p.triangle_a];
        triangle[p.object_a][p.triangle_a] = true;
        triangles += !triangle[p.object_b][p.triangle_b];
        triangle[p.object_b][p.triangle_b] = true;
    }
    for (size_t i = 0; i < made.object_count; ++i)
        all += made.shapes[made.objects[i].shape].triangle_count;
    assert_true(stages[TACT_FILTER_SCENE].ran && stages[TACT_FILTER_BOXES].ran && stages[TACT_FILTER_EXACT].ran);
    assert_int_equal(stages[TACT_FILTER_SCENE].objects, made.object_count);
    assert_int_equal(stages[TACT_FILTER_SCENE].triangles, all);
    assert_int_equal(stages[TACT_FILTER_EXACT].objects, objects);
    assert_int_equal(stages[TACT_FILTER_EXACT].triangles, triangles);
    assert_in_range(stages[TACT_FILTER_BOXES].objects, objects, made.object_count);
    assert_in_range(stages[TACT_FILTER_BOXES].triangles, triangles, all);
}

static void expect_same(const char* what, const tact_filter_pair* got, size_t count, const tact_filter_pair* expected,
                        size_t wanted)
{
    for (size_t i = 0; i < count && i < wanted; ++i) {
        const tact_filter_pair g = got[i], e = expected[i];
        if (memcmp(&g, &e, sizeof g) == 0) continue;
        fail_msg("%s: pair %zu is (%u %u: %u, %u), expected (%u %u: %u, %u)", what, i, g.object_a, g.object_b,
                 g.triangle_a, g.triangle_b, e.object_a, e.object_b, e.triangle_a, e.triangle_b);
    }
    if (count != wanted) fail_msg("%s: %zu pairs, expected %zu", what, count, wanted);
}

/// Every way to answer gives what the definition says. Returns the number of pairs.
static size_t compare(const char* what)
{
    tact_filter_pair* expected;
    const size_t wanted = expect_by_hand(&expected);
    tact_filter_count stages[TACT_FILTER_STAGES], first[TACT_FILTER_STAGES];
    const tact_backend backends[] = {TACT_BACKEND_REFERENCE, TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
    for (int b = 0; b < 4; ++b) {
        if (device_missing(context, backends[b])) continue;
        const bool cpu = backends[b] == TACT_BACKEND_CPU;
        for (int level = cpu ? 0 : TACT_LANES_8; level <= TACT_LANES_8; ++level) {
            if (!tact_lanes_limit(level) && cpu) continue;
            for (int threads = 1; threads <= (cpu ? 3 : 1); ++threads) {
                const tact_query_options how = {.backend = backends[b], .threads = threads, .no_fallback = true};
                size_t count = 0;
                tact_filter_pair* got = find(&how, &count, stages);
                if (!got) {
                    leave_out("a device that cannot filter");
                    continue;
                }
                expect_same(what, got, count, expected, wanted);
                expect_counts(got, count, stages);
                if (b == 0) memcpy(first, stages, sizeof first);
                assert_int_equal(stages[TACT_FILTER_BOXES].objects, first[TACT_FILTER_BOXES].objects);
                assert_int_equal(stages[TACT_FILTER_BOXES].triangles, first[TACT_FILTER_BOXES].triangles);
            }
        }
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
    return wanted;
}

// ---- Scenes ----

TEST(random_objects)
{
    test_random r = test_random_seeded(3);
    for (int kind = 0; kind < SOUP_KINDS; ++kind) {
        size_t total = 0;
        for (int round = 0; round < (int)effort(6, 12); ++round) {
            begin();
            const size_t shapes = 1 + test_random_below(&r, 5), objects = 2 + test_random_below(&r, 9);
            for (size_t i = 0; i < shapes; ++i)
                add_soup(&r, (soup_kind)kind, test_random_below(&r, round % 2 ? 10 : 130));
            for (size_t i = 0; i < objects; ++i) {
                float pose[12];
                random_pose(&r, (soup_kind)kind, pose);
                add_object(test_random_below(&r, (uint32_t)shapes), test_random_below(&r, 3) ? pose : still);
            }
            total += compare("random");
        }
        print_message("kind %d: %zu pairs\n", kind, total);
        assert_true(total > effort(30, 100));
    }
}

/// A cube of eight corners that touches its neighbours in faces, edges and corners; the neighbours are exact.
static const float cube_positions[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};

TEST(cubes_that_touch)
{
    begin();
    add_shape(cube_positions, 8, box_indices, 12);
    for (int i = 0; i < 27; ++i)
        add_at(0, (float)(i % 3), (float)(i / 3 % 3), (float)(i / 9));
    const size_t touching = compare("touching");
    assert_true(touching > 1000);
    for (size_t i = 0; i < made.object_count; ++i) {
        for (int k = 3; k < 12; k += 4)
            made.objects[i].pose[k] *= 1.0f + 0x1p-20f;
    }
    assert_int_equal(compare("beside"), 0);
}

TEST(all_the_same)
{
    begin();
    add_shape(cube_positions, 8, box_indices, 12);
    for (int i = 0; i < 12; ++i)
        add_object(0, still);
    assert_true(compare("the same") > 66 * 12);
    // One shape twice is as good as two objects of one.
    add_shape(cube_positions, 8, box_indices, 12);
    for (size_t i = 0; i < made.object_count; i += 2)
        made.objects[i].shape = 1;
    assert_true(compare("the same, twice") > 66 * 12);
}

/// Sheets that lie in each other, along each other, and across.
TEST(open_sheets)
{
    enum { SIDE = 9 };
    static float sheet[SIDE * SIDE * 3];
    static uint32_t indices[(SIDE - 1) * (SIDE - 1) * 6];
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        sheet[3 * i] = (float)(i % SIDE);
        sheet[3 * i + 1] = (float)(i / SIDE);
        sheet[3 * i + 2] = 0;
    }
    size_t n = 0;
    for (uint32_t i = 0; i < (SIDE - 1) * (SIDE - 1); ++i) {
        const uint32_t v = i / (SIDE - 1) * SIDE + i % (SIDE - 1);
        const uint32_t two[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
        memcpy(indices + n, two, sizeof two);
        n += 6;
    }
    begin();
    add_shape(sheet, SIDE * SIDE, indices, n / 3);
    add_at(0, 0, 0, 0);
    add_at(0, 0.5f, 0.25f, 0);
    add_at(0, 8, 0, 0);
    add_at(0, 0, 0, 0x1p-30f);
    const float across[12] = {1, 0, 0, 0, 0, 0, 1, 4, 0, 1, 0, -4}, point[12] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0},
                line[12] = {1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, -3};
    add_object(0, across);
    add_object(0, point);
    add_object(0, line);
    assert_true(compare("sheets") > 1000);
}

TEST(few_objects)
{
    begin();
    assert_int_equal(compare("nothing"), 0);
    add_shape(cube_positions, 8, box_indices, 12);
    assert_int_equal(compare("no object"), 0);
    add_at(0, 0, 0, 0);
    assert_int_equal(compare("one object"), 0);
    add_shape(NULL, 0, NULL, 0);
    add_shape(cube_positions, 8, box_indices, 0);
    add_at(1, 0, 0, 0);
    add_at(2, 0, 0, 0);
    assert_int_equal(compare("empty ones"), 0);
    add_at(0, 0.5f, 0.5f, 0.5f);
    assert_true(compare("two and empty ones") > 0);
}

/// Vertices that are not numbers, far away, or moved there and back; shapes of one buffer, with strides, without
/// indices; sizes about the eights of groups and nodes.
TEST(odd_shapes)
{
    static float buffer[4 * 600], corners[9 * 200];
    static uint32_t order[3 * 200];
    test_random r = test_random_seeded(8);
    size_t total = 0;
    for (int round = 0; round < (int)effort(10, 20); ++round) {
        static const size_t sizes[] = {1, 7, 8, 9, 21, 22, 63, 64, 65, 200};
        begin();
        for (size_t i = 0; i < 4 * 600; ++i) {
            buffer[i] = test_random_signed(&r);
            const uint32_t odd = test_random_below(&r, 400);
            if (odd == 0) buffer[i] = NAN;
            if (odd == 1) buffer[i] = INFINITY;
            if (odd == 2) buffer[i] = 3e38f;
            if (odd == 3) buffer[i] = -3e38f;
            if (odd == 4) buffer[i] = -0.0f;
        }
        for (size_t i = 0; i < 9 * 200; ++i)
            corners[i] = (i % 9 < 3 ? 1.0f : 0.2f) * test_random_signed(&r) + (i % 9 < 3 ? 0.0f : corners[i - 3]);
        for (size_t i = 0; i < 3 * 200; ++i)
            order[i] = (uint32_t)(i < 300 ? 0 : 300) + test_random_below(&r, 300);
        // Both halves of one buffer, of whose vertices each uses some.
        add_shape(buffer, 600, order, 100);
        add_shape(buffer, 600, order + 300, 100);
        made.shapes[0].position_stride = made.shapes[1].position_stride = 16;
        for (int i = 0; i < 3; ++i) {
            const size_t size = sizes[test_random_below(&r, 10)];
            add_shape(corners, 3 * size, NULL, size);
        }
        static const float small[12] = {1e-38f, 0, 0, 0, 0, 1e-38f, 0, 0, 0, 0, 1e-38f, 0},
                           large[12] = {1e20f, -1e19f, 0, 3, 1e20f, 1e20f, 1e20f, -2, 0, 0, 1e20f, 1},
                           over[12] = {3e38f, 3e38f, -3e38f, 1, 1, 2, 3, 4, -3e38f, 3e38f, 3e38f, -1e30f};
        for (int i = 0; i < 8; ++i) {
            float pose[12];
            random_pose(&r, SMOOTH, pose);
            const float* poses[] = {pose, pose, still, still, still, small, large, over};
            add_object(test_random_below(&r, 5), poses[test_random_below(&r, 8)]);
        }
        total += compare("odd");
    }
    print_message("%zu pairs\n", total);
    assert_true(total > 1000);
}

TEST(spheres)
{
    tact_problem problem = {0};
    tact_model_mesh ball = {0}, bar = {0};
    assert_true(tact_mesh_icosphere(2, &ball, &problem));
    assert_true(tact_mesh_terrain(20, 5, &bar, &problem));
    test_random r = test_random_seeded(4);
    begin();
    add_shape(ball.positions, ball.vertex_count, ball.indices, ball.triangle_count);
    add_shape(bar.positions, bar.vertex_count, bar.indices, bar.triangle_count);
    const bool thorough = effort_is_thorough();
    for (int i = 0; i < (thorough ? 14 : 9); ++i) {
        float pose[12];
        random_pose(&r, NEEDLES, pose);
        for (int k = 3; k < 12; k += 4)
            pose[k] *= 0.5f;
        add_object(i % 4 == 0, pose);
    }
    const size_t all = compare("spheres");
    // The second run of one filter, with objects moved and fewer of them.
    made.object_count = thorough ? 9 : 6;
    made.objects[3].pose[3] += 0.25f;
    const size_t some = compare("moved");
    print_message("%zu pairs, %zu of fewer objects\n", all, some);
    assert_true(all > (thorough ? 1000 : 300) && some > (thorough ? 300 : 100) && some < all);
    tact_model_mesh_free(&ball);
    tact_model_mesh_free(&bar);
}

/// As two meshes: the same pairs as the overlap of meshes finds.
TEST(as_overlap_of_meshes)
{
    tact_problem problem = {0};
    tact_model_mesh ball = {0};
    assert_true(tact_mesh_icosphere(4, &ball, &problem));
    begin();
    add_shape(ball.positions, ball.vertex_count, ball.indices, ball.triangle_count);
    add_object(0, still);
    const float pose[1][12] = {{0.6f, -0.8f, 0, 0.3f, 0.8f, 0.6f, 0, 0.1f, 0, 0, 1, 0.2f}};
    add_object(0, pose[0]);
    const tact_mesh_desc desc = {.positions = ball.positions,
                                 .vertex_count = ball.vertex_count,
                                 .indices = ball.indices,
                                 .triangle_count = ball.triangle_count};
    static tact_mesh_pair expected[100000];
    size_t wanted = 0, count = 0;
    tact_mesh* mesh = KEEP(new_mesh(context, &desc));
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
    assert_int_equal(call_mesh_overlap_pairs(mesh, mesh, pose, 1, expected, 100000, &wanted, &cpu, NULL), TACT_OK);
    assert_true(wanted > 100);
    for (int threads = 1; threads <= 4; ++threads) {
        const tact_query_options how = {.backend = TACT_BACKEND_CPU, .threads = threads};
        tact_filter_pair* got = find(&how, &count, NULL);
        assert_non_null(got);
        assert_int_equal(count, wanted);
        for (size_t i = 0; i < count; ++i) {
            assert_int_equal(got[i].triangle_a, expected[i].a);
            assert_int_equal(got[i].triangle_b, expected[i].b);
        }
    }
    tact_model_mesh_free(&ball);
}

// ---- Boxes ----

/// No vertex of a triangle that is there may lie outside of its object's box, and the boxes may not be much larger than
/// they must be.
TEST(boxes_hold_their_objects)
{
    test_random r = test_random_seeded(12);
    tact_env env;
    tact_env_init(&env, NULL, NULL, NULL, NULL, NULL);
    for (int round = 0; round < (int)effort(75, 300); ++round) {
        const soup_kind kind = (soup_kind)(round % SOUP_KINDS);
        begin();
        add_soup(&r, kind, 1 + test_random_below(&r, round % 3 ? 30 : 500));
        for (int i = 0; i < 8; ++i) {
            float pose[12];
            random_pose(&r, kind, pose);
            add_object(0, pose);
        }
        tact_aabb boxes[3][8];
        made.shapes[0].position_stride = 12;
        tact_filter_job job = {.shapes = made.shapes,
                               .shape_count = 1,
                               .objects = made.objects,
                               .object_count = made.object_count,
                               .threads = 2};
        for (int level = 0; level <= TACT_LANES_8; ++level) {
            tact_lanes_limit(level);
            assert_int_equal(tact_filter_boxes(&env, &job, NULL, boxes[level]), TACT_OK);
            for (int i = 0; i < 48; ++i)
                assert_true(((float*)boxes[level])[i] == ((float*)boxes[0])[i]);
        }
        for (size_t i = 0; i < 8; ++i) {
            float box[6];
            memcpy(box, &boxes[0][i], sizeof box);
            for (size_t t = 0; t < made.shapes[0].triangle_count; ++t) {
                tact_vec3 p[3];
                for (size_t k = 0; k < 3; ++k)
                    p[k] = tact_overlap_move_point(made.objects[i].pose, tact_filter_corner(&made.shapes[0], t, k));
                if (!tact_overlap_in_range(p[0]) || !tact_overlap_in_range(p[1]) || !tact_overlap_in_range(p[2]))
                    continue;
                float c[9];
                memcpy(c, p, sizeof c);
                for (int k = 0; k < 9; ++k)
                    assert_true(box[k % 3] <= c[k] && c[k] <= box[3 + k % 3]);
            }
        }
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
    // A ball turned in any way is no larger than the ball.
    tact_problem problem = {0};
    tact_model_mesh ball = {0};
    assert_true(tact_mesh_icosphere(3, &ball, &problem));
    begin();
    add_shape(ball.positions, ball.vertex_count, ball.indices, ball.triangle_count);
    made.shapes[0].position_stride = 12;
    const float turn[12] = {0.6f, -0.8f, 0, 0, 0.64f, 0.48f, -0.6f, 0, 0.48f, 0.36f, 0.8f, 0};
    add_object(0, turn);
    tact_aabb box;
    const tact_filter_job job = {
        .shapes = made.shapes, .shape_count = 1, .objects = made.objects, .object_count = 1, .threads = 1};
    assert_int_equal(tact_filter_boxes(&env, &job, NULL, &box), TACT_OK);
    print_message("half the box of a turned ball of radius 1: %g %g %g\n", (double)box.upper.x, (double)box.upper.y,
                  (double)box.upper.z);
    assert_true(box.upper.x >= 0.98f && box.upper.x <= 1.0001f && box.lower.y >= -1.0001f && box.upper.z <= 1.0001f);
    tact_model_mesh_free(&ball);
}

// ---- The call ----

static void make_crowd(test_random* r)
{
    begin();
    add_soup(r, SMOOTH, 60);
    add_soup(r, LATTICE, 40);
    for (int i = 0; i < 12; ++i) {
        float pose[12];
        random_pose(r, SMOOTH, pose);
        add_object((size_t)i % 2, pose);
    }
}

TEST(every_capacity)
{
    test_random r = test_random_seeded(17);
    make_crowd(&r);
    size_t wanted = 0, count = 0;
    for (int b = 0; b < 2; ++b) {
        const tact_query_options how = {.backend = b ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU};
        tact_filter_pair *all = find(&how, &wanted, NULL), *some = scratch((wanted + 1) * sizeof *some);
        assert_true(wanted > 50);
        for (size_t capacity = 0; capacity <= wanted; capacity += b ? wanted / 3 : 1 + capacity / 8) {
            memset(some, 0xee, (wanted + 1) * sizeof *some);
            tact_filter_count stages[TACT_FILTER_STAGES];
            assert_int_equal(run(&how, some, capacity, &count, stages), capacity < wanted ? TACT_INCOMPLETE : TACT_OK);
            assert_int_equal(count, wanted);
            if (capacity > 0) assert_memory_equal(some, all, capacity * sizeof *some);
            for (size_t i = 0; i < sizeof *some; ++i)
                assert_int_equal(((unsigned char*)&some[capacity])[i], 0xee);
            expect_counts(all, wanted, stages);
        }
    }
}

/// More pairs of objects than the CPU takes at a time.
TEST(many_pairs_of_objects)
{
    enum { MANY = 900, PAIRS = MANY * (MANY - 1) / 2 };
    static tact_filter_object objects[MANY];
    static tact_filter_pair pairs[PAIRS];
    const tact_mesh_desc triangle = {.positions = cube_positions, .vertex_count = 3, .triangle_count = 1};
    for (int i = 0; i < MANY; ++i) {
        memcpy(objects[i].pose, still, sizeof still);
        // Every tenth is on top of the others and meets none but its like.
        objects[i].pose[11] = i % 10 == 0 ? 0x1p-100f : 0.0f;
    }
    const tact_query_options how = {.backend = TACT_BACKEND_CPU, .threads = 2};
    size_t count = 0, at = 0;
    assert_int_equal(
        call_filter_meshes(filter, &triangle, 1, objects, MANY, NULL, pairs, PAIRS, &count, NULL, &how, NULL), TACT_OK);
    for (uint32_t a = 0; a < MANY; ++a) {
        for (uint32_t b = a + 1; b < MANY; ++b) {
            if ((a % 10 == 0) != (b % 10 == 0)) continue;
            assert_true(at < count);
            const tact_filter_pair expected = {a, b, 0, 0};
            assert_memory_equal(&pairs[at++], &expected, sizeof expected);
        }
    }
    assert_int_equal(at, count);
    assert_true(count > 1 << 18);
}

static void refused(tact_result expected, const char* detail)
{
    size_t count = 7;
    assert_int_equal(run(NULL, NULL, 0, &count, NULL), expected);
    assert_int_equal(count, 0);
    if (!strstr(tact_context_error(context), detail)) fail_msg("'%s' in '%s'", detail, tact_context_error(context));
}

static void two_cubes(void)
{
    begin();
    add_shape(cube_positions, 8, box_indices, 12);
    add_at(0, 0, 0, 0);
    add_at(0, 0.5f, 0, 0);
}

TEST(wrong_arguments)
{
    const tact_result bad = TACT_ERROR_INVALID_ARGUMENT;
    size_t count = 0;
    tact_filter* none = NULL;
    tact_filter_pair pairs[1];
    assert_int_equal(tact_filter_create(NULL, &none), bad);
    assert_int_equal(tact_filter_create(context, NULL), bad);
    tact_filter_destroy(NULL);
    two_cubes();
    assert_int_equal(call_filter_meshes(NULL, NULL, 0, NULL, 0, NULL, NULL, 0, &count, NULL, NULL, NULL), bad);
    assert_int_equal(run(NULL, pairs, 1, NULL, NULL), bad);
    assert_int_equal(run(NULL, NULL, 1, &count, NULL), bad);
    assert_int_equal(call_filter_meshes(filter, NULL, 1, NULL, 0, NULL, NULL, 0, &count, NULL, NULL, NULL), bad);
    assert_int_equal(call_filter_meshes(filter, NULL, 0, NULL, 1, NULL, NULL, 0, &count, NULL, NULL, NULL), bad);
    const uint32_t cells[] = {1, 11, 27, 12, 26};
    for (int i = 0; i < 5; ++i) {
        const tact_filter_options options = {.cells_log2 = cells[i]};
        assert_int_equal(
            call_filter_meshes(filter, made.shapes, 1, made.objects, 2, &options, NULL, 0, &count, NULL, NULL, NULL),
            i < 3 ? bad : TACT_INCOMPLETE);
    }
    const tact_filter_options images = {.images = (tact_filter_images)3};
    assert_int_equal(
        call_filter_meshes(filter, made.shapes, 1, made.objects, 2, &images, NULL, 0, &count, NULL, NULL, NULL), bad);
    const tact_filter_options neither = {.images = TACT_FILTER_IMAGES_NEVER, .fast = true};
    assert_int_equal(
        call_filter_meshes(filter, made.shapes, 1, made.objects, 2, &neither, NULL, 0, &count, NULL, NULL, NULL), bad);
    assert_non_null(strstr(tact_context_error(context), "fast"));
    made.objects[1].shape = 1;
    refused(bad, "object 1: there is no shape 1");
    two_cubes();
    made.objects[1].pose[6] = NAN;
    refused(bad, "object 1: its pose is not finite: its number 6");
    two_cubes();
    made.shapes[0].position_stride = 14;
    refused(bad, "shape 0: a stride of 14");
    made.shapes[0].position_stride = 8;
    refused(bad, "shape 0: a stride of 8");
    two_cubes();
    made.shapes[0].vertex_count = 7;
    refused(bad, "shape 0: triangle 3 refers to vertex 7, but there are 7 vertices");
    made.shapes[0].indices = NULL;
    refused(bad, "shape 0: triangle 2 refers to vertex 7, but there are 7 vertices");
    two_cubes();
    made.shapes[0].positions = NULL;
    refused(bad, "shape 0: 8 vertices, but");
    two_cubes();
    made.shapes[0].vertex_count = SIZE_MAX / 8;
    refused(TACT_ERROR_LIMIT, "shape 0: ");
    made.shapes[0].vertex_count = 1000;
    made.shapes[0].position_stride = SIZE_MAX / 8 / 4 * 4;
    refused(bad, "shape 0: 1000 vertices of ");
    // As many objects as make 2^32 triangles: all of one shape, whose triangles are all the same.
    enum { TRIANGLES = 1 << 22, OBJECTS = 1024 };
    two_cubes();
    uint32_t* zeroes = scratch_zeroed(3 * (size_t)TRIANGLES, sizeof *zeroes);
    tact_filter_object* objects = scratch_zeroed(OBJECTS, sizeof *objects);
    made.shapes[0].indices = zeroes;
    made.shapes[0].triangle_count = TRIANGLES;
    assert_int_equal(
        call_filter_meshes(filter, made.shapes, 1, objects, OBJECTS, NULL, NULL, 0, &count, NULL, NULL, NULL),
        TACT_ERROR_LIMIT);
    assert_non_null(strstr(tact_context_error(context), "4294967296 triangles"));
}

/// What the CPU's engine works with is in its report.
TEST(memory_is_reported)
{
    two_cubes();
    tact_query_report reports[2];
    const tact_backend backends[] = {TACT_BACKEND_REFERENCE, TACT_BACKEND_CPU};
    for (int i = 0; i < 2; ++i) {
        const tact_query_options how = {.backend = backends[i], .no_fallback = true};
        size_t count = 0;
        tact_filter_pair pairs[300];
        assert_int_equal(call_filter_meshes(filter, made.shapes, 1, made.objects, 2, NULL, pairs, 300, &count, NULL,
                                            &how, &reports[i]),
                         TACT_OK);
        assert_true(reports[i].memory_bytes >= count * sizeof *pairs);
    }
    assert_true(reports[1].memory_bytes > reports[0].memory_bytes + 1000);
}

TEST(arrays_of_devices_that_are_not_adopted)
{
    const tact_backend backends[] = {TACT_BACKEND_GL, TACT_BACKEND_CL, TACT_BACKEND_CPU};
    for (int i = 0; i < 3; ++i) {
        const tact_device_array array = {.backend = backends[i], .gl_buffer = 1};
        two_cubes();
        made.shapes[0].device_positions = &array;
        refused(TACT_ERROR_INVALID_ARGUMENT, "shape 0: vertices both");
        made.shapes[0].positions = NULL;
        refused(TACT_ERROR_INVALID_ARGUMENT, "shape 0: ");
    }
}

static bool stop_later(double done, void* user)
{
    assert_true(done >= 0.0 && done <= 1.0);
    return --*(int*)user > 0;
}

TEST(cancelled_and_shadowed)
{
    test_random r = test_random_seeded(19);
    make_crowd(&r);
    for (int b = 0; b < 2; ++b) {
        for (int later = 1; later < 5; ++later) {
            int left = later;
            const tact_query_options how = {.backend = b ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU,
                                            .threads = 2,
                                            .progress = stop_later,
                                            .progress_user = &left};
            size_t count = 9;
            assert_int_equal(run(&how, NULL, 0, &count, NULL), TACT_ERROR_CANCELLED);
            assert_int_equal(left, 0);
            assert_int_equal(count, 0);
        }
    }
    const tact_query_options shadow = {.backend = TACT_BACKEND_CPU, .shadow = true};
    tact_query_report report;
    size_t count = 0;
    assert_int_equal(call_filter_meshes(filter, made.shapes, made.shape_count, made.objects, made.object_count, NULL,
                                        NULL, 0, &count, NULL, &shadow, &report),
                     TACT_INCOMPLETE);
    assert_non_null(strstr(report.reason, "shadow: equal"));
    assert_string_equal(tact_filter_stage_name(TACT_FILTER_PARTS), "parts");
    assert_string_equal(tact_filter_stage_name(TACT_FILTER_STAGES), "?");
}

// ---- Memory ----

static void quiet(tact_log_level level, const char* source, const char* message, void* user)
{
}

typedef struct answers {
    size_t counts[3];
    tact_filter_pair first[16];
} answers;

enum { SOUPS = 6 };

/// Three runs of one filter, by one thread, cut into pieces because somebody asks for progress. The first error.
static bool go_on(double done, void* user)
{
    return true;
}

static tact_result work(counting_allocator* counter, answers* out)
{
    const tact_context_desc desc = {.allocator = counting_hooks(counter),
                                    .log = quiet,
                                    .gl = TACT_DEVICE_NONE,
                                    .cl = TACT_DEVICE_NONE,
                                    .threads = 1};
    tact_context* own = NULL;
    tact_filter* f = NULL;
    tact_result result = tact_context_create(&desc, &own);
    if (result != TACT_OK) return result;
    result = tact_filter_create(own, &f);
    for (int i = 0; i < 3 && result >= TACT_OK; ++i) {
        const tact_query_options how = {.backend = i < 2 ? TACT_BACKEND_CPU : TACT_BACKEND_REFERENCE,
                                        .progress = go_on};
        tact_filter_count stages[TACT_FILTER_STAGES];
        // The definition is slow: the soups are enough for it.
        const size_t objects = i == 0 ? made.object_count - 1 : i == 1 ? made.object_count : SOUPS;
        result = call_filter_meshes(f, made.shapes, made.shape_count, made.objects, objects, NULL, out->first, 16,
                                    &out->counts[i], stages, &how, NULL);
    }
    if (result < TACT_OK) {
        assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
        assert_non_null(strstr(tact_context_error(own), "memory"));
    }
    tact_filter_destroy(f);
    tact_context_destroy(own);
    return result;
}

TEST(every_allocation_may_fail)
{
    test_random r = test_random_seeded(23);
    answers expected, got;
    begin();
    add_soup(&r, SMOOTH, 100);
    add_soup(&r, SMOOTH, 300);
    for (int i = 0; i < SOUPS; ++i) {
        float pose[12];
        random_pose(&r, NEEDLES, pose);
        add_object((size_t)i % 2, pose);
    }
    // Two that are large enough for their search to be cut.
    tact_problem problem = {0};
    tact_model_mesh ball = {0};
    assert_true(tact_mesh_icosphere(4, &ball, &problem));
    add_shape(ball.positions, ball.vertex_count, ball.indices, ball.triangle_count);
    add_at(2, 50, 0, 0);
    add_at(2, 51, 0.1f, 0.2f);
    memset(&expected, 0, sizeof expected);
    counting_allocator counter = {0};
    assert_int_equal(work(&counter, &expected), TACT_INCOMPLETE);
    assert_int_equal(counter.live, 0);
    size_t failures = 0;
    for (size_t n = 1;; ++n) {
        counter = (counting_allocator){.fail_at = n};
        memset(&got, 0, sizeof got);
        const tact_result result = work(&counter, &got);
        if (counter.live != 0) fail_msg("allocation %zu failed: %zu blocks were left over", n, counter.live);
        if (result >= TACT_OK) assert_memory_equal(&got, &expected, sizeof got);
        if (!counter.failed) break;
        ++failures;
    }
    print_message("%zu allocations, each failed once\n", failures);
    assert_true(failures > 50);
    tact_model_mesh_free(&ball);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    if (argc > 1) run_only(argv[1]);
    return run_all(all_tests, setup, teardown);
}
