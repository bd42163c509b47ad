// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/explain_out.h"
#include "apps/inputs/npy.h"
#include "apps/json_out.h"
#include "apps/particles/run.h"
#include "apps/particles/window.h"
#include "apps/timing.h"

static const char* const responses[] = {"spring", "position", "none", NULL};
static const char* const colors[] = {"id", "speed", "size", NULL};

/// None given is not the same as 0.
#define STEPS_NOT_GIVEN UINT64_MAX

static bool check_source(const tact_particle_run_options* o, tact_problem* problem)
{
    const tact_particle_choices* c = &o->choices;
    const int sources = (c->random != 0) + (c->load != NULL) + (o->resume != NULL);
    if (sources == 0) return tact_problem_set(problem, "one of --random N, --load FILE and --resume FILE is needed");
    if (sources > 1) return tact_problem_set(problem, "--random, --load and --resume: one of them, not %d", sources);
    if (!o->resume) return true;
    const struct {
        const char *name, *text;
    } fixed[] = {{"dt", c->dt},
                 {"radius", c->radius},
                 {"radii", c->radii},
                 {"density", c->density},
                 {"domain", c->domain},
                 {"gravity", c->gravity},
                 {"friction", c->friction},
                 {"restitution", c->restitution},
                 {"stiffness", c->stiffness},
                 {"plane", c->planes.count ? c->planes.items[0] : NULL}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; ++i) {
        if (!fixed[i].text) continue;
        return tact_problem_set(problem, "--%s %s: a resumed run has its own", fixed[i].name, fixed[i].text);
    }
    if (c->substeps) return tact_problem_set(problem, "--substeps %" PRIu64 ": a resumed run has its own", c->substeps);
    if (c->response)
        return tact_problem_set(problem, "--response %s: a resumed run has its own", responses[c->response]);
    return true;
}

static bool check_size(tact_particle_run_options* o, tact_problem* problem)
{
    uint64_t width = 1280, height = 720;
    const char* rest = NULL;
    if (o->size && (!tact_number_parse(o->size, 1, 16384, &width, &rest) || *rest != 'x' ||
                    !tact_number_parse(rest + 1, 1, 16384, &height, NULL))) {
        return tact_problem_set(problem, "--size %s: must be WIDTHxHEIGHT, whole numbers from 1 to 16384", o->size);
    }
    o->width = (uint32_t)width;
    o->height = (uint32_t)height;
    float angles[2] = {30.0f, 20.0f};
    if (o->camera && !tact_floats_parse("camera", o->camera, 2, angles, problem)) return false;
    if (!(fabsf(angles[0]) <= 360.0f && fabsf(angles[1]) <= 89.0f)) {
        return tact_problem_set(problem, "--camera %s: azimuth up to 360 and elevation up to 89 degrees", o->camera);
    }
    o->azimuth = angles[0];
    o->elevation = angles[1];
    return true;
}

static bool check_options(tact_particle_run_options* o, tact_problem* problem)
{
    if (!check_source(o, problem) || !check_size(o, problem)) return false;
    o->steps_given = o->steps != STEPS_NOT_GIVEN;
    if (!o->steps_given && !o->window) return tact_problem_set(problem, "--steps K is needed");
    const bool once = o->frames || o->save || o->resume || o->window || o->image;
    if (o->common.repeat && once) {
        return tact_problem_set(problem, "--repeat %" PRIu64 ": not with --frames, --image, --save, --resume, --window",
                                o->common.repeat);
    }
    if (o->window && o->common.json && !o->steps_given && !o->window_frames) {
        return tact_problem_set(problem, "--json: with --window needs --steps or --window-frames");
    }
    if (o->save_every && !o->save) return tact_problem_set(problem, "--save-every: needs --save FILE");
    return tact_expect_check(&o->common, problem);
}

static bool plan(tact_particle_run* run, tact_problem* problem)
{
    tact_particle_run_options* o = &run->options;
    o->choices.seed = o->common.seed;
    if (!o->resume) return tact_particle_plan_make(&o->choices, &run->plan, problem);
    snprintf(run->plan.source, sizeof run->plan.source, "%s", o->resume);
    return tact_particle_meshes_read(&o->choices.meshes, &run->plan.model, problem);
}

