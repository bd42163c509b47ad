// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What closest points and sphere casts share: arguments, backends, costs and shadow checking.

#include "core/query/ask.h"
#include "core/scene/scene.h"
#include "cpu_ref/trace/batch.h"

typedef struct tact_near_kind tact_near_kind;

/// A call of such a query; the dispatcher's arguments.
typedef struct tact_near_query {
    const tact_near_kind* kind;
    tact_scene* scene;
    const void* queries;
    void* hits;
    size_t count;
} tact_near_query;

/// A run on a device: the context's number `index`.
typedef struct tact_near_device {
    uint32_t index;
    tact_batch batch;
    tact_query_report* report;
} tact_near_device;

struct tact_near_kind {
    const char* what;               ///< "points"
    const char* argument;           ///< "queries", of the public function
    const char* answers;            ///< "hits", of it
    size_t query_bytes, hit_bytes;  ///< of one
    double work;                    ///< milliseconds that a visit of a node or triangle takes, times 10^6
    bool shapes;                    ///< spheres, boxes and capsules are answered too
    bool bent;                      ///< stretched and sheared ones as well
    int kernel;                     ///< a tact_kernel_id, where there are devices
    int kernel_of_shapes;           ///< the one for scenes with spheres, boxes and capsules
    int kernel_of_bent;             ///< and with such as are stretched or sheared
    tact_result (*run)(tact_env* env, const tact_near_query* query, const tact_batch* batch, bool reference);
    /// Runs tact_near_on_device(), with what the kind has to add. NULL: nothing.
    tact_result (*run_device)(const tact_near_query* query, tact_near_device* device);
    /// Writes what tells query `index` and a hit.
    void (*describe)(const tact_near_query* query, size_t index, char* text, size_t size);
    void (*describe_hit)(const void* hit, char* text, size_t size);
    const tact_query* query;
};

extern const tact_query_backend tact_near_backends[];
enum {
#ifdef TACT_HAVE_GPU
    TACT_NEAR_BACKENDS = 4
#else
    TACT_NEAR_BACKENDS = 2
#endif
};

#ifdef TACT_HAVE_GPU
struct tact_gpu_windings;

/// Runs the kind's kernel on a query's points, for `hits` of so many bytes each, and finds winding numbers where these
/// are asked for.
tact_result tact_near_on_device(const tact_near_query* query, tact_near_device* device, void* hits, size_t hit_bytes,
                                const struct tact_gpu_windings* windings);
#endif

tact_result tact_near_compare(tact_context* context, void* arguments, const tact_query_options* options);
void tact_near_answer(const void* arguments, tact_record_call* record);

/// Checks the arguments and answers. INVALID_ARGUMENT, LIMIT, and the dispatcher's.
tact_result tact_near_ask(tact_near_query* query, const tact_query_options* options, tact_query_report* report);
