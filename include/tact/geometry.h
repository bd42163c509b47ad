// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry.h
/// Collision primitives as pure functions. Includes all of tact/geometry/.

#include "tact/geometry/batch.h"
#include "tact/geometry/lines.h"
#include "tact/geometry/moving.h"
#include "tact/geometry/obb.h"
#include "tact/geometry/predicates.h"
#include "tact/geometry/triangle_triangle.h"
#include "tact/geometry/types.h"
