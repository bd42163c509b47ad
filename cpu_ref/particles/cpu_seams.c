// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles that see over a seam: each visits the cells about it in the order in which it sees them, on its own. And
// which contacts count where a cell of the table stands for several cells of space, or groups do not meet.

#include <string.h>

#include "cpu_ref/particles/cpu_engine.h"

enum { MOST_SEEN = 3 << (TACT_PARTICLE_LEVELS - 1) };  // cells along an axis

static int level_of(const tact_particle_walk* walk, uint32_t slot)
{
    TACT_ASSERT(slot < walk->engine->count);
    return tact_grid_level(walk->table->grid, walk->slots.radius[slot]);
}

/// Whether particle j is in the cells now looked at.
static bool is_visited(const tact_walk_worker* w, TactView view)
{
    return view.level == w->level && view.z == w->seen_z && view.y == w->seen_y && view.x >= w->seen_x[0] &&
           view.x <= w->seen_x[1];
}

static bool counts(const tact_walk_worker* w, uint32_t i, uint32_t j)
{
    TACT_ASSERT(i < w->walk->engine->count && j < w->walk->engine->count);
    const tact_particle_walk* walk = w->walk;
    const tact_particle_cpu* e = walk->engine;
    const uint32_t group_i = tact_tag_group(walk->slots.tag[i][1]), group_j = tact_tag_group(walk->slots.tag[j][1]);
    if (!tact_groups_meet(walk->model->masks, group_i, group_j) || i == j) return false;
    if (!walk->table->seams) return true;
    if (walk->contacts) {
        // Pairs of two such particles are listed when those are visited, once.
        const bool both = e->irregular[i] && e->irregular[j];
        if (both != w->both_irregular || (both && walk->slots.tag[i][0] > walk->slots.tag[j][0])) return false;
    }
    if (!walk->table->wraps) return true;
    const TactView view =
        tact_grid_view(walk->table->grid, e->cells[i], level_of(walk, i), e->cells[j], level_of(walk, j));
    return view.sees && (w->level < 0 || is_visited(w, view));
}

void tact_walk_keep(tact_walk_worker* w, uint32_t from)
{
    TACT_ASSERT(from <= w->block.count && w->block.count <= TACT_TOUCH_ROOM);
    tact_touch_block* b = &w->block;
    uint32_t kept = from;
    for (uint32_t k = from; k < b->count; ++k) {
        if (!counts(w, b->i[k], b->j[k])) continue;
        b->i[kept] = b->i[k];
        b->j[kept] = b->j[k];
        ++kept;
    }
    b->count = kept;
}

/// One axis of what a particle sees on a level: from its cell on the coarser of both levels.
typedef struct seen_axis {
    int cell;        ///< its own on the coarser level
    int finer;       ///< levels from that to the one looked at
    int cells;       ///< in a period, on the coarser level; 0: none
    int low;         ///< the lowest of a period, on the coarser level
    int begin, end;  ///< cells to look at, counted from the first of `cell`
} seen_axis;

/// The cell of space, on the level looked at, that is seen as `seen`.
static int cell_seen(const seen_axis* a, int seen)
{
    int coarse = a->cell + (seen >> a->finer);
    TACT_ASSERT(a->finer >= 0 && a->finer < TACT_PARTICLE_LEVELS);
    if (a->cells > 0) {
        if (coarse < a->low) coarse += a->cells;
        if (coarse >= a->low + a->cells) coarse -= a->cells;
    }
    return coarse * (1 << a->finer) + (seen & ((1 << a->finer) - 1));
}

/// Whether a cell is in the table, where it does not wrap.
static bool in_table(const tact_cell_level* l, int k, int cell)
{
    return l->wraps[k] || (cell >= l->low[k] && cell - l->low[k] < (int)l->size[k]);
}

/// Cells along an axis that follow each other in the table as they do when seen.
typedef struct seen_piece {
    uint32_t at;  ///< the first, in the table
    int seen;     ///< the first
    uint32_t length;
} seen_piece;

/// Cuts what is seen along an axis into pieces. Returns how many there are.
static int cut_axis(const tact_cell_level* l, int k, const seen_axis* axis, seen_piece pieces[MOST_SEEN])
{
    TACT_ASSERT(axis->end - axis->begin <= MOST_SEEN);
    int count = 0;
    for (int seen = axis->begin; seen < axis->end; ++seen) {
        const int cell = cell_seen(axis, seen);
        if (!in_table(l, k, cell)) continue;
        const uint32_t at = (uint32_t)(cell - l->low[k]) & l->mask[k];
        seen_piece* last = &pieces[count > 0 ? count - 1 : 0];
        if (count > 0 && last->seen + (int)last->length == seen && last->at + last->length == at) {
            ++last->length;
        } else {
            pieces[count++] = (seen_piece){at, seen, 1};
        }
    }
    TACT_ASSERT(count <= MOST_SEEN);
    return count;
}

