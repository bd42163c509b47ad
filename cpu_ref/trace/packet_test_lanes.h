// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a packet is, and boxes and triangles against its 64 rays. Included by lanes_body.h.
//
// A node's eight boxes are tested against all rays at once: with the least and the largest origin, reciprocal, tmin and
// limit of the packet, each chosen so that the interval contains every ray's (all operations are monotone, rounding
// included, and box_lanes.h says why a ray's own suffices). At leaves each triangle meets as many rays at a time as
// there are lanes, operation for operation as in tact_ray_triangle(); a lane where an edge value comes out as zero is
// left to that function itself.

#define LANE_BITS ((uint32_t)(((uint64_t)1 << LANES) - 1u))

/// Bounds of a packet in the frame of a tree.
typedef struct packet_view {
    uint32_t octant;
    uint32_t mixed;  // axes along which the rays go both ways, and which tell nothing
    bool one_origin;
    float enter_origin[3], leave_origin[3];  // of the rays' origins, for the sides that are entered and left
    float enter_least[3], enter_most[3];     // reciprocals with slack
    float leave_least[3], leave_most[3];
} packet_view;

typedef struct packet_walk {
    const tact_trace_scene* scene;
    tact_packet* p;
    tact_packet_rays* rays;  // in the frame of the mesh that is gone through: `here` of the packet, or `world`
    uint64_t y, z;           // those of `world` that have this dominant axis
    packet_view world, here;
    const uint32_t* order;  // numbers of the rays
    bool masks;             // have to be looked at
    uint32_t faces;         // that are hit
    float tmin, limit;
    // Of the mesh.
    uint32_t instance;
    uint32_t axis;
    uint64_t lanes;     // rays that have this dominant axis and may hit
    uint32_t met;       // the last block of which rays met all triangles
    uint64_t met_rays;  // and those rays
} packet_walk;

/// A child that waits: where the first ray enters it, its sides as the rays' octant enters and leaves them, and the
/// rays that reach the node above.
typedef struct packet_aside {
    float enter;
    uint32_t kind, child;
    float sides[2][3];
    uint64_t rays;
} packet_aside;

/// What a triangle is to all rays of a packet.
typedef struct packet_triangle {
    float corner[3][3];    // as given
    float relative[3][3];  // less the origin, when there is one
    TactBox box;           // padded
    bool has_box;
    uint32_t primitive;
} packet_triangle;

LANES_INLINE uint32_t packet_bits(uint64_t rays)
{
    return tact_bits_set((uint32_t)rays) + tact_bits_set((uint32_t)(rays >> 32));
}

LANES_FN void packet_range(const float* values, float* least, float* most)
{
    VF low = V_LOAD(values), high = low;
    for (int i = LANES; i < TACT_PACKET_RAYS; i += LANES) {
        low = V_MIN(V_LOAD(values + i), low);
        high = V_MAX(V_LOAD(values + i), high);
    }
    // There are no NaNs here, and which zero it is makes no difference.
    *least = V_LEAST(low);
    *most = V_MOST(high);
}

LANES_FN float packet_limit(const tact_packet* p)
{
    VF most = V_LOAD(p->limit);
    for (int i = LANES; i < TACT_PACKET_RAYS; i += LANES)
        most = V_MAX(most, V_LOAD(p->limit + i));
    return V_MOST(most);
}

/// Whether zeros are all positive or all negative: corners less the one are not always those less the other.
LANES_FN bool packet_one_zero(const float* values)
{
    uint32_t word, same = LANE_BITS;
    memcpy(&word, values, sizeof word);
    for (int i = 0; i < TACT_PACKET_RAYS; i += LANES)
        same &= M_BITS(M_EQ_WORDS((const uint32_t*)(const void*)(values + i), word));
    return same == LANE_BITS;
}

/// The rays that have passed their ends, as those do of which any hit is enough, and the places without a ray.
LANES_FN uint64_t packet_done(const tact_packet* p)
{
    uint64_t done = 0;
    for (int i = 0; i < TACT_PACKET_RAYS; i += LANES)
        done |= (uint64_t)M_BITS(V_LT(V_LOAD(p->limit + i), V_SET(0.0f))) << i;
    return done;
}

