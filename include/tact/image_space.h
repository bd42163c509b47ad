// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file image_space.h
/// Image-space tests: whether two objects overlap in rendered images of them. tact_image_convex() is for convex
/// objects, tact_image_concave() for closed surfaces of any shape.
///
/// They need no preprocessing and work on vertices that change every frame in a device buffer. They are approximate to
/// the size of a pixel, in either direction, and every result has the bound: its tolerance. What is drawn is defined to
/// the bit, and the same on OpenGL, OpenCL and the CPU. TACT_IMAGE_STENCIL alone has neither bound nor definition.
/// Exact tests are in mesh_overlap.h and geometry/convex.h.

#include "tact/context.h"
#include "tact/device_array.h"
#include "tact/geometry/types.h"
#include "tact/scene.h"
#include "tact/triangle_mesh.h"

/// Keeps targets, shaders and buffers from one call to the next.
typedef struct tact_image_tester tact_image_tester;

/// Creates a tester. Errors: OUT_OF_MEMORY.
TACT_API tact_result tact_image_tester_create(tact_context* context, tact_image_tester** tester);
/// Destroys the tester, before its context. NULL is allowed.
TACT_API void tact_image_tester_destroy(tact_image_tester* tester);

/// Bounds that the tolerance depends on, in the object's own frame.
typedef struct tact_image_bounds {
    float lower[3], upper[3];  ///< a box around all vertices
    float centre[3];           ///< a point inside of the object
    float inner_radius;        ///< a ball of this radius around it is inside too; 0: not known
    float outer_radius;        ///< and all vertices are within this one; 0: not known
} tact_image_bounds;

/// An object: a closed surface of triangles, in either order of corners. For tact_image_convex() a convex one.
typedef struct tact_image_body {
    tact_mesh_desc mesh;  ///< its arrays on the host or on a device; at most 65,535 bytes from vertex to vertex
    const tact_image_bounds* bounds;  ///< NULL: found in every call, on OpenGL where arrays are there: its centre and
                                      ///< radii are then rounded to single precision, and with them a result's depth
    const float (*poses)[12];         ///< 3 x 4 matrices in row-major order, from the object's frame to the world
    size_t pose_count;                ///< 0: the identity; 1: the same in all tests; else one for each test
    bool closed;                      ///< asserts that the surface is closed: tact_image_concave() skips the check
    bool convex;                      ///< asserts that the object is convex: tact_image_convex() skips the check
} tact_image_body;

/// The data read back from the device.
typedef enum tact_image_method {
    TACT_IMAGE_QUERY = 0,     ///< occlusion queries of OpenGL: only counts are read back; elsewhere the same counts
    TACT_IMAGE_READBACK = 1,  ///< the images are reduced on the device: also where, and how deep
    /// Of concave tests, on OpenGL: parity counted in the stencil buffer. Approximate: see tact_image_concave().
    TACT_IMAGE_STENCIL = 2
} tact_image_method;

/// The part of a device that makes the images. They are the same to the bit.
typedef enum tact_image_making {
    TACT_IMAGE_MADE_EITHER_WAY = 0,  ///< whichever is expected to take less time; to count by queries: the rasteriser
    TACT_IMAGE_DRAWN = 1,            ///< the rasteriser, which OpenGL has
    TACT_IMAGE_COMPUTED = 2          ///< compute kernels, of OpenGL or OpenCL; of concave tests alone
} tact_image_making;

/// All bits zero asks for the defaults.
typedef struct tact_image_options {
    tact_image_method method;  ///< of convex and concave tests: the counts are the same by QUERY and READBACK
    uint32_t resolution;       ///< width and height of a test's image, 4 to 1024; default: 64
    tact_image_making making;  ///< for devices; on the CPU it means nothing. STENCIL is always drawn
    uint64_t reserved[3];      ///< zeros: room for fields to come
} tact_image_options;

/// The volume that a test's image shows: the box around what is in both objects' boxes, seen along the third axis.
/// Concave: half a cell more to each side.
typedef struct tact_image_view {
    float centre[3];       ///< of the box
    float axes[3][3];      ///< of unit length: right, up, away from the viewer
    float half_extent[3];  ///< of the box along the axes
} tact_image_view;

