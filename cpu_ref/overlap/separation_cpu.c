// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The nearest pair of triangles of two meshes: both trees are descended at once, four children of one against four of
// the other, nearer pairs of subtrees first, and those certainly beyond the nearest triangles so far are cut off. Cuts
// are kept in the front for the next pose.

#include <string.h>

#include "base/compiler.h"
#include "base/lane_levels.h"
#include "cpu_ref/overlap/separation.h"
#include "cpu_ref/overlap/separation_bounds.h"
#include "cpu_ref/overlap/separation_square.h"

TACT_LANE_CHOICE(tact_separation_lanes, TACT_LANE_TABLES(tact_separation_lanes), tact_separation_lanes_best)

enum {
    WIDE = TACT_SEPARATION_WIDE,
    PAIRS = TACT_SEPARATION_PAIRS,
    BATCH = TACT_SEPARATION_BATCH,
    ALL_PAIRS = 0xffff,
    A_DIVIDED = 0x10000,  ///< in a mask: into what it is of, where that has been chosen
    B_DIVIDED = 0x20000,
    ROOT = 0x7fffffff  ///< where a child is meant: the root, which is none
};

/// A pair of subtrees to look at, certainly beyond a distance.
typedef struct pair {
    double beyond;
    uint32_t a, b;  ///< children: of node n at 4 n + place
} pair;

/// Each pair taken from the stack puts at most 16 others there, whose depths sum to at least one more.
enum { STACK = (PAIRS - 1) * 2 * (TACT_SEPARATION_DEPTH + 1) + PAIRS };

typedef struct search {
    tact_env* env;
    const tact_separation_job* job;
    const tact_separation_tree *tree_a, *tree_b;
    const tact_separation_lanes* lanes;
    tact_separation_motion motion;
    tact_separation_nearest nearest;
    double reach;       ///< triangles beyond it are not nearer
    float reach_above;  ///< the same, rounded up
    float along[3];     ///< the way of the nearest pair so far, a unit vector; 0 at first
    pair found;         ///< where the nearest pair is
    bool leapt;         ///< too far since the last search for its nearest pair to be a near one
    tact_separation_front* front;
    bool lost;  ///< there was no memory for a cut
    tact_separation_work work;
    int waiting;  ///< pairs of triangles in the batch
    tact_separation_batch batch;
    pair waiting_at[BATCH];
    uint32_t waiting_ids[BATCH][2];
    pair stack[STACK];
} search;

static bool is_leaf(uint32_t child)
{
    return (child & (uint32_t)TACT_SEPARATION_LEAF) != 0;
}

/// What a child is: a node's index or, with TACT_SEPARATION_LEAF, a group's.
static uint32_t child_of(const tact_separation_tree* tree, uint32_t i)
{
    TACT_ASSERT(i == ROOT || (i / WIDE < tree->node_count && tree->nodes[i / WIDE].child[i % WIDE] != 0));
    return i == ROOT ? 0 : tree->nodes[i / WIDE].child[i % WIDE];
}

// ---- Cuts ----

static void keep_cut(search* s, uint32_t a, uint32_t b, uint32_t mask, double beyond)
{
    tact_separation_front* f = s->front;
    if (!f || s->lost) return;
    void* cuts = f->cuts;
    if (!tact_reserve(s->env, &cuts, &f->capacity, f->count, f->count + 1, sizeof *f->cuts)) {
        s->lost = true;
        return;
    }
    f->cuts = cuts;
    f->cuts[f->count++] = (tact_separation_cut){beyond + f->odometer, a, b, mask, 0};
}

// ---- Triangles ----

static void find_nearer(search* s, const tact_separation_nearest* n, dvec gap, const pair* at)
{
    TACT_ASSERT(n->a != TACT_NONE && n->b != TACT_NONE);
    if (!tact_separation_nearer(n, &s->nearest)) return;
    s->nearest = *n;
    s->found = *at;
    s->reach = n->square > 0.0 ? sqrt(n->square) * (1.0 + 0x1p-50) : 0.0;
    s->reach_above = (float)(s->reach * (1.0 + 0x1p-22)) + 0x1p-149f;
    // Any unit vector is allowed; the square of a very short one has lost digits.
    if (!(n->square > 0x1p-900)) return;
    const dvec along = d_scale(gap, 1.0 / sqrt(n->square));
    s->along[0] = (float)along.x;
    s->along[1] = (float)along.y;
    s->along[2] = (float)along.z;
}

