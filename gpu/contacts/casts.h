// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Casts through bodies on a device: items go in in chunks, what becomes of each comes back.

#include "cpu_ref/contacts/casts.h"
#include "gpu/contacts/contacts.h"

/// Works out items->outcomes. *resident is NULL the first time; it is made and kept. Fills in the report's times and
/// memory.
tact_result tact_gpu_casts_run(tact_device* device, tact_gpu_contacts** resident, const tact_casts_job* job,
                               tact_cast_items* items, tact_query_report* report);
