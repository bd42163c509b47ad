// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Meshes as Wavefront files.

#include <stddef.h>
#include <stdint.h>

#include "apps/problem.h"

/// Writes it to a file, whole or not at all. `positions` has three floats for each vertex.
bool tact_obj_write(const char* path, const float* positions, size_t vertex_count, const uint32_t* indices,
                    size_t triangle_count, tact_problem* problem);
