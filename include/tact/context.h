// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file context.h
/// A context: hooks, threads and the devices that queries run on.
///
/// Thread safety: different contexts are independent. On one context:
///
/// - Any number of threads may ask one scene, set of volumes or mesh at once: every query whose function takes that
///   object. Each call has the answer that it would have alone. A device answers one call at a time and the others
///   wait, but `auto` then prefers what is free; queries on one set of volumes, which keeps their pairs, take turns.
/// - An object is changed, committed and destroyed by one thread, while no other uses it. Other objects of the context
///   may be used meanwhile. Builds with TACT_ASSERTS say when an object is changed while it is asked.
/// - Objects that keep an answer or a state of their own belong to one thread at a time: cullers, filters, pickers,
/// pick
///   targets, image testers, pair trackers, fronts, particles, debug lists, recordings. Each thread may have its own.
/// - Contexts are calibrated, and recordings replayed, while no other thread uses the context.
/// - A context that adopted an OpenGL context uses that only in the thread in which it is current: other threads name
///   another backend, or use a context of their own.
/// - What is asked or changed from within a callback is subject to the same.
///
/// Contexts may be created and destroyed in several threads at once. Drivers are started and stopped under one lock of
/// the process, since some crash when two threads start them at once, as PoCL 3.1 does. The hooks (log, memory,
/// assertion) are called under that lock too, so they must not create or destroy a context. The lock does not cover the
/// application's own OpenCL calls: the first one of them in the process must not overlap with the opening of devices.

#include "tact/base.h"

/// Made by tact_context_create().
typedef struct tact_context tact_context;

/// The implementation that computes a query's result. More may be added at the end; the order has no meaning.
typedef enum tact_backend {
    TACT_BACKEND_AUTO = 0,       ///< chosen by the dispatcher
    TACT_BACKEND_CPU = 1,        ///< the fast CPU implementation
    TACT_BACKEND_GL = 2,         ///< OpenGL 4.3 compute
    TACT_BACKEND_CL = 3,         ///< OpenCL 1.2
    TACT_BACKEND_REFERENCE = 4,  ///< the brute force that defines the result; slow
    TACT_BACKEND_COUNT = 5
} tact_backend;

/// Returns "auto", "cpu", "gl", "cl" or "reference"; "?" for anything else. Thread-safe.
TACT_API const char* tact_backend_name(tact_backend backend);

/// The origin of a context's GPU device.
typedef enum tact_device_source {
    TACT_DEVICE_OWN = 0,   ///< the library makes its own headless one when it can
    TACT_DEVICE_NONE = 1,  ///< do not use this API
    TACT_DEVICE_ADOPT = 2  ///< use what the caller provides
} tact_device_source;

/// Resolves an OpenGL function by name, as eglGetProcAddress, glfwGetProcAddress or SDL_GL_GetProcAddress do.
typedef void (*tact_gl_function)(void);
/// Returns NULL for a name it does not know.
typedef tact_gl_function (*tact_gl_get_proc_address)(const char* name);

/// Describes a device that need not be here, by what it takes for what it is given. With tact_context_desc.model
/// OpenCL's device answers as ever, to the same bytes, and its times are those that the described device would take: of
/// queries, of what dispatch learns, and of tact_context_milliseconds(). OpenGL is left out, calibrations are neither
/// read nor kept, and only one thread may use the context at a time. docs/modelled-devices.md has the model. Times from
/// 0 on, rates above 0, none over 10^9; else creating the context is INVALID_ARGUMENT.
typedef struct tact_device_model {
    char name[64];            ///< ends with a 0
    double launch_us;         ///< of the host, to give a kernel, a copy or a fill
    double start_us;          ///< of the device, between one of them and the next
    double wait_us;           ///< of the host, to go on when the device is done
    double transfer_us;       ///< of the host, to give a transfer, before its bytes move
    double allocate_us;       ///< of the host, to make a buffer
    double up_gbs;            ///< 10^9 bytes a second to the device, from memory that is pinned
    double down_gbs;          ///< ... and from it
    double host_gbs;          ///< of the host, copying to and from the memory that transfers go through
    double memory_gbs;        ///< of the device's memory
    double cache_gbs;         ///< of what kernels read and write, wherever that lies
    double accesses_g;        ///< 10^9 reads and writes of items a second, whatever their size
    double latency_ns;        ///< of an item's accesses one after the other, each
    double atomics_g;         ///< 10^9 atomic operations a second
    uint64_t memory_bytes;    ///< 0: as much as OpenCL's device has
    bool flushes_subnormals;  ///< its arithmetic makes zeros of subnormal numbers
    uint64_t reserved[4];     ///< zeros: room for fields to come
} tact_device_model;

