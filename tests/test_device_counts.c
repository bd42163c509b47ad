// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "core/queries.h"
#include "core/query/sample.h"
#include "tact/bodies.h"
#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"
#include "tests/support/test_context.h"

// What a call takes of a device once it was made before: how often the host waits, and how many buffers are made. The
// table is what each query may take at most. With TACT_PRINT_COUNTS=1 the test prints what each takes, as in
// docs/gpu.md.

enum { GL, CL, DEVICES };

typedef struct bar {
    const char *query, *method;  ///< those of the sample work
    unsigned waits[DEVICES];
} bar;

// The overlap of meshes looks after every step where the device is software (gpu/overlap/walk.c).
static const bar bars[] = {
    {"casting rays", "closest", {1, 1}},
    {"casting rays", "any", {1, 1}},
    {"casting rays", "count", {1, 1}},
    {"casting rays for all hits", NULL, {3, 3}},
    {"finding closest points", NULL, {1, 1}},
    {"casting spheres", NULL, {1, 1}},
    {"culling a scene", "ids", {1, 1}},
    {"culling a scene", "classes", {1, 1}},
    {"culling", NULL, {1, 1}},
    {"finding pairs", NULL, {2, 2}},
    {"finding pairs", "grid", {2, 2}},
    {"finding pairs", "bvh", {2, 2}},
    {"overlap of meshes", "relations", {350, 350}},
    {"overlap of meshes", "solid", {350, 350}},
    {"overlap of meshes", "pairs", {40, 40}},
    {"filtering objects", "plain", {1, 1}},
    {"filtering objects", "images", {8, 8}},
    {"moving particles", NULL, {1, 1}},  // that of tact_particles_wait(), which the sample's answer is
    {"finding contacts", NULL, {2, 2}},
    {"finding neighbours", NULL, {2, 2}},
    {"tests in images", "convex", {1, 0}},
    {"tests in images", "concave", {1, 1}},
    {"tests in images", "concave drawn", {1, 0}},
    {"locating points", NULL, {1, 1}},
    {"contacts of bodies", NULL, {2, 2}},
    {"casts of bodies", NULL, {1, 1}},
    {"distances of bodies", NULL, {2, 2}},
    {"closest bodies", NULL, {2, 2}},
    {"finding nearest points", NULL, {1, 1}},
    {"finding points within distances", NULL, {2, 2}},
};

static const bar* bar_of(const tact_query* query, const tact_query_sample* of)
{
    for (size_t i = 0; i < sizeof bars / sizeof *bars; ++i) {
        const char* method = bars[i].method;
        if (strcmp(bars[i].query, query->name) != 0 || !method != !of->method) continue;
        if (!method || strcmp(method, of->method) == 0) return &bars[i];
    }
    fail_msg("no bar for %s/%s", query->name, of->method ? of->method : "");
    return NULL;
}

static tact_device_counts difference(const tact_device_counts* now, const tact_device_counts* before)
{
    return (tact_device_counts){.launches = now->launches - before->launches,
                                .waits = now->waits - before->waits,
                                .bytes_up = now->bytes_up - before->bytes_up,
                                .bytes_down = now->bytes_down - before->bytes_down,
                                .allocations = now->allocations - before->allocations};
}

static const tact_device_info* device_of(tact_backend backend)
{
    return tact_context_describe(context, (uint32_t)tact_context_find(context, backend));
}

/// What the `number`-th call of a sample takes. Returns false where the device does not answer it.
static bool count_call_with(const tact_query* query, const tact_query_sample* of, size_t size, tact_backend backend,
                            int number, uint32_t parameter, tact_device_counts* taken)
{
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    tact_device_counts before = {0};
    tact_sample* sample;
    assert_int_equal(tact_sample_create(context, query, of, size, 1, &sample), TACT_OK);
    if (parameter) sample->request.parameters[0] = parameter;
    tact_result result = TACT_OK;
    for (int i = 0; i < number && result >= TACT_OK; ++i) {
        assert_int_equal(tact_context_device_counts(context, backend, &before), TACT_OK);
        result = tact_sample_ask(sample, &options, NULL);
        assert_int_equal(tact_context_device_counts(context, backend, taken), TACT_OK);
    }
    tact_sample_destroy(sample);
    if (result == TACT_ERROR_UNSUPPORTED) return false;
    assert_true(result >= TACT_OK);
    *taken = difference(taken, &before);
    return true;
}

