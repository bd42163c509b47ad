// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Lists of all points within a radius of each other, on the CPU. Knows nothing of particle systems: an engine hands
/// over arrays.

#include "base/env.h"
#include "base/lane_levels.h"
#include "kernels/particle_grid.h"
#include "tact/particles.h"

/// Holds the memory of a search, so that a next one allocates nothing, and its results.
typedef struct tact_neighbour_finder tact_neighbour_finder;

/// Errors: OUT_OF_MEMORY.
tact_result tact_neighbour_finder_create(tact_env* env, tact_neighbour_finder** finder);
/// NULL is allowed.
void tact_neighbour_finder_destroy(tact_neighbour_finder* finder);

/// For tests: the set of instructions, 0 portable, 1 SSE2, 2 AVX2, 3 AVX-512. False, and no change, for one that this
/// machine or build lacks.
bool tact_neighbour_finder_use(tact_neighbour_finder* finder, int lanes);

/// Points in the caller's arrays.
typedef struct tact_neighbour_job {
    const float *x, *y, *z;
    size_t stride;                ///< floats from a point to the next
    bool padded;                  ///< 16 floats can be read past the end of each array
    const uint32_t* ids;          ///< NULL: the points' indices
    size_t id_stride;             ///< words from an id to the next
    size_t count;                 ///< at most TACT_MAX_PARTICLES
    const TactGridAxis* axes[3];  ///< of x y z: where a period begins (`origin`), and the period; 0: open
    float radius;                 ///< > 0, at most 1e15 and at most a third of each period
    tact_neighbour_kind kind;
    int threads;
} tact_neighbour_job;

/// What a search did.
typedef struct tact_neighbour_stats {
    uint64_t tests;  ///< distances asked for
    uint64_t neighbours;
    bool sorted;  ///< the points came in the order of slots
} tact_neighbour_stats;

/// Finds them. The lists are as tact_particles_neighbours() has them, and valid until the finder is next used. Slots
/// follow z, then y, then x, in steps of about the radius (along x shorter ones where points are many); their order
/// depends on the points, their order and the radius only, not on threads or the set of instructions. Memory: some 120
/// bytes a point and 1.1 MiB a thread besides the lists, however crowded the points are. Errors: OUT_OF_MEMORY.
tact_result tact_neighbours_find(tact_neighbour_finder* finder, const tact_neighbour_job* job,
                                 tact_neighbour_lists* lists);

/// The index, in the job's arrays, of the point in each slot; after a search whose points were not in order.
const uint32_t* tact_neighbours_order(const tact_neighbour_finder* finder);

/// The x, y and z of the points by slot, as they came; the job's arrays where these were in order and padded.
void tact_neighbours_points(const tact_neighbour_finder* finder, const float* points[3]);

tact_neighbour_stats tact_neighbours_stats(const tact_neighbour_finder* finder);

/// Bytes held.
uint64_t tact_neighbours_bytes(const tact_neighbour_finder* finder);

struct tact_particle_model;

/// For an engine: `*finder` is made if it is NULL; axes and threads of the job are the model's.
tact_result tact_neighbours_find_for(tact_env* env, tact_neighbour_finder** finder,
                                     const struct tact_particle_model* model, tact_neighbour_job* job,
                                     tact_neighbour_lists* lists);
