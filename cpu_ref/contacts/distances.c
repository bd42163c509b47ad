// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/contacts/distances.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/contacts/part_boxes.h"

/// A device's asks have as many items worked out ahead, for a bound.
enum { GRAIN = 16, SLICE = 1 << 12, AHEAD = 4 };

// ---- Items ----

static bool is_surface(const tact_gaps_job* job, uint32_t row)
{
    // Shapes that are asked about have no parts.
    return row < job->body_count && tact_shape_kind(job->tables, job->bodies[row].shape) == TACT_KIND_MESH;
}

bool tact_gap_needs_contact(const tact_gaps_job* job, tact_near_item item, const tact_gap_found* found)
{
    const bool matters = found->state == TACT_GAP_CLOSE || (found->state == TACT_GAP_TOUCH && !job->overlap);
    return matters && !(is_surface(job, item.a) && is_surface(job, item.b));
}

void tact_gap_contact_rows(const tact_gaps_job* job, tact_near_item item, const tact_gap_found* found,
                           float4 rows[2 * TACT_POSED_ROWS])
{
    memcpy(rows, job->rows + TACT_POSED_ROWS * (size_t)item.a, TACT_POSED_ROWS * sizeof *rows);
    memcpy(rows + TACT_POSED_ROWS, job->rows + TACT_POSED_ROWS * (size_t)item.b, TACT_POSED_ROWS * sizeof *rows);
    rows[1].w = found->margin;
    rows[TACT_POSED_ROWS + 1].w = 0.0f;
}

