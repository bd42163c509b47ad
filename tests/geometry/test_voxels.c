// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Grids of cells: rays against an oracle in whole numbers, that looks at every cell by itself; cells that points,
// triangles and solids reach, against looking at all.

#include "tests/support/run.h"

#include "tact/geometry/aabb.h"
#include "tact/geometry/bsp.h"
#include "tact/geometry/overlap.h"
#include "tact/geometry/voxels.h"
#include "tests/geometry/boxes.h"
#include "tests/geometry/solids.h"
#include "tests/geometry/vectors.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"

// ---- The oracle ----

// Coordinates and t are whole numbers of 1/64, so that o + t d is one of 1/4096 and every comparison below fits 128
// bits. A cell has a point of the ray where an interval of t is not empty, of which each end is open or closed.

__extension__ typedef __int128 whole;

typedef struct fraction {
    whole top, bottom;  ///< bottom > 0
} fraction;

static int compare_fractions(fraction a, fraction b)
{
    const whole x = a.top * b.bottom, y = b.top * a.bottom;
    return (x > y) - (x < y);
}

static whole units(float x)
{
    const double u = (double)x * 64.0;
    assert_true(u == floor(u) && fabs(u) < 1e9);
    return (whole)(int64_t)u;
}

typedef struct ray_in_units {
    whole o[3], d[3];
    bool begins, ends;
    fraction from, to;
} ray_in_units;

static ray_in_units in_units(const tact_ray* r)
{
    ray_in_units u = {{units(r->ox), units(r->oy), units(r->oz)},
                      {units(r->dx), units(r->dy), units(r->dz)},
                      r->tmin > -INFINITY,
                      r->tmax < INFINITY,
                      {0, 1},
                      {0, 1}};
    if (u.begins) u.from = (fraction){units(r->tmin), 64};
    if (u.ends) u.to = (fraction){units(r->tmax), 64};
    return u;
}

/// Whether a cell has a point of the ray, by lower <= o + t d < upper for each axis; `first` receives the least t, or
/// the limit that it is above.
static bool has_point(const tact_voxel_grid* g, const ray_in_units* r, tact_voxel c, bool* bounded, fraction* first,
                      bool* open)
{
    const uint32_t at[3] = {c.x, c.y, c.z};
    const float* origin = &g->origin.x;
    bool low = r->begins, high = r->ends, low_open = false, high_open = false;
    fraction from = r->from, to = r->to;
    for (int k = 0; k < 3; ++k) {
        const whole lower = units(origin[k]) + at[k] * units(g->size), upper = lower + units(g->size);
        if (r->d[k] == 0) {
            if (!(lower <= r->o[k] && r->o[k] < upper)) return false;
            continue;
        }
        const bool up = r->d[k] > 0;
        const whole d = up ? r->d[k] : -r->d[k];
        const fraction in = {up ? lower - r->o[k] : r->o[k] - upper, d};
        const fraction out = {up ? upper - r->o[k] : r->o[k] - lower, d};
        const int later = low ? compare_fractions(in, from) : 1, earlier = high ? compare_fractions(out, to) : -1;
        // Going up the lower side is part of the cell, and the upper one is not; going down the other way about.
        if (later > 0 || (later == 0 && !up)) low_open = !up;
        if (later > 0) from = in;
        if (earlier < 0 || (earlier == 0 && up)) high_open = up;
        if (earlier < 0) to = out;
        low = high = true;
    }
    *bounded = low;
    *first = from;
    *open = low_open;
    if (!low || !high) return true;
    const int order = compare_fractions(from, to);
    return order < 0 || (order == 0 && !low_open && !high_open);
}

typedef struct found_cell {
    tact_voxel cell;
    fraction first;
    bool open;
} found_cell;

static int by_first(const void* a, const void* b)
{
    const found_cell *x = a, *y = b;
    const int order = compare_fractions(x->first, y->first);
    return order ? order : x->open - y->open;
}

