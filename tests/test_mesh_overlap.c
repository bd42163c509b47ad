// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "apps/inputs/scenes.h"
#include "core/mesh/mesh.h"
#include "cpu_ref/overlap/engine.h"
#include "tests/support/calls.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"
#include "tests/support/mesh_soup.h"
#include "tests/support/meshes.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"
#include "tests/support/test_context.h"

// Overlap of meshes by the reference and by the CPU's engine: what must be found is known by construction, or both must
// agree to the byte.

static const tact_backend hosts[] = {TACT_BACKEND_REFERENCE, TACT_BACKEND_CPU};

static int relation(tact_mesh* a, tact_mesh* b, const float pose[12], bool solid, tact_backend backend)
{
    const tact_query_options options = {.backend = backend};
    uint8_t r = 99;
    assert_int_equal(call_mesh_overlap(a, b, pose ? (const float(*)[12])pose : NULL, 1, solid, &r, &options, NULL),
                     TACT_OK);
    return r;
}

TEST(boxes_by_construction)
{
    tact_mesh *big = KEEP(make_cube_mesh(context, 0, 0, 0, 1)), *small = KEEP(make_cube_mesh(context, 0, 0, 0, 0.25f)),
              *far = KEEP(make_cube_mesh(context, 5, 0, 0, 1));
    tact_mesh *beside = KEEP(make_cube_mesh(context, 2, 0, 0, 1)),
              *apart = KEEP(make_cube_mesh(context, 2.0001f, 0, 0, 1));
    const float out_of_range[12] = {1e30f, 0, 0, 0, 0, 1e30f, 0, 0, 0, 0, 1e30f, 0};
    const float flat[12] = {0};
    for (int i = 0; i < 2; ++i) {
        const tact_backend host = hosts[i];
        assert_int_equal(relation(big, small, NULL, true, host), TACT_MESHES_B_INSIDE);
        assert_int_equal(relation(small, big, NULL, true, host), TACT_MESHES_A_INSIDE);
        assert_int_equal(relation(small, big, NULL, false, host), TACT_MESHES_APART);
        assert_int_equal(relation(big, far, NULL, true, host), TACT_MESHES_APART);
        assert_int_equal(relation(big, beside, NULL, true, host), TACT_MESHES_INTERSECT);
        assert_int_equal(relation(big, apart, NULL, true, host), TACT_MESHES_APART);
        assert_int_equal(relation(big, big, NULL, true, host), TACT_MESHES_INTERSECT);
        assert_int_equal(relation(big, small, out_of_range, true, host), TACT_MESHES_APART);
        assert_int_equal(relation(big, small, flat, true, host), TACT_MESHES_B_INSIDE);
        assert_int_equal(relation(small, big, flat, true, host), TACT_MESHES_B_INSIDE);
    }
    // Longer along one axis than along the others, with something inside near an end of it.
    for (int axis = 0; axis < 3; ++axis) {
        float low[3] = {-1, -1, -1}, high[3] = {1, 1, 1}, at[3] = {0, 0, 0}, p[24];
        low[axis] = -10;
        high[axis] = 10;
        at[axis] = 8;
        box_corners(low, high, p);
        tact_mesh *bar = KEEP(make_mesh(context, p, 8, box_indices, 12)),
                  *end = KEEP(make_cube_mesh(context, at[0], at[1], at[2], 0.25f));
        for (int i = 0; i < 2; ++i)
            assert_int_equal(relation(bar, end, NULL, true, hosts[i]), TACT_MESHES_B_INSIDE);
    }
    tact_mesh_info info;
    assert_int_equal(tact_mesh_get_info(big, &info), TACT_OK);
    assert_true(info.closed);
    assert_int_equal(info.triangles, 12);
}

// ---- Random meshes: the engine against the definition ----

enum { POSES = 12 };

static size_t pairs_by(tact_mesh* a, tact_mesh* b, const float (*poses)[12], size_t count, bool self,
                       const tact_query_options* options, tact_mesh_pair** pairs)
{
    size_t capacity = 16, found = 0;
    *pairs = malloc(capacity * sizeof **pairs);
    for (;;) {
        const tact_result result =
            self ? tact_mesh_self_overlap_pairs(a, *pairs, capacity, &found, options, NULL)
                 : call_mesh_overlap_pairs(a, b, poses, count, *pairs, capacity, &found, options, NULL);
        if (result == TACT_OK) return found;
        assert_int_equal(result, TACT_INCOMPLETE);
        assert_true(found > capacity);
        capacity = found;
        free(*pairs);
        *pairs = malloc(capacity * sizeof **pairs);
    }
}

