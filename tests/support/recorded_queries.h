// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// One of each query that is recorded, small. Each returns what the call returned; `digest` is that of the answer by
/// another way than the recorder's. What it is asked of lives until the test ends, and so must the context. Include
/// after run.h and test_context.h.

#include "base/xxh64.h"
#include "tact/tact.h"
#include "tests/support/calls.h"
#include "tests/support/meshes.h"
#include "tests/support/objects.h"
#include "tests/support/particle_systems.h"

enum { RAYS = 60, CUBES = 5, VOLUMES = 80, POSES = 4 };

typedef struct query_room {
    tact_ray rays[RAYS];
    tact_hit hits[RAYS];
} query_room;

static inline void make_rays(tact_ray rays[RAYS])
{
    test_random r = {3};
    for (int i = 0; i < RAYS; ++i) {
        const tact_ray ray = {2 * test_random_signed(&r),    2 * test_random_signed(&r),    9,  0,
                              0.2f * test_random_signed(&r), 0.2f * test_random_signed(&r), -1, 40};
        rays[i] = ray;
    }
}

static inline void make_points(uint64_t seed, tact_closest_query points[RAYS])
{
    test_random r = {seed};
    for (int i = 0; i < RAYS; ++i)
        points[i] = (tact_closest_query){3 * test_random_signed(&r), 3 * test_random_signed(&r),
                                         3 * test_random_signed(&r), i % 4 ? INFINITY : 0.5f};
}

