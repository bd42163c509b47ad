// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How the viewer finds out what is where: by rays, or by a pick target that is drawn when the camera has moved and
/// asked without waiting.

#include "apps/problem.h"

typedef struct tact_view_picker tact_view_picker;

typedef enum tact_view_pick_way { TACT_VIEW_PICK_RAYS = 0, TACT_VIEW_PICK_TARGET = 1 } tact_view_pick_way;

bool tact_view_picker_create(tact_context* context, tact_scene* scene, tact_view_pick_way way, tact_backend backend,
                             tact_view_picker** picker, tact_problem* problem);
/// NULL is allowed. Before the scene.
void tact_view_picker_destroy(tact_view_picker* picker);

/// Asks what is at a pixel. By the target the answer comes some frames later; a question that finds no room is dropped,
/// since the next frame asks again.
bool tact_view_picker_ask(tact_view_picker* picker, const tact_pick_view* view, int32_t x, int32_t y,
                          tact_problem* problem);
/// The newest answer that is there. `*answered` is false when there is none since the last; an answer with object
/// TACT_NONE is the background. With `wait` those on their way are waited for.
bool tact_view_picker_answer(tact_view_picker* picker, bool wait, bool* answered, tact_pick* pick,
                             tact_problem* problem);

/// What is in a region, objects nearest first; valid until the next call. `all`: also what is behind something.
bool tact_view_picker_pick(tact_view_picker* picker, const tact_pick_view* view, const tact_pick_region* region,
                           bool all, const tact_pick** picks, size_t* count, tact_problem* problem);
