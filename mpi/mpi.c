// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Ranks by MPI 3.1: "MPI: A Message-Passing Interface Standard, Version 3.1", 2015. Counts of MPI 3.1 are ints, so what
// is larger goes in pieces.

#include "tact/mpi.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A test has shorter pieces.
#if !defined(TACT_MPI_PIECE)
#define TACT_MPI_PIECE (1 << 30)
#endif

enum {
    PIECE = TACT_MPI_PIECE,  ///< bytes of a message at most
    TAG = 1,                 ///< of messages between two ranks, which arrive in the order in which they were sent
    NUMBERS = 1 << 20,
};

/// A graph of ranks that exchange bytes.
typedef struct mpi_link {
    MPI_Comm communicator;
    int count;
    int* others;  ///< ascending
    MPI_Aint *out_at, *in_at;
    int *out_sizes, *in_sizes;
    MPI_Datatype* types;
} mpi_link;

typedef struct mpi_ranks {
    MPI_Comm communicator;
    int rank, count;
    MPI_Request* requests;  ///< of the exchange that is under way
    MPI_Status* statuses;   ///< room for what becomes of them
    size_t request_count, request_capacity;
    char error[MPI_MAX_ERROR_STRING + 64];
} mpi_ranks;

static tact_result fail(mpi_ranks* m, const char* function, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    snprintf(m->error, sizeof m->error, "%s: %s", function, text);
    return TACT_ERROR_DEVICE;
}

static tact_result lack(mpi_ranks* m)
{
    snprintf(m->error, sizeof m->error, "out of memory");
    return TACT_ERROR_OUT_OF_MEMORY;
}

static tact_result mpi_combine(void* user, tact_rank_combination how, uint64_t* numbers, size_t count)
{
    mpi_ranks* m = user;
    const MPI_Op operation = how == TACT_RANKS_SUM ? MPI_SUM : MPI_MAX;
    for (size_t at = 0; at < count; at += NUMBERS) {
        const int some = (int)(count - at < NUMBERS ? count - at : NUMBERS);
        const int code = MPI_Allreduce(MPI_IN_PLACE, numbers + at, some, MPI_UINT64_T, operation, m->communicator);
        if (code != MPI_SUCCESS) return fail(m, "MPI_Allreduce", code);
    }
    return TACT_OK;
}

static tact_result mpi_gather(void* user, const void* bytes, uint64_t size, void* all)
{
    mpi_ranks* m = user;
    // Displacements in units of a rank's bytes: those of a type as long as `size` do not overflow.
    MPI_Datatype piece, row;
    if (size == 0) return TACT_OK;
    for (uint64_t at = 0; at < size; at += PIECE) {
        const int some = (int)(size - at < PIECE ? size - at : PIECE);
        int code = MPI_Type_contiguous(some, MPI_BYTE, &piece);
        if (code != MPI_SUCCESS) return fail(m, "MPI_Type_contiguous", code);
        code = MPI_Type_create_resized(piece, 0, (MPI_Aint)size, &row);
        if (code == MPI_SUCCESS) code = MPI_Type_commit(&row);
        if (code == MPI_SUCCESS) {
            code = MPI_Allgather((const char*)bytes + at, some, MPI_BYTE, (char*)all + at, 1, row, m->communicator);
            MPI_Type_free(&row);
        }
        MPI_Type_free(&piece);
        if (code != MPI_SUCCESS) return fail(m, "MPI_Allgather", code);
    }
    return TACT_OK;
}

static tact_result mpi_deal(void* user, const uint64_t* to, uint64_t* from)
{
    mpi_ranks* m = user;
    const int code = MPI_Alltoall(to, 1, MPI_UINT64_T, from, 1, MPI_UINT64_T, m->communicator);
    return code == MPI_SUCCESS ? TACT_OK : fail(m, "MPI_Alltoall", code);
}

static void free_link(mpi_link* l)
{
    if (l->communicator != MPI_COMM_NULL) MPI_Comm_free(&l->communicator);
    free(l->others);
    free(l->out_at);
    free(l->in_at);
    free(l->out_sizes);
    free(l->in_sizes);
    free(l->types);
    free(l);
}

static void mpi_unlink(void* user, void* link)
{
    (void)user;
    free_link(link);
}

static int compare_ints(const void* a, const void* b)
{
    const int p = *(const int*)a, q = *(const int*)b;
    return (p > q) - (p < q);
}

