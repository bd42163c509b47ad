// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The nearest pair of triangles of two meshes: both trees are descended at once, nearer pairs of subtrees first, and
// those certainly beyond the nearest triangles so far are cut off. Cuts are kept in the front for the next pose.

#include <string.h>

#include "cpu_ref/overlap/separation.h"
#include "cpu_ref/overlap/separation_bounds.h"
#include "cpu_ref/overlap/separation_square.h"

/// A pair of subtrees to look at, certainly beyond a distance.
typedef struct pair {
    double beyond;
    uint32_t a, b;  ///< children: of node n at 2 n + side
} pair;

/// Each pair taken from the stack puts at most four others there, whose depths sum to at least one more.
enum { STACK = 6 * TACT_BVH_MAX_DEPTH + 8 };

typedef struct search {
    tact_env* env;
    const tact_separation_job* job;
    const tact_separation_volume *volumes_a, *volumes_b;
    tact_separation_motion motion;
    tact_separation_nearest nearest;
    double reach;             ///< triangles beyond it are not nearer
    dvec along;               ///< the way of the nearest pair so far, a unit vector; 0 at first
    uint32_t leaf_a, leaf_b;  ///< where the nearest pair is
    bool leapt;               ///< too far since the last search for its nearest pair to be a near one
    tact_separation_front* front;
    bool lost;  ///< there was no memory for a cut
    tact_separation_work work;
    pair stack[STACK];
} search;

static const tact_bvh_child* child_of(const tact_overlap_mesh* mesh, uint32_t i)
{
    TACT_ASSERT(i / 2 < mesh->tree.node_count);
    return &mesh->tree.nodes[i / 2].children[i % 2];
}

static bool is_leaf(const tact_bvh_child* c)
{
    return (c->child & (uint32_t)TACT_BVH_LEAF_BIT) != 0;
}

static bool is_absent(const tact_bvh_child* c)
{
    return is_leaf(c) && c->count == 0;
}

// ---- Cuts ----

static void keep_cut(search* s, uint32_t a, uint32_t b, double beyond)
{
    tact_separation_front* f = s->front;
    if (!f || s->lost) return;
    void* cuts = f->cuts;
    if (!tact_reserve(s->env, &cuts, &f->capacity, f->count, f->count + 1, sizeof *f->cuts)) {
        s->lost = true;
        return;
    }
    f->cuts = cuts;
    f->cuts[f->count++] = (tact_separation_cut){beyond + f->odometer, a, b};
}

// ---- Triangles ----

/// A triangle of a leaf. What measuring needs is made when it is first needed.
typedef struct leaf_triangle {
    tact_triangle triangle;
    dvec low, high;
    double least, most;  ///< along the way of the nearest pair
    uint32_t id;
    bool prepared;
    tact_separation_triangle parts;
} leaf_triangle;

static void find_nearer(search* s, const tact_separation_nearest* n, dvec gap)
{
    TACT_ASSERT(n->a != TACT_NONE && n->b != TACT_NONE);
    if (!tact_separation_nearer(n, &s->nearest)) return;
    s->nearest = *n;
    s->reach = n->square > 0.0 ? sqrt(n->square) * (1.0 + 0x1p-50) : 0.0;
    // Any unit vector is allowed; the square of a very short one has lost digits.
    if (n->square > 0x1p-900) s->along = d_scale(gap, 1.0 / sqrt(n->square));
}

static double least_of(double a, double b, double c)
{
    const double m = a < b ? a : b;
    return m < c ? m : c;
}

static double most_of(double a, double b, double c)
{
    const double m = a > b ? a : b;
    return m > c ? m : c;
}

static void place_triangle(const search* s, leaf_triangle* t)
{
    const dvec a = d_from(t->triangle.a), b = d_from(t->triangle.b), c = d_from(t->triangle.c);
    t->low = d_make(least_of(a.x, b.x, c.x), least_of(a.y, b.y, c.y), least_of(a.z, b.z, c.z));
    t->high = d_make(most_of(a.x, b.x, c.x), most_of(a.y, b.y, c.y), most_of(a.z, b.z, c.z));
    const double x = d_dot(a, s->along), y = d_dot(b, s->along), z = d_dot(c, s->along);
    t->least = least_of(x, y, z);
    t->most = most_of(x, y, z);
    t->prepared = false;
}

