// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench.h"
#include "apps/commands.h"
#include "apps/mesh_file.h"
#include "apps/peers.h"
#include "apps/rays.h"
#include "apps/scenes.h"
#include "apps/system.h"

typedef struct bench_run {
    tact_bench_settings settings;
    tact_session session;
    tact_bench_results results;
    size_t row_capacity, peer_capacity;
    tact_progress progress;
    uint64_t wrong;                     ///< rows that differ or failed
    bool too_slow[TACT_BACKEND_COUNT];  ///< for the present series
} bench_run;

/// One mesh, kind and number of rays.
typedef struct bench_case {
    char mesh[64];
    const tact_model* model;
    tact_scene* scene;
    tact_scene_stats stats;
    const char* kind;
    const tact_ray* rays;
    uint64_t count;
    tact_hit* hits;
    tact_digest digest;  ///< that all must have; empty until the first has answered
    bool by_reference;
    double cpu_ms;
} bench_case;

static const char* const kinds[] = {"camera", "random"};
enum { KINDS = 2 };

/// Above this many ray-triangle pairs brute force would take longer than the benchmark.
#define REFERENCE_LIMIT 5e7

static void* grown(void* items, size_t count, size_t* capacity, size_t size)
{
    if (count < *capacity) return items;
    const size_t larger = *capacity ? *capacity * 2 : 64;
    void* memory = realloc(items, larger * size);
    if (memory) *capacity = larger;
    return memory;
}

static tact_bench_row* new_row(bench_run* run, const bench_case* c, tact_backend backend)
{
    tact_bench_results* results = &run->results;
    tact_bench_row* rows = grown(results->rows, results->row_count, &run->row_capacity, sizeof *rows);
    if (!rows) return NULL;
    results->rows = rows;
    tact_bench_row* row = &rows[results->row_count++];
    *row = (tact_bench_row){.triangles = tact_model_triangles(c->model),
                            .rays = c->kind,
                            .count = c->count,
                            .backend = backend,
                            .scene_ms = c->stats.build_ms};
    memcpy(row->mesh, c->mesh, sizeof row->mesh);
    return row;
}

static void find_digest(bench_case* c)
{
    c->digest.text[0] = '\0';
    c->by_reference = false;
    c->cpu_ms = 0.0;
    if ((double)c->count * (double)tact_model_triangles(c->model) > REFERENCE_LIMIT) return;
    const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
    if (tact_raycast(c->scene, TACT_RAY_CLOSEST, c->rays, (size_t)c->count, c->hits, &options, NULL) < 0) return;
    c->digest = tact_digest_of(c->hits, (size_t)c->count * sizeof *c->hits);
    c->by_reference = true;
}

static void judge(bench_run* run, bench_case* c, tact_bench_row* row)
{
    const tact_raycast_timing* t = &row->timing;
    if (!c->digest.text[0]) c->digest = t->digest;
    if (strcmp(c->digest.text, t->digest.text) != 0) {
        row->status = TACT_BENCH_DIFFERS;
        ++run->wrong;
        return;
    }
    row->by_reference = c->by_reference;
    if (row->backend == TACT_BACKEND_CPU) c->cpu_ms = t->run.median;
    if (c->cpu_ms > 0.0 && t->run.median > 0.0) row->speed_up = c->cpu_ms / t->run.median;
    // The next decade would take ten times as long.
    const double limit = run->settings.quick ? 150.0 : 1500.0;
    if (t->run.median > limit) run->too_slow[row->backend] = true;
}

