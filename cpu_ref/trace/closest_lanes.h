// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Closest points: eight boxes of a node and the triangles of a block beside each other. Included by lanes_body.h.
//
// Boxes are moved into the world and measured by the very operations of near_walk.h, and triangles by those of
// tact_triangle_closest(), operation for operation, so a lane holds the definition's own squared distance. What that
// function gives besides, the weights, is asked of it for the best triangle alone.
//
// Every point begins with the triangle that was closest to the one before: any triangle is a valid start, and where
// points are sorted (cpu_ref/trace/closest.c) it is mostly a good one, which leaves little of the trees to look at.

LANES_FN VF near_dot(lanes_vec a, lanes_vec b)
{
    return V_ADD(V_ADD(V_MUL(a.x, b.x), V_MUL(a.y, b.y)), V_MUL(a.z, b.z));
}

LANES_FN lanes_vec near_cross(lanes_vec a, lanes_vec b)
{
    return (lanes_vec){V_SUB(V_MUL(a.y, b.z), V_MUL(a.z, b.y)), V_SUB(V_MUL(a.z, b.x), V_MUL(a.x, b.z)),
                       V_SUB(V_MUL(a.x, b.y), V_MUL(a.y, b.x))};
}

LANES_FN lanes_vec near_between(lanes_vec a, lanes_vec b)
{
    return (lanes_vec){V_SUB(b.x, a.x), V_SUB(b.y, a.y), V_SUB(b.z, a.z)};
}

LANES_FN lanes_vec near_times(lanes_vec a, VF s)
{
    return (lanes_vec){V_MUL(a.x, s), V_MUL(a.y, s), V_MUL(a.z, s)};
}

LANES_FN lanes_vec near_select(VM m, lanes_vec a, lanes_vec b)
{
    return (lanes_vec){V_SELECT(m, a.x, b.x), V_SELECT(m, a.y, b.y), V_SELECT(m, a.z, b.z)};
}

LANES_FN VF near_least(VF a, VF b, VF c)
{
    return V_MIN(V_MIN(a, b), c);
}

LANES_FN VF near_most(VF a, VF b, VF c)
{
    return V_MAX(V_MAX(a, b), c);
}

LANES_FN VF near_negative(VF a)
{
    return V_SUB(V_SET(0.0f), a);
}

/// tact_closest_along() without the share; returns the squared distance.
LANES_FN VF near_along(lanes_vec a, lanes_vec b, lanes_vec e, VF length2, lanes_vec* at)
{
    const VF along = near_negative(near_dot(a, e)), t = V_DIV(along, length2);
    const lanes_vec inner = {V_ADD(a.x, V_MUL(t, e.x)), V_ADD(a.y, V_MUL(t, e.y)), V_ADD(a.z, V_MUL(t, e.z))};
    const lanes_vec past = near_select(V_LT(along, length2), inner, b);
    *at = near_select(V_LT(V_SET(0.0f), along), past, a);
    return near_dot(*at, *at);
}

LANES_FN VF near_weight(lanes_vec a, lanes_vec e, lanes_vec n)
{
    return near_dot(near_cross(a, e), n);
}

