// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Holes: loops of boundary edges, filled with triangles between their vertices. The triangulation with the least area
// is found by trying, for each pair of vertices, each third one (Barequet and Sharir 1995; Liepa 2003), with one more
// rule: no triangle may have an edge that the mesh has elsewhere, which would then have more than two triangles.

#include <string.h>

#include "cpu_ref/geometry/mesh_mend_internal.h"
#include "cpu_ref/geometry/vec.h"

#define NONE 0xffffffffu

enum { MOST = TACT_MESH_LEAST_AREA_EDGES };

/// What a triangulation costs: slivers first, then area.
typedef struct cost {
    double area;
    uint32_t slivers;  // NONE: there is no triangulation
    uint32_t third;    // of the triangle at the chord
} cost;

typedef struct filling {
    tact_mend* mend;
    uint32_t* across;
    uint64_t* edges;  // a table of those of the mesh, and of chords tried: 0 where there is none
    size_t mask;
    uint8_t* visited;   // of each side
    uint32_t* place;    // of each vertex: where it is in the loop, or NONE
    uint32_t* loop;     // vertices
    uint32_t* sides;    // of the mesh, from each vertex of the loop to the next
    uint32_t* walk;     // sides of the boundary, one after the other
    uint32_t* polygon;  // the loop, or what is left of it
    cost* costs;        // MOST x MOST
} filling;

// ---- Edges ----

static size_t slot_of(const filling* f, uint32_t a, uint32_t b, uint64_t* key)
{
    *key = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    uint64_t hash = *key * UINT64_C(0x9e3779b97f4a7c15);
    size_t slot = (size_t)(hash ^ hash >> 32) & f->mask;
    while (f->edges[slot] && f->edges[slot] != *key)
        slot = (slot + 1) & f->mask;
    return slot;
}

static bool has_edge(const filling* f, uint32_t a, uint32_t b)
{
    uint64_t key;
    return f->edges[slot_of(f, a, b, &key)] != 0;
}

static void add_edge(const filling* f, uint32_t a, uint32_t b)
{
    uint64_t key;
    const size_t slot = slot_of(f, a, b, &key);
    f->edges[slot] = key;
}

// ---- The least area ----

static bool cheaper(const cost* a, const cost* b)
{
    return a->slivers < b->slivers || (a->slivers == b->slivers && a->area < b->area);
}

/// A sliver is lower than a millionth of its longest side.
static cost triangle_cost(const filling* f, uint32_t a, uint32_t b, uint32_t c)
{
    const tact_vec3* p = f->mend->positions;
    const dvec u = d_sub(d_from(p[b]), d_from(p[a])), v = d_sub(d_from(p[c]), d_from(p[a])), w = d_sub(v, u);
    const dvec n = d_cross(u, v);
    const double square = d_dot(n, n), uu = d_dot(u, u), vv = d_dot(v, v), ww = d_dot(w, w);
    const double uv = uu > vv ? uu : vv, longest = uv > ww ? uv : ww;
    return (cost){.area = 0.5 * d_length(n), .slivers = square <= 1e-12 * longest * longest};
}

/// Of the polygon's part from corner `i` to corner `j`: `out` receives what its best triangulation costs.
static void weigh(const filling* f, size_t count, size_t i, size_t j)
{
    cost best = {.slivers = NONE};
    const bool chord = j - i + 1 < count;
    if (!chord || !has_edge(f, f->polygon[i], f->polygon[j])) {
        for (size_t k = i + 1; k < j; ++k) {
            const cost* left = &f->costs[i * MOST + k];
            const cost* right = &f->costs[k * MOST + j];
            if (left->slivers == NONE || right->slivers == NONE) continue;
            cost c = triangle_cost(f, f->polygon[i], f->polygon[k], f->polygon[j]);
            c.area += left->area + right->area;
            c.slivers += left->slivers + right->slivers;
            c.third = (uint32_t)k;
            if (cheaper(&c, &best)) best = c;
        }
    }
    f->costs[i * MOST + j] = best;
}

