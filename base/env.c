// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "base/env.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/platform.h"
#include "base/threads.h"

enum { ALIGNMENT = 64 };

static void* default_allocate(size_t size, size_t alignment, void* user)
{
    (void)user;
    return tact_platform_aligned_allocate(size, alignment);
}

static void default_release(void* memory, void* user)
{
    (void)user;
    tact_platform_aligned_release(memory);
}

static void default_log(tact_log_level level, const char* source, const char* message, void* user)
{
    (void)user;
    if (level < TACT_LOG_WARNING) return;
    fprintf(stderr, "tact: %s: %s: %s\n", level == TACT_LOG_ERROR ? "error" : "warning", source, message);
}

static bool default_assertion(const char* condition, const char* file, int line, void* user)
{
    (void)user;
    fprintf(stderr, "tact: assertion failed: %s at %s:%d\n", condition, file, line);
    return true;
}

void tact_env_init(tact_env* env, const tact_allocator* allocator, tact_log_fn* log, void* log_user,
                   tact_assert_fn* assertion, void* assertion_user)
{
    memset(env, 0, sizeof *env);
    if (allocator && allocator->allocate && allocator->release) {
        env->allocator = *allocator;
    } else {
        env->allocator.allocate = default_allocate;
        env->allocator.release = default_release;
    }
    env->log = log ? log : default_log;
    env->log_user = log_user;
    env->assertion = assertion ? assertion : default_assertion;
    env->assertion_user = assertion_user;
}

enum { ERROR_MAX = sizeof((tact_env*)0)->error };

/// The last call of each thread.
static TACT_THREAD_LOCAL struct {
    const tact_env* of;  ///< NULL: it had no context
    char error[ERROR_MAX];
} last;

/// Held over the error of any env: calls that fail are few.
static tact_mutex errors = TACT_MUTEX_INIT;

static void publish(tact_env* env)
{
    tact_mutex_lock(&errors);
    memcpy(env->error, last.error, sizeof env->error);
    env->has_error = env->error[0] != '\0';
    tact_mutex_unlock(&errors);
}

tact_result tact_fail(tact_env* env, tact_result result, const char* format, ...)
{
    char text[ERROR_MAX];  // what is formatted may be the last error
    va_list list;
    va_start(list, format);
    const int written = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (written < 0) text[0] = '\0';
    memcpy(last.error, text, strlen(text) + 1);
    if (env) publish(env);
    return result;
}

tact_result tact_null(tact_env* env, const char* argument)
{
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s is NULL", argument);
}

void tact_error_begin(tact_env* env)
{
    last.of = env;
    tact_error_clear(env);
}

void tact_error_clear(tact_env* env)
{
    last.error[0] = '\0';
    if (env && env->has_error) publish(env);
}

void tact_error_restore(tact_env* env, const char* error)
{
    tact_fail(env, TACT_OK, "%s", error);
}

const char* tact_error_of(const tact_env* env)
{
    static TACT_THREAD_LOCAL char other[ERROR_MAX];
    if (last.of == env || (!last.of && last.error[0])) return last.error;
    tact_mutex_lock(&errors);
    memcpy(other, env->error, sizeof other);
    tact_mutex_unlock(&errors);
    return other;
}

const char* tact_last_error(void)
{
    return last.error;
}

tact_result tact_fail_within(tact_env* env, tact_result result, const char* format, ...)
{
    char what[ERROR_MAX];
    va_list list;
    va_start(list, format);
    const int written = vsnprintf(what, sizeof what, format, list);
    TACT_ASSERT(written >= 0);
    va_end(list);
    return tact_fail(env, result, "%s%s", what, last.error);
}

void tact_log(tact_env* env, tact_log_level level, const char* source, const char* format, ...)
{
    char message[4096];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    env->log(level, source, message, env->log_user);
}

void tact_assertion_failed(tact_env* env, const char* condition, const char* file, int line)
{
    if (env->assertion(condition, file, line, env->assertion_user)) abort();
}

#if defined(TACT_ASSERTS)

