// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the rows of picks have in common: inputs 0 to 3 are a scene, a view, a region and its lasso.

#include "core/query/request.h"
#include "tact/pick.h"

tact_pick_view tact_request_view(const tact_request* request);
tact_pick_region tact_request_region(const tact_request* request);

/// Whether there is one view and one region.
const char* tact_pick_check_request(const tact_request* request);
