// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "base/platform.h"
#include "core/queries.h"
#include "core/query/sample.h"
#include "gpu/device_backend.h"
#include "support/device_fixture.h"
#include "tests/support/calls.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

// A device that is modelled: its clock, its metered kernels, and that its answers are those of every other device. As
// it is hardware for all that asks, this is also where what is done on hardware alone is run on any machine.

static const tact_device_model plain = {.name = "plain",
                                        .launch_us = 5,
                                        .start_us = 2,
                                        .wait_us = 20,
                                        .transfer_us = 10,
                                        .allocate_us = 10,
                                        .up_gbs = 12,
                                        .down_gbs = 6,
                                        .host_gbs = 50,
                                        .memory_gbs = 1000,
                                        .cache_gbs = 4000,
                                        .accesses_g = 100,
                                        .latency_ns = 250,
                                        .atomics_g = 2};

static void expect_model(const tact_device_model* model, tact_result expected)
{
    const tact_context_desc desc = {.model = model, .log = quiet};
    tact_context* made = NULL;
    assert_int_equal(tact_context_create(&desc, &made), expected);
    assert_int_equal(made != NULL, expected == TACT_OK);
    tact_context_destroy(made);
}

TEST(models_are_checked)
{
    expect_model(&plain, TACT_OK);
    const size_t rates[] = {offsetof(tact_device_model, up_gbs),    offsetof(tact_device_model, down_gbs),
                            offsetof(tact_device_model, host_gbs),  offsetof(tact_device_model, memory_gbs),
                            offsetof(tact_device_model, cache_gbs), offsetof(tact_device_model, accesses_g),
                            offsetof(tact_device_model, atomics_g)};
    const size_t times[] = {offsetof(tact_device_model, launch_us),   offsetof(tact_device_model, start_us),
                            offsetof(tact_device_model, wait_us),     offsetof(tact_device_model, transfer_us),
                            offsetof(tact_device_model, allocate_us), offsetof(tact_device_model, latency_ns)};
    const double wrong[] = {-1, (double)NAN, (double)INFINITY}, none = 0;
    for (size_t w = 0; w < 3; ++w) {
        for (size_t i = 0; i < sizeof rates / sizeof *rates; ++i) {
            tact_device_model m = plain;
            memcpy((char*)&m + rates[i], &wrong[w], sizeof *wrong);
            expect_model(&m, TACT_ERROR_INVALID_ARGUMENT);
            memcpy((char*)&m + rates[i], &none, sizeof none);
            expect_model(&m, TACT_ERROR_INVALID_ARGUMENT);
        }
        for (size_t i = 0; i < sizeof times / sizeof *times; ++i) {
            tact_device_model m = plain;
            memcpy((char*)&m + times[i], &none, sizeof none);
            expect_model(&m, TACT_OK);
            memcpy((char*)&m + times[i], &wrong[w], sizeof *wrong);
            expect_model(&m, TACT_ERROR_INVALID_ARGUMENT);
        }
    }
    tact_device_model m = plain;
    m.name[0] = '\0';
    expect_model(&m, TACT_ERROR_INVALID_ARGUMENT);
    memset(m.name, 'x', sizeof m.name);
    expect_model(&m, TACT_ERROR_INVALID_ARGUMENT);
}

/// The clock says `expected`, or what has passed since, which is less than a minute.
static void expect_clock(const tact_modelled* m, double expected)
{
    const double now = tact_modelled_milliseconds(m);
    if (now < expected - 1e-3 || now > expected + 60e3) fail_msg("%f, expected %f", now, expected);
}

