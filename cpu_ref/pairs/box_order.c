// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pairs/box_order.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/pair_keys.h"
#include "cpu_ref/pairs/lanes.h"
#include "cpu_ref/pairs/select_rank.h"

enum {
    SAMPLE = 256,
    DIGIT_BITS = 12,
    DIGITS = 1 << DIGIT_BITS,
    PIECE = 4096,      ///< boxes a thread takes at a time
    MOST_PIECES = 64,  ///< of a threaded sort
    LONG_RUN = 24,     ///< more boxes than this in one cell are sorted again
    DEPTH = 12,        ///< how often
    CLASS_BITS = 6,    ///< two an axis
};

/// The middle of a box on one axis. NaN or infinite for infinite boxes.
static float middle(const tact_aabb* box, int axis)
{
    const float low = (&box->lower.x)[axis], high = (&box->upper.x)[axis];
    return 0.5f * low + 0.5f * high;
}

/// NaN where both bounds are the same infinity.
static float width(const tact_aabb* box, int axis)
{
    return (&box->upper.x)[axis] - (&box->lower.x)[axis];
}

static float nearest_finite(float x)
{
    return x > -FLT_MAX ? x < FLT_MAX ? x : FLT_MAX : -FLT_MAX;
}

/// The ends of nearly all values, whose order changes, when they are a sample; of a whole set just the ends are taken.
static void ends(float* values, int count, bool whole, double* low, double* high)
{
    TACT_ASSERT(count >= 1);
    if (whole) {
        *low = (double)FLT_MAX;
        *high = -(double)FLT_MAX;
        for (int i = 0; i < count; ++i) {
            *low = (double)values[i] < *low ? (double)values[i] : *low;
            *high = (double)values[i] > *high ? (double)values[i] : *high;
        }
        return;
    }
    const size_t n = (size_t)count, cut = n / 32;
    const double first = (double)tact_select_rank(values, n, cut);
    const double last = (double)tact_select_rank(values, n, n - 1 - cut);
    const double margin = (last - first) * 0.08;
    *low = first - margin;
    *high = last + margin;
}

/// Cells for a box or a few: groups of neighbours need no finer order.
static uint32_t bits_for(uint32_t count)
{
    uint32_t bits = 2;
    while (bits < 28 && (uint32_t)4 << bits < count)
        ++bits;
    TACT_ASSERT(bits <= 28);
    return bits;
}

/// Cuts the frame into cells. Each bit of the number halves the cells across the side where that makes bounds of boxes
/// in a cell smallest: the longest, measured by how wide the boxes are.
static void cut_cells(tact_box_cells* f, const double extent[3], const double widths[3], uint32_t most_bits)
{
    TACT_ASSERT(most_bits <= 28);
    double side[3] = {extent[0], extent[1], extent[2]};
    int cuts[3] = {0, 0, 0}, sequence[32];
    uint32_t bits = 0;
    for (; bits < most_bits; ++bits) {
        int longest = -1;
        for (int axis = 0; axis < 3; ++axis) {
            if (cuts[axis] == TACT_BOX_AXIS_BITS || !(side[axis] > 0.0)) continue;
            // side / (side + width), compared without dividing.
            if (longest < 0 || side[axis] * widths[longest] > side[longest] * widths[axis] ||
                (side[axis] * widths[longest] >= side[longest] * widths[axis] && side[axis] > side[longest])) {
                longest = axis;
            }
        }
        if (longest < 0) break;
        side[longest] *= 0.5;
        ++cuts[longest];
        sequence[bits] = longest;
    }
    f->bits = bits;
    int left[3] = {cuts[0], cuts[1], cuts[2]};
    uint32_t place[3][TACT_BOX_AXIS_BITS];
    for (uint32_t k = 0; k < bits; ++k)
        place[sequence[k]][--left[sequence[k]]] = (uint32_t)1 << (bits - 1 - k);
    for (int axis = 0; axis < 3; ++axis) {
        const uint32_t cells = (uint32_t)1 << cuts[axis];
        f->most[axis] = (float)(cells - 1);
        const double scale = extent[axis] > 0.0 ? cells / extent[axis] : 0.0;
        f->scale[axis] = scale < (double)FLT_MAX ? (float)scale : FLT_MAX;
        uint32_t own = 0;
        for (int bit = 0; bit < cuts[axis]; ++bit)
            own |= place[axis][bit];
        f->spread[axis][0] = 0;
        for (int bit = 0; bit < cuts[axis]; ++bit) {
            // Every other stretch along the other axes runs backwards, so that it begins where the last one ended.
            const uint32_t here = place[axis][bit] | ((place[axis][bit] - 1) & ~own);
            for (uint32_t v = 0; v < (uint32_t)1 << bit; ++v)
                f->spread[axis][v | (uint32_t)1 << bit] = f->spread[axis][v] ^ here;
        }
    }
}

