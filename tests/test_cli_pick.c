// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact pick` as scripts see it.

#define _POSIX_C_SOURCE 200809L

#include "tests/support/run.h"

#include "apps/inputs/pick_input.h"
#include "apps/system.h"
#include "apps/timing.h"
#include "apps/verify/verify.h"
#include "tests/support/calls.h"
#include "tests/support/temporary.h"
#include "tests/support/tool.h"

const char tool_prefix[] = "pick";

enum { WIDTH = 64, HEIGHT = 48, CORNERS = 5 };

static const float lasso[CORNERS][2] = {{5.5f, 4.0f}, {60.0f, 10.25f}, {40.0f, 44.0f}, {8.0f, 40.0f}, {30.0f, 20.0f}};

static int make_files(void** state)
{
    write_file("pick_cube.obj", tool_cube, strlen(tool_cube));
    // A wall before a ball's worth of small things, of which it hides some.
    static const char groups[] =
        "o wall\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 2 3 4\n"
        "o hidden\nv 0.2 0.2 0\nv 0.8 0.2 0\nv 0.5 0.8 0\nf 5 6 7\n"
        "o beside\nv 1.2 0.1 0.5\nv 2 0.1 0\nv 1.5 0.9 0.2\nv 1.6 0.5 -0.5\nf 8 9 10\nf 9 11 10\n"
        "o sp\xc3\xa4t\x01\xff\nv -1 0.4 0\nv -0.5 0.4 0\nv -0.7 0.9 0\nf 12 13 14\n";
    write_file("pick_groups.obj", groups, sizeof groups - 1);
    // A needle that lies between the centres of 8 x 6 pixels, in the frame of a large triangle behind it.
    static const char needle[] =
        "o frame\nv -4 -3 0\nv 4 -3 0\nv 4 3 0\nf 1 2 3\nf 3 2 1\n"
        "o needle\nv 0.02 -0.5 0.1\nv 0.03 -0.5 0.1\nv 0.025 0.5 0.1\nf 4 5 6\n";
    write_file("pick_needle.obj", needle, sizeof needle - 1);
    write_array("pick_lasso.npy", "<f4", "(5, 2)", lasso, sizeof lasso);
    write_array("pick_flat.npy", "<f4", "(10,)", lasso, sizeof lasso);
    write_array("pick_whole.npy", "<u4", "(5, 2)", lasso, sizeof lasso);
    write_array("pick_none.npy", "<f4", "(0, 2)", lasso, 0);
    float bad[CORNERS][2];
    memcpy(bad, lasso, sizeof bad);
    bad[2][1] = NAN;
    write_array("pick_nan.npy", "<f4", "(5, 2)", bad, sizeof bad);
    return 0;
}

