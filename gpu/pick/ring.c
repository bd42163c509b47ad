// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// A pick target's requests: pixels are copied on the device and a fence is set behind; what comes back is reduced
/// there, or, of a few pixels, here.

#include <string.h>

#include "gpu/pick/target_internal.h"

extern const unsigned char tact_shader_pick_resolve_comp[];

enum { LOG_BYTES = 2048, RESOLVE_GROUP = 8, MULTISAMPLED_UNITS = 2 };

typedef struct texture_units {
    GLint active, textures[MULTISAMPLED_UNITS], samplers[MULTISAMPLED_UNITS], framebuffer;
} texture_units;

static size_t pixels_of(const tact_pick_mask* mask)
{
    return (size_t)mask->width * mask->height;
}

// The slot keeps its memory.
static void free_slot(tact_gpu_pick_target* t, tact_pick_slot* s)
{
    tact_fence_destroy(s->fence);
    s->fence = NULL;
    tact_pick_mask_free(t->env, &s->mask);
    s->mask = (tact_pick_mask){0};
    tact_pick_list_free(t->env, &s->list);
    s->list = (tact_pick_list){0};
    s->ticket = 0;
}

void tact_pick_ring_free(tact_gpu_pick_target* t)
{
    for (uint32_t i = 0; i < TACT_PICK_RING_MAX; ++i) {
        tact_pick_slot* s = &t->slots[i];
        free_slot(t, s);
        tact_pick_reducer_destroy(s->reducer);
        tact_buffer_destroy(s->ids);
        tact_buffer_destroy(s->surfaces);
        if (s->pixels) t->gl->DeleteBuffers(1, &s->pixels);
        *s = (tact_pick_slot){0};
    }
    if (t->resolver) t->gl->DeleteProgram(t->resolver);
    t->resolver = 0;
}

// Copying

// In the planes, from the lower left: x, y, width, height.
static void box_of(const tact_gpu_pick_target* t, const tact_pick_slot* s, GLint box[4])
{
    box[0] = t->x + (GLint)s->mask.x;
    box[1] = t->y + (GLint)(s->view.height - s->mask.y - s->mask.height);
    box[2] = (GLint)s->mask.width;
    box[3] = (GLint)s->mask.height;
}

// Where a request's pixels are put: in two buffers, or in one that the host reads.
typedef struct destination {
    GLuint ids, surfaces;
    size_t surfaces_at;
} destination;

static void read_planes(tact_gpu_pick_target* t, const GLint box[4], const destination* to)
{
    const GladGLContext* gl = t->gl;
    GLint framebuffer = 0, buffer = 0, pack[8];
    gl->GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &framebuffer);
    gl->GetIntegerv(GL_PIXEL_PACK_BUFFER_BINDING, &buffer);
    tact_raster_packing_save(gl, pack);
    tact_raster_packing_default(gl);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, t->planes.framebuffer);
    gl->ReadBuffer(GL_COLOR_ATTACHMENT0);
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, to->ids);
    // With a buffer bound the last argument is an offset.
    gl->ReadPixels(box[0], box[1], box[2], box[3], GL_RGBA_INTEGER, GL_UNSIGNED_INT, NULL);
    gl->ReadBuffer(GL_COLOR_ATTACHMENT1);
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, to->surfaces);
    gl->ReadPixels(box[0], box[1], box[2], box[3], GL_RG_INTEGER, GL_UNSIGNED_INT, (void*)(uintptr_t)to->surfaces_at);
    gl->ReadBuffer(GL_COLOR_ATTACHMENT0);
    gl->BindBuffer(GL_PIXEL_PACK_BUFFER, (GLuint)buffer);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)framebuffer);
    tact_raster_packing_restore(gl, pack);
}

