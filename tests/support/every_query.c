// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tests/support/every_query.h"

#include <math.h>

#include "core/context/backends.h"
#include "tact/particle_bodies.h"
#include "tests/support/asked.h"
#include "tests/support/calls.h"
#include "tests/support/every_query_inner.h"

// Rows

/// Takes what the caller has of an answer.
static void put_taken(const void* data, size_t bytes, size_t word, void* user)
{
    put_words(user, data, bytes, word);
}

/// What is touched only the host finds.
static tact_query_options options_of(const query_world* w, const tact_request* r)
{
    tact_query_options options = w->options;
    if (r->query->kind == TACT_RECORDED_PICK && r->parameters[0] == TACT_PICK_TOUCHED) options.no_fallback = false;
    return options;
}

/// Asks, again as often as the world wants it. Particles that were moved, maybe in part, are made again.
static tact_result ask_made(query_world* w, const asked_call* call, tact_sample** s)
{
    tact_result result = TACT_OK;
    for (;;) {
        tact_request* r = &(*s)->request;
        tact_query_report report = {.failures = 0};
        const tact_query_options options = options_of(w, r);
        const size_t before = w->size;
        const tact_result unasked = tact_request_ask(r, &options, &report, &result);
        result = returned(w, unasked == TACT_OK ? result : unasked, &report);
        if (result >= TACT_OK) {
            // Separation reports nothing.
            const bool reported = report.backend != TACT_BACKEND_AUTO;
            if (reported) take_report(w, &report);
            put_number(w, r->count);
            result = asked_answer(r, put_taken, w);
            if (result == TACT_OK) return TACT_OK;
            if (reported) --w->part_count;
            w->size = before;
        }
        if (!once_more(w, result, call->of->items, unasked == TACT_OK)) break;
        if (call->query->asynchronous) {
            tact_sample_destroy(*s);
            TRY_(w, asked_make(w->context, call, w->seed, s), NULL, false);
        }
    }
    w->failed = call->of->items;
out:
    return result;
}

static void release_mesh(void* mesh)
{
    tact_mesh_destroy(mesh);
}

static float* move_vertices(const tact_mesh_desc* desc)
{
    float* moved = malloc(3 * desc->vertex_count * sizeof *moved);
    if (!moved) abort();
    for (size_t i = 0; i < 3 * desc->vertex_count; ++i)
        moved[i] = desc->positions[i] * (i % 2 ? 1.125f : 0.875f);
    return moved;
}

/// Attaches a mesh, moves vertices and instances, and removes one.
static tact_result change_scene(query_world* w, tact_request* r)
{
    static const float turned[12] = {0, -1, 0, 0.1f, 1, 0, 0, 0.2f, 0, 0, 1, 0.3f};
    static const float elsewhere[12] = {1, 0, 0, 0.2f, 0, 1, 0, -0.1f, 0, 0, 1, 0};
    tact_scene* scene = (tact_scene*)(uintptr_t)r->given[0].data;
    const tact_mesh_desc* desc = &r->surfaces[0];
    tact_mesh* source = NULL;
    tact_result result = TACT_OK;
    uint32_t mesh, instance, other;
    float* moved = move_vertices(desc);
    TRY(w, tact_mesh_create(w->context, desc, &source));
    tact_request_own(r, source, release_mesh);
    TRY(w, tact_scene_attach_mesh(scene, source, &mesh));
    TRY(w, tact_scene_add_instance(scene, mesh, turned, &instance));
    TRY(w, tact_scene_commit(scene));
    TRY(w, tact_scene_update_mesh(scene, 0, moved, 0, TACT_UPDATE_REFIT));
    TRY(w, tact_mesh_move_vertices(source, moved, desc->vertex_count, 0));
    TRY(w, tact_scene_set_dynamic(scene, instance, true));
    TRY(w, tact_scene_move_instance(scene, instance, elsewhere));
    TRY(w, tact_scene_add_instance(scene, 0, elsewhere, &other));
    TRY(w, tact_scene_remove_instance(scene, 0));
    // Devices build trees too, where their arithmetic is the CPU's.
    if (tact_backend_is_device(w->options.backend)) (void)tact_scene_build_on(scene, w->options.backend);
    TRY(w, tact_scene_commit(scene));
out:
    free(moved);
    return result;
}