/// What tact_triangle_closest() gives as d2 where that is not beyond the limit, and else anything beyond it.
LANES_FN VF near_triangles(lanes_vec p, lanes_vec va, lanes_vec vb, lanes_vec vc, float gate2, float limit2)
{
    const VF zero = V_SET(0.0f);
    const lanes_vec ra = near_between(p, va), rb = near_between(p, vb), rc = near_between(p, vc);
    const lanes_vec low = {near_least(ra.x, rb.x, rc.x), near_least(ra.y, rb.y, rc.y), near_least(ra.z, rb.z, rc.z)};
    const lanes_vec high = {near_most(ra.x, rb.x, rc.x), near_most(ra.y, rb.y, rc.y), near_most(ra.z, rb.z, rc.z)};
    const lanes_vec gap = {V_MAX(V_MAX(low.x, near_negative(high.x)), zero),
                           V_MAX(V_MAX(low.y, near_negative(high.y)), zero),
                           V_MAX(V_MAX(low.z, near_negative(high.z)), zero)};
    const VF own2 = near_dot(gap, gap), gate = V_SET(gate2);
    const VF box2 = V_MAX(own2, gate);
    if (M_BITS(V_LE(box2, V_SET(limit2))) == 0) return box2;
    const VF size =
        near_most(near_most(high.x, high.y, high.z),
                  near_most(near_negative(low.x), near_negative(low.y), near_negative(low.z)), V_SET(TACT_SCALE_LEAST));
    const VF up = V_POWER(size), down = V_INVERSE(up);
    const lanes_vec a = near_times(ra, down), b = near_times(rb, down), c = near_times(rc, down);
    const lanes_vec ab = near_times(near_between(va, vb), down), bc = near_times(near_between(vb, vc), down),
                    ca = near_times(near_between(vc, va), down);
    const VF ab2 = near_dot(ab, ab), bc2 = near_dot(bc, bc), ca2 = near_dot(ca, ca);
    lanes_vec edge, other;
    VF edge2 = near_along(a, b, ab, ab2, &edge);
    VF other2 = near_along(b, c, bc, bc2, &other);
    VM less = V_LT(other2, edge2);
    edge = near_select(less, other, edge);
    edge2 = V_SELECT(less, other2, edge2);
    other2 = near_along(c, a, ca, ca2, &other);
    less = V_LT(other2, edge2);
    edge = near_select(less, other, edge);
    edge2 = V_SELECT(less, other2, edge2);
    const lanes_vec n = near_cross(ca, ab);
    const VF n2 = near_dot(n, n), longest2 = near_most(ab2, bc2, ca2);
    const VF least2 = V_MUL(V_SET(TACT_FACE_LEAST), V_MUL(longest2, longest2));
    const VF wa = near_weight(b, bc, n), wb = near_weight(c, ca, n), wc = near_weight(a, ab, n);
    VM face = M_AND(V_LT(V_SET(TACT_FACE_LEAST), longest2), V_LT(least2, n2));
    face = M_AND(face, M_AND(V_LE(zero, wa), M_AND(V_LE(zero, wb), V_LE(zero, wc))));
    face = M_AND(face, V_LT(zero, V_ADD(V_ADD(wa, wb), wc)));
    VF d2 = edge2;
    if (M_BITS(face) != 0) {
        const VF plane = V_DIV(near_dot(n, edge), V_SQRT(n2));
        const VF plane2 = V_MUL(plane, plane);
        const VF aside = V_MUL(V_SUB(edge2, plane2), longest2);
        face = M_AND(face, M_AND(V_LE(plane2, d2), V_LE(aside, n2)));
        d2 = V_SELECT(face, plane2, d2);
    }
    return V_MAX(V_MUL(d2, V_MUL(up, up)), box2);
}

/// A point's search so far.
typedef struct near_search {
    const tact_trace_scene* scene;
    float x, y, z, limit;
    tact_closest_found best;
    /// Blocks of the present mesh that were looked at, each in the place of its last bits.
    uint32_t seen[16];
} near_search;

/// tact_near_move() of a corner in each lane. A matrix that is NULL leaves it where it is: the identity would only make
/// a positive zero of a negative one, which no distance shows.
LANES_FN lanes_vec near_corner(const tact_triangle_block* block, uint32_t first, int corner, const float* m)
{
    const lanes_vec p = {V_LOAD(block->corner[corner][0] + first), V_LOAD(block->corner[corner][1] + first),
                         V_LOAD(block->corner[corner][2] + first)};
    if (!m) return p;
    VF moved[3];
    for (int k = 0; k < 3; ++k) {
        const float* row = m + 4 * k;
        const VF xy = V_ADD(V_MUL(V_SET(row[0]), p.x), V_MUL(V_SET(row[1]), p.y));
        moved[k] = V_ADD(V_ADD(xy, V_MUL(V_SET(row[2]), p.z)), V_SET(row[3]));
    }
    return (lanes_vec){moved[0], moved[1], moved[2]};
}

LANES_INLINE void near_take(near_search* s, const tact_trace_instance* in, uint32_t slot, uint32_t primitive, float d2)
{
    if (!(d2 <= s->limit)) return;
    if (d2 == s->limit && !tact_closest_before(in->id, primitive, &s->best)) return;
    s->limit = d2;
    s->best = (tact_closest_found){in, slot, primitive};
}

