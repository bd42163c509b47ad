// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside a context: the hooks and the devices. Its queries may be asked by several threads at once. What they share
/// is under `shared`, a lock that is held for a few instructions; devices answer one call at a time, under `queue`; and
/// calls that are recorded run one at a time, under `recording`. A thread that takes several takes them in this order:
/// recording, that of a set of volumes, queue, that of a scene or a mesh, shared, those of `notes`.

#include "base/env.h"
#include "base/memory_pool.h"
#include "base/threads.h"
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
    tact_tasks tasks;                        ///< all zeros: there are none
    TACT_ATOMIC(uint32_t) device_count;      ///< those that are open
    tact_device* devices[TACT_MAX_DEVICES];  ///< [0] is the CPU and NULL
    TACT_ATOMIC(uint32_t) settled;           ///< a bit for each backend that is open or missing; devices.h
    tact_device_info cpu;
    char missing[TACT_BACKEND_COUNT][512];  ///< why there is no device of a backend
    TACT_ATOMIC(uint64_t) scenes_made;
    TACT_ATOMIC(size_t) objects;  ///< made from the context and not destroyed yet
    tact_monitor recording, queue;

    struct tact_recorder* recorder;       ///< NULL: nothing is recorded. core/record/record.h
    struct tact_record_witness* witness;  ///< NULL: nobody waits for the digest of an answer
    TACT_ATOMIC(bool) calibrating;        ///< a calibration is running
    tact_cost_late late;           ///< the last answer of a device, when that is still at it; under the queue's lock
    tact_first_use_fn* first_use;  ///< NULL: nothing is measured at first use
    bool uncalibrated;             ///< none is read, and none is made at first use
    char cache_directory[1024];    ///< empty: nothing is kept
    double (*clock)(void);         ///< what answers are timed by; NULL: tact_context_milliseconds()
    uint32_t device_number;        ///< as in tact_context_desc
    tact_device_model model;       ///< whose times OpenCL's device has; without a name: its own

    struct tact_notes* notes;             ///< of the last decisions, which have locks of their own
    TACT_ATOMIC(uint32_t) costs_changed;  ///< how often calibrations were read, made or dropped
    tact_mutex shared;
    tact_tickets tickets;                     ///< of queries that were submitted
    tact_cost_table costs[TACT_MAX_DEVICES];  ///< what is known of each device
    uint32_t costs_loaded;                    ///< a bit for each device whose calibration was looked for
    double unopened_ms;                       ///< what the CPU was expected to take while devices were not open
    uint64_t lazily_done;                     ///< a bit for each sample work that was measured at first use
};

/// Begins a public call on a context or on what was made from it, called `name` in the header: false when it is NULL,
/// with the detail set.
bool tact_enter(const tact_context* context, const char* name);

/// While the calling thread is in a function of the caller's that may call nothing of a context: tact_enter() is false
/// for that. NULL: it may. Returns what was closed before.
const tact_context* tact_context_close(const tact_context* context);
bool tact_context_is_closed(const tact_context* context);

/// Facts about device `index`, which must exist; not `lost`.
const tact_device_info* tact_context_describe(const tact_context* context, uint32_t index);

/// Whether device `index` was lost. At any time.
bool tact_context_lost(const tact_context* context, uint32_t index);

/// The device of a backend, which is opened where it is not open yet, or -1. REFERENCE runs on the CPU's. Takes the
/// queue where it opens one.
int tact_context_find(const tact_context* context, tact_backend backend);

/// The same among those that are open. Under any lock.
int tact_context_find_open(const tact_context* context, tact_backend backend);

/// The result of a call for which there is no device of a backend: NO_DEVICE, or OUT_OF_MEMORY where that kept it from
/// being opened.
tact_result tact_context_missing_result(const tact_context* context, tact_backend backend);
