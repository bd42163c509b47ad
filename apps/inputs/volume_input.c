// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/volume_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/npy.h"

bool tact_volume_input_read(const char* path, tact_volume_kind kind, tact_volume_input* input, tact_problem* problem)
{
    *input = (tact_volume_input){.kind = kind};
    tact_npy_table table;
    if (!tact_npy_read(path, TACT_NPY_FLOAT32, kind == TACT_VOLUME_SPHERE ? 4 : 6, &table, problem)) return false;
    if (table.rows > TACT_MAX_VOLUMES) {
        free(table.data);
        return tact_problem_set(problem, "%s: byte 8: %llu rows; a set holds %u volumes", path,
                                (unsigned long long)table.rows, TACT_MAX_VOLUMES);
    }
    input->count = (size_t)table.rows;
    if (kind == TACT_VOLUME_SPHERE) {
        input->spheres = table.data;
    } else {
        input->boxes = table.data;
    }
    return true;
}

static bool make_room(tact_volume_input* input, tact_problem* problem)
{
    const bool spheres = input->kind == TACT_VOLUME_SPHERE;
    const size_t size = spheres ? sizeof *input->spheres : sizeof *input->boxes;
    void* memory = input->count < SIZE_MAX / size ? malloc((input->count + 1) * size) : NULL;
    if (!memory) return tact_problem_out_of_memory(problem, "the volumes");
    if (spheres) {
        input->spheres = memory;
    } else {
        input->boxes = memory;
    }
    return true;
}

bool tact_volume_input_make(const tact_volume_scene* scene, size_t count, uint64_t seed, tact_volume_input* input,
                            tact_problem* problem)
{
    *input = (tact_volume_input){.kind = TACT_VOLUME_AABB, .count = count, .generated = true};
    if (!make_room(input, problem)) return false;
    if (count > 0) scene->make(count, seed, input->boxes);
    return true;
}

bool tact_volume_input_to_spheres(tact_volume_input* input, tact_problem* problem)
{
    tact_aabb* const boxes = input->boxes;
    input->kind = TACT_VOLUME_SPHERE;
    if (!make_room(input, problem)) return false;
    tact_input_volumes_to_spheres(boxes, input->count, input->spheres);
    free(boxes);
    input->boxes = NULL;
    return true;
}

bool tact_volume_input_like(const tact_volume_input* input, tact_volume_input* other, tact_problem* problem)
{
    *other = (tact_volume_input){.kind = input->kind, .count = input->count, .generated = input->generated};
    return make_room(other, problem);
}

void tact_volume_input_free(tact_volume_input* input)
{
    free(input->boxes);
    free(input->spheres);
    *input = (tact_volume_input){0};
}

static bool is_ordinary(const tact_aabb* b)
{
    return isfinite(b->lower.x) && isfinite(b->lower.y) && isfinite(b->lower.z) && isfinite(b->upper.x) &&
           isfinite(b->upper.y) && isfinite(b->upper.z);
}

/// The cube that the volumes of a file move in: about all that is finite.
typedef struct frame_cube {
    double low[3], side;
} frame_cube;

static frame_cube cube_of(const tact_aabb* boxes, size_t count)
{
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < count; ++i) {
        if (!is_ordinary(&boxes[i])) continue;
        const float *l = &boxes[i].lower.x, *u = &boxes[i].upper.x;
        for (int k = 0; k < 3; ++k) {
            low[k] = fmin(low[k], (double)l[k]);
            high[k] = fmax(high[k], (double)u[k]);
        }
    }
    frame_cube cube = {{low[0], low[1], low[2]}, 0.0};
    for (int k = 0; k < 3; ++k)
        cube.side = fmax(cube.side, high[k] - low[k]);
    return cube;
}

static tact_aabb into_cube(const tact_aabb* box, const frame_cube* cube)
{
    tact_aabb unit;
    const float *l = &box->lower.x, *u = &box->upper.x;
    float *to_l = &unit.lower.x, *to_u = &unit.upper.x;
    for (int k = 0; k < 3; ++k) {
        to_l[k] = (float)(((double)l[k] - cube->low[k]) / cube->side);
        to_u[k] = (float)(((double)u[k] - cube->low[k]) / cube->side);
    }
    return unit;
}

