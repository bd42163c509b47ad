// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The command line as people type it: meshes without an option, standard input and output, words that are nearly right,
// failures as JSON, help, manual pages and completions.

#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "tests/support/run.h"

#include "apps/color.h"
#include "apps/help.h"
#include "apps/system.h"
#include "apps/text.h"
#include "apps/timing.h"
#include "base/bytes.h"
#include "tests/support/temporary.h"
#include "tests/support/tool.h"

const char tool_prefix[] = "cli_line";

/// A triangle at a height, on its own.
static void write_triangle(const char* path, int height, bool ply)
{
    char text[256];
    const char* format = ply ? "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                               "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
                               "0 0 %d\n1 0 %d\n0 1 %d\n3 0 1 2\n"
                             : "v 0 0 %d\nv 1 0 %d\nv 0 1 %d\nf 1 2 3\n";
    snprintf(text, sizeof text, format, height, height, height);
    write_file(path, text, strlen(text));
}

static void write_binary_stl(const char* path)
{
    // Many such files begin like those of text.
    unsigned char bytes[134] = "solid";
    const float corners[9] = {0, 0, 5, 1, 0, 5, 0, 1, 5};
    bytes[80] = 1;
    memcpy(bytes + 96, corners, sizeof corners);
    write_file(path, bytes, sizeof bytes);
}

/// The triangle as binary glTF.
static void write_glb(const char* path)
{
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"buffers\":[{\"byteLength\":36}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
        "\"min\":[0,0,5],\"max\":[1,1,5]}]}";
    const float corners[9] = {0, 0, 5, 1, 0, 5, 0, 1, 5};
    unsigned char bytes[1024] = "glTF";
    const uint32_t length = (uint32_t)(sizeof json - 1 + 3) / 4 * 4, all = 12 + 8 + length + 8 + sizeof corners;
    assert_true(all <= sizeof bytes);
    tact_put_u32(bytes + 4, 2);
    tact_put_u32(bytes + 8, all);
    tact_put_u32(bytes + 12, length);
    memcpy(bytes + 16, "JSON", 4);
    memset(bytes + 20, ' ', length);
    memcpy(bytes + 20, json, sizeof json - 1);
    tact_put_u32(bytes + 20 + length, sizeof corners);
    memcpy(bytes + 24 + length, "BIN", 4);
    memcpy(bytes + 28 + length, corners, sizeof corners);
    write_file(path, bytes, all);
}

static int make_files(void** state)
{
    const float rays[16] = {0.25f, 0.25f, 9, 0, 0, 0, -1, 100, 3, 3, 9, 0, 0, 0, -1, 7};
    write_file("cli_line.obj", tool_cube, strlen(tool_cube));
    write_triangle("cli_line_5.obj", 5, false);
    write_triangle("cli_line_6.obj", 6, false);
    write_triangle("cli_line_5.ply", 5, true);
    write_binary_stl("cli_line_5.stl");
    write_glb("cli_line_5.glb");
    write_array("cli_line_rays.npy", "<f4", "(2, 8)", rays, sizeof rays);
    (void)state;
    return 0;
}

static char* digest_of(const char* arguments)
{
    char all[1024];
    snprintf(all, sizeof all, "%s --backend cpu", arguments);
    char* copy = scratch(17);
    snprintf(copy, 17, "%s", json_text(tool_json_of(all), "digest"));
    return copy;
}

// ---- Meshes ----

TEST(meshes_need_no_option_and_keep_their_order)
{
    const char* both =
        digest_of("raycast --mesh cli_line_5.obj --mesh cli_line_6.obj --mesh cli_line.obj --rays random:1000");
    static const char* const same[] = {"cli_line_5.obj cli_line_6.obj cli_line.obj --rays random:1000",
                                       "cli_line_5.obj --mesh cli_line_6.obj --rays random:1000 cli_line.obj",
                                       "--mesh=cli_line_5.obj cli_line_6.obj --mesh cli_line.obj --rays random:1000"};
    for (size_t i = 0; i < sizeof same / sizeof *same; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "raycast %s", same[i]);
        assert_string_equal(digest_of(arguments), both);
    }
    // Instances are numbered in the order of the line.
    assert_string_not_equal(digest_of("raycast --mesh cli_line_6.obj cli_line_5.obj cli_line.obj --rays random:1000"),
                            both);
}

