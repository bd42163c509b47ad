// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A context with one backend, whose blocks of memory are counted. Include after run.h.

#include "core/context/context.h"
#include "tact/tact.h"
#include "tests/support/counting_allocator.h"

typedef struct machine {
    counting_allocator counter;
    tact_allocator hooks;
    tact_context* context;
    tact_device* device;  ///< NULL: the CPU
    tact_backend backend;
    size_t warnings;  ///< in the log
} machine;

static inline void count_warnings(tact_log_level level, const char* source, const char* message, void* user)
{
    (void)source;
    (void)message;
    ((machine*)user)->warnings += level == TACT_LOG_WARNING;
}

/// In place, since the context points to the counter. False: there is no such device here.
static inline bool open_machine(machine* m, tact_backend backend, int threads)
{
    *m = (machine){.backend = backend};
    m->hooks = counting_hooks(&m->counter);
    const tact_context_desc desc = {.allocator = m->hooks,
                                    .gl = backend == TACT_BACKEND_GL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = backend == TACT_BACKEND_CL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .log = count_warnings,
                                    .log_user = m,
                                    .threads = threads};
    assert_int_equal(tact_context_create(&desc, &m->context), TACT_OK);
    if (backend == TACT_BACKEND_CPU || backend == TACT_BACKEND_REFERENCE) return true;
    if (!device_missing(m->context, backend)) {
        m->device = m->context->devices[tact_context_find(m->context, backend)];
        return true;
    }
    tact_context_destroy(m->context);
    assert_int_equal(m->counter.live, 0);
    return false;
}

static inline void close_machine(machine* m)
{
    tact_context_destroy(m->context);
    if (m->counter.live != 0) fail_msg("%zu blocks were left over", m->counter.live);
}
