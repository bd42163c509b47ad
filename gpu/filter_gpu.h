// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Triangles of many objects that overlap, on a device: the objects of candidate pairs are brought there; on OpenGL
/// images leave out what is alone (filter_image.h); what is left of each two objects is tested by boxes, then in single
/// precision, and what cannot be told so is decided by the host, exactly.

#include "cpu_ref/filter/filter.h"
#include "gpu/device.h"

/// Buffers and shaders kept from one run to the next. Belongs to one device.
typedef struct tact_gpu_filter tact_gpu_filter;

/// Enters the device itself, as all of these do.
tact_result tact_gpu_filter_create(tact_device* device, tact_gpu_filter** filter);
/// NULL is allowed.
void tact_gpu_filter_destroy(tact_gpu_filter* filter);

/// The box around the finite vertices of a shape whose vertices are in a buffer of the caller's on this device.
tact_result tact_gpu_filter_shape_box(tact_gpu_filter* filter, const tact_filter_shape* shape, tact_aabb* box);

/// The pairs, in order; `counts` of the stages after the boxes, and the report's times and memory. Shapes' vertices may
/// be in buffers of the caller's on this device. Errors: those of the device; UNSUPPORTED where its arithmetic would
/// move vertices elsewhere than the definition does; LIMIT; CANCELLED; OUT_OF_MEMORY.
tact_result tact_gpu_filter_run(tact_gpu_filter* filter, const tact_filter_job* job, tact_filter_list* list,
                                tact_filter_count counts[TACT_FILTER_STAGES], tact_query_report* report);