static void prepare_triangle(leaf_triangle* t)
{
    if (t->prepared) return;
    t->parts = tact_separation_prepare(&t->triangle);
    t->prepared = true;
}

/// The triangles of a leaf that are there; of B, where `motion` is given.
static int load_leaf(const search* s, const tact_overlap_mesh* mesh, const tact_bvh_child* leaf, const float* pose,
                     leaf_triangle* out)
{
    TACT_ASSERT(is_leaf(leaf) && leaf->count <= TACT_BVH_MAX_LEAF);
    const tact_leaf_triangle* first = mesh->tree.triangles + (leaf->child & ~(uint32_t)TACT_BVH_LEAF_BIT);
    int count = 0;
    for (uint32_t i = 0; i < leaf->count; ++i) {
        const tact_leaf_triangle* f = &first[i];
        leaf_triangle* t = &out[count];
        t->triangle =
            (tact_triangle){{f->a[0], f->a[1], f->a[2]}, {f->b[0], f->b[1], f->b[2]}, {f->c[0], f->c[1], f->c[2]}};
        t->id = f->id;
        if (pose) {
            t->triangle = tact_overlap_move(pose, &t->triangle);
            if (!tact_overlap_triangle_there(&t->triangle)) continue;
        }
        place_triangle(s, t);
        ++count;
    }
    return count;
}

static double positive(double x)
{
    return x > 0.0 ? x : 0.0;
}

static double interval_gap(double low_a, double high_a, double low_b, double high_b)
{
    const double one = low_b - high_a, other = low_a - high_b;
    return one > other ? one : other;
}

/// Measures the two triangles unless they are certainly beyond; returns a distance that they are beyond.
static double measure(search* s, leaf_triangle* a, leaf_triangle* b, double slack)
{
    const double x = interval_gap(a->low.x, a->high.x, b->low.x, b->high.x),
                 y = interval_gap(a->low.y, a->high.y, b->low.y, b->high.y),
                 z = interval_gap(a->low.z, a->high.z, b->low.z, b->high.z);
    // Differences of floats in double have the right sign.
    const bool boxes_touch = x <= 0.0 && y <= 0.0 && z <= 0.0;
    const dvec g = d_make(positive(x), positive(y), positive(z));
    const double beyond = fmax(d_length(g), interval_gap(a->least, a->most, b->least, b->most)) - slack;
    if (beyond > s->reach) return beyond;
    tact_separation_nearest n = {TACT_SEPARATION_OVERLAP, a->id, b->id};
    const bool overlapping = s->nearest.square < 0.0;
    if (overlapping && (!boxes_touch || !tact_separation_nearer(&n, &s->nearest))) return beyond;
    ++s->work.squares;
    dvec gap = d_make(0.0, 0.0, 0.0);
    if (!boxes_touch || !tact_triangle_overlaps_triangle(&a->triangle, &b->triangle)) {
        prepare_triangle(a);
        prepare_triangle(b);
        n.square = tact_separation_square(&a->parts, &b->parts, &gap);
    }
    find_nearer(s, &n, gap);
    return beyond;
}

static void search_leaves(search* s, const pair* p, const tact_bvh_child* leaf_a, const tact_bvh_child* leaf_b)
{
    tact_separation_box still, moved;
    tact_separation_still(&s->volumes_a[p->a], &still);
    tact_separation_moved(&s->volumes_b[p->b], &s->motion, &moved);
    const double slack = still.slack + moved.slack;
    leaf_triangle a[TACT_BVH_MAX_LEAF], b[TACT_BVH_MAX_LEAF];
    const int count_a = load_leaf(s, s->job->a, leaf_a, NULL, a);
    const int count_b = load_leaf(s, s->job->b, leaf_b, s->job->pose, b);
    // Triangles that are out of range in this pose may be back in the next one, anywhere.
    double beyond = count_b == (int)leaf_b->count ? HUGE_VAL : p->beyond;
    const tact_separation_nearest before = s->nearest;
    for (int i = 0; i < count_a; ++i) {
        for (int j = 0; j < count_b; ++j) {
            const double one = measure(s, &a[i], &b[j], slack);
            beyond = one < beyond ? one : beyond;
        }
    }
    if (tact_separation_nearer(&s->nearest, &before)) {
        s->leaf_a = p->a;
        s->leaf_b = p->b;
    }
    keep_cut(s, p->a, p->b, beyond > p->beyond ? beyond : p->beyond);
}