/// Frames of all rays. The bits of those that are valid.
LANES_TARGET static uint64_t packet_frames(tact_packet_rays* r, uint64_t* y, uint64_t* z)
{
    uint64_t valid = 0;
    *y = *z = 0;
    for (int i = 0; i < TACT_PACKET_RAYS; i += LANES) {
        VF o[3], d[3];
        for (int k = 0; k < 3; ++k) {
            o[k] = V_LOAD(r->origin[k] + i);
            d[k] = V_LOAD(r->direction[k] + i);
        }
        frame_lanes f;
        make_frames(o, d, &f);
        for (int k = 0; k < 3; ++k)
            V_STORE(r->inverse[k] + i, f.inverse[k]);
        V_STORE(r->sx + i, f.sx);
        V_STORE(r->sy + i, f.sy);
        V_STORE(r->sz + i, f.sz);
        valid |= (uint64_t)M_BITS(f.valid) << i;
        *y |= (uint64_t)M_BITS(f.y) << i;
        *z |= (uint64_t)M_BITS(f.z) << i;
    }
    return valid;
}

LANES_TARGET static void packet_bounds(packet_view* view, const tact_packet_rays* r, float slack)
{
    *view = (packet_view){.one_origin = true};
    for (int k = 0; k < 3; ++k) {
        float low, high, least, most;
        packet_range(r->origin[k], &low, &high);
        packet_range(r->inverse[k], &least, &most);
        const bool upper = least < 0.0f;
        if (upper && most > 0.0f) view->mixed |= 1u << k;
        view->octant |= (uint32_t)upper << k;
        view->one_origin = view->one_origin && low == high && (low != 0.0f || packet_one_zero(r->origin[k]));
        view->enter_origin[k] = upper ? low : high;
        view->leave_origin[k] = upper ? high : low;
        view->enter_least[k] = least * (1.0f - slack);
        view->enter_most[k] = most * (1.0f - slack);
        view->leave_least[k] = least * (1.0f + slack);
        view->leave_most[k] = most * (1.0f + slack);
    }
}

/// Which children some ray may reach, and where the first enters them.
LANES_INLINE uint32_t packet_boxes(const packet_view* v, float tmin, float limit, const tact_bvh8_node* node,
                                   f8 enter[3], f8 leave[3], f8* distance)
{
    box_sides(node, v->octant, enter, leave);
    f8 near = f8_set(tmin), far = f8_set(limit);
    for (int k = 0; k < 3; ++k) {
        if ((v->mixed >> k) & 1u) continue;
        const f8 a = f8_sub(enter[k], f8_set(v->enter_origin[k])), b = f8_sub(leave[k], f8_set(v->leave_origin[k]));
        near = f8_max(near, f8_min(f8_mul(a, f8_set(v->enter_least[k])), f8_mul(a, f8_set(v->enter_most[k]))));
        far = f8_min(far, f8_max(f8_mul(b, f8_set(v->leave_least[k])), f8_mul(b, f8_set(v->leave_most[k]))));
    }
    *distance = near;
    // A mixed axis says nothing about absent children.
    return f8_le_bits(near, f8_add(far, f8_set(TACT_TREE_TINY))) & box_present(node);
}

