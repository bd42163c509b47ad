// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles among meshes and height fields: none gets through, however fast; they slide, rest and bounce as formulas
// say. With a number as argument the attacks on meshes take that many steps (`10000`: the long run).
#include "tests/support/run.h"

#include "apps/inputs/mesh_file.h"
#include "apps/inputs/scenes.h"
#include "tact/particle_bodies.h"
#include "tact/raycast.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"
#include "tests/support/test_context.h"

enum { COUNT = 200 };

static uint32_t attack_steps;

#define GOOD(call)                                                                    \
    do {                                                                              \
        const tact_result good_result = (call);                                       \
        if (good_result != TACT_OK) print_error("%s\n", tact_context_error(context)); \
        assert_int_equal(good_result, TACT_OK);                                       \
    } while (0)

static const tact_query_options on_cpu = {.backend = TACT_BACKEND_CPU, .threads = 2, .no_fallback = true};

static tact_mesh_desc desc_of(const tact_model_mesh* mesh)
{
    const tact_mesh_desc d = {.positions = mesh->positions,
                              .vertex_count = mesh->vertex_count,
                              .indices = mesh->indices,
                              .triangle_count = mesh->triangle_count};
    return d;
}

static void scale_mesh(tact_model_mesh* mesh, float x, float y, float z)
{
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        mesh->positions[3 * i] *= x;
        mesh->positions[3 * i + 1] *= y;
        mesh->positions[3 * i + 2] *= z;
    }
}

// ---- Nothing is passed through ----

/// An attack on a body that stays where it is.
typedef struct attack {
    const char* name;
    tact_model_mesh mesh;  ///< also what is passed through or not, if it is a height field that is attacked
    const tact_height_field_desc* field;
    tact_vec3 lower, upper;  ///< walls
    tact_particle_response response;
    float radius;
    float radii;  ///< that a particle may move in a step
    float stiffness;
    float inward;  ///< force towards the origin along each axis
} attack;

static tact_scene* scene_of(const tact_model_mesh* mesh)
{
    tact_scene* scene = NULL;
    uint32_t id = 0;
    const tact_mesh_desc desc = desc_of(mesh);
    GOOD(tact_scene_create(context, &scene));
    GOOD(tact_scene_add_mesh(scene, &desc, &id));
    GOOD(tact_scene_add_instance(scene, id, NULL, &id));
    GOOD(tact_scene_commit(scene));
    return scene;
}

static const float dt = 0.01f;

static tact_particles* attacked(const attack* a)
{
    const tact_particle_material material = {a->stiffness, 0.9f, 0.2f, 0.2f};
    const tact_particles_desc desc = {.response = a->response,
                                      .boundary = {TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL},
                                      .domain = {a->lower, a->upper},
                                      .speed_limit = a->radii * a->radius / dt,
                                      .max_radius = a->radius,
                                      .materials = &material,
                                      .material_count = 1};
    tact_particles* particles = NULL;
    GOOD(tact_particles_create(context, &desc, &particles));
    if (a->field) {
        GOOD(tact_particles_add_height_field(particles, a->field, NULL, 0, NULL));
    } else {
        const tact_mesh_desc mesh = desc_of(&a->mesh);
        GOOD(tact_particles_add_mesh(particles, &mesh, NULL, 0, NULL));
    }
    return particles;
}

static void random_places(test_random* r, const attack* a, float* places, size_t count)
{
    const float* lower = &a->lower.x;
    const float* upper = &a->upper.x;
    for (size_t i = 0; i < 3 * count; ++i)
        places[i] = lower[i % 3] + (upper[i % 3] - lower[i % 3]) * test_random_unit(r);
}

static void random_speeds(test_random* r, float speed, float* velocities, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        float* v = velocities + 3 * i;
        float length = 0.0f;
        while (!(length > 0.1f && length <= 1.0f)) {
            for (int k = 0; k < 3; ++k)
                v[k] = test_random_signed(r);
            length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        }
        for (int k = 0; k < 3; ++k)
            v[k] *= speed / length;
    }
}

