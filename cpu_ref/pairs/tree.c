// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A dynamic tree with fat leaves, and the pairs of leaves that meet, kept from one query to the next: only boxes that
// left their leaf are put in anew and looked for again. For sets of which little moves.

#include "cpu_ref/pairs/tree.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "base/platform.h"
#include "cpu_ref/pairs/lanes.h"

enum {
    SCAN_PIECE = 4096,
    GROUP_HEIGHT = 4,  ///< subtrees of this height ask together: 8 to 16 leaves
    MOST_GROUP = 16,
    CHANGES_WORTH = 24,  ///< one in so many boxes changed: the tree is built anew
    KEPT_A_BOX = 32,     ///< pairs that are kept, for each box, at most
};

typedef struct pair_list {
    tact_pair* pairs;
    size_t count, capacity;
} pair_list;

typedef struct kept_tree {
    tact_tree tree;
    tact_box_order order;  ///< of the last build
    tact_aabb* fat;        ///< the leaves' boxes, by id; NaN for what is not in the tree
    size_t fat_capacity;
    uint32_t fat_end;
    uint32_t* changed;  ///< ids that left their leaf, came or went, while pairs of leaves are not yet up to date
    uint32_t changed_count;
    uint32_t* counts;  ///< of them, for each piece
    uint8_t* touched;  ///< by id: is among them
    size_t changed_capacity, count_capacity, touched_capacity;
    uint32_t* groups;  ///< roots of the subtrees that ask together
    size_t group_capacity;
    uint32_t group_count;
    bool grouped;     ///< they are those of the tree as it is
    pair_list pairs;  ///< of leaves that meet, when they are kept
    bool pairs_known;
    bool too_many;  ///< they were, for the tree as it was built
    bool filled;
    uint64_t version;
} kept_tree;

static const tact_aabb no_box = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};

// Which boxes have left their leaves.

typedef struct scan_loop {
    kept_tree* kept;
    const tact_volume_view* of;
} scan_loop;

static void scan_pieces(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const scan_loop* l = user;
    kept_tree* kept = l->kept;
    for (size_t piece = begin; piece < end; ++piece) {
        const uint32_t first = (uint32_t)piece * SCAN_PIECE;
        TACT_ASSERT(first < l->of->count && l->of->count <= kept->fat_end);
        const uint32_t stop = l->of->count - first < SCAN_PIECE ? l->of->count : first + SCAN_PIECE;
        uint32_t* changed = kept->changed + first;
        uint32_t count = 0;
        for (uint32_t id = first; id < stop; ++id) {
            // Neither live nor in the tree: nothing is held, but nothing has changed.
            const bool held = tact_tree_box_holds(&kept->fat[id], &l->of->boxes[id]);
            const uint32_t either =
                (uint32_t)tact_volume_is_live(&l->of->boxes[id]) | (uint32_t)tact_volume_is_live(&kept->fat[id]);
            changed[count] = id;
            count += (uint32_t)!held & either;
        }
        kept->counts[piece] = count;
    }
}

static bool reserve(tact_env* env, kept_tree* kept, uint32_t count)
{
    void *fat = kept->fat, *changed = kept->changed, *counts = kept->counts, *touched = kept->touched;
    const size_t pieces = count / SCAN_PIECE + 1;
    bool ok = tact_reserve(env, &fat, &kept->fat_capacity, kept->fat_end, count, sizeof *kept->fat);
    kept->fat = fat;
    ok = ok && tact_reserve(env, &changed, &kept->changed_capacity, 0, count, sizeof *kept->changed);
    kept->changed = changed;
    ok = ok && tact_reserve(env, &counts, &kept->count_capacity, 0, pieces, sizeof *kept->counts);
    kept->counts = counts;
    ok = ok && tact_reserve(env, &touched, &kept->touched_capacity, kept->fat_end, count, sizeof *kept->touched);
    kept->touched = touched;
    if (!ok || tact_tree_reserve_ids(&kept->tree, count) != TACT_OK) return false;
    for (; kept->fat_end < count; ++kept->fat_end) {
        kept->fat[kept->fat_end] = no_box;
        kept->touched[kept->fat_end] = 0;
    }
    TACT_ASSERT(kept->tree.id_end >= count && kept->fat_end >= count);
    return true;
}

