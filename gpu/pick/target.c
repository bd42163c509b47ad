// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// A pick target's planes, and drawing into them. Requests are in ring.c.

#include "gpu/pick/target.h"

#include <string.h>

#include "cpu_ref/pick/view.h"
#include "gpu/pick/target_internal.h"

tact_result tact_pick_target_usable(const tact_gpu_pick_target* t)
{
    const tact_device_info* info = tact_device_describe(t->device);
    if (!tact_device_lost(t->device)) return TACT_OK;
    return tact_fail(t->env, TACT_ERROR_DEVICE_LOST, "%s: the device was lost", info->name);
}

// Planes

static void free_planes(const GladGLContext* gl, tact_pick_planes_of* p)
{
    if (p->framebuffer) gl->DeleteFramebuffers(1, &p->framebuffer);
    if (p->depth) gl->DeleteRenderbuffers(1, &p->depth);
    if (p->textures[0]) gl->DeleteTextures(2, p->textures);
    *p = (tact_pick_planes_of){0};
}

// Devices may take more samples than they are asked for, 4 for 3.
static uint32_t count_samples(const GladGLContext* gl, const tact_pick_planes_of* p)
{
    GLint bound = 0, samples = 0;
    if (p->samples == 1) return 1;
    gl->GetIntegerv(GL_TEXTURE_BINDING_2D_MULTISAMPLE, &bound);
    gl->BindTexture(GL_TEXTURE_2D_MULTISAMPLE, p->textures[0]);
    gl->GetTexLevelParameteriv(GL_TEXTURE_2D_MULTISAMPLE, 0, GL_TEXTURE_SAMPLES, &samples);
    gl->BindTexture(GL_TEXTURE_2D_MULTISAMPLE, (GLuint)bound);
    return samples > (GLint)p->samples ? (uint32_t)samples : p->samples;
}

// Storage of fixed size: no pixels are taken from a buffer that the caller may have bound to unpack from.
static void make_textures(const GladGLContext* gl, tact_pick_planes_of* p)
{
    static const GLenum formats[2] = {GL_RGBA32UI, GL_RG32UI};
    const bool many = p->samples > 1;
    const GLenum kind = many ? GL_TEXTURE_2D_MULTISAMPLE : GL_TEXTURE_2D;
    GLint bound = 0;
    gl->GetIntegerv(many ? GL_TEXTURE_BINDING_2D_MULTISAMPLE : GL_TEXTURE_BINDING_2D, &bound);
    gl->GenTextures(2, p->textures);
    for (int i = 0; i < 2; ++i) {
        gl->BindTexture(kind, p->textures[i]);
        if (many) {
            gl->TexStorage2DMultisample(kind, (GLsizei)p->samples, formats[i], (GLsizei)p->width, (GLsizei)p->height,
                                        GL_TRUE);
        } else {
            gl->TexStorage2D(kind, 1, formats[i], (GLsizei)p->width, (GLsizei)p->height);
            gl->TexParameteri(kind, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
            gl->TexParameteri(kind, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        }
    }
    gl->BindTexture(kind, (GLuint)bound);
}

typedef struct bound_framebuffers {
    GLint draw, read;
} bound_framebuffers;

static bound_framebuffers bind_planes(const GladGLContext* gl, const tact_pick_planes_of* p)
{
    bound_framebuffers before = {0, 0};
    gl->GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &before.draw);
    gl->GetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &before.read);
    gl->BindFramebuffer(GL_FRAMEBUFFER, p->framebuffer);
    return before;
}

static void unbind_planes(const GladGLContext* gl, bound_framebuffers before)
{
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)before.draw);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)before.read);
}

