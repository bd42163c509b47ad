// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/poses.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/npy.h"
#include "apps/inputs/random.h"

// ---- From a file ----

static double item_of(const void* data, tact_npy_type type, size_t i)
{
    return type == TACT_NPY_FLOAT64 ? ((const double*)data)[i] : (double)((const float*)data)[i];
}

static bool check_array(const char* path, const tact_npy_array* array, tact_problem* problem)
{
    if (array->type != TACT_NPY_FLOAT32 && array->type != TACT_NPY_FLOAT64) {
        return tact_problem_set(problem, "%s: byte 8: poses are float32 or float64", path);
    }
    const int d = array->dimensions;
    const uint64_t* s = array->shape;
    if ((d == 2 && s[0] == 4 && s[1] == 4) || (d == 3 && s[1] == 4 && s[2] == 4)) return true;
    char shape[TACT_NPY_MAX_DIMENSIONS * 24] = "";
    for (int i = 0; i < d; ++i) {
        const size_t used = strlen(shape);
        snprintf(shape + used, sizeof shape - used, "%s%" PRIu64, i ? ", " : "", s[i]);
    }
    return tact_problem_set(problem, "%s: byte 8: the array's shape is (%s); (n, 4, 4) or (4, 4) wanted", path, shape);
}

/// One matrix; what the library takes is single precision, so a number that is infinite there is too large.
static bool take_matrix(const char* path, const void* data, tact_npy_type type, size_t index, float pose[12],
                        tact_problem* problem)
{
    for (size_t row = 0; row < 4; ++row) {
        double m[4];
        for (size_t k = 0; k < 4; ++k) {
            m[k] = item_of(data, type, 16 * index + 4 * row + k);
            if (!isfinite((float)m[k])) {
                return tact_problem_set(problem, "%s: pose %zu, row %zu, column %zu: %g is not a finite float", path,
                                        index, row, k, m[k]);
            }
            if (row < 3) pose[4 * row + k] = (float)m[k];
        }
        if (row == 3 && !(m[0] == 0.0 && m[1] == 0.0 && m[2] == 0.0 && m[3] == 1.0)) {
            return tact_problem_set(problem, "%s: pose %zu, row 3: must be 0 0 0 1, is %g %g %g %g", path, index, m[0],
                                    m[1], m[2], m[3]);
        }
    }
    return true;
}

bool tact_poses_read(const char* path, float (**poses)[12], size_t* count, tact_problem* problem)
{
    void* data = NULL;
    tact_npy_array array;
    *poses = NULL;
    if (!tact_npy_load(path, &data, &array, problem)) return false;
    bool good = check_array(path, &array, problem);
    // 64 bytes of the file a pose, so this is no larger than what was read, but for shapes of nothing.
    *count = good ? array.size / (16 * tact_npy_item_size(array.type)) : 0;
    if (good) *poses = malloc(*count * sizeof **poses + 1);
    if (good && !*poses) good = tact_problem_out_of_memory(problem, path);
    for (size_t i = 0; good && i < *count; ++i)
        good = take_matrix(path, data, array.type, i, (*poses)[i], problem);
    free(data);
    if (good) return true;
    free(*poses);
    *poses = NULL;
    return false;
}

// ---- At random ----

tact_mesh_extent tact_mesh_extent_of(const tact_model_mesh* mesh)
{
    tact_mesh_extent extent = {.radius = 0.0};
    double square = 0.0;
    for (size_t k = 0; k < 3; ++k) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t i = 0; i < mesh->vertex_count; ++i) {
            const double x = (double)mesh->positions[3 * i + k];
            if (!(fabs(x) <= (double)TACT_MAX_COORDINATE)) continue;
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        if (!(low <= high)) continue;
        extent.middle[k] = 0.5 * (low + high);
        extent.half[k] = 0.5 * (high - low);
        square += (high - low) * (high - low);
    }
    extent.radius = 0.5 * sqrt(square);
    return extent;
}

double tact_random_direction(tact_random* random, int dimensions, double* v)
{
    for (;;) {
        double square = 0.0;
        for (int k = 0; k < dimensions; ++k) {
            v[k] = 2.0 * tact_random_fraction(random) - 1.0;
            square += v[k] * v[k];
        }
        if (square <= 1.0 && square > 1e-4) return sqrt(square);
    }
}

void tact_random_quaternion(tact_random* random, double q[4])
{
    const double length = tact_random_direction(random, 4, q);
    for (int i = 0; i < 4; ++i)
        q[i] /= length;
}

void tact_quaternion_matrix(const double q[4], double turn[3][3])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                            {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                            {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    memcpy(turn, m, sizeof m);
}

void tact_pose_about(const double q[4], const double middle[3], const double to[3], float pose[12])
{
    double turn[3][3];
    tact_quaternion_matrix(q, turn);
    for (int r = 0; r < 3; ++r) {
        double shift = to[r];
        for (int k = 0; k < 3; ++k) {
            pose[4 * r + k] = (float)turn[r][k];
            shift -= turn[r][k] * middle[k];
        }
        pose[4 * r + 3] = (float)shift;
    }
}

/// Draws a turn and how far B's middle is from A's.
static void draw(tact_random* random, double most, double q[4], double away[3])
{
    tact_random_quaternion(random, q);
    const double far = tact_random_direction(random, 3, away);
    const double distance = tact_random_fraction(random) * most;
    for (int k = 0; k < 3; ++k)
        away[k] = distance * away[k] / far;
}

static bool boxes_meet(const tact_mesh_extent* a, const tact_mesh_extent* b, const double q[4], const double away[3])
{
    double turn[3][3];
    tact_quaternion_matrix(q, turn);
    for (int r = 0; r < 3; ++r) {
        double half = 0.0;
        for (int k = 0; k < 3; ++k)
            half += fabs(turn[r][k]) * b->half[k];
        if (fabs(away[r]) > a->half[r] + half) return false;
    }
    return true;
}

void tact_poses_scatter(const tact_model_mesh* a, const tact_model_mesh* b, uint64_t seed, double spread, bool meet,
                        float (*poses)[12], size_t count)
{
    const tact_mesh_extent of_a = tact_mesh_extent_of(a), of_b = tact_mesh_extent_of(b);
    const double most = spread * 0.5 * (of_a.radius + of_b.radius);
    tact_random random = {seed};
    for (size_t i = 0; i < count; ++i) {
        double q[4], away[3];
        // Of a plane and a point no two places but one have boxes that meet: nearer and nearer, so that it ends.
        double within = most;
        for (int tries = 1;; ++tries) {
            draw(&random, within, q, away);
            if (!meet || boxes_meet(&of_a, &of_b, q, away)) break;
            if (tries > 64) within *= 0.5;
        }
        for (int k = 0; k < 3; ++k)
            away[k] += of_a.middle[k];
        tact_pose_about(q, of_b.middle, away, poses[i]);
    }
}