/// Fills `changed` by looking at all boxes.
static void scan(const tact_pairs_job* job, kept_tree* kept, const tact_volume_view* of)
{
    scan_loop loop = {kept, of};
    const uint32_t pieces = (of->count + SCAN_PIECE - 1) / SCAN_PIECE;
    tact_parallel_for(job->threads, pieces, 4, scan_pieces, &loop);
    uint32_t count = 0;
    for (uint32_t piece = 0; piece < pieces; ++piece) {
        memmove(kept->changed + count, kept->changed + (size_t)piece * SCAN_PIECE,
                kept->counts[piece] * sizeof *kept->changed);
        count += kept->counts[piece];
    }
    TACT_ASSERT(count <= of->count);
    kept->changed_count = count;
    for (uint32_t i = 0; i < count; ++i)
        kept->touched[kept->changed[i]] = 1;
}

/// Fills `changed` from what the set lists; false where it does not list all.
static bool scan_listed(kept_tree* kept, const tact_volume_view* of)
{
    enum { AHEAD = 8 };
    uint32_t first;
    if (!tact_volume_changes_after(of, kept->version, &first)) return false;
    for (uint32_t i = first; i < of->change_count; ++i) {
        if (i + AHEAD < of->change_count) {
            TACT_PREFETCH(&of->boxes[of->changes[i + AHEAD].id]);
            TACT_PREFETCH(&kept->fat[of->changes[i + AHEAD].id]);
        }
        const uint32_t id = of->changes[i].id;
        TACT_ASSERT(id < of->count && of->count <= kept->fat_end);
        const tact_aabb *fat = &kept->fat[id], *box = &of->boxes[id];
        const bool either = tact_volume_is_live(box) || tact_volume_is_live(fat);
        if (kept->touched[id] || !either || tact_tree_box_holds(fat, box)) continue;
        kept->touched[id] = 1;
        kept->changed[kept->changed_count++] = id;
    }
    return true;
}

/// Nothing is left to be brought up to date.
static void forget_changes(kept_tree* kept)
{
    for (uint32_t i = 0; i < kept->changed_count; ++i)
        kept->touched[kept->changed[i]] = 0;
    kept->changed_count = 0;
}

// How fat a leaf is.

/// One axis of a leaf: a tenth of the box on either side, and where it went four times as far as it is out of the old.
static void fatten_axis(float lower, float upper, float old_lower, float old_upper, float* fat_lower, float* fat_upper)
{
    TACT_ASSERT(lower <= upper);
    const float margin = 0.1f * (upper - lower);
    const float behind = lower - old_lower, ahead = upper - old_upper;
    const float low = lower - margin + (behind < 0.0f ? 4.0f * behind : 0.0f);
    const float high = upper + margin + (ahead > 0.0f ? 4.0f * ahead : 0.0f);
    // A NaN, from infinities, leaves the box as it is.
    *fat_lower = low < lower ? low : lower;
    *fat_upper = high > upper ? high : upper;
}

/// The leaf of a box that left `old`; a box that was not there before, or that jumped, is its own leaf.
static tact_aabb fatten(const tact_aabb* box, const tact_aabb* old)
{
    if (!tact_volume_is_live(old) || !tact_tree_boxes_meet(box, old)) return *box;
    tact_aabb fat;
    fatten_axis(box->lower.x, box->upper.x, old->lower.x, old->upper.x, &fat.lower.x, &fat.upper.x);
    fatten_axis(box->lower.y, box->upper.y, old->lower.y, old->upper.y, &fat.lower.y, &fat.upper.y);
    fatten_axis(box->lower.z, box->upper.z, old->lower.z, old->upper.z, &fat.lower.z, &fat.upper.z);
    TACT_ASSERT(tact_tree_box_holds(&fat, box));
    return fat;
}

// Bringing the tree up to date.

static bool add_group(kept_tree* kept, uint32_t root)
{
    void* groups = kept->groups;
    if (!tact_reserve(kept->tree.env, &groups, &kept->group_capacity, kept->group_count, (size_t)kept->group_count + 1,
                      sizeof *kept->groups)) {
        return false;
    }
    kept->groups = groups;
    kept->groups[kept->group_count++] = root;
    return true;
}

