// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Every query, on every backend, while something fails in the middle: the N-th allocation on the host, the N-th buffer
// on a device, or the device itself at its N-th launch, for every N or, where there are many, for some (with the
// argument "all" for every one). Each time the error is clear, the call can be made again on the same objects and gives
// the bytes that the definition gives, and nothing is left over. Last, nothing fails, but memory is not fresh.
// Other arguments: the name of the one query to test; "test:gl_lost" for that test alone; "from:N" to begin with the
// loss at launch N, where a long run was cut off; "cl:" and a query's name to run it on OpenCL without a failure.

#include "tests/support/run.h"

#include "gpu/device_backend.h"
#include "tests/support/counted_machine.h"
#include "tests/support/effort.h"
#include "tests/support/every_query.h"

enum { THREADS = 2 };

static bool all;               ///< no N is left out
static const char* only;       ///< the one query, by its name
static size_t first_loss = 1;  ///< the first launch that is lost

static query_world* make_world(machine* m, bool fallback)
{
    query_world* w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->context = m->context;
    w->allocator = &m->hooks;
    w->options = (tact_query_options){.backend = m->backend, .no_fallback = !fallback, .threads = 2};
    w->seed = 1;
    w->like = m->backend;
    w->user = m;
    return w;
}

static void run_well(const every_query* q, query_world* w)
{
    const tact_result result = every_query_run(q, w);
    if (result != TACT_OK) {
        fail_msg("%s: %s: %s: %s", q->name, w->failed, tact_result_name(result), tact_context_error(w->context));
    }
}

/// The bytes to expect: the definition's, or what one good run on the device gave.
static query_world* expected_of(const every_query* q, machine* m)
{
    machine definition = {0};
    if (!q->gl_only) assert_true(open_machine(&definition, TACT_BACKEND_REFERENCE, THREADS));
    query_world* w = make_world(q->gl_only ? m : &definition, true);
    w->like = m->backend;
    run_well(q, w);
    assert_true(w->size > 8);
    if (!q->gl_only) close_machine(&definition);
    return w;
}

static void expect_same(const every_query* q, const query_world* expected, const query_world* w, const char* what,
                        size_t n)
{
    if (w->size == expected->size && memcmp(w->answer, expected->answer, w->size) == 0) return;
    size_t at = 0;
    while (at < w->size && at < expected->size && w->answer[at] == expected->answer[at])
        ++at;
    fail_msg("%s: after %s %zu the answer differs, from byte %zu of %zu on", q->name, what, n, at, expected->size);
}

static void copy_part(query_world* to, const query_world* from, size_t part)
{
    const size_t begin = from->parts[part].begin;
    const size_t end = part + 1 < from->part_count ? from->parts[part + 1].begin : from->size;
    memcpy(to->answer + to->size, from->answer + begin, end - begin);
    to->size += end - begin;
}

/// The same where the queries that fell back to the CPU are to answer as the CPU does when it is asked: by rays what
/// the device draws, which may differ at the edges of triangles.
static void expect_parts(const every_query* q, const query_world* drawn, const query_world* cast, const query_world* w,
                         const char* what, size_t n)
{
    query_world* mixed = scratch_zeroed(1, sizeof *mixed);
    assert_true(w->part_count > 0 && w->part_count == drawn->part_count && w->part_count <= cast->part_count);
    for (size_t i = 0; i < w->part_count; ++i)
        copy_part(mixed, w->parts[i].elsewhere ? cast : drawn, i);
    expect_same(q, mixed, w, what, n);
}

static bool takes_part(const every_query* q, tact_backend backend)
{
    if (only && strcmp(only, q->name) != 0) return false;
    return every_query_runs_on(q, backend);
}

/// Every N up to some, then ever fewer: each time `n` grows by a part of itself.
static size_t next_of(size_t n, size_t dense)
{
    return all || n < dense ? n + 1 : n + 1 + n / dense;
}

/// What can go one way or the other goes both ways for each N, or, where some are left out, this and that way in turn.
static bool is_turn(size_t turn, int way)
{
    return all || turn % 2 == (size_t)way;
}

// Memory of the host

static bool memory_again(query_world* w, tact_result result, const char* what, bool of_context)
{
    machine* m = w->user;
    if (!m->counter.failed || result != TACT_ERROR_OUT_OF_MEMORY) {
        fail_msg("%s: %s: %s", what, tact_result_name(result), tact_context_error(w->context));
    }
    if (of_context && !strstr(tact_context_error(w->context), "out of memory")) {
        fail_msg("%s: the error tells nothing of memory: %s", what, tact_context_error(w->context));
    }
    m->counter.fail_at = 0;
    return true;
}

