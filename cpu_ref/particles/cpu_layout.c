// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// How the table of cells is laid out, and which particles see over its seams.
//
// Two things keep the table small. Where particles lie far apart, axes *wrap*: all levels after the same way, which is
// as long as two cells of the coarsest level for each particle make it, so that few particles see over such a seam. And
// a level that has few particles for its many cells *folds*: cells that follow each other share an entry. What the
// table may have depends on all particles, not on the level's own: if few small particles had a small table that wraps,
// all large particles about them would see over its seams.

#include <stdlib.h>

#include "base/parallel.h"
#include "cpu_ref/particles/cpu_engine.h"

enum {
    LEAST_CELLS = 512,  ///< a level may have this many entries besides two a particle
    MOST_FOLD = 31,     ///< so that a place within an entry is a word
    FEW = 16,           ///< slots that are looked through one by one
    GRAIN = 16384,
};

static uint64_t product(const uint32_t size[3])
{
    TACT_ASSERT(size[0] >= 1 && size[1] >= 1 && size[2] >= 1);
    // No size is above 2^16.
    return (uint64_t)size[0] * size[1] * size[2];
}

static uint32_t power_of_two_below(uint32_t x)
{
    TACT_ASSERT(x >= 2);
    uint32_t power = 1;
    while (2 * power < x)
        power *= 2;
    return power;
}

/// The cells of the coarsest level that the table stands for: all that particles are in, or fewer where it wraps.
typedef struct table_room {
    int low[3];
    uint32_t size[3];
    bool wraps[3];
} table_room;

/// Halves the longest axis until there are few enough cells.
static void shrink(table_room* room, uint64_t most)
{
    TACT_ASSERT(most >= 1);
    while (product(room->size) > most) {
        int longest = 0;
        for (int k = 1; k < 3; ++k)
            longest = room->size[k] > room->size[longest] ? k : longest;
        room->size[longest] = power_of_two_below(room->size[longest]);
        room->wraps[longest] = true;
    }
}

static table_room room_of(const tact_cell_table* t, float (*boxes)[6], const uint32_t* counts, uint64_t most)
{
    const TactGridAxis* const axes[3] = {&t->grid.x, &t->grid.y, &t->grid.z};
    table_room room = {{0}, {0}, {false}};
    for (int k = 0; k < 3; ++k) {
        float low = TACT_FARTHEST, high = -TACT_FARTHEST;
        for (int l = 0; l < t->grid.levels; ++l) {
            if (counts[l] == 0) continue;
            low = boxes[l][k] < low ? boxes[l][k] : low;
            high = boxes[l][3 + k] > high ? boxes[l][3 + k] : high;
        }
        const bool periodic = axes[k]->period > 0.0f;
        const int first = periodic ? axes[k]->low : tact_grid_coordinate(*axes[k], low);
        const int last = periodic ? axes[k]->high : tact_grid_coordinate(*axes[k], high);
        room.low[k] = tact_grid_on_level(t->grid, first, 0);
        room.size[k] = (uint32_t)(tact_grid_on_level(t->grid, last, 0) - room.low[k]) + 1;
    }
    shrink(&room, most);
    return room;
}

/// Lays out level `l`, but for its entries.
static void lay_out_level(tact_cell_table* t, int l, const float box[6], const table_room* room)
{
    const TactGridAxis* const axes[3] = {&t->grid.x, &t->grid.y, &t->grid.z};
    tact_cell_level* level = &t->levels[l];
    for (int k = 0; k < 3; ++k) {
        const bool periodic = axes[k]->period > 0.0f;
        const int low = periodic ? axes[k]->low : tact_grid_coordinate(*axes[k], box[k]);
        const int high = periodic ? axes[k]->high : tact_grid_coordinate(*axes[k], box[3 + k]);
        level->low[k] = tact_grid_on_level(t->grid, low, l);
        level->size[k] = (uint32_t)(tact_grid_on_level(t->grid, high, l) - level->low[k]) + 1;
        TACT_ASSERT(high >= low);
        level->wraps[k] = room->wraps[k] && level->size[k] > room->size[k] << l;
        level->mask[k] = UINT32_MAX;
        if (level->wraps[k]) {
            level->low[k] = room->low[k] * (1 << l);
            level->size[k] = room->size[k] << l;
            level->mask[k] = level->size[k] - 1;
            TACT_ASSERT((level->size[k] & level->mask[k]) == 0);
        }
        t->wraps = t->wraps || level->wraps[k];
        t->seams = t->seams || periodic || level->wraps[k];
    }
}

