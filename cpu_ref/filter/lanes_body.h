// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The search for one set of instructions; see engine.h. The including file defines TACT_LANES_ISA, LANES_TABLE and
// LANES_NAME.

#include "cpu_ref/filter/engine.h"
#include "cpu_ref/overlap/lanes_triangles.h"

// ---- Boxes ----

LANES_TARGET static void fit(const float pose[12], const tact_filter_group* groups, uint32_t count,
                             tact_filter_node* node)
{
    for (uint32_t g = 0; g < TACT_WIDE; ++g) {
        leaf l;
        float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        l.there = 0;
        if (g < count) move_leaf(pose, groups[g].corner, groups[g].count, &l);
        for (uint32_t bits = l.there; bits; bits &= bits - 1u) {
            const uint32_t i = tact_lowest_bit(bits);
            for (int k = 0; k < 3; ++k) {
                low[k] = l.lower[k][i] < low[k] ? l.lower[k][i] : low[k];
                high[k] = l.upper[k][i] > high[k] ? l.upper[k][i] : high[k];
            }
        }
        for (int k = 0; k < 3; ++k) {
            node->lower[k][g] = low[k];
            node->upper[k][g] = high[k];
        }
    }
}

/// The operations are those that move a vertex, each of which is monotone, rounding included: with the smaller factor
/// everywhere the result is no more than any vertex' and needs no slack. It is NaN only where an infinite part meets
/// one of the other sign, +INFINITY being the smaller factor's: then no vertex stays in range.
LANES_TARGET static tact_aabb bound(const float pose[12], const tact_filter_node* nodes, size_t count)
{
    float low[3], high[3];
    for (int k = 0; k < 3; ++k) {
        const float* m = pose + 4 * k;
        const VF m0 = V_SET(m[0]), m1 = V_SET(m[1]), m2 = V_SET(m[2]), m3 = V_SET(m[3]);
        VF least = V_SET(INFINITY), most = V_SET(-INFINITY);
        for (size_t n = 0; n < count; ++n) {
            const float(*less[3])[TACT_WIDE], (*more[3])[TACT_WIDE];
            for (int c = 0; c < 3; ++c) {
                less[c] = m[c] < 0.0f ? &nodes[n].upper[c] : &nodes[n].lower[c];
                more[c] = m[c] < 0.0f ? &nodes[n].lower[c] : &nodes[n].upper[c];
            }
            for (int i = 0; i < TACT_WIDE; i += LANES) {
                VF sum = V_ADD(V_MUL(m0, V_LOAD(*less[0] + i)), V_MUL(m1, V_LOAD(*less[1] + i)));
                sum = V_ADD(V_ADD(sum, V_MUL(m2, V_LOAD(*less[2] + i))), m3);
                least = V_MIN(sum, least);
                sum = V_ADD(V_MUL(m0, V_LOAD(*more[0] + i)), V_MUL(m1, V_LOAD(*more[1] + i)));
                sum = V_ADD(V_ADD(sum, V_MUL(m2, V_LOAD(*more[2] + i))), m3);
                most = V_MAX(sum, most);
            }
        }
        float lanes[2][LANES];
        V_STORE(lanes[0], least);
        V_STORE(lanes[1], most);
        low[k] = lanes[0][0];
        high[k] = lanes[1][0];
        for (int i = 1; i < LANES; ++i) {
            low[k] = lanes[0][i] < low[k] ? lanes[0][i] : low[k];
            high[k] = lanes[1][i] > high[k] ? lanes[1][i] : high[k];
        }
    }
    return (tact_aabb){{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
}

/// Which boxes of a node meet box i of another.
LANES_FN uint32_t meet(const tact_filter_node* n, const tact_filter_node* other, uint32_t i)
{
    uint32_t bits = 0;
    for (int l = 0; l < TACT_WIDE; l += LANES) {
        VM hit = M_AND(V_LE(V_LOAD(n->lower[0] + l), V_SET(other->upper[0][i])),
                       V_LE(V_SET(other->lower[0][i]), V_LOAD(n->upper[0] + l)));
        for (int k = 1; k < 3; ++k) {
            hit = M_AND(hit, V_LE(V_LOAD(n->lower[k] + l), V_SET(other->upper[k][i])));
            hit = M_AND(hit, V_LE(V_SET(other->lower[k][i]), V_LOAD(n->upper[k] + l)));
        }
        bits |= M_BITS(hit) << l;
    }
    return bits;
}

static inline const tact_filter_node* node_at(const tact_filter_side* s, uint32_t level, uint32_t i)
{
    return &s->nodes[s->rows->level_begin[level - 1] + i];
}

/// Items for the children of a's node whose bits are set, with one place of b.
static inline void push_all(tact_filter_search* s, uint32_t bits, const tact_filter_item* of, uint32_t b,
                            uint16_t level_b)
{
    for (; bits; bits &= bits - 1u) {
        const uint32_t a = TACT_WIDE * of->a + tact_lowest_bit(bits);
        s->stack[s->depth++] = (tact_filter_item){a, b, (uint16_t)(of->level_a - 1), level_b};
    }
}

/// Opens both, or the one that is not a group: its boxes are then compared with the group's box, which is in the node
/// above that.
LANES_TARGET static void open_item(tact_filter_search* s)
{
    const tact_filter_item t = s->stack[--s->depth];
    if (t.level_a == 0) {
        const tact_filter_node *a = node_at(&s->a, 1, t.a / TACT_WIDE), *b = node_at(&s->b, t.level_b, t.b);
        for (uint32_t bits = meet(b, a, t.a % TACT_WIDE); bits; bits &= bits - 1u) {
            const uint32_t i = TACT_WIDE * t.b + tact_lowest_bit(bits);
            s->stack[s->depth++] = (tact_filter_item){t.a, i, 0, (uint16_t)(t.level_b - 1)};
        }
        return;
    }
    const tact_filter_node* a = node_at(&s->a, t.level_a, t.a);
    if (t.level_b == 0) {
        push_all(s, meet(a, node_at(&s->b, 1, t.b / TACT_WIDE), t.b % TACT_WIDE), &t, t.b, 0);
        return;
    }
    const tact_filter_node* b = node_at(&s->b, t.level_b, t.b);
    for (uint32_t i = 0; i < TACT_WIDE; ++i)
        push_all(s, meet(a, b, i), &t, TACT_WIDE * t.b + i, (uint16_t)(t.level_b - 1));
}

// ---- Triangles ----

/// Groups that were moved lately: a search comes to each several times. All zeroes at first, but for the leaves.
enum { KEPT = 16 };

typedef struct kept_groups {
    uint32_t of[KEPT];  ///< group + 1
    bool raised[KEPT];
    leaf leaves[KEPT];
} kept_groups;

LANES_TARGET static leaf* moved_group(const tact_filter_side* s, uint32_t group, kept_groups* kept)
{
    const uint32_t at = group % KEPT;
    if (kept->of[at] != group + 1) {
        const tact_filter_group* g = &s->rows->groups[group];
        move_leaf(s->pose, g->corner, g->count, &kept->leaves[at]);
        kept->of[at] = group + 1;
        kept->raised[at] = false;
    }
    return &kept->leaves[at];
}

LANES_TARGET static void raise_once(uint32_t group, kept_groups* kept)
{
    const uint32_t at = group % KEPT;
    if (!kept->raised[at]) raise_leaf(&kept->leaves[at]);
    kept->raised[at] = true;
}

/// Adds those of the candidates that overlap.
static inline void judge(tact_filter_search* s, const tact_filter_group* ga, const leaf* a, const tact_filter_group* gb,
                         const leaf* b, uint32_t j, uint32_t candidates, uint32_t sure)
{
    for (; candidates; candidates &= candidates - 1u) {
        const uint32_t i = tact_lowest_bit(candidates);
        bool overlap = (sure >> i & 1u) != 0;
        if (!overlap) {
            const tact_triangle t = triangle_of(a->corner, i), u = triangle_of(b->corner, j);
            overlap = tact_triangle_overlaps_triangle(&t, &u);
        }
        if (overlap) tact_filter_add(s, ga->id[i], gb->id[j]);
    }
}

/// Which triangles of a's group have boxes that meet that of triangle j of b.
LANES_FN uint32_t meet_leaf(const leaf* a, const leaf* b, uint32_t j)
{
    uint32_t bits = 0;
    for (int i = 0; i < TACT_WIDE; i += LANES) {
        VM hit = V_LE(V_LOAD(a->lower[0] + i), V_SET(b->upper[0][j]));
        hit = M_AND(hit, V_LE(V_SET(b->lower[0][j]), V_LOAD(a->upper[0] + i)));
        for (int k = 1; k < 3; ++k) {
            hit = M_AND(hit, V_LE(V_LOAD(a->lower[k] + i), V_SET(b->upper[k][j])));
            hit = M_AND(hit, V_LE(V_SET(b->lower[k][j]), V_LOAD(a->upper[k] + i)));
        }
        bits |= M_BITS(hit) << i;
    }
    return bits & a->there;
}

LANES_TARGET static void open_groups(tact_filter_search* s, uint32_t ia, uint32_t ib, kept_groups* of_a,
                                     kept_groups* of_b)
{
    const tact_filter_group *ga = &s->a.rows->groups[ia], *gb = &s->b.rows->groups[ib];
    const leaf *a = moved_group(&s->a, ia, of_a), *b = moved_group(&s->b, ib, of_b);
    for (uint32_t bits = b->there; bits; bits &= bits - 1u) {
        const uint32_t j = tact_lowest_bit(bits), hits = meet_leaf(a, b, j);
        if (!hits) continue;
        raise_once(ia, of_a);
        raise_once(ib, of_b);
        for (int i = 0; i < TACT_WIDE; i += LANES) {
            const uint32_t here = hits & (uint32_t)ALL_LANES << i;
            if (!here) continue;
            uint32_t sure;
            const uint32_t left = here & meet_triangles(a, i, b, j, &sure) << i;
            if (left) judge(s, ga, a, gb, b, j, left, sure << i);
        }
    }
}

LANES_TARGET static void run(tact_filter_search* s)
{
    kept_groups of_a, of_b;
    memset(of_a.of, 0, sizeof of_a.of);
    memset(of_b.of, 0, sizeof of_b.of);
    while (s->depth > 0 && !s->out_of_memory) {
        const tact_filter_item* t = &s->stack[s->depth - 1];
        if (t->level_a > 0 || t->level_b > 0) {
            open_item(s);
        } else {
            --s->depth;
            open_groups(s, t->a, t->b, &of_a, &of_b);
        }
    }
}

const tact_filter_lanes LANES_TABLE = {LANES_NAME, fit, bound, open_item, run};