static void put_vec(float to[3], TactVec v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

static TactVec vec_of(const float v[3])
{
    return tact_vec(v[0], v[1], v[2]);
}

/// Moves a point along the normal by the radius of a part.
static void add_radius(const tact_gaps_job* job, uint32_t row, uint32_t part, const float normal[3], float sign,
                       float at[3])
{
    const TactShapes shapes = tact_shapes_of(job->tables);
    const TactPart of = tact_part_of(&shapes, tact_body_of(job->rows, row), part);
    put_vec(at, tact_contact_vec(tact_more(vec_of(at), vec_of(normal), sign * of.core.radius)));
}

/// Cores that are close have the closest points already, and of the contact the normal and the distance.
static void settle_close(const tact_gaps_job* job, tact_near_item item, const tact_contact* contact,
                         const tact_contact_point* deepest, tact_gap_found* found)
{
    if (contact->count > 0) {
        put_vec(found->normal, tact_vec(contact->normal.x, contact->normal.y, contact->normal.z));
        // What is shown to be apart does not overlap; and a contact of closest points shows no more than is known.
        if (deepest->separation > found->distance && !(deepest->feature & TACT_FEATURE_CLOSEST))
            found->distance = deepest->separation;
    }
    add_radius(job, item.a, item.part_a, found->normal, 1.0f, found->on_a);
    add_radius(job, item.b, item.part_b, found->normal, -1.0f, found->on_b);
}

/// Cores that overlap have all from the contact; without one they stay as the search for the distance found them.
static void settle_deep(const tact_gaps_job* job, tact_near_item item, const tact_contact* contact,
                        const tact_contact_point* deepest, tact_gap_found* found)
{
    if (contact->count == 0) return;
    const TactVec way = tact_vec(contact->normal.x, contact->normal.y, contact->normal.z);
    const TactVec at = tact_vec(deepest->at.x, deepest->at.y, deepest->at.z);
    const TactVec between = tact_between_bodies(tact_body_of(job->rows, item.a), tact_body_of(job->rows, item.b));
    const float half = 0.5f * deepest->separation;
    put_vec(found->normal, way);
    // Each from its own body, of which one is the contact's origin.
    const float from_a = contact->origin == contact->a ? 1.0f : 0.0f, from_b = 1.0f - from_a;
    put_vec(found->on_a, tact_contact_vec(tact_more(tact_more(at, between, from_b), way, -half)));
    put_vec(found->on_b, tact_contact_vec(tact_more(tact_more(at, between, -from_a), way, half)));
    // What overlaps is not apart, however its contact is rounded.
    found->distance = deepest->separation < 0.0f ? deepest->separation : 0.0f;
}

void tact_gap_settle(const tact_gaps_job* job, tact_near_item item, const tact_contact* contact, tact_gap_found* found)
{
    const tact_contact_point* deepest = &contact->point[0];
    for (uint32_t k = 1; k < contact->count; ++k)
        if (contact->point[k].separation < deepest->separation) deepest = &contact->point[k];
    if (found->state == TACT_GAP_CLOSE) {
        settle_close(job, item, contact, deepest, found);
    } else {
        settle_deep(job, item, contact, deepest, found);
    }
}

/// Works an item out, with its contact where that has the depth. What is farther apart than `most` may be left.
static void measure(const tact_gaps_job* job, const TactShapes* shapes, tact_near_item item, float most,
                    tact_gap_found* found)
{
    const tact_contact_lanes* lanes = tact_contact_lanes_best();
    const tact_pair parts = {item.part_a, item.part_b};
    TactGap gap;
    if (job->reference) {
        gap = tact_body_gap(shapes, tact_body_of(job->rows, item.a), tact_body_of(job->rows, item.b), item.part_a,
                            item.part_b, most);
    } else {
        gap = lanes->gap(shapes, job->rows, (tact_pair){item.a, item.b}, parts, most);
    }
    *found = (tact_gap_found){.distance = gap.distance, .state = gap.state, .margin = gap.margin};
    put_vec(found->normal, gap.way);
    put_vec(found->on_a, gap.on_a);
    put_vec(found->on_b, gap.on_b);
    if (!tact_gap_needs_contact(job, item, found)) return;
    float4 rows[2 * TACT_POSED_ROWS];
    tact_contact contact;
    tact_gap_contact_rows(job, item, found, rows);
    if (job->reference) {
        const TactManifold m =
            tact_body_contact(shapes, tact_body_of(rows, 0), tact_body_of(rows, 1), item.part_a, item.part_b);
        contact = tact_contact_of((tact_pair){item.a, item.b}, parts, &m);
    } else {
        const tact_pair two = {0, 1};
        const tact_contacts_job one = {
            .tables = job->tables, .bodies = rows, .pairs = &two, .parts = &parts, .count = 1, .contacts = &contact};
        lanes->one(&one, shapes, 0);
    }
    tact_gap_settle(job, item, &contact, found);
}

/// The largest distance that counts for an ask.
static float limit_of(const tact_gaps_job* job, size_t number)
{
    if (job->nearest) return job->nearest[number].farthest;
    return job->overlap ? 0.0f : job->farthest;
}

/// Whether an item comes before the best one: where it is nearer, or else by its numbers.
static bool is_before(tact_near_item item, float distance, const tact_gap_best* best)
{
    if (best->found.state == TACT_GAP_NONE) return true;
    if (distance != best->found.distance) return distance < best->found.distance;
    if (item.a != best->item.a) return item.a < best->item.a;
    if (item.part_a != best->item.part_a) return item.part_a < best->item.part_a;
    return item.part_b < best->item.part_b;
}

static void take(const tact_gaps_job* job, size_t number, tact_near_item item, const tact_gap_found* found,
                 tact_gap_best* best)
{
    if (found->state == TACT_GAP_NONE || !(found->distance <= limit_of(job, number))) return;
    if (is_before(item, found->distance, best)) *best = (tact_gap_best){item, *found};
}

// ---- The nearest item of an ask ----

typedef struct search {
    const tact_gaps_job* job;
    const TactShapes* shapes;
    size_t number;  // of the ask
    tact_gap_best* best;
    uint32_t left;  // items that may be worked out still
} search;

static double consider(tact_near_item item, double least, void* user)
{
    search* s = user;
    const tact_gaps_job* job = s->job;
    const bool there = s->best->found.state != TACT_GAP_NONE;
    float most = there ? s->best->found.distance : limit_of(job, s->number);
    if (most < 0.0f) most = 0.0f;
    tact_gap_found found;
    measure(job, s->shapes, item, job->reference ? TACT_GAP_ENDLESS : most, &found);
    // The boxes of both parts are no farther apart: so no nearest item is left out.
    TACT_ASSERT(found.state == TACT_GAP_NONE || (double)found.distance >= least);
    (void)least;
    take(job, s->number, item, &found, s->best);
    if (--s->left == 0) return TACT_NEAR_STOP;
    if (s->best->found.state == TACT_GAP_NONE) return (double)limit_of(job, s->number);
    return job->overlap ? TACT_NEAR_STOP : (double)s->best->found.distance;
}

/// Visits the items of an ask that may be within a bound.
static void walk(const tact_gaps_job* job, size_t number, double bound, tact_near_fn* visit, void* user)
{
    tact_near_walk w = {.tables = job->tables, .all = job->reference, .bound = bound, .visit = visit, .user = user};
    if (job->nearest) {
        const tact_gap_asked* asked = &job->nearest[number];
        const uint32_t row = (uint32_t)(job->body_count + number);
        tact_near_bodies(&w, &job->set, (tact_near_body){&asked->body, row}, &asked->box);
        return;
    }
    const tact_pair pair = job->pairs[number];
    tact_near_parts(&w, (tact_near_body){&job->bodies[pair.a], pair.a}, (tact_near_body){&job->bodies[pair.b], pair.b});
}

/// Finds the nearest item, or the best of the first `most` ones.
static void search_ask(const tact_gaps_job* job, const TactShapes* shapes, size_t number, uint32_t most,
                       tact_gap_best* best)
{
    search s = {job, shapes, number, best, most};
    memset(best, 0, sizeof *best);
    walk(job, number, (double)limit_of(job, number), consider, &s);
}

typedef struct asks_loop {
    const tact_gaps_job* job;
    TactShapes shapes;
    size_t first;
    tact_gap_best* best;
    tact_gap_items* items;
} asks_loop;

static void search_all(size_t begin, size_t end, int worker, void* user)
{
    const asks_loop* l = user;
    (void)worker;
    for (size_t i = l->first + begin; i < l->first + end; ++i)
        search_ask(l->job, &l->shapes, i, UINT32_MAX, &l->best[i]);
}

tact_result tact_gaps_run(tact_env* env, const tact_gaps_job* job, tact_gap_best* best)
{
    asks_loop loop = {.job = job, .shapes = tact_shapes_of(job->tables), .best = best};
    while (loop.first < job->count) {
        const size_t left = job->count - loop.first, size = job->progress && left > SLICE ? SLICE : left;
        tact_parallel_for(job->reference ? 1 : job->threads, size, GRAIN, search_all, &loop);
        loop.first += size;
        if (job->progress && !job->progress((double)loop.first / (double)job->count, job->progress_user))
            return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled");
    }
    return TACT_OK;
}

// ---- Items for a device ----

/// What is within an ask's bound, counted or listed.
typedef struct gathered {
    double bound;
    tact_near_item* items;  // NULL: they are counted
    size_t count;
} gathered;

static double gather(tact_near_item item, double least, void* user)
{
    gathered* g = user;
    (void)least;
    if (g->items) g->items[g->count] = item;
    ++g->count;
    return g->bound;
}

/// Whether an ask has more items than one.
static bool has_many(const tact_gaps_job* job, size_t number)
{
    if (job->nearest) return true;
    const tact_pair pair = job->pairs[number];
    const tact_shape_bounds* bounds = job->tables->bounds;
    return bounds[job->bodies[pair.a].shape].tree.nodes || bounds[job->bodies[pair.b].shape].tree.nodes;
}

static void count_all(size_t begin, size_t end, int worker, void* user)
{
    const asks_loop* l = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        float bound = limit_of(l->job, i);
        if (!l->job->overlap && has_many(l->job, i)) {
            tact_gap_best best;
            search_ask(l->job, &l->shapes, i, AHEAD, &best);
            if (best.found.state != TACT_GAP_NONE) bound = best.found.distance;
        }
        l->items->bounds[i] = bound;
        gathered g = {.bound = (double)bound};
        walk(l->job, i, g.bound, gather, &g);
        l->items->first[i] = g.count;
    }
}

