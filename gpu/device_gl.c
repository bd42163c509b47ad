// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// The device on OpenGL 4.3 compute shaders, in a headless context of its own or in the caller's.

#include <stdio.h>
#include <string.h>

#include <glad/gl.h>

#include "gpu/device_backend.h"
#include "gpu/device_gl.h"
#include "gpu/kernel_log.h"

enum { MAX_BUFFERS = 8, MAX_ERRORS = 16, LOG_BYTES = 4096, STAGING = 1 << 16 };

#ifndef GL_CONTEXT_LOST
#define GL_CONTEXT_LOST 0x0507
#endif

typedef struct indexed_binding {
    GLint buffer;
    GLint64 start, size;
} indexed_binding;

// What the device changes of an adopted context's state.
typedef struct saved_state {
    GLint program;
    GLint storage, copy_read, copy_write;
    indexed_binding bindings[MAX_BUFFERS];
} saved_state;

typedef struct gl_device {
    tact_device base;
    GladGLContext gl;
    tact_egl* egl;                                    // NULL: adopted
    PFNGLGETGRAPHICSRESETSTATUSARBPROC reset_status;  // NULL where resets are not told
    bool binaries;
    bool clock;  // timestamps mean something
    GLuint timestamps[2];
    GLuint staging;               // 0: none yet
    const unsigned char* staged;  // mapped for as long as there is the buffer
    const char* unasked;          // the latest command since OpenGL was asked for errors; NULL: none
    saved_state saved;
} gl_device;

struct tact_program {
    GLuint name;
};

static gl_device* gl_of(tact_device* device)
{
    return (gl_device*)device;
}

static tact_result check_reset(gl_device* d)
{
    if (!d->reset_status || d->reset_status() == GL_NO_ERROR) return TACT_OK;
    return tact_fail(d->base.env, TACT_ERROR_DEVICE_LOST, "the OpenGL context was reset");
}

// Notes a command whose errors are asked for later.
static tact_result put_off(gl_device* d, const char* command)
{
    d->unasked = command;
    return TACT_OK;
}

// Turns OpenGL's error flags into a result. They may be those of commands that were put off.
static tact_result check(gl_device* d, const char* what)
{
    GLenum first = GL_NO_ERROR;
    const char* before = d->unasked ? d->unasked : what;
    const char* or = before == what ? "" : " or before: ";
    if (before == what) before = "";
    d->unasked = NULL;
    // A lost context may answer with errors without end.
    for (int i = 0; i < MAX_ERRORS; ++i) {
        const GLenum code = d->gl.GetError();
        if (code == GL_NO_ERROR) break;
        if (first == GL_NO_ERROR || code == GL_OUT_OF_MEMORY || code == GL_CONTEXT_LOST) first = code;
    }
    if (first == GL_NO_ERROR) return TACT_OK;
    if (first == GL_CONTEXT_LOST || check_reset(d) != TACT_OK) {
        return tact_fail(d->base.env, TACT_ERROR_DEVICE_LOST, "%s%s%s: the OpenGL context was lost", what, or, before);
    }
    if (first == GL_OUT_OF_MEMORY) {
        return tact_fail(d->base.env, TACT_ERROR_DEVICE_OUT_OF_MEMORY, "%s%s%s: OpenGL is out of memory", what, or,
                         before);
    }
    return tact_fail(d->base.env, TACT_ERROR_DEVICE, "%s%s%s: OpenGL error 0x%04x", what, or, before, (unsigned)first);
}

// Asks for the errors of commands that were put off.
static tact_result gl_ask(tact_device* device, bool reset)
{
    gl_device* d = gl_of(device);
    const tact_result result = d->unasked ? check(d, d->unasked) : TACT_OK;
    return result == TACT_OK && reset ? check_reset(d) : result;
}

// Context

// Errors that the caller left behind in an adopted context would be taken for ours.
static void clear_errors(gl_device* d)
{
    for (int i = 0; i < MAX_ERRORS; ++i) {
        const GLenum code = d->gl.GetError();
        if (code == GL_NO_ERROR) break;
        tact_log(d->base.env, TACT_LOG_WARNING, "gl", "the context had a pending error 0x%04x", (unsigned)code);
    }
}

