// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "tests/support/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef _WIN32
#include <direct.h>
#define chdir _chdir
#else
#include <unistd.h>
#endif

enum { SKIPPED = 77 };  ///< CTest shows this exit code as skipped.

static size_t all_run, all_failed, all_skipped, skipped;
static const char* only;
static CMFixtureFunction group_setup, group_teardown;
static bool fixture_failed;
static bool missed[TACT_BACKEND_REFERENCE + 1];

// cmocka 1.1.5 returns 0 for a group whose teardown failed.
static int set_up_group(void** state)
{
    const int result = group_setup ? group_setup(state) : 0;
    if (result != 0) fixture_failed = true;
    return result;
}

static int tear_down_group(void** state)
{
    const int result = group_teardown ? group_teardown(state) : 0;
    if (result != 0) fixture_failed = true;
    return result;
}

/// What a test leaves to be cleared away; the piece's memory follows.
typedef struct piece {
    struct piece* next;
    void (*destroy)(void*);
    void* object;
    max_align_t memory[];
} piece;

static piece* pieces;
static const struct CMUnitTest* next_test;
static clock_t begun;

static piece* add_piece(size_t bytes)
{
    piece* p = bytes < SIZE_MAX - sizeof *p ? malloc(sizeof *p + bytes) : NULL;
    if (!p) {
        fprintf(stderr, "error: out of memory for %zu bytes\n", bytes);
        exit(EXIT_FAILURE);
    }
    *p = (piece){.next = pieces};
    pieces = p;
    return p;
}

void* scratch(size_t bytes)
{
    return add_piece(bytes)->memory;
}

void* scratch_zeroed(size_t count, size_t size)
{
    const size_t bytes = size > 0 && count > SIZE_MAX / size ? SIZE_MAX : count * size;
    return memset(scratch(bytes), 0, bytes);
}

void at_end(void (*destroy)(void* object), void* object)
{
    piece* p = add_piece(0);
    p->destroy = destroy;
    p->object = object;
}

/// Runs before each test, in place of the setup of its own entry.
static int set_up_test(void** state)
{
    const CMFixtureFunction own = next_test++->setup_func;
    begun = clock();
    return own ? own(state) : 0;
}

/// Runs after each test: prints how long a long one took, on all processors together; clears away what it left, and
/// then does what the test's own entry says.
static int tear_down_test(void** state)
{
    const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    if (seconds >= 1.0) print_message("%s: %.1f s of processors\n", next_test[-1].name, seconds);
    while (pieces) {
        piece* p = pieces;
        pieces = p->next;
        if (p->destroy) p->destroy(p->object);
        free(p);
    }
    const CMFixtureFunction own = next_test[-1].teardown_func;
    return own ? own(state) : 0;
}

static bool matches(const char* pattern, const char* text)
{
    if (*pattern == '*') return matches(pattern + 1, text) || (*text && matches(pattern, text + 1));
    return *pattern == *text && (!*text || matches(pattern + 1, text + 1));
}

/// Returns whether TACT_REQUIRE_DEVICES names the backend. Ends the program if the list is wrong.
static bool is_required(const char* backend)
{
    const char* list = getenv("TACT_REQUIRE_DEVICES");
    bool found = false;
    for (const char* at = list ? list : ""; *at;) {
        const size_t length = strcspn(at, ", ");
        const bool known = length == 0 || (length == 2 && (!strncmp(at, "gl", 2) || !strncmp(at, "cl", 2)));
        if (!known) {
            fprintf(stderr, "error: TACT_REQUIRE_DEVICES=%s: '%.*s' is neither gl nor cl\n", list, (int)length, at);
            exit(EXIT_FAILURE);
        }
        found = found || (length == strlen(backend) && !strncmp(at, backend, length));
        at += length + (at[length] != '\0');
    }
    return found;
}

static int exit_code(void)
{
    if (all_failed > 0) return EXIT_FAILURE;
    return all_run > all_skipped ? EXIT_SUCCESS : SKIPPED;
}

/// Moves to the build's folder, or the one that the environment's TACT_TEST_FOLDER names, so that files of tests land
/// there wherever the program was started. A machine without that folder runs them where it is.
static void enter_folder(void)
{
    static bool tried;
    const char* wanted = getenv("TACT_TEST_FOLDER");
    if (!tried && chdir(wanted ? wanted : TACT_TEST_FOLDER) != 0)
        leave_out("the folder of the build: files land in the current one");
    tried = true;
}

int run_group(const char* name, const struct CMUnitTest* tests, size_t count, CMFixtureFunction setup,
              CMFixtureFunction teardown)
{
    struct CMUnitTest* chosen = calloc(count + 1, sizeof *chosen);
    struct CMUnitTest* wrapped = calloc(count + 1, sizeof *wrapped);
    size_t number = 0;
    if (!chosen || !wrapped) {
        fprintf(stderr, "error: out of memory for a list of %zu tests\n", count);
        exit(EXIT_FAILURE);
    }
    (void)is_required("");
    if (!only) only = getenv("TACT_TEST_ONLY");
    enter_folder();
    for (size_t i = 0; i < count; ++i) {
        if (only && !matches(only, tests[i].name)) continue;
        chosen[number] = wrapped[number] = tests[i];
        wrapped[number].setup_func = set_up_test;
        wrapped[number++].teardown_func = tear_down_test;
    }
    next_test = chosen;
    group_setup = setup;
    group_teardown = teardown;
    skipped = 0;
    fixture_failed = false;
    const int result = number ? _cmocka_run_group_tests(name, wrapped, number, set_up_group, tear_down_group) : 0;
    free(wrapped);
    free(chosen);
    size_t failed = result > 0 ? (size_t)result : 0;
    if (fixture_failed && failed == 0) failed = 1;
    all_run += number;
    all_failed += failed;
    all_skipped += skipped;
    const size_t passed = number > failed + skipped ? number - failed - skipped : 0;
    fflush(stderr);
    printf("tests: %zu passed, %zu failed, %zu skipped\n", fixture_failed ? 0 : passed, failed, skipped);
    fflush(stdout);
    return exit_code();
}

int run_nothing(const char* why)
{
    printf("skipped: %s\n", why);
    return exit_code();
}

void run_only(const char* pattern)
{
    only = pattern;
}

void test_skip(const char* file, int line, const char* why)
{
    ++skipped;
    print_message("skipped at %s:%d%s%s\n", file, line, *why ? ": " : "", why);
    _skip(file, line);
}

void leave_out(const char* what)
{
    print_message("left out: %s\n", what);
}

void miss_device(tact_backend backend, const char* why)
{
    const char* name = tact_backend_name(backend);
    if (is_required(name)) {
        fflush(stdout);
        fprintf(stderr, "error: no %s device, and TACT_REQUIRE_DEVICES names it%s%s\n", name, *why ? ": " : "", why);
        exit(EXIT_FAILURE);
    }
    if (missed[backend]) return;
    missed[backend] = true;
    print_message("left out: no %s device%s%s\n", name, *why ? ": " : "", why);
}

bool device_missing(const tact_context* context, tact_backend backend)
{
    if (backend == TACT_BACKEND_AUTO || backend == TACT_BACKEND_REFERENCE) return false;
    const char* why = tact_context_missing(context, backend);
    // A context that was made without the device lacks it on purpose.
    if (why && strcmp(why, "not asked for") != 0) miss_device(backend, why);
    return why != NULL;
}

void need_device(const tact_context* context, tact_backend backend)
{
    if (device_missing(context, backend)) skip_because("the device is missing");
}