static void push_inward(const attack* a, tact_particles* particles, const float* places, size_t count)
{
    static float forces[3 * COUNT];
    for (size_t i = 0; i < 3 * count; ++i)
        forces[i] = places[i] > 0.0f ? -a->inward : a->inward;
    GOOD(tact_particles_set_forces(particles, forces, count));
}

static void check_ways(const attack* a, tact_scene* scene, uint32_t step, const float* from, const float* to)
{
    static tact_ray rays[COUNT];
    static tact_hit hits[COUNT];
    for (size_t i = 0; i < COUNT; ++i) {
        const float *f = from + 3 * i, *t = to + 3 * i;
        rays[i] = (tact_ray){f[0], f[1], f[2], 0.0f, t[0] - f[0], t[1] - f[1], t[2] - f[2], 1.0f};
    }
    GOOD(tact_raycast(scene, TACT_RAY_CLOSEST, rays, COUNT, hits, &on_cpu, NULL));
    for (size_t i = 0; i < COUNT; ++i) {
        if (hits[i].instance == TACT_NONE) continue;
        fail_msg("%s: in step %u particle %zu went from %a %a %a to %a %a %a, through triangle %u", a->name,
                 (unsigned)step, i, (double)from[3 * i], (double)from[3 * i + 1], (double)from[3 * i + 2],
                 (double)to[3 * i], (double)to[3 * i + 1], (double)to[3 * i + 2], (unsigned)hits[i].primitive);
    }
}

/// The way of every centre in every step is a straight line; none may cut the mesh, by the library's own ray caster.
static void run_attack(const attack* a, uint64_t seed)
{
    static float from[3 * COUNT], to[3 * COUNT], velocities[3 * COUNT];
    test_random r = test_random_seeded(seed);
    tact_scene* scene = KEEP(scene_of(&a->mesh));
    tact_particles* particles = KEEP(attacked(a));
    random_places(&r, a, from, COUNT);
    const tact_particle_arrays arrays = {.positions = from, .radius = a->radius, .density = 1.0f};
    GOOD(tact_particles_add(particles, &arrays, COUNT, NULL));
    const tact_particle_output out = {.positions = to, .velocities = velocities};
    for (uint32_t step = 0; step < attack_steps; ++step) {
        if (step % 16 == 0) {
            random_speeds(&r, a->radii * a->radius / dt, velocities, COUNT);
            GOOD(tact_particles_write(particles, NULL, COUNT, NULL, velocities));
        }
        if (a->inward > 0.0f && step % 64 == 0) push_inward(a, particles, from, COUNT);
        GOOD(tact_particles_step(particles, dt, 1, 1, &on_cpu, NULL));
        GOOD(tact_particles_read(particles, &out));
        check_ways(a, scene, step, from, to);
        memcpy(from, to, sizeof from);
    }
    tact_particles_info info;
    GOOD(tact_particles_get_info(particles, &info));
    print_message("%s: %u steps of %d particles, %llu ways cut short, none passed through\n", a->name,
                  (unsigned)attack_steps, (int)COUNT, (unsigned long long)info.stopped);
    assert_true(info.stopped > attack_steps);
}

/// With every response, at the default limit of speed and far beyond.
static void run_attacks(attack* a, uint64_t seed)
{
    const tact_particle_response responses[] = {TACT_RESPONSE_SPRING, TACT_RESPONSE_POSITION};
    char name[96];
    const char* own = a->name;
    for (int i = 0; i < 4; ++i) {
        a->response = responses[i % 2];
        a->radii = i < 2 ? 8.0f : 100.0f;
        snprintf(name, sizeof name, "%s, %s, %g radii a step", own, i % 2 ? "position" : "spring", (double)a->radii);
        a->name = name;
        run_attack(a, seed + (uint64_t)i);
    }
    a->name = own;
}

TEST(test_none_passes_through_a_sphere)
{
    tact_problem problem = {0};
    attack a = {.name = "sphere",
                .lower = {-14, -14, -14},
                .upper = {14, 14, 14},
                .radius = 0.5f,
                .stiffness = 100.0f,
                .inward = 300.0f};
    assert_true(tact_mesh_icosphere(3, &a.mesh, &problem));
    scale_mesh(&a.mesh, 9.0f, 9.0f, 9.0f);
    run_attacks(&a, 1);
    tact_model_mesh_free(&a.mesh);
}

