// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The loops of the grids; see lanes.h and grid_cells.h.

#if TACT_LANES_ISA == 3

/// Gives the sink the pairs of volume `one` with those of the 16 ids at `ids` whose bits are set. Without a branch for
/// each pair, which no processor foresees: the ids are packed, made pairs and stored, eight at once, past what is kept.
LANES_FN void grid_emit(uint32_t one, const uint32_t* ids, uint32_t bits, tact_pair_sink* sink)
{
    if (!sink->plain || sink->last - sink->next < 16) {
        for (; bits; bits &= bits - 1)
            tact_pair_sink_add(sink, ids[lowest_bit(bits)], one);
        return;
    }
    const __m512i found = _mm512_maskz_compress_epi32((__mmask16)bits, _mm512_loadu_si512(ids));
    const __m512i other = _mm512_set1_epi32((int)one);
    const __m512i a = sink->within ? _mm512_min_epu32(found, other) : found;
    const __m512i b = sink->within ? _mm512_max_epu32(found, other) : other;
    const uint32_t count = (uint32_t)__builtin_popcount(bits);
    const __m512i low = _mm512_or_si512(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(a)),
                                        _mm512_slli_epi64(_mm512_cvtepu32_epi64(_mm512_castsi512_si256(b)), 32));
    _mm512_storeu_si512(sink->next, low);
    if (count > 8) {
        const __m512i high =
            _mm512_or_si512(_mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(a, 1)),
                            _mm512_slli_epi64(_mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(b, 1)), 32));
        _mm512_storeu_si512(sink->next + 8, high);
    }
    sink->next += count;
}

#else

LANES_FN void grid_emit(uint32_t one, const uint32_t* ids, uint32_t bits, tact_pair_sink* sink)
{
    for (; bits; bits &= bits - 1)
        tact_pair_sink_add(sink, ids[lowest_bit(bits)], one);
}

#endif

/// Lanes of places [k, end) that count: those of the row.
LANES_FN uint32_t grid_lanes_of(const tact_cells* c, uint32_t k, uint32_t end, uint32_t key)
{
    const uint32_t bits = M_BITS(M_EQ_WORDS(c->keys + k, key));
    return end - k < LANES ? bits & ((1u << (end - k)) - 1u) : bits;
}

/// The boxes at places [first, last), which are in one cell, against places [begin, end) of the row of `key`. With
/// `own` only against places after their own.
LANES_FN void grid_row(const tact_cells* c, uint32_t first, uint32_t last, uint32_t begin, uint32_t end, uint32_t key,
                       bool own, tact_pair_sink* sink)
{
    for (uint32_t k = begin; k < end; k += LANES) {
        const uint32_t lanes = grid_lanes_of(c, k, end, key);
        if (!lanes) continue;
        const VF low_x = V_LOAD(c->bounds[0] + k), high_x = V_LOAD(c->bounds[1] + k);
        const VF low_y = V_LOAD(c->bounds[2] + k), high_y = V_LOAD(c->bounds[3] + k);
        const VF low_z = V_LOAD(c->bounds[4] + k), high_z = V_LOAD(c->bounds[5] + k);
        for (uint32_t q = first; q < last; ++q) {
            const VM x = M_AND(V_LE(low_x, V_SET(c->bounds[1][q])), V_LE(V_SET(c->bounds[0][q]), high_x));
            const VM y = M_AND(V_LE(low_y, V_SET(c->bounds[3][q])), V_LE(V_SET(c->bounds[2][q]), high_y));
            const VM z = M_AND(V_LE(low_z, V_SET(c->bounds[5][q])), V_LE(V_SET(c->bounds[4][q]), high_z));
            uint32_t bits = M_BITS(M_AND(M_AND(x, y), z)) & lanes;
            if (own && q >= k) bits &= (uint32_t)(~(uint64_t)1 << (q - k < LANES ? q - k : LANES));
            grid_emit(c->ids[q], c->ids + k, bits, sink);
        }
    }
}

