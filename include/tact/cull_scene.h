// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file cull_scene.h
/// The objects of a scene that are in view.

#include "tact/cull.h"
#include "tact/scene.h"

/// The instances to find. All bits zero: all of them.
typedef struct tact_cull_scene_work {
    /// The points behind all of the planes, as tact_cull_volumes() takes them; those of a frustum by
    /// tact_cull_frustum().
    const tact_plane* planes;
    uint32_t plane_count;  ///< at most TACT_CULL_PLANES_MAX; 0: no condition
    uint32_t first;        ///< only instances from this id on
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_cull_scene_work;

/// Finds the instances of a committed scene that may have a point behind all planes. Conservative as
/// tact_cull_volumes(): an instance is found when tact_cull_volumes() keeps the world box of its mesh, which surely
/// holds its triangles or shapes, so none in view is ever left out. Instances with nothing that can be hit are not
/// found; masks do not matter. The room's `ids` receive the ids, ascending. When there are more than `capacity` the
/// call returns TACT_INCOMPLETE: call again with `first` one more than the last id received, or with room for *count.
/// `classes`, unless NULL, receive a tact_containment for each id received: INSIDE, which is certain, or INTERSECTING.
/// The result is the same on every backend. The CPU descends the tree over instances and skips subtrees wholly in or
/// out of view; OpenGL and OpenCL test all boxes, which are brought there once for a committed state of the scene (24
/// bytes an instance; again by each call where there are more than 2^20), and read the ids in view, or with `classes`
/// four bytes an instance. `options` and `report` may be NULL. Errors: INVALID_ARGUMENT (scene not committed, NULL
/// arrays, too many planes), OUT_OF_MEMORY, SHADOW_MISMATCH, CANCELLED, and with `no_fallback` those of the device.
TACT_API tact_result tact_cull_scene(tact_scene* scene, const tact_cull_scene_work* work, const tact_cull_room* room,
                                     const tact_query_options* options, tact_query_report* report);