static bool count_call(const tact_query* query, const tact_query_sample* of, size_t size, tact_backend backend,
                       int number, tact_device_counts* taken)
{
    return count_call_with(query, of, size, backend, number, 0, taken);
}

static void print(const tact_query* query, const tact_query_sample* of, size_t size, tact_backend backend,
                  const tact_device_counts* c)
{
    printf("| %s%s%s | %zu | %s | %llu | %llu | %llu | %llu | %llu |\n", query->name, of->method ? ", " : "",
           of->method ? of->method : "", size, tact_backend_name(backend), (unsigned long long)c->launches,
           (unsigned long long)c->waits, (unsigned long long)c->bytes_up, (unsigned long long)c->bytes_down,
           (unsigned long long)c->allocations);
}

/// The largest size that does not take long on a device that is software.
static size_t size_of(const tact_query* query, const tact_query_sample* of)
{
    const size_t most = query->kind == TACT_RECORDED_IMAGE ? 64 : 4096;
    size_t size = of->smallest;
    while (size * 16 <= of->largest && size * 16 <= most)
        size *= 16;
    return size;
}

static bool print_counts(void)
{
    const char* asked = getenv("TACT_PRINT_COUNTS");
    return asked && strcmp(asked, "0") != 0;
}

TEST(no_call_takes_more_of_a_device_than_its_bar)
{
    const bool prints = print_counts();
    size_t counted = 0, beyond = 0;
    if (prints) printf("| query | size | on | launches | waits | bytes up | bytes down | allocations |\n");
    for (size_t i = 0; i < tact_query_sample_count(); ++i) {
        const tact_query* query;
        const tact_query_sample* of = tact_query_sample_of(i, &query);
        if (of->regret_only) continue;
        const bar* b = bar_of(query, of);
        for (int d = 0; d < DEVICES; ++d) {
            const tact_backend backend = d == GL ? TACT_BACKEND_GL : TACT_BACKEND_CL;
            tact_device_counts c;
            // The sample without images leaves the choice to the device.
            const bool plain = query == &tact_query_filter && strcmp(of->method, "plain") == 0;
            if (device_missing(context, backend) ||
                !count_call_with(query, of, size_of(query, of), backend, 3, plain ? TACT_FILTER_IMAGES_NEVER : 0, &c))
                continue;
            ++counted;
            if (prints) print(query, of, size_of(query, of), backend, &c);
            if (c.waits <= b->waits[d] && c.allocations == 0 && c.launches > 0) continue;
            print_error("%s/%s on %s: %u waits (at most %u), %u allocations, %u launches\n", query->name,
                        of->method ? of->method : "", tact_backend_name(backend), (unsigned)c.waits, b->waits[d],
                        (unsigned)c.allocations, (unsigned)c.launches);
            ++beyond;
        }
    }
    assert_int_equal(beyond, 0);
    if (counted == 0) skip_because("the devices are missing");
}

TEST(what_a_cast_moves_is_counted)
{
    const tact_query* query;
    const tact_query_sample* of = tact_query_sample_of(0, &query);
    assert_string_equal(query->name, "casting rays");
    size_t counted = 0;
    for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
        tact_device_counts first, second;
        if (device_missing(context, (tact_backend)backend)) continue;
        enum { RAYS = 1000 };
        assert_true(count_call(query, of, RAYS, (tact_backend)backend, 1, &first));
        assert_true(count_call(query, of, RAYS, (tact_backend)backend, 2, &second));
        ++counted;
        // The scene goes up once; rays and hits each time, and how many rays were left unfinished.
        assert_int_equal(second.bytes_up, RAYS * sizeof(tact_ray));
        assert_int_equal(second.bytes_down, RAYS * sizeof(tact_hit) + 4);
        assert_true(first.bytes_up > second.bytes_up + 1000 && first.allocations > 5);
        assert_int_equal(second.launches, 1);
    }
    if (counted == 0) skip_because("the devices are missing");
}