TEST(every_command_of_meshes_takes_them_both_ways)
{
    static const char* const commands[] = {
        "raycast %s --rays random:100",  "closest %s --points random:100",
        "points %s --points random:100", "spherecast %s --radius 0.1 --rays random:100",
        "pick %s --frame --size 16x16",  "filter %s",
        "overlap %s cli_line_5.obj",     "particles %s --random 50 --steps 3"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        char plain[256], named[256];
        snprintf(plain, sizeof plain, commands[i], "cli_line.obj");
        snprintf(named, sizeof named, commands[i], "--mesh cli_line.obj");
        assert_string_equal(digest_of(plain), digest_of(named));
    }
    assert_true(json_number(tool_json_ends("mesh --mesh cli_line.obj --json"), "triangles") == 12.0);
    tool_refuses("mesh --mesh cli_line.obj cli_line.obj", "one file at a time");
}

TEST(benchmarks_take_meshes_both_ways)
{
    static const char* const words[] = {"cli_line.obj", "--mesh cli_line.obj"};
    for (size_t i = 0; i < 2; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "bench %s --only =ray_any --most 100 --backend cpu --json --quiet",
                 words[i]);
        const cJSON* rows = json_rows(tool_json_ends(arguments), 2);
        assert_string_equal(json_text(cJSON_GetArrayItem(rows, 0), "mesh"), "cli_line.obj");
        snprintf(arguments, sizeof arguments, "bench near %s --triangles 0 --count 100 --no-peers --json --quiet",
                 words[i]);
        rows = json_rows(tool_json_ends(arguments), 3);
        assert_string_equal(json_text(cJSON_GetArrayItem(rows, 0), "mesh"), "cli_line.obj");
        snprintf(arguments, sizeof arguments, "bench overlap %s cli_line_5.obj --poses 2 --quick --json --quiet",
                 words[i]);
        const cJSON* json = tool_json_ends(arguments);
        assert_string_equal(json_text(json, "mesh"), "cli_line.obj");
        assert_string_equal(json_text(json, "other"), "cli_line_5.obj");
    }
    tool_refuses("bench solids cli_line.obj cli_line.obj", "cli_line.obj: one mesh at most");
    tool_refuses("bench overlap cli_line.obj cli_line.obj cli_line.obj", "two meshes at most");
    tool_refuses("bench pairs cli_line.obj", "cli_line.obj: not an option");
    // A name that is written wrongly is no mesh.
    tool_refuses("bench paris", "paris: not a benchmark of tact bench --help; did you mean pairs?");
}

// ---- Standard input and output ----

TEST(standard_input_is_a_file)
{
    const char* cube = digest_of("raycast cli_line.obj --rays random:100");
    assert_string_equal(digest_of("raycast - --rays random:100 <cli_line.obj"), cube);
    const char* rays = digest_of("raycast cli_line_5.obj --rays cli_line_rays.npy");
    assert_string_equal(digest_of("raycast cli_line_5.obj --rays - <cli_line_rays.npy"), rays);
    assert_string_equal(digest_of("raycast cli_line_5.obj --rays=- <cli_line_rays.npy"), rays);
    // The bytes say which format it is.
    static const char* const formats[] = {"ply", "stl", "glb", "obj"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "raycast --mesh - --rays cli_line_rays.npy <cli_line_5.%s", formats[i]);
        assert_string_equal(digest_of(arguments), rays);
    }
}

TEST(errors_of_standard_input_name_it)
{
    tool_refuses("raycast - --backend cpu </dev/null", "standard input: holds no triangle");
    tool_refuses("raycast cli_line.obj --backend cpu --rays - <cli_line.obj",
                 "standard input: byte 0: not a NumPy array");
    tool_refuses("raycast - --backend cpu --rays - <cli_line.obj", "standard input: only one file can be -");
    tool_refuses("raycast - - --backend cpu <cli_line.obj", "standard input: only one file can be -");
    tool_refuses("raycast - --backend cpu <cli_line_rays.npy", "not a mesh that is known by its bytes");
    tool_refuses("pairs --boxes - --against - --backend cpu <cli_line_rays.npy", "standard input");
}

