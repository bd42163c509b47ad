// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file ranks_queries.h
/// Queries over ranks: pairs within sets that no machine holds, rays and points in batches that all ranks share, and
/// such in a scene of which each rank has a part. The ranks' parts of a set or a batch, one after another in order
/// of rank, are the whole, and the answer is the bytes that one process gives for the whole, for any number of ranks,
/// any backend on each, and however the whole is dealt out. docs/ranks.md has how, and what it costs.
///
/// All functions are collective (ranks.h). `ranks` NULL stands for one process alone. Where it is not, what is asked is
/// of the group's context. Each rank gives its own `options` and gets a `report` of its own part in the answer, whose
/// upload_ms has what went to other ranks and came from them, and waiting, too; `shadow` compares each rank's own part.
/// A query that asks for a ticket is UNSUPPORTED. Beside the errors of each: OUT_OF_MEMORY, and DEVICE where ranks
/// cannot reach each other.

#include "tact/pairs.h"
#include "tact/points.h"
#include "tact/ranks.h"
#include "tact/raycast.h"
#include "tact/spherecast.h"

/// The volumes to find pairs between over ranks, the method, and the output.
typedef struct tact_ranks_pairs_work {
    tact_volumes* b;           ///< this rank's part of another set; NULL on all ranks: pairs within the one set
    tact_pairs_method method;  ///< of each rank's own search; default: AUTO
    uint64_t* count;           ///< receives how many pairs there are in all
    uint64_t* before;          ///< receives how many the ranks before this one have; NULL: not wanted
    uint64_t reserved[4];      ///< zeros: room for fields to come
} tact_ranks_pairs_work;

/// Finds the pairs within a set, or between two, of which each rank has a part: `a`, and the work's `b`. A volume's id
/// in the whole is its id in its rank's part plus tact_volumes_id_end() of the parts of all ranks before. The pairs are
/// those of tact_pairs_find() in the same order; each rank has a run of them, of about the same length, as
/// tact_pairs_last(a), and the runs follow each other in order of rank. tact_pairs_get_info() is of this rank's own
/// search, with the length of its run.
///
/// Space is cut along a Morton curve so that ranks have about the same number of volumes. A volume goes to every rank
/// whose part it reaches into, 20 to 36 bytes each time, so that a rank needs memory for its part of the set, for what
/// reaches into its part of space, and for the pairs that are found there. Errors: as tact_pairs_find();
/// INVALID_ARGUMENT (kinds of sets that differ between ranks, `b` given on some only), LIMIT (2^32 - 1 volumes or more
/// in a whole set; what one rank would find, or hold, is more than TACT_MAX_PAIRS or TACT_MAX_VOLUMES).
TACT_API tact_result tact_ranks_find_pairs(tact_ranks* ranks, tact_volumes* a, const tact_ranks_pairs_work* work,
                                           const tact_query_options* options, tact_query_report* report);

/// Casts the rays of all ranks against a scene that every rank holds: as tact_raycast_with(), each rank with its own
/// rays, of any number, and room for their hits. Ranks with more rays than others hand some over, 32 bytes each, and 36
/// where rays have masks of their own, so that all cast the same number. The work must be the same on all ranks but for
/// its arrays and its count. Errors: as tact_raycast_with(); INVALID_ARGUMENT (works or scenes that differ),
/// UNSUPPORTED (arrays of a device; rules with `accept`, a function of one process).
TACT_API tact_result tact_ranks_raycast(tact_ranks* ranks, tact_scene* scene, const tact_raycast_work* work,
                                        const tact_query_options* options, tact_query_report* report);

/// Finds closest points for those of all ranks: tact_closest_points() likewise, 16 bytes a point. Errors: as it;
/// INVALID_ARGUMENT (scenes that differ).
TACT_API tact_result tact_ranks_closest_points(tact_ranks* ranks, tact_scene* scene, const tact_closest_query* queries,
                                               size_t count, tact_closest_hit* hits, const tact_query_options* options,
                                               tact_query_report* report);

/// Locates the points of all ranks: tact_locate_points() likewise. Errors: as it; INVALID_ARGUMENT (scenes that
/// differ).
TACT_API tact_result tact_ranks_locate_points(tact_ranks* ranks, tact_scene* scene, const tact_closest_query* points,
                                              size_t count, tact_point_location* locations,
                                              const tact_query_options* options, tact_query_report* report);

