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

/// Registers of faces times points of which all are looked at; no more than there may be witnesses.
enum { FEW_LOOKS = TACT_CONTACT_WITNESSES };

/// Edges of which all are listed, whatever a witness shows.
enum { FEW_EDGES = 32 };

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

/// tact_faces() of so few that looking at all points is the fastest: each becomes a witness.
FN TactFaces faces_of_few(const TactShapes* tables, TactCore own, TactCore other, TactPlaced placed, bool second)
{
    float apart[FEW_LOOKS][LANES];
    VF most = V_SET(-INFINITY);
    for (uint32_t f = 0; f < own.face_count; f += LANES) {
        const lane_faces faces = faces_at(tables, own, placed, second, f);
        VF along = V_SET(-INFINITY);
        for (uint32_t i = 0; i < other.point_count; ++i) {
            const float4 p = tables->points[other.point + i];
            along = V_MAX(dot(spread(tact_vec(p.x, p.y, p.z)), faces.back), along);
        }
        const VF there = V_SUB(V_SUB(faces.between, V_MUL(along, V_SET(other.scale))), faces.offset);
        V_STORE(apart[f / LANES], there);
        most = V_MAX(there, most);
    }
    TactFaces r = tact_no_faces();
    r.best.apart = V_MOST(most);
    uint32_t equal = 0;
    for (uint32_t f = 0; f < own.face_count; f += LANES) {
        const uint32_t bits = M_BITS(V_EQ(V_LOAD(apart[f / LANES]), V_SET(r.best.apart)));
        if (bits && equal == 0) r.best.first = f + tact_lowest_bit(bits);
        equal += lanes_count(bits);
    }
    if (equal > 1) {
        const uint32_t towards = tact_face_towards(tables, own, placed, second);
        if (apart[towards / LANES][towards % LANES] >= r.best.apart) r.best.first = towards;
    }
    r.best.way = tact_across(tables, own, placed, second, r.best.first).normal;
    if (second) r.best.way = tact_times(r.best.way, -1.0f);
    r.seen.count = other.point_count;
    for (uint32_t k = 0; k < other.point_count; ++k)
        r.seen.point[k] = k;
    // The one that the best face shows comes first.
    const TactVec back = tact_across(tables, own, placed, second, r.best.first).back;
    const uint32_t deepest = own.edge_count > FEW_EDGES ? tact_points_farthest(tables, other, back).i : 0;
    r.seen.point[0] = deepest;
    r.seen.point[deepest] = 0;
    return r;
}

FN TactFaces tact_faces(const TactShapes* tables, TactCore own, TactCore other, TactPlaced placed, bool second)
{
    if (own.face_count < FEW) return tact_faces_each(tables, own, other, placed, second);
    if ((own.face_count + LANES - 1) / LANES * other.point_count <= FEW_LOOKS)
        return faces_of_few(tables, own, other, placed, second);
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
            const float before = r.best.apart;
            r = tact_face_looked(tables, other, tact_across(tables, own, placed, second, f + lane), f + lane, r);
            if (r.seen.count == seen) continue;
            least = V_MIN(apart_at(&faces, tables, other, r.seen.point[seen]), least);
            // The one that the best face shows comes first.
            if (r.best.apart > before) {
                const uint32_t first = r.seen.point[0];
                r.seen.point[0] = r.seen.point[seen];
                r.seen.point[seen] = first;
            }
        }
    }
    if (second) r.best.way = tact_times(r.best.way, -1.0f);
    return r;
}

#include "cpu_ref/contacts/lanes_edges.h"

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
