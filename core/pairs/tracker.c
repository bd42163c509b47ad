// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What changed between two sorted lists of pairs: a merge, in pieces that threads take. Both lists are cut at the same
// pairs, so each piece is a merge of its own. It notes in a bit for each pair which are gone and which are new; where
// they belong is known when all have been counted, and what is then left is copying, mostly long runs.

#include <string.h>

#include "base/compiler.h"
#include "base/parallel.h"
#include "base/platform.h"
#include "core/pairs/pairs.h"
#include "cpu_ref/pair_keys.h"

enum { LISTS = 3, PIECES_MAX = 64, PIECE_MIN = 1 << 14, WORD = 64 };

typedef struct pair_list {
    tact_pair* pairs;
    size_t count, capacity;
} pair_list;

struct tact_pair_tracker {
    tact_volumes *a, *b;
    uint64_t clock_a, clock_b;  ///< of the sets, at the last update
    pair_list current;
    pair_list lists[LISTS];  ///< by tact_pair_change
    uint64_t* bits;          ///< of the merge
    size_t bit_capacity;     ///< words
};

tact_result tact_pair_tracker_create(tact_volumes* a, tact_volumes* b, tact_pair_tracker** out)
{
    if (out) *out = NULL;
    if (!tact_enter(a ? a->context : NULL, "a")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!out) return tact_null(&a->context->env, "tracker");
    const tact_result result = tact_pairs_check_arguments(a, b, TACT_PAIRS_AUTO);
    if (result != TACT_OK) return result;
    tact_pair_tracker* t = tact_allocate_zeroed(&a->context->env, 1, sizeof *t);
    if (!t) return TACT_ERROR_OUT_OF_MEMORY;
    t->a = a;
    t->b = b;
    ++a->context->objects;
    *out = t;
    return TACT_OK;
}

void tact_pair_tracker_destroy(tact_pair_tracker* t)
{
    if (!t) return;
    tact_env* env = &t->a->context->env;
    for (int i = 0; i < LISTS; ++i)
        tact_release(env, t->lists[i].pairs);
    tact_release(env, t->current.pairs);
    tact_release(env, t->bits);
    --t->a->context->objects;
    tact_release(env, t);
}

typedef struct piece {
    size_t old_begin, new_begin;
    size_t counts[LISTS];
    tact_pair* to[LISTS];
    uint64_t *gone, *fresh;  ///< bits of its old and its new pairs: those that ended and that begun
} piece;

typedef struct merge {
    const tact_pair *old_pairs, *new_pairs;
    size_t old_count, new_count, pieces;
    piece piece[PIECES_MAX + 1];
    /// The sets when ids may have been given out anew since the last update, and the clocks then.
    const tact_volumes *born_a, *born_b;
    uint64_t clock_a, clock_b;
} merge;

/// Whether a volume of the pair is another than the one that had the id at the last update.
static bool is_reborn(const merge* m, tact_pair p)
{
    return (m->born_a && tact_volumes_born(m->born_a, p.a) > m->clock_a) ||
           (m->born_b && tact_volumes_born(m->born_b, p.b) > m->clock_b);
}

static size_t words_for(size_t pairs)
{
    return (pairs + WORD - 1) / WORD;
}

static void mark(uint64_t* bits, size_t at)
{
    bits[at / WORD] |= (uint64_t)1 << (at % WORD);
}

/// Finds out which pairs of the piece are gone and which are new.
static void merge_piece(const merge* m, piece* p)
{
    const tact_pair *old = m->old_pairs + p[0].old_begin, *new = m->new_pairs + p[0].new_begin;
    const size_t old_count = p[1].old_begin - p[0].old_begin, new_count = p[1].new_begin - p[0].new_begin;
    const bool births = m->born_a || m->born_b;
    if (old_count > 0) memset(p->gone, 0, words_for(old_count) * sizeof *p->gone);
    if (new_count > 0) memset(p->fresh, 0, words_for(new_count) * sizeof *p->fresh);
    size_t o = 0, n = 0, gone = 0, fresh = 0;
    while (o < old_count && n < new_count) {
        const uint64_t a = tact_pair_key(old[o]), b = tact_pair_key(new[n]);
        if (a == b && (!births || !is_reborn(m, new[n]))) {
            ++o;
            ++n;
            continue;
        }
        if (a <= b) {
            mark(p->gone, o++);
            ++gone;
        }
        if (b <= a) {
            mark(p->fresh, n++);
            ++fresh;
        }
    }
    gone += old_count - o;
    fresh += new_count - n;
    while (o < old_count)
        mark(p->gone, o++);
    while (n < new_count)
        mark(p->fresh, n++);
    p->counts[TACT_PAIRS_ENDED] = gone;
    p->counts[TACT_PAIRS_BEGUN] = fresh;
    p->counts[TACT_PAIRS_KEPT] = new_count - fresh;
}