/// Envs whose hooks may be called. What a thread has entered is a number and not an address, since the context may be
/// gone, and another be in its place, when the thread fails.
static struct {
    tact_mutex lock;
    tact_env* first;
    uint64_t made;
} attached = {.lock = TACT_MUTEX_INIT};

static TACT_THREAD_LOCAL uint64_t entered;

/// The thread is in a hook, and has the lock.
static TACT_THREAD_LOCAL bool failing;

void tact_assert_attach(tact_env* env)
{
    tact_mutex_lock(&attached.lock);
    env->number = ++attached.made;
    env->following = attached.first;
    attached.first = env;
    tact_mutex_unlock(&attached.lock);
}

void tact_assert_detach(tact_env* env)
{
    tact_mutex_lock(&attached.lock);
    tact_env** at = &attached.first;
    while (*at && *at != env)
        at = &(*at)->following;
    if (*at) *at = env->following;
    env->number = 0;
    tact_mutex_unlock(&attached.lock);
}

uint64_t tact_assert_enter(const tact_env* env)
{
    return tact_assert_enter_as(env->number);
}

uint64_t tact_assert_entered(void)
{
    return entered;
}

uint64_t tact_assert_enter_as(uint64_t number)
{
    const uint64_t before = entered;
    entered = number;
    return before;
}

void tact_assert_failed(const char* condition, const char* file, int line)
{
    const bool outer = !failing;
    if (outer) tact_mutex_lock(&attached.lock);
    failing = true;
    tact_env* env = entered ? attached.first : NULL;
    while (env && env->number != entered)
        env = env->following;
    const bool stop = env ? env->assertion(condition, file, line, env->assertion_user)
                          : default_assertion(condition, file, line, NULL);
    if (stop) abort();
    if (!outer) return;
    failing = false;
    tact_mutex_unlock(&attached.lock);
}

#endif

void* tact_allocate_in_loop(const tact_env* env, size_t count, size_t size)
{
    TACT_ASSERT(env->allocator.allocate && env->allocator.release);
    size_t bytes = 0;
    if (!tact_multiply_sizes(count, size, &bytes)) return NULL;
    return env->allocator.allocate(bytes ? bytes : 1, ALIGNMENT, env->allocator.user);
}

void* tact_allocate(tact_env* env, size_t count, size_t size)
{
    void* memory = tact_allocate_in_loop(env, count, size);
    if (!memory) tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: %zu x %zu bytes", count, size);
    return memory;
}

void* tact_allocate_zeroed(tact_env* env, size_t count, size_t size)
{
    void* memory = tact_allocate(env, count, size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

/// What an array of `capacity` that must hold `needed` is given.
static size_t grown_to(size_t capacity, size_t needed)
{
    const size_t twice = capacity < SIZE_MAX / 2 ? capacity * 2 : SIZE_MAX;
    return twice < needed ? needed : twice;
}

bool tact_reserve_in_loop(const tact_env* env, void** array, size_t* capacity, size_t used, size_t needed, size_t size)
{
    TACT_ASSERT(used <= *capacity && (used == 0 || *array) && size > 0);
    if (needed <= *capacity) return true;
    const size_t wanted = grown_to(*capacity, needed);
    void* grown = tact_allocate_in_loop(env, wanted, size);
    if (!grown) return false;
    if (used) memcpy(grown, *array, used * size);
    tact_release(env, *array);
    *array = grown;
    *capacity = wanted;
    return true;
}

bool tact_reserve(tact_env* env, void** array, size_t* capacity, size_t used, size_t needed, size_t size)
{
    if (tact_reserve_in_loop(env, array, capacity, used, needed, size)) return true;
    tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: %zu x %zu bytes", grown_to(*capacity, needed), size);
    return false;
}

void tact_release(const tact_env* env, void* memory)
{
    if (memory) env->allocator.release(memory, env->allocator.user);
}

bool tact_multiply_sizes(size_t a, size_t b, size_t* product)
{
    if (b && a > SIZE_MAX / b) return false;
    *product = a * b;
    return true;
}

bool tact_add_sizes(size_t a, size_t b, size_t* sum)
{
    if (a > SIZE_MAX - b) return false;
    *sum = a + b;
    return true;
}
