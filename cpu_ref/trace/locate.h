// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Points against solids on the CPU: the brute force that defines every result, and the walk that gives the same bytes
/// faster.

#include "cpu_ref/trace/batch.h"
#include "cpu_ref/trace/scene.h"
#include "kernels/near_layout.h"
#include "tact/geometry/types.h"
#include "tact/points.h"

/// Edges beside each other, in the world: x, y and z of the ends that they lead from, then of those that they lead to.
typedef struct tact_strip_block {
    float ends[2][3][TACT_WINDING_BLOCK];
} tact_strip_block;

/// The edges that triangles of a scene do not share.
typedef struct tact_rim {
    const tact_env* env;
    tact_strip_block* blocks;
    size_t count, block_capacity;  ///< edges; blocks
    uint32_t* mirrored;  ///< a bit for each instance, by id: it turns what is right-handed into what is left-handed
    size_t mirrored_words;
    // By mesh, in its own frame: those of mesh i end before ends[i].
    float (*own)[6];
    size_t* ends;
    size_t own_count, own_capacity;
    bool fresh;  ///< and of these versions of the scene
    uint64_t mesh_version, top_version;
} tact_rim;

/// On which side of an edge, seen along x, a point is, exactly: 1 where the edge and it turn counter-clockwise. The
/// point is a little farther along y, and much less along z.
int tact_rim_side(const tact_strip_block* block, int edge, tact_vec3 p);

/// Tests a triangle in the world, exactly: 1 where the ray from the point along +x leaves through its front, -1 through
/// its back, 0 where it misses. The point is a little farther along x, so a triangle that it lies on is behind it.
int tact_triangle_crossing(const float a[3], const float b[3], const float c[3], tact_vec3 p);

/// Finds the edges anew where the scene has changed. *boundary is NULL the first time. Errors: OUT_OF_MEMORY, LIMIT.
tact_result tact_rim_update(tact_env* env, int threads, const tact_trace_scene* scene, tact_rim** boundary);

/// Releases a tact_rim.
void tact_rim_release(void* boundary);

typedef struct tact_locate_job {
    const tact_trace_scene* scene;
    const tact_rim* boundary;
    const tact_closest_query* points;
    tact_point_location* locations;
    tact_batch batch;
} tact_locate_job;

/// The definition: every point against every triangle and boundary edge. OUT_OF_MEMORY, CANCELLED.
tact_result tact_locate_reference(tact_env* env, const tact_locate_job* job);

/// By the trees. The same bytes.
tact_result tact_locate_cpu(tact_env* env, const tact_locate_job* job);

/// Writes the locations of a batch of which a device has found the closest points and winding numbers, as
/// kernels/winding.kernel has these. Finds those by the trees that the device was not sure of.
void tact_locate_finish(const tact_locate_job* job, tact_closest_hit* hits, const uint32_t (*sums)[4]);