TEST(wrong_use_ends_with_2_and_one_line)
{
    static const struct {
        const char *arguments, *says;
    } cases[] = {
        {"pick", "a FILE is needed"},
        {"pick --at 1,1", "a FILE is needed"},
        {"pick pick_cube.obj", "one of --at X,Y, --rect X0,Y0,X1,Y1, --lasso FILE.npy and --frame is needed"},
        {"pick pick_cube.obj --at 1,1 --frame", "is needed, not more"},
        {"pick pick_cube.obj --at 1,1 --rect 1,1,2,2", "is needed, not more"},
        {"pick 'no such.obj' --at 1,1", "no such.obj: cannot be read"},
        {"pick pick_cube.obj --at 1", "--at 1: must be X,Y"},
        {"pick pick_cube.obj --at 1,2,3", "--at 1,2,3: must be X,Y"},
        {"pick pick_cube.obj --at 1.5,2", "--at 1.5,2: must be X,Y"},
        {"pick pick_cube.obj --at 2147483648,0", "--at 2147483648,0: must be"},
        {"pick pick_cube.obj --at=--1,0", "--at --1,0: must be"},
        {"pick pick_cube.obj --rect 1,2,3", "--rect 1,2,3: must be X0,Y0,X1,Y1"},
        {"pick pick_cube.obj --at 1,1 --radius 1025", "--radius 1025"},
        {"pick pick_cube.obj --frame --radius 3", "--radius 3: needs --at"},
        {"pick pick_cube.obj --frame --radius 0", "--radius 0: needs --at"},
        {"pick pick_cube.obj --frame --size 0x4", "--size 0x4: must be WIDTHxHEIGHT"},
        {"pick pick_cube.obj --frame --size 4x16385", "--size 4x16385"},
        {"pick pick_cube.obj --frame --size 4", "--size 4: must be"},
        {"pick pick_cube.obj --frame --turn 361", "--turn 361: must be whole degrees"},
        {"pick pick_cube.obj --frame --turn 1e-2", "--turn 1e-2: must be whole degrees"},
        {"pick pick_cube.obj --frame --all --touched", "--all: not with --touched"},
        {"pick pick_cube.obj --frame --layers 2", "--layers 2: needs --all"},
        {"pick pick_cube.obj --frame --all --layers 0", "--layers 0"},
        {"pick pick_cube.obj --frame --by triangle", "instance, object, primitive"},
        {"pick pick_cube.obj --frame --method quick", "rays, raster"},
        {"pick pick_cube.obj --frame --method raster --touched", "--touched: not with --method raster"},
        {"pick pick_cube.obj --frame --method raster --shadow", "--shadow: not with --method raster"},
        {"pick pick_cube.obj --frame --method raster --backend cpu", "--backend cpu: --method raster draws"},
        {"pick pick_cube.obj --frame --method raster --backend reference", "--backend reference: --method raster"},
        {"pick pick_cube.obj --lasso 'no such.npy'", "no such.npy: cannot be read"},
        {"pick pick_cube.obj --lasso pick_cube.obj", "pick_cube.obj: byte 0"},
        {"pick pick_cube.obj --lasso pick_flat.npy", "pick_flat.npy: byte 8: the array's shape is (10)"},
        {"pick pick_cube.obj --lasso pick_whole.npy", "pick_whole.npy: byte 8"},
        {"pick pick_cube.obj --lasso pick_nan.npy", "pick_nan.npy: corner 2, y: is not finite"},
        {"pick pick_cube.obj --frame --expect 12", "16 hexadecimal digits"},
        {"pick pick_cube.obj --frame --backend cpu --size 8x6 --out 'no such/x.npy'", "no such/x.npy: cannot be"},
        {"pick pick_cube.obj --frame --backend cpu --size 8x6 --image 'no such/x.png'", "no such/x.png"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        tool_refuses(cases[i].arguments, cases[i].says);
}

static const cJSON* pick_at(const cJSON* json, int index)
{
    const cJSON* item = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "picks"), index);
    assert_non_null(item);
    return item;
}

static int picks_of(const cJSON* json)
{
    const int count = cJSON_GetArraySize(cJSON_GetObjectItem(json, "picks"));
    assert_true((double)count == json_number(json, "results"));
    return count;
}

static double part_of(const cJSON* pick, const char* key, int index)
{
    const cJSON* list = cJSON_GetObjectItem(pick, key);
    assert_int_equal(cJSON_GetArraySize(list), 3);
    return cJSON_GetArrayItem(list, index)->valuedouble;
}

