// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file base.h
/// The basis of all other headers: linkage, result codes, hooks. Depends on the C library alone.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tact/version.h"

/// @def TACT_EXTERN_C
/// C linkage, also where C++ includes these headers.

#ifdef __cplusplus
#define TACT_EXTERN_C extern "C"
#else
#define TACT_EXTERN_C extern
#endif

/// @def TACT_API
/// Declares a public function: C linkage, and visible in a shared library.

#if defined(_WIN32) && defined(TACT_SHARED)
#ifdef TACT_BUILDING
#define TACT_API TACT_EXTERN_C __declspec(dllexport)
#else
#define TACT_API TACT_EXTERN_C __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define TACT_API TACT_EXTERN_C __attribute__((visibility("default")))
#else
#define TACT_API TACT_EXTERN_C
#endif

/// The result of a call. Zero is success, a positive value is success with a remark, a negative one is an error. Every
/// function that returns one sets the detail: one sentence after an error, empty after success. tact_last_error()
/// returns it on the same thread, tact_context_error() for the call's context. Calls that return anything else leave
/// the detail as it is.
typedef enum tact_result {
    TACT_OK = 0,
    TACT_INCOMPLETE = 1,                   ///< the output buffer was too small; the size needed was reported
    TACT_ERROR_INVALID_ARGUMENT = -1,      ///< an argument breaks the documented contract; nothing was done
    TACT_ERROR_OUT_OF_MEMORY = -2,         ///< the allocator returned NULL
    TACT_ERROR_DEVICE_OUT_OF_MEMORY = -3,  ///< the device could not hold a buffer
    TACT_ERROR_NO_DEVICE = -4,             ///< the requested backend is not available
    TACT_ERROR_DEVICE_LOST = -5,           ///< the device or its context stopped responding
    TACT_ERROR_DEVICE = -6,                ///< any other error of a device's driver
    TACT_ERROR_KERNEL_BUILD = -7,          ///< a kernel did not compile or link; the detail holds the build log
    TACT_ERROR_LIMIT = -8,                 ///< the work exceeds a limit of the device or of the format
    TACT_ERROR_UNSUPPORTED = -9,           ///< built without it, or the device lacks it
    TACT_ERROR_SHADOW_MISMATCH = -10,      ///< shadow checking found a result that differs from the reference
    TACT_ERROR_CANCELLED = -11,            ///< the progress callback returned false
    TACT_ERROR_INTERNAL = -12              ///< a broken invariant; please report it
} tact_result;

/// Returns the name of a result code, such as "TACT_ERROR_LIMIT". Never NULL. Thread-safe.
TACT_API const char* tact_result_name(tact_result result);

/// Returns one sentence about a result code. Never NULL. Thread-safe.
TACT_API const char* tact_result_string(tact_result result);

/// Returns the detail of the calling thread's last call that returned a tact_result, with a context or without: one
/// sentence after an error, such as "scene is NULL"; empty after success. Never NULL. Valid until the thread's next
/// call. Thread-safe: each thread has its own.
TACT_API const char* tact_last_error(void);

/// Returns the library's version as "major.minor.patch", which is TACT_VERSION_STRING when header and library agree.
TACT_API const char* tact_version(void);

/// Returns the version of the library's binary interface, which is TACT_ABI_VERSION when it fits the headers that the
/// program was compiled with: a program that loads the library at run time asks before anything else. docs/support.md
TACT_API uint32_t tact_abi_version(void);

/// Returns what the library was built with, for bug reports: compiler, threads, backends. Never NULL. Thread-safe.
TACT_API const char* tact_build_info(void);

/// Memory hooks. Leave both functions NULL for the C library's. Both may be called from any thread.
typedef struct tact_allocator {
    /// Returns `size` bytes (never 0) aligned to `alignment` (a power of two, at most 64), or NULL.
    void* (*allocate)(size_t size, size_t alignment, void* user);
    /// Releases what allocate returned. Never called with NULL.
    void (*release)(void* memory, void* user);
    void* user;  ///< passed to both
} tact_allocator;

/// The severity of a message.
typedef enum tact_log_level {
    TACT_LOG_DEBUG = 0,
    TACT_LOG_INFO = 1,
    TACT_LOG_WARNING = 2,
    TACT_LOG_ERROR = 3
} tact_log_level;

/// Does a part of what a thread of the caller's has asked for, if there is some left.
typedef void tact_task_fn(uint64_t task);

/// Workers of the caller's, such as those of a game's job system, that take part in queries in place of threads of the
/// library's. Leave all zero for these.
typedef struct tact_tasks {
    /// Has one of the workers call run(task), once and soon; in which order, and in which thread, does not matter. The
    /// thread that asks does not wait for it: it works on the query too, and waits only for workers that have begun, a
    /// piece of some tens of microseconds each. What is run late, also after the query or its context has ended, does
    /// nothing; the library must still be loaded. Returns false when there is no room: then it is not run. Called from
    /// threads that ask, at most `workers` times for each loop.
    bool (*enqueue)(tact_task_fn* run, uint64_t task, void* user);
    void* user;            ///< passed to it
    int workers;           ///< how many there are, beside the thread that asks
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_tasks;

/// Receives one message without a line end. `source` is the module that sent it. May be called from any thread, and
/// must not call the library with the same context.
typedef void tact_log_fn(tact_log_level level, const char* source, const char* message, void* user);

/// Called when an internal assertion fails. Return true to abort the program, false to go on at your own risk. May be
/// called from any thread, also one of the library's own, but by one at a time where the library is built with
/// TACT_ASSERTS: then it tests many more assertions than otherwise, and a thread calls the hook of the context that it
/// was last called with, or of the one whose work it does. It must not create or destroy a context.
typedef bool tact_assert_fn(const char* condition, const char* file, int line, void* user);

/// Receives the progress of a long call, 0 to 1. Return false to cancel: the call then returns TACT_ERROR_CANCELLED.
/// Called from the calling thread only.
typedef bool tact_progress_fn(double fraction, void* user);
