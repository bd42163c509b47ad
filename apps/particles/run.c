// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/particles/particles.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/inputs/npy.h"
#include "apps/pictures/pictures.h"
#include "apps/ranks.h"
#include "apps/system.h"

/// How far all steps are, from how far a call's are.
static bool show_progress(double fraction, void* user)
{
    tact_particle_run* run = user;
    const double all = (double)(run->options.steps - run->first);
    return tact_progress_update(((double)(run->done - run->first) + fraction * (double)run->chunk) / all,
                                &run->query.progress);
}

/// Makes the system of a saved run, and a scene that goes on.
static bool resume(tact_particle_run* run, tact_problem* problem)
{
    tact_particle_run_options* o = &run->options;
    tact_context* context = run->query.session.context;
    tact_ranks* ranks = run->query.session.ranks;
    const tact_backend backend = (tact_backend)run->query.common.backend;
    tact_field_bytes scene;
    bool good =
        ranks ? tact_particle_run_load_spread(o->resume, context, ranks, backend, &run->facts, &scene, &run->particles,
                                              problem)
              : tact_particle_run_load(o->resume, context, backend, &run->facts, &scene, &run->particles, problem);
    if (good && scene.bytes) good = tact_field_restore(&scene, o->resume, &run->plan, &run->field, problem);
    free(scene.bytes);
    if (!good || o->steps_given || o->window) return good;
    if (run->plan.field.scene == TACT_FIELD_NONE) return tact_problem_set(problem, "--steps K is needed");
    o->steps = run->plan.field.end;
    return true;
}

static bool make(tact_particle_run* run, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    tact_context* context = run->query.session.context;
    const tact_backend backend = (tact_backend)run->query.common.backend;
    tact_particles_destroy(run->particles);
    run->particles = NULL;
    bool good = false;
    tact_ranks* ranks = run->query.session.ranks;
    if (o->resume) {
        good = resume(run, problem);
    } else {
        run->facts = (tact_particle_run_facts){run->plan.dt, run->plan.substeps, run->plan.look};
        good = tact_particle_plan_create(&run->plan, context, backend, &run->particles, problem);
    }
    good = good && tact_particle_program_set(&o->choices, run->particles, context, problem);
    if (!good || !ranks || o->resume) return good;
    const tact_result result = tact_particles_spread(run->particles, ranks, NULL);
    return result == TACT_OK || tact_problem_from_result(problem, result, context, "--mpi");
}

/// With --mpi, puts a copy of the whole system in the place of the first rank's part. `*here`: whether this process has
/// something to show.
static bool gather(tact_particle_run* run, bool* here, tact_problem* problem)
{
    *here = tact_tool_prints();
    if (!run->query.session.ranks) return true;
    tact_context* context = run->query.session.context;
    size_t size = 0;
    void* bytes = NULL;
    tact_particles* whole = NULL;
    tact_result result = tact_particles_save(run->particles, NULL, 0, &size);
    if (result >= 0) {
        bytes = malloc(size + 1);
        if (!bytes) return tact_problem_out_of_memory(problem, "the whole system");
        result = tact_particles_save(run->particles, bytes, size, &size);
    }
    const tact_backend backend = (tact_backend)run->query.common.backend;
    if (result == TACT_OK && *here) result = tact_particles_restore(context, bytes, size, backend, &whole);
    free(bytes);
    if (result < 0) return tact_problem_from_result(problem, result, context, "collecting the particles of all ranks");
    run->spread = run->particles;
    if (*here) run->particles = whole;
    return true;
}

/// After gather().
static void scatter(tact_particle_run* run)
{
    if (!run->spread) return;
    if (run->particles != run->spread) tact_particles_destroy(run->particles);
    run->particles = run->spread;
    run->spread = NULL;
}

