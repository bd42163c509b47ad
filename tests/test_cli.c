// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The tool as scripts see it: exit codes, what goes to which stream, JSON.

#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>

#include "tests/support/run.h"

#include "apps/inputs/npy.h"
#include "apps/system.h"
#include "apps/timing.h"
#include "core/queries.h"
#include "tests/support/temporary.h"
#include "tests/support/tool.h"

const char tool_prefix[] = "cli";

static int make_files(void** state)
{
    tact_problem problem = {0};
    write_file("cli_cube.obj", tool_cube, strlen(tool_cube));
    write_file("cli_text.obj", "not a mesh\n", 11);
    write_file("cli_text.npy", "not an array\n", 13);
    const float rays[16] = {0.5f, 0.25f, 5, 0, 0, 0, -1, 100, 3, 3, 5, 0, 0, 0, -1, 7};
    const bool good = tact_npy_write("cli_rays.npy", TACT_NPY_FLOAT32, 2, 8, rays, &problem) &&
                      tact_npy_write("cli_boxes.npy", TACT_NPY_FLOAT32, 2, 6, rays, &problem) &&
                      tact_npy_write("cli_none.npy", TACT_NPY_FLOAT32, 0, 8, rays, &problem);
    char* bytes = tool_text("cli_rays.npy");
    write_file("cli_cut.npy", bytes, 150);
    return good ? 0 : 1;
}

TEST(help_and_version_go_to_standard_output)
{
    static const char* const good[] = {
        "--help", "--version", "info --help", "raycast --help", "closest --help", "spherecast --help", "points --help",
        "verify --help", "bench --help", "bench geometry --help", "bench near --help", "bench cloud --help",
        "bench rays --help", "raycast --rays 5 -h", "mesh --help", "cull --help", "pairs --help", "bench pairs --help",
        "particles --help", "overlap --help", "filter --help", "bench overlap --help", "bench separation --help",
        "bench contacts --help", "bench image --help", "bench filter --help", "pick --help", "bench pick --help",
        "calibrate --help", "bench regret --help", "replay --help", "bench compare --help", "bench memory --help",
        // Behind a line that would be refused help is what is wanted.
        "raycast --bad --help", "verify --query nothing -h", "bench rays --set --help"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        tool_outcome o = tool_ends(good[i], 0);
        assert_true(strlen(o.out) > 10);
        assert_string_equal(o.err, "");
    }
}

