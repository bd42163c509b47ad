// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact overlap` and `tact filter` as scripts see them.

#define _POSIX_C_SOURCE 200809L

#include "tests/support/run.h"

#include "apps/inputs/filter_input.h"
#include "apps/inputs/mesh_file.h"
#include "apps/inputs/npy.h"
#include "apps/inputs/poses.h"
#include "apps/pictures/pictures.h"
#include "apps/system.h"
#include "apps/timing.h"
#include "tact/geometry/mesh_report.h"
#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/temporary.h"
#include "tests/support/tool.h"

const char tool_prefix[] = "clio";

enum { POSES = 4 };

/// Half over a corner, far off, a quarter as large and inside, and the cube itself.
static const float poses[POSES][16] = {{1, 0, 0, 0.5f, 0, 1, 0, 0.25f, 0, 0, 1, 0.125f, 0, 0, 0, 1},
                                       {1, 0, 0, 9, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1},
                                       {0.25f, 0, 0, 0.375f, 0, 0.25f, 0, 0.375f, 0, 0, 0.25f, 0.375f, 0, 0, 0, 1},
                                       {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
static const char* const relations[POSES] = {"intersect", "apart", "b-inside", "intersect"};

static int make_files(void** state)
{
    double wide[POSES][16], bad[POSES][16];
    for (int i = 0; i < POSES * 16; ++i)
        wide[i / 16][i % 16] = (double)poses[i / 16][i % 16];
    write_file("clio_cube.obj", tool_cube, strlen(tool_cube));
    write_array("clio_poses.npy", "<f4", "(4, 4, 4)", poses, sizeof poses);
    write_array("clio_wide.npy", "<f8", "(4, 4, 4)", wide, sizeof wide);
    write_array("clio_one.npy", "<f4", "(4, 4)", poses, sizeof *poses);
    write_array("clio_none.npy", "<f4", "(0, 4, 4)", poses, 0);
    write_array("clio_flat.npy", "<f4", "(4, 16)", poses, sizeof poses);
    write_array("clio_whole.npy", "<u4", "(4, 4, 4)", poses, sizeof poses);
    memcpy(bad, wide, sizeof bad);
    bad[2][13] = 0.5;
    write_array("clio_row.npy", "<f8", "(4, 4, 4)", bad, sizeof bad);
    bad[1][6] = (double)NAN;
    write_array("clio_nan.npy", "<f8", "(4, 4, 4)", bad, sizeof bad);
    bad[1][6] = 1e300;
    write_array("clio_large.npy", "<f8", "(4, 4, 4)", bad, sizeof bad);
    static const char open[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";
    write_file("clio_open.obj", open, sizeof open - 1);
    // Further off than the library takes.
    static const char far[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1e30\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    write_file("clio_far.obj", far, sizeof far - 1);
    // Three groups: two tetrahedra that meet and one far off.
    static const char groups[] =
        "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        "o two\nv 0.1 0.1 0.1\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n"
        "o far\nv 9 9 9\nv 10 9 9\nv 9 10 9\nf 9 10 11\n";
    write_file("clio_groups.obj", groups, sizeof groups - 1);
    // Two cubes with an edge in common.
    char joined[1024];
    snprintf(joined, sizeof joined,
             "%sv 2 1 0\nv 2 2 0\nv 1 2 0\nv 2 1 1\nv 2 2 1\nv 1 2 1\n"
             "f 3 11 10 9\nf 7 12 13 14\nf 3 9 12 7\nf 9 10 13 12\nf 10 11 14 13\nf 11 3 7 14\n",
             tool_cube);
    write_file("clio_joined.obj", joined, strlen(joined));
    return 0;
}

TEST(wrong_use_ends_with_2_and_one_line)
{
    static const struct {
        const char *arguments, *says;
    } cases[] = {
        {"overlap", "two files are needed, A and B, not 0"},
        {"overlap clio_cube.obj", "not 1"},
        {"overlap clio_cube.obj clio_cube.obj clio_cube.obj", "not 3"},
        {"overlap clio_cube.obj 'no such.obj'", "no such.obj: cannot be read"},
        {"overlap clio_cube.obj clio_cube.obj --pose clio_poses.npy --random 3", "one of them, not both"},
        {"overlap clio_cube.obj clio_cube.obj --pose 'no such.npy'", "no such.npy: cannot be read"},
        {"overlap clio_cube.obj clio_cube.obj --pose clio_cube.obj", "clio_cube.obj: byte 0"},
        {"overlap clio_cube.obj clio_cube.obj --pose clio_flat.npy",
         "clio_flat.npy: byte 8: the array's shape is (4, 16)"},
        {"overlap clio_cube.obj clio_cube.obj --pose clio_whole.npy", "clio_whole.npy: byte 8: poses are float32"},
        {"overlap clio_cube.obj clio_cube.obj --pose clio_row.npy", "clio_row.npy: pose 2, row 3: must be 0 0 0 1"},
        {"overlap clio_cube.obj clio_cube.obj --pose clio_nan.npy", "clio_nan.npy: pose 1, row 1, column 2"},
        {"overlap clio_cube.obj clio_cube.obj --pose clio_large.npy", "clio_large.npy: pose 1, row 1, column 2"},
        {"overlap clio_cube.obj clio_cube.obj --method quick", "exact, image-convex, image-concave"},
        {"overlap clio_cube.obj clio_cube.obj --measure query", "needs --method image"},
        {"overlap clio_cube.obj clio_cube.obj --make drawn", "needs --method image"},
        {"overlap clio_cube.obj clio_cube.obj --measure stencil", "--measure stencil: needs --method image"},
        {"overlap clio_cube.obj clio_cube.obj --method image-convex --measure stencil", "needs --method image-concave"},
        {"overlap clio_cube.obj clio_cube.obj --method image-concave --measure stencil --make computed",
         "--make computed: not with --measure stencil"},
        {"overlap clio_cube.obj clio_cube.obj --method image-concave --measure stencil --image x.png",
         "--image x.png: not with --measure stencil"},
        {"overlap clio_cube.obj clio_cube.obj --method image-concave --measure stencil --shadow",
         "--shadow: not with --measure stencil"},
        {"overlap clio_cube.obj clio_cube.obj --resolution 64", "needs --method image"},
        {"overlap clio_cube.obj clio_cube.obj --unchecked", "needs --method image"},
        {"overlap clio_cube.obj clio_cube.obj --image x.png", "--image x.png: needs --method image"},
        {"overlap clio_cube.obj clio_cube.obj --random 0", "--random 0"},
        {"overlap clio_cube.obj clio_cube.obj --expect 12", "16 hexadecimal digits"},
        {"overlap clio_cube.obj clio_cube.obj --backend cpu --contacts 'no such/x.npy'", "no such/x.npy: cannot be"},
        {"overlap clio_cube.obj clio_cube.obj --method image-convex --contacts x.npy", "needs --method exact"},
        {"overlap clio_cube.obj clio_cube.obj --method image-convex --resolution 3", "--resolution 3"},
        {"overlap clio_cube.obj clio_open.obj --method image-convex", "clio_open.obj: it is open: 3 edges of one"},
        {"overlap clio_open.obj clio_cube.obj --method image-concave", "clio_open.obj: it is open"},
        {"overlap clio_open.obj clio_cube.obj --method image-concave", "--method exact takes it"},
        {"overlap clio_far.obj clio_cube.obj --method image-convex --unchecked", "is not finite, or too large"},
        {"overlap clio_cube.obj clio_far.obj --method image-concave", "clio_far.obj: vertex "},
        {"overlap clio_joined.obj clio_cube.obj --method image-concave", "clio_joined.obj: it is not manifold"},
        {"overlap clio_joined.obj clio_cube.obj --method image-convex", "clio_joined.obj: it is not manifold"},
        {"overlap clio_cube.obj clio_cube.obj --method image-convex --pose clio_none.npy --image x.png", "no pose"},
        {"bench image --repeat 1002", "--repeat 1002: at most 1001 rounds"},
        {"filter", "a FILE or --random-scene N is needed"},
        {"filter --random-scene 0", "--random-scene 0"},
        {"filter --random-scene 5 --frames 2 --repeat 2", "--repeat 2: not with --frames"},
        {"filter 'no such.obj'", "no such.obj: cannot be read"},
        {"filter --random-scene 5 --reliable --fast", "--reliable: not with --fast"},
        {"filter --random-scene 5 --images never --fast", "--images never: not with --fast"},
        {"filter --random-scene 5 --images never --reliable", "--images never: not with --reliable"},
        {"filter --random-scene 5 --images some", "--images some"},
        {"filter --random-scene 5 --fast --shadow", "--shadow: not with --fast"},
        {"filter --random-scene 5 --expect 12", "16 hexadecimal digits"},
        {"filter --random-scene 5 --backend cpu --pairs 'no such/x.npy'", "no such/x.npy: cannot be"},
        {"filter --random-scene 5 --backend cpu --image 'no such/x.png'", "no such/x.png"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        tool_refuses(cases[i].arguments, cases[i].says);
}

static void expect_common_keys(const cJSON* json, const char* command)
{
    assert_string_equal(json_text(json, "command"), command);
    assert_true(strlen(json_text(json, "backend")) > 0);
    (void)json_text(json, "device");
    (void)json_truth(json, "software");
    (void)json_text(json, "reason");
    assert_int_equal(strlen(json_text(json, "digest")), 16);
    assert_true(json_number(json, "count") >= 0.0 && json_number(json, "results") >= 0.0);
    assert_true(json_number(json, "threads") >= 0.0 && json_number(json, "memory_bytes") >= 0.0);
    const cJSON* times = cJSON_GetObjectItem(json, "time_ms");
    static const char* const keys[] = {"build", "upload", "query", "download", "total"};
    for (int k = 0; k < 5; ++k)
        assert_true(json_number(times, keys[k]) >= 0.0);
}

TEST(overlap_tells_of_each_pose)
{
    cJSON* json = tool_json_of("overlap clio_cube.obj clio_cube.obj --pose clio_poses.npy --backend cpu --threads 1");
    assert_non_null(json);
    expect_common_keys(json, "overlap");
    assert_true(json_truth(json, "exact"));
    assert_true(json_number(json, "count") == POSES && json_number(json, "threads") == 1.0);
    assert_true(json_number(json, "overlapping") == 3.0);
    const cJSON* list = cJSON_GetObjectItem(json, "poses");
    assert_int_equal(cJSON_GetArraySize(list), POSES);
    double pairs = 0.0;
    for (int i = 0; i < POSES; ++i) {
        const cJSON* pose = cJSON_GetArrayItem(list, i);
        assert_string_equal(json_text(pose, "relation"), relations[i]);
        assert_true(json_truth(pose, "overlap") == (i != 1));
        assert_true((json_number(pose, "pairs") > 0.0) == (i == 0 || i == 3));
        pairs += json_number(pose, "pairs");
    }
    assert_true(pairs == json_number(json, "results") && pairs == json_number(json, "pairs"));
    // The poses are the same in double precision; one alone, and none, are poses too.
    cJSON* wide = tool_json_of("overlap clio_cube.obj clio_cube.obj --pose clio_wide.npy --shadow");
    assert_string_equal(json_text(wide, "digest"), json_text(json, "digest"));
    assert_string_equal(json_text(wide, "shadow"), "equal");
    cJSON* one = tool_json_of("overlap clio_cube.obj clio_cube.obj --pose clio_one.npy");
    assert_true(json_number(one, "count") == 1.0);
    assert_true(json_number(one, "results") == json_number(cJSON_GetArrayItem(list, 0), "pairs"));
    cJSON* none = tool_json_of("overlap clio_cube.obj clio_cube.obj --pose clio_none.npy --repeat 2");
    assert_true(json_number(none, "count") == 0.0 && json_number(none, "results") == 0.0);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(none, "poses")), 0);
}

TEST(contacts_are_the_librarys)
{
    cJSON* json =
        tool_json_of("overlap clio_cube.obj clio_groups.obj --pose clio_poses.npy --contacts clio_contacts.npy");
    tact_npy_table table;
    tact_problem problem = {0};
    assert_true(tact_npy_read("clio_contacts.npy", TACT_NPY_UINT32, 3, &table, &problem));
    assert_string_equal(tact_digest_of(table.data, (size_t)table.rows * 12).text, json_text(json, "digest"));

    const char* const files[2] = {"clio_cube.obj", "clio_groups.obj"};
    const tact_context_desc none = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* context = KEEP(new_context(&none));
    tact_mesh* meshes[2];
    for (int i = 0; i < 2; ++i) {
        tact_model_mesh m;
        assert_true(tact_mesh_file_read(files[i], &m, &problem));
        const tact_mesh_desc desc = tact_model_mesh_desc(&m);
        assert_int_equal(tact_mesh_create(context, &desc, &meshes[i]), TACT_OK);
        tact_model_mesh_free(&m);
    }
    float at[POSES][12];
    for (int i = 0; i < POSES; ++i)
        memcpy(at[i], poses[i], sizeof at[i]);
    tact_mesh_pair pairs[512];
    size_t count = 0;
    assert_int_equal(
        call_mesh_overlap_pairs(meshes[0], meshes[1], (const float(*)[12])at, POSES, pairs, 512, &count, NULL, NULL),
        TACT_OK);
    assert_true(count > 10);
    assert_int_equal(table.rows, count);
    assert_memory_equal(table.data, pairs, count * sizeof *pairs);
    for (int i = 0; i < 2; ++i)
        tact_mesh_destroy(meshes[i]);
    free(table.data);
}

TEST(every_backend_gives_one_digest)
{
    tool_one_digest("overlap clio_cube.obj clio_groups.obj --random 200 --seed 5", "");
    tool_one_digest("filter clio_groups.obj", "");
    tool_one_digest("filter --random-scene 60 --seed 4 --reliable", "");
}

static void expect_png(const char* path, size_t least)
{
    void* bytes = NULL;
    size_t size = 0;
    tact_problem problem = {0};
    assert_true(tact_file_read(path, &bytes, &size, &problem));
    assert_true(size >= least);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    free(bytes);
}

/// What every image method says of the poses: all but the second overlap. False without OpenGL.
static bool expect_images(const char* method, const char* backend)
{
    for (int readback = 0; readback < 2; ++readback) {
        char arguments[512];
        snprintf(arguments, sizeof arguments,
                 "overlap clio_cube.obj clio_cube.obj --pose clio_poses.npy --method %s --measure %s --resolution 32 "
                 "--image clio_%s.png --backend %s",
                 method, readback ? "readback" : "query", method, backend);
        cJSON* json = tool_json_of(arguments);
        if (!json) {
            print_message("%s: no OpenGL\n", method);
            return false;
        }
        expect_common_keys(json, "overlap");
        assert_string_equal(json_text(json, "backend"), backend);
        assert_true(json_number(json, "exact") > 0.0 && json_number(json, "exact") < 1.0);
        assert_true(json_number(json, "results") == 3.0);
        static const unsigned char expected[POSES] = {1, 0, 1, 1};
        assert_string_equal(json_text(json, "digest"), tact_digest_of(expected, POSES).text);
        for (int i = 0; i < POSES; ++i) {
            const cJSON* pose = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "poses"), i);
            assert_true(json_truth(pose, "overlap") == (i != 1));
            assert_true(json_truth(pose, "drawn") == (i != 1));
            assert_true(json_number(pose, "tolerance") <= json_number(json, "exact"));
            assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(pose, "samples")), 2);
            assert_true((cJSON_GetObjectItem(pose, "penetration") != NULL) == (readback != 0));
        }
        snprintf(arguments, sizeof arguments, "clio_%s.png", method);
        expect_png(arguments, 500);
    }
    return true;
}

