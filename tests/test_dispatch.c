// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "core/dispatch/dispatch.h"
#include "tests/support/objects.h"
#include "tests/support/test_context.h"

// Who is chosen, what happens when it fails, and what is said about it. Uses made-up backends, and, where the machine
// has devices, real ones that are made to fail.

static char warnings[8192];

static void keep_log(tact_log_level level, const char* source, const char* message, void* user)
{
    if (level >= TACT_LOG_WARNING) strncat(warnings, message, sizeof warnings - strlen(warnings) - 1);
}

static int open_own(void** state)
{
    const tact_context_desc desc = {.log = keep_log};
    return open_described(&desc);
}

typedef struct made_up {
    tact_result cpu, reference, check;
    int cpu_runs, reference_runs, checks;
    tact_backend told;  ///< what the report said while it ran
} made_up;

static tact_result run_made_up_cpu(tact_context* c, uint32_t device, void* arguments, const tact_query_options* options,
                                   tact_query_report* report)
{
    made_up* m = arguments;
    report->query_ms = 1.0;
    m->told = report->backend;
    ++m->cpu_runs;
    return m->cpu == TACT_OK ? TACT_OK : tact_fail(&c->env, m->cpu, "the CPU is tired\nand says why");
}

static tact_result run_made_up_reference(tact_context* c, uint32_t device, void* arguments,
                                         const tact_query_options* options, tact_query_report* report)
{
    made_up* m = arguments;
    m->told = report->backend;
    ++m->reference_runs;
    return m->reference;
}

static tact_cost cost(const tact_device_info* device, uint32_t index, const void* arguments)
{
    return tact_cost_of("fast", 0.5, 2.0, 0.0, 0.0);
}

static tact_result check(tact_context* c, void* arguments, const tact_query_options* options)
{
    made_up* m = arguments;
    ++m->checks;
    return m->check == TACT_OK ? TACT_OK : tact_fail(&c->env, m->check, "byte 7 differs");
}

static const tact_query_backend backends[] = {
    {TACT_BACKEND_CPU, run_made_up_cpu, cost},
    {TACT_BACKEND_REFERENCE, run_made_up_reference, NULL},
};
static const tact_query query = {"testing", backends, 2, .compare = check};

#ifdef TACT_HAVE_GPU
static void hear_nothing(void* user, const tact_cost_answer* answer)
{
}
#endif

TEST(auto_never_chooses_the_reference_and_says_why)
{
    made_up m = {0};
    tact_query_report report;
    assert_int_equal(tact_dispatch(context, &query, &m, NULL, &report), TACT_OK);
    assert_int_equal(m.cpu_runs, 1);
    assert_int_equal(m.reference_runs, 0);
    assert_int_equal(report.backend, TACT_BACKEND_CPU);
    assert_int_equal(m.told, TACT_BACKEND_CPU);
    assert_int_equal(report.failures, 0);
    assert_non_null(strstr(report.reason, "auto: expected cpu 2.5 ms"));
    assert_true(report.query_ms == 1.0 && report.total_ms >= 0.0);
    assert_string_equal(tact_context_error(context), "");
}

TEST(a_forced_backend_is_used)
{
    made_up m = {0};
    tact_query_report report;
    const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
    assert_int_equal(tact_dispatch(context, &query, &m, &options, &report), TACT_OK);
    assert_int_equal(m.reference_runs, 1);
    assert_int_equal(m.cpu_runs, 0);
    assert_int_equal(m.told, TACT_BACKEND_REFERENCE);
    assert_string_equal(report.reason, "reference: forced");
    const tact_result result = tact_dispatch_because(context, &query, &m, &options, "it knows", &report);
    assert_int_equal(result, TACT_OK);
    assert_int_equal(m.reference_runs, 2);
    assert_string_equal(report.reason, "reference: it knows");
}

