// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the programs that stand in for libFuzzer give to a target.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#ifndef TACT_LIBFUZZER

/// In memory of just that size, so that a sanitizer sees a read past the end.
static inline void fuzz_try(const void* bytes, size_t size)
{
    uint8_t* exact = malloc(size ? size : 1);
    if (!exact) abort();
    if (size > 0) memcpy(exact, bytes, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

/// Changes `changes` bits, bytes, words of a list that NULL ends, or the end. Behind the bytes there must be room for a
/// word. Returns how many bytes there are then.
static inline size_t fuzz_change(tact_random* random, void* in, size_t size, const char* const* words, uint64_t changes)
{
    uint8_t* bytes = in;
    size_t word_count = 0;
    while (words[word_count])
        ++word_count;
    for (; changes > 0; --changes) {
        const size_t at = (size_t)tact_random_below(random, size);
        const char* word = words[tact_random_below(random, word_count)];
        switch (tact_random_below(random, 4)) {
            case 0:
                bytes[at] ^= (uint8_t)(1u << tact_random_below(random, 8));
                break;
            case 1:
                bytes[at] = (uint8_t)tact_random_next(random);
                break;
            case 2:
                memcpy(bytes + at, word, strlen(word));
                break;
            default:
                size = at + 1;
                break;
        }
    }
    return size;
}

/// The files of the corpus among the program's arguments, from the `first` on.
static inline void fuzz_try_files(int argc, char** argv, int first)
{
    static uint8_t bytes[1 << 20];
    for (int i = first; i < argc; ++i) {
        FILE* file = fopen(argv[i], "rb");
        if (!file) {
            fprintf(stderr, "%s cannot be read\n", argv[i]);
            exit(2);
        }
        const size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        fuzz_try(bytes, size);
    }
}

#endif
