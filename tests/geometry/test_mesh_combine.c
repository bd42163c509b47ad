// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Unions, intersections and differences against what is inside: sets of cubes on a grid, where faces lie on each other
// and edges touch, balls with bumps, rings and boxes; what is refused; where a mesh passes through itself.

#include "tests/support/run.h"

#include <inttypes.h>
#include <math.h>

#include "tact/geometry/hull.h"
#include "tact/geometry/mesh_combine.h"
#include "tact/geometry/predicates.h"
#include "tact/geometry/triangle_triangle.h"
#include "tests/geometry/solid_cubes.h"
#include "tests/geometry/solids.h"
#include "tests/support/counting_allocator.h"
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
    const double m[9] = {
        1 - 2 * (q[2] * q[2] + q[3] * q[3]), 2 * (q[1] * q[2] - q[0] * q[3]),     2 * (q[1] * q[3] + q[0] * q[2]),
        2 * (q[1] * q[2] + q[0] * q[3]),     1 - 2 * (q[1] * q[1] + q[3] * q[3]), 2 * (q[2] * q[3] - q[0] * q[1]),
        2 * (q[1] * q[3] - q[0] * q[2]),     2 * (q[2] * q[3] + q[0] * q[1]),     1 - 2 * (q[1] * q[1] + q[2] * q[2])};
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

// ---- Special cases ----

static double volume_of(const tact_mesh_view* v)
{
    tact_mesh_report report;
    assert_int_equal(tact_mesh_report_make(v, NULL, &report), TACT_OK);
    return report.volume;
}

TEST(a_tunnel_makes_a_ring)
{
    test_random r = {1};
    const solid ball = solid_ball(&r, 300, 0.0f, (tact_vec3){0, 0, 0}, 1.0f);
    const solid bar = solid_box((tact_vec3){-0.2f, -0.3f, -2.0f}, (tact_vec3){0.25f, 0.15f, 2.0f});
    const tact_mesh_view a = solid_view(&ball), b = solid_view(&bar);
    static const int64_t euler[3] = {2, 2, 0};
    for (int operation = 0; operation < 3; ++operation) {
        tact_mesh_report report;
        tact_mesh_copy copy = combine(&a, &b, (tact_mesh_operation)operation, NULL, &report);
        assert_int_equal(report.euler, euler[operation]);
        assert_int_equal(report.components, 1);
        assert_true(report.manifold);
        tact_mesh_copy_free(&copy);
    }
}

TEST(a_solid_and_itself)
{
    test_random r = {2};
    const solid ball = solid_ball(&r, 500, 0.2f, (tact_vec3){1, 2, 3}, 1.0f);
    const tact_mesh_view a = solid_view(&ball);
    for (int operation = 0; operation < 3; ++operation) {
        tact_mesh_report report;
        tact_mesh_combined combined;
        tact_mesh_copy copy = combine(&a, &a, (tact_mesh_operation)operation, &combined, &report);
        assert_int_equal(combined.coplanar_pairs, ball.triangles);
        assert_int_equal(combined.cut_triangles, 0);
        assert_int_equal(copy.triangle_count, operation == TACT_MESH_DIFFERENCE ? 0 : ball.triangles);
        for (size_t i = 0; i < 3 * copy.triangle_count; ++i) {
            const tact_vec3 p = copy.positions[copy.indices[i]], q = ball.positions[ball.indices[i]];
            assert_true(p.x == q.x && p.y == q.y && p.z == q.z);
        }
        tact_mesh_copy_free(&copy);
    }
}

