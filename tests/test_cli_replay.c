// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact replay`, and --record of the query commands, as scripts see them.

#define _POSIX_C_SOURCE 200809L

#include "tests/support/run.h"

#include "apps/inputs/npy.h"
#include "apps/system.h"
#include "core/record/record.h"
#include "tests/support/temporary.h"
#include "tests/support/tool.h"

const char tool_prefix[] = "clireplay";

static void read_all(const char* path, uint8_t** bytes, size_t* size)
{
    tact_problem problem = {0};
    void* read = NULL;
    if (!tact_file_read(path, &read, size, &problem)) fail_msg("%s", problem.text);
    *bytes = read;
}

TEST(every_command_records)
{
    static const char* const commands[][2] = {
        {"raycast --mesh clireplay_cube.obj --rays camera:8x6", "raycast"},
        {"raycast --mesh clireplay_cube.obj --rays random:40 --mode count", "raycast"},
        {"closest --mesh clireplay_cube.obj --points random:30", "closest"},
        {"points --mesh clireplay_cube.obj --points random:30", "locate"},
        {"spherecast --mesh clireplay_cube.obj --rays random:30 --radius 0.1", "spheres"},
        {"overlap clireplay_cube.obj clireplay_cube.obj", "overlap"},
        {"pairs --random 50", "pairs"},
        {"cull --random 100 --frustum camera", "cull"},
        {"particles --random 30 --steps 2", "particles"},
        {"contacts --scene terrain --count 20", "bodies"},
        {"pick clireplay_cube.obj --frame --size 40x30", "pick"},
        {"pick clireplay_cube.obj --rect 5,5,20,20 --touched --size 40x30", "pick"},
    };
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        char all[1024];
        snprintf(all, sizeof all, "%s --backend cpu --repeat 1 --quiet --json --record clireplay.record",
                 commands[i][0]);
        tool_outcome o = tool_ends(all, 0);
        cJSON* asked = tool_json(all, &o);
        static const char* const backends[] = {"auto", "reference", "cpu"};
        // Devices are opened only once.
        for (size_t k = i > 0; k < 3; ++k) {
            snprintf(all, sizeof all, "replay clireplay.record --json --quiet --backend %s", backends[k]);
            o = tool_ends(all, 0);
            cJSON* json = tool_json(all, &o);
            assert_true(json_number(json, "ran") >= 1);
            assert_true(json_number(json, "differing") == 0);
            const cJSON* last = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "queries"), 0);
            assert_string_equal(json_text(last, "query"), commands[i][1]);
            assert_string_equal(json_text(last, "status"), "equal");
            // The digest of particles is that of a saved system, not of positions; of bodies that of contacts, not of
            // their points.
            if (strcmp(commands[i][1], "particles") != 0 && strcmp(commands[i][1], "overlap") != 0 &&
                strcmp(commands[i][1], "bodies") != 0) {
                assert_string_equal(json_text(last, "digest"), json_text(asked, "digest"));
            }
        }
        // Every kind has a picture.
        o = tool_ends("replay clireplay.record --only 1 --list --quiet --backend cpu --image clireplay.png", 0);
        uint8_t* png = NULL;
        size_t size = 0;
        read_all("clireplay.png", &png, &size);
        assert_true(size > 50 && memcmp(png, "\x89PNG", 4) == 0);
        free(png);
        assert_int_equal(remove("clireplay.png"), 0);
    }
}

static void make_record(void)
{
    const char all[] =
        "raycast --mesh clireplay_cube.obj --rays camera:8x6 --backend cpu --quiet --record clireplay_one.record";
    tool_ends(all, 0);
}