/// Lists the subtrees that ask together.
static bool list_groups(kept_tree* kept)
{
    const tact_tree* t = &kept->tree;
    uint32_t stack[TACT_TREE_MOST_HEIGHT + 2], depth = 0;
    if (kept->grouped) return true;
    kept->group_count = 0;
    if (t->root != TACT_TREE_NONE) stack[depth++] = t->root;
    while (depth > 0) {
        const uint32_t index = stack[--depth];
        const tact_tree_node* n = &t->nodes[index];
        TACT_ASSERT(depth < TACT_TREE_MOST_HEIGHT && index < t->node_end);
        if (n->height <= GROUP_HEIGHT) {
            if (!add_group(kept, index)) return false;
        } else {
            stack[depth++] = n->child[1];
            stack[depth++] = n->child[0];
        }
    }
    kept->grouped = true;
    return true;
}

static tact_result rebuild(tact_pairs_job* job, kept_tree* kept, const tact_volume_view* of)
{
    for (uint32_t i = 0; i < kept->changed_count; ++i) {
        tact_aabb* fat = &kept->fat[kept->changed[i]];
        const tact_aabb* box = &of->boxes[kept->changed[i]];
        *fat = tact_volume_is_live(box) ? fatten(box, fat) : no_box;
    }
    tact_result result = tact_box_order_make(job->env, job->threads, of, &kept->order);
    TACT_ASSERT(result != TACT_OK || kept->order.count == of->live);
    if (result != TACT_OK) return result;
    result = tact_tree_build(&kept->tree, job->threads, kept->order.items, kept->order.count, kept->fat);
    kept->pairs_known = kept->too_many = false;
    forget_changes(kept);
    job->rebuilt = true;
    return result;
}

static tact_result apply(kept_tree* kept, const tact_volume_view* of)
{
    tact_tree* t = &kept->tree;
    for (uint32_t i = 0; i < kept->changed_count; ++i) {
        const uint32_t id = kept->changed[i];
        TACT_ASSERT(id < of->count && kept->touched[id]);
        const tact_aabb* box = &of->boxes[id];
        const bool there = t->leaf_of[id] != TACT_TREE_NONE, live = tact_volume_is_live(box);
        TACT_ASSERT(there || live);
        kept->fat[id] = live ? fatten(box, &kept->fat[id]) : no_box;
        if (there && live) {
            tact_tree_move(t, id, &kept->fat[id]);
        } else if (there) {
            tact_tree_remove(t, id);
        } else if (tact_tree_insert(t, id, &kept->fat[id]) != TACT_OK) {
            return TACT_ERROR_OUT_OF_MEMORY;
        }
    }
    return TACT_OK;
}

// Looking for pairs. A walk gathers the leaves that a subtree's box meets; its own leaves are then tested against
// them, many at a time.

typedef struct asker {
    uint32_t count;
    uint32_t ids[MOST_GROUP];
    tact_aabb boxes[MOST_GROUP];
} asker;

enum { COUNTER_STRIDE = 8 };  // numbers, so that threads do not share cache lines

typedef struct thread_counts {
    uint64_t tests;
    bool stopped;  ///< its list is full, or there was no memory for it
    bool no_memory;
} thread_counts;

typedef struct find_loop {
    tact_pairs_job* job;
    const tact_pairs_lane_table* lanes;
    const kept_tree *from, *to;
    const tact_aabb *from_boxes, *to_boxes;  ///< by id; NULL: the leaves' own, which are fat
    bool within, swapped;
    pair_list* lists;       ///< where to, one for each thread; NULL: to the sinks
    size_t most;            ///< pairs in a list
    thread_counts* counts;  ///< one for each thread
    uint32_t first;
} find_loop;

static bool push(tact_env* env, pair_list* list, uint32_t id, const uint32_t* others, uint32_t count)
{
    void* memory = list->pairs;
    if (!tact_reserve(env, &memory, &list->capacity, list->count, list->count + count, sizeof *list->pairs))
        return false;
    list->pairs = memory;
    TACT_ASSERT(list->count + count <= list->capacity);
    for (uint32_t i = 0; i < count; ++i)
        list->pairs[list->count++] = (tact_pair){id, others[i]};
    return true;
}

/// Of the changed ones that met a changed one, only the larger counts, and never itself.
static uint32_t leave_out(const uint8_t* touched, uint32_t id, uint32_t* others, uint32_t count)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t other = others[i];
        others[left] = other;
        left += (uint32_t)(!touched[other] || other > id);
    }
    return left;
}

