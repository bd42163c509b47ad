// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Unions, intersections and differences against what is inside: sets of cubes on a grid, where faces lie on each other
// and edges touch, balls with bumps, rings and boxes; what is refused; where a mesh passes through itself.

#include "tests/support/run.h"

#include <inttypes.h>
#include <math.h>

#include "tact/geometry/mesh_combine.h"
#include "tact/geometry/triangle_triangle.h"
#include "tests/geometry/solid_cubes.h"
#include "tests/geometry/solids.h"
#include "tests/support/effort.h"

static tact_mesh_view view_of(const tact_mesh_copy* c)
{
    return (tact_mesh_view){c->positions, c->vertex_count, c->indices, c->triangle_count};
}

static bool expected(tact_mesh_operation operation, bool in_a, bool in_b)
{
    return operation == TACT_MESH_UNION          ? in_a || in_b
           : operation == TACT_MESH_INTERSECTION ? in_a && in_b
                                                 : in_a && !in_b;
}

/// The result, which must be closed and oriented, and its volume.
static tact_mesh_copy combine(const tact_mesh_view* a, const tact_mesh_view* b, tact_mesh_operation operation,
                              tact_mesh_combined* combined, tact_mesh_report* report)
{
    tact_mesh_copy copy;
    if (tact_mesh_combine(a, b, operation, NULL, &copy, combined) != TACT_OK) fail_msg("%s", tact_last_error());
    const tact_mesh_view view = view_of(&copy);
    assert_int_equal(tact_mesh_report_make(&view, NULL, report), TACT_OK);
    assert_true(copy.triangle_count == 0 || (report->closed && report->oriented));
    assert_int_equal(report->unused_vertices, 0);
    assert_int_equal(report->welded_vertices, copy.vertex_count);
    return copy;
}

// ---- Cubes ----

typedef struct cube_mesh {
    cubes cubes;
    int at[3];  // of its corner, in units
} cube_mesh;

enum { CUBE = 2 };

static tact_mesh_view cube_view(cube_mesh* m, test_random* r)
{
    cubes_build(&m->cubes, r, (float)CUBE);
    for (int i = 0; i < 64; ++i) {
        m->cubes.vertices[i].x += (float)m->at[0];
        m->cubes.vertices[i].y += (float)m->at[1];
        m->cubes.vertices[i].z += (float)m->at[2];
    }
    return (tact_mesh_view){m->cubes.vertices, 64, m->cubes.indices, m->cubes.count};
}

/// Whether the unit cell that begins there is full.
static bool cell_full(const cube_mesh* m, const int* cell)
{
    int cube[3];
    for (int k = 0; k < 3; ++k) {
        if (cell[k] < m->at[k]) return false;
        cube[k] = (cell[k] - m->at[k]) / CUBE;
    }
    return cubes_full(&m->cubes, cube[0], cube[1], cube[2]);
}

/// Each cell is inside where it must be.
static void check_cells(const cube_mesh* a, const cube_mesh* b, tact_mesh_operation operation,
                        const tact_mesh_copy* copy, double volume)
{
    double due = 0.0;
    for (int i = 0; i < 9 * 9 * 9; ++i) {
        const int cell[3] = {i % 9, i / 9 % 9, i / 81};
        const tact_vec3 p = {(float)cell[0] + 0.5f, (float)cell[1] + 0.25f, (float)cell[2] + 0.125f};
        const bool in = expected(operation, cell_full(a, cell), cell_full(b, cell));
        int32_t winding;
        tact_mesh_locate(copy->positions, copy->indices, (uint32_t)copy->triangle_count, p, &winding);
        assert_int_equal(winding, in);
        due += in;
    }
    assert_true(fabs(volume - due) < 1e-9);
}

TEST(sets_of_cubes)
{
    test_random r = {3};
    size_t coplanar = 0;
    for (size_t i = 0; i < effort(150, 3000); ++i) {
        cube_mesh a = {.at = {0}}, b = {.at = {0}};
        for (int k = 0; k < 3; ++k)
            b.at[k] = (int)test_random_below(&r, 4);
        const tact_mesh_view va = cube_view(&a, &r), vb = cube_view(&b, &r);
        for (int operation = 0; operation < 3; ++operation) {
            tact_mesh_combined combined;
            tact_mesh_report report;
            tact_mesh_copy copy = combine(&va, &vb, (tact_mesh_operation)operation, &combined, &report);
            check_cells(&a, &b, (tact_mesh_operation)operation, &copy, report.volume);
            assert_int_equal(combined.collapsed, 0);
            coplanar += combined.coplanar_pairs;
            tact_mesh_copy_free(&copy);
        }
    }
    assert_true(coplanar > 1000);
}

// ---- Anything ----

