// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Neighbour lists: sorted points, and for some of them that follow each other in a row all that may be near, side by
// side, so that lanes are full. Distances are computed once. The points are done a wave at a time: their lists stay in
// the cache until it is known where each begins, and are then copied there.

#include "cpu_ref/particles/neighbours.h"

#include <math.h>
#include <string.h>

#include "base/lane_levels.h"
#include "base/parallel.h"
#include "cpu_ref/particles/neighbours_internal.h"

enum {
    LEAST_PIECE = 64,     ///< slots, for one thread
    MOST_PIECE = 512,     ///< and for lists so long:
    PIECE_WORDS = 8192,   ///< fewer
    MOST_WAVE = 1024,     ///< pieces
    STREAM = 256 * 1024,  ///< words of lists that a worker keeps in a wave, about as much as its cache holds
    SAMPLES = 32,         ///< pieces, of which
    SAMPLE = 64,          ///< slots tell how long all lists will be
    LEAST_LISTS = 4096,   ///< bytes, below which there have been none
};

/// Some consecutive slots.
typedef struct piece {
    uint32_t begin, end;
    uint32_t kept;          ///< slots before this one have their lists in `words`
    const uint32_t* words;  ///< of a worker's stream
    uint64_t kept_total;    ///< words there
    uint64_t total;         ///< neighbours
    uint64_t tests;
    uint64_t first;  ///< where the lists begin
} piece;

/// What a worker needs.
typedef struct room {
    tact_neighbour_candidates candidates[2];  ///< some are gathered before those before them are looked at
    uint32_t list[TACT_NEIGHBOUR_CANDIDATES + TACT_NEIGHBOUR_PAD];  ///< one that is not kept
    size_t used;                                                    ///< words of the stream
} room;

typedef struct search {
    tact_neighbour_finder* finder;
    tact_neighbour_points points;
    piece* pieces;
    room* rooms;       ///< one for each worker
    uint32_t* stream;  ///< STREAM words for each worker
    uint64_t* offsets;
    uint32_t* neighbours;
} search;

/// What becomes of lists.
typedef struct sink {
    const search* search;
    room* room;
    tact_neighbour_out out;
    uint32_t kept;  ///< slots before this one have their lists in `out`
    bool keeps;
    uint32_t* place;  ///< where the others go; NULL: they are only counted
    uint64_t unused[TACT_NEIGHBOUR_GROUP];
} sink;

/// Where the ends of lists from a slot on are noted.
static uint64_t* ends_of(sink* k, uint32_t slot)
{
    return k->place ? k->unused : k->search->offsets + 1 + slot;
}

/// A list that is not kept, or a part of one.
static void list_apart(sink* k, const tact_neighbour_candidates* c, bool wrapped, uint32_t slot)
{
    const search* s = k->search;
    tact_neighbour_out out = {.to = k->room->list,
                              .limit = k->room->list + sizeof k->room->list / sizeof *k->room->list,
                              .total = k->out.total,
                              .ends = ends_of(k, slot)};
    const uint32_t done = s->finder->lanes->list(&s->points, c, wrapped, slot, 1, &out);
    TACT_ASSERT(done == 1);
    (void)done;
    k->out.total = out.total;
}

static void put(sink* k, uint64_t count)
{
    if (!k->place || count == 0) return;
    memcpy(k->place, k->room->list, (size_t)count * sizeof *k->place);
    k->place += count;
}

/// Lists of some slots, whose candidates have been gathered.
static void list_group(sink* k, tact_neighbour_candidates* c, bool wrapped, uint32_t first, uint32_t count)
{
    const search* s = k->search;
    uint32_t done = 0;
    if (k->keeps) {
        k->out.ends = ends_of(k, first);
        done = s->finder->lanes->list(&s->points, c, wrapped, first, count, &k->out);
        k->keeps = done == count;
        if (!k->keeps) k->kept = first + done;
    }
    c->own += done;
    for (; done < count; ++done, ++c->own) {
        const uint64_t before = k->out.total;
        list_apart(k, c, wrapped, first + done);
        put(k, k->out.total - before);
    }
}

