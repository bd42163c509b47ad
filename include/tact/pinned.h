// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file pinned.h
/// Memory of the host that a device transfers from and to without a copy on the way. What is asked of a GPU goes there
/// through memory of the library's own, which costs the host two copies: as much time as the bus takes, or more. Arrays
/// that lie in pinned memory go and come straight. Use it for large arrays that many calls use, such as the rays and
/// hits of every frame: making it takes long, and what is pinned no other program can have.

#include "tact/context.h"

/// Created by tact_pinned_create(). Any thread may read and write the memory.
typedef struct tact_pinned tact_pinned;

/// Creates memory for a device's transfers: of a backend, or with TACT_BACKEND_AUTO of the OpenCL device or else the
/// OpenGL one that is no software. Where that device is missing or cannot pin, it is ordinary memory
/// (tact_pinned_is_direct()). Its bytes have any values, and the first is aligned to 64. Arrays of queries may lie
/// anywhere in it, at multiples of 4. What a call has read may be changed once the call has returned, as in any memory.
/// Of an adopted OpenGL context it is created and destroyed in that context's thread. Errors: INVALID_ARGUMENT (no such
/// backend), LIMIT (more bytes than half of the addresses), OUT_OF_MEMORY.
TACT_API tact_result tact_pinned_create(tact_context* context, tact_backend backend, size_t bytes,
                                        tact_pinned** pinned);
/// Destroys it, before its context and when no call uses it. NULL is allowed.
TACT_API void tact_pinned_destroy(tact_pinned* pinned);

/// Returns the memory. NULL for NULL.
TACT_API void* tact_pinned_data(tact_pinned* pinned);
/// Returns how many bytes were asked for. 0 for NULL.
TACT_API size_t tact_pinned_size(const tact_pinned* pinned);
/// Tests whether a device reaches it: false for ordinary memory, and for NULL.
TACT_API bool tact_pinned_is_direct(const tact_pinned* pinned);
