// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Meshes of few places: known solids, random ones and altered hulls, and what they are by trying everything.

#include "tact/geometry/hull.h"
#include "tact/geometry/mesh_report.h"
#include "tests/support/random.h"

enum { MOST_VERTICES = 128, MOST_TRIANGLES = 256 };

typedef struct small_mesh {
    tact_vec3 p[MOST_VERTICES];
    uint32_t t[MOST_TRIANGLES][3];
    size_t vertices, triangles;
} small_mesh;

static inline tact_mesh_view view_of(const small_mesh* m)
{
    const tact_mesh_view view = {m->p, m->vertices, &m->t[0][0], m->triangles};
    return view;
}

static inline tact_mesh_report report_of(const small_mesh* m)
{
    const tact_mesh_view view = view_of(m);
    tact_mesh_report r;
    if (tact_mesh_report_make(&view, NULL, &r) != TACT_OK) fail_msg("no report");
    return r;
}

static inline uint32_t add_vertex(small_mesh* m, float x, float y, float z)
{
    const tact_vec3 v = {x, y, z};
    assert_true(m->vertices < MOST_VERTICES);
    m->p[m->vertices] = v;
    return (uint32_t)m->vertices++;
}

static inline void add_triangle(small_mesh* m, uint32_t a, uint32_t b, uint32_t c)
{
    assert_true(m->triangles < MOST_TRIANGLES);
    m->t[m->triangles][0] = a;
    m->t[m->triangles][1] = b;
    m->t[m->triangles][2] = c;
    ++m->triangles;
}

static inline void add_tetrahedron(small_mesh* m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(m, a, c, b);
    add_triangle(m, a, b, d);
    add_triangle(m, b, c, d);
    add_triangle(m, c, a, d);
}

static inline small_mesh tetrahedron(float scale, tact_vec3 at)
{
    small_mesh m = {.vertices = 0};
    add_vertex(&m, at.x, at.y, at.z);
    add_vertex(&m, at.x + scale, at.y, at.z);
    add_vertex(&m, at.x, at.y + scale, at.z);
    add_vertex(&m, at.x, at.y, at.z + scale);
    add_tetrahedron(&m, 0, 1, 2, 3);
    return m;
}

static inline void add_quad(small_mesh* m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(m, a, b, c);
    add_triangle(m, a, c, d);
}

/// Six sides with corners of their own, as files with normals have them.
static inline small_mesh box_of_sides(float x, float y, float z)
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

// ---- By trying everything ----

typedef struct brute {
    tact_mesh_report r;
    uint32_t place[MOST_VERTICES];
    uint32_t t[MOST_TRIANGLES][3];
    size_t triangles;
} brute;

static inline bool finite3(tact_vec3 p)
{
    return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

/// In which directions a triangle passes the edge a b: 1 from a to b, -1 back, 0 not at all.
static inline int passes(const uint32_t* t, uint32_t a, uint32_t b)
{
    for (int k = 0; k < 3; ++k) {
        if (t[k] == a && t[(k + 1) % 3] == b) return 1;
        if (t[k] == b && t[(k + 1) % 3] == a) return -1;
    }
    return 0;
}

static inline bool has(const uint32_t* t, uint32_t place)
{
    return t[0] == place || t[1] == place || t[2] == place;
}

/// How many sets the triangles with `place` form (all, if it is none), connected by other places they share.
static inline int sets_at(const brute* b, uint32_t place, bool all)
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

static inline void brute_vertices(const small_mesh* m, brute* b)
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

static inline bool zero_area(const small_mesh* m, const uint32_t* t)
{
    const tact_vec3 p = m->p[t[0]], q = m->p[t[1]], s = m->p[t[2]];
    const int64_t u[3] = {(int64_t)q.x - (int64_t)p.x, (int64_t)q.y - (int64_t)p.y, (int64_t)q.z - (int64_t)p.z};
    const int64_t w[3] = {(int64_t)s.x - (int64_t)p.x, (int64_t)s.y - (int64_t)p.y, (int64_t)s.z - (int64_t)p.z};
    return u[1] * w[2] == u[2] * w[1] && u[2] * w[0] == u[0] * w[2] && u[0] * w[1] == u[1] * w[0];
}

static inline void brute_triangles(const small_mesh* m, brute* b)
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

static inline void brute_edges(const small_mesh* m, brute* b)
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

static inline int64_t determinant(const small_mesh* m, uint32_t ia, uint32_t ib, uint32_t ic, uint32_t id)
{
    const tact_vec3 a = m->p[ia], b = m->p[ib], c = m->p[ic], d = m->p[id];
    const int64_t u[3] = {(int64_t)b.x - (int64_t)a.x, (int64_t)b.y - (int64_t)a.y, (int64_t)b.z - (int64_t)a.z};
    const int64_t v[3] = {(int64_t)c.x - (int64_t)a.x, (int64_t)c.y - (int64_t)a.y, (int64_t)c.z - (int64_t)a.z};
    const int64_t w[3] = {(int64_t)d.x - (int64_t)a.x, (int64_t)d.y - (int64_t)a.y, (int64_t)d.z - (int64_t)a.z};
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/// Six times the volume of the hull of the places in use: each supporting plane's share is found from all its points'
/// hull, which the tests of hulls prove.
static inline int64_t hull_volume(const small_mesh* m, const brute* b)
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
static inline bool brute_convex(const small_mesh* m, const brute* b)
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

static inline brute brute_report(const small_mesh* m)
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

static inline void expect_same(const tact_mesh_report* a, const tact_mesh_report* b, int number)
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

static inline small_mesh random_mesh(test_random* r, int kind)
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

// ---- Altered hulls ----

/// A point and the triangles around it instead of triangle `t`.
static inline void split_triangle(small_mesh* m, size_t t, uint32_t v)
{
    const uint32_t a = m->t[t][0], b = m->t[t][1], c = m->t[t][2];
    m->t[t][2] = v;
    add_triangle(m, b, c, v);
    add_triangle(m, c, a, v);
}

static inline size_t triangle_with_side(const small_mesh* m, uint32_t a, uint32_t b)
{
    for (size_t t = 0; t < m->triangles; ++t) {
        if (passes(m->t[t], a, b) == 1) return t;
    }
    return m->triangles;
}

static inline void turn_to(small_mesh* m, size_t t, uint32_t first)
{
    while (m->t[t][0] != first) {
        const uint32_t other = m->t[t][0];
        m->t[t][0] = m->t[t][1];
        m->t[t][1] = m->t[t][2];
        m->t[t][2] = other;
    }
}

/// The middle of a side becomes a vertex of the triangles at both.
static inline void split_edge(small_mesh* m, size_t t)
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
static inline void flip_edge(small_mesh* m, size_t t)
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

static inline void append_hull(small_mesh* m, const tact_vec3* p, size_t count)
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

static inline small_mesh random_hull(test_random* r, int kind)
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

static inline void alter(test_random* r, small_mesh* m)
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