/// The rays, among some, that reach a box by its sides: each for itself and up to its own limit, by what box_test()
/// does (box_lanes.h). The packet's bounds say little about one box when its rays have gone apart.
LANES_INLINE uint64_t packet_reach(const packet_walk* w, const float sides[2][3], uint64_t among, bool all)
{
    const tact_packet* p = w->p;
    const tact_packet_rays* r = w->rays;
    const packet_view* v = &w->here;
    uint64_t rays = 0;
    for (int i = 0; i < TACT_PACKET_RAYS; i += LANES) {
        const uint32_t some = (uint32_t)(among >> i) & LANE_BITS;
        if (!some) continue;
        VF near = V_LOAD(p->tmin + i), far = V_LOAD(p->limit + i);
        for (int k = 0; k < 3; ++k) {
            if ((v->mixed >> k) & 1u) continue;
            VF a = V_SET(sides[0][k] - v->enter_origin[k]), b = V_SET(sides[1][k] - v->leave_origin[k]);
            if (!v->one_origin) {
                const VF o = V_LOAD(r->origin[k] + i);
                a = V_SUB(V_SET(sides[0][k]), o);
                b = V_SUB(V_SET(sides[1][k]), o);
            }
            const VF inverse = V_LOAD(r->inverse[k] + i);
            near = V_MAX(near, V_MUL(a, inverse));
            far = V_MIN(far, V_MUL(b, inverse));
        }
        far = V_ADD(V_MUL(far, V_SET(1.0f + TACT_TREE_GROWTH)), V_SET(TACT_TREE_TINY));
        const uint32_t here = some & M_BITS(V_LE(near, far));
        rays |= (uint64_t)here << i;
        if (!all && here == some) return rays | (among & ~(((uint64_t)LANE_BITS << i) | (((uint64_t)1 << i) - 1u)));
    }
    return rays;
}

/// Takes one hit of one ray.
LANES_INLINE void packet_take(packet_walk* w, tact_ray_mode mode, int i, uint32_t primitive, float t, float u, float v)
{
    tact_packet* p = w->p;
    if (mode >= TACT_RAY_COUNT) {
        ++p->count[i];
        const tact_hit hit = {w->instance, primitive, t, u, v};
        if (mode == TACT_TRACE_LIST) tact_trace_keep(p->pool, w->order[i], &hit);
        return;
    }
    if (mode == TACT_RAY_ANY) {
        p->limit[i] = -1.0f;
        return;
    }
    const tact_hit best = {p->instance[i], p->primitive[i], p->limit[i], 0.0f, 0.0f};
    if (!tact_trace_closer(t, w->instance, primitive, &best)) return;
    p->limit[i] = t;
    p->u[i] = u;
    p->v[i] = v;
    p->instance[i] = w->instance;
    p->primitive[i] = primitive;
}

/// Takes hits of some lanes from ray i on, all nearer than what was hit before.
LANES_INLINE void packet_take_nearer(packet_walk* w, int i, VM lanes, uint32_t primitive, VF t, VF u, VF v)
{
    tact_packet* p = w->p;
    uint32_t instances[LANES], primitives[LANES];
    for (int k = 0; k < LANES; ++k) {
        instances[k] = w->instance;
        primitives[k] = primitive;
    }
    V_STORE(p->limit + i, V_SELECT(lanes, t, V_LOAD(p->limit + i)));
    V_STORE(p->u + i, V_SELECT(lanes, u, V_LOAD(p->u + i)));
    V_STORE(p->v + i, V_SELECT(lanes, v, V_LOAD(p->v + i)));
    V_STORE_WORDS(p->instance + i, V_SELECT(lanes, V_LOAD_WORDS(instances), V_LOAD_WORDS(p->instance + i)));
    V_STORE_WORDS(p->primitive + i, V_SELECT(lanes, V_LOAD_WORDS(primitives), V_LOAD_WORDS(p->primitive + i)));
}

/// One ray by the definition.
LANES_TARGET static void packet_exact(packet_walk* w, tact_ray_mode mode, const packet_triangle* t, int i)
{
    const tact_packet* p = w->p;
    const tact_packet_rays* r = w->rays;
    const TactRayFrame f = {r->origin[0][i],
                            r->origin[1][i],
                            r->origin[2][i],
                            r->inverse[0][i],
                            r->inverse[1][i],
                            r->inverse[2][i],
                            r->sx[i],
                            r->sy[i],
                            r->sz[i],
                            (int)w->axis,
                            1};
    const TactInterval gate = {p->enter[i], p->leave[i]};
    const TactTriangleHit h = tact_ray_triangle(f, t->corner[0][0], t->corner[0][1], t->corner[0][2], t->corner[1][0],
                                                t->corner[1][1], t->corner[1][2], t->corner[2][0], t->corner[2][1],
                                                t->corner[2][2], gate, p->tmin[i], p->limit[i]);
    if ((uint32_t)h.hit & w->faces) packet_take(w, mode, i, t->primitive, h.t, h.u, h.v);
}

