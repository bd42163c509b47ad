// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/bench/rays.h"
#include "apps/system.h"

/// Each vertex as much as a sixteenth of its coordinates away, one so and the next so.
static float* displaced(const tact_model_mesh* mesh)
{
    float* positions = malloc((3 * mesh->vertex_count + 1) * sizeof *positions);
    for (size_t i = 0; positions && i < 3 * mesh->vertex_count; ++i)
        positions[i] = mesh->positions[i] * (i % 2 ? 1.0625f : 0.9375f);
    return positions;
}

static tact_result add_mesh(tact_scene* scene, const tact_model_mesh* mesh, const tact_bench_quality* quality)
{
    tact_mesh_desc desc = tact_model_mesh_desc(mesh);
    uint32_t added = 0, instance = 0;
    float* elsewhere = quality->refit ? displaced(mesh) : NULL;
    if (quality->refit && !elsewhere) return TACT_ERROR_OUT_OF_MEMORY;
    if (quality->refit) desc.positions = elsewhere;
    desc.quality = quality->quality;
    tact_result result = tact_scene_add_mesh(scene, &desc, &added);
    free(elsewhere);
    if (result >= 0) result = tact_scene_add_instance(scene, added, NULL, &instance);
    return result;
}

bool tact_bench_rays_scene(const tact_model* model, tact_context* context, int quality, tact_scene** scene,
                           double* whole_ms, double* commit_ms, tact_problem* problem)
{
    const tact_bench_quality* q = &tact_bench_qualities[quality];
    double start = tact_system_milliseconds();
    tact_result result = tact_scene_create(context, scene);
    for (size_t i = 0; result >= 0 && i < model->mesh_count; ++i)
        result = add_mesh(*scene, &model->meshes[i], q);
    if (q->refit) {
        if (result >= 0) result = tact_scene_commit(*scene);
        start = tact_system_milliseconds();
        for (size_t i = 0; result >= 0 && i < model->mesh_count; ++i) {
            result = tact_scene_update_mesh(*scene, (uint32_t)i, model->meshes[i].positions, 0, TACT_UPDATE_REFIT);
        }
    }
    const double filled = tact_system_milliseconds();
    if (result >= 0) result = tact_scene_commit(*scene);
    const double end = tact_system_milliseconds();
    *whole_ms = end - start;
    *commit_ms = end - filled;
    if (result >= 0) return true;
    tact_problem_from_result(problem, result, context, "building the scene");
    tact_scene_destroy(*scene);
    *scene = NULL;
    return false;
}

static bool build_ours(const tact_model* model, tact_context* context, int quality, tact_bench_build* row,
                       double* whole_ms, double* commit_ms, tact_problem* problem)
{
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    if (!tact_bench_rays_scene(model, context, quality, &scene, whole_ms, commit_ms, problem)) return false;
    const bool good = tact_scene_get_stats(scene, &stats) >= 0;
    if (good) {
        row->tree_bytes = stats.memory_bytes;
        row->mesh_bytes = stats.mesh_bytes;
    }
    tact_scene_destroy(scene);
    return good;
}

static bool build_peer(const tact_model* model, const tact_embree_desc* desc, tact_bench_build* row, double* whole_ms,
                       double* commit_ms, tact_problem* problem)
{
    tact_embree* embree = NULL;
    if (!tact_embree_open(model, desc, &embree, problem)) return false;
    const tact_embree_facts facts = tact_embree_get_facts(embree);
    tact_embree_close(embree);
    *whole_ms = facts.whole_ms;
    *commit_ms = facts.commit_ms;
    row->tree_bytes = facts.tree_bytes;
    row->mesh_bytes = facts.mesh_bytes;
    row->held_bytes = facts.tree_bytes + facts.mesh_bytes;
    row->peak_bytes = facts.peak_bytes;
    return true;
}

static bool build_row(const tact_bench_rays_settings* settings, tact_context* context, const tact_model* model,
                      tact_bench_build* row, double* whole_ms, double* commit_ms, tact_problem* problem)
{
    if (!row->peer) return build_ours(model, context, (int)row->builder, row, whole_ms, commit_ms, problem);
    const size_t peer = row->builder - TACT_BENCH_QUALITIES;
    const tact_embree_desc desc = {.threads = settings->threads,
                                   .quality = (tact_embree_quality)(peer % TACT_EMBREE_QUALITIES),
                                   .config = settings->peer_config,
                                   .robust = peer >= TACT_EMBREE_QUALITIES};
    return build_peer(model, &desc, row, whole_ms, commit_ms, problem);
}

static void list_builders(const tact_bench_rays_settings* settings, tact_bench_builds* builds)
{
    static const char* const qualities[TACT_EMBREE_QUALITIES] = {"low", "medium", "high"};
    const bool peers = tact_embree_have() && !settings->no_peers;
    for (size_t b = 0; b < TACT_BENCH_BUILDS; ++b) {
        const bool peer = b >= TACT_BENCH_QUALITIES;
        if (peer ? !peers : settings->tree != 0 && settings->tree != (int)b + 1) continue;
        tact_bench_build* row = &builds->rows[builds->count++];
        row->peer = peer;
        row->builder = b;
        if (!peer) {
            snprintf(row->name, sizeof row->name, "%s", tact_bench_qualities[b].name);
            continue;
        }
        const size_t at = b - TACT_BENCH_QUALITIES;
        snprintf(row->name, sizeof row->name, "embree %s, %s", at < TACT_EMBREE_QUALITIES ? "fast" : "robust",
                 qualities[at % TACT_EMBREE_QUALITIES]);
    }
}