static tact_result change_mesh(query_world* w, const tact_mesh_desc* desc, tact_mesh* mesh)
{
    float* moved = move_vertices(desc);
    tact_result result = TACT_OK;
    TRY(w, tact_mesh_move_vertices(mesh, moved, desc->vertex_count, 0));
out:
    free(moved);
    return result;
}

/// Changes what is asked, if it can be.
static tact_result change_given(query_world* w, tact_request* r)
{
    if (r->query->inputs[0].type == TACT_CHUNK_SCENE) return change_scene(w, r);
    if (r->query->kind == TACT_RECORDED_OVERLAP) return change_mesh(w, &r->surfaces[0], r->objects[0]);
    if (r->query->kind == TACT_RECORDED_FILTER) {
        const bool images = r->parameters[0] == TACT_FILTER_IMAGES_ALWAYS;
        r->parameters[0] = images ? TACT_FILTER_IMAGES_NEVER : TACT_FILTER_IMAGES_ALWAYS;
    }
    return TACT_OK;
}

static tact_result run_call(query_world* w, const asked_call* call, bool cast)
{
    tact_sample* s = NULL;
    tact_result result;
    TRY_(w, asked_make(w->context, call, w->seed, &s), NULL, false);
    // Particles go on from where they are, and are asked once.
    for (int change = 0; change < (call->query->asynchronous ? 1 : 2); ++change) {
        if (cast) s->request.parameters[2] = TACT_PICK_RAYS;
        PASS(w, ask_made(w, call, &s));
        if (change == 0) PASS(w, change_given(w, &s->request));
    }
out:
    tact_sample_destroy(s);
    return result;
}

/// Every call that a row makes up, but for those that are drawn.
static tact_result run_row(query_world* w, const tact_query* query)
{
    const tact_backend like = w->like != TACT_BACKEND_AUTO ? w->like : w->options.backend;
    asked_call call;
    tact_result result = TACT_OK;
    for (size_t i = 0; result >= TACT_OK && asked_of_row(query, i, &call); ++i)
        if (!asked_is_drawn(&call) && asked_runs_on(&call, like)) result = run_call(w, &call, false);
    return result;
}

#define RUN_ROW(kind, name)                       \
    static tact_result run_##name(query_world* w) \
    {                                             \
        return run_row(w, &tact_query_##name);    \
    }
TACT_QUERIES(RUN_ROW)

static tact_result run_drawn(query_world* w, const tact_query* query, bool cast)
{
    asked_call call;
    tact_result result = TACT_OK;
    for (size_t i = 0; result >= TACT_OK && asked_of_row(query, i, &call); ++i)
        if (asked_is_drawn(&call)) result = run_call(w, &call, cast);
    return result;
}

static tact_result run_pick_raster(query_world* w)
{
    return run_drawn(w, &tact_query_pick, false);
}

static tact_result run_pick_instead(query_world* w)
{
    return run_drawn(w, &tact_query_pick, true);
}

static tact_result run_image_stencil(query_world* w)
{
    return run_drawn(w, &tact_query_image, false);
}

static tact_result run_raycast_submit(query_world* w)
{
    asked_call call = {NULL, NULL};
    tact_sample* s[2] = {NULL, NULL};
    tact_hit hits[2][100];
    tact_ticket tickets[2] = {0};
    tact_query_report report;
    tact_result result;
    asked_of_row(&tact_query_raycast, 0, &call);
    for (int i = 0; i < 2; ++i)
        TRY_(w, asked_make(w->context, &call, w->seed + (uint64_t)i, &s[i]), NULL, false);
    // A cast that is lost on its way is given away again, with the other one.
    for (bool done = false; !done;) {
        for (size_t i = 0; i < 2; ++i) {
            const tact_given rays = s[i]->request.given[1];
            const tact_raycast_work job = {
                .mode = TACT_RAY_CLOSEST, .count = rays.count, .rays = rays.data, .hits = hits[i]};
            TRY(w, call_submit((tact_scene*)(uintptr_t)s[0]->request.given[0].data, &job, &w->options, &tickets[i]));
        }
        done = true;
        for (size_t i = 2; i-- > 0;) {
            result = tact_wait(w->context, tickets[i], &report);
            if (result == TACT_OK) {
                take_report(w, &report);
            } else if (once_more(w, result, "tact_wait", true)) {
                done = false;
            } else {
                w->failed = "tact_wait";
                goto out;
            }
        }
    }
    for (size_t i = 0; i < 2; ++i)
        put(w, hits[i], s[i]->request.given[1].count * sizeof hits[i][0]);
out:
    tact_sample_destroy(s[0]);
    tact_sample_destroy(s[1]);
    return result;
}

// Volumes

enum { VOLUMES = 60 };

static void fill_boxes(test_random* r, tact_aabb* boxes, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        fill(r, &boxes[i].lower.x, 3, 2);
        boxes[i].upper = (tact_vec3){boxes[i].lower.x + test_random_unit(r), boxes[i].lower.y + test_random_unit(r),
                                     boxes[i].lower.z + test_random_unit(r)};
    }
}