/// Particles in a closed mesh that are thrown at it again and again stay inside, whatever limit of speed the caller
/// sets.
static void stay_inside(const tact_model_mesh* mesh, float inner, tact_particle_response response, float radii)
{
    static float places[3 * COUNT], velocities[3 * COUNT];
    const float radius = 1e-3f;
    test_random r = test_random_seeded((uint64_t)radii + (uint64_t)response);
    const tact_particle_material material = {4e-7f, 0.9f, 0.2f, 0.2f};
    const tact_particles_desc desc = {.response = response,
                                      .speed_limit = radii * radius / dt,
                                      .max_radius = radius,
                                      .materials = &material,
                                      .material_count = 1};
    tact_particles* particles = NULL;
    GOOD(tact_particles_create(context, &desc, &particles));
    const tact_mesh_desc body = desc_of(mesh);
    GOOD(tact_particles_add_mesh(particles, &body, NULL, 0, NULL));
    for (size_t i = 0; i < 3 * COUNT; ++i)
        places[i] = 0.5f * inner * test_random_signed(&r);
    const tact_particle_arrays arrays = {.positions = places, .radius = radius, .density = 1.0f};
    GOOD(tact_particles_add(particles, &arrays, COUNT, NULL));
    for (uint32_t step = 0; step < attack_steps; ++step) {
        random_speeds(&r, radii * radius / dt, velocities, COUNT);
        GOOD(tact_particles_write(particles, NULL, COUNT, NULL, velocities));
        GOOD(tact_particles_step(particles, dt, 1, 1, &on_cpu, NULL));
        GOOD(tact_particles_read(particles, &(tact_particle_output){.positions = places}));
        for (size_t i = 0; i < COUNT; ++i) {
            const float* p = places + 3 * i;
            if (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] <= inner * inner) continue;
            fail_msg("%g radii a step: in step %u particle %zu is at %g %g %g, outside", (double)radii, (unsigned)step,
                     i, (double)p[0], (double)p[1], (double)p[2]);
        }
    }
    tact_particles_info info;
    GOOD(tact_particles_get_info(particles, &info));
    print_message("%g radii a step: %llu ways cut short, %llu times slowed\n", (double)radii,
                  (unsigned long long)info.stopped, (unsigned long long)info.slowed);
    assert_true(info.stopped > attack_steps);
    tact_particles_destroy(particles);
}

TEST(test_none_leaves_a_closed_mesh_at_any_speed)
{
    tact_problem problem = {0};
    tact_model_mesh mesh;
    assert_true(tact_mesh_icosphere(3, &mesh, &problem));
    scale_mesh(&mesh, 5.0f, 5.0f, 5.0f);
    const float limits[] = {1e4f, 1e5f, 1e6f, 1e7f, 1e9f, 1e12f};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        stay_inside(&mesh, 5.0f, TACT_RESPONSE_SPRING, limits[i]);
        stay_inside(&mesh, 5.0f, TACT_RESPONSE_POSITION, limits[i]);
    }
    tact_model_mesh_free(&mesh);
}

TEST(test_none_passes_through_the_bunny)
{
    tact_problem problem = {0};
    attack a = {.name = "bunny", .radius = 0.05f, .stiffness = 0.1f, .inward = 0.1f};
    if (!tact_mesh_file_read("/usr/share/glmark2/models/bunny.obj", &a.mesh, &problem)) {
        skip_because("no bunny (package glmark2-data)");
    }
    float lower[3] = {1e9f, 1e9f, 1e9f}, upper[3] = {-1e9f, -1e9f, -1e9f};
    for (size_t i = 0; i < 3 * a.mesh.vertex_count; ++i) {
        lower[i % 3] = fminf(lower[i % 3], a.mesh.positions[i]);
        upper[i % 3] = fmaxf(upper[i % 3], a.mesh.positions[i]);
    }
    const float scale = 4.0f / (upper[1] - lower[1]);
    for (size_t i = 0; i < 3 * a.mesh.vertex_count; ++i)
        a.mesh.positions[i] = (a.mesh.positions[i] - 0.5f * (lower[i % 3] + upper[i % 3])) * scale;
    a.lower = (tact_vec3){-2.5f, -2.5f, -2.5f};
    a.upper = (tact_vec3){2.5f, 2.5f, 2.5f};
    run_attacks(&a, 10);
    tact_model_mesh_free(&a.mesh);
}

