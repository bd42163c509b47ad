// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Eight boxes of a node, and eight triangles of a block, against a ray. Included by lanes_body.h.
//
// Box tests. The definition's interval of a triangle's padded box begins at fl(fl((side - o) r) (1 - s)) with s = 2^-20
// and all parts rounded once (for a box that is entered at t >= 0; what begins before 0 begins at tmin here, since
// are_fast() has seen to tmin >= 0). A node's side lies at or before the triangle's, and subtraction and
// multiplication are monotone under rounding. Here the slack is in the reciprocal, fl(r (1 - 2^-19)), which saves a
// multiplication for every box: three roundings of at most 2^-24 each are far less than the 2^-20 that it is wider
// (tests/proofs/ray_tree.gappa). What that leaves open is products below 2^-126, which round by an absolute 2^-150;
// TACT_TREE_TINY covers them. So a node's interval as computed here contains that of every triangle below, and nothing
// that counts is passed over.
//
// Triangle tests. The three edge values of eight triangles are computed exactly as in tact_ray_triangle(). Those with
// both signs are no hits. For the few others the rest is computed in lanes too, operation for operation, except where
// an edge value comes out as zero: that is left to tact_ray_triangle() itself.

EIGHT_FN EF box_scale(uint8_t exponent)
{
    const uint32_t bits = (uint32_t)exponent << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return E_SET(scale);
}

/// The sides through which rays of an octant enter and leave the children.
EIGHT_FN void box_sides(const tact_bvh8_node* node, uint32_t octant, EF enter[3], EF leave[3])
{
    for (int k = 0; k < 3; ++k) {
        const EF scale = box_scale(node->exponent[k]), origin = E_SET(node->origin[k]);
        const uint8_t* bytes = &node->box[k][0][0];
        const uint32_t first = ((octant >> k) & 1u) * TACT_BVH8_WIDTH;
        enter[k] = E_ADD(E_MUL(E_BYTES(bytes + first), scale), origin);
        leave[k] = E_ADD(E_MUL(E_BYTES(bytes + (TACT_BVH8_WIDTH - first)), scale), origin);
    }
}

/// Children that there are.
EIGHT_FN uint32_t box_present(const tact_bvh8_node* node)
{
    uint32_t bits = 0;
    for (int i = 0; i < TACT_BVH8_WIDTH; ++i)
        bits |= (uint32_t)(node->meta[i] != 0) << i;
    return bits;
}

/// Which children the ray reaches, and where it enters them.
EIGHT_FN uint32_t box_test(const tact_stream_ray* r, const EF enter[3], const EF leave[3], EF* distance)
{
    EF near = E_SET(r->tmin), far = E_SET(r->limit);
    for (int k = 0; k < 3; ++k) {
        const EF o = E_SET(r->origin[k]);
        near = E_MAX(near, E_MUL(E_SUB(enter[k], o), E_SET(r->near[k])));
        far = E_MIN(far, E_MUL(E_SUB(leave[k], o), E_SET(r->far[k])));
    }
    *distance = near;
    return E_LE(near, E_ADD(far, E_SET(TACT_TREE_TINY)));
}

/// Eight triangles as a ray sees them: their edge values, and how far along the ray's z their corners lie.
typedef struct edge_lanes {
    EF u, v, w;
    EF z[3];
} edge_lanes;

/// The triangles of a block whose edge values do not have both signs, among those of `places`.
EIGHT_FN uint32_t edge_test(const tact_stream_ray* r, const tact_triangle_block* b, uint32_t places, edge_lanes* e)
{
    const uint32_t kz = r->axis, kx = kz == 2 ? 0 : kz + 1, ky = kx == 2 ? 0 : kx + 1;
    const EF ox = E_SET(r->origin[kx]), oy = E_SET(r->origin[ky]), oz = E_SET(r->origin[kz]);
    const EF sx = E_SET(r->sx), sy = E_SET(r->sy);
    const EF az = E_SUB(E_LOAD(b->corner[0][kz]), oz), bz = E_SUB(E_LOAD(b->corner[1][kz]), oz),
             cz = E_SUB(E_LOAD(b->corner[2][kz]), oz);
    const EF ax = E_SUB(E_SUB(E_LOAD(b->corner[0][kx]), ox), E_MUL(sx, az));
    const EF ay = E_SUB(E_SUB(E_LOAD(b->corner[0][ky]), oy), E_MUL(sy, az));
    const EF bx = E_SUB(E_SUB(E_LOAD(b->corner[1][kx]), ox), E_MUL(sx, bz));
    const EF by = E_SUB(E_SUB(E_LOAD(b->corner[1][ky]), oy), E_MUL(sy, bz));
    const EF cx = E_SUB(E_SUB(E_LOAD(b->corner[2][kx]), ox), E_MUL(sx, cz));
    const EF cy = E_SUB(E_SUB(E_LOAD(b->corner[2][ky]), oy), E_MUL(sy, cz));
    e->u = E_SUB(E_MUL(cx, by), E_MUL(cy, bx));
    e->v = E_SUB(E_MUL(ax, cy), E_MUL(ay, cx));
    e->w = E_SUB(E_MUL(bx, ay), E_MUL(by, ax));
    e->z[0] = az;
    e->z[1] = bz;
    e->z[2] = cz;
    const EF zero = E_SET(0.0f);
    return places & ~(E_LT(E_MIN(E_MIN(e->u, e->v), e->w), zero) & E_LT(zero, E_MAX(E_MAX(e->u, e->v), e->w)));
}