TEST(parts_in_cavities)
{
    const solid whole = solid_box((tact_vec3){-3, -3, -3}, (tact_vec3){3, 3, 3});
    const solid hole = solid_box((tact_vec3){-2, -2, -2}, (tact_vec3){2, 2, 2});
    const solid seed = solid_box((tact_vec3){-1, -1, -1}, (tact_vec3){1, 1, 1});
    const tact_mesh_view a = solid_view(&whole), b = solid_view(&hole), c = solid_view(&seed), none = {0};
    tact_mesh_report report;
    tact_mesh_copy shell = combine(&a, &b, TACT_MESH_DIFFERENCE, NULL, &report);
    assert_true(fabs(report.volume - (216.0 - 64.0)) < 1e-9);
    assert_int_equal(report.components, 2);
    assert_int_equal(shell.flipped, 12);
    const tact_mesh_view of_shell = view_of(&shell);
    tact_mesh_copy both = combine(&of_shell, &c, TACT_MESH_UNION, NULL, &report);
    assert_true(fabs(report.volume - (216.0 - 64.0 + 8.0)) < 1e-9);
    assert_int_equal(report.components, 3);
    const tact_mesh_view of_both = view_of(&both);
    tact_mesh_copy filled = combine(&of_both, &b, TACT_MESH_UNION, NULL, &report);
    assert_true(fabs(report.volume - 216.0) < 1e-9);
    assert_int_equal(report.components, 1);
    tact_mesh_copy nothing = combine(&of_shell, &c, TACT_MESH_INTERSECTION, NULL, &report);
    assert_int_equal(nothing.triangle_count, 0);
    tact_mesh_copy same = combine(&of_shell, &none, TACT_MESH_UNION, NULL, &report);
    assert_int_equal(same.triangle_count, 24);
    tact_mesh_copy_free(&shell);
    tact_mesh_copy_free(&both);
    tact_mesh_copy_free(&filled);
    tact_mesh_copy_free(&nothing);
    tact_mesh_copy_free(&same);
}

/// A tetrahedron of four places.
static solid solid_tetrahedron(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    static const uint32_t numbers[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    solid s = {scratch(4 * sizeof(tact_vec3)), scratch(sizeof numbers), 4, 4};
    const tact_vec3 p[4] = {a, b, c, d};
    memcpy(s.positions, p, sizeof p);
    memcpy(s.indices, numbers, sizeof numbers);
    if (tact_orient3d(a, b, c, d) > 0) {
        s.positions[0] = b;
        s.positions[1] = a;
    }
    return s;
}

/// The hull of points on a ball.
static solid solid_hull(test_random* r, size_t count)
{
    solid s = {scratch(count * sizeof(tact_vec3)), NULL, count, 0};
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 p = {test_random_signed(r), test_random_signed(r), test_random_signed(r)};
        const float size = sqrtf(p.x * p.x + p.y * p.y + p.z * p.z);
        s.positions[i] = (tact_vec3){p.x / size, p.y / size, p.z / size};
    }
    tact_hull_mesh hull;
    assert_int_equal(tact_hull_mesh_3d(s.positions, count, NULL, &hull), TACT_OK);
    s.triangles = hull.triangle_count;
    s.indices = scratch(3 * s.triangles * sizeof(uint32_t));
    memcpy(s.indices, hull.triangles, 3 * s.triangles * sizeof(uint32_t));
    tact_hull_mesh_free(&hull);
    return s;
}

/// No side is on the other surface: only vertices of both are one, or lie on a face or an edge.
TEST(corners_that_touch)
{
    test_random r = {4};
    const solid ball = solid_hull(&r, 60);
    const tact_mesh_view a = solid_view(&ball);
    for (int i = 0; i < 200; ++i) {
        tact_vec3 p[4];
        for (int k = 0; k < 4; ++k) {
            const uint32_t* t = ball.indices + 3 * (size_t)test_random_below(&r, (uint32_t)ball.triangles);
            p[k] = ball.positions[t[0]];
            if (i % 3 == 1) p[k] = mean3(ball.positions[t[0]], ball.positions[t[1]], 0.5f);
        }
        const solid inner = solid_tetrahedron(p[0], p[1], p[2], p[3]);
        const tact_mesh_view b = solid_view(&inner);
        const double volume = volume_of(&b);
        if (volume < 1e-3) continue;
        for (int operation = 0; operation < 3; ++operation) {
            tact_mesh_report report;
            tact_mesh_copy copy = combine(&a, &b, (tact_mesh_operation)operation, NULL, &report);
            const double due = operation == TACT_MESH_UNION          ? volume_of(&a)
                               : operation == TACT_MESH_INTERSECTION ? volume
                                                                     : volume_of(&a) - volume;
            if (!(fabs(report.volume - due) < 1e-6))
                fail_msg("%d, operation %d: %g, not %g", i, operation, report.volume, due);
            tact_mesh_copy_free(&copy);
        }
        // From outside.
        const tact_vec3 far[3] = {{5, 0, 0}, {5, 1, 0}, {5, 0, 1}};
        const solid outer = solid_tetrahedron((tact_vec3){1, 0, 0}, far[0], far[1], far[2]);
        const tact_mesh_view c = solid_view(&outer);
        tact_mesh_report report;
        tact_mesh_copy copy = combine(&b, &c, TACT_MESH_DIFFERENCE, NULL, &report);
        assert_true(fabs(report.volume - volume) < 1e-6);
        tact_mesh_copy_free(&copy);
    }
}

