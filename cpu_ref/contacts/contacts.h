// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Contacts of pairs of bodies on the CPU, and the tables of shapes that the CPU and the devices read. The arithmetic
/// is kernels/contact.h; it defines the answer, for every device.

#include "base/env.h"
#include "base/lane_levels.h"
#include "cpu_ref/bvh.h"
#include "kernels/body_distance.h"
#include "kernels/contact.h"
#include "tact/bodies.h"

/// Shapes as kernels/contact_layout.h has them. Rows of hulls refer to each other from the shape's own first on.
/// Of boxes and hulls the first point, face and edge are multiples of this.
enum { TACT_CONTACT_LANE_BLOCK = 16 };

/// Rows of edges in lanes: of each where it begins, its vector, the normals of its faces, three each, and their
/// offsets, which are -INFINITY where tact_edge_is_open(); the rest is not written.
enum { TACT_CONTACT_EDGE_LANES = 17 };

/// Places for each edge of a core in its list: it stands there twice, by the faces beside it, once more if it is open,
/// and the last of all places has the number of those.
enum { TACT_CONTACT_EDGE_LISTS = 4 };

/// What a shape lies in, and of one with parts a tree over their boxes.
typedef struct tact_shape_bounds {
    double lower[3], upper[3];
    double radius;        ///< around that; of shapes with parts it is in their boxes
    tact_bvh tree;        ///< no nodes: the shape has no parts
    tact_bvh_box* boxes;  ///< of each part
    uint32_t part_count;
} tact_shape_bounds;

typedef struct tact_shape_tables {
    uint4* shapes;
    float4* points;
    uint4* faces;
    uint32_t* corners;
    uint4* edges;
    size_t shape_count, point_count, face_count, corner_count, edge_count;
    size_t shape_capacity, point_capacity, face_capacity, corner_capacity, edge_capacity;
    float* point_lanes;  ///< x, y and z of each TACT_CONTACT_LANE_BLOCK points
    float* face_lanes;   ///< x, y, z and offset of each TACT_CONTACT_LANE_BLOCK faces
    float* edge_lanes;   ///< TACT_CONTACT_EDGE_LANES rows of each TACT_CONTACT_LANE_BLOCK edges
    /// Of each face the first of its edges in its core's list, and the one after the last; the lists.
    uint16_t *face_edges, *edge_lists;
    size_t point_lane_capacity, face_lane_capacity, edge_lane_capacity, face_edge_capacity, edge_list_capacity;
    tact_shape_bounds* bounds;  ///< of each shape
    size_t bound_capacity;
    bool with_parts;   ///< a shape has
    uint64_t version;  ///< changes with each shape
} tact_shape_tables;

static inline TactShapes tact_shapes_of(const tact_shape_tables* t)
{
    return (TactShapes){t->shapes,      t->points,     t->faces,      t->corners,    t->edges,
                        t->point_lanes, t->face_lanes, t->edge_lanes, t->face_edges, t->edge_lists};
}

/// Adds a shape whose numbers are checked. Errors: LIMIT, OUT_OF_MEMORY; nothing is added then.
tact_result tact_shape_tables_add(tact_env* env, tact_shape_tables* tables, const tact_body_shape* shape);
void tact_shape_tables_release(tact_env* env, tact_shape_tables* tables);

/// Places are at most so far from the origin along each axis.
#define TACT_MOST_PLACE 0x1p40

/// The axes of a rotation, of any length but 0, by rows.
void tact_quat_axes(const tact_quat* rotation, double axes[3][3]);

/// A box that holds what is within `radius` of `lower` to `upper`, scaled, turned and moved, and what contacts may be
/// rounded by.
void tact_box_moved(const double lower[3], const double upper[3], double axes[3][3], const double at[3], double scale,
                    double radius, double low[3], double high[3]);

/// A body's rows, of a pose that is checked and whose rotation has unit length.
void tact_body_rows(const tact_pose* pose, uint32_t shape, float margin, float4 rows[TACT_POSED_ROWS]);

/// A box that holds all that a contact of the body can be found by, its margin included.
tact_aabb tact_body_box(const tact_shape_tables* tables, const float4 rows[TACT_POSED_ROWS], const tact_pose* pose);

typedef struct tact_contacts_job {
    const tact_shape_tables* tables;
    const float4* bodies;  ///< rows of each, by id
    const tact_pair* pairs;
    const tact_pair* parts;  ///< of each pair's bodies; NULL: none has any
    size_t count;            ///< of pairs
    tact_contact* contacts;  ///< has room for one of each pair, and receives those that have points, in order
    int threads;
    tact_progress_fn* progress;  ///< NULL, or asked between pieces of long work; false: CANCELLED
    void* progress_user;
} tact_contacts_job;

/// Works out every pair, in lanes where the machine has some; or one number at a time, as `reference`, with the same
/// answers. `*found` receives how many contacts there are. Errors: CANCELLED, OUT_OF_MEMORY.
tact_result tact_contacts_run(tact_env* env, const tact_contacts_job* job, bool reference, size_t* found);

/// What is compiled for each level of lanes.
typedef struct tact_contact_lanes {
    const char* name;
    /// Works out the pairs from `begin` to before `end`; contacts receives one of each, with or without points.
    void (*run)(const tact_contacts_job* job, const TactShapes* shapes, size_t begin, size_t end);
    /// Works out a pair by itself, which is less than a few together.
    void (*one)(const tact_contacts_job* job, const TactShapes* shapes, size_t number);
    /// tact_body_gap() of two bodies by their rows, and their parts.
    TactGap (*gap)(const TactShapes* shapes, const float4* bodies, tact_pair pair, tact_pair parts, float most);
} tact_contact_lanes;

#if defined(TACT_LANES_AVX)
extern const tact_contact_lanes tact_contact_lanes_portable, tact_contact_lanes_sse2, tact_contact_lanes_avx2,
    tact_contact_lanes_avx512;
#elif defined(TACT_LANES_SSE2)
extern const tact_contact_lanes tact_contact_lanes_portable, tact_contact_lanes_sse2;
#else
extern const tact_contact_lanes tact_contact_lanes_portable;
#endif

/// The best table here.
const tact_contact_lanes* tact_contact_lanes_best(void);

/// The parts of a job's pair.
static inline tact_pair tact_contacts_parts(const tact_contacts_job* job, size_t i)
{
    return job->parts ? job->parts[i] : (tact_pair){0, 0};
}

/// Pairs with a row for each two parts that may touch, ascending by all four.
typedef struct tact_contact_items {
    tact_pair *pairs, *parts;
    size_t count, capacity, part_capacity;
} tact_contact_items;

/// Where each of `count` lists begins in one after the other, in place of how long it is, and the end. Returns that.
size_t tact_begins_of(size_t* counts, size_t count);

/// Finds the parts of pairs of bodies that may touch; or with `all` all parts, as the reference has them. Errors:
/// LIMIT, OUT_OF_MEMORY.
tact_result tact_contact_items_find(tact_env* env, int threads, const tact_shape_tables* tables,
                                    const tact_body* bodies, const tact_pair* pairs, size_t count, bool all,
                                    tact_contact_items* items);
void tact_contact_items_release(tact_env* env, tact_contact_items* items);

/// A manifold as a contact.
tact_contact tact_contact_of(tact_pair pair, tact_pair parts, const TactManifold* m);
