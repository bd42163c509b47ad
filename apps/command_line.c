// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/ranks.h"
#include "apps/system.h"

const tact_tool_ranks* tact_tool_ranks_here;

typedef struct command {
    const char* name;
    int (*run)(int argc, char** argv, tact_problem* problem);
    const char* help;
} command;

#define ENTRY(name, help) {#name, tact_command_##name, help},
static const command commands[] = {TACT_COMMANDS(ENTRY)};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(void)
{
    puts("tact: collision queries with one answer on every device\n");
    puts("Usage: tact COMMAND [options]\n       tact COMMAND --help\n       tact --version\n\nCommands:");
    for (int i = 0; i < COMMANDS; ++i) {
        printf("  %-10s %s\n", commands[i].name, commands[i].help);
    }
    puts("\nMeshes are OBJ, PLY, STL and what else Assimp reads (glTF, 3DS and more); arrays are NumPy files (.npy).");
    puts("Exit status: 0 done; 1 a check failed; 2 wrong use or invalid input; 3 no device could run it.");
}

static int run(int argc, char** argv, tact_problem* problem)
{
    if (argc < 2) {
        tact_problem_set(problem, "no command given; tact --help lists them");
        return problem->exit_code;
    }
    const char* name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help();
        return TACT_EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("tact %s\n%s\n", tact_version(), tact_build_info());
        return TACT_EXIT_DONE;
    }
    for (int i = 0; i < COMMANDS; ++i) {
        if (strcmp(commands[i].name, name) == 0) return commands[i].run(argc - 2, argv + 2, problem);
    }
    tact_problem_set(problem, "unknown command; tact --help lists them");
    return problem->exit_code;
}

bool tact_tool_prints(void)
{
    return !tact_tool_ranks_here || tact_tool_ranks_here->rank == 0;
}

int tact_command_line(int argc, char** argv, tact_problem* problem)
{
    int code = run(argc, argv, problem);
    // A full disk or a closed pipe shows only when the last bytes go out.
    if (fflush(stdout) != 0 || ferror(stdout)) {
        if (!problem->text[0]) tact_problem_set(problem, "standard output: writing failed");
        if (code == TACT_EXIT_DONE) code = TACT_EXIT_WRONG_USE;
    }
    return code;
}

void tact_command_line_complain(int argc, char** argv, const tact_problem* problem)
{
    if (problem->text[0])
        fprintf(stderr, "tact%s%s: %s\n", argc > 1 ? " " : "", argc > 1 ? argv[1] : "", problem->text);
}
