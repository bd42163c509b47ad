// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// VTK's XML files: a head of text that names arrays, and behind it their bytes, each after its length.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/particles/frames.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "arrays are written as they lie in memory, which needs a little-endian machine"
#endif

/// Rows of numbers in memory.
typedef struct array {
    const char* name;
    const char* type;  ///< as VTK names it
    int components;    ///< numbers of a row
    size_t row, stride;
    const void* base;
    size_t count;
} array;

/// More than any file has.
enum { ARRAYS = 16 };

typedef struct writer {
    FILE* file;
    array arrays[ARRAYS];
    size_t count;
    uint64_t offset;
} writer;

/// Names an array, whose bytes come later.
static void name_array(writer* w, array a)
{
    fprintf(w->file,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%" PRIu64
            "\"/>\n",
            a.type, a.name, a.components, w->offset);
    w->arrays[w->count++] = a;
    w->offset += sizeof(uint64_t) + (uint64_t)a.count * a.row;
}

static void floats(writer* w, const char* name, int components, const float* base, size_t stride, size_t count)
{
    name_array(w, (array){name, "Float32", components, (size_t)components * sizeof *base, stride, base, count});
}

static void words(writer* w, const char* name, const uint32_t* base, size_t stride, size_t count)
{
    name_array(w, (array){name, "UInt32", 1, sizeof *base, stride, base, count});
}

static void doubles(writer* w, const char* name, int components, const double* base, size_t stride, size_t count)
{
    name_array(w, (array){name, "Float64", components, (size_t)components * sizeof *base, stride, base, count});
}

/// 0, 1, 2, ...: which points there are in each vertex or line, and where those of each end.
static void connect(writer* w, const int32_t* numbers, size_t points, size_t each)
{
    name_array(w, (array){"connectivity", "Int32", 1, sizeof *numbers, sizeof *numbers, numbers, points});
    name_array(w,
               (array){"offsets", "Int32", 1, sizeof *numbers, each * sizeof *numbers, numbers + each, points / each});
}

static int32_t* count_up(size_t count)
{
    int32_t* numbers = malloc((count + 1) * sizeof *numbers);
    for (size_t i = 0; numbers && i <= count; ++i)
        numbers[i] = (int32_t)i;
    return numbers;
}

static void begin(writer* w, const char* type)
{
    fprintf(w->file,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" "
            "header_type=\"UInt64\">\n",
            type);
}

static void end(writer* w)
{
    fputs("<AppendedData encoding=\"raw\">\n_", w->file);
    for (size_t i = 0; i < w->count; ++i) {
        const array* a = &w->arrays[i];
        const uint64_t size = (uint64_t)a->count * a->row;
        fwrite(&size, sizeof size, 1, w->file);
        if (a->stride == a->row) {
            fwrite(a->base, a->row, a->count, w->file);
            continue;
        }
        for (size_t k = 0; k < a->count; ++k)
            fwrite((const char*)a->base + k * a->stride, a->row, 1, w->file);
    }
    fputs("\n</AppendedData>\n</VTKFile>\n", w->file);
}

static bool particles(writer* w, const tact_particle_frame* f)
{
    const size_t n = f->count, number = sizeof(float);
    int32_t* numbers = count_up(n);
    if (!numbers) return false;
    begin(w, "PolyData");
    fprintf(w->file,
            "<PolyData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"0\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<PointData Scalars=\"radius\" Vectors=\"velocity\">\n",
            n, n);
    floats(w, "radius", 1, f->radii, number, n);
    floats(w, "velocity", 3, f->velocities, 3 * number, n);
    floats(w, "mass", 1, f->masses, number, n);
    words(w, "id", f->ids, sizeof *f->ids, n);
    name_array(w, (array){"material", "UInt8", 1, 1, 1, f->materials, n});
    if (f->spins) {
        floats(w, "spin", 3, f->spins, 3 * number, n);
        floats(w, "orientation", 4, f->orientations, 4 * number, n);
    }
    fputs("</PointData>\n<Points>\n", w->file);
    floats(w, "Points", 3, f->positions, 3 * number, n);
    fputs("</Points>\n<Verts>\n", w->file);
    connect(w, numbers, n, 1);
    fputs("</Verts>\n</Piece>\n</PolyData>\n", w->file);
    end(w);
    free(numbers);
    return true;
}

/// Of each contact the ends of its line, and how hard it presses and rubs.
static void measure_contacts(const tact_particle_frame* f, float (*ends)[2][3], float* pressing, float* rubbing)
{
    size_t row = 0;
    for (size_t i = 0; i < f->contact_count; ++i) {
        const tact_contact_force* c = &f->contacts[i];
        float across[3];
        // Both are in order of id.
        while (f->ids[row] != c->contact.a)
            ++row;
        pressing[i] = 0.0f;
        for (int k = 0; k < 3; ++k) {
            ends[i][0][k] = f->positions[3 * row + (size_t)k];
            ends[i][1][k] = ends[i][0][k] + (c->arm + c->other_arm) * c->contact.normal[k];
            pressing[i] -= c->force[k] * c->contact.normal[k];
        }
        for (int k = 0; k < 3; ++k)
            across[k] = c->force[k] + pressing[i] * c->contact.normal[k];
        rubbing[i] = sqrtf(across[0] * across[0] + across[1] * across[1] + across[2] * across[2]);
    }
}

