// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Locational codes, and linear octrees of points.

#include "tact/geometry/octree.h"

#include <string.h>

#include "base/compiler.h"
#include "cpu_ref/blocks.h"
#include "cpu_ref/geometry/vec.h"
#include "cpu_ref/index/voxel_walk.h"
#include "kernels/morton.h"
#include "tact/geometry/aabb.h"

enum {
    USUAL_LEVELS = 10,
    USUAL_POINTS = 16,
    MOST_LEVELS = 20,
    STACK = 7 * TACT_OCTREE_LEVELS + 8,  ///< cells that wait: seven beside each on the way down
};

// ---- Codes ----

uint32_t tact_octree_code_level(uint64_t code)
{
    const uint32_t width = tact_bit_width(code);
    return width % 3 == 1 ? width / 3 : UINT32_MAX;
}

uint64_t tact_octree_code(uint32_t level, tact_voxel cell)
{
    if (level > TACT_OCTREE_LEVELS || (cell.x | cell.y | cell.z) >> level) return 0;
    const uint64_t low = tact_morton_63_low(cell.x, cell.y, cell.z), high = tact_morton_63_high(cell.x, cell.y, cell.z);
    return (uint64_t)1 << 3 * level | high << 32 | low;
}

/// Every third bit of a code, from the lowest on.
static uint32_t gather(uint64_t bits)
{
    uint32_t number = 0;
    for (uint32_t i = 0; bits; ++i, bits >>= 3)
        number |= (uint32_t)(bits & 1) << i;
    return number;
}

tact_voxel tact_octree_code_cell(uint64_t code)
{
    const uint32_t level = tact_octree_code_level(code);
    if (level == UINT32_MAX) return (tact_voxel){0, 0, 0};
    const uint64_t bits = code ^ (uint64_t)1 << 3 * level;
    return (tact_voxel){gather(bits >> 2), gather(bits >> 1), gather(bits)};
}

uint64_t tact_octree_code_parent(uint64_t code)
{
    return tact_octree_code_level(code) == UINT32_MAX ? 0 : code >> 3;
}

uint64_t tact_octree_code_child(uint64_t code, uint32_t which)
{
    const uint32_t level = tact_octree_code_level(code);
    return level >= TACT_OCTREE_LEVELS || which > 7 ? 0 : code << 3 | which;
}

uint64_t tact_octree_code_neighbour(uint64_t code, int32_t x, int32_t y, int32_t z)
{
    const uint32_t level = tact_octree_code_level(code);
    if (level == UINT32_MAX) return 0;
    const tact_voxel c = tact_octree_code_cell(code);
    const int64_t at[3] = {(int64_t)c.x + x, (int64_t)c.y + y, (int64_t)c.z + z}, end = (int64_t)1 << level;
    for (int k = 0; k < 3; ++k)
        if (at[k] < 0 || at[k] >= end) return 0;
    return tact_octree_code(level, (tact_voxel){(uint32_t)at[0], (uint32_t)at[1], (uint32_t)at[2]});
}

bool tact_octree_code_holds(uint64_t outer, uint64_t inner)
{
    const uint32_t a = tact_octree_code_level(outer), b = tact_octree_code_level(inner);
    return a != UINT32_MAX && b != UINT32_MAX && a <= b && inner >> 3 * (b - a) == outer;
}

// ---- Linear octrees ----

typedef struct making {
    tact_env env;
    tact_octree* tree;
    uint32_t* codes;  ///< of the points' cells at the lowest level without the leading 1, two words each, sorted
    uint32_t leaf_points;
    size_t leaf_capacity, first_capacity;
} making;

static uint64_t code_at(const making* m, size_t i)
{
    return (uint64_t)m->codes[2 * i + 1] << 32 | m->codes[2 * i];
}

static bool add_leaf(making* m, uint64_t code, uint32_t first)
{
    tact_octree* t = m->tree;
    void *codes = t->codes, *firsts = t->first;
    bool good =
        tact_reserve(&m->env, &codes, &m->leaf_capacity, t->leaf_count, (size_t)t->leaf_count + 1, sizeof *t->codes);
    t->codes = codes;
    good = good && tact_reserve(&m->env, &firsts, &m->first_capacity, t->leaf_count, (size_t)t->leaf_count + 2,
                                sizeof *t->first);
    t->first = firsts;
    if (!good) return false;
    t->codes[t->leaf_count] = code;
    t->first[t->leaf_count++] = first;
    t->first[t->leaf_count] = t->point_count;
    return true;
}

