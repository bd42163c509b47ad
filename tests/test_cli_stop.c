// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Commands that a signal stops, after they have begun: what they then say, write and return.

#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <unistd.h>

#include "tests/support/run.h"

#include "apps/system.h"
#include "tests/support/temporary.h"
#include "tests/support/tool.h"

const char tool_prefix[] = "clis";

static int make_files(void** state)
{
    (void)state;
    write_file("clis.obj", tool_cube, strlen(tool_cube));
    return 0;
}

/// The JSON of a command that is stopped as soon as it says how far it is.
static cJSON* stop(const char* arguments, const char* says)
{
    const tool_outcome o = tool_stops(arguments, NULL, SIGINT, false);
    tool_expect(arguments, &o, 130);
    if (!strstr(o.err, "stopped by signal 2") || !strstr(o.err, says)) fail_msg("tact %s: %s", arguments, o.err);
    return tool_json(arguments, &o);
}

/// The object of what a signal has stopped.
static const cJSON* stopped_of(const cJSON* json)
{
    const cJSON* stopped = cJSON_GetObjectItem(json, "stopped");
    assert_non_null(stopped);
    assert_true(json_number(stopped, "signal") == 2.0);
    return stopped;
}

static cJSON* json_file(const char* path)
{
    const tool_outcome o = {0, tool_text(path), NULL};
    return tool_json(path, &o);
}

TEST(a_benchmark_reports_what_it_has_measured)
{
    assert_int_equal(system("rm -rf clis_bench && mkdir clis_bench"), 0);
    write_file("clis_bench/results.json", "whole", 5);
    write_file("clis_bench/report.html", "whole", 5);
    const char arguments[] = "bench --backend cpu --json --out clis_bench";
    const cJSON* json = stop(arguments, "before all was measured; the files are in clis_bench/stopped");
    assert_string_equal(json_text(json, "status"), "stopped");
    const cJSON *missing = cJSON_GetObjectItem(stopped_of(json), "missing"), *rows = json_rows(json, 2), *row;
    assert_true(cJSON_GetArraySize(missing) > 10);
    int timed = 0, left_out = 0;
    cJSON_ArrayForEach(row, rows)
    {
        timed += strcmp(json_text(row, "result"), "equal") == 0;
        left_out += strcmp(json_text(row, "result"), "left out: stopped") == 0;
    }
    assert_true(timed > 0);
    assert_int_equal(left_out, cJSON_GetArraySize(missing));
    json_text(cJSON_GetArrayItem(missing, 0), "query");
    assert_true(json_number(cJSON_GetArrayItem(missing, 0), "from_size") >= 1.0);
    // The same in the files, and what was there stays.
    assert_string_equal(tool_text("clis_bench/results.json"), "whole");
    assert_string_equal(tool_text("clis_bench/report.html"), "whole");
    const cJSON* written = json_file("clis_bench/stopped/results.json");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(written, "rows")), cJSON_GetArraySize(rows));
    stopped_of(written);
    assert_non_null(strstr(tool_text("clis_bench/stopped/report.html"), "<b>Stopped</b>"));
    assert_non_null(strstr(tool_text("clis_bench/stopped/results.csv"), "left out: stopped"));
    assert_int_equal(system("test \"$(ls -A clis_bench | tr '\\n' ' ')\" = 'report.html results.json stopped '"), 0);
}

TEST(people_are_shown_what_is_missing)
{
    const char arguments[] = "bench contacts --pairs 4096";
    const tool_outcome o = tool_stops(arguments, NULL, SIGTERM, false);
    tool_expect(arguments, &o, 143);
    const char* list = strstr(o.out, "\nStopped before these were measured:\n  ");
    assert_non_null(list);
    assert_non_null(strstr(list, ", 4096 pairs\n"));
    assert_non_null(strstr(o.err, "tact bench: stopped by signal 15, before all was measured\n"));
}