static bool bench_backend(bench_run* run, bench_case* c, tact_backend backend, tact_problem* problem)
{
    tact_device_info info;
    if (tact_session_device(&run->session, backend, &info) < 0) return true;
    tact_bench_row* row = new_row(run, c, backend);
    if (!row) return tact_problem_out_of_memory(problem, "the results");
    if (run->too_slow[backend]) {
        row->status = TACT_BENCH_TOO_SLOW;
        return true;
    }
    const tact_raycast_work work = {
        .context = run->session.context,
        .scene = c->scene,
        .mode = TACT_RAY_CLOSEST,
        .rays = c->rays,
        .count = (size_t)c->count,
        .hits = c->hits,
        .options = {.backend = backend, .no_fallback = true},
        .repeat = run->settings.repeat,
        .warm_up = true,
    };
    tact_problem failure = {0};
    if (tact_time_raycast(&work, &row->timing, &failure)) {
        judge(run, c, row);
        return true;
    }
    row->status = TACT_BENCH_FAILED;
    ++run->wrong;
    if (!run->settings.common.quiet) fprintf(stderr, "tact bench: %s: %s\n", tact_backend_name(backend), failure.text);
    return true;
}

static uint64_t count_hits(const bench_case* c)
{
    uint64_t hits = 0;
    for (uint64_t i = 0; i < c->count; ++i)
        hits += c->hits[i].instance != TACT_NONE;
    return hits;
}

static bool bench_peers(bench_run* run, const bench_case* c, tact_problem* problem)
{
    size_t count = 0;
    const tact_peer* peers = tact_peers(&count);
    tact_device_info cpu;
    if (!run->settings.peers || run->too_slow[TACT_BACKEND_CPU]) return true;
    tact_session_device(&run->session, TACT_BACKEND_CPU, &cpu);
    for (size_t i = 0; i < count; ++i) {
        tact_bench_results* results = &run->results;
        tact_bench_peer_row* rows = grown(results->peers, results->peer_count, &run->peer_capacity, sizeof *rows);
        if (!rows) return tact_problem_out_of_memory(problem, "the results");
        results->peers = rows;
        tact_peer_result r;
        if (!peers[i].cast(c->model, c->rays, (size_t)c->count, (int)cpu.compute_units, run->settings.repeat, &r,
                           problem)) {
            return false;
        }
        tact_bench_peer_row* row = &rows[results->peer_count++];
        *row = (tact_bench_peer_row){.triangles = tact_model_triangles(c->model),
                                     .rays = c->kind,
                                     .count = c->count,
                                     .peer = peers[i].name,
                                     .threads = r.threads,
                                     .build_ms = r.build_ms,
                                     .query_ms = r.query_ms,
                                     .low_ms = r.query_low_ms,
                                     .high_ms = r.query_high_ms,
                                     .hits = r.hits,
                                     .our_hits = count_hits(c)};
        memcpy(row->mesh, c->mesh, sizeof row->mesh);
    }
    return true;
}

/// A picture of 10^k rays: square, or 8 to 5 for odd k.
static void camera_size(uint64_t count, uint32_t* width, uint32_t* height)
{
    uint32_t side = 1;
    while ((uint64_t)(side + 1) * (side + 1) <= count)
        ++side;
    *width = *height = side;
    if ((uint64_t)side * side == count) return;
    for (uint32_t unit = 1; (uint64_t)40 * unit * unit <= count; ++unit) {
        if ((uint64_t)40 * unit * unit == count) {
            *width = 8 * unit;
            *height = 5 * unit;
        }
    }
}

