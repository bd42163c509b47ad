// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "apps/inputs/mesh_file.h"
#include "apps/inputs/scenes.h"
#include "core/record/record.h"
#include "tact/tact.h"
#include "tests/support/asked.h"
#include "tests/support/effort.h"
#include "tests/support/flushed.h"
#include "tests/support/test_context.h"

// One answer on every device: each backend against the brute force on the scenes and rays that `tact verify` uses, and
// on the large ones, where the brute force answers a sample and the backends agree on all rays.

static void cast(tact_scene* scene, tact_backend backend, int mode, const tact_ray* rays, size_t count, tact_hit* hits)
{
    tact_query_report report;
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    memset(hits, 0xcd, count * sizeof *hits);
    tact_result result = tact_raycast(scene, (tact_ray_mode)mode, rays, count, hits, &options, &report);
    if (left_to_cpu(context, backend, result)) {
        backend = TACT_BACKEND_REFERENCE;
        result = tact_raycast(scene, (tact_ray_mode)mode, rays, count, hits, &(tact_query_options){.backend = backend},
                              &report);
    }
    if (result != TACT_OK) fail_msg("%s: %s", tact_backend_name(backend), tact_context_error(context));
    assert_int_equal(report.backend, backend);
}

static void compare(const char* scene, const char* set, tact_backend backend, int mode, const tact_ray* rays,
                    size_t count, const tact_hit* expected, const tact_hit* got)
{
    for (size_t i = 0; i < count; ++i) {
        if (memcmp(&expected[i], &got[i], sizeof *got) == 0) continue;
        const tact_ray* r = &rays[i];
        fail_msg(
            "%s, %s rays, mode %d, %s: ray %zu, o %a %a %a d %a %a %a t %a %a: %u/%u t %a u %a v %a, expected "
            "%u/%u t %a u %a v %a",
            scene, set, mode, tact_backend_name(backend), i, (double)r->ox, (double)r->oy, (double)r->oz, (double)r->dx,
            (double)r->dy, (double)r->dz, (double)r->tmin, (double)r->tmax, got[i].instance, got[i].primitive,
            (double)got[i].t, (double)got[i].u, (double)got[i].v, expected[i].instance, expected[i].primitive,
            (double)expected[i].t, (double)expected[i].u, (double)expected[i].v);
    }
}

/// `sample` rays, evenly spread, against the brute force, all of them among the backends.
static void conform(const char* name, const char* set, tact_scene* scene, const tact_ray* rays, size_t count,
                    size_t sample)
{
    tact_ray* picked = scratch((sample + 1) * sizeof *picked);
    tact_hit* of_picked = scratch((sample + 1) * sizeof *of_picked);
    tact_hit* reference = scratch((sample + 1) * sizeof *reference);
    tact_hit* first = scratch((count + 1) * sizeof *first);
    tact_hit* other = scratch((count + 1) * sizeof *other);
    for (size_t i = 0; i < sample; ++i)
        picked[i] = rays[i * count / sample];
    for (int mode = TACT_RAY_CLOSEST; mode <= TACT_RAY_COUNT; ++mode) {
        cast(scene, TACT_BACKEND_REFERENCE, mode, picked, sample, reference);
        cast(scene, TACT_BACKEND_CPU, mode, rays, count, first);
        for (size_t i = 0; i < sample; ++i)
            of_picked[i] = first[i * count / sample];
        compare(name, set, TACT_BACKEND_CPU, mode, picked, sample, reference, of_picked);
        for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
            if (device_missing(context, (tact_backend)backend)) continue;
            cast(scene, (tact_backend)backend, mode, rays, count, other);
            compare(name, set, (tact_backend)backend, mode, rays, count, first, other);
        }
    }
}