/// What a sample of boxes says about all.
typedef struct outlook {
    double low[3], extent[3];  ///< of the middles of nearly all boxes
    double widths[3];          ///< mean
    double apart;              ///< about what lies between neighbours
    float usual;               ///< median of the widths, all axes together
    float widest;              ///< of the sample's widths
} outlook;

/// `items` NULL: of all, by id. `inner`: of a cell, where nothing is far away; what is usual does not matter then.
static outlook look_around(const tact_volume_view* of, const uint64_t* items, uint32_t count, bool inner)
{
    outlook o;
    const tact_aabb* boxes[SAMPLE];
    float usual[SAMPLE];
    const int n = count < SAMPLE ? (int)count : SAMPLE;
    TACT_ASSERT(n >= 1);
    double longest = 0.0;
    o.widest = 0.0f;
    for (int i = 0; i < n; ++i) {
        const uint64_t at = (uint64_t)i * count / (uint64_t)n;
        boxes[i] = &of->boxes[items ? (uint32_t)items[at] : (uint32_t)at];
        TACT_ASSERT(tact_volume_is_live(boxes[i]));
        usual[i] = nearest_finite(width(boxes[i], i % 3));
    }
    for (int axis = 0; axis < 3; ++axis) {
        float middles[SAMPLE];
        double sum = 0.0, high;
        for (int i = 0; i < n; ++i) {
            middles[i] = nearest_finite(middle(boxes[i], axis));
            const float w = nearest_finite(width(boxes[i], axis));
            sum += (double)w;
            o.widest = w <= o.widest ? o.widest : w;
        }
        ends(middles, n, inner && count <= SAMPLE, &o.low[axis], &high);
        o.extent[axis] = high - o.low[axis];
        o.widths[axis] = sum / n;
        if (o.extent[axis] > longest) longest = o.extent[axis];
    }
    o.apart = longest / cbrt((double)count);
    o.usual = inner ? usual[n / 2] : tact_select_rank(usual, (size_t)n, (size_t)n / 2);
    return o;
}

static void make_frame(tact_box_cells* f, const outlook* o, uint32_t count)
{
    double widest = 0.0, widths[3];
    for (int axis = 0; axis < 3; ++axis) {
        f->low[axis] = (float)o->low[axis];
        if (o->widths[axis] > widest) widest = o->widths[axis];
    }
    // An axis on which all is thin is cut as if the boxes were at least as wide as places are apart.
    for (int axis = 0; axis < 3; ++axis)
        widths[axis] = o->widths[axis] + o->apart + widest * 0.01 + 1e-300;
    cut_cells(f, o->extent, widths, bits_for(count));
}

/// The width beyond which boxes are large: four times what is usual, or what lies between neighbours.
static float large_width(const outlook* o)
{
    const double usual = (double)o->usual > o->apart ? (double)o->usual : o->apart;
    return usual < (double)FLT_MAX / 64.0 ? (float)(4.0 * usual) : FLT_MAX / 16.0f;
}

/// How large a box is on each axis, in two bits: 0 up to `large`, then steps of 4. A NaN is largest.
static uint32_t class_of(const tact_aabb* box, float large)
{
    uint32_t result = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const float w = width(box, axis);
        result = result << 2 |
                 ((uint32_t) !(w <= large) + (uint32_t) !(w <= 4.0f * large) + (uint32_t) !(w <= 16.0f * large));
    }
    return result;
}

// The sort: least digit first, each pass in as many pieces as there are threads.

typedef struct sort_job {
    const uint64_t* from;
    uint64_t* to;
    uint32_t count, shift, digits, pieces;
    uint32_t* starts;  ///< `digits` for each piece
} sort_job;

static uint32_t piece_begin(const sort_job* s, size_t piece)
{
    TACT_ASSERT(piece <= s->pieces);
    return (uint32_t)((uint64_t)s->count * piece / s->pieces);
}