TEST(images_see_what_overlaps)
{
    assert_true(expect_images("image-convex", "cpu") && expect_images("image-concave", "cpu"));
    if (!expect_images("image-convex", "gl")) skip_because("the device is missing");
    // An open one, on the caller's word.
    cJSON* json = tool_json_of("overlap clio_cube.obj clio_open.obj --method image-convex --unchecked");
    assert_non_null(json);
    assert_true(json_truth(cJSON_GetArrayItem(cJSON_GetObjectItem(json, "poses"), 0), "drawn"));
    assert_true(expect_images("image-concave", "gl"));
}

/// Of the stencil method everything says that it is approximate.
TEST(stencils_are_labelled)
{
    static const char arguments[] =
        "overlap clio_cube.obj clio_cube.obj --pose clio_poses.npy --method image-concave --measure stencil";
    char more[256];
    snprintf(more, sizeof more, "%s --explain", arguments);
    cJSON* json = tool_json_of(more);
    if (!json) skip_because("the device is missing");
    assert_string_equal(json_text(json, "backend"), "gl");
    assert_string_equal(json_text(json, "measure"), "stencil");
    assert_true(json_truth(json, "approximate"));
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "exact")));
    assert_non_null(strstr(json_text(json, "reason"), "approximate"));
    assert_non_null(strstr(json_text(cJSON_GetObjectItem(json, "explain"), "method"), "approximate"));
    for (int i = 0; i < POSES; ++i) {
        const cJSON* pose = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "poses"), i);
        assert_true(json_truth(pose, "overlap") == (i != 1));
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(pose, "tolerance")) == (i != 1));
        assert_null(cJSON_GetObjectItem(pose, "penetration"));
    }
    json = tool_json_of("overlap clio_cube.obj clio_cube.obj --pose clio_poses.npy --method image-concave");
    assert_false(json_truth(json, "approximate"));
    const tool_outcome o = tool_ends(more, 0);
    assert_non_null(strstr(o.out, "method  image-concave by stencil, approximate\n"));
    assert_non_null(strstr(o.out, "overlap  approximate, samples"));
    assert_non_null(strstr(o.out, ", approximate\ntime"));
    assert_non_null(strstr(o.out, "concave stencil (approximate), asked of gl"));
    snprintf(more, sizeof more, "%s --backend cpu", arguments);
    assert_non_null(strstr(tool_ends(more, 3).err, "cpu was selected, but OpenGL alone has the stencil method"));
}

