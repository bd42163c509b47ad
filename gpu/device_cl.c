// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// The device on OpenCL 1.2, with a context of its own or the caller's.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"
#include "gpu/cl_api.h"
#include "gpu/device_backend.h"

enum { MAX_PLATFORMS = 16, MAX_DEVICES = 64 };

typedef struct cl_device {
    tact_device base;
    tact_cl_api cl;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_command_queue up, down;  // of transfers beside kernels; NULL until there were such
    cl_event sent;              // the last one up that `queue` does not come behind yet; NULL: none
    bool clock;                 // the queue keeps profiling times that mean something
    cl_event timer;
    cl_mem meter;  // of metered kernels; NULL: none is
    char build_options[128];
} cl_device;

struct tact_program {
    cl_program program;
    cl_kernel kernel;
};

static cl_device* cl_of(tact_device* device)
{
    return (cl_device*)device;
}

static tact_result check(cl_device* d, cl_int code, const char* what)
{
    tact_result result = TACT_ERROR_DEVICE;
    switch (code) {
        case CL_SUCCESS:
            return TACT_OK;
        case CL_MEM_OBJECT_ALLOCATION_FAILURE:
            result = TACT_ERROR_DEVICE_OUT_OF_MEMORY;
            break;
        case CL_OUT_OF_RESOURCES:
            // Some drivers say so at the call after a kernel's fault, from which on nothing works any more.
            result = d->queue && d->cl.Finish(d->queue) != CL_SUCCESS ? TACT_ERROR_DEVICE_LOST
                                                                      : TACT_ERROR_DEVICE_OUT_OF_MEMORY;
            break;
        case CL_OUT_OF_HOST_MEMORY:
            result = TACT_ERROR_OUT_OF_MEMORY;
            break;
        case CL_DEVICE_NOT_AVAILABLE:
        case CL_INVALID_COMMAND_QUEUE:  // what some drivers answer after a fault in a kernel
        case CL_INVALID_CONTEXT:
            result = TACT_ERROR_DEVICE_LOST;
            break;
        default:
            break;
    }
    return tact_fail(d->base.env, result, "%s: %s (%d)", what, tact_cl_error_name(code), (int)code);
}

// The same where the driver has waited for kernels: their faults are reported here.
static tact_result check_wait(cl_device* d, cl_int code, const char* what)
{
    if (code != CL_OUT_OF_RESOURCES && code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
        return check(d, code, what);
    }
    return tact_fail(d->base.env, TACT_ERROR_DEVICE_LOST, "%s: %s (%d)", what, tact_cl_error_name(code), (int)code);
}

static tact_result cl_enter(tact_device* device)
{
    (void)device;
    return TACT_OK;
}

// Lanes

/// The main queue, behind what has gone up beside it.
static cl_command_queue queue_of(cl_device* d)
{
    if (!d->sent) return d->queue;
    d->cl.Flush(d->up);
    // A marker in a queue that is in order holds up what is behind it.
    if (d->cl.EnqueueMarkerWithWaitList(d->queue, 1, &d->sent, NULL) != CL_SUCCESS) d->cl.Finish(d->up);
    d->cl.ReleaseEvent(d->sent);
    d->sent = NULL;
    return d->queue;
}

static bool make_lanes(cl_device* d)
{
    cl_int code = CL_SUCCESS;
    if (!d->up) d->up = d->cl.CreateCommandQueue(d->context, d->device, 0, &code);
    if (d->up && !d->down) d->down = d->cl.CreateCommandQueue(d->context, d->device, 0, &code);
    return d->up && d->down;
}

/// Has a lane come behind what the main queue was given. False where that failed.
static bool put_behind(cl_device* d, cl_command_queue lane)
{
    cl_event given = NULL;
    cl_int code = d->cl.EnqueueMarkerWithWaitList(queue_of(d), 0, NULL, &given);
    // Without it the other queue would wait for what was never sent.
    if (code == CL_SUCCESS) code = d->cl.Flush(d->queue);
    if (code == CL_SUCCESS) code = d->cl.EnqueueMarkerWithWaitList(lane, 1, &given, NULL);
    if (given) d->cl.ReleaseEvent(given);
    return code == CL_SUCCESS;
}

static bool cl_begin_aside(tact_device* device)
{
    cl_device* d = cl_of(device);
    return make_lanes(d) && put_behind(d, d->up);
}

static void cl_leave(tact_device* device)
{
    // What was enqueued must not wait for whoever comes next: an adopted queue may be the caller's to wait on.
    cl_of(device)->cl.Flush(queue_of(cl_of(device)));
}