TEST(what_devices_leave_to_the_host_is_answered_there)
{
    made_up m = {0};
    tact_query_report report;
    tact_query_options options = {.backend = TACT_BACKEND_CL};
    const char* why = "it is the CPU's";
    assert_int_equal(tact_dispatch_on_host(context, &query, &m, NULL, why, &report), TACT_OK);
    assert_non_null(strstr(report.reason, "auto: expected cpu"));
    assert_int_equal(tact_dispatch_on_host(context, &query, &m, &options, why, &report), TACT_OK);
    assert_string_equal(report.reason, "cpu: cl was selected, but it is the CPU's");
    assert_int_equal(m.cpu_runs, 2);
    options.no_fallback = true;
    assert_int_equal(tact_dispatch_on_host(context, &query, &m, &options, why, &report), TACT_ERROR_UNSUPPORTED);
    assert_string_equal(tact_context_error(context), "cl was selected, but it is the CPU's");
    options.backend = TACT_BACKEND_REFERENCE;
    assert_int_equal(tact_dispatch_on_host(context, &query, &m, &options, why, &report), TACT_OK);
    assert_int_equal(m.cpu_runs, 2);
    assert_int_equal(m.reference_runs, 1);
}

TEST(a_device_failure_is_answered_by_the_next_backend)
{
    const tact_result failures[] = {TACT_ERROR_DEVICE_OUT_OF_MEMORY, TACT_ERROR_DEVICE_LOST, TACT_ERROR_DEVICE,
                                    TACT_ERROR_KERNEL_BUILD,         TACT_ERROR_LIMIT,       TACT_ERROR_UNSUPPORTED};
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; ++i) {
        made_up m = {.reference = failures[i]};
        tact_query_report report;
        tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
        warnings[0] = '\0';
        assert_int_equal(tact_dispatch(context, &query, &m, &options, &report), TACT_OK);
        assert_int_equal(m.reference_runs, 1);
        assert_int_equal(m.cpu_runs, 1);
        assert_int_equal(report.backend, TACT_BACKEND_CPU);
        assert_int_equal(report.failures, 1);
        assert_non_null(strstr(report.reason, "reference failed"));
        assert_non_null(strstr(warnings, "testing on reference failed"));
        options.no_fallback = true;
        assert_int_equal(tact_dispatch(context, &query, &m, &options, &report), failures[i]);
        assert_int_equal(m.cpu_runs, 1);
    }
}

TEST(other_errors_are_returned_at_once)
{
    const tact_result errors[] = {TACT_ERROR_OUT_OF_MEMORY, TACT_ERROR_CANCELLED, TACT_ERROR_INVALID_ARGUMENT};
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; ++i) {
        made_up m = {.reference = errors[i]};
        const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
        assert_int_equal(tact_dispatch(context, &query, &m, &options, NULL), errors[i]);
        assert_int_equal(m.cpu_runs, 0);
    }
}

TEST(when_all_fail_the_last_error_is_returned)
{
    made_up m = {.cpu = TACT_ERROR_LIMIT};
    tact_query_report report;
    assert_int_equal(tact_dispatch(context, &query, &m, NULL, &report), TACT_ERROR_LIMIT);
    assert_non_null(strstr(tact_context_error(context), "the CPU is tired"));
    assert_non_null(strstr(report.reason, "the CPU is tired"));
    assert_null(strstr(report.reason, "and says why"));  // only the first line
}

TEST(shadow_checking_reports_differences)
{
    made_up m = {0};
    tact_query_report report;
    const tact_query_options options = {.shadow = true};
    assert_int_equal(tact_dispatch(context, &query, &m, &options, &report), TACT_OK);
    assert_int_equal(m.checks, 1);
    assert_non_null(strstr(report.reason, "shadow: equal"));
    m.check = TACT_ERROR_SHADOW_MISMATCH;
    assert_int_equal(tact_dispatch(context, &query, &m, &options, &report), TACT_ERROR_SHADOW_MISMATCH);
    assert_non_null(strstr(report.reason, "shadow: differs"));
    assert_string_equal(tact_context_error(context), "byte 7 differs");
}