/// Copies to `yes` the pairs whose bits are set, and to `no`, unless that is NULL, the others.
static void part_pairs(const tact_pair* pairs, size_t count, const uint64_t* bits, tact_pair* yes, tact_pair* no)
{
    for (size_t first = 0; first < count; first += WORD) {
        const uint32_t end = count - first < WORD ? (uint32_t)(count - first) : WORD;
        uint32_t from = 0;
        for (uint64_t left = bits[first / WORD]; left; left &= left - 1) {
            const uint32_t at = tact_lowest_bit_64(left);
            if (no) {
                while (from < at)
                    *no++ = pairs[first + from++];
            }
            from = at + 1;
            *yes++ = pairs[first + at];
        }
        if (!no) continue;
        memcpy(no, &pairs[first + from], (end - from) * sizeof *no);
        no += end - from;
    }
}

static void write_piece(const merge* m, const piece* p)
{
    const size_t old_count = p[1].old_begin - p[0].old_begin, new_count = p[1].new_begin - p[0].new_begin;
    if (p->counts[TACT_PAIRS_ENDED] > 0) {
        part_pairs(m->old_pairs + p->old_begin, old_count, p->gone, p->to[TACT_PAIRS_ENDED], NULL);
    }
    // Where none is kept there may be no list.
    if (new_count > 0) {
        part_pairs(m->new_pairs + p->new_begin, new_count, p->fresh, p->to[TACT_PAIRS_BEGUN],
                   p->counts[TACT_PAIRS_KEPT] > 0 ? p->to[TACT_PAIRS_KEPT] : NULL);
    }
}

static void merge_pieces(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    merge* m = user;
    for (size_t i = begin; i < end; ++i)
        merge_piece(m, &m->piece[i]);
}

static void write_pieces(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const merge* m = user;
    for (size_t i = begin; i < end; ++i)
        write_piece(m, &m->piece[i]);
}

/// Cuts both lists at the same pairs, the longer one evenly.
static void cut(merge* m, int threads)
{
    const size_t longer = m->old_count > m->new_count ? m->old_count : m->new_count;
    m->pieces = 1 + longer / PIECE_MIN;
    const size_t most = 4 * (size_t)(threads > 0 ? threads : 1);
    if (m->pieces > most) m->pieces = most;
    if (m->pieces > PIECES_MAX) m->pieces = PIECES_MAX;
    if (threads < 2) m->pieces = 1;
    for (size_t i = 1; i < m->pieces; ++i) {
        const size_t at = longer / m->pieces * i;
        const uint64_t key = tact_pair_key(m->old_count > m->new_count ? m->old_pairs[at] : m->new_pairs[at]);
        m->piece[i].old_begin = tact_pairs_from(m->old_pairs, m->old_count, key);
        m->piece[i].new_begin = tact_pairs_from(m->new_pairs, m->new_count, key);
    }
    m->piece[m->pieces].old_begin = m->old_count;
    m->piece[m->pieces].new_begin = m->new_count;
}

/// Room in all lists, or none is touched.
static tact_result make_room(tact_pair_tracker* t, const size_t counts[LISTS])
{
    tact_env* env = &t->a->context->env;
    tact_pair* fresh[LISTS] = {NULL, NULL, NULL};
    size_t capacity[LISTS];
    for (int i = 0; i < LISTS; ++i) {
        if (counts[i] <= t->lists[i].capacity) continue;
        capacity[i] = counts[i] + counts[i] / 8 + 64;
        fresh[i] = tact_allocate(env, capacity[i], sizeof *fresh[i]);
        if (fresh[i]) continue;
        while (i-- > 0)
            tact_release(env, fresh[i]);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < LISTS; ++i) {
        if (!fresh[i]) continue;
        tact_release(env, t->lists[i].pairs);
        t->lists[i].pairs = fresh[i];
        t->lists[i].capacity = capacity[i];
    }
    return TACT_OK;
}