/// Adds the triangles at the chord from `i` to `j` and beyond. They face as the mesh does, so they pass the loop
/// backwards.
static void add_triangles(const filling* f, size_t count, size_t i, size_t j)
{
    if (j - i < 2) return;
    const size_t k = f->costs[i * MOST + j].third;
    tact_mend_add(f->mend, f->polygon[i], f->polygon[j], f->polygon[k]);
    if (j - i + 1 < count) add_edge(f, f->polygon[i], f->polygon[j]);
    add_triangles(f, count, i, k);
    add_triangles(f, count, k, j);
}

static bool fill_least(const filling* f, size_t count)
{
    TACT_ASSERT(count >= 3 && count <= MOST);
    for (size_t i = 0; i + 1 < count; ++i)
        f->costs[i * MOST + i + 1] = (cost){.area = 0.0};
    for (size_t length = 2; length < count; ++length) {
        for (size_t i = 0; i + length < count; ++i)
            weigh(f, count, i, i + length);
    }
    if (f->costs[count - 1].slivers == NONE) return false;
    add_triangles(f, count, 0, count - 1);
    return true;
}

// ---- Large holes ----

/// Twice the polygon's area, as a vector along its normal.
static dvec area_vector(const filling* f, size_t count)
{
    const tact_vec3* p = f->mend->positions;
    const dvec origin = d_from(p[f->polygon[0]]);
    dvec sum = d_make(0.0, 0.0, 0.0);
    for (size_t i = 1; i + 1 < count; ++i) {
        const dvec a = d_sub(d_from(p[f->polygon[i]]), origin), b = d_sub(d_from(p[f->polygon[i + 1]]), origin);
        sum = d_add(sum, d_cross(a, b));
    }
    return sum;
}

/// Cuts off ears, of two corners in a row at most one, and returns how many corners are left. With `normal` those alone
/// that do not bend inward.
static size_t cut_ears(const filling* f, size_t count, const dvec* normal)
{
    const tact_vec3* p = f->mend->positions;
    size_t kept = 0, left = count;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t v = f->polygon[i];
        const bool may = left > MOST && kept > 0 && i + 1 < count;
        bool ear = false;
        if (may) {
            const uint32_t a = f->polygon[kept - 1], b = f->polygon[i + 1];
            const dvec at = d_from(p[v]);
            const dvec n = d_cross(d_sub(at, d_from(p[a])), d_sub(d_from(p[b]), at));
            ear = (!normal || d_dot(n, *normal) > 0.0) && !has_edge(f, a, b);
            if (ear) {
                tact_mend_add(f->mend, a, b, v);
                add_edge(f, a, b);
                f->polygon[kept++] = b;  // stays: the corner after an ear
                --left;
                ++i;
            }
        }
        if (!ear) f->polygon[kept++] = v;
    }
    TACT_ASSERT(kept == left);
    return left;
}

static bool fill_polygon(const filling* f, size_t count)
{
    while (count > MOST) {
        const dvec normal = area_vector(f, count);
        size_t left = cut_ears(f, count, &normal);
        if (left == count) left = cut_ears(f, count, NULL);
        if (left == count) return false;
        count = left;
    }
    return fill_least(f, count);
}

// ---- Loops ----

/// Fills the loop of `count` vertices from `from` on in `loop`, of which none is there twice.
static void fill_loop(const filling* f, size_t from, size_t count)
{
    tact_mend* mend = f->mend;
    const uint32_t* s = f->sides + from;
    const size_t triangles = mend->count;
    const bool small = mend->options.hole_edges == 0 || count <= mend->options.hole_edges;
    const bool alone = count == 3 && s[0] / 3 == s[1] / 3 && s[1] / 3 == s[2] / 3;
    memcpy(f->polygon, f->loop + from, count * sizeof *f->polygon);
    if (count < 3 || !small || alone || !fill_polygon(f, count)) {
        mend->count = triangles;
        ++mend->report->holes_left;
        return;
    }
    ++mend->report->filled_holes;
    mend->report->hole_triangles += mend->count - triangles;
}