static tact_result ask_pairs(query_world* w, tact_volumes* a, tact_volumes* b, tact_pairs_method method)
{
    enum { ROOM = 1000 };
    tact_query_report report;
    tact_pair pairs[ROOM];
    size_t count = 0;
    tact_result result;
    ASK(w, call_pairs_find(a, b, method, pairs, ROOM, &count, &w->options, &report));
    tact_pairs_info info;
    TRY(w, tact_pairs_get_info(a, &info));
    if (method != TACT_PAIRS_AUTO && info.method != method && report.backend != TACT_BACKEND_REFERENCE) {
        fprintf(stderr, "pairs by %s were found by %s\n", tact_pairs_method_name(method),
                tact_pairs_method_name(info.method));
        abort();
    }
    put_number(w, count);
    put(w, pairs, (count < ROOM ? count : ROOM) * sizeof *pairs);
    result = TACT_OK;
out:
    return result;
}

/// With each method that the backend has: a set of boxes by itself, moved, against a set of spheres.
static tact_result run_pairs_changed(query_world* w)
{
    const bool device = w->options.backend == TACT_BACKEND_GL || w->options.backend == TACT_BACKEND_CL;
    tact_result result = TACT_OK;
    for (int method = TACT_PAIRS_AUTO; method < TACT_PAIRS_METHOD_COUNT; ++method) {
        // Every method gives the same pairs; a device has some.
        const bool has = !device || method == TACT_PAIRS_AUTO || method == TACT_PAIRS_GRID || method == TACT_PAIRS_BVH;
        const tact_pairs_method used = has ? (tact_pairs_method)method : TACT_PAIRS_AUTO;
        test_random r = {w->seed};
        tact_volumes *a = NULL, *b = NULL;
        const tact_volumes_desc spherical = {.kind = TACT_VOLUME_SPHERE};
        tact_aabb boxes[VOLUMES];
        tact_sphere spheres[VOLUMES];
        uint32_t ids[VOLUMES];
        fill_boxes(&r, boxes, VOLUMES);
        for (size_t i = 0; i < VOLUMES; ++i)
            spheres[i] = tact_sphere_from_aabb(boxes[VOLUMES - 1 - i]);
        TRY(w, tact_volumes_create(w->context, NULL, &a));
        TRY(w, tact_volumes_create(w->context, &spherical, &b));
        TRY(w, tact_volumes_add_aabbs(a, boxes, VOLUMES, NULL, NULL, ids));
        TRY(w, tact_volumes_add_spheres(b, spheres, VOLUMES / 2, NULL, NULL, NULL));
        PASS(w, ask_pairs(w, a, NULL, used));
        TRY(w, tact_volumes_remove(a, ids + 7, 9));
        fill_boxes(&r, boxes, 5);
        TRY(w, tact_volumes_move_aabbs(a, ids, boxes, 5));
        const tact_categories filter = {1, 2};
        TRY(w, tact_volumes_set_categories(a, ids, &filter, 1));
        PASS(w, ask_pairs(w, a, NULL, used));
        // Between two sets a device has no grid.
        PASS(w, ask_pairs(w, a, b, device && used == TACT_PAIRS_GRID ? TACT_PAIRS_AUTO : used));
    out:
        tact_volumes_destroy(a);
        tact_volumes_destroy(b);
        if (result != TACT_OK) break;
    }
    return result;
}

