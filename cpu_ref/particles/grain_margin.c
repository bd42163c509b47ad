// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// How far apart pairs of grains are listed. No result depends on it: cpu_grains.c says why.

#include <math.h>

#include "cpu_ref/particles/particles.h"

#define LEAST_MARGIN 0.015625f
#define MOST_MARGIN 0.375f
#define LEAST_RADIUS 1.0e-9f

enum {
    OLD = 400,  ///< substeps: a list that served longer had too large a margin
};

/// An axis whose cells are wider by a factor. False where a period has no room for three of them.
static bool widen(TactGridAxis* a, float by, const TactGrid* g)
{
    if (!(a->period > 0.0f)) {
        a->inverse = a->inverse / by;
        return true;
    }
    // Of the coarsest level, no more than there were.
    const int before = (a->high - a->low + 1) >> (g->levels - 1);
    const double room = floor((double)a->period / ((double)g->edge * (double)by));
    const int cells = room < before ? (int)room : before, fine = cells << (g->levels - 1);
    a->low = 0;
    a->high = fine - 1;
    a->inverse = (float)((double)fine / (double)a->period);
    return cells >= 3;
}

float tact_grain_margin_after(float margin, uint32_t age, uint32_t young)
{
    if (age < young) return fminf(1.5f * margin, MOST_MARGIN);
    return age > OLD ? fmaxf(0.75f * margin, LEAST_MARGIN) : margin;
}

float tact_grain_margin_in(const TactGrid* narrow, float wanted, float least_radius, float reach, TactGrid* grid)
{
    const float span = fmaxf(narrow->x.period, fmaxf(narrow->y.period, narrow->z.period));
    *grid = *narrow;
    if (reach > 1.0f &&
        (!widen(&grid->x, reach, narrow) || !widen(&grid->y, reach, narrow) || !widen(&grid->z, reach, narrow))) {
        *grid = *narrow;
        return -1.0f;
    }
    if (!(least_radius >= LEAST_RADIUS)) return 0.0f;
    for (float margin = wanted; margin >= LEAST_MARGIN; margin *= 0.5f) {
        // In periods a difference is rounded before the period is taken off.
        if (!(span * 0x1p-20f <= 0.05f * margin * least_radius)) return 0.0f;
        TactGrid wide = *narrow;
        const float by = reach * (1.0f + 1.001f * margin);
        if (!widen(&wide.x, by, narrow) || !widen(&wide.y, by, narrow) || !widen(&wide.z, by, narrow)) continue;
        *grid = wide;
        return margin;
    }
    return 0.0f;
}
