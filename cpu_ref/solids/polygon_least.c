// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <string.h>

#include "cpu_ref/solids/polygon_internal.h"

/// The least number of convex parts by dynamic programming over diagonals (Keil 1985; Keil and Snoeyink 2002). Vertices
/// are numbered counter-clockwise, and the pair i, k stands for what is between the edges from i to k and the diagonal
/// of both. Its part at that diagonal has a vertex after i and one before k. Of the divisions with the fewest diagonals
/// all that matters is how narrow the part is at both ends: narrower at one is wider at the other, or it is not kept.
/// A division with one diagonal more than the least is never of use, for cutting the part off at its diagonal is as
/// cheap. Parts are put together of triangles with an area, so straight corners are none that need more.

#define NEVER INT32_MAX

enum { NO_PART = 0xffff };

/// The part at a diagonal: the triangle with the vertex `via` and what is beyond its sides to i and to k: the choice of
/// that pair, or NO_PART, where the part ends.
typedef struct choice {
    uint16_t first, last, via, left, right;
} choice;

typedef struct pair {
    int32_t diagonals;  ///< needed, its own not counted, or NEVER
    uint32_t begin, count;
} pair;

typedef struct work {
    const tact_polygon_area* area;
    uint32_t count;
    uint32_t* point;  ///< of each vertex
    uint8_t* convex;  ///< of each vertex: not reflex
    pair* pairs;      ///< count * count
    choice* choices;  ///< of all pairs that are done; first and last vertices ascend within one
    choice* current;  ///< of the pair at hand
    size_t used, room;
    uint32_t current_count;
    int32_t diagonals;
} work;

static pair* pair_of(const work* w, uint32_t i, uint32_t k)
{
    return &w->pairs[(size_t)i * w->count + k];
}

static int turn(const work* w, uint32_t a, uint32_t b, uint32_t c)
{
    return tact_area_turn(w->area, w->point[a], w->point[b], w->point[c]);
}

// ---- Diagonals ----

/// The way to another vertex begins inside of the polygon.
static bool begins_inside(const work* w, uint32_t i, uint32_t k)
{
    const uint32_t before = i ? i - 1 : w->count - 1, after = i + 1 < w->count ? i + 1 : 0;
    if (turn(w, before, i, after) >= 0) return turn(w, i, k, before) > 0 && turn(w, k, i, after) > 0;
    return !(turn(w, i, k, after) >= 0 && turn(w, k, i, before) >= 0);
}

static bool is_diagonal(const work* w, uint32_t i, uint32_t k)
{
    if (i == 0 && k + 1 == w->count) return true;
    return begins_inside(w, i, k) && tact_planar_sees(&w->area->planar, w->point[i], w->point[k]);
}

// ---- Pairs ----

static void consider(work* w, int32_t diagonals, choice c)
{
    if (diagonals > w->diagonals) return;
    if (diagonals < w->diagonals) {
        w->diagonals = diagonals;
        w->current_count = 0;
    }
    uint32_t kept = 0, at = 0;
    for (uint32_t i = 0; i < w->current_count; ++i) {
        const choice other = w->current[i];
        if (other.first >= c.first && other.last <= c.last) return;
        if (other.first <= c.first && other.last >= c.last) continue;
        if (other.first < c.first) at = kept + 1;
        w->current[kept++] = other;
    }
    memmove(w->current + at + 1, w->current + at, (kept - at) * sizeof c);
    w->current[at] = c;
    w->current_count = kept + 1;
}

/// The pairs of a triangle's sides; one that is an edge has no choices.
typedef struct triangle {
    uint32_t i, j, k;
    const choice *left, *right;
    uint32_t left_count, right_count;
    int32_t diagonals;  ///< of both
} triangle;

