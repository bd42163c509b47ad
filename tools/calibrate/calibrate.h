// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Calibration at first use.

#include "core/dispatch/dispatch.h"
#include "tact/calibrate.h"

/// How long calibration at first use measures, in milliseconds: it may overrun by what it is in the middle of.
#define TACT_CALIBRATE_FIRST_USE_MS 100.0

/// Measures the sample work of a query's method on the devices of `list`, unless that was tried before in this context.
/// Whether it was measured now. Failures are logged and nothing more.
bool tact_calibrate_first_use(tact_context* context, const char* query, const char* method, const uint32_t* devices,
                              size_t count);
