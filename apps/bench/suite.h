// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What `tact bench` measures: every query on every backend, over decades of sizes. How each query is asked is in
/// suite_*.c, how it is measured in suite.c, and how it is told in suite_report.c and html_report.c.

#include "apps/bench/bench.h"
#include "apps/bench/plot.h"
#include "apps/bench/suite_blocks.h"
#include "apps/inputs/model.h"
#include "apps/inputs/rays.h"
#include "apps/inputs/volume_input.h"

/// What a query is asked about: a mesh, from a file or generated.
typedef struct tact_suite_mesh {
    char name[64];
    tact_model model;  ///< one mesh, one instance where it lies
} tact_suite_mesh;

/// What a query's functions are given.
typedef struct tact_suite_input {
    tact_context* context;
    const tact_suite_mesh* mesh;  ///< NULL: the query's own, or none
    uint64_t seed;
    int threads;                     ///< of the CPU
    const tact_suite_mesh* other;    ///< the mesh that is moved; NULL: the same
    double spread;                   ///< of poses; 0: as the query places them
    const tact_volume_input* boxes;  ///< NULL: the query's own
    tact_scene* scene;               ///< of the mesh's model; NULL: it is built
    const void* queries;             ///< rays, points or casts to be copied; NULL: the query's own
    uint64_t frames;                 ///< the last one, of which alone the answer counts; 0: all count
} tact_suite_input;

/// What an ask was answered.
typedef struct tact_suite_answer {
    tact_digest digest;
    uint64_t results;    ///< hits, pairs, ...; what the query says
    const void* items;   ///< what the digest is of, until the next ask; NULL: not told
    size_t count, size;  ///< items, and bytes of one
} tact_suite_answer;

/// An answer whose items are also what is counted.
tact_suite_answer tact_suite_items(const void* items, size_t count, size_t size);

/// A way in which a query can be asked.
typedef struct tact_suite_variant {
    const char* name;
    unsigned backends;  ///< bits, as the query's
    bool loose;         ///< its answers need not be those of the others
} tact_suite_variant;

/// A query and what it is asked. The functions' `own` is what open() made; one is open at a time.
typedef struct tact_suite_query {
    const char* name;       ///< the key, "ray_closest"
    const char* title;      ///< for people
    const char* set;        ///< which inputs: "random", "camera", ...
    const char* unit;       ///< what the size counts: "rays"
    const char* found;      ///< what the results count: "hits"
    const char* about;      ///< one sentence on what is asked and what the time holds
    unsigned backends;      ///< bits: 1 << tact_backend; the CPU always
    bool takes_mesh;        ///< asked about each mesh; else once
    bool alone;             ///< a backend keeps what it has found from ask to ask
    bool moves;             ///< each repetition is another frame, so that all digests count
    bool pinned;            ///< its arrays lie in pinned memory; left out where none can be pinned
    bool within_tolerance;  ///< drawn: what differs within the device's own tolerance counts as equal
    uint64_t first, most, quick_most;
    uint64_t reference_most;  ///< larger ones are not asked of brute force
    double reference_pairs;   ///< instead: of items and triangles; a part of the items is asked then
    uint64_t argument;        ///< the query's own
    /// Ways to ask in depth, ended by one without a name; NULL: one. The suite asks in the first.
    const tact_suite_variant* variants;

    /// Makes the inputs of a size. `*setup_ms`: what the library built of them on the CPU, such as a scene's trees.
    bool (*open)(const struct tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                 double* setup_ms, tact_problem* problem);
    /// Before the first frame of each backend; NULL: nothing.
    tact_result (*begin)(void* own);
    /// Before each frame, not timed; NULL: nothing. Frame 0 is the warm-up.
    bool (*place)(void* own, unsigned frame, tact_problem* problem);
    /// Chooses the variant of the next asks; NULL: there is one.
    void (*choose)(void* own, unsigned variant);
    /// Asks; timed.
    tact_result (*ask)(void* own, const tact_query_options* options, tact_query_report* report);
    /// What the last ask was answered; not timed.
    bool (*answer)(void* own, tact_suite_answer* answer, tact_problem* problem);
    /// Makes the peer at an index ready: its name, threads, build time, and `made`, which stays NULL where it does not
    /// take the inputs. False: there is no such. NULL: none.
    bool (*peer)(void* own, size_t index, tact_contestant* who);
    /// Asks the peer; timed.
    bool (*peer_ask)(void* own, tact_contestant* who, unsigned frame);
    /// Counts what the last ask of a contestant has found, and in what it differs from what is expected (NULL: not
    /// known). Called after each ask. Needed where there are peers.
    void (*note)(void* own, tact_contestant* who, const tact_suite_answer* expected);
    void (*peer_close)(tact_contestant* who);
    void (*close)(void* own);
} tact_suite_query;

/// The words of a row: the members of these names.
#define TACT_SUITE_ROW(key, words, inputs, finds, sentence) \
    .name = key, .title = words, .set = inputs, .found = finds, .about = sentence

/// The tables of queries; each ends with one that has no name.
extern const tact_suite_query tact_suite_scene_queries[], tact_suite_volume_queries[], tact_suite_particle_queries[],
    tact_suite_mesh_queries[], tact_suite_pick_queries[], tact_suite_body_queries[], tact_suite_cloud_queries[];

/// The first query of all tables with that name; NULL: there is none.
const tact_suite_query* tact_suite_find(const char* name);

/// The same for `tact bench NAME`.
extern const tact_suite_query tact_suite_near_queries[], tact_suite_overlap_queries[], tact_suite_separation_queries[],
    tact_suite_image_queries[], tact_suite_pair_queries[], tact_suite_step_queries[], tact_suite_contact_queries[],
    tact_suite_cast_queries[], tact_suite_cloud_depth_queries[];