TEST(without_opengl_images_end_with_3)
{
    // The loader of EGL's vendors then finds none; where there is no such loader, nothing can be shown.
    char before[1024] = "";
    const char* set = getenv("__EGL_VENDOR_LIBRARY_FILENAMES");
    if (set) snprintf(before, sizeof before, "%s", set);
    assert_int_equal(setenv("__EGL_VENDOR_LIBRARY_FILENAMES", "/dev/null", 1), 0);
    tool_outcome o = tool_run("overlap clio_cube.obj clio_cube.obj --method image-convex");
    tool_outcome forced = tool_run("overlap clio_cube.obj clio_cube.obj --method image-concave --backend gl");
    unsetenv("__EGL_VENDOR_LIBRARY_FILENAMES");
    if (before[0]) setenv("__EGL_VENDOR_LIBRARY_FILENAMES", before, 1);
    assert_int_equal(o.code, 0);
    if (forced.code == 0) skip_because("the device is there after all");
    assert_non_null(strstr(forced.err, "no gl device here"));
    assert_int_equal(forced.code, 3);
}

TEST(text_has_a_line_for_each_pose)
{
    const char* arguments = "overlap clio_cube.obj clio_cube.obj --random 30 --backend cpu";
    tool_outcome o = tool_ends(arguments, 0);
    assert_non_null(strstr(o.out, "and 10 more"));
    assert_non_null(strstr(o.out, "poses   30 (random:30)"));
    // The same poses for the same seed, others for another.
    cJSON* json[3] = {tool_json_of("overlap clio_cube.obj clio_cube.obj --random 30 --backend cpu"),
                      tool_json_of("overlap clio_cube.obj clio_cube.obj --random 30 --backend cpu --seed 1"),
                      tool_json_of("overlap clio_cube.obj clio_cube.obj --random 30 --backend cpu --seed 2")};
    assert_string_equal(json_text(json[0], "digest"), json_text(json[1], "digest"));
    assert_string_not_equal(json_text(json[0], "digest"), json_text(json[2], "digest"));
}

