// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Ranges of triangles are cut into two across one of the three ways in which their corners spread, where the surface
// area heuristic, in boxes along these ways, says, but so that all groups but the last are full.

#include "cpu_ref/overlap/separation_tree.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/simd.h"
#include "cpu_ref/geometry/fit_internal.h"
#include "cpu_ref/triangle_tree.h"

/// A triangle that is there: the id, as bits, behind the first corner, and zeroes behind the others.
typedef struct item {
    float corner[3][4];
} item;

/// An item's box along the ways of its range; behind its numbers, zeroes.
typedef struct span {
    float low[4], high[4];
} span;

/// Where an item is along the way that a range is cut across.
typedef struct place {
    float key;
    uint32_t item;
} place;

enum { WIDE = TACT_SEPARATION_WIDE };

typedef struct range {
    size_t begin, end;
    dvec axis[3];  ///< the first is the way it is longest
    bool known;    ///< the axes are
    int depth;     ///< how often it was cut
} range;

typedef struct builder {
    tact_env* env;
    tact_separation_tree* tree;
    item *items, *spare;
    span* spans;
    place* places;
    size_t count, node_capacity;
} builder;

static size_t groups_of(size_t triangles)
{
    return (triangles + WIDE - 1) / WIDE;
}

static size_t count_of(const range* r)
{
    TACT_ASSERT(r->begin < r->end);
    return r->end - r->begin;
}

static dvec corner_of(const item* t, int k)
{
    return d_make((double)t->corner[k][0], (double)t->corner[k][1], (double)t->corner[k][2]);
}

static uint32_t id_of(const item* t)
{
    uint32_t id;
    memcpy(&id, &t->corner[0][3], sizeof id);
    return id;
}

// ---- Boxes ----

/// The axes of the corners' spread; of large ranges, of some hundreds of triangles.
static void find_axes(const builder* b, range* r)
{
    enum { SAMPLE = 512 };
    if (r->known) return;
    const size_t count = count_of(r), step = (count + SAMPLE - 1) / SAMPLE;
    const dvec origin = corner_of(&b->items[r->begin], 0);
    double x = 0.0, y = 0.0, z = 0.0, xx = 0.0, yy = 0.0, zz = 0.0, xy = 0.0, yz = 0.0, zx = 0.0, n = 0.0;
    for (size_t i = 0; i < count; i += step) {
        for (int k = 0; k < 3; ++k) {
            const dvec d = d_sub(corner_of(&b->items[r->begin + i], k), origin);
            x += d.x;
            y += d.y;
            z += d.z;
            xx += d.x * d.x;
            yy += d.y * d.y;
            zz += d.z * d.z;
            xy += d.x * d.y;
            yz += d.y * d.z;
            zx += d.z * d.x;
        }
        n += 3.0;
    }
    const dvec m = d_make(x / n, y / n, z / n);
    double c[3][3] = {{xx - x * m.x, xy - x * m.y, zx - z * m.x},
                      {xy - x * m.y, yy - y * m.y, yz - y * m.z},
                      {zx - z * m.x, yz - y * m.z, zz - z * m.z}};
    d_principal_axes_about(c, 0x1p-16, r->axis);
    r->known = true;
}

/// Ways and places in single precision, in columns: a corner's place along the three ways is a sum of these.
typedef struct frame {
    f4 column[3], origin;
} frame;

static frame frame_of(const builder* b, const range* r)
{
    float rows[3][4] = {{0.0f}};
    for (int a = 0; a < 3; ++a) {
        rows[0][a] = (float)r->axis[a].x;
        rows[1][a] = (float)r->axis[a].y;
        rows[2][a] = (float)r->axis[a].z;
    }
    return (frame){{f4_load(rows[0]), f4_load(rows[1]), f4_load(rows[2])}, f4_load_three(b->items[r->begin].corner[0])};
}

/// Within 6 * 2^-24 of the sum of the coordinates from the origin.
static f4 place_of(const frame* f, const float corner[4])
{
    float d[4];
    f4_store(d, f4_sub(f4_load_three(corner), f->origin));
    return f4_add(f4_add(f4_mul(f4_set(d[0]), f->column[0]), f4_mul(f4_set(d[1]), f->column[1])),
                  f4_mul(f4_set(d[2]), f->column[2]));
}

/// An item's box, and the widening of a larger one by it.
static void span_of(const frame* f, const item* t, f4* low, f4* high)
{
    const f4 x = place_of(f, t->corner[0]), y = place_of(f, t->corner[1]), z = place_of(f, t->corner[2]);
    *low = f4_min(f4_min(x, y), z);
    *high = f4_max(f4_max(x, y), z);
}

