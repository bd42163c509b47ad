// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/geometry/bsp_internal.h"
#include "cpu_ref/geometry/exact.h"

enum { WAITING = 32 };

/// A place on a ray: where it meets a node's plane, or one of its ends. The plane's height is `start` + t `slope`.
typedef struct place {
    uint32_t node;        ///< TACT_BSP_NONE: `t` says where
    double start, slope;  ///< good to 2^-26 of themselves, with the exact sign
    double t;             ///< may be infinite
} place;

/// A part of a ray, both ends included.
typedef struct span {
    int32_t at;  ///< node or leaf
    place from, to;
} span;

typedef struct cast {
    const tact_bsp* tree;
    tact_bsp_mesh mesh;
    const tact_ray* ray;
    tact_vec3 origin, direction;
    int32_t scale;       ///< of whole numbers, for the ray's coordinates too
    const place* after;  ///< what begins here or before does not count; may be NULL
    bool found;
    place in;     ///< where the first part begins
    bool extend;  ///< look for how far the part goes that ends at `out` so far
    place out;
    bool changed;
} cast;

// ---- The order of places ----

static place plane_place(const cast* c, uint32_t number)
{
    const tact_bsp_node* node = &c->tree->nodes[number];
    const dvec d = d_from(c->direction);
    place p = {number, tact_bsp_height(&c->mesh, node, c->origin), 0.0, 0.0};
    p.slope = (node->normal[0] * d.x + node->normal[1] * d.y) + node->normal[2] * d.z;
    if (fabs(p.slope) > 0x1p26 * node->bound * ((fabs(d.x) + fabs(d.y)) + fabs(d.z))) return p;
    if (node->triangle >= TACT_BSP_AXIS) return p;
    const uint32_t* t = c->mesh.indices + 3 * (size_t)node->triangle;
    const dvec a = d_from(node->point), u = d_from(c->mesh.positions[t[1]]), v = d_from(c->mesh.positions[t[2]]);
    double term[36];
    exact_triple(u, v, d, 1.0, term);
    exact_triple(a, v, d, -1.0, term + 12);
    exact_triple(a, u, d, 1.0, term + 24);
    p.slope = exact_sum(term, 36);
    return p;
}

static void exact_place(const cast* c, const place* p, tact_big* start, tact_big* slope)
{
    const tact_bsp_node* node = &c->tree->nodes[p->node];
    tact_bsp_height_exact(&c->mesh, node, c->origin, false, c->scale, start);
    tact_bsp_height_exact(&c->mesh, node, c->direction, true, c->scale, slope);
}

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

/// a b - c d, of numbers good to 2^-26 of themselves; 0 where that leaves the sign open.
static double minor_of(double a, double b, double c, double d)
{
    const double up = a * b, down = c * d;
    return fabs(up - down) > 0x1p-24 * (fabs(up) + fabs(down)) ? up - down : 0.0;
}

/// The sign of the plane's height where the ray is at a place.
static int side_at(const cast* c, const place* plane, const place* at)
{
    if (plane->slope == 0.0) return sign_of(plane->start);
    tact_big start, slope, other_start, other_slope, value;
    if (at->node == TACT_BSP_NONE) {
        if (isinf(at->t)) return at->t > 0.0 ? sign_of(plane->slope) : -sign_of(plane->slope);
        if (at->t == 0.0) return sign_of(plane->start);
        const double sum = minor_of(plane->start, 1.0, plane->slope, -at->t);
        if (sum != 0.0) return sign_of(sum);
        // In units of the float's own last bit.
        const int32_t unit = big_shift_of((float)at->t);
        tact_big t, one = {.count = 1, .word = {1}};
        exact_place(c, plane, &start, &slope);
        big_set(&t, (float)at->t, unit < -BIG_LEAST ? unit : -BIG_LEAST);
        if (unit < -BIG_LEAST) {
            // 1 is 2^(-BIG_LEAST - unit) of them.
            const int32_t bit = -BIG_LEAST - unit;
            one.count = bit / 32 + 1;
            one.word[0] = 0;
            for (int i = 0; i < one.count; ++i)
                one.word[i] = 0;
            one.word[bit / 32] = (uint32_t)1 << (bit % 32);
        }
        t.negative = !t.negative;
        big_minor(&start, &one, &slope, &t, &value);
        return big_sign(&value);
    }
    if (at->node == plane->node) return 0;
    const double sum = minor_of(plane->start, at->slope, at->start, plane->slope);
    if (sum != 0.0) return sign_of(sum) * sign_of(at->slope);
    if (plane->start == 0.0 && at->start == 0.0) return 0;
    exact_place(c, plane, &start, &slope);
    exact_place(c, at, &other_start, &other_slope);
    big_minor(&start, &other_slope, &other_start, &slope, &value);
    return big_sign(&value) * sign_of(at->slope);
}

