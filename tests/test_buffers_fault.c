// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The caller's buffers on made-up devices, and a made-up engine that has particles there: what the devices cannot, the
// host does, with the same result, and what fails on the way leaves all as it was. The linker (--wrap) has buffers lie
// on the host. Real ones: test_particle_exchange.c, test_tickets.c.

#include "tests/support/run.h"

#include "core/scene/scene.h"
#include "gpu/device_backend.h"
#include "gpu/trace/raycast.h"
#include "tests/support/calls.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/meshes.h"
#include "tests/support/objects.h"
#include "tests/support/particle_engine.h"
#include "tests/support/quiet.h"

// ---- Made-up devices and their buffers ----

static tact_device made_up[2];
static counting_allocator counter;
static tact_result reading, writing;  ///< what comes of it

tact_result __wrap_tact_callers_array_check(tact_context* context, const tact_device_array* array, uint64_t bytes);
tact_result __wrap_tact_callers_array_read(tact_context* context, const tact_device_array* array, void* data,
                                           size_t bytes);
tact_result __wrap_tact_callers_array_write(tact_context* context, const tact_device_array* array, const void* data,
                                            size_t bytes);
tact_result __wrap_tact_gpu_raycast(tact_device* device, tact_gpu_scene** resident, const tact_trace_job* job,
                                    tact_query_report* report);

tact_result __wrap_tact_callers_array_check(tact_context* context, const tact_device_array* array, uint64_t bytes)
{
    return TACT_OK;
}

tact_result __wrap_tact_callers_array_read(tact_context* context, const tact_device_array* array, void* data,
                                           size_t bytes)
{
    if (reading != TACT_OK) return tact_fail(&context->env, reading, "it cannot be read");
    memcpy(data, array->cl_mem, bytes);
    return TACT_OK;
}

tact_result __wrap_tact_callers_array_write(tact_context* context, const tact_device_array* array, const void* data,
                                            size_t bytes)
{
    if (writing != TACT_OK) return tact_fail(&context->env, writing, "it cannot be written");
    memcpy(array->cl_mem, data, bytes);
    return TACT_OK;
}

tact_result __wrap_tact_gpu_raycast(tact_device* device, tact_gpu_scene** resident, const tact_trace_job* job,
                                    tact_query_report* report)
{
    return TACT_ERROR_DEVICE;
}

static tact_context* open_context(void)
{
    counter = (counting_allocator){.once = true};
    reading = writing = TACT_OK;
    const tact_context_desc desc = {.allocator = counting_hooks(&counter),
                                    .log = quiet,
                                    .gl = TACT_DEVICE_NONE,
                                    .cl = TACT_DEVICE_NONE,
                                    .threads = 1,
                                    .disable_cache = true,
                                    .disable_calibration = true};
    tact_context* context = new_context(&desc);
    memset(made_up, 0, sizeof made_up);
    for (int i = 0; i < 2; ++i) {
        made_up[i].info.backend = i == 0 ? TACT_BACKEND_GL : TACT_BACKEND_CL;
        made_up[i].info.software = made_up[i].info.probe.exact = true;
        context->devices[1 + i] = &made_up[i];
    }
    context->device_count = 3;
    return context;
}

