// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The shapes and objects of a filter's run on a device. Calls lie between tact_device_enter and tact_device_leave.

#include "cpu_ref/filter/filter.h"
#include "gpu/device.h"
#include "kernels/filter_layout.h"

/// Buffers that are kept from run to run. All zeros at first.
typedef struct tact_gpu_filter_scene {
    tact_device* device;
    tact_buffer* vertices;  ///< float4 for each vertex of all shapes, one shape after the other
    tact_buffer* indices;   ///< three words a triangle of all shapes; they count vertices from the buffer's beginning
    tact_buffer* objects;   ///< TACT_FILTER_OBJECT_VECTORS float4 an object: kernels/filter_layout.h
    /// Of the objects that are in some candidate pair, ascending.
    uint32_t* taking_part;
    uint32_t taking_part_count;
    /// All their triangles, as (object, triangle of its shape) in order: how many there are.
    uint32_t triangle_count;
    float lower[3], upper[3];  ///< the box around all of them, from the job's boxes
    float largest;             ///< of all coordinates of these boxes, the greatest size
    tact_buffer* raw;
} tact_gpu_filter_scene;

/// INVALID_ARGUMENT with the detail for a device array that cannot be, LIMIT.
tact_result tact_gpu_filter_scene_make(tact_device* device, const tact_filter_job* job, tact_gpu_filter_scene* scene);
void tact_gpu_filter_scene_release(tact_gpu_filter_scene* scene);
