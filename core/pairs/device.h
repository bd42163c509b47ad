// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The pair query's GPU backends.

#include "core/dispatch/dispatch.h"
#include "core/pairs/pairs.h"

tact_result tact_pairs_run_device(tact_context* context, uint32_t index, void* arguments,
                                  const tact_query_options* options, tact_query_report* report);
tact_cost tact_pairs_cost_device(const tact_device_info* device, uint32_t index, const void* arguments);