/// The list of a slot that has too many candidates to gather, some of them at a time. Returns how many.
static uint64_t list_crowded(sink* k, const tact_neighbour_walk* w, uint32_t slot)
{
    const search* s = k->search;
    const tact_neighbour_lanes* lanes = s->finder->lanes;
    tact_neighbour_candidates* c = &k->room->candidates[0];
    uint32_t* const begin = k->out.to;
    uint64_t tests = 0;
    *ends_of(k, slot) = k->out.total;
    for (uint32_t r = 0; r < w->range_count; ++r) {
        uint32_t next;
        for (uint32_t at = w->begins[r]; at < w->ends[r]; at = next) {
            next = w->ends[r] - at > TACT_NEIGHBOUR_CANDIDATES ? at + TACT_NEIGHBOUR_CANDIDATES : w->ends[r];
            if (s->points.once && next <= slot) continue;
            const bool fits = lanes->gather(&s->points, &at, &next, 1, slot, c);
            TACT_ASSERT(fits);
            (void)fits;
            const uint64_t before = k->out.total;
            list_apart(k, c, w->wrapped, slot);
            const uint64_t count = k->out.total - before;
            tests += next - at;
            put(k, count);
            if (!k->keeps) continue;
            if ((size_t)(k->out.limit - k->out.to) >= count) {
                memcpy(k->out.to, k->room->list, (size_t)count * sizeof *k->out.to);
                k->out.to += count;
            } else {
                k->keeps = false;
                k->kept = slot;
                k->out.to = begin;
            }
        }
    }
    return tests;
}

/// Lists of slots [begin, end). Returns how many distances were asked for.
static uint64_t list_slots(sink* k, uint32_t begin, uint32_t end)
{
    const search* s = k->search;
    tact_neighbour_walk w;
    uint64_t tests = 0;
    uint32_t turn = 0, first = 0, count = 0;
    bool wrapped = false;
    tact_neighbour_walk_begin(&w, s->finder, begin, end);
    while (tact_neighbour_walk_next(&w)) {
        tact_neighbour_candidates* const c = &k->room->candidates[turn];
        const bool fits = s->finder->lanes->gather(&s->points, w.begins, w.ends, w.range_count, w.first, c);
        // What was written just now takes a while before it can be read side by side.
        if (count > 0) list_group(k, &k->room->candidates[turn ^ 1], wrapped, first, count);
        first = w.first;
        count = fits ? w.last - w.first : 0;
        tests += (uint64_t)c->count * count;
        wrapped = w.wrapped;
        turn ^= 1;
        for (uint32_t slot = w.first; slot < w.last && !fits; ++slot)
            tests += list_crowded(k, &w, slot);
    }
    if (count > 0) list_group(k, &k->room->candidates[turn ^ 1], wrapped, first, count);
    return tests;
}

/// First part: the lists, as long as there is room to keep them, and where each ends in its piece.
static void list_range(size_t begin, size_t end, int worker, void* user)
{
    const search* s = user;
    room* r = &s->rooms[worker];
    for (size_t i = begin; i < end; ++i) {
        piece* p = &s->pieces[i];
        TACT_ASSERT(p->begin < p->end && p->end <= s->finder->count && r->used <= STREAM);
        uint32_t* const words = s->stream + (size_t)worker * STREAM;
        sink k = {.search = s, .room = r, .kept = p->end, .keeps = true};
        k.out.to = words + r->used;
        k.out.limit = words + STREAM;
        p->words = k.out.to;
        p->tests = list_slots(&k, p->begin, p->end);
        p->kept = k.kept;
        p->kept_total = (uint64_t)(k.out.to - p->words);
        p->total = k.out.total;
        r->used = (size_t)(k.out.to - words);
    }
}

