// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Whether a triangle has a point in the region's part of space, and which is nearest: the definition behind
/// TACT_PICK_TOUCHED. All in double precision, each operation rounded once, in this order.
///
/// 1. Screen. The view's matrix has rows x, y, z, w. The screen matrix S has rows
///        X = (x + w) (width / 2)      Y = (w - y) (height / 2)      W = w
///        Z = z for clip depths from 0 to 1, else (z + w) / 2
///    so X/W and Y/W are pixels of the view from its top left corner, y down, and Z/W is the depth from 0 to 1. An
///    instance's screen matrix is S times its matrix, entries ((Si0 M0k + Si1 M1k) + Si2 M2k), + Si3 in the last
///    column; a corner p of the mesh is at ((Oi0 x + Oi1 y) + Oi2 z) + Oi3. Triangles with a coordinate that is NaN,
///    infinite or beyond 2^60 take no part.
/// 2. Clip. The region's bounds are a rectangle x0 y0 x1 y1 in pixels, cut to the view: of all of the view, the
///    rectangle, the disc's squares, or the lasso. Six planes: near, far (Z >= 0 and W - Z >= 0, or the other way round
///    when reversed; the far one is missing when it is at infinity), X - x0 W, x1 W - X, Y - y0 W, y1 W - Y, all >= 0.
///    A triangle whose three corners are all below 0 for one plane is outside. Else it is clipped by Sutherland and
///    Hodgman's way to those planes of which some corner is below 0, in this order: corners with a value >= 0 stay, and
///    on each edge from inside to outside a new one is a + (da / (da - db)) (b - a), a being inside. Barycentric
///    weights go along. I. E. Sutherland, G. W. Hodgman, Reentrant Polygon Clipping, 1974; J. F. Blinn, M. E. Newell,
///    Clipping Using Homogeneous Coordinates, 1978.
/// 3. Project. Corners with W > 0 are divided by W; x and y are then kept within the bounds, the depth within 0 to 1.
///    What remains is the polygon P. None: outside.
/// 4. Area. The candidates for the nearest point are
///      FRAME, RECTANGLE: the corners of P.
///      POINT: for each row of pixels that P meets, P is clipped to the row's squares. Of those that it meets, the one
///        nearest to the point's column counts: P is clipped to that too, and its corners are candidates. If rounding
///        leaves none, the corners of the former are.
///      LASSO: the corners of P that are inside the polygon; where edges of P and of the polygon meet, end points
///        included; the corners of the polygon that are in P. Inside is by the even-odd rule, edges by the signs of
///        four areas, and belong to the lasso. Where no edge comes near P's box, as touch_grid.h tells, all corners
///        of P are candidates or none is.
///    The triangle is touched if there is a candidate. Touching counts, as computed: an edge that just reaches the
///    region is in it.
/// 5. Rank. The least (squared distance of the pixel from the point, for POINT; depth as a float, or its complement
/// when
///    reversed; pixel, row after row; then depth, y, x, u, v as they are) is the triangle's nearest point. The pixel is
///    the one whose square holds it, the last one for the view's right and lower side; of POINT the candidate's square.

#include "base/env.h"
#include "cpu_ref/pick/found.h"
#include "cpu_ref/pick/view.h"
#include "cpu_ref/trace/scene.h"
#include "tact/pick.h"

typedef struct tact_touch_edge {
    double ax, ay, bx, by;
    uint32_t band;  ///< the first one it is in
} tact_touch_edge;

typedef struct tact_touch_area {
    double screen[4][4];
    double x0, y0, x1, y1;  ///< bounds
    bool reversed, endless;
    tact_pick_shape shape;
    int64_t width, height;             ///< of the view
    int64_t point_x, point_y, radius;  ///< POINT
    int64_t least;                     ///< POINT: squared distance of its nearest pixel in the view
    // LASSO: edges, and which of them are in each of some bands of rows.
    tact_touch_edge* edges;
    size_t edge_count;
    uint32_t bands;
    double band_scale, band_origin;
    uint32_t* band_first;  // bands + 1
    uint32_t* band_edges;
    // And of a grid over the bounds, how many cells above and left are surely inside, and outside. NULL: none.
    uint32_t (*grid)[2];
    double grid_scale[2];
} tact_touch_area;

