// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The first rank makes all that is HDF5's own, and arrays without their numbers, which have places in the file from the
// beginning; then each rank writes its part of the numbers there. So the file has the same bytes for any number of
// ranks, one that cannot write holds no other up, and no HDF5 for one kind of MPI is needed.

#include "apps/particles/h5part.h"

#include <errno.h>
#include <hdf5.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/// x y z, velocity, radius, mass, material and id; of grains spin and orientation.
enum { PLAIN = 10, MOST = PLAIN + 7 };

static const char* const names[MOST] = {"x",
                                        "y",
                                        "z",
                                        "velocity_0",
                                        "velocity_1",
                                        "velocity_2",
                                        "radius",
                                        "mass",
                                        "material",
                                        "id",
                                        "spin_0",
                                        "spin_1",
                                        "spin_2",
                                        "orientation_0",
                                        "orientation_1",
                                        "orientation_2",
                                        "orientation_3"};
enum { MATERIAL = 8, ID = 9 };

struct tact_h5part {
    const tact_tool_ranks* ranks;  ///< NULL: there is one process
    char path[4096], temporary[4096];
    bool there;  ///< the temporary file is, on the first rank
    hid_t file;  ///< of the first rank; below 0: it is not open
    uint64_t frames;
};

/// A rank's part of a frame: particles whose ids follow each other, and where they are in the arrays.
typedef struct part {
    uint32_t (*rows)[MOST];  ///< the bits of each number; from malloc
    size_t count;
    uint64_t before, all;   ///< particles of ranks before this one, and of all
    uint64_t places[MOST];  ///< bytes from the beginning of the file on
} part;

static bool all_good(const tact_h5part* h, bool good, tact_problem* problem)
{
    return h->ranks ? h->ranks->agree(good, problem) : good;
}

static bool is_first(const tact_h5part* h)
{
    return !h->ranks || h->ranks->rank == 0;
}

static bool refuse(const tact_h5part* h, const char* what, tact_problem* problem)
{
    return tact_problem_set(problem, "%s: %s: %s", h->path, what, errno ? strerror(errno) : "HDF5 has failed");
}

// ---- The file ----

