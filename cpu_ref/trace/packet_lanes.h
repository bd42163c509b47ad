// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Packets: 64 rays that go side by side, down the tree together. Included by lanes_body.h, after what they are and
// their tests (packet_test_lanes.h).

/// Whether a child is a leaf about as wide as its node, such as the ground that all else stands on.
LANES_INLINE bool is_wide_leaf(const tact_bvh8_node* node, uint32_t i)
{
    int wide = 0;
    for (int k = 0; k < 3; ++k)
        wide += node->box[k][1][i] >= node->box[k][0][i] + 64;
    return wide >= 2 && !((node->inner >> i) & 1u);
}

/// Puts the children that are reached aside, the farthest lowest. Where any hit will do wide leaves come first, which
/// may end what is asked, but beyond the limit, -1, once no ray is left.
LANES_INLINE alone_aside* packet_put(tact_ray_mode mode, const tact_bvh8_node* node, uint32_t reached, f8 distance,
                                     alone_aside* top)
{
    _Alignas(32) float distances[8];
    f8_store(distances, distance);
    alone_aside* bottom = top;
    for (; reached; reached &= reached - 1u) {
        const uint32_t i = tact_lowest_bit_64(reached);
        if (mode == TACT_RAY_ANY && is_wide_leaf(node, i)) distances[i] = -0.5f;
        const alone_aside child = alone_child(node, distances, i);
        alone_aside* at = top++;
        for (; at > bottom && at[-1].enter < child.enter; --at)
            *at = at[-1];
        *at = child;
    }
    return top;
}

/// The same in the tree of a mesh.
LANES_INLINE packet_aside* packet_put_rays(const packet_walk* w, tact_ray_mode mode, const tact_bvh8_node* node,
                                           uint32_t reached, f8 distance, const f8 enter[3], const f8 leave[3],
                                           uint64_t rays, packet_aside* top)
{
    _Alignas(32) float distances[8], sides[2][3][8];
    f8_store(distances, distance);
    for (int k = 0; k < 3; ++k) {
        f8_store(sides[0][k], enter[k]);
        f8_store(sides[1][k], leave[k]);
    }
    packet_aside* bottom = top;
    for (; reached; reached &= reached - 1u) {
        const uint32_t i = tact_lowest_bit_64(reached);
        packet_aside* at = top++;
        if (mode == TACT_RAY_ANY && is_wide_leaf(node, i)) distances[i] = -0.5f;
        for (; at > bottom && at[-1].enter < distances[i]; --at)
            *at = at[-1];
        at->enter = distances[i];
        at->kind = tact_bvh8_kind(node, (int)i);
        at->child = tact_bvh8_child(node, (int)i);
        prefetch_child(w->scene, TACT_KIND_TRIANGLES, at->kind, at->child);
        for (int k = 0; k < 3; ++k) {
            at->sides[0][k] = sides[0][k][i];
            at->sides[1][k] = sides[1][k][i];
        }
        at->rays = rays;
    }
    return top;
}

/// Takes the packet down the tree of a mesh, in whose frame it is. Which rays reach a child is asked when it is its
/// turn, since hits on the way there bring their limits nearer.
LANES_TARGET static void packet_mesh(packet_walk* w, tact_ray_mode mode, uint32_t root)
{
    const tact_bvh8_node* nodes = w->scene->wide;
    packet_aside stack[TACT_BVH8_STACK];
    packet_aside* top = stack;
    uint32_t kind = TACT_BVH8_INNER, child = root;
    uint64_t rays = w->lanes;
    w->met = TACT_NONE;
    for (;;) {
        if (kind == TACT_BVH8_INNER) {
            f8 enter[3], leave[3], distance;
            const tact_bvh8_node* node = &nodes[child];
            const uint32_t reached = packet_boxes(&w->here, w->tmin, w->limit, node, enter, leave, &distance);
            top = packet_put_rays(w, mode, node, reached, distance, enter, leave, rays, top);
        } else {
            packet_leaf(w, mode, child, kind, rays);
        }
        for (rays = 0; !rays;) {
            if (top == stack) return;
            --top;
            if (top->enter > w->limit + TACT_TREE_TINY) continue;
            rays = packet_reach(w, (const float(*)[3])top->sides, top->rays, top->kind != TACT_BVH8_INNER);
        }
        kind = top->kind;
        child = top->child;
    }
}