/// An instance's way to the screen.
typedef struct tact_touch_frame {
    double m[4][4];
} tact_touch_frame;

/// The nearest point of what has been looked at so far.
typedef struct tact_touch_best {
    bool found;
    int64_t distance;
    float depth;
    uint32_t pixel;
    double x, y, z, u, v;
} tact_touch_best;

/// `brute`: a lasso in one band. OUT_OF_MEMORY. *empty: nothing can be touched.
tact_result tact_touch_area_make(tact_env* env, const tact_pick_view* view, const tact_pick_region* region, bool brute,
                                 tact_touch_area* area, bool* empty);
void tact_touch_area_free(tact_env* env, tact_touch_area* area);

void tact_touch_enter(const tact_touch_area* area, const float object_to_world[12], tact_touch_frame* frame);

/// Whether the triangle is touched, and then where it is nearest. `inside`: it is in a box that is (tact_touch_reach),
/// which spares work and changes nothing.
bool tact_touch_triangle(const tact_touch_area* area, const tact_touch_frame* frame, const float a[3], const float b[3],
                         const float c[3], bool inside, tact_touch_best* best);

/// What bounds a box: how far inside of the near plane it begins, at least.
typedef struct tact_touch_reach {
    double nearness;
    bool outside;
    bool inside;  ///< no plane cuts off anything of what is in the box, and a lasso has all of it; never for POINT
} tact_touch_reach;

/// Whether no triangle within the box can be touched, or every one wholly, or only such as rank after `best` (where
/// that is found). Never wrong: with the box's corner that is farthest along a plane's normal the plane's value is at
/// least the exact one of every point in the box, and it and the values that the definition computes are off by less
/// than 2^-48 of the sum of the magnitudes of their terms, where 2^-40 is allowed.
tact_touch_reach tact_touch_box(const tact_touch_area* area, const tact_touch_frame* frame, const float lower[3],
                                const float upper[3], const tact_touch_best* best);

// Inside of touch_area: corners of a polygon being clipped, and what a lasso does with what is left.

enum {
    TACT_TOUCH_NUMBERS = 7,
    /// Clipping a polygon of n corners leaves at most n + n / 2, were rounding to make it as ragged as can be: each
    /// pair of new corners costs one. After the six planes a triangle has at most 28, after four sides of pixels and
    /// the two of a square more 316.
    TACT_TOUCH_CORNERS = 320
};

/// X Y Z W, weights of the second and third corner, 1; all divided by W when projected.
typedef struct tact_touch_vertex {
    double p[TACT_TOUCH_NUMBERS];
} tact_touch_vertex;

/// The edges in bands of rows, and their bounds x0 y0 x1 y1 in pixels of the view: empty ones when there is no area or
/// a number is not finite. OUT_OF_MEMORY.
tact_result tact_touch_lasso_make(tact_env* env, const tact_pick_view* view, const tact_pick_region* region, bool brute,
                                  tact_touch_area* area, double box[4]);

/// By the even-odd rule, as computed.
bool tact_touch_in_lasso(const tact_touch_area* area, double x, double y);

/// Gives the candidates of a projected polygon to `best`.
void tact_touch_lasso_try(const tact_touch_area* area, const tact_touch_vertex* polygon, int count,
                          tact_touch_best* best);

/// A candidate in the pixel that holds it.
void tact_touch_consider(const tact_touch_area* area, const tact_touch_vertex* v, tact_touch_best* best);

// Inside of touch_area: a lasso as a grid of cells, each inside, outside or near an edge, so that what lies in cells
// of one kind is decided at once, however many corners the lasso has.

typedef enum tact_touch_cover {
    TACT_TOUCH_MIXED = 0,  ///< edges may tell it apart
    TACT_TOUCH_ALL = 1,    ///< all of it is inside the lasso
    TACT_TOUCH_NONE = 2    ///< nothing of it is
} tact_touch_cover;

