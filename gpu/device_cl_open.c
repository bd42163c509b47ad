// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Opening a device on OpenCL 1.2: the best there is, or the caller's.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"
#include "gpu/device_cl.h"

enum { MAX_PLATFORMS = 16 };

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

// The best device of all platforms, into d->device; where several are as good, the one with that number.
static void choose_device(cl_device* d, uint32_t number, reasons* why)
{
    cl_device_id alike[TACT_CL_DEVICES_MAX];
    uint32_t found = 0;
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
        cl_device_id devices[TACT_CL_DEVICES_MAX];
        cl_uint count = 0;
        if (d->cl.GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, TACT_CL_DEVICES_MAX, devices, &count) != CL_SUCCESS ||
            count == 0) {
            give_reason(why, platform, "has no device");
            continue;
        }
        for (cl_uint i = 0; i < count && i < TACT_CL_DEVICES_MAX; ++i) {
            const char* defect = device_defect(d, devices[i]);
            const double rank = defect ? 0.0 : device_rank(d, devices[i]);
            if (defect) {
                char name[128];
                device_string(d, devices[i], CL_DEVICE_NAME, name, sizeof name);
                give_reason(why, name, defect);
            } else if (rank > best) {
                best = rank;
                found = 1;
                alike[0] = devices[i];
            } else if (rank == best && found < TACT_CL_DEVICES_MAX) {
                alike[found++] = devices[i];
            }
        }
    }
    if (found == 0) return;
    d->base.info.number = number % found;
    d->base.info.alike = found;
    d->device = alike[number % found];
}

static tact_result make_own(cl_device* d, uint32_t number)
{
    tact_env* env = d->base.env;
    reasons why = {{0}, 0};
    choose_device(d, number, &why);
    if (!d->device) return tact_fail(env, TACT_ERROR_NO_DEVICE, "no OpenCL 1.2 device: %s", why.text);
    cl_platform_id platform = NULL;
    d->cl.GetDeviceInfo(d->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_int code = CL_SUCCESS;
    d->context = d->cl.CreateContext(properties, 1, &d->device, NULL, NULL, &code);
    if (code != CL_SUCCESS) return tact_cl_check(d, code, "creating an OpenCL context");
    return TACT_OK;
}

static tact_result adopt(cl_device* d, const tact_device_open* open)
{
    tact_env* env = d->base.env;
    cl_device_id devices[TACT_CL_DEVICES_MAX];
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
    return tact_cl_check(d, code, "creating an OpenCL queue");
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
    d->base.ops = &tact_cl_ops;
    d->base.env = env;
    tact_result result = TACT_OK;
    if (!tact_cl_load(&d->cl)) {
        result = tact_fail(env, TACT_ERROR_NO_DEVICE, "there is no OpenCL 1.2 library (libOpenCL.so.1)");
    }
    if (result == TACT_OK) result = adopted ? adopt(d, open) : make_own(d, open->number);
    if (result == TACT_OK) {
        describe(d, open->model);
        result = make_queue(d);
        if (result == TACT_OK) result = tact_cl_make_meter(d, open->model);
    }
    if (result != TACT_OK) {
        tact_cl_ops.close(&d->base);
        return result;
    }
    return tact_device_complete(&d->base, open, device);
}