/// A plate through all walls, slanted, and another one across it with a wedge of six degrees between them.
TEST(test_none_passes_through_plates_that_meet)
{
    float positions[] = {-9, -3, -9, 9, 3, -9, -9, -3, 9, 9, 3, 9, -9, -4, -9, 9, 4, -9, -9, -4, 9, 9, 4, 9};
    uint32_t indices[] = {0, 1, 2, 1, 3, 2, 4, 5, 6, 5, 7, 6};
    attack a = {.name = "plates",
                .lower = {-6, -6, -6},
                .upper = {6, 6, 6},
                .radius = 0.25f,
                .stiffness = 50.0f,
                .inward = 50.0f};
    a.mesh = (tact_model_mesh){.positions = positions, .vertex_count = 8, .indices = indices, .triangle_count = 4};
    run_attacks(&a, 20);
    // Away from the origin, where coordinates are as coarse as the margins allow for.
    for (int i = 0; i < 8; ++i)
        positions[3 * i] += 16000.0f;
    a.lower.x += 16000.0f;
    a.upper.x += 16000.0f;
    a.name = "plates far away";
    run_attacks(&a, 30);
}

TEST(test_none_passes_through_terrain)
{
    tact_problem problem = {0};
    attack a = {.name = "terrain",
                .lower = {-8, -4, -8},
                .upper = {8, 6, 8},
                .radius = 0.3f,
                .stiffness = 50.0f,
                .inward = 100.0f};
    enum { SIDE = 40 };
    static float heights[(SIDE + 1) * (SIDE + 1)];
    assert_true(tact_mesh_terrain(SIDE, 3, &a.mesh, &problem));
    scale_mesh(&a.mesh, 10.0f, 4.0f, 10.0f);
    for (size_t i = 0; i < sizeof heights / sizeof *heights; ++i)
        heights[i] = a.mesh.positions[3 * i + 1];
    // The mesh of the field's own corners and triangles.
    for (size_t row = 0; row <= SIDE; ++row) {
        for (size_t column = 0; column <= SIDE; ++column) {
            float* p = a.mesh.positions + 3 * (row * (SIDE + 1) + column);
            p[0] = -10.0f + (float)column * 0.5f;
            p[2] = -10.0f + (float)row * 0.5f;
        }
    }
    for (size_t row = 0; row < SIDE; ++row) {
        for (size_t column = 0; column < SIDE; ++column) {
            const uint32_t p = (uint32_t)(row * (SIDE + 1) + column), q = p + SIDE + 1;
            const uint32_t square[6] = {p, q, p + 1, p + 1, q, q + 1};
            memcpy(a.mesh.indices + 6 * (row * SIDE + column), square, sizeof square);
        }
    }
    const tact_height_field_desc field = {.heights = heights,
                                          .columns = SIDE + 1,
                                          .rows = SIDE + 1,
                                          .step_x = 0.5f,
                                          .step_z = 0.5f,
                                          .origin = {-10.0f, 0.0f, -10.0f}};
    a.field = &field;
    run_attacks(&a, 40);
    tact_model_mesh_free(&a.mesh);
}

/// The solid angle of a mesh as seen from a point, in turns: 1 inside, 0 outside (van Oosterom, Strackee, "The solid
/// angle of a plane triangle", 1983).
static double winding(const tact_model_mesh* mesh, const double p[3])
{
    double sum = 0.0;
    for (size_t i = 0; i < mesh->triangle_count; ++i) {
        double v[3][3], l[3];
        for (int k = 0; k < 3; ++k) {
            const float* q = mesh->positions + 3 * (size_t)mesh->indices[3 * i + (size_t)k];
            for (int c = 0; c < 3; ++c)
                v[k][c] = (double)q[c] - p[c];
            l[k] = sqrt(v[k][0] * v[k][0] + v[k][1] * v[k][1] + v[k][2] * v[k][2]);
        }
        const double det = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) -
                           v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
                           v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
        double below = l[0] * l[1] * l[2];
        for (int k = 0; k < 3; ++k) {
            const int m = (k + 1) % 3, n = (k + 2) % 3;
            below += (v[m][0] * v[n][0] + v[m][1] * v[n][1] + v[m][2] * v[n][2]) * l[k];
        }
        sum += 2.0 * atan2(det, below);
    }
    return sum / (4.0 * 3.14159265358979323846);
}

