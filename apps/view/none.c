// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Where GLFW, OpenGL or cglm was not there when the tool was built.

#include "apps/view/view.h"

bool tact_view_window_run(const tact_view_options* options, const tact_pick_input* input,
                          const tact_view_script* script, tact_problem* problem)
{
    (void)options;
    (void)input;
    (void)script;
    tact_problem_set(problem, "this tact was built without GLFW, OpenGL or cglm, and has no window");
    problem->exit_code = TACT_EXIT_NO_DEVICE;
    return false;
}
