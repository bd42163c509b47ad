// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Sizes of image-space tests.

#include "tact/image_space.h"

/// Pixels along an image's side, at least and at most.
enum { TACT_IMAGE_RESOLUTION_MIN = 4, TACT_IMAGE_RESOLUTION_MAX = 1024 };
