// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Several results of the same two solids.

#include "base/env.h"
#include "tact/geometry/mesh_combine.h"

/// As tact_mesh_combine(), of each operation its result; after a failure all are empty.
tact_result tact_solids_combine(tact_env* env, const tact_mesh_view* a, const tact_mesh_view* b,
                                const tact_mesh_operation* operations, size_t count, tact_mesh_copy* copies,
                                tact_mesh_combined* combined);
