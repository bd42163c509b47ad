// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/particles/particles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "apps/inputs/scenes.h"

static float unit(tact_random* r)
{
    return (float)tact_random_fraction(r);
}

static float signed_unit(tact_random* r)
{
    return 2.0f * unit(r) - 1.0f;
}

static void all_radii(tact_particle_setup* s, float radius)
{
    for (size_t i = 0; i < s->count; ++i)
        s->radii[i] = radius;
}

static void random_velocities(tact_particle_setup* s, tact_random* r, float speed)
{
    for (size_t i = 0; i < 3 * s->count; ++i)
        s->velocities[i] = speed * signed_unit(r);
}

static void box(tact_particle_setup* s, tact_boundary boundary, float half)
{
    for (int i = 0; i < 3; ++i)
        s->desc.boundary[i] = boundary;
    s->desc.domain = (tact_aabb){{-half, -half, -half}, {half, half, half}};
}

static void anywhere(tact_particle_setup* s, tact_random* r, float half)
{
    for (size_t i = 0; i < 3 * s->count; ++i)
        s->positions[i] = half * signed_unit(r);
}

/// Half the width of a cube of which `count` spheres of radius r fill the part `fill`.
static float half_width(size_t count, float radius, float fill)
{
    return 0.5f * cbrtf((float)(count + 1) * 4.18879f * radius * radius * radius / fill) + 4.0f * radius;
}

/// Spheres at random, about one contact each, in a box of walls.
static void fill_gas(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    const float half = half_width(s->count, 0.5f, 0.12f);
    all_radii(s, 0.5f);
    box(s, TACT_BOUNDARY_WALL, half);
    anywhere(s, &r, half);
    random_velocities(s, &r, 2.0f);
    s->desc.gravity.y = -9.81f;
}

/// The places of a cubic lattice, from the middle of the bottom up.
static void lattice(tact_particle_setup* s, tact_random* r, float spacing, float jitter, float half)
{
    const size_t across = (size_t)((2.0f * half) / spacing);
    for (size_t i = 0; i < s->count; ++i) {
        const size_t cell[3] = {i % across, i / (across * across), i / across % across};
        for (int k = 0; k < 3; ++k)
            s->positions[3 * i + (size_t)k] = -half + spacing * (0.5f + (float)cell[k]) + jitter * signed_unit(r);
    }
}

/// A jittered lattice that overlaps a little everywhere and falls together: dense packing.
static void fill_dense(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    all_radii(s, 0.5f);
    const float half = 0.5f * 0.96f * ceilf(cbrtf((float)s->count) + 0.01f);
    box(s, TACT_BOUNDARY_WALL, half < 4.0f ? 4.0f : half);
    lattice(s, &r, 0.96f, 0.05f, half);
    random_velocities(s, &r, 0.1f);
    s->desc.gravity.y = -9.81f;
}

/// Radii from 1 to 16, as many of each size by volume, in a box.
static void fill_mixed(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    float volume = 0.0f;
    for (size_t i = 0; i < s->count; ++i) {
        const float u = unit(&r);
        const float radius = 0.0625f / cbrtf(u + (1.0f - u) / 4096.0f);
        s->radii[i] = radius < 0.0625f ? 0.0625f : radius > 1.0f ? 1.0f : radius;
        volume += 4.18879f * s->radii[i] * s->radii[i] * s->radii[i];
    }
    const float half = 0.5f * cbrtf(volume / 0.25f) + 3.5f;
    box(s, TACT_BOUNDARY_WALL, half);
    anywhere(s, &r, half);
    random_velocities(s, &r, 1.0f);
    s->desc.gravity.y = -9.81f;
}

/// The same in a domain that repeats along all axes.
static void fill_mixed_periodic(tact_particle_setup* s, uint64_t seed)
{
    fill_mixed(s, seed);
    for (int i = 0; i < 3; ++i)
        s->desc.boundary[i] = TACT_BOUNDARY_PERIODIC;
}