static tact_result make_framebuffer(tact_gpu_pick_target* t, tact_pick_planes_of* p)
{
    static const GLenum outputs[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    const GladGLContext* gl = t->gl;
    gl->GenFramebuffers(1, &p->framebuffer);
    const bound_framebuffers before = bind_planes(gl, p);
    for (int i = 0; i < 2; ++i)
        gl->FramebufferTexture(GL_FRAMEBUFFER, outputs[i], p->textures[i], 0);
    gl->DrawBuffers(2, outputs);
    const GLenum status = gl->CheckFramebufferStatus(GL_FRAMEBUFFER);
    unbind_planes(gl, before);
    const tact_result result = tact_device_gl_check(t->device, "making planes of picks");
    if (result != TACT_OK || status == GL_FRAMEBUFFER_COMPLETE) return result;
    return tact_fail(t->env, TACT_ERROR_UNSUPPORTED, "no planes of this kind: 0x%04x", (unsigned)status);
}

// The scissor, masks and discarding would keep some of the old.
static void empty_planes(tact_gpu_pick_target* t, const tact_pick_planes_of* p)
{
    static const GLuint nothing[2][4] = {{0, 0, 0, 0}, {TACT_PICK_NOTHING, TACT_PICK_NOTHING, 0, 0}};
    const GladGLContext* gl = t->gl;
    GLint masks[2][4];
    const uint32_t scissors = tact_raster_scissors_off(gl);
    const GLboolean discard = gl->IsEnabled(GL_RASTERIZER_DISCARD);
    const bound_framebuffers before = bind_planes(gl, p);
    if (discard) gl->Disable(GL_RASTERIZER_DISCARD);
    for (GLuint i = 0; i < 2; ++i) {
        gl->GetIntegeri_v(GL_COLOR_WRITEMASK, i, masks[i]);
        gl->ColorMaski(i, GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
        gl->ClearBufferuiv(GL_COLOR, (GLint)i, nothing[i]);
        gl->ColorMaski(i, masks[i][0] != 0, masks[i][1] != 0, masks[i][2] != 0, masks[i][3] != 0);
    }
    tact_raster_scissors_restore(gl, scissors);
    if (discard) gl->Enable(GL_RASTERIZER_DISCARD);
    unbind_planes(gl, before);
}

static tact_result check_size(tact_gpu_pick_target* t, uint32_t width, uint32_t height, uint32_t samples)
{
    const GladGLContext* gl = t->gl;
    GLint size = 0, viewport[2] = {0, 0}, integer = 0, colour = 0;
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &size);
    gl->GetIntegerv(GL_MAX_VIEWPORT_DIMS, viewport);
    gl->GetIntegerv(GL_MAX_INTEGER_SAMPLES, &integer);
    gl->GetIntegerv(GL_MAX_COLOR_TEXTURE_SAMPLES, &colour);
    for (int i = 0; i < 2; ++i)
        if (viewport[i] < size) size = viewport[i];
    if (width > (uint32_t)size || height > (uint32_t)size) {
        return tact_fail(t->env, TACT_ERROR_LIMIT, "planes of %u x %u: at most %d", (unsigned)width, (unsigned)height,
                         (int)size);
    }
    const int most = integer < colour ? integer : colour;
    if (samples > 1 && samples > (uint32_t)(most > 1 ? most : 1)) {
        return tact_fail(t->env, TACT_ERROR_UNSUPPORTED,
                         "%u samples of whole numbers: the device has %d. Draw what is picked in a pass of its own "
                         "into a target of one sample (tact_pick_target_begin)",
                         (unsigned)samples, most > 1 ? most : 1);
    }
    return TACT_OK;
}

static tact_result make_planes(tact_gpu_pick_target* t, uint32_t width, uint32_t height, uint32_t samples,
                               tact_pick_planes_of* p)
{
    *p = (tact_pick_planes_of){.width = width, .height = height, .samples = samples};
    tact_result result = check_size(t, width, height, samples);
    if (result != TACT_OK || width == 0 || height == 0) return result;
    make_textures(t->gl, p);
    p->stored_samples = count_samples(t->gl, p);
    result = tact_device_gl_check(t->device, "making planes of picks");
    if (result == TACT_OK) result = make_framebuffer(t, p);
    if (result == TACT_OK) {
        empty_planes(t, p);
        result = tact_device_gl_check(t->device, "emptying planes of picks");
    }
    if (result != TACT_OK) free_planes(t->gl, p);
    return result;
}

tact_result tact_gpu_pick_target_resize(tact_gpu_pick_target* t, uint32_t width, uint32_t height, uint32_t samples)
{
    tact_result result = tact_pick_target_usable(t);
    if (result != TACT_OK) return result;
    if (t->begun) {
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "a pick target changes its size within its own pass");
    }
    if (samples == 0) samples = 1;
    const tact_pick_planes_of* now = &t->planes;
    if (now->width == width && now->height == height && now->samples == samples) return TACT_OK;
    tact_pick_planes_of made;
    result = make_planes(t, width, height, samples, &made);
    if (result != TACT_OK) return result;
    tact_raster_target_destroy(t->scene_target);
    t->scene_target = NULL;
    free_planes(t->gl, &t->planes);
    t->planes = made;
    t->whole = t->fresh = false;
    return TACT_OK;
}

