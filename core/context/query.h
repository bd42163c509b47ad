// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A query, as one row: what goes in, which backends answer it, how an answer is compared and recorded. Dispatch, the
/// recorder and replaying read the rows; core/queries.h lists them.

#include "core/context/context.h"
#include "tact/record.h"

/// What an input is. Numbers in files of records: they must not change.
typedef enum tact_chunk_type {
    TACT_CHUNK_QUERY = 1,   ///< a tact_recorded_query; refers to what it is asked of and for, TACT_QUERY_INPUTS
    TACT_CHUNK_ARRAY = 2,   ///< rows of words of 32 bits, or bytes
    TACT_CHUNK_MESH = 3,    ///< TACT_MESH_WORDS words; refers to positions, indices, shapes, uvs, texels
    TACT_CHUNK_SCENE = 4,   ///< no bytes; refers to instances, then meshes
    TACT_CHUNK_SET = 5,     ///< the kind of volumes, a word; refers to volumes, categories, which ids are in use
    TACT_CHUNK_SHAPES = 6,  ///< no bytes; refers to meshes
    TACT_CHUNK_MACHINE = 7  ///< text, the first chunk
} tact_chunk_type;

enum { TACT_QUERY_INPUTS = 4 };

/// One of the things that a query is asked with.
typedef struct tact_query_input {
    tact_chunk_type type;  ///< 0: nothing
    bool optional;
    const char* name;              ///< of an array
    uint32_t row_words;            ///< of an array; 0: bytes
    tact_recorded_type data_type;  ///< of an array
} tact_query_input;

/// One way to answer a query. A backend may have several, each with a method of its own in its costs: for a call that
/// goes there the one with the least expected time is asked, and the next if it fails.
typedef struct tact_query_backend {
    tact_backend backend;
    /// Runs the query. Fills in the times and the memory of the report; dispatch does the rest. On the CPU query_ms is
    /// the whole run where it is left 0. `report->backend` says already which backend is to answer, since several may
    /// have one function.
    tact_result (*run)(tact_context* context, uint32_t device, void* arguments, const tact_query_options* options,
                       tact_query_report* report);
    /// What the call costs on this device, the context's number `index`, by the rates of an ordinary desktop, transfers
    /// included. NULL for the reference, which is never chosen by itself.
    tact_cost (*cost)(const tact_device_info* device, uint32_t index, const void* arguments);
} tact_query_backend;

/// An array or an object for an input: rows or shapes, `count` of them, or one tact_scene, tact_mesh or
/// tact_volumes. NULL: nothing.
typedef struct tact_given {
    const void* data;
    size_t count;
} tact_given;

enum { TACT_VARIANT_DRAWN = 0x100, TACT_VARIANT_NOT_CL = 0x200 };

/// Work of one method that can be made up, of any size.
typedef struct tact_query_sample {
    const char* method;        ///< as the cost model names it
    const char* items;         ///< what the size counts
    size_t smallest, largest;  ///< sizes worth measuring
    uint32_t variant;          ///< for the row's sample(); with TACT_VARIANT_DRAWN OpenGL alone answers,
                               ///< with TACT_VARIANT_NOT_CL OpenCL does not
    bool regret_only;          ///< another sample calibrates the method
} tact_query_sample;

struct tact_record_call;
struct tact_request;
struct tact_sample;

typedef struct tact_query {
    const char* name;                    ///< "casting rays", by which costs are known
    const tact_query_backend* backends;  ///< in the order in which equal estimates are tried
    size_t backend_count;
    /// Runs the reference and compares. SHADOW_MISMATCH with the first difference as detail. NULL: nothing to compare.
    tact_result (*compare)(tact_context* context, void* arguments, const tact_query_options* options);

    tact_recorded_kind kind;  ///< 0: calls are not recorded by themselves
    const char* word;         ///< "raycast", in lists of records
    const char* unit;         ///< "rays": what a call's count counts
    tact_backend only;        ///< of which the query is alone; AUTO: it is dispatched
    bool asynchronous;        ///< a device may be at work still when the call returns
    tact_query_input inputs[TACT_QUERY_INPUTS];
    /// Adapts the inputs to a call's parameters. NULL: they are the same for all.
    void (*adapt)(const uint32_t* parameters, tact_query_input* inputs);
    /// Adds the bytes of an answer to a record, in an order that does not change.
    void (*answer)(const void* arguments, struct tact_record_call* record);

    /// Asks by the public functions with what a request is given (core/query/request.h).
    tact_result (*ask)(struct tact_request* request, const tact_query_options* options, tact_query_report* report);
    /// What arrays need not be by themselves: NULL, or what is wrong with them together. NULL: nothing can be.
    const char* (*check)(const struct tact_request* request);
    /// One more than the place of the two parameters that say how much there is room for; 0: there are none.
    int room;

    /// Whether a call with these parameters is drawn with a tolerance, so that another device or driver may answer
    /// otherwise. NULL: none is.
    bool (*drawn)(const uint32_t* parameters);

    /// Makes up what is asked, by `of` the samples (core/query/sample.h). NULL: there are none.
    tact_result (*sample)(struct tact_sample* sample);
    const tact_query_sample* samples;
    size_t sample_count;
    /// Small calls of what the samples lack, for tests: never measured. Made up by the same sample().
    const tact_query_sample* features;
    size_t feature_count;
} tact_query;

/// The backends, the samples and the features of a row, for its initialiser.
#define TACT_BACKENDS(list) .backends = (list), .backend_count = sizeof(list) / sizeof(list)[0]
#define TACT_SAMPLES(maker, list) .sample = (maker), .samples = (list), .sample_count = sizeof(list) / sizeof(list)[0]
#define TACT_FEATURES(list) .features = (list), .feature_count = sizeof(list) / sizeof(list)[0]

/// Writes what a call with these parameters (TACT_RECORDED_PARAMETERS of them) is asked with.
static inline void tact_query_inputs(const tact_query* query, const uint32_t* parameters,
                                     tact_query_input inputs[TACT_QUERY_INPUTS])
{
    for (int i = 0; i < TACT_QUERY_INPUTS; ++i)
        inputs[i] = query->inputs[i];
    if (query->adapt) query->adapt(parameters, inputs);
}