static bool build_rounds(const tact_bench_rays_settings* settings, tact_context* context, const tact_model* model,
                         tact_bench_builds* builds, double* samples, tact_problem* problem)
{
    const size_t repeat = (size_t)settings->repeat;
    for (size_t k = 0; k <= repeat; ++k) {
        for (size_t n = 0; n < builds->count; ++n) {
            const size_t r = k % 2 ? builds->count - 1 - n : n;
            double whole = 0.0, commit = 0.0;
            if (!build_row(settings, context, model, &builds->rows[r], &whole, &commit, problem)) return false;
            if (k == 0) continue;  // the warm-up
            samples[2 * r * repeat + k - 1] = whole;
            samples[(2 * r + 1) * repeat + k - 1] = commit;
        }
    }
    for (size_t r = 0; r < builds->count; ++r) {
        tact_bench_build* row = &builds->rows[r];
        if (!row->peer && !tact_bench_rays_memory(model, settings->threads, (int)row->builder, &row->held_bytes,
                                                  &row->peak_bytes, problem)) {
            return false;
        }
        builds->rows[r].whole = tact_spread_of(samples + 2 * r * repeat, repeat);
        builds->rows[r].commit = tact_spread_of(samples + (2 * r + 1) * repeat, repeat);
    }
    return true;
}

bool tact_bench_rays_build(const tact_bench_rays_settings* settings, tact_context* context, const char* name,
                           const tact_model* model, tact_bench_rays_results* results, tact_problem* problem)
{
    tact_bench_builds* all =
        tact_bench_rays_grown(results->builds, results->build_count, &results->build_capacity, sizeof *all);
    if (all) results->builds = all;
    double* samples = calloc((size_t)settings->repeat, 2 * TACT_BENCH_BUILDS * sizeof *samples);
    bool good = all && samples;
    if (good) {
        tact_bench_builds* builds = &all[results->build_count];
        *builds = (tact_bench_builds){.triangles = tact_model_triangles(model)};
        snprintf(builds->mesh, sizeof builds->mesh, "%s", name);
        list_builders(settings, builds);
        good = build_rounds(settings, context, model, builds, samples, problem);
        if (good) ++results->build_count;
    } else {
        tact_problem_out_of_memory(problem, "the measurements");
    }
    free(samples);
    return good;
}

static double per_triangle(const tact_bench_builds* b, uint64_t bytes)
{
    return b->triangles ? (double)bytes / (double)b->triangles : 0.0;
}

void tact_bench_rays_builds_table(tact_table* table, const tact_bench_rays_results* results)
{
    static const char* const heads[] = {"mesh",        ">triangles",    "builder",       ">build ms", ">min",
                                        ">max",        ">with copy ms", ">Mtriangles/s", ">x ours",   ">tree B/tri",
                                        ">mesh B/tri", ">held B/tri",   ">peak B/tri"};
    tact_table_init(table, heads, sizeof heads / sizeof heads[0]);
    for (size_t i = 0; i < results->build_count; ++i) {
        const tact_bench_builds* b = &results->builds[i];
        for (size_t r = 0; r < b->count; ++r) {
            const tact_bench_build* row = &b->rows[r];
            const double ours = b->rows[0].commit.median;
            tact_table_add(table, "%s", b->mesh);
            tact_table_add(table, "%" PRIu64, b->triangles);
            tact_table_add(table, "%s", row->name);
            tact_table_add(table, "%.3f", row->commit.median);
            tact_table_add(table, "%.3f", row->commit.low);
            tact_table_add(table, "%.3f", row->commit.high);
            tact_table_add(table, "%.3f", row->whole.median);
            tact_table_add(table, "%.3f", tact_bench_rate(b->triangles, row->commit.median));
            tact_table_add(table, r > 0 && ours > 0.0 ? "%.2f" : "-", row->commit.median / ours);
            tact_table_add(table, "%.1f", per_triangle(b, row->tree_bytes));
            tact_table_add(table, "%.1f", per_triangle(b, row->mesh_bytes));
            tact_table_add(table, "%.1f", per_triangle(b, row->held_bytes));
            tact_table_add(table, "%.1f", per_triangle(b, row->peak_bytes));
        }
    }
}

void tact_bench_rays_builds_to_json(cJSON* root, const tact_bench_rays_results* results)
{
    cJSON* builds = tact_json_array(root, "builds");
    for (size_t i = 0; i < results->build_count; ++i) {
        const tact_bench_builds* b = &results->builds[i];
        for (size_t r = 0; r < b->count; ++r) {
            const tact_bench_build* row = &b->rows[r];
            cJSON* entry = tact_json_append(builds);
            tact_json_text(entry, "mesh", b->mesh);
            tact_json_count(entry, "triangles", b->triangles);
            tact_json_text(entry, "builder", row->name);
            tact_json_truth(entry, "peer", row->peer);
            tact_json_spread(entry, "build_ms", &row->commit);
            tact_json_spread(entry, "with_copy_ms", &row->whole);
            tact_json_count(entry, "tree_bytes", row->tree_bytes);
            tact_json_count(entry, "mesh_bytes", row->mesh_bytes);
            tact_json_count(entry, "held_bytes", row->held_bytes);
            tact_json_count(entry, "peak_bytes", row->peak_bytes);
        }
    }
}
