// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a context: the hooks and the devices.

#include "base/env.h"
#include "base/memory_pool.h"
#include "core/context/cost_model.h"
#include "core/context/tickets.h"
#include "tact/context.h"

#ifdef TACT_HAVE_GPU
#include "gpu/device.h"
#else
typedef struct tact_device tact_device;
#endif

/// One of each backend, but for AUTO and the reference, which is the CPU's.
enum { TACT_MAX_DEVICES = TACT_BACKEND_COUNT - 2 };

/// Measures sample work of a query's method, of which nothing is known, on the context's devices `devices`. Returns
/// whether it was measured now.
typedef bool tact_first_use_fn(tact_context* context, const char* query, const char* method, const uint32_t* devices,
                               size_t count);

struct tact_context {
    tact_env env;
    tact_env own_env;        ///< what the context itself was allocated by
    tact_memory_pool* pool;  ///< NULL: env allocates as the caller says
    int threads;
    uint32_t device_count;
    tact_device* devices[TACT_MAX_DEVICES];  ///< [0] is the CPU and NULL
    tact_device_info cpu;
    char missing[TACT_BACKEND_COUNT][512];  ///< why there is no device of a backend
    uint64_t scenes_made;
    struct tact_recorder* recorder;       ///< NULL: nothing is recorded. core/record/record.h
    struct tact_record_witness* witness;  ///< NULL: nobody waits for the digest of an answer
    tact_tickets tickets;                 ///< of queries that were submitted
    size_t objects;                       ///< made from the context and not destroyed yet

    tact_cost_table costs[TACT_MAX_DEVICES];  ///< what is known of each device
    tact_decision decision;                   ///< of the last query
    bool costs_loaded;                        ///< of what was calibrated on this machine, as far as there is any
    bool calibrating;                         ///< a calibration is running
    tact_first_use_fn* first_use;             ///< NULL: nothing is measured at first use
    bool uncalibrated;                        ///< none is read, and none is made at first use
    uint64_t lazily_done;                     ///< a bit for each sample work that was measured at first use
    char cache_directory[1024];               ///< empty: nothing is kept
    const struct tact_cost_watch* watch;      ///< NULL, or who is told of each answer: core/dispatch/dispatch.h
    tact_cost_late late;                      ///< the last query's answer, when a device is still at it
    double (*clock)(void);                    ///< NULL: tact_platform_milliseconds(); what answers are timed by
};

/// Begins a public call on a context or on what was made from it, called `name` in the header: false when it is NULL,
/// with the detail set.
bool tact_enter(const tact_context* context, const char* name);

/// Facts about device `index`, which must exist.
const tact_device_info* tact_context_describe(const tact_context* context, uint32_t index);

/// The device of a backend, or -1. REFERENCE runs on the CPU's.
int tact_context_find(const tact_context* context, tact_backend backend);