/// How a sphere swings and turns: no point of it by more than two fifths of a particle's radius a step.
static tact_body_pose swung(uint32_t step)
{
    const double t = (double)step;
    const double angle = 0.006 * t, c = cos(angle), s = sin(angle);
    tact_body_pose pose = {{(float)c, 0.0f, (float)s, 0.0f, 1.0f, 0.0f, (float)-s, 0.0f, (float)c},
                           {(float)(4.0 * sin(0.02 * t)), (float)(4.0 * sin(0.013 * t)), (float)(3.0 * sin(0.011 * t))},
                           {0.0f, 0.0f, 0.0f},
                           {0.0f, (float)(0.006 / (double)dt), 0.0f}};
    return pose;
}

static bool is_within(const tact_model_mesh* mesh, const tact_body_pose* pose, const float p[3])
{
    const float* r = pose->rotation;
    const double d[3] = {(double)p[0] - (double)pose->position.x, (double)p[1] - (double)pose->position.y,
                         (double)p[2] - (double)pose->position.z};
    double own[3];
    for (int k = 0; k < 3; ++k)
        own[k] = (double)r[k] * d[0] + (double)r[3 + k] * d[1] + (double)r[6 + k] * d[2];
    return winding(mesh, own) > 0.5;
}

TEST(test_none_passes_through_a_mesh_that_moves)
{
    static float places[3 * COUNT], velocities[3 * COUNT];
    static bool within[COUNT];
    tact_problem problem = {0};
    for (int i = 0; i < 2; ++i) {
        attack a = {.name = "swinging sphere",
                    .lower = {-18, -18, -18},
                    .upper = {18, 18, 18},
                    .radius = 0.4f,
                    .stiffness = 100.0f};
        a.response = i ? TACT_RESPONSE_POSITION : TACT_RESPONSE_SPRING;
        a.radii = 8.0f;
        assert_true(tact_mesh_icosphere(2, &a.mesh, &problem));
        scale_mesh(&a.mesh, 8.0f, 8.0f, 8.0f);
        test_random r = test_random_seeded(50);
        tact_particles* particles = attacked(&a);
        tact_body_pose pose = swung(0);
        random_places(&r, &a, places, COUNT);
        for (size_t k = 0; k < COUNT; ++k)
            within[k] = is_within(&a.mesh, &pose, places + 3 * k);
        const tact_particle_arrays arrays = {.positions = places, .radius = a.radius, .density = 1.0f};
        GOOD(tact_particles_add(particles, &arrays, COUNT, NULL));
        const tact_particle_output out = {.positions = places, .velocities = velocities};
        for (uint32_t step = 0; step < attack_steps; ++step) {
            pose = swung(step);
            GOOD(tact_particles_move_body(particles, 0, &pose));
            if (step % 32 == 0) random_speeds(&r, a.radii * a.radius / dt, velocities, COUNT);
            if (step % 32 == 16) memset(velocities, 0, sizeof velocities);
            if (step % 16 == 0) GOOD(tact_particles_write(particles, NULL, COUNT, NULL, velocities));
            GOOD(tact_particles_step(particles, dt, 1, 1, &on_cpu, NULL));
            GOOD(tact_particles_read(particles, &out));
            if (step % 16 != 15 && step + 1 != attack_steps) continue;
            for (size_t k = 0; k < COUNT; ++k) {
                if (is_within(&a.mesh, &pose, places + 3 * k) != within[k])
                    fail_msg("%d: in step %u particle %zu changed sides", i, (unsigned)step, k);
            }
        }
        tact_particles_destroy(particles);
        tact_model_mesh_free(&a.mesh);
    }
}

