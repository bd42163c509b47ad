// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The loops of the grids; see lanes.h and grid_cells.h. A row of neighbouring cells holds some five boxes, so that
// eight lanes are about right, also where there are sixteen.

/// The arrays of the cells, where the compiler sees that storing pairs does not change them.
typedef struct grid_view {
    const float* bounds[6];
    const uint32_t *keys, *ids, *starts;
} grid_view;

LANES_FN grid_view grid_view_of(const tact_cells* c)
{
    return (grid_view){{c->bounds[0], c->bounds[1], c->bounds[2], c->bounds[3], c->bounds[4], c->bounds[5]},
                       c->keys,
                       c->ids,
                       c->starts};
}

/// The box that asks.
typedef struct grid_asker {
    SF low_x, high_x, low_y, high_y, low_z, high_z;
    uint32_t id;
} grid_asker;

LANES_FN grid_asker grid_asker_of(const float box[6], uint32_t id)
{
    return (grid_asker){S_SET(box[0]), S_SET(box[1]), S_SET(box[2]), S_SET(box[3]), S_SET(box[4]), S_SET(box[5]), id};
}

/// The lanes before `end` that are of the row of `key`, or all, and meet the box.
LANES_FN uint32_t grid_overlaps(const grid_view* c, const grid_asker* q, uint32_t k, uint32_t end, bool all,
                                uint32_t key)
{
    // Short chains: one long one would be waited for.
    const SM x = S_LE_AND(S_LE(q->low_x, S_LOAD(c->bounds[1] + k)), S_LOAD(c->bounds[0] + k), q->high_x);
    const SM y = S_LE_AND(S_LE(q->low_y, S_LOAD(c->bounds[3] + k)), S_LOAD(c->bounds[2] + k), q->high_y);
    const SM z = S_LE_AND(S_LE(q->low_z, S_LOAD(c->bounds[5] + k)), S_LOAD(c->bounds[4] + k), q->high_z);
    SM found = S_AND(S_AND(x, y), z);
    if (!all) found = S_AND(found, S_EQ_WORDS(c->keys + k, key));
    const uint32_t bits = S_BITS(found);
    return end - k < S_LANES ? bits & ((1u << (end - k)) - 1u) : bits;
}

#if TACT_LANES_ISA == 3
/// Packs the ids that were found, makes pairs of them and stores eight, some of them past what is kept: no branch for a
/// pair, which no processor foresees.
LANES_FN tact_pair* grid_store(const grid_view* c, const grid_asker* q, uint32_t k, uint32_t bits, bool within,
                               tact_pair* next)
{
    const u8 one = u8_set(q->id), found = u8_pack(bits, u8_load(c->ids + k));
    const u8 a = within ? u8_min(found, one) : found, b = within ? u8_max(found, one) : one;
    const uint32_t count = lanes_count(bits);
    if (count > 4) {
        u8_store_pairs(&next->a, a, b);
    } else {
        u8_store_four_pairs(&next->a, a, b);
    }
    return next + count;
}
#endif

/// A box against places [begin, end): those of the row of `key`, or all. Takes and returns where the next pair goes,
/// which sink->next is told at the end.
LANES_FN tact_pair* grid_one(const grid_view* c, const grid_asker* q, uint32_t begin, uint32_t end, bool all,
                             uint32_t key, tact_pair_sink* sink, tact_pair* next)
{
    for (uint32_t k = begin; k < end; k += S_LANES) {
        uint32_t bits = grid_overlaps(c, q, k, end, all, key);
#if TACT_LANES_ISA == 3
        if (sink->plain && sink->last - next >= 8) {
            next = grid_store(c, q, k, bits, sink->within, next);
            continue;
        }
#endif
        sink->next = next;
        for (; bits; bits &= bits - 1)
            tact_pair_sink_add(sink, c->ids[k + tact_lowest_bit(bits)], q->id);
        next = sink->next;
    }
    return next;
}

LANES_FN grid_asker grid_asker_at(const grid_view* c, uint32_t place)
{
    const float box[6] = {c->bounds[0][place], c->bounds[1][place], c->bounds[2][place],
                          c->bounds[3][place], c->bounds[4][place], c->bounds[5][place]};
    return grid_asker_of(box, c->ids[place]);
}

