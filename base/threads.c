// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#endif

#include "base/threads.h"

#include "base/asserts.h"

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#include <limits.h>
#include <process.h>
#include <windows.h>

_Static_assert(sizeof(SRWLOCK) == sizeof(tact_mutex), "a tact_mutex is a slim lock");

void tact_mutex_init(tact_mutex* mutex)
{
    InitializeSRWLock((SRWLOCK*)mutex);
}

void tact_mutex_destroy(tact_mutex* mutex)
{
    (void)mutex;
}

void tact_mutex_lock(tact_mutex* mutex)
{
    AcquireSRWLockExclusive((SRWLOCK*)mutex);
}

bool tact_mutex_try_lock(tact_mutex* mutex)
{
    return TryAcquireSRWLockExclusive((SRWLOCK*)mutex) != 0;
}

void tact_mutex_unlock(tact_mutex* mutex)
{
    ReleaseSRWLockExclusive((SRWLOCK*)mutex);
}

bool tact_semaphore_init(tact_semaphore* semaphore)
{
    semaphore->handle = CreateSemaphoreA(NULL, 0, LONG_MAX, NULL);
    return semaphore->handle != NULL;
}

void tact_semaphore_destroy(tact_semaphore* semaphore)
{
    CloseHandle(semaphore->handle);
}

void tact_semaphore_post(tact_semaphore* semaphore)
{
    ReleaseSemaphore(semaphore->handle, 1, NULL);
}

void tact_semaphore_wait(tact_semaphore* semaphore)
{
    WaitForSingleObject(semaphore->handle, INFINITE);
}

static unsigned __stdcall enter(void* user)
{
    const tact_thread* thread = user;
    thread->function(thread->user);
    return 0;
}

bool tact_thread_start(tact_thread* thread, tact_thread_fn* function, void* user)
{
    thread->function = function;
    thread->user = user;
    thread->handle = (void*)_beginthreadex(NULL, 0, enter, thread, 0, NULL);
    return thread->handle != NULL;
}

void tact_thread_join(tact_thread* thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

void tact_thread_at_fork(void (*function)(void))
{
    (void)function;
}

#else

#include <errno.h>
#include <signal.h>

void tact_mutex_init(tact_mutex* mutex)
{
    pthread_mutex_init(&mutex->lock, NULL);
}

void tact_mutex_destroy(tact_mutex* mutex)
{
    pthread_mutex_destroy(&mutex->lock);
}

void tact_mutex_lock(tact_mutex* mutex)
{
    pthread_mutex_lock(&mutex->lock);
}

bool tact_mutex_try_lock(tact_mutex* mutex)
{
    return pthread_mutex_trylock(&mutex->lock) == 0;
}

void tact_mutex_unlock(tact_mutex* mutex)
{
    pthread_mutex_unlock(&mutex->lock);
}

#if defined(__APPLE__)

bool tact_semaphore_init(tact_semaphore* semaphore)
{
    semaphore->handle = dispatch_semaphore_create(0);
    return semaphore->handle != NULL;
}

void tact_semaphore_destroy(tact_semaphore* semaphore)
{
    dispatch_release(semaphore->handle);
}

void tact_semaphore_post(tact_semaphore* semaphore)
{
    dispatch_semaphore_signal(semaphore->handle);
}

void tact_semaphore_wait(tact_semaphore* semaphore)
{
    dispatch_semaphore_wait(semaphore->handle, DISPATCH_TIME_FOREVER);
}

#else

bool tact_semaphore_init(tact_semaphore* semaphore)
{
    return sem_init(&semaphore->semaphore, 0, 0) == 0;
}

void tact_semaphore_destroy(tact_semaphore* semaphore)
{
    sem_destroy(&semaphore->semaphore);
}

void tact_semaphore_post(tact_semaphore* semaphore)
{
    sem_post(&semaphore->semaphore);
}

void tact_semaphore_wait(tact_semaphore* semaphore)
{
    while (sem_wait(&semaphore->semaphore) != 0 && errno == EINTR) {
    }
}

#endif

static void* enter(void* user)
{
    const tact_thread* thread = user;
    thread->function(thread->user);
    return NULL;
}

bool tact_thread_start(tact_thread* thread, tact_thread_fn* function, void* user)
{
    thread->function = function;
    thread->user = user;
    // A new thread inherits the mask: the program's handlers run on the program's threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(&thread->handle, NULL, enter, thread) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void tact_thread_join(tact_thread* thread)
{
    pthread_join(thread->handle, NULL);
}

void tact_thread_at_fork(void (*function)(void))
{
    pthread_atfork(NULL, NULL, function);
}

#endif

const void* tact_thread_self(void)
{
    static TACT_THREAD_LOCAL char self;
    return &self;
}

void tact_monitor_init(tact_monitor* monitor)
{
    tact_mutex_init(&monitor->lock);
    monitor->owner = NULL;
    monitor->depth = 0;
}

void tact_monitor_destroy(tact_monitor* monitor)
{
    TACT_ASSERT(monitor->depth == 0);
    tact_mutex_destroy(&monitor->lock);
}

/// Whether the calling thread holds it already. No other thread ever writes this one's name.
static bool is_mine(const tact_monitor* monitor)
{
    return monitor->owner == tact_thread_self();
}

void tact_monitor_enter(tact_monitor* monitor)
{
    if (!is_mine(monitor)) {
        tact_mutex_lock(&monitor->lock);
        monitor->owner = tact_thread_self();
    }
    ++monitor->depth;
}

bool tact_monitor_try_enter(tact_monitor* monitor)
{
    if (!is_mine(monitor)) {
        if (!tact_mutex_try_lock(&monitor->lock)) return false;
        monitor->owner = tact_thread_self();
    }
    ++monitor->depth;
    return true;
}

void tact_monitor_leave(tact_monitor* monitor)
{
    TACT_ASSERT(is_mine(monitor) && monitor->depth > 0);
    if (--monitor->depth > 0) return;
    monitor->owner = NULL;
    tact_mutex_unlock(&monitor->lock);
}
