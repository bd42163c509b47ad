// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Feeds broken files of recorded queries to their reader, looks at all that is in those it accepts, and runs their
// queries again. As it stands it is a program that tries a fixed number of mutations of the files given, the same every
// time: fuzz_record ROUNDS FILE ... With -DTACT_LIBFUZZER and clang's -fsanitize=fuzzer it is a libFuzzer target; its
// corpus is tests/fuzz/corpus/record.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "apps/system.h"
#include "core/record/record.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/quiet.h"

static tact_context* context;

static void open_context(void)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 1, .log = quiet};
    if (!context && tact_context_create(&desc, &context) != TACT_OK) abort();
}

/// Reads every byte that the library hands out.
static uint64_t sum_of(const tact_recording* r, size_t index)
{
    uint64_t sum = 0;
    tact_recorded_array a;
    for (size_t k = 0; tact_recording_array(r, index, k, &a); ++k) {
        const size_t item = a.type == TACT_RECORDED_BYTES ? 1 : 4;
        sum += strlen(a.name) + tact_xxh64_of(a.data, a.rows * a.columns * item);
    }
    tact_recorded_mesh m;
    for (size_t k = 0; tact_recording_mesh(r, index, k, &m); ++k) {
        sum += tact_xxh64_of(m.positions, m.vertex_count * 12) + tact_xxh64_of(m.indices, m.triangle_count * 12);
        for (size_t i = 0; i < 3 * m.triangle_count; ++i)
            if (m.indices[i] >= m.vertex_count) abort();
    }
    return sum;
}

/// Any number of steps or pixels may be asked for: that takes long, and is nothing new.
static bool takes_long(const tact_recording* r, size_t index, const tact_recorded_query* q)
{
    if (q->kind == TACT_RECORDED_PARTICLES) return q->parameters[1] > 4 || q->parameters[2] > 2;
    tact_recorded_array a;
    for (size_t k = 0; q->kind == TACT_RECORDED_PICK && tact_recording_array(r, index, k, &a); ++k) {
        if (strcmp(a.name, "view") != 0 || a.rows == 0) continue;
        const uint32_t* size = (const uint32_t*)a.data + 19;
        if ((uint64_t)size[0] * size[1] > 4096) return true;
    }
    return false;
}

static volatile uint64_t seen;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    open_context();
    tact_recording* r = NULL;
    const tact_result result = tact_recording_read(context, data, size, &r);
    if (result != TACT_OK) {
        // Refused with a reason.
        if (r || !tact_context_error(context)[0]) abort();
        return 0;
    }
    seen += strlen(tact_recording_machine(r));
    for (size_t i = 0; i < tact_recording_count(r); ++i) {
        tact_recorded_query q;
        if (tact_recording_query(r, i, &q) != TACT_OK) abort();
        seen += sum_of(r, i);
        if (takes_long(r, i, &q)) continue;
        const tact_query_options how = {.backend = i % 2 ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU, .threads = 1};
        tact_replayed replayed;
        if (tact_recording_run(r, i, &how, &replayed) == TACT_OK) seen += replayed.digest;
        tact_bodies* set = NULL;
        if (tact_recording_make_bodies(r, i, &set) == TACT_OK) seen += tact_bodies_count(set);
        tact_bodies_destroy(set);
    }
    tact_recording_destroy(r);
    return 0;
}

#ifndef TACT_LIBFUZZER

enum { MOST = 1 << 16 };

/// What a writer would have made of these bytes, so that the reader looks beyond the header.
static void put_header(uint8_t* bytes, size_t size)
{
    if (size < TACT_RECORD_HEADER) return;
    const uint64_t sum = tact_xxh64_of(bytes + TACT_RECORD_HEADER, size - TACT_RECORD_HEADER);
    for (int i = 0; i < 8; ++i) {
        bytes[16 + i] = (uint8_t)((uint64_t)size >> 8 * i);
        bytes[24 + i] = (uint8_t)(sum >> 8 * i);
    }
}

static size_t change(tact_random* random, uint8_t* bytes, size_t size)
{
    static const uint32_t words[] = {0, 1, 2, 3, 5, 12, 0x7f800000, 0x7fc00000, 0x7fffffff, 0x80000000, 0xffffffff};
    const size_t at = (size_t)tact_random_below(random, size), place = at / 4 * 4;
    switch (tact_random_below(random, 6)) {
        case 0:
            bytes[at] ^= (uint8_t)(1u << tact_random_below(random, 8));
            break;
        case 1:
            bytes[at] = (uint8_t)tact_random_next(random);
            break;
        case 2:
        case 3:
            if (place + 4 <= size) {
                memcpy(bytes + place, &words[tact_random_below(random, sizeof words / sizeof words[0])], 4);
            }
            break;
        case 4: {
            // A piece of it elsewhere.
            const size_t from = (size_t)tact_random_below(random, size) / 8 * 8, to = at / 8 * 8;
            const size_t most = size - (from > to ? from : to), length = most < 64 ? most : 64;
            memmove(bytes + to, bytes + from, length);
            break;
        }
        default:
            return tact_random_below(random, 4) ? size : at + 1;
    }
    return size;
}

int main(int argc, char** argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: fuzz_record ROUNDS FILE ...\n");
        return 2;
    }
    const long rounds = strtol(argv[1], NULL, 10);
    static uint8_t bytes[MOST];
    tact_random random = {1};
    for (int f = 2; f < argc; ++f) {
        void* seed = NULL;
        size_t size = 0;
        tact_problem problem = {0};
        if (!tact_file_read(argv[f], &seed, &size, &problem) || size > MOST) {
            fprintf(stderr, "%s: %s\n", argv[f], problem.text);
            return 2;
        }
        fuzz_try(seed, size);
        for (long round = 0; size >= TACT_RECORD_HEADER && round < rounds / (argc - 2); ++round) {
            memcpy(bytes, seed, size);
            size_t used = size;
            for (uint64_t changes = 1 + tact_random_below(&random, 4); changes > 0; --changes)
                used = change(&random, bytes, used);
            if (tact_random_below(&random, 16)) put_header(bytes, used);
            fuzz_try(bytes, used);
        }
        free(seed);
    }
    tact_context_destroy(context);
    printf("%ld mutated files, none broke the reader\n", rounds);
    return 0;
}

#endif
