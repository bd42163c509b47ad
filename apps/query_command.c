// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/query_command.h"

#include "apps/ranks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/explain_out.h"
#include "apps/system.h"
#include "tact/ranks_queries.h"

bool tact_query_succeeded(const tact_query_run* run, tact_result result, const char* doing, tact_problem* problem)
{
    return result >= 0 || tact_problem_from_result(problem, result, run->session.context, doing);
}

void* tact_query_room(void* old, uint64_t count, size_t row_bytes, tact_problem* problem)
{
    free(old);
    void* rows = count < SIZE_MAX / row_bytes ? malloc((size_t)count * row_bytes + 1) : NULL;
    if (!rows) tact_problem_out_of_memory(problem, "the query");
    return rows;
}

double tact_query_percent(uint64_t part, uint64_t of)
{
    return of ? 100.0 * (double)part / (double)of : 0.0;
}

// ---- Over ranks ----

void tact_query_slice(const tact_query_run* run, uint64_t count, uint64_t* begin, uint64_t* own)
{
    const uint64_t ranks = run->common.mpi ? tact_tool_ranks_here->count : 1;
    const uint64_t rank = run->common.mpi ? tact_tool_ranks_here->rank : 0, each = count / ranks, rest = count % ranks;
    *begin = rank * each + (rank < rest ? rank : rest);
    *own = each + (rank < rest);
}

bool tact_query_answers(tact_query_run* run, size_t bytes, void** answers, tact_problem* problem)
{
    uint64_t begin = 0, own = run->count;
    if (!tact_tool_prints()) tact_query_slice(run, run->count, &begin, &own);
    *answers = tact_query_room(NULL, own, bytes, problem);
    run->answer = tact_tool_prints() ? *answers : NULL;
    run->answer_bytes = tact_tool_prints() ? (size_t)own * bytes : 0;
    return *answers != NULL;
}

bool tact_query_collect(tact_query_run* run, const void* own, uint64_t own_bytes, void* all, uint64_t bytes,
                        tact_problem* problem)
{
    if (!run->session.ranks) return true;
    const double start = tact_system_milliseconds();
    const tact_result result = tact_ranks_collect(run->session.ranks, own, own_bytes, all, bytes, NULL);
    run->report.download_ms += tact_system_milliseconds() - start;
    return tact_query_succeeded(run, result, "collecting answers", problem);
}

/// What the ranks have sent and waited for, as far as this one knows.
static void ranks_json(const tact_query_run* run, cJSON* root)
{
    tact_ranks_info info;
    if (!run->session.ranks || tact_ranks_get_info(run->session.ranks, &info) != TACT_OK) return;
    cJSON* ranks = tact_json_object(root, "ranks");
    tact_json_count(ranks, "count", info.count);
    tact_json_count(ranks, "messages", info.messages);
    tact_json_count(ranks, "bytes", info.bytes);
    tact_json_count(ranks, "meetings", info.meetings);
    tact_json_time(ranks, "wait_ms", info.wait_ms);
}

static void print_ranks(const tact_query_run* run, int indent)
{
    tact_ranks_info info;
    if (!run->session.ranks || tact_ranks_get_info(run->session.ranks, &info) != TACT_OK) return;
    printf("%-*s%u; rank 0: %" PRIu64 " messages of %.3f MB, %" PRIu64 " meetings, %.3f ms of waiting, in all runs\n",
           indent, "ranks", (unsigned)info.count, info.messages, (double)info.bytes * 1e-6, info.meetings,
           info.wait_ms);
}

/// Whether a record can be written, and goes with --mpi.
static bool check_record(const tact_query_run* run, tact_problem* problem)
{
    if (run->common.record && tact_file_is_stream(run->common.record))
        return tact_problem_set(problem, "--record -: a record is a file");
    if (!run->common.mpi || !run->common.record) return true;
    return tact_problem_set(problem, "--record %s: not with --mpi; a record is of one process", run->common.record);
}

