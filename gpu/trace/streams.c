// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Packets and streams of rays for OpenCL on a CPU: the host side of kernels/raycast_streams.kernel.
#include "gpu/trace/internal.h"

enum {
    FEW = 256,              // rays for which the launch would cost more than it saves: a guess
    LEAST_PIECE = 1 << 10,  // rays of a piece of work
    MOST_PIECE = 1 << 16,   // as STREAM_PIECE in kernels/ray_streams.h
    SIDE = 8,               // of the squares that pictures are cut into
    SCRATCH_WORDS = 657472  // as there
};

_Static_assert(TACT_BVH8_STACK == 337 && TACT_BVH8_TOP_STACK == 225, "as MESH_STACK, TOP_STACK in ray_packets.h");

bool tact_ray_streams_fit(const tact_gpu_scene* s, const tact_ray_cast* cast)
{
    return tact_device_is_cpu(s->device) && !s->has_shapes && (s->alpha_row == 0 || cast->ignore_alpha) &&
           s->instance_count > 0 && cast->count >= FEW && cast->count <= INT32_MAX && cast->mode <= TACT_RAY_COUNT &&
           !cast->ordered;
}

/// Rays of a piece: so many that putting them in order pays, so few that all workers have enough, and whole squares.
static uint32_t piece_of(const tact_ray_cast* cast, uint32_t row, uint32_t units)
{
    const uint32_t share = cast->count / (units * 4) + 1;
    uint32_t piece = share < MOST_PIECE ? share : MOST_PIECE;
    if (piece < LEAST_PIECE) piece = LEAST_PIECE;
    const uint32_t band = SIDE * row;
    if (band == 0) return piece;
    return band >= piece ? band : piece / band * band;
}

tact_result tact_ray_streams_start(tact_gpu_scene* s, const tact_ray_cast* cast)
{
    const tact_device_info* info = tact_device_describe(s->device);
    const uint32_t row = cast->row <= MOST_PIECE / SIDE ? cast->row : 0;
    const uint32_t units = info->compute_units > 0 && info->compute_units < 4096 ? info->compute_units : 1;
    const uint32_t piece = piece_of(cast, row, units);
    const uint32_t pieces = (cast->count - 1) / piece + 1;
    const size_t scratch = SCRATCH_WORDS * sizeof(uint32_t);
    uint32_t workers = units < pieces ? units : pieces;
    if (workers > info->max_buffer_bytes / scratch) workers = (uint32_t)(info->max_buffer_bytes / scratch);
    if (workers == 0) workers = 1;
    tact_result result = tact_buffer_hold(s->device, &s->scratch, workers * scratch);
    if (result != TACT_OK) {
        return tact_fail_within(tact_device_env(s->device), result, "room for streams of rays: ");
    }
    const uint32_t counters = (uint32_t)cast->batch->capacity;
    const tact_arg args[] = {
        tact_arg_buffer(s->world),
        tact_arg_buffer(s->nodes),
        tact_arg_buffer(s->triangles),
        tact_arg_buffer(cast->batch->rays),
        tact_arg_buffer(cast->batch->left),
        tact_arg_buffer(cast->hits),
        tact_arg_buffer(s->scratch),
        tact_arg_uint(cast->count),
        tact_arg_uint(cast->mode),
        tact_arg_uint(s->instance_row),
        tact_arg_uint(s->instance_count),
        tact_arg_uint(workers),
        tact_arg_uint(piece),
        tact_arg_uint(row),
        tact_arg_uint(counters),
        tact_arg_uint(cast->faces),
        tact_arg_uint(cast->mask),
        tact_arg_uint(cast->masks ? tact_ray_batch_masks(cast->batch) : 0),
        tact_arg_float(s->most_direction),
    };
    result = tact_buffer_fill(cast->batch->left, counters * sizeof(uint32_t), 2 * sizeof(uint32_t), 0);
    if (result != TACT_OK) return result;
    return tact_device_launch(s->device, TACT_KERNEL_raycast_streams, workers, args, sizeof args / sizeof args[0]);
}

tact_result tact_ray_streams_left(const tact_ray_cast* cast, uint32_t* left)
{
    return tact_buffer_read(cast->batch->left, cast->batch->capacity * sizeof(uint32_t), left, sizeof *left);
}
