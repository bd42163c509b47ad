// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Moving particle systems on, and asking for contacts and neighbours.

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "base/platform.h"
#include "core/dispatch/dispatch.h"
#include "core/particles/clump_table.h"
#include "core/particles/programs.h"
#include "core/particles/spread.h"
#include "core/particles/spread_engine.h"
#include "core/particles/surfaces.h"
#include "core/query/ask.h"
#include "core/query/sample.h"
#include "cpu_ref/pair_keys.h"

enum { MOST_SUBSTEPS = 65536 };

/// The state is what the host last had.
static void roll_back(tact_particles* p)
{
    p->engine_fresh = false;
    p->mirror_fresh = true;
    p->clock = p->mirror_clock;
    memcpy(p->emitter_states, p->mirror_emitter_states, sizeof p->emitter_states);
    tact_surfaces_roll_back(p);
    // Ids follow the state.
    if (p->used) memset(p->used, 0, p->used_capacity * sizeof *p->used);
    p->count = p->mirror.count;
    p->free_from = 0;
    for (size_t i = 0; i < p->mirror.count; ++i) {
        const uint32_t id = p->mirror.tag[i][0];
        TACT_ASSERT(id < p->id_end && id / 64 < p->used_capacity);
        p->used[id / 64] |= UINT64_C(1) << (id % 64);
    }
}

typedef struct step_arguments {
    tact_particles* particles;
    float dt;
    uint32_t substeps, steps;
    uint64_t target;  ///< what the clock's steps are to be
    bool intact;      ///< the last step failed before it changed anything that cannot be gone on from
    bool lost;        ///< steps were lost that cannot be taken again, so no other backend may go on
    bool met;         ///< of a spread system: all ranks have begun
    void* before;     ///< shadow checking: the system as it was, as saved
    size_t before_size;
} step_arguments;

/// The greatest speed of a substep: the caller's or eight radii, and no more than a period, which is as far as a
/// position can be wrapped, or than what cannot pass a surface that is there (kernels/particle_way.h).
static float speed_limit(const tact_particles* p, float dt)
{
    TACT_ASSERT(dt > 0.0f);
    float limit = p->desc.speed_limit > 0.0f ? p->desc.speed_limit : 8.0f * p->max_radius / dt;
    const TactGridAxis* const axes[3] = {&p->model.grid.x, &p->model.grid.y, &p->model.grid.z};
    for (int i = 0; i < 3; ++i) {
        const float most = 0.999f * axes[i]->period / dt;
        if (axes[i]->period > 0.0f && limit > most) limit = most;
    }
    const float longest = TACT_WAY_LONGEST * p->min_radius / dt;
    if (p->model.solid_count + p->model.body_count > 0 && limit > longest) limit = longest;
    return limit <= TACT_SPEED_RANGE ? limit : TACT_SPEED_RANGE;
}

/// Whether the steps since the host's copy can be done again, and notes one more.
static void write_journal(tact_particles* p, const step_arguments* a)
{
    TACT_ASSERT(a->substeps >= 1);
    tact_particle_journal* j = &p->journal;
    if (p->mirror_fresh) *j = (tact_particle_journal){0};
    if (j->steps > 0 && (j->dt != a->dt || j->substeps != a->substeps)) j->broken = true;
    j->dt = a->dt;
    j->substeps = a->substeps;
    ++j->steps;
}