// ---- Running ----

static bool moves(const tact_query_run* run)
{
    return run->frames > 1;
}

/// Repetitions must give the same bytes; frames have other inputs each.
static bool take_digest(tact_query_run* run, tact_problem* problem)
{
    const tact_digest before = run->digest;
    run->digest = tact_digest_of(run->answer, run->answer_bytes);
    if (run->run == 0 || moves(run) || strcmp(before.text, run->digest.text) == 0) return true;
    tact_problem_set(problem, "%s gave other bytes when asked again: digest %s, then %s",
                     tact_backend_name(run->report.backend), before.text, run->digest.text);
    problem->exit_code = TACT_EXIT_CHECK_FAILED;
    return false;
}

static bool ask_all(const tact_query_command* command, tact_query_run* run, uint64_t warm_up, uint64_t timed,
                    tact_problem* problem)
{
    tact_query_options options = tact_query_asked(&run->common);
    options.progress = tact_progress_update;
    options.progress_user = &run->progress;
    run->progress.parts = warm_up + timed;
    for (run->run = 0; run->run < warm_up + timed; ++run->run) {
        run->progress.part = run->run;
        tact_explain_begin(&run->session, &run->common);
        const bool good = command->ask(run, &options, problem);
        // All ranks are here: a call that one of them cancels is cancelled on all.
        const bool stopped = (good || problem->result == TACT_ERROR_CANCELLED) && tact_tool_signal();
        if (!good || !take_digest(run, problem)) return false;
        if (stopped && run->run + 1 < warm_up + timed)
            return tact_problem_stop(problem, "after %" PRIu64 " of %" PRIu64 " runs", run->run + 1, warm_up + timed);
        if (run->run == 0) {
            run->first_ms = run->report.total_ms;
            run->built_ms = run->report.build_ms;
        }
        if (run->run >= warm_up) tact_phase_times_add(&run->times, &run->report);
    }
    return true;
}

static bool run_all(const tact_query_command* command, tact_query_run* run, tact_problem* problem)
{
    const uint64_t repeat = run->common.repeat ? run->common.repeat : 1, timed = moves(run) ? run->frames : repeat;
    const bool warm_up = !run->cold && !moves(run) && run->common.backend != TACT_BACKEND_REFERENCE;
    if (!tact_phase_times_start(&run->times, (size_t)timed, problem)) return false;
    tact_system_note_signals();
    tact_progress_start(&run->progress, command->doing, run->common.quiet || !tact_tool_prints());
    if (command->items)
        tact_progress_items(&run->progress, (double)run->count * (double)(warm_up + timed), command->items);
    const bool good = ask_all(command, run, warm_up, timed, problem);
    tact_progress_end(&run->progress);
    return good;
}

/// The report as the command gives it: times of all runs, and all that was built.
static void summarize(const tact_query_command* command, tact_query_run* run)
{
    tact_query_report* r = &run->report;
    if (command->sums && moves(run)) {
        tact_phase_times_sums(&run->times, r);
    } else {
        tact_phase_times_report(&run->times, r);
    }
    r->build_ms = run->prepared_ms + (command->rebuilds ? r->build_ms : run->built_ms);
    r->total_ms = r->build_ms + r->upload_ms + r->query_ms + r->download_ms;
}

// ---- Reporting ----

static double per_second(const tact_query_run* run)
{
    const double ms = run->report.upload_ms + run->report.query_ms + run->report.download_ms;
    return ms > 0.0 ? (double)run->count / ms * 1e3 : 0.0;
}

