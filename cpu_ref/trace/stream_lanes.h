// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Many rays through the trees together. Included by lanes_body.h.
//
// A node is decoded once for all rays of a list, and for each of them its eight boxes are tested; the rays that reach a
// child make up a list for it. Lists are gone through from the nearest child to the farthest, as seen along the rays'
// mean direction, so that hits shorten rays before they come to what lies behind. No ray waits for its own last step,
// and there is nothing for a processor to guess but how long lists are. After Tsakok, "Faster incoherent rays:
// multi-BVH ray stream tracing" (2009) and Barringer, Akenine-Moller, "Dynamic ray stream traversal" (2014).
//
// Lists become short where trees end. So rays that reach leaves wait until sixteen are together, whichever leaves they
// are, and so do the rays of very short lists, each with its node; what a batch of those reaches goes back to where it
// came from. In none of this is there a branch for what a ray meets. A test is as wide as a block, so that a ray which
// reaches several leaves of one meets all the block's triangles once. Not so where each hit counts or passes a filter:
// another node's leaf in that block would bring the ray there again.

enum { STREAM_SHORT = 3 };  // the longest list whose rays go on as pairs of a ray and a node

typedef struct stream_entry {
    uint32_t child, kind;
    uint32_t begin, count;
} stream_entry;

/// For each ray of a list, which children it reaches. Returns those that any of them does. Writes up to 15 places past
/// the masks.
LANES_INLINE uint32_t stream_test(const tact_stream_ray* rays, const uint32_t* ids, uint32_t count, const f8 enter[3],
                                  const f8 leave[3], float growth, uint8_t* masks)
{
    f8 distance;
#if TACT_LANES_ISA >= 2
    // A load of sixteen bytes waits for stores of single ones, but not for one of all.
    uint64_t all = 0;
    for (uint32_t j = 0; j < count; j += 16) {
        const uint32_t n = count - j < 16 ? count - j : 16, half = n < 8 ? n : 8;
        uint64_t low = 0, high = 0;
        for (uint32_t k = 0; k < half; ++k)
            low |= (uint64_t)box_test(&rays[ids[j + k]], enter, leave, growth, &distance) << (8 * k);
        for (uint32_t k = half; k < n; ++k)
            high |= (uint64_t)box_test(&rays[ids[j + k]], enter, leave, growth, &distance) << (8 * k - 64);
        all |= low | high;
        bytes16_store(masks + j, low, high);
    }
    all |= all >> 32;
    all |= all >> 16;
    return (uint32_t)(all | all >> 8) & 0xffu;
#else
    uint32_t reached = 0;
    for (uint32_t j = 0; j < count; ++j) {
        const uint32_t mask = box_test(&rays[ids[j]], enter, leave, growth, &distance);
        masks[j] = (uint8_t)mask;
        reached |= mask;
    }
    return reached;
#endif
}

/// Those of a list whose mask has a bit of `which`, one after the other; returns how many. Writes up to 15 places past
/// them.
LANES_INLINE uint32_t stream_pick(const uint32_t* ids, uint32_t count, const uint8_t* masks, uint32_t which,
                                  uint32_t* out)
{
    uint32_t n = 0;
#if TACT_LANES_ISA >= 2
    for (uint32_t j = 0; j < count; j += 16) {
        uint32_t m = bytes16_with(masks + j, (uint8_t)which);
        if (count - j < 16) m &= (1u << (count - j)) - 1u;
        n += lanes_pack_sixteen(out + n, m, ids + j);
    }
#else
    for (uint32_t j = 0; j < count; ++j) {
        out[n] = ids[j];
        n += (masks[j] & which) != 0;
    }
#endif
    return n;
}

