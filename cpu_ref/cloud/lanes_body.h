// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The walks for one set of instructions; see lanes.h. The same operations in the same order as in
// kernels/cloud_point.h. The including file defines TACT_LANES_ISA, LANES_TABLE and LANES_NAME.

#include "base/compiler.h"
#include "base/simd.h"
#include "cpu_ref/cloud/keys.h"
#include "cpu_ref/cloud/lanes.h"

/// Queries side by side, which share a walk: those that come one after the other in the order of a curve. Limits are
/// squares; they are negative, and so is the reach, of lanes that look for nothing, or for nothing more.
typedef struct packet {
    float x[LANES], y[LANES], z[LANES];
    float limit[LANES], reach[LANES];
    float lower[3], upper[3];  ///< the box of the queries
    float most;                ///< the greatest reach
    uint32_t count;
} packet;

enum {
    SLACK = 24,                                                // points beyond those wanted that a lane may hold
    ROOM = TACT_CLOUD_NEAREST + SLACK + TACT_CLOUD_BLOCK + 24  // and a block more, and what is written past the last
};

/// Points that a lane holds, in any order: all that are nearer than its limit, and those as near with a lesser id than
/// `last`, are there or were farther than enough others.
typedef struct held {
    uint32_t squares[ROOM];  ///< bits of the squared distances, which are ordered as they are
    uint32_t ids[ROOM];
    uint32_t count, last;
} held;

/// What a packet finds.
typedef struct findings {
    uint32_t nearest;
    uint32_t ids[LANES];  ///< of the nearest one, whose squares are the limits
    held held[LANES];     ///< of the nearest ones
    tact_cloud_row* rows;
} findings;

/// What is looked for.
typedef enum aim { NEAREST_ONE, NEAREST, ANY, LIST } aim;

static inline uint32_t take_lowest(uint32_t* bits)
{
    const uint32_t index = tact_lowest_bit(*bits);
    *bits &= *bits - 1u;
    return index;
}

/// Takes queries over. False: they look for nothing.
LANES_FN bool begin(packet* p, const tact_closest_query* queries, const uint32_t* order, uint32_t count)
{
    _Static_assert(sizeof *queries == 4 * sizeof(float), "a row of four numbers each");
    const float(*rows)[4] = (const float(*)[4])(const void*)queries;
    uint32_t some[LANES];
    const VF zero = V_SET(0.0f), far = V_SET(TACT_MAX_COORDINATE);
    VF x, y, z, most;
    p->count = count < LANES ? count : LANES;
    if (count < LANES) {
        for (uint32_t i = 0; i < LANES; ++i)
            some[i] = order[i < count ? i : 0];
        order = some;
    }
    V_ROWS(rows, order, x, y, z, most)
    // The operations of tact_cloud_limit2().
    VM good = M_AND(V_LE(V_ABS(x), far), M_AND(V_LE(V_ABS(y), far), V_LE(V_ABS(z), far)));
    good = M_AND(M_AND(good, V_LE(zero, most)), M_OF_BITS((1u << p->count) - 1u));
    const VF square = V_SELECT(V_LE(most, V_SET(TACT_CLOSEST_FAR)), V_MUL(most, most), V_SET(TACT_CLOSEST_FAR2));
    const VF limit = V_SELECT(V_LT(square, V_SET(TACT_CLOUD_LEAST)), zero, square);
    V_STORE(p->limit, V_SELECT(good, limit, V_SET(-1.0f)));
    V_STORE(p->x, V_SELECT(good, x, zero));
    V_STORE(p->y, V_SELECT(good, y, zero));
    V_STORE(p->z, V_SELECT(good, z, zero));
    const VF high = V_SET(INFINITY), low = V_SET(-INFINITY);
    p->lower[0] = V_LEAST(V_SELECT(good, x, high));
    p->lower[1] = V_LEAST(V_SELECT(good, y, high));
    p->lower[2] = V_LEAST(V_SELECT(good, z, high));
    p->upper[0] = V_MOST(V_SELECT(good, x, low));
    p->upper[1] = V_MOST(V_SELECT(good, y, low));
    p->upper[2] = V_MOST(V_SELECT(good, z, low));
    return M_BITS(good) != 0;
}

