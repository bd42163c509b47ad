// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "core/context/context.h"
#include "tests/support/calls.h"
#include "tests/support/every_query.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

// Every query on every device, with a made-up clock by which a launch takes a millisecond of the device and handing it
// over none. When the dispatcher learns from an answer, the device must have been waited for. The linker's --wrap puts
// the clock between the library and its devices.

static tact_context* context;
static double now;
static double due[TACT_MAX_DEVICES];  ///< when the device has done all that it was given
static size_t learned[TACT_MAX_DEVICES], too_early;
static char early[TACT_COST_KEY];

static double read_clock(void)
{
    return now;
}

static size_t number_of(const tact_device* device)
{
    for (uint32_t i = 1; context && i < context->device_count; ++i)
        if (context->devices[i] == device) return i;
    return 0;
}

static void wait_for(const tact_device* device)
{
    const size_t i = number_of(device);
    if (now < due[i]) now = due[i];
}

tact_result __real_tact_device_launch(tact_device* device, tact_kernel_id kernel, uint32_t groups, const void* args,
                                      size_t size);
tact_result __wrap_tact_device_launch(tact_device* device, tact_kernel_id kernel, uint32_t groups, const void* args,
                                      size_t size);
tact_result __wrap_tact_device_launch(tact_device* device, tact_kernel_id kernel, uint32_t groups, const void* args,
                                      size_t size)
{
    const size_t i = number_of(device);
    due[i] = (due[i] > now ? due[i] : now) + 1.0;
    return __real_tact_device_launch(device, kernel, groups, args, size);
}

tact_result __real_tact_buffer_read(tact_buffer* buffer, size_t offset, void* data, size_t bytes);
tact_result __wrap_tact_buffer_read(tact_buffer* buffer, size_t offset, void* data, size_t bytes);
tact_result __wrap_tact_buffer_read(tact_buffer* buffer, size_t offset, void* data, size_t bytes)
{
    // Only one device of a context is asked at a time.
    for (uint32_t i = 1; bytes > 0 && context && i < context->device_count; ++i)
        wait_for(context->devices[i]);
    return __real_tact_buffer_read(buffer, offset, data, bytes);
}

tact_result __real_tact_device_read(tact_device* device, const tact_read* reads, size_t count);
tact_result __wrap_tact_device_read(tact_device* device, const tact_read* reads, size_t count);
tact_result __wrap_tact_device_read(tact_device* device, const tact_read* reads, size_t count)
{
    wait_for(device);
    return __real_tact_device_read(device, reads, count);
}

tact_result __real_tact_device_read_end(tact_reading* reading);
tact_result __wrap_tact_device_read_end(tact_reading* reading);
tact_result __wrap_tact_device_read_end(tact_reading* reading)
{
    wait_for(reading->device);
    return __real_tact_device_read_end(reading);
}

tact_result __real_tact_device_finish(tact_device* device);
tact_result __wrap_tact_device_finish(tact_device* device);
tact_result __wrap_tact_device_finish(tact_device* device)
{
    wait_for(device);
    return __real_tact_device_finish(device);
}

// A cast is collected, and anything else behind a fence read, by a wait that ends when the device has done all.
tact_result __real_tact_fence_wait(tact_fence* fence);
tact_result __wrap_tact_fence_wait(tact_fence* fence);
tact_result __wrap_tact_fence_wait(tact_fence* fence)
{
    for (uint32_t i = 1; context && i < context->device_count; ++i)
        wait_for(context->devices[i]);
    return __real_tact_fence_wait(fence);
}

// Whether a cast is done is told by the same clock: a device that is quick, or a test that is not, changes nothing.
tact_result __real_tact_fence_poll(tact_fence* fence, bool* done);
tact_result __wrap_tact_fence_poll(tact_fence* fence, bool* done);
tact_result __wrap_tact_fence_poll(tact_fence* fence, bool* done)
{
    const tact_result result = __real_tact_fence_poll(fence, done);
    *done = result == TACT_OK;
    for (uint32_t i = 1; context && i < context->device_count; ++i)
        *done = *done && now >= due[i];
    return result;
}

