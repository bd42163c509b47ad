// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Meshes made fit: rings that were broken in known ways come back closed, manifold, oriented and as large as they were.

#include "tests/support/run.h"

#include <math.h>

#include "tact/geometry/mesh_mend.h"
#include "tests/geometry/small_meshes.h"
#include "tests/support/counting_allocator.h"

enum { ROUND = 24, ACROSS = 12, RING = 2 * ROUND * ACROSS, MOST_BROKEN = 3 * RING };

/// Triangles by their corners' places.
typedef struct soup {
    tact_vec3 p[MOST_BROKEN][3];
    size_t count;
} soup;

static tact_vec3 on_ring(int i, int j)
{
    const double turn = 6.283185307179586, u = turn * (i % ROUND) / ROUND, v = turn * (j % ACROSS) / ACROSS;
    const double r = 1.0 + 0.4 * cos(v);
    return (tact_vec3){(float)(r * cos(u)), (float)(r * sin(u)), (float)(0.4 * sin(v))};
}

static void make_ring(soup* s)
{
    s->count = 0;
    for (int i = 0; i < ROUND; ++i) {
        for (int j = 0; j < ACROSS; ++j) {
            const tact_vec3 a = on_ring(i, j), b = on_ring(i + 1, j), c = on_ring(i + 1, j + 1), d = on_ring(i, j + 1);
            const tact_vec3 two[2][3] = {{a, b, c}, {a, c, d}};
            memcpy(s->p[s->count], two, sizeof two);
            s->count += 2;
        }
    }
}

static uint32_t numbers[3 * MOST_BROKEN];

static tact_mesh_view soup_view(const soup* s)
{
    for (uint32_t i = 0; i < 3 * MOST_BROKEN; ++i)
        numbers[i] = i;
    return (tact_mesh_view){&s->p[0][0], 3 * s->count, numbers, s->count};
}

