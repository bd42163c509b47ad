// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// `tact bench rays`: what it measures must be what it says, and its checks must be able to fail.

#define _POSIX_C_SOURCE 200809L

#include "tests/support/run.h"

#include "apps/bench/rays.h"
#include "apps/inputs/scenes.h"
#include "tests/support/temporary.h"
#include "tests/support/tool.h"

const char tool_prefix[] = "clir";

static int make_files(void** state)
{
    write_file("clir_cube.obj", tool_cube, strlen(tool_cube));
    return 0;
}

TEST(help_tells_the_options)
{
    tool_outcome o = tool_ends("bench rays --help", 0);
    assert_non_null(strstr(o.out, "--stream"));
    assert_string_equal(o.err, "");
}

TEST(wrong_use_is_refused)
{
    static const char* const wrong[][2] = {
        {"bench rays --set nowhere", "--set nowhere"},
        {"bench rays --mode count", "--mode count"},
        {"bench rays --tree low", "--tree low"},
        {"bench rays --only pictures", "--only pictures"},
        {"bench rays --peer-quality best", "--peer-quality best"},
        {"bench rays --backend reference", "brute force is not timed"},
        {"bench rays --triangles 0", "nothing to measure"},
        {"bench rays --stream 5 --mesh clir_cube.obj --mesh clir_cube.obj", "one mesh at a time"},
        {"bench rays --stream 5 --mesh clir_cube.obj --triangles 9", "one mesh at a time"},
        {"bench rays --stream 5 --askers 2 --mesh clir_cube.obj", "one of them"},
        {"bench rays --mesh nowhere.obj", "nowhere.obj"},
        {"bench rays --made nowhere", "--made: no such mesh: nowhere"},
        {"bench rays --out clir_cube.obj/x", "clir_cube.obj/x"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
        tool_refuses(wrong[i][0], wrong[i][1]);
}

/// The digest of `tact raycast`, which has other code around the same call.
static void expect_digest_of_raycast(const cJSON* row)
{
    const char* set = json_text(row, "rays");
    if (strcmp(set, "camera") != 0 && strcmp(set, "random") != 0) return;
    char arguments[160];
    snprintf(arguments, sizeof arguments, "raycast --mesh clir_cube.obj --rays %s --mode %s --backend reference --json",
             strcmp(set, "camera") == 0 ? "camera:64x64" : "random:4096", json_text(row, "mode"));
    cJSON* json = tool_json_of(arguments);
    assert_non_null(json);
    assert_string_equal(json_text(json, "digest"), json_text(row, "digest"));
}

static double hits_of(const cJSON* row)
{
    return json_number(cJSON_GetArrayItem(cJSON_GetObjectItem(row, "forms"), 0), "hits");
}

TEST(every_set_and_mode_is_measured_and_checked)
{
    const char* arguments =
        "bench rays --mesh clir_cube.obj --triangles 0 --rays 4096 --quick --repeat 2 --only rays "
        "--json --quiet --out clir_bench";
    tool_outcome o = tool_ends(arguments, 0);
    cJSON* json = tool_json(arguments, &o);
    assert_string_equal(json_text(json, "command"), "bench rays");
    const cJSON* rows = cJSON_GetObjectItem(json, "rows");
    assert_int_equal(cJSON_GetArraySize(rows), TACT_BENCH_SETS * TACT_BENCH_MODES);
    for (int i = 0; i < TACT_BENCH_SETS * TACT_BENCH_MODES; ++i) {
        static const char* const checks[] = {"one_thread", "shuffled", "reference"};
        const cJSON* row = cJSON_GetArrayItem(rows, i);
        assert_true(json_number(row, "count") == 4096.0 && json_number(row, "triangles") == 12.0);
        for (size_t k = 0; k < 3; ++k) {
            const cJSON* check = cJSON_GetObjectItem(row, checks[k]);
            assert_string_equal(json_text(check, "result"), "equal");
            assert_true(json_number(check, "rays") == 4096.0);
        }
        expect_digest_of_raycast(row);
        // A set's rays hit as often in both modes, and some of them do, but for segments inside a cube.
        const bool inside = strcmp(json_text(row, "rays"), "segments") == 0;
        assert_true(inside ? hits_of(row) == 0.0 : hits_of(row) > 100.0);
        if (i % 2) assert_true(hits_of(row) == hits_of(cJSON_GetArrayItem(rows, i - 1)));
    }
    char* csv = tool_text("clir_bench/bench.csv");
    char* builds = tool_text("clir_bench/builds.csv");
    char* stored = tool_text("clir_bench/bench.json");
    assert_memory_equal(csv, "mesh,triangles,rays,mode,count,form,ms,", 39);
    assert_memory_equal(builds, "mesh,triangles,builder,", 23);
    assert_string_equal(stored, o.out);
}

/// On each generated mesh, among them one of instances, the fast ways agree with brute force; and each mesh can be hit.
TEST(generated_meshes_are_measured_and_checked)
{
    static const struct {
        const char* name;
        double triangles;
    } expected[] = {{"city", 12842.0}, {"foliage", 12032.0}, {"hair", 9600.0}, {"rods", 9600.0}, {"forest", 62848.0}};
    cJSON* json = tool_json_of(
        "bench rays --made forest --made all --triangles 0 --rays 3000 --quick --repeat 1 --only rays --tree medium "
        "--set random --no-peers --json --quiet");
    assert_non_null(json);
    const cJSON* rows = cJSON_GetObjectItem(json, "rows");
    assert_int_equal(cJSON_GetArraySize(rows), 5 * TACT_BENCH_MODES);
    for (int i = 0; i < 5 * TACT_BENCH_MODES; ++i) {
        const cJSON* row = cJSON_GetArrayItem(rows, i);
        assert_string_equal(json_text(row, "mesh"), expected[i / TACT_BENCH_MODES].name);
        assert_true(json_number(row, "triangles") == expected[i / TACT_BENCH_MODES].triangles);
        assert_string_equal(json_text(cJSON_GetObjectItem(row, "reference"), "result"), "equal");
        assert_string_equal(json_text(cJSON_GetObjectItem(row, "one_thread"), "result"), "equal");
        assert_true(hits_of(row) > 20.0 && hits_of(row) < 3000.0);
    }
}

TEST(builders_tell_time_and_memory)
{
    cJSON* json = tool_json_of("bench rays --only builds --quick --triangles 2000 --repeat 2 --json --quiet");
    assert_non_null(json);
    const cJSON* builds = cJSON_GetObjectItem(json, "builds");
    const bool embree = json_truth(json, "embree");
    assert_int_equal(cJSON_GetArraySize(builds), embree ? TACT_BENCH_BUILDS : TACT_BENCH_QUALITIES);
    const cJSON* row;
    cJSON_ArrayForEach(row, builds)
    {
        // 31 squares a side: 1,922 triangles on 32 x 32 vertices.
        assert_true(json_number(row, "triangles") == 1922.0);
        assert_true(json_number(cJSON_GetObjectItem(row, "build_ms"), "median") > 0.0);
        assert_true(json_number(row, "tree_bytes") > 1922.0 * 12.0);
        // What the library tells is what it holds, but for its own small things and room to grow.
        const double told = json_number(row, "tree_bytes") + json_number(row, "mesh_bytes");
        assert_true(json_number(row, "held_bytes") >= told);
        assert_true(json_number(row, "held_bytes") <= 1.1 * told + 16384.0);
        assert_true(json_number(row, "peak_bytes") >= json_number(row, "held_bytes"));
        const double bytes = 12.0 * (1922.0 + 1024.0);
        assert_true(json_number(row, "mesh_bytes") >= bytes && json_number(row, "mesh_bytes") < bytes + 4096.0);
    }
}

TEST(a_stream_is_the_same_on_any_number_of_threads)
{
    cJSON* one = tool_json_of("bench rays --mesh clir_cube.obj --stream 4500000 --threads 1 --json --quiet");
    cJSON* two = tool_json_of("bench rays --mesh clir_cube.obj --stream 4500000 --threads 2 --json --quiet");
    assert_true(one && two);
    const cJSON *a = cJSON_GetObjectItem(one, "stream"), *b = cJSON_GetObjectItem(two, "stream");
    assert_string_equal(json_text(a, "digest"), json_text(b, "digest"));
    assert_true(json_number(a, "rays") == 4500000.0 && json_number(a, "hits") > 1e6);
    assert_true(json_number(a, "hits") == json_number(b, "hits"));
}

TEST(many_threads_that_ask_at_once_are_timed_and_checked)
{
    const cJSON *json = tool_json_of("bench rays --mesh clir_cube.obj --triangles 0 --askers 3 --quick --json --quiet"),
                *row;
    assert_true(json && json_number(json, "empty_call_ns") > 0.0);
    static const double batches[] = {1, 16, 256, 4096};
    size_t ours = 0;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(json, "rows"))
    {
        assert_true(json_number(row, "mrays_alone") > 0.0 && json_number(row, "mrays_together") > 0.0);
        assert_true(json_number(row, "gain") > 0.0 && json_number(row, "differing") == 0.0);
        if (strcmp(json_text(row, "asked"), "tact") != 0) continue;
        assert_true(ours < 4 && json_number(row, "batch") == batches[ours] && json_number(row, "of_ours") == 1.0);
        ++ours;
    }
    assert_int_equal(ours, 4);
}

/// A sphere and its scene, and rays.
typedef struct lab {
    tact_model model;
    tact_context* context;
    tact_scene* scene;
    tact_bounds bounds;
    tact_ray* rays;
    tact_hit* hits;
    size_t count;
} lab;

static void open_lab(lab* l, size_t count)
{
    tact_problem problem = {0};
    tact_model_mesh mesh;
    tact_scene_stats stats;
    *l = (lab){.count = count, .rays = malloc(count * sizeof(tact_ray)), .hits = malloc(count * sizeof(tact_hit))};
    assert_true(l->rays && l->hits);
    assert_true(tact_mesh_icosphere(4, &mesh, &problem) && tact_model_add_mesh(&l->model, &mesh, &problem) &&
                tact_model_add_instance(&l->model, 0, NULL, &problem));
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 2};
    assert_int_equal(tact_context_create(&desc, &l->context), TACT_OK);
    assert_true(tact_model_build(&l->model, l->context, &l->scene, &stats, &problem));
    l->bounds = tact_ray_bounds(&stats);
    tact_rays_random(&l->bounds, 7, count, l->rays);
}