/// False where a side is neither an edge nor a diagonal.
static bool look_at(const work* w, triangle* t)
{
    static const pair edge = {0, 0, 0};
    const pair* left = t->j == t->i + 1 ? &edge : pair_of(w, t->i, t->j);
    const pair* right = t->k == t->j + 1 ? &edge : pair_of(w, t->j, t->k);
    if (left->diagonals == NEVER || right->diagonals == NEVER) return false;
    t->left = w->choices + left->begin;
    t->right = w->choices + right->begin;
    t->left_count = left->count;
    t->right_count = right->count;
    t->diagonals = left->diagonals + right->diagonals;
    return true;
}

/// The part goes on beyond both sides. A left choice that is narrower at i is wider at j, so the right one moves on
/// with it.
static void grow_both(work* w, const triangle* t)
{
    uint32_t right = 0;
    for (uint32_t left = 0; left < t->left_count; ++left) {
        const choice* l = &t->left[left];
        if (turn(w, t->k, t->i, l->first) < 0) continue;
        while (right < t->right_count && turn(w, l->last, t->j, t->right[right].first) < 0)
            ++right;
        if (right == t->right_count || turn(w, t->right[right].last, t->k, t->i) < 0) return;
        consider(w, t->diagonals,
                 (choice){l->first, t->right[right].last, (uint16_t)t->j, (uint16_t)left, (uint16_t)right});
    }
}

/// The part goes on beyond the left side alone.
static void grow_left(work* w, const triangle* t)
{
    uint32_t fits = 0;
    while (fits < t->left_count && turn(w, t->left[fits].last, t->j, t->k) >= 0)
        ++fits;
    if (fits == 0 || turn(w, t->k, t->i, t->left[fits - 1].first) < 0) return;
    const uint16_t j = (uint16_t)t->j;
    consider(w, t->diagonals + (t->k > t->j + 1),
             (choice){t->left[fits - 1].first, j, j, (uint16_t)(fits - 1), NO_PART});
}

/// The part goes on beyond the right side alone.
static void grow_right(work* w, const triangle* t)
{
    uint32_t fits = t->right_count;
    while (fits > 0 && turn(w, t->i, t->j, t->right[fits - 1].first) >= 0)
        --fits;
    if (fits == t->right_count || turn(w, t->right[fits].last, t->k, t->i) < 0) return;
    const uint16_t j = (uint16_t)t->j;
    consider(w, t->diagonals + (t->j > t->i + 1), (choice){j, t->right[fits].last, j, NO_PART, (uint16_t)fits});
}

static void find_choices(work* w, uint32_t i, uint32_t k)
{
    w->diagonals = NEVER;
    w->current_count = 0;
    for (uint32_t j = i + 1; j < k; ++j) {
        triangle t = {.i = i, .j = j, .k = k};
        if (!look_at(w, &t) || t.diagonals > w->diagonals || turn(w, i, j, k) <= 0) continue;
        grow_both(w, &t);
        grow_left(w, &t);
        grow_right(w, &t);
        const uint16_t via = (uint16_t)j;
        consider(w, t.diagonals + (j > i + 1) + (k > j + 1), (choice){via, via, via, NO_PART, NO_PART});
    }
}