bool tact_particle_run_start(tact_particle_run* run, tact_problem* problem)
{
    const double start = tact_system_milliseconds();
    run->times = (tact_particle_times){0};
    run->query.report = (tact_query_report){0};
    tact_field_run_free(&run->field);
    if (!make(run, problem)) return false;
    tact_particles_get_info(run->particles, &run->info);
    run->first = run->done = run->last_save = run->info.steps;
    run->times.build = tact_system_milliseconds() - start;
    if (run->options.steps_given || !run->options.window || run->options.resume) {
        if (run->options.steps < run->first) run->options.steps = run->first;
    }
    return true;
}

/// What a scene does and measures after these steps.
static bool act(tact_particle_run* run, tact_problem* problem)
{
    bool here;
    if (!tact_field_acts(&run->plan.field, run->done)) return true;
    if (!gather(run, &here, problem)) return false;
    tact_particles* particles = run->spread ? run->spread : run->particles;
    const bool good = tact_field_act(&run->plan, &run->field, particles, here ? run->particles : NULL, run->done,
                                     run->query.session.context, problem);
    scatter(run);
    return good;
}

bool tact_particle_run_steps(tact_particle_run* run, uint64_t until, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    tact_query_options options = tact_query_asked(&run->query.common);
    options.progress = o->window ? NULL : show_progress;
    options.progress_user = run;
    while (run->done < until) {
        const uint64_t left = tact_field_next(&run->plan.field, run->done, until) - run->done;
        run->chunk = left < UINT32_MAX ? left : UINT32_MAX;
        const double start = tact_system_milliseconds();
        tact_query_report report = {0};
        const tact_result result = tact_particles_step(run->particles, run->facts.dt, run->facts.substeps,
                                                       (uint32_t)run->chunk, &options, &report);
        if (result != TACT_OK) {
            tact_problem_from_result(problem, result, run->query.session.context, "the steps");
            // Some steps of the call may have been done. After the problem is taken: this call has one of its own.
            if (tact_particles_get_info(run->particles, &run->info) == TACT_OK) run->done = run->info.steps;
            return false;
        }
        report.failures += run->query.report.failures;
        run->query.report = report;
        run->times.build += report.build_ms;
        run->times.upload += report.upload_ms;
        // Steps may still run on a device when the call returns; the last call of all waits.
        run->times.query += tact_system_milliseconds() - start - report.build_ms - report.upload_ms;
        run->done += run->chunk;
        if (!act(run, problem)) return false;
    }
    return true;
}

static bool make_stage(tact_particle_run* run, tact_particle_color color, float fastest, tact_particle_stage** stage,
                       tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    const tact_particle_look* look = &run->facts.look;
    const tact_particle_stage_desc desc = {.width = o->view.width,
                                           .height = o->view.height,
                                           .bounds = look->bounds,
                                           .azimuth = o->view.azimuth,
                                           .elevation = o->view.elevation,
                                           .floor = look->floor != 0,
                                           .model = &run->plan.model,
                                           .context = run->query.session.context,
                                           .color = color,
                                           .fastest = fastest,
                                           .smallest = look->smallest,
                                           .largest = look->largest};
    if (!run->rgb) run->rgb = malloc((size_t)o->view.width * o->view.height * 3);
    if (!run->rgb) return tact_problem_out_of_memory(problem, "a picture");
    return tact_particle_stage_create(&desc, stage, problem);
}

static bool draw(tact_particle_run* run, const char* path, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    const float fastest = 0.5f * run->facts.look.fastest;
    if (!run->stage && !make_stage(run, (tact_particle_color)o->color, fastest, &run->stage, problem)) return false;
    size_t count = 0;
    float* rows = tact_particle_rows(run->particles, run->query.session.context, &count, problem);
    const bool good = rows && tact_particle_stage_draw(run->stage, rows, count, run->rgb, problem) &&
                      tact_picture_write(path, o->view.width, o->view.height, run->rgb, problem);
    free(rows);
    if (good) ++run->pictures;
    return good;
}