/// The whole run again and again; times are medians.
static bool repeat(tact_particle_run* run, tact_problem* problem)
{
    const size_t count = (size_t)run->options.common.repeat;
    double* times = calloc(4 * count, sizeof *times);
    if (!times) return tact_problem_out_of_memory(problem, "the measurements");
    tact_digest first = {""};
    bool good = true;
    for (size_t i = 0; good && i < count + 1; ++i) {
        good = tact_particle_run_start(run, problem) && tact_particle_run_all(run, problem) &&
               tact_particle_run_finish(run, problem);
        if (good && i == 0) first = run->digest;
        if (good && strcmp(first.text, run->digest.text) != 0) {
            good = tact_problem_set(problem, "%s gave other bytes when asked again: digest %s, then %s",
                                    tact_backend_name(run->report.backend), first.text, run->digest.text);
            problem->exit_code = TACT_EXIT_CHECK_FAILED;
        }
        if (i == 0) continue;
        times[i - 1] = run->times.build;
        times[count + i - 1] = run->times.upload;
        times[2 * count + i - 1] = run->times.query;
        times[3 * count + i - 1] = run->times.download;
    }
    double* const parts[4] = {&run->times.build, &run->times.upload, &run->times.query, &run->times.download};
    for (size_t k = 0; k < 4; ++k)
        *parts[k] = tact_spread_of(times + k * count, count).median;
    free(times);
    return good;
}

static bool work(tact_particle_run* run, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    if (o->common.repeat) return repeat(run, problem);
    if (!tact_particle_run_start(run, problem)) return false;
    // A resumed run's meshes lie where they lay.
    if (o->resume) tact_particle_meshes_place(&run->plan.model, &run->facts.look.placement);
    const bool good = o->window ? tact_particle_window_run(run, problem) : tact_particle_run_all(run, problem);
    return good && tact_particle_run_finish(run, problem);
}

static bool write_outputs(const tact_particle_run* run, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    if (o->out && !tact_npy_write(o->out, TACT_NPY_FLOAT32, run->count, 7, run->rows, problem)) return false;
    return !o->contacts || tact_npy_write(o->contacts, TACT_NPY_CONTACT, run->contact_count, 0, run->contacts, problem);
}

static double updates_per_second(const tact_particle_run* run)
{
    const double updates = (double)run->count * (double)(run->done - run->first);
    return run->times.query > 0.0 ? updates / (run->times.query * 1e-3) : 0.0;
}

static void summarize(tact_particle_run* run)
{
    tact_query_report* r = &run->report;
    r->build_ms = run->times.build;
    r->upload_ms = run->times.upload;
    r->query_ms = run->times.query;
    r->download_ms = run->times.download;
    r->total_ms = r->build_ms + r->upload_ms + r->query_ms + r->download_ms;
}

static void vector_to_json(cJSON* root, const char* key, const double v[3])
{
    cJSON_AddItemToObject(root, key, cJSON_CreateDoubleArray(v, 3));
}

static bool report_json(const tact_particle_run* run, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    cJSON* root = cJSON_CreateObject();
    tact_json_query(root, "particles", &run->report, run->count, run->contact_count, run->digest.text);
    tact_explain_json(root, &run->session, &run->options.common);
    tact_json_count(root, "particles", run->count);
    tact_json_count(root, "steps", run->info.steps);
    tact_json_count(root, "contacts", run->contact_count);
    tact_json_number(root, "kinetic_energy", run->totals.kinetic_energy);
    tact_json_number(root, "elastic_energy", run->totals.elastic_energy);
    tact_json_number(root, "dissipated_power", run->totals.dissipated_power);
    tact_json_number(root, "external_power", run->totals.external_power);
    vector_to_json(root, "momentum", run->totals.momentum);
    tact_json_number(root, "mass", run->totals.mass);
    tact_json_number(root, "largest_speed", run->totals.largest_speed);
    tact_json_count(root, "steps_done", run->done - run->first);
    tact_json_count(root, "substeps", run->info.substeps);
    tact_json_number(root, "dt", (double)run->facts.dt);
    tact_json_number(root, "time", run->info.time);
    tact_json_number(root, "stable_step", (double)tact_particles_stable_step(run->particles));
    if (!o->resume) {
        tact_json_text(root, "response", responses[o->choices.response]);
        tact_json_number(root, "stiffness", (double)run->plan.material.stiffness);
    }
    tact_json_count(root, "slowed", run->info.slowed);
    tact_json_count(root, "stopped", run->info.stopped);
    tact_json_text(root, "source", run->plan.source);
    tact_json_count(root, "seed", o->common.seed);
    tact_json_number(root, "updates_per_second", updates_per_second(run));
    tact_json_count(root, "failures", run->report.failures);
    if (o->common.shadow) tact_json_text(root, "shadow", "equal");
    if (run->pictures) tact_json_count(root, "pictures", run->pictures);
    if (o->common.repeat) tact_json_count(root, "repeat", o->common.repeat);
    const bool good = tact_json_print(root, problem);
    cJSON_Delete(root);
    return good;
}