/// `hard`: how many hard rays. Of these some see the scene from so far away that they pass through every box.
static void conform_all_sets(const char* name, const tact_model* model, size_t count, size_t hard, size_t sample)
{
    tact_problem problem = {0};
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    if (!tact_model_build(model, context, &scene, &stats, &problem)) fail_msg("%s: %s", name, problem.text);
    const tact_bounds bounds = tact_ray_bounds(&stats);
    tact_ray* rays = scratch(count * sizeof *rays);
    uint32_t side = 1;
    while ((size_t)(side + 1) * (side + 1) <= count)
        ++side;
    tact_rays_camera(&bounds, side, side, rays);
    conform(name, "camera", scene, rays, (size_t)side * side,
            sample < (size_t)side * side ? sample : (size_t)side * side);
    tact_rays_random(&bounds, 1, count, rays);
    conform(name, "random", scene, rays, count, sample);
    tact_rays_hard(model, &bounds, 1, hard, rays);
    conform(name, "hard", scene, rays, hard, sample < hard ? sample : hard);
    tact_scene_destroy(scene);
}

TEST(every_device_agrees_on_the_scenes_of_verify)
{
    assert_true(tact_test_scene_count >= 6);
    for (size_t i = 0; i < tact_test_scene_count; ++i) {
        const tact_test_scene* scene = &tact_test_scenes[i];
        tact_model model = {0};
        tact_problem problem = {0};
        if (!scene->make(true, &model, &problem)) fail_msg("%s: %s", scene->name, problem.text);
        const size_t count = (size_t)scene->quick_rays;
        conform_all_sets(scene->name, &model, count, count, count);
        tact_model_free(&model);
    }
}

static void conform_single_mesh(const char* name, tact_model_mesh* mesh, size_t count, size_t hard, size_t sample)
{
    tact_model model = {0};
    tact_problem problem = {0};
    assert_true(tact_model_add_mesh(&model, mesh, &problem));
    assert_true(tact_model_add_instance(&model, 0, NULL, &problem));
    conform_all_sets(name, &model, count, hard, sample);
    tact_model_free(&model);
}

/// Thorough: of a million triangles.
TEST(every_device_agrees_on_a_terrain)
{
    tact_model_mesh mesh = {0};
    tact_problem problem = {0};
    const size_t side = effort(160, 708);
    assert_true(tact_mesh_terrain((uint32_t)side, 1, &mesh, &problem));
    assert_true(mesh.triangle_count == 2 * side * side);
    conform_single_mesh("terrain", &mesh, effort(30000, 100000), 400, effort(1000, 200));
}

TEST(every_device_agrees_on_the_bunny)
{
    const char* path = "/usr/share/glmark2/models/bunny.obj";
    tact_model_mesh mesh = {0};
    tact_problem problem = {0};
    FILE* file = fopen(path, "rb");
    if (!file) {
        skip_because("no bunny (package glmark2-data)");
    } else {
        fclose(file);
    }
    if (!tact_mesh_file_read(path, &mesh, &problem)) fail_msg("%s", problem.text);
    assert_int_equal(mesh.triangle_count, 69666);
    conform_single_mesh("bunny", &mesh, effort(30000, 250000), effort(2000, 10000), effort(1000, 3000));
}