/// Gates of an instance; the bits of the rays that reach it.
LANES_TARGET static uint64_t packet_gates(tact_packet* p, const tact_trace_instance* instance)
{
    uint64_t reach = 0;
    for (int i = 0; i < TACT_PACKET_RAYS; i += LANES) {
        VF o[3], inverse[3], enter, leave;
        for (int k = 0; k < 3; ++k) {
            o[k] = V_LOAD(p->world.origin[k] + i);
            inverse[k] = V_LOAD(p->world.inverse[k] + i);
        }
        box_interval(o, inverse, instance->lower, instance->upper, TACT_INSTANCE_SLACK, &enter, &leave);
        V_STORE(p->enter + i, enter);
        V_STORE(p->leave + i, leave);
        const VM here =
            M_AND(M_AND(V_LE(enter, leave), V_LE(enter, V_LOAD(p->limit + i))), V_LE(V_LOAD(p->tmin + i), leave));
        reach |= (uint64_t)M_BITS(here) << i;
    }
    return reach;
}

/// Rays into an instance's frame.
LANES_TARGET static void packet_turn(tact_packet* p, const tact_trace_instance* instance)
{
    for (int i = 0; i < TACT_PACKET_RAYS; i += LANES) {
        VF o[3], d[3];
        for (int k = 0; k < 3; ++k) {
            o[k] = V_SUB(V_LOAD(p->world.origin[k] + i), V_SET(instance->rows[k][3]));
            d[k] = V_LOAD(p->world.direction[k] + i);
        }
        for (int k = 0; k < 3; ++k) {
            const VF m0 = V_SET(instance->rows[k][0]), m1 = V_SET(instance->rows[k][1]),
                     m2 = V_SET(instance->rows[k][2]);
            V_STORE(p->here.origin[k] + i, V_ADD(V_ADD(V_MUL(m0, o[0]), V_MUL(m1, o[1])), V_MUL(m2, o[2])));
            V_STORE(p->here.direction[k] + i, V_ADD(V_ADD(V_MUL(m0, d[0]), V_MUL(m1, d[1])), V_MUL(m2, d[2])));
        }
    }
}

/// Gives places whose rays cannot hit what a ray that can has, so that the packet's bounds are of those alone.
LANES_INLINE void packet_narrow(tact_packet_rays* r, uint64_t lanes)
{
    const uint32_t from = tact_lowest_bit_64(lanes);
    for (uint64_t left = ~lanes; left; left &= left - 1u) {
        const uint32_t i = tact_lowest_bit_64(left);
        for (int k = 0; k < 3; ++k) {
            r->origin[k][i] = r->origin[k][from];
            r->inverse[k][i] = r->inverse[k][from];
        }
    }
}