static bool report_json(const tact_query_command* command, const tact_query_run* run, tact_problem* problem)
{
    const tact_common_options* common = &run->common;
    cJSON* root = cJSON_CreateObject();
    tact_json_query(root, command->name, &run->report, run->count, run->found, run->digest.text);
    tact_explain_json(root, &run->session, common);
    ranks_json(run, root);
    command->json(run, root);
    tact_json_count(root, "seed", common->seed);
    if (!moves(run)) tact_json_count(root, "repeat", run->times.runs);
    tact_json_time(root, "first_run_ms", run->first_ms);
    if (command->rate_key) tact_json_time(root, command->rate_key, per_second(run));
    if (command->tolerance && !run->report.exact) tact_json_text(root, "tolerance_of", command->tolerance);
    tact_json_count(root, "failures", run->report.failures);
    if (common->shadow) tact_json_text(root, "shadow", "equal");
    const bool good = tact_json_print(root, problem);
    cJSON_Delete(root);
    return good;
}

static void print_digest(const tact_query_command* command, const tact_query_run* run, int indent)
{
    const tact_query_report* r = &run->report;
    printf("%-*s%s%s, ", indent, "digest", run->digest.text, moves(run) ? " of the last frame" : "");
    if (r->exact) {
        printf("exact");
    } else if (isfinite(r->tolerance)) {
        printf("with a tolerance of %g%s%s", r->tolerance, command->tolerance ? " " : "",
               command->tolerance ? command->tolerance : "");
    } else {
        printf("approximate");
    }
    puts(run->common.shadow ? ", equal to the reference" : "");
}

static void report_people(const tact_query_command* command, const tact_query_run* run)
{
    const tact_query_report* r = &run->report;
    const int indent = command->indent ? command->indent : 8;
    command->print(run);
    printf("%-*s%s: %s%s", indent, "device", tact_backend_name(r->backend), r->device,
           r->software && r->threads == 0 ? " (software)" : "");
    if (r->threads > 0) printf(", %d thread%s", r->threads, r->threads == 1 ? "" : "s");
    printf("\n%-*s%s\n", indent, "reason", r->reason);
    print_ranks(run, indent);
    print_digest(command, run, indent);
    printf("%-*sbuild %.3f ms, upload %.3f, query %.3f, download %.3f, total %.3f%s\n", indent, "time", r->build_ms,
           r->upload_ms, r->query_ms, r->download_ms, r->total_ms,
           command->sums && moves(run) ? ", of all frames" : "");
    printf("%-*s%.1f MB\n", indent, "memory", (double)r->memory_bytes * 1e-6);
    if (command->items)
        printf("%-*s%.3f million %s a second\n", indent, "rate", per_second(run) * 1e-6, command->items);
    tact_explain_print(&run->session, &run->common);
}

// ---- The command ----

static bool open(const tact_query_command* command, tact_query_run* run, tact_problem* problem)
{
    if (command->open) return command->open(run, problem);
    return tact_session_open(&run->session, &run->common, problem);
}

static bool execute(const tact_query_command* command, tact_query_run* run, tact_problem* problem)
{
    if (!tact_expect_check(&run->common, problem) || !check_record(run, problem) || !command->load(run, problem) ||
        !open(command, run, problem) || (command->prepare && !command->prepare(run, problem)) ||
        !run_all(command, run, problem)) {
        return false;
    }
    summarize(command, run);
    // Only the first rank has an answer.
    if (!tact_tool_prints()) return true;
    if (command->finish && !command->finish(run, problem)) return false;
    if (!run->common.json) {
        report_people(command, run);
    } else if (!report_json(command, run, problem)) {
        return false;
    }
    return tact_expect_digest(&run->common, run->digest.text, problem);
}

int tact_query_command_run(const tact_query_command* command, void* self, const tact_option* own,
                           tact_text_list* operands, int argc, char** argv, tact_problem* problem)
{
    tact_query_run* run = self;
    tact_option common[TACT_QUERY_OPTIONS];
    tact_query_table(&run->common, common);
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good = tact_options_take(&set, command->help, operands, argc, argv, &work, problem) &&
                      (!work || execute(command, run, problem));
    command->release(self);
    tact_session_close(&run->session);
    tact_phase_times_free(&run->times);
    if (operands) tact_text_list_free(operands);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