static bool contacts(writer* w, const tact_particle_frame* f)
{
    const size_t n = f->contact_count, size = sizeof *f->contacts;
    const tact_contact_force* c = f->contacts;
    int32_t* numbers = count_up(2 * n + 1);
    float(*ends)[2][3] = malloc((n + 1) * sizeof *ends);
    float* forces = malloc((n + 1) * 2 * sizeof *forces);
    const bool good = numbers && ends && forces;
    if (good) {
        measure_contacts(f, ends, forces, forces + n);
        begin(w, "PolyData");
        fprintf(w->file,
                "<PolyData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" NumberOfLines=\"%zu\" "
                "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<CellData Scalars=\"normal_force\" Vectors=\"force\">\n",
                2 * n, n);
        floats(w, "normal_force", 1, forces, sizeof *forces, n);
        floats(w, "tangential_force", 1, forces + n, sizeof *forces, n);
        floats(w, "force", 3, c->force, size, n);
        floats(w, "depth", 1, &c->contact.depth, size, n);
        words(w, "a", &c->contact.a, size, n);
        words(w, "b", &c->contact.b, size, n);
        words(w, "with", &c->contact.with, size, n);
        words(w, "limits", &c->limits, size, n);
        fputs("</CellData>\n<Points>\n", w->file);
        floats(w, "Points", 3, ends[0][0], 3 * sizeof(float), 2 * n);
        fputs("</Points>\n<Lines>\n", w->file);
        connect(w, numbers, 2 * n, 2);
        fputs("</Lines>\n</Piece>\n</PolyData>\n", w->file);
        end(w);
    }
    free(numbers);
    free(ends);
    free(forces);
    return good;
}

static bool cells(writer* w, const tact_particle_frame* f)
{
    const tact_average_grid* g = &f->grid;
    const tact_average_cell* c = f->cells;
    const float *lower = &g->box.lower.x, *upper = &g->box.upper.x;
    const size_t n = (size_t)g->counts[0] * g->counts[1] * g->counts[2], size = sizeof *c;
    char extent[80];
    begin(w, "ImageData");
    snprintf(extent, sizeof extent, "0 %u 0 %u 0 %u", (unsigned)g->counts[0], (unsigned)g->counts[1],
             (unsigned)g->counts[2]);
    fprintf(w->file, "<ImageData WholeExtent=\"%s\" Origin=\"%.9g %.9g %.9g\" Spacing=\"", extent, (double)lower[0],
            (double)lower[1], (double)lower[2]);
    for (int k = 0; k < 3; ++k)
        fprintf(w->file, "%s%.17g", k ? " " : "", ((double)upper[k] - (double)lower[k]) / (double)g->counts[k]);
    fprintf(w->file, "\">\n<Piece Extent=\"%s\">\n<CellData Scalars=\"solid_fraction\" Vectors=\"velocity\">\n",
            extent);
    doubles(w, "solid_fraction", 1, &c->solid_fraction, size, n);
    doubles(w, "particles", 1, &c->particles, size, n);
    doubles(w, "density", 1, &c->density, size, n);
    doubles(w, "velocity", 3, c->velocity, size, n);
    doubles(w, "temperature", 1, &c->temperature, size, n);
    doubles(w, "spin", 3, c->spin, size, n);
    doubles(w, "coordination", 1, &c->coordination, size, n);
    doubles(w, "contact_stress", 9, c->contact_stress, size, n);
    doubles(w, "kinetic_stress", 9, c->kinetic_stress, size, n);
    fputs("</CellData>\n</Piece>\n</ImageData>\n", w->file);
    end(w);
    return true;
}

typedef bool content_fn(writer* w, const tact_particle_frame* f);

static bool write_file(const char* directory, const char* name, uint64_t number, const char* ending,
                       content_fn* content, const tact_particle_frame* f, tact_problem* problem)
{
    char path[4096];
    tact_platform_output output;
    const int length = snprintf(path, sizeof path, "%s/%s_%05" PRIu64 ".%s", directory, name, number, ending);
    if (length < 0 || (size_t)length >= sizeof path) return tact_problem_set(problem, "--vtk: the name is too long");
    if (!tact_file_begin(&output, path, problem)) return false;
    writer w = {.file = output.file};
    const bool room = content(&w, f);
    if (!room) tact_problem_out_of_memory(problem, path);
    tact_problem unsaid = {0};
    return tact_file_finish(&output, room && !ferror(w.file), room ? problem : &unsaid);
}

bool tact_vtk_write(const char* directory, uint64_t number, const tact_particle_frame* f, tact_problem* problem)
{
    return write_file(directory, "particles", number, "vtp", particles, f, problem) &&
           write_file(directory, "contacts", number, "vtp", contacts, f, problem) &&
           (!f->cells || write_file(directory, "cells", number, "vti", cells, f, problem));
}
