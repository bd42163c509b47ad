// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// `tact bench rays`: ray casts on the CPU against every form that Embree has, in turn.

#include "apps/bench/depth.h"
#include "apps/peers/rays.h"

typedef enum tact_bench_set {
    TACT_SET_CAMERA = 0,    ///< a square picture, row by row
    TACT_SET_RANDOM = 1,    ///< incoherent
    TACT_SET_SEGMENTS = 2,  ///< both ends in the box
    TACT_SET_OBLIQUE = 3    ///< a square picture from half above, which a flat mesh fills as well
} tact_bench_set;

/// Builders of ours, the default one first.
typedef struct tact_bench_quality {
    const char* name;
    tact_mesh_quality quality;
    bool refit;  ///< built with every vertex elsewhere, and then fitted to where they are
} tact_bench_quality;

enum {
    TACT_BENCH_SETS = 4,
    TACT_BENCH_MODES = 2,
    TACT_BENCH_QUALITIES = 4,
    TACT_BENCH_BUILDS = TACT_BENCH_QUALITIES + 2 * TACT_EMBREE_QUALITIES
};
extern const tact_bench_quality tact_bench_qualities[TACT_BENCH_QUALITIES];

typedef struct tact_rays_bench {
    tact_bench_run run;
    bool no_peers, all_forms, sorts, no_checks;
    uint64_t rays;       ///< of each set; 0: the default
    uint64_t triangles;  ///< of the terrain; 0: none
    uint64_t stream;     ///< rays to stream through; 0: measure instead
    uint64_t askers;     ///< threads that ask at once; 0: measure instead
    int part;            ///< 0: all, 1: rays, 2: builds
    int tree;            ///< of ours: 0: all, else one more than the quality that is asked for
    int set, mode;       ///< 0: all, else one more than the one that is asked for
    const char* peer_config;
    int peer_quality;  ///< a tact_embree_quality, of the scenes that rays are cast against
    cJSON* cases;      ///< the JSON's rows; those of the report are forms
    tact_report checks, summary, builds;
} tact_rays_bench;

/// What the cases of one mesh share.
typedef struct tact_rays_mesh {
    const tact_suite_mesh* mesh;
    tact_scene* scenes[TACT_BENCH_QUALITIES];  ///< NULL: not asked for
    tact_scene* first;                         ///< of these
    tact_bounds bounds;
    uint64_t built_peak;
    tact_embree* embree[2];  ///< fast, robust; NULL: none
    tact_tinybvh* tinybvh;   ///< NULL: none
} tact_rays_mesh;

/// The same rays in another way: the bytes must be those of the first form.
typedef struct tact_rays_check {
    uint64_t rays;  ///< that were compared; 0: not done
    bool differs;
    double ms;
} tact_rays_check;

enum { TACT_ONE_THREAD, TACT_SHUFFLED, TACT_BRUTE_FORCE, TACT_RAYS_CHECKS };

/// Rays that were cast, and the CPU's hits.
typedef struct tact_rays_cast {
    tact_context* context;
    tact_scene* scene;
    tact_ray_mode mode;
    const tact_ray* rays;
    const tact_hit* hits;
    size_t count;
    int threads;
    uint64_t seed;
    double most;  ///< rays that brute force is asked
} tact_rays_cast;

/// Asks again on one thread, in another order, and by brute force (as many of the rays as that can afford).
bool tact_rays_check_all(const tact_rays_cast* cast, tact_rays_check checks[TACT_RAYS_CHECKS], tact_problem* problem);

/// Makes a scene of the model with a builder of ours, and tells its times. Of one that fits, these are of fitting
/// alone.
bool tact_bench_rays_scene(const tact_model* model, tact_context* context, int quality, tact_scene** scene,
                           double* whole_ms, double* commit_ms, tact_problem* problem);

/// Builds such a scene once more, and counts what the library asks for: all that the scene holds, and the most while
/// building. Both 0 where that cannot be done.
bool tact_bench_rays_memory(const tact_model* model, int threads, int quality, uint64_t* held, uint64_t* peak,
                            tact_problem* problem);

/// Measures one set and mode: all forms in turn. Adds them to the report.
bool tact_bench_rays_measure(tact_rays_bench* bench, const tact_rays_mesh* mesh, tact_bench_set set, tact_ray_mode mode,
                             tact_problem* problem);

/// Measures all builders on one mesh, in turn. Adds them to the report, of which the other makes the columns.
void tact_bench_rays_builds_heads(tact_rays_bench* bench);
bool tact_bench_rays_build(tact_rays_bench* bench, const tact_suite_mesh* mesh, tact_problem* problem);

/// Measures threads that ask one scene at once, with small and large calls, beside one alone. Adds them to the report.
bool tact_bench_rays_askers(tact_rays_bench* bench, const tact_rays_mesh* mesh, tact_problem* problem);

/// Casts many more rays than memory should hold, made on the fly, in slices.
bool tact_bench_rays_stream(tact_rays_bench* bench, const tact_rays_mesh* mesh, tact_problem* problem);
