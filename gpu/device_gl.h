// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the raster layer needs of the OpenGL device (device_gl.c): for raster.c and raster_state.c only.

#include <glad/gl.h>

#include "gpu/device_backend.h"

/// The functions of the device's context; NULL when it is not an OpenGL device.
const GladGLContext* tact_device_gl(tact_device* device);

/// Turns OpenGL's error flags into a result, and remembers a lost context.
tact_result tact_device_gl_check(tact_device* device, const char* what);