// ---- The filter ----

TEST(filter_takes_parts_as_objects)
{
    cJSON* json =
        tool_json_of("filter clio_groups.obj clio_cube.obj --backend cpu --pairs clio_pairs.npy --image clio_f.png");
    expect_common_keys(json, "filter");
    assert_true(json_truth(json, "exact"));
    // Three groups and the cube, which meets the first two.
    assert_true(json_number(json, "count") == 4.0 && json_number(json, "triangles") == 21.0);
    char* pairs = cJSON_PrintUnformatted(cJSON_GetObjectItem(json, "pairs"));
    assert_string_equal(pairs, "[[0,1],[0,3],[1,3]]");
    assert_true(json_number(json, "colliding_pairs") == 3.0 && json_number(json, "colliding_objects") == 3.0);
    const cJSON* stages = cJSON_GetObjectItem(json, "stages");
    const cJSON* scene = cJSON_GetArrayItem(stages, 0);
    assert_string_equal(json_text(scene, "name"), "scene");
    assert_true(json_number(scene, "objects") == 4.0 && json_number(scene, "triangles") == 21.0);
    const cJSON* last = cJSON_GetArrayItem(stages, cJSON_GetArraySize(stages) - 1);
    assert_string_equal(json_text(last, "name"), "exact");

    tact_npy_table table;
    tact_problem problem = {0};
    assert_true(tact_npy_read("clio_pairs.npy", TACT_NPY_UINT32, 4, &table, &problem));
    assert_true((double)table.rows == json_number(json, "results") && table.rows > 3);
    assert_string_equal(tact_digest_of(table.data, (size_t)table.rows * 16).text, json_text(json, "digest"));
    const uint32_t* rows = table.data;
    for (size_t i = 0; i < table.rows; ++i)
        assert_true(rows[4 * i] < rows[4 * i + 1] && rows[4 * i + 1] != 2);
    expect_png("clio_f.png", 5000);
    free(table.data);
    free(pairs);
}

