// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Distances that two subtrees' triangles are certainly beyond, for sixteen pairs of boxes at a time, and the same for
/// triangles: what the lanes find, once for each set of instructions (separation_lanes_body.h).
///
/// Any unit vector w gives one: what B's box reaches least along w, less what A's reaches most. Two are tried: the way
/// of the nearest triangles so far, and one from box to box. Let R be a subtree's reach and H its spread
/// (separation_tree.h), K the largest sum of the matrix's absolute values in a row and T the largest absolute value of
/// its last column. All is computed in single precision; rounding is paid for by a slack:
///
/// - the floats of a box: 2^-22 H of A. Of B, whose axes are turned, 10 * 2^-24 K H < 2^-20 K H, since a matrix
///   stretches by at most sqrt(3) K;
/// - B's vertices are moved by four roundings each: 4 * 2^-24 sqrt(3) (K R + T) < 7 * 2^-24 (K R + T), and as much
///   again for the centre of B's box: less than 2^-20 (K R + T) with a seventh to spare;
/// - numbers that are not normal: 18 of them, 2^-149 each, over a way that is at least 2^-30 long: 2^-110;
/// - tact_separation_square() may be 2^-46 of the largest coordinate too near, which is at most R of A or K R + T:
///   2^-40 R of A.
///
/// Each of seven dot products has an error of at most 4 * 2^-24 of its lengths, all of which sum to `size` or less; the
/// difference of the centres has one more, the sum of six of them six roundings, and the root and the quotient are
/// 2^-22 of the gap: 15 * 2^-24 size together, of which four times is taken, which pays for the roundings of the slack
/// and of the size too. Where size is so large that something may overflow, or is NaN, nothing is said.
///
/// Between triangles the distance of their boxes and what lies between them along the first way are taken. The former
/// has a relative error of 2^-22; of the latter each of two dot products has one of 4 * 2^-24 sqrt(3) S, S being the
/// largest coordinate, R or K R + T, and the difference and the way's length 3 * 2^-24 of the gap: less than 2^-19 of
/// the sum of both S.

#include "cpu_ref/geometry/vec.h"
#include "cpu_ref/overlap/separation_tree.h"

/// B's pose.
typedef struct tact_separation_motion {
    float matrix[3][3], shift[3];
    float stretch, far;  ///< K and T, or a little more; may be infinite
    float scale;         ///< a way from box to box times this is neither large nor, if it matters, small
    const float* pose;
} tact_separation_motion;

/// Two groups compared. Pair 4 i + j is of triangle i of A's and j of B's.
typedef struct tact_separation_meeting {
    float moved[9][TACT_SEPARATION_WIDE];  ///< the corners of B's
    uint32_t there;                        ///< those of B's in range: a bit each
    uint32_t near;                         ///< pairs, not absent, that are not beyond the reach: a bit each
    uint32_t touching;                     ///< whose boxes overlap: a bit each
    float beyond;                          ///< the least of all those not absent
} tact_separation_meeting;

/// Pairs of triangles to be measured, and their squares. What is in places that are not used must be numbers.
enum { TACT_SEPARATION_BATCH = 8 };
typedef struct tact_separation_batch {
    float a[9][TACT_SEPARATION_BATCH], b[9][TACT_SEPARATION_BATCH];
    double square[TACT_SEPARATION_BATCH], gap[3][TACT_SEPARATION_BATCH];
} tact_separation_batch;

typedef struct tact_separation_lanes {
    const char* name;
    /// What sixteen pairs of boxes are beyond, pair 4 i + j being A's child i and B's child j, and how far apart their
    /// middles are; of those in `of`, which are there. `along` is a unit vector in which the answer may lie, or 0.
    /// Returns the pairs of them that are not beyond `reach`; only these have middles. What is beyond `enough`, which
    /// is not less, may be told to be beyond less than could be known.
    uint32_t (*boxes)(const tact_separation_node* a, const tact_separation_node* b, uint32_t of,
                      const tact_separation_motion* motion, const float along[3], float reach, float enough,
                      float beyond[TACT_SEPARATION_PAIRS], float middles[TACT_SEPARATION_PAIRS]);
    /// Moves a group of B and compares it to one of A. `reach_a` and `reach_b` are those of their boxes.
    void (*triangles)(const tact_separation_group* a, const tact_separation_group* b,
                      const tact_separation_motion* motion, const float along[3], float reach_a, float reach_b,
                      float reach, tact_separation_meeting* meeting);
    /// tact_separation_square() of each.
    void (*squares)(tact_separation_batch* batch);
} tact_separation_lanes;

extern const tact_separation_lanes tact_separation_lanes_portable, tact_separation_lanes_sse2,
    tact_separation_lanes_avx2, tact_separation_lanes_avx512;

/// The best here, no better than the limit.
const tact_separation_lanes* tact_separation_lanes_best(void);
