// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Makes calls of the library's public functions out of bytes: scenes with hostile numbers, changed, queried and picked
/// in, volumes, meshes, hulls, images, particles. What a backend answers must be what the definition answers, to the
/// bit, errors too. A program that includes this defines `with_devices`, ROUNDS and finish() before. As it stands it
/// tries a fixed number of random inputs, the same every time, and the files named; with -DTACT_LIBFUZZER and clang's
/// -fsanitize=fuzzer it is a libFuzzer target.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "tact/tact.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/support/calls.h"
#include "tests/support/quiet.h"

/// Bytes that are used up; zeros come after them.
typedef struct input {
    const uint8_t* at;
    const uint8_t* end;
} input;

static tact_context* context;
static size_t answered, refused, on_devices;

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

/// What is asked, and what tells whether the answer is right.
static tact_query_options fast = {.backend = TACT_BACKEND_CPU, .no_fallback = true, .threads = 1};
static const tact_query_options slow = {.backend = TACT_BACKEND_REFERENCE, .no_fallback = true, .threads = 1};

/// Both must do the same, but that a device need not have everything.
static bool same_result(const char* what, tact_result cpu, tact_result reference)
{
    if (cpu == TACT_ERROR_UNSUPPORTED && fast.backend != TACT_BACKEND_CPU) return false;
    if (cpu != reference) die(what);
    if (cpu < TACT_OK && !tact_context_error(context)[0]) die("an error without a word");
    if (cpu == TACT_ERROR_INTERNAL) die(what);
    if (cpu >= TACT_OK) {
        ++answered;
        on_devices += fast.backend != TACT_BACKEND_CPU;
    } else {
        ++refused;
    }
    return cpu >= TACT_OK;
}

static void same_bytes(const char* what, const void* cpu, const void* reference, size_t bytes)
{
    if (bytes > 0 && memcmp(cpu, reference, bytes) != 0) die(what);
}

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
    if (same_result("rays", call_raycast_with(scene, mode, rays, count, &rules, a, &fast, NULL),
                    call_raycast_with(scene, mode, rays, count, &rules, b, &slow, NULL))) {
        same_bytes("rays", a, b, count * sizeof *a);
    }
    const uint32_t most = below(in, 4);
    const tact_result result = call_raycast_all(scene, rays, count, most, from_a, a, ROOM, &fast, NULL);
    if (same_result("all hits", result, call_raycast_all(scene, rays, count, most, from_b, b, ROOM, &slow, NULL))) {
        same_bytes("offsets", from_a, from_b, (count + 1) * sizeof *from_a);
        same_bytes("all hits", a, b, (size_t)(from_a[count] < ROOM ? from_a[count] : ROOM) * sizeof *a);
    }
}

/// Casts that are given away, of which some are forgotten, and none is found twice.
static void submit_rays(input* in, tact_scene* scene)
{
    enum { CASTS = 3 };
    static tact_hit hits[CASTS][MOST], expected[MOST];
    tact_ray rays[CASTS][MOST], gone[MOST];
    tact_ticket tickets[CASTS] = {0};
    size_t counts[CASTS];
    tact_ray_mode modes[CASTS];
    const uint32_t casts = 1 + below(in, CASTS);
    for (uint32_t i = 0; i < casts; ++i) {
        counts[i] = below(in, MOST + 1);
        modes[i] = (tact_ray_mode)below(in, 4);
        for (size_t k = 0; k < counts[i]; ++k)
            numbers(in, &rays[i][k].ox, 8);
        memcpy(gone, rays[i], sizeof gone);
        const tact_raycast_work job = {.mode = modes[i], .count = counts[i], .rays = gone, .hits = hits[i]};
        const tact_result sent = call_submit(scene, &job, &fast, &tickets[i]);
        memset(gone, 255, sizeof gone);
        if (!same_result("a submitted cast", sent,
                         tact_raycast(scene, modes[i], rays[i], counts[i], expected, &slow, NULL))) {
            tickets[i] = 0;
        }
    }
    for (uint32_t n = 0; n < casts; ++n) {
        const uint32_t i = byte(in) % 2 ? n : casts - 1 - n;
        bool done;
        if (tickets[i] == 0) continue;
        if (tact_poll(context, tickets[i], &done) != TACT_OK) die("a cast on its way");
        if (byte(in) % 8 == 0) {
            tact_cancel(context, tickets[i]);
        } else {
            if (tact_wait(context, tickets[i], NULL) != TACT_OK) die("waiting for a cast");
            if (tact_raycast(scene, modes[i], rays[i], counts[i], expected, &slow, NULL) < TACT_OK)
                die("the same cast");
            same_bytes("submitted rays", hits[i], expected, counts[i] * sizeof *expected);
        }
        if (tact_wait(context, tickets[i], NULL) != TACT_ERROR_INVALID_ARGUMENT) die("a ticket used twice");
        tickets[i] = 0;
    }
    for (uint32_t i = 0; i < casts; ++i)
        tact_cancel(context, tickets[i]);
}

