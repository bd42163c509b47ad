// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Brings points into the order of their cells, those of a cell in the order in which they came: a radix sort from the
// lowest digit up (Knuth: The Art of Computer Programming, volume 3, 1973, section 5.2.5), each thread with a part of
// the points.

#include <string.h>

#include "base/compiler.h"
#include "base/parallel.h"
#include "cpu_ref/particles/neighbours_internal.h"

enum {
    MOST_DIGIT = 11,    ///< bits
    MOST_PARTS = 64,    ///< of the points
    SOME = 256,         ///< points whose cells are found together
    LEAST_PART = 4096,  ///< points that are worth a thread
};

/// What a part found out about its cells.
typedef struct part {
    uint64_t least[3], most[3];
    bool descends;     ///< some point belongs before the one before it
    unsigned outside;  ///< a bit for each axis
    unsigned far_outside;
} part;

typedef struct sorting {
    const tact_neighbour_finder* finder;
    const tact_neighbour_job* job;
    size_t part_size;
    part parts[MOST_PARTS];
    uint64_t *raw, *from, *to;
    uint32_t *order, *ids, *histogram;
    float* points;
    tact_neighbour_point* packets;
    size_t pitch;  ///< floats from all x to all y
    // A key is made of cells counted from the least one, of so many bits.
    uint64_t least[3];
    unsigned bits[3];
    unsigned shift, digit;  ///< of this pass
    unsigned low, width;    ///< bits of the key that are sorted by now
    bool copies;            ///< the points are to be copied, also when they are in order
    bool again;             ///< by more bits of the key, in the order so far
} sorting;

/// Cells of some coordinates, counted from the outermost. A plain loop, of which compilers make vector instructions.
static void cells_of(const tact_neighbour_axis* a, const float* x, size_t count, int32_t* cells)
{
    const float origin = a->origin, inverse = a->inverse, low = a->low, high = a->high;
    const int32_t least = (int32_t)low;
    TACT_ASSERT(count <= SOME);
    for (size_t i = 0; i < count; ++i) {
        const float t = (x[i] - origin) * inverse;
        float c = t > low ? t : low;
        c = c < high ? c : high;
        const int32_t cell = (int32_t)c;
        cells[i] = cell - ((float)cell > c ? 1 : 0) - least;
    }
}

/// Brings a position into the period, as tact_grid_wrap() does, and notes when it was not in it.
static float wrapped(const tact_neighbour_axis* a, float x, unsigned axis, part* p)
{
    const float end = a->origin + a->period;
    if (!(a->period > 0.0f) || (x >= a->origin && x < end)) return x;
    const float up = x + a->period, down = x - a->period;
    p->outside |= 1u << axis;
    if (x < a->origin) {
        if (up < a->origin) p->far_outside |= 1u << axis;
        return up < end ? up : a->origin;
    }
    if (down >= end) p->far_outside |= 1u << axis;
    return down >= a->origin ? down : a->origin;
}

/// Cells along an axis of points from `begin` on, and the least and greatest so far.
static void cells_along(const sorting* s, int axis, size_t begin, size_t count, int32_t* cells, part* p)
{
    const tact_neighbour_axis* a = &s->finder->axes[axis];
    const float* x = axis == 0 ? s->job->x : axis == 1 ? s->job->y : s->job->z;
    const size_t stride = s->job->stride;
    float copy[SOME];
    x += begin * stride;
    if (stride != 1 || a->period > 0.0f) {
        for (size_t i = 0; i < count; ++i)
            copy[i] = wrapped(a, x[i * stride], (unsigned)axis, p);
        x = copy;
    }
    cells_of(a, x, count, cells);
    int32_t least = (int32_t)p->least[axis], most = (int32_t)p->most[axis];
    for (size_t i = 0; i < count; ++i) {
        least = cells[i] < least ? cells[i] : least;
        most = cells[i] > most ? cells[i] : most;
    }
    TACT_ASSERT(least >= 0 && most <= 0xffff);
    p->least[axis] = (uint64_t)least;
    p->most[axis] = (uint64_t)most;
}