/// Measures the pairs of triangles that wait.
static void flush(search* s)
{
    const int count = s->waiting;
    if (count == 0) return;
    tact_separation_batch* batch = &s->batch;
    for (int i = count; i < BATCH; ++i) {
        for (int k = 0; k < 9; ++k) {
            batch->a[k][i] = batch->a[k][0];
            batch->b[k][i] = batch->b[k][0];
        }
    }
    s->waiting = 0;
    s->lanes->squares(batch);
    s->work.squares += (uint64_t)count;
    for (int i = 0; i < count; ++i) {
        const tact_separation_nearest n = {batch->square[i], s->waiting_ids[i][0], s->waiting_ids[i][1]};
        find_nearer(s, &n, d_make(batch->gap[0][i], batch->gap[1][i], batch->gap[2][i]), &s->waiting_at[i]);
    }
}

static void wait_for(search* s, const pair* at, const tact_separation_group* a, int i,
                     const tact_separation_meeting* meeting, const tact_separation_group* b, int j)
{
    const int to = s->waiting++;
    TACT_ASSERT(to < BATCH);
    for (int k = 0; k < 9; ++k) {
        s->batch.a[k][to] = a->corner[k][i];
        s->batch.b[k][to] = meeting->moved[k][j];
    }
    s->waiting_at[to] = *at;
    s->waiting_ids[to][0] = a->id[i];
    s->waiting_ids[to][1] = b->id[j];
    if (s->waiting == BATCH) flush(s);
}

static tact_triangle triangle_of(const float corner[9][WIDE], int i)
{
    return (tact_triangle){{corner[0][i], corner[1][i], corner[2][i]},
                           {corner[3][i], corner[4][i], corner[5][i]},
                           {corner[6][i], corner[7][i], corner[8][i]}};
}

/// Two triangles that are not known to be beyond the reach.
static void look_at_triangles(search* s, const pair* at, const tact_separation_group* a, int i,
                              const tact_separation_meeting* meeting, const tact_separation_group* b, int j,
                              bool touching)
{
    const tact_separation_nearest n = {TACT_SEPARATION_OVERLAP, a->id[i], b->id[j]};
    if (s->nearest.square < 0.0 && (!touching || !tact_separation_nearer(&n, &s->nearest))) return;
    if (touching) {
        const tact_triangle still = triangle_of(a->corner, i), moved = triangle_of(meeting->moved, j);
        if (tact_triangle_overlaps_triangle(&still, &moved)) {
            ++s->work.squares;
            find_nearer(s, &n, d_make(0.0, 0.0, 0.0), at);
            return;
        }
    }
    wait_for(s, at, a, i, meeting, b, j);
}

static void look_at_groups(search* s, const pair* p, uint32_t leaf_a, uint32_t leaf_b)
{
    const tact_separation_group* a = &s->tree_a->groups[leaf_a & ~(uint32_t)TACT_SEPARATION_LEAF];
    const tact_separation_group* b = &s->tree_b->groups[leaf_b & ~(uint32_t)TACT_SEPARATION_LEAF];
    const float reach_a = s->tree_a->nodes[p->a / WIDE].reach[p->a % WIDE];
    const float reach_b = s->tree_b->nodes[p->b / WIDE].reach[p->b % WIDE];
    tact_separation_meeting meeting;
    s->lanes->triangles(a, b, &s->motion, s->along, reach_a, reach_b, s->reach_above, &meeting);
    // Triangles that are out of range in this pose may be back in the next one, anywhere.
    const bool all = meeting.there == (1u << b->count) - 1u;
    for (uint32_t near = meeting.near; near; near &= near - 1) {
        const uint32_t i = tact_lowest_bit(near);
        look_at_triangles(s, p, a, (int)i / WIDE, &meeting, b, (int)i % WIDE, meeting.touching >> i & 1u);
    }
    keep_cut(s, p->a, p->b, ALL_PAIRS, all && (double)meeting.beyond > p->beyond ? (double)meeting.beyond : p->beyond);
}