static void close_context(tact_context* context)
{
    context->device_count = 1;
    context->devices[1] = context->devices[2] = NULL;
    tact_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

static tact_device_array array_of(tact_backend backend, void* memory)
{
    return (tact_device_array){.backend = backend, .cl_mem = memory};
}

// ---- A made-up engine ----

static struct {
    tact_result examine, adopt, give, forces;
    uint32_t bad;
    int examined, adopted, given, taken;
} engine;

static tact_result engine_examine(tact_particle_engine* e, const tact_particle_model* model,
                                  const tact_particle_device_rows* rows, tact_particle_facts* facts)
{
    const float(*at)[4] = rows->positions->cl_mem;
    ++engine.examined;
    memset(facts, 0, sizeof *facts);
    facts->bad = engine.bad;
    facts->least_mass = rows->velocities ? 1.0f : INFINITY;
    memcpy(facts->first[0], at[0], sizeof at[0]);
    if (rows->velocities) memcpy(facts->first[1], rows->velocities->cl_mem, sizeof facts->first[1]);
    memcpy(facts->refused[0], at[0], sizeof at[0]);
    for (int k = 0; k < 4; ++k)
        facts->lower[k] = facts->upper[k] = at[0][k];
    return engine.examine;
}

static tact_result engine_adopt(tact_particle_engine* e, const tact_particle_model* model,
                                const tact_particle_device_rows* rows, const tact_particle_facts* facts,
                                const uint32_t* ids)
{
    ++engine.adopted;
    return engine.adopt;
}

static tact_result engine_give(tact_particle_engine* e, const tact_device_array* positions,
                               const tact_device_array* velocities, bool dense)
{
    ++engine.given;
    return engine.give;
}

static tact_result engine_take_forces(tact_particle_engine* e, const tact_device_array* forces, size_t count,
                                      uint64_t version, uint32_t* bad)
{
    ++engine.taken;
    *bad = engine.bad;
    return engine.forces;
}

static tact_result engine_give_forces(tact_particle_engine* e, float (*forces)[3], size_t count)
{
    memset(forces, 0, count * sizeof *forces);
    return TACT_OK;
}

static const tact_particle_engine_class plain = {.backend = TACT_BACKEND_GL, FAKE_FUNCTIONS};
static const tact_particle_engine_class full = {.backend = TACT_BACKEND_GL,
                                                FAKE_FUNCTIONS,
                                                .examine = engine_examine,
                                                .adopt = engine_adopt,
                                                .give = engine_give,
                                                .take_forces = engine_take_forces,
                                                .give_forces = engine_give_forces};

/// A system that is to live on the made-up OpenGL.
static tact_particles* make_particles(tact_context* context, const tact_particle_engine_class* type, fake_engine** fake)
{
    const tact_particles_desc desc = {.backend = TACT_BACKEND_GL};
    tact_particles* p = new_particles(context, &desc);
    fake_engine* f = tact_allocate_zeroed(&context->env, 1, sizeof *f);
    assert_non_null(f);
    f->base = (tact_particle_engine){type, &context->env};
    f->steps_left = -1;
    assert_int_equal(tact_particle_reference_create(&context->env, false, &f->inner), TACT_OK);
    p->engines[TACT_BACKEND_GL] = &f->base;
    memset(&engine, 0, sizeof engine);
    engine.bad = TACT_NONE;
    if (fake) *fake = f;
    return p;
}

static float rows[3][4] = {{0, 0, 0, 0.5f}, {2, 0, 0, 0.5f}, {4, 0, 0, 0.5f}};
static float still[3][4] = {{0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}};

static tact_result add(tact_particles* p, const tact_device_array* positions, const tact_device_array* velocities)
{
    return call_particles_add_device(p, positions, velocities, 1.0f, 0, 0, 3, NULL);
}

/// The host has them, as they were given.
static void expect_three(tact_particles* p)
{
    float places[9], radii[3];
    assert_int_equal(tact_particles_count(p), 3);
    assert_int_equal(tact_particles_read(p, &(tact_particle_output){.positions = places, .radii = radii}), TACT_OK);
    for (int i = 0; i < 3; ++i)
        assert_true(places[3 * i] == 2.0f * (float)i && radii[i] == 0.5f);
}

TEST(what_the_engine_cannot_the_host_adds)
{
    tact_context* context = open_context();
    const tact_device_array at = array_of(TACT_BACKEND_GL, rows), elsewhere = array_of(TACT_BACKEND_CL, rows),
                            speeds = array_of(TACT_BACKEND_GL, still), other = array_of(TACT_BACKEND_CL, still);
    for (int way = 0; way < 7; ++way) {
        tact_particles* p = make_particles(context, way == 0 ? &plain : &full, NULL);
        if (way == 1) engine.examine = TACT_ERROR_DEVICE;
        if (way == 2) engine.bad = 1;  // of which the host finds that it is well
        if (way == 3) engine.adopt = TACT_ERROR_DEVICE;
        const tact_device_array* const velocities = way == 4 ? &other : way == 6 ? &speeds : NULL;
        if (way == 6) context->device_count = 1;
        assert_int_equal(add(p, way == 5 ? &elsewhere : &at, velocities), TACT_OK);
        context->device_count = 3;
        assert_int_equal(engine.examined, way > 0 && way < 4);
        assert_int_equal(engine.adopted, way == 3);
        expect_three(p);
        // There is more to come, which the host has already: the engine has nothing.
        engine.adopt = engine.examine = TACT_ERROR_DEVICE;
        assert_int_equal(tact_particles_count(p), 3);
        tact_particles_destroy(p);
    }
    close_context(context);
}

TEST(what_the_engine_has_stays_there)
{
    tact_context* context = open_context();
    fake_engine* fake = NULL;
    const tact_device_array at = array_of(TACT_BACKEND_GL, rows), speeds = array_of(TACT_BACKEND_GL, still);
    tact_particles* p = make_particles(context, &full, &fake);
    assert_int_equal(add(p, &at, &speeds), TACT_OK);
    assert_true(engine.adopted == 1 && tact_particles_count(p) == 3 && p->engine_fresh && !p->mirror_fresh);
    // The second time the engine fails, and the host cannot know what it has.
    engine.adopt = TACT_ERROR_DEVICE;
    reading = TACT_ERROR_DEVICE;
    assert_int_equal(add(p, &at, NULL), TACT_ERROR_DEVICE);
    assert_true(p->engine_fresh && tact_particles_count(p) == 3);
    tact_particles_destroy(p);
    reading = TACT_OK;
    // What is nowhere but on a device that is lost cannot be added to.
    p = make_particles(context, &full, &fake);
    assert_int_equal(add(p, &at, NULL), TACT_OK);
    tact_particles_destroy(p);
    p = make_particles(context, &full, &fake);
    tact_particle_engine* e = NULL;
    assert_int_equal(tact_particles_engine(p, TACT_BACKEND_GL, 1, &e), TACT_OK);
    p->mirror_fresh = false;
    p->journal.broken = true;
    fake->steps_left = 0;
    assert_int_equal(add(p, &at, NULL), TACT_ERROR_DEVICE_LOST);
    assert_int_equal(engine.examined, 0);
    tact_particles_destroy(p);
    close_context(context);
}

TEST(particles_are_read_by_way_of_the_host)
{
    tact_context* context = open_context();
    float places[3][4], speeds[3][4];
    const tact_device_array from = array_of(TACT_BACKEND_GL, rows), to = array_of(TACT_BACKEND_GL, places),
                            also = array_of(TACT_BACKEND_GL, speeds);
    for (int way = 0; way < 5; ++way) {
        fake_engine* fake = NULL;
        tact_particles* p = make_particles(context, way == 0 ? &plain : &full, &fake);
        tact_particle_engine* e = NULL;
        assert_int_equal(tact_particles_read_device(p, &to, &also), TACT_OK);  // there is nothing
        engine.adopt = TACT_ERROR_DEVICE;
        assert_int_equal(add(p, &from, NULL), TACT_OK);
        assert_int_equal(tact_particles_engine(p, TACT_BACKEND_GL, 1, &e), TACT_OK);
        memset(places, 0, sizeof places);
        memset(speeds, 0, sizeof speeds);
        engine.give = way == 1 ? TACT_ERROR_DEVICE : TACT_OK;
        if (way == 3) {
            // The device is lost meanwhile.
            engine.give = TACT_ERROR_DEVICE;
            p->mirror_fresh = false;
            p->journal.broken = true;
            fake->steps_left = 0;
            assert_int_equal(tact_particles_read_device(p, &to, &also), TACT_ERROR_DEVICE_LOST);
            assert_true(p->mirror_fresh && !p->journal.broken);
        } else if (way == 4) {
            engine.give = TACT_ERROR_DEVICE;
            writing = TACT_ERROR_DEVICE;
            assert_int_equal(tact_particles_read_device(p, &to, NULL), TACT_ERROR_DEVICE);
            assert_int_equal(tact_particles_read_device(p, NULL, &also), TACT_ERROR_DEVICE);
            assert_int_equal(tact_particles_read_device(p, &to, &also), TACT_ERROR_DEVICE);
            writing = TACT_OK;
        } else {
            assert_int_equal(tact_particles_read_device(p, &to, NULL), TACT_OK);
            assert_int_equal(tact_particles_read_device(p, NULL, &also), TACT_OK);
            assert_int_equal(tact_particles_read_device(p, NULL, NULL), TACT_OK);
            assert_int_equal(engine.given, way == 0 ? 0 : 2);
            // By the host, unless the engine says that it has done it.
            assert_true((places[2][0] == 4.0f) == (way < 2));
            assert_true((speeds[1][3] > 0.0f) == (way < 2));
        }
        tact_particles_destroy(p);
    }
    close_context(context);
}

TEST(forces_come_by_way_of_the_host)
{
    tact_context* context = open_context();
    static float forces[3][4] = {{1, 2, 3, 9}, {4, 5, 6, 9}, {7, 8, 9, 9}};
    const tact_device_array at = array_of(TACT_BACKEND_GL, forces), elsewhere = array_of(TACT_BACKEND_CL, forces),
                            from = array_of(TACT_BACKEND_GL, rows);
    for (int way = 0; way < 5; ++way) {
        tact_particles* p = make_particles(context, way == 0 ? &plain : &full, NULL);
        engine.adopt = TACT_ERROR_DEVICE;
        assert_int_equal(add(p, &from, NULL), TACT_OK);
        tact_particle_engine* e = NULL;
        assert_int_equal(tact_particles_engine(p, TACT_BACKEND_GL, 1, &e), TACT_OK);
        if (way == 1) engine.forces = TACT_ERROR_DEVICE;
        if (way == 2) engine.bad = 1;
        assert_int_equal(tact_particles_set_forces_device(p, way == 3 ? &elsewhere : &at, 3), TACT_OK);
        assert_int_equal(engine.taken, way == 1 || way == 2 || way == 4);
        assert_int_equal(p->forces_away != NULL, way == 4);
        if (way < 4) assert_true(p->model.force_count == 3 && p->model.forces != NULL);
        assert_int_equal(tact_particles_set_forces_device(p, &at, 0), TACT_OK);
        assert_int_equal(p->model.force_count, 0);
        tact_particles_destroy(p);
    }
    // Buffers are those of the device where the particles are.
    tact_particles* p = make_particles(context, &plain, NULL);
    tact_particle_buffers buffers;
    assert_int_equal(tact_particles_device_buffers(p, &buffers), TACT_ERROR_UNSUPPORTED);
    assert_non_null(strstr(tact_last_error(), "has no buffers"));
    context->device_count = 1;
    assert_int_equal(tact_particles_device_buffers(p, &buffers), TACT_ERROR_UNSUPPORTED);
    assert_non_null(strstr(tact_last_error(), "do not live on a device"));
    context->device_count = 3;
    tact_particles_destroy(p);
    close_context(context);
}

TEST(every_allocation_on_the_way_may_fail)
{
    tact_context* context = open_context();
    static float forces[3][4];
    const tact_device_array at = array_of(TACT_BACKEND_GL, rows), elsewhere = array_of(TACT_BACKEND_CL, rows),
                            push = array_of(TACT_BACKEND_CL, forces);
    for (int way = 0; way < 4; ++way) {
        size_t n = 1;
        for (;; ++n) {
            tact_particles* p = make_particles(context, &full, NULL);
            if (way > 1) assert_int_equal(add(p, &elsewhere, NULL), TACT_OK);
            counter.fail_at = counter.requests + n;
            counter.failed = false;
            const tact_result result = way == 0   ? add(p, &at, NULL)
                                       : way == 1 ? add(p, &elsewhere, NULL)
                                       : way == 2 ? tact_particles_set_forces_device(p, &push, 3)
                                                  : tact_particles_read_device(p, NULL, &push);
            counter.fail_at = 0;
            if (result != TACT_OK && (result != TACT_ERROR_OUT_OF_MEMORY || !counter.failed)) {
                fail_msg("way %d, allocation %zu: %s", way, n, tact_result_name(result));
            }
            if (way < 2) assert_int_equal(tact_particles_count(p), result == TACT_OK ? 3 : 0);
            tact_particles_destroy(p);
            if (!counter.failed) break;
            assert_true(n < 50);
        }
        assert_true(n > 1);
    }
    close_context(context);
}

// ---- Rays ----

static tact_scene* make_scene(tact_context* context)
{
    float p[24];
    cube_corners(0, 0, 0, 1, p);
    const tact_mesh_desc desc = {.positions = p, .vertex_count = 8, .indices = box_indices, .triangle_count = 12};
    tact_scene* scene = new_scene(context);
    const uint32_t mesh = put_mesh(scene, &desc);
    put_instance(scene, mesh, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

static tact_result cast(tact_scene* scene, const tact_raycast_work* job, tact_backend backend)
{
    const tact_query_options options = {.backend = backend, .no_fallback = backend == TACT_BACKEND_REFERENCE};
    tact_ticket ticket = 0;
    tact_result result = call_submit(scene, job, &options, &ticket);
    if (result == TACT_OK) result = tact_wait(scene->context, ticket, NULL);
    return result;
}

TEST(rays_in_buffers_are_cast_here)
{
    tact_context* context = open_context();
    tact_scene* scene = make_scene(context);
    tact_ray rays[2] = {{.oz = 5.0f, .ox = 0.1f, .oy = 0.2f, .dz = -1.0f, .tmax = 9.0f},
                        {.oz = 5.0f, .ox = 9.0f, .dz = -1.0f, .tmax = 9.0f}};
    tact_hit hits[2];
    const tact_device_array gl_rays = array_of(TACT_BACKEND_GL, rays), cl_rays = array_of(TACT_BACKEND_CL, rays),
                            cl_hits = array_of(TACT_BACKEND_CL, hits);
    const tact_raycast_work jobs[4] = {
        {.mode = TACT_RAY_CLOSEST, .count = 2, .rays = rays, .hits = hits},
        {.mode = TACT_RAY_CLOSEST, .count = 2, .device_rays = &cl_rays, .hits = hits},
        {.mode = TACT_RAY_CLOSEST, .count = 2, .rays = rays, .device_hits = &cl_hits},
        {.mode = TACT_RAY_CLOSEST, .count = 2, .device_rays = &cl_rays, .device_hits = &cl_hits}};
    for (int i = 0; i < 4; ++i) {
        // By the CPU; and by a device that they do not lie on, which cannot, and the CPU then does.
        for (int device = 0; device < (i > 0) + 1; ++device) {
            memset(hits, 0x55, sizeof hits);
            assert_int_equal(cast(scene, &jobs[i], device ? TACT_BACKEND_GL : TACT_BACKEND_CPU), TACT_OK);
            assert_true(hits[0].t == 4.0f && hits[0].instance == 0 && hits[1].instance == TACT_NONE);
        }
        if (i == 0) continue;
        size_t n = 1;
        for (;; ++n) {
            counter.fail_at = counter.requests + n;
            counter.failed = false;
            const tact_result result = cast(scene, &jobs[i], TACT_BACKEND_CPU);
            counter.fail_at = 0;
            assert_true(result == TACT_OK || (result == TACT_ERROR_OUT_OF_MEMORY && counter.failed));
            if (!counter.failed) break;
            assert_true(n < 50);
        }
        assert_true(n > (i == 3 ? 2u : 1u));
        if (jobs[i].device_rays) reading = TACT_ERROR_DEVICE;
        if (jobs[i].device_hits) writing = TACT_ERROR_DEVICE;
        assert_int_equal(cast(scene, &jobs[i], TACT_BACKEND_REFERENCE), TACT_ERROR_DEVICE);
        reading = writing = TACT_OK;
    }
    tact_raycast_work job = jobs[3];
    job.device_rays = &gl_rays;
    assert_int_equal(cast(scene, &job, TACT_BACKEND_CPU), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_last_error(), "different devices"));
    // Nothing to cast follows no device.
    for (int i = 0; i < 4; ++i) {
        job = jobs[i];
        job.count = 0;
        assert_int_equal(cast(scene, &job, TACT_BACKEND_AUTO), TACT_OK);
        assert_int_equal(cast(scene, &job, TACT_BACKEND_REFERENCE), TACT_OK);
    }
    job = jobs[0];
    job.count = (size_t)1 << 33;
    assert_int_equal(cast(scene, &job, TACT_BACKEND_CPU), TACT_ERROR_LIMIT);
    job.count = SIZE_MAX / 4;
    assert_int_equal(cast(scene, &job, TACT_BACKEND_CPU), TACT_ERROR_LIMIT);
    tact_ticket ticket = 0;
    assert_int_equal(call_submit(scene, &jobs[0], NULL, &ticket), TACT_OK);
    tact_cancel(NULL, ticket);
    tact_cancel(context, 0);
    tact_cancel(context, ticket + 1);
    bool done = false;
    assert_int_equal(tact_poll(context, ticket, &done), TACT_OK);
    assert_true(done);
    tact_cancel(context, ticket);
    assert_int_equal(tact_poll(context, ticket, &done), TACT_ERROR_INVALID_ARGUMENT);
    tact_scene_destroy(scene);
    close_context(context);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