/// Options of a context. The rule for this and every other desc struct: *all bits zero asks for the defaults*, so
/// `tact_context_desc desc = {0};` is complete, and a field left zero keeps its default. `reserved`, here and in other
/// structs, is where fields of later versions will lie: the size of a struct stays.
typedef struct tact_context_desc {
    tact_allocator
        allocator;     ///< default: the C library's, with up to 64 MiB of what was freed kept for the next calls
    tact_log_fn* log;  ///< default: warnings and errors go to standard error
    void* log_user;    ///< passed to `log`
    tact_assert_fn* assertion;  ///< default: print and abort
    void* assertion_user;       ///< passed to `assertion`
    int threads;                ///< CPU threads; 0: all that the machine has, or tasks.workers and the one that asks
    tact_tasks tasks;           ///< your own workers; default: threads of the library's

    tact_device_source gl;  ///< OpenGL. ADOPT: the context current on the calling thread, version 4.3 or later
    tact_gl_get_proc_address gl_get_proc_address;  ///< needed with ADOPT

    tact_device_source cl;  ///< OpenCL. ADOPT: the three handles below
    void* cl_context;       ///< a cl_context; retained until the tact context is destroyed
    void* cl_device;        ///< a cl_device_id that belongs to cl_context
    void* cl_queue;         ///< an in-order cl_command_queue on cl_device, or NULL to have one made

    const char* cache_directory;  ///< where built kernels are kept; default: $TACT_CACHE_DIR, else the user's cache
                                  ///< directory. Copied. A directory that other users own or can write to is not used,
                                  ///< with a warning: native code is loaded from it
    bool disable_cache;           ///< build kernels afresh every time; also when $TACT_CACHE_DIR is set but empty.
                                  ///< Calibrations are then neither read nor kept
    bool disable_calibration;     ///< choose devices by the rates of an ordinary desktop: no calibration is read,
                                  ///< nothing is measured at first use, and no device is tried that is expected to be
                                  ///< slower; also when $TACT_CALIBRATE is 0. tact/calibrate.h
    bool open_devices;            ///< open the devices with the context; default: when they are needed first

    uint32_t record_queries;         ///< keep the last so many queries (record.h), at most 65536; default: none, or 64
                                     ///< when $TACT_RECORD names a folder
    size_t record_bytes;             ///< of memory for their inputs; default: 64 MiB
    const char* record_directory;    ///< where they are written when shadow checking finds a difference or an assertion
                                     ///< fails; default: $TACT_RECORD, else the current one. Copied.
    const tact_device_model* model;  ///< whose times OpenCL's device has; default: its own. Copied
    uint32_t device_number;          ///< where several devices of the library's own are as good: which of them, from 0
                                     ///< on, and from the beginning again beyond the last. Ranks of one machine give
                                     ///< their number on it
    uint32_t unused;                 ///< zero: room for a field to come
    uint64_t reserved[2];            ///< zeros: room for fields to come
} tact_context_desc;

/// Creates a context. `desc` may be NULL (all defaults). On failure *context is NULL; the reason is logged and is
/// tact_last_error().
///
/// A GPU device that is not available is no error: the context lacks it and tact_context_missing() returns the reason.
/// Devices that are adopted are opened here. The library's own, whose drivers take 100 ms and more to load, are opened
/// when they are needed first: by a call that names the backend or describes devices, and by `auto` once it has given
/// the CPU as much work, in expected time, as opening them takes. To have that pause where it does not hurt, set
/// `open_devices`, or call tact_context_device_count().
/// Errors: INVALID_ARGUMENT (ADOPT without the handles), OUT_OF_MEMORY.
TACT_API tact_result tact_context_create(const tact_context_desc* desc, tact_context** context);

/// Destroys a context. Everything made from it must have been destroyed before. NULL is allowed.
TACT_API void tact_context_destroy(tact_context* context);

/// Returns the detail of the last call on this context that returned a tact_result: one sentence after an error, empty
/// after success, never NULL. Where the calling thread's last call was on this context it is that call's, whatever
/// others did meanwhile. A call that failed because an object such as the scene was NULL has no context: until the
/// calling thread's next call its sentence is returned here too, for every context and for NULL, as by
/// tact_last_error(). Valid until the thread's next call, this one included.
TACT_API const char* tact_context_error(const tact_context* context);

/// One operation of the arithmetic probe.
typedef struct tact_probe_operation {
    char name[8];         ///< "add", "sub", "mul", "div", "sqrt", "floor", "madd", "less", "bits"
    uint32_t tested;      ///< operand sets
    uint32_t differing;   ///< results that are not the CPU's to the bit, subnormal operands and results left out
    uint32_t subnormal;   ///< the same where an operand or the CPU's result is subnormal
    uint32_t worst_ulps;  ///< the largest difference among `differing`, in units in the last place
} tact_probe_operation;

enum { TACT_PROBE_OPERATIONS = 9 };

/// Results of the arithmetic probe, which runs when the device is opened (a few thousand operand sets for each
/// operation,
/// compared with the CPU).
typedef struct tact_probe {
    bool ran;                 ///< false: no probe, as of the CPU, which it compares with; all else is zero
    bool exact;               ///< every operation the kernels use gives the CPU's bits, after the corrections below
    bool flushes_subnormals;  ///< subnormal operands or results became zero; results may then differ below 2^-126
    bool corrected_division;  ///< kernels correct the device's division by its exact residual
    bool corrected_sqrt;      ///< likewise the square root
    tact_probe_operation operations[TACT_PROBE_OPERATIONS];  ///< each of them
    double milliseconds;                                     ///< time of the probe
} tact_probe;

