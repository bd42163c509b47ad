// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the benchmarks share: their options, those that are measured in turn, what becomes of a measurement, and how it
/// is reported.

#include "apps/json_out.h"
#include "apps/session.h"
#include "apps/text.h"
#include "apps/timing.h"

typedef enum tact_bench_status {
    TACT_BENCH_EQUAL = 0,    ///< the digest is the one all must have
    TACT_BENCH_DIFFERS = 1,  ///< not; its time does not count
    TACT_BENCH_FAILED = 2,
    TACT_BENCH_TOO_SLOW = 3,  ///< left out after a smaller one took long
    TACT_BENCH_MISSING = 4,   ///< this program does not have it
    TACT_BENCH_STOPPED = 5    ///< left out since a signal has stopped all
} tact_bench_status;

/// Millions a second.
double tact_bench_rate(uint64_t count, double ms);

/// What all benchmarks' JSON begins with: the command, the version and the machine.
void tact_bench_head_to_json(cJSON* root, const char* command, const tact_session* session);

/// The commit that the program was built from, or an empty text.
const char* tact_bench_commit(void);

// ---- Reports ----

/// Rows that become a table, JSON and CSV. Each cell is added once, with the head of its column in the table and its
/// key in the JSON; NULL: not there. The first row makes the columns: all rows have the same cells in the same order.
typedef struct tact_report {
    cJSON *root, *rows, *row;
    tact_table table;
    size_t row_count;
    const char* unknown;  ///< in place of a number that is not known; "-"
    bool made;            ///< the columns are
    bool heads_alone;     ///< the next row makes the columns and is no row: for a table that may stay empty
} tact_report;

/// `rows`: the key of the array.
void tact_report_open(tact_report* report, cJSON* root, const char* rows);
void tact_report_row(tact_report* report);
void tact_report_text(tact_report* report, const char* head, const char* key, const char* text);
void tact_report_count(tact_report* report, const char* head, const char* key, uint64_t count);
/// NaN is "-" in the table and not in the JSON. `format` is of a double.
void tact_report_number(tact_report* report, const char* head, const char* key, const char* format, double value);
/// Median, least and most, in three columns; all times `scale`, of which NaN leaves them out.
void tact_report_spread(tact_report* report, const char* head, const char* key, const char* format, double scale,
                        const tact_spread* spread);
/// Writes the table as CSV.
bool tact_report_csv(const tact_report* report, const char* folder, const char* name, tact_problem* problem);
void tact_report_print(const tact_report* report);
void tact_report_close(tact_report* report);

// ---- Commands ----

/// A path of any file.
typedef struct tact_bench_path {
    char text[4096];
} tact_bench_path;

/// What the commands `tact bench NAME` share; the first member of what else each has.
typedef struct tact_bench_run {
    tact_common_options common;
    bool quick, peers, devices;
    const char* out;        ///< folder for bench.json, bench.csv and charts; NULL: none
    tact_text_list meshes;  ///< files
    tact_text_list made;    ///< names of tact_characters, or "all"; of `rays`
    uint64_t repeat;
    int threads;  ///< of the CPU
    tact_session session;
    tact_progress progress;
    tact_report report;
    uint64_t wrong;
    tact_bench_path aside;  ///< in place of `out` once a signal has stopped it
} tact_bench_run;

/// Options that several have.
#define TACT_BENCH_QUICK(run, help)                                     \
    {                                                                   \
        "quick", NULL, help, TACT_OPTION_FLAG, &(run).quick, 0, 0, NULL \
    }
#define TACT_BENCH_OUT(run, files)                                                      \
    {                                                                                   \
        "out", "DIR", "write " files " there", TACT_OPTION_TEXT, &(run).out, 0, 0, NULL \
    }
#define TACT_BENCH_PEERS(run)                                                                                         \
    {                                                                                                                 \
        "peers", NULL, "also time the libraries that were found when building", TACT_OPTION_FLAG, &(run).peers, 0, 0, \
            NULL                                                                                                      \
    }
#define TACT_BENCH_MESHES(run)                                                                                         \
    {                                                                                                                  \
        "mesh", "FILE", "measure on this mesh, as FILE alone; may be given again", TACT_OPTION_LIST, &(run).meshes, 0, \
            0, NULL                                                                                                    \
    }
#define TACT_BENCH_MODEL(target) \
    TACT_TEXT("model", "FILE", "predict the times of the device that FILE describes (bench/models)", target)
#define TACT_BENCH_DEVICES(run)                                                                                        \
    {                                                                                                                  \
        "devices", NULL, "also OpenGL and OpenCL, taking turns with the rest", TACT_OPTION_FLAG, &(run).devices, 0, 0, \
            NULL                                                                                                       \
    }

