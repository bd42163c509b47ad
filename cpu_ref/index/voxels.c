// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Cells that are full or empty, in blocks of 8 x 8 x 8: a row along x is a byte, a layer a word of 64 bits.

#include "tact/geometry/voxels.h"

#include <string.h>

#include "base/env.h"
#include "cpu_ref/geometry/vec.h"
#include "cpu_ref/index/code_map.h"
#include "cpu_ref/index/voxel_walk.h"
#include "tact/geometry/bsp.h"
#include "tact/geometry/overlap.h"

enum {
    SIDE = 8,
    STACK = 72,  ///< parts of a range of cells: one more for each halving of 63 bits
};

typedef struct block {
    uint64_t layer[SIDE];
} block;

struct tact_voxels {
    tact_env env;
    tact_voxel_grid grid;
    bool sparse;
    uint32_t blocks_x, blocks_y, blocks_z;
    block* blocks;
    size_t block_count, block_capacity;
    tact_code_map places;  ///< of sparse blocks, by code_of()
};

// ---- Blocks ----

static uint64_t code_of(uint32_t x, uint32_t y, uint32_t z)
{
    return x | (uint64_t)y << 20 | (uint64_t)z << 40;
}

/// NULL for a block that has no memory: all its cells are empty.
static block* block_at(const tact_voxels* v, uint32_t x, uint32_t y, uint32_t z)
{
    if (!v->sparse) return &v->blocks[x + v->blocks_x * (y + (size_t)v->blocks_y * z)];
    const uint32_t at = tact_code_map_find(&v->places, code_of(x, y, z));
    return at == TACT_CODE_NONE ? NULL : &v->blocks[at];
}

/// The block, with memory now. NULL when out of it.
static block* make_block(tact_voxels* v, uint32_t x, uint32_t y, uint32_t z)
{
    block* b = block_at(v, x, y, z);
    if (b) return b;
    void* blocks = v->blocks;
    if (v->block_count == TACT_CODE_NONE || !tact_code_map_reserve(&v->places, &v->env, 1)) return NULL;
    if (!tact_reserve(&v->env, &blocks, &v->block_capacity, v->block_count, v->block_count + 1, sizeof *v->blocks))
        return NULL;
    v->blocks = blocks;
    tact_code_map_put(&v->places, code_of(x, y, z), (uint32_t)v->block_count);
    b = &v->blocks[v->block_count++];
    memset(b, 0, sizeof *b);
    return b;
}

static uint64_t bit_of(tact_voxel c)
{
    return (uint64_t)1 << (c.x % SIDE + SIDE * (c.y % SIDE));
}

static bool is_in(const tact_voxels* v, tact_voxel c)
{
    return c.x < v->grid.count[0] && c.y < v->grid.count[1] && c.z < v->grid.count[2];
}

static bool get(const tact_voxels* v, tact_voxel c)
{
    const block* b = block_at(v, c.x / SIDE, c.y / SIDE, c.z / SIDE);
    return b && (b->layer[c.z % SIDE] & bit_of(c)) != 0;
}

static bool fill(tact_voxels* v, tact_voxel c)
{
    block* b = make_block(v, c.x / SIDE, c.y / SIDE, c.z / SIDE);
    if (b) b->layer[c.z % SIDE] |= bit_of(c);
    return b != NULL;
}

// ---- Making ----

static bool begin(tact_voxels* v, const tact_voxel_grid* grid, bool sparse)
{
    v->grid = *grid;
    v->sparse = sparse;
    v->blocks_x = (grid->count[0] + SIDE - 1) / SIDE;
    v->blocks_y = (grid->count[1] + SIDE - 1) / SIDE;
    v->blocks_z = (grid->count[2] + SIDE - 1) / SIDE;
    if (sparse) return true;
    size_t count = 0;
    const bool fits =
        tact_multiply_sizes(v->blocks_x, v->blocks_y, &count) && tact_multiply_sizes(count, v->blocks_z, &count);
    if (fits) v->blocks = tact_allocate_zeroed(&v->env, count, sizeof *v->blocks);
    if (v->blocks) v->block_count = v->block_capacity = count;
    return v->blocks != NULL;
}

static void end(tact_voxels* v)
{
    tact_release(&v->env, v->blocks);
    tact_release(&v->env, v->places.entries);
}