static bool draw_chains(tact_particle_run* run, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    tact_contact_force* forces = NULL;
    tact_particle_stage* stage = NULL;
    size_t count = 0, beads = 0;
    if (!tact_contact_forces_read(run->particles, run->query.session.context, NULL, &forces, &count, problem))
        return false;
    if (!forces) return tact_problem_set(problem, "--chains %s: contacts of this response have no forces", o->chains);
    float* rows = tact_chain_rows(forces, count, run->facts.look.smallest, 1.0f, &beads, problem);
    const bool good = rows && make_stage(run, TACT_COLOR_SPEED, 1.0f, &stage, problem) &&
                      tact_particle_stage_draw(stage, rows, beads, run->rgb, problem) &&
                      tact_picture_write(o->chains, o->view.width, o->view.height, run->rgb, problem);
    tact_particle_stage_destroy(stage);
    free(rows);
    free(forces);
    if (good) ++run->pictures;
    return good;
}

/// The picture of this step, named by how many pictures a run from its beginning would have by now.
static bool draw_frame(tact_particle_run* run, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/frame_%05" PRIu64 ".png", o->frames, run->done / o->every);
    if (length < 0 || (size_t)length >= sizeof path) return tact_problem_set(problem, "--frames: the name is too long");
    return draw(run, path, problem);
}

/// The particles of this step as an array, as --out writes those of the end, numbered as pictures are.
static bool write_array(tact_particle_run* run, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    tact_context* context = run->query.session.context;
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/particles_%05" PRIu64 ".npy", o->npy, run->done / o->every);
    if (length < 0 || (size_t)length >= sizeof path) return tact_problem_set(problem, "--npy: the name is too long");
    size_t count = 0;
    float *rows = tact_particle_rows(run->particles, context, &count, problem), *all = NULL;
    bool good = rows != NULL;
    if (good && tact_particles_read_turning(run->particles, NULL, NULL) == TACT_OK) {
        all = tact_particle_turning_rows(run->particles, context, rows, count, problem);
        good = all != NULL;
    }
    good = good &&
           tact_npy_write(path, TACT_NPY_FLOAT32, count, all ? TACT_TURNING_COLUMNS : 7, all ? all : rows, problem);
    free(rows);
    free(all);
    run->arrays += good;
    return good;
}

/// What a scene adds to a saved run; over ranks the first one has it.
static bool save_scene(const tact_particle_run* run, tact_field_bytes* scene, tact_problem* problem)
{
    *scene = (tact_field_bytes){0};
    if (run->plan.field.scene == TACT_FIELD_NONE) return true;
    bool good = !tact_tool_prints() || tact_field_save(&run->plan, &run->field, scene, problem);
    if (!run->query.session.ranks) return good;
    tact_field_bytes all = {0};
    good = tact_tool_ranks_here->agree(good, problem) &&
           tact_tool_ranks_here->share(scene->bytes, scene->size, &all.bytes, &all.size, problem);
    free(scene->bytes);
    *scene = all;
    return good;
}

bool tact_particle_run_keep(tact_particle_run* run, const char* path, tact_problem* problem)
{
    tact_field_bytes scene;
    const bool good = save_scene(run, &scene, problem) &&
                      (run->query.session.ranks ? tact_particle_run_save_spread : tact_particle_run_save)(
                          path, &run->facts, &scene, run->particles, run->query.session.context, problem);
    free(scene.bytes);
    return good;
}

static bool save(tact_particle_run* run, tact_problem* problem)
{
    run->last_save = run->done;
    return tact_particle_run_keep(run, run->options.save, problem);
}

/// Whether there are frames of any kind.
static bool frames_wanted(const tact_particle_run_options* o)
{
    return o->frames || o->npy || o->others.vtk || o->others.dump || o->others.hdf5;
}

