// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Makes calls of the library's public functions out of bytes: scenes with hostile numbers, changed and queried,
// volumes, meshes, hulls. What the CPU answers must be what the definition answers, to the bit, errors too. As it
// stands it is a program that tries a fixed number of random inputs, the same every time, and the files named; with
// -DTACT_LIBFUZZER and clang's -fsanitize=fuzzer it is a libFuzzer target.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "tact/tact.h"
#include "tests/fuzz/fuzz_input.h"

/// Bytes that are used up; zeros come after them.
typedef struct input {
    const uint8_t* at;
    const uint8_t* end;
} input;

static tact_context* context;
static size_t answered, refused;

static uint32_t byte(input* in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static uint32_t below(input* in, uint32_t n)
{
    return byte(in) % n;
}

/// Numbers of a grid, where things meet exactly, and among them some that are hard, or any at all.
static float number(input* in)
{
    static const float hard[] = {0.0f,     -0.0f, 1e-45f,   -1e-39f, 1e-20f, 1e18f, -1e18f, 1.2e18f,
                                 INFINITY, NAN,   -3.4e38f, 1e30f,   1e-38f, 1.0f,  0.1f,   -0.99999994f};
    const uint32_t kind = byte(in);
    if (kind < 224) return (float)((int)(kind % 32) - 16) * 0.25f;
    if (kind < 250) return hard[kind % 16];
    uint32_t bits = 0;
    for (int i = 0; i < 4; ++i)
        bits = bits << 8 | byte(in);
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void numbers(input* in, float* out, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        out[i] = number(in);
}

static void die(const char* what)
{
    fprintf(stderr, "%s: %s\n", what, tact_context_error(context));
    abort();
}

/// Both must do the same.
static bool same_result(const char* what, tact_result cpu, tact_result reference)
{
    if (cpu != reference) die(what);
    if (cpu < TACT_OK && !tact_context_error(context)[0]) die("an error without a word");
    if (cpu == TACT_ERROR_INTERNAL) die(what);
    if (cpu >= TACT_OK) {
        ++answered;
    } else {
        ++refused;
    }
    return cpu >= TACT_OK;
}

static void same_bytes(const char* what, const void* cpu, const void* reference, size_t bytes)
{
    if (bytes > 0 && memcmp(cpu, reference, bytes) != 0) die(what);
}

static const tact_query_options fast = {.backend = TACT_BACKEND_CPU, .no_fallback = true, .threads = 1};
static const tact_query_options slow = {.backend = TACT_BACKEND_REFERENCE, .no_fallback = true, .threads = 1};

enum { MOST = 24, ROOM = 4096 };

static void ask_rays(input* in, tact_scene* scene)
{
    static tact_hit a[ROOM], b[ROOM];
    uint64_t from_a[MOST + 1], from_b[MOST + 1];
    tact_ray rays[MOST];
    uint32_t masks[MOST];
    const size_t count = below(in, MOST + 1);
    for (size_t i = 0; i < count; ++i) {
        numbers(in, &rays[i].ox, 8);
        masks[i] = byte(in);
    }
    const tact_ray_mode mode = (tact_ray_mode)below(in, 3);
    const tact_ray_rules rules = {.masks = below(in, 2) ? masks : NULL, .cull = (tact_ray_cull)below(in, 4)};
    if (same_result("rays", tact_raycast_with(scene, mode, rays, count, &rules, a, &fast, NULL),
                    tact_raycast_with(scene, mode, rays, count, &rules, b, &slow, NULL))) {
        same_bytes("rays", a, b, count * sizeof *a);
    }
    const uint32_t most = below(in, 4);
    const tact_result result = tact_raycast_all(scene, rays, count, most, from_a, a, ROOM, &fast, NULL);
    if (same_result("all hits", result, tact_raycast_all(scene, rays, count, most, from_b, b, ROOM, &slow, NULL))) {
        same_bytes("offsets", from_a, from_b, (count + 1) * sizeof *from_a);
        same_bytes("all hits", a, b, (size_t)(from_a[count] < ROOM ? from_a[count] : ROOM) * sizeof *a);
    }
}

static void ask_near(input* in, tact_scene* scene)
{
    tact_closest_query points[MOST];
    tact_closest_hit a[MOST], b[MOST];
    tact_sphere_cast casts[MOST];
    tact_sphere_hit c[MOST], d[MOST];
    const size_t count = below(in, MOST + 1);
    for (size_t i = 0; i < count; ++i) {
        numbers(in, &points[i].x, 4);
        numbers(in, &casts[i].ray.ox, 8);
        casts[i].radius = number(in);
    }
    if (same_result("closest", tact_closest_points(scene, points, count, a, &fast, NULL),
                    tact_closest_points(scene, points, count, b, &slow, NULL))) {
        same_bytes("closest", a, b, count * sizeof *a);
    }
    if (same_result("sphere casts", tact_cast_spheres(scene, casts, count, c, &fast, NULL),
                    tact_cast_spheres(scene, casts, count, d, &slow, NULL))) {
        same_bytes("sphere casts", c, d, count * sizeof *c);
    }
}

static void ask_view(input* in, tact_scene* scene)
{
    tact_plane planes[6];
    uint32_t a[256], b[256];
    uint8_t classes_a[256], classes_b[256];
    size_t count_a = 0, count_b = 0;
    numbers(in, &planes[0].normal.x, 24);
    const tact_scene_cull_work work = {.planes = planes, .plane_count = below(in, 7), .first = below(in, 8)};
    if (same_result("view", tact_scene_cull(scene, &work, a, 256, &count_a, classes_a, &fast, NULL),
                    tact_scene_cull(scene, &work, b, 256, &count_b, classes_b, &slow, NULL))) {
        if (count_a != count_b || count_a > 256) die("how many are in view");
        same_bytes("view", a, b, count_a * sizeof *a);
        same_bytes("classes", classes_a, classes_b, count_a);
    }
}

static void add_mesh(input* in, tact_scene* scene)
{
    float positions[3 * MOST];
    uint32_t indices[3 * MOST], mesh;
    tact_sphere spheres[8];
    tact_capsule capsules[8];
    tact_aabb boxes[8];
    const size_t count = below(in, 9);
    switch (below(in, 6)) {
        case 0:
            numbers(in, &spheres[0].center.x, 4 * count);
            (void)tact_scene_add_spheres(scene, spheres, count, &mesh);
            break;
        case 1:
            numbers(in, &boxes[0].lower.x, 6 * count);
            (void)tact_scene_add_boxes(scene, boxes, count, &mesh);
            break;
        case 2:
            numbers(in, &capsules[0].a.x, 7 * count);
            (void)tact_scene_add_capsules(scene, capsules, count, &mesh);
            break;
        default: {
            tact_mesh_desc desc = {.positions = positions,
                                   .vertex_count = below(in, MOST + 1),
                                   .indices = indices,
                                   .triangle_count = below(in, MOST + 1),
                                   .quality = (tact_mesh_quality)below(in, 3)};
            numbers(in, positions, 3 * desc.vertex_count);
            // Now and then one too large, which must be refused.
            for (size_t i = 0; i < 3 * desc.triangle_count; ++i) {
                const uint32_t index = byte(in);
                indices[i] = desc.vertex_count > 0 && index < 254 ? index % (uint32_t)desc.vertex_count : index << 24;
            }
            if (tact_scene_add_mesh(scene, &desc, &mesh) != TACT_OK) ++refused;
            break;
        }
    }
}

static void change(input* in, tact_scene* scene)
{
    float m[12], positions[3 * MOST] = {0};
    uint32_t instance;
    switch (below(in, 6)) {
        case 0:
        case 1:
            // Mostly one that can be inverted.
            numbers(in, m, 12);
            if (below(in, 4)) m[0] = m[5] = m[10] = 1.0f, m[1] = m[2] = m[4] = m[6] = m[8] = m[9] = 0.0f;
            if (tact_scene_add_instance(scene, below(in, 5), m, &instance) != TACT_OK) ++refused;
            break;
        case 2:
            numbers(in, m, 12);
            if (tact_scene_move_instance(scene, below(in, 5), m) != TACT_OK) ++refused;
            break;
        case 3:
            if (tact_scene_remove_instance(scene, below(in, 5)) != TACT_OK) ++refused;
            break;
        case 4:
            numbers(in, positions, 3 * MOST);
            if (tact_scene_update_mesh(scene, below(in, 4), positions, 0, (tact_mesh_update)below(in, 3)) != TACT_OK) {
                ++refused;
            }
            break;
        default:
            (void)tact_scene_set_mask(scene, below(in, 4), byte(in));
            (void)tact_scene_set_dynamic(scene, below(in, 4), below(in, 2));
            break;
    }
}

static void scenes(input* in)
{
    tact_scene* scene = NULL;
    if (tact_scene_create(context, &scene) != TACT_OK) die("scene");
    for (uint32_t rounds = 1 + below(in, 3); rounds > 0; --rounds) {
        add_mesh(in, scene);
        for (uint32_t i = 0; i < 1 + below(in, 4); ++i)
            change(in, scene);
        if (below(in, 16) && tact_scene_commit(scene) != TACT_OK) ++refused;
        ask_rays(in, scene);
        ask_near(in, scene);
        ask_view(in, scene);
    }
    tact_scene_destroy(scene);
}

static void volumes(input* in)
{
    static tact_pair a[ROOM], b[ROOM];
    tact_aabb boxes[MOST];
    tact_volume_set* set = NULL;
    uint32_t ids[MOST];
    uint8_t classes[2][MOST];
    size_t count_a = 0, count_b = 0, count = below(in, MOST + 1);
    if (tact_volume_set_create(context, NULL, &set) != TACT_OK) die("set");
    numbers(in, &boxes[0].lower.x, 6 * count);
    if (tact_volume_set_add_aabbs(set, boxes, count, NULL, NULL, ids) != TACT_OK) die("boxes");
    for (int round = 0; round < 2; ++round) {
        for (int method = TACT_PAIRS_AUTO; method < TACT_PAIRS_METHOD_COUNT; ++method) {
            if (same_result("pairs",
                            tact_pairs_find(set, NULL, (tact_pairs_method)method, a, ROOM, &count_a, &fast, NULL),
                            tact_pairs_find(set, NULL, TACT_PAIRS_AUTO, b, ROOM, &count_b, &slow, NULL))) {
                if (count_a != count_b) die("how many pairs");
                same_bytes(tact_pairs_method_name((tact_pairs_method)method), a, b, count_a * sizeof *a);
            }
        }
        const uint32_t some[2] = {below(in, MOST), below(in, MOST)};
        if (tact_volume_set_remove(set, some, 2) != TACT_OK) ++refused;
        numbers(in, &boxes[0].lower.x, 6);
        if (tact_volume_set_move_aabbs(set, some, boxes, 1) != TACT_OK) ++refused;
    }
    tact_volume_set_destroy(set);

    tact_culler* culler = NULL;
    tact_plane planes[6];
    uint32_t kept[2][MOST];
    numbers(in, &planes[0].normal.x, 24);
    const tact_cull_work work = {.volumes = boxes,
                                 .count = count,
                                 .planes = planes,
                                 .plane_count = below(in, 7),
                                 .boxes = boxes,
                                 .box_count = below(in, (uint32_t)count + 1)};
    if (tact_culler_create(context, &culler) != TACT_OK) die("culler");
    if (same_result("cull", tact_cull(culler, &work, kept[0], MOST, &count_a, classes[0], &fast, NULL),
                    tact_cull(culler, &work, kept[1], MOST, &count_b, classes[1], &slow, NULL))) {
        if (count_a != count_b) die("how many are kept");
        same_bytes("kept", kept[0], kept[1], count_a * sizeof **kept);
        same_bytes("classes of volumes", classes[0], classes[1], count);
    }
    tact_culler_destroy(culler);
}

static tact_mesh* make_mesh(input* in, float* positions)
{
    tact_mesh* mesh = NULL;
    tact_mesh_desc desc = {.positions = positions, .triangle_count = below(in, MOST / 3 + 1)};
    desc.vertex_count = 3 * desc.triangle_count;
    numbers(in, positions, 3 * desc.vertex_count);
    if (tact_mesh_create(context, &desc, &mesh) != TACT_OK) die("mesh");
    return mesh;
}

static void meshes(input* in)
{
    static tact_mesh_pair a[ROOM], b[ROOM];
    static tact_filter_pair c[ROOM], d[ROOM];
    float positions[2][3 * MOST], poses[2][12];
    uint8_t relations[2][2];
    size_t count_a = 0, count_b = 0;
    tact_mesh* one = make_mesh(in, positions[0]);
    tact_mesh* two = make_mesh(in, positions[1]);
    numbers(in, poses[0], 24);
    const bool solid = below(in, 2);
    if (same_result("overlap",
                    tact_mesh_overlap(one, two, (const float(*)[12])poses, 2, solid, relations[0], &fast, NULL),
                    tact_mesh_overlap(one, two, (const float(*)[12])poses, 2, solid, relations[1], &slow, NULL))) {
        same_bytes("overlap", relations[0], relations[1], 2);
    }
    if (same_result("overlapping pairs",
                    tact_mesh_overlap_pairs(one, two, (const float(*)[12])poses, 2, a, ROOM, &count_a, &fast, NULL),
                    tact_mesh_overlap_pairs(one, two, (const float(*)[12])poses, 2, b, ROOM, &count_b, &slow, NULL))) {
        if (count_a != count_b) die("how many overlap");
        same_bytes("overlapping pairs", a, b, count_a * sizeof *a);
    }
    if (same_result("self overlap", tact_mesh_self_overlap_pairs(one, a, ROOM, &count_a, &fast, NULL),
                    tact_mesh_self_overlap_pairs(one, b, ROOM, &count_b, &slow, NULL))) {
        if (count_a != count_b) die("how many overlap in one");
        same_bytes("self overlap", a, b, count_a * sizeof *a);
    }
    tact_mesh_destroy(one);
    tact_mesh_destroy(two);

    tact_filter* filter = NULL;
    if (tact_filter_create(context, &filter) != TACT_OK) die("filter");
    const size_t triangles = below(in, MOST / 3 + 1);
    const tact_filter_shape shape = {
        .positions = positions[0], .vertex_count = 3 * triangles, .triangle_count = triangles};
    tact_filter_object objects[3] = {{.shape = 0}, {.shape = below(in, 16) == 15}, {.shape = 0}};
    numbers(in, positions[0], 9 * triangles);
    for (int i = 0; i < 3; ++i)
        numbers(in, objects[i].pose, 12);
    if (same_result("filter",
                    tact_filter_run(filter, &shape, 1, objects, 3, NULL, c, ROOM, &count_a, NULL, &fast, NULL),
                    tact_filter_run(filter, &shape, 1, objects, 3, NULL, d, ROOM, &count_b, NULL, &slow, NULL))) {
        if (count_a != count_b) die("how many of the filter's");
        same_bytes("filter", c, d, count_a * sizeof *c);
    }
    tact_filter_destroy(filter);
}

/// What has no second way of being answered must at least end, and hold what it says.
static void shapes(input* in)
{
    tact_vec3 points[MOST];
    tact_vec2 flat[MOST];
    uint32_t indices[3 * MOST];
    tact_hull_mesh hull;
    tact_obb box;
    const size_t count = below(in, MOST + 1), triangles = below(in, MOST + 1);
    numbers(in, &points[0].x, 3 * count);
    for (size_t i = 0; i < count; ++i)
        flat[i] = (tact_vec2){points[i].x, points[i].y};
    for (size_t i = 0; i < 3 * triangles; ++i)
        indices[i] = byte(in) % MOST;
    if (tact_hull_mesh_3d(points, count, NULL, &hull) == TACT_OK) {
        for (size_t i = 0; i < hull.vertex_count; ++i)
            if (hull.vertices[i] >= count) die("a hull's vertex");
        tact_hull_mesh_free(&hull);
    }
    if (tact_hull_mesh_2d(flat, count, NULL, &hull) == TACT_OK) tact_hull_mesh_free(&hull);
    (void)tact_obb_fit_principal(NULL, points, count, TACT_OBB_LEAST_AXIS, &box);
    (void)tact_obb_fit_simple(points, count, &box);
    (void)tact_sphere_fit_smallest(points, count, 0);
    (void)tact_sphere_fit_eigen(points, count, 0);
    (void)tact_kdop_from_points(26, points, count, 0);
    const tact_mesh_view mesh = {points, count, indices, triangles};
    tact_mesh_report report;
    tact_mesh_copy copy;
    (void)tact_mesh_report_make(&mesh, NULL, &report);
    if (tact_mesh_repair(&mesh, NULL, &copy) == TACT_OK) {
        if (copy.triangle_count > triangles || copy.vertex_count > count) die("a repaired mesh has grown");
        tact_mesh_copy_free(&copy);
    }
}

static void quiet(tact_log_level level, const char* source, const char* message, void* user)
{
    (void)level;
    (void)source;
    (void)message;
    (void)user;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 1, .log = quiet};
    if (!context && tact_context_create(&desc, &context) != TACT_OK) abort();
    input in = {data, data + size};
    switch (below(&in, 4)) {
        case 0:
            scenes(&in);
            break;
        case 1:
            volumes(&in);
            break;
        case 2:
            meshes(&in);
            break;
        default:
            shapes(&in);
            break;
    }
    return 0;
}

#ifndef TACT_LIBFUZZER

/// ROUNDS [seed=N] FILE...
int main(int argc, char** argv)
{
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 3000;
    const bool seeded = argc > 2 && strncmp(argv[2], "seed=", 5) == 0;
    const uint64_t seed = seeded ? strtoull(argv[2] + 5, NULL, 10) : 1;
    fuzz_try_files(argc, argv, seeded ? 3 : 2);
    for (long round = 0; round < rounds; ++round) {
        tact_random random = {seed + (uint64_t)round * 0x9e3779b97f4a7c15u};
        uint8_t bytes[2048];
        const size_t size = 1 + (size_t)tact_random_below(&random, sizeof bytes);
        // Some inputs have few hard numbers, some many.
        const bool tame = tact_random_below(&random, 2);
        for (size_t i = 0; i < size; ++i) {
            bytes[i] = (uint8_t)tact_random_next(&random);
            if (tame && bytes[i] >= 224 && tact_random_below(&random, 16)) bytes[i] &= 0x5f;
        }
        fuzz_try(bytes, size);
    }
    printf("%ld random inputs; %zu calls answered as defined, %zu refused\n", rounds, answered, refused);
    tact_context_destroy(context);
    return 0;
}

#endif