/// By every set of instructions and by one and three threads, what the reference says. Returns the pairs.
static size_t compare(tact_mesh* a, tact_mesh* b, const float (*poses)[12], size_t count)
{
    const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
    const bool self = !b;
    tact_mesh_pair *expected, *got;
    uint8_t relations[2][2][64];
    const size_t pairs = pairs_by(a, b, poses, count, self, &reference, &expected);
    for (int solid = 0; solid < 2 && b; ++solid)
        assert_int_equal(call_mesh_overlap(a, b, poses, count, solid != 0, relations[0][solid], &reference, NULL),
                         TACT_OK);
    for (int level = 0; level <= TACT_LANES_8; ++level) {
        if (!tact_lanes_limit(level)) continue;
        for (int threads = 1; threads <= 3; threads += 2) {
            const tact_query_options cpu = {.backend = TACT_BACKEND_CPU, .threads = threads};
            const size_t found = pairs_by(a, b, poses, count, self, &cpu, &got);
            if (found != pairs)
                fail_msg("level %d, %d threads: %zu pairs instead of %zu", level, threads, found, pairs);
            if (pairs) assert_memory_equal(got, expected, pairs * sizeof *got);
            free(got);
            for (int solid = 0; solid < 2 && b; ++solid) {
                assert_int_equal(call_mesh_overlap(a, b, poses, count, solid != 0, relations[1][solid], &cpu, NULL),
                                 TACT_OK);
                assert_memory_equal(relations[1][solid], relations[0][solid], count);
            }
        }
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
    free(expected);
    return pairs;
}

static tact_mesh* make_soup(test_random* r, soup_kind kind, size_t triangles)
{
    static soup s;
    fill_soup(r, kind, triangles, &s);
    return make_mesh(context, s.positions, s.vertices, s.indices, s.triangles);
}

TEST(random_meshes)
{
    static const size_t sizes[] = {0, 1, 7, 30, 150, 400};
    test_random r = test_random_seeded(7);
    size_t total[SOUP_KINDS] = {0};
    for (int kind = 0; kind < SOUP_KINDS; ++kind) {
        for (int round = 0; round < 6; round += (int)effort(2, 1)) {
            tact_mesh* a = KEEP(make_soup(&r, (soup_kind)kind, sizes[round]));
            tact_mesh* b = KEEP(make_soup(&r, (soup_kind)kind, sizes[(round * 5 + 3) % 6]));
            float poses[POSES][12];
            for (int i = 0; i < POSES; ++i)
                random_pose(&r, (soup_kind)kind, poses[i]);
            total[kind] += compare(a, b, (const float(*)[12])poses, effort(4, POSES));
            total[kind] += compare(b, a, (const float(*)[12])poses, 1);
            total[kind] += compare(a, a, NULL, 1);
            total[kind] += compare(b, NULL, NULL, 1);
        }
        print_message("kind %d: %zu pairs\n", kind, total[kind]);
        assert_true(total[kind] > 100);
    }
}

/// Pairs of triangles of which rounding alone decides whether they touch: a corner or an edge of the second lies where
/// single precision has a point of the first, or a few steps beside it.
TEST(triangles_that_almost_touch)
{
    enum { PAIRS = 400 };
    static float a[9 * PAIRS], b[9 * PAIRS];
    static uint32_t order[3 * PAIRS];
    test_random r = test_random_seeded(11);
    const float identity[1][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    const int rounds = (int)effort(6, 30);
    size_t total = 0, most = 0;
    for (int round = 0; round < rounds; ++round) {
        for (uint32_t i = 0; i < PAIRS; ++i) {
            float *p = a + 9 * i, *q = b + 9 * i, centre[3], at[2][3];
            for (int k = 0; k < 3; ++k)
                centre[k] = 3.0f * (float)(i >> 2 * k & 3u) + (k == 0 ? 12.0f * (float)(i >> 6) : 0.0f);
            for (int k = 0; k < 9; ++k)
                p[k] = centre[k % 3] + test_random_signed(&r);
            for (int n = 0; n < 2; ++n) {
                const float s = test_random_unit(&r), t = n || round % 2 ? 1.0f - s : (1.0f - s) * test_random_unit(&r);
                for (int k = 0; k < 3; ++k)
                    at[n][k] = p[k] + s * (p[3 + k] - p[k]) + t * (p[6 + k] - p[k]);
            }
            for (int k = 0; k < 9; ++k)
                q[k] = centre[k % 3] + test_random_signed(&r);
            for (int k = 0; k < 3; ++k) {  // a corner, or the middle of an edge
                if (round % 3 == 0) q[k] = at[0][k];
                if (round % 3 != 0) q[3 + k] = at[1][k] + (at[1][k] - q[k]);
                for (uint32_t step = test_random_below(&r, 4); step > 0; --step)
                    q[k] = nextafterf(q[k], test_random_below(&r, 2) ? INFINITY : -INFINITY);
            }
        }
        for (uint32_t i = 0; i < 3 * PAIRS; ++i)
            order[i] = i;
        tact_mesh *m = KEEP(make_mesh(context, a, 3 * PAIRS, order, PAIRS)),
                  *n = KEEP(make_mesh(context, b, 3 * PAIRS, order, PAIRS));
        const size_t found = compare(m, n, identity, 1);
        total += found;
        most += found >= PAIRS;
    }
    print_message("%zu of %d touch\n", total, rounds * PAIRS);
    // Some do and some do not.
    assert_true(total > effort_of(1000));
    assert_true(most < (size_t)rounds);
}

/// Triangles of A that touch those of B, where a pose has moved them, in a corner: whatever rounding did to that, boxes
/// must not part them.
TEST(corners_of_moved_triangles)
{
    enum { PAIRS = 500 };
    static float a[9 * PAIRS], b[9 * PAIRS];
    static uint32_t order[3 * PAIRS];
    test_random r = test_random_seeded(13);
    for (uint32_t i = 0; i < 3 * PAIRS; ++i)
        order[i] = i;
    for (int round = 0; round < (int)effort(10, 40); ++round) {
        float pose[1][12];
        for (int i = 0; i < 12; ++i)
            pose[0][i] = test_random_signed(&r) * (i % 4 == 3 ? 3.0f : ldexpf(1.0f, (int)test_random_below(&r, 6) - 3));
        for (uint32_t i = 0; i < PAIRS; ++i) {
            const float size = round % 2 ? 1e-3f : 1e-6f;
            for (int k = 0; k < 9; ++k)
                b[9 * i + (uint32_t)k] =
                    (k < 3 ? test_random_signed(&r) : b[9 * i + (uint32_t)(k % 3)]) + size * test_random_signed(&r);
            const float* q = b + 9 * i;
            const tact_triangle still = {{q[0], q[1], q[2]}, {q[3], q[4], q[5]}, {q[6], q[7], q[8]}};
            const tact_triangle t = tact_overlap_move(pose[0], &still);
            // Its other corners lie on the far side of the first one.
            const tact_vec3 c[3] = {t.a,
                                    {t.a.x + (t.a.x - t.b.x), t.a.y + (t.a.y - t.b.y), t.a.z + (t.a.z - t.b.z)},
                                    {t.a.x + (t.a.x - t.c.x), t.a.y + (t.a.y - t.c.y), t.a.z + (t.a.z - t.c.z)}};
            memcpy(a + 9 * i, c, sizeof c);
        }
        tact_mesh *m = KEEP(make_mesh(context, a, 3 * PAIRS, order, PAIRS)),
                  *n = KEEP(make_mesh(context, b, 3 * PAIRS, order, PAIRS));
        assert_true(compare(m, n, (const float(*)[12])pose, 1) >= PAIRS);
    }
}

// ---- Meshes as they are met with ----

static tact_mesh* mesh_of(const tact_model_mesh* m, size_t triangles)
{
    return make_mesh(context, m->positions, m->vertex_count, m->indices,
                     triangles < m->triangle_count ? triangles : m->triangle_count);
}

/// A turn about an axis and a shift.
static void turned(test_random* r, float shift, float m[12])
{
    const float angle = 3.0f * test_random_signed(r), c = cosf(angle), s = sinf(angle);
    const float x = shift * test_random_signed(r), y = shift * test_random_signed(r), z = shift * test_random_signed(r);
    const float about_x[12] = {1, 0, 0, x, 0, c, -s, y, 0, s, c, z},
                about_z[12] = {c, -s, 0, x, s, c, 0, y, 0, 0, 1, z};
    memcpy(m, test_random_below(r, 2) ? about_x : about_z, 12 * sizeof *m);
}

TEST(generated_meshes)
{
    tact_problem problem = {0};
    tact_model_mesh models[4] = {{0}};
    assert_true(tact_mesh_icosphere(3, &models[0], &problem));
    assert_true(tact_mesh_terrain(16, 5, &models[1], &problem));
    assert_true(tact_mesh_needles(500, 5, &models[2], &problem));
    assert_true(tact_mesh_degenerate(700, 5, &models[3], &problem));
    test_random r = test_random_seeded(3);
    for (int i = 0; i < 4; ++i) {
        tact_mesh* a = KEEP(mesh_of(&models[i], 4096));
        compare(a, NULL, NULL, 1);
        for (int j = 0; j < 4; ++j) {
            tact_mesh* b = KEEP(mesh_of(&models[j], 4096));
            float poses[8][12];
            for (int k = 0; k < 8; ++k)
                turned(&r, 0.5f * (float)k, poses[k]);
            const size_t found = compare(a, b, (const float(*)[12])poses, i == j ? effort(3, 8) : effort(1, 3));
            if (i < 3 && j < 3) assert_true(found > 0);
        }
    }
    for (int i = 0; i < 4; ++i)
        tact_model_mesh_free(&models[i]);
}

/// Spheres in spheres: told apart as solids, with their triangles connected by number or only by place.
TEST(nested_spheres)
{
    tact_problem problem = {0};
    tact_model_mesh ball = {0};
    assert_true(tact_mesh_icosphere(2, &ball, &problem));
    const size_t count = 3 * ball.triangle_count;
    float* loose = scratch(count * 3 * sizeof *loose);
    for (size_t i = 0; i < count; ++i)
        memcpy(loose + 3 * i, ball.positions + 3 * (size_t)ball.indices[i], 3 * sizeof *loose);
    tact_mesh *welded = KEEP(mesh_of(&ball, SIZE_MAX)),
              *apart = KEEP(make_mesh(context, loose, count, NULL, ball.triangle_count));
    tact_mesh* open = KEEP(make_mesh(context, loose, count, NULL, ball.triangle_count - 1));
    tact_mesh_info info;
    assert_int_equal(tact_mesh_get_info(apart, &info), TACT_OK);
    assert_true(info.closed);
    // One more triangle, which has collapsed.
    float* more = scratch((count + 3) * 3 * sizeof *more);
    memcpy(more, loose, count * 3 * sizeof *more);
    memcpy(more + 3 * count, loose, 6 * sizeof *more);
    memcpy(more + 3 * count + 6, loose, 3 * sizeof *more);
    tact_mesh* collapsed = KEEP(make_mesh(context, more, count + 3, NULL, ball.triangle_count + 1));
    assert_int_equal(tact_mesh_get_info(collapsed, &info), TACT_OK);
    assert_true(info.closed);
    assert_int_equal(tact_mesh_get_info(open, &info), TACT_OK);
    assert_false(info.closed);
    const float poses[6][12] = {
        {0.5f, 0, 0, 0.1f, 0, 0.5f, 0, 0, 0, 0, -0.5f, 0},  // smaller, mirrored
        {2, 0, 0, 0.3f, 0, 0, -2, 0, 0, 2, 0, 0},           // larger, turned
        {1, 0, 0, 2.5f, 0, 1, 0, 0, 0, 0, 1, 0},            // beside
        {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0},               // through
        {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},               // the same
        {0, 0, 0, 0.2f, 0, 0, 0, 0, 0, 0, 0, 0},            // a point
    };
    const uint8_t expected[6] = {TACT_MESHES_B_INSIDE,  TACT_MESHES_A_INSIDE,  TACT_MESHES_APART,
                                 TACT_MESHES_INTERSECT, TACT_MESHES_INTERSECT, TACT_MESHES_B_INSIDE};
    tact_mesh* bodies[2] = {welded, apart};
    for (int i = 0; i < 4; ++i) {
        uint8_t got[6];
        compare(bodies[i & 1], bodies[i >> 1], poses, 6);
        assert_int_equal(call_mesh_overlap(bodies[i & 1], bodies[i >> 1], poses, 6, true, got, NULL, NULL), TACT_OK);
        assert_memory_equal(got, expected, 6);
    }
    compare(open, welded, poses, 6);
    compare(welded, open, poses, 6);
    uint8_t got[6];
    assert_int_equal(call_mesh_overlap(open, welded, poses, 6, true, got, NULL, NULL), TACT_OK);
    assert_int_equal(got[0], TACT_MESHES_APART);  // nothing is inside what is open
    assert_int_equal(got[1], TACT_MESHES_A_INSIDE);
    tact_model_mesh_free(&ball);
}

/// Two spheres of which only the second is inside: parts count one by one. Then there is a hole in a wall.
TEST(parts_and_shells)
{
    float p[24 * 3];
    uint32_t indices[36 * 3];
    for (uint32_t i = 0; i < 108; ++i)
        indices[i] = box_indices[i % 36] + 8 * (i / 36);
    cube_corners(9, 0, 0, 1, p);
    cube_corners(0.5f, 0, 0, 0.2f, p + 24);
    tact_mesh *two = KEEP(make_mesh(context, p, 16, indices, 24)), *big = KEEP(make_cube_mesh(context, 0, 0, 0, 2));
    cube_corners(0, 0, 0, 2, p);
    cube_corners(0, 0, 0, 1, p + 24);
    tact_mesh *shell = KEEP(make_mesh(context, p, 16, indices, 24)),
              *small = KEEP(make_cube_mesh(context, 0, 0, 0, 0.5f)),
              *wall = KEEP(make_cube_mesh(context, 1.5f, 0, 0, 0.25f));
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(relation(two, big, NULL, true, hosts[i]), TACT_MESHES_A_INSIDE);
        assert_int_equal(relation(big, two, NULL, true, hosts[i]), TACT_MESHES_B_INSIDE);
        assert_int_equal(relation(shell, small, NULL, true, hosts[i]), TACT_MESHES_APART);
        assert_int_equal(relation(shell, wall, NULL, true, hosts[i]), TACT_MESHES_B_INSIDE);
    }
    // A pose that moves one of B's parts out of range leaves nothing to be inside of.
    cube_corners(0, 0, 0, 1, p);
    cube_corners(0x1p59f, 0, 0, 0x1p50f, p + 24);
    tact_mesh* wide = KEEP(make_mesh(context, p, 16, indices, 24));
    const float larger[12] = {4, 0, 0, 0, 0, 4, 0, 0, 0, 0, 4, 0};
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(relation(small, wide, NULL, true, hosts[i]), TACT_MESHES_A_INSIDE);
        assert_int_equal(relation(small, wide, larger, true, hosts[i]), TACT_MESHES_APART);
    }
}

