// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Picks of a scene by rays through the centres of pixels, in pieces, so that a large frame takes no more memory than a
/// small one. Depths in lists and images are here the bits of t.

#include "core/scene/scene.h"
#include "cpu_ref/pick/found.h"
#include "cpu_ref/pick/view.h"

/// Of which view of which scene an image is.
typedef struct tact_pick_stamp {
    tact_pick_view view;
    uint64_t scene, mesh_version, top_version;
} tact_pick_stamp;

/// Memory that grows, for an array that is written anew each time.
typedef struct tact_pick_room {
    void* memory;
    size_t bytes;
} tact_pick_room;

/// What is kept from call to call. All zeros: nothing yet.
typedef struct tact_pick_caster {
    tact_pick_room pixels, rays;   ///< uint32_t, tact_ray
    tact_pick_room offsets, hits;  ///< uint64_t, tact_hit
    tact_pick_room ids, surfaces;  ///< the image of some rows
    tact_pick_room whole_ids, whole_surfaces;
    bool kept;  ///< the whole view's image is what `stamp` says
    tact_pick_stamp stamp;
} tact_pick_caster;

typedef struct tact_pick_cast {
    tact_scene* scene;
    const tact_pick_view* view;
    const tact_pick_lens* lens;
    const tact_pick_mask* mask;
    const tact_pick_options* options;
    const tact_query_options* query;  ///< not NULL, and with a number of threads
} tact_pick_cast;

void tact_pick_caster_free(tact_env* env, tact_pick_caster* caster);
uint64_t tact_pick_caster_bytes(const tact_pick_caster* caster);

/// What is nearest at each pixel; tact_raycast()'s backends answer. `list` is made anew, in order.
tact_result tact_pick_cast_visible(tact_pick_caster* caster, const tact_pick_cast* cast, tact_query_report* report,
                                   tact_pick_list* list);
/// All that is met at each pixel; tact_raycast_all()'s backends answer.
tact_result tact_pick_cast_all(tact_pick_caster* caster, const tact_pick_cast* cast, tact_query_report* report,
                               tact_pick_list* list);
