// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// libccd: the oriented boxes by its GJK and by its portal refinement. Its support function is ours to write.
#include <ccd/ccd.h>
#include <stdlib.h>
#include <string.h>

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

/// The hull in a pose: its corners, and the rotation's rows.
typedef struct placed {
    double row[3][3], at[3];
    double (*corner)[3];
} placed;

typedef struct hulls {
    double corner[TACT_GEOMETRY_CORNERS][3];
    placed pair[2][TACT_GEOMETRY_COUNT];
} hulls;

static void set_rows(double row[3][3], tact_quat q)
{
    const double x = (double)q.x, y = (double)q.y, z = (double)q.z, w = (double)q.w;
    const double s = 2.0 / (x * x + y * y + z * z + w * w);
    const double rows[3][3] = {{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
                               {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
                               {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}};
    memcpy(row, rows, sizeof rows);
}

static void* make_hulls(const tact_geometry_data* data)
{
    hulls* own = malloc(sizeof *own);
    if (!own) return NULL;
    for (int i = 0; i < TACT_GEOMETRY_CORNERS; ++i)
        set(own->corner[i], data->corners[i]);
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < TACT_GEOMETRY_COUNT; ++i) {
            const tact_pose* pose = &data->poses[k][i];
            own->pair[k][i] = (placed){.at = {pose->x, pose->y, pose->z}, .corner = &own->corner[0]};
            set_rows(own->pair[k][i].row, pose->rotation);
        }
    }
    return own;
}

static void hull_support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* point)
{
    const placed* h = object;
    const ccd_real_t* v = direction->v;
    double d[3], p[3];
    for (int k = 0; k < 3; ++k)
        d[k] = h->row[0][k] * v[0] + h->row[1][k] * v[1] + h->row[2][k] * v[2];
    const double* best = h->corner[0];
    double high = best[0] * d[0] + best[1] * d[1] + best[2] * d[2];
    for (int i = 1; i < TACT_GEOMETRY_CORNERS; ++i) {
        const double* c = h->corner[i];
        const double height = c[0] * d[0] + c[1] * d[1] + c[2] * d[2];
        if (height <= high) continue;
        high = height;
        best = c;
    }
    for (int k = 0; k < 3; ++k)
        p[k] = h->at[k] + h->row[k][0] * best[0] + h->row[k][1] * best[1] + h->row[k][2] * best[2];
    ccdVec3Set(point, p[0], p[1], p[2]);
}

static void hull_center(const void* object, ccd_vec3_t* point)
{
    const placed* h = object;
    ccdVec3Set(point, h->at[0], h->at[1], h->at[2]);
}

static ccd_t hull_settings(void)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = hull_support;
    ccd.center1 = ccd.center2 = hull_center;
    ccd.max_iterations = 100;
    return ccd;
}

static size_t hulls_yes(const hulls* own, int (*overlap)(const void*, const void*, const ccd_t*))
{
    const ccd_t ccd = hull_settings();
    size_t yes = 0;
    for (int i = 0; i < TACT_GEOMETRY_COUNT; ++i)
        yes += overlap(&own->pair[0][i], &own->pair[1][i], &ccd) != 0;
    return yes;
}

static size_t hulls_deep(const hulls* own,
                         int (*depth)(const void*, const void*, const ccd_t*, ccd_real_t*, ccd_vec3_t*, ccd_vec3_t*))
{
    const ccd_t ccd = hull_settings();
    size_t yes = 0;
    for (int i = 0; i < TACT_GEOMETRY_COUNT; ++i) {
        ccd_real_t deep;
        ccd_vec3_t direction, at;
        yes += depth(&own->pair[0][i], &own->pair[1][i], &ccd, &deep, &direction, &at) == 0;
    }
    return yes;
}

static size_t run_hulls_gjk(const tact_geometry_data* data, void* own)
{
    (void)data;
    return hulls_yes(own, ccdGJKIntersect);
}

static size_t run_hulls_mpr(const tact_geometry_data* data, void* own)
{
    (void)data;
    return hulls_yes(own, ccdMPRIntersect);
}

static size_t run_depth_gjk(const tact_geometry_data* data, void* own)
{
    (void)data;
    return hulls_deep(own, ccdGJKPenetration);
}

static size_t run_depth_mpr(const tact_geometry_data* data, void* own)
{
    (void)data;
    return hulls_deep(own, ccdMPRPenetration);
}

size_t tact_geometry_ways_ccd(const tact_geometry_way** ways)
{
    static const tact_geometry_way all[] = {
        {"convex: OBB, OBB", "libccd GJK", true, make, run_gjk, free},
        {"convex: OBB, OBB", "libccd MPR", true, make, run_mpr, free},
        {"hulls of 32: overlap", "libccd GJK", true, make_hulls, run_hulls_gjk, free},
        {"hulls of 32: overlap", "libccd MPR", true, make_hulls, run_hulls_mpr, free},
        {"hulls of 32: depth", "libccd EPA", true, make_hulls, run_depth_gjk, free},
        {"hulls of 32: depth", "libccd MPR", true, make_hulls, run_depth_mpr, free},
    };
    *ways = all;
    return sizeof all / sizeof all[0];
}
