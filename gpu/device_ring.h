// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Transfers through rings of memory that the host and the device both see, for device_transfer.c. What goes up is
/// copied to a slot and sent from there, so that writing waits only where the ring is full of what was not sent yet;
/// what comes down is sent to one slot after another, each of which the host empties while the next is filled. All
/// calls lie between tact_device_enter and tact_device_leave.

#include "gpu/device_backend.h"

/// Whether transfers go through rings, which are made at first use. False for good when they cannot be made.
bool tact_rings_hold(tact_device* device);
/// Waits for the device and gives the rings back.
void tact_rings_drop(tact_device* device);

/// Sends straight from memory that is pinned, unless it is to be `copied`.
tact_result tact_ring_write(tact_buffer* buffer, size_t offset, const void* data, size_t bytes, bool copied);

/// Sends as much as there are slots for; one reading at a time.
tact_result tact_ring_read_begin(tact_reading* reading);
/// Waits until the device has taken what was sent from pinned memory.
tact_result tact_pinned_settle(tact_device* device);

/// Waits, sends the rest and takes it all.
tact_result tact_ring_read_end(tact_reading* reading);
