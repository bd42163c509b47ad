// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A context with OpenGL and an image tester on it, made anew for each test. Include after run.h.

#include <stdlib.h>

#include "core/context/context.h"
#include "tact/image_space.h"

typedef struct image_lab {
    tact_context* context;
    tact_image_tester* tester;  ///< NULL: no device
} image_lab;

/// For the setup of a lab that has more than this: 0 also without a device.
static inline int image_lab_open(image_lab* l)
{
    const tact_context_desc desc = {.cl = TACT_DEVICE_NONE};
    if (tact_context_create(&desc, &l->context) != TACT_OK) return -1;
    if (device_missing(l->context, TACT_BACKEND_GL)) return 0;
    return tact_image_tester_create(l->context, &l->tester) == TACT_OK ? 0 : -1;
}

static inline void image_lab_close(image_lab* l)
{
    tact_image_tester_destroy(l->tester);
    tact_context_destroy(l->context);
}

static inline int image_lab_setup(void** state)
{
    image_lab* l = calloc(1, sizeof *l);
    if (!l) return -1;
    *state = l;
    return image_lab_open(l);
}

static inline int image_lab_teardown(void** state)
{
    image_lab* l = *state;
    image_lab_close(l);
    free(l);
    return 0;
}

/// The lab, or the end of the test as skipped.
static inline image_lab* image_lab_require(void** state)
{
    image_lab* l = *state;
    if (!l->tester) skip_because("the device is missing");
    return l;
}

#define IMAGE_LAB_TEST(name) cmocka_unit_test_setup_teardown(name, image_lab_setup, image_lab_teardown)