static void count_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const sort_job* s = user;
    for (size_t piece = begin; piece < end; ++piece) {
        uint32_t* counts = s->starts + piece * s->digits;
        memset(counts, 0, s->digits * sizeof *counts);
        const uint32_t stop = piece_begin(s, piece + 1);
        for (uint32_t i = piece_begin(s, piece); i < stop; ++i)
            ++counts[(uint32_t)(s->from[i] >> s->shift) & (s->digits - 1)];
    }
}

static void scatter_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const sort_job* s = user;
    for (size_t piece = begin; piece < end; ++piece) {
        uint32_t* starts = s->starts + piece * s->digits;
        const uint32_t stop = piece_begin(s, piece + 1);
        for (uint32_t i = piece_begin(s, piece); i < stop; ++i) {
            const uint64_t item = s->from[i];
            s->to[starts[(uint32_t)(item >> s->shift) & (s->digits - 1)]++] = item;
        }
    }
}

/// Whether this digit is the same in all items: then they are in order already.
static bool all_in_one(const sort_job* s)
{
    const uint32_t digit = (uint32_t)(s->from[0] >> s->shift) & (s->digits - 1);
    uint32_t count = 0;
    for (uint32_t piece = 0; piece < s->pieces; ++piece)
        count += s->starts[piece * s->digits + digit];
    return count == s->count;
}

