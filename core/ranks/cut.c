// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/ranks/cut.h"

#include <string.h>

#include "base/float_env.h"
#include "base/parallel.h"
#include "base/platform.h"

enum { GRAIN = 1 << 10, MOST_FACTS = 8 };

// ---- Where items go ----

static void go_on_all(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const tact_cut* c = user;
    for (size_t k = begin; k < end; ++k) {
        tact_cut_way* way = &c->ways[c->active[k]];
        if (!c->kind->go_on(c, c->active[k], way)) way->rank = TACT_NONE;
    }
}

/// Finds where the active items go now, and orders them by that.
static void order_items(tact_cut* c)
{
    const uint32_t ranks = c->ranks->calls.count;
    const int threads = c->options.threads > 0 ? c->options.threads : c->ranks->context->threads;
    tact_parallel_for(threads, c->active_count, GRAIN, go_on_all, c);
    memset(c->counts, 0, ranks * sizeof *c->counts);
    size_t left = 0;
    for (size_t k = 0; k < c->active_count; ++k) {
        const size_t item = c->active[k];
        if (c->ways[item].rank == TACT_NONE) continue;
        ++c->counts[c->ways[item].rank];
        c->active[left++] = item;
    }
    c->active_count = left;
    uint64_t at = 0;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
        c->starts[rank] = at;
        at += c->counts[rank];
        c->counts[rank] = 0;
    }
    for (size_t k = 0; k < left; ++k) {
        const uint32_t rank = c->ways[c->active[k]].rank;
        c->order[c->starts[rank] + c->counts[rank]++] = c->active[k];
    }
}

// ---- One round ----

/// Sends the items in their order.
static tact_result send_items(tact_cut* c, uint32_t** in, size_t* in_count)
{
    const size_t words = c->item_words;
    const uint32_t ranks = c->ranks->calls.count;
    *in = NULL;
    uint32_t* out = tact_allocate(c->env, c->active_count, words * sizeof *out);
    tact_result result = tact_ranks_agree(c->ranks, out ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    void* came = NULL;
    if (result == TACT_OK) {
        for (size_t k = 0; k < c->active_count; ++k)
            c->kind->send(c, c->order[k], out + k * words);
        for (uint32_t i = 0; i < ranks; ++i) {
            c->bytes[i] = out + c->starts[i] * words;
            c->sizes[i] = c->counts[i] * words * sizeof *out;
        }
        result = tact_ranks_send(c->ranks, c->bytes, c->sizes, &came, c->in_sizes);
    }
    tact_release(c->env, out);
    uint64_t all = 0;
    for (uint32_t i = 0; i < ranks && result == TACT_OK; ++i)
        all += c->in_sizes[i];
    *in = came;
    *in_count = (size_t)(all / (words * sizeof *out));
    return result;
}

/// Writes the answers to the items that came, where there are some, by the rank that these came from, and how many
/// bytes go back to each. An answer follows the item's place in what was sent.
static void write_answers(tact_cut* c, const uint32_t* in, const void* hits, uint32_t* to)
{
    const size_t item_bytes = c->item_words * sizeof *in;
    size_t first = 0;
    for (uint32_t rank = 0; rank < c->ranks->calls.count; ++rank) {
        const size_t count = (size_t)(c->in_sizes[rank] / item_bytes);
        c->bytes[rank] = to;
        for (size_t k = 0; k < count; ++k) {
            if (!c->kind->answer(c, in, hits, first + k, to + 1)) continue;
            to[0] = (uint32_t)k;
            to += 1 + c->answer_words;
        }
        c->sizes[rank] = (uint64_t)((const char*)to - (const char*)c->bytes[rank]);
        first += count;
    }
}

/// Takes what came back from the ranks that this one's items have visited.
static void take_answers(tact_cut* c, const uint32_t* in)
{
    for (uint32_t rank = 0; rank < c->ranks->calls.count; ++rank) {
        const uint32_t* end = in + c->in_sizes[rank] / sizeof *in;
        for (; in < end; in += 1 + c->answer_words) {
            TACT_ASSERT(in[0] < c->counts[rank]);
            c->kind->take(c, c->order[c->starts[rank] + in[0]], in + 1);
        }
    }
}

/// Asks for the `count` items that came and sends back what was found.
static tact_result answer_items(tact_cut* c, uint32_t* in, size_t count, tact_query_report* report)
{
    void* hits = tact_allocate(c->env, count, c->kind->hit_bytes);
    uint32_t* out = tact_allocate(c->env, count, (1 + c->answer_words) * sizeof *out);
    tact_result result = hits && out ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < c->ranks->calls.count && result == TACT_OK; ++i) {
        if (c->in_sizes[i] / (c->item_words * sizeof *in) > UINT32_MAX)
            result = tact_fail(c->env, TACT_ERROR_LIMIT, "rank %u sends more than 2^32 %s at once", (unsigned)i,
                               c->kind->items);
    }
    if (result == TACT_OK) result = c->kind->ask(c, in, count, hits, report);
    result = tact_ranks_agree(c->ranks, result);
    void* back = NULL;
    if (result == TACT_OK) {
        write_answers(c, in, hits, out);
        result = tact_ranks_send(c->ranks, c->bytes, c->sizes, &back, c->in_sizes);
    }
    tact_release(c->env, hits);
    tact_release(c->env, out);
    if (result == TACT_OK) take_answers(c, back);
    tact_release(c->env, back);
    return result;
}

