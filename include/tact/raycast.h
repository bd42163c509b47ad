// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file raycast.h
/// Batches of ray casts against a scene. docs/results.md defines every result to the bit.

#include "tact/device_array.h"
#include "tact/geometry/types.h"
#include "tact/scene.h"

// A tact_ray (geometry/types.h) is the points o + t d with tmin <= t <= tmax. The direction need not have unit length;
// t is in units of it. In a cast it misses everything when a part is NaN or infinite (an infinite tmax is allowed),
// when its direction is zero (components below 2^-126 count as zero), when tmin > tmax, or when its origin lies beyond
// TACT_MAX_COORDINATE.

/// The hit of a ray.
typedef struct tact_hit {
    uint32_t instance;   ///< TACT_NONE for a miss
    uint32_t primitive;  ///< triangle or shape of the instance's mesh; TACT_NONE for a miss
    float t;             ///< ray parameter of the hit; tmax for a miss
    float u, v;          ///< Weights of the triangle's second and third vertex; 0 for a miss. Of a sphere, box or
                         ///< capsule u is 0 where the ray goes in and 1 where it comes out; v is 0
} tact_hit;

/// The result of a cast.
typedef enum tact_ray_mode {
    TACT_RAY_CLOSEST = 0,  ///< the hit with the smallest t, then the smallest instance, then the smallest primitive
    TACT_RAY_ANY = 1,      ///< whether there is a hit: all zero if so, else a miss
    TACT_RAY_COUNT = 2     ///< `primitive` is the number of primitives hit, the rest zero
} tact_ray_mode;

/// Sides that are not hit. A triangle's front is the side from which its vertices are seen counter-clockwise in its
/// mesh's own frame (right-handed), so a mirrored instance keeps what is outside outside. The front of a sphere, box or
/// capsule is where a ray goes in, its back where the ray comes out.
typedef enum tact_ray_cull {
    TACT_RAY_CULL_NONE = 0,
    TACT_RAY_CULL_BACK = 1,  ///< only fronts are hit
    TACT_RAY_CULL_FRONT = 2  ///< only backs are hit
} tact_ray_cull;

/// Sorting of a cast's rays by OpenGL and OpenCL, which puts those with similar paths side by side. Makes no difference
/// to the result. It takes 16 bytes a ray of the device's memory; where that is not free, rays are cast as they come.
/// The CPU sorts by itself, as OpenCL on a CPU does where scenes hold triangles alone; tact_raycast_all() does not
/// sort.
typedef enum tact_ray_sort {
    TACT_RAY_SORT_AUTO = 0,    ///< on hardware, large batches against large scenes, unless they look like a picture, or
                               ///< lie in a device buffer, where the library does not examine them
    TACT_RAY_SORT_ALWAYS = 1,  ///< for rays without order, such as those that have been reflected once
    TACT_RAY_SORT_NEVER = 2    ///< for rays that are in a good order already
} tact_ray_sort;

/// Decides whether a hit counts: after false the ray goes on as if the primitive was not there. `ray_index` is the
/// ray's place in the batch; the hit is complete.
/// It is called from several threads at once, with hits of a ray in no particular order, some of them maybe more than
/// once and some, which cannot change the result, not at all (with `shadow` or TACT_BACKEND_REFERENCE: all). So it must
/// be thread-safe and return the same for the same hit each time; the result then is the same on any number of threads.
/// It must not call the library with the same context.
typedef bool tact_ray_accept_fn(size_t ray_index, const tact_ray* ray, const tact_hit* hit, void* user);

/// Rules for hits. All zeros: no rule.
typedef struct tact_ray_rules {
    uint32_t mask;          ///< rays hit instances whose mask (tact_scene_set_mask) shares a bit with it; 0: every bit
    const uint32_t* masks;  ///< one for each ray, in place of `mask`; 0 hits nothing. NULL: `mask` for all
    tact_ray_cull cull;     ///< sides that are not hit
    bool ignore_alpha;      ///< triangles are hit where their mesh's alpha mask has holes too
    tact_ray_accept_fn* accept;  ///< called last, for hits that pass everything else; NULL: none
    void* accept_user;           ///< passed to `accept`
    uint64_t reserved[4];        ///< zeros: room for fields to come
} tact_ray_rules;