TEST(another_answer_is_exit_code_1)
{
    make_record();
    uint8_t* bytes = NULL;
    size_t size = 0;
    read_all("clireplay_one.record", &bytes, &size);
    // The last chunk is a query; its digest, 16 bytes before that of the answer's, is another from here on.
    tact_recorded_query q;
    uint8_t* query = bytes + size - TACT_RECORD_QUERY_BYTES;
    assert_true(tact_record_get_query(query, &q));
    ++q.digest;
    tact_record_put_query(&q, query);
    const uint64_t sum = tact_xxh64_of(bytes + TACT_RECORD_HEADER, size - TACT_RECORD_HEADER);
    for (int i = 0; i < 8; ++i)
        bytes[24 + i] = (uint8_t)(sum >> 8 * i);
    write_file("clireplay_other.record", bytes, size);
    tool_outcome o = tool_ends("replay clireplay_other.record", 1);
    assert_non_null(strstr(o.out, "DIFFERS"));
    assert_non_null(strstr(o.err, "another answer"));
    // Only the one that is right.
    char only[128];
    snprintf(only, sizeof only, "replay clireplay_other.record --only %d", (int)q.number - 1);
    o = tool_ends(only, 0);
    // The answers are the same when they are had again, but they were not.
    o = tool_ends("replay clireplay_one.record --against clireplay_other.record", 1);
    assert_non_null(strstr(o.out, "another digest"));
    // Told of, and not run.
    o = tool_ends("replay clireplay_other.record --list", 0);
    assert_null(strstr(o.out, "DIFFERS"));
    // Broken where it counts.
    bytes[200] ^= 1;
    write_file("clireplay_broken.record", bytes, size);
    tool_refuses("replay clireplay_broken.record", "checksum");
    free(bytes);
}

TEST(what_was_asked_is_exported)
{
    make_record();
    tool_outcome o = tool_ends("replay clireplay_one.record --only 1 --list --export clireplay_export", 0);
    tact_npy_table rays;
    tact_problem problem = {0};
    if (!tact_npy_read("clireplay_export/query-1-rays.npy", TACT_NPY_FLOAT32, 8, &rays, &problem)) {
        fail_msg("%s", problem.text);
    }
    assert_int_equal(rays.rows, 48);
    free(rays.data);
    o = tool_ends("replay clireplay_one.record --only 1 --list --image clireplay_rays.png --backend cpu", 0);
    uint8_t* png = NULL;
    size_t size = 0;
    read_all("clireplay_rays.png", &png, &size);
    assert_true(size > 1000 && memcmp(png, "\x89PNG", 4) == 0);
    free(png);
    tool_refuses("replay clireplay_one.record --image clireplay_rays.png", "--only");
    // The mesh and the rays give the same answer by the ordinary way.
    const char again[] =
        "raycast --mesh clireplay_export/query-1-mesh-0.obj --rays clireplay_export/query-1-rays.npy "
        "--backend cpu --json --quiet";
    o = tool_ends(again, 0);
    cJSON* json = tool_json(again, &o);
    tool_outcome listed = tool_run("replay clireplay_one.record --only 1 --list --json");
    cJSON* list = tool_json("--list", &listed);
    const cJSON* first = cJSON_GetArrayItem(cJSON_GetObjectItem(list, "queries"), 0);
    assert_string_equal(json_text(first, "digest"), json_text(json, "digest"));
}

/// The picture of a cast of 1,000 rays, of which the last 500 go to the middle of the mesh or, as the first 500, away.
static void draw_thousand(bool hit, uint8_t** png, size_t* size)
{
    enum { RAYS = 1000 };
    float rays[RAYS][8];
    for (int i = 0; i < RAYS; ++i) {
        const float angle = 6.2831853f * (float)i / RAYS;
        const float x = 5.0f * cosf(angle), z = 5.0f * sinf(angle), way = hit && i >= RAYS / 2 ? -1.0f : 1.0f;
        const float ray[8] = {x, 0, z, 0, way * x, 0, way * z, 4};
        memcpy(rays[i], ray, sizeof ray);
    }
    tact_problem problem = {0};
    if (!tact_npy_write("clireplay_rays.npy", TACT_NPY_FLOAT32, RAYS, 8, rays, &problem)) fail_msg("%s", problem.text);
    const char cast[] =
        "raycast --mesh clireplay_cube.obj --rays clireplay_rays.npy --record clireplay_thousand.record";
    tool_ends(cast, 0);
    tool_ends("replay clireplay_thousand.record --only 1 --image clireplay_thousand.png", 0);
    read_all("clireplay_thousand.png", png, size);
}

