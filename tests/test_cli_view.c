// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact view` by events from files, on a display of its own. What it picks is what the CPU picks through its camera.

#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>

#include "tests/support/run.h"

#include "base/platform.h"

#include "apps/inputs/pick_input.h"
#include "tests/support/calls.h"
#include "tests/support/temporary.h"
#include "tests/support/tool.h"
#include "tests/support/viewer.h"

const char tool_prefix[] = "cliv";

enum { OBJECTS = 20, MOST = 64 };

/// The scene on the CPU.
static tact_pick_input input;
static const char* files[] = {"cliv_scene.obj"};
static const tact_text_list file_list = {files, 1};
static tact_context* context;
static tact_scene* scene;
static tact_picker* picker;

static void put_box(FILE* f, int number, const float at[3], float half)
{
    static const int faces[6][4] = {{1, 3, 4, 2}, {5, 6, 8, 7}, {1, 2, 6, 5}, {3, 7, 8, 4}, {1, 5, 7, 3}, {2, 4, 8, 6}};
    fprintf(f, "o box%d\n", number);
    for (int c = 0; c < 8; ++c) {
        fprintf(f, "v %g %g %g\n", (double)(at[0] + (c & 1 ? half : -half)), (double)(at[1] + (c & 2 ? half : -half)),
                (double)(at[2] + (c & 4 ? half : -half)));
    }
    for (int i = 0; i < 6; ++i) {
        fprintf(f, "f %d %d %d %d\n", 8 * number + faces[i][0], 8 * number + faces[i][1], 8 * number + faces[i][2],
                8 * number + faces[i][3]);
    }
}

/// Rows of boxes, some of which hide others or stick in each other.
static bool write_scene(void)
{
    FILE* f = fopen(files[0], "w");
    if (!f) return false;
    for (int i = 0; i < OBJECTS; ++i) {
        const float at[3] = {(float)(i % 4), (float)(i / 4 % 3), i < 12 ? 0.0f : -1.6f};
        put_box(f, i, at, i < 8 ? 0.3f : i < 12 ? 0.55f : 0.4f);
    }
    return fclose(f) == 0;
}

static int prepare(void** state)
{
    tact_problem problem = {0};
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 2};
    tact_scene_stats stats;
    const bool good = write_scene() && tact_pick_input_load(&file_list, &input, &problem) &&
                      tact_context_create(&desc, &context) >= 0 &&
                      tact_model_build(&input.model, context, &scene, &stats, &problem) &&
                      tact_picker_create(context, &picker) >= 0;
    return good && input.model.instance_count == OBJECTS ? 0 : 1;
}

static int clean(void** state)
{
    tact_picker_destroy(picker);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    tact_pick_input_free(&input);
    return 0;
}

static cJSON* play(const char* events, const char* options)
{
    cJSON* json = viewer_play(files[0], events, options);
    assert_true(json_number(json, "objects") == OBJECTS);
    return json;
}

static tact_pick_view view_of(const cJSON* json)
{
    tact_pick_view view = {.order = TACT_MATRIX_BY_COLUMNS,
                           .depth = TACT_CLIP_MINUS_ONE_TO_ONE,
                           .width = (uint32_t)json_number(json, "width"),
                           .height = (uint32_t)json_number(json, "height")};
    const cJSON* matrix = viewer_item(viewer_item(json, "camera"), "world_to_clip");
    assert_int_equal(cJSON_GetArraySize(matrix), 16);
    for (int i = 0; i < 16; ++i)
        view.world_to_clip[i] = (float)cJSON_GetArrayItem(matrix, i)->valuedouble;
    return view;
}

/// What the CPU picks.
static size_t expected(const cJSON* json, const tact_pick_region* region, bool all, tact_pick picks[MOST])
{
    const tact_pick_view view = view_of(json);
    const tact_pick_options options = {.extent = all ? TACT_PICK_ALL : TACT_PICK_VISIBLE};
    const tact_query_options query = {.backend = TACT_BACKEND_CPU};
    size_t count = 0;
    assert_int_equal(call_pick_scene(picker, scene, &view, region, &options, picks, MOST, &count, &query, NULL),
                     TACT_OK);
    return count;
}

