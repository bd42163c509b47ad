// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/bench.h"
#include "apps/commands.h"
#include "apps/inputs/mesh_file.h"
#include "apps/inputs/points.h"
#include "apps/inputs/random.h"
#include "apps/inputs/scenes.h"
#include "apps/peers/near.h"
#include "apps/system.h"

/// Without --triangles: 2 x 708 x 708.
enum { TERRAIN_TRIANGLES = 1002528, QUICK_TRIANGLES = 32768, CONTESTANTS = 8, MOST_REPEATS = 1001 };

/// Above this many query-triangle pairs brute force would take longer than the benchmark.
#define REFERENCE_LIMIT 5e7

/// Who needs so long once is not asked again.
#define TOO_SLOW_MS 20000.0

typedef enum query_set { SURFACE, BOX, SPHERES, SETS } query_set;

static const char* const set_names[] = {"surface", "box", "spheres"};

/// Ours on one device, or a peer.
typedef struct contestant {
    const tact_near_peer* peer;
    tact_backend backend;
    void* own;
    double* samples;
    tact_spread ms;
    double paired;    ///< median over the rounds of its time over the first contestant's
    double first_ms;  ///< of its first run
    uint64_t found;
    uint64_t differing;  ///< answers that are others: by a byte of ours, by 2^-12 of the scene of a peer
} contestant;

typedef struct bench_row {
    char mesh[64], by[64];
    uint64_t triangles, count;
    query_set set;
    bool peer;
    tact_spread ms;
    double paired;
    uint64_t found, differing;
    uint64_t referenced;  ///< queries that brute force answered too
    tact_digest digest;   ///< ours
} bench_row;

typedef struct near_bench {
    tact_common_options common;
    bool quick, no_peers, devices;
    const char* out;
    tact_text_list meshes;
    uint64_t triangles, count, repeat;
    int set;  ///< 0: all, else one more than the query_set
    int threads;
    tact_session session;
    tact_progress progress;
    bench_row* rows;
    size_t row_count, row_capacity;
    uint64_t wrong;
    // Of the mesh at hand.
    char name[64];
    tact_model model;
    tact_scene* scene;
    tact_bounds bounds;
    contestant contestants[CONTESTANTS];
    size_t contestant_count;
    // Of the set at hand.
    query_set now;
    void *queries, *expected, *hits;
    float* distances;
} near_bench;

static size_t query_bytes(const near_bench* b)
{
    return b->now == SPHERES ? sizeof(tact_sphere_cast) : sizeof(tact_closest_query);
}

static size_t hit_bytes(const near_bench* b)
{
    return b->now == SPHERES ? sizeof(tact_sphere_hit) : sizeof(tact_closest_hit);
}

static double size_of(const near_bench* b)
{
    double square = 0.0;
    for (int k = 0; k < 3; ++k)
        square += (b->bounds.upper[k] - b->bounds.lower[k]) * (b->bounds.upper[k] - b->bounds.lower[k]);
    return sqrt(square);
}

// ---- Queries ----

/// Points of random triangles, moved by up to 1/200 of the diagonal on each axis.
static void make_surface(const near_bench* b, tact_closest_query* points)
{
    tact_random random = {b->common.seed};
    const double far = size_of(b) / 200.0;
    const tact_model_mesh* mesh = &b->model.meshes[0];
    for (uint64_t i = 0; i < b->count; ++i) {
        double c[3][3];
        tact_model_corners(&b->model, 0, (size_t)tact_random_below(&random, mesh->triangle_count), c);
        const double u = tact_random_fraction(&random), v = (1.0 - u) * tact_random_fraction(&random);
        float at[3];
        for (int k = 0; k < 3; ++k) {
            at[k] = (float)((1.0 - u - v) * c[0][k] + u * c[1][k] + v * c[2][k] +
                            far * (2.0 * tact_random_fraction(&random) - 1.0));
        }
        points[i] = (tact_closest_query){at[0], at[1], at[2], INFINITY};
    }
}