static tact_result need_resolver(tact_gpu_pick_target* t)
{
    const GladGLContext* gl = t->gl;
    if (t->resolver) return TACT_OK;
    const GLchar* text = (const GLchar*)tact_shader_pick_resolve_comp;
    const GLuint program = gl->CreateShaderProgramv(GL_COMPUTE_SHADER, 1, &text);
    GLint good = 0;
    if (program) gl->GetProgramiv(program, GL_LINK_STATUS, &good);
    const tact_result result = tact_device_gl_check(t->device, "building a shader");
    if (good) {
        gl->ObjectLabel(GL_PROGRAM, program, -1, "pick_resolve");
        t->resolver = program;
        return TACT_OK;
    }
    if (result == TACT_OK) {
        char log[LOG_BYTES] = "";
        gl->GetProgramInfoLog(program, LOG_BYTES, NULL, log);
        (void)tact_fail(t->env, TACT_ERROR_KERNEL_BUILD, "the shader pick_resolve:\n%s", log);
    }
    gl->DeleteProgram(program);
    return result == TACT_OK ? TACT_ERROR_KERNEL_BUILD : result;
}

// The planes to units 0 and 1, without the caller's samplers; and away from the framebuffer, of whose drawing some
// drivers hold back a part while it is bound.
static void bind_samples(tact_gpu_pick_target* t, texture_units* before)
{
    const GladGLContext* gl = t->gl;
    gl->GetIntegerv(GL_ACTIVE_TEXTURE, &before->active);
    gl->GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before->framebuffer);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    gl->MemoryBarrier(GL_FRAMEBUFFER_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT);
    for (GLuint i = 0; i < MULTISAMPLED_UNITS; ++i) {
        gl->ActiveTexture(GL_TEXTURE0 + i);
        gl->GetIntegerv(GL_TEXTURE_BINDING_2D_MULTISAMPLE, &before->textures[i]);
        gl->GetIntegerv(GL_SAMPLER_BINDING, &before->samplers[i]);
        gl->BindTexture(GL_TEXTURE_2D_MULTISAMPLE, t->planes.textures[i]);
        gl->BindSampler(i, 0);
    }
}

static void unbind_samples(const GladGLContext* gl, const texture_units* before)
{
    for (GLuint i = 0; i < MULTISAMPLED_UNITS; ++i) {
        gl->ActiveTexture(GL_TEXTURE0 + i);
        gl->BindTexture(GL_TEXTURE_2D_MULTISAMPLE, (GLuint)before->textures[i]);
        gl->BindSampler(i, (GLuint)before->samplers[i]);
    }
    gl->ActiveTexture((GLenum)before->active);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)before->framebuffer);
}

// Rows that a shader can write at once: what it sees of a buffer has a limit, and begins only at certain places. 0: not
// even the fewest.
static GLint rows_at_once(const tact_gpu_pick_target* t, GLint width)
{
    GLint alignment = 0;
    t->gl->GetIntegerv(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, &alignment);
    const uint64_t step = alignment > 8 ? (uint64_t)alignment / sizeof(tact_pick_surface) : 1;
    const uint64_t row = (uint64_t)width * sizeof(tact_pick_ids);
    const uint64_t steps = tact_device_describe(t->device)->max_buffer_bytes / (row * step);
    return steps * step > INT32_MAX / 2 ? INT32_MAX / 2 : (GLint)(steps * step);
}

// Program and storage bindings come back when the device is left.
static void resolve_rows(const tact_gpu_pick_target* t, const GLint box[4], GLint first, GLint rows,
                         const destination* to)
{
    const GladGLContext* gl = t->gl;
    const size_t before = (size_t)first * (size_t)box[2], pixels = (size_t)rows * (size_t)box[2];
    gl->BindBufferRange(GL_SHADER_STORAGE_BUFFER, 0, to->ids, (GLintptr)(before * sizeof(tact_pick_ids)),
                        (GLsizeiptr)(pixels * sizeof(tact_pick_ids)));
    gl->BindBufferRange(GL_SHADER_STORAGE_BUFFER, 1, to->surfaces,
                        (GLintptr)(to->surfaces_at + before * sizeof(tact_pick_surface)),
                        (GLsizeiptr)(pixels * sizeof(tact_pick_surface)));
    gl->ProgramUniform4ui(t->resolver, 0, (GLuint)box[0], (GLuint)(box[1] + first), (GLuint)box[2], (GLuint)rows);
    gl->DispatchCompute(((GLuint)box[2] + RESOLVE_GROUP - 1) / RESOLVE_GROUP,
                        ((GLuint)rows + RESOLVE_GROUP - 1) / RESOLVE_GROUP, 1);
}

