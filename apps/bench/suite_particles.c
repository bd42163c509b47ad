// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "apps/bench/particles.h"
#include "apps/bench/suite.h"
#include "apps/system.h"

// Steps of particle systems, and lists of neighbours.

enum { ALL = 1u << TACT_BACKEND_CPU | 1u << TACT_BACKEND_GL | 1u << TACT_BACKEND_CL };

typedef struct particle_work {
    tact_context* context;
    tact_particles_bench_case c;
    tact_particles* particles;
    tact_neighbour_lists lists;
} particle_work;

static bool open_particles(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                           double* setup_ms, tact_problem* problem)
{
    (void)setup_ms;
    particle_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) return tact_problem_out_of_memory(problem, "the particles");
    w->context = input->context;
    return tact_particles_bench_open(&w->c, (tact_particle_work)query->argument, query->set, (size_t)size, input->seed,
                                     problem);
}

/// Each backend begins with the same state.
static tact_result begin_particles(void* own)
{
    particle_work* w = own;
    tact_particles_destroy(w->particles);
    w->particles = NULL;
    return tact_particle_setup_create(&w->c.setup, w->context, &w->particles);
}

static tact_result ask_step(void* own, const tact_query_options* options, tact_query_report* report)
{
    particle_work* w = own;
    const double start = tact_system_milliseconds();
    tact_result result = tact_particles_step(w->particles, w->c.setup.dt, 1, 1, options, report);
    if (result < TACT_OK) return result;
    result = tact_particles_wait(w->particles);
    report->query_ms = tact_system_milliseconds() - start - report->upload_ms;
    return result;
}

static bool answer_step(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    particle_work* w = own;
    size_t rows = 0;
    float* state = tact_particle_rows(w->particles, w->context, &rows, problem);
    if (!state) return false;
    answer->digest = tact_digest_of(state, rows * 7 * sizeof *state);
    answer->results = rows;
    free(state);
    return true;
}

static tact_result ask_neighbours(void* own, const tact_query_options* options, tact_query_report* report)
{
    particle_work* w = own;
    return tact_particles_neighbours(w->particles, w->c.radius, w->c.kind, &w->lists, options, report);
}

static bool answer_neighbours(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    particle_work* w = own;
    answer->results = w->lists.offsets[w->lists.slots];
    return tact_particles_bench_digest(&w->lists, w->c.kind == TACT_NEIGHBOURS_ONCE, &answer->digest, problem);
}

static void close_particles(void* own)
{
    particle_work* w = own;
    if (!w) return;
    tact_particles_destroy(w->particles);
    tact_particles_bench_close(&w->c);
    free(w);
}

#define PARTICLES                                                                                                      \
    .unit = "particles", .backends = ALL, .first = 100, .most = 1000000, .quick_most = 100000, .reference_most = 1000, \
    .open = open_particles, .begin = begin_particles, .close = close_particles

const tact_suite_query tact_suite_particle_queries[] = {
    {.name = "particles_spring",
     .title = "Particles, a step of springs and dashpots",
     .set = "dense",
     .found = "particles",
     .about = "A step of spheres that touch a few others each; the state stays on the device. Each state is checked.",
     .moves = true,
     .argument = TACT_WORK_SPRING,
     .ask = ask_step,
     .answer = answer_step,
     PARTICLES},
    {.name = "particles_position",
     .title = "Particles, a position-based step",
     .set = "dense",
     .found = "particles",
     .about = "The same, position-based.",
     .moves = true,
     .argument = TACT_WORK_POSITION,
     .ask = ask_step,
     .answer = answer_step,
     PARTICLES},
    {.name = "neighbours",
     .title = "Neighbour lists",
     .set = "sparse",
     .found = "neighbours",
     .about = "The lists of all points within a radius, about six each, brought back; points are sorted already.",
     .argument = TACT_WORK_LISTS_AGAIN,
     .ask = ask_neighbours,
     .answer = answer_neighbours,
     PARTICLES},
    {.name = NULL},
};
