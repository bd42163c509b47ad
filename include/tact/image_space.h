// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file image_space.h
/// Tests that draw: whether two convex objects overlap, seen in an image of them.
///
/// They need no preprocessing and work on vertices that change every frame in a buffer of the caller's, on OpenGL
/// alone. They are approximate to the size of a pixel, in either direction, and every result says by how much at most:
/// its tolerance. Exact tests are in mesh_overlap.h and geometry/convex.h.

#include "tact/geometry/types.h"
#include "tact/scene.h"
#include "tact/volume_set.h"

/// Keeps targets, shaders and buffers from one call to the next.
typedef struct tact_image_tester tact_image_tester;

/// Errors: NO_DEVICE (the context has no OpenGL), KERNEL_BUILD, OUT_OF_MEMORY, DEVICE_OUT_OF_MEMORY.
TACT_API tact_result tact_image_tester_create(tact_context* context, tact_image_tester** tester);
/// NULL is allowed. Before the context.
TACT_API void tact_image_tester_destroy(tact_image_tester* tester);

/// What the tolerance depends on, in the object's own frame.
typedef struct tact_image_bounds {
    float lower[3], upper[3];  ///< a box around all vertices
    float centre[3];           ///< a point inside of the object
    float inner_radius;        ///< a ball of this radius around it is inside too; 0: not known
    float outer_radius;        ///< and all vertices are within this one; 0: not known
} tact_image_bounds;

/// A convex object: a closed surface of triangles, in either order of corners. What is not convex is tested like
/// something between it and its hull: "apart" may be relied on within the tolerance, "overlap" not.
typedef struct tact_image_body {
    const float* positions;                     ///< x y z of each vertex
    const tact_device_array* device_positions;  ///< instead: on OpenGL, read anew by every call
    size_t vertex_count;
    size_t position_stride;                   ///< bytes from one vertex to the next, a multiple of 4; 0: 12
    const uint32_t* indices;                  ///< three per triangle
    const tact_device_array* device_indices;  ///< instead; neither: vertices 0 1 2, 3 4 5, ...
    size_t triangle_count;
    const tact_image_bounds* bounds;  ///< NULL: found in every call, on the device where the vertices are there
    const float (*poses)[12];         ///< 3 x 4 matrices in row-major order, from the object's frame to the world
    size_t pose_count;                ///< 0: the identity; 1: the same in all tests; else one for each test
} tact_image_body;

typedef enum tact_image_method {
    TACT_IMAGE_QUERY = 0,    ///< occlusion queries: only counts come back
    TACT_IMAGE_READBACK = 1  ///< the images are reduced on the device: also where, and how deep
} tact_image_method;

/// All bits zero asks for the defaults.
typedef struct tact_image_options {
    tact_image_method method;
    uint32_t resolution;  ///< width and height of a test's image, 4 to 1024; default: 64
} tact_image_options;

/// What a test's image shows: the box around what is in both objects' boxes, seen along the third axis.
typedef struct tact_image_view {
    float centre[3];
    float axes[3][3];      ///< of unit length: right, up, away from the viewer
    float half_extent[3];  ///< of the box along the axes
} tact_image_view;

typedef struct tact_image_result {
    bool overlap;
    bool drawn;  ///< false: the boxes do not meet, which is certain, or an object has no triangles
    float gap;   ///< objects as far apart as this, and no farther, may be reported as overlapping
    /// Objects as deep in each other as this, and no deeper, may be reported as apart: the depth is the length of the
    /// shortest translation that separates them. Grows with pixels, and with how long and thin the objects are: a
    /// needle in a block may be missed at any depth. A flat object or one whose inner_radius is not known: no more is
    /// promised than the boxes tell.
    float depth;
    float tolerance;      ///< the larger of both
    uint32_t samples[2];  ///< pixels where B's back is behind A's front; and A's behind B's, counted only if there are
                          ///< any of the first
    tact_image_view view;

    // By readback, where they overlap; else zeros.
    uint32_t common;  ///< pixels in which they overlap
    uint32_t box[4];  ///< of these: least x and y, greatest x and y, from the lower left
    float nearest;    ///< least and greatest position of the overlap along axes[2]
    float farthest;
    float penetration;  ///< how far B must move along axes[2], one way or the other, to come free: an upper bound of
                        ///< the depth within the tolerance
} tact_image_result;

/// Tests `count` pairs of poses of A and B. Two convex objects are apart exactly when one is in front of the other
/// wherever both are seen (Ericson, Real-Time Collision Detection, 10.2). So A's front faces are drawn as depth and B's
/// back faces behind them counted, and the other way round. The image is fitted to what is in both boxes, in the frame
/// of the world, of A or of B, whichever has the least of it, and is looked at along its shortest side, so that the
/// overlap is seen as large as can be. Poses are packed into one image, several hundred at a time.
///
/// Errors: INVALID_ARGUMENT (poses or vertices that are not finite, an index past the vertices, a device array that
/// cannot be; an adopted OpenGL context that counts samples or records vertices), LIMIT, OUT_OF_MEMORY, the device's.
TACT_API tact_result tact_image_convex(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                                       const tact_image_options* options, tact_image_result* results, size_t count);

/// What a test saw, to look at: its layers of resolution x resolution depths, row after row from the lowest on, from 0
/// at the near side of the view to 1 at the far side, or beyond. NaN: nothing is there.
typedef struct tact_image_layers {
    float* front_a;
    float* back_a;
    float* front_b;
    float* back_b;
} tact_image_layers;

/// Runs one test by readback and keeps its images. The arrays may be NULL. Errors as tact_image_convex().
TACT_API tact_result tact_image_convex_picture(tact_image_tester* tester, const tact_image_body* a,
                                               const tact_image_body* b, uint32_t resolution,
                                               const tact_image_layers* layers, tact_image_result* result);