/// What tact_ray_triangle() does with edge values that are not zero, for the lanes of `left` from ray i on. True when
/// one of them hit.
LANES_TARGET static bool packet_hits(packet_walk* w, tact_ray_mode mode, packet_triangle* t, int i, uint32_t left, VF u,
                                     VF v, VF c, const VF depth[3])
{
    tact_packet* p = w->p;
    const tact_packet_rays* r = w->rays;
    float u_of[LANES] = {0.0f}, v_of[LANES] = {0.0f};
    if (!t->has_box) {
        t->has_box = true;
        t->box = tact_triangle_box(t->corner[0][0], t->corner[0][1], t->corner[0][2], t->corner[1][0], t->corner[1][1],
                                   t->corner[1][2], t->corner[2][0], t->corner[2][1], t->corner[2][2]);
    }
    const VF o[3] = {V_LOAD(r->origin[0] + i), V_LOAD(r->origin[1] + i), V_LOAD(r->origin[2] + i)};
    const VF inverse[3] = {V_LOAD(r->inverse[0] + i), V_LOAD(r->inverse[1] + i), V_LOAD(r->inverse[2] + i)};
    const float lower[3] = {t->box.lx, t->box.ly, t->box.lz}, upper[3] = {t->box.hx, t->box.hy, t->box.hz};
    VF enter, leave;
    box_interval(o, inverse, lower, upper, TACT_SLACK, &enter, &leave);
    enter = V_MAX(enter, V_LOAD(p->enter + i));
    leave = V_MIN(leave, V_LOAD(p->leave + i));
    const VF sz = V_LOAD(r->sz + i), sum = V_ADD(V_ADD(u, v), c), zero = V_SET(0.0f), limit = V_LOAD(p->limit + i);
    const VF scaled =
        V_ADD(V_ADD(V_MUL(u, V_MUL(sz, depth[0])), V_MUL(v, V_MUL(sz, depth[1]))), V_MUL(c, V_MUL(sz, depth[2])));
    VF at = V_DIV(scaled, sum);
    at = V_MAX(at, enter);
    at = V_MIN(at, leave);
    VM good = M_AND(V_LE(enter, leave), M_OR(V_LT(zero, sum), V_LT(sum, zero)));
    good = M_AND(good, M_AND(V_LE(V_LOAD(p->tmin + i), at), V_LE(at, limit)));
    good = M_AND(good, V_LE(V_ABS(at), V_SET(TACT_LARGEST)));
    left &= M_BITS(good);
    if (left && w->faces != TACT_FACE_BOTH) {
        const uint32_t up = M_BITS(V_LT(zero, sum)), ahead = M_BITS(V_LT(zero, sz));
        left &= w->faces == TACT_FACE_FRONT ? ~(up ^ ahead) : up ^ ahead;
    }
    if (!left) return false;
    const VM taken = M_OF_BITS(left);
    if (mode == TACT_RAY_ANY) {
        V_STORE(p->limit + i, V_SELECT(taken, V_SET(-1.0f), limit));
        return true;
    }
    if (mode != TACT_RAY_COUNT) {
        const VF us = V_DIV(v, sum), vs = V_DIV(c, sum);
        if (mode == TACT_RAY_CLOSEST) {
            packet_take_nearer(w, i, M_AND(taken, V_LT(at, limit)), t->primitive, at, us, vs);
            left &= M_BITS(V_EQ(at, limit));  // ties
            if (!left) return true;
        }
        V_STORE(u_of, us);
        V_STORE(v_of, vs);
    }
    float ats[LANES];
    V_STORE(ats, at);
    for (; left; left &= left - 1u) {
        const uint32_t k = tact_lowest_bit_64(left);
        packet_take(w, mode, i + (int)k, t->primitive, ats[k], u_of[k], v_of[k]);
    }
    return true;
}

