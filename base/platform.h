// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Everything that differs between operating systems and compilers. platform.c and platform_files.c alone include
/// system headers beyond the C library's.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// Memory of any content; large blocks on huge pages, where the system has them.
void* tact_platform_aligned_allocate(size_t size, size_t alignment);
void tact_platform_aligned_release(void* memory);

/// A monotonic clock in milliseconds.
double tact_platform_milliseconds(void);

/// Lets other threads run, when this one waits for them.
void tact_platform_yield(void);

/// Tells the CPU that the caller is in a loop that waits for another thread.
void tact_platform_pause(void);

/// A variable of the process's environment; NULL when it is not set.
const char* tact_platform_variable(const char* name);

/// Logical processors this process may use, at least 1.
int tact_platform_processors(void);

/// The CPU's name, such as "AMD Ryzen 9 7950X"; "CPU" when unknown.
void tact_platform_cpu_name(char* name, size_t size);

/// Opens a shared library by file name, for as long as the process lives; NULL when it is not there.
void* tact_platform_open_library(const char* file);
void (*tact_platform_symbol(void* library, const char* name))(void);

/// The folder for cached files of this user, created when missing: `override` if given, else $TACT_CACHE_DIR, else
/// the system's cache folder + "/tact". False when there is none, when the variable is set but empty, or when the
/// folder is not to be trusted: `path` is then its name and *why, where `why` is not NULL, says what is wrong with it.
bool tact_platform_cache_directory(const char* override, char* path, size_t size, const char** why);

/// Whether what lies in a folder is this user's: the folder is owned by the user or root, and no one else can write to
/// it. Else *why says what is wrong. (Windows: whether it is a folder; who may write is inherited from the user's.)
bool tact_platform_trusts_folder(const char* path, const char** why);

/// Opens a file of such a folder to read it. NULL when it is missing, with *why NULL, or when it is a link or no
/// regular file, or another user owns it or can write to it: *why then says so. Never waits, as opening a pipe does.
FILE* tact_platform_open_trusted(const char* path, const char** why);

enum {
    TACT_FILE_PRIVATE = 1,  ///< only the user may read it
    TACT_FILE_SYNC = 2,     ///< is on the disk when writing returns
    TACT_FILE_STREAMS = 4   ///< pipes, devices and files that are open (/dev/stdout, /dev/fd/N) are written to
};

/// Writes a file so that a reader sees the old content or the new and nothing between: a new file beside it, under a
/// name that cannot be guessed, then a rename. Nothing that lies there before is opened, so a link under either name is
/// replaced or left alone, and never followed. A regular file that is replaced keeps its permissions, but with
/// TACT_FILE_PRIVATE. Safe against others who write the same file. False on failure, with the reason in errno.
bool tact_platform_write_file(const char* path, unsigned flags, const void* head, size_t head_size, const void* data,
                              size_t size);

/// The same in pieces: what is written to `file` is at `path` when it is finished, and nowhere when it is not.
typedef struct tact_platform_output {
    FILE* file;
    unsigned flags;
    char path[4096];
    char temporary[4096 + 64];
} tact_platform_output;

bool tact_platform_begin_file(tact_platform_output* output, const char* path, unsigned flags);
/// `good`: everything was written. Frees the output; the file is replaced only when the result is true.
bool tact_platform_finish_file(tact_platform_output* output, bool good);

/// Names the file beside `path` in which several processes write what is to be there: the same name on all of them, of
/// whatever length `path` is, so that what a run that was ended leaves there is found by the next. False: too long.
bool tact_platform_name_shared(const char* path, char* temporary, size_t size);
/// Makes that file, empty, in the place of what lies there; one process does. It may be read as `path` may. False on
/// failure, with the reason in errno.
bool tact_platform_begin_shared(const char* path, const char* temporary);
/// Gives it its name, where it is `good` and has `size` bytes, else removes it. False where it does not get its name,
/// with the reason in errno.
bool tact_platform_finish_shared(const char* path, const char* temporary, bool good, uint64_t size);

/// Goes to a byte of a file. False on failure, with the reason in errno.
bool tact_platform_seek(FILE* file, uint64_t at);
/// The size of a file that can be gone about in. False on failure, with the reason in errno.
bool tact_platform_size(FILE* file, uint64_t* size);

/// True when a file or folder is there.
bool tact_platform_exists(const char* path);

/// True when `program` is an executable file in one of the folders of $PATH.
bool tact_platform_on_path(const char* program);
