// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles over ranks against the same system in one process, after every step: all that tact_particles_save() writes
// must be the same bytes. Run by mpirun. Arguments: ranks, scene, particles, steps, then any of
//   grains      particles that turn, with contacts that remember
//   position    by positions, in iterations
//   reference   moved by the brute force
//   gl, cl      moved on a device; skipped where that is not there
//   each        the ranks move theirs on the CPU, by the brute force, on OpenGL, on OpenCL, and so on
//   uneven      particles change ranks in every step
//   clumps      of pour: rods of six spheres each
//   wide        ghosts from so far that they are seldom chosen
//   sources     an emitter and a sink
//   edits       particles are added, removed and moved between steps
//   bonds       pairs that are near are bonded
//   program     a force program
//   squeezed    everything lies closer together, and parts
//   streams     most particles are at rest, and the others come upon them along z
//   cradle      a row at rest that does not touch, and one that comes upon it: a blow goes from each to the next
//   fast        speeds that take particles past their neighbours' ranks
//   control     the other system is of another seed: exits 4 when the difference is seen
// Exit codes: 0 all the same; 1 a difference or a failure.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/particles/particles.h"
#include "tact/mpi.h"
#include "tact/particle_ranks.h"
#include "tact/tact.h"
#include "tests/ranks/rank_check.h"

enum { SEED = 7, DIFFERS = 4 };

typedef struct choices {
    bool grains, position, reference, clumps, uneven, wide, sources, edits, bonds, program, squeezed, streams, fast,
        cradle, gl, cl, each, control;
} choices;

static choices choices_of(int argc, char** argv)
{
    choices c = {0};
    const struct {
        const char* name;
        bool* flag;
    } all[] = {{"grains", &c.grains},   {"position", &c.position}, {"reference", &c.reference},
               {"uneven", &c.uneven},   {"wide", &c.wide},         {"clumps", &c.clumps},
               {"sources", &c.sources}, {"edits", &c.edits},       {"bonds", &c.bonds},
               {"program", &c.program}, {"squeezed", &c.squeezed}, {"streams", &c.streams},
               {"fast", &c.fast},       {"cradle", &c.cradle},     {"gl", &c.gl},
               {"cl", &c.cl},           {"each", &c.each},         {"control", &c.control}};
    for (int i = 5; i < argc; ++i) {
        size_t k = 0;
        while (k < sizeof all / sizeof *all && strcmp(all[k].name, argv[i]) != 0)
            ++k;
        if (k == sizeof all / sizeof *all) fail("no such choice", argv[i]);
        *all[k].flag = true;
    }
    return c;
}

static tact_backend backend_of(const choices* c)
{
    return c->reference ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU;
}

/// What moves this rank's part of the spread system.
static tact_backend backend_here(const choices* c)
{
    static const tact_backend all[] = {TACT_BACKEND_CPU, TACT_BACKEND_REFERENCE, TACT_BACKEND_GL, TACT_BACKEND_CL};
    if (c->each) return all[(size_t)rank % (sizeof all / sizeof *all)];
    return c->gl ? TACT_BACKEND_GL : c->cl ? TACT_BACKEND_CL : backend_of(c);
}

// ---- Making systems ----

static void make_grains(tact_particles* p, bool cradle)
{
    const tact_grain_law law = {.stiffness = cradle ? 2e7f : 2e4f,
                                .shear = cradle ? 1e7f : 1e4f,
                                .restitution = cradle ? 1.0f : 0.5f,
                                .tangential_damping = 0.3f,
                                .friction = 0.4f,
                                .rolling_friction = 0.1f};
    check(tact_particles_set_law(p, 0, 0, &law), "the law");
}

