// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file record.h
/// The last queries of a context, with all their inputs and a digest of their results: written to a file by
/// tact_record_save(), when shadow checking finds a difference and when an assertion fails, and run again elsewhere.
/// After C. Ericson, Real-Time Collision Detection, 2005, 2.7.1. docs/replay.md is the guide and defines the file.
///
/// Off unless the context's description enables it (`record_queries`). When on, a query costs a further pass over its
/// inputs, which are hashed, and copied unless they are kept already (a scene that many queries use is kept once).

#include "tact/context.h"

struct tact_bodies;
struct tact_scene;

/// The kind of a query.
typedef enum tact_recorded_kind {
    TACT_RECORDED_RAYCAST = 1,          ///< tact_raycast(), tact_raycast_with()
    TACT_RECORDED_RAYCAST_ALL = 2,      ///< tact_raycast_all()
    TACT_RECORDED_CLOSEST = 3,          ///< tact_closest_points()
    TACT_RECORDED_SPHERES = 4,          ///< tact_spherecast()
    TACT_RECORDED_CULL_SCENE = 5,       ///< tact_cull_scene()
    TACT_RECORDED_CULL = 6,             ///< tact_cull_volumes()
    TACT_RECORDED_PAIRS = 7,            ///< tact_pairs_find(), tact_pairs_each(), and those of a tracker
    TACT_RECORDED_OVERLAP = 8,          ///< tact_mesh_overlap(), its pairs, and those of a mesh with itself
    TACT_RECORDED_FILTER = 9,           ///< tact_filter_meshes()
    TACT_RECORDED_PARTICLES = 10,       ///< tact_particles_step()
    TACT_RECORDED_SEPARATION = 11,      ///< tact_mesh_separation()
    TACT_RECORDED_SEGMENTS = 12,        ///< tact_mesh_overlap_segments()
    TACT_RECORDED_CONTACTS = 13,        ///< tact_particles_contacts()
    TACT_RECORDED_NEIGHBOURS = 14,      ///< tact_particles_neighbours()
    TACT_RECORDED_PICK = 15,            ///< tact_pick_scene()
    TACT_RECORDED_IMAGE = 16,           ///< tact_image_convex(), tact_image_concave()
    TACT_RECORDED_TARGET = 17,          ///< tact_pick_target_submit() of what tact_pick_target_draw() drew
    TACT_RECORDED_LOCATE = 18,          ///< tact_locate_points()
    TACT_RECORDED_BODIES = 19,          ///< tact_contacts_find()
    TACT_RECORDED_BODY_CASTS = 20,      ///< tact_body_casts_find()
    TACT_RECORDED_BODY_DISTANCES = 21,  ///< tact_body_distances_find()
    TACT_RECORDED_BODY_NEAREST = 22,    ///< tact_body_nearest_find()
    TACT_RECORDED_CLOUD_NEAREST = 23,   ///< tact_cloud_nearest()
    TACT_RECORDED_CLOUD_WITHIN = 24,    ///< tact_cloud_within()
    TACT_RECORDED_KINDS = 25            ///< one more than the last
} tact_recorded_kind;

/// Returns "raycast", "raycast-all", "closest", "spheres", "scene-cull", "cull", "pairs", "overlap", "filter",
/// "particles", "separation", "segments", "contacts", "neighbours", "pick", "image", "target", "locate", "bodies",
/// "body-casts", "body-distances", "body-nearest", "cloud-nearest" or "cloud-within"; "?" for anything else.
/// Thread-safe.
TACT_API const char* tact_recorded_kind_name(tact_recorded_kind kind);

/// Words that a query's parameters take at most.
enum { TACT_RECORDED_PARAMETERS = 8 };

/// A query that was recorded, without its arrays.
typedef struct tact_recorded_query {
    tact_recorded_kind kind;                        ///< the call
    uint64_t number;                                ///< of the context's queries that were recorded, from 1
    uint64_t count;                                 ///< rays, points, volumes, poses, ...
    uint64_t bytes;                                 ///< of its arrays and its scene, sets or meshes
    uint32_t parameters[TACT_RECORDED_PARAMETERS];  ///< by kind: docs/replay.md

    // Options.
    tact_backend backend;  ///< selected by the caller or, where that was AUTO, by the object
    int threads;           ///< as in tact_query_options
    bool shadow;           ///< shadow checking was on
    bool no_fallback;      ///< other backends were excluded

    // Outcome.
    bool finished;             ///< false: it was running when the file was written
    tact_result result;        ///< of the call
    bool answered;             ///< there is a digest
    uint64_t digest;           ///< XXH64, seed 0, of the result's bytes
    uint64_t answer_bytes;     ///< how many those are
    char driver[128];          ///< of the device that ran it
    tact_query_report report;  ///< as returned, or as it would have been

    char missing[160];  ///< why it cannot be run again, such as "too large, N bytes"; empty: it can
} tact_recorded_query;

/// Writes the queries that the context keeps to a file, whole or not at all, the oldest first. Needs memory for a
/// second copy of them. A link of that name is replaced, not followed; pipes, devices and /dev/stdout are written to.
/// Errors: INVALID_ARGUMENT (the context records nothing; the file cannot be written), OUT_OF_MEMORY.
TACT_API tact_result tact_record_save(tact_context* context, const char* path);

/// Forgets what is kept, but for the scenes that pick targets show.
TACT_API void tact_record_clear(tact_context* context);

/// Gets how many queries are kept now, and of how many bytes. Either may be NULL.
TACT_API void tact_record_size(const tact_context* context, size_t* queries, size_t* bytes);