static void check_selected(const cJSON* json, const tact_pick* picks, size_t count)
{
    bool is[OBJECTS] = {false}, should[OBJECTS] = {false};
    const cJSON* one;
    cJSON_ArrayForEach(one, viewer_item(json, "selected")) is[(int)json_number(one, "object")] = true;
    for (size_t i = 0; i < count; ++i)
        should[picks[i].instance] = true;
    for (int i = 0; i < OBJECTS; ++i) {
        if (is[i] != should[i]) fail_msg("object %d: %s", i, is[i] ? "selected" : "not selected");
    }
}

static void check_region(const char* events, const char* options, const tact_pick_region* region, bool all,
                         size_t at_least)
{
    tact_pick picks[MOST];
    cJSON* json = play(events, options);
    const size_t count = expected(json, region, all, picks);
    if (count < at_least) fail_msg("the test's own region holds only %zu", count);
    check_selected(json, picks, count);
    assert_true(json_number(json, "picks") == 1.0);
}

TEST(wrong_use_ends_with_2)
{
    static const struct {
        const char *arguments, *says;
    } cases[] = {
        {"view", "FILE is needed"},
        {"view 'no such.obj'", "no such.obj: cannot be read"},
        {"view cliv_scene.obj 'no such.obj'", "no such.obj: cannot be read"},
        {"view cliv_scene.obj --size 10", "--size 10"},
        {"view cliv_scene.obj --size 20x20000", "--size 20x20000"},
        {"view cliv_scene.obj --pick guess", "rays, target"},
        {"view cliv_scene.obj --backend cl", "--backend cl"},
        {"view cliv_scene.obj --events 'no such'", "no such: cannot be read"},
        {"view cliv_scene.obj --events cliv_scene.obj", "cliv_scene.obj: line 1: not an event: o"},
        {"view cliv_scene.obj --events x --frames 2", "--frames"},
        {"view cliv_scene.obj --particles 0", "--particles 0"},
        {"view cliv_scene.obj --particles many", "--particles many"},
        {"view --scene heap", "--scene heap: must be one of"},
        {"view --scene boxes --bodies cliv.json", "one of --scene NAME, --bodies FILE"},
        {"view --scene boxes cliv_scene.obj", "without files of meshes"},
        {"view --scene boxes --particles 5", "without --particles"},
        {"view cliv_scene.obj --count 5", "--count 5: needs --scene"},
        {"view --bodies cliv_missing.json", "cliv_missing.json"},
        {"view cliv_scene.obj --recording x", "without files of meshes"},
        {"view --scene boxes --recording x", "without bodies"},
        {"view cliv_scene.obj --against x", "--against x: needs --recording"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        tool_outcome o = tool_run(cases[i].arguments);
        if (o.code != 2 || !strstr(o.err, cases[i].says) || strchr(o.err, '\n') != o.err + strlen(o.err) - 1) {
            fail_msg("tact %s: exit %d, says: %s", cases[i].arguments, o.code, o.err);
        }
    }
}

TEST(events_are_checked_line_by_line)
{
    static const char* const lines[] = {
        "move 1",     "move a 2",   "move 1 2 3",       "button left", "button up up",
        "key BB",     "key b",      "scroll",           "frame 0",     "frame 1 2",
        "shot",       "resize 0 5", "resize 5.5 20",    "quit now",    "button left down meta",
        "move nan 2", "fly 1 2",    "1 2 3 4 5 6 7 8 9"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        char text[128];
        snprintf(text, sizeof text, "# a comment\n\n  frame 2 # two\n%s\nquit\n", lines[i]);
        write_file("cliv.events", text, strlen(text));
        tool_outcome o = tool_run("view cliv_scene.obj --events cliv.events");
        if (o.code != 2 || !strstr(o.err, "cliv.events: line 4: not an event")) {
            fail_msg("%s: exit %d, says: %s", lines[i], o.code, o.err);
        }
    }
}

TEST(without_a_display_it_ends_with_3)
{
    const int status = system("env -u DISPLAY -u WAYLAND_DISPLAY '" TACT_PROGRAM
                              "' view cliv_scene.obj --frames 1 >cliv_out.txt 2>cliv_err.txt");
    char* err = tool_text("cliv_err.txt");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    assert_ptr_equal(strchr(err, '\n'), err + strlen(err) - 1);
}

TEST(the_mouse_moves_the_camera)
{
    cJSON* json = play(
        "shot cliv_1.png\nframe\nshot cliv_2.png\n"
        "move 100 100\nbutton left down\nmove 102 101\nmove 150 120\nbutton left up\nleave\n"
        "shot cliv_3.png\nmove 200 100\nscroll 3\nleave\nshot cliv_4.png\n"
        "move 50 50\nbutton middle down\nmove 80 90\nbutton middle up\nleave\nshot cliv_5.png\n"
        "key F\nframe\nquit\nshot cliv_6.png\n",
        "");
    assert_true(viewer_same_pictures("cliv_1.png", "cliv_2.png"));
    assert_false(viewer_same_pictures("cliv_2.png", "cliv_3.png"));
    assert_false(viewer_same_pictures("cliv_3.png", "cliv_4.png"));
    assert_false(viewer_same_pictures("cliv_4.png", "cliv_5.png"));
    assert_true(json_number(json, "picks") == 0.0);  // a drag is no click
    assert_true(json_number(json, "samples") >= 1.0);
}

TEST(zooming_keeps_what_is_under_the_cursor)
{
    cJSON* before = play("move 220 70\nframe\nquit\n", "");
    cJSON* after = play("move 220 70\nscroll 1\nscroll 1\nframe\nquit\n", "");
    const cJSON *hover_before = viewer_item(before, "hover"), *hover_after = viewer_item(after, "hover");
    assert_true(cJSON_IsObject(hover_before) && cJSON_IsObject(hover_after));
    assert_true(json_number(hover_before, "object") == json_number(hover_after, "object"));
    double eye = 0.0;
    for (int i = 0; i < 3; ++i) {
        eye += fabs(cJSON_GetArrayItem(viewer_item(viewer_item(before, "camera"), "eye"), i)->valuedouble -
                    cJSON_GetArrayItem(viewer_item(viewer_item(after, "camera"), "eye"), i)->valuedouble);
    }
    assert_true(eye > 0.5);
    // More steps than a float has powers for: as near, and as far, as the camera goes.
    after = play("move 160 120\nscroll 1000\nframe\nscroll -1000\nscroll -1000\nframe\nquit\n", "");
    for (int i = 0; i < 3; ++i)
        assert_true(cJSON_IsNumber(cJSON_GetArrayItem(viewer_item(viewer_item(after, "camera"), "eye"), i)));
}

static void check_hover(const char* options)
{
    static const int places[][2] = {{160, 120}, {100, 150}, {222, 71}, {2, 2}};
    size_t hits = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        char events[256];
        tact_pick picks[MOST];
        snprintf(events, sizeof events, "shot cliv_1.png\nmove 1 200\nframe\nmove %d %d\nshot cliv_2.png\nquit\n",
                 places[i][0], places[i][1]);
        cJSON* json = play(events, options);
        const tact_pick_region region = {.shape = TACT_PICK_POINT, .x = places[i][0], .y = places[i][1]};
        const size_t count = expected(json, &region, false, picks);
        const cJSON* hover = viewer_item(json, "hover");
        assert_int_equal(cJSON_IsObject(hover), count == 1);
        // What is under the cursor is seen to be.
        assert_int_equal(viewer_same_pictures("cliv_1.png", "cliv_2.png"), count == 0);
        hits += count;
        if (count) {
            assert_true(json_number(hover, "object") == (double)picks[0].instance);
            assert_true(json_number(hover, "primitive") == (double)picks[0].primitive);
            for (int k = 0; k < 3; ++k) {
                const double at = cJSON_GetArrayItem(viewer_item(hover, "position"), k)->valuedouble;
                assert_true(fabs(at - (double)picks[0].position[k]) < 1e-3);
            }
        }
    }
    assert_true(hits >= 2 && hits < sizeof places / sizeof *places);
}

