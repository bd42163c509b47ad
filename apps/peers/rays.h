// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Embree 3 as the benchmarks' peer for ray casts: trees of each quality, fast and robust, and every way that it offers
/// to cast a batch. Where it was not found when building, tact_embree_have() says so and nothing else may be called.

#include "apps/inputs/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tact_embree_quality {
    TACT_EMBREE_LOW = 0,     ///< Morton codes
    TACT_EMBREE_MEDIUM = 1,  ///< binned surface area heuristic; what a scene has by default
    TACT_EMBREE_HIGH = 2,    ///< the same with spatial splits
    TACT_EMBREE_QUALITIES = 3
} tact_embree_quality;

typedef struct tact_embree_desc {
    int threads;
    tact_embree_quality quality;
    const char* config;  ///< what else its device is told, such as "isa=avx2"; NULL: nothing
    bool robust;         ///< conservative boxes and a watertight triangle test
} tact_embree_desc;

typedef struct tact_embree_facts {
    double whole_ms;      ///< from the caller's arrays to a scene that can be cast against
    double commit_ms;     ///< of this, rtcCommitGeometry() and rtcCommitScene()
    uint64_t mesh_bytes;  ///< its copies of vertices and indices
    uint64_t tree_bytes;  ///< what else it holds once built, by its own count
    uint64_t peak_bytes;  ///< the most while building, with the copies
} tact_embree_facts;

/// One way to cast a batch.
typedef struct tact_embree_form {
    const char* name;  ///< such as "packets of 8, coherent"
    int width;         ///< rays that lie together, field by field: 1, 4, 8, 16 or 256
    bool stream;       ///< many such groups by one call
    bool coherent;     ///< told that rays lie close together
} tact_embree_form;

typedef struct tact_embree tact_embree;

bool tact_embree_have(void);

/// The ways, single rays first.
const tact_embree_form* tact_embree_forms(size_t* count);

/// Builds a scene of the meshes where they are: instances that were moved are not for it.
bool tact_embree_open(const tact_model* model, const tact_embree_desc* desc, tact_embree** embree,
                      tact_problem* problem);
void tact_embree_close(tact_embree* embree);
tact_embree_facts tact_embree_get_facts(const tact_embree* embree);

/// Threads that casts really use.
int tact_embree_threads(const tact_embree* embree);

/// Closest hits. Pieces of the batch are shared out over the threads. Each ray is read where it lies and brought into
/// Embree's layout there, as a caller with a batch must; an instance is a mesh, and of a miss only `instance` counts.
void tact_embree_closest(const tact_embree* embree, const tact_embree_form* form, const tact_ray* rays, size_t count,
                         tact_hit* hits);

/// Closest hits on the calling thread, of which any number may ask at once: one ray a call, where it lies.
void tact_embree_each(const tact_embree* embree, const tact_ray* rays, size_t count, tact_hit* hits);

/// Any hit: 1 or 0 for each ray.
void tact_embree_any(const tact_embree* embree, const tact_embree_form* form, const tact_ray* rays, size_t count,
                     uint8_t* hits);

/// tinybvh's eight-wide tree of high quality, where its sources were named when building (-DTACT_TINYBVH=DIR).
typedef struct tact_tinybvh tact_tinybvh;

/// Builds it. NULL when it cannot, and of scenes with instances that were moved.
tact_tinybvh* tact_tinybvh_open(const tact_model* model, int threads);
/// NULL is allowed.
void tact_tinybvh_close(tact_tinybvh* tinybvh);

/// Casts rays one by one: the closest hits, of which only whether `instance` is TACT_NONE counts, or any: 1 or 0.
void tact_tinybvh_cast(const tact_tinybvh* tinybvh, bool any, const tact_ray* rays, size_t count, tact_hit* hits,
                       uint8_t* occluded);

#ifdef __cplusplus
}
#endif
