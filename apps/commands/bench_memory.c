// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/rays.h"
#include "apps/commands.h"
#include "apps/system.h"

// Each is measured in a process of its own, by what the system says of that: whatever a library allocates, and however,
// counts, and nothing is left of those before.

enum { TERRAIN_TRIANGLES = 1002528, QUICK_TRIANGLES = 32768, ITEMS = 1000000, QUICK_ITEMS = 20000, RAYS = 1 << 16 };

typedef struct memory_bench {
    tact_bench_run run;
    bool no_peers;
    uint64_t triangles, count;
    uint64_t ours;  ///< bytes that the first of ours held
} memory_bench;

/// What has come in a span of a process's life.
typedef struct memory_span {
    uint64_t bytes, faults;
    bool known;  ///< the bytes are
} memory_span;

/// What is measured in a process.
typedef struct memory_sample {
    bool good, absent;         ///< absent: there is no such peer
    char name[64];             ///< the peer's
    memory_span built, query;  ///< only of scenes are these two; else the query builds
    uint64_t found;
} memory_sample;

/// One that is measured.
typedef struct memory_turn {
    const memory_bench* bench;
    const tact_suite_mesh* mesh;  ///< of rays; NULL: a query of the suite
    const tact_ray* rays;
    tact_hit* hits;
    const tact_suite_query* query;
    uint64_t size;
    bool peer;
    unsigned at;  ///< of the peers, or which quality or variant of ours
    char name[64];
    memory_sample sample;
} memory_turn;

static tact_context* new_context(const memory_turn* t)
{
    const tact_context_desc desc = {.threads = t->bench->run.threads, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* context = NULL;
    return tact_context_create(&desc, &context) < 0 ? NULL : context;
}

static memory_span now(void)
{
    memory_span span = {.faults = tact_system_faults()};
    span.known = tact_system_memory(&span.bytes, NULL);
    return span;
}

static memory_span since(const memory_span* before)
{
    memory_span span = now();
    span.known = span.known && before->known;
    span.bytes = span.bytes > before->bytes ? span.bytes - before->bytes : 0;
    span.faults -= before->faults;
    return span;
}

static uint64_t count_hits(const memory_turn* t)
{
    uint64_t found = 0;
    for (size_t i = 0; i < RAYS; ++i)
        found += t->hits[i].instance != TACT_NONE;
    return found;
}

/// A scene, and the first cast at it.
static void cast(memory_turn* t, tact_problem* problem)
{
    memory_sample* s = &t->sample;
    memset(t->hits, 0, RAYS * sizeof *t->hits);
    memory_span before = now();
    if (t->peer) {
        tact_embree* embree = NULL;
        const tact_embree_desc desc = {.threads = t->bench->run.threads, .quality = (tact_embree_quality)t->at};
        s->good = tact_embree_open(&t->mesh->model, &desc, &embree, problem);
        s->built = since(&before);
        before = now();
        size_t forms;
        if (s->good) tact_embree_closest(embree, &tact_embree_forms(&forms)[0], t->rays, RAYS, t->hits);
    } else {
        tact_context* context = new_context(t);
        tact_scene* scene = NULL;
        double whole, commit;
        s->good =
            context && tact_bench_rays_scene(&t->mesh->model, context, (int)t->at, &scene, &whole, &commit, problem);
        s->built = since(&before);
        before = now();
        s->good = s->good && tact_raycast(scene, TACT_RAY_CLOSEST, t->rays, RAYS, t->hits, NULL, NULL) >= 0;
    }
    s->query = since(&before);
    s->found = count_hits(t);
}

static void ask(memory_turn* t, tact_problem* problem)
{
    memory_sample* s = &t->sample;
    const tact_suite_query* q = t->query;
    const tact_suite_input input = {
        .context = new_context(t), .seed = t->bench->run.common.seed, .threads = t->bench->run.threads};
    void* own = NULL;
    double setup_ms = 0.0;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .no_fallback = true};
    tact_contestant who = {.backend = TACT_BACKEND_CPU, .threads = input.threads};
    tact_suite_answer answer = {.results = 0};
    s->good = input.context && q->open(q, &input, t->size, &own, &setup_ms, problem) &&
              (!q->place || q->place(own, 0, problem));
    if (!s->good) return;
    if (!t->peer && q->choose) q->choose(own, t->at);
    const memory_span before = now();
    if (t->peer) {
        s->absent = !q->peer || !q->peer(own, t->at, &who);
        s->good = s->absent || (who.made && q->peer_ask(own, &who, 0));
        answer.results = who.results;
        snprintf(s->name, sizeof s->name, "%s", who.peer_name ? who.peer_name : "");
    } else {
        s->good = (!q->begin || q->begin(own) >= 0) && q->ask(own, &options, &who.report) >= 0;
    }
    s->query = since(&before);
    if (s->good && !t->peer) s->good = q->answer(own, &answer, problem);
    s->found = answer.results;
}

