// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Runs the tests of a program and counts those that were skipped; cmocka's own runner counts them as passed. Every
/// test program includes this in place of cmocka.h. It ends in `#include TEST_LIST`, which defines `all_tests` and is
/// made of its lines TEST(name), and in RUN_ALL or a main() that returns run_all(...). The headers of the C library
/// that most tests need come with it. Not thread-safe.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka needs the above.
#include <cmocka.h>

#include "tact/context.h"

// Few tests use the state that cmocka hands to each.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#elif defined(_MSC_VER)
#pragma warning(disable : 4100)
#endif

/// Runs a group of tests between `setup` and `teardown` (may be NULL), in the build's folder, and prints how many
/// passed, failed and were skipped. Returns the exit code of the program by all groups so far: 1 when a test, a setup
/// or a teardown failed, 77 when every test was skipped, else 0.
int run_group(const char* name, const struct CMUnitTest* tests, size_t count, CMFixtureFunction setup,
              CMFixtureFunction teardown);
#define run_all(tests, setup, teardown) run_group(#tests, tests, sizeof(tests) / sizeof *(tests), setup, teardown)
#define run_all_named(name, tests, setup, teardown) \
    run_group(name, tests, sizeof(tests) / sizeof *(tests), setup, teardown)

/// Begins a test.
#define TEST(name) static void name(void** state)

/// Begins one whose entries in the list `how(name)` makes: with a fixture, or once for each device.
#define TEST_AS(how, name) static void name(void** state)

/// Lists one that a header or a macro defines.
#define TEST_ELSEWHERE(how, name)

/// A main() that runs `all_tests`.
#define RUN_ALL(setup, teardown)                    \
    int main(void)                                  \
    {                                               \
        return run_all(all_tests, setup, teardown); \
    }

/// Memory until the test ends, whatever its end. Never NULL: the program ends when there is none. Not for other
/// threads.
void* scratch(size_t bytes);

/// Likewise, of zeros.
void* scratch_zeroed(size_t count, size_t size);

/// Calls destroy(object) when the test ends, the last one first, and before the test's own teardown.
void at_end(void (*destroy)(void* object), void* object);

/// Ends a program that can run no test at all: prints the reason and returns its exit code.
int run_nothing(const char* why);

/// Runs only the tests whose names match, where `*` stands for any text. NULL: those that the environment's
/// TACT_TEST_ONLY matches, or where it is not set, all.
void run_only(const char* pattern);

/// Skips the test that runs. skip() stands for cmocka's macro of this name.
void test_skip(const char* file, int line, const char* why);
#undef skip
#define skip() test_skip(__FILE__, __LINE__, "")
#define skip_because(why) test_skip(__FILE__, __LINE__, why)

/// Prints that the program leaves something out and goes on; `.ci/run` counts the line.
void leave_out(const char* what);

/// Notes that a device is missing. Ends the program as failed when the environment's TACT_REQUIRE_DEVICES, a list such
/// as `gl,cl`, names it.
void miss_device(tact_backend backend, const char* why);

/// Returns whether the context lacks the backend, and notes it if the context asked for the device. False of the CPU
/// and of the reference.
bool device_missing(const tact_context* context, tact_backend backend);

/// Skips the test if the context lacks the backend.
void need_device(const tact_context* context, tact_backend backend);