static void host_memory(tact_backend backend)
{
    const bool host = backend == TACT_BACKEND_CPU || backend == TACT_BACKEND_REFERENCE;
    const size_t dense = host ? effort(30, 60) : effort(3, 6);
    machine m;
    if (!open_machine(&m, backend, THREADS)) skip_because("the device is missing");
    for (const every_query* q = every_queries; q < every_queries + every_query_count; ++q) {
        if (!takes_part(q, backend)) continue;
        query_world* expected = expected_of(q, &m);
        query_world* w = make_world(&m, true);
        w->again = memory_again;
        // Twice: kernels are built at their first launch and stay, with what is known of them.
        run_well(q, w);
        run_well(q, w);
        const size_t live = m.counter.live;
        size_t failures = 0, turn = 0;
        for (size_t n = 1, missed = 0; missed < 2; n = next_of(n, dense), ++turn) {
            missed = 0;
            for (int once = 0; once < 2; ++once) {
                if (!is_turn(turn, once)) continue;
                m.counter.requests = 0;
                m.counter.failed = false;
                m.counter.once = once;
                m.counter.fail_at = n;
                run_well(q, w);
                m.counter.fail_at = 0;
                expect_same(q, expected, w, once ? "one failure, at allocation" : "failures from allocation", n);
                if (m.counter.live != live) {
                    fail_msg("%s: allocation %zu failed: %zu blocks were left over", q->name, n, m.counter.live - live);
                }
                if (m.counter.failed) {
                    ++failures;
                } else {
                    missed = 2;
                }
            }
        }
        print_message("%s: %zu failures, of %zu allocations\n", q->name, failures, m.counter.requests);
        assert_true(failures > effort_of(5));
        free(w);
        free(expected);
    }
    close_machine(&m);
}

TEST(cpu_without_memory)
{
    host_memory(TACT_BACKEND_CPU);
}

TEST(definition_without_memory)
{
    host_memory(TACT_BACKEND_REFERENCE);
}

TEST(gl_without_memory)
{
    host_memory(TACT_BACKEND_GL);
}

TEST(cl_without_memory)
{
    host_memory(TACT_BACKEND_CL);
}

// Memory of a device

static bool buffer_again(query_world* w, tact_result result, const char* what, bool of_context)
{
    machine* m = w->user;
    if (result != TACT_ERROR_DEVICE_OUT_OF_MEMORY) {
        fail_msg("%s: %s: %s", what, tact_result_name(result), tact_context_error(w->context));
    }
    if (!strstr(tact_context_error(w->context), "injected failure")) {
        fail_msg("%s: the error tells nothing of the buffer: %s", what, tact_context_error(w->context));
    }
    tact_device_fail_buffer(m->device, 0);
    return true;
}

static void device_memory(tact_backend backend)
{
    machine m;
    if (!open_machine(&m, backend, THREADS)) skip_because("the device is missing");
    for (const every_query* q = every_queries; q < every_queries + every_query_count; ++q) {
        if (!takes_part(q, backend)) continue;
        query_world* expected = expected_of(q, &m);
        size_t failures = 0;
        query_world* w = make_world(&m, false);
        w->again = buffer_again;
        query_world* cast = NULL;
        if (q->instead) {
            const every_query other = {.name = q->name, .run = q->instead};
            cast = make_world(&m, true);
            cast->options.backend = TACT_BACKEND_CPU;
            run_well(&other, cast);
        }
        run_well(q, w);
        const uint64_t bytes = tact_device_bytes(m.device);
        const size_t live = m.counter.live;
        bool failed = true;
        for (size_t n = 1, turn = 0; failed; n = next_of(n, effort(3, 6)), ++turn) {
            for (int fallback = 0; fallback < 2; ++fallback) {
                if (!is_turn(turn, fallback)) continue;
                w->options.no_fallback = !fallback;
                tact_device_fail_buffer(m.device, (uint32_t)n);
                run_well(q, w);
                failed = m.device->fail_buffer == 0;  // what is left of the count
                tact_device_fail_buffer(m.device, 0);
                if (cast) {
                    expect_parts(q, expected, cast, w, "buffer", n);
                } else {
                    expect_same(q, expected, w, "buffer", n);
                }
                if (m.counter.live != live || tact_device_bytes(m.device) != bytes) {
                    fail_msg("%s: buffer %zu failed: %zu blocks, %llu bytes of buffers were left over", q->name, n,
                             m.counter.live - live, (unsigned long long)(tact_device_bytes(m.device) - bytes));
                }
                failures += failed;
            }
        }
        free(w);
        free(cast);
        print_message("%s: %zu buffers failed\n", q->name, failures);
        free(expected);
    }
    close_machine(&m);
}

TEST(gl_without_buffers)
{
    device_memory(TACT_BACKEND_GL);
}