/// Tests the rays that wait at leaves. The edges of several are tested before any of their hits is looked at, so that
/// whether a ray goes on is no branch, which would be taken for every other ray and cannot be foretold.
LANES_TARGET static void stream_leaves(stream_walk* w, tact_ray_mode mode)
{
    enum { BATCH = TACT_STREAM_BATCH };
    const tact_stream* s = w->s;
    tact_stream_leaves* l = s->leaves;
    TACT_ASSERT(l->count <= TACT_STREAM_LEAVES);
    for (uint32_t j = 0; w->kind != TACT_KIND_TRIANGLES && j < l->count; ++j) {
        if (mode != TACT_RAY_ANY || s->rays[l->ids[j]].limit >= 0.0f)
            (void)stream_shapes(w, mode, l->ids[j], l->slots[j], l->counts[j]);
    }
    edge_lanes edges[BATCH];
    uint32_t at[BATCH], left[BATCH];
    for (uint32_t begin = 0; w->kind == TACT_KIND_TRIANGLES && begin < l->count; begin += BATCH) {
        const uint32_t end = l->count - begin < BATCH ? l->count : begin + BATCH;
        for (uint32_t j = begin; j < end; ++j)
            prefetch_block(&w->scene->blocks[l->slots[j] / TACT_BVH8_BLOCK]);
        uint32_t n = 0;
        for (uint32_t j = begin; j < end; ++j) {
            const tact_stream_ray* r = &s->rays[l->ids[j]];
            const uint32_t slot = l->slots[j];
            const tact_triangle_block* block = &w->scene->blocks[slot / TACT_BVH8_BLOCK];
            const uint32_t places =
                w->blocks ? block_places(block) : ((1u << l->counts[j]) - 1u) << slot % TACT_BVH8_BLOCK;
            at[n] = j;
            left[n] = edge_test(r, block, places, &edges[n]);
            n += (uint32_t)(left[n] != 0) & (uint32_t)(r->limit >= 0.0f);
        }
        for (uint32_t k = 0; k < n; ++k) {
            const tact_triangle_block* block = &w->scene->blocks[l->slots[at[k]] / TACT_BVH8_BLOCK];
            (void)stream_hits(w, mode, l->ids[at[k]], block, left[k], &edges[k]);
        }
    }
    l->count = 0;
}

/// Lets the rays of a list whose mask has a bit of `which` wait at a leaf, or at the block that it is in.
LANES_INLINE void stream_wait(stream_walk* w, tact_ray_mode mode, const uint32_t* ids, uint32_t count, uint32_t which,
                              uint32_t slot, uint32_t primitives)
{
    enum { MOST = TACT_STREAM_LEAVES / 2 };
    tact_stream_leaves* l = w->s->leaves;
    prefetch_child(w->scene, w->kind, primitives, slot);
    for (uint32_t begin = 0; begin < count; begin += MOST) {
        const uint32_t some = count - begin < MOST ? count - begin : MOST;
        if (l->count + some > TACT_STREAM_LEAVES) stream_leaves(w, mode);
        const uint32_t n = stream_pick(ids + begin, some, w->s->masks + begin, which, l->ids + l->count);
        for (uint32_t j = 0; j < n; j += TACT_STREAM_BATCH) {
            for (uint32_t i = l->count + j; i < l->count + j + TACT_STREAM_BATCH; ++i) {
                l->slots[i] = slot;
                l->counts[i] = primitives;
            }
        }
        l->count += n;
    }
}

/// Goes on with pairs until fewer than `least` are left.
LANES_TARGET static void stream_pairs(stream_walk* w, tact_ray_mode mode, uint32_t least)
{
    enum { BATCH = TACT_STREAM_BATCH, MORE = TACT_STREAM_BATCH * TACT_BVH8_WIDTH };
    tact_stream_pairs* p = w->s->pairs;
    tact_stream_leaves* l = w->s->leaves;
    while (p->count >= least) {
        // Those of a level go before any of the level above, so that there are at most MORE on each.
        TACT_ASSERT(p->count <= TACT_STREAM_PAIRS);
        uint32_t ids[BATCH], nodes[BATCH];
        const uint32_t n = p->count < BATCH ? p->count : BATCH;
        p->count -= n;
        memcpy(ids, p->ids + p->count, sizeof ids);
        memcpy(nodes, p->nodes + p->count, sizeof nodes);
        if (l->count + MORE > TACT_STREAM_LEAVES) stream_leaves(w, mode);
        for (uint32_t k = 0; k < n; ++k)
            prefetch_child(w->scene, w->kind, TACT_BVH8_INNER, nodes[k]);
        for (uint32_t k = 0; k < n; ++k) {
            const tact_bvh8_node* node = &w->scene->wide[nodes[k]];
            const tact_stream_ray* r = &w->s->rays[ids[k]];
            f8 enter[3], leave[3], distance;
            box_sides(node, r->octant, enter, leave);
            const uint32_t reached = box_test(r, enter, leave, TACT_TREE_GROWTH, &distance);
            const uint32_t inner = reached & node->inner, leaves = reached & ~inner;
            for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
                p->ids[p->count + i] = ids[k];
                l->ids[l->count + i] = ids[k];
            }
            lanes_put_bytes(p->nodes + p->count, inner, node->meta, 0, 31, node->node);
            p->count += lanes_count(inner);
            if (w->blocks) {
                l->count += lanes_put_eights(l->slots + l->count, leaves, node->meta, node->slot);
                continue;
            }
            lanes_put_bytes(l->slots + l->count, leaves, node->meta, 0, 31, node->slot);
            lanes_put_bytes(l->counts + l->count, leaves, node->meta, 5, 7, 0);
            l->count += lanes_count(leaves);
        }
    }
}

