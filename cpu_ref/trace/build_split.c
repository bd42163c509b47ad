// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <float.h>

#include "core/parallel.h"
#include "cpu_ref/trace/build_internal.h"

// Where a range of references is divided: by the surface area heuristic over bins (Wald, "On fast construction of
// SAH-based bounding volume hierarchies", 2007). All three axes are binned in one pass and swept side by side.

enum { BINS = TACT_BUILD_BINS, GRAIN = TACT_BUILD_GRAIN };

typedef struct bins {
    tact_build_box box[3][BINS];
    uint32_t count[BINS][4];
} bins;

/// How a reference finds its bin on each axis.
typedef struct binning {
    float origin[4], scale[4];
    uint32_t bins;
} binning;

typedef struct split {
    float cost;
    int axis;      // -1: none
    uint32_t bin;  // references in bins below it go left
} split;

static binning binning_of(const tact_build_range* r)
{
    const size_t size = r->end - r->begin;
    binning b = {.bins = size < 16 ? 4 : size < 64 ? 8 : BINS};
    for (int k = 0; k < 3; ++k) {
        const float width = -r->centres.negated[k] - r->centres.lower[k];
        b.origin[k] = r->centres.lower[k];
        b.scale[k] = width > 1e-36f ? (float)b.bins * 0.9999f / width : 0.0f;
    }
    return b;
}

static void clear_bins(bins* b, uint32_t count)
{
    const l4 most = l4_set(FLT_MAX), none = l4_set(0.0f);
    for (uint32_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            l4_store(b->box[axis][i].lower, most);
            l4_store(b->box[axis][i].negated, most);
        }
        l4_store((float*)(void*)b->count[i], none);  // whose bits are those of 0
    }
}

static void fill_bins(const tact_build_reference* references, const binning* how, size_t begin, size_t end, bins* out)
{
    const l4 origin = l4_load(how->origin), scale = l4_load(how->scale), last = l4_set((float)(how->bins - 1));
    for (size_t i = begin; i < end; ++i) {
        const tact_build_reference* ref = &references[i];
        const l4 place = l4_mul(l4_sub(l4_centre(tact_build_lower(ref), tact_build_negated(ref)), origin), scale);
        int32_t bin[4];
        l4_store_integers(bin, l4_min(place, last));
        for (int axis = 0; axis < 3; ++axis) {
            tact_build_grow(&out->box[axis][bin[axis]], tact_build_lower(ref), tact_build_negated(ref));
            ++out->count[bin[axis]][axis];
        }
    }
}

static void merge_bins(bins* into, const bins* from, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            tact_build_grow(&into->box[axis][i], from->box[axis][i].lower, from->box[axis][i].negated);
            into->count[i][axis] += from->count[i][axis];
        }
    }
}

typedef struct bin_job {
    const tact_builder* b;
    const tact_build_range* r;
    const binning* how;
    bins* parts;
    bool used[TACT_BUILD_MAX_WORKERS];  // merging minima and counts is exact in any order
} bin_job;

static void bin_piece(size_t begin, size_t end, int worker, void* user)
{
    bin_job* job = user;
    if (!job->used[worker]) clear_bins(&job->parts[worker], job->how->bins);
    job->used[worker] = true;
    fill_bins(tact_build_place(job->b, job->r), job->how, begin, end, &job->parts[worker]);
}

static void gather_bins(const tact_builder* b, int threads, const tact_build_range* r, const binning* how, bins* out)
{
    clear_bins(out, how->bins);
    if (threads <= 1) {
        fill_bins(tact_build_place(b, r), how, 0, r->end - r->begin, out);
        return;
    }
    bin_job job = {.b = b, .r = r, .how = how, .parts = b->parts};
    tact_parallel_for(threads, r->end - r->begin, GRAIN, bin_piece, &job);
    for (int w = 0; w < threads; ++w) {
        if (job.used[w]) merge_bins(out, &job.parts[w], how->bins);
    }
}

