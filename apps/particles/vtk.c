// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// VTK's XML files: a head of text that names arrays, and behind it their bytes, each after its length. Where ranks
// write a file each, a piece, an index names these and the arrays that all of them have.

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
    uint32_t pieces;  ///< of an index, in which arrays are named alone; 0: it is none
    uint64_t number;  ///< of an index: its frame's
    array arrays[ARRAYS];
    size_t count;
    uint64_t offset;
} writer;

/// Names an array, whose bytes come later.
static void name_array(writer* w, array a)
{
    fprintf(w->file, "<%sDataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"", w->pieces ? "P" : "", a.type,
            a.name, a.components);
    if (w->pieces) {
        fputs("/>\n", w->file);
        return;
    }
    fprintf(w->file, " format=\"appended\" offset=\"%" PRIu64 "\"/>\n", w->offset);
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

static void begin(const writer* w, const char* type)
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

/// Begins a list of arrays, `kind` with the attributes, and ends it.
static void begin_list(const writer* w, const char* kind, const char* attributes)
{
    fprintf(w->file, "<%s%s%s>\n", w->pieces ? "P" : "", kind, attributes);
}

static void end_list(const writer* w, const char* kind)
{
    fprintf(w->file, "</%s%s>\n", w->pieces ? "P" : "", kind);
}

/// Names all that points have.
static void name_particles(writer* w, const tact_particle_frame* f)
{
    const size_t n = f->count, number = sizeof(float);
    begin_list(w, "PointData", " Scalars=\"radius\" Vectors=\"velocity\"");
    floats(w, "radius", 1, f->radii, number, n);
    floats(w, "velocity", 3, f->velocities, 3 * number, n);
    floats(w, "mass", 1, f->masses, number, n);
    words(w, "id", f->ids, sizeof *f->ids, n);
    name_array(w, (array){"material", "UInt8", 1, 1, 1, f->materials, n});
    if (f->spins) {
        floats(w, "spin", 3, f->spins, 3 * number, n);
        floats(w, "orientation", 4, f->orientations, 4 * number, n);
    }
    end_list(w, "PointData");
    begin_list(w, "Points", "");
    floats(w, "Points", 3, f->positions, 3 * number, n);
    end_list(w, "Points");
}

static bool particles(writer* w, const tact_particle_frame* f)
{
    const size_t n = f->count;
    int32_t* numbers = count_up(n);
    if (!numbers) return false;
    begin(w, "PolyData");
    fprintf(w->file,
            "<PolyData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"0\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n",
            n, n);
    name_particles(w, f);
    fputs("<Verts>\n", w->file);
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

/// Names all that lines have. `forces`: how hard each presses, and then how hard it rubs.
static void name_contacts(writer* w, const tact_particle_frame* f, float (*ends)[2][3], const float* forces)
{
    const size_t n = f->contact_count, size = sizeof *f->contacts;
    const tact_contact_force* c = f->contacts;
    begin_list(w, "CellData", " Scalars=\"normal_force\" Vectors=\"force\"");
    floats(w, "normal_force", 1, forces, sizeof *forces, n);
    floats(w, "tangential_force", 1, forces + n, sizeof *forces, n);
    floats(w, "force", 3, c->force, size, n);
    floats(w, "depth", 1, &c->contact.depth, size, n);
    words(w, "a", &c->contact.a, size, n);
    words(w, "b", &c->contact.b, size, n);
    words(w, "with", &c->contact.with, size, n);
    words(w, "limits", &c->limits, size, n);
    end_list(w, "CellData");
    begin_list(w, "Points", "");
    floats(w, "Points", 3, ends[0][0], 3 * sizeof(float), 2 * n);
    end_list(w, "Points");
}

static bool contacts(writer* w, const tact_particle_frame* f)
{
    const size_t n = f->contact_count;
    int32_t* numbers = count_up(2 * n + 1);
    float(*ends)[2][3] = malloc((n + 1) * sizeof *ends);
    float* forces = malloc((n + 1) * 2 * sizeof *forces);
    const bool good = numbers && ends && forces;
    if (good) {
        measure_contacts(f, ends, forces, forces + n);
        begin(w, "PolyData");
        fprintf(w->file,
                "<PolyData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" NumberOfLines=\"%zu\" "
                "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n",
                2 * n, n);
        name_contacts(w, f, ends, forces);
        fputs("<Lines>\n", w->file);
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

static const char* const names[2] = {"particles", "contacts"};

static bool name_file(char* path, size_t size, const char* directory, const char* name, uint64_t number,
                      const char* ending, tact_problem* problem)
{
    const int length = snprintf(path, size, "%s/%s_%05" PRIu64 "%s", directory, name, number, ending);
    return (length >= 0 && (size_t)length < size) || tact_problem_set(problem, "--vtk: the name is too long");
}

/// `pieces`: how many an index of frame `number` has; 0: the file is none.
static bool write_file(const char* path, content_fn* content, uint64_t number, uint32_t pieces,
                       const tact_particle_frame* f, tact_problem* problem)
{
    tact_platform_output output;
    if (!tact_file_begin(&output, path, problem)) return false;
    writer w = {.file = output.file, .pieces = pieces, .number = number};
    const bool room = content(&w, f);
    if (!room) tact_problem_out_of_memory(problem, path);
    tact_problem unsaid = {0};
    return tact_file_finish(&output, room && !ferror(w.file), room ? problem : &unsaid);
}

/// Writes both files of a frame, with this ending of their names.
static bool write_both(const char* directory, uint64_t number, const char* ending, content_fn* const contents[2],
                       uint32_t pieces, const tact_particle_frame* f, tact_problem* problem)
{
    char path[4096];
    bool good = true;
    for (int k = 0; k < 2 && good; ++k) {
        good = name_file(path, sizeof path, directory, names[k], number, ending, problem) &&
               write_file(path, contents[k], number, pieces, f, problem);
    }
    return good;
}

bool tact_vtk_write(const char* directory, uint64_t number, const tact_particle_frame* f, tact_problem* problem)
{
    return write_both(directory, number, ".vtp", (content_fn* const[2]){particles, contacts}, 0, f, problem);
}

bool tact_vtk_write_cells(const char* directory, uint64_t number, const tact_particle_frame* f, tact_problem* problem)
{
    char path[4096];
    return name_file(path, sizeof path, directory, "cells", number, ".vti", problem) &&
           write_file(path, cells, number, 0, f, problem);
}

// ---- Pieces ----

#define PIECES "pieces"

static bool name_folder(char* path, size_t size, const char* directory, tact_problem* problem)
{
    const int length = snprintf(path, size, "%s/" PIECES, directory);
    return (length >= 0 && (size_t)length < size) || tact_problem_set(problem, "--vtk: the name is too long");
}

bool tact_vtk_begin_pieces(const char* directory, tact_problem* problem)
{
    char folder[4096];
    return name_folder(folder, sizeof folder, directory, problem) && tact_system_make_directory(folder, problem);
}

bool tact_vtk_write_piece(const char* directory, uint64_t number, uint32_t piece, const tact_particle_frame* f,
                          tact_problem* problem)
{
    char folder[4096], ending[32];
    snprintf(ending, sizeof ending, "_%u.vtp", (unsigned)piece);
    return name_folder(folder, sizeof folder, directory, problem) &&
           write_both(folder, number, ending, (content_fn* const[2]){particles, contacts}, 0, f, problem);
}

bool tact_vtk_remove_index(const char* directory, uint64_t number, tact_problem* problem)
{
    char path[4096];
    bool good = true;
    for (int k = 0; k < 2 && good; ++k) {
        good = name_file(path, sizeof path, directory, names[k], number, ".pvtp", problem) &&
               tact_file_remove(path, problem);
    }
    return good;
}

static void begin_index(const writer* w)
{
    begin(w, "PPolyData");
    fputs("<PPolyData GhostLevel=\"0\">\n", w->file);
}

/// Names the pieces, by their places as seen from the index, and ends it.
static void end_index(const writer* w, const char* name)
{
    for (uint32_t i = 0; i < w->pieces; ++i)
        fprintf(w->file, "<Piece Source=\"" PIECES "/%s_%05" PRIu64 "_%u.vtp\"/>\n", name, w->number, (unsigned)i);
    fputs("</PPolyData>\n</VTKFile>\n", w->file);
}

static bool particle_index(writer* w, const tact_particle_frame* f)
{
    begin_index(w);
    name_particles(w, f);
    end_index(w, names[0]);
    return true;
}

static bool contact_index(writer* w, const tact_particle_frame* f)
{
    tact_particle_frame none = *f;
    float ends[1][2][3] = {{{0.0f}}};
    none.contact_count = 0;
    begin_index(w);
    name_contacts(w, &none, ends, ends[0][0]);
    end_index(w, names[1]);
    return true;
}

bool tact_vtk_write_index(const char* directory, uint64_t number, uint32_t pieces, const tact_particle_frame* f,
                          tact_problem* problem)
{
    return write_both(directory, number, ".pvtp", (content_fn* const[2]){particle_index, contact_index}, pieces, f,
                      problem);
}