void tact_gpu_pick_target_textures(const tact_gpu_pick_target* t, uint32_t textures[2])
{
    for (int i = 0; i < 2; ++i)
        textures[i] = t->planes.textures[i];
}

// Creation

tact_result tact_gpu_pick_target_create(tact_device* device, const tact_pick_target_desc* desc,
                                        tact_gpu_pick_target** target)
{
    *target = NULL;
    tact_env* env = tact_device_env(device);
    const tact_pick_target_desc d = desc ? *desc : (tact_pick_target_desc){0};
    if (d.ring > TACT_PICK_RING_MAX) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a ring of %u requests: at most %d", (unsigned)d.ring,
                         (int)TACT_PICK_RING_MAX);
    }
    tact_gpu_pick_target* t = tact_allocate_zeroed(env, 1, sizeof *t);
    if (!t) return TACT_ERROR_OUT_OF_MEMORY;
    t->device = device;
    t->env = env;
    t->gl = tact_device_gl(device);
    t->adopted = tact_device_describe(device)->adopted;
    t->ring = d.ring ? d.ring : TACT_PICK_RING_DEFAULT;
    t->next = 1;
    t->host_pixels = TACT_PICK_HOST_PIXELS;
    const tact_result result = tact_gpu_pick_target_resize(t, d.width, d.height, d.samples);
    if (result != TACT_OK) {
        tact_gpu_pick_target_destroy(t);
        return result;
    }
    *target = t;
    return TACT_OK;
}

void tact_gpu_pick_target_destroy(tact_gpu_pick_target* t)
{
    if (!t) return;
    if (t->begun) tact_raster_whole_restore(t->gl, &t->saved);
    tact_pick_ring_free(t);
    tact_raster_target_destroy(t->scene_target);
    tact_pick_drawer_destroy(t->drawer);
    free_planes(t->gl, &t->planes);
    tact_release(t->env, t);
}

// In the normal pass

enum { OUTPUTS_MAX = 32 };

static tact_result need_planes(const tact_gpu_pick_target* t, const char* what)
{
    const tact_result result = tact_pick_target_usable(t);
    if (result != TACT_OK) return result;
    if (!t->adopted) {
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "%s: the OpenGL context is not the caller's", what);
    }
    if (t->begun) {
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "%s: the target's own pass has not ended", what);
    }
    if (t->planes.framebuffer) return TACT_OK;
    return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "%s: the pick target has no size", what);
}

static void get_outputs(const GladGLContext* gl, GLenum outputs[OUTPUTS_MAX], GLint* count)
{
    gl->GetIntegerv(GL_MAX_DRAW_BUFFERS, count);
    if (*count > OUTPUTS_MAX) *count = OUTPUTS_MAX;
    for (GLint i = 0; i < *count; ++i) {
        GLint output = GL_NONE;
        gl->GetIntegerv(GL_DRAW_BUFFER0 + (GLenum)i, &output);
        outputs[i] = (GLenum)output;
    }
}