/// Three running boxes, one for each axis, whose halved surfaces come out side by side. The lengths are relative to the
/// range's, and a hair longer, so that flat boxes and lines are told apart too.
typedef struct sweep {
    l4 lower[3], negated[3];
    l4 count;  ///< rounded from 2^24 on, which does not matter
} sweep;

static void sweep_start(sweep* s)
{
    for (int axis = 0; axis < 3; ++axis)
        s->lower[axis] = s->negated[axis] = l4_set(FLT_MAX);
    s->count = l4_set(0.0f);
}

/// Takes the next bins; returns surface times primitives of what has been taken.
static inline l4 sweep_on(sweep* s, const bins* b, uint32_t bin, l4 unit)
{
    l4 length[3];
    for (int axis = 0; axis < 3; ++axis) {
        s->lower[axis] = l4_min(s->lower[axis], l4_load(b->box[axis][bin].lower));
        s->negated[axis] = l4_min(s->negated[axis], l4_load(b->box[axis][bin].negated));
        const l4 width = l4_negate(l4_add(s->negated[axis], s->lower[axis]));
        length[axis] = l4_add(l4_mul(l4_three(width), unit), l4_set(0x1p-20f));
    }
    s->count = l4_add(s->count, l4_from_integers(b->count[bin]));
    l4_turn(&length[0], &length[1], &length[2]);
    const l4 area = l4_add(l4_mul(length[0], l4_add(length[1], length[2])), l4_mul(length[1], length[2]));
    return l4_mul(area, s->count);
}

/// An empty side has a surface of infinity times nothing, which is not less than anything.
static split find_split(const bins* b, const binning* how, float unit)
{
    const l4 units = l4_set(unit);
    l4 right[BINS];
    sweep s;
    sweep_start(&s);
    for (uint32_t i = how->bins - 1; i > 0; --i)
        right[i] = sweep_on(&s, b, i, units);
    sweep_start(&s);
    l4 best = l4_set(FLT_MAX), where = l4_set(0.0f);
    for (uint32_t i = 1; i < how->bins; ++i) {
        const l4 cost = l4_add(sweep_on(&s, b, i - 1, units), right[i]);
        where = l4_less(cost, best, l4_set((float)i), where);
        best = l4_less(cost, best, cost, best);
    }
    float costs[4], places[4];
    l4_store(costs, best);
    l4_store(places, where);
    split found = {FLT_MAX, -1, 0};
    for (int axis = 0; axis < 3; ++axis) {
        if (how->scale[axis] > 0.0f && costs[axis] < found.cost)
            found = (split){costs[axis], axis, (uint32_t)places[axis]};
    }
    return found;
}

/// Boxes of the sides from the bins, so that the partition need not look at them.
static uint32_t measure_sides(const bins* b, const binning* how, const split* s, tact_build_range sides[2])
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < how->bins; ++i) {
        const tact_build_box* box = &b->box[s->axis][i];
        tact_build_grow(&sides[i >= s->bin].box, box->lower, box->negated);
        if (i < s->bin) left += b->count[i][s->axis];
    }
    return left;
}

/// Whether two leaves cost less than one.
static bool pays(const tact_build_range* r, const tact_build_range sides[2], size_t left, float unit)
{
    const uint32_t size = (uint32_t)(r->end - r->begin);
    const float one = tact_build_area(r->box.lower, r->box.negated, unit) * tact_build_leaf_cost(size);
    const float two =
        tact_build_area(sides[0].box.lower, sides[0].box.negated, unit) * tact_build_leaf_cost((uint32_t)left) +
        tact_build_area(sides[1].box.lower, sides[1].box.negated, unit) * tact_build_leaf_cost(size - (uint32_t)left);
    return two < one;
}

typedef struct halves {
    tact_build_box centres[2];
} halves;

