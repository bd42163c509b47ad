// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/context/backends.h"

#include <string.h>

/// With a modelled device that is the only one.
static tact_device_source source_of_gl(const tact_context_desc* desc)
{
    return desc->model ? TACT_DEVICE_NONE : desc->gl;
}

static const char* check_gl(const tact_context_desc* desc)
{
    if ((unsigned)desc->gl > TACT_DEVICE_ADOPT) return "gl is no tact_device_source";
    const bool lacks = desc->gl == TACT_DEVICE_ADOPT && !desc->gl_get_proc_address;
    return lacks ? "adopting an OpenGL context needs gl_get_proc_address" : NULL;
}

static tact_device_source source_of_cl(const tact_context_desc* desc)
{
    return desc->cl;
}

static const char* check_model(const tact_device_model* m)
{
    const double times[] = {m->launch_us, m->start_us, m->wait_us, m->transfer_us, m->allocate_us, m->latency_ns};
    const double rates[] = {m->up_gbs,    m->down_gbs,   m->host_gbs, m->memory_gbs,
                            m->cache_gbs, m->accesses_g, m->atomics_g};
    if (!memchr(m->name, 0, sizeof m->name) || !m->name[0]) return "a modelled device needs a name";
    for (size_t i = 0; i < sizeof times / sizeof times[0]; ++i)
        if (!(times[i] >= 0.0 && times[i] <= 1e9)) return "a time of the modelled device is no number from 0 to 1e9";
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i)
        if (!(rates[i] > 0.0 && rates[i] <= 1e9)) return "a rate of the modelled device is no number above 0";
    return NULL;
}

static const char* check_cl(const tact_context_desc* desc)
{
    const char* wrong = desc->model ? check_model(desc->model) : NULL;
    if (wrong) return wrong;
    if ((unsigned)desc->cl > TACT_DEVICE_ADOPT) return "cl is no tact_device_source";
    const bool lacks = desc->cl == TACT_DEVICE_ADOPT && (!desc->cl_context || !desc->cl_device);
    return lacks ? "adopting an OpenCL context needs cl_context and cl_device" : NULL;
}

#ifdef TACT_HAVE_GPU

static tact_result open_gl(const tact_context_desc* desc, tact_device_open* how, tact_device** device)
{
    how->gl_get_proc_address = desc->gl_get_proc_address;
    return tact_device_open_gl(how, device);
}

static tact_result open_cl(const tact_context_desc* desc, tact_device_open* how, tact_device** device)
{
    how->cl_context = desc->cl_context;
    how->cl_device = desc->cl_device;
    how->cl_queue = desc->cl_queue;
    how->model = desc->model;
    return tact_device_open_cl(how, device);
}

#define OPENED_BY(function) , .open = (function)
#else
#define OPENED_BY(function)
#endif

static const tact_backend_class classes[TACT_BACKEND_COUNT] = {
    [TACT_BACKEND_AUTO] = {.name = "auto"},
    [TACT_BACKEND_CPU] = {.name = "cpu"},
    [TACT_BACKEND_GL] = {.name = "gl", .source = source_of_gl, .check = check_gl OPENED_BY(open_gl)},
    [TACT_BACKEND_CL] = {.name = "cl", .source = source_of_cl, .check = check_cl OPENED_BY(open_cl)},
    [TACT_BACKEND_REFERENCE] = {.name = "reference"},
};

const tact_backend_class* tact_backend_class_of(tact_backend backend)
{
    return (unsigned)backend < TACT_BACKEND_COUNT ? &classes[backend] : NULL;
}

bool tact_backend_is_device(tact_backend backend)
{
    return (unsigned)backend < TACT_BACKEND_COUNT && classes[backend].source;
}

const char* tact_backend_name(tact_backend backend)
{
    return (unsigned)backend < TACT_BACKEND_COUNT ? classes[backend].name : "?";
}