/// Along random rays to twice where they are aimed, with a radius of 1/100 of the diagonal.
static bool make_spheres(const near_bench* b, tact_sphere_cast* casts)
{
    tact_ray* rays = malloc((size_t)b->count * sizeof *rays);
    if (!rays) return false;
    tact_rays_random(&b->bounds, b->common.seed, b->count, rays);
    for (uint64_t i = 0; i < b->count; ++i) {
        rays[i].tmax = 2.0f;
        casts[i] = (tact_sphere_cast){rays[i], (float)(size_of(b) / 100.0)};
    }
    free(rays);
    return true;
}

static bool make_queries(near_bench* b, tact_problem* problem)
{
    const size_t count = (size_t)b->count;
    b->queries = malloc(count * query_bytes(b));
    b->expected = malloc(count * hit_bytes(b));
    b->hits = malloc(count * hit_bytes(b));
    b->distances = malloc(count * sizeof *b->distances);
    bool good = b->queries && b->expected && b->hits && b->distances;
    if (good && b->now == SURFACE) make_surface(b, b->queries);
    if (good && b->now == BOX) tact_points_random(&b->bounds, b->common.seed, b->count, INFINITY, b->queries);
    if (good && b->now == SPHERES) good = make_spheres(b, b->queries);
    return good || tact_problem_out_of_memory(problem, "the queries");
}

static void free_queries(near_bench* b)
{
    free(b->queries);
    free(b->expected);
    free(b->hits);
    free(b->distances);
    b->queries = b->expected = b->hits = NULL;
    b->distances = NULL;
}

// ---- Contestants ----

static const char* name_of(const contestant* c)
{
    static const char* const names[] = {
        [TACT_BACKEND_CPU] = "tact", [TACT_BACKEND_GL] = "tact, gl", [TACT_BACKEND_CL] = "tact, cl"};
    return c->peer ? c->peer->name : names[c->backend];
}

static bool takes_part(const near_bench* b, const contestant* c)
{
    return !c->peer || (b->now == SPHERES ? c->peer->spheres != NULL : c->peer->closest != NULL);
}

static bool find_contestants(near_bench* b, tact_problem* problem)
{
    for (int backend = TACT_BACKEND_CPU; backend <= TACT_BACKEND_CL; ++backend) {
        tact_device_info info;
        if (backend != TACT_BACKEND_CPU && !b->devices) continue;
        if (tact_session_device(&b->session, (tact_backend)backend, &info) < 0) continue;
        b->contestants[b->contestant_count++] = (contestant){.backend = (tact_backend)backend};
    }
    const tact_model_mesh* m = &b->model.meshes[0];
    const tact_overlap_peer_mesh mesh = {m->positions, m->vertex_count, m->indices, m->triangle_count};
    const tact_near_peer* peer;
    for (size_t i = 0; !b->no_peers && (peer = tact_near_peer_at(i)) != NULL; ++i) {
        contestant* c = &b->contestants[b->contestant_count++];
        *c = (contestant){.peer = peer};
        c->own = peer->make(&mesh, b->threads);
        if (!c->own) return tact_problem_set(problem, "%s did not take the mesh", peer->name);
    }
    for (size_t i = 0; i < b->contestant_count; ++i) {
        b->contestants[i].samples = malloc((size_t)b->repeat * sizeof(double));
        if (!b->contestants[i].samples) return tact_problem_out_of_memory(problem, "the times");
    }
    return true;
}

static void free_contestants(near_bench* b)
{
    for (size_t i = 0; i < b->contestant_count; ++i) {
        contestant* c = &b->contestants[i];
        if (c->own) c->peer->release(c->own);
        free(c->samples);
    }
    b->contestant_count = 0;
}

// ---- Measuring ----

