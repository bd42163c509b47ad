// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file raycast_submit.h
/// Ray casts that are submitted now and waited for later: the hits of tact_raycast_with(), to the bit.

#include "tact/raycast.h"

/// A cast on its way, of one scene. 0: none.
typedef uint64_t tact_raycast_ticket;

enum { TACT_MAX_SUBMITTED_CASTS = 16 /**< of a scene at a time */ };

/// Submits a cast. Once this has returned the rays, the work, its rules and the arrays' descriptions may be changed or
/// freed; the hits are written by tact_raycast_wait(), and host hits must live until then, as buffers on a device must.
/// The cast is of the scene as committed now, whatever becomes of it afterwards. On OpenGL and OpenCL this does not
/// wait for the cast, only for rays in host memory to have been copied. Commands that write the rays on the device must
/// have been issued before (OpenGL: followed by glMemoryBarrier where shaders write). The CPU and the reference do all
/// the work before this returns, as devices do with rules, and the next backend where a device fails now and
/// `no_fallback` is false. AUTO chooses the device on which an array lies. Errors: as tact_raycast(); INVALID_ARGUMENT
/// also for a buffer too small or of another device; UNSUPPORTED with `shadow`; LIMIT (TACT_MAX_SUBMITTED_CASTS are on
/// their way).
TACT_API tact_result tact_raycast_submit(tact_scene* scene, const tact_raycast_work* work,
                                         const tact_query_options* options, tact_raycast_ticket* ticket);
/// Whether the cast is done, without waiting. INVALID_ARGUMENT: a ticket that is unknown or used up.
TACT_API tact_result tact_raycast_poll(tact_scene* scene, tact_raycast_ticket ticket, bool* done);
/// Waits until the cast is done, and writes the hits; to a buffer on a device by commands that have been issued when
/// this returns, so that commands issued later see them. The ticket is then used up, also after an error: that of a
/// device that failed meanwhile, when the hits are unspecified and no other backend is tried.
/// `report` may be NULL; its query time is that from submitting to here. Tickets may be waited for in any order.
/// INVALID_ARGUMENT: a ticket that is unknown or used up.
TACT_API tact_result tact_raycast_wait(tact_scene* scene, tact_raycast_ticket ticket, tact_query_report* report);
/// Forgets a cast; its hits are not written. Unknown tickets are ignored. Destroying the scene forgets all of its.
TACT_API void tact_raycast_cancel(tact_scene* scene, tact_raycast_ticket ticket);