/// Casts `count` rays against a committed scene and writes `count` hits, in order. `rays` and `hits` are host arrays
/// that must not overlap; count 0 is allowed. `options` and `report` may be NULL. When it fails the contents of `hits`
/// are unspecified.
/// Watertight: a ray through an edge or a vertex that triangles of one instance share never slips between them.
/// Errors: INVALID_ARGUMENT (scene not committed, NULL arrays), NO_DEVICE (a backend was forced that the context
/// lacks), SHADOW_MISMATCH, CANCELLED, OUT_OF_MEMORY; with `no_fallback` also what the device reported.
TACT_API tact_result tact_raycast(tact_scene* scene, tact_ray_mode mode, const tact_ray* rays, size_t count,
                                  tact_hit* hits, const tact_query_options* options, tact_query_report* report);

/// A cast of rays with all its options. All bits zero but for the arrays: as tact_raycast().
/// Rays and hits are each in host memory or in a buffer of the adopted device. Arrays of a device hold tact_ray, 32
/// bytes each, and tact_hit, 20 bytes each, as host arrays do; both, if there are two, on one device. Rays and what is
/// written must not overlap. `occluded` holds a byte a ray, of which a device sends one bit: shadows and lines of sight
/// need no more. A cast for it that asks for a ticket is over when it returns.
typedef struct tact_raycast_work {
    tact_ray_mode mode;                    ///< the result to find
    tact_ray_sort sort;                    ///< whether devices sort the rays
    size_t count;                          ///< of rays, and of hits
    const tact_ray* rays;                  ///< of the host
    tact_hit* hits;                        ///< of the host
    const tact_device_array* device_rays;  ///< in place of `rays`, which is NULL then
    const tact_device_array* device_hits;  ///< in place of `hits`, which is NULL then
    const tact_ray_rules* rules;           ///< rules that hits must pass; NULL: none
    uint8_t* occluded;     ///< of the host, with TACT_RAY_ANY in place of hits: 1 for a ray that hits something, else 0
    uint64_t reserved[3];  ///< zeros: room for fields to come
} tact_raycast_work;

/// Casts rays as tact_raycast() does, by rules and with arrays of devices. With rules the closest hit is the closest
/// that passes them, and the number of hits that of those that pass. Only the CPU and the reference call `accept`: with
/// OpenGL and OpenCL the CPU runs such casts, as the report shows. On devices a mesh's alpha mask takes a bit for each
/// texel and 32 bytes for each triangle. AUTO chooses the device on which an array lies; rules, shadow checking and
/// other backends bring the array to the host. Errors: as tact_raycast(); INVALID_ARGUMENT (no such `cull` or `sort`, a
/// buffer too small or of another device); UNSUPPORTED for OpenGL and OpenCL with `no_fallback` and `accept`.
TACT_API tact_result tact_raycast_with(tact_scene* scene, const tact_raycast_work* work,
                                       const tact_query_options* options, tact_query_report* report);

/// Rays to find all hits of, and the output.
typedef struct tact_raycast_all_work {
    const tact_ray* rays;         ///< `count` of them
    size_t count;                 ///< of rays
    uint32_t max_hits;            ///< of each ray at most, from the front, which costs less where it is small; 0: all
    const tact_ray_rules* rules;  ///< rules that hits must pass; NULL: none
    uint64_t* offsets;            ///< receives count + 1 of them
    tact_hit* hits;               ///< receives at most `capacity` of them; NULL with capacity 0
    size_t capacity;              ///< of `hits`
    uint64_t reserved[4];         ///< zeros: room for fields to come
} tact_raycast_all_work;

/// Finds every hit along rays: those of ray i are hits[offsets[i]] to just before hits[offsets[i + 1]], from the front:
/// by t, then instance, then primitive, each to the bit as tact_raycast() defines that primitive's hit. So the first is
/// the closest one, their number that of TACT_RAY_COUNT, and none is missing or there twice, however many lie on one
/// place. When `capacity` is too small the call returns TACT_INCOMPLETE: the offsets are complete all the same, so
/// offsets[count] is the capacity needed, and the first `capacity` hits are there. OpenGL and OpenCL cast twice, to
/// count and to write, and sort all hits whatever `max_hits` is. Errors: as tact_raycast(); INVALID_ARGUMENT (no such
/// `cull`).
TACT_API tact_result tact_raycast_all(tact_scene* scene, const tact_raycast_all_work* work,
                                      const tact_query_options* options, tact_query_report* report);
