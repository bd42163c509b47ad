// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the raster layer needs of the OpenGL device (device_gl.c): for raster.c and raster_state.c only.

#include <glad/gl.h>

#include "base/env.h"
#include "gpu/device_backend.h"
#include "tact/context.h"

/// The functions of the device's context; NULL when it is not an OpenGL device.
const GladGLContext* tact_device_gl(tact_device* device);

/// Turns OpenGL's error flags into a result, and remembers a lost context.
tact_result tact_device_gl_check(tact_device* device, const char* what);

// A headless OpenGL 4.3 core context through EGL, which is loaded at run time.

typedef struct tact_egl tact_egl;

/// Takes the first hardware renderer of: the surfaceless platform, the EGL devices, the default display; else the first
/// software one. Not current afterwards. NO_DEVICE with what each of them answered.
/// `number`: of devices of hardware, modulo how many there are.
tact_result tact_egl_open(tact_env* env, uint32_t number, tact_egl** egl);
void tact_egl_close(tact_env* env, tact_egl* egl);

/// Makes the context current, and on leave the one that was current before, so that threads may take turns.
tact_result tact_egl_enter(tact_env* env, tact_egl* egl);
void tact_egl_leave(tact_egl* egl);

/// An OpenGL function; valid while the context is current.
tact_gl_function tact_egl_function(const tact_egl* egl, const char* name);

/// Whether the context's renderer runs on the CPU, by its name or by what its device says.
bool tact_egl_is_software(const tact_egl* egl);

/// Which of how many devices it is that are as good.
uint32_t tact_egl_number(const tact_egl* egl, uint32_t* alike);

/// True of the renderers that are known to run on the CPU.
bool tact_gl_renderer_is_software(const char* renderer);
