// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu_ref/image/image.h"
#include "tact/scene.h"

static tact_vec3 vertex_of(const tact_image_body* body, size_t i)
{
    tact_vec3 v;
    memcpy(&v, (const char*)body->mesh.positions + i * tact_image_stride(body), sizeof v);
    return v;
}

static bool in_range(float x)
{
    return fabsf(x) <= TACT_MAX_COORDINATE;
}

tact_result tact_image_bad_vertices(tact_env* env, const char* name)
{
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                     "object %s has a vertex that is not finite or beyond TACT_MAX_COORDINATE", name);
}

tact_result tact_image_bad_index(tact_env* env, const char* name, uint32_t index, size_t count)
{
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "object %s has index %u, but %zu vertices", name,
                     (unsigned)index, count);
}

static bool can_be(const tact_image_bounds* given)
{
    bool good = given->inner_radius >= 0.0f && given->outer_radius >= 0.0f && given->outer_radius < INFINITY &&
                given->inner_radius < INFINITY;
    for (int k = 0; k < 3; ++k) {
        good = good && given->lower[k] <= given->upper[k] && in_range(given->lower[k]) && in_range(given->upper[k]) &&
               in_range(given->centre[k]);
    }
    return good;
}

tact_result tact_image_check_arrays(tact_env* env, const tact_image_body* body, const char* name)
{
    if (body->mesh.triangle_count == 0 || body->mesh.vertex_count == 0) return TACT_OK;
    for (size_t i = 0; body->mesh.indices && i < body->mesh.triangle_count * 3; ++i) {
        if (body->mesh.indices[i] < body->mesh.vertex_count) continue;
        return tact_image_bad_index(env, name, body->mesh.indices[i], body->mesh.vertex_count);
    }
    if (body->bounds && !can_be(body->bounds)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "object %s: bounds that cannot be", name);
    }
    for (size_t i = 0; body->mesh.positions && i < body->mesh.vertex_count; ++i) {
        const tact_vec3 p = vertex_of(body, i);
        if (!in_range(p.x) || !in_range(p.y) || !in_range(p.z)) return tact_image_bad_vertices(env, name);
    }
    return TACT_OK;
}

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void corner_from(const tact_image_body* body, size_t corner, const float from[3], double v[3])
{
    const tact_vec3 p = vertex_of(body, body->mesh.indices ? body->mesh.indices[corner] : corner);
    v[0] = (double)p.x - (double)from[0];
    v[1] = (double)p.y - (double)from[1];
    v[2] = (double)p.z - (double)from[2];
}

/// The balls around the centre: within all faces, and around all vertices.
static void find_balls(const tact_image_body* body, tact_image_bounds* b)
{
    double inner = DBL_MAX, outer = 0;
    for (size_t t = 0; t < body->mesh.triangle_count; ++t) {
        double p[3][3], n[3];
        for (size_t k = 0; k < 3; ++k) {
            corner_from(body, 3 * t + k, b->centre, p[k]);
            outer = fmax(outer, length_of(p[k]));
        }
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            n[i] = (p[1][j] - p[0][j]) * (p[2][k] - p[0][k]) - (p[1][k] - p[0][k]) * (p[2][j] - p[0][j]);
        }
        const double length = length_of(n);
        if (length > 0.0) inner = fmin(inner, fabs(n[0] * p[0][0] + n[1] * p[0][1] + n[2] * p[0][2]) / length);
    }
    b->inner_radius = inner < DBL_MAX ? (float)inner : 0.0f;
    b->outer_radius = (float)outer;
}

static tact_image_bounds given_bounds(const tact_image_bounds* given)
{
    tact_image_bounds b = *given;
    if (given->outer_radius > 0.0f) return b;
    double corner[3];
    for (int k = 0; k < 3; ++k) {
        corner[k] = fmax(fabs((double)given->lower[k] - (double)given->centre[k]),
                         fabs((double)given->upper[k] - (double)given->centre[k]));
    }
    b.outer_radius = (float)length_of(corner);
    return b;
}

tact_image_bounds tact_image_measure(const tact_image_body* body)
{
    tact_image_bounds b = {.lower = {INFINITY, INFINITY, INFINITY}, .upper = {-INFINITY, -INFINITY, -INFINITY}};
    if (body->mesh.triangle_count == 0 || body->mesh.vertex_count == 0) return b;
    if (body->bounds) return given_bounds(body->bounds);
    TACT_ASSERT(tact_image_on_host(body));
    double sum[3] = {0, 0, 0};
    for (size_t i = 0; i < body->mesh.vertex_count; ++i) {
        const tact_vec3 p = vertex_of(body, i);
        const float v[3] = {p.x, p.y, p.z};
        for (int k = 0; k < 3; ++k) {
            if (v[k] < b.lower[k]) b.lower[k] = v[k];
            if (v[k] > b.upper[k]) b.upper[k] = v[k];
            sum[k] += (double)v[k];
        }
    }
    for (int k = 0; k < 3; ++k)
        b.centre[k] = (float)(sum[k] / (double)body->mesh.vertex_count);
    find_balls(body, &b);
    return b;
}
