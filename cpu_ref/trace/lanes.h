// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The fast tracer's inner loops, once for each set of instructions. lanes_portable.c, lanes_sse2.c, lanes_avx2.c and
/// lanes_avx512.c each include lanes_body.h. They take *fast* rays, those that their arithmetic is proven for
/// (box_lanes.h) in every instance: 0 <= tmin <= tmax, tmin at most TACT_LARGEST, no component of the direction beyond
/// tact_trace_most_direction(), and so no NaN in any of them. The others go by walk.h.

#include "base/lane_levels.h"
#include "cpu_ref/trace/batch.h"
#include "cpu_ref/trace/closest_found.h"
#include "cpu_ref/trace/locate.h"
#include "cpu_ref/trace/nearest.h"
#include "cpu_ref/trace/packet.h"
#include "cpu_ref/trace/rules.h"
#include "cpu_ref/trace/stream.h"

typedef struct tact_trace_lane_table {
    const char* name;
    /// The rays order[0] to order[count - 1], at most TACT_STREAM_RAYS, together. All are fast. The more of them after
    /// each other go the same way, by octants, the longer the lists are that they make up.
    void (*streams)(const tact_trace_job* job, const uint32_t* order, uint32_t count, tact_stream_memory* memory);
    /// The rays from `first` on, at most TACT_FEW_RAYS of them, each by itself. Those that are not fast are given to
    /// `slow`.
    void (*few)(const tact_trace_job* job, size_t first, size_t count, tact_trace_fn* slow);
    /// At most TACT_PACKET_RAYS rays as a packet, if they are enough alike: their origins no farther apart than `size`
    /// on each axis. False, and nothing is written, when they are not. The job must be plain (cpu_ref/trace/rules.h).
    bool (*packet)(const tact_trace_job* job, const uint32_t* order, uint32_t count, const float size[3],
                   tact_packet* packet);
    /// The octant of each ray's direction; bit k: it falls along axis k. Rays that are not fast are given to `slow` and
    /// taken out of `order`; returns how many are left.
    uint32_t (*octants)(const tact_trace_job* job, uint32_t* order, uint32_t count, uint32_t* octants,
                        tact_trace_fn* slow);
    /// The closest points to queries[order[0]] to queries[order[count - 1]]. Fast when those after each other lie near
    /// each other.
    void (*closest)(const tact_closest_job* job, const uint32_t* order, uint32_t count);
    /// How often the ray from a point along +x leaves through a front, less how often through a back: what triangles
    /// add to its winding number.
    int64_t (*crossings)(const tact_trace_scene* scene, const tact_rim* boundary, tact_vec3 p);
    /// What the strips of a boundary add to the winding number of a point, in 2^-32.
    int64_t (*strips)(const tact_rim* boundary, tact_vec3 p);
} tact_trace_lane_table;

/// How large a component of a direction may be, so that in no instance its reciprocal loses bits to underflow.
static inline float tact_trace_most_direction(const tact_trace_scene* scene)
{
    return 1.0e30f / scene->stretch;
}

extern const tact_trace_lane_table tact_trace_lanes_portable, tact_trace_lanes_sse2, tact_trace_lanes_avx2,
    tact_trace_lanes_avx512;

// Eight lanes hold all children of a node; wider ones would gain nothing, so the AVX-512 table has those of AVX2.
void tact_trace_closest_avx2(const tact_closest_job* job, const uint32_t* order, uint32_t count);
int64_t tact_trace_crossings_avx2(const tact_trace_scene* scene, const tact_rim* boundary, tact_vec3 p);

/// The best here.
const tact_trace_lane_table* tact_trace_lanes(void);
