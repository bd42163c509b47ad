// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What stays on a device moves no byte of its arrays over the bus, and takes a modelled one less than what comes from
// the host and goes back. Smaller than docs/modelled-devices.md has it, which `test_modelled_resident large` prints.

#include "tests/support/run.h"

#include "apps/bench/device_model.h"
#include "apps/inputs/model.h"
#include "apps/inputs/rays.h"
#include "apps/inputs/scenes.h"
#include "tests/support/caller.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

static bool is_large;

/// OpenCL of the program's own, which the library adopts and takes for the described device.
static caller* adopt(const char* model_file)
{
    tact_device_model model;
    tact_problem problem = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/bench/models/%s", TACT_SOURCE_DIR, model_file);
    if (!tact_device_model_read(path, &model, &problem)) fail_msg("%s", problem.text);
    caller* c = caller_make(TACT_BACKEND_CL);
    at_end(caller_destroy, c);
    if (!c->cl_context) {
        miss_device(TACT_BACKEND_CL, c->env.error);
        skip_because("the device is missing");
    }
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE,
                                    .cl = TACT_DEVICE_ADOPT,
                                    .cl_context = c->cl_context,
                                    .cl_device = c->cl_device,
                                    .cl_queue = c->queue,
                                    .model = &model,
                                    .disable_calibration = true,
                                    .log = quiet};
    assert_int_equal(tact_context_create(&desc, &c->context), TACT_OK);
    need_device(c->context, TACT_BACKEND_CL);
    return c;
}

/// What a call took, at the least of some turns.
enum { TURNS = 5 };

typedef struct taken {
    double ms;
    tact_device_counts counts;
} taken;

static taken begin(const caller* c)
{
    taken t;
    assert_int_equal(tact_context_device_counts(c->context, TACT_BACKEND_CL, &t.counts), TACT_OK);
    t.ms = tact_context_milliseconds(c->context);
    return t;
}

/// The first turn makes buffers and builds kernels.
static void end(const caller* c, int turn, const taken* before, taken* least)
{
    const double ms = tact_context_milliseconds(c->context) - before->ms;
    if (turn > 1 && ms > least->ms) return;
    least->ms = ms;
    tact_device_counts* n = &least->counts;
    assert_int_equal(tact_context_device_counts(c->context, TACT_BACKEND_CL, n), TACT_OK);
    n->launches -= before->counts.launches;
    n->waits -= before->counts.waits;
    n->bytes_up -= before->counts.bytes_up;
    n->bytes_down -= before->counts.bytes_down;
}

static void show(const char* model_file, const char* what, size_t count, const taken* t)
{
    if (!is_large) return;
    print_message("%s, %s, %zu: %.3g ms, %u launches, %u waits, %u up, %u down\n", model_file, what, count, t->ms,
                  (unsigned)t->counts.launches, (unsigned)t->counts.waits, (unsigned)t->counts.bytes_up,
                  (unsigned)t->counts.bytes_down);
}

static tact_scene* make_scene(caller* c, tact_model* model, tact_bounds* bounds)
{
    tact_problem problem = {0};
    tact_model_mesh terrain;
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    if (!tact_mesh_terrain(is_large ? 128 : 40, 1, &terrain, &problem) ||
        !tact_model_add_mesh(model, &terrain, &problem) || !tact_model_add_instance(model, 0, NULL, &problem) ||
        !tact_model_build(model, c->context, &scene, &stats, &problem)) {
        fail_msg("%s", problem.text);
    }
    *bounds = tact_ray_bounds(&stats);
    return scene;
}

