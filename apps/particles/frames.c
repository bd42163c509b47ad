// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/particles/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        char* end = NULL;
        // No sign, no space.
        if (*c < '0' || *c > '9') return false;
        const unsigned long long count = strtoull(c, &end, 10);
        if (count < 1 || count > TACT_MAX_AVERAGE_CELLS || *end != (k < 2 ? ',' : '\0')) return false;
        grid->counts[k] = (uint32_t)count;
        c = end + 1;
    }
    return true;
}

bool tact_frame_choices_check(tact_frame_choices* c, tact_problem* problem)
{
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

// ---- A frame ----

bool tact_contact_forces_read(tact_particles* p, tact_context* context, tact_contact_force** forces, size_t* count,
                              tact_problem* problem)
{
    *forces = NULL;
    tact_result result = tact_particles_contact_forces(p, NULL, 0, count);
    // The response has none.
    if (result == TACT_ERROR_INVALID_ARGUMENT) return true;
    if (result >= 0) {
        *forces = malloc((*count + 1) * sizeof **forces);
        if (!*forces) return tact_problem_out_of_memory(problem, "the contacts");
        result = tact_particles_contact_forces(p, *forces, *count, count);
    }
    if (result == TACT_OK) return true;
    free(*forces);
    *forces = NULL;
    return tact_problem_from_result(problem, result, context, "the forces of contacts");
}

/// Where an id is.
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
    return low;
}

/// The contacts of a response without forces, and where they are.
static tact_result list_contacts(tact_particles* p, tact_particle_frame* f)
{
    const tact_query_options options = {.backend = TACT_BACKEND_AUTO};
    tact_particle_contact* contacts = NULL;
    tact_result result = tact_particles_contacts(p, NULL, 0, &f->contact_count, &options, NULL);
    if (result < 0) return result;
    contacts = malloc((f->contact_count + 1) * sizeof *contacts);
    f->contacts = malloc((f->contact_count + 1) * sizeof *f->contacts);
    result = contacts && f->contacts
                 ? tact_particles_contacts(p, contacts, f->contact_count, &f->contact_count, &options, NULL)
                 : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < f->contact_count && result == TACT_OK; ++i) {
        const tact_particle_contact* c = &contacts[i];
        const float inside = 0.5f * c->depth;
        f->contacts[i] = (tact_contact_force){.contact = *c, .arm = f->radii[row_of(f, c->a)] - inside};
        if (c->with == TACT_CONTACT_PARTICLE) f->contacts[i].other_arm = f->radii[row_of(f, c->b)] - inside;
    }
    free(contacts);
    return result;
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

static bool read_frame(tact_frame_series* s, tact_particles* p, tact_context* context, tact_particle_frame* f,
                       tact_problem* problem)
{
    tact_particles_info info;
    *f = (tact_particle_frame){0};
    const bool turns = tact_particles_read_turning(p, NULL, NULL) == TACT_OK;
    if (!make_room(f, tact_particles_count(p), turns)) return tact_problem_out_of_memory(problem, "a frame");
    const tact_particle_output out = {.ids = f->ids,
                                      .positions = f->positions,
                                      .velocities = f->velocities,
                                      .radii = f->radii,
                                      .masses = f->masses,
                                      .materials = f->materials};
    tact_result result = tact_particles_read(p, &out);
    if (result == TACT_OK && turns) result = tact_particles_read_turning(p, f->spins, f->orientations);
    if (result == TACT_OK) result = tact_particles_get_domain(p, f->boundary, &f->domain);
    if (result == TACT_OK) result = tact_particles_get_info(p, &info);
    if (result != TACT_OK) return tact_problem_from_result(problem, result, context, "reading particles");
    f->step = info.steps;
    fit_box(f);
    if (!s->choices->vtk) return true;
    if (!tact_contact_forces_read(p, context, &f->contacts, &f->contact_count, problem)) return false;
    if (!f->contacts) result = list_contacts(p, f);
    if (result == TACT_OK && s->choices->average) result = average(f, &s->choices->grid, s->look, p);
    return result == TACT_OK || tact_problem_from_result(problem, result, context, "a frame");
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

/// The collection of all frames so far, for a viewer to open: named anew after each, so that it is whole at any time.
static bool write_collection(const tact_frame_series* s, tact_problem* problem)
{
    static const char* const parts[] = {"particles", "contacts", "cells"};
    static const char* const endings[] = {"vtp", "vtp", "vti"};
    char path[4096];
    tact_platform_output output;
    const char* folder = s->choices->vtk;
    const int length = snprintf(path, sizeof path, "%s/run.pvd", folder);
    if (length < 0 || (size_t)length >= sizeof path) return tact_problem_set(problem, "--vtk: the name is too long");
    if (!tact_file_begin(&output, path, problem)) return false;
    fputs(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
        "<Collection>\n",
        output.file);
    for (uint64_t i = 0; i <= s->next; ++i) {
        for (int k = 0; k < (s->choices->average ? 3 : 2); ++k) {
            char name[64];
            snprintf(name, sizeof name, "%s_%05" PRIu64 ".%s", parts[k], i, endings[k]);
            if (i < s->first) {
                snprintf(path, sizeof path, "%s/%s", folder, name);
                tact_problem missing;
                if (!tact_file_check(path, &missing)) continue;
            }
            fprintf(output.file, "<DataSet timestep=\"%.12g\" part=\"%d\" name=\"%s\" file=\"%s\"/>\n",
                    (double)i * s->interval, k, parts[k], name);
        }
    }
    fputs("</Collection>\n</VTKFile>\n", output.file);
    return tact_file_finish(&output, !ferror(output.file), problem);
}

bool tact_frame_series_begin(tact_frame_series* s, const tact_frame_choices* choices, tact_aabb look, double interval,
                             uint64_t first, tact_problem* problem)
{
    *s = (tact_frame_series){.choices = choices, .look = look, .interval = interval, .first = first, .next = first};
    if (choices->vtk && !tact_system_make_directory(choices->vtk, problem)) return false;
    s->dumping = choices->dump && tact_file_begin(&s->dump, choices->dump, problem);
    return s->dumping || !choices->dump;
}

bool tact_frame_series_add(tact_frame_series* s, tact_particles* p, tact_context* context, tact_problem* problem)
{
    tact_particle_frame f;
    bool good = read_frame(s, p, context, &f, problem);
    if (good && s->dumping && !tact_dump_write(s->dump.file, &f))
        good = tact_problem_set(problem, "%s: writing failed", s->choices->dump);
    if (good && s->choices->vtk)
        good = tact_vtk_write(s->choices->vtk, s->next, &f, problem) && write_collection(s, problem);
    free_frame(&f);
    s->next += good;
    return good;
}

bool tact_frame_series_end(tact_frame_series* s, bool good, tact_problem* problem)
{
    if (!s->dumping) return good;
    s->dumping = false;
    // A failure before has its own words.
    tact_problem unsaid = {0};
    return tact_file_finish(&s->dump, good, good ? problem : &unsaid) && good;
}
