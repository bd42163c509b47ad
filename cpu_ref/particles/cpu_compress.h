// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include <stdint.h>

/// For each set of eight lanes, the lanes that are in it, ascending, a byte each; zeroes after those.
extern const uint64_t tact_compress_orders[256];