TEST(filter_moves_copies)
{
    cJSON* json = tool_json_of("filter --random-scene 1000 --frames 3 --backend cpu --reliable");
    const cJSON *frame, *frames = cJSON_GetObjectItem(json, "frames");
    assert_int_equal(cJSON_GetArraySize(frames), 3);
    cJSON_ArrayForEach(frame, frames)
    {
        const double share = json_number(frame, "colliding_objects") / 1000.0;
        if (!(share > 0.04 && share < 0.14)) fail_msg("%g of the objects collide", share);
        assert_true(json_number(frame, "colliding_pairs") * 2.0 >= json_number(frame, "colliding_objects"));
    }
    assert_string_equal(json_text(cJSON_GetArrayItem(frames, 2), "digest"), json_text(json, "digest"));
    assert_string_not_equal(json_text(cJSON_GetArrayItem(frames, 0), "digest"),
                            json_text(cJSON_GetArrayItem(frames, 1), "digest"));
    // The first frame is the scene as it is without frames.
    cJSON* still = tool_json_of("filter --random-scene 1000 --backend cpu --reliable");
    assert_string_equal(json_text(cJSON_GetArrayItem(frames, 0), "digest"), json_text(still, "digest"));
    assert_null(cJSON_GetObjectItem(still, "frames"));
    // Copies of a file's parts; on OpenGL with --fast nothing is promised.
    json = tool_json_of("filter clio_groups.obj --random-scene 30 --backend cpu");
    assert_true(json_number(json, "count") == 30.0 && json_number(json, "triangles") == 90.0);
    json = tool_json_of("filter clio_groups.obj --backend gl --fast");
    if (json) assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "exact")));
    json = tool_json_of("filter clio_groups.obj --backend gl");
    if (json) assert_true(cJSON_IsTrue(cJSON_GetObjectItem(json, "exact")));
}