/// The triangles of a leaf; in passing, others that lie in the same lanes.
LANES_INLINE void near_leaf(near_search* s, const tact_trace_instance* in, const float* m, float gate, uint32_t slot,
                            uint32_t count)
{
    const uint32_t number = slot / TACT_BVH8_BLOCK;
    const tact_triangle_block* block = &s->scene->blocks[number];
    uint32_t begin = slot % TACT_BVH8_BLOCK, end = begin + count;
    if (LANES == TACT_BVH8_BLOCK) {
        uint32_t* seen = &s->seen[number % 16];
        if (*seen == number) return;
        *seen = number;
        begin = 0;
        end = TACT_BVH8_BLOCK;
    }
    const lanes_vec p = {V_SET(s->x), V_SET(s->y), V_SET(s->z)};
    for (uint32_t first = begin / LANES * LANES; first < end; first += LANES) {
        const VF d2 = near_triangles(p, near_corner(block, first, 0, m), near_corner(block, first, 1, m),
                                     near_corner(block, first, 2, m), gate, s->limit);
        uint32_t good = M_BITS(V_LE(d2, V_SET(s->limit)));
        if (good == 0) continue;
        float squares[LANES];
        V_STORE(squares, d2);
        for (uint32_t i = 0; i < LANES; ++i) {
            if (!(good >> i & 1u) || block->primitive[first + i] == TACT_NONE) continue;
            near_take(s, in, number * TACT_BVH8_BLOCK + first + i, block->primitive[first + i], squares[i]);
        }
    }
}

/// The shapes of a leaf, one by one.
LANES_INLINE void near_shapes(near_search* s, const tact_trace_instance* in, float gate, uint32_t slot, uint32_t count)
{
    const tact_closest_query q = {s->x, s->y, s->z, 0.0f};
    for (uint32_t i = slot; i < slot + count; ++i) {
        const tact_trace_shape* shape = &s->scene->shapes[i];
        near_take(s, in, i, shape->primitive, tact_closest_to_shape(s->scene, in, shape, &q, gate, s->limit).d2);
    }
}

/// Where one row of a matrix brings the sides of eight boxes, as tact_near_move_boxes() has it.
LANES_INLINE void near_move_sides(const float row[4], const f8 lower[3], const f8 upper[3], f8* low, f8* high)
{
    f8 l[3], h[3];
    for (int k = 0; k < 3; ++k) {
        const f8 entry = f8_set(row[k]);
        const f8 a = f8_mul(entry, lower[k]), b = f8_mul(entry, upper[k]);
        l[k] = row[k] >= 0.0f ? a : b;
        h[k] = row[k] >= 0.0f ? b : a;
    }
    *low = f8_add(f8_add(f8_add(l[0], l[1]), l[2]), f8_set(row[3]));
    *high = f8_add(f8_add(f8_add(h[0], h[1]), h[2]), f8_set(row[3]));
}

/// tact_near_open(): puts aside the children that may matter, the nearest last.
LANES_INLINE int near_open(const near_search* s, const tact_bvh8_node* node, const float* m, tact_near_aside* stack,
                           int top)
{
    f8 lower[3], upper[3], sum;
    for (int k = 0; k < 3; ++k) {
        const f8 scale = box_scale(node->exponent[k]), origin = f8_set(node->origin[k]);
        lower[k] = f8_add(origin, f8_mul(f8_bytes(node->box[k][0]), scale));
        upper[k] = f8_add(origin, f8_mul(f8_bytes(node->box[k][1]), scale));
    }
    const float at[3] = {s->x, s->y, s->z};
    for (int k = 0; k < 3; ++k) {
        f8 low = lower[k], high = upper[k];
        if (m) near_move_sides(m + 4 * k, lower, upper, &low, &high);
        const f8 p = f8_set(at[k]);
        const f8 gap = f8_max(f8_max(f8_sub(low, p), f8_sub(p, high)), f8_set(0.0f));
        sum = k == 0 ? f8_mul(gap, gap) : f8_add(sum, f8_mul(gap, gap));
    }
    const uint32_t near = f8_le_bits(sum, f8_set(s->limit)) & f8_lt_bits(sum, f8_set(INFINITY)) & box_present(node);
    float keys[TACT_BVH8_WIDTH];
    f8_store(keys, sum);
    // Each goes straight to its place: behind those that are farther, and those before it that are as far.
    for (uint32_t left = near; left; left &= left - 1u) {
        const int i = (int)tact_lowest_bit_64(left);
        const f8 key = f8_set(keys[i]);
        const uint32_t farther = f8_lt_bits(key, sum) & near, as_far = f8_le_bits(key, sum) & near & ((1u << i) - 1u);
        const int place = top + (int)lanes_count(farther | as_far);
        stack[place] = (tact_near_aside){tact_bvh8_child(node, i), tact_bvh8_kind(node, i), keys[i]};
    }
    return top + (int)lanes_count(near);
}

