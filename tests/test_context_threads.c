// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdatomic.h>

#include "tests/support/run.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/platform.h"
#include "tact/tact.h"
#include "tests/support/quiet.h"

#ifdef TACT_HAVE_CL
#include "gpu/cl_api.h"
#endif

// Contexts with devices are made and destroyed in eight threads at once. A driver initialises itself only once in a
// process, so each round is a process of its own, which has not called a driver before its threads start.

enum { THREADS = 8, PROCESSES = 3, ROUNDS = 3, RAYS = 64, WRONG = 100 };

typedef struct start_line {
    pthread_mutex_t mutex;
    pthread_cond_t all_here;
    int here;
} start_line;

// macOS has no pthread_barrier_t.
static void wait_for_all(start_line* line)
{
    pthread_mutex_lock(&line->mutex);
    if (++line->here == THREADS) pthread_cond_broadcast(&line->all_here);
    while (line->here < THREADS)
        pthread_cond_wait(&line->all_here, &line->mutex);
    pthread_mutex_unlock(&line->mutex);
}

typedef struct job {
    pthread_t thread;
    start_line* line;
    tact_context_desc desc;
    const char* wrong;
    unsigned found;  ///< a bit for each backend
} job;

/// Casts rays at one triangle, at every ray of which the answer is known.
static const char* use_device(tact_context* context, tact_backend backend)
{
    static const float corners[3][3] = {{-8, -8, 1}, {8, -8, 1}, {0, 8, 1}};
    static const uint32_t triangle[3] = {0, 1, 2};
    const tact_mesh_desc desc = {.positions = corners[0], .vertex_count = 3, .indices = triangle, .triangle_count = 1};
    tact_scene* scene = NULL;
    uint32_t id = 0;
    bool good = tact_scene_create(context, &scene) == TACT_OK && tact_scene_add_mesh(scene, &desc, &id) == TACT_OK &&
                tact_scene_add_instance(scene, id, NULL, &id) == TACT_OK && tact_scene_commit(scene) == TACT_OK;
    tact_ray rays[RAYS];
    tact_hit hits[RAYS];
    for (int i = 0; i < RAYS; ++i)
        rays[i] = (tact_ray){(float)(i % 8) * 0.25f, (float)(i / 8) * 0.25f, -1, 0, 0, 0, 1, 100};
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    good = good && tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, hits, &options, NULL) == TACT_OK;
    for (int i = 0; i < RAYS && good; ++i)
        good = hits[i].t == 2.0f;
    tact_scene_destroy(scene);
    return good ? NULL : "a cast failed";
}

static void* open_and_close(void* user)
{
    job* j = user;
    wait_for_all(j->line);
    for (int round = 0; round < ROUNDS && !j->wrong; ++round) {
        tact_context* context = NULL;
        if (tact_context_create(&j->desc, &context) != TACT_OK) {
            j->wrong = "a context was not made";
            break;
        }
        unsigned found = 0;
        for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL && !j->wrong; ++backend) {
            const bool here = !tact_context_missing(context, (tact_backend)backend);
            found |= (unsigned)here << backend;
            if (here) j->wrong = use_device(context, (tact_backend)backend);
        }
        if (round > 0 && found != j->found) j->wrong = "a context has other devices than the one before it";
        j->found = found;
        tact_context_destroy(context);
    }
    return NULL;
}

/// Runs all threads, and returns the bits of the devices that each of them found, or WRONG.
static int run_threads(const tact_context_desc* descs, bool same)
{
    start_line line = {.mutex = PTHREAD_MUTEX_INITIALIZER, .all_here = PTHREAD_COND_INITIALIZER};
    static job jobs[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        jobs[i] = (job){.line = &line, .desc = descs[i]};
        if (pthread_create(&jobs[i].thread, NULL, open_and_close, &jobs[i]) != 0) abort();
    }
    for (int i = 0; i < THREADS; ++i)
        pthread_join(jobs[i].thread, NULL);
    int result = (int)jobs[0].found;
    for (int i = 0; i < THREADS; ++i) {
        if (!jobs[i].wrong && same && jobs[i].found != jobs[0].found) jobs[i].wrong = "other devices than thread 0";
        if (!jobs[i].wrong) continue;
        fprintf(stderr, "thread %d: %s\n", i, jobs[i].wrong);
        result = WRONG;
    }
    return result;
}

static int own_devices(void)
{
    tact_context_desc descs[THREADS];
    for (int i = 0; i < THREADS; ++i)
        descs[i] = (tact_context_desc){.log = quiet, .threads = 1, .disable_calibration = true};
    return run_threads(descs, true);
}

#ifdef TACT_HAVE_CL