/// Each form of tact bench, in sizes that take long.
TEST(every_benchmark_can_be_stopped)
{
    static const char* const forms[] = {"rays --triangles 200000",
                                        "rays --triangles 50000 --askers 2",
                                        "rays --triangles 30000 --stream 1000000000",
                                        "near --triangles 100000 --count 500000",
                                        "memory",
                                        "geometry",
                                        "overlap --poses 2000",
                                        "separation --poses 4000",
                                        "filter",
                                        "pairs",
                                        "particles",
                                        "contacts",
                                        "solids",
                                        "cloud"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
        char arguments[256];
        assert_int_equal(system("rm -rf clis_form && mkdir clis_form"), 0);
        write_file("clis_form/bench.json", "whole", 5);
        snprintf(arguments, sizeof arguments, "bench %s --json --out clis_form", forms[i]);
        const cJSON* missing = cJSON_GetObjectItem(stopped_of(stop(arguments, "clis_form/stopped")), "missing");
        if (cJSON_GetArraySize(missing) < 1) fail_msg("%s: nothing is missing", forms[i]);
        assert_string_equal(tool_text("clis_form/bench.json"), "whole");
        stopped_of(json_file("clis_form/stopped/bench.json"));
    }
    const cJSON* regret = stop("bench regret --json", "before all was measured");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(stopped_of(regret), "missing")), 1);
    assert_false(json_truth(regret, "held"));
}

TEST(what_was_stopped_is_never_verified)
{
    write_file("clis_report.json", "whole", 5);
    const cJSON* json = stop("verify --report clis_report.json --json", "clis_report.json is not written");
    assert_false(json_truth(json, "passed"));
    assert_true(json_number(json, "checks") > 0.0 && json_number(json, "differing") == 0.0);
    assert_true(json_number(stopped_of(json), "queries_done") < json_number(stopped_of(json), "queries"));
    json_rows(json, 1);
    assert_string_equal(tool_text("clis_report.json"), "whole");
}

TEST(half_a_calibration_is_not_kept)
{
    assert_int_equal(system("rm -rf clis_cache && mkdir clis_cache && chmod 700 clis_cache"), 0);
    const char* before = getenv("TACT_CACHE_DIR");
    char folder[4096], old[4096];
    snprintf(old, sizeof old, "%s", before ? before : "");
    assert_non_null(getcwd(folder, sizeof folder - 16));
    strcat(folder, "/clis_cache");
    setenv("TACT_CACHE_DIR", folder, 1);
    const char cpu[] = "calibrate --seconds 20 --backend cpu --json";
    const cJSON* error = cJSON_GetObjectItem(stop(cpu, "nothing is kept of this calibration"), "error");
    assert_true(json_number(error, "exit_status") == 130.0);
    const cJSON* shown = tool_json_ends("calibrate --show --json");
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(shown, "entries")), 0);
    // One that is there stays.
    tool_ends("calibrate --seconds 1 --backend cpu --json", 0);
    const char* kept = cJSON_Print(cJSON_GetObjectItem(tool_json_ends("calibrate --show --json"), "entries"));
    stop(cpu, "nothing is kept");
    const char* still = cJSON_Print(cJSON_GetObjectItem(tool_json_ends("calibrate --show --json"), "entries"));
    assert_string_equal(kept, still);
    assert_true(strlen(kept) > 100);
    free((void*)(uintptr_t)kept);
    free((void*)(uintptr_t)still);
    if (before) setenv("TACT_CACHE_DIR", old, 1);
    if (!before) unsetenv("TACT_CACHE_DIR");
}

