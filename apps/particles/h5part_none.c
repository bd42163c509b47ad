// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Where HDF5 was not there when the tool was built.

#include "apps/particles/h5part.h"

bool tact_h5part_begin(const char* path, const tact_tool_ranks* ranks, tact_h5part** file, tact_problem* problem)
{
    (void)ranks;
    *file = NULL;
    tact_problem_set(problem, "--hdf5 %s: this tact was built without HDF5", path);
    problem->exit_code = TACT_EXIT_NO_DEVICE;
    return false;
}

bool tact_h5part_add(tact_h5part* file, double time, const tact_particle_frame* frame, tact_problem* problem)
{
    (void)file;
    (void)time;
    (void)frame;
    (void)problem;
    return false;
}

bool tact_h5part_end(tact_h5part* file, bool good, tact_problem* problem)
{
    (void)file;
    (void)problem;
    return good;
}