/// Children from the nearest along a direction to the farthest.
LANES_INLINE void stream_sort(const f8 enter[3], const float along[3], uint32_t order[8])
{
    f8 key = f8_mul(enter[0], f8_set(along[0]));
    key = f8_add(key, f8_mul(enter[1], f8_set(along[1])));
    key = f8_add(key, f8_mul(enter[2], f8_set(along[2])));
    float keys[8];
    f8_store(keys, key);
    for (uint32_t i = 0; i < 8; ++i) {
        const uint32_t less = f8_lt_bits(key, f8_set(keys[i])),
                       same = f8_le_bits(key, f8_set(keys[i])) & ~less & ((1u << i) - 1u);
        order[tact_bits_set(less | same)] = i;
    }
}

/// Puts a child on the stack, with those rays of a list that reach it, at `at` of the lists; returns how many.
LANES_INLINE uint32_t stream_push(const stream_walk* w, const tact_bvh8_node* node, uint32_t i, const stream_entry* e,
                                  uint32_t at, stream_entry* to)
{
    tact_stream* s = w->s;
    const uint32_t child = tact_bvh8_child(node, (int)i), kind = tact_bvh8_kind(node, (int)i);
    prefetch_child(w->scene, w->kind, kind, child);
    const uint32_t n = stream_pick(s->lists + e->begin, e->count, s->masks, 1u << i, s->lists + at);
    *to = (stream_entry){child, kind, at, n};
    return n;
}

/// Those of a node's leaves that lie in the block of the first of them.
LANES_INLINE uint32_t with_block(const tact_bvh8_node* node, uint32_t leaves)
{
    const uint32_t block = tact_bvh8_child(node, (int)tact_lowest_bit_64(leaves)) / TACT_BVH8_BLOCK;
    uint32_t left = leaves & (leaves - 1u);
    while (left && tact_bvh8_child(node, (int)tact_lowest_bit_64(left)) / TACT_BVH8_BLOCK == block)
        left &= left - 1u;
    return leaves & ~left;
}

/// Puts a node's children that rays of a list reach on the stack, the farthest first, each with its list, all of which
/// lie behind that list. In a mesh's tree only those that are nodes, unless `top`; at leaves rays wait.
LANES_INLINE int stream_open(stream_walk* w, tact_ray_mode mode, bool top, const tact_stream_ray* rays,
                             const tact_bvh8_node* node, uint32_t octant, const float along[3], const stream_entry* e,
                             stream_entry* stack, int height)
{
    tact_stream* s = w->s;
    const uint32_t* ids = s->lists + e->begin;
    uint32_t at = e->begin + e->count;
    f8 enter[3], leave[3];
    box_sides(node, octant, enter, leave);
    const float growth = top ? TACT_TREE_INSTANCE_GROWTH : TACT_TREE_GROWTH;
    uint32_t reached = stream_test(rays, ids, e->count, enter, leave, growth, s->masks);
    if (top) {
        reached &= box_present(node);
    } else {
        for (uint32_t m = reached & ~(uint32_t)node->inner; m;) {
            const uint32_t i = tact_lowest_bit_64(m), which = w->blocks ? with_block(node, m) : 1u << i;
            stream_wait(w, mode, ids, e->count, which, tact_bvh8_child(node, (int)i), tact_bvh8_kind(node, (int)i));
            m &= ~which;
        }
        reached &= node->inner;
    }
    // To any hit and to counts the order is nothing: what it saves of nodes it costs itself.
    if (!shortens(mode) && !top) {
        for (; reached; reached &= reached - 1u)
            at += stream_push(w, node, tact_lowest_bit_64(reached), e, at, &stack[height++]);
        return height;
    }
    if (!reached) return height;
    uint32_t order[8];
    stream_sort(enter, along, order);
    for (int c = 7; c >= 0; --c) {
        if ((reached >> order[c]) & 1u) at += stream_push(w, node, order[c], e, at, &stack[height++]);
    }
    return height;
}

