// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The viewer's camera: goes round a point and looks at it.

#include "apps/inputs/body_input.h"
#include "apps/inputs/model.h"
#include "apps/inputs/pick_input.h"
#include "apps/inputs/rays.h"
#include "apps/problem.h"
#include "apps/session.h"
#include "apps/timing.h"
#include "apps/view/panel.h"
#include "apps/view/recording.h"

typedef struct tact_view_camera {
    float target[3];
    float distance;            ///< from the eye to it
    float azimuth, elevation;  ///< radians: 0, 0 looks along -z
    float middle[3], radius;   ///< of a ball about everything
    float reach;               ///< of a ball there about what is drawn besides, for the near and the far plane
    uint32_t width, height;    ///< pixels, not 0
} tact_view_camera;

/// Looks at all of a box, from a little to the right and above.
void tact_view_camera_start(tact_view_camera* camera, const tact_bounds* all, uint32_t width, uint32_t height);
/// Moves so that a box fills the view, without turning.
void tact_view_camera_frame(tact_view_camera* camera, const tact_bounds* box);
/// What is there is another box from now on: the near and the far plane follow. Moves only where that is of quite
/// another size or elsewhere.
void tact_view_camera_keep(tact_view_camera* camera, const tact_bounds* all);
/// What is drawn reaches as far as a box, which may be empty: nothing of that is cut off, but for what is eight times
/// as far away as all there is.
void tact_view_camera_reach(tact_view_camera* camera, const tact_bounds* drawn);
/// By pixels the mouse has moved.
void tact_view_camera_orbit(tact_view_camera* camera, double dx, double dy);
void tact_view_camera_pan(tact_view_camera* camera, double dx, double dy);
/// Nearer (positive) or farther; what is at the target's distance under the pixel stays there.
void tact_view_camera_zoom(tact_view_camera* camera, double steps, double x, double y);

/// A pixel's size at the target.
float tact_view_camera_pixel(const tact_view_camera* camera);

/// What it sees.
typedef struct tact_view_look {
    tact_pick_view view;
    float eye[3], right[3], up[3], back[3];
} tact_view_look;
tact_view_look tact_view_camera_look(const tact_view_camera* camera);

// What happens to the viewer: from the window, or played from a file, the same structs.

typedef enum tact_view_event_kind {
    TACT_VIEW_MOVE = 0,  ///< the cursor is at x y
    TACT_VIEW_LEAVE,     ///< the cursor has left the window
    TACT_VIEW_BUTTON,    ///< `button` went down or up
    TACT_VIEW_SCROLL,    ///< the wheel turned by y, away from the user is positive
    TACT_VIEW_KEY,       ///< `key` was pressed
    TACT_VIEW_FRAME,     ///< files: `count` frames are drawn
    TACT_VIEW_SHOT,      ///< files: a frame is drawn and written to `path`
    TACT_VIEW_RESIZE,    ///< files: the window becomes x by y
    TACT_VIEW_QUIT
} tact_view_event_kind;

enum { TACT_VIEW_LEFT = 0, TACT_VIEW_RIGHT = 1, TACT_VIEW_MIDDLE = 2 };
enum { TACT_VIEW_SHIFT = 1, TACT_VIEW_CTRL = 2, TACT_VIEW_ALT = 4 };
enum {
    TACT_VIEW_BEFORE = 1,  ///< left
    TACT_VIEW_AFTER = 2,   ///< right
    TACT_VIEW_HOME = 3,
    TACT_VIEW_END = 4,
    TACT_VIEW_ESCAPE = 27,
    TACT_VIEW_SPACE = 32
};

typedef struct tact_view_event {
    tact_view_event_kind kind;
    double x, y;  ///< pixels of the frame buffer, from the top left
    int button;
    bool down;
    unsigned modifiers;
    int key;  ///< a capital letter, [ or ], or one of those above
    uint32_t count;
    char path[256];
} tact_view_event;

