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

#if TACT_LANES_ISA == 3
#define GRID_TARGET __attribute__((target("avx512f,avx512vl")))
#define GRID_FN GRID_TARGET __attribute__((always_inline)) static inline

/// The box that asks.
typedef struct grid_asker {
    __m256 low_x, high_x, low_y, high_y, low_z, high_z;
    uint32_t id;
} grid_asker;

GRID_FN grid_asker grid_asker_of(const float box[6], uint32_t id)
{
    return (grid_asker){_mm256_set1_ps(box[0]),
                        _mm256_set1_ps(box[1]),
                        _mm256_set1_ps(box[2]),
                        _mm256_set1_ps(box[3]),
                        _mm256_set1_ps(box[4]),
                        _mm256_set1_ps(box[5]),
                        id};
}

GRID_FN uint32_t grid_overlaps(const grid_view* c, const grid_asker* q, uint32_t k, __mmask8 lanes)
{
    // Three short chains: one long one would be waited for.
    __mmask8 x = _mm256_cmp_ps_mask(q->low_x, _mm256_loadu_ps(c->bounds[1] + k), _CMP_LE_OQ);
    x = _mm256_mask_cmp_ps_mask(x, q->high_x, _mm256_loadu_ps(c->bounds[0] + k), _CMP_GE_OQ);
    __mmask8 y = _mm256_cmp_ps_mask(q->low_y, _mm256_loadu_ps(c->bounds[3] + k), _CMP_LE_OQ);
    y = _mm256_mask_cmp_ps_mask(y, q->high_y, _mm256_loadu_ps(c->bounds[2] + k), _CMP_GE_OQ);
    __mmask8 z = _mm256_mask_cmp_ps_mask(lanes, q->low_z, _mm256_loadu_ps(c->bounds[5] + k), _CMP_LE_OQ);
    z = _mm256_mask_cmp_ps_mask(z, q->high_z, _mm256_loadu_ps(c->bounds[4] + k), _CMP_GE_OQ);
    return (uint32_t)(x & y & z);
}

GRID_FN __mmask8 grid_lanes_of(const grid_view* c, uint32_t k, uint32_t end, bool all, uint32_t key)
{
    const __mmask8 lanes = (__mmask8)(end - k < 8 ? (1u << (end - k)) - 1u : 0xffu);
    if (all) return lanes;
    return _mm256_mask_cmpeq_epi32_mask(lanes, _mm256_loadu_si256((const __m256i*)(const void*)(c->keys + k)),
                                        _mm256_set1_epi32((int)key));
}

/// A box against places [begin, end): those of the row of `key`, or all. Takes and returns where the next pair goes,
/// which sink->next is told at the end. No branch for a pair, which no processor foresees: the ids that were found are
/// packed, made pairs and stored, eight at once, some of them past what is kept.
GRID_FN tact_pair* grid_one(const grid_view* c, const grid_asker* q, uint32_t begin, uint32_t end, bool all,
                            uint32_t key, tact_pair_sink* sink, tact_pair* next)
{
    const __m512i interleave = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m256i one = _mm256_set1_epi32((int)q->id);
    for (uint32_t k = begin; k < end; k += 8) {
        uint32_t bits = grid_overlaps(c, q, k, grid_lanes_of(c, k, end, all, key));
        if (!sink->plain || sink->last - next < 8) {
            sink->next = next;
            for (; bits; bits &= bits - 1)
                tact_pair_sink_add(sink, c->ids[k + tact_lowest_bit(bits)], q->id);
            next = sink->next;
            continue;
        }
        const __m256i found =
            _mm256_maskz_compress_epi32((__mmask8)bits, _mm256_loadu_si256((const __m256i*)(const void*)(c->ids + k)));
        const __m256i a = sink->within ? _mm256_min_epu32(found, one) : found;
        const __m256i b = sink->within ? _mm256_max_epu32(found, one) : one;
        const uint32_t count = (uint32_t)__builtin_popcount(bits);
        if (count > 4) {
            _mm512_storeu_si512(
                next, _mm512_permutex2var_epi32(_mm512_castsi256_si512(a), interleave, _mm512_castsi256_si512(b)));
        } else {
            const __m256i low = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(a));
            const __m256i high = _mm256_slli_epi64(_mm256_cvtepu32_epi64(_mm256_castsi256_si128(b)), 32);
            _mm256_storeu_si256((__m256i*)(void*)next, _mm256_or_si256(low, high));
        }
        next += count;
    }
    return next;
}

#else
#define GRID_TARGET LANES_TARGET
#define GRID_FN LANES_FN

typedef struct grid_asker {
    VF low_x, high_x, low_y, high_y, low_z, high_z;
    uint32_t id;
} grid_asker;

GRID_FN grid_asker grid_asker_of(const float box[6], uint32_t id)
{
    return (grid_asker){V_SET(box[0]), V_SET(box[1]), V_SET(box[2]), V_SET(box[3]), V_SET(box[4]), V_SET(box[5]), id};
}

GRID_FN tact_pair* grid_one(const grid_view* c, const grid_asker* q, uint32_t begin, uint32_t end, bool all,
                            uint32_t key, tact_pair_sink* sink, tact_pair* next)
{
    sink->next = next;
    for (uint32_t k = begin; k < end; k += LANES) {
        const VM x = M_AND(V_LE(q->low_x, V_LOAD(c->bounds[1] + k)), V_LE(V_LOAD(c->bounds[0] + k), q->high_x));
        const VM y = M_AND(V_LE(q->low_y, V_LOAD(c->bounds[3] + k)), V_LE(V_LOAD(c->bounds[2] + k), q->high_y));
        const VM z = M_AND(V_LE(q->low_z, V_LOAD(c->bounds[5] + k)), V_LE(V_LOAD(c->bounds[4] + k), q->high_z));
        VM found = M_AND(M_AND(x, y), z);
        if (!all) found = M_AND(found, M_EQ_WORDS(c->keys + k, key));
        uint32_t bits = M_BITS(found);
        if (end - k < LANES) bits &= (1u << (end - k)) - 1u;
        for (; bits; bits &= bits - 1)
            tact_pair_sink_add(sink, c->ids[k + tact_lowest_bit(bits)], q->id);
    }
    return sink->next;
}

#endif

GRID_FN grid_asker grid_asker_at(const grid_view* c, uint32_t place)
{
    const float box[6] = {c->bounds[0][place], c->bounds[1][place], c->bounds[2][place],
                          c->bounds[3][place], c->bounds[4][place], c->bounds[5][place]};
    return grid_asker_of(box, c->ids[place]);
}

/// All pairs within a level whose first box is at a place in [begin, end). Each cell's boxes are tested with the rest
/// of their row, and with the four rows that follow it. Returns the number of tests.
GRID_TARGET static uint64_t grid_self(const tact_cells* cells, const tact_grid_level* level, uint32_t begin,
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
GRID_TARGET static uint64_t grid_scan(const tact_cells* cells, const float box[6], uint32_t id, uint32_t begin,
                                      uint32_t end, tact_pair_sink* sink)
{
    const grid_view view = grid_view_of(cells);
    const grid_asker q = grid_asker_of(box, id);
    sink->next = grid_one(&view, &q, begin, end, true, 0, sink, sink->next);
    return end - begin;
}

/// Any box against the boxes of a level: those whose lower corner's cell is one that the box reaches, or one before.
GRID_TARGET static uint64_t grid_query(const tact_cells* cells, const tact_grid_level* level, const float box[6],
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
