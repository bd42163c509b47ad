// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A frame of which one rank cannot write its part, since its disk is full: adding it fails on all ranks, with the first
// that failed in the problem. No index names pieces that are not there; an H5Part file stays what it was. Run by
// mpirun. Arguments: ranks, a folder, particles, whether there is HDF5.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(_WIN32)
#include <signal.h>
#include <sys/resource.h>
#endif

#include "apps/particles/particles.h"
#include "apps/ranks_mpi.h"
#include "tact/mpi.h"
#include "tests/ranks/rank_check.h"

static tact_particles* make(tact_context* context, size_t count, float* dt)
{
    tact_problem problem = {0};
    tact_particle_setup setup;
    tact_particles* p = NULL;
    if (!tact_particle_setup_make(tact_particle_scene_named("dense"), count, 3, &setup, &problem))
        fail("a scene", problem.text);
    setup.desc.response = TACT_RESPONSE_GRAINS;
    check(tact_particle_setup_create(&setup, context, &p), "a system");
    *dt = setup.dt;
    tact_particle_setup_free(&setup);
    return p;
}

/// Whether the files of a frame are there: its index, and of `piece` the particles.
static void expect_files(const char* folder, unsigned frame, int piece, bool index, bool there)
{
    char path[1024];
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(path, sizeof path, "%s/particles_%05u.pvtp", folder, frame);
    if (tact_platform_exists(path) != index) fail(path, index ? "is not there" : "is there");
    snprintf(path, sizeof path, "%s/pieces/particles_%05u_%d.vtp", folder, frame, piece);
    if (tact_platform_exists(path) != there) fail(path, there ? "is not there" : "is there");
    MPI_Barrier(MPI_COMM_WORLD);
}

#if !defined(_WIN32)
/// Adds a frame while files of the last rank can have so many bytes at most: all ranks fail, with `says` in the
/// problem.
static void expect_full(tact_frame_series* series, tact_particles* p, tact_context* context, rlim_t most,
                        const char* says)
{
    const int last = rank_count - 1;
    char first[64];
    struct rlimit all, some;
    tact_problem problem = {0};
    getrlimit(RLIMIT_FSIZE, &all);
    signal(SIGXFSZ, SIG_IGN);
    some = all;
    some.rlim_cur = most;
    if (rank == last && setrlimit(RLIMIT_FSIZE, &some) != 0) fail("a limit", "cannot be set");
    const bool good = tact_frame_series_add(series, p, NULL, context, &problem);
    if (rank == last) setrlimit(RLIMIT_FSIZE, &all);
    snprintf(first, sizeof first, "rank %d: ", last);
    if (good || !strstr(problem.text, says) || problem.exit_code != TACT_EXIT_WRONG_USE ||
        strncmp(problem.text, first, strlen(first)) != 0)
        fail("a full disk", problem.text);
}
#endif

static void begin(tact_frame_series* series, const tact_frame_choices* choices, const tact_tool_ranks* here)
{
    tact_problem problem = {0};
    if (!tact_frame_series_begin(series, choices, (tact_aabb){{0, 0, 0}, {1, 1, 1}}, 1.0, 0, here, &problem))
        fail("a series", problem.text);
}

/// Whether a file has at least so many bytes, or just as many, and nothing is left beside it.
static void expect_size(const char* path, uint64_t least, bool just)
{
    char temporary[1024];
    uint64_t size = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    FILE* file = fopen(path, "rb");
    if (!file || !tact_platform_size(file, &size) || size < least || (just && size != least))
        fail(path, "another size");
    fclose(file);
    if (!tact_platform_name_shared(path, temporary, sizeof temporary)) fail("a name", path);
    if (tact_platform_exists(temporary)) fail(temporary, "is left");
    MPI_Barrier(MPI_COMM_WORLD);
}

/// Removes every seventh particle of a system, or of this rank's part.
static void thin(tact_particles* p)
{
    tact_particle_ranks_info info;
    check(tact_particles_get_ranks(p, &info), "facts");
    uint32_t* ids = malloc(((size_t)info.held + 1) * sizeof *ids);
    size_t gone = 0;
    if (!ids) fail("particles", "no memory");
    check(tact_particles_read(p, &(tact_particle_output){.ids = ids}), "reading");
    for (uint64_t i = 0; i < info.held; ++i)
        if (ids[i] % 7 == 3) ids[gone++] = ids[i];
    check(tact_particles_remove(p, ids, gone), "removing");
    free(ids);
}

/// Whether two files have the same bytes.
static void compare_files(const char* one, const char* other)
{
    tact_problem problem = {0};
    void *a = NULL, *b = NULL;
    size_t a_size = 0, b_size = 0;
    if (!tact_file_read(one, &a, &a_size, &problem) || !tact_file_read(other, &b, &b_size, &problem))
        fail("reading", problem.text);
    if (a_size != b_size || memcmp(a, b, a_size) != 0) fail(one, "is another than in one process");
    free(a);
    free(b);
}

