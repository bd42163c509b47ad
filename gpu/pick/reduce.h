// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The distinct things of an image of picks, found on a device (OpenGL or OpenCL): tact_pick_reduce() of
/// cpu_ref/pick/found.h with the same answer. Only the things come back, not the pixels (where that is worth it).
/// Between tact_device_enter and tact_device_leave.

#include "cpu_ref/pick/found.h"
#include "gpu/device.h"

/// Keeps its buffers. One may have one answer at a time: whoever has several on their way has several of these.
typedef struct tact_pick_reducer tact_pick_reducer;

tact_result tact_pick_reducer_create(tact_device* device, tact_pick_reducer** reducer);
/// NULL is allowed.
void tact_pick_reducer_destroy(tact_pick_reducer* reducer);

/// Where the things are found; the answer is the same.
typedef enum tact_pick_place {
    TACT_PICK_PLACE_AUTO = 0,  ///< on the device, unless that is this machine's CPU or the image is small
    TACT_PICK_PLACE_DEVICE,
    TACT_PICK_PLACE_HOST  ///< the image is read, in pieces, when the answer is collected
} tact_pick_place;
/// Of what is started from now on.
void tact_pick_reducer_set_place(tact_pick_reducer* reducer, tact_pick_place place);

/// Starts; does not wait. `ids` and `surfaces` hold the image of the mask's box, row after row, from the bottom with
/// `up`; they and the mask's bits must stay as they are until the answer has been collected. An answer that was on its
/// way before is forgotten. INVALID_ARGUMENT: a buffer is too small; LIMIT: 2^31 pixels or more. An image of which no
/// buffer can hold the ids is reduced in parts, see tact_pick_mask_rows().
tact_result tact_pick_reducer_start(tact_pick_reducer* reducer, const tact_pick_mask* mask, const tact_pick_rule* rule,
                                    tact_buffer* ids, tact_buffer* surfaces, bool up);
/// Whether the answer is there, without waiting. INVALID_ARGUMENT: nothing has been started.
tact_result tact_pick_reducer_poll(tact_pick_reducer* reducer, bool* done);
/// The answer, in order. `list` is made anew. May be called again as long as buffers and bits stay.
tact_result tact_pick_reducer_collect(tact_pick_reducer* reducer, tact_pick_list* list);
/// Bytes that came back for the last answer.
uint64_t tact_pick_reducer_bytes(const tact_pick_reducer* reducer);
