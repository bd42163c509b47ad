// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The devices of a context, which are opened when they are needed first. Opening one takes the context's `queue`, so
/// that no lock below that may be held.

#include "core/context/context.h"

/// Opens those that are to be opened with the context.
void tact_context_prepare_devices(tact_context* context, const tact_context_desc* desc);

/// Closes them. Nothing may lie on one.
void tact_context_close_devices(tact_context* context);

/// Whether a device might be there that is not open yet.
bool tact_context_opens_more(const tact_context* context);

/// Opens all.
void tact_context_open_all(const tact_context* context);
