// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include <pthread.h>

#include "core/context/context.h"
#include "tact/tact.h"

// Many contexts in threads, which calibrate and ask while they share one cache folder; and one context in two threads
// whose calls do not overlap. The answers are the same bytes.

static const char folder[] = "test_dispatch_threads.tmp";  // in the folder that tests run in

enum { SIDE = 12, RAYS = 400 };

/// Notes the warning that a calibration is dropped: on a machine with many more threads than cores what it expects and
/// what calls take can lie that far apart.
static void note_dropped(tact_log_level level, const char* where, const char* message, void* user)
{
    if (level == TACT_LOG_WARNING && strstr(message, "calibration") && strstr(message, "is dropped"))
        *(bool*)user = true;
}

static tact_context* open_context(bool devices, bool* dropped)
{
    tact_context* context = NULL;
    const tact_device_source source = devices ? TACT_DEVICE_OWN : TACT_DEVICE_NONE;
    const tact_context_desc desc = {
        .log = note_dropped, .log_user = dropped, .gl = source, .cl = source, .threads = 2, .cache_directory = folder};
    return tact_context_create(&desc, &context) == TACT_OK ? context : NULL;
}

/// A hilly square of triangles.
static tact_scene* make_scene(tact_context* context)
{
    float positions[SIDE * SIDE][3];
    uint32_t triangles[(SIDE - 1) * (SIDE - 1) * 2][3], id, count = 0;
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        positions[i][0] = (float)(i % SIDE);
        positions[i][1] = (float)(i / SIDE);
        positions[i][2] = 0.25f * (float)(i * 7 % 5);
    }
    for (uint32_t y = 0; y + 1 < SIDE; ++y) {
        for (uint32_t x = 0; x + 1 < SIDE; ++x) {
            const uint32_t a = y * SIDE + x;
            const uint32_t two[2][3] = {{a, a + 1, a + SIDE}, {a + 1, a + SIDE + 1, a + SIDE}};
            memcpy(triangles[count], two, sizeof two);
            count += 2;
        }
    }
    const tact_mesh_desc desc = {
        .positions = positions[0], .vertex_count = SIDE * SIDE, .indices = triangles[0], .triangle_count = count};
    tact_scene* scene = NULL;
    bool good = tact_scene_create(context, &scene) == TACT_OK;
    good = good && tact_scene_add_mesh(scene, &desc, &id) == TACT_OK;
    good = good && tact_scene_add_instance(scene, id, NULL, &id) == TACT_OK;
    if (good && tact_scene_commit(scene) == TACT_OK) return scene;
    tact_scene_destroy(scene);
    return NULL;
}

static tact_result cast(tact_scene* scene, tact_backend backend, tact_hit* hits)
{
    tact_ray rays[RAYS];
    for (int i = 0; i < RAYS; ++i)
        rays[i] = (tact_ray){(float)(i % 20) * 0.61f, (float)(i / 20) * 0.57f, 5, 0, 0.01f, -0.02f, -1, 100};
    const tact_query_options options = {.backend = backend};
    return tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, hits, &options, NULL);
}

static tact_hit expected[RAYS];

typedef struct job {
    pthread_t thread;
    const char* wrong;
    bool devices;
} job;

static const char* calibrate_and_ask(tact_context* context, tact_scene* scene, int round, const bool* dropped)
{
    static const char differs[] = "an answer differs";
    tact_hit hits[RAYS];
    memset(hits, 0, sizeof hits);
    if (cast(scene, TACT_BACKEND_AUTO, hits) != TACT_OK) return "a cast failed";
    if (memcmp(hits, expected, sizeof hits) != 0) return differs;
    const tact_calibrate_options options = {.seconds = 0.02};
    if (tact_calibrate(context, &options) != TACT_OK) return "a calibration failed";
    for (int i = 0; i < 20; ++i) {
        memset(hits, 0, sizeof hits);
        if (cast(scene, TACT_BACKEND_AUTO, hits) != TACT_OK) return "a cast failed";
        if (memcmp(hits, expected, sizeof hits) != 0) return differs;
    }
    tact_explanation e;
    if (tact_explain(context, &e) != TACT_OK) return "nothing is explained";
    if (!e.candidates[0].calibrated && !*dropped) return "the calibration does not count";
    // Others write meanwhile; what is gone is only not known.
    return round == 1 && tact_calibration_forget(context) != TACT_OK ? "forgetting failed" : NULL;
}