/// Once the limits are known.
LANES_FN void set_reach(packet* p)
{
    const VF limit = V_LOAD(p->limit);
    const VF reach = V_SELECT(V_LT(limit, V_SET(0.0f)), limit, V_MAX(limit, V_SET(TACT_CLOUD_BELOW)));
    V_STORE(p->reach, reach);
    p->most = V_MOST(reach);
}

/// Between the box of the packet and the eight boxes of a node along an axis: never more than of one query.
LANES_FN f8 gap_of(float lower, float upper, const float* box_lower, const float* box_upper)
{
    const f8 below = f8_sub(f8_load(box_lower), f8_set(upper)), above = f8_sub(f8_set(lower), f8_load(box_upper));
    return f8_max(f8_max(below, above), f8_set(0.0f));
}

LANES_FN f8 gaps_of(const packet* p, const tact_cloud_node* n)
{
    const f8 x = gap_of(p->lower[0], p->upper[0], n->lower[0], n->upper[0]);
    const f8 y = gap_of(p->lower[1], p->upper[1], n->lower[1], n->upper[1]);
    const f8 z = gap_of(p->lower[2], p->upper[2], n->lower[2], n->upper[2]);
    return f8_add(f8_add(f8_mul(x, x), f8_mul(y, y)), f8_mul(z, z));
}

LANES_FN VF lane_gap(VF at, float lower, float upper)
{
    return V_MAX(V_MAX(V_SUB(V_SET(lower), at), V_SUB(at, V_SET(upper))), V_SET(0.0f));
}

/// The lanes within whose reach child i of a node is.
LANES_FN uint32_t lanes_near(const packet* p, const tact_cloud_node* n, uint32_t i)
{
    const VF x = lane_gap(V_LOAD(p->x), n->lower[0][i], n->upper[0][i]);
    const VF y = lane_gap(V_LOAD(p->y), n->lower[1][i], n->upper[1][i]);
    const VF z = lane_gap(V_LOAD(p->z), n->lower[2][i], n->upper[2][i]);
    return M_BITS(V_LE(V_ADD(V_ADD(V_MUL(x, x), V_MUL(y, y)), V_MUL(z, z)), V_LOAD(p->reach)));
}

/// The squares of the distances between points and queries, not cut.
LANES_FN VF squares_of(VF px, VF py, VF pz, VF x, VF y, VF z)
{
    const VF dx = V_SUB(px, x), dy = V_SUB(py, y), dz = V_SUB(pz, z);
    return V_ADD(V_ADD(V_MUL(dx, dx), V_MUL(dy, dy)), V_MUL(dz, dz));
}

/// Of LANES points of a block from the first on, and one query.
LANES_FN VF squares_of_one(const packet* p, uint32_t lane, const tact_cloud_block* b, uint32_t first)
{
    return squares_of(V_LOAD(b->x + first), V_LOAD(b->y + first), V_LOAD(b->z + first), V_SET(p->x[lane]),
                      V_SET(p->y[lane]), V_SET(p->z[lane]));
}

/// Of point i of a block, and all queries.
LANES_FN VF squares_of_all(VF x, VF y, VF z, const tact_cloud_block* b, uint32_t i)
{
    return squares_of(V_SET(b->x[i]), V_SET(b->y[i]), V_SET(b->z[i]), x, y, z);
}

// ---- Nearest points ----

/// Takes a point in, if it comes before the one that the lane has.
LANES_FN void offer_one(packet* p, findings* f, uint32_t lane, float square, uint32_t id)
{
    const float d2 = tact_cloud_cut(square);
    if (!(d2 < p->limit[lane] || (d2 == p->limit[lane] && id < f->ids[lane]))) return;
    f->ids[lane] = id;
    p->limit[lane] = d2;
    p->reach[lane] = tact_cloud_reach2(d2);
}