TEST(standard_output_is_a_file)
{
    tool_ends("raycast cli_line.obj --rays random:100 --backend cpu --out cli_line_hits.npy", 0);
    const tool_outcome o = tool_ends("raycast cli_line.obj --rays random:100 --backend cpu --out -", 0);
    void *file = NULL, *out = NULL;
    size_t size = 0, out_size = 0;
    tact_problem problem = {0};
    assert_true(tact_file_read("cli_line_hits.npy", &file, &size, &problem));
    assert_true(tact_file_read("cli_line_out.txt", &out, &out_size, &problem));
    // Nothing else is there; what is for people is beside it.
    assert_int_equal(size, out_size);
    assert_memory_equal(file, out, size);
    free(file);
    free(out);
    assert_non_null(strstr(o.err, "digest"));
    // A picture as well, and a mesh.
    tool_ends("raycast cli_line.obj --rays camera:8x8 --backend cpu --image -", 0);
    assert_memory_equal(tool_text("cli_line_out.txt"), "\x89PNG", 4);
    const tool_outcome mesh = tool_ends("mesh cli_line.obj --repair -", 0);
    assert_memory_equal(mesh.out, "v ", 2);
    // A saved run goes through a pipe.
    const char* unbroken = digest_of("particles --random 20 --steps 6");
    const cJSON* rest =
        tool_json_of("particles --random 20 --steps 3 --backend cpu --save - 2>cli_line_pipe.txt | '" TACT_PROGRAM
                     "' particles --resume - --steps 6 --backend cpu");
    assert_string_equal(json_text(rest, "digest"), unbroken);
    // Programs one after the other.
    tool_ends("mesh cli_line.obj --repair - 2>cli_line_pipe.txt | " TACT_PROGRAM " mesh - --json", 0);
    write_file("cli_line_copy.obj", mesh.out, strlen(mesh.out));
    assert_true(json_number(tool_json_ends("mesh - --json <cli_line_copy.obj"), "triangles") == 12.0);
}

TEST(standard_output_is_one_thing)
{
    tool_outcome o = tool_ends("raycast cli_line.obj --out - --json", 2);
    assert_non_null(strstr(o.err, "--out -: not with --json"));
    tool_refuses("raycast cli_line.obj --rays camera:8x8 --out - --image -", "--image -: --out has standard output");
    tool_refuses("raycast cli_line.obj --record -", "--record -: a record is a file");
    tool_refuses("particles --random 10 --steps 1 --hdf5 -", "--hdf5 -");
    tool_refuses("particles --random 10 --steps 4 --save - --save-every 2", "--save -: not with --save-every");
}

// ---- Words that are nearly right ----

TEST(errors_say_what_was_meant)
{
    tool_refuses("raycats", "did you mean raycast?");
    tool_refuses("particle", "did you mean particles?");
    tool_refuses("hepl", "did you mean help?");
    tool_refuses("help raycsat", "did you mean raycast?");
    tool_refuses("bench pars", "did you mean pairs?");
    tool_refuses("raycast --mehs cli_line.obj", "--mehs: unknown option; did you mean --mesh?");
    tool_refuses("raycast --thread=2", "did you mean --threads?");
    tool_refuses("raycast --no-fall", "did you mean --no-fallback?");
    tool_refuses("raycast cli_line.obj --mode closet", "closest, any, count; did you mean closest?");
    tool_refuses("info --backend gp", "did you mean ");
    // What is like nothing.
    assert_null(strstr(tool_ends("nonsense", 2).err, "did you mean"));
    assert_null(strstr(tool_ends("raycast --xyzzy", 2).err, "did you mean"));
    assert_null(strstr(tool_ends("raycast cli_line.obj --mode x", 2).err, "did you mean"));
}

TEST(versions_and_help_have_more_than_one_name)
{
    const tool_outcome version = tool_ends("--version", 0);
    assert_string_equal(tool_ends("version", 0).out, version.out);
    assert_string_equal(tool_ends("-V", 0).out, version.out);
    assert_string_equal(tool_ends("help", 0).out, tool_ends("--help", 0).out);
    assert_string_equal(tool_ends("help raycast", 0).out, tool_ends("raycast --help", 0).out);
    assert_string_equal(tool_ends("help bench rays", 0).out, tool_ends("bench rays --help", 0).out);
    tool_ends("bench nonsense --help", 0);
}

