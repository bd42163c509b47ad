// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the benchmark of picking is measured against: reading the whole plane of ids back to the host, and waiting for
/// it, as many programs do.

#include "apps/problem.h"

typedef struct tact_plain_pick tact_plain_pick;

/// False when the program was built without it: without OpenGL, or with a shared library.
bool tact_plain_pick_is_there(void);

/// Of the target's first plane, whose size this is. The target and the context outlive it.
bool tact_plain_pick_create(tact_context* context, const tact_pick_target* target, uint32_t width, uint32_t height,
                            tact_plain_pick** plain, tact_problem* problem);
/// NULL is allowed.
void tact_plain_pick_destroy(tact_plain_pick* plain);

/// glReadPixels of all of it: four words for each pixel (object, instance, primitive, normal), from the bottom row on;
/// valid until the next. A pixel that shows nothing has whatever the clearing left there.
bool tact_plain_pick_read(tact_plain_pick* plain, const uint32_t (**ids)[4], tact_problem* problem);