static void key_range(size_t begin, size_t end, int worker, void* user)
{
    sorting* s = user;
    (void)worker;
    part p = {.least = {0xffff, 0xffff, 0xffff}};
    uint64_t before = 0;
    for (size_t i = begin; i < end; i += SOME) {
        const size_t count = end - i < SOME ? end - i : SOME;
        int32_t cells[3][SOME];
        uint64_t* raw = s->raw + i;
        for (int k = 0; k < 3; ++k)
            cells_along(s, k, i, count, cells[k], &p);
        for (size_t k = 0; k < count; ++k)
            raw[k] = (uint64_t)(uint32_t)cells[2][k] << 32 | ((uint32_t)cells[1][k] << 16 | (uint32_t)cells[0][k]);
        uint64_t descents = raw[0] < before;
        for (size_t k = 1; k < count; ++k)
            descents += raw[k] < raw[k - 1];
        p.descends |= descents > 0;
        before = raw[count - 1];
    }
    s->parts[begin / s->part_size] = p;
}

static uint64_t key_of(const sorting* s, uint64_t raw)
{
    TACT_ASSERT((raw & 0xffff) >= s->least[0] && (raw >> 16 & 0xffff) >= s->least[1] && raw >> 32 >= s->least[2]);
    const uint64_t x = (raw & 0xffff) - s->least[0];
    const uint64_t y = (raw >> 16 & 0xffff) - s->least[1];
    const uint64_t z = (raw >> 32) - s->least[2];
    return (z << s->bits[1] | y) << s->bits[0] | x;
}

static uint32_t id_of(const tact_neighbour_job* job, size_t i)
{
    return job->ids ? job->ids[i * job->id_stride] : (uint32_t)i;
}

static tact_neighbour_point packet_of(const tact_neighbour_job* job, size_t i)
{
    TACT_ASSERT(i < job->count);
    const size_t at = i * job->stride;
    return (tact_neighbour_point){{job->x[at], job->y[at], job->z[at]}, id_of(job, i)};
}

/// Whether all of a key fits into a word.
static bool is_whole(const sorting* s)
{
    return s->bits[0] + s->bits[1] + s->bits[2] <= 32;
}

/// The other way round, of such a key.
static uint64_t raw_of(const sorting* s, uint64_t key)
{
    const uint64_t x = key & ((UINT64_C(1) << s->bits[0]) - 1);
    const uint64_t y = key >> s->bits[0] & ((UINT64_C(1) << s->bits[1]) - 1);
    const uint64_t z = key >> (s->bits[0] + s->bits[1]);
    return (z + s->least[2]) << 32 | (y + s->least[1]) << 16 | (x + s->least[0]);
}

/// The words that are sorted: some bits of the key, and the index of a point.
static void word_range(size_t begin, size_t end, int worker, void* user)
{
    const sorting* s = user;
    (void)worker;
    const uint64_t mask = (UINT64_C(1) << s->width) - 1;
    for (size_t i = begin; i < end; ++i) {
        const uint64_t index = s->again ? s->from[i] & 0xffffffffu : i;
        TACT_ASSERT(index < s->job->count);
        if (!s->again) s->packets[i] = packet_of(s->job, i);
        s->from[i] = (key_of(s, s->raw[index]) >> s->low & mask) << 32 | index;
    }
}

static void count_range(size_t begin, size_t end, int worker, void* user)
{
    const sorting* s = user;
    TACT_ASSERT(s->digit >= 1 && s->digit <= MOST_DIGIT && begin % s->part_size == 0);
    (void)worker;
    uint32_t* counts = s->histogram + (begin / s->part_size << s->digit);
    const unsigned shift = s->shift;
    const uint64_t mask = (UINT64_C(1) << s->digit) - 1;
    const uint64_t* from = s->from;
    memset(counts, 0, sizeof *counts << s->digit);
    for (size_t i = begin; i < end; ++i)
        ++counts[from[i] >> shift & mask];
}

