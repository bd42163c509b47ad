// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What tests of the physics of particles share. Include after run.h.

#include "tact/particle_bodies.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"
#include "tests/support/test_context.h"

static bool long_run;  ///< "long" as argument: the larger piles and boxes too
static bool print;     ///< "print": the figures that docs/particles.md quotes

static const double pi = 3.14159265358979323846;
static const float gravity = 9.81f;

#define FIGURE(...)                     \
    do {                                \
        if (print) printf(__VA_ARGS__); \
    } while (0)

static inline void lab_arguments(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "long") == 0) long_run = true;
        if (strcmp(argv[i], "print") == 0) print = true;
    }
}

/// Until the test ends.
static inline tact_particles* make(const tact_particles_desc* desc)
{
    tact_particles* p = NULL;
    const tact_result result = tact_particles_create(context, desc, &p);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
    return KEEP(p);
}

static inline void add(tact_particles* p, const tact_particle_arrays* arrays, size_t count)
{
    const tact_result result = tact_particles_add(p, arrays, count, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}

static inline void step(tact_particles* p, float dt, uint32_t substeps, uint32_t steps)
{
    const tact_result result = tact_particles_step(p, dt, substeps, steps, NULL, NULL);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
}

static inline void read_state(tact_particles* p, float* x, float* v)
{
    const tact_particle_output out = {.positions = x, .velocities = v};
    assert_int_equal(tact_particles_read(p, &out), TACT_OK);
}

static inline tact_particle_totals totals_of(tact_particles* p)
{
    tact_particle_totals t;
    assert_int_equal(tact_particles_measure(p, &t), TACT_OK);
    return t;
}

/// A material of which two make a contact of this stiffness.
static inline tact_particle_material material_of(float stiffness, float restitution, float friction)
{
    const tact_particle_material m = {2.0f * stiffness, restitution, friction, 0.5f};
    return m;
}

static inline float* floats(size_t count)
{
    return scratch_zeroed(count + 1, sizeof(float));
}
