// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file mesh_filter.h
/// Overlapping triangles of many objects, found by discarding step by step what cannot overlap.
///
/// No trees are built and nothing is kept of the objects from one run to the next but buffers, so every vertex may have
/// moved. Two meshes that keep their shapes, in many poses, are for mesh_overlap.h.

#include "tact/device_array.h"
#include "tact/mesh_overlap.h"

/// Keeps buffers from one run to the next.
typedef struct tact_filter tact_filter;

/// Creates a filter. Errors: OUT_OF_MEMORY.
TACT_API tact_result tact_filter_create(tact_context* context, tact_filter** filter);
/// Destroys the filter, before its context. NULL is allowed.
TACT_API void tact_filter_destroy(tact_filter* filter);

/// A mesh in its place.
typedef struct tact_filter_object {
    uint32_t shape;  ///< its number, below the shapes' count
    float pose[12];  ///< 3 x 4 in row-major order, from the shape's frame to the world
} tact_filter_object;

/// Two triangles of different objects that overlap.
typedef struct tact_filter_pair {
    uint32_t object_a, object_b;      ///< a < b
    uint32_t triangle_a, triangle_b;  ///< of the objects' shapes
} tact_filter_pair;

/// The steps, each of which discards more.
typedef enum tact_filter_stage {
    TACT_FILTER_SCENE = 0,      ///< everything
    TACT_FILTER_BOXES = 1,      ///< objects whose box, which may be a little too large, meets that of another
    TACT_FILTER_OBJECTS = 2,    ///< objects that share a cell of the image with another; on devices, as the next two
    TACT_FILTER_PARTS = 3,      ///< runs of 32 triangles that do, in the same image
    TACT_FILTER_TRIANGLES = 4,  ///< triangles that do, seen in all frames, until hardly any more can be left out
    TACT_FILTER_EXACT = 5,      ///< triangles that overlap another
    TACT_FILTER_STAGES = 6
} tact_filter_stage;

/// Returns "scene", "boxes", "objects", "parts", "triangles" or "exact"; "?" for anything else. Thread-safe.
TACT_API const char* tact_filter_stage_name(tact_filter_stage stage);

/// The remainder after a stage.
typedef struct tact_filter_count {
    bool ran;                     ///< false: this stage was skipped
    uint64_t objects, triangles;  ///< that are left after it
    uint32_t rounds;              ///< images that were made for this stage; that of OBJECTS serves PARTS too
    double ms;                    ///< time taken
} tact_filter_count;

/// The use of images, on devices. Makes no difference to the result.
typedef enum tact_filter_images {
    TACT_FILTER_IMAGES_AUTO = 0,  ///< where they are expected to save more time than they take
    TACT_FILTER_IMAGES_ALWAYS = 1,
    TACT_FILTER_IMAGES_NEVER = 2
} tact_filter_images;

/// All bits zero asks for the defaults.
typedef struct tact_filter_options {
    tact_filter_images images;  ///< default: AUTO
    /// Triangles mark what is at pixels' centres, as usual, rather than all cells that they touch, and in one image
    /// only; pairs whose pixels are not met by chance are lost. Only on devices; the result is then not defined by the
    /// reference. Not together with TACT_FILTER_IMAGES_NEVER.
    bool fast;
    uint32_t cells_log2;  ///< of an image, before those of more than one object are divided; 12 to 26; 0: by the number
                          ///< of triangles
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_filter_options;

/// The objects to filter, and the output.
typedef struct tact_filter_work {
    const tact_mesh_desc* shapes;        ///< `shape_count` of them
    size_t shape_count;                  ///< of `shapes`
    const tact_filter_object* objects;   ///< `object_count` of them
    size_t object_count;                 ///< of `objects`
    const tact_filter_options* options;  ///< NULL: the defaults
    tact_filter_pair* pairs;             ///< receives at most `capacity` pairs; NULL with capacity 0
    size_t capacity;                     ///< of `pairs`
    size_t* count;                       ///< receives how many there are, whatever room there is
    tact_filter_count* stages;           ///< receives TACT_FILTER_STAGES of them; NULL: not wanted
    uint64_t reserved[4];                ///< zeros: room for fields to come
} tact_filter_work;

/// Finds all pairs of triangles of different objects that have a point in common, sorted by (object_a, object_b,
/// triangle_a, triangle_b), each once. The first ones are written, and when there are more than `capacity` the call
/// returns TACT_INCOMPLETE: call again with room for them.
///
/// The definition: each vertex is moved to the world in single precision by its object's pose, in the order that
/// docs/results.md states; triangles with a vertex that is then not finite or beyond TACT_MAX_COORDINATE overlap
/// nothing; tact_triangle_overlaps_triangle() decides each two triangles of different objects. Every backend gives
/// these bytes, unless options say `fast`.
///
/// Method (after Govindaraju, Redon, Lin and Manocha, CULLIDE, 2003, and Govindaraju, Lin and Manocha, Fast and
/// Reliable Collision Culling, 2004; docs/image-space.md has the differences and the reasons): the pairs of objects
/// whose boxes meet; on devices then images of those objects, each pixel a row of cells, in which all triangles mark
/// all cells that they touch, rounding included, and only what shares a cell with another object is kept; at last every
/// two triangles that are left of two objects whose boxes meet, by their boxes, then exactly.
///
/// Errors: INVALID_ARGUMENT (no such shape, an index past the vertices, a pose that is not finite, a stride, a device
/// array or options that cannot be: the detail says which), LIMIT (2^32 triangles of all objects, vertices of a shape,
/// or pairs of triangles, on devices more than 2^31 pairs; 2^30 objects, or pairs of objects whose boxes meet),
/// NO_DEVICE, CANCELLED, OUT_OF_MEMORY, SHADOW_MISMATCH, the device's. Where images are selected, by
/// TACT_FILTER_IMAGES_ALWAYS or `fast`, a device whose buffers are too small for them gives LIMIT;
/// TACT_FILTER_IMAGES_AUTO goes on without. Shadow checking of a `fast` run checks only that all of its pairs are
/// right. The progress function must leave an adopted OpenGL context alone: its state is put back only at the end.
TACT_API tact_result tact_filter_meshes(tact_filter* filter, const tact_filter_work* work,
                                        const tact_query_options* options, tact_query_report* report);
