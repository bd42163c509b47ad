// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A picture of a recorded query in the making: a scene that is shaded, in which what was found has another colour, and
/// lines and points over it.

#include "apps/inputs/rays.h"
#include "tact/tact.h"

enum { TACT_SKETCH_MOST = 500 };  ///< rays, poses, outlines, ... that are drawn

typedef struct tact_sketch {
    const tact_recording* recording;
    size_t index;
    const tact_recorded_query* query;
    tact_context* context;
    tact_scene* scene;   ///< what is shaded
    tact_bounds bounds;  ///< what is to be seen
    float reach;         ///< the longest side of that
    uint32_t width, height;
    bool own_view;  ///< the query has a view, which is the picture's; else the camera of tact raycast --rays camera:WxH
    tact_pick_view view;
    tact_ray* rays;  ///< of the camera
    tact_hit* hits;
    unsigned char* rgb;
    tact_debug_draw draw;  ///< draws into the picture; what lies behind a surface shows through a little
    // Primitives that were found, a byte each.
    size_t* first;  ///< of each instance: where its primitives begin in `marks`
    uint8_t* marks;
    size_t instance_count, mark_count;
} tact_sketch;

/// An array of the query, by its name. False: there is none.
bool tact_sketch_array(const tact_sketch* s, const char* name, tact_recorded_array* array);

/// Tells of the scene's next instance how many primitives it has that may be marked. OUT_OF_MEMORY.
tact_result tact_sketch_count(tact_sketch* s, size_t primitives);

/// Adds an instance with so many primitives that may be marked. A matrix that no instance can have (it flattens, say)
/// is left out: *id is TACT_NONE then.
tact_result tact_sketch_instance(tact_sketch* s, uint32_t mesh, const float* matrix, size_t primitives, uint32_t* id);

/// Marks a primitive; TACT_NONE: all of the instance. Nothing for an instance that is TACT_NONE.
void tact_sketch_mark(tact_sketch* s, uint32_t instance, uint32_t primitive);

/// A line in a colour of its own.
tact_result tact_sketch_line(tact_sketch* s, tact_debug_color color, const float a[3], const float b[3]);

/// What is drawn of a query that is asked of two meshes in poses, marked or as lines: its meshes, made of the record.
/// NULL for what it lacks. tact_mesh_destroy() both.
tact_result tact_sketch_meshes(const tact_sketch* s, tact_mesh* meshes[2]);

/// The set with what is in it; `which` 1: the second one, *set is NULL when there is none. Its volumes are told too.
tact_result tact_sketch_set(const tact_sketch* s, uint32_t which, tact_volume_set** set, tact_recorded_array* volumes);

/// The picks of the scene in the query's region. `picks` from malloc().
tact_result tact_sketch_picks(const tact_sketch* s, tact_pick** picks, size_t* count);

/// A system as it was recorded, and all of its particles: ids, x y z of each, radii; from malloc().
typedef struct tact_sketch_particles {
    tact_particles* system;
    size_t count;
    uint32_t* ids;
    float *positions, *radii;
} tact_sketch_particles;

/// `after`: when it has taken the recorded steps. Also after a failure tact_sketch_let_go() is due.
tact_result tact_sketch_restore(const tact_sketch* s, bool after, tact_sketch_particles* particles);
void tact_sketch_let_go(tact_sketch_particles* particles);

/// Which volumes, or instances of the recorded scene, culling keeps: a byte each; from malloc(), with *count of them.
tact_result tact_sketch_culled(const tact_sketch* s, uint8_t** kept, size_t* count);

// By kind of query: what is shaded, with what was found marked (found.c); and what is drawn over it (over.c). Answers
// are found anew, on the CPU, where it has them.

tact_result tact_sketch_make(tact_sketch* s);
tact_result tact_sketch_over(tact_sketch* s);
