// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Where rays come from: a camera, a random generator, a file. Generated rays are computed in double precision with
/// + - * / and sqrt alone and then rounded to float, so every machine makes the same ones.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/inputs/model.h"
#include "apps/problem.h"
#include "tact/closest.h"

typedef enum tact_ray_source_kind {
    TACT_RAYS_CAMERA = 0,
    TACT_RAYS_RANDOM = 1,
    TACT_RAYS_FILE = 2
} tact_ray_source_kind;

/// The most rays of one query: 2^31.
#define TACT_RAYS_MAX (UINT64_C(1) << 31)

typedef struct tact_ray_source {
    tact_ray_source_kind kind;
    uint32_t width, height;  ///< camera
    uint64_t count;          ///< camera and random
    const char* path;        ///< file; points into the text parsed
} tact_ray_source;

/// "camera:WxH", "random:N" or a file's name.
bool tact_ray_source_parse(const char* text, tact_ray_source* source, tact_problem* problem);

/// An axis-aligned box in double precision.
typedef struct tact_bounds {
    double lower[3], upper[3];
} tact_bounds;

/// The box that rays are aimed at: the scene's, with two exceptions. A scene without anything to hit has the unit cube
/// from (0,0,0) to (1,1,1); a box that is one point is enlarged by 1/2 in every direction.
tact_bounds tact_ray_bounds(const tact_scene_stats* stats);

/// Rays from an eye on the box's +z side, looking along -z with +y up and a vertical field of view of 60 degrees,
/// row by row from the top left.
///
/// With c the box's centre, h its half extents and s = sqrt(1/3) = tan 30 degrees, the eye is
/// c + (0, 0, h.z + D), where D = 1.05 * max(h.y / s, h.x / (s * W / H)): the box's front face, and so all of the box,
/// fits with a margin of 5 %. (When h.x = h.y = 0, D = h.z.) The ray of column i and row j has the origin eye, the
/// direction ((2 (i + 0.5) / W - 1) * s * W / H, (1 - 2 (j + 0.5) / H) * s, -1), tmin 0 and tmax infinity, so that t is
/// the distance along -z from the eye.
void tact_rays_camera(const tact_bounds* bounds, uint32_t width, uint32_t height, tact_ray* rays);

/// The same of `rows` rows from one on.
void tact_rays_camera_rows(const tact_bounds* bounds, uint32_t width, uint32_t height, uint32_t first, uint32_t rows,
                           tact_ray* rays);

/// Seeded rays: the origin is uniform in the box enlarged by half its size on each side, the direction leads to a
/// uniform point of the box (t = 1 is there), tmin 0, tmax infinity. Each ray takes six fractions of a SplitMix64
/// sequence that starts from `seed`: x, y, z of the origin, then of the target.
void tact_rays_random(const tact_bounds* bounds, uint64_t seed, uint64_t count, tact_ray* rays);

/// Seeded segments, as for questions of occlusion: both ends uniform in the box, tmin 0, tmax 1. Each takes six
/// fractions as above: x, y, z of the origin, then of the other end.
void tact_rays_segments(const tact_bounds* bounds, uint64_t seed, uint64_t count, tact_ray* rays);

/// Makes or reads the rays of a source; *rays is from malloc, never NULL on success.
bool tact_rays_make(const tact_ray_source* source, const tact_bounds* bounds, uint64_t seed, tact_ray** rays,
                    uint64_t* count, tact_problem* problem);

// Points to ask about: generated ones, the same on every machine, or from a file.

/// Uniform in the box enlarged by half its size on each side, x, y, z from a SplitMix64 sequence that starts from
/// `seed`; all with the same greatest distance.
void tact_points_random(const tact_bounds* bounds, uint64_t seed, uint64_t count, float max_distance,
                        tact_closest_query* points);

/// Points that break careless code, `count` of them, going round these kinds and the scene's triangles: corners,
/// middles of edges and of faces, just off them, as far above a face as the limit, between a corner and another, far
/// away, near the origin, with a distance of zero, less than zero, NaN, with NaN, infinite and huge coordinates.
void tact_points_hard(const tact_model* model, const tact_bounds* bounds, uint64_t seed, uint64_t count,
                      tact_closest_query* points);