static void close_lab(lab* l)
{
    tact_scene_destroy(l->scene);
    tact_context_destroy(l->context);
    tact_model_free(&l->model);
    free(l->hits);
    free(l->rays);
}

static void cast(const lab* l, tact_ray_mode mode)
{
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    assert_int_equal(tact_raycast(l->scene, mode, l->rays, l->count, l->hits, &options, NULL), TACT_OK);
}

TEST(a_wrong_hit_is_found_by_every_check)
{
    lab l;
    open_lab(&l, 3000);
    cast(&l, TACT_RAY_CLOSEST);
    const tact_rays_cast asked = {.context = l.context,
                                  .scene = l.scene,
                                  .rays = l.rays,
                                  .hits = l.hits,
                                  .count = 3000,
                                  .threads = 2,
                                  .seed = 1,
                                  .most = 3000.0};
    tact_problem problem = {0};
    for (int wrong = 0; wrong < 2; ++wrong) {
        tact_rays_check checks[TACT_RAYS_CHECKS] = {{0}};
        if (wrong) l.hits[2999].v += 1.0f;
        assert_true(tact_rays_check_all(&asked, checks, &problem));
        for (int i = 0; i < TACT_RAYS_CHECKS; ++i) {
            assert_true(checks[i].rays == 3000);
            assert_int_equal(checks[i].differs, wrong);
        }
    }
    close_lab(&l);
}

