// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// The commands of a device on OpenCL 1.2.

#include <stdio.h>
#include <string.h>

#include "gpu/device_cl.h"

struct tact_program {
    cl_program program;
    cl_kernel kernel;
};

static cl_device* cl_of(tact_device* device)
{
    return (cl_device*)device;
}

tact_result tact_cl_check(cl_device* d, cl_int code, const char* what)
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
        return tact_cl_check(d, code, what);
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
    return tact_cl_check(d, code, what);
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
    return tact_cl_check(d, d->cl.RetainMemObject(memory), "taking the caller's buffer");
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
    if (code != CL_SUCCESS) return tact_cl_check(d, code, "making a ring");
    ring->memory =
        d->cl.EnqueueMapBuffer(d->queue, object, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
    ring->handle.object = object;
    if (code == CL_SUCCESS && ring->memory) return TACT_OK;
    d->cl.ReleaseMemObject(object);
    ring->memory = NULL;
    return tact_cl_check(d, code == CL_SUCCESS ? CL_MEM_OBJECT_ALLOCATION_FAILURE : code, "mapping a ring");
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
    return tact_cl_check(d, code, "writing a buffer");
}

static tact_result cl_ring_down(tact_ring* ring, size_t place, const tact_read* part)
{
    cl_device* d = cl_of(part->buffer->device);
    const bool aside = part->buffer->device->aside;
    if (aside && !put_behind(d, d->down)) (void)d->cl.Finish(d->queue);
    return tact_cl_check(d,
                         d->cl.EnqueueReadBuffer(aside ? d->down : queue_of(d), part->buffer->handle.object, CL_FALSE,
                                                 part->offset, part->bytes, ring->memory + place, 0, NULL, NULL),
                         "reading a buffer");
}

static tact_result cl_buffer_copy(tact_buffer* to, size_t to_offset, tact_buffer* from, size_t from_offset,
                                  size_t bytes)
{
    cl_device* d = cl_of(to->device);
    return tact_cl_check(d,
                         d->cl.EnqueueCopyBuffer(queue_of(d), from->handle.object, to->handle.object, from_offset,
                                                 to_offset, bytes, 0, NULL, NULL),
                         "copying between buffers");
}

static tact_result cl_buffer_fill(tact_buffer* buffer, size_t offset, size_t bytes, uint32_t value)
{
    cl_device* d = cl_of(buffer->device);
    return tact_cl_check(
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
    if (code != CL_SUCCESS) return tact_cl_check(d, code, "creating a program");
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
    cl_device_id devices[TACT_CL_DEVICES_MAX];
    size_t sizes[TACT_CL_DEVICES_MAX] = {0};
    unsigned char* binaries[TACT_CL_DEVICES_MAX] = {0};
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

tact_result tact_cl_make_meter(cl_device* d, const tact_device_model* model)
{
    cl_int code = CL_SUCCESS;
    if (!model) return TACT_OK;
    d->meter = d->cl.CreateBuffer(d->context, CL_MEM_READ_WRITE, TACT_METER_BYTES, NULL, &code);
    return tact_cl_check(d, code, "making room for what kernels do");
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
    return tact_cl_check(d, code, what);
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
    if (code != CL_SUCCESS) return tact_cl_check(d, code, "creating a fence");
    // A marker that was never sent would never be passed by whoever polls it.
    const cl_int sent = d->cl.Flush(lane);
    // Whoever made the fence then lets go of it, and of the place of its note.
    if (sent != CL_SUCCESS) cl_fence_destroy(fence);
    return tact_cl_check(d, sent, "creating a fence");
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
    return tact_cl_check(d, d->cl.EnqueueMarkerWithWaitList(queue_of(d), 0, NULL, &d->timer), "starting a timer");
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

const tact_device_ops tact_cl_ops = {
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
