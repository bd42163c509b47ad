// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Meshes of few places against counting by trying everything; convexity of altered hulls against integers; known
// solids, surfaces and defects.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tact/geometry/hull.h"
#include "tact/geometry/mesh_report.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/random.h"

enum { MOST_VERTICES = 128, MOST_TRIANGLES = 256 };

typedef struct small_mesh {
    tact_vec3 p[MOST_VERTICES];
    uint32_t t[MOST_TRIANGLES][3];
    size_t vertices, triangles;
} small_mesh;

static tact_mesh_view view_of(const small_mesh* m)
{
    const tact_mesh_view view = {m->p, m->vertices, &m->t[0][0], m->triangles};
    return view;
}

static tact_mesh_report report_of(const small_mesh* m)
{
    const tact_mesh_view view = view_of(m);
    tact_mesh_report r;
    if (tact_mesh_report_make(&view, NULL, &r) != TACT_OK) fail_msg("no report");
    return r;
}

static uint32_t add_vertex(small_mesh* m, float x, float y, float z)
{
    const tact_vec3 v = {x, y, z};
    assert_true(m->vertices < MOST_VERTICES);
    m->p[m->vertices] = v;
    return (uint32_t)m->vertices++;
}

static void add_triangle(small_mesh* m, uint32_t a, uint32_t b, uint32_t c)
{
    assert_true(m->triangles < MOST_TRIANGLES);
    m->t[m->triangles][0] = a;
    m->t[m->triangles][1] = b;
    m->t[m->triangles][2] = c;
    ++m->triangles;
}

static void add_tetrahedron(small_mesh* m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(m, a, c, b);
    add_triangle(m, a, b, d);
    add_triangle(m, b, c, d);
    add_triangle(m, c, a, d);
}

static small_mesh tetrahedron(float scale, tact_vec3 at)
{
    small_mesh m = {.vertices = 0};
    add_vertex(&m, at.x, at.y, at.z);
    add_vertex(&m, at.x + scale, at.y, at.z);
    add_vertex(&m, at.x, at.y + scale, at.z);
    add_vertex(&m, at.x, at.y, at.z + scale);
    add_tetrahedron(&m, 0, 1, 2, 3);
    return m;
}

static void add_quad(small_mesh* m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(m, a, b, c);
    add_triangle(m, a, c, d);
}

/// Six sides with corners of their own, as files with normals have them.
static small_mesh box_of_sides(float x, float y, float z)
{
    small_mesh m = {.vertices = 0};
    for (int axis = 0; axis < 3; ++axis) {
        for (int end = 0; end < 2; ++end) {
            uint32_t corner[4];
            for (int k = 0; k < 4; ++k) {
                float c[3];
                c[axis] = (float)end;
                c[(axis + 1) % 3] = (float)((k == 1 || k == 2) == (end == 1));
                c[(axis + 2) % 3] = (float)(k >= 2);
                if (end == 0) c[(axis + 1) % 3] = (float)(k == 0 || k == 3);
                corner[k] = add_vertex(&m, x * c[0], y * c[1], z * c[2]);
            }
            add_quad(&m, corner[0], corner[1], corner[2], corner[3]);
        }
    }
    return m;
}

// ---- Known ones ----

