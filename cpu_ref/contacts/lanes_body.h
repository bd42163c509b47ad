// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The contact of two bodies for one set of instructions: the kernels' own text, but for three functions that look at
// many points, faces or edges, which do it in lanes and give the same bits. The including file defines TACT_LANES_ISA,
// LANES_TABLE and LANES_NAME.

#include "base/simd.h"

#define FN LANES_TARGET static inline
#define TACT_CONTACT_LANES
#include "cpu_ref/contacts/contacts.h"

// Fewer than these are looked at one by one: spheres, capsules, triangles, which have no rows for lanes.
enum { BLOCK = TACT_CONTACT_LANE_BLOCK, FEW = 4 };

static const float numbers[BLOCK] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

typedef struct lane_vec {
    VF x, y, z;
} lane_vec;

LANES_FN lane_vec spread(TactVec v)
{
    return (lane_vec){V_SET(v.x), V_SET(v.y), V_SET(v.z)};
}

LANES_FN VF dot(lane_vec a, lane_vec b)
{
    return V_ADD(V_ADD(V_MUL(a.x, b.x), V_MUL(a.y, b.y)), V_MUL(a.z, b.z));
}

/// The point number i of a core and those after it, as lanes of three numbers.
LANES_FN lane_vec points_at(const TactShapes* tables, TactCore c, uint32_t i)
{
    const size_t at = (size_t)c.point + i;
    const float* p = tables->point_lanes + 3 * BLOCK * (at / BLOCK) + at % BLOCK;
    return (lane_vec){V_LOAD(p), V_LOAD(p + BLOCK), V_LOAD(p + 2 * BLOCK)};
}

FN TactFarthest tact_points_farthest(const TactShapes* tables, TactCore c, TactVec way)
{
    if (c.point_count < FEW) return tact_points_farthest_each(tables, c, way);
    const lane_vec along_way = spread(way);
    VF best = dot(points_at(tables, c, 0), along_way), at = V_LOAD(numbers);
    for (uint32_t i = LANES; i < c.point_count; i += LANES) {
        const VF along = dot(points_at(tables, c, i), along_way);
        at = V_SELECT(V_LT(best, along), V_ADD(V_LOAD(numbers), V_SET((float)i)), at);
        best = V_SELECT(V_LT(best, along), along, best);
    }
    // Of equal ones the first. Lanes beyond the last point repeat the first one.
    float along[LANES], number[LANES];
    V_STORE(along, best);
    V_STORE(number, at);
    uint32_t bits = M_BITS(V_EQ(best, V_SET(V_MOST(best)))), lane = tact_lowest_bit(bits);
    for (bits &= bits - 1u; bits; bits &= bits - 1u) {
        const uint32_t other = tact_lowest_bit(bits);
        if (number[other] < number[lane]) lane = other;
    }
    return (TactFarthest){along[lane] * c.scale, (uint32_t)number[lane]};
}

/// Faces side by side, as tact_across() has one.
typedef struct lane_faces {
    lane_vec normal, back;
    VF between, offset;
} lane_faces;

LANES_FN lane_faces faces_at(const TactShapes* tables, TactCore own, TactPlaced p, bool second, uint32_t f)
{
    const size_t at = (size_t)own.face + f;
    const float* plane = tables->face_lanes + 4 * BLOCK * (at / BLOCK) + at % BLOCK;
    const lane_vec n = {V_LOAD(plane), V_LOAD(plane + BLOCK), V_LOAD(plane + 2 * BLOCK)};
    const VF minus = V_SET(-1.0f);
    lane_faces r;
    r.offset = V_MUL(V_LOAD(plane + 3 * BLOCK), V_SET(own.scale));
    if (second) {
        const lane_vec x = {V_SET(p.x.x), V_SET(p.y.x), V_SET(p.z.x)}, y = {V_SET(p.x.y), V_SET(p.y.y), V_SET(p.z.y)},
                       z = {V_SET(p.x.z), V_SET(p.y.z), V_SET(p.z.z)};
        r.normal = (lane_vec){dot(x, n), dot(y, n), dot(z, n)};
        r.back = r.normal;
        r.between = V_MUL(dot(spread(p.t), r.normal), minus);
    } else {
        r.normal = n;
        r.back = (lane_vec){dot(spread(p.x), n), dot(spread(p.y), n), dot(spread(p.z), n)};
        r.between = dot(spread(p.t), n);
    }
    r.back = (lane_vec){V_MUL(r.back.x, minus), V_MUL(r.back.y, minus), V_MUL(r.back.z, minus)};
    return r;
}

