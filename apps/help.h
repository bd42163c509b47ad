// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// How commands describe themselves: as text for --help, as manual pages, and as completions for shells.

#include "apps/options.h"
#include "apps/problem.h"

enum { TACT_HELP_WIDTH = 100 };

/// A command as lists of commands have it; `name` is "raycast" or "bench rays".
typedef struct tact_command {
    const char* name;
    int (*run)(int argc, char** argv, tact_problem* problem);
    const char* help;
} tact_command;

/// Prints a text in lines of at most TACT_HELP_WIDTH characters, whose first ones are taken by `used`; further lines
/// begin with `indent` blanks.
void tact_help_wrap(const char* text, size_t length, int used, int indent);

/// What --help prints. Fits tact_describe.
void tact_help_print(const tact_option_set* set, const char* usage, bool operands);

/// Prints the manual page of a command. `commands`: all there are, for the page of the program itself.
void tact_help_manual(const tact_command* command, tact_problem* problem);
void tact_help_manual_of_all(const tact_command* commands, size_t count);

/// Prints the completions of all commands for bash, zsh or fish; false where it is none of them.
bool tact_help_completion(const char* shell, const tact_command* commands, size_t count, tact_problem* problem);
