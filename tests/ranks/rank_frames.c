// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A frame of which one rank cannot write its piece, since its disk is full: adding it fails on all ranks, with the
// first that failed in the problem, and no index names pieces that are not there. Run by mpirun. Arguments: ranks, a
// folder, particles.

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

static void run(tact_context* context, tact_ranks* ranks, const tact_tool_ranks* here, const char* folder, size_t count)
{
    float dt = 0.0f;
    tact_problem problem = {0};
    tact_frame_series series;
    const tact_frame_choices choices = {.vtk = folder};
    const int last = rank_count - 1;
    tact_particles* p = make(context, count, &dt);
    check(tact_particles_spread(p, ranks, NULL), "spreading");
    if (!tact_frame_series_begin(&series, &choices, (tact_aabb){{0, 0, 0}, {1, 1, 1}}, 1.0, 0, here, &problem) ||
        !tact_frame_series_add(&series, p, NULL, context, &problem)) {
        fail("a frame", problem.text);
    }
    expect_files(folder, 0, last, true, true);
    check(tact_particles_step(p, dt, 0, 5, NULL, NULL), "steps");
#if !defined(_WIN32)
    // What a run before has left of the last rank's goes, so that it shows that nothing is written.
    char left[1024], says[64];
    snprintf(left, sizeof left, "%s/pieces/particles_00001_%d.vtp", folder, last);
    if (rank == last) remove(left);
    struct rlimit all, some;
    getrlimit(RLIMIT_FSIZE, &all);
    signal(SIGXFSZ, SIG_IGN);
    some = all;
    some.rlim_cur = 2000;
    if (rank == last && setrlimit(RLIMIT_FSIZE, &some) != 0) fail("a limit", "cannot be set");
    const bool good = tact_frame_series_add(&series, p, NULL, context, &problem);
    if (rank == last) setrlimit(RLIMIT_FSIZE, &all);
    snprintf(says, sizeof says, "_00001_%d.vtp: writing failed: ", last);
    if (good || !strstr(problem.text, says) || problem.exit_code != TACT_EXIT_WRONG_USE)
        fail("a full disk", problem.text);
    snprintf(says, sizeof says, "rank %d: ", last);
    if (strncmp(problem.text, says, strlen(says)) != 0) fail("a full disk", problem.text);
    expect_files(folder, 1, last, false, false);
#endif
    // And with room again: the same frame.
    if (!tact_frame_series_add(&series, p, NULL, context, &problem)) fail("a frame", problem.text);
    expect_files(folder, 1, last, true, true);
    if (!tact_frame_series_end(&series, true, &problem) || series.next != 2) fail("the end", problem.text);
    if (rank == 0) printf("a full disk, on %d ranks\n", rank_count);
    tact_particles_destroy(p);
}

int main(int argc, char** argv)
{
    rank_begin(&argc, &argv, 4, "ranks, a folder, particles");
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
    run(context, ranks, &here, folder, (size_t)strtoul(argv[3], NULL, 10));
    tact_tool_ranks_end();
    tact_ranks_destroy(ranks);
    tact_context_destroy(context);
    MPI_Finalize();
    return 0;
}
