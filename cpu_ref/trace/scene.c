// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/scene.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/simd.h"

enum { GRAIN = 1 << 12 };

typedef struct reference_job {
    const tact_trace_mesh* mesh;
    tact_build_reference* references;
    tact_trace_bounds* parts;
} reference_job;

static tact_trace_bounds no_bounds(void)
{
    const float most = FLT_MAX;
    return (tact_trace_bounds){{most, most, most}, {-most, -most, -most}, {most, most, most}, {-most, -most, -most}, 0};
}

static void grow_bounds(float lower[3], float upper[3], const float low[3], const float high[3])
{
    for (int k = 0; k < 3; ++k) {
        lower[k] = low[k] < lower[k] ? low[k] : lower[k];
        upper[k] = high[k] > upper[k] ? high[k] : upper[k];
    }
}

/// A box that grows, by the same comparisons as grow_bounds().
typedef struct growing {
    f4 lower, upper;
} growing;

static inline void take(growing* box, f4 lower, f4 upper)
{
    box->lower = f4_min(lower, box->lower);
    box->upper = f4_max(upper, box->upper);
}

/// tact_triangle_box(), all axes at once by the same operations.
static inline growing padded_box(f4 a, f4 b, f4 c)
{
    const f4 low = f4_min(f4_min(a, b), c), high = f4_max(f4_max(a, b), c), ulp = f4_set(TACT_PAD_ULP);
    float w[4];
    f4_store(w, f4_sub(high, low));
    const float widest = tact_max(tact_max(w[0], w[1]), w[2]);
    const f4 pad = f4_set(widest * TACT_PAD_SIDE);
    return (growing){f4_sub(low, f4_add(pad, f4_mul(f4_abs(low), ulp))),
                     f4_add(high, f4_add(pad, f4_mul(f4_abs(high), ulp)))};
}

static void keep_box(float lower[3], float upper[3], const growing* box)
{
    float low[4], high[4];
    f4_store(low, box->lower);
    f4_store(high, box->upper);
    memcpy(lower, low, sizeof(float[3]));
    memcpy(upper, high, sizeof(float[3]));
}

static void reference_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const reference_job* job = user;
    const f4 range = f4_set(TACT_RANGE), zero = f4_set(0.0f);
    tact_trace_bounds part = no_bounds();
    growing all = {f4_set(FLT_MAX), f4_set(-FLT_MAX)}, tight = all;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t* at = job->mesh->indices + 3 * i;
        TACT_ASSERT(at[0] < job->mesh->vertex_count && at[1] < job->mesh->vertex_count &&
                    at[2] < job->mesh->vertex_count);
        f4 p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = f4_load_three(job->mesh->positions + 3 * (size_t)at[k]);
        if (!f4_within(f4_abs(p[0]), f4_abs(p[1]), f4_abs(p[2]), range)) continue;
        const growing box = padded_box(p[0], p[1], p[2]);
        if (job->references) {
            tact_build_reference* r = &job->references[begin + part.kept];
            f4_store((float*)(void*)r, f4_add(box.lower, zero));
            f4_store((float*)(void*)r + 4, f4_negate(f4_add(box.upper, zero)));
            r->id = (uint32_t)i;
        }
        ++part.kept;
        take(&all, box.lower, box.upper);
        for (int k = 0; k < 3; ++k)
            take(&tight, p[k], p[k]);
    }
    TACT_ASSERT(part.kept <= end - begin);
    keep_box(part.lower, part.upper, &all);
    keep_box(part.tight_lower, part.tight_upper, &tight);
    job->parts[begin / GRAIN] = part;
}

tact_result tact_trace_references(tact_env* env, const tact_trace_mesh* mesh, int threads,
                                  tact_build_reference* references, tact_trace_bounds* bounds)
{
    TACT_ASSERT(mesh->kind == TACT_KIND_TRIANGLES && bounds);
    *bounds = no_bounds();
    const size_t count = mesh->triangle_count / GRAIN + 1;
    reference_job job = {mesh, references, tact_allocate(env, count, sizeof *job.parts)};
    if (!job.parts) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(threads, mesh->triangle_count, GRAIN, reference_piece, &job);
    for (size_t i = 0; i * GRAIN < mesh->triangle_count; ++i) {
        const tact_trace_bounds* part = &job.parts[i];
        // Nothing moves while nothing is left out.
        if (references && bounds->kept != i * GRAIN)
            memmove(references + bounds->kept, references + i * GRAIN, part->kept * sizeof *references);
        bounds->kept += part->kept;
        grow_bounds(bounds->lower, bounds->upper, part->lower, part->upper);
        grow_bounds(bounds->tight_lower, bounds->tight_upper, part->tight_lower, part->tight_upper);
    }
    // The sign of a zero would tell of threads, and of devices, whose bounds are the same.
    for (int k = 0; k < 3; ++k) {
        bounds->lower[k] += 0.0f;
        bounds->upper[k] += 0.0f;
        bounds->tight_lower[k] += 0.0f;
        bounds->tight_upper[k] += 0.0f;
    }
    TACT_ASSERT(bounds->kept <= mesh->triangle_count);
    TACT_ASSERT(bounds->kept == 0 || bounds->lower[0] <= bounds->tight_lower[0]);
    TACT_ASSERT(bounds->kept == 0 || bounds->tight_upper[0] <= bounds->upper[0]);
    tact_release(env, job.parts);
    return TACT_OK;
}