TEST(what_happened_is_explained)
{
    tact_explanation e;
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* fresh = KEEP(new_context(&desc));
    assert_int_equal(tact_explain(fresh, &e), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_explain(NULL, &e), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_explain(fresh, NULL), TACT_ERROR_INVALID_ARGUMENT);
    made_up m = {0};
    assert_int_equal(tact_dispatch(fresh, &query, &m, NULL, NULL), TACT_OK);
    assert_int_equal(tact_explain(fresh, &e), TACT_OK);
    assert_string_equal(e.query, "testing");
    assert_string_equal(e.method, "fast");
    assert_true(e.asked == TACT_BACKEND_AUTO && e.answered == TACT_BACKEND_CPU && e.count == 3);
    const tact_candidate* cpu = &e.candidates[0];
    assert_true(cpu->backend == TACT_BACKEND_CPU && cpu->fate == TACT_CANDIDATE_ANSWERED);
    assert_true(cpu->fixed_ms == 0.5 && cpu->work_ms == 2.0 && cpu->expected_ms == 2.5 && cpu->measured_ms >= 0.0);
    assert_true(!cpu->calibrated && cpu->learned_runs == 0 && cpu->learned_factor == 1.0);
    assert_int_equal(e.candidates[1].fate, TACT_CANDIDATE_MISSING);
#ifdef TACT_HAVE_GPU
    assert_non_null(strstr(e.candidates[1].why, "not asked for"));
#else
    assert_non_null(strstr(e.candidates[1].why, "built without"));
#endif
    // Not there, and failed with the CPU stepping in.
    tact_query_options options = {.backend = TACT_BACKEND_GL};
    assert_int_equal(tact_dispatch(fresh, &query, &m, &options, NULL), TACT_ERROR_NO_DEVICE);
    assert_int_equal(tact_explain(fresh, &e), TACT_OK);
    assert_true(e.asked == TACT_BACKEND_GL && e.answered == TACT_BACKEND_AUTO);
    options.backend = TACT_BACKEND_REFERENCE;
    m.reference = TACT_ERROR_LIMIT;
    assert_int_equal(tact_dispatch(fresh, &query, &m, &options, NULL), TACT_OK);
    assert_int_equal(tact_explain(fresh, &e), TACT_OK);
    assert_true(e.answered == TACT_BACKEND_CPU && e.count == 4);
    assert_int_equal(e.candidates[3].fate, TACT_CANDIDATE_FAILED);
    assert_string_equal(tact_candidate_fate_name(e.candidates[3].fate), "failed");
    assert_string_equal(tact_candidate_fate_name(TACT_CANDIDATE_FATE_COUNT), "?");
}

TEST(expectations_are_learned_from_answers)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* fresh = KEEP(new_context(&desc));
    made_up m = {0};
    tact_query_report report;
    for (int i = 0; i < TACT_COST_RUNS_MIN; ++i) {
        assert_int_equal(tact_dispatch(fresh, &query, &m, NULL, &report), TACT_OK);
        assert_non_null(strstr(report.reason, "cpu 2.5 ms (uncalibrated)"));
    }
    assert_int_equal(tact_dispatch(fresh, &query, &m, NULL, &report), TACT_OK);
    // It takes no time, so the least factor there is is applied.
    assert_non_null(strstr(report.reason, "cpu 0.025 ms (learned from 3 runs)"));
    tact_explanation e;
    assert_int_equal(tact_explain(fresh, &e), TACT_OK);
    assert_true(e.candidates[0].learned_runs == 3 && e.candidates[0].learned_factor == 1.0 / TACT_COST_FACTOR_MAX);
    // A run that failed tells nothing.
    m.cpu = TACT_ERROR_LIMIT;
    const uint64_t runs = fresh->costs[0].entries[0].runs;
    assert_int_equal(tact_dispatch(fresh, &query, &m, NULL, &report), TACT_ERROR_LIMIT);
    assert_true(fresh->costs[0].entries[0].runs == runs);
}

// One backend with two ways to answer.

typedef struct ways {
    double drawn, computed;  ///< ms that are expected
    bool only_drawn, fails;
    int answers[2];
    double take[2];  ///< ms that they take
} ways;

static double ways_clock;

static double read_ways_clock(void)
{
    return ways_clock;
}

static tact_result run_way(ways* w, int which)
{
    ways_clock += w->take[which];
    ++w->answers[which];
    return TACT_OK;
}

static tact_result run_drawn(tact_context* c, uint32_t device, void* arguments, const tact_query_options* options,
                             tact_query_report* report)
{
    ways* w = arguments;
    if (w->fails) return tact_fail(&c->env, TACT_ERROR_UNSUPPORTED, "no pen");
    return run_way(w, 0);
}