/// Cubes, two of them moved, one removed, one masked; with `all` also a mesh with holes, and spheres.
static inline tact_scene* make_recorded_scene(tact_context* on, bool all)
{
    tact_scene* scene = new_scene(on);
    float p[24], uvs[16];
    cube_corners(0, 0, 0, 1, p);
    for (int i = 0; i < 8; ++i) {
        uvs[2 * i] = p[3 * i];
        uvs[2 * i + 1] = p[3 * i + 1];
    }
    const tact_mesh_desc desc = {.positions = p, .vertex_count = 8, .indices = box_indices, .triangle_count = 12};
    const uint32_t cube = put_mesh(scene, &desc);
    assert_int_equal(tact_scene_set_quality(scene, cube, TACT_MESH_HIGH), TACT_OK);
    for (int i = 0; i < CUBES; ++i) {
        const float m[12] = {1, 0, 0.25f * (float)i, (float)i - 2, 0, 1, 0, 0.5f * (float)i, 0, 0, 1, (float)-i};
        put_instance(scene, cube, m);
    }
    assert_int_equal(tact_scene_set_mask(scene, 2, 6), TACT_OK);
    assert_int_equal(tact_scene_set_dynamic(scene, 3, true), TACT_OK);
    if (all) {
        static const uint8_t texels[6] = {0, 255, 9, 200, 0, 130};
        const tact_alpha_desc alpha = {.uvs = uvs, .texels = texels, .width = 3, .height = 2, .threshold = 128};
        const tact_sphere spheres[2] = {{{-1, -1, 2}, 0.5f}, {{1, -1, 3}, 0.25f}};
        const float up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 4};
        const uint32_t holed = put_mesh(scene, &desc);
        assert_int_equal(tact_scene_set_quality(scene, holed, TACT_MESH_HIGH), TACT_OK);
        assert_int_equal(tact_scene_set_alpha(scene, holed, &alpha), TACT_OK);
        put_instance(scene, holed, up);
        put_instance(scene, put_spheres(scene, spheres, 2), NULL);
    }
    assert_int_equal(tact_scene_remove_instance(scene, 1), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

typedef tact_result query_fn(tact_context* on, const tact_query_options* options, uint64_t* digest);

static inline tact_result ask_rays(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_scene* scene = KEEP(make_recorded_scene(on, true));
    query_room q;
    uint32_t masks[RAYS];
    make_rays(q.rays);
    for (uint32_t i = 0; i < RAYS; ++i)
        masks[i] = i % 3 ? 2 : 1;
    const tact_ray_rules rules = {.masks = masks, .cull = TACT_RAY_CULL_BACK};
    const tact_result result = call_raycast_with(scene, TACT_RAY_CLOSEST, q.rays, RAYS, &rules, q.hits, options, NULL);
    *digest = tact_xxh64_of(q.hits, sizeof q.hits);
    return result;
}

static inline tact_result ask_count(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_scene* scene = KEEP(make_recorded_scene(on, true));
    query_room q;
    make_rays(q.rays);
    const tact_result result = tact_raycast(scene, TACT_RAY_COUNT, q.rays, RAYS, q.hits, options, NULL);
    *digest = tact_xxh64_of(q.hits, sizeof q.hits);
    return result;
}

static inline tact_result ask_all(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    enum { ROOM = 40 };  // too small, so INCOMPLETE
    tact_scene* scene = KEEP(make_recorded_scene(on, true));
    query_room q;
    make_rays(q.rays);
    struct {
        uint64_t offsets[RAYS + 1];
        tact_hit hits[ROOM];
    } out;
    memset(&out, 0, sizeof out);
    const tact_result result = call_raycast_all(scene, q.rays, RAYS, 3, out.offsets, out.hits, ROOM, options, NULL);
    *digest = tact_xxh64_of(&out, sizeof out.offsets + sizeof out.hits);
    return result;
}

static inline tact_result ask_submit(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_scene* scene = KEEP(make_recorded_scene(on, true));
    query_room q;
    make_rays(q.rays);
    const tact_raycast_work job = {.mode = TACT_RAY_ANY, .count = RAYS, .rays = q.rays, .hits = q.hits};
    tact_ticket ticket = 0;
    tact_result result = call_submit(scene, &job, options, &ticket);
    if (result == TACT_OK) result = tact_wait(on, ticket, NULL);
    *digest = tact_xxh64_of(q.hits, sizeof q.hits);
    return result;
}

static inline tact_result ask_closest(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_scene* scene = KEEP(make_recorded_scene(on, true));
    tact_closest_query points[RAYS];
    tact_closest_hit hits[RAYS];
    make_points(5, points);
    const tact_result result = tact_closest_points(scene, points, RAYS, hits, options, NULL);
    *digest = tact_xxh64_of(hits, sizeof hits);
    return result;
}

static inline tact_result ask_locate(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_scene* scene = KEEP(make_recorded_scene(on, false));
    tact_closest_query points[RAYS];
    tact_point_location locations[RAYS];
    make_points(6, points);
    const tact_result result = tact_locate_points(scene, points, RAYS, locations, options, NULL);
    *digest = tact_xxh64_of(locations, sizeof locations);
    return result;
}

static inline tact_result ask_spheres(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_scene* scene = KEEP(make_recorded_scene(on, false));
    query_room q;
    tact_sphere_cast casts[RAYS];
    tact_sphere_hit hits[RAYS];
    make_rays(q.rays);
    for (int i = 0; i < RAYS; ++i)
        casts[i] = (tact_sphere_cast){q.rays[i], 0.1f * (float)(i % 5)};
    const tact_result result = tact_spherecast(scene, casts, RAYS, hits, options, NULL);
    *digest = tact_xxh64_of(hits, sizeof hits);
    return result;
}

static inline tact_result ask_view(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_scene* scene = KEEP(make_recorded_scene(on, true));
    const tact_plane planes[2] = {{{1, 0, 0}, 0.5f}, {{0, 1, 0}, 1.25f}};
    const tact_cull_scene_work work = {.planes = planes, .plane_count = 2, .first = 1};
    uint32_t ids[16];
    uint8_t classes[16];
    size_t count = 0;
    const tact_result result = call_cull_scene(scene, &work, ids, 16, &count, classes, options, NULL);
    uint8_t bytes[16 * 5];
    memcpy(bytes, ids, 4 * count);
    memcpy(bytes + 4 * count, classes, count);
    *digest = tact_xxh64_of(bytes, 5 * count);
    return result;
}

static inline void make_boxes(tact_aabb boxes[VOLUMES], float from)
{
    test_random r = {7};
    for (int i = 0; i < VOLUMES; ++i) {
        const tact_vec3 low = {4 * test_random_signed(&r) + from, 4 * test_random_signed(&r),
                               4 * test_random_signed(&r)};
        boxes[i] = (tact_aabb){low, {low.x + 1.5f, low.y + 1, low.z + 1}};
    }
}

static inline tact_result ask_cull(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_aabb boxes[VOLUMES];
    make_boxes(boxes, 0);
    const tact_plane plane = {{1, 0, 0}, 1};
    const tact_cull_work work = {.kind = TACT_CULL_AABBS,
                                 .volumes = boxes,
                                 .count = VOLUMES,
                                 .planes = &plane,
                                 .plane_count = 1,
                                 .boxes = boxes + 3,
                                 .box_count = 9};
    uint32_t ids[VOLUMES];
    size_t kept = 0;
    const tact_result result = call_cull_volumes(KEEP(new_culler(on)), &work, ids, VOLUMES, &kept, NULL, options, NULL);
    *digest = tact_xxh64_of(ids, kept * sizeof *ids);
    return result;
}

/// Boxes with categories, of which one was removed, against spheres.
static inline tact_result ask_pairs(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_aabb boxes[VOLUMES];
    tact_sphere spheres[VOLUMES];
    tact_categories categories[VOLUMES];
    make_boxes(boxes, 0.5f);
    for (uint32_t i = 0; i < VOLUMES; ++i) {
        categories[i] = (tact_categories){1u << i % 3, 5};
        spheres[i] = (tact_sphere){boxes[i].upper, 0.75f};
    }
    const tact_volumes_desc round = {.kind = TACT_VOLUME_SPHERE};
    tact_volumes *a = KEEP(new_volumes(on, NULL)), *b = KEEP(new_volumes(on, &round));
    const uint32_t gone = 4;
    assert_int_equal(tact_volumes_add_aabbs(a, boxes, VOLUMES, categories, NULL, NULL), TACT_OK);
    assert_int_equal(tact_volumes_add_spheres(b, spheres, VOLUMES, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_volumes_remove(a, &gone, 1), TACT_OK);
    static tact_pair pairs[VOLUMES * VOLUMES];
    size_t count = 0;
    const tact_result result = call_pairs_find(a, b, TACT_PAIRS_AUTO, pairs, VOLUMES * VOLUMES, &count, options, NULL);
    *digest = tact_xxh64_of(pairs, count * sizeof *pairs);
    assert_true(result < TACT_OK || count > 20);
    return result;
}

static inline bool take_pairs(const tact_pair* pairs, size_t count, void* user)
{
    tact_xxh64_add(user, pairs, count * sizeof *pairs);
    return true;
}

/// Boxes in pieces; these are found on the CPU only.
static inline tact_result ask_each(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_aabb boxes[VOLUMES];
    make_boxes(boxes, 0);
    tact_volumes* set = KEEP(new_volumes(on, NULL));
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, VOLUMES, NULL, NULL, NULL), TACT_OK);
    const tact_query_options here = {.backend = TACT_BACKEND_CPU, .shadow = options && options->shadow};
    tact_xxh64 sum;
    uint64_t count = 0;
    tact_xxh64_begin(&sum);
    const tact_result result = call_pairs_each(set, NULL, TACT_PAIRS_AUTO, 7, take_pairs, &sum, &count, &here, NULL);
    *digest = tact_xxh64_end(&sum);
    assert_true(result < TACT_OK || count > 20);
    return result;
}

