// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/dispatch/notes.h"

#include <string.h>

#include "base/platform.h"
#include "core/context/query.h"

enum {
    KINDS = 4,   ///< of calls that a thread makes in turn
    AGAIN = 16,  ///< calls of a kind, of which one is decided and learned from
    SLOTS_MIN = 4,
    SLOTS_MAX = 64
};

/// Calls of which enough is known.
typedef struct kind {
    const tact_query* query;  ///< NULL: none
    const char* method;
    tact_backend asked;
    uint32_t changes, devices;  ///< of the context's costs, and open devices, when it was decided
    uint32_t left;              ///< calls that are neither decided nor learned from
    double owed;                ///< what those were expected to take, ms
    size_t count;
    tact_choice choices[TACT_CHOICES_MAX];
} kind;

/// The notes of a thread, or of several where there are many.
typedef struct slot {
    tact_mutex lock;
    double at;  ///< when the decision was noted
    tact_decision last;
    kind kinds[KINDS];
    size_t replaced;  ///< kinds
    char apart[128];  ///< from the next slot, which another core writes to
} slot;

struct tact_notes {
    size_t count;  ///< a power of two
    slot slots[];
};

bool tact_notes_create(tact_context* context)
{
    size_t count = SLOTS_MIN;
    while (count < SLOTS_MAX && count < 2 * (size_t)tact_platform_processors())
        count *= 2;
    context->notes = tact_allocate_zeroed(&context->env, 1, sizeof *context->notes + count * sizeof(slot));
    if (!context->notes) return false;
    context->notes->count = count;
    for (size_t i = 0; i < count; ++i)
        tact_mutex_init(&context->notes->slots[i].lock);
    return true;
}

void tact_notes_destroy(tact_context* context)
{
    if (!context->notes) return;
    for (size_t i = 0; i < context->notes->count; ++i)
        tact_mutex_destroy(&context->notes->slots[i].lock);
    tact_release(&context->env, context->notes);
    context->notes = NULL;
}

/// The slot of the calling thread, locked.
static slot* lock_own(tact_context* context)
{
    static TACT_ATOMIC(uint32_t) threads;
    static TACT_THREAD_LOCAL uint32_t own;  // from 1 on; it wraps around after four billion threads
    if (own == 0) own = ++threads;
    slot* s = &context->notes->slots[own & (context->notes->count - 1)];
    tact_mutex_lock(&s->lock);
    return s;
}

/// The kind of a call, where it is noted and the context's costs and devices are those of then; else NULL.
static kind* find(const tact_context* context, slot* s, const tact_query* query, const char* method, tact_backend asked)
{
    for (size_t i = 0; i < KINDS; ++i) {
        kind* k = &s->kinds[i];
        if (k->query != query || k->method != method || k->asked != asked) continue;
        return k->changes == context->costs_changed && k->devices == context->device_count ? k : NULL;
    }
    return NULL;
}

/// What the CPU is expected to take for `now`, by what it was expected to take for `then`: each term in proportion.
static void expect(tact_choice* then, const tact_cost* now)
{
    tact_cost_expectation* e = &then->expected;
    const double before = e->total;
    e->total = 0.0;
    for (int i = 0; i < TACT_COST_TERMS; ++i) {
        e->terms[i] = then->cost.terms[i] > 0.0 ? e->terms[i] * (now->terms[i] / then->cost.terms[i]) : 0.0;
        e->total += e->terms[i];
    }
    const double ratio = before > 0.0 ? e->total / before : 1.0;
    e->base *= ratio;
    e->claimed *= ratio;
    then->order *= ratio;
    then->cost = *now;
}

/// Whether a call is so much like the one that was decided that nothing else would be decided for it.
static bool is_alike(const tact_choice* then, const tact_cost* now)
{
    double sum = 0.0, before = 0.0;
    for (int i = 0; i < TACT_COST_TERMS; ++i) {
        sum += now->terms[i];
        before += then->cost.terms[i];
        if (now->terms[i] > 0.0 && !(then->cost.terms[i] > 0.0)) return false;
    }
    return !now->unable && sum <= 2.0 * before && before <= 2.0 * sum;
}

