// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/geometry/bsp_internal.h"
#include "cpu_ref/geometry/convex_internal.h"

enum { WAITING = 32 };

/// Part of the sizes and of the motion by which a plane may be missed: far more than rounding, and than the slack of
/// the casts, moves anything.
#define SLACK 1e-7

/// A part of the motion, in front of a node.
typedef struct stretch {
    int32_t at;
    double from, to;
} stretch;

typedef struct sweep {
    const tact_bsp* tree;
    tact_convex shape;
    convex_pair pair;  ///< the shape twice: its first is what support points are of
    tact_vec3 motion;  ///< 0 for one that rests
    dvec move;
    dvec low, high;  ///< the box of the shape at its start, with room for rounding
    bool rests;
    tact_bsp_cast_hit best;
} sweep;

/// How far the shape reaches along a node's normal, above the plane: its least and its greatest height.
static void reach(sweep* s, const tact_bsp_node* node, double* low, double* high)
{
    convex_shape* shape = &s->pair.a;
    const dvec n = d_make(node->normal[0], node->normal[1], node->normal[2]);
    const double length = d_length(n);
    const dvec unit = d_scale(n, 1.0 / length);
    const dvec up = tact_convex_core_support(shape, unit), down = tact_convex_core_support(shape, d_scale(unit, -1.0));
    const dvec middle = d_sub(shape->origin, d_from(node->point));
    const double size = convex_size(middle) + convex_size(up) + convex_size(down) + shape->radius;
    const double slack = SLACK * (size + convex_size(s->move));
    *high = d_dot(unit, middle) + d_dot(unit, up) + shape->radius + slack;
    *low = d_dot(unit, middle) + d_dot(unit, down) - shape->radius - slack;
}

static void meet(sweep* s, uint32_t triangle)
{
    const uint32_t* corner = s->tree->indices + 3 * (size_t)triangle;
    const tact_vec3* p = s->tree->positions;
    const tact_triangle t = {p[corner[0]], p[corner[1]], p[corner[2]]};
    if (s->rests) {
        if (tact_convex_overlap(s->shape, tact_convex_triangle(&t), NULL)) s->best.hit = true;
        return;
    }
    const tact_convex_hit hit = tact_convex_cast(s->shape, s->motion, tact_convex_triangle(&t));
    if (!hit.hit) return;
    const float down = hit.t > 0.0f ? nextafterf(hit.t, 0.0f) : 0.0f;
    if (s->best.hit && (down > s->best.t || (down == s->best.t && triangle >= s->best.triangle))) return;
    s->best = (tact_bsp_cast_hit){true, down, triangle, hit.point, hit.normal};
}

/// Whether the box of a triangle and that of the shape on a stretch have a point in common.
static bool is_near(const sweep* s, uint32_t triangle, const stretch* during)
{
    const uint32_t* corner = s->tree->indices + 3 * (size_t)triangle;
    const dvec a = d_from(s->tree->positions[corner[0]]), b = d_from(s->tree->positions[corner[1]]);
    const dvec c = d_from(s->tree->positions[corner[2]]);
    for (int axis = 0; axis < 3; ++axis) {
        const double x = d_at(a, axis), y = d_at(b, axis), z = d_at(c, axis);
        const double begin = during->from * d_at(s->move, axis), end = during->to * d_at(s->move, axis);
        if (d_at(s->low, axis) + fmin(begin, end) > fmax(x, fmax(y, z))) return false;
        if (d_at(s->high, axis) + fmax(begin, end) < fmin(x, fmin(y, z))) return false;
    }
    return true;
}

static void meet_faces(sweep* s, int32_t at, const stretch* during)
{
    const tact_bsp* tree = s->tree;
    const size_t next = (size_t)at + 1;
    const size_t end = next < tree->node_count ? tree->nodes[next].first_face : tree->face_count;
    for (size_t i = tree->nodes[at].first_face; i < end && !(s->rests && s->best.hit); ++i)
        if (is_near(s, tree->faces[i], during)) meet(s, tree->faces[i]);
}

/// The part of a stretch in which height + t speed is not below 0. False if there is none.
static bool above(const stretch* s, double height, double speed, int32_t child, stretch* out)
{
    const double at_from = height + s->from * speed, at_to = height + s->to * speed;
    *out = *s;
    out->at = child;
    if (at_from < 0.0 && at_to < 0.0) return false;
    if (at_from < 0.0) out->from = d_clamp(-height / speed, s->from, s->to);
    if (at_to < 0.0) out->to = d_clamp(-height / speed, s->from, s->to);
    return true;
}