typedef struct tact_view_script {
    tact_view_event* events;
    size_t count;
} tact_view_script;

/// Reads a file of events, one on a line. Errors name the line. docs/cli.md has the words.
bool tact_view_script_read(const char* path, tact_view_script* script, tact_problem* problem);
void tact_view_script_free(tact_view_script* script);

// Meshes as the viewer draws them.

/// Three of a triangle. 16 bytes.
typedef struct tact_view_vertex {
    float position[3];
    uint32_t normal;  ///< three times ten bits, signed; 0: not known
} tact_view_vertex;

/// The corners of a mesh's triangles, 3 * triangle_count of them. Normals are smooth where neighbours meet at less than
/// some 50 degrees, neighbours being triangles with a corner at the same place. Triangles that are not finite become
/// points.
bool tact_view_mesh_vertices(const tact_model_mesh* mesh, tact_view_vertex* vertices, tact_problem* problem);

// How the viewer finds out what is where: by rays, or by a pick target that is drawn when the camera has moved and
// asked without waiting.

typedef struct tact_view_picker tact_view_picker;

typedef enum tact_view_pick_way { TACT_VIEW_PICK_RAYS = 0, TACT_VIEW_PICK_TARGET = 1 } tact_view_pick_way;

bool tact_view_picker_create(tact_context* context, tact_scene* scene, tact_view_pick_way way, tact_backend backend,
                             tact_view_picker** picker, tact_problem* problem);
/// NULL is allowed. Before the scene.
void tact_view_picker_destroy(tact_view_picker* picker);

/// Asks what is at a pixel. By the target the answer comes some frames later; a question that finds no room is dropped,
/// since the next frame asks again.
bool tact_view_picker_ask(tact_view_picker* picker, const tact_pick_view* view, int32_t x, int32_t y,
                          tact_problem* problem);
/// The newest answer that is there. `*answered` is false when there is none since the last; an answer with object
/// TACT_NONE is the background. With `wait` those on their way are waited for.
bool tact_view_picker_answer(tact_view_picker* picker, bool wait, bool* answered, tact_pick* pick,
                             tact_problem* problem);

/// What is in a region, objects nearest first; valid until the next call. `all`: also what is behind something.
bool tact_view_picker_pick(tact_view_picker* picker, const tact_pick_view* view, const tact_pick_region* region,
                           bool all, const tact_pick** picks, size_t* count, tact_problem* problem);

// Particles that fall onto what is viewed: those of `tact particles --random N --mesh FILE ...
// --response position`, in the place and the
// scale of the files. Walls and a floor hold them; nothing picks them.

typedef struct tact_view_particles tact_view_particles;

typedef struct tact_view_particles_info {
    size_t count;
    uint64_t steps;
    tact_backend backend;
    tact_digest digest;  ///< that of `tact particles` after as many steps
} tact_view_particles_info;

/// `common` says what steps them, and the seed. In the OpenGL context that is current; the session and the files must
/// outlive them.
bool tact_view_particles_create(const tact_session* session, const tact_common_options* common,
                                const tact_text_list* files, uint64_t count, tact_gl_get_proc_address get_proc_address,
                                tact_view_particles** particles, tact_problem* problem);
/// NULL is allowed. Before the context.
void tact_view_particles_destroy(tact_view_particles* particles);

/// What holds them, in the world of the files.
tact_aabb tact_view_particles_walls(const tact_view_particles* particles);
bool tact_view_particles_step(tact_view_particles* particles, tact_problem* problem);
/// Into the frame buffer that is bound, with its depth.
bool tact_view_particles_draw(tact_view_particles* particles, const tact_view_look* look, tact_problem* problem);
bool tact_view_particles_finish(tact_view_particles* particles, tact_view_particles_info* info, tact_problem* problem);

// Bodies of `tact contacts`, which go a step of their motion after each frame, and their contacts.

typedef struct tact_view_bodies tact_view_bodies;

