// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Triangles of many objects that overlap, on a device: the objects of candidate pairs are brought there; images may
/// leave out what is alone (image.h); what is left of each two objects is tested by boxes, then in single
/// precision, and what cannot be told so is decided by the host, exactly.
///
/// By boxes: what is left of each object, large ones sorted along a Morton curve, becomes the leaves of a tree in which
/// four neighbours have a box together, four of these one, and so on; the trees of all candidate pairs are gone down
/// together, a list of pairs of places at a time. A list that would outgrow its buffer gets a larger one, or is gone
/// through in pieces. A run whose like was there before gives all levels to the device at once, with room for somewhat
/// more than there was then; what comes beyond that is opened afterwards, level by level.
///
/// Device memory: 16 bytes a vertex, 12 a triangle of a shape, 64 an object; some 54 a triangle that is left, 40
/// more where large objects are sorted; a list of at most 32 MiB for each level of the trees; and what images take
/// (image.h).

#include "cpu_ref/filter/filter.h"
#include "gpu/device.h"

/// Buffers kept from one run to the next. Belongs to one device.
typedef struct tact_gpu_filter tact_gpu_filter;

/// Enters the device itself, as all of these do.
tact_result tact_gpu_filter_create(tact_device* device, tact_gpu_filter** filter);
/// NULL is allowed.
void tact_gpu_filter_destroy(tact_gpu_filter* filter);

/// The box around the finite vertices of a shape whose vertices are in a buffer of the caller's on this device; lower >
/// upper where there are none.
tact_result tact_gpu_filter_shape_box(tact_gpu_filter* filter, const tact_mesh_desc* shape, tact_aabb* box);

/// The pairs, in order; `counts` of the stages after the boxes, but for
/// objects and triangles of EXACT, and the report's times and memory. Shapes' vertices may
/// be in buffers of the caller's on this device, and nowhere else. Errors: those of the device; UNSUPPORTED where its
/// arithmetic would move vertices elsewhere than the definition does; LIMIT (2^31 pairs); CANCELLED; OUT_OF_MEMORY;
/// with TACT_FILTER_IMAGES_AUTO the run does without images for which the device's buffers are too small.
tact_result tact_gpu_filter_run(tact_gpu_filter* filter, const tact_filter_job* job, tact_filter_list* list,
                                tact_filter_count counts[TACT_FILTER_STAGES], tact_query_report* report);

/// For tests: items of a list at most (no fewer than some hundreds, though); 0: as needed.
void tact_gpu_filter_limit(tact_gpu_filter* filter, uint32_t items);

/// What the last run did.
typedef struct tact_gpu_filter_told {
    uint64_t launches;    ///< of the exact stage
    uint64_t items;       ///< pairs of places that were opened
    uint64_t candidates;  ///< pairs of triangles whose boxes meet
    uint64_t unsure;      ///< that the host looked at
    bool at_once;         ///< all levels were given to the device together
    bool more;            ///< at some level then came more than was launched for
    bool anew;            ///< and more than its list had room for: from there on all was done again
    double scene_ms, image_ms, plan_ms, walk_ms, host_ms, order_ms;
} tact_gpu_filter_told;

const tact_gpu_filter_told* tact_gpu_filter_tell(const tact_gpu_filter* filter);
