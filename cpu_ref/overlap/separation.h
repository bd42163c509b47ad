// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How far apart two meshes are: the definition, and the search that must agree with it.

#include "cpu_ref/overlap/overlap.h"
#include "cpu_ref/overlap/separation_tree.h"

/// One pose.
typedef struct tact_separation_job {
    const tact_overlap_mesh *a, *b;
    const float* pose;  ///< of b, finite
    float limit;        ///< not negative; may be infinite
} tact_separation_job;

/// The square of triangles that overlap: less than that of any others, whatever rounding makes of theirs.
#define TACT_SEPARATION_OVERLAP (-1.0)

/// The pair of triangles that decides: of those whose square (tact_separation_square(), or TACT_SEPARATION_OVERLAP) is
/// at most the limit's, the one with the least; of equal ones the least (a, b). None: TACT_NONE twice.
typedef struct tact_separation_nearest {
    double square;
    uint32_t a, b;
} tact_separation_nearest;

static inline bool tact_separation_nearer(const tact_separation_nearest* x, const tact_separation_nearest* y)
{
    if (x->square != y->square) return x->square < y->square;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

/// What a search remembers for the next one: a front. Begins as zeroes.
///
/// A cut is of a pair of subtrees: of the sixteen that it divides into, those of its mask, any two triangles being in
/// exactly one of one cut. It knows a distance below which none of their triangles were when it was looked at; since
/// then no triangle of B has moved further than the odometer has gone on. So what was far enough away to stay unlooked
/// at is known without looking.
typedef struct tact_separation_cut {
    double beyond;  ///< that distance plus the odometer's state
    uint32_t a, b;
    uint32_t mask, unused;
} tact_separation_cut;

typedef struct tact_separation_front {
    bool any;  ///< all below holds for some search
    tact_separation_nearest nearest;
    float pose[12];  ///< of that search
    double odometer;
    tact_separation_cut* cuts;
    size_t count, capacity;
    size_t fresh;    ///< how many cuts there were when they were last made from the roots
    uint32_t steps;  ///< searches since
} tact_separation_front;

void tact_separation_front_free(tact_env* env, tact_separation_front* front);

/// What a search did, for tests and tuning.
typedef struct tact_separation_work {
    uint64_t bounds;    ///< pairs of subtrees looked at
    uint64_t squares;   ///< pairs of triangles measured
    uint64_t rechecks;  ///< cuts of the front that had to be looked at again
    bool from_roots;
} tact_separation_work;

void tact_separation_reference(const tact_separation_job* job, tact_separation_nearest* nearest);

/// The same. `front` and `work` may be NULL. Errors: OUT_OF_MEMORY; the front is then empty.
tact_result tact_separation_cpu(tact_env* env, const tact_separation_job* job, const tact_separation_tree* a,
                                const tact_separation_tree* b, tact_separation_front* front,
                                tact_separation_nearest* nearest, tact_separation_work* work);

/// What the caller is told of a pair.
void tact_separation_result(const tact_separation_job* job, const tact_separation_nearest* nearest,
                            tact_mesh_distance* result);
