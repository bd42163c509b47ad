// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a set of bodies.

#include "core/context/context.h"
#include "core/context/guard.h"
#include "core/context/residents.h"
#include "core/pairs/pairs.h"
#include "core/query/ask.h"
#include "core/query/request.h"
#include "cpu_ref/contacts/casts.h"
#include "cpu_ref/contacts/distances.h"
#include "tact/body_grains.h"

/// What contacts have become from find to find; see core/bodies/changes.c.
typedef struct tact_contact_history {
    bool followed;
    bool framed;         ///< a find has been followed
    uint64_t clock;      ///< of the boxes, at the last find that succeeded
    size_t point_bytes;  ///< of the caller's, each point

    tact_contact* before;
    size_t before_count, before_capacity;
    tact_contact_link* links;
    size_t link_capacity;
    uint32_t* ended;
    size_t ended_count, ended_capacity, begun;
    unsigned char *data, *data_before;
    size_t data_capacity, data_before_capacity;
} tact_contact_history;

/// Rows of a query of distances, of the last find.
typedef struct tact_gap_rows {
    void* rows;
    size_t count, capacity;
    bool answered;
} tact_gap_rows;

struct tact_bodies {
    tact_context* context;
    tact_guard guard;  ///< its own lock is held over each query, whose contacts the set keeps

    tact_shape_tables tables;
    float* shapes;    ///< as they were given, TACT_GIVEN_SHAPE numbers each
    uint32_t* words;  ///< of their points, triangles, heights and parts
    size_t shape_count, shape_capacity, word_count, word_capacity;

    tact_volumes* boxes;  ///< what each body may touch within; has the same ids
    tact_body* bodies;    ///< by id
    float4* rows;         ///< TACT_POSED_ROWS of each, by id
    size_t body_capacity, row_capacity;

    tact_contact_items items;  ///< of the last query, where shapes have parts
    tact_contact* contacts;    ///< of the last query
    size_t contact_count, contact_capacity;
    bool answered;
    tact_contact_history history;

    tact_body_cast* casts;  ///< of the last query, as they are kept
    size_t cast_capacity;
    tact_body_tree tree;  ///< over `boxes`
    tact_cast_items cast_items;
    tact_cast_hits cast_hits;  ///< of the last query
    bool cast_answered;

    tact_gap_items gap_items;  ///< of distances, where a device works them out
    tact_gap_best* gap_best;   ///< of each ask
    size_t gap_best_capacity;
    tact_gap_rows distances;
    tact_body_nearest_item* near_items;  ///< of the last query, as they are kept
    tact_gap_asked* near_asked;
    size_t near_item_capacity, near_asked_capacity;
    tact_gap_rows nearest;

    tact_resident kept[TACT_MAX_DEVICES];
    tact_body_grains* grains;  ///< that move its bodies; NULL: none
};

/// A shape as it is recorded: kind, radius, half lengths; first word of its points, points; first word of its
/// triangles, heights or parts, and how many triangles, columns or parts; rows; whether it has one side. A part: shape,
/// scale, position, rotation.
enum { TACT_GIVEN_SHAPE = 11, TACT_GIVEN_PART = 9 };

/// Whether 0 <= x <= TACT_MOST_PLACE.
bool tact_is_length(float x);

/// Brings a rotation or a scale to the form in which it is kept. False: it is none.
bool tact_take_rotation(tact_quat* q, double* length);
bool tact_take_scale(float* scale);

/// Whether a shape can be asked about without a body: it is no half-space and, unless `parts` is set, has no parts.
/// `what` and `number` are for the detail of INVALID_ARGUMENT.
tact_result tact_check_asked_shape(const tact_bodies* set, uint32_t shape, bool parts, const char* what, size_t number);

/// Brings a pose to the form in which it is kept. `what` and `number` are for the detail of INVALID_ARGUMENT.
tact_result tact_take_pose(const tact_bodies* set, tact_pose* pose, const char* what, size_t number);
/// Makes the tree over the boxes again where they have changed. Errors: OUT_OF_MEMORY.
tact_result tact_bodies_make_tree(tact_bodies* set, int threads);

