// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/overlap/overlap_mesh.h"

#include <math.h>
#include <string.h>

/// What lies below each node of the binary tree: consecutive triangles.
typedef struct extent {
    uint32_t first, count;
} extent;

static bool is_leaf(const tact_bvh_child* c)
{
    return (c->child & (uint32_t)TACT_BVH_LEAF_BIT) != 0;
}

static extent extent_of(const extent* extents, const tact_bvh_child* c)
{
    if (!is_leaf(c)) return extents[c->child];
    return (extent){c->child & ~(uint32_t)TACT_BVH_LEAF_BIT, c->count};
}

static void find_extents(const tact_triangle_tree* tree, extent* extents)
{
    for (size_t n = tree->node_count; n-- > 0;) {
        const extent left = extent_of(extents, &tree->nodes[n].children[0]);
        const extent right = extent_of(extents, &tree->nodes[n].children[1]);
        extents[n] = (extent){left.first, left.count + right.count};
    }
}

static double half_area(const tact_bvh_child* c)
{
    const double x = (double)c->upper[0] - (double)c->lower[0], y = (double)c->upper[1] - (double)c->lower[1];
    const double z = (double)c->upper[2] - (double)c->lower[2];
    return x * y + y * z + z * x;
}

/// Opens the largest children of a binary node until there are eight, or all are small enough for a group. `set` has
/// room for TACT_WIDE.
static uint32_t gather(const tact_triangle_tree* tree, const extent* extents, uint32_t node, const tact_bvh_child** set)
{
    uint32_t count = 0;
    for (int side = 0; side < 2; ++side) {
        const tact_bvh_child* c = &tree->nodes[node].children[side];
        if (extent_of(extents, c).count > 0) set[count++] = c;
    }
    while (count < TACT_WIDE) {
        uint32_t largest = TACT_WIDE;
        double area = -1.0;
        for (uint32_t i = 0; i < count; ++i) {
            if (is_leaf(set[i]) || extent_of(extents, set[i]).count <= TACT_WIDE) continue;
            if (half_area(set[i]) <= area) continue;
            area = half_area(set[i]);
            largest = i;
        }
        if (largest == TACT_WIDE) return count;
        const tact_bvh_node* opened = &tree->nodes[set[largest]->child];
        set[largest] = &opened->children[0];
        set[count++] = &opened->children[1];
    }
    return count;
}

typedef struct builder {
    tact_env* env;
    const tact_triangle_tree* tree;
    const extent* extents;
    tact_wide_tree* wide;
    uint32_t* sources;  ///< the binary node of each node
    size_t source_capacity;
} builder;

static bool add_node(builder* b, uint32_t source, uint32_t* index)
{
    tact_wide_tree* w = b->wide;
    void *nodes = w->nodes, *sources = b->sources;
    if (!tact_reserve(b->env, &nodes, &w->node_capacity, w->node_count, w->node_count + 1, sizeof *w->nodes)) {
        return false;
    }
    w->nodes = nodes;
    if (!tact_reserve(b->env, &sources, &b->source_capacity, w->node_count, w->node_count + 1, sizeof *b->sources)) {
        return false;
    }
    b->sources = sources;
    b->sources[w->node_count] = source;
    *index = (uint32_t)w->node_count++;
    return true;
}

static bool add_group(builder* b, extent e, uint32_t* index)
{
    tact_wide_tree* w = b->wide;
    void* groups = w->groups;
    if (!tact_reserve(b->env, &groups, &w->group_capacity, w->group_count, w->group_count + 1, sizeof *w->groups)) {
        return false;
    }
    w->groups = groups;
    w->groups[w->group_count] = (tact_wide_group){.first = e.first, .count = e.count};
    *index = (uint32_t)w->group_count++ | (uint32_t)TACT_BVH_LEAF_BIT;
    return true;
}

