// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What a device keeps for a set of bodies, for its contacts and its casts.

#include "gpu/contacts/contacts.h"

enum { ROW = 16 };

struct tact_gpu_contacts {
    tact_device* device;
    tact_buffer *shapes, *points, *faces, *corners, *edges, *bodies;
    tact_buffer *items, *found;  // of one chunk
    uint64_t version;            // of the shapes that are there
    uint32_t (*rows)[TACT_MANIFOLD_ROWS][4];
    uint32_t (*pairs)[4];  // a chunk's: two bodies and two parts
    size_t row_capacity, pair_capacity;
};

/// Makes *resident where it is NULL. Errors: OUT_OF_MEMORY.
tact_result tact_gpu_contacts_make(tact_device* device, tact_gpu_contacts** resident);

/// Brings bytes to a buffer that is made large enough. A failure sticks to the device.
void tact_gpu_bring(tact_gpu_contacts* g, tact_buffer** buffer, const void* data, size_t bytes);

/// Brings the tables of shapes where they have changed.
void tact_gpu_bring_shapes(tact_gpu_contacts* g, const tact_shape_tables* tables);