/// All pairs within a level whose first box is at a place in [begin, end). Each cell's boxes are tested with the rest
/// of their row, and with the four rows that follow it. Returns the number of tests.
LANES_TARGET static uint64_t grid_self(const tact_cells* c, const tact_grid_level* level, uint32_t begin, uint32_t end,
                                       tact_pair_sink* sink)
{
    static const int32_t next_rows[4] = {1, 0x10000 - 1, 0x10000, 0x10000 + 1};
    const uint32_t* starts = c->starts;
    uint64_t tests = 0;
    for (uint32_t first = begin, last; first < end; first = last) {
        const uint32_t key = c->keys[first], x = tact_grid_cell(level, 0, c->bounds[0][first]);
        const uint32_t row = tact_grid_row(level, key);
        const uint32_t cell_end = starts[row + x + 1] < end ? starts[row + x + 1] : end;
        for (last = first + 1; last < cell_end && c->keys[last] == key;)
            ++last;
        const uint32_t own_end = starts[row + x + 2];
        grid_row(c, first, last, first, own_end, key, true, sink);
        uint32_t candidates = own_end - first;
        for (int k = 0; k < 4; ++k) {
            const uint32_t other = key + (uint32_t)next_rows[k], at = tact_grid_row(level, other) + x;
            const uint32_t other_begin = starts[at - 1], other_end = starts[at + 2];
            grid_row(c, first, last, other_begin, other_end, other, false, sink);
            candidates += other_end - other_begin;
        }
        tests += (uint64_t)candidates * (last - first);
    }
    return tests;
}

/// One box, of volume `id`, against places [begin, end): those of the row of `key`, or all.
LANES_FN void grid_one(const tact_cells* c, const float box[6], uint32_t id, uint32_t begin, uint32_t end, bool all,
                       uint32_t key, tact_pair_sink* sink)
{
    const VF low_x = V_SET(box[0]), high_x = V_SET(box[1]), low_y = V_SET(box[2]), high_y = V_SET(box[3]);
    const VF low_z = V_SET(box[4]), high_z = V_SET(box[5]);
    for (uint32_t k = begin; k < end; k += LANES) {
        const VM x = M_AND(V_LE(low_x, V_LOAD(c->bounds[1] + k)), V_LE(V_LOAD(c->bounds[0] + k), high_x));
        const VM y = M_AND(V_LE(low_y, V_LOAD(c->bounds[3] + k)), V_LE(V_LOAD(c->bounds[2] + k), high_y));
        const VM z = M_AND(V_LE(low_z, V_LOAD(c->bounds[5] + k)), V_LE(V_LOAD(c->bounds[4] + k), high_z));
        uint32_t bits = M_BITS(M_AND(M_AND(x, y), z));
        if (!all) bits &= M_BITS(M_EQ_WORDS(c->keys + k, key));
        if (end - k < LANES) bits &= (1u << (end - k)) - 1u;
        grid_emit(id, c->ids + k, bits, sink);
    }
}

LANES_TARGET static uint64_t grid_scan(const tact_cells* c, const float box[6], uint32_t id, uint32_t begin,
                                       uint32_t end, tact_pair_sink* sink)
{
    grid_one(c, box, id, begin, end, true, 0, sink);
    return end - begin;
}

/// Any box against the boxes of a level: those whose lower corner's cell is one that the box reaches, or one before.
LANES_TARGET static uint64_t grid_query(const tact_cells* c, const tact_grid_level* level, const float box[6],
                                        uint32_t id, tact_pair_sink* sink)
{
    const uint32_t x_begin = tact_grid_cell(level, 0, box[0]) - 1, x_end = tact_grid_cell(level, 0, box[1]) + 1;
    const uint32_t y_begin = tact_grid_cell(level, 1, box[2]) - 1, y_end = tact_grid_cell(level, 1, box[3]) + 1;
    const uint32_t z_begin = tact_grid_cell(level, 2, box[4]) - 1, z_end = tact_grid_cell(level, 2, box[5]) + 1;
    const uint64_t rows = (uint64_t)(y_end - y_begin) * (z_end - z_begin);
    if (rows > 8 + (level->end - level->begin) / 8) return grid_scan(c, box, id, level->begin, level->end, sink);
    uint64_t tests = 0;
    for (uint32_t z = z_begin; z < z_end; ++z) {
        for (uint32_t y = y_begin; y < y_end; ++y) {
            const uint32_t key = y | z << 16, row = tact_grid_row(level, key);
            const uint32_t begin = c->starts[row + x_begin], end = c->starts[row + x_end];
            grid_one(c, box, id, begin, end, false, key, sink);
            tests += end - begin;
        }
    }
    return tests;
}