/// In a box of which particles, with radii as they are, fill three tenths.
static void fill_spread(tact_particle_setup* s, tact_random* r)
{
    float volume = 0.0f;
    for (size_t i = 0; i < s->count; ++i)
        volume += 4.18879f * s->radii[i] * s->radii[i] * s->radii[i];
    const float half = 0.5f * cbrtf(volume / 0.3f) + 2.0f;
    box(s, TACT_BOUNDARY_WALL, half);
    anywhere(s, r, half);
    random_velocities(s, r, 1.0f);
    s->desc.gravity.y = -9.81f;
}

/// Radii drawn uniformly, as `--radii 0.1:0.5` does: most particles are large, and a few have finer cells.
static void fill_uniform(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    for (size_t i = 0; i < s->count; ++i)
        s->radii[i] = 0.1f + 0.4f * unit(&r);
    fill_spread(s, &r);
}

/// As many particles above a radius as its power of -1.5 says, of all sizes up to 16 to 1.
static void fill_power_law(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    for (size_t i = 0; i < s->count; ++i) {
        // 64 is 16^1.5, and u^(-2/3) the square of a cube root.
        const float root = cbrtf(64.0f - 63.0f * unit(&r)), radius = 0.5f / (root * root);
        s->radii[i] = radius > 0.03125f ? radius : 0.03125f;
    }
    fill_spread(s, &r);
}

/// One in ten is an eighth as large as the rest.
static void fill_bimodal(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    for (size_t i = 0; i < s->count; ++i)
        s->radii[i] = tact_random_below(&r, 10) == 0 ? 0.0625f : 0.5f;
    fill_spread(s, &r);
}

/// Spheres at random in a domain that repeats along x and z.
static void fill_periodic(tact_particle_setup* s, uint64_t seed)
{
    fill_gas(s, seed);
    s->desc.boundary[0] = s->desc.boundary[2] = TACT_BOUNDARY_PERIODIC;
}

/// On multiples of the cells' edges, within one rounding of them, about the origin: what cells are hardest on.
static void fill_borders(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    all_radii(s, 0.5f);
    const float edge = nextafterf(1.015625f, INFINITY);
    const uint32_t across = 2 + (uint32_t)cbrtf((float)s->count);
    for (size_t i = 0; i < 3 * s->count; ++i) {
        const int cell = (int)tact_random_below(&r, across) - (int)across / 2;
        float x = edge * (float)cell;
        const uint32_t turn = (uint32_t)tact_random_below(&r, 3);
        if (turn == 1) x = nextafterf(x, INFINITY);
        if (turn == 2) x = nextafterf(x, -INFINITY);
        s->positions[i] = x;
    }
    random_velocities(s, &r, 0.5f);
}

/// Pairs and threes at the very same places.
static void fill_coincident(tact_particle_setup* s, uint64_t seed)
{
    fill_gas(s, seed);
    for (size_t i = 0; i + 3 < s->count; i += 4) {
        memcpy(s->positions + 3 * (i + 1), s->positions + 3 * i, 3 * sizeof(float));
        if (i % 8 == 0) memcpy(s->positions + 3 * (i + 2), s->positions + 3 * i, 3 * sizeof(float));
    }
}

/// A million radii from the origin, with one particle a million times farther.
static void fill_far(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    const float half = half_width(s->count, 0.5f, 0.12f);
    all_radii(s, 0.5f);
    s->desc.origin = (tact_vec3){1e6f, -1e6f, 1e6f};
    for (size_t i = 0; i < s->count; ++i) {
        s->positions[3 * i] = 1e6f + half * signed_unit(&r);
        s->positions[3 * i + 1] = -1e6f + half * signed_unit(&r);
        s->positions[3 * i + 2] = 1e6f + half * signed_unit(&r);
    }
    if (s->count > 0) s->positions[0] = 1e12f;
    random_velocities(s, &r, 1.0f);
}

/// All within one cell.
static void fill_one_cell(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    all_radii(s, 0.5f);
    for (size_t i = 0; i < 3 * s->count; ++i)
        s->positions[i] = 0.25f + 0.5f * unit(&r);
    random_velocities(s, &r, 0.1f);
}

/// Beyond the last cell, where cells no longer tell particles apart.
static void fill_beyond(tact_particle_setup* s, uint64_t seed)
{
    fill_gas(s, seed);
    for (int i = 0; i < 3; ++i)
        s->desc.boundary[i] = TACT_BOUNDARY_OPEN;
    for (size_t i = 0; i < 3 * s->count; ++i)
        s->positions[i] += 40000.0f;
}