// ---- The descent ----

/// A child alone, as a node of one.
static void make_lone(const tact_separation_tree* tree, uint32_t i, tact_separation_node* n)
{
    const tact_separation_node* from = &tree->nodes[i / WIDE];
    const uint32_t at = i % WIDE;
    *n = (tact_separation_node){.child = {from->child[at]}, .first = {from->first[at]}};
    for (int k = 0; k < 3; ++k) {
        n->center[k][0] = from->center[k][at];
        for (int j = 0; j < 3; ++j)
            n->axis[k][j][0] = from->axis[k][j][at];
    }
    n->reach[0] = from->reach[at];
    n->spread[0] = from->spread[at];
}

/// Which sides to divide: the larger one, and both where they are of a size.
static void choose_sides(const search* s, const pair* p, bool leaf_a, bool leaf_b, bool divide[2])
{
    divide[0] = !leaf_a;
    divide[1] = !leaf_b;
    if (!divide[0] || !divide[1] || p->a == ROOT || p->b == ROOT) return;
    const float a = s->tree_a->nodes[p->a / WIDE].spread[p->a % WIDE],
                b = s->tree_b->nodes[p->b / WIDE].spread[p->b % WIDE] * s->motion.stretch;
    // Of two points both are divided.
    divide[0] = !(a * 4.0f < b);
    divide[1] = !(b * 4.0f < a);
}

/// A pair divided.
typedef struct division {
    const tact_separation_node *a, *b;
    uint32_t first_a, first_b;  ///< children of place 0
    uint32_t sides;             ///< for the mask of a cut
    tact_separation_node lone[2];
} division;

/// Returns those of the mask that are there.
static uint32_t begin_division(const search* s, const pair* p, uint32_t child_a, uint32_t child_b, uint32_t mask,
                               division* d)
{
    bool sides[2] = {(mask & A_DIVIDED) != 0, (mask & B_DIVIDED) != 0};
    if (!sides[0] && !sides[1]) choose_sides(s, p, is_leaf(child_a), is_leaf(child_b), sides);
    TACT_ASSERT(sides[0] || sides[1]);
    d->sides = (sides[0] ? A_DIVIDED : 0) | (sides[1] ? B_DIVIDED : 0);
    d->first_a = sides[0] ? WIDE * child_a : p->a;
    d->first_b = sides[1] ? WIDE * child_b : p->b;
    d->a = sides[0] ? &s->tree_a->nodes[child_a] : &d->lone[0];
    d->b = sides[1] ? &s->tree_b->nodes[child_b] : &d->lone[1];
    if (!sides[0]) make_lone(s->tree_a, p->a, &d->lone[0]);
    if (!sides[1]) make_lone(s->tree_b, p->b, &d->lone[1]);
    static const uint32_t rows[] = {0, 1, 3, 7, 15}, all[] = {0, 0xf, 0xff, 0xfff, 0xffff};
    return (rows[tact_separation_children(d->b)] * 0x1111u) & all[tact_separation_children(d->a)] & mask;
}

/// Whether the triangles of two subtrees, should they overlap, would be later than the nearest pair, which does.
static bool is_later(const search* s, uint32_t first_a, uint32_t first_b)
{
    const tact_separation_nearest first = {TACT_SEPARATION_OVERLAP, first_a, first_b};
    return s->nearest.square < 0.0 && !tact_separation_nearer(&first, &s->nearest);
}

static bool is_pair_later(const search* s, const pair* p)
{
    if (!(s->nearest.square < 0.0) || p->a == ROOT || p->b == ROOT) return false;
    return is_later(s, s->tree_a->nodes[p->a / WIDE].first[p->a % WIDE],
                    s->tree_b->nodes[p->b / WIDE].first[p->b % WIDE]);
}

/// The pairs that a division has left, in the order in which they are put on the stack.
typedef struct queue {
    int count;
    float key[PAIRS];  ///< falling
    pair* of;
} queue;

static void add_to(queue* q, float key, const pair* p)
{
    int at = q->count++;
    for (; at > 0 && q->key[at - 1] < key; --at) {
        q->of[at] = q->of[at - 1];
        q->key[at] = q->key[at - 1];
    }
    q->key[at] = key;
    q->of[at] = *p;
}

