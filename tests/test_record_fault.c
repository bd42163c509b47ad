// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What shadow checking leaves of a query that a backend answers wrongly. The linker puts faults between the dispatcher
// and the CPU's backend (--wrap): the library itself has no switch for that.

#include <inttypes.h>

#include "tests/support/run.h"

#include "cpu_ref/particles/cpu_engine.h"
#include "cpu_ref/pick/touched.h"
#include "cpu_ref/trace/raycast.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"
#include "tests/support/recorded_file.h"
#include "tests/support/recorded_queries.h"
#include "tests/support/wrong_pairs.h"

static bool wrong_hits, wrong_particles, wrong_touches;

tact_result __real_tact_raycast_cpu(tact_env* env, const tact_trace_job* job);
tact_result __wrap_tact_raycast_cpu(tact_env* env, const tact_trace_job* job);
tact_result __real_tact_cpu_sort(tact_particle_cpu* engine, const tact_particle_model* model);
tact_result __wrap_tact_cpu_sort(tact_particle_cpu* engine, const tact_particle_model* model);
tact_result __real_tact_pick_touched_each(tact_env* env, const tact_pick_touch_job* job,
                                          const tact_pick_touch_teller* teller);
tact_result __wrap_tact_pick_touched_each(tact_env* env, const tact_pick_touch_job* job,
                                          const tact_pick_touch_teller* teller);

/// What rays are said to hit is another triangle.
tact_result __wrap_tact_raycast_cpu(tact_env* env, const tact_trace_job* job)
{
    const tact_result result = __real_tact_raycast_cpu(env, job);
    for (size_t i = 0; i < job->count && wrong_hits && result == TACT_OK; ++i)
        if (job->hits[i].instance != TACT_NONE) job->hits[i].primitive ^= 1;
    return result;
}

/// A particle is pushed in each substep.
tact_result __wrap_tact_cpu_sort(tact_particle_cpu* engine, const tact_particle_model* model)
{
    const tact_result result = __real_tact_cpu_sort(engine, model);
    if (wrong_particles && result == TACT_OK && engine->count > 3) engine->now.x[3] += 0.125f;
    return result;
}

static bool hold_touches(size_t count, void* user)
{
    const tact_pick_touch_teller* to = user;
    return to->count(count, to->user);
}

static void tell_wrongly(size_t i, const tact_pick_found* found, const tact_pick_touch* touch, void* user)
{
    const tact_pick_touch_teller* to = user;
    tact_pick_found other = *found;
    if (i == 0) other.ids.primitive ^= 1;
    to->tell(i, &other, touch, to->user);
}

tact_result __wrap_tact_pick_touched_each(tact_env* env, const tact_pick_touch_job* job,
                                          const tact_pick_touch_teller* teller)
{
    tact_pick_touch_teller given = *teller;
    const tact_pick_touch_teller wrong = {hold_touches, tell_wrongly, &given};
    return __real_tact_pick_touched_each(env, job, wrong_touches && !job->brute ? &wrong : teller);
}

static tact_context* open_recording(uint32_t queries)
{
    const tact_context_desc desc = {
        .log = quiet, .threads = 2, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .record_queries = queries};
    return new_context(&desc);
}

/// The backend is wrong, shadow checking sees it, and the file that it leaves shows it again as long as it is wrong.
static void check_fault(const tact_query* query, const char* items, bool* wrong, bool told)
{
    const asked_call call = asked_named(query, items);
    tact_context *context = KEEP(open_recording(4)), *again = KEEP(open_recording(0));
    const tact_query_options shadow = {.backend = TACT_BACKEND_CPU, .shadow = true};
    uint64_t digest = 0, right = 0;
    assert_int_equal(ask_row(context, &call, &shadow, &right), TACT_OK);
    *wrong = true;
    assert_int_equal(ask_row(context, &call, &shadow, &digest), TACT_ERROR_SHADOW_MISMATCH);
    assert_non_null(strstr(tact_context_error(context), "tact-shadow-"));
    tact_recording* recording = read_named(context, again);
    assert_int_equal(tact_recording_count(recording), 2);
    tact_recorded_query q;
    tact_replayed replayed;
    assert_int_equal(tact_recording_query(recording, 0, &q), TACT_OK);
    assert_true(q.result == TACT_OK && q.digest == right);
    assert_int_equal(tact_recording_query(recording, 1, &q), TACT_OK);
    assert_true(q.kind == call.query->kind && q.shadow && q.result == TACT_ERROR_SHADOW_MISMATCH && q.answered == told);
    if (told) assert_true(q.digest != right);
    char name[48];
    snprintf(name, sizeof name, "tact-shadow-%016" PRIx64 ".record", told ? q.digest : q.number);
    if (!strstr(tact_context_error(context), name)) fail_msg("no %s in: %s", name, tact_context_error(context));
    assert_int_equal(tact_recording_run(recording, 1, NULL, &replayed), TACT_OK);
    assert_true(replayed.result >= TACT_OK && replayed.digest != right && replayed.same == told);
    // On the reference, and where the fault is gone, the answer is the right one.
    const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
    assert_int_equal(tact_recording_run(recording, 1, &reference, &replayed), TACT_OK);
    assert_true(!replayed.same && replayed.digest == right);
    *wrong = false;
    assert_int_equal(tact_recording_run(recording, 1, NULL, &replayed), TACT_OK);
    assert_true(!replayed.same && replayed.digest == right);
}

TEST(wrong_pairs_leave_a_file)
{
    check_fault(&tact_query_pairs, "boxes against spheres", &wrong_pairs, true);
}

TEST(wrong_particles_leave_a_file)
{
    check_fault(&tact_query_step, "particles by positions", &wrong_particles, true);
}

TEST(wrong_touches_leave_a_file)
{
    check_fault(&tact_query_pick, "what is touched", &wrong_touches, true);
}

/// The rays are compared before picks are made of them, so there is no digest of wrong picks.
TEST(wrong_picks_leave_a_file)
{
    check_fault(&tact_query_pick, "picks in a lasso", &wrong_hits, false);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
