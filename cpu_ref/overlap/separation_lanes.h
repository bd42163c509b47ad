// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Gaps of four pairs of boxes at once, in single precision.

#include "base/lane_levels.h"
#ifdef TACT_LANES_SSE2
#define TACT_LANES_ISA 1
#else
#define TACT_LANES_ISA 0
#endif
#include "base/simd.h"

enum { TACT_SEPARATION_PAIRS = 4 };

/// Rows of four; the boxes' axes by their half widths.
typedef struct tact_separation_rows {
    float between[3][TACT_SEPARATION_PAIRS];
    float axis[6][3][TACT_SEPARATION_PAIRS];  ///< three of A's, three of B's
} tact_separation_rows;

typedef struct tact_separation_gaps {
    float along[TACT_SEPARATION_PAIRS];                               ///< on the way that all have in common
    float way[TACT_SEPARATION_PAIRS], square[TACT_SEPARATION_PAIRS];  ///< on a way of each pair's own, of that length
} tact_separation_gaps;

typedef struct tact_separation_v3 {
    VF x, y, z;
} tact_separation_v3;

LANES_TARGET static inline VF tact_separation_v_dot(tact_separation_v3 a, tact_separation_v3 b)
{
    return V_ADD(V_ADD(V_MUL(a.x, b.x), V_MUL(a.y, b.y)), V_MUL(a.z, b.z));
}

LANES_TARGET static inline tact_separation_v3 tact_separation_v_load(const float rows[3][TACT_SEPARATION_PAIRS], int k)
{
    return (tact_separation_v3){V_LOAD(rows[0] + k), V_LOAD(rows[1] + k), V_LOAD(rows[2] + k)};
}

/// What lies between the two boxes on w, either way: less than nothing where they overlap.
LANES_TARGET static inline VF tact_separation_v_gap(tact_separation_v3 between, const tact_separation_v3 axes[6],
                                                    tact_separation_v3 w)
{
    VF radius = V_ABS(tact_separation_v_dot(axes[0], w));
    for (int i = 1; i < 6; ++i)
        radius = V_ADD(radius, V_ABS(tact_separation_v_dot(axes[i], w)));
    return V_SUB(V_ABS(tact_separation_v_dot(between, w)), radius);
}

/// From d, a box's way to a point, what is left of it at the box's nearest point (or near that, where a pose has bent
/// the box).
LANES_TARGET static inline tact_separation_v3 tact_separation_v_rest(tact_separation_v3 d,
                                                                     const tact_separation_v3 axes[3])
{
    tact_separation_v3 rest = d;
    for (int i = 0; i < 3; ++i) {
        // An axis of no length gives NaN here and -1 below, which is as good as any.
        const VF x = V_DIV(tact_separation_v_dot(d, axes[i]), tact_separation_v_dot(axes[i], axes[i]));
        const VF t = V_MIN(V_MAX(x, V_SET(-1.0f)), V_SET(1.0f));
        rest.x = V_SUB(rest.x, V_MUL(t, axes[i].x));
        rest.y = V_SUB(rest.y, V_MUL(t, axes[i].y));
        rest.z = V_SUB(rest.z, V_MUL(t, axes[i].z));
    }
    return rest;
}

/// The way of a pair's own is from A's point nearest to B's middle to B's nearest to that, scaled.
LANES_TARGET static inline void tact_separation_find_gaps(const tact_separation_rows* rows, const float along[3],
                                                          float scale, tact_separation_gaps* gaps)
{
    const tact_separation_v3 common = {V_SET(along[0]), V_SET(along[1]), V_SET(along[2])};
    for (int k = 0; k < TACT_SEPARATION_PAIRS; k += LANES) {
        const tact_separation_v3 between = tact_separation_v_load(rows->between, k);
        tact_separation_v3 axes[6];
        for (int i = 0; i < 6; ++i)
            axes[i] = tact_separation_v_load(rows->axis[i], k);
        V_STORE(gaps->along + k, tact_separation_v_gap(between, axes, common));
        const tact_separation_v3 from_a = tact_separation_v_rest(between, axes);
        // The way from B's middle to A's point is this reversed, and a box is the same seen from both ends.
        tact_separation_v3 way = tact_separation_v_rest(from_a, axes + 3);
        way = (tact_separation_v3){V_MUL(way.x, V_SET(scale)), V_MUL(way.y, V_SET(scale)), V_MUL(way.z, V_SET(scale))};
        V_STORE(gaps->way + k, tact_separation_v_gap(between, axes, way));
        V_STORE(gaps->square + k, tact_separation_v_dot(way, way));
    }
}