/// For a lasso whose edges and bounds are made. No grid, and all is mixed, where coordinates are beyond 2^20: there
/// rounding could be more than the margin of 2^-10 pixels that edges keep from what counts as beside them.
/// OUT_OF_MEMORY.
tact_result tact_touch_grid_make(tact_env* env, tact_touch_area* area);

/// Of a box in pixels, cut to the bounds. What is in a box is never judged another way than the box, unless that is
/// mixed.
tact_touch_cover tact_touch_grid_look(const tact_touch_area* area, double x0, double y0, double x1, double y1);

// Inside of touched: what the search found, and its order. Tens of millions may be found, so what is kept of each is
// what ranks it; the place that is touched is found anew when the pick is written.

typedef struct tact_touch_item {
    uint32_t object, instance, primitive;
    uint32_t distance;  ///< squared: at most 2 * 1024^2
    float depth;
    uint32_t pixel;
} tact_touch_item;

/// By squared distance from the point, depth, pixel: negative when a comes first.
int tact_touch_compare(bool reversed, const tact_touch_best* a, const tact_touch_best* b);

/// Sorts by that, then object, instance, primitive, and keeps the first of each thing: (*order)[0] to
/// (*order)[*count - 1] are what is left of the `*count` items. `progress` is called for each pass; it may be NULL. The
/// order is the caller's to release; NULL after an error: OUT_OF_MEMORY, LIMIT, CANCELLED.
tact_result tact_touch_order(tact_env* env, int threads, bool reversed, tact_pick_group group,
                             const tact_touch_item* items, size_t* count, tact_progress_fn* progress,
                             void* progress_user, uint32_t** order);

// TACT_PICK_TOUCHED: everything that has a point in the region's part of space. The trees only leave out what surely
// has none, or is surely not the nearest of its thing; what is left is decided by cpu_ref/pick/touched.h, which is
// the definition. So trees and brute force give the same bytes.

/// A thing's nearest point in the region.
typedef struct tact_pick_touch {
    double x, y;         ///< in pixels of the view (not the whole view), y down
    double depth;        ///< 0 to 1
    double u, v;         ///< weights of the triangle's second and third vertex
    double position[3];  ///< in the world
} tact_pick_touch;

typedef struct tact_pick_touch_job {
    const tact_trace_scene* scene;
    const float (*matrices)[12];  ///< object_to_world of the scene's instances, by id
    const tact_pick_view* view;
    const tact_pick_region* region;
    tact_pick_group group;
    int threads;
    bool brute;                  ///< try every triangle. Else by the trees
    tact_progress_fn* progress;  ///< may be NULL
    void* progress_user;
} tact_pick_touch_job;

/// Who is told of what was found.
typedef struct tact_pick_touch_teller {
    /// How many things there are; before the first of them. False: out of memory.
    bool (*count)(size_t count, void* user);
    /// Number i of them, from several threads at once.
    void (*tell)(size_t i, const tact_pick_found* found, const tact_pick_touch* touch, void* user);
    void* user;
} tact_pick_touch_teller;

/// Tells of the things touched, nearest first: by squared distance of the pixel from the point (POINT only), depth,
/// pixel, object, instance, primitive; each described at its nearest point by the same rank. `pixels` is 0, `pixel` is
/// y * view->width + x of the pixel that holds the point (so a mask of the whole view tells them), the depth is of the
/// float nearest to it, normals and barycentrics are not coded: the touch has them. Nothing for a view that
/// tact_pick_lens_make() refuses, a region without area, a radius beyond 1024, or a lasso that is not finite. Errors:
/// OUT_OF_MEMORY, CANCELLED, LIMIT.
tact_result tact_pick_touched_each(tact_env* env, const tact_pick_touch_job* job, const tact_pick_touch_teller* teller);

/// The same as lists, made anew: (*touches)[i] belongs to list->items[i]. Both are empty after an error.
tact_result tact_pick_touched(tact_env* env, const tact_pick_touch_job* job, tact_pick_list* list,
                              tact_pick_touch** touches);

void tact_pick_touched_free(tact_env* env, tact_pick_list* list, tact_pick_touch** touches);