TEST(a_pixel_shows_the_cubes_face)
{
    cJSON* json = tool_json_of("pick pick_cube.obj --at 32,24 --size 64x48 --backend cpu --threads 1");
    assert_non_null(json);
    assert_string_equal(json_text(json, "command"), "pick");
    assert_string_equal(json_text(json, "backend"), "cpu");
    assert_true(json_truth(json, "exact") && json_number(json, "threads") == 1.0);
    assert_int_equal(strlen(json_text(json, "digest")), 16);
    assert_true(json_number(json, "count") == 1.0 && json_number(json, "triangles") == 12.0);
    assert_true(json_number(json, "width") == 64.0 && json_number(json, "height") == 48.0);
    assert_string_equal(json_text(json, "extent"), "visible");
    assert_string_equal(json_text(json, "by"), "instance");
    assert_string_equal(json_text(json, "method"), "rays");
    (void)json_truth(json, "software");
    (void)json_text(json, "device");
    (void)json_text(json, "reason");
    assert_non_null(cJSON_GetObjectItem(cJSON_GetObjectItem(json, "time_ms"), "total"));
    assert_int_equal(picks_of(json), 1);
    const cJSON* pick = pick_at(json, 0);
    assert_true(json_number(pick, "object") == 0.0 && json_number(pick, "instance") == 0.0);
    assert_true(json_number(pick, "pixels") == 1.0 && json_number(pick, "layer") == 0.0);
    assert_true(json_number(pick, "x") == 32.0 && json_number(pick, "y") == 24.0);
    assert_true(json_number(pick, "depth") > 0.0 && json_number(pick, "depth") < 1.0);
    // Faces 2 and 3 are the one at z = 1. Half a pixel right of and below the middle.
    assert_true(json_number(pick, "primitive") == 2.0 || json_number(pick, "primitive") == 3.0);
    const double pixel = 2.0 * sqrt(1.0 / 3.0) / 48.0 * (1.05 * 0.5 / sqrt(1.0 / 3.0));
    const double expected[3] = {0.5 + 0.5 * pixel, 0.5 - 0.5 * pixel, 1.0};
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        assert_true(fabs(part_of(pick, "position", i) - expected[i]) < 1e-5);
        assert_true(fabs(part_of(pick, "normal", i) - (i == 2 ? 1.0 : 0.0)) < 1e-4);
        sum += part_of(pick, "barycentric", i);
    }
    assert_true(fabs(sum - 1.0) < 1e-4);

    // Turned by a quarter the camera is at +x; a whole turn is none.
    cJSON* quarter = tool_json_of("pick pick_cube.obj --at 32,24 --size 64x48 --backend cpu --turn 90");
    assert_true(fabs(part_of(pick_at(quarter, 0), "normal", 0) - 1.0) < 1e-4);
    cJSON* back = tool_json_of("pick pick_cube.obj --at 32,24 --size 64x48 --backend cpu --turn -90");
    assert_true(fabs(part_of(pick_at(back, 0), "normal", 0) + 1.0) < 1e-4);
    cJSON* none = tool_json_of("pick pick_groups.obj --frame --size 64x48 --backend cpu");
    cJSON* whole = tool_json_of("pick pick_groups.obj --frame --size 64x48 --backend cpu --turn=-360");
    assert_string_equal(json_text(none, "digest"), json_text(whole, "digest"));
}

/// Whether an object is among the picks, and how many pixels show it.
static bool has_object(const cJSON* json, int object, double* pixels)
{
    const int count = picks_of(json);
    for (int i = 0; i < count; ++i) {
        if (json_number(pick_at(json, i), "object") != (double)object) continue;
        if (pixels) *pixels = json_number(pick_at(json, i), "pixels");
        return true;
    }
    return false;
}

TEST(parts_are_objects_with_names)
{
    cJSON* visible = tool_json_of("pick pick_groups.obj --frame --size 64x48 --backend cpu");
    assert_true(json_number(visible, "objects") == 4.0 && json_number(visible, "count") == 4.0);
    assert_int_equal(picks_of(visible), 3);
    assert_true(has_object(visible, 0, NULL) && !has_object(visible, 1, NULL));
    static const char* const names[] = {"wall", "hidden", "beside", "sp\xc3\xa4t?"};
    double before = 0.0;
    for (int i = 0; i < 3; ++i) {
        const cJSON* pick = pick_at(visible, i);
        const char* name = names[(int)json_number(pick, "object")];
        assert_memory_equal(json_text(pick, "name"), name, strlen(name));
        assert_true(json_number(pick, "instance") == json_number(pick, "object"));
        // Nearest first.
        assert_true(json_number(pick, "depth") >= before);
        before = json_number(pick, "depth");
    }
    cJSON* all = tool_json_of("pick pick_groups.obj --frame --all --size 64x48 --backend cpu");
    cJSON* first = tool_json_of("pick pick_groups.obj --frame --all --layers 1 --size 64x48 --backend cpu");
    double pixels = 0.0, hidden = 0.0;
    assert_int_equal(picks_of(all), 4);
    assert_true(has_object(all, 1, &hidden) && hidden > 20.0);
    assert_true(has_object(all, 0, &pixels));
    assert_int_equal(picks_of(first), 3);
    const int last = picks_of(all);
    for (int i = 0; i < last; ++i) {
        const cJSON* pick = pick_at(all, i);
        assert_true(json_number(pick, "layer") == (json_number(pick, "object") == 1.0 ? 1.0 : 0.0));
    }

    // A file given again gives other objects, at the same place; the first of them is seen.
    cJSON* twice = tool_json_of("pick pick_groups.obj pick_cube.obj pick_cube.obj --rect 0,0,64,48 --all --size 64x48");
    assert_true(json_number(twice, "objects") == 6.0);
    assert_true(has_object(twice, 4, &pixels) && has_object(twice, 5, &hidden) && pixels == hidden);
    cJSON* seen = tool_json_of("pick pick_cube.obj pick_cube.obj --frame --size 64x48");
    assert_true(picks_of(seen) == 1 && has_object(seen, 0, NULL));
}

