// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Feeds broken saved motions of bodies to tact_body_grains_load(), with their checksum made good again so that the
// damage is met where it lies. What is accepted must be able to take a step and to be saved again. As it stands it is
// a program that tries a fixed number of mutations, the same every time; with -DTACT_LIBFUZZER and clang's
// -fsanitize=fuzzer it is a libFuzzer target.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tact/body_grains.h"
#include "tact/tact.h"
#include "tests/fuzz/fuzz_saved.h"
#include "tests/support/quiet.h"

enum { BODIES = 5 };

static tact_context* context;
static tact_bodies* set;
static size_t accepted;

static void check(tact_result result)
{
    if (result == TACT_OK) return;
    fprintf(stderr, "%s\n", tact_context_error(context));
    abort();
}

/// A floor, and bodies of four kinds that lie about on it.
static void open_set(void)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 1, .log = quiet};
    if (context) return;
    if (tact_context_create(&desc, &context) != TACT_OK) abort();
    check(tact_bodies_create(context, &set));
    const tact_body_shape shapes[BODIES] = {
        {.kind = TACT_BODY_HALF_SPACE},
        {.kind = TACT_BODY_SPHERE, .radius = 0.3f},
        {.kind = TACT_BODY_BOX, .half = {0.3f, 0.2f, 0.25f}},
        {.kind = TACT_BODY_CAPSULE, .radius = 0.2f, .half = {0.0f, 0.3f, 0.0f}},
        {.kind = TACT_BODY_CYLINDER, .radius = 0.3f, .half = {0.0f, 0.2f, 0.0f}},
    };
    for (int i = 0; i < BODIES; ++i) {
        tact_body body = {
            .pose = {.x = 0.4 * i, .y = i > 0 ? 0.3 : 0.0, .rotation = {0.1f * (float)i, 0.0f, 0.0f, 1.0f}}};
        check(tact_bodies_add_shape(set, &shapes[i], &body.shape));
        if (i == 0) body.pose.rotation = (tact_quat){0};
        check(tact_bodies_add(set, &body, 1, NULL));
    }
}

/// Motion that was accepted is a good one.
static void use(tact_body_grains* g)
{
    size_t size = 0, again = 0;
    if (tact_body_grains_save(g, NULL, 0, &size) != TACT_INCOMPLETE) abort();
    uint8_t* bytes = malloc(size);
    if (!bytes || tact_body_grains_save(g, bytes, size, &again) != TACT_OK || size != again) abort();
    tact_body_grains_totals before, after;
    check(tact_body_grains_measure(g, &before));
    const float stable = tact_body_grains_stable_step(g), dt = stable < 1e-3f && stable > 1e-20f ? stable : 1e-3f;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    const tact_result result = tact_body_grains_step(g, dt, 1, 2, &options, NULL);
    check(tact_body_grains_measure(g, &after));
    if (result == TACT_OK ? after.substeps != before.substeps + 2 : !tact_context_error(context)[0]) abort();
    tact_body_grains_destroy(g);
    tact_body_grains* restored = NULL;
    if (tact_body_grains_load(set, bytes, size, &restored) != TACT_OK) {
        fprintf(stderr, "saved again, it is refused: %s\n", tact_context_error(context));
        abort();
    }
    tact_body_grains_destroy(restored);
    free(bytes);
    ++accepted;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    tact_body_grains* g = NULL;
    open_set();
    if (tact_body_grains_load(set, data, size, &g) == TACT_OK) {
        use(g);
    } else if (g || !tact_context_error(context)[0]) {
        abort();
    }
    return 0;
}

#ifndef TACT_LIBFUZZER

static uint8_t* make_seed(size_t* size)
{
    const tact_body_grains_desc desc = {
        .gravity = {0.0f, -9.81f, 0.0f},
        .law = {.stiffness = 1e5f, .shear = 3e4f, .restitution = 0.5f, .friction = 0.5f, .rolling_friction = 0.1f},
        .material_count = 2};
    const uint32_t ids[BODIES - 1] = {1, 2, 3, 4};
    tact_body_grains* g = NULL;
    check(tact_body_grains_create(set, &desc, &g));
    check(tact_body_grains_set_matter(g, ids, BODIES - 1, &(tact_body_matter){.material = 1}, false));
    check(tact_body_grains_set_forces(g, ids, 1, (float[]){1.0f, 2.0f, 3.0f}, NULL));
    check(tact_body_grains_step(g, 0.01f, 20, 20, NULL, NULL));
    (void)tact_body_grains_save(g, NULL, 0, size);
    uint8_t* bytes = malloc(*size);
    if (!bytes) abort();
    check(tact_body_grains_save(g, bytes, *size, size));
    tact_body_grains_destroy(g);
    return bytes;
}

int main(int argc, char** argv)
{
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 20000;
    tact_random random = {1};
    fuzz_try_files(argc, argv, 2);
    open_set();
    size_t whole = 0;
    uint8_t* seed = make_seed(&whole);
    for (long round = 0; round < rounds; ++round) {
        uint8_t* copy = malloc(whole);
        if (!copy) abort();
        memcpy(copy, seed, whole);
        const size_t size = fuzz_mutate(&random, copy, whole);
        fuzz_seal(&random, copy, size, seed);
        fuzz_try(copy, size);
        free(copy);
    }
    free(seed);
    printf("%ld mutated motions, %zu of them accepted and used\n", rounds, accepted);
    tact_bodies_destroy(set);
    tact_context_destroy(context);
    return 0;
}

#endif
