// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The tool, given files that lie: each is refused with exit code 2 and one line that names it, or, where its numbers
// are only strange, answered alike by all.

#define _POSIX_C_SOURCE 200809L

#include "tests/support/run.h"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/tool.h"

const char tool_prefix[] = "clihostile";

static void write_bytes(const char* path, const void* bytes, size_t size)
{
    FILE* f = fopen(path, "wb");
    assert_non_null(f);
    if (size > 0) assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static int make_cube(void** state)
{
    write_bytes("clihostile_cube.obj", tool_cube, strlen(tool_cube));
    return 0;
}

/// By every command in turn, two of them for each file, since each opens devices.
static void refused_array(const char* says)
{
    static size_t turn;
    static const char* const commands[] = {
        "raycast --mesh clihostile_cube.obj --rays clihostile.npy",
        "raycast --mesh clihostile_cube.obj --rays clihostile.npy --backend cpu --json",
        "spherecast --mesh clihostile_cube.obj --rays clihostile.npy --radius 1",
        "closest --mesh clihostile_cube.obj --points clihostile.npy",
        "pairs --boxes clihostile.npy",
        "pairs --spheres clihostile.npy",
        "cull --boxes clihostile.npy --frustum camera",
        "particles --load clihostile.npy --steps 1",
    };
    char expect[300];
    snprintf(expect, sizeof expect, "clihostile.npy: %s", says);
    for (int i = 0; i < 2; ++i)
        tool_refuses(commands[turn++ % (sizeof commands / sizeof *commands)], expect);
}

TEST(arrays)
{
    const uint8_t data[64] = {0};
    static const char* const shapes[][2] = {
        {"(18446744073709551615, 8)", "byte 128: the array's shape is too large"},
        {"(99999999999999999999999999, 8)", "byte 61: the array's shape is too large"},
        {"(576460752303423489, 8)", "byte 128: the array's shape is too large"},  // times 32: 32 bytes, in 64 bits
        {"(4294967295, 8)", "byte "},
        {"(134217729, 8)", "byte "},  // times 32: 32 bytes, in 32 bits
        {"(-1, 8)", "byte 61: the header is malformed"},
        {"(1e9, 8)", "byte "},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        write_array("clihostile.npy", "<f4", shapes[i][0], data, sizeof data);
        refused_array(shapes[i][1]);
    }
    // Nested 1,500 deep, so a header of its own.
    static char deep[1510] = "\x93NUMPY\x01";
    memset(deep + 10, '(', 1500);
    memcpy(deep + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': ", 50);
    deep[8] = (char)(1500 & 255);
    deep[9] = (char)(1500 >> 8);
    write_bytes("clihostile.npy", deep, sizeof deep);
    refused_array("byte 61: the header is malformed");
    write_bytes("clihostile.npy", "", 0);
    refused_array("byte 0");
    write_bytes("clihostile.npy", "\x93NUMPY\x01\x00\xff\xff{", 11);  // a header longer than the file
    refused_array("byte 11: the file ends inside the header");
}

TEST(meshes)
{
#define CORNERS "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    static const struct {
        const char *name, *text;
    } files[] = {
        {"clihostile_empty.obj", ""},
        {"clihostile_none.obj", CORNERS},
        {"clihostile_index.obj", CORNERS "f 1 2 9\n"},
        {"clihostile_zero.obj", CORNERS "f 0 1 2\n"},
        {"clihostile_minus.obj", CORNERS "f -1 -2 -9\n"},
        {"clihostile_wide.obj", CORNERS "f 1 2 99999999999999999999\n"},
        {"clihostile_cut.obj", CORNERS "f 1 2"},
        {"clihostile_words.obj", "v a b c\nf x y z\n"},
        {"clihostile_bad.gltf", "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":99999999999999}]}"},
    };
