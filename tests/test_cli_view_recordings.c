// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact view` of recordings: the items in order, what stays from one to the next, and where two of them differ.

#include "tests/support/run.h"

#include "tests/support/calls.h"
#include "tests/support/temporary.h"
#include "tests/support/tool.h"
#include "tests/support/viewer.h"

const char tool_prefix[] = "clir";

enum { BODIES = 12, ASKED = 6, POINTS = 125 };

TEST(frames_of_particles_go_forwards_and_backwards)
{
    static const char run[] = "particles --random 60 --steps 20 --every 4 --npy clir_frames --backend cpu --quiet";
    tool_ends(run, 0);
    cJSON* json =
        viewer_play("--recording clir_frames",
                    "shot clir_1.png\nkey end\nshot clir_2.png\nkey home\nshot clir_3.png\nkey left\nframe\n", "");
    const cJSON* r = viewer_shown_item(json, 1, 6);
    assert_string_equal(cJSON_GetArrayItem(viewer_item(r, "lines"), 0)->valuestring, "frame 0: 60 particles");
    assert_false(viewer_same_pictures("clir_1.png", "clir_2.png"));
    assert_true(viewer_same_pictures("clir_1.png", "clir_3.png"));
    // They play to the end, and from there anew; another key stops them.
    viewer_shown_item(viewer_play("--recording clir_frames", "key space\nframe 9\n", ""), 6, 6);
    viewer_shown_item(viewer_play("--recording clir_frames", "key end\nframe\nkey space\nframe 4\n", ""), 4, 6);
    viewer_shown_item(viewer_play("--recording clir_frames", "key space\nframe 3\nkey left\nframe 4\n", ""), 3, 6);
    // The slider, on which a drag turns nothing.
    json = viewer_play(
        "--recording clir_frames",
        "frame\nmove 20 212\nframe 2\nbutton left down\nframe\nmove 300 212\nframe 2\nbutton left up\nframe\n", "");
    if (cJSON_IsNull(viewer_item(json, "panel"))) skip_because("built without Dear ImGui");
    viewer_shown_item(json, 6, 6);
    assert_true(json_number(json, "picks") == 0.0);
}

/// The first item that differs is the one that `tact replay` names, and has marks in the picture.
TEST(two_recordings_begin_where_they_differ)
{
    tool_ends("raycast clir_cube.obj --rays random:200 --seed 2 --backend cpu --repeat 1 --quiet --record clir.record",
              0);
    tool_ends("replay clir.record --only 1 --list --export clir_export", 0);
    // A corner elsewhere, and the same rays.
    const char* rest = strchr(tool_cube, '\n');
    FILE* f = fopen("clir_moved.obj", "w");
    assert_non_null(f);
    fprintf(f, "v -1 -1 -1%s", rest);
    assert_int_equal(fclose(f), 0);
    tool_ends(
        "raycast clir_moved.obj --rays clir_export/query-1-rays.npy --backend cpu --repeat 1 --quiet "
        "--record clir_moved.record",
        0);
    tool_outcome o = tool_ends("replay clir.record --against clir_moved.record --json", 1);
    cJSON* named = tool_json("replay", &o);
    const cJSON* first = viewer_item(named, "first");
    static const char both[] = "--recording clir.record --against clir_moved.record";
    cJSON* json = viewer_play(both, "shot clir_1.png\n", "");
    const cJSON* r = viewer_item(json, "recording");
    assert_true(json_truth(r, "differs") && json_truth(r, "marked"));
    assert_string_equal(json_text(r, "what"), "ray");
    assert_true(json_number(r, "row") == json_number(first, "row"));
    assert_true(json_number(r, "item") == json_number(first, "number"));
    // Frames: of two runs the first frame that differs, which is not the first one.
    tool_ends("particles --random 60 --steps 20 --every 4 --npy clir_frames --backend cpu --quiet", 0);
    tool_ends("particles --random 60 --steps 20 --every 4 --npy clir_others --backend cpu --quiet", 0);
    static const char frames[] = "--recording clir_frames --against clir_others";
    json = viewer_play(frames, "frame\n", "");
    assert_false(json_truth(viewer_shown_item(json, 1, 6), "differs"));
    char* bytes = tool_text("clir_others/particles_00003.npy");
    const size_t size = 128 + 60 * 7 * sizeof(float);
    bytes[128 + 41 * 28 + 2] ^= 8;  // of particle 41's x
    write_file("clir_others/particles_00003.npy", bytes, size);
    json = viewer_play(frames, "frame\n", "");
    r = viewer_shown_item(json, 4, 6);
    assert_true(json_truth(r, "differs") && json_truth(r, "marked") && json_number(r, "row") == 41.0);
    assert_string_equal(json_text(r, "what"), "particle");
    const char* said = cJSON_GetArrayItem(viewer_item(r, "lines"), 2)->valuestring;
    if (!strstr(said, "clir_frames: position ") || !strstr(said, ", radius 0.5, velocity ")) fail_msg("%s", said);
    // What is nowhere, or as far away as floats go.
    for (int i = 0; i < 2; ++i) {
        const float far[4] = {i ? 3e38f : NAN, 0.0f, i ? INFINITY : 1.0f, i ? 3e38f : NAN};
        memcpy(bytes + 128, far, sizeof far);
        write_file("clir_others/particles_00000.npy", bytes, size);
        r = viewer_shown_item(viewer_play(frames, "move 160 120\nframe 3\n", ""), 1, 6);
        assert_true(json_truth(r, "differs") && json_number(r, "row") == 0.0);
        viewer_shown_item(viewer_play("--recording clir_others", "move 160 120\nframe 3\n", ""), 1, 6);
    }
    // Saved states, each of one moment.
    tool_ends("particles --random 60 --steps 20 --save clir_a.run --backend cpu --quiet", 0);
    tool_ends("particles --random 60 --steps 21 --save clir_b.run --backend cpu --quiet", 0);
    r = viewer_shown_item(viewer_play("--recording clir_a.run --against clir_b.run", "frame\n", ""), 1, 1);
    assert_true(json_truth(r, "differs") && json_number(r, "row") == 0.0);
    said = cJSON_GetArrayItem(viewer_item(r, "lines"), 2)->valuestring;
    if (!strstr(said, "clir_a.run: position ") || !strstr(said, ", radius 0.5, velocity ")) fail_msg("%s", said);
    r = viewer_shown_item(viewer_play("--recording clir_a.run --against clir_a.run", "frame\n", ""), 1, 1);
    assert_false(json_truth(r, "differs"));
}

