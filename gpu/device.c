// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// What both backends have in common: checks of arguments, accounts, kernels built when first needed, and the state of
/// being lost. The backends see valid calls only.

#include "gpu/device.h"

#include <stdio.h>
#include <string.h>

#include "base/platform.h"
#include "gpu/device_backend.h"
#include "gpu/device_ring.h"
#include "gpu/probe.h"

/// Words that a buffer has at most: 16 GiB.
static const uint64_t MAX_WORDS = (uint64_t)1 << 32;

// Every call that reaches the driver begins here.
static tact_result usable(tact_device* device)
{
    TACT_ASSERT(device->env, device->entered > 0);
    if (device->failed != TACT_OK || !device->lost) return device->failed;
    device->failed = tact_fail(device->env, TACT_ERROR_DEVICE_LOST, "%s: the device was lost", device->info.name);
    return device->failed;
}

// ... and ends here.
static tact_result settle(tact_device* device, tact_result result)
{
    if (result == TACT_ERROR_DEVICE_LOST && !device->lost) {
        device->lost = true;
        tact_log(device->env, TACT_LOG_WARNING, device->ops->name, "%s: %s", device->info.name, tact_last_error());
    }
    if (device->failed == TACT_OK) device->failed = result;
    return result;
}

// Failures that no command has returned yet.
static tact_result ask(tact_device* device, bool reset)
{
    if (device->failed == TACT_OK && device->entered > 0 && device->ops->ask) {
        settle(device, device->ops->ask(device, reset));
    }
    return device->failed;
}

tact_result tact_device_result(tact_device* device)
{
    return ask(device, false);
}

tact_result tact_device_fail(tact_device* device, tact_result result)
{
    if (device->failed == TACT_OK) device->failed = result;
    return device->failed;
}

void tact_device_forgive(tact_device* device)
{
    device->failed = TACT_OK;
}

// A kernel, copy or fill was given.
static tact_result give(tact_device* device, tact_result result)
{
    if (result == TACT_OK) ++device->given;
    return settle(device, result);
}

// The first `given` of them are done.
static tact_result wait_for(tact_device* device, uint64_t given, tact_result result)
{
    if (result == TACT_OK && device->waited < given) device->waited = given;
    return settle(device, result);
}

tact_device_counts tact_device_counted(const tact_device* device)
{
    return device->counts;
}

bool tact_device_busy(const tact_device* device)
{
    return device->waited < device->given;
}

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