TEST(the_cursor_is_over_what_the_ray_says)
{
    check_hover("");
}

TEST(clicks_select)
{
    const tact_pick_region point = {.shape = TACT_PICK_POINT, .x = 160, .y = 120};
    check_region("move 160 120\nbutton left down\nmove 161 121\nmove 160 120\nbutton left up\nframe\n", "", &point,
                 false, 1);
    check_region("key A\nmove 160 120\nbutton left down\nbutton left up\nframe\n", "", &point, true, 2);
    // Shift adds, a click on nothing clears, and so does escape.
    cJSON* json = play(
        "move 160 120\nbutton left down\nbutton left up\nmove 100 150\nbutton left down shift\n"
        "button left up\nframe\n",
        "");
    tact_pick picks[MOST];
    const tact_pick_region other = {.shape = TACT_PICK_POINT, .x = 100, .y = 150};
    size_t count = expected(json, &point, false, picks);
    count += expected(json, &other, false, picks + count);
    assert_int_equal(count, 2);
    check_selected(json, picks, count);
    json = play("move 160 120\nbutton left down\nbutton left up\nmove 1 1\nbutton left down\nbutton left up\n", "");
    check_selected(json, NULL, 0);
    assert_true(cJSON_IsNull(viewer_item(json, "picked")));
    json = play("move 160 120\nbutton left down\nbutton left up\nkey escape\nframe\n", "");
    check_selected(json, NULL, 0);
}