LANES_FN VF apart_at(const lane_faces* f, const TactShapes* tables, TactCore other, uint32_t point)
{
    const float4 p = tables->points[other.point + point];
    const VF along = V_MUL(dot(spread(tact_vec(p.x, p.y, p.z)), f->back), V_SET(other.scale));
    return V_SUB(V_SUB(f->between, along), f->offset);
}

FN TactFaces tact_faces(const TactShapes* tables, TactCore own, TactCore other, TactPlaced placed, bool second)
{
    if (own.face_count < FEW) return tact_faces_each(tables, own, other, placed, second);
    const uint32_t towards = tact_face_towards(tables, own, placed, second);
    TactFaces r =
        tact_face_looked(tables, other, tact_across(tables, own, placed, second, towards), towards, tact_no_faces());
    for (uint32_t f = 0; f < own.face_count; f += LANES) {
        const lane_faces faces = faces_at(tables, own, placed, second, f);
        const uint32_t left = own.face_count - f;
        uint32_t todo = left < LANES ? (1u << left) - 1u : (uint32_t)((1ull << LANES) - 1u);
        // The least that a witness shows, of each face.
        VF least = V_SET(INFINITY);
        for (uint32_t k = 0; k < r.seen.count; ++k)
            least = V_MIN(apart_at(&faces, tables, other, r.seen.point[k]), least);
        for (;;) {
            todo &= M_BITS(V_LT(V_SET(r.best.apart), least));
            if (!todo) break;
            const uint32_t lane = tact_lowest_bit(todo), seen = r.seen.count;
            todo &= todo - 1u;
            r = tact_face_looked(tables, other, tact_across(tables, own, placed, second, f + lane), f + lane, r);
            if (r.seen.count > seen) least = V_MIN(apart_at(&faces, tables, other, r.seen.point[seen]), least);
        }
    }
    if (second) r.best.way = tact_times(r.best.way, -1.0f);
    return r;
}

FN TactEdgeWords tact_edge_words(const TactShapes* tables, TactCore own, TactCore other, TactPlaced placed, bool second,
                                 TactWitnesses seen, float most)
{
    if (own.face_count < FEW) return tact_edge_words_each(tables, own, other, placed, second, seen, most);
    enum { WITNESSES = TACT_CONTACT_WITNESSES };
    _Static_assert(WITNESSES % LANES == 0 && WITNESSES <= 32, "a bit for each");
    float at[3][WITNESSES];
    for (uint32_t k = 0; k < WITNESSES; ++k) {
        const float4 p = tables->points[other.point + (k < seen.count ? seen.point[k] : 0)];
        at[0][k] = p.x;
        at[1][k] = p.y;
        at[2][k] = p.z;
    }
    const uint32_t all = seen.count < 32 ? (1u << seen.count) - 1u : ~0u;
    // Of each face the witnesses that show it to be within.
    uint32_t within[TACT_CONTACT_EDGE_WORDS * 32];
    for (uint32_t f = 0; f < own.face_count; f += LANES) {
        const lane_faces faces = faces_at(tables, own, placed, second, f);
        float back[3][LANES], between[LANES], offset[LANES];
        V_STORE(back[0], faces.back.x);
        V_STORE(back[1], faces.back.y);
        V_STORE(back[2], faces.back.z);
        V_STORE(between, faces.between);
        V_STORE(offset, faces.offset);
        for (uint32_t i = 0; i < LANES && f + i < own.face_count; ++i) {
            const lane_vec way = spread(tact_vec(back[0][i], back[1][i], back[2][i]));
            uint32_t bits = 0;
            for (uint32_t k = 0; k < seen.count; k += LANES) {
                const lane_vec p = {V_LOAD(at[0] + k), V_LOAD(at[1] + k), V_LOAD(at[2] + k)};
                const VF along = V_MUL(dot(p, way), V_SET(other.scale));
                const VF apart = V_SUB(V_SUB(V_SET(between[i]), along), V_SET(offset[i]));
                bits |= M_BITS(V_LE(apart, V_SET(most))) << k;
            }
            within[f + i] = bits & all;
        }
    }
    TactEdgeWords r;
    const uint8_t* open = tables->edge_open + own.edge;
    for (uint32_t i = 0; i < own.edge_count; ++i) {
        const uint4 row = tables->edges[own.edge + i];
        const uint32_t bit = (uint32_t)(open[i] || !(within[row.z] & within[row.w])) << (i & 31u);
        r.may[i >> 5] = (i & 31u) == 0 ? bit : r.may[i >> 5] | bit;
    }
    return r;
}

