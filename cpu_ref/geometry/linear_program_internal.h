// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Linear programmes in up to five variables. A row is a constraint n . x <= d: n, then d.

#include "cpu_ref/geometry/determinant_internal.h"
#include "tact/geometry/linear_program.h"

enum { LP_VARIABLES = DET_MOST - 1, LP_SIDES = 2 * LP_VARIABLES };

/// Writes row number i of a programme's constraints.
typedef void lp_row_fn(const void* user, size_t i, float row[DET_MOST]);

/// A programme, and its optimum so far. All numbers are finite.
typedef struct lp {
    int variables;
    lp_row_fn* read;
    const void* user;
    size_t count;  ///< rows, without the sides of the box
    float objective[LP_VARIABLES];
    float lower[LP_VARIABLES], upper[LP_VARIABLES];
    bool directions;                 ///< every row's d counts as 0, and the box is that from -1 to 1
    size_t basis[LP_VARIABLES + 1];  ///< numbers of rows; count + side for the box. The last one: see tact_lp_solve
    float row[LP_VARIABLES + 1][DET_MOST];
    det_minors minors;                          ///< of the rows of the basis
    double height[DET_MOST], spread[DET_MOST];  ///< a row times these: n . x - d times something positive; its error
    tact_big exact[DET_MOST];                   ///< minors without one column, where `known`
    bool known;
    int turn;  ///< the sign of the determinant of their normals
    uint32_t steps;
} lp;

/// OPTIMUM or INFEASIBLE, by exact decisions. Of an infeasible programme the last row of the basis is the one that has
/// no point in common with the others.
tact_lp_status tact_lp_solve(lp* p);

/// Whether the optimum would be better without the box.
bool tact_lp_box_pays(const lp* p);

/// The coordinates of the optimum, each good to 2^-32 of itself.
void tact_lp_point(const lp* p, double x[LP_VARIABLES]);

/// The exact sign of a coordinate of the optimum.
int tact_lp_coordinate_sign(lp* p, int axis);

/// A side of a box as a half-space: twice the axis, and one more for the upper one.
tact_plane tact_side_of_box(tact_aabb box, size_t side);
