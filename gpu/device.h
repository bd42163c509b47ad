// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A compute device: buffers, kernels, launches, fences, timers, limits. Two implementations, OpenGL compute
/// (device_gl.c) and OpenCL (device_cl.c), stand behind it; the host side of every compute algorithm is written once
/// against this header. A third (Vulkan, CUDA) would be one more file.
///
/// All commands of a device run in the order given, each after the one before has finished writing: no barrier is ever
/// needed between launches. Calls must lie between tact_device_enter and tact_device_leave, except open, close, info.
/// One device must not be used by two threads at once: tact_device_enter waits for its turn in the queue that the
/// device was opened with.
///
/// A failure sticks to the device until the outermost tact_device_enter after it: every later command does nothing and
/// returns the same, and a read gives zeros. So commands need not be checked one by one: tact_device_result() once, at
/// the end, and before the host decides by what was read. OpenGL is asked for errors there, when something is read,
/// made or built and when a fence is, so a command may return OK before its failure is found; one that is found on
/// leaving is that of the next call. The detail of the first failure is in the env given when the device was opened.
/// DEVICE_LOST marks the device as lost; every later query on it fails with that.

#include "base/env.h"
#include "base/threads.h"
#include "gpu/kernel_table.h"
#include "tact/context.h"

typedef struct tact_device tact_device;
typedef struct tact_buffer tact_buffer;
typedef struct tact_fence tact_fence;

typedef struct tact_device_open {
    tact_env* env;
    tact_monitor* queue;                           ///< in which threads wait for their turn; NULL: there is one thread
    int threads;                                   ///< that may copy what goes up and comes down; 0: the caller's alone
    tact_device_source source;                     ///< OWN or ADOPT
    tact_gl_get_proc_address gl_get_proc_address;  ///< GL, ADOPT
    void* cl_context;                              ///< CL, ADOPT
    void* cl_device;
    void* cl_queue;
    uint32_t number;              ///< OWN: which of those that are as good, modulo how many these are
    const char* cache_directory;  ///< NULL: as tact_platform_cache_directory decides
    bool disable_cache;
    const tact_device_model* model;  ///< CL: whose times the device's are; NULL: its own
} tact_device_open;

/// Opens the device and runs the arithmetic probe. NO_DEVICE (with the reason as detail) when there is none here, or
/// when the library was built without the API.
tact_result tact_device_open_gl(const tact_device_open* open, tact_device** device);
tact_result tact_device_open_cl(const tact_device_open* open, tact_device** device);
/// Every buffer and fence of the device must have been destroyed. NULL is allowed.
void tact_device_close(tact_device* device);

/// Facts about the device, limits and probe included. They stay as they are; `lost` is false.
const tact_device_info* tact_device_describe(const tact_device* device);
/// Whether it was lost. At any time, in any thread.
bool tact_device_lost(const tact_device* device);
tact_env* tact_device_env(const tact_device* device);

/// Waits until no other thread has entered, and makes the device's context current, or saves the state of the caller's.
/// Nests.
tact_result tact_device_enter(tact_device* device);
void tact_device_leave(tact_device* device);

/// The first failure since the device was entered, or OK.
tact_result tact_device_result(tact_device* device);
/// Notes a failure outside of the device's commands, such as of an allocation; OK, or an earlier failure, changes
/// nothing. Returns tact_device_result().
tact_result tact_device_fail(tact_device* device, tact_result result);
/// Fails with a detail, tact_fail()'s, unless an earlier failure has left one.
#define TACT_DEVICE_FAIL(device, ...)      \
    (tact_device_result(device) != TACT_OK \
         ? tact_device_result(device)      \
         : tact_device_fail(device, tact_fail(tact_device_env(device), __VA_ARGS__)))
/// Puts text before the detail of a failure, if there is one, as tact_fail_within() does.
#define TACT_DEVICE_WITHIN(device, ...)    \
    (tact_device_result(device) == TACT_OK \
         ? TACT_OK                         \
         : tact_fail_within(tact_device_env(device), tact_device_result(device), __VA_ARGS__))
