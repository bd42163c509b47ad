// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the rows of picks have in common: inputs 0 to 3 are a scene, a view, a region and its lasso.

#include "core/query/sample.h"
#include "tact/pick.h"

enum {
    TACT_VIEW_WORDS = 23,  ///< matrix, order, depth, reversed, width, height, left, top
    TACT_REGION_WORDS = 8  ///< shape, x, y, radius, rectangle
};

void tact_pick_view_words(const tact_pick_view* view, uint32_t words[TACT_VIEW_WORDS]);
void tact_pick_region_words(const tact_pick_region* region, uint32_t words[TACT_REGION_WORDS]);

/// The corners of a region; none where it is no lasso.
tact_given tact_pick_lasso(const tact_pick_region* region);

tact_pick_view tact_request_view(const tact_request* request);
tact_pick_region tact_request_region(const tact_request* request);

/// A view of a mixed scene and a region of it, for the rows' samples. OUT_OF_MEMORY.
tact_result tact_pick_sample(tact_sample* sample, const tact_pick_region* region);

/// Whether there is one view and one region.
const char* tact_pick_check_request(const tact_request* request);