tact_result tact_voxels_create(const tact_voxel_grid* grid, tact_voxel_storage storage, const tact_allocator* allocator,
                               tact_voxels** voxels)
{
    tact_env env;
    tact_error_begin(NULL);
    if (!grid) return tact_null(NULL, "grid");
    if (!voxels) return tact_null(NULL, "voxels");
    *voxels = NULL;
    if (!tact_voxel_grid_is_valid(grid))
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "the grid has no cells, or faces that are no floats");
    if (storage != TACT_VOXELS_DENSE && storage != TACT_VOXELS_SPARSE)
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "storage %d is none", (int)storage);
    const double cells = (double)grid->count[0] * (double)grid->count[1] * (double)grid->count[2];
    if (storage == TACT_VOXELS_DENSE && cells > 0x1p41)
        return tact_fail(NULL, TACT_ERROR_LIMIT, "%.0f cells are more than a dense grid holds (2^41)", cells);
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_voxels* v = tact_allocate_zeroed(&env, 1, sizeof *v);
    if (!v) return TACT_ERROR_OUT_OF_MEMORY;
    tact_env_init(&v->env, allocator, NULL, NULL, NULL, NULL);
    if (!begin(v, grid, storage == TACT_VOXELS_SPARSE)) {
        tact_voxels_destroy(v);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    *voxels = v;
    return TACT_OK;
}

void tact_voxels_destroy(tact_voxels* voxels)
{
    if (!voxels) return;
    const tact_allocator allocator = voxels->env.allocator;
    end(voxels);
    allocator.release(voxels, allocator.user);
}

tact_voxels_info tact_voxels_get_info(const tact_voxels* voxels)
{
    if (!voxels) return (tact_voxels_info){.full = 0};
    tact_voxels_info info = {.grid = voxels->grid, .blocks = voxels->block_count};
    for (size_t i = 0; i < voxels->block_count; ++i)
        for (int z = 0; z < SIDE; ++z)
            info.full += tact_bits_set((uint32_t)voxels->blocks[i].layer[z]) +
                         tact_bits_set((uint32_t)(voxels->blocks[i].layer[z] >> 32));
    info.bytes = sizeof *voxels + voxels->block_capacity * sizeof *voxels->blocks +
                 voxels->places.size * sizeof *voxels->places.entries;
    return info;
}

bool tact_voxels_get(const tact_voxels* voxels, tact_voxel cell)
{
    return voxels && is_in(voxels, cell) && get(voxels, cell);
}

tact_result tact_voxels_set(tact_voxels* voxels, tact_voxel cell, bool full)
{
    tact_error_begin(NULL);
    if (!voxels) return tact_null(NULL, "voxels");
    if (!is_in(voxels, cell))
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "cell %u, %u, %u is not in the grid", (unsigned)cell.x,
                         (unsigned)cell.y, (unsigned)cell.z);
    if (full) return fill(voxels, cell) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    block* b = block_at(voxels, cell.x / SIDE, cell.y / SIDE, cell.z / SIDE);
    if (b) b->layer[cell.z % SIDE] &= ~bit_of(cell);
    return TACT_OK;
}

// ---- Filling ----

tact_result tact_voxels_fill_points(tact_voxels* voxels, const tact_vec3* points, size_t count)
{
    tact_error_begin(NULL);
    if (!voxels) return tact_null(NULL, "voxels");
    if (!points && count) return tact_null(NULL, "points");
    for (size_t i = 0; i < count; ++i) {
        tact_voxel cell;
        if (tact_voxel_of_point(&voxels->grid, points[i], &cell) && !fill(voxels, cell))
            return TACT_ERROR_OUT_OF_MEMORY;
    }
    return TACT_OK;
}

/// Cells from `low` to `high`, both included.
typedef struct range {
    uint32_t low[3], high[3];
} range;

static tact_aabb box_of(const tact_voxel_grid* grid, const range* r)
{
    const tact_aabb first = tact_voxel_box(grid, (tact_voxel){r->low[0], r->low[1], r->low[2]});
    const tact_aabb last = tact_voxel_box(grid, (tact_voxel){r->high[0], r->high[1], r->high[2]});
    return (tact_aabb){first.lower, last.upper};
}

/// The cells whose boxes, with all sides, reach into [lower, upper] along each axis. False: there are none.
static bool range_of(const tact_voxel_grid* grid, tact_vec3 lower, tact_vec3 upper, range* r)
{
    const float low[3] = {lower.x, lower.y, lower.z}, high[3] = {upper.x, upper.y, upper.z};
    const float origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    for (int k = 0; k < 3; ++k) {
        const double size = (double)grid->size, from = (double)origin[k], count = (double)grid->count[k];
        if ((double)low[k] > from + count * size || (double)high[k] < from) return false;
        // A cell more on either side, of which the exact test then says whether it is reached.
        const double first = floor(((double)low[k] - from) / size) - 1.0,
                     last = floor(((double)high[k] - from) / size) + 1.0;
        r->low[k] = first > 0.0 ? (uint32_t)first : 0;
        r->high[k] = last < count - 1.0 ? (uint32_t)last : grid->count[k] - 1;
    }
    return true;
}

