// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Feeds broken files to `tact particles`: arrays of particles to --load, saved runs to --resume. As it stands it is a
// program that tries a fixed number of mutations, the same every time; with -DTACT_LIBFUZZER and clang's
// -fsanitize=fuzzer it is a libFuzzer target.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/npy.h"
#include "apps/inputs/random.h"
#include "apps/particles/particles.h"
#include "apps/system.h"
#include "core/particles/particles.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/quiet.h"
#include "tests/support/saved.h"

static tact_context* context;

static void expect_problem(const tact_problem* problem)
{
    if (!problem->text[0] || strchr(problem->text, '\n')) abort();
}

/// What --load promises: rows that the library takes, or a reason.
static void try_rows(const uint8_t* data, size_t size)
{
    tact_problem problem = {0};
    float *rows = NULL, *turning = NULL;
    size_t count = 0;
    if (!tact_particle_rows_parse(data, size, "fuzz", &rows, &turning, &count, &problem)) {
        if (rows || turning) abort();
        expect_problem(&problem);
        return;
    }
    for (size_t i = 0; i < 7 * count; ++i) {
        if (!isfinite(rows[i]) || (i % 7 == 3 && !(rows[i] > 0.0f))) abort();
    }
    for (size_t i = 0; turning && i < 6 * count; ++i) {
        if (!isfinite(turning[i])) abort();
    }
    free(rows);
    free(turning);
}

/// What a saved run has of a scene: numbers that a step and a picture can take, or a reason.
static void try_scene(const uint8_t* data, size_t size)
{
    tact_problem problem = {0};
    tact_particle_plan plan = {.count = 0};
    tact_field_run run = {.count = 0};
    tact_field_bytes saved = {malloc(size + 1), size};
    if (!saved.bytes) abort();
    if (size) memcpy(saved.bytes, data, size);
    if (!tact_field_restore(&saved, "fuzz", &plan, &run, &problem)) {
        expect_problem(&problem);
    } else if (plan.field.every == 0 || plan.field.loose > plan.count || (run.count > 0 && !run.samples)) {
        abort();
    }
    free(saved.bytes);
    tact_field_run_free(&run);
    tact_particle_plan_free(&plan);
}

/// What --resume promises: a system that steps, or a reason.
static void try_run(const uint8_t* data, size_t size)
{
    tact_problem problem = {0};
    tact_particle_run_facts facts;
    tact_field_bytes scene;
    const void* system = NULL;
    size_t system_size = 0;
    const bool good = tact_particle_run_parse(data, size, "fuzz", &facts, &scene, &system, &system_size, &problem);
    free(scene.bytes);
    if (!good) {
        expect_problem(&problem);
        return;
    }
    tact_particles* particles = NULL;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = 1};
    if (tact_particles_restore(context, system, system_size, TACT_BACKEND_AUTO, &particles) != TACT_OK) {
        if (particles || !tact_context_error(context)[0]) abort();
        return;
    }
    // A few that are not meant to be stepped long: whether it works is the library's to say.
    if (facts.substeps <= 4) tact_particles_step(particles, facts.dt, facts.substeps, 1, &options, NULL);
    tact_particles_destroy(particles);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .log = quiet, .threads = 1};
    if (!context && tact_context_create(&desc, &context) != TACT_OK) abort();
    try_rows(data, size);
    try_run(data, size);
    try_scene(data, size);
    return 0;
}

#ifndef TACT_LIBFUZZER

typedef struct seed {
    void* bytes;
    size_t size;
} seed;

static seed read_seed(const char* path)
{
    seed s;
    tact_problem problem = {0};
    if (!tact_file_read(path, &s.bytes, &s.size, &problem)) abort();
    remove(path);
    return s;
}

