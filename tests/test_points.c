// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "apps/inputs/rays.h"
#include "cpu_ref/trace/lanes.h"
#include "kernels/pose.h"
#include "kernels/ray_crossing.h"
#include "tests/support/flushed.h"
#include "tests/support/mesh_soup.h"
#include "tests/support/objects.h"
#include "tests/support/test_scenes.h"

// Points against solids: every backend against the brute force, the brute force against exact integers where points lie
// on a lattice, and against the sum of solid angles in double precision where surfaces are open.

static void locate(tact_scene* scene, tact_backend backend, const tact_closest_query* points, size_t count,
                   tact_point_location* out)
{
    tact_query_report report;
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    memset(out, 0xcd, count * sizeof *out);
    tact_result result = tact_locate_points(scene, points, count, out, &options, &report);
    if (left_to_cpu(context, backend, result)) {
        backend = TACT_BACKEND_REFERENCE;
        result = tact_locate_points(scene, points, count, out, &(tact_query_options){.backend = backend}, &report);
    }
    if (result != TACT_OK) fail_msg("%s: %s", tact_backend_name(backend), tact_context_error(context));
    assert_int_equal(report.backend, backend);
}

static void expect_same(const char* name, const char* who, const tact_closest_query* points, size_t count,
                        const tact_point_location* expected, const tact_point_location* got)
{
    for (size_t i = 0; i < count; ++i) {
        if (memcmp(&expected[i], &got[i], sizeof *got) == 0) continue;
        fail_msg("%s, %s: point %zu, %a %a %a: winding %a, %u/%u at %a, expected %a, %u/%u at %a", name, who, i,
                 (double)points[i].x, (double)points[i].y, (double)points[i].z, (double)got[i].winding, got[i].instance,
                 got[i].primitive, (double)got[i].distance, (double)expected[i].winding, expected[i].instance,
                 expected[i].primitive, (double)expected[i].distance);
    }
}

