// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Eight boxes of a node, and eight triangles of a block, against a ray. Included by lanes_body.h.
//
// Box tests. The definition's interval of a triangle's padded box begins at fl(x (1 - s)), x = fl(fl(side - o) r), and
// ends at fl(y (1 + s)), y likewise, with s = 2^-20 (for a box that is entered at t >= 0; what begins before 0 begins
// at tmin here, since are_fast() has seen to tmin >= 0). A node's side lies at or before the triangle's, and
// subtraction and multiplication are monotone under rounding, so its x is no larger and its y no smaller. Where the
// definition finds a common part, x is at most y (1 + 2^-18): two slacks and four roundings of at most 2^-24 each
// (tests/proofs/ray_tree.gappa). That leaves products below 2^-126, which round by an absolute 2^-150; TACT_TREE_TINY
// covers them. So nothing that counts is passed over. Packets have their slack in the reciprocals, fl(r (1 - 2^-19)).
//
// Triangle tests. The three edge values of eight triangles are computed exactly as in tact_ray_triangle(). Those with
// both signs are no hits. For the few others the rest is computed in lanes too, operation for operation, except where
// an edge value comes out as zero: that is left to tact_ray_triangle() itself.

LANES_INLINE f8 box_scale(uint8_t exponent)
{
    const uint32_t bits = (uint32_t)exponent << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return f8_set(scale);
}

/// The sides through which rays of an octant enter and leave the children.
LANES_INLINE void box_sides(const tact_bvh8_node* node, uint32_t octant, f8 enter[3], f8 leave[3])
{
    for (int k = 0; k < 3; ++k) {
        const f8 scale = box_scale(node->exponent[k]), origin = f8_set(node->origin[k]);
        const uint8_t* bytes = &node->box[k][0][0];
        const uint32_t first = ((octant >> k) & 1u) * TACT_BVH8_WIDTH;
        enter[k] = f8_add(f8_mul(f8_bytes(bytes + first), scale), origin);
        leave[k] = f8_add(f8_mul(f8_bytes(bytes + (TACT_BVH8_WIDTH - first)), scale), origin);
    }
}

/// Children that there are.
LANES_INLINE uint32_t box_present(const tact_bvh8_node* node)
{
    uint32_t bits = 0;
    for (int i = 0; i < TACT_BVH8_WIDTH; ++i)
        bits |= (uint32_t)(node->meta[i] != 0) << i;
    return bits;
}

/// Which children the ray reaches, and where it enters them: those that lie farther than box_limit() need no look.
/// `growth` is TACT_TREE_GROWTH, or that of instances.
LANES_INLINE uint32_t box_test(const tact_stream_ray* r, const f8 enter[3], const f8 leave[3], float growth,
                               f8* distance)
{
    f8 near = f8_set(r->tmin), far = f8_set(r->limit);
    for (int k = 0; k < 3; ++k) {
        const f8 o = f8_set(r->origin[k]), inverse = f8_set(r->inverse[k]);
        near = f8_max(near, f8_mul(f8_sub(enter[k], o), inverse));
        far = f8_min(far, f8_mul(f8_sub(leave[k], o), inverse));
    }
    *distance = near;
    return f8_le_bits(near, f8_add(f8_mul(far, f8_set(1.0f + growth)), f8_set(TACT_TREE_TINY)));
}

LANES_INLINE float box_limit(const tact_stream_ray* r, float growth)
{
    return r->limit * (1.0f + growth) + TACT_TREE_TINY;
}

/// Eight triangles as a ray sees them: their edge values, and how far along the ray's z their corners lie.
typedef struct edge_lanes {
    f8 u, v, w;
    f8 z[3];
} edge_lanes;

/// The places of a block that hold a triangle.
LANES_INLINE uint32_t block_places(const tact_triangle_block* b)
{
    return lanes_other_words(b->primitive, TACT_NONE);
}

/// The triangles of a block whose edge values do not have both signs, among those of `places`, from their corners as
/// seen from the ray's origin: x, y and z of each, along the axes of the ray's frame.
LANES_INLINE uint32_t edge_values(f8 sx, f8 sy, const f8 x[3], const f8 y[3], const f8 z[3], uint32_t places,
                                  edge_lanes* e)
{
    const f8 ax = f8_sub(x[0], f8_mul(sx, z[0])), ay = f8_sub(y[0], f8_mul(sy, z[0]));
    const f8 bx = f8_sub(x[1], f8_mul(sx, z[1])), by = f8_sub(y[1], f8_mul(sy, z[1]));
    const f8 cx = f8_sub(x[2], f8_mul(sx, z[2])), cy = f8_sub(y[2], f8_mul(sy, z[2]));
    e->u = f8_sub(f8_mul(cx, by), f8_mul(cy, bx));
    e->v = f8_sub(f8_mul(ax, cy), f8_mul(ay, cx));
    e->w = f8_sub(f8_mul(bx, ay), f8_mul(by, ax));
    for (int k = 0; k < 3; ++k)
        e->z[k] = z[k];
    const f8 zero = f8_set(0.0f);
    return places &
           ~(f8_lt_bits(f8_min(f8_min(e->u, e->v), e->w), zero) & f8_lt_bits(zero, f8_max(f8_max(e->u, e->v), e->w)));
}