double tact_device_milliseconds(const tact_device* device)
{
    return tact_modelled_milliseconds(&device->modelled);
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

const tact_device_info* tact_device_describe(const tact_device* device)
{
    return &device->info;
}

bool tact_device_lost(const tact_device* device)
{
    return device->lost;
}

tact_env* tact_device_env(const tact_device* device)
{
    return device->env;
}

static tact_result enter(tact_device* device)
{
    if (device->entered == 0) {
        if (!device->late) tact_device_forgive(device);
        const tact_result result = device->ops->enter(device);
        if (result != TACT_OK) return settle(device, result);
        // What failed when the call before had returned is the failure of this one.
        if (device->late) tact_fail(device->env, device->failed, "%s: a command before failed", device->info.name);
        device->late = false;
    }
    ++device->entered;
    return TACT_OK;
}

tact_result tact_device_enter(tact_device* device)
{
    if (device->queue) tact_monitor_enter(device->queue);
    const tact_result result = enter(device);
    if (result != TACT_OK && device->queue) tact_monitor_leave(device->queue);
    return result;
}

void tact_device_leave(tact_device* device)
{
    TACT_ASSERT(device->env, device->entered > 0);
    if (device->entered == 1) {
        device->late = device->failed == TACT_OK && ask(device, false) != TACT_OK;
        if (device->late) {
            tact_log(device->env, TACT_LOG_WARNING, device->ops->name, "%s: %s", device->info.name, tact_last_error());
        }
        device->ops->leave(device);
    }
    --device->entered;
    if (device->queue) tact_monitor_leave(device->queue);
}

uint64_t tact_device_bytes(const tact_device* device)
{
    return device->bytes;
}

void tact_device_fail_buffer(tact_device* device, uint32_t number)
{
    device->fail_buffer = number;
}

void tact_device_fail_launch(tact_device* device, uint32_t number)
{
    device->fail_launch = number;
}

void tact_device_use_rings(tact_device* device, size_t slot_bytes)
{
    TACT_ASSERT(device->env, device->entered > 0 && slot_bytes % 4 == 0 && !device->reading);
    tact_rings_drop(device);
    device->slot_bytes = slot_bytes;
}

void tact_device_revive(tact_device* device)
{
    device->fail_launch = 0;
    device->lost = device->late = false;
    device->failed = TACT_OK;
}

void tact_device_fill_fresh(tact_device* device, uint32_t value)
{
    device->fill_fresh = true;
    device->fresh = value;
}

/// Whether transfers go through rings. When these are made, failures of commands before must not be taken for theirs.
static bool has_rings(tact_device* device)
{
    if (device->slot_bytes > 0 && !device->up.memory && ask(device, false) != TACT_OK) return false;
    return tact_rings_hold(device);
}

size_t tact_device_ring_bytes(tact_device* device)
{
    return usable(device) == TACT_OK && has_rings(device) ? TACT_RING_SLOTS * device->slot_bytes : 0;
}

// Buffers

// Fills what was made.
static tact_result fill_new(tact_buffer* made, size_t bytes, const void* initial)
{
    tact_device* device = made->device;
    if (initial) {
        const size_t even = bytes / 4 * 4;
        uint32_t last = 0;
        memcpy(&last, (const char*)initial + even, bytes - even);
        tact_buffer_write(made, 0, initial, even);
        if (bytes > even) tact_buffer_write(made, even, &last, sizeof last);
    } else if (device->fill_fresh) {
        settle(device, device->ops->buffer_fill(made, 0, made->held, device->fresh));
    }
    return device->failed;
}

static tact_result create_buffer(tact_device* device, size_t bytes, const void* initial, tact_buffer** buffer)
{
    tact_env* env = device->env;
    const uint64_t limit = device->info.max_buffer_bytes;
    if (bytes > SIZE_MAX - 3 || bytes > limit) {
        return tact_fail(env, TACT_ERROR_LIMIT, "a buffer of %zu bytes; %s binds at most %llu", bytes,
                         device->info.name, (unsigned long long)limit);
    }
    if (tact_device_fails_now(&device->fail_buffer)) {
        return tact_fail(env, TACT_ERROR_DEVICE_OUT_OF_MEMORY, "a buffer of %zu bytes: injected failure", bytes);
    }
    tact_buffer* made = tact_allocate_zeroed(env, 1, sizeof *made);
    if (!made) return TACT_ERROR_OUT_OF_MEMORY;
    made->device = device;
    made->bytes = (bytes + 3) / 4 * 4;
    made->held = made->bytes ? made->bytes : 4;
    // An odd number of bytes is written below, so that `initial` is not read past its end; and what goes through a
    // ring.
    const bool whole = made->bytes == bytes && bytes > 0 && !has_rings(device);
    tact_modelled_enter(&device->modelled);
    tact_result result = device->ops->buffer_create(made, whole ? initial : NULL);
    tact_modelled_host(&device->modelled, device->modelled.model.allocate_us);
    if (result != TACT_OK) {
        tact_release(env, made);
        return result;
    }
    ++device->live;
    device->bytes += made->held;
    ++device->counts.allocations;
    if (whole && initial) {
        device->counts.bytes_up += bytes;
        tact_modelled_enter(&device->modelled);
        tact_modelled_transfer(&device->modelled, bytes, true, device->ops->write_waits);
    }
    if (!whole || !initial) result = fill_new(made, bytes, initial);
    if (result != TACT_OK) {
        tact_buffer_destroy(made);
        return result;
    }
    *buffer = made;
    return TACT_OK;
}

tact_result tact_buffer_create(tact_device* device, size_t bytes, const void* initial, tact_buffer** buffer)
{
    *buffer = NULL;
    if (usable(device) != TACT_OK || ask(device, false) != TACT_OK) return device->failed;
    return settle(device, create_buffer(device, bytes, initial, buffer));
}

tact_result tact_buffer_hold(tact_device* device, tact_buffer** buffer, uint64_t bytes)
{
    const tact_result result = usable(device);
    if (result != TACT_OK) return result;
    if (bytes > SIZE_MAX / 2) return settle(device, tact_fail(device->env, TACT_ERROR_LIMIT, "a buffer too large"));
    const uint64_t held = tact_buffer_size(*buffer), more = held + held / 2;
    if (*buffer && held >= bytes) return TACT_OK;
    tact_buffer_drop(buffer);
    // What grows a little each time must not be made anew each time.
    if (more > bytes && more <= device->info.max_buffer_bytes) {
        if (tact_buffer_create(device, (size_t)more, NULL, buffer) == TACT_OK) return TACT_OK;
        if (device->failed != TACT_ERROR_DEVICE_OUT_OF_MEMORY) return device->failed;
        tact_device_forgive(device);
    }
    // Not one that cannot be read, whatever is asked for.
    return tact_buffer_create(device, bytes > 64 ? (size_t)bytes : 64, NULL, buffer);
}

tact_result tact_buffer_adopt(tact_device* device, uint32_t gl_buffer, void* cl_mem, tact_buffer** buffer)
{
    *buffer = NULL;
    tact_result result = usable(device);
    if (result != TACT_OK) return result;
    if (!device->info.adopted) {
        return settle(device, tact_fail(device->env, TACT_ERROR_INVALID_ARGUMENT, "%s: the context is not the caller's",
                                        device->info.name));
    }
    tact_buffer* made = tact_allocate_zeroed(device->env, 1, sizeof *made);
    if (!made) return settle(device, TACT_ERROR_OUT_OF_MEMORY);
    made->device = device;
    made->adopted = true;
    result = settle(device, device->ops->buffer_adopt(made, gl_buffer, cl_mem));
    if (result != TACT_OK) {
        tact_release(device->env, made);
        return result;
    }
    ++device->live;
    *buffer = made;
    return TACT_OK;
}

void tact_buffer_destroy(tact_buffer* buffer)
{
    if (!buffer) return;
    tact_device* device = buffer->device;
    TACT_ASSERT(device->env, device->entered > 0);
    device->ops->buffer_destroy(buffer);
    --device->live;
    device->bytes -= buffer->held;
    tact_release(device->env, buffer);
}

size_t tact_buffer_size(const tact_buffer* buffer)
{
    return buffer ? buffer->bytes : 0;
}

uint64_t tact_buffer_sizes(const tact_buffer* const* buffers, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += tact_buffer_size(buffers[i]);
    return sum;
}

void tact_buffer_handle(const tact_buffer* buffer, uint32_t* gl_buffer, void** cl_mem)
{
    const bool gl = buffer->device->info.backend == TACT_BACKEND_GL;
    *gl_buffer = gl ? buffer->handle.name : 0;
    *cl_mem = gl ? NULL : buffer->handle.object;
}

static bool is_within(const tact_buffer* buffer, size_t offset, size_t bytes)
{
    return offset <= buffer->bytes && bytes <= buffer->bytes - offset;
}

static tact_result check_range(tact_buffer* buffer, size_t offset, size_t bytes, const char* what)
{
    tact_env* env = buffer->device->env;
    if (offset % 4 != 0 || bytes % 4 != 0) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s: offset %zu and size %zu must be multiples of 4", what,
                         offset, bytes);
    }
    if (!is_within(buffer, offset, bytes)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s: %zu bytes at %zu of a buffer of %zu", what, bytes,
                         offset, buffer->bytes);
    }
    return TACT_OK;
}

