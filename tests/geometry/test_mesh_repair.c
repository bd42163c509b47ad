// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Welding, adjacency and repair of meshes of few places against trying everything.

#include "tests/support/run.h"

#include "tests/geometry/small_meshes.h"
#include "tests/support/counting_allocator.h"

TEST(places_and_neighbours_are_those_of_trying_everything)
{
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

TEST(repaired_copies_keep_the_shape_and_lose_the_defects)
{
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

#define ANY UINT32_MAX

/// How many triangles the repair turns, and the second index of the first one, where that is told.
static void expect_flips(const small_mesh* m, uint32_t flipped, uint32_t second)
{
    const tact_mesh_view view = view_of(m);
    tact_mesh_copy copy;
    assert_int_equal(tact_mesh_repair(&view, NULL, &copy), TACT_OK);
    assert_int_equal(copy.flipped, flipped);
    if (second != ANY) assert_int_equal(copy.indices[1], second);
    tact_mesh_copy_free(&copy);
}

TEST(cavities_and_open_parts_are_turned_as_little_as_needed)
{
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
    expect_flips(&fan, 1, 1);
    // Three, of which the first is the odd one.
    fan.triangles = 0;
    add_triangle(&fan, 0, 1, 2);
    add_triangle(&fan, 0, 3, 2);
    add_triangle(&fan, 0, 4, 3);
    expect_flips(&fan, 1, ANY);
    // As many one way as the other: the first one stays. One more, and the first two are turned.
    fan.triangles = 0;
    add_triangle(&fan, 0, 1, 2);
    add_triangle(&fan, 0, 2, 3);
    add_triangle(&fan, 0, 4, 3);
    add_triangle(&fan, 0, 5, 4);
    expect_flips(&fan, 2, 1);
    add_vertex(&fan, 6, 36, 0);
    add_triangle(&fan, 0, 6, 5);
    expect_flips(&fan, 2, 2);
    // Closed and inside out, but with an open triangle besides: who knows.
    for (int k = 0; k < 4; ++k) {
        const uint32_t other = hole.t[k][0];
        hole.t[k][0] = hole.t[k][1];
        hole.t[k][1] = other;
    }
    expect_flips(&hole, 4, ANY);
    add_vertex(&hole, 9, 9, 9);
    add_vertex(&hole, 9, 8, 9);
    add_vertex(&hole, 9, 9, 8);
    add_triangle(&hole, 4, 5, 6);
    expect_flips(&hole, 0, ANY);
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

TEST(failures_leave_nothing_behind)
{
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
    // The most there may be are a matter of memory, which is asked for first.
    counting_allocator none = {.fail_at = 1};
    const tact_allocator hooks = counting_hooks(&none);
    assert_int_equal(tact_mesh_weld(m.p, (size_t)1 << 30, &hooks, NULL, NULL), TACT_ERROR_OUT_OF_MEMORY);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