static bool ask(near_bench* b, tact_backend backend, size_t count, void* hits, tact_problem* problem)
{
    const tact_query_options options = {.backend = backend, .threads = b->threads, .no_fallback = true};
    const tact_result result = b->now == SPHERES
                                   ? tact_cast_spheres(b->scene, b->queries, count, hits, &options, NULL)
                                   : tact_closest_points(b->scene, b->queries, count, hits, &options, NULL);
    return result >= 0 || tact_problem_from_result(problem, result, b->session.context, set_names[b->now]);
}

static bool run(near_bench* b, const contestant* c, void* hits, double* ms, tact_problem* problem)
{
    const double start = tact_system_milliseconds();
    bool good;
    if (!c->peer) {
        good = ask(b, c->backend, (size_t)b->count, hits, problem);
    } else {
        good = b->now == SPHERES ? c->peer->spheres(c->own, b->queries, (size_t)b->count, b->distances)
                                 : c->peer->closest(c->own, b->queries, (size_t)b->count, b->distances);
        if (!good) tact_problem_set(problem, "%s failed", c->peer->name);
    }
    *ms = tact_system_milliseconds() - start;
    return good;
}

/// The distance or the parameter that a hit of ours tells; infinite for none.
static float told(const near_bench* b, const void* hits, uint64_t i)
{
    if (b->now == SPHERES) {
        const tact_sphere_hit* h = (const tact_sphere_hit*)hits + i;
        return h->instance == TACT_NONE ? INFINITY : h->t;
    }
    const tact_closest_hit* h = (const tact_closest_hit*)hits + i;
    return h->instance == TACT_NONE ? INFINITY : h->distance;
}

static void compare(near_bench* b, contestant* c)
{
    // A peer's times of touch are fractions of a way; its distances are lengths.
    const double slack = 0x1p-12 * (b->now == SPHERES ? 1.0 : size_of(b));
    c->differing = c->found = 0;
    for (uint64_t i = 0; i < b->count; ++i) {
        const float right = told(b, b->expected, i), got = c->peer ? b->distances[i] : told(b, b->hits, i);
        c->found += got < INFINITY;
        if (!c->peer) {
            const size_t at = (size_t)i * hit_bytes(b);
            c->differing += memcmp((const char*)b->hits + at, (const char*)b->expected + at, hit_bytes(b)) != 0;
        } else {
            c->differing += got != right && !(fabs((double)got - (double)right) <= slack);
        }
    }
}

/// The first answers again by brute force, as many as that can afford.
static bool check(near_bench* b, uint64_t* checked, tact_problem* problem)
{
    const double most = REFERENCE_LIMIT / (double)(tact_model_triangles(&b->model) + 1);
    *checked = most < (double)b->count ? (uint64_t)most : b->count;
    const size_t count = (size_t)*checked;
    if (!ask(b, TACT_BACKEND_REFERENCE, count, b->hits, problem)) return false;
    b->wrong += memcmp(b->hits, b->expected, count * hit_bytes(b)) != 0;
    return true;
}

static bool add_row(near_bench* b, const contestant* c, uint64_t referenced, tact_problem* problem)
{
    if (b->row_count == b->row_capacity) {
        const size_t larger = b->row_capacity ? 2 * b->row_capacity : 32;
        bench_row* rows = realloc(b->rows, larger * sizeof *rows);
        if (!rows) return tact_problem_out_of_memory(problem, "the results");
        b->rows = rows;
        b->row_capacity = larger;
    }
    bench_row* row = &b->rows[b->row_count++];
    *row = (bench_row){.triangles = tact_model_triangles(&b->model),
                       .count = b->count,
                       .set = b->now,
                       .peer = c->peer != NULL,
                       .ms = c->ms,
                       .paired = c->paired,
                       .found = c->found,
                       .differing = c->differing,
                       .referenced = c->peer ? 0 : referenced};
    snprintf(row->mesh, sizeof row->mesh, "%s", b->name);
    snprintf(row->by, sizeof row->by, "%s", name_of(c));
    if (!c->peer) row->digest = tact_digest_of(b->expected, (size_t)b->count * hit_bytes(b));
    return true;
}