static void save_state(gl_device* d)
{
    const GladGLContext* gl = &d->gl;
    saved_state* s = &d->saved;
    gl->GetIntegerv(GL_CURRENT_PROGRAM, &s->program);
    gl->GetIntegerv(GL_SHADER_STORAGE_BUFFER_BINDING, &s->storage);
    gl->GetIntegerv(GL_COPY_READ_BUFFER_BINDING, &s->copy_read);
    gl->GetIntegerv(GL_COPY_WRITE_BUFFER_BINDING, &s->copy_write);
    for (GLuint i = 0; i < MAX_BUFFERS; ++i) {
        gl->GetIntegeri_v(GL_SHADER_STORAGE_BUFFER_BINDING, i, &s->bindings[i].buffer);
        gl->GetInteger64i_v(GL_SHADER_STORAGE_BUFFER_START, i, &s->bindings[i].start);
        gl->GetInteger64i_v(GL_SHADER_STORAGE_BUFFER_SIZE, i, &s->bindings[i].size);
    }
}

static void restore_state(gl_device* d)
{
    const GladGLContext* gl = &d->gl;
    const saved_state* s = &d->saved;
    // Not to be called while the caller's transform feedback runs, so only where it must be.
    GLint program = 0;
    gl->GetIntegerv(GL_CURRENT_PROGRAM, &program);
    if (program != s->program) gl->UseProgram((GLuint)s->program);
    for (GLuint i = 0; i < MAX_BUFFERS; ++i) {
        const indexed_binding* b = &s->bindings[i];
        if (b->buffer != 0 && b->size > 0) {
            gl->BindBufferRange(GL_SHADER_STORAGE_BUFFER, i, (GLuint)b->buffer, (GLintptr)b->start,
                                (GLsizeiptr)b->size);
        } else {
            gl->BindBufferBase(GL_SHADER_STORAGE_BUFFER, i, (GLuint)b->buffer);
        }
    }
    // After the indexed ones, which change it.
    gl->BindBuffer(GL_SHADER_STORAGE_BUFFER, (GLuint)s->storage);
    gl->BindBuffer(GL_COPY_READ_BUFFER, (GLuint)s->copy_read);
    gl->BindBuffer(GL_COPY_WRITE_BUFFER, (GLuint)s->copy_write);
}

static tact_result gl_enter(tact_device* device)
{
    gl_device* d = gl_of(device);
    if (d->egl) return tact_egl_enter(device->env, d->egl);
    clear_errors(d);
    save_state(d);
    return TACT_OK;
}

static void gl_leave(tact_device* device)
{
    gl_device* d = gl_of(device);
    if (d->egl) {
        tact_egl_leave(d->egl);
        return;
    }
    // What the kernels wrote may be used by the caller in any way.
    d->gl.MemoryBarrier(GL_ALL_BARRIER_BITS);
    restore_state(d);
}

static void gl_close(tact_device* device)
{
    gl_device* d = gl_of(device);
    if ((d->timestamps[0] || d->staging) && tact_device_enter(device) == TACT_OK) {
        if (d->timestamps[0]) d->gl.DeleteQueries(2, d->timestamps);
        if (d->staging) d->gl.DeleteBuffers(1, &d->staging);
        tact_device_leave(device);
    }
    tact_egl_close(device->env, d->egl);
    tact_release(device->env, d);
}

// Buffers

static tact_result gl_buffer_create(tact_buffer* buffer, const void* initial)
{
    gl_device* d = gl_of(buffer->device);
    GLuint name = 0;
    d->gl.GenBuffers(1, &name);
    d->gl.BindBuffer(GL_COPY_WRITE_BUFFER, name);
    // Storage that stays what it is: a driver that sees a buffer read back may else move it to the host.
    if (d->gl.ARB_buffer_storage)
        d->gl.BufferStorage(GL_COPY_WRITE_BUFFER, (GLsizeiptr)buffer->held, initial, GL_DYNAMIC_STORAGE_BIT);
    else
        d->gl.BufferData(GL_COPY_WRITE_BUFFER, (GLsizeiptr)buffer->held, initial, GL_DYNAMIC_COPY);
    char what[64];
    snprintf(what, sizeof what, "creating a buffer of %zu bytes", buffer->held);
    const tact_result result = check(d, what);
    if (result != TACT_OK) d->gl.DeleteBuffers(1, &name);
    buffer->handle.name = name;
    return result;
}