/// Fills what a triangle reaches, halving ranges of cells down to one. False when out of memory.
static bool fill_triangle(tact_voxels* v, const tact_triangle* t, const range* all)
{
    range stack[STACK];
    int depth = 0;
    stack[depth++] = *all;
    while (depth > 0) {
        const range r = stack[--depth];
        if (!tact_aabb_overlaps_triangle(box_of(&v->grid, &r), t)) continue;
        int axis = 0;
        for (int k = 1; k < 3; ++k)
            if (r.high[k] - r.low[k] > r.high[axis] - r.low[axis]) axis = k;
        if (r.high[axis] == r.low[axis]) {
            if (!fill(v, (tact_voxel){r.low[0], r.low[1], r.low[2]})) return false;
            continue;
        }
        const uint32_t middle = r.low[axis] + (r.high[axis] - r.low[axis]) / 2;
        TACT_ASSERT(depth + 2 <= STACK);
        stack[depth] = stack[depth + 1] = r;
        stack[depth++].low[axis] = middle + 1;
        stack[depth++].high[axis] = middle;
    }
    return true;
}

static float least(float a, float b, float c)
{
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

static float most(float a, float b, float c)
{
    return -least(-a, -b, -c);
}

static tact_result fill_surface(tact_voxels* v, const tact_mesh_view* mesh)
{
    for (size_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t* n = mesh->indices + 3 * i;
        range r;
        const tact_triangle t = {mesh->positions[n[0]], mesh->positions[n[1]], mesh->positions[n[2]]};
        const tact_vec3 lower = {least(t.a.x, t.b.x, t.c.x), least(t.a.y, t.b.y, t.c.y), least(t.a.z, t.b.z, t.c.z)};
        const tact_vec3 upper = {most(t.a.x, t.b.x, t.c.x), most(t.a.y, t.b.y, t.c.y), most(t.a.z, t.b.z, t.c.z)};
        if (range_of(&v->grid, lower, upper, &r) && !fill_triangle(v, &t, &r)) return TACT_ERROR_OUT_OF_MEMORY;
    }
    return TACT_OK;
}

static tact_result check_mesh(const tact_mesh_view* mesh)
{
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) {
        if (mesh->indices[i] >= mesh->vertex_count || !v_finite(mesh->positions[mesh->indices[i]]))
            return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT,
                             "triangle %zu has a vertex that is not there or not finite", i / 3);
    }
    return TACT_OK;
}

tact_result tact_voxels_fill_triangles(tact_voxels* voxels, const tact_mesh_view* mesh)
{
    tact_error_begin(NULL);
    if (!voxels) return tact_null(NULL, "voxels");
    if (!mesh) return tact_null(NULL, "mesh");
    const tact_result result = check_mesh(mesh);
    return result == TACT_OK ? fill_surface(voxels, mesh) : result;
}

/// The cells of a mesh's box. False: there are none.
static bool range_of_mesh(const tact_voxel_grid* grid, const tact_mesh_view* mesh, range* r)
{
    tact_vec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) {
        const tact_vec3 p = mesh->positions[mesh->indices[i]];
        lower = (tact_vec3){least(p.x, lower.x, lower.x), least(p.y, lower.y, lower.y), least(p.z, lower.z, lower.z)};
        upper = (tact_vec3){most(p.x, upper.x, upper.x), most(p.y, upper.y, upper.y), most(p.z, upper.z, upper.z)};
    }
    return lower.x <= upper.x && range_of(grid, lower, upper, r);
}

/// Whether the cells before one on each axis, which no triangle touches either, are inside: 1; 0: outside; -1: there is
/// none. No surface lies between cells that touch at a face and are both free of it.
static int beside(const tact_voxels* surface, const tact_voxels* inside, const range* r, tact_voxel c)
{
    const tact_voxel before[3] = {{c.x - 1, c.y, c.z}, {c.x, c.y - 1, c.z}, {c.x, c.y, c.z - 1}};
    const bool there[3] = {c.x > r->low[0], c.y > r->low[1], c.z > r->low[2]};
    for (int k = 0; k < 3; ++k)
        if (there[k] && !get(surface, before[k])) return get(inside, before[k]);
    return -1;
}

