// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/commands/replay_against.h"

#include <inttypes.h>
#include <stdio.h>

#include "apps/json_out.h"
#include "apps/replay/compare.h"
#include "apps/system.h"

/// What came of all queries.
typedef struct outcome {
    uint64_t compared, differing, left_out;
    uint64_t missing;  ///< that a signal has kept from being run
    tact_replay_difference first;
    uint64_t number;
    tact_recorded_kind kind;
    cJSON *root, *rows;
} outcome;

static void put_item(cJSON* root, const char* key, const tact_replay_difference* d, int which)
{
    const char* parts = d->layout.parts;
    const unsigned char* bytes = d->item[which];
    tact_replay_part part;
    if (!*parts) {
        tact_json_text(root, key, d->text[which]);
        return;
    }
    if (!d->there[which]) {
        cJSON_AddNullToObject(root, key);
        return;
    }
    cJSON* json = tact_json_object(root, key);
    while (tact_replay_part_next(&parts, &bytes, &part)) {
        cJSON* array = part.count > 1 ? tact_json_array(json, part.name) : NULL;
        for (int i = 0; i < part.count; ++i) {
            if (array) cJSON_AddItemToArray(array, cJSON_CreateNumber(part.numbers[i]));
            if (!array) tact_json_number(json, part.name, part.numbers[i]);
        }
    }
}

/// null: all are alike.
static void put_first(const outcome* o)
{
    const tact_replay_difference* d = &o->first;
    if (!d->differs) {
        cJSON_AddNullToObject(o->root, "first");
        return;
    }
    cJSON* json = tact_json_object(o->root, "first");
    tact_json_count(json, "number", o->number);
    tact_json_text(json, "query", tact_recorded_kind_name(o->kind));
    tact_json_text(json, "where", d->where);
    if (*d->layout.parts) {
        tact_json_text(json, "what", d->layout.what);
        tact_json_count(json, "row", d->row);
    }
    put_item(json, "a", d, 0);
    put_item(json, "b", d, 1);
    tact_json_text(json, "asked", d->asked);
}

static bool compare_one(const tact_against_run* run, size_t index, const tact_recorded_query* q, outcome* o,
                        tact_problem* problem)
{
    const tact_query_options options = {
        .backend = (tact_backend)run->common->backend, .threads = (int)run->common->threads, .no_fallback = true};
    tact_replay_difference d;
    bool compared = false;
    if (!tact_replay_compare(run->context, run->recordings, index,
                             run->common->backend == TACT_BACKEND_AUTO ? NULL : &options, &d, &compared, problem)) {
        return false;
    }
    ++*(compared ? &o->compared : &o->left_out);
    o->differing += d.differs;
    cJSON* row = tact_json_append(o->rows);
    tact_json_count(row, "number", q->number);
    tact_json_text(row, "query", tact_recorded_kind_name(q->kind));
    tact_json_text(row, "status", !compared ? "left out" : d.differs ? "DIFFERS" : "equal");
    if (!d.differs || o->first.differs) return true;
    o->first = d;
    o->number = q->number;
    o->kind = q->kind;
    return true;
}

static bool compare_all(const tact_against_run* run, outcome* o, tact_problem* problem)
{
    const size_t counts[2] = {tact_recording_count(run->recordings[0]), tact_recording_count(run->recordings[1])};
    const size_t most = counts[0] > counts[1] ? counts[0] : counts[1];
    bool found = false;
    for (size_t i = 0; i < most; ++i) {
        tact_recorded_query q;
        if (tact_recording_query(run->recordings[i >= counts[0]], i, &q) != TACT_OK) continue;
        if (run->only && q.number != run->only) continue;
        found = true;
        if (tact_system_signal()) {
            ++o->missing;
            continue;
        }
        if (!compare_one(run, i, &q, o, problem)) return false;
    }
    return found || !run->only ||
           tact_problem_set(problem, "--only %" PRIu64 ": no such query in the files", run->only);
}

static void print_first(const tact_against_run* run, const outcome* o)
{
    const tact_replay_difference* d = &o->first;
    if (!d->differs) return;
    printf("query %" PRIu64 ", %s: ", o->number, tact_recorded_kind_name(o->kind));
    if (*d->layout.parts) printf("%s %" PRIu64 " differs\n", d->layout.what, d->row);
    if (!*d->layout.parts) printf("another %s\n", d->where);
    for (int i = 0; i < 2; ++i)
        printf("  %s: %s\n", run->paths[i], d->text[i]);
    if (d->asked[0]) printf("  asked otherwise: %s\n", d->asked);
}

static bool tell(const tact_against_run* run, const outcome* o, tact_problem* problem)
{
    if (run->common->json) {
        put_first(o);
        tact_json_count(o->root, "compared", o->compared);
        tact_json_count(o->root, "differing", o->differing);
        tact_json_count(o->root, "left_out", o->left_out);
        tact_replay_stopped_json(o->root, o->missing);
        return tact_json_print(o->root, problem);
    }
    print_first(run, o);
    printf("%" PRIu64 " compared, %" PRIu64 " differ, %" PRIu64 " cannot be compared\n", o->compared, o->differing,
           o->left_out);
    return true;
}

void tact_replay_stopped_json(cJSON* root, uint64_t missing)
{
    if (!missing) return;
    cJSON* stopped = tact_json_object(root, "stopped");
    tact_json_count(stopped, "signal", (uint64_t)tact_system_signal());
    tact_json_count(stopped, "missing", missing);
}

bool tact_replay_stop(uint64_t done, uint64_t differing, uint64_t missing, tact_problem* problem)
{
    return tact_problem_stop(problem, "after %" PRIu64 " queries, of which %" PRIu64 " differ: %" PRIu64 " are missing",
                             done, differing, missing);
}

bool tact_replay_against(const tact_against_run* run, tact_problem* problem)
{
    outcome o = {.root = cJSON_CreateObject()};
    tact_json_text(o.root, "command", "replay");
    tact_json_text(o.root, "file", run->paths[0]);
    tact_json_text(o.root, "against", run->paths[1]);
    o.rows = tact_json_array(o.root, "queries");
    tact_system_note_signals();
    bool good = compare_all(run, &o, problem) && tell(run, &o, problem);
    if (good && o.missing) {
        good = tact_replay_stop(o.compared, o.differing, o.missing, problem);
    } else if (good && o.differing) {
        good = tact_problem_set(problem, "%" PRIu64 " of %" PRIu64 " queries have other answers in %s", o.differing,
                                o.compared, run->paths[1]);
        problem->exit_code = TACT_EXIT_CHECK_FAILED;
    }
    cJSON_Delete(o.root);
    return good;
}