LANES_TARGET static void packet_instance(packet_walk* w, tact_ray_mode mode, uint32_t index)
{
    const tact_trace_instance* instance = &w->scene->instances[index];
    uint64_t reach = packet_gates(w->p, instance);
    for (uint32_t i = 0; w->masks && i < TACT_PACKET_RAYS; ++i) {
        if (!(w->p->mask[i] & instance->mask)) reach &= ~((uint64_t)1 << i);
    }
    ++w->p->entries;
    w->p->entered += packet_bits(reach);
    if (!reach) return;
    if (w->p->choosy) {
        if (packet_bits(reach) < TACT_PACKET_WORTH) {
            w->p->left |= reach;
            return;
        }
        w->p->large += packet_bits(reach);
    }
    const bool same = w->rays == &w->p->world;
    if (!same) packet_turn(w->p, instance);
    uint64_t y = w->y, z = w->z;
    const uint64_t lanes = same ? reach : reach & packet_frames(w->rays, &y, &z);
    if (!lanes) return;
    if (~lanes) packet_narrow(w->rays, lanes);
    if (same && !~lanes)
        w->here = w->world;
    else
        packet_bounds(&w->here, w->rays, TACT_TREE_SLACK);
    w->instance = instance->id;
    const uint64_t of_axis[3] = {lanes & ~y & ~z, lanes & y & ~z, lanes & z};
    for (uint32_t axis = 0; axis < 3; ++axis) {
        w->axis = axis;
        w->lanes = of_axis[axis];
        if (w->lanes) packet_mesh(w, mode, instance->wide_root);
    }
}

LANES_TARGET static void packet_top(packet_walk* w, tact_ray_mode mode)
{
    if (w->scene->instance_count == 1) {
        packet_instance(w, mode, 0);
        return;
    }
    const tact_bvh8_node* nodes = w->scene->wide_top;
    alone_aside stack[TACT_BVH8_TOP_STACK];
    alone_aside* top = stack;
    *top++ = (alone_aside){w->tmin, TACT_BVH8_INNER, 0};
    while (top > stack) {
        const alone_aside next = *--top;
        if (next.enter > w->limit + TACT_TREE_TINY) continue;
        if (next.kind == TACT_BVH8_INNER) {
            f8 enter[3], leave[3], distance;
            const uint32_t reached =
                packet_boxes(&w->world, w->tmin, w->limit, &nodes[next.child], enter, leave, &distance);
            top = packet_put(mode, &nodes[next.child], reached, distance, top);
        } else {
            packet_instance(w, mode, next.child);
        }
    }
}

/// Directions whose reciprocals differ by more than this share, or that go both ways, are not side by side.
#define PACKET_SPREAD 0.25f

/// Whether the rays are so much alike that going together pays.
LANES_TARGET static bool packet_alike(const packet_view* v, const tact_packet_rays* r, uint64_t y, uint64_t z,
                                      const float size[3])
{
    const uint64_t all = ~(uint64_t)0;
    if (v->mixed || (z ? z != all : (y && y != all))) return false;
    const uint32_t axis = z ? 2u : y ? 1u : 0u;
    // Reciprocals along the dominant axis, and the shears, tell how far apart the rays are at a unit's distance.
    if (tact_max(-v->enter_least[axis], v->enter_most[axis]) * (1.0f - PACKET_SPREAD) >
        tact_max(v->enter_least[axis], -v->enter_most[axis])) {
        return false;
    }
    float low, high;
    packet_range(r->sx, &low, &high);
    if (high - low > PACKET_SPREAD) return false;
    packet_range(r->sy, &low, &high);
    if (high - low > PACKET_SPREAD) return false;
    for (int k = 0; k < 3; ++k) {
        const float apart = v->enter_origin[k] - v->leave_origin[k];
        if (tact_max(apart, -apart) > size[k]) return false;
    }
    return true;
}

/// What all rays of a packet are answered, if it is the same: they all miss and end at the same place, as most of a
/// picture's background, or all hit and that is all that is asked.
LANES_TARGET static bool packet_agrees(const tact_packet* p, tact_ray_mode mode, tact_hit* answer)
{
    float least, most;
    packet_range(p->limit, &least, &most);
    if (mode == TACT_RAY_ANY && most < 0.0f) {
        *answer = (tact_hit){0};
        return true;
    }
    if (least != most) return false;
    uint32_t missed = LANE_BITS;
    for (int i = 0; i < TACT_PACKET_RAYS; i += LANES)
        missed &= M_BITS(M_EQ_WORDS(p->primitive + i, TACT_NONE));
    *answer = (tact_hit){TACT_NONE, TACT_NONE, most, 0.0f, 0.0f};
    return missed == LANE_BITS;
}