/// A sheet across the middle of what the particles are in, and a ball that takes them out.
static void add_sources(tact_particles* p, const tact_particle_setup* s)
{
    const tact_aabb d = s->desc.domain;
    float largest = 0.0f;
    for (size_t i = 0; i < s->count; ++i)
        largest = fmaxf(largest, s->radii[i]);
    const float w = d.upper.x - d.lower.x, h = d.upper.y - d.lower.y, l = d.upper.z - d.lower.z;
    const tact_emitter e = {.corner = {d.lower.x + 0.2f * w, d.lower.y + 0.8f * h, d.lower.z + 0.2f * l},
                            .edge = {{0.5f * w, 0, 0}, {0, 0, 0.5f * l}},
                            .velocity = {0, -2.0f, 0},
                            .radius = largest,
                            .spacing = 4.0f * largest,
                            .interval = 7.0f * s->dt,
                            .jitter = 1.0f,
                            .limit = 2000};
    const tact_collider sink = {
        .kind = TACT_COLLIDER_SPHERE,
        .shape.sphere = {{d.lower.x + 0.3f * w, d.lower.y + 0.3f * h, d.lower.z + 0.5f * l}, 0.2f * fminf(w, h)},
        .mask = 0xffffffffu};
    check(tact_particles_add_emitter(p, &e, NULL), "an emitter");
    check(tact_particles_add_sink(p, &sink, NULL), "a sink");
}

static void make_streams(tact_particle_setup* s)
{
    float lower = INFINITY, upper = -INFINITY;
    for (size_t i = 0; i < s->count; ++i) {
        lower = fminf(lower, s->positions[3 * i + 2]);
        upper = fmaxf(upper, s->positions[3 * i + 2]);
    }
    s->desc.gravity = (tact_vec3){0, 0, 0};
    memset(s->velocities, 0, 3 * s->count * sizeof *s->velocities);
    for (size_t i = 0; i < s->count; ++i) {
        if (s->positions[3 * i + 2] > lower + 0.6f * (upper - lower)) s->velocities[3 * i + 2] = -4.0f;
    }
}

/// Along x, in a box as long as that.
static void make_cradle(tact_particle_setup* s)
{
    tact_aabb* d = &s->desc.domain;
    const float radius = s->radii[0], gap = 3.0f * radius;
    s->desc.gravity = (tact_vec3){0, 0, 0};
    memset(s->velocities, 0, 3 * s->count * sizeof *s->velocities);
    d->upper.x = d->lower.x + gap * (float)(s->count + 1);
    for (size_t i = 0; i < s->count; ++i) {
        s->positions[3 * i] = d->lower.x + gap * (float)(i + 1);
        s->positions[3 * i + 1] = 0.5f * (d->lower.y + d->upper.y);
        s->positions[3 * i + 2] = 0.5f * (d->lower.z + d->upper.z);
        s->radii[i] = radius;
    }
    s->velocities[0] = 20.0f;
}

/// Gives clumps speeds and spins of all directions.
static void stir(tact_particles* p)
{
    const size_t count = tact_particles_clump_count(p);
    float* arrays = calloc(6 * count + 1, sizeof *arrays);
    for (size_t i = 0; i < 6 * count; ++i)
        arrays[i] = 20.0f * ((float)((i * 37 + i / 6 * 11) % 41) / 20.0f - 1.0f);
    const tact_clump_arrays given = {.velocities = arrays, .spins = arrays + 3 * count};
    check(tact_particles_write_clumps(p, NULL, count, &given), "speeds of clumps");
    free(arrays);
}

