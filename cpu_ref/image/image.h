// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Tests in image space (tact/image_space.h): what may be drawn, how a pair of objects is looked at, and what is then
/// seen, which is defined to the bit.
///
/// Vertices are moved by the rows of tact_image_fit in single precision, ((x + y) + z) + w, x and y then times 2^bits
/// and rounded to whole numbers, halves up; depth stays a float. Pixel i's centre is at (2 i + 1 - resolution)
/// 2^(bits - 1). A triangle covers a centre moved by (-e e, e), e next to nothing. Its depth there is interpolated from
/// the edges' cross products and kept within that of the corners. Whatever the triangles, a centre moved so lies on no
/// edge, so that a closed surface is crossed an even number of times.
///
/// *Depths* (convex objects): of each pixel the least and the greatest depth of an object's faces. Counted are pixels
/// in which B's greatest is behind A's least, and the other way round, all within the view.
///
/// Theorem: let s be how far a point of a drawn surface may be from the object's own, g both objects' s. (1) Objects of
/// which both are counted are no farther apart than g: with the drawn points a, a' of A and b, b' of B, a in front of
/// b and b' in front of a', a point of the segment a a' is one of b b', and, as they are convex, no farther from either
/// object than s. (2) If both hold a ball around a point p over a pixel's centre, wider than s, then the drawn surfaces
/// enclose p as the objects do, so that either has a face before p and one behind: both are counted.
///
/// *Solid* (closed objects of any shape): depth is in cells, and a face turns over all cells whose centre is behind it,
/// floor(depth + 1/2) being the first, and the last bit always. After all triangles a cell is set if the ray to its
/// centre crosses the surface an odd number of times, and the last bit if the ray through everything does: a leak.
///
/// *Edges*: an edge sets those cells of a pixel whose squares it meets, sides included, from ceil(near - w) - 1 to
/// floor(far + w), the depths at which it enters and leaves the square, w being 2^-20 of both ends' depths.
///
/// *Found*: cells of A's inside that hold an edge of B or are inside B too, and the other way round; leaking pixels of
/// either inside are as if it were empty there.
///
/// Theorem: with g, half of a cell's diagonal and what vertices and depths are moved by (tact_image_fit_cells),
/// (1) where a cell of an edge of B is inside A, the objects are no farther apart than g: a point of the edge is in the
/// cell, whose centre is in A, up to what is moved; where a cell is inside both, its centre is. (2) A point p of an
/// edge of B deeper in A than g is found: it is in the view, which is wide enough, so the edge sets the cell in which p
/// is; p's and the centre's distance is at most g, and as the surface does not come that near, the centre is inside as
/// p is. Likewise with A and B swapped. (3) A point deeper than g in both is found, for the same reason. Objects that
/// overlap with neither, such as two thin plates that cross, may be missed.

#include "base/env.h"
#include "tact/image_space.h"

// ---- What may be drawn ----

/// INVALID_ARGUMENT, with the reason, for arrays on the host of a surface that is open or has edges of more than two
/// triangles, unless the body says that it is closed. The arrays are as long as they must be. Of arrays on the device
/// nothing is known. `once`: each edge is a side of two triangles that run along it in opposite directions.
tact_result tact_image_check_closed(tact_env* env, const tact_image_body* body, const char* name, bool* once);

/// INVALID_ARGUMENT for arrays on the host of an object whose area or volume is not that of its hull, up to a millionth
/// and rounding of the vertices, unless the body says that it is convex. Nothing is known of arrays on the device or of
/// flat objects. Bad indices and vertices are left to tact_image_check_arrays(). Takes the time of a convex hull.
tact_result tact_image_check_convex(tact_env* env, const tact_image_body* body, const char* name);

/// INVALID_ARGUMENT, with the reason, for vertices that are not finite or too large and for indices past the vertices,
/// of arrays on the host, and for bounds that cannot be.
tact_result tact_image_check_arrays(tact_env* env, const tact_image_body* body, const char* name);

/// These failures, for those who find them on a device.
tact_result tact_image_bad_vertices(tact_env* env, const char* name);
tact_result tact_image_bad_index(tact_env* env, const char* name, uint32_t index, size_t count);