/// Second part: brings lists to where they stay, and makes those that were not kept again.
static void place_range(size_t begin, size_t end, int worker, void* user)
{
    const search* s = user;
    for (size_t i = begin; i < end; ++i) {
        const piece* p = &s->pieces[i];
        for (uint32_t slot = p->begin; slot < p->end; ++slot)
            s->offsets[1 + slot] += p->first;
        uint32_t* const to = s->neighbours + p->first;
        if (p->kept_total > 0) memcpy(to, p->words, (size_t)p->kept_total * sizeof *to);
        if (p->kept == p->end) continue;
        sink k = {.search = s, .room = &s->rooms[worker], .place = to + p->kept_total};
        list_slots(&k, p->kept, p->end);
        TACT_ASSERT(k.place == to + p->total);
    }
}

bool tact_neighbour_room(tact_env* env, tact_neighbour_array* array, size_t count, size_t size)
{
    size_t bytes, more;
    if (!tact_multiply_sizes(count, size, &bytes) || !tact_add_sizes(bytes, bytes / 8 + 64, &more)) more = SIZE_MAX;
    if (more < SIZE_MAX && bytes <= array->bytes) return true;
    void* const data = tact_allocate(env, more, 1);
    if (!data) return false;
    tact_release(env, array->data);
    *array = (tact_neighbour_array){data, more};
    return true;
}

/// Room for `needed` neighbours in all, of which `used` are there; when points up to `done` have them, for about all.
static bool list_room(search* s, uint64_t used, uint64_t needed, uint32_t done)
{
    TACT_ASSERT(used <= needed && done >= 1);
    tact_neighbour_finder* f = s->finder;
    tact_env* env = f->env;
    if (needed > SIZE_MAX / sizeof(uint32_t) - 64) {
        tact_fail(env, TACT_ERROR_OUT_OF_MEMORY, "out of memory: %llu neighbours", (unsigned long long)needed);
        return false;
    }
    if (needed * sizeof(uint32_t) <= f->neighbours.bytes) return true;
    const double likely = (double)needed / (double)done * (double)f->count * 1.0625;
    tact_neighbour_array grown = {0};
    const double most = (double)SIZE_MAX / 8.0;
    // Without memory for what is likely there may be some for what is known.
    if (!(likely < most && tact_neighbour_room(env, &grown, (size_t)likely, sizeof(uint32_t)))) {
        if (!tact_neighbour_room(env, &grown, (size_t)needed, sizeof(uint32_t))) return false;
    }
    if (used > 0) memcpy(grown.data, f->neighbours.data, (size_t)used * sizeof(uint32_t));
    tact_release(env, f->neighbours.data);
    f->neighbours = grown;
    return true;
}

static void start_wave(const search* s)
{
    for (int k = 0; k < s->finder->threads; ++k)
        s->rooms[k].used = 0;
}

/// Looks at some slots from all over for how many neighbours a point has, and makes room for about all lists, so that
/// they are not moved as they grow. What later turns out too little is made more. False when out of memory.
static bool guess_room(search* s, size_t pieces, double* each)
{
    tact_neighbour_finder* f = s->finder;
    if (f->count <= 8 * SAMPLE * pieces) return true;
    for (size_t k = 0; k < pieces; ++k) {
        const uint32_t begin = (uint32_t)(f->count * (uint64_t)k / pieces);
        s->pieces[k] = (piece){.begin = begin, .end = begin + SAMPLE};
        TACT_ASSERT(s->pieces[k].end <= f->count);
    }
    start_wave(s);
    tact_parallel_for(f->threads, pieces, 1, list_range, s);
    uint64_t sum = 0;
    for (size_t k = 0; k < pieces; ++k)
        sum += s->pieces[k].total;
    *each = (double)sum / (double)(pieces * SAMPLE);
    if (f->neighbours.bytes > LEAST_LISTS || sum == 0) return true;
    return list_room(s, 0, sum, (uint32_t)(pieces * SAMPLE));
}

