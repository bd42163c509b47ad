// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A picture of many objects, as a PNG file: seen through the camera of the ray casts, those that collide red.

#include "apps/inputs/filter_input.h"

/// `pairs` are colliding triangles; side x side pixels.
bool tact_picture_of_filter(const char* path, const tact_filter_input* input, const tact_filter_pair* pairs,
                            size_t count, tact_context* context, uint32_t side, tact_problem* problem);
