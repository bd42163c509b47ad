// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/depth.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/characters.h"
#include "apps/inputs/mesh_file.h"
#include "apps/inputs/scenes.h"

// ---- Meshes ----

bool tact_suite_mesh_take(tact_suite_mesh* mesh, const char* name, bool made, tact_model_mesh* from,
                          tact_problem* problem)
{
    if (!made) return false;
    snprintf(mesh->name, sizeof mesh->name, "%s", name);
    return tact_model_add_mesh(&mesh->model, from, problem) && tact_model_add_instance(&mesh->model, 0, NULL, problem);
}

bool tact_suite_mesh_read(tact_suite_mesh* mesh, const char* path, tact_problem* problem)
{
    tact_model_mesh from;
    const char* slash = strrchr(path, '/');
    const bool made = tact_mesh_file_read_guarded(path, &from, problem);
    return tact_suite_mesh_take(mesh, slash ? slash + 1 : path, made, &from, problem);
}

bool tact_suite_mesh_terrain(tact_suite_mesh* mesh, uint64_t triangles, uint64_t seed, tact_problem* problem)
{
    unsigned side = (unsigned)sqrt((double)triangles / 2.0);
    if (side == 0) side = 1;
    char name[64];
    snprintf(name, sizeof name, "terrain %llu", 2ull * side * side);
    tact_model_mesh from;
    const bool made = tact_mesh_terrain(side, seed, &from, problem);
    return tact_suite_mesh_take(mesh, name, made, &from, problem);
}

static bool make_character(tact_suite_mesh* mesh, const tact_bench_run* run, const tact_character* made,
                           tact_problem* problem)
{
    snprintf(mesh->name, sizeof mesh->name, "%s", made->name);
    return made->make(run->quick, run->common.seed, &mesh->model, problem);
}

/// The characters that are asked for, in their order, each once.
static bool choose_characters(const tact_bench_run* run, const tact_character* chosen[TACT_CHARACTERS], size_t* count,
                              tact_problem* problem)
{
    bool wanted[TACT_CHARACTERS] = {false};
    for (size_t i = 0; i < run->made.count; ++i) {
        const char* name = run->made.items[i];
        const tact_character* one = tact_character_named(name);
        const bool all = strcmp(name, "all") == 0;
        if (!one && !all) return tact_problem_set(problem, "--made: no such mesh: %s", name);
        for (int k = 0; k < TACT_CHARACTERS; ++k)
            wanted[k] |= all || one == &tact_characters[k];
    }
    *count = 0;
    for (int k = 0; k < TACT_CHARACTERS; ++k)
        if (wanted[k]) chosen[(*count)++] = &tact_characters[k];
    return true;
}

bool tact_depth_meshes(tact_bench_run* run, uint64_t triangles, tact_depth_mesh_fn* measure, tact_problem* problem)
{
    const tact_character* chosen[TACT_CHARACTERS];
    size_t made = 0;
    if (!choose_characters(run, chosen, &made, problem)) return false;
    const size_t files = run->meshes.count;
    run->progress.parts = files + made + (triangles > 0);
    bool good = true;
    for (size_t i = 0; good && i < run->progress.parts; ++i) {
        tact_suite_mesh mesh = {.name = ""};
        const char* name = i < files          ? run->meshes.items[i]
                           : i < files + made ? chosen[i - files]->name
                                              : "the terrain";
        if (tact_bench_stopped(run, problem, "%s", name)) continue;
        if (i < files)
            good = tact_suite_mesh_read(&mesh, name, problem);
        else if (i < files + made)
            good = make_character(&mesh, run, chosen[i - files], problem);
        else
            good = tact_suite_mesh_terrain(&mesh, triangles, run->common.seed, problem);
        good = good ? measure(run, &mesh, problem) : tact_bench_stopped(run, problem, "%s", name);
        tact_model_free(&mesh.model);
        ++run->progress.part;
    }
    return good;
}

// ---- Series ----

/// The place of a contestant in the series; NULL: it has no past.
static tact_depth_series* find_past(tact_depth_series* series, const tact_contestant* who, size_t* at)
{
    for (*at = 0; series && *at < series->count; ++*at) {
        const tact_contestant* other = &series->past[*at].who;
        if (other->peer == who->peer && other->backend == who->backend && other->variant == who->variant) return series;
    }
    return NULL;
}

