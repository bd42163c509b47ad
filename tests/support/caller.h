// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A program with OpenGL or OpenCL of its own, whose context the library adopts, and buffers in it. Set up and taken
/// down by caller_setup_gl, caller_setup_cl and caller_teardown around each test, in a list by ON_GL, ON_CL or ON_BOTH.
/// Include after run.h.

#include "core/context/context.h"
#include "tact/volumes.h"

#ifdef TACT_HAVE_GL
#include <glad/gl.h>

#include "gpu/device_gl.h"
#endif
#ifdef TACT_HAVE_CL
#include "gpu/cl_api.h"
#endif

/// The caller: a context of its own, and what it does with buffers.
typedef struct caller {
    tact_env env;
    tact_backend backend;
    tact_context* context;  ///< NULL: no device
#ifdef TACT_HAVE_GL
    tact_egl* egl;
    GladGLContext gl;
#endif
#ifdef TACT_HAVE_CL
    tact_cl_api cl;
    cl_device_id cl_device;
    cl_context cl_context;
    cl_command_queue queue;
#endif
} caller;

#ifdef TACT_HAVE_GL
static tact_egl* callers_egl;

static inline tact_gl_function callers_function(const char* name)
{
    return tact_egl_function(callers_egl, name);
}

static inline GLADapiproc callers_loader(void* user, const char* name)
{
    return (GLADapiproc)callers_function(name);
}
#endif

/// A caller with OpenGL or OpenCL, where it is there, and without a context of the library's.
static inline caller* caller_make(tact_backend backend)
{
    caller* c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->backend = backend;
    tact_env_init(&c->env, NULL, NULL, NULL, NULL, NULL);
#ifdef TACT_HAVE_GL
    if (backend == TACT_BACKEND_GL && tact_egl_open(&c->env, 0, &c->egl) == TACT_OK) {
        callers_egl = c->egl;
        assert_int_equal(tact_egl_enter(&c->env, c->egl), TACT_OK);
        assert_true(tact_glad_load_contextUserPtr(&c->gl, callers_loader, NULL));
    }
#endif
#ifdef TACT_HAVE_CL
    cl_platform_id platforms[8];
    cl_uint count = 0;
    cl_int code = CL_SUCCESS;
    if (backend != TACT_BACKEND_CL || !tact_cl_load(&c->cl)) return c;
    if (c->cl.GetPlatformIDs(8, platforms, &count) != CL_SUCCESS) return c;
    for (cl_uint i = 0; i < count && i < 8 && !c->cl_device; ++i)
        c->cl.GetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &c->cl_device, NULL);
    if (c->cl_device) c->cl_context = c->cl.CreateContext(NULL, 1, &c->cl_device, NULL, NULL, &code);
    if (c->cl_context) c->queue = c->cl.CreateCommandQueue(c->cl_context, c->cl_device, 0, &code);
#endif
    return c;
}

/// `records`: queries that the context keeps.
static inline int caller_setup(void** state, tact_backend backend, uint32_t records)
{
    caller* c = caller_make(backend);
    tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .record_queries = records};
    *state = c;
#ifdef TACT_HAVE_GL
    if (c->egl) {
        desc.gl = TACT_DEVICE_ADOPT;
        desc.gl_get_proc_address = callers_function;
    }
#endif
#ifdef TACT_HAVE_CL
    if (c->cl_context) {
        desc.cl = TACT_DEVICE_ADOPT;
        desc.cl_context = c->cl_context;
        desc.cl_device = c->cl_device;
        desc.cl_queue = c->queue;
    }
#endif
    if (desc.gl == TACT_DEVICE_NONE && desc.cl == TACT_DEVICE_NONE) return 0;
    return tact_context_create(&desc, &c->context) == TACT_OK ? 0 : -1;
}

static inline int caller_setup_gl(void** state)
{
    return caller_setup(state, TACT_BACKEND_GL, 0);
}

static inline int caller_setup_cl(void** state)
{
    return caller_setup(state, TACT_BACKEND_CL, 0);
}

/// Frees the caller and the context that has adopted its own.
static inline void caller_destroy(void* made)
{
    caller* c = made;
    tact_context_destroy(c->context);
#ifdef TACT_HAVE_GL
    if (c->egl) {
        tact_egl_leave(c->egl);
        tact_egl_close(&c->env, c->egl);
    }
#endif
#ifdef TACT_HAVE_CL
    if (c->queue) c->cl.ReleaseCommandQueue(c->queue);
    if (c->cl_context) c->cl.ReleaseContext(c->cl_context);
#endif
    free(c);
}

