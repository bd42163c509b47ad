// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A view of a filter's image: its frame, its grid of cells, and how far places in it may be wrong. Numbers only.
///
/// Why two triangles of different objects that have a point in common always share a cell. Let P be such a point of the
/// triangles whose corners are W, as the definition has them, and T(p) = (R p - L) s, in exact arithmetic, the map
/// of a view from the world to cells, for the floats R (rows), L (corner) and s (scale). All of the view's cells are
/// unit cubes, and T(P) lies in one of them: both triangles have to mark that one.
///
///  1. The kernel's corners V differ from T(W) by no more than `slack` in each coordinate. A row of R applied in single
///     precision rounds three times, u = 2^-24 of the result each, so it is wrong by no more than 3.01 u (|Rx| + |Ry| +
///     |Rz|) times the largest coordinate in the world; not at all where R is the world's axes, since it then adds
///     zeros. Numbers below 2^-126 that a device flushes add less than 2^-123, and a cell is no smaller than 2^-100;
///     where it flushed such on a corner's way into the world, that may be astray (kernels/overlap_box.h), by so much
///     in each coordinate that the survey's most of it, times |Rx| + |Ry| + |Rz|, is more. The difference to L, and its
///     product with s, round once each: 2.01 u of a coordinate of at most n cells.
///  2. So T(P), a convex combination of T(W), is within `slack` of a point Q of the triangle V, in each coordinate.
///     What is within the slack of some point of V has to be marked.
///  3. V lies within the grid: L and the number of cells come of the least and the greatest coordinates by the
///     operations that place corners, which are monotone. Moving T(P) into the grid, should rounding have put it
///     outside, therefore does not move it away from Q, and the same cell comes out for both triangles.
///  4. The rectangle of pixels is that of V's box and the slack. In a pixel the kernel leaves out V only if it
///     lies, by more than all rounding, beyond one edge of V with all of the pixel's square and the slack around it.
///     With m the pixel's middle, edge E from corner A, the test's number is E x (A - m). E and A - m are rounded once,
///     their products and the difference too: 4.01 u |E|_1 times at most n + 1, which is in `wide`. The far limit of
///     the number is twice the area, known to within the error that the setup tells; where it could be of either sign
///     both sides are within that.
///  5. Q's depth lies in the triangle's own range, and on its plane. Slopes of the plane are quotients of minors; the
///     setup bounds the minors' errors, so those of the slopes, and so that of the depth over the triangle's extent,
///     with all roundings of the kernel. Within the square depths on the plane change by no more than (|slope x| +
///     |slope y|) wide. Where the area may be nothing the plane counts as unknown, and the range is what remains.
///     Subtracting and adding the slack rounds by u n at most, which is in the slack.
///  6. Bricks divide a cell into 8 x 8 x 8. Their view has eight times the scale, exactly, so that T(P)'s small cell
///     lies in T(P)'s large one, which both triangles have marked: there is a brick.
///  7. So every cell within the slack of V in the pixels of its rectangle is marked, and T(P)'s is one of them.

///
/// tests/proofs/filter_cells.gappa proves the numbers below of steps 1 and 4 and those of minors in step 5.

#include "kernels/filter_layout.h"
#include "tact/base.h"

/// Roundings, of 2^-24 each: of a row of the frame, of places and the numbers made of them for each cell of the view.
#define TACT_FILTER_TURN_ULPS 3.01
#define TACT_FILTER_PLACE_ULPS 6.0
/// Added to the slack, in cells; what half of a pixel is multiplied by.
#define TACT_FILTER_PLACE_MORE 0x1p-20
#define TACT_FILTER_WIDE 1.000001

enum {
    TACT_FILTER_FRAMES = 3,
    TACT_FILTER_BRICK = 8  ///< cells along each edge of a brick; filter_mark.kernel has it too
};

/// What a list of triangles comes to in a frame (kernels/filter_survey.kernel).
typedef struct tact_filter_survey {
    float lower[3], upper[3];  ///< lower > upper: no triangle counts
    float largest;             ///< coordinate in the world
    float astray;              ///< how far a corner may be from where the definition has it, in each coordinate
    double area, length;       ///< of the sides, and of the edges, of the triangles' boxes, in units
    uint64_t triangles;
    uint32_t objects, entries;
} tact_filter_survey;

typedef struct tact_filter_view {
    float rows[9];
    float corner[3];
    float scale;              ///< 1 / the size of a cell
    uint32_t cells[3];        ///< pixels along x and y, cells of each
    float slack, wide, deep;  ///< in cells: of places; what is looked at around a pixel's middle, and how far depths go
} tact_filter_view;

typedef struct tact_filter_budget {
    double cells;         ///< at most, of the image: TACT_FILTER_BRICK cubed of the view
    double touched;       ///< cells that a triangle touches, on average, at most
    uint32_t width_most;  ///< pixels along x and y
    double unit;          ///< the survey's lengths are in 1 / unit
} tact_filter_budget;

/// World's axes, and two frames that are turned against them.
const float* tact_filter_frame(uint32_t which);

/// Puts together what the kernel's groups found.
tact_filter_survey tact_filter_survey_of(const uint32_t* words, uint32_t groups);

/// The view, of bricks, of a frame with the smallest cells that the budget allows.
tact_filter_view tact_filter_fit(const float* rows, const tact_filter_survey* survey, const tact_filter_budget* budget);

/// The view of the image whose cells the bricks of this one divide.
tact_filter_view tact_filter_coarser(const tact_filter_view* view);
