// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Two boxes by their edges: they share a point iff an edge of one meets the solid other. No separating axes. Included
// with REAL and the names of the two functions defined. The halves of the box that is met grow by `grow` of the sizes
// of both boxes and their distance, but not below 0.

static int NAME_SEGMENT(const REAL p[3], const REAL d[3], const REAL half[3])
{
    REAL enter = 0, leave = 1;
    for (int i = 0; i < 3; ++i) {
        if (d[i] == 0) {
            if (p[i] < -half[i] || p[i] > half[i]) return 0;
            continue;
        }
        REAL s = (-half[i] - p[i]) / d[i], t = (half[i] - p[i]) / d[i];
        if (s > t) {
            const REAL swap = s;
            s = t;
            t = swap;
        }
        if (s > enter) enter = s;
        if (t < leave) leave = t;
    }
    return enter <= leave;
}

/// Edges of b against a.
static int NAME_EDGES(const tact_obb* a, const tact_obb* b, REAL grow)
{
    const tact_vec3 av[4] = {a->axis[0], a->axis[1], a->axis[2], a->half};
    const tact_vec3 bv[4] = {b->axis[0], b->axis[1], b->axis[2], b->half};
    REAL m[3][3], e[4][3], f[3][3], half[3], bh[3], t[3], center[3], along[3][3];
    const float away[3][2] = {{b->center.x, a->center.x}, {b->center.y, a->center.y}, {b->center.z, a->center.z}};
    for (int i = 0; i < 4; ++i) {
        e[i][0] = (REAL)av[i].x;
        e[i][1] = (REAL)av[i].y;
        e[i][2] = (REAL)av[i].z;
        REAL* out = i < 3 ? f[i] : bh;
        out[0] = (REAL)bv[i].x;
        out[1] = (REAL)bv[i].y;
        out[2] = (REAL)bv[i].z;
    }
    for (int i = 0; i < 3; ++i)
        t[i] = (REAL)away[i][0] - (REAL)away[i][1];
    for (int i = 0; i < 3; ++i) {
        const REAL *u = e[(i + 1) % 3], *v = e[(i + 2) % 3];
        for (int k = 0; k < 3; ++k)
            m[i][k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    }
    REAL det = e[0][0] * m[0][0] + e[0][1] * m[0][1] + e[0][2] * m[0][2];
    const REAL sign = det < 0 ? -1 : 1;
    REAL size = 0;
    for (int i = 0; i < 3; ++i)
        size += e[3][i] + bh[i] + (t[i] < 0 ? -t[i] : t[i]);
    for (int i = 0; i < 3; ++i) {
        half[i] = e[3][i] + grow * size;
        half[i] = half[i] < 0 ? 0 : half[i] * det * sign;
        center[i] = sign * (m[i][0] * t[0] + m[i][1] * t[1] + m[i][2] * t[2]);
        for (int j = 0; j < 3; ++j)
            along[j][i] = sign * bh[j] * (m[i][0] * f[j][0] + m[i][1] * f[j][1] + m[i][2] * f[j][2]);
    }
    for (int j = 0; j < 3; ++j) {
        for (int k = 0; k < 4; ++k) {
            REAL p[3], d[3];
            for (int i = 0; i < 3; ++i) {
                p[i] = center[i] - along[j][i] + (k & 1 ? 1 : -1) * along[(j + 1) % 3][i] +
                       (k & 2 ? 1 : -1) * along[(j + 2) % 3][i];
                d[i] = 2 * along[j][i];
            }
            if (NAME_SEGMENT(p, d, half)) return 1;
        }
    }
    return 0;
}

#undef REAL
#undef NAME_SEGMENT
#undef NAME_EDGES