static inline void make_poses(float poses[POSES][12])
{
    for (int i = 0; i < POSES; ++i) {
        const float m[12] = {1, 0, 0, 0.75f * (float)i, 0.125f, 1, 0, 0, 0, 0, 1, 0.5f};
        memcpy(poses[i], m, sizeof m);
    }
}

static inline tact_result ask_solid(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_mesh *a = KEEP(make_cube_mesh(on, 0, 0, 0, 1)), *b = KEEP(make_cube_mesh(on, 0, 0, 0, 0.25f));
    float poses[POSES][12];
    uint8_t relations[POSES];
    make_poses(poses);
    const tact_result result =
        call_mesh_overlap(a, b, (const float(*)[12])poses, POSES, true, relations, options, NULL);
    *digest = tact_xxh64_of(relations, sizeof relations);
    return result;
}

static inline tact_result ask_overlap(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_mesh *a = KEEP(make_cube_mesh(on, 0, 0, 0, 1)), *b = KEEP(make_cube_mesh(on, 0.5f, 0.25f, 0, 1));
    float poses[POSES][12];
    make_poses(poses);
    static tact_mesh_pair pairs[POSES * 144];
    size_t count = 0;
    const tact_result result =
        call_mesh_overlap_pairs(a, b, (const float(*)[12])poses, POSES, pairs, POSES * 144, &count, options, NULL);
    *digest = tact_xxh64_of(pairs, count * sizeof *pairs);
    return result;
}