// ---- Two answers in the picture ----

/// Balls on a ring, a million kilometres away; in the second set all but the last are farther in.
static tact_bodies* ring_of_balls(tact_context* context, bool second)
{
    const tact_body_shape ball = {.radius = 0.5f};
    tact_bodies* set = NULL;
    tact_body bodies[BODIES] = {0};
    uint32_t shape;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    assert_int_equal(tact_bodies_add_shape(set, &ball, &shape), TACT_OK);
    for (uint32_t i = 0; i < BODIES; ++i) {
        const double angle = 6.283185307179586 * i / BODIES, away = second && i + 1 < BODIES ? 1.75 : 1.875;
        bodies[i].shape = shape;
        bodies[i].pose.x = 1e9 + away * cos(angle);
        bodies[i].pose.z = away * sin(angle);
    }
    // Where the last one is the picture has its origin: that of the first set.
    if (second) bodies[BODIES - 1].pose.x += 1e5;
    assert_int_equal(tact_bodies_add(set, bodies, BODIES, NULL), TACT_OK);
    return set;
}

static void ask_of_bodies(tact_context* context, tact_recorded_kind kind, bool second)
{
    static const tact_pair pairs[] = {{0, 1}, {1, 2}, {2, 3}};
    tact_bodies* set = ring_of_balls(context, second);
    size_t count = 0;
    tact_result result;
    if (kind == TACT_RECORDED_BODIES) {
        result = tact_contacts_find(set, &(tact_contacts_work){.count = &count}, NULL, NULL);
    } else if (kind == TACT_RECORDED_BODY_DISTANCES) {
        result = tact_body_distances_find(
            set, &(tact_body_distances_work){.pairs = pairs, .pair_count = 3, .count = &count}, NULL, NULL);
    } else if (kind == TACT_RECORDED_BODY_CASTS) {
        tact_body_cast casts[ASKED] = {0};
        for (uint32_t i = 0; i < ASKED; ++i) {
            const double angle = 6.283185307179586 * i / ASKED;
            casts[i].from = (tact_pose){.x = 1e9, .scale = 0.25f};
            casts[i].to = (tact_pose){.x = 1e9 + 9.0 * cos(angle), .z = 9.0 * sin(angle)};
        }
        result = tact_body_casts_find(
            set, &(tact_body_casts_work){.casts = casts, .cast_count = ASKED, .count = &count}, NULL, NULL);
    } else {
        tact_body_nearest_item items[ASKED] = {0};
        for (uint32_t i = 0; i < ASKED; ++i)
            items[i].pose = (tact_pose){.x = 1e9 + 0.25 * i, .scale = 0.25f};
        result = tact_body_nearest_find(
            set, &(tact_body_nearest_work){.items = items, .item_count = ASKED, .count = &count}, NULL, NULL);
    }
    assert_true(result >= TACT_OK && count > 0);
    tact_bodies_destroy(set);
}

