// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What becomes of casts' items on the CPU, and the rows of hits that they make.

#include "cpu_ref/contacts/casts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"

/// Of casts whose shapes have parts, slices are smaller.
enum { GRAIN = 16, SLICE = 1 << 12, PARTS_SLICE = 1 << 6 };

// ---- Items ----

/// Advances an item, for as long as its fraction is not beyond `most`.
static tact_cast_outcome advance(const tact_casts_job* job, const TactShapes* shapes, const tact_cast_item* item,
                                 double most)
{
    uint4 rows[TACT_CAST_ITEM_ROWS];
    memcpy(rows, item, sizeof rows);
    const uint32_t row = (uint32_t)job->body_count + 2 * item->cast;
    const TactCast cast = tact_cast_of(shapes, job->rows, row, rows[0], rows[1], rows[2], rows[3]);
    const TactBodyRow body = tact_body_of(job->rows, item->body);
    const bool one_sided = tact_part_is_one_sided(shapes, body);
    const TactPart part = tact_cast_part(tact_part_of(shapes, body, item->part));
    TactCastState s = tact_cast_begin(shapes, cast, part);
    for (uint32_t step = 0; step < TACT_CAST_STEPS && s.state == TACT_CAST_MOVING; ++step) {
        if (tact_cast_fraction(item, s.along) > most) s.state = TACT_CAST_NONE;
        if (s.state == TACT_CAST_MOVING)
            s = tact_cast_step(shapes, cast, part, one_sided, step + 1 == TACT_CAST_STEPS, s);
    }
    return (tact_cast_outcome){s.along, s.state};
}

/// Whether an item that ends at a fraction comes before the best one: earlier, or else by its numbers.
static bool is_before(const tact_cast_item* item, double fraction, const tact_cast_best* best, double best_fraction)
{
    const tact_cast_item* other = &best->item;
    if (best->outcome.state != TACT_CAST_HIT) return true;
    if (fraction != best_fraction) return fraction < best_fraction;
    if (item->body != other->body) return item->body < other->body;
    if (item->part != other->part) return item->part < other->part;
    return item->cast_part < other->cast_part;
}

/// A search for the first hit of a cast.
typedef struct search {
    const tact_casts_job* job;
    const TactShapes* shapes;
    tact_cast_best* best;
    double fraction;  // of the best item
    uint32_t left;    // items that may be worked out still
} search;

static double consider(const tact_cast_item* item, void* user)
{
    search* s = user;
    // None ends before it begins.
    const double begin = tact_cast_fraction(item, 0.0f);
    if (!is_before(item, begin, s->best, s->fraction)) return s->fraction;
    const tact_cast_outcome outcome = advance(s->job, s->shapes, item, s->fraction);
    const double fraction = tact_cast_fraction(item, outcome.along);
    if (outcome.state == TACT_CAST_HIT && is_before(item, fraction, s->best, s->fraction)) {
        *s->best = (tact_cast_best){*item, outcome};
        s->fraction = fraction;
    }
    return --s->left == 0 ? -1.0 : s->fraction;
}

void tact_cast_search(const tact_casts_job* job, const TactShapes* shapes, size_t number, uint32_t most,
                      tact_cast_best* best)
{
    search s = {job, shapes, best, TACT_CAST_UNBOUND, most};
    *best = (tact_cast_best){.outcome = {0.0f, TACT_CAST_NONE}};
    tact_cast_walk_items(job, number, consider, &s);
}

typedef struct casts_loop {
    const tact_casts_job* job;
    tact_cast_items* items;
    TactShapes shapes;
    size_t first;
} casts_loop;

static void run_casts(size_t begin, size_t end, int worker, void* user)
{
    const casts_loop* l = user;
    const tact_cast_items* all = l->items;
    (void)worker;
    for (size_t i = l->first + begin; i < l->first + end; ++i) {
        if (tact_casts_are_searched(l->job)) {
            tact_cast_best found;
            tact_cast_search(l->job, &l->shapes, i, UINT32_MAX, &found);
            all->items[all->first[i]] = found.item;
            all->outcomes[all->first[i]] = found.outcome;
            continue;
        }
        for (size_t k = all->first[i]; k < all->first[i + 1]; ++k)
            all->outcomes[k] = advance(l->job, &l->shapes, &all->items[k], TACT_CAST_UNBOUND);
    }
}

tact_result tact_casts_run(tact_env* env, const tact_casts_job* job, tact_cast_items* items)
{
    casts_loop loop = {job, items, tact_shapes_of(job->tables), 0};
    const size_t most = job->tables->with_parts ? PARTS_SLICE : SLICE;
    while (loop.first < job->cast_count) {
        const size_t left = job->cast_count - loop.first, size = job->progress && left > most ? most : left;
        tact_parallel_for(job->reference ? 1 : job->threads, size, GRAIN, run_casts, &loop);
        loop.first += size;
        if (job->progress && !job->progress((double)loop.first / (double)job->cast_count, job->progress_user))
            return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled");
    }
    return TACT_OK;
}