static tact_result mpi_link_up(void* user, const uint32_t* others, size_t count, void** link)
{
    mpi_ranks* m = user;
    const size_t room = count + 1;
    mpi_link* l = calloc(1, sizeof *l);
    int bad = l == NULL;
    if (l) {
        *l = (mpi_link){.communicator = MPI_COMM_NULL,
                        .count = (int)count,
                        .others = malloc(room * sizeof *l->others),
                        .out_at = malloc(room * sizeof *l->out_at),
                        .in_at = malloc(room * sizeof *l->in_at),
                        .out_sizes = malloc(room * sizeof *l->out_sizes),
                        .in_sizes = malloc(room * sizeof *l->in_sizes),
                        .types = malloc(room * sizeof *l->types)};
        bad = !l->others || !l->out_at || !l->in_at || !l->out_sizes || !l->in_sizes || !l->types;
    }
    int code = MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, m->communicator);
    if (code == MPI_SUCCESS && !bad) {
        for (size_t i = 0; i < count; ++i) {
            l->others[i] = (int)others[i];
            l->types[i] = MPI_BYTE;
            l->in_sizes[i] = 1;  // of equal weight
        }
        qsort(l->others, count, sizeof *l->others, compare_ints);
        code = MPI_Dist_graph_create_adjacent(m->communicator, (int)count, l->others, l->in_sizes, (int)count,
                                              l->others, l->in_sizes, MPI_INFO_NULL, 0, &l->communicator);
    }
    if (code != MPI_SUCCESS || bad) {
        if (l) free_link(l);
        return bad ? lack(m) : fail(m, "MPI_Dist_graph_create_adjacent", code);
    }
    *link = l;
    return TACT_OK;
}

static int push(mpi_ranks* m, const MPI_Request* request)
{
    m->requests[m->request_count++] = *request;
    return MPI_SUCCESS;
}

/// Begins to send or receive the bytes of parts from number `skip` on, in pieces.
static int begin_pieces(mpi_ranks* m, const tact_rank_bytes* parts, size_t count, uint64_t skip, bool out)
{
    for (size_t i = 0; i < count; ++i) {
        char* bytes = parts[i].bytes;
        for (uint64_t at = skip; at < parts[i].size; at += PIECE) {
            const int some = (int)(parts[i].size - at < PIECE ? parts[i].size - at : PIECE);
            const int other = (int)parts[i].rank;
            MPI_Request request;
            const int code = out ? MPI_Isend(bytes + at, some, MPI_BYTE, other, TAG, m->communicator, &request)
                                 : MPI_Irecv(bytes + at, some, MPI_BYTE, other, TAG, m->communicator, &request);
            if (code != MPI_SUCCESS) return code;
            push(m, &request);
        }
    }
    return MPI_SUCCESS;
}

static size_t pieces_of(const tact_rank_bytes* parts, size_t count)
{
    size_t pieces = 0;
    for (size_t i = 0; i < count; ++i)
        pieces += (size_t)(parts[i].size / PIECE) + 1;
    return pieces;
}

/// Where the bytes of a link's ranks are, and how many of them go with the first piece.
static int place_parts(const mpi_link* l, const tact_rank_bytes* parts, size_t count, MPI_Aint* at, int* sizes)
{
    memset(sizes, 0, (size_t)l->count * sizeof *sizes);
    memset(at, 0, (size_t)l->count * sizeof *at);
    for (size_t i = 0; i < count; ++i) {
        const int other = (int)parts[i].rank;
        const int* found = bsearch(&other, l->others, (size_t)l->count, sizeof other, compare_ints);
        if (!found) return MPI_ERR_RANK;
        sizes[found - l->others] = (int)(parts[i].size < PIECE ? parts[i].size : PIECE);
        const int code = MPI_Get_address(parts[i].bytes, &at[found - l->others]);
        if (code != MPI_SUCCESS) return code;
    }
    return MPI_SUCCESS;
}

/// Begins an exchange along a link: the first piece of each by a neighbourhood collective.
static int begin_link(mpi_ranks* m, mpi_link* l, const tact_rank_bytes* out, size_t out_count,
                      const tact_rank_bytes* in, size_t in_count)
{
    MPI_Request request;
    int code = place_parts(l, out, out_count, l->out_at, l->out_sizes);
    if (code == MPI_SUCCESS) code = place_parts(l, in, in_count, l->in_at, l->in_sizes);
    if (code != MPI_SUCCESS) return code;
    code = MPI_Ineighbor_alltoallw(MPI_BOTTOM, l->out_sizes, l->out_at, l->types, MPI_BOTTOM, l->in_sizes, l->in_at,
                                   l->types, l->communicator, &request);
    return code == MPI_SUCCESS ? push(m, &request) : code;
}

