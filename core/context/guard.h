// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Of an object that threads share: any number may ask it at once, and one may change it while none asks. Nothing waits
/// for that, which is the callers' to see to; builds with TACT_ASSERTS say when they did not.

#include "base/threads.h"

/// All zeros and tact_guard_init().
typedef struct tact_guard {
    tact_monitor own;  ///< held while a call finds out what later ones need too
    TACT_ATOMIC(uint32_t) asking;
    TACT_ATOMIC(const void*) changing;  ///< a thread
} tact_guard;

void tact_guard_init(tact_guard* guard);
void tact_guard_destroy(tact_guard* guard);

/// Holds two objects' own locks, in an order that all threads keep to. `b` may be NULL.
void tact_guard_enter_both(tact_guard* a, tact_guard* b);
void tact_guard_leave_both(tact_guard* a, tact_guard* b);

#if defined(TACT_ASSERTS)
/// Brackets a call that asks.
void tact_guard_ask(tact_guard* guard);
void tact_guard_answered(tact_guard* guard);
/// Fails an assertion at the start of a change while a call asks.
void tact_guard_check(tact_guard* guard);
/// Brackets a change that takes long.
void tact_guard_change(tact_guard* guard);
void tact_guard_changed(tact_guard* guard);
#else
#define tact_guard_ask(guard) ((void)(guard))
#define tact_guard_answered(guard) ((void)(guard))
#define tact_guard_check(guard) ((void)(guard))
#define tact_guard_change(guard) ((void)(guard))
#define tact_guard_changed(guard) ((void)(guard))
#endif