/// For a command with an object that could not be made: the device has failed, and says why.
#define TACT_NOT_MADE TACT_ERROR_DEVICE_OUT_OF_MEMORY
/// Forgets a failure, for what has another way to go on. A lost device stays lost.
void tact_device_forgive(tact_device* device);

/// A buffer of `bytes` (rounded up to 4; 0 gives one that can be bound but not read), filled from `initial` unless that
/// is NULL (contents then unspecified). LIMIT when larger than a kernel can bind (max_buffer_bytes), with both sizes in
/// the detail; DEVICE_OUT_OF_MEMORY.
tact_result tact_buffer_create(tact_device* device, size_t bytes, const void* initial, tact_buffer** buffer);
/// Makes sure that *buffer, which may be NULL, has at least `bytes`: a new one takes its place where it has fewer, half
/// again as large where there is room, and what it held is lost.
tact_result tact_buffer_hold(tact_device* device, tact_buffer** buffer, uint64_t bytes);
/// Stands for a buffer of the caller's, all of it, on a device whose context is the caller's: to copy from and to, to
/// read and to write; not to launch with, since it may be larger than a kernel can bind. Destroying it leaves the
/// caller's as it is. INVALID_ARGUMENT: no such buffer, or not of this context.
tact_result tact_buffer_adopt(tact_device* device, uint32_t gl_buffer, void* cl_mem, tact_buffer** buffer);
/// NULL is allowed.
void tact_buffer_destroy(tact_buffer* buffer);
/// Destroys *buffer, which becomes NULL.
static inline void tact_buffer_drop(tact_buffer** buffer)
{
    tact_buffer_destroy(*buffer);
    *buffer = NULL;
}
/// 0 for NULL.
size_t tact_buffer_size(const tact_buffer* buffer);
/// The sum of the sizes of all these.
uint64_t tact_buffer_sizes(const tact_buffer* const* buffers, size_t count);
/// The API's own name for it: for a caller whose context the device's is.
void tact_buffer_handle(const tact_buffer* buffer, uint32_t* gl_buffer, void** cl_mem);
/// Host to device, device to host (waits for the commands before), device to device (ranges of one buffer must not
/// overlap), and a repeated 32-bit value. Offsets and sizes are bytes, multiples of 4; a range past the end is
/// INVALID_ARGUMENT. NULL stands for a buffer that could not be made: the device has failed. What is written may be
/// overwritten at once; on hardware writing does not wait for the commands before, unless several MiB are on their way.
tact_result tact_buffer_write(tact_buffer* buffer, size_t offset, const void* data, size_t bytes);
tact_result tact_buffer_read(tact_buffer* buffer, size_t offset, void* data, size_t bytes);
/// The same of what lies in memory that is pinned: copied nevertheless, so that it may be overwritten before the device
/// has taken it, where nothing is waited for.
tact_result tact_buffer_write_copied(tact_buffer* buffer, size_t offset, const void* data, size_t bytes);

/// From here on to the end transfers of more than a few KiB go beside kernels, where the device has queues for them:
/// what is written comes behind what was given before the beginning and before what is given after it, and what is read
/// comes behind what was given before it. The caller sees to it that nothing which was given since the beginning, and
/// is not known to be done, uses what is written, and that nothing writes to what is read between a reading's two
/// steps. Not again before the end, which must come.
void tact_device_begin_aside(tact_device* device);
void tact_device_end_aside(tact_device* device);
/// Whether it does.
bool tact_device_goes_aside(const tact_device* device);

/// Memory of the host that the device reaches: what is written from it, and read to it, is not copied on the way, but
/// sent from there, and arrives there. Leaving the device waits until what was sent has been taken.
typedef struct tact_pinned_block tact_pinned_block;
/// Makes such memory. Errors: UNSUPPORTED (transfers go without rings), OUT_OF_MEMORY, DEVICE_OUT_OF_MEMORY.
tact_result tact_device_pin(tact_device* device, size_t bytes, tact_pinned_block** block);
/// Releases it, when nothing is on its way any more. NULL is allowed.
void tact_device_unpin(tact_pinned_block* block);
/// The memory: of as many bytes as were asked for.
void* tact_pinned_block_memory(const tact_pinned_block* block);