/// The box of a range, along its axes, and the least of its ids. With L the sum of its widths, a corner's place is
/// within 11 * 2^-24 L, and the middle rounded by 2^-24 of the largest coordinate each way; 2^-20 L and 2^-23 of it are
/// added to each half. What numbers that are not normal lose is in the slack of separation_bounds.h.
static void fit(const builder* b, const range* r, tact_separation_node* n, uint32_t slot)
{
    const frame f = frame_of(b, r);
    f4 low = f4_set(0.0f), high = f4_set(0.0f), most = f4_set(0.0f);
    uint32_t first = UINT32_MAX;
    for (size_t i = r->begin; i < r->end; ++i) {
        const item* t = &b->items[i];
        f4 from, to;
        span_of(&f, t, &from, &to);
        low = f4_min(low, from);
        high = f4_max(high, to);
        for (int k = 0; k < 3; ++k)
            most = f4_max(most, f4_abs(f4_load_three(t->corner[k])));
        first = id_of(t) < first ? id_of(t) : first;
    }
    float lows[4], highs[4], mosts[4];
    f4_store(lows, low);
    f4_store(highs, high);
    f4_store(mosts, most);
    const double reach = fmax((double)mosts[0], fmax((double)mosts[1], (double)mosts[2]));
    double length = 0.0, half[3];
    dvec middle = corner_of(&b->items[r->begin], 0);
    for (int a = 0; a < 3; ++a) {
        length += (double)highs[a] - (double)lows[a];
        middle = d_along(middle, 0.5 * ((double)lows[a] + (double)highs[a]), r->axis[a]);
    }
    for (int a = 0; a < 3; ++a)
        half[a] = 0.5 * ((double)highs[a] - (double)lows[a]) + (0x1p-20 * length + 0x1p-23 * reach);
    const tact_vec3 center = d_round(middle);
    const double spread = half[0] + half[1] + half[2];
    n->center[0][slot] = center.x;
    n->center[1][slot] = center.y;
    n->center[2][slot] = center.z;
    n->reach[slot] = d_round_up(reach + spread);
    n->spread[slot] = d_round_up(spread);
    n->first[slot] = first;
    for (int a = 0; a < 3; ++a) {
        const tact_vec3 e = d_round(d_scale(r->axis[a], half[a]));
        n->axis[a][0][slot] = e.x;
        n->axis[a][1][slot] = e.y;
        n->axis[a][2][slot] = e.z;
    }
}

// ---- Cutting ----

enum { BINS = 16 };

typedef struct bin {
    f4 low, high;
    uint32_t count;
} bin;

static bin no_bin(void)
{
    return (bin){f4_set(FLT_MAX), f4_set(-FLT_MAX), 0};
}

static void widen(bin* to, const bin* from)
{
    to->low = f4_min(from->low, to->low);
    to->high = f4_max(from->high, to->high);
    to->count += from->count;
}

/// What it costs to search: half the area, times the groups.
static float cost_of(const bin* b)
{
    float w[4];
    f4_store(w, f4_sub(b->high, b->low));
    return ((w[0] * w[1] + w[1] * w[2]) + w[2] * w[0]) * (float)((b->count + 3) / 4);
}

/// A plane across a range.
typedef struct plane {
    int axis;
    float at;    ///< twice the place
    float cost;  ///< INFINITY: there is none
} plane;

/// The best plane between bins across one way.
static void look_at_planes(const bin* bins, int count, int axis, float from, float wide, plane* best)
{
    float right[BINS];
    bin side = no_bin();
    for (int i = count - 1; i > 0; --i) {
        widen(&side, &bins[i]);
        right[i] = side.count > 0 ? cost_of(&side) : INFINITY;
    }
    side = no_bin();
    for (int i = 1; i < count; ++i) {
        widen(&side, &bins[i - 1]);
        if (side.count == 0) continue;
        const float cost = cost_of(&side) + right[i];
        if (cost < best->cost) *best = (plane){axis, from + wide * (float)i / (float)count, cost};
    }
}

