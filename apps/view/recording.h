// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What `tact view --recording` shows: the queries of a recording, or the frames of a run of particles, one at a time;
/// with `--against` those of two, and where they differ.

#include "apps/inputs/pick_input.h"
#include "apps/replay/compare.h"
#include "apps/replay/replay.h"
#include "apps/view/panel.h"

typedef struct tact_view_recording tact_view_recording;

/// What is shaded. Items that show the same share it, by counting its users.
typedef struct tact_view_shading {
    tact_pick_input input;  ///< an object for each instance, or one of all spheres or boxes
    const char* path;       ///< the recording's
    tact_text_list files;   ///< of the input: the path
    tact_bounds bounds;     ///< empty: there is nothing
    uint32_t each;          ///< triangles of a sphere or box in the last object; 0: there are none
    size_t users;
} tact_view_shading;

/// An item as it is shown.
typedef struct tact_view_item {
    tact_view_shading* shading;  ///< the same one as the item's before, where that shows the same
    tact_debug_list* list;       ///< what is drawn over it
    tact_debug_list* marks;      ///< what differs, over everything
    tact_bounds bounds;          ///< what is to be seen; empty: nothing
    tact_view_panel_line lines[10];
    size_t line_count;
    tact_replay_difference difference;
    tact_bounds focus;  ///< about what differs; empty: nothing does, or it has no place
} tact_view_item;

/// Opens a file that --record wrote, a folder of arrays of `tact particles --npy`, or a file of its `--save`.
/// `paths[1]` NULL: there is nothing to compare with. `options` NULL: queries are run as recorded.
bool tact_view_recording_open(tact_context* context, const char* const paths[2], const tact_query_options* options,
                              tact_view_recording** recording, tact_problem* problem);
/// NULL is allowed. Before the context.
void tact_view_recording_close(tact_view_recording* recording);

/// Items; of two recordings those of the longer one. Not 0.
size_t tact_view_recording_count(const tact_view_recording* recording);
/// The first item that differs; the count where none does.
bool tact_view_recording_first(tact_view_recording* recording, size_t* index, tact_problem* problem);

/// Makes an item. What cannot be drawn has lines that say why. What the item made before has as well is kept: a scene
/// with its trees, and what is shaded.
bool tact_view_recording_make(tact_view_recording* recording, size_t index, tact_view_item* item,
                              tact_problem* problem);
void tact_view_item_free(tact_view_item* item);

// What is shaded.

/// Nothing, with one user. NULL: out of memory.
tact_view_shading* tact_view_shading_new(const char* path, tact_problem* problem);
/// Another user of it. NULL is allowed.
tact_view_shading* tact_view_shading_share(tact_view_shading* shading);
/// One user less: without any it is released. NULL is allowed.
void tact_view_shading_leave(tact_view_shading* shading);
/// Whether both look the same.
bool tact_view_shading_same(const tact_view_shading* a, const tact_view_shading* b);
/// Adds the instances of a sketch's scene, its boxes and its spheres.
bool tact_view_shading_add_sketch(tact_view_shading* shading, const tact_sketch* sketch, tact_problem* problem);
/// Adds balls of triangles, the fewer the more of them there are.
bool tact_view_shading_add_spheres(tact_view_shading* shading, const tact_sphere* spheres, size_t count,
                                   tact_problem* problem);

// What differs.

/// Draws the item of two answers that differs, each in its colour, and extends the box about that.
tact_result tact_view_mark(tact_debug_draw draws[2], tact_recording* const recordings[2], size_t index,
                           const tact_replay_difference* difference, float reach, tact_bounds* focus);

/// Boxes. Extending passes over what is not finite or too far away to be seen.
tact_bounds tact_bounds_empty(void);
bool tact_bounds_some(const tact_bounds* bounds);
void tact_bounds_extend(tact_bounds* bounds, const float at[3]);
/// By all that a list holds. NULL is allowed.
void tact_bounds_extend_list(tact_bounds* bounds, const tact_debug_list* list);