static void cast_on(const char* model_file)
{
    caller* c = adopt(model_file);
    tact_model model = {0};
    tact_bounds bounds;
    tact_scene* scene = make_scene(c, &model, &bounds);
    const uint32_t side = is_large ? 1000 : 120;
    const size_t count = (size_t)side * side;
    tact_ray* rays = malloc(count * sizeof *rays);
    tact_hit *hits = malloc(count * sizeof *hits), *there = malloc(count * sizeof *there);
    const tact_device_array from = caller_make_array(c, count * sizeof *rays, 0),
                            to = caller_make_array(c, count * sizeof *hits, 0);
    const tact_query_options options = {.backend = TACT_BACKEND_CL, .no_fallback = true};
    for (int set = 0; set < 2; ++set) {
        const char* name = set == 0 ? "rays of a picture" : "rays at random";
        if (set == 0)
            tact_rays_camera(&bounds, side, side, rays);
        else
            tact_rays_random(&bounds, 1, count, rays);
        caller_write_array(c, &from, rays, count * sizeof *rays);
        taken host, resident;
        for (int turn = 0; turn < TURNS; ++turn) {
            const taken before = begin(c);
            assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, count, hits, &options, NULL), TACT_OK);
            end(c, turn, &before, &host);
        }
        const tact_raycast_work work = {
            .mode = TACT_RAY_CLOSEST, .count = count, .device_rays = &from, .device_hits = &to};
        for (int turn = 0; turn < TURNS; ++turn) {
            const taken before = begin(c);
            assert_int_equal(tact_raycast_with(scene, &work, &options, NULL), TACT_OK);
            end(c, turn, &before, &resident);
        }
        caller_read_array(c, &to, there, count * sizeof *there);
        assert_memory_equal(there, hits, count * sizeof *hits);
        show(model_file, name, count, &host);
        show(model_file, set == 0 ? "the same on the device" : "these on the device", count, &resident);
        assert_true(host.counts.bytes_up >= count * sizeof *rays && host.counts.bytes_down >= count * sizeof *hits);
        assert_int_equal(resident.counts.bytes_up, 0);
        assert_true(resident.counts.bytes_down <= 64 && resident.counts.waits == 1);
    }
    free(rays);
    free(hits);
    free(there);
    tact_scene_destroy(scene);
    tact_model_free(&model);
}

static void move_on(const char* model_file)
{
    caller* c = adopt(model_file);
    tact_problem problem = {0};
    tact_model_mesh mesh;
    if (!tact_mesh_terrain(is_large ? 700 : 60, 1, &mesh, &problem)) fail_msg("%s", problem.text);
    const tact_mesh_desc desc = {.positions = mesh.positions,
                                 .vertex_count = mesh.vertex_count,
                                 .indices = mesh.indices,
                                 .triangle_count = mesh.triangle_count};
    tact_scene* scene = new_scene(c->context);
    const uint32_t id = put_mesh(scene, &desc);
    put_instance(scene, id, NULL);
    assert_int_equal(tact_scene_set_quality(scene, id, TACT_MESH_FAST), TACT_OK);
    assert_int_equal(tact_scene_build_on(scene, TACT_BACKEND_CL), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    const size_t bytes = mesh.vertex_count * 12;
    const tact_device_array array = caller_make_array(c, bytes, 0);
    caller_write_array(c, &array, mesh.positions, bytes);
    const tact_query_options options = {.backend = TACT_BACKEND_CL, .no_fallback = true};
    const tact_ray ray = {0, 1e6f, 0, 0, 0, -1, 0, 2e6f};
    for (int built = 0; built < 2; ++built) {
        const tact_mesh_update update = built ? TACT_UPDATE_REBUILD : TACT_UPDATE_REFIT;
        taken host, resident;
        tact_hit hits[2];
        for (int turn = 0; turn < 2 * TURNS; ++turn) {
            const bool here = turn < TURNS;
            const taken before = begin(c);
            if (here)
                assert_int_equal(tact_scene_update_mesh(scene, id, mesh.positions, 0, update), TACT_OK);
            else
                assert_int_equal(tact_scene_update_mesh_device(scene, id, &array, 0, update), TACT_OK);
            assert_int_equal(tact_scene_commit(scene), TACT_OK);
            assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hits[!here], &options, NULL), TACT_OK);
            end(c, turn % TURNS, &before, here ? &host : &resident);
        }
        assert_memory_equal(&hits[0], &hits[1], sizeof hits[0]);
        show(model_file, built ? "a tree built of vertices, and a cast" : "one fitted, and a cast", mesh.triangle_count,
             &host);
        show(model_file, "the same of vertices on the device", mesh.triangle_count, &resident);
        assert_true(host.counts.bytes_up >= bytes);
        // The instance, whose box is another, and the ray.
        assert_true(resident.counts.bytes_up < 1000);
    }
    tact_scene_destroy(scene);
    tact_model_mesh_free(&mesh);
}

TEST(rays_that_stay_on_the_device)
{
    cast_on("h200.json");
    if (is_large) cast_on("laptop.json");
}

TEST(vertices_that_stay_on_the_device)
{
    move_on("h200.json");
    if (is_large) move_on("laptop.json");
}

#include TEST_LIST

int main(int argc, char** argv)
{
    is_large = argc > 1 && strcmp(argv[1], "large") == 0;
    return run_all(all_tests, NULL, NULL);
}
