// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Keeps numbers away from devices on which they would become zero on the way.

#include "core/scene/scene.h"

enum { TACT_RAY_FLOATS = 8, TACT_RAY_LIMIT = 7 };

/// Fails where a device that flushes subnormal numbers is asked with numbers of which products and quotients are likely
/// to be such: numbers of the scene's vertices and matrices, or of `count` rows of `width` floats, that are neither 0
/// nor of 2^-110 to 2^40 in magnitude. Number `limit` of a row, up to which is searched, may be larger. Infinite and
/// NaN rows have answers without arithmetic. `rows` NULL: they lie on the device and are not looked at. That keeps away
/// what is hostile and proves nothing: reports of such a device are not `exact`. Takes a pass over the rows, and over
/// the scene when that changed; on other devices nothing. Errors: UNSUPPORTED.
tact_result tact_refuse_flushed(tact_scene* scene, uint32_t device, const void* rows, size_t count, size_t width,
                                size_t limit);