/// Divides a pair of which one side may be a leaf. Puts what is not beyond the reach into `out`, what is to come first
/// last, and keeps a cut of the rest. Returns how many.
///
/// What comes first is near, and near in its middle too: boxes that overlap would all be the same. Where triangles
/// overlap already, only those of lower ids matter.
static int divide(search* s, const pair* p, uint32_t child_a, uint32_t child_b, uint32_t mask, pair* out)
{
    division d;
    float beyond[PAIRS], middles[PAIRS], least = INFINITY;
    const uint32_t valid = begin_division(s, p, child_a, child_b, mask, &d);
    // A cut that knows more is looked at again later.
    const float enough = s->front ? INFINITY : s->reach_above;
    uint32_t near = s->lanes->boxes(d.a, d.b, valid, &s->motion, s->along, s->reach_above, enough, beyond, middles);
    const bool overlapping = s->nearest.square < 0.0;
    ++s->work.bounds;
    queue q = {.of = out};
    for (uint32_t left = near; left; left &= left - 1) {
        const uint32_t i = tact_lowest_bit(left), first_a = d.a->first[i / WIDE], first_b = d.b->first[i % WIDE];
        if (overlapping && is_later(s, first_a, first_b)) {
            near &= ~(1u << i);
            least = -1.0f;
            continue;
        }
        const double one = (double)beyond[i];
        const pair part = {one > p->beyond ? one : p->beyond, d.first_a + i / WIDE, d.first_b + i % WIDE};
        add_to(&q, overlapping ? (float)first_a : (beyond[i] > 0.0f ? beyond[i] : 0.0f) + middles[i], &part);
    }
    if (s->front && near != valid) {
        for (uint32_t left = valid & ~near; left; left &= left - 1) {
            const float one = beyond[tact_lowest_bit(left)];
            least = one < least ? one : least;
        }
        keep_cut(s, p->a, p->b, (valid & ~near) | d.sides, (double)least > p->beyond ? (double)least : p->beyond);
    }
    return q.count;
}

/// The pair and all below it that is of the mask, or a cut.
static void descend(search* s, const pair* from, uint32_t mask)
{
    size_t top = 0;
    s->stack[top++] = *from;
    while (top > 0) {
        const pair p = s->stack[--top];
        if (p.beyond > s->reach || is_pair_later(s, &p)) {
            keep_cut(s, p.a, p.b, mask, p.beyond);
            mask = ALL_PAIRS;
            continue;
        }
        const uint32_t a = child_of(s->tree_a, p.a), b = child_of(s->tree_b, p.b);
        if (is_leaf(a) && is_leaf(b)) {
            look_at_groups(s, &p, a, b);
        } else {
            TACT_ASSERT(top + PAIRS <= STACK);
            top += (size_t)divide(s, &p, a, b, mask, &s->stack[top]);
        }
        mask = ALL_PAIRS;
    }
}

/// Down to one pair of leaves, always into the nearer part.
static void measure_first(search* s, pair p)
{
    for (;;) {
        const uint32_t a = child_of(s->tree_a, p.a), b = child_of(s->tree_b, p.b);
        pair out[PAIRS];
        if (is_leaf(a) && is_leaf(b)) {
            look_at_groups(s, &p, a, b);
            break;
        }
        const int count = divide(s, &p, a, b, ALL_PAIRS, out);
        if (count == 0) break;
        p = out[count - 1];
    }
    flush(s);
}

/// Something near to begin with, so that little is looked at in vain: the nearest of all B to a leaf of A, the nearest
/// of all A to that. A third turn costs more than it saves.
static void approach(search* s)
{
    enum { TURNS = 2 };
    const pair roots = {0.0, ROOT, ROOT};
    measure_first(s, roots);
    for (int turn = 0; turn < TURNS && s->nearest.a != TACT_NONE && s->nearest.square > 0.0; ++turn) {
        const pair p = {0.0, turn ? (uint32_t)ROOT : s->found.a, turn ? s->found.b : (uint32_t)ROOT};
        descend(s, &p, ALL_PAIRS);
        flush(s);
    }
}