/// Powers of two change nothing but the scale.
TEST(any_scale)
{
    test_random r = {6};
    for (int i = 0; i < 10; ++i) {
        solid a = some_solid(&r), b = some_solid(&r);
        const tact_mesh_view va = solid_view(&a), vb = solid_view(&b);
        tact_mesh_report report;
        tact_mesh_copy first = combine(&va, &vb, TACT_MESH_UNION, NULL, &report);
        static const int powers[2] = {55, -60};
        for (int k = 0; k < 2; ++k) {
            const int by = powers[k] - (k ? powers[0] : 0);
            for (size_t v = 0; v < a.vertices + b.vertices; ++v) {
                tact_vec3* p = v < a.vertices ? &a.positions[v] : &b.positions[v - a.vertices];
                *p = (tact_vec3){ldexpf(p->x, by), ldexpf(p->y, by), ldexpf(p->z, by)};
            }
            tact_mesh_copy copy = combine(&va, &vb, TACT_MESH_UNION, NULL, &report);
            assert_int_equal(copy.triangle_count, first.triangle_count);
            assert_memory_equal(copy.indices, first.indices, 3 * copy.triangle_count * sizeof *copy.indices);
            for (size_t v = 0; v < copy.vertex_count; ++v)
                assert_true(copy.positions[v].x == ldexpf(first.positions[v].x, powers[k]));
            tact_mesh_copy_free(&copy);
        }
        tact_mesh_copy_free(&first);
    }
}

/// What a user does: one solid after the other.
TEST(one_after_the_other)
{
    test_random r = {7};
    solid a = solid_ball(&r, 2000, 0.0f, (tact_vec3){0, 0, 0}, 1.0f);
    tact_mesh_view whole = solid_view(&a);
    tact_mesh_copy last = {0};
    double volume = volume_of(&whole);
    for (size_t i = 0; i < effort(25, 200); ++i) {
        solid b = some_solid(&r);
        for (size_t v = 0; v < b.vertices; ++v)
            b.positions[v] =
                (tact_vec3){0.3f * b.positions[v].x + 0.9f, 0.3f * b.positions[v].y, 0.3f * b.positions[v].z};
        turn_solid(&r, &b, 0.0f);
        const tact_mesh_view vb = solid_view(&b);
        tact_mesh_report common, report;
        tact_mesh_copy both = combine(&whole, &vb, TACT_MESH_INTERSECTION, NULL, &common);
        tact_mesh_copy next = combine(&whole, &vb, TACT_MESH_DIFFERENCE, NULL, &report);
        assert_true(fabs(report.volume - (volume - common.volume)) < 1e-5);
        volume = report.volume;
        tact_mesh_copy_free(&both);
        tact_mesh_copy_free(&last);
        last = next;
        whole = view_of(&last);
    }
    print_message("%zu triangles, volume %g\n", whole.triangle_count, volume);
    tact_mesh_copy_free(&last);
}

