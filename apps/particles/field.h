// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The benchmarks that are customary in the field of grains, `tact particles --scene`: a turning drum, a silo with an
/// orifice, a chute, a heap, a ball dropped into a bed. What they are laid out as, what happens in them when, and what
/// is measured. docs/grains.md has what they are compared with.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "apps/inputs/model.h"
#include "apps/problem.h"
#include "tact/particle_surfaces.h"

typedef enum tact_field_scene {
    TACT_FIELD_NONE = 0,
    TACT_FIELD_DRUM,
    TACT_FIELD_SILO,
    TACT_FIELD_CHUTE,
    TACT_FIELD_REPOSE,
    TACT_FIELD_IMPACT,
} tact_field_scene;

/// Their names in that order, ended by NULL; the first is empty.
extern const char* const tact_field_names[];

/// What the command line says. Texts are NULL where an option is not given.
typedef struct tact_field_choices {
    int scene;  ///< a tact_field_scene
    const char *orifice, *speed, *angle, *drop;
    uint64_t lifters;
} tact_field_choices;

/// A scene laid out. Metres, kilograms, seconds; y is up.
typedef struct tact_field {
    tact_field_scene scene;
    size_t loose;  ///< grains that move: the first of the plan's; the others are glued
    float gravity;
    float diameter;        ///< mean
    float unit;            ///< of time: the root of diameter by gravity
    float width, radius;   ///< of a box; of a drum or cylinder
    float rim;             ///< radius of the plate that a heap stands on
    float orifice, speed;  ///< the silo's; of the drum, radians/s, or of the cylinder lifted
    float angle, drop;     ///< of the chute, degrees; of the ball
    float ball;            ///< its radius
    uint64_t begin, end;   ///< steps after which it begins: the orifice opens, the ball falls; and ends
    uint64_t every;        ///< steps from sample to sample
    uint64_t lifters;      ///< of the drum
    tact_model_mesh meshes[2];
    uint32_t mesh_count;
} tact_field;

enum { TACT_FIELD_VALUES = 3 };

/// What is measured now and then.
typedef struct tact_field_sample {
    double time;
    double values[TACT_FIELD_VALUES];
} tact_field_sample;

/// What is known of a run.
typedef struct tact_field_run {
    tact_field_sample* samples;  ///< from malloc
    size_t count, capacity;
    float surface;   ///< the bed's, when the ball was let go
    uint32_t ball;   ///< its id
    bool has_ball;   ///< it has been let go
    double heap[2];  ///< angle in degrees, height
    bool has_heap;
} tact_field_run;

struct tact_particle_plan;
struct tact_particle_choices;

/// Whether its options are for the scene, or there are none without one.
bool tact_field_check(const tact_field_choices* choices, tact_problem* problem);

/// Lays a scene out, of radii from `least` to `most`: all of the plan but matter and law.
bool tact_field_lay_out(const struct tact_particle_choices* choices, float least, float most,
                        struct tact_particle_plan* plan, tact_problem* problem);
void tact_field_free(tact_field* field);

/// A stiffness of two of the largest grains' material, N/m, with which they are pressed in by a fraction of their own
/// weight that is customary.
float tact_field_stiffness(const struct tact_particle_plan* plan);

/// Puts the scene into a system that is empty.
tact_result tact_field_fill(const struct tact_particle_plan* plan, tact_particles* particles);

/// The next step, up to `until`, after which tact_field_act() is to be called.
uint64_t tact_field_next(const tact_field* field, uint64_t done, uint64_t until);
/// Whether anything is due after so many steps.
bool tact_field_acts(const tact_field* field, uint64_t done);
/// After a step: lets happen what is due, and measures. `whole`: what is measured, `particles` or a copy of them; NULL:
/// another rank has it.
bool tact_field_act(const struct tact_particle_plan* plan, tact_field_run* run, tact_particles* particles,
                    tact_particles* whole, uint64_t done, tact_context* context, tact_problem* problem);
void tact_field_run_free(tact_field_run* run);

/// What a scene adds to a saved run, from malloc. NULL: nothing.
typedef struct tact_field_bytes {
    void* bytes;
    size_t size;
} tact_field_bytes;

/// What goes on with a scene: its plan, and what is known of the run.
bool tact_field_save(const struct tact_particle_plan* plan, const tact_field_run* run, tact_field_bytes* saved,
                     tact_problem* problem);
/// Gives an empty plan and run what tact_field_save() has written, and the meshes that are seen. `name`: the file's.
bool tact_field_restore(const tact_field_bytes* saved, const char* name, struct tact_particle_plan* plan,
                        tact_field_run* run, tact_problem* problem);

/// Adds the meshes that are seen in pictures and do nothing.
bool tact_field_show(struct tact_particle_plan* plan, tact_problem* problem);

/// What was found, as the scene has it.
void tact_field_json(const tact_field* field, const tact_field_run* run, cJSON* root);
void tact_field_print(const tact_field* field, const tact_field_run* run);
