// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/volume_input.h"

#include <math.h>

#include "apps/inputs/random.h"

static void put_box(tact_random* random, const double half[3], tact_aabb* box)
{
    float *lower = &box->lower.x, *upper = &box->upper.x;
    for (int k = 0; k < 3; ++k) {
        const double at = tact_random_fraction(random);
        lower[k] = (float)(at - half[k]);
        upper[k] = (float)(at + half[k]);
    }
}

void tact_input_volumes_dense(size_t count, uint64_t seed, double overlaps, tact_aabb* boxes)
{
    tact_random random = {seed};
    // Two of widths v and w overlap when their middles are within (v + w) / 2 on each axis: a volume of 8 w^3 on
    // average.
    const double width = cbrt(overlaps / (8.0 * (double)(count > 0 ? count : 1)));
    for (size_t i = 0; i < count; ++i) {
        double half[3];
        for (int k = 0; k < 3; ++k)
            half[k] = 0.5 * width * (0.5 + tact_random_fraction(&random));
        put_box(&random, half, &boxes[i]);
    }
}

/// A width from 1 to `spread`, its density falling with its square.
static double width_of(tact_random* random, double spread)
{
    const double u = tact_random_fraction(random);
    return 1.0 / (1.0 - u * (1.0 - 1.0 / spread));
}

void tact_input_volumes_spread(size_t count, uint64_t seed, double spread, tact_aabb* boxes)
{
    // The mean of (v + w)^3 over pairs is 2 m3 + 6 m1 m2 with the moments of the widths, taken from the widths
    // themselves.
    double m1 = 0.0, m2 = 0.0, m3 = 0.0;
    tact_random random = {seed};
    for (size_t i = 0; i < count; ++i) {
        const double w = width_of(&random, spread);
        m1 += w;
        m2 += w * w;
        m3 += w * w * w;
    }
    const double n = (double)(count > 0 ? count : 1);
    const double mean = 2.0 * m3 / n + 6.0 * (m1 / n) * (m2 / n);
    const double least = mean > 0.0 ? cbrt(4.0 / (n * mean)) : 0.0;
    tact_random widths = {seed}, places = {seed + 1};
    for (size_t i = 0; i < count; ++i) {
        const double h = 0.5 * least * width_of(&widths, spread), half[3] = {h, h, h};
        put_box(&places, half, &boxes[i]);
    }
}