TEST(numbers_are_written_as_people_do)
{
    static const char* const same[] = {"1k", "1K", "1e3", "1_000", "1.0k", "0.001M", "10e2", "1000"};
    for (size_t i = 0; i < sizeof same / sizeof *same; ++i) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "raycast cli_line.obj --rays random:%s --seed 1e1 --backend cpu",
                 same[i]);
        const cJSON* json = tool_json_of(arguments);
        assert_true(json_number(json, "rays") == 1000.0);
        assert_true(json_number(json, "seed") == 10.0);
    }
    assert_true(json_number(tool_json_of("raycast cli_line.obj --rays camera:1e1x2_0 --backend cpu"), "rays") == 200.0);
    tool_refuses("raycast cli_line.obj --rays random:1e-3", "random:1e-3");
    tool_refuses("raycast cli_line.obj --threads 2G", "--threads 2G: must be a whole number from 1 to 1024");
    tool_refuses("raycast cli_line.obj --seed 1.5", "--seed 1.5: must be a whole number");
}

// ---- Failures as JSON ----

static const cJSON* error_of(const char* arguments, int code)
{
    const tool_outcome o = tool_ends(arguments, code);
    const cJSON* json = tool_json(arguments, &o);
    const cJSON* error = cJSON_GetObjectItemCaseSensitive(json, "error");
    if (!error) fail_msg("tact %s: no error: %s", arguments, o.out);
    assert_true(json_number(error, "exit_status") == code);
    // The line for people says the same.
    assert_non_null(strstr(o.err, json_text(error, "message")));
    return json;
}

TEST(failures_are_json_where_results_are)
{
    assert_string_equal(json_text(error_of("raycast cli_line.obj --mode x --json", 2), "command"), "raycast");
    assert_string_equal(json_text(error_of("raycast --json 'no such.obj'", 2), "command"), "raycast");
    assert_string_equal(json_text(error_of("nonsense --json", 2), "command"), "nonsense");
    assert_string_equal(json_text(error_of("bench rays --set nothing --json", 2), "command"), "bench rays");
    const cJSON* error = cJSON_GetObjectItem(error_of("raycast --json 'no such.obj'", 2), "error");
    assert_null(cJSON_GetObjectItem(error, "result"));
    // A step that is too long for the library.
    error = cJSON_GetObjectItem(
        error_of("particles --random 10 --steps 1 --dt 100 --substeps 1 --backend cpu --json", 2), "error");
    assert_string_equal(json_text(error, "result"), "TACT_ERROR_INVALID_ARGUMENT");
    // A result that is not as expected is printed once, and no second object.
    const char wrong[] = "raycast cli_line.obj --rays random:10 --expect 0123456789abcdef --json";
    const tool_outcome o = tool_ends(wrong, 1);
    assert_string_equal(json_text(tool_json(wrong, &o), "command"), "raycast");
}

TEST(times_have_six_digits)
{
    const tool_outcome o = tool_ends("raycast cli_line.obj --rays random:5000 --backend cpu --json", 0);
    const char* times = strstr(o.out, "time_ms");
    assert_non_null(times);
    const char* end = strchr(times, '}');
    for (const char* c = times; c < end; ++c) {
        if (*c < '1' || *c > '9') continue;
        int digits = 0;
        for (; (*c >= '0' && *c <= '9') || *c == '.'; ++c)
            digits += *c != '.';
        if (digits > 6) fail_msg("%.*s", (int)(end - times), times);
    }
}

// ---- Progress ----

