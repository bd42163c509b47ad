// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Flat parts in few triangles: sets of cubes on grids, whose faces are counted; boxes cut fine, exact and turned; what
// is combined; what must stay as it is.

#include "tests/support/run.h"

#include <inttypes.h>
#include <math.h>

#include "tact/geometry/containment.h"
#include "tact/geometry/mesh_combine.h"
#include "tact/geometry/mesh_flat.h"
#include "tests/geometry/solid_cubes.h"
#include "tests/geometry/solids.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"

static tact_mesh_view view_of(const tact_mesh_copy* c)
{
    return (tact_mesh_view){c->positions, c->vertex_count, c->indices, c->triangle_count};
}

static tact_mesh_report report_of(const tact_mesh_view* mesh)
{
    tact_mesh_report report;
    assert_int_equal(tact_mesh_report_make(mesh, NULL, &report), TACT_OK);
    return report;
}

/// The merged mesh of a closed one: closed too, with the same volume and area but for rounding, and what changes.
static tact_mesh_copy merge(const tact_mesh_view* mesh, float tolerance, tact_mesh_merged* merged)
{
    tact_mesh_copy copy;
    if (tact_mesh_merge_flat(mesh, tolerance, NULL, &copy, merged) != TACT_OK) fail_msg("%s", tact_last_error());
    const tact_mesh_view view = view_of(&copy);
    const tact_mesh_report before = report_of(mesh), after = report_of(&view);
    if (before.triangles) assert_true(before.closed && before.oriented && after.closed && after.oriented);
    assert_int_equal(after.unused_vertices, 0);
    assert_int_equal(after.welded_vertices, copy.vertex_count);
    assert_true(after.degenerate <= before.degenerate);
    const double slack = 1e-12 + 4.0 * (double)tolerance;
    assert_true(fabs(after.volume - before.volume) <= slack * before.area);
    assert_true(fabs(after.area - before.area) <= 1e-12 * before.area + 40.0 * (double)tolerance);
    return copy;
}

// ---- Sets of cubes ----

/// The fewest triangles: of each plane and side the parts that are joined by edges, their corners and holes counted on
/// the grid.
typedef struct cube_faces {
    bool face[SIDE][SIDE];
    int part[SIDE][SIDE];
} cube_faces;

static bool cell(const cube_faces* f, int x, int y, int part)
{
    return x >= 0 && y >= 0 && x < SIDE && y < SIDE && f->face[x][y] && f->part[x][y] == part;
}

static void spread_part(cube_faces* f, int x, int y, int part)
{
    if (x < 0 || y < 0 || x >= SIDE || y >= SIDE || !f->face[x][y] || f->part[x][y]) return;
    f->part[x][y] = part;
    spread_part(f, x + 1, y, part);
    spread_part(f, x - 1, y, part);
    spread_part(f, x, y + 1, part);
    spread_part(f, x, y - 1, part);
}

/// Marks the faces of one plane that look up or down it.
static void find_faces(const cubes* c, int axis, int plane, bool up, cube_faces* f)
{
    for (int x = 0; x < SIDE; ++x) {
        for (int y = 0; y < SIDE; ++y) {
            int low[3], high[3];
            low[axis] = plane - 1;
            high[axis] = plane;
            low[(axis + 1) % 3] = high[(axis + 1) % 3] = x;
            low[(axis + 2) % 3] = high[(axis + 2) % 3] = y;
            const bool below = cubes_full(c, low[0], low[1], low[2]), above = cubes_full(c, high[0], high[1], high[2]);
            f->face[x][y] = up ? below && !above : above && !below;
            f->part[x][y] = 0;
        }
    }
}

/// How many unit edges of the surface end at a grid point: those between faces of different planes or at which four
/// faces meet. Such a point is no corner if there are two and they are in line.
static bool is_corner(const cubes* c, const int* at)
{
    int ends = 0, along[6];
    for (int axis = 0; axis < 3; ++axis) {
        for (int back = 0; back < 2; ++back) {
            int low[3] = {at[0], at[1], at[2]};
            low[axis] -= back;
            // The four cubes around the unit edge.
            bool full[4];
            for (int k = 0; k < 4; ++k) {
                int q[3] = {low[0], low[1], low[2]};
                q[(axis + 1) % 3] -= k & 1;
                q[(axis + 2) % 3] -= k >> 1;
                full[k] = cubes_full(c, q[0], q[1], q[2]);
            }
            const int count = full[0] + full[1] + full[2] + full[3];
            const bool crossed = count == 2 && full[0] == full[3];
            if (count == 1 || count == 3 || crossed) along[ends++] = 2 * axis + back;
        }
    }
    return ends > 0 && !(ends == 2 && along[0] / 2 == along[1] / 2);
}

