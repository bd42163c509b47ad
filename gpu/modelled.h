// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The clock of a modelled device (tact_device_model): the host's, without the time that was spent in the driver, and
/// with what the modelled device would have taken. Commands go to the device as ever; it does them one after the other,
/// beside the host, which waits where the interface waits. Everything in milliseconds.

#include "base/env.h"
#include "gpu/kernel_table.h"
#include "tact/context.h"

/// What the items of one launch did.
typedef struct tact_meter {
    uint64_t bytes;     ///< read and written
    uint64_t accesses;  ///< in so many reads and writes
    uint64_t atomics;
    uint64_t longest;  ///< accesses of the item that made most
} tact_meter;

typedef struct tact_modelled {
    bool on;
    tact_device_model model;
    double shift;     ///< what is added to the host's clock
    double done;      ///< when the device will have done all that it was given, but for transfers beside kernels
    double up, down;  ///< when it will have done these, a way each
    double entered;   ///< when the host went into the driver
} tact_modelled;

/// What the clock says: the host's where nothing is modelled.
double tact_modelled_milliseconds(const tact_modelled* m);

/// When the device will have done all that it was given: now where that is done, or nothing is modelled.
double tact_modelled_device_milliseconds(const tact_modelled* m);

// Each command of the driver lies between tact_modelled_enter() and one of those below. Without a model they do
// nothing.

void tact_modelled_enter(tact_modelled* m);

/// Takes `us` of the host.
void tact_modelled_host(tact_modelled* m, double us);

/// Takes `ms` of the device, behind what it was given before.
void tact_modelled_command(tact_modelled* m, double ms);

/// Moves bytes. `waits`: the host goes on when they have been moved. Returns what moving them took.
double tact_modelled_transfer(tact_modelled* m, uint64_t bytes, bool up, bool waits);

/// The same beside kernels: up at once, down behind all kernels so far.
void tact_modelled_transfer_aside(tact_modelled* m, uint64_t bytes, bool up);

/// What goes up beside kernels comes behind what was given so far.
void tact_modelled_begin_aside(tact_modelled* m);

/// The host has copied bytes between its own memory and a ring's.
void tact_modelled_copy(tact_modelled* m, uint64_t bytes);

/// The host goes on when the device has come to `until`.
void tact_modelled_wait(tact_modelled* m, double until);

/// What so many bytes of the device's memory take, read or written.
double tact_modelled_memory_ms(const tact_modelled* m, uint64_t bytes);

/// What the items of a launch take. `bound`: bytes of the buffers that the kernel sees, of which each byte comes from
/// memory once, and is then taken to lie in a cache.
double tact_modelled_kernel_ms(const tact_device_model* model, const tact_meter* meter, uint64_t bound);

// ---- Metered kernels ----

enum {
    /// Groups share this many rows of counters of four words: of bytes by 4, accesses, atomics, and the longest.
    TACT_METER_ROWS = 256,
    TACT_METER_BYTES = TACT_METER_ROWS * 16
};

/// Sums up the rows that a launch has left.
tact_meter tact_meter_sum(const uint32_t rows[4 * TACT_METER_ROWS]);

/// Makes of a kernel's OpenCL text one that counts what each item reads and writes of buffers, and computes the same.
/// In place of the parameter that ends the list it takes a buffer of TACT_METER_BYTES, which are to be 0 before.
/// `length` is that of both texts. Returns memory from tact_allocate, or NULL without memory.
char* tact_meter_text(tact_env* env, const tact_kernel* kernel, const char* text, size_t* length);