/// Falling on a plane, a ball, a slanted box and a turning capsule, in three groups of which two do not meet.
static void fill_colliders(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    const float half = half_width(s->count, 0.3f, 0.1f);
    anywhere(s, &r, half);
    random_velocities(s, &r, 3.0f);
    for (size_t i = 0; i < s->count; ++i) {
        s->radii[i] = 0.2f + 0.1f * unit(&r);
        s->groups[i] = (uint8_t)(i % 3);
    }
    s->desc.gravity.y = -9.81f;
    const float c = 0.8f, d = 0.6f;
    s->colliders[0].kind = TACT_COLLIDER_PLANE;
    s->colliders[0].shape.plane = (tact_plane){{0.1f, 2.0f, 0.0f}, -2.0f * half};
    s->colliders[1].kind = TACT_COLLIDER_SPHERE;
    s->colliders[1].shape.sphere = (tact_sphere){{0.0f, 0.0f, 0.0f}, 0.3f * half};
    s->colliders[1].mask = 5;
    s->colliders[2].kind = TACT_COLLIDER_BOX;
    s->colliders[2].shape.box = (tact_obb){{0.5f * half, -0.4f * half, 0.0f},
                                           {{c, d, 0.0f}, {-d, c, 0.0f}, {0.0f, 0.0f, 1.0f}},
                                           {0.3f * half, 0.1f * half, 0.4f * half}};
    s->colliders[3].kind = TACT_COLLIDER_CAPSULE;
    s->colliders[3].shape.capsule =
        (tact_capsule){{-0.5f * half, -0.5f * half, -0.5f * half}, {-0.5f * half, -0.3f * half, 0.5f * half}, 0.4f};
    s->colliders[3].spin = (tact_vec3){0.0f, 2.0f, 1.0f};
    s->colliders[3].velocity = (tact_vec3){0.5f, 0.0f, 0.0f};
    s->collider_count = 4;
}

static void scale_mesh(tact_model_mesh* mesh, float scale)
{
    for (size_t i = 0; i < 3 * mesh->vertex_count; ++i)
        mesh->positions[i] *= scale;
}

/// In a box: a sphere of triangles, with particles inside and outside, that moves and turns, and a slanted plate of
/// triangles as large as the box.
static void fill_mesh(tact_particle_setup* s, uint64_t seed)
{
    tact_random r = {seed};
    tact_problem problem = {0};
    const float half = half_width(s->count, 0.4f, 0.1f);
    box(s, TACT_BOUNDARY_WALL, half);
    anywhere(s, &r, half);
    random_velocities(s, &r, 12.0f);
    for (size_t i = 0; i < s->count; ++i)
        s->radii[i] = 0.15f + 0.25f * unit(&r);
    s->desc.gravity.y = -9.81f;
    s->failed =
        !tact_mesh_icosphere(3, &s->meshes[0], &problem) || !tact_mesh_terrain(6, seed, &s->meshes[1], &problem);
    if (s->failed) return;
    scale_mesh(&s->meshes[0], 0.45f * half);
    scale_mesh(&s->meshes[1], 1.2f * half);
    // What is flat by a hundredth has edges that are seen and edges that are not.
    for (size_t i = 0; i < s->meshes[1].vertex_count; ++i)
        s->meshes[1].positions[3 * i + 1] *= 0.01f;
    s->poses[0].position = (tact_vec3){0.2f * half, 0.1f * half, 0.0f};
    s->poses[0].velocity = (tact_vec3){1.0f, -2.0f, 0.5f};
    s->poses[0].spin = (tact_vec3){0.0f, 3.0f, 0.0f};
    const tact_body_pose slanted = {.rotation = {0.8f, -0.6f, 0.0f, 0.6f, 0.8f, 0.0f, 0.0f, 0.0f, 1.0f},
                                    .position = {0.0f, -0.5f * half, 0.0f}};
    s->poses[1] = slanted;
    s->mesh_count = 2;
}

