// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Which instances of a scene are behind planes, on the CPU.

#include "cpu_ref/cull/cull.h"
#include "cpu_ref/trace/scene.h"

/// Writes a tact_containment for each instance, by id: that of its world box as tact_cull_volumes() defines it, OUTSIDE
/// for those removed or without triangles. The definition: one instance after the other. `classes` has by_id_count
/// places.
void tact_top_cull_reference(const tact_trace_scene* scene, const tact_cull_table* table, uint8_t* classes);

/// The same bytes by the tree over instances.
void tact_top_cull_cpu(const tact_trace_scene* scene, const tact_cull_table* table, uint8_t* classes);