TEST(progress_has_a_rate_and_the_time_left)
{
    static const struct {
        double fraction, elapsed, items;
        const char* text;
    } cases[] = {{0.25, 10, 0, " 25 %, 30 s left"},
                 {0.25, 10, 8e6, " 25 %, 0.2 M rays/s, 30 s left"},
                 {0.5, 600, 0, " 50 %, 10 min left"},
                 {0.01, 600, 0, "  1 %, 16.5 h left"},
                 {0, 5, 0, "  0 %"},
                 {1, 5, 0, "100 %"},
                 {-1, 12, 8e6, "12 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[128];
        tact_progress progress = {.what = "casting"};
        tact_progress_items(&progress, cases[i].items, "rays");
        tact_progress_describe(&progress, cases[i].fraction, cases[i].elapsed, text, sizeof text);
        assert_string_equal(text, cases[i].text);
        // What has no room is cut.
        tact_progress_describe(&progress, cases[i].fraction, cases[i].elapsed, text, 10);
        assert_true(strlen(text) < 10);
    }
}

/// What takes long is shown, and what runs within it is silent.
TEST(reading_and_waiting_are_shown_when_they_take_long)
{
    tact_waiting waiting;
    char* bytes = NULL;
    fflush(stderr);
    const int before = dup(2);
    assert_non_null(freopen("cli_line_waiting.txt", "w", stderr));
    tact_waiting_start(&waiting, "building", "trees");
    tact_progress inner;
    // A part of it is silent.
    tact_progress_start(&inner, "inner", false);
    inner.started -= 5000;
    assert_true(tact_progress_update(0.5, &inner));
    tact_progress_end(&inner);
    const double start = tact_system_milliseconds();
    while (tact_system_milliseconds() - start < 1500) {
    }
    tact_waiting_end(&waiting);
    // At once after its end the next is shown again.
    tact_progress_start(&inner, "casting", false);
    inner.started -= 5000;
    assert_true(tact_progress_update(0.5, &inner));
    tact_progress_end(&inner);
    fflush(stderr);
    dup2(before, 2);
    close(before);
    bytes = tool_text("cli_line_waiting.txt");
    assert_string_equal(bytes, "building trees: 1 s\ncasting: 50 %, 5 s left\n");
}

// ---- Pictures ----

TEST(pictures_are_of_the_format_that_their_name_says)
{
    static const struct {
        const char *name, *begins;
        size_t length;
    } formats[] = {{"cli_line.png", "\x89PNG", 4},
                   {"cli_line.BMP", "BM", 2},
                   {"cli_line.tga", "\0\0", 2},
                   {"cli_line.jpg", "\xff\xd8\xff", 3},
                   {"cli_line.jpeg", "\xff\xd8\xff", 3}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "raycast cli_line.obj --rays camera:8x8 --backend cpu --image %s",
                 formats[i].name);
        tool_ends(arguments, 0);
        assert_memory_equal(tool_text(formats[i].name), formats[i].begins, formats[i].length);
    }
    tool_refuses("raycast cli_line.obj --rays camera:8x8 --image cli_line.gif",
                 "cli_line.gif: the name must end in .png");
    tool_refuses("particles --random 10 --steps 1 --chains cli_line", "--chains cli_line: the name must end in .png");
    tool_refuses("pick cli_line.obj --frame --image png", "the name must end in .png");
}

// ---- Devices ----

TEST(info_has_a_line_for_each_device)
{
    const cJSON* json = tool_json_ends("info --json");
    const int devices = cJSON_GetArraySize(cJSON_GetObjectItem(json, "devices"));
    const int missing = cJSON_GetArraySize(cJSON_GetObjectItem(json, "missing"));
    const tool_outcome o = tool_ends("info", 0);
    int lines = 0;
    for (const char* c = o.out; *c; ++c)
        lines += *c == '\n';
    assert_int_equal(lines, 1 + devices + missing);
    assert_non_null(strstr(o.out, "(host), driver "));
    assert_non_null(strstr(o.out, ", exact\n"));
    assert_non_null(strstr(tool_ends("info --verbose", 0).out, "  limits      "));
}

// ---- Colours ----

TEST(colours_are_for_those_that_ask)
{
    static const char red[] = "\033[31mtact nonsense:\033[0m ";
    assert_null(strchr(tool_ends("nonsense", 2).err, '\033'));
    assert_memory_equal(tool_ends("nonsense --color always", 2).err, red, sizeof red - 1);
    assert_memory_equal(tool_ends("nonsense --color=always", 2).err, red, sizeof red - 1);
    assert_null(strchr(tool_ends("nonsense --color never", 2).err, '\033'));
    tool_refuses("info --color allways", "auto, always, never; did you mean always?");
    // Of particles it is something else.
    tool_refuses("particles --random 10 --steps 1 --color never", "id, speed, size");
    const tool_outcome table = tool_ends("pick cli_line.obj --at 8,8 --size 16x16 --backend cpu --color always", 0);
    assert_non_null(strstr(table.out, "\033[1m"));
    assert_null(strchr(tool_ends("pick cli_line.obj --at 8,8 --size 16x16 --backend cpu", 0).out, '\033'));
}

