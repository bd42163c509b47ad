// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#if defined(_WIN32)
#define _CRT_RAND_S
#else
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#endif

// Files, written and read so that names which others have planted do no harm. Without any other part of the library, so
// that programs which cannot see inside a shared one compile it too.

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/platform.h"

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#else
#include <fcntl.h>
#include <time.h>
#include <unistd.h>
#endif

bool tact_platform_exists(const char* path)
{
#if defined(_WIN32)
    return GetFileAttributesA(path) != INVALID_FILE_ATTRIBUTES;
#else
    return access(path, F_OK) == 0;
#endif
}

#if defined(_WIN32)

static uint64_t random_number(void)
{
    unsigned int high = 0, low = 0;
    if (rand_s(&high) != 0 || rand_s(&low) != 0) low = GetTickCount();
    return (uint64_t)high << 32 | low;
}

static int open_new(const char* path, unsigned flags)
{
    (void)flags;  // what a folder's files inherit decides who may read them
    return _open(path, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE);
}

static int open_stream(const char* path, bool* is_stream)
{
    struct _stat64 facts;
    *is_stream =
        _stat64(path, &facts) == 0 && (facts.st_mode & _S_IFMT) != _S_IFREG && (facts.st_mode & _S_IFMT) != _S_IFDIR;
    return *is_stream ? _open(path, _O_WRONLY | _O_BINARY | _O_NOINHERIT) : -1;
}

static void keep_mode(int file, const char* path)
{
    (void)file;
    (void)path;
}

static FILE* stream_of(int file, const char* mode)
{
    FILE* stream = _fdopen(file, mode);
    if (!stream) _close(file);
    return stream;
}

static bool synchronize(FILE* file)
{
    return _commit(_fileno(file)) == 0;
}

static bool seek(FILE* file, int64_t at, int whence)
{
    return _fseeki64(file, at, whence) == 0;
}

static int64_t position_in(FILE* file)
{
    return _ftelli64(file);
}

static void close_file(int file)
{
    _close(file);
}

static bool rename_over(const char* from, const char* to)
{
    if (MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING)) return true;
    errno = EACCES;
    return false;
}

bool tact_platform_trusts_folder(const char* path, const char** why)
{
    const DWORD attributes = GetFileAttributesA(path);
    *why = attributes == INVALID_FILE_ATTRIBUTES || !(attributes & FILE_ATTRIBUTE_DIRECTORY) ? "it is no folder" : NULL;
    return *why == NULL;
}

FILE* tact_platform_open_trusted(const char* path, const char** why)
{
    *why = NULL;
    HANDLE handle = CreateFileA(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                OPEN_EXISTING, FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    if (handle == INVALID_HANDLE_VALUE) return NULL;
    BY_HANDLE_FILE_INFORMATION facts;
    if (GetFileType(handle) != FILE_TYPE_DISK || !GetFileInformationByHandle(handle, &facts) ||
        facts.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) {
        *why = "it is no regular file";
        CloseHandle(handle);
        return NULL;
    }
    const int file = _open_osfhandle((intptr_t)handle, _O_RDONLY | _O_BINARY);
    if (file < 0) CloseHandle(handle);
    return file < 0 ? NULL : stream_of(file, "rb");
}

#else

static uint64_t random_number(void)
{
    uint64_t number = 0;
    const int source = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    const bool good = source >= 0 && read(source, &number, sizeof number) == (ssize_t)sizeof number;
    if (source >= 0) close(source);
    if (good) return number;
    // Without it names can be guessed, and a file that was planted there only makes this fail: it is never opened.
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)&number;
}

static int open_new(const char* path, unsigned flags)
{
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, flags & TACT_FILE_PRIVATE ? 0600 : 0666);
}

/// The number behind `prefix`, or -1.
static int number_after(const char* path, const char* prefix)
{
    const size_t length = strlen(prefix);
    if (strncmp(path, prefix, length) != 0) return -1;
    char* end = NULL;
    const long number = strtol(path + length, &end, 10);
    return end == path + length || *end || number < 0 || number > 65535 ? -1 : (int)number;
}

