// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact pairs` and `tact bench pairs` as scripts see them.

#define _POSIX_C_SOURCE 200809L

#include "tests/support/run.h"

#include "apps/inputs/npy.h"
#include "apps/system.h"
#include "apps/timing.h"
#include "tests/support/tool.h"

const char tool_prefix[] = "clipairs";

/// Five boxes: 0 and 1 touch, 2 lies in 0, 3 is far away, 4 holds a NaN. Two spheres: 0 in box 0, 1 touches box 1.
static void make_pair_files(void)
{
    const float boxes[5][6] = {{0, 0, 0, 1, 1, 1},
                               {1, 0, 0, 2, 1, 1},
                               {0.25f, 0.25f, 0.25f, 0.5f, 0.5f, 0.5f},
                               {9, 9, 9, 10, 10, 10},
                               {0, 0, NAN, 1, 1, 1}};
    const float spheres[2][4] = {{0.5f, 0.5f, 0.5f, 0.25f}, {3, 0, 0, 1}};
    tact_problem problem = {0};
    assert_true(tact_npy_write("clipairs_five.npy", TACT_NPY_FLOAT32, 5, 6, boxes, &problem));
    assert_true(tact_npy_write("clipairs_spheres.npy", TACT_NPY_FLOAT32, 2, 4, spheres, &problem));
    assert_true(tact_npy_write("clipairs_no_boxes.npy", TACT_NPY_FLOAT32, 0, 6, boxes, &problem));
}

/// `method`: what must answer; NULL: any.
static void expect_pairs_by(const char* arguments, const char* method, const uint32_t* expected, uint64_t count)
{
    char all[512];
    snprintf(all, sizeof all, "pairs %s --json --quiet --shadow --out clipairs_pairs.npy", arguments);
    cJSON* json = tool_json_ends(all);
    tact_npy_table table;
    tact_problem problem = {0};
    if (!tact_npy_read("clipairs_pairs.npy", TACT_NPY_UINT32, 2, &table, &problem)) fail_msg("%s", problem.text);
    assert_int_equal(table.rows, count);
    assert_true(json_number(json, "pairs") == (double)count && json_number(json, "results") == (double)count);
    assert_string_equal(json_text(json, "command"), "pairs");
    assert_string_equal(json_text(json, "shadow"), "equal");
    assert_true(strlen(json_text(json, "method")) > 0 && strlen(json_text(json, "reason")) > 0);
    if (method) assert_string_equal(json_text(json, "method"), method);
    if (count > 0) assert_memory_equal(table.data, expected, count * 8);
    assert_string_equal(json_text(json, "digest"), tact_digest_of(table.data, count * 8).text);
    free(table.data);
}

static void expect_pairs(const char* arguments, const uint32_t* expected, uint64_t count)
{
    expect_pairs_by(arguments, NULL, expected, count);
}

TEST(pairs_are_those_of_the_files)
{
    make_pair_files();
    const uint32_t within[] = {0, 1, 0, 2}, between[] = {0, 0, 1, 1, 2, 0}, other[] = {0, 0, 0, 2, 1, 1};
    static const char* const methods[] = {"brute", "sap", "grid", "hgrid", "bvh", "tree"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "--boxes clipairs_five.npy --backend cpu --method %s", methods[i]);
        expect_pairs_by(arguments, methods[i], within, 2);
    }
    expect_pairs("--boxes clipairs_five.npy --backend cpu", within, 2);
    expect_pairs("--boxes clipairs_five.npy --backend reference", within, 2);
    expect_pairs("--boxes clipairs_five.npy --against-spheres clipairs_spheres.npy", between, 3);
    expect_pairs("--spheres clipairs_spheres.npy --against clipairs_five.npy", other, 3);
    expect_pairs("--spheres clipairs_spheres.npy", NULL, 0);
    expect_pairs("--boxes clipairs_no_boxes.npy", NULL, 0);
    expect_pairs("--boxes clipairs_no_boxes.npy --against clipairs_five.npy --image clipairs_pairs.png", NULL, 0);
    expect_pairs("--boxes clipairs_five.npy --against clipairs_no_boxes.npy --frames 3 --image clipairs_pairs.png",
                 NULL, 0);
}

