// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file bodies.h
/// Persistent sets of bodies, which are shapes with a pose, and their contacts: pairs of bodies to manifolds.
///
/// A body's position is of double precision; contacts are worked out relative to it in single precision. So they are as
/// good 10,000 km from the origin as they are there.
///
/// Ids of bodies are small integers from 0. An id that was removed is used again, the smallest first.

#include "tact/pairs.h"
#include "tact/pose.h"

/// The kind of a shape.
typedef enum tact_body_kind {
    TACT_BODY_SPHERE = 0,        ///< points within `radius` of the position
    TACT_BODY_CAPSULE = 1,       ///< points within `radius` of the segment from -half.y to half.y on the y axis
    TACT_BODY_BOX = 2,           ///< half lengths `half`; with a radius, all points within that of it
    TACT_BODY_HULL = 3,          ///< the convex hull of `points`; with a radius, all points within that of it
    TACT_BODY_HALF_SPACE = 4,    ///< y <= 0
    TACT_BODY_CYLINDER = 5,      ///< a prism of TACT_ROUND_SIDES sides, its corners `radius` from the y axis
    TACT_BODY_CONE = 6,          ///< a pyramid over such a polygon at y = -half.y, its tip at half.y
    TACT_BODY_COMPOUND = 7,      ///< `parts`, each of which touches by itself
    TACT_BODY_MESH = 8,          ///< `triangles` over `points`; a surface, with nothing inside
    TACT_BODY_HEIGHT_FIELD = 9,  ///< a surface of two triangles between each four `heights`
    TACT_BODY_KIND_COUNT = 10
} tact_body_kind;

/// Corners that a hull has at most.
#define TACT_HULL_MOST_POINTS 256

/// Sides of cylinders and cones: a side's middle lies 0.48 % of the radius inside the circle.
#define TACT_ROUND_SIDES 32

/// A part of a compound.
typedef struct tact_body_part {
    uint32_t shape;      ///< a shape of the set without parts that is no half-space
    float scale;         ///< > 0; 0 stands for 1
    tact_vec3 position;  ///< within 2^40
    tact_quat rotation;  ///< as that of a pose
} tact_body_part;

/// A shape, which any number of bodies may have.
typedef struct tact_body_shape {
    tact_body_kind kind;          ///< which of the following it has
    float radius;                 ///< >= 0; of a mesh or height field, all points within that of it
    tact_vec3 half;               ///< half lengths, >= 0; of a height field x between columns and z between rows
    const tact_vec3* points;      ///< of a hull, whose inner ones are left out, or of a mesh
    size_t point_count;           ///< of `points`
    const uint32_t* triangles;    ///< of a mesh: three points each, to the left seen from the front
    size_t triangle_count;        ///< of `triangles`; a triangle's part is its number
    const float* heights;         ///< of a height field, row by row: y at x = column half.x, z = row half.z
    uint32_t columns, rows;       ///< of `heights`, at least 2; cell c has the parts 2 c and 2 c + 1
    const tact_body_part* parts;  ///< of a compound
    size_t part_count;            ///< of `parts`
    bool one_sided;               ///< a mesh or height field touches what is in front of it, or above it, alone
    uint64_t reserved[4];         ///< zeros: room for fields to come
} tact_body_shape;

/// A body.
typedef struct tact_body {
    tact_pose pose;              ///< where it is
    uint32_t shape;              ///< by the number that tact_bodies_add_shape() gave
    float margin;                ///< >= 0: contacts are found up to the sum of both margins apart
    tact_categories categories;  ///< both zero: TACT_CATEGORIES_ALL
    uint64_t user_data;          ///< the caller's
    uint64_t reserved[4];        ///< zeros: room for fields to come
} tact_body;

/// A set of shapes and bodies.
typedef struct tact_bodies tact_bodies;

/// Creates an empty set. Errors: INVALID_ARGUMENT, OUT_OF_MEMORY.
TACT_API tact_result tact_bodies_create(tact_context* context, tact_bodies** set);

/// Destroys a set and what it holds on devices. NULL is allowed.
TACT_API void tact_bodies_destroy(tact_bodies* set);

/// Adds a shape, which is copied. *shape becomes its number, from 0. A hull is made by tact_hull_mesh_3d(); one that is
/// flat, a segment or a point is allowed. Triangles without an area touch nothing, and two bodies of triangles do not
/// touch each other. Edges between two triangles that share corners, by number or by place, do not catch what slides
/// over them. Errors: INVALID_ARGUMENT (a number that is negative, a NaN or beyond 2^40; no points, triangles, heights
/// or parts; a corner that is not there; a part whose shape is not there or has parts), LIMIT (a hull of more than
/// TACT_HULL_MOST_POINTS corners, which the detail counts; more than 2^26 triangles or parts), OUT_OF_MEMORY.
TACT_API tact_result tact_bodies_add_shape(tact_bodies* set, const tact_body_shape* shape, uint32_t* number);

/// Adds `count` bodies, which are copied. Their ids are written to `ids` unless that is NULL. Errors: INVALID_ARGUMENT
/// (a shape that is not there, a pose with a NaN or outside its ranges; the detail says which body), LIMIT,
/// OUT_OF_MEMORY; the set is then as before.
TACT_API tact_result tact_bodies_add(tact_bodies* set, const tact_body* bodies, size_t count, uint32_t* ids);

/// Removes bodies. Errors: INVALID_ARGUMENT (an id that is not in the set, or twice in the list; nothing is removed),
/// OUT_OF_MEMORY.
TACT_API tact_result tact_bodies_remove(tact_bodies* set, const uint32_t* ids, size_t count);