static tact_result one_step(tact_particles* p, tact_particle_engine* engine, step_arguments* a)
{
    TACT_ASSERT(a->substeps >= 1 && a->substeps <= MOST_SUBSTEPS && a->dt > 0.0f);
    a->intact = true;
    p->model.motion.dt = a->dt / (float)a->substeps;
    tact_result result = tact_surfaces_begin(p, a->dt);
    if (result != TACT_OK) {
        a->intact = result != TACT_ERROR_DEVICE_LOST;
        return result;
    }
    result = tact_programs_begin(p);
    if (result != TACT_OK) {
        a->intact = result != TACT_ERROR_DEVICE_LOST;
        tact_surfaces_take_back(p);
        return result;
    }
    write_journal(p, a);
    p->model.step_begin = p->clock.time;
    p->model.substep_time = (double)a->dt / (double)a->substeps;
    result = tact_particles_emit(p, engine, &a->intact);
    if (result == TACT_OK && !tact_particles_reserve_drain(p)) result = TACT_ERROR_OUT_OF_MEMORY;
    const double rate = (double)p->desc.drag * (double)p->model.motion.dt;
    p->model.motion.drag = (float)(1.0 / (1.0 + rate));
    p->model.motion.speed_limit = speed_limit(p, p->model.motion.dt);
    tact_grains_set_units(p);
    if (result == TACT_OK) result = tact_particles_engine(p, engine->type->backend, 0, &engine);
    if (p->spread) result = tact_ranks_agree(p->spread->ranks, result);
    if (result == TACT_OK) a->intact = false;
    p->model.id_end = p->id_end;
    const float before = p->clock.dt;
    p->clock.dt = p->model.motion.dt;  // servos measure within the step
    if (result == TACT_OK) result = tact_surfaces_step(p, engine, a->substeps);
    tact_programs_end(p);
    if (result != TACT_OK) {
        p->clock.dt = before;
        tact_surfaces_take_back(p);
    } else {
        ++p->clock.steps;
        p->clock.substeps += a->substeps;
        p->clock.time += (double)a->dt;
        result = tact_particles_drain(p, engine);
    }
    return result;
}

/// Forces that are nowhere any more. Those who take steps then have been told so, with `result`.
static tact_result take_off_forces(tact_particles* p, tact_result result)
{
    p->forces_away = NULL;
    p->model.forces = NULL;
    p->model.force_count = 0;
    ++p->model.forces_version;
    return result;
}

/// Goes back to the host's copy. The failure is passed on where another backend can do the steps since then again.
static tact_result recover(step_arguments* a, tact_result failure)
{
    tact_particles* p = a->particles;
    if (p->spread) {
        p->spread->lost = a->lost = true;
        return failure;
    }
    const bool again = !p->journal.broken;
    const bool forces_kept = tact_particles_fetch_forces(p) == TACT_OK;
    if (again && forces_kept && p->clock.steps > p->known_steps) p->known_steps = p->clock.steps;
    roll_back(p);
    p->journal = (tact_particle_journal){0};
    if (again && forces_kept) return failure;
    a->lost = true;
    const tact_result result = tact_fail_within(&p->context->env, TACT_ERROR_DEVICE_LOST,
                                                "steps%s were lost with the device; the state is that of step %llu: ",
                                                forces_kept ? "" : " and forces", (unsigned long long)p->clock.steps);
    return forces_kept ? result : take_off_forces(p, result);
}

/// The engine that is to take the steps, with the present state, or with the host's where the engine that had it fails.
static tact_result take_over(step_arguments* a, tact_backend backend, uint32_t device, tact_particle_engine** engine)
{
    tact_particles* p = a->particles;
    // The detail is that of the backend that lost them.
    if (a->lost) return TACT_ERROR_DEVICE_LOST;
    tact_result result = tact_particles_engine(p, backend, device, engine);
    if (result == TACT_OK || result == TACT_ERROR_OUT_OF_MEMORY || !*engine) return result;
    if (p->mirror_fresh ? !p->forces_away || p->forces_away == *engine : p->engines[p->home] == *engine) return result;
    result = recover(a, result);
    return a->lost ? result : tact_particles_engine(p, backend, device, engine);
}

/// What brings the system back to where it is now, should a device lose the steps since the host's copy.
static step_arguments lost_steps(tact_particles* p)
{
    return (step_arguments){
        .particles = p, .dt = p->journal.dt, .substeps = p->journal.substeps, .target = p->clock.steps, .intact = true};
}

static tact_result take_again(step_arguments* a, tact_particle_engine* engine)
{
    tact_particles* p = a->particles;
    tact_result result = TACT_OK;
    while (result == TACT_OK && p->clock.steps < a->target) {
        result = one_step(p, engine, a);
    }
    return result != TACT_OK && !p->mirror_fresh && !a->intact ? recover(a, result) : result;
}