/// Tests what was gathered against the asker's boxes. `single`: a changed box asks, for all others.
static void look(const find_loop* l, const asker* asks, tact_tree_gathered* found, bool single, int worker)
{
    TACT_ASSERT(found->count <= TACT_TREE_GATHERED && asks->count <= MOST_GROUP);
    thread_counts* counts = &l->counts[worker];
    uint32_t others[TACT_TREE_GATHERED];
    for (uint32_t i = 0; i < asks->count; ++i) {
        const uint32_t id = asks->ids[i];
        const int64_t above = l->within && !single ? (int64_t)id : -1;
        uint32_t count = l->lanes->tree(&asks->boxes[i], above, found, others);
        TACT_ASSERT(count <= found->count);
        if (single) count = leave_out(l->from->touched, id, others, count);
        if (l->lists) {
            pair_list* list = &l->lists[worker];
            if (count == 0 || counts->stopped) continue;
            counts->no_memory = !push(l->job->env, list, id, others, count);
            counts->stopped = counts->no_memory || list->count > l->most;
        } else {
            for (uint32_t k = 0; k < count; ++k)
                tact_pair_sink_add(&l->job->sinks[worker], l->swapped ? others[k] : id, l->swapped ? id : others[k]);
        }
    }
    counts->tests += (uint64_t)found->count * asks->count;
    found->count = 0;
}

/// Gathers the leaves of `to` that the box meets, and looks at them.
static void walk(const find_loop* l, const tact_aabb* box, const asker* asks, bool single, int worker)
{
    const tact_tree* t = &l->to->tree;
    tact_tree_gathered found;
    memset(&found, 0, sizeof found);
    uint32_t stack[TACT_TREE_MOST_HEIGHT + 2], depth = 0;
    if (t->root != TACT_TREE_NONE) stack[depth++] = t->root;
    while (depth > 0) {
        const tact_tree_node* n = &t->nodes[stack[--depth]];
        if (!tact_tree_boxes_meet(&n->box, box)) continue;
        if (!tact_tree_is_leaf(n)) {
            stack[depth++] = n->child[1];
            stack[depth++] = n->child[0];
            continue;
        }
        const uint32_t id = n->child[1], at = found.count++;
        TACT_ASSERT(id < t->id_end && at < TACT_TREE_GATHERED);
        const tact_aabb* b = l->to_boxes ? &l->to_boxes[id] : &n->box;
        found.ids[at] = id;
        found.lower[0][at] = b->lower.x;
        found.lower[1][at] = b->lower.y;
        found.lower[2][at] = b->lower.z;
        found.upper[0][at] = b->upper.x;
        found.upper[1][at] = b->upper.y;
        found.upper[2][at] = b->upper.z;
        if (found.count == TACT_TREE_GATHERED) {
            look(l, asks, &found, single, worker);
            if (l->counts[worker].stopped) return;
        }
    }
    if (found.count > 0) look(l, asks, &found, single, worker);
}

/// The leaves of a subtree of at most GROUP_HEIGHT.
static void take_leaves(const find_loop* l, uint32_t root, asker* asks)
{
    const tact_tree* t = &l->from->tree;
    uint32_t stack[GROUP_HEIGHT + 2], depth = 0;
    asks->count = 0;
    stack[depth++] = root;
    while (depth > 0) {
        const tact_tree_node* n = &t->nodes[stack[--depth]];
        if (tact_tree_is_leaf(n)) {
            TACT_ASSERT(asks->count < MOST_GROUP);
            asks->boxes[asks->count] = l->from_boxes ? l->from_boxes[n->child[1]] : n->box;
            asks->ids[asks->count++] = n->child[1];
        } else {
            stack[depth++] = n->child[1];
            stack[depth++] = n->child[0];
        }
    }
}

static void ask_groups(size_t begin, size_t end, int worker, void* user)
{
    const find_loop* l = user;
    for (size_t i = begin; i < end && !l->counts[worker].stopped; ++i) {
        asker asks;
        const uint32_t root = l->from->groups[l->first + i];
        TACT_ASSERT(l->first + i < l->from->group_count);
        take_leaves(l, root, &asks);
        walk(l, &l->from->tree.nodes[root].box, &asks, false, worker);
    }
}

static void ask_changed(size_t begin, size_t end, int worker, void* user)
{
    const find_loop* l = user;
    for (size_t i = begin; i < end && !l->counts[worker].stopped; ++i) {
        const uint32_t id = l->from->changed[l->first + i];
        asker asks = {.count = 1, .ids = {id}};
        asks.boxes[0] = l->from->fat[id];
        if (tact_volume_is_live(&asks.boxes[0])) walk(l, &asks.boxes[0], &asks, true, worker);
    }
}