TEST(rectangles_select)
{
    const tact_pick_region r = {.shape = TACT_PICK_RECTANGLE, .rectangle = {90, 60, 181, 151}};
    static const char by_ctrl[] =
        "move 90 60\nbutton left down ctrl\nmove 130 100\nframe\nmove 180 150\nframe\n"
        "button left up ctrl\nframe\n";
    check_region(by_ctrl, "", &r, false, 3);
    check_region("key R\nmove 180.9 60.2\nbutton left down\nmove 90.5 150.7\nbutton left up\nframe\n", "", &r, false,
                 3);
    check_region("key A\nkey R\nmove 90 60\nbutton left down\nmove 180 150\nbutton left up\n", "", &r, true, 5);
    // Another button takes no part in it.
    check_region(
        "move 90 60\nbutton left down ctrl\nmove 130 100\nbutton right down\nframe\nbutton right up\nmove 180 150\n"
        "frame\nbutton left up\nframe\n",
        "", &r, false, 3);
    // What is being selected is seen.
    cJSON* json = play(
        "move 90 60\nshot cliv_1.png\nbutton left down ctrl\nmove 180 150\nshot cliv_2.png\n"
        "key escape\nmove 90 60\nshot cliv_3.png\n",
        "");
    assert_false(viewer_same_pictures("cliv_1.png", "cliv_2.png"));
    assert_true(viewer_same_pictures("cliv_1.png", "cliv_3.png"));
    check_selected(json, NULL, 0);
}

TEST(lassos_select)
{
    const float corners[5][2] = {{60, 200}, {120, 40}, {170.5f, 130.25f}, {230, 60}, {200, 190}};
    const tact_pick_region lasso = {.shape = TACT_PICK_LASSO, .lasso = corners, .lasso_count = 5};
    static const char by_alt[] =
        "move 60 200\nbutton left down alt\nmove 120 40\nframe\nmove 170.5 130.25\n"
        "move 230 60\nframe\nmove 200 190\nframe\nbutton left up alt\nframe\n";
    check_region(by_alt, "", &lasso, false, 4);
    check_region(
        "key A\nkey L\nmove 60 200\nbutton left down\nmove 120 40\nmove 170.5 130.25\nmove 230 60\n"
        "move 200 190\nbutton left up\n",
        "", &lasso, true, 5);
}

