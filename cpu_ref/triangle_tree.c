// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/triangle_tree.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void corner_of(const tact_mesh_desc* mesh, size_t triangle, size_t k, float p[3])
{
    const size_t stride = mesh->position_stride ? mesh->position_stride : 3 * sizeof(float);
    const size_t vertex = mesh->indices ? mesh->indices[3 * triangle + k] : 3 * triangle + k;
    TACT_ASSERT(vertex < mesh->vertex_count);
    memcpy(p, (const char*)mesh->positions + vertex * stride, 3 * sizeof *p);
}

void tact_mesh_positions_copy(const tact_mesh_desc* desc, float* positions)
{
    TACT_ASSERT(desc->positions || desc->vertex_count == 0);
    const size_t stride = desc->position_stride ? desc->position_stride : 3 * sizeof(float);
    for (size_t i = 0; i < desc->vertex_count && desc->positions; ++i)
        memcpy(positions + 3 * i, (const char*)desc->positions + i * stride, 3 * sizeof(float));
}

void tact_mesh_indices_copy(const tact_mesh_desc* desc, uint32_t* indices)
{
    for (size_t i = 0; i < 3 * desc->triangle_count; ++i)
        indices[i] = desc->indices ? desc->indices[i] : (uint32_t)i;
}

void tact_mesh_desc_copy(const tact_mesh_desc* desc, float* positions, uint32_t* indices)
{
    tact_mesh_positions_copy(desc, positions);
    tact_mesh_indices_copy(desc, indices);
}

bool tact_mesh_triangle(const tact_mesh_desc* mesh, size_t i, tact_leaf_triangle* t)
{
    TACT_ASSERT(i < mesh->triangle_count);
    *t = (tact_leaf_triangle){.id = (uint32_t)i};
    corner_of(mesh, i, 0, t->a);
    corner_of(mesh, i, 1, t->b);
    corner_of(mesh, i, 2, t->c);
    for (int k = 0; k < 3; ++k) {
        const bool good = fabsf(t->a[k]) <= TACT_MAX_COORDINATE && fabsf(t->b[k]) <= TACT_MAX_COORDINATE &&
                          fabsf(t->c[k]) <= TACT_MAX_COORDINATE;
        if (!good) return false;
    }
    return true;
}

static float least(float a, float b)
{
    return a < b ? a : b;
}

static float most(float a, float b)
{
    return a > b ? a : b;
}

tact_bvh_box tact_leaf_triangle_box(const tact_leaf_triangle* t)
{
    tact_bvh_box box;
    for (int k = 0; k < 3; ++k) {
        box.lower[k] = least(least(t->a[k], t->b[k]), t->c[k]);
        box.upper[k] = most(most(t->a[k], t->b[k]), t->c[k]);
    }
    return box;
}

tact_result tact_triangle_tree_build(tact_env* env, int threads, const tact_mesh_desc* mesh, uint32_t max_leaf,
                                     tact_triangle_tree* tree)
{
    TACT_ASSERT(max_leaf >= 1 && max_leaf <= TACT_BVH_MAX_LEAF);
    *tree = (tact_triangle_tree){0};
    const size_t total = mesh->triangle_count;
    tact_bvh_box* boxes = tact_allocate(env, total, sizeof *boxes);
    uint32_t* ids = tact_allocate(env, total, sizeof *ids);
    tact_bvh bvh = {0};
    tact_result result = boxes && ids ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    size_t kept = 0;
    for (size_t i = 0; i < total && result == TACT_OK; ++i) {
        tact_leaf_triangle t;
        if (!tact_mesh_triangle(mesh, i, &t)) continue;
        boxes[kept] = tact_leaf_triangle_box(&t);
        ids[kept++] = (uint32_t)i;
    }
    if (result == TACT_OK) result = tact_bvh_build(env, threads, boxes, ids, kept, max_leaf, TACT_BVH_MAX_DEPTH, &bvh);
    tact_leaf_triangle* triangles = NULL;
    if (result == TACT_OK) {
        triangles = tact_allocate(env, kept, sizeof *triangles);
        if (!triangles) result = TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t k = 0; k < kept && result == TACT_OK; ++k)
        (void)tact_mesh_triangle(mesh, bvh.order[k], &triangles[k]);
    if (result == TACT_OK) {
        *tree = (tact_triangle_tree){bvh.nodes, bvh.node_count, triangles, kept, bvh.depth};
        bvh.nodes = NULL;
    }
    TACT_ASSERT(result != TACT_OK || tree->triangle_count == kept);
    TACT_VALIDATE(result != TACT_OK || tact_triangle_tree_is_valid(tree));
    tact_release(env, boxes);
    tact_release(env, ids);
    tact_bvh_free(env, &bvh);
    return result;
}

