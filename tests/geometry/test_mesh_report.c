// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Meshes of few places against counting by trying everything; convexity of altered hulls against integers; known
// solids, surfaces and defects.

#include "tests/support/run.h"

#include "tests/geometry/small_meshes.h"

TEST(a_tetrahedron_has_all_virtues_at_any_scale)
{
    const float scales[] = {1e-6f, 1.0f, 1e6f, 0x1p-120f, 0x1p120f};
    for (int i = 0; i < 5; ++i) {
        for (int far = 0; far < (i < 4 ? 2 : 1); ++far) {
            const float d = far ? 4096.0f * scales[i] : 0.0f;
            const tact_vec3 at = {d, -d, d};
            small_mesh m = tetrahedron(scales[i], at);
            tact_mesh_report r = report_of(&m);
            assert_true(r.closed && r.manifold && r.oriented && r.convex);
            assert_int_equal(r.vertices, 4);
            assert_int_equal(r.welded_vertices, 4);
            assert_int_equal(r.triangles, 4);
            assert_int_equal(r.edges, 6);
            assert_int_equal(r.euler, 2);
            assert_int_equal(r.components, 1);
            assert_int_equal(r.degenerate + r.duplicate + r.bad_triangles + r.unused_vertices, 0);
            const double s = (double)scales[i];
            assert_true(fabs(r.volume - s * s * s / 6) < (far ? 1e-2 : 1e-6) * s * s * s);
            assert_true(fabs(r.area - (1.5 + sqrt(3.0) / 2) * s * s) < (far ? 1e-2 : 1e-6) * s * s);
            // Inside out, and with one triangle turned.
            for (size_t t = 0; t < 4; ++t) {
                const uint32_t other = m.t[t][0];
                m.t[t][0] = m.t[t][1];
                m.t[t][1] = other;
                r = report_of(&m);
                assert_true(r.closed && r.manifold && !r.convex);
                assert_true(r.oriented == (t == 3));
                assert_int_equal(r.misoriented_edges, t == 3 ? 0 : t == 1 ? 4 : 3);
            }
            assert_true(r.volume < 0);
        }
    }
}

TEST(sides_with_corners_of_their_own_are_welded)
{
    small_mesh m = box_of_sides(1, 2, 3);
    tact_mesh_report r = report_of(&m);
    assert_int_equal(r.vertices, 24);
    assert_int_equal(r.welded_vertices, 8);
    assert_int_equal(r.edges, 18);
    assert_int_equal(r.euler, 2);
    assert_true(r.closed && r.manifold && r.oriented && r.convex);
    assert_true(r.volume > 5.9999 && r.volume < 6.0001 && r.area > 21.9999 && r.area < 22.0001);
    m.p[0].x = -0.0f;
    assert_int_equal(report_of(&m).welded_vertices, 8);
    // One corner of one side moved by the smallest step: a crack.
    m.p[0].x = 0x1p-149f;
    r = report_of(&m);
    assert_int_equal(r.welded_vertices, 9);
    assert_true(!r.closed && r.manifold && !r.convex && r.boundary_edges > 0);
}

TEST(surfaces_with_a_boundary_are_not_closed)
{
    small_mesh m = {.vertices = 0};
    for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 4; ++x)
            add_vertex(&m, (float)x, (float)y, 0);
    }
    for (uint32_t y = 0; y < 3; ++y) {
        for (uint32_t x = 0; x < 3; ++x)
            add_quad(&m, 4 * y + x, 4 * y + x + 1, 4 * y + x + 5, 4 * y + x + 4);
    }
    tact_mesh_report r = report_of(&m);
    assert_true(!r.closed && r.manifold && r.oriented && !r.convex);
    assert_int_equal(r.boundary_edges, 12);
    assert_int_equal(r.euler, 1);
    // The same sheet from below too: closed, each triangle repeated, flat and so not convex.
    for (size_t i = 0, n = m.triangles; i < n; ++i)
        add_triangle(&m, m.t[i][0], m.t[i][2], m.t[i][1]);
    r = report_of(&m);
    assert_true(r.closed && r.oriented && !r.convex && !r.manifold);
    assert_int_equal(r.duplicate, 18);
    assert_int_equal(r.non_manifold_edges, 33 - 12);
}