tact_result tact_trace_measure(tact_env* env, const tact_trace_mesh* mesh, int threads, tact_trace_bounds* bounds)
{
    return tact_trace_references(env, mesh, threads, NULL, bounds);
}

static double row_sum_norm(double m[3][3])
{
    double norm = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double sum = fabs(m[i][0]) + fabs(m[i][1]) + fabs(m[i][2]);
        norm = sum > norm ? sum : norm;
    }
    return norm;
}

bool tact_trace_place(tact_trace_instance* instance, const float object_to_world[12], const float lower[3],
                      const float upper[3])
{
    double m[3][3], inverse[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            if (!(fabsf(object_to_world[4 * i + j]) <= FLT_MAX)) return false;
        }
        for (int j = 0; j < 3; ++j)
            m[i][j] = (double)object_to_world[4 * i + j];
    }
    // The adjugate over the determinant, by cofactors of cyclic indices.
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
        }
    }
    const double determinant = (m[0][0] * inverse[0][0] + m[0][1] * inverse[1][0]) + m[0][2] * inverse[2][0];
    if (!(fabs(determinant) > 0.0)) return false;
    tact_trace_instance placed = *instance;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            inverse[i][j] /= determinant;
            if (!(fabs(inverse[i][j]) <= (double)FLT_MAX)) return false;
            placed.rows[i][j] = (float)inverse[i][j];
        }
        placed.rows[i][3] = object_to_world[4 * i + 3];
    }

    // The corners of the mesh's box, moved; padded for the rounding of a ray's way into the mesh's frame, whose error
    // grows with the condition of the matrix and the distance from the instance's own origin.
    const double condition = row_sum_norm(m) * row_sum_norm(inverse);
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    double reach = 0.0;
    for (int k = 0; k < 8; ++k) {
        const double x = (double)((k & 1) ? upper : lower)[0];
        const double y = (double)((k & 2) ? upper : lower)[1];
        const double z = (double)((k & 4) ? upper : lower)[2];
        for (int i = 0; i < 3; ++i) {
            const double linear = (m[i][0] * x + m[i][1] * y) + m[i][2] * z;
            const double moved = linear + (double)object_to_world[4 * i + 3];
            reach = fabs(linear) > reach ? fabs(linear) : reach;
            low[i] = moved < low[i] ? moved : low[i];
            high[i] = moved > high[i] ? moved : high[i];
        }
    }
    const double pad = condition * reach * 0x1p-19;
    for (int i = 0; i < 3; ++i) {
        const double l = low[i] - (pad + fabs(low[i]) * 0x1p-22);
        const double h = high[i] + (pad + fabs(high[i]) * 0x1p-22);
        if (!(fabs(l) <= (double)TACT_RANGE && fabs(h) <= (double)TACT_RANGE)) return false;
        placed.lower[i] = nextafterf((float)l, -FLT_MAX);
        placed.upper[i] = nextafterf((float)h, FLT_MAX);
    }
    TACT_ASSERT(placed.lower[0] <= placed.upper[0] && placed.lower[1] <= placed.upper[1]);
    TACT_ASSERT(placed.lower[2] <= placed.upper[2]);
    *instance = placed;
    return true;
}

void tact_trace_grow(float lower[3], float upper[3], const float object_to_world[12], const float mesh_lower[3],
                     const float mesh_upper[3])
{
    TACT_ASSERT(mesh_lower[0] <= mesh_upper[0]);
    for (int k = 0; k < 8; ++k) {
        const double x = (double)((k & 1) ? mesh_upper : mesh_lower)[0];
        const double y = (double)((k & 2) ? mesh_upper : mesh_lower)[1];
        const double z = (double)((k & 4) ? mesh_upper : mesh_lower)[2];
        for (int i = 0; i < 3; ++i) {
            const float* row = object_to_world + 4 * i;
            const float moved =
                (float)(((double)row[0] * x + (double)row[1] * y) + (double)row[2] * z + (double)row[3]);
            lower[i] = moved < lower[i] ? moved : lower[i];
            upper[i] = moved > upper[i] ? moved : upper[i];
        }
    }
}