// ---- Rows of hits ----

/// The cast's shape where it is at a time, as a body beside those of the set.
static TactBodyRow mover_at(const tact_casts_job* job, const tact_body_cast* cast, uint32_t number, double time)
{
    const float4* rows = job->rows + TACT_POSED_ROWS * job->body_count + (size_t)TACT_CAST_ROWS * number;
    const float4 d = rows[TACT_POSED_ROWS];
    tact_pose pose = cast->from;
    pose.x += time * (cast->to.x - cast->from.x);
    pose.y += time * (cast->to.y - cast->from.y);
    pose.z += time * (cast->to.z - cast->from.z);
    const double q[4] = {(double)pose.rotation.x + time * (double)d.x, (double)pose.rotation.y + time * (double)d.y,
                         (double)pose.rotation.z + time * (double)d.z, (double)pose.rotation.w + time * (double)d.w};
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    pose.rotation =
        (tact_quat){(float)(q[0] / length), (float)(q[1] / length), (float)(q[2] / length), (float)(q[3] / length)};
    float4 there[TACT_POSED_ROWS];
    tact_body_rows(&pose, cast->shape, cast->margin, there);
    return tact_body_of(there, 0);
}

static tact_vec3 vec3_of(TactVec v)
{
    return (tact_vec3){v.x, v.y, v.z};
}

/// The direction between the positions, or upwards where there is none.
static TactVec between_positions(TactBodyRow from, TactBodyRow to)
{
    const TactVec v = tact_between_bodies(from, to);
    const double x = (double)v.x, y = (double)v.y, z = (double)v.z, length = sqrt(x * x + y * y + z * z);
    if (!(length > 1e-30)) return tact_vec(0.0f, 1.0f, 0.0f);
    return tact_contact_vec(tact_vec((float)(x / length), (float)(y / length), (float)(z / length)));
}

/// The place and the normal of a hit: those of the contact there; where there is none, of the closest points.
static void describe(const tact_casts_job* job, const TactShapes* shapes, const tact_cast_item* item, float along,
                     tact_body_cast_hit* hit)
{
    TactBodyRow body = tact_body_of(job->rows, item->body);
    TactBodyRow mover = mover_at(job, &job->casts[item->cast], item->cast, tact_cast_fraction(item, along));
    body.margin = 0.0f;
    const TactPart part = tact_part_of(shapes, body, item->part);
    const TactCore core = tact_part_of(shapes, mover, item->cast_part).core;
    // What is close enough to end a cast is so after another rounding, too.
    mover.margin += (part.core.extent + part.core.radius + core.extent + core.radius + mover.margin) * 0x1p-15f;
    const TactPart own = tact_part_of(shapes, mover, item->cast_part);
    const TactMeeting w = tact_meeting(part.row, own.row, part.core, core);
    // Two triangles have no contact.
    const bool surfaces = w.a.kind == TACT_KIND_TRIANGLE && w.b.kind == TACT_KIND_TRIANGLE;
    TactManifold m = tact_no_manifold();
    if (!surfaces) m = tact_body_contact(shapes, body, mover, item->part, item->cast_part);
    TactDistance d = tact_no_distance();
    if (w.a.kind != TACT_KIND_HALF_SPACE) d = tact_core_distance(shapes, w.a, w.b, w.placed, 3.40282347e38f, w.noise);
    const bool apart = d.distance > 0.0f || surfaces;
    const TactVec way = apart ? tact_meeting_way(w, d.way) : between_positions(part.row, own.row);
    // Of a triangle the contact's is that of the side where the position is, which may be through it before the shape.
    if (m.count > 0 && (!apart || tact_dot_vec(m.way, way) > 0.0f)) {
        uint32_t deepest = 0;
        for (uint32_t k = 1; k < m.count; ++k)
            if (m.apart[k] < m.apart[deepest]) deepest = k;
        TactVec at = tact_more(m.at[deepest], m.way, -0.5f * m.apart[deepest]);
        if (m.from_b) at = tact_more(at, tact_between_bodies(body, mover), 1.0f);
        hit->normal = vec3_of(m.way);
        hit->at = vec3_of(tact_contact_vec(at));
        return;
    }
    TactVec place = tact_vec(0.0f, 0.0f, 0.0f);
    if (apart)
        place = tact_meeting_place(w, tact_more(tact_simplex_on_a(shapes, w.a, d.simplex), d.way, w.a.radius), false);
    hit->normal = vec3_of(way);
    hit->at = vec3_of(tact_contact_vec(tact_more(place, part.offset, 1.0f)));
}