/// Takes a list of rays of one octant, which lies at `begin` of the lists, down a mesh's tree.
LANES_TARGET static void stream_mesh(stream_walk* w, tact_ray_mode mode, uint32_t root, uint32_t octant,
                                     const float along[3], uint32_t begin, uint32_t count)
{
    tact_stream* s = w->s;
    tact_stream_pairs* p = s->pairs;
    const tact_bvh8_node* nodes = w->scene->wide;
    stream_entry stack[TACT_BVH8_STACK];
    int height = 0;
    stack[height++] = (stream_entry){root, TACT_BVH8_INNER, begin, count};
    while (height > 0) {
        const stream_entry e = stack[--height];
        // All its children's lists together are at most eight times as long.
        const bool full = e.begin + 9 * e.count > TACT_STREAM_LISTS;
        if (e.count <= STREAM_SHORT || full) {
            for (uint32_t j = 0; j < e.count; ++j) {
                if (p->count == TACT_STREAM_WAITING) stream_pairs(w, mode, 1);
                p->ids[p->count] = s->lists[e.begin + j];
                p->nodes[p->count++] = e.child;
            }
            continue;
        }
        // What they hit may shorten rays that wait in longer lists, but few at a time wait for memory too often.
        if (p->count >= TACT_STREAM_BATCH) stream_pairs(w, mode, TACT_STREAM_BATCH);
        if (s->leaves->count >= TACT_STREAM_BATCH) stream_leaves(w, mode);
        height = stream_open(w, mode, false, s->rays, &nodes[e.child], octant, along, &e, stack, height);
    }
}

/// The mean direction of a list, roughly.
LANES_INLINE void stream_along(const tact_stream_ray* rays, const uint32_t* ids, uint32_t count, float along[3])
{
    const uint32_t stride = count / 16 + 1;
    for (int k = 0; k < 3; ++k) {
        // Steeper ones count for more: what they are along an axis is the inverse of the reciprocal.
        float sum = 0.0f;
        for (uint32_t j = 0; j < count; j += stride) {
            const tact_stream_ray* r = &rays[ids[j]];
            const float dominant = r->inverse[r->axis];
            sum += (dominant < 0.0f ? -dominant : dominant) / r->inverse[k];
        }
        along[k] = sum;
    }
}

/// A list of rays in order of octants, those that miss last, to `out`. Returns where those of each octant begin.
LANES_INLINE void stream_octants(const tact_stream_ray* rays, const uint32_t* ids, uint32_t count, uint32_t begins[9],
                                 uint32_t* out)
{
    uint32_t next[9] = {0}, sum = 0;
    for (uint32_t j = 0; j < count; ++j)
        ++next[rays[ids[j]].octant];
    for (uint32_t o = 0; o < 9; ++o) {
        const uint32_t here = next[o];
        begins[o] = next[o] = sum;
        sum += here;
    }
    for (uint32_t j = 0; j < count; ++j)
        out[next[rays[ids[j]].octant]++] = ids[j];
}