/// Two cubes in one mesh, one through the other.
static inline tact_result ask_self(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    float p[48];
    uint32_t indices[72];
    cube_corners(0, 0, 0, 1, p);
    cube_corners(0.5f, 0.75f, 0.25f, 1, p + 24);
    for (uint32_t i = 0; i < 72; ++i)
        indices[i] = box_indices[i % 36] + i / 36 * 8;
    tact_mesh* mesh = KEEP(make_mesh(on, p, 16, indices, 24));
    static tact_mesh_pair pairs[24 * 24];
    size_t count = 0;
    const tact_result result = tact_mesh_self_overlap_pairs(mesh, pairs, 24 * 24, &count, options, NULL);
    *digest = tact_xxh64_of(pairs, count * sizeof *pairs);
    assert_true(result < TACT_OK || count > 0);
    return result;
}

static inline tact_result ask_separation(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_mesh *a = KEEP(make_cube_mesh(on, 0, 0, 0, 1)), *b = KEEP(make_cube_mesh(on, 3, 0.25f, 0.5f, 0.75f));
    float poses[POSES][12];
    tact_mesh_distance distance;
    make_poses(poses);
    const tact_result result = tact_mesh_separation(a, b, poses[1], 100.0f, NULL, &distance);
    *digest = tact_xxh64_of(&distance, sizeof distance);
    assert_true(result < TACT_OK || (distance.distance > 0 && distance.distance < 100));
    return result;
}

/// What every triangle of one cube has in common with every one of another.
static inline tact_result ask_segments(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_mesh *a = KEEP(make_cube_mesh(on, 0, 0, 0, 1)), *b = KEEP(make_cube_mesh(on, 0.5f, 0.25f, 0, 1));
    float poses[POSES][12];
    make_poses(poses);
    tact_mesh_pair pairs[144];
    tact_triangle_contact contacts[144];
    bool meet = false;
    for (uint32_t i = 0; i < 144; ++i)
        pairs[i] = (tact_mesh_pair){.pose = i % POSES, .a = i / 12, .b = i % 12};
    const tact_result result =
        call_mesh_overlap_segments(a, b, (const float(*)[12])poses, POSES, pairs, 144, contacts, options);
    *digest = tact_xxh64_of(contacts, sizeof contacts);
    for (int i = 0; i < 144; ++i)
        meet = meet || contacts[i].meeting != TACT_TRIANGLES_APART;
    assert_true(result < TACT_OK || meet);
    return result;
}

static inline tact_result ask_filter(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    float p[24];
    cube_corners(0, 0, 0, 1, p);
    const tact_mesh_desc shape = {.positions = p, .vertex_count = 8, .indices = box_indices, .triangle_count = 12};
    float poses[POSES][12];
    tact_filter_object objects[POSES];
    make_poses(poses);
    for (int i = 0; i < POSES; ++i) {
        objects[i].shape = 0;
        memcpy(objects[i].pose, poses[i], sizeof poses[i]);
        objects[i].pose[11] = 0.25f * (float)i;
    }
    tact_filter* filter = KEEP(new_filter(on));
    static tact_filter_pair pairs[6 * 144];
    size_t count = 0;
    const tact_result result =
        call_filter_meshes(filter, &shape, 1, objects, POSES, NULL, pairs, 6 * 144, &count, NULL, options, NULL);
    *digest = tact_xxh64_of(pairs, count * sizeof *pairs);
    assert_true(result < TACT_OK || count > 0);
    return result;
}

static inline tact_particles* make_recorded_particles(tact_context* on)
{
    const tact_particles_desc desc = {.response = TACT_RESPONSE_POSITION, .max_radius = 0.5f, .gravity = {0, -9, 0}};
    tact_particles* p = KEEP(new_particles(on, &desc));
    test_random r = {13};
    float x[3 * RAYS];
    for (int i = 0; i < 3 * RAYS; ++i)
        x[i] = 2 * test_random_signed(&r);
    const tact_particle_arrays arrays = {.positions = x, .radius = 0.3f};
    assert_int_equal(tact_particles_add(p, &arrays, RAYS, NULL), TACT_OK);
    return p;
}

static inline tact_result ask_particles(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_particles* p = make_recorded_particles(on);
    const tact_result result = tact_particles_step(p, 0.01f, 0, 3, options, NULL);
    if (result >= TACT_OK) {  // another call would empty the sentence of an error
        size_t size = 0;
        assert_int_equal(tact_particles_save(p, NULL, 0, &size), TACT_INCOMPLETE);
        uint8_t* state = scratch(size);
        assert_int_equal(tact_particles_save(p, state, size, &size), TACT_OK);
        *digest = tact_xxh64_of(state, size);
    }
    return result;
}