static void run(void* own)
{
    memory_turn* t = own;
    tact_problem problem = {.text = ""};
    if (t->mesh)
        cast(t, &problem);
    else
        ask(t, &problem);
}

static bool take_turn(memory_bench* b, memory_turn* t, tact_problem* problem)
{
    tact_report* r = &b->run.report;
    memory_sample* s = &t->sample;
    const char* of = t->mesh ? t->mesh->name : t->query->name;
    if (tact_bench_stopped(&b->run, problem, "%s, %s", of, t->name)) return true;
    if (!tact_system_apart(run, t, s, sizeof *s)) {
        return tact_bench_stopped(&b->run, problem, "%s, %s", of, t->name) ||
               tact_problem_set(problem, "%s: no process of its own could be run", t->name);
    }
    if (!s->good) return tact_problem_set(problem, "%s: the query failed", t->name);
    if (s->absent) return true;
    if (s->name[0]) snprintf(t->name, sizeof t->name, "%s", s->name);
    // What a cast takes has nothing to do with how many triangles there are.
    const uint64_t counts = t->mesh ? s->built.bytes : s->query.bytes;
    if (t->at == 0 && !t->peer) b->ours = s->query.known ? counts : 0;
    const double unknown = (double)NAN, each = s->query.known ? 1.0 / (double)t->size : unknown;
    tact_report_row(r);
    tact_report_text(r, "of", "of", of);
    tact_report_count(r, ">items", "items", t->size);
    tact_report_text(r, "each", "each", t->mesh ? "triangle" : t->query->set ? "particle" : "box");
    tact_report_text(r, "by", "by", t->name);
    tact_json_truth(r->row, "peer", t->peer);
    tact_report_number(r, ">B each", "bytes_each", "%.1f", (double)counts * each);
    tact_report_number(r, ">x tact", "over_tact", "%.2f", b->ours ? (double)counts / (double)b->ours : unknown);
    tact_report_number(r, ">query MB", "query_mb", "%.2f",
                       t->mesh && s->query.known ? (double)s->query.bytes * 1e-6 : unknown);
    tact_report_count(r, ">faults", "faults", s->built.faults + s->query.faults);
    tact_report_number(r, ">of the query", "query_faults", "%.0f", t->mesh ? (double)s->query.faults : unknown);
    tact_report_count(r, ">found", "found", s->found);
    return true;
}

static bool measure_mesh(tact_bench_run* bench, const tact_suite_mesh* mesh, tact_problem* problem)
{
    memory_bench* b = (void*)bench;
    const tact_model* model = &mesh->model;
    const double most = (double)INFINITY;
    tact_bounds bounds = {{most, most, most}, {-most, -most, -most}};
    for (size_t m = 0; m < model->mesh_count; ++m) {
        for (size_t i = 0; i < 3 * model->meshes[m].vertex_count; ++i) {
            const double x = (double)model->meshes[m].positions[i];
            bounds.lower[i % 3] = fmin(bounds.lower[i % 3], x);
            bounds.upper[i % 3] = fmax(bounds.upper[i % 3], x);
        }
    }
    tact_ray* rays = malloc(RAYS * sizeof *rays);
    tact_hit* hits = malloc(RAYS * sizeof *hits);
    bool good = (rays && hits) || tact_problem_out_of_memory(problem, "rays and hits");
    if (good) tact_rays_random(&bounds, b->run.common.seed, RAYS, rays);
    static const char* const qualities[] = {"low", "medium", "high"};
    const int peers = tact_embree_have() && !b->no_peers ? TACT_EMBREE_QUALITIES : 0;
    for (int i = 0; good && i < TACT_BENCH_QUALITIES + peers; ++i) {
        memory_turn t = {.bench = b, .mesh = mesh, .rays = rays, .hits = hits, .size = tact_model_triangles(model)};
        t.peer = i >= TACT_BENCH_QUALITIES;
        t.at = (unsigned)(t.peer ? i - TACT_BENCH_QUALITIES : i);
        if (!t.peer && tact_bench_qualities[i].refit) continue;
        snprintf(t.name, sizeof t.name, "%s%s", t.peer ? "embree, " : "",
                 t.peer ? qualities[t.at] : tact_bench_qualities[i].name);
        good = take_turn(b, &t, problem);
    }
    free(rays);
    free(hits);
    return good;
}