/// Half of the threads adopt an OpenCL context of the caller, whose first call came before all threads.
static int own_and_adopted_devices(void)
{
    tact_cl_api cl;
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    cl_uint count = 0;
    if (!tact_cl_load(&cl) || cl.GetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0) return 0;
    if (cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, &count) != CL_SUCCESS) return 0;
    tact_context_desc descs[THREADS];
    cl_context contexts[THREADS] = {0};
    for (int i = 0; i < THREADS; ++i) {
        descs[i] = (tact_context_desc){.log = quiet, .threads = 1, .disable_calibration = true, .gl = TACT_DEVICE_NONE};
        if (i % 2 == 0) continue;
        cl_int code = CL_SUCCESS;
        contexts[i] = cl.CreateContext(NULL, 1, &device, NULL, NULL, &code);
        if (code != CL_SUCCESS) return WRONG;
        descs[i].cl = TACT_DEVICE_ADOPT;
        descs[i].cl_context = contexts[i];
        descs[i].cl_device = device;
    }
    const int result = run_threads(descs, true);
    for (int i = 1; i < THREADS; i += 2)
        cl.ReleaseContext(contexts[i]);
    return result;
}

#endif

/// A thread that makes a context: on its way into a driver it has another thread close a context meanwhile.
typedef struct meeting {
    tact_context* other;
    pthread_t closer;
    int requests;
    atomic_bool closed;
    bool closed_meanwhile;
} meeting;

static void* close_other(void* user)
{
    meeting* m = user;
    tact_context_destroy(m->other);
    m->closed = true;
    return NULL;
}

static void* allocate_and_meet(size_t size, size_t alignment, void* user)
{
    meeting* m = user;
    // The first block is the context, the second one belongs to a device that is being opened.
    if (++m->requests == 2) {
        if (pthread_create(&m->closer, NULL, close_other, m) != 0) abort();
        const double end = tact_platform_milliseconds() + 300.0;
        while (!m->closed && tact_platform_milliseconds() < end)
            tact_platform_yield();
        m->closed_meanwhile = m->closed;
    }
    return tact_platform_aligned_allocate(size, alignment);
}

static void release_met(void* memory, void* user)
{
    tact_platform_aligned_release(memory);
}

static int close_while_another_opens(void)
{
    meeting m = {0};
    tact_context_desc desc = {.log = quiet, .disable_calibration = true, .open_devices = true};
    if (tact_context_create(&desc, &m.other) != TACT_OK) return WRONG;
    desc.allocator = (tact_allocator){allocate_and_meet, release_met, &m};
    tact_context* context = NULL;
    if (tact_context_create(&desc, &context) != TACT_OK) return WRONG;
    if (m.requests < 2) return WRONG;
    pthread_join(m.closer, NULL);
    tact_context_destroy(context);
    if (m.closed_meanwhile) fprintf(stderr, "a context was closed while another one was opened\n");
    return m.closed_meanwhile ? WRONG : 0;
}

static int devices_seen;

static void run_in_processes(int (*work)(void), int count)
{
    for (int i = 0; i < count; ++i) {
        fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) exit(work());
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFSIGNALED(status)) fail_msg("process %d ended by signal %d", i, WTERMSIG(status));
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) >= WRONG || WEXITSTATUS(status) & 1) fail_msg("process %d failed", i);
        devices_seen |= WEXITSTATUS(status);
    }
}

/// Puts the kernels into the caches. Eight threads that build them take half a minute.
static int build_kernels(void)
{
    tact_context* context = NULL;
    const tact_context_desc desc = {.log = quiet, .disable_calibration = true};
    if (tact_context_create(&desc, &context) != TACT_OK) return WRONG;
    unsigned found = 0;
    for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
        const bool here = !tact_context_missing(context, (tact_backend)backend);
        if (here && use_device(context, (tact_backend)backend)) return WRONG;
        found |= (unsigned)here << backend;
    }
    tact_context_destroy(context);
    return (int)found;
}

TEST(threads_open_and_close_devices_at_once)
{
    run_in_processes(build_kernels, 1);
    for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend)
        if (!(devices_seen & 1 << backend)) miss_device((tact_backend)backend, "");
    if (!devices_seen) skip_because("the devices are missing");
    run_in_processes(own_devices, PROCESSES);
}

TEST(no_context_closes_devices_while_another_opens_them)
{
    if (!devices_seen) skip_because("the devices are missing");
    run_in_processes(close_while_another_opens, 1);
}

TEST(threads_adopt_devices_beside_those_that_make_their_own)
{
#ifdef TACT_HAVE_CL
    if (!(devices_seen & 1 << TACT_BACKEND_CL)) skip_because("the device is missing");
    run_in_processes(own_and_adopted_devices, PROCESSES);
#else
    skip_because("built without OpenCL");
#endif
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