TEST(wrong_use_ends_with_2_and_one_line)
{
    static const struct {
        const char* arguments;
        const char* says;
    } cases[] = {
        {"", "no command"},
        {"nonsense", "unknown command"},
        {"nonsense --help", "unknown command"},
        {"replay a", "No such file"},
        {"calibrate --show --forget", "one of them"},
        {"calibrate --show --quick", "for measuring"},
        {"calibrate --seconds 0", "--seconds 0"},
        {"calibrate --backend reference", "never chosen"},
        {"bench regret --backend cpu", "only auto"},
        {"info --nonsense", "--nonsense: unknown option"},
        {"info extra", "extra: not an option"},
        {"info --json=yes", "takes no value"},
        {"info --backend", "a value is missing"},
        {"info --backend vulkan", "must be one of auto, cpu, gl, cl, reference"},
        {"info --threads 0", "--threads 0: must be a whole number from 1"},
        {"info --threads 2x", "--threads 2x: must be a whole number"},
        {"info --threads -1", "must be a whole number"},
        {"info --seed 18446744073709551616", "--seed 18446744073709551616"},
        {"raycast", "FILE is needed: a mesh"},
        {"closest", "FILE is needed: a mesh"},
        {"closest --mesh cli_cube.obj --points random:many", "--points random:many"},
        {"closest --mesh cli_cube.obj --points cli_boxes.npy", "(n, 3) wanted"},
        {"closest --mesh cli_cube.obj --max-distance -1", "--max-distance -1"},
        {"points", "FILE is needed: a mesh"},
        {"points --mesh cli_cube.obj --points random:many", "--points random:many"},
        {"points --mesh cli_cube.obj --points cli_boxes.npy", "(n, 3) wanted"},
        {"points --mesh cli_cube.obj --max-distance -1", "--max-distance -1"},
        {"spherecast --mesh cli_cube.obj --radius wide", "--radius wide"},
        {"spherecast --mesh cli_cube.obj --rays cli_boxes.npy", "cli_boxes.npy: byte 8"},
        {"raycast --mesh", "a value is missing"},
        {"raycast --mesh --json", "a value is missing"},
        {"raycast --mesh cli_cube.obj --rays camera:0x5", "camera:0x5"},
        {"raycast --mesh cli_cube.obj --rays random:many", "random:many"},
        {"raycast --mesh cli_cube.obj --mode nearest", "closest, any, count"},
        {"raycast --mesh cli_cube.obj --repeat 0", "--repeat 0"},
        {"raycast --mesh cli_cube.obj --cull left", "none, back, front"},
        {"raycast --mesh cli_cube.obj --mask 0", "--mask 0"},
        {"raycast --mesh cli_cube.obj --rays random:5 --image cli.png", "needs --rays camera"},
        {"raycast --mesh cli_cube.obj --mode any --image cli.png", "needs --mode closest"},
        {"raycast --mesh cli_cube.obj --expect 12", "16 hexadecimal digits"},
        {"raycast --mesh 'no such.obj'", "no such.obj: cannot be read"},
        {"raycast --mesh .", ".: is a folder"},
        {"raycast --mesh cli_text.obj", "cli_text.obj: "},
        {"raycast --mesh cli_text.npy", "cli_text.npy: "},
        {"raycast --mesh cli_cube.obj --rays 'no such.npy'", "no such.npy: cannot be read"},
        {"raycast --mesh cli_cube.obj --rays .", ".: is a folder"},
        {"raycast --mesh cli_cube.obj --rays cli_text.npy", "cli_text.npy: byte 0"},
        {"raycast --mesh cli_cube.obj --rays cli_cut.npy", "cli_cut.npy: byte 150"},
        {"raycast --mesh cli_cube.obj --rays cli_boxes.npy", "cli_boxes.npy: byte 8: the array's shape is (2, 6)"},
        {"raycast --mesh cli_cube.obj --rays random:5 --backend cpu --out 'no such/x.npy'", "no such/x.npy: cannot be"},
        {"raycast --mesh cli_cube.obj --rays camera:4x4 --backend cpu --image 'no such/x.png'", "no such/x.png"},
        {"verify --backend reference", "the reference is what"},
        {"mesh", "a FILE is needed"},
        {"mesh cli_cube.obj cli_cube.obj", "one file at a time"},
        {"mesh cli_cube.obj -x", "-x: not an option"},
        {"mesh cli_cube.obj --repair", "a value is missing"},
        {"mesh cli_cube.obj --repair cli_out.ply", "cli_out.ply: the name must end in .obj"},
        {"mesh cli_cube.obj --repair .obj", ".obj: the name must end in .obj"},
        {"mesh 'no such.obj'", "no such.obj: cannot be read"},
        {"mesh cli_text.obj --json", "cli_text.obj: "},
        {"mesh cli_cube.obj --repair 'no such/x.obj'", "no such/x.obj: cannot be"},
        {"cull", "one of --boxes FILE, --spheres FILE, --random N"},
        {"cull --random 5 --boxes cli_boxes.npy --frustum camera", "one of --boxes"},
        {"cull --random 5", "--frustum camera or --against"},
        {"cull --random 5 --frustum wide", "must be one of camera"},
        {"cull --random 1073741825 --frustum camera", "--random 1073741825"},
        {"cull --boxes cli_rays.npy --frustum camera", "the array's shape is (2, 8)"},
        {"cull --random 5 --against 'no such.npy'", "no such.npy: cannot be read"},
        {"cull --random 5 --frustum camera --expect 12", "16 hexadecimal digits"},
        {"cull --random 5 --frustum camera --backend cpu --out 'no such/x.npy'", "no such/x.npy: cannot be"},
        {"verify --scene nonsense --backend cpu", "nothing was checked"},
        {"pairs", "one of --boxes FILE"},
        {"pairs --random 0", "--random 0: must be a whole number from 1"},
        {"pairs --random 5 --boxes cli_boxes.npy", "one of them, not 2"},
        {"pairs --random 5 --count 7", "--count 7: needs --scene"},
        {"pairs --random 5 --method quick", "brute, sap, grid, hgrid, bvh, tree"},
        {"pairs --scene nowhere", "must be one of uniform, clustered"},
        {"pairs --random 5 --speed 1", "needs --frames"},
        {"pairs --random 5 --frames 2 --speed fast", "--speed fast: must be a number"},
        {"pairs --random 5 --frames 2 --speed -1", "--speed -1: must be a number"},
        {"pairs --random 5 --frames 2 --speed nan", "--speed nan: must be a number"},
        {"pairs --random 5 --frames 2 --repeat 2", "not with --frames"},
        {"pairs --random 5 --expect 12", "16 hexadecimal digits"},
        {"pairs --boxes 'no such.npy'", "no such.npy: cannot be read"},
        {"pairs --boxes .", ".: is a folder"},
        {"pairs --boxes cli_text.npy", "cli_text.npy: byte 0"},
        {"pairs --boxes cli_cut.npy", "cli_cut.npy: byte 150"},
        {"pairs --boxes cli_rays.npy", "cli_rays.npy: byte 8: the array's shape is (2, 8); (n, 6) wanted"},
        {"pairs --spheres cli_boxes.npy", "cli_boxes.npy: byte 8: the array's shape is (2, 6); (n, 4) wanted"},
        {"pairs --boxes cli_boxes.npy --against cli_rays.npy", "cli_rays.npy: byte 8"},
        {"pairs --boxes cli_boxes.npy --against cli_boxes.npy --against-spheres cli_rays.npy", "not both"},
        {"pairs --boxes cli_boxes.npy --as-spheres", "generated sets"},
        {"pairs --random 5 --out 'no such/x.npy'", "no such/x.npy: cannot be"},
        {"pairs --random 5 --image 'no such/x.png'", "no such/x.png"},
        {"bench pairs --scene nowhere", "must be one of uniform"},
        {"bench pairs --scene uniform --sweep count", "not with --sweep"},
        {"bench pairs --backend reference", "brute force is not timed"},
        {"bench separation --mesh nowhere.obj", "nowhere.obj"},
        {"bench contacts --only nothing", "--only nothing: nothing has this in its name"},
        {"bench overlap --backend reference", "brute force is not timed"},
        {"bench overlap --other cli_cube.obj", "only with --mesh"},
        {"bench overlap --mesh nowhere.obj", "nowhere.obj"},
        {"bench --out cli_cube.obj/x --backend cpu", "cli_cube.obj/x"},
        {"bench --only nothing --backend cpu", "--only nothing"},
        {"bench --mesh nowhere.obj --backend cpu", "nowhere.obj"},
        {"bench --backend reference", "brute force is not timed"},
        {"bench geometry --out cli_cube.obj/x", "cli_cube.obj/x"},
        {"bench geometry --only nothing", "nothing"},
        {"bench geometry --backend gl", "--backend"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        tool_outcome o = tool_ends(cases[i].arguments, 2);
        const char* end = strchr(o.err, '\n');
        if (!end || end[1]) fail_msg("tact %s: not one line: %s", cases[i].arguments, o.err);
        if (!strstr(o.err, cases[i].says)) fail_msg("tact %s: %s", cases[i].arguments, o.err);
        if (strstr(cases[i].arguments, "--json") && !strstr(cases[i].arguments, "--json=")) {
            assert_non_null(strstr(o.out, "\"exit_status\":\t2"));
        } else if (strncmp(cases[i].arguments, "verify --scene", 14) != 0) {
            assert_string_equal(o.out, "");
        }
    }
}

TEST(json_has_the_keys_that_are_promised)
{
    static const char* const sources[] = {"camera:16x8", "random:100", "cli_rays.npy", "cli_none.npy"};
    static const int counts[] = {128, 100, 2, 0};
    static const char* const modes[] = {"closest", "any", "count"};
    for (int s = 0; s < 4; ++s) {
        for (int m = 0; m < 3; ++m) {
            char arguments[256];
            snprintf(arguments, sizeof arguments,
                     "raycast --mesh cli_cube.obj --rays %s --mode %s --backend cpu --json --repeat 3 --threads 1",
                     sources[s], modes[m]);
            tool_outcome o = tool_ends(arguments, 0);
            assert_string_equal(o.err, "");
            cJSON* json = tool_json(arguments, &o);
            assert_string_equal(json_text(json, "command"), "raycast");
            assert_string_equal(json_text(json, "backend"), "cpu");
            assert_true(strlen(json_text(json, "device")) > 0);
            assert_true(strlen(json_text(json, "reason")) > 0);
            assert_int_equal(strlen(json_text(json, "digest")), 16);
            assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "software")));
            assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "exact")));
            assert_true(json_number(json, "threads") == 1.0);
            assert_true(json_number(json, "count") == counts[s] && json_number(json, "rays") == counts[s]);
            assert_true(json_number(json, "hits") == json_number(json, "results"));
            assert_true(json_number(json, "triangles") == 12.0);
            assert_true(json_number(json, "memory_bytes") > 0.0);
            const cJSON* times = cJSON_GetObjectItem(json, "time_ms");
            static const char* const keys[] = {"build", "upload", "query", "download", "total"};
            for (int k = 0; k < 5; ++k)
                assert_true(json_number(times, keys[k]) >= 0.0);
        }
    }
}

