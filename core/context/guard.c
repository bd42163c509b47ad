// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/context/guard.h"

#include <stdint.h>

#include "base/asserts.h"

void tact_guard_init(tact_guard* guard)
{
    tact_monitor_init(&guard->own);
    guard->asking = 0;
    guard->changing = NULL;
}

void tact_guard_destroy(tact_guard* guard)
{
    TACT_ASSERT(guard->asking == 0 && !guard->changing);
    tact_monitor_destroy(&guard->own);
}

void tact_guard_enter_both(tact_guard* a, tact_guard* b)
{
    const bool swapped = b && (uintptr_t)b < (uintptr_t)a;
    tact_monitor_enter(swapped ? &b->own : &a->own);
    if (b) tact_monitor_enter(swapped ? &a->own : &b->own);
}

void tact_guard_leave_both(tact_guard* a, tact_guard* b)
{
    if (b) tact_monitor_leave(&b->own);
    tact_monitor_leave(&a->own);
}

#if defined(TACT_ASSERTS)

void tact_guard_ask(tact_guard* guard)
{
    ++guard->asking;
    const void* one_thread_changes_what_another_asks = guard->changing;
    TACT_ASSERT(!one_thread_changes_what_another_asks);
}

void tact_guard_answered(tact_guard* guard)
{
    TACT_ASSERT(guard->asking > 0);
    --guard->asking;
}

void tact_guard_check(tact_guard* guard)
{
    const bool no_thread_asks_what_this_one_changes = guard->asking == 0;
    const bool no_other_thread_changes_it = !guard->changing || guard->changing == tact_thread_self();
    TACT_ASSERT(no_thread_asks_what_this_one_changes);
    TACT_ASSERT(no_other_thread_changes_it);
}

void tact_guard_change(tact_guard* guard)
{
    tact_guard_check(guard);
    guard->changing = tact_thread_self();
}

void tact_guard_changed(tact_guard* guard)
{
    guard->changing = NULL;
}

#endif
