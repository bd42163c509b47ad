// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Everything of the tool that differs between operating systems.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "apps/problem.h"
#include "base/compiler.h"
#include "base/platform.h"

/// True when people watch this stream.
bool tact_system_is_terminal(FILE* stream);

/// A monotonic clock in milliseconds.
double tact_system_milliseconds(void);

/// The operating system's name and version, such as "Linux 6.1.0 x86_64".
void tact_system_name(char* name, size_t size);

/// Memory of this process that is in use now, and the most that was so far, in bytes; false where the system does not
/// tell. Either may be NULL.
bool tact_system_memory(uint64_t* now, uint64_t* peak);

/// Page faults of this process so far that needed no disk; 0 where the system does not tell.
uint64_t tact_system_faults(void);

/// Runs a function in a process of its own, which begins as a copy of this one, and then takes over `size` bytes of
/// `result` from there. No other thread may run here. False where the system has no fork, or the process ended early.
bool tact_system_apart(void (*run)(void* own), void* own, void* result, size_t size);

/// Addresses that this process has mapped, in bytes: what a limit of its address space counts. 0 where the system does
/// not tell.
uint64_t tact_system_mapped(void);

/// Makes a folder and those above it; one that is there already is fine.
bool tact_system_make_directory(const char* path, tact_problem* problem);

/// Returns whether a path is a folder.
bool tact_system_is_directory(const char* path);

/// Makes a signal, SIGINT or SIGTERM, end the program at once, with exit status TACT_EXIT_SIGNAL and its number, after
/// these texts on standard error and standard output; until tact_system_note_signals(). On Windows Ctrl-C and
/// Ctrl-Break are SIGINT, and a closed window or a log-off SIGTERM.
void tact_system_last_words(int signal, const char* error, const char* output);
/// Notes the first signal from now on in place of ending at once, as the second one then does.
void tact_system_note_signals(void);
/// The signal that was noted, 0 for none.
int tact_system_signal(void);
/// Notes a signal that another process has got; 0: none.
void tact_system_note_signal(int signal);

/// Calls a function from a thread of its own every so many milliseconds, until it is stopped. NULL where the system has
/// no such thread (Windows).
typedef struct tact_ticker tact_ticker;
tact_ticker* tact_system_ticker_start(unsigned milliseconds, void (*tick)(void* own), void* own);
/// Waits for a call that runs. NULL is allowed.
void tact_system_ticker_stop(tact_ticker* ticker);

/// Goes on as the program of this name, beside this one or where programs are looked for. Returns where there is none,
/// or the system has no such call.
void tact_system_become(const char* name, char** argv);

/// What is written to a stream from now on goes nowhere. False on failure.
bool tact_system_silence(FILE* stream);

/// Starts programs that only keep a core busy each, until they are stopped or this program ends; returns how many, 0
/// where the system has no fork. One set at a time.
unsigned tact_system_busy_start(unsigned count);
void tact_system_busy_stop(void);

/// Standard output and input keep bytes as they are (Windows would translate line ends).
void tact_system_binary_streams(void);

/// Whether a name stands for standard input or output: "-".
bool tact_file_is_stream(const char* path);

/// What messages call a file that is read: its name, or "standard input".
const char* tact_file_shown(const char* path);

/// Keeps standard output for the file "-" alone, once: what is printed from now on goes to standard error. False where
/// that fails.
bool tact_system_claim_output(void);

/// Standard input is no file from now on: over ranks only the first one has it.
void tact_system_refuse_input(void);

/// A whole file, or anything that can be read to its end, in memory from malloc (never NULL on success). Standard input
/// can be read once.
bool tact_file_read(const char* path, void** bytes, size_t* size, tact_problem* problem);

/// Checks that there is something to read, with the reason if not: missing, a folder, no permission.
bool tact_file_check(const char* path, tact_problem* problem);

/// Writes a name that nothing has: STEM and ENDING, or with -2, -3 and so on between them. Returns it; empty where it
/// has no room.
const char* tact_file_free_name(char* name, size_t size, const char* stem, const char* ending);

/// Removes a file, with the reason if that cannot be; one that is not there is fine, a folder is refused.
bool tact_file_remove(const char* path, tact_problem* problem);

/// Writes a file so that a reader sees the old content or all of the new: a temporary file beside it, then a rename. A
/// link of that name is replaced, not followed. Pipes, devices, /dev/stdout and /dev/fd/N are written to, and standard
/// output once it is claimed.
bool tact_file_replace(const char* path, const void* head, size_t head_size, const void* data, size_t size,
                       tact_problem* problem);

/// The same in pieces, through `output->file`. Signals are noted from then on, so that no temporary file stays behind.
bool tact_file_begin(tact_platform_output* output, const char* path, tact_problem* problem);
bool tact_file_finish(tact_platform_output* output, bool good, tact_problem* problem);
