// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/blocks.h"

#include <string.h>

#include "base/parallel.h"
#include "kernels/morton.h"
#include "kernels/ordered.h"

uint32_t tact_scan_cpu(const uint32_t* source, uint32_t* result, size_t count)
{
    TACT_ASSERT(count <= TACT_BLOCK_LIMIT);
    uint32_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t value = source[i];
        result[i] = sum;
        sum += value;
    }
    return sum;
}

static uint32_t map_or(uint32_t bits, uint32_t identity)
{
    return tact_bits_are_nan(bits) ? identity : tact_ordered(bits);
}

uint32_t tact_reduce_cpu(tact_reduction reduction, const uint32_t* source, size_t count)
{
    TACT_ASSERT((unsigned)reduction <= TACT_REDUCE_MAX_FLOAT);
    uint32_t value = 0;
    switch (reduction) {
        case TACT_REDUCE_MIN_UINT:
            value = UINT32_MAX;
            for (size_t i = 0; i < count; ++i)
                value = source[i] < value ? source[i] : value;
            return value;
        case TACT_REDUCE_MAX_UINT:
            for (size_t i = 0; i < count; ++i)
                value = source[i] > value ? source[i] : value;
            return value;
        case TACT_REDUCE_MIN_FLOAT:
            value = TACT_ORDERED_HIGHEST;
            for (size_t i = 0; i < count; ++i) {
                const uint32_t element = map_or(source[i], TACT_ORDERED_HIGHEST);
                value = element < value ? element : value;
            }
            return tact_unordered(value);
        case TACT_REDUCE_MAX_FLOAT:
            value = TACT_ORDERED_LOWEST;
            for (size_t i = 0; i < count; ++i) {
                const uint32_t element = map_or(source[i], TACT_ORDERED_LOWEST);
                value = element > value ? element : value;
            }
            return tact_unordered(value);
        case TACT_REDUCE_SUM_UINT:
        default:
            for (size_t i = 0; i < count; ++i)
                value += source[i];
            return value;
    }
}

void tact_reduce_bounds_cpu(tact_extent_kind kind, const float* source, size_t count, float bounds[8])
{
    TACT_ASSERT(kind == TACT_POINTS || kind == TACT_BOXES);
    const size_t stride = kind == TACT_BOXES ? 8 : 4;
    uint32_t low[4], high[4];
    for (size_t c = 0; c < 4; ++c) {
        low[c] = TACT_ORDERED_HIGHEST;
        high[c] = TACT_ORDERED_LOWEST;
    }
    for (size_t i = 0; i < count; ++i) {
        const float* const lower = source + i * stride;
        const float* const upper = lower + stride - 4;
        for (size_t c = 0; c < 4; ++c) {
            const uint32_t a = map_or(as_uint(lower[c]), TACT_ORDERED_HIGHEST);
            const uint32_t b = map_or(as_uint(upper[c]), TACT_ORDERED_LOWEST);
            low[c] = a < low[c] ? a : low[c];
            high[c] = b > high[c] ? b : high[c];
        }
    }
    for (size_t c = 0; c < 4; ++c) {
        bounds[c] = as_float(tact_unordered(low[c]));
        bounds[4 + c] = as_float(tact_unordered(high[c]));
    }
}

size_t tact_compact_indices_cpu(const uint32_t* flags, uint32_t* result, size_t count)
{
    TACT_ASSERT(count <= TACT_BLOCK_LIMIT);
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (flags[i]) result[kept++] = (uint32_t)i;
    }
    return kept;
}

size_t tact_compact_values_cpu(const uint32_t* flags, const uint32_t* values, size_t words, uint32_t* result,
                               size_t count)
{
    TACT_ASSERT(words >= 1);
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (flags[i]) memcpy(result + words * kept++, values + words * i, words * sizeof *values);
    }
    return kept;
}

// The sort: least significant digit first. A pass cuts the array into one section for each thread, counts the digits
// of each, sums the counts by digit and then by section, and moves each section's keys in order.
enum { DIGITS = 256, SECTIONS_MAX = 64, SECTION_MIN = 1 << 15 };

typedef struct sort_pass {
    const uint32_t *keys_in, *values_in;
    uint32_t *keys_out, *values_out;
    size_t section, key_words, word;
    uint32_t shift, mask;
    uint32_t (*counts)[DIGITS];
} sort_pass;

static void count_digits(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const sort_pass* const p = user;
    TACT_ASSERT(begin % p->section == 0 && end - begin <= p->section);
    uint32_t* const counts = p->counts[begin / p->section];
    memset(counts, 0, DIGITS * sizeof *counts);
    for (size_t i = begin; i < end; ++i)
        ++counts[(p->keys_in[i * p->key_words + p->word] >> p->shift) & p->mask];
}

static void move_keys(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const sort_pass* const p = user;
    TACT_ASSERT(begin % p->section == 0 && p->keys_in != p->keys_out);
    uint32_t* const places = p->counts[begin / p->section];
    for (size_t i = begin; i < end; ++i) {
        const uint32_t* const key = p->keys_in + i * p->key_words;
        const size_t place = places[(key[p->word] >> p->shift) & p->mask]++;
        p->keys_out[place * p->key_words] = key[0];
        if (p->key_words == 2) p->keys_out[place * 2 + 1] = key[1];
        if (p->values_out) p->values_out[place] = p->values_in[i];
    }
}

