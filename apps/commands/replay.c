// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/commands.h"
#include "apps/commands/replay_against.h"
#include "apps/json_out.h"
#include "apps/replay/replay.h"
#include "apps/session.h"
#include "apps/system.h"
#include "apps/text.h"

typedef struct replay_run {
    tact_common_options common;
    tact_text_list files;
    bool list;
    uint64_t only;
    const char *folder, *image, *against;
    tact_session session;
    tact_recording *recording, *other;  ///< the other is NULL but for `against`
    tact_table table;
    cJSON* root;
    cJSON* rows;
    uint64_t ran, differing, unpromised, failed, left_out;
    uint64_t missing;  ///< that a signal has kept from being run
    char first[512];   ///< what went wrong first
} replay_run;

static bool read_recording(replay_run* run, const char* path, tact_recording** recording, tact_problem* problem)
{
    void* bytes = NULL;
    size_t size = 0;
    if (!tact_file_read(path, &bytes, &size, problem)) return false;
    const tact_result result = tact_recording_read(run->session.context, bytes, size, recording);
    free(bytes);
    return result == TACT_OK || tact_problem_from_result(problem, result, run->session.context, path);
}

static bool open_files(replay_run* run, tact_problem* problem)
{
    if (run->files.count != 1) return tact_problem_set(problem, "one file is needed: tact replay FILE");
    return tact_session_open(&run->session, &run->common, problem) &&
           read_recording(run, run->files.items[0], &run->recording, problem) &&
           (!run->against || read_recording(run, run->against, &run->other, problem));
}

/// How a query is run: as recorded, unless the options say otherwise.
static tact_result run_one(replay_run* run, size_t index, tact_replayed* replayed)
{
    if (run->common.backend == TACT_BACKEND_AUTO) {
        return tact_recording_run(run->recording, index, NULL, replayed);
    }
    const tact_query_options options = {
        .backend = (tact_backend)run->common.backend, .threads = (int)run->common.threads, .no_fallback = true};
    return tact_recording_run(run->recording, index, &options, replayed);
}

static void digest_text(char text[17], bool answered, uint64_t digest)
{
    snprintf(text, 17, "%016" PRIx64, digest);
    if (!answered) snprintf(text, 17, "-");
}

static void note(replay_run* run, const tact_recorded_query* q, const tact_replayed* replayed, const char* status,
                 const char* detail)
{
    char recorded[17], got[17];
    digest_text(recorded, q->answered, q->digest);
    digest_text(got, replayed->answered, replayed->digest);
    const char* by = q->finished ? tact_backend_name(q->report.backend) : "-";
    const char* now = replayed->answered ? tact_backend_name(replayed->report.backend) : "-";
    tact_table_add(&run->table, "%" PRIu64, q->number);
    tact_table_add(&run->table, "%s", tact_recorded_kind_name(q->kind));
    tact_table_add(&run->table, "%" PRIu64, q->count);
    tact_table_add(&run->table, "%s", by);
    tact_table_add(&run->table, "%s", recorded);
    tact_table_add(&run->table, "%s", now);
    tact_table_add(&run->table, "%s", got);
    tact_table_add(&run->table, "%s", status);
    cJSON* row = tact_json_append(run->rows);
    tact_json_count(row, "number", q->number);
    tact_json_text(row, "query", tact_recorded_kind_name(q->kind));
    tact_json_count(row, "count", q->count);
    tact_json_count(row, "bytes", q->bytes);
    tact_json_text(row, "result", q->finished ? tact_result_name(q->result) : "unfinished");
    tact_json_text(row, "backend", by);
    tact_json_text(row, "device", q->report.device);
    tact_json_text(row, "driver", q->driver);
    tact_json_count(row, "threads", (uint64_t)(q->report.threads > 0 ? q->report.threads : 0));
    tact_json_time(row, "total_ms", q->report.total_ms);
    tact_json_text(row, "reason", q->report.reason);
    if (q->answered) tact_json_text(row, "digest", recorded);
    tact_json_text(row, "status", status);
    if (*detail) tact_json_text(row, "detail", detail);
    if (!replayed->answered) return;
    tact_json_text(row, "replay_backend", now);
    tact_json_text(row, "replay_device", replayed->report.device);
    tact_json_text(row, "replay_digest", got);
}

/// Counts what came of a query that was run again, and says it in words.
static const char* judge(replay_run* run, const tact_recorded_query* q, const tact_replayed* replayed, tact_result came)
{
    if (came == TACT_ERROR_NO_DEVICE || came == TACT_ERROR_UNSUPPORTED) {
        ++run->left_out;
        return "not answered here";
    }
    ++run->ran;
    if (came < TACT_OK) {
        ++run->failed;
        return "FAILED";
    }
    if (replayed->same) return "equal";
    // What failed then too and has no answer to compare is no difference.
    if (!q->answered) return "no digest";
    // Drawn with a tolerance, by other means than then.
    if (!replayed->promised) {
        ++run->unpromised;
        return "other, unpromised";
    }
    ++run->differing;
    return "DIFFERS";
}

/// Runs a query, or only tells of it, and notes what came of it.
static void replay_one(replay_run* run, size_t index, const tact_recorded_query* q)
{
    tact_replayed replayed = {0};
    const char* status = "listed";
    const char* detail = q->missing;
    if (q->missing[0]) {
        status = run->list ? "listed" : "left out";
        run->left_out += !run->list;
    } else if (!run->list) {
        const tact_result result = run_one(run, index, &replayed);
        const tact_result came = result != TACT_OK ? result : replayed.result;
        detail = came < TACT_OK ? tact_context_error(run->session.context) : "";
        if (came < TACT_OK && !*detail) detail = tact_result_string(came);
        status = judge(run, q, &replayed, came);
    }
    if (*detail && !run->list && !run->first[0]) {
        snprintf(run->first, sizeof run->first, "query %" PRIu64 ": %.400s", q->number, detail);
    }
    note(run, q, &replayed, status, detail);
}