/// The result of one test.
typedef struct tact_image_result {
    bool overlap;  ///< whether they do, within `tolerance`
    bool drawn;    ///< false: the boxes do not meet, which is certain, or an object has no triangles
    float gap;     ///< objects as far apart as this, and no farther, may be reported as overlapping; by STENCIL this,
                   ///< `depth` and `tolerance` are INFINITY
    /// Concave: where the objects are reported as apart, no point of an edge of either is deeper than this below the
    /// surface of the other, and no point at all deeper than this below both surfaces. Convex: objects as deep in each
    /// other as this, and no deeper, may be reported as apart: the depth is the length of the shortest translation that
    /// separates them. Grows with pixels, and with how long and thin the objects are: a needle in a block may be missed
    /// at any depth. A flat object or one whose inner_radius is not known: only the bound of the boxes holds.
    float depth;
    float tolerance;  ///< the larger of both
    /// Pixels, each counted once, the same by QUERY and READBACK. Convex: those where B's back is behind A's front; and
    /// A's behind B's, counted only if there are any of the first. Concave: those in which an edge of B is inside A;
    /// and an edge of A inside B, always counted.
    uint32_t samples[2];
    uint32_t inside;    ///< concave: pixels with cells inside both; 0 by STENCIL
    uint32_t leaks[2];  ///< concave: pixels that A's, and B's, surface crosses an odd number of times: it is not closed
                        ///< there, and what is in these pixels is not counted; 0 by STENCIL
    tact_image_view view;  ///< the view of the test

    // By readback, where they overlap; else zeros.
    uint32_t common;    ///< pixels in which they overlap; concave: in which there are cells that count
    uint32_t box[4];    ///< of these: least x and y, greatest x and y, from the lower left
    float nearest;      ///< least and greatest position of the overlap along axes[2]
    float farthest;     ///< see `nearest`
    float penetration;  ///< how far B must move along axes[2], one way or the other, to come free: an upper bound of
                        ///< the depth within the tolerance; concave: 0
} tact_image_result;

/// The images of a test of convex objects, for inspection: its layers of resolution x resolution depths, row after row
/// from the lowest on, from 0 at the near side of the view to 1 at the far side, or beyond. NaN: nothing is there.
typedef struct tact_image_layers {
    float* front_a;  ///< nearest surface of A; NULL: not wanted
    float* back_a;   ///< farthest surface of A
    float* front_b;  ///< nearest surface of B
    float* back_b;   ///< farthest surface of B
} tact_image_layers;

/// Returns the number of cells along the view of an image of this resolution, of tact_image_concave(): 127, 255 or 511.
/// 0 if there is no such resolution.
TACT_API uint32_t tact_image_slots(uint32_t resolution);

/// The images of a test of concave objects, for inspection: for each pixel, row after row from the lowest on, its cells
/// as bits, (tact_image_slots() + 1) / 32 words with the nearest cell in the lowest bit of the first. The last bit is
/// no cell: it is set in a solid's where the surface leaks. All zero where nothing was drawn.
typedef struct tact_image_cells {
    uint32_t* solid_a;  ///< cells inside A; NULL: not wanted
    uint32_t* solid_b;  ///< cells inside B
    uint32_t* edges_a;  ///< cells that an edge of A passes
    uint32_t* edges_b;  ///< cells that an edge of B passes
} tact_image_cells;

/// The objects to test, and the output.
typedef struct tact_image_work {
    const tact_image_body* a;           ///< one object
    const tact_image_body* b;           ///< the other, which may be the same
    const tact_image_options* options;  ///< NULL: the defaults
    tact_image_result* results;         ///< receives `count` of them
    size_t count;                       ///< tests
    const tact_image_layers* layers;    ///< tact_image_convex(): receives the test's layers, if `count` is 1; or NULL
    const tact_image_cells* cells;      ///< tact_image_concave(): likewise
    uint64_t reserved[4];               ///< zeros: room for fields to come
} tact_image_work;

