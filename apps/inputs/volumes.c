// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/volume_input.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "apps/inputs/random.h"

static tact_vec3 random_point(tact_random* random)
{
    const double x = tact_random_fraction(random), y = tact_random_fraction(random), z = tact_random_fraction(random);
    return (tact_vec3){(float)x, (float)y, (float)z};
}

/// A box about a point, with these half-widths.
static tact_aabb box_at(tact_vec3 center, double hx, double hy, double hz)
{
    const double x = (double)center.x, y = (double)center.y, z = (double)center.z;
    return (tact_aabb){{(float)(x - hx), (float)(y - hy), (float)(z - hz)},
                       {(float)(x + hx), (float)(y + hy), (float)(z + hz)}};
}

/// The width of equal cubes in the unit cube that overlap four others each: 8 width^3 count is 4, faces left out.
static double width_for_four(size_t count)
{
    return cbrt(0.5 / (double)(count > 0 ? count : 1));
}

void tact_input_volumes_uniform(size_t count, uint64_t seed, tact_aabb* boxes)
{
    tact_random random = {seed};
    const double half = 0.5 * width_for_four(count);
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 at = random_point(&random);
        const double x = half * (0.5 + tact_random_fraction(&random));
        const double y = half * (0.5 + tact_random_fraction(&random));
        const double z = half * (0.5 + tact_random_fraction(&random));
        boxes[i] = box_at(at, x, y, z);
    }
}

/// Eight lumps, each a hundredth of the cube wide, of boxes as dense as uniform ones would be there.
static void clustered(size_t count, uint64_t seed, tact_aabb* boxes)
{
    tact_random random = {seed};
    tact_vec3 lumps[8];
    for (int i = 0; i < 8; ++i)
        lumps[i] = random_point(&random);
    const double half = 0.5 * 0.01 * width_for_four(count / 8 + 1);
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 lump = lumps[tact_random_below(&random, 8)], d = random_point(&random);
        const tact_vec3 at = {lump.x + 0.01f * d.x, lump.y + 0.01f * d.y, lump.z + 0.01f * d.z};
        const double h = half * (0.5 + tact_random_fraction(&random));
        boxes[i] = box_at(at, h, h, h);
    }
}

/// Widths from 1 to 1000 times the least, ever fewer of the large ones (with the square of the width), which yet take
/// part in most of the pairs: some eight a box, in the mean over many sets.
static void mixed_sizes(size_t count, uint64_t seed, tact_aabb* boxes)
{
    tact_random random = {seed};
    const double least = 0.5 * 0.16 * width_for_four(count);
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 at = random_point(&random);
        // Density falls with the square of the width.
        const double u = tact_random_fraction(&random);
        const double h = least / sqrt(1.0 - u * (1.0 - 1e-6));
        boxes[i] = box_at(at, h, h, h);
    }
}

/// All along one line, in no order.
static void line(size_t count, uint64_t seed, tact_aabb* boxes)
{
    tact_random random = {seed};
    const double half = 1.0 / (double)(count > 0 ? count : 1);
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 at = {(float)tact_random_fraction(&random), 0.5f, 0.5f};
        boxes[i] = box_at(at, half, half, half);
    }
}

/// Flat and long ones: each axis has a width of its own between a hundredth and all of a tenth of the cube.
static void needles(size_t count, uint64_t seed, tact_aabb* boxes)
{
    tact_random random = {seed};
    const double scale = width_for_four(count);
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 at = random_point(&random);
        const uint64_t axis = tact_random_below(&random, 3);
        const double h[3] = {axis == 0 ? 8.0 : 0.15, axis == 1 ? 8.0 : 0.15, axis == 2 ? 8.0 : 0.15};
        boxes[i] = box_at(at, scale * h[0], scale * h[1], scale * h[2]);
    }
}

/// All the same box: n (n - 1) / 2 pairs.
static void coincident(size_t count, uint64_t seed, tact_aabb* boxes)
{
    (void)seed;
    for (size_t i = 0; i < count; ++i)
        boxes[i] = (tact_aabb){{0.25f, 0.25f, 0.25f}, {0.5f, 0.5f, 0.5f}};
}

/// Unit cubes that fill a block and touch: 26 neighbours each, by faces, edges and corners, to the bit.
static void lattice(size_t count, uint64_t seed, tact_aabb* boxes)
{
    (void)seed;
    size_t side = 1;
    while (side * side * side < count)
        ++side;
    for (size_t i = 0; i < count; ++i) {
        // Not in the order of the places.
        const size_t k = (i * 7919 + 13) % count;
        const size_t place = count % 7919 == 0 ? i : k;
        const float x = (float)(place % side), y = (float)(place / side % side), z = (float)(place / side / side);
        boxes[i] = (tact_aabb){{x, y, z}, {x + 1.0f, y + 1.0f, z + 1.0f}};
    }
}

/// Points on a few grid positions: boxes without extent, many on one spot.
static void points(size_t count, uint64_t seed, tact_aabb* boxes)
{
    tact_random random = {seed};
    size_t side = 2;
    while (side * side * side < count)
        ++side;
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 p = {(float)tact_random_below(&random, side) * 0.125f,
                             (float)tact_random_below(&random, side) * 0.125f - 1.0f,
                             (float)tact_random_below(&random, side) * 0.125f - 0.5f};
        boxes[i] = (tact_aabb){p, p};
    }
}

