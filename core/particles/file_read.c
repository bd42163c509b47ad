// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Making a system again from its file: each rank reads what all have alike, and its part of the particles, and checks
// the blocks that these are in.

#include "base/bytes.h"
#include "base/float_env.h"
#include "core/particles/archive.h"
#include "core/particles/spread.h"
#include "core/ranks/files.h"

typedef struct reading {
    tact_env* env;
    tact_rank_file file;
    uint64_t base, end;  ///< where the system's bytes begin in the file; where its body ends, of these
    uint8_t head[TACT_SAVED_HEADER];
    uint8_t* digests;  ///< NULL: of a version without
    uint8_t* block;    ///< one that was read and checked
    uint64_t number;   ///< of it
    uint8_t piece[TACT_ARCHIVE_PIECE];
    tact_result result;  ///< the first failure, and why
    char why[512];
} reading;

/// Reads a block and checks it, where it is not the last that was.
static bool hold(reading* r, uint64_t number)
{
    if (r->number == number) return true;
    const uint64_t at = tact_archive_block_at(number);
    r->number = UINT64_MAX;
    r->result =
        tact_rank_file_read(&r->file, r->base + at, r->block, (size_t)(tact_archive_block_end(number, r->end) - at));
    if (r->result == TACT_OK && r->digests) {
        r->result = tact_archive_check_block(r->env, tact_archive_particles_what, r->digests, number, r->end, r->block);
    }
    if (r->result == TACT_OK)
        r->number = number;
    else
        snprintf(r->why, sizeof r->why, "%s", tact_last_error());
    return r->result == TACT_OK;
}

/// tact_archive::fetch.
static const uint8_t* fetch(void* user, size_t at, size_t bytes)
{
    reading* r = user;
    if (bytes == 0) return r->piece;
    if (r->result != TACT_OK) return NULL;
    const uint64_t first = (at - TACT_SAVED_HEADER) / TACT_SAVED_BLOCK;
    const size_t skip = at - (size_t)tact_archive_block_at(first);
    const size_t here = TACT_SAVED_BLOCK - skip < bytes ? TACT_SAVED_BLOCK - skip : bytes;
    if (!hold(r, first)) return NULL;
    if (here == bytes) return r->block + skip;
    // Across the end of a block.
    memcpy(r->piece, r->block + skip, here);
    if (!hold(r, first + 1)) return NULL;
    memcpy(r->piece + here, r->block, bytes - here);
    return r->piece;
}

/// The checksum of a version without digests.
static tact_result check_all(reading* r)
{
    tact_archive_sum sum = tact_archive_sum_begin();
    for (uint64_t k = 0; k < tact_archive_blocks(r->end); ++k) {
        if (!hold(r, k)) return r->result;
        tact_archive_sum_add(&sum, r->block, (size_t)(tact_archive_block_end(k, r->end) - tact_archive_block_at(k)));
    }
    return tact_archive_check_sum(r->env, tact_archive_particles_what, r->head, &sum);
}

/// Reads and checks what the file begins and ends with.
static tact_result check_ends(reading* r)
{
    const char* what = tact_archive_particles_what;
    if (r->file.size < r->base || r->file.size - r->base < TACT_SAVED_HEADER) {
        return tact_fail(r->env, TACT_ERROR_INVALID_ARGUMENT,
                         "%s: %llu bytes, and no saved particle system behind %llu", r->file.path,
                         (unsigned long long)r->file.size, (unsigned long long)r->base);
    }
    const uint64_t size = r->file.size - r->base;
    bool old = false;
    tact_result result = tact_rank_file_read(&r->file, r->base, r->head, sizeof r->head);
    if (result == TACT_OK) result = tact_archive_check_head(r->env, r->head, sizeof r->head, &old);
    if (result == TACT_OK) result = tact_archive_check_size(r->env, what, r->head, size);
    if (result != TACT_OK) return result;
    if (size > SIZE_MAX) return tact_fail(r->env, TACT_ERROR_LIMIT, "%s: too large for this machine", what);
    r->end = old ? size : tact_archive_body_end(size);
    if (r->end == 0)
        return tact_fail(r->env, TACT_ERROR_INVALID_ARGUMENT, "%s has no %llu bytes", what, (unsigned long long)size);
    const uint64_t blocks = tact_archive_blocks(r->end);
    r->block = tact_allocate(r->env, TACT_SAVED_BLOCK, 1);
    if (!old) r->digests = tact_allocate(r->env, (size_t)blocks, TACT_SAVED_DIGEST);
    if (!r->block || (!old && !r->digests)) return TACT_ERROR_OUT_OF_MEMORY;
    // The first rank reads all of an old file, for all.
    if (old) return tact_ranks_own(r->file.ranks) == 0 ? check_all(r) : TACT_OK;
    result = tact_rank_file_read(&r->file, r->base + r->end, r->digests, (size_t)blocks * TACT_SAVED_DIGEST);
    return result == TACT_OK ? tact_archive_check_root(r->env, what, r->head, r->digests, blocks) : result;
}

