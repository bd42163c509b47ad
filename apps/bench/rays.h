// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// `tact bench rays`: ray casts on the CPU against every form that Embree has, in turn.

#include "apps/bench/bench.h"
#include "apps/inputs/rays.h"
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
    TACT_BENCH_FORMS = 40,
    TACT_BENCH_QUALITIES = 4,
    TACT_BENCH_BUILDS = TACT_BENCH_QUALITIES + 2 * TACT_EMBREE_QUALITIES
};
extern const tact_bench_quality tact_bench_qualities[TACT_BENCH_QUALITIES];

typedef struct tact_bench_rays_settings {
    tact_common_options common;
    bool quick, no_peers, all_forms, devices, sorts, no_checks;
    const char* out;
    tact_text_list meshes;
    uint64_t rays;       ///< of each set; 0: the default
    uint64_t triangles;  ///< of the terrain; 0: none
    uint64_t stream;     ///< rays to stream through; 0: measure instead
    int part;            ///< 0: all, 1: rays, 2: builds
    int tree;            ///< of ours: 0: all, else one more than the quality that is asked for
    int set, mode;       ///< 0: all, else one more than the one that is asked for
    const char* peer_config;
    int peer_quality;  ///< a tact_embree_quality, of the scenes that rays are cast against
    uint64_t repeat;
    int threads;
} tact_bench_rays_settings;

/// One form of one case: ours on one device, or one of Embree's in one of its scenes.
typedef struct tact_bench_form {
    char name[64];
    tact_backend backend;          ///< ours: who answers
    tact_ray_sort sort;            ///< ours: on devices
    tact_scene* scene;             ///< ours
    const tact_embree_form* form;  ///< NULL: ours
    const tact_embree* embree;
    bool left_out;    ///< far behind in the first rounds: `least_ms` is all there is
    bool failed;      ///< the device did; no times
    bool differs;     ///< ours: other bytes than form 0
    double least_ms;  ///< of all its runs
    double query_ms;  ///< ours: the same without transfers
    tact_spread ms;
    double paired;        ///< median over the rounds of its time over form 0's in the same round; 0: none
    uint64_t hits;        ///< rays that hit
    uint64_t other_rays;  ///< that hit where form 0 misses, or the other way round
} tact_bench_form;

/// The same rays in another way: the bytes must be form 0's.
typedef struct tact_bench_check {
    uint64_t rays;  ///< that were compared; 0: not done
    bool differs;
    double ms;
} tact_bench_check;

/// One mesh, set of rays and mode. Form 0 is ours, on the CPU, with the default tree (or the one that is asked for).
typedef struct tact_bench_rays_case {
    char mesh[64];
    uint64_t triangles, count;
    tact_bench_set set;
    tact_ray_mode mode;
    tact_bench_form forms[TACT_BENCH_FORMS];
    size_t form_count;
    size_t single, best;  ///< Embree's faster single-ray form and its fastest form; 0: none
    tact_digest digest;
    double over_single, over_best;  ///< how many times as fast form 0 is, by medians; 0: unknown
    tact_bench_check one_thread, shuffled, reference;
    uint64_t built_peak;  ///< most memory of the process until our scenes were built; 0: unknown
} tact_bench_rays_case;

/// One builder on one mesh.
typedef struct tact_bench_build {
    char name[64];
    size_t builder;  ///< ours by quality, then Embree's fast ones, then its robust ones
    bool peer;
    tact_spread commit;  ///< milliseconds to build once the meshes were handed over
    tact_spread whole;   ///< with that, which copies them
    uint64_t tree_bytes, mesh_bytes;
    uint64_t held_bytes;  ///< all that the scene holds: by what the library asked for, not by what it says
    uint64_t peak_bytes;  ///< the most of that while building; both 0: unknown
} tact_bench_build;

typedef struct tact_bench_builds {
    char mesh[64];
    uint64_t triangles;
    tact_bench_build rows[TACT_BENCH_BUILDS];
    size_t count;
} tact_bench_builds;

typedef struct tact_bench_stream {
    uint64_t rays, slice, hits;
    double ms;  ///< of the casts alone
    bool memory_known;
    uint64_t before, warm, after;  ///< peak memory before the first ray, after a few slices, after the last
    tact_digest digest;            ///< of the digests of the slices
} tact_bench_stream;

typedef struct tact_bench_rays_results {
    tact_bench_rays_case* cases;
    size_t case_count, case_capacity;
    tact_bench_builds* builds;
    size_t build_count, build_capacity;
    tact_bench_stream stream;
    uint64_t wrong;  ///< checks that failed
} tact_bench_rays_results;

const char* tact_bench_set_name(tact_bench_set set);
const char* tact_bench_mode_name(tact_ray_mode mode);

/// What the cases of one mesh share.
typedef struct tact_bench_rays_mesh {
    const char* name;
    const tact_model* model;
    tact_scene* scenes[TACT_BENCH_QUALITIES];  ///< NULL: not asked for
    tact_scene* first;                         ///< of these
    tact_bounds bounds;
    uint64_t built_peak;
    tact_embree* embree[2];  ///< fast, robust; NULL: none
} tact_bench_rays_mesh;

/// Room for one more of `size` bytes each; NULL when memory ran out.
void* tact_bench_rays_grown(void* items, size_t count, size_t* capacity, size_t size);

/// Makes a scene of the model with a builder of ours, and tells its times. Of one that fits, these are of fitting
/// alone.
bool tact_bench_rays_scene(const tact_model* model, tact_context* context, int quality, tact_scene** scene,
                           double* whole_ms, double* commit_ms, tact_problem* problem);

/// Builds such a scene once more, and counts what the library asks for: all that the scene holds, and the most while
/// building. Both 0 where that cannot be done.
bool tact_bench_rays_memory(const tact_model* model, int threads, int quality, uint64_t* held, uint64_t* peak,
                            tact_problem* problem);

/// Measures one mesh, set and mode: all forms in turn, so that what slows the machine down slows down all.
bool tact_bench_rays_measure(const tact_bench_rays_settings* settings, tact_context* context,
                             const tact_bench_rays_mesh* mesh, tact_bench_set set, tact_ray_mode mode,
                             tact_bench_rays_results* results, tact_problem* problem);

/// Asks again on one thread, in another order, and by brute force (as many of the rays as that can afford). `hits` are
/// form 0's.
bool tact_bench_rays_check(const tact_bench_rays_settings* settings, tact_context* context, tact_scene* scene,
                           const tact_ray* rays, const tact_hit* hits, tact_bench_rays_case* c, tact_problem* problem);

/// Measures all builders on one mesh, in turn.
bool tact_bench_rays_build(const tact_bench_rays_settings* settings, tact_context* context, const char* name,
                           const tact_model* model, tact_bench_rays_results* results, tact_problem* problem);

/// Casts many more rays than memory should hold, made on the fly, in slices.
bool tact_bench_rays_stream(const tact_bench_rays_settings* settings, tact_context* context, tact_scene* scene,
                            const tact_bounds* bounds, tact_bench_rays_results* results, tact_problem* problem);

/// What the checks of all cases say.
void tact_bench_rays_checks_table(tact_table* table, const tact_bench_rays_results* results);
/// The builders of all meshes.
void tact_bench_rays_builds_table(tact_table* table, const tact_bench_rays_results* results);
void tact_bench_rays_builds_to_json(cJSON* root, const tact_bench_rays_results* results);

/// Prints, as people or as programs read it, and writes the files.
bool tact_bench_rays_report(const tact_bench_rays_settings* settings, const tact_session* session,
                            const tact_bench_rays_results* results, tact_problem* problem);