/// Uniform ones of which a few are far away, up to the largest floats.
static void outliers(size_t count, uint64_t seed, tact_aabb* boxes)
{
    tact_input_volumes_uniform(count, seed, boxes);
    for (size_t i = 0; i < count; i += 97) {
        const float far = i % 2 ? -1e30f : 3e7f;
        boxes[i].lower.x += far;
        boxes[i].upper.x += far;
        boxes[i].upper.y = i % 3 ? boxes[i].upper.y : FLT_MAX;
    }
}

/// What sets should not hold, and what they may: NaN anywhere, inverted ones, infinite sides, all of space, zeros of
/// both signs, the least numbers, among uniform ones.
static void hostile(size_t count, uint64_t seed, tact_aabb* boxes)
{
    tact_input_volumes_uniform(count, seed, boxes);
    tact_random random = {seed + 1};
    for (size_t i = 0; i < count; i += 1 + (size_t)tact_random_below(&random, 24)) {
        float* const part = (float*)&boxes[i] + tact_random_below(&random, 6);
        const float tiny = nextafterf(0.0f, 1.0f);
        switch (tact_random_below(&random, 9)) {
            case 0:
                *part = NAN;
                break;
            case 1:
                *part = INFINITY;
                break;
            case 2:
                *part = -INFINITY;
                break;
            case 3: {
                const tact_vec3 keep = boxes[i].lower;
                boxes[i].lower = boxes[i].upper;
                boxes[i].upper = keep;
                break;
            }
            case 4:
                if (i % 7 == 0)
                    boxes[i] = (tact_aabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
                break;
            case 5:
                boxes[i] = (tact_aabb){{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
                break;
            case 6:
                boxes[i] = (tact_aabb){{-0.0f, -1.0f, -0.0f}, {-0.0f, -0.0f, -0.0f}};
                break;
            case 7:
                boxes[i] = (tact_aabb){{tiny, -tiny, 0.0f}, {tiny, tiny, tiny}};
                break;
            default:
                *part = i % 2 ? FLT_MAX : -FLT_MAX;
                break;
        }
    }
}

const tact_volume_scene tact_volume_scenes[] = {
    {"uniform", "about four overlaps each", tact_input_volumes_uniform, SIZE_MAX},
    {"clustered", "eight dense lumps", clustered, SIZE_MAX},
    {"sizes", "widths over 1000:1", mixed_sizes, SIZE_MAX},
    {"line", "all along one axis", line, SIZE_MAX},
    {"needles", "fifty times as long as wide", needles, SIZE_MAX},
    {"coincident", "all the same box", coincident, 5000},
    {"lattice", "unit cubes that touch", lattice, SIZE_MAX},
    {"points", "no extent, many on one spot", points, SIZE_MAX},
    {"outliers", "a few at the end of the world", outliers, 200000},
    {"hostile", "NaN, inverted, infinite, tiny among others", hostile, 30000},
};
const size_t tact_volume_scene_count = sizeof tact_volume_scenes / sizeof tact_volume_scenes[0];

const tact_volume_scene* tact_volume_scene_named(const char* name)
{
    for (size_t i = 0; i < tact_volume_scene_count; ++i) {
        if (strcmp(tact_volume_scenes[i].name, name) == 0) return &tact_volume_scenes[i];
    }
    return NULL;
}

void tact_input_volumes_to_spheres(const tact_aabb* boxes, size_t count, tact_sphere* spheres)
{
    for (size_t i = 0; i < count; ++i) {
        const tact_aabb b = boxes[i];
        const float x = b.upper.x - b.lower.x, y = b.upper.y - b.lower.y, z = b.upper.z - b.lower.z;
        const float least = x < y ? x < z ? x : z : y < z ? y : z;
        spheres[i] = (tact_sphere){{b.lower.x + 0.5f * x, b.lower.y + 0.5f * y, b.lower.z + 0.5f * z}, 0.5f * least};
    }
}

/// Where a point that started at x with this step is after `frame` steps between mirrors at 0 and 1.
static double bounce(double x, double step, unsigned frame)
{
    if (x < 0.0 || x > 1.0) return x;
    const double t = fmod(fabs(x + step * frame), 2.0);
    return t > 1.0 ? 2.0 - t : t;
}

void tact_input_volumes_move(const tact_aabb* boxes, size_t count, uint64_t seed, unsigned frame, double speed,
                             tact_aabb* moved)
{
    tact_random random = {seed};
    for (size_t i = 0; i < count; ++i) {
        const tact_aabb* const box = &boxes[i];
        const double from[6] = {(double)box->lower.x, (double)box->lower.y, (double)box->lower.z,
                                (double)box->upper.x, (double)box->upper.y, (double)box->upper.z};
        double width = 0.0, to[6];
        for (int k = 0; k < 3; ++k)
            width = fmax(width, from[k + 3] - from[k]);
        for (int k = 0; k < 3; ++k) {
            const double step = (2.0 * tact_random_fraction(&random) - 1.0) * speed * width;
            const double middle = 0.5 * (from[k] + from[k + 3]);
            const double shift = bounce(middle, step, frame) - middle;
            to[k] = from[k] + shift;
            to[k + 3] = from[k + 3] + shift;
        }
        if (width < 1e6) {
            moved[i] =
                (tact_aabb){{(float)to[0], (float)to[1], (float)to[2]}, {(float)to[3], (float)to[4], (float)to[5]}};
        } else {
            moved[i] = *box;
        }
    }
}