void tact_cpu_layout(tact_cell_table* t, const TactGrid* grid, float (*boxes)[6], const uint32_t* counts)
{
    TACT_ASSERT(grid->levels >= 1 && grid->levels <= TACT_PARTICLE_LEVELS);
    t->grid = *grid;
    t->cells = 0;
    t->wraps = t->seams = t->folds = false;
    uint64_t particles = 0;
    for (int l = 0; l < grid->levels; ++l)
        particles += counts[l];
    const table_room room = room_of(t, boxes, counts, 2 * particles + LEAST_CELLS);
    // Entries that a level may have: two for each of its particles, and what coarser ones have left of theirs and of
    // one a particle.
    uint64_t most = particles;
    float largest = 0.5f * grid->edge;
    for (int l = 0; l < grid->levels; ++l, largest *= 0.5f) {
        tact_cell_level* level = &t->levels[l];
        *level = (tact_cell_level){.base = t->cells, .end = t->cells, .count = counts[l], .largest = largest};
        if (counts[l] == 0) continue;
        lay_out_level(t, l, boxes[l], &room);
        most += 2 * (uint64_t)counts[l] + LEAST_CELLS;
        const uint64_t places = product(level->size);
        while (((places - 1) >> level->fold) + 1 > most && level->fold < MOST_FOLD)
            ++level->fold;
        const uint64_t entries = ((places - 1) >> level->fold) + 1;
        most = most > entries ? most - entries : 0;
        t->folds = t->folds || level->fold > 0;
        t->cells += (uint32_t)entries;
        level->end = t->cells;
        TACT_ASSERT(level->end == level->base + entries &&
                    entries <= 3 * particles + 2 * LEAST_CELLS * (uint64_t)grid->levels);
    }
}

/// The first of slots [begin, end), sorted by place within one entry, that is at `place` or behind it.
static uint32_t first_at(const uint32_t* within, uint32_t begin, uint32_t end, uint64_t place)
{
    while (end - begin > FEW) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (within[middle] < place) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    while (begin < end && within[begin] < place)
        ++begin;
    TACT_ASSERT(begin == end || within[begin] >= place);
    return begin;
}

tact_slot_range tact_cell_slots_folded(const tact_particle_cpu* e, const tact_cell_level* level, uint64_t first,
                                       uint64_t end, tact_slot_range all)
{
    TACT_ASSERT(level->fold > 0 && first < end);
    const uint32_t* starts = e->table.starts;
    const uint64_t mask = (UINT64_C(1) << level->fold) - 1;
    const uint32_t low = tact_cell_key(level, first), high = tact_cell_key(level, end - 1);
    tact_slot_range range;
    range.begin = first_at(e->within, all.begin, starts[low + 1], first & mask);
    const uint32_t last = starts[high] > range.begin ? starts[high] : range.begin;
    range.end = first_at(e->within, last, all.end, ((end - 1) & mask) + 1);
    TACT_ASSERT(range.begin >= all.begin && range.begin <= range.end && range.end <= all.end);
    return range;
}