TEST(the_clock_goes_by_the_model)
{
    // Each command takes hours, so that what passes meanwhile is nothing.
    const double hour = 3600e3, us = 1e3 * hour;
    tact_modelled m = {.on = true, .model = plain};
    m.model.launch_us = us;
    m.model.start_us = 2 * us;
    m.model.wait_us = 4 * us;
    m.model.transfer_us = 8 * us;
    m.model.up_gbs = 1e-6 / hour;  // a byte an hour
    m.model.down_gbs = 0.5e-6 / hour;
    const double start = tact_platform_milliseconds();
    tact_modelled_enter(&m);
    tact_modelled_command(&m, 16 * hour);
    // The host goes on when it has given it; the device then begins.
    expect_clock(&m, start + hour);
    assert_true(fabs(m.done - (m.entered + 19 * hour)) < 1.0);
    tact_modelled_enter(&m);
    tact_modelled_command(&m, 32 * hour);
    expect_clock(&m, start + 2 * hour);
    // The second one waits for the first.
    assert_true(fabs(m.done - (start + (19 + 34) * hour)) < 60e3);
    tact_modelled_enter(&m);
    tact_modelled_wait(&m, m.done);
    expect_clock(&m, start + (53 + 4) * hour);
    // The device has nothing to do: what moves, moves when it is given.
    tact_modelled_enter(&m);
    assert_true(fabs(tact_modelled_transfer(&m, 3, true, false) - 3 * hour) < 1.0);
    expect_clock(&m, start + (57 + 8) * hour);
    assert_true(fabs(m.done - (start + (65 + 3) * hour)) < 60e3);
    tact_modelled_enter(&m);
    assert_true(fabs(tact_modelled_transfer(&m, 1, false, true) - 2 * hour) < 1.0);
    expect_clock(&m, start + (73 + 2 + 4) * hour);
    tact_modelled_enter(&m);
    tact_modelled_host(&m, us);
    expect_clock(&m, start + 80 * hour);
    // What the driver takes here counts for nothing.
    tact_modelled_enter(&m);
    m.entered -= 7 * hour;
    tact_modelled_host(&m, 0);
    expect_clock(&m, start + 73 * hour);
}

TEST(without_a_model_the_clock_is_the_hosts)
{
    tact_modelled m = {.on = false};
    tact_modelled_enter(&m);
    tact_modelled_command(&m, 1e9);
    assert_true(tact_modelled_transfer(&m, 1 << 30, true, true) == 0.0);
    tact_modelled_wait(&m, 1e12);
    tact_modelled_host(&m, 1e12);
    assert_true(m.shift == 0.0 && m.done == 0.0);
    expect_clock(&m, tact_platform_milliseconds());
}

static void expect_ms(const tact_meter* meter, uint64_t bound, double expected)
{
    const double ms = tact_modelled_kernel_ms(&plain, meter, bound);
    if (fabs(ms - expected) > 1e-9 * expected) fail_msg("%.12g ms, expected %.12g", ms, expected);
}

TEST(a_kernel_takes_what_holds_it_up_most)
{
    const uint64_t g = 1000000000;
    expect_ms(&(tact_meter){.bytes = 4 * g}, 1, 1.0);
    expect_ms(&(tact_meter){.bytes = 4 * g}, 3 * g, 3.0);
    // No more comes from memory than is read.
    expect_ms(&(tact_meter){.bytes = 4 * g}, 40 * g, 4.0);
    expect_ms(&(tact_meter){.bytes = 4 * g, .accesses = g}, 1, 10.0);
    expect_ms(&(tact_meter){.atomics = g, .accesses = g}, 0, 500.0);
    expect_ms(&(tact_meter){.longest = 1000}, 0, 0.25);
    expect_ms(&(tact_meter){.longest = 0}, 1 << 20, 0.0);
}

TEST(rows_of_meters_are_summed_up)
{
    uint32_t rows[4 * TACT_METER_ROWS] = {0};
    for (uint32_t i = 0; i < TACT_METER_ROWS; ++i) {
        const uint32_t row[4] = {0xffffffff, 2, 3, i};
        memcpy(rows + 4 * i, row, sizeof row);
    }
    const tact_meter sum = tact_meter_sum(rows);
    assert_true(sum.bytes == UINT64_C(0xffffffff) * 4 * TACT_METER_ROWS);
    assert_int_equal(sum.accesses, 2 * TACT_METER_ROWS);
    assert_int_equal(sum.atomics, 3 * TACT_METER_ROWS);
    assert_int_equal(sum.longest, TACT_METER_ROWS - 1);
}

/// OpenCL's device with a model, entered.
static tact_device* open_modelled(device_fixture* f, const tact_device_model* model)
{
    tact_device* device = NULL;
    tact_env_init(&f->env, NULL, fixture_log, f, NULL, NULL);
    const tact_device_open open = {.env = &f->env, .model = model};
    if (tact_device_open_cl(&open, &device) != TACT_OK) {
        miss_device(TACT_BACKEND_CL, f->env.error);
        skip_because("the device is missing");
    }
    expect_ok(f, tact_device_enter(device));
    return device;
}

static void close_modelled(tact_device* device)
{
    tact_device_leave(device);
    tact_device_close(device);
}