TEST(pictures_show_rays_from_all_of_a_batch)
{
    uint8_t *with = NULL, *without = NULL;
    size_t sizes[2];
    draw_thousand(true, &with, &sizes[0]);
    draw_thousand(false, &without, &sizes[1]);
    assert_false(sizes[0] == sizes[1] && memcmp(with, without, sizes[0]) == 0);
    free(with);
    free(without);
}

TEST(verify_writes_a_report)
{
    const char as_json[] =
        "verify --quick --query scene --scene nothing --backend cpu --quiet "
        "--report clireplay_verify.json";
    tool_ends(as_json, 0);
    char* text = tool_text("clireplay_verify.json");
    cJSON* json = cJSON_Parse(text);
    assert_non_null(json);
    assert_true(json_truth(json, "passed") && json_number(json, "checks") >= 14);
    const cJSON* machine = cJSON_GetObjectItem(json, "machine");
    assert_non_null(machine);
    assert_string_equal(json_text(machine, "tact"), tact_version());
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(machine, "devices")), 1);
    cJSON_Delete(json);
    const char as_text[] =
        "verify --quick --query scene --scene nothing --backend cpu --quiet "
        "--report clireplay_verify.txt";
    tool_ends(as_text, 0);
    text = tool_text("clireplay_verify.txt");
    static const char* const says[] = {"arithmetic exact", "all-hits", "submit", "alpha", "built",
                                       "fitted",           "in-view",  "cull",   "passed"};
    for (size_t i = 0; i < sizeof says / sizeof says[0]; ++i)
        assert_non_null(strstr(text, says[i]));
}

TEST(wrong_use_is_refused)
{
    make_record();
    tool_refuses("replay", "one file");
    tool_refuses("replay clireplay_missing.record", "clireplay_missing.record");
    tool_refuses("replay clireplay_one.record --only 99", "no such query");
    write_file("clireplay_text.record", "hello", 5);
    tool_refuses("replay clireplay_text.record", "no recorded queries");
}

// ---- Two recordings ----

/// The first row of two arrays of hits, five words each, that differs.
static size_t first_other_row(const char* a, const char* b)
{
    uint8_t *x = NULL, *y = NULL;
    size_t size = 0, other = 0, row = 0;
    read_all(a, &x, &size);
    read_all(b, &y, &other);
    assert_true(size == other && size > 200);
    const size_t head = 10u + x[8] + 256u * x[9];  // NumPy's header
    while (head + 20 * row < size && memcmp(x + head + 20 * row, y + head + 20 * row, 20) == 0)
        ++row;
    assert_true(head + 20 * row < size);
    free(x);
    free(y);
    return row;
}

TEST(the_first_ray_that_differs_is_found)
{
    // One vertex of a cube in another place.
    char* moved = strdup(tool_cube);
    char* vertex = strstr(moved, "v 1 1 1");
    assert_non_null(vertex);
    memcpy(vertex, "v 1 2 1", 7);
    write_file("clireplay_moved.obj", moved, strlen(moved));
    free(moved);
    static const char* const names[] = {"cube", "moved"};
    for (int i = 0; i < 2; ++i) {
        char all[512];
        snprintf(all, sizeof all,
                 "raycast clireplay_%s.obj --rays random:500 --seed 4 --backend cpu --repeat 1 --quiet "
                 "--out clireplay_%s.npy --record clireplay_%s.record",
                 names[i], names[i], names[i]);
        tool_ends(all, 0);
    }
    // The rays are those of the scene's box; so the same rays are cast at both.
    tool_ends("replay clireplay_cube.record --only 1 --list --export clireplay_export", 0);
    tool_ends(
        "raycast clireplay_moved.obj --rays clireplay_export/query-1-rays.npy --backend cpu --repeat 1 --quiet "
        "--out clireplay_moved.npy --record clireplay_moved.record",
        0);
    const size_t row = first_other_row("clireplay_cube.npy", "clireplay_moved.npy");
    const char all[] = "replay clireplay_cube.record --against clireplay_moved.record --json";
    tool_outcome o = tool_ends(all, 1);
    cJSON* json = tool_json(all, &o);
    const cJSON* first = cJSON_GetObjectItem(json, "first");
    assert_true(json_number(json, "differing") >= 1 && json_number(first, "number") == 1);
    assert_string_equal(json_text(first, "query"), "raycast");
    assert_string_equal(json_text(first, "what"), "ray");
    assert_true(json_number(first, "row") == (double)row);
    assert_non_null(strstr(json_text(first, "asked"), "mesh 0, vertex"));
    const cJSON *a = cJSON_GetObjectItem(first, "a"), *b = cJSON_GetObjectItem(first, "b");
    assert_true(json_number(a, "primitive") != json_number(b, "primitive") ||
                json_number(a, "t") != json_number(b, "t") || json_number(a, "u") != json_number(b, "u"));
    char said[64];
    snprintf(said, sizeof said, "query 1, raycast: ray %zu differs", row);
    o = tool_ends("replay clireplay_cube.record --against clireplay_moved.record", 1);
    assert_non_null(strstr(o.out, said));
    // With itself there is nothing.
    const char same[] = "replay clireplay_cube.record --against clireplay_cube.record --json";
    o = tool_ends(same, 0);
    json = tool_json(same, &o);
    assert_true(json_number(json, "differing") == 0 && json_number(json, "compared") >= 1);
    assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "first")));
}

