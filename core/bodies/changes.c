// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Contacts that last: two sorted lists are merged, in pieces that threads take. Both are cut at the same contacts, so
// each piece is a merge of its own, and what it writes belongs to its rows alone.

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/platform.h"
#include "core/bodies/bodies.h"
#include "core/volumes/volumes.h"

enum { PIECES_MAX = 64, PIECE_MIN = 1 << 12 };

typedef struct piece {
    size_t before, now;  ///< its first rows
    size_t ended, begun;
} piece;

typedef struct merge {
    const tact_contact *before, *now;
    size_t before_count, now_count, pieces, point_bytes;
    tact_contact_link* links;
    uint32_t* ended;
    const unsigned char* data_before;
    unsigned char* data;
    /// The boxes when ids may have been given out anew since the find before, and their clock then.
    const tact_volumes* born;
    uint64_t clock;
    piece piece[PIECES_MAX + 1];
} merge;

static int compare_words(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

/// By bodies and parts, the order in which contacts are sorted.
static int compare_contacts(const tact_contact* x, const tact_contact* y)
{
    int order = compare_words(x->a, y->a);
    if (order == 0) order = compare_words(x->b, y->b);
    if (order == 0) order = compare_words(x->part_a, y->part_a);
    if (order == 0) order = compare_words(x->part_b, y->part_b);
    return order;
}

/// Whether a body of the contact is another than the one that had the id at the find before.
static bool is_reborn(const merge* m, const tact_contact* c)
{
    return m->born && (tact_volumes_born(m->born, c->a) > m->clock || tact_volumes_born(m->born, c->b) > m->clock);
}

static double distance2(const tact_contact_point* p, const tact_contact_point* q)
{
    const double x = (double)p->at.x - (double)q->at.x, y = (double)p->at.y - (double)q->at.y,
                 z = (double)p->at.z - (double)q->at.z;
    return x * x + y * y + z * z;
}

/// The point of `c` that has the feature, but for those taken; else TACT_CONTACT_BEGUN.
static uint32_t point_with(const tact_contact* c, uint32_t taken, uint32_t feature)
{
    for (uint32_t i = 0; i < c->count; ++i)
        if (c->point[i].feature == feature && !(taken >> i & 1u)) return i;
    return TACT_CONTACT_BEGUN;
}

/// The point of `c` nearest to another, but for those taken, within a sixteenth of how far its points are apart at
/// most.
static uint32_t point_near(const tact_contact* c, uint32_t taken, const tact_contact_point* to)
{
    double span2 = 0.0;
    for (uint32_t i = 1; i < c->count; ++i) {
        for (uint32_t k = 0; k < i; ++k)
            span2 = fmax(span2, distance2(&c->point[i], &c->point[k]));
    }
    uint32_t nearest = TACT_CONTACT_BEGUN;
    double least2 = span2 / 256.0;
    for (uint32_t i = 0; i < c->count; ++i) {
        const double d2 = distance2(&c->point[i], to);
        if (taken >> i & 1u || !(d2 < least2)) continue;
        nearest = i;
        least2 = d2;
    }
    return nearest;
}

/// A point with the same feature comes first. Two features may be at one place, such as a corner on the edge that would
/// cut it, and rounding chooses: what is left goes by place.
static void link_points(const merge* m, size_t row, size_t row_before)
{
    const tact_contact *now = &m->now[row], *before = &m->before[row_before];
    const size_t bytes = m->point_bytes;
    uint32_t* link = m->links[row].point;
    uint32_t taken = 0;
    for (int by_place = 0; by_place < 2; ++by_place) {
        for (uint32_t k = 0; k < now->count; ++k) {
            if (link[k] != TACT_CONTACT_BEGUN) continue;
            const uint32_t i =
                by_place ? point_near(before, taken, &now->point[k]) : point_with(before, taken, now->point[k].feature);
            if (i == TACT_CONTACT_BEGUN) continue;
            link[k] = i;
            taken |= 1u << i;
            if (bytes > 0) {
                memcpy(m->data + (row * TACT_CONTACT_MOST_POINTS + k) * bytes,
                       m->data_before + (row_before * TACT_CONTACT_MOST_POINTS + i) * bytes, bytes);
            }
        }
    }
}

static void merge_piece(const merge* m, piece* p)
{
    const size_t before_end = p[1].before, now_end = p[1].now, row_bytes = m->point_bytes * TACT_CONTACT_MOST_POINTS;
    if (row_bytes > 0 && now_end > p->now) memset(m->data + p->now * row_bytes, 0, (now_end - p->now) * row_bytes);
    size_t o = p->before, ended = 0, begun = 0;
    for (size_t n = p->now; n < now_end; ++n) {
        tact_contact_link* link = &m->links[n];
        link->row = TACT_CONTACT_BEGUN;
        for (int k = 0; k < TACT_CONTACT_MOST_POINTS; ++k)
            link->point[k] = TACT_CONTACT_BEGUN;
        while (o < before_end && compare_contacts(&m->before[o], &m->now[n]) < 0)
            m->ended[p->before + ended++] = (uint32_t)o++;
        if (o < before_end && compare_contacts(&m->before[o], &m->now[n]) == 0 && !is_reborn(m, &m->now[n])) {
            link->row = (uint32_t)o;
            link_points(m, n, o++);
        } else {
            ++begun;
        }
    }
    while (o < before_end)
        m->ended[p->before + ended++] = (uint32_t)o++;
    p->ended = ended;
    p->begun = begun;
}

static void merge_pieces(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    merge* m = user;
    for (size_t i = begin; i < end; ++i)
        merge_piece(m, &m->piece[i]);
}

static size_t first_from(const tact_contact* contacts, size_t count, const tact_contact* key)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_contacts(&contacts[middle], key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Cuts both lists at the same contacts, the longer one evenly.
static void cut(merge* m, int threads)
{
    const bool old = m->before_count > m->now_count;
    const size_t longer = old ? m->before_count : m->now_count;
    const size_t most = threads < 2 ? 1 : (size_t)threads * 4;
    m->pieces = 1 + longer / PIECE_MIN;
    if (m->pieces > most) m->pieces = most;
    if (m->pieces > PIECES_MAX) m->pieces = PIECES_MAX;
    for (size_t i = 1; i < m->pieces; ++i) {
        const tact_contact* key = (old ? m->before : m->now) + longer / m->pieces * i;
        m->piece[i].before = first_from(m->before, m->before_count, key);
        m->piece[i].now = first_from(m->now, m->now_count, key);
    }
    m->piece[m->pieces].before = m->before_count;
    m->piece[m->pieces].now = m->now_count;
}

static bool make_room(tact_bodies* set)
{
    tact_contact_history* h = &set->history;
    tact_env* env = &set->context->env;
    const size_t row_bytes = h->point_bytes * TACT_CONTACT_MOST_POINTS;
    void *links = h->links, *ended = h->ended, *data = h->data;
    bool good = tact_reserve(env, &links, &h->link_capacity, 0, set->contact_count, sizeof *h->links);
    h->links = links;
    good = good && tact_reserve(env, &ended, &h->ended_capacity, 0, h->before_count, sizeof *h->ended);
    h->ended = ended;
    if (row_bytes > 0) good = good && tact_reserve(env, &data, &h->data_capacity, 0, set->contact_count, row_bytes);
    h->data = data;
    return good;
}

/// The contacts of the set become those of the find before, and the other way round, with the bytes of their points.
static void exchange(tact_bodies* set)
{
    tact_contact_history* h = &set->history;
    tact_contact* contacts = set->contacts;
    const size_t capacity = set->contact_capacity, data_capacity = h->data_capacity;
    unsigned char* data = h->data;
    set->contacts = h->before;
    set->contact_capacity = h->before_capacity;
    h->before = contacts;
    h->before_capacity = capacity;
    h->data = h->data_before;
    h->data_capacity = h->data_before_capacity;
    h->data_before = data;
    h->data_before_capacity = data_capacity;
}

void tact_contact_history_begin(tact_bodies* set)
{
    tact_contact_history* h = &set->history;
    // What a find that failed has left is overwritten, and the one before that is still the last that counts.
    if (!h->followed || !h->framed || !set->answered) return;
    h->before_count = set->contact_count;
    exchange(set);
}

void tact_contact_history_back(tact_bodies* set)
{
    tact_contact_history* h = &set->history;
    if (!h->followed || !h->framed) return;
    exchange(set);
    set->contact_count = h->before_count;
    set->answered = true;
}

/// Adds what following took to the report of a find.
static void report_on(const tact_contact_history* h, double start, tact_query_report* report)
{
    const double elapsed = tact_platform_milliseconds() - start;
    report->query_ms += elapsed;
    report->total_ms += elapsed;
    report->memory_bytes += h->before_capacity * sizeof *h->before + h->link_capacity * sizeof *h->links +
                            h->ended_capacity * sizeof *h->ended +
                            (h->data_capacity + h->data_before_capacity) * h->point_bytes * TACT_CONTACT_MOST_POINTS;
}

tact_result tact_contact_history_end(tact_bodies* set, const tact_query_options* options, tact_query_report* report)
{
    tact_contact_history* h = &set->history;
    if (!h->followed) return TACT_OK;
    const double start = tact_platform_milliseconds();
    if (!make_room(set)) return TACT_ERROR_OUT_OF_MEMORY;
    const int threads = options && options->threads > 0 ? options->threads : set->context->threads;
    merge m = {.before = h->before,
               .now = set->contacts,
               .before_count = h->before_count,
               .now_count = set->contact_count,
               .point_bytes = h->point_bytes,
               .links = h->links,
               .ended = h->ended,
               .data_before = h->data_before,
               .data = h->data,
               .born = set->boxes->clock != h->clock ? set->boxes : NULL,
               .clock = h->clock};
    cut(&m, threads);
    tact_parallel_for(threads, m.pieces, 1, merge_pieces, &m);
    h->ended_count = h->begun = 0;
    for (size_t i = 0; i < m.pieces; ++i) {
        const piece* p = &m.piece[i];
        if (p->ended > 0) memmove(h->ended + h->ended_count, h->ended + p->before, p->ended * sizeof *h->ended);
        h->ended_count += p->ended;
        h->begun += p->begun;
    }
    h->clock = set->boxes->clock;
    h->framed = true;
    if (report) report_on(h, start, report);
    return TACT_OK;
}

void tact_contact_history_release(tact_env* env, tact_contact_history* h)
{
    void* const all[] = {h->before, h->links, h->ended, h->data, h->data_before};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        tact_release(env, all[i]);
    *h = (tact_contact_history){0};
}

tact_result tact_contacts_follow(tact_bodies* set, bool on, size_t point_bytes)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &set->context->env;
    if (point_bytes > TACT_CONTACT_MOST_BYTES)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu bytes a point: at most %d", point_bytes,
                         TACT_CONTACT_MOST_BYTES);
    tact_guard_check(&set->guard);
    tact_contact_history_release(&set->context->env, &set->history);
    set->history.followed = on;
    set->history.point_bytes = on ? point_bytes : 0;
    return TACT_OK;
}

tact_result tact_contacts_changes(tact_bodies* set, tact_contact_changes* changes)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &set->context->env;
    if (!changes) return tact_null(env, "changes");
    *changes = (tact_contact_changes){0};
    const tact_contact_history* h = &set->history;
    if (!h->followed) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the contacts of the set are not followed");
    if (!h->framed || !set->answered) return TACT_OK;
    const bool now = set->contact_count > 0, before = h->before_count > 0, bytes = h->point_bytes > 0;
    changes->contacts = now ? set->contacts : NULL;
    changes->from = now ? h->links : NULL;
    changes->data = now && bytes ? h->data : NULL;
    changes->count = set->contact_count;
    changes->begun = h->begun;
    changes->before = before ? h->before : NULL;
    changes->data_before = before && bytes ? h->data_before : NULL;
    changes->before_count = h->before_count;
    changes->ended = h->ended_count > 0 ? h->ended : NULL;
    changes->ended_count = h->ended_count;
    changes->point_bytes = h->point_bytes;
    return TACT_OK;
}