/// The ranks that the run is on, or NULL.
static const tact_tool_ranks* ranks_of(const tact_particle_run* run)
{
    return run->query.session.ranks ? tact_tool_ranks_here : NULL;
}

static bool begin_frames(tact_particle_run* run, tact_problem* problem)
{
    const tact_tool_ranks* ranks = ranks_of(run);
    const tact_particle_run_options* o = &run->options;
    const double interval = (double)run->facts.dt * (double)o->every;
    bool good = !tact_tool_prints() || ((!o->frames || tact_system_make_directory(o->frames, problem)) &&
                                        (!o->npy || tact_system_make_directory(o->npy, problem)));
    if (ranks) good = ranks->agree(good, problem);
    if (!good) return false;
    // The first frame of a resumed run is that of the next such step.
    return tact_frame_series_begin(&run->series, &o->others, run->facts.look.bounds, interval,
                                   (run->done + o->every - 1) / o->every, ranks, problem);
}

/// Frames of this step, where it has any.
static bool add_frames(tact_particle_run* run, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    const tact_tool_ranks* ranks = ranks_of(run);
    bool here = false;
    if (!frames_wanted(o) || run->done % o->every != 0) return true;
    // Ranks write their own particles.
    const bool all = !ranks || o->frames || o->npy || tact_frame_choices_need_all(&o->others);
    if (all && !gather(run, &here, problem)) return false;
    bool good = !here || ((!o->frames || draw_frame(run, problem)) && (!o->npy || write_array(run, problem)));
    if (ranks && (o->frames || o->npy)) good = ranks->agree(good, problem);
    if (good && (o->others.vtk || o->others.dump || o->others.hdf5)) {
        good = tact_frame_series_add(&run->series, run->spread ? run->spread : run->particles,
                                     here ? run->particles : NULL, run->query.session.context, problem);
    }
    scatter(run);
    return good;
}

/// The next step after which something is to be done.
static uint64_t next_stop(const tact_particle_run* run)
{
    const tact_particle_run_options* o = &run->options;
    uint64_t next = o->steps;
    const uint64_t intervals[2] = {frames_wanted(o) ? o->every : 0, o->save ? o->save_every : 0};
    for (int i = 0; i < 2; ++i) {
        if (!intervals[i]) continue;
        const uint64_t stop = (run->done / intervals[i] + 1) * intervals[i];
        next = stop < next ? stop : next;
    }
    return next;
}

bool tact_particle_run_all(tact_particle_run* run, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    bool good = begin_frames(run, problem) && add_frames(run, problem);
    while (good && run->done < o->steps) {
        good = tact_particle_run_steps(run, next_stop(run), problem);
        good = good && add_frames(run, problem);
        if (good && o->save && o->save_every && run->done % o->save_every == 0) good = save(run, problem);
        // Ranks that are cancelled are so together.
        const bool whole = good || problem->result == TACT_ERROR_CANCELLED;
        if (whole && tact_tool_signal() && run->done < o->steps) {
            // The frames so far are whole.
            tact_frame_series_end(&run->series, true, problem);
            return tact_particle_run_stop(run, problem);
        }
    }
    good = tact_frame_series_end(&run->series, good, problem);
    if (good && o->save && (run->last_save != run->done || run->done == run->first)) good = save(run, problem);
    bool here;
    if (!good || (!o->image && !o->chains)) return good;
    if (!gather(run, &here, problem)) return false;
    if (here) good = (!o->image || draw(run, o->image, problem)) && (!o->chains || draw_chains(run, problem));
    scatter(run);
    return good;
}