static tact_result gl_buffer_adopt(tact_buffer* buffer, uint32_t gl_buffer, void* cl_mem)
{
    (void)cl_mem;
    gl_device* d = gl_of(buffer->device);
    if (gl_buffer == 0 || !d->gl.IsBuffer(gl_buffer)) {
        return tact_fail(d->base.env, TACT_ERROR_INVALID_ARGUMENT, "%u is no OpenGL buffer", (unsigned)gl_buffer);
    }
    GLint64 bytes = 0;
    d->gl.BindBuffer(GL_COPY_READ_BUFFER, gl_buffer);
    d->gl.GetBufferParameteri64v(GL_COPY_READ_BUFFER, GL_BUFFER_SIZE, &bytes);
    buffer->bytes = bytes > 0 ? (size_t)bytes / 4 * 4 : 0;
    buffer->handle.name = gl_buffer;
    return check(d, "looking at the caller's buffer");
}

static void gl_buffer_destroy(tact_buffer* buffer)
{
    if (buffer->adopted) return;
    const GLuint name = buffer->handle.name;
    gl_of(buffer->device)->gl.DeleteBuffers(1, &name);
}

static tact_result gl_buffer_write(tact_buffer* buffer, size_t offset, const void* data, size_t bytes)
{
    gl_device* d = gl_of(buffer->device);
    d->gl.BindBuffer(GL_COPY_WRITE_BUFFER, buffer->handle.name);
    d->gl.BufferSubData(GL_COPY_WRITE_BUFFER, (GLintptr)offset, (GLsizeiptr)bytes, data);
    return put_off(d, "writing a buffer");
}

/// What was done in a context that was reset is asked where it is read (gl_ask): waiting alone must end.
static tact_result poll_sync(gl_device* d, GLsync sync, bool wait, bool* done)
{
    const GLuint64 second = 1000000000u;
    for (;;) {
        const GLenum state = d->gl.ClientWaitSync(sync, 0, wait ? second : 0);
        *done = state == GL_ALREADY_SIGNALED || state == GL_CONDITION_SATISFIED;
        if (*done) return TACT_OK;
        if (state == GL_WAIT_FAILED) {
            const tact_result result = check(d, "waiting for a fence");
            return result == TACT_OK ? tact_fail(d->base.env, TACT_ERROR_DEVICE, "waiting for a fence failed") : result;
        }
        const tact_result result = check_reset(d);
        if (result != TACT_OK || !wait) return result;
    }
}

static void copy_range(gl_device* d, GLuint to, size_t to_offset, GLuint from, size_t from_offset, size_t bytes)
{
    d->gl.BindBuffer(GL_COPY_READ_BUFFER, from);
    d->gl.BindBuffer(GL_COPY_WRITE_BUFFER, to);
    d->gl.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)from_offset, (GLintptr)to_offset,
                            (GLsizeiptr)bytes);
}

static void read_range(gl_device* d, const tact_read* r)
{
    ++d->base.counts.waits;
    d->gl.BindBuffer(GL_COPY_READ_BUFFER, r->buffer->handle.name);
    d->gl.GetBufferSubData(GL_COPY_READ_BUFFER, (GLintptr)r->offset, (GLsizeiptr)r->bytes, r->data);
}

/// Memory that both the device and the host see, to which small ranges are copied. NULL where there is none.
static const unsigned char* hold_staging(gl_device* d)
{
    const GLbitfield how = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    if (!d->gl.ARB_buffer_storage) return NULL;
    if (d->staging) return d->staged;
    d->gl.GenBuffers(1, &d->staging);
    d->gl.BindBuffer(GL_COPY_WRITE_BUFFER, d->staging);
    d->gl.BufferStorage(GL_COPY_WRITE_BUFFER, STAGING, NULL, how);
    d->staged = d->gl.MapBufferRange(GL_COPY_WRITE_BUFFER, 0, STAGING, how);
    // A map that failed once is not tried again.
    if (!d->staged) (void)check(d, "making room for small reads");
    return d->staged;
}

/// Copies all but read `direct`, as far as there is room, to where the host sees them. `places` receives where each
/// lies, or SIZE_MAX. Returns whether there is any.
static bool stage(gl_device* d, const tact_read* reads, size_t count, size_t direct, size_t* places)
{
    size_t used = 0;
    for (size_t i = 0; i < count; ++i) {
        places[i] = SIZE_MAX;
        if (i == direct || reads[i].bytes > STAGING - used || !hold_staging(d)) continue;
        copy_range(d, d->staging, used, reads[i].buffer->handle.name, reads[i].offset, reads[i].bytes);
        places[i] = used;
        used += reads[i].bytes;
    }
    return used > 0;
}