/// The side of the boundary after `side`, round the triangles at its end; NONE where they do not lead to one.
static uint32_t next_boundary(const filling* f, uint32_t side)
{
    uint32_t at = tact_mesh_next_side(side);
    while (f->across[at] < TACT_MESH_MANY) {
        const uint32_t other = f->across[at];
        if (f->mend->corners[other] == f->mend->corners[at]) return NONE;  // faces the other side
        at = tact_mesh_next_side(other);
    }
    return f->across[at] == TACT_MESH_BOUNDARY ? at : NONE;
}

/// Cuts the walk where it comes to a vertex again: what lies between is a hole by itself.
static void fill_walk(const filling* f, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; ++i) {
        const uint32_t vertex = f->mend->corners[f->walk[i]];
        const uint32_t at = f->place[vertex];
        if (at != NONE) {
            fill_loop(f, at, count - at);
            for (size_t k = at + 1; k < count; ++k)
                f->place[f->loop[k]] = NONE;
            count = at;
        }
        f->place[vertex] = (uint32_t)count;
        f->loop[count] = vertex;
        f->sides[count++] = f->walk[i];
    }
    fill_loop(f, 0, count);
    for (size_t k = 0; k < count; ++k)
        f->place[f->loop[k]] = NONE;
}

static void fill_all(const filling* f, size_t side_count)
{
    for (uint32_t first = 0; first < side_count; ++first) {
        if (f->visited[first] || f->across[first] != TACT_MESH_BOUNDARY) continue;
        size_t length = 0;
        uint32_t side = first;
        while (side != NONE && !f->visited[side]) {
            f->visited[side] = 1;
            f->walk[length++] = side;
            side = next_boundary(f, side);
        }
        if (side == first) {
            fill_walk(f, length);
        } else {
            ++f->mend->report->holes_left;
        }
    }
}

static tact_result begin(filling* f, size_t* boundary)
{
    tact_mend* mend = f->mend;
    tact_env* env = mend->env;
    const size_t side_count = 3 * mend->count;
    tact_mesh_sides sides;
    tact_result result = tact_mesh_sides_begin(&sides, env, mend->corners, mend->count, mend->vertex_count);
    f->across = tact_allocate(env, side_count, sizeof *f->across);
    if (!f->across) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result >= 0) tact_mesh_link(&sides, f->across);
    tact_mesh_sides_end(&sides, env);
    for (size_t i = 0; result >= 0 && i < side_count; ++i)
        *boundary += f->across[i] == TACT_MESH_BOUNDARY;
    if (result < 0 || *boundary == 0) return result;
    size_t size = 16;
    while (size < 2 * side_count + 4 * *boundary)
        size *= 2;
    f->mask = size - 1;
    f->edges = tact_allocate_zeroed(env, size, sizeof *f->edges);
    f->visited = tact_allocate_zeroed(env, side_count, 1);
    f->place = tact_allocate(env, mend->vertex_count, sizeof *f->place);
    f->loop = tact_allocate(env, 4 * *boundary, sizeof *f->loop);
    f->costs = tact_allocate(env, (size_t)MOST * MOST, sizeof *f->costs);
    if (!f->edges || !f->visited || !f->place || !f->loop || !f->costs || !tact_mend_reserve(mend, *boundary)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    f->sides = f->loop + *boundary;
    f->walk = f->sides + *boundary;
    f->polygon = f->walk + *boundary;
    memset(f->place, 0xff, mend->vertex_count * sizeof *f->place);
    for (uint32_t i = 0; i < side_count; ++i)
        add_edge(f, mend->corners[i], mend->corners[tact_mesh_next_side(i)]);
    return result;
}

tact_result tact_mend_holes(tact_mend* mend)
{
    filling f = {.mend = mend};
    size_t boundary = 0;
    const tact_result result = begin(&f, &boundary);
    if (result >= 0 && boundary) fill_all(&f, 3 * mend->count);
    void* const arrays[] = {f.across, f.edges, f.visited, f.place, f.loop, f.costs};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        tact_release(mend->env, arrays[i]);
    return result;
}
