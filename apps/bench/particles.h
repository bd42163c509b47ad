// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What `tact bench particles` measures: steps of a system and neighbour lists, by ours and by the plain code.

#include "apps/bench/bench.h"
#include "apps/particles/scenes.h"

typedef enum tact_particle_work {
    TACT_WORK_SPRING = 0,       ///< a step of one substep
    TACT_WORK_POSITION = 1,     ///< the same, position-based
    TACT_WORK_LISTS_NEW = 2,    ///< neighbour lists of points in random order in memory, sorting included
    TACT_WORK_LISTS_AGAIN = 3,  ///< of points that were sorted by the time before
    TACT_WORK_PAIRS_NEW = 4,    ///< as the lists, each pair once
    TACT_WORK_PAIRS_AGAIN = 5,
    TACT_PARTICLE_WORKS = 6
} tact_particle_work;

extern const char* const tact_particle_work_names[];

typedef struct tact_particles_bench_row {
    tact_particle_work work;
    char scene[32];
    uint64_t count;
    bool plain;  ///< by the plain code
    tact_backend backend;
    int threads;
    tact_bench_status status;
    tact_spread ms;
    double found;           ///< contacts, neighbours or pairs, by the number of particles
    uint64_t memory_bytes;  ///< 0: unknown
    tact_digest digest;     ///< of the state at the end, or of the lists by id; the plain code has none
    char detail[256];
} tact_particles_bench_row;

typedef struct tact_particles_bench_case {
    tact_particle_work work;
    const char* scene;
    tact_particle_setup setup;
    float radius;              ///< of neighbours
    tact_neighbour_kind kind;  ///< which of them
    uint64_t repeat;
    int threads;
    tact_digest digest;  ///< that all must have; empty until the first has answered
    double found;        ///< likewise; < 0: not known yet
} tact_particles_bench_case;

/// Makes the case of a scene: "dense", "mixed", or for lists "lattice" (body-centred cubic, about 64 neighbours each)
/// and "random" (about 62 each) and "sparse" (about 6 each).
bool tact_particles_bench_open(tact_particles_bench_case* c, tact_particle_work work, const char* scene, size_t count,
                               uint64_t seed, tact_problem* problem);
void tact_particles_bench_close(tact_particles_bench_case* c);

/// Measures one backend, or the plain code. What cannot be done is in the row's status.
bool tact_particles_bench_measure(tact_particles_bench_case* c, tact_context* context, tact_particles_bench_row* row,
                                  tact_problem* problem);

/// Of neighbour lists by id: each row's ids sorted, rows in order of id. Does not depend on the order in memory.
/// `once`: each pair is listed once.
bool tact_particles_bench_digest(const tact_neighbour_lists* lists, bool once, tact_digest* digest,
                                 tact_problem* problem);