static void scatter_range(size_t begin, size_t end, int worker, void* user)
{
    const sorting* s = user;
    (void)worker;
    uint32_t* next = s->histogram + (begin / s->part_size << s->digit);
    const unsigned shift = s->shift;
    const uint64_t mask = (UINT64_C(1) << s->digit) - 1;
    const uint64_t* from = s->from;
    uint64_t* to = s->to;
    for (size_t i = begin; i < end; ++i)
        to[next[from[i] >> shift & mask]++] = from[i];
}

static void run(sorting* s, tact_parallel_fn* range)
{
    tact_parallel_for(s->finder->threads, s->job->count, s->part_size, range, s);
}

/// One pass: by `digit` bits of the words from `shift` on.
static void pass(sorting* s)
{
    const size_t parts = (s->job->count + s->part_size - 1) / s->part_size;
    run(s, count_range);
    uint32_t sum = 0;
    for (size_t d = 0; d < (size_t)1 << s->digit; ++d) {
        for (size_t k = 0; k < parts; ++k) {
            uint32_t* at = &s->histogram[(k << s->digit) + d];
            const uint32_t count = *at;
            *at = sum;
            sum += count;
        }
    }
    TACT_ASSERT(sum == s->job->count);
    run(s, scatter_range);
    uint64_t* const sorted = s->to;
    s->to = s->from;
    s->from = sorted;
}

/// Sorts by all bits of the keys, at most 32 of them at a time.
static void sort_words(sorting* s)
{
    const unsigned all = s->bits[0] + s->bits[1] + s->bits[2];
    for (s->low = 0; s->low < all; s->low += s->width) {
        s->width = all - s->low < 32 ? all - s->low : 32;
        run(s, word_range);
        s->again = true;
        const unsigned passes = (s->width + MOST_DIGIT - 1) / MOST_DIGIT;
        for (unsigned k = 0; k < passes; ++k) {
            const unsigned from = s->width * k / passes, to = s->width * (k + 1) / passes;
            s->shift = 32 + from;
            s->digit = to - from;
            pass(s);
        }
    }
}

/// Copies the points to where they belong, and makes keys of the words.
static void place_range(size_t begin, size_t end, int worker, void* user)
{
    const sorting* s = user;
    (void)worker;
    float *x = s->points, *y = x + s->pitch, *z = y + s->pitch;
    const bool whole = is_whole(s);
    for (size_t i = begin; i < end; ++i) {
        const size_t from = (size_t)(s->from[i] & 0xffffffffu);
        TACT_ASSERT(from < s->job->count);
        if (i + TACT_NEIGHBOUR_AHEAD < end) TACT_PREFETCH(&s->packets[s->from[i + TACT_NEIGHBOUR_AHEAD] & 0xffffffffu]);
        const tact_neighbour_point p = s->packets[from];
        s->order[i] = (uint32_t)from;
        s->from[i] = whole ? raw_of(s, s->from[i] >> 32) : s->raw[from];
        s->ids[i] = p.id;
        x[i] = p.at[0];
        y[i] = p.at[1];
        z[i] = p.at[2];
    }
}

/// The same of points that are in order.
static void keep_range(size_t begin, size_t end, int worker, void* user)
{
    const sorting* s = user;
    const tact_neighbour_job* job = s->job;
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        s->ids[i] = id_of(job, i);
    if (!s->copies) return;
    float *x = s->points, *y = x + s->pitch, *z = y + s->pitch;
    for (size_t i = begin; i < end; ++i) {
        x[i] = job->x[i * job->stride];
        y[i] = job->y[i * job->stride];
        z[i] = job->z[i * job->stride];
    }
}

/// What all parts found. Returns whether the points are in order already.
static bool gather(sorting* s, part* all)
{
    const size_t parts = (s->job->count + s->part_size - 1) / s->part_size;
    *all = s->parts[0];
    for (size_t k = 1; k < parts; ++k) {
        const part* p = &s->parts[k];
        for (int i = 0; i < 3; ++i) {
            if (p->least[i] < all->least[i]) all->least[i] = p->least[i];
            if (p->most[i] > all->most[i]) all->most[i] = p->most[i];
        }
        all->descends |= p->descends || s->raw[k * s->part_size - 1] > s->raw[k * s->part_size];
        all->outside |= p->outside;
        all->far_outside |= p->far_outside;
    }
    for (int i = 0; i < 3; ++i) {
        s->least[i] = all->least[i];
        s->bits[i] = tact_bit_width(all->most[i] - all->least[i]);
        TACT_ASSERT(all->least[i] <= all->most[i] && s->bits[i] <= 16);
    }
    return !all->descends;
}