static bool fill_node(builder* b, size_t node)
{
    const tact_bvh_child* set[TACT_WIDE];
    const uint32_t count = gather(b->tree, b->extents, b->sources[node], set);
    for (uint32_t i = 0; i < count; ++i) {
        const extent e = extent_of(b->extents, set[i]);
        uint32_t child;
        const bool good = e.count <= TACT_WIDE ? add_group(b, e, &child) : add_node(b, set[i]->child, &child);
        if (!good) return false;
        b->wide->nodes[node].child[i] = child;
    }
    b->wide->nodes[node].count = count;
    b->wide->nodes[node].unused = 0;
    for (uint32_t i = count; i < TACT_WIDE; ++i)
        b->wide->nodes[node].child[i] = 0;
    return true;
}

tact_result tact_wide_build(tact_env* env, const tact_triangle_tree* tree, tact_wide_tree* wide)
{
    *wide = (tact_wide_tree){0};
    extent* extents = tact_allocate(env, tree->node_count, sizeof *extents);
    builder b = {env, tree, extents, wide, NULL, 0};
    bool good = extents != NULL;
    if (good) {
        find_extents(tree, extents);
        uint32_t root;
        good = add_node(&b, 0, &root);
    }
    for (size_t n = 0; good && n < wide->node_count; ++n)
        good = fill_node(&b, n);
    tact_release(env, extents);
    tact_release(env, b.sources);
    if (!good) {
        tact_wide_free(env, wide);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_wide_fit(tree, wide);
    return TACT_OK;
}

static void begin_bounds(float low[3], float high[3])
{
    for (int k = 0; k < 3; ++k) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
}

static void fit_group(const tact_triangle_tree* tree, tact_wide_group* g)
{
    begin_bounds(g->low, g->high);
    for (uint32_t i = 0; i < TACT_WIDE; ++i) {
        const tact_leaf_triangle* t = &tree->triangles[g->first + (i < g->count ? i : 0)];
        g->id[i] = t->id;
        const tact_bvh_box box = tact_leaf_triangle_box(t);
        for (int k = 0; k < 3; ++k) {
            g->corner[k][i] = t->a[k];
            g->corner[3 + k][i] = t->b[k];
            g->corner[6 + k][i] = t->c[k];
            g->low[k] = box.lower[k] < g->low[k] ? box.lower[k] : g->low[k];
            g->high[k] = box.upper[k] > g->high[k] ? box.upper[k] : g->high[k];
        }
    }
}

static void fit_node(tact_wide_tree* w, tact_wide_node* n)
{
    begin_bounds(n->low, n->high);
    for (uint32_t i = 0; i < TACT_WIDE; ++i) {
        const uint32_t c = n->child[i], leaf = c & (uint32_t)TACT_BVH_LEAF_BIT;
        const tact_wide_group* group = i < n->count && leaf ? &w->groups[c & ~(uint32_t)TACT_BVH_LEAF_BIT] : NULL;
        for (int k = 0; k < 3; ++k) {
            n->lower[k][i] = i >= n->count ? INFINITY : group ? group->low[k] : w->nodes[c].low[k];
            n->upper[k][i] = i >= n->count ? -INFINITY : group ? group->high[k] : w->nodes[c].high[k];
            n->low[k] = n->lower[k][i] < n->low[k] ? n->lower[k][i] : n->low[k];
            n->high[k] = n->upper[k][i] > n->high[k] ? n->upper[k][i] : n->high[k];
        }
    }
}

void tact_wide_fit(const tact_triangle_tree* tree, tact_wide_tree* wide)
{
    for (size_t g = 0; g < wide->group_count; ++g)
        fit_group(tree, &wide->groups[g]);
    for (size_t n = wide->node_count; n-- > 0;)
        fit_node(wide, &wide->nodes[n]);
}

void tact_wide_free(tact_env* env, tact_wide_tree* wide)
{
    tact_release(env, wide->nodes);
    tact_release(env, wide->groups);
    *wide = (tact_wide_tree){0};
}
