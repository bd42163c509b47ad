// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a cloud of points, and what its queries share.

#include "core/context/guard.h"
#include "core/query/ask.h"
#include "core/query/request.h"
#include "cpu_ref/cloud/search.h"

struct tact_point_cloud {
    tact_context* context;
    tact_guard guard;
    tact_vec3* points;  ///< as given
    tact_cloud_tree tree;
    tact_cloud_field field;                ///< without cells until it pays
    uint64_t asked;                        ///< queries whether there is a point, until the field is there
    uint64_t version;                      ///< 1 at first, one more with each replacement
    tact_resident kept[TACT_MAX_DEVICES];  ///< what a device keeps: the tree
};

struct tact_sample;

/// A run's queries and progress.
tact_cloud_job tact_cloud_job_of(const tact_point_cloud* cloud, const tact_closest_query* queries, size_t count,
                                 const tact_query_options* options);

/// Points `field` to the cloud's, which is made when so many queries have been asked, `count` more included, that it
/// takes no more time than it would have saved. Leaves it NULL before. Errors: OUT_OF_MEMORY.
tact_result tact_cloud_field_of(tact_point_cloud* cloud, size_t count, int threads, const tact_cloud_field** field);

/// The bytes of the cloud and its tree.
uint64_t tact_cloud_bytes(const tact_point_cloud* cloud);

/// Expected time on the CPU for `count` queries, in milliseconds of one thread, with so many points found for each.
double tact_cloud_work(const tact_point_cloud* cloud, size_t count, double found);

/// The cost of that on a device, with so many bytes of answers.
tact_cost tact_cloud_cost_device(const tact_device_info* device, uint32_t index, tact_point_cloud* cloud, size_t count,
                                 double work, double down);

/// Answers a call on the cloud.
tact_result tact_cloud_ask(tact_point_cloud* cloud, const tact_call* call, const tact_query_options* options,
                           tact_query_report* report);

/// The cloud of a request, whose input 0 has the points.
tact_result tact_cloud_of_request(tact_request* request, tact_point_cloud** cloud);

/// Wrong with the points of a request, or NULL.
const char* tact_cloud_check_request(const tact_request* request);

/// Points in a cube of some two each unit of volume, as many as the sample's size, some twice, and as many queries, of
/// which some find nothing; `radius` of the others.
tact_result tact_cloud_sample(struct tact_sample* sample, float radius);

#define TACT_CLOUD_INPUTS                                           \
    {TACT_CHUNK_ARRAY, false, "points", 3, TACT_RECORDED_FLOATS},   \
    {                                                               \
        TACT_CHUNK_ARRAY, false, "queries", 4, TACT_RECORDED_FLOATS \
    }