static tact_result run_computed(tact_context* c, uint32_t device, void* arguments, const tact_query_options* options,
                                tact_query_report* report)
{
    return run_way(arguments, 1);
}

static tact_cost cost_of_drawn(const tact_device_info* device, uint32_t index, const void* arguments)
{
    return tact_cost_of("drawn", 0.0, ((const ways*)arguments)->drawn, 0.0, 0.0);
}

static tact_cost cost_of_computed(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const ways* w = arguments;
    tact_cost c = tact_cost_of("computed", 0.0, w->computed, 0.0, 0.0);
    c.never = w->only_drawn;
    return c;
}

static const tact_query_backend two_ways[] = {{TACT_BACKEND_CPU, run_drawn, cost_of_drawn},
                                              {TACT_BACKEND_CPU, run_computed, cost_of_computed}};
static const tact_query with_ways = {"going", two_ways, 2, .compare = NULL};

static tact_context* ways_context(void)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .disable_cache = true};
    tact_context* fresh = new_context(&desc);
    fresh->clock = read_ways_clock;
    fresh->uncalibrated = false;  // whatever the environment says
    return fresh;
}

TEST(of_two_ways_on_a_backend_the_cheaper_one_is_gone)
{
    tact_context* fresh = KEEP(ways_context());
    for (int forced = 0; forced < 2; ++forced) {
        const tact_query_options options = {.backend = forced ? TACT_BACKEND_CPU : TACT_BACKEND_AUTO,
                                            .no_fallback = forced};
        tact_query_report report;
        tact_explanation e;
        ways w = {.drawn = 3.0, .computed = 2.0, .take = {3.0, 2.0}};
        assert_int_equal(tact_dispatch(fresh, &with_ways, &w, &options, &report), TACT_OK);
        assert_true(w.answers[0] == 0 && w.answers[1] == 1);
        assert_non_null(strstr(report.reason, forced ? "cpu: forced, expected computed 2 ms, drawn 3 ms"
                                                     : "expected cpu computed 2 ms, cpu drawn 3 ms"));
        assert_int_equal(tact_explain(fresh, &e), TACT_OK);
        assert_string_equal(e.method, "computed");
        assert_int_equal(e.candidates[0].fate, TACT_CANDIDATE_ANSWERED);
        assert_non_null(strstr(e.candidates[0].why, "; as drawn it is expected to take 3 ms"));
        w.drawn = 1.0;
        assert_int_equal(tact_dispatch(fresh, &with_ways, &w, &options, NULL), TACT_OK);
        assert_true(w.answers[0] == 1 && w.answers[1] == 1);
        assert_int_equal(tact_explain(fresh, &e), TACT_OK);
        assert_string_equal(e.method, "drawn");
        // A row that does not answer such calls is none.
        w = (ways){.drawn = 3.0, .computed = 2.0, .only_drawn = true};
        assert_int_equal(tact_dispatch(fresh, &with_ways, &w, &options, NULL), TACT_OK);
        assert_true(w.answers[0] == 1 && w.answers[1] == 0);
        assert_int_equal(tact_explain(fresh, &e), TACT_OK);
        assert_null(strstr(e.candidates[0].why, "computed"));
    }
}

