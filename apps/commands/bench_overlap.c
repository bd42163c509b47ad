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
#include "apps/inputs/poses.h"
#include "apps/inputs/scenes.h"
#include "apps/peers/overlap.h"
#include "apps/system.h"

enum { CONTESTANTS = 8, QUERIES = 3, MOST_REPEATS = 1001 };

typedef enum overlap_query { ALL_PAIRS, ANY, SOLID } overlap_query;

static const char* const query_names[] = {"all pairs", "boolean", "solid"};

/// One of ours, or a peer.
typedef struct contestant {
    const tact_overlap_peer* peer;  ///< NULL: ours
    tact_backend backend;
    void* own;        ///< the peer's
    double build_ms;  ///< both trees
    bool here[QUERIES];
    bool differs[QUERIES];
    double* samples[QUERIES];  ///< milliseconds, one for each round
    tact_spread spread[QUERIES];
    uint64_t results[QUERIES];      ///< pairs, poses that overlap, poses that are not apart
    uint64_t disagreeing[QUERIES];  ///< poses in which it says something else than ours
} contestant;

typedef struct overlap_bench {
    tact_common_options common;
    bool quick, peers;
    const char *out, *file, *other;
    uint64_t pose_count, spread, repeat;
    int threads;
    tact_session session;
    tact_model_mesh models[2];
    tact_mesh* meshes[2];
    double build_ms;
    float (*poses)[12];
    tact_mesh_pair* pairs;
    size_t pair_capacity;
    uint8_t* relations;
    uint64_t *found, *expected[QUERIES];  ///< of each pose
    tact_digest digest[QUERIES];
    contestant contestants[CONTESTANTS];
    size_t contestant_count;
    uint64_t wrong;
} overlap_bench;

// ---- What is tested ----

static bool load(overlap_bench* bench, tact_problem* problem)
{
    const char* const files[2] = {bench->file, bench->other ? bench->other : bench->file};
    for (int i = 0; i < 2; ++i) {
        const bool good = files[i] ? tact_mesh_file_read_guarded(files[i], &bench->models[i], problem)
                                   : tact_mesh_icosphere(bench->quick ? 4 : 5, &bench->models[i], problem);
        if (!good) return false;
    }
    return true;
}

static bool build(overlap_bench* bench, tact_problem* problem)
{
    for (int i = 0; i < 2; ++i) {
        const tact_model_mesh* m = &bench->models[i];
        const tact_mesh_desc desc = tact_model_mesh_desc(m);
        if (tact_mesh_create(bench->session.context, &desc, &bench->meshes[i]) < 0) {
            return tact_problem_set(problem, "the mesh: %s", tact_context_error(bench->session.context));
        }
        tact_mesh_info info;
        tact_mesh_get_info(bench->meshes[i], &info);
        bench->build_ms += info.build_ms;
    }
    return true;
}

static bool prepare(overlap_bench* bench, tact_problem* problem)
{
    const size_t count = (size_t)bench->pose_count;
    bench->poses = malloc(count * sizeof *bench->poses);
    bench->relations = malloc(count);
    bench->found = malloc(count * sizeof *bench->found);
    bool good = bench->poses && bench->relations && bench->found;
    for (int q = 0; q < QUERIES; ++q) {
        bench->expected[q] = malloc(count * sizeof *bench->found);
        good = good && bench->expected[q];
    }
    if (!good) return tact_problem_out_of_memory(problem, "the poses");
    tact_poses_scatter(&bench->models[0], &bench->models[1], bench->common.seed, (double)bench->spread * 0.01, false,
                       bench->poses, count);
    return true;
}