// ---- The descent ----

/// Which sides to divide: the larger one, and both where they are of a size, which makes four pairs at once.
static void choose_sides(const search* s, const pair* p, bool leaf_a, bool leaf_b, bool divide[2])
{
    TACT_ASSERT(!leaf_a || !leaf_b);
    const double a = (double)s->volumes_a[p->a].spread, b = (double)s->volumes_b[p->b].spread * s->motion.stretch;
    // Of two points both are divided.
    divide[0] = !leaf_a && (leaf_b || !(a * 2.0 < b));
    divide[1] = !leaf_b && (leaf_a || !(b * 2.0 < a));
}

/// The children of a subtree that are there, or the subtree itself. There is always one.
static int parts_of(const tact_overlap_mesh* mesh, uint32_t part, bool divided, uint32_t parts[2])
{
    if (!divided) {
        parts[0] = part;
        return 1;
    }
    int count = 0;
    for (uint32_t side = 0; side < 2; ++side) {
        parts[count] = 2 * child_of(mesh, part)->child + side;
        count += !is_absent(child_of(mesh, parts[count]));
    }
    TACT_ASSERT(count >= 1);
    return count;
}

/// Looks at the pairs of some subtrees of A and of B; those farthest away come first. Returns how many.
static int look_at(search* s, const uint32_t a[2], int count_a, const uint32_t b[2], int count_b, double beyond,
                   pair out[4])
{
    TACT_ASSERT(count_a >= 1 && count_a <= 2 && count_b >= 1 && count_b <= 2);
    tact_separation_box boxes_a[2], boxes_b[2];
    double distances[TACT_SEPARATION_PAIRS];
    for (int i = 0; i < count_a; ++i)
        tact_separation_still(&s->volumes_a[a[i]], &boxes_a[i]);
    for (int i = 0; i < count_b; ++i)
        tact_separation_moved(&s->volumes_b[b[i]], &s->motion, &boxes_b[i]);
    const tact_separation_box *a0 = &boxes_a[0], *a1 = &boxes_a[count_a - 1], *b0 = &boxes_b[0],
                              *b1 = &boxes_b[count_b - 1];
    const tact_separation_box* const from[] = {a0, a0, a1, a1};
    const tact_separation_box* const to[] = {b0, b1, b0, b1};
    tact_separation_beyond(from, to, s->along, distances);
    s->work.bounds += (uint64_t)(count_a * count_b);
    int count = 0;
    for (int l = 0; l < TACT_SEPARATION_PAIRS; ++l) {
        if (l / 2 >= count_a || l % 2 >= count_b) continue;
        const pair p = {distances[l] > beyond ? distances[l] : beyond, a[l / 2], b[l % 2]};
        int at = count++;
        for (; at > 0 && out[at - 1].beyond < p.beyond; --at)
            out[at] = out[at - 1];
        out[at] = p;
    }
    return count;
}

/// What a pair divides into.
static int divide(search* s, const pair* p, pair out[4])
{
    uint32_t a[2], b[2];
    bool sides[2];
    choose_sides(s, p, is_leaf(child_of(s->job->a, p->a)), is_leaf(child_of(s->job->b, p->b)), sides);
    const int count_a = parts_of(s->job->a, p->a, sides[0], a), count_b = parts_of(s->job->b, p->b, sides[1], b);
    return look_at(s, a, count_a, b, count_b, p->beyond, out);
}

static pair look_at_one(search* s, uint32_t a, uint32_t b, double beyond)
{
    const uint32_t only_a[2] = {a, a}, only_b[2] = {b, b};
    pair p[4];
    (void)look_at(s, only_a, 1, only_b, 1, beyond, p);
    return p[0];
}

/// The pair and all below it, or a cut.
static void descend(search* s, const pair* from)
{
    size_t top = 0;
    s->stack[top++] = *from;
    while (top > 0) {
        const pair p = s->stack[--top];
        if (p.beyond > s->reach) {
            keep_cut(s, p.a, p.b, p.beyond);
            continue;
        }
        const tact_bvh_child *a = child_of(s->job->a, p.a), *b = child_of(s->job->b, p.b);
        if (is_leaf(a) && is_leaf(b)) {
            search_leaves(s, &p, a, b);
            continue;
        }
        TACT_ASSERT(top + 4 <= STACK);
        top += (size_t)divide(s, &p, &s->stack[top]);
    }
}