bool tact_notes_recall(tact_context* context, const tact_choice* cpu, tact_decision* decision, double* owed)
{
    slot* s = lock_own(context);
    kind* k = find(context, s, decision->query, cpu->cost.method, TACT_BACKEND_AUTO);
    const bool recalled = k && k->left > 0 && is_alike(&k->choices[0], &cpu->cost);
    *owed = 0.0;
    if (recalled) {
        --k->left;
        decision->count = k->count;
        memcpy(decision->choices, k->choices, k->count * sizeof *k->choices);
        expect(&decision->choices[0], &cpu->cost);
        k->owed += decision->choices[0].expected.total;
    } else if (k) {
        *owed = k->owed;
        k->owed = 0.0;
    }
    tact_mutex_unlock(&s->lock);
    return recalled;
}

static void keep(slot* s, const tact_decision* d, double at)
{
    memcpy(&s->last, d, offsetof(tact_decision, choices));
    memcpy(s->last.choices, d->choices, d->count * sizeof *d->choices);
    for (size_t i = 0; i < d->count; ++i) {
        const tact_backend backend = d->choices[i].backend->backend;
        if (d->choices[i].ran && d->choices[i].result < TACT_OK)
            memcpy(s->last.failures[backend], d->failures[backend], sizeof *d->failures);
    }
    s->at = at;
}

bool tact_notes_learns(tact_context* context, const tact_decision* decision, double ms, double at)
{
    slot* s = lock_own(context);
    kind* k = find(context, s, decision->query, decision->choices[0].cost.method, decision->asked);
    const bool learns = !k || k->left == 0 || ms > TACT_NOTES_SMALL;
    if (!learns) {
        --k->left;
        keep(s, decision, at);
    }
    tact_mutex_unlock(&s->lock);
    return learns;
}

/// The place of a kind that is noted anew.
static kind* place_of(slot* s, const tact_query* query, const char* method, tact_backend asked)
{
    for (size_t i = 0; i < KINDS; ++i) {
        kind* k = &s->kinds[i];
        if (k->query == query && k->method == method && k->asked == asked) return k;
    }
    return &s->kinds[s->replaced++ % KINDS];
}

void tact_notes_keep(tact_context* context, const tact_decision* decision, double at, bool known)
{
    slot* s = lock_own(context);
    keep(s, decision, at);
    if (known) {
        const tact_choice* chosen = &decision->choices[0];
        kind* k = place_of(s, decision->query, chosen->cost.method, decision->asked);
        *k = (kind){.query = decision->query,
                    .method = chosen->cost.method,
                    .asked = decision->asked,
                    .changes = context->costs_changed,
                    .devices = context->device_count,
                    .left = AGAIN - 1,
                    .count = decision->count};
        for (size_t i = 0; i < k->count; ++i) {
            k->choices[i] = decision->choices[i];
            k->choices[i].known = NULL;
            k->choices[i].ran = false;
        }
    }
    tact_mutex_unlock(&s->lock);
}

tact_backend tact_notes_answer(const tact_decision* d)
{
    for (size_t i = 0; i < d->count; ++i)
        if (d->choices[i].ran && d->choices[i].result >= TACT_OK) return d->choices[i].backend->backend;
    return TACT_BACKEND_AUTO;
}

tact_backend tact_notes_last_answer(tact_context* context)
{
    slot* s = lock_own(context);
    const tact_backend answer = tact_notes_answer(&s->last);
    tact_mutex_unlock(&s->lock);
    return answer;
}

void tact_notes_last(tact_context* context, tact_decision* decision)
{
    decision->query = NULL;
    double at = 0.0;
    // The caller's own notes come first: of calls at one time, as far as the clock tells, its own is the last.
    const slot* own = lock_own(context);
    const size_t first = (size_t)(own - context->notes->slots);
    tact_mutex_unlock(&context->notes->slots[first].lock);
    for (size_t i = 0; i < context->notes->count; ++i) {
        slot* s = &context->notes->slots[(first + i) & (context->notes->count - 1)];
        tact_mutex_lock(&s->lock);
        if (s->last.query && (!decision->query || s->at > at)) {
            *decision = s->last;
            at = s->at;
        }
        tact_mutex_unlock(&s->lock);
    }
}
