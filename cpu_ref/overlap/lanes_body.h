// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The search for one set of instructions; see engine.h. The including file defines TACT_LANES_ISA, LANES_TABLE and
// LANES_NAME.
//
// It goes down both trees at once, eight children of one node against eight of another, or only down the one whose box
// is much larger (Ericson, "Real-Time Collision Detection", 2005, 6.3). Boxes are compared along the axes of A and
// along those across the faces of B's boxes: two boxes that the nine products of edges alone would part are taken as
// overlapping, which costs less than finding out.

#include "cpu_ref/geometry/batch_simd.h"
#include "cpu_ref/overlap/engine.h"

enum { AXES = 6, ALL_LANES = (1 << LANES) - 1 };

/// Eight boxes as intervals along the axes.
typedef struct spans {
    float low[AXES][TACT_WIDE], high[AXES][TACT_WIDE];
} spans;

/// One box.
typedef struct span {
    float low[AXES], high[AXES];
} span;

/// Triangles of a group as lanes need them.
typedef struct leaf {
    const float (*corner)[TACT_WIDE];  ///< nine rows
    float moved[9][TACT_WIDE];         ///< what `corner` points to for B
    float lower[3][TACT_WIDE], upper[3][TACT_WIDE];
    float normal[3][TACT_WIDE];  ///< (b - a) x (c - a)
    float weight[3][TACT_WIDE];  ///< the same with all magnitudes added up
    uint32_t there;              ///< bits
} leaf;

LANES_FN bool is_group(uint32_t item)
{
    return (item & (uint32_t)TACT_BVH_LEAF_BIT) != 0;
}