/// Whether a place comes before (-1), at (0) or behind (1) another one along the ray.
static int order(const cast* c, const place* a, const place* b)
{
    if (b->node != TACT_BSP_NONE) return side_at(c, b, a) * sign_of(b->slope);
    if (a->node != TACT_BSP_NONE) return -side_at(c, a, b) * sign_of(a->slope);
    return (a->t > b->t) - (a->t < b->t);
}

static float t_of(const cast* c, const place* p)
{
    if (p->node == TACT_BSP_NONE) return (float)p->t;
    double start = p->start, slope = p->slope;
    const float t = (float)(-start / slope);
    return t < c->ray->tmin ? c->ray->tmin : t > c->ray->tmax ? c->ray->tmax : t;
}

// ---- The way through the tree ----

/// A part that is solid.
static void take(cast* c, const span* s)
{
    if (c->extend) {
        if (order(c, &s->from, &c->out) <= 0 && order(c, &s->to, &c->out) > 0) {
            c->out = s->to;
            c->changed = true;
        }
        return;
    }
    if (c->after && order(c, &s->from, c->after) <= 0) return;
    if (c->found && order(c, &s->from, &c->in) >= 0) return;
    c->found = true;
    c->in = s->from;
    c->out = s->to;
}

/// The part of a span on one side of a node's plane, which may be a point. False if it has none there.
static bool part(const span* s, const place* plane, int at_from, int at_to, int sign, int32_t child, span* out)
{
    if (at_from * sign < 0 && at_to * sign < 0) return false;
    *out = *s;
    out->at = child;
    if (at_from * sign < 0) out->from = *plane;
    if (at_to * sign < 0) out->to = *plane;
    return true;
}

static void walk(cast* c, span first)
{
    span waiting[WAITING];
    int count = 0;
    waiting[count++] = first;
    while (count > 0) {
        span s = waiting[--count];
        // What begins behind the best so far cannot be better.
        if (c->found && !c->extend && order(c, &s.from, &c->in) >= 0) continue;
        while (s.at >= 0) {
            const place plane = plane_place(c, (uint32_t)s.at);
            const tact_bsp_node* node = &c->tree->nodes[s.at];
            const int from = side_at(c, &plane, &s.from), to = side_at(c, &plane, &s.to);
            span half[2];
            bool have[2];
            have[0] = part(&s, &plane, from, to, 1, node->child[0], &half[0]);
            have[1] = part(&s, &plane, from, to, -1, node->child[1], &half[1]);
            const int near = from < 0 || (from == 0 && to > 0);
            if (!have[near]) {
                s = half[!near];
                continue;
            }
            s = half[near];
            if (!have[!near]) continue;
            if (count == WAITING) {
                walk(c, half[!near]);
            } else {
                waiting[count++] = half[!near];
            }
        }
        if (s.at == TACT_BSP_SOLID) take(c, &s);
    }
}

static bool is_ray(const tact_ray* ray)
{
    return isfinite(ray->ox) && isfinite(ray->oy) && isfinite(ray->oz) && isfinite(ray->dx) && isfinite(ray->dy) &&
           isfinite(ray->dz) && (ray->dx != 0.0f || ray->dy != 0.0f || ray->dz != 0.0f) && ray->tmin <= ray->tmax &&
           !(isinf(ray->tmin) && ray->tmin == ray->tmax);
}

