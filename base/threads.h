// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Threads and what they wait on, as operating systems have them.

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"

#if defined(_WIN32)
// SRWLOCK and HANDLE without windows.h, whose macros no file that includes this should have to bear.
typedef struct tact_mutex {
    void* lock;
} tact_mutex;
#define TACT_MUTEX_INIT \
    {                   \
        0               \
    }
typedef struct tact_semaphore {
    void* handle;
} tact_semaphore;
typedef void* tact_thread_handle;
#else
#include <pthread.h>
typedef struct tact_mutex {
    pthread_mutex_t lock;
} tact_mutex;
#define TACT_MUTEX_INIT           \
    {                             \
        PTHREAD_MUTEX_INITIALIZER \
    }
#if defined(__APPLE__)
#include <dispatch/dispatch.h>
typedef struct tact_semaphore {
    dispatch_semaphore_t handle;
} tact_semaphore;
#else
#include <semaphore.h>
typedef struct tact_semaphore {
    sem_t semaphore;
} tact_semaphore;
#endif
typedef pthread_t tact_thread_handle;
#endif

/// Makes a lock; one that is static may have TACT_MUTEX_INIT instead, and need not be destroyed.
void tact_mutex_init(tact_mutex* mutex);
void tact_mutex_destroy(tact_mutex* mutex);
void tact_mutex_lock(tact_mutex* mutex);
bool tact_mutex_try_lock(tact_mutex* mutex);
void tact_mutex_unlock(tact_mutex* mutex);

/// Names the calling thread: no other that runs has this name.
const void* tact_thread_self(void);

/// A lock that the thread which holds it may take again, and gives back as often.
typedef struct tact_monitor {
    tact_mutex lock;
    TACT_ATOMIC(const void*) owner;  ///< a thread; NULL: none
    size_t depth;
} tact_monitor;

void tact_monitor_init(tact_monitor* monitor);
void tact_monitor_destroy(tact_monitor* monitor);
void tact_monitor_enter(tact_monitor* monitor);
/// Returns false, at once, where another thread holds it.
bool tact_monitor_try_enter(tact_monitor* monitor);
void tact_monitor_leave(tact_monitor* monitor);

/// Makes a semaphore that counts from 0. False when the system has none left.
bool tact_semaphore_init(tact_semaphore* semaphore);
void tact_semaphore_destroy(tact_semaphore* semaphore);
/// Counts up; never blocks.
void tact_semaphore_post(tact_semaphore* semaphore);
/// Waits until the count is above 0, and counts down.
void tact_semaphore_wait(tact_semaphore* semaphore);

/// What a thread runs.
typedef void tact_thread_fn(void* user);

typedef struct tact_thread {
    tact_thread_fn* function;
    void* user;
    tact_thread_handle handle;
} tact_thread;

/// Starts a thread that receives no signals; `thread` stays where it is until the thread is joined. False when it
/// cannot be started.
bool tact_thread_start(tact_thread* thread, tact_thread_fn* function, void* user);
void tact_thread_join(tact_thread* thread);

/// Calls `function` in each child that the process forks from now on, which has one thread alone.
void tact_thread_at_fork(void (*function)(void));