/// Contacts, the first ones of more.
static inline tact_result ask_contacts(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    enum { ROOM = 5 };
    tact_particles* p = make_recorded_particles(on);
    tact_particle_contact contacts[ROOM];
    size_t count = 0;
    const tact_result result = tact_particles_contacts(p, contacts, ROOM, &count, options, NULL);
    *digest = tact_xxh64_of(contacts, sizeof contacts);
    return result;
}

static inline tact_result ask_near(tact_context* on, tact_neighbour_kind kind, const tact_query_options* given,
                                   uint64_t* digest)
{
    tact_particles* p = make_recorded_particles(on);
    tact_neighbour_lists lists;
    tact_query_options options = {0};
    if (given) options = *given;
    options.shadow = false;
    const tact_result result = tact_particles_neighbours(p, 0.9f, kind, &lists, &options, NULL);
    // Every pair of ids, by asking all of them.
    static bool near[RAYS][RAYS];
    memset(near, 0, sizeof near);
    for (size_t s = 0; s < lists.slots; ++s) {
        for (uint64_t i = lists.offsets[s]; i < lists.offsets[s + 1]; ++i) {
            const uint32_t a = lists.ids[s], b = lists.ids[lists.neighbours[i]];
            const bool swap = kind == TACT_NEIGHBOURS_ONCE && b < a;
            assert_false(near[swap ? b : a][swap ? a : b]);
            near[swap ? b : a][swap ? a : b] = true;
        }
    }
    tact_xxh64 sum;
    size_t count = 0;
    tact_xxh64_begin(&sum);
    for (uint64_t a = 0; a < RAYS; ++a) {
        for (uint64_t b = 0; b < RAYS; ++b) {
            const uint64_t key = a << 32 | b;
            if (near[a][b]) tact_xxh64_add(&sum, &key, sizeof key);
            count += near[a][b];
        }
    }
    assert_true(result < TACT_OK || count > 20);
    *digest = tact_xxh64_end(&sum);
    return result;
}

static inline tact_result ask_neighbours(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    return ask_near(on, TACT_NEIGHBOURS_ALL, options, digest);
}

static inline tact_result ask_neighbours_once(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    return ask_near(on, TACT_NEIGHBOURS_ONCE, options, digest);
}

enum { VIEW_WIDTH = 40, VIEW_HEIGHT = 30 };

/// Looks down on the scene's cubes, askew: no centre of a pixel is near an edge, and no face has one depth, so drawing
/// and rays find the same.
static inline tact_pick_view make_pick_view(void)
{
    return (tact_pick_view){
        .world_to_clip = {0.25f, 0, 0.003f, 0.0137f, 0, 0.25f, 0.002f, 0.0071f, 0.01f, 0.02f, -1.0f / 9, 0, 0, 0, 0, 1},
        .order = TACT_MATRIX_BY_ROWS,
        .width = VIEW_WIDTH,
        .height = VIEW_HEIGHT};
}

static inline tact_result ask_picks(tact_context* on, const tact_pick_region* region, const tact_pick_options* how,
                                    const tact_query_options* options, uint64_t* digest)
{
    enum { ROOM = 200 };
    tact_scene* scene = KEEP(make_recorded_scene(on, false));
    const tact_pick_view view = make_pick_view();
    tact_picker* picker = KEEP(new_picker(on));
    static tact_pick picks[ROOM];
    size_t count = 0;
    const tact_result result = call_pick_scene(picker, scene, &view, region, how, picks, ROOM, &count, options, NULL);
    assert_true(result < TACT_OK || count > 2);
    *digest = tact_xxh64_of(picks, count * sizeof *picks);
    return result;
}

static inline tact_result ask_pick(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    static const float corners[][2] = {{1, 1}, {39, 3}, {30, 29}, {12, 14}, {3, 27}};
    const tact_pick_region region = {.shape = TACT_PICK_LASSO, .lasso = corners, .lasso_count = 5};
    return ask_picks(on, &region, NULL, options, digest);
}

