// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Arrays in, steps, arrays out: a block of spheres falls into a box.
#include <stdio.h>
#include <stdlib.h>
#include <tact/tact.h>

enum { SIDE = 16, COUNT = SIDE * SIDE * SIDE };

int main(void)
{
    static float positions[COUNT][3], velocities[COUNT][3];
    for (int i = 0; i < COUNT; ++i) {
        positions[i][0] = 0.11f * (float)(i % SIDE) - 0.8f;
        positions[i][1] = 0.11f * (float)(i / SIDE / SIDE) + 0.1f;
        positions[i][2] = 0.11f * (float)(i / SIDE % SIDE) - 0.8f + 0.02f * (float)(i / SIDE / SIDE % 2);
    }
    const tact_particles_desc desc = {
        .response = TACT_RESPONSE_POSITION,
        .boundary = {TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL},
        .domain = {{-1.5f, 0.0f, -1.0f}, {1.5f, 4.0f, 1.0f}},
        .gravity = {0.0f, -9.81f, 0.0f},
    };
    const tact_particle_arrays arrays = {.positions = positions[0], .radius = 0.05f};
    const tact_particle_output output = {.positions = positions[0], .velocities = velocities[0]};
    tact_context* context = NULL;
    tact_particles* particles = NULL;
    tact_query_report report = {0};
    tact_particle_totals totals;
    int status = 1;
    if (tact_context_create(NULL, &context) == TACT_OK &&
        tact_particles_create(context, &desc, &particles) == TACT_OK &&
        tact_particles_add(particles, &arrays, COUNT, NULL) == TACT_OK &&
        tact_particles_step(particles, 1.0f / 120.0f, 2, 60, NULL, &report) == TACT_OK &&
        tact_particles_read(particles, &output) == TACT_OK && tact_particles_measure(particles, &totals) == TACT_OK) {
        printf("%d spheres after 60 steps by %s: the first is at %g %g %g, the highest at %g\n", COUNT, report.device,
               (double)positions[0][0], (double)positions[0][1], (double)positions[0][2], (double)totals.upper[1]);
        status = totals.upper[1] > 1.8f;
    } else {
        fprintf(stderr, "%s\n", context ? tact_context_error(context) : "no context");
    }
    tact_particles_destroy(particles);
    tact_context_destroy(context);
    return status;
}
