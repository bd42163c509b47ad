// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The two meshes that a request is asked of, for rows.

#include "core/query/request.h"
#include "tact/mesh_overlap.h"

/// Makes them of their descriptions where they are not there yet: objects[0] and [1], which is the first where the two
/// are one description, and NULL where there is no second. Errors: those of tact_mesh_create(), as tact_request_fail().
tact_result tact_request_meshes(tact_request* request);

/// Input 2.
const float (*tact_request_poses(const tact_request* request))[12];
