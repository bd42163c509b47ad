// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Shared by the files of the filter on devices.

#include "cpu_ref/overlap/overlap.h"
#include "gpu/blocks/blocks.h"
#include "gpu/filter/filter.h"
#include "gpu/filter/scene.h"

struct tact_gpu_filter_image;

struct tact_gpu_filter {
    tact_device* device;
    tact_env* env;
    tact_gpu_filter_scene scene;
    struct tact_gpu_filter_image* image;  ///< made when first needed
    tact_reduce* reduce;                  ///< likewise
    tact_radix_sort* sort;                ///< likewise
    tact_buffer *list, *lower, *upper, *ranges, *table;
    tact_buffer *boxes, *keys, *triangles, *sorted;  ///< for putting the list in order
    tact_buffer* items[TACT_FILTER_LEVELS + 1];
    tact_buffer *found, *state;
    /// How many items each level had in the last run, of all pieces together, and how many findings there were, from so
    /// many pairs of roots (0: of no use) with so many levels. The next run's are likely to be about as many.
    uint64_t last[TACT_FILTER_STATE_WORDS];
    uint32_t last_roots, last_levels;
    bool went_without;  ///< images, which were to be made: that is in the log
    uint32_t limit;     ///< of items of a list; 0: as many as a list may well have
    tact_gpu_filter_told told;
};

/// One run on its way.
typedef struct tact_gpu_filter_work {
    tact_gpu_filter* f;
    tact_device* device;
    tact_env* env;
    const tact_filter_job* job;
    tact_query_report* report;
    uint32_t levels;                         ///< of the trees, leaves not counted
    uint32_t first[TACT_FILTER_LEVELS + 2];  ///< place of each level
    uint32_t* ranges;                        ///< of each object: first leaf, and the one after the last
    uint32_t* roots;                         ///< of each object that has leaves, its root's place
    size_t pairs_begun;                      ///< candidates whose roots have been items
    uint32_t (*findings)[4];
    uint8_t* verdicts;
    size_t finding_capacity, verdict_capacity;
    float* vertices;          ///< the scene's, read back when first needed
    tact_overlap_list found;  ///< with the number of the candidate as the pose
} tact_gpu_filter_work;

/// Builds what tact_gpu_filter_arrange() uses, should this scene need it.
tact_result tact_gpu_filter_prepare_order(tact_gpu_filter_work* work);

/// Brings what tact_gpu_filter_arrange() needs of the host to sort that many triangles, if they are to be sorted.
tact_result tact_gpu_filter_bring_boxes(tact_gpu_filter_work* work, uint32_t triangles);

/// Puts the triangles of each object in `*list`, which is ascending, in an order in which neighbours are near each
/// other, where that is worth it: `*list` is then another buffer. NULL stands for all triangles, which are listed
/// first.
tact_result tact_gpu_filter_arrange(tact_gpu_filter_work* work, uint32_t count, tact_buffer** list);

/// Numbers the places of the trees over the `count` triangles of `list`, two words each, by object; NULL: all
/// triangles. Waits for a list, for nothing where there is none.
tact_result tact_gpu_filter_plan(tact_gpu_filter_work* work, tact_buffer* list, uint32_t count);

/// Makes the trees of the plan, goes down those of each candidate pair and takes in what is found.
tact_result tact_gpu_filter_walk(tact_gpu_filter_work* work, tact_buffer* list, uint32_t count);

/// Room on the host for `count` findings; the first `there` stay.
tact_result tact_gpu_filter_hold_findings(tact_gpu_filter_work* work, size_t count, size_t there);

/// Takes in `count` findings from the device, of which the first `before` have been read; those that are unsure are
/// decided first.
tact_result tact_gpu_filter_collect(tact_gpu_filter_work* work, uint32_t count, uint32_t before);

/// All pairs, in order.
tact_result tact_gpu_filter_finish(tact_gpu_filter_work* work, tact_filter_list* list);

/// Reads the scene's vertices back, for shapes whose vertices lie on the device.
tact_result tact_gpu_filter_read_vertices(tact_gpu_filter_work* work);

/// A vertex of a shape, which tact_gpu_filter_read_vertices() has brought here if it lies on the device.
tact_vec3 tact_gpu_filter_vertex(const tact_gpu_filter_work* work, uint32_t shape, uint32_t vertex);
