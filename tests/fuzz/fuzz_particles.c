// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Feeds broken saved particle systems to tact_particles_restore(), and to tact_particles_restore_file(), with their
// checksum made good again so that the damage is met where it lies. What is accepted must be able to take a step and to
// be saved again. As it stands it is a program that tries a fixed number of mutations, the same every time; with
// -DTACT_LIBFUZZER and clang's -fsanitize=fuzzer it is a libFuzzer target.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "apps/system.h"
#include "core/particles/particles.h"
#include "tact/particle_bodies.h"
#include "tact/particle_clumps.h"
#include "tact/particle_ranks.h"
#include "tact/tact.h"
#include "tests/fuzz/fuzz_saved.h"
#include "tests/support/quiet.h"

static tact_context* context;

static void open_context(void)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 1, .log = quiet};
    if (!context && tact_context_create(&desc, &context) != TACT_OK) abort();
}

static size_t accepted;

/// A system that was accepted is a good one.
static void use(tact_particles* p)
{
    size_t size = 0;
    if (tact_particles_save(p, NULL, 0, &size) != TACT_INCOMPLETE) abort();
    uint8_t* bytes = malloc(size);
    if (!bytes || tact_particles_save(p, bytes, size, &size) != TACT_OK) abort();
    tact_particles* again = NULL;
    if (tact_particles_restore(context, bytes, size, TACT_BACKEND_CPU, &again) != TACT_OK) {
        fprintf(stderr, "saved again, it is refused: %s\n", tact_context_error(context));
        abort();
    }
    tact_particles_destroy(again);
    free(bytes);
    tact_particles_info before, after;
    if (tact_particles_get_info(p, &before) != TACT_OK) abort();
    const float stable = tact_particles_stable_step(p);
    const float dt = stable < 1e-3f && stable > 1e-20f ? stable : 1e-3f;
    const tact_result result = tact_particles_step(p, dt, 1, 1, NULL, NULL);
    tact_particle_totals totals;
    if (tact_particles_measure(p, &totals) < TACT_OK) abort();
    if (tact_particles_get_info(p, &after) != TACT_OK) abort();
    if (result == TACT_OK ? after.steps != before.steps + 1 : after.steps != before.steps) abort();
    ++accepted;
}

/// In a file, where it is read in blocks, it is taken for the same.
static void try_file(const uint8_t* data, size_t size, tact_result expected)
{
    static const char* const path = "fuzz_particles.saved";
    tact_particles* p = NULL;
    tact_problem problem = {0};
    if (!tact_file_replace(path, NULL, 0, data, size, &problem)) abort();
    const tact_result result = tact_particles_restore_file(context, NULL, path, 0, TACT_BACKEND_CPU, NULL, &p);
    if (result != expected || (p != NULL) != (result == TACT_OK)) {
        fprintf(stderr, "from a file: %s, \"%s\"; from memory: %s\n", tact_result_name(result),
                tact_context_error(context), tact_result_name(expected));
        abort();
    }
    tact_particles_destroy(p);
    remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    tact_particles* p = NULL;
    unsigned sum = 0;
    open_context();
    // Files take longer than the rest.
    for (size_t i = 0; i < size; ++i)
        sum += data[i];
    if (sum % 8 == 0) {
        const tact_result result = tact_particles_restore(context, data, size, TACT_BACKEND_CPU, &p);
        tact_particles_destroy(p);
        p = NULL;
        try_file(data, size, result);
    }
    if (tact_particles_restore(context, data, size, TACT_BACKEND_CPU, &p) == TACT_OK) {
        use(p);
        tact_particles_destroy(p);
    } else if (p || !tact_context_error(context)[0]) {
        abort();
    }
    return 0;
}

#ifndef TACT_LIBFUZZER

static void check(tact_result result)
{
    if (result == TACT_OK) return;
    fprintf(stderr, "%s\n", tact_context_error(context));
    abort();
}

static void move_surfaces(tact_particles* p)
{
    const tact_servo servo = {.direction = {0, 1, 0}, .force = 10, .gain = 0.01f, .greatest_speed = 0.1f};
    check(tact_particles_set_motion(p, TACT_CONTACT_COLLIDER, 1, true));
    check(tact_particles_set_motion(p, TACT_CONTACT_BODY, 0, true));
    check(tact_particles_set_servo(p, TACT_CONTACT_COLLIDER, 3, &servo));
    check(tact_particles_set_wear(p, TACT_CONTACT_BODY, 1, true));
}

static void bond(tact_particles* p)
{
    const tact_bond_law law = {.young = 1e4f,
                               .shear = 4e3f,
                               .radius = 0.5f,
                               .damping = 0.1f,
                               .tensile_strength = 1e4f,
                               .shear_strength = INFINITY};
    check(tact_particles_set_bond_law(p, 2, &law));
    check(tact_particles_bond_near(p, 2, 0.01f, NULL));
}

static void push(tact_particles* p, bool turns)
{
    const tact_program_parameter parameters[] = {{"k", 3.0f}, {"c_2", -0.5f}};
    check(tact_particles_set_program(
        p, turns ? "a = -k*x; fx = a*sqrt(r); tz = c_2*wz" : "fx = c_2*vx; fy = t < k ? 1 : m", parameters, 2));
}