/// All answers first, which are compared and not timed; then rounds in which everybody has a turn, every other one
/// backwards.
static bool measure_rounds(near_bench* b, tact_problem* problem)
{
    const size_t n = b->contestant_count;
    double ms = 0.0;
    if (!run(b, &b->contestants[0], b->expected, &ms, problem)) return false;
    for (size_t i = 0; i < n; ++i) {
        contestant* c = &b->contestants[i];
        if (!takes_part(b, c)) continue;
        if (!run(b, c, b->hits, &c->first_ms, problem)) return false;
        compare(b, c);
        if (!c->peer) b->wrong += c->differing > 0;
    }
    for (uint64_t k = 0; k < b->repeat; ++k) {
        for (size_t j = 0; j < n; ++j) {
            const contestant* c = &b->contestants[k % 2 ? n - 1 - j : j];
            if (!takes_part(b, c)) continue;
            c->samples[k] = c->first_ms;
            if (c->first_ms < TOO_SLOW_MS && !run(b, c, b->hits, &c->samples[k], problem)) return false;
        }
    }
    return true;
}

static bool summarize(near_bench* b, uint64_t referenced, tact_problem* problem)
{
    const size_t repeat = (size_t)b->repeat;
    double* ratios = malloc(repeat * sizeof *ratios);
    if (!ratios) return tact_problem_out_of_memory(problem, "the times");
    bool good = true;
    // The first one's times are sorted last.
    for (size_t i = b->contestant_count; i-- > 0 && good;) {
        contestant* c = &b->contestants[i];
        if (!takes_part(b, c)) continue;
        for (size_t k = 0; k < repeat; ++k)
            ratios[k] = c->samples[k] / b->contestants[0].samples[k];
        c->paired = tact_spread_of(ratios, repeat).median;
        c->ms = tact_spread_of(c->samples, repeat);
    }
    for (size_t i = 0; i < b->contestant_count && good; ++i)
        good = !takes_part(b, &b->contestants[i]) || add_row(b, &b->contestants[i], referenced, problem);
    free(ratios);
    return good;
}

static bool bench_set(near_bench* b, tact_problem* problem)
{
    uint64_t referenced = 0;
    const bool good = make_queries(b, problem) && measure_rounds(b, problem) && check(b, &referenced, problem) &&
                      summarize(b, referenced, problem);
    free_queries(b);
    return good;
}

static bool bench_mesh(near_bench* b, const char* name, bool made, tact_model_mesh* mesh, tact_problem* problem)
{
    tact_scene_stats stats;
    snprintf(b->name, sizeof b->name, "%s", name);
    bool good = made && tact_model_add_mesh(&b->model, mesh, problem) &&
                tact_model_add_instance(&b->model, 0, NULL, problem) &&
                tact_model_build(&b->model, b->session.context, &b->scene, &stats, problem);
    if (good && tact_model_triangles(&b->model) == 0) good = tact_problem_set(problem, "%s: no triangles", name);
    if (good) {
        b->bounds = tact_ray_bounds(&stats);
        good = find_contestants(b, problem);
    }
    for (int set = 0; set < SETS && good; ++set) {
        if (b->set != 0 && b->set != set + 1) continue;
        b->now = (query_set)set;
        good = bench_set(b, problem);
        tact_progress_update((double)(set + 1) / SETS, &b->progress);
    }
    free_contestants(b);
    tact_scene_destroy(b->scene);
    b->scene = NULL;
    tact_model_free(&b->model);
    b->model = (tact_model){0};
    ++b->progress.part;
    return good;
}