static bool has_framebuffer(const GladGLContext* gl)
{
    GLint name = 0;
    gl->GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &name);
    return name != 0;
}

// What of other sizes is attached would be cut off at our edge, or ours at its. Textures tell their size only by the
// kind that they are bound as; of renderbuffers it is known.
static bool sizes_differ(tact_gpu_pick_target* t, GLenum attachment)
{
    const GladGLContext* gl = t->gl;
    GLint kind = GL_NONE, name = 0, before = 0, width = 0, height = 0;
    gl->GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, attachment, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE,
                                            &kind);
    if (kind != GL_RENDERBUFFER) return false;
    gl->GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, attachment, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME,
                                            &name);
    gl->GetIntegerv(GL_RENDERBUFFER_BINDING, &before);
    gl->BindRenderbuffer(GL_RENDERBUFFER, (GLuint)name);
    gl->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_WIDTH, &width);
    gl->GetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_HEIGHT, &height);
    gl->BindRenderbuffer(GL_RENDERBUFFER, (GLuint)before);
    return (uint32_t)width != t->planes.width || (uint32_t)height != t->planes.height;
}

// What the caller has attached there himself.
static bool is_taken(const tact_gpu_pick_target* t, GLenum attachment)
{
    const GladGLContext* gl = t->gl;
    const GLuint* ours = t->planes.textures;
    GLint kind = GL_NONE, value = 0;
    gl->GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, attachment, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE,
                                            &kind);
    if (kind == GL_NONE) return false;
    gl->GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, attachment, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME,
                                            &value);
    const GLuint name = (GLuint)value;
    if (kind == GL_RENDERBUFFER) return gl->IsRenderbuffer(name) != 0;
    // Planes of another size, which are gone, may still hang there.
    return name != ours[0] && name != ours[1] && gl->IsTexture(name) != 0;
}

static void remove_planes(const GladGLContext* gl, const tact_pick_planes_of* p)
{
    GLenum outputs[OUTPUTS_MAX];
    GLint count = 0, attachments = 0;
    get_outputs(gl, outputs, &count);
    gl->GetIntegerv(GL_MAX_COLOR_ATTACHMENTS, &attachments);
    for (GLint k = 0; k < attachments; ++k) {
        const GLenum attachment = GL_COLOR_ATTACHMENT0 + (GLenum)k;
        GLint kind = GL_NONE, name = 0;
        gl->GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, attachment, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE,
                                                &kind);
        if (kind != GL_TEXTURE) continue;
        gl->GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, attachment, GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME,
                                                &name);
        if ((GLuint)name != p->textures[0] && (GLuint)name != p->textures[1]) continue;
        gl->FramebufferTexture(GL_DRAW_FRAMEBUFFER, attachment, 0, 0);
        for (GLint i = 0; i < count; ++i)
            if (outputs[i] == attachment) outputs[i] = GL_NONE;
    }
    gl->DrawBuffers(count, outputs);
}