/// All pairs within a level whose first box is at a place in [begin, end). Each cell's boxes are tested with the rest
/// of their row, and with the four rows that follow it. Returns the number of tests.
LANES_TARGET static uint64_t grid_self(const tact_cells* cells, const tact_grid_level* level, uint32_t begin,
                                       uint32_t end, tact_pair_sink* sink)
{
    const grid_view view = grid_view_of(cells), *const c = &view;
    static const int32_t next_rows[4] = {1, 0x10000 - 1, 0x10000, 0x10000 + 1};
    const uint32_t* starts = c->starts;
    tact_pair* next = sink->next;
    uint64_t tests = 0;
    for (uint32_t first = begin, last; first < end; first = last) {
        const uint32_t key = c->keys[first], x = tact_grid_cell(level, 0, c->bounds[0][first]);
        const uint32_t row = tact_grid_row(level, key);
        const uint32_t cell_end = starts[row + x + 1] < end ? starts[row + x + 1] : end;
        const uint32_t own_end = starts[row + x + 2];
        uint32_t from[4], to[4], candidates = own_end - first;
        for (int k = 0; k < 4; ++k) {
            const uint32_t at = tact_grid_row(level, key + (uint32_t)next_rows[k]) + x;
            from[k] = starts[at - 1];
            to[k] = starts[at + 2];
            candidates += to[k] - from[k];
        }
        for (last = first; last < cell_end && c->keys[last] == key; ++last) {
            const grid_asker q = grid_asker_at(c, last);
            next = grid_one(c, &q, last + 1, own_end, false, key, sink, next);
            for (int k = 0; k < 4; ++k)
                next = grid_one(c, &q, from[k], to[k], false, key + (uint32_t)next_rows[k], sink, next);
        }
        tests += (uint64_t)candidates * (last - first);
    }
    sink->next = next;
    return tests;
}

/// A box of volume `id` against places [begin, end).
LANES_TARGET static uint64_t grid_scan(const tact_cells* cells, const float box[6], uint32_t id, uint32_t begin,
                                       uint32_t end, tact_pair_sink* sink)
{
    const grid_view view = grid_view_of(cells);
    const grid_asker q = grid_asker_of(box, id);
    sink->next = grid_one(&view, &q, begin, end, true, 0, sink, sink->next);
    return end - begin;
}

/// Any box against the boxes of a level: those whose lower corner's cell is one that the box reaches, or one before.
LANES_TARGET static uint64_t grid_query(const tact_cells* cells, const tact_grid_level* level, const float box[6],
                                        uint32_t id, tact_pair_sink* sink)
{
    const uint32_t x_begin = tact_grid_cell(level, 0, box[0]) - 1, x_end = tact_grid_cell(level, 0, box[1]) + 1;
    const uint32_t y_begin = tact_grid_cell(level, 1, box[2]) - 1, y_end = tact_grid_cell(level, 1, box[3]) + 1;
    const uint32_t z_begin = tact_grid_cell(level, 2, box[4]) - 1, z_end = tact_grid_cell(level, 2, box[5]) + 1;
    const uint64_t rows = (uint64_t)(y_end - y_begin) * (z_end - z_begin);
    if (rows > 8 + (level->end - level->begin) / 8) return grid_scan(cells, box, id, level->begin, level->end, sink);
    const grid_view view = grid_view_of(cells), *const c = &view;
    const grid_asker q = grid_asker_of(box, id);
    tact_pair* next = sink->next;
    uint64_t tests = 0;
    for (uint32_t z = z_begin; z < z_end; ++z) {
        for (uint32_t y = y_begin; y < y_end; ++y) {
            const uint32_t key = y | z << 16, row = tact_grid_row(level, key);
            const uint32_t begin = c->starts[row + x_begin], end = c->starts[row + x_end];
            next = grid_one(c, &q, begin, end, false, key, sink, next);
            tests += end - begin;
        }
    }
    sink->next = next;
    return tests;
}