static void a_tetrahedron_has_all_virtues_at_any_scale(void** state)
{
    (void)state;
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

static void sides_with_corners_of_their_own_are_welded(void** state)
{
    (void)state;
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

static void surfaces_with_a_boundary_are_not_closed(void** state)
{
    (void)state;
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

static void a_torus_is_closed_and_not_convex(void** state)
{
    (void)state;
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

static void meshes_that_touch_are_not_manifold(void** state)
{
    (void)state;
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

static void two_parts_are_two_components(void** state)
{
    (void)state;
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

static void zero_area_triangles_fill_cracks_and_do_not_matter(void** state)
{
    (void)state;
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
static void a_star_that_winds_twice_is_not_convex(void** state)
{
    (void)state;
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

static void bad_vertices_and_numbers_are_told(void** state)
{
    (void)state;
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

// ---- By trying everything ----

typedef struct brute {
    tact_mesh_report r;
    uint32_t place[MOST_VERTICES];
    uint32_t t[MOST_TRIANGLES][3];
    size_t triangles;
} brute;

static bool finite3(tact_vec3 p)
{
    return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

/// In which directions a triangle passes the edge a b: 1 from a to b, -1 back, 0 not at all.
static int passes(const uint32_t* t, uint32_t a, uint32_t b)
{
    for (int k = 0; k < 3; ++k) {
        if (t[k] == a && t[(k + 1) % 3] == b) return 1;
        if (t[k] == b && t[(k + 1) % 3] == a) return -1;
    }
    return 0;
}

static bool has(const uint32_t* t, uint32_t place)
{
    return t[0] == place || t[1] == place || t[2] == place;
}

/// How many sets the triangles with `place` form (all, if it is none), connected by other places they share.
static int sets_at(const brute* b, uint32_t place, bool all)
{
    int label[MOST_TRIANGLES], sets = 0;
    for (size_t i = 0; i < b->triangles; ++i)
        label[i] = -1;
    for (size_t i = 0; i < b->triangles; ++i) {
        if (label[i] >= 0 || (!all && !has(b->t[i], place))) continue;
        label[i] = sets;
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t j = 0; j < b->triangles; ++j) {
                if (label[j] >= 0 || (!all && !has(b->t[j], place))) continue;
                for (size_t k = 0; k < b->triangles && label[j] < 0; ++k) {
                    if (label[k] != sets) continue;
                    for (int c = 0; c < 3; ++c) {
                        if ((all || b->t[j][c] != place) && has(b->t[k], b->t[j][c])) label[j] = sets, changed = true;
                    }
                }
            }
        }
        ++sets;
    }
    return sets;
}

static void brute_vertices(const small_mesh* m, brute* b)
{
    for (uint32_t i = 0; i < m->vertices; ++i) {
        b->place[i] = i;
        for (uint32_t j = i; j-- > 0;) {
            if (m->p[i].x == m->p[j].x && m->p[i].y == m->p[j].y && m->p[i].z == m->p[j].z && finite3(m->p[i]))
                b->place[i] = j;
        }
        b->r.welded_vertices += finite3(m->p[i]) && b->place[i] == i;
        b->r.non_finite_vertices += !finite3(m->p[i]);
        bool used = false;
        for (size_t t = 0; t < m->triangles; ++t)
            used = used || has(m->t[t], i);
        b->r.unused_vertices += !used;
    }
}

static bool zero_area(const small_mesh* m, const uint32_t* t)
{
    const tact_vec3 p = m->p[t[0]], q = m->p[t[1]], s = m->p[t[2]];
    const int64_t u[3] = {(int64_t)q.x - (int64_t)p.x, (int64_t)q.y - (int64_t)p.y, (int64_t)q.z - (int64_t)p.z};
    const int64_t w[3] = {(int64_t)s.x - (int64_t)p.x, (int64_t)s.y - (int64_t)p.y, (int64_t)s.z - (int64_t)p.z};
    return u[1] * w[2] == u[2] * w[1] && u[2] * w[0] == u[0] * w[2] && u[0] * w[1] == u[1] * w[0];
}

static void brute_triangles(const small_mesh* m, brute* b)
{
    for (size_t i = 0; i < m->triangles; ++i) {
        const uint32_t* t = m->t[i];
        bool bad = false;
        for (int k = 0; k < 3; ++k)
            bad = bad || t[k] >= m->vertices || !finite3(m->p[t[k]]);
        b->r.bad_triangles += bad;
        if (bad) continue;
        const uint32_t c[3] = {b->place[t[0]], b->place[t[1]], b->place[t[2]]};
        b->r.degenerate += zero_area(m, t);
        const bool collapsed = c[0] == c[1] || c[1] == c[2] || c[2] == c[0];
        b->r.collapsed += collapsed;
        if (collapsed) continue;
        bool repeated = false;
        for (size_t j = 0; j < b->triangles; ++j)
            repeated = repeated || (has(b->t[j], c[0]) && has(b->t[j], c[1]) && has(b->t[j], c[2]));
        b->r.duplicate += repeated;
        memcpy(b->t[b->triangles++], c, sizeof c);
    }
}

static void brute_edges(const small_mesh* m, brute* b)
{
    int64_t places = 0;
    for (uint32_t v = 0; v < m->vertices; ++v) {
        const int fans = sets_at(b, v, false);
        places += fans > 0;
        b->r.non_manifold_vertices += fans > 1;
        for (uint32_t w = v + 1; w < m->vertices; ++w) {
            int count = 0, ahead = 0;
            for (size_t t = 0; t < b->triangles; ++t) {
                const int way = passes(b->t[t], v, w);
                count += way != 0;
                ahead += way;
            }
            b->r.edges += count > 0;
            b->r.boundary_edges += count == 1;
            b->r.non_manifold_edges += count > 2;
            b->r.misoriented_edges += abs(ahead) > 1;
            b->r.odd_edges += (uint64_t)(count % 2);
        }
    }
    const bool some = b->triangles > 0;
    b->r.components = (uint64_t)sets_at(b, 0, true);
    b->r.euler = places - (int64_t)b->r.edges + (int64_t)b->triangles;
    b->r.closed = some && b->r.odd_edges == 0 && b->r.bad_triangles == 0;
    b->r.manifold = some && b->r.non_manifold_edges == 0 && b->r.non_manifold_vertices == 0;
    b->r.oriented = some && b->r.misoriented_edges == 0;
}

static int64_t determinant(const small_mesh* m, uint32_t ia, uint32_t ib, uint32_t ic, uint32_t id)
{
    const tact_vec3 a = m->p[ia], b = m->p[ib], c = m->p[ic], d = m->p[id];
    const int64_t u[3] = {(int64_t)b.x - (int64_t)a.x, (int64_t)b.y - (int64_t)a.y, (int64_t)b.z - (int64_t)a.z};
    const int64_t v[3] = {(int64_t)c.x - (int64_t)a.x, (int64_t)c.y - (int64_t)a.y, (int64_t)c.z - (int64_t)a.z};
    const int64_t w[3] = {(int64_t)d.x - (int64_t)a.x, (int64_t)d.y - (int64_t)a.y, (int64_t)d.z - (int64_t)a.z};
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/// Six times the volume of the hull of the places in use: each supporting plane's share is found from all its points'
/// hull, which the tests of hulls prove.
static int64_t hull_volume(const small_mesh* m, const brute* b)
{
    small_mesh used = {.vertices = 0};
    for (uint32_t v = 0; v < m->vertices; ++v) {
        bool in_use = false;
        for (size_t t = 0; t < b->triangles; ++t)
            in_use = in_use || has(b->t[t], v);
        if (in_use) used.p[used.vertices++] = m->p[v];
    }
    tact_hull_mesh h;
    if (tact_hull_mesh_3d(used.p, used.vertices, NULL, &h) != TACT_OK) fail_msg("no hull");
    int64_t volume = 0;
    for (size_t t = 0; h.dimension == 3 && t < h.triangle_count; ++t) {
        const uint32_t* c = &h.triangles[3 * t];
        volume += determinant(&used, h.triangles[0], c[0], c[1], c[2]);
    }
    tact_hull_mesh_free(&h);
    return volume;
}

/// Closed, oriented, everything behind every triangle of some area, and as large as the hull.
static bool brute_convex(const small_mesh* m, const brute* b)
{
    if (!b->r.closed || !b->r.oriented) return false;
    int64_t volume = 0;
    for (size_t t = 0; t < b->triangles; ++t) {
        const uint32_t* c = b->t[t];
        volume += determinant(m, b->t[0][0], c[0], c[1], c[2]);
        for (size_t k = 0; k < 3 * b->triangles; ++k) {
            if (determinant(m, c[0], c[1], c[2], b->t[k / 3][k % 3]) > 0) return false;
        }
    }
    return volume != 0 && volume == hull_volume(m, b);
}

static brute brute_report(const small_mesh* m)
{
    brute b = {.triangles = 0};
    b.r.vertices = m->vertices;
    b.r.triangles = m->triangles;
    brute_vertices(m, &b);
    brute_triangles(m, &b);
    brute_edges(m, &b);
    b.r.convex = brute_convex(m, &b);
    return b;
}

#define SAME(key)                                                                                         \
    do {                                                                                                  \
        if (a->key != b->key) fail_msg("case %d: " #key " %d, not %d", number, (int)a->key, (int)b->key); \
    } while (0)

static void expect_same(const tact_mesh_report* a, const tact_mesh_report* b, int number)
{
    SAME(vertices);
    SAME(triangles);
    SAME(welded_vertices);
    SAME(unused_vertices);
    SAME(non_finite_vertices);
    SAME(bad_triangles);
    SAME(degenerate);
    SAME(collapsed);
    SAME(duplicate);
    SAME(edges);
    SAME(boundary_edges);
    SAME(odd_edges);
    SAME(non_manifold_edges);
    SAME(misoriented_edges);
    SAME(non_manifold_vertices);
    SAME(components);
    SAME(euler);
    SAME(closed);
    SAME(manifold);
    SAME(oriented);
    SAME(convex);
}

static small_mesh random_mesh(test_random* r, int kind)
{
    small_mesh m = {.vertices = 0};
    const uint32_t vertices = 1 + test_random_below(r, kind % 3 == 0 ? 4 : 8);
    const uint32_t range = kind % 2 ? 2 : 3;
    for (uint32_t i = 0; i < vertices; ++i) {
        add_vertex(&m, (float)test_random_below(r, range), (float)test_random_below(r, range),
                   (float)test_random_below(r, range));
        if (kind % 16 == 5 && i == 2) m.p[i].y = NAN;
        if (m.p[i].x == 0 && kind & 8) m.p[i].x = -0.0f;
    }
    const uint32_t triangles = test_random_below(r, 11);
    for (uint32_t i = 0; i < triangles; ++i) {
        const uint32_t limit = kind % 16 == 7 ? vertices + 1 : vertices;
        add_triangle(&m, test_random_below(r, limit), test_random_below(r, limit), test_random_below(r, limit));
    }
    return m;
}

static void counts_are_those_of_trying_everything(void** state)
{
    (void)state;
    test_random r = test_random_seeded(61);
    for (int i = 0; i < 600000; ++i) {
        const small_mesh m = random_mesh(&r, i);
        const brute expected = brute_report(&m);
        const tact_mesh_report found = report_of(&m);
        expect_same(&found, &expected.r, i);
    }
}

/// Vertices, triangles and corners in another order, the axes too; with any floats.
static void order_changes_nothing(void** state)
{
    (void)state;
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

// ---- Altered hulls ----

/// A point and the triangles around it instead of triangle `t`.
static void split_triangle(small_mesh* m, size_t t, uint32_t v)
{
    const uint32_t a = m->t[t][0], b = m->t[t][1], c = m->t[t][2];
    m->t[t][2] = v;
    add_triangle(m, b, c, v);
    add_triangle(m, c, a, v);
}

static size_t triangle_with_side(const small_mesh* m, uint32_t a, uint32_t b)
{
    for (size_t t = 0; t < m->triangles; ++t) {
        if (passes(m->t[t], a, b) == 1) return t;
    }
    return m->triangles;
}

static void turn_to(small_mesh* m, size_t t, uint32_t first)
{
    while (m->t[t][0] != first) {
        const uint32_t other = m->t[t][0];
        m->t[t][0] = m->t[t][1];
        m->t[t][1] = m->t[t][2];
        m->t[t][2] = other;
    }
}

/// The middle of a side becomes a vertex of the triangles at both.
static void split_edge(small_mesh* m, size_t t)
{
    const uint32_t a = m->t[t][0], b = m->t[t][1];
    const size_t other = triangle_with_side(m, b, a);
    if (other == m->triangles) return;
    const tact_vec3 p = m->p[a], q = m->p[b];
    const uint32_t v =
        add_vertex(m, floorf(0.5f * (p.x + q.x)), floorf(0.5f * (p.y + q.y)), floorf(0.5f * (p.z + q.z)));
    turn_to(m, other, b);
    add_triangle(m, v, b, m->t[t][2]);
    add_triangle(m, v, a, m->t[other][2]);
    m->t[t][1] = v;
    m->t[other][1] = v;
}

/// The other diagonal of the two triangles at a side.
static void flip_edge(small_mesh* m, size_t t)
{
    const uint32_t a = m->t[t][0], b = m->t[t][1], c = m->t[t][2];
    const size_t other = triangle_with_side(m, b, a);
    if (other == m->triangles || other == t) return;
    turn_to(m, other, b);
    const uint32_t d = m->t[other][2];
    m->t[t][1] = d;
    m->t[other][1] = c;
    m->t[other][2] = d;
    (void)a;
}

static void append_hull(small_mesh* m, const tact_vec3* p, size_t count)
{
    tact_hull_mesh h;
    if (tact_hull_mesh_3d(p, count, NULL, &h) != TACT_OK) fail_msg("no hull");
    const uint32_t base = (uint32_t)m->vertices;
    for (size_t i = 0; i < count; ++i)
        add_vertex(m, p[i].x, p[i].y, p[i].z);
    for (size_t t = 0; t < h.triangle_count; ++t)
        add_triangle(m, base + h.triangles[3 * t], base + h.triangles[3 * t + 1], base + h.triangles[3 * t + 2]);
    tact_hull_mesh_free(&h);
}

static small_mesh random_hull(test_random* r, int kind)
{
    small_mesh m = {.vertices = 0};
    tact_vec3 p[8];
    const size_t count = 4 + test_random_below(r, 5);
    const uint32_t range = kind % 3 == 0 ? 2 : kind % 3 == 1 ? 3 : 6;
    for (size_t i = 0; i < count; ++i) {
        p[i].x = 144.0f * (float)test_random_below(r, range);  // can be cut into halves and thirds
        p[i].y = 144.0f * (float)test_random_below(r, range);
        p[i].z = 144.0f * (float)test_random_below(r, range);
    }
    append_hull(&m, p, count);
    if (kind % 19 == 18) append_hull(&m, p, count);  // twice over
    return m;
}

static void alter(test_random* r, small_mesh* m)
{
    if (m->triangles == 0) return;
    const size_t t = test_random_below(r, (uint32_t)m->triangles);
    const uint32_t* c = m->t[t];
    const tact_vec3 a = m->p[c[0]], b = m->p[c[1]], d = m->p[c[2]];
    switch (test_random_below(r, 16)) {
        case 0:  // a vertex moves by a little
            m->p[test_random_below(r, (uint32_t)m->vertices)].x += (float)test_random_below(r, 3) - 1.0f;
            break;
        case 1:  // a triangle is turned, taken away, repeated
            m->t[t][1] = c[2];
            m->t[t][2] = triangle_with_side(m, c[0], c[1]) < m->triangles ? c[1] : c[0];
            break;
        case 2:
            memcpy(m->t[t], m->t[--m->triangles], sizeof m->t[t]);
            break;
        case 3:
            add_triangle(m, c[0], c[2], c[1]);
            break;
        case 4:  // a zero-area sliver in a side
            split_edge(m, t);
            flip_edge(m, t);
            break;
        case 5:
        case 6:
        case 7:
            split_triangle(m, t,
                           add_vertex(m, floorf((a.x + b.x + d.x) / 3), floorf((a.y + b.y + d.y) / 3),
                                      floorf((a.z + b.z + d.z) / 3)));
            break;
        case 8:
        case 9:
        case 10:
        case 11:
            flip_edge(m, t);
            break;
        default:
            split_edge(m, t);
    }
}

static void altered_hulls_are_convex_when_integers_say_so(void** state)
{
    (void)state;
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

static void tessellated_solids_are_convex_and_dented_ones_not(void** state)
{
    (void)state;
    // Many points of a sphere, with flat parts: cut by planes, which give facets with many inner vertices.
    enum { N = 40 };
    tact_vec3* p = malloc(6 * N * N * sizeof *p);
    uint32_t* t = malloc(6 * (N - 1) * (N - 1) * 6 * sizeof *t);
    assert_true(p && t);
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
    free(p);
    free(t);
}

// ---- Welding, neighbours, repair ----

static void places_and_neighbours_are_those_of_trying_everything(void** state)
{
    (void)state;
    test_random r = test_random_seeded(71);
    for (int i = 0; i < 100000; ++i) {
        const small_mesh m = random_mesh(&r, i);
        brute b = {.triangles = 0};
        brute_vertices(&m, &b);
        uint32_t first[MOST_VERTICES], across[3 * MOST_TRIANGLES];
        size_t distinct = 99;
        assert_int_equal(tact_mesh_weld(m.p, m.vertices, NULL, first, i % 2 ? &distinct : NULL), TACT_OK);
        assert_true(i % 2 == 0 || distinct == b.r.welded_vertices);
        for (size_t k = 0; k < m.vertices; ++k)
            assert_int_equal(first[k], b.place[k]);
        bool bad = false;
        for (size_t k = 0; k < 3 * m.triangles; ++k)
            bad = bad || m.t[k / 3][k % 3] >= m.vertices;
        const tact_result result = tact_mesh_adjacency(&m.t[0][0], m.triangles, m.vertices, NULL, across);
        assert_int_equal(result, bad ? TACT_ERROR_INVALID_ARGUMENT : TACT_OK);
        for (size_t s = 0; !bad && s < 3 * m.triangles; ++s) {
            const uint32_t a = m.t[s / 3][s % 3], c = m.t[s / 3][(s + 1) % 3];
            uint32_t others = 0, other = TACT_MESH_BOUNDARY;
            for (size_t k = 0; k < 3 * m.triangles && a != c; ++k) {
                const uint32_t d = m.t[k / 3][k % 3], e = m.t[k / 3][(k + 1) % 3];
                if (k == s || !((d == a && e == c) || (d == c && e == a))) continue;
                ++others;
                other = (uint32_t)k;
            }
            assert_int_equal(across[s], others > 1 ? TACT_MESH_MANY : other);
        }
    }
}

static void read_copy(const tact_mesh_copy* copy, small_mesh* m)
{
    m->vertices = copy->vertex_count;
    m->triangles = copy->triangle_count;
    memcpy(m->p, copy->positions, sizeof *m->p * m->vertices);
    memcpy(m->t, copy->indices, sizeof *m->t * m->triangles);
}

/// The copy's triangles are the mesh's that take part, first of each kind, in order.
static void expect_the_same_triangles(const small_mesh* m, const small_mesh* copy, const brute* b)
{
    size_t next = 0;
    for (size_t t = 0; t < b->triangles; ++t) {
        const uint32_t* c = b->t[t];
        bool repeated = false;
        for (size_t j = 0; j < t; ++j)
            repeated = repeated || (has(b->t[j], c[0]) && has(b->t[j], c[1]) && has(b->t[j], c[2]));
        if (repeated) continue;
        for (int k = 0; k < 3; ++k) {
            bool found = false;
            for (int j = 0; j < 3; ++j) {
                const tact_vec3 p = m->p[c[k]], q = copy->p[copy->t[next][j]];
                found = found || (p.x == q.x && p.y == q.y && p.z == q.z);
            }
            assert_true(found);
        }
        ++next;
    }
    assert_int_equal(next, copy->triangles);
}

static void repaired_copies_keep_the_shape_and_lose_the_defects(void** state)
{
    (void)state;
    test_random r = test_random_seeded(73);
    for (int i = 0; i < 100000; ++i) {
        small_mesh m = i % 2 ? random_mesh(&r, i) : random_hull(&r, i);
        const bool hull = report_of(&m).convex;
        for (size_t t = 0; hull && t < m.triangles; ++t) {
            if (test_random_below(&r, 3)) continue;
            const uint32_t other = m.t[t][0];
            m.t[t][0] = m.t[t][1];
            m.t[t][1] = other;
        }
        const tact_mesh_view view = view_of(&m);
        tact_mesh_copy copy, again;
        assert_int_equal(tact_mesh_repair(&view, NULL, &copy), TACT_OK);
        small_mesh fixed = {.vertices = 0};
        read_copy(&copy, &fixed);
        const brute b = brute_report(&m);
        expect_the_same_triangles(&m, &fixed, &b);
        const tact_mesh_report after = report_of(&fixed);
        assert_int_equal(after.bad_triangles + after.collapsed + after.duplicate + after.unused_vertices, 0);
        assert_int_equal(after.vertices, after.welded_vertices);
        if (hull) assert_true(after.convex);
        // Losing a defect may close it; then it may be inside out as a whole.
        if (b.r.manifold && b.r.oriented && !after.closed) assert_true(copy.flipped == 0);
        const tact_mesh_view fixed_view = view_of(&fixed);
        assert_int_equal(tact_mesh_repair(&fixed_view, NULL, &again), TACT_OK);
        if (after.manifold && after.oriented) assert_int_equal(again.flipped, 0);
        tact_mesh_copy_free(&copy);
        tact_mesh_copy_free(&again);
        tact_mesh_copy_free(&again);
    }
}

static void cavities_and_open_parts_are_turned_as_little_as_needed(void** state)
{
    (void)state;
    const tact_vec3 origin = {0, 0, 0}, inside = {0.5f, 0.5f, 0.5f};
    // A cavity, inside out by right: nothing changes.
    small_mesh m = tetrahedron(4, origin), hole = tetrahedron(0.5f, inside);
    for (uint32_t k = 0; k < 4; ++k)
        add_vertex(&m, hole.p[k].x, hole.p[k].y, hole.p[k].z);
    for (int k = 0; k < 4; ++k)
        add_triangle(&m, hole.t[k][0] + 4, hole.t[k][2] + 4, hole.t[k][1] + 4);
    tact_mesh_view view = view_of(&m);
    tact_mesh_copy copy;
    assert_int_equal(tact_mesh_repair(&view, NULL, &copy), TACT_OK);
    assert_int_equal(copy.flipped, 0);
    tact_mesh_copy_free(&copy);
    // All of it inside out: everything is turned.
    for (size_t t = 0; t < m.triangles; ++t) {
        const uint32_t other = m.t[t][0];
        m.t[t][0] = m.t[t][1];
        m.t[t][1] = other;
    }
    assert_int_equal(tact_mesh_repair(&view, NULL, &copy), TACT_OK);
    assert_int_equal(copy.flipped, 8);
    tact_mesh_copy_free(&copy);
    // An open fan of which the first triangle is the odd one.
    small_mesh fan = {.vertices = 0};
    for (int i = 0; i < 6; ++i)
        add_vertex(&fan, (float)i, (float)(i * i), 0);
    add_triangle(&fan, 0, 2, 1);
    for (uint32_t i = 2; i < 5; ++i)
        add_triangle(&fan, 0, i, i + 1);
    view = view_of(&fan);
    assert_int_equal(tact_mesh_repair(&view, NULL, &copy), TACT_OK);
    assert_int_equal(copy.flipped, 1);
    assert_int_equal(copy.indices[1], 1);
    tact_mesh_copy_free(&copy);
    // Three, of which the first is the odd one.
    fan.triangles = 0;
    add_triangle(&fan, 0, 1, 2);
    add_triangle(&fan, 0, 3, 2);
    add_triangle(&fan, 0, 4, 3);
    view = view_of(&fan);
    assert_int_equal(tact_mesh_repair(&view, NULL, &copy), TACT_OK);
    assert_int_equal(copy.flipped, 1);
    tact_mesh_copy_free(&copy);
    // Closed and inside out, but with an open triangle besides: who knows.
    for (int k = 0; k < 4; ++k) {
        const uint32_t other = hole.t[k][0];
        hole.t[k][0] = hole.t[k][1];
        hole.t[k][1] = other;
    }
    view = view_of(&hole);
    assert_int_equal(tact_mesh_repair(&view, NULL, &copy), TACT_OK);
    assert_int_equal(copy.flipped, 4);
    tact_mesh_copy_free(&copy);
    add_vertex(&hole, 9, 9, 9);
    add_vertex(&hole, 9, 8, 9);
    add_vertex(&hole, 9, 9, 8);
    add_triangle(&hole, 4, 5, 6);
    view = view_of(&hole);
    assert_int_equal(tact_mesh_repair(&view, NULL, &copy), TACT_OK);
    assert_int_equal(copy.flipped, 0);
    tact_mesh_copy_free(&copy);
    // A band with a half turn has no two sides: it stays in one piece, and ends.
    small_mesh band = {.vertices = 0};
    for (int i = 0; i < 5; ++i) {
        add_vertex(&band, (float)i, 0, (float)(i * i));
        add_vertex(&band, (float)i, 1, (float)(i * i));
    }
    for (uint32_t i = 0; i < 4; ++i)
        add_quad(&band, 2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1);
    add_quad(&band, 8, 1, 0, 9);
    const tact_mesh_report r = report_of(&band);
    assert_true(r.manifold && !r.oriented && !r.closed && r.euler == 0);
    view = view_of(&band);
    assert_int_equal(tact_mesh_repair(&view, NULL, &copy), TACT_OK);
    assert_int_equal(copy.triangle_count, 10);
    tact_mesh_copy_free(&copy);
}

static void failures_leave_nothing_behind(void** state)
{
    (void)state;
    const small_mesh m = box_of_sides(1, 1, 1);
    const tact_mesh_view view = view_of(&m);
    for (int kind = 0; kind < 4; ++kind) {
        bool failed = true;
        for (size_t at = 1; failed; ++at) {
            counting_allocator counter = {.fail_at = at};
            const tact_allocator hooks = counting_hooks(&counter);
            tact_mesh_report r = {0};
            tact_mesh_copy copy = {0};
            uint32_t first[24], across[36];
            const tact_result result = kind == 0   ? tact_mesh_report_make(&view, &hooks, &r)
                                       : kind == 1 ? tact_mesh_repair(&view, &hooks, &copy)
                                       : kind == 2 ? tact_mesh_weld(m.p, 24, &hooks, first, NULL)
                                                   : tact_mesh_adjacency(&m.t[0][0], 12, 24, &hooks, across);
            failed = counter.failed;
            assert_int_equal(result, failed ? TACT_ERROR_OUT_OF_MEMORY : TACT_OK);
            if (failed) assert_true(r.vertices == 0 && !r.closed && !copy.positions && copy.vertex_count == 0);
            tact_mesh_copy_free(&copy);
            assert_int_equal(counter.live, 0);
        }
    }
    const tact_mesh_view huge[] = {{m.p, ((size_t)1 << 30) + 1, &m.t[0][0], 1},
                                   {m.p, 24, &m.t[0][0], ((size_t)1 << 29) + 1}};
    for (int i = 0; i < 2; ++i) {
        tact_mesh_report r;
        tact_mesh_copy copy;
        assert_int_equal(tact_mesh_report_make(&huge[i], NULL, &r), TACT_ERROR_LIMIT);
        assert_int_equal(tact_mesh_repair(&huge[i], NULL, &copy), TACT_ERROR_LIMIT);
        assert_int_equal(tact_mesh_adjacency(huge[i].indices, huge[i].triangle_count, huge[i].vertex_count, NULL, NULL),
                         TACT_ERROR_LIMIT);
    }
    assert_int_equal(tact_mesh_weld(m.p, ((size_t)1 << 30) + 1, NULL, NULL, NULL), TACT_ERROR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tetrahedron_has_all_virtues_at_any_scale),
        cmocka_unit_test(sides_with_corners_of_their_own_are_welded),
        cmocka_unit_test(surfaces_with_a_boundary_are_not_closed),
        cmocka_unit_test(a_torus_is_closed_and_not_convex),
        cmocka_unit_test(meshes_that_touch_are_not_manifold),
        cmocka_unit_test(two_parts_are_two_components),
        cmocka_unit_test(zero_area_triangles_fill_cracks_and_do_not_matter),
        cmocka_unit_test(a_star_that_winds_twice_is_not_convex),
        cmocka_unit_test(bad_vertices_and_numbers_are_told),
        cmocka_unit_test(counts_are_those_of_trying_everything),
        cmocka_unit_test(order_changes_nothing),
        cmocka_unit_test(altered_hulls_are_convex_when_integers_say_so),
        cmocka_unit_test(tessellated_solids_are_convex_and_dented_ones_not),
        cmocka_unit_test(places_and_neighbours_are_those_of_trying_everything),
        cmocka_unit_test(repaired_copies_keep_the_shape_and_lose_the_defects),
        cmocka_unit_test(cavities_and_open_parts_are_turned_as_little_as_needed),
        cmocka_unit_test(failures_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