// ---- Rest, friction, restitution ----

/// A square of 40 x 40 squares of 0.3 in the plane y = 0, with the diagonals this way and that.
static tact_model_mesh floor_mesh(void)
{
    tact_model_mesh mesh;
    tact_problem problem = {0};
    assert_true(tact_mesh_terrain(40, 1, &mesh, &problem));
    scale_mesh(&mesh, 6.0f, 0.0f, 6.0f);
    return mesh;
}

static tact_particles* floored(tact_particle_response response, const tact_particle_material* material, float tilt)
{
    const tact_particles_desc desc = {.response = response,
                                      .gravity = {0.0f, -9.81f, 0.0f},
                                      .materials = material,
                                      .material_count = 1,
                                      .max_radius = 0.1f};
    tact_particles* particles = NULL;
    tact_model_mesh mesh = floor_mesh();
    const tact_mesh_desc floor = desc_of(&mesh);
    const tact_body_pose pose = {
        .rotation = {cosf(tilt), -sinf(tilt), 0.0f, sinf(tilt), cosf(tilt), 0.0f, 0.0f, 0.0f, 1.0f}};
    GOOD(tact_particles_create(context, &desc, &particles));
    GOOD(tact_particles_add_mesh(particles, &floor, &pose, 0, NULL));
    tact_model_mesh_free(&mesh);
    return particles;
}

TEST(test_a_ball_rests_on_many_triangles)
{
    const tact_particle_material material = {2e4f, 0.3f, 0.0f, 0.0f};
    for (int i = 0; i < 2; ++i) {
        tact_particles* particles = floored(i ? TACT_RESPONSE_POSITION : TACT_RESPONSE_SPRING, &material, 0.0f);
        // Over faces, edges and corners; without friction the least kick would send them off.
        float positions[3 * 64], after[3 * 64];
        for (int k = 0; k < 64; ++k) {
            positions[3 * k] = -4.0f + (float)(k % 8) * 1.05f;
            positions[3 * k + 1] = 0.12f;
            positions[3 * k + 2] = -4.2f + (float)(k / 8) * 1.0f;
        }
        const tact_particle_arrays arrays = {.positions = positions, .radius = 0.1f};
        GOOD(tact_particles_add(particles, &arrays, 64, NULL));
        GOOD(tact_particles_step(particles, 0.005f, 0, 600, &on_cpu, NULL));
        const tact_particle_output out = {.positions = after};
        GOOD(tact_particles_read(particles, &out));
        const float sunk = i ? 0.0f : 4.18879f * 9.81f / 2e4f * 2.0f;  // stiffness in series: half of it
        double drift = 0.0;
        for (int k = 0; k < 64; ++k) {
            drift = fmax(drift, hypot((double)after[3 * k] - (double)positions[3 * k],
                                      (double)after[3 * k + 2] - (double)positions[3 * k + 2]));
            assert_true(fabsf(after[3 * k + 1] - (0.1f - sunk)) < (i ? 2e-3f : 1e-5f));
        }
        print_message("response %d: moved aside by %.1e in three seconds\n", i, drift);
        assert_true(drift < 1e-6);
        tact_particles_destroy(particles);
    }
}