/// Falling on a landscape of heights with holes in it, finer than the particles.
static void fill_terrain(tact_particle_setup* s, uint64_t seed)
{
    enum { SIDE = 48 };
    tact_random r = {seed};
    const float half = half_width(s->count, 0.4f, 0.12f);
    box(s, TACT_BOUNDARY_WALL, half);
    anywhere(s, &r, half);
    random_velocities(s, &r, 6.0f);
    for (size_t i = 0; i < s->count; ++i)
        s->radii[i] = 0.2f + 0.2f * unit(&r);
    s->desc.gravity.y = -9.81f;
    const float step = 2.0f * half / (float)SIDE;
    s->field = (tact_height_field_desc){.heights = NULL,
                                        .columns = SIDE + 1,
                                        .rows = SIDE + 1,
                                        .step_x = step,
                                        .step_z = step,
                                        .origin = {-half, -0.4f * half, -half}};
    s->heights = malloc((SIDE + 1) * (SIDE + 1) * sizeof *s->heights);
    s->failed = !s->heights;
    for (size_t i = 0; i < (SIDE + 1) * (SIDE + 1) && s->heights; ++i) {
        s->heights[i] = 0.25f * half * (fabsf((float)(i % (SIDE + 1)) - 24.0f) / 24.0f) + 0.5f * step * unit(&r);
        if (tact_random_below(&r, 97) == 0) s->heights[i] = NAN;
    }
    s->field.heights = s->heights;
}

const tact_particle_scene tact_particle_scenes[] = {
    {"gas", "spheres at random in a box", fill_gas, SIZE_MAX},
    {"dense", "a jittered lattice, overlapping a little everywhere", fill_dense, SIZE_MAX},
    {"mixed", "radii from 1 to 16 in a box", fill_mixed, SIZE_MAX},
    {"uniform", "radii uniform from 1 to 5 in a box", fill_uniform, SIZE_MAX},
    {"power_law", "radii from 1 to 16 by a power law in a box", fill_power_law, SIZE_MAX},
    {"bimodal", "one in ten an eighth as large in a box", fill_bimodal, SIZE_MAX},
    {"mixed_periodic", "radii from 1 to 16 in a domain that repeats", fill_mixed_periodic, SIZE_MAX},
    {"periodic", "spheres at random, repeating along x and z", fill_periodic, SIZE_MAX},
    {"borders", "on the borders of cells and a rounding beside them", fill_borders, SIZE_MAX},
    {"coincident", "some at the very same places", fill_coincident, SIZE_MAX},
    {"far", "a million radii from the origin, and one far away", fill_far, SIZE_MAX},
    {"one_cell", "all in one cell", fill_one_cell, 3000},
    {"beyond", "beyond the last cell", fill_beyond, 3000},
    {"colliders", "falling on a plane, a ball, a box and a turning capsule", fill_colliders, SIZE_MAX},
    {"mesh", "in and about a sphere of triangles that moves, on a slanted plate", fill_mesh, SIZE_MAX},
    {"terrain", "falling on a landscape with holes", fill_terrain, SIZE_MAX},
};
const size_t tact_particle_scene_count = sizeof tact_particle_scenes / sizeof *tact_particle_scenes;

const tact_particle_scene* tact_particle_scene_named(const char* name)
{
    for (size_t i = 0; i < tact_particle_scene_count; ++i) {
        if (strcmp(tact_particle_scenes[i].name, name) == 0) return &tact_particle_scenes[i];
    }
    return NULL;
}

bool tact_particle_setup_make(const tact_particle_scene* scene, size_t count, uint64_t seed, tact_particle_setup* setup,
                              tact_problem* problem)
{
    *setup = (tact_particle_setup){.count = count, .dt = 1e-3f, .substeps = 1};
    setup->positions = calloc(3 * count + 1, sizeof(float));
    setup->velocities = calloc(3 * count + 1, sizeof(float));
    setup->radii = calloc(count + 1, sizeof(float));
    setup->groups = calloc(count + 1, 1);
    if (!setup->positions || !setup->velocities || !setup->radii || !setup->groups) {
        tact_particle_setup_free(setup);
        return tact_problem_out_of_memory(problem, "particles");
    }
    scene->fill(setup, seed);
    if (!setup->failed) return true;
    tact_particle_setup_free(setup);
    return tact_problem_out_of_memory(problem, "meshes for particles");
}