/// n + 2 h - 2 of a part: of each of its grid points the corners by the ways its border passes, and loops of border.
static size_t count_part(const cubes* c, const cube_faces* f, int axis, int plane, int part)
{
    size_t passes = 0;
    int cells = 0, edges = 0, points = 0;
    for (int x = 0; x <= SIDE; ++x) {
        for (int y = 0; y <= SIDE; ++y) {
            const bool a = cell(f, x - 1, y - 1, part), b = cell(f, x, y - 1, part), d = cell(f, x, y, part),
                       e = cell(f, x - 1, y, part);
            const int around = a + b + d + e;
            int at[3];
            at[axis] = plane;
            at[(axis + 1) % 3] = x;
            at[(axis + 2) % 3] = y;
            cells += d;
            edges += (d || b) + (d || e);
            points += around > 0;
            if (around == 0 || around == 4) continue;
            const bool crossed = around == 2 && a == d;
            if (crossed) {
                passes += 2;
                // A point at which the part touches itself is two for the inside.
                ++points;
            } else {
                passes += is_corner(c, at);
            }
        }
    }
    // Euler: points - edges + cells is 1 - holes, where a touching point counts once for each side.
    const int holes = 1 - (points - edges + cells);
    return passes + 2 * (size_t)holes - 2;
}

static size_t fewest(const cubes* c)
{
    size_t sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (int plane = 0; plane <= SIDE; ++plane) {
            for (int up = 0; up < 2; ++up) {
                cube_faces f;
                find_faces(c, axis, plane, up, &f);
                int parts = 0;
                for (int i = 0; i < SIDE * SIDE; ++i) {
                    if (!f.face[i % SIDE][i / SIDE] || f.part[i % SIDE][i / SIDE]) continue;
                    spread_part(&f, i % SIDE, i / SIDE, ++parts);
                    sum += count_part(c, &f, axis, plane, parts);
                }
            }
        }
    }
    return sum;
}

TEST(sets_of_cubes_get_the_fewest_triangles)
{
    test_random r = test_random_seeded(1);
    for (size_t i = 0; i < effort(300, 10000); ++i) {
        cubes c;
        cubes_build(&c, &r, 1.0f);
        const tact_mesh_view mesh = {c.vertices, 64, c.indices, c.count};
        tact_mesh_merged merged;
        tact_mesh_copy copy = merge(&mesh, 0.0f, &merged);
        assert_int_equal(merged.kept, 0);
        assert_int_equal(copy.triangle_count, fewest(&c));
        for (int k = 0; k < 27; ++k) {
            const tact_vec3 p = {(float)(k % 3) + 0.5f, (float)(k / 3 % 3) + 0.25f, (float)(k / 9) + 0.125f};
            int32_t winding;
            tact_mesh_locate(copy.positions, copy.indices, (uint32_t)copy.triangle_count, p, &winding);
            assert_int_equal(winding, c.full[k % 3][k / 3 % 3][k / 9]);
        }
        tact_mesh_copy_free(&copy);
    }
}

// ---- Boxes cut fine ----

/// A box whose faces are squares of two triangles, n by n, turned by axes and scaled.
static solid fine_box(uint32_t n, const float* axes, float size)
{
    const uint32_t side = n + 1;
    solid s = {scratch((size_t)6 * side * side * sizeof(tact_vec3)), scratch((size_t)36 * n * n * sizeof(uint32_t)), 0,
               0};
    for (uint32_t face = 0; face < 6; ++face) {
        const uint32_t begin = (uint32_t)s.vertices, axis = face / 2, up = face % 2;
        for (uint32_t i = 0; i < side * side; ++i) {
            float q[3];
            q[axis] = up ? 1.0f : 0.0f;
            q[(axis + 1) % 3] = (float)(i % side) / (float)n;
            q[(axis + 2) % 3] = (float)(i / side) / (float)n;
            float p[3];
            for (int k = 0; k < 3; ++k)
                p[k] = size * (q[0] * axes[k] + q[1] * axes[3 + k] + q[2] * axes[6 + k]);
            s.positions[s.vertices++] = (tact_vec3){p[0], p[1], p[2]};
        }
        for (uint32_t i = 0; i < n * n; ++i) {
            const uint32_t a = begin + i / n * side + i % n, b = a + 1, c = a + side + 1, d = a + side;
            const uint32_t out[6] = {a, b, c, a, c, d}, in[6] = {a, c, b, a, d, c};
            memcpy(&s.indices[3 * s.triangles], up ? out : in, sizeof out);
            s.triangles += 2;
        }
    }
    return s;
}

