// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Numbers to and from the bytes of what is saved.

#include "base/archive.h"

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

uint64_t tact_archive_checksum(const uint8_t* bytes, size_t size)
{
    // The offset and the prime of the 64-bit FNV-1a hash (Fowler, Noll, Vo, 1991), eight bytes at a time, and its high
    // half folded in, since a product's low bits know nothing of the high ones.
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        sum = (sum ^ tact_get_u64(bytes + i)) * UINT64_C(0x100000001b3);
        sum ^= sum >> 32;
    }
    for (; i < size; ++i)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum ^ (uint64_t)size;
}

void tact_archive_seal(uint8_t* out, const uint8_t magic[8], uint32_t version, uint32_t parts, size_t size)
{
    memcpy(out, magic, 8);
    tact_put_u32(out + 8, version);
    tact_put_u32(out + 12, parts);
    tact_put_u64(out + 16, size);
    tact_put_u64(out + TACT_SAVED_CHECKSUM_AT,
                 tact_archive_checksum(out + TACT_SAVED_HEADER, size - TACT_SAVED_HEADER));
}

bool tact_archive_has_magic(const uint8_t* in, size_t size, const uint8_t magic[8])
{
    return size >= TACT_SAVED_HEADER && memcmp(in, magic, 8) == 0;
}

tact_result tact_archive_check_seal(tact_env* env, const char* what, const uint8_t* in, size_t size)
{
    if (tact_get_u64(in + 16) != size) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s of %llu bytes, of which %zu are here", what,
                         (unsigned long long)tact_get_u64(in + 16), size);
    }
    const uint64_t sum = tact_archive_checksum(in + TACT_SAVED_HEADER, size - TACT_SAVED_HEADER);
    if (tact_get_u64(in + TACT_SAVED_CHECKSUM_AT) != sum)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s is damaged: its checksum is wrong", what);
    return TACT_OK;
}

tact_result tact_archive_damaged(tact_env* env, const char* what, const tact_archive* a)
{
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s is damaged: %s, about byte %zu of %zu", what, a->what, a->at,
                     a->size);
}