tact_result tact_particles_recall(tact_particles* p)
{
    if (p->spread && p->spread->lost) {
        return tact_fail(&p->context->env, TACT_ERROR_DEVICE_LOST,
                         "a step failed on one of the ranks: the system is as it was last saved");
    }
    tact_result result = tact_particles_fetch(p);
    if (result != TACT_ERROR_DEVICE_LOST) return result;
    step_arguments a = lost_steps(p);
    result = recover(&a, result);
    if (a.lost) return result;
    tact_log(&p->context->env, TACT_LOG_WARNING, "particles",
             "%llu steps were lost with a device, and are taken again on the CPU",
             (unsigned long long)(a.target - p->clock.steps));
    // Steps do not depend on how the caller rounds; a query's dispatch sees to that, but this is not within one.
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    tact_particle_engine* engine = NULL;
    result = tact_particles_engine(p, TACT_BACKEND_CPU, 0, &engine);
    if (result == TACT_OK) result = take_again(&a, engine);
    if (result == TACT_OK) result = tact_particles_fetch(p);
    p->known_steps = 0;
    tact_float_env_leave(&float_env);
    return result;
}

/// Of a spread system, what all ranks make of the beginning of a call.
static tact_result meet(step_arguments* a, tact_particle_engine* engine, tact_result result)
{
    const tact_particle_spread* s = a->particles->spread;
    if (!s || a->met) return result;
    a->met = true;
    return tact_spread_engine_meet(engine, s->ranks, result);
}

static tact_result run_steps(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                             tact_query_report* report)
{
    step_arguments* a = arguments;
    const tact_backend backend = report->backend;
    tact_particles* p = a->particles;
    const double start = tact_platform_milliseconds();
    tact_particle_engine* engine = NULL;
    p->model.threads = options->threads;
    tact_result result = take_over(a, backend, device, &engine);
    result = meet(a, engine, result);
    report->upload_ms = tact_platform_milliseconds() - start;
    const uint64_t first = p->clock.steps;
    while (result == TACT_OK && p->clock.steps < a->target) {
        result = one_step(p, engine, a);
        if (result != TACT_OK) break;
        const double done = (double)(p->clock.steps - first) / (double)(a->target - first);
        uint64_t stop = options->progress && !options->progress(done, options->progress_user);
        if (p->spread) result = tact_ranks_combine(p->spread->ranks, TACT_RANKS_MAX, &stop, 1);
        if (result == TACT_OK && stop && p->clock.steps < a->target) {
            return tact_fail(&context->env, TACT_ERROR_CANCELLED, "cancelled after step %llu",
                             (unsigned long long)p->clock.steps);
        }
    }
    // Who measures means the steps, not handing them over.
    if (result == TACT_OK && tact_dispatch_watched(context) && engine->type->wait) result = engine->type->wait(engine);
    if (result != TACT_OK && engine && !p->mirror_fresh && !a->intact) result = recover(a, result);
    report->threads = backend == TACT_BACKEND_CPU || backend == TACT_BACKEND_REFERENCE ? options->threads : 0;
    if (engine) report->memory_bytes = engine->type->bytes(engine);
    report->query_ms = tact_platform_milliseconds() - start - report->upload_ms;
    return result;
}

typedef struct contacts_arguments {
    tact_particles* particles;
    step_arguments again;  ///< the steps to the present state, for backends after one that loses it
    tact_particle_contact* contacts;
    size_t capacity;
    size_t* count;
    float radius;
    tact_neighbour_kind kind;
    tact_neighbour_lists* lists;
} contacts_arguments;

static tact_result run_contacts(tact_context* context, uint32_t device, void* arguments,
                                const tact_query_options* options, tact_query_report* report)
{
    contacts_arguments* a = arguments;
    tact_particles* p = a->particles;
    (void)context;
    const double start = tact_platform_milliseconds();
    tact_particle_engine* engine = NULL;
    p->model.threads = options->threads;
    tact_result result = take_over(&a->again, report->backend, device, &engine);
    result = meet(&a->again, engine, result);
    if (result == TACT_OK) result = take_again(&a->again, engine);
    report->upload_ms = tact_platform_milliseconds() - start;
    if (result == TACT_OK && a->lists)
        result = engine->type->neighbours(engine, &p->model, a->radius, a->kind, a->lists);
    else if (result == TACT_OK) {
        const uint64_t placed = p->spread ? p->spread->info.placed : 0;
        result = tact_particles_list_contacts(p, engine, a->contacts, a->capacity, a->count);
        if (p->spread) tact_spread_note_places(p, placed);
        if (result == TACT_OK && *a->count > a->capacity) result = TACT_INCOMPLETE;
    }
    if (result == TACT_ERROR_DEVICE_LOST && engine && !p->mirror_fresh) result = recover(&a->again, result);
    report->threads = options->threads;
    if (engine) report->memory_bytes = engine->type->bytes(engine);
    report->query_ms = tact_platform_milliseconds() - start - report->upload_ms;
    return result;
}