/// Poses that scale by more than floats square: a part that is tiny before is of a common size after, and another that
/// is large before is beyond all floats.
TEST(poses_beyond_the_range)
{
    uint32_t indices[72];
    for (uint32_t i = 0; i < 72; ++i)
        indices[i] = box_indices[i % 36] + 8 * (i / 36);
    tact_mesh *one = KEEP(make_cube_mesh(context, 0.5f, 0, 0, 1)), *away = KEEP(make_cube_mesh(context, 9, 0, 0, 1));
    for (int power = 50; power <= 110; power += 10) {
        const float scale = ldexpf(1.0f, power), side = ldexpf(1.0f, -power);
        float p[48];
        cube_corners(0, 0, 0, side, p);
        cube_corners(0x1p59f, 0, 0, 0x1p50f, p + 24);
        tact_mesh* b = KEEP(make_mesh(context, p, 16, indices, 24));
        const float poses[2][12] = {{scale, 0, 0, 0, 0, scale, 0, 0, 0, 0, scale, 0},
                                    {0, -scale, 0, 0.25f, scale, 0, 0, 0.25f, 0, 0, scale, 0.25f}};
        for (int i = 0; i < 2; ++i) {
            assert_true(compare(one, b, &poses[i], 1) > 0);
            assert_int_equal(compare(away, b, &poses[i], 1), 0);
        }
    }
}

