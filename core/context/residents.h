// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Data that an object keeps for others, such as copies on a device: whoever makes it says how to release it.

#include <stddef.h>

#include "core/context/cost_model.h"

/// All zeros: nothing is kept.
typedef struct tact_resident {
    void* data;
    void (*release)(void* data);  ///< never called with NULL
    tact_cost_rent rent;          ///< what it would have spared where it was not there
} tact_resident;

/// Keeps `data`, which may be what was kept before or NULL.
static inline void tact_resident_keep(tact_resident* resident, void* data, void (*release)(void* data))
{
    resident->data = data;
    resident->release = release;
}

/// Releases what is kept.
static inline void tact_resident_release(tact_resident* resident)
{
    if (resident->data) resident->release(resident->data);
    resident->data = NULL;
}

/// Releases `count` of them, the first ones first.
static inline void tact_residents_release(tact_resident* residents, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        tact_resident_release(&residents[i]);
}