static tact_result mpi_begin(void* user, void* link, const tact_rank_bytes* out, size_t out_count,
                             const tact_rank_bytes* in, size_t in_count)
{
    mpi_ranks* m = user;
    const size_t most = pieces_of(out, out_count) + pieces_of(in, in_count) + 1;
    if (most > m->request_capacity) {
        MPI_Request* grown = realloc(m->requests, most * sizeof *grown);
        if (grown) m->requests = grown;
        MPI_Status* statuses = realloc(m->statuses, most * sizeof *statuses);
        if (statuses) m->statuses = statuses;
        if (!grown || !statuses) return lack(m);
        m->request_capacity = most;
    }
    m->request_count = 0;
    int code = link ? begin_link(m, link, out, out_count, in, in_count) : MPI_SUCCESS;
    const uint64_t done = link ? PIECE : 0;
    if (code == MPI_SUCCESS) code = begin_pieces(m, in, in_count, done, false);
    if (code == MPI_SUCCESS) code = begin_pieces(m, out, out_count, done, true);
    return code == MPI_SUCCESS ? TACT_OK : fail(m, "beginning an exchange", code);
}

static tact_result mpi_end(void* user)
{
    mpi_ranks* m = user;
    int code = MPI_SUCCESS;
    for (size_t at = 0; at < m->request_count && code == MPI_SUCCESS; at += NUMBERS) {
        const size_t left = m->request_count - at;
        code = MPI_Waitall((int)(left < NUMBERS ? left : NUMBERS), m->requests + at, m->statuses + at);
    }
    m->request_count = 0;
    return code == MPI_SUCCESS ? TACT_OK : fail(m, "MPI_Waitall", code);
}

// ---- Files ----

static tact_result fail_file(mpi_ranks* m, const char* function, int code)
{
    fail(m, function, code);
    return TACT_ERROR_INVALID_ARGUMENT;
}

/// The greatest of a number of all ranks.
static int most_of_all(mpi_ranks* m, uint64_t* number)
{
    return MPI_Allreduce(MPI_IN_PLACE, number, 1, MPI_UINT64_T, MPI_MAX, m->communicator);
}

static tact_result mpi_file_open(void* user, const char* path, bool writes, void** file, uint64_t* size)
{
    mpi_ranks* m = user;
    MPI_File* f = malloc(sizeof *f);
    uint64_t bad = !f;
    int code = most_of_all(m, &bad);
    if (code != MPI_SUCCESS || bad) {
        free(f);
        return bad ? lack(m) : fail(m, "MPI_Allreduce", code);
    }
    code = MPI_File_open(m->communicator, path, writes ? MPI_MODE_WRONLY : MPI_MODE_RDONLY, MPI_INFO_NULL, f);
    MPI_Offset bytes = 0;
    const bool open = code == MPI_SUCCESS;
    if (open) code = MPI_File_set_errhandler(*f, MPI_ERRORS_RETURN);
    if (code == MPI_SUCCESS) code = MPI_File_get_size(*f, &bytes);
    // Ranks that have it open where others do not cannot close it, which all of them do together: it stays open.
    uint64_t shut = !open;
    bad = code != MPI_SUCCESS;
    if (most_of_all(m, &shut) != MPI_SUCCESS || most_of_all(m, &bad) != MPI_SUCCESS) bad = shut = 1;
    if (bad) {
        if (!shut) MPI_File_close(f);
        free(f);
        if (code != MPI_SUCCESS) return fail_file(m, "MPI_File_open", code);
        snprintf(m->error, sizeof m->error, "MPI_File_open: failed on another rank");
        return TACT_ERROR_INVALID_ARGUMENT;
    }
    *file = f;
    *size = (uint64_t)bytes;
    return TACT_OK;
}

/// Whether a transfer moved as many bytes as it was to.
static tact_result check_count(mpi_ranks* m, const char* function, int code, const MPI_Status* status, int wanted)
{
    int count = 0;
    if (code == MPI_SUCCESS && wanted > 0) code = MPI_Get_count(status, MPI_BYTE, &count);
    if (code != MPI_SUCCESS) return fail_file(m, function, code);
    if (count == wanted) return TACT_OK;
    snprintf(m->error, sizeof m->error, "%s: %d of %d bytes", function, count, wanted);
    return TACT_ERROR_INVALID_ARGUMENT;
}