/// Queries that were read from a file.
typedef struct tact_recording tact_recording;

/// Reads what tact_record_save() wrote; the bytes are copied. Any bytes may be given: other or damaged files are
/// refused. Errors: INVALID_ARGUMENT (the detail says what is wrong), OUT_OF_MEMORY.
TACT_API tact_result tact_recording_read(tact_context* context, const void* bytes, size_t size,
                                         tact_recording** recording);
/// Destroys the recording, before its context. NULL is allowed.
TACT_API void tact_recording_destroy(tact_recording* recording);

/// Returns where the file was written: version, compiler, devices with their drivers, a line each.
TACT_API const char* tact_recording_machine(const tact_recording* recording);

/// Returns how many queries there are, the oldest first.
TACT_API size_t tact_recording_count(const tact_recording* recording);

/// Describes query `index`. Errors: INVALID_ARGUMENT (no such query).
TACT_API tact_result tact_recording_query(const tact_recording* recording, size_t index, tact_recorded_query* query);

/// The element type of a query's array.
typedef enum tact_recorded_type {
    TACT_RECORDED_BYTES = 0,
    TACT_RECORDED_FLOATS = 1,
    TACT_RECORDED_WORDS = 2,  ///< uint32_t
    TACT_RECORDED_MIXED = 3   ///< structures of floats and uint32_t
} tact_recorded_type;

/// An array, such as the rays. It belongs to the recording.
typedef struct tact_recorded_array {
    const char* name;         ///< "rays", "points", "instances", ...
    tact_recorded_type type;  ///< of all its values
    size_t rows;              ///< rays, points, ...
    size_t columns;           ///< values of each; bytes where it is of BYTES
    const void* data;         ///< row by row, tightly packed
} tact_recorded_array;

/// Gets array `place` of a query, the places counting from 0: its arguments, and the contents of its scene or sets
/// beside meshes. False when there are fewer.
TACT_API bool tact_recording_array(const tact_recording* recording, size_t index, size_t place,
                                   tact_recorded_array* array);

/// A triangle mesh of a query, tightly packed, indices below vertex_count. It belongs to the recording.
typedef struct tact_recorded_mesh {
    const float* positions;   ///< x, y, z of each vertex
    size_t vertex_count;      ///< 0 for a mesh of shapes
    const uint32_t* indices;  ///< three of each triangle
    size_t triangle_count;    ///< 0 for a mesh of shapes
} tact_recorded_mesh;

/// Gets mesh `place` of a query, the places counting from 0; one of shapes has no triangles. False when there are
/// fewer.
TACT_API bool tact_recording_mesh(const tact_recording* recording, size_t index, size_t place,
                                  tact_recorded_mesh* mesh);

/// Makes the scene of query `index`, committed; destroy it as any other. *scene is NULL for queries of no scene.
/// Errors: INVALID_ARGUMENT (no such query, or what it holds is no scene), LIMIT, OUT_OF_MEMORY.
TACT_API tact_result tact_recording_make_scene(const tact_recording* recording, size_t index,
                                               struct tact_scene** scene);

/// Returns a number that is not 0, and the same for queries of one scene: with the same meshes and instances. 0 for
/// queries of no scene, and for no query. Thread-safe.
TACT_API uint32_t tact_recording_scene_number(const tact_recording* recording, size_t index);

/// Makes the set that query `index` asked about bodies of, with the bodies where they were then and the same ids;
/// destroy it as any other. Those that had been removed are there, and meet nothing. *set is NULL for queries of no
/// bodies. Errors: INVALID_ARGUMENT (no such query, or what it
/// holds is no set of bodies), LIMIT, OUT_OF_MEMORY.
TACT_API tact_result tact_recording_make_bodies(const tact_recording* recording, size_t index,
                                                struct tact_bodies** set);

/// The outcome of a query that was run again.
typedef struct tact_replayed {
    tact_result result;     ///< of the query; INCOMPLETE where its capacity is 0, since the digest covers all
    bool answered;          ///< there is a digest
    uint64_t digest;        ///< XXH64, seed 0, of the result's bytes
    uint64_t answer_bytes;  ///< how many those are
    bool same;              ///< as recorded: both have a result, with the same digest
    bool promised;  ///< `same` must hold: false for results drawn with a tolerance on another device or driver, and for
                    ///< rays cast because nothing draws here
    tact_query_report report;  ///< of this run
} tact_replayed;

/// Runs a query again, in the context that the recording was read with. `options` NULL: as recorded, but for shadow
/// checking, and on another backend where the recorded one is missing. Trees are built afresh, once for queries of one
/// scene that are run one after the other: the recording keeps it. Picks of a scene that were drawn are drawn only by
/// OpenGL; on another backend, or without OpenGL, they are found by rays. Image-space tests and picks of a target need
/// OpenGL, whatever the options: without it `replayed->result` is NO_DEVICE. Errors: INVALID_ARGUMENT (no such query,
/// one that cannot be run again), OUT_OF_MEMORY; the query's own result code is in `replayed`.
TACT_API tact_result tact_recording_run(tact_recording* recording, size_t index, const tact_query_options* options,
                                        tact_replayed* replayed);

/// Receives some bytes of a result.
typedef void tact_answer_fn(const void* bytes, size_t size, void* user);

/// Runs a query again, as tact_recording_run(), and passes the bytes that the digest covers to `take`, in order
/// (docs/replay.md defines them for each kind). `take` NULL: not wanted.
TACT_API tact_result tact_recording_answer(tact_recording* recording, size_t index, const tact_query_options* options,
                                           tact_answer_fn* take, void* user, tact_replayed* replayed);