/// The nearest one of a block for all lanes.
LANES_FN void nearest_one_of(packet* p, findings* f, const tact_cloud_block* b)
{
    const VF x = V_LOAD(p->x), y = V_LOAD(p->y), z = V_LOAD(p->z), least = V_SET(TACT_CLOUD_LEAST);
    VF limit = V_LOAD(p->limit), reach = V_LOAD(p->reach), ids = V_LOAD_WORDS(f->ids);
    for (uint32_t i = 0; i < TACT_CLOUD_BLOCK; ++i) {
        const VF squares = squares_of_all(x, y, z, b, i);
        const VM within = V_LE(squares, reach);
        if (M_BITS(within) == 0) continue;
        const VF d2 = V_SELECT(V_LT(squares, least), V_SET(0.0f), squares);
        uint32_t equal = M_BITS(M_AND(within, V_EQ(d2, limit)));
        const VM closer = M_AND(within, V_LT(d2, limit));
        ids = V_SELECT(closer, V_SET(as_float(b->id[i])), ids);
        limit = V_SELECT(closer, d2, limit);
        reach = V_SELECT(closer, V_MAX(d2, V_SET(TACT_CLOUD_BELOW)), reach);
        if (equal == 0) continue;
        V_STORE_WORDS(f->ids, ids);
        while (equal != 0) {
            const uint32_t lane = take_lowest(&equal);
            if (b->id[i] < f->ids[lane]) f->ids[lane] = b->id[i];
        }
        ids = V_LOAD_WORDS(f->ids);
    }
    V_STORE(p->limit, limit);
    V_STORE(p->reach, reach);
    V_STORE_WORDS(f->ids, ids);
}

/// Sorts what a lane holds: each goes to the place that as many come before it.
LANES_FN void sort_held(const held* h, tact_cloud_neighbour* rows)
{
    int32_t before[ROOM];
    const int32_t *squares = (const int32_t*)h->squares, *ids = (const int32_t*)h->ids;
    const uint32_t count = h->count, whole = (count + 15) / 16 * 16;
    for (uint32_t i = 0; i < whole; ++i)
        before[i] = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const int32_t square = squares[k], id = ids[k];
        for (uint32_t i = 0; i < whole; ++i)
            before[i] += (square < squares[i]) | ((square == squares[i]) & (id < ids[i]));
    }
    for (uint32_t i = 0; i < count; ++i)
        rows[before[i]] = (tact_cloud_neighbour){h->ids[i], as_float(h->squares[i])};
}

LANES_FN VF held_squares(const held* h, uint32_t i)
{
    return V_LOAD_WORDS(h->squares + i);
}

/// A square that at least `nearest` of what a lane holds are within, and few more, by halving.
LANES_FN uint32_t bound_of(const held* h, uint32_t nearest, uint32_t limit)
{
    enum { STEPS = 14 };
    VF least = held_squares(h, 0);
    for (uint32_t i = LANES; i < h->count; i += LANES)
        least = V_MIN(held_squares(h, i), least);
    uint32_t low = as_uint(V_LEAST(least)), high = limit;
    for (int step = 0; step < STEPS && high > low; ++step) {
        const uint32_t middle = low + (high - low) / 2;
        const VF at = V_SET(as_float(middle));
        uint32_t within = 0;
        for (uint32_t i = 0; i < h->count; i += LANES)
            within += lanes_count(M_BITS(V_LE(held_squares(h, i), at)));
        if (within < nearest) {
            low = middle + 1;
            continue;
        }
        high = middle;
        if (within <= nearest + nearest / 8) break;
    }
    return high;
}

/// Drops points that are farther than enough others, and brings the limit down to them.
LANES_FN void tighten(packet* p, held* h, uint32_t lane, uint32_t nearest)
{
    for (uint32_t i = 0; i < LANES; ++i)
        h->squares[h->count + i] = 0x7f800000u;
    const uint32_t bound = bound_of(h, nearest, as_uint(p->limit[lane]));
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->count; i += LANES) {
        const uint32_t bits = M_BITS(V_LE(held_squares(h, i), V_SET(as_float(bound))));
        lanes_pack(h->squares + count, bits, h->squares + i);
        lanes_pack(h->ids + count, bits, h->ids + i);
        count += lanes_count(bits);
    }
    h->count = count;
    h->last = TACT_NONE;
    p->limit[lane] = as_float(bound);
    if (count > nearest + SLACK / 2) {
        // Too many are as near as each other.
        tact_cloud_neighbour rows[ROOM];
        sort_held(h, rows);
        for (uint32_t k = 0; k < nearest; ++k) {
            h->squares[k] = as_uint(rows[k].distance2);
            h->ids[k] = rows[k].id;
        }
        h->count = nearest;
        h->last = rows[nearest - 1].id;
        p->limit[lane] = rows[nearest - 1].distance2;
    }
    p->reach[lane] = tact_cloud_reach2(p->limit[lane]);
}

