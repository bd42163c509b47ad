// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "base/xxh64.h"

#include <string.h>

#define P1 UINT64_C(0x9E3779B185EBCA87)
#define P2 UINT64_C(0xC2B2AE3D27D4EB4F)
#define P3 UINT64_C(0x165667B19E3779F9)
#define P4 UINT64_C(0x85EBCA77C2B2AE63)
#define P5 UINT64_C(0x27D4EB2F165667C5)

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

/// Little endian on every machine; compilers make one load of it.
static uint64_t read_64(const uint8_t* b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

static uint64_t read_32(const uint8_t* b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24;
}

static uint64_t round_of(uint64_t lane, uint64_t input)
{
    return rotate(lane + input * P2, 31) * P1;
}

void tact_xxh64_begin(tact_xxh64* s)
{
    memset(s, 0, sizeof *s);
    s->lane[0] = P1 + P2;
    s->lane[1] = P2;
    s->lane[3] = UINT64_C(0) - P1;
}

static void take(tact_xxh64* s, const uint8_t* b)
{
    for (int i = 0; i < 4; ++i)
        s->lane[i] = round_of(s->lane[i], read_64(b + 8 * i));
}

void tact_xxh64_add(tact_xxh64* s, const void* bytes, size_t size)
{
    const uint8_t* b = bytes;
    const size_t held = (size_t)(s->total % 32);
    s->total += size;
    if (size == 0) return;
    if (held + size < 32) {
        memcpy(s->rest + held, b, size);
        return;
    }
    if (held > 0) {
        memcpy(s->rest + held, b, 32 - held);
        take(s, s->rest);
        b += 32 - held;
        size -= 32 - held;
    }
    for (; size >= 32; b += 32, size -= 32)
        take(s, b);
    if (size > 0) memcpy(s->rest, b, size);
}

uint64_t tact_xxh64_end(const tact_xxh64* s)
{
    uint64_t sum = P5;
    if (s->total >= 32) {
        sum = rotate(s->lane[0], 1) + rotate(s->lane[1], 7) + rotate(s->lane[2], 12) + rotate(s->lane[3], 18);
        for (int i = 0; i < 4; ++i)
            sum = (sum ^ round_of(0, s->lane[i])) * P1 + P4;
    }
    sum += s->total;
    const uint8_t* b = s->rest;
    size_t left = (size_t)(s->total % 32);
    for (; left >= 8; b += 8, left -= 8)
        sum = rotate(sum ^ round_of(0, read_64(b)), 27) * P1 + P4;
    if (left >= 4) {
        sum = rotate(sum ^ read_32(b) * P1, 23) * P2 + P3;
        b += 4;
        left -= 4;
    }
    for (; left > 0; ++b, --left)
        sum = rotate(sum ^ *b * P5, 11) * P1;
    sum = (sum ^ sum >> 33) * P2;
    sum = (sum ^ sum >> 29) * P3;
    return sum ^ sum >> 32;
}

uint64_t tact_xxh64_of(const void* bytes, size_t size)
{
    tact_xxh64 state;
    tact_xxh64_begin(&state);
    tact_xxh64_add(&state, bytes, size);
    return tact_xxh64_end(&state);
}