static void cl_close(tact_device* device)
{
    cl_device* d = cl_of(device);
    if (d->timer) d->cl.ReleaseEvent(d->timer);
    if (d->meter) d->cl.ReleaseMemObject(d->meter);
    if (d->sent) d->cl.ReleaseEvent(d->sent);
    if (d->up) d->cl.ReleaseCommandQueue(d->up);
    if (d->down) d->cl.ReleaseCommandQueue(d->down);
    if (d->queue) d->cl.ReleaseCommandQueue(d->queue);
    if (d->context) d->cl.ReleaseContext(d->context);
    tact_release(device->env, d);
}

// Buffers

static tact_result cl_buffer_create(tact_buffer* buffer, const void* initial)
{
    cl_device* d = cl_of(buffer->device);
    cl_int code = CL_SUCCESS;
    buffer->handle.object = d->cl.CreateBuffer(d->context, CL_MEM_READ_WRITE, buffer->held, NULL, &code);
    // CL_MEM_COPY_HOST_PTR would want a pointer that is not const.
    if (code == CL_SUCCESS && initial) {
        code = d->cl.EnqueueWriteBuffer(queue_of(d), buffer->handle.object, CL_TRUE, 0, buffer->held, initial, 0, NULL,
                                        NULL);
        if (code != CL_SUCCESS) d->cl.ReleaseMemObject(buffer->handle.object);
    }
    if (code == CL_SUCCESS) return TACT_OK;
    char what[64];
    snprintf(what, sizeof what, "creating a buffer of %zu bytes", buffer->held);
    return check(d, code, what);
}

static tact_result cl_buffer_adopt(tact_buffer* buffer, uint32_t gl_buffer, void* memory)
{
    (void)gl_buffer;
    cl_device* d = cl_of(buffer->device);
    cl_context context = NULL;
    size_t bytes = 0;
    if (!memory) return tact_fail(d->base.env, TACT_ERROR_INVALID_ARGUMENT, "the cl_mem is NULL");
    if (d->cl.GetMemObjectInfo(memory, CL_MEM_CONTEXT, sizeof context, &context, NULL) != CL_SUCCESS ||
        d->cl.GetMemObjectInfo(memory, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) != CL_SUCCESS ||
        context != d->context) {
        return tact_fail(d->base.env, TACT_ERROR_INVALID_ARGUMENT, "the cl_mem is none of the adopted context");
    }
    buffer->bytes = bytes / 4 * 4;
    buffer->handle.object = memory;
    return check(d, d->cl.RetainMemObject(memory), "taking the caller's buffer");
}

static void cl_buffer_destroy(tact_buffer* buffer)
{
    cl_of(buffer->device)->cl.ReleaseMemObject(buffer->handle.object);
}

static tact_result cl_buffer_write(tact_buffer* buffer, size_t offset, const void* data, size_t bytes)
{
    cl_device* d = cl_of(buffer->device);
    return check_wait(
        d, d->cl.EnqueueWriteBuffer(queue_of(d), buffer->handle.object, CL_TRUE, offset, bytes, data, 0, NULL, NULL),
        "writing a buffer");
}

static double milliseconds_of(cl_device* d, cl_event event)
{
    cl_ulong from = 0, to = 0;
    const bool told =
        d->cl.GetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL) == CL_SUCCESS &&
        d->cl.GetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL) == CL_SUCCESS;
    return told && to > from ? (double)(to - from) * 1e-6 : 0.0;
}

// The queue is in order, so all are there when the last one is.
static tact_result cl_read(tact_device* device, const tact_read* reads, size_t count)
{
    cl_device* d = cl_of(device);
    cl_int code = CL_SUCCESS;
    cl_event events[TACT_READS_MAX] = {NULL};
    ++device->counts.waits;
    for (size_t i = 0; i < count && code == CL_SUCCESS; ++i) {
        const cl_bool last = i + 1 == count;
        code = d->cl.EnqueueReadBuffer(queue_of(d), reads[i].buffer->handle.object, last, reads[i].offset,
                                       reads[i].bytes, reads[i].data, 0, NULL, d->clock ? &events[i] : NULL);
    }
    // Nothing may come after the caller's memory is gone.
    if (code != CL_SUCCESS && count > 1) d->cl.Finish(d->queue);
    for (size_t i = 0; i < count; ++i) {
        if (!events[i]) continue;
        device->read_ms += milliseconds_of(d, events[i]);
        d->cl.ReleaseEvent(events[i]);
    }
    return check_wait(d, code, "reading a buffer");
}