TEST(a_way_that_fails_is_followed_by_the_other)
{
    tact_context* fresh = KEEP(ways_context());
    for (int i = 0; i < 3; ++i) {
        const tact_query_options options = {.backend = i == 0 ? TACT_BACKEND_AUTO : TACT_BACKEND_CPU,
                                            .no_fallback = i == 2};
        tact_query_report report;
        tact_explanation e;
        ways w = {.drawn = 1.0, .computed = 2.0, .fails = true};
        const tact_result result = tact_dispatch(fresh, &with_ways, &w, &options, &report);
        assert_int_equal(result, i == 2 ? TACT_ERROR_UNSUPPORTED : TACT_OK);
        assert_int_equal(w.answers[1], i < 2);
        if (i == 2) continue;
        assert_int_equal(report.failures, 1);
        assert_int_equal(tact_explain(fresh, &e), TACT_OK);
        assert_int_equal(e.candidates[0].fate, TACT_CANDIDATE_ANSWERED);
        assert_non_null(strstr(e.candidates[0].why, "; as drawn it failed"));
    }
    // None is left, or there is none.
    ways w = {.drawn = 1.0, .only_drawn = true, .fails = true};
    assert_int_equal(tact_dispatch(fresh, &with_ways, &w, NULL, NULL), TACT_ERROR_UNSUPPORTED);
    const tact_query one_way = {"going", &two_ways[1], 1, .compare = NULL};
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    assert_int_equal(tact_dispatch(fresh, &one_way, &w, &options, NULL), TACT_ERROR_UNSUPPORTED);
    assert_string_equal(tact_context_error(fresh), "going: cpu does not answer such calls");
    // Another backend answers then, where that is allowed.
    const tact_query_backend rows[] = {{TACT_BACKEND_CPU, run_drawn, cost_of_drawn},
                                       {TACT_BACKEND_REFERENCE, run_computed, cost_of_computed}};
    const tact_query two = {"going", rows, 2, .compare = NULL};
    tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
    tact_query_report report;
    w.fails = false;
    assert_int_equal(tact_dispatch(fresh, &two, &w, &reference, &report), TACT_OK);
    assert_int_equal(report.backend, TACT_BACKEND_CPU);
    assert_string_equal(report.reason, "reference: does not answer such calls");
    reference.no_fallback = true;
    assert_int_equal(tact_dispatch(fresh, &two, &w, &reference, &report), TACT_ERROR_UNSUPPORTED);
}

TEST(what_ways_take_is_learned_of_each)
{
    tact_context* fresh = KEEP(ways_context());
    // Computing is said to take 2 ms, and takes 10: learned after three calls. Drawing takes what it is said to.
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    ways w = {.drawn = 3.0, .computed = 2.0, .take = {3.0, 10.0}};
    for (int i = 0; i < 10; ++i)
        assert_int_equal(tact_dispatch(fresh, &with_ways, &w, &options, NULL), TACT_OK);
    assert_int_equal(w.answers[1], TACT_COST_RUNS_MIN);
    assert_int_equal(w.answers[0], 10 - TACT_COST_RUNS_MIN);
    // Then it takes 1: a trial finds that, by and by, also where the backend is forced.
    w.take[1] = 1.0;
    for (int i = 0; i < 1000; ++i)
        assert_int_equal(tact_dispatch(fresh, &with_ways, &w, &options, NULL), TACT_OK);
    assert_true(w.answers[1] > 100);
}

static const char* heard_method;

static void hear_method(void* user, const tact_cost_answer* answer)
{
    heard_method = answer->cost->method;
}

TEST(a_watch_may_ask_for_one_way)
{
    tact_context* fresh = KEEP(ways_context());
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .no_fallback = true};
    static const char* const methods[] = {"drawn", "computed", "neither"};
    for (int i = 0; i < 3; ++i) {
        const tact_cost_watch watch = {hear_method, NULL, methods[i]};
        ways w = {.drawn = 1.0, .computed = 2.0};
        tact_dispatch_watch(fresh, &watch);
        assert_int_equal(tact_dispatch(fresh, &with_ways, &w, &options, NULL), TACT_OK);
        tact_dispatch_watch(fresh, NULL);
        assert_string_equal(heard_method, methods[i == 2 ? 0 : i]);
    }
}

static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const tact_ray ray = {0.25f, 0.25f, 2, 0, 0, 0, -1, 10};

