// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Distances of bodies on a device: items go in in chunks, what is found of each comes back; then the contacts of those
/// whose cores overlap.

#include "cpu_ref/contacts/distances.h"
#include "gpu/contacts/contacts.h"

/// Works out items->found. `rows`: how many bodies there are rows of. *resident is NULL the first time; it is made and
/// kept. Fills in the report's times and memory.
tact_result tact_gpu_gaps_run(tact_device* device, tact_gpu_contacts** resident, const tact_gaps_job* job, size_t rows,
                              tact_gap_items* items, tact_query_report* report);