/// Sorts items by `bits` bits of the key; the result is in `items`. `starts` has room for `pieces` * DIGITS numbers.
static void sort_items(uint64_t* items, uint64_t* spare, uint32_t count, uint32_t bits, uint32_t pieces,
                       uint32_t* starts)
{
    TACT_ASSERT(pieces >= 1 && bits <= 32 && items != spare);
    if (bits == 0 || count < 2) return;
    const uint32_t passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    const uint32_t digit_bits = (bits + passes - 1) / passes;
    uint64_t *from = items, *to = spare;
    for (uint32_t pass = 0; pass < passes; ++pass) {
        sort_job s = {from, to, count, 32 + pass * digit_bits, (uint32_t)1 << digit_bits, pieces, starts};
        tact_parallel_for((int)pieces, pieces, 1, count_piece, &s);
        if (all_in_one(&s)) continue;
        uint32_t at = 0;
        for (uint32_t digit = 0; digit < s.digits; ++digit) {
            for (uint32_t piece = 0; piece < pieces; ++piece) {
                uint32_t* start = &starts[piece * s.digits + digit];
                const uint32_t size = *start;
                *start = at;
                at += size;
            }
        }
        TACT_ASSERT(at == count);
        tact_parallel_for((int)pieces, pieces, 1, scatter_piece, &s);
        uint64_t* swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
}

// Sorting again what lies in one cell.

typedef struct workshop {
    tact_box_cells cells;
    uint32_t starts[DIGITS];
} workshop;

/// One past the last item with the key of item `begin`.
static uint32_t run_end(const uint64_t* items, uint32_t begin, uint32_t count)
{
    TACT_ASSERT(begin < count);
    const uint64_t key = items[begin] >> 32;
    uint32_t last = begin, step = 1;  // `last` has the key
    while (count - last > step && items[last + step] >> 32 == key) {
        last += step;
        step *= 2;
    }
    for (; step > 0; step /= 2) {
        if (count - last > step && items[last + step] >> 32 == key) last += step;
    }
    TACT_ASSERT(last < count && items[last] >> 32 == key);
    return last + 1;
}

static void refine(const tact_volume_view* of, uint64_t* items, uint64_t* spare, uint32_t count, int depth, workshop* w)
{
    TACT_ASSERT(count >= 1 && depth >= 0);
    const outlook around = look_around(of, items, count, true);
    make_frame(&w->cells, &around, count);
    const uint32_t bits = w->cells.bits;
    if (bits == 0) return;
    tact_pairs_lanes()->order_keys(&w->cells, of->boxes, FLT_MAX, false, items, 0, count);
    if (count <= 96) {
        tact_pair_keys_sort_few(items, count);
    } else {
        sort_items(items, spare, count, bits, 1, w->starts);
    }
    if (depth == 0) return;
    for (uint32_t begin = 0; begin < count;) {
        const uint32_t end = run_end(items, begin, count);
        // All in one cell still means that no frame tells them apart, but for a few at the border.
        if (end - begin > LONG_RUN) refine(of, items + begin, spare + begin, end - begin, depth - 1, w);
        begin = end;
    }
}

typedef struct run {
    uint32_t begin, end;
} run;

typedef struct refine_loop {
    const tact_volume_view* of;
    tact_box_order* order;
    const run* runs;
    workshop* shops;
} refine_loop;

static void refine_runs(size_t begin, size_t end, int worker, void* user)
{
    const refine_loop* l = user;
    for (size_t i = begin; i < end; ++i) {
        const run r = l->runs[i];
        TACT_ASSERT(r.begin < r.end && r.end <= l->order->count);
        refine(l->of, l->order->items + r.begin, l->order->spare + r.begin, r.end - r.begin, DEPTH, &l->shops[worker]);
    }
}

static tact_result refine_all(tact_env* env, int threads, const tact_volume_view* of, tact_box_order* order,
                              uint32_t first, uint32_t n)
{
    void* runs = NULL;
    size_t capacity = 0, count = 0;
    for (uint32_t begin = first; begin < n;) {
        // Nearly all runs are short: look at their ends only where one may be long.
        if (begin + LONG_RUN < n && order->items[begin] >> 32 == order->items[begin + LONG_RUN] >> 32) {
            const uint32_t end = run_end(order->items, begin, n);
            if (!tact_reserve(env, &runs, &capacity, count, count + 1, sizeof(run))) {
                tact_release(env, runs);
                return TACT_ERROR_OUT_OF_MEMORY;
            }
            ((run*)runs)[count++] = (run){begin, end};
            begin = end;
        } else {
            ++begin;
        }
    }
    if (count == 0) return TACT_OK;
    const int workers = (size_t)threads < count ? threads : (int)count;
    workshop* shops = tact_allocate(env, (size_t)workers, sizeof *shops);
    if (shops) {
        refine_loop loop = {of, order, runs, shops};
        tact_parallel_for(workers, count, 1, refine_runs, &loop);
    }
    tact_release(env, shops);
    tact_release(env, runs);
    return shops ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

// All boxes.

typedef struct key_loop {
    const tact_volume_view* of;
    const tact_box_cells* cells;
    uint64_t* items;
    float large;
    bool fresh;  ///< nothing is in the items yet
    const tact_pairs_lane_table* lanes;
    bool* some_large;  ///< by worker
} key_loop;

static void cell_keys(size_t begin, size_t end, int worker, void* user)
{
    const key_loop* l = user;
    if (!l->lanes->order_keys(l->cells, l->of->boxes, l->large, l->fresh, l->items, begin, end))
        l->some_large[worker] = true;
}

static void class_keys(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const key_loop* l = user;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t id = l->fresh ? (uint32_t)i : (uint32_t)l->items[i];
        l->items[i] = (uint64_t)class_of(&l->of->boxes[id], l->large) << 32 | id;
    }
}

static bool reserve(tact_env* env, tact_box_order* order, uint32_t count)
{
    void *items = order->items, *spare = order->spare;
    bool ok = tact_reserve(env, &items, &order->item_capacity, 0, (size_t)count + 1, sizeof *order->items);
    order->items = items;
    ok = ok && tact_reserve(env, &spare, &order->spare_capacity, 0, (size_t)count + 1, sizeof *order->spare);
    order->spare = spare;
    order->memory_bytes = (order->item_capacity + order->spare_capacity) * sizeof(uint64_t);
    return ok;
}

typedef struct top_shop {
    tact_box_cells cells;
    uint32_t* starts;
    bool* some_large;  ///< by thread
} top_shop;

static uint32_t pieces_for(uint32_t count, int threads)
{
    uint32_t pieces = count / PIECE + 1;
    if (pieces > (uint32_t)threads) pieces = (uint32_t)threads;
    TACT_ASSERT(pieces >= 1);
    return pieces < MOST_PIECES ? pieces : MOST_PIECES;
}

/// Gives items [begin, end) the numbers of their cells. Returns whether all are small.
static bool number_cells(int threads, const tact_volume_view* of, tact_box_order* order, uint32_t begin, uint32_t end,
                         bool fresh, float large, top_shop* shop)
{
    key_loop loop = {of, &shop->cells, order->items + begin, large, fresh, tact_pairs_lanes(), shop->some_large};
    TACT_ASSERT(begin < end && (!fresh || begin == 0));
    memset(shop->some_large, 0, (size_t)threads * sizeof *shop->some_large);
    tact_parallel_for(threads, end - begin, PIECE, cell_keys, &loop);
    bool small = true;
    for (int i = 0; i < threads; ++i)
        small = small && !shop->some_large[i];
    return small;
}

/// Puts items that have the numbers of their cells in order.
static tact_result order_cells(tact_env* env, int threads, const tact_volume_view* of, tact_box_order* order,
                               uint32_t begin, uint32_t end, top_shop* shop)
{
    const uint32_t count = end - begin;
    if (shop->cells.bits == 0) return TACT_OK;
    sort_items(order->items + begin, order->spare, count, shop->cells.bits, pieces_for(count, threads), shop->starts);
    return refine_all(env, threads, of, order, begin, end);
}

static tact_result order_classes(tact_env* env, int threads, const tact_volume_view* of, tact_box_order* order,
                                 bool fresh, top_shop* shop)
{
    const uint32_t n = order->count;
    const outlook all = look_around(of, fresh ? NULL : order->items, n, false);
    const float large = large_width(&all);
    // One class: what is known of all is known of it. Nearly always the sample tells.
    if (all.widest <= large) {
        make_frame(&shop->cells, &all, n);
        if (number_cells(threads, of, order, 0, n, fresh, large, shop))
            return order_cells(env, threads, of, order, 0, n, shop);
        fresh = false;
    }
    key_loop loop = {.of = of, .items = order->items, .large = large, .fresh = fresh};
    tact_parallel_for(threads, n, PIECE, class_keys, &loop);
    sort_items(order->items, order->spare, n, CLASS_BITS, pieces_for(n, threads), shop->starts);
    for (uint32_t begin = 0; begin < n;) {
        const uint32_t end = run_end(order->items, begin, n), count = end - begin;
        const outlook around = count == n ? all : look_around(of, order->items + begin, count, false);
        make_frame(&shop->cells, &around, count);
        number_cells(threads, of, order, begin, end, false, FLT_MAX, shop);
        const tact_result result = order_cells(env, threads, of, order, begin, end, shop);
        if (result != TACT_OK) return result;
        begin = end;
    }
    return TACT_OK;
}

tact_result tact_box_order_make(tact_env* env, int threads, const tact_volume_view* of, tact_box_order* order)
{
    if (threads < 1) threads = 1;
    if (!reserve(env, order, of->live)) return TACT_ERROR_OUT_OF_MEMORY;
    const bool fresh = of->live == of->count && of->live >= 2;
    uint32_t n = fresh ? of->live : 0;
    for (uint32_t id = 0; id < of->count && n < of->live; ++id) {
        order->items[n] = id;
        n += (uint32_t)tact_volume_is_live(&of->boxes[id]);
    }
    order->count = n;
    TACT_ASSERT(n == of->live && n <= of->count);
    if (n < 2) return TACT_OK;
    top_shop* shop = tact_allocate(env, 1, sizeof *shop);
    uint32_t* starts = tact_allocate(env, (size_t)pieces_for(n, threads) * DIGITS, sizeof *starts);
    bool* some_large = tact_allocate(env, (size_t)threads, sizeof *some_large);
    tact_result result = shop && starts && some_large ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        shop->starts = starts;
        shop->some_large = some_large;
        result = order_classes(env, threads, of, order, fresh, shop);
    }
    TACT_VALIDATE(result != TACT_OK || tact_box_order_is_valid(order, of));
    tact_release(env, some_large);
    tact_release(env, starts);
    tact_release(env, shop);
    return result;
}

void tact_box_order_release(tact_env* env, tact_box_order* order)
{
    tact_release(env, order->items);
    tact_release(env, order->spare);
    *order = (tact_box_order){0};
}

#if defined(TACT_ASSERTS)

bool tact_box_order_is_valid(const tact_box_order* order, const tact_volume_view* of)
{
    if (of->count > TACT_VALIDATE_MOST) return true;
    unsigned char* seen = calloc((size_t)of->count + 1, 1);
    if (!seen) return true;
    bool valid = order->count == of->live;
    for (uint32_t i = 0; i < order->count && valid; ++i) {
        const uint32_t id = (uint32_t)order->items[i];
        valid = id < of->count && !seen[id] && tact_volume_is_live(&of->boxes[id]);
        if (valid) seen[id] = 1;
    }
    free(seen);
    return valid;
}

#endif
