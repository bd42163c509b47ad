// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What happens to the viewer: from the window, or played from a file, the same structs.

#include "apps/problem.h"

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
enum { TACT_VIEW_ESCAPE = 27 };

typedef struct tact_view_event {
    tact_view_event_kind kind;
    double x, y;  ///< pixels of the frame buffer, from the top left
    int button;
    bool down;
    unsigned modifiers;
    int key;  ///< a capital letter, [ or ], or TACT_VIEW_ESCAPE
    uint32_t count;
    char path[256];
} tact_view_event;

typedef struct tact_view_script {
    tact_view_event* events;
    size_t count;
} tact_view_script;

/// Reads a file of events, one on a line; the place of what is wrong is told. docs/cli.md has the words.
bool tact_view_script_read(const char* path, tact_view_script* script, tact_problem* problem);
void tact_view_script_free(tact_view_script* script);