/// The first of the points from `begin` to `end` whose cell comes at or after `code`.
static uint32_t first_from(const making* m, uint32_t begin, uint32_t end, uint64_t code)
{
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (code_at(m, middle) < code) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

/// Divides cells with too many points. They are taken in order, so that the leaves are sorted.
static bool divide(making* m)
{
    typedef struct part {
        uint64_t code;
        uint32_t begin, end, level;
    } part;
    part stack[STACK];
    uint32_t depth = 0;
    const uint32_t levels = m->tree->levels;
    if (m->tree->point_count > 0) stack[depth++] = (part){1, 0, m->tree->point_count, 0};
    while (depth > 0) {
        const part p = stack[--depth];
        if (p.end - p.begin <= m->leaf_points || p.level == levels) {
            if (!add_leaf(m, p.code, p.begin)) return false;
            continue;
        }
        uint32_t end = p.end;
        for (uint32_t i = 8; i-- > 0;) {
            const uint64_t code = p.code << 3 | i;
            const uint32_t below = 3 * (levels - p.level - 1);
            const uint32_t begin = first_from(m, p.begin, end, (code ^ (uint64_t)1 << 3 * (p.level + 1)) << below);
            TACT_ASSERT(depth < STACK);
            if (begin < end) stack[depth++] = (part){code, begin, end, p.level + 1};
            end = begin;
        }
    }
    return true;
}

static tact_result sort_points(making* m, const tact_vec3* points, size_t count)
{
    tact_octree* t = m->tree;
    m->codes = tact_allocate(&m->env, count, 2 * sizeof *m->codes);
    t->points = tact_allocate(&m->env, count, sizeof *t->points);
    if (!m->codes || !t->points) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i) {
        tact_voxel c = {0, 0, 0};
        const bool in = tact_voxel_of_point(&t->grid, points[i], &c);
        TACT_ASSERT(in);
        (void)in;
        m->codes[2 * i] = tact_morton_63_low(c.x, c.y, c.z);
        m->codes[2 * i + 1] = tact_morton_63_high(c.x, c.y, c.z);
    }
    t->point_count = (uint32_t)count;
    const tact_sort_cpu_job job = {.keys_in = m->codes,
                                   .keys_out = m->codes,
                                   .values_out = t->points,
                                   .count = count,
                                   .key_words = 2,
                                   .key_bits = 3 * t->levels};
    return tact_sort_cpu(&m->env, 1, &job);
}

/// A grid whose sides have a power of two of cells, around the points. False: there is none.
static bool fit_grid(tact_octree* t, const tact_vec3* points, size_t count)
{
    const uint32_t side = 1u << t->levels;
    const tact_aabb box = count ? tact_aabb_from_points(points, count, 0) : (tact_aabb){{0, 0, 0}, {1, 1, 1}};
    if (!tact_voxel_grid_fit(box, side > 2 ? side - 2 : 1, &t->grid)) return false;
    for (int k = 0; k < 3; ++k) {
        // Rounding up has added two cells at most; with few levels cells are made larger until all fit.
        while (t->grid.count[k] > side)
            t->grid =
                (tact_voxel_grid){t->grid.origin,
                                  2.0f * t->grid.size,
                                  {(t->grid.count[0] + 1) / 2, (t->grid.count[1] + 1) / 2, (t->grid.count[2] + 1) / 2}};
    }
    t->grid.count[0] = t->grid.count[1] = t->grid.count[2] = side;
    return tact_voxel_grid_is_valid(&t->grid);
}