static inline uint32_t lowest_bit(uint32_t bits)
{
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctz(bits);
#else
    uint32_t index = 0;
    for (; (bits >> index & 1u) == 0; ++index)
        ;
    return index;
#endif
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

static inline uint32_t first_bits(uint32_t count)
{
    return (1u << count) - 1u;
}

/// What is searched next but one is asked for now.
static inline void fetch(const tact_wide_tree* t, uint32_t item)
{
#if defined(__GNUC__)
    const bool group = (item & (uint32_t)TACT_BVH_LEAF_BIT) != 0;
    const char* from =
        group ? (const char*)&t->groups[item & ~(uint32_t)TACT_BVH_LEAF_BIT] : (const char*)&t->nodes[item];
    for (size_t i = 0; i < (group ? sizeof *t->groups : sizeof *t->nodes); i += 64)
        __builtin_prefetch(from + i);
#else
    (void)t;
    (void)item;
#endif
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
            const uint32_t i = lowest_bit(hits);
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
        push(s, a->child[lowest_bit(hits)], b);
}

LANES_TARGET static void open_b(tact_overlap_search* s, uint32_t a, const tact_wide_node* b, const span* box)
{
    spans sb;
    spans_of_b(s->frame, b, &sb);
    uint32_t hits = meet(&sb, box->low, box->high, 1) & first_bits(b->count);
    for (; hits; hits &= hits - 1u)
        push(s, a, b->child[lowest_bit(hits)]);
}

// ---- Triangles ----

LANES_FN VF least3(VF a, VF b, VF c)
{
    return V_MIN(V_MIN(a, b), c);
}

LANES_FN VF most3(VF a, VF b, VF c)
{
    return V_MAX(V_MAX(a, b), c);
}

LANES_TARGET static void box_leaf(leaf* l)
{
    for (int i = 0; i < TACT_WIDE; i += LANES) {
        for (int k = 0; k < 3; ++k) {
            const VF a = V_LOAD(l->corner[k] + i), b = V_LOAD(l->corner[3 + k] + i), c = V_LOAD(l->corner[6 + k] + i);
            V_STORE(l->lower[k] + i, least3(a, b, c));
            V_STORE(l->upper[k] + i, most3(a, b, c));
        }
    }
}

LANES_TARGET static void move_leaf(const float* m, const tact_wide_group* g, leaf* l)
{
    l->corner = (const float(*)[TACT_WIDE])l->moved;
    l->there = 0;
    const VF most = V_SET(TACT_MAX_COORDINATE);
    for (int i = 0; i < TACT_WIDE; i += LANES) {
        VM there = V_LE(V_SET(0.0f), most);
        for (int v = 0; v < 9; v += 3) {
            const VF x = V_LOAD(g->corner[v] + i), y = V_LOAD(g->corner[v + 1] + i), z = V_LOAD(g->corner[v + 2] + i);
            for (int k = 0; k < 3; ++k) {
                const float* r = m + 4 * k;
                VF sum = V_ADD(V_MUL(V_SET(r[0]), x), V_MUL(V_SET(r[1]), y));
                sum = V_ADD(V_ADD(sum, V_MUL(V_SET(r[2]), z)), V_SET(r[3]));
                V_STORE(l->moved[v + k] + i, sum);
                there = M_AND(there, V_LE(V_ABS(sum), most));
            }
        }
        l->there |= M_BITS(there) << i;
    }
    l->there &= first_bits(g->count);
    box_leaf(l);
}

/// Normals, and what bounds the error of a product with them: `error` below.
LANES_TARGET static void raise_leaf(leaf* l)
{
    for (int i = 0; i < TACT_WIDE; i += LANES) {
        VF u[3], v[3];
        for (int k = 0; k < 3; ++k) {
            const VF a = V_LOAD(l->corner[k] + i);
            u[k] = V_SUB(V_LOAD(l->corner[3 + k] + i), a);
            v[k] = V_SUB(V_LOAD(l->corner[6 + k] + i), a);
        }
        for (int k = 0; k < 3; ++k) {
            const VF one = V_MUL(u[(k + 1) % 3], v[(k + 2) % 3]), two = V_MUL(u[(k + 2) % 3], v[(k + 1) % 3]);
            V_STORE(l->normal[k] + i, V_SUB(one, two));
            V_STORE(l->weight[k] + i, V_ADD(V_ADD(V_ABS(one), V_ABS(two)), V_SET(0x1p-126f)));
        }
    }
}

/// What a volume w . (u x v) of differences of floats, computed in single precision, can be wrong by.
///
/// Let e = 2^-24, and let S be the sum of |w_k| (|u_i v_j| + |u_j v_i|) as computed. Differences are good to a factor
/// of 1 + e, the products u_i v_j of two of them to (1 + e)^3, n_k to (1 + e)^4 of the magnitudes, n_k w_k to (1 + e)^6
/// and the sum of three to (1 + e)^8: the volume is wrong by at most 8.01 e times the exact S, which the computed one
/// is below by a factor of no more than (1 - e)^9. 2^-20 S is 16 e S. Where something underflows: each product is off
/// by up to 2^-150; those in n_k, times |w_k|, are below what 2^-126 in the weights adds (2^-146 |w_k|), those of n_k
/// w_k below 2^-126 as well. Where something overflows S does, or the sum of the same magnitudes, and nothing is
/// greater than that. A NaN is not greater either.
LANES_FN VF error_of(VF sum)
{
    return V_ADD(V_MUL(sum, V_SET(0x1p-20f)), V_SET(0x1p-126f));
}

LANES_FN VF dot3(const VF n[3], const VF w[3])
{
    return V_ADD(V_ADD(V_MUL(n[0], w[0]), V_MUL(n[1], w[1])), V_MUL(n[2], w[2]));
}

/// On which sides of a plane the three vertices of a triangle are, where that is sure.
typedef struct sides {
    VM above[3], below[3];
} sides;

LANES_FN sides sides_of(const VF base[3], const VF normal[3], const VF weight[3], const VF p[9])
{
    VF height[3], most[3] = {V_SET(0.0f), V_SET(0.0f), V_SET(0.0f)};
    for (int v = 0; v < 3; ++v) {
        VF w[3];
        for (int k = 0; k < 3; ++k) {
            w[k] = V_SUB(p[3 * v + k], base[k]);
            most[k] = V_MAX(V_ABS(w[k]), most[k]);
        }
        height[v] = dot3(normal, w);
    }
    const VF error = error_of(dot3(weight, most));
    sides s;
    for (int v = 0; v < 3; ++v) {
        s.above[v] = V_LT(error, height[v]);
        s.below[v] = V_LT(height[v], V_SUB(V_SET(0.0f), error));
    }
    return s;
}

LANES_FN VM all_on_one_side(const sides* s)
{
    return M_OR(M_AND(M_AND(s->above[0], s->above[1]), s->above[2]),
                M_AND(M_AND(s->below[0], s->below[1]), s->below[2]));
}

LANES_FN VM all_sure(const sides* s)
{
    return M_AND(M_AND(M_OR(s->above[0], s->below[0]), M_OR(s->above[1], s->below[1])), M_OR(s->above[2], s->below[2]));
}

/// The vertex that is alone on its side first, the others after it in their order. Returns where it is above. Only for
/// lanes where all sides are sure and not all the same.
LANES_FN VM turn(const sides* s, const VF p[9], VF turned[9])
{
    const VM first = M_OR(M_AND(s->above[1], s->above[2]), M_AND(s->below[1], s->below[2]));
    const VM second = M_OR(M_AND(s->above[0], s->above[2]), M_AND(s->below[0], s->below[2]));
    for (int k = 0; k < 3; ++k) {
        const VF a = p[k], b = p[3 + k], c = p[6 + k];
        turned[k] = V_SELECT(first, a, V_SELECT(second, b, c));
        turned[3 + k] = V_SELECT(first, b, V_SELECT(second, c, a));
        turned[6 + k] = V_SELECT(first, c, V_SELECT(second, a, b));
    }
    const VM other = M_OR(M_AND(second, s->above[1]), M_ANDNOT(second, s->above[2]));
    return M_OR(M_AND(first, s->above[0]), M_ANDNOT(first, other));
}

/// Exchanges the second and the third vertex unless told not to.
LANES_FN void flip_unless(VM keep, VF p[9])
{
    for (int k = 3; k < 6; ++k) {
        const VF b = p[k], c = p[k + 3];
        p[k] = V_SELECT(keep, b, c);
        p[k + 3] = V_SELECT(keep, c, b);
    }
}

/// The volume (a, b, c, d) and its error.
LANES_FN VF volume_of(const VF* a, const VF* b, const VF* c, const VF* d, VF* error)
{
    VF u[3], v[3], w[3], n[3], size[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = V_SUB(b[k], a[k]);
        v[k] = V_SUB(c[k], a[k]);
        w[k] = V_SUB(d[k], a[k]);
    }
    for (int k = 0; k < 3; ++k) {
        const VF one = V_MUL(u[(k + 1) % 3], v[(k + 2) % 3]), two = V_MUL(u[(k + 2) % 3], v[(k + 1) % 3]);
        n[k] = V_SUB(one, two);
        size[k] = V_ADD(V_ADD(V_ABS(one), V_ABS(two)), V_SET(0x1p-126f));
    }
    const VF magnitude[3] = {V_ABS(w[0]), V_ABS(w[1]), V_ABS(w[2])};
    *error = error_of(dot3(size, magnitude));
    return dot3(n, w);
}

/// Bits of lanes where triangle j of b is not surely apart from that of a; `sure` those where they surely overlap. What
/// tact_triangle_overlaps_triangle() computes, where rounding cannot have changed a sign.
LANES_TARGET static uint32_t meet_triangles(const leaf* a, int i, const leaf* b, uint32_t j, uint32_t* sure)
{
    VF p[9], q[9], base[3], normal[3], weight[3];
    for (int k = 0; k < 9; ++k) {
        p[k] = V_LOAD(a->corner[k] + i);
        q[k] = V_SET(b->corner[k][j]);
    }
    for (int k = 0; k < 3; ++k) {
        normal[k] = V_SET(b->normal[k][j]);
        weight[k] = V_SET(b->weight[k][j]);
    }
    const sides of_a = sides_of(q, normal, weight, p);
    VM apart = all_on_one_side(&of_a);
    *sure = 0;
    if (M_BITS(apart) == ALL_LANES) return 0;
    for (int k = 0; k < 3; ++k) {
        base[k] = p[k];
        normal[k] = V_LOAD(a->normal[k] + i);
        weight[k] = V_LOAD(a->weight[k] + i);
    }
    const sides of_b = sides_of(base, normal, weight, q);
    apart = M_OR(apart, all_on_one_side(&of_b));
    if (M_BITS(apart) == ALL_LANES) return 0;
    VF r[9], s[9], error;
    const VM a_above = turn(&of_a, p, r), b_above = turn(&of_b, q, s);
    flip_unless(a_above, s);
    flip_unless(b_above, r);
    const VM known = M_AND(all_sure(&of_a), all_sure(&of_b));
    VF volume = volume_of(r, r + 3, s, s + 3, &error);
    VM over = M_AND(known, V_LT(volume, V_SUB(V_SET(0.0f), error)));
    VM beside = V_LT(error, volume);
    volume = volume_of(r, r + 6, s, s + 6, &error);
    over = M_AND(over, V_LT(error, volume));
    beside = M_AND(known, M_OR(beside, V_LT(volume, V_SUB(V_SET(0.0f), error))));
    apart = M_OR(apart, beside);
    *sure = M_BITS(over);
    return ~M_BITS(apart) & ALL_LANES;
}

static inline tact_triangle triangle_of(const float (*corner)[TACT_WIDE], uint32_t i)
{
    return (tact_triangle){{corner[0][i], corner[1][i], corner[2][i]},
                           {corner[3][i], corner[4][i], corner[5][i]},
                           {corner[6][i], corner[7][i], corner[8][i]}};
}

/// Adds those of the candidates that overlap.
static inline void judge(tact_overlap_search* s, const tact_wide_group* ga, const leaf* a, const tact_wide_group* gb,
                         const leaf* b, uint32_t j, uint32_t candidates, uint32_t sure)
{
    for (; candidates && !(s->any && s->found); candidates &= candidates - 1u) {
        const uint32_t i = lowest_bit(candidates);
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
    move_leaf(s->frame->m, gb, &b);
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
    move_leaf(f->m, g, &l);
    for (int k = 0; k < 3; ++k) {
        s->low[k] = INFINITY;
        s->high[k] = -INFINITY;
    }
    for (uint32_t bits = l.there; bits; bits &= bits - 1u) {
        const uint32_t i = lowest_bit(bits);
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
