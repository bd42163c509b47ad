// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Distances and touches of particles and bodies. Boxes are dismissed only when they are farther than the best triangle
// so far, by the same arithmetic that a triangle's distance is bounded by below (see particle_mesh.h), so trees and
// look-ups answer what brute force does, to the bit.

#include "cpu_ref/particles/bodies.h"

/// The closest triangle to a point that is no surroundings of those taken.
typedef struct search {
    TactVec p;     ///< in the body's frame
    float best2;   ///< the square of the limit or of the best so far
    uint32_t id;   ///< TACT_NONE: none yet
    TactVec away;  ///< from it to p, of any length
    TactVec taken[TACT_BODY_TOUCHES];
    float distances[TACT_BODY_TOUCHES];
    size_t taken_count;
} search;

static bool is_flat(const search* s, const TactNear* n)
{
    TACT_ASSERT(s->taken_count <= TACT_BODY_TOUCHES);
    const TactVec normal = tact_near_normal(n->gx, n->gy, n->gz);
    const float distance = tact_sqrt(n->d2);
    for (size_t i = 0; i < s->taken_count; ++i) {
        if (tact_touch_is_flat(s->taken[i], s->distances[i], normal, distance)) return true;
    }
    return false;
}

static void consider(search* s, uint32_t id, const float a[3], const float b[3], const float c[3])
{
    const TactNear n =
        tact_triangle_near(s->p.x, s->p.y, s->p.z, a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2], s->best2);
    if (!(n.d2 <= s->best2) || (n.d2 == s->best2 && id >= s->id)) return;
    if (s->taken_count > 0 && is_flat(s, &n)) return;
    s->best2 = n.d2;
    s->id = id;
    s->away = tact_vec(n.gx, n.gy, n.gz);
}

static void search_leaf(search* s, const tact_particle_body* body, uint32_t first, uint32_t count)
{
    TACT_ASSERT(first + count <= body->triangle_count);
    for (uint32_t k = first; k < first + count; ++k) {
        const tact_body_triangle* t = &body->triangles[k];
        consider(s, t->id, t->a, t->b, t->c);
    }
}

static float child_gap2(const search* s, const tact_bvh_child* c)
{
    return tact_box_gap2(s->p.x, s->p.y, s->p.z, c->lower[0], c->lower[1], c->lower[2], c->upper[0], c->upper[1],
                         c->upper[2]);
}

typedef struct stacked {
    uint32_t node;
    float gap2;
} stacked;

/// Looks at a child's triangles if it is a leaf; says whether it is a node to go on with.
static bool descend(search* s, const tact_particle_body* body, const tact_bvh_child* child, float gap2)
{
    if (gap2 > s->best2) return false;
    if (!(child->child & (uint32_t)TACT_BVH_LEAF_BIT)) return true;
    search_leaf(s, body, child->child & ~(uint32_t)TACT_BVH_LEAF_BIT, child->count);
    return false;
}

static void search_mesh(search* s, const tact_particle_body* body)
{
    stacked stack[TACT_BVH_MAX_DEPTH + 2];
    size_t height = 0;
    if (body->triangle_count == 0) return;
    stack[height++] = (stacked){0, 0.0f};
    while (height > 0) {
        const stacked top = stack[--height];
        if (top.gap2 > s->best2) continue;
        const tact_bvh_node* node = &body->nodes[top.node];
        TACT_ASSERT(top.node < body->node_count && height <= TACT_BVH_MAX_DEPTH);
        const float gaps[2] = {child_gap2(s, &node->children[0]), child_gap2(s, &node->children[1])};
        const int near = gaps[1] < gaps[0];
        const bool go_near = descend(s, body, &node->children[near], gaps[near]);
        const bool go_far = descend(s, body, &node->children[!near], gaps[!near]);
        if (go_far) stack[height++] = (stacked){node->children[!near].child, gaps[!near]};
        if (go_near) stack[height++] = (stacked){node->children[near].child, gaps[near]};
    }
}

static void search_square(search* s, const tact_particle_body* body, int column, int row)
{
    TACT_ASSERT(column >= 0 && column < body->across.squares && row >= 0 && row < body->along.squares);
    const size_t corners = (size_t)body->across.squares + 1;
    const float* h = body->heights + (size_t)row * corners + (size_t)column;
    const float x[2] = {tact_field_corner(body->across, column), tact_field_corner(body->across, column + 1)};
    const float z[2] = {tact_field_corner(body->along, row), tact_field_corner(body->along, row + 1)};
    const float p00[3] = {x[0], h[0], z[0]}, p10[3] = {x[1], h[1], z[0]};
    const float p01[3] = {x[0], h[corners], z[1]}, p11[3] = {x[1], h[corners + 1], z[1]};
    if (p00[1] >= TACT_FIELD_HOLE || p10[1] >= TACT_FIELD_HOLE || p01[1] >= TACT_FIELD_HOLE ||
        p11[1] >= TACT_FIELD_HOLE) {
        return;
    }
    const uint32_t id = 2 * ((uint32_t)row * (uint32_t)body->across.squares + (uint32_t)column);
    consider(s, id, p00, p01, p10);
    consider(s, id + 1, p10, p01, p11);
}

