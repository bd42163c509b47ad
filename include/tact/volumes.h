// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file volumes.h
/// Persistent sets of bounding volumes, AABBs or spheres, that can be added to, removed from and moved: the input of
/// the broad phase (pairs.h). Any unit, one frame.
///
/// A volume that holds no point takes no part in any pair and is no error: an AABB with a NaN or with lower > upper on
/// some axis; a sphere with a NaN, an infinity or a negative radius. AABBs may have infinite bounds.
///
/// Ids are small integers from 0. An id that was removed is used again, the smallest first.

#include "tact/device_array.h"
#include "tact/geometry/types.h"

/// A set of AABBs or of spheres.
typedef struct tact_volumes tact_volumes;

/// The kind of volumes in a set.
typedef enum tact_volume_kind {
    TACT_VOLUME_AABB = 0,
    TACT_VOLUME_SPHERE = 1,
} tact_volume_kind;

/// Ids of a set are below this, 2^30.
#define TACT_MAX_VOLUMES 0x40000000u

/// The volumes that may pair: a and b do when a.category & b.mask and b.category & a.mask both have a bit.
typedef struct tact_categories {
    uint32_t category;  ///< what this volume is, as bits
    uint32_t mask;      ///< the categories it pairs with
} tact_categories;

/// @def TACT_CATEGORIES_ALL
/// Categories of a volume that was given none, both fields 0xffffffff: it pairs with everything whose mask allows it.

#ifdef __cplusplus
#define TACT_CATEGORIES_ALL (tact_categories{0xffffffffu, 0xffffffffu})
#else
#define TACT_CATEGORIES_ALL ((tact_categories){0xffffffffu, 0xffffffffu})
#endif

/// All bits zero asks for the defaults.
typedef struct tact_volumes_desc {
    tact_volume_kind kind;  ///< the same for all volumes of the set; default: AABBs
    size_t reserve;         ///< volumes to make room for now
    uint64_t reserved[4];   ///< zeros: room for fields to come
} tact_volumes_desc;

/// Creates an empty set. `desc` may be NULL. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY.
TACT_API tact_result tact_volumes_create(tact_context* context, const tact_volumes_desc* desc, tact_volumes** set);

/// Destroys a set and what it holds on devices. Trackers of it must have been destroyed before. NULL is allowed.
TACT_API void tact_volumes_destroy(tact_volumes* set);

/// Adds `count` volumes, which are copied. Their ids are written to `ids` unless that is NULL. On an empty set that
/// never had a volume removed they are 0 to count - 1. `categories` (NULL: TACT_CATEGORIES_ALL) and `user_data` (NULL:
/// 0) hold one entry for each volume. Errors: INVALID_ARGUMENT (the other kind of set; the set reads from a device
/// array), LIMIT, OUT_OF_MEMORY; the set is then as before.
TACT_API tact_result tact_volumes_add_aabbs(tact_volumes* set, const tact_aabb* boxes, size_t count,
                                            const tact_categories* categories, const uint64_t* user_data,
                                            uint32_t* ids);
TACT_API tact_result tact_volumes_add_spheres(tact_volumes* set, const tact_sphere* spheres, size_t count,
                                              const tact_categories* categories, const uint64_t* user_data,
                                              uint32_t* ids);

/// Removes volumes. Errors: INVALID_ARGUMENT (an id that is not in the set, or twice in the list; the detail says
/// which; nothing is removed), OUT_OF_MEMORY.
TACT_API tact_result tact_volumes_remove(tact_volumes* set, const uint32_t* ids, size_t count);

/// Removes all volumes and keeps the memory.
TACT_API void tact_volumes_clear(tact_volumes* set);

/// Gives volumes a new place and size. `ids` NULL stands for 0 to count - 1. Errors: INVALID_ARGUMENT (an id that is
/// not in the set, the other kind of set; nothing is moved).
TACT_API tact_result tact_volumes_move_aabbs(tact_volumes* set, const uint32_t* ids, const tact_aabb* boxes,
                                             size_t count);
TACT_API tact_result tact_volumes_move_spheres(tact_volumes* set, const uint32_t* ids, const tact_sphere* spheres,
                                               size_t count);

/// Gives volumes new categories. `ids` as above. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY; nothing is changed then.
TACT_API tact_result tact_volumes_set_categories(tact_volumes* set, const uint32_t* ids,
                                                 const tact_categories* categories, size_t count);

/// Sets or gets the number that the caller attaches to a volume. Errors: INVALID_ARGUMENT (not in the set),
/// OUT_OF_MEMORY.
TACT_API tact_result tact_volumes_set_user_data(tact_volumes* set, uint32_t id, uint64_t user_data);
TACT_API tact_result tact_volumes_get_user_data(const tact_volumes* set, uint32_t id, uint64_t* user_data);

/// Tests whether the id is in the set.
TACT_API bool tact_volumes_contains(const tact_volumes* set, uint32_t id);

/// Returns the number of volumes in the set, those that hold no point included.
TACT_API size_t tact_volumes_count(const tact_volumes* set);

/// Returns one more than the largest id used since the set was made or cleared: the length of arrays indexed by id.
TACT_API size_t tact_volumes_id_end(const tact_volumes* set);

/// Gets a volume as it was given; an AABB that holds no point comes back as all NaN. Errors: INVALID_ARGUMENT (not in
/// the set, the other kind).
TACT_API tact_result tact_volumes_get_aabb(const tact_volumes* set, uint32_t id, tact_aabb* box);
TACT_API tact_result tact_volumes_get_sphere(const tact_volumes* set, uint32_t id, tact_sphere* sphere);

/// Makes the set read `count` volumes, with ids 0 to count - 1, from a device buffer (tact_aabb: 6 floats each,
/// tact_sphere: 4) whenever a query runs; nothing is copied but where a query runs elsewhere. The buffer still belongs
/// to the caller and must live until the set is bound again or destroyed; commands that write it must be issued before
/// the query (OpenGL: followed by glMemoryBarrier where shaders write). Adding, removing and moving are errors
/// meanwhile; categories and user data may be set. What the set held before is removed. NULL unbinds and leaves the set
/// empty. Errors: INVALID_ARGUMENT (the context has no such device, or made it itself; a buffer too small),
/// OUT_OF_MEMORY.
TACT_API tact_result tact_volumes_bind(tact_volumes* set, const tact_device_array* array, size_t count);