/// Whether to go on.
static bool report_progress(const tact_pairs_job* job, uint64_t done, uint64_t of)
{
    return !job->progress || job->progress((double)done / (double)of, job->progress_user);
}

static tact_result run(find_loop* l, uint32_t count, size_t grain, tact_parallel_fn* function)
{
    TACT_ASSERT(l->job->threads >= 1);
    // In slices, between which progress is asked.
    const uint32_t slice = l->job->progress ? 1024u * (uint32_t)l->job->threads : count;
    for (l->first = 0; l->first < count;) {
        const uint32_t size = count - l->first < slice ? count - l->first : slice;
        tact_parallel_for(l->job->threads, size, grain, function, l);
        l->first += size;
        if (!report_progress(l->job, l->first, count)) return tact_fail(l->job->env, TACT_ERROR_CANCELLED, "cancelled");
    }
    return TACT_OK;
}

static size_t most_pairs(const kept_tree* kept)
{
    return (size_t)kept->tree.leaves * KEPT_A_BOX + 65536;
}

/// Appends the threads' lists to the pairs that are kept. *fits is false, and nothing is appended, when they are too
/// many.
static tact_result append(find_loop* l, kept_tree* kept, bool* fits)
{
    size_t total = kept->pairs.count;
    *fits = true;
    for (int i = 0; i < l->job->threads; ++i) {
        if (l->counts[i].no_memory) return TACT_ERROR_OUT_OF_MEMORY;
        *fits = *fits && !l->counts[i].stopped;
        total += l->lists[i].count;
    }
    *fits = *fits && total <= most_pairs(kept);
    if (!*fits) return TACT_OK;
    void* pairs = kept->pairs.pairs;
    if (!tact_reserve(l->job->env, &pairs, &kept->pairs.capacity, kept->pairs.count, total, sizeof(tact_pair))) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    kept->pairs.pairs = pairs;
    for (int i = 0; i < l->job->threads; ++i) {
        if (l->lists[i].count == 0) continue;
        memcpy(kept->pairs.pairs + kept->pairs.count, l->lists[i].pairs, l->lists[i].count * sizeof(tact_pair));
        kept->pairs.count += l->lists[i].count;
    }
    return TACT_OK;
}

/// Runs a loop whose pairs of leaves are to be kept.
static tact_result keep(find_loop* l, kept_tree* kept, uint32_t count, size_t grain, tact_parallel_fn* function)
{
    pair_list* lists = tact_allocate_zeroed(l->job->env, (size_t)l->job->threads, sizeof *lists);
    if (!lists) return TACT_ERROR_OUT_OF_MEMORY;
    l->lists = lists;
    l->most = most_pairs(kept);
    tact_result result = run(l, count, grain, function);
    if (result == TACT_OK) result = append(l, kept, &kept->pairs_known);
    for (int i = 0; i < l->job->threads; ++i) {
        tact_release(l->job->env, lists[i].pairs);
        l->counts[i].stopped = false;
    }
    tact_release(l->job->env, lists);
    l->lists = NULL;
    return result;
}

/// Takes the pairs of changed boxes from what is kept and puts in those they have now.
static tact_result update_pairs(find_loop* l, kept_tree* kept)
{
    size_t left = 0;
    for (size_t i = 0; i < kept->pairs.count; ++i) {
        const tact_pair pair = kept->pairs.pairs[i];
        TACT_ASSERT(pair.a != pair.b && pair.a < kept->fat_end && pair.b < kept->fat_end);
        kept->pairs.pairs[left] = pair;
        left += (size_t) !(kept->touched[pair.a] | kept->touched[pair.b]);
    }
    kept->pairs.count = left;
    kept->pairs_known = false;
    find_loop own = *l;
    own.from = own.to = kept;
    own.from_boxes = own.to_boxes = NULL;
    own.within = true;
    return keep(&own, kept, kept->changed_count, 16, ask_changed);
}

/// Everything anew, whatever was there.
static tact_result start_over(tact_pairs_job* job, kept_tree* kept, const tact_volume_view* of)
{
    forget_changes(kept);
    kept->fat_end = 0;
    if (!reserve(job->env, kept, of->count)) return TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t id = 0; id < of->count; ++id)
        kept->fat[id] = of->boxes[id];
    return rebuild(job, kept, of);
}