/// Pixels of a picture of so many pairs that are as dark as lines and dots, and those that are red.
static void count_inks(const char* arguments, double pairs, size_t* dark, size_t* red)
{
    char command[256];
    snprintf(command, sizeof command, "pairs %s --json --quiet --backend cpu --image clipairs_few.bmp", arguments);
    cJSON* json = tool_json_of(command);
    assert_true(json_number(json, "results") == pairs);
    enum { PIXELS = 1024 * 1024 };
    void* bytes;
    size_t size;
    tact_problem problem = {0};
    assert_true(tact_file_read("clipairs_few.bmp", &bytes, &size, &problem));
    assert_true(size > 3 * (size_t)PIXELS);
    const unsigned char* blue = (unsigned char*)bytes + size - 3 * (size_t)PIXELS;
    *dark = *red = 0;
    for (size_t i = 0; i < PIXELS; ++i, blue += 3) {
        *dark += blue[0] < 100 && blue[1] < 100 && blue[2] < 100;
        *red += blue[2] > 180 && blue[1] < 180 && blue[0] < 180;
    }
    free(bytes);
}

TEST(pictures_of_few_have_a_line_for_each_pair)
{
    make_pair_files();
    size_t dark, red;
    count_inks("--boxes clipairs_five.npy", 2.0, &dark, &red);
    assert_true(dark > 300 && red > 200);
    count_inks("--spheres clipairs_spheres.npy", 0.0, &dark, &red);
    assert_true(dark == 0 && red == 0);
    // All boxes at one spot have too many pairs for lines.
    count_inks("--scene coincident --count 40", 780.0, &dark, &red);
    assert_true(dark == 0);
}

/// Also where it is slow: boxes that share a cell, and boxes wider than a cell.
TEST(a_device_takes_the_method_that_is_asked_for)
{
    make_pair_files();
    static const char* const scenes[] = {"coincident", "sizes"};
    static const char* const backends[] = {"gl", "cl"};
    static const char* const methods[] = {"grid", "bvh"};
    for (int i = 0; i < 8; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "pairs --scene %s --count 1500 --method %s --backend %s --no-fallback",
                 scenes[i & 1], methods[i >> 1 & 1], backends[i >> 2]);
        cJSON* json = tool_json_of(arguments);
        if (!json) continue;
        assert_string_equal(json_text(json, "method"), methods[i >> 1 & 1]);
        assert_string_equal(json_text(json, "backend"), backends[i >> 2]);
        snprintf(arguments, sizeof arguments,
                 "pairs --boxes clipairs_five.npy --against clipairs_five.npy --method grid --backend %s --no-fallback",
                 backends[i >> 2]);
        tool_outcome o = tool_run(arguments);
        assert_int_not_equal(o.code, 0);
        assert_non_null(strstr(o.err, "no method grid"));
    }
}

TEST(pairs_of_frames_tell_what_changed)
{
    cJSON* json = tool_json_ends(
        "pairs --random 500 --frames 6 --speed 0.3 --json --quiet --backend cpu --image clipairs_pairs.png");
    assert_true(json_number(json, "boxes") == 500.0 && json_number(json, "count") == 500.0);
    const cJSON *frame, *frames = cJSON_GetObjectItem(json, "frames");
    assert_int_equal(cJSON_GetArraySize(frames), 6);
    double pairs = 0.0;
    cJSON_ArrayForEach(frame, frames)
    {
        assert_true(pairs - json_number(frame, "ended") == json_number(frame, "kept"));
        pairs = json_number(frame, "kept") + json_number(frame, "begun");
        assert_true(json_number(frame, "pairs") == pairs && pairs > 100.0);
    }
    assert_true(json_number(json, "pairs") == pairs);
    // The digest is the last frame's, and every method's.
    char again[256];
    snprintf(again, sizeof again, "pairs --random 500 --frames 6 --speed 0.3 --quiet --method tree --expect %s",
             json_text(json, "digest"));
    tool_ends(again, 0);
    tool_ends("pairs --random 501 --expect 0123456789abcdef --quiet", 1);
}

TEST(bench_pairs_finds_all_methods_equal)
{
    cJSON* json = tool_json_ends(
        "bench pairs --quick --peers --json --quiet --repeat 1 --backend cpu --scene uniform --out "
        "clipairs_bench/pairs");
    const cJSON *row, *rows = cJSON_GetObjectItem(json, "rows");
    assert_true(cJSON_GetArraySize(rows) >= 12);
    cJSON_ArrayForEach(row, rows)
    {
        const char* result = json_text(row, "result");
        if (!strstr(result, "equal") && !strstr(result, "slow") && strcmp(result, "as many, unsorted") != 0) {
            fail_msg("%s", result);
        }
    }
    char* chart = tool_text("clipairs_bench/pairs/pairs-uniform-frame.svg");
    assert_memory_equal(chart, "<svg xmlns=", 11);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