static bool receive_pairs(const tact_pair* pairs, size_t count, void* user)
{
    put(user, pairs, count * sizeof *pairs);
    return true;
}

static tact_result run_tracker(query_world* w)
{
    test_random r = {w->seed};
    tact_query_report report;
    tact_volumes* set = NULL;
    tact_pair_tracker* tracker = NULL;
    tact_aabb boxes[VOLUMES];
    uint64_t each = 0;
    tact_result result;
    fill_boxes(&r, boxes, VOLUMES);
    TRY(w, tact_volumes_create(w->context, NULL, &set));
    TRY(w, tact_volumes_add_aabbs(set, boxes, VOLUMES, NULL, NULL, NULL));
    TRY(w, tact_pair_tracker_create(set, NULL, &tracker));
    for (int round = 0; round < 3; ++round) {
        ASK(w, tact_pair_tracker_update(tracker, TACT_PAIRS_AUTO, &w->options, &report));
        for (int change = TACT_PAIRS_BEGUN; change <= TACT_PAIRS_CURRENT; ++change) {
            size_t count = 0;
            const tact_pair* pairs = tact_pair_tracker_pairs(tracker, (tact_pair_change)change, &count);
            put_number(w, count);
            put(w, pairs, count * sizeof *pairs);
        }
        fill_boxes(&r, boxes, 10);
        TRY(w, tact_volumes_move_aabbs(set, NULL, boxes, 10));
    }
    const size_t before = w->size;
    for (;;) {
        const tact_query_options cpu = {.backend = TACT_BACKEND_CPU, .threads = w->options.threads};
        w->size = before;
        result = call_pairs_each(set, NULL, TACT_PAIRS_AUTO, 0, receive_pairs, w, &each, &cpu, NULL);
        if (result >= TACT_OK || !once_more(w, result, "tact_pairs_each", true)) break;
    }
out:
    tact_pair_tracker_destroy(tracker);
    tact_volumes_destroy(set);
    return result;
}

// Meshes

static const uint32_t box_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static void fill_box(float* positions, float half)
{
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            positions[3 * i + k] = i >> k & 1 ? half : -half;
}

// Separation, of which a row has no front

static tact_result run_front(query_world* w)
{
    enum { PLACES = 3 };
    test_random r = {w->seed};
    tact_mesh *box = NULL, *soup = NULL;
    tact_mesh_front* front = NULL;
    float corners[24], positions[9 * TRIANGLES];
    tact_mesh_distance distance;
    tact_mesh_info info;
    tact_result result;
    fill_box(corners, 0.5f);
    fill_triangles(&r, positions, TRIANGLES);
    const tact_mesh_desc box_desc = {
        .positions = corners, .vertex_count = 8, .indices = box_triangles, .triangle_count = 12};
    const tact_mesh_desc soup_desc = {
        .positions = positions, .vertex_count = 3 * TRIANGLES, .triangle_count = TRIANGLES};
    TRY(w, tact_mesh_create(w->context, &box_desc, &box));
    TRY(w, tact_mesh_create(w->context, &soup_desc, &soup));
    TRY(w, tact_mesh_front_create(box, soup, &front));
    for (int i = 0; i < PLACES; ++i) {
        const float pose[12] = {1, 0, 0, 2.5f + 0.25f * (float)i, 0, 1, 0, 0, 0, 0, 1, 0.125f * (float)i};
        TRY(w, tact_mesh_separation(box, soup, pose, INFINITY, front, &distance));
        put(w, &distance, sizeof distance);
    }
    TRY(w, tact_mesh_get_info(box, &info));
    put_number(w, info.closed);
out:
    tact_mesh_front_destroy(front);
    tact_mesh_destroy(box);
    tact_mesh_destroy(soup);
    return result;
}

// Particles

