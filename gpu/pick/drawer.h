// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside of what draws scenes for picking: for scene.c and peel.c.

#include "gpu/pick/reduce.h"
#include "gpu/pick/scene.h"

enum { TACT_PICK_RECORD_VECTORS = 5 };  ///< that a vertex gets of its piece

/// Picking by drawing (peel.c).
typedef struct tact_pick_peel {
    tact_pick_reducer* reducer;
    tact_pick_place place;
    tact_raster_target* target;  ///< of a region; with a third plane for orders where `peels`
    uint32_t size[2];
    bool peels;
    tact_buffer *ids, *surfaces, *orders;  ///< copies of its planes
    tact_raster_target* kept;              ///< of a whole view
    uint32_t kept_size[2];
    bool has_kept;  ///< and what it shows:
    tact_pick_view kept_view;
    uint64_t kept_scene, kept_meshes, kept_top;
} tact_pick_peel;

struct tact_pick_drawer {
    tact_device* device;
    tact_raster* raster;
    tact_raster_program *program, *peel_program;
    tact_pick_pieces pieces;
    tact_buffer *vectors, *records, *commands;  ///< of one batch of pieces
    size_t batch;                               ///< the first piece of that batch; SIZE_MAX: none is there
    uint32_t draws;
    double upload_ms;
    tact_pick_peel peel;
};

/// Finds what is in view: before the draws below, which it is good for until the scene or the view changes.
tact_result tact_pick_drawer_prepare(tact_pick_drawer* drawer, const tact_drawn_scene* scene,
                                     const tact_pick_view* view);
/// Empties the planes of the bound target, `planes` of them.
void tact_pick_drawer_clear(tact_pick_drawer* drawer, const tact_pick_view* view, uint32_t planes);
/// Draws what was prepared.
tact_result tact_pick_drawer_render(tact_pick_drawer* drawer, const tact_drawn_scene* scene, const tact_pick_view* view,
                                    tact_raster_program* program);
/// Lets go of what picking keeps.
void tact_pick_peel_free(tact_pick_drawer* drawer);
