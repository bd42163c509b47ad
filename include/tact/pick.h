// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file pick.h
/// Picking: what lies under a pixel, a rectangle or a lasso of a view. This header picks from a tact_scene;
/// pick_target.h picks from what your own renderer draws, with the same results.
///
/// Pixels are counted as cursors are: x to the right and y *down* from the top left pixel of the whole view, pixel
/// (x, y) being the square from there to (x + 1, y + 1).

#include "tact/geometry/frustum.h"
#include "tact/raycast.h"

/// A camera: a projection, and the rectangle of pixels it fills. All of the view or, from tact_pick_window(), a part of
/// it. Near and far planes bound what is picked; either may be at infinity.
typedef struct tact_pick_view {
    float world_to_clip[16];  ///< view and projection in one
    tact_matrix_order order;  ///< of the matrix; OpenGL's habit is BY_COLUMNS
    tact_clip_depth depth;    ///< what of clip space is seen. The depth of a pixel is from 0 to 1 (glDepthRange)
    bool reversed;            ///< greater depths are nearer
    uint32_t width, height;   ///< pixels; 0 is allowed: nothing is seen
    int32_t left, top;        ///< the place of its top left pixel in the whole view
} tact_pick_view;

/// Views have at most this many pixels either way.
#define TACT_PICK_SIZE_MAX 16384u
/// Lassos have at most this many corners.
#define TACT_PICK_LASSO_MAX ((size_t)0x0fffffff)

/// The kind of a region.
typedef enum tact_pick_shape {
    TACT_PICK_FRAME = 0,  ///< all of the view
    TACT_PICK_POINT = 1,
    TACT_PICK_RECTANGLE = 2,
    TACT_PICK_LASSO = 3
} tact_pick_shape;

/// A set of pixels. Pixels outside of the view are cut off; nothing is picked when none are left.
typedef struct tact_pick_region {
    tact_pick_shape shape;  ///< selects the fields that are read
    int32_t x, y;           ///< POINT: the pixel
    uint32_t radius;        ///< POINT: and those whose centres are no farther than this from its centre; at most 1024
    int32_t rectangle[4];   ///< RECTANGLE: x0 y0 x1 y1, in either order: the pixels from the lesser one to just before
                            ///< the greater one, so (x1 - x0) (y1 - y0) of them
    const float (*lasso)[2];  ///< LASSO: corners of a polygon, closed by itself, which may cross itself: the pixels
    size_t lasso_count;       ///< whose centres are inside by the even-odd rule, exactly; a centre on an edge is inside
                              ///< where the polygon lies right of or below it. Fewer than 3: none
} tact_pick_region;

/// The things under the region that are picked.
typedef enum tact_pick_extent {
    TACT_PICK_VISIBLE = 0,  ///< what is nearest at some pixel's centre
    TACT_PICK_ALL = 1,      ///< every surface that the line of sight through some pixel's centre meets
    TACT_PICK_TOUCHED = 2   ///< everything that has a point in the region's part of space, between the near and the far
                            ///< plane, also what passes between the pixels' centres: the region as an area (POINT:
                            ///< the squares of its pixels). Only by rays (the trees), whose `pixels` are 0 then
} tact_pick_extent;

/// The unit of picking: each pick of a query is another one of these.
typedef enum tact_pick_group {
    TACT_PICK_BY_INSTANCE = 0,  ///< object and instance
    TACT_PICK_BY_OBJECT = 1,
    TACT_PICK_BY_PRIMITIVE = 2  ///< object, instance and primitive
} tact_pick_group;

/// The method of finding visible surfaces.
typedef enum tact_pick_method {
    TACT_PICK_RAYS = 0,   ///< a ray cast through each pixel's centre: the same bytes on every backend
    TACT_PICK_RASTER = 1  ///< drawn, on OpenGL; differs from the rays where a pixel's centre is within the rasteriser's
                          ///< rounding of an edge, or two surfaces within its rounding of depth, and where rays fail
                          ///< in an instance that is squashed to a ten-thousandth or less. `exact` of reports is
                          ///< false, and `shadow` has nothing to compare. The depth of a surface is clamped to that of
                          ///< its triangle's points
} tact_pick_method;