static tact_result ask_all(tact_cut* c, tact_query_report* report)
{
    for (;;) {
        order_items(c);
        uint64_t under_way = c->active_count;
        tact_result result = tact_ranks_combine(c->ranks, TACT_RANKS_SUM, &under_way, 1);
        if (result != TACT_OK || under_way == 0) return result;
        uint32_t* in = NULL;
        size_t count = 0;
        result = send_items(c, &in, &count);
        if (result == TACT_OK) result = answer_items(c, in, count, report);
        tact_release(c->env, in);
        if (result != TACT_OK) return result;
    }
}

// ---- The whole ----

void tact_cut_name_hits(const tact_cut* c, void* hits)
{
    for (size_t i = 0; i < c->count && c->part->instances; ++i) {
        char* hit = (char*)hits + i * c->kind->hit_bytes;
        uint32_t instance;
        memcpy(&instance, hit, sizeof instance);
        if (instance == TACT_NONE) continue;
        memcpy(hit, &c->part->instances[instance], sizeof instance);
    }
}

bool tact_cut_enter(tact_ranks* ranks, const tact_ranks_part* part, const tact_query_options* options)
{
    const tact_context* context = part && part->scene ? part->scene->context : NULL;
    return tact_ranks_enter(ranks, context, part ? "scene" : "part", options);
}

tact_result tact_cut_check(const tact_ranks* ranks, const tact_ranks_part* part, const tact_query_options* options)
{
    tact_env* env = ranks ? &ranks->context->env : part && part->scene ? &part->scene->context->env : NULL;
    if (!part) return tact_null(env, "part");
    tact_result result = tact_ranks_check(ranks, part->scene ? part->scene->context : NULL, "scene", options);
    if (result == TACT_OK) result = tact_scene_require_committed(part->scene);
    if (result != TACT_OK || !part->instances) return result;
    if (part->count < part->scene->instance_count)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu ids for %zu instances", part->count,
                         part->scene->instance_count);
    for (size_t i = 0; i < part->count; ++i) {
        if (part->instances[i] == TACT_NONE || (i > 0 && part->instances[i] <= part->instances[i - 1]))
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "id %zu of the whole, %u, does not ascend", i,
                             (unsigned)part->instances[i]);
    }
    return TACT_OK;
}

/// What others need of this rank.
static tact_cut_box box_of(const tact_ranks_part* part)
{
    const tact_scene* s = part->scene;
    tact_cut_box b = {.id_end = (uint32_t)s->instance_count, .ids = part->instances != NULL};
    for (int p = 0; p < TACT_SCENE_PARTS; ++p) {
        const tact_scene_part* of = &s->parts[p];
        for (int k = 0; k < 3 && of->count > 0; ++k) {
            if (!b.there || of->box.lower[k] < b.lower[k]) b.lower[k] = of->box.lower[k];
            if (!b.there || of->box.upper[k] > b.upper[k]) b.upper[k] = of->box.upper[k];
        }
        b.there = b.there || of->count > 0;
    }
    return b;
}

