// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Rays that go side by side: 64 that share the signs of their directions and the dominant axis, and nearly their
/// origins and directions (packet_lanes.h).

#include "cpu_ref/trace/raycast.h"

enum {
    TACT_PACKET_RAYS = 64,
    TACT_PACKET_WORTH = 40  ///< so many that entering an instance costs less than going there as streams
};

typedef struct tact_packet_rays {
    float origin[3][TACT_PACKET_RAYS];
    float direction[3][TACT_PACKET_RAYS];
    float inverse[3][TACT_PACKET_RAYS];
    float sx[TACT_PACKET_RAYS], sy[TACT_PACKET_RAYS], sz[TACT_PACKET_RAYS];
} tact_packet_rays;

typedef struct tact_packet {
    _Alignas(64) tact_packet_rays world;
    tact_packet_rays here;  ///< in the frame of the mesh that is gone through
    float tmin[TACT_PACKET_RAYS];
    float limit[TACT_PACKET_RAYS];                           ///< hits beyond it do not matter; negative when none does
    float enter[TACT_PACKET_RAYS], leave[TACT_PACKET_RAYS];  ///< the gate
    float u[TACT_PACKET_RAYS], v[TACT_PACKET_RAYS];
    uint32_t instance[TACT_PACKET_RAYS], primitive[TACT_PACKET_RAYS], count[TACT_PACKET_RAYS];
    uint32_t mask[TACT_PACKET_RAYS];  ///< of instances that a ray hits
    uint32_t entries, entered;        ///< instances that packets came to so far, and rays that reached them
    bool choosy;            ///< any hit: instances are left to streams that less than TACT_PACKET_WORTH rays reach
    uint64_t left;          ///< rays of the last packet that reached such an instance and are not done
    tact_trace_pool* pool;  ///< of lists
    uint32_t large, done;   ///< while choosy: rays that entered other instances so far, and rays that hit
} tact_packet;
