// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What `tact view --recording` shows: the queries of a recording, or the frames of a run of particles, one at a time;
/// with `--against` those of two, and where they differ.

#include "apps/inputs/pick_input.h"
#include "apps/replay/compare.h"
#include "apps/view/panel.h"

typedef struct tact_view_recording tact_view_recording;

/// An item as it is shown.
typedef struct tact_view_item {
    tact_pick_input input;  ///< what is shaded: an object for each instance, or one of all spheres or boxes
    const char* path;
    tact_text_list files;    ///< of the input: the recording's path
    tact_debug_list* list;   ///< what is drawn over it
    tact_debug_list* marks;  ///< what differs, over everything
    tact_bounds bounds;      ///< what is to be seen; empty: nothing
    uint32_t each;           ///< triangles of a sphere or box in the last object; 0: there are none
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

/// Makes an item. What cannot be drawn has lines that say why.
bool tact_view_recording_make(tact_view_recording* recording, size_t index, tact_view_item* item,
                              tact_problem* problem);
void tact_view_item_free(tact_view_item* item);

/// Draws the item of two answers that differs, each in its colour, and extends the box about that.
tact_result tact_view_mark(tact_debug_draw draws[2], tact_recording* const recordings[2], size_t index,
                           const tact_replay_difference* difference, float reach, tact_bounds* focus);

/// Boxes. Extending passes over what is not finite or too far away to be seen.
tact_bounds tact_bounds_empty(void);
bool tact_bounds_some(const tact_bounds* bounds);
void tact_bounds_extend(tact_bounds* bounds, const float at[3]);