/// Without those as far as the limit that come behind what is there.
LANES_FN uint32_t without_last(const held* h, VF d2, float limit, const uint32_t* ids, uint32_t bits)
{
    uint32_t equal = h->last == TACT_NONE ? 0 : bits & M_BITS(V_EQ(d2, V_SET(limit)));
    while (equal != 0) {
        const uint32_t i = take_lowest(&equal);
        if (ids[i] >= h->last) bits &= ~(1u << i);
    }
    return bits;
}

/// Adds those of LANES points of a block that are in `bits` to what a lane holds.
LANES_FN void hold(packet* p, findings* f, uint32_t lane, VF squares, const uint32_t* ids, uint32_t bits)
{
    held* h = &f->held[lane];
    uint32_t each[LANES];
    const VF d2 = V_SELECT(V_LT(squares, V_SET(TACT_CLOUD_LEAST)), V_SET(0.0f), squares);
    bits = without_last(h, d2, p->limit[lane], ids, bits);
    V_STORE_WORDS(each, d2);
    lanes_pack(h->squares + h->count, bits, each);
    lanes_pack(h->ids + h->count, bits, ids);
    h->count += lanes_count(bits);
    if (h->count > f->nearest + SLACK) tighten(p, h, lane, f->nearest);
}

// ---- Points within a distance ----

LANES_FN void touch_block(packet* p, const tact_cloud_block* b)
{
    const VF x = V_LOAD(p->x), y = V_LOAD(p->y), z = V_LOAD(p->z);
    VF reach = V_LOAD(p->reach);
    for (uint32_t i = 0; i < TACT_CLOUD_BLOCK; ++i)
        reach = V_SELECT(V_LE(squares_of_all(x, y, z, b, i), reach), V_SET(-1.0f), reach);
    V_STORE(p->reach, reach);
}

/// Adds points of a block to a lane's row, whose count goes on where there is no room.
LANES_FN void add_points(tact_cloud_row* row, const tact_cloud_block* b, uint32_t first, uint32_t bits)
{
    if (row->count + LANES <= row->room) {
        lanes_pack(row->ids + row->count, bits, b->id + first);
        row->count += lanes_count(bits);
        return;
    }
    while (bits != 0) {
        const uint32_t i = take_lowest(&bits);
        if (row->count < row->room) row->ids[row->count] = b->id[first + i];
        ++row->count;
    }
}

// ---- All of them ----

/// What one lane makes of a block.
LANES_FN void take_by_one(packet* p, findings* f, aim what, const tact_cloud_block* b, uint32_t lane)
{
    for (uint32_t first = 0; first < TACT_CLOUD_BLOCK; first += LANES) {
        const VF squares = squares_of_one(p, lane, b, first);
        uint32_t bits = M_BITS(V_LE(squares, V_SET(p->reach[lane])));
        if (bits == 0) continue;
        if (what == LIST) {
            add_points(&f->rows[lane], b, first, bits);
        } else if (what == ANY) {
            p->reach[lane] = -1.0f;
        } else if (what == NEAREST) {
            hold(p, f, lane, squares, b->id + first, bits);
        } else {
            float each[LANES];
            V_STORE(each, squares);
            while (bits != 0) {
                const uint32_t i = take_lowest(&bits);
                offer_one(p, f, lane, each[i], b->id[first + i]);
            }
        }
    }
}

/// `lanes`: those whose reach the block's box is within.
LANES_FN void take_block(packet* p, findings* f, aim what, const tact_cloud_block* b, uint32_t lanes)
{
    // For few lanes it takes less to look at points side by side.
    if (what == LIST || what == NEAREST || 4 * lanes_count(lanes) <= LANES) {
        while (lanes != 0)
            take_by_one(p, f, what, b, take_lowest(&lanes));
    } else if (what == NEAREST_ONE) {
        nearest_one_of(p, f, b);
    } else {
        touch_block(p, b);
    }
    if (what != LIST) p->most = V_MOST(V_LOAD(p->reach));
}

