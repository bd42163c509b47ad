// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>

#include "apps/commands.h"
#include "apps/inputs/npy.h"
#include "apps/particles/particles.h"

static const char* const responses[] = {"spring", "position", "none", "grains", NULL};
static const char* const colors[] = {"id", "speed", "size", NULL};

/// None given is not the same as 0.
#define STEPS_NOT_GIVEN UINT64_MAX

static bool check_source(const tact_particle_run_options* o, tact_problem* problem)
{
    const tact_particle_choices* c = &o->choices;
    const bool scene = c->field.scene != TACT_FIELD_NONE;
    const int sources = (c->random != 0 || scene) + (c->load != NULL) + (o->resume != NULL);
    if (sources == 0)
        return tact_problem_set(problem, "one of --random N, --scene NAME, --load FILE and --resume FILE is needed");
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
                 {"rolling", c->rolling},
                 {"cohesion", c->cohesion},
                 {"clump", c->clump},
                 {"force", c->force},
                 {"law", c->law ? tact_grain_law_names[c->law] : NULL},
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

static bool check_options(tact_particle_run* run, tact_problem* problem)
{
    tact_particle_run_options* o = &run->options;
    const tact_common_options* common = &run->query.common;
    if (!check_source(o, problem) || !tact_view_parse(o->size, o->camera, &o->view, problem)) return false;
    o->steps_given = o->steps != STEPS_NOT_GIVEN;
    const bool scene = o->choices.field.scene != TACT_FIELD_NONE;
    if (!tact_field_check(&o->choices.field, problem)) return false;
    if (common->mpi_report && !common->mpi) return tact_problem_set(problem, "--mpi-report: needs --mpi");
    if (common->mpi && (o->choices.field.scene == TACT_FIELD_IMPACT || o->window || common->shadow))
        return tact_problem_set(problem, "--mpi: not with --scene impact, --window, --shadow");
    if (o->choices.parameters.count > 0 && !o->choices.force && !o->resume)
        return tact_problem_set(problem, "--set %s: needs --force TEXT", o->choices.parameters.items[0]);
    // The end of a saved scene is in its file.
    if (!o->steps_given && !o->window && !scene && !o->resume) return tact_problem_set(problem, "--steps K is needed");
    if (o->save && tact_file_is_stream(o->save) && (o->save_every || common->mpi))
        return tact_problem_set(problem, "--save -: not with --%s", o->save_every ? "save-every" : "mpi");
    if (!tact_frame_choices_check(&o->others, problem)) return false;
    const bool frames = o->npy || o->others.vtk || o->others.dump || o->others.hdf5 || o->chains;
    if (o->window && frames)
        return tact_problem_set(problem, "--window: not with --npy, --vtk, --dump, --hdf5, --chains");
    const bool once = o->frames || frames || o->save || o->resume || o->window || o->image;
    if (common->repeat && once) {
        return tact_problem_set(problem,
                                "--repeat %" PRIu64
                                ": not with --frames, --npy, --vtk, --dump, --hdf5, --image, --chains, --save, "
                                "--resume, --window",
                                common->repeat);
    }
    if (o->window && common->json && !o->steps_given && !o->window_frames) {
        return tact_problem_set(problem, "--json: with --window needs --steps or --window-frames");
    }
    return !o->save_every || o->save || tact_problem_set(problem, "--save-every: needs --save FILE");
}

static bool load(void* command, tact_problem* problem)
{
    tact_particle_run* run = command;
    tact_particle_run_options* o = &run->options;
    if (!check_options(run, problem)) return false;
    run->query.cold = run->query.common.repeat == 0;
    o->choices.seed = run->query.common.seed;
    if (!o->resume) {
        if (!tact_particle_plan_make(&o->choices, &run->plan, problem)) return false;
        if (o->choices.field.scene && !o->steps_given) o->steps = run->plan.field.end;
        return true;
    }
    snprintf(run->plan.source, sizeof run->plan.source, "%s", o->resume);
    return tact_particle_meshes_read(&o->choices.meshes, &run->plan.model, problem);
}

static bool open(void* command, tact_problem* problem)
{
    tact_particle_run* run = command;
    return run->options.window ? tact_particle_window_open(run, problem)
                               : tact_session_open(&run->query.session, &run->query.common, problem);
}

/// The whole run, from its beginning.
static bool ask(void* command, const tact_query_options* options, tact_problem* problem)
{
    tact_particle_run* run = command;
    (void)options;
    if (!tact_particle_run_start(run, problem)) return false;
    // A resumed run's meshes lie where they lay.
    if (run->options.resume) tact_particle_meshes_place(&run->plan.model, &run->facts.look.placement);
    return (run->options.window ? tact_particle_window_run(run, problem) : tact_particle_run_all(run, problem)) &&
           tact_particle_run_finish(run, problem);
}

static bool finish(void* command, tact_problem* problem)
{
    const tact_particle_run* run = command;
    const tact_particle_run_options* o = &run->options;
    const bool turns = run->turning != NULL;
    if (o->out && !tact_npy_write(o->out, TACT_NPY_FLOAT32, run->count, turns ? TACT_TURNING_COLUMNS : 7,
                                  turns ? run->turning : run->rows, problem)) {
        return false;
    }
    if (run->forces) {
        return tact_npy_write_as(o->contacts, tact_contact_force_descr, sizeof *run->forces, run->contact_count, 0,
                                 run->forces, problem);
    }
    return !o->contacts || tact_npy_write(o->contacts, TACT_NPY_CONTACT, run->contact_count, 0, run->contacts, problem);
}

static void json(const void* command, cJSON* root)
{
    const tact_particle_run* run = command;
    const tact_particle_run_options* o = &run->options;
    const double updates = (double)run->count * (double)(run->done - run->first), ms = run->query.report.query_ms;
    tact_json_count(root, "particles", run->count);
    const size_t clumps = tact_particles_clump_count(run->particles);
    if (clumps > 0) tact_json_count(root, "clumps", clumps);
    tact_json_count(root, "steps", run->info.steps);
    tact_json_count(root, "contacts", run->contact_count);
    tact_json_number(root, "kinetic_energy", run->totals.kinetic_energy);
    if (run->turning) tact_json_number(root, "rotational_energy", run->totals.rotational_energy);
    tact_json_number(root, "elastic_energy", run->totals.elastic_energy);
    tact_json_number(root, "dissipated_power", run->totals.dissipated_power);
    tact_json_number(root, "external_power", run->totals.external_power);
    cJSON_AddItemToObject(root, "momentum", cJSON_CreateDoubleArray(run->totals.momentum, 3));
    tact_json_number(root, "mass", run->totals.mass);
    tact_json_number(root, "largest_speed", run->totals.largest_speed);
    tact_json_count(root, "steps_done", run->done - run->first);
    tact_json_count(root, "substeps", run->info.substeps);
    tact_json_number(root, "dt", (double)run->facts.dt);
    tact_json_number(root, "time", run->info.time);
    tact_json_number(root, "stable_step", (double)tact_particles_stable_step(run->particles));
    if (!o->resume) {
        tact_json_text(root, "response", responses[run->plan.desc.response]);
        tact_json_number(root, "stiffness", (double)run->plan.material.stiffness);
    }
    tact_json_count(root, "slowed", run->info.slowed);
    tact_json_count(root, "stopped", run->info.stopped);
    tact_json_count(root, "unforced", run->info.unforced);
    tact_json_count(root, "capped", run->info.capped);
    tact_json_text(root, "source", run->plan.source);
    tact_json_number(root, "updates_per_second", ms > 0.0 ? updates / (ms * 1e-3) : 0.0);
    tact_field_json(&run->plan.field, &run->field, root);
    tact_particle_ranks_json(run, root);
    if (run->pictures) tact_json_count(root, "pictures", run->pictures);
    if (o->others.vtk || o->others.dump || o->others.hdf5)
        tact_json_count(root, "frames", run->series.next - run->series.first);
    else if (o->npy)
        tact_json_count(root, "frames", run->arrays);
}

static void print(const void* command)
{
    const tact_particle_run* run = command;
    const double *p = run->totals.momentum, steps = (double)(run->done - run->first);
    printf("particles %zu (%s), radius %g", run->count, run->plan.source, (double)run->facts.look.smallest);
    if (run->facts.look.largest > run->facts.look.smallest) printf(" to %g", (double)run->facts.look.largest);
    if (tact_particles_clump_count(run->particles) > 0)
        printf(", in %zu clumps", tact_particles_clump_count(run->particles));
    printf("\nsteps     %" PRIu64 " of %g s, %" PRIu64 " substeps, %g s in all, %.3f ms each", run->info.steps,
           (double)run->facts.dt, run->info.substeps, run->info.time,
           steps > 0.0 ? run->query.report.query_ms / steps : 0.0);
    if (run->first) printf(" (resumed at step %" PRIu64 ")", run->first);
    printf("\ncontacts  %zu (%.2f a particle)\n", run->contact_count,
           run->count ? (double)run->contact_count / (double)run->count : 0.0);
    printf("energy    %.6g J, momentum %.6g %.6g %.6g, fastest %.4g m/s\n", run->totals.kinetic_energy, p[0], p[1],
           p[2], run->totals.largest_speed);
    if (run->turning) printf("turning   %.6g J\n", run->totals.rotational_energy);
    printf("springs   %.6g J; %.4g W dissipated, %.4g W from outside\n", run->totals.elastic_energy,
           run->totals.dissipated_power, run->totals.external_power);
    tact_field_print(&run->plan.field, &run->field);
    tact_particle_ranks_print(run);
    if (run->info.slowed || run->info.stopped) {
        printf("limits    slowed to the speed limit %" PRIu64 " times, stopped at a surface %" PRIu64 " times\n",
               run->info.slowed, run->info.stopped);
    }
    if (run->info.unforced || run->info.capped) {
        printf("numbers   forces of --force not finite %" PRIu64 " times, of contacts cut %" PRIu64 " times\n",
               run->info.unforced, run->info.capped);
    }
}

static void release(void* command)
{
    tact_particle_run_release(command);
}

static const tact_query_command description = {
    .name = "particles",
    .help =
        "Usage: tact particles (--random N | --load FILE.npy | --resume FILE) --steps K [MESH ...] [options]\n"
        "       tact particles --scene NAME [--random N] [--steps K] [options]\n\n"
        "Moves spheres that collide with each other, with walls, planes and meshes.\n\n"
        "--random N is a pour, the same on every machine: a tall block of spheres at one end of a trough, which falls "
        "over;\n"
        "with meshes a block that rains on the meshes. They are then scaled together to 0.62 of the width of the box "
        "that\n"
        "the particles need, and stand in the middle of its floor. With --load meshes lie as in their files.\n"
        "--scene NAME is a benchmark of the field, of N grains (default 1500 to 4000), which says what it is about: a\n"
        "drum that turns (its angle), a silo with an orifice (its rate), a chute (speed, and whether it flows), a "
        "heap\n"
        "left by a cylinder that is lifted (its angle), a ball dropped into a bed (its depth). K is then as it takes.\n"
        "Metres, kilograms, seconds; y is up.\n",
    .doing = "moving particles",
    .rebuilds = true,
    .indent = 10,
    .open = open,
    TACT_QUERY_FUNCTIONS,
};

int tact_command_particles(int argc, char** argv, tact_problem* problem)
{
    tact_particle_run run = {.options = {.steps = STEPS_NOT_GIVEN, .every = 1}, .argc = argc, .argv = argv};
    tact_particle_run_options* o = &run.options;
    tact_particle_choices* c = &o->choices;
    const tact_option own[] = {
        TACT_NUMBER("random", "N", "N spheres poured, see above", &c->random, 1, TACT_MAX_PARTICLES),
        TACT_CHOICE("scene", "NAME", "drum, silo, chute, repose or impact, of grains: see above", &c->field.scene,
                    tact_field_names),
        TACT_TEXT("load", "FILE.npy", "float32 (n, 7): x y z radius vx vy vz; (n, 4): at rest; (n, 13): grains",
                  &c->load),
        TACT_TEXT("resume", "FILE", "go on from what --save wrote", &o->resume),
        TACT_NUMBER("steps", "K", "steps the run has when it ends, those before a --resume included", &o->steps, 0,
                    1000000000000),
        TACT_TEXT("dt", "S", "seconds of a step (default 1/60)", &c->dt),
        TACT_NUMBER("substeps", "N", "of a step (default: spring: as many as are stable; position: 4)", &c->substeps, 1,
                    65536),
        TACT_CHOICE("response", "R", "spring (default), position, none or grains: what touching does", &c->response,
                    responses),
        TACT_TEXT("radius", "R", "of --random (default 0.5)", &c->radius),
        TACT_TEXT("radii", "A:B", "of --random: evenly from A to B, at most 16 A", &c->radii),
        TACT_TEXT("density", "D", "kg/m^3 (default 1000)", &c->density),
        TACT_TEXT("friction", "F", "Coulomb's coefficient (default 0.5)", &c->friction),
        TACT_TEXT("restitution", "E", "spring: speed after by speed before (default 0.5)", &c->restitution),
        TACT_TEXT("stiffness", "K", "spring: N/m (default: enough for a fall over the scene)", &c->stiffness),
        TACT_CHOICE("law", "L", "grains: linear or hertz springs", &c->law, tact_grain_law_names),
        TACT_FLAG("history", "grains: contacts remember how far they slid", &c->history),
        TACT_TEXT("rolling", "F", "grains: rolling friction, by normal force and radius (default 0)", &c->rolling),
        TACT_TEXT("orifice", "D", "silo: diameter of the hole, m (default 5 grains)", &c->field.orifice),
        TACT_TEXT("speed", "S", "drum: radians/s (default: Froude number 0.01); repose: of lifting, m/s",
                  &c->field.speed),
        TACT_NUMBER("lifters", "N", "drum: plates on its wall (default 0)", &c->field.lifters, 1, 64),
        TACT_TEXT("angle", "A", "chute: its slope, degrees (default 24)", &c->field.angle),
        TACT_TEXT("drop", "H", "impact: height of fall, m (default 10 grains)", &c->field.drop),
        TACT_TEXT("cohesion", "G", "grains: work to part surfaces, J/m^2 (default 0)", &c->cohesion),
        TACT_TEXT("clump", "SHAPE", "pair, tetra, rod:K or MESH:K of K spheres, poured in place of each sphere",
                  &c->clump),
        TACT_TEXT("force", "TEXT", "of each particle in each substep, such as 'fy = -k*y; fx = -vx'", &c->force),
        TACT_LIST("set", "NAME=VALUE", "a number that --force has a name for; may be given again", &c->parameters),
        TACT_TEXT("domain", "D", "open, box or periodic, with :W,H,D or :x,y,z,x,y,z (default: --random box)",
                  &c->domain),
        TACT_TEXT("gravity", "X,Y,Z", "m/s^2 (default 0,-9.81,0 where there is something to fall on)", &c->gravity),
        TACT_LIST("mesh", "FILE", "a mesh to collide with, as FILE alone; may be given again", &c->meshes),
        TACT_LIST("plane", "X,Y,Z,D", "solid below the plane with this normal at distance D; again", &c->planes),
        TACT_OUTPUT("out", "FILE.npy", "write the particles, (n, 7) in order of id, grains (n, 13)", &o->out),
        TACT_OUTPUT("contacts", "FILE.npy", "write the contacts at the end, with forces where there are any",
                    &o->contacts),
        TACT_TEXT("frames", "DIR", "write pictures frame_00000.png, ...", &o->frames),
        TACT_TEXT("npy", "DIR", "write frames as arrays particles_00000.npy, ..., as --out does", &o->npy),
        TACT_TEXT("vtk", "DIR",
                  "write frames for ParaView: particles, contacts, and run.pvd to open; ranks their parts",
                  &o->others.vtk),
        TACT_TEXT("average", "NX,NY,NZ", "and averages over so many cells, of the domain or of :x,y,z,x,y,z",
                  &o->others.average),
        TACT_TEXT("hdf5", "FILE", "write frames as one H5Part file, particles in order of id", &o->others.hdf5),
        TACT_OUTPUT("dump", "FILE", "write frames as LAMMPS dumps atoms", &o->others.dump),
        TACT_NUMBER("every", "N", "steps from frame to frame (default 1)", &o->every, 1, 1000000000),
        TACT_PICTURE("image", "write a picture of the end", &o->image),
        TACT_PICTURE("chains", "write a picture of the forces of contacts at the end", &o->chains),
        TACT_TEXT("size", "WxH", "of pictures and the window (default 1280x720)", &o->size),
        TACT_TEXT("camera", "A,E", "azimuth and elevation of the eye, degrees (default 30,20)", &o->camera),
        TACT_CHOICE("color", "C", "id (default), speed or size", &o->color, colors),
        TACT_FLAG("window", "watch in a window: drag to turn, wheel to zoom, space pauses", &o->window),
        TACT_NUMBER("window-frames", "N", "close the window after N frames", &o->window_frames, 1, 1000000000),
        TACT_OUTPUT("save", "FILE", "save the run at its end", &o->save),
        TACT_NUMBER("save-every", "N", "and after every N steps", &o->save_every, 1, 1000000000000),
        TACT_MPI_OPTION(&run.query.common),
        TACT_MPI_REPORT_OPTION(&run.query.common),
        {.name = NULL},
    };
    const int code = tact_query_command_run(&description, &run, own, &c->meshes, argc, argv, problem);
    tact_particle_window_close();
    return code;
}
