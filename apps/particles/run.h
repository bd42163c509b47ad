// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A run of `tact particles`: a system that is stepped, drawn and saved on the way.

#include "apps/particles/store.h"
#include "apps/pictures/particles.h"
#include "apps/query_command.h"

typedef struct tact_particle_run_options {
    tact_particle_choices choices;
    uint64_t steps, every, save_every, window_frames;
    bool steps_given;  ///< a window without steps goes on until it is closed
    const char *resume, *save, *out, *contacts;
    const char *frames, *image, *size, *camera;
    int color;  ///< a tact_particle_color
    bool window;
    uint32_t width, height;
    float azimuth, elevation;
} tact_particle_run_options;

/// Milliseconds of a run.
typedef struct tact_particle_times {
    double build, upload, query, download;
} tact_particle_times;

typedef struct tact_particle_run {
    tact_query_run query;
    tact_particle_run_options options;
    tact_particle_plan plan;
    tact_particle_run_facts facts;
    tact_particles* particles;
    tact_particle_stage* stage;
    unsigned char* rgb;
    uint64_t first, done, chunk;  ///< the system's step at the start, now, and in the call that runs
    uint64_t last_save;
    uint64_t pictures;

    tact_particle_times times;
    float* rows;  ///< x y z radius vx vy vz of each particle at the end
    size_t count;
    tact_particle_contact* contacts;
    size_t contact_count;
    tact_particle_totals totals;
    tact_particles_info info;
} tact_particle_run;

/// Makes the system, or makes it anew.
bool tact_particle_run_start(tact_particle_run* run, tact_problem* problem);

/// Steps until the clock shows `until`.
bool tact_particle_run_steps(tact_particle_run* run, uint64_t until, tact_problem* problem);

/// All steps, with pictures and saving on the way.
bool tact_particle_run_all(tact_particle_run* run, tact_problem* problem);

/// Reads the state, lists contacts, measures, and fills the report.
bool tact_particle_run_finish(tact_particle_run* run, tact_problem* problem);

void tact_particle_run_release(tact_particle_run* run);
