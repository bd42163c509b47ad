// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the programs that stand in for libFuzzer give to a target.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