TEST(what_slips_between_pixels_is_touched)
{
    cJSON* visible = tool_json_of("pick pick_needle.obj --frame --size 8x6 --by object --backend cpu");
    cJSON* touched = tool_json_of("pick pick_needle.obj --frame --touched --size 8x6 --by object --backend cpu");
    assert_true(has_object(visible, 0, NULL) && !has_object(visible, 1, NULL));
    assert_true(has_object(touched, 0, NULL) && has_object(touched, 1, NULL));
    // The pixel that it is in, and one that it is not in.
    const char* const at[2] = {"4,3", "2,3"};
    for (int i = 0; i < 2; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "pick pick_needle.obj --at %s --touched --size 8x6 --backend cpu", at[i]);
        touched = tool_json_of(arguments);
        assert_true(has_object(touched, 1, NULL) == (i == 0));
    }
}

// What the tool must say: the library asked directly, and a plain count of what rays meet.
typedef struct asked {
    tact_context* context;
    tact_pick_input input;
    tact_scene* scene;
    tact_pick_view view;
    tact_picker* picker;
} asked;

static asked ask_directly(const char* file, int turn)
{
    asked a = {0};
    tact_problem problem = {0};
    tact_scene_stats stats;
    const char* names[1] = {file};
    static tact_text_list files;
    files = (tact_text_list){.items = names, .count = 1};
    const tact_context_desc none = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    assert_int_equal(tact_context_create(&none, &a.context), TACT_OK);
    if (!tact_pick_input_load(&files, &a.input, &problem)) fail_msg("%s", problem.text);
    assert_true(tact_model_build(&a.input.model, a.context, &a.scene, &stats, &problem));
    const tact_bounds bounds = tact_ray_bounds(&stats);
    a.view = tact_pick_camera(&bounds, WIDTH, HEIGHT, turn);
    assert_int_equal(tact_picker_create(a.context, &a.picker), TACT_OK);
    return a;
}

static void release(asked* a)
{
    tact_picker_destroy(a->picker);
    tact_scene_destroy(a->scene);
    tact_pick_input_free(&a->input);
    tact_context_destroy(a->context);
}

TEST(picks_are_the_librarys)
{
    asked a = ask_directly("pick_groups.obj", 20);
    const tact_pick_region region = {.shape = TACT_PICK_LASSO, .lasso = lasso, .lasso_count = CORNERS};
    const tact_pick_options options = {.extent = TACT_PICK_ALL, .group = TACT_PICK_BY_PRIMITIVE};
    tact_pick picks[64];
    size_t count = 0;
    assert_int_equal(call_pick_scene(a.picker, a.scene, &a.view, &region, &options, picks, 64, &count, NULL, NULL),
                     TACT_OK);
    assert_true(count >= 4);
    cJSON* json = tool_json_of(
        "pick pick_groups.obj --lasso pick_lasso.npy --all --by primitive --turn 20 --size 64x48 --out pick_out.npy");
    assert_string_equal(tact_digest_of(picks, count * sizeof *picks).text, json_text(json, "digest"));
    assert_int_equal(picks_of(json), count);
    // The file: a header that NumPy reads, and the same bytes.
    void* bytes = NULL;
    size_t size = 0;
    tact_problem problem = {0};
    assert_true(tact_file_read("pick_out.npy", &bytes, &size, &problem));
    char shape[64];
    snprintf(shape, sizeof shape, "'shape': (%zu,)", count);
    const size_t head = size - count * sizeof *picks;
    assert_true(size > count * sizeof *picks && head % 64 == 0);
    assert_memory_equal((const char*)bytes + head, picks, count * sizeof *picks);
    ((char*)bytes)[head - 1] = '\0';
    assert_non_null(strstr((const char*)bytes + 10, shape));
    assert_non_null(strstr((const char*)bytes + 10, "('position', '<f4', (3,))"));
    free(bytes);
    release(&a);
}