/// Looks for the best plane across a range; sets the spans.
static plane find_plane(builder* b, const range* r)
{
    const size_t count = count_of(r);
    const int bin_count = count < 64 ? BINS / 2 : BINS;
    const frame f = frame_of(b, r);
    f4 least = f4_set(FLT_MAX), most = f4_set(-FLT_MAX);
    span* spans = b->spans + r->begin;
    for (size_t i = 0; i < count; ++i) {
        f4 low, high;
        span_of(&f, &b->items[r->begin + i], &low, &high);
        f4_store(spans[i].low, low);
        f4_store(spans[i].high, high);
        const f4 twice = f4_add(low, high);
        least = f4_min(least, twice);
        most = f4_max(most, twice);
    }
    float from[4], wide[4], scale[4] = {0.0f};
    f4_store(from, least);
    f4_store(wide, f4_sub(most, least));
    bin bins[3][BINS];
    for (int a = 0; a < 3; ++a) {
        // The last one just holds what is at its end.
        if (wide[a] > 0x1p-100f) scale[a] = (float)bin_count * (1.0f - 0x1p-20f) / wide[a];
        for (int i = 0; i < bin_count; ++i)
            bins[a][i] = no_bin();
    }
    const f4 scales = f4_load(scale);
    for (size_t i = 0; i < count; ++i) {
        const bin one = {f4_load(spans[i].low), f4_load(spans[i].high), 1};
        int32_t at[4];
        f4_store_integers(at, f4_mul(f4_sub(f4_add(one.low, one.high), least), scales));
        for (int a = 0; a < 3; ++a)
            widen(&bins[a][at[a]], &one);
    }
    plane best = {0, 0.0f, INFINITY};
    for (int a = 0; a < 3; ++a)
        if (scale[a] > 0.0f) look_at_planes(bins[a], bin_count, a, from[a], wide[a], &best);
    return best;
}

/// Puts the `rank` least places first. What is equal may be on either side.
static void select_places(place* p, size_t count, size_t rank, float pivot)
{
    size_t begin = 0, end = count;
    while (rank > begin && rank < end) {
        // Less than the pivot, then equal, then more.
        size_t less = begin, more = end;
        for (size_t i = begin; i < more;) {
            const place one = p[i];
            if (one.key < pivot) {
                p[i++] = p[less];
                p[less++] = one;
            } else if (one.key > pivot) {
                p[i] = p[--more];
                p[more] = one;
            } else {
                ++i;
            }
        }
        if (rank <= less) {
            end = less;
        } else if (rank >= more) {
            begin = more;
        } else {
            return;
        }
        if (begin == end) return;
        const float x = p[begin].key, y = p[begin + (end - begin) / 2].key, z = p[end - 1].key;
        pivot = x < y ? (y < z ? y : x < z ? z : x) : x < z ? x : y < z ? z : y;
    }
}

/// Cuts a range into two. Returns where the second begins.
static size_t cut(builder* b, range* r)
{
    enum { EVEN_FROM = 32 };  // whatever the triangles are like, the tree is not much deeper than that
    const size_t count = count_of(r);
    find_axes(b, r);
    const plane at = find_plane(b, r);
    const span* spans = b->spans + r->begin;
    place* p = b->places + r->begin;
    size_t below = 0;
    for (size_t i = 0; i < count; ++i) {
        p[i] = (place){spans[i].low[at.axis] + spans[i].high[at.axis], (uint32_t)(r->begin + i)};
        below += p[i].key < at.at;
    }
    if (r->depth >= EVEN_FROM || !(at.cost < INFINITY)) below = count / 2;
    size_t rank = (below + WIDE / 2) / WIDE * WIDE;
    if (rank >= count) rank = (count - 1) / WIDE * WIDE;
    if (rank == 0) rank = WIDE;
    TACT_ASSERT(rank > 0 && rank < count);
    select_places(p, count, rank, at.at);
    for (size_t i = 0; i < count; ++i)
        b->spare[r->begin + i] = b->items[p[i].item];
    memcpy(b->items + r->begin, b->spare + r->begin, count * sizeof *b->items);
    return r->begin + rank;
}

/// All groups but the last are full, so that there is room for as many as there are.
static uint32_t add_group(builder* b, const range* r)
{
    tact_separation_tree* t = b->tree;
    TACT_ASSERT(t->group_count < groups_of(b->count));
    tact_separation_group* g = &t->groups[t->group_count];
    *g = (tact_separation_group){.count = (uint32_t)count_of(r)};
    for (uint32_t i = 0; i < WIDE; ++i) {
        const item* from = &b->items[r->begin + (i < g->count ? i : 0)];
        for (int k = 0; k < 9; ++k)
            g->corner[k][i] = from->corner[k / 3][k % 3];
        g->id[i] = id_of(from);
    }
    return (uint32_t)t->group_count++;
}

static tact_result add_node(builder* b, uint32_t* index)
{
    tact_separation_tree* t = b->tree;
    void* nodes = t->nodes;
    if (!tact_reserve(b->env, &nodes, &b->node_capacity, t->node_count, t->node_count + 1, sizeof *t->nodes))
        return TACT_ERROR_OUT_OF_MEMORY;
    t->nodes = nodes;
    *index = (uint32_t)t->node_count++;
    t->nodes[*index] = (tact_separation_node){.child = {0}};
    return TACT_OK;
}