#undef CORNERS
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        static const char* const commands[] = {"raycast --rays random:9 --mesh", "closest --points random:9 --mesh"};
        write_bytes(files[i].name, files[i].text, strlen(files[i].text));
        for (size_t c = 0; c < sizeof commands / sizeof *commands; ++c) {
            char arguments[200], expect[120];
            snprintf(arguments, sizeof arguments, "%s %s", commands[c], files[i].name);
            snprintf(expect, sizeof expect, "%s: ", files[i].name);
            tool_refuses(arguments, expect);
        }
    }
    static char deep[100000];
    memset(deep, '[', sizeof deep);
    write_bytes("clihostile_deep.gltf", deep, sizeof deep);
    tool_refuses("raycast --rays random:9 --mesh clihostile_deep.gltf", "clihostile_deep.gltf: ");
    // More triangles than bytes.
    static uint8_t many[134];
    memset(many + 80, 0xff, 4);
    write_bytes("clihostile_many.stl", many, sizeof many);
    tool_refuses("raycast --rays random:9 --mesh clihostile_many.stl", "clihostile_many.stl: ");
    static const char* const heads[][3] = {
        {"clihostile_many.ply",
         "ply\nformat ascii 1.0\nelement vertex 4294967295\nproperty float x\nproperty float y\nproperty float z\n"
         "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n",
         "line 3: element vertex announces 4294967295 items"},
        {"clihostile_many.off", "OFF\n4294967295 4294967295 0\n0 0 0\n", "not a mesh that can be read: "}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; ++i) {
        char arguments[96], says[128];
        write_bytes(heads[i][0], heads[i][1], strlen(heads[i][1]));
        snprintf(arguments, sizeof arguments, "raycast --rays random:9 --mesh %s", heads[i][0]);
        snprintf(says, sizeof says, "%s: %s", heads[i][0], heads[i][2]);
        tool_refuses(arguments, says);
        tool_outcome o = tool_run(arguments);
        assert_null(strstr(o.err, "std::"));  // in words, not in C++
    }
}

/// What is no number is no error: such a ray hits nothing, such a triangle is never hit.
TEST(not_numbers)
{
    float rays[16];
    for (int i = 0; i < 16; ++i)
        rays[i] = i < 8 ? NAN : INFINITY;
    write_array("clihostile_nan.npy", "<f4", "(2, 8)", rays, sizeof rays);
    const char* arguments = "raycast --mesh clihostile_cube.obj --rays clihostile_nan.npy --backend %s --json";
    static const char* const backends[] = {"reference", "cpu"};
    for (int b = 0; b < 2; ++b) {
        char line[200];
        snprintf(line, sizeof line, arguments, backends[b]);
        cJSON* json = tool_json_of(line);
        assert_non_null(json);
        assert_true(json_number(json, "hits") == 0);
    }
    const char* strange = "v nan 0 0\nv 1 0 0\nv 0 inf 0\nf 1 2 3\n";
    write_bytes("clihostile_nan.obj", strange, strlen(strange));
    tool_ends("raycast --mesh clihostile_nan.obj --rays random:9 --shadow --backend cpu", 0);
}

static bool holds(const char* path, const char* text)
{
    char read[64] = "";
    FILE* f = fopen(path, "rb");
    assert_non_null(f);
    read[fread(read, 1, sizeof read - 1, f)] = '\0';
    fclose(f);
    return strcmp(read, text) == 0;
}

/// Where a file is to be written there is a link to another: the link is replaced, and the other file stays as it was.
TEST(planted_links)
{
    static const char* const writers[][2] = {
        {"clihostile_link.png", "pick clihostile_cube.obj --rect 0,0,8,8 --size 8x8 --backend cpu --quiet --image %s"},
        {"clihostile_link.record",
         "raycast --mesh clihostile_cube.obj --rays random:9 --backend cpu --quiet --record %s"},
        {"clihostile_link.obj", "mesh clihostile_cube.obj --repair %s"},
        {"clihostile_link.particles", "particles --random 50 --steps 1 --backend cpu --quiet --save %s"},
    };
    const char* victim = "clihostile_victim";
    for (size_t i = 0; i < sizeof writers / sizeof *writers; ++i) {
        const char* path = writers[i][0];
        char arguments[200];
        struct stat facts;
        write_bytes(victim, "precious", 8);
        remove(path);
        assert_int_equal(symlink(victim, path), 0);
        snprintf(arguments, sizeof arguments, writers[i][1], path);
        tool_ends(arguments, 0);
        if (!holds(victim, "precious")) fail_msg("%s wrote through a link", arguments);
        assert_int_equal(lstat(path, &facts), 0);
        assert_true(S_ISREG(facts.st_mode) && facts.st_size > 0);
        remove(path);
    }
    remove(victim);
}

/// A device or a pipe is written to, and stays what it is.
TEST(streams)
{
    tool_outcome o =
        tool_run("raycast --mesh clihostile_cube.obj --rays random:9 --backend cpu --quiet --record /dev/stdout");
    tool_expect("to standard output", &o, 0);
    // Behind the table.
    assert_memory_equal(o.out, "scene", 5);
    assert_non_null(strstr(o.out, "TACTREC\n"));
    struct stat facts;
    assert_true(lstat("/dev/stdout", &facts) != 0 || !S_ISREG(facts.st_mode));
    o = tool_ends("particles --random 50 --steps 1 --backend cpu --quiet --save /dev/full", 2);
    assert_non_null(strstr(o.err, "/dev/full: writing failed: "));
}

#include TEST_LIST
RUN_ALL(make_cube, NULL)