TEST(test_friction_slows_at_the_rate_of_coulomb)
{
    const float tilts[] = {0.0f, 0.3f, -0.5f};
    const tact_particle_material material = {2e5f, 0.3f, 0.25f, 1.0f};
    const double mass = 4.18879, g = 9.81, mu = 0.25;
    for (int i = 0; i < 3; ++i) {
        tact_particles* particles = floored(TACT_RESPONSE_SPRING, &material, tilts[i]);
        const double c = cos((double)tilts[i]), s = sin((double)tilts[i]);
        // Set down where the spring bears it, so that it does not bounce.
        const double up = 0.1 - mass * g * c / 1e5;
        const float position[3] = {(float)(-s * up), (float)(c * up), 0.37f};
        const float velocity[3] = {(float)(2.0 * c), (float)(2.0 * s), 0.0f};
        const tact_particle_arrays arrays = {.positions = position, .velocities = velocity, .radius = 0.1f};
        GOOD(tact_particles_add(particles, &arrays, 1, NULL));
        const double time = 0.4;
        GOOD(tact_particles_step(particles, 0.002f, 0, 200, &on_cpu, NULL));
        float after[3], speed[3];
        const tact_particle_output out = {.positions = after, .velocities = speed};
        GOOD(tact_particles_read(particles, &out));
        const double rate = -g * s - mu * g * c;
        const double expected = 2.0 * time + 0.5 * rate * time * time;
        const double along =
            ((double)after[0] - (double)position[0]) * c + ((double)after[1] - (double)position[1]) * s;
        const double lifted = -((double)after[0]) * s + (double)after[1] * c - up;
        print_message("tilt %g: slid %.5f, by formula %.5f, off the plane by %.1e\n", (double)tilts[i], along, expected,
                      lifted);
        assert_true(fabs(along - expected) < 2e-3 * fabs(expected));
        assert_true(fabs(lifted) < 2e-5 && fabsf(after[2] - 0.37f) < 1e-5f);
        tact_particles_destroy(particles);
    }
}

TEST(test_a_ball_bounces_with_the_restitution_asked_for)
{
    const float restitutions[] = {1.0f, 0.8f, 0.4f};
    for (int i = 0; i < 3; ++i) {
        const tact_particle_material material = {2e6f, restitutions[i], 0.0f, 0.0f};
        tact_particles* particles = floored(TACT_RESPONSE_SPRING, &material, 0.0f);
        // On a face, on an edge and on a corner.
        const float positions[9] = {0.1f, 0.12f, 0.22f, 0.45f, 0.12f, 0.6f, 1.2f, 0.12f, 1.5f};
        const float velocities[9] = {0, -3, 0, 0, -3, 0, 0, -3, 0};
        const tact_particle_arrays arrays = {.positions = positions, .velocities = velocities, .radius = 0.1f};
        GOOD(tact_particles_set_gravity(particles, (tact_vec3){0.0f, 0.0f, 0.0f}));
        GOOD(tact_particles_add(particles, &arrays, 3, NULL));
        GOOD(tact_particles_step(particles, 0.001f, 0, 60, &on_cpu, NULL));
        float after[9];
        const tact_particle_output out = {.velocities = after};
        GOOD(tact_particles_read(particles, &out));
        for (int k = 0; k < 3; ++k) {
            assert_true(fabsf(after[3 * k + 1] / 3.0f - restitutions[i]) < 0.02f);
            assert_true(fabsf(after[3 * k]) < 1e-4f && fabsf(after[3 * k + 2]) < 1e-4f);
        }
        tact_particles_destroy(particles);
    }
}

// ---- The interface ----