TEST(closest_points_and_sphere_casts_are_told)
{
    static const char* const commands[2] = {"closest --points random:500 --max-distance 0.5",
                                            "spherecast --rays camera:25x20 --radius 0.05"};
    for (int c = 0; c < 2; ++c) {
        char digest[17] = "0123456789abcdef";
        static const char* const backends[2] = {"cpu --shadow", "reference"};
        for (int b = 0; b < 2; ++b) {
            char arguments[256];
            snprintf(arguments, sizeof arguments, "%s --mesh cli_cube.obj --json --backend %s --out cli_near.npy%s%s",
                     commands[c], backends[b], b ? " --expect " : "", b ? digest : "");
            cJSON* json = tool_json_ends(arguments);
            assert_true(json_number(json, "count") == 500.0 && json_number(json, "triangles") == 12.0);
            assert_true(json_number(json, "hits") > 100.0 && json_number(json, "hits") < 500.0);
            snprintf(digest, sizeof digest, "%s", json_text(json, "digest"));
            // Names of fields, then as many bytes as 500 answers have: the digest is theirs.
            void* bytes = NULL;
            size_t size = 0;
            tact_problem problem = {0};
            assert_true(tact_file_read("cli_near.npy", &bytes, &size, &problem));
            const size_t data = 500u * (c ? sizeof(tact_sphere_hit) : sizeof(tact_closest_hit));
            assert_true(size > data);
            const char* head = (const char*)bytes + 10;
            assert_int_equal(strncmp(head, "{'descr': [('instance', '<u4'), ('primitive', '<u4'), ", 54), 0);
            assert_string_equal(tact_digest_of((const char*)bytes + size - data, data).text, digest);
            free(bytes);
        }
    }
}

TEST(points_are_told_to_be_inside)
{
    char digest[17] = "0123456789abcdef";
    for (int b = 0; b < 2; ++b) {
        char arguments[256];
        snprintf(arguments, sizeof arguments,
                 "points --mesh cli_cube.obj --points random:500 --json --backend %s --out cli_points.npy%s%s",
                 b ? "reference" : "cpu --shadow", b ? " --expect " : "", b ? digest : "");
        cJSON* json = tool_json_ends(arguments);
        snprintf(digest, sizeof digest, "%s", json_text(json, "digest"));
        void* bytes = NULL;
        size_t size = 0;
        tact_problem problem = {0};
        assert_true(tact_file_read("cli_points.npy", &bytes, &size, &problem));
        const size_t data = 500u * sizeof(tact_point_location);
        assert_true(size > data);
        const char* head = (const char*)bytes + 10;
        assert_int_equal(strncmp(head, "{'descr': [('inside', '<u4'), ('distance', '<f4'), ('winding', '<f4'), ", 70),
                         0);
        assert_string_equal(tact_digest_of((const char*)bytes + size - data, data).text, digest);
        // A cube is an eighth of its box enlarged by half on each side.
        int inside = 0;
        for (size_t i = 0; i < 500; ++i) {
            tact_point_location l;
            memcpy(&l, (const char*)bytes + size - data + i * sizeof l, sizeof l);
            assert_true(l.winding == (float)l.inside && (l.distance < 0.0f) == (l.inside == 1));
            inside += (int)l.inside;
        }
        assert_true(inside > 30 && inside < 95);
        assert_true(json_number(json, "points") == 500.0 && json_number(json, "inside") == (double)inside);
        free(bytes);
    }
}

