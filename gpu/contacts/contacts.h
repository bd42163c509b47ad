// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Contacts of bodies on a device: pairs go in in chunks, a manifold comes back for each.

#include "cpu_ref/contacts/contacts.h"
#include "gpu/device.h"

/// What a device keeps for a set of bodies between calls.
typedef struct tact_gpu_contacts tact_gpu_contacts;

/// Works out job->contacts. `bodies`: how many there are rows of. *resident is NULL the first time; it is made and
/// kept. Fills in the report's times and memory.
tact_result tact_gpu_contacts_run(tact_device* device, tact_gpu_contacts** resident, const tact_contacts_job* job,
                                  size_t bodies, tact_query_report* report);

/// Releases a tact_gpu_contacts.
void tact_gpu_contacts_release(void* resident);