static tact_result fill_particles(query_world* w, test_random* r, tact_particles* p)
{
    enum { COUNT = 40 };
    tact_result result;
    float x[3 * COUNT], v[3 * COUNT], radii[COUNT], forces[3 * COUNT];
    uint32_t ids[COUNT];
    uint64_t user_data[COUNT];
    fill(r, x, 3 * COUNT, 3);
    fill(r, v, 3 * COUNT, 2);
    fill(r, forces, 3 * COUNT, 100);
    for (size_t i = 0; i < COUNT; ++i)
        radii[i] = 0.2f + 0.3f * test_random_unit(r);
    for (size_t i = 0; i < COUNT; ++i)
        user_data[i] = i + 1;
    const tact_collider ball = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{-1, -2, 0}, 1}, .spin = {0, 3, 0}};
    const tact_collider bottom = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, -4.5f}};
    const float corners[18] = {-4, -3, -4, 0, -2, -4, -4, -3, 4, 0, -2, -4, 0, -2, 4, -4, -3, 4};
    const float heights[6] = {0, 0.5f, 0.1f, 0.3f, -0.2f, 0.4f};
    const tact_mesh_desc mesh = {.positions = corners, .vertex_count = 6, .triangle_count = 2};
    const tact_height_field_desc field = {
        .heights = heights, .columns = 3, .rows = 2, .step_x = 1.5f, .step_z = 2.0f, .origin = {-1, 0.25f, -2}};
    const tact_emitter rain = {
        .corner = {-3, 4, -2}, .edge = {{6, 0, 0}, {1, 0, 4}}, .velocity = {0.5f, -6, 0}, .radius = 0.4f, .limit = 40};
    const tact_particle_arrays arrays = {.positions = x, .velocities = v, .radii = radii};
    TRY(w, tact_particles_add(p, &arrays, COUNT, ids));
    TRY(w, tact_particles_set_user_data(p, ids, COUNT, user_data));
    TRY(w, tact_particles_set_forces(p, forces, COUNT));
    TRY(w, tact_particles_add_collider(p, &ball, NULL));
    TRY(w, tact_particles_add_mesh(p, &mesh, NULL, 0, NULL));
    TRY(w, tact_particles_add_height_field(p, &field, NULL, 0, NULL));
    TRY(w, tact_particles_add_emitter(p, &rain, NULL));
    TRY(w, tact_particles_add_sink(p, &bottom, NULL));
    TRY(w, tact_particles_remove(p, ids + 3, 4));
out:
    return result;
}

/// What was lost with a device is done again.
static tact_result step_particles(query_world* w, tact_particles* p, uint64_t until)
{
    tact_query_report report;
    tact_particles_info info;
    tact_result result;
    for (;;) {
        TRY(w, tact_particles_get_info(p, &info));
        if (info.steps >= until) break;
        report.failures = 0;
        result = tact_particles_step(p, 2e-3f, 2, (uint32_t)(until - info.steps), &w->options, &report);
        result = returned(w, result, &report);
        if (result == TACT_OK) take_report(w, &report);
        if (result != TACT_OK && !once_more(w, result, "tact_particles_step", true)) {
            w->failed = "tact_particles_step";
            break;
        }
    }
out:
    return result;
}

/// Which slot a particle has is the backend's affair, so this is a sum over the pairs of ids, whatever their order.
static void put_neighbours(query_world* w, const tact_neighbour_lists* lists)
{
    uint64_t sum = 0;
    for (size_t s = 0; s < lists->slots; ++s) {
        for (uint64_t i = lists->offsets[s]; i < lists->offsets[s + 1]; ++i) {
            test_random pair = {((uint64_t)lists->ids[s] << 32) + lists->ids[lists->neighbours[i]]};
            sum += test_random_bits(&pair);
        }
    }
    put_number(w, lists->offsets[lists->slots]);
    put_number(w, sum);
}