/// The bounds of a body whose arrays are on the host and checked, or that are given with it. lower > upper: it has no
/// triangles.
tact_image_bounds tact_image_measure(const tact_image_body* body);

/// Whether its arrays are on the host.
static inline bool tact_image_on_host(const tact_image_body* body)
{
    return !body->mesh.device_positions && !body->mesh.device_indices;
}

/// Bytes from one vertex to the next.
static inline size_t tact_image_stride(const tact_image_body* body)
{
    return body->mesh.position_stride ? body->mesh.position_stride : 12;
}

/// Pixels along an image's side, at least and at most.
enum { TACT_IMAGE_RESOLUTION_MIN = 4, TACT_IMAGE_RESOLUTION_MAX = 1024 };

// ---- How a pair is looked at ----

typedef struct tact_image_fit {
    bool meets;  ///< false: the boxes do not, and the rest is not set
    tact_image_view view;
    double rows[2][3][4];  ///< of A and of B: to pixels from the image's middle, and to depth
    double near_depth;     ///< position of the near side along the third axis
    double gap, depth;     ///< as tact_image_result has them
    uint32_t bits;         ///< of the grid that vertices are put on, 1 to 8: no coordinate is beyond 2^28 of its steps
} tact_image_fit;

/// For depths from 0 to 1. A NULL pose is the identity. All numbers are finite and within TACT_MAX_COORDINATE.
tact_image_fit tact_image_fit_depths(const tact_image_bounds* a, const float* pose_a, const tact_image_bounds* b,
                                     const float* pose_b, uint32_t resolution);

/// For cells, `slots` of them along the view, from the near side. The view is wider than what is in both boxes, by half
/// a cell and by more than vertices are moved. `gap` and `depth` are the same.
tact_image_fit tact_image_fit_cells(const tact_image_bounds* a, const float* pose_a, const tact_image_bounds* b,
                                    const float* pose_b, uint32_t resolution, uint32_t slots);

/// A number of a row in single precision.
float tact_image_in_single(double x);

// ---- Tests ----

/// A call. All of it has been checked.
typedef struct tact_image_job {
    const tact_image_body* bodies[2];  ///< on the host, but for a device's engine
    tact_image_bounds bounds[2];       ///< of each
    bool concave;
    bool once[2];                     ///< each edge is known to be a side of triangles in both directions
    tact_image_options options;       ///< without defaults
    const tact_image_layers* layers;  ///< of convex objects: where what the only test saw goes, or NULL
    const tact_image_cells* cells;    ///< likewise of concave ones
    tact_image_result* results;
    size_t count;
    int threads;
    tact_progress_fn* progress;
    void* progress_user;
} tact_image_job;

/// How a test looks at its objects, and its result as far as that tells.
tact_image_fit tact_image_look(const tact_image_job* job, size_t test);

/// What is found in the images of a test, in FOUND words. Depths: pixels with B's back behind A's front, with A's back
/// behind B's front, with both; of the last least x and y, greatest x and y (from 1 on, 0 for none), least and greatest
/// depth in ordered form (kernels/ordered.h); how far B's back is behind A's front at most, and A's behind B's, in
/// ordered form. Cells: pixels with edges of B inside A, with edges of A inside B, with any of it; of the last least x
/// and y, greatest x and y (from 1 on), first cell and last cell (from 1 on); pixels where A leaks, where B leaks, with
/// cells inside both.
enum { TACT_IMAGE_FOUND = 12 };

/// Fills in the result. Leaves out what the method does not tell.
void tact_image_take(const tact_image_job* job, const tact_image_fit* fit, const uint32_t* found, size_t test);

/// Sets what a picture shows where nothing was drawn.
void tact_image_clear_picture(const tact_image_job* job);

/// Each triangle at each pixel. Errors: OUT_OF_MEMORY, CANCELLED.
tact_result tact_image_reference(tact_env* env, const tact_image_job* job);

/// The same. Errors: OUT_OF_MEMORY, CANCELLED.
tact_result tact_image_cpu(tact_env* env, const tact_image_job* job);

/// The body's pose in a test; NULL is the identity.
static inline const float* tact_image_pose(const tact_image_body* body, size_t test)
{
    if (body->pose_count == 0) return NULL;
    return body->poses[body->pose_count == 1 ? 0 : test];
}