tact_result tact_gpu_pick_target_attach(tact_gpu_pick_target* t, uint32_t first)
{
    const GladGLContext* gl = t->gl;
    tact_result result = need_planes(t, "attaching");
    if (result != TACT_OK) return result;
    if (first == 0) return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "picks go to colour attachments from 1 on");
    GLenum outputs[OUTPUTS_MAX];
    GLint count = 0, attachments = 0;
    gl->GetIntegerv(GL_MAX_COLOR_ATTACHMENTS, &attachments);
    gl->GetIntegerv(GL_MAX_DRAW_BUFFERS, &count);
    const uint32_t most = (uint32_t)(attachments < count ? attachments : count);
    if (first >= most || first + 1 >= most) {
        return tact_fail(t->env, TACT_ERROR_LIMIT, "picks go to colours %u and %u; the device has %u", (unsigned)first,
                         (unsigned)first + 1, (unsigned)most);
    }
    if (!has_framebuffer(gl)) {
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT,
                         "the window's own framebuffer takes no attachments: draw to a framebuffer of your own");
    }
    bool differ = sizes_differ(t, GL_DEPTH_ATTACHMENT) || sizes_differ(t, GL_STENCIL_ATTACHMENT);
    for (GLint i = 0; i < attachments && !differ; ++i)
        differ = sizes_differ(t, GL_COLOR_ATTACHMENT0 + (GLenum)i);
    if (differ) {
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT,
                         "the framebuffer's other attachments have another size than %u x %u",
                         (unsigned)t->planes.width, (unsigned)t->planes.height);
    }
    for (uint32_t i = 0; i < 2; ++i) {
        if (!is_taken(t, GL_COLOR_ATTACHMENT0 + first + i)) continue;
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "the framebuffer has a colour attachment %u",
                         (unsigned)(first + i));
    }
    remove_planes(gl, &t->planes);  // from another place of this framebuffer
    get_outputs(gl, outputs, &count);
    // No two outputs may go to one attachment, and so far nothing was there.
    for (GLint i = 0; i < count; ++i)
        if (outputs[i] == GL_COLOR_ATTACHMENT0 + first || outputs[i] == GL_COLOR_ATTACHMENT1 + first) {
            outputs[i] = GL_NONE;
        }
    for (uint32_t i = 0; i < 2; ++i) {
        outputs[first + i] = GL_COLOR_ATTACHMENT0 + first + i;
        gl->FramebufferTexture(GL_DRAW_FRAMEBUFFER, outputs[first + i], t->planes.textures[i], 0);
    }
    gl->DrawBuffers(count, outputs);
    const GLenum status = gl->CheckFramebufferStatus(GL_DRAW_FRAMEBUFFER);
    result = tact_device_gl_check(t->device, "attaching the planes of picks");
    if (result == TACT_OK && status == GL_FRAMEBUFFER_COMPLETE) return TACT_OK;
    remove_planes(gl, &t->planes);
    if (result != TACT_OK) return result;
    return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT,
                     "the framebuffer would not be complete (0x%04x): all its attachments need %u samples, and "
                     "multisampled textures fixed sample locations",
                     (unsigned)status, (unsigned)t->planes.samples);
}

tact_result tact_gpu_pick_target_detach(tact_gpu_pick_target* t)
{
    const tact_result result = need_planes(t, "detaching");
    if (result != TACT_OK) return result;
    if (!has_framebuffer(t->gl)) {
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "the window's own framebuffer has no attachments");
    }
    remove_planes(t->gl, &t->planes);
    return tact_device_gl_check(t->device, "detaching the planes of picks");
}

tact_result tact_gpu_pick_target_clear(tact_gpu_pick_target* t)
{
    const tact_result result = tact_pick_target_usable(t);
    if (result != TACT_OK) return result;
    if (t->begun) {
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "a pick target is emptied within its own pass");
    }
    t->fresh = false;
    if (!t->planes.framebuffer) return TACT_OK;
    empty_planes(t, &t->planes);
    return tact_device_gl_check(t->device, "emptying planes of picks");
}

static void note_drawn(tact_gpu_pick_target* t, const tact_pick_view* view, int32_t x, int32_t y, uint64_t revision)
{
    t->view = *view;
    t->x = x;
    t->y = y;
    t->revision = revision;
    t->drawn = t->whole = t->fresh = true;
}