/// By how it has grown so far: at least as fast as the size; where it grew faster before, with its square at most.
static bool is_too_slow(const tact_depth* d, const tact_contestant* who)
{
    size_t at;
    if (!find_past(d->series, who, &at)) return false;
    double grown = (double)d->size / d->series->past[at].size;
    if (d->series->past[at].squared) grown *= grown;
    return d->series->past[at].ms * grown > d->series->limit_ms;
}

static void remember(tact_depth* d, tact_contestant* who)
{
    size_t at;
    tact_depth_series* s = d->series;
    const bool known = find_past(s, who, &at) != NULL;
    who->growth = (double)NAN;
    if (!s || who->status != TACT_BENCH_EQUAL || at == TACT_CONTESTANTS) return;
    const double size = (double)d->size, ms = who->ms.median;
    if (known && size > s->past[at].size && s->past[at].ms > 0.0)
        who->growth = log(ms / s->past[at].ms) / log(size / s->past[at].size);
    s->past[at].squared = who->growth > 1.5;
    s->past[at].who = *who;
    s->past[at].ms = ms;
    s->past[at].size = size;
    s->count += !known;
}

// ---- Contestants ----

static void take_part(tact_depth* d, tact_contestant* who)
{
    ++d->count;
    who->left_out = is_too_slow(d, who);
    if (who->left_out) who->status = TACT_BENCH_TOO_SLOW;
}

static void list_ours(tact_depth* d)
{
    static const tact_suite_variant only[] = {{.name = "", .backends = ~0u}, {.name = NULL}};
    const tact_suite_variant* variants = d->query->variants ? d->query->variants : only;
    const unsigned backends = d->backends ? d->backends : d->query->backends;
    for (int b = TACT_BACKEND_CPU; b <= TACT_BACKEND_CL; ++b) {
        tact_device_info info;
        if (!(backends >> b & 1u) || tact_session_device(&d->run->session, (tact_backend)b, &info) < 0) continue;
        if (d->run->common.backend != TACT_BACKEND_AUTO && d->run->common.backend != b) continue;
        for (unsigned v = 0; variants[v].name && d->count < TACT_CONTESTANTS; ++v) {
            if (!(variants[v].backends >> b & 1u) || (d->variants && !(d->variants >> v & 1u))) continue;
            tact_contestant* who = &d->all[d->count];
            *who = (tact_contestant){
                .backend = (tact_backend)b, .variant = v, .threads = d->run->threads, .build_ms = d->setup_ms};
            snprintf(who->name, sizeof who->name, "%s",
                     *variants[v].name ? variants[v].name : tact_backend_name((tact_backend)b));
            take_part(d, who);
        }
    }
}

static bool list_peers(tact_depth* d, tact_problem* problem)
{
    for (size_t i = 0; d->peers && d->query->peer && d->count < TACT_CONTESTANTS; ++i) {
        tact_contestant* who = &d->all[d->count];
        *who = (tact_contestant){.backend = TACT_BACKEND_CPU};
        if (!d->query->peer(d->own, i, who)) break;
        if (!who->made) return tact_problem_set(problem, "%s did not take the inputs", who->peer_name);
        snprintf(who->name, sizeof who->name, "%s", who->peer_name);
        take_part(d, who);
    }
    return true;
}

static bool is_loose(const tact_depth* d, const tact_contestant* who)
{
    return who->peer || (d->query->variants && d->query->variants[who->variant].loose);
}

// ---- Answers ----

/// The first answer is what all others must be.
static bool expect(tact_depth* d, const tact_suite_answer* answer, tact_problem* problem)
{
    const size_t bytes = answer->items ? answer->count * answer->size : 0;
    void* copy = malloc(bytes + 1);
    if (!copy) return tact_problem_out_of_memory(problem, "the answers");
    if (bytes) memcpy(copy, answer->items, bytes);
    d->expected = *answer;
    d->expected.items = d->kept = copy;
    return true;
}

static uint64_t count_differing(const tact_suite_answer* expected, const tact_suite_answer* answer)
{
    if (strcmp(expected->digest.text, answer->digest.text) == 0) return 0;
    const size_t most = expected->count > answer->count ? expected->count : answer->count;
    uint64_t differing = 0;
    for (size_t i = 0; answer->items && i < most; ++i) {
        differing += i >= expected->count || i >= answer->count ||
                     memcmp((const char*)expected->items + i * answer->size,
                            (const char*)answer->items + i * answer->size, answer->size) != 0;
    }
    return differing ? differing : 1;
}

