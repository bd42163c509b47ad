// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Culling on every device gives what the reference gives: all kinds, conditions and sizes.
#include "tests/support/run.h"

#include "tests/support/calls.h"
#include "tests/support/cull_scenes.h"

static const tact_backend backends[] = {TACT_BACKEND_GL, TACT_BACKEND_CL};

static void compare(tact_context* context, tact_culler* culler, const cull_case* c)
{
    const cull_answer expected = cull_answer_of(culler, &c->work, TACT_BACKEND_CPU, 0, true);
    for (int b = 0; b < 2; ++b) {
        if (device_missing(context, backends[b])) continue;
        for (int classes = 0; classes < 2; ++classes) {
            cull_answer got = cull_answer_of(culler, &c->work, backends[b], 0, classes == 1);
            cull_answers_equal(&expected, &got);
        }
    }
}

static tact_context* context;
static tact_culler* culler;

TEST(devices_answer_as_the_cpu)
{
    static const size_t counts[] = {0, 1, 33, 5000};
    for (int kind = 0; kind < TACT_CULL_KIND_COUNT; ++kind) {
        for (int condition = 0; condition < CULL_CONDITIONS; ++condition) {
            for (size_t n = 0; n < sizeof counts / sizeof counts[0]; ++n) {
                cull_case c = cull_case_make((tact_cull_kind)kind, condition, counts[n]);
                compare(context, culler, &c);
            }
        }
    }
}

TEST(devices_answer_as_the_cpu_in_large)
{
    for (int kind = 0; kind < TACT_CULL_KIND_COUNT; ++kind) {
        for (int condition = 0; condition < 6; condition += 5) {
            cull_case c = cull_case_make((tact_cull_kind)kind, condition, 100000);
            compare(context, culler, &c);
        }
    }
    cull_case chunks = cull_case_make(TACT_CULL_SPHERES, 0, (1u << 20) + 77);
    compare(context, culler, &chunks);
}

TEST(long_lists_and_everything_in_one_spot)
{
    cull_random r = test_random_seeded(5);
    for (int kind = 0; kind < TACT_CULL_KIND_COUNT; ++kind) {
        cull_case c = cull_case_make((tact_cull_kind)kind, 3, 300);
        enum { BOXES = 20000 };
        tact_aabb* boxes = malloc(BOXES * sizeof *boxes);
        assert_non_null(boxes);
        for (int i = 0; i < BOXES; ++i)
            boxes[i] = cull_random_box(&r, i % 2 ? 0.01f : 0.0f);
        // Half of them in one place, near which most volumes' outer boxes are, if not the volumes.
        for (int i = 0; i < BOXES / 2; ++i)
            boxes[i] = boxes[0];
        c.work.boxes = boxes;
        c.work.box_count = BOXES;
        compare(context, culler, &c);
        free(boxes);
    }
}

TEST(shadow_checking_agrees)
{
    for (int kind = 0; kind < TACT_CULL_KIND_COUNT; ++kind) {
        cull_case c = cull_case_make((tact_cull_kind)kind, 6, 2000);
        uint8_t classes[2000];
        for (int b = 0; b < 2; ++b) {
            if (device_missing(context, backends[b])) continue;
            const tact_query_options options = {.backend = backends[b], .shadow = true, .no_fallback = true};
            tact_query_report report;
            size_t kept = 0;
            const tact_result result = call_cull_volumes(culler, &c.work, NULL, 0, &kept, classes, &options, &report);
            if (result != TACT_INCOMPLETE) fail_msg("%s: %s", tact_result_name(result), tact_context_error(context));
            assert_int_equal(report.backend, backends[b]);
            assert_true(report.memory_bytes > 0);
        }
    }
}

#include TEST_LIST

int main(void)
{
    if (tact_context_create(NULL, &context) != TACT_OK || tact_culler_create(context, &culler) != TACT_OK) return 1;
    const bool no_gl = device_missing(context, TACT_BACKEND_GL), no_cl = device_missing(context, TACT_BACKEND_CL);
    const int failed = no_gl && no_cl ? run_nothing("no device") : run_all(all_tests, NULL, NULL);
    tact_culler_destroy(culler);
    tact_context_destroy(context);
    return failed;
}
