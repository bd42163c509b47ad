// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Convex parts of solids: each is convex and closed, together they hold the solid, and where the solid is made of few
// convex parts they are these.

#include "tests/support/run.h"

#include <math.h>

#include "tact/geometry/mesh_combine.h"
#include "tact/geometry/mesh_decompose.h"
#include "tests/geometry/solid_cubes.h"
#include "tests/geometry/solids.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"

static void free_decomposition(void* d)
{
    tact_decomposition_free(d);
}

/// Parts until the test ends.
static tact_decomposition* decompose(const tact_mesh_view* mesh, uint32_t most, float excess)
{
    tact_decomposition* d = scratch(sizeof *d);
    const tact_decompose_settings settings = {.most = most, .excess = excess};
    if (tact_mesh_decompose(mesh, &settings, NULL, d) != TACT_OK) fail_msg("%s", tact_last_error());
    at_end(free_decomposition, d);
    return d;
}

static bool in_part(const tact_mesh_copy* part, tact_vec3 p)
{
    return tact_mesh_locate(part->positions, part->indices, (uint32_t)part->triangle_count, p, NULL) !=
           TACT_POINT_OUTSIDE;
}

static bool in_parts(const tact_decomposition* d, tact_vec3 p)
{
    for (size_t i = 0; i < d->count; ++i)
        if (in_part(&d->parts[i], p)) return true;
    return false;
}

/// The parts are convex and add up, and hold points of the solid but for what rounding moves.
static void check(test_random* r, const tact_mesh_view* mesh, const tact_decomposition* d, float size)
{
    double sum = 0.0, last = HUGE_VAL;
    for (size_t i = 0; i < d->count; ++i) {
        const tact_mesh_copy* p = &d->parts[i];
        const tact_mesh_view view = {p->positions, p->vertex_count, p->indices, p->triangle_count};
        tact_mesh_report report;
        assert_int_equal(tact_mesh_report_make(&view, NULL, &report), TACT_OK);
        assert_true(report.convex && report.closed && report.manifold && report.unused_vertices == 0);
        assert_true(report.volume <= last * (1.0 + 1e-9));
        last = report.volume;
        sum += report.volume;
    }
    assert_true(fabs(sum - d->hull_volume) <= 1e-9 * sum);
    assert_true(d->hull_volume >= d->volume * (1.0 - 1e-5));
    const float step = 1e-5f * size;
    for (int i = 0; i < 2000; ++i) {
        const tact_vec3 p = {size * test_random_signed(r), size * test_random_signed(r), size * test_random_signed(r)};
        if (tact_mesh_locate(mesh->positions, mesh->indices, (uint32_t)mesh->triangle_count, p, NULL) !=
            TACT_POINT_INSIDE) {
            continue;
        }
        const tact_vec3 near[6] = {{p.x + step, p.y, p.z}, {p.x - step, p.y, p.z}, {p.x, p.y + step, p.z},
                                   {p.x, p.y - step, p.z}, {p.x, p.y, p.z + step}, {p.x, p.y, p.z - step}};
        bool in = in_parts(d, p);
        for (int k = 0; k < 6 && !in; ++k)
            in = in_parts(d, near[k]);
        assert_true(in);
    }
}

TEST(what_is_convex_is_one_part)
{
    test_random r = {1};
    const solid s = solid_box((tact_vec3){-1, -2, -3}, (tact_vec3){3, 2, 1});
    const tact_mesh_view view = solid_view(&s);
    const tact_decomposition* d = decompose(&view, 0, 0.0f);
    assert_int_equal(d->count, 1);
    assert_int_equal(d->cuts, 0);
    assert_true(fabs(d->hull_volume - 64.0) < 1e-9 && fabs(d->volume - 64.0) < 1e-9);
    check(&r, &view, d, 3.0f);
}