/// A mesh whose arrays exceed what OpenGL on this machine can bind must be answered by another backend, with the
/// reason.
TEST(a_scene_beyond_a_device_is_answered_by_another)
{
    tact_device_info info = {0};
    bool found = false;
    for (uint32_t i = 0; i < tact_context_device_count(context) && !found; ++i) {
        assert_int_equal(tact_context_device(context, i, &info), TACT_OK);
        found = info.backend == TACT_BACKEND_GL;
    }
    // 48 bytes a triangle; a hardware limit of gigabytes is out of this test's reach.
    if (!found || info.max_buffer_bytes > ((uint64_t)1 << 28)) {
        skip_because("no OpenGL device with a small limit");
    }
    uint32_t side = 1;
    while ((uint64_t)side * side * 2 * 48 <= info.max_buffer_bytes)
        ++side;
    tact_model model = {0};
    tact_model_mesh mesh = {0};
    tact_problem problem = {0};
    assert_true(tact_mesh_terrain(side, 1, &mesh, &problem));
    assert_true(tact_model_add_mesh(&model, &mesh, &problem));
    assert_true(tact_model_add_instance(&model, 0, NULL, &problem));
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    assert_true(tact_model_build(&model, context, &scene, &stats, &problem));
    enum { COUNT = 1000 };
    static tact_ray rays[COUNT];
    static tact_hit expected[COUNT], hits[COUNT];
    const tact_bounds bounds = tact_ray_bounds(&stats);
    tact_rays_random(&bounds, 1, COUNT, rays);
    cast(scene, TACT_BACKEND_CPU, TACT_RAY_CLOSEST, rays, COUNT, expected);
    tact_query_report report;
    const tact_query_options options = {.backend = TACT_BACKEND_GL};
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, COUNT, hits, &options, &report), TACT_OK);
    assert_int_not_equal(report.backend, TACT_BACKEND_GL);
    assert_int_equal(report.failures, 1);
    assert_non_null(strstr(report.reason, "gl failed"));
    assert_non_null(strstr(report.reason, "binds at most"));
    assert_memory_equal(hits, expected, sizeof hits);
    tact_scene_destroy(scene);
    tact_model_free(&model);
}

// The same of every row that can make up what is asked.

static bool has_backend(const tact_query* query, tact_backend backend)
{
    for (size_t i = 0; i < query->backend_count; ++i)
        if (query->backends[i].backend == backend) return true;
    return false;
}

/// The digest of a made-up call's answer, which is new each time: particles move.
static tact_record_witness answer_of(const tact_query* query, const tact_query_sample* of, size_t size, uint64_t seed,
                                     tact_backend backend)
{
    tact_sample* sample = NULL;
    tact_query_report report;
    tact_record_witness witness = {0};
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    assert_int_equal(tact_sample_create(context, query, of, size, seed, &sample), TACT_OK);
    context->witness = &witness;
    const tact_result result = tact_sample_ask(sample, &options, &report);
    context->witness = NULL;
    if (result != TACT_OK) {
        fail_msg("%s on %s: %s", query->name, tact_backend_name(backend), tact_context_error(context));
    }
    if (report.backend != backend || !witness.answered) fail_msg("%s: no answer", query->name);
    tact_sample_destroy(sample);
    return witness;
}

TEST(made_up_calls_have_one_answer)
{
    (void)state;
    asked_call call;
    for (size_t k = 0; asked_at(k, &call); ++k) {
        const tact_query* query = call.query;
        const tact_query_sample* of = call.of;
        // There is nothing to compare where the CPU or OpenGL is alone; picks are cast as rays.
        if (query->only != TACT_BACKEND_AUTO || query->backend_count == 0 || asked_is_drawn(&call)) continue;
        for (uint64_t seed = 1; seed <= (uint64_t)effort(1, 4); ++seed) {
            const size_t size = of->smallest + (size_t)seed;
            const tact_record_witness expected = answer_of(query, of, size, seed, TACT_BACKEND_REFERENCE);
            for (int b = TACT_BACKEND_CPU; b < TACT_BACKEND_COUNT; ++b) {
                const tact_backend backend = (tact_backend)b;
                if (!has_backend(query, backend) || device_missing(context, backend)) continue;
                if (!asked_runs_on(&call, backend)) continue;
                const tact_record_witness got = answer_of(query, of, size, seed, backend);
                if (got.digest == expected.digest && got.bytes == expected.bytes) continue;
                fail_msg("%s, %s: %s answers otherwise than the reference", query->name,
                         of->method ? of->method : of->items, tact_backend_name(backend));
            }
        }
    }
}

#include TEST_LIST
RUN_ALL(open_context, close_context)