TEST(metered_kernels_count_what_they_do)
{
    enum { COUNT = 5000, GROUPS = 5, SECTION = 1024 };
    device_fixture f = {.backend = TACT_BACKEND_CL};
    tact_device* device = open_modelled(&f, &plain);
    tact_buffer *source = NULL, *target = NULL, *counters = NULL;
    uint32_t sums[GROUPS], words[8];
    expect_ok(&f, tact_buffer_create(device, COUNT * 4, NULL, &source));
    expect_ok(&f, tact_buffer_create(device, 64 * 4, NULL, &target));
    expect_ok(&f, tact_buffer_create(device, sizeof words, NULL, &counters));
    expect_ok(&f, tact_buffer_fill(source, 0, COUNT * 4, 3));
    expect_ok(&f, tact_buffer_fill(counters, 0, sizeof words, 0));
    tact_device_counts before = tact_device_counted(device);
    // A few groups more than there is work for: they read nothing.
    TACT_LAUNCH(device, scan_sums, GROUPS + 2, .source = source, .sums = target, .count = COUNT, .section = SECTION,
                .groups = GROUPS);
    expect_ok(&f, tact_buffer_read(target, 0, sums, sizeof sums));
    assert_int_equal(sums[0], 3 * SECTION);
    assert_int_equal(sums[GROUPS - 1], 3 * (COUNT - (GROUPS - 1) * SECTION));
    tact_device_counts after = tact_device_counted(device);
    assert_int_equal(after.kernel_bytes - before.kernel_bytes, (COUNT + GROUPS) * 4);
    assert_int_equal(after.memory_bytes - before.memory_bytes, (COUNT + GROUPS) * 4);
    assert_int_equal(after.launches - before.launches, 1);
    assert_int_equal(after.bytes_down - before.bytes_down, sizeof sums);
    // What it took is that of its longest item, reading every 256th word of a section and writing a sum.
    const double accesses = SECTION / 256 + 1, latency = 1e6;
    device->modelled.model.latency_ns = latency * 1e6;
    const double done = device->modelled.done;
    TACT_LAUNCH(device, scan_sums, GROUPS, .source = source, .sums = target, .count = COUNT, .section = SECTION,
                .groups = GROUPS);
    assert_true(fabs(device->modelled.done - done - accesses * latency) < 0.1 * latency);

    // A timer says what the device takes, without what the host does.
    double timed = 0;
    expect_ok(&f, tact_timer_begin(device));
    TACT_LAUNCH(device, scan_sums, GROUPS, .source = source, .sums = target, .count = COUNT, .section = SECTION,
                .groups = GROUPS);
    expect_ok(&f, tact_timer_end(device, &timed));
    assert_true(fabs(timed - accesses * latency) < 1e-3 * latency);
    device->modelled.model.latency_ns = 0;

    // Atomics of buffers are counted, not those of groups; the first item of each group makes 4, or 1 too many.
    before = tact_device_counted(device);
    device->modelled.model.atomics_g = 1e-6 / latency;  // one takes `latency`
    double now = device->modelled.done;
    TACT_LAUNCH(device, selftest, 3, .source = source, .target = target, .counters = counters, .count = 2, .addend = 1,
                .factor = 1.0f);
    assert_true(fabs(device->modelled.done - now - (2 * 4 + 1) * latency) < 0.1 * latency);
    after = tact_device_counted(device);
    // Each of 64 items reads; two groups write, and touch counters 4 times, the third once; the first has 2 words more.
    assert_int_equal(after.kernel_bytes - before.kernel_bytes, (3 * 64 + 2 * (1 + 4) + 1 + 2) * 4);
    tact_buffer_destroy(source);
    tact_buffer_destroy(target);
    tact_buffer_destroy(counters);
    close_modelled(device);
}

TEST(every_kernel_can_be_metered)
{
    device_fixture f = {.backend = TACT_BACKEND_CL};
    tact_device* device = open_modelled(&f, &plain);
    for (int i = 0; i < TACT_KERNEL_COUNT; i += effort_is_thorough() ? 1 : 7) {
        size_t length = 0;
        const tact_kernel kernel = tact_kernel_get((tact_kernel_id)i);
        length = kernel.opencl_size;
        char* text = tact_meter_text(&f.env, &kernel, (const char*)kernel.opencl, &length);
        assert_non_null(text);
        assert_int_equal(length, strlen(text));
        // One way out at least, and all buffers.
        assert_non_null(strstr(text, "\ntact_meter_leave("));
        for (size_t b = 0; b < kernel.buffer_count; ++b) {
            char define[128];
            snprintf(define, sizeof define, "#define %s (tact_meter_access(", kernel.params[b].name);
            assert_non_null(strstr(text, define));
        }
        tact_release(&f.env, text);
        expect_ok(&f, tact_device_prepare(device, (tact_kernel_id)i));
    }
    close_modelled(device);
}