static tact_result refresh(tact_pairs_job* job, kept_tree* kept, const tact_volume_view* of)
{
    // Pairs of leaves that were not asked for since the last change are two changes behind.
    if (kept->changed_count > 0) kept->pairs_known = false;
    forget_changes(kept);
    if (!reserve(job->env, kept, of->count)) return TACT_ERROR_OUT_OF_MEMORY;
    if (!scan_listed(kept, of)) scan(job, kept, of);
    TACT_ASSERT(kept->tree.leaves <= kept->fat_end);
    if (kept->changed_count == 0) return TACT_OK;
    kept->grouped = false;
    return (uint64_t)kept->changed_count * CHANGES_WORTH > of->live ? rebuild(job, kept, of) : apply(kept, of);
}

/// Brings the tree of a set up to date.
static tact_result update(tact_pairs_job* job, const tact_volume_view* of, void** slot, kept_tree** out)
{
    if (!*slot) {
        kept_tree* made = tact_allocate_zeroed(job->env, 1, sizeof *made);
        if (!made) return TACT_ERROR_OUT_OF_MEMORY;
        tact_tree_init(&made->tree, job->env);
        *slot = made;
    }
    kept_tree* kept = *out = *slot;
    if (kept->filled && kept->version == of->version) return TACT_OK;
    const bool over = !kept->filled || of->count < kept->fat_end;
    kept->filled = false;
    if (over) kept->grouped = false;
    const tact_result result = over ? start_over(job, kept, of) : refresh(job, kept, of);
    if (result != TACT_OK) return result;
    TACT_ASSERT(kept->tree.leaves == of->live);
    TACT_VALIDATE(tact_tree_is_valid(&kept->tree, kept->fat) && tact_tree_holds_all(&kept->tree, of));
    kept->filled = true;
    kept->version = of->version;
    return TACT_OK;
}

// Answering.

typedef struct real_loop {
    const tact_pairs_job* job;
    const tact_pair* pairs;
} real_loop;

/// Of the leaves that meet, the boxes that do.
static void test_real(size_t begin, size_t end, int worker, void* user)
{
    const real_loop* l = user;
    const tact_aabb* boxes = l->job->a->boxes;
    for (size_t i = begin; i < end; ++i) {
        const tact_pair p = l->pairs[i];
        TACT_ASSERT(p.a < l->job->a->count && p.b < l->job->a->count && p.a != p.b);
        if (tact_tree_boxes_meet(&boxes[p.a], &boxes[p.b])) tact_pair_sink_add(&l->job->sinks[worker], p.a, p.b);
    }
}

/// Takes over the pairs that sinks have found.
static tact_result take_pairs(const tact_pairs_job* ask, kept_tree* kept, uint64_t total)
{
    void* pairs = kept->pairs.pairs;
    kept->pairs.count = 0;
    if (!tact_reserve(ask->env, &pairs, &kept->pairs.capacity, 0, (size_t)total, sizeof(tact_pair))) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    kept->pairs.pairs = pairs;
    for (int i = 0; i < ask->threads; ++i) {
        for (const tact_pair_block* block = ask->sinks[i].blocks; block; block = block->next) {
            memcpy(kept->pairs.pairs + kept->pairs.count, block->pairs, block->count * sizeof(tact_pair));
            kept->pairs.count += block->count;
        }
    }
    TACT_ASSERT(kept->pairs.count == total);
    kept->pairs_known = true;
    return TACT_OK;
}

/// All pairs of leaves that meet. When nothing is known yet a tree that is made for looking everything up at once is
/// several times as fast as this one: the leaves' boxes are handed to the method BVH.
static tact_result find_leaf_pairs(tact_pairs_job* job, kept_tree* kept)
{
    tact_volume_view leaves = *job->a;
    leaves.boxes = kept->fat;
    leaves.spheres = NULL;
    leaves.categories = NULL;
    tact_pairs_state state = {0};
    tact_pairs_job ask = {.env = job->env,
                          .threads = job->threads,
                          .a = &leaves,
                          .state_a = &state,
                          .end = UINT32_MAX,
                          .progress = job->progress,
                          .progress_user = job->progress_user};
    uint64_t total = 0;
    tact_result result = tact_pair_sinks_open(&ask, most_pairs(kept), NULL);
    if (result == TACT_OK) result = tact_pairs_bvh.find(&ask);
    if (result == TACT_OK) result = tact_pair_sinks_close(&ask, &total);
    job->tests += ask.tests;
    kept->too_many = result == TACT_OK && total > most_pairs(kept);
    if (result == TACT_OK && !kept->too_many) result = take_pairs(&ask, kept, total);
    tact_pair_sinks_release(&ask);
    tact_pairs_state_release(job->env, &state);
    return result;
}