/// Neighbours of a mesh are those with a vertex at one place, whatever its number and the sign of a zero.
TEST(neighbours_are_known_by_place)
{
    tact_problem problem = {0};
    tact_model_mesh ball = {0};
    assert_true(tact_mesh_icosphere(2, &ball, &problem));
    const size_t corners = 3 * ball.triangle_count;
    float* loose = scratch((corners + 6) * 3 * sizeof *loose);
    for (size_t i = 0; i < corners; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            const float x = ball.positions[3 * (size_t)ball.indices[i] + k];
            loose[3 * i + k] = x == 0.0f && i % 2 ? -0.0f : x;
        }
    }
    tact_mesh* apart = KEEP(make_mesh(context, loose, corners, NULL, ball.triangle_count));
    assert_int_equal(compare(apart, NULL, NULL, 1), 0);
    // Two triangles that go through each other, with a corner at one place or just beside it.
    static const float crossing[18] = {0, 0, 5, 2, 0, 5, 0, 2, 5, 0, -0.0f, 5, 1, 1, 4, 1, 1, 6};
    memcpy(loose + 3 * corners, crossing, sizeof crossing);
    tact_mesh* joined = KEEP(make_mesh(context, loose, corners + 6, NULL, ball.triangle_count + 2));
    assert_int_equal(compare(joined, NULL, NULL, 1), 0);
    loose[3 * (corners + 3)] = 0x1p-120f;
    tact_mesh* beside = KEEP(make_mesh(context, loose, corners + 6, NULL, ball.triangle_count + 2));
    assert_int_equal(compare(beside, NULL, NULL, 1), 1);
    tact_model_mesh_free(&ball);
}

