// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "core/ranks/files.h"

#include <errno.h>
#include <string.h>

/// A failure of this rank's, with what the group says of it, or the system where there is none.
static tact_result failed(const tact_rank_file* f, tact_result result, const char* what)
{
    const char* why = f->ranks ? f->ranks->calls.explain(f->ranks->calls.user) : strerror(errno);
    return tact_fail(&f->context->env, result, "%s: %s: %s", f->path, what, why);
}

/// The same, of what the system did.
static tact_result refused(const tact_rank_file* f, const char* what)
{
    return tact_fail(&f->context->env, TACT_ERROR_INVALID_ARGUMENT, "%s: %s: %s", f->path, what, strerror(errno));
}

static tact_result begin_shared(tact_rank_file* f)
{
    const tact_ranks_calls* c = &f->ranks->calls;
    tact_result result = TACT_OK;
    errno = ENAMETOOLONG;
    if (!tact_platform_name_shared(f->path, f->temporary, sizeof f->temporary) ||
        (c->rank == 0 && !tact_platform_begin_shared(f->path, f->temporary))) {
        result = refused(f, "cannot be written");
    }
    result = tact_ranks_agree(f->ranks, result);
    if (result != TACT_OK) return result;
    uint64_t size = 0;
    result = c->file_open(c->user, f->temporary, true, &f->shared, &size);
    if (result != TACT_OK) {
        result = failed(f, result, "cannot be written");
        if (c->rank == 0) tact_platform_finish_shared(f->path, f->temporary, false, 0);
    }
    return tact_ranks_agree(f->ranks, result);
}

tact_result tact_rank_file_begin(tact_rank_file* f, tact_context* context, tact_ranks* ranks, const char* path)
{
    *f = (tact_rank_file){.context = context, .ranks = ranks, .path = path};
    if (ranks) return begin_shared(f);
    if (!tact_platform_begin_file(&f->output, path, TACT_FILE_SYNC)) return refused(f, "cannot be written");
    f->alone = f->output.file;
    return TACT_OK;
}

/// Goes there, where one process is not there already.
static bool go_to(tact_rank_file* f, uint64_t at)
{
    if (f->at != at && !tact_platform_seek(f->alone, at)) return false;
    f->at = at;
    return true;
}

tact_result tact_rank_file_write(tact_rank_file* f, uint64_t at, const void* bytes, size_t size)
{
    if (size > 0 && at + size > f->size) f->size = at + size;
    if (f->ranks) {
        const tact_ranks_calls* c = &f->ranks->calls;
        const tact_result result = c->file_write(c->user, f->shared, at, bytes, size);
        return tact_ranks_agree(f->ranks, result == TACT_OK ? result : failed(f, result, "writing failed"));
    }
    if (size == 0) return TACT_OK;
    const bool good = go_to(f, at) && fwrite(bytes, 1, size, f->alone) == size;
    f->at = good ? at + size : UINT64_MAX;
    if (!good) return refused(f, "writing failed");
    return TACT_OK;
}

static tact_result finish_shared(tact_rank_file* f, tact_result result)
{
    const tact_ranks_calls* c = &f->ranks->calls;
    if (result == TACT_OK) {
        result = c->file_flush(c->user, f->shared);
        result = tact_ranks_agree(f->ranks, result == TACT_OK ? result : failed(f, result, "writing failed"));
    }
    const tact_result closed = c->file_close(c->user, f->shared);
    // Where it is not OK, all have agreed upon that.
    if (result == TACT_OK)
        result = tact_ranks_agree(f->ranks, closed == TACT_OK ? closed : failed(f, closed, "writing failed"));
    if (result == TACT_OK) result = tact_ranks_combine(f->ranks, TACT_RANKS_MAX, &f->size, 1);
    const bool good = result == TACT_OK;
    if (c->rank == 0 && !tact_platform_finish_shared(f->path, f->temporary, good, f->size) && good)
        result = refused(f, "cannot be put in its place");
    return good ? tact_ranks_agree(f->ranks, result) : result;
}

tact_result tact_rank_file_finish(tact_rank_file* f, tact_result result)
{
    if (f->ranks) return finish_shared(f, result);
    const bool good = tact_platform_finish_file(&f->output, result == TACT_OK);
    f->alone = NULL;
    return good || result != TACT_OK ? result : refused(f, "writing failed");
}

tact_result tact_rank_file_open(tact_rank_file* f, tact_context* context, tact_ranks* ranks, const char* path)
{
    *f = (tact_rank_file){.context = context, .ranks = ranks, .path = path};
    if (ranks) {
        const tact_ranks_calls* c = &ranks->calls;
        const tact_result result = c->file_open(c->user, path, false, &f->shared, &f->size);
        return tact_ranks_agree(ranks, result == TACT_OK ? result : failed(f, result, "cannot be read"));
    }
    f->alone = fopen(path, "rb");
    if (f->alone && tact_platform_size(f->alone, &f->size)) return TACT_OK;
    const tact_result result = refused(f, "cannot be read");
    if (f->alone) fclose(f->alone);
    return result;
}

tact_result tact_rank_file_read(tact_rank_file* f, uint64_t at, void* bytes, size_t size)
{
    if (at > f->size || size > f->size - at) {
        return tact_fail(&f->context->env, TACT_ERROR_INVALID_ARGUMENT, "%s: %llu bytes, and none at byte %llu",
                         f->path, (unsigned long long)f->size, (unsigned long long)(at + size - 1));
    }
    if (f->ranks) {
        const tact_ranks_calls* c = &f->ranks->calls;
        const tact_result result = size > 0 ? c->file_read(c->user, f->shared, at, bytes, size) : TACT_OK;
        return result == TACT_OK ? result : failed(f, result, "reading failed");
    }
    errno = EIO;  // where it ends sooner than it did
    const bool good = go_to(f, at) && fread(bytes, 1, size, f->alone) == size;
    f->at = good ? at + size : UINT64_MAX;
    return good ? TACT_OK : refused(f, "reading failed");
}

void tact_rank_file_close(tact_rank_file* f)
{
    if (f->ranks) (void)f->ranks->calls.file_close(f->ranks->calls.user, f->shared);
    if (f->alone) fclose(f->alone);
    f->shared = NULL;
    f->alone = NULL;
}