void __real_tact_cost_learn(tact_cost_entry* entry, double expected, double measured);
void __wrap_tact_cost_learn(tact_cost_entry* entry, double expected, double measured);
void __wrap_tact_cost_learn(tact_cost_entry* entry, double expected, double measured)
{
    for (uint32_t i = 1; i < context->device_count; ++i) {
        const tact_cost_table* table = &context->costs[i];
        if (entry < table->entries || entry >= table->entries + TACT_COST_ENTRIES) continue;
        ++learned[i];
        if (now >= due[i]) continue;
        ++too_early;
        memcpy(early, entry->key, sizeof early);
    }
    __real_tact_cost_learn(entry, expected, measured);
}

/// Of which nothing need be learned: their answers are late.
static bool is_late(const every_query* q)
{
    return strcmp(q->name, "rays submitted") == 0 || (q->row && q->row->asynchronous);
}

static bool saw_device;

TEST(what_is_learned_is_the_time_until_the_answer_is_there)
{
    const tact_context_desc desc = {.log = quiet, .threads = 2, .disable_calibration = true};
    for (size_t i = 0; i < every_query_count; ++i) {
        const every_query* q = &every_queries[i];
        for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
            if (!every_query_runs_on(q, (tact_backend)backend)) continue;
            assert_int_equal(tact_context_create(&desc, &context), TACT_OK);
            if (!device_missing(context, (tact_backend)backend)) {
                saw_device = true;
                context->clock = read_clock;
                memset(due, 0, sizeof due);
                memset(learned, 0, sizeof learned);
                static query_world w;
                w = (query_world){.context = context, .options = {.backend = (tact_backend)backend}, .seed = 1};
                assert_int_equal(every_query_run(q, &w), TACT_OK);
                if (too_early > 0) fail_msg("%s: %s was learned too early", q->name, early);
                if (!q->gl_only && !is_late(q) && learned[tact_context_find(context, (tact_backend)backend)] == 0)
                    fail_msg("%s: nothing was learned", q->name);
            }
            tact_context_destroy(context);
            context = NULL;
        }
    }
    if (!saw_device) skip_because("the devices are missing");
}

/// A cast whose hits are waited for at once: on a device that is software the time until they are there is learned, not
/// that of handing the cast over, which takes none here; hardware is expected to take only the latter.
TEST(submitted_casts_are_learned_when_their_hits_are_there)
{
    (void)state;
    static const float positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const tact_ray ray = {0.25f, 0.25f, 2, 0, 0, 0, -1, 10};
    const tact_mesh_desc mesh = {.positions = positions, .vertex_count = 3, .triangle_count = 1};
    const tact_context_desc desc = {.log = quiet, .threads = 2, .disable_calibration = true};
    for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
        assert_int_equal(tact_context_create(&desc, &context), TACT_OK);
        if (!device_missing(context, (tact_backend)backend)) {
            const int index = tact_context_find(context, (tact_backend)backend);
            const bool software = tact_context_describe(context, (uint32_t)index)->software;
            tact_hit hit;
            tact_ticket ticket;
            const tact_raycast_work job = {.rays = &ray, .hits = &hit, .count = 1};
            const tact_query_options options = {.backend = (tact_backend)backend, .no_fallback = true};
            saw_device = true;
            context->clock = read_clock;
            too_early = 0;
            memset(due, 0, sizeof due);
            memset(learned, 0, sizeof learned);
            tact_scene* scene = new_scene(context);
            put_instance(scene, put_mesh(scene, &mesh), NULL);
            assert_int_equal(tact_scene_commit(scene), TACT_OK);
            for (size_t casts = 1; casts <= 3; ++casts) {
                const double submitted = now;
                assert_int_equal(call_submit(scene, &job, &options, &ticket), TACT_OK);
                assert_true(due[index] > submitted);
                assert_int_equal(tact_wait(context, ticket, NULL), TACT_OK);
                assert_true(hit.t == 2.0f && now >= due[index]);
                if (software) assert_int_equal(learned[index], casts);
            }
            assert_int_equal(too_early, 0);
            tact_scene_destroy(scene);
        }
        tact_context_destroy(context);
        context = NULL;
    }
    if (!saw_device) skip_because("the devices are missing");
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
