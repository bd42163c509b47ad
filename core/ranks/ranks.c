// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Groups of ranks: what all that is spread over ranks is made of.

#include "core/ranks/ranks.h"

#include <string.h>

#include "base/platform.h"
#include "tact/version.h"

/// What all ranks must have in common, as this one sees it.
typedef struct tact_rank_kind {
    char version[32];
    uint32_t order, word, count;
} tact_rank_kind;

enum { DETAIL = 512 };

static tact_result check_calls(tact_env* env, const tact_ranks_calls* c)
{
    if (!c->combine || !c->gather || !c->deal || !c->link || !c->unlink || !c->begin || !c->end || !c->explain ||
        !c->release || !c->file_open || !c->file_write || !c->file_read || !c->file_flush || !c->file_close)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a function of the calls is NULL");
    if (c->count < 1 || c->rank >= c->count)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "rank %u of %u", (unsigned)c->rank, (unsigned)c->count);
    return TACT_OK;
}

/// Whether all ranks run the same library on machines of a kind.
static tact_result check_kinds(tact_ranks* r)
{
    tact_env* env = &r->context->env;
    const uint32_t count = r->calls.count;
    tact_rank_kind own = {.order = 0x01020304u, .word = sizeof(size_t), .count = count};
    memcpy(own.version, TACT_VERSION_STRING, sizeof TACT_VERSION_STRING);
    tact_rank_kind* all = tact_allocate(env, count, sizeof *all);
    tact_result result = tact_ranks_agree(r, all ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = tact_ranks_gather(r, &own, sizeof own, all);
    for (uint32_t i = 0; i < count && result == TACT_OK; ++i) {
        if (memcmp(&all[i], &own, sizeof own) == 0) continue;
        result = tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                           "rank %u has another version of the library, or another kind of machine, than rank %u",
                           (unsigned)i, (unsigned)r->calls.rank);
    }
    tact_release(env, all);
    return tact_ranks_agree(r, result);
}

tact_result tact_ranks_create(tact_context* context, const tact_ranks_calls* calls, tact_ranks** ranks)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &context->env;
    if (!calls) return tact_null(env, "calls");
    tact_result result = ranks ? check_calls(env, calls) : tact_null(env, "ranks");
    if (ranks) *ranks = NULL;
    tact_ranks* r = result == TACT_OK ? tact_allocate_zeroed(env, 1, sizeof *r) : NULL;
    if (!r) {
        if (calls->release) calls->release(calls->user);
        return result == TACT_OK ? TACT_ERROR_OUT_OF_MEMORY : result;
    }
    r->context = context;
    r->calls = *calls;
    result = check_kinds(r);
    if (result != TACT_OK) {
        r->calls.release(r->calls.user);
        tact_release(env, r);
        return result;
    }
    ++context->objects;
    *ranks = r;
    return TACT_OK;
}

void tact_ranks_destroy(tact_ranks* r)
{
    if (!r || tact_context_is_closed(r->context)) return;
    tact_context* context = r->context;
    r->calls.release(r->calls.user);
    --context->objects;
    tact_release(&context->env, r);
}

tact_result tact_ranks_get_info(const tact_ranks* r, tact_ranks_info* info)
{
    if (!r) tact_error_begin(NULL);
    if (r && !tact_enter(r->context, "ranks")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!r) tact_error_begin(NULL);
    if (!info) return tact_null(r ? &r->context->env : NULL, "info");
    *info = (tact_ranks_info){.count = 1};
    if (!r) return TACT_OK;
    *info = r->done;
    info->rank = r->calls.rank;
    info->count = r->calls.count;
    return TACT_OK;
}

/// A call of the group, timed, after which the detail names the rank.
static tact_result waited(tact_ranks* r, double since, tact_result result)
{
    r->done.wait_ms += tact_platform_milliseconds() - since;
    if (result == TACT_OK) return TACT_OK;
    return tact_fail(&r->context->env, result, "rank %u cannot reach the others: %s", (unsigned)r->calls.rank,
                     r->calls.explain(r->calls.user));
}

