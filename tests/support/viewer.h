// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// `tact view` on a display of its own, by events from a file.

#include "tests/support/tool.h"

/// The size of its window.
enum { VIEWER_WIDTH = 320, VIEWER_HEIGHT = 240 };

/// Skips the test where there is no Xvfb.
void viewer_need_display(void);

/// Plays events for what is viewed, with more options, which end well and without an error of OpenGL's; the JSON.
cJSON* viewer_play(const char* what, const char* events, const char* options);

/// Views something that is refused, with exit code 2 and an error that holds `says`.
void viewer_refuses(const char* what, const char* says);

/// A member of the JSON, which is there.
const cJSON* viewer_item(const cJSON* json, const char* key);

/// The recording of the JSON, which shows item `place`, from 1, of `items`.
const cJSON* viewer_shown_item(const cJSON* json, int place, int items);

/// Returns whether two pictures are the same file; both are more than a background.
bool viewer_same_pictures(const char* a, const char* b);

/// Counts the pixels of a picture in BMP of nearly this colour.
size_t viewer_pixels(const char* path, const unsigned char rgb[3]);
