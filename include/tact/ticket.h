// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file ticket.h
/// Queries that are submitted now and waited for later: the answers of queries that are not, to the bit.
///
/// Every function that takes a tact_query_options submits its query when `ticket` is set there. It returns the errors
/// that it would return otherwise, and then there is no ticket. Else *ticket is one, and the function has returned
/// TACT_OK or, where that is known already, TACT_INCOMPLETE. What is asked may be changed or freed at once: the query
/// is of the objects as they are now (a scene: as committed), whatever becomes of them afterwards. The arrays and
/// counts of the answer, buffers on a device among them, and the report must live until tact_wait() has returned; they
/// are written at any time until then.
///
/// Ray casts on OpenGL and OpenCL go on after their function has returned: tact_raycast() and tact_raycast_with(),
/// without rules and `shadow`. They wait for nothing but rays in host memory to have been copied; commands that write
/// rays on the device must have been issued before (OpenGL: followed by glMemoryBarrier where shaders write). All other
/// queries are answered before their function returns, ray casts on the CPU too, and only the result and the report are
/// kept; any of them may go on in a later version. Of particles, what is waited for is that the steps have been issued,
/// as ever: tact_particles_wait() waits for the device.
///
/// A ticket may be waited for in another thread than it was given out in, but by one at a time.

#include "tact/context.h"

enum { TACT_MAX_TICKETS = 64 /**< of a context at a time; one query more is TACT_ERROR_LIMIT */ };

/// Sets *done to whether the answer is there, without waiting. Errors: INVALID_ARGUMENT (a ticket that is unknown or
/// used up).
TACT_API tact_result tact_poll(tact_context* context, tact_ticket ticket, bool* done);

/// Waits until the query is answered, and returns its result. Answers in a buffer on a device are written by commands
/// that have been issued when this returns, so that commands issued later see them. The ticket is then used up, also
/// after an error: that of a device that failed meanwhile, when the answer is unspecified and no other backend is
/// tried. `report` may be NULL; the query time of an answer that was on its way is that from submitting to here.
/// Tickets may be waited for in any order. Errors: INVALID_ARGUMENT (a ticket that is unknown or used up).
TACT_API tact_result tact_wait(tact_context* context, tact_ticket ticket, tact_query_report* report);

/// Forgets a query; an answer that was on its way is not written. Unknown tickets are ignored. Destroying a scene
/// forgets its casts on their way, and destroying the context everything.
TACT_API void tact_cancel(tact_context* context, tact_ticket ticket);