tact_result tact_ranks_combine(tact_ranks* r, tact_rank_combination how, uint64_t* numbers, size_t count)
{
    if (!r || r->calls.count == 1) return TACT_OK;
    const double since = tact_platform_milliseconds();
    ++r->done.meetings;
    return waited(r, since, r->calls.combine(r->calls.user, how, numbers, count));
}

tact_result tact_ranks_gather(tact_ranks* r, const void* bytes, uint64_t size, void* all)
{
    if (!r || r->calls.count == 1) {
        if (size > 0) memcpy(all, bytes, (size_t)size);
        return TACT_OK;
    }
    const double since = tact_platform_milliseconds();
    ++r->done.meetings;
    r->done.bytes += size;
    return waited(r, since, r->calls.gather(r->calls.user, bytes, size, all));
}

tact_result tact_ranks_deal(tact_ranks* r, const uint64_t* to, uint64_t* from)
{
    if (!r || r->calls.count == 1) {
        from[0] = to[0];
        return TACT_OK;
    }
    const double since = tact_platform_milliseconds();
    ++r->done.meetings;
    r->done.bytes += (r->calls.count - 1) * sizeof *to;
    return waited(r, since, r->calls.deal(r->calls.user, to, from));
}

tact_result tact_ranks_agree_and(tact_ranks* r, tact_result result, bool* any)
{
    if (!r || r->calls.count == 1) return result;
    // The first rank that failed has the greatest number. Codes are negative.
    uint64_t greatest[2] = {result == TACT_OK ? 0 : r->calls.count - r->calls.rank, *any};
    tact_result reached = tact_ranks_combine(r, TACT_RANKS_MAX, greatest, 2);
    const uint64_t first = greatest[0];
    *any = greatest[1] != 0;
    if (reached != TACT_OK || first == 0) return reached;
    const uint32_t rank = r->calls.count - (uint32_t)first;
    // What the others say of it: a byte a number, so that no memory is needed, which may be what is lacking.
    char said[DETAIL] = {0};
    uint64_t numbers[DETAIL + 1] = {0};
    if (rank == r->calls.rank) {
        snprintf(said, sizeof said, "%s", tact_last_error());
        for (int i = 0; i < DETAIL; ++i)
            numbers[i] = (unsigned char)said[i];
        numbers[DETAIL] = (uint64_t)(result == TACT_INCOMPLETE ? 1000 : -result);
    }
    reached = tact_ranks_combine(r, TACT_RANKS_MAX, numbers, DETAIL + 1);
    if (reached != TACT_OK) return reached;
    for (int i = 0; i < DETAIL; ++i)
        said[i] = (char)numbers[i];
    said[DETAIL - 1] = 0;
    const tact_result code = numbers[DETAIL] == 1000 ? TACT_INCOMPLETE : (tact_result) - (int)numbers[DETAIL];
    return tact_fail(&r->context->env, code, "rank %u: %s", (unsigned)rank, said);
}

tact_result tact_ranks_agree(tact_ranks* r, tact_result result)
{
    bool any = false;
    return tact_ranks_agree_and(r, result, &any);
}

