// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The formats of pictures, by the endings of their names.

#include "apps/problem.h"

typedef enum tact_picture_format {
    TACT_PICTURE_NONE,  ///< not one that is written
    TACT_PICTURE_PNG,
    TACT_PICTURE_BMP,
    TACT_PICTURE_TGA,
    TACT_PICTURE_JPEG
} tact_picture_format;

/// Of a file's name; capitals and small letters are the same. Standard output and devices get PNG.
tact_picture_format tact_picture_format_of(const char* path);

/// Whether a picture of this name can be written; else a problem of the option.
bool tact_picture_format_check(const char* option, const char* path, tact_problem* problem);