static bool find_contestants(overlap_bench* bench, tact_problem* problem)
{
    static const tact_backend backends[] = {TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
    for (int i = 0; i < 3; ++i) {
        tact_device_info info;
        if (bench->common.backend != TACT_BACKEND_AUTO && bench->common.backend != (int)backends[i]) continue;
        if (tact_session_device(&bench->session, backends[i], &info) < 0) continue;
        bench->contestants[bench->contestant_count++] =
            (contestant){.backend = backends[i], .here = {true, true, true}, .build_ms = bench->build_ms};
    }
    const tact_overlap_peer* peer;
    for (size_t i = 0; bench->peers && (peer = tact_overlap_peer_at(i)) != NULL; ++i) {
        contestant* c = &bench->contestants[bench->contestant_count];
        *c = (contestant){.peer = peer, .here = {true, true, false}};
        tact_overlap_peer_mesh meshes[2];
        for (int k = 0; k < 2; ++k) {
            const tact_model_mesh* m = &bench->models[k];
            meshes[k] = (tact_overlap_peer_mesh){m->positions, m->vertex_count, m->indices, m->triangle_count};
        }
        const double start = tact_system_milliseconds();
        c->own = peer->make(&meshes[0], &meshes[1]);
        c->build_ms = tact_system_milliseconds() - start;
        if (!c->own) return tact_problem_set(problem, "%s did not take the meshes", peer->name);
        ++bench->contestant_count;
    }
    for (size_t i = 0; i < bench->contestant_count; ++i) {
        for (int q = 0; q < QUERIES; ++q) {
            bench->contestants[i].samples[q] = malloc((size_t)bench->repeat * sizeof(double));
            if (!bench->contestants[i].samples[q]) return tact_problem_out_of_memory(problem, "the times");
        }
    }
    return true;
}

// ---- Measuring ----

/// Asks once. `found` gets the number of pairs, or the relation, of each pose.
static tact_result ask(overlap_bench* bench, const contestant* c, overlap_query query, double* ms, tact_digest* digest)
{
    const tact_query_options options = {.backend = c->backend, .threads = bench->threads, .no_fallback = true};
    const size_t poses = (size_t)bench->pose_count;
    const float(*at)[12] = (const float(*)[12])bench->poses;
    size_t count = 0;
    tact_result result;
    double start = tact_system_milliseconds();
    if (query == ALL_PAIRS) {
        result = tact_mesh_overlap_pairs(bench->meshes[0], bench->meshes[1], at, poses, bench->pairs,
                                         bench->pair_capacity, &count, &options, NULL);
        if (result == TACT_INCOMPLETE) {
            free(bench->pairs);
            bench->pairs = malloc(count * sizeof *bench->pairs);
            bench->pair_capacity = bench->pairs ? count : 0;
            start = tact_system_milliseconds();
            result = tact_mesh_overlap_pairs(bench->meshes[0], bench->meshes[1], at, poses, bench->pairs,
                                             bench->pair_capacity, &count, &options, NULL);
            if (result == TACT_INCOMPLETE) result = TACT_ERROR_OUT_OF_MEMORY;
        }
    } else {
        result = tact_mesh_overlap(bench->meshes[0], bench->meshes[1], at, poses, query == SOLID, bench->relations,
                                   &options, NULL);
    }
    *ms = tact_system_milliseconds() - start;
    if (result != TACT_OK) return result;
    memset(bench->found, 0, poses * sizeof *bench->found);
    for (size_t i = 0; i < count; ++i)
        ++bench->found[bench->pairs[i].pose];
    for (size_t i = 0; i < poses && query != ALL_PAIRS; ++i)
        bench->found[i] = bench->relations[i];
    *digest = query == ALL_PAIRS ? tact_digest_of(bench->pairs, count * sizeof *bench->pairs)
                                 : tact_digest_of(bench->relations, poses);
    return TACT_OK;
}

static bool run_once(overlap_bench* bench, contestant* c, overlap_query query, double* ms, tact_problem* problem)
{
    const size_t poses = (size_t)bench->pose_count;
    if (c->peer) {
        const double start = tact_system_milliseconds();
        const bool good = c->peer->run(c->own, (const float(*)[12])bench->poses, poses, bench->threads,
                                       query == ALL_PAIRS, bench->found);
        *ms = tact_system_milliseconds() - start;
        return good || tact_problem_set(problem, "%s failed", c->peer->name);
    }
    tact_digest digest;
    const tact_result result = ask(bench, c, query, ms, &digest);
    if (result == TACT_ERROR_NO_DEVICE) {
        c->here[query] = false;
        return true;
    }
    if (result != TACT_OK) {
        return tact_problem_set(problem, "%s on %s: %s", query_names[query], tact_backend_name(c->backend),
                                tact_context_error(bench->session.context));
    }
    if (!bench->digest[query].text[0]) {
        bench->digest[query] = digest;
        memcpy(bench->expected[query], bench->found, poses * sizeof *bench->found);
    }
    if (strcmp(digest.text, bench->digest[query].text) != 0) c->differs[query] = true;
    return true;
}

static void count_results(overlap_bench* bench, contestant* c, overlap_query query)
{
    c->results[query] = c->disagreeing[query] = 0;
    for (size_t i = 0; i < bench->pose_count; ++i) {
        c->results[query] += query == SOLID ? bench->found[i] != 0 : bench->found[i];
        c->disagreeing[query] += bench->digest[query].text[0] && bench->found[i] != bench->expected[query][i];
    }
}

/// Rounds in which everybody has a turn, so that what else the machine does befalls all alike. The first is not timed.
static bool measure_query(overlap_bench* bench, overlap_query query, tact_progress* progress, tact_problem* problem)
{
    for (uint64_t round = 0; round <= bench->repeat; ++round) {
        tact_progress_update((double)round / (double)(bench->repeat + 1), progress);
        for (size_t i = 0; i < bench->contestant_count; ++i) {
            contestant* c = &bench->contestants[i];
            double ms = 0.0;
            if (!c->here[query]) continue;
            if (!run_once(bench, c, query, &ms, problem)) return false;
            if (round > 0) c->samples[query][round - 1] = ms;
            if (round == 0 && c->here[query]) count_results(bench, c, query);
        }
    }
    for (size_t i = 0; i < bench->contestant_count; ++i) {
        contestant* c = &bench->contestants[i];
        if (!c->here[query]) continue;
        c->spread[query] = tact_spread_of(c->samples[query], (size_t)bench->repeat);
        bench->wrong += c->differs[query];
    }
    return true;
}

// ---- Reporting ----

static const char* name_of(const contestant* c)
{
    return c->peer ? c->peer->name : tact_backend_name(c->backend);
}

static double per_pose(const overlap_bench* bench, double ms)
{
    return 1000.0 * ms / (double)bench->pose_count;
}

/// The first peer's median time over this one's; 0: unknown.
static double against_peer(const overlap_bench* bench, const contestant* c, int query)
{
    for (size_t i = 0; i < bench->contestant_count && !c->peer; ++i) {
        const contestant* other = &bench->contestants[i];
        if (other->peer && other->here[query]) return other->spread[query].median / c->spread[query].median;
    }
    return 0.0;
}

static void make_table(tact_table* table, const overlap_bench* bench)
{
    static const char* const heads[] = {"query",    "by",      ">us a pose", ">min",      ">max",
                                        ">results", ">a pose", ">x peer",    ">build ms", "answers"};
    tact_table_init(table, heads, sizeof heads / sizeof heads[0]);
    for (int q = 0; q < QUERIES; ++q) {
        for (size_t i = 0; i < bench->contestant_count; ++i) {
            const contestant* c = &bench->contestants[i];
            if (!c->here[q]) continue;
            tact_table_add(table, "%s", query_names[q]);
            tact_table_add(table, "%s", name_of(c));
            tact_table_add(table, "%.2f", per_pose(bench, c->spread[q].median));
            tact_table_add(table, "%.2f", per_pose(bench, c->spread[q].low));
            tact_table_add(table, "%.2f", per_pose(bench, c->spread[q].high));
            tact_table_add(table, "%" PRIu64, c->results[q]);
            tact_table_add(table, "%.2f", (double)c->results[q] / (double)bench->pose_count);
            const double ratio = against_peer(bench, c, q);
            tact_table_add(table, ratio > 0.0 ? "%.2f" : "-", ratio);
            tact_table_add(table, "%.1f", c->build_ms);
            if (c->peer) {
                tact_table_add(table, "%" PRIu64 " poses differ", c->disagreeing[q]);
            } else {
                tact_table_add(table, "%s", c->differs[q] ? "DIFFERS" : "equal");
            }
        }
    }
}

static cJSON* to_json(const overlap_bench* bench)
{
    cJSON* root = cJSON_CreateObject();
    tact_bench_head_to_json(root, "bench overlap", &bench->session);
    tact_json_text(root, "mesh", bench->file ? bench->file : "icosphere");
    tact_json_text(root, "other", bench->other ? bench->other : bench->file ? bench->file : "icosphere");
    tact_json_count(root, "triangles", bench->models[0].triangle_count);
    tact_json_count(root, "other_triangles", bench->models[1].triangle_count);
    tact_json_count(root, "poses", bench->pose_count);
    tact_json_count(root, "spread", bench->spread);
    tact_json_count(root, "seed", bench->common.seed);
    tact_json_count(root, "repeat", bench->repeat);
    tact_json_count(root, "threads", (uint64_t)bench->threads);
    cJSON* rows = tact_json_array(root, "rows");
    for (int q = 0; q < QUERIES; ++q) {
        for (size_t i = 0; i < bench->contestant_count; ++i) {
            const contestant* c = &bench->contestants[i];
            if (!c->here[q]) continue;
            cJSON* row = tact_json_append(rows);
            tact_json_text(row, "query", query_names[q]);
            tact_json_text(row, "by", name_of(c));
            tact_json_truth(row, "peer", c->peer != NULL);
            cJSON* us = tact_json_object(row, "us_per_pose");
            tact_json_number(us, "median", per_pose(bench, c->spread[q].median));
            tact_json_number(us, "min", per_pose(bench, c->spread[q].low));
            tact_json_number(us, "max", per_pose(bench, c->spread[q].high));
            tact_json_count(row, "results", c->results[q]);
            if (against_peer(bench, c, q) > 0.0) tact_json_number(row, "times_peer", against_peer(bench, c, q));
            tact_json_number(row, "build_ms", c->build_ms);
            tact_json_count(row, "poses_differing", c->disagreeing[q]);
            tact_json_text(row, "result", c->peer ? "peer" : c->differs[q] ? "DIFFERS" : "equal");
            if (!c->peer) tact_json_text(row, "digest", bench->digest[q].text);
        }
    }
    return root;
}

static bool report(const overlap_bench* bench, tact_problem* problem)
{
    tact_table table;
    make_table(&table, bench);
    tact_bench_output output = {&bench->session, TACT_BACKEND_CPU, bench->common.json, bench->out, ""};
    snprintf(output.heading, sizeof output.heading,
             "%zu triangles against %zu in %" PRIu64 " poses, %d threads; medians of %" PRIu64 " rounds",
             bench->models[0].triangle_count, bench->models[1].triangle_count, bench->pose_count, bench->threads,
             bench->repeat);
    return tact_bench_finish(&output, to_json(bench), &table, problem);
}

static bool measure_all(overlap_bench* bench, tact_problem* problem)
{
    tact_progress progress;
    tact_progress_start(&progress, "measuring", bench->common.quiet);
    progress.parts = QUERIES;
    bool good = true;
    for (int q = 0; good && q < QUERIES; ++q) {
        good = measure_query(bench, (overlap_query)q, &progress, problem);
        ++progress.part;
    }
    tact_progress_end(&progress);
    return good;
}

static bool execute(overlap_bench* bench, tact_problem* problem)
{
    if (bench->common.backend == TACT_BACKEND_REFERENCE) {
        return tact_problem_set(problem, "--backend reference: brute force is not timed");
    }
    if (bench->other && !bench->file) return tact_problem_set(problem, "--other: only with --mesh");
    bench->repeat = bench->common.repeat ? bench->common.repeat : bench->quick ? 3 : 15;
    if (bench->repeat > MOST_REPEATS) bench->repeat = MOST_REPEATS;
    if (bench->out && !tact_system_make_directory(bench->out, problem)) return false;
    if (!load(bench, problem) || !tact_session_open(&bench->session, &bench->common, problem)) return false;
    tact_device_info cpu;
    bench->threads = (int)bench->common.threads;
    if (bench->threads == 0 && tact_session_device(&bench->session, TACT_BACKEND_CPU, &cpu) >= 0) {
        bench->threads = (int)cpu.compute_units;
    }
    if (!prepare(bench, problem) || !build(bench, problem) || !find_contestants(bench, problem)) return false;
    if (!measure_all(bench, problem) || !report(bench, problem)) return false;
    return tact_bench_verdict(bench->wrong, "measurements gave other results than the rest", problem);
}

static void release(overlap_bench* bench)
{
    for (size_t i = 0; i < CONTESTANTS; ++i) {
        contestant* c = &bench->contestants[i];
        if (c->own) c->peer->release(c->own);
        for (int q = 0; q < QUERIES; ++q)
            free(c->samples[q]);
    }
    for (int i = 0; i < 2; ++i) {
        tact_mesh_destroy(bench->meshes[i]);
        tact_model_mesh_free(&bench->models[i]);
    }
    for (int q = 0; q < QUERIES; ++q)
        free(bench->expected[q]);
    free(bench->poses);
    free(bench->pairs);
    free(bench->relations);
    free(bench->found);
    tact_session_close(&bench->session);
}

static const char help_text[] =
    "Usage: tact bench overlap [--mesh FILE [--other FILE]] [--poses N] [--spread P] [--peers] [--out DIR] "
    "[options]\n\n"
    "Times the exact overlap of two meshes in random poses: all pairs of triangles, whether there is one, and how "
    "they\n"
    "lie as solids. In a pose B is turned at random about the middle of its box, and that middle is moved in a random\n"
    "direction from A's, by up to P hundredths of the mean of their half diagonals. A time counts only when the "
    "results\n"
    "are, byte for byte, those of the others. Peers take the poses with as many threads.\n";

int tact_command_bench_overlap(int argc, char** argv, tact_problem* problem)
{
    overlap_bench bench = {.pose_count = 100, .spread = 200};
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&bench.common, common);
    const tact_option own[] = {
        {"mesh", "FILE", "the mesh (default: a sphere)", TACT_OPTION_TEXT, &bench.file, 0, 0, NULL},
        {"other", "FILE", "the one that is moved (default: the same)", TACT_OPTION_TEXT, &bench.other, 0, 0, NULL},
        {"poses", "N", "how many (default: 100)", TACT_OPTION_NUMBER, &bench.pose_count, 1, 1000000, NULL},
        {"spread", "P", "how far apart the meshes may be (default: 200: until balls about them part)",
         TACT_OPTION_NUMBER, &bench.spread, 0, 10000, NULL},
        {"quick", NULL, "three rounds", TACT_OPTION_FLAG, &bench.quick, 0, 0, NULL},
        {"out", "DIR", "write bench.json and bench.csv there", TACT_OPTION_TEXT, &bench.out, 0, 0, NULL},
        {"peers", NULL, "also time the libraries that were found when building", TACT_OPTION_FLAG, &bench.peers, 0, 0,
         NULL},
        {.name = NULL},
    };
    const tact_option_set set = {.own = own, .common = common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, NULL, argc, argv, &work, problem) && (!work || execute(&bench, problem));
    release(&bench);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
