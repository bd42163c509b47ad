// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Where calibrations are kept between runs: in the user's cache folder, a text file for each device, driver and
/// version of the library. Files are replaced whole, so that many contexts and processes can share them; what is no
/// such file to the last byte counts for nothing.

#include "core/context/context.h"

enum { TACT_COST_FILE_MAX = 32768, TACT_COST_HEAD_MAX = 1024, TACT_COST_WHY_MAX = 192 };

/// Writes what tells a device apart, the first lines of its file. False when that is too long.
bool tact_cost_store_head(const tact_device_info* device, char head[TACT_COST_HEAD_MAX]);

/// The file of a device in a folder. False when the path is too long.
bool tact_cost_store_path(const char* directory, const char* head, char* path, size_t size);

/// The calibrated entries of a table as text, without an end mark; returns its length, 0 when it does not fit.
size_t tact_cost_store_write(const char* head, const tact_cost_table* table, char* text, size_t size);

/// Reads what tact_cost_store_write() wrote for the same head into a table, which is changed only when all is well:
/// entries that are there keep what they learned. False for anything else; `why`, of TACT_COST_WHY_MAX bytes or NULL,
/// then says what is wrong.
bool tact_cost_store_parse(const char* head, const char* text, size_t size, tact_cost_table* table, char* why);

/// Reads what was calibrated for the context's devices, once. What cannot be read is told in the log.
void tact_cost_store_load(tact_context* context);

/// Keeps a device's calibration. False when there is no place for it.
bool tact_cost_store_save(tact_context* context, uint32_t device);

/// Removes a device's file, if there is one. False when it is there still.
bool tact_cost_store_forget(tact_context* context, uint32_t device);