// Turns counts into places. False when all keys have one digit: the pass would move nothing.
static bool place_digits(sort_pass* p, size_t sections, size_t count)
{
    uint32_t place = 0;
    bool useful = true;
    for (size_t digit = 0; digit < DIGITS; ++digit) {
        const uint32_t first = place;
        for (size_t s = 0; s < sections; ++s) {
            const uint32_t here = p->counts[s][digit];
            p->counts[s][digit] = place;
            place += here;
        }
        if (place - first == count) useful = false;
    }
    TACT_ASSERT(place == count);
    return useful;
}

static void number_values(uint32_t* values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        values[i] = (uint32_t)i;
}

tact_result tact_sort_cpu(tact_env* env, int threads, const tact_sort_cpu_job* job)
{
    TACT_ASSERT(job->count <= TACT_BLOCK_LIMIT);
    TACT_ASSERT(job->key_words == 1 || job->key_words == 2);
    TACT_ASSERT(job->key_bits <= 32 * job->key_words);
    TACT_ASSERT(job->count == 0 || (job->keys_in && job->keys_out));
    TACT_ASSERT(!job->values_in || job->values_out);
    const size_t count = job->count;
    const size_t words = job->key_words;
    if (count == 0) return TACT_OK;
    size_t wanted = threads > 0 ? (size_t)threads : 1;
    if (wanted > SECTIONS_MAX) wanted = SECTIONS_MAX;
    size_t section = count / wanted + (count % wanted != 0);
    if (section < SECTION_MIN) section = SECTION_MIN;
    const size_t sections = count / section + (count % section != 0);
    TACT_ASSERT(sections >= 1 && sections <= SECTIONS_MAX);

    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    uint32_t(*counts)[DIGITS] = tact_allocate(env, sections, sizeof *counts);
    uint32_t* keys = counts ? tact_allocate(env, count, words * 4) : NULL;
    uint32_t* values = keys ? tact_allocate(env, job->values_out ? count : 0, 4) : NULL;
    if (!values) goto cleanup;

    // Begin in the output: sorting in place then needs no care, and a copy is cheap beside a pass.
    if (job->keys_out != job->keys_in) memcpy(job->keys_out, job->keys_in, count * words * 4);
    if (job->values_out && !job->values_in) number_values(job->values_out, count);
    if (job->values_out && job->values_in && job->values_out != job->values_in) {
        memcpy(job->values_out, job->values_in, count * 4);
    }
    sort_pass p = {.keys_in = job->keys_out,
                   .values_in = job->values_out,
                   .keys_out = keys,
                   .values_out = job->values_out ? values : NULL,
                   .section = section,
                   .key_words = words,
                   .counts = counts};
    for (uint32_t bit = 0; bit < job->key_bits; bit += 8) {
        const uint32_t bits = job->key_bits - bit < 8 ? job->key_bits - bit : 8;
        p.word = bit / 32;
        p.shift = bit % 32;
        p.mask = (1u << bits) - 1;
        tact_parallel_for(threads, count, section, count_digits, &p);
        if (!place_digits(&p, sections, count)) continue;
        tact_parallel_for(threads, count, section, move_keys, &p);
        const bool in_scratch = p.keys_out == keys;
        p.keys_in = p.keys_out;
        p.values_in = p.values_out;
        p.keys_out = in_scratch ? job->keys_out : keys;
        if (job->values_out) p.values_out = in_scratch ? job->values_out : values;
    }
    if (p.keys_in != job->keys_out) {
        memcpy(job->keys_out, keys, count * words * 4);
        if (job->values_out) memcpy(job->values_out, values, count * 4);
    }
    result = TACT_OK;

cleanup:
    tact_release(env, values);
    tact_release(env, keys);
    tact_release(env, counts);
    return result;
}

typedef struct morton_job {
    const float* source;
    const float* bounds;
    uint32_t* codes;
    size_t stride;
    uint32_t cells;
    float scale[3];
} morton_job;

static void make_codes(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const morton_job* const job = user;
    for (size_t i = begin; i < end; ++i) {
        const float* const low = job->source + i * job->stride;
        const float* const high = low + job->stride - 4;
        uint32_t cell[3];
        for (size_t c = 0; c < 3; ++c) {
            cell[c] = tact_morton_cell(low[c], high[c], job->bounds[c], job->bounds[4 + c], job->scale[c], job->cells);
        }
        if (job->cells == TACT_MORTON_CELLS_63) {
            job->codes[2 * i] = tact_morton_63_low(cell[0], cell[1], cell[2]);
            job->codes[2 * i + 1] = tact_morton_63_high(cell[0], cell[1], cell[2]);
        } else {
            job->codes[i] = tact_morton_30(cell[0], cell[1], cell[2]);
        }
    }
}

void tact_morton_cpu(int threads, tact_extent_kind kind, const float* source, size_t count, const float bounds[8],
                     bool wide, uint32_t* codes)
{
    TACT_ASSERT(kind == TACT_POINTS || kind == TACT_BOXES);
    morton_job job = {.source = source,
                      .bounds = bounds,
                      .codes = codes,
                      .stride = kind == TACT_BOXES ? 8 : 4,
                      .cells = wide ? TACT_MORTON_CELLS_63 : TACT_MORTON_CELLS_30};
    for (size_t c = 0; c < 3; ++c)
        job.scale[c] = tact_morton_scale(bounds[c], bounds[4 + c], job.cells);
    tact_parallel_for(threads, count, 1 << 14, make_codes, &job);
}
