// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A ray of a stream by itself: what it hits in a leaf, and its way down a tree. Included by lanes_body.h.

enum {
    ALONE_POOL = 64,   // of few rays: those that wait
    ALONE_GROUP = 12,  // and those that go down in turn
};

typedef struct stream_walk {
    const tact_trace_scene* scene;
    tact_stream* s;
    const tact_ray* rays;  // the caller's
    const tact_ray_rules* rules;
    size_t first;    // number of those rays' first in the whole batch
    bool several;    // instances
    bool masks;      // have to be looked at
    bool picky;      // hits must pass tact_trace_passes
    bool blocks;     // rays meet whole blocks, whichever leaves they reach in them
    uint32_t faces;  // that are hit
    // Of the instance.
    uint32_t instance, mesh, kind;
} stream_walk;

LANES_INLINE void prefetch_block(const tact_triangle_block* block)
{
    const char* p = (const char*)block;
    for (int i = 0; i < 5; ++i)
        TACT_PREFETCH(p + 64 * i);
}

/// Has a child read ahead.
LANES_INLINE void prefetch_child(const tact_trace_scene* scene, uint32_t primitives, uint32_t kind, uint32_t child)
{
    if (kind == TACT_BVH8_INNER) {
        const char* p = (const char*)&scene->wide[child];
        TACT_PREFETCH(p);
        TACT_PREFETCH(p + 64);
    } else if (primitives == TACT_KIND_TRIANGLES) {
        prefetch_block(&scene->blocks[child / TACT_BVH8_BLOCK]);
    } else {
        TACT_PREFETCH(&scene->shapes[child]);
    }
}

LANES_INLINE TactRayFrame stream_frame(const tact_stream* s, uint32_t id)
{
    const tact_stream_ray* r = &s->rays[id];
    return (TactRayFrame){r->origin[0],
                          r->origin[1],
                          r->origin[2],
                          r->inverse[0],
                          r->inverse[1],
                          r->inverse[2],
                          r->sx,
                          r->sy,
                          r->sz,
                          (int)r->axis,
                          1};
}

/// Hits of a ray beyond `limit` matter no more, in no frame.
LANES_INLINE void stream_limit(stream_walk* w, uint32_t id, float limit)
{
    w->s->rays[id].limit = limit;
    if (w->several) w->s->world[id].limit = limit;
}

/// Whether hits make rays shorter, so that nodes are gone through from the nearest on.
LANES_INLINE bool shortens(tact_ray_mode mode)
{
    return mode == TACT_RAY_CLOSEST || mode == TACT_TRACE_NEAREST;
}

/// Puts a hit among the nearest of a ray.
LANES_TARGET static void stream_put_nearest(stream_walk* w, uint32_t id, const tact_hit* hit)
{
    const tact_trace_pool* pool = w->s->pool;
    tact_hit* nearest = pool->nearest + (size_t)id * pool->most;
    uint32_t* count = &w->s->counts[id];
    *count = tact_trace_put_nearest(nearest, *count, pool->most, hit);
    // Hits with an equal t may still come before the farthest.
    if (*count == pool->most) stream_limit(w, id, nearest[0].t);
}

/// Takes a hit, if it passes. True when the ray is done.
LANES_INLINE bool stream_take(stream_walk* w, tact_ray_mode mode, uint32_t id, uint32_t primitive,
                              const TactTriangleHit* h)
{
    tact_stream* s = w->s;
    const tact_hit hit = {w->instance, primitive, h->t, h->u, h->v};
    if (w->picky) {
        const uint32_t number = s->numbers[id];
        const tact_trace_mesh* mesh = &w->scene->meshes[w->mesh];
        if (!tact_trace_passes(mesh, w->rules, w->first + number, &w->rays[number], &hit)) return false;
    }
    if (mode == TACT_RAY_CLOSEST) {
        if (!tact_trace_closer(h->t, w->instance, primitive, &s->best[id])) return false;
        s->best[id] = hit;
        stream_limit(w, id, h->t);
        return false;
    }
    if (mode == TACT_TRACE_NEAREST) {
        stream_put_nearest(w, id, &hit);
        return false;
    }
    ++s->counts[id];
    if (mode == TACT_TRACE_LIST) tact_trace_keep(s->pool, s->numbers[id], &hit);
    if (mode != TACT_RAY_ANY) return false;
    stream_limit(w, id, -1.0f);
    return true;
}