TEST(boxes_normals_contacts_and_rays_appear)
{
    cJSON* json = play("shot cliv_1.png\nkey B\nshot cliv_2.png\n", "");
    assert_false(viewer_same_pictures("cliv_1.png", "cliv_2.png"));
    assert_true(json_number(viewer_item(json, "shown"), "lines") == 12.0 * OBJECTS);
    // Level 0 of a tree is one box, level 1 up to eight, more than one.
    json = play("key B\nkey B\nkey [\nkey [\nkey [\nframe\n", "");
    assert_true(json_number(viewer_item(json, "shown"), "lines") == 12.0);
    json = play("key B\nkey B\nkey [\nframe\n", "");
    const double lines = json_number(viewer_item(json, "shown"), "lines");
    assert_true(lines >= 24.0 && lines <= 96.0 && fmod(lines, 12.0) == 0.0);
    json = play("key B\nkey B\nkey B\nkey [\nframe\nkey [\nframe\n", "");
    assert_true(json_number(viewer_item(json, "shown"), "lines") == 12.0 * OBJECTS);
    json = play("key B\nkey B\nkey B\nkey B\nkey N\nframe\n", "");
    assert_true(json_number(viewer_item(json, "shown"), "lines") == 12.0 * OBJECTS);  // as many triangles
    // The boxes of the upper row stick in each other.
    json =
        play("move 160 62\nbutton left down\nbutton left up\nkey C\nmove 160 120\nkey J\nmove 1 1\nkey J\nframe\n", "");
    const cJSON *shown = viewer_item(json, "shown"), *rays = viewer_item(json, "rays");
    assert_int_equal(cJSON_GetArraySize(viewer_item(json, "selected")), 1);
    assert_true(json_number(shown, "contacts") > 0.0);
    assert_true(json_number(shown, "points") >= 1.0);
    assert_int_equal(cJSON_GetArraySize(rays), 2);
    tact_pick picks[MOST];
    const tact_pick_region point = {.shape = TACT_PICK_POINT, .x = 160, .y = 120};
    assert_int_equal(expected(json, &point, false, picks), 1);
    const cJSON* ray = cJSON_GetArrayItem(rays, 0);
    assert_true(json_truth(ray, "hit") && !json_truth(cJSON_GetArrayItem(rays, 1), "hit"));
    assert_true(json_number(ray, "object") == (double)picks[0].instance);
    assert_true(json_number(ray, "primitive") == (double)picks[0].primitive);
}

static bool says(const cJSON* json, const char* what)
{
    const cJSON* line;
    cJSON_ArrayForEach(
        line, viewer_item(viewer_item(json, "panel"), "lines")) if (strstr(line->valuestring, what)) return true;
    return false;
}

/// The number that follows in a line of the panel.
static bool says_number(const cJSON* json, const char* before, double* number)
{
    const cJSON* line;
    cJSON_ArrayForEach(line, viewer_item(viewer_item(json, "panel"), "lines"))
    {
        const char* text = line->valuestring + strspn(line->valuestring, " ");
        const size_t length = strlen(before);
        if (strncmp(text, before, length) != 0) continue;
        *number = strtod(text + length, NULL);
        return true;
    }
    return false;
}

TEST(the_panel_says_what_is_under_the_cursor)
{
    char line[128];
    cJSON* json = play("shot cliv_1.png\nkey H\nkey H\nshot cliv_2.png\nmove 160 120\nkey H\nframe\n", "");
    if (cJSON_IsNull(viewer_item(json, "panel"))) skip_because("built without Dear ImGui");
    // Pictures have no panel.
    assert_true(viewer_same_pictures("cliv_1.png", "cliv_2.png"));
    const cJSON *hover = viewer_item(json, "hover"), *eye = viewer_item(viewer_item(json, "camera"), "eye");
    double distance = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double d = cJSON_GetArrayItem(viewer_item(hover, "position"), k)->valuedouble -
                         cJSON_GetArrayItem(eye, k)->valuedouble;
        distance += d * d;
    }
    snprintf(line, sizeof line, "instance %d, triangle %d, distance ", (int)json_number(hover, "object"),
             (int)json_number(hover, "primitive"));
    double said = 0.0;
    if (!says_number(json, line, &said)) fail_msg("not said: %s", line);
    assert_true(fabs(said - sqrt(distance)) < 1e-3 * said);
    snprintf(line, sizeof line, "cliv_scene.obj: object %d", (int)json_number(hover, "object"));
    assert_true(says(json, line) && says(json, "20 objects, 240 triangles") && !says(json, "selected last"));
    // Of a bar of 1, 2 or 5 times a power of ten units the pixels follow from the camera.
    const double scale = json_number(viewer_item(json, "panel"), "scale"),
                 digit = scale / pow(10.0, floor(log10(scale)));
    assert_true(fabs(digit - 1.0) < 1e-6 || fabs(digit - 2.0) < 1e-6 || fabs(digit - 5.0) < 1e-6);
    const cJSON* target = viewer_item(viewer_item(json, "camera"), "target");
    double away = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double d = cJSON_GetArrayItem(target, k)->valuedouble - cJSON_GetArrayItem(eye, k)->valuedouble;
        away += d * d;
    }
    const double pixels = scale / (2.0 * sqrt(away) * tan(0.35) / VIEWER_HEIGHT);
    assert_true(fabs(json_number(viewer_item(json, "panel"), "scale_pixels") - pixels) < 0.01 * pixels);
}