/// Leaves out of a range what is farther than `reach` from x. `cell`: the finest coordinate that the particle had when
/// cells were taken. `shift`: levels from the range's to the finest.
static void prune(const TactGridAxis* a, float x, int cell, float reach, int shift, tact_seen_range* range)
{
    TactGridAxis open = *a;
    open.period = 0.0f;
    if (a->period > 0.0f) {
        // A cell is that of the position brought into the period. What was outside then and is inside now has a cell at
        // the other end, and sees from there.
        const int cells = a->high - a->low + 1;
        if (!(x >= a->origin && x < a->origin + a->period)) return;
        if (2 * abs(tact_cell_coordinate(a, x) - cell) > cells) return;
        open.low -= cells;
        open.high += cells;
        // Bringing into the period rounds.
        reach += (a->period + (x < 0.0f ? -x : x)) * 4.8e-7f;
    }
    const int low = tact_cell_coordinate(&open, x - reach) >> shift;
    const int high = tact_cell_coordinate(&open, x + reach) >> shift;
    range->first = low > range->first ? low : range->first;
    range->last = high < range->last ? high : range->last;
}

void tact_cpu_seen(const tact_particle_walk* walk, uint32_t i, int own, int l, tact_seen_range range[3])
{
    TACT_ASSERT(i < walk->engine->count && own < walk->table->grid.levels && l < walk->table->grid.levels);
    const tact_cell_table* t = walk->table;
    const tact_particle_slots* s = &walk->slots;
    const TactGridAxis* const axes[3] = {&t->grid.x, &t->grid.y, &t->grid.z};
    const float at[3] = {s->x[i], s->y[i], s->z[i]};
    int cell[3];
    if (t->keeps_cells) {
        const TactCell c = walk->engine->cells[i];
        cell[0] = c.x;
        cell[1] = c.y;
        cell[2] = c.z;
    } else {
        for (int k = 0; k < 3; ++k)
            cell[k] = tact_cell_coordinate(axes[k], at[k]);
    }
    const int coarse = own < l ? own : l, finer = l - coarse;
    // A little more than the farthest that two of them touch. That covers all rounding but that of the two sums in
    // prune(), which never decrease with what is summed, so that no place within reach is passed over.
    const float reach = (s->radius[i] + t->levels[l].largest) * walk->prune * 1.001f;
    for (int k = 0; k < 3; ++k) {
        const int own_cell = tact_grid_on_level(t->grid, cell[k], coarse);
        range[k].first = (own_cell - 1) * (1 << finer);
        range[k].last = (own_cell + 2) * (1 << finer) - 1;
        if (walk->prune > 0.0f) prune(axes[k], at[k], cell[k], reach, t->grid.levels - 1 - l, &range[k]);
    }
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
    TACT_ASSERT(end <= e->count && end <= e->cells_capacity);
    (void)worker;
    const TactGrid* g = &e->table.grid;
    const tact_particle_slots* s = &e->now;
    for (size_t i = begin; i < end; ++i) {
        const TactCell cell = {tact_cell_coordinate(&g->x, s->x[i]), tact_cell_coordinate(&g->y, s->y[i]),
                               tact_cell_coordinate(&g->z, s->z[i])};
        e->cells[i] = cell;
        if (e->table.seams) e->irregular[i] = sees_over(&e->table, cell, tact_grid_level(*g, s->radius[i]));
    }
}

tact_result tact_cpu_find_seams(tact_particle_cpu* e, bool keep_cells, int threads)
{
    tact_env* env = e->base.env;
    e->seam_count = 0;
    // With POSITION particles move while their cells stay.
    e->table.keeps_cells = e->table.seams || (keep_cells && e->table.grid.levels > 1);
    if (!e->table.keeps_cells) return TACT_OK;
    if (!tact_reserve(env, (void**)&e->cells, &e->cells_capacity, 0, e->count, sizeof *e->cells))
        return TACT_ERROR_OUT_OF_MEMORY;
    if (e->table.seams &&
        (!tact_reserve(env, (void**)&e->irregular, &e->irregular_capacity, 0, e->count, sizeof *e->irregular) ||
         !tact_reserve(env, (void**)&e->seam_list, &e->seam_capacity, 0, e->count, sizeof *e->seam_list))) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_parallel_for(threads, e->count, GRAIN, mark_range, e);
    for (size_t i = 0; e->table.seams && i < e->count; ++i) {
        if (e->irregular[i]) e->seam_list[e->seam_count++] = (uint32_t)i;
    }
    return TACT_OK;
}
