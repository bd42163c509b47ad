// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdio.h>

#include "tact/mpi.h"
#include "tact/particle_ranks.h"

/// A falls on B, each on a rank of its own.
int main(int argc, char** argv)
{
    const float positions[6] = {0.0f, 2.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    const tact_particles_desc desc = {.gravity = {0.0f, -9.81f, 0.0f}};
    const tact_particle_arrays arrays = {.positions = positions};
    tact_context* context = NULL;
    tact_ranks* ranks = NULL;
    tact_particles* particles = NULL;
    tact_particle_ranks_info info = {0};
    MPI_Init(&argc, &argv);
    tact_result result = tact_context_create(NULL, &context);
    if (result == TACT_OK) result = tact_mpi_ranks(context, MPI_COMM_WORLD, &ranks);
    if (result == TACT_OK) result = tact_particles_create(context, &desc, &particles);
    if (result == TACT_OK) result = tact_particles_add(particles, &arrays, 2, NULL);
    if (result == TACT_OK) result = tact_particles_spread(particles, ranks, NULL);
    if (result == TACT_OK) result = tact_particles_step(particles, 0.01f, 0, 10, NULL, NULL);
    if (result == TACT_OK) result = tact_particles_get_ranks(particles, &info);
    if (result == TACT_OK && info.ranks == 2 && info.rank == 0)
        printf("tact %s: rank 0 of %u has %d particles\n", tact_version(), (unsigned)info.ranks, (int)info.held);
    tact_particles_destroy(particles);
    tact_ranks_destroy(ranks);
    tact_context_destroy(context);
    MPI_Finalize();
    return result == TACT_OK && info.ranks == 2 ? 0 : 1;
}
