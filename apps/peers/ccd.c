// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// libccd: the oriented boxes by its GJK and by its portal refinement. Its support function is ours to write.
#include <ccd/ccd.h>
#include <stdlib.h>

#include "apps/bench/geometry.h"

typedef struct box {
    double center[3], axis[3][3], half[3];
} box;

typedef struct boxes {
    box pair[2][TACT_GEOMETRY_COUNT];
} boxes;

static void set(double to[3], tact_vec3 v)
{
    to[0] = (double)v.x;
    to[1] = (double)v.y;
    to[2] = (double)v.z;
}

static void* make(const tact_geometry_data* data)
{
    boxes* own = malloc(sizeof *own);
    if (!own) return NULL;
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < TACT_GEOMETRY_COUNT; ++i) {
            const tact_obb* from = &data->obbs[k][i];
            box* to = &own->pair[k][i];
            set(to->center, from->center);
            set(to->half, from->half);
            for (int a = 0; a < 3; ++a)
                set(to->axis[a], from->axis[a]);
        }
    }
    return own;
}

static void support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* point)
{
    const box* b = object;
    double p[3] = {b->center[0], b->center[1], b->center[2]};
    for (int a = 0; a < 3; ++a) {
        const double* u = b->axis[a];
        const double along = u[0] * direction->v[0] + u[1] * direction->v[1] + u[2] * direction->v[2];
        const double s = along < 0.0 ? -b->half[a] : b->half[a];
        for (int k = 0; k < 3; ++k)
            p[k] += s * u[k];
    }
    ccdVec3Set(point, p[0], p[1], p[2]);
}

static void center(const void* object, ccd_vec3_t* point)
{
    const box* b = object;
    ccdVec3Set(point, b->center[0], b->center[1], b->center[2]);
}

static size_t count_yes(const boxes* own, int (*overlap)(const void*, const void*, const ccd_t*))
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.center1 = ccd.center2 = center;
    ccd.max_iterations = 100;
    size_t yes = 0;
    for (int i = 0; i < TACT_GEOMETRY_COUNT; ++i)
        yes += overlap(&own->pair[0][i], &own->pair[1][i], &ccd) != 0;
    return yes;
}

static size_t run_gjk(const tact_geometry_data* data, void* own)
{
    (void)data;
    return count_yes(own, ccdGJKIntersect);
}

static size_t run_mpr(const tact_geometry_data* data, void* own)
{
    (void)data;
    return count_yes(own, ccdMPRIntersect);
}

size_t tact_geometry_ways_ccd(const tact_geometry_way** ways)
{
    static const tact_geometry_way all[] = {
        {"GJK: OBB, OBB", "libccd GJK", true, make, run_gjk, free},
        {"GJK: OBB, OBB", "libccd MPR", true, make, run_mpr, free},
    };
    *ways = all;
    return sizeof all / sizeof all[0];
}