TEST(the_overlay_is_in_pictures)
{
    cJSON* json = play("shot cliv_1.png\nkey H\nkey H\nframe\n", "");
    if (cJSON_IsNull(viewer_item(json, "panel"))) skip_because("built without Dear ImGui");
    json = play("shot cliv_2.png\nshot cliv_3.png\nkey H\nshot cliv_4.png\nkey H\nshot cliv_5.png\n", "--overlay");
    assert_true(json_truth(viewer_item(json, "panel"), "keys"));
    assert_false(viewer_same_pictures("cliv_1.png", "cliv_2.png"));
    assert_true(viewer_same_pictures("cliv_2.png", "cliv_3.png"));
    assert_true(viewer_same_pictures("cliv_1.png", "cliv_4.png"));   // hidden
    assert_false(viewer_same_pictures("cliv_2.png", "cliv_5.png"));  // with the keys
}

TEST(the_window_can_be_resized)
{
    const tact_pick_region r = {.shape = TACT_PICK_RECTANGLE, .rectangle = {100, 100, 301, 251}};
    tact_pick picks[MOST];
    cJSON* json = play(
        "frame\nresize 500 300\nframe 2\nshot cliv_1.png\nkey R\nmove 100 100\nbutton left down\n"
        "move 300 250\nbutton left up\nframe\n",
        "--image cliv_2.png");
    assert_true(json_number(json, "width") == 500.0 && json_number(json, "height") == 300.0);
    check_selected(json, picks, expected(json, &r, false, picks));
    assert_false(viewer_same_pictures("cliv_1.png", "cliv_2.png"));
    json = play("resize 700 90\nframe\nresize 80 400\nframe\nmove 40 200\nframe\n", "");
    assert_true(json_number(json, "width") == 80.0 && json_number(json, "height") == 400.0);
}

TEST(the_target_picks_the_same)
{
    const tact_pick_region r = {.shape = TACT_PICK_RECTANGLE, .rectangle = {90, 60, 181, 151}};
    check_hover("--pick target");
    check_region("move 90 60\nbutton left down ctrl\nmove 180 150\nframe\nbutton left up\nframe\n", "--pick target", &r,
                 false, 3);
    cJSON* json =
        play("move 9 9\nframe 9\nresize 400 200\nmove 200 100\nframe 3\nscroll 2\nframe 2\n", "--pick target");
    const tact_pick_region point = {.shape = TACT_PICK_POINT, .x = 200, .y = 100};
    tact_pick picks[MOST];
    const size_t count = expected(json, &point, false, picks);
    const cJSON* hover = viewer_item(json, "hover");
    assert_int_equal(cJSON_IsObject(hover), count == 1);
    if (count) assert_true(json_number(hover, "object") == (double)picks[0].instance);
}

/// The digest of as many steps of as many particles without a window.
static char* digest_without_window(const char* arguments)
{
    cJSON* json = tool_json_ends(arguments);
    char* digest = strdup(json_text(json, "digest"));
    assert_non_null(digest);
    return digest;
}

TEST(particles_fall_as_without_a_window)
{
    // Two frames and their pictures, then they stand still.
    static const char events[] = "shot cliv_1.png\nframe 40\nshot cliv_2.png\nkey P\nframe 3\nshot cliv_3.png\n";
    cJSON* json = play(events, "--particles 60 --seed 3 --backend cpu");
    const cJSON* p = viewer_item(json, "particles");
    char* digest = digest_without_window(
        "particles --random 60 --seed 3 --mesh cliv_scene.obj --steps 42 --response position "
        "--backend cpu --json --quiet");
    assert_true(json_number(p, "count") == 60.0 && json_number(p, "steps") == 42.0);
    assert_string_equal(json_text(p, "backend"), "cpu");
    assert_string_equal(json_text(p, "digest"), digest);
    free(digest);
    assert_false(viewer_same_pictures("cliv_1.png", "cliv_2.png"));
    // The one of step 41 was followed by a step.
    assert_false(viewer_same_pictures("cliv_2.png", "cliv_3.png"));
    json = play("move 160 120\nframe\n", "");
    assert_true(cJSON_IsNull(viewer_item(json, "particles")));
}