TEST(hits_are_written_as_the_digest_says)
{
    cJSON* json =
        tool_json_ends("raycast --mesh cli_cube.obj --rays cli_rays.npy --backend cpu --json --out cli_hits.npy");
    tact_npy_table table;
    tact_problem problem = {0};
    assert_true(tact_npy_read("cli_hits.npy", TACT_NPY_HIT, 0, &table, &problem));
    assert_int_equal(table.rows, 2);
    const tact_hit* hits = table.data;
    assert_string_equal(tact_digest_of(hits, 40).text, json_text(json, "digest"));
    // From (0.5, 0.25, 5) down onto the side z = 1; beside the cube: a miss, t = tmax.
    assert_int_equal(hits[0].instance, 0);
    assert_true(hits[0].t == 4.0f);
    assert_int_equal(hits[1].instance, TACT_NONE);
    assert_int_equal(hits[1].primitive, TACT_NONE);
    assert_true(hits[1].t == 7.0f && hits[1].u == 0.0f && hits[1].v == 0.0f);

    // The digest can be asked for: 0 when it is so, 1 when not.
    char expect[256];
    snprintf(expect, sizeof expect, "raycast --mesh cli_cube.obj --rays cli_rays.npy --backend reference --expect %s",
             json_text(json, "digest"));
    tool_ends(expect, 0);
    const char* other = "raycast --mesh cli_cube.obj --rays cli_rays.npy --backend cpu --expect=0123456789abcdef";
    tool_outcome differs = tool_ends(other, 1);
    assert_non_null(strstr(differs.err, json_text(json, "digest")));
    free(table.data);
}

TEST(meshes_are_instances_in_their_order)
{
    cJSON* json = tool_json_ends(
        "raycast --mesh cli_cube.obj --mesh cli_cube.obj --rays cli_rays.npy --mode count --backend cpu --json "
        "--shadow --out cli_count.npy");
    assert_true(json_number(json, "instances") == 2.0 && json_number(json, "triangles") == 24.0);
    assert_string_equal(json_text(json, "shadow"), "equal");
    tact_npy_table table;
    tact_problem problem = {0};
    assert_true(tact_npy_read("cli_count.npy", TACT_NPY_HIT, 0, &table, &problem));
    assert_int_equal(((const tact_hit*)table.data)[0].primitive, 4);
    free(table.data);
}

/// The number of hits of a run on the rays of a file.
static double counted(const char* more)
{
    char arguments[256];
    snprintf(arguments, sizeof arguments, "raycast --rays random:4000 --mode count --backend cpu --json --shadow %s",
             more);
    cJSON* json = tool_json_of(arguments);
    const double hits = json_number(json, "triangles_hit");
    return hits;
}

TEST(sides_and_meshes_can_be_left_out)
{
    const double all = counted("--mesh cli_cube.obj"), fronts = counted("--mesh cli_cube.obj --cull back"),
                 backs = counted("--mesh cli_cube.obj --cull front");
    assert_true(fronts > 100.0 && backs > fronts && fronts + backs == all);
    // The two cubes lie in one place, so the rays are the same.
    assert_true(counted("--mesh cli_cube.obj --mesh cli_cube.obj") == 2.0 * all);
    assert_true(counted("--mesh cli_cube.obj --mesh cli_cube.obj --mask 2") == all);
    assert_true(counted("--mesh cli_cube.obj --mesh cli_cube.obj --mask 4") == 0.0);
}

TEST(pictures_are_png_files)
{
    const char* arguments = "raycast --mesh cli_cube.obj --rays camera:64x48 --backend cpu --image cli_cube.png";
    tool_ends(arguments, 0);
    void* bytes;
    size_t size;
    tact_problem problem = {0};
    assert_true(tact_file_read("cli_cube.png", &bytes, &size, &problem));
    assert_true(size > 100);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    // Width and height in the first chunk.
    const unsigned char expected[8] = {0, 0, 0, 64, 0, 0, 0, 48};
    assert_memory_equal((char*)bytes + 16, expected, 8);
    free(bytes);
}

/// Every backend: its digest is the CPU's, or it is not there and the exit code says so.
TEST(every_backend_gives_one_digest_or_says_3)
{
    static const char* const backends[] = {"cpu", "gl", "cl", "reference", "auto"};
    char digest[32] = "";
    for (int i = 0; i < 5; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "raycast --mesh cli_cube.obj --rays random:5000 --json --backend %s",
                 backends[i]);
        tool_outcome o = tool_run(arguments);
        if (tool_misses(&o)) {
            assert_true(i == 1 || i == 2);
            assert_non_null(strstr(o.err, "device here: "));
            assert_string_equal(o.out, "");
            continue;
        }
        tool_expect(arguments, &o, 0);
        cJSON* json = tool_json(arguments, &o);
        if (i == 0) snprintf(digest, sizeof digest, "%s", json_text(json, "digest"));
        if (cJSON_IsTrue(cJSON_GetObjectItem(json, "exact"))) assert_string_equal(json_text(json, "digest"), digest);
        if (i < 4) assert_string_equal(json_text(json, "backend"), backends[i]);
    }
}