/// Goes through the tree, nearest boxes first.
LANES_FN void walk(const tact_cloud_tree* tree, packet* p, findings* f, aim what)
{
    uint64_t waiting[TACT_CLOUD_WAITING];  // the squared distance of the boxes above the place, the nearest last
    uint32_t count = 0, place = (tree->levels - 1) << TACT_CLOUD_LEVEL_SHIFT;
    for (;;) {
        const uint32_t level = place >> TACT_CLOUD_LEVEL_SHIFT, index = place & TACT_CLOUD_INDEX_BITS;
        if (level == 0) {
            const tact_cloud_node* above = &tree->nodes[tree->first[1] + index / TACT_CLOUD_FAN];
            const uint32_t lanes = lanes_near(p, above, index % TACT_CLOUD_FAN);
            if (lanes != 0) take_block(p, f, what, &tree->blocks[index], lanes);
        } else {
            const f8 gaps = gaps_of(p, &tree->nodes[tree->first[level] + index]);
            uint32_t bits = f8_le_bits(gaps, f8_set(p->most));
            float each[TACT_CLOUD_FAN];
            f8_store(each, gaps);
            const uint32_t base = count, children = (level - 1) << TACT_CLOUD_LEVEL_SHIFT | index * TACT_CLOUD_FAN;
            while (bits != 0) {
                const uint32_t child = take_lowest(&bits);
                const uint64_t entry = tact_cloud_key(each[child], children + child);
                uint32_t at = count++;
                for (; at > base && waiting[at - 1] < entry; --at)
                    waiting[at] = waiting[at - 1];
                waiting[at] = entry;
            }
        }
        do {
            if (count == 0) return;
            --count;
        } while (!(tact_cloud_key_distance2(waiting[count]) <= p->most));
        place = (uint32_t)waiting[count];
    }
}

/// The limits of all lanes by the points that the query before has found: as many are not farther.
LANES_FN void limit_by(packet* p, const tact_cloud_job* job, const tact_cloud_neighbour* rows, uint32_t nearest)
{
    const VF x = V_LOAD(p->x), y = V_LOAD(p->y), z = V_LOAD(p->z), limit = V_LOAD(p->limit);
    VF most = V_SET(0.0f);
    for (uint32_t k = 0; k < nearest; ++k) {
        const tact_vec3* at = &job->points[rows[k].id];
        most = V_MAX(most, squares_of(V_SET(at->x), V_SET(at->y), V_SET(at->z), x, y, z));
    }
    const VF cut = V_SELECT(V_LT(most, V_SET(TACT_CLOUD_LEAST)), V_SET(0.0f), most);
    V_STORE(p->limit, V_MIN(cut, limit));
}

/// The rows of a query of which a lane holds the points.
LANES_FN void write_held(packet* p, findings* f, uint32_t lane, tact_cloud_neighbour* rows)
{
    tact_cloud_neighbour sorted[ROOM];
    held* h = &f->held[lane];
    if (h->count > f->nearest + SLACK / 2) tighten(p, h, lane, f->nearest);
    sort_held(h, sorted);
    for (uint32_t k = h->count; k < f->nearest; ++k)
        sorted[k] = (tact_cloud_neighbour){TACT_NONE, INFINITY};
    memcpy(rows, sorted, f->nearest * sizeof *rows);
}

LANES_FN void find_nearest(const tact_cloud_job* job, const uint32_t* order, uint32_t count, findings* f, aim what,
                           tact_cloud_neighbour* neighbours)
{
    const tact_cloud_neighbour* before = NULL;
    const uint32_t nearest = f->nearest;
    packet p;
    for (uint32_t first = 0; first < count; first += LANES) {
        const bool any = begin(&p, job->queries, order + first, count - first);
        if (any && before) limit_by(&p, job, before, nearest);
        set_reach(&p);
        memset(f->ids, 0xff, sizeof f->ids);
        for (uint32_t i = 0; i < LANES; ++i) {
            f->held[i].count = 0;
            f->held[i].last = TACT_NONE;
        }
        if (any) walk(job->tree, &p, f, what);
        before = NULL;
        for (uint32_t i = 0; i < p.count; ++i) {
            tact_cloud_neighbour* rows = neighbours + (size_t)order[first + i] * nearest;
            if (what == NEAREST) {
                write_held(&p, f, i, rows);
            } else {
                *rows = (tact_cloud_neighbour){f->ids[i], f->ids[i] == TACT_NONE ? INFINITY : p.limit[i]};
            }
            if (rows[nearest - 1].id != TACT_NONE) before = rows;
        }
    }
}