TEST(what_is_no_kernel_is_not_metered)
{
    static const char* const texts[] = {"", "no kernel", "} const uint kernel_end) {", "const uint kernel_end"};
    device_fixture f = {.backend = TACT_BACKEND_CL};
    tact_env_init(&f.env, NULL, fixture_log, &f, NULL, NULL);
    const tact_kernel kernel = tact_kernel_get(TACT_KERNEL_scan_sums);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        size_t length = strlen(texts[i]);
        char* text = tact_meter_text(&f.env, &kernel, texts[i], &length);
        assert_non_null(text);
        assert_string_equal(text, texts[i]);
        assert_int_equal(length, strlen(texts[i]));
        tact_release(&f.env, text);
    }
}

// ---- Contexts ----

static tact_context* modelled_context(const tact_device_model* model, const char* cache)
{
    const tact_context_desc desc = {.model = model, .log = quiet, .cache_directory = cache, .open_devices = true};
    tact_context* made = KEEP(new_context(&desc));
    if (device_missing(made, TACT_BACKEND_CL)) skip_because("the device is missing");
    return made;
}

TEST(a_modelled_device_is_hardware_and_alone)
{
    tact_context* own = modelled_context(&plain, NULL);
    assert_non_null(tact_context_missing(own, TACT_BACKEND_GL));
    assert_int_equal(tact_context_device_count(own), 2);
    tact_device_info info;
    assert_int_equal(tact_context_device(own, 1, &info), TACT_OK);
    assert_int_equal(info.backend, TACT_BACKEND_CL);
    assert_string_equal(info.name, "plain (modelled)");
    assert_non_null(strstr(info.driver, "modelled on "));
    assert_false(info.software);
    // The same when it is opened later.
    const tact_context_desc desc = {.model = &plain, .log = quiet};
    tact_context* later = KEEP(new_context(&desc));
    assert_int_equal(tact_context_device(later, 1, &info), TACT_OK);
    assert_string_equal(info.name, "plain (modelled)");
    tact_device_model small = plain;
    small.memory_bytes = 1 << 20;
    tact_context* limited = modelled_context(&small, NULL);
    assert_int_equal(tact_context_device(limited, 1, &info), TACT_OK);
    assert_int_equal(info.memory_bytes, 1 << 20);
    assert_int_equal(info.max_buffer_bytes, 1 << 20);
}

/// Waits of a call once it was made before, where the device is taken for hardware.
static unsigned most_waits(const tact_query* query, const tact_query_sample* of)
{
    static const struct {
        const char* query;
        unsigned waits;
    } more[] = {{"casting rays for all hits", 3}, {"finding pairs", 2},       {"overlap of meshes", 2},
                {"contacts of bodies", 2},        {"distances of bodies", 2}, {"closest bodies", 2},
                {"finding contacts", 2},          {"finding neighbours", 2},  {"finding points within distances", 2}};
    for (size_t i = 0; i < sizeof more / sizeof *more; ++i)
        if (strcmp(query->name, more[i].query) == 0) return more[i].waits;
    return of->method && strcmp(of->method, "images") == 0 ? 8 : 1;
}

/// Asks thrice, and compares with the reference once. Returns false where the device does not answer it.
static bool ask_modelled(tact_context* own, const tact_query* query, const tact_query_sample* of, size_t size)
{
    const tact_query_options options = {.backend = TACT_BACKEND_CL, .no_fallback = true};
    tact_query_options checked = options;
    checked.shadow = query->compare != NULL;
    tact_device_counts before = {0}, after = {0};
    tact_query_report report;
    tact_sample* sample;
    assert_int_equal(tact_sample_create(own, query, of, size, 1, &sample), TACT_OK);
    tact_result result = tact_sample_ask(sample, &options, NULL);
    if (result == TACT_OK) result = tact_sample_ask(sample, &options, NULL);
    assert_int_equal(tact_context_device_counts(own, TACT_BACKEND_CL, &before), TACT_OK);
    if (result == TACT_OK) result = tact_sample_ask(sample, &options, &report);
    assert_int_equal(tact_context_device_counts(own, TACT_BACKEND_CL, &after), TACT_OK);
    const char* method = of->method ? of->method : "";
    if (result == TACT_OK) {
        const unsigned waits = (unsigned)(after.waits - before.waits);
        if (waits > most_waits(query, of)) fail_msg("%s/%s: %u waits", query->name, method, waits);
        assert_true(after.kernel_bytes > before.kernel_bytes && after.memory_bytes > before.memory_bytes);
        assert_true(after.allocations == before.allocations);
        // A launch and a wait at least.
        if (waits > 0) assert_true(report.total_ms > 0.025);
        result = tact_sample_ask(sample, &checked, NULL);
    }
    if (result != TACT_OK && result != TACT_ERROR_UNSUPPORTED)
        fail_msg("%s/%s: %s", query->name, method, tact_context_error(own));
    tact_sample_destroy(sample);
    return result == TACT_OK;
}

