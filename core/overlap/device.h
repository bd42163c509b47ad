// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Overlap of meshes on the devices of a context. Only where the library has any (TACT_HAVE_GPU).

#include "core/mesh/mesh.h"
#include "cpu_ref/overlap/overlap.h"

/// A tact_mesh_relation for each pose. What is inside what is found on the CPU, for the poses in which no triangles
/// overlap.
tact_result tact_overlap_relations_device(uint32_t device, tact_mesh* a, tact_mesh* b, const tact_overlap_job* job,
                                          bool solid, uint8_t* relations, tact_query_report* report);

/// Bytes that must go to the device before it can answer.
double tact_overlap_device_missing(uint32_t device, const tact_mesh* a, const tact_mesh* b);

tact_result tact_overlap_pairs_device(uint32_t device, tact_mesh* a, tact_mesh* b, const tact_overlap_job* job,
                                      tact_overlap_list* list, tact_query_report* report);
