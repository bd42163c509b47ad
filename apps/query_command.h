// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What all commands that ask one query have in common: the options, the context, a warm-up and timed repetitions, and
/// the report for people or as JSON. A command adds its options, its inputs, how it asks, and what else it reports.

#include <stdio.h>

#include "apps/json_out.h"
#include "apps/options.h"
#include "apps/session.h"
#include "apps/timing.h"

/// Times and answers of a command. The struct of each command begins with one.
typedef struct tact_query_run {
    tact_common_options common;
    tact_session session;
    tact_progress progress;

    // Set before the first run.
    uint64_t frames;     ///< runs with other inputs each; 0 or 1: the same query repeatedly
    bool cold;           ///< no warm-up, as for brute force, which takes its time
    double prepared_ms;  ///< what was built before; part of the time for building

    // Set by each run.
    tact_query_report report;  ///< of this run; at the end of all, with medians
    const void* answer;        ///< what the digest is of
    size_t answer_bytes;

    uint64_t run;            ///< number of this run
    uint64_t count, found;   ///< what is asked, what is found; set at any time before the report
    tact_digest digest;      ///< of the last run
    double first_ms;         ///< all of the first run
    double built_ms;         ///< what it built
    tact_phase_times times;  ///< of the timed runs
} tact_query_run;

/// All functions get the command's own struct; `open`, `prepare` and `finish` may be NULL.
typedef struct tact_query_command {
    const char *name, *help;
    const char* doing;      ///< for progress and errors: "culling"
    const char* items;      ///< what is counted a second; NULL: nothing
    const char* rate_key;   ///< of that in the JSON
    const char* tolerance;  ///< unit of a tolerance: "pixels"
    bool rebuilds;          ///< every run builds: its time for building is a median; else the first run's
    bool sums;              ///< times of frames are added up
    int indent;             ///< columns of the names of lines for people; 0: 8

    bool (*load)(void* command, tact_problem* problem);     ///< checks options, reads inputs
    bool (*open)(void* command, tact_problem* problem);     ///< in place of tact_session_open()
    bool (*prepare)(void* command, tact_problem* problem);  ///< what needs a context
    bool (*ask)(void* command, const tact_query_options* options, tact_problem* problem);  ///< one run
    bool (*finish)(void* command, tact_problem* problem);  ///< counts what was found, writes files
    void (*json)(const void* command, cJSON* root);
    void (*print)(const void* command);
    void (*release)(void* command);
} tact_query_command;

/// Those that every command has, as a file that has one command names them.
#define TACT_QUERY_FUNCTIONS \
    .load = load, .ask = ask, .finish = finish, .json = json, .print = print, .release = release

/// Runs a command, which begins with a tact_query_run, and returns the exit code. `own` is ended by an option without a
/// name; `operands` NULL: none are taken.
int tact_query_command_run(const tact_query_command* command, void* self, const tact_option* own,
                           tact_text_list* operands, int argc, char** argv, tact_problem* problem);

/// Whether a library call succeeded; else a problem.
bool tact_query_succeeded(const tact_query_run* run, tact_result result, const char* doing, tact_problem* problem);

/// Memory for so many rows, from malloc(), in place of `old`, which is freed. NULL: a problem.
void* tact_query_room(void* old, uint64_t count, size_t row_bytes, tact_problem* problem);

/// The part of `count` inputs that this process asks for: from *begin on, *own of them. All of them without --mpi.
void tact_query_slice(const tact_query_run* run, uint64_t count, uint64_t* begin, uint64_t* own);

/// Room for the answers that this process gets, of `bytes` each, of the run's count: all of them but on ranks from 1
/// on. They are what the digest is of.
bool tact_query_answers(tact_query_run* run, size_t bytes, void** answers, tact_problem* problem);

/// Gives rank 0 what all ranks have, in order of rank; `all` has room for `bytes` there. Without --mpi nothing is done:
/// the caller's own is all. The time is that of the report's download.
bool tact_query_collect(tact_query_run* run, const void* own, uint64_t own_bytes, void* all, uint64_t bytes,
                        tact_problem* problem);

/// 0 of nothing.
double tact_query_percent(uint64_t part, uint64_t of);