// The view's pixels are the planes' from (x, y) on.
static tact_result check_place(const tact_gpu_pick_target* t, const tact_pick_view* view, int32_t x, int32_t y)
{
    const tact_pick_planes_of* p = &t->planes;
    const tact_result result = tact_pick_view_check(t->env, view);
    if (result != TACT_OK) return result;
    if (x >= 0 && y >= 0 && (int64_t)x + view->width <= p->width && (int64_t)y + view->height <= p->height) {
        return TACT_OK;
    }
    return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "a view of %u x %u at (%d, %d) of planes of %u x %u",
                     (unsigned)view->width, (unsigned)view->height, (int)x, (int)y, (unsigned)p->width,
                     (unsigned)p->height);
}

tact_result tact_gpu_pick_target_drawn(tact_gpu_pick_target* t, const tact_pick_view* view, int32_t x, int32_t y,
                                       uint64_t revision)
{
    tact_result result = tact_pick_target_usable(t);
    if (result == TACT_OK && t->begun) {
        result = tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "a pass of the target's own tells its view itself");
    }
    if (result == TACT_OK) result = check_place(t, view, x, y);
    if (result == TACT_OK) note_drawn(t, view, x, y, revision);
    return result;
}

// Passes of its own

static tact_result need_depth(tact_gpu_pick_target* t)
{
    const GladGLContext* gl = t->gl;
    tact_pick_planes_of* p = &t->planes;
    if (p->depth) return TACT_OK;
    GLint bound = 0;
    gl->GetIntegerv(GL_RENDERBUFFER_BINDING, &bound);
    gl->GenRenderbuffers(1, &p->depth);
    gl->BindRenderbuffer(GL_RENDERBUFFER, p->depth);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT32F, (GLsizei)p->width, (GLsizei)p->height);
    gl->BindRenderbuffer(GL_RENDERBUFFER, (GLuint)bound);
    const bound_framebuffers before = bind_planes(gl, p);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, p->depth);
    const GLenum status = gl->CheckFramebufferStatus(GL_FRAMEBUFFER);
    unbind_planes(gl, before);
    tact_result result = tact_device_gl_check(t->device, "making a depth buffer for picks");
    if (result == TACT_OK && status != GL_FRAMEBUFFER_COMPLETE) {
        result = tact_fail(t->env, TACT_ERROR_UNSUPPORTED, "no planes with depth: 0x%04x", (unsigned)status);
    }
    if (result == TACT_OK) return TACT_OK;
    // Deleted, it would stay attached to a framebuffer that is not bound, which could then neither be emptied nor read.
    const bound_framebuffers again = bind_planes(gl, p);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, 0);
    unbind_planes(gl, again);
    gl->DeleteRenderbuffers(1, &p->depth);
    p->depth = 0;
    return result;
}

static tact_result check_own_pass(tact_gpu_pick_target* t, const tact_pick_view* view)
{
    const tact_result result = check_place(t, view, 0, 0);
    if (result != TACT_OK) return result;
    if (t->planes.samples == 1) return TACT_OK;
    return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "a pass of its own has one sample, the target %u",
                     (unsigned)t->planes.samples);
}

// The context's clip space is the caller's to set, and the view says what it is meant to be.
static tact_result check_clip(tact_gpu_pick_target* t, const tact_pick_view* view)
{
    const tact_raster_saved* s = &t->saved.common;
    const bool known = tact_raster_clip_control(t->gl);
    const bool zero_to_one = known && s->clip_depth == GL_ZERO_TO_ONE;
    if (known && s->clip_origin != GL_LOWER_LEFT) {
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT,
                         "the OpenGL context's clip space has its origin at the upper left (glClipControl)");
    }
    if (zero_to_one == (view->depth == TACT_CLIP_ZERO_TO_ONE)) return TACT_OK;
    return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT,
                     "the OpenGL context's clip space is %s in depth, the view's is not (glClipControl)",
                     zero_to_one ? "0 to 1" : "-1 to 1");
}