/// A drum that turns, or a pour, as `tact particles` makes them.
static tact_particles* make_run(tact_context* context, bool drum, size_t count, uint64_t seed, const choices* c,
                                tact_particle_setup* setup)
{
    tact_problem problem = {0};
    tact_particle_plan plan = {.source = ""};
    tact_particles* p = NULL;
    tact_particle_choices given = {.random = count, .seed = seed, .history = true, .rolling = "0.1"};
    if (drum) given.field.scene = TACT_FIELD_DRUM;
    if (!drum) given.dt = "0.002";
    if (c->clumps) given.clump = "rod:6";
    if (!tact_field_check(&given.field, &problem) || !tact_particle_plan_make(&given, &plan, &problem) ||
        !tact_particle_plan_create(&plan, context, backend_of(c), &p, &problem)) {
        fail("a run", problem.text);
    }
    if (c->sources) fail("sources", "not in runs");
    if (c->clumps) stir(p);
    if (c->uneven) check(tact_particles_set_gravity(p, (tact_vec3){-9.0f, -9.0f, 2.0f}), "gravity");
    *setup = (tact_particle_setup){.desc = plan.desc, .dt = plan.dt, .substeps = plan.substeps};
    tact_particle_plan_free(&plan);
    return p;
}

static tact_particles* make(tact_context* context, const char* name, size_t count, uint64_t seed, const choices* c,
                            tact_particle_setup* setup)
{
    tact_problem problem = {0};
    tact_particles* p = NULL;
    const bool drum = strcmp(name, "drum") == 0;
    if (drum || strcmp(name, "pour") == 0) return make_run(context, drum, count, seed, c, setup);
    const tact_particle_scene* scene = tact_particle_scene_named(name);
    if (!scene) fail("no such scene", name);
    if (!tact_particle_setup_make(scene, count, seed, setup, &problem)) fail("a scene", problem.text);
    setup->desc.response = c->grains     ? TACT_RESPONSE_GRAINS
                           : c->position ? TACT_RESPONSE_POSITION
                                         : TACT_RESPONSE_SPRING;
    setup->desc.backend = backend_of(c);
    for (size_t i = 0; i < 3 * count && c->fast; ++i)
        setup->velocities[i] *= 400.0f;
    if (c->position) setup->dt = 1.0f / 64;
    // What contacts part moves farther than its speed says.
    if (c->position) setup->desc.separation_speed = 0.01f;
    if (c->streams) make_streams(setup);
    if (c->cradle) make_cradle(setup);
    for (size_t i = 0; i < 3 * count && c->squeezed; ++i)
        setup->positions[i] = 0.6f * setup->positions[i] + 0.2f * setup->positions[i % 3];
    check(tact_particle_setup_create(setup, context, &p), "a system");
    if (c->grains) make_grains(p, c->cradle);
    if (c->sources) add_sources(p, setup);
    if (c->program)
        check(tact_particles_set_program(p, "fx = -3*y + id*0.001; fy = vx*m + sqrt(x - 2)", NULL, 0), "a program");
    if (c->bonds) {
        const tact_bond_law law = {.young = 1e6f,
                                   .shear = 4e5f,
                                   .radius = 0.5f,
                                   .damping = 0.1f,
                                   .tensile_strength = 3e4f,
                                   .shear_strength = 3e4f};
        size_t made = 0;
        check(tact_particles_set_bond_law(p, 1, &law), "the law of bonds");
        check(tact_particles_bond_near(p, 1, 0.0f, &made), "bonds");
        if (made == 0) fail("bonds", "there are none");
    }
    return p;
}

// ---- Comparing ----

typedef struct bytes {
    unsigned char* data;
    size_t size;
} bytes;

static bytes saved(tact_particles* p)
{
    bytes b = {0};
    tact_result result = tact_particles_save(p, NULL, 0, &b.size);
    check(result, "saving");
    b.data = malloc(b.size + 1);
    if (!b.data) fail("saving", "no memory");
    check(tact_particles_save(p, b.data, b.size, &b.size), "saving");
    return b;
}

