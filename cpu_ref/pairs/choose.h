// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Chooses the method for a job. The expected times come from what the boxes look like (a sample: count, sizes, how
/// densely they lie, how much they move) and rates that were measured; where a method has answered for the set before,
/// from what it took.

#include "cpu_ref/pairs/pairs.h"

/// What a sample of a job's boxes says.
typedef struct tact_pairs_features {
    double volumes;     ///< that take part, of both sets
    double neighbours;  ///< expected overlaps of a box, were the boxes spread evenly over their common bounds
    double spread;      ///< greatest width of a box over the mean one
    double slimness;    ///< mean of a box's greatest width over its least
    double cells;       ///< as wide as the widest box, from the first box to the last, on the longest axis
    bool kept;          ///< the set has answered a query before
    double moved;       ///< share of the boxes that are not where they were at the last query; 1 the first time
} tact_pairs_features;

/// The method with the least expected time, and why in `reason`.
tact_pairs_method tact_pairs_choose(const tact_pairs_job* job, char* reason, size_t size);

/// Tells how long a method took for the job, sorting included, so that the next choice is better.
void tact_pairs_remember(const tact_pairs_job* job, tact_pairs_method method, double milliseconds);
