// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Counts that no memory holds, with arrays of one element: they are refused before anything is read, and before
// anything is recorded where queries are.

#include "tests/support/run.h"

#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/test_context.h"

/// Products with the size of an element overflow, or come out small again.
static const size_t huge[] = {SIZE_MAX, SIZE_MAX / 2 + 1, SIZE_MAX / 4 + 2, SIZE_MAX / 8 + 2,
#if SIZE_MAX > UINT32_MAX
                              // Where sizes have 32 bits, memory may hold so many.
                              SIZE_MAX / 32 + 2
#endif
};
enum { HUGE_COUNTS = sizeof huge / sizeof *huge };

static void refused(const char* what, size_t count, tact_result result)
{
    if (result == TACT_ERROR_LIMIT || result == TACT_ERROR_INVALID_ARGUMENT || result == TACT_ERROR_OUT_OF_MEMORY)
        return;
    fail_msg("%s of %zu: %s", what, count, tact_result_name(result));
}

TEST(scenes)
{
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const tact_sphere sphere = {{0, 0, 0}, 1};
    const tact_aabb box = {{0, 0, 0}, {1, 1, 1}};
    const tact_capsule capsule = {{0, 0, 0}, {1, 0, 0}, 1};
    uint32_t mesh = 0;
    tact_scene* scene = KEEP(new_scene(context));
    for (size_t i = 0; i < HUGE_COUNTS; ++i) {
        const size_t n = huge[i];
        const tact_mesh_desc many_triangles = {
            .positions = corners, .vertex_count = 3, .indices = (const uint32_t*)corners, .triangle_count = n};
        const tact_mesh_desc many_vertices = {.positions = corners, .vertex_count = n, .triangle_count = 1};
        refused("triangles", n, tact_scene_add_mesh(scene, &many_triangles, &mesh));
        refused("vertices", n, tact_scene_add_mesh(scene, &many_vertices, &mesh));
        refused("spheres", n, tact_scene_add_spheres(scene, &sphere, n, &mesh));
        refused("boxes", n, tact_scene_add_boxes(scene, &box, n, &mesh));
        refused("capsules", n, tact_scene_add_capsules(scene, &capsule, n, &mesh));
        tact_mesh* other = NULL;
        refused("a mesh's triangles", n, tact_mesh_create(context, &many_triangles, &other));
        refused("a mesh's vertices", n, tact_mesh_create(context, &many_vertices, &other));
        assert_null(other);
    }
}

TEST(volumes)
{
    const tact_aabb box = {{0, 0, 0}, {1, 1, 1}};
    uint32_t id = 0;
    size_t kept = 0;
    tact_volumes* set = KEEP(new_volumes(context, NULL));
    tact_culler* culler = KEEP(new_culler(context));
    for (size_t i = 0; i < HUGE_COUNTS; ++i) {
        const size_t n = huge[i];
        const tact_volumes_desc desc = {.reserve = n};
        tact_volumes* other = NULL;
        refused("room", n, tact_volumes_create(context, &desc, &other));
        assert_null(other);
        refused("volumes", n, tact_volumes_add_aabbs(set, &box, n, NULL, NULL, NULL));
        refused("moved volumes", n, tact_volumes_move_aabbs(set, NULL, &box, n));
        const tact_cull_work volumes_of = {.volumes = &box, .count = n};
        const tact_cull_work boxes_of = {.volumes = &box, .count = 1, .boxes = &box, .box_count = n};
        refused("culled volumes", n, call_cull_volumes(culler, &volumes_of, &id, 1, &kept, NULL, NULL, NULL));
        refused("boxes to cull by", n, call_cull_volumes(culler, &boxes_of, &id, 1, &kept, NULL, NULL, NULL));
    }
}