/// What has leapt is expected to leap again, which no cut would outlast: none is kept.
static void search_from_roots(search* s)
{
    const pair roots = {0.0, ROOT, ROOT};
    const bool any = s->tree_a->group_count > 0 && s->tree_b->group_count > 0;
    tact_separation_front* front = s->front;
    if (front) front->count = 0;
    s->front = NULL;
    s->work.from_roots = true;
    if (any && (s->nearest.a == TACT_NONE || s->leapt)) approach(s);
    s->front = s->leapt ? NULL : front;
    if (any) descend(s, &roots, ALL_PAIRS);
    flush(s);
    s->front = front;
    if (front) front->fresh = front->count;
}

// ---- Motion ----

static dvec row_of(const float pose[12], int k)
{
    return d_make((double)pose[4 * k], (double)pose[4 * k + 1], (double)pose[4 * k + 2]);
}

static double stretch_of(const float pose[12])
{
    double stretch = 0.0;
    for (int k = 0; k < 3; ++k) {
        const dvec r = row_of(pose, k);
        stretch = fmax(stretch, (fabs(r.x) + fabs(r.y)) + fabs(r.z));
    }
    return stretch;
}

static double far_of(const float pose[12])
{
    return fmax(fabs((double)pose[3]), fmax(fabs((double)pose[7]), fabs((double)pose[11])));
}

/// The largest coordinate of a tree's triangles.
static double reach_of(const tact_separation_tree* t)
{
    double most = 0.0;
    for (int k = 0; k < 3 && t->group_count > 0; ++k)
        most = fmax(most, fmax(fabs((double)t->lower[k]), fabs((double)t->upper[k])));
    return most;
}

static void begin_motion(search* s, const float pose[12])
{
    tact_separation_motion* m = &s->motion;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i)
            m->matrix[k][i] = pose[4 * k + i];
        m->shift[k] = pose[4 * k + 3];
    }
    const double stretch = stretch_of(pose), far = far_of(pose);
    m->stretch = (float)(stretch * (1.0 + 0x1p-22)) + 0x1p-149f;
    m->far = (float)(far * (1.0 + 0x1p-22)) + 0x1p-149f;
    const double size = reach_of(s->tree_a) + stretch * reach_of(s->tree_b) + far;
    m->scale = (float)(1.0 / (size + 0x1p-100));
    m->pose = pose;
}

/// No triangle of B is moved further than this from one pose to the other. Displacements are affine, so that the
/// corners of B's box have the largest one; rounding is that of both poses, as in separation_bounds.h.
static double way_moved(const tact_separation_tree* b, const float from[12], const float to[12])
{
    double most = 0.0;
    for (int corner = 0; corner < 8; ++corner) {
        const dvec p =
            d_make((double)(corner & 1 ? b->upper : b->lower)[0], (double)(corner & 2 ? b->upper : b->lower)[1],
                   (double)(corner & 4 ? b->upper : b->lower)[2]);
        double d[3];
        for (int k = 0; k < 3; ++k)
            d[k] = d_dot(d_sub(row_of(to, k), row_of(from, k)), p) + ((double)to[4 * k + 3] - (double)from[4 * k + 3]);
        most = fmax(most, d_length(d_make(d[0], d[1], d[2])));
    }
    const double rounding = (stretch_of(from) + stretch_of(to)) * reach_of(b) + (far_of(from) + far_of(to));
    return most * (1.0 + 0x1p-40) + 0x1p-20 * rounding + 0x1p-139;
}

// ---- The front ----

/// The last nearest pair is near still: it makes the first cuts.
static void begin_with(search* s, uint32_t a, uint32_t b, const pair* at)
{
    TACT_ASSERT(a < s->job->a->triangle_count && b < s->job->b->triangle_count);
    const tact_triangle x = tact_overlap_triangle(s->job->a, a), still = tact_overlap_triangle(s->job->b, b);
    const tact_triangle y = tact_overlap_move(s->job->pose, &still);
    if (!tact_overlap_triangle_there(&y)) return;
    tact_separation_nearest n = {TACT_SEPARATION_OVERLAP, a, b};
    dvec gap = d_make(0.0, 0.0, 0.0);
    ++s->work.squares;
    if (!tact_triangle_overlaps_triangle(&x, &y)) {
        const tact_separation_triangle p = tact_separation_prepare(&x), q = tact_separation_prepare(&y);
        n.square = tact_separation_square(&p, &q, &gap);
    }
    find_nearer(s, &n, gap, at);
}

