// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include <math.h>

#include "base/asserts.h"
#include "cpu_ref/geometry/linear_program_internal.h"

static const float units[LP_VARIABLES][DET_MOST] = {
    {1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0}, {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 1, 0}};

static void read_row(const lp* p, size_t i, float row[DET_MOST])
{
    if (i < p->count) {
        p->read(p->user, i, row);
        if (p->directions) row[p->variables] = 0.0f;
        return;
    }
    const size_t axis = (i - p->count) / 2;
    const bool upper = (i - p->count) % 2 != 0;
    for (int k = 0; k <= p->variables; ++k)
        row[k] = 0.0f;
    row[axis] = upper ? 1.0f : -1.0f;
    row[p->variables] = p->directions ? 1.0f : upper ? p->upper[axis] : -p->lower[axis];
}

/// The minor without a column.
static unsigned without(const lp* p, int column)
{
    return ((2u << p->variables) - 1u) ^ 1u << column;
}

static void basis_rows(const lp* p, const float* rows[LP_VARIABLES])
{
    for (int j = 0; j < p->variables; ++j)
        rows[j] = p->row[j];
}

static void know_exactly(lp* p)
{
    if (p->known) return;
    const float* rows[LP_VARIABLES];
    tact_big minors[DET_SETS];
    for (int j = 0; j < p->variables; ++j)
        rows[j] = p->row[j];
    tact_det_minors_exact(rows, p->variables, p->variables + 1, minors);
    for (int c = 0; c <= p->variables; ++c)
        p->exact[c] = minors[without(p, c)];
    p->known = true;
}

static void measure(lp* p)
{
    const float* rows[LP_VARIABLES];
    basis_rows(p, rows);
    tact_det_minors(rows, p->variables, p->variables + 1, &p->minors);
    p->known = false;
    p->turn = tact_det_sign(rows, p->variables);
    TACT_ASSERT(p->turn != 0);
    double sign = -(double)p->turn;
    for (int c = p->variables; c >= 0; --c) {
        p->height[c] = sign * p->minors.value[without(p, c)];
        p->spread[c] = DET_BOUND * p->minors.size[without(p, c)];
        sign = -sign;
    }
}

/// The determinant of the basis and a row, whose sign is the opposite of n . x - d at the optimum times that of the
/// normals.
static int exact_side(lp* p, const float row[DET_MOST])
{
    know_exactly(p);
    const int32_t scale = tact_det_scale(row, p->variables + 1);
    tact_big sum = {0};
    bool subtract = false;
    for (int c = p->variables; c >= 0; --c) {
        tact_big entry, term;
        big_set(&entry, row[c], scale);
        big_multiply(&entry, &p->exact[c], &term);
        big_add(&sum, &term, subtract, &sum);
        subtract = !subtract;
    }
    return big_sign(&sum);
}

static bool in_basis(const lp* p, size_t i)
{
    for (int j = 0; j < p->variables; ++j) {
        if (p->basis[j] == i) return true;
    }
    return false;
}

/// Whether the optimum breaks a row.
static bool breaks(lp* p, size_t i, const float row[DET_MOST])
{
    double sum = 0.0, bound = 0.0;
    for (int c = 0; c <= p->variables; ++c) {
        sum += (double)row[c] * p->height[c];
        bound += fabs((double)row[c]) * p->spread[c];
    }
    if (fabs(sum) > bound) return sum > 0.0;
    return bound > 0.0 && !in_basis(p, i) && exact_side(p, row) * p->turn < 0;
}

/// The sign of the determinant of the basis with row j replaced.
static int replaced(const lp* p, int j, const float* by)
{
    const float* rows[LP_VARIABLES];
    for (int k = 0; k < p->variables; ++k)
        rows[k] = k == j ? by : p->row[k];
    return tact_det_sign(rows, p->variables);
}

/// Whether the objective's multiplier of row j reaches 0 before that of row k, as the row `in` comes in. The difference
/// of the two ratios has the sign of a determinant in which the objective takes the place of j and the row that of k;
/// where it is 0, the objective is turned by less than anything towards x, then y and so on.
static bool leaves_first(const lp* p, int j, int k, const float* in)
{
    const float* rows[LP_VARIABLES];
    for (int m = 0; m < p->variables; ++m)
        rows[m] = m == k ? in : p->row[m];
    for (int way = -1; way < p->variables; ++way) {
        rows[j] = way < 0 ? p->objective : units[way];
        const int sign = tact_det_sign(rows, p->variables) * p->turn;
        if (sign != 0) return sign > 0;
    }
    TACT_ASSERT(false);
    return true;
}

/// Brings a row that is broken into the basis. False where it has no point in common with those that are there.
static bool bring_in(lp* p, size_t i, const float row[DET_MOST])
{
    int out = -1;
    for (int j = 0; j < p->variables; ++j) {
        if (replaced(p, j, row) * p->turn <= 0) continue;
        if (out < 0 || leaves_first(p, j, out, row)) out = j;
    }
    const int at = out < 0 ? p->variables : out;
    p->basis[at] = i;
    for (int k = 0; k < DET_MOST; ++k)
        p->row[at][k] = k <= p->variables ? row[k] : 0.0f;
    if (out < 0) return false;
    ++p->steps;
    measure(p);
    return true;
}

static size_t common_divisor(size_t a, size_t b)
{
    while (b != 0) {
        const size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/// How far apart constraints lie that follow each other: about the golden section of all, and prime to their number.
static size_t stride_of(size_t count)
{
    size_t stride = (size_t)(0.6180339887498949 * (double)count) | 1u;
    while (common_divisor(stride, count) != 1)
        ++stride;
    return stride % count;
}

tact_lp_status tact_lp_solve(lp* p)
{
    TACT_ASSERT(p->variables >= 1 && p->variables <= LP_VARIABLES);
    const size_t total = p->count + 2 * (size_t)p->variables;
    p->steps = 0;
    for (int k = 0; k < p->variables; ++k) {
        p->basis[k] = p->count + 2 * (size_t)k + (p->objective[k] < 0.0f ? 1u : 0u);
        read_row(p, p->basis[k], p->row[k]);
    }
    measure(p);
    const size_t stride = stride_of(total);
    size_t at = total - 1;  // a side of the box: none of it may be empty
    for (size_t good = 0; good < total; ++good) {
        float row[DET_MOST];
        read_row(p, at, row);
        if (breaks(p, at, row)) {
            if (!bring_in(p, at, row)) return TACT_LP_INFEASIBLE;
            good = 0;  // this one holds
        }
        at = at + stride < total ? at + stride : at + stride - total;
    }
    return TACT_LP_OPTIMUM;
}

bool tact_lp_box_pays(const lp* p)
{
    for (int j = 0; j < p->variables; ++j) {
        if (p->basis[j] >= p->count && replaced(p, j, p->objective) * p->turn < 0) return true;
    }
    return false;
}

int tact_lp_coordinate_sign(lp* p, int axis)
{
    know_exactly(p);
    const int sign = big_sign(&p->exact[axis]) * big_sign(&p->exact[p->variables]);
    return (p->variables + axis) % 2 ? sign : -sign;
}

void tact_lp_point(const lp* p, double x[LP_VARIABLES])
{
    const float* rows[LP_VARIABLES];
    basis_rows(p, rows);
    tact_det_point(rows, p->variables, x);
}
