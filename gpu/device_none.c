// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Stands in for the backends that the library was built without.

#include "gpu/device.h"

#ifndef TACT_HAVE_GL
tact_result tact_device_open_gl(const tact_device_open* open, tact_device** device)
{
    *device = NULL;
    return tact_fail(open->env, TACT_ERROR_NO_DEVICE, "built without OpenGL");
}
#endif

#ifndef TACT_HAVE_CL
tact_result tact_device_open_cl(const tact_device_open* open, tact_device** device)
{
    *device = NULL;
    return tact_fail(open->env, TACT_ERROR_NO_DEVICE, "built without OpenCL");
}
#endif

#if defined(TACT_HAVE_GL) && defined(TACT_HAVE_CL)
typedef int tact_device_none_is_empty;  // ISO C wants a declaration in every file
#endif