TEST(the_frame_is_what_rays_meet)
{
    asked a = ask_directly("pick_groups.obj", 0);
    uint32_t pixels[4] = {0};
    for (uint32_t y = 0; y < HEIGHT; ++y) {
        for (uint32_t x = 0; x < WIDTH; ++x) {
            tact_ray ray;
            tact_hit hit;
            assert_true(tact_pick_ray(&a.view, (double)x + 0.5, (double)y + 0.5, &ray));
            assert_int_equal(tact_raycast(a.scene, TACT_RAY_CLOSEST, &ray, 1, &hit, NULL, NULL), TACT_OK);
            if (hit.instance != TACT_NONE) ++pixels[hit.instance];
        }
    }
    cJSON* json = tool_json_of("pick pick_groups.obj --frame --size 64x48");
    for (int i = 0; i < 4; ++i) {
        double told = 0.0;
        assert_true(has_object(json, i, &told) == (pixels[i] > 0));
        assert_true(told == (double)pixels[i]);
    }
    // The camera is that of ray casts: through the same pixels it meets the same, but for rounding.
    cJSON* cast = tool_json_of("raycast --mesh pick_groups.obj --rays camera:64x48 --backend cpu");
    const double sum = (double)(pixels[0] + pixels[1] + pixels[2] + pixels[3]);
    assert_true(fabs(json_number(cast, "hits") - sum) <= 2.0);
    release(&a);
}

TEST(every_backend_gives_one_digest)
{
    tool_one_digest("pick pick_groups.obj --size 64x48 --at 30,24 --radius 9 --by primitive", "--shadow");
    tool_one_digest("pick pick_groups.obj --size 64x48 --rect 70,3,-4,30 --by object", "--shadow");
    tool_one_digest("pick pick_groups.obj --size 64x48 --lasso pick_lasso.npy --turn 33", "--shadow");
    tool_one_digest("pick pick_groups.obj --size 65x47 --frame --by primitive", "--shadow");
    tool_one_digest("pick pick_groups.obj pick_cube.obj --size 64x48 --frame --all --by primitive --turn 200",
                    "--shadow");
    tool_one_digest("pick pick_groups.obj pick_cube.obj --size 64x48 --at 34,24 --radius 3 --touched --by primitive",
                    "--shadow");
}

TEST(nothing_is_an_answer)
{
    static const char* const cases[] = {"--at -5,3",          "--at 2147483647,-2147483648", "--at 0,0",
                                        "--rect 5,5,5,40",    "--rect 64,0,90,48",           "--lasso pick_none.npy",
                                        "--at 0,0 --touched", "--rect 9,9,9,9 --all"};
    char first[17] = "";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "pick pick_cube.obj --size 64x48 %s", cases[i]);
        cJSON* json = tool_json_of(arguments);
        if (!json || picks_of(json) != 0) fail_msg("%s: something", arguments);
        if (i == 0) memcpy(first, json_text(json, "digest"), 17);
        assert_string_equal(json_text(json, "digest"), first);
    }
}

TEST(drawing_sees_the_same)
{
    static const char* const extents[] = {"", "--all"};
    for (int i = 0; i < 2; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "pick pick_groups.obj --frame --size 64x48 %s", extents[i]);
        cJSON* cast = tool_json_of(arguments);
        snprintf(arguments, sizeof arguments, "pick pick_groups.obj --frame --size 64x48 --method raster %s",
                 extents[i]);
        cJSON* drawn = tool_json_of(arguments);
        if (!drawn) {
            skip_because("the device is missing");
        }
        assert_string_equal(json_text(drawn, "backend"), "gl");
        assert_string_equal(json_text(drawn, "method"), "raster");
        assert_true(json_number(drawn, "exact") > 0.0);  // a tolerance
        assert_int_equal(picks_of(drawn), picks_of(cast));
        const int count = picks_of(cast);
        for (int k = 0; k < count; ++k) {
            double told = 0.0;
            const cJSON* pick = pick_at(cast, k);
            assert_true(has_object(drawn, (int)json_number(pick, "object"), &told));
            // By --all rays meet both triangles at an edge, of which one is drawn there.
            assert_true(fabs(told - json_number(pick, "pixels")) <= (i ? 20.0 : 3.0));
        }
    }
}