TEST(boxes_cut_fine)
{
    test_random r = test_random_seeded(2);
    static const float straight[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (uint32_t n = 1; n <= 32; n *= 2) {
        // Powers of two: exact.
        const solid s = fine_box(n, straight, 4.0f);
        const tact_mesh_view mesh = solid_view(&s);
        tact_mesh_merged merged;
        tact_mesh_copy copy = merge(&mesh, 0.0f, &merged);
        assert_int_equal(copy.triangle_count, 12);
        assert_int_equal(copy.vertex_count, 8);
        assert_int_equal(merged.faces, 6);
        assert_int_equal(merged.removed_vertices, 6 * n * n + 2 - 8);
        tact_mesh_copy_free(&copy);
    }
    size_t turned = 0;
    for (size_t i = 0; i < effort(20, 300); ++i) {
        float axes[9];
        test_random_rotation(&r, axes);
        const solid s = fine_box(2 + test_random_below(&r, 12), axes, 1.0f);
        const tact_mesh_view mesh = solid_view(&s);
        tact_mesh_copy welded;
        assert_int_equal(tact_mesh_repair(&mesh, NULL, &welded), TACT_OK);
        const tact_mesh_view view = view_of(&welded);
        if (report_of(&view).closed) {
            tact_mesh_merged merged;
            tact_mesh_copy copy = merge(&view, 1e-6f, &merged);
            assert_int_equal(copy.triangle_count, 12);
            assert_int_equal(copy.vertex_count, 8);
            assert_int_equal(merged.kept, 0);
            tact_mesh_copy_free(&copy);
            ++turned;
        }
        tact_mesh_copy_free(&welded);
    }
    assert_true(turned > 0);
}

// ---- What is combined ----

TEST(what_is_combined_stays_the_same_solid)
{
    test_random r = test_random_seeded(3);
    size_t before = 0, after = 0;
    for (size_t i = 0; i < effort(60, 1000); ++i) {
        cubes c;
        cubes_build(&c, &r, 1.0f);
        const float x = 0.5f * (float)test_random_below(&r, 5), y = 0.7f * test_random_unit(&r);
        const solid box = solid_box((tact_vec3){x - 0.25f, y, 0.5f}, (tact_vec3){x + 1.0f, y + 1.5f, 2.0f});
        const tact_mesh_view a = {c.vertices, 64, c.indices, c.count}, b = solid_view(&box);
        tact_mesh_copy both;
        assert_int_equal(tact_mesh_combine(&a, &b, (tact_mesh_operation)(i % 3), NULL, &both, NULL), TACT_OK);
        const tact_mesh_view view = view_of(&both);
        tact_mesh_merged merged;
        tact_mesh_copy copy = merge(&view, 0.0f, &merged);
        before += both.triangle_count;
        after += copy.triangle_count;
        for (int k = 0; k < 40; ++k) {
            const tact_vec3 p = {4.0f * test_random_unit(&r) - 0.5f, 4.0f * test_random_unit(&r) - 0.5f,
                                 4.0f * test_random_unit(&r) - 0.5f};
            int32_t one, other;
            tact_mesh_locate(both.positions, both.indices, (uint32_t)both.triangle_count, p, &one);
            tact_mesh_locate(copy.positions, copy.indices, (uint32_t)copy.triangle_count, p, &other);
            assert_int_equal(one, other);
        }
        tact_mesh_copy_free(&both);
        tact_mesh_copy_free(&copy);
    }
    assert_true(after < before - before / 4);
}

// ---- What stays ----

TEST(nothing_is_left_of_a_merge)
{
    const tact_vec3 p[6] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}};
    const uint32_t strip[12] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
    const tact_mesh_view view = {p, 6, strip, 4};
    for (size_t n = 1;; ++n) {
        counting_allocator counts = {.fail_at = n};
        const tact_allocator allocator = counting_hooks(&counts);
        tact_mesh_copy copy;
        const tact_result result = tact_mesh_merge_flat(&view, 0.0f, &allocator, &copy, NULL);
        assert_int_equal(result, counts.failed ? TACT_ERROR_OUT_OF_MEMORY : TACT_OK);
        tact_mesh_copy_free(&copy);
        assert_int_equal(counts.live, 0);
        if (!counts.failed) break;
    }
}