tact_result tact_buffer_write(tact_buffer* buffer, size_t offset, const void* data, size_t bytes)
{
    if (!buffer) return TACT_NOT_MADE;
    tact_device* device = buffer->device;
    tact_result result = usable(device);
    if (result == TACT_OK) result = check_range(buffer, offset, bytes, "writing");
    if (result != TACT_OK || bytes == 0) return settle(device, result);
    device->counts.bytes_up += bytes;
    if (bytes > device->ops->small_write && has_rings(device)) {
        return settle(device, tact_ring_write(buffer, offset, data, bytes));
    }
    if (device->ops->write_waits && tact_device_busy(device)) ++device->counts.waits;
    tact_modelled_enter(&device->modelled);
    result = device->ops->buffer_write(buffer, offset, data, bytes);
    tact_modelled_transfer(&device->modelled, bytes, true, device->ops->write_waits);
    return settle(device, result);
}

/// Takes the reads that are not empty. A failure sticks.
static void take_reads(tact_reading* reading)
{
    tact_device* device = reading->device;
    for (size_t i = 0; i < reading->asked_count; ++i) {
        const tact_read* r = &reading->asked[i];
        if (!r->buffer) {
            settle(device, TACT_NOT_MADE);
        } else if (settle(device, check_range(r->buffer, r->offset, r->bytes, "reading")) == TACT_OK && r->bytes > 0) {
            device->counts.bytes_down += r->bytes;
            reading->reads[reading->count++] = *r;
        }
    }
}

