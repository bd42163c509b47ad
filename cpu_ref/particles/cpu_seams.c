// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles that see over a seam: each visits the cells about it in the order in which it sees them, on its own. And
// which contacts count where a cell of the table stands for several cells of space, or groups do not meet.

#include <string.h>

#include "cpu_ref/particles/cpu_engine.h"

static int level_of(const tact_particle_walk* walk, uint32_t slot)
{
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
    int cell;   ///< its own on the coarser level
    int finer;  ///< levels from that to the one looked at
    int cells;  ///< in a period, on the coarser level; 0: none
    int low;    ///< the lowest of a period, on the coarser level
} seen_axis;

/// The cell of space, on the level looked at, that is seen as `seen`.
static int cell_seen(const seen_axis* a, int seen)
{
    int coarse = a->cell + (seen >> a->finer);
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

/// Scans a row of cells, in pieces that follow each other in the table. `cell`: its y and z.
static void scan_row(tact_walk_worker* w, uint32_t i, const tact_cell_level* l, const seen_axis* x, const int cell[3],
                     int self_level)
{
    const uint32_t* starts = w->walk->table->starts;
    const int end = 2 << x->finer;
    (void)self_level;
    int seen = -(1 << x->finer);
    while (seen < end) {
        int at = cell_seen(x, seen);
        if (!in_table(l, 0, at)) {
            ++seen;
            continue;
        }
        const uint32_t key = tact_cell_key(l, at, cell[1], cell[2]);
        uint32_t length = 1;
        while (seen + (int)length < end) {
            const int next = cell_seen(x, seen + (int)length);
            if (next != at + 1 || !in_table(l, 0, next)) break;
            if (tact_cell_key(l, next, cell[1], cell[2]) != key + length) break;
            at = next;
            ++length;
        }
        w->seen_x[0] = seen;
        w->seen_x[1] = seen + (int)length - 1;
        const uint32_t from = starts[key], to = starts[key + length];
        // Without itself, which it would touch.
        if (i >= from && i < to) {
            w->lanes->scan(w, i, from, i);
            w->lanes->scan(w, i, i + 1, to);
        } else if (from < to) {
            w->lanes->scan(w, i, from, to);
        }
        seen += (int)length;
    }
}

static seen_axis seen_along(const TactGrid* g, const TactGridAxis* a, int c, int coarse, int l)
{
    const seen_axis s = {.cell = tact_grid_on_level(*g, c, coarse),
                         .finer = l - coarse,
                         .cells = a->period > 0.0f ? (a->high - a->low + 1) >> (g->levels - 1 - coarse) : 0,
                         .low = tact_grid_on_level(*g, a->low, coarse)};
    return s;
}

static void visit_level(tact_walk_worker* w, uint32_t i, int own, int l)
{
    const tact_cell_table* t = w->walk->table;
    const tact_cell_level* level = &t->levels[l];
    const TactCell c = w->walk->engine->cells[i];
    const int coarse = own < l ? own : l;
    const seen_axis x = seen_along(&t->grid, &t->grid.x, c.x, coarse, l);
    const seen_axis y = seen_along(&t->grid, &t->grid.y, c.y, coarse, l);
    const seen_axis z = seen_along(&t->grid, &t->grid.z, c.z, coarse, l);
    const int begin = -(1 << (l - coarse)), end = 2 << (l - coarse);
    w->level = l;
    for (w->seen_z = begin; w->seen_z < end; ++w->seen_z) {
        int cell[3] = {0, 0, cell_seen(&z, w->seen_z)};
        if (!in_table(level, 2, cell[2])) continue;
        for (w->seen_y = begin; w->seen_y < end; ++w->seen_y) {
            cell[1] = cell_seen(&y, w->seen_y);
            if (in_table(level, 1, cell[1])) scan_row(w, i, level, &x, cell, own);
        }
    }
}

void tact_cpu_walk_seam(tact_walk_worker* w, uint32_t slot)
{
    const tact_cell_table* t = w->walk->table;
    const int own = level_of(w->walk, slot);
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