typedef struct hits_loop {
    const tact_casts_job* job;
    const tact_cast_items* items;
    tact_cast_hits* hits;
    uint32_t* chosen;  // an item for each row; TACT_CONTACT_NONE: none
    TactShapes shapes;
} hits_loop;

static void describe_all(size_t begin, size_t end, int worker, void* user)
{
    const hits_loop* l = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        tact_body_cast_hit* hit = &l->hits->hits[i];
        if (l->chosen[i] == TACT_CONTACT_NONE) {
            *hit = (tact_body_cast_hit){.cast = (uint32_t)i, .body = TACT_CONTACT_NONE, .fraction = 1.0};
            continue;
        }
        const tact_cast_item* item = &l->items->items[l->chosen[i]];
        const float along = l->items->outcomes[l->chosen[i]].along;
        *hit = (tact_body_cast_hit){.cast = item->cast,
                                    .body = item->body,
                                    .part = item->part,
                                    .cast_part = item->cast_part,
                                    .fraction = tact_cast_fraction(item, along)};
        describe(l->job, &l->shapes, item, along, hit);
    }
}

/// An item that hits, as the order of hits sees it.
typedef struct ranked {
    double fraction;
    uint32_t body, part, cast_part, item;
} ranked;

static ranked rank_of(const tact_cast_items* items, size_t k)
{
    const tact_cast_item* item = &items->items[k];
    return (ranked){tact_cast_fraction(item, items->outcomes[k].along), item->body, item->part, item->cast_part,
                    (uint32_t)k};
}

static int compare_ranked(const void* p, const void* q)
{
    const ranked *a = p, *b = q;
    if (a->fraction != b->fraction) return a->fraction < b->fraction ? -1 : 1;
    if (a->body != b->body) return a->body < b->body ? -1 : 1;
    if (a->part != b->part) return a->part < b->part ? -1 : 1;
    return (a->cast_part > b->cast_part) - (a->cast_part < b->cast_part);
}

/// The first item of a cast that hits.
static uint32_t first_of(const tact_cast_items* items, size_t cast)
{
    ranked best = {TACT_CAST_UNBOUND, TACT_CONTACT_NONE, TACT_CONTACT_NONE, TACT_CONTACT_NONE, TACT_CONTACT_NONE};
    for (size_t k = items->first[cast]; k < items->first[cast + 1]; ++k) {
        const ranked one = rank_of(items, k);
        if (items->outcomes[k].state == TACT_CAST_HIT && compare_ranked(&one, &best) < 0) best = one;
    }
    return best.item;
}

/// All items of a cast that hit, in order, from chosen[count] on. Returns how many there are.
static size_t all_of(const tact_cast_items* items, size_t cast, ranked* room, uint32_t* chosen)
{
    size_t count = 0;
    for (size_t k = items->first[cast]; k < items->first[cast + 1]; ++k) {
        if (items->outcomes[k].state != TACT_CAST_HIT) continue;
        room[count++] = rank_of(items, k);
    }
    qsort(room, count, sizeof *room, compare_ranked);
    for (size_t i = 0; i < count; ++i)
        chosen[i] = room[i].item;
    return count;
}

tact_result tact_cast_hits_make(tact_env* env, const tact_casts_job* job, const tact_cast_items* items,
                                tact_cast_hits* hits)
{
    void *rows = hits->hits, *offsets = hits->offsets;
    const size_t most = job->all ? items->count : job->cast_count;
    bool good = tact_reserve(env, &offsets, &hits->offset_capacity, 0, job->cast_count + 1, sizeof *hits->offsets);
    hits->offsets = offsets;
    uint32_t* chosen = tact_allocate(env, most, sizeof *chosen);
    ranked* room = tact_allocate(env, job->all ? items->count : 0, sizeof *room);
    size_t count = 0;
    hits->count = 0;
    for (size_t i = 0; i < job->cast_count && good && chosen && room; ++i) {
        hits->offsets[i] = count;
        if (job->all) {
            count += all_of(items, i, room, chosen + count);
        } else {
            chosen[count++] = first_of(items, i);
        }
    }
    good = good && chosen && room && tact_reserve(env, &rows, &hits->hit_capacity, 0, count, sizeof *hits->hits);
    hits->hits = rows;
    if (good) {
        hits_loop loop = {job, items, hits, chosen, tact_shapes_of(job->tables)};
        hits->offsets[job->cast_count] = count;
        hits->count = count;
        tact_parallel_for(job->reference ? 1 : job->threads, count, GRAIN, describe_all, &loop);
    }
    tact_release(env, room);
    tact_release(env, chosen);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

void tact_cast_hits_release(tact_env* env, tact_cast_hits* hits)
{
    tact_release(env, hits->hits);
    tact_release(env, hits->offsets);
    memset(hits, 0, sizeof *hits);
}