/// Triangles with an edge value that is zero. True when the ray is done.
LANES_TARGET static bool stream_exact(stream_walk* w, tact_ray_mode mode, uint32_t id, const tact_triangle_block* block,
                                      uint32_t left)
{
    const tact_stream* s = w->s;
    const tact_stream_ray* r = &s->rays[id];
    const TactRayFrame f = stream_frame(s, id);
    const TactInterval gate = {r->enter, r->leave};
    for (; left; left &= left - 1u) {
        const uint32_t i = tact_lowest_bit_64(left);
        const TactTriangleHit h = tact_ray_triangle(
            f, block->corner[0][0][i], block->corner[0][1][i], block->corner[0][2][i], block->corner[1][0][i],
            block->corner[1][1][i], block->corner[1][2][i], block->corner[2][0][i], block->corner[2][1][i],
            block->corner[2][2][i], gate, r->tmin, r->limit);
        if (!((uint32_t)h.hit & w->faces)) continue;
        if (stream_take(w, mode, id, block->primitive[i], &h)) return true;
    }
    return false;
}

/// A leaf of spheres, boxes or capsules. True when the ray is done.
LANES_TARGET static bool stream_shapes(stream_walk* w, tact_ray_mode mode, uint32_t id, uint32_t slot, uint32_t count)
{
    const tact_stream* s = w->s;
    const tact_stream_ray* r = &s->rays[id];
    const TactRayFrame f = stream_frame(s, id);
    const TactInterval gate = {r->enter, r->leave};
    for (uint32_t k = slot; k < slot + count; ++k) {
        const tact_trace_shape* shape = &w->scene->shapes[k];
        const TactTriangleHit h =
            tact_ray_shape(f, tact_trace_shape_of(shape), w->kind, gate, r->tmin, r->limit, w->faces);
        if (h.hit && stream_take(w, mode, id, shape->primitive, &h)) return true;
    }
    return false;
}

/// Triangles of a block that are left after their edge values. True when the ray is done.
LANES_INLINE bool stream_hits(stream_walk* w, tact_ray_mode mode, uint32_t id, const tact_triangle_block* block,
                              uint32_t left, const edge_lanes* e)
{
    const uint32_t zeros = edge_zeros(e, left);
    if (zeros && stream_exact(w, mode, id, block, zeros)) return true;
    f8 t, sum;
    left = triangle_test(&w->s->rays[id], block, left & ~zeros, w->faces, e, &t, &sum);
    if (!left) return false;
    // To any hit and to counts it is nothing where it is, but for filters.
    if ((mode == TACT_RAY_ANY || mode == TACT_RAY_COUNT) && !w->picky) {
        w->s->counts[id] += tact_bits_set(left);
        if (mode == TACT_RAY_ANY) stream_limit(w, id, -1.0f);
        return mode == TACT_RAY_ANY;
    }
    float ts[8], us[8], vs[8];
    f8_store(ts, t);
    f8_store(us, f8_div(e->v, sum));
    f8_store(vs, f8_div(e->w, sum));
    for (; left; left &= left - 1u) {
        const uint32_t i = tact_lowest_bit_64(left);
        const TactTriangleHit h = {ts[i], us[i], vs[i], 1};
        if (stream_take(w, mode, id, block->primitive[i], &h)) return true;
    }
    return false;
}

LANES_TARGET static bool alone_leaf(stream_walk* w, tact_ray_mode mode, uint32_t id, uint32_t slot, uint32_t count)
{
    if (w->kind != TACT_KIND_TRIANGLES) return stream_shapes(w, mode, id, slot, count);
    const tact_triangle_block* block = &w->scene->blocks[slot / TACT_BVH8_BLOCK];
    edge_lanes e;
    const uint32_t left = edge_test(&w->s->rays[id], block, ((1u << count) - 1u) << slot % TACT_BVH8_BLOCK, &e);
    return left && stream_hits(w, mode, id, block, left, &e);
}

