// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside the recorder. A query's call brackets its work: tact_record_begin(), what it is asked, the work,
/// tact_record_answer() for the answer's bytes, tact_record_end(). All of it is nothing where nothing is recorded.
///
/// What a query was asked is kept as *chunks*: little-endian bytes, as they stand in a file, that refer to others. A
/// chunk is kept once by its content, whoever refers to it.

#include "base/xxh64.h"
#include "core/context/query.h"
#include "core/context/tickets.h"
#include "tact/image_space.h"
#include "tact/mesh.h"
#include "tact/mesh_filter.h"
#include "tact/record.h"
#include "tact/scene.h"
#include "tact/volumes.h"

enum {
    TACT_RECORD_PLACES = TACT_QUERY_INPUTS,  ///< what a query refers to
    TACT_MESH_WORDS = 7,                     ///< kind, quality, has_alpha, width, height, wrap, threshold
    TACT_MESH_PLACES = 5,
    TACT_SET_PLACES = 3,
    TACT_INSTANCE_WORDS = 16,    ///< mesh (TACT_NONE: removed), mask, dynamic, 0, matrix
    TACT_BOUNDS_WORDS = 11,      ///< of a tact_image_bounds
    TACT_RECORD_VERSION = 1,     ///< of the file
    TACT_RECORD_HEADER = 32,     ///< magic, version, chunks, size of the file, checksum of what follows (XXH64)
    TACT_RECORD_CHUNK_HEAD = 24  ///< type, words of a row, references, 0, bytes
};
#define TACT_RECORD_MAGIC "TACTREC\n"

/// A chunk that is kept.
typedef struct tact_record_chunk {
    struct tact_record_chunk* next;  ///< in its bucket
    uint64_t digest;                 ///< of bytes and references
    uint32_t type;
    uint32_t row_words;  ///< 0: bytes
    size_t size;
    uint32_t reference_count;
    size_t users;     ///< queries and chunks that refer to it
    uint32_t number;  ///< in the file that is being written, 1 more than its place; 0: not there yet
    struct tact_record_chunk** references;  ///< NULL for none
    uint8_t* bytes;
} tact_record_chunk;

/// A query in the ring.
typedef struct tact_record_entry {
    tact_recorded_query query;
    tact_record_chunk* references[TACT_RECORD_PLACES];
} tact_record_entry;

enum { TACT_RECORD_BUCKETS = 512 };

typedef struct tact_recorder {
    tact_context* context;
    tact_record_entry* ring;
    size_t capacity, first, count;
    uint64_t numbers;  ///< given out
    size_t budget, used;
    int depth;  ///< calls within a call, such as a receiver's of pairs, are not recorded
    tact_record_chunk* buckets[TACT_RECORD_BUCKETS];
    tact_assert_fn* assertion;  ///< the caller's
    void* assertion_user;
    char directory[1024];
} tact_recorder;

/// Takes the digest of the next answer, recorded or not, and its bytes: replaying.
typedef struct tact_record_witness {
    bool answered;
    uint64_t digest, bytes;
    uint32_t depth;                                            ///< calls that run, one in another
    void (*take)(const void* bytes, size_t size, void* user);  ///< NULL: the digest is enough
    void* user;
} tact_record_witness;

/// Makes the recorder that a context's description, or $TACT_RECORD, asks for, if any. OUT_OF_MEMORY.
tact_result tact_recorder_open(tact_context* context, const tact_context_desc* desc);
void tact_recorder_close(tact_context* context);

// ---- One call ----

typedef struct tact_record_call {
    tact_context* context;  ///< NULL: nobody wants to know
    uint64_t number;        ///< 0: not recorded
    bool wants;             ///< its arrays
    bool answered;
    tact_xxh64 answer;
    tact_query_report spare;  ///< for callers who want no report
    tact_query_report* report;
    tact_submit submit;  ///< recorded or not
} tact_record_call;

/// `bytes`: of all that will be added; SIZE_MAX where that has no size. `report` may be NULL; what the call reports
/// must go to call->report then.
void tact_record_begin(tact_record_call* call, tact_context* context, tact_recorded_kind kind,
                       const tact_query_options* options, tact_query_report* report, uint64_t count, size_t bytes);