/// Planes next to vertices, by less than a float can tell: what rounding makes flat must not stay.
TEST(cuts_next_to_vertices)
{
    test_random r = {10};
    uint64_t flat_ones = 0;
    for (int i = 0; i < 40; ++i) {
        solid ring = solid_torus(40, 16, 1.0f, 0.3f);
        const tact_mesh_view a = solid_view(&ring);
        // A quarter turn of the ring has vertices at 4e-8 instead of 0.
        const float at[3] = {i % 2 ? 0.0f : ring.positions[16 * 10].x, i % 3 ? 0.0f : 0.3f * test_random_signed(&r),
                             i % 5 ? 0.0f : 0.1f};
        tact_mesh_copy last = {0};
        tact_mesh_view whole = a;
        double volume = volume_of(&a);
        for (int axis = 0; axis < 3; ++axis) {
            float low[3] = {-5, -5, -5};
            low[axis] = at[axis];
            const solid half = solid_box((tact_vec3){low[0], low[1], low[2]}, (tact_vec3){5, 5, 5});
            const tact_mesh_view b = solid_view(&half);
            tact_mesh_combined combined;
            tact_mesh_report front, back;
            tact_mesh_copy taken = combine(&whole, &b, TACT_MESH_INTERSECTION, NULL, &front);
            tact_mesh_copy next = combine(&whole, &b, TACT_MESH_DIFFERENCE, &combined, &back);
            flat_ones += combined.flat;
            assert_int_equal(back.degenerate, 0);
            assert_true(fabs(front.volume + back.volume - volume) < 1e-6);
            volume = back.volume;
            tact_mesh_copy_free(&taken);
            tact_mesh_copy_free(&last);
            last = next;
            whole = view_of(&last);
        }
        tact_mesh_copy_free(&last);
    }
    assert_true(flat_ones > 0);
}

// ---- What is refused ----

static void refuse(const tact_mesh_view* a, const tact_mesh_view* b, const char* why)
{
    tact_mesh_copy copy;
    tact_mesh_combined combined;
    assert_int_equal(tact_mesh_combine(a, b, TACT_MESH_UNION, NULL, &copy, &combined), TACT_ERROR_INVALID_ARGUMENT);
    if (!strstr(tact_last_error(), why)) fail_msg("%s: not %s", tact_last_error(), why);
    assert_null(copy.positions);
    assert_null(copy.indices);
    assert_int_equal(combined.cut_triangles, 0);
}

/// Two meshes as one.
static solid put_together(const solid* a, const solid* b)
{
    solid s = {scratch((a->vertices + b->vertices) * sizeof(tact_vec3)),
               scratch(3 * (a->triangles + b->triangles) * sizeof(uint32_t)), a->vertices + b->vertices,
               a->triangles + b->triangles};
    memcpy(s.positions, a->positions, a->vertices * sizeof(tact_vec3));
    memcpy(s.positions + a->vertices, b->positions, b->vertices * sizeof(tact_vec3));
    memcpy(s.indices, a->indices, 3 * a->triangles * sizeof(uint32_t));
    for (size_t i = 0; i < 3 * b->triangles; ++i)
        s.indices[3 * a->triangles + i] = b->indices[i] + (uint32_t)a->vertices;
    return s;
}

static void swap_corners(const solid* s, size_t triangle)
{
    const uint32_t first = s->indices[3 * triangle];
    s->indices[3 * triangle] = s->indices[3 * triangle + 1];
    s->indices[3 * triangle + 1] = first;
}