/// A mesh that was moved answers as one made anew, also where triangles come and go.
TEST(moved_meshes)
{
    static soup s;
    test_random r = test_random_seeded(5);
    fill_soup(&r, SMOOTH, 300, &s);
    tact_mesh *moving = KEEP(make_mesh(context, s.positions, s.vertices, s.indices, s.triangles)),
              *other = KEEP(make_soup(&r, SMOOTH, 200));
    const float identity[1][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    size_t total = 0;
    for (int round = 0; round < 12; ++round) {
        for (size_t i = 0; i < 3 * s.vertices; ++i) {
            s.positions[i] += 0.05f * test_random_signed(&r);
            if (round % 4 == 2 && test_random_below(&r, 50) == 0) s.positions[i] = round % 8 == 2 ? NAN : 1e30f;
            if (round % 4 == 0 && !(fabsf(s.positions[i]) < 10.0f)) s.positions[i] = test_random_signed(&r);
        }
        assert_int_equal(tact_mesh_move_vertices(moving, s.positions, s.vertices, 0), TACT_OK);
        tact_mesh* fresh = KEEP(make_mesh(context, s.positions, s.vertices, s.indices, s.triangles));
        const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
        tact_mesh_pair *one, *two;
        const size_t found = pairs_by(moving, other, identity, 1, false, &cpu, &one);
        assert_int_equal(pairs_by(fresh, other, identity, 1, false, &cpu, &two), found);
        if (found) assert_memory_equal(one, two, found * sizeof *one);
        compare(moving, other, identity, 1);
        compare(other, moving, identity, 1);
        tact_mesh_info was, is;
        assert_int_equal(tact_mesh_get_info(moving, &was), TACT_OK);
        assert_int_equal(tact_mesh_get_info(fresh, &is), TACT_OK);
        assert_int_equal(was.skipped_triangles, is.skipped_triangles);
        assert_memory_equal(was.lower, is.lower, sizeof was.lower);
        assert_memory_equal(was.upper, is.upper, sizeof was.upper);
        total += found;
        free(one);
        free(two);
    }
    assert_true(total > 100);
    assert_int_equal(tact_mesh_move_vertices(moving, s.positions, s.vertices + 1, 0), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_mesh_move_vertices(moving, s.positions, s.vertices, 10), TACT_ERROR_INVALID_ARGUMENT);
}

/// And of one pair that need not overlap.
TEST(segments_of_pairs)
{
    test_random r = test_random_seeded(9);
    tact_mesh *a = KEEP(make_soup(&r, SMOOTH, 200)), *b = KEEP(make_soup(&r, BROKEN, 200));
    float pose[1][12];
    turned(&r, 0.1f, pose[0]);
    tact_mesh_pair* pairs;
    const tact_query_options options = {.threads = 3};
    const size_t count = pairs_by(a, b, (const float(*)[12])pose, 1, false, &options, &pairs);
    assert_true(count > 20);
    tact_triangle_contact* contacts = scratch((count + 1) * sizeof *contacts);
    pairs = realloc(pairs, (count + 1) * sizeof *pairs);
    pairs[count] = (tact_mesh_pair){0, 199, 199};
    assert_int_equal(
        call_mesh_overlap_segments(a, b, (const float(*)[12])pose, 1, pairs, count + 1, contacts, &options), TACT_OK);
    for (size_t i = 0; i < count; ++i) {
        assert_int_not_equal(contacts[i].meeting, TACT_TRIANGLES_APART);
        const tact_triangle t = tact_overlap_triangle(&a->shape, pairs[i].a),
                            u = tact_overlap_triangle(&b->shape, pairs[i].b);
        const tact_triangle moved = tact_overlap_move(pose[0], &u);
        const tact_triangle_contact expected = tact_triangle_triangle_contact(&t, &moved);
        assert_memory_equal(&contacts[i], &expected, sizeof expected);
    }
    pairs[0].b = 200;
    assert_int_equal(call_mesh_overlap_segments(a, b, (const float(*)[12])pose, 1, pairs, count, contacts, NULL),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(context), "pair 0"));
    free(pairs);
}