/// Triangles in a row, of which a plane leaves some: object 2 in the first answer, object 3 in the second.
static void cull_objects(tact_context* context, bool second)
{
    static const float corners[] = {0, 0, 0, 0.5f, 0, 0, 0, 1, 0};
    const tact_mesh_desc triangle = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const tact_plane planes[2] = {{{1, 0, 0}, second ? 9.0f : 2.75f}, {{-1, 0, 0}, second ? -2.75f : -1.75f}};
    tact_scene* scene = NULL;
    uint32_t mesh, ids[4];
    size_t count = 0;
    assert_int_equal(tact_scene_create(context, &scene), TACT_OK);
    assert_int_equal(tact_scene_add_mesh(scene, &triangle, &mesh), TACT_OK);
    for (uint32_t i = 0; i < 4; ++i) {
        const float at[12] = {1, 0, 0, (float)i, 0, 1, 0, 0, 0, 0, 1, 0};
        assert_int_equal(tact_scene_add_instance(scene, mesh, at, &ids[i]), TACT_OK);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    const tact_cull_scene_work work = {.planes = planes, .plane_count = 2};
    assert_int_equal(call_cull_scene(scene, &work, ids, 4, &count, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(ids[0], second ? 3 : 2);
    tact_scene_destroy(scene);
}

/// Turned boxes, with their classes: of the last one alone another.
static void cull_boxes(tact_context* context, bool second)
{
    tact_culler* culler = NULL;
    tact_obb boxes[4];
    uint32_t ids[4];
    uint8_t classes[4];
    size_t count = 0;
    for (int i = 0; i < 4; ++i)
        boxes[i] = (tact_obb){{(float)i, 0, 0}, {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}, {0.25f, 0.125f, 0.25f}};
    const tact_plane plane = {{1, 0, 0}, second ? 9.0f : 3.0f};
    assert_int_equal(tact_culler_create(context, &culler), TACT_OK);
    const tact_cull_work work = {
        .kind = TACT_CULL_OBBS, .volumes = boxes, .count = 4, .planes = &plane, .plane_count = 1};
    assert_int_equal(call_cull_volumes(culler, &work, ids, 4, &count, classes, NULL, NULL), TACT_OK);
    assert_int_equal(count, 4);
    tact_culler_destroy(culler);
}

/// What is nearest, within, and whether there is any, in a grid of points; the second one is wider, with other ids.
static void ask_of_cloud(tact_context* context, int what, bool second)
{
    tact_point_cloud* cloud = NULL;
    tact_vec3 points[POINTS];
    tact_closest_query queries[ASKED];
    tact_cloud_neighbour rows[3 * ASKED];
    uint64_t offsets[ASKED + 1];
    uint32_t ids[POINTS];
    uint8_t touched[ASKED];
    const float step = !second ? 1.0f : what == 2 ? 1.5f : 1.25f;
    for (uint32_t i = 0; i < POINTS; ++i)
        points[i] =
            (tact_vec3){step * (float)(second ? 4 - i % 5 : i % 5), step * (float)(i / 5 % 5), step * (float)(i / 25)};
    for (uint32_t i = 0; i < ASKED; ++i)
        queries[i] = (tact_closest_query){0.3f * (float)i, 0.5f, 1.0f, 0.6f};
    assert_int_equal(tact_point_cloud_create(context, points, POINTS, &cloud), TACT_OK);
    const tact_cloud_nearest_work nearest = {.queries = queries, .count = ASKED, .nearest = 3, .neighbours = rows};
    tact_cloud_within_work within = {.queries = queries, .count = ASKED};
    within.offsets = what == 1 ? offsets : NULL;
    within.ids = what == 1 ? ids : NULL;
    within.capacity = what == 1 ? POINTS : 0;
    within.touched = what == 2 ? touched : NULL;
    if (what == 0) assert_int_equal(tact_cloud_nearest(cloud, &nearest, NULL, NULL), TACT_OK);
    if (what != 0) assert_int_equal(tact_cloud_within(cloud, &within, NULL, NULL), TACT_OK);
    tact_point_cloud_destroy(cloud);
}

static void record(tact_recorded_kind kind, int what, bool second)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .record_queries = 1};
    tact_context* context = NULL;
    assert_int_equal(tact_context_create(&desc, &context), TACT_OK);
    if (kind == TACT_RECORDED_CULL_SCENE) {
        cull_objects(context, second);
    } else if (kind == TACT_RECORDED_CULL) {
        cull_boxes(context, second);
    } else if (kind == TACT_RECORDED_CLOUD_NEAREST || kind == TACT_RECORDED_CLOUD_WITHIN) {
        ask_of_cloud(context, what, second);
    } else {
        ask_of_bodies(context, kind, second);
    }
    assert_int_equal(tact_record_save(context, second ? "clir_b.record" : "clir_a.record"), TACT_OK);
    tact_context_destroy(context);
}

/// Both answers are in the picture, in the colours that the panel has for them.
static void check_marks(const char* name, const char* what)
{
    static const unsigned char first[3] = {90, 200, 255}, second[3] = {255, 130, 90};
    cJSON* json = viewer_play("--recording clir_a.record --against clir_b.record", "shot clir_marks.bmp\n", "");
    const cJSON* r = viewer_item(json, "recording");
    if (!json_truth(r, "differs") || !json_truth(r, "marked")) fail_msg("%s: no marks", name);
    if (strcmp(json_text(r, "what"), what) != 0) fail_msg("%s: of a %s", name, json_text(r, "what"));
    const size_t blue = viewer_pixels("clir_marks.bmp", first), orange = viewer_pixels("clir_marks.bmp", second);
    if (blue < 8 || orange < 8) fail_msg("%s: %zu pixels of the first and %zu of the second", name, blue, orange);
    // About what is shown, wherever that of the second recording was.
    for (int i = 0; i < 3; ++i) {
        const double at = cJSON_GetArrayItem(viewer_item(viewer_item(json, "camera"), "target"), i)->valuedouble;
        if (!(fabs(at) < 50.0)) fail_msg("%s: looks at %g", name, at);
    }
}

TEST(both_answers_are_in_the_picture)
{
    static const struct {
        tact_recorded_kind kind;
        int what;
        const char* item;
    } cases[] = {
        {TACT_RECORDED_BODIES, 0, "contact"},          {TACT_RECORDED_BODY_CASTS, 0, "hit"},
        {TACT_RECORDED_BODY_DISTANCES, 0, "pair"},     {TACT_RECORDED_BODY_NEAREST, 0, "item"},
        {TACT_RECORDED_CULL_SCENE, 0, "object"},       {TACT_RECORDED_CULL, 0, "volume"},
        {TACT_RECORDED_CLOUD_NEAREST, 0, "neighbour"}, {TACT_RECORDED_CLOUD_WITHIN, 1, "query"},
        {TACT_RECORDED_CLOUD_WITHIN, 2, "query"},
    };
    viewer_need_display();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        record(cases[i].kind, cases[i].what, false);
        record(cases[i].kind, cases[i].what, true);
        check_marks(tact_recorded_kind_name(cases[i].kind), cases[i].item);
    }
}

