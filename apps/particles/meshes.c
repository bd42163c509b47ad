// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What particle systems are read from: meshes and arrays.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/mesh_file.h"
#include "apps/inputs/npy.h"
#include "apps/particles/particles.h"

bool tact_particle_meshes_read(const tact_text_list* files, tact_model* model, tact_problem* problem)
{
    for (size_t i = 0; i < files->count; ++i) {
        tact_model_mesh mesh;
        if (!tact_mesh_file_read_guarded(files->items[i], &mesh, problem) ||
            !tact_model_add_mesh(model, &mesh, problem) ||
            !tact_model_add_instance(model, (uint32_t)i, NULL, problem)) {
            return false;
        }
    }
    return true;
}

void tact_particle_meshes_place(tact_model* model, const tact_placement* placement)
{
    for (size_t m = 0; m < model->mesh_count; ++m) {
        tact_model_mesh* mesh = &model->meshes[m];
        for (size_t i = 0; i < 3 * mesh->vertex_count; ++i) {
            const double x = (double)mesh->positions[i] * (double)placement->scale;
            mesh->positions[i] = (float)(x + (double)placement->offset[i % 3]);
        }
    }
}

tact_aabb tact_particle_meshes_bounds(const tact_model* model)
{
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t m = 0; m < model->mesh_count; ++m) {
        const tact_model_mesh* mesh = &model->meshes[m];
        for (size_t i = 0; i < 3 * mesh->vertex_count; ++i) {
            const float x = mesh->positions[i];
            if (!(fabsf(x) <= TACT_MAX_COORDINATE)) continue;
            lower[i % 3] = x < lower[i % 3] ? x : lower[i % 3];
            upper[i % 3] = x > upper[i % 3] ? x : upper[i % 3];
        }
    }
    return (tact_aabb){{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
}

/// Whether the library will take the row; it would name only the particle, not the file.
static bool check_row(const float* row, uint32_t columns, uint64_t index, const char* name, tact_problem* problem)
{
    for (uint32_t k = 0; k < columns; ++k) {
        if (k != 3 && !isfinite(row[k])) {
            return tact_problem_set(problem, "%s: row %" PRIu64 ", column %u: %g is not a finite number", name, index,
                                    k, (double)row[k]);
        }
    }
    if (row[3] > 0.0f && isfinite(row[3])) return true;
    return tact_problem_set(problem, "%s: row %" PRIu64 ", column 3: the radius %g must be above 0 and finite", name,
                            index, (double)row[3]);
}

bool tact_particle_rows_parse(const void* bytes, size_t size, const char* name, float** rows, float** turning,
                              size_t* count, tact_problem* problem)
{
    *rows = *turning = NULL;
    *count = 0;
    tact_npy_array array;
    if (!tact_npy_parse(bytes, size, name, &array, problem)) return false;
    const bool table = (array.type == TACT_NPY_FLOAT32 || array.type == TACT_NPY_FLOAT64) && array.dimensions == 2;
    if (!table || (array.shape[1] != 4 && array.shape[1] != 7 && array.shape[1] != TACT_TURNING_COLUMNS)) {
        return tact_problem_set(
            problem,
            "%s: byte 8: the array must be of floats and of shape (n, 7), x y z radius vx vy vz, or "
            "(n, 4), or (n, 13)",
            name);
    }
    if (array.shape[0] > TACT_MAX_PARTICLES) {
        return tact_problem_set(problem, "%s: byte 8: %" PRIu64 " particles; a system holds %u", name, array.shape[0],
                                TACT_MAX_PARTICLES);
    }
    const uint32_t columns = (uint32_t)array.shape[1];
    const size_t n = (size_t)array.shape[0];
    *rows = calloc(n + 1, 7 * sizeof **rows);
    if (columns == TACT_TURNING_COLUMNS) *turning = calloc(n + 1, 6 * sizeof **turning);
    if (!*rows || (columns == TACT_TURNING_COLUMNS && !*turning)) {
        free(*rows);
        *rows = NULL;
        return tact_problem_out_of_memory(problem, name);
    }
    void* data = NULL;
    bool good = tact_npy_take(bytes, name, &array, &data, problem);
    if (good) tact_npy_to_float32(data, &array);
    for (size_t i = 0; i < n && good; ++i) {
        const float* row = (const float*)data + i * columns;
        good = check_row(row, columns, i, name, problem);
        memcpy(*rows + 7 * i, row, (columns < 7 ? columns : 7) * sizeof(float));
        if (*turning) memcpy(*turning + 6 * i, row + 7, 6 * sizeof(float));
    }
    free(data);
    if (good) {
        *count = n;
        return true;
    }
    free(*rows);
    free(*turning);
    *rows = *turning = NULL;
    return false;
}
