// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Generated particle systems, the same on every machine: for `particles`, `verify`, `bench` and the tests.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/inputs/model.h"
#include "tact/particle_bodies.h"

/// Particles and what holds them. The arrays are from malloc.
typedef struct tact_particle_setup {
    tact_particles_desc desc;
    size_t count;
    float *positions, *velocities, *radii;
    uint8_t* groups;  ///< NULL: all 0
    tact_collider colliders[4];
    uint32_t collider_count;
    tact_model_mesh meshes[2];
    tact_body_pose poses[2];  ///< at first; see tact_particle_setup_move()
    uint32_t mesh_count;
    tact_height_field_desc field;  ///< after the meshes; heights NULL: none; from malloc
    float* heights;
    bool failed;        ///< no memory for a mesh
    float dt;           ///< a step that suits it
    uint32_t substeps;  ///< of the step
} tact_particle_setup;

/// A kind of system.
typedef struct tact_particle_scene {
    const char* name;
    const char* summary;
    void (*fill)(tact_particle_setup* setup, uint64_t seed);
    size_t most;  ///< more than about this many make more contacts than a test wants to look at
} tact_particle_scene;

extern const tact_particle_scene tact_particle_scenes[];
extern const size_t tact_particle_scene_count;

/// The scene of this name, or NULL.
const tact_particle_scene* tact_particle_scene_named(const char* name);

bool tact_particle_setup_make(const tact_particle_scene* scene, size_t count, uint64_t seed, tact_particle_setup* setup,
                              tact_problem* problem);
void tact_particle_setup_free(tact_particle_setup* setup);

/// Makes the system that a setup describes.
tact_result tact_particle_setup_create(const tact_particle_setup* setup, tact_context* context,
                                       tact_particles** particles);

/// Moves the system's bodies on to where they are after `steps` steps from the first.
tact_result tact_particle_setup_move(const tact_particle_setup* setup, tact_particles* particles, uint64_t steps);

/// The state as the tool writes it: x y z radius vx vy vz of each, in order of id, from malloc. `*count` rows; NULL
/// with the problem set on failure.
float* tact_particle_rows(tact_particles* particles, tact_context* context, size_t* count, tact_problem* problem);