/// On the first rank.
static bool make_file(tact_h5part* h, tact_problem* problem)
{
    tact_problem unsaid = {0};
    tact_platform_output output;
    // A folder, and what else cannot be written, shows before the run.
    if (!tact_file_begin(&output, h->path, problem)) return false;
    const bool plain = output.temporary[0] != '\0';
    (void)tact_file_finish(&output, false, &unsaid);
    if (!plain) return tact_problem_set(problem, "%s: is a pipe or a device, not a file", h->path);
    errno = 0;
    h->there = tact_platform_begin_shared(h->path, h->temporary);
    if (h->there) h->file = H5Fcreate(h->temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    return h->file >= 0 || refuse(h, "cannot be written", problem);
}

bool tact_h5part_begin(const char* path, const tact_tool_ranks* ranks, tact_h5part** file, tact_problem* problem)
{
    tact_h5part* h = calloc(1, sizeof *h);
    *file = h;
    if (h) h->file = H5I_INVALID_HID;
    if (!h) tact_problem_out_of_memory(problem, path);
    if (ranks ? !ranks->agree(h, problem) : !h) return false;
    h->ranks = ranks;
    // Its end would fail again, or worse, where a file could not be closed for want of room.
    (void)H5dont_atexit();
    // What goes wrong is said by the tool.
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const int length = snprintf(h->path, sizeof h->path, "%s", path);
    bool good = length >= 0 && (size_t)length < sizeof h->path &&
                tact_platform_name_shared(path, h->temporary, sizeof h->temporary);
    if (!good) tact_problem_set(problem, "--hdf5: the name is too long");
    if (good && is_first(h)) good = make_file(h, problem);
    return all_good(h, good, problem);
}

bool tact_h5part_end(tact_h5part* h, bool good, tact_problem* problem)
{
    if (!h) return good;
    bool ended = true;
    uint64_t size = 0;
    errno = 0;
    if (h->file >= 0 && H5Fclose(h->file) < 0) ended = refuse(h, "writing failed", problem);
    if (h->there) {
        FILE* file = good && ended ? fopen(h->temporary, "rb") : NULL;
        const bool whole = file && tact_platform_size(file, &size);
        if (file) fclose(file);
        if (!tact_platform_finish_shared(h->path, h->temporary, whole, size) && good && ended)
            ended = refuse(h, "writing failed", problem);
    }
    if (good) good = all_good(h, ended, problem);
    free(h);
    return good;
}

// ---- A frame ----

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void put_row(const tact_particle_frame* f, size_t i, uint32_t row[MOST])
{
    memset(row, 0, MOST * sizeof *row);
    for (size_t k = 0; k < 3; ++k) {
        row[k] = bits_of(f->positions[3 * i + k]);
        row[3 + k] = bits_of(f->velocities[3 * i + k]);
        if (f->spins) row[PLAIN + k] = bits_of(f->spins[3 * i + k]);
    }
    for (size_t k = 0; k < 4 && f->spins; ++k)
        row[PLAIN + 3 + k] = bits_of(f->orientations[4 * i + k]);
    row[6] = bits_of(f->radii[i]);
    row[7] = bits_of(f->masses[i]);
    row[MATERIAL] = f->materials[i];
    row[ID] = f->ids[i];
}

static int compare_ids(const void* a, const void* b)
{
    const uint32_t p = ((const uint32_t*)a)[ID], q = ((const uint32_t*)b)[ID];
    return (p > q) - (p < q);
}

/// Gives all ranks a number of each, at `*all`, from malloc.
static bool share_number(const tact_tool_ranks* ranks, uint64_t number, uint64_t** all, tact_problem* problem)
{
    void* numbers = NULL;
    size_t size = 0;
    if (!ranks->share(&number, sizeof number, &numbers, &size, problem)) return false;
    *all = numbers;
    return true;
}

/// Sends particles to the ranks of their ids, of which each has as many: `*rows`, from malloc, are then others.
static bool deal(const tact_tool_ranks* ranks, uint32_t (**rows)[MOST], size_t* count, tact_problem* problem)
{
    uint64_t* ends = NULL;
    uint64_t end = 0;
    if (!share_number(ranks, *count > 0 ? (uint64_t)(*rows)[*count - 1][ID] + 1 : 0, &ends, problem)) return false;
    for (uint32_t r = 0; r < ranks->count; ++r)
        end = ends[r] > end ? ends[r] : end;
    free(ends);
    size_t* counts = malloc(ranks->count * sizeof *counts);
    if (!counts) tact_problem_out_of_memory(problem, "a frame");
    if (!ranks->agree(counts, problem)) {
        free(counts);
        return false;
    }
    size_t at = 0;
    for (uint32_t r = 0; r < ranks->count; ++r) {
        const uint64_t stop = end * (r + 1) / ranks->count;
        const size_t first = at;
        while (at < *count && (*rows)[at][ID] < stop)
            ++at;
        counts[r] = at - first;
    }
    void* came = NULL;
    const bool good = ranks->send(*rows, sizeof **rows, counts, &came, count, problem);
    free(counts);
    if (!good) return false;
    free(*rows);
    *rows = came;
    qsort(*rows, *count, sizeof **rows, compare_ids);
    return true;
}

/// Makes this rank's part of a frame. A call of all ranks.
static bool make_part(const tact_h5part* h, const tact_particle_frame* f, part* p, tact_problem* problem)
{
    p->count = f->count;
    p->rows = malloc((f->count + 1) * sizeof *p->rows);
    if (!p->rows) tact_problem_out_of_memory(problem, "a frame");
    if (!all_good(h, p->rows, problem)) return false;
    for (size_t i = 0; i < f->count; ++i)
        put_row(f, i, p->rows[i]);
    p->all = p->count;
    if (!h->ranks) return true;
    uint64_t* counts = NULL;
    if (!deal(h->ranks, &p->rows, &p->count, problem) || !share_number(h->ranks, p->count, &counts, problem))
        return false;
    p->all = 0;
    for (uint32_t r = 0; r < h->ranks->count; ++r) {
        if (r < h->ranks->rank) p->before += counts[r];
        p->all += counts[r];
    }
    free(counts);
    return true;
}

/// Adds an array to a group; its place in the file, once it is written to, goes to `*place`.
static bool make_array(hid_t group, int column, hid_t space, hid_t properties, uint64_t* place)
{
    const hid_t type = column == MATERIAL || column == ID ? H5T_STD_I32LE : H5T_IEEE_F32LE;
    const hid_t array = H5Dcreate2(group, names[column], type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (array < 0) return false;
    const haddr_t at = H5Dget_offset(array);
    *place = (uint64_t)at;
    // An array of nothing has none.
    const bool good = at != HADDR_UNDEF || H5Dget_storage_size(array) == 0;
    return H5Dclose(array) >= 0 && good;
}

static bool put_time(hid_t group, double time)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(group, "TimeValue", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    const bool good = H5Awrite(attribute, H5T_NATIVE_DOUBLE, &time) >= 0;
    H5Aclose(attribute);
    H5Sclose(space);
    return good;
}

/// On the first rank: adds the group of a frame with its arrays.
static bool make_group(const tact_h5part* h, double time, int columns, part* p, tact_problem* problem)
{
    char name[40];
    snprintf(name, sizeof name, "Step#%" PRIu64, h->frames);
    errno = 0;
    const hsize_t count = p->all;
    const hid_t space = H5Screate_simple(1, &count, NULL), properties = H5Pcreate(H5P_DATASET_CREATE),
                group = H5Gcreate2(h->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good = H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY) >= 0 &&
                H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) >= 0 &&
                // When it was made is no part of it.
                H5Pset_obj_track_times(properties, false) >= 0 && put_time(group, time);
    for (int k = 0; k < columns && good; ++k)
        good = make_array(group, k, space, properties, &p->places[k]);
    H5Gclose(group);
    H5Pclose(properties);
    H5Sclose(space);
    // What it has in memory is not to come over what ranks write.
    good = H5Fflush(h->file, H5F_SCOPE_LOCAL) >= 0 && good;
    return good || refuse(h, "writing failed", problem);
}

/// Writes the numbers of this rank's part.
static bool write_part(const tact_h5part* h, int columns, const part* p, tact_problem* problem)
{
    if (p->count == 0) return true;
    uint32_t* numbers = malloc(p->count * sizeof *numbers);
    if (!numbers) return tact_problem_out_of_memory(problem, "a frame");
    errno = 0;
    FILE* file = fopen(h->temporary, "r+b");
    bool good = file != NULL;
    for (int k = 0; k < columns && good; ++k) {
        for (size_t i = 0; i < p->count; ++i)
            numbers[i] = p->rows[i][k];
        good = tact_platform_seek(file, p->places[k] + p->before * sizeof *numbers) &&
               fwrite(numbers, sizeof *numbers, p->count, file) == p->count;
    }
    good = good && fflush(file) == 0;
    if (!good) refuse(h, "writing failed", problem);
    errno = 0;
    if (file && fclose(file) != 0 && good) good = refuse(h, "writing failed", problem);
    free(numbers);
    return good;
}

/// Tells all ranks where the first has made arrays.
static bool share_places(const tact_h5part* h, part* p, tact_problem* problem)
{
    void* places = NULL;
    size_t size = 0;
    if (!h->ranks) return true;
    if (!h->ranks->share(p->places, is_first(h) ? sizeof p->places : 0, &places, &size, problem)) return false;
    memcpy(p->places, places, sizeof p->places);
    free(places);
    return true;
}

bool tact_h5part_add(tact_h5part* h, double time, const tact_particle_frame* f, tact_problem* problem)
{
    const int columns = f->spins ? MOST : PLAIN;
    part p = {0};
    const bool good = make_part(h, f, &p, problem) &&
                      all_good(h, !is_first(h) || make_group(h, time, columns, &p, problem), problem) &&
                      share_places(h, &p, problem) && all_good(h, write_part(h, columns, &p, problem), problem);
    free(p.rows);
    h->frames += good;
    return good;
}
