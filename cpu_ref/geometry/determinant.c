// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/geometry/determinant_internal.h"

#include <math.h>

#include "base/asserts.h"

/// How many columns a set has.
static int columns_of(unsigned set)
{
    int count = 0;
    for (; set; set &= set - 1)
        ++count;
    return count;
}

void tact_det_minors(const float* const* row, int rows, int columns, det_minors* minors)
{
    TACT_ASSERT(rows <= columns && columns <= DET_MOST);
    minors->value[0] = minors->size[0] = 1.0;
    for (unsigned set = 1; set < 1u << columns; ++set) {
        const int used = columns_of(set);
        if (used > rows) continue;
        // Along the last row; the sign of the last column is positive.
        double sum = 0.0, size = 0.0, sign = 1.0;
        for (int c = columns; c-- > 0;) {
            if (!(set >> c & 1u)) continue;
            const double x = (double)row[used - 1][c];
            sum += sign * x * minors->value[set ^ 1u << c];
            size += fabs(x) * minors->size[set ^ 1u << c];
            sign = -sign;
        }
        minors->value[set] = sum;
        minors->size[set] = size;
    }
}

int32_t tact_det_scale(const float* row, int columns)
{
    int32_t least = INT32_MAX;
    for (int c = 0; c < columns; ++c) {
        const int32_t shift = big_shift_of(row[c]);
        if (shift < least) least = shift;
    }
    return least == INT32_MAX ? 0 : least;
}

void tact_det_minors_exact(const float* const* row, int rows, int columns, tact_big* minors)
{
    TACT_ASSERT(rows <= columns && columns <= DET_MOST);
    tact_big entry[DET_MOST][DET_MOST];
    for (int i = 0; i < rows; ++i) {
        const int32_t scale = tact_det_scale(row[i], columns);
        for (int c = 0; c < columns; ++c)
            big_set(&entry[i][c], row[i][c], scale);
    }
    minors[0] = (tact_big){.count = 1, .word = {1}};
    for (unsigned set = 1; set < 1u << columns; ++set) {
        const int used = columns_of(set);
        if (used > rows) continue;
        tact_big* sum = &minors[set];
        sum->count = 0;
        sum->negative = false;
        bool subtract = false;
        for (int c = columns; c-- > 0;) {
            if (!(set >> c & 1u)) continue;
            const tact_big *x = &entry[used - 1][c], *minor = &minors[set ^ 1u << c];
            if (x->count && minor->count) {
                tact_big term;
                big_multiply(x, minor, &term);
                big_add(sum, &term, subtract, sum);
            }
            subtract = !subtract;
        }
    }
}

static int exact_sign_of(const float* const* row, int size)
{
    tact_big exact[DET_SETS];
    tact_det_minors_exact(row, size, size, exact);
    return big_sign(&exact[(1u << size) - 1u]);
}

int tact_det_sign(const float* const* row, int size)
{
    det_minors minors;
    const unsigned all = (1u << size) - 1u;
    tact_det_minors(row, size, size, &minors);
    if (fabs(minors.value[all]) > DET_BOUND * minors.size[all]) return minors.value[all] > 0.0 ? 1 : -1;
    if (minors.size[all] == 0.0) return 0;
    return exact_sign_of(row, size);
}

/// The three highest words, and what they are to be multiplied by, as a power of two.
static double leading(const tact_big* a, int* exponent)
{
    double sum = 0.0;
    const int from = a->count > 3 ? a->count - 3 : 0;
    for (int i = a->count; i-- > from;)
        sum = sum * 0x1p32 + (double)a->word[i];
    *exponent = 32 * from;
    return a->negative ? -sum : sum;
}

double tact_big_ratio(const tact_big* a, const tact_big* b)
{
    TACT_ASSERT(b->count > 0);
    int up, down;
    const double x = leading(a, &up), y = leading(b, &down);
    return ldexp(x / y, up - down);
}

/// By minors of two rows, columns 01 02 03 12 13 23.
double tact_det_four(const float* const row[4])
{
    double m[2][6], s[2][6];
    for (int pair = 0; pair < 2; ++pair) {
        const float *a = row[2 * pair], *b = row[2 * pair + 1];
        int at = 0;
        for (int i = 0; i < 3; ++i) {
            for (int k = i + 1; k < 4; ++k) {
                const double up = (double)a[i] * (double)b[k], down = (double)a[k] * (double)b[i];
                m[pair][at] = up - down;
                s[pair][at++] = fabs(up) + fabs(down);
            }
        }
    }
    const double value = ((m[0][0] * m[1][5] - m[0][1] * m[1][4]) + (m[0][2] * m[1][3] + m[0][3] * m[1][2])) +
                         (m[0][5] * m[1][0] - m[0][4] * m[1][1]);
    const double size = ((s[0][0] * s[1][5] + s[0][1] * s[1][4]) + (s[0][2] * s[1][3] + s[0][3] * s[1][2])) +
                        (s[0][5] * s[1][0] + s[0][4] * s[1][1]);
    if (fabs(value) > DET_BOUND * size) return value;
    if (size == 0.0) return 0.0;
    return (double)exact_sign_of(row, 4) * DET_BOUND * size;
}

void tact_det_point(const float* const* row, int variables, double* x)
{
    const unsigned all = (2u << variables) - 1u, normals = all >> 1;
    const double sure = 0x1p32 * DET_BOUND;
    det_minors m;
    tact_big exact[DET_SETS];
    tact_det_minors(row, variables, variables + 1, &m);
    bool good = fabs(m.value[normals]) >= sure * m.size[normals];
    for (int c = 0; c < variables && good; ++c)
        good = fabs(m.value[all ^ 1u << c]) >= sure * m.size[all ^ 1u << c];
    if (!good) tact_det_minors_exact(row, variables, variables + 1, exact);
    for (int c = 0; c < variables; ++c) {
        const unsigned up = all ^ 1u << c;
        const double ratio = good ? m.value[up] / m.value[normals] : tact_big_ratio(&exact[up], &exact[normals]);
        x[c] = (variables + c) % 2 ? ratio + 0.0 : 0.0 - ratio;
    }
}
