// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Numbers in files: least byte first, at any address, on every machine.

#include <stdint.h>

static inline uint32_t tact_get_u32(const uint8_t* b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t tact_get_u64(const uint8_t* b)
{
    return (uint64_t)tact_get_u32(b) | (uint64_t)tact_get_u32(b + 4) << 32;
}

static inline void tact_put_u32(uint8_t* b, uint32_t x)
{
    for (int i = 0; i < 4; ++i)
        b[i] = (uint8_t)(x >> (8 * i));
}

static inline void tact_put_u64(uint8_t* b, uint64_t x)
{
    tact_put_u32(b, (uint32_t)x);
    tact_put_u32(b + 4, (uint32_t)(x >> 32));
}
