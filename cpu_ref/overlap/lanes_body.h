// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The search for one set of instructions; see engine.h. The including file defines TACT_LANES_ISA, LANES_TABLE and
// LANES_NAME.
//
// It goes down both trees at once, eight children of one node against eight of another, or only down the one whose box
// is much larger (Ericson, "Real-Time Collision Detection", 2005, 6.3). Boxes are compared along the axes of A and
// along those across the faces of B's boxes: two boxes that the nine products of edges alone would part are taken as
// overlapping, which costs less than finding out.

#include "cpu_ref/overlap/engine.h"
#include "cpu_ref/overlap/lanes_triangles.h"

enum { AXES = 6 };

/// Eight boxes as intervals along the axes.
typedef struct spans {
    float low[AXES][TACT_WIDE], high[AXES][TACT_WIDE];
} spans;

/// One box.
typedef struct span {
    float low[AXES], high[AXES];
} span;

LANES_FN bool is_group(uint32_t item)
{
    return (item & (uint32_t)TACT_BVH_LEAF_BIT) != 0;
}

// ---- Boxes ----

LANES_TARGET static void spans_of_a(const tact_overlap_frame* f, const tact_wide_node* n, spans* s)
{
    for (int i = 0; i < TACT_WIDE; i += LANES) {
        for (int k = 0; k < 3; ++k) {
            V_STORE(s->low[k] + i, V_LOAD(n->lower[k] + i));
            V_STORE(s->high[k] + i, V_LOAD(n->upper[k] + i));
        }
        for (int j = 0; j < 3; ++j) {
            VF low = V_SET(0.0f), high = V_SET(0.0f);
            for (int k = 0; k < 3; ++k) {
                const float c = f->axis[j][k];
                const VF part = V_SET(c);
                low = V_ADD(low, V_MUL(part, V_LOAD((c < 0.0f ? n->upper[k] : n->lower[k]) + i)));
                high = V_ADD(high, V_MUL(part, V_LOAD((c < 0.0f ? n->lower[k] : n->upper[k]) + i)));
            }
            V_STORE(s->low[3 + j] + i, low);
            V_STORE(s->high[3 + j] + i, high);
        }
    }
}

LANES_TARGET static void spans_of_b(const tact_overlap_frame* f, const tact_wide_node* n, spans* s)
{
    const VF half = V_SET(0.5f);
    for (int i = 0; i < TACT_WIDE; i += LANES) {
        VF centre[3], reach[3];
        for (int k = 0; k < 3; ++k) {
            const VF low = V_LOAD(n->lower[k] + i), high = V_LOAD(n->upper[k] + i);
            centre[k] = V_MUL(V_ADD(low, high), half);
            reach[k] = V_MUL(V_SUB(high, low), half);
            const VF along = V_SET(f->along[k]);
            V_STORE(s->low[3 + k] + i, V_ADD(V_MUL(along, low), V_SET(f->lo[k])));
            V_STORE(s->high[3 + k] + i, V_ADD(V_MUL(along, high), V_SET(f->hi[k])));
        }
        for (int k = 0; k < 3; ++k) {
            const float *m = f->box + 4 * k, *size = f->size + 3 * k;
            VF c = V_ADD(V_MUL(V_SET(m[0]), centre[0]), V_MUL(V_SET(m[1]), centre[1]));
            c = V_ADD(V_ADD(c, V_MUL(V_SET(m[2]), centre[2])), V_SET(m[3]));
            VF h = V_ADD(V_MUL(V_SET(size[0]), reach[0]), V_MUL(V_SET(size[1]), reach[1]));
            h = V_ADD(V_ADD(h, V_MUL(V_SET(size[2]), reach[2])), V_SET(f->slack[k]));
            V_STORE(s->low[k] + i, V_SUB(c, h));
            V_STORE(s->high[k] + i, V_ADD(c, h));
        }
    }
}

