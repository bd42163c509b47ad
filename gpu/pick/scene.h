// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Draws a scene that the library holds into planes of picks, on OpenGL; and picks by that.

#include "cpu_ref/trace/scene.h"
#include "gpu/pick/reduce.h"
#include "gpu/pick/scene_data.h"
#include "gpu/raster.h"

/// A committed scene, and where what the device keeps of it stays from draw to draw: *data is NULL at first, and to be
/// released by tact_pick_scene_data_release().
typedef struct tact_drawn_scene {
    const tact_trace_scene* trace;
    tact_pick_scene_data** data;
} tact_drawn_scene;

/// Programs to draw scenes by, and buffers.
typedef struct tact_pick_drawer tact_pick_drawer;

tact_result tact_pick_drawer_create(tact_device* device, tact_pick_drawer** drawer);
/// NULL is allowed.
void tact_pick_drawer_destroy(tact_pick_drawer* drawer);
/// The layer it draws by.
tact_raster* tact_pick_drawer_raster(tact_pick_drawer* drawer);

/// Where tact_pick_drawer_pick() finds the distinct things of what was drawn, for tests: the answer is the same.
void tact_pick_drawer_set_place(tact_pick_drawer* drawer, tact_pick_place place);

/// Draws all that is in view into the target that is bound, from its lowest left pixel on: colours 0 RGBA32UI
/// (tact_pick_ids), 1 RG32UI (tact_pick_surface), and a depth buffer, which is used for itself: the view's depth is
/// that of the surfaces. Clears it first. Primitives are those of the mesh; barycentrics are not known. Between
/// tact_raster_begin and tact_raster_end.
tact_result tact_pick_drawer_draw(tact_pick_drawer* drawer, const tact_drawn_scene* scene, const tact_pick_view* view);

/// Picks by drawing: VISIBLE, and ALL by peeling. Fills in `list` in order, from the pixels of `mask`. `query`:
/// progress. With `keep` the whole view is drawn unless that was done with the same scene and view before.
tact_result tact_pick_drawer_pick(tact_pick_drawer* drawer, const tact_drawn_scene* scene, const tact_pick_view* view,
                                  const tact_pick_mask* mask, const tact_pick_options* options,
                                  const tact_query_options* query, tact_query_report* report, tact_pick_list* list);