/// All backends and sets of instructions against the brute force, whose answers are left in `expected`.
static void conform(const char* name, tact_scene* scene, const tact_closest_query* points, size_t count,
                    tact_point_location* expected)
{
    tact_point_location* got = malloc(count * sizeof *got);
    tact_closest_hit* hits = malloc(count * sizeof *hits);
    assert_true(got && hits);
    locate(scene, TACT_BACKEND_REFERENCE, points, count, expected);
    for (int backend = TACT_BACKEND_CPU; backend <= TACT_BACKEND_CL; ++backend) {
        if (device_missing(context, (tact_backend)backend)) continue;
        locate(scene, (tact_backend)backend, points, count, got);
        expect_same(name, tact_backend_name((tact_backend)backend), points, count, expected, got);
    }
    for (int level = 0; level < TACT_LANE_LEVELS; ++level) {
        if (!tact_lanes_limit(level)) continue;
        locate(scene, TACT_BACKEND_CPU, points, count, got);
        expect_same(name, tact_trace_lanes()->name, points, count, expected, got);
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
    // The rest is what closest points say.
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
    assert_int_equal(tact_closest_points(scene, points, count, hits, &cpu, NULL), TACT_OK);
    for (size_t i = 0; i < count; ++i) {
        const tact_point_location* l = &expected[i];
        const float distance = l->inside && hits[i].instance != TACT_NONE ? -hits[i].distance : hits[i].distance;
        assert_memory_equal(&l->distance, &distance, sizeof distance);
        assert_true(l->instance == hits[i].instance && l->primitive == hits[i].primitive);
        assert_true(l->x == hits[i].x && l->y == hits[i].y && l->z == hits[i].z);
        assert_true(l->u == hits[i].u && l->v == hits[i].v);
        if (l->winding != 0.5f) assert_int_equal(l->inside, l->winding > 0.5f);  // which is before rounding
    }
    free(got);
    free(hits);
}

static tact_scene* scene_of(const float* positions, size_t vertices, const uint32_t* indices, size_t triangles)
{
    const tact_mesh_desc desc = {
        .positions = positions, .vertex_count = vertices, .indices = indices, .triangle_count = triangles};
    tact_scene* scene = NULL;
    assert_int_equal(tact_scene_create(context, &scene), TACT_OK);
    put_instance(scene, put_mesh(scene, &desc), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

// ---- On a lattice, by integers ----

// The point is really moved off the lattice, by as little as no sign of a determinant of lattice points depends on, and
// every tie is gone. Lattice coordinates are within 16: orientations in the plane are 0 or at least 2^64, and change by
// less than 2^6 2^32 2^9; volumes are 0 or at least 2^96 and change by less than 2^12 2^64 2^19.
#define LATTICE_ONE ((int64_t)1 << 32)
#define MOVE_X ((int64_t)1 << 19)
#define MOVE_Y ((int64_t)1 << 7)
#define MOVE_Z 1

__extension__ typedef __int128 whole;

static whole plane_of(const int64_t a[3], const int64_t b[3], const int64_t p[3])
{
    return (whole)(b[1] - a[1]) * (p[2] - a[2]) - (whole)(b[2] - a[2]) * (p[1] - a[1]);
}

static whole volume_of(const int64_t a[3], const int64_t b[3], const int64_t c[3], const int64_t p[3])
{
    return (p[0] - a[0]) * ((whole)(b[1] - a[1]) * (c[2] - a[2]) - (whole)(b[2] - a[2]) * (c[1] - a[1])) +
           (p[1] - a[1]) * ((whole)(b[2] - a[2]) * (c[0] - a[0]) - (whole)(b[0] - a[0]) * (c[2] - a[2])) +
           (p[2] - a[2]) * ((whole)(b[0] - a[0]) * (c[1] - a[1]) - (whole)(b[1] - a[1]) * (c[0] - a[0]));
}

enum { MOST_TETRAHEDRA = 12 };

/// Tetrahedra with corners on the lattice, as they come: flat ones, equal ones, inside out.
typedef struct tetrahedra {
    int at[4 * MOST_TETRAHEDRA][3];
    float positions[12 * MOST_TETRAHEDRA];
    uint32_t indices[12 * MOST_TETRAHEDRA];
    int count;
} tetrahedra;

static void fill_tetrahedra(test_random* r, int count, int size, tetrahedra* t)
{
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    t->count = count;
    for (int i = 0; i < 4 * count; ++i) {
        // Some share corners.
        const int other = i > 3 && test_random_below(r, 3) == 0 ? (int)test_random_below(r, (uint32_t)i) : -1;
        for (int k = 0; k < 3; ++k) {
            const int own = (int)test_random_below(r, (uint32_t)(2 * size + 1)) - size;
            t->at[i][k] = other >= 0 ? t->at[other][k] : own;
            t->positions[3 * i + k] = 0.25f * (float)t->at[i][k];
            if (t->at[i][k] == 0 && test_random_below(r, 2)) t->positions[3 * i + k] = -0.0f;
        }
    }
    for (int i = 0; i < 12 * count; ++i)
        t->indices[i] = (uint32_t)(4 * (i / 12)) + faces[i % 12];
}

static int exact_winding(const tetrahedra* t, const int p[3])
{
    const int64_t at[3] = {p[0] * LATTICE_ONE + MOVE_X, p[1] * LATTICE_ONE + MOVE_Y, p[2] * LATTICE_ONE + MOVE_Z};
    int sum = 0;
    for (int k = 0; k < 4 * t->count; ++k) {
        int64_t corner[3][3];
        for (int c = 0; c < 9; ++c)
            corner[c / 3][c % 3] = t->at[t->indices[3 * k + c / 3]][c % 3] * LATTICE_ONE;
        const whole x = plane_of(corner[0], corner[1], at), y = plane_of(corner[1], corner[2], at),
                    z = plane_of(corner[2], corner[0], at), v = volume_of(corner[0], corner[1], corner[2], at);
        if (x > 0 && y > 0 && z > 0 && v < 0) ++sum;
        if (x < 0 && y < 0 && z < 0 && v > 0) --sum;
    }
    return sum;
}

TEST(closed_lattice_meshes_have_the_exact_winding_number)
{
    enum { POINTS = 900 };
    static tact_closest_query points[POINTS];
    static tact_point_location got[POINTS];
    test_random r = test_random_seeded(3);
    uint64_t asked = 0, inside = 0;
    for (int round = 0; round < 150; ++round) {
        static const int sizes[3] = {1, 3, 16};
        const int size = sizes[round % 3];
        tetrahedra t;
        fill_tetrahedra(&r, 1 + (int)test_random_below(&r, MOST_TETRAHEDRA), size, &t);
        int at[POINTS][3];
        for (int i = 0; i < POINTS; ++i) {
            // On the lattice, so often at corners, on edges and faces, and beside them along an axis.
            const int* corner = t.at[test_random_below(&r, (uint32_t)(4 * t.count))];
            for (int k = 0; k < 3; ++k) {
                at[i][k] = (int)test_random_below(&r, (uint32_t)(2 * size + 1)) - size;
                if (test_random_below(&r, 3) == 0) at[i][k] = corner[k];
            }
            points[i] = (tact_closest_query){0.25f * (float)at[i][0], 0.25f * (float)at[i][1], 0.25f * (float)at[i][2],
                                             i % 3 ? INFINITY : 0.3f};
        }
        tact_scene* scene = scene_of(t.positions, (size_t)(4 * t.count), t.indices, (size_t)(4 * t.count));
        conform("lattice", scene, points, POINTS, got);
        for (int i = 0; i < POINTS; ++i) {
            const int right = exact_winding(&t, at[i]);
            if (got[i].winding != (float)right) {
                fail_msg("round %d, point %d %d %d: winding %g, should be %d", round, at[i][0], at[i][1], at[i][2],
                         (double)got[i].winding, right);
            }
            inside += got[i].inside;
        }
        asked += POINTS;
        tact_scene_destroy(scene);
    }
    assert_true(asked >= 100000 && inside > asked / 50);
}

static TactPoint lattice_point(const int at[3])
{
    return tact_point(0.25f * (float)at[0], 0.25f * (float)at[1], 0.25f * (float)at[2]);
}

/// What devices count by themselves is what exact numbers say, and off the lattice they are seldom unsure.
TEST(what_is_sure_in_single_precision_is_right)
{
    test_random r = test_random_seeded(4);
    int sure = 0, crossed = 0;
    for (int round = 0; round < 3000; ++round) {
        tetrahedra t;
        fill_tetrahedra(&r, 1, round % 2 ? 16 : 3, &t);
        for (int i = 0; i < 20; ++i) {
            int at[3], sum = 0, unsure = 0;
            for (int k = 0; k < 3; ++k)
                at[k] = (int)test_random_below(&r, 33) - 16;
            for (int k = 0; k < 4; ++k) {
                const uint32_t* c = t.indices + 3 * k;
                const int found = tact_crossing(lattice_point(at), lattice_point(t.at[c[0]]), lattice_point(t.at[c[1]]),
                                                lattice_point(t.at[c[2]]));
                unsure += found == TACT_CROSSING_UNSURE;
                sum += found == TACT_CROSSING_UNSURE ? 0 : found;
                crossed += found == 1 || found == -1;
            }
            if (unsure > 0) continue;
            assert_int_equal(sum, exact_winding(&t, at));
            ++sure;
        }
    }
    assert_true(sure > 30000 && crossed > 1000);
    int unsure = 0;
    for (int i = 0; i < 10000; ++i) {
        TactPoint p[4];
        for (int k = 0; k < 4; ++k)
            p[k] = tact_point(test_random_signed(&r), test_random_signed(&r), test_random_signed(&r));
        unsure += tact_crossing(p[0], p[1], p[2], p[3]) == TACT_CROSSING_UNSURE;
        assert_true(tact_strip_side(p[0], p[1], p[2]) == -tact_strip_side(p[0], p[2], p[1]));
    }
    assert_true(unsure < 10);
}

// ---- Open surfaces, by solid angles ----

typedef struct dvec3 {
    double x, y, z;
} dvec3;

/// The signed solid angle over 4 pi (van Oosterom and Strackee, 1983): positive where the triangle is seen from behind.
static double turn_of(const float a[3], const float b[3], const float c[3], const tact_closest_query* p)
{
    const float* at[3] = {a, b, c};
    dvec3 v[3];
    double l[3];
    for (int i = 0; i < 3; ++i) {
        v[i] =
            (dvec3){(double)at[i][0] - (double)p->x, (double)at[i][1] - (double)p->y, (double)at[i][2] - (double)p->z};
        l[i] = sqrt(v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z);
    }
    const double det = v[0].x * (v[1].y * v[2].z - v[1].z * v[2].y) + v[0].y * (v[1].z * v[2].x - v[1].x * v[2].z) +
                       v[0].z * (v[1].x * v[2].y - v[1].y * v[2].x);
    double bottom = l[0] * l[1] * l[2];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        bottom += (v[i].x * v[j].x + v[i].y * v[j].y + v[i].z * v[j].z) * l[k];
    }
    return atan2(det, bottom) / (2.0 * 3.14159265358979323846);
}

/// Asks, and compares with the sum; points closer to the surface than `near` are left out.
static void expect_solid_angles(const char* name, tact_scene* scene, const float* positions, const uint32_t* indices,
                                size_t triangles, const tact_closest_query* points, size_t count, double near,
                                double tolerance)
{
    tact_point_location* got = malloc(count * sizeof *got);
    assert_non_null(got);
    size_t compared = 0;
    conform(name, scene, points, count, got);
    for (size_t i = 0; i < count; ++i) {
        if (!(fabs((double)got[i].distance) > near)) continue;
        double sum = 0.0;
        for (size_t k = 0; k < triangles; ++k) {
            const uint32_t* c = indices + 3 * k;
            sum += turn_of(positions + 3 * (size_t)c[0], positions + 3 * (size_t)c[1], positions + 3 * (size_t)c[2],
                           &points[i]);
        }
        if (!(fabs((double)got[i].winding - sum) <= tolerance)) {
            fail_msg("%s: point %zu, %a %a %a: winding %.9g, should be %.9g", name, i, (double)points[i].x,
                     (double)points[i].y, (double)points[i].z, (double)got[i].winding, sum);
        }
        ++compared;
    }
    assert_true(compared > count / 4);
    free(got);
}

TEST(a_triangle_alone_covers_its_solid_angle)
{
    enum { COUNT = 400 };
    static tact_closest_query points[COUNT];
    static tact_point_location expected[COUNT];
    test_random r = test_random_seeded(5);
    static const uint32_t indices[3] = {0, 1, 2};
    static const float large[9] = {4.04e8f, 1e15f, 0, -3.81e8f, -5e14f, 8.66e14f, -3.81e8f, -5e14f, -8.66e14f};
    for (int round = 0; round < 61; ++round) {
        float positions[9];
        const float unit = round == 60 ? 4e8f : round % 4 == 0 ? 1e12f : round % 4 == 1 ? 1e-9f : 1.0f;
        for (int i = 0; i < 9; ++i)
            positions[i] = unit * (round % 2 ? test_random_signed(&r) : (float)((int)test_random_below(&r, 5) - 2));
        // The plane straight ahead is the sum of three products, one of which overflows and not the sum.
        if (round == 60) memcpy(positions, large, sizeof positions);
        for (int i = 0; i < COUNT; ++i) {
            const float* corner = positions + 3 * test_random_below(&r, 3);
            float at[3];
            for (int k = 0; k < 3; ++k)
                at[k] = test_random_below(&r, 4) == 0 ? corner[k] : 3.0f * unit * test_random_signed(&r);
            points[i] = (tact_closest_query){at[0], at[1], at[2], INFINITY};
        }
        tact_scene* scene = scene_of(positions, 3, indices, 1);
        if (round == 60) {
            conform("large products", scene, points, COUNT, expected);
        } else {
            expect_solid_angles("triangle", scene, positions, indices, 1, points, COUNT, 1e-3 * (double)unit, 0x1p-20);
        }
        tact_scene_destroy(scene);
    }
}

TEST(soups_cover_the_sum_of_solid_angles)
{
    enum { COUNT = 150 };
    static tact_closest_query points[COUNT];
    static soup s;
    test_random r = test_random_seeded(6);
    for (int round = 0; round < 40; ++round) {
        const soup_kind kind = round % 4 == 0   ? LATTICE
                               : round % 4 == 1 ? NEEDLES
                               : round % 4 == 2 ? HUGE_ONES
                                                : SMOOTH;
        const float unit = kind == HUGE_ONES ? 0x1p59f : 1.0f;
        fill_soup(&r, kind, 1 + test_random_below(&r, 200), &s);
        for (int i = 0; i < COUNT; ++i) {
            points[i] = (tact_closest_query){2 * unit * test_random_signed(&r), 2 * unit * test_random_signed(&r),
                                             2 * unit * test_random_signed(&r), INFINITY};
        }
        tact_scene* scene = scene_of(s.positions, s.vertices, s.indices, s.triangles);
        expect_solid_angles("soup", scene, s.positions, s.indices, s.triangles, points, COUNT, 1e-3 * (double)unit,
                            0x1p-21 * (1.0 + (double)s.triangles));
        tact_scene_destroy(scene);
    }
}

/// A ball of triangles without those for which `hole` says so.
static tact_model_mesh ball_of(unsigned levels, bool (*hole)(const float* corner, size_t triangle))
{
    tact_model_mesh mesh = {0};
    tact_problem problem = {0};
    assert_true(tact_mesh_icosphere(levels, &mesh, &problem));
    size_t kept = 0;
    for (size_t k = 0; k < mesh.triangle_count; ++k) {
        const uint32_t* c = mesh.indices + 3 * k;
        if (hole && hole(mesh.positions + 3 * (size_t)c[0], k)) continue;
        memmove(mesh.indices + 3 * kept++, c, 3 * sizeof *c);
    }
    mesh.triangle_count = kept;
    return mesh;
}

static void free_mesh(tact_model_mesh* mesh)
{
    free(mesh->positions);
    free(mesh->indices);
}

static bool lower_half(const float* corner, size_t triangle)
{
    return corner[2] < 0.0f;
}

static bool every_fifth(const float* corner, size_t triangle)
{
    return triangle % 5 == 2;
}

static bool one(const float* corner, size_t triangle)
{
    return triangle == 7;
}

TEST(balls_with_holes_have_fractions)
{
    enum { COUNT = 600 };
    static bool (*const holes[3])(const float*, size_t) = {lower_half, every_fifth, one};
    static tact_closest_query points[COUNT];
    static tact_point_location got[COUNT];
    for (int h = 0; h < 3; ++h) {
        tact_model_mesh mesh = ball_of(3, holes[h]);
        const tact_bounds bounds = {{-1, -1, -1}, {1, 1, 1}};
        tact_points_random(&bounds, (uint64_t)h, COUNT, INFINITY, points);
        for (int i = 0; i < 100; ++i) {  // where y and z are those of a vertex
            const float* v = mesh.positions + 3 * (size_t)mesh.indices[i * 5];
            points[i].y = v[1];
            points[i].z = v[2];
        }
        tact_scene* scene = scene_of(mesh.positions, mesh.vertex_count, mesh.indices, mesh.triangle_count);
        expect_solid_angles("ball with holes", scene, mesh.positions, mesh.indices, mesh.triangle_count, points, COUNT,
                            0.02, 1e-4);
        locate(scene, TACT_BACKEND_CPU, points, COUNT, got);
        const tact_closest_query centre = {0, 0, 0, INFINITY};
        locate(scene, TACT_BACKEND_CPU, &centre, 1, got);
        if (h == 0) assert_true(got[0].winding > 0.4f && got[0].winding < 0.6f);
        if (h == 1) assert_true(got[0].winding > 0.75f && got[0].winding < 0.85f && got[0].distance < 0.0f);
        if (h == 2) assert_true(got[0].winding > 0.99f && got[0].winding < 1.0f && got[0].inside);
        tact_scene_destroy(scene);
        free_mesh(&mesh);
    }
}

/// Behind an edge of the boundary the crossing and the strip jump together, so the sum does not.
TEST(nothing_jumps_behind_the_boundary)
{
    enum { COUNT = 300 };
    static tact_closest_query points[3 * COUNT];
    static tact_point_location got[3 * COUNT];
    static const uint32_t indices[3] = {0, 1, 2};
    test_random r = test_random_seeded(9);
    for (int round = 0; round < 30; ++round) {
        float positions[9];
        for (int i = 0; i < 9; ++i)
            positions[i] = round % 2 ? test_random_signed(&r) : 0.25f * (float)((int)test_random_below(&r, 9) - 4);
        for (int i = 0; i < COUNT; ++i) {
            const float t = i % 3 ? test_random_unit(&r) : (float)(i % 2);
            const float *a = positions + 3 * (i % 3), *b = positions + 3 * ((i + 1) % 3);
            const float y = a[1] + t * (b[1] - a[1]), z = a[2] + t * (b[2] - a[2]);
            for (int k = 0; k < 3; ++k)
                points[3 * i + k] = (tact_closest_query){-2.0f,
                                                         k == 0   ? y
                                                         : k == 1 ? nextafterf(y, 9.0f)
                                                                  : nextafterf(y, -9.0f),
                                                         z, 9};
        }
        tact_scene* scene = scene_of(positions, 3, indices, 1);
        conform("behind the boundary", scene, points, 3 * COUNT, got);
        for (int i = 0; i < COUNT; ++i) {
            assert_true(fabsf(got[3 * i].winding - got[3 * i + 1].winding) < 1e-6f);
            assert_true(fabsf(got[3 * i].winding - got[3 * i + 2].winding) < 1e-6f);
        }
        tact_scene_destroy(scene);
    }
}

// ---- Solids ----

static double volume_of_mesh(const tact_model_mesh* mesh)
{
    double sum = 0.0;
    for (size_t k = 0; k < mesh->triangle_count; ++k) {
        double v[3][3];
        for (size_t c = 0; c < 9; ++c)
            v[c / 3][c % 3] = (double)mesh->positions[3 * (size_t)mesh->indices[3 * k + c / 3] + c % 3];
        sum += v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) + v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
               v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
    }
    return sum / 6.0;
}

TEST(as_many_points_are_inside_of_a_ball_as_its_volume_asks_for)
{
    enum { COUNT = 120000 };
    tact_model_mesh mesh = ball_of(4, NULL);
    tact_closest_query* points = malloc(COUNT * sizeof *points);
    tact_point_location* got = malloc(COUNT * sizeof *got);
    assert_true(points && got);
    const tact_bounds bounds = {{-1, -1, -1}, {1, 1, 1}};
    tact_points_random(&bounds, 1, COUNT, INFINITY, points);
    tact_scene* scene = KEEP(scene_of(mesh.positions, mesh.vertex_count, mesh.indices, mesh.triangle_count));
    locate(scene, TACT_BACKEND_CPU, points, COUNT, got);
    double inside = 0.0;
    for (int i = 0; i < COUNT; ++i) {
        const tact_closest_query* p = &points[i];
        const double radius =
            sqrt((double)p->x * (double)p->x + (double)p->y * (double)p->y + (double)p->z * (double)p->z);
        assert_true(got[i].winding == 0.0f || got[i].winding == 1.0f);
        if (radius < 0.99) assert_true(got[i].inside && got[i].distance < 0.0f);
        if (radius > 1.0001) assert_true(!got[i].inside && got[i].distance > 0.0f);
        assert_true(fabs((double)got[i].distance - (radius - 1.0)) < 0.01);
        inside += got[i].inside;
    }
    // Five standard deviations of the box of edge 4.
    const double share = volume_of_mesh(&mesh) / 64.0, deviation = sqrt(share * (1.0 - share) / COUNT);
    assert_true(fabs(inside / COUNT - share) < 5.0 * deviation);
    free_mesh(&mesh);
    free(points);
    free(got);
}

static const float cube_corners[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const uint32_t cube_faces[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                        2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

TEST(one_unit_to_either_side_of_a_face_decides)
{
    float corners[24];
    for (int i = 0; i < 24; ++i)
        corners[i] = cube_corners[i] + 1.0f;
    tact_scene* scene = KEEP(scene_of(corners, 8, cube_faces, 12));
    test_random r = test_random_seeded(12);
    static tact_closest_query points[18 * 40];
    static tact_point_location got[18 * 40];
    int count = 0;
    for (int round = 0; round < 40; ++round) {
        for (int face = 0; face < 6; ++face) {
            const float side = 1.0f + (float)(face % 2);
            // On the diagonal at times.
            const float s = 1.1f + 0.8f * test_random_unit(&r), t = round % 3 ? 1.1f + 0.8f * test_random_unit(&r) : s;
            for (int k = 0; k < 3; ++k) {
                const float at = k == 1 ? side : nextafterf(side, k == 0 ? 1.5f : 9.0f * (side - 1.5f));
                float p[3] = {s, t, 3.0f - s};
                p[face / 2] = at;
                points[count++] = (tact_closest_query){p[0], p[1], p[2], INFINITY};
            }
        }
    }
    conform("cube", scene, points, (size_t)count, got);
    for (int i = 0; i < count; ++i) {
        const int face = i / 3 % 6;
        // On the face: what is just farther along x, y and z counts.
        const bool inside = i % 3 == 0 || (i % 3 == 1 && face % 2 == 0);
        assert_int_equal(got[i].inside, inside);
        assert_true(got[i].winding == (inside ? 1.0f : 0.0f));
        assert_true(i % 3 == 1 ? got[i].distance == 0.0f : (got[i].distance < 0.0f) == inside);
    }
}

TEST(the_closest_feature_is_told)
{
    static const uint32_t face[3] = {0, 1, 2};
    static const float corners[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    static const struct {
        tact_closest_query p;
        tact_feature feature;
    } cases[] = {{{1, 1, 1, 9}, TACT_FEATURE_FACE},      {{2, -1, 0, 9}, TACT_FEATURE_EDGE_AB},
                 {{3, 3, 1, 9}, TACT_FEATURE_EDGE_BC},   {{2.7f, 3.1f, 0, 9}, TACT_FEATURE_EDGE_BC},
                 {{-1, 2, 1, 9}, TACT_FEATURE_EDGE_CA},  {{-1, -1, 1, 9}, TACT_FEATURE_VERTEX_A},
                 {{6, -1, 0, 9}, TACT_FEATURE_VERTEX_B}, {{-1, 7, 0, 9}, TACT_FEATURE_VERTEX_C},
                 {{0, 0, 0, 9}, TACT_FEATURE_VERTEX_A},  {{1, 0, 0, 9}, TACT_FEATURE_EDGE_AB},
                 {{1, 1, 50, 9}, TACT_FEATURE_FACE}};
    tact_scene* scene = KEEP(scene_of(corners, 3, face, 1));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        tact_point_location got;
        conform("features", scene, &cases[i].p, 1, &got);
        assert_int_equal(got.feature, cases[i].feature);
    }
}

static uint32_t add_cube(tact_scene* scene, uint32_t mesh, float x, float y, float z, float size, float mirror)
{
    const float m[12] = {size * mirror, 0, 0, x, 0, size, 0, y, 0, 0, size, z};
    uint32_t id;
    assert_int_equal(tact_scene_add_instance(scene, mesh, m, &id), TACT_OK);
    return id;
}

static float winding_at(tact_scene* scene, float x, float y, float z)
{
    const tact_closest_query p = {x, y, z, INFINITY};
    tact_point_location got;
    conform("instances", scene, &p, 1, &got);
    return got.winding;
}

TEST(instances_add_up)
{
    uint32_t turned[36];
    for (int i = 0; i < 36; ++i)
        turned[i] = cube_faces[i - i % 3 + 2 - i % 3];
    const tact_mesh_desc cube = {
        .positions = cube_corners, .vertex_count = 8, .indices = cube_faces, .triangle_count = 12};
    tact_mesh_desc hollow = cube;
    hollow.indices = turned;
    tact_scene* scene = NULL;
    uint32_t mesh, inverse;
    assert_int_equal(tact_scene_create(context, &scene), TACT_OK);
    assert_int_equal(tact_scene_add_mesh(scene, &cube, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_mesh(scene, &hollow, &inverse), TACT_OK);
    const uint32_t outer = add_cube(scene, mesh, 0, 0, 0, 10, 1);
    add_cube(scene, inverse, 2, 2, 2, 4, 1);     // a cavity
    add_cube(scene, mesh, 3, 3, 3, 1, 1);        // with something in it
    add_cube(scene, mesh, 9, 0, 0, 10, 1);       // overlaps the first
    add_cube(scene, mesh, -5, 0, 0, 4, -1);      // mirrored: x from -9 to -5
    add_cube(scene, inverse, -20, 0, 0, 4, -1);  // inside out, then mirrored
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_true(winding_at(scene, 1, 1, 1) == 1.0f);
    assert_true(winding_at(scene, 2.5f, 2.5f, 2.5f) == 0.0f);
    assert_true(winding_at(scene, 3.5f, 3.5f, 3.5f) == 1.0f);
    assert_true(winding_at(scene, 9.5f, 5, 5) == 2.0f);
    assert_true(winding_at(scene, 15, 5, 5) == 1.0f);
    assert_true(winding_at(scene, -6, 1, 1) == 1.0f);
    assert_true(winding_at(scene, -21, 1, 1) == -1.0f);
    assert_true(winding_at(scene, 30, 5, 5) == 0.0f && winding_at(scene, 5, 11, 5) == 0.0f);
    assert_int_equal(tact_scene_remove_instance(scene, outer), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_true(winding_at(scene, 1, 1, 1) == 0.0f && winding_at(scene, 9.5f, 5, 5) == 1.0f);
    tact_scene_destroy(scene);
}

/// Turned, stretched and sheared cubes with half of a face missing, mirrored ones among them, against solid angles of
/// the moved triangles.
TEST(moved_surfaces_are_those_of_the_world)
{
    enum { COUNT = 200, PLACED = 5, FACES = 11 };
    static tact_closest_query points[COUNT];
    test_random r = test_random_seeded(14);
    const tact_mesh_desc open = {
        .positions = cube_corners, .vertex_count = 8, .indices = cube_faces, .triangle_count = FACES};
    for (int round = 0; round < 12; ++round) {
        static float moved[24 * PLACED];
        static uint32_t indices[3 * FACES * PLACED];
        tact_scene* scene = NULL;
        uint32_t mesh, id;
        assert_int_equal(tact_scene_create(context, &scene), TACT_OK);
        assert_int_equal(tact_scene_add_mesh(scene, &open, &mesh), TACT_OK);
        for (uint32_t n = 0; n < PLACED; ++n) {
            float m[12];
            for (int i = 0; i < 12; ++i)
                m[i] = test_random_signed(&r);
            assert_int_equal(tact_scene_add_instance(scene, mesh, m, &id), TACT_OK);
            const double det = (double)m[0] * ((double)m[5] * (double)m[10] - (double)m[6] * (double)m[9]) -
                               (double)m[1] * ((double)m[4] * (double)m[10] - (double)m[6] * (double)m[8]) +
                               (double)m[2] * ((double)m[4] * (double)m[9] - (double)m[5] * (double)m[8]);
            for (uint32_t v = 0; v < 24; ++v) {
                const float *row = m + 4 * (v % 3), *p = cube_corners + 3 * (v / 3);
                moved[24 * n + v] = tact_pose_apply(row[0], row[1], row[2], row[3], p[0], p[1], p[2]);
            }
            for (uint32_t i = 0; i < 3 * FACES; ++i) {
                const uint32_t corner = det < 0.0 ? i - i % 3 + 2 - i % 3 : i;
                indices[3 * FACES * n + i] = 8 * n + cube_faces[corner];
            }
        }
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        for (int i = 0; i < COUNT; ++i)
            points[i] = (tact_closest_query){2 * test_random_signed(&r), 2 * test_random_signed(&r),
                                             2 * test_random_signed(&r), INFINITY};
        expect_solid_angles("moved", scene, moved, indices, (size_t)FACES * PLACED, points, COUNT, 1e-3, 1e-5);
        tact_scene_destroy(scene);
    }
}

TEST(vertices_that_move_open_and_close_the_surface)
{
    // Two boxes' halves, whose rims meet at first and then do not.
    float corners[48];
    uint32_t faces[36];
    memcpy(corners, cube_corners, sizeof cube_corners);
    memcpy(corners + 24, cube_corners, sizeof cube_corners);
    for (int i = 0; i < 36; ++i)
        faces[i] = cube_faces[i] + (i < 18 ? 0u : 8u);
    const tact_mesh_desc desc = {.positions = corners, .vertex_count = 16, .indices = faces, .triangle_count = 12};
    tact_scene* scene = NULL;
    uint32_t mesh, id;
    assert_int_equal(tact_scene_create(context, &scene), TACT_OK);
    assert_int_equal(tact_scene_add_mesh(scene, &desc, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_instance(scene, mesh, NULL, &id), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_true(winding_at(scene, 0.5f, 0.25f, 0.5f) == 1.0f);
    for (int i = 25; i < 48; i += 3)
        corners[i] += 0.25f;
    assert_int_equal(tact_scene_update_mesh(scene, mesh, corners, 0, TACT_UPDATE_REFIT), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    const float open = winding_at(scene, 0.5f, 0.25f, 0.5f);
    assert_true(open > 0.5f && open < 1.0f);
    for (int i = 25; i < 48; i += 3)
        corners[i] -= 0.25f;
    assert_int_equal(tact_scene_update_mesh(scene, mesh, corners, 0, TACT_UPDATE_REBUILD), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_true(winding_at(scene, 0.5f, 0.25f, 0.5f) == 1.0f);
    tact_scene_destroy(scene);
}

/// A cube's face twice adds to itself, triangles without area add nothing.
TEST(degenerate_and_duplicate_triangles_count_for_what_they_cover)
{
    uint32_t faces[48];
    memcpy(faces, cube_faces, sizeof cube_faces);
    memcpy(faces + 36, cube_faces + 30, 6 * sizeof *faces);  // the side at x = 1 again
    const uint32_t flat[6] = {0, 0, 3, 1, 7, 1};
    memcpy(faces + 42, flat, sizeof flat);
    tact_scene* scene = KEEP(scene_of(cube_corners, 8, faces, 16));
    // From the middle a side covers a sixth of the sphere.
    assert_true(fabsf(winding_at(scene, 0.5f, 0.5f, 0.5f) - 7.0f / 6.0f) < 1e-6f);
}

/// Triangles that share no vertex, some of whose zeros are negative, are closed all the same.
TEST(vertices_in_one_place_are_one)
{
    float corners[108];
    for (int i = 0; i < 108; ++i) {
        corners[i] = cube_corners[3 * cube_faces[i / 3] + (uint32_t)i % 3];
        if (corners[i] == 0.0f && i % 5 == 0) corners[i] = -0.0f;
    }
    tact_scene* scene = KEEP(scene_of(corners, 36, NULL, 12));
    assert_true(winding_at(scene, 0.5f, 0.25f, 0.125f) == 1.0f && winding_at(scene, 2, 0.25f, 0.125f) == 0.0f);
}

// ---- Numbers of all sorts ----

TEST(hostile_numbers_are_answered_alike)
{
    enum { COUNT = 200 };
    static tact_closest_query points[COUNT];
    static tact_point_location got[COUNT];
    static soup s;
    test_random r = test_random_seeded(15);
    for (int round = 0; round < 40; ++round) {
        fill_soup(&r, round % 2 ? BROKEN : LATTICE, 30, &s);
        for (int i = 0; i < COUNT; ++i) {
            const float bad[6] = {NAN, INFINITY, -INFINITY, 0x1.000002p60f, 0x1p60f, test_random_any(&r)};
            float at[4] = {test_random_signed(&r), test_random_signed(&r), test_random_signed(&r), INFINITY};
            if (i % 4) at[test_random_below(&r, 3)] = bad[test_random_below(&r, 6)];
            if (i % 7 == 0) at[3] = i % 2 ? NAN : -1.0f;
            points[i] = (tact_closest_query){at[0], at[1], at[2], at[3]};
        }
        tact_scene* scene = scene_of(s.positions, s.vertices, s.indices, s.triangles);
        conform("hostile", scene, points, COUNT, got);
        for (int i = 0; i < COUNT; ++i) {
            const bool valid = fabsf(points[i].x) <= TACT_MAX_COORDINATE && fabsf(points[i].y) <= TACT_MAX_COORDINATE &&
                               fabsf(points[i].z) <= TACT_MAX_COORDINATE && points[i].max_distance >= 0.0f;
            assert_true(isfinite(got[i].winding) && got[i].inside <= 1);
            if (valid) continue;
            assert_true(got[i].instance == TACT_NONE && got[i].winding == 0.0f && !got[i].inside && !got[i].feature);
            assert_memory_equal(&got[i].distance, &points[i].max_distance, sizeof(float));
        }
        tact_scene_destroy(scene);
    }
}

TEST(every_backend_agrees_on_the_scenes_of_verify)
{
    enum { COUNT = 100 };
    static tact_closest_query points[COUNT];
    static tact_point_location got[COUNT];
    for (size_t i = 0; i < tact_test_scene_count; ++i) {
        const tact_test_scene* test = &tact_test_scenes[i];
        tact_model model;
        tact_scene_stats stats;
        tact_scene* scene = build_test_scene(test, &model, &stats);
        const size_t count = tact_model_triangles(&model) > 20000 ? COUNT / 5 : COUNT;
        const tact_bounds bounds = tact_ray_bounds(&stats);
        tact_points_random(&bounds, 1, count, (float)(0.2 * (bounds.upper[0] - bounds.lower[0])), points);
        conform(test->name, scene, points, count, got);
        tact_points_hard(&model, &bounds, 1, count, points);
        conform(test->name, scene, points, count, got);
        tact_scene_destroy(scene);
        tact_model_free(&model);
    }
}

static bool stop_at_once(double done, void* user)
{
    ++*(int*)user;
    return false;
}

TEST(wrong_use_is_refused_and_work_can_be_cancelled)
{
    const tact_closest_query point = {0.5f, 0.5f, 0.5f, 9};
    tact_point_location got;
    tact_scene* scene = KEEP(scene_of(cube_corners, 8, cube_faces, 12));
    assert_int_equal(tact_locate_points(NULL, &point, 1, &got, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_locate_points(scene, NULL, 1, &got, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(context), "points"));
    assert_int_equal(tact_locate_points(scene, &point, 1, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(context), "locations"));
    assert_int_equal(tact_locate_points(scene, NULL, 0, NULL, NULL, NULL), TACT_OK);
    int calls = 0;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .progress = stop_at_once, .progress_user = &calls};
    assert_int_equal(tact_locate_points(scene, &point, 1, &got, &options, NULL), TACT_ERROR_CANCELLED);
    assert_int_equal(calls, 1);
    const tact_query_options shadow = {.backend = TACT_BACKEND_CPU, .shadow = true};
    assert_int_equal(tact_locate_points(scene, &point, 1, &got, &shadow, NULL), TACT_OK);
    const tact_sphere ball = {{0, 0, 0}, 1};
    uint32_t balls, id;
    assert_int_equal(tact_scene_add_spheres(scene, &ball, 1, &balls), TACT_OK);
    assert_int_equal(tact_locate_points(scene, &point, 1, &got, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_locate_points(scene, &point, 1, &got, NULL, NULL), TACT_OK);
    assert_int_equal(tact_scene_add_instance(scene, balls, NULL, &id), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_locate_points(scene, &point, 1, &got, NULL, NULL), TACT_ERROR_UNSUPPORTED);
    assert_non_null(strstr(tact_context_error(context), "spheres, boxes or capsules"));
}

TEST(an_empty_scene_holds_nothing)
{
    tact_scene* scene = KEEP(scene_of(NULL, 0, NULL, 0));
    const tact_closest_query points[2] = {{0, 0, 0, INFINITY}, {1, 2, 3, 4}};
    tact_point_location got[2];
    conform("empty", scene, points, 2, got);
    assert_true(got[1].instance == TACT_NONE && got[1].distance == 4.0f && got[1].winding == 0.0f);
}

#include TEST_LIST
RUN_ALL(open_context, close_context)