static bool is_wanted(const replay_run* run, const tact_recorded_query* q)
{
    return run->only == 0 || run->only == q->number;
}

static bool go_through(replay_run* run, tact_problem* problem)
{
    bool found = false;
    tact_system_note_signals();
    for (size_t i = 0; i < tact_recording_count(run->recording); ++i) {
        tact_recorded_query q;
        if (tact_recording_query(run->recording, i, &q) != TACT_OK || !is_wanted(run, &q)) continue;
        found = true;
        if (tact_system_signal()) {
            ++run->missing;
            continue;
        }
        if (run->folder && !tact_replay_export(run->recording, i, &q, run->folder, problem)) return false;
        if (run->image && !tact_replay_image(run->recording, i, &q, run->session.context, run->image, problem)) {
            return false;
        }
        replay_one(run, i, &q);
    }
    if (!found && run->only)
        return tact_problem_set(problem, "--only %" PRIu64 ": no such query in the file", run->only);
    return true;
}

static bool tell(replay_run* run, tact_problem* problem)
{
    if (run->common.json) {
        tact_json_count(run->root, "ran", run->ran);
        tact_json_count(run->root, "differing", run->differing);
        tact_json_count(run->root, "unpromised", run->unpromised);
        tact_json_count(run->root, "failed", run->failed);
        tact_json_count(run->root, "left_out", run->left_out);
        tact_replay_stopped_json(run->root, run->missing);
        return tact_json_print(run->root, problem);
    }
    if (!run->common.quiet) {
        printf("recorded by\n%s\n", tact_recording_machine(run->recording));
        tact_table_print(&run->table, stdout);
    }
    if (run->first[0]) printf("%s\n", run->first);
    if (run->list) return true;
    printf("%" PRIu64 " run again, %" PRIu64 " differ, %" PRIu64 " failed, %" PRIu64 " cannot be run again\n", run->ran,
           run->differing, run->failed, run->left_out);
    if (run->unpromised > 0) {
        printf("%" PRIu64
               " were drawn and have another answer, which no other device, driver or way promises to be "
               "the same\n",
               run->unpromised);
    }
    return true;
}

static bool compare(replay_run* run, tact_problem* problem)
{
    const tact_against_run against = {.common = &run->common,
                                      .context = run->session.context,
                                      .recordings = {run->recording, run->other},
                                      .paths = {run->files.items[0], run->against},
                                      .only = run->only};
    return tact_replay_against(&against, problem);
}

static bool execute(replay_run* run, tact_problem* problem)
{
    if (run->image && !run->only) return tact_problem_set(problem, "--image: --only N says of which query");
    if (run->against && (run->list || run->folder || run->image)) {
        return tact_problem_set(problem, "--against: not with --list, --export or --image");
    }
    if (!open_files(run, problem)) return false;
    if (run->against) return compare(run, problem);
    static const char* const heads[] = {">query", "kind", ">count", "by", "digest", "again by", "digest", "result"};
    tact_table_init(&run->table, heads, sizeof heads / sizeof heads[0]);
    tact_table_mark(&run->table, "DIFFERS");
    tact_table_mark(&run->table, "FAILED");
    run->root = cJSON_CreateObject();
    tact_json_text(run->root, "command", "replay");
    tact_json_text(run->root, "machine", tact_recording_machine(run->recording));
    run->rows = tact_json_array(run->root, "queries");
    if (!go_through(run, problem) || !tell(run, problem)) return false;
    if (run->missing) return tact_replay_stop(run->ran, run->differing, run->missing, problem);
    if (run->differing == 0 && run->failed == 0) return true;
    tact_problem_set(problem,
                     "%" PRIu64 " of %" PRIu64 " queries have another answer than recorded, %" PRIu64 " failed",
                     run->differing, run->ran, run->failed);
    problem->exit_code = TACT_EXIT_CHECK_FAILED;
    return false;
}

static const char help_text[] =
    "Usage: tact replay FILE [options]\n\n"
    "Runs recorded queries again, on the recorded backend or on --backend, and compares the answers' "
    "digests.\n"
    "Any query command writes such a file with --record FILE, and so does a program that sets record_queries or\n"
    "runs with TACT_RECORD=FOLDER. With --against FILE the queries of two files are run, compared one with one, and "
    "the\n"
    "first ray, pair, particle or contact that differs is printed. Exit status 1 when an answer is another.\n";

int tact_command_replay(int argc, char** argv, tact_problem* problem)
{
    replay_run run = {0};
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&run.common, common);
    const tact_option own[] = {
        TACT_FLAG("list", "only list the contents of the file", &run.list),
        TACT_NUMBER("only", "N", "only the query of this number", &run.only, 1, UINT64_MAX),
        TACT_TEXT("export", "DIR", "write the inputs as .npy and .obj files", &run.folder),
        TACT_PICTURE("image", "draw the inputs of the query, with --only", &run.image),
        TACT_TEXT("against", "FILE", "compare with the queries of another file, item by item", &run.against),
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, &run.files, argc, argv, &work, problem) && (!work || execute(&run, problem));
    tact_recording_destroy(run.recording);
    tact_recording_destroy(run.other);
    tact_session_close(&run.session);
    tact_table_free(&run.table);
    cJSON_Delete(run.root);
    tact_text_list_free(&run.files);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
