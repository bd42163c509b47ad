// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "base/platform.h"
#include "base/threads.h"
#include "core/context/devices.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

// When the devices of a context are opened: with the first call that needs them, and no sooner.

static const tact_ray ray = {0.25f, 0.25f, 2, 0, 0, 0, -1, 10};

static tact_scene* new_triangle(tact_context* on)
{
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    tact_scene* scene = new_scene(on);
    const tact_mesh_desc mesh = {.positions = positions, .vertex_count = 3, .triangle_count = 1};
    put_instance(scene, put_mesh(scene, &mesh), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

static tact_backend cast_on(tact_scene* scene, tact_backend backend)
{
    tact_hit hit = {0};
    tact_query_report report;
    const tact_query_options options = {.backend = backend};
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &options, &report), TACT_OK);
    assert_int_equal(hit.instance, 0);
    assert_true(hit.t == 2.0f);
    return report.backend;
}

static bool is_open(const tact_context* context, tact_backend backend)
{
    return tact_context_find_open(context, backend) > 0;
}

static tact_candidate_fate fate_of(tact_context* context, tact_backend backend)
{
    tact_explanation e;
    assert_int_equal(tact_explain(context, &e), TACT_OK);
    for (uint32_t i = 0; i < e.count; ++i)
        if (e.candidates[i].backend == backend) return e.candidates[i].fate;
    return TACT_CANDIDATE_FATE_COUNT;
}

static tact_context* new_lazy(void)
{
    return new_context(&(tact_context_desc){.log = quiet, .disable_calibration = true});
}

TEST(a_cpu_query_opens_no_device)
{
    tact_context* context = new_lazy();
    tact_scene* scene = new_triangle(context);
    for (int i = 0; i < 100; ++i) {
        assert_int_equal(cast_on(scene, i % 2 ? TACT_BACKEND_CPU : TACT_BACKEND_AUTO), TACT_BACKEND_CPU);
    }
    cast_on(scene, TACT_BACKEND_REFERENCE);
    assert_true(tact_context_opens_more(context));
    assert_int_equal(context->device_count, 1);
    tact_device_info info;
    assert_int_equal(tact_context_device(context, 0, &info), TACT_OK);
    assert_int_equal(context->device_count, 1);
    assert_int_equal(cast_on(scene, TACT_BACKEND_AUTO), TACT_BACKEND_CPU);
    assert_int_equal(fate_of(context, TACT_BACKEND_GL), TACT_CANDIDATE_NOT_OPEN);
    assert_int_equal(fate_of(context, TACT_BACKEND_CL), TACT_CANDIDATE_NOT_OPEN);
    cast_on(scene, TACT_BACKEND_CPU);
    assert_int_equal(fate_of(context, TACT_BACKEND_GL), TACT_CANDIDATE_NOT_ASKED);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
}

TEST(a_backend_that_is_named_is_opened_alone)
{
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
        tact_context* context = new_lazy();
        tact_scene* scene = new_triangle(context);
        const tact_backend other = b == TACT_BACKEND_GL ? TACT_BACKEND_CL : TACT_BACKEND_GL;
        tact_hit hit;
        const tact_query_options options = {.backend = (tact_backend)b, .no_fallback = true};
        const tact_result result = tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &options, NULL);
        const char* missing = tact_context_missing(context, (tact_backend)b);
        if (missing) miss_device((tact_backend)b, missing);
        assert_int_equal(result, missing ? TACT_ERROR_NO_DEVICE : TACT_OK);
        assert_int_equal(is_open(context, (tact_backend)b), !missing);
        assert_false(is_open(context, other));
        assert_true(tact_context_opens_more(context));
        const uint32_t count = tact_context_device_count(context);
        assert_false(tact_context_opens_more(context));
        assert_int_equal(count, context->device_count);
        assert_int_equal(is_open(context, other), !tact_context_missing(context, other));
        tact_scene_destroy(scene);
        tact_context_destroy(context);
    }
}

TEST(auto_opens_them_once_the_cpu_has_worked_as_long_as_that_takes)
{
    tact_context* context = new_lazy();
    tact_scene* scene = new_triangle(context);
    cast_on(scene, TACT_BACKEND_AUTO);
    const double each = context->unopened_ms;
    assert_true(each > 0.0 && each < 1.0);
    context->unopened_ms = 200.0 - 1.5 * each;
    cast_on(scene, TACT_BACKEND_AUTO);
    assert_true(tact_context_opens_more(context));
    cast_on(scene, TACT_BACKEND_AUTO);
    assert_false(tact_context_opens_more(context));
    assert_int_equal(context->device_count, 1 + !tact_context_missing(context, TACT_BACKEND_GL) +
                                                !tact_context_missing(context, TACT_BACKEND_CL));
    tact_scene_destroy(scene);
    tact_context_destroy(context);
}