TEST(culling_keeps_what_is_in_view_or_near)
{
    // Around the middle, behind the camera there, nothing, and a box to cull against that the first one touches.
    const float boxes[3][6] = {{-9, -9, -9, 9, 9, 9}, {-1, -1, 5, 1, 1, 9}, {1, 0, 0, 0, 1, 1}};
    const float against[6] = {9, 0, 0, 10, 1, 1}, spheres[2][4] = {{0, 0, 0, 8}, {11, 0, 0, 1}};
    tact_problem problem = {0};
    assert_true(tact_npy_write("cli_cull.npy", TACT_NPY_FLOAT32, 3, 6, boxes, &problem) &&
                tact_npy_write("cli_against.npy", TACT_NPY_FLOAT32, 1, 6, against, &problem) &&
                tact_npy_write("cli_spheres.npy", TACT_NPY_FLOAT32, 2, 4, spheres, &problem));
    static const struct {
        const char* arguments;
        int volumes, kept;
        uint32_t id;
    } cases[] = {
        {"--boxes cli_cull.npy --frustum camera", 3, 1, 0},
        {"--boxes cli_cull.npy --against cli_against.npy", 3, 1, 0},
        {"--boxes cli_cull.npy --against cli_against.npy --frustum camera", 3, 1, 0},
        {"--spheres cli_spheres.npy --against cli_against.npy --image cli_cull.png", 2, 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "cull %s --backend cpu --json --shadow --out cli_ids.npy",
                 cases[i].arguments);
        tool_outcome o = tool_ends(arguments, 0);
        cJSON* json = tool_json(arguments, &o);
        assert_string_equal(json_text(json, "command"), "cull");
        assert_string_equal(json_text(json, "shadow"), "equal");
        assert_true(json_number(json, "count") == cases[i].volumes && json_number(json, "volumes") == cases[i].volumes);
        assert_true(json_number(json, "kept") == cases[i].kept && json_number(json, "results") == cases[i].kept);
        tact_npy_table table;
        assert_true(tact_npy_read("cli_ids.npy", TACT_NPY_UINT32, 0, &table, &problem));
        assert_int_equal(table.rows, cases[i].kept);
        assert_int_equal(*(const uint32_t*)table.data, cases[i].id);
        assert_string_equal(tact_digest_of(table.data, 4 * (size_t)cases[i].kept).text, json_text(json, "digest"));
        free(table.data);
    }
    char* png = tool_text("cli_cull.png");
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    char digest[32] = "";
    static const char* const backends[] = {"cpu", "gl", "cl", "reference"};
    for (int i = 0; i < 4; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "cull --random 5000 --frustum camera --json --backend %s", backends[i]);
        tool_outcome o = tool_run(arguments);
        if (!tool_misses(&o)) {
            tool_expect(arguments, &o, 0);
            cJSON* json = tool_json(arguments, &o);
            if (i == 0) snprintf(digest, sizeof digest, "%s", json_text(json, "digest"));
            if (cJSON_IsTrue(cJSON_GetObjectItem(json, "exact")))
                assert_string_equal(json_text(json, "digest"), digest);
        }
    }
}

TEST(info_tells_of_every_backend)
{
    cJSON* json = tool_json_ends("info --json");
    const cJSON* devices = cJSON_GetObjectItem(json, "devices");
    const cJSON* missing = cJSON_GetObjectItem(json, "missing");
    assert_int_equal(cJSON_GetArraySize(devices) + cJSON_GetArraySize(missing), 3);
    const cJSON* device;
    cJSON_ArrayForEach(device, devices)
    {
        assert_true(strlen(json_text(device, "name")) > 0);
        assert_true(cJSON_IsBool(cJSON_GetObjectItem(device, "software")));
        assert_true(cJSON_IsObject(cJSON_GetObjectItem(device, "limits")));
        assert_true(cJSON_IsBool(cJSON_GetObjectItem(cJSON_GetObjectItem(device, "probe"), "exact")));
    }
    assert_string_equal(json_text(cJSON_GetArrayItem(devices, 0), "backend"), "cpu");
    cJSON_ArrayForEach(device, missing) assert_true(strlen(json_text(device, "reason")) > 0);
}

TEST(verify_passes_on_the_cpu)
{
    cJSON* json = tool_json_ends("verify --quick --backend cpu --json --quiet --mesh cli_cube.obj");
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "passed")));
    assert_true(json_number(json, "checks") >= 200.0);
    const cJSON* row;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "rows")) assert_string_equal(json_text(row, "status"), "equal");
    tool_outcome table = tool_ends("verify --quick --scene nothing --backend cpu --quiet", 0);
    assert_non_null(strstr(table.out, "passed"));
}

static cJSON* mesh_json(const char* arguments)
{
    tool_outcome o = tool_ends(arguments, 0);
    assert_string_equal(o.err, "");
    cJSON* json = tool_json(arguments, &o);
    assert_string_equal(json_text(json, "command"), "mesh");
    return json;
}

TEST(mesh_tells_what_a_mesh_is)
{
    cJSON* json = mesh_json("mesh cli_cube.obj --json");
    assert_true(json_truth(json, "closed") && json_truth(json, "manifold") && json_truth(json, "oriented") &&
                json_truth(json, "convex"));
    assert_true(json_number(json, "triangles") == 12.0 && json_number(json, "vertices") >= 8.0);
    assert_true(json_number(json, "welded_vertices") == 8.0 && json_number(json, "edges") == 18.0 &&
                json_number(json, "euler") == 2.0);
    assert_true(json_number(json, "components") == 1.0);
    assert_true(json_number(json, "degenerate") == 0.0 && json_number(json, "duplicate") == 0.0);
    assert_true(json_number(json, "volume") == 1.0 && json_number(json, "area") == 6.0);
    assert_true(json_number(cJSON_GetObjectItem(json, "time_ms"), "total") >= 0.0);
    tool_outcome o = tool_ends("mesh cli_cube.obj", 0);
    assert_non_null(strstr(o.out, "convex     yes"));
    assert_non_null(strstr(o.out, "volume     1\n"));
}

