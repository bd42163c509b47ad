// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the device holds of a scene to draw it, and which parts of the scene a view may show.

#include "cpu_ref/trace/scene.h"
#include "gpu/device.h"
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