/// Room for what is needed of each point, and in any order.
static bool make_room(tact_neighbour_finder* f, size_t n)
{
    return tact_neighbour_room(f->env, &f->raw_keys, n, sizeof(uint64_t)) &&
           tact_neighbour_room(f->env, &f->ids, n, sizeof(uint32_t)) &&
           tact_neighbour_room(f->env, &f->offsets, n + 1, sizeof(uint64_t));
}

/// And to copy points, or to sort them, by the whole of their keys or not.
static bool more_room(tact_neighbour_finder* f, size_t n, bool sorts, bool whole)
{
    return tact_neighbour_room(f->env, &f->copies, 3 * (n + TACT_NEIGHBOUR_PAD), sizeof(float)) &&
           (!sorts || (tact_neighbour_room(f->env, &f->words[0], n, sizeof(uint64_t)) &&
                       (whole || tact_neighbour_room(f->env, &f->words[1], n, sizeof(uint64_t))) &&
                       tact_neighbour_room(f->env, &f->histogram, (size_t)MOST_PARTS << MOST_DIGIT, sizeof(uint32_t)) &&
                       tact_neighbour_room(f->env, &f->packets, n, sizeof(tact_neighbour_point))));
}

tact_result tact_neighbours_sort(tact_neighbour_finder* f, const tact_neighbour_job* job)
{
    TACT_ASSERT(f->count == job->count);
    const size_t n = job->count;
    if (!make_room(f, n)) return TACT_ERROR_OUT_OF_MEMORY;
    if (n == 0) return TACT_OK;
    sorting s = {.finder = f, .job = job, .pitch = n + TACT_NEIGHBOUR_PAD};
    s.raw = f->raw_keys.data;
    s.ids = f->ids.data;
    size_t parts = f->threads > 1 ? (size_t)f->threads : 1;
    if (parts > MOST_PARTS) parts = MOST_PARTS;
    s.part_size = (n + parts - 1) / parts;
    if (s.part_size < LEAST_PART) s.part_size = LEAST_PART;

    part all = {0};
    tact_neighbours_plan(f, job, 0);
    run(&s, key_range);
    bool sorted = gather(&s, &all);
    if (all.far_outside) {
        // One period does not bring them back: there is no telling by their cells who is near.
        tact_neighbours_plan(f, job, all.far_outside);
        run(&s, key_range);
        sorted = gather(&s, &all);
    }
    f->outside = all.outside != 0;
    f->stats.sorted = sorted;
    f->keys = s.raw;
    f->points[0] = job->x;
    f->points[1] = job->y;
    f->points[2] = job->z;
    s.copies = !sorted || job->stride != 1 || !job->padded;
    // Then raw keys are not needed any more when there are words.
    const bool whole = is_whole(&s);
    if (s.copies) {
        if (!more_room(f, n, !sorted, whole)) return TACT_ERROR_OUT_OF_MEMORY;
        s.points = f->copies.data;
        for (size_t axis = 0; axis < 3; ++axis) {
            memset(s.points + axis * s.pitch + n, 0, TACT_NEIGHBOUR_PAD * sizeof(float));
            f->points[axis] = s.points + axis * s.pitch;
        }
    }
    if (!sorted) {
        s.from = whole ? s.raw : f->words[1].data;
        s.to = f->words[0].data;
        s.histogram = f->histogram.data;
        s.packets = f->packets.data;
        sort_words(&s);
        // There is nothing in it any more.
        s.order = (uint32_t*)s.to;
        run(&s, place_range);
        f->keys = s.from;
        f->order = s.order;
    } else {
        run(&s, keep_range);
    }
    return TACT_OK;
}