/// Makes this rank's part of the system. Not collective.
static tact_result read_part(tact_context* context, reading* r, tact_backend backend, tact_particles** p)
{
    tact_ranks* ranks = r->file.ranks;
    tact_result result = check_ends(r);
    if (result != TACT_OK) return result;
    tact_archive a = {.reads = true,
                      .fetch = fetch,
                      .user = r,
                      .at = TACT_SAVED_HEADER,
                      .size = (size_t)r->end,
                      .rank = tact_ranks_own(ranks),
                      .ranks = ranks ? tact_ranks_count(ranks) : 0};
    result = tact_archive_restore(context, r->head, &a, backend, p);
    // What the file is to blame for goes before what follows from it.
    return r->result == TACT_OK ? result : tact_fail(r->env, r->result, "%s", r->why);
}

/// What parts have to know of each other.
static tact_result spread_parts(tact_particles* p, tact_ranks* ranks, const tact_particle_ranks_desc* desc)
{
    static const tact_particle_ranks_desc defaults = {0};
    const tact_particle_ranks_desc* d = desc ? desc : &defaults;
    tact_result result = tact_spread_check(p, ranks, d);
    if (result == TACT_OK && !tact_spread_attach(p, ranks, d)) result = TACT_ERROR_OUT_OF_MEMORY;
    result = tact_ranks_agree(ranks, result);
    uint64_t bonded = p->model.bonded;
    if (result == TACT_OK) result = tact_ranks_combine(ranks, TACT_RANKS_MAX, &bonded, 1);
    p->model.bonded = bonded > 0;
    return result;
}

static tact_result restore_file(tact_context* context, tact_ranks* ranks, const char* path, uint64_t offset,
                                tact_backend backend, const tact_particle_ranks_desc* desc, tact_particles** particles)
{
    reading* r = tact_allocate_zeroed(&context->env, 1, sizeof *r);
    tact_result result = tact_ranks_agree(ranks, r ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = tact_rank_file_open(&r->file, context, ranks, path);
    if (result != TACT_OK) {
        tact_release(&context->env, r);
        return result;
    }
    tact_particles* p = NULL;
    r->env = &context->env;
    r->base = offset;
    r->number = UINT64_MAX;
    result = tact_ranks_agree(ranks, read_part(context, r, backend, &p));
    tact_rank_file_close(&r->file);
    tact_release(r->env, r->digests);
    tact_release(r->env, r->block);
    tact_release(&context->env, r);
    if (result == TACT_OK && ranks) result = spread_parts(p, ranks, desc);
    if (result != TACT_OK) {
        tact_particles_destroy(p);
        return result;
    }
    *particles = p;
    return TACT_OK;
}

tact_result tact_particles_restore_file(tact_context* context, tact_ranks* ranks, const char* path, uint64_t offset,
                                        tact_backend backend, const tact_particle_ranks_desc* desc,
                                        tact_particles** particles)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!path) return tact_null(&context->env, "path");
    if (!particles) return tact_null(&context->env, "particles");
    *particles = NULL;
    if (ranks && ranks->context != context)
        return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "the ranks are of another context");
    tact_float_env env;
    tact_float_env_enter(&env);
    const tact_result result = restore_file(context, ranks, path, offset, backend, desc, particles);
    tact_float_env_leave(&env);
    return result;
}