static void fill_all(size_t begin, size_t end, int worker, void* user)
{
    const asks_loop* l = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        gathered g = {.bound = (double)l->items->bounds[i], .items = l->items->items + l->items->first[i]};
        walk(l->job, i, g.bound, gather, &g);
        TACT_ASSERT(l->items->first[i] + g.count == l->items->first[i + 1]);
    }
}

tact_result tact_gap_items_find(tact_env* env, const tact_gaps_job* job, tact_gap_items* items)
{
    asks_loop loop = {.job = job, .shapes = tact_shapes_of(job->tables), .items = items};
    void *list = items->items, *found = items->found, *first = items->first, *bounds = items->bounds;
    items->count = 0;
    bool good = tact_reserve(env, &first, &items->first_capacity, 0, job->count + 1, sizeof *items->first);
    items->first = first;
    good = good && tact_reserve(env, &bounds, &items->bound_capacity, 0, job->count, sizeof *items->bounds);
    items->bounds = bounds;
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(job->threads, job->count, GRAIN, count_all, &loop);
    const size_t total = tact_begins_of(items->first, job->count);
    if (total > TACT_MAX_PAIRS) return tact_fail(env, TACT_ERROR_LIMIT, "%zu pairs of parts: at most 2^30", total);
    good = tact_reserve(env, &list, &items->item_capacity, 0, total, sizeof *items->items);
    items->items = list;
    good = good && tact_reserve(env, &found, &items->found_capacity, 0, total, sizeof *items->found);
    items->found = found;
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    items->count = total;
    tact_parallel_for(job->threads, job->count, GRAIN, fill_all, &loop);
    return TACT_OK;
}