enum { MOST_EDGES = TACT_CONTACT_EDGE_WORDS * 32 };

/// Edges of A side by side, as tact_edge_pair() has them: the edge, the normals of its faces, and their sum where it
/// leads outwards.
typedef struct lane_edges {
    float from[3][MOST_EDGES], d[3][MOST_EDGES], left[3][MOST_EDGES], right[3][MOST_EDGES], out[3][MOST_EDGES];
    uint32_t number[MOST_EDGES], whole[MOST_EDGES];
    uint32_t count;
} lane_edges;

FN void put_vec(float to[3][MOST_EDGES], uint32_t k, TactVec v)
{
    to[0][k] = v.x;
    to[1][k] = v.y;
    to[2][k] = v.z;
}

LANES_FN lane_vec vecs_at(float from[3][MOST_EDGES], uint32_t k)
{
    return (lane_vec){V_LOAD(from[0] + k), V_LOAD(from[1] + k), V_LOAD(from[2] + k)};
}

/// What tact_edge_side() takes the side by; none: zeros, whose side is 0 too.
FN TactVec outwards(TactVec left, TactVec right)
{
    const TactVec sum = tact_more(left, right, 1.0f);
    return tact_dot_vec(sum, sum) > 0.01f ? sum : tact_vec(0.0f, 0.0f, 0.0f);
}

FN void list_edges(const TactShapes* tables, TactCore a, const TactEdgeWords* words, lane_edges* to)
{
    to->count = 0;
    for (uint32_t w = 0; w < (a.edge_count + 31) / 32; ++w) {
        for (uint32_t bits = words->may[w]; bits; bits &= bits - 1u) {
            const uint32_t k = to->count++, i = 32 * w + tact_lowest_bit(bits);
            const uint4 row = tables->edges[a.edge + i];
            to->number[k] = i;
            to->whole[k] = row.z == TACT_CONTACT_NONE;
            const TactVec from = tact_core_point(tables, a, row.x), left = tact_edge_normal(tables, a, row.z),
                          right = tact_edge_normal(tables, a, row.w);
            put_vec(to->from, k, from);
            put_vec(to->d, k, tact_less(tact_core_point(tables, a, row.y), from));
            put_vec(to->left, k, left);
            put_vec(to->right, k, right);
            put_vec(to->out, k, outwards(left, right));
        }
    }
}

/// Lanes where two numbers lie on either side of 0, or one is: tact_arc_parts().
LANES_FN uint32_t parts_at(VF l, VF r)
{
    const VF zero = V_SET(0.0f);
    return (M_BITS(V_LE(l, zero)) & M_BITS(V_LE(zero, r))) | (M_BITS(V_LE(zero, l)) & M_BITS(V_LE(r, zero)));
}

/// One edge of B against LANES of A.
typedef struct lane_edge {
    lane_vec from, e, left, right, out;
    bool whole;
} lane_edge;