/// The pairs of the roots' children that are there, the nearest one last.
static int find_roots(search* s, pair roots[4])
{
    uint32_t a[2], b[2];
    int count_a = 0, count_b = 0;
    for (uint32_t side = 0; side < 2; ++side) {
        a[count_a] = b[count_b] = side;
        count_a += !is_absent(child_of(s->job->a, side));
        count_b += !is_absent(child_of(s->job->b, side));
    }
    return count_a > 0 && count_b > 0 ? look_at(s, a, count_a, b, count_b, 0.0, roots) : 0;
}

/// Down to one pair of leaves, always into the nearer half.
static void measure_first(search* s, pair p)
{
    for (;;) {
        const tact_bvh_child *a = child_of(s->job->a, p.a), *b = child_of(s->job->b, p.b);
        if (is_leaf(a) && is_leaf(b)) break;
        pair out[4];
        const int count = divide(s, &p, out);
        p = out[count - 1];
    }
    descend(s, &p);
}

/// Something near to begin with, so that little is looked at in vain: the nearest of all B to a leaf of A, the nearest
/// of all A to that, and so on while it comes nearer.
static void approach(search* s, const pair* nearest_root)
{
    enum { TURNS = 6 };
    tact_separation_front* front = s->front;
    s->front = NULL;
    measure_first(s, *nearest_root);
    for (int turn = 0; turn < TURNS && s->nearest.a != TACT_NONE && s->nearest.square > 0.0; ++turn) {
        const double before = s->nearest.square;
        for (uint32_t side = 0; side < 2; ++side) {
            const uint32_t a = turn % 2 ? side : s->leaf_a, b = turn % 2 ? s->leaf_b : side;
            if (is_absent(child_of(s->job->a, a)) || is_absent(child_of(s->job->b, b))) continue;
            const pair p = look_at_one(s, a, b, 0.0);
            descend(s, &p);
        }
        if (turn > 0 && !(s->nearest.square < before)) break;
    }
    s->front = front;
}

static void search_from_roots(search* s)
{
    pair roots[4];
    const int count = find_roots(s, roots);
    if (count > 0 && (s->nearest.a == TACT_NONE || s->leapt)) approach(s, &roots[count - 1]);
    s->work.from_roots = true;
    if (s->front) s->front->count = 0;
    for (int i = count; i-- > 0;)
        descend(s, &roots[i]);
    if (s->front) s->front->fresh = s->front->count;
}

// ---- The front ----

/// No triangle of B is moved further than this from one pose to the other. Displacements are affine, so that the
/// corners of B's box have the largest one; rounding is that of both poses, as in separation_bounds.h.
static double way_moved(const tact_overlap_mesh* b, const float from[12], const tact_separation_motion* to)
{
    const tact_separation_motion before = tact_separation_motion_of(from);
    double most = 0.0, reach = 0.0;
    for (int corner = 0; corner < 8; ++corner) {
        const dvec p =
            d_make((double)(corner & 1 ? b->upper : b->lower)[0], (double)(corner & 2 ? b->upper : b->lower)[1],
                   (double)(corner & 4 ? b->upper : b->lower)[2]);
        dvec d;
        d.x = d_dot(d_sub(to->row[0], before.row[0]), p) + (to->shift.x - before.shift.x);
        d.y = d_dot(d_sub(to->row[1], before.row[1]), p) + (to->shift.y - before.shift.y);
        d.z = d_dot(d_sub(to->row[2], before.row[2]), p) + (to->shift.z - before.shift.z);
        most = fmax(most, d_length(d));
        reach = fmax(reach, tact_separation_largest(p));
    }
    const double rounding = (before.stretch + to->stretch) * reach + (before.far + to->far);
    return most * (1.0 + 0x1p-40) + 0x1p-20 * rounding + 0x1p-139;
}

/// The last nearest pair is near still: it makes the first cuts.
static void begin_with(search* s, uint32_t a, uint32_t b)
{
    TACT_ASSERT(a < s->job->a->triangle_count && b < s->job->b->triangle_count);
    leaf_triangle x = {.id = a, .triangle = tact_overlap_triangle(s->job->a, a)}, y = {.id = b};
    const tact_triangle still = tact_overlap_triangle(s->job->b, b);
    y.triangle = tact_overlap_move(s->job->pose, &still);
    if (!tact_overlap_triangle_there(&y.triangle)) return;
    place_triangle(s, &x);
    place_triangle(s, &y);
    (void)measure(s, &x, &y, HUGE_VAL);
}

