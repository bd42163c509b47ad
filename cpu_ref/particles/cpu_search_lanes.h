// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Which particles touch: one against slots that follow each other, several at a time. Those that do are appended to the
// block, in order. Included by cpu_lanes_body.h.

/// Where particles are, and what a search needs besides. A copy, for a compiler cannot know that what is found does not
/// overwrite the original.
typedef struct search_in {
    const float *x, *y, *z, *radius;
    float period[3], reach, stretch;
    bool filtered;
} search_in;

LANES_FN search_in search_of(const tact_walk_worker* w)
{
    const tact_particle_walk* walk = w->walk;
    const tact_particle_slots* s = &walk->slots;
    const TactGrid* g = &walk->table->grid;
    const search_in in = {
        s->x,       s->y,          s->z, s->radius, {g->x.period, g->y.period, g->z.period}, walk->reach * w->stretch,
        w->stretch, walk->filtered};
    return in;
}

/// How far the block is filled, and with the partners of which particle: entries from `first` on are its.
typedef struct search_state {
    uint32_t slot, first, count;
} search_state;

/// tact_grid_shorter(); without a period it changes nothing.
LANES_FN SF shorter(SF d, float period)
{
    const SF half = S_SET(0.5f * period), length = S_SET(period);
    const SF result = S_SELECT(S_LT(half, d), S_SUB(d, length), d);
    return S_SELECT(S_LT(d, S_SUB(S_SET(0.0f), half)), S_ADD(d, length), result);
}

/// Notes whose the last entries are.
LANES_FN void sign(tact_walk_worker* w, const search_state* s)
{
    for (uint32_t k = s->first; k < s->count; k += S_LANES)
        lanes_fill(w->block.i + k, s->slot);
}

/// Empties a block that is nearly full.
LANES_TARGET static void make_room(tact_walk_worker* w, const search_state* s)
{
    sign(w, s);
    w->block.count = s->count;
    w->lanes->flush(w);
}

/// Drops those entries from `first` on that do not count. Returns how many entries are left.
LANES_TARGET static uint32_t keep(tact_walk_worker* w, const search_state* s, uint32_t first)
{
    sign(w, s);
    w->block.count = s->count;
    tact_walk_keep(w, first);
    return w->block.count;
}

/// Appends those of slots [begin, end) that the particle of `s` touches to the block, or nearly: `stretch`.
LANES_FN search_state search(tact_walk_worker* w, const search_in* in, search_state s, uint32_t begin, uint32_t end,
                             const bool equal_radii, const bool periodic)
{
    const SF x = S_SET(in->x[s.slot]), y = S_SET(in->y[s.slot]), z = S_SET(in->z[s.slot]);
    for (uint32_t j = begin; j < end; j += S_LANES) {
        if (s.count > TACT_TOUCH_BLOCK - S_LANES) {
            make_room(w, &s);
            s.first = s.count = 0;
        }
        SF dx = S_SUB(S_LOAD(in->x + j), x);
        SF dy = S_SUB(S_LOAD(in->y + j), y);
        SF dz = S_SUB(S_LOAD(in->z + j), z);
        if (periodic) {
            dx = shorter(dx, in->period[0]);
            dy = shorter(dy, in->period[1]);
            dz = shorter(dz, in->period[2]);
        }
        const SF reach = equal_radii
                             ? S_SET(in->reach)
                             : S_MUL(S_SET(in->stretch), S_ADD(S_SET(in->radius[s.slot]), S_LOAD(in->radius + j)));
        const SF d2 = S_ADD(S_ADD(S_MUL(dx, dx), S_MUL(dy, dy)), S_MUL(dz, dz));
        uint32_t bits = S_BITS(S_LE(d2, S_MUL(reach, reach)));
        const uint32_t left = end - j;
        const uint32_t last = left < S_LANES ? left : S_LANES;
        bits &= (1u << last) - 1u;
        lanes_put(w->block.j + s.count, bits, j);
        const uint32_t before = s.count;
        s.count += lanes_count(bits);
        if (in->filtered && s.count > before) s.count = keep(w, &s, before);
    }
    return s;
}