/// Gives each piece its bits.
static tact_result share_bits(tact_pair_tracker* t, merge* m)
{
    const size_t words = words_for(m->old_count) + words_for(m->new_count) + 2 * m->pieces;
    void* bits = t->bits;
    const bool ok = tact_reserve(&t->a->context->env, &bits, &t->bit_capacity, 0, words, sizeof *t->bits);
    t->bits = bits;
    if (!ok) return TACT_ERROR_OUT_OF_MEMORY;
    uint64_t* at = t->bits;
    for (size_t i = 0; i < m->pieces; ++i) {
        piece* p = &m->piece[i];
        p->gone = at;
        p->fresh = p->gone + words_for(p[1].old_begin - p[0].old_begin);
        at = p->fresh + words_for(p[1].new_begin - p[0].new_begin);
    }
    TACT_ASSERT(at <= t->bits + words);
    return TACT_OK;
}

static tact_result compare(tact_pair_tracker* t, int threads)
{
    tact_volumes *a = t->a, *b = t->b ? t->b : t->a;
    merge m = {.old_pairs = t->current.pairs,
               .old_count = t->current.count,
               .new_pairs = a->pairs,
               .new_count = a->pair_count,
               .born_a = a->clock != t->clock_a ? a : NULL,
               .born_b = b->clock != t->clock_b ? b : NULL,
               .clock_a = t->clock_a,
               .clock_b = t->clock_b};
    cut(&m, threads);
    tact_result result = share_bits(t, &m);
    if (result != TACT_OK) return result;
    tact_parallel_for(threads, m.pieces, 1, merge_pieces, &m);
    size_t counts[LISTS] = {0, 0, 0};
    for (size_t i = 0; i < m.pieces; ++i) {
        for (int k = 0; k < LISTS; ++k)
            counts[k] += m.piece[i].counts[k];
    }
    result = make_room(t, counts);
    if (result != TACT_OK) return result;
    // Nothing fails from here on.
    size_t at[LISTS] = {0, 0, 0};
    for (size_t i = 0; i < m.pieces; ++i) {
        for (int k = 0; k < LISTS; ++k) {
            m.piece[i].to[k] = at[k] < counts[k] ? t->lists[k].pairs + at[k] : NULL;
            at[k] += m.piece[i].counts[k];
        }
    }
    tact_parallel_for(threads, m.pieces, 1, write_pieces, &m);
    for (int k = 0; k < LISTS; ++k)
        t->lists[k].count = counts[k];
    return TACT_OK;
}

/// The tracker takes the set's list and gives its old one for it: there may be gigabytes to copy.
static void take(tact_pair_tracker* t)
{
    tact_volumes* a = t->a;
    const pair_list old = t->current;
    t->current = (pair_list){a->pairs, a->pair_count, a->pair_capacity};
    a->pairs = old.pairs;
    a->pair_capacity = old.capacity;
    a->pair_count = 0;
    t->clock_a = a->clock;
    t->clock_b = t->b ? t->b->clock : a->clock;
}

static tact_result update(tact_pair_tracker* t, tact_pairs_method method, const tact_query_options* options,
                          tact_query_report* report)
{
    tact_query_report own;
    if (!report && options && options->ticket) report = &own;
    tact_result result = tact_pairs_run(t->a, t->b, method, NULL, options, report);
    if (result < TACT_OK) return result;
    const double start = tact_platform_milliseconds();
    const int threads = options && options->threads > 0 ? options->threads : t->a->context->threads;
    result = compare(t, threads);
    if (result < TACT_OK) return tact_ticket_settle(t->a->context, options, result, NULL);
    take(t);
    if (report) {
        const double elapsed = tact_platform_milliseconds() - start;
        report->query_ms += elapsed;
        report->total_ms += elapsed;
        report->memory_bytes += t->current.capacity * sizeof *t->current.pairs;
        report->memory_bytes += t->bit_capacity * sizeof *t->bits;
        for (int i = 0; i < LISTS; ++i)
            report->memory_bytes += t->lists[i].capacity * sizeof *t->lists[i].pairs;
    }
    return tact_ticket_settle(t->a->context, options, TACT_OK, report);
}

tact_result tact_pair_tracker_update(tact_pair_tracker* t, tact_pairs_method method, const tact_query_options* options,
                                     tact_query_report* report)
{
    if (!tact_enter_query(t ? t->a->context : NULL, "tracker", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_pairs_enter(t->a, t->b);
    const tact_result result = update(t, method, options, report);
    tact_pairs_leave(t->a, t->b);
    return result;
}

const tact_pair* tact_pair_tracker_pairs(const tact_pair_tracker* t, tact_pair_change change, size_t* count)
{
    const pair_list* list = NULL;
    if (t && (unsigned)change < LISTS) list = &t->lists[change];
    if (t && change == TACT_PAIRS_CURRENT) list = &t->current;
    const bool some = list && list->count > 0;
    if (count) *count = some ? list->count : 0;
    return some ? list->pairs : NULL;
}
