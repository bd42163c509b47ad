// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What every command shares: the common options and a context that fits them.

#include "apps/options.h"
#include "apps/problem.h"
#include "tact/ranks.h"

typedef struct tact_common_options {
    int backend;  ///< a tact_backend
    bool json, quiet;
    int color;         ///< checked here; apps/color.h acts on it
    uint64_t threads;  ///< 0: all
    uint64_t seed;
    uint64_t repeat;  ///< 0: the command's default
    // Of commands that ask one query.
    const char* expect;
    bool shadow, no_fallback, explain;
    const char* record;              ///< a file for what was asked
    bool records;                    ///< keep what was asked without such a file; not an option
    const tact_device_model* model;  ///< of the device; NULL: none. Not an option of all
    bool mpi, mpi_report;            ///< on the ranks that mpirun started; tell of each. Not options of all
} tact_common_options;

enum { TACT_COMMON_OPTIONS = 8, TACT_QUERY_OPTIONS = TACT_COMMON_OPTIONS + 5 };

/// Fills a table with the common options, ended; they are stored in `common`, which gets its defaults.
void tact_common_table(tact_common_options* common, tact_option table[TACT_COMMON_OPTIONS]);

/// The same with those of commands that ask one query.
void tact_query_table(tact_common_options* common, tact_option table[TACT_QUERY_OPTIONS]);

/// How the query is to be asked.
tact_query_options tact_query_asked(const tact_common_options* common);

/// Whether what --expect says is a digest.
bool tact_expect_check(const tact_common_options* common, tact_problem* problem);

/// Whether the digest is the one that is expected, if any; a problem with exit code 1.
bool tact_expect_digest(const tact_common_options* common, const char* digest, tact_problem* problem);

typedef struct tact_session {
    tact_context* context;
    tact_ranks* ranks;  ///< NULL: one process
    bool quiet;
    const char* record;                            ///< where closing writes the queries; NULL: nowhere
    tact_device_counts given[TACT_BACKEND_COUNT];  ///< with --explain, of the devices before the last run
    char last_error[1024];                         ///< what the library said when it made no context
} tact_session;

/// Opens a context with the devices that the options ask for: with `auto`, all. A forced backend that is not there
/// is a problem with exit code 3, and so is --mpi in a program that is built without it.
bool tact_session_open(tact_session* session, const tact_common_options* common, tact_problem* problem);

/// The same with the OpenGL context that is current on this thread in place of one of the library's own.
bool tact_session_open_in(tact_session* session, const tact_common_options* common,
                          tact_gl_get_proc_address get_proc_address, tact_problem* problem);
void tact_session_close(tact_session* session);

/// What the device of a backend was given since it had been given `before`.
tact_device_counts tact_session_counts(const tact_session* session, tact_backend backend,
                                       const tact_device_counts* before);

/// Row of --mpi, for commands that take it.
#define TACT_MPI_OPTION(common) \
    TACT_FLAG("mpi", "over the ranks that mpirun started; rank 0 prints and writes", &(common)->mpi)
#define TACT_MPI_REPORT_OPTION(common) \
    TACT_FLAG("mpi-report", "and what each rank had, waited for and sent", &(common)->mpi_report)

/// Index of a backend's device, or -1. The reference runs on the CPU.
int tact_session_device(const tact_session* session, tact_backend backend, tact_device_info* info);
