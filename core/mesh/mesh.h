// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a mesh.

#include "core/context/context.h"
#include "core/context/residents.h"
#include "cpu_ref/overlap/overlap_mesh.h"
#include "cpu_ref/overlap/separation_volumes.h"
#include "tact/mesh.h"

struct tact_mesh {
    tact_context* context;
    tact_overlap_mesh shape;
    double build_ms;
    uint64_t version;                      ///< counts moves of the vertices, so that what was made of them can tell
    tact_separation_volumes volumes;       ///< for separation, made when first needed
    uint64_t volumes_version;              ///< the version that they are of
    tact_resident kept[TACT_MAX_DEVICES];  ///< what each device keeps for this mesh
};