static bool judge(tact_depth* d, tact_contestant* who, uint64_t round, const tact_suite_answer* answer,
                  tact_problem* problem)
{
    const tact_suite_query* q = d->query;
    if (!d->expected.items && !is_loose(d, who) && !expect(d, answer, problem)) return false;
    if (!who->peer) who->results = answer->results;
    if (!who->peer && (round == 0 || !who->digest.text[0])) {
        who->digest = answer->digest;
        if (!is_loose(d, who) && !q->moves) who->differing = count_differing(&d->expected, answer);
    } else if (!who->peer && q->moves) {
        tact_suite_run_on(&who->digest, &answer->digest);
    } else if (!is_loose(d, who) && strcmp(d->expected.digest.text, answer->digest.text) != 0) {
        who->status = TACT_BENCH_DIFFERS;
    }
    if (q->note) q->note(d->own, who, &d->expected);
    if (who->differing && !is_loose(d, who)) who->status = TACT_BENCH_DIFFERS;
    return true;
}

static bool turn(void* own, tact_contestant* who, uint64_t round, double* ms, tact_problem* problem)
{
    tact_depth* d = own;
    tact_suite_answer answer = {.results = 0};
    tact_result result = round == 0 && d->query->begin && !who->peer ? d->query->begin(d->own) : TACT_OK;
    if (result >= 0) result = tact_suite_turn(d->query, d->own, who, round, ms, &answer, problem);
    if (problem->text[0]) return false;
    if (result >= 0) return judge(d, who, round, &answer, problem);
    const char* detail = tact_context_error(d->run->session.context);
    snprintf(who->detail, sizeof who->detail, "%.250s", *detail ? detail : tact_result_string(result));
    const bool missing = result == TACT_ERROR_UNSUPPORTED || result == TACT_ERROR_NO_DEVICE;
    who->status = missing ? TACT_BENCH_MISSING : TACT_BENCH_FAILED;
    who->left_out = true;
    return true;
}

// ---- Brute force ----

static bool ask_reference(tact_depth* d, void* own, tact_suite_answer* answer, tact_problem* problem)
{
    const tact_suite_query* q = d->query;
    tact_contestant who = {.backend = TACT_BACKEND_REFERENCE, .threads = d->run->threads};
    tact_result result = q->begin ? q->begin(own) : TACT_OK;
    tact_digest digest = {""};
    for (uint64_t i = 0; result >= 0 && i <= (q->moves ? d->run->repeat : 0); ++i) {
        double ms;
        result = tact_suite_turn(q, own, &who, i, &ms, answer, problem);
        if (i == 0) digest = answer->digest;
        if (i > 0) tact_suite_run_on(&digest, &answer->digest);
    }
    answer->digest = digest;
    if (problem->text[0]) return false;
    return result >= 0 || tact_problem_from_result(problem, result, d->run->session.context, "the reference");
}

/// A smaller set of the same kind, by brute force and by the CPU.
static bool check_part(tact_depth* d, uint64_t size, tact_problem* problem)
{
    void* own = NULL;
    double setup_ms = 0.0, ms;
    tact_suite_answer right = {.results = 0}, answer = {.results = 0};
    tact_contestant who = {.backend = TACT_BACKEND_CPU, .threads = d->run->threads};
    bool good =
        d->query->open(d->query, &d->input, size, &own, &setup_ms, problem) && ask_reference(d, own, &right, problem);
    if (good) {
        const tact_result result = tact_suite_turn(d->query, own, &who, 0, &ms, &answer, problem);
        good = result >= 0 || tact_problem_from_result(problem, result, d->run->session.context, d->query->set);
    }
    d->run->wrong += good && strcmp(right.digest.text, answer.digest.text) != 0;
    d->query->close(own);
    return good;
}