TEST(a_torus_is_closed_and_not_convex)
{
    enum { AROUND = 8, TUBE = 6 };
    small_mesh m = {.vertices = 0};
    for (int i = 0; i < AROUND; ++i) {
        for (int k = 0; k < TUBE; ++k) {
            const double a = 6.283185307 * i / AROUND, b = 6.283185307 * k / TUBE;
            add_vertex(&m, (float)((3 + cos(b)) * cos(a)), (float)((3 + cos(b)) * sin(a)), (float)sin(b));
        }
    }
    for (uint32_t i = 0; i < AROUND; ++i) {
        for (uint32_t k = 0; k < TUBE; ++k) {
            const uint32_t j = (i + 1) % AROUND, l = (k + 1) % TUBE;
            add_quad(&m, i * TUBE + k, j * TUBE + k, j * TUBE + l, i * TUBE + l);
        }
    }
    const tact_mesh_report r = report_of(&m);
    assert_true(r.closed && r.manifold && r.oriented && !r.convex && r.volume > 0);
    assert_int_equal(r.euler, 0);
}

TEST(meshes_that_touch_are_not_manifold)
{
    const tact_vec3 origin = {0, 0, 0};
    // A second tetrahedron that shares a vertex, then an edge.
    small_mesh m = tetrahedron(1, origin);
    const uint32_t x = add_vertex(&m, -1, 0, 0), y = add_vertex(&m, 0, -1, 0), z = add_vertex(&m, 0, 0, -1);
    add_tetrahedron(&m, 0, y, x, z);
    tact_mesh_report r = report_of(&m);
    assert_true(r.closed && r.oriented && !r.manifold && !r.convex);
    assert_int_equal(r.non_manifold_vertices, 1);
    assert_int_equal(r.non_manifold_edges, 0);
    assert_int_equal(r.components, 1);
    assert_int_equal(r.euler, 3);
    m = tetrahedron(1, origin);
    const uint32_t u = add_vertex(&m, 0.3f, -1, -1), w = add_vertex(&m, 0.3f, -1, -2);
    add_tetrahedron(&m, 0, 1, u, w);
    r = report_of(&m);
    assert_true(r.closed && !r.manifold && !r.convex);
    assert_int_equal(r.non_manifold_edges, 1);
    assert_int_equal(r.components, 1);
    // A third triangle at an edge: not closed, but oriented.
    m = tetrahedron(1, origin);
    add_triangle(&m, 0, 1, add_vertex(&m, 0, -1, -1));
    r = report_of(&m);
    assert_true(!r.closed && !r.manifold && r.oriented);
    assert_int_equal(r.boundary_edges, 2);
}

TEST(two_parts_are_two_components)
{
    const tact_vec3 origin = {0, 0, 0};
    small_mesh m = tetrahedron(1, origin);
    for (int k = 0; k < 4; ++k)
        add_vertex(&m, m.p[k].x + 5, m.p[k].y, m.p[k].z);
    add_tetrahedron(&m, 4, 5, 6, 7);
    const tact_mesh_report r = report_of(&m);
    assert_true(r.closed && r.manifold && r.oriented && !r.convex);
    assert_int_equal(r.components, 2);
    assert_int_equal(r.euler, 4);
}

TEST(zero_area_triangles_fill_cracks_and_do_not_matter)
{
    const tact_vec3 origin = {0, 0, 0};
    // The edge 0 1 has a point in its middle on one side only; a needle closes the crack.
    small_mesh m = tetrahedron(2, origin);
    const uint32_t middle = add_vertex(&m, 1, 0, 0);
    m.t[0][0] = 0, m.t[0][1] = 2, m.t[0][2] = middle;  // was 0 2 1
    add_triangle(&m, middle, 2, 1);
    tact_mesh_report r = report_of(&m);
    assert_true(!r.closed && !r.convex);
    assert_int_equal(r.boundary_edges, 3);
    add_triangle(&m, 0, middle, 1);
    r = report_of(&m);
    assert_true(!r.closed || r.oriented);
    m.t[m.triangles - 1][1] = 1, m.t[m.triangles - 1][2] = middle;
    const tact_mesh_report turned = report_of(&m);
    assert_true(r.closed && turned.closed && r.oriented != turned.oriented);
    assert_true(r.convex == r.oriented && turned.convex == turned.oriented);
    assert_int_equal(r.degenerate, 1);
    assert_int_equal(r.collapsed, 0);
    // Collapsed triangles are as if not there.
    add_triangle(&m, 0, 0, 3);
    add_triangle(&m, 2, 2, 2);
    r = report_of(&m);
    assert_int_equal(r.degenerate, 3);
    assert_int_equal(r.collapsed, 2);
    assert_true(r.closed == turned.closed && r.convex == turned.convex && r.euler == turned.euler);
}

