// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "core/particles/solid_moments.h"

#include <math.h>

void tact_solid_add_tetrahedron(tact_solid_moments* m, double v[3][3])
{
    const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double s[3];
    for (int k = 0; k < 3; ++k)
        s[k] = v[0][k] + v[1][k] + v[2][k];
    const double six = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
                       v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
                       v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
    m->volume += six / 6.0;
    for (int k = 0; k < 3; ++k)
        m->first[k] += six / 24.0 * s[k];
    for (int k = 0; k < 6; ++k) {
        const int i = row[k], j = column[k];
        m->second[k] += six / 120.0 * (s[i] * s[j] + v[0][i] * v[0][j] + v[1][i] * v[1][j] + v[2][i] * v[2][j]);
    }
}

void tact_solid_inertia(const tact_solid_moments* m, const double c[3], double inertia[6])
{
    const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double about[6];
    for (int k = 0; k < 6; ++k) {
        const double fi = m->first[row[k]] / m->volume, fj = m->first[column[k]] / m->volume;
        const double ci = c[row[k]], cj = c[column[k]];
        about[k] = m->second[k] / m->volume - ci * fj - cj * fi + ci * cj;
    }
    inertia[0] = about[1] + about[2];
    inertia[1] = about[0] + about[2];
    inertia[2] = about[0] + about[1];
    for (int k = 3; k < 6; ++k)
        inertia[k] = -about[k];
}

bool tact_solid_is_inertia(const double i[6])
{
    const double xy = i[0] * i[1] - i[3] * i[3];
    const double determinant =
        i[0] * (i[1] * i[2] - i[5] * i[5]) - i[3] * (i[3] * i[2] - i[5] * i[4]) + i[4] * (i[3] * i[5] - i[1] * i[4]);
    return i[0] > 0.0 && xy > 0.0 && determinant > 0.0 && isfinite(determinant);
}
