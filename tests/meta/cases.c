// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Programs that end in all the ways there are; runner.cmake knows the exit code that each must give.

#include "tests/support/run.h"

static void passes(void** state)
{
}

static void fails(void** state)
{
    fail_msg("as it must");
}

static void skips(void** state)
{
    skip_because("as it must");
}

static void misses(void** state)
{
    miss_device(TACT_BACKEND_CL, "as it must");
    skip();
}

static void goes_on_without(void** state)
{
    miss_device(TACT_BACKEND_GL, "as it must");
    miss_device(TACT_BACKEND_GL, "as it must");
}

static void needs_what_nobody_asked_for(void** state)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* context = NULL;
    assert_int_equal(tact_context_create(&desc, &context), TACT_OK);
    assert_true(device_missing(context, TACT_BACKEND_CL));
    assert_false(device_missing(context, TACT_BACKEND_CPU));
    assert_false(device_missing(context, TACT_BACKEND_REFERENCE));
    tact_context_destroy(context);
}

static void writes(void** state)
{
    FILE* file = fopen("test_cases.tmp", "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static int breaks(void** state)
{
    return -1;
}

int main(int argc, char** argv)
{
    const struct CMUnitTest good[] = {cmocka_unit_test(passes)}, bad[] = {cmocka_unit_test(fails)};
    const struct CMUnitTest skipped[] = {cmocka_unit_test(skips), cmocka_unit_test(skips)};
    const struct CMUnitTest missing[] = {cmocka_unit_test(misses)}, without[] = {cmocka_unit_test(goes_on_without)};
    const struct CMUnitTest partly[] = {cmocka_unit_test(skips), cmocka_unit_test(passes)};
    const struct CMUnitTest unset[] = {cmocka_unit_test_setup_teardown(passes, breaks, NULL)};
    const struct CMUnitTest unasked[] = {cmocka_unit_test(needs_what_nobody_asked_for)};
    const struct CMUnitTest writing[] = {cmocka_unit_test(writes)};
    const char* what = argc > 1 ? argv[1] : "";
    if (argc > 2) run_only(argv[2]);
    if (strcmp(what, "good") == 0) return run_all(good, NULL, NULL);
    if (strcmp(what, "bad") == 0) return run_all(bad, NULL, NULL);
    if (strcmp(what, "skipped") == 0) return run_all(skipped, NULL, NULL);
    if (strcmp(what, "partly") == 0) return run_all(partly, NULL, NULL);
    if (strcmp(what, "missing") == 0) return run_all(missing, NULL, NULL);
    if (strcmp(what, "without") == 0) return run_all(without, NULL, NULL);
    if (strcmp(what, "unasked") == 0) return run_all(unasked, NULL, NULL);
    if (strcmp(what, "setup") == 0) return run_all(unset, NULL, NULL);
    if (strcmp(what, "group-setup") == 0) return run_all(good, breaks, NULL);
    if (strcmp(what, "group-teardown") == 0) return run_all(good, NULL, breaks);
    if (strcmp(what, "writing") == 0) return run_all(writing, NULL, NULL);
    if (strcmp(what, "nothing") == 0) return run_nothing("as it must");
    if (strcmp(what, "two-groups") == 0) {
        (void)run_all(bad, NULL, NULL);
        return run_all(good, NULL, NULL);
    }
    if (strcmp(what, "two-skipped") == 0) {
        (void)run_all(skipped, NULL, NULL);
        return run_all(missing, NULL, NULL);
    }
    fprintf(stderr, "error: no case '%s'\n", what);
    return 2;
}