static tact_scene* one_triangle(void)
{
    const tact_mesh_desc mesh = {.positions = positions, .vertex_count = 3, .triangle_count = 1};
    tact_scene* scene = new_scene(context);
    put_instance(scene, put_mesh(scene, &mesh), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

TEST(ray_casts_pass_their_own_shadow_check)
{
    tact_scene* scene = KEEP(one_triangle());
    for (int backend = TACT_BACKEND_AUTO; backend < TACT_BACKEND_REFERENCE; ++backend) {
        if (device_missing(context, (tact_backend)backend)) continue;
        for (int mode = 0; mode <= TACT_RAY_COUNT; ++mode) {
            tact_hit hit;
            tact_query_report report;
            const tact_query_options options = {.backend = (tact_backend)backend, .shadow = true};
            assert_int_equal(tact_raycast(scene, (tact_ray_mode)mode, &ray, 1, &hit, &options, &report), TACT_OK);
            assert_non_null(strstr(report.reason, "shadow: equal"));
        }
    }
}

#ifdef TACT_HAVE_GPU

// A made-up query for the CPU and a made-up GPU, on whatever device there is to stand for it.

typedef struct work {
    double items;
    bool resident;
} work;

static tact_result run_work(tact_context* c, uint32_t device, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    return TACT_OK;
}

static tact_cost cost_of_work(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const work* w = arguments;
    if (device->backend == TACT_BACKEND_CPU) return tact_cost_of(NULL, 0.0, w->items, 0.0, 0.0);
    return tact_cost_of(NULL, 10.0, w->items * 0.1, w->resident ? 0.0 : 4e8, 0.0);
}

TEST(the_cheapest_is_chosen_and_residency_counts)
{
    const tact_backend gpu = device_missing(context, TACT_BACKEND_CL) ? TACT_BACKEND_GL : TACT_BACKEND_CL;
    need_device(context, gpu);
    const int index = tact_context_find(context, gpu);
    const tact_query_backend workers[] = {{TACT_BACKEND_CPU, run_work, cost_of_work}, {gpu, run_work, cost_of_work}};
    const tact_query working = {"working", workers, 2, .compare = NULL};
    // Watched, so that nothing is learned from runs that take no time.
    const tact_cost_watch deaf = {hear_nothing, NULL, NULL};
    tact_dispatch_watch(context, &deaf);
    tact_query_report report;
    tact_explanation e;
    // A software device must be expected to take clearly less.
    const double margin = tact_context_describe(context, (uint32_t)index)->software ? 1.5 : 1.0;
    for (int resident = 0; resident < 2; ++resident) {
        // 10 ms, and 40 to bring the data there, are made up for at 11.1 and 55.6 items where there is no margin.
        for (double items = 2.0; items < 100.0; items += 1.0) {
            work w = {items, resident};
            assert_int_equal(tact_dispatch(context, &working, &w, NULL, &report), TACT_OK);
            assert_int_equal(report.backend,
                             items > margin * (items * 0.1 + (resident ? 10.0 : 50.0)) ? gpu : TACT_BACKEND_CPU);
        }
        assert_int_equal(tact_explain(context, &e), TACT_OK);
        assert_int_equal(e.answered, gpu);
        const tact_candidate* c = &e.candidates[gpu - TACT_BACKEND_CPU];
        assert_true(c->backend == gpu && fabs(c->upload_ms - (resident ? 0.0 : 40.0)) < 1e-9);
        assert_int_equal(e.candidates[0].fate, TACT_CANDIDATE_DEARER);
    }
    // The same with what was measured: the start costs ten times less, the work five times more.
    tact_cost_entry* entry = tact_cost_entry_of(&context->costs[index], "working");
    assert_non_null(entry);
    entry->calibrated = true;
    const double measured[TACT_COST_TERMS] = {0.1, 1.0, 5.0, 1.0, 1.0};
    memcpy(entry->coefficients, measured, sizeof measured);
    context->costs[index].day = 20779;
    for (double items = 1.5; items < 100.0; items += 1.0) {
        work w = {items, true};
        assert_int_equal(tact_dispatch(context, &working, &w, NULL, &report), TACT_OK);
        assert_int_equal(report.backend, items > margin * (items * 0.5 + 1.0) ? gpu : TACT_BACKEND_CPU);
        assert_non_null(strstr(report.reason, "(calibrated 2026-11-22)"));
        assert_non_null(strstr(report.reason, "(uncalibrated)"));
    }
    tact_dispatch_watch(context, NULL);
}

/// What handing steps over to a device takes says nothing of what they take there; on the CPU they are learned from.
static void expect_steps_learned(tact_backend backend)
{
    const float at[] = {0, 0, 0};
    const float radius = 0.5f;
    need_device(context, backend);
    const tact_particles_desc desc = {.backend = backend};
    const tact_particle_arrays one = {.positions = at, .radii = &radius};
    tact_query_report report;
    tact_particles* p = new_particles(context, &desc);
    assert_int_equal(tact_particles_add(p, &one, 1, NULL), TACT_OK);
    for (int i = 0; i <= TACT_COST_RUNS_MIN; ++i)
        assert_int_equal(tact_particles_step(p, 1e-4f, 1, 1, NULL, &report), TACT_OK);
    tact_explanation e;
    assert_int_equal(tact_explain(context, &e), TACT_OK);
    const tact_candidate* c = &e.candidates[backend - TACT_BACKEND_CPU];
    assert_int_equal(c->backend, backend);
    assert_int_equal(report.backend, backend);
    assert_true((c->learned_runs > 0) == (backend == TACT_BACKEND_CPU));
    tact_particles_destroy(p);
}

TEST(steps_on_the_cpu_are_learned_from)
{
    expect_steps_learned(TACT_BACKEND_CPU);
}

TEST(steps_are_not_learned_from_handing_them_to_opengl)
{
    expect_steps_learned(TACT_BACKEND_GL);
}

TEST(steps_are_not_learned_from_handing_them_to_opencl)
{
    expect_steps_learned(TACT_BACKEND_CL);
}

/// A hit must come from the CPU when the forced device fails, with the reason told.
static void expect_fallback(tact_scene* scene, tact_backend backend, const char* cause)
{
    tact_hit hit = {0};
    tact_query_report report;
    const tact_query_options options = {.backend = backend};
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &options, &report), TACT_OK);
    assert_true(hit.instance == 0 && hit.primitive == 0 && hit.t == 2.0f);
    assert_int_not_equal(report.backend, backend);
    assert_int_equal(report.failures, 1);
    if (!strstr(report.reason, cause)) fail_msg("the reason does not say \"%s\": %s", cause, report.reason);
}