/// Looks again at the cuts that the motion since may have made too near; what they divide into comes after all others.
static void search_from_front(search* s)
{
    tact_separation_front* f = s->front;
    const size_t count = f->count;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const tact_separation_cut cut = f->cuts[i];
        const double beyond = cut.beyond - f->odometer;
        if (beyond > s->reach) {
            f->cuts[kept++] = cut;
            continue;
        }
        ++s->work.rechecks;
        const pair p = {beyond, cut.a, cut.b};
        descend(s, &p, cut.mask);
    }
    flush(s);
    if (s->lost) return;
    TACT_ASSERT(kept <= count && f->count >= count);
    memmove(f->cuts + kept, f->cuts + count, (f->count - count) * sizeof *f->cuts);
    f->count = kept + (f->count - count);
}

/// Whether the motion leaves enough of the cuts that starting from them is less work than afresh.
static bool front_is_worth_it(const search* s)
{
    const tact_separation_front* f = s->front;
    size_t near = 0;
    for (size_t i = 0; i < f->count; ++i)
        near += !(f->cuts[i].beyond - f->odometer > s->reach);
    return near * 4 < 3 * f->fresh;
}

/// Cuts are divided further and further, and never put together again but by starting afresh. The number of steps is
/// limited too, so that the odometer's rounding, 2^-53 of it in each, stays within what way_moved() adds.
static bool front_is_old(const tact_separation_front* f)
{
    enum { STEPS = 1000 };
    return f->count > 2 * f->fresh + 64 || f->steps >= STEPS;
}

void tact_separation_front_free(tact_env* env, tact_separation_front* front)
{
    tact_release(env, front->cuts);
    *front = (tact_separation_front){0};
}

static void search_with_front(search* s)
{
    tact_separation_front* f = s->front;
    const bool usable = f && f->any;
    if (usable) {
        const double moved = way_moved(s->tree_b, f->pose, s->job->pose);
        TACT_ASSERT(moved >= 0.0);
        f->odometer += moved;
        const pair nowhere = {0.0, ROOT, ROOT};
        if (f->nearest.a != TACT_NONE) begin_with(s, f->nearest.a, f->nearest.b, &nowhere);
        s->leapt = s->nearest.square > 0.0 && moved > 0.125 * s->reach;
    }
    if (usable && !front_is_old(f) && front_is_worth_it(s)) {
        ++f->steps;
        search_from_front(s);
        return;
    }
    if (f) {
        f->odometer = 0.0;
        f->steps = 0;
    }
    search_from_roots(s);
}

tact_result tact_separation_cpu(tact_env* env, const tact_separation_job* job, const tact_separation_tree* a,
                                const tact_separation_tree* b, tact_separation_front* front,
                                tact_separation_nearest* nearest, tact_separation_work* work)
{
    TACT_ASSERT(job->limit >= 0.0f);
    TACT_ASSERT(a->node_count > 0 && b->node_count > 0);
    const double limit = (double)job->limit;
    search s;
    s.env = env;
    s.job = job;
    s.tree_a = a;
    s.tree_b = b;
    s.lanes = tact_separation_lanes_best();
    begin_motion(&s, job->pose);
    s.nearest = (tact_separation_nearest){limit * limit, TACT_NONE, TACT_NONE};
    s.reach = limit;
    s.reach_above = job->limit;
    memset(s.along, 0, sizeof s.along);
    s.found = (pair){0.0, ROOT, ROOT};
    s.leapt = false;
    s.front = front;
    s.lost = false;
    s.work = (tact_separation_work){0};
    s.waiting = 0;
    search_with_front(&s);
    if (s.lost) {
        tact_separation_front_free(env, front);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    if (front) {
        // With nothing within the limit, the last pair is as good to begin with as any.
        if (s.nearest.a != TACT_NONE || !front->any) front->nearest = s.nearest;
        front->any = true;
        memcpy(front->pose, job->pose, sizeof front->pose);
    }
    *nearest = s.nearest;
    if (work) *work = s.work;
    return TACT_OK;
}
