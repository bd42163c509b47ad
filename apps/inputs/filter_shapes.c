// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/filter_input.h"

enum { STEPS = 64, RING = 8 };

static bool allocate(tact_model_mesh* mesh, size_t vertices, size_t triangles, tact_problem* problem)
{
    *mesh = (tact_model_mesh){.positions = malloc(vertices * 12),
                              .vertex_count = vertices,
                              .indices = malloc(triangles * 12),
                              .triangle_count = triangles};
    if (mesh->positions && mesh->indices) return true;
    tact_model_mesh_free(mesh);
    return tact_problem_out_of_memory(problem, "a shape");
}

/// Cosine and sine of all multiples of a whole turn's 64th part. By halving, since libraries' own are not the same
/// everywhere.
static void make_angles(double angles[STEPS][2])
{
    double c = 0.0, s = 1.0;
    for (int parts = 4; parts < STEPS; parts *= 2) {
        const double half = sqrt(0.5 * (1.0 + c));
        s = s / (2.0 * half);
        c = half;
    }
    angles[0][0] = 1.0;
    angles[0][1] = 0.0;
    for (int i = 1; i < STEPS; ++i) {
        angles[i][0] = angles[i - 1][0] * c - angles[i - 1][1] * s;
        angles[i][1] = angles[i - 1][0] * s + angles[i - 1][1] * c;
    }
}

/// The knot's line at a step, which way the torus that it lies on faces there, and the line's direction.
static void knot_at(double angles[STEPS][2], int step, double at[3], double out[3], double along[3])
{
    const double *two = angles[2 * step % STEPS], *three = angles[3 * step % STEPS];
    const double wide = 2.0 + three[0];
    const double place[3] = {wide * two[0], wide * two[1], three[1]};
    const double normal[3] = {three[0] * two[0], three[0] * two[1], three[1]};
    const double way[3] = {-3.0 * three[1] * two[0] - 2.0 * wide * two[1],
                           -3.0 * three[1] * two[1] + 2.0 * wide * two[0], 3.0 * three[0]};
    const double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    for (int k = 0; k < 3; ++k) {
        at[k] = place[k];
        out[k] = normal[k];
        along[k] = way[k] / length;
    }
}

bool tact_mesh_torus_knot(tact_model_mesh* mesh, tact_problem* problem)
{
    static const double tube = 0.4, size = 3.4;
    double angles[STEPS][2];
    make_angles(angles);
    if (!allocate(mesh, STEPS * RING, 2 * STEPS * RING, problem)) return false;
    float* p = mesh->positions;
    uint32_t* t = mesh->indices;
    for (int i = 0; i < STEPS; ++i) {
        double at[3], out[3], along[3];
        knot_at(angles, i, at, out, along);
        const double side[3] = {along[1] * out[2] - along[2] * out[1], along[2] * out[0] - along[0] * out[2],
                                along[0] * out[1] - along[1] * out[0]};
        for (int k = 0; k < RING; ++k) {
            const double* angle = angles[k * (STEPS / RING)];
            for (int c = 0; c < 3; ++c)
                *p++ = (float)((at[c] + tube * (angle[0] * out[c] + angle[1] * side[c])) / size);
            const uint32_t a = (uint32_t)(i * RING + k), b = (uint32_t)(i * RING + (k + 1) % RING);
            const uint32_t d = (uint32_t)((i + 1) % STEPS * RING + k);
            const uint32_t e = (uint32_t)((i + 1) % STEPS * RING + (k + 1) % RING);
            const uint32_t six[6] = {a, b, d, b, e, d};
            for (int c = 0; c < 6; ++c)
                *t++ = six[c];
        }
    }
    return true;
}

bool tact_mesh_cube(double half, tact_model_mesh* mesh, tact_problem* problem)
{
    static const uint32_t corners[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    if (!allocate(mesh, 8, 12, problem)) return false;
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            mesh->positions[3 * i + k] = (float)(i >> k & 1 ? half : -half);
    memcpy(mesh->indices, corners, sizeof corners);
    return true;
}
