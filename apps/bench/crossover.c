// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/plot.h"

#include <math.h>
#include <stdbool.h>

static bool is_point(double size, double base, double other)
{
    return size > 0.0 && base > 0.0 && other > 0.0 && isfinite(size) && isfinite(base) && isfinite(other);
}

tact_crossover tact_find_crossover(const double* sizes, const double* base, const double* other, size_t count)
{
    tact_crossover found = {TACT_CROSSOVER_UNKNOWN, 0.0, 0.0, 0.0};
    double last_size = 0.0, last_gain = 0.0;
    for (size_t i = 0; i < count; ++i) {
        if (!is_point(sizes[i], base[i], other[i])) continue;
        const double gain = log(base[i] / other[i]);
        if (gain <= 0.0) {
            found.kind = TACT_CROSSOVER_NONE;
            found.size = sizes[i];
        } else if (found.kind == TACT_CROSSOVER_UNKNOWN) {
            found.kind = TACT_CROSSOVER_ALWAYS;
            found.size = sizes[i];
        } else if (found.kind == TACT_CROSSOVER_NONE) {
            // The last gain is not positive and this one is: their difference is not zero.
            const double share = -last_gain / (gain - last_gain);
            found.kind = TACT_CROSSOVER_AT;
            found.size = exp(log(last_size) + share * (log(sizes[i]) - log(last_size)));
        }
        found.largest = sizes[i];
        found.speed_up = base[i] / other[i];
        last_size = sizes[i];
        last_gain = gain;
    }
    return found;
}