static bool define(tact_depth* d, tact_problem* problem)
{
    const tact_suite_query* q = d->query;
    double most = (double)q->reference_most;
    if (q->reference_pairs > 0.0) most = q->reference_pairs / (double)(tact_model_triangles(&d->input.mesh->model) + 1);
    const bool all = most >= (double)d->size;
    if (!all && !(q->reference_pairs > 0.0)) return true;
    d->by_reference = all ? d->size : (uint64_t)most;
    if (!all) return d->by_reference == 0 || check_part(d, d->by_reference, problem);
    tact_suite_answer answer = {.results = 0};
    return ask_reference(d, d->own, &answer, problem) && expect(d, &answer, problem);
}

// ---- Measuring ----

static void conclude(tact_depth* d)
{
    const tact_contestant* first = NULL;
    for (size_t i = 0; i < d->count; ++i) {
        tact_contestant* who = &d->all[i];
        if (who->status == TACT_BENCH_EQUAL && d->query->moves && !who->peer) {
            // Of frames the digest is known at the end.
            if (!first) first = who;
            const char* right = d->by_reference ? d->expected.digest.text : first->digest.text;
            if (strcmp(right, who->digest.text) != 0) who->status = TACT_BENCH_DIFFERS;
        }
        if (!who->peer) d->run->wrong += who->status == TACT_BENCH_DIFFERS || who->status == TACT_BENCH_FAILED;
        remember(d, who);
        const double ms = who->ms.median;
        if (who->peer && !who->left_out && (!(d->fastest_peer_ms > 0.0) || ms < d->fastest_peer_ms))
            d->fastest_peer_ms = ms;
    }
}

static bool measure(tact_bench_run* run, tact_depth* d, tact_problem* problem)
{
    d->run = run;
    d->input.context = run->session.context;
    d->input.seed = run->common.seed;
    d->input.threads = run->threads;
    d->input.frames = d->query->moves ? run->repeat : 0;
    if (!d->query->open(d->query, &d->input, d->size, &d->own, &d->setup_ms, problem)) return false;
    list_ours(d);
    if (!list_peers(d, problem) || !define(d, problem)) return false;
    const tact_rounds rounds = {.all = d->all,
                                .count = d->count,
                                .repeat = run->repeat,
                                .alone = d->query->moves || d->query->alone,
                                .own = d,
                                .run = turn,
                                .progress = &run->progress};
    if (!tact_rounds_run(&rounds, problem)) return false;
    conclude(d);
    return true;
}

bool tact_depth_measure(tact_bench_run* run, tact_depth* d, tact_problem* problem)
{
    const tact_suite_query* q = d->query;
    const char* inputs = d->scene ? d->scene : d->input.mesh ? d->input.mesh->name : q->set ? q->set : "";
    char name[200];
    snprintf(name, sizeof name, "%s%s%s, %" PRIu64 " %s", q->name, *inputs ? ", " : "", inputs, d->size,
             q->unit ? q->unit : "items");
    if (tact_bench_stopped(run, problem, "%s", name)) return true;
    const tact_suite_input input = d->input;
    const uint64_t size = d->size;
    if (measure(run, d, problem)) return true;
    if (!tact_bench_stopped(run, problem, "%s", name)) return false;
    tact_depth_close(d);
    *d = (tact_depth){.query = q, .input = input, .size = size};
    return true;
}

void tact_depth_close(tact_depth* d)
{
    for (size_t i = 0; i < d->count; ++i)
        if (d->all[i].made) d->query->peer_close(&d->all[i]);
    tact_contestants_free(d->all, d->count);
    if (d->query && d->own) d->query->close(d->own);
    free(d->kept);
    *d = (tact_depth){0};
}

double tact_depth_over_peers(const tact_depth* d, const tact_contestant* who)
{
    return who->peer || !(d->fastest_peer_ms > 0.0) ? (double)NAN : d->fastest_peer_ms / who->ms.median;
}

const char* tact_depth_result(const tact_contestant* who)
{
    static const char* const names[] = {"equal", "DIFFERS", "failed", "left out: slow", "missing", "left out: stopped"};
    return who->peer ? "peer" : names[who->status];
}

const char* tact_depth_counted(const tact_depth* d, const tact_contestant* who)
{
    static const char* const peers[] = {"as many", "OTHER NUMBER", "failed", "left out: slow", "missing"};
    if (who->peer) return peers[who->status];
    return who->status == TACT_BENCH_EQUAL && d->by_reference ? "equal (brute force)" : tact_depth_result(who);
}