TEST(cl_without_buffers)
{
    device_memory(TACT_BACKEND_CL);
}

// The device

static bool lost_again(query_world* w, tact_result result, const char* what, bool of_context)
{
    machine* m = w->user;
    if (result != TACT_ERROR_DEVICE_LOST || !tact_device_lost(m->device)) {
        fail_msg("%s: %s: %s", what, tact_result_name(result), tact_context_error(w->context));
    }
    // The first is told of the launch, the others that the device is lost.
    if (!strstr(tact_context_error(w->context), "lost") &&
        !strstr(tact_context_error(w->context), "injected failure")) {
        fail_msg("%s: the error tells nothing of the loss: %s", what, tact_context_error(w->context));
    }
    // There is nobody to go on but the CPU.
    w->options.backend = TACT_BACKEND_CPU;
    return true;
}

/// Loses the device at launch n of a query. With a fallback another backend answers, else the error is of the loss; and
/// calls that follow are answered. Returns whether there was such a launch.
static bool lose_at(const every_query* q, machine* m, query_world** expected, size_t n, bool fallback)
{
    if (!*expected) *expected = expected_of(q, m);
    query_world* w = make_world(m, fallback);
    w->again = lost_again;
    const size_t warnings = m->warnings;
    tact_device_fail_launch(m->device, (uint32_t)n);
    run_well(q, w);
    const bool lost = tact_device_lost(m->device);
    expect_same(q, *expected, w, "loss at launch", n);
    if (lost && fallback && w->failures == 0 && m->warnings == warnings) {
        fail_msg("%s: no report and no warning tells of the loss at launch %zu", q->name, n);
    }
    tact_device_fail_launch(m->device, 0);
    w->options.backend = TACT_BACKEND_AUTO;
    if (lost) {
        run_well(q, w);
        expect_same(q, *expected, w, "and after the loss at launch", n);
    }
    free(w);
    return lost;
}

/// For some launches with a machine of its own, which is then closed with its lost device. With "all" for the others
/// too, on one machine, whose device is revived: to open one and to build its kernels takes longer than a run.
static void device_lost(tact_backend backend)
{
    for (const every_query* q = every_queries; q < every_queries + every_query_count; ++q) {
        if (!takes_part(q, backend) || q->gl_only) continue;
        size_t losses = 0, turn = 0, alone = 1;
        query_world* expected = NULL;
        machine kept = {0};
        bool lost = true;
        while (alone < first_loss)
            alone *= 3;
        for (size_t n = first_loss; lost; n = all ? n + 1 : 3 * n, ++turn) {
            if (all && n % 50 == 0) fprintf(stderr, "%s: launch %zu\n", q->name, n);
            for (int fallback = 0; fallback < 2; ++fallback) {
                machine own;
                if (!is_turn(turn, fallback)) continue;
                machine* m = n == alone ? &own : &kept;
                if (m == &kept && kept.context) {
                    tact_device_revive(kept.device);
                } else if (!open_machine(m, backend, THREADS)) {
                    skip_because("the device is missing");
                }
                lost = lose_at(q, m, &expected, n, fallback != 0);
                losses += lost;
                if (m == &own) close_machine(m);
            }
            if (n == alone) alone *= 3;
        }
        if (kept.context) close_machine(&kept);
        free(expected);
        print_message("%s: lost %zu times\n", q->name, losses);
    }
}

/// What only the device answers: an error tells of the loss, at whatever draw, each further call fails too, and all
/// goes with the context.
TEST(lost_while_drawing)
{
    for (const every_query* q = every_queries; q < every_queries + every_query_count; ++q) {
        if (!takes_part(q, TACT_BACKEND_GL) || !q->gl_only) continue;
        query_world* expected = NULL;
        size_t losses = 0;
        for (size_t n = 1;; n = all || n < 20 ? n + 1 : n + n / 3) {
            machine m;
            if (!open_machine(&m, TACT_BACKEND_GL, THREADS)) skip_because("the device is missing");
            if (!expected) expected = expected_of(q, &m);
            query_world* w = make_world(&m, false);
            tact_device_fail_launch(m.device, (uint32_t)n);
            tact_result result = every_query_run(q, w);
            tact_device_fail_launch(m.device, 0);
            const bool lost = tact_device_lost(m.device);
            if (lost) {
                const char* says = tact_context_error(m.context);
                // What a scene's trees met on the device before is told in the log.
                if (result != TACT_ERROR_DEVICE_LOST || (!strstr(says, "injected failure") && !strstr(says, "lost"))) {
                    fail_msg("%s: loss %zu: %s: %s", q->name, n, tact_result_name(result), says);
                }
                result = every_query_run(q, w);
                if (result >= TACT_OK) fail_msg("%s: a lost device answers, after loss %zu", q->name, n);
                ++losses;
            } else {
                assert_int_equal(result, TACT_OK);
                expect_same(q, expected, w, "no loss", n);
            }
            free(w);
            close_machine(&m);
            if (!lost) break;
        }
        free(expected);
        print_message("%s: lost %zu times\n", q->name, losses);
        assert_true(losses > 5);
    }
}