static bool bench_all(near_bench* b, tact_problem* problem)
{
    tact_progress_start(&b->progress, "measuring", b->common.quiet);
    b->progress.parts = b->meshes.count + (b->triangles > 0);
    bool good = true;
    for (size_t i = 0; i < b->meshes.count && good; ++i) {
        tact_model_mesh mesh;
        const char* slash = strrchr(b->meshes.items[i], '/');
        const bool made = tact_mesh_file_read_guarded(b->meshes.items[i], &mesh, problem);
        good = bench_mesh(b, slash ? slash + 1 : b->meshes.items[i], made, &mesh, problem);
    }
    if (good && b->triangles > 0) {
        tact_model_mesh mesh;
        unsigned side = (unsigned)sqrt((double)b->triangles / 2.0);
        if (side == 0) side = 1;
        char name[64];
        snprintf(name, sizeof name, "terrain %" PRIu64, (uint64_t)2 * side * side);
        const bool made = tact_mesh_terrain(side, b->common.seed, &mesh, problem);
        good = bench_mesh(b, name, made, &mesh, problem);
    }
    tact_progress_end(&b->progress);
    return good;
}

// ---- Reporting ----

static void make_table(tact_table* table, const near_bench* b)
{
    static const char* const heads[] = {"mesh", "queries",         "by",     ">million a second", ">min",
                                        ">max", ">time over tact", ">found", ">differ",           "digest"};
    tact_table_init(table, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < b->row_count; ++i) {
        const bench_row* r = &b->rows[i];
        tact_table_add(table, "%s", r->mesh);
        tact_table_add(table, "%s", set_names[r->set]);
        tact_table_add(table, "%s", r->by);
        tact_table_add(table, "%.3f", tact_bench_rate(r->count, r->ms.median));
        tact_table_add(table, "%.3f", tact_bench_rate(r->count, r->ms.high));
        tact_table_add(table, "%.3f", tact_bench_rate(r->count, r->ms.low));
        tact_table_add(table, "%.2f", r->paired);
        tact_table_add(table, "%" PRIu64, r->found);
        tact_table_add(table, "%" PRIu64, r->differing);
        tact_table_add(table, "%s", r->peer ? "-" : r->digest.text);
    }
}

static cJSON* to_json(const near_bench* b)
{
    cJSON* root = cJSON_CreateObject();
    tact_bench_head_to_json(root, "bench near", &b->session);
    tact_json_count(root, "seed", b->common.seed);
    tact_json_count(root, "repeat", b->repeat);
    tact_json_count(root, "threads", (uint64_t)b->threads);
    cJSON* rows = tact_json_array(root, "rows");
    for (size_t i = 0; i < b->row_count; ++i) {
        const bench_row* r = &b->rows[i];
        cJSON* row = tact_json_append(rows);
        tact_json_text(row, "mesh", r->mesh);
        tact_json_count(row, "triangles", r->triangles);
        tact_json_text(row, "set", set_names[r->set]);
        tact_json_text(row, "by", r->by);
        tact_json_truth(row, "peer", r->peer);
        tact_json_count(row, "queries", r->count);
        cJSON* ms = tact_json_object(row, "ms");
        tact_json_number(ms, "median", r->ms.median);
        tact_json_number(ms, "min", r->ms.low);
        tact_json_number(ms, "max", r->ms.high);
        tact_json_number(row, "million_per_second", tact_bench_rate(r->count, r->ms.median));
        tact_json_number(row, "time_over_tact", r->paired);
        tact_json_count(row, "found", r->found);
        tact_json_count(row, "differing", r->differing);
        if (r->peer) continue;
        tact_json_count(row, "by_reference", r->referenced);
        tact_json_text(row, "digest", r->digest.text);
    }
    return root;
}

static bool report(const near_bench* b, tact_problem* problem)
{
    tact_table table;
    make_table(&table, b);
    tact_bench_output output = {&b->session, TACT_BACKEND_CPU, b->common.json, b->out, ""};
    snprintf(output.heading, sizeof output.heading,
             "%" PRIu64 " queries, %d thread%s; medians of %" PRIu64 " rounds in which all take turns", b->count,
             b->threads, b->threads == 1 ? "" : "s", b->repeat);
    return tact_bench_finish(&output, to_json(b), &table, problem);
}