/// A triangle against some rays. True when one hit.
LANES_TARGET static bool packet_triangle_test(packet_walk* w, tact_ray_mode mode, packet_triangle* t, uint64_t rays)
{
    tact_packet* p = w->p;
    const tact_packet_rays* r = w->rays;
    const uint32_t kz = w->axis, kx = kz == 2 ? 0 : kz + 1, ky = kx == 2 ? 0 : kx + 1;
    bool hit = false;
    for (int i = 0; i < TACT_PACKET_RAYS; i += LANES) {
        if (!((uint32_t)(rays >> i) & LANE_BITS)) continue;
        const VF limit = V_LOAD(p->limit + i), zero = V_SET(0.0f);
        const uint32_t alive = M_BITS(V_LE(zero, limit)) & (uint32_t)(rays >> i);
        const VF sx = V_LOAD(r->sx + i), sy = V_LOAD(r->sy + i);
        VF x[3], y[3], z[3];
        for (int k = 0; k < 3; ++k) {
            if (w->here.one_origin) {
                z[k] = V_SET(t->relative[k][kz]);
                x[k] = V_SET(t->relative[k][kx]);
                y[k] = V_SET(t->relative[k][ky]);
            } else {
                z[k] = V_SUB(V_SET(t->corner[k][kz]), V_LOAD(r->origin[kz] + i));
                x[k] = V_SUB(V_SET(t->corner[k][kx]), V_LOAD(r->origin[kx] + i));
                y[k] = V_SUB(V_SET(t->corner[k][ky]), V_LOAD(r->origin[ky] + i));
            }
            x[k] = V_SUB(x[k], V_MUL(sx, z[k]));
            y[k] = V_SUB(y[k], V_MUL(sy, z[k]));
        }
        const VF a = V_SUB(V_MUL(x[2], y[1]), V_MUL(y[2], x[1]));
        const VF b = V_SUB(V_MUL(x[0], y[2]), V_MUL(y[0], x[2]));
        const VF c = V_SUB(V_MUL(x[1], y[0]), V_MUL(y[1], x[0]));
        const VM both = M_AND(V_LT(V_MIN(V_MIN(a, b), c), zero), V_LT(zero, V_MAX(V_MAX(a, b), c)));
        uint32_t left = alive & ~M_BITS(both);
        if (!left) continue;
        const VM none = M_OR(M_OR(V_EQ(a, zero), V_EQ(b, zero)), V_EQ(c, zero));
        uint32_t exact = left & M_BITS(none);
        left &= ~exact;
        if (left) hit |= packet_hits(w, mode, t, i, left, a, b, c, z);
        for (; exact; exact &= exact - 1u) {
            packet_exact(w, mode, t, i + (int)tact_lowest_bit_64(exact));
            hit = true;
        }
    }
    return hit;
}

LANES_INLINE void packet_read_triangle(const packet_walk* w, const tact_triangle_block* block, uint32_t i,
                                       packet_triangle* t)
{
    const float* o = w->here.enter_origin;
    for (int k = 0; k < 3; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            t->corner[k][axis] = block->corner[k][axis][i];
            t->relative[k][axis] = t->corner[k][axis] - o[axis];
        }
    }
    t->has_box = false;
    t->primitive = block->primitive[i];
}

/// Triangles of a block that are left after the edge values of ray i.
LANES_TARGET static void packet_block_hits(packet_walk* w, tact_ray_mode mode, const tact_triangle_block* block,
                                           uint32_t i, uint32_t left, const edge_lanes* e)
{
    const tact_packet* p = w->p;
    const tact_packet_rays* r = w->rays;
    const uint32_t zeros = edge_zeros(e, left);
    for (uint32_t exact = zeros; exact; exact &= exact - 1u) {
        packet_triangle t;
        packet_read_triangle(w, block, tact_lowest_bit_64(exact), &t);
        packet_exact(w, mode, &t, (int)i);
    }
    tact_stream_ray ray = {
        .sz = r->sz[i], .tmin = p->tmin[i], .limit = p->limit[i], .enter = p->enter[i], .leave = p->leave[i]};
    for (int k = 0; k < 3; ++k) {
        ray.origin[k] = r->origin[k][i];
        ray.inverse[k] = r->inverse[k][i];
    }
    f8 t, sum;
    left = triangle_test(&ray, block, left & ~zeros, w->faces, e, &t, &sum);
    if (!left) return;
    float ts[8], us[8], vs[8];
    f8_store(ts, t);
    f8_store(us, f8_div(e->v, sum));
    f8_store(vs, f8_div(e->w, sum));
    for (; left && p->limit[i] >= 0.0f; left &= left - 1u) {
        const uint32_t k = tact_lowest_bit_64(left);
        packet_take(w, mode, (int)i, block->primitive[k], ts[k], us[k], vs[k]);
    }
}