static void walk(sweep* s, stretch first)
{
    stretch waiting[WAITING];
    int count = 0;
    waiting[count++] = first;
    while (count > 0) {
        stretch now = waiting[--count];
        while (now.at >= 0) {
            if (s->best.hit && (s->rests || now.from > (double)s->best.t + SLACK)) break;
            const tact_bsp_node* node = &s->tree->nodes[now.at];
            const dvec n = d_unit(d_make(node->normal[0], node->normal[1], node->normal[2]));
            double low, high;
            reach(s, node, &low, &high);
            const double speed = d_dot(n, s->move);
            stretch half[2], both;
            const bool front = above(&now, high, speed, node->child[0], &half[0]);
            const bool back = above(&now, -low, -speed, node->child[1], &half[1]);
            if (front && back && above(&half[0], -low, -speed, now.at, &both)) meet_faces(s, now.at, &both);
            const bool near = !front || (back && half[1].from < half[0].from);
            if (front && back) {
                if (count == WAITING) {
                    walk(s, half[!near]);
                } else {
                    waiting[count++] = half[!near];
                }
            }
            if (!front && !back) break;
            now = half[near];
        }
    }
}

/// The shape's box, wider by what rounding and the slack of the casts may be.
static void find_box(sweep* s)
{
    convex_shape* shape = &s->pair.a;
    double side[3][2];
    for (int axis = 0; axis < 3; ++axis) {
        for (int end = 0; end < 2; ++end) {
            const double d = end ? 1.0 : -1.0;
            const dvec to = d_make(axis == 0 ? d : 0.0, axis == 1 ? d : 0.0, axis == 2 ? d : 0.0);
            const dvec p = tact_convex_core_support(shape, to);
            const double size = convex_size(shape->origin) + convex_size(p) + shape->radius + convex_size(s->move);
            side[axis][end] = d_at(shape->origin, axis) + d_at(p, axis) + d * (shape->radius + SLACK * size);
        }
    }
    s->low = d_make(side[0][0], side[1][0], side[2][0]);
    s->high = d_make(side[0][1], side[1][1], side[2][1]);
}

/// False for a tree without nodes and a shape that is no set.
static bool begin(sweep* s, const tact_bsp* tree, tact_convex shape, tact_vec3 motion)
{
    *s = (sweep){.tree = tree, .shape = shape, .motion = motion, .move = d_from(motion)};
    s->rests = motion.x == 0.0f && motion.y == 0.0f && motion.z == 0.0f;
    s->best = (tact_bsp_cast_hit){false, INFINITY, TACT_BSP_NONE, {NAN, NAN, NAN}, {NAN, NAN, NAN}};
    if (tree->node_count == 0 || !tact_convex_pair_make(&s->pair, shape, shape)) return false;
    find_box(s);
    return true;
}

/// Whether a shape that meets no triangle is inside, as each of its points then is.
static bool is_inside(const sweep* s)
{
    const tact_vec3 up = {0.0f, 0.0f, 1.0f};
    return tact_bsp_locate(s->tree, tact_convex_support(s->shape, up)) != TACT_BSP_OUTSIDE;
}

bool tact_bsp_overlaps_convex(const tact_bsp* tree, tact_convex shape)
{
    const tact_vec3 none = {0.0f, 0.0f, 0.0f};
    sweep s;
    if (!begin(&s, tree, shape, none)) return false;
    if (is_inside(&s)) return true;
    walk(&s, (stretch){0, 0.0, 0.0});
    return s.best.hit;
}

tact_bsp_cast_hit tact_bsp_cast_convex(const tact_bsp* tree, tact_convex shape, tact_vec3 motion)
{
    sweep s;
    const bool valid = begin(&s, tree, shape, motion) && v_finite(motion);
    if (!valid) return s.best;
    s.rests = false;
    walk(&s, (stretch){0, 0.0, 1.0});
    // A shape that touches nothing at its start is inside as a whole, or outside.
    if (!(s.best.hit && s.best.t == 0.0f) && is_inside(&s)) {
        const tact_vec3 none = {NAN, NAN, NAN};
        s.best = (tact_bsp_cast_hit){true, 0.0f, TACT_BSP_NONE, none, none};
    }
    return s.best;
}
