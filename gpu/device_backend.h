// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What a backend (device_gl.c, device_cl.c) shares with the files that are there once for both: device.c and those
/// beside it, which check arguments and keep the accounts, so that a backend may take everything it is given as valid.
/// For these files and their tests only.

#include "gpu/device.h"
#include "gpu/modelled.h"
#include "gpu/program_cache.h"

/// A built kernel; each backend has its own.
typedef struct tact_program tact_program;

struct tact_buffer {
    tact_device* device;
    size_t bytes;  ///< what the caller sees, a multiple of 4
    bool adopted;  ///< the caller's
    size_t held;   ///< what the device holds: at least 4, since an empty range cannot be bound
    union {
        uint32_t name;
        void* object;
    } handle;
};

/// The queues of a device that has three; the others have one.
typedef enum tact_lane { TACT_LANE_MAIN, TACT_LANE_UP, TACT_LANE_DOWN } tact_lane;

struct tact_fence {
    tact_device* device;
    tact_lane lane;  ///< behind whose commands it is
    void* handle;
    uint64_t given;                      ///< commands before it
    double done;                         ///< when they are, by the clock of a modelled device
    tact_read noted;                     ///< no buffer: it has no note
    uint32_t note_name;                  ///< GL: the buffer with the note until that is read
    uint32_t note[TACT_NOTE_BYTES / 4];  ///< where `noted` is read to; valid once the fence is done
};

/// So many pieces of a transfer are on their way at a time. A slot is 50 microseconds of the host's copying, beside
/// which a fence and a flush are little, and the ring holds what half a million rays are.
enum { TACT_RING_SLOTS = 8, TACT_RING_SLOT_BYTES = 1 << 21 };

/// Memory that the host and the device both see, in slots (device_ring.c).
typedef struct tact_ring {
    union {
        uint32_t name;
        void* object;
    } handle;
    unsigned char* memory;               ///< mapped for as long as there is the ring; NULL: there is none
    tact_fence behind[TACT_RING_SLOTS];  ///< behind the commands with a slot; no device: none
    uint32_t slot;                       ///< of writing, and what is used of it
    size_t used;
} tact_ring;

typedef struct tact_device_ops {
    const char* name;     ///< "gl" or "cl"
    const char* prelude;  ///< put before every kernel's text
    bool lanes;           ///< transfers may have queues of their own (begin_aside)
    bool write_waits;     ///< writing a buffer, other than through a ring, waits for the commands before
    size_t small_write;   ///< bytes up to which a driver's own way of writing is as good as a ring
    void (*close)(tact_device* device);
    tact_result (*enter)(tact_device* device);
    void (*leave)(tact_device* device);
    /// Asks for failures of commands that returned OK before; `reset`: and whether the context was lost. NULL: each
    /// command tells its own.
    tact_result (*ask)(tact_device* device, bool reset);

    tact_result (*buffer_create)(tact_buffer* buffer, const void* initial);
    /// Takes the handle and finds the size. Not destroyed if it fails.
    tact_result (*buffer_adopt)(tact_buffer* buffer, uint32_t gl_buffer, void* cl_mem);
    void (*buffer_destroy)(tact_buffer* buffer);
    tact_result (*buffer_write)(tact_buffer* buffer, size_t offset, const void* data, size_t bytes);
    /// Waits until all is there, and adds to the count of waits, and to read_ms what the device says that moving took.
    /// No range is empty.
    tact_result (*read)(tact_device* device, const tact_read* reads, size_t count);
    /// Makes the memory of a ring, which the host writes (`up`), reads (`down`), or both.
    tact_result (*ring_open)(tact_device* device, tact_ring* ring, size_t bytes, bool up, bool down);
    /// All commands with it are done.
    void (*ring_close)(tact_device* device, tact_ring* ring);
    /// Has ring_up come behind all that was given before. NULL where there are no lanes. False: nothing goes aside.
    bool (*begin_aside)(tact_device* device);
    /// From a place in the ring to a buffer, and, for the part's range, the other way; they do not wait. In lanes of
    /// their own where device->aside: what is given to the main one later comes behind ring_up, and ring_down comes
    /// behind what was given to it before.
    tact_result (*ring_up)(tact_ring* ring, size_t place, tact_buffer* buffer, size_t offset, size_t bytes);
    tact_result (*ring_down)(tact_ring* ring, size_t place, const tact_read* part);
    tact_result (*buffer_copy)(tact_buffer* to, size_t to_offset, tact_buffer* from, size_t from_offset, size_t bytes);
    tact_result (*buffer_fill)(tact_buffer* buffer, size_t offset, size_t bytes, uint32_t value);

    /// On failure KERNEL_BUILD with the log as detail.
    tact_result (*program_compile)(tact_device* device, const tact_kernel* kernel, const char* source, size_t length,
                                   tact_program** program);
    /// False when the driver will not have the binary.
    bool (*program_load)(tact_device* device, const tact_kernel* kernel, uint32_t format, const void* binary,
                         size_t size, tact_program** program);
    /// Memory for the binary from tact_allocate. False when the driver gives none.
    bool (*program_save)(tact_device* device, tact_program* program, uint32_t* format, void** binary, size_t* size);
    void (*program_destroy)(tact_device* device, tact_program* program);

    tact_result (*launch)(tact_device* device, tact_program* program, const tact_kernel* kernel, uint32_t groups_x,
                          uint32_t groups_y, tact_buffer* const* buffers, const uint32_t* values);
    /// Waits for a launch of a metered kernel, and reads what its items did. NULL: it has no metered kernels.
    tact_result (*meter)(tact_device* device, uint32_t rows[4 * TACT_METER_ROWS]);
    /// All lanes.
    tact_result (*finish)(tact_device* device);
    /// With the note that it asks for.
    tact_result (*fence_create)(tact_fence* fence);
    tact_result (*fence_poll)(tact_fence* fence, bool wait, bool* done);
    void (*fence_destroy)(tact_fence* fence);
    /// Both may be NULL: the host's clock is used.
    tact_result (*timer_begin)(tact_device* device);
    tact_result (*timer_end)(tact_device* device, double* milliseconds);
} tact_device_ops;