static tact_result resolve_planes(tact_gpu_pick_target* t, const GLint box[4], const tact_pick_rule* rule,
                                  const destination* to)
{
    const GladGLContext* gl = t->gl;
    texture_units before;
    const tact_result result = need_resolver(t);
    if (result != TACT_OK) return result;
    const GLint most = rows_at_once(t, box[2]);
    if (most == 0) {
        return tact_fail(t->env, TACT_ERROR_LIMIT, "%d multisampled pixels in a row: more than a buffer of the device",
                         (int)box[2]);
    }
    gl->ProgramUniform1ui(t->resolver, 1, t->planes.stored_samples);
    gl->ProgramUniform1ui(t->resolver, 2, rule->reversed ? ~0u : 0u);
    gl->UseProgram(t->resolver);
    bind_samples(t, &before);
    for (GLint y = 0; y < box[3]; y += most)
        resolve_rows(t, box, y, box[3] - y < most ? box[3] - y : most, to);
    gl->MemoryBarrier(GL_ALL_BARRIER_BITS);
    unbind_samples(gl, &before);
    return TACT_OK;
}

static tact_result copy_planes(tact_gpu_pick_target* t, const tact_pick_slot* s, const destination* to)
{
    GLint box[4];
    tact_result result = TACT_OK;
    box_of(t, s, box);
    if (t->planes.samples > 1) {
        result = resolve_planes(t, box, &s->rule, to);
    } else {
        read_planes(t, box, to);
    }
    return result == TACT_OK ? tact_device_gl_check(t->device, "copying picks") : result;
}

// A buffer near the host, where it can be read while the device works on later commands.
static tact_result hold_pixels(tact_gpu_pick_target* t, tact_pick_slot* s, size_t bytes)
{
    const GladGLContext* gl = t->gl;
    if (s->pixels && s->pixels_bytes >= bytes) return TACT_OK;
    if (!s->pixels) gl->GenBuffers(1, &s->pixels);
    gl->BindBuffer(GL_COPY_WRITE_BUFFER, s->pixels);
    s->pixels_bytes = 0;
    ++t->device->counts.allocations;
    gl->BufferData(GL_COPY_WRITE_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_READ);
    const tact_result result = tact_device_gl_check(t->device, "creating a buffer of picks");
    if (result == TACT_OK) s->pixels_bytes = bytes;
    return result;
}

static tact_result start_on_host(tact_gpu_pick_target* t, tact_pick_slot* s)
{
    const size_t count = pixels_of(&s->mask);
    GLint alignment = 0;
    t->gl->GetIntegerv(GL_SHADER_STORAGE_BUFFER_OFFSET_ALIGNMENT, &alignment);
    const size_t step = alignment > 16 ? (size_t)alignment : 16;
    s->surfaces_at = (count * sizeof(tact_pick_ids) + step - 1) / step * step;
    tact_result result = hold_pixels(t, s, s->surfaces_at + count * sizeof(tact_pick_surface));
    if (result != TACT_OK) return result;
    const destination to = {s->pixels, s->pixels, s->surfaces_at};
    result = copy_planes(t, s, &to);
    return result == TACT_OK ? tact_fence_create(t->device, &s->fence) : result;
}

