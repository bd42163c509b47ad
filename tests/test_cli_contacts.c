// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact contacts` as scripts see it, and the files and generated sets of bodies that it takes.

#define _POSIX_C_SOURCE 200809L

#include "tests/support/run.h"

#include <math.h>

#include "apps/inputs/body_input.h"
#include "apps/system.h"
#include "apps/timing.h"
#include "tests/support/tool.h"

const char tool_prefix[] = "clicontacts";

static void write_text(const char* path, const char* text)
{
    FILE* f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/// A ball in the ground, and two boxes that stand on each other and in the ground, all 2^30 from the origin.
static void make_file(void)
{
    write_text("clicontacts.json",
               "{\"shapes\": [{\"kind\": \"half-space\"}, {\"kind\": \"sphere\", \"radius\": 0.5},\n"
               "            {\"kind\": \"box\", \"half\": [0.5, 0.5, 0.5]}],\n"
               " \"bodies\": [{\"shape\": 0, \"position\": [1073741824, 0, 0]},\n"
               "            {\"shape\": 1, \"position\": [1073741840, 0.4375, 0], \"velocity\": [0, -0.125, 0]},\n"
               "            {\"shape\": 2, \"position\": [1073741824, 0.484375, 0]},\n"
               "            {\"shape\": 2, \"position\": [1073741824, 1.46875, 0], \"category\": 6, \"mask\": 6}]}\n");
}

/// The rows that a run has written, whose digest is checked.
static const tact_contact_row* rows_of(const cJSON* json, size_t* count)
{
    char* text = tool_text("clicontacts.npy");
    *count = (size_t)json_number(json, "contacts");
    assert_true(json_number(json, "results") == (double)*count);
    assert_non_null(strstr(text + 10, tact_contact_row_descr));
    const size_t head = 10 + (size_t)(unsigned char)text[8] + 256 * (size_t)(unsigned char)text[9];
    const size_t size = *count * sizeof(tact_contact_row);
    void *bytes, *rows = malloc(size + 1);
    size_t whole;
    tact_problem problem = {0};
    assert_non_null(rows);
    at_end(free, rows);
    assert_true(tact_file_read("clicontacts.npy", &bytes, &whole, &problem));
    assert_int_equal(whole, head + size);
    memcpy(rows, (char*)bytes + head, size);
    free(bytes);
    assert_string_equal(json_text(json, "digest"), tact_digest_of(rows, size).text);
    return rows;
}

static void expect_row(const tact_contact_row* row, uint32_t a, uint32_t b, double y, float depth)
{
    double at[3];
    memcpy(at, row->at, sizeof at);
    assert_int_equal(row->a, a);
    assert_int_equal(row->b, b);
    assert_true(at[1] == y && row->depth == depth);
    assert_true(row->normal[0] == 0.0f && row->normal[1] == 1.0f && row->normal[2] == 0.0f);
    const double x = b == 1 ? 1073741840.0 : 1073741824.0, off = b == 1 ? 0.0 : 0.5;
    assert_true(fabs(at[0] - x) == off && fabs(at[2]) == off);
}

TEST(contacts_are_those_of_the_file)
{
    size_t count;
    make_file();
    const cJSON* json = tool_json_ends(
        "contacts --bodies clicontacts.json --backend cpu --json --quiet --shadow --out clicontacts.npy");
    const tact_contact_row* rows = rows_of(json, &count);
    assert_string_equal(json_text(json, "command"), "contacts");
    assert_true(json_number(json, "bodies") == 4.0 && json_number(json, "count") == 4.0);
    assert_true(json_number(json, "pairs") == 3.0);
    assert_int_equal(count, 9);
    expect_row(&rows[0], 0, 1, -0.03125, 0.0625f);
    for (int i = 1; i < 5; ++i)
        expect_row(&rows[i], 0, 2, -0.0078125, 0.015625f);
    for (int i = 5; i < 9; ++i)
        expect_row(&rows[i], 2, 3, 0.9765625, 0.015625f);
    for (int i = 1; i < 9; ++i)
        assert_true(rows[i - 1].b < rows[i].b || rows[i - 1].feature < rows[i].feature);
}

/// Also where the pair has a contact for each of several parts.
TEST(rows_are_sorted_by_pair_and_feature)
{
    const tact_contact contacts[3] = {
        {.a = 0, .b = 1, .count = 2, .point = {{.feature = 4}, {.feature = 9}}},
        {.a = 0, .b = 1, .part_b = 1, .count = 2, .point = {{.feature = 2}, {.feature = 5}}},
        {.a = 0, .b = 2, .count = 1, .point = {{.feature = 3}}}};
    static const uint32_t sorted[] = {2, 4, 5, 9, 3};
    const tact_pose poses[3] = {{.x = 1.0}};
    tact_contact_row rows[3 * TACT_CONTACT_MOST_POINTS];
    assert_int_equal(tact_contact_rows(contacts, 3, poses, rows), 5);
    for (int i = 0; i < 5; ++i)
        assert_int_equal(rows[i].feature, sorted[i]);
}

TEST(bodies_of_a_file_move_at_their_velocity)
{
    size_t count;
    make_file();
    const cJSON* json = tool_json_ends(
        "contacts --bodies clicontacts.json --backend cpu --json --quiet --steps 2 --out clicontacts.npy");
    const tact_contact_row* rows = rows_of(json, &count);
    expect_row(&rows[0], 0, 1, -0.15625, 0.3125f);
    const cJSON *step, *steps = cJSON_GetObjectItem(json, "steps");
    assert_int_equal(cJSON_GetArraySize(steps), 2);
    cJSON_ArrayForEach(step, steps) assert_true(json_number(step, "pairs") == 3.0);
    // Out of range after some time: an error, no wrong answer.
    write_text("clicontacts.json",
               "{\"shapes\": [{\"kind\": \"sphere\"}], \"bodies\": [{\"shape\": 0, \"velocity\": [1e12, 0, 0]}]}");
    tool_refuses("contacts --bodies clicontacts.json", "shapes[0]: \"radius\" is missing");
    write_text("clicontacts.json",
               "{\"shapes\": [{\"kind\": \"sphere\", \"radius\": 1}],\n"
               " \"bodies\": [{\"shape\": 0, \"velocity\": [1e12, 0, 0]}]}");
    tool_refuses("contacts --bodies clicontacts.json --steps 3", "moving the bodies: pose 0: a position not within");
}

/// A turn of 90 degrees about z, so that two turns are 180.
TEST(bodies_turn_and_swing_back)
{
    tact_body body = {.pose = {.x = 1.0}};
    tact_body_motion motion = {.velocity = {0.5, 0.0, 0.0}, .turn = {0.0f, 0.0f, 1.0f, 1.0f}};
    tact_body_input input = {.bodies = &body, .motions = &motion, .count = 1};
    static const struct {
        uint64_t step;
        bool swings;
        double x;
        float z, w;
    } expected[] = {{1, false, 1.5, 0.70710678f, 0.70710678f},  {2, false, 2.0, 1.0f, 0.0f},
                    {3, false, 2.5, 0.70710678f, -0.70710678f}, {3, true, 1.5, 0.70710678f, 0.70710678f},
                    {5, true, 0.5, -0.70710678f, 0.70710678f},  {6, true, 0.0, -1.0f, 0.0f}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
        tact_pose pose;
        input.swings = expected[i].swings;
        tact_body_input_poses(&input, expected[i].step, &pose);
        assert_true(pose.x == expected[i].x && pose.rotation.x == 0.0f && pose.rotation.y == 0.0f);
        assert_true(fabsf(pose.rotation.z - expected[i].z) < 1e-6f && fabsf(pose.rotation.w - expected[i].w) < 1e-6f);
    }
}

TEST(every_device_finds_the_same_contacts)
{
    tool_one_digest("contacts --scene boxes --count 700", "--shadow");
    tool_one_digest("contacts --scene mixed --count 700", "--shadow --out clicontacts.npy");
    tool_one_digest("contacts --scene terrain --count 300", "--shadow");
    tool_one_digest("contacts --scene compound --count 300", "--shadow");
}

/// Motion swings: after eight steps all is as it was. Sets that are made to fall are no heaps yet.
TEST(a_generated_set_is_a_heap_and_stays_one)
{
    for (size_t i = 0; i < tact_body_scene_count; ++i) {
        char arguments[256];
        const char* name = tact_body_scenes[i].name;
        if (strcmp(name, "pile") == 0 || strcmp(name, "drum") == 0) continue;
        snprintf(arguments, sizeof arguments, "contacts --scene %s --count 4000 --backend cpu --json --quiet", name);
        const cJSON* rest = tool_json_ends(arguments);
        const double touched = 2.0 * json_number(rest, "pairs") / json_number(rest, "bodies");
        if (!(touched >= 4.0 && touched <= 8.0)) fail_msg("%s: a body touches %g others", name, touched);
        char moving[300];
        snprintf(moving, sizeof moving, "%s --steps 8", arguments);
        const cJSON* json = tool_json_ends(moving);
        assert_string_equal(json_text(json, "digest"), json_text(rest, "digest"));
        const cJSON *step, *steps = cJSON_GetObjectItem(json, "steps");
        double least = 1e9, most = 0.0;
        cJSON_ArrayForEach(step, steps)
        {
            least = fmin(least, json_number(step, "contacts"));
            most = fmax(most, json_number(step, "contacts"));
        }
        assert_true(least < most && least > 0.7 * most);
        snprintf(moving, sizeof moving, "%s --seed 2", arguments);
        assert_string_not_equal(json_text(tool_json_ends(moving), "digest"), json_text(rest, "digest"));
    }
}

/// Bytes of the picture of a run: the more it shows the more they are.
static size_t picture_of(const char* arguments)
{
    char all[300];
    void* bytes = NULL;
    size_t size = 0;
    tact_problem problem = {0};
    snprintf(all, sizeof all, "contacts %s --quiet --image clicontacts.png", arguments);
    tool_ends(all, 0);
    assert_true(tact_file_read("clicontacts.png", &bytes, &size, &problem));
    assert_memory_equal(bytes, "\x89PNG\r\n", 6);
    free(bytes);
    return size;
}

TEST(pictures_show_the_bodies)
{
    make_file();
    const size_t three = picture_of("--bodies clicontacts.json"), heap = picture_of("--scene mixed --count 100");
    const size_t casts = picture_of("--scene mixed --count 100 --cast 20");
    write_text("clicontacts.json", "{\"shapes\": [], \"bodies\": []}");
    const size_t none = picture_of("--bodies clicontacts.json");
    if (!(none + 500 < three && three < heap && heap != casts)) fail_msg("%zu, %zu and %zu bytes", none, three, heap);
    tool_refuses("contacts --scene boxes --count 9 --image nowhere/clicontacts.png", "nowhere/clicontacts.png");
}

/// A ball and a triangle, cast at each other and at themselves, over the ground.
TEST(casts_are_those_of_the_set)
{
    write_text("clicontacts.json",
               "{\"shapes\": [{\"kind\": \"half-space\"}, {\"kind\": \"sphere\", \"radius\": 0.5},\n"
               "            {\"kind\": \"mesh\", \"points\": [[-1, 0, -1], [1, 0, -1], [0, 0, 1]],\n"
               "             \"triangles\": [[0, 2, 1]]}],\n"
               " \"bodies\": [{\"shape\": 0, \"position\": [1073741824, -2, 0]},\n"
               "            {\"shape\": 1, \"position\": [1073741824, 2, 0]},\n"
               "            {\"shape\": 2, \"position\": [1073741826, 2, 0]}]}\n");
    const cJSON* json =
        tool_json_ends("contacts --bodies clicontacts.json --cast 50 --json --quiet --shadow --out clicontacts.npy");
    assert_true(json_number(json, "casts") == 50.0 && json_number(json, "count") == 50.0);
    const double hits = json_number(json, "hits");
    // Each goes to a body, by way of the others.
    assert_true(hits == 50.0 && json_number(json, "results") == hits);
    assert_string_equal(json_text(json, "shadow"), "equal");
    char* text = tool_text("clicontacts.npy");
    assert_non_null(strstr(text + 10, tact_body_cast_row_descr));
    const size_t head = 10 + (size_t)(unsigned char)text[8] + 256 * (size_t)(unsigned char)text[9];
    void* bytes;
    size_t size;
    tact_problem problem = {0};
    assert_true(tact_file_read("clicontacts.npy", &bytes, &size, &problem));
    at_end(free, bytes);
    assert_int_equal(size, head + 50 * sizeof(tact_cast_row));
    size_t seen[3] = {0};
    for (uint32_t i = 0; i < 50; ++i) {
        tact_cast_row row;
        memcpy(&row, (char*)bytes + head + i * sizeof row, sizeof row);
        assert_int_equal(row.cast, i);
        assert_true(row.body <= 2 && row.fraction > 0.0 && row.fraction < 1.0);
        assert_true(fabs(row.x - 1073741824.0) < 40.0 && row.y > -2.01 && row.y < 3.1);
        ++seen[row.body];
    }
    assert_true(seen[1] > 0 && seen[2] > 0);
}

TEST(every_device_finds_the_same_hits)
{
    tool_one_digest("contacts --scene mixed --count 300 --cast 200", "--shadow");
    tool_one_digest("contacts --scene terrain --count 300 --cast 200", "--shadow --out clicontacts.npy");
    tool_one_digest("contacts --scene compound --count 200 --cast 50", "--shadow");
}

TEST(few_bodies_and_none)
{
    write_text("clicontacts.json", "{\"shapes\": [], \"bodies\": []}");
    const cJSON* json = tool_json_ends("contacts --bodies clicontacts.json --json --quiet --steps 2");
    assert_true(json_number(json, "bodies") == 0.0 && json_number(json, "contacts") == 0.0);
    json = tool_json_ends("contacts --scene mixed --count 1 --json --quiet --out clicontacts.npy");
    assert_true(json_number(json, "bodies") == 1.0 && json_number(json, "contacts") == 0.0);
}

TEST(verify_compares_every_device)
{
    const cJSON* json = tool_json_ends("verify --quick --query contacts --json --quiet");
    assert_true(json_truth(json, "passed"));
    const cJSON* row;
    double count = 0.0, distances = 0.0;
    cJSON_ArrayForEach(row, json_rows(json, 7 * 4 * 4 * 3))
    {
        distances += strcmp(json_text(row, "query"), "distances") == 0;
        assert_true(json_number(row, "count") == 200.0);
        count += strcmp(json_text(row, "status"), "equal") == 0;
    }
    assert_true(json_number(json, "checks") == count && count >= 168.0 && distances == 112.0);
}

TEST(options_that_do_not_go_together)
{
    tool_refuses("contacts", "one of --scene NAME, --bodies FILE is needed");
    tool_refuses("contacts --scene boxes --bodies a.json", "one of --scene NAME, --bodies FILE is needed");
    tool_refuses("contacts --bodies a.json --count 4", "--count 4: needs --scene NAME");
    tool_refuses("contacts --scene boxes --steps 2 --repeat 2", "--repeat 2: not with --steps");
    tool_refuses("contacts --scene boxes --steps 2 --cast 2", "--cast 2: not with --steps");
    tool_refuses("contacts --scene mixed --count 1 --cast 2", "mixed:1: no body that can be cast");
    tool_refuses("contacts --scene Boxes",
                 "--scene Boxes: must be one of boxes, hulls, mixed, terrain, compound, pile, drum");
    tool_refuses("contacts --bodies clicontacts_missing.json", "clicontacts_missing.json");
}

#define SHAPES(text) "{\"shapes\": [" text "], \"bodies\": []}"
#define BODIES(text) "{\"shapes\": [{\"kind\": \"half-space\"}], \"bodies\": [{\"shape\": 0}, " text "]}"

TEST(files_that_lie)
{
    static const char* const files[][2] = {
        {"", "f: byte 0: the file is empty"},
        {"{\"shapes\": [}", "f: byte 12: no JSON"},
        {"{\"shapes\": [], \"bodies\": []} 1", "f: byte 29: more than one JSON value"},
        {"[1]", "f: no list \"shapes\""},
        {"{\"shapes\": 4, \"bodies\": []}", "f: no list \"shapes\""},
        {"{\"shapes\": []}", "f: no list \"bodies\""},
        {SHAPES("3"), "f: shapes[0]: \"kind\" is none of sphere, "},
        {SHAPES("{\"kind\": \"cube\"}"), "f: shapes[0]: \"kind\" is none of sphere, "},
        {SHAPES("{\"kind\": \"box\"}"), "f: shapes[0]: \"half\" is missing"},
        {SHAPES("{\"kind\": \"box\", \"half\": 1}"), "f: shapes[0]: \"half\" is no list of 3 numbers"},
        {SHAPES("{\"kind\": \"box\", \"half\": [1, 1]}"), "f: shapes[0]: \"half\" is no list of 3 numbers"},
        {SHAPES("{\"kind\": \"box\", \"half\": [1, 1, 1, 1]}"), "f: shapes[0]: \"half\" is no list of 3 numbers"},
        {SHAPES("{\"kind\": \"box\", \"half\": [1, 1, 1e39]}"), "f: shapes[0]: \"half\" is no list of 3 numbers"},
        {SHAPES("{\"kind\": \"box\", \"half\": [1, 1, 1e999]}"), "f: shapes[0]: \"half\" is no list of 3 numbers"},
        {SHAPES("{\"kind\": \"capsule\", \"radius\": 1}"), "f: shapes[0]: \"half\" is missing"},
        {SHAPES("{\"kind\": \"sphere\", \"radius\": \"1\"}"), "f: shapes[0]: \"radius\" is no number"},
        {SHAPES("{\"kind\": \"sphere\", \"radius\": 1, \"half\": 1}"), "f: shapes[0]: \"half\" is nothing that it has"},
        {SHAPES("{\"kind\": \"sphere\", \"radius\": 1, \"radius\": 2}"), "f: shapes[0]: \"radius\" comes twice"},
        {SHAPES("{\"kind\": \"half-space\"}, {\"kind\": \"hull\"}"), "f: shapes[1]: \"points\" is missing"},
        {SHAPES("{\"kind\": \"hull\", \"points\": []}"), "f: shapes[0]: \"points\" is no list of lists of numbers"},
        {SHAPES("{\"kind\": \"cone\", \"half\": 1}"), "f: shapes[0]: \"radius\" is missing"},
        {SHAPES("{\"kind\": \"mesh\", \"points\": [[0, 0, 0]]}"), "f: shapes[0]: \"triangles\" is missing"},
        {SHAPES("{\"kind\": \"mesh\", \"points\": [[0, 0, 0]], \"triangles\": [[0, 0, 1]]}"),
         "f: shapes[0]: \"triangles\" has a corner that is none of the points"},
        {SHAPES("{\"kind\": \"mesh\", \"points\": [[0, 0, 0]], \"triangles\": [[0, 0]]}"),
         "f: shapes[0]: \"triangles\" has number 0, which is no list of 3 numbers"},
        {SHAPES("{\"kind\": \"mesh\", \"points\": [[0, 0, 0]], \"triangles\": [[0, 0, 0]], \"one-sided\": 1}"),
         "f: shapes[0]: \"one-sided\" is neither true nor false"},
        {SHAPES("{\"kind\": \"height-field\", \"heights\": 3}"), "f: shapes[0]: \"heights\" is no list of lists"},
        {SHAPES("{\"kind\": \"height-field\", \"heights\": [[]]}"), "f: shapes[0]: \"heights\" is no list of lists"},
        {SHAPES("{\"kind\": \"height-field\", \"heights\": [[0, 1], [2]], \"spacing\": [1, 1]}"),
         "f: shapes[0]: \"heights\" has number 1, which is no list of 2 numbers"},
        {SHAPES("{\"kind\": \"height-field\", \"heights\": [[0, 1], [2, 3]]}"), "f: shapes[0]: \"spacing\" is missing"},
        {SHAPES("{\"kind\": \"compound\", \"parts\": {}}"), "f: shapes[0]: \"parts\" is no list of parts"},
        {SHAPES("{\"kind\": \"half-space\"}, {\"kind\": \"compound\", \"parts\": [{\"shape\": 1}]}"),
         "f: shapes[1].parts[0]: \"shape\" is none of the shapes ahead of it"},
        {SHAPES("{\"kind\": \"compound\", \"parts\": [{}]}"), "f: shapes[0].parts[0]: \"shape\" is missing"},
        {SHAPES("{\"kind\": \"hull\", \"points\": [[0, 0, 0], [0, 0]]}"),
         "f: shapes[0]: \"points\" has number 1, which is no list of 3 numbers"},
        {BODIES("7"), "f: bodies[1] is no object"},
        {BODIES("{}"), "f: bodies[1]: \"shape\" is missing"},
        {BODIES("{\"shape\": 1}"), "f: bodies[1]: \"shape\" is none of the shapes"},
        {BODIES("{\"shape\": -1}"), "f: bodies[1]: \"shape\" is no whole number"},
        {BODIES("{\"shape\": 0.5}"), "f: bodies[1]: \"shape\" is no whole number"},
        {BODIES("{\"shape\": 0, \"mask\": 4294967296}"), "f: bodies[1]: \"mask\" is no whole number"},
        {BODIES("{\"shape\": 0, \"position\": [0, 0]}"), "f: bodies[1]: \"position\" is no list of 3 numbers"},
        {BODIES("{\"shape\": 0, \"turn\": [0, 0, 0, 0]}"), "f: bodies[1]: \"turn\" is a quaternion whose length"},
        {BODIES("{\"shape\": 0, \"rotation\": [0, 0, 0, 3]}"), "f: bodies[1]: \"rotation\" is a quaternion whose"},
        {BODIES("{\"shape\": 0, \"scale\": null}"), "f: bodies[1]: \"scale\" is no number that a float holds"},
        {BODIES("{\"shape\": 0, \"Scale\": 2}"), "f: bodies[1]: \"Scale\" is nothing that it has"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        tact_problem problem = {0};
        tact_body_input input;
        const char *text = files[i][0], *says = files[i][1];
        if (tact_body_input_parse(text, strlen(text), "f", &input, &problem)) fail_msg("%s: taken", text);
        if (strncmp(problem.text, says, strlen(says)) != 0) fail_msg("%s:\n%s, not\n%s", text, problem.text, says);
        assert_int_equal(problem.exit_code, 2);
        assert_null(input.shapes);
    }
    static char deep[20000];
    memset(deep, '[', sizeof deep);
    tact_problem problem = {0};
    tact_body_input input;
    assert_false(tact_body_input_parse(deep, sizeof deep, "f", &input, &problem));
    // What the library refuses is named by the file, too.
    write_text("clicontacts.json", SHAPES("{\"kind\": \"sphere\", \"radius\": -1}"));
    tool_refuses("contacts --bodies clicontacts.json", "clicontacts.json: shape 0: a radius or half length is not");
    write_text("clicontacts.json", BODIES("{\"shape\": 0, \"scale\": -1}"));
    tool_refuses("contacts --bodies clicontacts.json", "clicontacts.json: body 1: a scale of -1");
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