static tact_vec3 turned(tact_vec3 p, const double m[9], tact_vec3 at)
{
    const double x = (double)p.x, y = (double)p.y, z = (double)p.z;
    return (tact_vec3){(float)(m[0] * x + m[1] * y + m[2] * z) + at.x, (float)(m[3] * x + m[4] * y + m[5] * z) + at.y,
                       (float)(m[6] * x + m[7] * y + m[8] * z) + at.z};
}

static void turn_solid(test_random* r, solid* s, float spread)
{
    double q[4], sum = 0.0;
    for (int k = 0; k < 4; ++k) {
        q[k] = (double)test_random_signed(r);
        sum += q[k] * q[k];
    }
    for (int k = 0; k < 4; ++k)
        q[k] /= sqrt(sum);
    const double m[9] = {1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),
                         2 * (q[1] * q[3] + q[0] * q[2]),     2 * (q[1] * q[2] + q[0] * q[3]),
                         1 - 2 * (q[1] * q[1] + q[3] * q[3]), 2 * (q[2] * q[3] - q[0] * q[1]),
                         2 * (q[1] * q[3] - q[0] * q[2]),     2 * (q[2] * q[3] + q[0] * q[1]),
                         1 - 2 * (q[1] * q[1] + q[2] * q[2])};
    const tact_vec3 at = {spread * test_random_signed(r), spread * test_random_signed(r),
                          spread * test_random_signed(r)};
    for (size_t i = 0; i < s->vertices; ++i)
        s->positions[i] = turned(s->positions[i], m, at);
}

static solid some_solid(test_random* r)
{
    const tact_vec3 low = {-0.7f, -0.6f, -0.8f}, high = {0.7f, 0.8f, 0.6f};
    solid s;
    switch (test_random_below(r, 3)) {
        case 0:
            s = solid_box(low, high);
            break;
        case 1:
            s = solid_torus(8 + test_random_below(r, 20), 5 + test_random_below(r, 10), 0.7f, 0.3f);
            break;
        default:
            s = solid_ball(r, 20 + test_random_below(r, 400), 0.1f, (tact_vec3){0.0f, 0.0f, 0.0f}, 0.8f);
    }
    turn_solid(r, &s, 0.4f);
    return s;
}

static bool inside(const tact_mesh_view* m, tact_vec3 p)
{
    return tact_mesh_locate(m->positions, m->indices, (uint32_t)m->triangle_count, p, NULL) == TACT_POINT_INSIDE;
}

static void check_points(test_random* r, const tact_mesh_view* a, const tact_mesh_view* b,
                         tact_mesh_operation operation, const tact_mesh_view* c)
{
    for (int i = 0; i < 60; ++i) {
        const tact_vec3 p = {1.5f * test_random_signed(r), 1.5f * test_random_signed(r), 1.5f * test_random_signed(r)};
        bool right = false;
        // Rounding moves what is next to the surface.
        for (int k = 0; k < 7 && !right; ++k) {
            const float by = k % 2 ? 1e-6f : -1e-6f;
            const tact_vec3 q = {p.x + (k / 2 == 1 ? by : 0.0f), p.y + (k / 2 == 2 ? by : 0.0f),
                                 p.z + (k / 2 == 3 ? by : 0.0f)};
            right = inside(c, q) == expected(operation, inside(a, q), inside(b, q));
        }
        assert_true(right);
    }
}

TEST(solids_of_all_kinds)
{
    test_random r = {5};
    uint64_t exact = 0, cut = 0;
    for (size_t i = 0; i < effort(60, 2000); ++i) {
        solid a = some_solid(&r), b = some_solid(&r);
        const tact_mesh_view va = solid_view(&a), vb = solid_view(&b);
        tact_mesh_report of_a, of_b, of[3];
        assert_int_equal(tact_mesh_report_make(&va, NULL, &of_a), TACT_OK);
        assert_int_equal(tact_mesh_report_make(&vb, NULL, &of_b), TACT_OK);
        for (int operation = 0; operation < 3; ++operation) {
            tact_mesh_combined combined;
            tact_mesh_copy copy = combine(&va, &vb, (tact_mesh_operation)operation, &combined, &of[operation]);
            const tact_mesh_view view = view_of(&copy);
            check_points(&r, &va, &vb, (tact_mesh_operation)operation, &view);
            exact += combined.exact;
            cut += combined.cut_triangles;
            tact_mesh_copy_free(&copy);
        }
        const double both = of[TACT_MESH_INTERSECTION].volume;
        assert_true(fabs(of[TACT_MESH_UNION].volume - (of_a.volume + of_b.volume - both)) < 1e-5);
        assert_true(fabs(of[TACT_MESH_DIFFERENCE].volume - (of_a.volume - both)) < 1e-5);
    }
    print_message("%" PRIu64 " cut triangles, %" PRIu64 " signs by whole numbers\n", cut, exact);
    assert_true(cut > 1000);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