/// Looking along z, with or without perspective, or any matrix.
static tact_pick_view make_view(input* in)
{
    tact_pick_view v = {.order = (tact_matrix_order)below(in, 2),
                        .depth = (tact_clip_depth)below(in, 2),
                        .reversed = below(in, 8) == 7,
                        .width = below(in, 40),
                        .height = below(in, 30),
                        .left = (int32_t)below(in, 9) - 4,
                        .top = (int32_t)below(in, 9) - 4};
    const uint32_t kind = below(in, 8);
    if (kind == 7) {
        numbers(in, v.world_to_clip, 16);
        return v;
    }
    v.world_to_clip[0] = v.world_to_clip[5] = 0.25f * (float)(1 + below(in, 4));
    v.world_to_clip[10] = 0.125f;
    v.world_to_clip[15] = kind < 4 ? 1.0f : 4.5f;
    v.world_to_clip[v.order == TACT_MATRIX_BY_COLUMNS ? 11 : 14] = kind < 4 ? 0.0f : 1.0f;
    v.world_to_clip[v.order == TACT_MATRIX_BY_COLUMNS ? 14 : 11] = 0.125f * (float)below(in, 8);
    return v;
}

static tact_pick_region make_region(input* in, float (*lasso)[2])
{
    tact_pick_region r = {.shape = (tact_pick_shape)below(in, 4),
                          .x = (int32_t)below(in, 48) - 4,
                          .y = (int32_t)below(in, 38) - 4,
                          .radius = below(in, 4) ? below(in, 12) : byte(in) * 8,
                          .lasso = (const float(*)[2])lasso,
                          .lasso_count = below(in, MOST + 1)};
    for (int k = 0; k < 4; ++k)
        r.rectangle[k] = (int32_t)below(in, 48) - 4;
    // In quarters of pixels, and hard ones.
    for (size_t i = 0; i < r.lasso_count; ++i) {
        numbers(in, lasso[i], 2);
        if (fabsf(lasso[i][0]) < 5.0f) lasso[i][0] = 4.0f * lasso[i][0] + 16.0f;
        if (fabsf(lasso[i][1]) < 5.0f) lasso[i][1] = 4.0f * lasso[i][1] + 12.0f;
    }
    return r;
}

