// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Pairs of edges of two cores in lanes. Included by lanes_body.h.

enum { MOST_EDGES = TACT_CONTACT_EDGE_WORDS * 32, EDGE_ROWS = TACT_CONTACT_EDGE_LANES };

enum { ROW_FROM = 0, ROW_ALONG = 3, ROW_LEFT = 6, ROW_RIGHT = 9, ROW_OFFSETS = 12, ROW_OUT = 14 };

/// Where rows of EDGE_ROWS begin in those of BLOCK edges; row r of the edge is BLOCK * r further.
FN const float* edge_rows(const float* lanes, size_t at)
{
    return lanes + (size_t)EDGE_ROWS * BLOCK * (at / BLOCK) + at % BLOCK;
}

LANES_FN lane_vec rows_at(const float* rows, int first)
{
    const float* p = rows + (size_t)BLOCK * (size_t)first;
    return (lane_vec){V_LOAD(p), V_LOAD(p + BLOCK), V_LOAD(p + 2 * BLOCK)};
}

FN void store_rows(float* rows, int first, lane_vec v)
{
    float* p = rows + (size_t)BLOCK * (size_t)first;
    V_STORE(p, v.x);
    V_STORE(p + BLOCK, v.y);
    V_STORE(p + 2 * BLOCK, v.z);
}

LANES_FN lane_vec times_each(lane_vec v, VF times)
{
    return (lane_vec){V_MUL(v.x, times), V_MUL(v.y, times), V_MUL(v.z, times)};
}

/// a + times b
LANES_FN lane_vec more_each(lane_vec a, lane_vec b, VF times)
{
    return (lane_vec){V_ADD(a.x, V_MUL(b.x, times)), V_ADD(a.y, V_MUL(b.y, times)), V_ADD(a.z, V_MUL(b.z, times))};
}

/// tact_placed_way()
LANES_FN lane_vec placed_each(TactPlaced p, lane_vec v)
{
    return (lane_vec){dot((lane_vec){V_SET(p.x.x), V_SET(p.y.x), V_SET(p.z.x)}, v),
                      dot((lane_vec){V_SET(p.x.y), V_SET(p.y.y), V_SET(p.z.y)}, v),
                      dot((lane_vec){V_SET(p.x.z), V_SET(p.y.z), V_SET(p.z.z)}, v)};
}

/// Some edges of a core, in the frame of A: rows of where they begin, their vectors, the normals of their faces, and
/// the sum of these where it leads outwards. A bit for each that may be better than what there is.
typedef struct lane_edges {
    float rows[EDGE_ROWS * MOST_EDGES];
    uint32_t may[MOST_EDGES / LANES];
    uint32_t number[MOST_EDGES];
    uint32_t count;
} lane_edges;

FN float* listed_rows(lane_edges* edges, uint32_t k)
{
    return edges->rows + (size_t)EDGE_ROWS * BLOCK * (k / BLOCK) + k % BLOCK;
}

/// Lists the edges that a witness does not show to be no better than `most`: those beside faces that it lies beyond.
/// Of few edges all. Returns their rows.
FN const float* list_edges(const TactShapes* tables, TactCore own, TactCore other, TactPlaced placed, bool second,
                           uint32_t witness, float most, lane_edges* to)
{
    to->count = 0;
    if (own.edge_count <= FEW_EDGES) {
        to->count = own.edge_count;
        for (uint32_t i = 0; i < own.edge_count; ++i)
            to->number[i] = i;
        return edge_rows(tables->edge_lanes, own.edge);
    }
    uint32_t words[TACT_CONTACT_EDGE_WORDS] = {0};
    const uint16_t *starts = tables->face_edges + 2 * (size_t)own.face,
                   *list = tables->edge_lists + TACT_CONTACT_EDGE_LISTS * (size_t)own.edge;
    for (uint32_t f = 0; f < own.face_count; f += LANES) {
        const lane_faces faces = faces_at(tables, own, placed, second, f);
        uint32_t bits = M_BITS(V_LT(V_SET(most), apart_at(&faces, tables, other, witness)));
        for (; bits; bits &= bits - 1u) {
            const uint16_t* range = starts + 2 * (size_t)(f + tact_lowest_bit(bits));
            for (uint32_t k = range[0]; k < range[1]; ++k)
                words[list[k] >> 5] |= 1u << (list[k] & 31u);
        }
    }
    const uint16_t *open = list + 2 * (size_t)own.edge_count,
                   opens = list[TACT_CONTACT_EDGE_LISTS * (size_t)own.edge_count - 1];
    for (uint32_t k = 0; k < opens; ++k)
        words[open[k] >> 5] |= 1u << (open[k] & 31u);
    for (uint32_t w = 0; w < (own.edge_count + 31) / 32; ++w) {
        for (uint32_t bits = words[w]; bits; bits &= bits - 1u) {
            const uint32_t k = to->count++, i = 32 * w + tact_lowest_bit(bits);
            const float* from = edge_rows(tables->edge_lanes, (size_t)own.edge + i);
            float* rows = listed_rows(to, k);
            // Lanes beyond the last edge are read, though not used.
            for (int r = 0; r < ROW_OUT && k % LANES == 0; ++r)
                V_STORE(rows + BLOCK * r, V_SET(0.0f));
            to->number[k] = i;
            for (int r = 0; r < ROW_OUT; ++r)
                rows[BLOCK * r] = from[BLOCK * r];
        }
    }
    return to->rows;
}