/// What a device cannot tell, since it has lost the state, is told by steps done again.
static tact_result tell_particles(query_world* w, tact_particles* p, uint64_t steps)
{
    enum { ROOM = 300, MOST = 128 };
    tact_query_report report;
    tact_result result;
    float x[3 * MOST], v[3 * MOST];
    uint32_t ids[MOST];
    uint64_t user_data[MOST];
    const tact_particle_output output = {.ids = ids, .positions = x, .velocities = v};
    tact_particle_contact contacts[ROOM];
    tact_neighbour_lists lists = {0};
    size_t count = 0;
    do {
        PASS(w, step_particles(w, p, steps));
        result = tact_particles_contacts(p, contacts, ROOM, &count, &w->options, &report);
        result = returned(w, result, &report);
    } while (result < TACT_OK && once_more(w, result, "tact_particles_contacts", true));
    if (result < TACT_OK) goto out;
    put_number(w, count);
    put(w, contacts, (count < ROOM ? count : ROOM) * sizeof *contacts);
    do {
        PASS(w, step_particles(w, p, steps));
        result = tact_particles_neighbours(p, 0.5f, TACT_NEIGHBOURS_ALL, &lists, &w->options, &report);
        result = returned(w, result, &report);
    } while (result < TACT_OK && once_more(w, result, "tact_particles_neighbours", true));
    if (result < TACT_OK) goto out;
    put_neighbours(w, &lists);
    do {
        PASS(w, step_particles(w, p, steps));
        result = tact_particles_read(p, &output);
    } while (result < TACT_OK && once_more(w, result, "tact_particles_read", true));
    if (result < TACT_OK) goto out;
    const size_t n = tact_particles_count(p);
    // Not part of the answer, so it is not put: what an id has is its own or, when it came in later, none.
    TRY(w, tact_particles_get_user_data(p, ids, 0, n, user_data));
    for (size_t i = 0; i < n; ++i)
        if (user_data[i] != 0 && user_data[i] != ids[i] + 1) abort();
    put_number(w, n);
    put(w, ids, n * sizeof *ids);
    put(w, x, 3 * n * sizeof *x);
    put(w, v, 3 * n * sizeof *v);
out:
    return result;
}

/// Adds clumps of spheres packed into a mesh, takes one out, and writes another.
static tact_result fill_clumps(query_world* w, test_random* r, tact_particles* p)
{
    enum { CLUMPS = 4, SPHERES = 3 };
    static const tact_vec3 corners[4] = {{0, 0, 0}, {1.2f, 0, 0}, {0, 1.1f, 0}, {0, 0, 1.3f}};
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const tact_mesh_view mesh = {corners, 4, faces, 4};
    float spheres[3 * SPHERES], radii[SPHERES], x[3 * CLUMPS], v[3 * CLUMPS], spins[3 * CLUMPS];
    uint32_t ids[CLUMPS];
    tact_clump_packing packing;
    tact_result result;
    fill(r, x, 3 * CLUMPS, 3);
    fill(r, v, 3 * CLUMPS, 2);
    fill(r, spins, 3 * CLUMPS, 9);
    TRY(w, tact_clump_pack(w->context, &mesh, SPHERES, 12, spheres, radii, &packing));
    const float center[3] = {(float)packing.center[0], (float)packing.center[1], (float)packing.center[2]};
    const tact_clump_shape shape = {.positions = spheres, .radii = radii, .count = packing.count, .center = center};
    const tact_clump_arrays arrays = {.positions = x, .velocities = v, .spins = spins};
    TRY(w, tact_particles_add_clumps(p, &shape, &arrays, CLUMPS, ids));
    TRY(w, tact_particles_remove_clumps(p, ids + 1, 1));
    TRY(w, tact_particles_write_clumps(p, ids + 2, 1, &(tact_clump_arrays){.velocities = spins}));
out:
    return result;
}

static tact_result put_clumps(query_world* w, tact_particles* p, uint64_t steps)
{
    enum { MOST = 4 };
    float x[3 * MOST], v[3 * MOST], spins[3 * MOST], turns[4 * MOST];
    const tact_clump_output output = {.positions = x, .velocities = v, .spins = spins, .orientations = turns};
    tact_result result;
    do {
        PASS(w, step_particles(w, p, steps));
        result = tact_particles_read_clumps(p, &output);
    } while (result < TACT_OK && once_more(w, result, "tact_particles_read_clumps", true));
    if (result < TACT_OK) goto out;
    const size_t n = tact_particles_clump_count(p);
    put_number(w, n);
    put(w, x, 3 * n * sizeof *x);
    put(w, v, 3 * n * sizeof *v);
    put(w, spins, 3 * n * sizeof *spins);
    put(w, turns, 4 * n * sizeof *turns);
out:
    return result;
}

