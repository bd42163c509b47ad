// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the files of the broad phase on devices share.

#include "gpu/pairs_gpu.h"
#include "gpu/radix_sort.h"
#include "gpu/scan.h"
#include "kernels/pairs_layout.h"

enum { TACT_SAMPLE = 4096 };

/// What is known of a set's boxes from some of them, evenly chosen by id. Decides speed, never results.
typedef struct tact_box_sample {
    uint32_t count;  ///< of boxes that take part
    tact_aabb boxes[TACT_SAMPLE];
} tact_box_sample;

struct tact_gpu_volumes {
    tact_device* device;
    uint32_t count;  ///< of ids
    uint64_t version, filter_version;
    bool has_boxes, has_details;
    tact_buffer* boxes;    ///< six floats each, by id
    tact_buffer* details;  ///< spheres, then filters
    uint32_t spheres;      ///< 1: there are spheres
    uint32_t filters_at;   ///< word of the first filter, or TACT_PAIRS_NOT_THERE
    uint32_t details_ids;  ///< ids in details
    bool details_filters;

    tact_pairs_method structure;  ///< what is in `tree`; AUTO: nothing
    uint64_t structure_version;
    tact_buffer *tree, *keys, *order, *table;
    uint32_t top;          ///< BVH: level of the root
    uint32_t order_count;  ///< leaves whose order may be kept, 0: none
    uint32_t refits;       ///< since they were sorted
    tact_box_sample* sample;
    tact_vec3* sorted_at;  ///< where the sample's boxes were then
    uint32_t sorted_count;

    // Of a query with this set as the first.
    tact_radix_sort* sort;
    tact_scan* scan;
    tact_buffer *rows, *cache, *state, *found, *pairs, *sums, *nothing;
};

/// A buffer of at least `bytes`; what was in it is lost when it grows.
tact_result tact_gpu_need(tact_gpu_volumes* v, tact_buffer** buffer, uint64_t bytes, const char* what);

/// Fills the sample from the set's boxes.
void tact_box_sample_fill(tact_box_sample* sample, const tact_volumes* volumes);
/// The table of kernels/pairs_keys.kernel, and the three widths that part the size classes.
void tact_box_sample_table(const tact_box_sample* sample, float table[3][TACT_PAIRS_KNOTS][4], float widths[3]);
/// How far the sample's boxes have moved on average since `from`, in their mean widths.
double tact_box_sample_motion(const tact_box_sample* sample, const tact_vec3* from, uint32_t count);
/// Where they are now.
void tact_box_sample_places(const tact_box_sample* sample, tact_vec3* places);

/// Brings the BVH of a set up to date.
tact_result tact_gpu_bvh_update(tact_gpu_volumes* v, const tact_gpu_side* side, bool* rebuilt);

/// What a walk is to do; the rest of its arguments come from the sets.
typedef struct tact_pairs_walk {
    uint32_t mode;
    uint32_t first, end, base, shift;
} tact_pairs_walk;

/// Lets all items walk, in as many launches as it takes.
tact_result tact_gpu_walk(tact_gpu_volumes* a, tact_gpu_volumes* b, tact_gpu_pairs_job* job,
                          const tact_pairs_walk* walk);

/// Counts, and writes all pairs to where the job wants them.
tact_result tact_gpu_pairs_output(tact_gpu_volumes* a, tact_gpu_volumes* b, tact_gpu_pairs_job* job,
                                  tact_query_report* report);
