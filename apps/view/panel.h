// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the viewer's window has over its picture: lines of text, the keys, axes, a scale, and a slider. Drawn by Dear
/// ImGui, where it was there when the tool was built.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TACT_VIEW_PANEL_LINES = 24 };

/// How a line is written.
typedef enum tact_view_tone {
    TACT_VIEW_TEXT = 0,
    TACT_VIEW_FAINT,
    TACT_VIEW_STRONG,
    TACT_VIEW_FIRST,  ///< in the colour of the first of two answers
    TACT_VIEW_SECOND  ///< of the second
} tact_view_tone;

typedef struct tact_view_panel_line {
    char text[200];
    int tone;  ///< a tact_view_tone
} tact_view_panel_line;

/// What is shown. Positions are pixels of the frame buffer, from the top left.
typedef struct tact_view_panel_content {
    uint32_t width, height;
    bool hidden, keys;
    tact_view_panel_line lines[TACT_VIEW_PANEL_LINES];
    size_t count;
    float axes[3][3];  ///< of x, y and z: to the right, up, towards the eye
    double bar;        ///< the scale's length in units of the scene
    float bar_pixels;
    size_t item, items;    ///< of a recording; no items: there is no slider
    double x, y;           ///< the cursor
    bool inside, pressed;  ///< the left button
} tact_view_panel_content;

/// What the mouse did to it.
typedef struct tact_view_panel_input {
    bool taken;   ///< the cursor is on the slider
    size_t item;  ///< chosen by it
} tact_view_panel_input;

typedef struct tact_view_panel tact_view_panel;

/// In the OpenGL context that is current. `scale`: pixels of the display to those that text is made for. NULL: there is
/// no memory, or the tool was built without a panel.
tact_view_panel* tact_view_panel_open(float scale);
/// NULL is allowed.
void tact_view_panel_close(tact_view_panel* panel);
/// Into the frame buffer that is bound for drawing. NULL: draws nothing.
tact_view_panel_input tact_view_panel_draw(tact_view_panel* panel, const tact_view_panel_content* content);

/// The keys and what they do: pairs of texts, the last of them NULL.
extern const char* const tact_view_keys[][2];
/// Those of recordings.
extern const char* const tact_view_item_keys[][2];

#ifdef __cplusplus
}
#endif
