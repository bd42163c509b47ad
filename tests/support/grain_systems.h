// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Systems of grains, small enough for the definition. Include after run.h.

#include <math.h>

#include "tact/particle_grains.h"
#include "tests/support/objects.h"
#include "tests/support/particle_states.h"
#include "tests/support/particle_systems.h"
#include "tests/support/test_context.h"

static const tact_grain_law grain_hertz = {.springs = TACT_GRAIN_HERTZ,
                                           .stiffness = 2e5f,
                                           .shear = 1.5e5f,
                                           .restitution = 0.6f,
                                           .tangential_damping = 0.2f,
                                           .friction = 0.4f,
                                           .rolling_friction = 0.05f,
                                           .twisting_friction = 0.03f,
                                           .adhesion = 0.5f};

/// A system with something of everything, of law `variant`, 0 to 3.
static inline tact_particles* grain_rich(tact_backend backend, int variant)
{
    tact_particles_desc desc = rich_desc(TACT_RESPONSE_GRAINS);
    tact_particles* p = NULL;
    desc.backend = backend;
    if (variant % 2) {
        desc.boundary[1] = TACT_BOUNDARY_PERIODIC;
        desc.boundary[2] = TACT_BOUNDARY_WALL;
    }
    assert_int_equal(tact_particles_create(context, &desc, &p), TACT_OK);
    KEEP(p);
    assert_int_equal(rich_fill(p, variant < 2), TACT_OK);
    if (variant == 0) return p;
    assert_int_equal(tact_particles_set_law(p, 0, 1, &grain_hertz), TACT_OK);
    if (variant == 3) assert_int_equal(tact_particles_set_law(p, 0, 0, &grain_hertz), TACT_OK);
    float spins[3 * RICH_PARTICLES];
    test_random r = {3};
    for (size_t i = 0; i < 3 * RICH_PARTICLES; ++i)
        spins[i] = 20.0f * test_random_signed(&r);
    assert_int_equal(tact_particles_write_turning(p, NULL, RICH_PARTICLES, spins, NULL), TACT_OK);
    return p;
}

static inline void grain_step(tact_particles* p, uint32_t steps, int threads)
{
    const tact_query_options options = {.threads = threads, .no_fallback = true};
    const tact_result result = tact_particles_step(p, rich_dt, 0, steps, &options, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}

enum { GRAIN_EDGE = 9, GRAIN_BED = GRAIN_EDGE * GRAIN_EDGE * GRAIN_EDGE };

/// A bed of grains of radii 0.3 to 0.5, in a box.
static inline tact_particles* grain_bed(tact_backend backend, const tact_grain_law* law)
{
    const tact_particle_material material = {2e5f, 0.5f, 0.5f, 0.1f};
    const tact_particles_desc desc = {
        .response = TACT_RESPONSE_GRAINS,
        .backend = backend,
        .boundary = {TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL, TACT_BOUNDARY_PERIODIC},
        .domain = {{0, 0, 0}, {0.88f * GRAIN_EDGE + 0.12f, 2 * GRAIN_EDGE, 0.88f * GRAIN_EDGE}},
        .materials = &material,
        .material_count = 1,
        .gravity = {0, -9.81f, 0}};
    float x[3 * GRAIN_BED], radii[GRAIN_BED];
    test_random r = {21};
    for (size_t i = 0; i < GRAIN_BED; ++i) {
        const size_t at[3] = {i % GRAIN_EDGE, i / GRAIN_EDGE % GRAIN_EDGE, i / GRAIN_EDGE / GRAIN_EDGE};
        for (size_t k = 0; k < 3; ++k)
            x[3 * i + k] = 0.5f + 0.88f * (float)at[k] + 0.05f * test_random_signed(&r) * (k == 1 ? 0.0f : 1.0f);
        radii[i] = 0.3f + 0.2f * test_random_unit(&r);
    }
    tact_particles* p = NULL;
    assert_int_equal(tact_particles_create(context, &desc, &p), TACT_OK);
    KEEP(p);
    if (law) assert_int_equal(tact_particles_set_law(p, 0, 0, law), TACT_OK);
    const tact_particle_arrays arrays = {.positions = x, .radii = radii};
    assert_int_equal(tact_particles_add(p, &arrays, GRAIN_BED, NULL), TACT_OK);
    return p;
}

static inline void grain_take(tact_particles* p, uint32_t substeps, int threads)
{
    const tact_query_options options = {.threads = threads};
    const tact_result result = tact_particles_step(p, 2e-4f * (float)substeps, substeps, 1, &options, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}