TEST(particles)
{
    const float x[3] = {0};
    const tact_particle_arrays arrays = {.positions = x};
    tact_particles *p = NULL, *other = NULL;
    assert_int_equal(tact_particles_create(context, &(tact_particles_desc){0}, &p), TACT_OK);
    for (size_t i = 0; i < HUGE_COUNTS; ++i) {
        const size_t n = huge[i];
        const tact_particles_desc desc = {.reserve = n};
        const tact_mesh_desc many = {.positions = x, .vertex_count = n, .triangle_count = n / 3};
        refused("room for particles", n, tact_particles_create(context, &desc, &other));
        assert_null(other);
        refused("particles", n, tact_particles_add(p, &arrays, n, NULL));
        refused("forces", n, tact_particles_set_forces(p, x, n));
        refused("a body's triangles", n, tact_particles_add_mesh(p, &many, NULL, 0, NULL));
    }
    const tact_height_field_desc field = {
        .heights = x, .columns = UINT32_MAX, .rows = UINT32_MAX, .step_x = 1, .step_z = 1, .origin = {0, 0, 0}};
    refused("a field's heights", UINT32_MAX, tact_particles_add_height_field(p, &field, NULL, 0, NULL));
    tact_particles_destroy(p);
}

TEST(geometry)
{
    const tact_vec3 point = {0, 0, 0};
    const tact_vec2 flat = {0, 0};
    const uint32_t index[3] = {0, 0, 0};
    uint32_t across[3];
    for (size_t i = 0; i < HUGE_COUNTS; ++i) {
        const size_t n = huge[i];
        tact_hull_mesh hull;
        tact_mesh_report report;
        const tact_mesh_view triangles = {&point, 1, index, n}, vertices = {&point, n, index, 1};
        refused("points of a hull", n, tact_hull_mesh_3d(&point, n, NULL, &hull));
        refused("points of a flat hull", n, tact_hull_mesh_2d(&flat, n, NULL, &hull));
        refused("triangles of a report", n, tact_mesh_report_make(&triangles, NULL, &report));
        refused("vertices of a report", n, tact_mesh_report_make(&vertices, NULL, &report));
        refused("triangles and their neighbours", n, tact_mesh_adjacency(index, n, 1, NULL, across));
    }
}