static int32_t lowest(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static bool begin(cast* c, const tact_bsp* tree, const tact_ray* ray, span* whole)
{
    if (tree->node_count == 0 || !is_ray(ray)) return false;
    *c = (cast){.tree = tree, .ray = ray};
    c->origin = (tact_vec3){ray->ox, ray->oy, ray->oz};
    c->direction = (tact_vec3){ray->dx, ray->dy, ray->dz};
    c->mesh = (tact_bsp_mesh){tree->positions, tree->indices, tree->nodes, tree->scale, NULL};
    c->scale = lowest(tree->scale, lowest(tact_bsp_scale_of(&c->origin, 1), tact_bsp_scale_of(&c->direction, 1)));
    *whole = (span){0, {TACT_BSP_NONE, 0.0, 0.0, (double)ray->tmin}, {TACT_BSP_NONE, 0.0, 0.0, (double)ray->tmax}};
    return true;
}

/// The one of a node's triangles that the point at t is farthest inside of.
static uint32_t triangle_at(const cast* c, uint32_t number, double t)
{
    const tact_bsp* tree = c->tree;
    const dvec p = d_along(d_from(c->origin), t, d_from(c->direction));
    const size_t end = (size_t)number + 1 < tree->node_count ? tree->nodes[number + 1].first_face : tree->face_count;
    uint32_t best = TACT_BSP_NONE;
    double most = -HUGE_VAL;
    for (size_t i = tree->nodes[number].first_face; i < end; ++i) {
        const uint32_t* corner = tree->indices + 3 * (size_t)tree->faces[i];
        const dvec a = d_from(tree->positions[corner[0]]), b = d_from(tree->positions[corner[1]]);
        const dvec d = d_from(tree->positions[corner[2]]), n = d_cross(d_sub(b, a), d_sub(d, a));
        const double u = d_dot(n, d_cross(d_sub(d, b), d_sub(p, b))), v = d_dot(n, d_cross(d_sub(a, d), d_sub(p, d)));
        const double w = d_dot(n, d_cross(d_sub(b, a), d_sub(p, a)));
        const double inside = fmin(u, fmin(v, w)) / d_dot(n, n);
        if (best != TACT_BSP_NONE && !(inside > most)) continue;
        most = inside;
        best = tree->faces[i];
    }
    return best;
}

tact_bsp_ray_hit tact_bsp_ray(const tact_bsp* tree, const tact_ray* ray)
{
    tact_bsp_ray_hit hit = {false, INFINITY, TACT_BSP_NONE, TACT_BSP_NONE};
    cast c;
    span whole;
    if (!begin(&c, tree, ray, &whole)) return hit;
    walk(&c, whole);
    if (!c.found) return hit;
    hit.hit = true;
    hit.t = t_of(&c, &c.in);
    hit.node = c.in.node;
    if (c.in.node != TACT_BSP_NONE) hit.triangle = triangle_at(&c, c.in.node, -c.in.start / c.in.slope);
    return hit;
}

void tact_bsp_rays(const tact_bsp* tree, const tact_ray* rays, size_t count, tact_bsp_ray_hit* hits)
{
    for (size_t i = 0; i < count; ++i)
        hits[i] = tact_bsp_ray(tree, &rays[i]);
}

size_t tact_bsp_intervals(const tact_bsp* tree, const tact_ray* ray, tact_bsp_interval* intervals, size_t capacity)
{
    size_t count = 0;
    cast c;
    span whole;
    if (!begin(&c, tree, ray, &whole)) return 0;
    for (place after;; c.after = &after) {
        c.found = c.extend = false;
        walk(&c, whole);
        if (!c.found) return count;
        // Parts in a node's plane come from both of its sides, in no order.
        c.extend = true;
        do {
            c.changed = false;
            walk(&c, whole);
        } while (c.changed);
        if (count < capacity) {
            intervals[count] = (tact_bsp_interval){t_of(&c, &c.in), t_of(&c, &c.out), c.in.node, c.out.node};
        }
        ++count;
        after = c.out;
    }
}