/// A cube with a side turned, a triangle twice, one of zero area with two corners at one place, and a vertex of no use.
TEST(mesh_repairs_what_can_be_repaired)
{
    static const char broken[] =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 9 9 9\nv 0 0 0\n"
        "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 8 5 1 4\nf 5 6 7\nf 1 10 3\n";
    write_file("cli_broken.obj", broken, sizeof broken - 1);
    cJSON* json = mesh_json("mesh --json cli_broken.obj --repair cli_fixed.obj");
    assert_true(!json_truth(json, "manifold") && !json_truth(json, "oriented") && !json_truth(json, "convex") &&
                !json_truth(json, "closed"));
    assert_true(json_number(json, "duplicate") == 1.0 && json_number(json, "degenerate") == 1.0);
    const cJSON* after = cJSON_GetObjectItem(json, "repaired");
    assert_string_equal(json_text(after, "file"), "cli_fixed.obj");
    assert_true(json_truth(after, "convex") && json_truth(after, "manifold"));
    assert_true(json_number(after, "flipped") == 2.0 && json_number(after, "vertices") == 8.0);
    json = mesh_json("mesh cli_fixed.obj --json");
    assert_true(json_truth(json, "convex") && json_number(json, "triangles") == 12.0);
    tool_outcome o = tool_ends("mesh cli_broken.obj --repair cli_fixed.obj", 0);
    assert_non_null(strstr(o.out, "closed     no: "));
    assert_non_null(strstr(o.out, "cli_fixed.obj, 2 triangles turned, 2 triangles removed:"));
    assert_non_null(strstr(o.out, "1 repeated"));
}

/// A cube without a lid, of which one corner is off where a side has it; a side has a corner in its middle.
TEST(mesh_welds_and_fills_what_is_broken)
{
    static const char broken[] =
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 0.5 0 0\nv 1 1.0009 0\n"
        "f 1 4 3\nf 1 3 9\nf 9 3 2\nf 1 2 6 5\nf 2 10 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    write_file("cli_open.obj", broken, sizeof broken - 1);
    cJSON* json = mesh_json("mesh --json cli_open.obj --repair cli_shut.obj --weld 1e-3");
    assert_true(!json_truth(json, "closed"));
    const cJSON* after = cJSON_GetObjectItem(json, "repaired");
    assert_true(json_truth(after, "closed") && json_truth(after, "manifold") && json_truth(after, "oriented"));
    assert_true(json_number(after, "joined_vertices") == 1.0 && json_number(after, "filled_holes") == 1.0);
    assert_true(json_number(after, "split_sides") == 1.0 && json_number(after, "hole_triangles") == 2.0);
    const double move = json_number(after, "largest_move");
    assert_true(move > 0.0008 && move < 0.001 && json_number(after, "holes_left") == 0.0);
    json = mesh_json("mesh cli_shut.obj --json");
    assert_true(json_truth(json, "convex") && json_number(json, "triangles") == 14.0);
    assert_true(json_number(json, "volume") == 1.0);
    // One triangle cannot be closed; a warning says so.
    static const char lone[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    write_file("cli_lone.obj", lone, sizeof lone - 1);
    tool_outcome o = tool_ends("mesh cli_lone.obj --repair cli_shut.obj", 0);
    assert_non_null(strstr(o.out, "1 holes left"));
    assert_non_null(strstr(o.err, "warning: cli_shut.obj is not closed"));
    o = tool_ends("mesh cli_lone.obj --weld 1", 2);
    assert_non_null(strstr(o.err, "--weld needs --repair"));
    o = tool_ends("mesh cli_lone.obj --repair cli_shut.obj --weld -1", 2);
    assert_non_null(strstr(o.err, "--weld -1: must be a number from 0 on"));
}

TEST(mesh_shows_where_it_passes_through_itself)
{
    // Two triangles that cross, and one that shares a corner with the first.
    static const char crossed[] =
        "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0.5 0.5 -1\nv 0.5 0.5 1\nv 3 3 0\nv 0 -1 0\nv -1 0 0\n"
        "f 1 2 3\nf 4 5 6\nf 1 7 8\n";
    write_file("cli_crossed.obj", crossed, sizeof crossed - 1);
    cJSON* json = mesh_json("mesh --json cli_crossed.obj --crossings");
    assert_true(json_number(json, "crossings") == 1.0);
    const cJSON* pair = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "first_crossings"), 0);
    assert_true(json_number(pair, "a") == 0.0 && json_number(pair, "b") == 1.0);
    const tool_outcome o = tool_ends("mesh cli_crossed.obj --crossings", 0);
    assert_non_null(strstr(o.out, "crossings  1: 0/1\n"));
    assert_null(strstr(tool_ends("mesh cli_crossed.obj", 0).out, "crossings"));
}