static halves empty_halves(void)
{
    return (halves){{tact_build_empty_box(), tact_build_empty_box()}};
}

static inline void take_centre(tact_build_box* box, l4 centre)
{
    l4_store(box->lower, l4_min(l4_load(box->lower), centre));
    l4_store(box->negated, l4_min(l4_load(box->negated), l4_negate(centre)));
}

/// Where on the axis of a split a reference lies, by the same arithmetic as that of the bins.
static inline float bin_place(const tact_build_reference* ref, const binning* how, const split* s)
{
    return (ref->lower[s->axis] - ref->negated[s->axis] - how->origin[s->axis]) * how->scale[s->axis];
}

/// Writes references to `left` and `right`, keeping their order. Without a branch, which nobody could foresee. With
/// `one_place` it is a thread's own array, `left` may be where they are read from, and each reference is written to
/// both places, one of them in vain; without, only where it belongs.
static inline void scatter(const tact_build_reference* from, size_t count, const binning* how, const split* s,
                           bool one_place, tact_build_reference* left, tact_build_reference* right, halves* h)
{
    const binning b = *how;
    const split at = *s;
    const l4 most = l4_set(FLT_MAX), bin = l4_set((float)at.bin);
    l4 lower[2] = {most, most}, negated[2] = {most, most};
    tact_build_reference* const place[2] = {left, right};
    size_t used[2] = {0, 0};
    for (size_t i = 0; i < count; ++i) {
        const float where = bin_place(&from[i], &b, &at);
        const bool is_left = where < (float)at.bin;
        const l4 low = l4_load(tact_build_lower(&from[i])), minus_high = l4_load(tact_build_negated(&from[i]));
        const l4 centre = l4_sub(l4_three(low), l4_three(minus_high)), minus = l4_negate(centre), w = l4_set(where);
        lower[0] = l4_min(lower[0], l4_less(w, bin, centre, most));
        lower[1] = l4_min(lower[1], l4_less(w, bin, most, centre));
        negated[0] = l4_min(negated[0], l4_less(w, bin, minus, most));
        negated[1] = l4_min(negated[1], l4_less(w, bin, most, minus));
        if (one_place) {
            float *to = (float*)(void*)(left + i - used[1]), *other = (float*)(void*)(right + used[1]);
            l4_store(to, low);
            l4_store(to + 4, minus_high);
            l4_store(other, low);
            l4_store(other + 4, minus_high);
            used[1] += !is_left;
        } else {
            float* to = (float*)(void*)(place[!is_left] + used[!is_left]++);
            l4_store(to, low);
            l4_store(to + 4, minus_high);
        }
    }
    for (int side = 0; side < 2; ++side) {
        l4_store(h->centres[side].lower, lower[side]);
        l4_store(h->centres[side].negated, negated[side]);
    }
}

typedef struct piece {
    halves sides;
    size_t left, right;  // how many go there; then where the first one goes
} piece;

typedef struct partition_job {
    const tact_build_reference* from;
    tact_build_reference* to;
    const binning* how;
    const split* at;
    piece* pieces;
} partition_job;

static void count_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const partition_job* job = user;
    size_t left = 0;
    for (size_t i = begin; i < end; ++i)
        left += bin_place(&job->from[i], job->how, job->at) < (float)job->at->bin;
    job->pieces[begin / GRAIN].left = left;
    job->pieces[begin / GRAIN].right = end - begin - left;
}

static void scatter_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const partition_job* job = user;
    piece* p = &job->pieces[begin / GRAIN];
    scatter(job->from + begin, end - begin, job->how, job->at, false, job->to + p->left, job->to + p->right, &p->sides);
}

