// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
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
    uint32_t added = 0;
    float* elsewhere = quality->refit ? displaced(mesh) : NULL;
    if (quality->refit && !elsewhere) return TACT_ERROR_OUT_OF_MEMORY;
    if (quality->refit) desc.positions = elsewhere;
    tact_result result = tact_scene_add_mesh(scene, &desc, &added);
    if (result >= 0) result = tact_scene_set_quality(scene, added, quality->quality);
    free(elsewhere);
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
    for (size_t i = 0; result >= 0 && i < model->instance_count; ++i) {
        const tact_model_instance* instance = &model->instances[i];
        uint32_t added = 0;
        result = tact_scene_add_instance(*scene, instance->mesh, instance->moved ? instance->transform : NULL, &added);
    }
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

/// Ours by quality, then Embree's fast ones, then its robust ones.
typedef struct builders {
    tact_rays_bench* bench;
    const tact_model* model;
    tact_contestant all[TACT_BENCH_BUILDS];
    tact_embree_facts facts[TACT_BENCH_BUILDS];
    uint64_t held_bytes[TACT_BENCH_BUILDS];  ///< all that the scene holds: by what the library asked for
    size_t count;
} builders;

static bool build_ours(const builders* b, const tact_contestant* who, tact_embree_facts* facts, tact_problem* problem)
{
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    if (!tact_bench_rays_scene(b->model, b->bench->run.session.context, (int)who->variant, &scene, &facts->whole_ms,
                               &facts->commit_ms, problem))
        return false;
    const bool good = tact_scene_get_stats(scene, &stats) >= 0;
    if (good) {
        facts->tree_bytes = stats.memory_bytes;
        facts->mesh_bytes = stats.mesh_bytes;
    }
    tact_scene_destroy(scene);
    return good;
}

static bool build_peer(const builders* b, const tact_contestant* who, tact_embree_facts* facts, tact_problem* problem)
{
    const unsigned peer = who->variant - TACT_BENCH_QUALITIES;
    const tact_embree_desc desc = {.threads = b->bench->run.threads,
                                   .quality = (tact_embree_quality)(peer % TACT_EMBREE_QUALITIES),
                                   .config = b->bench->peer_config,
                                   .robust = peer >= TACT_EMBREE_QUALITIES};
    tact_embree* embree = NULL;
    if (!tact_embree_open(b->model, &desc, &embree, problem)) return false;
    *facts = tact_embree_get_facts(embree);
    tact_embree_close(embree);
    return true;
}

static bool turn(void* own, tact_contestant* who, uint64_t round, double* ms, tact_problem* problem)
{
    (void)round;
    builders* b = own;
    tact_embree_facts* facts = &b->facts[who - b->all];
    if (!(who->peer ? build_peer(b, who, facts, problem) : build_ours(b, who, facts, problem))) return false;
    *ms = facts->commit_ms;
    who->fill_ms = facts->whole_ms;
    return true;
}

static void list_builders(builders* b)
{
    static const char* const qualities[TACT_EMBREE_QUALITIES] = {"low", "medium", "high"};
    const tact_rays_bench* bench = b->bench;
    const bool peers = tact_embree_have() && !bench->no_peers;
    for (unsigned k = 0; k < TACT_BENCH_BUILDS; ++k) {
        const unsigned peer = k - TACT_BENCH_QUALITIES;
        if (k >= TACT_BENCH_QUALITIES ? !peers : bench->tree != 0 && bench->tree != (int)k + 1) continue;
        tact_contestant* who = &b->all[b->count++];
        *who = (tact_contestant){.variant = k};
        if (k < TACT_BENCH_QUALITIES) {
            snprintf(who->name, sizeof who->name, "%s", tact_bench_qualities[k].name);
            continue;
        }
        who->peer = &qualities[peer % TACT_EMBREE_QUALITIES];
        snprintf(who->name, sizeof who->name, "embree %s, %s", peer < TACT_EMBREE_QUALITIES ? "fast" : "robust",
                 qualities[peer % TACT_EMBREE_QUALITIES]);
    }
}

static bool count_memory(builders* b, tact_problem* problem)
{
    for (size_t i = 0; i < b->count; ++i) {
        const tact_contestant* who = &b->all[i];
        tact_embree_facts* facts = &b->facts[i];
        b->held_bytes[i] = facts->tree_bytes + facts->mesh_bytes;
        if (!who->peer && !tact_bench_rays_memory(b->model, b->bench->run.threads, (int)who->variant, &b->held_bytes[i],
                                                  &facts->peak_bytes, problem))
            return false;
    }
    return true;
}

static void add_bytes(tact_report* r, const char* head, const char* key, uint64_t bytes, uint64_t triangles)
{
    tact_report_number(r, head, NULL, "%.1f", triangles ? (double)bytes / (double)triangles : 0.0);
    tact_json_count(r->row, key, bytes);
}

static void add_row(tact_report* r, const builders* b, size_t at, const char* mesh)
{
    const tact_contestant* who = &b->all[at];
    const uint64_t triangles = tact_model_triangles(b->model);
    const double ours = b->all[0].ms.median;
    tact_report_row(r);
    tact_report_text(r, "mesh", "mesh", mesh);
    tact_report_count(r, ">triangles", "triangles", triangles);
    tact_report_text(r, "builder", "builder", who->name);
    tact_json_truth(r->row, "peer", who->peer != NULL);
    tact_report_spread(r, ">build ms", "build_ms", "%.3f", 1.0, &who->ms);
    tact_report_number(r, ">with copy ms", NULL, "%.3f", who->fill.median);
    tact_json_spread(r->row, "with_copy_ms", &who->fill);
    tact_rounds_to_json(r->row, who);
    tact_report_number(r, ">Mtriangles/s", NULL, "%.3f", tact_bench_rate(triangles, who->ms.median));
    tact_report_number(r, ">x ours", NULL, "%.2f", at > 0 && ours > 0.0 ? who->ms.median / ours : (double)NAN);
    add_bytes(r, ">tree B/tri", "tree_bytes", b->facts[at].tree_bytes, triangles);
    add_bytes(r, ">mesh B/tri", "mesh_bytes", b->facts[at].mesh_bytes, triangles);
    add_bytes(r, ">held B/tri", "held_bytes", b->held_bytes[at], triangles);
    add_bytes(r, ">peak B/tri", "peak_bytes", b->facts[at].peak_bytes, triangles);
}

void tact_bench_rays_builds_heads(tact_rays_bench* bench)
{
    const tact_model none = {0};
    const builders b = {.bench = bench, .model = &none};
    bench->builds.heads_alone = true;
    add_row(&bench->builds, &b, 0, "");
}

bool tact_bench_rays_build(tact_rays_bench* bench, const tact_suite_mesh* mesh, tact_problem* problem)
{
    builders b = {.bench = bench, .model = &mesh->model};
    if (tact_bench_stopped(&bench->run, problem, "%s, builds", mesh->name)) return true;
    list_builders(&b);
    const tact_rounds rounds = {.all = b.all, .count = b.count, .repeat = bench->run.repeat, .own = &b, .run = turn};
    const bool good = tact_rounds_run(&rounds, problem) && count_memory(&b, problem);
    for (size_t i = 0; good && i < b.count; ++i)
        add_row(&bench->builds, &b, i, mesh->name);
    tact_contestants_free(b.all, b.count);
    return good || tact_bench_stopped(&bench->run, problem, "%s, builds", mesh->name);
}