tact_result tact_octree_make(const tact_vec3* points, size_t count, const tact_octree_settings* settings,
                             const tact_allocator* allocator, tact_octree* tree)
{
    making m = {.tree = tree, .leaf_points = settings && settings->leaf_points ? settings->leaf_points : USUAL_POINTS};
    tact_error_begin(NULL);
    if (!tree) return tact_null(NULL, "tree");
    tact_env_init(&m.env, allocator, NULL, NULL, NULL, NULL);
    *tree = (tact_octree){.allocator = m.env.allocator};
    tree->levels = settings && settings->levels ? settings->levels : USUAL_LEVELS;
    if (!points && count) return tact_null(NULL, "points");
    if (tree->levels > MOST_LEVELS)
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "%u levels are more than %d", (unsigned)tree->levels,
                         MOST_LEVELS);
    if (count > 0x7fffffffu) return tact_fail(NULL, TACT_ERROR_LIMIT, "%zu points are 2^31 or more", count);
    for (size_t i = 0; i < count; ++i)
        if (!v_finite(points[i])) return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "point %zu is not finite", i);
    if (!fit_grid(tree, points, count))
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "floats do not tell cells apart at level %u",
                         (unsigned)tree->levels);
    tact_result result = sort_points(&m, points, count);
    if (result == TACT_OK && !divide(&m)) result = TACT_ERROR_OUT_OF_MEMORY;
    tact_release(&m.env, m.codes);
    if (result != TACT_OK) tact_octree_free(tree);
    return result;
}

void tact_octree_free(tact_octree* tree)
{
    void* const arrays[] = {tree->codes, tree->first, tree->points};
    for (int i = 0; i < 3; ++i)
        if (arrays[i]) tree->allocator.release(arrays[i], tree->allocator.user);
    memset(tree, 0, sizeof *tree);
}

/// A code as that of its first cell at the lowest level.
static uint64_t first_below(const tact_octree* t, uint64_t code)
{
    return code << 3 * (t->levels - tact_octree_code_level(code));
}

/// How many leaves begin at or before a cell of the lowest level.
static uint32_t leaves_to(const tact_octree* t, uint64_t code)
{
    uint32_t begin = 0, end = t->leaf_count;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (first_below(t, t->codes[middle]) <= code) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

uint32_t tact_octree_leaf_of(const tact_octree* tree, uint64_t code)
{
    const uint32_t level = tact_octree_code_level(code);
    if (level > tree->levels) return TACT_OCTREE_NONE;
    const uint32_t count = leaves_to(tree, first_below(tree, code));
    return count > 0 && tact_octree_code_holds(tree->codes[count - 1], code) ? count - 1 : TACT_OCTREE_NONE;
}

uint32_t tact_octree_find(const tact_octree* tree, tact_vec3 point)
{
    tact_voxel cell;
    if (tree->leaf_count == 0 || !tact_voxel_of_point(&tree->grid, point, &cell)) return TACT_OCTREE_NONE;
    return tact_octree_leaf_of(tree, tact_octree_code(tree->levels, cell));
}

tact_aabb tact_octree_box(const tact_octree* tree, uint64_t code)
{
    const uint32_t side = 1u << (tree->levels - tact_octree_code_level(code));
    const tact_voxel c = tact_octree_code_cell(code);
    const tact_voxel low = {c.x * side, c.y * side, c.z * side},
                     high = {low.x + side - 1, low.y + side - 1, low.z + side - 1};
    return (tact_aabb){tact_voxel_box(&tree->grid, low).lower, tact_voxel_box(&tree->grid, high).upper};
}

bool tact_octree_each_in_box(const tact_octree* tree, tact_aabb box, tact_volume_fn* found, void* user)
{
    typedef struct part {
        uint64_t code;
        uint32_t begin, end;  ///< leaves
    } part;
    part stack[STACK];
    uint32_t depth = 0;
    if (tree->leaf_count > 0) stack[depth++] = (part){1, 0, tree->leaf_count};
    while (depth > 0) {
        const part p = stack[--depth];
        if (!tact_aabb_overlaps_aabb(box, tact_octree_box(tree, p.code))) continue;
        if (tree->codes[p.begin] == p.code) {
            if (!found(p.begin, user)) return false;
            continue;
        }
        uint32_t end = p.end;
        for (uint32_t i = 8; i-- > 0;) {
            const uint64_t code = p.code << 3 | i, first = first_below(tree, code);
            const uint32_t begin = first == 0 ? 0 : leaves_to(tree, first - 1);
            TACT_ASSERT(depth < STACK && begin >= p.begin);
            if (begin < end) stack[depth++] = (part){code, begin, end};
            end = begin < end ? begin : end;
        }
    }
    return true;
}