/// Takes the rays of a list through an instance. Lists from `free` on are not in use.
LANES_TARGET static void stream_instance(stream_walk* w, tact_ray_mode mode, uint32_t index, const uint32_t* ids,
                                         uint32_t count, uint32_t free)
{
    tact_stream* s = w->s;
    const tact_trace_instance* instance = &w->scene->instances[index];
    // The only instance is where all rays learn that nothing is hit so far, also those that cannot hit it.
    if (!w->several) prepare_instance(s, w->rays, instance, ids, count, true);
    if (w->masks) {
        uint32_t n = 0;
        for (uint32_t j = 0; j < count; ++j) {
            s->lists[free + n] = ids[j];
            n += (s->mask[ids[j]] & instance->mask) != 0;
        }
        ids = s->lists + free;
        count = n;
        free += n;
    }
    w->instance = instance->id;
    w->mesh = instance->mesh;
    w->kind = instance->kind;
    if (w->several) prepare_instance(s, w->rays, instance, ids, count, false);
    uint32_t begins[9];
    stream_octants(s->rays, ids, count, begins, s->lists + free);
    // The last first: behind it there is room for lists.
    for (uint32_t o = 8; o-- > 0;) {
        const uint32_t begin = free + begins[o], n = begins[o + 1] - begins[o];
        float along[3] = {0.0f, 0.0f, 0.0f};
        if (n == 0) continue;
        if (shortens(mode)) stream_along(s->rays, s->lists + begin, n, along);
        stream_mesh(w, mode, instance->wide_root, o, along, begin, n);
    }
    stream_pairs(w, mode, 1);
    stream_leaves(w, mode);
}

/// Takes a few rays through an instance, each by itself.
LANES_TARGET static void few_instance(stream_walk* w, tact_ray_mode mode, uint32_t index, const uint32_t* ids,
                                      uint32_t count)
{
    tact_stream* s = w->s;
    const tact_trace_instance* instance = &w->scene->instances[index];
    prepare_instance(s, w->rays, instance, ids, count, !w->several);
    w->instance = instance->id;
    w->mesh = instance->mesh;
    w->kind = instance->kind;
    alone_pool pool;
    pool.count = 0;
    for (uint32_t j = 0; j < count; ++j) {
        if (s->rays[ids[j]].octant == 8 || (w->masks && (s->mask[ids[j]] & instance->mask) == 0)) continue;
        pool.ids[pool.count] = ids[j];
        pool.nodes[pool.count++] = instance->wide_root;
    }
    stream_alone(w, mode, &pool);
}

/// Takes a ray down the tree over instances from a node on, through the nearest of them first.
LANES_TARGET static void few_top(stream_walk* w, tact_ray_mode mode, uint32_t node_index, uint32_t id)
{
    tact_stream* s = w->s;
    tact_stream_ray* r = &s->world[id];
    alone_aside stack[TACT_BVH8_TOP_STACK];
    int top = 0;
    if (r->octant != 8) stack[top++] = (alone_aside){0.0f, TACT_BVH8_INNER, node_index};
    while (top > 0 && r->limit >= 0.0f) {
        const alone_aside e = stack[--top];
        if (e.enter > box_limit(r, TACT_TREE_INSTANCE_GROWTH)) continue;
        if (e.kind != TACT_BVH8_INNER) {
            few_instance(w, mode, e.child, &id, 1);
            continue;
        }
        const tact_bvh8_node* node = &w->scene->wide_top[e.child];
        f8 enter[3], leave[3], distance;
        _Alignas(32) float distances[8];
        box_sides(node, r->octant, enter, leave);
        uint32_t reached = box_test(r, enter, leave, TACT_TREE_INSTANCE_GROWTH, &distance) & box_present(node);
        f8_store(distances, distance);
        for (const int bottom = top; reached; reached &= reached - 1u) {
            const alone_aside child = alone_child(node, distances, tact_lowest_bit_64(reached));
            int at = top++;
            for (; at > bottom && stack[at - 1].enter < child.enter; --at)
                stack[at] = stack[at - 1];
            stack[at] = child;
        }
    }
}

/// Takes a list of rays of one octant down the tree over instances. Where there is no room for lists rays go on by
/// themselves.
LANES_TARGET static void stream_top(stream_walk* w, tact_ray_mode mode, uint32_t octant, const float along[3],
                                    uint32_t begin, uint32_t count)
{
    tact_stream* s = w->s;
    stream_entry stack[TACT_BVH8_TOP_STACK];
    int height = 0;
    stack[height++] = (stream_entry){0, TACT_BVH8_INNER, begin, count};
    while (height > 0) {
        const stream_entry e = stack[--height];
        if (e.kind != TACT_BVH8_INNER) {
            stream_instance(w, mode, e.child, s->lists + e.begin, e.count, e.begin + e.count);
            continue;
        }
        // All its children's lists together are at most eight times as long; an instance takes two more.
        if (e.begin + 11 * e.count > TACT_STREAM_LISTS) {
            for (uint32_t j = 0; j < e.count; ++j)
                few_top(w, mode, e.child, s->lists[e.begin + j]);
            continue;
        }
        height = stream_open(w, mode, true, s->world, &w->scene->wide_top[e.child], octant, along, &e, stack, height);
    }
}