static bool bench_series(bench_run* run, bench_case* c, int kind, uint64_t most, tact_problem* problem)
{
    const tact_bounds bounds = tact_ray_bounds(&c->stats);
    c->kind = kinds[kind];
    memset(run->too_slow, 0, sizeof run->too_slow);
    tact_ray* rays = malloc((size_t)most * sizeof *rays);
    c->hits = malloc((size_t)most * sizeof *c->hits);
    bool good = rays && c->hits;
    if (!good) tact_problem_out_of_memory(problem, "rays and hits");
    for (uint64_t count = 100; good && count <= most; count *= 10) {
        if (kind == 0) {
            uint32_t width, height;
            camera_size(count, &width, &height);
            c->count = (uint64_t)width * height;
            tact_rays_camera(&bounds, width, height, rays);
        } else {
            c->count = count;
            tact_rays_random(&bounds, run->settings.common.seed, count, rays);
        }
        c->rays = rays;
        find_digest(c);
        static const tact_backend order[] = {TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
        for (int i = 0; good && i < 3; ++i)
            good = bench_backend(run, c, order[i], problem);
        good = good && bench_peers(run, c, problem);
        tact_progress_update((double)kind / KINDS, &run->progress);
    }
    free(rays);
    free(c->hits);
    c->hits = NULL;
    return good;
}

static bool bench_model(bench_run* run, const char* name, const tact_model* model, tact_problem* problem)
{
    bench_case c = {.model = model};
    snprintf(c.mesh, sizeof c.mesh, "%s", name);
    if (!tact_model_build(model, run->session.context, &c.scene, &c.stats, problem)) return false;
    bool good = true;
    for (int kind = 0; good && kind < KINDS; ++kind) {
        good = bench_series(run, &c, kind, run->settings.quick ? 100000 : 10000000, problem);
    }
    tact_scene_destroy(c.scene);
    ++run->progress.part;
    return good;
}

/// A generated mesh of the benchmark: an icosphere of so many levels, or a terrain of so many squares a side.
typedef struct bench_mesh {
    const char* name;
    unsigned levels, side;
    bool quick;
} bench_mesh;

static const bench_mesh bench_meshes[] = {
    {"icosphere 320", 2, 0, false},  {"icosphere 1k", 3, 0, true},    {"icosphere 20k", 5, 0, true},
    {"icosphere 330k", 7, 0, false}, {"icosphere 1.3M", 8, 0, false}, {"terrain 33k", 0, 128, true},
    {"terrain 1M", 0, 708, false},
};
enum { BENCH_MESHES = sizeof bench_meshes / sizeof bench_meshes[0] };

static bool bench_mesh_of(bench_run* run, const char* name, bool made, tact_model_mesh* mesh, tact_problem* problem)
{
    tact_model model = {0};
    const bool good = made && tact_model_add_mesh(&model, mesh, problem) &&
                      tact_model_add_instance(&model, 0, NULL, problem) && bench_model(run, name, &model, problem);
    tact_model_free(&model);
    return good;
}

static const char* base_name(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool bench_all(bench_run* run, tact_problem* problem)
{
    tact_bench_settings* settings = &run->settings;
    tact_progress_start(&run->progress, "measuring", settings->common.quiet);
    run->progress.parts = settings->meshes.count;
    for (int i = 0; i < BENCH_MESHES; ++i)
        run->progress.parts += bench_meshes[i].quick || !settings->quick;
    bool good = true;
    for (size_t i = 0; good && i < settings->meshes.count; ++i) {
        tact_model_mesh mesh;
        const char* path = settings->meshes.items[i];
        const bool made = tact_mesh_file_read_guarded(path, &mesh, problem);
        good = bench_mesh_of(run, base_name(path), made, &mesh, problem);
    }
    for (int i = 0; good && i < BENCH_MESHES; ++i) {
        const bench_mesh* b = &bench_meshes[i];
        if (settings->quick && !b->quick) continue;
        tact_model_mesh mesh;
        const bool made = b->side ? tact_mesh_terrain(b->side, settings->common.seed, &mesh, problem)
                                  : tact_mesh_icosphere(b->levels, &mesh, problem);
        good = bench_mesh_of(run, b->name, made, &mesh, problem);
    }
    tact_progress_end(&run->progress);
    return good;
}

static bool report(bench_run* run, tact_problem* problem)
{
    cJSON* json = tact_bench_to_json(&run->settings, &run->session, &run->results);
    bool good = true;
    if (good && run->settings.common.json) {
        good = tact_json_print(json, problem);
    } else if (good) {
        tact_bench_print(&run->settings, &run->session, &run->results);
    }
    if (good && run->settings.out) good = tact_bench_write(&run->settings, json, &run->results, problem);
    cJSON_Delete(json);
    return good;
}

static bool execute(bench_run* run, tact_problem* problem)
{
    tact_bench_settings* settings = &run->settings;
    if (settings->common.backend == TACT_BACKEND_REFERENCE) {
        return tact_problem_set(problem, "--backend reference: brute force is not timed");
    }
    settings->repeat = settings->common.repeat ? settings->common.repeat : (settings->quick ? 3 : 5);
    if (settings->out && !tact_system_make_directory(settings->out, problem)) return false;
    if (!tact_session_open(&run->session, &settings->common, problem)) return false;
    if (!bench_all(run, problem) || !report(run, problem)) return false;
    if (run->wrong == 0) return true;
    tact_problem_set(problem, "%" PRIu64 " measurements failed or gave other results than the rest", run->wrong);
    problem->exit_code = TACT_EXIT_CHECK_FAILED;
    return false;
}

static const char help_text[] =
    "Usage: tact bench [--quick] [--out DIR] [--peers] [options]\n"
    "       tact bench rays [--help]\n"
    "       tact bench near [--help]\n"
    "       tact bench geometry [--help]\n"
    "       tact bench overlap [--help]\n"
    "       tact bench separation [--help]\n"
    "       tact bench image [--help]\n"
    "       tact bench filter [--help]\n"
    "       tact bench pick [--help]\n"
    "       tact bench pairs [--help]\n"
    "       tact bench particles [--help]\n\n"
    "Times ray casts on every device over meshes and numbers of rays. A time counts only when its results are, byte\n"
    "for byte, those of the others, and of brute force where that is affordable.\n";

int tact_command_bench(int argc, char** argv, tact_problem* problem)
{
    if (argc > 0 && strcmp(argv[0], "geometry") == 0) return tact_command_bench_geometry(argc - 1, argv + 1, problem);
    if (argc > 0 && strcmp(argv[0], "separation") == 0) {
        return tact_command_bench_separation(argc - 1, argv + 1, problem);
    }
    if (argc > 0 && strcmp(argv[0], "image") == 0) return tact_command_bench_image(argc - 1, argv + 1, problem);
    if (argc > 0 && strcmp(argv[0], "filter") == 0) return tact_command_bench_filter(argc - 1, argv + 1, problem);
    if (argc > 0 && strcmp(argv[0], "pick") == 0) return tact_command_bench_pick(argc - 1, argv + 1, problem);
    if (argc > 0 && strcmp(argv[0], "near") == 0) return tact_command_bench_near(argc - 1, argv + 1, problem);
    if (argc > 0 && strcmp(argv[0], "regret") == 0) return tact_command_bench_regret(argc - 1, argv + 1, problem);
    if (argc > 0 && strcmp(argv[0], "rays") == 0) return tact_command_bench_rays(argc - 1, argv + 1, problem);
    if (argc > 0 && strcmp(argv[0], "overlap") == 0) return tact_command_bench_overlap(argc - 1, argv + 1, problem);
    if (argc > 0 && strcmp(argv[0], "pairs") == 0) return tact_command_bench_pairs(argc - 1, argv + 1, problem);
    if (argc > 0 && strcmp(argv[0], "particles") == 0) return tact_command_bench_particles(argc - 1, argv + 1, problem);
    bench_run run = {0};
    tact_bench_settings* s = &run.settings;
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&s->common, common);
    const tact_option own[] = {
        {"quick", NULL, "small sizes: under a minute", TACT_OPTION_FLAG, &s->quick, 0, 0, NULL},
        {"out", "DIR", "write bench.json and bench.csv there", TACT_OPTION_TEXT, &s->out, 0, 0, NULL},
        {"peers", NULL, "also time the libraries that were found when building", TACT_OPTION_FLAG, &s->peers, 0, 0,
         NULL},
        {"mesh", "FILE", "also measure on this mesh; may be given again", TACT_OPTION_LIST, &s->meshes, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, NULL, argc, argv, &work, problem) && (!work || execute(&run, problem));
    tact_session_close(&run.session);
    tact_text_list_free(&s->meshes);
    free(run.results.rows);
    free(run.results.peers);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