// Rates of an ordinary desktop, in force until they are measured on the machine at hand.

static tact_cost cost_of(const tact_device_info* device, const tact_particles* p, double updates)
{
    tact_cost cost;
    if (device->backend == TACT_BACKEND_CPU) {
        cost = tact_cost_of(NULL, 0.01, updates * 8e-5 / tact_dispatch_threads(device), 0.0, 0.0);
    } else {
        // The state goes there, unless that is where it is.
        const bool there = p->engine_fresh && p->home == device->backend;
        const double up = there ? 0.0 : (double)p->count * 100.0;
        cost = device->software ? tact_cost_of(NULL, 2.0, updates * 4e-4, up, 0.0)
                                : tact_cost_of(NULL, 0.3, updates * 2e-6, up, 0.0);
    }
    // And then stays where it went.
    cost.lasting = true;
    return cost;
}

static tact_cost cost_steps(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const step_arguments* a = arguments;
    (void)index;
    const double updates = (double)a->particles->count * (double)a->steps * (double)a->substeps;
    return cost_of(device, a->particles, updates);
}

static tact_cost cost_contacts(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const tact_particles* p = ((const contacts_arguments*)arguments)->particles;
    (void)index;
    return cost_of(device, p, (double)p->count);
}

static const tact_query_backend step_backends[] = {
    TACT_ALL_BACKENDS(run_steps, cost_steps, run_steps, cost_steps, run_steps)};
static const tact_query_backend contacts_backends[] = {
    TACT_ALL_BACKENDS(run_contacts, cost_contacts, run_contacts, cost_contacts, run_contacts)};
static tact_result check_steps(tact_context* context, void* arguments, const tact_query_options* options)
{
    const step_arguments* a = arguments;
    (void)context;
    return tact_particles_shadow_steps(a->particles, a->before, a->before_size, a->dt, a->substeps, a->steps,
                                       options->threads);
}

static tact_result check_contacts(tact_context* context, void* arguments, const tact_query_options* options)
{
    const contacts_arguments* a = arguments;
    (void)context;
    (void)options;
    return tact_particles_shadow_contacts(a->particles, a->contacts, a->capacity, *a->count);
}

/// The options with the system's backend where they leave it open: the one that has the state, if any. `*why`: what is
/// to be said of it; NULL: the caller chose it, or it is open still.
static tact_query_options options_for(const tact_particles* p, const tact_query_options* given, const char** why)
{
    tact_query_options options = {0};
    if (given) options = *given;
    *why = NULL;
    // What one rank does the others wait for.
    if (p->spread) options.no_fallback = true;
    if (options.backend != TACT_BACKEND_AUTO) return options;
    if (p->desc.backend != TACT_BACKEND_AUTO) {
        options.backend = p->desc.backend;
        *why = "the system was made for it";
    } else if (p->engine_fresh) {
        options.backend = p->home;
        *why = "the state is there";
    } else if (p->spread) {
        options.backend = TACT_BACKEND_CPU;
        *why = "the system is spread over ranks";
    }
    return options;
}

static tact_result check_step(tact_particles* p, float dt, uint32_t* substeps)
{
    tact_env* env = &p->context->env;
    if (!(dt > 0.0f && dt <= 1e15f)) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a step of %g s", (double)dt);
    const float stable = tact_particles_stable_step(p);
    if (*substeps == 0) {
        const double wanted = isinf(stable) ? 1.0 : ceil((double)dt / (double)stable);
        *substeps = wanted <= MOST_SUBSTEPS ? (uint32_t)wanted : MOST_SUBSTEPS + 1;
        if (*substeps == 0) *substeps = 1;
    }
    if (*substeps > MOST_SUBSTEPS) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a step of %g s takes more than %d substeps of %g s",
                         (double)dt, MOST_SUBSTEPS, (double)stable);
    }
    if (dt / (float)*substeps > 20.0f * stable) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "substeps of %g s are longer than a contact; at most %g s resolve it well",
                         (double)dt / (double)*substeps, (double)stable);
    }
    if (!(dt / (float)*substeps > 1e-30f)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%u substeps of %g s", (unsigned)*substeps, (double)dt);
    }
    return TACT_OK;
}