LANES_TARGET static void stream_all(stream_walk* w, tact_ray_mode mode, uint32_t count)
{
    tact_stream* s = w->s;
    if (!w->several) {
        stream_instance(w, mode, 0, s->lists, count, count);
        return;
    }
    prepare_world(s, w->rays, s->lists, count);
    uint32_t begins[9];
    stream_octants(s->world, s->lists, count, begins, s->lists + count);
    for (uint32_t o = 8; o-- > 0;) {
        const uint32_t begin = count + begins[o], n = begins[o + 1] - begins[o];
        float along[3];
        if (n == 0) continue;
        stream_along(s->world, s->lists + begin, n, along);
        stream_top(w, mode, o, along, begin, n);
    }
}

/// The answers, to where the caller wants them, without a branch for whether something is hit.
LANES_TARGET static void stream_store(const tact_stream* s, const tact_trace_job* job, uint32_t count)
{
    enum { AHEAD = 16 };
    for (uint32_t j = 0; job->occluded && j < count; ++j)
        job->occluded[s->numbers[j]] = s->counts[j] != 0;
    if (job->occluded) return;
    const VF zero = V_SET(0.0f), none = V_LOAD_WORDS(lanes_none);
    for (uint32_t j = 0; j < count; j += LANES) {
        const uint32_t n = count - j < LANES ? count - j : LANES;
        void* rows[LANES];
        for (uint32_t i = 0; i < LANES; ++i) {
            rows[i] = &job->hits[s->numbers[i < n ? j + i : j]];
            if (j + i + AHEAD >= count) continue;
            const tact_hit* next = &job->hits[s->numbers[j + i + AHEAD]];
            TACT_PREFETCH_WRITE(&next->instance);
            TACT_PREFETCH_WRITE(&next->v);
        }
        if (job->mode == TACT_RAY_CLOSEST) {
            for (uint32_t i = 0; i < n; ++i)
                memcpy(rows[i], &s->best[j + i], sizeof s->best[j + i]);
            continue;
        }
        if (job->mode != TACT_RAY_ANY) {
            const VF columns[5] = {zero, V_LOAD_WORDS(s->counts + j), zero, zero, zero};
            turn_five(columns, rows, n);
            continue;
        }
        // Nothing shortens a ray before it is hit.
        const VM miss = M_EQ_WORDS(s->counts + j, 0);
        const VF nobody = V_SELECT(miss, none, zero);
        const VF columns[5] = {nobody, nobody, V_SELECT(miss, V_LOAD(s->tmax + j), zero), zero, zero};
        turn_five(columns, rows, n);
    }
}

/// The nearest hits of all rays, to the pool.
static void stream_keep_nearest(const tact_stream* s, uint32_t count)
{
    for (uint32_t j = 0; j < count; ++j) {
        for (uint32_t k = 0; k < s->counts[j]; ++k)
            tact_trace_keep(s->pool, s->numbers[j], &s->pool->nearest[(size_t)j * s->pool->most + k]);
    }
}

LANES_INLINE stream_walk stream_begin(const tact_trace_job* job, tact_stream* s)
{
    if (job->mode != TACT_RAY_CLOSEST) s->best = NULL;
    return (stream_walk){
        .scene = job->scene,
        .s = s,
        .rays = job->rays,
        .rules = job->rules,
        .first = job->first,
        .several = job->scene->instance_count > 1,
        .masks = tact_trace_has_masks(job->scene, job->rules),
        .picky = tact_trace_is_picky(job->scene, job->rules),
        .blocks = job->mode < TACT_RAY_COUNT && !tact_trace_is_picky(job->scene, job->rules) && !job->scene->has_shapes,
        .faces = tact_trace_faces(job->rules)};
}