TEST(gl_lost)
{
    device_lost(TACT_BACKEND_GL);
}

TEST(cl_lost)
{
    device_lost(TACT_BACKEND_CL);
}

// What is not written

/// Nothing fails, but new memory is full of numbers of one kind, on the host and on the device: no answer may depend on
/// what was there before.
static void fresh_memory(tact_backend backend)
{
    static const uint32_t values[] = {0xffffffffu, 0x7f7fffffu, 1};
    for (size_t v = 0; v < sizeof values / sizeof values[0]; ++v) {
        machine plain, m;
        if (!open_machine(&plain, backend, THREADS)) skip_because("the device is missing");
        assert_true(open_machine(&m, backend, THREADS));
        tact_device_fill_fresh(m.device, values[v]);
        for (const every_query* q = every_queries; q < every_queries + every_query_count; ++q) {
            if (!takes_part(q, backend)) continue;
            query_world* expected = expected_of(q, &plain);
            query_world* w = make_world(&m, false);
            run_well(q, w);
            expect_same(q, expected, w, "fresh memory, of kind", v);
            free(w);
            free(expected);
        }
        close_machine(&m);
        close_machine(&plain);
    }
}

/// All that goes up and comes down goes through rings, as on hardware, in small slots and with launches that are lost.
static void through_rings(tact_backend backend)
{
    enum { SLOT = 256 };
    machine plain, m;
    if (!open_machine(&plain, backend, THREADS)) skip_because("the device is missing");
    assert_true(open_machine(&m, backend, THREADS));
    assert_int_equal(tact_device_enter(m.device), TACT_OK);
    tact_device_use_rings(m.device, SLOT);
    tact_device_leave(m.device);
    for (const every_query* q = every_queries; q < every_queries + every_query_count; ++q) {
        if (!takes_part(q, backend)) continue;
        query_world* expected = expected_of(q, &plain);
        query_world* w = make_world(&m, false);
        run_well(q, w);
        expect_same(q, expected, w, "through rings", 0);
        free(w);
        for (size_t n = 1; !q->gl_only && n < 60; n *= 4) {
            lose_at(q, &m, &expected, n, true);
            tact_device_revive(m.device);
        }
        free(expected);
    }
    close_machine(&m);
    close_machine(&plain);
}

TEST(gl_through_rings)
{
    through_rings(TACT_BACKEND_GL);
}

TEST(cl_through_rings)
{
    through_rings(TACT_BACKEND_CL);
}

TEST(gl_with_fresh_memory)
{
    fresh_memory(TACT_BACKEND_GL);
}

TEST(cl_with_fresh_memory)
{
    fresh_memory(TACT_BACKEND_CL);
}

/// Nothing fails: for oclgrind, which is slow.
static void cl_alone(void** state)
{
    machine m;
    if (!open_machine(&m, TACT_BACKEND_CL, THREADS)) skip_because("the device is missing");
    size_t ran = 0;
    for (const every_query* q = every_queries; q < every_queries + every_query_count; ++q) {
        if (!takes_part(q, m.backend)) continue;
        query_world* expected = expected_of(q, &m);
        query_world* w = make_world(&m, false);
        run_well(q, w);
        expect_same(q, expected, w, "run", 1);
        free(w);
        free(expected);
        ++ran;
    }
    assert_true(ran > 0);
    close_machine(&m);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    for (int i = 1; i < argc; ++i) {
        if (strncmp(argv[i], "cl:", 3) == 0) {
            const struct CMUnitTest alone[] = {cmocka_unit_test(cl_alone)};
            only = argv[i] + 3;
            return run_all(alone, NULL, NULL);
        }
        if (strcmp(argv[i], "all") == 0) {
            all = true;
        } else if (strncmp(argv[i], "test:", 5) == 0) {
            run_only(argv[i] + 5);
        } else if (strncmp(argv[i], "from:", 5) == 0) {
            first_loss = strtoul(argv[i] + 5, NULL, 10);
        } else {
            only = argv[i];
        }
    }
    size_t named = 0;
    for (const every_query* q = every_queries; q < every_queries + every_query_count; ++q)
        named += !only || strcmp(only, q->name) == 0;
    if (named == 0) {
        fprintf(stderr, "error: no query is named \"%s\"\n", only);
        return 1;
    }
    return run_all(all_tests, NULL, NULL);
}