static inline uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t sooner(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/// Slots of the cells with keys [begin, end), where `clipped` those of them that are in [from, to).
typedef struct slot_range {
    uint32_t begin, end;
} slot_range;

LANES_FN slot_range slots_of(const uint32_t* starts, uint32_t begin, uint32_t end, uint32_t from, uint32_t to,
                             const bool clipped)
{
    slot_range r = {starts[begin], starts[end]};
    if (clipped) {
        r.begin = later(r.begin, from);
        r.end = sooner(r.end, to);
    }
    return r;
}

/// The rows of three cells that lie ahead of a cell, besides its own. Returns how many there are.
LANES_FN int rows_ahead(const uint32_t* starts, const tact_cell_level* l, const uint32_t cell[3], uint32_t low,
                        uint32_t high, uint32_t from, uint32_t to, const bool clipped, slot_range rows[4])
{
    const uint32_t row = l->size[0], plane = l->size[0] * l->size[1];
    const bool next_y = cell[1] + 1 < l->size[1];
    int count = 0;
    if (next_y) rows[count++] = slots_of(starts, low + row, high + row, from, to, clipped);
    if (cell[2] + 1 < l->size[2]) {
        if (cell[1] > 0) rows[count++] = slots_of(starts, low + plane - row, high + plane - row, from, to, clipped);
        rows[count++] = slots_of(starts, low + plane, high + plane, from, to, clipped);
        if (next_y) rows[count++] = slots_of(starts, low + plane + row, high + plane + row, from, to, clipped);
    }
    return count;
}

/// forward_in() for a level that folds: the particles of an entry may be in several cells.
LANES_FN void forward_folded(tact_walk_worker* w, int level, uint32_t begin, uint32_t end, uint32_t from, uint32_t to,
                             const bool periodic)
{
    const tact_particle_walk* walk = w->walk;
    const tact_particle_cpu* e = walk->engine;
    const tact_cell_level* l = &walk->table->levels[level];
    const uint32_t *starts = walk->table->starts, *within = e->within;
    const search_in in = search_of(w);
    search_state s = {0, 0, w->block.count};
    for (uint32_t key = begin; key < end; ++key) {
        uint32_t i = starts[key];
        while (i < starts[key + 1]) {
            const uint64_t place = ((uint64_t)(key - l->base) << l->fold) + within[i], row = place / l->size[0];
            const uint32_t x = (uint32_t)(place - row * l->size[0]);
            const uint32_t y = (uint32_t)(row % l->size[1]), z = (uint32_t)(row / l->size[1]);
            const uint32_t x_low = x > 0 ? x - 1 : x, x_high = (x + 1 < l->size[0] ? x + 1 : x) + 1;
            slot_range rows[5];
            int row_count = 0;
            for (uint32_t ahead = 0; ahead < 5; ++ahead) {
                // The rest of its own row, the next, and three of the next layer.
                if (ahead == 2 && z + 1 >= l->size[2]) break;
                if (ahead == 2 && y == 0) continue;
                if ((ahead == 1 || ahead == 4) && y + 1 >= l->size[1]) continue;
                const uint64_t at = ahead < 2 ? row + ahead : row + l->size[1] + ahead - 3;
                const tact_slot_range r = tact_cell_slots(e, l, at * l->size[0] + x_low, at * l->size[0] + x_high);
                rows[row_count].begin = later(r.begin, from);
                rows[row_count++].end = sooner(r.end, to);
            }
            const uint32_t own = within[i];
            for (; i < starts[key + 1] && within[i] == own; ++i) {
                s.slot = i;
                s.first = s.count;
                s = search(w, &in, s, later(i + 1, rows[0].begin), rows[0].end, false, periodic);
                for (int r = 1; r < row_count; ++r)
                    s = search(w, &in, s, rows[r].begin, rows[r].end, false, periodic);
                sign(w, &s);
            }
        }
    }
    w->block.count = s.count;
}

LANES_FN void forward_in(tact_walk_worker* w, int level, uint32_t begin, uint32_t end, uint32_t from, uint32_t to,
                         const bool equal_radii, const bool periodic, const bool clipped)
{
    const tact_particle_walk* walk = w->walk;
    const tact_cell_level* l = &walk->table->levels[level];
    const uint32_t* starts = walk->table->starts;
    if (begin >= end) return;
    const uint32_t first = begin - l->base;
    uint32_t cell[3] = {first % l->size[0], first / l->size[0] % l->size[1], first / l->size[0] / l->size[1]};
    const search_in in = search_of(w);
    search_state s = {0, 0, w->block.count};
    for (uint32_t key = begin; key < end; ++key) {
        const uint32_t i_end = starts[key + 1];
        if (starts[key] < i_end) {
            const uint32_t low = cell[0] > 0 ? key - 1 : key;
            const uint32_t high = (cell[0] + 1 < l->size[0] ? key + 1 : key) + 1;
            const uint32_t own_end = clipped ? sooner(starts[high], to) : starts[high];
            slot_range rows[4];
            const int row_count = rows_ahead(starts, l, cell, low, high, from, to, clipped, rows);
            for (uint32_t i = starts[key]; i < i_end; ++i) {
                s.slot = i;
                s.first = s.count;
                s = search(w, &in, s, clipped ? later(i + 1, from) : i + 1, own_end, equal_radii, periodic);
                for (int r = 0; r < row_count; ++r)
                    s = search(w, &in, s, rows[r].begin, rows[r].end, equal_radii, periodic);
                sign(w, &s);
            }
        }
        if (++cell[0] == l->size[0]) {
            cell[0] = 0;
            if (++cell[1] == l->size[1]) {
                cell[1] = 0;
                ++cell[2];
            }
        }
    }
    w->block.count = s.count;
}