void tact_particle_setup_free(tact_particle_setup* setup)
{
    free(setup->positions);
    free(setup->velocities);
    free(setup->radii);
    free(setup->groups);
    tact_model_mesh_free(&setup->meshes[0]);
    tact_model_mesh_free(&setup->meshes[1]);
    free(setup->heights);
    setup->heights = NULL;
    setup->positions = setup->velocities = setup->radii = NULL;
    setup->groups = NULL;
}

tact_result tact_particle_setup_create(const tact_particle_setup* setup, tact_context* context,
                                       tact_particles** particles)
{
    const tact_particle_arrays arrays = {
        .positions = setup->positions, .velocities = setup->velocities, .radii = setup->radii, .groups = setup->groups};
    tact_result result = tact_particles_create(context, &setup->desc, particles);
    // Groups 1 and 2 pass through each other.
    if (result == TACT_OK) result = tact_particles_set_mask(*particles, 1, ~UINT32_C(4));
    for (uint32_t i = 0; i < setup->collider_count && result == TACT_OK; ++i)
        result = tact_particles_add_collider(*particles, &setup->colliders[i], NULL);
    for (uint32_t i = 0; i < setup->mesh_count && result == TACT_OK; ++i) {
        const tact_model_mesh* m = &setup->meshes[i];
        const tact_mesh_desc mesh = {.positions = m->positions,
                                     .vertex_count = m->vertex_count,
                                     .indices = m->indices,
                                     .triangle_count = m->triangle_count};
        result = tact_particles_add_mesh(*particles, &mesh, &setup->poses[i], 0, NULL);
    }
    if (setup->heights && result == TACT_OK)
        result = tact_particles_add_height_field(*particles, &setup->field, NULL, 0, NULL);
    if (result == TACT_OK) result = tact_particles_add(*particles, &arrays, setup->count, NULL);
    if (result != TACT_OK) {
        tact_particles_destroy(*particles);
        *particles = NULL;
    }
    return result;
}

tact_result tact_particle_setup_move(const tact_particle_setup* setup, tact_particles* particles, uint64_t steps)
{
    tact_result result = TACT_OK;
    const float time = (float)steps * setup->dt;
    for (uint32_t i = 0; i < setup->mesh_count && result == TACT_OK; ++i) {
        tact_body_pose pose = setup->poses[i];
        const tact_vec3 v = pose.velocity;
        if (v.x == 0.0f && v.y == 0.0f && v.z == 0.0f) continue;
        pose.position.x += v.x * time;
        pose.position.y += v.y * time;
        pose.position.z += v.z * time;
        // Scenes spin about y only. The turn is made of a rational half angle: sine and cosine differ between
        // libraries.
        const float t = 0.5f * pose.spin.y * time, below = 1.0f + t * t;
        const float c = (1.0f - t * t) / below, sine = 2.0f * t / below;
        const float turn[9] = {c, 0.0f, sine, 0.0f, 1.0f, 0.0f, -sine, 0.0f, c};
        memcpy(pose.rotation, turn, sizeof turn);
        result = tact_particles_move_body(particles, i, &pose);
    }
    return result;
}

float* tact_particle_rows(tact_particles* particles, tact_context* context, size_t* count, tact_problem* problem)
{
    const size_t n = tact_particles_count(particles);
    float* rows = malloc((n + 1) * 7 * sizeof *rows);
    float* parts = malloc((n + 1) * 7 * sizeof *parts);
    if (!rows || !parts) {
        free(rows);
        free(parts);
        tact_problem_out_of_memory(problem, "particles");
        return NULL;
    }
    const tact_particle_output out = {.positions = parts, .velocities = parts + 3 * n, .radii = parts + 6 * n};
    const tact_result result = tact_particles_read(particles, &out);
    for (size_t i = 0; i < n && result == TACT_OK; ++i) {
        memcpy(rows + 7 * i, parts + 3 * i, 3 * sizeof *rows);
        rows[7 * i + 3] = parts[6 * n + i];
        memcpy(rows + 7 * i + 4, parts + 3 * n + 3 * i, 3 * sizeof *rows);
    }
    free(parts);
    *count = n;
    if (result == TACT_OK) return rows;
    free(rows);
    tact_problem_from_result(problem, result, context, "reading particles");
    return NULL;
}
