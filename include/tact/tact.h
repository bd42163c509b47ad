// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file tact.h
/// Tact: collision queries with one answer on every device. Includes the whole public interface.

#include "tact/base.h"
#include "tact/bodies.h"
#include "tact/body_casts.h"
#include "tact/body_distances.h"
#include "tact/body_nearest.h"
#include "tact/calibrate.h"
#include "tact/closest.h"
#include "tact/context.h"
#include "tact/cull.h"
#include "tact/cull_scene.h"
#include "tact/debug_draw.h"
#include "tact/device_array.h"
#include "tact/explain.h"
#include "tact/geometry.h"
#include "tact/image_space.h"
#include "tact/mesh.h"
#include "tact/mesh_filter.h"
#include "tact/mesh_overlap.h"
#include "tact/pairs.h"
#include "tact/particle_bodies.h"
#include "tact/particles.h"
#include "tact/pick.h"
#include "tact/pick_target.h"
#include "tact/pinned.h"
#include "tact/points.h"
#include "tact/raycast.h"
#include "tact/record.h"
#include "tact/scene.h"
#include "tact/spherecast.h"
#include "tact/ticket.h"
#include "tact/triangle_mesh.h"
#include "tact/volumes.h"