/// Those of `left` an edge value of which came out as zero: what its sign is takes tact_ray_triangle() itself to tell.
EIGHT_FN uint32_t edge_zeros(const edge_lanes* e, uint32_t left)
{
    const EF zero = E_SET(0.0f);
    const EF least = E_MIN(E_MIN(E_ABS(e->u), E_ABS(e->v)), E_ABS(e->w));
    return left & E_LE(least, zero);
}

/// Where the ray is inside the triangles' padded boxes: tact_triangle_box() and tact_box_interval().
EIGHT_FN void triangle_interval(const tact_stream_ray* r, const tact_stream_rest* rest, const tact_triangle_block* b,
                                EF* enter, EF* leave)
{
    EF low[3], high[3], most = E_SET(0.0f);
    for (int k = 0; k < 3; ++k) {
        const EF p = E_LOAD(b->corner[0][k]), q = E_LOAD(b->corner[1][k]), s = E_LOAD(b->corner[2][k]);
        low[k] = E_MIN(E_MIN(p, q), s);
        high[k] = E_MAX(E_MAX(p, q), s);
        most = E_MAX(most, E_SUB(high[k], low[k]));
    }
    const EF pad = E_MUL(most, E_SET(TACT_PAD_SIDE)), ulp = E_SET(TACT_PAD_ULP);
    for (int k = 0; k < 3; ++k) {
        const EF o = E_SET(r->origin[k]), inverse = E_SET(rest->inverse[k]);
        const EF lower = E_SUB(low[k], E_ADD(pad, E_MUL(E_ABS(low[k]), ulp)));
        const EF upper = E_ADD(high[k], E_ADD(pad, E_MUL(E_ABS(high[k]), ulp)));
        const EF one = E_MUL(E_SUB(lower, o), inverse), other = E_MUL(E_SUB(upper, o), inverse);
        low[k] = E_MIN(one, other);
        high[k] = E_MAX(one, other);
    }
    const EF first = E_MAX(E_MAX(low[0], low[1]), low[2]), last = E_MIN(E_MIN(high[0], high[1]), high[2]);
    const EF less = E_SET(1.0f - TACT_SLACK), more = E_SET(1.0f + TACT_SLACK), zero = E_SET(0.0f);
    *enter = E_MUL(first, E_IF_LT(first, zero, more, less));
    *leave = E_MUL(last, E_IF_LT(last, zero, less, more));
}

/// What tact_ray_triangle() does with edge values that are not zero: those of `left` that are hit on a side of `faces`,
/// where, and the sum of their edge values.
EIGHT_FN uint32_t triangle_test(const tact_stream_ray* r, const tact_stream_rest* rest, const tact_triangle_block* b,
                                uint32_t left, uint32_t faces, const edge_lanes* e, EF* t, EF* sum)
{
    EF enter, leave;
    triangle_interval(r, rest, b, &enter, &leave);
    enter = E_MAX(enter, E_SET(rest->enter));
    leave = E_MIN(leave, E_SET(rest->leave));
    const EF sz = E_SET(r->sz), zero = E_SET(0.0f);
    *sum = E_ADD(E_ADD(e->u, e->v), e->w);
    const EF scaled =
        E_ADD(E_ADD(E_MUL(e->u, E_MUL(sz, e->z[0])), E_MUL(e->v, E_MUL(sz, e->z[1]))), E_MUL(e->w, E_MUL(sz, e->z[2])));
    *t = E_MIN(E_MAX(E_DIV(scaled, *sum), enter), leave);
    const uint32_t up = E_LT(zero, *sum);
    left &= (up | E_LT(*sum, zero)) & E_LE(enter, leave);
    left &= E_LE(E_SET(r->tmin), *t) & E_LE(*t, E_SET(r->limit)) & E_LE(E_ABS(*t), E_SET(TACT_LARGEST));
    if (faces != TACT_FACE_BOTH) {
        const uint32_t ahead = r->sz > 0.0f ? UINT32_MAX : 0;
        left &= faces == TACT_FACE_FRONT ? ~(up ^ ahead) : up ^ ahead;
    }
    return left;
}