static void report_people(const tact_particle_run* run)
{
    const tact_query_report* r = &run->report;
    const double *p = run->totals.momentum, steps = (double)(run->done - run->first);
    printf("particles %zu (%s), radius %g", run->count, run->plan.source, (double)run->facts.look.smallest);
    if (run->facts.look.largest > run->facts.look.smallest) printf(" to %g", (double)run->facts.look.largest);
    printf("\ndevice    %s: %s%s", tact_backend_name(r->backend), r->device,
           r->software && r->threads == 0 ? " (software)" : "");
    if (r->threads > 0) printf(", %d thread%s", r->threads, r->threads == 1 ? "" : "s");
    printf("\nreason    %s\n", r->reason);
    printf("steps     %" PRIu64 " of %g s, %" PRIu64 " substeps, %g s in all", run->info.steps, (double)run->facts.dt,
           run->info.substeps, run->info.time);
    if (run->first) printf(" (resumed at step %" PRIu64 ")", run->first);
    printf("\ncontacts  %zu (%.2f a particle)\n", run->contact_count,
           run->count ? (double)run->contact_count / (double)run->count : 0.0);
    printf("energy    %.6g J, momentum %.6g %.6g %.6g, fastest %.4g m/s\n", run->totals.kinetic_energy, p[0], p[1],
           p[2], run->totals.largest_speed);
    printf("springs   %.6g J; %.4g W dissipated, %.4g W from outside\n", run->totals.elastic_energy,
           run->totals.dissipated_power, run->totals.external_power);
    if (run->info.slowed || run->info.stopped) {
        printf("limits    slowed to the speed limit %" PRIu64 " times, stopped at a surface %" PRIu64 " times\n",
               run->info.slowed, run->info.stopped);
    }
    printf("digest    %s%s\n", run->digest.text, run->options.common.shadow ? ", equal to the reference" : "");
    printf("time      build %.3f ms, upload %.3f, query %.3f (%.3f a step), download %.3f, total %.3f\n", r->build_ms,
           r->upload_ms, r->query_ms, steps > 0.0 ? r->query_ms / steps : 0.0, r->download_ms, r->total_ms);
    printf("memory    %.1f MB\n", (double)r->memory_bytes * 1e-6);
}

static bool execute(tact_particle_run* run, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    if (!check_options(&run->options, problem) || !plan(run, problem)) return false;
    const bool opened =
        o->window ? tact_particle_window_open(run, problem) : tact_session_open(&run->session, &o->common, problem);
    if (!opened || !work(run, problem) || !write_outputs(run, problem)) return false;
    summarize(run);
    if (o->common.json) {
        if (!report_json(run, problem)) return false;
    } else {
        report_people(run);
        tact_explain_print(&run->session, &run->options.common);
    }
    return tact_expect_digest(&o->common, run->digest.text, problem);
}

static const char help_text[] =
    "Usage: tact particles (--random N | --load FILE.npy | --resume FILE) --steps K [options]\n\n"
    "Moves spheres that collide with each other, with walls, planes and meshes.\n\n"
    "--random N is a pour, the same on every machine: a tall block of spheres at one end of a trough, which falls "
    "over;\n"
    "with --mesh a block that rains on the meshes. They are then scaled together to 0.62 of the width of the box that\n"
    "the particles need, and stand in the middle of its floor. With --load meshes lie as in their files.\n"
    "Metres, kilograms, seconds; y is up.\n";