/// A buffer that lies in the host's memory, where the driver pins it, mapped once. Commands take the memory's address:
/// a buffer that is mapped must not be copied from or to.
static tact_result cl_ring_open(tact_device* device, tact_ring* ring, size_t bytes, bool up, bool down)
{
    cl_device* d = cl_of(device);
    (void)up, (void)down;
    cl_int code = CL_SUCCESS;
    cl_mem object = d->cl.CreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
    if (code != CL_SUCCESS) return check(d, code, "making a ring");
    ring->memory =
        d->cl.EnqueueMapBuffer(d->queue, object, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
    ring->handle.object = object;
    if (code == CL_SUCCESS && ring->memory) return TACT_OK;
    d->cl.ReleaseMemObject(object);
    ring->memory = NULL;
    return check(d, code == CL_SUCCESS ? CL_MEM_OBJECT_ALLOCATION_FAILURE : code, "mapping a ring");
}

static void cl_ring_close(tact_device* device, tact_ring* ring)
{
    cl_device* d = cl_of(device);
    d->cl.EnqueueUnmapMemObject(d->queue, ring->handle.object, ring->memory, 0, NULL, NULL);
    d->cl.Finish(d->queue);
    d->cl.ReleaseMemObject(ring->handle.object);
}

static tact_result cl_ring_up(tact_ring* ring, size_t place, tact_buffer* buffer, size_t offset, size_t bytes)
{
    cl_device* d = cl_of(buffer->device);
    const bool aside = buffer->device->aside;
    cl_event sent = NULL;
    const cl_int code = d->cl.EnqueueWriteBuffer(aside ? d->up : queue_of(d), buffer->handle.object, CL_FALSE, offset,
                                                 bytes, ring->memory + place, 0, NULL, aside ? &sent : NULL);
    if (sent && d->sent) d->cl.ReleaseEvent(d->sent);
    if (sent) d->sent = sent;
    return check(d, code, "writing a buffer");
}

static tact_result cl_ring_down(tact_ring* ring, size_t place, const tact_read* part)
{
    cl_device* d = cl_of(part->buffer->device);
    const bool aside = part->buffer->device->aside;
    if (aside && !put_behind(d, d->down)) (void)d->cl.Finish(d->queue);
    return check(d,
                 d->cl.EnqueueReadBuffer(aside ? d->down : queue_of(d), part->buffer->handle.object, CL_FALSE,
                                         part->offset, part->bytes, ring->memory + place, 0, NULL, NULL),
                 "reading a buffer");
}

static tact_result cl_buffer_copy(tact_buffer* to, size_t to_offset, tact_buffer* from, size_t from_offset,
                                  size_t bytes)
{
    cl_device* d = cl_of(to->device);
    return check(d,
                 d->cl.EnqueueCopyBuffer(queue_of(d), from->handle.object, to->handle.object, from_offset, to_offset,
                                         bytes, 0, NULL, NULL),
                 "copying between buffers");
}

static tact_result cl_buffer_fill(tact_buffer* buffer, size_t offset, size_t bytes, uint32_t value)
{
    cl_device* d = cl_of(buffer->device);
    return check(
        d,
        d->cl.EnqueueFillBuffer(queue_of(d), buffer->handle.object, &value, sizeof value, offset, bytes, 0, NULL, NULL),
        "filling a buffer");
}

// Programs

static tact_result fail_build(cl_device* d, cl_program program, cl_int code)
{
    size_t size = 0;
    d->cl.GetProgramBuildInfo(program, d->device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char* log = tact_allocate_zeroed(d->base.env, size + 1, 1);
    if (!log) return TACT_ERROR_OUT_OF_MEMORY;
    d->cl.GetProgramBuildInfo(program, d->device, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    const tact_result result = tact_fail(d->base.env, TACT_ERROR_KERNEL_BUILD, "%s with %s:\n%s",
                                         tact_cl_error_name(code), d->build_options, log);
    tact_release(d->base.env, log);
    return result;
}

// A kernel that needs many registers may run in smaller groups only than the device allows.
static tact_result check_group(cl_device* d, const tact_kernel* kernel, cl_kernel made)
{
    size_t most = 0;
    const cl_int code =
        d->cl.GetKernelWorkGroupInfo(made, d->device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL);
    if (code != CL_SUCCESS || most >= kernel->group) return TACT_OK;
    return tact_fail(d->base.env, TACT_ERROR_LIMIT, "%s needs groups of %u; %s runs it in groups of %zu", kernel->file,
                     kernel->group, d->base.info.name, most);
}

// Builds and takes the kernel out. Releases `program` on failure.
static tact_result finish_program(cl_device* d, const tact_kernel* kernel, cl_program program, tact_program** out)
{
    cl_int code = d->cl.BuildProgram(program, 1, &d->device, d->build_options, NULL, NULL);
    cl_kernel made = NULL;
    tact_result result = TACT_OK;
    if (code == CL_SUCCESS) {
        made = d->cl.CreateKernel(program, kernel->name, &code);
        result = code == CL_SUCCESS ? check_group(d, kernel, made)
                                    : tact_fail(d->base.env, TACT_ERROR_KERNEL_BUILD, "no kernel %s: %s (%d)",
                                                kernel->name, tact_cl_error_name(code), (int)code);
    } else {
        result = fail_build(d, program, code);
    }
    tact_program* kept = result == TACT_OK ? tact_allocate(d->base.env, 1, sizeof *kept) : NULL;
    if (kept) {
        kept->program = program;
        kept->kernel = made;
        *out = kept;
        return TACT_OK;
    }
    if (made) d->cl.ReleaseKernel(made);
    d->cl.ReleaseProgram(program);
    return result == TACT_OK ? TACT_ERROR_OUT_OF_MEMORY : result;
}

static tact_result cl_program_compile(tact_device* device, const tact_kernel* kernel, const char* source, size_t length,
                                      tact_program** program)
{
    cl_device* d = cl_of(device);
    cl_int code = CL_SUCCESS;
    cl_program made = d->cl.CreateProgramWithSource(d->context, 1, &source, &length, &code);
    if (code != CL_SUCCESS) return check(d, code, "creating a program");
    return finish_program(d, kernel, made, program);
}

static bool cl_program_load(tact_device* device, const tact_kernel* kernel, uint32_t format, const void* binary,
                            size_t size, tact_program** program)
{
    cl_device* d = cl_of(device);
    (void)format;
    const unsigned char* bytes = binary;
    cl_int status = CL_SUCCESS, code = CL_SUCCESS;
    cl_program made = d->cl.CreateProgramWithBinary(d->context, 1, &d->device, &size, &bytes, &status, &code);
    if (code != CL_SUCCESS || status != CL_SUCCESS) {
        if (code == CL_SUCCESS) d->cl.ReleaseProgram(made);
        return false;
    }
    return finish_program(d, kernel, made, program) == TACT_OK;
}

static bool cl_program_save(tact_device* device, tact_program* program, uint32_t* format, void** binary, size_t* size)
{
    cl_device* d = cl_of(device);
    cl_device_id devices[MAX_DEVICES];
    size_t sizes[MAX_DEVICES] = {0};
    unsigned char* binaries[MAX_DEVICES] = {0};
    size_t bytes = 0;
    // An adopted context may have several devices; the program is built for ours alone.
    if (d->cl.GetProgramInfo(program->program, CL_PROGRAM_DEVICES, sizeof devices, devices, &bytes) != CL_SUCCESS ||
        d->cl.GetProgramInfo(program->program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL) != CL_SUCCESS) {
        return false;
    }
    const size_t count = bytes / sizeof devices[0];
    size_t own = 0;
    while (own < count && devices[own] != d->device)
        ++own;
    if (own == count || sizes[own] == 0) return false;
    *binary = tact_allocate_zeroed(device->env, sizes[own], 1);
    if (!*binary) return false;
    binaries[own] = *binary;
    if (d->cl.GetProgramInfo(program->program, CL_PROGRAM_BINARIES, count * sizeof binaries[0], binaries, NULL) !=
        CL_SUCCESS) {
        tact_release(device->env, *binary);
        return false;
    }
    *format = 0;
    *size = sizes[own];
    return true;
}

static void cl_program_destroy(tact_device* device, tact_program* program)
{
    cl_device* d = cl_of(device);
    d->cl.ReleaseKernel(program->kernel);
    d->cl.ReleaseProgram(program->program);
    tact_release(device->env, program);
}

// Commands

static cl_int clear_meter(cl_device* d)
{
    const cl_uint zero = 0;
    return d->cl.EnqueueFillBuffer(queue_of(d), d->meter, &zero, sizeof zero, 0, TACT_METER_BYTES, 0, NULL, NULL);
}

static tact_result cl_meter(tact_device* device, uint32_t rows[4 * TACT_METER_ROWS])
{
    cl_device* d = cl_of(device);
    return check_wait(d,
                      d->cl.EnqueueReadBuffer(queue_of(d), d->meter, CL_TRUE, 0, TACT_METER_BYTES, rows, 0, NULL, NULL),
                      "reading what a kernel did");
}

static tact_result make_meter(cl_device* d, const tact_device_model* model)
{
    cl_int code = CL_SUCCESS;
    if (!model) return TACT_OK;
    d->meter = d->cl.CreateBuffer(d->context, CL_MEM_READ_WRITE, TACT_METER_BYTES, NULL, &code);
    return check(d, code, "making room for what kernels do");
}

static tact_result cl_launch(tact_device* device, tact_program* program, const tact_kernel* kernel, uint32_t groups_x,
                             uint32_t groups_y, tact_buffer* const* buffers, const uint32_t* values)
{
    cl_device* d = cl_of(device);
    cl_int code = CL_SUCCESS;
    cl_uint index = 0;
    for (; index < kernel->param_count && code == CL_SUCCESS; ++index) {
        if (index < kernel->buffer_count) {
            cl_mem memory = buffers[index]->handle.object;
            code = d->cl.SetKernelArg(program->kernel, index, sizeof memory, &memory);
        } else {
            code = d->cl.SetKernelArg(program->kernel, index, sizeof *values, values);
            ++values;
        }
    }
    // The parameter that ends the list, see kernels/kernel.h.
    const cl_uint end = 0;
    if (d->meter) {
        if (code == CL_SUCCESS) code = d->cl.SetKernelArg(program->kernel, index, sizeof d->meter, &d->meter);
        if (code == CL_SUCCESS) code = clear_meter(d);
    } else if (code == CL_SUCCESS) {
        code = d->cl.SetKernelArg(program->kernel, index, sizeof end, &end);
    }
    const size_t local[] = {kernel->group, 1};
    const size_t global[] = {(size_t)groups_x * kernel->group, groups_y};
    if (code == CL_SUCCESS) {
        code = d->cl.EnqueueNDRangeKernel(queue_of(d), program->kernel, 2, NULL, global, local, 0, NULL, NULL);
    }
    if (code == CL_SUCCESS) return TACT_OK;
    char what[96];
    snprintf(what, sizeof what, "launching %s", kernel->name);
    return check(d, code, what);
}

static tact_result cl_finish(tact_device* device)
{
    cl_device* d = cl_of(device);
    const cl_int up = d->up ? d->cl.Finish(d->up) : CL_SUCCESS, main = d->cl.Finish(queue_of(d)),
                 down = d->down ? d->cl.Finish(d->down) : CL_SUCCESS;
    return check_wait(d, main != CL_SUCCESS ? main : up != CL_SUCCESS ? up : down, "finishing");
}

static void cl_fence_destroy(tact_fence* fence)
{
    cl_device* d = cl_of(fence->device);
    cl_event event = fence->handle;
    // The note must not come after its place is gone.
    if (fence->noted.buffer) d->cl.WaitForEvents(1, &event);
    d->cl.ReleaseEvent(event);
}

static tact_result cl_fence_create(tact_fence* fence)
{
    cl_device* d = cl_of(fence->device);
    cl_event event = NULL;
    const tact_read* r = &fence->noted;
    const cl_command_queue lane = fence->lane == TACT_LANE_UP     ? d->up
                                  : fence->lane == TACT_LANE_DOWN ? d->down
                                                                  : queue_of(d);
    const cl_int code = r->buffer ? d->cl.EnqueueReadBuffer(lane, r->buffer->handle.object, CL_FALSE, r->offset,
                                                            r->bytes, r->data, 0, NULL, &event)
                                  : d->cl.EnqueueMarkerWithWaitList(lane, 0, NULL, &event);
    fence->handle = event;
    if (code != CL_SUCCESS) return check(d, code, "creating a fence");
    // A marker that was never sent would never be passed by whoever polls it.
    const cl_int sent = d->cl.Flush(lane);
    // Whoever made the fence then lets go of it, and of the place of its note.
    if (sent != CL_SUCCESS) cl_fence_destroy(fence);
    return check(d, sent, "creating a fence");
}

static tact_result cl_fence_poll(tact_fence* fence, bool wait, bool* done)
{
    cl_device* d = cl_of(fence->device);
    cl_event event = fence->handle;
    cl_int code = CL_SUCCESS;
    if (wait) {
        code = d->cl.WaitForEvents(1, &event);
        *done = code == CL_SUCCESS;
        return check_wait(d, code, "waiting for a fence");
    }
    cl_int status = CL_QUEUED;
    code = d->cl.GetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    if (code == CL_SUCCESS && status < 0) code = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    *done = code == CL_SUCCESS && status == CL_COMPLETE;
    return check_wait(d, code, "polling a fence");
}

static tact_result cl_timer_begin(tact_device* device)
{
    cl_device* d = cl_of(device);
    if (!d->clock) return TACT_OK;
    if (d->timer) d->cl.ReleaseEvent(d->timer);
    d->timer = NULL;
    return check(d, d->cl.EnqueueMarkerWithWaitList(queue_of(d), 0, NULL, &d->timer), "starting a timer");
}

static tact_result cl_timer_end(tact_device* device, double* milliseconds)
{
    cl_device* d = cl_of(device);
    if (!d->clock || !d->timer) return TACT_OK;
    cl_event end = NULL;
    cl_ulong from = 0, to = 0;
    cl_int code = d->cl.EnqueueMarkerWithWaitList(queue_of(d), 0, NULL, &end);
    if (code == CL_SUCCESS) code = d->cl.WaitForEvents(1, &end);
    if (code == CL_SUCCESS &&
        d->cl.GetEventProfilingInfo(d->timer, CL_PROFILING_COMMAND_END, sizeof from, &from, NULL) == CL_SUCCESS &&
        d->cl.GetEventProfilingInfo(end, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL) == CL_SUCCESS && to > from) {
        *milliseconds = (double)(to - from) * 1e-6;
    }
    if (end) d->cl.ReleaseEvent(end);
    d->cl.ReleaseEvent(d->timer);
    d->timer = NULL;
    return check_wait(d, code, "reading a timer");
}

static const tact_device_ops OPS = {
    .name = "cl",
    .prelude = "#pragma OPENCL FP_CONTRACT OFF\n",
    .close = cl_close,
    .enter = cl_enter,
    .leave = cl_leave,
    .buffer_create = cl_buffer_create,
    .buffer_adopt = cl_buffer_adopt,
    .buffer_destroy = cl_buffer_destroy,
    .lanes = true,
    .begin_aside = cl_begin_aside,
    .write_waits = true,
    .buffer_write = cl_buffer_write,
    .read = cl_read,
    .ring_open = cl_ring_open,
    .ring_close = cl_ring_close,
    .ring_up = cl_ring_up,
    .ring_down = cl_ring_down,
    .buffer_copy = cl_buffer_copy,
    .buffer_fill = cl_buffer_fill,
    .program_compile = cl_program_compile,
    .program_load = cl_program_load,
    .program_save = cl_program_save,
    .program_destroy = cl_program_destroy,
    .launch = cl_launch,
    .meter = cl_meter,
    .finish = cl_finish,
    .fence_create = cl_fence_create,
    .fence_poll = cl_fence_poll,
    .fence_destroy = cl_fence_destroy,
    .timer_begin = cl_timer_begin,
    .timer_end = cl_timer_end,
};

// Choosing a device

// Reasons why there is none, one after the other.
typedef struct reasons {
    char text[512];
    size_t used;
} reasons;

static void give_reason(reasons* why, const char* who, const char* reason)
{
    const int written =
        snprintf(why->text + why->used, sizeof why->text - why->used, "%s%s: %s", why->used ? "; " : "", who, reason);
    if (written > 0) why->used += (size_t)written;
    if (why->used >= sizeof why->text) why->used = sizeof why->text - 1;
}

// PoCL ends the process, instead of reporting an error, when it is asked for its devices and something that it needs is
// missing. Its name can be asked for safely, so this is decided by the name.
static const char* platform_danger(const char* name)
{
    if (!strstr(name, "Portable Computing Language")) return NULL;
    const char* cache = getenv("POCL_CACHE_DIR");
    if (cache && !*cache) return "left out, since it ends the process when POCL_CACHE_DIR is set but empty";
#if defined(__linux__)
    if (!tact_platform_exists("/sys/devices/system/cpu")) {
        return "left out, since it ends the process where /sys is not mounted";
    }
#endif
#if !defined(_WIN32)
    if (!tact_platform_on_path("ld")) return "left out, since it ends the process when ld is not on the PATH";
#endif
    return NULL;
}

static void device_string(const cl_device* d, cl_device_id device, cl_device_info what, char* text, size_t size)
{
    char raw[1024] = "";
    if (d->cl.GetDeviceInfo(device, what, sizeof raw, raw, NULL) != CL_SUCCESS) raw[0] = '\0';
    snprintf(text, size, "%.*s", (int)(size - 1), raw + strspn(raw, " "));
}

static cl_ulong device_number(const cl_device* d, cl_device_id device, cl_device_info what)
{
    // Little-endian or not, the answer has the size of the question's type.
    union {
        cl_ulong wide;
        cl_uint narrow;
    } value = {0};
    size_t size = 0;
    if (d->cl.GetDeviceInfo(device, what, sizeof value, &value, &size) != CL_SUCCESS) return 0;
    return size == sizeof value.narrow ? value.narrow : value.wide;
}

// NULL when the device can be used.
static const char* device_defect(const cl_device* d, cl_device_id device)
{
    char version[128];
    device_string(d, device, CL_DEVICE_VERSION, version, sizeof version);
    int major = 0, minor = 0;
    if (sscanf(version, "OpenCL %d.%d", &major, &minor) != 2 || major * 10 + minor < 12) {
        return "is older than OpenCL 1.2";
    }
    if (!device_number(d, device, CL_DEVICE_AVAILABLE)) return "is not available";
    if (!device_number(d, device, CL_DEVICE_COMPILER_AVAILABLE)) return "has no compiler";
    return NULL;
}

// By kind, then memory of its own before the host's, then how much it does at once.
static double device_rank(const cl_device* d, cl_device_id device)
{
    const cl_ulong type = device_number(d, device, CL_DEVICE_TYPE);
    const double kind = type & CL_DEVICE_TYPE_GPU ? 3.0 : type & CL_DEVICE_TYPE_ACCELERATOR ? 2.0 : 1.0;
    const double own = device_number(d, device, CL_DEVICE_HOST_UNIFIED_MEMORY) ? 0.0 : 0.5;
    const double rate = (double)device_number(d, device, CL_DEVICE_MAX_COMPUTE_UNITS) *
                        (double)device_number(d, device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    return kind + own + 0.5 * rate / (rate + 1e6);
}

// The best device of all platforms, into d->device.
static void choose_device(cl_device* d, reasons* why)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint platform_count = 0;
    double best = 0.0;
    if (d->cl.GetPlatformIDs(MAX_PLATFORMS, platforms, &platform_count) != CL_SUCCESS) platform_count = 0;
    if (platform_count > MAX_PLATFORMS) platform_count = MAX_PLATFORMS;
    if (platform_count == 0) give_reason(why, "OpenCL", "no platform is installed");
    for (cl_uint p = 0; p < platform_count; ++p) {
        char platform[128] = "";
        d->cl.GetPlatformInfo(platforms[p], CL_PLATFORM_NAME, sizeof platform, platform, NULL);
        const char* danger = platform_danger(platform);
        if (danger) {
            give_reason(why, platform, danger);
            continue;
        }
        cl_device_id devices[MAX_DEVICES];
        cl_uint count = 0;
        if (d->cl.GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &count) != CL_SUCCESS ||
            count == 0) {
            give_reason(why, platform, "has no device");
            continue;
        }
        for (cl_uint i = 0; i < count && i < MAX_DEVICES; ++i) {
            const char* defect = device_defect(d, devices[i]);
            if (defect) {
                char name[128];
                device_string(d, devices[i], CL_DEVICE_NAME, name, sizeof name);
                give_reason(why, name, defect);
            } else if (device_rank(d, devices[i]) > best) {
                best = device_rank(d, devices[i]);
                d->device = devices[i];
            }
        }
    }
}

static tact_result make_own(cl_device* d)
{
    tact_env* env = d->base.env;
    reasons why = {{0}, 0};
    choose_device(d, &why);
    if (!d->device) return tact_fail(env, TACT_ERROR_NO_DEVICE, "no OpenCL 1.2 device: %s", why.text);
    cl_platform_id platform = NULL;
    d->cl.GetDeviceInfo(d->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_int code = CL_SUCCESS;
    d->context = d->cl.CreateContext(properties, 1, &d->device, NULL, NULL, &code);
    if (code != CL_SUCCESS) return check(d, code, "creating an OpenCL context");
    return TACT_OK;
}

static tact_result adopt(cl_device* d, const tact_device_open* open)
{
    tact_env* env = d->base.env;
    cl_device_id devices[MAX_DEVICES];
    size_t bytes = 0;
    if (d->cl.GetContextInfo(open->cl_context, CL_CONTEXT_DEVICES, sizeof devices, devices, &bytes) != CL_SUCCESS) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "cl_context is no OpenCL context");
    }
    size_t i = 0;
    while (i < bytes / sizeof devices[0] && devices[i] != open->cl_device)
        ++i;
    if (i == bytes / sizeof devices[0]) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "cl_device does not belong to cl_context");
    }
    const char* defect = device_defect(d, open->cl_device);
    if (defect) return tact_fail(env, TACT_ERROR_NO_DEVICE, "the adopted OpenCL device %s", defect);
    if (open->cl_queue) {
        cl_command_queue_properties properties = 0;
        cl_device_id device = NULL;
        cl_context context = NULL;
        d->cl.GetCommandQueueInfo(open->cl_queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);
        d->cl.GetCommandQueueInfo(open->cl_queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
        d->cl.GetCommandQueueInfo(open->cl_queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
        if (device != open->cl_device || context != open->cl_context) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "cl_queue is not of cl_device and cl_context");
        }
        if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "cl_queue must be in order");
        }
        d->cl.RetainCommandQueue(open->cl_queue);
        d->queue = open->cl_queue;
    }
    d->cl.RetainContext(open->cl_context);
    d->context = open->cl_context;
    d->device = open->cl_device;
    d->base.info.adopted = true;
    return TACT_OK;
}