/// Everything that the system is, as bytes from tact_allocate(); NULL where that cannot be had. What went wrong is the
/// recorder's affair: the error's detail stays.
static uint8_t* state_of(tact_particles* p, size_t* size)
{
    tact_env* env = &p->context->env;
    char error[sizeof env->error];
    memcpy(error, tact_last_error(), sizeof error);
    uint8_t* bytes = NULL;
    if (tact_particles_save(p, NULL, 0, size) == TACT_INCOMPLETE) bytes = tact_allocate(env, *size, 1);
    if (bytes && tact_particles_save(p, bytes, *size, size) != TACT_OK) {
        tact_release(env, bytes);
        bytes = NULL;
    }
    tact_error_restore(env, error);
    return bytes;
}

/// A call of a system in its present state, which must be released: given[0].data.
static tact_call call_of(tact_particles* p, const tact_query* query, void* arguments, uint64_t count,
                         const tact_query_options* instead, const char* why)
{
    size_t size = 0;
    uint8_t* state = p->context->recorder && !p->spread ? state_of(p, &size) : NULL;
    return (tact_call){.context = p->context,
                       .query = query,
                       .arguments = arguments,
                       .count = count,
                       .given = {{state, state ? size : 1}},
                       .missing = p->spread           ? "a system over ranks cannot be recorded"
                                  : p->calls.function ? "a force function cannot be recorded"
                                  : state             ? NULL
                                                      : "the state could not be copied",
                       .instead = instead,
                       .why = why};
}

/// Of a spread system, whether all ranks can do what is asked.
static tact_result check_ranks(tact_particles* p, const tact_query_options* options)
{
    if (!p->spread) return TACT_OK;
    tact_result result = TACT_OK;
    if (p->spread->lost) result = tact_particles_recall(p);
    if (options->shadow) result = tact_spread_check_alone(p, "shadow checking");
    return tact_ranks_agree(p->spread->ranks, result);
}

static tact_result ask(tact_particles* p, const tact_call* call, const tact_query_options* options,
                       tact_query_report* report)
{
    const tact_result result = tact_ask(call, options, report);
    p->known_steps = 0;
    tact_release(&call->context->env, (void*)(uintptr_t)call->given[0].data);
    return result;
}

// ---- As requests ----

static void release_particles(void* particles)
{
    tact_particles_destroy(particles);
}

/// The system, made of its state at the first asking.
static tact_result system_of(tact_request* r, const tact_query_options* options, tact_particles** p)
{
    if (!r->objects[0]) {
        const tact_backend backend = options ? options->backend : TACT_BACKEND_AUTO;
        const tact_result made = tact_particles_restore(r->context, r->given[0].data, r->given[0].count, backend, p);
        if (made != TACT_OK) return tact_request_fail(r, made);
        r->objects[0] = *p;
        tact_request_own(r, *p, release_particles);
    }
    *p = r->objects[0];
    return TACT_OK;
}

static tact_result ask_for_steps(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    float dt;
    tact_particles* p = NULL;
    tact_result result = system_of(r, options, &p);
    if (result != TACT_OK) return result;
    memcpy(&dt, &r->parameters[0], sizeof dt);
    result = tact_particles_step(p, dt, r->parameters[1], r->parameters[2], options, report);
    return result == TACT_OK ? tact_particles_wait(p) : result;
}

static tact_result ask_for_contacts(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    const uint64_t capacity = tact_request_wide(r, 0);
    tact_particles* p = NULL;
    const tact_result made = system_of(r, options, &p);
    if (made != TACT_OK) return made;
    tact_particle_contact* contacts = tact_request_list(r, 0, capacity, sizeof *contacts);
    if (!contacts) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    return tact_particles_contacts(p, contacts, (size_t)capacity, &r->count, options, report);
}