/// What `device` was given since `before`, which then is now.
static tact_device_counts since(tact_backend device, tact_device_counts* before)
{
    tact_device_counts now;
    assert_int_equal(tact_context_device_counts(context, device, &now), TACT_OK);
    const tact_device_counts taken = difference(&now, before);
    *before = now;
    return taken;
}

enum { SIDE = 40, VERTICES = SIDE * SIDE, TRIANGLES = (SIDE - 1) * (SIDE - 1) * 2 };

/// Of a tree that is built or fitted: what was counted, what it costs, its bounds. It stays there.
enum { FACT_BYTES = 5200 };

/// A hilly square.
static void make_hills(float height, float positions[VERTICES][3], uint32_t triangles[TRIANGLES][3])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < VERTICES; ++i) {
        positions[i][0] = (float)(i % SIDE);
        positions[i][1] = (float)(i / SIDE);
        positions[i][2] = height * (float)(i * 7 % 5);
    }
    for (uint32_t y = 0; y + 1 < SIDE; ++y)
        for (uint32_t x = 0; x + 1 < SIDE; ++x) {
            const uint32_t a = y * SIDE + x;
            const uint32_t two[2][3] = {{a, a + 1, a + SIDE}, {a + 1, a + SIDE + 1, a + SIDE}};
            memcpy(triangles[count], two, sizeof two);
            count += 2;
        }
    assert_int_equal(count, TRIANGLES);
}

/// A scene of one mesh, which is built again and again.
static void build_again(tact_backend device, tact_mesh_quality quality)
{
    static float positions[VERTICES][3];
    static uint32_t triangles[TRIANGLES][3];
    tact_device_counts at = {0};
    make_hills(0.25f, positions, triangles);
    const tact_mesh_desc mesh = {
        .positions = positions[0], .vertex_count = VERTICES, .indices = triangles[0], .triangle_count = TRIANGLES};
    tact_scene* scene = new_scene(context);
    const uint32_t id = put_mesh(scene, &mesh);
    put_instance(scene, id, NULL);
    assert_int_equal(tact_scene_set_quality(scene, id, quality), TACT_OK);
    assert_int_equal(tact_scene_build_on(scene, device), TACT_OK);
    for (int frame = 0; frame < 3; ++frame) {
        if (frame > 0) {
            make_hills(0.25f + 0.01f * (float)frame, positions, triangles);
            assert_int_equal(tact_scene_update_mesh(scene, id, positions[0], 0, TACT_UPDATE_REBUILD), TACT_OK);
        }
        since(device, &at);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        const tact_device_counts c = since(device, &at);
        assert_true(c.launches > 0);
        if (print_counts())
            print_message("tree of %d triangles, frame %d on %s: %u launches, %u waits, %u up, %u down, %u made\n",
                          (int)TRIANGLES, frame, tact_backend_name(device), (unsigned)c.launches, (unsigned)c.waits,
                          (unsigned)c.bytes_up, (unsigned)c.bytes_down, (unsigned)c.allocations);
        // Before the first tree nothing is known of its size. Where OpenCL is software writing vertices and triangles
        // waits for the copy of the tree before.
        const bool waits = device == TACT_BACKEND_CL && device_of(device)->software;
        assert_true(c.waits <= (waits ? 2u : 0u) + (frame == 0 ? 2u : 1u));
        if (frame == 0) continue;
        assert_int_equal(c.allocations, 0);
        // The triangles are there.
        assert_int_equal(c.bytes_up, sizeof positions);
        assert_true(c.bytes_down > 0 && c.bytes_down <= FACT_BYTES);
    }
    tact_scene_destroy(scene);
}