LANES_TARGET static void near_instance(near_search* s, const tact_trace_instance* in, float gate)
{
    const tact_trace_scene* scene = s->scene;
    const float* matrix = scene->matrices[in->id];
    const float* m = tact_closest_is_identity(matrix) ? NULL : matrix;
    tact_near_aside stack[TACT_BVH8_STACK];
    memset(s->seen, 0xff, sizeof s->seen);
    int top = near_open(s, &scene->wide[in->wide_root], m, stack, 0);
    while (top > 0) {
        const tact_near_aside next = stack[--top];
        if (next.key > s->limit) continue;
        if (next.kind == TACT_BVH8_INNER) {
            top = near_open(s, &scene->wide[next.child], m, stack, top);
        } else if (in->kind != TACT_KIND_TRIANGLES) {
            near_shapes(s, in, gate, next.child, next.kind);
        } else {
            near_leaf(s, in, m, gate, next.child, next.kind);
        }
    }
}

LANES_INLINE float near_gate(const near_search* s, const tact_trace_instance* in)
{
    return tact_box_gap2(s->x, s->y, s->z, in->lower[0], in->lower[1], in->lower[2], in->upper[0], in->upper[1],
                         in->upper[2]);
}

LANES_INLINE void near_scene(near_search* s)
{
    const tact_trace_scene* scene = s->scene;
    tact_near_aside stack[TACT_BVH8_TOP_STACK];
    int top = near_open(s, &scene->wide_top[0], NULL, stack, 0);
    while (top > 0) {
        const tact_near_aside next = stack[--top];
        if (next.key > s->limit) continue;
        if (next.kind == TACT_BVH8_INNER) {
            top = near_open(s, &scene->wide_top[next.child], NULL, stack, top);
            continue;
        }
        for (uint32_t k = next.child; k < next.child + next.kind; ++k) {
            const tact_trace_instance* in = &scene->instances[k];
            const float gate = near_gate(s, in);
            if (gate <= s->limit && gate < INFINITY) near_instance(s, in, gate);
        }
    }
}

LANES_TARGET static void closest(const tact_closest_job* job, const uint32_t* order, uint32_t count)
{
    const tact_trace_scene* scene = job->scene;
    tact_closest_found last = {NULL, 0, TACT_NONE};
    for (uint32_t j = 0; j < count; ++j) {
        enum { AHEAD = 8 };
        if (j + AHEAD < count) TACT_PREFETCH(&job->queries[order[j + AHEAD]]);
        const tact_closest_query* q = &job->queries[order[j]];
        tact_closest_hit* hit = &job->hits[order[j]];
        near_search s = {.scene = scene, .x = q->x, .y = q->y, .z = q->z};
        s.limit = tact_closest_limit2(q->x, q->y, q->z, q->max_distance);
        if (s.limit >= 0.0f) {
            if (last.instance) {
                const float d2 = tact_closest_in_slot(scene, &last, q, near_gate(&s, last.instance), s.limit, NULL);
                near_take(&s, last.instance, last.slot, last.primitive, d2);
            }
            near_scene(&s);
        }
        if (!s.best.instance) {
            tact_closest_write_none(q, hit);
            continue;
        }
        last = s.best;
        tact_closest_in_slot(scene, &last, q, near_gate(&s, last.instance), TACT_CLOSEST_FAR2, hit);
    }
}

#if TACT_LANES_ISA == 2
void tact_trace_closest_avx2(const tact_closest_job* job, const uint32_t* order, uint32_t count)
{
    closest(job, order, count);
}
#endif