/// The distance of two convex meshes, B in a pose, by GJK and the expanding polytope: negative where they overlap, NaN
/// where it is not known. Of at most 200 vertices each.
double tact_suite_convex_distance(const tact_model_mesh models[2], const float pose[12]);

/// Pixels along the side of the images of a variant; 0: exact.
uint32_t tact_suite_resolution(unsigned variant);

/// One run of a contestant, frame `frame` of it, and its time from call to answer. `answer` is of ours.
tact_result tact_suite_turn(const tact_suite_query* query, void* own, tact_contestant* who, uint64_t frame, double* ms,
                            tact_suite_answer* answer, tact_problem* problem);

/// Runs an answer's digest on with the next one's, of frames.
void tact_suite_run_on(tact_digest* digest, const tact_digest* next);

/// Takes a mesh that was made (or not), which it owns then, under a name.
bool tact_suite_mesh_take(tact_suite_mesh* mesh, const char* name, bool made, tact_model_mesh* from,
                          tact_problem* problem);
bool tact_suite_mesh_read(tact_suite_mesh* mesh, const char* path, tact_problem* problem);
/// A terrain of about so many triangles.
bool tact_suite_mesh_terrain(tact_suite_mesh* mesh, uint64_t triangles, uint64_t seed, tact_problem* problem);

/// One backend, or one peer, on one size.
typedef struct tact_suite_row {
    const tact_suite_query* query;
    char mesh[64];  ///< empty: none
    uint64_t triangles, size;
    tact_backend backend;
    const char* peer;  ///< NULL: ours
    tact_bench_status status;
    bool by_reference;  ///< compared with brute force, not only with the CPU
    double setup_ms, first_ms, first_build_ms, first_upload_ms;
    tact_spread build, upload, query_ms, download;
    tact_spread total;  ///< from call to answer, by the clock
    tact_spread busy;   ///< the same beside busy programs; 0 where that is not measured
    uint64_t results, memory_bytes;
    tact_device_counts counts;  ///< of the last call
    double floor_ms;            ///< of a modelled device: what its bytes take at least; else 0
    int threads;
    bool software;
    char device[128];
    tact_digest digest;
    char detail[256];  ///< why it failed, or differs
} tact_suite_row;

typedef struct tact_suite_results {
    tact_suite_row* rows;
    size_t count, capacity;
    uint64_t wrong;  ///< rows that differ or failed
    double seconds;
    uint64_t left_out;  ///< rows for which there was no time
    bool stopped;       ///< by a signal: rows are left out for that
} tact_suite_results;

typedef struct tact_suite_settings {
    tact_common_options common;
    bool quick, peers;
    const char *out, *only, *model_file;
    tact_device_model model;  ///< where there is such a file
    tact_text_list meshes;
    uint64_t budget;  ///< seconds
    uint64_t most;    ///< no size above this, but for each query's first; 0: as the queries say
    uint64_t least;   ///< no size below this, but for each query's last
    uint64_t repeat;
    uint64_t busy;                    ///< programs beside which the CPU's queries and the peers are measured again
    const tact_suite_query* queries;  ///< instead of all, for tests; ended by one without a name
} tact_suite_settings;

/// Measures everything that is asked for; the rows of a series lie together, sizes ascending. A problem is what keeps
/// it from measuring at all; what a device does wrong is in the rows.
bool tact_suite_measure(const tact_suite_settings* settings, const tact_session* session, tact_suite_results* results,
                        tact_problem* problem);
void tact_suite_free(tact_suite_results* results);

/// Whether a row was left out, for lack of time or since a signal has stopped all.
bool tact_suite_is_left_out(const tact_suite_row* row);

/// The first such row of a device within the `count` rows of a series; NULL: nothing of it was left out.
const tact_suite_row* tact_suite_left_out_row(const tact_suite_row* rows, size_t count, const char* who);

/// What of a series was left out: "gl from 1,000 rays on". False: nothing. `size` is at least 1.
bool tact_suite_left_out(const tact_suite_row* rows, size_t count, char* text, size_t size);

/// Rows from `at` on that are of one query, set and mesh; 0 at the end.
size_t tact_suite_series(const tact_suite_results* results, size_t at);

/// Whether a row's time counts.
bool tact_suite_counts(const tact_suite_row* row);

/// Within the `count` rows of a series the CPU's time over the row's, and how much of the unit a second; 0: not known.
double tact_suite_speed_up(const tact_suite_row* rows, size_t count, const tact_suite_row* row);
double tact_suite_per_second(const tact_suite_row* row);

/// "cpu", "gl", "cl", or the peer.
const char* tact_suite_who(const tact_suite_row* row);
/// "equal", "DIFFERS", ...
const char* tact_suite_result(const tact_suite_row* row);

/// Where a backend is faster than the CPU, within the `count` rows of a series. False where nothing can be compared.
bool tact_suite_crossover(const tact_suite_row* rows, size_t count, tact_backend backend, tact_crossover* crossover);
/// The same in words: "from about 1,234 on, up to 100,000 rays", "none up to 1,000,000 rays".
void tact_suite_crossover_text(const tact_crossover* crossover, const char* unit, char* text, size_t size);

/// The table, the JSON (the caller deletes it), and results.json, results.csv and report.html in a folder.
void tact_suite_print(const tact_suite_settings* settings, const tact_session* session,
                      const tact_suite_results* results);
cJSON* tact_suite_to_json(const tact_suite_settings* settings, const tact_session* session,
                          const tact_suite_results* results);
bool tact_suite_write(const char* folder, const tact_suite_results* results, const cJSON* json, tact_problem* problem);