static void partition_by_all(const tact_builder* b, int threads, const tact_build_range* r, const binning* how,
                             const split* s, size_t left, halves* h)
{
    const size_t size = r->end - r->begin, count = (size + GRAIN - 1) / GRAIN;
    partition_job job = {tact_build_place(b, r), (r->aside ? b->references : b->scratch) + r->begin, how, s, b->parts};
    tact_parallel_for(threads, size, GRAIN, count_piece, &job);
    size_t to_left = 0, to_right = left;
    for (size_t i = 0; i < count; ++i) {
        const piece p = job.pieces[i];
        job.pieces[i].left = to_left;
        job.pieces[i].right = to_right;
        to_left += p.left;
        to_right += p.right;
    }
    tact_parallel_for(threads, size, GRAIN, scatter_piece, &job);
    for (size_t i = 0; i < count; ++i) {
        for (int side = 0; side < 2; ++side) {
            const tact_build_box* box = &job.pieces[i].sides.centres[side];
            tact_build_grow(&h->centres[side], box->lower, box->negated);
        }
    }
}

/// Halves by position, where no plane between centres divides.
static void halve(const tact_builder* b, const tact_build_range* r, tact_build_range sides[2])
{
    const tact_build_reference* from = tact_build_place(b, r);
    const size_t size = r->end - r->begin;
    for (size_t i = 0; i < size; ++i) {
        tact_build_range* side = &sides[i >= size / 2];
        tact_build_grow(&side->box, tact_build_lower(&from[i]), tact_build_negated(&from[i]));
        take_centre(&side->centres, l4_centre(tact_build_lower(&from[i]), tact_build_negated(&from[i])));
    }
    sides[0].end = r->begin + size / 2;
}

static uint32_t log2_ceil(size_t n)
{
    uint32_t bits = 0;
    while (((size_t)1 << bits) < n)
        ++bits;
    return bits;
}

bool tact_build_divide(const tact_builder* b, bool by_all, const tact_build_range* r, tact_build_range sides[2])
{
    const size_t size = r->end - r->begin;
    if (size <= 1) return false;
    // Near the depth limit only halving is sure to stay within it.
    split s = {0.0f, -1, 0};
    bins all;
    const binning how = binning_of(r);
    const bool may_choose = r->depth + log2_ceil(size) < b->desc.max_depth;
    const int threads = by_all && size > GRAIN ? b->threads : 1;
    const float unit = tact_build_unit(&r->box);
    if (may_choose) {
        gather_bins(b, threads, r, &how, &all);
        s = find_split(&all, &how, unit);
    }
    sides[0] = sides[1] = (tact_build_range){.box = tact_build_empty_box(),
                                             .centres = tact_build_empty_box(),
                                             .begin = r->begin,
                                             .end = r->end,
                                             .depth = r->depth + 1,
                                             .aside = r->aside};
    if (s.axis < 0) {
        if (size <= b->desc.max_leaf) return false;
        halve(b, r, sides);
    } else {
        const size_t left = measure_sides(&all, &how, &s, sides);
        if (size <= b->desc.max_leaf && !pays(r, sides, left, unit)) return false;
        sides[0].end = r->begin + left;
        halves h = empty_halves();
        if (by_all) {
            partition_by_all(b, threads, r, &how, &s, left, &h);
            sides[0].aside = sides[1].aside = !r->aside;
        } else {
            tact_build_reference *from = b->references + r->begin, *rest = b->scratch + r->begin;
            scatter(from, size, &how, &s, true, from, rest, &h);
            memcpy(from + left, rest, (size - left) * sizeof *rest);
        }
        sides[0].centres = h.centres[0];
        sides[1].centres = h.centres[1];
    }
    sides[1].begin = sides[0].end;
    sides[0].pair = r->pair + 1;
    sides[1].pair = r->pair + (uint32_t)(sides[0].end - sides[0].begin);
    return true;
}

size_t tact_build_parts_size(int threads, size_t count)
{
    const size_t a = (size_t)threads * sizeof(bins), b = (count / GRAIN + 1) * sizeof(piece);
    return a > b ? a : b;
}
