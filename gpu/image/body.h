// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// An object of an image-space test on the device: vertices, indices, and the bounds that the view is fitted to. Calls
/// lie between tact_device_enter and tact_device_leave.

#include "gpu/blocks/reduce.h"
#include "gpu/raster.h"
#include "tact/image_space.h"

/// Buffers that are kept for the next object. All zeros at first.
typedef struct tact_image_stage {
    tact_device* device;
    tact_buffer *raw, *vertices, *indices, *inner, *outer, *words;
    tact_reduce* reduce;
    tact_raster_mesh mesh;     ///< instances are not set
    tact_image_bounds bounds;  ///< lower > upper: the object has no vertices
} tact_image_stage;

/// Brings an object's vertices and indices to where they can be drawn, and finds its bounds. INVALID_ARGUMENT: the
/// detail says what is wrong with the object; `name` is what it is called there.
tact_result tact_image_stage_body(tact_image_stage* stage, const tact_image_body* body, const char* name);
void tact_image_stage_release(tact_image_stage* stage);