/// The next wave of slots, from `begin` on, after some with so many neighbours each: where it ends; 0: out of memory.
static uint32_t do_wave(search* s, uint32_t begin, double each)
{
    tact_neighbour_finder* f = s->finder;
    TACT_ASSERT(begin < f->count && each >= 0.0);
    const double likely = each > 1.0 ? each : 1.0;
    const double fit = PIECE_WORDS / likely, share = (double)STREAM * f->threads / 3.0 / likely;
    const uint32_t size = fit < LEAST_PIECE ? LEAST_PIECE : fit > MOST_PIECE ? MOST_PIECE : (uint32_t)fit;
    // One worker may have to keep more than its share.
    uint32_t wave = share / size < MOST_WAVE ? (uint32_t)(share / size) : MOST_WAVE;
    if (wave < (uint32_t)f->threads) wave = (uint32_t)f->threads < MOST_WAVE ? (uint32_t)f->threads : MOST_WAVE;
    const uint32_t left = f->count - begin, end = left / size >= wave ? begin + size * wave : f->count;
    const size_t count = (end - begin + size - 1) / size;
    TACT_ASSERT(count <= MOST_WAVE);
    for (size_t k = 0; k < count; ++k) {
        s->pieces[k].begin = begin + (uint32_t)k * size;
        s->pieces[k].end = end - s->pieces[k].begin > size ? s->pieces[k].begin + size : end;
    }
    start_wave(s);
    tact_parallel_for(f->threads, count, 1, list_range, s);
    const uint64_t used = f->stats.neighbours;
    for (size_t k = 0; k < count; ++k) {
        s->pieces[k].first = f->stats.neighbours;
        f->stats.neighbours += s->pieces[k].total;
        f->stats.tests += s->pieces[k].tests;
    }
    if (!list_room(s, used, f->stats.neighbours, end)) return 0;
    s->neighbours = f->neighbours.data;
    tact_parallel_for(f->threads, count, 1, place_range, s);
    return end;
}

static tact_result search_all(tact_neighbour_finder* f, const tact_neighbour_job* job)
{
    const size_t threads = (size_t)f->threads;
    if (!tact_neighbour_room(f->env, &f->pieces, MOST_WAVE, sizeof(piece)) ||
        !tact_neighbour_room(f->env, &f->rooms, threads, sizeof(room)) ||
        !tact_neighbour_room(f->env, &f->stream, threads * STREAM, sizeof(uint32_t)) ||
        // Never NULL, also without neighbours.
        (!f->neighbours.data && !tact_neighbour_room(f->env, &f->neighbours, 1, sizeof(uint32_t)))) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    search s = {.finder = f, .pieces = f->pieces.data, .rooms = f->rooms.data, .stream = f->stream.data};
    s.offsets = f->offsets.data;
    s.points = (tact_neighbour_points){
        .x = f->points[0], .y = f->points[1], .z = f->points[2], .radius2 = job->radius * job->radius, .once = f->once};
    for (int i = 0; i < 3; ++i) {
        const float period = job->axes[i]->period;
        s.points.period[i] = period > 0.0f ? period : 0.0f;
        s.points.half_period[i] = period > 0.0f ? 0.5f * period : INFINITY;
    }
    double each = 0.0;
    if (!guess_room(&s, SAMPLES, &each)) return TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t begin = 0; begin < f->count;) {
        const uint64_t before = f->stats.neighbours;
        const uint32_t end = do_wave(&s, begin, each);
        if (end == 0) return TACT_ERROR_OUT_OF_MEMORY;
        each = (double)(f->stats.neighbours - before) / (double)(end - begin);
        begin = end;
    }
    return TACT_OK;
}