/// Characters from the beginning of the line of a table that has `word` to the last character of its column `column`.
static int end_of_column(const char* table, const char* word, int column)
{
    const char* c = strstr(table, word);
    int width = 0;
    assert_non_null(c);
    while (c > table && c[-1] != '\n')
        --c;
    for (int i = 0; i <= column; ++i) {
        for (; *c == ' '; ++c)
            ++width;
        for (; *c && *c != ' '; ++c)
            width += ((unsigned char)*c & 0xC0) != 0x80;
    }
    return width;
}

/// A name with letters that take two bytes does not move the columns after it, which end where their heads end.
static void check_columns(void)
{
    static const char arguments[] = "pick pick_groups.obj --frame --size 64x48 --quiet";
    tool_outcome o = tool_ends(arguments, 0);
    assert_int_equal(end_of_column(o.out, "sp\xc3\xa4t", 2), end_of_column(o.out, "object  name", 2));
    assert_int_equal(end_of_column(o.out, "wall", 2), end_of_column(o.out, "object  name", 2));
}

TEST(people_get_a_table_and_a_picture)
{
    static const char arguments[] =
        "pick pick_groups.obj --lasso pick_lasso.npy --all --size 64x48 --quiet --image pick_view.png";
    tool_outcome o = tool_ends(arguments, 0);
    assert_non_null(strstr(o.out, "wall"));
    assert_non_null(strstr(o.out, "lasso of 5 corners of 64 x 48 pixels, all, by instance, rays"));
    check_columns();
    void* bytes = NULL;
    size_t size = 0;
    tact_problem problem = {0};
    assert_true(tact_file_read("pick_view.png", &bytes, &size, &problem));
    assert_true(size > 1000);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    free(bytes);
    tool_outcome help = tool_ends("pick --help", 0);
    assert_non_null(strstr(help.out, "--touched"));
}

/// Corners in the world of a triangle whose corners are these, in pixels about the middle of a view and depth below the
/// eye: a view of 100 x 100 pixels along -z in which w is -z.
static const tact_pick_view plain_view = {
    .world_to_clip = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1.5f, -2.5f, 0, 0, -1, 0}, .width = 100, .height = 100};

static void place(double corners[3][3], const double pixels[3][2], double w)
{
    for (int i = 0; i < 3; ++i) {
        corners[i][0] = (pixels[i][0] / 50.0 - 1.0) * w;
        corners[i][1] = (1.0 - pixels[i][1] / 50.0) * w;
        corners[i][2] = -w;
    }
}

TEST(only_rounding_explains_a_pixel)
{
    const tact_bounds unit = {{0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}};
    const tact_pick_slack slack = tact_pick_slack_of(&plain_view, &unit);
    assert_true(slack.pixels > 0.0 && slack.pixels < 0.02 && slack.depth < 1e-5);
    const double over[3][2] = {{10, 10}, {90, 20}, {40, 95}}, beside[3][2] = {{60, 10}, {90, 20}, {80, 95}};
    const double edge[3][2] = {{40.5, 10}, {40.505, 99}, {99, 50}};
    double far[3][3], near[3][3], apart[3][3], limit[3][3];
    place(far, over, 3.0);
    place(near, over, 2.0);
    place(apart, beside, 2.0);
    place(limit, edge, 2.0);
    const double(*const f)[3] = (const double(*)[3])far;
    const double(*const n)[3] = (const double(*)[3])near;
    const double(*const a)[3] = (const double(*)[3])apart;
    const double(*const l)[3] = (const double(*)[3])limit;
    // Neither may be missed in the midst of both.
    assert_false(tact_pick_explained(&plain_view, slack, 40, 40, n, f));
    assert_false(tact_pick_explained(&plain_view, slack, 40, 40, f, n));
    assert_false(tact_pick_explained(&plain_view, slack, 40, 40, n, NULL));
    assert_false(tact_pick_explained(&plain_view, slack, 40, 40, NULL, n));
    assert_false(tact_pick_explained(&plain_view, slack, 40, 40, NULL, NULL));
    // What is not there cannot be drawn.
    assert_false(tact_pick_explained(&plain_view, slack, 40, 40, f, a));
    // Of two at one depth either may be seen.
    assert_true(tact_pick_explained(&plain_view, slack, 40, 40, n, n));
    // An edge through the centre, near to it, and farther than rounding moves it.
    assert_true(tact_pick_explained(&plain_view, slack, 40, 40, l, f));
    assert_true(tact_pick_explained(&plain_view, slack, 40, 40, f, l));
    assert_true(tact_pick_explained(&plain_view, slack, 40, 40, l, NULL));
    assert_false(tact_pick_explained(&plain_view, slack, 41, 40, l, f));
    assert_false(tact_pick_explained(&plain_view, slack, 39, 40, f, l));
    // Level with the view at w = 2, where depths are 0.5 (-2.5 / 2 + 1.5) + 0.5.
    assert_true(tact_pick_depth_explained(&plain_view, slack, 40, 40, n, 0.625));
    assert_true(tact_pick_depth_explained(&plain_view, slack, 40, 40, n, 0.6250001));
    assert_false(tact_pick_depth_explained(&plain_view, slack, 40, 40, n, 0.6251));
    assert_false(tact_pick_depth_explained(&plain_view, slack, 40, 40, n, 0.6249));
    // The far plane is at w = 5: what lies on it may be missed, and what lies before it not.
    double limits[3][3];
    place(limits, over, 5.0);
    assert_true(tact_pick_explained(&plain_view, slack, 40, 40, (const double(*)[3])limits, NULL));
    place(limits, over, 4.9);
    assert_false(tact_pick_explained(&plain_view, slack, 40, 40, (const double(*)[3])limits, NULL));
}

