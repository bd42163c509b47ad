// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Pictures of what camera rays hit, as PNG files.

#include <stdbool.h>
#include <stdint.h>

#include "apps/inputs/model.h"

/// Shades a grid of closest hits by the geometric normal of each triangle: a tint for each instance, lit from the eye
/// and from above, on a quiet background. With `marked`, a truth for each instance, those marked are red and the others
/// grey. `rgb` holds 3 * width * height bytes.
void tact_picture_shade(const tact_model* model, const bool* marked, const tact_ray* rays, const tact_hit* hits,
                        uint32_t width, uint32_t height, unsigned char* rgb);

bool tact_picture_write(const char* path, uint32_t width, uint32_t height, const unsigned char* rgb,
                        tact_problem* problem);

/// Both in one.
bool tact_picture_of_hits(const char* path, const tact_model* model, const tact_ray* rays, const tact_hit* hits,
                          uint32_t width, uint32_t height, tact_problem* problem);

/// The same with marked instances red and all others grey.
bool tact_picture_of_marked(const char* path, const tact_model* model, const bool* marked, const tact_ray* rays,
                            const tact_hit* hits, uint32_t width, uint32_t height, tact_problem* problem);