/// The largest range is read where it lies. By then the copies of the others are done, or nearly so.
static tact_result gl_read(tact_device* device, const tact_read* reads, size_t count)
{
    gl_device* d = gl_of(device);
    size_t largest = 0, places[TACT_READS_MAX];
    for (size_t i = 1; i < count; ++i)
        if (reads[i].bytes > reads[largest].bytes) largest = i;
    GLsync copied = NULL;
    if (stage(d, reads, count, largest, places)) copied = d->gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    for (size_t i = 0; i < count; ++i)
        if (places[i] == SIZE_MAX) read_range(d, &reads[i]);
    tact_result result = TACT_OK;
    if (copied) {
        bool done = false;
        d->gl.Flush();
        result = poll_sync(d, copied, true, &done);
        d->gl.DeleteSync(copied);
    }
    for (size_t i = 0; i < count; ++i)
        if (places[i] != SIZE_MAX) memcpy(reads[i].data, d->staged + places[i], reads[i].bytes);
    if (result == TACT_OK) result = check(d, "reading a buffer");
    // Without this a reset would hand out what was never computed.
    return result == TACT_OK ? check_reset(d) : result;
}

/// In the host's memory, where it is hinted to lie, and where copies from and to it need no barrier.
static tact_result gl_ring_open(tact_device* device, tact_ring* ring, size_t bytes, bool up, bool down)
{
    gl_device* d = gl_of(device);
    const GLbitfield how = (GLbitfield)(up ? GL_MAP_WRITE_BIT : 0) | (GLbitfield)(down ? GL_MAP_READ_BIT : 0) |
                           GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    if (!d->gl.ARB_buffer_storage) {
        return tact_fail(device->env, TACT_ERROR_UNSUPPORTED, "the driver has no buffer storage");
    }
    d->gl.GenBuffers(1, &ring->handle.name);
    d->gl.BindBuffer(GL_COPY_WRITE_BUFFER, ring->handle.name);
    d->gl.BufferStorage(GL_COPY_WRITE_BUFFER, (GLsizeiptr)bytes, NULL, how | GL_CLIENT_STORAGE_BIT);
    ring->memory = d->gl.MapBufferRange(GL_COPY_WRITE_BUFFER, 0, (GLsizeiptr)bytes, how);
    tact_result result = check(d, "making a ring");
    if (result == TACT_OK && !ring->memory) {
        result = tact_fail(device->env, TACT_ERROR_DEVICE_OUT_OF_MEMORY, "a ring of %zu bytes cannot be mapped", bytes);
    }
    if (result == TACT_OK) return TACT_OK;
    d->gl.DeleteBuffers(1, &ring->handle.name);
    ring->memory = NULL;
    return result;
}

static void gl_ring_close(tact_device* device, tact_ring* ring)
{
    // That ends the mapping, too.
    gl_of(device)->gl.DeleteBuffers(1, &ring->handle.name);
}

static tact_result gl_ring_up(tact_ring* ring, size_t place, tact_buffer* buffer, size_t offset, size_t bytes)
{
    gl_device* d = gl_of(buffer->device);
    copy_range(d, buffer->handle.name, offset, ring->handle.name, place, bytes);
    return put_off(d, "writing a buffer");
}

static tact_result gl_ring_down(tact_ring* ring, size_t place, const tact_read* part)
{
    gl_device* d = gl_of(part->buffer->device);
    copy_range(d, ring->handle.name, place, part->buffer->handle.name, part->offset, part->bytes);
    return put_off(d, "reading a buffer");
}

static tact_result gl_buffer_copy(tact_buffer* to, size_t to_offset, tact_buffer* from, size_t from_offset,
                                  size_t bytes)
{
    gl_device* d = gl_of(to->device);
    copy_range(d, to->handle.name, to_offset, from->handle.name, from_offset, bytes);
    return put_off(d, "copying between buffers");
}

static tact_result gl_buffer_fill(tact_buffer* buffer, size_t offset, size_t bytes, uint32_t value)
{
    gl_device* d = gl_of(buffer->device);
    d->gl.BindBuffer(GL_COPY_WRITE_BUFFER, buffer->handle.name);
    d->gl.ClearBufferSubData(GL_COPY_WRITE_BUFFER, GL_R32UI, (GLintptr)offset, (GLsizeiptr)bytes, GL_RED_INTEGER,
                             GL_UNSIGNED_INT, &value);
    return put_off(d, "filling a buffer");
}

