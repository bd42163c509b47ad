// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Numbers to and from the bytes of what is saved.

#include "base/archive.h"

#include <string.h>

#include "base/asserts.h"
#include "base/bytes.h"
#include "base/xxh64.h"

void tact_archive_begin(tact_archive* a, const char* what)
{
    if (!a->failed) a->what = what;
}

const uint8_t* tact_archive_take(tact_archive* a, size_t bytes)
{
    if (a->reads && (a->failed || bytes > a->size - a->at)) {
        a->failed = true;
        return NULL;
    }
    const size_t at = a->at;
    a->at += bytes;
    if (!a->reads) return a->out ? a->out + (at - a->left_out) : NULL;
    if (!a->fetch) return a->in + at;
    TACT_ASSERT(bytes <= TACT_ARCHIVE_PIECE);
    const uint8_t* b = a->fetch(a->user, at, bytes);
    if (!b) a->failed = true;
    return b;
}

/// As many words as are read at once, or all where nothing is written.
static size_t piece_of(const tact_archive* a, size_t left, size_t size)
{
    const size_t most = TACT_ARCHIVE_PIECE / size;
    return (a->reads || a->out) && left > most ? most : left;
}

void tact_archive_words(tact_archive* a, void* words, size_t count)
{
    uint8_t* memory = words;
    if (a->reads && count > (a->size - a->at) / 4) a->failed = true;
    for (size_t k = 0; k < count;) {
        const size_t some = piece_of(a, count - k, 4);
        const uint8_t* b = tact_archive_take(a, 4 * some);
        if (!b && a->reads) {
            memset(memory + 4 * k, 0, 4 * (count - k));
            return;
        }
        for (size_t i = 0; b && i < some; ++i) {
            uint32_t word;
            if (a->reads) {
                word = tact_get_u32(b + 4 * i);
                memcpy(memory + 4 * (k + i), &word, 4);
            } else {
                memcpy(&word, memory + 4 * (k + i), 4);
                tact_put_u32(a->out + (size_t)(b - a->out) + 4 * i, word);
            }
        }
        k += some;
    }
}

tact_archive_slice tact_archive_slice_of(const tact_archive* a, uint32_t array, uint64_t count)
{
    tact_archive_slice s = {0, count, count};
    TACT_ASSERT(array < TACT_ARCHIVE_ARRAYS && (a->ranks == 0 || count <= UINT32_MAX));
    if (!a->reads && a->cuts) return a->slice[array];
    if (a->reads && a->ranks > 0) {
        s.first = count * a->rank / a->ranks;
        s.count = count * (a->rank + 1) / a->ranks - s.first;
    }
    return s;
}

void tact_archive_rows(tact_archive* a, uint32_t array, void* rows, size_t words)
{
    const tact_archive_slice* s = &a->slice[array];
    const size_t each = 4 * words;
    if (!a->reads && a->cuts) {
        TACT_ASSERT(a->sections < TACT_ARCHIVE_SECTIONS);
        a->section[a->sections++] = (tact_archive_section){a->at, array, (uint32_t)words, rows};
        a->at += (size_t)s->all * each;
        a->left_out += (size_t)s->all * each;
        return;
    }
    TACT_ASSERT(s->first <= s->all && s->count <= s->all - s->first && (a->reads || s->count == s->all));
    if (a->reads && s->all > (a->size - a->at) / each) a->failed = true;
    const size_t end = a->at + (size_t)s->all * each;
    if (!a->failed) a->at += (size_t)s->first * each;
    tact_archive_words(a, rows, (size_t)s->count * words);
    if (!a->failed) a->at = end;
}