static tact_result make_queue(cl_device* d)
{
    if (d->queue) return TACT_OK;
    cl_int code = CL_SUCCESS;
    d->queue = d->cl.CreateCommandQueue(d->context, d->device, CL_QUEUE_PROFILING_ENABLE, &code);
    d->clock = code == CL_SUCCESS && !d->base.info.software;
    if (code != CL_SUCCESS) d->queue = d->cl.CreateCommandQueue(d->context, d->device, 0, &code);
    return check(d, code, "creating an OpenCL queue");
}

static void describe(cl_device* d, const tact_device_model* model)
{
    tact_device_info* info = &d->base.info;
    info->backend = TACT_BACKEND_CL;
    device_string(d, d->device, CL_DEVICE_NAME, info->name, sizeof info->name);
    device_string(d, d->device, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    device_string(d, d->device, CL_DRIVER_VERSION, info->driver, sizeof info->driver);
    device_string(d, d->device, CL_DEVICE_VERSION, info->version, sizeof info->version);
    device_string(d, d->device, CL_DEVICE_OPENCL_C_VERSION, info->language, sizeof info->language);
    info->software = (device_number(d, d->device, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
    info->compute_units = (uint32_t)device_number(d, d->device, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->max_group_size = (uint32_t)device_number(d, d->device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    // OpenCL has no such limit but the size of its ids; groups of 256 then still fit into 31 bits.
    info->max_groups = 0x7fffff;
    info->shared_bytes = (uint32_t)device_number(d, d->device, CL_DEVICE_LOCAL_MEM_SIZE);
    info->max_buffers = (uint32_t)(device_number(d, d->device, CL_DEVICE_MAX_PARAMETER_SIZE) / sizeof(cl_ulong));
    info->max_buffer_bytes = device_number(d, d->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->memory_bytes = device_number(d, d->device, CL_DEVICE_GLOBAL_MEM_SIZE);

    const bool rounded = device_number(d, d->device, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    snprintf(d->build_options, sizeof d->build_options, "-cl-std=CL1.2%s%s",
             rounded ? " -cl-fp32-correctly-rounded-divide-sqrt" : "",
             model && model->flushes_subnormals ? " -cl-denorms-are-zero" : "");
    cl_platform_id platform = NULL;
    char version[128] = "";
    d->cl.GetDeviceInfo(d->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    d->cl.GetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, NULL);
    snprintf(d->base.options, sizeof d->base.options, "%s | %s", d->build_options, version);
}

tact_result tact_device_open_cl(const tact_device_open* open, tact_device** device)
{
    *device = NULL;
    tact_env* env = open->env;
    const bool adopted = open->source == TACT_DEVICE_ADOPT;
    if (adopted && (!open->cl_context || !open->cl_device)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "adopting OpenCL needs cl_context and cl_device");
    }
    cl_device* d = tact_allocate_zeroed(env, 1, sizeof *d);
    if (!d) return TACT_ERROR_OUT_OF_MEMORY;
    d->base.ops = &OPS;
    d->base.env = env;
    tact_result result = TACT_OK;
    if (!tact_cl_load(&d->cl)) {
        result = tact_fail(env, TACT_ERROR_NO_DEVICE, "there is no OpenCL 1.2 library (libOpenCL.so.1)");
    }
    if (result == TACT_OK) result = adopted ? adopt(d, open) : make_own(d);
    if (result == TACT_OK) {
        describe(d, open->model);
        result = make_queue(d);
        if (result == TACT_OK) result = make_meter(d, open->model);
    }
    if (result != TACT_OK) {
        cl_close(&d->base);
        return result;
    }
    return tact_device_complete(&d->base, open, device);
}