// Programs

static tact_program* keep_program(gl_device* d, const tact_kernel* kernel, GLuint name)
{
    tact_program* program = tact_allocate(d->base.env, 1, sizeof *program);
    if (!program) {
        d->gl.DeleteProgram(name);
        return NULL;
    }
    program->name = name;
    d->gl.ObjectLabel(GL_PROGRAM, name, -1, kernel->file);
    return program;
}

static tact_result fail_build(gl_device* d, const char* source, const char* log, const char* step)
{
    char translated[LOG_BYTES];
    tact_kernel_log_translate(source, log, translated, sizeof translated);
    return tact_fail(d->base.env, TACT_ERROR_KERNEL_BUILD, "%s failed:\n%s", step, translated);
}

// Compiles and links what the driver is shown; `source` is the text that its log is translated by.
static tact_result compile(gl_device* d, GLuint name, const char* shown, const char* source)
{
    const GladGLContext* gl = &d->gl;
    const GLuint shader = gl->CreateShader(GL_COMPUTE_SHADER);
    tact_result result = TACT_OK;
    char log[LOG_BYTES] = "";
    GLint good = 0;
    gl->ShaderSource(shader, 1, &shown, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (!good) {
        gl->GetShaderInfoLog(shader, sizeof log, NULL, log);
        result = fail_build(d, source, log, "compiling");
    } else {
        if (d->binaries) gl->ProgramParameteri(name, GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE);
        gl->AttachShader(name, shader);
        gl->LinkProgram(name);
        gl->DetachShader(name, shader);
        gl->GetProgramiv(name, GL_LINK_STATUS, &good);
        if (!good) {
            gl->GetProgramInfoLog(name, sizeof log, NULL, log);
            result = fail_build(d, source, log, "linking");
        }
    }
    gl->DeleteShader(shader);
    return result;
}

static tact_result gl_program_compile(tact_device* device, const tact_kernel* kernel, const char* source, size_t length,
                                      tact_program** program)
{
    gl_device* d = gl_of(device);
    char* shown = tact_allocate(device->env, length + 1, 1);
    if (!shown) return TACT_ERROR_OUT_OF_MEMORY;
    memcpy(shown, source, length + 1);
    tact_kernel_log_hide_lines(shown);
    const GLuint name = d->gl.CreateProgram();
    tact_result result = compile(d, name, shown, source);
    tact_release(device->env, shown);
    if (result == TACT_OK) result = check(d, "building a kernel");
    if (result != TACT_OK) {
        // An error flag left by the failed build would be taken for a later call's.
        (void)d->gl.GetError();
        d->gl.DeleteProgram(name);
        return result;
    }
    *program = keep_program(d, kernel, name);
    return *program ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static bool gl_program_load(tact_device* device, const tact_kernel* kernel, uint32_t format, const void* binary,
                            size_t size, tact_program** program)
{
    gl_device* d = gl_of(device);
    if (!d->binaries) return false;
    const GLuint name = d->gl.CreateProgram();
    GLint good = 0;
    d->gl.ProgramBinary(name, format, binary, (GLsizei)size);
    d->gl.GetProgramiv(name, GL_LINK_STATUS, &good);
    if (check(d, "loading a cached kernel") != TACT_OK || !good) {
        d->gl.DeleteProgram(name);
        return false;
    }
    *program = keep_program(d, kernel, name);
    return *program != NULL;
}

static bool gl_program_save(tact_device* device, tact_program* program, uint32_t* format, void** binary, size_t* size)
{
    gl_device* d = gl_of(device);
    if (!d->binaries) return false;
    GLint length = 0;
    d->gl.GetProgramiv(program->name, GL_PROGRAM_BINARY_LENGTH, &length);
    if (length <= 0) return false;
    *binary = tact_allocate(device->env, (size_t)length, 1);
    if (!*binary) return false;
    GLsizei written = 0;
    GLenum driver_format = 0;
    d->gl.GetProgramBinary(program->name, length, &written, &driver_format, *binary);
    if (check(d, "saving a kernel") != TACT_OK || written <= 0) {
        tact_release(device->env, *binary);
        return false;
    }
    *format = driver_format;
    *size = (size_t)written;
    return true;
}

static void gl_program_destroy(tact_device* device, tact_program* program)
{
    gl_of(device)->gl.DeleteProgram(program->name);
    tact_release(device->env, program);
}

// Commands

/// Of a caller's buffer that is larger than a shader reaches, the part that it does reach.
static void bind_buffer(tact_device* device, GLuint index, const tact_buffer* buffer)
{
    const GladGLContext* gl = &gl_of(device)->gl;
    const uint64_t reach = device->info.max_buffer_bytes;
    if (buffer->bytes > reach) {
        gl->BindBufferRange(GL_SHADER_STORAGE_BUFFER, index, buffer->handle.name, 0, (GLsizeiptr)reach);
    } else {
        gl->BindBufferBase(GL_SHADER_STORAGE_BUFFER, index, buffer->handle.name);
    }
}

static tact_result gl_launch(tact_device* device, tact_program* program, const tact_kernel* kernel, uint32_t groups_x,
                             uint32_t groups_y, tact_buffer* const* buffers, const uint32_t* values)
{
    gl_device* d = gl_of(device);
    const GladGLContext* gl = &d->gl;
    for (size_t i = 0; i < kernel->param_count; ++i) {
        const GLuint index = kernel->params[i].index;
        float real = 0;
        switch (kernel->params[i].kind) {
            case TACT_PARAM_READ:
            case TACT_PARAM_WRITE:
                bind_buffer(device, index, buffers[i]);
                break;
            case TACT_PARAM_uint:
                gl->ProgramUniform1ui(program->name, (GLint)index, *values++);
                break;
            case TACT_PARAM_int:
                gl->ProgramUniform1i(program->name, (GLint)index, (GLint)*values++);
                break;
            case TACT_PARAM_float:
                memcpy(&real, values++, sizeof real);
                gl->ProgramUniform1f(program->name, (GLint)index, real);
                break;
        }
    }
    gl->UseProgram(program->name);
    gl->DispatchCompute(groups_x, groups_y, 1);
    // The device promises that commands run one after the other.
    gl->MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
    return put_off(d, kernel->file);
}

static tact_result gl_finish(tact_device* device)
{
    gl_device* d = gl_of(device);
    d->gl.Finish();
    const tact_result result = check(d, "finishing");
    return result == TACT_OK ? check_reset(d) : result;
}

/// Copies what is noted to a buffer of its own, which nothing later uses: so reading that waits for nothing.
static void put_note(gl_device* d, tact_fence* fence)
{
    const tact_read* r = &fence->noted;
    d->gl.GenBuffers(1, &fence->note_name);
    d->gl.BindBuffer(GL_COPY_WRITE_BUFFER, fence->note_name);
    d->gl.BufferData(GL_COPY_WRITE_BUFFER, (GLsizeiptr)r->bytes, NULL, GL_STREAM_READ);
    d->gl.BindBuffer(GL_COPY_READ_BUFFER, r->buffer->handle.name);
    d->gl.CopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, (GLintptr)r->offset, 0, (GLsizeiptr)r->bytes);
}

static void drop_note(gl_device* d, tact_fence* fence)
{
    if (fence->note_name) d->gl.DeleteBuffers(1, &fence->note_name);
    fence->note_name = 0;
}

static void take_note(gl_device* d, tact_fence* fence)
{
    const tact_read* r = &fence->noted;
    d->gl.BindBuffer(GL_COPY_READ_BUFFER, fence->note_name);
    d->gl.GetBufferSubData(GL_COPY_READ_BUFFER, 0, (GLsizeiptr)r->bytes, r->data);
    drop_note(d, fence);
}

static tact_result gl_fence_create(tact_fence* fence)
{
    gl_device* d = gl_of(fence->device);
    if (fence->noted.buffer) put_note(d, fence);
    fence->handle = d->gl.FenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (fence->handle) {
        // A fence that was never sent would never be passed by whoever polls it.
        d->gl.Flush();
        return put_off(d, "creating a fence");
    }
    drop_note(d, fence);
    const tact_result result = check(d, "creating a fence");
    return result == TACT_OK ? tact_fail(d->base.env, TACT_ERROR_DEVICE, "OpenGL gives no fence") : result;
}

static tact_result gl_fence_poll(tact_fence* fence, bool wait, bool* done)
{
    gl_device* d = gl_of(fence->device);
    const tact_result result = poll_sync(d, (GLsync)fence->handle, wait, done);
    if (result == TACT_OK && *done && fence->note_name) take_note(d, fence);
    return result;
}

static void gl_fence_destroy(tact_fence* fence)
{
    gl_device* d = gl_of(fence->device);
    drop_note(d, fence);
    d->gl.DeleteSync((GLsync)fence->handle);
}

// Timestamps, not GL_TIME_ELAPSED, of which an adopted context may have one running.
static tact_result gl_timer_begin(tact_device* device)
{
    gl_device* d = gl_of(device);
    if (!d->clock) return TACT_OK;
    d->gl.QueryCounter(d->timestamps[0], GL_TIMESTAMP);
    return check(d, "starting a timer");
}

static tact_result gl_timer_end(tact_device* device, double* milliseconds)
{
    gl_device* d = gl_of(device);
    if (!d->clock) return TACT_OK;
    GLuint64 begin = 0, end = 0;
    d->gl.QueryCounter(d->timestamps[1], GL_TIMESTAMP);
    d->gl.GetQueryObjectui64v(d->timestamps[0], GL_QUERY_RESULT, &begin);
    d->gl.GetQueryObjectui64v(d->timestamps[1], GL_QUERY_RESULT, &end);
    if (end >= begin) *milliseconds = (double)(end - begin) * 1e-6;
    return check(d, "reading a timer");
}

// Opening

static const tact_device_ops OPS = {
    .name = "gl",
    .prelude = "#version 430 core\n",
    .small_write = 1 << 12,
    .close = gl_close,
    .enter = gl_enter,
    .leave = gl_leave,
    .ask = gl_ask,
    .buffer_create = gl_buffer_create,
    .buffer_adopt = gl_buffer_adopt,
    .buffer_destroy = gl_buffer_destroy,
    .buffer_write = gl_buffer_write,
    .read = gl_read,
    .ring_open = gl_ring_open,
    .ring_close = gl_ring_close,
    .ring_up = gl_ring_up,
    .ring_down = gl_ring_down,
    .buffer_copy = gl_buffer_copy,
    .buffer_fill = gl_buffer_fill,
    .program_compile = gl_program_compile,
    .program_load = gl_program_load,
    .program_save = gl_program_save,
    .program_destroy = gl_program_destroy,
    .launch = gl_launch,
    .finish = gl_finish,
    .fence_create = gl_fence_create,
    .fence_poll = gl_fence_poll,
    .fence_destroy = gl_fence_destroy,
    .timer_begin = gl_timer_begin,
    .timer_end = gl_timer_end,
};

const GladGLContext* tact_device_gl(tact_device* device)
{
    return device->ops == &OPS ? &gl_of(device)->gl : NULL;
}

tact_result tact_device_gl_check(tact_device* device, const char* what)
{
    tact_result result = check(gl_of(device), what);
    if (result == TACT_OK && tact_device_fails_now(&device->fail_launch)) {
        result = tact_fail(device->env, TACT_ERROR_DEVICE_LOST, "%s: injected failure", what);
    }
    if (result == TACT_ERROR_DEVICE_LOST) device->lost = true;
    return tact_device_fail(device, result);
}

static GLADapiproc load_own(void* user, const char* name)
{
    return (GLADapiproc)tact_egl_function(user, name);
}

typedef struct adopted_loader {
    tact_gl_get_proc_address get;
} adopted_loader;

static GLADapiproc load_adopted(void* user, const char* name)
{
    return (GLADapiproc)((adopted_loader*)user)->get(name);
}

static tact_result load_functions(gl_device* d, const tact_device_open* open)
{
    adopted_loader adopted = {open->gl_get_proc_address};
    const int version = d->egl ? tact_glad_load_contextUserPtr(&d->gl, load_own, d->egl)
                               : tact_glad_load_contextUserPtr(&d->gl, load_adopted, &adopted);
    const char* text = version ? (const char*)d->gl.GetString(GL_VERSION) : NULL;
    if (!text) {
        return tact_fail(open->env, TACT_ERROR_NO_DEVICE,
                         "no OpenGL context is current, or its functions are not found");
    }
    if (strstr(text, "OpenGL ES") || !d->gl.VERSION_4_3) {
        return tact_fail(open->env, TACT_ERROR_NO_DEVICE, "OpenGL 4.3 is needed; the context has \"%s\"", text);
    }
    return TACT_OK;
}

static void copy_string(gl_device* d, GLenum name, char* to, size_t size)
{
    const char* text = (const char*)d->gl.GetString(name);
    snprintf(to, size, "%s", text ? text : "");
}

static void describe(gl_device* d)
{
    const GladGLContext* gl = &d->gl;
    tact_device_info* info = &d->base.info;
    info->backend = TACT_BACKEND_GL;
    info->adopted = !d->egl;
    copy_string(d, GL_RENDERER, info->name, sizeof info->name);
    copy_string(d, GL_VENDOR, info->vendor, sizeof info->vendor);
    copy_string(d, GL_VERSION, info->version, sizeof info->version);
    copy_string(d, GL_SHADING_LANGUAGE_VERSION, info->language, sizeof info->language);
    // "4.5 (Core Profile) Mesa 22.3.6": the driver's own version is what follows the API's.
    const char* driver = strchr(info->version, ' ');
    snprintf(info->driver, sizeof info->driver, "%s", driver ? driver + 1 : info->version);
    if (d->egl) info->number = tact_egl_number(d->egl, &info->alike);
    info->software = d->egl ? tact_egl_is_software(d->egl) : tact_gl_renderer_is_software(info->name);

    GLint value = 0, groups_y = 0;
    GLint64 wide = 0;
    gl->GetIntegerv(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, &value);
    info->max_group_size = (uint32_t)value;
    gl->GetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_SIZE, 0, &value);
    if ((uint32_t)value < info->max_group_size) info->max_group_size = (uint32_t)value;
    gl->GetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_COUNT, 0, &value);
    gl->GetIntegeri_v(GL_MAX_COMPUTE_WORK_GROUP_COUNT, 1, &groups_y);
    info->max_groups = (uint32_t)(value < groups_y ? value : groups_y);
    gl->GetIntegerv(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, &value);
    info->shared_bytes = (uint32_t)value;
    gl->GetIntegerv(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS, &value);
    info->max_buffers = value < MAX_BUFFERS ? (uint32_t)value : MAX_BUFFERS;
    gl->GetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &wide);
    info->max_buffer_bytes = (uint64_t)wide;
}

