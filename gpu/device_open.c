// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// What opening and closing have in common on all backends.

#include <stdio.h>

#include "gpu/device_backend.h"
#include "gpu/device_ring.h"
#include "gpu/probe.h"

/// Words that a buffer has at most: 16 GiB.
static const uint64_t MAX_WORDS = (uint64_t)1 << 32;

/// Makes it the modelled device, for all that looks at it.
static void pretend(tact_device* device, const tact_device_model* model)
{
    tact_device_info* info = &device->info;
    const char* name = info->name;
    device->modelled = (tact_modelled){.on = true, .model = *model};
    snprintf(info->driver, sizeof info->driver, "modelled on %.60s", name);
    snprintf(info->name, sizeof info->name, "%s (modelled)", model->name);
    info->software = false;
    if (model->memory_bytes > 0 && model->memory_bytes < info->memory_bytes) info->memory_bytes = model->memory_bytes;
    if (info->memory_bytes > 0 && info->memory_bytes < info->max_buffer_bytes) {
        info->max_buffer_bytes = info->memory_bytes / 4 * 4;
    }
}

tact_result tact_device_complete(tact_device* opened, const tact_device_open* open, tact_device** device)
{
    *device = NULL;
    opened->queue = open->queue;
    opened->threads = open->threads > 0 ? open->threads : 1;
    if (open->model) pretend(opened, open->model);
    // What is software copies in the host's memory anyway: a ring would be one copy more.
    if (!opened->info.software) opened->slot_bytes = TACT_RING_SLOT_BYTES;
    // Kernels number the words of a buffer in 32 bits: of more than 2^32 words the ends would lie on each other.
    if (opened->info.max_buffer_bytes > MAX_WORDS * 4) opened->info.max_buffer_bytes = MAX_WORDS * 4;
    // Sizes are rounded up to 4, and must then still be within.
    opened->info.max_buffer_bytes -= opened->info.max_buffer_bytes % 4;
    tact_program_cache_open(&opened->cache, open->cache_directory, open->disable_cache);
    const tact_result result = tact_device_enter(opened);
    if (result != TACT_OK) {
        opened->ops->close(opened);
        return result;
    }
    tact_probe_run(opened, &opened->info.probe);
    tact_device_leave(opened);
    if (opened->lost) {
        tact_device_close(opened);
        return tact_fail_within(open->env, TACT_ERROR_NO_DEVICE, "the device was lost while it was opened: ");
    }
    *device = opened;
    return TACT_OK;
}

void tact_device_close(tact_device* device)
{
    if (!device) return;
    TACT_ASSERT(device->env, device->live == 0);
    TACT_ASSERT(device->env, device->entered == 0);
    const bool entered = tact_device_enter(device) == TACT_OK;
    tact_device_drop_programs(device);
    tact_rings_drop(device);
    if (entered) tact_device_leave(device);
    device->ops->close(device);
}