/// A mesh that no scale brings to the size of particles is refused in a line.
TEST(a_mesh_out_of_all_scale_is_refused)
{
    static const char tiny[] = "v 1e-42 0 0\nv 0 0 0\nv 0 1e-42 0\nf 1 2 3\n";
    write_file("cliv_tiny.obj", tiny, strlen(tiny));
    viewer_refuses("cliv_tiny.obj --particles 5 --frames 2", "too large or too small");
}

TEST(still_particles_stand)
{
    // On whatever holds them, OpenGL's own buffers among it.
    static const char* const backends[] = {"--particles 60 --backend cpu", "--particles 60 --backend gl"};
    for (int i = 0; i < 2; ++i) {
        cJSON* json =
            play("key P\nshot cliv_1.png\nframe 2\nshot cliv_2.png\nkey P\nframe 30\nshot cliv_3.png\n", backends[i]);
        assert_true(json_number(viewer_item(json, "particles"), "steps") == 31.0);
        assert_string_equal(json_text(viewer_item(json, "particles"), "backend"), i ? "gl" : "cpu");
        assert_true(viewer_same_pictures("cliv_1.png", "cliv_2.png"));
        assert_false(viewer_same_pictures("cliv_2.png", "cliv_3.png"));
        if (i == 0) assert_int_equal(rename("cliv_3.png", "cliv_cpu.png"), 0);
    }
    assert_true(viewer_same_pictures("cliv_3.png", "cliv_cpu.png"));
}

TEST(bodies_move_as_without_a_window)
{
    static const char* const scenes[] = {"--scene mixed --count 40", "--scene terrain --count 25",
                                         "--scene compound --count 20"};
    // A frame ends with a step. They stand, go one step, and lose their contacts in the picture.
    static const char events[] =
        "shot cliv_1.png\nframe 4\nshot cliv_2.png\nkey P\nshot cliv_3.png\nframe 2\nshot cliv_4.png\n"
        "key S\nframe 3\nshot cliv_5.png\nkey C\nshot cliv_6.png\n";
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        char line[200];
        snprintf(line, sizeof line, "contacts %s --steps 7 --seed 3 --backend cpu --json --quiet", scenes[i]);
        cJSON* json = viewer_play(scenes[i], events, "--seed 3 --backend cpu");
        const cJSON* b = viewer_item(json, "bodies");
        char* digest = digest_without_window(line);
        assert_true(json_number(b, "steps") == 7.0 && json_number(b, "contacts") > 0.0);
        assert_string_equal(json_text(b, "backend"), "cpu");
        assert_string_equal(json_text(b, "digest"), digest);
        free(digest);
        assert_false(viewer_same_pictures("cliv_1.png", "cliv_2.png"));
        assert_true(viewer_same_pictures("cliv_3.png", "cliv_4.png"));
        assert_false(viewer_same_pictures("cliv_4.png", "cliv_5.png"));
        assert_false(viewer_same_pictures("cliv_5.png", "cliv_6.png"));
    }
}

/// On whatever finds their contacts, and where there are none.
TEST(bodies_of_a_file)
{
    static const char two[] =
        "{\"shapes\": [{\"kind\": \"box\", \"half\": [1, 1, 1]}], \"bodies\": [{\"shape\": 0}, "
        "{\"shape\": 0, \"position\": [1e6, 0.5, 0.25]}, {\"shape\": 0, \"position\": [1000001, 0.5, 0.25]}]}";
    static const char none[] = "{\"shapes\": [], \"bodies\": []}";
    write_file("cliv_two.json", two, strlen(two));
    write_file("cliv_none.json", none, strlen(none));
    static const char* const backends[] = {"--backend cpu", "--backend gl"};
    for (int i = 0; i < 2; ++i) {
        cJSON* json = viewer_play("--bodies cliv_two.json", "frame 2\n", backends[i]);
        assert_true(json_number(viewer_item(json, "bodies"), "contacts") == 4.0);
        assert_string_equal(json_text(viewer_item(json, "bodies"), "backend"), i ? "gl" : "cpu");
        json = viewer_play("--bodies cliv_none.json", "frame 2\nkey F\nkey J\nframe\n", backends[i]);
        assert_true(json_number(viewer_item(json, "bodies"), "contacts") == 0.0);
    }
}

// ---- Recordings ----