TEST(test_bad_bodies_are_refused)
{
    tact_particles* p = NULL;
    GOOD(tact_particles_create(context, NULL, &p));
    const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    const uint32_t wrong[3] = {0, 1, 3};
    uint32_t body = 7;
    const tact_mesh_desc good = {.positions = positions, .vertex_count = 3, .triangle_count = 1},
                         past = {.positions = positions, .vertex_count = 3, .indices = wrong, .triangle_count = 1};
    const tact_mesh_desc odd = {.positions = positions, .vertex_count = 3, .position_stride = 13, .triangle_count = 1},
                         none = {.triangle_count = 1}, empty = {0};
    const tact_body_pose mirror = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, -1}},
                         skew = {.rotation = {1, 1e-3f, 0, 0, 1, 0, 0, 0, 1}};
    const tact_body_pose lost = {.position = {NAN, 0, 0}}, flung = {.spin = {0, INFINITY, 0}};
    assert_int_equal(tact_particles_add_mesh(p, &past, NULL, 0, &body), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_add_mesh(p, &odd, NULL, 0, &body), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_add_mesh(p, &none, NULL, 0, &body), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_add_mesh(p, &good, NULL, 1, &body), TACT_ERROR_INVALID_ARGUMENT);
    const tact_body_pose* const poses[] = {&mirror, &skew, &lost, &flung};
    for (int i = 0; i < 4; ++i)
        assert_int_equal(tact_particles_add_mesh(p, &good, poses[i], 0, &body), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(body, 7);
    GOOD(tact_particles_add_mesh(p, &good, NULL, 0, &body));
    assert_int_equal(body, 0);
    GOOD(tact_particles_add_mesh(p, &empty, NULL, 0, &body));
    assert_int_equal(tact_particles_move_body(p, 0, &mirror), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_move_body(p, 2, &(tact_body_pose){0}), TACT_ERROR_INVALID_ARGUMENT);
    GOOD(tact_particles_move_body(p, 0, &(tact_body_pose){.position = {1, 2, 3}}));

    const float heights[4] = {0, 0, 0, NAN};
    const tact_height_field_desc hole = {
        .heights = heights, .columns = 2, .rows = 2, .step_x = 1, .step_z = 1, .origin = {0, 0, 0}};
    tact_height_field_desc fields[] = {hole, hole, hole, hole, hole, hole, hole};
    fields[0].columns = 1;
    fields[1].step_x = 0;
    fields[2].step_z = NAN;
    fields[3].heights = NULL;
    fields[4].origin.x = 1e6f;
    fields[5].origin.y = NAN;
    fields[6].step_z = INFINITY;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i)
        assert_int_equal(tact_particles_add_height_field(p, &fields[i], NULL, 0, NULL), TACT_ERROR_INVALID_ARGUMENT);
    const tact_height_field_desc huge = {
        .heights = heights, .columns = 1u << 16, .rows = 1u << 16, .step_x = 1, .step_z = 1, .origin = {0, 0, 0}};
    assert_int_equal(tact_particles_add_height_field(p, &huge, NULL, 0, NULL), TACT_ERROR_LIMIT);
    GOOD(tact_particles_add_height_field(p, &hole, NULL, 0, &body));
    assert_int_equal(body, 2);
    for (int i = 3; i < TACT_MAX_BODIES; ++i)
        GOOD(tact_particles_add_mesh(p, &good, NULL, 0, NULL));
    assert_int_equal(tact_particles_add_mesh(p, &good, NULL, 0, NULL), TACT_ERROR_LIMIT);
    tact_particles_destroy(p);
}

TEST(test_contacts_name_the_body_and_its_triangle)
{
    tact_particles* p = NULL;
    const tact_particles_desc desc = {.response = TACT_RESPONSE_NONE};
    GOOD(tact_particles_create(context, &desc, &p));
    const float positions[18] = {0, 0, 0, INFINITY, 0, 0, 0, 0, 1, -4, 0, -4, -4, 0, 9, 9, 0, -4};
    const tact_mesh_desc mesh = {.positions = positions, .vertex_count = 6, .triangle_count = 2};
    const tact_body_pose pose = {.rotation = {0, -1, 0, 1, 0, 0, 0, 0, 1}, .position = {2, 0, 0}};
    GOOD(tact_particles_add_mesh(p, &mesh, &pose, 0, NULL));
    const float places[6] = {1.5f, 0.0f, 0.0f, 2.25f, 0.0f, 3.0f};
    GOOD(tact_particles_add(p, &(tact_particle_arrays){.positions = places, .radius = 0.75f}, 2, NULL));
    tact_particle_contact contacts[4];
    size_t count = 0;
    GOOD(tact_particles_contacts(p, contacts, 4, &count, &on_cpu, NULL));
    assert_int_equal(count, 2);
    // The plane y = 0 of the mesh is x = 2 outside.
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(contacts[i].a, i);
        assert_int_equal(contacts[i].with, TACT_CONTACT_BODY);
        assert_int_equal(contacts[i].b, 0);
        assert_int_equal(contacts[i].triangle, 1);
        assert_true(contacts[i].depth == (i ? 0.5f : 0.25f));
        assert_true(contacts[i].normal[0] == (i ? -1.0f : 1.0f) && contacts[i].normal[1] == 0.0f);
    }
    tact_particles_destroy(p);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    attack_steps = (uint32_t)effort(250, 600);
    if (argc > 1) attack_steps = (uint32_t)strtoul(argv[1], NULL, 10);
    return run_all(all_tests, open_host_context, close_context);
}
