// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What came of a viewing, as JSON.

#include "apps/view/state.h"
#include "apps/view/window.h"

typedef struct tact_view_outcome {
    uint64_t frames;
    double frame_ms;  ///< the mean, without the first
    uint32_t samples;
    uint64_t gl_errors;
    char device[128];
    bool software;
    tact_view_particles_info particles;
} tact_view_outcome;

bool tact_view_report(const tact_view* view, const tact_view_options* options, const tact_view_outcome* outcome,
                      tact_problem* problem);
