// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A group of one rank, which needs nobody to reach.

#include <stdio.h>
#include <string.h>

#include "tact/ranks.h"

static inline void lone_release(void* user)
{
    if (user) ++*(int*)user;
}
static inline tact_result lone_combine(void* user, tact_rank_combination how, uint64_t* numbers, size_t count)
{
    (void)user, (void)how, (void)numbers, (void)count;
    return TACT_OK;
}
static inline tact_result lone_gather(void* user, const void* bytes, uint64_t size, void* all)
{
    (void)user;
    memcpy(all, bytes, (size_t)size);
    return TACT_OK;
}
static inline tact_result lone_deal(void* user, const uint64_t* to, uint64_t* from)
{
    (void)user;
    from[0] = to[0];
    return TACT_OK;
}
static inline tact_result lone_link(void* user, const uint32_t* others, size_t count, void** link)
{
    (void)user, (void)others, (void)count;
    *link = NULL;
    return TACT_OK;
}
static inline void lone_unlink(void* user, void* link)
{
    (void)user, (void)link;
}
static inline tact_result lone_begin(void* user, void* link, const tact_rank_bytes* out, size_t out_count,
                                     const tact_rank_bytes* in, size_t in_count)
{
    (void)user, (void)link, (void)out, (void)out_count, (void)in, (void)in_count;
    return TACT_OK;
}
static inline tact_result lone_end(void* user)
{
    (void)user;
    return TACT_OK;
}
static inline tact_result lone_file_open(void* user, const char* path, bool writes, void** file, uint64_t* size)
{
    (void)user;
    FILE* f = fopen(path, writes ? "rb+" : "rb");
    if (!f) return TACT_ERROR_INVALID_ARGUMENT;
    fseek(f, 0, SEEK_END);
    *size = (uint64_t)ftell(f);
    *file = f;
    return TACT_OK;
}
static inline tact_result lone_file_write(void* user, void* file, uint64_t at, const void* bytes, uint64_t size)
{
    (void)user;
    const bool good =
        fseek((FILE*)file, (long)at, SEEK_SET) == 0 && fwrite(bytes, 1, (size_t)size, (FILE*)file) == size;
    return good ? TACT_OK : TACT_ERROR_INVALID_ARGUMENT;
}
static inline tact_result lone_file_read(void* user, void* file, uint64_t at, void* bytes, uint64_t size)
{
    (void)user;
    const bool good = fseek((FILE*)file, (long)at, SEEK_SET) == 0 && fread(bytes, 1, (size_t)size, (FILE*)file) == size;
    return good ? TACT_OK : TACT_ERROR_INVALID_ARGUMENT;
}
static inline tact_result lone_file_flush(void* user, void* file)
{
    (void)user;
    return fflush((FILE*)file) == 0 ? TACT_OK : TACT_ERROR_INVALID_ARGUMENT;
}
static inline tact_result lone_file_close(void* user, void* file)
{
    (void)user;
    return fclose((FILE*)file) == 0 ? TACT_OK : TACT_ERROR_INVALID_ARGUMENT;
}
static inline const char* lone_explain(void* user)
{
    (void)user;
    return "";
}

/// `released`, or NULL, counts how often the group was released.
static inline tact_ranks_calls lone_calls(int* released)
{
    tact_ranks_calls calls;
    memset(&calls, 0, sizeof calls);
    calls.count = 1;
    calls.user = released;
    calls.release = lone_release;
    calls.combine = lone_combine;
    calls.gather = lone_gather;
    calls.deal = lone_deal;
    calls.link = lone_link;
    calls.unlink = lone_unlink;
    calls.begin = lone_begin;
    calls.end = lone_end;
    calls.file_open = lone_file_open;
    calls.file_write = lone_file_write;
    calls.file_read = lone_file_read;
    calls.file_flush = lone_file_flush;
    calls.file_close = lone_file_close;
    calls.explain = lone_explain;
    return calls;
}