/// On a device that is software waiting first costs nothing, so that the host can time the copying alone.
static tact_result read_all(tact_device* device, const tact_read* reads, size_t count)
{
    tact_result result = TACT_OK;
    if (device->modelled.on) {
        uint64_t bytes = 0;
        for (size_t i = 0; i < count; ++i)
            bytes += reads[i].bytes;
        tact_modelled_enter(&device->modelled);
        result = device->ops->read(device, reads, count);
        device->read_ms += tact_modelled_transfer(&device->modelled, bytes, false, true);
        return result;
    }
    if (!device->info.software) return device->ops->read(device, reads, count);
    result = device->ops->finish(device);
    const double start = tact_platform_milliseconds();
    if (result == TACT_OK) result = device->ops->read(device, reads, count);
    device->read_ms += tact_platform_milliseconds() - start;
    return result;
}

double tact_device_read_ms(const tact_device* device)
{
    return device->read_ms;
}

void tact_device_read_begin(tact_device* device, const tact_read* reads, size_t count, tact_reading* reading)
{
    TACT_ASSERT(device->env, count <= TACT_READS_MAX);
    memset(reading, 0, sizeof *reading);
    reading->device = device;
    reading->asked_count = count;
    if (count > 0) memcpy(reading->asked, reads, count * sizeof *reads);
    if (usable(device) == TACT_OK) take_reads(reading);
    reading->given = device->given;
    if (device->failed != TACT_OK || reading->count == 0 || device->reading || !has_rings(device)) return;
    device->reading = reading->staged = true;
    settle(device, tact_ring_read_begin(reading));
}

/// Where it was not begun, it sees what was given since.
static tact_result read_rest(tact_reading* reading)
{
    tact_device* device = reading->device;
    if (reading->staged) {
        wait_for(device, reading->given, tact_ring_read_end(reading));
        // Without this a reset would hand out what was never computed.
        return ask(device, true);
    }
    return wait_for(device, device->given, read_all(device, reading->reads, reading->count));
}

tact_result tact_device_read_end(tact_reading* reading)
{
    tact_device* device = reading->device;
    if (usable(device) == TACT_OK && reading->count > 0) read_rest(reading);
    if (reading->staged) device->reading = false;
    for (size_t i = 0; i < reading->asked_count && device->failed != TACT_OK; ++i) {
        const tact_read* r = &reading->asked[i];
        // The memory for a range that is outside of the buffer may be of any size.
        if (r->bytes > 0 && (!r->buffer || is_within(r->buffer, r->offset, r->bytes))) memset(r->data, 0, r->bytes);
    }
    return device->failed;
}

tact_result tact_device_read(tact_device* device, const tact_read* reads, size_t count)
{
    tact_reading reading;
    tact_device_read_begin(device, reads, count, &reading);
    return tact_device_read_end(&reading);
}

tact_result tact_buffer_read(tact_buffer* buffer, size_t offset, void* data, size_t bytes)
{
    if (buffer) return tact_device_read(buffer->device, &(tact_read){buffer, offset, bytes, data}, 1);
    if (bytes > 0) memset(data, 0, bytes);
    return TACT_NOT_MADE;
}

static tact_result check_copy(tact_buffer* to, size_t to_offset, tact_buffer* from, size_t from_offset, size_t bytes)
{
    tact_env* env = to->device->env;
    tact_result result = check_range(to, to_offset, bytes, "copying to");
    if (result == TACT_OK) result = check_range(from, from_offset, bytes, "copying from");
    if (result != TACT_OK) return result;
    if (from->device != to->device) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "copying between buffers of two devices");
    }
    if (to == from && to_offset < from_offset + bytes && from_offset < to_offset + bytes) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "copying %zu bytes from %zu to %zu: they overlap", bytes,
                         from_offset, to_offset);
    }
    return TACT_OK;
}

tact_result tact_buffer_copy(tact_buffer* to, size_t to_offset, tact_buffer* from, size_t from_offset, size_t bytes)
{
    if (!to || !from) return TACT_NOT_MADE;
    tact_device* device = to->device;
    tact_result result = usable(device);
    if (result == TACT_OK) result = check_copy(to, to_offset, from, from_offset, bytes);
    if (result != TACT_OK || bytes == 0) return settle(device, result);
    tact_modelled_enter(&device->modelled);
    result = device->ops->buffer_copy(to, to_offset, from, from_offset, bytes);
    tact_modelled_command(&device->modelled, tact_modelled_memory_ms(&device->modelled, 2 * (uint64_t)bytes));
    return give(device, result);
}