/// Sets a parameter, or says why the query cannot be run again.
void tact_record_parameter(tact_record_call* call, int place, uint32_t value);
void tact_record_missing(tact_record_call* call, const char* why);

/// What is asked, in places of the query. Nothing when the call does not want it; NULL arrays leave the place empty.
void tact_record_array(tact_record_call* call, int place, const void* rows, uint32_t row_words, size_t count);
void tact_record_scene(tact_record_call* call, int place, tact_scene* scene);
void tact_record_set(tact_record_call* call, int place, tact_volumes* set);
void tact_record_mesh(tact_record_call* call, int place, const tact_mesh* mesh);
void tact_record_shapes(tact_record_call* call, int place, const tact_mesh_desc* shapes, size_t count);

/// The surface of an image-space test's object.
void tact_record_body(tact_record_call* call, int place, const tact_image_body* body);

/// A scene and the view of it, as they were when it was drawn: kept for queries of the picture. All zeros: nothing.
typedef struct tact_record_drawing {
    tact_record_chunk *scene, *view;
    size_t bytes;  ///< of both
    bool drawn;    ///< recorded or not
} tact_record_drawing;

/// Keeps what was drawn, which tact_record_forget() must let go of; and tells it, in places 0 and 1. Without a recorder
/// nothing is kept. What is kept counts as memory of the recorder, but is not forgotten for want of it.
void tact_record_keep(tact_context* context, tact_record_drawing* drawing, const tact_scene* scene,
                      const uint32_t* view, uint32_t view_words);
void tact_record_forget(tact_context* context, tact_record_drawing* drawing);
void tact_record_drawn(tact_record_call* call, const tact_record_drawing* drawing);

/// How large these are. Saturated.
size_t tact_record_scene_bytes(const tact_scene* scene);
size_t tact_record_set_bytes(const tact_volumes* set);
size_t tact_record_mesh_bytes(const tact_mesh* mesh);
size_t tact_record_shapes_bytes(const tact_mesh_desc* shapes, size_t count);
size_t tact_record_body_bytes(const tact_image_body* body);
size_t tact_record_sum(size_t a, size_t count, size_t each);  ///< a + count * each

/// What a query that no dispatcher ran reports: the only backend that has it.
void tact_record_only(tact_record_call* call, tact_backend backend, int threads);

/// Some of the answer's bytes, in order.
void tact_record_answer(tact_record_call* call, const void* bytes, size_t size);

/// Ends the call and returns `result`. A shadow mismatch writes a file, which the context's error then names.
tact_result tact_record_end(tact_record_call* call, tact_result result);

/// Completes a record whose answer comes later than its call: NULL for none. `report` NULL: as it was.
void tact_record_late(tact_context* context, uint64_t number, tact_result result, const tact_query_report* report,
                      const void* answer, size_t size);

// ---- Chunks (chunks.c) ----

/// The chunk with this content, with one more user; NULL when out of memory. `words` are in the order of the machine.
/// References are taken over, their users with them, also on failure; those that are NULL stay empty.
tact_record_chunk* tact_record_intern(tact_recorder* recorder, tact_chunk_type type, uint32_t row_words,
                                      const void* words, size_t size, tact_record_chunk** references,
                                      uint32_t reference_count);
void tact_record_drop(tact_recorder* recorder, tact_record_chunk* chunk);

/// Words between the order of the machine and little endian, in place; nothing to do on most machines.
void tact_record_swap(void* words, size_t count);

// ---- The file ----

/// Makes the file's bytes; tact_release() them. OUT_OF_MEMORY.
tact_result tact_record_pack(tact_context* context, uint8_t** bytes, size_t* size);

enum { TACT_RECORD_QUERY_BYTES = 1280 };  ///< of a query's chunk

/// A query to and from its chunk's bytes. False when a value is out of range.
void tact_record_put_query(const tact_recorded_query* query, uint8_t bytes[TACT_RECORD_QUERY_BYTES]);
bool tact_record_get_query(const uint8_t bytes[TACT_RECORD_QUERY_BYTES], tact_recorded_query* query);