/// The table's rows for texts, which are most of them.
#define TEXT(name, value, help, target)                         \
    {                                                           \
        name, value, help, TACT_OPTION_TEXT, target, 0, 0, NULL \
    }
#define NUMBER(name, value, help, target, low, high)                   \
    {                                                                  \
        name, value, help, TACT_OPTION_NUMBER, target, low, high, NULL \
    }
#define CHOICE(name, value, help, target, of)                   \
    {                                                           \
        name, value, help, TACT_OPTION_CHOICE, target, 0, 0, of \
    }
#define LIST(name, value, help, target)                         \
    {                                                           \
        name, value, help, TACT_OPTION_LIST, target, 0, 0, NULL \
    }
#define FLAG(name, help, target)                               \
    {                                                          \
        name, NULL, help, TACT_OPTION_FLAG, target, 0, 0, NULL \
    }

int tact_command_particles(int argc, char** argv, tact_problem* problem)
{
    tact_particle_run run = {.options = {.steps = STEPS_NOT_GIVEN, .every = 1}};
    tact_particle_run_options* o = &run.options;
    tact_particle_choices* c = &o->choices;
    tact_option common[TACT_QUERY_OPTIONS];
    tact_query_table(&o->common, common);
    const tact_option own[] = {
        NUMBER("random", "N", "N spheres poured, see above", &c->random, 1, TACT_MAX_PARTICLES),
        TEXT("load", "FILE.npy", "float32 (n, 7): x y z radius vx vy vz; (n, 4): at rest", &c->load),
        TEXT("resume", "FILE", "go on from what --save wrote", &o->resume),
        NUMBER("steps", "K", "steps the run has when it ends, those before a --resume included", &o->steps, 0,
               1000000000000),
        TEXT("dt", "S", "seconds of a step (default 1/60)", &c->dt),
        NUMBER("substeps", "N", "of a step (default: spring: as many as are stable; position: 4)", &c->substeps, 1,
               65536),
        CHOICE("response", "R", "spring (default), position or none: what touching does", &c->response, responses),
        TEXT("radius", "R", "of --random (default 0.5)", &c->radius),
        TEXT("radii", "A:B", "of --random: evenly from A to B, at most 16 A", &c->radii),
        TEXT("density", "D", "kg/m^3 (default 1000)", &c->density),
        TEXT("friction", "F", "Coulomb's coefficient (default 0.5)", &c->friction),
        TEXT("restitution", "E", "spring: speed after by speed before (default 0.5)", &c->restitution),
        TEXT("stiffness", "K", "spring: N/m (default: enough for a fall over the scene)", &c->stiffness),
        TEXT("domain", "D", "open, box or periodic, with :W,H,D or :x,y,z,x,y,z (default: --random box)", &c->domain),
        TEXT("gravity", "X,Y,Z", "m/s^2 (default 0,-9.81,0 where there is something to fall on)", &c->gravity),
        LIST("mesh", "FILE", "a mesh to collide with; may be given again", &c->meshes),
        LIST("plane", "X,Y,Z,D", "solid below the plane with this normal at distance D; again", &c->planes),
        TEXT("out", "FILE.npy", "write the particles, (n, 7) in order of id", &o->out),
        TEXT("contacts", "FILE.npy", "write the contacts at the end", &o->contacts),
        TEXT("frames", "DIR", "write pictures frame_00000.png, ...", &o->frames),
        NUMBER("every", "N", "steps from picture to picture (default 1)", &o->every, 1, 1000000000),
        TEXT("image", "FILE.png", "write a picture of the end", &o->image),
        TEXT("size", "WxH", "of pictures and the window (default 1280x720)", &o->size),
        TEXT("camera", "A,E", "azimuth and elevation of the eye, degrees (default 30,20)", &o->camera),
        CHOICE("color", "C", "id (default), speed or size", &o->color, colors),
        FLAG("window", "watch in a window: drag to turn, wheel to zoom, space pauses", &o->window),
        NUMBER("window-frames", "N", "close the window after N frames", &o->window_frames, 1, 1000000000),
        TEXT("save", "FILE", "save the run at its end", &o->save),
        NUMBER("save-every", "N", "and after every N steps", &o->save_every, 1, 1000000000000),
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, NULL, argc, argv, &work, problem) && (!work || execute(&run, problem));
    tact_particle_run_release(&run);
    tact_particle_window_close();
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