typedef struct tact_view_bodies_info {
    size_t count;
    uint64_t steps;
    size_t contacts;      ///< points
    size_t begun, ended;  ///< contacts, since the step before
    tact_backend backend;
    tact_digest digest;  ///< that of `tact contacts` after as many steps
} tact_view_bodies_info;

/// `backend` finds contacts. The input must outlive them; `name` is what messages call it.
bool tact_view_bodies_create(tact_context* context, tact_backend backend, const tact_body_input* input,
                             const char* name, tact_view_bodies** bodies, tact_problem* problem);
/// NULL is allowed. Before the context.
void tact_view_bodies_destroy(tact_view_bodies* bodies);

/// The box about them at first. The viewer's world has its origin in the last body.
tact_aabb tact_view_bodies_bounds(const tact_view_bodies* bodies);
bool tact_view_bodies_step(tact_view_bodies* bodies, tact_problem* problem);
tact_result tact_view_bodies_show(const tact_view_bodies* bodies, bool contacts, tact_debug_draw* draw);
bool tact_view_bodies_finish(const tact_view_bodies* bodies, tact_view_bodies_info* info, tact_problem* problem);

// Draws the viewer's frames with OpenGL 4.3 in the context that is current.

typedef struct tact_view_drawing tact_view_drawing;

/// How an object looks, as bits. COVERED: a rectangle or lasso that is being drawn would select it.
enum { TACT_VIEW_PLAIN = 0, TACT_VIEW_HOVERED = 1, TACT_VIEW_SELECTED = 2, TACT_VIEW_COVERED = 4 };

typedef struct tact_view_frame {
    tact_view_look look;
    const uint8_t* looks;            ///< of each object
    uint64_t looks_version;          ///< changes when they do
    tact_view_particles* particles;  ///< NULL: none
    const tact_debug_list* shown;    ///< in the world; NULL: nothing
    uint64_t shown_version;          ///< changes when it does
    const tact_debug_list* marks;    ///< in the world, over everything; NULL: nothing
    const tact_debug_vertex* flat;   ///< triangles in pixels from the top left, over everything
    size_t flat_count;
} tact_view_frame;

/// Object i is instance i of the model, which is not moved.
bool tact_view_drawing_create(tact_gl_get_proc_address get_proc_address, const tact_model* model,
                              tact_view_drawing** drawing, tact_problem* problem);
void tact_view_drawing_destroy(tact_view_drawing* drawing);

/// Draws a frame, the picture.
bool tact_view_drawing_draw(tact_view_drawing* drawing, const tact_view_frame* frame, tact_problem* problem);
/// Binds the picture, so that more is drawn on it.
void tact_view_drawing_bind(tact_view_drawing* drawing);
/// Puts the picture into the window's frame buffer, which is bound then.
void tact_view_drawing_present(tact_view_drawing* drawing);
/// The last frame, from the top down, 3 * width * height bytes.
void tact_view_drawing_read(tact_view_drawing* drawing, unsigned char* rgb);
/// Samples of a pixel.
uint32_t tact_view_drawing_samples(const tact_view_drawing* drawing);
/// Errors that OpenGL has reported, where the context does so.
uint64_t tact_view_drawing_errors(const tact_view_drawing* drawing);

// The window of `tact view`.

typedef struct tact_view_options {
    tact_common_options common;
    tact_text_list files;
    const char *size, *events, *image;
    uint32_t width, height;      ///< of `size`
    uint64_t frames;             ///< 0: until it is closed
    uint64_t particles;          ///< 0: none
    tact_body_choice bodies;     ///< neither a file nor a scene: none
    tact_body_input body_input;  ///< of `bodies`
    int pick;                    ///< a tact_view_pick_way
    bool overlay;                ///< pictures have the panel too
    const char *recording, *against;
} tact_view_options;

