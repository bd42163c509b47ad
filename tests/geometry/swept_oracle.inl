// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The least length of r + sum of x_i d_i with 0 <= x_i <= 1, by trying every set of variables held at a bound and
// solving for the others. Included with REAL and NAME_BOUNDS defined. upper is a length that is attained, lower one that
// the projection on that vector proves; the gap between them tells how good the solution is.

static void NAME_BOUNDS(const float r0[3], const float r1[3], double d0[4][3], int n, REAL* upper, REAL* lower)
{
    REAL r[3], d[4][3], gram[4][4], g[4], best = -1, w[3] = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        r[k] = (REAL)r1[k] - (REAL)r0[k];
        for (int i = 0; i < n; ++i)
            d[i][k] = (REAL)d0[i][k];
    }
    for (int i = 0; i < n; ++i) {
        g[i] = d[i][0] * r[0] + d[i][1] * r[1] + d[i][2] * r[2];
        for (int j = 0; j < n; ++j)
            gram[i][j] = d[i][0] * d[j][0] + d[i][1] * d[j][1] + d[i][2] * d[j][2];
    }
    const int sets[5] = {1, 3, 9, 27, 81};
    for (int set = 0; set < sets[n]; ++set) {
        REAL x[4] = {0, 0, 0, 0}, m[3][4];
        int open[4], count = 0;
        for (int i = 0, code = set; i < n; ++i, code /= 3) {
            x[i] = code % 3 == 1;
            if (code % 3 == 2) open[count++] = i;
        }
        if (count > 3) continue;  // four vectors in space depend on each other
        for (int a = 0; a < count; ++a) {
            REAL right = -g[open[a]];
            for (int j = 0; j < n; ++j)
                right -= gram[open[a]][j] * x[j];
            m[a][3] = right;
            for (int b = 0; b < count; ++b)
                m[a][b] = gram[open[a]][open[b]];
        }
        int good = 1;
        for (int a = 0; a < count && good; ++a) {
            good = m[a][a] > 0;
            for (int b = a + 1; b < count && good; ++b) {
                const REAL f = m[b][a] / m[a][a];
                for (int k = a; k < count; ++k)
                    m[b][k] -= f * m[a][k];
                m[b][3] -= f * m[a][3];
            }
        }
        for (int a = count - 1; a >= 0 && good; --a) {
            REAL v = m[a][3];
            for (int b = a + 1; b < count; ++b)
                v -= m[a][b] * x[open[b]];
            v /= m[a][a];
            good = v >= (REAL)-1e-6 && v <= (REAL)1.000001;
            x[open[a]] = v < 0 ? 0 : v > 1 ? 1 : v;
        }
        if (!good) continue;
        REAL v[3] = {r[0], r[1], r[2]};
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < 3; ++k)
                v[k] += x[i] * d[i][k];
        }
        const REAL length2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        if (best >= 0 && !(length2 < best)) continue;
        best = length2;
        for (int k = 0; k < 3; ++k)
            w[k] = v[k];
    }
    *upper = NAME_ROOT(best);
    *lower = 0;
    if (!(*upper > 0)) return;
    REAL reach = w[0] * r[0] + w[1] * r[1] + w[2] * r[2];
    for (int i = 0; i < n; ++i) {
        const REAL along = w[0] * d[i][0] + w[1] * d[i][1] + w[2] * d[i][2];
        if (along < 0) reach += along;
    }
    *lower = reach / *upper;
}

#undef REAL
#undef NAME_BOUNDS
#undef NAME_ROOT
