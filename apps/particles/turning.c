// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rotation vectors and quaternions. Only operations that round alike on all machines are used, so that what is written
// has the same bytes everywhere.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/particles/particles.h"

/// How often an angle is halved, until the first terms of a series say all of it.
enum { HALVINGS = 10 };

/// The unit quaternion of half the angle, or with w < 0 of half the angle that is left to a whole turn.
static void halve(double q[4])
{
    const double w = q[3] + 1.0, length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + w * w);
    for (int k = 0; k < 4; ++k)
        q[k] = (k < 3 ? q[k] : w) / length;
}

void tact_rotation_vector(const float quaternion[4], float vector[3])
{
    // Of the two quaternions of a rotation the one that turns by half a turn at most.
    const double sign = quaternion[3] < 0.0f ? -1.0 : 1.0;
    double q[4], length2 = 0.0;
    for (int k = 0; k < 4; ++k) {
        q[k] = sign * (double)quaternion[k];
        length2 += q[k] * q[k];
    }
    for (int k = 0; k < 4; ++k)
        q[k] /= sqrt(length2);
    for (int i = 0; i < HALVINGS; ++i)
        halve(q);
    // The arc whose sine this is, by it, twice, for a quaternion has half the angle.
    const double s2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    const double by = 2.0 * (1 << HALVINGS) * (1.0 + s2 * (1.0 / 6.0 + s2 * (3.0 / 40.0)));
    for (int k = 0; k < 3; ++k)
        vector[k] = (float)(by * q[k]) + 0.0f;
}

void tact_rotation_quaternion(const float vector[3], float quaternion[4])
{
    double v[3], a2 = 0.0;
    for (int k = 0; k < 3; ++k) {
        v[k] = (double)vector[k] / (2.0 * (1 << HALVINGS));
        a2 += v[k] * v[k];
    }
    const double by = 1.0 - a2 * (1.0 / 6.0 - a2 * (1.0 / 120.0));
    double q[4] = {by * v[0], by * v[1], by * v[2], 1.0 - a2 * (0.5 - a2 * (1.0 / 24.0))};
    // Squared, its angle doubles.
    for (int i = 0; i < HALVINGS; ++i) {
        const double w = q[3];
        q[3] = w * w - (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
        for (int k = 0; k < 3; ++k)
            q[k] *= 2.0 * w;
    }
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k)
        quaternion[k] = (float)(q[k] / length);
}

float* tact_particle_turning_rows(tact_particles* particles, tact_context* context, const float* rows, size_t count,
                                  tact_problem* problem)
{
    float* all = malloc((count + 1) * TACT_TURNING_COLUMNS * sizeof *all);
    float* parts = malloc((count + 1) * 7 * sizeof *parts);
    tact_result result = TACT_OK;
    const bool good = (all && parts) || tact_problem_out_of_memory(problem, "particles");
    if (good) result = tact_particles_read_turning(particles, parts, parts + 3 * count);
    for (size_t i = 0; i < count && good && result == TACT_OK; ++i) {
        float* row = all + TACT_TURNING_COLUMNS * i;
        memcpy(row, rows + 7 * i, 7 * sizeof *row);
        tact_rotation_vector(parts + 3 * count + 4 * i, row + 7);
        memcpy(row + 10, parts + 3 * i, 3 * sizeof *row);
    }
    free(parts);
    if (good && result == TACT_OK) return all;
    free(all);
    if (result != TACT_OK) tact_problem_from_result(problem, result, context, "reading particles");
    return NULL;
}
