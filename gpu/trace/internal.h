// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Between the files of ray casts on a device: what it keeps for a scene, and casts of rays that lie there. All calls
/// lie between tact_device_enter and tact_device_leave.

#include "cpu_ref/trace/bvh8.h"
#include "gpu/blocks/blocks.h"
#include "gpu/trace/raycast.h"

/// For every hit along rays, which are found as the tree has them and then sorted.
typedef struct tact_ray_lists {
    tact_buffer *places, *kept;  ///< a word a ray: where its hits begin, found and kept
    tact_buffer* list;           ///< six words a hit, as found
    tact_buffer *keys, *order;   ///< two words and one a hit
} tact_ray_lists;

/// For rays that are sorted before they are cast: a word a ray each.
typedef struct tact_ray_order {
    tact_buffer *keys, *places;
} tact_ray_order;

/// Rays on the device, and what becomes of them.
typedef struct tact_ray_batch {
    tact_buffer *rays, *hits;
    tact_buffer* pending;  ///< rays that the first launch leaves unfinished, after how many they are
    size_t capacity;
} tact_ray_batch;

struct tact_gpu_scene {
    tact_device* device;
    uint64_t mesh_version, top_version, layout_version;
    tact_buffer* world;              ///< top nodes, then instances; changes with top_version
    tact_buffer *nodes, *triangles;  ///< change with mesh_version
    uint32_t instance_row;           ///< the first row of the instances in `world`
    uint32_t shape_row;              ///< that of the shapes in `nodes`
    uint32_t alpha_row;              ///< that of the alpha masks there; 0: there are none
    uint32_t instance_count;
    bool has_shapes;
    tact_bvh_box bounds;  ///< of all instances; lower > upper where there are none
    tact_ray_batch batch;
    tact_ray_batch second;  ///< of chunks that overlap
    tact_ray_batch spare;   ///< of a cast that was submitted and is done
    tact_gpu_cast* casts;   ///< on their way
    tact_radix_sort* sort;  ///< of hits in lists, and of rays
    tact_ray_lists lists;
    tact_ray_order order;  ///< of the cast that was started last
    tact_buffer* states;   ///< of rays that take many steps
    tact_buffer* nothing;  ///< stands in for a buffer that a launch does not read
};

/// Makes *resident if need be.
tact_result tact_gpu_scene_open(tact_device* device, tact_gpu_scene** resident);
/// Brings the buffers up to date. LIMIT, DEVICE_OUT_OF_MEMORY.
tact_result tact_gpu_scene_update(tact_gpu_scene* s, const tact_trace_scene* scene);
/// Rows of 16 bytes that the alpha masks of a scene's meshes take: alpha.c.
size_t tact_gpu_alpha_rows(const tact_trace_scene* scene);
/// Writes them from the row `first` of a buffer on.
tact_result tact_gpu_alpha_write(tact_device* device, tact_buffer* rows, size_t first, const tact_trace_scene* scene);
/// Casts on their way let go of the scene as it is.
void tact_gpu_casts_settle(tact_gpu_scene* s);
uint64_t tact_gpu_scene_bytes(const tact_gpu_scene* s);

/// Room for `count` rays.
tact_result tact_ray_batch_reserve(tact_gpu_scene* s, tact_ray_batch* batch, size_t count);
void tact_ray_batch_release(tact_ray_batch* batch);
/// How many rays a batch can have on this device, at most `wanted`.
size_t tact_ray_batch_limit(const tact_device* device, size_t wanted);

typedef struct tact_ray_cast {
    tact_ray_batch* batch;
    uint32_t count, mode;
    tact_buffer* hits;     ///< where they go
    tact_buffer* places;   ///< TACT_RAY_MODE_LIST: where each ray's hits begin; else NULL
    uint32_t faces, mask;  ///< as tact_ray_cast_bring() makes them
    bool masks, ignore_alpha;
    bool sorted;  ///< rather in the order that tact_ray_order_make() finds; for a plain cast, if there is room for it
} tact_ray_cast;

/// Takes the rays from number `begin` on to the cast's batch (NULL: they are there), and the rules (NULL: none).
void tact_ray_cast_bring(tact_ray_cast* cast, const tact_ray* rays, const tact_ray_rules* rules, size_t begin);

/// Builds what casts of such rays launch first.
tact_result tact_ray_cast_prepare(const tact_gpu_scene* s, const tact_ray_cast* cast);
/// The first launch, which leaves few rays unfinished, if any; does not wait.
tact_result tact_ray_cast_start(tact_gpu_scene* s, const tact_ray_cast* cast);
/// What tact_ray_cast_send() begins to read.
typedef struct tact_ray_taking {
    tact_reading reading;
    tact_read results[TACT_READS_MAX];
    size_t count;
    uint32_t unfinished;
} tact_ray_taking;
/// Begins to read results, fewer than TACT_READS_MAX; `taking` stays where it is until they are taken.
void tact_ray_cast_send(tact_gpu_scene* s, const tact_ray_cast* cast, const tact_read* results, size_t count,
                        tact_ray_taking* taking);
/// Waits for them, and finishes the rays that are left.
tact_result tact_ray_cast_take(tact_gpu_scene* s, const tact_ray_cast* cast, tact_ray_taking* taking);
/// Both.
tact_result tact_ray_cast_finish(tact_gpu_scene* s, const tact_ray_cast* cast, const tact_read* results, size_t count);

/// Whether sorting so many rays is expected to save more than it costs; `incoherent`: they are known to be no picture.
bool tact_ray_order_pays(const tact_device_info* device, size_t count, uint64_t tree_bytes, bool incoherent);
/// Whether rays should be sorted before they are cast: order.c.
bool tact_ray_order_wanted(const tact_gpu_scene* s, tact_ray_sort asked, size_t count, bool incoherent);
/// Whether such a cast can be sorted. Every hit along rays is not.
bool tact_ray_order_fits(const tact_gpu_scene* s, const tact_ray_cast* cast);
/// Builds what sorting launches.
tact_result tact_ray_order_prepare(const tact_gpu_scene* s);
/// Does not wait. *places: the ray of each item, until the next such call; NULL where there is no room to sort.
tact_result tact_ray_order_make(tact_gpu_scene* s, const tact_ray_cast* cast, tact_buffer** places);
/// Gives up all that sorting holds, that of hits in lists too.
void tact_ray_order_release(tact_gpu_scene* s);
