// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A window in which a run of `tact particles` is watched while it goes on. Opens its OpenGL context first, so that a
/// system that lives in OpenGL is drawn from the buffers it lies in.

#include "apps/particles/run.h"

/// Opens a window and a context of the library that has adopted its OpenGL context (in place of tact_session_open()).
/// No display, or a tool built without GLFW: exit code 3.
bool tact_particle_window_open(tact_particle_run* run, tact_problem* problem);

/// Steps and draws until the window is closed, or all steps or --window-frames are done.
bool tact_particle_window_run(tact_particle_run* run, tact_problem* problem);

/// Closes it, after the library's context has gone.
void tact_particle_window_close(void);