TEST(building_a_tree_waits_once)
{
    size_t counted = 0;
    for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
        if (device_missing(context, (tact_backend)backend)) continue;
        build_again((tact_backend)backend, TACT_MESH_MEDIUM);
        build_again((tact_backend)backend, TACT_MESH_FAST);
        ++counted;
    }
    if (counted == 0) skip_because("the devices are missing");
}

TEST(fitting_a_tree_waits_once)
{
    static float positions[VERTICES][3];
    static uint32_t triangles[TRIANGLES][3];
    size_t counted = 0;
    for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
        const tact_backend device = (tact_backend)backend;
        tact_device_counts at = {0};
        if (device_missing(context, device)) continue;
        make_hills(0.25f, positions, triangles);
        const tact_mesh_desc mesh = {
            .positions = positions[0], .vertex_count = VERTICES, .indices = triangles[0], .triangle_count = TRIANGLES};
        tact_scene* scene = new_scene(context);
        put_instance(scene, put_mesh(scene, &mesh), NULL);
        assert_int_equal(tact_scene_build_on(scene, device), TACT_OK);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        ++counted;
        for (int frame = 0; frame < 3; ++frame) {
            make_hills(0.25f + 0.01f * (float)(frame + 1), positions, triangles);
            assert_int_equal(tact_scene_update_mesh(scene, 0, positions[0], 0, TACT_UPDATE_REFIT), TACT_OK);
            since(device, &at);
            assert_int_equal(tact_scene_commit(scene), TACT_OK);
            const tact_device_counts c = since(device, &at);
            if (frame == 0) continue;
            assert_true(c.launches > 0);
            assert_int_equal(c.waits, 1);
            assert_int_equal(c.allocations, 0);
            assert_int_equal(c.bytes_up, sizeof positions);
            assert_true(c.bytes_down > 0 && c.bytes_down <= FACT_BYTES);
        }
        tact_scene_destroy(scene);
    }
    if (counted == 0) skip_because("the devices are missing");
}

TEST(what_a_device_builds_or_fits_does_not_go_up_again)
{
    enum { RAYS = 200 };
    static float positions[VERTICES][3];
    static uint32_t triangles[TRIANGLES][3];
    tact_ray rays[RAYS];
    tact_hit hits[RAYS], expected[RAYS];
    size_t counted = 0;
    for (int i = 0; i < RAYS; ++i)
        rays[i] = (tact_ray){0.19f * (float)i, 7.13f, 50, 0, 0.01f, 0, -1, 100};
    for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
        const tact_backend device = (tact_backend)backend;
        const tact_query_options options = {.backend = device, .no_fallback = true};
        const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
        tact_device_counts at = {0};
        if (device_missing(context, device)) continue;
        make_hills(0.25f, positions, triangles);
        const tact_mesh_desc mesh = {
            .positions = positions[0], .vertex_count = VERTICES, .indices = triangles[0], .triangle_count = TRIANGLES};
        tact_scene* scene = new_scene(context);
        // The second one, which is fitted, has others before and behind it.
        for (uint32_t i = 0; i < 3; ++i) {
            const float pose[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -5.0f * (float)((i + 2) % 3)};
            put_instance(scene, put_mesh(scene, &mesh), pose);
        }
        assert_int_equal(tact_scene_build_on(scene, device), TACT_OK);
        ++counted;
        for (int frame = 0; frame < 4; ++frame) {
            make_hills(0.25f + 0.1f * (float)frame, positions, triangles);
            if (frame > 0)
                assert_int_equal(tact_scene_update_mesh(scene, 1, positions[0], 0, TACT_UPDATE_REFIT), TACT_OK);
            assert_int_equal(tact_scene_commit(scene), TACT_OK);
            // What was fitted is copied after its builder is gone, too: from the host.
            if (frame == 3) assert_int_equal(tact_scene_build_on(scene, TACT_BACKEND_CPU), TACT_OK);
            since(device, &at);
            assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, hits, &options, NULL), TACT_OK);
            const tact_device_counts c = since(device, &at);
            assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, expected, &reference, NULL), TACT_OK);
            assert_memory_equal(hits, expected, sizeof hits);
            assert_int_equal(hits[50].instance, 1);
            const uint64_t one_mesh = TRIANGLES * sizeof(float[12]);
            // Rays, and the instances, whose boxes are others: built trees are there as fitted ones are.
            if (frame < 3) assert_true(c.bytes_up < sizeof rays + 2000);
            if (frame == 3) assert_true(c.bytes_up > one_mesh && c.bytes_up < 2 * one_mesh);
            if (frame > 0) assert_int_equal(c.allocations, 0);
        }
        tact_scene_destroy(scene);
    }
    if (counted == 0) skip_because("the devices are missing");
}

