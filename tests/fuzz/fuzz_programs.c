// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Feeds texts to the reader of force programs, and steps particles with those that it takes: the CPU's state must be
// the brute force's, and finite. As it stands it is a program that tries a fixed number of texts, the same every time;
// with -DTACT_LIBFUZZER and clang's -fsanitize=fuzzer it is a libFuzzer target; its corpus is
// tests/fuzz/corpus/programs.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "core/particles/programs.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/quiet.h"

static tact_context* context;
static tact_particles* systems[2];  ///< the CPU's, and the brute force's
static size_t taken;

enum { GRAINS = 3 };

static void check(tact_result result)
{
    if (result == TACT_OK) return;
    fprintf(stderr, "%s\n", tact_context_error(context));
    abort();
}

static void open_systems(void)
{
    static const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .log = quiet, .threads = 1};
    static const tact_backend backends[2] = {TACT_BACKEND_CPU, TACT_BACKEND_REFERENCE};
    if (context) return;
    if (tact_context_create(&desc, &context) != TACT_OK) abort();
    for (int k = 0; k < 2; ++k) {
        const tact_particles_desc grains = {.response = TACT_RESPONSE_GRAINS, .backend = backends[k]};
        check(tact_particles_create(context, &grains, &systems[k]));
        const float x[3 * GRAINS] = {0, 0, 0, 0.9f, 0.1f, 0, -3, 1, 2};
        const tact_particle_arrays arrays = {.positions = x};
        check(tact_particles_add(systems[k], &arrays, GRAINS, NULL));
    }
}

/// The same state, each number of which is finite.
static void compare(void)
{
    float x[2][3 * GRAINS], v[2][3 * GRAINS], w[2][3 * GRAINS];
    tact_particles_info info[2];
    for (int k = 0; k < 2; ++k) {
        const tact_particle_output out = {.positions = x[k], .velocities = v[k]};
        check(tact_particles_read(systems[k], &out));
        check(tact_particles_read_turning(systems[k], w[k], NULL));
        check(tact_particles_get_info(systems[k], &info[k]));
    }
    if (memcmp(x[0], x[1], sizeof x[0]) || memcmp(v[0], v[1], sizeof v[0]) || memcmp(w[0], w[1], sizeof w[0])) abort();
    if (info[0].unforced != info[1].unforced) abort();
    for (size_t i = 0; i < 3 * GRAINS; ++i) {
        if (!isfinite(x[0][i]) || !isfinite(v[0][i]) || !isfinite(w[0][i])) abort();
    }
}

static void expect_reason(void)
{
    const char* error = tact_context_error(context);
    const bool limit = strstr(error, "a program of more than") != NULL;
    if (!limit && (strncmp(error, "column ", 7) != 0 || strchr(error, '\n'))) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const float zeros[3 * GRAINS] = {0}, places[3 * GRAINS] = {0, 0, 0, 0.9f, 0.1f, 0, -3, 1, 2};
    static const tact_program_parameter parameters[] = {{"k", 2.5f}, {"q", -1e20f}};
    char* text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    open_systems();
    const bool good = tact_particles_set_program(systems[0], text, parameters, 2) == TACT_OK;
    if (!good) expect_reason();
    if (good != (tact_particles_set_program(systems[1], text, parameters, 2) == TACT_OK)) abort();
    for (int k = 0; k < 2 && good; ++k) {
        check(tact_particles_write(systems[k], NULL, GRAINS, places, zeros));
        check(tact_particles_write_turning(systems[k], NULL, GRAINS, zeros, NULL));
        check(tact_particles_step(systems[k], 2e-4f, 2, 1, NULL, NULL));
    }
    if (good) compare();
    taken += good;
    free(text);
    return 0;
}

#ifndef TACT_LIBFUZZER

/// Something that may stand in a text, mostly where it stands.
static void write_value(tact_random* r, char* text, size_t size, int depth)
{
    static const char* const leaves[] = {"x", "vy", "wz", "r",   "m",    "t",  "id",    "group", "material", "pi", "k",
                                         "q", "1",  "0",  "2.5", "1e38", ".1", "1e-30", "a",     "b",        "fx", "z"};
    static const char* const operators[] = {"+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "&&", "||"};
    static const char* const functions[] = {"sqrt", "abs", "floor"};
    static const char* const pairs[] = {"min", "max", "step"};
    char a[256], b[256], c[256];
    const uint64_t kind = depth > 0 ? tact_random_below(r, 8) : 0;
    a[0] = b[0] = c[0] = '\0';
    if (kind > 0) write_value(r, a, sizeof a, depth - 1);
    if (kind > 2) write_value(r, b, sizeof b, depth - 1);
    if (kind == 7) write_value(r, c, sizeof c, depth - 1);
    if (kind == 0) snprintf(text, size, "%s", leaves[tact_random_below(r, sizeof leaves / sizeof *leaves)]);
    if (kind == 1) snprintf(text, size, "%s(%s)", functions[tact_random_below(r, 3)], a);
    if (kind == 2) snprintf(text, size, "%c(%s)", "-!+ "[tact_random_below(r, 4)], a);
    if (kind == 3) snprintf(text, size, "%s(%s, %s)", pairs[tact_random_below(r, 3)], a, b);
    if (kind > 3 && kind < 7) {
        snprintf(text, size, tact_random_below(r, 2) ? "(%s %s %s)" : "%s%s%s", a,
                 operators[tact_random_below(r, sizeof operators / sizeof *operators)], b);
    }
    if (kind == 7) snprintf(text, size, "(%s ? %s : %s)", a, b, c);
}

int main(int argc, char** argv)
{
    static const char* const names[] = {"a", "b", "fx", "fy", "fz", "tx", "ty", "tz"};
    static const char* const words[] = {"(", ")", ";", "=", "?", ":", "fx=", "1e", "sqrt(", "&&", "\x01", "\xff", NULL};
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
    fuzz_try_files(argc, argv, 2);
    tact_random random = {1};
    for (long round = 0; round < rounds; ++round) {
        char text[4096], value[256];
        size_t at = 0;
        for (uint64_t n = tact_random_below(&random, 4) + 1; n > 0; --n) {
            write_value(&random, value, sizeof value, (int)tact_random_below(&random, 4));
            at +=
                (size_t)snprintf(text + at, sizeof text - at, "%s = %s; ", names[tact_random_below(&random, 8)], value);
        }
        if (tact_random_below(&random, 3) == 0)
            at = fuzz_change(&random, text, at, words, tact_random_below(&random, 3) + 1);
        fuzz_try(text, at);
    }
    printf("%ld texts, %zu of them taken\n", rounds, taken);
    for (int k = 0; k < 2; ++k)
        tact_particles_destroy(systems[k]);
    tact_context_destroy(context);
    return 0;
}

#endif