static tact_result ask_for_neighbours(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    float radius;
    tact_particles* p = NULL;
    const tact_result made = system_of(r, options, &p);
    if (made != TACT_OK) return made;
    tact_neighbour_lists* lists = tact_request_room(r, 0, 1, sizeof *lists);
    if (!lists) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    memcpy(&radius, &r->parameters[0], sizeof radius);
    return tact_particles_neighbours(p, radius, (tact_neighbour_kind)r->parameters[1], lists, options, report);
}

enum { EQUAL, UNIFORM, POWER_LAW, BIMODAL, POSITIONS, LITTLE_ROOM, ALL_NEIGHBOURS };  // radii, and features

/// A radius of at most a half.
static float radius_of(tact_sample* s)
{
    if (s->of->variant < UNIFORM || s->of->variant > BIMODAL) return 0.5f;
    const float u = tact_sample_uniform(s);
    if (s->of->variant == UNIFORM) return 0.1f + 0.4f * u;
    if (s->of->variant == BIMODAL) return u < 0.1f ? 0.0625f : 0.5f;
    // As many above a radius as its power of -1.5 says, of sizes 16 to 1: 64 is 16^1.5.
    const float root = tact_sample_cube_root(64.0f - 63.0f * u);
    return fmaxf(0.5f / (root * root), 0.03125f);
}

static tact_result sample_system(tact_sample* s)
{
    tact_request* r = &s->request;
    float* positions = tact_request_array(r, s->size, 4 * sizeof *positions);
    if (!positions) return TACT_ERROR_OUT_OF_MEMORY;
    float* radii = positions + 3 * s->size;
    size_t edge = 1;
    while (edge * edge * edge < s->size)
        ++edge;
    for (size_t i = 0; i < s->size; ++i) {
        const size_t at[3] = {i % edge, i / edge % edge, i / (edge * edge)};
        for (int k = 0; k < 3; ++k)
            positions[3 * i + (size_t)k] = 0.98f * (float)at[k] + 0.51f + 0.02f * tact_sample_uniform(s);
        radii[i] = radius_of(s);
    }
    const float top = (float)edge + 2.0f;
    const tact_particles_desc desc = {
        .response = s->of->variant == POSITIONS ? TACT_RESPONSE_POSITION : TACT_RESPONSE_SPRING,
        .domain = {{0, 0, 0}, {top, top, top}},
        .gravity = {0, 0, -9.81f},
        .reserve = s->size};
    const tact_particle_arrays arrays = {.positions = positions, .radii = radii};
    tact_particles* p = NULL;
    const tact_result result = tact_particles_create(r->context, &desc, &p);
    if (result != TACT_OK) return result;
    r->objects[0] = p;
    tact_request_own(r, p, release_particles);
    return tact_particles_add(p, &arrays, s->size, NULL);
}

static tact_result sample_steps(tact_sample* s)
{
    const float dt = 1e-4f;
    memcpy(&s->request.parameters[0], &dt, sizeof dt);
    s->request.parameters[1] = 1;  // substeps
    s->request.parameters[2] = 4;  // steps
    return sample_system(s);
}

static tact_result sample_contacts(tact_sample* s)
{
    tact_request_set_wide(&s->request, 0, s->of->variant == LITTLE_ROOM ? 5 : 4 * (uint64_t)s->size);
    return sample_system(s);
}

static tact_result sample_neighbours(tact_sample* s)
{
    const float radius = 1.5f;
    memcpy(&s->request.parameters[0], &radius, sizeof radius);
    s->request.parameters[1] = s->of->variant == ALL_NEIGHBOURS ? TACT_NEIGHBOURS_ALL : TACT_NEIGHBOURS_ONCE;
    return sample_system(s);
}

static const tact_query_sample step_samples[] = {
    {NULL, "particles", 256, 1 << 17, EQUAL, false},
    {NULL, "particles of uniform radii", 256, 1 << 17, UNIFORM, true},
    {NULL, "particles of power-law radii", 256, 1 << 17, POWER_LAW, true},
    {NULL, "particles of two radii", 256, 1 << 17, BIMODAL, true},
};
static const tact_query_sample list_samples[] = {{NULL, "particles", 256, 1 << 17, EQUAL, false}};
#define FEATURE(name, what)                                                \
    {                                                                      \
        .items = (name), .smallest = 40, .largest = 400, .variant = (what) \
    }