static bool execute(near_bench* b, tact_problem* problem)
{
    if (b->common.backend != TACT_BACKEND_AUTO && b->common.backend != TACT_BACKEND_CPU) {
        return tact_problem_set(problem, "--backend: the CPU is timed, and with --devices all others too");
    }
    b->repeat = b->common.repeat ? b->common.repeat : b->quick ? 3 : 7;
    if (b->repeat > MOST_REPEATS) b->repeat = MOST_REPEATS;
    if (b->count == 0) b->count = b->quick ? 20000 : UINT64_C(1) << 20;
    if (b->triangles == UINT64_MAX) b->triangles = b->quick ? QUICK_TRIANGLES : TERRAIN_TRIANGLES;
    if (b->meshes.count + (b->triangles > 0) == 0) {
        return tact_problem_set(problem, "--triangles 0: without a --mesh there is nothing to measure");
    }
    if (b->out && !tact_system_make_directory(b->out, problem)) return false;
    if (!tact_session_open(&b->session, &b->common, problem)) return false;
    tact_device_info cpu = {0};
    tact_session_device(&b->session, TACT_BACKEND_CPU, &cpu);
    b->threads = b->common.threads ? (int)b->common.threads : cpu.compute_units > 0 ? (int)cpu.compute_units : 1;
    if (!bench_all(b, problem) || !report(b, problem)) return false;
    return tact_bench_verdict(b->wrong, "measurements gave other results than the rest", problem);
}

static const char help_text[] =
    "Usage: tact bench near [--mesh FILE]... [--triangles N] [--count N] [--set SET] [--devices] [options]\n\n"
    "Times closest points and moving spheres on the CPU beside the libraries that were found when building, Embree's\n"
    "point query and Bullet's sweep of a sphere, with as many threads. All take turns. Ours must be the same bytes on\n"
    "every device, and by brute force as far as that is affordable.\n";

int tact_command_bench_near(int argc, char** argv, tact_problem* problem)
{
    static const char* const sets[] = {"all", "surface", "box", "spheres", NULL};
    near_bench bench = {.triangles = UINT64_MAX};
    near_bench* b = &bench;
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&b->common, common);
    const tact_option own[] = {
        {"quick", NULL, "small sizes: seconds", TACT_OPTION_FLAG, &b->quick, 0, 0, NULL},
        {"out", "DIR", "write bench.json and bench.csv there", TACT_OPTION_TEXT, &b->out, 0, 0, NULL},
        {"mesh", "FILE", "measure on this mesh; may be given again", TACT_OPTION_LIST, &b->meshes, 0, 0, NULL},
        {"triangles", "N", "of the generated terrain (default 1002528; 0: no terrain)", TACT_OPTION_NUMBER,
         &b->triangles, 0, UINT64_C(1) << 30, NULL},
        {"count", "N", "queries of each set (default 2^20)", TACT_OPTION_NUMBER, &b->count, 1, UINT64_C(1) << 28, NULL},
        {"set", "SET",
         "all (default), surface (points close to it), box (in a box twice as large) or spheres (moving ones)",
         TACT_OPTION_CHOICE, &b->set, 0, 0, sets},
        {"devices", NULL, "also OpenGL and OpenCL, taking turns with the rest", TACT_OPTION_FLAG, &b->devices, 0, 0,
         NULL},
        {"no-peers", NULL, "without other libraries", TACT_OPTION_FLAG, &b->no_peers, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {.own = own, .common = common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, NULL, argc, argv, &work, problem) && (!work || execute(b, problem));
    free(b->rows);
    tact_text_list_free(&b->meshes);
    tact_session_close(&b->session);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
