// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// From which size on one way is faster than another.

#include <stddef.h>

typedef enum tact_crossover_kind {
    TACT_CROSSOVER_UNKNOWN = 0,  ///< there is nothing to compare
    TACT_CROSSOVER_NONE = 1,     ///< not faster at the largest size
    TACT_CROSSOVER_ALWAYS = 2,   ///< faster at every size measured
    TACT_CROSSOVER_AT = 3        ///< faster from `size` on
} tact_crossover_kind;

typedef struct tact_crossover {
    tact_crossover_kind kind;
    double size;      ///< AT: between two sizes measured; ALWAYS: the smallest; NONE: the largest
    double largest;   ///< the largest size measured
    double speed_up;  ///< at the largest size: the base's time over the other's
} tact_crossover;

/// `sizes` ascend; times in any one unit. Points where a size, `base` or `other` is not positive and finite do not
/// count. Between the last size at which the other is not faster and the next one the logarithm of the ratio of times
/// is taken as linear in the logarithm of the size, and the crossover is where it is 0.
tact_crossover tact_find_crossover(const double* sizes, const double* base, const double* other, size_t count);
