// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the viewer knows: the camera, what is selected, what is shown. Events change it; nothing here draws or knows of
/// a window.

#include "apps/inputs/pick_input.h"
#include "apps/view/camera.h"
#include "apps/view/draw.h"
#include "apps/view/event.h"
#include "apps/view/pick.h"

typedef enum tact_view_drag {
    TACT_VIEW_NO_DRAG = 0,
    TACT_VIEW_ORBIT,
    TACT_VIEW_PAN,
    TACT_VIEW_RECTANGLE,
    TACT_VIEW_LASSO
} tact_view_drag;

/// What B shows.
typedef enum tact_view_boxes {
    TACT_VIEW_NO_BOXES = 0,
    TACT_VIEW_BOUNDS,      ///< of each object
    TACT_VIEW_SCENE_TREE,  ///< the tree over the objects
    TACT_VIEW_MESH_TREES,  ///< the trees of what is selected, or of all
    TACT_VIEW_BOXES
} tact_view_boxes;

/// A ray that J has cast.
typedef struct tact_view_ray {
    tact_ray ray;
    tact_hit hit;
    tact_vec3 normal;
} tact_view_ray;

typedef struct tact_view {
    const tact_pick_input* input;
    tact_context* context;
    tact_scene* scene;
    tact_query_options query;
    tact_view_picker* picker;
    bool quiet;  ///< prints nothing

    tact_view_camera camera;
    tact_bounds bounds;

    double x, y;  ///< the cursor
    bool inside;
    tact_view_drag drag, tool;  ///< `tool`: what the left button does; ORBIT, RECTANGLE or LASSO
    double from_x, from_y;
    bool moved;   ///< farther than a click does
    bool adding;  ///< to the selection
    float (*lasso)[2];
    size_t lasso_count;
    bool region_changed;

    size_t object_count;
    uint8_t* looks;  ///< of each object
    uint64_t looks_version;
    size_t selected;
    tact_pick hover;  ///< object TACT_NONE: nothing
    tact_pick picked;
    uint64_t picks;  ///< how often something was picked

    bool all;
    int boxes;  ///< a tact_view_boxes
    uint32_t level;
    bool normals, contacts;
    tact_view_ray* rays;
    size_t ray_count;
    tact_mesh** meshes;  ///< of each object, made when first needed
    uint64_t contact_pairs;

    tact_view_particles* particles;  ///< NULL: none
    bool still;                      ///< they do not move

    tact_debug_list* shown;
    bool shown_changed, left_out;
    uint64_t shown_version;
    tact_debug_vertex* flat;
    size_t flat_count;
} tact_view;

/// The scene is that of the input.
bool tact_view_open(tact_view* view, const tact_pick_input* input, tact_context* context, tact_scene* scene,
                    const tact_scene_stats* stats, uint32_t width, uint32_t height, tact_problem* problem);
void tact_view_close(tact_view* view);
/// Takes the particles, and moves the camera so that what holds them is seen.
void tact_view_add_particles(tact_view* view, tact_view_particles* particles);

/// All but what files alone have: FRAME, SHOT, RESIZE and QUIT.
bool tact_view_handle(tact_view* view, const tact_view_event* event, tact_problem* problem);
void tact_view_resize(tact_view* view, uint32_t width, uint32_t height);

/// Before a frame is drawn: asks what is under the cursor, takes answers, and makes what is shown. `settle`: waits for
/// answers, so that what files play comes out the same every time.
bool tact_view_prepare(tact_view* view, bool settle, tact_problem* problem);
void tact_view_frame_of(const tact_view* view, tact_view_frame* frame);

/// "engine.glb: object 12 (piston)".
void tact_view_name(const tact_view* view, uint32_t object, char* text, size_t size);
void tact_view_print_keys(void);

// Parts of the above, in files of their own.

/// Selects what the drag or the click covers; with `preview` it is only shown to be covered.
bool tact_view_select(tact_view* view, bool preview, tact_problem* problem);
void tact_view_clear_selection(tact_view* view);
void tact_view_uncover(tact_view* view);
bool tact_view_cast(tact_view* view, tact_problem* problem);
bool tact_view_hover(tact_view* view, bool settle, tact_problem* problem);
/// Makes what is shown in the world, and the rectangle or lasso over it.
bool tact_view_show(tact_view* view, tact_problem* problem);
bool tact_view_show_flat(tact_view* view, tact_problem* problem);
