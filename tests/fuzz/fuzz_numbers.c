// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Feeds texts to the reader of numbers, and compares with strtof what it takes for one. As it stands it is a program
// that tries a fixed number of texts, the same every time; with -DTACT_LIBFUZZER and clang's -fsanitize=fuzzer it is a
// libFuzzer target; its corpus is tests/fuzz/corpus/numbers.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/mesh_formats.h"
#include "apps/inputs/random.h"
#include "tests/fuzz/fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const char* text = size > 0 ? (const char*)data : "";
    const char* at = text;
    float value = 0.0f;
    const bool good = tact_number_float(&at, text + size, &value);
    const size_t taken = (size_t)(at - text);
    if (taken > size || good != (taken > 0)) abort();
    int64_t integer = 0;
    const char* behind = text;
    tact_number_integer(&behind, text + size, &integer);
    if (behind > text + size) abort();
    if (!good) return 0;
    char* copy = malloc(taken + 1);
    if (!copy) abort();
    memcpy(copy, text, taken);
    copy[taken] = '\0';
    char* comma = strchr(copy, ',');
    if (comma) *comma = '.';
    char* end = NULL;
    const float right = strtof(copy, &end);
    const bool both_nan = value != value && right != right;
    if (*end || (!both_nan && memcmp(&value, &right, sizeof value) != 0)) abort();
    free(copy);
    return 0;
}

#ifndef TACT_LIBFUZZER

int main(int argc, char** argv)
{
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 200000;
    fuzz_try_files(argc, argv, 2);
    tact_random random = {1};
    static const char characters[] = "0123456789012345678901234567890000000000999999999995....,,eE--++infa x";
    for (long round = 0; round < rounds; ++round) {
        uint8_t bytes[160];
        const size_t size = (size_t)tact_random_below(&random, tact_random_below(&random, 4) ? 24 : sizeof bytes);
        for (size_t i = 0; i < size; ++i)
            bytes[i] = (uint8_t)characters[tact_random_below(&random, sizeof characters - 1)];
        fuzz_try(bytes, size);
    }
    printf("%ld texts, none read wrongly\n", rounds);
    return 0;
}

#endif
