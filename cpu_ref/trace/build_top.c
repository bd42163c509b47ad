// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "base/parallel.h"
#include "cpu_ref/trace/build_bins.h"

// The ranges near the root, which are divided level by level: all threads go through pieces of all of a level's ranges,
// once for bins and once to take references where they belong. Two loops a level wake threads less often than two for
// each range, and ranges of one level need not be equally large.

enum { GRAIN = TACT_BUILD_GRAIN };

/// Part of a range: first its bins, then where its references go.
typedef struct piece {
    size_t top;         ///< of which range
    size_t begin, end;  ///< references
    size_t left, right;
    tact_build_halves sides;
    tact_build_bins bins;
} piece;

/// What is known of a range that is divided in this level.
typedef struct division {
    size_t top, first, end;  ///< its pieces
    tact_build_binning how;
    tact_build_split at;
    tact_build_range sides[2];
} division;

typedef struct level {
    tact_builder* b;
    const tact_build_split_table* table;
    tact_build_reference* scratch;
    piece* pieces;
    division* divisions;
    size_t piece_count, division_count;
} level;

bool tact_build_add_sides(tact_builder* b, size_t of, const tact_build_range sides[2])
{
    TACT_ASSERT(of < b->top_count);
    TACT_ASSERT(sides[0].begin < sides[0].end && sides[0].end == sides[1].begin && sides[1].begin < sides[1].end);
    TACT_ASSERT(sides[0].begin == b->top[of].range.begin && sides[1].end == b->top[of].range.end);
    TACT_ASSERT(sides[0].node % 2 == 0 && sides[1].node == sides[0].node + 1);
    void* top = b->top;
    const bool good = tact_reserve(b->env, &top, &b->top_capacity, b->top_count, b->top_count + 2, sizeof *b->top);
    b->top = top;
    if (!good) return false;
    b->top[of].sides = (uint32_t)b->top_count;
    for (int side = 0; side < 2; ++side)
        b->top[b->top_count++] = (tact_build_top){.range = sides[side]};
    return true;
}

static tact_build_reference* place_of(const level* l, bool aside)
{
    return aside ? l->scratch : l->b->references;
}

/// Cuts the ranges of a level into pieces.
static void start_level(level* l, size_t begin, size_t end)
{
    TACT_ASSERT(begin <= end && end <= l->b->top_count);
    l->piece_count = l->division_count = 0;
    for (size_t i = begin; i < end; ++i) {
        const tact_build_range* r = &l->b->top[i].range;
        if (r->end - r->begin <= l->b->task_size) continue;
        division* d = &l->divisions[l->division_count];
        *d = (division){.top = i, .first = l->piece_count, .how = tact_build_binning_of(r), .at = {0.0f, -1, 0}};
        for (size_t at = r->begin; at < r->end; at += GRAIN) {
            piece* p = &l->pieces[l->piece_count++];
            p->top = l->division_count;
            p->begin = at;
            p->end = r->end - at > GRAIN ? at + GRAIN : r->end;
        }
        d->end = l->piece_count;
        ++l->division_count;
    }
}

static void fill_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const level* l = user;
    for (size_t i = begin; i < end; ++i) {
        piece* p = &l->pieces[i];
        const division* d = &l->divisions[p->top];
        TACT_ASSERT(p->top < l->division_count && i >= d->first && i < d->end);
        const tact_build_reference* from = place_of(l, l->b->top[d->top].range.aside);
        tact_build_clear_bins(&p->bins, d->how.bins);
        l->table->fill(from + p->begin, p->end - p->begin, &d->how, &p->bins);
    }
}

/// Where each piece's references go, from how many of them its bins hold.
static void place_pieces(const level* l, const division* d, size_t begin, size_t left)
{
    size_t to_left = begin, to_right = begin + left;
    TACT_ASSERT(d->first < d->end && d->end <= l->piece_count);
    for (size_t i = d->first; i < d->end; ++i) {
        piece* p = &l->pieces[i];
        size_t of_left = 0;
        for (uint32_t bin = 0; bin < d->at.bin; ++bin)
            of_left += tact_build_bin_count(&p->bins, d->at.axis, bin);
        p->left = to_left;
        p->right = to_right;
        to_left += of_left;
        to_right += p->end - p->begin - of_left;
    }
}

static void choose(const level* l, division* d)
{
    const tact_build_range* r = &l->b->top[d->top].range;
    if (tact_build_may_choose(l->b, r)) {
        tact_build_bins all;
        tact_build_clear_bins(&all, d->how.bins);
        for (size_t i = d->first; i < d->end; ++i)
            tact_build_merge_bins(&all, &l->pieces[i].bins, d->how.bins);
        d->at = tact_build_find_split(&all, &d->how, tact_build_unit(&r->box));
        if (d->at.axis >= 0) {
            tact_build_box boxes[2];
            const size_t left = tact_build_measure_sides(&all, &d->how, &d->at, boxes);
            TACT_ASSERT(left > 0 && left < r->end - r->begin);
            tact_build_part_sides(r, left, d->sides);
            for (int side = 0; side < 2; ++side) {
                d->sides[side].box = boxes[side];
                d->sides[side].centres = tact_build_empty_box();
            }
            place_pieces(l, d, r->begin, left);
            d->sides[0].aside = d->sides[1].aside = !r->aside;
            return;
        }
    }
    tact_build_halve(place_of(l, r->aside) + r->begin, r, d->sides);
}

