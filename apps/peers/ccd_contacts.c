// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// libccd's penetration of convex shapes, in double precision, as Debian builds it: Gilbert-Johnson-Keerthi with the
// expanding polytope, and Minkowski portal refinement. Its support functions are ours to write; each gives one point.
#include <ccd/ccd.h>
#include <math.h>
#include <stdlib.h>

#include "apps/inputs/body_input.h"
#include "apps/inputs/poses.h"
#include "apps/peers/peers.h"

typedef struct body {
    double at[3], turn[3][3], radius, scale;
    const double (*points)[3];
    size_t count;
} body;

typedef struct own_pairs {
    body* bodies;
    double (*points)[3];
    const tact_pair* pairs;
    size_t count;
    int threads;
} own_pairs;

static void release(void* data)
{
    own_pairs* own = data;
    free(own->bodies);
    free(own->points);
    free(own);
}

static size_t core_of(const tact_body_shape* shape, double (*to)[3])
{
    tact_vec3 corners[TACT_BODY_CORE_POINTS];
    const tact_vec3* points;
    const size_t count = tact_body_core(shape, corners, &points);
    for (size_t i = 0; to && i < count; ++i) {
        to[i][0] = (double)points[i].x;
        to[i][1] = (double)points[i].y;
        to[i][2] = (double)points[i].z;
    }
    return count;
}

static void place(body* b, const tact_body_shape* shape, const tact_body* from)
{
    const tact_quat r = from->pose.rotation;
    const double q[4] = {(double)r.w, (double)r.x, (double)r.y, (double)r.z};
    b->at[0] = from->pose.x;
    b->at[1] = from->pose.y;
    b->at[2] = from->pose.z;
    b->scale = (double)from->pose.scale;
    b->radius = b->scale * (double)shape->radius;
    tact_quaternion_matrix(q, b->turn);
}

static void* make(const tact_contact_peer_input* input)
{
    own_pairs* own = calloc(1, sizeof *own);
    size_t* first = calloc(input->shape_count + 1, sizeof *first);
    for (size_t s = 0; first && s < input->shape_count; ++s)
        first[s + 1] = first[s] + core_of(&input->shapes[s], NULL);
    if (own && first) {
        own->bodies = calloc(input->body_count + 1, sizeof *own->bodies);
        own->points = calloc(first[input->shape_count] + 1, sizeof *own->points);
    }
    if (!own || !first || !own->bodies || !own->points) {
        if (own) release(own);
        free(first);
        return NULL;
    }
    for (size_t s = 0; s < input->shape_count; ++s)
        core_of(&input->shapes[s], own->points + first[s]);
    for (size_t i = 0; i < input->body_count; ++i) {
        body* b = &own->bodies[i];
        const uint32_t s = input->bodies[i].shape;
        place(b, &input->shapes[s], &input->bodies[i]);
        b->points = (const double(*)[3])own->points + first[s];
        b->count = first[s + 1] - first[s];
    }
    own->pairs = input->pairs;
    own->count = input->pair_count;
    own->threads = input->threads;
    free(first);
    return own;
}

static void support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* point)
{
    const body* b = object;
    const double* v = direction->v;
    double d[3], p[3];
    for (int k = 0; k < 3; ++k)
        d[k] = b->turn[0][k] * v[0] + b->turn[1][k] * v[1] + b->turn[2][k] * v[2];
    size_t best = 0;
    double most = -HUGE_VAL;
    for (size_t i = 0; i < b->count; ++i) {
        const double* c = b->points[i];
        const double along = c[0] * d[0] + c[1] * d[1] + c[2] * d[2];
        best = along > most ? i : best;
        most = along > most ? along : most;
    }
    const double* c = b->points[best];
    const double out = b->radius > 0.0 ? b->radius / sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) : 0.0;
    for (int k = 0; k < 3; ++k)
        p[k] = b->at[k] + b->scale * (b->turn[k][0] * c[0] + b->turn[k][1] * c[1] + b->turn[k][2] * c[2]) + out * v[k];
    ccdVec3Set(point, p[0], p[1], p[2]);
}

static void center(const void* object, ccd_vec3_t* point)
{
    const body* b = object;
    ccdVec3Set(point, b->at[0], b->at[1], b->at[2]);
}

typedef int penetration_fn(const void* a, const void* b, const ccd_t* ccd, ccd_real_t* depth, ccd_vec3_t* direction,
                           ccd_vec3_t* position);

static bool run(const own_pairs* own, penetration_fn* penetration, uint8_t* points)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.center1 = ccd.center2 = center;
    ccd.max_iterations = 100;
    const long long count = (long long)own->count;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 64) num_threads(own->threads)
#endif
    for (long long i = 0; i < count; ++i) {
        ccd_real_t depth;
        ccd_vec3_t direction, position;
        const body *a = &own->bodies[own->pairs[i].a], *b = &own->bodies[own->pairs[i].b];
        points[i] = penetration(a, b, &ccd, &depth, &direction, &position) == 0;
    }
    return true;
}

static bool run_gjk(void* own, uint8_t* points)
{
    return run(own, ccdGJKPenetration, points);
}

static bool run_mpr(void* own, uint8_t* points)
{
    return run(own, ccdMPRPenetration, points);
}

const tact_contact_peer tact_contact_peer_gjk = {"libccd GJK", make, run_gjk, release, 0};
const tact_contact_peer tact_contact_peer_mpr = {"libccd MPR", make, run_mpr, release, 0};