TEST(what_is_no_solid_is_refused)
{
    const solid good = solid_box((tact_vec3){0.5f, 0.5f, 0.5f}, (tact_vec3){4, 4, 4});
    const tact_mesh_view b = solid_view(&good);
    tact_mesh_copy copy;
    assert_int_equal(tact_mesh_combine(&b, &b, (tact_mesh_operation)3, NULL, &copy, NULL), TACT_ERROR_INVALID_ARGUMENT);

    solid s = solid_box((tact_vec3){0, 0, 0}, (tact_vec3){1, 1, 1});
    tact_mesh_view a = solid_view(&s);
    --a.triangle_count;
    refuse(&a, &b, "mesh a is open: 3 of its edges");
    refuse(&b, &a, "mesh b is open: 3 of its edges");
    swap_corners(&s, 3);
    a = solid_view(&s);
    refuse(&a, &b, "mesh a is not oriented: 3 edges");
    swap_corners(&s, 3);
    s.positions[2].y = NAN;
    refuse(&a, &b, "of mesh a have a vertex that is not finite");
    s.positions[2].y = 0x1p61f;
    refuse(&a, &b, "of mesh a have a coordinate beyond 2^60");
    s.positions[2].y = 1.0f;
    s.indices[0] = 8;
    refuse(&a, &b, "1 triangles of mesh a have a vertex that is not finite or not there");
    s.indices[0] = 0;
    for (size_t t = 0; t < 12; ++t)
        swap_corners(&s, t);
    refuse(&a, &b, "faces inward and is inside of 0 others");

    const solid outer = solid_box((tact_vec3){0, 0, 0}, (tact_vec3){3, 3, 3});
    const solid inner = solid_box((tact_vec3){1, 1, 1}, (tact_vec3){2, 2, 2});
    const solid nested = put_together(&outer, &inner);
    a = solid_view(&nested);
    refuse(&a, &b, "mesh a with triangle 12 faces outward and is inside of 1 others");
    const solid second = solid_box((tact_vec3){1, 1, -1}, (tact_vec3){2, 2, 5});
    const solid crossed = put_together(&outer, &second);
    a = solid_view(&crossed);
    refuse(&a, &b, "are of different parts");

    // A flat triangle between a side and its two halves.
    const solid plain =
        solid_tetrahedron((tact_vec3){0, 0, 0}, (tact_vec3){2, 0, 0}, (tact_vec3){0, 2, 0}, (tact_vec3){0, 0, 2});
    solid split = {scratch(5 * sizeof(tact_vec3)), scratch(6 * 3 * sizeof(uint32_t)), 5, 6};
    memcpy(split.positions, plain.positions, 4 * sizeof(tact_vec3));
    split.positions[4] = mean3(plain.positions[0], plain.positions[1], 0.5f);
    const uint32_t numbers[18] = {0, 2, 4, 4, 2, 1, 0, 4, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    memcpy(split.indices, numbers, sizeof numbers);
    a = solid_view(&split);
    refuse(&a, &b, "triangle 2 of mesh a has no area");
}

/// A box with a dent so deep that it comes out on the other side.
static solid dented(void)
{
    test_random r = {8};
    solid s = solid_ball(&r, 600, 0.0f, (tact_vec3){0, 0, 0}, 1.0f);
    s.positions[0].z = -1.5f;
    return s;
}

TEST(a_mesh_may_pass_through_itself_elsewhere)
{
    const solid s = dented();
    const solid away = solid_box((tact_vec3){0.5f, -0.3f, -0.3f}, (tact_vec3){2.0f, 0.3f, 0.3f});
    const solid there = solid_box((tact_vec3){-0.3f, -0.3f, -2.0f}, (tact_vec3){0.3f, 0.3f, -0.99f});
    const tact_mesh_view a = solid_view(&s), b = solid_view(&away), c = solid_view(&there);
    size_t count;
    assert_int_equal(tact_mesh_crossings(&a, NULL, NULL, 0, &count), TACT_INCOMPLETE);
    assert_true(count > 10);
    tact_mesh_report report;
    tact_mesh_combined combined;
    tact_mesh_copy copy = combine(&a, &b, TACT_MESH_DIFFERENCE, &combined, &report);
    assert_int_equal(combined.crossings, count);
    const tact_mesh_view view = view_of(&copy);
    size_t after;
    assert_int_equal(tact_mesh_crossings(&view, NULL, NULL, 0, &after), TACT_INCOMPLETE);
    assert_int_equal(after, count);
    tact_mesh_copy_free(&copy);
    refuse(&a, &c, "meet the other mesh too");
}

// ---- Crossings ----

static bool segment_meets(tact_vec3 p, tact_vec3 q, const tact_triangle* t)
{
    const tact_triangle flat = {p, q, q};
    return tact_triangle_overlaps_triangle(&flat, t);
}

/// Whether two triangles with common corners meet elsewhere: by their sides away from these.
static bool cross(const tact_vec3* p, const uint32_t* a, const uint32_t* b)
{
    const tact_triangle s = {p[a[0]], p[a[1]], p[a[2]]}, t = {p[b[0]], p[b[1]], p[b[2]]};
    uint32_t common[3], count = 0;
    for (int i = 0; i < 3; ++i) {
        if (a[i] == b[0] || a[i] == b[1] || a[i] == b[2]) common[count++] = a[i];
    }
    if (count == 0) return tact_triangle_overlaps_triangle(&s, &t);
    if (count == 3) return true;
    uint32_t of_a[2], of_b[2], rest_a = 0, rest_b = 0;
    for (int i = 0; i < 3; ++i) {
        if (a[i] != common[0] && (count == 1 || a[i] != common[1])) of_a[rest_a++] = a[i];
        if (b[i] != common[0] && (count == 1 || b[i] != common[1])) of_b[rest_b++] = b[i];
    }
    if (count == 1) return segment_meets(p[of_a[0]], p[of_a[1]], &t) || segment_meets(p[of_b[0]], p[of_b[1]], &s);
    const tact_vec3 u = p[common[0]], v = p[common[1]], x = p[of_a[0]], y = p[of_b[0]];
    const tact_triangle uy = {u, y, y}, vy = {v, y, y};
    return segment_meets(x, x, &t) || segment_meets(y, y, &s) || segment_meets(v, x, &uy) || segment_meets(u, x, &vy);
}

static bool flat(const tact_vec3* p, const uint32_t* t)
{
    for (int axis = 0; axis < 3; ++axis) {
        tact_vec2 q[3];
        for (int k = 0; k < 3; ++k) {
            const tact_vec3 v = p[t[k]];
            q[k] = axis == 0 ? (tact_vec2){v.y, v.z} : axis == 1 ? (tact_vec2){v.z, v.x} : (tact_vec2){v.x, v.y};
        }
        if (tact_orient2d(q[0], q[1], q[2]) != 0) return false;
    }
    return true;
}

TEST(crossings_are_all_pairs)
{
    enum { VERTICES = 14, TRIANGLES = 24 };
    test_random r = {9};
    size_t found = 0, with_common = 0;
    for (size_t i = 0; i < effort(2000, 100000); ++i) {
        tact_vec3 p[VERTICES];
        uint32_t t[3 * TRIANGLES], pairs[TRIANGLES * TRIANGLES];
        const uint32_t most = i % 2 ? 4 : 1000;
        for (int v = 0; v < VERTICES; ++v) {
            p[v] = (tact_vec3){(float)test_random_below(&r, most), (float)test_random_below(&r, most),
                               (float)test_random_below(&r, most)};
            for (int w = 0; w < v; ++w)
                if (p[v].x == p[w].x && p[v].y == p[w].y && p[v].z == p[w].z) p[v].x += 4.0f + (float)v;
        }
        for (int k = 0; k < 3 * TRIANGLES; k += 3) {
            do {
                for (int c = 0; c < 3; ++c)
                    t[k + c] = test_random_below(&r, VERTICES);
            } while (t[k] == t[k + 1] || t[k + 1] == t[k + 2] || t[k + 2] == t[k]);
        }
        const tact_mesh_view mesh = {p, VERTICES, t, TRIANGLES};
        size_t count, next = 0;
        assert_int_equal(tact_mesh_crossings(&mesh, NULL, pairs, TRIANGLES * TRIANGLES / 2, &count), TACT_OK);
        for (uint32_t a = 0; a < TRIANGLES; ++a) {
            for (uint32_t b = a + 1; b < TRIANGLES; ++b) {
                if (flat(p, t + 3 * a) || flat(p, t + 3 * b) || !cross(p, t + 3 * a, t + 3 * b)) continue;
                assert_true(next < count);
                assert_int_equal(pairs[2 * next], a);
                assert_int_equal(pairs[2 * next + 1], b);
                ++next;
                for (int c = 0; c < 9; ++c) {
                    if (t[3 * a + (uint32_t)c / 3] != t[3 * b + (uint32_t)c % 3]) continue;
                    ++with_common;
                    break;
                }
            }
        }
        assert_int_equal(next, count);
        found += count;
    }
    assert_true(found > 10000 && with_common > 1000);
}

TEST(without_memory_no_mesh_is_left)
{
    const solid a = solid_box((tact_vec3){0, 0, 0}, (tact_vec3){2, 2, 2});
    const solid b = solid_box((tact_vec3){1, 1, 0}, (tact_vec3){3, 3, 1});
    const tact_mesh_view of_a = solid_view(&a), of_b = solid_view(&b);
    for (int operation = 0; operation < 3; ++operation) {
        size_t fail_at = 1;
        for (;; ++fail_at) {
            counting_allocator counter = {.fail_at = fail_at};
            const tact_allocator hooks = counting_hooks(&counter);
            tact_mesh_copy copy;
            const tact_result result =
                tact_mesh_combine(&of_a, &of_b, (tact_mesh_operation)operation, &hooks, &copy, NULL);
            if (result == TACT_OK) tact_mesh_copy_free(&copy);
            assert_int_equal(counter.live, 0);
            if (result == TACT_OK) break;
            assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
            assert_true(copy.positions == NULL && copy.triangle_count == 0);
        }
        assert_true(fail_at > 20);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
