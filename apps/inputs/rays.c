// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/rays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/npy.h"
#include "apps/inputs/random.h"
#include "apps/options.h"

_Static_assert(sizeof(tact_ray) == 32, "a row of eight floats is one ray");

bool tact_ray_source_parse(const char* text, tact_ray_source* source, tact_problem* problem)
{
    *source = (tact_ray_source){0};
    const char* rest = text;
    if (strncmp(text, "camera:", 7) == 0) {
        uint64_t width = 0, height = 0;
        if (!tact_number_parse(text + 7, 1, UINT32_MAX, &width, &rest) || *rest != 'x' ||
            !tact_number_parse(rest + 1, 1, UINT32_MAX, &height, NULL)) {
            return tact_problem_set(problem, "--rays %s: must be camera:WIDTHxHEIGHT with whole numbers from 1", text);
        }
        if (width * height > TACT_RAYS_MAX) {  // below 2^64: each is below 2^32
            return tact_problem_set(problem, "--rays %s: more than 2^31 rays", text);
        }
        source->kind = TACT_RAYS_CAMERA;
        source->width = (uint32_t)width;
        source->height = (uint32_t)height;
        source->count = width * height;
        return true;
    }
    if (strncmp(text, "random:", 7) == 0) {
        if (!tact_number_parse(text + 7, 0, TACT_RAYS_MAX, &source->count, NULL)) {
            return tact_problem_set(problem, "--rays %s: must be random:N with a whole number up to 2^31", text);
        }
        source->kind = TACT_RAYS_RANDOM;
        return true;
    }
    source->kind = TACT_RAYS_FILE;
    source->path = text;
    return true;
}

tact_bounds tact_ray_bounds(const tact_scene_stats* stats)
{
    tact_bounds bounds = {{0, 0, 0}, {1, 1, 1}};
    bool point = true;
    for (int i = 0; i < 3; ++i) {
        if (!(stats->lower[i] <= stats->upper[i])) return bounds;
        point = point && !(stats->lower[i] < stats->upper[i]);
    }
    for (int i = 0; i < 3; ++i) {
        bounds.lower[i] = (double)stats->lower[i] - (point ? 0.5 : 0.0);
        bounds.upper[i] = (double)stats->upper[i] + (point ? 0.5 : 0.0);
    }
    return bounds;
}

void tact_rays_camera(const tact_bounds* bounds, uint32_t width, uint32_t height, tact_ray* rays)
{
    tact_rays_camera_rows(bounds, width, height, 0, height, rays);
}

void tact_rays_camera_rows(const tact_bounds* bounds, uint32_t width, uint32_t height, uint32_t first, uint32_t rows,
                           tact_ray* rays)
{
    double centre[3], half[3];
    for (int i = 0; i < 3; ++i) {
        centre[i] = (bounds->lower[i] + bounds->upper[i]) * 0.5;
        half[i] = (bounds->upper[i] - bounds->lower[i]) * 0.5;
    }
    const double tangent_y = sqrt(1.0 / 3.0);
    const double tangent_x = tangent_y * (double)width / (double)height;
    const double for_height = half[1] / tangent_y, for_width = half[0] / tangent_x;
    double distance = 1.05 * (for_height > for_width ? for_height : for_width);
    if (distance <= 0.0) distance = half[2];
    const float eye[3] = {(float)centre[0], (float)centre[1], (float)(centre[2] + half[2] + distance)};
    for (uint32_t row = first; row < first + rows; ++row) {
        const float y = (float)((1.0 - 2.0 * ((double)row + 0.5) / (double)height) * tangent_y);
        for (uint32_t column = 0; column < width; ++column) {
            const float x = (float)((2.0 * ((double)column + 0.5) / (double)width - 1.0) * tangent_x);
            *rays++ = (tact_ray){eye[0], eye[1], eye[2], 0.0f, x, y, -1.0f, INFINITY};
        }
    }
}

void tact_rays_random(const tact_bounds* bounds, uint64_t seed, uint64_t count, tact_ray* rays)
{
    tact_random random = {seed};
    for (uint64_t n = 0; n < count; ++n) {
        double origin[3], direction[3];
        for (int i = 0; i < 3; ++i) {
            const double size = bounds->upper[i] - bounds->lower[i];
            origin[i] = bounds->lower[i] - 0.5 * size + 2.0 * size * tact_random_fraction(&random);
        }
        for (int i = 0; i < 3; ++i) {
            const double size = bounds->upper[i] - bounds->lower[i];
            direction[i] = bounds->lower[i] + size * tact_random_fraction(&random) - origin[i];
        }
        rays[n] = (tact_ray){(float)origin[0],    (float)origin[1],    (float)origin[2],    0.0f,
                             (float)direction[0], (float)direction[1], (float)direction[2], INFINITY};
    }
}

void tact_rays_segments(const tact_bounds* bounds, uint64_t seed, uint64_t count, tact_ray* rays)
{
    tact_random random = {seed};
    for (uint64_t n = 0; n < count; ++n) {
        double ends[2][3];
        for (int e = 0; e < 2; ++e) {
            for (int i = 0; i < 3; ++i) {
                const double size = bounds->upper[i] - bounds->lower[i];
                ends[e][i] = bounds->lower[i] + size * tact_random_fraction(&random);
            }
        }
        const double* o = ends[0];
        const double* d = ends[1];
        rays[n] = (tact_ray){(float)o[0],          (float)o[1],          (float)o[2],          0.0f,
                             (float)(d[0] - o[0]), (float)(d[1] - o[1]), (float)(d[2] - o[2]), 1.0f};
    }
}

bool tact_rays_make(const tact_ray_source* source, const tact_bounds* bounds, uint64_t seed, tact_ray** rays,
                    uint64_t* count, tact_problem* problem)
{
    *rays = NULL;
    *count = 0;
    if (source->kind == TACT_RAYS_FILE) {
        tact_npy_table table;
        if (!tact_npy_read(source->path, TACT_NPY_FLOAT32, 8, &table, problem)) return false;
        if (table.rows > TACT_RAYS_MAX) {
            free(table.data);
            return tact_problem_set(problem, "%s: more than 2^31 rays", source->path);
        }
        *rays = table.data;
        *count = table.rows;
        return true;
    }
    if (source->count > SIZE_MAX / sizeof **rays) return tact_problem_out_of_memory(problem, "the rays");
    *rays = malloc(source->count ? (size_t)source->count * sizeof **rays : 1);
    if (!*rays) return tact_problem_out_of_memory(problem, "the rays");
    *count = source->count;
    if (source->kind == TACT_RAYS_CAMERA) {
        tact_rays_camera(bounds, source->width, source->height, *rays);
    } else {
        tact_rays_random(bounds, seed, source->count, *rays);
    }
    return true;
}