/// A surface that takes long to cut into convex parts: a grid of waves, closed below.
static void write_waves(const char* path)
{
    enum { SIDE = 150 };
    FILE* f = fopen(path, "w");
    assert_non_null(f);
    for (int level = 0; level < 2; ++level)
        for (int i = 0; i < SIDE * SIDE; ++i)
            fprintf(f, "v %d %d %d\n", i % SIDE, i / SIDE, level ? 20 + (i % SIDE * 7 + i / SIDE * 5) % 11 : 0);
    for (int y = 0; y + 1 < SIDE; ++y) {
        for (int x = 0; x + 1 < SIDE; ++x) {
            const int a = y * SIDE + x + 1, up = a + SIDE * SIDE;
            fprintf(f, "f %d %d %d %d\n", a, a + SIDE, a + SIDE + 1, a + 1);
            fprintf(f, "f %d %d %d\nf %d %d %d\n", up, up + 1, up + SIDE + 1, up, up + SIDE + 1, up + SIDE);
        }
    }
    for (int i = 0; i + 1 < SIDE; ++i) {
        const int top = SIDE * SIDE, last = SIDE * (SIDE - 1);
        const int ends[4][2] = {{i + 1, i + 2},
                                {last + i + 2, last + i + 1},
                                {(i + 1) * SIDE + 1, i * SIDE + 1},
                                {(i + 1) * SIDE, (i + 2) * SIDE}};
        for (int k = 0; k < 4; ++k)
            fprintf(f, "f %d %d %d %d\n", ends[k][0], ends[k][1], ends[k][1] + top, ends[k][0] + top);
    }
    assert_int_equal(fclose(f), 0);
}

TEST(a_mesh_is_written_whole_or_not_at_all)
{
    assert_int_equal(system("rm -rf clis_parts clis_mesh && mkdir clis_mesh"), 0);
    write_waves("clis_mesh/waves.obj");
    const char arguments[] = "mesh clis_mesh/waves.obj --repair clis_mesh/mended.obj --decompose 64 clis_parts --json";
    const cJSON* error = cJSON_GetObjectItem(stop(arguments, "stopped by signal 2\n"), "error");
    assert_string_equal(json_text(error, "result"), "TACT_ERROR_CANCELLED");
    assert_true(access("clis_parts", F_OK) != 0);
    // What was done before the signal is whole.
    tool_ends("mesh clis_mesh/mended.obj", 0);
    assert_int_equal(system("test \"$(ls -A clis_mesh | tr '\\n' ' ')\" = 'mended.obj waves.obj '"), 0);
}

/// What has nothing to finish ends at once, with the line and the JSON of any failure.
TEST(a_command_that_reads_ends_at_once)
{
    assert_int_equal(system("rm -f clis_pipe && mkfifo clis_pipe"), 0);
    // What opens a pipe for both ways waits for bytes, for ever.
    const char arguments[] = "mesh - --json <>clis_pipe";
    const tool_outcome o = tool_stops(arguments, NULL, SIGINT, false);
    tool_expect(arguments, &o, 130);
    assert_string_equal(o.err, "tact mesh: stopped by signal 2\n");
    const cJSON* error = cJSON_GetObjectItem(tool_json(arguments, &o), "error");
    assert_true(json_number(error, "exit_status") == 130.0);
    assert_string_equal(json_text(error, "message"), "stopped by signal 2");
}

TEST(the_second_signal_ends_at_once)
{
    // Each measurement takes seconds: without the second one there is a report.
    const char arguments[] =
        "bench rays --triangles 100000 --rays 4000000 --set random --mode closest --no-peers --no-checks --threads 1 "
        "--json";
    const tool_outcome o = tool_stops(arguments, NULL, SIGINT, true);
    tool_expect(arguments, &o, 130);
    assert_null(cJSON_GetObjectItem(tool_json(arguments, &o), "stopped"));
    assert_non_null(strstr(o.err, "tact bench: stopped by signal 2\n"));
}

TEST(a_replay_says_how_far_it_came)
{
    tool_ends("pairs --random 20000 --method brute --repeat 40 --threads 1 --backend cpu --record clis.record", 0);
    assert_int_equal(system("rm -rf clis_export"), 0);
    const char arguments[] = "replay clis.record --export clis_export --json";
    const tool_outcome o = tool_stops(arguments, "clis_export/query-3-volumes.npy", SIGINT, false);
    tool_expect(arguments, &o, 130);
    const cJSON* json = tool_json(arguments, &o);
    const double ran = json_number(json, "ran"), missing = json_number(stopped_of(json), "missing");
    assert_true(ran >= 2.0 && missing >= 1.0 && json_number(json, "differing") == 0.0);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "queries")), (int)ran);
}

#include TEST_LIST
RUN_ALL(make_files, NULL)
