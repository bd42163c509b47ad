// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// How the table of cells is laid out, and which particles see over its seams.

#include "core/parallel.h"
#include "cpu_ref/particles/cpu_engine.h"

enum {
    LEAST_CELLS = 512,  ///< a level may have this many besides two a particle
    GRAIN = 16384,
};

static uint64_t cells_of(const tact_cell_level* level)
{
    // No size is above 2^16.
    return (uint64_t)level->size[0] * level->size[1] * level->size[2];
}

static uint32_t power_of_two_below(uint32_t x)
{
    uint32_t power = 1;
    while (2 * power < x)
        power *= 2;
    return power;
}

/// Halves the longest axis until there are few enough cells.
static void shrink(tact_cell_level* level)
{
    const uint64_t most = 2 * (uint64_t)level->count + LEAST_CELLS;
    while (cells_of(level) > most) {
        int longest = 0;
        for (int k = 1; k < 3; ++k)
            longest = level->size[k] > level->size[longest] ? k : longest;
        level->size[longest] = power_of_two_below(level->size[longest]);
        level->mask[longest] = level->size[longest] - 1;
        level->wraps[longest] = true;
    }
}

void tact_cpu_layout(tact_cell_table* t, const TactGrid* grid, float (*boxes)[6], const uint32_t* counts)
{
    t->grid = *grid;
    t->cells = 0;
    t->wraps = t->seams = false;
    const TactGridAxis* const axes[3] = {&t->grid.x, &t->grid.y, &t->grid.z};
    float largest = 0.5f * grid->edge;
    for (int l = 0; l < grid->levels; ++l, largest *= 0.5f) {
        tact_cell_level* level = &t->levels[l];
        *level = (tact_cell_level){.base = t->cells, .end = t->cells, .count = counts[l], .largest = largest};
        if (counts[l] == 0) continue;
        for (int k = 0; k < 3; ++k) {
            const bool periodic = axes[k]->period > 0.0f;
            const int low = periodic ? axes[k]->low : tact_grid_coordinate(*axes[k], boxes[l][k]);
            const int high = periodic ? axes[k]->high : tact_grid_coordinate(*axes[k], boxes[l][3 + k]);
            level->low[k] = tact_grid_on_level(t->grid, low, l);
            level->size[k] = (uint32_t)(tact_grid_on_level(t->grid, high, l) - level->low[k]) + 1;
            level->mask[k] = UINT32_MAX;
            t->seams = t->seams || periodic;
        }
        shrink(level);
        t->cells += (uint32_t)cells_of(level);
        level->end = t->cells;
        t->wraps = t->wraps || level->wraps[0] || level->wraps[1] || level->wraps[2];
    }
    t->seams = t->seams || t->wraps;
}

/// Whether what a particle sees on a level along an axis lies over a seam. `c`: its finest coordinate.
static bool crosses(const tact_cell_table* t, const TactGridAxis* a, int k, int c, int own, int l)
{
    const tact_cell_level* level = &t->levels[l];
    if (level->count == 0) return false;
    const int coarse = own < l ? own : l, finer = l - coarse;
    const int at = tact_grid_on_level(t->grid, c, coarse);
    const int low = (at - 1) * (1 << finer), high = (at + 2) * (1 << finer) - 1;
    if (a->period > 0.0f) {
        const int last = tact_grid_on_level(t->grid, a->high, l);
        if (low < level->low[k] || high > last) return true;
    }
    if (!level->wraps[k]) return false;
    const int size = (int)level->size[k];
    return low < level->low[k] || (low - level->low[k]) / size != (high - level->low[k]) / size;
}

static bool sees_over(const tact_cell_table* t, TactCell c, int own)
{
    for (int l = 0; l < t->grid.levels; ++l) {
        if (crosses(t, &t->grid.x, 0, c.x, own, l) || crosses(t, &t->grid.y, 1, c.y, own, l) ||
            crosses(t, &t->grid.z, 2, c.z, own, l)) {
            return true;
        }
    }
    return false;
}

static void mark_range(size_t begin, size_t end, int worker, void* user)
{
    tact_particle_cpu* e = user;
    (void)worker;
    const TactGrid* g = &e->table.grid;
    for (size_t i = begin; i < end; ++i) {
        e->cells[i] = tact_grid_cell(*g, e->now.x[i], e->now.y[i], e->now.z[i]);
        e->irregular[i] = sees_over(&e->table, e->cells[i], tact_grid_level(*g, e->now.radius[i]));
    }
}

tact_result tact_cpu_find_seams(tact_particle_cpu* e, bool keep_cells, int threads)
{
    tact_env* env = e->base.env;
    e->seam_count = 0;
    // With POSITION particles move while their cells stay.
    e->table.keeps_cells = e->table.seams || (keep_cells && e->table.grid.levels > 1);
    if (!e->table.keeps_cells) return TACT_OK;
    if (!tact_reserve(env, (void**)&e->cells, &e->cells_capacity, 0, e->count, sizeof *e->cells) ||
        !tact_reserve(env, (void**)&e->irregular, &e->irregular_capacity, 0, e->count, sizeof *e->irregular) ||
        !tact_reserve(env, (void**)&e->seam_list, &e->seam_capacity, 0, e->count, sizeof *e->seam_list)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_parallel_for(threads, e->count, GRAIN, mark_range, e);
    for (size_t i = 0; i < e->count; ++i) {
        if (e->irregular[i]) e->seam_list[e->seam_count++] = (uint32_t)i;
    }
    return TACT_OK;
}