TEST(the_first_item_of_every_kind_is_found)
{
    static const struct {
        const char *command, *what;
    } cases[] = {
        {"raycast clireplay_cube.obj --rays random:40", "ray"},
        {"closest clireplay_cube.obj --points random:30", "point"},
        {"points clireplay_cube.obj --points random:30", "point"},
        {"spherecast clireplay_cube.obj --rays random:30 --radius 0.1", "sphere"},
        {"pairs --random 200", "pair"},
        {"cull --random 100 --frustum camera", "volume"},
        {"particles --random 30 --steps 2", "particle"},
        {"contacts --scene mixed --count 30", "contact"},
        {"filter --random-scene 40", "pair"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char all[512];
        for (int k = 1; k <= 2; ++k) {
            snprintf(all, sizeof all, "%s --seed %d --backend cpu --repeat 1 --quiet --record clireplay_%d.record",
                     cases[i].command, k, k);
            tool_ends(all, 0);
        }
        const char both[] = "replay clireplay_1.record --against clireplay_2.record --json";
        tool_outcome o = tool_ends(both, 1);
        cJSON* json = tool_json(both, &o);
        const cJSON* first = cJSON_GetObjectItem(json, "first");
        assert_string_equal(json_text(first, "what"), cases[i].what);
        assert_true(strlen(json_text(first, "asked")) > 0);
        tool_ends("replay clireplay_2.record --against clireplay_2.record", 0);
    }
    // Of other kinds, and more queries than the other has.
    tool_outcome o = tool_ends("replay clireplay_cube.record --against clireplay_1.record", 1);
    assert_non_null(strstr(o.out, "another kind"));
    tool_refuses("replay clireplay_1.record --against clireplay_missing.record", "clireplay_missing.record");
    tool_refuses("replay clireplay_1.record --against clireplay_2.record --list", "--against");
    tool_refuses("replay clireplay_1.record --against clireplay_2.record --only 99", "no such query");
}

// ---- Bodies ----

enum { BODIES = 24, ASKED = 12 };

/// Boxes, balls and rods that stand apart on a ring on the ground, a million kilometres away.
static tact_bodies* ring_of_bodies(tact_context* context)
{
    const tact_body_shape shapes[] = {{.kind = TACT_BODY_HALF_SPACE},
                                      {.kind = TACT_BODY_BOX, .half = {0.5f, 0.5f, 0.25f}},
                                      {.radius = 0.5f},
                                      {.kind = TACT_BODY_CAPSULE, .radius = 0.25f, .half = {0, 0.25f, 0}}};
    tact_bodies* set = NULL;
    tact_body bodies[BODIES] = {0};
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    for (uint32_t i = 0; i < 4; ++i) {
        uint32_t number;
        assert_int_equal(tact_bodies_add_shape(set, &shapes[i], &number), TACT_OK);
    }
    for (uint32_t i = 0; i < BODIES; ++i) {
        const double angle = 6.283185307179586 * i / (BODIES - 1);
        bodies[i].shape = i ? 1 + i % 3 : 0;
        bodies[i].pose.x = 1e9 + (i ? 4.0 * cos(angle) : 0.0);
        bodies[i].pose.y = i ? 0.4375 : 0.0;
        bodies[i].pose.z = i ? 4.0 * sin(angle) : 0.0;
    }
    assert_int_equal(tact_bodies_add(set, bodies, BODIES, NULL), TACT_OK);
    return set;
}

static void cast_over_ring(tact_bodies* set, bool found)
{
    tact_body_cast casts[ASKED] = {0};
    size_t count = 0;
    for (uint32_t i = 0; i < ASKED; ++i) {
        const double angle = 6.283185307179586 * (i + 0.25) / ASKED;
        casts[i].shape = 1 + i % 3;
        casts[i].from = (tact_pose){.x = 1e9, .y = 1.0, .scale = 0.75f};
        casts[i].to = (tact_pose){.x = 1e9 + 7.0 * cos(angle),
                                  .y = i % 4 ? 1.0 : 6.0,
                                  .z = 7.0 * sin(angle),
                                  .rotation = {0, 0.7f, 0.1f, 0.7f}};
        if (!found) casts[i].categories.category = 1;
    }
    const tact_body_casts_work work = {.casts = casts, .cast_count = ASKED, .count = &count};
    assert_true(tact_body_casts_find(set, &work, NULL, NULL) >= TACT_OK);
    size_t hits = 0;
    const tact_body_cast_hit* all = tact_body_casts_last(set, &count);
    for (size_t i = 0; i < count; ++i)
        hits += all[i].body != TACT_NONE;
    assert_true(found ? hits > 2 && hits < ASKED : hits == 0);
}

static void ask_of_ring(tact_bodies* set, tact_recorded_kind kind, bool found)
{
    static const tact_pair pairs[] = {{0, 1}, {1, 2}, {2, 3}, {5, 17}, {8, 20}};
    tact_body_nearest_item items[ASKED] = {0};
    size_t count = 0;
    switch (kind) {
        case TACT_RECORDED_BODIES: {
            const tact_contacts_work work = {.pairs = pairs + 1, .pair_count = found ? 0 : 2, .count = &count};
            assert_true(tact_contacts_find(set, found ? &(tact_contacts_work){.count = &count} : &work, NULL, NULL) >=
                        0);
            assert_true((count > 0) == found);
            break;
        }
        case TACT_RECORDED_BODY_CASTS:
            cast_over_ring(set, found);
            break;
        case TACT_RECORDED_BODY_DISTANCES: {
            const tact_body_distances_work work = {
                .pairs = pairs, .pair_count = 5, .farthest = found ? 0.0f : 1e-6f, .count = &count};
            assert_true(tact_body_distances_find(set, &work, NULL, NULL) >= TACT_OK);
            break;
        }
        default: {
            for (uint32_t i = 0; i < ASKED; ++i) {
                const double angle = 6.283185307179586 * (i + 0.25) / ASKED;
                items[i].shape = 1 + i % 3;
                items[i].farthest = found ? 0.0f : 1e-6f;
                items[i].pose =
                    (tact_pose){.x = 1e9 + 2.0 * cos(angle), .y = 2.0, .z = 2.0 * sin(angle), .scale = 0.5f};
            }
            const tact_body_nearest_work work = {.items = items, .item_count = ASKED, .count = &count};
            assert_true(tact_body_nearest_find(set, &work, NULL, NULL) >= TACT_OK);
            break;
        }
    }
}

/// The picture of a query that finds something, or nothing.
static void draw_ring(tact_recorded_kind kind, bool found, uint8_t** png, size_t* size)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .record_queries = 1};
    tact_context* context = NULL;
    assert_int_equal(tact_context_create(&desc, &context), TACT_OK);
    tact_bodies* set = ring_of_bodies(context);
    ask_of_ring(set, kind, found);
    assert_int_equal(tact_record_save(context, "clireplay_ring.record"), TACT_OK);
    tact_bodies_destroy(set);
    tact_context_destroy(context);
    tool_ends("replay clireplay_ring.record --only 1 --backend cpu --image clireplay_ring.png", 0);
    read_all("clireplay_ring.png", png, size);
}

