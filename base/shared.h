// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Arrays with several holders, which the last one to let go releases. Who wants to write must be the only one.
/// Holders may come and go in several threads.

#include "base/env.h"

/// An array with one holder, aligned to 64 bytes; as tact_allocate().
void* tact_shared_allocate(tact_env* env, size_t count, size_t size);

/// Adds a holder. Returns the array.
void* tact_shared_hold(void* array);

/// Takes a holder away. NULL is allowed.
void tact_shared_release(const tact_env* env, void* array);

bool tact_shared_is_sole(const void* array);