static void expect_answer(tact_scene* scene, tact_backend backend)
{
    tact_hit hit = {0};
    tact_query_report report;
    const tact_query_options options = {.backend = backend};
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &options, &report), TACT_OK);
    assert_int_equal(report.backend, backend);
    assert_true(hit.t == 2.0f);
}

static void fail_a_device(tact_backend backend)
{
    need_device(context, backend);
    // A context of its own, since its device will be lost.
    tact_context* const shared = context;
    assert_int_equal(open_own(NULL), 0);
    const int index = tact_context_find(context, backend);
    assert_true(index > 0);
    tact_device* device = context->devices[index];
    // Each of the buffers in turn; afterwards the device works as before.
    for (uint32_t n = 1; n <= 6; ++n) {
        tact_scene* scene = one_triangle();
        tact_device_fail_buffer(device, n);
        expect_fallback(scene, backend, "device is out of memory");
        tact_device_fail_buffer(device, 0);
        expect_answer(scene, backend);
        tact_scene_destroy(scene);
        assert_int_equal(tact_device_bytes(device), 0);
    }
    // A device that is lost stays lost: auto passes over it, forcing it falls through.
    tact_scene* scene = one_triangle();
    expect_answer(scene, backend);
    tact_device_fail_launch(device, 1);
    expect_fallback(scene, backend, "device was lost");
    expect_fallback(scene, backend, "device was lost");
    tact_query_report report;
    tact_hit hit;
    assert_int_equal(tact_raycast(scene, TACT_RAY_ANY, &ray, 1, &hit, NULL, &report), TACT_OK);
    assert_null(strstr(report.reason, tact_backend_name(backend)));
    tact_device_info info;
    assert_int_equal(tact_context_device(context, (uint32_t)index, &info), TACT_OK);
    assert_true(info.lost);
    const tact_query_options strict = {.backend = backend, .no_fallback = true};
    assert_int_equal(tact_raycast(scene, TACT_RAY_ANY, &ray, 1, &hit, &strict, NULL), TACT_ERROR_DEVICE_LOST);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    context = shared;
}

TEST(a_failing_opengl_device_is_replaced)
{
    fail_a_device(TACT_BACKEND_GL);
}

TEST(a_failing_opencl_device_is_replaced)
{
    fail_a_device(TACT_BACKEND_CL);
}

#endif

#include TEST_LIST
RUN_ALL(open_own, close_context)