/// Rays, one after the other, against all triangles of a leaf at once. True when one may have hit.
LANES_TARGET static bool packet_leaf_by_rays(packet_walk* w, tact_ray_mode mode, const tact_triangle_block* block,
                                             uint32_t places, uint64_t rays)
{
    const tact_packet_rays* r = w->rays;
    const uint32_t kz = w->axis, kx = lanes_axis_after[kz], ky = lanes_axis_after[kz + 1];
    const float* from = w->here.enter_origin;
    const bool one = w->here.one_origin;
    f8 x[3], y[3], z[3];
    for (int k = 0; k < 3 && one; ++k) {
        x[k] = f8_sub(f8_load(block->corner[k][kx]), f8_set(from[kx]));
        y[k] = f8_sub(f8_load(block->corner[k][ky]), f8_set(from[ky]));
        z[k] = f8_sub(f8_load(block->corner[k][kz]), f8_set(from[kz]));
    }
    bool hit = false;
    for (; rays; rays &= rays - 1u) {
        const uint32_t i = tact_lowest_bit_64(rays);
        for (int k = 0; k < 3 && !one; ++k) {
            x[k] = f8_sub(f8_load(block->corner[k][kx]), f8_set(r->origin[kx][i]));
            y[k] = f8_sub(f8_load(block->corner[k][ky]), f8_set(r->origin[ky][i]));
            z[k] = f8_sub(f8_load(block->corner[k][kz]), f8_set(r->origin[kz][i]));
        }
        edge_lanes e;
        const uint32_t left = edge_values(f8_set(r->sx[i]), f8_set(r->sy[i]), x, y, z, places, &e);
        if (!left) continue;
        packet_block_hits(w, mode, block, i, left, &e);
        hit = true;
    }
    return hit;
}

/// Groups of as many rays as there are lanes, in which some are.
LANES_INLINE uint32_t packet_groups(uint64_t rays)
{
    uint32_t n = 0;
    for (int i = 0; i < TACT_PACKET_RAYS; i += LANES)
        n += ((uint32_t)(rays >> i) & LANE_BITS) != 0;
    return n;
}

LANES_TARGET static void packet_leaf(packet_walk* w, tact_ray_mode mode, uint32_t slot, uint32_t count, uint64_t rays)
{
    const uint32_t at = slot / TACT_BVH8_BLOCK, first = slot % TACT_BVH8_BLOCK;
    const tact_triangle_block* block = &w->scene->blocks[at];
    bool hit = false;
    // Where each hit counts, another leaf's in the block would bring its hits again.
    const bool whole = mode < TACT_RAY_COUNT;
    if (whole && at == w->met) rays &= ~w->met_rays;
    if (!rays) return;
    // A ray against all triangles costs about two thirds of what a triangle against a group of rays does.
    if (2 * packet_bits(rays) <= 3 * count * packet_groups(rays)) {
        hit = packet_leaf_by_rays(w, mode, block, whole ? block_places(block) : ((1u << count) - 1u) << first, rays);
        w->met_rays = at == w->met ? w->met_rays | rays : rays;
        w->met = at;
    } else {
        for (uint32_t i = first; i < first + count; ++i) {
            packet_triangle t;
            packet_read_triangle(w, block, i, &t);
            hit |= packet_triangle_test(w, mode, &t, rays);
        }
    }
    if (hit && mode < TACT_RAY_COUNT) w->limit = packet_limit(w->p);
}