/// One answer for rays in rows of eight.
LANES_TARGET static void packet_store_same(const tact_trace_job* job, const uint32_t* order, const tact_hit* answer)
{
    tact_hit row[8];
    for (int i = 0; i < 8; ++i)
        row[i] = *answer;
    for (uint32_t i = 0; i < TACT_PACKET_RAYS; i += 8) {
        if (order[i + 7] == order[i] + 7) {
            memcpy(&job->hits[order[i]], row, sizeof row);
            continue;
        }
        for (uint32_t k = i; k < i + 8; ++k)
            job->hits[order[k]] = *answer;
    }
}

/// Which of the rays hit, which have passed their ends.
LANES_TARGET static void packet_store_occluded(const tact_packet* p, uint8_t* occluded, const uint32_t* order,
                                               uint32_t count)
{
    const uint64_t done = packet_done(p);
    for (uint32_t i = 0; i < count; i += 8) {
        uint8_t row[8];
        for (uint32_t k = 0; k < 8; ++k)
            row[k] = done >> (i + k) & 1u;
        if (i + 8 <= count && order[i + 7] == order[i] + 7) {
            memcpy(&occluded[order[i]], row, sizeof row);
            continue;
        }
        for (uint32_t k = 0; k < 8 && i + k < count; ++k)
            occluded[order[i + k]] = row[k];
    }
}

LANES_TARGET static void packet_store(const tact_packet* p, const tact_trace_job* job, const uint32_t* order,
                                      uint32_t count)
{
    if (job->mode >= TACT_RAY_COUNT) {
        for (uint32_t i = 0; i < count; ++i)
            job->hits[order[i]] = (tact_hit){.primitive = p->count[i]};
        return;
    }
    if (job->occluded) {
        packet_store_occluded(p, job->occluded, order, count);
        return;
    }
    tact_hit answer;
    if (count == TACT_PACKET_RAYS && packet_agrees(p, job->mode, &answer)) {
        packet_store_same(job, order, &answer);
        return;
    }
    for (uint32_t i = 0; i < count; i += LANES) {
        // The limit of a ray that misses is its tmax still.
        VF columns[5] = {V_LOAD_WORDS(p->instance + i), V_LOAD_WORDS(p->primitive + i), V_LOAD(p->limit + i),
                         V_LOAD(p->u + i), V_LOAD(p->v + i)};
        if (job->mode == TACT_RAY_ANY) {
            const VF zero = V_SET(0.0f);
            const VM hit = V_LT(columns[2], zero);
            for (int k = 0; k < 5; ++k)
                columns[k] = V_SELECT(hit, zero, columns[k]);
        }
        void* rows[LANES];
        for (uint32_t k = 0; k < LANES; ++k)
            rows[k] = &job->hits[order[i + k < count ? i + k : i]];
        turn_five(columns, rows, count - i < LANES ? count - i : LANES);
    }
}

/// Whether the only instance has the world's frame, to the bit but for negative zeros.
LANES_INLINE bool is_world(const tact_trace_scene* scene)
{
    static const float same[3][4] = {{1.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 1.0f, 0.0f}};
    return scene->instance_count == 1 && memcmp(scene->instances[0].rows, same, sizeof same) == 0;
}

/// Whether some origin or direction has a negative zero, which a matrix may turn into a positive one.
LANES_TARGET static bool packet_has_negative_zero(const tact_packet_rays* r)
{
    VM some = V_LT(V_SET(0.0f), V_SET(0.0f));
    for (int i = 0; i < TACT_PACKET_RAYS; i += LANES) {
        for (int k = 0; k < 3; ++k) {
            some = M_OR(some, M_EQ_WORDS((const uint32_t*)(const void*)(r->origin[k] + i), 0x80000000u));
            some = M_OR(some, M_EQ_WORDS((const uint32_t*)(const void*)(r->direction[k] + i), 0x80000000u));
        }
    }
    return M_BITS(some) != 0;
}