TEST(recordings_go_forwards_and_backwards)
{
    // A ray cast whose warm-up is recorded too: two queries.
    tool_ends("raycast cliv_scene.obj --rays random:200 --backend cpu --repeat 1 --quiet --record cliv.record", 0);
    cJSON* json = viewer_play("--recording cliv.record", "shot cliv_1.png\nkey right\nshot cliv_2.png\n", "");
    const cJSON* r = viewer_shown_item(json, 2, 2);
    assert_string_equal(cJSON_GetArrayItem(viewer_item(r, "lines"), 0)->valuestring, "query 2: raycast");
    assert_false(json_truth(r, "differs"));
    // The scene is that of the query, with a line for each ray.
    assert_true(json_number(json, "objects") >= 1.0 && json_number(json, "triangles") == 12.0 * OBJECTS);
    assert_true(json_number(viewer_item(json, "shown"), "lines") >= 200.0);
    viewer_shown_item(viewer_play("--recording cliv.record", "key right\nframe\nkey left\nframe\n", ""), 1, 2);
    viewer_shown_item(viewer_play("--recording cliv.record", "key right\nkey right\nkey right\nframe\n", ""), 2, 2);
    // What is under the cursor is the recorded scene.
    json = viewer_play("--recording cliv.record", "move 160 120\nframe 2\n", "");
    const tact_pick_region point = {.shape = TACT_PICK_POINT, .x = 160, .y = 120};
    tact_pick picks[MOST];
    const size_t count = expected(json, &point, false, picks);
    assert_int_equal(count, cJSON_IsObject(viewer_item(json, "hover")));
}

TEST(every_kind_of_query_is_shown)
{
    static const char* const commands[] = {
        "closest cliv_scene.obj --points random:30",
        "points cliv_scene.obj --points random:30",
        "spherecast cliv_scene.obj --rays random:30 --radius 0.1",
        "overlap cliv_scene.obj cliv_scene.obj",
        "pairs --random 50",
        "cull --random 100 --frustum camera",
        "particles --random 30 --steps 2",
        "contacts --scene terrain --count 20",
        "pick cliv_scene.obj --frame --size 40x30",
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        char line[256];
        snprintf(line, sizeof line, "%s --backend cpu --repeat 1 --quiet --record cliv.record", commands[i]);
        tool_ends(line, 0);
        cJSON* json =
            viewer_play("--recording cliv.record --backend cpu", "frame\nkey end\nframe\nkey home\nframe\n", "");
        const cJSON *shown = viewer_item(json, "shown"), *r = viewer_item(json, "recording");
        assert_true(json_number(r, "item") == 1.0 && json_number(r, "items") >= 1.0);
        const double drawn =
            json_number(json, "triangles") + json_number(shown, "lines") + json_number(shown, "points");
        if (!(drawn > 10.0)) fail_msg("%s: nothing is shown", commands[i]);
    }
}

/// A signal closes the window as its keys do.
TEST(a_signal_closes_the_window)
{
    viewer_need_display();
    static const char* const ways[] = {"", "--events cliv_stop.events"};
    const char script[] = "frame 2\nshot cliv_begun.png\nframe 1000000\n";
    write_file("cliv_stop.events", script, strlen(script));
    for (size_t i = 0; i < 2; ++i) {
        char command[512];
        // What xvfb-run does for the tool, but that the signal is the tool's.
        snprintf(command, sizeof command,
                 "rm -f cliv_begun.png cliv_end.png; xvfb-run -a sh -c '%s view cliv_scene.obj --size 64x64 %s "
                 "--backend cpu "
                 "--json --image cliv_end.png >cliv_out.txt 2>cliv_err.txt & pid=$!; i=0; while [ $i -lt 600 ] && [ %s "
                 "]; do "
                 "sleep 0.05; i=$((i + 1)); done; kill -TERM $pid; wait $pid'",
                 TACT_PROGRAM, ways[i], i ? "! -e cliv_begun.png" : "$i -lt 60");
        const int status = system(command);
        const tool_outcome o = {WEXITSTATUS(status), tool_text("cliv_out.txt"), tool_text("cliv_err.txt")};
        if (tool_misses(&o)) skip_because("no OpenGL");
        tool_expect(command, &o, 143);
        assert_non_null(strstr(o.err, "tact view: stopped by signal 15, after "));
        assert_true(json_number(tool_json(command, &o), "frames") >= 1.0);
        assert_true(tact_platform_exists("cliv_end.png"));
    }
}

#include TEST_LIST
RUN_ALL(prepare, clean)
