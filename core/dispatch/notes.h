// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Notes of the last decisions of a context, by thread. Threads that ask one context at once write to memory of their
/// own, and calls of a few microseconds of which enough is known neither read nor write what threads share, but for
/// one of sixteen.
///
/// Thread-safe. No lock that is taken here is held on return; `shared` may be held by the caller.

#include "core/context/context.h"

/// What calls take at most, in ms, that are decided and learned from now and then only.
#define TACT_NOTES_SMALL 0.1

/// Makes the notes of a context that has none. False when there is no memory.
bool tact_notes_create(tact_context* context);
void tact_notes_destroy(tact_context* context);

/// Fills in the choices of a call by AUTO as they were for an earlier call of this thread that the CPU ran. `cpu`: the
/// CPU and what the call costs there. Returns false where the call is to be decided anew; `owed`: what the calls since
/// the last decision were expected to take, in ms.
bool tact_notes_recall(tact_context* context, const tact_choice* cpu, tact_decision* decision, double* owed);

/// Notes a call that the CPU ran in `ms` by the caller's choice, unless it is one to learn from, which is returned.
/// `at`: now.
bool tact_notes_learns(tact_context* context, const tact_decision* decision, double ms, double at);

/// Notes a decision. `known`: the CPU ran the call by the first choice, and no more calls of its kind need be learned
/// from for now.
void tact_notes_keep(tact_context* context, const tact_decision* decision, double at, bool known);

/// The backend that answered; AUTO: none.
tact_backend tact_notes_answer(const tact_decision* decision);

/// The same of the calling thread's last call, where it has made one.
tact_backend tact_notes_last_answer(tact_context* context);

/// Copies the last decision of all threads. `query` is NULL where there is none.
void tact_notes_last(tact_context* context, tact_decision* decision);