TEST(triangles_that_overlap_are_in_the_picture)
{
    static const struct {
        const char *command, *item;
    } cases[] = {
        {"overlap clir_cube.obj clir_cube.obj --random 5", "pair"},
        {"filter --random-scene 60", "pair"},
    };
    viewer_need_display();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        for (int k = 0; k < 2; ++k) {
            char line[200];
            snprintf(line, sizeof line, "%s --contacts clir_pairs.npy", cases[i].command);
            if (strstr(cases[i].command, "filter")) *strstr(line, " --contacts") = '\0';
            snprintf(line + strlen(line), sizeof line - strlen(line),
                     " --seed %d --backend cpu --repeat 1 --quiet --record clir_%c.record", k + 1, 'a' + k);
            tool_ends(line, 0);
        }
        check_marks(cases[i].command, cases[i].item);
    }
}

/// Of classes that differ the object is named, also behind lists of ids of other lengths.
TEST(classes_are_told_by_their_object)
{
    record(TACT_RECORDED_CULL, 0, false);
    record(TACT_RECORDED_CULL, 0, true);
    const char both[] = "replay clir_a.record --against clir_b.record --json";
    tool_outcome o = tool_ends(both, 1);
    const cJSON* first = viewer_item(tool_json(both, &o), "first");
    assert_string_equal(json_text(first, "what"), "volume");
    assert_true(json_number(first, "row") == 3.0 && json_number(viewer_item(first, "a"), "id") == 3.0);
    assert_true(json_number(viewer_item(first, "a"), "class") != json_number(viewer_item(first, "b"), "class"));
}