/// An L of two boxes.
TEST(mesh_is_taken_apart_into_a_body)
{
    static const char bent[] =
        "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 1 1 1\nv 1 2 1\nv 0 2 1\n"
        "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\nf "
        "6 1 7 12\n";
    write_file("cli_bent.obj", bent, sizeof bent - 1);
    cJSON* json = mesh_json("mesh --json cli_bent.obj --repair cli_whole.obj --decompose 8 cli_parts");
    const cJSON* to = cJSON_GetObjectItem(json, "decomposed");
    assert_true(json_number(to, "volume") == 3.0 && json_number(to, "hull_volume") == 3.0);
    assert_true(json_number(to, "cuts") == 1.0 && cJSON_GetArraySize(cJSON_GetObjectItem(to, "parts")) == 2);
    const cJSON* first = cJSON_GetArrayItem(cJSON_GetObjectItem(to, "parts"), 0);
    assert_string_equal(json_text(first, "file"), "cli_parts/part-0001.obj");
    json = mesh_json("mesh --json cli_parts/part-0001.obj");
    assert_true(json_truth(json, "convex") && json_number(json, "volume") == 1.5);
    tool_outcome o = tool_ends("contacts --bodies cli_parts/bodies.json", 0);
    assert_non_null(strstr(o.out, "3 shapes"));
    // Fewer would leave a part that is none of theirs.
    o = tool_ends("mesh cli_bent.obj --decompose 1 cli_parts", 2);
    assert_non_null(strstr(o.err, "cli_parts/part-0002.obj is there, of other parts"));
    o = tool_ends("mesh cli_bent.obj --decompose 2 cli_parts", 0);
    assert_non_null(strstr(o.out, "parts      2 in cli_parts, 3 of volume for 3 of the mesh (0 % more), by 1 cuts"));
    o = tool_ends("mesh cli_bent.obj --decompose 2", 2);
    assert_non_null(strstr(o.err, "--decompose: a value is missing (N DIR)"));
    o = tool_ends("mesh cli_bent.obj --decompose 0 cli_parts", 2);
    assert_non_null(strstr(o.err, "--decompose 0: must be a whole number from 1 to 1024"));
    static const char open[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    write_file("cli_open.obj", open, sizeof open - 1);
    o = tool_ends("mesh cli_open.obj --decompose 2 cli_parts", 2);
    assert_non_null(strstr(o.err, "is open"));
}

TEST(bench_geometry_finds_batches_equal_to_single_shapes)
{
    const char* arguments = "bench geometry --quick --peers --json --quiet --passes 1 --out cli_bench/geometry";
    cJSON* json = tool_json_ends(arguments);
    const cJSON* row;
    cJSON_ArrayForEach(row, json_rows(json, 16))
    {
        const double yes = cJSON_GetObjectItem(row, "results")->valuedouble;
        // Searches find as many as there are, pairs are a few thousand.
        static const char* const searches[] = {"volumes:", "points:", "cells:", "portals:"};
        bool pairs = true;
        for (int i = 0; i < 4; ++i)
            pairs = pairs && strncmp(json_text(row, "test"), searches[i], strlen(searches[i])) != 0;
        assert_true(pairs ? yes > 400.0 && yes < 3700.0 : yes > 200.0);
        if (!cJSON_IsTrue(cJSON_GetObjectItem(row, "peer"))) assert_string_equal(json_text(row, "result"), "equal");
    }
    char* csv = tool_text("cli_bench/geometry/bench.csv");
    assert_memory_equal(csv, "test,variant,ns,", 16);
    arguments = "bench geometry --quick --quiet --repeat 1 --only AABB,";
    tool_outcome table = tool_ends(arguments, 0);
    assert_non_null(strstr(table.out, "moving AABB, AABB"));
    assert_null(strstr(table.out, "OBB"));
}

TEST(bench_overlap_counts_what_all_agree_on)
{
    cJSON* json = tool_json_ends("bench overlap --quick --peers --json --quiet --poses 20 --out cli_bench/overlap");
    const cJSON* row;
    cJSON_ArrayForEach(row, json_rows(json, 3))
    {
        assert_true(cJSON_GetObjectItem(row, "results")->valuedouble > 0.0);
        if (!cJSON_IsTrue(cJSON_GetObjectItem(row, "peer"))) assert_string_equal(json_text(row, "result"), "equal");
    }
    char* csv = tool_text("cli_bench/overlap/bench.csv");
    assert_memory_equal(csv, "query,by,us a pose,", 19);
}

TEST(bench_separation_agrees_with_itself)
{
    cJSON* json =
        tool_json_ends("bench separation --quick --peers --json --quiet --poses 10 --out cli_bench/separation");
    const cJSON* row;
    cJSON_ArrayForEach(row, json_rows(json, 6))
    {
        assert_true(cJSON_GetObjectItem(row, "poses_differing")->valuedouble == 0.0);
    }
    char* csv = tool_text("cli_bench/separation/bench.csv");
    assert_memory_equal(csv, "poses,by,us a pose,", 19);
}

TEST(bench_solids_finds_as_much_in_each_way)
{
    cJSON* json = tool_json_ends("bench solids --quick --json --quiet --out cli_bench/solids");
    double points[2] = {0.0, 0.0}, rays[2] = {0.0, 0.0};
    int point_rows = 0, ray_rows = 0;
    const cJSON* row;
    cJSON_ArrayForEach(row, json_rows(json, 21))
    {
        assert_string_equal(json_text(row, "result"), "ok");
        const double found = json_number(row, "found");
        if (strcmp(json_text(row, "question"), "where points are") == 0) points[point_rows++] = found;
        if (strcmp(json_text(row, "question"), "first hits of rays") == 0) rays[ray_rows++] = found;
    }
    assert_true(points[0] > 4000.0 && points[0] == points[1] && rays[0] > 4000.0 && rays[0] == rays[1]);
    char* csv = tool_text("cli_bench/solids/bench.csv");
    assert_memory_equal(csv, "question,by,items,each,ns each,", 31);
}

TEST(bench_contacts_agrees_with_itself_and_with_peers)
{
    cJSON* json = tool_json_ends(
        "bench contacts --quick --peers --json --quiet --repeat 1 --pairs 64 --bodies 300 --out "
        "cli_bench/contacts");
    const cJSON* row;
    cJSON_ArrayForEach(row, json_rows(json, 30))
    {
        const bool apart = strcmp(json_text(row, "state"), "apart") == 0,
                   pairs = cJSON_HasObjectItem(row, "points_each");
        if (!json_truth(row, "peer")) {
            assert_string_equal(json_text(row, "result"), "equal");
            if (pairs) assert_true(json_number(row, "touching") == (apart ? 0.0 : 64.0));
        } else if (strstr(json_text(row, "by"), "FCL") || strstr(json_text(row, "by"), "libccd")) {
            // These have the same shapes; Bullet's have round edges.
            assert_true(json_number(row, "differing") == 0.0);
        }
    }
    char* csv = tool_text("cli_bench/contacts/bench.csv");
    assert_memory_equal(csv, "what,lie,count,by,", 18);
}

TEST(a_full_disk_is_no_success)
{
    FILE* full = fopen("/dev/full", "w");
    if (!full) skip_because("no /dev/full");
    fclose(full);
    FILE* pipe = popen("'" TACT_PROGRAM "' --help >/dev/full 2>cli_err.txt", "r");
    assert_non_null(pipe);
    const int status = pclose(pipe);
    assert_int_equal(WEXITSTATUS(status), 2);
}

/// What calibrate has kept, as entries of its JSON.
static int calibrated_entries(const char* arguments)
{
    cJSON* json = tool_json_ends(arguments);
    assert_string_equal(json_text(json, "command"), "calibrate");
    const int count = cJSON_GetArraySize(cJSON_GetObjectItem(json, "entries"));
    return count;
}

/// One entry for each sample of a row, but for those that are there for regret alone, and for ways that devices have
/// beside those of all.
static int calibrated_samples(void)
{
    int count = 0;
    const tact_query* query;
    for (size_t i = 0; i < tact_query_sample_count(); ++i) {
        const tact_query_sample* of = tact_query_sample_of(i, &query);
        const bool of_devices = of->method && (strstr(of->method, "drawn") || strcmp(of->method, "images") == 0);
        count += !of->regret_only && !of_devices;
    }
    return count;
}

TEST(calibrate_keeps_shows_and_forgets)
{
    const char* cache = getenv("TACT_CACHE_DIR");
    char before[1024];
    snprintf(before, sizeof before, "%s", cache ? cache : "");
    assert_int_equal(setenv("TACT_CACHE_DIR", "cli_cache", 1), 0);
    assert_int_equal(calibrated_entries("calibrate --forget --backend cpu --json"), 0);
    assert_int_equal(calibrated_entries("calibrate --show --backend cpu --json"), 0);
    assert_int_equal(calibrated_entries("calibrate --seconds 1 --backend cpu --json --quiet"), calibrated_samples());
    assert_int_equal(calibrated_entries("calibrate --show --backend cpu --json"), calibrated_samples());
    tool_outcome o = tool_ends("calibrate --show --backend cpu", 0);
    assert_non_null(strstr(o.out, "casting rays/closest"));
    const char* cast = "raycast --mesh cli_cube.obj --rays random:50 --backend cpu --explain";
    o = tool_ends(cast, 0);
    assert_non_null(strstr(o.out, "explained: casting rays, closest, asked of cpu"));
    assert_non_null(strstr(o.out, "calibrated 20"));
    assert_int_equal(calibrated_entries("calibrate --forget --backend cpu --json"), 0);
    if (cache) {
        setenv("TACT_CACHE_DIR", before, 1);
    } else {
        unsetenv("TACT_CACHE_DIR");
    }
}

TEST(explain_is_told_of_every_query)
{
    static const char* const runs[] = {
        "raycast --mesh cli_cube.obj --rays random:50 --json --explain",
        "closest --mesh cli_cube.obj --points random:50 --json --explain",
        "spherecast --mesh cli_cube.obj --rays random:50 --radius 0.1 --json --explain",
        "overlap cli_cube.obj cli_cube.obj --json --explain",
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i) {
        cJSON* json = tool_json_ends(runs[i]);
        const cJSON* explain = cJSON_GetObjectItem(json, "explain");
        assert_non_null(explain);
        assert_string_equal(json_text(explain, "asked"), "auto");
        assert_string_equal(json_text(explain, "answered"), json_text(json, "backend"));
        const cJSON* candidates = cJSON_GetObjectItem(explain, "candidates");
        assert_int_equal(cJSON_GetArraySize(candidates), 3);
        int answered = 0;
        const cJSON* c;
        cJSON_ArrayForEach(c, candidates)
        {
            const char* fate = json_text(c, "fate");
            answered += strcmp(fate, "answered") == 0;
            if (strcmp(fate, "missing") == 0 || strcmp(fate, "lost") == 0) continue;
            const cJSON* ms = cJSON_GetObjectItem(c, "expected_ms");
            const double sum = json_number(ms, "fixed") + json_number(ms, "prepare") + json_number(ms, "work") +
                               json_number(ms, "upload") + json_number(ms, "download");
            // Each is rounded to six digits.
            assert_true(fabs(sum - json_number(ms, "total")) <= 5e-6 * sum && sum > 0.0);
            assert_true(json_text(c, "why")[0] != '\0');
        }
        assert_int_equal(answered, 1);
    }
    // What the last run took of a device: rays up, hits down.
    cJSON* json = tool_json_of("raycast --mesh cli_cube.obj --rays random:50 --backend gl --repeat 2 --json --explain");
    size_t counted = 0;
    const cJSON* c;
    cJSON_ArrayForEach(c, cJSON_GetObjectItem(cJSON_GetObjectItem(json, "explain"), "candidates"))
    {
        const cJSON* counts = cJSON_GetObjectItem(c, "counts");
        if (!counts) continue;
        assert_string_equal(json_text(c, "backend"), "gl");
        assert_true(json_number(counts, "bytes_up") == 50.0 * sizeof(tact_ray));
        assert_true(json_number(counts, "waits") == 1.0);
        ++counted;
    }
    assert_true(!json || counted == 1);
}

#include TEST_LIST
RUN_ALL(make_files, NULL)
