// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Numbers to and from the bytes of a saved particle system.

#include "core/particles/archive.h"

#include <string.h>

#include "base/bytes.h"

void tact_archive_begin(tact_archive* a, const char* what)
{
    if (!a->failed) a->what = what;
}

const uint8_t* tact_archive_take(tact_archive* a, size_t bytes)
{
    if (a->in && (a->failed || bytes > a->size - a->at)) {
        a->failed = true;
        return NULL;
    }
    const size_t at = a->at;
    a->at += bytes;
    if (a->in) return a->in + at;
    return a->out ? a->out + at : NULL;
}

void tact_archive_words(tact_archive* a, void* words, size_t count)
{
    uint8_t* memory = words;
    const uint8_t* b = tact_archive_take(a, 4 * count);
    if (!b) {
        if (a->in) memset(words, 0, 4 * count);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        uint32_t word;
        if (a->in) {
            word = tact_get_u32(b + 4 * i);
            memcpy(memory + 4 * i, &word, 4);
        } else {
            memcpy(&word, memory + 4 * i, 4);
            tact_put_u32(a->out + (size_t)(b - a->out) + 4 * i, word);
        }
    }
}

void tact_archive_longs(tact_archive* a, uint64_t* longs, size_t count)
{
    const uint8_t* b = tact_archive_take(a, 8 * count);
    for (size_t i = 0; i < count; ++i) {
        if (a->in)
            longs[i] = b ? tact_get_u64(b + 8 * i) : 0;
        else if (b)
            tact_put_u64(a->out + (size_t)(b - a->out) + 8 * i, longs[i]);
    }
}

void tact_archive_float(tact_archive* a, float* x)
{
    tact_archive_words(a, x, 1);
}

void tact_archive_double(tact_archive* a, double* x)
{
    uint64_t bits;
    memcpy(&bits, x, sizeof bits);
    tact_archive_longs(a, &bits, 1);
    memcpy(x, &bits, sizeof bits);
}

void tact_archive_vec(tact_archive* a, tact_vec3* v)
{
    tact_archive_float(a, &v->x);
    tact_archive_float(a, &v->y);
    tact_archive_float(a, &v->z);
}

void tact_archive_below(tact_archive* a, uint32_t* x, uint32_t end)
{
    tact_archive_words(a, x, 1);
    if (a->in && *x >= end) {
        a->failed = true;
        *x = 0;
    }
}

void tact_archive_byte(tact_archive* a, uint8_t* x)
{
    uint32_t word = *x;
    tact_archive_below(a, &word, 256);
    *x = (uint8_t)word;
}

uint64_t tact_archive_count(tact_archive* a, uint64_t count, uint64_t most, size_t each)
{
    tact_archive_longs(a, &count, 1);
    if (a->in && (a->failed || count > most || count > (a->size - a->at) / each)) {
        a->failed = true;
        return 0;
    }
    return count;
}