TEST(open_devices_opens_them_with_the_context_and_none_opens_none)
{
    tact_context* now = new_context(&(tact_context_desc){.log = quiet, .open_devices = true});
    assert_false(tact_context_opens_more(now));
    tact_context* none =
        new_context(&(tact_context_desc){.log = quiet, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE});
    assert_false(tact_context_opens_more(none));
    assert_string_equal(tact_context_missing(none, TACT_BACKEND_GL), "not asked for");
    assert_int_equal(tact_context_device_count(none), 1);
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b)
        assert_int_equal(is_open(now, (tact_backend)b), !tact_context_missing(now, (tact_backend)b));
    tact_context_destroy(none);
    tact_context_destroy(now);
}

// ---- Hooks ----

typedef struct hooks {
    tact_context* context;
    int left;    ///< allocations until one fails; 0: none does
    bool asks;   ///< the allocator asks for devices
    int nested;  ///< devices that were found so
    bool failed;
} hooks;

static void* allocate(size_t size, size_t alignment, void* user)
{
    hooks* h = user;
    if (h->asks && h->context) {
        h->asks = false;
        h->nested += (int)tact_context_device_count(h->context) - 1;
        h->asks = true;
    }
    if (h->left > 0 && --h->left == 0) {
        h->failed = true;
        return NULL;
    }
    return tact_platform_aligned_allocate(size, alignment);
}

static void release(void* memory, void* user)
{
    tact_platform_aligned_release(memory);
}

TEST(without_memory_a_device_is_opened_when_it_is_needed_again)
{
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
        tact_context* whole = KEEP(new_context(&(tact_context_desc){.log = quiet}));
        if (device_missing(whole, (tact_backend)b)) continue;
        hooks h = {0};
        tact_context* context = new_context(&(tact_context_desc){.log = quiet, .allocator = {allocate, release, &h}});
        h.left = 1;
        assert_non_null(tact_context_missing(context, (tact_backend)b));
        assert_true(h.failed);
        assert_non_null(strstr(context->missing[b], "memory"));
        assert_true(tact_context_opens_more(context));
        tact_scene* scene = new_triangle(context);
        tact_hit hit;
        const tact_query_options options = {.backend = (tact_backend)b};
        h.left = 1;
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &options, NULL),
                         TACT_ERROR_OUT_OF_MEMORY);
        assert_non_null(strstr(tact_context_error(context), "memory"));
        tact_scene_destroy(scene);
        assert_null(tact_context_missing(context, (tact_backend)b));
        assert_true(is_open(context, (tact_backend)b));
        tact_context_destroy(context);
    }
}

TEST(a_hook_that_asks_for_devices_while_one_is_opened_finds_what_is_open)
{
    hooks h = {0};
    tact_context* context = new_context(&(tact_context_desc){.log = quiet, .allocator = {allocate, release, &h}});
    h.context = context;
    h.asks = true;
    const char* missing = tact_context_missing(context, TACT_BACKEND_GL);
    h.asks = false;
    assert_int_equal(h.nested, 0);
    assert_int_equal(is_open(context, TACT_BACKEND_GL), !missing);
    tact_context_destroy(context);
}

// ---- Threads ----

enum { THREADS = 8 };

typedef struct asker {
    tact_thread thread;
    tact_scene* scene;
    tact_backend backend;
    tact_result result;
    tact_hit hit;
} asker;

static void ask(void* user)
{
    asker* a = user;
    const tact_query_options options = {.backend = a->backend, .no_fallback = true};
    a->result = tact_raycast(a->scene, TACT_RAY_CLOSEST, &ray, 1, &a->hit, &options, NULL);
}

TEST(threads_that_need_devices_first_at_once_open_each_once)
{
    tact_context* context = new_lazy();
    tact_scene* scene = new_triangle(context);
    static asker askers[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        askers[i] = (asker){.scene = scene, .backend = (tact_backend)(TACT_BACKEND_CPU + i % 3)};
        assert_true(tact_thread_start(&askers[i].thread, ask, &askers[i]));
    }
    for (int i = 0; i < THREADS; ++i)
        tact_thread_join(&askers[i].thread);
    for (int i = 0; i < THREADS; ++i) {
        const bool missing = tact_context_missing(context, askers[i].backend) != NULL;
        if (missing) miss_device(askers[i].backend, tact_context_missing(context, askers[i].backend));
        assert_int_equal(askers[i].result, missing ? TACT_ERROR_NO_DEVICE : TACT_OK);
        if (!missing) assert_memory_equal(&askers[i].hit, &askers[0].hit, sizeof askers[i].hit);
    }
    assert_int_equal(context->device_count, 1 + !tact_context_missing(context, TACT_BACKEND_GL) +
                                                !tact_context_missing(context, TACT_BACKEND_CL));
    tact_scene_destroy(scene);
    tact_context_destroy(context);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