/// The boxes as they move: of spheres, the cubes about them.
static tact_aabb* boxes_of(const tact_volume_input* input)
{
    tact_aabb* boxes = malloc((input->count + 1) * sizeof *boxes);
    for (size_t i = 0; boxes && i < input->count; ++i) {
        if (input->kind == TACT_VOLUME_AABB) {
            boxes[i] = input->boxes[i];
            continue;
        }
        const tact_sphere s = input->spheres[i];
        boxes[i] = (tact_aabb){{s.center.x - s.radius, s.center.y - s.radius, s.center.z - s.radius},
                               {s.center.x + s.radius, s.center.y + s.radius, s.center.z + s.radius}};
    }
    return boxes;
}

/// Moves volume i by what its box has moved.
static void shift(const tact_volume_input* input, size_t i, const double by[3], tact_volume_input* moved)
{
    if (input->kind == TACT_VOLUME_SPHERE) {
        const tact_sphere s = input->spheres[i];
        const tact_vec3 c = {(float)((double)s.center.x + by[0]), (float)((double)s.center.y + by[1]),
                             (float)((double)s.center.z + by[2])};
        moved->spheres[i] = (tact_sphere){c, s.radius};
        return;
    }
    const tact_aabb b = input->boxes[i];
    moved->boxes[i] = (tact_aabb){
        {(float)((double)b.lower.x + by[0]), (float)((double)b.lower.y + by[1]), (float)((double)b.lower.z + by[2])},
        {(float)((double)b.upper.x + by[0]), (float)((double)b.upper.y + by[1]), (float)((double)b.upper.z + by[2])}};
}

static void copy_all(const tact_volume_input* input, tact_volume_input* moved)
{
    if (input->count == 0) return;
    if (input->kind == TACT_VOLUME_SPHERE) {
        memcpy(moved->spheres, input->spheres, input->count * sizeof *input->spheres);
    } else {
        memcpy(moved->boxes, input->boxes, input->count * sizeof *input->boxes);
    }
}

bool tact_volume_input_move(const tact_volume_input* input, uint64_t seed, unsigned frame, double speed,
                            tact_volume_input* moved, tact_problem* problem)
{
    copy_all(input, moved);
    if (frame == 0 || input->count == 0) return true;
    if (input->generated && input->kind == TACT_VOLUME_AABB) {
        tact_input_volumes_move(input->boxes, input->count, seed, frame, speed, moved->boxes);
        return true;
    }
    tact_aabb* boxes = boxes_of(input);
    tact_aabb* there = malloc((input->count + 1) * sizeof *there);
    const bool good = boxes && there;
    if (good) {
        const frame_cube cube = input->generated ? (frame_cube){{0.0, 0.0, 0.0}, 1.0} : cube_of(boxes, input->count);
        const bool moves = cube.side > 0.0 && isfinite(cube.side);
        for (size_t i = 0; moves && i < input->count; ++i)
            boxes[i] = into_cube(&boxes[i], &cube);
        if (moves) tact_input_volumes_move(boxes, input->count, seed, frame, speed, there);
        for (size_t i = 0; moves && i < input->count; ++i) {
            if (!is_ordinary(&boxes[i])) continue;
            const double by[3] = {((double)there[i].lower.x - (double)boxes[i].lower.x) * cube.side,
                                  ((double)there[i].lower.y - (double)boxes[i].lower.y) * cube.side,
                                  ((double)there[i].lower.z - (double)boxes[i].lower.z) * cube.side};
            shift(input, i, by, moved);
        }
    }
    free(boxes);
    free(there);
    return good || tact_problem_out_of_memory(problem, "the motion");
}

tact_result tact_volume_input_create_set(const tact_volume_input* input, tact_context* context, tact_volumes** set)
{
    const tact_volumes_desc desc = {.kind = input->kind, .reserve = input->count};
    return tact_volumes_create(context, &desc, set);
}

tact_result tact_volume_input_fill_set(const tact_volume_input* input, tact_volumes* set)
{
    tact_volumes_clear(set);
    if (input->count == 0) return TACT_OK;
    return input->kind == TACT_VOLUME_SPHERE
               ? tact_volumes_add_spheres(set, input->spheres, input->count, NULL, NULL, NULL)
               : tact_volumes_add_aabbs(set, input->boxes, input->count, NULL, NULL, NULL);
}

tact_result tact_volume_input_move_set(const tact_volume_input* input, tact_volumes* set)
{
    if (input->count == 0) return TACT_OK;
    return input->kind == TACT_VOLUME_SPHERE ? tact_volumes_move_spheres(set, NULL, input->spheres, input->count)
                                             : tact_volumes_move_aabbs(set, NULL, input->boxes, input->count);
}
