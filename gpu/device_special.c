// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Kernels of the table with a text put into them at run time.

#include <string.h>

#include "gpu/device_backend.h"

struct tact_special {
    tact_device* device;
    tact_kernel kernel;     ///< with `text` in the device's language
    unsigned char* text;    ///< terminated
    tact_program* program;  ///< NULL: not built yet
};

/// Puts `extra` behind the first `mark` of a text. NULL when out of memory.
static unsigned char* put_in(tact_env* env, const unsigned char* text, size_t size, const char* mark, const char* extra,
                             size_t* length)
{
    const char* found = strstr((const char*)text, mark);
    TACT_ASSERT(found);
    const size_t before = (size_t)(found - (const char*)text) + strlen(mark), added = strlen(extra);
    unsigned char* joined = tact_allocate(env, size + added + 1, 1);
    if (!joined) return NULL;
    memcpy(joined, text, before);
    memcpy(joined + before, extra, added);
    memcpy(joined + before + added, text + before, size - before);
    *length = size + added;
    joined[*length] = '\0';
    return joined;
}

tact_result tact_special_create(tact_device* device, tact_kernel_id id, const char* mark, const char* text,
                                tact_special** special)
{
    *special = NULL;
    if (tact_device_usable(device) != TACT_OK) return device->failed;
    tact_special* s = tact_allocate_zeroed(device->env, 1, sizeof *s);
    if (!s) return tact_device_settle(device, TACT_ERROR_OUT_OF_MEMORY);
    const bool gl = device->info.backend == TACT_BACKEND_GL;
    size_t length = 0;
    s->device = device;
    s->kernel = tact_kernel_get(id);
    s->text = gl ? put_in(device->env, s->kernel.glsl, s->kernel.glsl_size, mark, text, &length)
                 : put_in(device->env, s->kernel.opencl, s->kernel.opencl_size, mark, text, &length);
    if (!s->text) {
        tact_release(device->env, s);
        return tact_device_settle(device, TACT_ERROR_OUT_OF_MEMORY);
    }
    s->kernel.glsl = s->kernel.opencl = s->text;
    s->kernel.glsl_size = s->kernel.opencl_size = length;
    *special = s;
    return TACT_OK;
}

void tact_special_destroy(tact_special* s)
{
    if (!s) return;
    if (s->program) s->device->ops->program_destroy(s->device, s->program);
    tact_release(s->device->env, s->text);
    tact_release(s->device->env, s);
}

tact_result tact_special_launch_items(tact_special* s, uint64_t items, const void* args, size_t size)
{
    const uint64_t groups = items / s->kernel.group + (items % s->kernel.group != 0);
    return tact_device_launch_program(s->device, &s->kernel, &s->program,
                                      groups < UINT32_MAX ? (uint32_t)groups : UINT32_MAX, args, size);
}