static bool list_contacts(tact_particle_run* run, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    const tact_query_options options = tact_query_asked(&run->query.common);
    tact_query_report report = {0};
    tact_result result = tact_particles_contacts(run->particles, NULL, 0, &run->contact_count, &options, &report);
    // Shadow checking compares what is listed.
    if (result == TACT_INCOMPLETE && (o->contacts || run->query.common.shadow)) {
        free(run->contacts);
        run->contacts = malloc(run->contact_count * sizeof *run->contacts);
        if (!run->contacts) return tact_problem_out_of_memory(problem, "the contacts");
        result = tact_particles_contacts(run->particles, run->contacts, run->contact_count, &run->contact_count,
                                         &options, &report);
    }
    if (result < 0) return tact_problem_from_result(problem, result, run->query.session.context, "the contacts");
    if (run->done > run->first) return true;
    report.failures += run->query.report.failures;
    run->query.report = report;
    return true;
}

/// What tact_particle_run_finish() does where the whole system is.
static bool finish_whole(tact_particle_run* run, double start, tact_problem* problem)
{
    free(run->rows);
    run->rows = tact_particle_rows(run->particles, run->query.session.context, &run->count, problem);
    if (!run->rows) return false;
    free(run->turning);
    run->turning = NULL;
    if (tact_particles_read_turning(run->particles, NULL, NULL) == TACT_OK) {
        run->turning =
            tact_particle_turning_rows(run->particles, run->query.session.context, run->rows, run->count, problem);
        if (!run->turning) return false;
    }
    run->times.download = tact_system_milliseconds() - start;
    if (!list_contacts(run, problem)) return false;
    free(run->forces);
    run->forces = NULL;
    size_t count = 0;
    if (run->options.contacts &&
        !tact_contact_forces_read(run->particles, run->query.session.context, NULL, &run->forces, &count, problem)) {
        return false;
    }
    tact_result result = tact_particles_measure(run->particles, &run->totals);
    if (result == TACT_OK) result = tact_particles_get_info(run->particles, &run->info);
    tact_query_run* query = &run->query;
    tact_query_report* r = &query->report;
    r->build_ms = run->times.build;
    r->upload_ms = run->times.upload;
    r->query_ms = run->times.query;
    r->download_ms = run->times.download;
    r->total_ms = r->build_ms + r->upload_ms + r->query_ms + r->download_ms;
    query->count = run->count;
    query->found = run->contact_count;
    query->answer = run->turning ? run->turning : run->rows;
    query->answer_bytes = run->count * (run->turning ? TACT_TURNING_COLUMNS : 7) * sizeof *run->rows;
    return tact_query_succeeded(query, result, "the particles", problem);
}

/// Gets what --mpi-report tells.
static bool ask_ranks(tact_particle_run* run, tact_problem* problem)
{
    tact_ranks_info group;
    if (!run->query.common.mpi_report) return true;
    free(run->ranks);
    tact_result result = tact_ranks_get_info(run->query.session.ranks, &group);
    run->ranks = calloc(group.count, sizeof *run->ranks);
    if (!run->ranks) return tact_problem_out_of_memory(problem, "the report of ranks");
    if (result == TACT_OK) result = tact_particles_get_all_ranks(run->particles, run->ranks);
    return result == TACT_OK || tact_problem_from_result(problem, result, run->query.session.context, "--mpi-report");
}

bool tact_particle_run_finish(tact_particle_run* run, tact_problem* problem)
{
    const double start = tact_system_milliseconds();
    bool here;
    if (!ask_ranks(run, problem)) return false;
    if (!gather(run, &here, problem)) return false;
    // What shows is the first rank's.
    const bool good = !here || finish_whole(run, start, problem);
    scatter(run);
    return good;
}

void tact_particle_run_release(tact_particle_run* run)
{
    tact_particle_stage_destroy(run->stage);
    tact_particles_destroy(run->particles);
    tact_field_run_free(&run->field);
    tact_particle_plan_free(&run->plan);
    tact_text_list_free(&run->options.choices.meshes);
    tact_text_list_free(&run->options.choices.planes);
    tact_text_list_free(&run->options.choices.parameters);
    free(run->rgb);
    free(run->ranks);
    free(run->rows);
    free(run->turning);
    free(run->contacts);
    free(run->forces);
}