TEST(boxes_that_make_a_shape_are_found)
{
    test_random r = {2};
    const solid table = solid_box((tact_vec3){-2, -2, 1}, (tact_vec3){2, 2, 1.5f});
    const tact_mesh_view of_table = solid_view(&table);
    tact_mesh_copy whole = {0};
    tact_mesh_view view = of_table;
    for (int i = 0; i < 4; ++i) {
        const float x = i & 1 ? 1.5f : -2.0f, y = i & 2 ? 1.5f : -2.0f;
        const solid leg = solid_box((tact_vec3){x, y, -2}, (tact_vec3){x + 0.5f, y + 0.5f, 1});
        const tact_mesh_view of_leg = solid_view(&leg);
        tact_mesh_copy next;
        assert_int_equal(tact_mesh_combine(&view, &of_leg, TACT_MESH_UNION, NULL, &next, NULL), TACT_OK);
        tact_mesh_copy_free(&whole);
        whole = next;
        view = (tact_mesh_view){whole.positions, whole.vertex_count, whole.indices, whole.triangle_count};
    }
    const tact_decomposition* d = decompose(&view, 16, 1e-4f);
    assert_int_equal(d->count, 5);
    assert_true(fabs(d->volume - 11.0) < 1e-6 && fabs(d->hull_volume - 11.0) < 1e-5);
    check(&r, &view, d, 2.0f);
    // Fewer parts hold more.
    const tact_decomposition* few = decompose(&view, 3, 1e-4f);
    assert_int_equal(few->count, 3);
    assert_true(few->hull_volume > 11.1);
    check(&r, &view, few, 2.0f);
    tact_mesh_copy_free(&whole);
}

/// A prism over a polygon, turned and moved so that no face is across an axis.
static tact_mesh_view turned_prism(const tact_vec2* corners, const uint32_t* base, uint32_t count)
{
    tact_vec3* p = scratch(2 * (size_t)count * sizeof *p);
    uint32_t* t = scratch(3 * (size_t)(4 * count - 4) * sizeof *t);
    size_t used = 0;
    for (uint32_t i = 0; i < 2 * count; ++i) {
        const double x = (double)corners[i % count].x, y = (double)corners[i % count].y, z = i < count ? -0.7 : 0.9;
        // An orthogonal matrix of ninths.
        p[i] = (tact_vec3){(float)((x * 8 + y * 1 + z * 4) / 9 + 0.3), (float)((x * -4 + y * 4 + z * 7) / 9 - 0.2),
                           (float)((x * 1 + y * 8 - z * 4) / -9 + 0.1)};
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t next = (i + 1) % count, sides[6] = {i, next, next + count, i, next + count, i + count};
        memcpy(t + used, sides, sizeof sides);
        used += 6;
    }
    for (uint32_t i = 0; i + 2 < count; ++i) {
        const uint32_t* b = base + 3 * i;
        const uint32_t both[6] = {b[0], b[2], b[1], b[0] + count, b[1] + count, b[2] + count};
        memcpy(t + used, both, sizeof both);
        used += 6;
    }
    return (tact_mesh_view){p, 2 * (size_t)count, t, used / 3};
}

TEST(turned_shapes_fall_into_exact_parts)
{
    test_random r = {8};
    static const tact_vec2 cross[12] = {{1, -3}, {1, -1}, {3, -1}, {3, 1},   {1, 1},   {1, 3},
                                        {-1, 3}, {-1, 1}, {-3, 1}, {-3, -1}, {-1, -1}, {-1, -3}};
    static const uint32_t of_cross[30] = {0, 1, 10, 0, 10, 11, 1, 2, 3,  1, 3, 4, 4, 5, 6,
                                          4, 6, 7,  7, 8,  9,  7, 9, 10, 1, 4, 7, 1, 7, 10};
    const tact_mesh_view view = turned_prism(cross, of_cross, 12);
    const tact_decomposition* d = decompose(&view, 16, 1e-4f);
    print_message("%zu parts, %g of %g\n", d->count, d->hull_volume, d->volume);
    assert_int_equal(d->count, 3);
    assert_true(fabs(d->volume - 32.0) < 1e-4 && fabs(d->hull_volume - 32.0) < 1e-4);
    check(&r, &view, d, 4.0f);
}