TEST(what_moves_makes_no_buffer)
{
    enum { RAYS = 100, MOVED = 300 };
    static float positions[VERTICES][3], poses[MOVED][12];
    static uint32_t triangles[TRIANGLES][3];
    tact_ray rays[RAYS];
    tact_hit hits[RAYS];
    tact_closest_hit near[RAYS];
    tact_closest_query points[RAYS];
    size_t counted = 0;
    for (int i = 0; i < RAYS; ++i) {
        rays[i] = (tact_ray){0.3f * (float)i, 7.1f, 50, 0, 0, 0, -1, 100};
        points[i] = (tact_closest_query){0.3f * (float)i, 7.1f, 5, 100};
    }
    for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
        const tact_backend device = (tact_backend)backend;
        const tact_query_options options = {.backend = device, .no_fallback = true};
        tact_device_counts at = {0};
        if (device_missing(context, device)) continue;
        make_hills(0.25f, positions, triangles);
        const tact_mesh_desc mesh = {
            .positions = positions[0], .vertex_count = VERTICES, .indices = triangles[0], .triangle_count = TRIANGLES};
        tact_scene* scene = new_scene(context);
        const uint32_t id = put_mesh(scene, &mesh);
        for (int i = 0; i < MOVED; ++i)
            put_instance(scene, id, NULL);
        ++counted;
        for (int frame = 0; frame < 4; ++frame) {
            for (int i = 0; i < MOVED; ++i) {
                const float pose[12] = {1, 0, 0, (float)(i % 20 * 40 + frame), 0, 1, 0, (float)(i / 20 * 40),
                                        0, 0, 1, 0.01f * (float)frame};
                memcpy(poses[i], pose, sizeof pose);
            }
            make_hills(0.25f + 0.01f * (float)frame, positions, triangles);
            assert_int_equal(tact_scene_move_instances(scene, NULL, (const float(*)[12])poses, MOVED), TACT_OK);
            if (frame % 2 == 1)
                assert_int_equal(tact_scene_update_mesh(scene, id, positions[0], 0, TACT_UPDATE_REFIT), TACT_OK);
            assert_int_equal(tact_scene_commit(scene), TACT_OK);
            since(device, &at);
            assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, hits, &options, NULL), TACT_OK);
            const tact_device_counts cast = since(device, &at);
            assert_int_equal(tact_closest_points(scene, points, RAYS, near, &options, NULL), TACT_OK);
            const tact_device_counts search = since(device, &at);
            assert_true(hits[20].t < 50.0f);
            if (frame == 0) continue;
            assert_int_equal(cast.waits, 1);
            assert_int_equal(search.waits, 1);
            assert_int_equal(cast.allocations + search.allocations, 0);
            // What was fitted on the CPU goes up, but no other mesh.
            if (frame % 2 == 1) assert_true(cast.bytes_up > TRIANGLES * 48);
            // Where only instances move, neither nodes nor triangles go up.
            if (frame % 2 == 0) assert_true(cast.bytes_up < RAYS * sizeof(tact_ray) + MOVED * 256);
        }
        tact_scene_destroy(scene);
    }
    if (counted == 0) skip_because("the devices are missing");
}

