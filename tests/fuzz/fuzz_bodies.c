// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Feeds broken files of shapes and bodies to `tact contacts`: what is read makes a set whose contacts are found, or is
// refused with a reason. As it stands it is a program that tries a fixed number of mutations, the same every time; with
// -DTACT_LIBFUZZER and clang's -fsanitize=fuzzer it is a libFuzzer target; its corpus is tests/fuzz/corpus/bodies.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/body_input.h"
#include "apps/inputs/random.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/quiet.h"

static tact_context* context;
static long taken;  ///< files whose contacts were found

static void expect_problem(const tact_problem* problem)
{
    if (!problem->text[0] || strchr(problem->text, '\n')) abort();
}

/// Bodies that are refused are the library's to name; those it takes have contacts at each step.
static void try_set(const tact_body_input* input)
{
    tact_problem problem = {0};
    tact_bodies* set = NULL;
    if (!tact_body_input_make_set(input, "fuzz", context, &set, &problem)) {
        if (set) abort();
        expect_problem(&problem);
        return;
    }
    tact_pose* poses = malloc((input->count + 1) * sizeof *poses);
    if (!poses) abort();
    for (uint64_t step = 0; step < 2; ++step) {
        const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = 1};
        size_t count = 0;
        tact_body_input_poses(input, step, poses);
        if (step > 0 && tact_bodies_move(set, NULL, poses, input->count) != TACT_OK) break;  // out of its range
        if (tact_contacts_find(set, &(tact_contacts_work){.count = &count}, &options, NULL) != TACT_OK) abort();
        const tact_contact* contacts = tact_contacts_last(set, &count);
        tact_contact_row* rows = malloc((count * TACT_CONTACT_MOST_POINTS + 1) * sizeof *rows);
        if (!rows || tact_contact_rows(contacts, count, poses, rows) > count * TACT_CONTACT_MOST_POINTS) abort();
        free(rows);
    }
    free(poses);
    tact_bodies_destroy(set);
    ++taken;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .log = quiet, .threads = 1};
    if (!context && tact_context_create(&desc, &context) != TACT_OK) abort();
    tact_problem problem = {0};
    tact_body_input input;
    if (tact_body_input_parse(data, size, "fuzz", &input, &problem)) {
        try_set(&input);
        tact_body_input_free(&input);
        return 0;
    }
    if (input.shapes || input.bodies || input.motions) abort();
    expect_problem(&problem);
    return 0;
}

#ifndef TACT_LIBFUZZER

/// Copies a file, in which one number in 24 or so becomes another: so most are read. `to` has room for what comes
/// out.
static size_t change_numbers(tact_random* random, const uint8_t* from, size_t size, uint8_t* to)
{
    static const char* const numbers[] = {
        "0",    "-1",  "1e-40",  "3",   "0.5", "1e13",         "1e-6", "2",
        "1e39", "4",   "-1e-20", "1",   "1e6", "1.0000001",    "-3",   "1e12",
        "1e-3", "0.7", "17",     "-30", "64",  "0.3333333333", "-0",   "1099511627776"};
    enum { NUMBERS = sizeof numbers / sizeof numbers[0] };
    size_t used = 0;
    for (size_t i = 0; i < size;) {
        size_t end = i;
        while (end < size && strchr("+-.0123456789e", from[end]) && from[end] && (end > i || from[end] != 'e'))
            ++end;
        if (end > i && tact_random_below(random, 24) == 0) {
            const char* number = numbers[tact_random_below(random, NUMBERS)];
            memcpy(to + used, number, strlen(number));
            used += strlen(number);
        } else {
            end += end == i;
            memcpy(to + used, from + i, end - i);
            used += end - i;
        }
        i = end;
    }
    return used;
}

int main(int argc, char** argv)
{
    static const char* const words[] = {"1e39", "-1",   "null",   "[]",    "{",      "\"hull\"", "\"box\"",
                                        "NaN",  "1e30", "\"mask", "0.001", "99999",  "]",        "true",
                                        ",",    "1e13", "\\u0",   "\"\"",  "-1e-40", NULL};
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 20000;
    fuzz_try_files(argc, argv, 2);
    FILE* file = argc > 2 ? fopen(argv[2], "rb") : NULL;
    static uint8_t seed[4096];
    const size_t seed_size = file ? fread(seed, 1, sizeof seed, file) : 0;
    if (file) fclose(file);
    tact_random random = {1};
    for (long round = 0; seed_size > 0 && round < rounds; ++round) {
        uint8_t bytes[16 * sizeof seed];
        memcpy(bytes, seed, seed_size);
        const size_t size = round % 2
                                ? change_numbers(&random, seed, seed_size, bytes)
                                : fuzz_change(&random, bytes, seed_size, words, 1 + tact_random_below(&random, 3));
        fuzz_try(bytes, size);
    }
    tact_context_destroy(context);
    printf("%ld mutated files, none accepted wrongly, contacts of %ld\n", rounds, taken);
    return 0;
}

#endif