void tact_archive_longs(tact_archive* a, uint64_t* longs, size_t count)
{
    if (a->reads && count > (a->size - a->at) / 8) a->failed = true;
    for (size_t k = 0; k < count;) {
        const size_t some = piece_of(a, count - k, 8);
        const uint8_t* b = tact_archive_take(a, 8 * some);
        for (size_t i = 0; i < some; ++i) {
            if (a->reads)
                longs[k + i] = b ? tact_get_u64(b + 8 * i) : 0;
            else if (b)
                tact_put_u64(a->out + (size_t)(b - a->out) + 8 * i, longs[k + i]);
        }
        k += some;
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
    if (a->reads && *x >= end) {
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
    if (a->reads && (a->failed || count > most || count > (a->size - a->at) / each)) {
        a->failed = true;
        return 0;
    }
    return count;
}

tact_archive_sum tact_archive_sum_begin(void)
{
    // The offset of the 64-bit FNV-1a hash (Fowler, Noll, Vo, 1991).
    return (tact_archive_sum){.sum = UINT64_C(0xcbf29ce484222325)};
}

void tact_archive_sum_add(tact_archive_sum* state, const uint8_t* bytes, size_t size)
{
    // With its prime, eight bytes at a time, and its high half folded in, since no bit of a product depends on those
    // above it.
    TACT_ASSERT(state->total % 8 == 0);
    uint64_t sum = state->sum;
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        sum = (sum ^ tact_get_u64(bytes + i)) * UINT64_C(0x100000001b3);
        sum ^= sum >> 32;
    }
    for (; i < size; ++i)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    state->sum = sum;
    state->total += size;
}

uint64_t tact_archive_sum_end(const tact_archive_sum* state)
{
    return state->sum ^ state->total;
}

uint64_t tact_archive_blocks(uint64_t end)
{
    TACT_ASSERT(end >= TACT_SAVED_HEADER);
    return (end - TACT_SAVED_HEADER + TACT_SAVED_BLOCK - 1) / TACT_SAVED_BLOCK;
}

uint64_t tact_archive_body_end(uint64_t size)
{
    enum { WHOLE = TACT_SAVED_BLOCK + TACT_SAVED_DIGEST };
    if (size < TACT_SAVED_HEADER) return 0;
    const uint64_t behind = size - TACT_SAVED_HEADER, rest = behind % WHOLE;
    if (rest > 0 && rest <= TACT_SAVED_DIGEST) return 0;
    return size - TACT_SAVED_DIGEST * (behind / WHOLE + (rest > 0));
}

/// Of the header up to where it is, and of the digests.
static uint64_t root_of(const uint8_t in[TACT_SAVED_HEADER], const uint8_t* digests, uint64_t blocks)
{
    tact_xxh64 state;
    tact_xxh64_begin(&state);
    tact_xxh64_add(&state, in, TACT_SAVED_CHECKSUM_AT);
    tact_xxh64_add(&state, digests, (size_t)blocks * TACT_SAVED_DIGEST);
    return tact_xxh64_end(&state);
}

void tact_archive_head(uint8_t out[TACT_SAVED_HEADER], const uint8_t magic[8], uint32_t version, uint32_t parts,
                       uint64_t size, const uint8_t* digests, uint64_t blocks)
{
    memmove(out, magic, 8);
    tact_put_u32(out + 8, version);
    tact_put_u32(out + 12, parts);
    tact_put_u64(out + 16, size);
    tact_put_u64(out + TACT_SAVED_CHECKSUM_AT, root_of(out, digests, blocks));
}

void tact_archive_seal(uint8_t* out, const uint8_t magic[8], uint32_t version, uint32_t parts, uint64_t end)
{
    const uint64_t blocks = tact_archive_blocks(end);
    for (uint64_t k = 0; k < blocks; ++k) {
        const uint64_t at = tact_archive_block_at(k);
        const uint64_t digest = tact_xxh64_of(out + at, (size_t)(tact_archive_block_end(k, end) - at));
        tact_put_u64(out + end + TACT_SAVED_DIGEST * k, digest);
    }
    tact_archive_head(out, magic, version, parts, tact_archive_sealed(end), out + end, blocks);
}

bool tact_archive_has_magic(const uint8_t* in, size_t size, const uint8_t magic[8])
{
    return size >= TACT_SAVED_HEADER && memcmp(in, magic, 8) == 0;
}

tact_result tact_archive_check_size(tact_env* env, const char* what, const uint8_t in[TACT_SAVED_HEADER], uint64_t size)
{
    if (tact_get_u64(in + 16) == size) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s of %llu bytes, of which %llu are here", what,
                     (unsigned long long)tact_get_u64(in + 16), (unsigned long long)size);
}

tact_result tact_archive_check_root(tact_env* env, const char* what, const uint8_t in[TACT_SAVED_HEADER],
                                    const uint8_t* digests, uint64_t blocks)
{
    if (tact_get_u64(in + TACT_SAVED_CHECKSUM_AT) == root_of(in, digests, blocks)) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                     "%s is damaged: the checksum of its first %d bytes and of the digests at its end is wrong", what,
                     TACT_SAVED_HEADER);
}

tact_result tact_archive_check_block(tact_env* env, const char* what, const uint8_t* digests, uint64_t block,
                                     uint64_t end, const uint8_t* bytes)
{
    const uint64_t at = tact_archive_block_at(block), stop = tact_archive_block_end(block, end);
    if (tact_xxh64_of(bytes, (size_t)(stop - at)) == tact_get_u64(digests + TACT_SAVED_DIGEST * block)) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                     "%s is damaged: block %llu of %llu, bytes %llu to %llu, has another digest", what,
                     (unsigned long long)block, (unsigned long long)tact_archive_blocks(end), (unsigned long long)at,
                     (unsigned long long)(stop - 1));
}

tact_result tact_archive_check_sum(tact_env* env, const char* what, const uint8_t in[TACT_SAVED_HEADER],
                                   const tact_archive_sum* sum)
{
    if (tact_get_u64(in + TACT_SAVED_CHECKSUM_AT) == tact_archive_sum_end(sum)) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s is damaged: its checksum is wrong", what);
}

tact_result tact_archive_check_seal(tact_env* env, const char* what, const uint8_t* in, size_t size, bool old,
                                    size_t* end)
{
    tact_result result = tact_archive_check_size(env, what, in, size);
    if (result != TACT_OK) return result;
    if (old) {
        tact_archive_sum sum = tact_archive_sum_begin();
        tact_archive_sum_add(&sum, in + TACT_SAVED_HEADER, size - TACT_SAVED_HEADER);
        *end = size;
        return tact_archive_check_sum(env, what, in, &sum);
    }
    *end = (size_t)tact_archive_body_end(size);
    if (*end == 0) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s has no %zu bytes", what, size);
    const uint64_t blocks = tact_archive_blocks(*end);
    result = tact_archive_check_root(env, what, in, in + *end, blocks);
    for (uint64_t k = 0; k < blocks && result == TACT_OK; ++k)
        result = tact_archive_check_block(env, what, in + *end, k, *end, in + tact_archive_block_at(k));
    return result;
}

tact_result tact_archive_damaged(tact_env* env, const char* what, const tact_archive* a)
{
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s is damaged: %s, about byte %zu of %zu", what, a->what, a->at,
                     a->size);
}