/// A device of a context. Device 0 is always the CPU.
typedef struct tact_device_info {
    tact_backend backend;       ///< CPU, GL or CL
    char name[128];             ///< as the driver reports it
    char vendor[128];           ///< as the driver reports it
    char driver[128];           ///< driver version
    char version[128];          ///< API version
    char language[64];          ///< version of the kernel language
    bool software;              ///< runs on the CPU's cores (llvmpipe, PoCL, ...)
    bool adopted;               ///< adopted from the application
    bool lost;                  ///< failed for good; the dispatcher skips it
    uint32_t compute_units;     ///< CPU: threads; 0 if unknown
    uint32_t max_group_size;    ///< largest work group
    uint32_t max_groups;        ///< most work groups along one axis
    uint32_t shared_bytes;      ///< shared (local) memory of a work group
    uint32_t max_buffers;       ///< storage buffers of one kernel
    uint64_t max_buffer_bytes;  ///< largest range a kernel can bind; at most 16 GiB, 2^32 words
    uint64_t memory_bytes;      ///< device memory; 0 if unknown
    tact_probe probe;           ///< how its arithmetic compares with the CPU's
    uint32_t number, alike;     ///< which of how many devices that are as good; alike 0: not known
    uint64_t reserved[3];       ///< zeros: room for fields to come
} tact_device_info;

/// Returns how many devices the context has, the CPU included (so at least 1). Opens those that are not open yet, as
/// tact_context_device() does for an index above 0, and tact_context_missing() for one backend.
TACT_API uint32_t tact_context_device_count(const tact_context* context);

/// Describes device `index`. Errors: INVALID_ARGUMENT (no such device).
TACT_API tact_result tact_context_device(const tact_context* context, uint32_t index, tact_device_info* info);

/// What a device was given since it was opened. The differences over a call are what the call takes.
typedef struct tact_device_counts {
    uint64_t launches;      ///< kernels and draws
    uint64_t waits;         ///< times that the host waited for it
    uint64_t bytes_up;      ///< from the host
    uint64_t bytes_down;    ///< to the host
    uint64_t allocations;   ///< buffers and images that were made
    uint64_t kernel_bytes;  ///< that kernels read and wrote; of a modelled device alone, else 0
    uint64_t memory_bytes;  ///< of these, what each kernel's buffers hold at most; the same
    uint64_t reserved[1];   ///< zeros: room for fields to come
} tact_device_counts;

/// Counts what the device of a backend was given, by all threads. Waits for a call that another thread makes there.
/// Opens no device: all zeros where there is none, and for the CPU. Errors: INVALID_ARGUMENT (no such backend).
TACT_API tact_result tact_context_device_counts(const tact_context* context, tact_backend backend,
                                                tact_device_counts* counts);

/// Returns what the context's clock says, in milliseconds since some time of the system's: with a modelled device what
/// that would take in place of what the software took. Not for several threads at once where there is one.
TACT_API double tact_context_milliseconds(const tact_context* context);

/// Returns why the context has no device of a backend: one sentence, or NULL when it has one.
TACT_API const char* tact_context_missing(const tact_context* context, tact_backend backend);

/// The number of a submitted query, of one context. 0: none.
typedef uint64_t tact_ticket;

/// Options of a query. All bits zero asks for the defaults; NULL stands for that too.
typedef struct tact_query_options {
    tact_backend backend;        ///< default: auto
    int threads;                 ///< CPU threads for this query; 0: the context's
    bool shadow;                 ///< run the reference too and compare; a difference is TACT_ERROR_SHADOW_MISMATCH
    bool no_fallback;            ///< a device failure is returned; the next backend is not tried
    tact_progress_fn* progress;  ///< default: none
    void* progress_user;         ///< passed to `progress`
    tact_ticket* ticket;         ///< NULL: the query is answered when its function returns. Else it is submitted, and
                                 ///< this set; 0 when that fails. ticket.h
    uint64_t reserved[4];        ///< zeros: room for fields to come
} tact_query_options;

/// Facts about how a query ran.
typedef struct tact_query_report {
    tact_backend backend;   ///< the one that computed the result
    char device[128];       ///< its name
    bool software;          ///< the device runs on the CPU's cores
    bool exact;             ///< the result is the reference's to the bit, by the device's arithmetic probe
    double tolerance;       ///< when not exact: the probe's worst relative difference; 0: the device flushes subnormal
                            ///< numbers, and only what passes through some may differ
    int threads;            ///< CPU threads used; 0 on a GPU
    double build_ms;        ///< acceleration structure, and kernels where they had to be built
    double upload_ms;       ///< host to device
    double query_ms;        ///< the query itself
    double download_ms;     ///< device to host; OpenGL hardware does not tell, and it is part of query_ms
    double total_ms;        ///< the whole call
    uint64_t memory_bytes;  ///< held for the query on that device: scene, rays, results
    uint32_t failures;      ///< backends that failed before this one
    uint64_t reserved[4];   ///< zeros: room for fields to come
    char reason[512];       ///< why this backend, and which failed how
} tact_query_report;