/// The figures of one row must be there and be in order. How long a frame is, is found by drawing.
static void check_bench_row(const cJSON* row, bool draws)
{
    static const char* const spreads[] = {"held_ms", "draw_ms", "answer_ms", "frames"};
    for (int i = 0; i < 4; ++i) {
        const cJSON* s = cJSON_GetObjectItem(row, spreads[i]);
        if (!s) fail_msg("no %s", spreads[i]);
        const double low = json_number(s, "min"), median = json_number(s, "median"), high = json_number(s, "max");
        assert_true(low >= 0.0 && low <= median && median <= high && isfinite(high));
    }
    assert_true(json_number(row, "picks") >= 1.0);
    const bool rays = strstr(json_text(row, "by"), "rays");
    assert_true(draws ? json_number(row, "frame_ms") > 0.0 : json_number(row, "frame_ms") == 0.0);
    // What is drawn may differ where an edge is within the rasteriser's rounding; rays may not.
    if (rays && json_number(row, "other") != 0.0) {
        fail_msg("%s: %s: %g answers are not the CPU's", json_text(row, "region"), json_text(row, "by"),
                 json_number(row, "other"));
    }
}

TEST(the_benchmark_measures)
{
    static const char arguments[] = "bench pick --quick --most 50000 --repeat 2 --out pick_bench --json --quiet";
    static const char* const made[] = {
        "bench.json",           "bench.csv", "pick-point-held.svg", "pick-frame-held.svg", "pick-point-answer.svg",
        "pick-frame-answer.svg"};
    cJSON* json = tool_json_ends(arguments);
    const cJSON *row, *device;
    bool cpu[2] = {false, false}, draws = false;
    cJSON_ArrayForEach(device, cJSON_GetObjectItem(json, "devices")) draws |=
        !strcmp(json_text(device, "backend"), "gl");
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "rows"))
    {
        check_bench_row(row, draws);
        assert_string_equal(json_text(row, "scene"), "landscape");
        assert_true(json_number(row, "triangles") == 10082.0);
        if (strcmp(json_text(row, "by"), "cpu rays") == 0) cpu[strcmp(json_text(row, "region"), "frame") == 0] = true;
    }
    assert_true(cpu[0] && cpu[1]);
    assert_true(json_number(json, "repeat") == 2.0);
    for (size_t i = 0; i < sizeof made / sizeof *made; ++i) {
        char path[64];
        snprintf(path, sizeof path, "pick_bench/%s", made[i]);
        char* text = tool_text(path);
        if (strlen(text) < 200 || strstr(text, "nan")) fail_msg("%s: %s", path, text);
    }
}

#include TEST_LIST
RUN_ALL(make_files, NULL)