/// Drawn, and so not the rays' to the bit; asked twice it says the same, and counts no more pixels than there are.
static void ask_target(tact_scene* scene, const tact_pick_view* view, const tact_pick_region* region,
                       tact_pick_group group)
{
    static tact_pick a[ROOM], b[ROOM];
    size_t count_a = 0, count_b = 0;
    tact_pick_target* target = NULL;
    const tact_pick_target_desc desc = {.width = view->width, .height = view->height};
    if (tact_pick_target_create(context, &desc, &target) != TACT_OK) die("pick target");
    if (tact_pick_target_draw(target, scene, view, 1) == TACT_OK) {
        const tact_result first = tact_pick_target_query(target, region, group, a, ROOM, &count_a);
        tact_pick_ticket ticket = 0;
        bool done;
        if (tact_pick_target_submit(target, region, group, &ticket) == TACT_OK) {
            if (tact_pick_target_poll(target, ticket, &done) != TACT_OK) die("a request on its way");
            if (tact_pick_target_wait(target, ticket, b, ROOM, &count_b, NULL) != first) die("a target asked twice");
            if (count_a != count_b) die("how many of a target");
            same_bytes("targets", a, b, count_a * sizeof *a);
        } else if (first >= TACT_OK) {
            die("a request");
        }
        uint64_t pixels = 0;
        for (size_t i = 0; i < count_a; ++i)
            pixels += a[i].pixels;
        if (pixels > (uint64_t)view->width * view->height) die("more pixels than there are");
    }
    tact_pick_target_destroy(target);
}

static void ask_picks(input* in, tact_scene* scene)
{
    static tact_pick a[ROOM], b[ROOM];
    float lasso[MOST][2];
    size_t count_a = 0, count_b = 0;
    tact_picker* picker = NULL;
    if (tact_picker_create(context, &picker) != TACT_OK) die("picker");
    const tact_pick_view view = make_view(in);
    for (int round = 0; round < 2; ++round) {
        const tact_pick_region region = make_region(in, lasso);
        const tact_pick_options options = {.extent = (tact_pick_extent)below(in, 3),
                                           .group = (tact_pick_group)below(in, 3),
                                           .max_layers = below(in, 4),
                                           .keep = below(in, 2)};
        if (same_result("picks",
                        call_pick_scene(picker, scene, &view, &region, &options, a, ROOM, &count_a, &fast, NULL),
                        call_pick_scene(picker, scene, &view, &region, &options, b, ROOM, &count_b, &slow, NULL))) {
            if (count_a != count_b) die("how many picks");
            same_bytes("picks", a, b, (count_a < ROOM ? count_a : ROOM) * sizeof *a);
        }
        if (fast.backend == TACT_BACKEND_GL) ask_target(scene, &view, &region, options.group);
    }
    tact_picker_destroy(picker);
}

