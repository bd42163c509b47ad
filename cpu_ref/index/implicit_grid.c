// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/implicit_grid.h"

#include <stdlib.h>
#include <string.h>

#include "base/env.h"
#include "cpu_ref/index/id_list.h"
#include "tact/geometry/aabb.h"

enum { USUAL_SLABS = 64 };

struct tact_implicit_grid {
    tact_env env;
    tact_aabb* boxes;
    size_t count, words;  ///< of a row
    uint32_t slabs;
    float* sides;      ///< of each axis: where its slabs begin but for the first, ascending
    uint64_t* rows;    ///< of each axis: for each slab the boxes that begin in it or before, then those that end in it
                       ///< or after
    size_t row_bytes;  ///< of all rows
};

static float coordinate(tact_vec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

/// The slab that a coordinate is in. Never less for a larger one.
static uint32_t slab_of(const tact_implicit_grid* g, int axis, float x)
{
    const float* sides = g->sides + (size_t)axis * g->slabs;
    uint32_t low = 0, high = g->slabs - 1;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (sides[middle] <= x) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// `which`: 0 for those that begin, 1 for those that end.
static uint64_t* row_of(const tact_implicit_grid* g, int axis, int which, uint32_t slab)
{
    return g->rows + (((size_t)axis * 2 + (size_t)which) * g->slabs + slab) * g->words;
}

static int by_value(const void* a, const void* b)
{
    const float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

static void make_sides(tact_implicit_grid* g, int axis, float* sorted)
{
    float* sides = g->sides + (size_t)axis * g->slabs;
    for (size_t i = 0; i < g->count; ++i)
        sorted[i] = coordinate(g->boxes[i].lower, axis);
    qsort(sorted, g->count, sizeof *sorted, by_value);
    for (uint32_t s = 0; s + 1 < g->slabs; ++s)
        sides[s] = g->count ? sorted[(size_t)((uint64_t)(s + 1) * g->count / g->slabs)] : 0.0f;
}

static void make_rows(tact_implicit_grid* g, int axis)
{
    for (size_t i = 0; i < g->count; ++i) {
        const uint64_t bit = (uint64_t)1 << i % 64;
        row_of(g, axis, 0, slab_of(g, axis, coordinate(g->boxes[i].lower, axis)))[i / 64] |= bit;
        row_of(g, axis, 1, slab_of(g, axis, coordinate(g->boxes[i].upper, axis)))[i / 64] |= bit;
    }
    for (uint32_t s = 1; s < g->slabs; ++s) {
        uint64_t *begin = row_of(g, axis, 0, s), *end = row_of(g, axis, 1, g->slabs - 1 - s);
        const uint64_t *before = row_of(g, axis, 0, s - 1), *after = row_of(g, axis, 1, g->slabs - s);
        for (size_t w = 0; w < g->words; ++w) {
            begin[w] |= before[w];
            end[w] |= after[w];
        }
    }
}

static bool fill(tact_implicit_grid* g, const tact_aabb* boxes)
{
    size_t rows = 0;
    float* sorted = tact_allocate(&g->env, g->count, sizeof *sorted);
    g->boxes = tact_allocate(&g->env, g->count, sizeof *g->boxes);
    g->sides = tact_allocate_zeroed(&g->env, (size_t)3 * g->slabs, sizeof *g->sides);
    const bool fits = tact_multiply_sizes((size_t)6 * g->slabs, g->words, &rows);
    g->rows = fits ? tact_allocate_zeroed(&g->env, rows, sizeof *g->rows) : NULL;
    g->row_bytes = rows * sizeof *g->rows;
    const bool good = sorted && g->boxes && g->sides && g->rows;
    if (good && g->count) memcpy(g->boxes, boxes, g->count * sizeof *boxes);
    for (int axis = 0; axis < 3 && good; ++axis) {
        make_sides(g, axis, sorted);
        make_rows(g, axis);
    }
    tact_release(&g->env, sorted);
    return good;
}

tact_result tact_implicit_grid_create(const tact_aabb* boxes, size_t count, uint32_t slabs,
                                      const tact_allocator* allocator, tact_implicit_grid** grid)
{
    tact_env env;
    tact_error_begin(NULL);
    if (!grid) return tact_null(NULL, "grid");
    *grid = NULL;
    if (!boxes && count) return tact_null(NULL, "boxes");
    if (slabs > TACT_IMPLICIT_GRID_SLABS)
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "%u slabs are more than %d", (unsigned)slabs,
                         TACT_IMPLICIT_GRID_SLABS);
    if (count > 0x7fffffffu) return tact_fail(NULL, TACT_ERROR_LIMIT, "%zu boxes are 2^31 or more", count);
    for (size_t i = 0; i < count; ++i)
        if (tact_aabb_is_empty(boxes[i]))
            return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "boxes[%zu] is empty or has a NaN", i);
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_implicit_grid* g = tact_allocate_zeroed(&env, 1, sizeof *g);
    if (!g) return TACT_ERROR_OUT_OF_MEMORY;
    tact_env_init(&g->env, allocator, NULL, NULL, NULL, NULL);
    g->count = count;
    g->words = (count + 63) / 64;
    g->slabs = slabs ? slabs : USUAL_SLABS;
    if (!fill(g, boxes)) {
        tact_implicit_grid_destroy(g);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    *grid = g;
    return TACT_OK;
}

void tact_implicit_grid_destroy(tact_implicit_grid* grid)
{
    if (!grid) return;
    const tact_allocator allocator = grid->env.allocator;
    tact_release(&grid->env, grid->boxes);
    tact_release(&grid->env, grid->sides);
    tact_release(&grid->env, grid->rows);
    allocator.release(grid, allocator.user);
}

size_t tact_implicit_grid_bytes(const tact_implicit_grid* grid)
{
    if (!grid) return 0;
    return sizeof *grid + grid->count * sizeof *grid->boxes + (size_t)3 * grid->slabs * sizeof *grid->sides +
           grid->row_bytes;
}

bool tact_implicit_grid_each_in_box(const tact_implicit_grid* grid, tact_aabb box, tact_volume_fn* found, void* user)
{
    const uint64_t* rows[6];
    if (tact_aabb_is_empty(box)) return true;
    for (int axis = 0; axis < 3; ++axis) {
        rows[2 * axis] = row_of(grid, axis, 0, slab_of(grid, axis, coordinate(box.upper, axis)));
        rows[2 * axis + 1] = row_of(grid, axis, 1, slab_of(grid, axis, coordinate(box.lower, axis)));
    }
    for (size_t w = 0; w < grid->words; ++w) {
        uint64_t left = rows[0][w] & rows[1][w] & rows[2][w] & rows[3][w] & rows[4][w] & rows[5][w];
        for (; left; left &= left - 1) {
            const uint32_t id = (uint32_t)(64 * w) + tact_lowest_bit_64(left);
            if (tact_aabb_overlaps_aabb(box, grid->boxes[id]) && !found(id, user)) return false;
        }
    }
    return true;
}

size_t tact_implicit_grid_in_box(const tact_implicit_grid* grid, tact_aabb box, uint32_t* ids, size_t capacity)
{
    tact_id_list list = {.ids = ids, .capacity = capacity};
    tact_implicit_grid_each_in_box(grid, box, tact_list_id, &list);
    return (size_t)list.count;
}