typedef struct alone_aside {
    float enter;
    uint32_t kind, child;
} alone_aside;

LANES_INLINE alone_aside alone_child(const tact_bvh8_node* node, const float* distances, uint32_t i)
{
    return (alone_aside){distances[i], tact_bvh8_kind(node, (int)i), tact_bvh8_child(node, (int)i)};
}

/// A ray that goes down by itself.
typedef struct alone_ray {
    uint32_t id;
    alone_aside next;
    alone_aside* top;
    alone_aside stack[TACT_BVH8_STACK];
    char apart[200];  // so that the stacks of a group do not meet in the same lines of a cache
} alone_ray;

/// Puts the children that are reached aside, the farthest lowest, except for the nearest, which is next.
LANES_INLINE void alone_put(const stream_walk* w, tact_ray_mode mode, alone_ray* a, const tact_bvh8_node* node,
                            uint32_t reached, f8 distance)
{
    _Alignas(32) float distances[8];
    f8_store(distances, distance);
    alone_aside next = alone_child(node, distances, tact_lowest_bit_64(reached));
    reached &= reached - 1u;
    prefetch_child(w->scene, w->kind, next.kind, next.child);
    if (reached) {
        alone_aside *bottom = a->top, *top = bottom;
        do {
            alone_aside other = alone_child(node, distances, tact_lowest_bit_64(reached));
            reached &= reached - 1u;
            prefetch_child(w->scene, w->kind, other.kind, other.child);
            if (shortens(mode) && other.enter < next.enter) {
                const alone_aside swap = next;
                next = other;
                other = swap;
            }
            alone_aside* at = top++;
            for (; shortens(mode) && at > bottom && at[-1].enter < other.enter; --at)
                *at = at[-1];
            *at = other;
        } while (reached);
        a->top = top;
    }
    a->next = next;
}

/// One node or one leaf. False when the ray is done.
LANES_INLINE bool alone_step(stream_walk* w, tact_ray_mode mode, alone_ray* a)
{
    const tact_stream_ray* r = &w->s->rays[a->id];
    if (a->next.kind == TACT_BVH8_INNER) {
        const tact_bvh8_node* node = &w->scene->wide[a->next.child];
        f8 enter[3], leave[3], distance;
        box_sides(node, r->octant, enter, leave);
        const uint32_t reached = box_test(r, enter, leave, TACT_TREE_GROWTH, &distance);
        if (reached) {
            alone_put(w, mode, a, node, reached, distance);
            return true;
        }
    } else if (alone_leaf(w, mode, a->id, a->next.child, a->next.kind)) {
        return false;
    }
    const float limit = box_limit(r, TACT_TREE_GROWTH);
    do {
        if (a->top == a->stack) return false;
        a->next = *--a->top;
    } while (a->next.enter > limit);
    return true;
}

/// Rays that wait to go on by themselves, and from where.
typedef struct alone_pool {
    uint32_t count;
    uint32_t ids[ALONE_POOL], nodes[ALONE_POOL];
} alone_pool;

/// Rays from nodes on down, each by itself, a step of each in turn: while one waits for memory the others work.
LANES_TARGET static void stream_alone(stream_walk* w, tact_ray_mode mode, alone_pool* pool)
{
    alone_ray rays[ALONE_GROUP];
    alone_ray* going[ALONE_GROUP];
    uint32_t n = 0, next = 0;
    for (uint32_t i = 0; i < ALONE_GROUP; ++i)
        going[i] = &rays[i];
    for (;;) {
        for (; n < ALONE_GROUP && next < pool->count; ++next) {
            if (w->s->rays[pool->ids[next]].limit < 0.0f) continue;
            alone_ray* a = going[n++];
            a->id = pool->ids[next];
            a->next = (alone_aside){0.0f, TACT_BVH8_INNER, pool->nodes[next]};
            a->top = a->stack;
        }
        if (n == 0) break;
        for (uint32_t k = 0; k < n;) {
            if (alone_step(w, mode, going[k])) {
                ++k;
                continue;
            }
            alone_ray* done = going[k];
            going[k] = going[--n];
            going[n] = done;
        }
    }
    pool->count = 0;
}