TEST(more_parts_have_less_excess)
{
    test_random r = {3};
    const solid ring = solid_torus(40, 16, 1.0f, 0.3f);
    const tact_mesh_view view = solid_view(&ring);
    double last = HUGE_VAL;
    for (uint32_t most = 1; most <= 16; most *= 4) {
        const tact_decomposition* d = decompose(&view, most, 1e-3f);
        assert_true(d->count <= most);
        print_message("%zu parts of %u, %g beyond %g\n", d->count, (unsigned)most, d->hull_volume - d->volume,
                      d->volume);
        assert_true(d->hull_volume < last);
        last = d->hull_volume;
        check(&r, &view, d, 1.3f);
        const tact_decomposition* again = decompose(&view, most, 1e-3f);
        assert_int_equal(again->count, d->count);
        for (size_t i = 0; i < d->count; ++i) {
            assert_int_equal(again->parts[i].vertex_count, d->parts[i].vertex_count);
            assert_memory_equal(again->parts[i].positions, d->parts[i].positions,
                                d->parts[i].vertex_count * sizeof *d->parts[i].positions);
        }
    }
    const double volume = 2.0 * 9.869604401089358 * 0.09;
    assert_true(last < 1.15 * volume);
}

TEST(solids_of_all_kinds)
{
    test_random r = {4};
    for (size_t i = 0; i < effort(6, 200); ++i) {
        cubes c;
        cubes_build(&c, &r, 1.0f);
        for (int v = 0; v < 64; ++v)
            c.vertices[v] = (tact_vec3){c.vertices[v].x - 1.5f, c.vertices[v].y - 1.5f, c.vertices[v].z - 1.5f};
        const tact_mesh_view view = {c.vertices, 64, c.indices, c.count};
        const tact_decomposition* d = decompose(&view, 24, 1e-4f);
        assert_true(d->count <= 24);
        check(&r, &view, d, 1.5f);
        const solid ball = solid_ball(&r, 200, 0.3f, (tact_vec3){0, 0, 0}, 1.0f);
        const tact_mesh_view of_ball = solid_view(&ball);
        check(&r, &of_ball, decompose(&of_ball, 8, 0.02f), 1.3f);
    }
}

/// Meshes as one, the last turned inside out if it is a cavity.
static tact_mesh_view put_together(const solid* boxes, uint32_t count, bool cavity)
{
    tact_vec3* positions = scratch(8 * (size_t)count * sizeof *positions);
    uint32_t* indices = scratch(36 * (size_t)count * sizeof *indices);
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(positions + 8 * (size_t)i, boxes[i].positions, 8 * sizeof *positions);
        for (uint32_t k = 0; k < 36; ++k) {
            const uint32_t from = cavity && i + 1 == count ? k / 3 * 3 + 2 - k % 3 : k;
            indices[36 * i + k] = boxes[i].indices[from] + 8 * i;
        }
    }
    return (tact_mesh_view){positions, 8 * (size_t)count, indices, 12 * (size_t)count};
}

TEST(parts_may_pass_through_each_other)
{
    test_random r = {5};
    const solid boxes[3] = {solid_box((tact_vec3){-3, -3, -3}, (tact_vec3){-1, 3, 3}),
                            solid_box((tact_vec3){-2, -1, -1}, (tact_vec3){2, 1, 1}),
                            solid_box((tact_vec3){2.5f, -1, -1}, (tact_vec3){3, 1, 1})};
    const tact_mesh_view view = put_together(boxes, 3, false);
    const tact_decomposition* d = decompose(&view, 8, 1e-4f);
    assert_int_equal(d->count, 3);
    assert_true(fabs(d->hull_volume - (72.0 + 16.0 + 2.0)) < 1e-6);
    check(&r, &view, d, 3.0f);
}

TEST(a_cavity_stays_empty)
{
    test_random r = {6};
    const solid boxes[2] = {solid_box((tact_vec3){-3, -3, -3}, (tact_vec3){3, 3, 3}),
                            solid_box((tact_vec3){-2, -2, -2}, (tact_vec3){2, 2, 2})};
    const tact_mesh_view view = put_together(boxes, 2, true);
    const tact_decomposition* d = decompose(&view, 16, 1e-4f);
    assert_true(fabs(d->volume - (216.0 - 64.0)) < 1e-6);
    assert_int_equal(d->count, 6);
    assert_true(fabs(d->hull_volume - d->volume) < 1e-3);
    assert_false(in_parts(d, (tact_vec3){0.1f, 0.2f, 0.3f}));
    check(&r, &view, d, 3.0f);
}