static tact_result fill_pair(work* w, uint32_t i, uint32_t k)
{
    pair* p = pair_of(w, i, k);
    *p = (pair){NEVER, (uint32_t)w->used, 0};
    if (!is_diagonal(w, i, k)) return TACT_OK;
    find_choices(w, i, k);
    if (!tact_reserve(w->area->env, (void**)&w->choices, &w->room, w->used, w->used + w->current_count,
                      sizeof *w->choices)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    p->diagonals = w->diagonals;
    p->count = w->current_count;
    memcpy(w->choices + w->used, w->current, w->current_count * sizeof *w->current);
    w->used += w->current_count;
    return TACT_OK;
}

static tact_result fill_pairs(work* w)
{
    tact_result result = TACT_OK;
    for (uint32_t gap = 2; gap < w->count; ++gap) {
        for (uint32_t i = 0; i + gap < w->count && result >= 0; ++i)
            result = fill_pair(w, i, i + gap);
    }
    return result;
}

// ---- The parts ----

/// Diagonals whose parts are still to be written, two vertices each.
typedef struct put_off_list {
    uint16_t (*diagonal)[2];
    size_t count;
} put_off_list;

static void put_off(put_off_list* t, uint32_t i, uint32_t k)
{
    if (k == i + 1) return;
    t->diagonal[t->count][0] = (uint16_t)i;
    t->diagonal[t->count++][1] = (uint16_t)k;
}

/// A side of a part, or, with a choice, what takes its place.
typedef struct span {
    uint16_t i, k, choice;
} span;

/// Writes the corners of the part at a diagonal to `line`; `stack` has room for as many spans as there are vertices.
/// Returns how many.
static uint32_t write_part(const work* w, uint32_t i, uint32_t k, put_off_list* t, span* stack, uint32_t* line)
{
    uint32_t count = 0, depth = 0;
    stack[depth++] = (span){(uint16_t)i, (uint16_t)k, 0};
    while (depth > 0) {
        const span at = stack[--depth];
        if (at.choice == NO_PART) {
            put_off(t, at.i, at.k);
            line[count++] = at.i;
            continue;
        }
        const choice c = w->choices[pair_of(w, at.i, at.k)->begin + at.choice];
        stack[depth++] = (span){c.via, at.k, c.right};
        stack[depth++] = (span){at.i, c.via, c.left};
    }
    line[count++] = k;
    return count;
}

static tact_result write_parts(const work* w, tact_polygon_parts* to)
{
    tact_env* env = w->area->env;
    const size_t parts = (size_t)pair_of(w, 0, w->count - 1)->diagonals + 1;
    put_off_list t = {.diagonal = tact_allocate(env, w->count, sizeof *t.diagonal)};
    span* stack = tact_allocate(env, w->count, sizeof *stack);
    uint32_t* line = tact_allocate(env, w->count, sizeof *line);
    tact_result result = t.diagonal && stack && line ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    // Each diagonal is an edge of two parts.
    if (result >= 0) result = tact_area_parts(w->area, parts, w->count + 2 * (parts - 1), to);
    if (result >= 0) {
        uint32_t used = 0;
        size_t part = 0;
        put_off(&t, 0, w->count - 1);
        while (t.count > 0) {
            const uint16_t* diagonal = t.diagonal[--t.count];
            const uint32_t corners = write_part(w, diagonal[0], diagonal[1], &t, stack, line);
            TACT_ASSERT(part < parts);
            to->start[part++] = used;
            for (uint32_t c = 0; c < corners; ++c)
                to->corners[used++] = w->point[line[c]] - TACT_AREA_FRAME;
        }
        TACT_ASSERT(part == parts && used == w->count + 2 * (parts - 1));
        to->start[part] = used;
    }
    tact_release(env, t.diagonal);
    tact_release(env, stack);
    tact_release(env, line);
    return result;
}

/// Numbers the vertices counter-clockwise.
static void number_vertices(work* w)
{
    const tact_polygon_area* a = w->area;
    size_t t = 0;
    while (!a->inside[t])
        ++t;
    for (uint32_t i = 0; i < w->count; ++i)
        w->point[i] = TACT_AREA_FRAME + (a->winding[t] > 0 ? i : w->count - 1 - i);
}

tact_result tact_area_least(const tact_polygon_area* area, tact_polygon_parts* to)
{
    tact_env* env = area->env;
    work w = {.area = area, .count = (uint32_t)area->polygon->vertex_count};
    w.point = tact_allocate(env, w.count, sizeof *w.point);
    w.pairs = tact_allocate(env, (size_t)w.count * w.count, sizeof *w.pairs);
    w.current = tact_allocate(env, w.count, sizeof *w.current);
    tact_result result = w.point && w.pairs && w.current ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result >= 0) {
        number_vertices(&w);
        result = fill_pairs(&w);
    }
    if (result >= 0) result = write_parts(&w, to);
    void* const arrays[] = {w.point, w.pairs, w.choices, w.current};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        tact_release(env, arrays[i]);
    return result;
}
