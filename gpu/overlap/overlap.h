// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Overlap of two meshes on a device: both trees are gone down together, a list of pairs of places at a time, for many
/// poses at once; pairs of triangles are told apart or meeting in single precision, and what cannot be told so is
/// decided by the host, exactly.
///
/// Device memory: some 85 bytes a triangle for each mesh, and for the lists at most 60 MiB: a list that would outgrow
/// its buffer is gone through in pieces.

#include "cpu_ref/overlap/overlap.h"
#include "gpu/device.h"

/// What a device keeps for a mesh between queries.
typedef struct tact_gpu_mesh tact_gpu_mesh;

typedef struct tact_gpu_overlap_job {
    const tact_overlap_job* query;
    tact_gpu_mesh **resident_a, **resident_b;  ///< NULL the first time; made and kept; the same for the same mesh
    uint64_t version_a, version_b;             ///< change when the meshes do
    uint32_t capacity;                         ///< of the list of items, for tests; 0: by the work at hand
    uint8_t* overlaps;                         ///< 1 for each pose with a pair, else 0; NULL: all pairs go to `list`
    tact_overlap_list* list;
    // Filled in:
    uint64_t leaf_pairs;  ///< tested
    uint64_t unsure;      ///< pairs of triangles that the host looked at
    uint64_t launches;
} tact_gpu_overlap_job;

/// Fills in the report's times and memory. Errors: those of the device; UNSUPPORTED where its arithmetic would move
/// vertices elsewhere than the definition does; LIMIT, when a mesh is larger than a kernel can bind, or for more than
/// 2^31 pairs; CANCELLED; OUT_OF_MEMORY.
tact_result tact_gpu_overlap(tact_device* device, tact_gpu_overlap_job* job, tact_query_report* report);

/// Whether a device holds that version of a mesh, so that it need not be brought. NULL: no.
bool tact_gpu_mesh_holds(const tact_gpu_mesh* resident, uint64_t version);

/// Releases a tact_gpu_mesh.
void tact_gpu_mesh_release(void* resident);
