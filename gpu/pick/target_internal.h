// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a pick target: for target.c (planes and drawing), ring.c (requests) and their tests.

#include "cpu_ref/pick/found.h"
#include "gpu/pick/reduce.h"
#include "gpu/pick/scene.h"
#include "gpu/pick/target.h"
#include "gpu/raster_state.h"

enum {
    TACT_PICK_RING_MAX = 64,
    TACT_PICK_RING_DEFAULT = 3,
    /// Boxes of no more pixels come back as they are: 24 bytes each, less than what a reduction's launches cost.
    TACT_PICK_HOST_PIXELS = 64 * 64
};

/// What everything is drawn to.
typedef struct tact_pick_planes_of {
    uint32_t width, height, samples;  ///< samples 1: not multisampled
    uint32_t stored_samples;          ///< as many as were asked for, or more
    GLuint textures[2];
    GLuint framebuffer;  ///< with both at outputs 0 and 1
    GLuint depth;        ///< of the framebuffer; made at the first pass of its own
} tact_pick_planes_of;

/// A request. Free while `ticket` is 0; keeps its memory.
typedef struct tact_pick_slot {
    tact_pick_ticket ticket;
    tact_pick_view view;
    uint64_t revision;
    tact_pick_mask mask;
    tact_pick_rule rule;
    bool on_host;   ///< the pixels come back as they are
    bool answered;  ///< `list` is filled in
    GLuint pixels;  ///< on_host: first plane, then from `surfaces_at` on the second one
    size_t pixels_bytes, surfaces_at;
    tact_fence* fence;
    tact_buffer *ids, *surfaces;  ///< else
    tact_pick_reducer* reducer;
    tact_pick_list list;
} tact_pick_slot;

struct tact_gpu_pick_target {
    tact_device* device;
    tact_env* env;
    const GladGLContext* gl;
    bool adopted;  ///< the context is the caller's
    tact_pick_planes_of planes;

    tact_pick_view view;  ///< of what was drawn
    int32_t x, y;         ///< its lower left corner
    uint64_t revision;
    bool drawn;  ///< there is a view
    bool whole;  ///< and the planes are still those that it was drawn to
    bool fresh;  ///< and not emptied since

    bool begun;
    tact_raster_whole saved;

    tact_pick_drawer* drawer;
    tact_raster_target* scene_target;  ///< the framebuffer, for the drawer
    GLuint resolver;                   ///< program; 0: not needed so far

    uint32_t ring;
    uint64_t next;  ///< number of the next request, from 1
    uint32_t host_pixels;
    tact_pick_place place;  ///< where larger regions are reduced
    tact_pick_slot slots[TACT_PICK_RING_MAX];
};

/// Fails with DEVICE_LOST, or does nothing.
tact_result tact_pick_target_usable(const tact_gpu_pick_target* target);
/// Clears the slots and gives back all they hold.
void tact_pick_ring_free(tact_gpu_pick_target* target);
