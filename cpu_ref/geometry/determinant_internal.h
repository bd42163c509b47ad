// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Determinants of up to six rows of floats, of any size, with exact signs.

#include "cpu_ref/geometry/big_internal.h"

enum { DET_MOST = 6, DET_SETS = 1 << DET_MOST };

/// What rounding may do to a determinant in doubles, as a part of the sum of its terms' sizes. Products of six floats
/// neither overflow nor underflow there.
#define DET_BOUND 0x1p-48

/// Determinants of the first rows, one for each set of columns, which are the bits of its place: as many rows as it has
/// columns. That of no columns is 1.
typedef struct det_minors {
    double value[DET_SETS];
    double size[DET_SETS];  ///< the sum of its terms' sizes
} det_minors;

/// All minors of the first `rows` rows of `columns` floats; both at most DET_MOST.
void tact_det_minors(const float* const* row, int rows, int columns, det_minors* minors);

/// The same minors as whole numbers. Those of all rows have a common scale, which is not given. `minors` has room for
/// 1 << columns.
void tact_det_minors_exact(const float* const* row, int rows, int columns, tact_big* minors);

/// The lowest shift of a row's numbers, and 0 of a row of zeros: its scale in whole numbers.
int32_t tact_det_scale(const float* row, int columns);

/// The sign of the determinant of `size` rows.
int tact_det_sign(const float* const* row, int size);

/// The determinant of four rows of four, with the exact sign, and good to 2^-14 of itself unless it is next to 0.
double tact_det_four(const float* const row[4]);

/// The point x with n . x = d for each of `variables` rows n, d, whose normals are independent: each coordinate good to
/// 2^-32 of itself.
void tact_det_point(const float* const* row, int variables, double* x);

/// a / b to a few units of the last place of a double. b is not 0.
double tact_big_ratio(const tact_big* a, const tact_big* b);