TEST(segments_stay_in_the_box)
{
    const tact_bounds bounds = {{-1, 2, 10}, {1, 2, 14}};
    tact_ray rays[64];
    tact_rays_segments(&bounds, 3, 64, rays);
    for (size_t i = 0; i < 64; ++i) {
        const float* o = &rays[i].ox;
        const float* d = &rays[i].dx;
        assert_true(rays[i].tmin == 0.0f && rays[i].tmax == 1.0f);
        for (int k = 0; k < 3; ++k) {
            const double end = (double)o[k] + (double)d[k];
            assert_true((double)o[k] >= bounds.lower[k] && (double)o[k] <= bounds.upper[k]);
            assert_true(end >= bounds.lower[k] - 1e-5 && end <= bounds.upper[k] + 1e-5);
        }
    }
}

/// Few rays may pass between Embree's triangles or ours; the others must agree.
static void compare_closest(const lab* l, const tact_hit* hits, const char* form)
{
    size_t other = 0;
    for (size_t i = 0; i < l->count; ++i) {
        const bool hit = hits[i].instance != TACT_NONE;
        other += hit != (l->hits[i].instance != TACT_NONE);
        if (!hit || l->hits[i].instance == TACT_NONE) continue;
        if (fabsf(hits[i].t - l->hits[i].t) > 1e-4f * fabsf(l->hits[i].t) + 1e-5f) ++other;
        if (hits[i].primitive == l->hits[i].primitive && fabsf(hits[i].u - l->hits[i].u) > 1e-2f) ++other;
    }
    if (other > 3) fail_msg("%s: %zu rays are answered otherwise", form, other);
}

