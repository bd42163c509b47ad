// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "apps/ranks.h"
#include "apps/system.h"

static bool wants_ranks(int argc, char** argv)
{
    for (int i = 2; i < argc; ++i) {
        if (strcmp(argv[i], "--mpi") == 0) return true;
    }
    return false;
}

int main(int argc, char** argv)
{
    tact_system_binary_streams();
    tact_problem problem = {0};
    // Only a program of its own loads MPI, which takes time and memory.
    if (wants_ranks(argc, argv)) tact_system_become("tact-mpi", argv);
    const int code = tact_command_line(argc, argv, &problem);
    tact_command_line_complain(argc, argv, &problem);
    return code;
}
