// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside the filter of many objects.

#include "core/context/context.h"
#include "core/context/residents.h"
#include "cpu_ref/filter/filter.h"
#include "tact/volumes.h"

#ifdef TACT_HAVE_GPU
#include "gpu/filter/filter.h"
#endif

struct tact_filter {
    tact_context* context;
    tact_volumes* set;       ///< the objects' boxes
    tact_mesh_desc* shapes;  ///< of a run, strides filled in; positions too where vertices were read from a device
    size_t shape_capacity;
    tact_aabb* shape_boxes;  ///< of shapes whose vertices stay on a device
    size_t shape_box_capacity;
    tact_aabb* boxes;
    size_t box_capacity;
    char* read;  ///< vertices read from devices
    size_t read_capacity;
    tact_resident kept[TACT_MAX_DEVICES];  ///< what each device keeps for this filter
};

/// Checks what the caller gives and copies the shapes. Errors as tact_filter_meshes() says, and OUT_OF_MEMORY.
tact_result tact_filter_check(tact_filter* filter, const tact_mesh_desc* shapes, size_t shape_count,
                              const tact_filter_object* objects, size_t object_count,
                              const tact_filter_options* options);