static tact_result start_on_device(tact_gpu_pick_target* t, tact_pick_slot* s)
{
    const size_t count = pixels_of(&s->mask);
    tact_result result = TACT_OK;
    if (!s->reducer) result = tact_pick_reducer_create(t->device, &s->reducer);
    if (result == TACT_OK) result = tact_buffer_hold(t->device, &s->ids, (uint64_t)count * sizeof(tact_pick_ids));
    if (result == TACT_OK) {
        result = tact_buffer_hold(t->device, &s->surfaces, (uint64_t)count * sizeof(tact_pick_surface));
    }
    if (result != TACT_OK) return result;
    const destination to = {s->ids->handle.name, s->surfaces->handle.name, 0};
    result = copy_planes(t, s, &to);
    if (result != TACT_OK) return result;
    // Pixels are packed into buffers outside of the order that kernels keep among themselves.
    t->gl->MemoryBarrier(GL_PIXEL_BUFFER_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
    tact_pick_reducer_set_place(s->reducer, t->place);
    return tact_pick_reducer_start(s->reducer, &s->mask, &s->rule, s->ids, s->surfaces, true);
}

// Requests

static tact_result check_request(tact_gpu_pick_target* t, const tact_pick_region* region, tact_pick_group group)
{
    const tact_result result = tact_pick_target_usable(t);
    if (result != TACT_OK) return result;
    if (t->begun) {
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "a request before the target's own pass has ended");
    }
    GLint active = 0, paused = 0;
    t->gl->GetIntegerv(GL_TRANSFORM_FEEDBACK_ACTIVE, &active);
    t->gl->GetIntegerv(GL_TRANSFORM_FEEDBACK_PAUSED, &paused);
    if (active && !paused) {  // programs cannot be changed now
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "a request while the OpenGL context records vertices");
    }
    if (!t->drawn) return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "nothing was drawn into the pick target");
    if (!region) return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "the region is NULL");
    if ((uint32_t)group > TACT_PICK_BY_PRIMITIVE) {
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "no group %d", (int)group);
    }
    return TACT_OK;
}

static tact_result find_free(tact_gpu_pick_target* t, tact_pick_slot** slot)
{
    for (uint32_t i = 0; i < t->ring; ++i) {
        if (t->slots[i].ticket != 0) continue;
        *slot = &t->slots[i];
        return TACT_OK;
    }
    return tact_fail(t->env, TACT_ERROR_LIMIT,
                     "%u requests are on their way, as many as the ring holds: collect or cancel one",
                     (unsigned)t->ring);
}

static tact_result start(tact_gpu_pick_target* t, tact_pick_slot* s)
{
    const size_t count = pixels_of(&s->mask);
    // Planes that were made anew since have nothing in them.
    s->answered = count == 0 || !t->whole;
    if (s->answered) return TACT_OK;
    // More than kernels can bind comes back as it is.
    s->on_host =
        count <= t->host_pixels || count > tact_device_describe(t->device)->max_buffer_bytes / sizeof(tact_pick_ids);
    return s->on_host ? start_on_host(t, s) : start_on_device(t, s);
}

tact_result tact_gpu_pick_target_submit(tact_gpu_pick_target* t, const tact_pick_region* region, tact_pick_group group,
                                        tact_pick_ticket* ticket)
{
    tact_pick_slot* s = NULL;
    *ticket = 0;
    tact_result result = check_request(t, region, group);
    if (result == TACT_OK) result = find_free(t, &s);
    if (result != TACT_OK) return result;
    s->view = t->view;
    s->revision = t->revision;
    s->rule = (tact_pick_rule){group, t->view.reversed};
    result = tact_pick_mask_make(t->env, &s->view, region, &s->mask);
    if (result == TACT_OK) result = start(t, s);
    if (result != TACT_OK) {
        free_slot(t, s);
        return result;
    }
    // A slot's number and how many requests there were before: no two tickets are the same.
    s->ticket = t->next++ * TACT_PICK_RING_MAX + (uint64_t)(s - t->slots);
    *ticket = s->ticket;
    return TACT_OK;
}