TEST(rows_that_differ_are_red_in_tables)
{
    static const char* const heads[] = {"scene", ">result"};
    char always[] = "--color=always", never[] = "--color=never", name[] = "tact";
    char* arguments[] = {name, always, NULL};
    for (int colours = 0; colours < 2; ++colours) {
        tact_table table;
        arguments[1] = colours ? always : never;
        tact_color_begin(2, arguments);
        tact_table_init(&table, heads, 2);
        tact_table_mark(&table, "DIFFERS");
        tact_table_mark(&table, "FAILED");
        static const char* const results[] = {"equal", "DIFFERS", "FAILED"};
        for (int i = 0; i < 3; ++i) {
            tact_table_add(&table, "a%d", i);
            tact_table_add(&table, "%s", results[i]);
        }
        FILE* file = fopen("cli_line_table.txt", "w");
        assert_non_null(file);
        tact_table_print(&table, file);
        tact_table_free(&table);
        fclose(file);
        assert_string_equal(tool_text("cli_line_table.txt"),
                            colours
                                ? "\033[1mscene   result\n\033[0m-----  -------\na0       equal\n"
                                  "\033[31ma1     DIFFERS\n\033[0m\033[31ma2      FAILED\n\033[0m"
                                : "scene   result\n-----  -------\na0       equal\na1     DIFFERS\na2      FAILED\n");
    }
    arguments[1] = never;
    tact_color_begin(2, arguments);
}

TEST(warnings_are_yellow)
{
    tool_ends("mesh cli_line_5.obj --repair cli_line_copy.obj", 0);
    assert_non_null(strstr(tool_text("cli_line_err.txt"), "tact mesh: warning: cli_line_copy.obj is not closed\n"));
    tool_ends("mesh cli_line_5.obj --repair cli_line_copy.obj --color always", 0);
    assert_non_null(strstr(tool_text("cli_line_err.txt"), "tact mesh: \033[33mwarning:\033[0m cli_line_copy.obj"));
}

// ---- Help, manual pages, completions ----

TEST(help_fits_a_terminal)
{
    const tool_outcome names = tool_ends("help --list", 0);
    int commands = 0;
    for (const char* name = names.out; *name; ++commands) {
        char arguments[80];
        const size_t length = strcspn(name, "\n");
        snprintf(arguments, sizeof arguments, "help %.*s", (int)length, name);
        const tool_outcome o = tool_ends(arguments, 0);
        for (const char* line = o.out; *line;) {
            const size_t width = strcspn(line, "\n");
            if (width > TACT_HELP_WIDTH) fail_msg("tact %s: %zu columns: %.*s", arguments, width, (int)width, line);
            line += width + 1;
        }
        name += length + 1;
    }
    assert_true(commands > 30);
    const tool_outcome all = tool_ends("--help", 0);
    for (const char* line = all.out; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= TACT_HELP_WIDTH);
}

static bool have(const char* program)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >cli_line_which.txt 2>&1", program);
    return system(command) == 0;
}

TEST(manual_pages_have_no_warnings)
{
    if (!have("groff")) skip_because("no groff");
    tool_ends("help --man all", 0);
    if (system("groff -man -ww -Tascii -z cli_line_out.txt >cli_line_groff.txt 2>&1") != 0)
        fail_msg("%s", tool_text("cli_line_groff.txt"));
    assert_string_equal(tool_text("cli_line_groff.txt"), "");
    const tool_outcome page = tool_ends("help --man raycast", 0);
    assert_non_null(strstr(page.out, ".TH \"TACT-RAYCAST\" 1"));
    assert_non_null(strstr(page.out, ".B \\-\\-mesh \\fIFILE\\fR\n"));
    assert_non_null(strstr(page.out, ".B \\-\\-json\n"));
    assert_non_null(strstr(tool_ends("help --man", 0).out, ".BR tact\\-bench\\-rays (1)"));
    tool_refuses("help --man nonsense", "unknown command");
}

/// What bash offers for a line whose last word is being typed.
static char* offered(const char* words)
{
    char command[512];
    snprintf(
        command, sizeof command,
        "bash -c 'source ./cli_line_completion.bash; COMP_WORDS=(%s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tact; "
        "echo \" ${COMPREPLY[*]} \"' >cli_line_offered.txt 2>&1",
        words);
    assert_int_equal(system(command), 0);
    return tool_text("cli_line_offered.txt");
}

