// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Which particles touch: one against slots that follow each other, several at a time. Those that do are appended to the
// block, in order. Included by cpu_lanes_body.h.

/// The particle that looks.
typedef struct search_from {
    uint32_t slot;
    float x, y, z, radius;
} search_from;

LANES_FN search_from search_of(const tact_particle_walk* walk, uint32_t i)
{
    const tact_particle_slots* s = &walk->slots;
    const search_from self = {i, s->x[i], s->y[i], s->z[i], s->radius[i]};
    return self;
}

/// tact_grid_shorter(); without a period it changes nothing.
LANES_FN SF shorter(SF d, float period)
{
    const SF half = S_SET(0.5f * period), length = S_SET(period);
    SF result = S_SELECT(S_LT(half, d), S_SUB(d, length), d);
    return S_SELECT(S_LT(d, S_SUB(S_SET(0.0f), half)), S_ADD(d, length), result);
}

/// Makes room in a block that is nearly full. Returns how many are in it then.
static uint32_t make_room(tact_walk_worker* w, uint32_t count)
{
    w->block.count = count;
    w->lanes->flush(w);
    return 0;
}

static uint32_t keep(tact_walk_worker* w, uint32_t before, uint32_t count)
{
    w->block.count = count;
    tact_walk_keep(w, before);
    return w->block.count;
}

/// Appends those of slots [begin, end) that particle `i` touches to the block, of which `count` are used; returns how
/// many are then.
LANES_FN uint32_t search(tact_walk_worker* w, const search_from* i, uint32_t begin, uint32_t end, uint32_t count,
                         const bool equal_radii, const bool periodic)
{
    const tact_particle_walk* walk = w->walk;
    tact_touch_block* b = &w->block;
    const SF x = S_SET(i->x), y = S_SET(i->y), z = S_SET(i->z);
    for (uint32_t j = begin; j < end; j += SEARCH_LANES) {
        if (count > TACT_TOUCH_BLOCK - SEARCH_LANES) count = make_room(w, count);
        SF dx = S_SUB(S_LOAD(walk->slots.x + j), x);
        SF dy = S_SUB(S_LOAD(walk->slots.y + j), y);
        SF dz = S_SUB(S_LOAD(walk->slots.z + j), z);
        if (periodic) {
            dx = shorter(dx, walk->table->grid.x.period);
            dy = shorter(dy, walk->table->grid.y.period);
            dz = shorter(dz, walk->table->grid.z.period);
        }
        const SF reach = equal_radii ? S_SET(walk->reach) : S_ADD(S_SET(i->radius), S_LOAD(walk->slots.radius + j));
        const SF d2 = S_ADD(S_ADD(S_MUL(dx, dx), S_MUL(dy, dy)), S_MUL(dz, dz));
        uint32_t bits = S_BITS(S_LE(d2, S_MUL(reach, reach)));
        const uint32_t left = end - j;
        if (left < SEARCH_LANES) bits &= (1u << left) - 1u;
        S_ORDER(order, bits)
        F_PUT(b->dx + count, order, bits, dx);
        F_PUT(b->dy + count, order, bits, dy);
        F_PUT(b->dz + count, order, bits, dz);
        F_PUT(b->d2 + count, order, bits, d2);
        if (!equal_radii) {
            F_PUT(b->reach + count, order, bits, reach);
        }
        U_PUT(b->j + count, order, bits, j);
        U_FILL(b->i + count, i->slot);
        const uint32_t before = count;
        count += S_COUNT(bits);
        if (walk->filtered && count > before) count = keep(w, before, count);
    }
    return count;
}

static inline uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static inline uint32_t sooner(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/// Slots of the cells with keys [begin, end) that are in [from, to).
typedef struct slot_range {
    uint32_t begin, end;
} slot_range;

static inline slot_range slots_of(const uint32_t* starts, uint32_t begin, uint32_t end, uint32_t from, uint32_t to)
{
    const slot_range r = {later(starts[begin], from), sooner(starts[end], to)};
    return r;
}

/// The rows of three cells that lie ahead of a cell, besides its own. Returns how many there are.
LANES_FN int rows_ahead(const uint32_t* starts, const tact_cell_level* l, const uint32_t cell[3], uint32_t low,
                        uint32_t high, uint32_t from, uint32_t to, slot_range rows[4])
{
    const uint32_t row = l->size[0], plane = l->size[0] * l->size[1];
    const bool next_y = cell[1] + 1 < l->size[1];
    int count = 0;
    if (next_y) rows[count++] = slots_of(starts, low + row, high + row, from, to);
    if (cell[2] + 1 < l->size[2]) {
        if (cell[1] > 0) rows[count++] = slots_of(starts, low + plane - row, high + plane - row, from, to);
        rows[count++] = slots_of(starts, low + plane, high + plane, from, to);
        if (next_y) rows[count++] = slots_of(starts, low + plane + row, high + plane + row, from, to);
    }
    return count;
}

LANES_FN void forward_in(tact_walk_worker* w, int level, uint32_t begin, uint32_t end, uint32_t from, uint32_t to,
                         const bool equal_radii, const bool periodic)
{
    const tact_particle_walk* walk = w->walk;
    const tact_cell_level* l = &walk->table->levels[level];
    const uint32_t* starts = walk->table->starts;
    if (begin >= end) return;
    const uint32_t first = begin - l->base;
    uint32_t cell[3] = {first % l->size[0], first / l->size[0] % l->size[1], first / l->size[0] / l->size[1]};
    uint32_t count = w->block.count;
    for (uint32_t key = begin; key < end; ++key) {
        const uint32_t i_end = starts[key + 1];
        if (starts[key] < i_end) {
            const uint32_t low = cell[0] > 0 ? key - 1 : key;
            const uint32_t high = (cell[0] + 1 < l->size[0] ? key + 1 : key) + 1;
            const uint32_t own_end = sooner(starts[high], to);
            slot_range rows[4];
            const int row_count = rows_ahead(starts, l, cell, low, high, from, to, rows);
            for (uint32_t i = starts[key]; i < i_end; ++i) {
                const search_from self = search_of(walk, i);
                count = search(w, &self, later(i + 1, from), own_end, count, equal_radii, periodic);
                for (int r = 0; r < row_count; ++r)
                    count = search(w, &self, rows[r].begin, rows[r].end, count, equal_radii, periodic);
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
    w->block.count = count;
}
