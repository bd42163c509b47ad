// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Feeds broken array files to the reader. As it stands it is a program that tries a fixed number of mutations, the
// same every time; with -DTACT_LIBFUZZER and clang's -fsanitize=fuzzer it is a libFuzzer target.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/npy.h"
#include "apps/inputs/random.h"
#include "tests/fuzz/fuzz_input.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    tact_npy_array array;
    tact_problem problem = {0};
    if (tact_npy_parse(data, size, "fuzz", &array, &problem)) {
        // What the reader promises about an array that it accepts.
        uint64_t items = 1;
        for (int i = 0; i < array.dimensions; ++i)
            items *= array.shape[i];
        if (array.offset > size || array.size != size - array.offset ||
            items * tact_npy_item_size(array.type) != array.size) {
            abort();
        }
        void* rows = NULL;
        const size_t bytes = array.size;
        if (tact_npy_take(data, "fuzz", &array, &rows, &problem)) {
            tact_npy_to_float32(rows, &array);
            if (array.size > bytes || array.big_endian || array.fortran) abort();
        }
        free(rows);
    } else if (!problem.text[0] || strchr(problem.text, '\n')) {
        abort();
    }
    return 0;
}

#ifndef TACT_LIBFUZZER

static const char* const seeds[] = {
    "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 8), }\n",
    ("{'descr': [('instance', '<u4'), ('primitive', '<u4'), ('t', '<f4'), ('u', '<f4'), ('v', '<f4')], "
     "'fortran_order': False, 'shape': (4,), }\n"),
    "{'descr': '>f8', 'fortran_order': True, 'shape': (3, 4, 2), }\n",
    "{\"shape\":(0,8),\"descr\":\"<u4\",\"fortran_order\":False}",
};

static const char* const words[] = {
    "'",    "(",       ")",       "{",     "}",     ",",  ":",  "[", "]", "0", "18446744073709551615",
    "True", "'descr'", "'shape'", "'<u4'", "'>f4'", "\\", "\n", NULL};

int main(int argc, char** argv)
{
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 200000;
    tact_random random = {1};
    fuzz_try_files(argc, argv, 2);
    for (long round = 0; round < rounds; ++round) {
        uint8_t bytes[1024] = "\x93NUMPY";
        const char* seed = seeds[tact_random_below(&random, 3)];
        const size_t length = strlen(seed);
        const unsigned major = tact_random_below(&random, 8) ? 1 : 2;
        size_t used = major == 1 ? 10 : 12;
        bytes[6] = (uint8_t)major;
        bytes[8] = (uint8_t)length;
        memcpy(bytes + used, seed, length);
        used += length + (size_t)tact_random_below(&random, 2) * 96;
        fuzz_try(bytes, fuzz_change(&random, bytes, used, words, tact_random_below(&random, 4)));
    }
    printf("%ld mutated files, none accepted wrongly\n", rounds);
    return 0;
}

#endif