/// Tests `count` pairs of poses of A and B. Two convex objects are apart exactly when one is in front of the other
/// wherever both are seen (Ericson, Real-Time Collision Detection, 10.2). So A's nearest surface is drawn as depth and
/// the pixels counted in which B has some behind it, and the other way round. The image is fitted to what is in both
/// boxes, in the frame of the world, of A or of B, whichever has the least of it, and is viewed along its shortest
/// side, so that the overlap is seen as large as can be. Poses are packed into one image, several hundred at a time.
///
/// Without `convex` host arrays are checked first, which takes a convex hull of them: an object whose area or volume
/// differs from its hull's by more than a millionth, and more than rounding of the vertices may do, is refused. The
/// tolerance holds for convex objects alone: arrays on a device, flat objects, and what has `convex` set are not
/// checked, and where such an object is not convex neither "apart" nor "overlap" can be relied on.
///
/// OpenGL draws; OpenCL does not (UNSUPPORTED), and the CPU runs the test in its place. Nor are they computed, or drawn
/// into the stencil buffer (INVALID_ARGUMENT).
///
/// Errors: INVALID_ARGUMENT (an object that is not convex, poses or vertices that are not finite, an index past the
/// vertices, a device array that cannot be, a picture of several tests; an adopted OpenGL context that counts samples
/// or records vertices), LIMIT, NO_DEVICE, OUT_OF_MEMORY, CANCELLED, SHADOW_MISMATCH, the device's.
TACT_API tact_result tact_image_convex(tact_image_tester* tester, const tact_image_work* work,
                                       const tact_query_options* options, tact_query_report* report);

/// Tests `count` pairs of poses of two closed objects of any shape. Two such objects overlap exactly when an edge of
/// one is inside the other somewhere, or one of them is inside the other altogether, and then all its edges are. The
/// idea is Ericson's (Real-Time Collision Detection, 10.3), which draws edges as depth and counts the faces in front of
/// them in the stencil buffer. That has one edge and one count a pixel, and no more than an edge's end where it is seen
/// from its end. Here each pixel is a row of cells, a bit each: tact_image_slots() of them from the near to the far
/// side of the view. The edges of B set the bits of all cells through which they run; each face of A turns over all
/// bits behind it, so that those inside A remain (after Eisemann and Decoret, Single-Pass GPU Solid Voxelization for
/// Real-Time Applications, 2008); bits that are set in both are edges of B inside A. Then the same with A and B
/// swapped; and cells inside both count too, which costs nothing more. Nothing is clipped, and the order in which
/// triangles are drawn makes no difference.
///
/// The result is defined in integers (docs/image-space.md has the derivation) and the same on every device. It is that
/// of cells: both `gap` and `depth` are half the diagonal of one, and what vertices are moved by on their way to the
/// grid.
///
/// Without `closed` host arrays are checked first: a surface that is open, or has an edge of more than two triangles,
/// is refused with the reason. Of arrays on the device only leaks in the view can be reported: `leaks`.
///
/// OpenGL and OpenCL compute the images, or OpenGL draws them, whichever is expected to take less time. The shaders, or
/// kernels, are built by the first call. Up to 512 pixels a call takes at most 80 MiB on the device besides the
/// objects, beyond 320 MiB.
///
/// TACT_IMAGE_STENCIL is Ericson's own way, in fixed function, and approximate: the driver's rasteriser decides, so
/// that devices may differ, and nothing bounds what is missed. The edges of B are drawn as depth, of those in a pixel
/// the last one's, and each face of A before it turns over a bit of the stencil; then the same with A and B swapped. A
/// pixel that is found has an edge within about a pixel that is inside, up to the depths' rounding. Missed are edges
/// that others take the pixels of, those that run along the line of sight, and those that pass between pixels' centres.
/// The line of sight is skewed, by 0.17 and 0.11 of the image from the near to the far side, as edges along the view's
/// axis are common. A report says that the result is not exact, and its tolerance is INFINITY. OpenGL alone draws it,
/// 1,024 tests at a time at most: without OpenGL the call fails (NO_DEVICE), and where another backend is selected or
/// images are to be computed, too (UNSUPPORTED); nothing takes its place.
///
/// Errors: as tact_image_convex(); INVALID_ARGUMENT also for a surface that is not closed, and for STENCIL with shadow
/// checking or with a picture; UNSUPPORTED.
TACT_API tact_result tact_image_concave(tact_image_tester* tester, const tact_image_work* work,
                                        const tact_query_options* options, tact_query_report* report);