static void check_form(const lab* l, const tact_embree* embree, const tact_embree_form* form)
{
    tact_hit* hits = scratch(l->count * sizeof *hits);
    uint8_t* any = scratch(l->count);
    memset(any, 0xa5, l->count);
    tact_embree_closest(embree, form, l->rays, l->count, hits);
    tact_embree_any(embree, form, l->rays, l->count, any);
    compare_closest(l, hits, form->name);
    size_t other = 0;
    for (size_t i = 0; i < l->count; ++i) {
        assert_true(any[i] <= 1);
        other += any[i] != (l->hits[i].instance != TACT_NONE);
    }
    if (other > 3) fail_msg("%s, any hit: %zu rays are answered otherwise", form->name, other);
}

TEST(every_form_of_embree_finds_what_we_find)
{
    if (!tact_embree_have()) skip_because("built without Embree");
    // Neither whole packets nor whole streams nor whole pieces.
    static const size_t counts[] = {1, 5, 4096 + 256 + 16 + 3};
    size_t forms = 0;
    const tact_embree_form* form = tact_embree_forms(&forms);
    assert_true(forms > 5);
    for (size_t n = 0; n < sizeof counts / sizeof counts[0]; ++n) {
        lab l;
        open_lab(&l, counts[n]);
        cast(&l, TACT_RAY_CLOSEST);
        for (int robust = 0; robust < 2; ++robust) {
            const tact_embree_desc desc = {.threads = 2, .quality = TACT_EMBREE_MEDIUM, .robust = robust != 0};
            tact_embree* embree = NULL;
            tact_problem problem = {0};
            assert_true(tact_embree_open(&l.model, &desc, &embree, &problem));
            assert_true(tact_embree_get_facts(embree).tree_bytes > 0);
            for (size_t i = 0; i < forms; ++i)
                check_form(&l, embree, &form[i]);
            tact_embree_close(embree);
        }
        close_lab(&l);
    }
}

TEST(embree_stands_beside_us)
{
    if (!tact_embree_have()) skip_because("built without Embree");
    cJSON* json = tool_json_of(
        "bench rays --mesh clir_cube.obj --triangles 0 --rays 4096 --quick --repeat 2 --set "
        "random --mode closest --only rays --tree high --all-forms --no-checks --json --quiet");
    assert_non_null(json);
    const cJSON* row = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "rows"), 0);
    assert_true(json_number(row, "over_embree_single") > 0.0 && json_number(row, "over_embree_best") > 0.0);
    assert_true(json_number(row, "over_embree_best") <= json_number(row, "over_embree_single"));
    assert_non_null(strstr(json_text(row, "embree_best"), "embree "));
    const cJSON* form;
    int peers = 0;
    cJSON_ArrayForEach(form, cJSON_GetObjectItem(row, "forms"))
    {
        assert_true(!json_truth(form, "left_out"));
        assert_true(json_number(form, "other_rays") <= 4.0);
        assert_true(json_number(cJSON_GetObjectItem(form, "time_ms"), "median") > 0.0);
        peers += json_truth(form, "peer");
    }
    size_t forms = 0;
    tact_embree_forms(&forms);
    assert_int_equal(peers, 2 * forms);
}