static void* use_contexts(void* user)
{
    job* j = user;
    for (int round = 0; round < 2 && !j->wrong; ++round) {
        bool dropped = false;
        tact_context* context = open_context(j->devices, &dropped);
        tact_scene* scene = context ? make_scene(context) : NULL;
        j->wrong = scene ? calibrate_and_ask(context, scene, round, &dropped) : "no scene";
        tact_scene_destroy(scene);
        tact_context_destroy(context);
    }
    return NULL;
}

TEST(contexts_calibrate_and_ask_in_threads)
{
    enum { THREADS = 4 };
    job jobs[THREADS] = {{0}};
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&jobs[i].thread, NULL, use_contexts, &jobs[i]), 0);
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(jobs[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; ++i)
        if (jobs[i].wrong) fail_msg("thread %d: %s", i, jobs[i].wrong);
}

// ---- One context ----

typedef struct shared_context {
    pthread_mutex_t mutex;
    tact_context* context;
    tact_scene* scene;
} shared_context;

typedef struct user_of_one {
    pthread_t thread;
    shared_context* of;
    tact_backend backend;
    const char* wrong;
} user_of_one;

static void* use_one_context(void* user)
{
    user_of_one* u = user;
    for (int i = 0; i < 30 && !u->wrong; ++i) {
        tact_hit hits[RAYS];
        tact_explanation e;
        memset(hits, 0, sizeof hits);
        pthread_mutex_lock(&u->of->mutex);
        const tact_result result = cast(u->of->scene, u->backend, hits);
        const bool told = tact_explain(u->of->context, &e) == TACT_OK && e.asked == u->backend;
        pthread_mutex_unlock(&u->of->mutex);
        if (result != TACT_OK) u->wrong = "a cast failed";
        if (!told) u->wrong = "the explanation is another call's";
        if (memcmp(hits, expected, sizeof hits) != 0) u->wrong = "an answer differs";
    }
    return NULL;
}

TEST(one_context_serves_threads_in_turn)
{
    bool dropped = false;
    shared_context shared = {.context = open_context(true, &dropped)};
    assert_non_null(shared.context);
    shared.scene = make_scene(shared.context);
    assert_non_null(shared.scene);
    assert_int_equal(pthread_mutex_init(&shared.mutex, NULL), 0);
    // The devices that there are, each from another thread than the one that opened them.
    user_of_one users[TACT_MAX_DEVICES + 1] = {{0}};
    int count = 0;
    users[count++].backend = TACT_BACKEND_AUTO;
    static const tact_backend backends[] = {TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
    for (size_t i = 0; i < sizeof backends / sizeof *backends; ++i) {
        if (device_missing(shared.context, backends[i])) continue;
        users[count++].backend = backends[i];
    }
    for (int i = 0; i < count; ++i) {
        users[i].of = &shared;
        assert_int_equal(pthread_create(&users[i].thread, NULL, use_one_context, &users[i]), 0);
    }
    for (int i = 0; i < count; ++i)
        assert_int_equal(pthread_join(users[i].thread, NULL), 0);
    for (int i = 0; i < count; ++i)
        if (users[i].wrong) fail_msg("thread %d: %s", i, users[i].wrong);
    pthread_mutex_destroy(&shared.mutex);
    tact_scene_destroy(shared.scene);
    tact_context_destroy(shared.context);
}

static int set_up(void** state)
{
    bool dropped = false;
    tact_context* context = open_context(false, &dropped);
    tact_scene* scene = context ? make_scene(context) : NULL;
    const bool good = scene && cast(scene, TACT_BACKEND_REFERENCE, expected) == TACT_OK;
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    return good ? 0 : -1;
}

static int forget_all(void** state)
{
    bool dropped = false;
    tact_context* context = open_context(true, &dropped);
    if (!context) return -1;
    const tact_result result = tact_calibration_forget(context);
    tact_context_destroy(context);
    return result == TACT_OK ? 0 : -1;
}

#include TEST_LIST
RUN_ALL(set_up, forget_all)
