// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/device_backend.h"

// The struct of arguments holds the buffers, then the values, of four bytes each.
static tact_result check_args(tact_device* device, const tact_kernel* kernel, const void* args, size_t size)
{
    tact_env* env = device->env;
    const size_t needed =
        kernel->buffer_count * sizeof(tact_buffer*) + (kernel->param_count - kernel->buffer_count) * sizeof(uint32_t);
    if (size < needed || size - needed >= sizeof(tact_buffer*)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s takes arguments of %zu bytes, not %zu", kernel->name,
                         needed, size);
    }
    tact_buffer* const* buffers = args;
    for (size_t i = 0; i < kernel->buffer_count; ++i) {
        if (!buffers[i] || buffers[i]->device != device) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s: %s is %s", kernel->name, kernel->params[i].name,
                             buffers[i] ? "a buffer of another device" : "no buffer");
        }
    }
    return TACT_OK;
}

// Spreads groups over two axes. Items are numbered in 32 bits, so more would be numbered twice.
static tact_result split_groups(tact_device* device, const tact_kernel* kernel, uint32_t groups, uint32_t* x,
                                uint32_t* y)
{
    const uint32_t most = device->info.max_groups;
    const uint32_t rows = groups / most + (groups % most != 0);
    const uint32_t columns = groups / rows + (groups % rows != 0);
    if (rows > most || (uint64_t)rows * columns > ((uint64_t)1 << 32) / kernel->group) {
        return tact_fail(device->env, TACT_ERROR_LIMIT, "%s: %u groups of %u are more than can be numbered",
                         kernel->name, groups, kernel->group);
    }
    *x = columns;
    *y = rows;
    return TACT_OK;
}

/// Launches a kernel, by the modelled device's clock where there is one.
static tact_result run(tact_device* device, tact_program* program, const tact_kernel* kernel, const uint32_t axes[2],
                       tact_buffer* const* buffers, const uint32_t* values)
{
    tact_modelled* m = &device->modelled;
    tact_modelled_enter(m);
    tact_result result = device->ops->launch(device, program, kernel, axes[0], axes[1], buffers, values);
    if (!m->on || result != TACT_OK) return result;
    uint32_t rows[4 * TACT_METER_ROWS] = {0};
    result = device->ops->meter(device, rows);
    const tact_meter meter = tact_meter_sum(rows);
    const uint64_t bound = tact_buffer_sizes((const tact_buffer* const*)buffers, kernel->buffer_count);
    device->counts.kernel_bytes += meter.bytes;
    device->counts.memory_bytes += meter.bytes < bound ? meter.bytes : bound;
    tact_modelled_command(m, tact_modelled_kernel_ms(&m->model, &meter, bound));
    return result;
}

static tact_result launch(tact_device* device, const tact_kernel* kernel, tact_program** program, uint32_t groups,
                          const void* args, size_t size)
{
    tact_result result = check_args(device, kernel, args, size);
    if (result != TACT_OK || groups == 0) return result;
    uint32_t axes[2] = {0, 0};
    result = split_groups(device, kernel, groups, &axes[0], &axes[1]);
    if (result != TACT_OK) return result;
    if (tact_device_fails_now(&device->fail_launch)) {
        return tact_fail(device->env, TACT_ERROR_DEVICE_LOST, "launching %s: injected failure", kernel->name);
    }
    if (!*program) result = tact_device_build(device, kernel, program);
    if (result != TACT_OK) return result;
    ++device->counts.launches;
    tact_buffer* const* buffers = args;
    const uint32_t* values = (const uint32_t*)(const void*)(buffers + kernel->buffer_count);
    result = run(device, *program, kernel, axes, buffers, values);
    if (result == TACT_OK) ++device->given;
    return result;
}

tact_result tact_device_launch(tact_device* device, tact_kernel_id id, uint32_t groups, const void* args, size_t size)
{
    if (tact_device_usable(device) != TACT_OK) return device->failed;
    if ((unsigned)id >= TACT_KERNEL_COUNT) return tact_device_prepare(device, id);
    const tact_kernel kernel = tact_kernel_get(id);
    return tact_device_settle(device, launch(device, &kernel, &device->programs[id], groups, args, size));
}

tact_result tact_device_launch_program(tact_device* device, const tact_kernel* kernel, tact_program** program,
                                       uint32_t groups, const void* args, size_t size)
{
    if (tact_device_usable(device) != TACT_OK) return device->failed;
    return tact_device_settle(device, launch(device, kernel, program, groups, args, size));
}
