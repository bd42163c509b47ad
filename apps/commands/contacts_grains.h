// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Bodies of `tact contacts` that move as grains.

#include "apps/inputs/body_input.h"
#include "apps/particles/particles.h"
#include "apps/pictures/pictures.h"
#include "tact/body_grains.h"

/// What the command line says. Texts are NULL where an option is not given.
typedef struct tact_contacts_grains_options {
    const char *dt, *gravity, *stiffness, *shear, *restitution, *friction, *rolling, *cohesion;
    int law;  ///< one ahead of a tact_grain_springs; 0: not given
    uint64_t substeps;
    const char *frames, *size, *camera;
    int color;       ///< one ahead of a tact_body_color; 0: not given
    uint64_t every;  ///< steps from frame to frame; 0: not given
} tact_contacts_grains_options;

/// All zero: there are none.
typedef struct tact_contacts_grains {
    const tact_contacts_grains_options* options;
    const tact_body_input* input;
    tact_context* context;
    tact_body_grains* grains;
    float dt;
    tact_vec3 gravity;
    tact_grain_law law;
    bool stiff;     ///< the law's stiffness is given
    float fastest;  ///< at the end of a fall over the scene
    tact_picture_view view;
    tact_bodies_stage stage;  ///< of the frames
    float* velocities;        ///< of each body, then their spins
    tact_body_grains_totals totals;
    float stable_step;
    size_t moved;       ///< bodies of finite mass
    double ms;          ///< of all steps
    uint64_t pictures;  ///< written
    tact_digest state;  ///< of all poses, velocities and spins
} tact_contacts_grains;

/// Whether the options fit to each other and to a number of steps; works out what they say. `options` must outlive it.
bool tact_contacts_grains_check(const tact_contacts_grains_options* options, uint64_t steps, tact_contacts_grains* g,
                                tact_problem* problem);

/// Lets the bodies of a set go, which must outlive it. `name` is what messages call the input, which is kept.
bool tact_contacts_grains_begin(tact_contacts_grains* g, const tact_body_input* input, const char* name,
                                tact_bodies* set, tact_context* context, tact_problem* problem);

/// Takes a step, and reads the poses.
bool tact_contacts_grains_step(tact_contacts_grains* g, tact_bodies* set, tact_pose* poses,
                               const tact_query_options* options, tact_problem* problem);

/// Writes the picture after `step` steps, where it has any; 0: before all.
bool tact_contacts_grains_frame(tact_contacts_grains* g, uint64_t step, const tact_pose* poses, tact_problem* problem);

/// Writes a picture of the end.
bool tact_contacts_grains_image(tact_contacts_grains* g, const char* path, const tact_pose* poses,
                                tact_problem* problem);

void tact_contacts_grains_json(const tact_contacts_grains* g, cJSON* root);
void tact_contacts_grains_print(const tact_contacts_grains* g);
void tact_contacts_grains_free(tact_contacts_grains* g);