/// At most TACT_STREAM_RAYS rays.
LANES_TARGET static void streams(const tact_trace_job* job, const uint32_t* order, uint32_t count,
                                 tact_stream_memory* memory)
{
    const tact_ray_mode mode = job->mode;
    tact_stream stream = TACT_STREAM_OF(memory), *s = &stream;
    s->lists = memory->lists;
    s->masks = memory->masks;
    s->pairs = &memory->pairs;
    s->leaves = &memory->leaves;
    s->pool = memory->pool;
    s->pairs->count = s->leaves->count = 0;
    stream_walk w = stream_begin(job, s);
    for (uint32_t j = 0; j < count; ++j) {
        s->numbers[j] = order[j];
        s->lists[j] = j;
        s->counts[j] = 0;
        if (w.masks) s->mask[j] = tact_trace_mask(job->rules, order[j]);
    }
    // The mode is a constant in each of these.
    if (mode == TACT_RAY_CLOSEST) stream_all(&w, TACT_RAY_CLOSEST, count);
    if (mode == TACT_RAY_ANY) stream_all(&w, TACT_RAY_ANY, count);
    if (mode == TACT_RAY_COUNT) stream_all(&w, TACT_RAY_COUNT, count);
    if (mode == TACT_TRACE_LIST) stream_all(&w, TACT_TRACE_LIST, count);
    if (mode == TACT_TRACE_NEAREST) {
        stream_all(&w, TACT_TRACE_NEAREST, count);
        stream_keep_nearest(s, count);
    }
    stream_store(s, job, count);
}

// ---- A few rays, each by itself from the root on ----

LANES_INLINE void few_all(stream_walk* w, tact_ray_mode mode, const uint32_t* ids, uint32_t count)
{
    if (!w->several) {
        few_instance(w, mode, 0, ids, count);
        return;
    }
    prepare_world(w->s, w->rays, ids, count);
    for (uint32_t j = 0; j < count; ++j)
        few_top(w, mode, 0, j);
}

/// Those of the rays that are fast, one after the other; returns how many.
LANES_TARGET static uint32_t few_fast(const tact_trace_job* job, size_t first, size_t count, uint32_t* numbers,
                                      tact_trace_fn* slow)
{
    const float most = tact_trace_most_direction(job->scene);
    uint32_t order[TACT_FEW_RAYS], fast = 0;
    for (uint32_t j = 0; j < count; ++j)
        order[j] = (uint32_t)(first + j);
    for (uint32_t j = 0; j < count; j += LANES) {
        const uint32_t n = (uint32_t)count - j < LANES ? (uint32_t)count - j : LANES;
        ray_lanes r;
        load_rays(job->rays, NULL, order + j, n, &r);
        const uint32_t good = are_fast(&r, most);
        for (uint32_t i = 0; i < n; ++i) {
            if ((good >> i) & 1u)
                numbers[fast++] = order[j + i];
            else
                slow(job, order[j + i], (size_t)order[j + i] + 1);
        }
    }
    return fast;
}

LANES_TARGET static void few(const tact_trace_job* job, size_t first, size_t count, tact_trace_fn* slow)
{
    TACT_ASSERT(count <= TACT_FEW_RAYS && first + count <= job->count);
    tact_few_memory memory;
    tact_stream stream = TACT_STREAM_OF(&memory);
    stream_walk w = stream_begin(job, &stream);
    uint32_t ids[TACT_FEW_RAYS];
    const uint32_t fast = few_fast(job, first, count, memory.numbers, slow);
    for (uint32_t j = 0; j < fast; ++j) {
        ids[j] = j;
        memory.counts[j] = 0;
        if (w.masks) memory.mask[j] = tact_trace_mask(job->rules, memory.numbers[j]);
    }
    if (job->mode == TACT_RAY_CLOSEST) few_all(&w, TACT_RAY_CLOSEST, ids, fast);
    if (job->mode == TACT_RAY_ANY) few_all(&w, TACT_RAY_ANY, ids, fast);
    if (job->mode == TACT_RAY_COUNT) few_all(&w, TACT_RAY_COUNT, ids, fast);
    stream_store(&stream, job, fast);
}