static void scatter_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const level* l = user;
    for (size_t i = begin; i < end; ++i) {
        piece* p = &l->pieces[i];
        const division* d = &l->divisions[p->top];
        if (d->at.axis < 0) continue;
        const bool aside = l->b->top[d->top].range.aside;
        tact_build_reference* to = place_of(l, !aside);
        TACT_ASSERT(p->left <= p->right && p->right <= l->b->count);
        l->table->scatter(place_of(l, aside) + p->begin, p->end - p->begin, &d->how, &d->at, to, p->left, p->right,
                          &p->sides);
    }
}

static bool finish_level(level* l)
{
    for (size_t i = 0; i < l->division_count; ++i) {
        division* d = &l->divisions[i];
        for (size_t k = d->first; k < d->end && d->at.axis >= 0; ++k) {
            for (int side = 0; side < 2; ++side) {
                const tact_build_box* box = &l->pieces[k].sides.centres[side];
                tact_build_grow(&d->sides[side].centres, box->lower, box->negated);
            }
        }
        if (!tact_build_add_sides(l->b, d->top, d->sides)) return false;
    }
    return true;
}

static void fetch(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const level* l = user;
    TACT_ASSERT(end <= l->b->top_count);
    for (size_t i = begin; i < end; ++i) {
        tact_build_top* top = &l->b->top[i];
        if (top->sides || !top->range.aside) continue;
        memcpy(l->b->references + top->range.begin, l->scratch + top->range.begin,
               (top->range.end - top->range.begin) * sizeof *l->scratch);
        top->range.aside = false;
    }
}

bool tact_build_divide_top(tact_builder* b)
{
    TACT_ASSERT(b->top_count == 1 && b->task_size >= TACT_BUILD_TASK_SIZE);
    if (b->count <= b->task_size) return true;
    // The nodes' memory is free for now: two nodes for each reference, and as large.
    level l = {.b = b, .table = tact_build_splits(), .scratch = (tact_build_reference*)(void*)b->nodes};
    const size_t divisions = b->count / b->task_size + 1;  // ranges that are larger than tasks
    l.pieces = tact_allocate(b->env, b->count / GRAIN + divisions, sizeof *l.pieces);
    l.divisions = tact_allocate(b->env, divisions, sizeof *l.divisions);
    bool good = l.pieces && l.divisions;
    for (size_t begin = 0; good && begin < b->top_count;) {
        const size_t end = b->top_count;
        start_level(&l, begin, end);
        tact_parallel_for(b->threads, l.piece_count, 1, fill_piece, &l);
        for (size_t i = 0; i < l.division_count; ++i)
            choose(&l, &l.divisions[i]);
        tact_parallel_for(b->threads, l.piece_count, 1, scatter_piece, &l);
        good = finish_level(&l);
        begin = end;
    }
    if (good) tact_parallel_for(b->threads, b->top_count, 1, fetch, &l);
    tact_release(b->env, l.pieces);
    tact_release(b->env, l.divisions);
    return good;
}

typedef struct subtrees {
    tact_builder* b;
    tact_build_subtree_fn* make;
    void* user;
} subtrees;

static void make_subtrees(size_t begin, size_t end, int worker, void* user)
{
    const subtrees* s = user;
    for (size_t i = begin; i < end; ++i) {
        tact_build_top* top = &s->b->top[i];
        if (!top->sides) s->make(s->b, &top->range, worker, s->user, &top->costs);
    }
}

void tact_build_join(const tact_builder* b, uint32_t node)
{
    TACT_ASSERT(node < 2 * b->count + 2 && b->nodes[node].first + 1 < 2 * b->count + 2);
    tact_build_node* n = &b->nodes[node];
    const tact_build_node *x = &b->nodes[n->first], *y = x + 1;
    for (int k = 0; k < 3; ++k) {
        n->lower[k] = x->lower[k] < y->lower[k] ? x->lower[k] : y->lower[k];
        n->negated[k] = x->negated[k] < y->negated[k] ? x->negated[k] : y->negated[k];
    }
}

void tact_build_subtrees(tact_builder* b, tact_build_subtree_fn* make, void* user)
{
    subtrees s = {b, make, user};
    tact_parallel_for(b->threads, b->top_count, 1, make_subtrees, &s);
    for (size_t i = b->top_count; i-- > 0;) {
        tact_build_top* top = &b->top[i];
        if (!top->sides) continue;
        TACT_ASSERT(top->sides > i && top->sides + 1 < b->top_count);
        tact_build_node* node = &b->nodes[top->range.node];
        node->first = 2 * top->range.pair;
        node->count = (uint32_t)(top->range.end - top->range.begin);
        tact_build_join(b, top->range.node);
        tact_build_plan(b, top->range.node, &b->top[top->sides].costs, &b->top[top->sides + 1].costs, &top->costs);
    }
}
