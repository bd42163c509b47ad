// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file cull.h
/// Culling: which of many volumes are in view, or near any of many boxes.
///
/// Conservative: a volume that has a point in the region is always kept, whatever the numbers. One that has none may be
/// kept when it is within about 2^-20 of the sizes involved of the region, or where the tests are known to be blunt
/// (docs/culling.md has them, with how often that happens). Beyond that the result is defined to the bit, by the
/// arithmetic that docs/culling.md states, and is the same bytes on every backend and for every number of threads.
///
/// Volumes that hold no point are never kept: AABBs with a NaN or with lower > upper; spheres with a NaN, an infinity
/// or a negative radius; OBBs with a NaN, an infinity or a negative half length; k-DOPs with a NaN, an infinity, an
/// empty slab or a k that there is none of. AABBs may have infinite bounds. The axes of OBBs are used as they are.

#include "tact/context.h"
#include "tact/geometry/frustum.h"
#include "tact/geometry/kdop.h"

/// Keeps its memory, on the host and on devices, and its last result from one call to the next.
typedef struct tact_culler tact_culler;

/// The kind of the volumes, and so the type of their array.
typedef enum tact_cull_kind {
    TACT_CULL_AABBS = 0,    ///< tact_aabb
    TACT_CULL_SPHERES = 1,  ///< tact_sphere
    TACT_CULL_OBBS = 2,     ///< tact_obb
    TACT_CULL_KDOPS = 3,    ///< tact_kdop, of any k, also of different ones
    TACT_CULL_KIND_COUNT = 4
} tact_cull_kind;

enum { TACT_CULL_PLANES_MAX = 32 };

/// Volumes and boxes of one call are at most this many, 2^30.
#define TACT_CULL_MAX 0x40000000u

/// The volumes to cull, and the conditions. A volume is kept when it is not outside of the planes and, where boxes are
/// given, not apart from all of them. All bits zero: no volumes, no condition.
typedef struct tact_cull_work {
    tact_cull_kind kind;  ///< type of `volumes`
    const void* volumes;  ///< `count` of them, their ids being 0 to count - 1
    size_t count;         ///< at most TACT_CULL_MAX

    /// The points behind all of the planes, normal . x <= distance: a convex set, such as a frustum
    /// (tact_cull_frustum()). Normals of any length. One with a NaN or an infinity in the normal, or a NaN distance,
    /// has nothing behind it; with a zero normal it has everything behind it if its distance is at least 0, else
    /// nothing; with a distance of infinity everything, of -infinity nothing. Where components of a normal are further
    /// apart than 2^100 the plane culls nothing.
    const tact_plane* planes;
    uint32_t plane_count;  ///< at most TACT_CULL_PLANES_MAX; 0: no condition

    const tact_aabb* boxes;  ///< those that hold no point are ignored; NULL: no condition
    size_t box_count;        ///< 0, with boxes not NULL: nothing is kept
    uint64_t reserved[4];    ///< zeros: room for fields to come
} tact_cull_work;

/// The output of a cull.
typedef struct tact_cull_room {
    uint32_t* ids;     ///< receives at most `capacity` ids; NULL with capacity 0
    size_t capacity;   ///< of `ids`
    size_t* count;     ///< receives how many there are, whatever room there is
    uint8_t* classes;  ///< receives a tact_containment each; NULL: not wanted
} tact_cull_room;

/// Writes the planes of a frustum as tact_cull_volumes() takes them, and returns how many: at most 6, and one that has
/// nothing behind it for a frustum that has nothing inside. Thread-safe.
TACT_API uint32_t tact_cull_frustum(const tact_frustum* frustum, tact_plane planes[TACT_FRUSTUM_PLANES]);

/// Creates a culler. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY.
TACT_API tact_result tact_culler_create(tact_context* context, tact_culler** culler);

/// Destroys the culler, before its context. NULL is allowed.
TACT_API void tact_culler_destroy(tact_culler* culler);

/// Culls volumes. The room's `ids` receive the ids of those that are kept, ascending. When there are more than
/// `capacity` the call returns TACT_INCOMPLETE and nothing is lost: all of them are in tact_cull_last(). `classes`,
/// unless NULL, receive a tact_containment for each volume: OUTSIDE for those not kept; INSIDE only for those that are
/// wholly behind all planes and, where boxes are given, wholly in one of them, which is certain; INTERSECTING for the
/// rest. Classes cost up to twice the time.
///
/// Cost: a pass over the volumes, which are 24 bytes (AABB), 16, 60 and 108, with 13 operations a plane for an AABB, 14
/// for a sphere, 45 for an OBB, 30 for a k-DOP; volumes of which the planes leave something undecided are also tested
/// against the bounds of what the planes enclose (where that is bounded and they are at most 12), which is what catches
/// volumes larger than it. The boxes are put into a tree first (n log n), then a volume visits some log n of
/// its nodes. 5 to 8 bytes of memory a volume, 55 a box (159 for k-DOPs); on a device also the volumes of one chunk.
///
/// Sources: U. Assarsson, T. Moeller, Optimized View Frustum Culling Algorithms for Bounding Boxes, 2000; I. Quilez,
/// Correcting Frustum Culling, 2013; T. Akenine-Moeller and others, Real-Time Rendering, 4th edition, 2018, 22.13 and
/// 22.14; C. Ericson, Real-Time Collision Detection, 2005, 4.4 and 5.2.
///
/// `options` and `report` may be NULL. Errors: INVALID_ARGUMENT, LIMIT, OUT_OF_MEMORY, NO_DEVICE, SHADOW_MISMATCH,
/// CANCELLED; with `no_fallback` also what the device reported.
TACT_API tact_result tact_cull_volumes(tact_culler* culler, const tact_cull_work* work, const tact_cull_room* room,
                                       const tact_query_options* options, tact_query_report* report);

/// Returns all ids of the last tact_cull_volumes() that succeeded, ascending, *count of them; valid until the next.
/// NULL and 0 when there was none.
TACT_API const uint32_t* tact_cull_last(const tact_culler* culler, size_t* count);