/// Triangles with corners on a lattice of `step`, zeros of both signs among them.
static tact_mesh* make_lattice(test_random* r, float step)
{
    enum { TRIANGLES = 60 };
    float positions[9 * TRIANGLES];
    uint32_t indices[3 * TRIANGLES];
    for (int k = 0; k < 9 * TRIANGLES; ++k)
        positions[k] = step * (float)((int)test_random_below(r, 7) - 3);
    for (int k = 0; k < 9 * TRIANGLES; ++k) {
        if (positions[k] == 0.0f && test_random_below(r, 2)) positions[k] = -0.0f;
    }
    for (uint32_t k = 0; k < 3 * TRIANGLES; ++k)
        indices[k] = k;
    return make_mesh(context, positions, 3 * TRIANGLES, indices, TRIANGLES);
}

/// At steps of the smallest float most ends are rounded, many to zero.
TEST(segments_do_not_depend_on_the_order_of_the_meshes)
{
    static const float steps[] = {1.0f, 0x1p-147f, 0x1p-149f};
    test_random r = test_random_seeded(31);
    for (size_t i = 0; i < 30; ++i) {
        tact_mesh *a = KEEP(make_lattice(&r, steps[i % 3])), *b = KEEP(make_lattice(&r, steps[i % 3]));
        tact_mesh_pair* pairs;
        const size_t count = pairs_by(a, b, NULL, 1, false, NULL, &pairs);
        assert_true(count > 100);
        tact_triangle_contact* one = scratch(count * sizeof *one);
        tact_triangle_contact* two = scratch(count * sizeof *two);
        assert_int_equal(call_mesh_overlap_segments(a, b, NULL, 1, pairs, count, one, NULL), TACT_OK);
        for (size_t k = 0; k < count; ++k)
            pairs[k] = (tact_mesh_pair){0, pairs[k].b, pairs[k].a};
        assert_int_equal(call_mesh_overlap_segments(b, a, NULL, 1, pairs, count, two, NULL), TACT_OK);
        assert_memory_equal(one, two, count * sizeof *one);
        free(pairs);
    }
}

