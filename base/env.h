// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What every module is handed: the caller's hooks and the place for an error's detail. Knows nothing of contexts,
/// so that cpu_ref and gpu depend on this alone.

#include "base/asserts.h"
#include "base/compiler.h"
#include "tact/base.h"

typedef struct tact_env {
    tact_allocator allocator;
    tact_log_fn* log;
    void* log_user;
    tact_assert_fn* assertion;
    void* assertion_user;
    char error[2048];             ///< detail of the last failure in any thread, under a lock of base/env.c
    TACT_ATOMIC(bool) has_error;  ///< it is not empty
#if defined(TACT_ASSERTS)
    uint64_t number;             ///< no other env of the process has, or had, this one; 0: it is not attached
    struct tact_env* following;  ///< in the list of those that are attached
#endif
} tact_env;

#if defined(__MINGW32__)
// Its printf is the C one, not Microsoft's, by __USE_MINGW_ANSI_STDIO.
#define TACT_PRINTF(text, first) __attribute__((__format__(__gnu_printf__, text, first)))
#elif defined(__GNUC__)
#define TACT_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define TACT_PRINTF(text, first)
#endif

/// Fills in the C library's hooks where the caller gave none.
void tact_env_init(tact_env* env, const tact_allocator* allocator, tact_log_fn* log, void* log_user,
                   tact_assert_fn* assertion, void* assertion_user);

/// Stores the detail, which tact_last_error() returns in this thread, and returns `result`, so that a failure is one
/// statement. `env` NULL: of a call that has no context.
tact_result tact_fail(tact_env* env, tact_result result, const char* format, ...) TACT_PRINTF(3, 4);

/// Puts what is being done before the detail: "casting rays on cl: " + detail.
tact_result tact_fail_within(tact_env* env, tact_result result, const char* format, ...) TACT_PRINTF(3, 4);

/// Fails with INVALID_ARGUMENT: "scene is NULL", by the argument's name in the public header. `env` as above.
tact_result tact_null(tact_env* env, const char* argument);

/// Begins a public call that returns a tact_result: empties the details of the calls before. `env` NULL: the call has
/// no context, and tact_context_error() of any gives what tact_last_error() gives until the thread's next call.
void tact_error_begin(tact_env* env);
/// Empties the details of a failure that did not matter.
void tact_error_clear(tact_env* env);
/// Puts back a detail that was copied before something else was tried.
void tact_error_restore(tact_env* env, const char* error);
/// What tact_context_error() returns.
const char* tact_error_of(const tact_env* env);

void tact_log(tact_env* env, tact_log_level level, const char* source, const char* format, ...) TACT_PRINTF(4, 5);

/// Memory from the caller's allocator, aligned to 64 bytes. `count` * `size` is checked for overflow; a product of 0
/// gives a valid pointer. NULL when there is none, with the detail set.
void* tact_allocate(tact_env* env, size_t count, size_t size);
void* tact_allocate_zeroed(tact_env* env, size_t count, size_t size);
/// Grows an array to hold at least `needed` elements, keeping the first `used`; capacity at least doubles.
/// False when out of memory: the array is then as before.
bool tact_reserve(tact_env* env, void** array, size_t* capacity, size_t used, size_t needed, size_t size);
/// The same for the threads of a loop: the detail is left alone. Who ran the loop sets it.
void* tact_allocate_in_loop(const tact_env* env, size_t count, size_t size);
bool tact_reserve_in_loop(const tact_env* env, void** array, size_t* capacity, size_t used, size_t needed, size_t size);
/// NULL is allowed.
void tact_release(const tact_env* env, void* memory);

/// a * b and a + b, false on overflow.
bool tact_multiply_sizes(size_t a, size_t b, size_t* product);
bool tact_add_sizes(size_t a, size_t b, size_t* sum);