static inline int caller_teardown(void** state)
{
    caller_destroy(*state);
    return 0;
}

static inline caller* caller_require(void** state)
{
    caller* c = *state;
    if (!c->context) {
        miss_device(c->backend, c->env.error);
        skip_because("the device is missing");
    }
    need_device(c->context, c->backend);
    return c;
}

/// A buffer of the caller's, until the test ends.
typedef struct caller_array {
    caller* owner;
    tact_device_array array;
} caller_array;

static inline void caller_end_array(void* made)
{
    caller_array* m = made;
    caller* c = m->owner;
#ifdef TACT_HAVE_GL
    if (c->backend == TACT_BACKEND_GL) c->gl.DeleteBuffers(1, &m->array.gl_buffer);
#endif
#ifdef TACT_HAVE_CL
    if (c->backend == TACT_BACKEND_CL) c->cl.ReleaseMemObject(m->array.cl_mem);
#endif
}

static inline tact_device_array caller_make_array(caller* c, size_t bytes, uint64_t offset)
{
    tact_device_array array = {.backend = c->backend, .offset = offset};
#ifdef TACT_HAVE_GL
    if (c->backend == TACT_BACKEND_GL) {
        GLuint name = 0;
        c->gl.GenBuffers(1, &name);
        c->gl.BindBuffer(GL_ARRAY_BUFFER, name);
        c->gl.BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, NULL, GL_DYNAMIC_DRAW);
        array.gl_buffer = name;
    }
#endif
#ifdef TACT_HAVE_CL
    if (c->backend == TACT_BACKEND_CL) {
        cl_int code = CL_SUCCESS;
        array.cl_mem = c->cl.CreateBuffer(c->cl_context, CL_MEM_READ_WRITE, bytes, NULL, &code);
        assert_int_equal(code, CL_SUCCESS);
    }
#endif
    caller_array* made = scratch(sizeof *made);
    *made = (caller_array){c, array};
    at_end(caller_end_array, made);
    return array;
}

static inline void caller_write_array(caller* c, const tact_device_array* array, const void* data, size_t bytes)
{
#ifdef TACT_HAVE_GL
    if (c->backend == TACT_BACKEND_GL) {
        c->gl.BindBuffer(GL_ARRAY_BUFFER, array->gl_buffer);
        c->gl.BufferSubData(GL_ARRAY_BUFFER, (GLintptr)array->offset, (GLsizeiptr)bytes, data);
    }
#endif
#ifdef TACT_HAVE_CL
    if (c->backend == TACT_BACKEND_CL) {
        assert_int_equal(
            c->cl.EnqueueWriteBuffer(c->queue, array->cl_mem, CL_TRUE, array->offset, bytes, data, 0, NULL, NULL),
            CL_SUCCESS);
    }
#endif
}

static inline void caller_read_array(caller* c, const tact_device_array* array, void* data, size_t bytes)
{
#ifdef TACT_HAVE_GL
    if (c->backend == TACT_BACKEND_GL) {
        c->gl.BindBuffer(GL_ARRAY_BUFFER, array->gl_buffer);
        c->gl.GetBufferSubData(GL_ARRAY_BUFFER, (GLintptr)array->offset, (GLsizeiptr)bytes, data);
    }
#endif
#ifdef TACT_HAVE_CL
    if (c->backend == TACT_BACKEND_CL) {
        assert_int_equal(
            c->cl.EnqueueReadBuffer(c->queue, array->cl_mem, CL_TRUE, array->offset, bytes, data, 0, NULL, NULL),
            CL_SUCCESS);
    }
#endif
}

/// What the context's last query was expected to bring from a device so that `backend` can answer, and after; in ms.
/// Negative where that one could not be asked.
static inline double caller_download_ms(const caller* c, tact_backend backend)
{
    tact_explanation explanation;
    assert_int_equal(tact_explain(c->context, &explanation), TACT_OK);
    for (uint32_t i = 0; i < explanation.count; ++i) {
        const tact_candidate* one = &explanation.candidates[i];
        const bool asked = one->fate != TACT_CANDIDATE_MISSING && one->fate != TACT_CANDIDATE_UNSUITABLE;
        if (one->backend == backend && asked) return one->download_ms;
    }
    return -1.0;
}

/// Entries of a list of tests: with a caller's device.
#define ON_GL(name)                                                 \
    {                                                               \
#name " (gl)", name, caller_setup_gl, caller_teardown, NULL \
    }
#define ON_CL(name)                                                 \
    {                                                               \
#name " (cl)", name, caller_setup_cl, caller_teardown, NULL \
    }
#define ON_BOTH(name) ON_GL(name), ON_CL(name)