static void search_field(search* s, const tact_particle_body* body)
{
    TACT_ASSERT(body->kind == TACT_COLLIDER_FIELD && body->heights);
    const float x0 = body->across.origin, x1 = tact_field_corner(body->across, body->across.squares);
    const float z0 = body->along.origin, z1 = tact_field_corner(body->along, body->along.squares);
    if (tact_box_gap2(s->p.x, s->p.y, s->p.z, x0, body->lowest, z0, x1, body->highest, z1) > s->best2) return;
    // The square below first: it bounds how far the others matter.
    search_square(s, body, tact_field_square(body->across, s->p.x), tact_field_square(body->along, s->p.z));
    const float reach = tact_sqrt(s->best2);
    const int first = tact_field_first(body->across, s->p.x, reach);
    const int last = tact_field_last(body->across, s->p.x, reach);
    const int row_end = tact_field_last(body->along, s->p.z, reach);
    for (int row = tact_field_first(body->along, s->p.z, reach); row <= row_end; ++row) {
        for (int column = first; column <= last; ++column)
            search_square(s, body, column, row);
    }
}

static void search_all(search* s, const tact_particle_body* body)
{
    search_leaf(s, body, 0, (uint32_t)body->triangle_count);
    for (int row = 0; row < body->along.squares; ++row) {
        for (int column = 0; column < body->across.squares; ++column)
            search_square(s, body, column, row);
    }
}

typedef void search_fn(search* s, const tact_particle_body* body);

static void search_fast(search* s, const tact_particle_body* body)
{
    if (body->kind == TACT_COLLIDER_MESH)
        search_mesh(s, body);
    else
        search_field(s, body);
}

static size_t touches_by(search_fn* look, const tact_particle_body* body, const float center[3], float radius,
                         tact_body_touch touches[TACT_BODY_TOUCHES])
{
    TACT_ASSERT(radius >= 0.0f);
    search s = {.p = tact_frame_into(body->frame, center[0], center[1], center[2])};
    while (s.taken_count < TACT_BODY_TOUCHES) {
        s.best2 = radius * radius;
        s.id = TACT_NONE;
        look(&s, body);
        if (s.id == TACT_NONE) break;
        const TactVec own = tact_near_normal(s.away.x, s.away.y, s.away.z);
        const TactVec normal = tact_frame_turn(body->frame, own.x, own.y, own.z);
        const float distance = tact_sqrt(s.best2);
        s.taken[s.taken_count] = own;
        s.distances[s.taken_count] = distance;
        touches[s.taken_count++] = (tact_body_touch){s.id, distance, normal.x, normal.y, normal.z};
        TACT_ASSERT(s.id < body->triangle_end && distance <= radius * 1.0001f);
    }
    return s.taken_count;
}

static float distance_by(search_fn* look, const tact_particle_body* body, const float point[3], float limit,
                         float normal[3])
{
    search s = {.p = tact_frame_into(body->frame, point[0], point[1], point[2])};
    s.best2 = limit * limit;
    s.id = TACT_NONE;
    look(&s, body);
    normal[0] = normal[1] = normal[2] = 0.0f;
    if (s.id == TACT_NONE) return 2.0f * limit + 1.0f;
    const TactVec own = tact_near_normal(s.away.x, s.away.y, s.away.z);
    const TactVec n = tact_frame_turn(body->frame, own.x, own.y, own.z);
    normal[0] = n.x;
    normal[1] = n.y;
    normal[2] = n.z;
    TACT_ASSERT(s.id < body->triangle_end);
    return tact_sqrt(s.best2);
}

size_t tact_body_touches(const tact_particle_body* body, const float center[3], float radius,
                         tact_body_touch touches[TACT_BODY_TOUCHES])
{
    return touches_by(search_fast, body, center, radius, touches);
}

float tact_body_distance(const tact_particle_body* body, const float point[3], float limit, float normal[3])
{
    return distance_by(search_fast, body, point, limit, normal);
}

size_t tact_body_touches_reference(const tact_particle_body* body, const float center[3], float radius,
                                   tact_body_touch touches[TACT_BODY_TOUCHES])
{
    return touches_by(search_all, body, center, radius, touches);
}

float tact_body_distance_reference(const tact_particle_body* body, const float point[3], float limit, float normal[3])
{
    return distance_by(search_all, body, point, limit, normal);
}