static const tact_query_sample step_features[] = {FEATURE("particles by positions", POSITIONS)};
static const tact_query_sample contact_features[] = {FEATURE("contacts with little room", LITTLE_ROOM)};
static const tact_query_sample neighbour_features[] = {FEATURE("all neighbours", ALL_NEIGHBOURS)};

static void answer_step(const void* arguments, tact_record_call* record)
{
    const step_arguments* a = arguments;
    size_t size = 0;
    uint8_t* state = state_of(a->particles, &size);
    if (state) tact_record_answer(record, state, size);
    tact_release(&a->particles->context->env, state);
}

const tact_query tact_query_step = {
    .name = "moving particles",
    TACT_BACKENDS(step_backends),
    .compare = check_steps,
    .kind = TACT_RECORDED_PARTICLES,
    .word = "particles",
    .unit = "steps",
    .asynchronous = true,
    .inputs = {{TACT_CHUNK_ARRAY, false, "state", 0, TACT_RECORDED_BYTES}},
    .answer = answer_step,
    .ask = ask_for_steps,
    TACT_SAMPLES(sample_steps, step_samples),
    TACT_FEATURES(step_features),
};

tact_result tact_particles_step(tact_particles* p, float dt, uint32_t substeps, uint32_t steps,
                                const tact_query_options* given, tact_query_report* report)
{
    if (!tact_enter_query(p ? p->context : NULL, "particles", given)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_result result = check_step(p, dt, &substeps);
    if (result != TACT_OK) return result;
    step_arguments a = {.particles = p,
                        .dt = dt,
                        .substeps = substeps,
                        .steps = steps,
                        .target = p->clock.steps + steps,
                        .intact = true};
    const char* why;
    const tact_query_options options = options_for(p, given, &why);
    result = check_ranks(p, &options);
    if (result != TACT_OK) return result;
    if (options.shadow) result = tact_particles_shadow_save(p, &a.before, &a.before_size);
    if (result == TACT_OK) {
        tact_call call = call_of(p, &tact_query_step, &a, steps, &options, why);
        memcpy(&call.parameters[0], &dt, sizeof dt);
        call.parameters[1] = substeps;
        call.parameters[2] = steps;
        result = meet(&a, NULL, ask(p, &call, given, report));
    }
    tact_release(&p->context->env, a.before);
    return result;
}

static void answer_contacts(const void* arguments, tact_record_call* record)
{
    const contacts_arguments* a = arguments;
    const size_t there = *a->count < a->capacity ? *a->count : a->capacity;
    tact_record_answer(record, a->contacts, there * sizeof *a->contacts);
}

const tact_query tact_query_contacts = {
    .name = "finding contacts",
    TACT_BACKENDS(contacts_backends),
    .compare = check_contacts,
    .kind = TACT_RECORDED_CONTACTS,
    .word = "contacts",
    .unit = "contacts",
    .inputs = {{TACT_CHUNK_ARRAY, false, "state", 0, TACT_RECORDED_BYTES}},
    .answer = answer_contacts,
    .ask = ask_for_contacts,
    .room = 1 + 0,
    TACT_SAMPLES(sample_contacts, list_samples),
    TACT_FEATURES(contact_features),
};

tact_result tact_particles_contacts(tact_particles* p, tact_particle_contact* contacts, size_t capacity, size_t* count,
                                    const tact_query_options* given, tact_query_report* report)
{
    if (!tact_enter_query(p ? p->context : NULL, "particles", given)) return TACT_ERROR_INVALID_ARGUMENT;
    if (!count) return tact_null(&p->context->env, "count");
    if (capacity > 0 && !contacts) return tact_null(&p->context->env, "contacts");
    *count = 0;
    contacts_arguments a = {
        .particles = p, .again = lost_steps(p), .contacts = contacts, .capacity = capacity, .count = count};
    const char* why;
    const tact_query_options options = options_for(p, given, &why);
    const tact_result result = check_ranks(p, &options);
    if (result != TACT_OK) return result;
    tact_call call = call_of(p, &tact_query_contacts, &a, capacity, &options, why);
    call.parameters[0] = (uint32_t)capacity;
    call.parameters[1] = (uint32_t)((uint64_t)capacity >> 32);
    return meet(&a.again, NULL, ask(p, &call, given, report));
}

/// Which particles are near each other, by id, since slots are each backend's own: (a, b) in ascending order, a below b
/// where each pair is listed once.
static void record_neighbours(tact_record_call* call, const tact_neighbour_lists* lists, tact_neighbour_kind kind)
{
    if (!call->context) return;
    tact_env* env = &call->context->env;
    const size_t count = lists->slots > 0 ? (size_t)lists->offsets[lists->slots] : 0;
    char error[sizeof env->error];
    memcpy(error, tact_last_error(), sizeof error);
    uint64_t* keys = tact_allocate(env, count, sizeof *keys);
    uint64_t* spare = tact_allocate(env, count, sizeof *spare);
    if (keys && spare) {
        for (size_t s = 0; s < lists->slots; ++s) {
            for (uint64_t i = lists->offsets[s]; i < lists->offsets[s + 1]; ++i) {
                const uint64_t a = lists->ids[s], b = lists->ids[lists->neighbours[i]];
                keys[i] = kind == TACT_NEIGHBOURS_ONCE && b < a ? b << 32 | a : a << 32 | b;
            }
        }
        tact_pair_keys_sort(keys, spare, count, UINT32_MAX, UINT32_MAX);
        tact_record_answer(call, keys, count * sizeof *keys);
    }
    tact_release(env, spare);
    tact_release(env, keys);
    tact_error_restore(env, error);
}

static void answer_neighbours(const void* arguments, tact_record_call* record)
{
    const contacts_arguments* a = arguments;
    record_neighbours(record, a->lists, a->kind);
}

const tact_query tact_query_neighbours = {
    .name = "finding neighbours",
    TACT_BACKENDS(contacts_backends),
    .kind = TACT_RECORDED_NEIGHBOURS,
    .word = "neighbours",
    .unit = "particles",
    .inputs = {{TACT_CHUNK_ARRAY, false, "state", 0, TACT_RECORDED_BYTES}},
    .answer = answer_neighbours,
    .ask = ask_for_neighbours,
    TACT_SAMPLES(sample_neighbours, list_samples),
    TACT_FEATURES(neighbour_features),
};

tact_result tact_particles_neighbours(tact_particles* p, float radius, tact_neighbour_kind kind,
                                      tact_neighbour_lists* lists, const tact_query_options* given,
                                      tact_query_report* report)
{
    if (!tact_enter_query(p ? p->context : NULL, "particles", given)) return TACT_ERROR_INVALID_ARGUMENT;
    if (!lists) return tact_null(&p->context->env, "lists");
    *lists = (tact_neighbour_lists){0};
    tact_env* env = &p->context->env;
    const tact_result alone = tact_spread_check_alone(p, "neighbour lists");
    if (alone != TACT_OK) return alone;
    if (given && given->shadow) {
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "neighbour lists cannot be shadow checked");
    }
    if (!(radius > 0.0f && radius <= 1e15f)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "neighbours within %g", (double)radius);
    }
    if (kind != TACT_NEIGHBOURS_ALL && kind != TACT_NEIGHBOURS_ONCE) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%d is no kind of neighbours", (int)kind);
    }
    const float* lower = &p->desc.domain.lower.x;
    const float* upper = &p->desc.domain.upper.x;
    for (int i = 0; i < 3; ++i) {
        if (p->desc.boundary[i] != TACT_BOUNDARY_PERIODIC || upper[i] - lower[i] >= 3.0625f * radius) continue;
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "the domain repeats along %c every %g: too short for neighbours "
                         "within %g",
                         'x' + i, (double)(upper[i] - lower[i]), (double)radius);
    }
    contacts_arguments a = {.particles = p, .again = lost_steps(p), .radius = radius, .kind = kind, .lists = lists};
    const char* why;
    const tact_query_options options = options_for(p, given, &why);
    tact_call call = call_of(p, &tact_query_neighbours, &a, p->count, &options, why);
    memcpy(&call.parameters[0], &radius, sizeof radius);
    call.parameters[1] = (uint32_t)kind;
    return ask(p, &call, given, report);
}

tact_result tact_particles_wait(tact_particles* p)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_particle_engine* e = p->engine_fresh ? p->engines[p->home] : NULL;
    return e && e->type->wait ? e->type->wait(e) : TACT_OK;
}