/// Shows the input until the window is closed, or plays `script` if `options` name a file of events; then prints what
/// came of it. No display, or a tool built without GLFW, OpenGL or cglm: exit code 3.
bool tact_view_window_run(const tact_view_options* options, const tact_pick_input* input,
                          const tact_view_script* script, tact_problem* problem);

// What the viewer knows: the camera, what is selected, what is shown. Events change it; nothing here draws or knows of
// a window.

typedef enum tact_view_drag {
    TACT_VIEW_NO_DRAG = 0,
    TACT_VIEW_ORBIT,
    TACT_VIEW_PAN,
    TACT_VIEW_RECTANGLE,
    TACT_VIEW_LASSO
} tact_view_drag;

/// What H shows.
typedef enum tact_view_panels {
    TACT_VIEW_PANEL_AND_KEYS = 0,
    TACT_VIEW_PANEL,
    TACT_VIEW_NO_PANEL,
    TACT_VIEW_PANELS
} tact_view_panels;

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
    bool quiet;           ///< prints nothing
    bool panelled;        ///< there is a panel
    int panel;            ///< a tact_view_panels
    bool pressed, taken;  ///< the left button; the panel has what it does

    tact_view_camera camera;
    tact_bounds bounds;

    double x, y;  ///< the cursor
    bool inside;
    tact_view_drag drag, tool;  ///< `tool`: what the left button does; ORBIT, RECTANGLE or LASSO
    double from_x, from_y;
    int button;   ///< that drags
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
    tact_view_bodies* bodies;        ///< NULL: none
    bool still;                      ///< they do not move
    bool step;                       ///< but for one step
    uint64_t steps;                  ///< that they have gone

    const tact_view_item* item;   ///< of a recording; NULL: there is none
    size_t place, items, wanted;  ///< which it is, of how many, and which is to be shown
    bool playing;

    tact_debug_list* shown;
    bool shown_changed, left_out;
    uint64_t shown_version;
    tact_debug_vertex* flat;
    size_t flat_count;
} tact_view;

/// The scene is that of the input.
bool tact_view_open(tact_view* view, const tact_pick_input* input, tact_context* context, tact_scene* scene,
                    const tact_scene_stats* stats, uint32_t width, uint32_t height, tact_problem* problem);
/// Shows another scene in its place, whose input replaces that of before; the camera stays if it can.
bool tact_view_replace(tact_view* view, const tact_pick_input* input, tact_scene* scene, const tact_scene_stats* stats,
                       tact_problem* problem);
/// Takes the item of a recording that the scene is of, and looks at what differs in it.
void tact_view_set_item(tact_view* view, const tact_view_item* item, size_t place, size_t items);
void tact_view_close(tact_view* view);
/// Takes the particles, and moves the camera so that what holds them is seen.
void tact_view_add_particles(tact_view* view, tact_view_particles* particles);
/// Likewise of bodies, whose contacts are shown.
void tact_view_add_bodies(tact_view* view, tact_view_bodies* bodies);
/// After a frame: what moves goes a step.
bool tact_view_step(tact_view* view, tact_problem* problem);

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

/// What the panel says and shows. `frame_ms` 0: it is not said, so that what files play comes out the same every time.
void tact_view_content(const tact_view* view, const tact_view_look* look, double frame_ms, float scale,
                       tact_view_panel_content* content);
/// Adds a line, if there is room.
void tact_view_line(tact_view_panel_content* content, tact_view_tone tone, const char* format, ...)
    TACT_TOOL_PRINTF(3, 4);

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

// What came of a viewing, as JSON.

typedef struct tact_view_outcome {
    uint64_t frames;
    double frame_ms;  ///< the mean, without the first
    uint32_t samples;
    uint64_t gl_errors;
    char device[128];
    bool software;
    tact_view_particles_info particles;
    tact_view_bodies_info bodies;
} tact_view_outcome;

bool tact_view_report(const tact_view* view, const tact_view_options* options, const tact_view_outcome* outcome,
                      const tact_view_panel_content* content, tact_problem* problem);