static tact_pick_slot* slot_of(tact_gpu_pick_target* t, tact_pick_ticket ticket)
{
    tact_pick_slot* s = &t->slots[ticket % TACT_PICK_RING_MAX];
    return ticket != 0 && s->ticket == ticket ? s : NULL;
}

static tact_result find_ticket(tact_gpu_pick_target* t, tact_pick_ticket ticket, tact_pick_slot** slot)
{
    *slot = slot_of(t, ticket);
    if (!*slot) {
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "no request has the ticket %llu, or no more",
                         (unsigned long long)ticket);
    }
    return tact_pick_target_usable(t);
}

tact_result tact_gpu_pick_target_poll(tact_gpu_pick_target* t, tact_pick_ticket ticket, bool* done)
{
    tact_pick_slot* s = NULL;
    *done = false;
    const tact_result result = find_ticket(t, ticket, &s);
    if (result != TACT_OK) return result;
    if (s->answered) {
        *done = true;
        return TACT_OK;
    }
    return s->on_host ? tact_fence_poll(s->fence, done) : tact_pick_reducer_poll(s->reducer, done);
}

static tact_result reduce_here(tact_gpu_pick_target* t, tact_pick_slot* s)
{
    const GladGLContext* gl = t->gl;
    const size_t count = pixels_of(&s->mask);
    tact_result result = tact_fence_wait(s->fence);
    if (result != TACT_OK) return result;
    gl->BindBuffer(GL_COPY_READ_BUFFER, s->pixels);
    const size_t size = s->surfaces_at + count * sizeof(tact_pick_surface);
    t->device->counts.bytes_down += size;
    const unsigned char* bytes = gl->MapBufferRange(GL_COPY_READ_BUFFER, 0, (GLsizeiptr)size, GL_MAP_READ_BIT);
    if (!bytes) {
        result = tact_device_gl_check(t->device, "reading picks");
        return result == TACT_OK ? tact_fail(t->env, TACT_ERROR_DEVICE, "OpenGL maps no buffer") : result;
    }
    result = tact_pick_reduce(t->env, &s->mask, &s->rule, (const tact_pick_ids*)bytes,
                              (const tact_pick_surface*)(bytes + s->surfaces_at), true, &s->list);
    const bool intact = gl->UnmapBuffer(GL_COPY_READ_BUFFER) != 0;
    const tact_result state = tact_device_gl_check(t->device, "reading picks");
    if (result == TACT_OK) result = state;
    if (result == TACT_OK && !intact) result = tact_fail(t->env, TACT_ERROR_DEVICE, "the picks were lost on their way");
    return result;
}

static tact_result answer(tact_gpu_pick_target* t, tact_pick_slot* s)
{
    if (s->answered) return TACT_OK;
    tact_pick_list_free(t->env, &s->list);
    s->list = (tact_pick_list){0};
    const tact_result result = s->on_host ? reduce_here(t, s) : tact_pick_reducer_collect(s->reducer, &s->list);
    if (result == TACT_OK) s->answered = true;
    return result;
}

tact_result tact_gpu_pick_target_wait(tact_gpu_pick_target* t, tact_pick_ticket ticket, tact_pick* picks,
                                      size_t capacity, size_t* count, uint64_t* revision)
{
    tact_pick_slot* s = NULL;
    *count = 0;
    tact_result result = find_ticket(t, ticket, &s);
    if (result == TACT_OK) result = answer(t, s);
    if (result != TACT_OK) return result;
    *count = s->list.count;
    if (revision) *revision = s->revision;
    for (size_t i = 0; i < s->list.count && i < capacity; ++i)
        tact_pick_tell(&s->view, &s->mask, &s->list.items[i], 0, &picks[i]);
    if (s->list.count > capacity) return TACT_INCOMPLETE;
    free_slot(t, s);
    return TACT_OK;
}

void tact_gpu_pick_target_cancel(tact_gpu_pick_target* t, tact_pick_ticket ticket)
{
    tact_pick_slot* s = slot_of(t, ticket);
    if (s) free_slot(t, s);
}