static tact_result run_particles(query_world* w, tact_particle_response response, bool clumps)
{
    tact_particles *p = NULL, *restored = NULL;
    uint8_t* saved = NULL;
    size_t size = 0;
    test_random r = {w->seed};
    const tact_particles_desc desc = {.response = response,
                                      .boundary = {TACT_BOUNDARY_PERIODIC, TACT_BOUNDARY_WALL, TACT_BOUNDARY_OPEN},
                                      .domain = {{-5, -5, -5}, {5, 5, 5}},
                                      .gravity = {0, -9.81f, 0}};
    tact_result result;
    TRY(w, tact_particles_create(w->context, &desc, &p));
    PASS(w, fill_particles(w, &r, p));
    if (clumps) PASS(w, fill_clumps(w, &r, p));
    PASS(w, tell_particles(w, p, 4));
    TRY(w, tact_particles_set_gravity(p, (tact_vec3){0, 9, 1}));
    PASS(w, tell_particles(w, p, 7));
    if (clumps) PASS(w, put_clumps(w, p, 7));
    TRY(w, tact_particles_save(p, NULL, 0, &size));
    saved = malloc(size);
    if (!saved) abort();
    TRY(w, tact_particles_save(p, saved, size, &size));
    TRY(w, tact_particles_restore(w->context, saved, size, TACT_BACKEND_AUTO, &restored));
    PASS(w, tell_particles(w, restored, 9));
out:
    tact_particles_destroy(p);
    tact_particles_destroy(restored);
    free(saved);
    return result;
}

static tact_result run_springs(query_world* w)
{
    return run_particles(w, TACT_RESPONSE_SPRING, false);
}

static tact_result run_positions(query_world* w)
{
    return run_particles(w, TACT_RESPONSE_POSITION, false);
}

static tact_result run_grains(query_world* w)
{
    return run_particles(w, TACT_RESPONSE_GRAINS, false);
}

static tact_result run_clumps(query_world* w)
{
    return run_particles(w, TACT_RESPONSE_GRAINS, true);
}

// clang-format off
#define ROW(kind, name) {#name, run_##name, .row = &tact_query_##name},

const every_query every_queries[] = {
    TACT_QUERIES(ROW)
    {"pick by drawing", run_pick_raster, .gl_only = true, .instead = run_pick_instead},
    {"image by stencil", run_image_stencil, .gl_only = true},
    {"rays submitted", run_raycast_submit, .row = NULL},
    {"pairs of changing sets", run_pairs_changed, .row = NULL},
    {"pair tracker", run_tracker, .row = NULL},
    {"separation with a front", run_front, .host = true, .no_query = true},
    // Apart: a launch fails at each place of a run, so both in one run take twice as long.
    {"particles by springs", run_springs, .row = NULL},
    {"particles by positions", run_positions, .row = NULL},
    {"grains", run_grains, .row = NULL},
    {"clumps", run_clumps, .row = NULL},
    {"geometry", every_query_geometry, .host = true, .no_query = true},
    {"indices", every_query_indices, .host = true, .no_query = true},
};
// clang-format on
const size_t every_query_count = sizeof every_queries / sizeof *every_queries;

bool every_query_runs_on(const every_query* q, tact_backend backend)
{
    const bool host = !tact_backend_is_device(backend);
    if (q->gl_only) return backend == TACT_BACKEND_GL;
    if (q->host || !q->row) return host || !q->host;
    // What is drawn to a target is answered later: tests of its own lose the device.
    if (q->row->only != TACT_BACKEND_AUTO) return q->row->only == TACT_BACKEND_CPU && host;
    for (size_t i = 0; i < q->row->backend_count; ++i)
        if (q->row->backends[i].backend == backend) return true;
    return q->row->backend_count == 0;
}

tact_result every_query_run(const every_query* q, query_world* w)
{
    w->failed = NULL;
    w->failures = 0;
    w->reason[0] = 0;
    w->size = 0;
    w->part_count = 0;
    return q->run(w);
}