/// Moves the spheres of all ranks: tact_spherecast() likewise, 36 bytes a sphere. Errors: as it; INVALID_ARGUMENT
/// (scenes that differ).
TACT_API tact_result tact_ranks_spherecast(tact_ranks* ranks, tact_scene* scene, const tact_sphere_cast* casts,
                                           size_t count, tact_sphere_hit* hits, const tact_query_options* options,
                                           tact_query_report* report);

/// A rank's part of a scene that is cut between ranks: some of its instances, whole.
typedef struct tact_ranks_part {
    tact_scene* scene;          ///< with these instances, committed
    const uint32_t* instances;  ///< ids in the whole scene, by id in this one, ascending, each of one rank alone; NULL
                                ///< on all ranks: ids go on where those of the rank before end
    size_t count;               ///< of `instances`: one more than the largest id in use
    uint64_t reserved[4];       ///< zeros: room for fields to come
} tact_ranks_part;

/// Casts the rays of all ranks against a scene of which each rank has a part, with the hits that the whole scene gives.
/// The work is as for tact_ranks_raycast(). A ray visits the ranks whose instances' box it goes through, in the order
/// in which it enters these, until it has a hit that is nearer than all that is left, or with TACT_RAY_ANY a hit; 32
/// bytes go there each time, and up to 24 come back for a hit. `progress` is not called. Errors: as
/// tact_ranks_raycast(); INVALID_ARGUMENT (ids that do not ascend, too few of them), LIMIT (ids beyond 32 bits).
TACT_API tact_result tact_ranks_raycast_cut(tact_ranks* ranks, const tact_ranks_part* part,
                                            const tact_raycast_work* work, const tact_query_options* options,
                                            tact_query_report* report);

/// Finds closest points for those of all ranks on a scene of which each rank has a part: what tact_closest_points()
/// gives for the whole scene. A point visits the ranks in the order of how far their instances' box is from it, until
/// it has a hit that is nearer than all that is left; 16 bytes go there each time, and 40 come back where something is
/// found within the distance of the hits so far. `progress` is not called. Errors: as tact_closest_points();
/// INVALID_ARGUMENT (ids that do not ascend, too few of them), LIMIT (ids beyond 32 bits).
TACT_API tact_result tact_ranks_closest_points_cut(tact_ranks* ranks, const tact_ranks_part* part,
                                                   const tact_closest_query* queries, size_t count,
                                                   tact_closest_hit* hits, const tact_query_options* options,
                                                   tact_query_report* report);

/// Moves the spheres of all ranks through a scene of which each rank has a part: what tact_spherecast() gives for the
/// whole scene. A sphere visits ranks as a ray does, by their instances' box grown by its radius; 36 bytes go there
/// each time, its whole way, and 40 come back where it touches something. Errors: as tact_spherecast();
/// INVALID_ARGUMENT (ids that do not ascend, too few of them), LIMIT (ids beyond 32 bits).
TACT_API tact_result tact_ranks_spherecast_cut(tact_ranks* ranks, const tact_ranks_part* part,
                                               const tact_sphere_cast* casts, size_t count, tact_sphere_hit* hits,
                                               const tact_query_options* options, tact_query_report* report);

/// Says where things belong so that each rank has what is near, and about as much as others: owners[i] receives the
/// rank in whose part of space the lower corner of box i lies. Space is cut along a Morton curve, as for pairs, by the
/// boxes of all ranks and their weights, such as triangles of instances; NULL: 1 each. Weights are below 2^40. Boxes
/// that hold no point belong to rank 0. Ranks that all give the same boxes all get the same owners. Errors:
/// INVALID_ARGUMENT (NULL arrays, too much weight), OUT_OF_MEMORY.
TACT_API tact_result tact_ranks_cut_space(tact_ranks* ranks, const tact_aabb* boxes, const uint64_t* weights,
                                          size_t count, uint32_t* owners);

/// Gives rank 0 the bytes of all ranks, one after another in order of rank: a part of each, such as of a list of pairs,
/// or of hits. `all` has room for `room` bytes on rank 0 and is not used on others; it may begin with rank 0's own
/// bytes. *size, unless `size` is NULL, is how many there are, on all ranks. Errors: INVALID_ARGUMENT (too little
/// room), OUT_OF_MEMORY.
TACT_API tact_result tact_ranks_collect(tact_ranks* ranks, const void* bytes, uint64_t count, void* all, uint64_t room,
                                        uint64_t* size);