TEST(wrong_arguments)
{
    tact_mesh *a = KEEP(make_cube_mesh(context, 0, 0, 0, 1)), *empty = KEEP(make_mesh(context, NULL, 0, NULL, 0)),
              *out = NULL;
    float poses[2][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {1, 0, 0, 0, 0, NAN, 0, 0, 0, 0, 1, 0}};
    uint8_t relations[2] = {7, 7};
    const float(*at)[12] = (const float(*)[12])poses;
    size_t count = 9;
    assert_int_equal(call_mesh_overlap(a, a, at, 2, false, relations, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(context), "pose 1"));
    assert_int_equal(relations[0], 7);
    assert_int_equal(call_mesh_overlap_pairs(a, a, at, 2, NULL, 0, &count, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(call_mesh_overlap_pairs(a, a, at, 1, NULL, 4, &count, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(call_mesh_overlap_pairs(a, a, at, 1, NULL, 0, &count, NULL, NULL), TACT_INCOMPLETE);
    assert_true(count >= 12);
    assert_int_equal(call_mesh_overlap_pairs(a, a, at, 0, NULL, 0, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 0);
    assert_int_equal(call_mesh_overlap(a, empty, NULL, 0, true, relations, NULL, NULL), TACT_OK);
    assert_int_equal(relations[0], TACT_MESHES_APART);
    assert_int_equal(call_mesh_overlap(empty, a, NULL, 0, true, relations, NULL, NULL), TACT_OK);
    assert_int_equal(relations[0], TACT_MESHES_APART);
    const uint32_t past[3] = {0, 1, 8};
    const tact_mesh_desc desc = {.positions = poses[0], .vertex_count = 2, .indices = past, .triangle_count = 1};
    assert_int_equal(tact_mesh_create(context, &desc, &out), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(out);
    assert_int_equal(tact_mesh_self_overlap_pairs(a, NULL, 0, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 0);
    tact_mesh_destroy(NULL);
}

static bool stop_at_once(double done, void* user)
{
    assert_true(done >= 0.0 && done <= 1.0);
    return ++*(int*)user < 2;
}

TEST(cancelled_and_shadowed)
{
    test_random r = test_random_seeded(21);
    tact_mesh *a = KEEP(make_soup(&r, SMOOTH, 400)), *b = KEEP(make_soup(&r, SMOOTH, 400));
    enum { MANY = 1000 };
    static float poses[MANY][12];
    static uint8_t relations[MANY];
    for (int i = 0; i < MANY; ++i)
        turned(&r, 1.0f, poses[i]);
    const float(*at)[12] = (const float(*)[12])poses;
    for (int i = 0; i < 2; ++i) {
        int asked = 0;
        const tact_query_options options = {
            .backend = hosts[i], .threads = 2, .progress = stop_at_once, .progress_user = &asked};
        size_t count = 5;
        assert_int_equal(call_mesh_overlap_pairs(a, b, at, MANY, NULL, 0, &count, &options, NULL),
                         TACT_ERROR_CANCELLED);
        assert_int_equal(asked, 2);
        assert_int_equal(count, 0);
        asked = 0;
        assert_int_equal(call_mesh_overlap_pairs(a, b, at, 1, NULL, 0, &count, &options, NULL), TACT_ERROR_CANCELLED);
        asked = 0;
        assert_int_equal(call_mesh_overlap(a, b, at, MANY, true, relations, &options, NULL), TACT_ERROR_CANCELLED);
    }
    const tact_query_options shadow = {.backend = TACT_BACKEND_CPU, .shadow = true};
    tact_query_report report;
    size_t count = 0;
    assert_int_equal(call_mesh_overlap_pairs(a, b, at, 4, NULL, 0, &count, &shadow, &report), TACT_INCOMPLETE);
    assert_non_null(strstr(report.reason, "shadow: equal"));
    assert_int_equal(call_mesh_overlap(a, b, at, 4, true, relations, &shadow, &report), TACT_OK);
    assert_non_null(strstr(report.reason, "shadow: equal"));
}

// ---- Memory ----

typedef struct answers {
    size_t few, many, self;
    uint8_t relations[12];
    bool closed;
} answers;

/// Everything a program does with meshes, by one thread. The first error.
static tact_result work(counting_allocator* counter, const soup* s, const float (*poses)[12], answers* out)
{
    const tact_context_desc desc = {.allocator = counting_hooks(counter),
                                    .log = quiet,
                                    .gl = TACT_DEVICE_NONE,
                                    .cl = TACT_DEVICE_NONE,
                                    .threads = 1};
    tact_context* own = NULL;
    tact_result result = tact_context_create(&desc, &own);
    if (result != TACT_OK) return result;
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
    static tact_mesh_pair pairs[100000];
    static float moved[9 * MOST_TRIANGLES];
    memcpy(moved, s->positions, 3 * s->vertices * sizeof *moved);
    moved[0] = NAN;
    const tact_mesh_desc mesh = {
        .positions = s->positions, .vertex_count = s->vertices, .indices = s->indices, .triangle_count = s->triangles};
    tact_mesh *a = NULL, *b = NULL;
    tact_mesh_info info;
    result = tact_mesh_create(own, &mesh, &a);
    if (result == TACT_OK) result = tact_mesh_create(own, &mesh, &b);
    if (result == TACT_OK) result = call_mesh_overlap_pairs(a, b, poses, 1, pairs, 100000, &out->few, &cpu, NULL);
    if (result == TACT_OK) result = call_mesh_overlap_pairs(a, b, poses, 12, pairs, 100000, &out->many, &cpu, NULL);
    if (result == TACT_OK) result = tact_mesh_move_vertices(b, moved, s->vertices, 0);
    if (result == TACT_OK) result = call_mesh_overlap(a, b, poses, 12, true, out->relations, &cpu, NULL);
    if (result == TACT_OK) result = tact_mesh_self_overlap_pairs(a, pairs, 100000, &out->self, &cpu, NULL);
    if (result == TACT_OK) result = tact_mesh_get_info(a, &info);
    if (result == TACT_OK) out->closed = info.closed;
    if (result != TACT_OK) {
        assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
        assert_non_null(strstr(tact_context_error(own), "memory"));
    }
    tact_mesh_destroy(a);
    tact_mesh_destroy(b);
    tact_context_destroy(own);
    return result;
}

TEST(every_allocation_may_fail)
{
    static soup s;
    static answers expected, got;
    float poses[12][12];
    test_random r = test_random_seeded(31);
    fill_soup(&r, SMOOTH, 300, &s);
    for (int i = 0; i < 12; ++i)
        turned(&r, 0.7f, poses[i]);
    counting_allocator counter = {0};
    assert_int_equal(work(&counter, &s, (const float(*)[12])poses, &expected), TACT_OK);
    assert_int_equal(counter.live, 0);
    size_t failures = 0;
    for (size_t n = 1;; ++n) {
        counter = (counting_allocator){.fail_at = n};
        memset(&got, 0, sizeof got);
        const tact_result result = work(&counter, &s, (const float(*)[12])poses, &got);
        if (counter.live != 0) fail_msg("allocation %zu failed: %zu blocks were left over", n, counter.live);
        if (result == TACT_OK) assert_memory_equal(&got, &expected, sizeof got);
        if (!counter.failed) break;
        ++failures;
    }
    print_message("%zu allocations, each failed once\n", failures);
    assert_true(failures > 50);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