static void add_clumps(tact_particles* p)
{
    const float centres[6] = {-0.2f, 0, 0, 0.2f, 0.1f, 0}, radii[2] = {0.3f, 0.25f};
    const float x[6] = {2, 1, 2, -2, 1, 2}, spins[6] = {1, 2, 3, 0, -4, 0};
    const tact_clump_shape shape = {.positions = centres, .radii = radii, .count = 2};
    const tact_clump_arrays arrays = {.positions = x, .spins = spins};
    check(tact_particles_add_clumps(p, &shape, &arrays, 2, NULL));
}

/// Small systems with something of everything, saved: of each response, and one with clumps.
static uint8_t* make_seed(int which, size_t* size)
{
    const tact_particle_material materials[2] = {{1e4f, 0.5f, 0.5f, 0.5f}, {2e4f, 0.9f, 0.1f, 0.0f}};
    const tact_particles_desc desc = {
        .response = (tact_particle_response)(which % 4),
        .boundary = {TACT_BOUNDARY_WALL, (tact_boundary)(which % 3), TACT_BOUNDARY_PERIODIC},
        .domain = {{-4, -4, -4}, {4, 4, 4}},
        .max_radius = which == 1 ? 0.5f : 0.0f,
        .materials = materials,
        .material_count = which ? 2 : 0,
        .gravity = {0, -9.81f, 0},
    };
    tact_particles* p = NULL;
    check(tact_particles_create(context, &desc, &p));
    if (which > 0) {
        const float x[12] = {0, 0, 0, 0.5f, 0, 0, -3, 2, 1, 0, 0.6f, 0}, r[4] = {0.5f, 0.25f, 0.1f, 0.3f};
        const float forces[6] = {1, 2, 3, 4, 5, 6};
        const tact_collider shapes[4] = {
            {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, -3}},
            {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{1, -2, 0}, 1}},
            {.kind = TACT_COLLIDER_CAPSULE, .shape.capsule = {{1, -2, 0}, {1, -2, 1}, 0.5f}},
            {.kind = TACT_COLLIDER_BOX, .shape.box = {{0, -3, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 1, 1}}}};
        const tact_emitter e = {.edge = {{1, 0, 0}, {0, 0, 1}}, .velocity = {0, -1, 0}, .radius = 0.3f, .limit = 20};
        const uint32_t gone = 1;
        const float corners[18] = {-3, -3, -3, 3, -3, -3, -3, -3, 3, NAN, 0, 0, 0, 1, 0, 0, 0, 1};
        const float heights[6] = {0, 1, 0, 1, NAN, 1};
        const tact_mesh_desc mesh = {.positions = corners, .vertex_count = 6, .triangle_count = 2};
        const tact_height_field_desc field = {
            .heights = heights, .columns = 3, .rows = 2, .step_x = 1, .step_z = 1, .origin = {0, -3, 0}};
        check(tact_particles_add_mesh(p, &mesh, NULL, 1, NULL));
        check(tact_particles_add_height_field(p, &field, NULL, 0, NULL));
        for (int i = 0; i < 4; ++i)
            check(tact_particles_add_collider(p, &shapes[i], NULL));
        check(tact_particles_add_sink(p, &shapes[which % 2], NULL));
        check(tact_particles_add_emitter(p, &e, NULL));
        check(tact_particles_add(p, &(tact_particle_arrays){.positions = x, .radii = r}, 4, NULL));
        if (desc.response == TACT_RESPONSE_GRAINS || desc.response == TACT_RESPONSE_SPRING) move_surfaces(p);
        if (desc.response == TACT_RESPONSE_GRAINS) bond(p);
        if (which >= 4) add_clumps(p);
        if (which > 1) push(p, desc.response == TACT_RESPONSE_GRAINS);
        check(tact_particles_set_forces(p, forces, 2));
        check(tact_particles_step(p, 1e-3f, 0, 2, NULL, NULL));
        check(tact_particles_remove(p, &gone, 1));
    }
    (void)tact_particles_save(p, NULL, 0, size);
    uint8_t* bytes = malloc(*size);
    if (!bytes) abort();
    check(tact_particles_save(p, bytes, *size, size));
    tact_particles_destroy(p);
    return bytes;
}

int main(int argc, char** argv)
{
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
    tact_random random = {1};
    enum { SEEDS = 5 };
    uint8_t* seeds[SEEDS];
    size_t sizes[SEEDS];
    fuzz_try_files(argc, argv, 2);
    open_context();
    // The last is of GRAINS.
    for (int i = 0; i < SEEDS; ++i)
        seeds[i] = make_seed(i < 4 ? i : 7, &sizes[i]);
    for (long round = 0; round < rounds; ++round) {
        const size_t which = (size_t)tact_random_below(&random, SEEDS);
        uint8_t* copy = malloc(sizes[which]);
        if (!copy) abort();
        memcpy(copy, seeds[which], sizes[which]);
        const size_t size = fuzz_mutate(&random, copy, sizes[which]);
        fuzz_seal(&random, copy, size, seeds[which]);
        fuzz_try(copy, size);
        free(copy);
    }
    for (int i = 0; i < SEEDS; ++i)
        free(seeds[i]);
    printf("%ld mutated systems, %zu of them accepted and used\n", rounds, accepted);
    tact_context_destroy(context);
    return 0;
}

#endif