static void ask_near(input* in, tact_scene* scene)
{
    tact_closest_query points[MOST] = {{0}};
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
    tact_point_location e[MOST], f[MOST];
    if (same_result("locations", tact_locate_points(scene, points, count, e, &fast, NULL),
                    tact_locate_points(scene, points, count, f, &slow, NULL))) {
        same_bytes("locations", e, f, count * sizeof *e);
    }
    if (same_result("sphere casts", tact_spherecast(scene, casts, count, c, &fast, NULL),
                    tact_spherecast(scene, casts, count, d, &slow, NULL))) {
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
    const tact_cull_scene_work work = {.planes = planes, .plane_count = below(in, 7), .first = below(in, 8)};
    if (same_result("view", call_cull_scene(scene, &work, a, 256, &count_a, classes_a, &fast, NULL),
                    call_cull_scene(scene, &work, b, 256, &count_b, classes_b, &slow, NULL))) {
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
                                   .triangle_count = below(in, MOST + 1)};
            const tact_mesh_quality quality = (tact_mesh_quality)below(in, 4);
            numbers(in, positions, 3 * desc.vertex_count);
            // Now and then one too large, which must be refused.
            for (size_t i = 0; i < 3 * desc.triangle_count; ++i) {
                const uint32_t index = byte(in);
                indices[i] = desc.vertex_count > 0 && index < 254 ? index % (uint32_t)desc.vertex_count : index << 24;
            }
            if (tact_scene_add_mesh(scene, &desc, &mesh) != TACT_OK) ++refused;
            (void)tact_scene_set_quality(scene, mesh, quality);
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

/// Scenes of which things are seen, picked in and cast at while they change.
static void seen_scenes(input* in)
{
    tact_scene* scene = NULL;
    if (tact_scene_create(context, &scene) != TACT_OK) die("scene");
    for (uint32_t rounds = 1 + below(in, 2); rounds > 0; --rounds) {
        const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        uint32_t instance;
        add_mesh(in, scene);
        (void)tact_scene_add_instance(scene, 0, identity, &instance);
        change(in, scene);
        if (below(in, 16) && tact_scene_commit(scene) != TACT_OK) ++refused;
        ask_picks(in, scene);
        submit_rays(in, scene);
    }
    tact_scene_destroy(scene);
}

static void volumes(input* in)
{
    static tact_pair a[ROOM], b[ROOM];
    tact_aabb boxes[MOST];
    tact_volumes* set = NULL;
    uint32_t ids[MOST];
    uint8_t classes[2][MOST];
    size_t count_a = 0, count_b = 0, count = below(in, MOST + 1);
    if (tact_volumes_create(context, NULL, &set) != TACT_OK) die("set");
    numbers(in, &boxes[0].lower.x, 6 * count);
    if (tact_volumes_add_aabbs(set, boxes, count, NULL, NULL, ids) != TACT_OK) die("boxes");
    for (int round = 0; round < 2; ++round) {
        const int methods = fast.backend == TACT_BACKEND_CPU ? TACT_PAIRS_METHOD_COUNT : TACT_PAIRS_AUTO + 1;
        for (int method = TACT_PAIRS_AUTO; method < methods; ++method) {
            const tact_result result =
                call_pairs_find(set, NULL, (tact_pairs_method)method, a, ROOM, &count_a, &fast, NULL);
            tact_pairs_info info = {.method = TACT_PAIRS_METHOD_COUNT};
            if (tact_pairs_get_info(set, &info) == TACT_OK && method != TACT_PAIRS_AUTO &&
                info.method != (tact_pairs_method)method) {
                die("another method of pairs");
            }
            if (same_result("pairs", result,
                            call_pairs_find(set, NULL, TACT_PAIRS_AUTO, b, ROOM, &count_b, &slow, NULL))) {
                if (count_a != count_b) die("how many pairs");
                same_bytes(tact_pairs_method_name((tact_pairs_method)method), a, b, count_a * sizeof *a);
            }
        }
        const uint32_t some[2] = {below(in, MOST), below(in, MOST)};
        if (tact_volumes_remove(set, some, 2) != TACT_OK) ++refused;
        numbers(in, &boxes[0].lower.x, 6);
        if (tact_volumes_move_aabbs(set, some, boxes, 1) != TACT_OK) ++refused;
    }
    tact_volumes_destroy(set);

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
    if (same_result("cull", call_cull_volumes(culler, &work, kept[0], MOST, &count_a, classes[0], &fast, NULL),
                    call_cull_volumes(culler, &work, kept[1], MOST, &count_b, classes[1], &slow, NULL))) {
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

/// Of any pairs, and the same whichever mesh is the first.
static void ask_segments(input* in, tact_mesh* one, tact_mesh* two)
{
    tact_mesh_pair pairs[MOST];
    tact_triangle_contact a[MOST], b[MOST];
    const size_t count = below(in, MOST + 1);
    for (size_t i = 0; i < count; ++i)
        pairs[i] = (tact_mesh_pair){0, below(in, MOST / 3 + 1), below(in, MOST / 3 + 1)};
    const tact_result forth = call_mesh_overlap_segments(one, two, NULL, 1, pairs, count, a, &fast);
    for (size_t i = 0; i < count; ++i)
        pairs[i] = (tact_mesh_pair){0, pairs[i].b, pairs[i].a};
    if (same_result("segments", forth, call_mesh_overlap_segments(two, one, NULL, 1, pairs, count, b, &fast))) {
        same_bytes("segments the other way round", a, b, count * sizeof *a);
    }
}

/// The same with a front as without, and 0 where triangles overlap.
static void ask_separation(input* in, tact_mesh* one, tact_mesh* two)
{
    static tact_mesh_pair pairs[ROOM];
    tact_mesh_front* front = NULL;
    float pose[12];
    size_t count = 0;
    numbers(in, pose, 12);
    if (tact_mesh_front_create(one, two, &front) != TACT_OK) die("front");
    for (int round = 0; round < 3; ++round) {
        tact_mesh_distance a, b;
        if (below(in, 4)) {
            for (int k = 0; k < 12; ++k)
                if (k % 4 != 3) pose[k] = k % 5 == 0 ? 1.0f : 0.0f;
        }
        pose[3 + 4 * below(in, 3)] += 0.25f;
        const float limit = below(in, 3) ? INFINITY : number(in);
        const tact_result with = tact_mesh_separation(one, two, pose, limit, front, &a);
        if (!same_result("separation", with, tact_mesh_separation(one, two, pose, limit, NULL, &b))) continue;
        same_bytes("separation with a front", &a, &b, sizeof a);
        if (!(limit >= 0.0f)) continue;
        const tact_result listed =
            call_mesh_overlap_pairs(one, two, (const float(*)[12])pose, 1, pairs, ROOM, &count, &slow, NULL);
        if (listed != TACT_OK) die("pairs of a pose");
        if (count > 0 && (a.distance != 0.0f || a.triangle_a != pairs[0].a || a.triangle_b != pairs[0].b)) {
            die("what overlaps is at a distance");
        }
    }
    tact_mesh_front_destroy(front);
}

static tact_image_body make_body(input* in, float* positions, float (*poses)[12])
{
    static const uint32_t box[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                     2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    tact_image_body b = {.mesh = {.positions = positions}, .poses = (const float(*)[12])poses, .pose_count = 2};
    b.closed = below(in, 2);
    b.convex = below(in, 2);
    float ends[6];
    numbers(in, ends, 6);
    if (below(in, 3)) {
        for (size_t v = 0; v < 8; ++v) {
            for (size_t k = 0; k < 3; ++k)
                positions[3 * v + k] = ends[3 * (v >> k & 1) + k];
        }
        b.mesh.vertex_count = 8;
        b.mesh.indices = box;
        b.mesh.triangle_count = 12;
    } else {
        b.mesh.triangle_count = below(in, MOST / 3 + 1);
        b.mesh.vertex_count = 3 * b.mesh.triangle_count;
        numbers(in, positions, 3 * b.mesh.vertex_count);
    }
    for (int i = 0; i < 2; ++i) {
        numbers(in, poses[i], 12);
        if (below(in, 4)) {
            for (int k = 0; k < 12; ++k)
                if (k % 4 != 3) poses[i][k] = k % 5 == 0 ? 1.0f : 0.0f;
        }
    }
    return b;
}

/// Both methods count the same, what they do not say is zero, and the reference says the same.
static void images(input* in)
{
    float positions[2][3 * MOST], poses[2][2][12];
    tact_image_tester* tester = NULL;
    const tact_image_body a = make_body(in, positions[0], poses[0]), b = make_body(in, positions[1], poses[1]);
    const uint32_t resolution = below(in, 8) ? 4 + below(in, 29) : byte(in) * 5;
    if (fast.backend == TACT_BACKEND_CL) return;
    if (tact_image_tester_create(context, &tester) != TACT_OK) die("tester");
    for (int concave = 0; concave < 2; ++concave) {
        tact_image_result r[3][2];
        tact_result results[3];
        for (int method = 0; method < 3; ++method) {
            const tact_image_options options = {.method = method ? TACT_IMAGE_READBACK : TACT_IMAGE_QUERY,
                                                .resolution = resolution};
            const tact_image_work work = {.a = &a, .b = &b, .options = &options, .results = r[method], .count = 2};
            tact_query_options how = fast;
            if (method == 2) how.backend = TACT_BACKEND_REFERENCE;
            results[method] = (concave ? tact_image_concave : tact_image_convex)(tester, &work, &how, NULL);
        }
        if (!same_result(concave ? "concave images" : "convex images", results[0], results[1])) continue;
        if (!same_result("images by the reference", results[1], results[2])) continue;
        same_bytes("images", r[1], r[2], sizeof r[1]);
        for (int i = 0; i < 2; ++i) {
            const tact_image_result *q = &r[0][i], *s = &r[1][i];
            if (q->overlap != s->overlap || q->drawn != s->drawn || q->inside != s->inside) die("images differ");
            same_bytes("samples", q->samples, s->samples, sizeof q->samples);
            same_bytes("leaks", q->leaks, s->leaks, sizeof q->leaks);
            same_bytes("tolerances", &q->gap, &s->gap, 3 * sizeof q->gap);
            if (q->drawn && !(q->gap >= 0.0f && q->depth >= 0.0f)) die("a tolerance that is none");
            if (q->common != 0 || q->penetration != 0.0f) die("queries tell more than counts");
        }
    }
    tact_image_tester_destroy(tester);
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
                    call_mesh_overlap(one, two, (const float(*)[12])poses, 2, solid, relations[0], &fast, NULL),
                    call_mesh_overlap(one, two, (const float(*)[12])poses, 2, solid, relations[1], &slow, NULL))) {
        same_bytes("overlap", relations[0], relations[1], 2);
    }
    if (same_result("overlapping pairs",
                    call_mesh_overlap_pairs(one, two, (const float(*)[12])poses, 2, a, ROOM, &count_a, &fast, NULL),
                    call_mesh_overlap_pairs(one, two, (const float(*)[12])poses, 2, b, ROOM, &count_b, &slow, NULL))) {
        if (count_a != count_b) die("how many overlap");
        same_bytes("overlapping pairs", a, b, count_a * sizeof *a);
    }
    if (same_result("self overlap", tact_mesh_self_overlap_pairs(one, a, ROOM, &count_a, &fast, NULL),
                    tact_mesh_self_overlap_pairs(one, b, ROOM, &count_b, &slow, NULL))) {
        if (count_a != count_b) die("how many overlap in one");
        same_bytes("self overlap", a, b, count_a * sizeof *a);
    }
    ask_segments(in, one, two);
    ask_separation(in, one, two);
    tact_mesh_destroy(one);
    tact_mesh_destroy(two);

    tact_filter* filter = NULL;
    if (tact_filter_create(context, &filter) != TACT_OK) die("filter");
    const size_t triangles = below(in, MOST / 3 + 1);
    const tact_mesh_desc shape = {
        .positions = positions[0], .vertex_count = 3 * triangles, .triangle_count = triangles};
    tact_filter_object objects[3] = {{.shape = 0}, {.shape = below(in, 16) == 15}, {.shape = 0}};
    numbers(in, positions[0], 9 * triangles);
    for (int i = 0; i < 3; ++i)
        numbers(in, objects[i].pose, 12);
    if (same_result("filter",
                    call_filter_meshes(filter, &shape, 1, objects, 3, NULL, c, ROOM, &count_a, NULL, &fast, NULL),
                    call_filter_meshes(filter, &shape, 1, objects, 3, NULL, d, ROOM, &count_b, NULL, &slow, NULL))) {
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

static tact_result move_particles(input in, tact_backend backend, float (*state)[6], size_t* count)
{
    const float far_wall = 8.0f;
    tact_particles_desc desc = {.response = (tact_particle_response)below(&in, 3),
                                .backend = backend,
                                .domain = {{-far_wall, -far_wall, -far_wall}, {far_wall, far_wall, far_wall}},
                                .max_radius = 1.0f,
                                .gravity = {0, below(&in, 2) ? -9.81f : 0.0f, 0}};
    for (int k = 0; k < 3; ++k)
        desc.boundary[k] = (tact_boundary)below(&in, 3);
    tact_particles* p = NULL;
    tact_result result = tact_particles_create(context, &desc, &p);
    if (result != TACT_OK) return result;
    tact_query_options on = fast;
    on.backend = backend;
    for (uint32_t rounds = 1 + below(&in, 3); rounds > 0 && result == TACT_OK; --rounds) {
        float x[3 * MOST], v[3 * MOST], radii[MOST];
        const size_t more = below(&in, MOST + 1);
        numbers(&in, x, 3 * more);
        numbers(&in, v, 3 * more);
        for (size_t i = 0; i < more; ++i)
            radii[i] = 0.125f * (float)(1 + below(&in, 8));
        const tact_particle_arrays arrays = {.positions = x, .velocities = v, .radii = radii};
        if (tact_particles_add(p, &arrays, more, NULL) != TACT_OK) ++refused;
        const uint32_t gone = below(&in, MOST);
        if (below(&in, 2) && tact_particles_remove(p, &gone, 1) != TACT_OK) ++refused;
        result = tact_particles_step(p, 1e-3f * (float)(1 + below(&in, 8)), 1, 1 + below(&in, 4), &on, NULL);
    }
    *count = tact_particles_count(p);
    float positions[9 * MOST], velocities[9 * MOST];
    const tact_particle_output output = {.positions = positions, .velocities = velocities};
    if (result == TACT_OK) result = tact_particles_read(p, &output);
    for (size_t i = 0; i < *count && result == TACT_OK; ++i) {
        memcpy(state[i], positions + 3 * i, 12);
        memcpy(state[i] + 3, velocities + 3 * i, 12);
    }
    tact_particles_destroy(p);
    return result;
}

static void particles(input* in)
{
    static float a[3 * MOST][6], b[3 * MOST][6];
    size_t count_a = 0, count_b = 0;
    const tact_result got = move_particles(*in, fast.backend, a, &count_a);
    if (same_result("particles", got, move_particles(*in, TACT_BACKEND_REFERENCE, b, &count_b))) {
        if (count_a != count_b) die("how many particles");
        same_bytes("particles", a, b, count_a * sizeof *a);
    }
}

static void run_calls(input in)
{
    const uint32_t kind = byte(&in);
    // The first four are told apart as in old inputs.
    static void (*const added[])(input*) = {seen_scenes, particles, images, meshes};
    static void (*const calls[])(input*) = {scenes, volumes, meshes, shapes};
    (kind < 192 ? calls[kind % 4] : added[kind % 4])(&in);
}

static bool has_device(tact_backend backend)
{
    tact_device_info info;
    for (uint32_t i = 0; i < tact_context_device_count(context); ++i) {
        if (tact_context_device(context, i, &info) == TACT_OK && info.backend == backend) return true;
    }
    return false;
}

static void open_context(void)
{
    const tact_device_source kind = with_devices ? TACT_DEVICE_OWN : TACT_DEVICE_NONE;
    const tact_context_desc desc = {.gl = kind, .cl = kind, .threads = 1, .log = quiet};
    if (!context && tact_context_create(&desc, &context) != TACT_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const tact_backend backends[] = {TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
    open_context();
    for (size_t i = 0; i < (with_devices ? 3 : 1); ++i) {
        if (i > 0 && !has_device(backends[i])) continue;
        fast.backend = backends[i];
        run_calls((input){data, data + size});
    }
    return 0;
}

#ifndef TACT_LIBFUZZER

/// ROUNDS [seed=N] FILE...
int main(int argc, char** argv)
{
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : ROUNDS;
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
    printf("%ld random inputs; %zu calls answered as defined, %zu of them on devices, %zu refused\n", rounds, answered,
           on_devices, refused);
    const bool has_gl = has_device(TACT_BACKEND_GL), has_cl = has_device(TACT_BACKEND_CL);
    tact_context_destroy(context);
    return finish(has_gl, has_cl);
}

#endif
