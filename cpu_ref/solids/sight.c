// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/solids/sight.h"

#include <string.h>

#include "cpu_ref/triangle_tree.h"

typedef struct looking {
    const tact_triangle_tree* tree;
    dvec from, way;
    uint32_t own[2];  ///< triangles at the ends
} looking;

static dvec corner_of(const tact_mesh_copy* mesh, size_t triangle, size_t k)
{
    return d_from(mesh->positions[mesh->indices[3 * triangle + k]]);
}

static dvec normal_of(const tact_mesh_copy* mesh, size_t triangle)
{
    const dvec a = corner_of(mesh, triangle, 0);
    return d_cross(d_sub(corner_of(mesh, triangle, 1), a), d_sub(corner_of(mesh, triangle, 2), a));
}

/// Puts the points where the sum of areas passes the middles of equal shares.
static void spread(const tact_mesh_copy* mesh, tact_sight* s, uint32_t* triangle)
{
    double whole = 0.0, sum = 0.0;
    for (size_t t = 0; t < mesh->triangle_count; ++t)
        whole += d_length(normal_of(mesh, t));
    uint32_t next = 0, mixed = 1;
    for (size_t t = 0; t < mesh->triangle_count && next < TACT_SIGHT_POINTS; ++t) {
        sum += d_length(normal_of(mesh, t));
        while (next < TACT_SIGHT_POINTS && sum > whole * ((double)next + 0.5) / TACT_SIGHT_POINTS) {
            double u[2];
            for (int k = 0; k < 2; ++k) {
                mixed = mixed * 1664525u + 1013904223u;
                u[k] = (double)(mixed >> 8) * 0x1p-24;
            }
            if (u[0] + u[1] > 1.0) {
                u[0] = 1.0 - u[0];
                u[1] = 1.0 - u[1];
            }
            const dvec a = corner_of(mesh, t, 0);
            s->point[next] =
                d_along(d_along(a, u[0], d_sub(corner_of(mesh, t, 1), a)), u[1], d_sub(corner_of(mesh, t, 2), a));
            triangle[next++] = (uint32_t)t;
        }
    }
    // Of areas that rounding has lost.
    for (; next < TACT_SIGHT_POINTS; ++next) {
        s->point[next] = corner_of(mesh, 0, 0);
        triangle[next] = 0;
    }
}

static bool passes_triangle(const looking* l, const tact_leaf_triangle* t)
{
    if (t->id == l->own[0] || t->id == l->own[1]) return false;
    const dvec a = d_make((double)t->a[0], (double)t->a[1], (double)t->a[2]);
    const dvec u = d_sub(d_make((double)t->b[0], (double)t->b[1], (double)t->b[2]), a);
    const dvec v = d_sub(d_make((double)t->c[0], (double)t->c[1], (double)t->c[2]), a);
    const dvec p = d_cross(l->way, v), from = d_sub(l->from, a), q = d_cross(from, u);
    const double volume = d_dot(u, p);
    if (volume == 0.0) return false;
    const double at_u = d_dot(from, p) / volume, at_v = d_dot(l->way, q) / volume, at = d_dot(v, q) / volume;
    return at_u >= 0.0 && at_v >= 0.0 && at_u + at_v <= 1.0 && at > 1e-6 && at < 1.0 - 1e-6;
}

static bool passes_box(const looking* l, const tact_bvh_child* box)
{
    double low = 0.0, high = 1.0;
    for (int k = 0; k < 3; ++k) {
        const double from = d_at(l->from, k), way = d_at(l->way, k);
        const double down = (double)box->lower[k] - from, up = (double)box->upper[k] - from;
        if (way == 0.0) {
            if (down > 0.0 || up < 0.0) return false;
            continue;
        }
        const double first = (way > 0.0 ? down : up) / way, last = (way > 0.0 ? up : down) / way;
        low = first > low ? first : low;
        high = last < high ? last : high;
    }
    return low <= high + 1e-9;
}

static bool is_hidden(const looking* l)
{
    uint32_t stack[TACT_BVH_STACK];
    size_t depth = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const tact_bvh_node* node = &l->tree->nodes[stack[--depth]];
        for (int k = 0; k < 2; ++k) {
            const tact_bvh_child* child = &node->children[k];
            const uint32_t first = child->child & ~(uint32_t)TACT_BVH_LEAF_BIT;
            if (!passes_box(l, child)) continue;
            if (!(child->child & (uint32_t)TACT_BVH_LEAF_BIT)) {
                TACT_ASSERT(depth < TACT_BVH_STACK);
                stack[depth++] = child->child;
                continue;
            }
            for (uint32_t i = 0; i < child->count; ++i)
                if (passes_triangle(l, &l->tree->triangles[first + i])) return true;
        }
    }
    return false;
}

tact_result tact_sight_look(tact_env* env, const tact_mesh_copy* mesh, tact_sight* s)
{
    tact_triangle_tree tree;
    uint32_t triangle[TACT_SIGHT_POINTS];
    const tact_mesh_desc desc = {.positions = &mesh->positions->x,
                                 .vertex_count = mesh->vertex_count,
                                 .indices = mesh->indices,
                                 .triangle_count = mesh->triangle_count};
    memset(s, 0, sizeof *s);
    const tact_result result = tact_triangle_tree_build(env, 1, &desc, 4, &tree);
    if (result < 0) return result;
    spread(mesh, s, triangle);
    for (uint32_t i = 0; i < TACT_SIGHT_POINTS; ++i) {
        for (uint32_t k = i + 1; k < TACT_SIGHT_POINTS; ++k) {
            const looking l = {&tree, s->point[i], d_sub(s->point[k], s->point[i]), {triangle[i], triangle[k]}};
            // What leaves the surface outwards at either end is not inside.
            const double out = d_dot(normal_of(mesh, triangle[i]), l.way),
                         in = d_dot(normal_of(mesh, triangle[k]), l.way);
            const double size = 1e-9 * d_length(l.way);
            const bool outside = out > size * d_length(normal_of(mesh, triangle[i])) ||
                                 in < -size * d_length(normal_of(mesh, triangle[k]));
            if (!outside && !is_hidden(&l)) continue;
            s->hidden[i] |= (uint64_t)1 << k;
            ++s->count;
        }
    }
    tact_triangle_tree_free(env, &tree);
    return TACT_OK;
}

uint32_t tact_sight_left(const tact_sight* s, dvec normal, double offset)
{
    uint64_t front = 0;
    uint32_t left = 0;
    for (uint32_t i = 0; i < TACT_SIGHT_POINTS; ++i)
        front |= (uint64_t)(d_dot(normal, s->point[i]) >= offset) << i;
    for (uint32_t i = 0; i < TACT_SIGHT_POINTS; ++i) {
        uint64_t same = s->hidden[i] & (front >> i & 1u ? front : ~front);
        for (; same; same &= same - 1)
            ++left;
    }
    return left;
}
