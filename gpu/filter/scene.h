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
    /// float4 for each vertex of all shapes that some object taking part has, one shape after the other; w is 0. A
    /// vertex that is not finite may have become another one that is not.
    tact_buffer* vertices;
    tact_buffer* indices;  ///< three words a triangle of these shapes; they count vertices from the buffer's beginning
    tact_buffer* objects;  ///< TACT_FILTER_OBJECT_VECTORS float4 an object, of all: kernels/filter_layout.h
    /// Of the objects that are in some candidate pair, ascending.
    uint32_t* taking_part;
    uint32_t taking_part_count;
    /// All their triangles, as (object, triangle of its shape) in order: how many there are.
    uint32_t triangle_count;
    float lower[3], upper[3];  ///< the box around all of them, from the job's boxes; zeros where there is none
    uint32_t vertex_count;     ///< in `vertices`
    bool* used;                ///< of each shape, whether it is there
    uint32_t* first_vertex;    ///< of each shape, there; of shapes that are not there anything
    tact_buffer* raw;
} tact_gpu_filter_scene;

/// INVALID_ARGUMENT with the detail for a device array that cannot be, LIMIT.
tact_result tact_gpu_filter_scene_make(tact_device* device, const tact_filter_job* job, tact_gpu_filter_scene* scene);
void tact_gpu_filter_scene_release(tact_gpu_filter_scene* scene);

/// Bytes from one vertex of a shape to the next.
static inline size_t tact_gpu_filter_stride(const tact_mesh_desc* shape)
{
    return shape->position_stride ? shape->position_stride : 12;
}

/// Whether the shape's vertices are taken from a buffer of the caller's on this device. Where they are on the host as
/// well, those on the device count.
bool tact_gpu_filter_on_device(tact_device* device, const tact_mesh_desc* shape);

/// Brings a shape's vertices from the caller's buffer to `vertices`, from vertex `first` on; those that are not finite
/// become NaN in all coordinates. `*raw` is a buffer to work with.
tact_result tact_gpu_filter_gather(tact_device* device, const tact_mesh_desc* shape, tact_buffer** raw,
                                   tact_buffer* vertices, uint32_t first);