/// All edges convex, all vertices extreme or inside; but the surface goes round twice.
TEST(a_star_that_winds_twice_is_not_convex)
{
    small_mesh m = {.vertices = 0};
    for (int i = 0; i < 5; ++i) {
        const double a = 6.283185307179586 * i / 5;
        add_vertex(&m, (float)cos(a), (float)sin(a), 0);
    }
    const uint32_t top = add_vertex(&m, 0, 0, 1), bottom = add_vertex(&m, 0, 0, -1);
    for (uint32_t i = 0; i < 5; ++i) {
        add_triangle(&m, i, (i + 2) % 5, top);
        add_triangle(&m, (i + 2) % 5, i, bottom);
    }
    tact_mesh_report r = report_of(&m);
    assert_true(r.closed && r.manifold && r.oriented && !r.convex);
    assert_int_equal(r.euler, 2);
    for (uint32_t i = 0; i < 5; ++i) {
        m.t[2 * i][1] = (i + 1) % 5;
        m.t[2 * i + 1][0] = (i + 1) % 5;
    }
    r = report_of(&m);
    assert_true(r.closed && r.manifold && r.oriented && r.convex);
}

TEST(bad_vertices_and_numbers_are_told)
{
    const float bad[] = {NAN, INFINITY, -INFINITY};
    const tact_vec3 origin = {0, 0, 0};
    for (int i = 0; i < 36; ++i) {
        small_mesh m = tetrahedron(1, origin);
        float* c[3] = {&m.p[i / 9].x, &m.p[i / 9].y, &m.p[i / 9].z};
        *c[i % 3] = bad[i / 3 % 3];
        const tact_mesh_report r = report_of(&m);
        assert_int_equal(r.non_finite_vertices, 1);
        assert_int_equal(r.welded_vertices, 3);
        assert_int_equal(r.bad_triangles, 3);
        assert_true(!r.closed && !r.convex && r.manifold && r.oriented);
        assert_true(isfinite(r.volume) && isfinite(r.area));
    }
    for (int i = 0; i < 12; ++i) {
        small_mesh m = tetrahedron(1, origin);
        m.t[i / 3][i % 3] = i % 2 ? 4 : 0xffffffffu;
        const tact_mesh_report r = report_of(&m);
        assert_int_equal(r.bad_triangles, 1);
        assert_true(!r.closed && r.boundary_edges == 3);
    }
    // A closed mesh with a bad triangle besides.
    small_mesh m = tetrahedron(1, origin);
    add_triangle(&m, 0, 1, 77);
    assert_true(!report_of(&m).closed);
    small_mesh none = {.vertices = 0};
    tact_mesh_report r = report_of(&none);
    assert_true(!r.closed && !r.manifold && !r.oriented && !r.convex && r.euler == 0);
    add_vertex(&none, 1, 2, 3);
    r = report_of(&none);
    assert_int_equal(r.unused_vertices, 1);
    assert_int_equal(r.welded_vertices, 1);
}

TEST(counts_are_those_of_trying_everything)
{
    test_random r = test_random_seeded(61);
    for (int i = 0; i < 600000; ++i) {
        const small_mesh m = random_mesh(&r, i);
        const brute expected = brute_report(&m);
        const tact_mesh_report found = report_of(&m);
        expect_same(&found, &expected.r, i);
    }
}

/// Vertices, triangles and corners in another order, the axes too; with any floats.
TEST(order_changes_nothing)
{
    test_random r = test_random_seeded(79);
    for (int i = 0; i < 100000; ++i) {
        small_mesh m = random_mesh(&r, i), other = {.vertices = 0};
        for (uint32_t k = 0; i % 3 && k < m.vertices; ++k) {
            const tact_vec3 any = {test_random_any(&r), test_random_any(&r), test_random_any(&r)};
            if (test_random_below(&r, 4)) m.p[k] = any;
        }
        const uint32_t last = (uint32_t)m.vertices - 1;
        for (uint32_t k = 0; k < m.vertices; ++k) {
            const tact_vec3 q = m.p[last - k];
            add_vertex(&other, q.z, q.x, q.y);
        }
        for (size_t t = m.triangles; t-- > 0;) {
            uint32_t c[3];
            for (size_t k = 0; k < 3; ++k)
                c[k] = m.t[t][(t + k) % 3] > last ? m.t[t][(t + k) % 3] : last - m.t[t][(t + k) % 3];
            add_triangle(&other, c[0], c[1], c[2]);
        }
        const tact_mesh_report a = report_of(&m), b = report_of(&other);
        expect_same(&a, &b, i);
    }
}