tact_result tact_ranks_before(tact_ranks* r, uint64_t number, uint64_t* before, uint64_t* all)
{
    *before = 0;
    *all = number;
    const uint32_t count = tact_ranks_count(r);
    if (count == 1) return TACT_OK;
    tact_env* env = &r->context->env;
    uint64_t* numbers = tact_allocate(env, count, sizeof *numbers);
    tact_result result = tact_ranks_agree(r, numbers ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = tact_ranks_gather(r, &number, sizeof number, numbers);
    *all = 0;
    for (uint32_t i = 0; i < count && result == TACT_OK; ++i) {
        if (i < r->calls.rank) *before += numbers[i];
        *all += numbers[i];
    }
    tact_release(env, numbers);
    return result;
}

tact_result tact_ranks_begin(tact_ranks* r, void* link, const tact_rank_bytes* out, size_t out_count,
                             const tact_rank_bytes* in, size_t in_count)
{
    TACT_ASSERT(r && r->calls.count > 1);
    const double since = tact_platform_milliseconds();
    for (size_t i = 0; i < out_count; ++i) {
        r->done.messages += out[i].size > 0;
        r->done.bytes += out[i].size;
    }
    return waited(r, since, r->calls.begin(r->calls.user, link, out, out_count, in, in_count));
}

tact_result tact_ranks_end(tact_ranks* r)
{
    const double since = tact_platform_milliseconds();
    return waited(r, since, r->calls.end(r->calls.user));
}

tact_result tact_ranks_exchange(tact_ranks* r, void* link, const tact_rank_bytes* out, size_t out_count,
                                const tact_rank_bytes* in, size_t in_count)
{
    const tact_result result = tact_ranks_begin(r, link, out, out_count, in, in_count);
    return result == TACT_OK ? tact_ranks_end(r) : result;
}

/// What is to come of each rank, and where it goes. Room for `count` parcels each.
static tact_result send_parts(tact_ranks* r, const void* const* bytes, const uint64_t* sizes, void* in,
                              const uint64_t* in_sizes, tact_rank_bytes* parts)
{
    const uint32_t count = r->calls.count, own = r->calls.rank;
    tact_rank_bytes *outs = parts, *ins = parts + count;
    size_t out_count = 0, in_count = 0;
    char* at = in;
    for (uint32_t i = 0; i < count; ++i) {
        if (i == own && sizes[i] > 0) memcpy(at, bytes[i], (size_t)sizes[i]);
        if (i != own && sizes[i] > 0) outs[out_count++] = (tact_rank_bytes){i, (void*)(uintptr_t)bytes[i], sizes[i]};
        if (i != own && in_sizes[i] > 0) ins[in_count++] = (tact_rank_bytes){i, at, in_sizes[i]};
        at += in_sizes[i];
    }
    return count > 1 ? tact_ranks_exchange(r, NULL, outs, out_count, ins, in_count) : TACT_OK;
}

tact_result tact_ranks_send(tact_ranks* r, const void* const* bytes, const uint64_t* sizes, void** in,
                            uint64_t* in_sizes)
{
    TACT_ASSERT(r);
    tact_env* env = &r->context->env;
    const uint32_t count = r->calls.count;
    *in = NULL;
    tact_result result = tact_ranks_deal(r, sizes, in_sizes);
    if (result != TACT_OK) return result;
    uint64_t all = 0;
    for (uint32_t i = 0; i < count; ++i)
        all += in_sizes[i];
    tact_rank_bytes* parts = tact_allocate(env, 2 * (size_t)count, sizeof *parts);
    if (all <= SIZE_MAX) *in = tact_allocate(env, (size_t)all, 1);
    result = tact_ranks_agree(r, parts && *in ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = send_parts(r, bytes, sizes, *in, in_sizes, parts);
    tact_release(env, parts);
    if (result != TACT_OK) {
        tact_release(env, *in);
        *in = NULL;
    }
    return result;
}

tact_result tact_ranks_share(tact_ranks* r, const void* bytes, uint64_t size, void** all, uint64_t* all_size)
{
    TACT_ASSERT(r);
    tact_env* env = &r->context->env;
    const uint32_t count = r->calls.count;
    *all = NULL;
    *all_size = 0;
    const void** sent = tact_allocate(env, count, sizeof *sent);
    uint64_t* sizes = tact_allocate(env, 2 * (size_t)count, sizeof *sizes);
    tact_result result = tact_ranks_agree(r, sent && sizes ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < count && result == TACT_OK; ++i) {
        sent[i] = bytes;
        sizes[i] = size;
    }
    if (result == TACT_OK && count == 1) {
        *all = tact_allocate(env, (size_t)size, 1);
        if (!*all) result = TACT_ERROR_OUT_OF_MEMORY;
        if (*all && size > 0) memcpy(*all, bytes, (size_t)size);
        sizes[1] = size;
    } else if (result == TACT_OK) {
        result = tact_ranks_send(r, sent, sizes, all, sizes + count);
    }
    for (uint32_t i = 0; i < count && result == TACT_OK; ++i)
        *all_size += sizes[count + i];
    tact_release(env, (void*)sent);
    tact_release(env, sizes);
    return result;
}
