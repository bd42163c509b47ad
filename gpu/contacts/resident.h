// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What a device keeps for a set of bodies, for its contacts and its casts.

#include "gpu/blocks/blocks.h"
#include "gpu/contacts/contacts.h"

enum { ROW = 16 };

struct tact_gpu_contacts {
    tact_device* device;
    tact_buffer *shapes, *points, *faces, *corners, *edges, *trees, *bodies;
    tact_buffer *pairs, *counts, *items, *bins, *order, *binned;  // of one chunk
    tact_buffer *found, *flags, *kept, *total;
    uint64_t version, tree_version;  // of the shapes that are there
    tact_scan* scan;
    tact_radix_sort* sort;
    tact_compact* compact;
    double share;  // of the items of the last chunk that were contacts
};

/// Makes *resident where it is NULL. Errors: OUT_OF_MEMORY.
tact_result tact_gpu_contacts_make(tact_device* device, tact_gpu_contacts** resident);

/// Brings bytes to a buffer that is made large enough. A failure sticks to the device.
void tact_gpu_bring(tact_gpu_contacts* g, tact_buffer** buffer, const void* data, size_t bytes);

/// Brings the tables of shapes where they have changed.
void tact_gpu_bring_shapes(tact_gpu_contacts* g, const tact_shape_tables* tables);

/// Brings the trees over their parts where they have changed.
void tact_gpu_bring_trees(tact_gpu_contacts* g, const tact_shape_tables* tables);

/// Items that a kernel works out one by one, in chunks: a row goes up for each, and one comes back.
typedef struct tact_gpu_items {
    tact_kernel_id kernel;
    const tact_shape_tables* tables;
    const float4* rows;  ///< of bodies
    size_t row_count;    ///< of `rows`
    const void* items;
    void* found;  ///< receives what comes back
    size_t item_bytes, found_bytes, count;
    void (*launch)(const tact_gpu_contacts* g, size_t count, void* user);
    void* user;
    tact_progress_fn* progress;  ///< NULL, or asked between chunks; false: CANCELLED
    void* progress_user;
} tact_gpu_items;

/// Runs them. Fills in the report's times and memory. Errors: the device's, CANCELLED.
tact_result tact_gpu_items_run(tact_gpu_contacts* g, const tact_gpu_items* items, tact_query_report* report);

/// Bytes of all that is kept.
uint64_t tact_gpu_contacts_bytes(const tact_gpu_contacts* g);