/// The three axes across B's faces, for a box in A's frame.
static inline void project_a(const tact_overlap_frame* f, const float low[3], const float high[3], span* s)
{
    for (int j = 0; j < 3; ++j) {
        s->low[3 + j] = s->high[3 + j] = 0.0f;
        for (int k = 0; k < 3; ++k) {
            const float c = f->axis[j][k];
            s->low[3 + j] += c * (c < 0.0f ? high[k] : low[k]);
            s->high[3 + j] += c * (c < 0.0f ? low[k] : high[k]);
        }
    }
}

static inline span span_of_a(const tact_overlap_frame* f, const float low[3], const float high[3])
{
    span s;
    for (int k = 0; k < 3; ++k) {
        s.low[k] = low[k];
        s.high[k] = high[k];
    }
    project_a(f, low, high, &s);
    return s;
}

/// The same for a box in B's frame.
static inline void project_b(const tact_overlap_frame* f, const float low[3], const float high[3], span* s)
{
    for (int k = 0; k < 3; ++k) {
        s->low[3 + k] = f->along[k] * low[k] + f->lo[k];
        s->high[3 + k] = f->along[k] * high[k] + f->hi[k];
    }
}

static inline span span_of_b(const tact_overlap_frame* f, const float low[3], const float high[3])
{
    span s;
    float centre[3], reach[3];
    for (int k = 0; k < 3; ++k) {
        centre[k] = 0.5f * (low[k] + high[k]);
        reach[k] = 0.5f * (high[k] - low[k]);
    }
    for (int k = 0; k < 3; ++k) {
        const float *m = f->box + 4 * k, *size = f->size + 3 * k;
        const float c = ((m[0] * centre[0] + m[1] * centre[1]) + m[2] * centre[2]) + m[3];
        const float h = ((size[0] * reach[0] + size[1] * reach[1]) + size[2] * reach[2]) + f->slack[k];
        s.low[k] = c - h;
        s.high[k] = c + h;
    }
    project_b(f, low, high, &s);
    return s;
}

/// Which of eight boxes meet one.
LANES_FN uint32_t meet(const spans* s, const float* low, const float* high, uint32_t stride)
{
    uint32_t bits = 0;
    for (int i = 0; i < TACT_WIDE; i += LANES) {
        VM hit = M_AND(V_LE(V_LOAD(s->low[0] + i), V_SET(high[0])), V_LE(V_SET(low[0]), V_LOAD(s->high[0] + i)));
        for (int k = 1; k < AXES; ++k) {
            const float from = low[(uint32_t)k * stride], to = high[(uint32_t)k * stride];
            hit = M_AND(hit, V_LE(V_LOAD(s->low[k] + i), V_SET(to)));
            hit = M_AND(hit, V_LE(V_SET(from), V_LOAD(s->high[k] + i)));
        }
        bits |= M_BITS(hit) << i;
    }
    return bits;
}

/// What is searched next but one is asked for now.
static inline void fetch(const tact_wide_tree* t, uint32_t item)
{
    const bool group = (item & (uint32_t)TACT_BVH_LEAF_BIT) != 0;
    const char* from =
        group ? (const char*)&t->groups[item & ~(uint32_t)TACT_BVH_LEAF_BIT] : (const char*)&t->nodes[item];
    for (size_t i = 0; i < (group ? sizeof *t->groups : sizeof *t->nodes); i += 64)
        TACT_PREFETCH(from + i);
}

static inline void push(tact_overlap_search* s, uint32_t a, uint32_t b)
{
    fetch(&s->a->wide, a);
    fetch(&s->b->wide, b);
    s->stack[s->depth++] = (tact_overlap_item){a, b};
}

/// The smallest side of what two boxes have in common along the axes of A: the larger, the likelier there is a pair.
static inline float depth_of(const spans* a, uint32_t i, const spans* b, uint32_t j)
{
    float least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const float low = a->low[k][i] > b->low[k][j] ? a->low[k][i] : b->low[k][j];
        const float high = a->high[k][i] < b->high[k][j] ? a->high[k][i] : b->high[k][j];
        least = high - low < least ? high - low : least;
    }
    return least;
}