TEST(open_and_folded_meshes)
{
    // A strip of which the middle triangle is turned over, and two triangles back to back.
    const tact_vec3 p[8] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}, {0, 0, 1}, {1, 0, 1}};
    const uint32_t strip[12] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4}, turned[12] = {0, 1, 4, 0, 3, 4, 1, 2, 5, 1, 5, 4};
    const uint32_t twice[6] = {0, 1, 4, 0, 4, 1};
    tact_mesh_copy copy;
    tact_mesh_merged merged;
    tact_mesh_view view = {p, 8, strip, 4};
    assert_int_equal(tact_mesh_merge_flat(&view, 0.0f, NULL, &copy, &merged), TACT_OK);
    assert_true(copy.triangle_count == 2 && copy.vertex_count == 4 && merged.removed_vertices == 2);
    tact_mesh_copy_free(&copy);
    view.indices = turned;
    assert_int_equal(tact_mesh_merge_flat(&view, 0.0f, NULL, &copy, &merged), TACT_OK);
    // Two triangles on one side of the border that cannot be passed, one on the other.
    assert_true(copy.triangle_count == 3 && merged.faces == 1 && merged.kept == 0);
    tact_mesh_copy_free(&copy);
    view.indices = twice;
    view.triangle_count = 2;
    assert_int_equal(tact_mesh_merge_flat(&view, 0.0f, NULL, &copy, &merged), TACT_OK);
    assert_true(copy.triangle_count == 2 && merged.faces == 0 && merged.kept == 0);
    tact_mesh_copy_free(&copy);
    // Two on the same side of an edge that both pass in one direction.
    const uint32_t over[6] = {0, 1, 4, 0, 1, 5};
    view.indices = over;
    assert_int_equal(tact_mesh_merge_flat(&view, 0.0f, NULL, &copy, &merged), TACT_OK);
    assert_true(copy.triangle_count == 2 && merged.faces == 0 && merged.kept == 0);
    tact_mesh_copy_free(&copy);
    // One without area belongs to what is around it, and the vertex in the middle of a side goes.
    const tact_vec3 square[5] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {1, 0, 0}};
    const uint32_t flat[12] = {0, 1, 4, 4, 1, 2, 0, 4, 3, 4, 2, 3};
    view = (tact_mesh_view){square, 5, flat, 4};
    assert_int_equal(tact_mesh_merge_flat(&view, 0.0f, NULL, &copy, &merged), TACT_OK);
    assert_true(copy.triangle_count == 2 && copy.vertex_count == 4 && merged.removed_vertices == 1);
    tact_mesh_copy_free(&copy);
    view.triangle_count = 0;
    view.vertex_count = 0;
    assert_int_equal(tact_mesh_merge_flat(&view, 0.0f, NULL, &copy, NULL), TACT_OK);
    assert_true(copy.triangle_count == 0 && copy.vertex_count == 0);
    tact_mesh_copy_free(&copy);
}

TEST(a_part_that_covers_itself_stays)
{
    // A spiral stair in one plane, once round and further: triangles of a fan about the origin that overlap.
    tact_vec3 p[12] = {{0, 0, 0}};
    uint32_t t[30];
    static const float x[8] = {4, 3, 0, -3, -4, -3, 0, 3}, y[8] = {0, 3, 4, 3, 0, -3, -4, -3};
    for (uint32_t i = 0; i < 11; ++i)
        p[i + 1] = (tact_vec3){x[i % 8] + (i > 7 ? 0.5f : 0.0f), y[i % 8], 0};
    for (uint32_t i = 0; i < 10; ++i)
        memcpy(t + 3 * i, (uint32_t[]){0, i + 1, i + 2}, 12);
    const tact_mesh_view view = {p, 12, t, 10};
    tact_mesh_copy copy;
    tact_mesh_merged merged;
    assert_int_equal(tact_mesh_merge_flat(&view, 0.0f, NULL, &copy, &merged), TACT_OK);
    assert_true(merged.kept == 1 && merged.faces == 0 && copy.triangle_count == 10);
    assert_memory_equal(copy.indices, t, sizeof t);
    tact_mesh_copy_free(&copy);
}