// ---- What is measured and verified ----

/// Whether the stages of images are there.
static bool has_images(const cJSON* json)
{
    const cJSON* stages = cJSON_GetObjectItem(json, "stages");
    // Scene, boxes and exact are there in any case.
    return cJSON_GetArraySize(stages) > 3;
}

TEST(filter_makes_the_images_that_are_asked_for)
{
    for (int d = 0; d < 2; ++d) {
        const char* device = d ? "cl" : "gl";
        for (int never = 0; never < 2; ++never) {
            char arguments[100];
            snprintf(arguments, sizeof arguments, "filter --random-scene 60 --backend %s --images %s", device,
                     never ? "never" : "always");
            const cJSON* json = tool_json_of(arguments);
            if (json) assert_true(has_images(json) == !never);
        }
    }
}

TEST(bench_filter_keeps_to_what_is_asked)
{
    cJSON* json = tool_json_of("bench filter --quick --frames 1 --cullide 1 --most 100");
    assert_non_null(json);
    assert_string_equal(json_text(json, "command"), "bench filter");
    assert_true(json_number(json, "frames") == 1.0);
    const cJSON *row, *rows = cJSON_GetObjectItem(json, "rows");
    assert_true(cJSON_GetArraySize(rows) >= 1);
    cJSON_ArrayForEach(row, rows)
    {
        assert_true(json_number(row, "objects") == 100.0 && json_number(row, "frames") == 1.0);
        const bool drawn = strncmp(json_text(row, "by"), "CULLIDE", 7) == 0;
        if (!drawn && strcmp(json_text(row, "by"), "gl, fast") != 0) assert_true(json_number(row, "lost") == 0.0);
        if (drawn) assert_true(json_number(row, "draws") > 0.0 && json_number(row, "queries") > 0.0);
    }
}

