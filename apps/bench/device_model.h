// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Descriptions of devices, by which `tact bench --model FILE` predicts times.

#include "apps/problem.h"
#include "tact/context.h"

/// Reads a description: a JSON object of "name" and the numbers of tact_device_model under their names, of which none
/// may be missing; "about" and "source" are for readers.
bool tact_device_model_read(const char* path, tact_device_model* model, tact_problem* problem);

/// The least that what a device was given takes, in milliseconds: its bytes, each way as fast as the link goes, while
/// what kernels read and wrote goes as fast as its memory.
double tact_device_model_floor(const tact_device_model* model, const tact_device_counts* counts);