/// Cuts the range of most triangles until there are four.
static int cut_into_four(builder* b, const range* whole, range parts[WIDE])
{
    int count = 1;
    parts[0] = *whole;
    while (count < WIDE) {
        int at = 0;
        for (int i = 1; i < count; ++i)
            at = count_of(&parts[i]) > count_of(&parts[at]) ? i : at;
        range* r = &parts[at];
        if (count_of(r) <= WIDE) break;
        const size_t middle = cut(b, r);
        parts[count++] = (range){.begin = middle, .end = r->end, .depth = r->depth + 1};
        *r = (range){.begin = r->begin, .end = middle, .depth = r->depth + 1};
    }
    return count;
}

typedef struct task {
    range of;
    uint32_t node;
} task;

static tact_result build(builder* b)
{
    task stack[(WIDE - 1) * TACT_SEPARATION_DEPTH + 1];
    int top = 0;
    uint32_t root;
    tact_result result = add_node(b, &root);
    if (result != TACT_OK || b->count == 0) return result;
    stack[top++] = (task){{.begin = 0, .end = b->count}, root};
    while (top > 0) {
        const task now = stack[--top];
        range parts[WIDE];
        const int count = cut_into_four(b, &now.of, parts);
        for (int i = count; i-- > 0;) {
            find_axes(b, &parts[i]);
            fit(b, &parts[i], &b->tree->nodes[now.node], (uint32_t)i);
            const bool leaf = count_of(&parts[i]) <= WIDE;
            uint32_t child;
            if (leaf) {
                child = add_group(b, &parts[i]) | (uint32_t)TACT_SEPARATION_LEAF;
            } else {
                result = add_node(b, &child);
                if (result != TACT_OK) return result;
                stack[top++] = (task){parts[i], child};
            }
            b->tree->nodes[now.node].child[i] = child;
        }
    }
    TACT_ASSERT(b->tree->group_count == groups_of(b->count));
    return TACT_OK;
}

/// Takes the room back that no node has.
static tact_result trim(builder* b)
{
    tact_separation_tree* t = b->tree;
    tact_separation_node* nodes = tact_allocate(b->env, t->node_count, sizeof *nodes);
    if (!nodes) return TACT_ERROR_OUT_OF_MEMORY;
    memcpy(nodes, t->nodes, t->node_count * sizeof *nodes);
    tact_release(b->env, t->nodes);
    t->nodes = nodes;
    return TACT_OK;
}

_Static_assert(sizeof(item) == sizeof(tact_leaf_triangle), "one as the other");

static void load(builder* b, const tact_mesh_desc* mesh)
{
    tact_separation_tree* t = b->tree;
    for (int k = 0; k < 3; ++k) {
        t->lower[k] = FLT_MAX;
        t->upper[k] = -FLT_MAX;
    }
    for (size_t i = 0; i < mesh->triangle_count; ++i) {
        tact_leaf_triangle l;
        if (!tact_mesh_triangle(mesh, i, &l)) continue;
        item* to = &b->items[b->count++];
        memcpy(to, &l, sizeof *to);
        const tact_bvh_box box = tact_leaf_triangle_box(&l);
        for (int k = 0; k < 3; ++k) {
            t->lower[k] = box.lower[k] < t->lower[k] ? box.lower[k] : t->lower[k];
            t->upper[k] = box.upper[k] > t->upper[k] ? box.upper[k] : t->upper[k];
        }
    }
}

tact_result tact_separation_tree_build(tact_env* env, const tact_mesh_desc* mesh, tact_separation_tree* tree)
{
    *tree = (tact_separation_tree){0};
    builder b = {.env = env, .tree = tree};
    b.items = tact_allocate(env, mesh->triangle_count, sizeof *b.items);
    b.spare = tact_allocate(env, mesh->triangle_count, sizeof *b.spare);
    b.spans = tact_allocate(env, mesh->triangle_count, sizeof *b.spans);
    b.places = tact_allocate(env, mesh->triangle_count, sizeof *b.places);
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (b.items && b.spare && b.spans && b.places) {
        load(&b, mesh);
        tree->groups = tact_allocate(env, groups_of(b.count), sizeof *tree->groups);
        if (tree->groups) result = build(&b);
        if (result == TACT_OK) result = trim(&b);
    }
    if (result != TACT_OK) tact_separation_tree_free(env, tree);
    tact_release(env, b.items);
    tact_release(env, b.spare);
    tact_release(env, b.places);
    tact_release(env, b.spans);
    return result;
}

void tact_separation_tree_free(tact_env* env, tact_separation_tree* tree)
{
    tact_release(env, tree->nodes);
    tact_release(env, tree->groups);
    *tree = (tact_separation_tree){0};
}

uint64_t tact_separation_tree_bytes(const tact_separation_tree* tree)
{
    return (uint64_t)tree->node_count * sizeof *tree->nodes + (uint64_t)tree->group_count * sizeof *tree->groups;
}