/// What is read of a buffer.
typedef struct tact_read {
    tact_buffer* buffer;
    size_t offset, bytes;
    void* data;
} tact_read;
enum { TACT_READS_MAX = 8 };
/// Reads several ranges, at most TACT_READS_MAX, with one wait where the device can. Hardware waits again for each
/// further MiB that has not come while the host took the one before; OpenGL 4.3 waits for each range without buffer
/// storage, and a device that is software for each of the smaller ones beyond 64 KiB.
tact_result tact_device_read(tact_device* device, const tact_read* reads, size_t count);

/// How far a reading has come.
typedef struct tact_read_place {
    size_t range, done;
} tact_read_place;
/// A read in two steps, between which the host does something else.
typedef struct tact_reading {
    tact_device* device;
    tact_read asked[TACT_READS_MAX], reads[TACT_READS_MAX];  ///< as given, and those that are not empty
    size_t asked_count, count;
    uint64_t given;                         ///< commands before it
    uint64_t pinned;                        ///< writes from pinned memory before it
    bool staged;                            ///< through the ring, or to pinned memory
    tact_read_place filled_to, emptied_to;  ///< what was sent to the ring, and taken
    uint32_t filled, emptied;               ///< slots
    double began;
} tact_reading;
/// Begins to read what the commands so far leave in the buffers, whatever is given between the two steps, where the
/// ranges fit the ring; else it is done at the end. One at a time. Every reading that was begun must be ended.
void tact_device_read_begin(tact_device* device, const tact_read* reads, size_t count, tact_reading* reading);
/// Bytes that can be on their way up, and as many down, while the host does something else; 0: none.
size_t tact_device_ring_bytes(tact_device* device);
tact_result tact_device_read_end(tact_reading* reading);
tact_result tact_buffer_copy(tact_buffer* to, size_t to_offset, tact_buffer* from, size_t from_offset, size_t bytes);
tact_result tact_buffer_fill(tact_buffer* buffer, size_t offset, size_t bytes, uint32_t value);

// A struct of arguments for each kernel, with the names of its parameter list: tact_raycast_args ... They are to be
// initialised by these names, where compilers can insist on it.
#if defined(__GNUC__) && !defined(__clang__)
#define TACT_BY_NAME __attribute__((designated_init))
#else
#define TACT_BY_NAME
#endif
#include "kernel_args.h"

/// Runs `groups` work groups of a kernel; 0 is allowed and does nothing. `args` is the kernel's struct, of `size`
/// bytes. The kernel is built at its first launch and kept (and on disk, see program_cache.h). A count beyond what one
/// axis of the device allows is spread over two, so a few groups more may run: kernels check their ids. KERNEL_BUILD:
/// the detail holds the build log with the kernel's file name and line.
tact_result tact_device_launch(tact_device* device, tact_kernel_id kernel, uint32_t groups, const void* args,
                               size_t size);
/// The same with as many groups as `items` items make.
static inline tact_result tact_device_launch_items(tact_device* device, tact_kernel_id kernel, uint64_t items,
                                                   const void* args, size_t size)
{
    const uint32_t group = tact_kernel_get(kernel).group;
    const uint64_t groups = items / group + (items % group != 0);
    // So many are refused.
    return tact_device_launch(device, kernel, groups < UINT32_MAX ? (uint32_t)groups : UINT32_MAX, args, size);
}