TEST(a_submitted_cast_waits_once)
{
    enum { RAYS = 500 };
    static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const tact_mesh_desc mesh = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    tact_ray rays[RAYS];
    tact_hit hits[RAYS];
    size_t counted = 0;
    for (int i = 0; i < RAYS; ++i)
        rays[i] = (tact_ray){0.25f, 0.001f * (float)i, 2, 0, 0, 0, -1, 10};
    for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
        const tact_backend device = (tact_backend)backend;
        tact_device_counts at = {0};
        if (device_missing(context, device)) continue;
        tact_scene* scene = new_scene(context);
        put_instance(scene, put_mesh(scene, &mesh), NULL);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        ++counted;
        for (int cast = 0; cast < 3; ++cast) {
            const tact_raycast_work work = {.rays = rays, .hits = hits, .count = RAYS};
            const tact_query_options options = {.backend = device, .no_fallback = true};
            tact_ticket ticket;
            since(device, &at);
            assert_int_equal(call_submit(scene, &work, &options, &ticket), TACT_OK);
            if (cast > 0) assert_int_equal(since(device, &at).waits, 0);
            assert_int_equal(tact_wait(context, ticket, NULL), TACT_OK);
            if (cast > 0) assert_int_equal(since(device, &at).waits, 1);
            assert_true(hits[0].t == 2.0f);
        }
        tact_scene_destroy(scene);
    }
    if (counted == 0) skip_because("the devices are missing");
}

/// More substeps than lie between two looks at where the particles are.
static void step_without_waiting(tact_particle_response response, tact_backend backend)
{
    enum { N = 200, CALLS = 300 };
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    const tact_particles_desc desc = {.response = response, .gravity = {0, 0, -9.81f}};
    static float positions[3 * N], radii[N];
    for (size_t i = 0; i < N; ++i) {
        radii[i] = 0.5f;
        for (size_t k = 0; k < 3; ++k)
            positions[3 * i + k] = 0.98f * (float)(k == 0 ? i % 6 : k == 1 ? i / 6 % 6 : i / 36);
    }
    const tact_particle_arrays arrays = {.positions = positions, .radii = radii};
    tact_particles* p = KEEP(new_particles(context, &desc));
    assert_int_equal(tact_particles_add(p, &arrays, N, NULL), TACT_OK);
    tact_device_counts at = {0};
    uint64_t waits = 0;
    for (int i = 0; i <= CALLS; ++i) {
        since(backend, &at);
        assert_int_equal(tact_particles_step(p, 1e-4f, 1, 1, &options, NULL), TACT_OK);
        if (i > 0) waits += since(backend, &at).waits;
        // What was looked at has then come.
        assert_int_equal(tact_particles_wait(p), TACT_OK);
    }
    assert_int_equal(waits, 0);
}

TEST(steps_of_particles_wait_for_nothing)
{
    size_t stepped = 0;
    for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
        if (device_missing(context, (tact_backend)backend)) continue;
        step_without_waiting(TACT_RESPONSE_SPRING, (tact_backend)backend);
        step_without_waiting(TACT_RESPONSE_POSITION, (tact_backend)backend);
        step_without_waiting(TACT_RESPONSE_NONE, (tact_backend)backend);
        ++stepped;
    }
    if (stepped == 0) skip_because("the devices are missing");
}