static bool fill_inside(const tact_voxels* surface, tact_voxels* inside, const tact_bsp* tree, const range* r)
{
    for (uint32_t z = r->low[2]; z <= r->high[2]; ++z) {
        for (uint32_t y = r->low[1]; y <= r->high[1]; ++y) {
            for (uint32_t x = r->low[0]; x <= r->high[0]; ++x) {
                const tact_voxel c = {x, y, z};
                if (get(surface, c)) continue;
                int in = beside(surface, inside, r, c);
                if (in < 0) in = tact_bsp_locate(tree, tact_voxel_box(&surface->grid, c).lower) == TACT_BSP_INSIDE;
                if (in && !fill(inside, c)) return false;
            }
        }
    }
    return true;
}

/// Makes the full cells of others full. False when out of memory, after which nothing has changed.
static bool add_cells(tact_voxels* to, const tact_voxels* surface, const tact_voxels* inside)
{
    const tact_voxels* const from[2] = {surface, inside};
    for (int pass = 0; pass < 2; ++pass) {
        for (int f = 0; f < 2; ++f) {
            for (size_t i = 0; i < from[f]->places.size; ++i) {
                const tact_code_entry e = from[f]->places.entries[i];
                if (e.number == TACT_CODE_NONE) continue;
                block* b = make_block(to, e.code & 0xfffff, e.code >> 20 & 0xfffff, (uint32_t)(e.code >> 40));
                if (!b) return false;
                for (int z = 0; z < SIDE && pass == 1; ++z)
                    b->layer[z] |= from[f]->blocks[e.number].layer[z];
            }
        }
    }
    return true;
}

tact_result tact_voxels_fill_solid(tact_voxels* voxels, const tact_mesh_view* mesh)
{
    tact_bsp tree;
    range r;
    tact_error_begin(NULL);
    if (!voxels) return tact_null(NULL, "voxels");
    if (!mesh) return tact_null(NULL, "mesh");
    tact_result result = check_mesh(mesh);
    if (result != TACT_OK) return result;
    const bool some = range_of_mesh(&voxels->grid, mesh, &r);
    if (some) {
        const double cells = ((double)r.high[0] - r.low[0] + 1.0) * ((double)r.high[1] - r.low[1] + 1.0) *
                             ((double)r.high[2] - r.low[2] + 1.0);
        if (cells > 0x1p32)
            return tact_fail(NULL, TACT_ERROR_LIMIT, "the mesh's box has %.0f cells, more than 2^32", cells);
    }
    result = tact_bsp_make(mesh, NULL, &voxels->env.allocator, &tree);
    if (result != TACT_OK || !some) {
        tact_bsp_free(&tree);
        return result;
    }
    tact_voxels surface = {.grid = voxels->grid}, inside = {.grid = voxels->grid};
    tact_env_init(&surface.env, &voxels->env.allocator, NULL, NULL, NULL, NULL);
    tact_env_init(&inside.env, &voxels->env.allocator, NULL, NULL, NULL, NULL);
    bool good = begin(&surface, &voxels->grid, true) && begin(&inside, &voxels->grid, true);
    good = good && fill_surface(&surface, mesh) == TACT_OK && fill_inside(&surface, &inside, &tree, &r) &&
           add_cells(voxels, &surface, &inside);
    end(&surface);
    end(&inside);
    tact_bsp_free(&tree);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

// ---- Rays ----

static bool is_empty(const block* b)
{
    uint64_t any = 0;
    for (int z = 0; z < SIDE; ++z)
        any |= b->layer[z];
    return any == 0;
}

tact_voxel_hit tact_voxels_ray(const tact_voxels* voxels, const tact_ray* ray)
{
    tact_voxel_walk w;
    uint32_t x = UINT32_MAX, y = UINT32_MAX, z = UINT32_MAX;
    const block* b = NULL;
    bool more = tact_voxel_walk_begin(&w, &voxels->grid, ray);
    while (more) {
        const tact_voxel c = tact_voxel_walk_cell(&w);
        if (c.x / SIDE != x || c.y / SIDE != y || c.z / SIDE != z) {
            x = c.x / SIDE;
            y = c.y / SIDE;
            z = c.z / SIDE;
            b = block_at(voxels, x, y, z);
            if (b && is_empty(b)) b = NULL;
        }
        if (!b) {
            more = tact_voxel_walk_leap(&w, SIDE);
            continue;
        }
        if (b->layer[c.z % SIDE] & bit_of(c))
            return (tact_voxel_hit){.hit = true, .t = tact_voxel_walk_t(&w), .cell = c, .axis = w.entered.axis};
        more = tact_voxel_walk_step(&w);
    }
    return (tact_voxel_hit){.hit = false};
}