/// A file that is open already: its own descriptor, so that what is written follows what was.
static int open_file_of(const char* path)
{
    if (strcmp(path, "/dev/stdout") == 0) return STDOUT_FILENO;
    if (strcmp(path, "/dev/stderr") == 0) return STDERR_FILENO;
    const int number = number_after(path, "/dev/fd/");
    return number >= 0 ? number : number_after(path, "/proc/self/fd/");
}

static int open_stream(const char* path, bool* is_stream)
{
    struct stat facts;
    const int open_already = open_file_of(path);
    *is_stream = true;
    if (open_already >= 0) {
        fflush(NULL);
        return dup(open_already);
    }
    *is_stream =
        lstat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode) && !S_ISLNK(facts.st_mode);
    if (!*is_stream) return -1;
    const int file = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY);
    if (file < 0 || (fstat(file, &facts) == 0 && !S_ISREG(facts.st_mode))) return file;
    close(file);  // another one has taken its place meanwhile
    errno = EEXIST;
    return -1;
}

/// A file that is replaced keeps who may read it.
static void keep_mode(int file, const char* path)
{
    struct stat facts;
    if (lstat(path, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid()) {
        (void)fchmod(file, facts.st_mode & 0777);
    }
}

static FILE* stream_of(int file, const char* mode)
{
    FILE* stream = fdopen(file, mode);
    if (!stream) close(file);
    return stream;
}

static bool synchronize(FILE* file)
{
    return fsync(fileno(file)) == 0;
}

static bool seek(FILE* file, int64_t at, int whence)
{
    const off_t offset = (off_t)at;
    if (offset == at) return fseeko(file, offset, whence) == 0;
    errno = EOVERFLOW;
    return false;
}

static int64_t position_in(FILE* file)
{
    return (int64_t)ftello(file);
}

static void close_file(int file)
{
    close(file);
}

static bool rename_over(const char* from, const char* to)
{
    return rename(from, to) == 0;
}

/// NULL: only this user and root can have written it.
static const char* distrust(const struct stat* facts)
{
    if (facts->st_uid != geteuid() && facts->st_uid != 0) return "it belongs to another user";
    return facts->st_mode & (S_IWGRP | S_IWOTH) ? "others can write to it" : NULL;
}

bool tact_platform_trusts_folder(const char* path, const char** why)
{
    struct stat facts;
    *why = "it cannot be opened";
    // A link to the folder can be as good as the folder, where it belongs to this user or root.
    if (lstat(path, &facts) != 0) return false;
    if (S_ISLNK(facts.st_mode) && facts.st_uid != geteuid() && facts.st_uid != 0) {
        *why = "it is a link of another user";
        return false;
    }
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
    if (folder < 0) {
        if (errno == ENOTDIR) *why = "it is no folder";
        return false;
    }
    if (fstat(folder, &facts) == 0) *why = distrust(&facts);
    close(folder);
    return *why == NULL;
}

FILE* tact_platform_open_trusted(const char* path, const char** why)
{
    *why = NULL;
    // A pipe would wait for somebody who writes to it.
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        if (errno == ELOOP) *why = "it is a link";
        return NULL;
    }
    struct stat facts;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        *why = "it is no regular file";
    } else {
        *why = distrust(&facts);
    }
    if (!*why) return stream_of(file, "rb");
    close(file);
    return NULL;
}

#endif

/// Whether a name of its own may begin behind it.
static bool ends_folder(char c)
{
#if defined(_WIN32)
    return c == '/' || c == '\\' || c == ':';
#else
    return c == '/';
#endif
}

/// How much of a path is its folder's.
static size_t folder_of(const char* path)
{
    size_t folder = strlen(path);
    while (folder > 0 && !ends_folder(path[folder - 1]))
        --folder;
    return folder;
}

/// DIRECTORY/.tact-NUMBER.END beside `path`: as short for the longest name as for any other.
static bool name_beside(const char* path, uint64_t number, const char* end, char* temporary, size_t size)
{
    const size_t folder = folder_of(path);
    if (folder >= size) return false;
    const int written =
        snprintf(temporary, size, "%.*s.tact-%016llx.%s", (int)folder, path, (unsigned long long)number, end);
    return (size_t)written < size;
}