/// The loop over the groups of l->from.
static tact_result run_groups(find_loop* l, kept_tree* from)
{
    if (!list_groups(from)) return TACT_ERROR_OUT_OF_MEMORY;
    l->from = from;
    return run(l, from->group_count, 16, ask_groups);
}

static tact_result find_within(find_loop* l, kept_tree* kept)
{
    TACT_ASSERT(kept->filled && kept->version == l->job->a->version);
    tact_result result = TACT_OK;
    if (kept->pairs_known && kept->changed_count > 0) result = update_pairs(l, kept);
    if (result == TACT_OK && !kept->pairs_known && !kept->too_many) result = find_leaf_pairs(l->job, kept);
    if (result != TACT_OK) return result;
    if (kept->pairs_known) {
        forget_changes(kept);
        real_loop loop = {l->job, kept->pairs.pairs};
        tact_parallel_for(l->job->threads, kept->pairs.count, 4096, test_real, &loop);
        l->counts[0].tests += kept->pairs.count;
        return TACT_OK;
    }
    l->to = kept;
    l->within = true;
    l->from_boxes = l->to_boxes = l->job->a->boxes;
    return run_groups(l, kept);
}

static tact_result find_between(find_loop* l, kept_tree* a, kept_tree* b)
{
    TACT_ASSERT(a->filled && b->filled);
    // The larger set asks: it has more groups for threads to share.
    l->swapped = b->tree.leaves > a->tree.leaves;
    l->to = l->swapped ? a : b;
    l->from_boxes = l->swapped ? l->job->b->boxes : l->job->a->boxes;
    l->to_boxes = l->swapped ? l->job->a->boxes : l->job->b->boxes;
    l->within = false;
    return run_groups(l, l->swapped ? b : a);
}

static size_t bytes_of(const kept_tree* k)
{
    return sizeof *k + k->tree.node_capacity * sizeof(tact_tree_node) + k->tree.leaf_capacity * sizeof(uint32_t) +
           k->order.memory_bytes + k->fat_capacity * sizeof(tact_aabb) +
           (k->changed_capacity + k->count_capacity + k->group_capacity) * sizeof(uint32_t) + k->touched_capacity +
           k->pairs.capacity * sizeof(tact_pair);
}

static tact_result find(tact_pairs_job* job)
{
    const double start = tact_platform_milliseconds();
    if (job->threads < 1) job->threads = 1;
    thread_counts* counts = tact_allocate_zeroed(job->env, (size_t)job->threads, sizeof *counts);
    if (!counts) return TACT_ERROR_OUT_OF_MEMORY;
    find_loop loop = {.job = job, .lanes = tact_pairs_lanes(), .counts = counts};
    kept_tree *a = NULL, *b = NULL;
    tact_result result = update(job, job->a, &job->state_a->kept[TACT_PAIRS_TREE], &a);
    if (result == TACT_OK && job->b) result = update(job, job->b, &job->state_b->kept[TACT_PAIRS_TREE], &b);
    job->build_ms = tact_platform_milliseconds() - start;
    if (result == TACT_OK) result = b ? find_between(&loop, a, b) : find_within(&loop, a);
    if (result == TACT_OK) {
        job->memory_bytes = bytes_of(a) + (b ? bytes_of(b) : 0);
        for (int i = 0; i < job->threads; ++i)
            job->tests += counts[i].tests;
    }
    tact_release(job->env, counts);
    return result;
}

static void release(tact_env* env, void* slot)
{
    kept_tree* kept = slot;
    tact_tree_release(&kept->tree);
    tact_box_order_release(env, &kept->order);
    tact_release(env, kept->fat);
    tact_release(env, kept->changed);
    tact_release(env, kept->counts);
    tact_release(env, kept->touched);
    tact_release(env, kept->groups);
    tact_release(env, kept->pairs.pairs);
    tact_release(env, kept);
}

const tact_pairs_way tact_pairs_tree = {TACT_PAIRS_TREE, find, release};