/// Which of LANES edges may be better than `most` as far as all witnesses show, as tact_edge_words() says. Rounding is
/// another, which what `most` is less by allows for. `seen`: witnesses from the core's position.
LANES_FN uint32_t may_at(const float* rows, lane_vec of_left, lane_vec of_right, float scale, uint32_t left,
                         const TactVec* seen, uint32_t count, float most)
{
    const float* offsets = rows + (size_t)BLOCK * ROW_OFFSETS;
    const VF on_left = V_MUL(V_LOAD(offsets), V_SET(scale)), on_right = V_MUL(V_LOAD(offsets + BLOCK), V_SET(scale));
    VF least = V_SET(INFINITY);
    for (uint32_t k = 0; k < count; ++k) {
        const lane_vec p = spread(seen[k]);
        least = V_MIN(V_MAX(V_SUB(dot(of_left, p), on_left), V_SUB(dot(of_right, p), on_right)), least);
    }
    const uint32_t there = left < LANES ? (1u << left) - 1u : (uint32_t)((1ull << LANES) - 1u);
    return M_BITS(V_LT(V_SET(most), least)) & there;
}

/// What tact_edge_side() takes the side by; none: zeros, whose side is 0 too.
LANES_FN lane_vec outwards(lane_vec left, lane_vec right)
{
    const lane_vec sum = more_each(left, right, V_SET(1.0f));
    const VF there = V_SELECT(V_LT(V_SET(0.01f), dot(sum, sum)), V_SET(1.0f), V_SET(0.0f));
    return times_each(sum, there);
}

FN void edges_of_a(const TactShapes* tables, TactCore a, TactCore b, TactPlaced placed, const TactWitnesses* on_b,
                   float most, lane_edges* to)
{
    const float* listed = list_edges(tables, a, b, placed, false, on_b->point[0], most, to);
    TactVec seen[TACT_CONTACT_WITNESSES];
    for (uint32_t k = 0; k < on_b->count; ++k)
        seen[k] = tact_other_point(tables, b, placed, on_b->point[k]);
    for (uint32_t k = 0; k < to->count; k += LANES) {
        const float* from = edge_rows(listed, k);
        float* rows = listed_rows(to, k);
        const VF scale = V_SET(a.scale);
        const lane_vec of_left = rows_at(from, ROW_LEFT), of_right = rows_at(from, ROW_RIGHT);
        to->may[k / LANES] = may_at(from, of_left, of_right, a.scale, to->count - k, seen, on_b->count, most);
        store_rows(rows, ROW_FROM, times_each(rows_at(from, ROW_FROM), scale));
        store_rows(rows, ROW_ALONG, times_each(rows_at(from, ROW_ALONG), scale));
        store_rows(rows, ROW_OUT, outwards(of_left, of_right));
        store_rows(rows, ROW_LEFT, of_left);
        store_rows(rows, ROW_RIGHT, of_right);
    }
}

FN void edges_of_b(const TactShapes* tables, TactCore a, TactCore b, TactPlaced placed, const TactWitnesses* on_a,
                   float most, lane_edges* to)
{
    const float* listed = list_edges(tables, b, a, placed, true, on_a->point[0], most, to);
    TactVec seen[TACT_CONTACT_WITNESSES];
    for (uint32_t k = 0; k < on_a->count; ++k)
        seen[k] = tact_less(tact_core_point(tables, a, on_a->point[k]), placed.t);
    for (uint32_t k = 0; k < to->count; k += LANES) {
        const float* from = edge_rows(listed, k);
        float* rows = listed_rows(to, k);
        const VF scale = V_SET(b.scale);
        const lane_vec of_left = placed_each(placed, rows_at(from, ROW_LEFT)),
                       of_right = placed_each(placed, rows_at(from, ROW_RIGHT));
        store_rows(rows, ROW_LEFT, of_left);
        store_rows(rows, ROW_RIGHT, of_right);
        to->may[k / LANES] = may_at(from, of_left, of_right, b.scale, to->count - k, seen, on_a->count, most);
        const lane_vec begins = placed_each(placed, times_each(rows_at(from, ROW_FROM), scale));
        store_rows(rows, ROW_FROM, more_each(spread(placed.t), begins, V_SET(1.0f)));
        store_rows(rows, ROW_ALONG, placed_each(placed, times_each(rows_at(from, ROW_ALONG), scale)));
        store_rows(rows, ROW_OUT, outwards(of_left, of_right));
    }
}