bool tact_platform_begin_file(tact_platform_output* output, const char* path, unsigned flags)
{
    enum { TRIES = 100 };
    *output = (tact_platform_output){.flags = flags};
    errno = ENAMETOOLONG;
    if (strlen(path) >= sizeof output->path) return false;
    memcpy(output->path, path, strlen(path) + 1);
    bool is_stream = false;
    int file = flags & TACT_FILE_STREAMS ? open_stream(path, &is_stream) : -1;
    for (int i = 0; i < TRIES && file < 0 && !is_stream; ++i) {
        if (!name_beside(path, random_number(), "tmp", output->temporary, sizeof output->temporary)) return false;
        file = open_new(output->temporary, flags);
        if (file < 0 && errno != EEXIST) return false;
    }
    if (file < 0) return false;
    if (is_stream) output->temporary[0] = '\0';
    if (!is_stream && !(flags & TACT_FILE_PRIVATE)) keep_mode(file, path);
    output->file = stream_of(file, "wb");
    if (!output->file && !is_stream) remove(output->temporary);
    return output->file != NULL;
}

bool tact_platform_finish_file(tact_platform_output* output, bool good)
{
    good = good && !ferror(output->file);
    good = fflush(output->file) == 0 && good;
    // Else a crash could leave a renamed but empty file.
    if (output->flags & TACT_FILE_SYNC && output->temporary[0]) good = good && synchronize(output->file);
    int reason = errno;
    if (fclose(output->file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (output->temporary[0]) {
        if (good && !rename_over(output->temporary, output->path)) {
            good = false;
            reason = errno;
        }
        if (!good) remove(output->temporary);
    }
    errno = reason;
    return good;
}

bool tact_platform_name_shared(const char* path, char* temporary, size_t size)
{
    // FNV-1a of the file's own name.
    uint64_t number = 0xcbf29ce484222325u;
    for (const char* c = path + folder_of(path); *c; ++c)
        number = (number ^ (unsigned char)*c) * 0x100000001b3u;
    return name_beside(path, number, "part", temporary, size);
}

bool tact_platform_begin_shared(const char* path, const char* temporary)
{
    // A link that lies there is removed, not followed.
    if (remove(temporary) != 0 && errno != ENOENT) return false;
    const int file = open_new(temporary, 0);
    if (file < 0) return false;
    keep_mode(file, path);
    close_file(file);
    return true;
}

bool tact_platform_finish_shared(const char* path, const char* temporary, bool good, uint64_t size)
{
    int reason = EIO;
    if (good) {
        FILE* file = fopen(temporary, "rb");
        uint64_t there = 0;
        good = file && tact_platform_size(file, &there);
        if (!good) reason = errno;
        if (file) fclose(file);
        good = good && there == size && rename_over(temporary, path);
        if (!good && there == size) reason = errno;
    }
    if (!good) remove(temporary);
    errno = reason;
    return good;
}

bool tact_platform_seek(FILE* file, uint64_t at)
{
    if (at <= INT64_MAX) return seek(file, (int64_t)at, SEEK_SET);
    errno = EINVAL;
    return false;
}

bool tact_platform_size(FILE* file, uint64_t* size)
{
    if (!seek(file, 0, SEEK_END)) return false;
    const int64_t end = position_in(file);
    *size = end < 0 ? 0 : (uint64_t)end;
    return end >= 0 && seek(file, 0, SEEK_SET);
}

bool tact_platform_write_file(const char* path, unsigned flags, const void* head, size_t head_size, const void* data,
                              size_t size)
{
    tact_platform_output output;
    if (!tact_platform_begin_file(&output, path, flags)) return false;
    bool good = head_size == 0 || fwrite(head, 1, head_size, output.file) == head_size;
    good = good && (size == 0 || fwrite(data, 1, size, output.file) == size);
    return tact_platform_finish_file(&output, good);
}