static bool same_cell(tact_voxel a, tact_voxel b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static size_t look_at_all(const tact_voxel_grid* g, const tact_ray* ray, found_cell* found)
{
    const ray_in_units r = in_units(ray);
    size_t count = 0;
    for (uint32_t z = 0; z < g->count[2]; ++z) {
        for (uint32_t y = 0; y < g->count[1]; ++y) {
            for (uint32_t x = 0; x < g->count[0]; ++x) {
                found_cell f = {.cell = {x, y, z}};
                bool bounded;
                if (has_point(g, &r, f.cell, &bounded, &f.first, &f.open)) found[count++] = f;
            }
        }
    }
    qsort(found, count, sizeof *found, by_first);
    return count;
}

static float whole_number(test_random* r, int range)
{
    return (float)((int)test_random_below(r, (uint32_t)(2 * range + 1)) - range);
}

/// Many meet faces, edges and corners, lie in faces, or end in them.
static tact_ray odd_ray(test_random* r, const tact_voxel_grid* g)
{
    const uint32_t kind = test_random_below(r, 8);
    const float fine = kind < 3 ? g->size : kind < 5 ? 0.25f : 1.0f / 64.0f;
    const int range = (int)(6.0f / fine);
    tact_ray ray = {
        .ox = fine * whole_number(r, range), .oy = fine * whole_number(r, range), .oz = fine * whole_number(r, range)};
    float* const d = &ray.dx;
    for (int k = 0; k < 3; ++k)
        d[k] = test_random_below(r, 4) ? fine * whole_number(r, kind % 2 ? range : 2) : 0.0f;
    // Towards a corner of a cell, or as far off it as the ray's origin is.
    const float* const o = &ray.ox;
    const float* const origin = &g->origin.x;
    for (int k = 0; k < 3 && test_random_below(r, 4); ++k)
        if (d[k] != 0.0f || kind < 2) d[k] = origin[k] + g->size * (float)test_random_below(r, g->count[k]) - o[k];
    ray.tmin = test_random_below(r, 4) ? 0.0f : test_random_below(r, 2) ? 0.25f * whole_number(r, 8) : -INFINITY;
    ray.tmax = test_random_below(r, 2) ? INFINITY : fmaxf(ray.tmin, 0.0f) + fabsf(0.25f * whole_number(r, 16));
    return ray;
}

TEST(rays_pass_the_cells_that_have_their_points)
{
    test_random r = test_random_seeded(921);
    found_cell* expected = scratch(1000 * sizeof *expected);
    tact_voxel* cells = scratch(1000 * sizeof *cells);
    size_t shared = 0, hits = 0;
    const size_t trials = effort(6000, 100000);
    for (size_t trial = 0; trial < trials; ++trial) {
        const float size = (float)(1 + test_random_below(&r, 3)) * 0.5f;
        const tact_voxel_grid g = {
            {size * whole_number(&r, 4), 0.25f * whole_number(&r, 16), 0.25f * whole_number(&r, 16)},
            size,
            {1 + test_random_below(&r, 10), 1 + test_random_below(&r, 10), 1 + test_random_below(&r, 10)}};
        const tact_ray ray = odd_ray(&r, &g);
        const size_t count = look_at_all(&g, &ray, expected);
        const size_t got = tact_voxel_cells_on_ray(&g, &ray, cells, 1000);
        if (got != count) fail_msg("trial %zu: %zu of %zu cells", trial, got, count);
        for (size_t i = 0; i < count; ++i) {
            if (!same_cell(cells[i], expected[i].cell)) fail_msg("trial %zu: cell %zu", trial, i);
            shared +=
                i > 0 && expected[i].cell.x != expected[i - 1].cell.x && expected[i].cell.y != expected[i - 1].cell.y;
        }
        hits += count > 1;
        // The list is cut short, but never the count.
        tact_voxel few[2] = {{77, 77, 77}, {77, 77, 77}};
        assert_int_equal(tact_voxel_cells_on_ray(&g, &ray, few, 1), count);
        assert_int_equal(few[1].x, 77);
    }
    assert_true(shared > trials / 50 && hits > trials / 5);
}

TEST(the_first_full_cell_is_that_of_all_cells)
{
    test_random r = test_random_seeded(922);
    tact_voxel* cells = scratch(1000 * sizeof *cells);
    size_t hits = 0;
    for (int trial = 0; trial < 60; ++trial) {
        const tact_voxel_grid g = {{-6, -5, -7}, 0.5f, {27, 22, 30}};
        tact_voxels* v = NULL;
        assert_int_equal(tact_voxels_create(&g, (tact_voxel_storage)(trial % 2), NULL, &v), TACT_OK);
        for (int i = 0; i < 8 << trial % 9; ++i) {
            const tact_voxel c = {test_random_below(&r, 27), test_random_below(&r, 22), test_random_below(&r, 30)};
            assert_int_equal(tact_voxels_set(v, c, true), TACT_OK);
        }
        for (size_t k = 0; k < effort(400, 4000); ++k) {
            const tact_ray ray = odd_ray(&r, &g);
            const tact_voxel_hit hit = tact_voxels_ray(v, &ray);
            const size_t count = tact_voxel_cells_on_ray(&g, &ray, cells, 1000);
            size_t i = 0;
            while (i < count && !tact_voxels_get(v, cells[i]))
                ++i;
            assert_int_equal(hit.hit, i < count);
            if (!hit.hit) continue;
            ++hits;
            assert_true(same_cell(hit.cell, cells[i]));
            assert_int_equal(hit.axis < 0, hit.t == ray.tmin && hit.axis == -1);
            const tact_aabb box = tact_voxel_box(&g, hit.cell);
            const float* low = &box.lower.x;
            const float* high = &box.upper.x;
            const float o[3] = {ray.ox, ray.oy, ray.oz}, d[3] = {ray.dx, ray.dy, ray.dz};
            for (int a = 0; a < 3 && hit.t > -INFINITY; ++a) {
                const double at = (double)o[a] + (double)hit.t * (double)d[a];
                assert_true(at >= (double)low[a] - 1e-5 && at <= (double)high[a] + 1e-5);
                if (a == hit.axis) assert_true(fabs(at - (double)(d[a] > 0.0f ? low[a] : high[a])) < 1e-5);
            }
        }
        tact_voxels_destroy(v);
    }
    assert_true(hits > 1000);
}

typedef struct last_t {
    float t;
    size_t count;
} last_t;

static bool is_later(tact_voxel cell, float t, void* user)
{
    last_t* l = user;
    (void)cell;
    assert_true(t >= l->t);
    l->t = t;
    return ++l->count < 5;
}

TEST(t_grows_and_a_caller_ends_a_walk)
{
    test_random r = test_random_seeded(923);
    const tact_voxel_grid g = {{-6, -5, -7}, 0.5f, {27, 22, 30}};
    for (int i = 0; i < 1000; ++i) {
        const tact_ray ray = odd_ray(&r, &g);
        last_t last = {.t = -INFINITY};
        const size_t count = tact_voxel_cells_on_ray(&g, &ray, NULL, 0);
        assert_int_equal(tact_voxel_each_on_ray(&g, &ray, is_later, &last), count < 5);
        assert_int_equal(last.count, count < 5 ? count : 5);
    }
}

/// Rays of any numbers: each cell that is passed has the ray's point in double precision, nearly.
TEST(rays_of_any_length_and_place_end)
{
    test_random r = test_random_seeded(924);
    tact_voxel_grid g;
    assert_true(tact_voxel_grid_fit((tact_aabb){{-1, -1, -1}, {1, 1, 1}}, 300, &g));
    tact_voxel* cells = scratch(2000 * sizeof *cells);
    for (int i = 0; i < 20000; ++i) {
        tact_ray ray = {test_random_any(&r), test_random_any(&r), test_random_any(&r), 0.0f,
                        test_random_any(&r), test_random_any(&r), test_random_any(&r), INFINITY};
        if (i % 2) {
            // Towards the grid from far away.
            const float far = ldexpf(1.0f, (int)test_random_below(&r, 100));
            const tact_vec3 from = test_vec3(&r, far);
            ray = (tact_ray){from.x, from.y, from.z, 0.0f, -from.x, -from.y, -from.z, INFINITY};
        }
        const size_t count = tact_voxel_cells_on_ray(&g, &ray, cells, 2000);
        assert_true(count <= 3 * 303 * 2);
        if (i % 2 && fabsf(ray.ox) > 1.0f) assert_true(count > 0);
        for (size_t k = 1; k < count; ++k) {
            const int step[3] = {(int)cells[k].x - (int)cells[k - 1].x, (int)cells[k].y - (int)cells[k - 1].y,
                                 (int)cells[k].z - (int)cells[k - 1].z};
            assert_true(abs(step[0]) <= 1 && abs(step[1]) <= 1 && abs(step[2]) <= 1);
            assert_true((float)step[0] * ray.dx >= 0.0f && (float)step[1] * ray.dy >= 0.0f &&
                        (float)step[2] * ray.dz >= 0.0f);
        }
    }
}

// ---- Grids ----

TEST(fitted_grids_hold_their_box_and_have_exact_faces)
{
    test_random r = test_random_seeded(925);
    size_t fitted = 0;
    for (int i = 0; i < 5000; ++i) {
        const float scale = ldexpf(1.0f, (int)test_random_below(&r, 60) - 30);
        const tact_vec3 a = test_vec3(&r, scale), size = test_vec3(&r, scale);
        const tact_aabb box = {a, {a.x + fabsf(size.x), a.y + fabsf(size.y), a.z + fabsf(size.z)}};
        const uint32_t cells = 1 + test_random_below(&r, i % 3 ? 500 : 100000);
        tact_voxel_grid g;
        if (!tact_voxel_grid_fit(box, cells, &g)) continue;
        ++fitted;
        assert_true(tact_voxel_grid_is_valid(&g));
        tact_voxel c;
        assert_true(tact_voxel_at(&g, box.lower, &c) && tact_voxel_at(&g, box.upper, &c));
        assert_true(g.count[0] <= cells + 2 && g.count[1] <= cells + 2 && g.count[2] <= cells + 2);
        for (int k = 0; k < 20; ++k) {
            const tact_voxel at = {test_random_below(&r, g.count[0]), test_random_below(&r, g.count[1]),
                                   test_random_below(&r, g.count[2])};
            const tact_aabb b = tact_voxel_box(&g, at);
            assert_true((double)b.lower.x == (double)g.origin.x + at.x * (double)g.size);
            assert_true((double)b.upper.y == (double)g.origin.y + (at.y + 1.0) * (double)g.size);
            assert_true(tact_voxel_at(&g, b.lower, &c) && same_cell(c, at));
            assert_true(!tact_voxel_at(&g, b.upper, &c) || (c.x == at.x + 1 && c.y == at.y + 1 && c.z == at.z + 1));
        }
    }
    assert_true(fitted > 4500);
    tact_voxel_grid g = {{0, 0, 0}, 0.1f, {5, 5, 5}};
    tact_voxel c;
    assert_false(tact_voxel_grid_is_valid(&g));
    assert_false(tact_voxel_at(&g, v3(0, 0, 0), &c));
    g.size = 0.125f;
    assert_true(tact_voxel_grid_is_valid(&g));
    assert_false(tact_voxel_at(&g, v3(NAN, 0, 0), &c));
    assert_false(tact_voxel_at(&g, v3(0.625f, 0, 0), &c));
    assert_true(tact_voxel_at(&g, v3(0.62f, 0, 0), &c) && c.x == 4);
    g.count[1] = 0;
    assert_false(tact_voxel_grid_is_valid(&g));
    g = (tact_voxel_grid){{1e9f, 0, 0}, 1.0f, {5, 5, 5}};
    assert_false(tact_voxel_grid_is_valid(&g));
    assert_false(tact_voxel_grid_fit((tact_aabb){{1e9f, 0, 0}, {1e9f, 1, 1}}, 100, &g));
    assert_false(tact_voxel_grid_fit(tact_aabb_empty(), 100, &g));
    assert_true(tact_voxel_grid_fit((tact_aabb){{3, 3, 3}, {3, 3, 3}}, 0, &g) && g.count[0] == 1);
    // Numbers from 1 on are 2^-23 apart: cells of half of that are twice as large, smaller ones are refused.
    const float end = 1.0f + 0x1p-20f;
    const tact_aabb small = {{1, 1, 1}, {end, end, end}};
    assert_true(tact_voxel_grid_fit(small, 16, &g) && g.size == 0x1p-23f);
    assert_false(tact_voxel_grid_fit(small, 20, &g));
}

// ---- Filling ----

static void destroy_voxels(void* v)
{
    tact_voxels_destroy(v);
}

static tact_voxels* voxels_of(const tact_voxel_grid* g, tact_voxel_storage storage)
{
    tact_voxels* v = NULL;
    assert_int_equal(tact_voxels_create(g, storage, NULL, &v), TACT_OK);
    at_end(destroy_voxels, v);
    return v;
}

TEST(points_fill_the_cells_they_belong_to)
{
    test_random r = test_random_seeded(926);
    const tact_voxel_grid g = {{-2, -2, -2}, 0.25f, {16, 17, 9}};
    tact_vec3 points[500];
    uint8_t* full = scratch_zeroed(16 * 17 * 9, 1);
    for (int i = 0; i < 500; ++i) {
        points[i] = test_vec3(&r, 3.0f);
        if (i % 3 == 0) points[i].y = 0.25f * floorf(4.0f * points[i].y);
        if (i % 50 == 0) points[i].x = NAN;
        const double x = floor(((double)points[i].x + 2.0) * 4.0), y = floor(((double)points[i].y + 2.0) * 4.0),
                     z = floor(((double)points[i].z + 2.0) * 4.0);
        if (x >= 0 && x < 16 && y >= 0 && y < 17 && z >= 0 && z < 9) full[(int)x + 16 * ((int)y + 17 * (int)z)] = 1;
    }
    for (int storage = 0; storage < 2; ++storage) {
        tact_voxels* v = voxels_of(&g, (tact_voxel_storage)storage);
        assert_int_equal(tact_voxels_fill_points(v, points, 500), TACT_OK);
        uint64_t count = 0;
        for (uint32_t i = 0; i < 16 * 17 * 9; ++i) {
            assert_int_equal(tact_voxels_get(v, (tact_voxel){i % 16, i / 16 % 17, i / 272}), full[i]);
            count += full[i];
        }
        assert_int_equal(tact_voxels_get_info(v).full, count);
        for (uint32_t i = 0; i < 16 * 17 * 9; i += 2)
            assert_int_equal(tact_voxels_set(v, (tact_voxel){i % 16, i / 16 % 17, i / 272}, false), TACT_OK);
        for (uint32_t i = 0; i < 16 * 17 * 9; ++i)
            assert_int_equal(tact_voxels_get(v, (tact_voxel){i % 16, i / 16 % 17, i / 272}), i % 2 && full[i]);
        assert_int_equal(tact_voxels_set(v, (tact_voxel){16, 0, 0}, true), TACT_ERROR_INVALID_ARGUMENT);
        assert_false(tact_voxels_get(v, (tact_voxel){0, 0, 9}));
    }
}

TEST(triangles_fill_the_cells_they_reach)
{
    test_random r = test_random_seeded(927);
    const tact_voxel_grid g = {{-2, -2, -2}, 0.25f, {16, 17, 15}};
    for (size_t trial = 0; trial < effort(12, 100); ++trial) {
        tact_vec3 p[30];
        uint32_t n[30];
        const float size = trial % 2 ? 3.0f : 0.5f;
        for (uint32_t i = 0; i < 30; ++i) {
            p[i] = test_vec3(&r, size);
            n[i] = i;
            // On faces, edges and corners of cells.
            if (trial % 3 == 0)
                p[i] = v3(0.25f * floorf(4 * p[i].x), 0.25f * floorf(4 * p[i].y), 0.25f * floorf(4 * p[i].z));
            if (trial % 5 == 0 && i % 3 == 2) p[i] = p[i - 1];
        }
        const tact_mesh_view mesh = {p, 30, n, 10};
        tact_voxels* v[2] = {voxels_of(&g, TACT_VOXELS_DENSE), voxels_of(&g, TACT_VOXELS_SPARSE)};
        for (int s = 0; s < 2; ++s)
            assert_int_equal(tact_voxels_fill_triangles(v[s], &mesh), TACT_OK);
        for (uint32_t i = 0; i < 16 * 17 * 15; ++i) {
            const tact_voxel c = {i % 16, i / 16 % 17, i / 272};
            bool full = false;
            for (int t = 0; t < 10; ++t) {
                const tact_triangle triangle = {p[3 * t], p[3 * t + 1], p[3 * t + 2]};
                full = full || tact_aabb_overlaps_triangle(tact_voxel_box(&g, c), &triangle);
            }
            assert_int_equal(tact_voxels_get(v[0], c), full);
            assert_int_equal(tact_voxels_get(v[1], c), full);
        }
    }
}

TEST(solids_fill_the_cells_they_have_points_in)
{
    const solid shapes[3] = {solid_torus(24, 12, 1.3f, 0.45f), solid_torus(5, 3, 1.0f, 0.7f),
                             solid_box(v3(-1.5f, -1.25f, -0.5f), v3(1.1f, 1.25f, 0.625f))};
    for (int i = 0; i < 3; ++i) {
        const tact_mesh_view mesh = solid_view(&shapes[i]);
        const tact_bsp* tree = solid_tree(&shapes[i], NULL);
        for (int part = 0; part < 2; ++part) {
            // All of it, and a part that ends within it.
            const tact_voxel_grid g = {{-2, -2, -1}, 0.125f, {part ? 17 : 32, 33, part ? 9 : 16}};
            tact_voxels* v = voxels_of(&g, (tact_voxel_storage)(i % 2));
            assert_int_equal(tact_voxels_fill_solid(v, &mesh), TACT_OK);
            size_t full = 0, inner = 0;
            for (uint32_t k = 0; k < g.count[0] * g.count[1] * g.count[2]; ++k) {
                const tact_voxel c = {k % g.count[0], k / g.count[0] % g.count[1], k / g.count[0] / g.count[1]};
                const tact_aabb box = tact_voxel_box(&g, c);
                bool on = false;
                for (size_t t = 0; t < mesh.triangle_count && !on; ++t) {
                    const uint32_t* n = mesh.indices + 3 * t;
                    const tact_triangle triangle = {mesh.positions[n[0]], mesh.positions[n[1]], mesh.positions[n[2]]};
                    on = tact_aabb_overlaps_triangle(box, &triangle);
                }
                const bool in = on || tact_bsp_locate(tree, box.upper) != TACT_BSP_OUTSIDE;
                assert_int_equal(tact_voxels_get(v, c), in);
                full += in;
                inner += in && !on;
            }
            assert_int_equal(tact_voxels_get_info(v).full, full);
            assert_true(inner > 5 || i == 1);
        }
    }
}

/// A ray that hits a triangle also passes a full cell no later: none slips through.
TEST(what_a_ray_hits_is_in_a_full_cell)
{
    test_random r = test_random_seeded(928);
    const solid torus = solid_torus(40, 20, 1.3f, 0.45f);
    const tact_mesh_view mesh = solid_view(&torus);
    const tact_bsp* tree = solid_tree(&torus, NULL);
    tact_voxel_grid g;
    assert_true(tact_voxel_grid_fit(tact_aabb_from_points(mesh.positions, mesh.vertex_count, 0), 100, &g));
    tact_voxels* v = voxels_of(&g, TACT_VOXELS_SPARSE);
    assert_int_equal(tact_voxels_fill_triangles(v, &mesh), TACT_OK);
    size_t hits = 0;
    const size_t tries = effort(3000, 100000);
    for (size_t i = 0; i < tries; ++i) {
        const tact_vec3 from = test_vec3(&r, 3.0f);
        tact_vec3 to = test_vec3(&r, 1.5f);
        if (i % 2) to = mesh.positions[test_random_below(&r, (uint32_t)mesh.vertex_count)];
        const tact_ray ray = {from.x, from.y, from.z, 0.0f, to.x - from.x, to.y - from.y, to.z - from.z, INFINITY};
        if (tact_bsp_locate(tree, from) != TACT_BSP_OUTSIDE) continue;
        const tact_bsp_ray_hit hit = tact_bsp_ray(tree, &ray);
        if (!hit.hit) continue;
        ++hits;
        const tact_voxel_hit cell = tact_voxels_ray(v, &ray);
        assert_true(cell.hit && cell.t <= hit.t * (1.0f + 1e-6f));
    }
    assert_true(hits > tries / 3);
}

TEST(sparse_grids_are_as_large_as_what_is_in_them)
{
    const tact_voxel_grid g = {{0, 0, 0}, 1.0f, {TACT_VOXELS_MOST, TACT_VOXELS_MOST, TACT_VOXELS_MOST}};
    tact_voxels *v = NULL, *none = NULL;
    assert_int_equal(tact_voxels_create(&g, TACT_VOXELS_DENSE, NULL, &none), TACT_ERROR_LIMIT);
    assert_null(none);
    v = voxels_of(&g, TACT_VOXELS_SPARSE);
    test_random r = test_random_seeded(929);
    for (int i = 0; i < 3000; ++i) {
        const tact_voxel c = {test_random_below(&r, TACT_VOXELS_MOST), test_random_below(&r, TACT_VOXELS_MOST),
                              i ? test_random_below(&r, TACT_VOXELS_MOST) : TACT_VOXELS_MOST - 1};
        assert_int_equal(tact_voxels_set(v, c, true), TACT_OK);
        assert_true(tact_voxels_get(v, c));
    }
    const tact_voxels_info info = tact_voxels_get_info(v);
    assert_true(info.full == 3000 && info.blocks > 2990 && info.bytes < 3000 * 300);
    const tact_ray through = {0.5f, 0.5f, 0.5f, 0, 1, 1, 1, INFINITY};
    assert_int_equal(tact_voxels_set(v, (tact_voxel){2000000, 2000000, 2000000}, true), TACT_OK);
    const tact_voxel_hit hit = tact_voxels_ray(v, &through);
    assert_true(hit.hit && hit.cell.x == 2000000 && hit.axis == 0 && hit.t == 1999999.5f);
}

// ---- What is refused ----

TEST(bad_meshes_and_grids_are_refused)
{
    tact_voxel_grid g = {{0, 0, 0}, 0.1f, {4, 4, 4}};
    tact_voxels* v = NULL;
    assert_int_equal(tact_voxels_create(&g, TACT_VOXELS_DENSE, NULL, &v), TACT_ERROR_INVALID_ARGUMENT);
    g.size = 0.5f;
    assert_int_equal(tact_voxels_create(&g, (tact_voxel_storage)2, NULL, &v), TACT_ERROR_INVALID_ARGUMENT);
    v = voxels_of(&g, TACT_VOXELS_SPARSE);
    tact_vec3 p[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t n[3] = {0, 1, 3};
    const tact_mesh_view mesh = {p, 3, n, 1};
    assert_int_equal(tact_voxels_fill_triangles(v, &mesh), TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_last_error(), "triangle 0 has a vertex that is not there or not finite");
    n[2] = 2;
    p[1].z = NAN;
    assert_int_equal(tact_voxels_fill_triangles(v, &mesh), TACT_ERROR_INVALID_ARGUMENT);
    p[1].z = 0;
    // A triangle encloses nothing.
    assert_int_equal(tact_voxels_fill_solid(v, &mesh), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_voxels_get_info(v).full, 0);
    assert_int_equal(tact_voxels_fill_triangles(v, &mesh), TACT_OK);
    assert_true(tact_voxels_get_info(v).full > 0);
    const tact_ray bad[] = {{NAN, 0, 0, 0, 1, 0, 0, 1},
                            {0, 0, 0, 0, INFINITY, 0, 0, 1},
                            {0, 0, 0, 1, 1, 0, 0, 0},
                            {0, 0, 0, NAN, 1, 0, 0, 1}};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(tact_voxel_cells_on_ray(&g, &bad[i], NULL, 0), 0);
        assert_false(tact_voxels_ray(v, &bad[i]).hit);
    }
    const tact_ray point = {0.25f, 0.25f, 0, 0, 0, 0, 0, 1};
    const tact_voxel_hit hit = tact_voxels_ray(v, &point);
    assert_true(hit.hit && hit.axis == -1 && hit.t == 0.0f);
    tact_voxels_destroy(NULL);
    assert_int_equal(tact_voxels_get_info(NULL).blocks, 0);
}

TEST(without_memory_cells_stay_as_they_were)
{
    const solid box = solid_box(v3(-1.5f, -1.25f, -0.5f), v3(1.1f, 1.25f, 0.625f));
    const tact_mesh_view mesh = solid_view(&box);
    const tact_voxel_grid g = {{-2, -2, -1}, 0.125f, {32, 33, 16}};
    for (size_t fail_at = 1, done = 0; !done; ++fail_at) {
        counting_allocator counter = {.fail_at = fail_at};
        const tact_allocator hooks = counting_hooks(&counter);
        tact_voxels* v = NULL;
        if (tact_voxels_create(&g, TACT_VOXELS_SPARSE, &hooks, &v) == TACT_OK) {
            const tact_result result = tact_voxels_fill_solid(v, &mesh);
            done = result == TACT_OK;
            if (!done) {
                assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
                assert_int_equal(tact_voxels_get_info(v).full, 0);
            }
        }
        tact_voxels_destroy(v);
        assert_int_equal(counter.live, 0);
        assert_true(!done || fail_at > 20);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
