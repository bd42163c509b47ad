// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The window of `tact view`.

#include "apps/inputs/pick_input.h"
#include "apps/session.h"
#include "apps/view/event.h"

typedef struct tact_view_options {
    tact_common_options common;
    tact_text_list files;
    const char *size, *events, *image;
    uint32_t width, height;  ///< of `size`
    uint64_t frames;         ///< 0: until it is closed
    uint64_t particles;      ///< 0: none
    int pick;                ///< a tact_view_pick_way
} tact_view_options;

/// Shows the input until the window is closed, or plays `script` if `options` name a file of events; then prints what
/// came of it. No display, or a tool built without GLFW, OpenGL or cglm: exit code 3.
bool tact_view_window_run(const tact_view_options* options, const tact_pick_input* input,
                          const tact_view_script* script, tact_problem* problem);