LANES_TARGET static void open_both(tact_overlap_search* s, const tact_wide_node* a, const tact_wide_node* b)
{
    spans sa, sb;
    spans_of_a(s->frame, a, &sa);
    spans_of_b(s->frame, b, &sb);
    const size_t bottom = s->depth;
    size_t best = bottom;
    float deepest = -INFINITY;
    for (uint32_t j = 0; j < b->count; ++j) {
        uint32_t hits = meet(&sa, &sb.low[0][j], &sb.high[0][j], TACT_WIDE) & first_bits(a->count);
        if (s->self && a == b) hits &= first_bits(j + 1);
        for (; hits; hits &= hits - 1u) {
            const uint32_t i = tact_lowest_bit(hits);
            if (s->any) {
                const float depth = depth_of(&sa, i, &sb, j);
                if (depth > deepest) best = s->depth;
                deepest = depth > deepest ? depth : deepest;
            }
            push(s, a->child[i], b->child[j]);
        }
    }
    if (!s->any || s->depth == bottom) return;
    const tact_overlap_item swap = s->stack[best];
    s->stack[best] = s->stack[s->depth - 1];
    s->stack[s->depth - 1] = swap;
}

LANES_TARGET static void open_a(tact_overlap_search* s, const tact_wide_node* a, uint32_t b, const span* box)
{
    spans sa;
    spans_of_a(s->frame, a, &sa);
    uint32_t hits = meet(&sa, box->low, box->high, 1) & first_bits(a->count);
    for (; hits; hits &= hits - 1u)
        push(s, a->child[tact_lowest_bit(hits)], b);
}

LANES_TARGET static void open_b(tact_overlap_search* s, uint32_t a, const tact_wide_node* b, const span* box)
{
    spans sb;
    spans_of_b(s->frame, b, &sb);
    uint32_t hits = meet(&sb, box->low, box->high, 1) & first_bits(b->count);
    for (; hits; hits &= hits - 1u)
        push(s, a, b->child[tact_lowest_bit(hits)]);
}

// ---- Triangles ----

/// Adds those of the candidates that overlap.
static inline void judge(tact_overlap_search* s, const tact_wide_group* ga, const leaf* a, const tact_wide_group* gb,
                         const leaf* b, uint32_t j, uint32_t candidates, uint32_t sure)
{
    for (; candidates && !(s->any && s->found); candidates &= candidates - 1u) {
        const uint32_t i = tact_lowest_bit(candidates);
        bool overlap = (sure >> i & 1u) != 0;
        if (!overlap || s->self) {
            const tact_triangle t = triangle_of(a->corner, i), u = triangle_of(b->corner, j);
            if (s->self && tact_overlap_share_place(&t, &u)) continue;
            overlap = overlap || tact_triangle_overlaps_triangle(&t, &u);
        }
        if (overlap) tact_overlap_add(s, ga->id[i], gb->id[j]);
    }
}

LANES_TARGET static void open_groups(tact_overlap_search* s, const tact_wide_group* ga, const tact_wide_group* gb)
{
    leaf a, b;
    a.corner = ga->corner;
    a.there = first_bits(ga->count);
    box_leaf(&a);
    move_leaf(s->frame->m, gb->corner, gb->count, &b);
    uint32_t hits[TACT_WIDE], any = 0;
    for (uint32_t j = 0; j < gb->count; ++j) {
        hits[j] = 0;
        for (int i = 0; i < TACT_WIDE; i += LANES) {
            VM hit = V_LE(V_LOAD(a.lower[0] + i), V_SET(b.upper[0][j]));
            hit = M_AND(hit, V_LE(V_SET(b.lower[0][j]), V_LOAD(a.upper[0] + i)));
            for (int k = 1; k < 3; ++k) {
                hit = M_AND(hit, V_LE(V_LOAD(a.lower[k] + i), V_SET(b.upper[k][j])));
                hit = M_AND(hit, V_LE(V_SET(b.lower[k][j]), V_LOAD(a.upper[k] + i)));
            }
            hits[j] |= M_BITS(hit) << i;
        }
        hits[j] &= (b.there >> j & 1u) ? a.there : 0u;
        if (s->self && ga == gb) hits[j] &= first_bits(j);
        any |= hits[j];
    }
    if (!any) return;
    raise_leaf(&a);
    raise_leaf(&b);
    for (uint32_t j = 0; j < gb->count; ++j) {
        for (int i = 0; i < TACT_WIDE && hits[j]; i += LANES) {
            const uint32_t here = hits[j] & (uint32_t)ALL_LANES << i;
            if (!here) continue;
            uint32_t sure;
            const uint32_t left = here & meet_triangles(&a, i, &b, j, &sure) << i;
            if (left) judge(s, ga, &a, gb, &b, j, left, sure << i);
            if (s->any && s->found) return;
        }
    }
}