tact_result tact_gpu_pick_target_begin(tact_gpu_pick_target* t, const tact_pick_view* view, uint64_t revision)
{
    const GladGLContext* gl = t->gl;
    tact_result result = need_planes(t, "beginning a pass");
    if (result == TACT_OK) result = check_own_pass(t, view);
    if (result == TACT_OK) result = need_depth(t);
    if (result != TACT_OK) return result;
    const GLfloat farthest = view->reversed ? 0.0f : 1.0f;
    tact_raster_whole_save(gl, &t->saved);
    result = check_clip(t, view);
    if (result != TACT_OK) return result;
    tact_raster_whole_default(gl, &t->saved);
    empty_planes(t, &t->planes);
    gl->BindFramebuffer(GL_FRAMEBUFFER, t->planes.framebuffer);
    gl->ClearBufferfv(GL_DEPTH, 0, &farthest);
    gl->Viewport(0, 0, (GLsizei)view->width, (GLsizei)view->height);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(view->reversed ? GL_GREATER : GL_LESS);
    t->begun = true;
    t->view = *view;
    t->x = t->y = 0;
    t->revision = revision;
    t->drawn = t->fresh = false;
    result = tact_device_gl_check(t->device, "beginning a pass");
    if (result == TACT_OK) return TACT_OK;
    t->begun = false;
    tact_raster_whole_restore(gl, &t->saved);
    return result;
}

tact_result tact_gpu_pick_target_end(tact_gpu_pick_target* t)
{
    if (!t->begun) {
        const tact_result result = tact_pick_target_usable(t);
        if (result != TACT_OK) return result;
        return tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "the end of a pass that was not begun");
    }
    t->begun = false;
    tact_raster_whole_restore(t->gl, &t->saved);
    const tact_result result = tact_device_gl_check(t->device, "ending a pass");
    if (result == TACT_OK) t->drawn = t->whole = t->fresh = true;
    return result;
}

// Scenes

static tact_result need_drawer(tact_gpu_pick_target* t)
{
    tact_result result = need_depth(t);
    if (result == TACT_OK && !t->drawer) result = tact_pick_drawer_create(t->device, &t->drawer);
    if (result != TACT_OK || t->scene_target) return result;
    const tact_raster_target_desc desc = {.width = t->planes.width,
                                          .height = t->planes.height,
                                          .depth = TACT_RASTER_DEPTH_32F,
                                          .colours = {TACT_RASTER_RGBA32UI, TACT_RASTER_RG32UI}};
    return tact_raster_target_adopt(tact_pick_drawer_raster(t->drawer), t->planes.framebuffer, &desc, &t->scene_target);
}

tact_result tact_gpu_pick_target_draw(tact_gpu_pick_target* t, const tact_drawn_scene* scene,
                                      const tact_pick_view* view, uint64_t revision)
{
    tact_result result = tact_pick_target_usable(t);
    if (result == TACT_OK && t->begun) {
        result = tact_fail(t->env, TACT_ERROR_INVALID_ARGUMENT, "a scene within the target's own pass");
    }
    if (result == TACT_OK) result = check_own_pass(t, view);
    if (result != TACT_OK) return result;
    if (!t->planes.framebuffer) {
        note_drawn(t, view, 0, 0, revision);
        return TACT_OK;
    }
    result = need_drawer(t);
    if (result != TACT_OK) return result;
    tact_raster* raster = tact_pick_drawer_raster(t->drawer);
    result = tact_raster_begin(raster);
    if (result != TACT_OK) return result;
    t->drawn = t->fresh = false;
    tact_raster_bind(raster, t->scene_target);
    result = tact_pick_drawer_draw(t->drawer, scene, view);
    const tact_result ended = tact_raster_end(raster);
    if (result == TACT_OK) result = ended;
    if (result == TACT_OK) note_drawn(t, view, 0, 0, revision);
    return result;
}

bool tact_gpu_pick_target_current(const tact_gpu_pick_target* t, const tact_pick_view* view, uint64_t revision)
{
    return t->drawn && t->fresh && !t->begun && t->revision == revision && tact_pick_view_same(&t->view, view);
}