/// What this rank has to know of the others.
static tact_result meet_ranks(tact_cut* c, const uint64_t* facts, size_t fact_count)
{
    TACT_ASSERT(fact_count <= MOST_FACTS);
    const tact_cut_box own = box_of(c->part);
    uint64_t all_facts[MOST_FACTS + 1] = {own.ids};
    if (fact_count > 0) memcpy(all_facts + 1, facts, fact_count * sizeof *facts);
    tact_result result = tact_ranks_same(c->ranks, all_facts, fact_count + 1, "the work");
    if (result == TACT_OK) result = tact_ranks_gather(c->ranks, &own, sizeof own, c->boxes);
    uint64_t all = 0;
    for (uint32_t i = 0; i < c->ranks->calls.count && result == TACT_OK; ++i) {
        if (i == c->ranks->calls.rank) c->first = (uint32_t)all;
        all += own.ids ? 0 : c->boxes[i].id_end;
    }
    if (result == TACT_OK && all >= TACT_NONE)
        result =
            tact_fail(c->env, TACT_ERROR_LIMIT, "%llu instances are more than ids of 32 bits", (unsigned long long)all);
    return result;
}

/// Room for what is known of each rank and of each item.
static bool make_room(tact_cut* c)
{
    const size_t ranks = c->ranks->calls.count, count = c->count;
    c->boxes = tact_allocate_zeroed(c->env, ranks, sizeof *c->boxes);
    c->bytes = tact_allocate(c->env, ranks, sizeof *c->bytes);
    c->sizes = tact_allocate(c->env, 4 * ranks, sizeof *c->sizes);
    c->ways = tact_allocate(c->env, count, sizeof *c->ways);
    c->active = tact_allocate(c->env, count, sizeof *c->active);
    c->order = tact_allocate(c->env, count, sizeof *c->order);
    if (!c->boxes || !c->bytes || !c->sizes || !c->ways || !c->active || !c->order || !c->kind->start(c)) return false;
    c->in_sizes = c->sizes + ranks;
    c->starts = c->sizes + 2 * ranks;
    c->counts = c->sizes + 3 * ranks;
    c->active_count = count;
    for (size_t i = 0; i < count; ++i) {
        c->ways[i] = (tact_cut_way){0.0f, TACT_NONE};
        c->active[i] = i;
    }
    return true;
}

static tact_result ask_over(tact_cut* c, const uint64_t* facts, size_t fact_count, tact_query_report* report)
{
    tact_result result = tact_ranks_agree(c->ranks, make_room(c) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = meet_ranks(c, facts, fact_count);
    if (result == TACT_OK) result = ask_all(c, report);
    // A rank that no item has visited says how it would have answered.
    if (result == TACT_OK && c->asked == 0) result = c->kind->ask(c, NULL, 0, NULL, report);
    result = tact_ranks_agree(c->ranks, result);
    if (c->kind->end) c->kind->end(c, result == TACT_OK);
    tact_release(c->env, c->boxes);
    tact_release(c->env, (void*)c->bytes);
    tact_release(c->env, c->sizes);
    tact_release(c->env, c->ways);
    tact_release(c->env, c->active);
    tact_release(c->env, c->order);
    return result;
}

tact_result tact_cut_ask(tact_cut* c, tact_result checked, const uint64_t* facts, size_t fact_count,
                         const tact_query_options* options, tact_query_report* report)
{
    const tact_result ready = tact_ranks_agree(c->ranks, checked);
    if (ready != TACT_OK) return ready;
    if (tact_ranks_count(c->ranks) == 1) return c->kind->alone(c, options, report);
    const double start = tact_platform_milliseconds();
    c->env = &c->ranks->context->env;
    if (options) c->options = *options;
    // Rounds have no common measure.
    c->options.progress = NULL;
    c->options.ticket = NULL;
    tact_query_report own = {.backend = TACT_BACKEND_AUTO};
    tact_float_env caller;
    tact_float_env_enter(&caller);
    const tact_result result = ask_over(c, facts, fact_count, &own);
    tact_float_env_leave(&caller);
    tact_ranks_end_report(&own, start);
    if (report && result == TACT_OK) *report = own;
    return result;
}