TEST(filters)
{
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const tact_filter_object object = {0, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    tact_filter_pair pair;
    size_t count = 0;
    tact_filter* filter = KEEP(new_filter(context));
    for (size_t i = 0; i < HUGE_COUNTS; ++i) {
        const size_t n = huge[i];
        const tact_mesh_desc few = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
        const tact_mesh_desc many = {
            .positions = corners, .vertex_count = 3, .indices = (const uint32_t*)corners, .triangle_count = n};
        refused("objects", n,
                call_filter_meshes(filter, &few, 1, &object, n, NULL, &pair, 1, &count, NULL, NULL, NULL));
        refused("triangles of a shape", n,
                call_filter_meshes(filter, &many, 1, &object, 1, NULL, &pair, 1, &count, NULL, NULL, NULL));
    }
}

/// What a scene is asked, on every device that the context has.
TEST(scene_queries)
{
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const tact_mesh_desc triangle = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const tact_ray ray = {.dz = 1, .tmax = 1};
    const tact_closest_query point = {0, 0, 0, 1};
    const tact_sphere_cast cast = {ray, 1};
    const tact_plane plane = {{0, 0, 1}, 0};
    const tact_query_options backends[] = {{.backend = TACT_BACKEND_AUTO},
                                           {.backend = TACT_BACKEND_CPU, .no_fallback = true},
                                           {.backend = TACT_BACKEND_REFERENCE, .no_fallback = true}};
    uint32_t id = 0;
    tact_scene* scene = KEEP(new_scene(context));
    put_instance(scene, put_mesh(scene, &triangle), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    for (size_t i = 0; i < HUGE_COUNTS; ++i) {
        for (size_t b = 0; b < sizeof backends / sizeof *backends; ++b) {
            const size_t n = huge[i];
            const tact_query_options* o = &backends[b];
            const tact_cull_scene_work planes = {.planes = &plane, .plane_count = UINT32_MAX};
            tact_hit hit;
            tact_closest_hit nearest;
            tact_sphere_hit touched;
            uint64_t offsets[2];
            size_t count = 0;
            refused("rays", n, tact_raycast(scene, TACT_RAY_CLOSEST, &ray, n, &hit, o, NULL));
            refused("rays with all hits", n, call_raycast_all(scene, &ray, n, 0, offsets, &hit, 1, o, NULL));
            refused("points", n, tact_closest_points(scene, &point, n, &nearest, o, NULL));
            refused("sphere casts", n, tact_spherecast(scene, &cast, n, &touched, o, NULL));
            refused("planes of a view", n, call_cull_scene(scene, &planes, &id, 1, &count, NULL, o, NULL));
        }
    }
}

TEST(overlaps)
{
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const float pose[1][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    const tact_mesh_desc triangle = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const tact_query_options backends[] = {{.backend = TACT_BACKEND_AUTO},
                                           {.backend = TACT_BACKEND_CPU, .no_fallback = true},
                                           {.backend = TACT_BACKEND_REFERENCE, .no_fallback = true}};
    tact_mesh* mesh = KEEP(new_mesh(context, &triangle));
    for (size_t i = 0; i < HUGE_COUNTS; ++i) {
        for (size_t b = 0; b < sizeof backends / sizeof *backends; ++b) {
            const size_t n = huge[i];
            const tact_query_options* o = &backends[b];
            uint8_t relation = 0;
            tact_mesh_pair pair;
            size_t count = 0;
            refused("poses", n, call_mesh_overlap(mesh, mesh, pose, n, false, &relation, o, NULL));
            refused("poses and their pairs", n,
                    call_mesh_overlap_pairs(mesh, mesh, pose, n, &pair, 1, &count, o, NULL));
        }
    }
}

TEST(picks)
{
    static const float corners[9] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
    static const float lasso[3][2] = {{0, 0}, {4, 0}, {0, 4}};
    const tact_mesh_desc triangle = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const tact_pick_view good = {
        .world_to_clip = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, .width = 4, .height = 4};
    tact_scene* scene = KEEP(new_scene(context));
    const uint32_t mesh = put_mesh(scene, &triangle);
    put_instance(scene, mesh, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    tact_picker* picker = KEEP(new_picker(context));
    for (int extent = TACT_PICK_VISIBLE; extent <= TACT_PICK_TOUCHED; ++extent) {
        const tact_pick_options options = {.extent = (tact_pick_extent)extent};
        tact_pick pick;
        size_t count = 0;
        tact_pick_region region = {.shape = TACT_PICK_LASSO, .lasso = lasso, .lasso_count = 3};
        assert_int_equal(call_pick_scene(picker, scene, &good, &region, &options, &pick, 1, &count, NULL, NULL),
                         TACT_OK);
        assert_int_equal(count, 1);
        for (size_t i = 0; i < HUGE_COUNTS; ++i) {
            region.lasso_count = huge[i];
            refused("corners of a lasso", huge[i],
                    call_pick_scene(picker, scene, &good, &region, &options, &pick, 1, &count, NULL, NULL));
        }
        const tact_pick_region frame = {.shape = TACT_PICK_FRAME};
        const tact_pick_region disc = {.shape = TACT_PICK_POINT, .radius = UINT32_MAX};
        tact_pick_view wide = good, high = good, far = good;
        wide.width = UINT32_MAX;
        high.height = (uint32_t)INT32_MAX + 2;
        far.left = INT32_MAX;
        far.top = INT32_MAX - 2;
        const tact_pick_view* views[] = {&wide, &high, &far};
        for (size_t v = 0; v < 3; ++v) {
            refused("pixels of a view", views[v]->width,
                    call_pick_scene(picker, scene, views[v], &frame, &options, &pick, 1, &count, NULL, NULL));
        }
        refused("pixels of a disc", UINT32_MAX,
                call_pick_scene(picker, scene, &good, &disc, &options, &pick, 1, &count, NULL, NULL));
        // Places beyond all views are cut off.
        const tact_pick_region all = {.shape = TACT_PICK_RECTANGLE,
                                      .rectangle = {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX}};
        assert_int_equal(call_pick_scene(picker, scene, &good, &all, &options, &pick, 1, &count, NULL, NULL), TACT_OK);
        assert_int_equal(count, 1);
    }
}

/// Casts that are given away, and vertices that move.
TEST(casts_and_motion)
{
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const tact_mesh_desc triangle = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const tact_ray ray = {.dz = 1, .tmax = 1};
    tact_scene* scene = KEEP(new_scene(context));
    const uint32_t number = put_mesh(scene, &triangle);
    put_instance(scene, number, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    tact_mesh* mesh = KEEP(new_mesh(context, &triangle));
    for (size_t i = 0; i < HUGE_COUNTS; ++i) {
        const size_t n = huge[i];
        tact_hit hit;
        const tact_raycast_work job = {.mode = TACT_RAY_CLOSEST, .count = n, .rays = &ray, .hits = &hit};
        tact_ticket ticket = 0;
        refused("rays given away", n, call_submit(scene, &job, NULL, &ticket));
        assert_true(ticket == 0);
        refused("moved vertices", n, tact_mesh_move_vertices(mesh, corners, n, 0));
        refused("bytes from one vertex to the next", n, tact_mesh_move_vertices(mesh, corners, 3, n));
        refused("bytes between a scene's vertices", n,
                tact_scene_update_mesh(scene, number, corners, n, TACT_UPDATE_AUTO));
    }
}

/// Needs OpenGL.
TEST(images)
{
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const float pose[1][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    const tact_context_desc desc = {.cl = TACT_DEVICE_NONE, .record_queries = 4, .log = quiet};
    tact_image_tester* tester = NULL;
    tact_context* drawing = new_context(&desc);
    if (device_missing(drawing, TACT_BACKEND_GL)) {
        tact_context_destroy(drawing);
        skip_because("the device is missing");
    }
    assert_int_equal(tact_image_tester_create(drawing, &tester), TACT_OK);
    const tact_image_body good = {.mesh = {.positions = corners, .vertex_count = 3, .triangle_count = 1},
                                  .closed = true};
    for (size_t i = 0; i < HUGE_COUNTS; ++i) {
        const size_t n = huge[i];
        tact_image_body bodies[4] = {good, good, good, good};
        bodies[0].mesh.vertex_count = n;
        bodies[1].mesh.triangle_count = n;
        bodies[2].mesh.triangle_count = n;
        bodies[2].mesh.indices = (const uint32_t*)corners;
        bodies[3].mesh.position_stride = n;
        tact_image_result result;
        for (int b = 0; b < 4; ++b) {
            for (int closed = 0; closed < 2; ++closed) {
                bodies[b].closed = closed;
                refused("a body", n, call_image_convex(tester, &bodies[b], &good, NULL, &result, 1));
                refused("a second body", n, call_image_convex(tester, &good, &bodies[b], NULL, &result, 1));
                refused("a concave body", n, call_image_concave(tester, &bodies[b], &good, NULL, &result, 1));
            }
        }
        tact_image_body moving = good;
        moving.poses = pose;
        moving.pose_count = n;
        refused("tests", n, call_image_convex(tester, &moving, &good, NULL, &result, n));
        refused("concave tests", n, call_image_concave(tester, &good, &moving, NULL, &result, n));
        refused("more poses than tests", n, call_image_convex(tester, &moving, &good, NULL, &result, 1));
    }
    tact_image_tester_destroy(tester);
    tact_context_destroy(drawing);
}

static int open_recording_context(void** state)
{
    const tact_context_desc desc = {
        .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 3, .record_queries = 4, .log = quiet};
    return tact_context_create(&desc, &context) == TACT_OK ? 0 : -1;
}

#include TEST_LIST

int main(void)
{
    (void)run_all(all_tests, open_host_context, close_context);
    return run_all_named("with a recorder", all_tests, open_recording_context, close_context);
}