static inline tact_result ask_pick_all(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    const tact_pick_region region = {.shape = TACT_PICK_POINT, .x = 17, .y = 11, .radius = 9};
    const tact_pick_options how = {
        .extent = TACT_PICK_ALL, .group = TACT_PICK_BY_PRIMITIVE, .max_layers = 3, .keep = true};
    return ask_picks(on, &region, &how, options, digest);
}

static inline tact_result ask_touched(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    const tact_pick_region region = {.shape = TACT_PICK_RECTANGLE, .rectangle = {30, 25, 5, 4}};
    const tact_pick_options how = {.extent = TACT_PICK_TOUCHED};
    return ask_picks(on, &region, &how, options, digest);
}

/// By OpenGL, whatever the options say.
static inline tact_result ask_drawn(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    const tact_pick_region region = {.shape = TACT_PICK_FRAME};
    const tact_pick_options how = {.method = TACT_PICK_RASTER, .group = TACT_PICK_BY_PRIMITIVE};
    const tact_query_options gl = {.backend = TACT_BACKEND_GL};
    return ask_picks(on, &region, &how, &gl, digest);
}

/// Peeled.
static inline tact_result ask_drawn_all(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    const tact_pick_region region = {.shape = TACT_PICK_FRAME};
    const tact_pick_options how = {.method = TACT_PICK_RASTER, .extent = TACT_PICK_ALL};
    const tact_query_options gl = {.backend = TACT_BACKEND_GL};
    return ask_picks(on, &region, &how, &gl, digest);
}

/// Drawn to a target, then asked; the scene changes in between, and the answer is fetched with too little room first.
static inline tact_result ask_target(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    enum { ROOM = 200 };
    tact_scene* scene = KEEP(make_recorded_scene(on, false));
    const tact_pick_view view = make_pick_view();
    const tact_pick_region region = {.shape = TACT_PICK_POINT, .x = 20, .y = 12, .radius = 8};
    const tact_pick_target_desc desc = {.width = VIEW_WIDTH + 9, .height = VIEW_HEIGHT + 5};
    tact_pick_target* target = KEEP(new_pick_target(on, &desc));
    tact_pick_ticket ticket = 0;
    static tact_pick picks[ROOM];
    size_t count = 0;
    assert_int_equal(tact_pick_target_draw(target, scene, &view, 7), TACT_OK);
    assert_int_equal(tact_scene_remove_instance(scene, 0), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_pick_target_submit(target, &region, TACT_PICK_BY_PRIMITIVE, &ticket), TACT_OK);
    assert_int_equal(tact_pick_target_wait(target, ticket, picks, 1, &count, NULL), TACT_INCOMPLETE);
    const tact_result result = tact_pick_target_wait(target, ticket, picks, ROOM, &count, NULL);
    assert_true(result < TACT_OK || count > 2);
    *digest = tact_xxh64_of(picks, count * sizeof *picks);
    return result;
}

/// The answer's members one by one, as a structure has gaps.
static inline uint64_t digest_of_images(const tact_image_result* results, size_t count)
{
    tact_xxh64 sum;
    tact_xxh64_begin(&sum);
    for (size_t i = 0; i < count; ++i) {
        uint32_t w[33] = {results[i].overlap, results[i].drawn};
        // From the bounds of error on, all members are words.
        const size_t first = offsetof(tact_image_result, gap);
        assert_int_equal(sizeof *results - first, sizeof w - 8);
        memcpy(w + 2, (const char*)&results[i] + first, sizeof w - 8);
        tact_xxh64_add(&sum, w, sizeof w);
    }
    return tact_xxh64_end(&sum);
}