// ---- The search ----

/// The box of the triangles of a group that are there when moved; false: none.
LANES_TARGET static bool span_of_group(const tact_overlap_frame* f, const tact_wide_group* g, span* s)
{
    leaf l;
    move_leaf(f->m, g->corner, g->count, &l);
    for (int k = 0; k < 3; ++k) {
        s->low[k] = INFINITY;
        s->high[k] = -INFINITY;
    }
    for (uint32_t bits = l.there; bits; bits &= bits - 1u) {
        const uint32_t i = tact_lowest_bit(bits);
        for (int k = 0; k < 3; ++k) {
            s->low[k] = l.lower[k][i] < s->low[k] ? l.lower[k][i] : s->low[k];
            s->high[k] = l.upper[k][i] > s->high[k] ? l.upper[k][i] : s->high[k];
        }
    }
    project_b(f, g->low, g->high, s);
    return l.there != 0;
}

static inline float size_of(const float low[3], const float high[3])
{
    return ((high[0] - low[0]) + (high[1] - low[1])) + (high[2] - low[2]);
}

/// A node is opened alone when its box is larger by this.
#define MUCH_LARGER 3.0f

LANES_TARGET static void open_nodes(tact_overlap_search* s, uint32_t ia, uint32_t ib)
{
    const tact_wide_node *a = &s->a->wide.nodes[ia], *b = &s->b->wide.nodes[ib];
    const span box = span_of_b(s->frame, b->low, b->high);
    const float size_a = size_of(a->low, a->high), size_b = size_of(box.low, box.high);
    if (s->self || (size_a <= MUCH_LARGER * size_b && size_b <= MUCH_LARGER * size_a)) {
        open_both(s, a, b);
    } else if (size_a > size_b) {
        open_a(s, a, ib, &box);
    } else {
        const span still = span_of_a(s->frame, a->low, a->high);
        open_b(s, ia, b, &still);
    }
}

LANES_TARGET static void step(tact_overlap_search* s)
{
    const tact_overlap_item item = s->stack[--s->depth];
    const tact_wide_tree *ta = &s->a->wide, *tb = &s->b->wide;
    const tact_wide_group* ga = is_group(item.a) ? &ta->groups[item.a & ~(uint32_t)TACT_BVH_LEAF_BIT] : NULL;
    const tact_wide_group* gb = is_group(item.b) ? &tb->groups[item.b & ~(uint32_t)TACT_BVH_LEAF_BIT] : NULL;
    if (ga && gb) {
        open_groups(s, ga, gb);
    } else if (ga) {
        const span box = span_of_a(s->frame, ga->low, ga->high);
        open_b(s, item.a, &tb->nodes[item.b], &box);
    } else if (gb) {
        span box;
        if (span_of_group(s->frame, gb, &box)) open_a(s, &ta->nodes[item.a], item.b, &box);
    } else {
        open_nodes(s, item.a, item.b);
    }
}

LANES_TARGET static void run(tact_overlap_search* s)
{
    while (s->depth > 0 && !(s->any && s->found) && !s->out_of_memory)
        step(s);
}

const tact_overlap_lanes LANES_TABLE = {LANES_NAME, step, run};