/// Gives bodies a new pose. `ids` NULL stands for 0 to count - 1. Errors: INVALID_ARGUMENT (an id that is not in the
/// set, a pose as above; nothing is moved then).
TACT_API tact_result tact_bodies_move(tact_bodies* set, const uint32_t* ids, const tact_pose* poses, size_t count);

/// Returns the number of bodies in the set.
TACT_API size_t tact_bodies_count(const tact_bodies* set);

/// Gets a body as it was given; its pose as last moved. Errors: INVALID_ARGUMENT (not in the set).
TACT_API tact_result tact_bodies_get(const tact_bodies* set, uint32_t id, tact_body* body);

/// Points of a contact at most.
enum { TACT_CONTACT_MOST_POINTS = 4 };

/// A point of a contact.
typedef struct tact_contact_point {
    tact_vec3 at;      ///< midway between the surfaces, from the position of body `origin`, along the world's axes
    float separation;  ///< of the surfaces along the normal; negative where they overlap
    uint32_t feature;  ///< what touches there: the same from frame to frame while the same features do
} tact_contact_point;

/// Two bodies that touch, or are within their margins.
typedef struct tact_contact {
    uint32_t a, b;                                       ///< ids, a < b
    uint32_t part_a, part_b;                             ///< parts of their shapes; 0 of a shape that has no parts
    uint32_t origin;                                     ///< a, or b where a is a half-space, mesh or height field
    tact_vec3 normal;                                    ///< of unit length, from a to b, along the world's axes
    uint32_t count;                                      ///< of points, 1 to 4
    tact_contact_point point[TACT_CONTACT_MOST_POINTS];  ///< ascending by feature; the rest zeros
} tact_contact;

/// What contacts are asked for, and where they go.
typedef struct tact_contacts_work {
    const tact_pair* pairs;  ///< the pairs of bodies to look at, a < b, sorted; NULL: all of the set that may touch
    size_t pair_count;       ///< of `pairs`
    tact_contact* contacts;  ///< receives at most `capacity`; NULL: tact_contacts_last() has them
    size_t capacity;         ///< of `contacts`
    size_t* count;           ///< receives how many there are, whatever room there is
    uint64_t reserved[4];    ///< zeros: room for fields to come
} tact_contacts_work;

/// Finds the contacts of the pairs given, or of all bodies whose categories allow it, sorted by a, b, part_a and
/// part_b. What a contact is docs/results.md says; it is the same bytes on every backend and for every number of
/// threads. When there are more than `capacity` the call returns TACT_INCOMPLETE and nothing is lost: all are in
/// tact_contacts_last(). Errors: INVALID_ARGUMENT (a pair of bodies that are not in the set, or out of order), LIMIT,
/// NO_DEVICE, SHADOW_MISMATCH, CANCELLED, OUT_OF_MEMORY. `options` and `report` may be NULL.
TACT_API tact_result tact_contacts_find(tact_bodies* set, const tact_contacts_work* work,
                                        const tact_query_options* options, tact_query_report* report);

/// Returns all contacts of the last tact_contacts_find(): *count of them, valid until the set is next used. NULL and 0
/// when there was none.
TACT_API const tact_contact* tact_contacts_last(const tact_bodies* set, size_t* count);

/// Stands for the row of a contact, or the number of a point, that the find before did not have.
#define TACT_CONTACT_BEGUN 0xffffffffu

/// Bytes of the caller's that a point keeps at most.
#define TACT_CONTACT_MOST_BYTES 256

/// Leads from a contact to the same one in the find before. TACT_CONTACT_BEGUN: there is none.
typedef struct tact_contact_link {
    uint32_t row;                              ///< of the contact there with the same bodies and parts
    uint32_t point[TACT_CONTACT_MOST_POINTS];  ///< of that contact, 0 to 3, the same point
} tact_contact_link;

/// What has changed from one tact_contacts_find() to the next.
typedef struct tact_contact_changes {
    const tact_contact* contacts;   ///< of the last find, as tact_contacts_last() has them
    const tact_contact_link* from;  ///< where each of them comes from
    void* data;                     ///< the caller's bytes: point k of row i has the (4 i + k)th piece of point_bytes
    size_t count;                   ///< of contacts, and of `from`
    size_t begun;                   ///< how many contacts the find before did not have
    const tact_contact* before;     ///< contacts of the find before
    const void* data_before;        ///< the bytes of their points, as the caller left them
    size_t before_count;            ///< of `before`
    const uint32_t* ended;          ///< ascending rows of `before` that the last find does not have
    size_t ended_count;             ///< of `ended`
    size_t point_bytes;             ///< of each point in `data`
    uint64_t reserved[4];           ///< zeros: room for fields to come
} tact_contact_changes;

/// Compares each tact_contacts_find() from now on with the one before it, or with `on` false none any more. Each point
/// of a contact has `point_bytes` of the caller's, such as the impulses of a solver: zeros at first, then what the
/// caller wrote to tact_contact_changes.data, from find to find, as long as the same features of the same bodies touch,
/// or others at the same place: of points whose features are new, the first takes the nearest one before that no other
/// has, less than a sixteenth of the largest distance between the points then away. The first find after this call
/// finds all contacts begun. Errors: INVALID_ARGUMENT (more than TACT_CONTACT_MOST_BYTES).
TACT_API tact_result tact_contacts_follow(tact_bodies* set, bool on, size_t point_bytes);

/// Gets what has changed from the find before to the last, valid until the set is next used. Contacts are the same
/// where bodies and parts are, and a body that has the id of one that was removed is another. Finds that failed do not
/// count; those of the caller's pairs do, and contacts of pairs that these leave out have ended. All zeros when the
/// last find failed or there was none. Errors: INVALID_ARGUMENT (the set's contacts are not followed).
TACT_API tact_result tact_contacts_changes(tact_bodies* set, tact_contact_changes* changes);