TEST(bash_completes_commands_options_and_values)
{
    if (!have("bash")) skip_because("no bash");
    const tool_outcome o = tool_ends("completion bash", 0);
    write_file("cli_line_completion.bash", o.out, strlen(o.out));
    assert_string_equal(offered("tact ray"), " raycast \n");
    assert_string_equal(offered("tact raycast --mo"), " --mode \n");
    assert_string_equal(offered("tact raycast --mode \"\""), " closest any count \n");
    assert_string_equal(offered("tact raycast --mode = c"), " closest count \n");
    assert_string_equal(offered("tact raycast --mode ="), " closest any count \n");
    assert_string_equal(offered("tact raycast cli_line_5.s"), " cli_line_5.stl \n");
    assert_string_equal(offered("tact raycast --out cli_line_5.s"), " cli_line_5.stl \n");
    assert_string_equal(offered("tact raycast --threads \"\""), "  \n");
    assert_string_equal(offered("tact bench rays --tri"), " --triangles \n");
    assert_string_equal(offered("tact particles --color \"\""), " id speed size \n");
    assert_string_equal(offered("tact completion \"\""), " bash zsh fish \n");
    assert_string_equal(offered("tact help ray"), " raycast \n");
    assert_string_equal(offered("tact bench cli_line_5.s"), " cli_line_5.stl \n");
    char* benches = offered("tact bench \"\"");
    assert_non_null(strstr(benches, " rays "));
    assert_null(strstr(offered("tact raycast --seed cli"), "cli_line"));
    tool_refuses("completion csh", "bash, zsh and fish");
}

/// Writes a shell's completions, which that shell finds no fault in. Skips where it is missing.
static void write_completions(const char* shell, const char* path)
{
    char command[256];
    snprintf(command, sizeof command, "completion %s", shell);
    const tool_outcome o = tool_ends(command, 0);
    assert_non_null(strstr(o.out, "closest any count"));
    write_file(path, o.out, strlen(o.out));
    if (!have(shell)) skip_because(shell);
    snprintf(command, sizeof command, "%s -n %s >cli_line_shell.txt 2>&1", shell, path);
    if (system(command) != 0) fail_msg("%s: %s", shell, tool_text("cli_line_shell.txt"));
}

/// Types lines into a shell of its own, a tab after each, and writes what then stands there. Arguments: the folder of
/// completions, the file, the lines.
static const char type_in_zsh[] =
    "folder=$1 file=$2\nshift 2\nzmodload zsh/zpty\nrm -f -- $file\nzpty shell zsh -f -i\n"
    "zpty -w shell \"PS1= fpath=(${(q)folder} \\$fpath); autoload -Uz compinit; compinit -u -D\"\n"
    "zpty -w shell 'show() { print -r -- \"$BUFFER\" >>'${(q)file}'; BUFFER= }; zle -N show; bindkey \"^G\" show; "
    "bindkey \"^I\" complete-word'\n"
    "for line in \"$@\"; do\n    zpty -w -n shell $line$'\\t\\a'\ndone\n"
    "for (( i = 0; i < 600; i++ )); do\n    while zpty -r -t shell said; do :; done\n"
    "    [[ -e $file ]] && (( $(wc -l <$file) >= $# )) && break\n    sleep 0.05\ndone\nzpty -d shell\n";

TEST(zsh_completes_commands_options_and_values)
{
    assert_int_equal(system("mkdir -p cli_line_zsh"), 0);
    write_completions("zsh", "cli_line_zsh/_tact");
    if (system("zsh -fc 'zmodload zsh/zpty' 2>/dev/null") != 0) skip_because("zsh has no zpty");
    write_file("cli_line_type.zsh", type_in_zsh, strlen(type_in_zsh));
    assert_int_equal(
        system("zsh -f cli_line_type.zsh cli_line_zsh cli_line_typed.txt 'tact ray' 'tact raycast --mo' "
               "'tact raycast --mode cl' 'tact bench reg' 'tact bench rays --tri' 'tact bench cli_line_5.s' "
               "'tact raycast cli_line_5.s' 'tact completion z' 'tact particles --color si'"),
        0);
    assert_string_equal(tool_text("cli_line_typed.txt"),
                        "tact raycast \ntact raycast --mode=\ntact raycast --mode closest \ntact bench regret \n"
                        "tact bench rays --triangles=\ntact bench cli_line_5.stl \ntact raycast cli_line_5.stl \n"
                        "tact completion zsh \ntact particles --color size \n");
}

