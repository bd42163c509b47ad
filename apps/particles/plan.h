// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Particle systems as the command line describes them: generated or read from a file, what holds them, how they move.

#include "apps/inputs/model.h"
#include "apps/options.h"

/// What the command line says. Texts are NULL where an option is not given.
typedef struct tact_particle_choices {
    uint64_t random;  ///< 0: not generated
    const char* load;
    uint64_t seed;
    int response;  ///< a tact_particle_response
    uint64_t substeps;
    const char *dt, *radius, *radii, *density, *domain, *gravity;
    const char *friction, *restitution, *stiffness;
    tact_text_list meshes, planes;
} tact_particle_choices;

enum { TACT_PLAN_PLANES = 64 };

/// How meshes were scaled and then moved to where they are.
typedef struct tact_placement {
    float scale, offset[3];
} tact_placement;

/// What a picture of the system needs to know.
typedef struct tact_particle_look {
    tact_aabb bounds;  ///< what is to be seen
    uint32_t floor;    ///< 1: at its lower end
    float fastest;     ///< speed at the end of the scale of colours
    float smallest, largest;
    tact_placement placement;
} tact_particle_look;

/// A system to be made. Arrays are from malloc.
typedef struct tact_particle_plan {
    tact_particles_desc desc;
    tact_particle_material material;
    float density;
    size_t count;
    float *positions, *velocities, *radii;
    tact_collider planes[TACT_PLAN_PLANES];
    uint32_t plane_count;
    tact_model model;  ///< meshes, where they are in the world
    float dt;
    uint32_t substeps;
    tact_particle_look look;
    char source[256];
} tact_particle_plan;

/// Works out everything. Files are read, nothing is made yet. The plan is to be freed also after a failure.
bool tact_particle_plan_make(const tact_particle_choices* choices, tact_particle_plan* plan, tact_problem* problem);
void tact_particle_plan_free(tact_particle_plan* plan);

/// Makes the system. The state is to live on `backend`.
bool tact_particle_plan_create(const tact_particle_plan* plan, tact_context* context, tact_backend backend,
                               tact_particles** particles, tact_problem* problem);

/// Reads meshes and puts them in place: all by one scale and offset. `placement` NULL: as in the files.
bool tact_particle_meshes_read(const tact_text_list* files, tact_model* model, tact_problem* problem);
void tact_particle_meshes_place(tact_model* model, const tact_placement* placement);
/// The box about all finite corners; lower > upper when there are none.
tact_aabb tact_particle_meshes_bounds(const tact_model* model);

/// Particles as rows of x y z radius vx vy vz from the bytes of an array file with seven columns, or four for particles
/// at rest. *rows is from malloc, never NULL on success.
bool tact_particle_rows_parse(const void* bytes, size_t size, const char* name, float** rows, size_t* count,
                              tact_problem* problem);

/// `count` finite numbers, separated by commas. `what` names the option in messages.
bool tact_floats_parse(const char* what, const char* text, int count, float* values, tact_problem* problem);