static seed saved_run(void)
{
    static const float corners[] = {-2, 0, -2, 2, 0, -2, 0, 0, 3}, positions[] = {0, 1, 0, 0.5f, 2, 0.25f, 0, 3, 0};
    const tact_mesh_desc mesh = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const tact_particle_arrays arrays = {.positions = positions};
    const tact_collider ball = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{3.0f, 0.0f, 0.0f}, 1.0f}};
    const tact_particles_desc desc = {.response = TACT_RESPONSE_POSITION, .gravity = {0.0f, -9.81f, 0.0f}};
    const tact_particle_run_facts facts = {.dt = 0.01f, .substeps = 2, .look = {.placement.scale = 1.0f}};
    const tact_field_bytes no_scene = {0};
    tact_particles* particles = NULL;
    tact_problem problem = {0};
    uint32_t body = 0;
    LLVMFuzzerTestOneInput((const uint8_t*)"", 0);
    const bool good =
        tact_particles_create(context, &desc, &particles) == TACT_OK &&
        tact_particles_add_mesh(particles, &mesh, NULL, 0, &body) == TACT_OK &&
        tact_particles_add_collider(particles, &ball, NULL) == TACT_OK &&
        tact_particles_add(particles, &arrays, 3, NULL) == TACT_OK &&
        tact_particle_run_save("fuzz_particle_files.run", &facts, &no_scene, particles, context, &problem);
    tact_particles_destroy(particles);
    if (!good) abort();
    return read_seed("fuzz_particle_files.run");
}

static seed saved_scene(void)
{
    tact_field_sample samples[2] = {{.time = 1.0}, {.time = 2.0}};
    const tact_field_run run = {.samples = samples, .count = 2};
    const tact_particle_plan plan = {.field = {.scene = TACT_FIELD_DRUM,
                                               .loose = 100,
                                               .gravity = 9.81f,
                                               .diameter = 1.0f,
                                               .radius = 5.0f,
                                               .begin = 10,
                                               .end = 20,
                                               .every = 2,
                                               .lifters = 3},
                                     .count = 100,
                                     .density = 1000.0f};
    tact_field_bytes saved;
    tact_problem problem = {0};
    if (!tact_field_save(&plan, &run, &saved, &problem)) abort();
    return (seed){saved.bytes, saved.size};
}

static seed array_of_rows(uint32_t columns)
{
    const float rows[21] = {0, 1, 2, 0.5f, 1, 1, 1, 3, 4, 5, 0.25f, 0, 0, 0, 6, 7, 8, 1, 0, 0, 0};
    tact_problem problem = {0};
    if (!tact_npy_write("fuzz_particle_files.npy", TACT_NPY_FLOAT32, 3, columns, rows, &problem)) abort();
    return read_seed("fuzz_particle_files.npy");
}

/// Changes some bytes; of a saved run it mends the checksum as often as not, so that what is behind it is reached.
static size_t mutate(tact_random* random, uint8_t* bytes, size_t size, bool run)
{
    enum { HEAD = 88 };
    static const uint32_t words[] = {0,          1,          0x7fffffffu, 0x80000000u, 0xffffffffu,
                                     0x7f800000, 0x7fc00000, 0xff7fffffu, 0x00000001u, 0x40000001u};
    for (uint64_t changes = tact_random_below(random, 5); changes > 0; --changes) {
        const size_t at = (size_t)tact_random_below(random, size);
        const uint32_t word = words[tact_random_below(random, sizeof words / sizeof *words)];
        switch (tact_random_below(random, 3)) {
            case 0:
                bytes[at] ^= (uint8_t)(1u << tact_random_below(random, 8));
                break;
            case 1:
                bytes[at] = (uint8_t)tact_random_next(random);
                break;
            default:
                if (at / 4 * 4 + 4 <= size) memcpy(bytes + at / 4 * 4, &word, sizeof word);
                break;
        }
    }
    if (tact_random_below(random, 4) == 0) size = (size_t)tact_random_below(random, size + 1);
    if (run && size >= HEAD + TACT_SAVED_HEADER && tact_random_below(random, 2)) saved_mend(bytes + HEAD, size - HEAD);
    return size;
}

int main(int argc, char** argv)
{
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 20000;
    const seed seeds[4] = {array_of_rows(7), array_of_rows(4), saved_run(), saved_scene()};
    tact_random random = {1};
    fuzz_try_files(argc, argv, 2);
    for (long round = 0; round < rounds; ++round) {
        const size_t which = (size_t)tact_random_below(&random, 4);
        const seed* s = &seeds[which];
        uint8_t* bytes = malloc(s->size + 1);
        if (!bytes) abort();
        memcpy(bytes, s->bytes, s->size);
        const size_t size = mutate(&random, bytes, s->size, which == 2);
        fuzz_try(bytes, size);
        free(bytes);
    }
    for (int i = 0; i < 4; ++i)
        free(seeds[i].bytes);
    tact_context_destroy(context);
    printf("%ld mutated files, none accepted wrongly\n", rounds);
    return 0;
}

#endif
