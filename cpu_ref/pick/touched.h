// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// TACT_PICK_TOUCHED: everything that has a point in the region's part of space. The trees only leave out what surely
/// has none, or is surely not the nearest of its thing; what is left is decided by cpu_ref/pick/touch_area.h, which is
/// the definition. So trees and brute force give the same bytes.

#include "cpu_ref/pick/found.h"
#include "cpu_ref/trace/scene.h"

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
