// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Recorded queries: their answers, pictures of them, and their inputs as files.

#include "apps/inputs/rays.h"
#include "apps/problem.h"
#include "tact/cull.h"
#include "tact/tact.h"

/// An answer's bytes, from malloc().
typedef struct tact_answer_bytes {
    void* bytes;
    size_t size, room;
    bool failed;  ///< no memory for it
} tact_answer_bytes;

/// A tact_answer_fn, whose `user` is a tact_answer_bytes.
void tact_answer_take(const void* bytes, size_t size, void* user);

/// A picture of a recorded query in the making: a scene that is shaded, and over it what was asked and found, by the
/// library's debug drawing.
typedef struct tact_sketch {
    tact_recording* recording;
    size_t index;
    const tact_recorded_query* query;
    tact_context* context;
    tact_scene* scene;                             ///< what is shaded; before: the query's, if there is one already
    tact_debug_list* list;                         ///< what is drawn over it
    tact_debug_draw draw;                          ///< into the list, in the default colours
    tact_debug_draw found;                         ///< in the colour of what was found
    tact_debug_draw faint;                         ///< in that of what was not
    tact_debug_color colors[2][TACT_DEBUG_KINDS];  ///< of the last two
    const tact_pick_view* view;                    ///< the query's own; NULL: it has none
    tact_pick_view own;
    tact_sphere* spheres;  ///< of the scene, that no mesh of the recording has; from malloc()
    size_t sphere_count;
    tact_aabb* boxes;  ///< likewise
    size_t box_count;
    tact_bounds bounds;  ///< what is to be seen
    float reach;         ///< its longest side
    void* answer;        ///< the query's, from malloc()
    size_t answer_bytes;
} tact_sketch;

/// An array of the query, by its name. False: there is none, and *array is zero.
bool tact_sketch_array(const tact_sketch* s, const char* name, tact_recorded_array* array);

/// Makes the list and what draws into it, and takes the query's own view, if it has one. Of the sketch the recording,
/// index, query and context are set. INVALID_ARGUMENT: the view is not one.
tact_result tact_sketch_begin(tact_sketch* s);
/// Makes the scene, runs the query again and draws into the list.
tact_result tact_sketch_make(tact_sketch* s);
/// Releases all that a sketch has.
void tact_sketch_end(tact_sketch* s);

// Parts of that.

/// Rays, poses, contacts, ... that are drawn at most.
enum { TACT_SKETCH_MOST = 500 };

/// The row that is drawn in place `i`, which are spread over all of an array where it has more than are drawn: the
/// first rays of a camera see the sky. One of each equal share, but not at the same place in each, since what is in a
/// grid would show one column of it.
size_t tact_sketch_row(const tact_recorded_array* array, size_t i);

/// Asks the query again, on the CPU where it can answer. Nothing where no device here can.
tact_result tact_sketch_ask(tact_sketch* s);

/// Commits the scene: all of it is to be seen, or, where it is empty, all lines so far.
tact_result tact_sketch_see(tact_sketch* s);

/// Adds shapes to the scene, where they are.
tact_result tact_sketch_add_spheres(tact_sketch* s, const tact_sphere* spheres, size_t count);
tact_result tact_sketch_add_boxes(tact_sketch* s, const tact_aabb* boxes, size_t count);

/// A line, or a point, in the colour of a kind.
tact_result tact_sketch_line(tact_debug_draw* draw, tact_debug_kind kind, const float a[3], const float b[3]);
tact_result tact_sketch_point(tact_debug_draw* draw, tact_debug_kind kind, const float at[3]);

/// A volume to cull. One that is neither a box nor a sphere is drawn as the box about it.
tact_result tact_sketch_volume(tact_debug_draw* draw, tact_cull_kind kind, const void* volume);

/// Draws a query about bodies.
tact_result tact_sketch_bodies(tact_sketch* s);

/// The place in the world that is the origin of what is drawn of a query: the last of its bodies; zeros without bodies.
void tact_sketch_origin(const tact_sketch* s, double origin[3]);

/// Draws one item of the answer to a query about bodies into `draw`: the bodies that it names, and what was cast or
/// asked about. Of the sketch the recording, index and query are set. `length`: of the longest side of all.
tact_result tact_sketch_body_item(tact_sketch* s, const void* item, const double origin[3], float length);

/// Draws a query against a cloud of points.
tact_result tact_sketch_cloud(tact_sketch* s);

// Pictures of recorded queries.

/// Draws what query `index` was asked of, seen by the camera of `tact raycast --rays camera:WxH`, or by the view that
/// it has. Over it are, by the library's debug drawing: up to 500 rays, points, spheres or shapes with what they find;
/// bodies, their contacts and distances; found volumes, triangles and contacts in orange; culled volumes faintly, and
/// the planes; ways of particles; the region of a pick. A problem for a query without its arrays, or a view that is
/// empty or of over 4096 pixels either way.
bool tact_replay_image(tact_recording* recording, size_t index, const tact_recorded_query* query, tact_context* context,
                       const char* path, tact_problem* problem);

// What recorded queries were asked, as files for others.

/// Writes the arrays of query `index` into a folder, which is made where it is missing: query-N-NAME.npy, bytes as
/// query-N-NAME.bin, meshes as query-N-mesh-K.obj.
bool tact_replay_export(const tact_recording* recording, size_t index, const tact_recorded_query* query,
                        const char* folder, tact_problem* problem);
