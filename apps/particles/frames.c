// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/particles/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/particles/h5part.h"
#include "apps/particles/particles.h"

_Static_assert(sizeof(tact_contact_force) == 128, "forces are written as they lie in memory");

const char tact_contact_force_descr[] =
    "[('a', '<u4'), ('b', '<u4'), ('with', '<u4'), ('triangle', '<u4'), ('point', '<f4', (3,)), ('depth', '<f4'), "
    "('normal', '<f4', (3,)), ('unused', '<f4'), ('force', '<f4', (3,)), ('torque', '<f4', (3,)), "
    "('other_torque', '<f4', (3,)), ('arm', '<f4'), ('other_arm', '<f4'), ('slid', '<f4', (3,)), "
    "('rolled', '<f4', (3,)), ('twisted', '<f4'), ('limits', '<u4'), ('unused_too', '<u4')]";

// ---- What to write ----

static bool counts_of(const char* text, size_t length, tact_average_grid* grid)
{
    char numbers[64];
    if (length >= sizeof numbers) return false;
    memcpy(numbers, text, length);
    numbers[length] = '\0';
    const char* c = numbers;
    for (int k = 0; k < 3; ++k) {
        const char* end = NULL;
        uint64_t count = 0;
        if (!tact_number_parse(c, 1, TACT_MAX_AVERAGE_CELLS, &count, &end)) return false;
        if (*end != (k < 2 ? ',' : '\0')) return false;
        grid->counts[k] = (uint32_t)count;
        c = end + 1;
    }
    return true;
}

bool tact_frame_choices_check(tact_frame_choices* c, tact_problem* problem)
{
    if (c->hdf5 && tact_file_is_stream(c->hdf5))
        return tact_problem_set(problem, "--hdf5 -: HDF5 is written to a file");
    if (!c->average) return true;
    if (!c->vtk) return tact_problem_set(problem, "--average %s: needs --vtk DIR", c->average);
    const size_t length = strcspn(c->average, ":");
    c->grid = (tact_average_grid){0};
    if (!counts_of(c->average, length, &c->grid)) {
        return tact_problem_set(problem, "--average %s: must be three numbers of cells, such as 20,30,20", c->average);
    }
    const uint64_t slab = (uint64_t)c->grid.counts[0] * c->grid.counts[1];
    if (slab > TACT_MAX_AVERAGE_CELLS / c->grid.counts[2]) {
        return tact_problem_set(problem, "--average %s: more than %u cells", c->average,
                                (unsigned)TACT_MAX_AVERAGE_CELLS);
    }
    float box[6];
    if (!c->average[length]) return true;
    if (!tact_floats_parse("average", c->average + length + 1, 6, box, problem)) return false;
    if (box[0] < box[3] && box[1] < box[4] && box[2] < box[5]) {
        c->grid.box = (tact_aabb){{box[0], box[1], box[2]}, {box[3], box[4], box[5]}};
        return true;
    }
    return tact_problem_set(problem, "--average %s: the box is empty", c->average);
}

bool tact_frame_choices_need_all(const tact_frame_choices* c)
{
    return c->dump || c->average;
}

// ---- A frame ----

/// Whether all is good on all ranks.
static bool all_good(const tact_tool_ranks* ranks, bool good, tact_problem* problem)
{
    return ranks ? ranks->agree(good, problem) : good;
}

bool tact_contact_forces_read(tact_particles* p, tact_context* context, const tact_tool_ranks* ranks,
                              tact_contact_force** forces, size_t* count, tact_problem* problem)
{
    *forces = NULL;
    tact_result result = tact_particles_contact_forces(p, NULL, 0, count);
    // The response has none.
    if (result == TACT_ERROR_INVALID_ARGUMENT) return true;
    if (result >= 0) {
        *forces = malloc((*count + 1) * sizeof **forces);
        if (!*forces) tact_problem_out_of_memory(problem, "the contacts");
        if (!all_good(ranks, *forces, problem)) {
            free(*forces);
            *forces = NULL;
            return false;
        }
        result = tact_particles_contact_forces(p, *forces, *count, count);
    }
    if (result == TACT_OK) return true;
    free(*forces);
    *forces = NULL;
    return tact_problem_from_result(problem, result, context, "the forces of contacts");
}