LANES_TARGET static void nearest_of(const tact_cloud_job* job, const uint32_t* order, uint32_t count, uint32_t nearest,
                                    tact_cloud_neighbour* neighbours)
{
    findings f;
    f.nearest = nearest;
    if (nearest == 1) {
        f.nearest = 1;
        find_nearest(job, order, count, &f, NEAREST_ONE, neighbours);
    } else {
        find_nearest(job, order, count, &f, NEAREST, neighbours);
    }
}

/// The numbers of the cells along an axis.
LANES_FN VF cells_along(const tact_cloud_field* f, int axis, VF x)
{
    const VF place = V_MUL(V_SUB(x, V_SET(f->lower[axis])), V_SET(f->scale));
    return V_MIN(V_MAX(place, V_SET(0.0f)), V_SET(f->last[axis]));
}

LANES_TARGET static void settle_of(const tact_cloud_job* job, uint32_t first, uint32_t count, uint8_t* touched)
{
    const tact_cloud_field* f = job->field;
    const float(*rows)[4] = (const float(*)[4])(const void*)f->cells;
    uint32_t order[LANES], cells[LANES];
    packet p;
    for (uint32_t from = first; from < first + count; from += LANES) {
        for (uint32_t i = 0; i < LANES; ++i)
            order[i] = from + i;
        begin(&p, job->queries, order, first + count - from);
        set_reach(&p);
        const VF x = V_LOAD(p.x), y = V_LOAD(p.y), z = V_LOAD(p.z), reach = V_LOAD(p.reach);
        float along[3][LANES];
        V_STORE(along[0], cells_along(f, 0, x));
        V_STORE(along[1], cells_along(f, 1, y));
        V_STORE(along[2], cells_along(f, 2, z));
        for (uint32_t i = 0; i < LANES; ++i)
            cells[i] =
                (uint32_t)along[0][i] + f->size[0] * ((uint32_t)along[1][i] + f->size[1] * (uint32_t)along[2][i]);
        VF px, py, pz, empty;
        V_ROWS(rows, cells, px, py, pz, empty)
        const uint32_t yes = M_BITS(V_LE(squares_of(px, py, pz, x, y, z), reach)), no = M_BITS(V_LT(reach, empty)),
                       nothing = M_BITS(V_LT(reach, V_SET(0.0f)));
        for (uint32_t i = 0; i < p.count; ++i)
            touched[from + i] = yes >> i & 1u ? 1 : (no | nothing) >> i & 1u ? 0 : TACT_CLOUD_OPEN;
    }
}

LANES_TARGET static void any_of(const tact_cloud_job* job, const uint32_t* order, uint32_t count, uint8_t* touched)
{
    packet p;
    for (uint32_t first = 0; first < count; first += LANES) {
        if (begin(&p, job->queries, order + first, count - first)) {
            set_reach(&p);
            walk(job->tree, &p, NULL, ANY);
        }
        for (uint32_t i = 0; i < p.count; ++i)
            touched[order[first + i]] = p.limit[i] >= 0.0f && p.reach[i] < 0.0f;
    }
}

/// Ids ascending: each goes to the place that as many are less.
LANES_FN void sort_few(uint32_t* ids, size_t count)
{
    uint32_t sorted[TACT_CLOUD_FEW_IDS];
    for (size_t i = 0; i < count; ++i) {
        uint32_t less = 0;
        for (size_t k = 0; k < count; ++k)
            less += (int32_t)ids[k] < (int32_t)ids[i];
        sorted[less] = ids[i];
    }
    memcpy(ids, sorted, count * sizeof *ids);
}

LANES_TARGET static void list_of(const tact_cloud_job* job, const uint32_t* order, uint32_t count, tact_cloud_row* rows)
{
    findings f;
    packet p;
    for (uint32_t first = 0; first < count; first += LANES) {
        f.rows = rows + first;
        if (begin(&p, job->queries, order + first, count - first)) {
            set_reach(&p);
            walk(job->tree, &p, &f, LIST);
        }
        for (uint32_t i = 0; i < p.count; ++i)
            if (f.rows[i].count <= TACT_CLOUD_FEW_IDS && f.rows[i].count <= f.rows[i].room)
                sort_few(f.rows[i].ids, f.rows[i].count);
    }
}

const tact_cloud_lane_table LANES_TABLE = {
    .name = LANES_NAME,
    .nearest = nearest_of,
    .settle = settle_of,
    .any = any_of,
    .list = list_of,
};