static double distance(tact_vec3 a, tact_vec3 b)
{
    const double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

static void swap_corners(soup* s, size_t t)
{
    const tact_vec3 other = s->p[t][0];
    s->p[t][0] = s->p[t][1];
    s->p[t][1] = other;
}

/// A corner in the middle of a side, of this triangle alone.
static void make_junction(soup* s, size_t t)
{
    const tact_vec3 a = s->p[t][0], b = s->p[t][1], c = s->p[t][2];
    const tact_vec3 m = {0.5f * (a.x + b.x), 0.5f * (a.y + b.y), 0.5f * (a.z + b.z)};
    s->p[t][1] = m;
    const tact_vec3 rest[3] = {m, b, c};
    memcpy(s->p[s->count++], rest, sizeof rest);
}

static void move_corners(soup* s, test_random* r, float most)
{
    for (size_t i = 0; i < 3 * s->count; ++i) {
        tact_vec3* p = &s->p[i / 3][i % 3];
        const float step = most / 2000.0f;  // less than `most` along the diagonal
        p->x += step * ((float)test_random_below(r, 2001) - 1000.0f);
        p->y += step * ((float)test_random_below(r, 2001) - 1000.0f);
        p->z += step * ((float)test_random_below(r, 2001) - 1000.0f);
    }
}

/// Every vertex of the copy is one of the soup's, and every one of the soup's is within the tolerance of one.
static void expect_nothing_moved(const soup* s, const tact_mesh_copy* copy, double tolerance)
{
    for (size_t v = 0; v < copy->vertex_count; ++v) {
        bool there = false;
        for (size_t i = 0; i < 3 * s->count && !there; ++i)
            there = memcmp(&copy->positions[v], &s->p[i / 3][i % 3], sizeof(tact_vec3)) == 0;
        assert_true(there);
    }
    for (size_t i = 0; i < 3 * s->count; ++i) {
        double nearest = 1e9;
        for (size_t v = 0; v < copy->vertex_count; ++v)
            nearest = fmin(nearest, distance(s->p[i / 3][i % 3], copy->positions[v]));
        assert_true(nearest <= tolerance);
    }
}

static void expect_fit(const tact_mesh_mended* m)
{
    assert_true(m->after.closed && m->after.manifold && m->after.oriented);
    assert_int_equal(m->after.duplicate + m->after.collapsed + m->holes_left, 0);
}

TEST(rings_broken_in_every_way_come_back)
{
    const float tolerance = 1e-3f;
    static soup whole, s;
    make_ring(&whole);
    const tact_mesh_view whole_view = soup_view(&whole);
    tact_mesh_report before;
    assert_int_equal(tact_mesh_report_make(&whole_view, NULL, &before), TACT_OK);
    assert_true(before.closed && before.manifold && before.oriented && before.euler == 0);
    test_random r = test_random_seeded(127);
    for (int i = 0; i < 64; ++i) {
        s = whole;
        size_t junctions = 0, removed = 0, doubled = 0;
        for (size_t t = 0; t < RING; ++t) {
            // Apart from each other: what overlaps may have another best answer.
            if (t % 7 == 0 && i & 1) make_junction(&s, t), ++junctions;
            if (test_random_below(&r, 4) == 0 && i & 2) swap_corners(&s, t);
            if (t % 7 == 3 && test_random_below(&r, 2) && i & 4) {
                memcpy(s.p[s.count++], s.p[t], sizeof s.p[t]);
                if (test_random_below(&r, 2)) swap_corners(&s, s.count - 1);
                ++doubled;
            }
        }
        for (size_t t = 5; t < RING && i & 8; t += 14, ++removed)
            s.p[t][0] = s.p[t][1];  // collapsed: it goes, and leaves a hole
        if (i & 16) move_corners(&s, &r, 0.5f * tolerance);
        const tact_mesh_view view = soup_view(&s);
        const tact_mesh_mend_options options = {.tolerance = i & 17 ? tolerance : 0.0f};
        tact_mesh_copy copy;
        tact_mesh_mended m;
        assert_int_equal(tact_mesh_mend(&view, &options, NULL, &copy, &m), TACT_OK);
        expect_fit(&m);
        assert_int_equal(m.after.euler, 0);
        assert_int_equal(m.after.components, 1);
        assert_int_equal(m.split_sides, junctions);
        assert_int_equal(m.split_triangles, junctions);
        assert_int_equal(m.collapsed, removed);
        assert_int_equal(m.filled_holes, removed);
        assert_int_equal(m.hole_triangles, removed);
        assert_int_equal(m.duplicate, doubled);
        assert_int_equal(m.after.triangles, RING + 2 * junctions);
        assert_true(m.largest_move <= (double)tolerance && (m.largest_move > 0.0) == ((i & 16) != 0));
        assert_true(fabs(m.after.volume - before.volume) <= before.area * (double)tolerance);
        assert_int_equal(copy.triangle_count, m.after.triangles);
        expect_nothing_moved(&s, &copy, (double)tolerance);
        tact_mesh_copy_free(&copy);
    }
}

TEST(large_holes_are_filled_with_little_area)
{
    static soup whole, s;
    make_ring(&whole);
    const tact_mesh_view whole_view = soup_view(&whole);
    tact_mesh_report before;
    assert_int_equal(tact_mesh_report_make(&whole_view, NULL, &before), TACT_OK);
    // A cut through the ring: two holes of one round each, flat but for rounding.
    s = whole;
    s.count -= 2 * ACROSS;
    const tact_mesh_view view = soup_view(&s);
    tact_mesh_copy copy;
    tact_mesh_mended m;
    assert_int_equal(tact_mesh_mend(&view, NULL, NULL, &copy, &m), TACT_OK);
    expect_fit(&m);
    assert_int_equal(m.after.euler, 2);
    assert_int_equal(m.filled_holes, 2);
    assert_int_equal(m.hole_triangles, 2 * (ACROSS - 2));
    tact_mesh_report open;
    assert_int_equal(tact_mesh_report_make(&view, NULL, &open), TACT_OK);
    const double cap = 0.5 * ACROSS * 0.4 * 0.4 * sin(6.283185307179586 / ACROSS);
    assert_true(fabs(m.after.area - open.area - 2.0 * cap) < 1e-5);
    tact_mesh_copy_free(&copy);
    // Holes that are to stay are counted.
    const tact_mesh_mend_options few = {.hole_edges = ACROSS - 1}, none = {.keep_holes = true};
    assert_int_equal(tact_mesh_mend(&view, &few, NULL, &copy, &m), TACT_OK);
    assert_true(!m.after.closed && m.holes_left == 2 && m.filled_holes == 0 && m.after.triangles == s.count);
    tact_mesh_copy_free(&copy);
    assert_int_equal(tact_mesh_mend(&view, &none, NULL, &copy, &m), TACT_OK);
    assert_true(!m.after.closed && m.filled_holes == 0 && m.after.boundary_edges == 2 * ACROSS);
    tact_mesh_copy_free(&copy);
}

/// A cone without its base: a hole of more edges than the least area is looked for.
TEST(holes_of_many_edges_lose_ears_first)
{
    enum { SIDES = 3 * TACT_MESH_LEAST_AREA_EDGES };
    static tact_vec3 p[SIDES + 1];
    static uint32_t t[SIDES][3];
    for (uint32_t i = 0; i < SIDES; ++i) {
        const double a = 6.283185307179586 * i / SIDES;
        p[i] = (tact_vec3){(float)cos(a), (float)sin(a), 0};
        t[i][0] = i;
        t[i][1] = (i + 1) % SIDES;
        t[i][2] = SIDES;
    }
    p[SIDES] = (tact_vec3){0, 0, 1};
    const tact_mesh_view view = {p, SIDES + 1, &t[0][0], SIDES};
    tact_mesh_copy copy;
    tact_mesh_mended m;
    tact_mesh_report open;
    assert_int_equal(tact_mesh_mend(&view, NULL, NULL, &copy, &m), TACT_OK);
    expect_fit(&m);
    assert_true(m.after.convex && m.after.euler == 2);
    assert_int_equal(m.hole_triangles, SIDES - 2);
    assert_true(fabs(m.after.volume - SIDES * sin(6.283185307179586 / SIDES) / 6.0) < 1e-5);
    tact_mesh_copy_free(&copy);
    // Of a star's base the ears that are cut are the points.
    for (uint32_t i = 1; i < SIDES; i += 2) {
        p[i].x *= 0.9f;
        p[i].y *= 0.9f;
    }
    assert_int_equal(tact_mesh_report_make(&view, NULL, &open), TACT_OK);
    assert_int_equal(tact_mesh_mend(&view, NULL, NULL, &copy, &m), TACT_OK);
    expect_fit(&m);
    assert_true(fabs(m.after.area - open.area - 0.9 * SIDES * sin(6.283185307179586 / SIDES) / 2.0) < 1e-5);
    tact_mesh_copy_free(&copy);
}

/// Mends and returns what it is then.
static tact_mesh_mended mended(const small_mesh* mesh, float tolerance)
{
    const tact_mesh_view view = view_of(mesh);
    const tact_mesh_mend_options options = {.tolerance = tolerance};
    tact_mesh_copy copy;
    tact_mesh_mended m;
    assert_int_equal(tact_mesh_mend(&view, &options, NULL, &copy, &m), TACT_OK);
    tact_mesh_copy_free(&copy);
    return m;
}

TEST(folds_and_flat_triangles_go)
{
    // A fin of two triangles back to back, at an edge of a tetrahedron.
    small_mesh m = tetrahedron(4, (tact_vec3){0, 0, 0});
    const uint32_t far = add_vertex(&m, 8, 8, 0);
    add_triangle(&m, 1, 2, far);
    add_triangle(&m, 2, 1, far);
    tact_mesh_mended r = mended(&m, 0);
    expect_fit(&r);
    assert_true(r.after.convex && r.duplicate == 1 && r.folded == 1 && r.after.triangles == 4);
    // A lone fin that is no fold stays and is reported.
    --m.triangles;
    r = mended(&m, 0);
    assert_true(!r.after.manifold && r.folded == 0);
    // A triangle without area between two others, of which one is a T-junction's.
    m = tetrahedron(4, (tact_vec3){0, 0, 0});
    const uint32_t middle = add_vertex(&m, 2, 0, 0);
    const size_t below = triangle_with_side(&m, 1, 0);
    turn_to(&m, below, 1);
    const uint32_t apex = m.t[below][2];
    m.t[below][1] = middle;
    add_triangle(&m, middle, 0, apex);
    add_triangle(&m, 0, middle, 1);
    assert_true(report_of(&m).closed && report_of(&m).degenerate == 1);
    r = mended(&m, 0);
    expect_fit(&r);
    assert_true(r.after.convex && r.degenerate == 1 && r.split_sides == 1 && r.after.degenerate == 0);
    assert_int_equal(r.after.triangles, 6);
}

TEST(folds_alone_are_taken_for_folds)
{
    // A face twice the same way comes first; then a fin, of which the near part alone is back to back.
    small_mesh m = tetrahedron(4, (tact_vec3){0, 0, 0});
    const small_mesh plain = m;
    for (size_t t = m.triangles++; t > 0; --t)
        memcpy(m.t[t], m.t[t - 1], sizeof m.t[t]);
    const uint32_t far = add_vertex(&m, 8, 8, 0), further = add_vertex(&m, 9, 9, 1);
    add_triangle(&m, 1, 2, far);
    add_triangle(&m, 2, 1, far);
    tact_mesh_mended r = mended(&m, 0);
    expect_fit(&r);
    assert_true(r.after.convex && r.folded == 1 && r.duplicate == 2);
    add_triangle(&m, 2, further, far);
    r = mended(&m, 0);
    assert_true(r.folded == 0 && r.duplicate == 2 && !r.after.manifold);
    // The same way round it is no fold.
    m = plain;
    add_vertex(&m, 8, 8, 0);
    add_triangle(&m, 1, 2, far);
    add_triangle(&m, 2, far, 1);
    r = mended(&m, 0);
    assert_true(r.folded == 0 && r.duplicate == 1 && !r.after.manifold);
}

TEST(sides_are_split_where_that_makes_no_crowded_edge)
{
    const tact_mesh_mend_options options = {.keep_holes = true};
    // A long side against seven vertices, all in a plane along the axes.
    for (int kind = 0; kind < 4; ++kind) {
        small_mesh m = {.vertices = 0};
        for (int i = 0; i <= 8; ++i)
            add_vertex(&m, (float)i, 0, 0);
        const uint32_t up = add_vertex(&m, 0, 8, 0), down = add_vertex(&m, 0, -8, 0), out = add_vertex(&m, 0, 0, 9);
        add_triangle(&m, 0, 8, up);
        for (uint32_t i = 0; kind == 0 && i < 8; ++i)
            add_triangle(&m, i + 1, i, down);
        if (kind == 1) add_triangle(&m, 0, 4, up);  // lies on it
        if (kind == 2 || kind == 3) {               // half of the side has two triangles already
            add_triangle(&m, 4, kind == 2 ? 0 : 8, down);
            add_triangle(&m, kind == 2 ? 0 : 8, 4, out);
        }
        const tact_mesh_view view = view_of(&m);
        tact_mesh_copy copy;
        tact_mesh_mended r;
        assert_int_equal(tact_mesh_mend(&view, &options, NULL, &copy, &r), TACT_OK);
        assert_int_equal(r.split_sides, kind == 0);
        assert_int_equal(r.split_triangles, kind == 0 ? 7 : 0);
        assert_int_equal(r.after.triangles, kind == 0 ? 16 : m.triangles);
        tact_mesh_copy_free(&copy);
    }
}

static double area_of(const small_mesh* m, size_t a, size_t b, size_t c)
{
    small_mesh t = {.vertices = 0};
    const size_t v[3] = {a, b, c};
    for (int k = 0; k < 3; ++k)
        add_vertex(&t, m->p[v[k]].x, m->p[v[k]].y, m->p[v[k]].z);
    add_triangle(&t, 0, 1, 2);
    return report_of(&t).area;
}

/// The least area of any triangulation of the vertices from `i` to `j`.
static double least_area(const small_mesh* m, size_t i, size_t j)
{
    double least = j - i < 2 ? 0.0 : 1e9;
    for (size_t k = i + 1; k < j; ++k)
        least = fmin(least, area_of(m, i, k, j) + least_area(m, i, k) + least_area(m, k, j));
    return least;
}

TEST(no_filling_of_a_hole_has_less_area)
{
    test_random r = test_random_seeded(149);
    for (int i = 0; i < 200; ++i) {
        small_mesh m = {.vertices = 0};
        const uint32_t count = 3 + test_random_below(&r, 5);
        for (uint32_t k = 0; k < count; ++k)
            add_vertex(&m, test_random_signed(&r), test_random_signed(&r), test_random_signed(&r));
        add_vertex(&m, 0, 0, 9);
        for (uint32_t k = 0; k < count; ++k)
            add_triangle(&m, k, (k + 1) % count, count);
        const tact_mesh_mended done = mended(&m, 0);
        expect_fit(&done);
        assert_int_equal(done.hole_triangles, count - 2);
        assert_true(fabs(done.after.area - report_of(&m).area - least_area(&m, 0, count - 1)) < 1e-9);
    }
}

TEST(fillings_keep_surfaces_manifold)
{
    // Two triangles: the least area is that of the same two again, which would be removed.
    small_mesh m = {.vertices = 0};
    add_vertex(&m, 0, 0, 0);
    add_vertex(&m, 0.5f, 3, 0);
    add_vertex(&m, 1, 0, 0);
    add_vertex(&m, 0.5f, 0, 3);
    add_triangle(&m, 0, 1, 2);
    add_triangle(&m, 0, 2, 3);
    tact_mesh_mended r = mended(&m, 0);
    expect_fit(&r);
    assert_true(r.after.convex && r.after.triangles == 4);
    // An octahedron without two faces that meet at a vertex.
    m = (small_mesh){.vertices = 0};
    for (int k = 0; k < 6; ++k) {
        const float c = k < 3 ? 1 : -1;
        add_vertex(&m, k % 3 == 0 ? c : 0, k % 3 == 1 ? c : 0, k % 3 == 2 ? c : 0);
    }
    for (uint32_t k = 0; k < 8; ++k) {
        const uint32_t x = k & 1 ? 3 : 0, y = k & 2 ? 4 : 1, z = k & 4 ? 5 : 2;
        const bool odd = (k & 1) ^ (k >> 1 & 1) ^ (k >> 2 & 1);
        if (k != 0 && k != 3) add_triangle(&m, x, odd ? z : y, odd ? y : z);
    }
    r = mended(&m, 0);
    expect_fit(&r);
    assert_true(r.after.convex && r.filled_holes == 2 && r.hole_triangles == 2 && r.flipped == 0);
    // Inside out: that is seen once it is closed, and each triangle of the input is turned.
    for (size_t t = 0; t < m.triangles; ++t)
        turn_to(&m, t, m.t[t][1]), memcpy(m.t[t], (uint32_t[]){m.t[t][1], m.t[t][0], m.t[t][2]}, sizeof m.t[t]);
    r = mended(&m, 0);
    expect_fit(&r);
    assert_true(r.after.convex && r.flipped == 6);
}

TEST(what_cannot_be_mended_is_reported)
{
    small_mesh m = {.vertices = 0};
    tact_mesh_mended r = mended(&m, 1);
    assert_true(!r.after.closed && r.after.triangles == 0);
    // One triangle: the only way to close it is a second one in its place.
    add_vertex(&m, 0, 0, 0);
    add_vertex(&m, 1, 0, 0);
    add_vertex(&m, 0, 1, 0);
    add_triangle(&m, 0, 1, 2);
    r = mended(&m, 0);
    assert_true(!r.after.closed && r.holes_left == 1 && r.filled_holes == 0 && r.after.triangles == 1);
    // All of it is smaller than the tolerance.
    r = mended(&m, 2);
    assert_true(!r.after.closed && r.collapsed == 1 && r.welded_vertices == 2 && r.largest_move == 1.0);
    // Two tetrahedra that touch at a vertex, each without a face: both are closed, and the vertex has two fans.
    m = tetrahedron(1, (tact_vec3){0, 0, 0});
    small_mesh other = tetrahedron(-1, (tact_vec3){0, 0, 0});
    for (size_t t = 1; t < 4; ++t) {
        for (int k = 0; k < 3; ++k)
            other.t[t][k] += other.t[t][k] ? 3 : 0;
    }
    for (int k = 1; k < 4; ++k)
        add_vertex(&m, other.p[k].x, other.p[k].y, other.p[k].z);
    for (int t = 1; t < 4; ++t)
        add_triangle(&m, other.t[t][0], other.t[t][2], other.t[t][1]);
    memcpy(m.t[0], m.t[3], sizeof m.t[0]);
    memcpy(m.t[3], m.t[--m.triangles], sizeof m.t[0]);
    r = mended(&m, 0);
    assert_true(r.after.closed && r.after.oriented && !r.after.manifold && r.filled_holes == 2);
    assert_int_equal(r.after.non_manifold_vertices, 1);
    // Vertices that are not finite, indices past the end.
    m = tetrahedron(1, (tact_vec3){0, 0, 0});
    add_vertex(&m, NAN, 0, 0);
    m.t[0][0] = 4;
    m.t[1][0] = 77;
    r = mended(&m, 0);
    assert_true(r.bad_triangles == 2 && r.filled_holes == 1 && r.after.closed && r.after.manifold);
}

TEST(any_mesh_ends_in_a_result_without_new_vertices)
{
    test_random r = test_random_seeded(131);
    for (int i = 0; i < 30000; ++i) {
        const small_mesh m = random_mesh(&r, i);
        const tact_mesh_view view = view_of(&m);
        const float tolerance = i % 3 == 0 ? 0.0f : i % 3 == 1 ? 0.5f : 1.0f;
        const tact_mesh_mend_options options = {.tolerance = tolerance};
        tact_mesh_copy copy, again;
        tact_mesh_mended done, second;
        assert_int_equal(tact_mesh_mend(&view, &options, NULL, &copy, &done), TACT_OK);
        assert_true(copy.vertex_count <= m.vertices && done.largest_move <= (double)tolerance);
        assert_int_equal(done.after.bad_triangles + done.after.collapsed + done.after.duplicate, 0);
        const tact_mesh_view fixed = {copy.positions, copy.vertex_count, copy.indices, copy.triangle_count};
        assert_int_equal(tact_mesh_mend(&fixed, &options, NULL, &again, &second), TACT_OK);
        if (done.after.closed && done.after.manifold && done.after.degenerate == 0) {
            assert_int_equal(again.triangle_count, copy.triangle_count);
            assert_int_equal(second.welded_vertices + second.split_sides + second.filled_holes, 0);
        }
        tact_mesh_copy_free(&copy);
        tact_mesh_copy_free(&again);
    }
}

TEST(welding_moves_nothing_further_than_the_tolerance)
{
    enum { COUNT = 300 };
    test_random r = test_random_seeded(137);
    for (int i = 0; i < 300; ++i) {
        // Chains of neighbours, each within the tolerance of the next: a whole one may not become one.
        tact_vec3 p[COUNT];
        uint32_t first[COUNT], expected[COUNT];
        const float tolerance = i % 5 == 0 ? 0.0f : 0.25f * (float)(1 + test_random_below(&r, 8));
        for (int k = 0; k < COUNT; ++k) {
            p[k].x = 0.5f * (float)test_random_below(&r, i % 2 ? 200 : 12) - 3.0f;
            p[k].y = i % 2 ? 0.0f : 0.5f * (float)test_random_below(&r, 12) - 3.0f;
            p[k].z = i % 3 ? -0.0f : (float)test_random_below(&r, 2);
            if (i % 4 == 3) {
                p[k].x = 3.0f * test_random_unit(&r);
                p[k].y = 3.0f * test_random_unit(&r);
                p[k].z = 3.0f * test_random_signed(&r);
            }
            if (test_random_below(&r, 50) == 0) p[k].y = INFINITY;
        }
        size_t distinct = 0, kept = 0;
        assert_int_equal(tact_mesh_weld_within(p, COUNT, tolerance, NULL, first, &distinct), TACT_OK);
        for (uint32_t k = 0; k < COUNT; ++k) {
            expected[k] = k;
            double least = (double)tolerance;
            for (uint32_t j = k; finite3(p[k]) && j-- > 0;) {
                if (expected[j] != j || !finite3(p[j]) || distance(p[j], p[k]) > least) continue;
                least = distance(p[j], p[k]);
                expected[k] = j;
            }
            // Equal positions are one, wherever the first of them went.
            for (uint32_t j = k; finite3(p[k]) && j-- > 0;) {
                if (p[j].x == p[k].x && p[j].y == p[k].y && p[j].z == p[k].z) expected[k] = expected[j];
            }
            assert_int_equal(first[k], expected[k]);
            kept += first[k] == k && finite3(p[k]);
        }
        assert_int_equal(distinct, kept);
    }
}

TEST(tables_hold_each_corner_of_each_triangle)
{
    test_random r = test_random_seeded(139);
    for (int i = 0; i < 20000; ++i) {
        const small_mesh m = random_mesh(&r, i);
        uint32_t start[MOST_VERTICES + 1], triangles[3 * MOST_TRIANGLES];
        bool bad = false;
        for (size_t k = 0; k < 3 * m.triangles; ++k)
            bad = bad || m.t[k / 3][k % 3] >= m.vertices;
        const tact_result result = tact_mesh_vertex_triangles(&m.t[0][0], m.triangles, m.vertices, start, triangles);
        assert_int_equal(result, bad ? TACT_ERROR_INVALID_ARGUMENT : TACT_OK);
        size_t at = 0;
        for (uint32_t v = 0; !bad && v < m.vertices; ++v) {
            assert_int_equal(start[v], at);
            for (size_t k = 0; k < 3 * m.triangles; ++k) {
                if (m.t[k / 3][k % 3] == v) assert_int_equal(triangles[at++], k / 3);
            }
        }
        assert_true(bad || start[m.vertices] == at);
    }
}

TEST(failures_leave_nothing_behind)
{
    static soup s;
    make_ring(&s);
    s.count = 60;
    make_junction(&s, 7);
    memcpy(s.p[s.count++], s.p[3], sizeof s.p[3]);
    swap_corners(&s, s.count - 1);
    const tact_mesh_view view = soup_view(&s);
    bool failed = true;
    for (size_t at = 1; failed; ++at) {
        counting_allocator counter = {.fail_at = at};
        const tact_allocator hooks = counting_hooks(&counter);
        const tact_mesh_mend_options options = {.tolerance = 1e-3f};
        tact_mesh_copy copy = {0};
        tact_mesh_mended m;
        const tact_result result = tact_mesh_mend(&view, &options, &hooks, &copy, &m);
        failed = counter.failed;
        assert_int_equal(result, failed ? TACT_ERROR_OUT_OF_MEMORY : TACT_OK);
        if (failed) assert_true(!copy.positions && copy.triangle_count == 0 && m.after.triangles == 0);
        tact_mesh_copy_free(&copy);
        assert_int_equal(counter.live, 0);
    }
    const float wrong[] = {-1.0f, NAN, INFINITY};
    for (int i = 0; i < 3; ++i) {
        const tact_mesh_mend_options options = {.tolerance = wrong[i]};
        uint32_t first[1];
        tact_mesh_copy copy;
        tact_mesh_mended m;
        assert_int_equal(tact_mesh_mend(&view, &options, NULL, &copy, &m), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(tact_mesh_weld_within(&s.p[0][0], 1, wrong[i], NULL, first, NULL),
                         TACT_ERROR_INVALID_ARGUMENT);
    }
    const size_t vertices = ((size_t)1 << 30) + 1, triangles = ((size_t)1 << 29) + 1;
    const tact_mesh_view huge[] = {{view.positions, vertices, numbers, 1}, {view.positions, 3, numbers, triangles}};
    for (int i = 0; i < 2; ++i) {
        tact_mesh_copy copy;
        tact_mesh_mended m;
        assert_int_equal(tact_mesh_mend(&huge[i], NULL, NULL, &copy, &m), TACT_ERROR_LIMIT);
        const tact_result result =
            tact_mesh_vertex_triangles(huge[i].indices, huge[i].triangle_count, huge[i].vertex_count, NULL, NULL);
        assert_int_equal(result, TACT_ERROR_LIMIT);
    }
    assert_int_equal(tact_mesh_weld_within(&s.p[0][0], vertices, 1, NULL, NULL, NULL), TACT_ERROR_LIMIT);
}

#include TEST_LIST

RUN_ALL(NULL, NULL)