/// The picture of a query against a grid of points, which finds something, or nothing.
static void draw_grid(int what, bool found, uint8_t** png, size_t* size)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .record_queries = 1};
    tact_context* context = NULL;
    tact_point_cloud* cloud = NULL;
    tact_vec3 points[125];
    tact_closest_query queries[ASKED];
    tact_cloud_neighbour rows[3 * ASKED];
    uint64_t offsets[ASKED + 1];
    uint32_t ids[125];
    uint8_t touched[ASKED];
    for (uint32_t i = 0; i < 125; ++i)
        points[i] = (tact_vec3){(float)(i % 5), (float)(i / 5 % 5), (float)(i / 25)};
    for (uint32_t i = 0; i < ASKED; ++i)
        queries[i] = (tact_closest_query){0.3f * (float)i, 0.5f, 1.0f, found ? 0.9f : 0.1f};
    assert_int_equal(tact_context_create(&desc, &context), TACT_OK);
    assert_int_equal(tact_point_cloud_create(context, points, 125, &cloud), TACT_OK);
    tact_cloud_within_work within = {.queries = queries, .count = ASKED};
    if (what == 0) {
        const tact_cloud_nearest_work work = {.queries = queries, .count = ASKED, .nearest = 3, .neighbours = rows};
        assert_int_equal(tact_cloud_nearest(cloud, &work, NULL, NULL), TACT_OK);
        assert_true((rows[0].id != TACT_NONE) == found);
    } else if (what == 1) {
        within.offsets = offsets;
        within.ids = ids;
        within.capacity = 125;
        assert_int_equal(tact_cloud_within(cloud, &within, NULL, NULL), TACT_OK);
        assert_true((offsets[ASKED] > 0) == found);
    } else {
        within.touched = touched;
        assert_int_equal(tact_cloud_within(cloud, &within, NULL, NULL), TACT_OK);
        assert_true((touched[0] != 0) == found);
    }
    assert_int_equal(tact_record_save(context, "clireplay_grid.record"), TACT_OK);
    tact_point_cloud_destroy(cloud);
    tact_context_destroy(context);
    tool_ends("replay clireplay_grid.record --only 1 --backend cpu --image clireplay_grid.png", 0);
    read_all("clireplay_grid.png", png, size);
}

