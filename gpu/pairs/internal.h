// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the files of the broad phase on devices share.

#include "gpu/blocks/blocks.h"
#include "gpu/pairs/pairs.h"
#include "kernels/pairs_layout.h"

enum {
    TACT_SAMPLE = 4096,
    // Steps of one item in one launch. Ordinary items need less than a hundred. With the emission of what was cached it
    // stays far below the 65,535 iterations after which llvmpipe leaves a shader's loops.
    TACT_PAIRS_STEPS = 4096
};

/// What is known of a set's boxes from some of them, evenly chosen by id. Decides speed, never results.
typedef struct tact_box_sample {
    uint32_t count;  ///< of boxes that take part
    tact_aabb boxes[TACT_SAMPLE];
} tact_box_sample;

/// A grid for the boxes of a sample.
typedef struct tact_grid_plan {
    uint32_t cells[3];
    float origin[3], scale;
    float widest;      ///< boxes wider than this are kept apart
    double crowd;      ///< boxes in the cell of a box, on average
    double wide_part;  ///< share of the boxes that are wider
} tact_grid_plan;

struct tact_gpu_volumes {
    tact_device* device;
    uint32_t count;  ///< of ids
    uint64_t version, categories_version;
    bool has_boxes, has_details;
    tact_buffer* boxes;      ///< six floats each, by id
    tact_buffer* details;    ///< spheres, then categories
    uint32_t spheres;        ///< 1: there are spheres
    uint32_t categories_at;  ///< word of the first categories, or TACT_PAIRS_NOT_THERE
    uint32_t details_ids;    ///< ids in details
    bool details_categories;

    tact_pairs_method structure;  ///< what is in `tree`; AUTO: nothing
    uint64_t structure_version;
    tact_buffer *tree, *keys, *order, *table;
    tact_buffer* cell_table;  ///< grid: where cells begin, then the cell of each leaf
    tact_grid_plan plan;
    uint32_t top;          ///< BVH: level of the root
    uint32_t order_count;  ///< leaves whose order may be kept, 0: none
    uint32_t refits;       ///< since they were sorted
    tact_box_sample* sample;
    tact_buffer* sample_boxes;  ///< of a bound set
    tact_vec3* sorted_at;       ///< where the sample's boxes were then
    uint32_t sorted_count;

    // Of a query with this set as the first.
    tact_radix_sort* sort;
    tact_scan* scan;
    tact_buffer *rows, *cache, *state, *found, *pairs, *sums, *nothing;
};

/// A buffer of at least `bytes`; what was in it is lost when it grows.
tact_result tact_gpu_need(tact_gpu_volumes* v, tact_buffer** buffer, uint64_t bytes, const char* what);

/// Fills the sample from the set's boxes.
void tact_box_sample_fill(tact_box_sample* sample, const tact_volume_view* volumes);
/// The table of kernels/pairs_keys.kernel, and the three widths that part the size classes.
void tact_box_sample_table(const tact_box_sample* sample, float table[3][TACT_PAIRS_KNOTS][4], float widths[3]);
/// How far the sample's boxes have moved on average since `from`, in their mean widths.
double tact_box_sample_motion(const tact_box_sample* sample, const tact_vec3* from, uint32_t count);
/// Where they are now.
void tact_box_sample_places(const tact_box_sample* sample, tact_vec3* places);

/// Brings the boxes of a set that reads from a device array up to date; its details must be there.
tact_result tact_gpu_update_bound(tact_gpu_volumes* v, const tact_gpu_side* side);

/// Brings the BVH of a set up to date.
tact_result tact_gpu_bvh_update(tact_gpu_volumes* v, const tact_gpu_side* side, bool* rebuilt);

/// Plans a grid of cells a little wider than the widest box in the sample, or than four times the median where some
/// are wider; of a single cell for all where the sample has no boxes, or sizes beyond what floats divide well. Any
/// plan finds all pairs of any `count` boxes.
void tact_box_sample_grid(const tact_box_sample* sample, uint32_t count, tact_grid_plan* plan);

/// Returns whether v->plan is worth it; why not goes to `reason`.
bool tact_gpu_grid_suits(const tact_gpu_volumes* v, char* reason, size_t size);
/// Sorts the boxes of a set into v->plan's cells. *fits: `asked` for, or not too many were wider than a cell.
tact_result tact_gpu_grid_update(tact_gpu_volumes* v, const tact_gpu_side* side, bool asked, bool* rebuilt, bool* fits);
/// What a walk is to do; the rest of its arguments come from the sets.
typedef struct tact_pairs_walk {
    uint32_t mode;
    uint32_t first, end, base, shift;
    uint32_t steps;  ///< of one item in one launch
} tact_pairs_walk;

/// One launch of a walk.
tact_result tact_gpu_launch_tree(tact_gpu_volumes* a, tact_gpu_volumes* b, const tact_pairs_walk* walk, bool resume);
tact_result tact_gpu_launch_grid(tact_gpu_volumes* a, const tact_pairs_walk* walk, bool resume);

/// Counts, and writes all pairs to where the job wants them.
tact_result tact_gpu_pairs_output(tact_gpu_volumes* a, tact_gpu_volumes* b, tact_gpu_pairs_job* job);