static inline tact_result ask_images(tact_context* on, bool concave, const tact_query_options* query, uint64_t* digest)
{
    float p[24], q[32], poses[POSES][12], still[1][12];
    cube_corners(0, 0, 0, 1, p);
    cube_corners(0.5f, 0.25f, 0, 1, q);
    // Vertices of 16 bytes.
    for (int i = 7; i >= 0; --i)
        memmove(q + 4 * i, q + 3 * i, 12);
    make_poses(poses);
    memcpy(still, poses[1], sizeof still);
    const tact_image_bounds bounds = {{-1, -1, -1}, {1, 1, 1}, {0, 0, 0}, 1, 1.75f};
    const tact_image_body a = {
        .mesh = {.positions = p, .vertex_count = 8, .indices = box_indices, .triangle_count = 12},
        .poses = (const float(*)[12])still,
        .pose_count = 1,
        .closed = true};
    const tact_image_body b = {.mesh = {.positions = q,
                                        .vertex_count = 8,
                                        .position_stride = 16,
                                        .indices = box_indices,
                                        .triangle_count = 12},
                               .bounds = concave ? NULL : &bounds,
                               .poses = (const float(*)[12])poses,
                               .pose_count = POSES};
    const tact_image_options options = {.method = TACT_IMAGE_READBACK, .resolution = 32};
    tact_image_tester* tester = KEEP(new_image_tester(on));
    tact_image_result results[POSES];
    const tact_image_work work = {.a = &a, .b = &b, .options = &options, .results = results, .count = POSES};
    const tact_result result = (concave ? tact_image_concave : tact_image_convex)(tester, &work, query, NULL);
    assert_true(result < TACT_OK || results[0].overlap || results[1].overlap);
    *digest = digest_of_images(results, POSES);
    return result;
}

static inline tact_result ask_convex(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    return ask_images(on, false, options, digest);
}

static inline tact_result ask_concave(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    return ask_images(on, true, options, digest);
}

typedef struct recorded_case {
    const char* name;
    query_fn* ask;
    tact_recorded_kind kind;
    tact_result result;
} recorded_case;

static const recorded_case recorded_cases[] = {
    {"rays", ask_rays, TACT_RECORDED_RAYCAST, TACT_OK},
    {"counts", ask_count, TACT_RECORDED_RAYCAST, TACT_OK},
    {"submitted", ask_submit, TACT_RECORDED_RAYCAST, TACT_OK},
    {"all hits", ask_all, TACT_RECORDED_RAYCAST_ALL, TACT_INCOMPLETE},
    {"closest", ask_closest, TACT_RECORDED_CLOSEST, TACT_OK},
    {"locate", ask_locate, TACT_RECORDED_LOCATE, TACT_OK},
    {"spheres", ask_spheres, TACT_RECORDED_SPHERES, TACT_OK},
    {"in view", ask_view, TACT_RECORDED_CULL_SCENE, TACT_OK},
    {"cull", ask_cull, TACT_RECORDED_CULL, TACT_OK},
    {"pairs", ask_pairs, TACT_RECORDED_PAIRS, TACT_OK},
    {"pairs in pieces", ask_each, TACT_RECORDED_PAIRS, TACT_OK},
    {"solid", ask_solid, TACT_RECORDED_OVERLAP, TACT_OK},
    {"overlap", ask_overlap, TACT_RECORDED_OVERLAP, TACT_OK},
    {"self", ask_self, TACT_RECORDED_OVERLAP, TACT_OK},
    {"separation", ask_separation, TACT_RECORDED_SEPARATION, TACT_OK},
    {"segments", ask_segments, TACT_RECORDED_SEGMENTS, TACT_OK},
    {"filter", ask_filter, TACT_RECORDED_FILTER, TACT_OK},
    {"particles", ask_particles, TACT_RECORDED_PARTICLES, TACT_OK},
    {"contacts", ask_contacts, TACT_RECORDED_CONTACTS, TACT_INCOMPLETE},
    {"neighbours", ask_neighbours, TACT_RECORDED_NEIGHBOURS, TACT_OK},
    {"neighbours once", ask_neighbours_once, TACT_RECORDED_NEIGHBOURS, TACT_OK},
    {"picks", ask_pick, TACT_RECORDED_PICK, TACT_OK},
    {"picks of all layers", ask_pick_all, TACT_RECORDED_PICK, TACT_OK},
    {"what is touched", ask_touched, TACT_RECORDED_PICK, TACT_OK},
    {"convex images", ask_convex, TACT_RECORDED_IMAGE, TACT_OK},
    {"concave images", ask_concave, TACT_RECORDED_IMAGE, TACT_OK},
};

/// Those that OpenGL alone is asked.
static const recorded_case drawn_cases[] = {
    {"drawn picks", ask_drawn, TACT_RECORDED_PICK, TACT_OK},
    {"peeled picks", ask_drawn_all, TACT_RECORDED_PICK, TACT_OK},
    {"picks of a target", ask_target, TACT_RECORDED_TARGET, TACT_OK},
};

enum {
    RECORDED_CASES = sizeof recorded_cases / sizeof recorded_cases[0],
    DRAWN_CASES = sizeof drawn_cases / sizeof drawn_cases[0]
};