TEST(pictures_show_what_clouds_have)
{
    for (int what = 0; what < 3; ++what) {
        uint8_t *with = NULL, *without = NULL;
        size_t size = 0, other = 0;
        draw_grid(what, true, &with, &size);
        draw_grid(what, false, &without, &other);
        assert_true(size > 1000 && memcmp(with, "\x89PNG", 4) == 0);
        if (size == other && memcmp(with, without, size) == 0) fail_msg("query %d: nothing is shown", what);
        free(with);
        free(without);
    }
}

TEST(pictures_show_what_bodies_touch)
{
    static const tact_recorded_kind kinds[] = {TACT_RECORDED_BODIES, TACT_RECORDED_BODY_CASTS,
                                               TACT_RECORDED_BODY_DISTANCES, TACT_RECORDED_BODY_NEAREST};
    for (size_t i = 0; i < 4; ++i) {
        uint8_t *with = NULL, *without = NULL;
        size_t size = 0, other = 0;
        draw_ring(kinds[i], true, &with, &size);
        draw_ring(kinds[i], false, &without, &other);
        assert_true(size > 1000 && memcmp(with, "\x89PNG", 4) == 0);
        if (size == other && memcmp(with, without, size) == 0) fail_msg("kind %d: nothing is shown", (int)kinds[i]);
        free(with);
        free(without);
    }
}

#include TEST_LIST

int main(void)
{
    write_file("clireplay_cube.obj", tool_cube, strlen(tool_cube));
    return run_all(all_tests, NULL, NULL);
}
