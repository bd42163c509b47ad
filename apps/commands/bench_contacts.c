// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apps/bench/depth.h"
#include "apps/commands.h"

typedef struct contacts_bench {
    tact_bench_run run;
    const char* only;
    uint64_t pairs, bodies;
} contacts_bench;

static bool is_heap(const tact_suite_query* q)
{
    return q->moves;
}

/// Hulls of 256 corners are costly, for peers above all, and meshes are.
static uint64_t size_of(const contacts_bench* b, const tact_suite_query* q)
{
    if (is_heap(q)) return b->bodies;
    const uint64_t most = strstr(q->name, "256") ? 1024 : strstr(q->name, "meshes") ? 4096 : UINT64_MAX;
    return b->pairs > most ? most : b->pairs;
}

/// The median of the fastest peer on as many threads; NaN: there is none.
static double fastest_peer(const tact_depth* d, int threads)
{
    double least = (double)NAN;
    for (size_t i = 0; i < d->count; ++i) {
        const tact_contestant* who = &d->all[i];
        if (who->peer && who->threads == threads && who->status == TACT_BENCH_EQUAL)
            least = fmin(least, who->ms.median);
    }
    return least;
}

static void add_row(tact_report* r, const tact_depth* d, const tact_contestant* who)
{
    const bool heap = is_heap(d->query), ours = !who->peer;
    const double none = (double)NAN, size = (double)d->size, pairs = heap ? none : 1.0,
                 stages = heap && ours ? 1.0 : none;
    tact_report_row(r);
    tact_report_text(r, "what", "what", d->query->name);
    tact_report_text(r, "lie", "state", d->query->set);
    tact_report_count(r, ">count", "count", d->size);
    const bool device = ours && who->backend != TACT_BACKEND_CPU;
    tact_report_text(r, "by", "by", device ? tact_backend_name(who->backend) : who->name);
    tact_json_truth(r->row, "peer", who->peer != NULL);
    tact_report_number(r, ">threads", "threads", "%.0f", device ? none : (double)who->threads);
    tact_report_spread(r, ">ns each", "ns_each", "%.1f", 1e6 / size, &who->ms);
    tact_report_number(r, ">points", "points_each", "%.2f", strcmp(d->query->unit, "pairs") == 0 ? who->extra : none);
    tact_report_count(r, ">touch", "touching", who->results);
    tact_report_number(r, ">differ", "differing", "%.0f", ours ? none : pairs * (double)who->differing);
    tact_report_number(r, ">x peer", "times_peer", "%.2f",
                       ours ? fastest_peer(d, who->threads) / who->ms.median : none);
    tact_report_number(r, ">move ms", "move_ms", "%.2f", stages * who->fill.median);
    tact_report_number(r, ">pairs ms", "pairs_ms", "%.2f", stages * who->build.median);
    tact_report_number(r, ">contacts ms", "contacts_ms", "%.2f",
                       stages * (who->ms.median - who->fill.median - who->build.median));
    tact_report_text(r, "result", "result", tact_depth_result(who));
    if (ours) tact_json_text(r->row, "digest", who->digest.text);
    tact_rounds_to_json(r->row, who);
}

static bool is_wanted(const contacts_bench* b, const tact_suite_query* q)
{
    char name[128];
    snprintf(name, sizeof name, "%s: %s", q->name, q->set);
    return !b->only || strstr(name, b->only);
}

/// The queries, one after another; NULL past the last.
static const tact_suite_query* query_at(size_t index)
{
    const tact_suite_query* q = tact_suite_contact_queries;
    for (; q->name && index > 0; ++q)
        --index;
    return q->name ? q : tact_suite_cast_queries[index].name ? &tact_suite_cast_queries[index] : NULL;
}

static bool measure(contacts_bench* b, tact_problem* problem)
{
    tact_bench_run* run = &b->run;
    bool good = true;
    const tact_suite_query* q;
    for (size_t i = 0; (q = query_at(i)) != NULL; ++i)
        run->progress.parts += is_wanted(b, q);
    if (run->progress.parts == 0) return tact_problem_set(problem, "--only %s: nothing has this in its name", b->only);
    for (size_t i = 0; good && (q = query_at(i)) != NULL; ++i) {
        if (!is_wanted(b, q)) continue;
        tact_depth d = {.query = q,
                        .size = size_of(b, q),
                        .backends = run->devices ? 0 : 1u << TACT_BACKEND_CPU,
                        .variants = run->threads > 1 ? 0 : 1,
                        .peers = run->peers};
        good = tact_depth_measure(run, &d, problem);
        for (size_t k = 0; good && k < d.count; ++k)
            if (d.all[k].status != TACT_BENCH_MISSING) add_row(&run->report, &d, &d.all[k]);
        tact_depth_close(&d);
        ++run->progress.part;
    }
    return good;
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    contacts_bench* b = (void*)run;
    if (b->pairs == 0) b->pairs = run->quick ? 512 : 16384;
    if (b->bodies == 0) b->bodies = run->quick ? 2000 : 100000;
    if (!tact_bench_begin(run, "bench contacts", 3, 7, problem) || !measure(b, problem)) return false;
    char heading[300];
    snprintf(
        heading, sizeof heading,
        "nanoseconds a pair, a body of those in motion and a cast: median, least and most of %" PRIu64
        " rounds in which all take turns.\n"
        "points: a pair's, on average; differ: pairs and casts of which a peer says otherwise whether they touch, or\n"
        "when, by a hundredth of the way",
        run->repeat);
    return tact_bench_report(run, TACT_BACKEND_CPU, heading, problem) &&
           tact_bench_verdict(run->wrong, "measurements gave other results than the rest", problem);
}

static const char help_text[] =
    "Usage: tact bench contacts [--only TEXT] [--pairs N] [--bodies N] [--devices] [--peers] [--out DIR] [options]\n\n"
    "Times contacts of pairs of bodies, kind by kind, apart (though their boxes overlap), touching and deep in each\n"
    "other, distances of those that are apart, contacts of a heap of bodies in motion, and casts of rays and shapes\n"
    "into such a heap, on one thread and on all.\n"
    "Ours must be the same bytes on every device and by the reference. Peers take the same pairs on as many threads.\n";

int tact_command_bench_contacts(int argc, char** argv, tact_problem* problem)
{
    contacts_bench b = {.only = NULL};
    const tact_option own[] = {
        TACT_TEXT("only", "TEXT", "only what has this in \"KIND, KIND: STATE\"", &b.only),
        TACT_NUMBER("pairs", "N",
                    "of each kind, and casts (default 16384, of hulls of 256 corners 1024, of meshes 4096)", &b.pairs,
                    1, 1000000),
        TACT_NUMBER("bodies", "N", "in motion (default 100000)", &b.bodies, 1, 10000000),
        TACT_BENCH_QUICK(b.run, "512 pairs, 2,000 bodies: seconds"),
        TACT_BENCH_OUT(b.run, "bench.json and bench.csv"),
        TACT_BENCH_DEVICES(b.run),
        TACT_BENCH_PEERS(b.run),
        {.name = NULL},
    };
    return tact_bench_command(&b.run, help_text, own, execute, argc, argv, problem);
}