/// What fish offers for a line, its descriptions left out.
static char* offered_by_fish(const char* line)
{
    char command[256];
    snprintf(command, sizeof command,
             "HOME=. fish -c 'source cli_line_completion.fish; complete -C \"%s\"' | cut -f 1 | tr '\\n' ' ' "
             ">cli_line_offered.txt",
             line);
    assert_int_equal(system(command), 0);
    return tool_text("cli_line_offered.txt");
}

TEST(fish_completes_commands_options_and_values)
{
    write_completions("fish", "cli_line_completion.fish");
    assert_string_equal(offered_by_fish("tact ray"), "raycast ");
    assert_string_equal(offered_by_fish("tact raycast --mo"), "--mode ");
    assert_string_equal(offered_by_fish("tact raycast --mode c"), "closest count ");
    assert_string_equal(offered_by_fish("tact bench regr"), "regret ");
    assert_string_equal(offered_by_fish("tact bench cli_line_5.s"), "cli_line_5.stl ");
    assert_string_equal(offered_by_fish("tact raycast cli_line_5.s"), "cli_line_5.stl ");
    assert_string_equal(offered_by_fish("tact completion z"), "zsh ");
}

// ---- Pictures ----

enum { ACROSS = 64, DOWN = 48 };

/// Draws the cube with so many rays along each side of a pixel; the pixels, three bytes each, from the file's end.
static void draw_cube(const char* samples, unsigned char pixels[DOWN][ACROSS][3], char digest[32])
{
    char arguments[160];
    snprintf(arguments, sizeof arguments,
             "raycast cli_line.obj --rays camera:64x48 --backend cpu --json --image cli_line.bmp --samples %s",
             samples);
    cJSON* json = tool_json_of(arguments);
    snprintf(digest, 32, "%s", json_text(json, "digest"));
    void* bytes;
    size_t size;
    tact_problem problem = {0};
    assert_true(tact_file_read("cli_line.bmp", &bytes, &size, &problem));
    const size_t pixel_bytes = sizeof(unsigned char[DOWN][ACROSS][3]);
    assert_true(size > pixel_bytes);
    memcpy(pixels, (char*)bytes + size - pixel_bytes, pixel_bytes);
    free(bytes);
}

static int difference(const unsigned char a[3], const unsigned char b[3])
{
    int most = 0;
    for (int i = 0; i < 3; ++i)
        most = abs(a[i] - b[i]) > most ? abs(a[i] - b[i]) : most;
    return most;
}

/// With several rays a pixel a picture is another at edges alone, where its pixels lie between those of one ray, and
/// what was asked has the same answer.
TEST(edges_of_pictures_are_smooth)
{
    static unsigned char one[DOWN][ACROSS][3], many[DOWN][ACROSS][3];
    char digests[2][32];
    draw_cube("1", one, digests[0]);
    draw_cube("4", many, digests[1]);
    assert_string_equal(digests[0], digests[1]);
    int smooth = 0;
    for (int y = 1; y + 1 < DOWN; ++y) {
        for (int x = 1; x + 1 < ACROSS; ++x) {
            if (difference(one[y][x], many[y][x]) <= 8) continue;
            ++smooth;
            int step = 0, least = 255, greatest = 0;
            for (int k = 0; k < 9; ++k) {
                const unsigned char* near = one[y + k / 3 - 1][x + k % 3 - 1];
                const int apart = difference(one[y][x], near);
                step = apart > step ? apart : step;
                least = near[1] < least ? near[1] : least;
                greatest = near[1] > greatest ? near[1] : greatest;
            }
            assert_true(step > 8);
            assert_true(many[y][x][1] >= least - 3 && many[y][x][1] <= greatest + 3);
        }
    }
    if (smooth < 20 || smooth > ACROSS * DOWN / 4) print_error("%d smooth pixels\n", smooth);
    assert_true(smooth >= 20 && smooth <= ACROSS * DOWN / 4);
}

#include TEST_LIST
RUN_ALL(make_files, NULL)
