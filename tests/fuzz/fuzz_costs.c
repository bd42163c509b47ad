// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Feeds broken calibrations to their reader. As it stands it is a program that tries a fixed number of mutations, the
// same every time; with -DTACT_LIBFUZZER and clang's -fsanitize=fuzzer it is a libFuzzer target.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "core/dispatch/cost_store.h"
#include "tests/fuzz/fuzz_input.h"

static const char head[] = "tact costs 1\ndevice made up\n";

enum { END = 21 };

/// The right end mark for a text.
static void seal(const uint8_t* text, size_t size, char end[END + 1])
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ text[i]) * 0x100000001b3u;
    snprintf(end, END + 1, "end %016llx\n", (unsigned long long)hash);
}

/// What the reader promises of a table that it filled; an untouched one otherwise.
static void check(const char* text, size_t size)
{
    static tact_cost_table table;
    static const tact_cost_table empty;
    table = empty;
    if (!tact_cost_store_parse(head, text, size, &table, NULL)) {
        if (memcmp(&table, &empty, sizeof empty) != 0) abort();
        return;
    }
    if (table.count > TACT_COST_ENTRIES || table.day < 0) abort();
    for (uint32_t i = 0; i < table.count; ++i) {
        const tact_cost_entry* e = &table.entries[i];
        double sum = 0.0;
        for (int k = 0; k < TACT_COST_TERMS; ++k) {
            if (!(e->coefficients[k] >= 0.0 && e->coefficients[k] <= 1e5)) abort();
            sum += e->coefficients[k];
        }
        if (!(sum >= 1e-4) || !memchr(e->key, '\0', sizeof e->key) || !e->key[0]) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    // As it is, and with a right end mark, without which nothing gets past the first check. In memory of just that
    // size, so that a sanitizer sees a read past the end.
    check((const char*)data, size);
    char end[END + 1];
    char* sealed = malloc(size + END);
    if (!sealed) abort();
    seal(data, size, end);
    if (size > 0) memcpy(sealed, data, size);
    memcpy(sealed + size, end, END);
    check(sealed, size + END);
    free(sealed);
    return 0;
}

#ifndef TACT_LIBFUZZER

static const char* const words[] = {
    "entry ", "\n",   " ",  "0", "1000000000000000", "18446744073709551616", "day ", "-", "key",
    "129",    "end ", "\t", NULL};

int main(int argc, char** argv)
{
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 200000;
    tact_random random = {1};
    fuzz_try_files(argc, argv, 2);
    for (long round = 0; round < rounds; ++round) {
        char bytes[1024];
        int written = snprintf(bytes, sizeof bytes,
                               "%sday 20779\nentry 1 2 3 4 5000000 6 7 casting rays/closest\n"
                               "entry 1000000 0 0 0 0 12 0 culling\n",
                               head);
        fuzz_try(bytes, fuzz_change(&random, bytes, (size_t)written, words, tact_random_below(&random, 5)));
    }
    printf("%ld mutated files, none accepted wrongly\n", rounds);
    return 0;
}

#endif