TEST(parts_have_as_few_corners_as_asked_for)
{
    test_random r = {7};
    const solid ball = solid_ball(&r, 2000, 0.0f, (tact_vec3){0, 0, 0}, 1.0f);
    const tact_mesh_view view = solid_view(&ball);
    double last = HUGE_VAL;
    for (uint32_t corners = 8; corners <= 128; corners *= 4) {
        const tact_decompose_settings settings = {.most = 4, .corners = corners};
        tact_decomposition d;
        assert_int_equal(tact_mesh_decompose(&view, &settings, NULL, &d), TACT_OK);
        assert_int_equal(d.count, 1);
        assert_true(d.parts[0].vertex_count <= corners && d.parts[0].vertex_count > corners / 2);
        assert_true(d.hull_volume < last);
        last = d.hull_volume;
        check(&r, &view, &d, 1.3f);
        for (size_t i = 0; i < view.vertex_count; ++i)
            assert_true(in_part(&d.parts[0], view.positions[i]));
        tact_decomposition_free(&d);
    }
}

TEST(without_memory_no_part_is_left)
{
    const solid ring = solid_torus(8, 5, 1.0f, 0.3f);
    const tact_mesh_view view = solid_view(&ring);
    const tact_decompose_settings settings = {.most = 3, .corners = 8, .excess = 0.5f};
    for (size_t fail_at = 1;; fail_at += fail_at < 200 ? 1 : fail_at / 50) {
        counting_allocator counter = {.fail_at = fail_at};
        const tact_allocator hooks = counting_hooks(&counter);
        tact_decomposition d;
        const tact_result result = tact_mesh_decompose(&view, &settings, &hooks, &d);
        if (result == TACT_OK) tact_decomposition_free(&d);
        assert_int_equal(counter.live, 0);
        if (result == TACT_OK) {
            assert_true(fail_at > 200);
            return;
        }
        assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
        assert_true(d.parts == NULL && d.count == 0);
    }
}

static bool stop_at_once(double fraction, void* user)
{
    assert_true(fraction >= 0.0 && fraction <= 1.0);
    ++*(int*)user;
    return false;
}

TEST(what_is_wrong_is_told)
{
    const solid s = solid_box((tact_vec3){-1, -1, -1}, (tact_vec3){1, 1, 1});
    const solid ring = solid_torus(20, 8, 1.0f, 0.3f);
    tact_mesh_view view = solid_view(&s);
    const tact_mesh_view of_ring = solid_view(&ring);
    tact_decomposition d;
    tact_decompose_settings settings = {.excess = NAN};
    assert_int_equal(tact_mesh_decompose(&view, &settings, NULL, &d), TACT_ERROR_INVALID_ARGUMENT);
    settings = (tact_decompose_settings){.most = 1025};
    assert_int_equal(tact_mesh_decompose(&view, &settings, NULL, &d), TACT_ERROR_INVALID_ARGUMENT);
    settings = (tact_decompose_settings){.corners = 7};
    assert_int_equal(tact_mesh_decompose(&view, &settings, NULL, &d), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_last_error(), "at most 7 corners"));
    int calls = 0;
    settings = (tact_decompose_settings){.progress = stop_at_once, .user = &calls};
    assert_int_equal(tact_mesh_decompose(&of_ring, &settings, NULL, &d), TACT_ERROR_CANCELLED);
    assert_int_equal(calls, 1);
    assert_null(d.parts);
    --view.triangle_count;
    assert_int_equal(tact_mesh_decompose(&view, NULL, NULL, &d), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_last_error(), "mesh given is open: 3 of its edges"));
    view.triangle_count = 0;
    assert_int_equal(tact_mesh_decompose(&view, NULL, NULL, &d), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_last_error(), "encloses no volume"));
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
