// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the device holds of a scene to draw it, and which parts of the scene a view may show.

#include "cpu_ref/trace/scene.h"
#include "gpu/device.h"
#include "gpu/pick/reduce.h"
#include "gpu/raster.h"
#include "tact/pick.h"

/// A mesh's triangles lie in the order of its tree's leaves, so that every subtree is a range of them: the scene's
/// slots, without those that are free.
typedef struct tact_pick_mesh_place {
    uint32_t first_vertex;
    uint32_t first_slot, slots;  ///< of all meshes' triangles but the skipped ones
} tact_pick_mesh_place;

typedef struct tact_pick_scene_data {
    tact_device* device;
    uint64_t mesh_version;
    tact_buffer* vertices;    ///< three floats each
    tact_buffer* indices;     ///< three words a slot, counted within the mesh
    tact_buffer* primitives;  ///< of each slot: the triangle of the mesh
    tact_pick_mesh_place* meshes;
    size_t mesh_count;
    uint32_t* taken_before;  ///< of each block of the scene: slots of earlier ones that are not free
} tact_pick_scene_data;

/// Brings what the device holds up to date. *data is NULL at first, and the scene's own: NULL or valid also after a
/// failure. Between tact_device_enter and tact_device_leave.
tact_result tact_pick_scene_data_update(tact_device* device, const tact_trace_scene* scene,
                                        tact_pick_scene_data** data);
/// Releases a tact_pick_scene_data. NULL is allowed.
void tact_pick_scene_data_release(void* data);
/// Before buffers that draws read are written again or let go. On devices that run on this machine's CPU it waits for
/// the draws: llvmpipe (Mesa 22.3) shades fragments later than it says, from what storage buffers hold by then.
tact_result tact_pick_scene_data_settle(tact_device* device);
uint64_t tact_pick_scene_data_bytes(const tact_pick_scene_data* data);

/// Triangles of an instance.
typedef struct tact_pick_piece {
    uint32_t instance;
    uint32_t first, count;  ///< slots
} tact_pick_piece;

/// A list of pieces, kept from draw to draw.
typedef struct tact_pick_pieces {
    tact_pick_piece* items;
    size_t count, capacity;
    uint64_t triangles;  ///< of all pieces
} tact_pick_pieces;

/// Every triangle that may be seen at a pixel's centre, in order of instance and slot. In double precision, so that
/// tiny windows far from the origin lose nothing.
tact_result tact_pick_pieces_cull(tact_env* env, const tact_trace_scene* scene, const tact_pick_scene_data* data,
                                  const tact_pick_view* view, tact_pick_pieces* pieces);
void tact_pick_pieces_free(tact_env* env, tact_pick_pieces* pieces);

/// A matrix to clip space, from the world or from an object.
typedef struct tact_pick_rows {
    double at[4][4];
} tact_pick_rows;
tact_pick_rows tact_pick_view_rows(const tact_pick_view* view);
tact_pick_rows tact_pick_object_rows(const tact_pick_rows* world, const float object_to_world[12]);

// Draws a scene that the library holds into planes of picks, on OpenGL; and picks by that.

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