/// Ways to see the knot's images, of which all but the stencil's tell the same.
TEST(bench_image_has_all_ways)
{
    static const char* const ways[] = {"images, cpu",  "occlusion query, gl", "drawn, gl",
                                       "computed, gl", "stencil, gl",         "computed, cl"};
    enum { WAYS = sizeof ways / sizeof *ways, RESOLUTIONS = 5 };
    cJSON* json = tool_json_of("bench image --quick --poses 2");
    assert_non_null(json);
    int seen[WAYS] = {0};
    double tolerance[RESOLUTIONS] = {0};
    const cJSON* row;
    cJSON_ArrayForEach(row, json_rows(json, 2 * RESOLUTIONS + 3))
    {
        const cJSON* resolution = cJSON_GetObjectItem(row, "resolution");
        if (!resolution || strcmp(json_text(row, "mesh"), "torus knot") != 0) continue;
        int way = 0, place = 0;
        while (way < WAYS && strcmp(json_text(row, "by"), ways[way]) != 0)
            ++way;
        assert_int_not_equal(way, WAYS);
        ++seen[way];
        const bool stencil = strcmp(ways[way], "stencil, gl") == 0;
        const cJSON* told = cJSON_GetObjectItem(row, "tolerance_per_radius");
        assert_int_equal(json_truth(row, "approximate"), stencil);
        assert_int_equal(!told, stencil);
        if (stencil) continue;
        while (16 << place < resolution->valueint)
            ++place;
        if (tolerance[place] == 0.0) tolerance[place] = told->valuedouble;
        assert_true(told->valuedouble == tolerance[place] && told->valuedouble > 0.0);
    }
    assert_int_equal(seen[0], RESOLUTIONS);
    for (int i = 1; i < WAYS; ++i)
        assert_int_equal(seen[i], i < WAYS - 1 ? seen[1] : seen[i] ? RESOLUTIONS : 0);
    assert_true(seen[1] == 0 || seen[1] == RESOLUTIONS);
}

TEST(verify_compares_images)
{
    const char* arguments = "verify --quick --query image --json --quiet";
    tool_outcome o = tool_run(arguments);
    cJSON* json = tool_json(arguments, &o);
    const bool nothing = json_number(json, "checks") == 0.0;
    if (nothing) {
        print_message("no image was verified: no OpenGL\n");
    } else {
        tool_expect(arguments, &o, 0);
        const cJSON* row;
        cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "rows"))
        {
            if (strcmp(json_text(row, "status"), "skipped") == 0) continue;  // the device is missing
            assert_string_equal(json_text(row, "status"), "equal");
            // Of hardly any pose the exact distance is unknown.
            const cJSON* undecided = cJSON_GetObjectItem(row, "undecided");
            if (undecided) assert_true(undecided->valuedouble * 20.0 < json_number(row, "count"));
        }
    }
    if (nothing) skip_because("no peers were built in");
}

// ---- What they are made of ----

TEST(shapes_are_closed)
{
    tact_problem problem = {0};
    tact_model_mesh meshes[2];
    assert_true(tact_mesh_torus_knot(&meshes[0], &problem));
    assert_true(tact_mesh_cube(0.5, &meshes[1], &problem));
    for (int i = 0; i < 2; ++i) {
        tact_mesh_report report;
        const tact_mesh_view view = {(const tact_vec3*)meshes[i].positions, meshes[i].vertex_count, meshes[i].indices,
                                     meshes[i].triangle_count};
        assert_int_equal(tact_mesh_report_make(&view, NULL, &report), TACT_OK);
        assert_true(report.closed && report.manifold && report.oriented && report.degenerate == 0);
        assert_true(report.convex == (i == 1));
        assert_int_equal(report.euler, i == 0 ? 0 : 2);
        if (!(report.volume > 0.1)) fail_msg("volume %g", report.volume);
        for (size_t k = 0; k < 3 * meshes[i].vertex_count; ++k)
            assert_true(fabsf(meshes[i].positions[k]) <= 1.0f);
        tact_model_mesh_free(&meshes[i]);
    }
}