/// Where an id is, or `count`.
static size_t row_of(const tact_particle_frame* f, uint32_t id)
{
    size_t low = 0, high = f->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (f->ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < f->count && f->ids[low] == id ? low : f->count;
}

/// A particle of another rank.
typedef struct remote_particle {
    uint32_t id;
    float radius;
} remote_particle;

static int compare_remote(const void* a, const void* b)
{
    const uint32_t p = ((const remote_particle*)a)->id, q = ((const remote_particle*)b)->id;
    return (p > q) - (p < q);
}

/// Those that particles here touch, in order of id, from malloc: each rank says which it needs, and each that has one
/// says so. A call of all ranks.
static bool find_remote(const tact_tool_ranks* ranks, const tact_particle_frame* f,
                        const tact_particle_contact* contacts, remote_particle** remote, size_t* remote_count,
                        tact_problem* problem)
{
    void *needed = NULL, *found = NULL;
    size_t own = 0, size = 0, here = 0;
    uint32_t* ids = malloc((f->contact_count + 1) * sizeof *ids);
    for (size_t i = 0; i < f->contact_count && ids; ++i) {
        const tact_particle_contact* c = &contacts[i];
        if (c->with == TACT_CONTACT_PARTICLE && row_of(f, c->b) == f->count) ids[own++] = c->b;
    }
    if (!ids) tact_problem_out_of_memory(problem, "the contacts");
    bool good = ranks->agree(ids, problem) && ranks->share(ids, own * sizeof *ids, &needed, &size, problem);
    free(ids);
    if (!good) return false;
    const size_t count = size / sizeof(uint32_t);
    remote_particle* has = malloc((count + 1) * sizeof *has);
    for (size_t i = 0; i < count && has; ++i) {
        const uint32_t id = ((const uint32_t*)needed)[i];
        const size_t row = row_of(f, id);
        if (row < f->count) has[here++] = (remote_particle){id, f->radii[row]};
    }
    if (!has) tact_problem_out_of_memory(problem, "the contacts");
    good = ranks->agree(has, problem) && ranks->share(has, here * sizeof *has, &found, &size, problem);
    free(has);
    free(needed);
    if (!good) return false;
    *remote = found;
    *remote_count = size / sizeof **remote;
    qsort(*remote, *remote_count, sizeof **remote, compare_remote);
    return true;
}

/// The radius of a particle that one here touches; NULL where it is on no rank.
static const float* radius_of(const tact_particle_frame* f, uint32_t id, const remote_particle* remote,
                              size_t remote_count)
{
    const size_t row = row_of(f, id);
    if (row < f->count) return &f->radii[row];
    const remote_particle key = {.id = id};
    const remote_particle* there =
        remote_count > 0 ? bsearch(&key, remote, remote_count, sizeof key, compare_remote) : NULL;
    return there ? &there->radius : NULL;
}

/// Takes over a contact, with how far it is from both centres.
static bool put_contact(tact_particle_frame* f, size_t i, const tact_particle_contact* c, const remote_particle* remote,
                        size_t remote_count, tact_problem* problem)
{
    const float inside = 0.5f * c->depth;
    f->contacts[i] = (tact_contact_force){.contact = *c, .arm = f->radii[row_of(f, c->a)] - inside};
    if (c->with != TACT_CONTACT_PARTICLE) return true;
    const float* radius = radius_of(f, c->b, remote, remote_count);
    if (!radius) return tact_problem_set(problem, "particle %u is touched and not there", (unsigned)c->b);
    f->contacts[i].other_arm = *radius - inside;
    return true;
}

/// The contacts of a response without forces, once the particles are read.
static bool put_contacts(const tact_tool_ranks* ranks, tact_particle_frame* f, const tact_particle_contact* contacts,
                         tact_problem* problem)
{
    remote_particle* remote = NULL;
    size_t remote_count = 0;
    f->contacts = malloc((f->contact_count + 1) * sizeof *f->contacts);
    if (!f->contacts) tact_problem_out_of_memory(problem, "the contacts");
    if (!all_good(ranks, f->contacts, problem)) return false;
    if (ranks && !find_remote(ranks, f, contacts, &remote, &remote_count, problem)) return false;
    bool good = true;
    for (size_t i = 0; i < f->contact_count && good; ++i)
        good = put_contact(f, i, &contacts[i], remote, remote_count, problem);
    free(remote);
    return all_good(ranks, good, problem);
}

/// The contacts of a response without forces, from malloc; NULL with the problem set on failure.
static tact_particle_contact* list_contacts(tact_particles* p, tact_context* context, const tact_tool_ranks* ranks,
                                            size_t* count, tact_problem* problem)
{
    const tact_query_options options = {.backend = TACT_BACKEND_AUTO};
    tact_result result = tact_particles_contacts(p, NULL, 0, count, &options, NULL);
    tact_particle_contact* contacts = NULL;
    if (result >= 0) {
        contacts = malloc((*count + 1) * sizeof *contacts);
        if (!contacts) tact_problem_out_of_memory(problem, "the contacts");
        if (!all_good(ranks, contacts, problem)) {
            free(contacts);
            return NULL;
        }
        result = tact_particles_contacts(p, contacts, *count, count, &options, NULL);
    }
    if (result == TACT_OK) return contacts;
    free(contacts);
    tact_problem_from_result(problem, result, context, "the contacts");
    return NULL;
}

static bool make_room(tact_particle_frame* f, size_t count, bool turns)
{
    const size_t n = count + 1;
    f->ids = malloc(n * sizeof *f->ids);
    f->positions = malloc(n * 3 * sizeof *f->positions);
    f->velocities = malloc(n * 3 * sizeof *f->velocities);
    f->radii = malloc(n * sizeof *f->radii);
    f->masses = malloc(n * sizeof *f->masses);
    f->materials = malloc(n);
    if (turns) {
        f->spins = malloc(n * 3 * sizeof *f->spins);
        f->orientations = malloc(n * 4 * sizeof *f->orientations);
    }
    f->count = count;
    return f->ids && f->positions && f->velocities && f->radii && f->masses && f->materials &&
           (!turns || (f->spins && f->orientations));
}

/// The box along open axes: about the particles.
static void fit_box(tact_particle_frame* f)
{
    float *lower = &f->domain.lower.x, *upper = &f->domain.upper.x;
    for (size_t k = 0; k < 3; ++k) {
        if (f->boundary[k] != TACT_BOUNDARY_OPEN) continue;
        lower[k] = f->count ? f->positions[k] - f->radii[0] : 0.0f;
        upper[k] = f->count ? f->positions[k] + f->radii[0] : 1.0f;
        for (size_t i = 0; i < f->count; ++i) {
            const float x = f->positions[3 * i + k], r = f->radii[i];
            lower[k] = x - r < lower[k] ? x - r : lower[k];
            upper[k] = x + r > upper[k] ? x + r : upper[k];
        }
    }
}

static tact_result average(tact_particle_frame* f, const tact_average_grid* grid, tact_aabb look, tact_particles* p)
{
    float *lower = &f->grid.box.lower.x, *upper = &f->grid.box.upper.x;
    f->grid = *grid;
    for (int k = 0; k < 3 && !(grid->box.lower.x < grid->box.upper.x); ++k) {
        const tact_aabb* box = f->boundary[k] == TACT_BOUNDARY_OPEN ? &look : &f->domain;
        lower[k] = (&box->lower.x)[k];
        upper[k] = (&box->upper.x)[k];
    }
    f->cells = malloc((size_t)grid->counts[0] * grid->counts[1] * grid->counts[2] * sizeof *f->cells);
    return f->cells ? tact_particles_average(p, &f->grid, f->cells) : TACT_ERROR_OUT_OF_MEMORY;
}

static void free_frame(tact_particle_frame* f)
{
    free(f->ids);
    free(f->positions);
    free(f->velocities);
    free(f->radii);
    free(f->masses);
    free(f->materials);
    free(f->spins);
    free(f->orientations);
    free(f->contacts);
    free(f->cells);
}

/// Reads particles, with ranks those of this one, into a frame that has none.
static bool read_particles(tact_particles* p, tact_context* context, tact_particle_frame* f, tact_problem* problem)
{
    tact_particles_info info;
    tact_particle_ranks_info part;
    const bool turns = tact_particles_read_turning(p, NULL, NULL) == TACT_OK;
    tact_result result = tact_particles_get_ranks(p, &part);
    if (result == TACT_OK && !make_room(f, (size_t)part.held, turns))
        return tact_problem_out_of_memory(problem, "a frame");
    const tact_particle_output out = {.ids = f->ids,
                                      .positions = f->positions,
                                      .velocities = f->velocities,
                                      .radii = f->radii,
                                      .masses = f->masses,
                                      .materials = f->materials};
    if (result == TACT_OK) result = tact_particles_read(p, &out);
    if (result == TACT_OK && turns) result = tact_particles_read_turning(p, f->spins, f->orientations);
    if (result == TACT_OK) result = tact_particles_get_domain(p, f->boundary, &f->domain);
    if (result == TACT_OK) result = tact_particles_get_info(p, &info);
    if (result != TACT_OK) return tact_problem_from_result(problem, result, context, "reading particles");
    f->step = info.steps;
    fit_box(f);
    return true;
}

/// Reads particles and contacts, with ranks those of this one, in a call of all.
static bool read_frame(const tact_tool_ranks* ranks, tact_particles* p, tact_context* context, tact_particle_frame* f,
                       tact_problem* problem)
{
    tact_particle_contact* plain = NULL;
    // Contacts first: to find them particles may go to other ranks.
    if (!tact_contact_forces_read(p, context, ranks, &f->contacts, &f->contact_count, problem)) return false;
    if (!f->contacts) {
        plain = list_contacts(p, context, ranks, &f->contact_count, problem);
        if (!plain) return false;
    }
    const bool good = all_good(ranks, read_particles(p, context, f, problem), problem) &&
                      (!plain || put_contacts(ranks, f, plain, problem));
    free(plain);
    return good;
}

// ---- LAMMPS ----

bool tact_dump_write(FILE* file, const tact_particle_frame* f)
{
    static const char* const faces[] = {"ss", "ff", "pp"};
    const float *lower = &f->domain.lower.x, *upper = &f->domain.upper.x;
    fprintf(file, "ITEM: TIMESTEP\n%" PRIu64 "\nITEM: NUMBER OF ATOMS\n%zu\nITEM: BOX BOUNDS %s %s %s\n", f->step,
            f->count, faces[f->boundary[0]], faces[f->boundary[1]], faces[f->boundary[2]]);
    for (int k = 0; k < 3; ++k)
        fprintf(file, "%.9g %.9g\n", (double)lower[k], (double)upper[k]);
    fputs("ITEM: ATOMS id type x y z vx vy vz omegax omegay omegaz radius mass\n", file);
    for (size_t i = 0; i < f->count; ++i) {
        const float still[3] = {0.0f, 0.0f, 0.0f};
        const float* const vectors[3] = {f->positions + 3 * i, f->velocities + 3 * i,
                                         f->spins ? f->spins + 3 * i : still};
        // Both count from 1 there.
        fprintf(file, "%" PRIu64 " %d", (uint64_t)f->ids[i] + 1, f->materials[i] + 1);
        for (int k = 0; k < 9; ++k)
            fprintf(file, " %.9g", (double)vectors[k / 3][k % 3]);
        fprintf(file, " %.9g %.9g\n", (double)f->radii[i], (double)f->masses[i]);
    }
    return !ferror(file);
}

// ---- The series ----

static const char* const parts[] = {"particles", "contacts", "cells"};

/// Names the file of a part of a frame: of one that a run before wrote, as it did; false where it wrote none.
static bool name_part(const tact_frame_series* s, uint64_t number, int part, char* name, size_t size)
{
    static const char* const endings[2][3] = {{"vtp", "vtp", "vti"}, {"pvtp", "pvtp", "vti"}};
    const int pieces = s->ranks != NULL;
    // Either kind may have been before, on ranks or not.
    for (int k = 0; k < 2; ++k) {
        char path[4096];
        tact_problem missing;
        snprintf(name, size, "%s_%05" PRIu64 ".%s", parts[part], number, endings[k == 0 ? pieces : !pieces][part]);
        if (number >= s->first) return true;
        const int length = snprintf(path, sizeof path, "%s/%s", s->choices->vtk, name);
        if (length > 0 && (size_t)length < sizeof path && tact_file_check(path, &missing)) return true;
    }
    return false;
}

/// The collection of all frames so far, for a viewer to open: named anew after each, so that it is whole at any
/// time.
static bool write_collection(const tact_frame_series* s, tact_problem* problem)
{
    char path[4096];
    tact_platform_output output;
    const int length = snprintf(path, sizeof path, "%s/run.pvd", s->choices->vtk);
    if (length < 0 || (size_t)length >= sizeof path) return tact_problem_set(problem, "--vtk: the name is too long");
    if (!tact_file_begin(&output, path, problem)) return false;
    fputs(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
        "<Collection>\n",
        output.file);
    for (uint64_t i = 0; i <= s->next; ++i) {
        for (int k = 0; k < (s->choices->average ? 3 : 2); ++k) {
            char name[64];
            if (!name_part(s, i, k, name, sizeof name)) continue;
            fprintf(output.file, "<DataSet timestep=\"%.12g\" part=\"%d\" name=\"%s\" file=\"%s\"/>\n",
                    (double)i * s->interval, k, parts[k], name);
        }
    }
    fputs("</Collection>\n</VTKFile>\n", output.file);
    return tact_file_finish(&output, !ferror(output.file), problem);
}

/// On the first rank, or the only one.
static bool begin_files(tact_frame_series* s, tact_problem* problem)
{
    const tact_frame_choices* c = s->choices;
    if (c->vtk && !tact_system_make_directory(c->vtk, problem)) return false;
    if (c->vtk && s->ranks && !tact_vtk_begin_pieces(c->vtk, problem)) return false;
    s->dumping = c->dump && tact_file_begin(&s->dump, c->dump, problem);
    return s->dumping || !c->dump;
}

bool tact_frame_series_begin(tact_frame_series* s, const tact_frame_choices* choices, tact_aabb look, double interval,
                             uint64_t first, const tact_tool_ranks* ranks, tact_problem* problem)
{
    *s = (tact_frame_series){
        .choices = choices, .look = look, .interval = interval, .first = first, .next = first, .ranks = ranks};
    return all_good(ranks, (ranks && ranks->rank > 0) || begin_files(s, problem), problem) &&
           (!choices->hdf5 || tact_h5part_begin(choices->hdf5, ranks, &s->h5part, problem));
}

/// Writes what has all particles in it, once they are read.
static bool write_all(tact_frame_series* s, tact_particles* p, tact_context* context, tact_particle_frame* f,
                      tact_problem* problem)
{
    const tact_frame_choices* c = s->choices;
    if (s->dumping && !tact_dump_write(s->dump.file, f))
        return tact_problem_set(problem, "%s: writing failed", c->dump);
    if (!c->average) return true;
    const tact_result result = average(f, &c->grid, s->look, p);
    if (result != TACT_OK) return tact_problem_from_result(problem, result, context, "a frame");
    return tact_vtk_write_cells(c->vtk, s->next, f, problem);
}

/// Of the frame to come, s.
static double time_of(const tact_frame_series* s)
{
    return (double)s->next * s->interval;
}

static bool add_alone(tact_frame_series* s, tact_particles* p, tact_context* context, tact_problem* problem)
{
    const char* vtk = s->choices->vtk;
    tact_particle_frame f = {0};
    bool good = vtk ? read_frame(NULL, p, context, &f, problem) : read_particles(p, context, &f, problem);
    good = good && write_all(s, p, context, &f, problem);
    good = good && (!s->h5part || tact_h5part_add(s->h5part, time_of(s), &f, problem));
    good = good && (!vtk || (tact_vtk_write(vtk, s->next, &f, problem) && write_collection(s, problem)));
    free_frame(&f);
    return good;
}

/// What the first rank writes when all pieces are there, of which `part` is one.
static bool add_whole(tact_frame_series* s, const tact_particle_frame* part, tact_particles* all, tact_context* context,
                      tact_problem* problem)
{
    const char* vtk = s->choices->vtk;
    if (all) {
        tact_particle_frame f = {0};
        const bool good = read_particles(all, context, &f, problem) && write_all(s, all, context, &f, problem);
        free_frame(&f);
        if (!good) return false;
    }
    return !vtk || (tact_vtk_write_index(vtk, s->next, s->ranks->count, part, problem) && write_collection(s, problem));
}

/// An index of a frame is there only while all its pieces are those of one run: that of a run before goes before they
/// are replaced.
static bool add_by_ranks(tact_frame_series* s, tact_particles* part, tact_particles* all, tact_context* context,
                         tact_problem* problem)
{
    const tact_tool_ranks* r = s->ranks;
    const char* vtk = s->choices->vtk;
    tact_particle_frame f = {0};
    bool good = true;
    if (vtk) {
        good = read_frame(r, part, context, &f, problem) &&
               r->agree(r->rank > 0 || tact_vtk_remove_index(vtk, s->next, problem), problem) &&
               r->agree(tact_vtk_write_piece(vtk, s->next, r->rank, &f, problem), problem);
    } else if (s->h5part) {
        good = r->agree(read_particles(part, context, &f, problem), problem);
    }
    good = good && (!s->h5part || tact_h5part_add(s->h5part, time_of(s), &f, problem));
    good = good && r->agree(r->rank > 0 || add_whole(s, &f, all, context, problem), problem);
    free_frame(&f);
    return good;
}

bool tact_frame_series_add(tact_frame_series* s, tact_particles* p, tact_particles* all, tact_context* context,
                           tact_problem* problem)
{
    const bool good = s->ranks ? add_by_ranks(s, p, all, context, problem) : add_alone(s, p, context, problem);
    s->next += good;
    return good;
}

/// As tact_frame_series_end(), of the dump.
static bool end_dump(tact_frame_series* s, bool good, tact_problem* problem)
{
    // A failure before has its own words.
    tact_problem unsaid = {0};
    const bool ended = !s->dumping || tact_file_finish(&s->dump, good, good ? problem : &unsaid);
    s->dumping = false;
    return good && (s->choices->dump ? all_good(s->ranks, ended, problem) : true);
}

bool tact_frame_series_end(tact_frame_series* s, bool good, tact_problem* problem)
{
    // It was not begun.
    if (!s->choices) return good;
    good = end_dump(s, good, problem);
    good = tact_h5part_end(s->h5part, good, problem);
    s->h5part = NULL;
    return good;
}
