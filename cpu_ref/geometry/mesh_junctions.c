// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// T-junctions: sides of one triangle are split where boundary vertices lie on them. What was a side on one side of a
// crack and several on the other then has the same edges on both, so that it is closed. The sides that a split makes
// are shorter than what they come of, so that splitting ends.

#include <string.h>

#include "cpu_ref/geometry/mesh_mend_internal.h"
#include "cpu_ref/geometry/predicates_internal.h"
#include "cpu_ref/geometry/vec.h"

enum { MOST_ROUNDS = 16, MOST_ON_A_SIDE = 64, SPLITS_PER_SIDE = 16 };

typedef struct on_side {
    double along;
    uint32_t vertex;
} on_side;

typedef struct junctions {
    tact_mend* mend;
    tact_mesh_sides sides;
    uint32_t* across;
    uint32_t* tree;  // boundary vertices: a k-d tree, of each range the middle one is its root
    size_t tree_size;
    on_side found[MOST_ON_A_SIDE];
    size_t found_count;
    size_t budget;  // splits that may still be made
    size_t split;   // sides split in this round
} junctions;

// ---- The tree ----

static float coordinate(const junctions* j, uint32_t vertex, int axis)
{
    const tact_vec3 p = j->mend->positions[vertex];
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static bool before(const junctions* j, uint32_t a, uint32_t b, int axis)
{
    const float p = coordinate(j, a, axis), q = coordinate(j, b, axis);
    return p < q || (p == q && a < b);
}

/// Puts the vertex that belongs in the middle of tree[low .. high] there, with what is before it on its left.
static void put_median(junctions* j, ptrdiff_t low, ptrdiff_t high, int axis)
{
    const ptrdiff_t middle = (low + high) / 2;
    uint32_t mixed = 1;
    while (low < high) {
        mixed = mixed * 1664525u + 1013904223u;
        const uint32_t pivot = j->tree[low + (ptrdiff_t)((mixed >> 8) % (uint64_t)(high - low + 1))];
        ptrdiff_t i = low, k = high;
        while (i <= k) {
            while (before(j, j->tree[i], pivot, axis))
                ++i;
            while (before(j, pivot, j->tree[k], axis))
                --k;
            if (i > k) break;
            const uint32_t other = j->tree[i];
            j->tree[i++] = j->tree[k];
            j->tree[k--] = other;
        }
        if (middle <= k) {
            high = k;
        } else if (middle >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static void make_tree(junctions* j, ptrdiff_t low, ptrdiff_t high, int axis)
{
    if (low >= high) return;
    const ptrdiff_t middle = (low + high) / 2;
    put_median(j, low, high, axis);
    make_tree(j, low, middle - 1, (axis + 1) % 3);
    make_tree(j, middle + 1, high, (axis + 1) % 3);
}

// ---- Vertices on a side ----

static uint64_t key_of(const junctions* j, uint32_t a, uint32_t b)
{
    return (uint64_t)(a < b ? a : b) * j->mend->vertex_count + (a < b ? b : a);
}

/// How many triangles had the edge at the beginning of the round: 2 stands for more too.
static int triangles_at(const junctions* j, uint32_t a, uint32_t b)
{
    const uint64_t key = key_of(j, a, b);
    size_t low = 0, high = j->sides.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (j->sides.keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    int count = 0;
    while (count < 2 && low < j->sides.count && j->sides.keys[low++] == key)
        ++count;
    return count;
}

/// The vertex is within the tolerance of the side from `t[0]` to `t[1]` and between its ends.
static bool lies_on(const junctions* j, const uint32_t t[3], uint32_t vertex, double* along)
{
    if (vertex == t[0] || vertex == t[1] || vertex == t[2]) return false;
    const tact_vec3* p = j->mend->positions;
    const double tolerance = (double)j->mend->options.tolerance;
    const dvec a = d_from(p[t[0]]), b = d_from(p[t[1]]), v = d_from(p[vertex]);
    const dvec side = d_sub(b, a), from = d_sub(v, a), to = d_sub(b, v);
    const double square = d_dot(side, side);
    *along = d_dot(from, side);
    if (!(*along > 0.0 && *along < square)) return false;
    if (tolerance == 0.0) return tact_collinear(p[t[0]], p[t[1]], p[vertex]);
    const dvec area = d_cross(from, side);
    return d_dot(area, area) <= tolerance * tolerance * square && d_dot(from, from) < square && d_dot(to, to) < square;
}

/// In order along the side, then of numbers.
static void add_found(junctions* j, double along, uint32_t vertex)
{
    size_t at = j->found_count++;
    for (; at > 0; --at) {
        const on_side o = j->found[at - 1];
        if (o.along < along || (o.along == along && o.vertex < vertex)) break;
        j->found[at] = o;
    }
    j->found[at] = (on_side){along, vertex};
}

typedef struct range {
    double low[3], high[3];
} range;

static void look_for(junctions* j, const uint32_t t[3], const range* box, ptrdiff_t low, ptrdiff_t high, int axis)
{
    if (low > high || j->found_count == MOST_ON_A_SIDE) return;
    const ptrdiff_t middle = (low + high) / 2;
    const uint32_t vertex = j->tree[middle];
    const double at = (double)coordinate(j, vertex, axis);
    if (at >= box->low[axis]) look_for(j, t, box, low, middle - 1, (axis + 1) % 3);
    double along;
    if (j->found_count < MOST_ON_A_SIDE && lies_on(j, t, vertex, &along) && triangles_at(j, vertex, t[2]) == 0) {
        add_found(j, along, vertex);
    }
    if (at <= box->high[axis]) look_for(j, t, box, middle + 1, high, (axis + 1) % 3);
}

/// Takes out what would give an edge more than two triangles.
static void drop_crowded(junctions* j, const uint32_t t[3])
{
    size_t kept = 0;
    for (size_t i = 0; i < j->found_count; ++i) {
        const uint32_t last = kept ? j->found[kept - 1].vertex : t[0];
        if (triangles_at(j, last, j->found[i].vertex) < 2) j->found[kept++] = j->found[i];
    }
    while (kept && triangles_at(j, j->found[kept - 1].vertex, t[1]) == 2)
        --kept;
    j->found_count = kept;
}

static void find_on_side(junctions* j, const uint32_t t[3])
{
    range box;
    const double tolerance = (double)j->mend->options.tolerance;
    for (int k = 0; k < 3; ++k) {
        const double a = (double)coordinate(j, t[0], k), b = (double)coordinate(j, t[1], k);
        box.low[k] = (a < b ? a : b) - tolerance;
        box.high[k] = (a > b ? a : b) + tolerance;
    }
    j->found_count = 0;
    look_for(j, t, &box, 0, (ptrdiff_t)j->tree_size - 1, 0);
    drop_crowded(j, t);
    if (j->found_count > j->budget) j->found_count = 0;
}

// ---- Rounds ----

/// Splits the first side of the triangle that has something on it; the others come in the next round.
static tact_result split_triangle(junctions* j, size_t triangle)
{
    tact_mend* mend = j->mend;
    for (uint32_t k = 0; k < 3; ++k) {
        if (j->across[3 * triangle + k] != TACT_MESH_BOUNDARY) continue;
        const uint32_t* corners = mend->corners + 3 * triangle;
        const uint32_t t[3] = {corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]};
        find_on_side(j, t);
        if (j->found_count == 0) continue;
        if (!tact_mend_reserve(mend, j->found_count)) return TACT_ERROR_OUT_OF_MEMORY;
        uint32_t* first = mend->corners + 3 * triangle;
        first[0] = t[0];
        first[1] = j->found[0].vertex;
        first[2] = t[2];
        for (size_t i = 0; i < j->found_count; ++i) {
            const uint32_t end = i + 1 < j->found_count ? j->found[i + 1].vertex : t[1];
            tact_mend_add(mend, j->found[i].vertex, end, t[2]);
        }
        j->budget -= j->found_count;
        mend->report->split_triangles += j->found_count;
        ++j->split;
        break;
    }
    return TACT_OK;
}

/// Finds the boundary. `across` and `tree` are made anew.
static tact_result begin_round(junctions* j, size_t* boundary)
{
    tact_mend* mend = j->mend;
    const tact_result result =
        tact_mesh_sides_begin(&j->sides, mend->env, mend->corners, mend->count, mend->vertex_count);
    if (result < 0) return result;
    j->across = tact_allocate(mend->env, mend->count, 3 * sizeof *j->across);
    uint8_t* on_boundary = tact_allocate_zeroed(mend->env, mend->vertex_count, 1);
    if (!j->across || !on_boundary) {
        tact_release(mend->env, on_boundary);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_mesh_link(&j->sides, j->across);
    *boundary = 0;
    for (uint32_t side = 0; side < 3 * mend->count; ++side) {
        if (j->across[side] != TACT_MESH_BOUNDARY) continue;
        on_boundary[mend->corners[side]] = on_boundary[mend->corners[tact_mesh_next_side(side)]] = 1;
        ++*boundary;
    }
    j->tree_size = 0;
    for (size_t v = 0; v < mend->vertex_count; ++v)
        j->tree_size += on_boundary[v];
    j->tree = tact_allocate(mend->env, j->tree_size, sizeof *j->tree);
    size_t next = 0;
    for (size_t v = 0; j->tree && v < mend->vertex_count; ++v) {
        if (on_boundary[v]) j->tree[next++] = (uint32_t)v;
    }
    tact_release(mend->env, on_boundary);
    if (!j->tree) return TACT_ERROR_OUT_OF_MEMORY;
    make_tree(j, 0, (ptrdiff_t)j->tree_size - 1, 0);
    return TACT_OK;
}

static void end_round(junctions* j)
{
    tact_mesh_sides_end(&j->sides, j->mend->env);
    tact_release(j->mend->env, j->across);
    tact_release(j->mend->env, j->tree);
    memset(&j->sides, 0, sizeof j->sides);
    j->across = j->tree = NULL;
}

tact_result tact_mend_junctions(tact_mend* mend)
{
    junctions j = {.mend = mend, .split = 1};
    tact_result result = TACT_OK;
    for (int round = 0; round < MOST_ROUNDS && j.split && result >= 0; ++round) {
        size_t boundary = 0;
        result = begin_round(&j, &boundary);
        if (round == 0) j.budget = SPLITS_PER_SIDE * boundary;
        j.split = 0;
        const size_t count = mend->count;
        for (size_t i = 0; result >= 0 && boundary && i < count; ++i)
            result = split_triangle(&j, i);
        mend->report->split_sides += j.split;
        end_round(&j);
    }
    return result;
}