static void add_box(tact_bvh_box* to, const float lower[3], const float upper[3])
{
    for (int k = 0; k < 3; ++k) {
        to->lower[k] = least(lower[k], to->lower[k]);
        to->upper[k] = most(upper[k], to->upper[k]);
    }
}

static void fit_child(tact_triangle_tree* tree, tact_bvh_child* child)
{
    tact_bvh_box box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    if (child->child & (uint32_t)TACT_BVH_LEAF_BIT) {
        if (child->count == 0) return;
        TACT_ASSERT((child->child & ~(uint32_t)TACT_BVH_LEAF_BIT) + child->count <= tree->triangle_count);
        const tact_leaf_triangle* first = tree->triangles + (child->child & ~(uint32_t)TACT_BVH_LEAF_BIT);
        for (uint32_t i = 0; i < child->count; ++i) {
            const tact_bvh_box one = tact_leaf_triangle_box(&first[i]);
            add_box(&box, one.lower, one.upper);
        }
    } else {
        TACT_ASSERT(child->child < tree->node_count);
        const tact_bvh_node* below = &tree->nodes[child->child];
        for (int side = 0; side < 2; ++side)
            add_box(&box, below->children[side].lower, below->children[side].upper);
    }
    memcpy(child->lower, box.lower, sizeof box.lower);
    memcpy(child->upper, box.upper, sizeof box.upper);
}

void tact_triangle_tree_fit(tact_triangle_tree* tree, const tact_mesh_desc* mesh)
{
    for (size_t k = 0; k < tree->triangle_count; ++k)
        (void)tact_mesh_triangle(mesh, tree->triangles[k].id, &tree->triangles[k]);
    for (size_t n = tree->node_count; n-- > 0;) {
        fit_child(tree, &tree->nodes[n].children[0]);
        fit_child(tree, &tree->nodes[n].children[1]);
    }
    TACT_VALIDATE(tact_triangle_tree_is_valid(tree));
}

void tact_triangle_tree_free(tact_env* env, tact_triangle_tree* tree)
{
    tact_release(env, tree->nodes);
    tact_release(env, tree->triangles);
    *tree = (tact_triangle_tree){0};
}

#if defined(TACT_ASSERTS)

static bool same_box(const tact_bvh_child* child, const tact_bvh_box* box)
{
    for (int k = 0; k < 3; ++k) {
        if (child->lower[k] != box->lower[k] || child->upper[k] != box->upper[k]) return false;
    }
    return true;
}

/// `next`: the first triangle that no leaf before this one has, since leaves follow each other.
static bool child_is_valid(const tact_triangle_tree* tree, size_t parent, const tact_bvh_child* child, uint32_t depth,
                           size_t* next)
{
    tact_bvh_box box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
    if (!(child->child & (uint32_t)TACT_BVH_LEAF_BIT)) {
        if (child->child <= parent || child->child >= tree->node_count || depth >= tree->depth) return false;
        const tact_bvh_node* below = &tree->nodes[child->child];
        for (int side = 0; side < 2; ++side) {
            if (!child_is_valid(tree, child->child, &below->children[side], depth + 1, next)) return false;
            add_box(&box, below->children[side].lower, below->children[side].upper);
        }
        return same_box(child, &box);
    }
    const size_t first = child->child & ~(uint32_t)TACT_BVH_LEAF_BIT;
    if (child->count == 0) return parent == 0 && depth == 1;
    if (first != *next || first + child->count > tree->triangle_count) return false;
    for (size_t i = first; i < first + child->count; ++i) {
        const tact_bvh_box one = tact_leaf_triangle_box(&tree->triangles[i]);
        add_box(&box, one.lower, one.upper);
    }
    *next = first + child->count;
    return same_box(child, &box);
}

bool tact_triangle_tree_is_valid(const tact_triangle_tree* tree)
{
    if (tree->triangle_count > TACT_VALIDATE_MOST) return true;
    size_t next = 0;
    return child_is_valid(tree, 0, &tree->nodes[0].children[0], 1, &next) &&
           child_is_valid(tree, 0, &tree->nodes[0].children[1], 1, &next) && next == tree->triangle_count;
}

#endif