tact_result tact_neighbours_find(tact_neighbour_finder* f, const tact_neighbour_job* job, tact_neighbour_lists* lists)
{
    TACT_ASSERT(job->count <= TACT_MAX_PARTICLES && job->radius > 0.0f);
    TACT_ASSERT(job->stride >= 1 && (!job->ids || job->id_stride >= 1));
    *lists = (tact_neighbour_lists){0};
    f->count = (uint32_t)job->count;
    f->threads = job->threads > 1 ? job->threads : 1;
    f->once = job->kind == TACT_NEIGHBOURS_ONCE;
    f->stats = (tact_neighbour_stats){0};
    tact_result result = tact_neighbours_sort(f, job);
    if (result != TACT_OK) return result;
    ((uint64_t*)f->offsets.data)[0] = 0;
    if (f->count > 0) result = tact_neighbours_make_rows(f);
    if (result == TACT_OK) result = search_all(f, job);
    if (result != TACT_OK) return result;
    TACT_ASSERT(((const uint64_t*)f->offsets.data)[f->count] == f->stats.neighbours);
    *lists = (tact_neighbour_lists){f->count, f->ids.data, f->offsets.data, f->neighbours.data};
    TACT_VALIDATE(tact_neighbours_are_valid(f, lists));
    return TACT_OK;
}

static const tact_neighbour_lanes* const tables[] = {TACT_LANE_TABLES(tact_neighbour_lanes)};

bool tact_neighbour_finder_use(tact_neighbour_finder* f, int lanes)
{
    if (!tact_lanes_supported(lanes)) return false;
    f->lanes = tables[lanes];
    return true;
}

tact_result tact_neighbour_finder_create(tact_env* env, tact_neighbour_finder** finder)
{
    tact_neighbour_finder* f = tact_allocate_zeroed(env, 1, sizeof *f);
    if (!f) return TACT_ERROR_OUT_OF_MEMORY;
    f->env = env;
    f->lanes = tables[tact_lanes_best(TACT_LANE_LEVELS)];
    *finder = f;
    return TACT_OK;
}

/// Each array of a finder, in turn; NULL after the last.
static tact_neighbour_array* array_of(tact_neighbour_finder* f, size_t index)
{
    tact_neighbour_array* const arrays[] = {&f->raw_keys, &f->words[0], &f->words[1], &f->histogram, &f->packets,
                                            &f->copies,   &f->ids,      &f->offsets,  &f->rows,      &f->starts,
                                            &f->pieces,   &f->rooms,    &f->stream,   &f->neighbours};
    return index < sizeof arrays / sizeof *arrays ? arrays[index] : NULL;
}

void tact_neighbour_finder_destroy(tact_neighbour_finder* f)
{
    if (!f) return;
    for (size_t i = 0; array_of(f, i); ++i)
        tact_release(f->env, array_of(f, i)->data);
    tact_release(f->env, f);
}

const uint32_t* tact_neighbours_order(const tact_neighbour_finder* f)
{
    return f->order;
}

void tact_neighbours_points(const tact_neighbour_finder* f, const float* points[3])
{
    memcpy(points, f->points, sizeof f->points);
}

tact_neighbour_stats tact_neighbours_stats(const tact_neighbour_finder* f)
{
    return f->stats;
}

uint64_t tact_neighbours_bytes(const tact_neighbour_finder* f)
{
    uint64_t sum = sizeof *f;
    for (size_t i = 0; array_of((tact_neighbour_finder*)(uintptr_t)f, i); ++i)
        sum += array_of((tact_neighbour_finder*)(uintptr_t)f, i)->bytes;
    return sum;
}

#if defined(TACT_ASSERTS)

bool tact_neighbours_are_valid(const tact_neighbour_finder* f, const tact_neighbour_lists* lists)
{
    enum { MOST_A_POINT = 64 };
    const size_t count = lists->slots;
    if (count > TACT_VALIDATE_MOST || lists->offsets[count] > (uint64_t)TACT_VALIDATE_MOST * MOST_A_POINT) return true;
    if (lists->offsets[0] != 0) return false;
    for (size_t slot = 0; slot < count; ++slot) {
        const uint64_t begin = lists->offsets[slot], end = lists->offsets[slot + 1];
        if (begin > end || end > lists->offsets[count]) return false;
        for (uint64_t k = begin; k < end; ++k) {
            const uint32_t other = lists->neighbours[k];
            if (other >= count || other == slot || (f->once && other < slot)) return false;
            if (k > begin && lists->neighbours[k - 1] >= other) return false;
        }
    }
    return true;
}

#endif