/// Whether the first rank has the same bytes; the others hear of it.
static bool same(tact_particles* spread, tact_particles* alone)
{
    bytes a = saved(spread), b = {0};
    int equal = 1;
    if (rank == 0) {
        b = saved(alone);
        equal = a.size == b.size && memcmp(a.data, b.data, a.size) == 0;
        for (size_t i = 0; !equal && i < a.size && i < b.size; ++i) {
            if (a.data[i] == b.data[i]) continue;
            fprintf(stderr, "byte %zu of %zu and %zu: %02x, alone %02x\n", i, a.size, b.size, a.data[i], b.data[i]);
            break;
        }
    } else if (a.size != 0) {
        fail("saving", "another rank than the first has bytes");
    }
    free(a.data);
    free(b.data);
    MPI_Bcast(&equal, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return equal != 0;
}

/// Whether the first particles of contacts, `item` bytes each, are those that are read here.
static void check_here(tact_particles* p, const bytes* contacts, size_t item)
{
    tact_particle_ranks_info info;
    check(tact_particles_get_ranks(p, &info), "facts");
    uint32_t* ids = malloc(((size_t)info.held + 1) * sizeof *ids);
    if (!ids) fail("contacts", "no memory");
    check(tact_particles_read(p, &(tact_particle_output){.ids = ids}), "reading");
    uint64_t row = 0;
    for (size_t at = 0; at < contacts->size; at += item) {
        uint32_t a;
        memcpy(&a, contacts->data + at, sizeof a);
        while (row < info.held && ids[row] < a)
            ++row;
        if (row == info.held || ids[row] != a) fail("contacts", "of a particle that is not here");
    }
    free(ids);
}

/// The contacts of a system's part, with their forces if these are asked for, from malloc.
static bytes list_contacts(tact_particles* p, bool forces, const tact_query_options* options)
{
    size_t count = 0;
    check(forces ? tact_particles_contact_forces(p, NULL, 0, &count)
                 : tact_particles_contacts(p, NULL, 0, &count, options, NULL),
          "contacts");
    bytes b = {.size = count * (forces ? sizeof(tact_contact_force) : sizeof(tact_particle_contact))};
    b.data = malloc(b.size + 1);
    if (!b.data) fail("contacts", "no memory");
    const tact_result result =
        forces ? tact_particles_contact_forces(p, (tact_contact_force*)(void*)b.data, count, &count)
               : tact_particles_contacts(p, (tact_particle_contact*)(void*)b.data, count, &count, options, NULL);
    check(result, "contacts");
    if (result != TACT_OK) fail("contacts", "more than there were");
    check_here(p, &b, b.size / (count > 0 ? count : 1));
    return b;
}

/// Whether the contacts of all ranks, in order of their first particles, are those of one process. Returns how many.
static size_t compare_contacts(tact_particles* spread, tact_particles* alone, bool forces,
                               const tact_query_options* options)
{
    const size_t item = forces ? sizeof(tact_contact_force) : sizeof(tact_particle_contact);
    bytes own = list_contacts(spread, forces, options), right = {0};
    int size = (int)own.size;
    int *sizes = calloc((size_t)rank_count, sizeof *sizes), *places = calloc((size_t)rank_count + 1, sizeof *places);
    MPI_Gather(&size, 1, MPI_INT, sizes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < rank_count; ++i)
        places[i + 1] = places[i] + sizes[i];
    unsigned char* all = malloc((size_t)places[rank_count] + 1);
    MPI_Gatherv(own.data, size, MPI_BYTE, all, sizes, places, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        right = list_contacts(alone, forces, NULL);
        if (right.size != (size_t)places[rank_count]) fail("contacts", "not as many");
        // Each rank's are in order: take them as one process has them.
        for (size_t i = 0; i < right.size; i += item) {
            int k = 0;
            while (k < rank_count && (sizes[k] == 0 || memcmp(all + places[k], right.data + i, item) != 0))
                ++k;
            if (k == rank_count) fail(forces ? "forces of contacts" : "contacts", "one is another");
            places[k] += (int)item;
            sizes[k] -= (int)item;
        }
    }
    free(all);
    free(places);
    free(sizes);
    free(own.data);
    free(right.data);
    return right.size / item;
}

// ---- Edits ----

/// Particles that ranks give: `count` of rank r, each at a place of its own in the middle of the domain, with the
/// rank's radius.
static void fill(const tact_particle_setup* s, int of, size_t step, size_t count, float* positions, float* radii)
{
    const tact_aabb d = s->desc.domain;
    for (size_t i = 0; i < count; ++i) {
        radii[i] = s->radii[0] * (1.0f - 0.05f * (float)(of % 4));
        const float t = (float)((step * 31 + i * 7 + (size_t)of * 13) % 97) / 97.0f;
        positions[3 * i] = d.lower.x + (d.upper.x - d.lower.x) * (0.1f + 0.8f * t);
        positions[3 * i + 1] = d.lower.y + (d.upper.y - d.lower.y) * 0.5f;
        positions[3 * i + 2] = d.lower.z + (d.upper.z - d.lower.z) * (0.9f - 0.8f * t);
    }
}

static void edit(const tact_particle_setup* s, tact_particles* spread, tact_particles* alone, size_t step)
{
    enum { MOST = 8, ALL = 64 * MOST };
    float positions[3 * ALL], radii[ALL];
    const size_t own = (size_t)(rank + (int)step) % MOST;
    tact_particle_arrays arrays = {.positions = positions, .radii = radii};
    fill(s, rank, step, own, positions, radii);
    check(tact_particles_add(spread, &arrays, own, NULL), "adding");
    if (rank == 0) {
        size_t count = 0;
        for (int r = 0; r < rank_count; ++r) {
            const size_t theirs = (size_t)(r + (int)step) % MOST;
            fill(s, r, step, theirs, positions + 3 * count, radii + count);
            count += theirs;
        }
        check(tact_particles_add(alone, &arrays, count, NULL), "adding");
    }
    // Every 13th of those here goes, and the others of every 7th turn round.
    tact_particle_ranks_info info;
    check(tact_particles_get_ranks(spread, &info), "facts");
    for (int pass = 0; pass < 2; ++pass) {
        tact_particles* p = pass == 0 ? spread : alone;
        if (!p) continue;
        const size_t count = pass == 0 ? (size_t)info.held : tact_particles_count(alone);
        uint32_t* ids = malloc((count + 1) * sizeof *ids);
        float* velocities = malloc((count + 1) * 3 * sizeof *velocities);
        const tact_particle_output out = {.ids = ids, .velocities = velocities};
        check(tact_particles_read(p, &out), "reading");
        size_t gone = 0, turned = 0;
        uint32_t* going = malloc((count + 1) * sizeof *going);
        for (size_t i = 0; i < count; ++i) {
            if ((ids[i] + step) % 13 == 0) {
                going[gone++] = ids[i];
            } else if ((ids[i] + step) % 7 == 0) {
                ids[turned] = ids[i];
                for (int k = 0; k < 3; ++k)
                    velocities[3 * turned + (size_t)k] = -velocities[3 * i + (size_t)k];
                ++turned;
            }
        }
        check(tact_particles_remove(p, going, gone), "removing");
        check(tact_particles_write(p, ids, turned, NULL, velocities), "writing");
        free(going);
        free(velocities);
        free(ids);
    }
}

// ---- The run ----

/// Whether all ranks have what they are to move their parts by.
static bool have_devices(tact_context* context, const choices* c)
{
    const tact_backend backend = backend_here(c);
    int here =
        backend == TACT_BACKEND_CPU || backend == TACT_BACKEND_REFERENCE || !tact_context_missing(context, backend);
    MPI_Allreduce(MPI_IN_PLACE, &here, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!here && rank == 0) printf("skipped: no such device here\n");
    return here != 0;
}

static int run(tact_context* context, tact_ranks* ranks, char** argv, choices c)
{
    const char* scene = argv[2];
    const size_t count = (size_t)strtoull(argv[3], NULL, 10), steps = (size_t)strtoull(argv[4], NULL, 10);
    if (!have_devices(context, &c)) return 0;
    tact_particle_setup setup, other = {0};
    tact_particles *spread = make(context, scene, count, SEED, &c, &setup), *alone = NULL;
    if (rank == 0) alone = make(context, scene, count, c.control ? SEED + 1 : SEED, &c, &other);
    const tact_particle_ranks_desc desc = {.imbalance = c.uneven ? 1.0f : 0.0f,
                                           .margin = c.uneven ? 0.02f
                                                     : c.wide ? 4.0f
                                                              : 0.0f};
    check(tact_particles_spread(spread, ranks, &desc), "spreading");
    const tact_query_options options = {.backend = backend_here(&c)};
    const bool forces = setup.desc.response != TACT_RESPONSE_POSITION;
    // The ranks have any particles still, which go to their cells then.
    (void)compare_contacts(spread, alone, forces, &options);
    int result = 0;
    for (size_t step = 0; step < steps && result == 0; ++step) {
        if (c.edits && step % 5 == 3) edit(&setup, spread, alone, step);
        check(tact_particle_setup_move(&setup, spread, step), "moving");
        tact_query_report report;
        check(tact_particles_step(spread, setup.dt, setup.substeps, 1, &options, &report), "a step");
        if (report.backend != options.backend) fail("a step", "not by the backend that was asked for");
        if (rank == 0) {
            check(tact_particle_setup_move(&other, alone, step), "moving");
            check(tact_particles_step(alone, setup.dt, setup.substeps, 1, NULL, NULL), "a step");
        }
        if (same(spread, alone)) continue;
        if (rank == 0) fprintf(stderr, "%s: differs after step %zu\n", scene, step + 1);
        result = c.control ? DIFFERS : 1;
    }
    const size_t contacts = result == 0 ? compare_contacts(spread, alone, false, &options) : 0;
    if (result == 0 && forces) (void)compare_contacts(spread, alone, true, &options);
    tact_particle_ranks_info info;
    check(tact_particles_get_ranks(spread, &info), "facts");
    uint64_t numbers[3] = {info.held, info.moved, info.ghosts}, sums[3] = {0};
    MPI_Reduce(numbers, sums, 3, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s: %" PRIu64 " particles on %u ranks, %zu steps, %zu contacts: %" PRIu64 " ghosts, placed %" PRIu64
               ", cut %" PRIu64 " times, %" PRIu64 " changed ranks\n",
               scene, sums[0], (unsigned)info.ranks, steps, contacts, sums[2], info.placed, info.cut, sums[1]);
        if (info.ranks != (uint32_t)rank_count) fail("ranks", "not as many as there are processes");
        tact_particles_info facts;
        check(tact_particles_get_info(alone, &facts), "facts");
        if (sums[0] != tact_particles_count(alone)) fail("particles", "not as many");
        if (c.uneven && rank_count > 1 && sums[1] == 0) fail("uneven", "nothing changed ranks");
    }
    tact_particles_destroy(spread);
    tact_particles_destroy(alone);
    tact_particle_setup_free(&setup);
    if (rank == 0) tact_particle_setup_free(&other);
    return result;
}

int main(int argc, char** argv)
{
    rank_begin(&argc, &argv, 5, "ranks, scene, particles, steps");
    const choices c = choices_of(argc, argv);
    const tact_context_desc desc = {.threads = 1,
                                    .gl = c.gl || c.each ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = c.cl || c.each ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .disable_calibration = true};
    tact_context* context = NULL;
    tact_ranks* ranks = NULL;
    check(tact_context_create(&desc, &context), "a context");
    check(tact_mpi_ranks(context, MPI_COMM_WORLD, &ranks), "ranks");
    const int result = run(context, ranks, argv, c);
    tact_ranks_destroy(ranks);
    tact_context_destroy(context);
    MPI_Finalize();
    return result;
}