void tact_gap_items_release(tact_env* env, tact_gap_items* items)
{
    tact_release(env, items->items);
    tact_release(env, items->found);
    tact_release(env, items->first);
    tact_release(env, items->bounds);
    memset(items, 0, sizeof *items);
}

void tact_gap_items_choose(const tact_gaps_job* job, const tact_gap_items* items, tact_gap_best* best)
{
    for (size_t i = 0; i < job->count; ++i) {
        memset(&best[i], 0, sizeof best[i]);
        for (size_t k = items->first[i]; k < items->first[i + 1]; ++k)
            take(job, i, items->items[k], &items->found[k], &best[i]);
    }
}

// ---- Rows ----

static tact_vec3 vec3_of(const float v[3])
{
    return (tact_vec3){v[0], v[1], v[2]};
}

tact_body_distance_row tact_gap_distance(const tact_gaps_job* job, tact_pair pair, const tact_gap_best* best)
{
    const tact_gap_found* found = &best->found;
    tact_body_distance_row row = {.a = pair.a, .b = pair.b, .distance = INFINITY};
    if (found->state == TACT_GAP_NONE) return row;
    row.distance = 0.0f;
    if (job->overlap) return row;
    row.part_a = best->item.part_a;
    row.part_b = best->item.part_b;
    row.distance = found->distance;
    row.normal = vec3_of(found->normal);
    row.on_a = vec3_of(found->on_a);
    row.on_b = vec3_of(found->on_b);
    return row;
}

tact_body_nearest tact_gap_nearest(size_t number, const tact_gap_best* best)
{
    const tact_gap_found* found = &best->found;
    tact_body_nearest row = {.item = (uint32_t)number, .body = TACT_CONTACT_NONE, .distance = INFINITY};
    if (found->state == TACT_GAP_NONE) return row;
    row.body = best->item.a;
    row.part = best->item.part_a;
    row.distance = found->distance;
    row.normal = vec3_of(found->normal);
    row.on_body = vec3_of(found->on_a);
    row.on_item = vec3_of(found->on_b);
    return row;
}
