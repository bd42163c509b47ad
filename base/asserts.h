// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What a function relies on, stated where it begins and tested where the library is built for it: TACT_ASSERTS, which
/// debug builds and builds with sanitizers define. Elsewhere a statement is compiled, so that it stays true of the
/// code's names and types, and never run. What callers of the public interface may get wrong is answered by a
/// tact_result and asserted nowhere.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tact_env;

/// TACT_ASSERT(condition): a bug of the library's if it does not hold. Calls the assertion hook of the context that the
/// thread has entered last, while that exists, or else the default one, which prints and aborts. A loop's threads have
/// entered what the loop's caller has.
/// TACT_ASSERT(env, condition): the same by the env's hook, and in every build.
#define TACT_ASSERT(...) \
    TACT_ASSERT_FORM(__VA_ARGS__, TACT_ASSERT_ALWAYS, TACT_ASSERT_HERE, 0)(#__VA_ARGS__, __VA_ARGS__)
#define TACT_ASSERT_FORM(a, b, form, ...) form
#define TACT_ASSERT_ALWAYS(text, env, condition) \
    ((condition) ? (void)0 : tact_assertion_failed((env), #condition, __FILE__, __LINE__))

/// Calls the assertion hook; aborts if it says so.
void tact_assertion_failed(struct tact_env* env, const char* condition, const char* file, int line);

/// TACT_VALIDATE(call): as TACT_ASSERT, of a function that walks over a whole structure. Such functions exist where
/// TACT_ASSERTS is defined, and are true of anything that holds more than TACT_VALIDATE_MOST elements.
enum { TACT_VALIDATE_MOST = 100000 };

#if defined(TACT_ASSERTS)

#define TACT_ASSERT_HERE(text, condition) ((condition) ? (void)0 : tact_assert_failed(text, __FILE__, __LINE__))
#define TACT_VALIDATE(call) TACT_ASSERT(call)

/// One thread at a time calls a hook here: a second that fails waits. A hook's own calls may fail again.
void tact_assert_failed(const char* condition, const char* file, int line);

/// Makes an env one whose hook is called, until it is taken back; its address stays the same meanwhile.
void tact_assert_attach(struct tact_env* env);
void tact_assert_detach(struct tact_env* env);

/// From now on the hook of this env is the thread's, if it is attached. Returns what was before.
uint64_t tact_assert_enter(const struct tact_env* env);

/// What the thread has entered, for another thread to enter too.
uint64_t tact_assert_entered(void);
uint64_t tact_assert_enter_as(uint64_t entered);

#else

// sizeof computes nothing.
#define TACT_ASSERT_HERE(text, condition) ((void)sizeof(!(condition)))
#define TACT_VALIDATE(call) ((void)sizeof(!(call)))

#endif