/// Reads the rays; false when one is not for lanes.
LANES_TARGET static bool packet_load(tact_packet* p, const tact_trace_job* job, bool masks, const uint32_t* order,
                                     uint32_t count)
{
    const VF zero = V_SET(0.0f);
    const float most = tact_trace_most_direction(job->scene);
    uint32_t fast = LANE_BITS;
    for (uint32_t i = 0; i < TACT_PACKET_RAYS; i += LANES) {
        // In a square, rows of the next one; and the places of this one's hits.
        for (uint32_t k = i; k < i + LANES && k < count; k += 2) {
            const size_t next = (size_t)order[k] + 8;
            TACT_PREFETCH(job->rays + (next < job->count ? next : order[k]));
            if (job->hits) TACT_PREFETCH_WRITE(job->hits + order[k]);
        }
        // Places without a ray have another's, whose end they have passed already.
        const bool any = i < count;
        ray_lanes r;
        load_rays(job->rays, NULL, any ? order + i : order, any ? count - i : 1, &r);
        fast &= are_fast(&r, most);
        for (int k = 0; k < 3; ++k) {
            V_STORE(p->world.origin[k] + i, r.o[k]);
            V_STORE(p->world.direction[k] + i, r.d[k]);
        }
        V_STORE(p->tmin + i, V_ADD(r.tmin, zero));
        V_STORE(p->limit + i, r.tmax);
        if (job->occluded) continue;
        V_STORE(p->u + i, zero);
        V_STORE(p->v + i, zero);
    }
    if (!job->occluded) {
        memset(p->instance, 0xff, sizeof p->instance);
        memset(p->primitive, 0xff, sizeof p->primitive);
        memset(p->count, 0, sizeof p->count);
    }
    for (uint32_t i = 0; masks && i < TACT_PACKET_RAYS; ++i)
        p->mask[i] = tact_trace_mask(job->rules, order[i < count ? i : 0]);
    for (uint32_t i = count; i < TACT_PACKET_RAYS; ++i)
        p->limit[i] = -1.0f;
    return fast == LANE_BITS;
}

/// At most TACT_PACKET_RAYS rays, if they are enough alike: their origins no farther apart than `size` on each axis.
LANES_TARGET static bool packet(const tact_trace_job* job, const uint32_t* order, uint32_t count, const float size[3],
                                tact_packet* p)
{
    packet_walk w = {.scene = job->scene,
                     .p = p,
                     .order = order,
                     .masks = tact_trace_has_masks(job->scene, job->rules),
                     .faces = tact_trace_faces(job->rules)};
    if (!packet_load(p, job, w.masks, order, count)) return false;
    if (~packet_frames(&p->world, &w.y, &w.z)) return false;
    const bool same = is_world(job->scene) && !packet_has_negative_zero(&p->world);
    w.rays = same ? &p->world : &p->here;
    packet_bounds(&w.world, &p->world, same ? TACT_TREE_SLACK : TACT_TREE_INSTANCE_SLACK);
    if (!packet_alike(&w.world, &p->world, w.y, w.z, size)) return false;
    p->left = 0;
    float most;
    packet_range(p->tmin, &w.tmin, &most);
    w.limit = packet_limit(p);
    // The mode is a constant in each of these.
    if (job->mode == TACT_RAY_CLOSEST) packet_top(&w, TACT_RAY_CLOSEST);
    if (job->mode == TACT_RAY_ANY) packet_top(&w, TACT_RAY_ANY);
    if (job->mode == TACT_RAY_COUNT) packet_top(&w, TACT_RAY_COUNT);
    if (job->mode == TACT_TRACE_LIST) packet_top(&w, TACT_TRACE_LIST);
    if (p->choosy) {
        const uint64_t done = packet_done(p);
        p->left &= ~done;
        p->done += packet_bits(done) - (TACT_PACKET_RAYS - count);
    }
    packet_store(p, job, order, count);
    return true;
}