/// Parses the options and executes. `run` is a struct that begins with a tact_bench_run. Where there is an option
/// --mesh, what has no option is a mesh too, in `run->meshes`.
int tact_bench_command(tact_bench_run* run, const char* help, const tact_option* own,
                       bool (*execute)(tact_bench_run* run, tact_problem* problem), int argc, char** argv,
                       tact_problem* problem);

/// Of a command whose --mesh is one file, and whose --other another, NULL where it has none: takes what has no option
/// for them.
bool tact_bench_one_mesh(const tact_bench_run* run, const char** file, const char** other, tact_problem* problem);

/// Refuses brute force, sets how often is measured (`quick` or `usual` times where nothing else is asked for), makes
/// the folder, opens the session and begins the report of `command`.
bool tact_bench_begin(tact_bench_run* run, const char* command, uint64_t quick, uint64_t usual, tact_problem* problem);

/// Prints the report below a heading and the name of a device, or as JSON, and writes bench.json and bench.csv.
bool tact_bench_report(tact_bench_run* run, tact_backend named, const char* heading, tact_problem* problem);

/// The path of a file in the folder that --out names.
tact_bench_path tact_bench_path_of(const tact_bench_run* run, const char* format, ...) TACT_TOOL_PRINTF(2, 3);

/// Whether a signal has stopped the benchmark before a measurement, or in it, where that has failed by being cancelled.
/// It is then noted as missing, in words, and is no problem. Files go aside from then on.
bool tact_bench_stopped(tact_bench_run* run, tact_problem* problem, const char* format, ...) TACT_TOOL_PRINTF(3, 4);

/// Whether anything is missing so.
bool tact_bench_is_stopped(const tact_bench_run* run);

/// A folder in `out` for what a benchmark that was stopped has measured, under a name that nothing has: what lies in
/// `out` is of whole ones.
tact_bench_path tact_bench_aside(const char* out);

/// Whether nothing was wrong; else a failed check: "7 measurements ...".
bool tact_bench_verdict(uint64_t wrong, const char* what, tact_problem* problem);

// ---- Turns ----

/// One that is measured in turn with others: ours, on a backend and in a variant, or a peer.
typedef struct tact_contestant {
    char name[64];
    const void* peer;       ///< NULL: ours
    const char* peer_name;  ///< lasts
    void* made;             ///< the peer's own
    tact_backend backend;
    unsigned variant;
    int threads;
    bool left_out;  ///< takes no more turns
    tact_bench_status status;
    double build_ms, first_ms, least_ms;  ///< least: of all its runs
    double fill_ms;                       ///< of its last run: until the library has its inputs
    double* samples;                      ///< milliseconds of each round, then `fill_ms`, then what it built
    size_t rounds;                        ///< so many; 0: it was left out
    tact_spread ms, fill, build;
    double paired;              ///< median over the rounds of its time over the first one's in the same round
    tact_query_report report;   ///< of its last run
    double least_query_ms;      ///< without transfers
    uint64_t results;           ///< what it found
    uint64_t differing, other;  ///< of these not as expected, in ways that the query says
    double extra;               ///< what the query says
    const char* chosen;         ///< the variant that it chose by itself; NULL: none. It lasts
    double growth;              ///< the power of the size that its time has grown with; NaN: not known
    const tact_context* clock;  ///< by which it is timed; NULL: the system's
    tact_digest digest;
    char detail[256];
} tact_contestant;

enum { TACT_CONTESTANTS = 40 };

typedef struct tact_rounds {
    tact_contestant* all;
    size_t count;
    uint64_t repeat;
    bool alone;  ///< each has all its rounds in a row, since what is asked has a state
    void* own;
    /// One run, of which it gives the time. Round 0 is the warm-up.
    bool (*run)(void* own, tact_contestant* who, uint64_t round, double* ms, tact_problem* problem);
    /// After two rounds; may leave out those that are far behind. NULL: nothing.
    void (*leave_out)(void* own);
    tact_progress* progress;
} tact_rounds;

/// Rounds in which all have a turn, every other one backwards, so that what else the machine does slows down all alike.
/// One that needed long in round 0 has no other, and that is its time.
bool tact_rounds_run(const tact_rounds* rounds, tact_problem* problem);

/// Adds what each round took, `rounds_ms`, so that contestants can be compared round by round.
void tact_rounds_to_json(cJSON* row, const tact_contestant* who);

void tact_contestants_free(tact_contestant* all, size_t count);