/// TACT_LAUNCH(device, scan_sums, groups, .source = words, .count = n, ...): members that are left out are 0.
#define TACT_ARGS(kernel, ...) &(const tact_##kernel##_args){__VA_ARGS__}, sizeof(tact_##kernel##_args)
#define TACT_LAUNCH(device, kernel, groups, ...) \
    tact_device_launch(device, TACT_KERNEL_##kernel, groups, TACT_ARGS(kernel, __VA_ARGS__))
#define TACT_LAUNCH_ITEMS(device, kernel, items, ...) \
    tact_device_launch_items(device, TACT_KERNEL_##kernel, items, TACT_ARGS(kernel, __VA_ARGS__))
/// Builds a kernel now, so that a later launch is not the slow first one.
tact_result tact_device_prepare(tact_device* device, tact_kernel_id kernel);

/// A kernel with a text of its own in it, made at run time.
typedef struct tact_special tact_special;
/// Copies a kernel of the table, with `text` behind the first place where its own text reads `mark`, which it must.
/// Built at its first launch, and kept as others are. NULL where it fails: OUT_OF_MEMORY.
tact_result tact_special_create(tact_device* device, tact_kernel_id kernel, const char* mark, const char* text,
                                tact_special** special);
/// NULL is allowed.
void tact_special_destroy(tact_special* special);
/// As tact_device_launch_items(); `args` is the struct of the kernel that it is a copy of.
tact_result tact_special_launch_items(tact_special* special, uint64_t items, const void* args, size_t size);

/// Waits until everything has been done.
tact_result tact_device_finish(tact_device* device);
/// Whether kernels, copies or fills were given since the last ones that were waited for: by finishing, by a read, or
/// by a fence. They may or may not be done by now.
bool tact_device_busy(const tact_device* device);

/// A fence stands after the commands given so far.
tact_result tact_fence_create(tact_device* device, tact_fence** fence);
tact_result tact_fence_poll(tact_fence* fence, bool* done);
tact_result tact_fence_wait(tact_fence* fence);
void tact_fence_destroy(tact_fence* fence);

/// Makes a fence with a note: what a range of a buffer holds after the commands given so far, at most TACT_NOTE_BYTES.
/// It is copied to the host behind the commands, so that reading it after the fence is done waits for nothing.
tact_result tact_fence_create_note(tact_buffer* buffer, size_t offset, size_t bytes, tact_fence** fence);
enum { TACT_NOTE_BYTES = 32 };
/// Copies the note of a fence that is done.
void tact_fence_note(const tact_fence* fence, void* data);

/// Time between begin and end as the device sees it, in milliseconds. Devices whose clock means nothing (llvmpipe) are
/// timed by the host's around a finish. One timer at a time.
tact_result tact_timer_begin(tact_device* device);
tact_result tact_timer_end(tact_device* device, double* milliseconds);

/// What it was given so far.
tact_device_counts tact_device_counted(const tact_device* device);

/// What the clock says that the device's times go by: the host's, or that of the modelled device.
double tact_device_milliseconds(const tact_device* device);

/// What reads took so far, in milliseconds, without what was waited for before them; of an OpenGL device that is
/// hardware nothing where there is no ring, since it does not tell.
double tact_device_read_ms(const tact_device* device);

/// Bytes in live buffers, and in the rings that transfers go through, which are there from the first one on.
uint64_t tact_device_bytes(const tact_device* device);

/// For tests: makes the `number`-th buffer creation from now (1: the next) fail with DEVICE_OUT_OF_MEMORY, or the
/// device be lost at the `number`-th launch, in drawing: the `number`-th time that OpenGL is asked for errors. 0
/// switches off.
void tact_device_fail_buffer(tact_device* device, uint32_t number);
void tact_device_fail_launch(tact_device* device, uint32_t number);

/// For tests: transfers go through rings with slots of so many bytes, a multiple of 4, on a device that is software
/// too; 0: without rings.
void tact_device_use_rings(tact_device* device, size_t slot_bytes);

/// For tests: makes a device usable again that an injected failure lost, and forgets that failure.
void tact_device_revive(tact_device* device);

/// For tests: fills buffers made from now on without contents with this word, so that what reads them before anything
/// was written there gives itself away.
void tact_device_fill_fresh(tact_device* device, uint32_t value);
