// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "apps/bench/geometry.h"
#include "apps/inputs/random.h"
#include "tact/geometry.h"

enum { N = TACT_GEOMETRY_COUNT, SIDE = 256 };

/// Rays from one side of a cube of 256 cells to another, and a ball in it of which only the surface is full.
typedef struct cell_bench {
    tact_voxel_grid grid;
    tact_voxels* voxels;
    tact_ray rays[N];
} cell_bench;

static void release(void* own)
{
    cell_bench* b = own;
    if (!b) return;
    tact_voxels_destroy(b->voxels);
    free(b);
}

static void* make_of(tact_voxel_storage storage)
{
    tact_random r = {11};
    cell_bench* b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->grid = (tact_voxel_grid){{0, 0, 0}, 1.0f, {SIDE, SIDE, SIDE}};
    bool good = tact_voxels_create(&b->grid, storage, NULL, &b->voxels) == TACT_OK;
    for (int i = 0; i < 1 << 18 && good; ++i) {
        const double z = tact_random_between(&r, -1.0, 1.0), turn = tact_random_between(&r, 0.0, 6.283185307179586);
        const double s = sqrt(1.0 - z * z);
        const tact_vec3 p = {(float)(128.0 + 90.0 * s * cos(turn)), (float)(128.0 + 90.0 * s * sin(turn)),
                             (float)(128.0 + 90.0 * z)};
        good = tact_voxels_fill_points(b->voxels, &p, 1) == TACT_OK;
    }
    for (int i = 0; i < N; ++i) {
        float p[6];
        for (int k = 0; k < 6; ++k)
            p[k] = (float)tact_random_between(&r, 0.0, SIDE);
        p[i % 3] = 0.0f;
        p[3 + i % 3] = SIDE;
        b->rays[i] = (tact_ray){p[0], p[1], p[2], 0.0f, p[3] - p[0], p[4] - p[1], p[5] - p[2], 1.0f};
    }
    if (good) return b;
    release(b);
    return NULL;
}

static void* make_dense(const tact_geometry_data* d)
{
    (void)d;
    return make_of(TACT_VOXELS_DENSE);
}

static void* make_sparse(const tact_geometry_data* d)
{
    (void)d;
    return make_of(TACT_VOXELS_SPARSE);
}

static bool count_cell(tact_voxel cell, float t, void* user)
{
    (void)cell;
    (void)t;
    ++*(size_t*)user;
    return true;
}

static size_t all_cells(const tact_geometry_data* d, void* own)
{
    const cell_bench* b = own;
    size_t count = 0;
    (void)d;
    for (int i = 0; i < N; ++i)
        tact_voxel_each_on_ray(&b->grid, &b->rays[i], count_cell, &count);
    return count;
}

static int64_t within(double x)
{
    return x < 0.0 ? 0 : x >= SIDE ? SIDE - 1 : (int64_t)x;
}

/// As in the paper: t of each next face by adding, in single precision, so that the cell depends on the rounding. Rays
/// begin in the grid.
static size_t plain_walk(const tact_voxels* full, const tact_ray* ray)
{
    const float o[3] = {ray->ox, ray->oy, ray->oz}, d[3] = {ray->dx, ray->dy, ray->dz};
    int64_t cell[3], step[3];
    float next[3], by[3];
    for (int k = 0; k < 3; ++k) {
        cell[k] = within((double)o[k]);
        step[k] = d[k] > 0.0f ? 1 : -1;
        by[k] = fabsf(1.0f / d[k]);
        next[k] = ((float)(cell[k] + (d[k] > 0.0f)) - o[k]) / d[k];
    }
    for (size_t count = 1;; ++count) {
        const tact_voxel at = {(uint32_t)cell[0], (uint32_t)cell[1], (uint32_t)cell[2]};
        if (full && tact_voxels_get(full, at)) return 1;
        const int axis = next[0] < next[1] ? (next[0] < next[2] ? 0 : 2) : (next[1] < next[2] ? 1 : 2);
        cell[axis] += step[axis];
        if (next[axis] > ray->tmax || cell[axis] < 0 || cell[axis] >= SIDE) return full ? 0 : count;
        next[axis] += by[axis];
    }
}

static size_t all_plain(const tact_geometry_data* d, void* own)
{
    const cell_bench* b = own;
    size_t count = 0;
    (void)d;
    for (int i = 0; i < N; ++i)
        count += plain_walk(NULL, &b->rays[i]);
    return count;
}

static size_t first_plain(const tact_geometry_data* d, void* own)
{
    const cell_bench* b = own;
    size_t count = 0;
    (void)d;
    for (int i = 0; i < N; ++i)
        count += plain_walk(b->voxels, &b->rays[i]);
    return count;
}

static size_t first_cells(const tact_geometry_data* d, void* own)
{
    const cell_bench* b = own;
    size_t count = 0;
    (void)d;
    for (int i = 0; i < N; ++i)
        count += tact_voxels_ray(b->voxels, &b->rays[i]).hit;
    return count;
}

size_t tact_geometry_ways_cells(const tact_geometry_way** ways)
{
    static const tact_geometry_way all[] = {{"cells: all on a ray", "exact", false, make_dense, all_cells, release},
                                            {"cells: all on a ray", "plain", true, make_dense, all_plain, release},
                                            {"cells: first full", "dense", false, make_dense, first_cells, release},
                                            {"cells: first full", "sparse", false, make_sparse, first_cells, release},
                                            {"cells: first full", "plain", true, make_dense, first_plain, release}};
    *ways = all;
    return sizeof all / sizeof all[0];
}