TEST(a_modelled_device_answers_as_the_reference_does)
{
    tact_context* own = modelled_context(&plain, NULL);
    size_t asked = 0;
    for (size_t i = 0; i < tact_query_sample_count(); ++i) {
        const tact_query* query;
        const tact_query_sample* of = tact_query_sample_of(i, &query);
        // Brute force is quadratic.
        const size_t size = effort_is_thorough() && 4 * of->smallest <= of->largest ? 4 * of->smallest : of->smallest;
        asked += ask_modelled(own, query, of, size);
    }
    // All but images, which OpenCL may not draw.
    assert_true(asked >= 20);
}

TEST(a_device_that_flushes_answers_as_the_reference_does)
{
    tact_device_model model = plain;
    model.flushes_subnormals = true;
    tact_context* own = modelled_context(&model, NULL);
    tact_device_info info;
    assert_int_equal(tact_context_device(own, 1, &info), TACT_OK);
    if (!info.probe.flushes_subnormals) skip_because("OpenCL keeps subnormal numbers, whatever it is built with");
    assert_true(info.probe.exact);
    size_t asked = 0;
    for (size_t i = 0; i < tact_query_sample_count(); ++i) {
        const tact_query* query;
        const tact_query_sample* of = tact_query_sample_of(i, &query);
        asked += ask_modelled(own, query, of, of->smallest);
    }
    assert_true(asked >= 20);
}

/// The backend that `auto` takes for most casts of many rays, once it has cast some: what a device so slow that it is
/// left out of the calibration takes is known after three runs of it, between which the CPU is tried. A trial of the
/// other one may be any call, and is one the sooner the longer other work keeps the CPU from this.
static tact_backend choice_of(tact_context* own)
{
    enum { CALLS = 16, FIRST = 7 };
    const tact_query* query;
    const tact_query_sample* of = tact_query_sample_of(0, &query);
    assert_string_equal(query->name, "casting rays");
    tact_sample* sample;
    tact_query_report report = {0};
    int of_device = 0;
    assert_int_equal(tact_sample_create(own, query, of, 20000, 1, &sample), TACT_OK);
    for (int i = 0; i < CALLS; ++i) {
        assert_int_equal(tact_sample_ask(sample, &(tact_query_options){0}, &report), TACT_OK);
        of_device += i >= FIRST && report.backend == TACT_BACKEND_CL;
    }
    tact_sample_destroy(sample);
    return 2 * of_device > CALLS - FIRST ? TACT_BACKEND_CL : TACT_BACKEND_CPU;
}

TEST(dispatch_goes_by_the_modelled_times)
{
    tact_device_model slow = plain, quick = plain;
    slow.latency_ns = 1e7;
    slow.wait_us = 1e6;
    quick.launch_us = quick.start_us = quick.wait_us = quick.transfer_us = quick.latency_ns = 0;
    quick.up_gbs = quick.down_gbs = quick.memory_gbs = quick.cache_gbs = quick.accesses_g = quick.atomics_g = 1e6;
    const char* folder = "test_modelled.tmp";  // in the folder that tests run in
    assert_int_equal(choice_of(modelled_context(&slow, folder)), TACT_BACKEND_CPU);
    // Nothing of the slow one was kept.
    assert_int_equal(choice_of(modelled_context(&quick, folder)), TACT_BACKEND_CL);
    assert_int_equal(choice_of(modelled_context(&slow, folder)), TACT_BACKEND_CPU);
}

TEST(the_contexts_clock_goes_by_the_model)
{
    tact_device_model slow = plain;
    slow.wait_us = 600e6;
    tact_context* own = modelled_context(&slow, NULL);
    const tact_query* query;
    const tact_query_sample* of = tact_query_sample_of(0, &query);
    tact_sample* sample;
    assert_int_equal(tact_sample_create(own, query, of, 100, 1, &sample), TACT_OK);
    const double start = tact_context_milliseconds(own);
    tact_query_report report;
    const tact_query_options options = {.backend = TACT_BACKEND_CL, .no_fallback = true};
    assert_int_equal(tact_sample_ask(sample, &options, &report), TACT_OK);
    const double passed = tact_context_milliseconds(own) - start;
    assert_true(passed >= 600e3 && report.total_ms >= 600e3);
    tact_sample_destroy(sample);
    // Of other contexts it is the host's.
    const double now = tact_platform_milliseconds(), plain_clock = tact_context_milliseconds(NULL);
    assert_true(plain_clock >= now && plain_clock < now + 60e3);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
