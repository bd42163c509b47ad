// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Strips of a boundary's edges beside each other. Included by lanes_body.h. Operation for operation those of
// kernels/strip_turn.h, so a lane holds the definition's own turn. Signs are those that exceed what rounding can have
// done; the others are found exactly.

typedef struct strip_ends {
    VF h, y, z;
} strip_ends;

LANES_FN VF strip_part(VF x, VF down)
{
    const VF s = V_MUL(x, down);
    return V_SELECT(V_LT(V_ABS(s), V_SET(TACT_STRIP_LEAST)), V_SET(0.0f), s);
}

LANES_FN VF strip_squares(VF y, VF z)
{
    return V_ADD(V_MUL(y, y), V_MUL(z, z));
}

/// tact_strip_end() of the ends less the point.
LANES_FN strip_ends strip_ends_of(lanes_vec d)
{
    const VF zero = V_SET(0.0f), least = V_SET(0x1p-126f);
    const VF aside = V_MAX(V_ABS(d.y), V_ABS(d.z));
    const VM ahead = V_LT(zero, d.x);
    const VF whole = V_MAX(V_POWER(V_MAX(V_ABS(d.x), aside)), least);
    const VF part = V_SELECT(ahead, V_MAX(V_POWER(aside), least), whole);
    const VF down = V_INVERSE(whole), up = V_INVERSE(part);
    const VF x = strip_part(d.x, down), y = strip_part(d.y, down), z = strip_part(d.z, down);
    const VF sum = V_ADD(V_SQRT(V_ADD(V_MUL(x, x), strip_squares(y, z))), V_ABS(x));
    strip_ends e = {sum, strip_part(d.y, up), strip_part(d.z, up)};
    const VF aside2 = strip_squares(e.y, e.z);
    const VF ratio = V_MUL(part, down);
    const VF share = V_MUL(aside2, V_SELECT(V_LT(ratio, least), zero, ratio));
    e.h = V_SELECT(ahead, V_DIV(share, sum), sum);
    e.y = V_SELECT(M_AND(ahead, V_EQ(aside2, zero)), V_SET(-1.0f), e.y);
    return e;
}

/// tact_turn_of() times TACT_TURN_ONE.
LANES_FN VF strip_turns_of(VF n, VF d)
{
    static const float factors[] = {TACT_TURN_7, TACT_TURN_6, TACT_TURN_5, TACT_TURN_4,
                                    TACT_TURN_3, TACT_TURN_2, TACT_TURN_1, TACT_TURN_0};
    const VF zero = V_SET(0.0f), m = V_ABS(d), most = V_MAX(m, n);
    const VF r = V_SELECT(V_LT(zero, most), V_DIV(V_MIN(n, m), most), zero);
    const VF x = V_MUL(r, r);
    VF q = V_SET(TACT_TURN_8);
    for (int i = 0; i < 8; ++i)
        q = V_ADD(V_MUL(q, x), V_SET(factors[i]));
    const VF shallow = V_MUL(r, q);
    const VF t = V_SELECT(V_LT(m, n), V_SUB(V_SET(0.25f), shallow), shallow);
    return V_MUL(V_SELECT(V_LT(d, zero), V_SUB(V_SET(0.5f), t), t), V_SET(TACT_TURN_ONE));
}

LANES_FN lanes_vec strip_from(const tact_strip_block* block, int end, int first, const lanes_vec* p)
{
    return (lanes_vec){V_SUB(V_LOAD(block->ends[end][0] + first), p->x),
                       V_SUB(V_LOAD(block->ends[end][1] + first), p->y),
                       V_SUB(V_LOAD(block->ends[end][2] + first), p->z)};
}

/// Writes the turns of LANES edges, with the side's sign; bits of those whose side is not sure.
LANES_FN uint32_t strip_some(const tact_strip_block* block, int first, const lanes_vec* p, float turns[LANES])
{
    const lanes_vec a = strip_from(block, 0, first, p), b = strip_from(block, 1, first, p);
    const VF yz = V_MUL(a.y, b.z), zy = V_MUL(a.z, b.y), det = V_SUB(yz, zy);
    // Two differences, a product and the last difference: below 2^-22 of the sizes, and 2^-140 by underflow.
    const VF bound = V_ADD(V_MUL(V_SET(0x1p-20f), V_ADD(V_ABS(yz), V_ABS(zy))), V_SET(0x1p-100f));
    const strip_ends from = strip_ends_of(a), to = strip_ends_of(b);
    const VF across = V_SUB(V_MUL(from.y, to.z), V_MUL(from.z, to.y));
    const VF along = V_ADD(V_MUL(from.y, to.y), V_MUL(from.z, to.z));
    const VF turn = strip_turns_of(V_ABS(across), V_ADD(V_MUL(from.h, to.h), along));
    V_STORE(turns, V_SELECT(V_LT(det, V_SET(0.0f)), V_SUB(V_SET(0.0f), turn), turn));
    return M_BITS(V_LE(V_ABS(det), bound));
}

/// What the strips of all edges add to the winding number of a point.
LANES_TARGET static int64_t strips(const tact_rim* boundary, tact_vec3 p)
{
    const lanes_vec at = {V_SET(p.x), V_SET(p.y), V_SET(p.z)};
    int64_t sum = 0;
    for (size_t i = 0; i < boundary->count; i += LANES) {
        const tact_strip_block* block = &boundary->blocks[i / TACT_WINDING_BLOCK];
        const int first = (int)(i % TACT_WINDING_BLOCK);
        const size_t left = boundary->count - i;
        float turns[LANES];
        const uint32_t unsure = strip_some(block, first, &at, turns);
        for (int k = 0; k < LANES && (size_t)k < left; ++k) {
            if (unsure >> k & 1u) {
                sum -= tact_rim_side(block, first + k, p) * (int64_t)fabsf(turns[k]);
            } else {
                sum -= (int64_t)turns[k];
            }
        }
    }
    return sum;
}
