// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The tests of devices in one program, for machines that have no build folder (scripts/gpu-check): 70 programs with a
// library each are twelve times as large. Each runs in a process of its own, so that a crash ends one.

#include <stdio.h>
#include <string.h>

enum { ARGUMENTS = 2 };

// The programs' main(), renamed by the linker's tools; some take no arguments.
#define RUN(name, program, ...) int program##_main(int count, char** arguments);
#include DEVICE_TESTS
#undef RUN

static const struct {
    const char* name;
    int (*run)(int count, char** arguments);
    const char* arguments[ARGUMENTS + 1];
} runs[] = {
#define RUN(name, program, ...) {#name, program##_main, {__VA_ARGS__}},
#include DEVICE_TESTS
#undef RUN
};

int main(int count, char** arguments)
{
    const size_t all = sizeof runs / sizeof *runs;
    if (count != 2) {
        fprintf(stderr, "usage: %s --list | NAME\n", arguments[0]);
        return 2;
    }
    for (size_t i = 0; i < all; ++i) {
        if (strcmp(arguments[1], "--list") == 0) puts(runs[i].name);
        if (strcmp(arguments[1], runs[i].name) != 0) continue;
        char* given[ARGUMENTS + 2] = {arguments[0]};
        int there = 1;
        for (; there <= ARGUMENTS && runs[i].arguments[there - 1]; ++there)
            given[there] = (char*)runs[i].arguments[there - 1];
        return runs[i].run(there, given);
    }
    if (strcmp(arguments[1], "--list") == 0) return 0;
    fprintf(stderr, "error: no test %s; --list names all\n", arguments[1]);
    return 2;
}