/// Both zero stand for all.
void tact_take_categories(tact_categories* categories);

/// The first three inputs of each query on a set, and what is given for them.
#define TACT_BODIES_INPUTS                                                            \
    {TACT_CHUNK_ARRAY, false, "shapes", TACT_GIVEN_SHAPE, TACT_RECORDED_MIXED},       \
        {TACT_CHUNK_ARRAY, true, "numbers", 1, TACT_RECORDED_MIXED},                  \
    {                                                                                 \
        TACT_CHUNK_ARRAY, false, "bodies", sizeof(tact_body) / 4, TACT_RECORDED_MIXED \
    }
#define TACT_BODIES_GIVEN(set)                                              \
    {(set)->shapes, (set)->shape_count}, {(set)->words, (set)->word_count}, \
    {                                                                       \
        (set)->bodies, tact_volumes_id_end((set)->boxes)                    \
    }

/// Makes a set of what was given for the first three inputs, which are good as tact_bodies_check_request() says.
tact_result tact_bodies_make_given(tact_context* context, const tact_given given[3], tact_bodies** set);
/// The set that a request is about, which is made the first time.
tact_result tact_bodies_of_request(tact_request* request, tact_bodies** set);
/// A row's check().
const char* tact_bodies_check_request(const tact_request* request);

/// Checks pairs that a query on the set is given. Errors: INVALID_ARGUMENT.
tact_result tact_bodies_check_pairs(const tact_bodies* set, const tact_pair* pairs, size_t count);
/// About how many pairs of the set may touch: as many as the last time, or as in a heap.
size_t tact_bodies_expected_pairs(const tact_bodies* set);
/// Finds the pairs of the set whose boxes overlap, by the report's backend: q->info.pairs of them in the boxes' pairs,
/// valid until the set is next used, or with `stay` on the device in q->there. Errors: those of the query, LIMIT.
tact_result tact_bodies_find_pairs(const tact_bodies* set, bool stay, tact_pairs_arguments* q, uint32_t device,
                                   const tact_query_options* options, tact_query_report* report);

/// The end of a row's ask(): keeps r->count rows of a list that the set has.
tact_result tact_bodies_list(tact_request* request, tact_result result, const void* rows, size_t row_bytes);

/// Makes up shapes of every kind but half-spaces and height fields, as the first two inputs. False: out of memory.
struct tact_sample;
bool tact_bodies_sample_shapes(struct tact_sample* sample);
enum { TACT_SAMPLE_SHAPES = 9 };

/// Makes up a rotation, or a pose within a cube of that half edge, far from the origin, turned.
void tact_bodies_sample_turn(struct tact_sample* sample, tact_quat* rotation);
void tact_bodies_sample_pose(struct tact_sample* sample, float half, tact_pose* pose);

/// Makes up pairs of bodies with such shapes, up to about half of `apart` from each other along each axis, as all four
/// inputs.
tact_result tact_bodies_sample_pairs(struct tact_sample* sample, double apart);

/// The shape of a record's row. NULL, or what is wrong with it.
const char* tact_given_shape(const float* row, const tact_given* words, tact_body_shape* shape);

/// Finds contacts as tact_contacts_find() does, of arguments that are checked, while the set's guard is held.
tact_result tact_bodies_find_contacts(tact_bodies* set, const tact_contacts_work* work,
                                      const tact_query_options* options, tact_query_report* report);

/// Keeps the contacts of the last find as those of the one before, ahead of a find that overwrites them.
void tact_contact_history_begin(tact_bodies* set);
/// Compares what a find has found with the find before, and adds to its report. Errors: OUT_OF_MEMORY.
tact_result tact_contact_history_end(tact_bodies* set, const tact_query_options* options, tact_query_report* report);
/// Takes back what tact_contact_history_begin() did, for a find that is not to count: the contacts of the one before
/// are the last again.
void tact_contact_history_back(tact_bodies* set);
void tact_contact_history_release(tact_env* env, tact_contact_history* history);