TEST(altered_hulls_are_convex_when_integers_say_so)
{
    test_random r = test_random_seeded(67);
    int convex = 0, closed = 0;
    for (int i = 0; i < 100000; ++i) {
        small_mesh m = random_hull(&r, i);
        for (uint32_t k = test_random_below(&r, i % 4 == 0 ? 12 : 5); k-- > 0;)
            alter(&r, &m);
        if (i % 50 == 0) {
            for (size_t t = 0; t < m.triangles; ++t) {
                const uint32_t other = m.t[t][0];
                m.t[t][0] = m.t[t][1];
                m.t[t][1] = other;
            }
        }
        const brute expected = brute_report(&m);
        const tact_mesh_report found = report_of(&m);
        expect_same(&found, &expected.r, i);
        convex += found.convex;
        closed += found.closed && found.oriented && !found.convex;
        small_mesh scaled = m;
        const int power = (int)test_random_below(&r, 200) - 100;
        for (size_t k = 0; k < m.vertices; ++k) {
            const tact_vec3 q = {ldexpf(m.p[k].y, power), ldexpf(m.p[k].z, power), ldexpf(m.p[k].x, power)};
            scaled.p[k] = q;
        }
        assert_int_equal(report_of(&scaled).convex, found.convex);
    }
    assert_true(convex > 20000 && closed > 20000);
}

TEST(tessellated_solids_are_convex_and_dented_ones_not)
{
    // Many points of a sphere, with flat parts: cut by planes, which give facets with many inner vertices.
    enum { N = 40 };
    tact_vec3* p = scratch(6 * N * N * sizeof *p);
    uint32_t* t = scratch(6 * (N - 1) * (N - 1) * 6 * sizeof *t);
    size_t vertices = 0, numbers = 0;
    for (int side = 0; side < 6; ++side) {
        for (int i = 0; i < N; ++i) {
            for (int k = 0; k < N; ++k) {
                float c[3];
                c[side % 3] = side < 3 ? 1.0f : -1.0f;
                c[(side + 1) % 3] = (float)(2 * i - (N - 1)) / (float)(N - 1);
                c[(side + 2) % 3] = (float)(2 * k - (N - 1)) / (float)(N - 1);
                const tact_vec3 v = {c[0], c[1], c[2]};
                p[vertices++] = v;
            }
        }
        const uint32_t base = (uint32_t)(side * N * N);
        for (uint32_t i = 0; i + 1 < N; ++i) {
            for (uint32_t k = 0; k + 1 < N; ++k) {
                const uint32_t a = base + i * N + k, b = a + N, quad[6] = {a, b, b + 1, a, b + 1, a + 1};
                for (int n = 0; n < 6; ++n)
                    t[numbers + (size_t)(side < 3 ? n : 5 - n)] = quad[n];
                numbers += 6;
            }
        }
    }
    const tact_mesh_view view = {p, vertices, t, numbers / 3};
    tact_mesh_report r;
    assert_int_equal(tact_mesh_report_make(&view, NULL, &r), TACT_OK);
    assert_true(r.closed && r.manifold && r.oriented && r.convex);
    assert_int_equal(r.euler, 2);
    assert_true(fabs(r.volume - 8.0) < 1e-5 && fabs(r.area - 24.0) < 1e-5);
    // The smallest dent and the smallest bump that a float can make.
    tact_vec3* middle = &p[N * N / 2 + N / 2];
    assert_true(middle->x == 1.0f);
    middle->x = nextafterf(1.0f, 0.0f);
    assert_int_equal(tact_mesh_report_make(&view, NULL, &r), TACT_OK);
    assert_true(r.closed && r.manifold && r.oriented && !r.convex);
    middle->x = nextafterf(1.0f, 2.0f);
    assert_int_equal(tact_mesh_report_make(&view, NULL, &r), TACT_OK);
    assert_true(r.closed && !r.convex);  // flat around the tip, so the next ring is concave
}

// ---- Welding, neighbours, repair ----

#include TEST_LIST
RUN_ALL(NULL, NULL)