/// With --sorts each device has three turns, told apart by name, whose answers are the CPU's.
TEST(sorted_and_unsorted_rays_take_turns)
{
    cJSON* json = tool_json_of(
        "bench rays --mesh clir_cube.obj --triangles 0 --rays 4096 --quick --repeat 2 --set random --mode closest "
        "--only rays --tree medium --devices --sorts --no-peers --no-checks --json --quiet");
    assert_non_null(json);
    const cJSON* row = cJSON_GetArrayItem(cJSON_GetObjectItem(json, "rows"), 0);
    const cJSON *form, *device;
    int devices = 0, forms = 0, sorted = 0, unsorted = 0;
    cJSON_ArrayForEach(form, cJSON_GetObjectItem(row, "forms"))
    {
        const char* name = json_text(form, "form");
        assert_string_equal(json_text(form, "result"), "equal");
        assert_true(json_number(cJSON_GetObjectItem(form, "time_ms"), "least_query") > 0.0);
        ++forms;
        unsorted += strstr(name, ", not sorted") != NULL;
        sorted += strstr(name, ", sorted") != NULL;
    }
    cJSON_ArrayForEach(device, cJSON_GetObjectItem(json, "devices")) devices += 1;
    assert_int_equal(sorted, devices - 1);
    assert_int_equal(unsorted, devices - 1);
    assert_int_equal(forms, 1 + 3 * (devices - 1));
    tool_refuses("bench rays --sorts", "--devices");
}

/// `tact bench near`: its checks pass, and every row has found something.
TEST(bench_near_agrees_with_the_brute_force)
{
    cJSON* json = tool_json_ends(
        "bench near --mesh clir_cube.obj --triangles 200 --count 300 --quick --devices --json "
        "--quiet --out clir_near");
    const cJSON* row;
    cJSON_ArrayForEach(row, json_rows(json, 6))
    {
        assert_true(cJSON_GetObjectItem(row, "found")->valuedouble > 0.0);
        if (cJSON_IsTrue(cJSON_GetObjectItem(row, "peer"))) continue;
        assert_true(cJSON_GetObjectItem(row, "differing")->valuedouble == 0.0);
        assert_true(cJSON_GetObjectItem(row, "by_reference")->valuedouble == 300.0);
        assert_int_equal(strlen(cJSON_GetObjectItem(row, "digest")->valuestring), 16);
    }
    char* csv = tool_text("clir_near/bench.csv");
    assert_memory_equal(csv, "mesh,queries,by,million a second,", 33);
    tool_refuses("bench near --backend gl", "--devices");
    tool_refuses("bench near --triangles 0", "nothing to measure");
}

/// `tact bench cloud`: the same of clouds.
TEST(bench_cloud_agrees_with_the_brute_force)
{
    cJSON* json = tool_json_ends(
        "bench cloud --mesh clir_cube.obj --points 300 --count 300 --quick --devices --json --quiet --out clir_cloud");
    // Four clouds, five queries of each.
    const cJSON* row;
    cJSON_ArrayForEach(row, json_rows(json, 20))
    {
        assert_true(json_number(row, "points") > 7.0 && json_number(row, "ns_per_query") > 0.0);
        assert_true(json_number(row, "differing") == 0.0);
        if (cJSON_IsTrue(cJSON_GetObjectItem(row, "peer"))) continue;
        assert_true(json_number(row, "by_reference") == 300.0);
        if (strcmp(json_text(row, "set"), "touch") != 0) assert_true(json_number(row, "found") > 0.0);
        assert_int_equal(strlen(json_text(row, "digest")), 16);
    }
    tool_refuses("bench cloud --backend gl", "--devices");
    tool_refuses("bench cloud --points 0", "nothing to measure");
}

/// `tact bench memory`: each that is measured has answered, and holds at least what it was given.
TEST(bench_memory_measures_what_has_answered)
{
    cJSON* json =
        tool_json_ends("bench memory --triangles 20000 --count 20000 --no-peers --json --quiet --out clir_memory");
    const cJSON* row;
    double pairs = 0.0;
    cJSON_ArrayForEach(row, json_rows(json, 3 + 6 + 1))
    {
        const double found = cJSON_GetObjectItem(row, "found")->valuedouble;
        assert_true(found > 0.0);
        assert_true(cJSON_GetObjectItem(row, "faults")->valuedouble > 0.0);
        if (strcmp(cJSON_GetObjectItem(row, "each")->valuestring, "box") == 0) {
            assert_true(pairs == 0.0 || pairs == found);
            pairs = found;
        }
        const cJSON* bytes = cJSON_GetObjectItem(row, "bytes_each");
        if (bytes) assert_true(bytes->valuedouble >= 24.0 && bytes->valuedouble < 4000.0);
    }
    assert_true(pairs > 0.0);
    char* csv = tool_text("clir_memory/bench.csv");
    assert_memory_equal(csv, "of,items,each,by,B each,", 24);
    tool_refuses("bench memory --backend gl", "--backend");
}

#include TEST_LIST
RUN_ALL(make_files, NULL)