// ---- What stays ----

/// A scene that several queries ask is shaded once; a click's choice stays while it is.
TEST(a_scene_stays_while_queries_ask_it)
{
    tool_ends("raycast clir_cube.obj --rays random:50 --backend cpu --repeat 2 --quiet --record clir.record", 0);
    static const char click[] = "frame\nmove 160 120\nbutton left down\nbutton left up\nleave\nframe\n";
    char events[300];
    snprintf(events, sizeof events, "%skey right\nshot clir_1.png\nkey left\nframe\nkey end\nshot clir_2.png\n", click);
    cJSON* json = viewer_play("--recording clir.record", events, "");
    viewer_shown_item(json, 3, 3);
    assert_int_equal(cJSON_GetArraySize(viewer_item(json, "selected")), 1);
    assert_true(viewer_same_pictures("clir_1.png", "clir_2.png"));
    // Another scene, or what culling leaves of it, is not taken for the one before.
    tool_ends("pairs --random 40 --backend cpu --repeat 1 --quiet --record clir.record", 0);
    json = viewer_play("--recording clir.record", "key right\nframe\n", "");
    assert_true(json_number(json, "triangles") == 12.0 * 40);
    json = viewer_play("--recording clir_frames",
                       "shot clir_1.png\nkey right\nshot clir_2.png\nkey left\nshot clir_3.png\n", "");
    assert_false(viewer_same_pictures("clir_1.png", "clir_2.png"));
    assert_true(viewer_same_pictures("clir_1.png", "clir_3.png"));
}

// ---- What is no ordinary recording ----

static void write_frame(const char* folder, const char* shape, const float* rows, size_t size)
{
    char line[100];
    snprintf(line, sizeof line, "mkdir -p %s", folder);
    assert_int_equal(system(line), 0);
    snprintf(line, sizeof line, "%s/particles_00000.npy", folder);
    write_array(line, "<f4", shape, rows, size);
}

/// Frames without particles, of particles that turn beside others that do not, and folders without frames.
TEST(odd_frames_are_shown_or_refused)
{
    static const float rows[26] = {0, 0, 0, 0.5f, 0, 0, 0, 1, 1, 1, 0.5f};
    viewer_need_display();
    write_frame("clir_none", "(0, 7)", rows, 0);
    write_frame("clir_plain", "(2, 7)", rows, 14 * sizeof *rows);
    write_frame("clir_turning", "(2, 13)", rows, sizeof rows);
    cJSON* json = viewer_play("--recording clir_none", "frame 2\nkey F\nkey J\nframe\n", "");
    assert_true(json_number(json, "triangles") == 0.0);
    json = viewer_play("--recording clir_none --against clir_plain", "frame\n", "");
    assert_true(json_truth(viewer_shown_item(json, 1, 1), "marked"));
    json = viewer_play("--recording clir_plain --against clir_turning", "frame\n", "");
    const cJSON* r = viewer_shown_item(json, 1, 1);
    assert_true(json_truth(r, "differs") && !json_truth(r, "marked"));
    assert_string_equal(cJSON_GetArrayItem(viewer_item(r, "lines"), 3)->valuestring,
                        "clir_turning: particles that turn");
    assert_int_equal(system("mkdir -p clir_empty"), 0);
    viewer_refuses("--recording clir_empty --frames 1", "there are no frames in it");
}

/// The panel, the slider and what is kept of the picture follow the window, however small.
TEST(a_window_of_one_pixel_and_back)
{
    tool_ends("raycast clir_cube.obj --rays random:50 --backend cpu --repeat 1 --quiet --record clir.record", 0);
    static const char events[] =
        "shot clir_1.png\nresize 1 1\nframe 2\nkey right\nframe\nresize 40 1\nmove 20 0\nframe 2\nleave\n"
        "resize 320 240\nframe\nshot clir_2.png\n";
    cJSON* json = viewer_play("--recording clir.record", events, "--overlay");
    viewer_shown_item(json, 2, 2);
    json = viewer_play("--recording clir.record", events, "");
    assert_true(json_number(json, "width") == 320.0 && json_number(json, "height") == 240.0);
    assert_true(viewer_same_pictures("clir_1.png", "clir_2.png"));
}

static int prepare(void** state)
{
    write_file("clir_cube.obj", tool_cube, strlen(tool_cube));
    return 0;
}

#include TEST_LIST
RUN_ALL(prepare, NULL)