/// Some cuts again.
static void look_again(search* s, const pair* cuts, int count)
{
    TACT_ASSERT(count >= 1 && count <= TACT_SEPARATION_PAIRS);
    tact_separation_box a[TACT_SEPARATION_PAIRS], b[TACT_SEPARATION_PAIRS];
    const tact_separation_box *from[TACT_SEPARATION_PAIRS], *to[TACT_SEPARATION_PAIRS];
    double distances[TACT_SEPARATION_PAIRS];
    for (int l = 0; l < TACT_SEPARATION_PAIRS; ++l) {
        if (l < count) {
            tact_separation_still(&s->volumes_a[cuts[l].a], &a[l]);
            tact_separation_moved(&s->volumes_b[cuts[l].b], &s->motion, &b[l]);
        }
        from[l] = l < count ? &a[l] : &a[0];
        to[l] = l < count ? &b[l] : &b[0];
    }
    tact_separation_beyond(from, to, s->along, distances);
    s->work.bounds += (uint64_t)count;
    s->work.rechecks += (uint64_t)count;
    for (int l = 0; l < count; ++l) {
        const pair p = {distances[l] > cuts[l].beyond ? distances[l] : cuts[l].beyond, cuts[l].a, cuts[l].b};
        descend(s, &p);
    }
}

/// Looks again at the cuts that the motion since may have made too near; what they divide into comes after all others.
static void search_from_front(search* s)
{
    tact_separation_front* f = s->front;
    const size_t count = f->count;
    size_t kept = 0;
    pair again[TACT_SEPARATION_PAIRS];
    int waiting = 0;
    for (size_t i = 0; i < count; ++i) {
        const tact_separation_cut cut = f->cuts[i];
        const double beyond = cut.beyond - f->odometer;
        if (beyond > s->reach) {
            f->cuts[kept++] = cut;
            continue;
        }
        again[waiting++] = (pair){beyond, cut.a, cut.b};
        if (waiting < TACT_SEPARATION_PAIRS) continue;
        look_again(s, again, waiting);
        waiting = 0;
    }
    if (waiting > 0) look_again(s, again, waiting);
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
        const double moved = way_moved(s->job->b, f->pose, &s->motion);
        TACT_ASSERT(moved >= 0.0);
        f->odometer += moved;
        s->leaf_a = f->leaf_a;
        s->leaf_b = f->leaf_b;
        if (f->nearest.a != TACT_NONE) begin_with(s, f->nearest.a, f->nearest.b);
        s->leapt = moved > 0.125 * s->reach;
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

tact_result tact_separation_cpu(tact_env* env, const tact_separation_job* job, const tact_separation_volumes* a,
                                const tact_separation_volumes* b, tact_separation_front* front,
                                tact_separation_nearest* nearest, tact_separation_work* work)
{
    TACT_ASSERT(job->limit >= 0.0f);
    TACT_ASSERT(a->count == 2 * job->a->tree.node_count && b->count == 2 * job->b->tree.node_count);
    const double limit = (double)job->limit;
    search s;
    s.env = env;
    s.job = job;
    s.volumes_a = a->volumes;
    s.volumes_b = b->volumes;
    s.motion = tact_separation_motion_of(job->pose);
    s.nearest = (tact_separation_nearest){limit * limit, TACT_NONE, TACT_NONE};
    s.reach = limit;
    s.along = d_make(0.0, 0.0, 0.0);
    s.leaf_a = s.leaf_b = 0;
    s.leapt = false;
    s.front = front;
    s.lost = false;
    s.work = (tact_separation_work){0};
    search_with_front(&s);
    if (s.lost) {
        tact_separation_front_free(env, front);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    if (front) {
        // With nothing within the limit, the last pair is as good to begin with as any.
        if (s.nearest.a != TACT_NONE || !front->any) {
            front->nearest = s.nearest;
            front->leaf_a = s.leaf_a;
            front->leaf_b = s.leaf_b;
        }
        front->any = true;
        memcpy(front->pose, job->pose, sizeof front->pose);
    }
    *nearest = s.nearest;
    if (work) *work = s.work;
    return TACT_OK;
}