/// Lanes of edges whose arcs meet that of b, and that may be farther apart than `apart`: those that tact_edge_pair()
/// has to look at.
LANES_FN uint32_t worth_at(lane_edges* edges, uint32_t k, const lane_edge* b, float apart)
{
    const uint32_t left = edges->count - k, there = left < LANES ? (1u << left) - 1u : (uint32_t)((1ull << LANES) - 1u);
    const lane_vec d = vecs_at(edges->d, k);
    uint32_t bits = there & (parts_at(dot(b->left, d), dot(b->right, d)) | (b->whole ? ~0u : 0));
    bits &=
        parts_at(dot(vecs_at(edges->left, k), b->e), dot(vecs_at(edges->right, k), b->e)) | (edges->whole[k] ? ~0u : 0);
    if (!bits) return 0;
    const lane_vec n = {V_SUB(V_MUL(d.y, b->e.z), V_MUL(d.z, b->e.y)), V_SUB(V_MUL(d.z, b->e.x), V_MUL(d.x, b->e.z)),
                        V_SUB(V_MUL(d.x, b->e.y), V_MUL(d.y, b->e.x))};
    const VF n2 = dot(n, n), zero = V_SET(0.0f);
    const lane_vec from = vecs_at(edges->from, k);
    const VF between = dot(n, (lane_vec){V_SUB(b->from.x, from.x), V_SUB(b->from.y, from.y), V_SUB(b->from.z, from.z)});
    const VF on_a = dot(vecs_at(edges->out, k), n), on_b = dot(b->out, n);
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
    const TactEdgeWords of_a = tact_edge_words(tables, a, b, placed, false, on_b, most);
    const TactEdgeWords of_b = tact_edge_words(tables, b, a, placed, true, on_a, most);
    lane_edges edges;
    list_edges(tables, a, &of_a, &edges);
    for (uint32_t w = 0; w < (b.edge_count + 31) / 32; ++w) {
        for (uint32_t left = of_b.may[w]; left; left &= left - 1u) {
            const uint32_t j = 32 * w + tact_lowest_bit(left);
            const uint4 row = tables->edges[b.edge + j];
            const TactVec from = tact_other_point(tables, b, placed, row.x),
                          e = tact_less(tact_other_point(tables, b, placed, row.y), from),
                          left_way = tact_placed_way(placed, tact_edge_normal(tables, b, row.z)),
                          right_way = tact_placed_way(placed, tact_edge_normal(tables, b, row.w));
            const lane_edge own = {.from = spread(from),
                                   .e = spread(e),
                                   .left = spread(left_way),
                                   .right = spread(right_way),
                                   .out = spread(outwards(left_way, right_way)),
                                   .whole = row.z == TACT_CONTACT_NONE};
            for (uint32_t k = 0; k < edges.count; k += LANES) {
                for (uint32_t bits = worth_at(&edges, k, &own, best.apart); bits; bits &= bits - 1u) {
                    const uint32_t i = edges.number[k + tact_lowest_bit(bits)];
                    best = tact_edge_pair(tables, a, b, placed, i, j, best);
                }
            }
        }
    }
    return best;
}

FN uint32_t tact_faces_against(const TactShapes* tables, TactCore c, TactVec way)
{
    if (c.face_count < FEW) return tact_faces_against_each(tables, c, way);
    const lane_vec along_way = spread(way);
    VF best = V_SET(INFINITY), at = V_SET(0.0f);
    for (uint32_t f = 0; f < c.face_count; f += LANES) {
        const size_t row = (size_t)c.face + f;
        const float* plane = tables->face_lanes + 4 * BLOCK * (row / BLOCK) + row % BLOCK;
        const lane_vec n = {V_LOAD(plane), V_LOAD(plane + BLOCK), V_LOAD(plane + 2 * BLOCK)};
        // Faces that are not there have no normal, and an offset without end.
        const VF turned =
            V_SELECT(V_LT(V_LOAD(plane + 3 * BLOCK), V_SET(INFINITY)), dot(n, along_way), V_SET(INFINITY));
        at = V_SELECT(V_LT(turned, best), V_ADD(V_LOAD(numbers), V_SET((float)f)), at);
        best = V_SELECT(V_LT(turned, best), turned, best);
    }
    float number[LANES];
    V_STORE(number, at);
    uint32_t bits = M_BITS(V_EQ(best, V_SET(V_LEAST(best))));
    float first = number[tact_lowest_bit(bits)];
    for (bits &= bits - 1u; bits; bits &= bits - 1u)
        first = f1_min(number[tact_lowest_bit(bits)], first);
    return (uint32_t)first;
}

#include "cpu_ref/contacts/lanes_pairs.h"

LANES_TARGET static TactGap gap(const TactShapes* shapes, const float4* bodies, tact_pair pair, tact_pair parts,
                                float most)
{
    return tact_body_gap(shapes, tact_body_of(bodies, pair.a), tact_body_of(bodies, pair.b), parts.a, parts.b, most);
}

const tact_contact_lanes LANES_TABLE = {LANES_NAME, run, one_contact, gap};