/// Ours in each variant but brute force, then the peers.
static bool measure_query(memory_bench* b, const tact_suite_query* query, tact_problem* problem)
{
    static const tact_suite_variant only[] = {{.name = "", .backends = ~0u}, {.name = NULL}};
    const tact_suite_variant* variants = query->variants ? query->variants : only;
    memory_turn t = {.bench = b, .query = query, .size = b->count};
    bool good = true;
    for (; good && variants[t.at].name; ++t.at) {
        const char* name = variants[t.at].name;
        if (!(variants[t.at].backends >> TACT_BACKEND_CPU & 1u) || strcmp(name, "brute") == 0) continue;
        snprintf(t.name, sizeof t.name, "tact%s%s", *name ? ", " : "", name);
        good = take_turn(b, &t, problem);
    }
    t.peer = true;
    for (t.at = 0; good && !b->no_peers && !t.sample.absent && !tact_bench_is_stopped(&b->run); ++t.at) {
        snprintf(t.name, sizeof t.name, "peer %u", t.at);
        good = take_turn(b, &t, problem);
    }
    return good;
}

static const tact_suite_query* find_query(const tact_suite_query* from, const char* name, const char* set)
{
    while (from->name && (strcmp(from->name, name) != 0 || (set && strcmp(from->set, set) != 0)))
        ++from;
    return from;
}

static bool execute(tact_bench_run* bench, tact_problem* problem)
{
    memory_bench* b = (void*)bench;
    if (bench->common.backend != TACT_BACKEND_AUTO && bench->common.backend != TACT_BACKEND_CPU)
        return tact_problem_set(problem, "--backend: the CPU's memory is measured");
    bench->common.backend = TACT_BACKEND_CPU;
    if (b->count == 0) b->count = bench->quick ? QUICK_ITEMS : ITEMS;
    if (b->triangles == UINT64_MAX) b->triangles = bench->quick ? QUICK_TRIANGLES : TERRAIN_TRIANGLES;
    if (!tact_bench_begin(bench, "bench memory", 1, 1, problem) ||
        !tact_depth_meshes(bench, b->triangles, measure_mesh, problem) ||
        !measure_query(b, find_query(tact_suite_pair_queries, "new", NULL), problem) ||
        !measure_query(b, find_query(tact_suite_step_queries, "lists, sorted", "sparse"), problem))
        return false;
    char heading[200];
    snprintf(
        heading, sizeof heading,
        "%d thread%s; what a process of its own holds more than before: once a scene is built, or a first query of "
        "a set is answered",
        bench->threads, bench->threads == 1 ? "" : "s");
    return tact_bench_report(bench, TACT_BACKEND_CPU, heading, problem);
}

static const char help_text[] =
    "Usage: tact bench memory [MESH ...] [--triangles N] [--count N] [options]\n\n"
    "Measures the bytes that a triangle, a box and a particle take after a first query on the CPU, and the page "
    "faults\n"
    "until its answer, beside the libraries that were found when building. Each in a process of its own.\n";

int tact_command_bench_memory(int argc, char** argv, tact_problem* problem)
{
    memory_bench b = {.triangles = UINT64_MAX};
    const tact_option own[] = {
        TACT_BENCH_QUICK(b.run, "small sizes: seconds"),
        TACT_BENCH_OUT(b.run, "bench.json and bench.csv"),
        TACT_BENCH_MESHES(b.run),
        TACT_NUMBER("triangles", "N", "of the generated terrain (default 1002528; 0: no terrain)", &b.triangles, 0,
                    UINT64_C(1) << 30),
        TACT_NUMBER("count", "N", "boxes, and points (default 1000000)", &b.count, 1, UINT64_C(1) << 28),
        TACT_FLAG("no-peers", "without other libraries", &b.no_peers),
        {.name = NULL},
    };
    return tact_bench_command(&b.run, help_text, own, execute, argc, argv, problem);
}