/// All bits zero asks for the defaults; NULL stands for that too.
typedef struct tact_pick_options {
    tact_pick_extent extent;  ///< default: what is visible
    tact_pick_group group;    ///< default: by instance
    tact_pick_method method;  ///< default: rays
    uint32_t max_layers;      ///< ALL: surfaces of a pixel, from the front; 0: all
    bool keep;  ///< VISIBLE: cast or draw the whole view, not just the region, and pick from that as long as neither
                ///< view nor scene change: for cursors that move over a static picture
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_pick_options;

/// A thing that was picked, described at the one of its pixels that is nearest: to the viewer; for POINT first to the
/// point, then to the viewer; then the first row after row.
typedef struct tact_pick {
    uint32_t object;       ///< of a scene: the mesh
    uint32_t instance;     ///< of a scene: the instance
    uint32_t primitive;    ///< triangle of the mesh
    uint32_t pixels;       ///< of the region that show it; ALL: surfaces counted one by one
    int32_t x, y;          ///< the pixel. TOUCHED: the one that holds the position
    uint32_t layer;        ///< surfaces in front of it in that pixel
    float depth;           ///< as the view counts it, 0 to 1
    float position[3];     ///< in the world, on the line of sight through the pixel's centre
    float normal[3];       ///< of unit length, (b - a) x (c - a) of the triangle in the world; 0 when not known
    float barycentric[3];  ///< of the three vertices; all 0 when not known
} tact_pick;

/// Keeps its memory, on the host and on devices, what was drawn, and its last result.
typedef struct tact_picker tact_picker;

/// Creates a picker. Errors: OUT_OF_MEMORY.
TACT_API tact_result tact_picker_create(tact_context* context, tact_picker** picker);
/// Destroys the picker, before its context. NULL is allowed.
TACT_API void tact_picker_destroy(tact_picker* picker);

/// The query and the output.
typedef struct tact_pick_work {
    const tact_pick_view* view;        ///< the camera
    const tact_pick_region* region;    ///< the pixels
    const tact_pick_options* options;  ///< NULL: the defaults
    tact_pick* picks;                  ///< receives at most `capacity` picks; NULL with capacity 0
    size_t capacity;                   ///< of `picks`
    size_t* count;                     ///< receives how many things there are, whatever room there is
    uint64_t reserved[4];              ///< zeros: room for fields to come
} tact_pick_work;

/// Picks from a committed scene. The nearest come first: by depth (POINT: by distance of the pixel, then depth), then
/// pixel, object, instance, primitive. When there are more than `capacity` the call returns TACT_INCOMPLETE and nothing
/// is lost: all of them are in tact_pick_last().
///
/// By rays the result is defined by casting tact_pick_ray() through each pixel of the region; triangles are two-sided,
/// and nearer means a lesser t. Memory is bounded: a large region is cast in pieces (with `keep` 24 bytes for each
/// pixel of the view stay). TOUCHED runs on the CPU (or by the reference), also where OpenGL or OpenCL is selected, as
/// the report shows. Scenes with instances of spheres, boxes or capsules are refused. By raster ALL peels: as many
/// passes as there are layers; where OpenGL fails the CPU casts rays instead, as the report shows. Instances out of
/// view are culled first. By either method a pick of a scene is described from its triangle in double precision, as by
/// tact_pick_refine(). C. Everitt, Interactive Order-Independent Transparency, 2001; T. Akenine-Moeller and others,
/// Real-Time Rendering, 4th edition, 2018, 22.1.
///
/// `options` and `report` may be NULL. Errors: INVALID_ARGUMENT (not committed; a scene of another context; a
/// view that is not finite, cannot be inverted, has its near plane at infinity or is larger than TACT_PICK_SIZE_MAX;
/// TOUCHED by raster; raster by another backend than OpenGL), NO_DEVICE (raster without OpenGL; a backend was forced
/// that the context lacks), SHADOW_MISMATCH, CANCELLED, LIMIT (2^32 surfaces of one thing, a lasso of more than
/// TACT_PICK_LASSO_MAX corners), OUT_OF_MEMORY, DEVICE_OUT_OF_MEMORY; with `no_fallback` also what the device
/// reported, and UNSUPPORTED for ALL and TOUCHED by rays on OpenGL or OpenCL.
TACT_API tact_result tact_pick_scene(tact_picker* picker, tact_scene* scene, const tact_pick_work* work,
                                     const tact_query_options* options, tact_query_report* report);

/// Returns all picks of the last tact_pick_scene(), *count of them; valid until the next. NULL and 0 when there were
/// none, or it failed.
TACT_API const tact_pick* tact_pick_last(const tact_picker* picker, size_t* count);

// Views. These are pure functions, thread-safe, in double precision and rounded once; false, and nothing written, when
// the view has no pixels or its matrix is not finite or cannot be inverted. A far plane counts as at infinity by the
// rule of tact_frustum_from_matrix().

/// Finds the line of sight through the place (x, y) of the whole view, in pixels; centres are at halves. From the near
/// plane (t = 0) on; t grows in proportion to the distance from that plane, by the same measure for all pixels, and is
/// 1 at the far plane (tmax; a far plane that the matrix's own rounding has tilted is met at a tmax near 1), or, where
/// that is at infinity, one unit farther along the axis of sight. Where near and far plane are meant to be at an angle
/// t is 1 at the far plane for each pixel. False also where the near plane is at infinity or behind the eye.
TACT_API bool tact_pick_ray(const tact_pick_view* view, double x, double y, tact_ray* ray);

/// Makes the view of the `size` x `size` pixels (odd; usually 3) around a pixel, off the axis: to draw just them into a
/// target of that size. Has the same rays through the same pixels but for rounding. Also for pixels outside of the
/// view. False also for an even size.
TACT_API bool tact_pick_window(const tact_pick_view* view, int32_t x, int32_t y, uint32_t size, tact_pick_view* window);

/// Makes the view of a rectangle of pixels, x0 y0 x1 y1 with x0 < x1 and y0 < y1.
TACT_API bool tact_pick_part(const tact_pick_view* view, const int32_t rectangle[4], tact_pick_view* part);

/// Writes the planes that bound the view, to cull your objects before you draw them by tact_cull_volumes(). Returns how
/// many, as tact_cull_frustum(): at least one, which has nothing inside where there is no volume.
TACT_API uint32_t tact_pick_planes(const tact_pick_view* view, tact_plane planes[TACT_FRUSTUM_PLANES]);

/// Finds the point of the world at a place of the whole view and a depth from 0 to 1.
TACT_API bool tact_pick_unproject(const tact_pick_view* view, double x, double y, float depth, float position[3]);

/// Finds the place of a point of the world in the whole view, and its depth; false also when it is not in front of the
/// eye.
TACT_API bool tact_pick_project(const tact_pick_view* view, const float position[3], double place[2], float* depth);

/// Computes position, normal and barycentrics of a pick from its triangle, nine numbers in the world: exact to
/// rounding, while those read from an image have that image's error. The line of sight is taken through the pixel's
/// centre; where it misses the triangle, the triangle's point nearest to it counts. False, and nothing changed, for a
/// triangle without area or seen edge-on.
TACT_API bool tact_pick_refine(const tact_pick_view* view, const float corners[9], tact_pick* pick);