tact_result tact_buffer_fill(tact_buffer* buffer, size_t offset, size_t bytes, uint32_t value)
{
    if (!buffer) return TACT_NOT_MADE;
    tact_device* device = buffer->device;
    tact_result result = usable(device);
    if (result == TACT_OK) result = check_range(buffer, offset, bytes, "filling");
    if (result != TACT_OK || bytes == 0) return settle(device, result);
    tact_modelled_enter(&device->modelled);
    result = device->ops->buffer_fill(buffer, offset, bytes, value);
    tact_modelled_command(&device->modelled, tact_modelled_memory_ms(&device->modelled, bytes));
    return give(device, result);
}

// Programs

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
    if (usable(device) != TACT_OK || ask(device, false) != TACT_OK) return device->failed;
    tact_modelled_enter(&device->modelled);
    const tact_result result = build(device, kernel, program);
    tact_modelled_host(&device->modelled, 0.0);
    return settle(device, result);
}

tact_result tact_device_prepare(tact_device* device, tact_kernel_id id)
{
    tact_result result = usable(device);
    if (result != TACT_OK) return result;
    if ((unsigned)id >= TACT_KERNEL_COUNT) {
        return settle(device, tact_fail(device->env, TACT_ERROR_INVALID_ARGUMENT, "there is no kernel %d", (int)id));
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

// Launches

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
static tact_result run(tact_device* device, tact_kernel_id id, const tact_kernel* kernel, const uint32_t axes[2],
                       tact_buffer* const* buffers, const uint32_t* values)
{
    tact_program* program = device->programs[id];
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

static tact_result launch(tact_device* device, tact_kernel_id id, const tact_kernel* kernel, uint32_t groups,
                          const void* args, size_t size)
{
    tact_result result = check_args(device, kernel, args, size);
    if (result != TACT_OK || groups == 0) return settle(device, result);
    uint32_t axes[2] = {0, 0};
    result = split_groups(device, kernel, groups, &axes[0], &axes[1]);
    if (result != TACT_OK) return settle(device, result);
    if (tact_device_fails_now(&device->fail_launch)) {
        return settle(device,
                      tact_fail(device->env, TACT_ERROR_DEVICE_LOST, "launching %s: injected failure", kernel->name));
    }
    result = tact_device_prepare(device, id);
    if (result != TACT_OK) return result;
    ++device->counts.launches;
    tact_buffer* const* buffers = args;
    const uint32_t* values = (const uint32_t*)(const void*)(buffers + kernel->buffer_count);
    return give(device, run(device, id, kernel, axes, buffers, values));
}

tact_result tact_device_launch(tact_device* device, tact_kernel_id id, uint32_t groups, const void* args, size_t size)
{
    const tact_result result = usable(device);
    if (result != TACT_OK) return result;
    if ((unsigned)id >= TACT_KERNEL_COUNT) return tact_device_prepare(device, id);
    const tact_kernel kernel = tact_kernel_get(id);
    return launch(device, id, &kernel, groups, args, size);
}

tact_result tact_device_finish(tact_device* device)
{
    const tact_result result = usable(device);
    if (result != TACT_OK) return result;
    ++device->counts.waits;
    tact_modelled_enter(&device->modelled);
    const tact_result finished = device->ops->finish(device);
    tact_modelled_wait(&device->modelled, device->modelled.done);
    return wait_for(device, device->given, finished);
}

// Fences

tact_result tact_fence_place(tact_fence* fence)
{
    tact_modelled* m = &fence->device->modelled;
    tact_modelled_enter(m);
    const tact_result result = fence->device->ops->fence_create(fence);
    if (fence->noted.bytes > 0) {
        tact_modelled_transfer(m, fence->noted.bytes, false, false);
    } else {
        tact_modelled_command(m, 0.0);
    }
    fence->done = m->done;
    return result;
}

tact_result tact_fence_look(tact_fence* fence, bool wait, bool* done)
{
    tact_modelled* m = &fence->device->modelled;
    tact_modelled_enter(m);
    const tact_result result = fence->device->ops->fence_poll(fence, wait, done);
    if (wait) {
        tact_modelled_wait(m, fence->done);
    } else {
        tact_modelled_host(m, 0.0);
        if (m->on && tact_modelled_milliseconds(m) < fence->done) *done = false;
    }
    return result;
}

static tact_result make_fence(tact_device* device, tact_buffer* noted, size_t offset, size_t bytes, tact_fence** fence)
{
    tact_fence* made = tact_allocate_zeroed(device->env, 1, sizeof *made);
    if (!made) return settle(device, TACT_ERROR_OUT_OF_MEMORY);
    made->device = device;
    made->given = device->given;
    made->noted = (tact_read){noted, offset, bytes, made->note};
    const tact_result result = settle(device, tact_fence_place(made));
    if (result != TACT_OK) {
        tact_release(device->env, made);
        return result;
    }
    ++device->live;
    *fence = made;
    return TACT_OK;
}

tact_result tact_fence_create(tact_device* device, tact_fence** fence)
{
    *fence = NULL;
    const tact_result result = usable(device);
    if (result != TACT_OK) return result;
    // What is handed over with a fence is asked for again only when that is passed.
    return ask(device, false) == TACT_OK ? make_fence(device, NULL, 0, 0, fence) : device->failed;
}

tact_result tact_fence_create_note(tact_buffer* buffer, size_t offset, size_t bytes, tact_fence** fence)
{
    *fence = NULL;
    if (!buffer) return TACT_NOT_MADE;
    tact_device* device = buffer->device;
    TACT_ASSERT(device->env, bytes > 0 && bytes <= TACT_NOTE_BYTES);
    tact_result result = usable(device);
    if (result == TACT_OK) result = settle(device, check_range(buffer, offset, bytes, "noting"));
    if (result == TACT_OK) result = make_fence(device, buffer, offset, bytes, fence);
    if (result == TACT_OK) device->counts.bytes_down += bytes;
    return result;
}

void tact_fence_note(const tact_fence* fence, void* data)
{
    memcpy(data, fence->note, fence->noted.bytes);
}

tact_result tact_fence_poll(tact_fence* fence, bool* done)
{
    *done = false;
    tact_device* device = fence->device;
    const tact_result result = usable(device);
    if (result != TACT_OK) return result;
    const tact_result polled = tact_fence_look(fence, false, done);
    if (!*done) return settle(device, polled);
    wait_for(device, fence->given, polled);
    return ask(device, true);
}

tact_result tact_fence_wait(tact_fence* fence)
{
    tact_device* device = fence->device;
    bool done = false;
    const tact_result result = usable(device);
    if (result != TACT_OK) return result;
    ++device->counts.waits;
    wait_for(device, fence->given, tact_fence_look(fence, true, &done));
    return ask(device, true);
}

void tact_fence_destroy(tact_fence* fence)
{
    if (!fence) return;
    tact_device* device = fence->device;
    TACT_ASSERT(device->env, device->entered > 0);
    device->ops->fence_destroy(fence);
    --device->live;
    tact_release(device->env, fence);
}

// Timers

tact_result tact_timer_begin(tact_device* device)
{
    tact_result result = usable(device);
    if (result != TACT_OK) return result;
    if (device->timing) {
        return settle(device, tact_fail(device->env, TACT_ERROR_INVALID_ARGUMENT, "a timer runs already"));
    }
    result = tact_device_finish(device);
    if (result == TACT_OK && device->ops->timer_begin) result = settle(device, device->ops->timer_begin(device));
    device->timing = result == TACT_OK;
    device->timing_since = tact_modelled_device_milliseconds(&device->modelled);
    return result;
}

tact_result tact_timer_end(tact_device* device, double* milliseconds)
{
    *milliseconds = 0;
    tact_result result = usable(device);
    if (result == TACT_OK && !device->timing) {
        return settle(device, tact_fail(device->env, TACT_ERROR_INVALID_ARGUMENT, "no timer runs"));
    }
    // One that runs ends, whatever failed meanwhile.
    double measured =
        device->modelled.on ? tact_modelled_device_milliseconds(&device->modelled) - device->timing_since : -1;
    if (device->timing && device->ops->timer_end && !device->lost) {
        const tact_result ended = settle(device, device->ops->timer_end(device, &measured));
        if (result == TACT_OK) result = ended;
    }
    device->timing = false;
    if (result == TACT_OK) result = tact_device_finish(device);
    // A negative time says that the device's clock is not to be had.
    if (result == TACT_OK) {
        *milliseconds = measured >= 0 ? measured : tact_platform_milliseconds() - device->timing_since;
    }
    return result;
}