TEST(a_part_that_stays_keeps_the_vertices_of_its_border)
{
    // The stair with a vertex in the middle of an edge, at which a wall stands that is one part.
    tact_vec3 p[15] = {{0, 0, 0}};
    uint32_t t[14][3];
    static const float x[8] = {4, 3, 0, -3, -4, -3, 0, 3}, y[8] = {0, 3, 4, 3, 0, -3, -4, -3};
    for (uint32_t i = 0; i < 11; ++i)
        p[i + 1] = (tact_vec3){x[i % 8] + (i > 7 ? 0.5f : 0.0f), y[i % 8], 0};
    p[12] = (tact_vec3){3.5f, 1.5f, 0};
    p[13] = (tact_vec3){4, 0, -1};
    p[14] = (tact_vec3){3, 3, -1};
    for (uint32_t i = 0; i < 10; ++i)
        memcpy(t[i], (uint32_t[]){0, i + 1, i + 2}, 12);
    t[0][2] = 12;
    memcpy(t[10], (uint32_t[]){0, 12, 2}, 12);
    memcpy(t[11], (uint32_t[]){12, 1, 13}, 12);
    memcpy(t[12], (uint32_t[]){12, 13, 14}, 12);
    memcpy(t[13], (uint32_t[]){12, 14, 2}, 12);
    const tact_mesh_view view = {p, 15, &t[0][0], 14};
    tact_mesh_copy copy;
    tact_mesh_merged merged;
    assert_int_equal(tact_mesh_merge_flat(&view, 0.0f, NULL, &copy, &merged), TACT_OK);
    const tact_mesh_view after = view_of(&copy);
    assert_true(merged.kept == 1 && merged.faces == 1 && copy.triangle_count == 14);
    assert_int_equal(report_of(&after).boundary_edges, report_of(&view).boundary_edges);
    tact_mesh_copy_free(&copy);
}

TEST(borders_that_bend_keep_their_vertices)
{
    tact_vec3 p[17] = {{0, 0, 5}};
    uint32_t t[48];
    static const float x[8] = {4, 3, 0, -3, -4, -3, 0, 3}, y[8] = {0, 3, 4, 3, 0, -3, -4, -3};
    for (uint32_t i = 0; i < 8; ++i) {
        const uint32_t k = (i + 1) % 8;
        p[2 * i + 1] = (tact_vec3){x[i], y[i], 5};
        p[2 * i + 2] = (tact_vec3){0.5f * (x[i] + x[k]), 0.5f * (y[i] + y[k]), 5};
        memcpy(t + 6 * i, (uint32_t[]){0, 2 * i + 1, 2 * i + 2, 0, 2 * i + 2, 2 * k + 1}, 24);
    }
    const tact_mesh_view view = {p, 17, t, 16};
    tact_mesh_copy copy;
    tact_mesh_merged merged;
    assert_int_equal(tact_mesh_merge_flat(&view, 0.0f, NULL, &copy, &merged), TACT_OK);
    assert_true(copy.triangle_count == 6 && copy.vertex_count == 8);
    tact_mesh_copy_free(&copy);
    // A border of one loop, which has no end: the vertices that are within the tolerance of others' line go.
    for (uint32_t i = 0; i < 8; ++i)
        p[2 * i + 2].z += i % 2 ? 0.001f : -0.001f;
    assert_int_equal(tact_mesh_merge_flat(&view, 0.01f, NULL, &copy, &merged), TACT_OK);
    assert_true(copy.triangle_count == 6 && copy.vertex_count == 8);
    tact_mesh_copy_free(&copy);
    assert_int_equal(tact_mesh_merge_flat(&view, 0.0f, NULL, &copy, &merged), TACT_OK);
    assert_true(copy.triangle_count == 16);
    tact_mesh_copy_free(&copy);
}

TEST(bad_meshes_and_tolerances)
{
    const tact_vec3 p[5] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {NAN, 0, 0}};
    const uint32_t t[15] = {0, 1, 2, 0, 2, 3, 0, 1, 4, 0, 0, 1, 0, 1, 9};
    const tact_mesh_view view = {p, 5, t, 5};
    tact_mesh_copy copy;
    tact_mesh_merged merged;
    assert_int_equal(tact_mesh_merge_flat(&view, 0.0f, NULL, &copy, &merged), TACT_OK);
    assert_true(copy.triangle_count == 2 && merged.bad_triangles == 2 && merged.collapsed == 1);
    tact_mesh_copy_free(&copy);
    static const float bad[3] = {-1.0f, NAN, INFINITY};
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(tact_mesh_merge_flat(&view, bad[i], NULL, &copy, &merged), TACT_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(tact_last_error(), "tolerance"));
        assert_null(copy.indices);
        assert_int_equal(merged.bad_triangles, 0);
    }
    const tact_mesh_view large = {p, (size_t)1 << 31, t, 1};
    assert_int_equal(tact_mesh_merge_flat(&large, 0.0f, NULL, &copy, &merged), TACT_ERROR_LIMIT);
}

#include TEST_LIST

RUN_ALL(NULL, NULL)
