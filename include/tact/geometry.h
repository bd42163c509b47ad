// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file geometry.h
/// Collision primitives as pure functions. Includes all of tact/geometry/.

#include "tact/geometry/aabb.h"
#include "tact/geometry/batch.h"
#include "tact/geometry/bounding_sphere.h"
#include "tact/geometry/bsp.h"
#include "tact/geometry/closest_point.h"
#include "tact/geometry/containment.h"
#include "tact/geometry/convex.h"
#include "tact/geometry/convex_mesh.h"
#include "tact/geometry/distance.h"
#include "tact/geometry/frustum.h"
#include "tact/geometry/hull.h"
#include "tact/geometry/hull_graph.h"
#include "tact/geometry/hull_hierarchy.h"
#include "tact/geometry/hull_planes.h"
#include "tact/geometry/kdop.h"
#include "tact/geometry/linear_program.h"
#include "tact/geometry/lines.h"
#include "tact/geometry/measure.h"
#include "tact/geometry/mesh_combine.h"
#include "tact/geometry/mesh_mend.h"
#include "tact/geometry/mesh_report.h"
#include "tact/geometry/min_area_rect.h"
#include "tact/geometry/moving.h"
#include "tact/geometry/obb.h"
#include "tact/geometry/obb_fit.h"
#include "tact/geometry/overlap.h"
#include "tact/geometry/polytope.h"
#include "tact/geometry/predicates.h"
#include "tact/geometry/ray.h"
#include "tact/geometry/swept_sphere.h"
#include "tact/geometry/triangle_triangle.h"
#include "tact/geometry/types.h"