TEST(devices_that_are_not_open_have_counted_nothing)
{
    static const tact_device_counts none;
    tact_device_counts c;
    const tact_context_desc desc = {.log = quiet};
    tact_context* own = KEEP(new_context(&desc));
    for (int backend = TACT_BACKEND_CPU; backend < TACT_BACKEND_COUNT; ++backend) {
        memset(&c, 1, sizeof c);
        assert_int_equal(tact_context_device_counts(own, (tact_backend)backend, &c), TACT_OK);
        assert_memory_equal(&c, &none, sizeof c);
    }
    assert_int_equal(tact_context_device_counts(own, TACT_BACKEND_AUTO, &c), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_context_device_counts(own, TACT_BACKEND_COUNT, &c), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_context_device_counts(own, TACT_BACKEND_CPU, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_context_device_counts(NULL, TACT_BACKEND_CPU, &c), TACT_ERROR_INVALID_ARGUMENT);
}

/// Boxes in a heap, that all move: pairs, their parts and contacts stay on the device. It is waited for when pairs are
/// counted, when their parts are, and for what touches.
static void expect_contacts_to_stay(tact_backend device, bool with_parts)
{
    enum { BODIES = 3000, EDGE = 15 };
    tact_bodies* set;
    uint32_t shape;
    const tact_body_shape box = {.kind = TACT_BODY_BOX, .half = {0.5f, 0.5f, 0.5f}}, ball = {.radius = 0.55f};
    const tact_body_part part = {.shape = 0};
    const tact_body_shape two = {.kind = TACT_BODY_COMPOUND, .parts = &part, .part_count = 1};
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    assert_int_equal(tact_bodies_add_shape(set, &box, &shape), TACT_OK);
    assert_int_equal(tact_bodies_add_shape(set, &ball, &shape), TACT_OK);
    if (with_parts) assert_int_equal(tact_bodies_add_shape(set, &two, &shape), TACT_OK);
    for (uint32_t i = 0; i < BODIES; ++i) {
        const tact_body body = {
            .shape = i % (shape + 1),
            .pose = {.x = i % EDGE * 1.05, .y = i / EDGE % EDGE * 0.98, .z = (double)(i / (EDGE * EDGE)) * 1.05}};
        assert_int_equal(tact_bodies_add(set, &body, 1, NULL), TACT_OK);
    }
    const tact_query_options options = {.backend = device, .no_fallback = true};
    tact_device_counts at = {0};
    for (int frame = 0; frame < 4; ++frame) {
        for (uint32_t i = 0; i < BODIES; ++i) {
            tact_body body;
            assert_int_equal(tact_bodies_get(set, i, &body), TACT_OK);
            body.pose.x += 1e-3 * (i % 3);
            assert_int_equal(tact_bodies_move(set, &i, &body.pose, 1), TACT_OK);
        }
        size_t count;
        since(device, &at);
        assert_int_equal(tact_contacts_find(set, &(tact_contacts_work){.count = &count}, &options, NULL), TACT_OK);
        const tact_device_counts c = since(device, &at);
        if (print_counts())
            print_message("%zu contacts%s on %s: %u launches, %u waits, %u up, %u down, %u made\n", count,
                          with_parts ? " of parts" : "", tact_backend_name(device), (unsigned)c.launches,
                          (unsigned)c.waits, (unsigned)c.bytes_up, (unsigned)c.bytes_down, (unsigned)c.allocations);
        if (frame < 2) continue;
        // An eighth more is read than there was the last time, and two counts.
        // Software waits for each of the two ranges, and OpenCL there for what was given before a write.
        const uint32_t more = device == TACT_BACKEND_CL ? 2 : 1;
        const uint32_t waits = (with_parts ? 3 : 2) + (device_of(device)->software ? more : 0);
        assert_true(count > BODIES && c.waits <= waits);
        assert_int_equal(c.allocations, 0);
        assert_int_equal(c.bytes_up, BODIES * (64 + sizeof(tact_aabb)));
        assert_true(c.bytes_down < (count + count / 7 + 80) * sizeof(tact_contact) + BODIES * 16);
    }
    tact_bodies_destroy(set);
}

TEST(contacts_stay_until_they_are_read)
{
    size_t counted = 0;
    for (int backend = TACT_BACKEND_GL; backend <= TACT_BACKEND_CL; ++backend) {
        if (device_missing(context, (tact_backend)backend)) continue;
        expect_contacts_to_stay((tact_backend)backend, false);
        expect_contacts_to_stay((tact_backend)backend, true);
        ++counted;
    }
    if (counted == 0) skip_because("the devices are missing");
}

#include TEST_LIST
RUN_ALL(open_context, close_context)