/// Scans a row of cells. `place`: of the first in the table.
static void scan_row(tact_walk_worker* w, uint32_t i, const tact_cell_level* l, uint64_t place,
                     const seen_piece* pieces, int count)
{
    for (int k = 0; k < count; ++k) {
        const uint64_t first = place + pieces[k].at;
        TACT_ASSERT(pieces[k].length >= 1 && pieces[k].at + pieces[k].length <= l->size[0]);
        const tact_slot_range r = tact_cell_slots(w->walk->engine, l, first, first + pieces[k].length);
        if (r.begin == r.end) continue;
        w->seen_x[0] = pieces[k].seen;
        w->seen_x[1] = pieces[k].seen + (int)pieces[k].length - 1;
        // Without itself, which it would touch.
        if (i >= r.begin && i < r.end) {
            w->lanes->scan(w, i, r.begin, i);
            w->lanes->scan(w, i, i + 1, r.end);
        } else {
            w->lanes->scan(w, i, r.begin, r.end);
        }
    }
}

static seen_axis seen_along(const TactGrid* g, const TactGridAxis* a, int c, int coarse, int l, tact_seen_range range)
{
    const int cell = tact_grid_on_level(*g, c, coarse);
    const seen_axis s = {.cell = cell,
                         .finer = l - coarse,
                         .cells = a->period > 0.0f ? (a->high - a->low + 1) >> (g->levels - 1 - coarse) : 0,
                         .low = tact_grid_on_level(*g, a->low, coarse),
                         .begin = range.first - cell * (1 << (l - coarse)),
                         .end = range.last + 1 - cell * (1 << (l - coarse))};
    return s;
}

static void visit_level(tact_walk_worker* w, uint32_t i, int own, int l)
{
    const tact_cell_table* t = w->walk->table;
    const tact_cell_level* level = &t->levels[l];
    TACT_ASSERT(t->keeps_cells && level->count > 0);
    const TactCell c = w->walk->engine->cells[i];
    const int coarse = own < l ? own : l;
    tact_seen_range range[3];
    tact_cpu_seen(w->walk, i, own, l, range);
    const seen_axis x = seen_along(&t->grid, &t->grid.x, c.x, coarse, l, range[0]);
    const seen_axis y = seen_along(&t->grid, &t->grid.y, c.y, coarse, l, range[1]);
    const seen_axis z = seen_along(&t->grid, &t->grid.z, c.z, coarse, l, range[2]);
    w->level = l;
    const uint64_t row_size = level->size[0];
    seen_piece across[MOST_SEEN], along[MOST_SEEN];
    const int across_count = cut_axis(level, 0, &x, across), along_count = cut_axis(level, 1, &y, along);
    for (w->seen_z = z.begin; w->seen_z < z.end; ++w->seen_z) {
        const int cell = cell_seen(&z, w->seen_z);
        if (!in_table(level, 2, cell)) continue;
        const uint64_t layer = (uint64_t)((uint32_t)(cell - level->low[2]) & level->mask[2]) * level->size[1];
        for (int k = 0; k < along_count; ++k) {
            const uint64_t first = layer + along[k].at, end = first + along[k].length;
            if (t->starts[tact_cell_key(level, first * row_size)] ==
                t->starts[tact_cell_key(level, end * row_size - 1) + 1]) {
                continue;
            }
            w->seen_y = along[k].seen;
            for (uint64_t row = first; row < end; ++row, ++w->seen_y)
                scan_row(w, i, level, row * row_size, across, across_count);
        }
    }
}

void tact_cpu_walk_seam(tact_walk_worker* w, uint32_t slot)
{
    const tact_cell_table* t = w->walk->table;
    const int own = level_of(w->walk, slot);
    TACT_ASSERT(w->walk->engine->irregular[slot]);
    w->low = slot;
    w->high = slot + 1;
    w->both_irregular = true;
    if (!w->walk->contacts) memset(w->walk->sums + slot, 0, sizeof *w->walk->sums);
    for (int l = 0; l < t->grid.levels; ++l) {
        if (t->levels[l].count > 0) visit_level(w, slot, own, l);
    }
    w->lanes->flush(w);
    w->level = -1;
    w->both_irregular = false;
}