/// A backend's own struct begins with this.
struct tact_device {
    const tact_device_ops* ops;
    tact_env* env;
    tact_device_info info;
    tact_program_cache cache;
    char options[288];  ///< what else decides a program's binary: build options, platform
    tact_program* programs[TACT_KERNEL_COUNT];
    bool correct_division;  ///< variants of the kernels' arithmetic, by what the probe found
    bool correct_sqrt;
    tact_monitor* queue;  ///< NULL: there is one thread
    TACT_ATOMIC(bool) lost;
    int entered;
    tact_result failed;  ///< since it was entered
    bool late;           ///< found when it was left, and not returned yet
    uint32_t live;       ///< buffers and fences
    uint64_t bytes;
    int threads;        ///< that may copy
    size_t slot_bytes;  ///< 0: transfers go without rings
    tact_ring up, down;
    bool reading;  ///< through the ring
    bool aside;    ///< transfers go in lanes of their own
    tact_pinned_block* pinned;
    uint64_t pinned_given;  ///< writes from pinned memory so far
    uint64_t pinned_taken;  ///< as many of them are known to be done
    uint32_t fail_buffer;
    uint32_t fail_launch;
    bool fill_fresh;  ///< new buffers, with `fresh`
    uint32_t fresh;
    bool timing;
    double timing_since;
    tact_device_counts counts;
    tact_modelled modelled;
    double read_ms;   ///< of all reads, what moving took where that is known
    uint64_t given;   ///< kernels, copies and fills so far
    uint64_t waited;  ///< as many of them are known to be done
};

/// For tests: whether this is the time at which a creation or a launch is to fail.
static inline bool tact_device_fails_now(uint32_t* countdown)
{
    return *countdown > 0 && --*countdown == 0;
}

/// Every command begins with this. The failure that is there, or OK.
tact_result tact_device_usable(tact_device* device);
/// And ends with this: a failure sticks, and a lost device is marked and reported. Returns `result`.
tact_result tact_device_settle(tact_device* device, tact_result result);
/// The same for what has waited until the first `given` of the kernels, copies and fills are done.
tact_result tact_device_waited(tact_device* device, uint64_t given, tact_result result);
/// Asks for failures that no command has returned yet; `reset`: and whether the context was lost. Returns the failure
/// that is there, or OK.
tact_result tact_device_ask(tact_device* device, bool reset);

static inline bool tact_buffer_has(const tact_buffer* buffer, size_t offset, size_t bytes)
{
    return offset <= buffer->bytes && bytes <= buffer->bytes - offset;
}

/// Begins a command with a range of a buffer, as tact_device_usable() does. A range that the buffer does not have
/// sticks as INVALID_ARGUMENT; `what` is being done.
tact_result tact_buffer_check(tact_buffer* buffer, size_t offset, size_t bytes, const char* what);

/// Places a fence behind what was given, and looks whether the device has passed it, by the clock of a modelled device
/// where there is one. The caller counts waits.
tact_result tact_fence_place(tact_fence* fence);
tact_result tact_fence_look(tact_fence* fence, bool wait, bool* done);

/// The last step of opening: cache, probe. Closes the device and leaves *device NULL when it fails.
tact_result tact_device_complete(tact_device* opened, const tact_device_open* open, tact_device** device);

/// Builds a kernel (from the cache if it is there), which need not be one of the table.
tact_result tact_device_build(tact_device* device, const tact_kernel* kernel, tact_program** program);

/// As tact_device_launch() for a kernel that need not be one of the table; builds it first where *program is NULL.
tact_result tact_device_launch_program(tact_device* device, const tact_kernel* kernel, tact_program** program,
                                       uint32_t groups, const void* args, size_t size);

/// The key of a kernel in the program cache, where it is kept under "KERNEL-BACKEND". All zero when out of memory.
tact_program_key tact_device_key(const tact_device* device, tact_kernel kernel);

/// Forgets the built kernels, so that the next launch builds them again.
void tact_device_drop_programs(tact_device* device);