/// A file of an earlier run stays until a run has ended well.
static void run_hdf5(tact_context* context, tact_particles* p, tact_particles* alone, const tact_tool_ranks* here,
                     const char* folder)
{
    char path[1024], other[1024];
    tact_problem problem = {0};
    tact_frame_series series;
    const tact_frame_choices choices = {.hdf5 = path};
    snprintf(path, sizeof path, "%s.h5", folder);
    FILE* file = rank == 0 ? fopen(path, "wb") : NULL;
    if (file) {
        fputs("old", file);
        fclose(file);
    }
#if !defined(_WIN32)
    begin(&series, &choices, here);
    if (!tact_frame_series_add(&series, p, NULL, context, &problem)) fail("a frame", problem.text);
    expect_full(&series, p, context, 2000, ".h5: writing failed: ");
    if (tact_frame_series_end(&series, false, &problem)) fail("the end", "of what has failed");
    expect_size(path, 3, true);
#endif
    // Two frames, and ids that are free in the second.
    for (int pass = 0; pass < (rank == 0 ? 2 : 1); ++pass) {
        const tact_frame_choices own = {.hdf5 = pass == 0 ? path : other};
        tact_particles* of = pass == 0 ? p : alone;
        snprintf(other, sizeof other, "%s_alone.h5", folder);
        begin(&series, &own, pass == 0 ? here : NULL);
        bool good = tact_frame_series_add(&series, of, NULL, context, &problem);
        thin(of);
        good = good && tact_frame_series_add(&series, of, NULL, context, &problem);
        if (!good || !tact_frame_series_end(&series, true, &problem)) fail("frames", problem.text);
        if (pass == 0) expect_size(path, 1000, false);
    }
    if (rank == 0) compare_files(path, other);
}

static void run(tact_context* context, tact_ranks* ranks, const tact_tool_ranks* here, const char* folder, size_t count,
                bool hdf5)
{
    float dt = 0.0f;
    tact_problem problem = {0};
    tact_frame_series series;
    const tact_frame_choices choices = {.vtk = folder};
    const int last = rank_count - 1;
    tact_particles *p = make(context, count, &dt), *alone = make(context, count, &dt);
    check(tact_particles_spread(p, ranks, NULL), "spreading");
    begin(&series, &choices, here);
    if (!tact_frame_series_add(&series, p, NULL, context, &problem)) fail("a frame", problem.text);
    expect_files(folder, 0, last, true, true);
    check(tact_particles_step(p, dt, 0, 5, NULL, NULL), "steps");
    check(tact_particles_step(alone, dt, 0, 5, NULL, NULL), "steps");
#if !defined(_WIN32)
    // What a run before has left of the last rank's goes, so that it shows that nothing is written.
    char left[1024], says[64];
    snprintf(left, sizeof left, "%s/pieces/particles_00001_%d.vtp", folder, last);
    if (rank == last) remove(left);
    snprintf(says, sizeof says, "_00001_%d.vtp: writing failed: ", last);
    expect_full(&series, p, context, 2000, says);
    expect_files(folder, 1, last, false, false);
#endif
    // And with room again: the same frame.
    if (!tact_frame_series_add(&series, p, NULL, context, &problem)) fail("a frame", problem.text);
    expect_files(folder, 1, last, true, true);
    if (!tact_frame_series_end(&series, true, &problem) || series.next != 2) fail("the end", problem.text);
    if (hdf5) run_hdf5(context, p, alone, here, folder);
    if (rank == 0) printf("a full disk, on %d ranks\n", rank_count);
    tact_particles_destroy(alone);
    tact_particles_destroy(p);
}

int main(int argc, char** argv)
{
    rank_begin(&argc, &argv, 5, "ranks, a folder, particles, HDF5");
    const tact_context_desc desc = {
        .threads = 1, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .disable_calibration = true};
    tact_context* context = NULL;
    tact_ranks* ranks = NULL;
    tact_tool_ranks here;
    char folder[512];
    check(tact_context_create(&desc, &context), "a context");
    check(tact_mpi_ranks(context, MPI_COMM_WORLD, &ranks), "ranks");
    if (!tact_tool_ranks_begin(&here)) fail("ranks", "the tool's");
    // Tests with other numbers of ranks run at the same time.
    snprintf(folder, sizeof folder, "%s.%d", argv[2], rank_count);
    run(context, ranks, &here, folder, (size_t)strtoul(argv[3], NULL, 10), strcmp(argv[4], "ON") == 0);
    tact_tool_ranks_end();
    tact_ranks_destroy(ranks);
    tact_context_destroy(context);
    MPI_Finalize();
    return 0;
}
