// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rows of eight numbers, one for each lane, turned into eight columns of lanes, and back. Included by lanes_body.h.
// Number by number this takes eight loads and eight stores a row, and then a wide load must wait for all the stores.
// Words other than floats pass as they are.

#if TACT_LANES_ISA >= 2

/// Lane i of column k is the number k of rows[i].
LANES_INLINE void turn_rows(const void* const rows[LANES], VF columns[8])
{
    f8 r[LANES];
    for (int i = 0; i < LANES; ++i)
        r[i] = f8_load(rows[i]);
    f8_turn_eight(r);
#if LANES == 16
    f8_turn_eight(r + 8);
    for (int k = 0; k < 8; ++k)
        columns[k] = f16_join(r[k], r[k + 8]);
#else
    for (int k = 0; k < 8; ++k)
        columns[k] = r[k];
#endif
}

/// Sets the number k of rows[i] to lane i of column k, for the first `count` rows.
LANES_INLINE void turn_columns(const VF columns[8], void* const rows[LANES], uint32_t count)
{
    f8 r[LANES];
#if LANES == 16
    for (int k = 0; k < 8; ++k) {
        r[k] = f16_low(columns[k]);
        r[k + 8] = f16_high(columns[k]);
    }
    f8_turn_eight(r + 8);
#else
    for (int k = 0; k < 8; ++k)
        r[k] = columns[k];
#endif
    f8_turn_eight(r);
    for (uint32_t i = 0; i < LANES; ++i)
        if (i < count) f8_store(rows[i], r[i]);
}

/// The same of five columns and rows of five numbers.
LANES_INLINE void turn_five(const VF columns[5], void* const rows[LANES], uint32_t count)
{
    f8 r[LANES];
    for (int k = 0; k < 8; ++k) {
#if LANES == 16
        r[k] = k < 5 ? f16_low(columns[k]) : f8_set(0.0f);
        r[k + 8] = k < 5 ? f16_high(columns[k]) : f8_set(0.0f);
#else
        r[k] = k < 5 ? columns[k] : f8_set(0.0f);
#endif
    }
#if LANES == 16
    f8_turn_eight(r + 8);
#endif
    f8_turn_eight(r);
    for (uint32_t i = 0; i < LANES && i < count; ++i)
        f8_store_five(rows[i], r[i]);
}

#else

LANES_INLINE void turn_rows(const void* const rows[LANES], VF columns[8])
{
    for (int k = 0; k < 8; ++k) {
        float column[LANES];
        for (int i = 0; i < LANES; ++i)
            memcpy(&column[i], (const char*)rows[i] + k * sizeof(float), sizeof(float));
        columns[k] = V_LOAD(column);
    }
}

LANES_INLINE void turn_some(const VF* columns, int column_count, void* const rows[LANES], uint32_t count)
{
    for (int k = 0; k < column_count; ++k) {
        float column[LANES];
        V_STORE(column, columns[k]);
        for (uint32_t i = 0; i < count; ++i)
            memcpy((char*)rows[i] + k * sizeof(float), &column[i], sizeof(float));
    }
}

LANES_INLINE void turn_columns(const VF columns[8], void* const rows[LANES], uint32_t count)
{
    turn_some(columns, 8, rows, count);
}

LANES_INLINE void turn_five(const VF columns[5], void* const rows[LANES], uint32_t count)
{
    turn_some(columns, 5, rows, count);
}

#endif