/// The axes after a dominant one, and after that. Read, not computed: which it is would be a branch that cannot be
/// foretold.
static const uint32_t lanes_axis_after[4] = {1, 2, 0, 1};

/// The same for a ray.
LANES_INLINE uint32_t edge_test(const tact_stream_ray* r, const tact_triangle_block* b, uint32_t places, edge_lanes* e)
{
    const uint32_t kz = r->axis, kx = lanes_axis_after[kz], ky = lanes_axis_after[kz + 1];
    const f8 ox = f8_set(r->origin[kx]), oy = f8_set(r->origin[ky]), oz = f8_set(r->origin[kz]);
    f8 x[3], y[3], z[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = f8_sub(f8_load(b->corner[k][kx]), ox);
        y[k] = f8_sub(f8_load(b->corner[k][ky]), oy);
        z[k] = f8_sub(f8_load(b->corner[k][kz]), oz);
    }
    return edge_values(f8_set(r->sx), f8_set(r->sy), x, y, z, places, e);
}

/// Those of `left` an edge value of which came out as zero: what its sign is takes tact_ray_triangle() itself to tell.
LANES_INLINE uint32_t edge_zeros(const edge_lanes* e, uint32_t left)
{
    const f8 zero = f8_set(0.0f);
    const f8 least = f8_min(f8_min(f8_abs(e->u), f8_abs(e->v)), f8_abs(e->w));
    return left & f8_le_bits(least, zero);
}

/// Where the ray is inside the triangles' padded boxes: tact_triangle_box() and tact_box_interval().
LANES_INLINE void triangle_interval(const tact_stream_ray* r, const tact_triangle_block* b, f8* enter, f8* leave)
{
    f8 low[3], high[3], most = f8_set(0.0f);
    for (int k = 0; k < 3; ++k) {
        const f8 p = f8_load(b->corner[0][k]), q = f8_load(b->corner[1][k]), s = f8_load(b->corner[2][k]);
        low[k] = f8_min(f8_min(p, q), s);
        high[k] = f8_max(f8_max(p, q), s);
        most = f8_max(most, f8_sub(high[k], low[k]));
    }
    const f8 pad = f8_mul(most, f8_set(TACT_PAD_SIDE)), ulp = f8_set(TACT_PAD_ULP);
    for (int k = 0; k < 3; ++k) {
        const f8 o = f8_set(r->origin[k]), inverse = f8_set(r->inverse[k]);
        const f8 lower = f8_sub(low[k], f8_add(pad, f8_mul(f8_abs(low[k]), ulp)));
        const f8 upper = f8_add(high[k], f8_add(pad, f8_mul(f8_abs(high[k]), ulp)));
        const f8 one = f8_mul(f8_sub(lower, o), inverse), other = f8_mul(f8_sub(upper, o), inverse);
        low[k] = f8_min(one, other);
        high[k] = f8_max(one, other);
    }
    const f8 first = f8_max(f8_max(low[0], low[1]), low[2]), last = f8_min(f8_min(high[0], high[1]), high[2]);
    const f8 less = f8_set(1.0f - TACT_SLACK), more = f8_set(1.0f + TACT_SLACK), zero = f8_set(0.0f);
    *enter = f8_mul(first, f8_less(first, zero, more, less));
    *leave = f8_mul(last, f8_less(last, zero, less, more));
}

/// What tact_ray_triangle() does with edge values that are not zero: those of `left` that are hit on a side of `faces`,
/// where, and the sum of their edge values.
LANES_INLINE uint32_t triangle_test(const tact_stream_ray* r, const tact_triangle_block* b, uint32_t left,
                                    uint32_t faces, const edge_lanes* e, f8* t, f8* sum)
{
    f8 enter, leave;
    triangle_interval(r, b, &enter, &leave);
    enter = f8_max(enter, f8_set(r->enter));
    leave = f8_min(leave, f8_set(r->leave));
    const f8 sz = f8_set(r->sz), zero = f8_set(0.0f);
    *sum = f8_add(f8_add(e->u, e->v), e->w);
    const f8 scaled = f8_add(f8_add(f8_mul(e->u, f8_mul(sz, e->z[0])), f8_mul(e->v, f8_mul(sz, e->z[1]))),
                             f8_mul(e->w, f8_mul(sz, e->z[2])));
    *t = f8_min(f8_max(f8_div(scaled, *sum), enter), leave);
    const uint32_t up = f8_lt_bits(zero, *sum);
    left &= (up | f8_lt_bits(*sum, zero)) & f8_le_bits(enter, leave);
    left &= f8_le_bits(f8_set(r->tmin), *t) & f8_le_bits(*t, f8_set(r->limit)) &
            f8_le_bits(f8_abs(*t), f8_set(TACT_LARGEST));
    if (faces != TACT_FACE_BOTH) {
        const uint32_t ahead = r->sz > 0.0f ? UINT32_MAX : 0;
        left &= faces == TACT_FACE_FRONT ? ~(up ^ ahead) : up ^ ahead;
    }
    return left;
}
