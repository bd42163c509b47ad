// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Contacts of bodies on a device: pairs become pairs of parts, these are put in bins of like kinds, and contacts with
/// points come back.

#include "cpu_ref/contacts/contacts.h"
#include "gpu/device.h"

/// What a device keeps for a set of bodies between calls.
typedef struct tact_gpu_contacts tact_gpu_contacts;

typedef struct tact_gpu_contacts_job {
    const tact_shape_tables* tables;
    const tact_body* bodies;     ///< by id
    const float4* rows;          ///< of each
    size_t body_end;             ///< one more than the largest id
    const tact_pair* pairs;      ///< sorted; NULL: they are in `there`
    tact_buffer* there;          ///< on the device
    const tact_pair* parts;      ///< of each of `pairs`; NULL: those that may touch are found
    size_t count;                ///< of pairs
    int threads;                 ///< for what the host does
    tact_progress_fn* progress;  ///< NULL, or asked between pieces of long work; false: CANCELLED
    void* progress_user;
    tact_contact** contacts;  ///< an array that grows, of `*capacity`; receives them, sorted
    size_t* capacity;
    size_t found;  ///< filled in: how many there are
} tact_gpu_contacts_job;

/// Finds the contacts. *resident is NULL the first time; it is made and kept. Fills in the report's times and memory.
/// Errors: the device's, CANCELLED, LIMIT, OUT_OF_MEMORY.
tact_result tact_gpu_contacts_run(tact_device* device, tact_gpu_contacts** resident, tact_gpu_contacts_job* job,
                                  tact_query_report* report);

/// Releases a tact_gpu_contacts.
void tact_gpu_contacts_release(void* resident);