TEST(scattered_boxes_meet)
{
    enum { COUNT = 200 };
    static float at[COUNT][12];
    float plane[9] = {0, 0, 0, 1e9f, 0, 0, 0, 1e9f, 0}, point[9] = {7, 7, 7, 7, 7, 7, 7, 7, 7};
    float nowhere[9] = {NAN, 0, 0, 0, INFINITY, 0, 0, 0, 3e38f};
    uint32_t corners[3] = {0, 1, 2};
    float* all[3] = {plane, point, nowhere};
    for (int i = 0; i < 9; ++i) {
        const tact_model_mesh a = {.positions = all[i % 3], .vertex_count = 3, .indices = corners, .triangle_count = 1};
        const tact_model_mesh b = {.positions = all[i / 3], .vertex_count = 3, .indices = corners, .triangle_count = 1};
        tact_poses_scatter(&a, &b, 3, 2.0, true, at, COUNT);
        for (size_t k = 0; k < COUNT * 12; ++k)
            assert_true(isfinite(at[k / 12][k % 12]));
        if (i != 3) continue;
        // The point in the plane.
        for (size_t k = 0; k < COUNT; ++k) {
            const float* m = at[k];
            for (int r = 0; r < 3; ++r) {
                const float x = m[4 * r] * 7 + m[4 * r + 1] * 7 + m[4 * r + 2] * 7 + m[4 * r + 3];
                assert_true(r < 2 ? x >= -100.0f && x <= 1.001e9f : fabsf(x) < 1e-3f);
            }
        }
    }
}

TEST(cells_make_a_picture)
{
    enum { SIDE = 32 };
    const size_t words = (tact_image_slots(SIDE) + 1) / 32, all = SIDE * SIDE * words;
    assert_true(words == 4 || words == 8 || words == 16);
    uint32_t* memory = scratch_zeroed(4 * all, sizeof *memory);
    const tact_image_cells cells = {memory, memory + all, memory + 2 * all, memory + 3 * all};
    tact_problem problem = {0};
    for (size_t y = 4; y < 24; ++y) {
        for (size_t x = 4; x < 24; ++x) {
            uint32_t* a = cells.solid_a + (y * SIDE + x) * words;
            a[0] = UINT32_MAX >> x;
            a[1] = y > 12 ? UINT32_MAX : 0;
            if (x >= 14) cells.solid_b[(y * SIDE + x + 6) * words] = 0xffff;
            if (x == 4 || y == 4) cells.edges_a[(y * SIDE + x) * words] = 1;
        }
        for (size_t k = 0; k < y; ++k)
            cells.edges_b[(y * SIDE + 20) * words + k / 32] |= (uint32_t)1 << k % 32;
    }
    assert_true(tact_picture_of_cells("clio_cells.png", &cells, SIDE, 8, &problem));
    expect_png("clio_cells.png", 500);
    void* bytes[2];
    size_t sizes[2];
    cells.solid_a[(10 * SIDE + 10) * words + words - 1] = UINT32_C(1) << 31;
    assert_true(tact_file_read("clio_cells.png", &bytes[0], &sizes[0], &problem));
    assert_true(tact_picture_of_cells("clio_leak.png", &cells, SIDE, 8, &problem));
    assert_true(tact_file_read("clio_leak.png", &bytes[1], &sizes[1], &problem));
    assert_true(sizes[0] != sizes[1] || memcmp(bytes[0], bytes[1], sizes[0]) != 0);
    assert_false(tact_picture_of_cells("no such/x.png", &cells, SIDE, 1, &problem));
    free(bytes[0]);
    free(bytes[1]);
}

#include TEST_LIST
RUN_ALL(make_files, NULL)
