// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Memory runs out on the last rank, at each request in turn: all ranks get the same result of each call, and none waits
// for ever. Run by mpirun. Argument: ranks, and `position` or `grains`.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tact/mpi.h"
#include "tact/tact.h"
#include "tests/ranks/rank_check.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/quiet.h"

enum { COUNT = 216, MOST = 2000 };

static tact_particles* block(tact_context* context, tact_particle_response response)
{
    float positions[3 * COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        positions[3 * i] = 0.95f * (float)(i % 6) + 0.5f;
        positions[3 * i + 1] = 0.95f * (float)(i / 6 % 6) + 0.5f;
        positions[3 * i + 2] = 0.95f * (float)(i / 36) + 0.5f;
    }
    const tact_particles_desc desc = {.response = response,
                                      .gravity = {0, -9.81f, 0},
                                      .boundary = {TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL},
                                      .domain = {{0, 0, 0}, {8, 8, 8}}};
    const tact_particle_arrays arrays = {.positions = positions};
    const tact_emitter emitter = {.corner = {2, 7, 2}, .velocity = {0, -3, 0}, .interval = 1e-3f, .limit = 4};
    const tact_collider sink = {
        .kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{0.5f, 0.5f, 0.5f}, 0.2f}, .mask = 0xffffffffu};
    tact_particles* p = NULL;
    if (tact_particles_create(context, &desc, &p) != TACT_OK ||
        tact_particles_add(p, &arrays, COUNT, NULL) != TACT_OK ||
        tact_particles_add_emitter(p, &emitter, NULL) != TACT_OK ||
        tact_particles_add_sink(p, &sink, NULL) != TACT_OK) {
        fail("a system", tact_last_error());
    }
    return p;
}

/// Whether a call was done; all ranks must have the same result of it.
static bool agreed(tact_result result, const char* what)
{
    int codes[2] = {result, -result}, most[2];
    MPI_Allreduce(codes, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (most[0] != -most[1]) fail(what, tact_last_error());
    if (result == TACT_OK) return true;
    if (result != TACT_ERROR_OUT_OF_MEMORY || !strstr(tact_last_error(), "out of memory"))
        fail(what, tact_last_error());
    return false;
}

static bool use(tact_particles* p, tact_ranks* ranks, bool forces)
{
    static const float more[3] = {4, 6, 4};
    const tact_particle_arrays arrays = {.positions = more};
    size_t count = 0;
    if (!agreed(tact_particles_spread(p, ranks, NULL), "spreading")) return false;
    for (int step = 0; step < 3; ++step) {
        if (!agreed(tact_particles_step(p, 1e-3f, 1, 1, NULL, NULL), "a step")) return false;
        if (step == 1 && !agreed(tact_particles_add(p, &arrays, rank == 0 ? 1 : 0, NULL), "adding")) return false;
    }
    const tact_result listed = tact_particles_contacts(p, NULL, 0, &count, NULL, NULL);
    if (!agreed(listed == TACT_INCOMPLETE ? TACT_OK : listed, "contacts")) return false;
    if (!forces) return true;
    tact_contact_force room[4 * COUNT];
    const tact_result pushed = tact_particles_contact_forces(p, room, sizeof room / sizeof *room, &count);
    return agreed(pushed, "forces of contacts");
}

/// One try, in which request `number` of the last rank fails. Returns whether all was done.
static bool try_once(size_t number, tact_particle_response response)
{
    counting_allocator counter = {0};
    const tact_context_desc desc = {.allocator = counting_hooks(&counter),
                                    .threads = 1,
                                    .gl = TACT_DEVICE_NONE,
                                    .cl = TACT_DEVICE_NONE,
                                    .log = quiet};
    tact_context* context = NULL;
    tact_ranks* ranks = NULL;
    if (tact_context_create(&desc, &context) != TACT_OK) fail("a context", tact_last_error());
    if (tact_mpi_ranks(context, MPI_COMM_WORLD, &ranks) != TACT_OK) fail("ranks", tact_last_error());
    tact_particles* p = block(context, response);
    if (rank == rank_count - 1) {
        counter.fail_at = counter.requests + number + 1;
        counter.once = true;
    }
    const bool done = use(p, ranks, response == TACT_RESPONSE_GRAINS);
    tact_particles_destroy(p);
    tact_ranks_destroy(ranks);
    tact_context_destroy(context);
    if (counter.live != 0) fail("memory is left", tact_last_error());
    return done;
}

int main(int argc, char** argv)
{
    rank_begin(&argc, &argv, 3, "ranks, response");
    const bool position = strcmp(argv[2], "position") == 0;
    size_t tries = 0;
    while (tries < MOST && !try_once(tries, position ? TACT_RESPONSE_POSITION : TACT_RESPONSE_GRAINS))
        ++tries;
    if (tries == MOST || tries < 20) fail("tries", tact_last_error());
    if (rank == 0) printf("%d ranks: memory ran out in %zu places\n", rank_count, tries);
    MPI_Finalize();
    return 0;
}
