// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Where GLFW or OpenGL was not there when the tool was built.

#include "apps/particles/particles.h"

bool tact_particle_window_open(tact_particle_run* run, tact_problem* problem)
{
    (void)run;
    tact_problem_set(problem, "--window: this tact was built without GLFW or without OpenGL");
    problem->exit_code = TACT_EXIT_NO_DEVICE;
    return false;
}

bool tact_particle_window_run(tact_particle_run* run, tact_problem* problem)
{
    return tact_particle_window_open(run, problem);
}

void tact_particle_window_close(void)
{
}
