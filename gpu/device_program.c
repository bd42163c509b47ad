// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Kernels as the driver has them: built when they are needed first, or taken from the cache.

#include <stdio.h>
#include <string.h>

#include "gpu/device_backend.h"

// The text as the driver gets it, in memory from tact_allocate, terminated.
static char* make_source(const tact_device* device, const tact_kernel* kernel, size_t* length)
{
    const bool gl = device->info.backend == TACT_BACKEND_GL;
    const unsigned char* text = gl ? kernel->glsl : kernel->opencl;
    const size_t size = gl ? kernel->glsl_size : kernel->opencl_size;
    char variant[96];
    const int variant_size = snprintf(
        variant, sizeof variant, "#define TACT_CORRECT_DIV %d\n#define TACT_CORRECT_SQRT %d\n#define TACT_FLUSHES %d\n",
        device->correct_division, device->correct_sqrt, device->info.probe.flushes_subnormals);
    const size_t prelude_size = strlen(device->ops->prelude);
    char* source = tact_allocate(device->env, prelude_size + (size_t)variant_size + size + 1, 1);
    if (!source) return NULL;
    memcpy(source, device->ops->prelude, prelude_size);
    memcpy(source + prelude_size, variant, (size_t)variant_size);
    memcpy(source + prelude_size + (size_t)variant_size, text, size);
    *length = prelude_size + (size_t)variant_size + size;
    source[*length] = '\0';
    if (!device->modelled.on) return source;
    char* metered = tact_meter_text(device->env, kernel, source, length);
    tact_release(device->env, source);
    return metered;
}

static tact_program_key key_of(const tact_device* device, const char* source, size_t length)
{
    const tact_device_info* info = &device->info;
    const char* parts[] = {source,       device->ops->name, device->options, info->name,
                           info->vendor, info->driver,      info->version,   info->language};
    size_t sizes[sizeof parts / sizeof parts[0]];
    sizes[0] = length;
    for (size_t i = 1; i < sizeof parts / sizeof parts[0]; ++i)
        sizes[i] = strlen(parts[i]);
    return tact_program_key_of(parts, sizes, sizeof parts / sizeof parts[0]);
}

tact_program_key tact_device_key(const tact_device* device, tact_kernel kernel)
{
    size_t length = 0;
    char* source = make_source(device, &kernel, &length);
    const tact_program_key none = {{0}};
    const tact_program_key key = source ? key_of(device, source, length) : none;
    tact_release(device->env, source);
    return key;
}

static bool load_program(tact_device* device, const tact_kernel* kernel, const char* name, const tact_program_key* key,
                         tact_program** program)
{
    uint32_t format = 0;
    size_t size = 0;
    void* binary = tact_program_cache_load(&device->cache, device->env, name, key, &format, &size);
    if (!binary) return false;
    const bool loaded = device->ops->program_load(device, kernel, format, binary, size, program);
    tact_release(device->env, binary);
    if (!loaded) tact_log(device->env, TACT_LOG_DEBUG, device->ops->name, "%s: cached binary refused", name);
    return loaded;
}

static void save_program(tact_device* device, const char* name, const tact_program_key* key, tact_program* program)
{
    uint32_t format = 0;
    void* binary = NULL;
    size_t size = 0;
    if (!device->ops->program_save(device, program, &format, &binary, &size)) return;
    if (!tact_program_cache_store(&device->cache, name, key, format, binary, size)) {
        tact_log(device->env, TACT_LOG_DEBUG, device->ops->name, "%s: not cached in %s", name, device->cache.directory);
    }
    tact_release(device->env, binary);
}

static tact_result build(tact_device* device, const tact_kernel* kernel, tact_program** program)
{
    tact_result result = TACT_OK;
    tact_env* env = device->env;
    if (kernel->group > device->info.max_group_size || kernel->buffer_count > device->info.max_buffers) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%s needs groups of %u and %zu buffers; %s has %u and %u", kernel->file,
                         kernel->group, kernel->buffer_count, device->info.name, device->info.max_group_size,
                         device->info.max_buffers);
    }
    size_t length = 0;
    char* source = make_source(device, kernel, &length);
    if (!source) return TACT_ERROR_OUT_OF_MEMORY;
    char name[96];
    snprintf(name, sizeof name, "%s-%s", kernel->name, device->ops->name);
    const tact_program_key key = key_of(device, source, length);
    if (!load_program(device, kernel, name, &key, program)) {
        result = device->ops->program_compile(device, kernel, source, length, program);
        if (result == TACT_OK && device->cache.enabled) save_program(device, name, &key, *program);
    }
    tact_release(env, source);
    if (result == TACT_ERROR_KERNEL_BUILD) {
        tact_fail_within(env, result, "building %s for %s: ", kernel->file, device->info.name);
        tact_log(env, TACT_LOG_ERROR, device->ops->name, "%s", tact_last_error());
    }
    return result;
}

tact_result tact_device_build(tact_device* device, const tact_kernel* kernel, tact_program** program)
{
    *program = NULL;
    if (tact_device_usable(device) != TACT_OK || tact_device_result(device) != TACT_OK) return device->failed;
    tact_modelled_enter(&device->modelled);
    const tact_result result = build(device, kernel, program);
    tact_modelled_host(&device->modelled, 0.0);
    return tact_device_settle(device, result);
}

tact_result tact_device_prepare(tact_device* device, tact_kernel_id id)
{
    if (tact_device_usable(device) != TACT_OK) return device->failed;
    if ((unsigned)id >= TACT_KERNEL_COUNT) {
        return tact_device_settle(
            device, tact_fail(device->env, TACT_ERROR_INVALID_ARGUMENT, "there is no kernel %d", (int)id));
    }
    if (device->programs[id]) return TACT_OK;
    const tact_kernel kernel = tact_kernel_get(id);
    return tact_device_build(device, &kernel, &device->programs[id]);
}

void tact_device_drop_programs(tact_device* device)
{
    for (int i = 0; i < TACT_KERNEL_COUNT; ++i) {
        if (device->programs[i]) device->ops->program_destroy(device, device->programs[i]);
        device->programs[i] = NULL;
    }
}
