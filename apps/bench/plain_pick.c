// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/plain.h"

#include <stdlib.h>

#ifdef TACT_HAVE_GL

#include "core/context/context.h"
#include "gpu/device_gl.h"

struct tact_plain_pick {
    tact_context* context;
    tact_device* device;
    GLuint framebuffer;
    uint32_t width, height;
    uint32_t (*ids)[4];
};

bool tact_plain_pick_is_there(void)
{
    return true;
}

static bool failed(tact_plain_pick* p, tact_result result, tact_problem* problem)
{
    return result < 0 && !tact_problem_set(problem, "reading the plane: %s", tact_context_error(p->context));
}

bool tact_plain_pick_create(tact_context* context, const tact_pick_target* target, uint32_t width, uint32_t height,
                            tact_plain_pick** plain, tact_problem* problem)
{
    *plain = NULL;
    const int device = tact_context_find(context, TACT_BACKEND_GL);
    if (device < 0) return tact_problem_set(problem, "reading the plane needs OpenGL");
    tact_plain_pick* p = calloc(1, sizeof *p);
    if (p) p->ids = malloc(sizeof *p->ids * ((size_t)width * height + 1));
    if (!p || !p->ids) {
        free(p);
        return tact_problem_out_of_memory(problem, "the plane");
    }
    p->context = context;
    p->device = context->devices[device];
    p->width = width;
    p->height = height;
    uint32_t textures[2];
    tact_pick_target_textures(target, textures);
    tact_result result = tact_device_enter(p->device);
    if (result >= 0) {
        const GladGLContext* gl = tact_device_gl(p->device);
        gl->GenFramebuffers(1, &p->framebuffer);
        gl->BindFramebuffer(GL_READ_FRAMEBUFFER, p->framebuffer);
        gl->FramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, textures[0], 0);
        gl->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        result = tact_device_gl_check(p->device, "reading the plane");
        tact_device_leave(p->device);
    }
    if (failed(p, result, problem)) {
        tact_plain_pick_destroy(p);
        return false;
    }
    *plain = p;
    return true;
}

void tact_plain_pick_destroy(tact_plain_pick* p)
{
    if (!p) return;
    if (p->framebuffer && tact_device_enter(p->device) >= 0) {
        tact_device_gl(p->device)->DeleteFramebuffers(1, &p->framebuffer);
        tact_device_leave(p->device);
    }
    free(p->ids);
    free(p);
}

bool tact_plain_pick_read(tact_plain_pick* p, const uint32_t (**ids)[4], tact_problem* problem)
{
    tact_result result = tact_device_enter(p->device);
    if (result >= 0) {
        const GladGLContext* gl = tact_device_gl(p->device);
        gl->BindFramebuffer(GL_READ_FRAMEBUFFER, p->framebuffer);
        gl->BindBuffer(GL_PIXEL_PACK_BUFFER, 0);
        gl->ReadPixels(0, 0, (GLsizei)p->width, (GLsizei)p->height, GL_RGBA_INTEGER, GL_UNSIGNED_INT, p->ids);
        gl->BindFramebuffer(GL_READ_FRAMEBUFFER, 0);
        result = tact_device_gl_check(p->device, "reading the plane");
        tact_device_leave(p->device);
    }
    *ids = (const uint32_t(*)[4])p->ids;
    return !failed(p, result, problem);
}

#else

bool tact_plain_pick_is_there(void)
{
    return false;
}

bool tact_plain_pick_create(tact_context* context, const tact_pick_target* target, uint32_t width, uint32_t height,
                            tact_plain_pick** plain, tact_problem* problem)
{
    (void)context;
    (void)target;
    (void)width;
    (void)height;
    *plain = NULL;
    return tact_problem_set(problem, "reading the plane is not in this program");
}

void tact_plain_pick_destroy(tact_plain_pick* plain)
{
    (void)plain;
}

bool tact_plain_pick_read(tact_plain_pick* plain, const uint32_t (**ids)[4], tact_problem* problem)
{
    (void)plain;
    *ids = NULL;
    return tact_problem_set(problem, "reading the plane is not in this program");
}

#endif
