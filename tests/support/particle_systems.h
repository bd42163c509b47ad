// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A particle system with something of everything, small enough for the definition. Include after run.h.

#include "tact/particle_bodies.h"
#include "tests/support/random.h"

enum { RICH_PARTICLES = 120 };
static const float rich_dt = 2e-3f;

static inline tact_result rich_emitters(tact_particles* p, bool masks)
{
    const tact_emitter rain = {.corner = {-3, 4, -2},
                               .edge = {{6, 0, 0}, {1, 0, 4}},
                               .velocity = {0.5f, -6, 0},
                               .jitter = 0.7f,
                               .radius = 0.4f,
                               .smallest = 0.1f,
                               .group = 2,
                               .seed = 5,
                               .limit = 150};
    const tact_emitter jet = {.corner = {0, -3, 0},
                              .velocity = {0, 12, 1},
                              .radius = 0.2f,
                              .density = 500,
                              .material = 1,
                              .group = 1,
                              .start = 0.01,
                              .stop = 0.15};
    tact_result result = tact_particles_add_emitter(p, &rain, NULL);
    if (result == TACT_OK) result = tact_particles_add_emitter(p, &jet, NULL);
    const tact_collider hole = {
        .kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{1, -3, 1}, 1.5f}, .mask = masks ? 5 : 0};
    const tact_collider bottom = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, -4.5f}};
    if (result == TACT_OK) result = tact_particles_add_sink(p, &hole, NULL);
    if (result == TACT_OK && !masks) result = tact_particles_add_sink(p, &bottom, NULL);
    return result;
}

static inline tact_result rich_particles(tact_particles* p)
{
    test_random r = {11};
    float x[3 * RICH_PARTICLES], v[3 * RICH_PARTICLES], radii[RICH_PARTICLES];
    uint8_t materials[RICH_PARTICLES], groups[RICH_PARTICLES];
    for (size_t i = 0; i < RICH_PARTICLES; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            x[3 * i + k] = 3.0f * test_random_signed(&r);
            v[3 * i + k] = 2.0f * test_random_signed(&r);
        }
        radii[i] = 0.15f + 0.35f * test_random_unit(&r);
        materials[i] = (uint8_t)(i % 2);
        groups[i] = (uint8_t)(i % 3);
    }
    const tact_particle_arrays arrays = {
        .positions = x, .velocities = v, .radii = radii, .materials = materials, .groups = groups};
    return tact_particles_add(p, &arrays, RICH_PARTICLES, NULL);
}

/// On all but the last few.
static inline tact_result rich_forces(tact_particles* p)
{
    test_random r = {12};
    float forces[3 * (RICH_PARTICLES - 7)];
    for (size_t i = 0; i < sizeof forces / sizeof *forces; ++i)
        forces[i] = 300.0f * test_random_signed(&r);
    return tact_particles_set_forces(p, forces, RICH_PARTICLES - 7);
}

/// Two slanted triangles, of which one more is left out, and some hills with a hole, both moving.
static inline tact_result rich_bodies(tact_particles* p)
{
    const float corners[27] = {-4, -3, -4, 0, -2, -4, -4, -3, 4,  NAN, 0,  0,  1, 0,
                               0,  0,  1,  0, 0,  -2, -4, 0,  -2, 4,   -4, -3, 4};
    const float heights[12] = {0, 0.5f, 0.1f, 0.3f, -0.2f, -0.0f, NAN, 0, 0.2f, 0.1f, 0, 0.4f};
    const tact_mesh_desc mesh = {.positions = corners, .vertex_count = 9, .triangle_count = 3};
    const tact_height_field_desc field = {
        .heights = heights, .columns = 4, .rows = 3, .step_x = 1.5f, .step_z = 2.0f, .origin = {-1, 0.25f, -2}};
    const tact_body_pose pose = {.rotation = {0.8f, -0.6f, 0, 0.6f, 0.8f, 0, 0, 0, 1},
                                 .position = {1, 1, 0},
                                 .velocity = {0, 1, 0},
                                 .spin = {1, 0, 0}};
    uint32_t body = 0;
    tact_result result = tact_particles_add_mesh(p, &mesh, NULL, 1, &body);
    if (result == TACT_OK) result = tact_particles_add_height_field(p, &field, &pose, 0, &body);
    return result;
}

/// Fills a system made of rich_desc(), but for bodies. `masks`: a sink that only takes some groups.
static inline tact_result rich_fill_but_bodies(tact_particles* p, bool masks)
{
    const tact_particle_material odd = {2e4f, 0.9f, 0.1f, 0.3f};
    const tact_collider ball = {
        .kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{-1, -2, 0}, 1}, .spin = {0, 3, 0}, .mask = 3};
    const tact_collider tube = {
        .kind = TACT_COLLIDER_CAPSULE, .shape.capsule = {{2, -4, -2}, {2, 0, -2}, 0.5f}, .velocity = {0, 0, 1}};
    const tact_collider block = {.kind = TACT_COLLIDER_BOX,
                                 .shape.box = {{0, 0, 3}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 0.25f, 0.5f}},
                                 .material = 1};
    tact_result result = tact_particles_set_mask(p, 1, ~UINT32_C(4));
    if (result == TACT_OK) result = tact_particles_set_contact(p, 0, 1, &odd);
    if (result == TACT_OK) result = tact_particles_add_collider(p, &ball, NULL);
    if (result == TACT_OK) result = tact_particles_add_collider(p, &tube, NULL);
    if (result == TACT_OK) result = tact_particles_add_collider(p, &block, NULL);
    if (result == TACT_OK) result = rich_particles(p);
    if (result == TACT_OK) result = rich_forces(p);
    if (result == TACT_OK) result = rich_emitters(p, masks);
    return result;
}

static inline tact_result rich_fill(tact_particles* p, bool masks)
{
    const tact_result result = rich_bodies(p);
    return result == TACT_OK ? rich_fill_but_bodies(p, masks) : result;
}

/// The materials are static.
static inline tact_particles_desc rich_desc(tact_particle_response response)
{
    static const tact_particle_material materials[2] = {{1e4f, 0.5f, 0.5f, 0.5f}, {3e4f, 0.7f, 0.2f, 0.1f}};
    const tact_particles_desc desc = {
        .response = response,
        .boundary = {TACT_BOUNDARY_PERIODIC, TACT_BOUNDARY_WALL, TACT_BOUNDARY_OPEN},
        .domain = {{-5, -5, -5}, {5, 5, 5}},
        .materials = materials,
        .material_count = 2,
        .wall_material = 1,
        .gravity = {0, -9.81f, 0.1f},
        .drag = 0.05f,
        .separation_speed = 3,
        .sleep_speed = 0.001f,
    };
    return desc;
}