// Transfers of each rank on its own: MPI_File_write_at_all() of Open MPI 4.1 waits for ever where one rank's part fails
// (mca/fcoll/vulcan), as it does when the disk is full. What it would bring about, few and long pieces, is so already:
// callers give each rank whole blocks of a file.

static tact_result mpi_file_write(void* user, void* file, uint64_t at, const void* bytes, uint64_t size)
{
    mpi_ranks* m = user;
    tact_result result = TACT_OK;
    for (uint64_t done = 0; done < size && result == TACT_OK;) {
        const int some = (int)(size - done < PIECE ? size - done : PIECE);
        MPI_Status status;
        const int code = MPI_File_write_at(*(MPI_File*)file, (MPI_Offset)(at + done), (const char*)bytes + done, some,
                                           MPI_BYTE, &status);
        result = check_count(m, "MPI_File_write_at", code, &status, some);
        done += (uint64_t)some;
    }
    return result;
}

static tact_result mpi_file_read(void* user, void* file, uint64_t at, void* bytes, uint64_t size)
{
    mpi_ranks* m = user;
    tact_result result = TACT_OK;
    for (uint64_t done = 0; done < size && result == TACT_OK;) {
        const int some = (int)(size - done < PIECE ? size - done : PIECE);
        MPI_Status status;
        const int code =
            MPI_File_read_at(*(MPI_File*)file, (MPI_Offset)(at + done), (char*)bytes + done, some, MPI_BYTE, &status);
        result = check_count(m, "MPI_File_read_at", code, &status, some);
        done += (uint64_t)some;
    }
    return result;
}

static tact_result mpi_file_flush(void* user, void* file)
{
    mpi_ranks* m = user;
    const int code = MPI_File_sync(*(MPI_File*)file);
    return code == MPI_SUCCESS ? TACT_OK : fail_file(m, "MPI_File_sync", code);
}

static tact_result mpi_file_close(void* user, void* file)
{
    mpi_ranks* m = user;
    const int code = MPI_File_close(file);
    free(file);
    return code == MPI_SUCCESS ? TACT_OK : fail_file(m, "MPI_File_close", code);
}

static const char* mpi_explain(void* user)
{
    return ((const mpi_ranks*)user)->error;
}

static void mpi_release(void* user)
{
    mpi_ranks* m = user;
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized && m->communicator != MPI_COMM_NULL) MPI_Comm_free(&m->communicator);
    free(m->requests);
    free(m->statuses);
    free(m);
}

tact_result tact_mpi_ranks(tact_context* context, MPI_Comm communicator, tact_ranks** ranks)
{
    int initialized = 0;
    if (ranks) *ranks = NULL;
    MPI_Initialized(&initialized);
    if (!initialized || communicator == MPI_COMM_NULL) {
        fprintf(stderr, "tact: MPI is not initialized, or the communicator is MPI_COMM_NULL\n");
        return TACT_ERROR_INVALID_ARGUMENT;
    }
    mpi_ranks* m = calloc(1, sizeof *m);
    if (!m) return TACT_ERROR_OUT_OF_MEMORY;
    if (MPI_Comm_dup(communicator, &m->communicator) != MPI_SUCCESS) {
        free(m);
        return TACT_ERROR_DEVICE;
    }
    MPI_Comm_set_errhandler(m->communicator, MPI_ERRORS_RETURN);
    MPI_Comm_rank(m->communicator, &m->rank);
    MPI_Comm_size(m->communicator, &m->count);
    const tact_ranks_calls calls = {.rank = (uint32_t)m->rank,
                                    .count = (uint32_t)m->count,
                                    .user = m,
                                    .release = mpi_release,
                                    .combine = mpi_combine,
                                    .gather = mpi_gather,
                                    .deal = mpi_deal,
                                    .link = mpi_link_up,
                                    .unlink = mpi_unlink,
                                    .begin = mpi_begin,
                                    .end = mpi_end,
                                    .file_open = mpi_file_open,
                                    .file_write = mpi_file_write,
                                    .file_read = mpi_file_read,
                                    .file_flush = mpi_file_flush,
                                    .file_close = mpi_file_close,
                                    .explain = mpi_explain};
    return tact_ranks_create(context, &calls, ranks);
}