static void find_features(gl_device* d)
{
    const GladGLContext* gl = &d->gl;
    GLint value = 0;
    gl->GetIntegerv(GL_NUM_PROGRAM_BINARY_FORMATS, &value);
    d->binaries = value > 0;
    // A software renderer's timestamps do not cover the work, which it does later on threads of its own.
    gl->GetQueryiv(GL_TIMESTAMP, GL_QUERY_COUNTER_BITS, &value);
    d->clock = !d->base.info.software && value > 0;
    if (d->clock) gl->GenQueries(2, d->timestamps);
    GLint strategy = 0;
    if (gl->KHR_robustness || gl->ARB_robustness) {
        gl->GetIntegerv(GL_RESET_NOTIFICATION_STRATEGY_ARB, &strategy);
        if (strategy == GL_LOSE_CONTEXT_ON_RESET_ARB) {
            d->reset_status = gl->KHR_robustness ? gl->GetGraphicsResetStatus : gl->GetGraphicsResetStatusARB;
        }
    }
}

tact_result tact_device_open_gl(const tact_device_open* open, tact_device** device)
{
    *device = NULL;
    tact_env* env = open->env;
    const bool adopt = open->source == TACT_DEVICE_ADOPT;
    if (adopt && !open->gl_get_proc_address) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "adopting an OpenGL context needs gl_get_proc_address");
    }
    gl_device* d = tact_allocate_zeroed(env, 1, sizeof *d);
    if (!d) return TACT_ERROR_OUT_OF_MEMORY;
    d->base.ops = &OPS;
    d->base.env = env;
    tact_result result = TACT_OK;
    if (!adopt) result = tact_egl_open(env, open->number, &d->egl);
    if (result == TACT_OK && d->egl) result = tact_egl_enter(env, d->egl);
    if (result == TACT_OK) {
        result = load_functions(d, open);
        if (result == TACT_OK) {
            clear_errors(d);
            describe(d);
            find_features(d);
            result = check(d, "opening the device");
        }
        if (d->egl) tact_egl_leave(d->egl);
    }
    if (result != TACT_OK) {
        tact_egl_close(env, d->egl);
        tact_release(env, d);
        return result;
    }
    return tact_device_complete(&d->base, open, device);
}