/// One edge of B against LANES of A.
typedef struct lane_edge {
    lane_vec from, e, left, right, out;
} lane_edge;

LANES_FN lane_vec row_spread(const float* rows, int first)
{
    const float* p = rows + (size_t)BLOCK * (size_t)first;
    return (lane_vec){V_SET(p[0]), V_SET(p[BLOCK]), V_SET(p[2 * BLOCK])};
}

/// Lanes where two numbers lie on either side of 0, or one is: tact_arc_parts().
LANES_FN uint32_t parts_at(VF l, VF r)
{
    const VF zero = V_SET(0.0f);
    return (M_BITS(V_LE(l, zero)) & M_BITS(V_LE(zero, r))) | (M_BITS(V_LE(zero, l)) & M_BITS(V_LE(r, zero)));
}

/// tact_across_edges().
LANES_FN lane_vec across_edges(lane_vec d, lane_vec e)
{
    const lane_vec n = {V_SUB(V_MUL(d.y, e.z), V_MUL(d.z, e.y)), V_SUB(V_MUL(d.z, e.x), V_MUL(d.x, e.z)),
                        V_SUB(V_MUL(d.x, e.y), V_MUL(d.y, e.x))};
    const VF zero = V_SET(0.0f), d2 = dot(d, d);
    const VF along = V_SELECT(V_LT(zero, d2), V_DIV(dot(n, d), d2), zero);
    return more_each(n, d, V_SUB(zero, along));
}

/// Lanes of edges whose arcs meet that of b, and that may be farther apart than `apart`: those that tact_edge_pair()
/// has to look at.
LANES_FN uint32_t worth_at(const float* rows, uint32_t may, const lane_edge* b, float apart)
{
    const lane_vec d = rows_at(rows, ROW_ALONG);
    uint32_t bits = may & parts_at(dot(b->left, d), dot(b->right, d));
    bits &= parts_at(dot(rows_at(rows, ROW_LEFT), b->e), dot(rows_at(rows, ROW_RIGHT), b->e));
    if (!bits) return 0;
    const lane_vec n = across_edges(d, b->e);
    const VF n2 = dot(n, n), zero = V_SET(0.0f);
    const lane_vec from = rows_at(rows, ROW_FROM);
    const VF between = dot(n, (lane_vec){V_SUB(b->from.x, from.x), V_SUB(b->from.y, from.y), V_SUB(b->from.z, from.z)});
    const VF on_a = dot(rows_at(rows, ROW_OUT), n), on_b = dot(b->out, n);
    const uint32_t forwards = M_BITS(V_LE(zero, on_a)) & M_BITS(V_LE(on_b, zero)),
                   backwards = M_BITS(V_LE(on_a, zero)) & M_BITS(V_LE(zero, on_b));
    // tact_is_farther() in both directions.
    const uint32_t ahead = M_BITS(V_LE(zero, between)), behind = M_BITS(V_LE(between, zero));
    const VF between2 = V_MUL(between, between), apart2 = V_MUL(V_MUL(V_SET(apart), V_SET(apart)), n2);
    const uint32_t more = apart < 0.0f ? ~0u : M_BITS(V_LT(apart2, between2)),
                   less = apart < 0.0f ? M_BITS(V_LT(between2, apart2)) : 0;
    bits &= (forwards & ((ahead & more) | (~ahead & less))) | (backwards & ((behind & more) | (~behind & less)));
    return bits;
}

FN TactAxis tact_edges(const TactShapes* tables, TactCore a, TactCore b, TactPlaced placed, TactWitnesses on_b,
                       TactWitnesses on_a, float least, float slack)
{
    if (a.edge_count < FEW || b.edge_count < FEW)
        return tact_edges_each(tables, a, b, placed, on_b, on_a, least, slack);
    TactAxis best = tact_no_axis();
    best.apart = least;
    const float most = (least < 0.0f ? least : 0.0f) - slack;
    lane_edges first, second;
    edges_of_a(tables, a, b, placed, &on_b, most, &first);
    edges_of_b(tables, a, b, placed, &on_a, most, &second);
    for (uint32_t j = 0; j < second.count; ++j) {
        if (!(second.may[j / LANES] >> j % LANES & 1u)) continue;
        const float* rows = listed_rows(&second, j);
        const lane_edge own = {row_spread(rows, ROW_FROM), row_spread(rows, ROW_ALONG), row_spread(rows, ROW_LEFT),
                               row_spread(rows, ROW_RIGHT), row_spread(rows, ROW_OUT)};
        for (uint32_t k = 0; k < first.count; k += LANES) {
            if (!first.may[k / LANES]) continue;
            for (uint32_t bits = worth_at(listed_rows(&first, k), first.may[k / LANES], &own, best.apart); bits;
                 bits &= bits - 1u) {
                const uint32_t i = first.number[k + tact_lowest_bit(bits)];
                best = tact_edge_pair(tables, a, b, placed, i, second.number[j], best);
            }
        }
    }
    return best;
}
