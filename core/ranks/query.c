// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/ranks/query.h"

#include <string.h>

#include "base/platform.h"
#include "core/context/tickets.h"
#include "core/ranks/sample.h"

enum { NUMBERS = 16 };

bool tact_ranks_enter(tact_ranks* ranks, const tact_context* context, const char* name,
                      const tact_query_options* options)
{
    return tact_enter_query(ranks ? ranks->context : context, name, options);
}

tact_result tact_ranks_check(const tact_ranks* ranks, tact_context* context, const char* name,
                             const tact_query_options* options)
{
    tact_env* env = ranks ? &ranks->context->env : &context->env;
    if (!context) return tact_null(env, name);
    if (ranks && context != ranks->context)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s and the ranks are of different contexts", name);
    if (tact_ticket_asked(options))
        return tact_fail(env, TACT_ERROR_UNSUPPORTED, "a query over ranks is answered when it returns: no ticket");
    return TACT_OK;
}

tact_result tact_ranks_same(tact_ranks* ranks, const uint64_t* numbers, size_t count, const char* what)
{
    TACT_ASSERT(count <= NUMBERS);
    if (tact_ranks_count(ranks) == 1) return TACT_OK;
    // The largest and, as its complement, the least.
    uint64_t ends[2 * NUMBERS];
    for (size_t i = 0; i < count; ++i) {
        ends[i] = numbers[i];
        ends[count + i] = ~numbers[i];
    }
    const tact_result result = tact_ranks_combine(ranks, TACT_RANKS_MAX, ends, 2 * count);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        if (ends[i] != ~ends[count + i])
            return tact_fail(&ranks->context->env, TACT_ERROR_INVALID_ARGUMENT, "%s is not the same on all ranks",
                             what);
    }
    return result;
}

void tact_ranks_add_report(tact_query_report* report, const tact_query_report* more, bool first)
{
    if (first) {
        *report = *more;
        return;
    }
    report->build_ms += more->build_ms;
    report->upload_ms += more->upload_ms;
    report->query_ms += more->query_ms;
    report->download_ms += more->download_ms;
    report->total_ms += more->total_ms;
    if (more->memory_bytes > report->memory_bytes) report->memory_bytes = more->memory_bytes;
    report->failures += more->failures;
}

void tact_ranks_end_report(tact_query_report* report, double start)
{
    const double own = report->build_ms + report->upload_ms + report->query_ms + report->download_ms;
    report->total_ms = tact_platform_milliseconds() - start;
    if (report->total_ms > own) report->upload_ms += report->total_ms - own;
}

tact_result tact_ranks_cut_by_sample(tact_ranks* r, const tact_vec3* own, size_t count, tact_rank_curve* curve)
{
    tact_env* env = &r->context->env;
    void* all = NULL;
    uint64_t bytes = 0;
    tact_result result = tact_ranks_share(r, own, count * sizeof *own, &all, &bytes);
    if (result != TACT_OK) return result;
    // Points come in order of rank, so that all ranks have them alike.
    result = tact_rank_curve_cut(env, all, (size_t)(bytes / sizeof *own), r->calls.count, curve);
    tact_release(env, all);
    return tact_ranks_agree(r, result);
}

/// Rank 0 receives what the others send; `sizes` of all.
static tact_result collect(tact_ranks* r, const void* bytes, uint64_t count, char* all, const uint64_t* sizes,
                           tact_rank_bytes* parts)
{
    if (r->calls.rank > 0) {
        const tact_rank_bytes out = {0, (void*)(uintptr_t)bytes, count};
        return tact_ranks_exchange(r, NULL, &out, count > 0, NULL, 0);
    }
    if (count > 0) memmove(all, bytes, (size_t)count);
    size_t in_count = 0;
    uint64_t at = count;
    for (uint32_t i = 1; i < r->calls.count; ++i) {
        if (sizes[i] > 0) parts[in_count++] = (tact_rank_bytes){i, all + at, sizes[i]};
        at += sizes[i];
    }
    return tact_ranks_exchange(r, NULL, NULL, 0, parts, in_count);
}

static tact_result check_room(tact_env* env, const void* all, uint64_t room, uint64_t size)
{
    if (!all && size > 0) return tact_null(env, "all");
    if (size <= room) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%llu bytes are too many for a room of %llu",
                     (unsigned long long)size, (unsigned long long)room);
}

static tact_result collect_all(tact_ranks* r, const void* bytes, uint64_t count, void* all, uint64_t room,
                               uint64_t* size)
{
    tact_env* env = &r->context->env;
    const uint32_t ranks = r->calls.count;
    uint64_t* sizes = tact_allocate(env, ranks, sizeof *sizes);
    tact_rank_bytes* parts = tact_allocate(env, ranks, sizeof *parts);
    tact_result result = sizes && parts ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK && !bytes && count > 0) result = tact_null(env, "bytes");
    result = tact_ranks_agree(r, result);
    if (result == TACT_OK) result = tact_ranks_gather(r, &count, sizeof count, sizes);
    for (uint32_t i = 0; i < ranks && result == TACT_OK; ++i)
        *size += sizes[i];
    if (result == TACT_OK && r->calls.rank == 0) result = check_room(env, all, room, *size);
    result = tact_ranks_agree(r, result);
    if (result == TACT_OK) result = tact_ranks_agree(r, collect(r, bytes, count, all, sizes, parts));
    tact_release(env, sizes);
    tact_release(env, parts);
    return result;
}

tact_result tact_ranks_collect(tact_ranks* r, const void* bytes, uint64_t count, void* all, uint64_t room,
                               uint64_t* size)
{
    uint64_t own = 0;
    if (!size) size = &own;
    *size = 0;
    tact_env* env = r ? &r->context->env : NULL;
    if (r && !tact_enter(r->context, "ranks")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!r) tact_error_begin(NULL);
    if (tact_ranks_count(r) > 1) return collect_all(r, bytes, count, all, room, size);
    if (!bytes && count > 0) return tact_null(env, "bytes");
    *size = count;
    const tact_result result = check_room(env, all, room, count);
    if (result == TACT_OK && count > 0) memmove(all, bytes, (size_t)count);
    return result;
}
