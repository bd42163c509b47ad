// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>

#include "base/parallel.h"
#include "cpu_ref/trace/lanes.h"
#include "cpu_ref/trace/walk.h"

TACT_LANE_CHOICE(tact_trace_lane_table, TACT_LANE_TABLES(tact_trace_lanes), tact_trace_lanes)

enum {
    FEW = 1 << 10,    // rays that go one by one: sorting them, and memory for it, do not pay
    ALIKE = 16,       // and of those that may be packets
    SIDE = 8,         // of a square of a picture that is a packet
    LEAST = 16,       // rays of a packet that is a part of one
    PIECE = 1 << 10,  // least and most rays of a piece of work
    SLICE = 1 << 17,
    ROUND = 1 << 21  // numbers of rays are 32 bits wide, and progress is reported now and then
};
_Static_assert(SIDE* SIDE == TACT_PACKET_RAYS, "a square is a packet");

typedef struct cast {
    tact_trace_walk walk;  // first, since that is what hits are given to
    tact_hit best;
    uint32_t count;
} cast;

static void take_closest(tact_trace_walk* walk, uint32_t instance, uint32_t primitive, const TactTriangleHit* h)
{
    cast* c = (cast*)walk;
    if (!tact_trace_closer(h->t, instance, primitive, &c->best)) return;
    c->best = (tact_hit){instance, primitive, h->t, h->u, h->v};
    walk->limit = h->t;
}

static void take_any(tact_trace_walk* walk, uint32_t instance, uint32_t primitive, const TactTriangleHit* h)
{
    (void)instance;
    (void)primitive;
    (void)h;
    walk->done = true;
}

static void take_count(tact_trace_walk* walk, uint32_t instance, uint32_t primitive, const TactTriangleHit* h)
{
    (void)instance;
    (void)primitive;
    (void)h;
    ++((cast*)walk)->count;
}

static void cast_piece(const tact_trace_job* job, size_t begin, size_t end)
{
    static tact_trace_take_fn* const take[] = {take_closest, take_any, take_count};
    TACT_ASSERT(begin <= end && end <= job->count);
    // Of lists only the number is found here.
    const tact_ray_mode mode = job->mode < TACT_TRACE_LIST ? job->mode : TACT_RAY_COUNT;
    for (size_t i = begin; i < end; ++i) {
        const tact_ray* ray = &job->rays[i];
        cast c = {.walk = tact_trace_walk_begin(job->scene, job->rules, ray, i, take[mode])};
        c.walk.index = job->first + i;
        tact_trace_miss(ray, &c.best);
        tact_trace_walk_all(&c.walk);
        if (c.walk.done) c.best = (tact_hit){0};
        if (mode == TACT_RAY_COUNT) c.best = (tact_hit){.primitive = c.count};
        tact_trace_answer(job, i, &c.best);
    }
}

static void cast_few(const tact_trace_job* job, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i += TACT_FEW_RAYS)
        tact_trace_lanes()->few(job, i, end - i < TACT_FEW_RAYS ? end - i : TACT_FEW_RAYS, cast_piece);
}

/// What a thread works with.
typedef struct workspace {
    tact_stream_memory stream;
    tact_packet packet;
    uint32_t order[SLICE], octants[SLICE], sorted[SLICE];
    uint32_t left;  // rays in `sorted` that are to be cast as streams
} workspace;

struct tact_trace_spaces {
    workspace* spaces;            // one for each worker
    tact_parallel_place* places;  // likewise
    int workers;
};

typedef struct fast_job {
    const tact_trace_job* job;
    const tact_trace_lane_table* lanes;
    int workers;
    workspace* spaces;
    bool packets;   // are for this cast
    size_t row;     // rays in a row of a picture; 0: no picture
    float size[3];  // how far apart the origins of a packet's rays may be
} fast_job;

/// Puts rays in order that have nothing to do with each other: by the octants of their directions. How many are left to
/// cast.
static uint32_t sort_apart(const fast_job* f, workspace* space, uint32_t count)
{
    count = f->lanes->octants(f->job, space->order, count, space->octants, cast_piece);
    TACT_ASSERT(count <= SLICE);
    uint32_t next[8] = {0}, sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        ++next[space->octants[i]];
    for (int o = 0; o < 8; ++o) {
        const uint32_t here = next[o];
        next[o] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; ++i)
        space->sorted[next[space->octants[i]]++] = space->order[i];
    return count;
}

/// Casts a stream of those that a worker has put in order.
static void cast_stream(uint32_t part, int owner, int worker, void* user)
{
    enum { STREAM = TACT_STREAM_RAYS };
    const fast_job* f = user;
    const workspace* sorted = &f->spaces[owner];
    TACT_ASSERT(owner >= 0 && owner < f->workers && worker >= 0 && worker < f->workers);
    TACT_ASSERT(part * STREAM < sorted->left);
    const uint32_t begin = part * STREAM, left = sorted->left - begin;
    f->spaces[worker].stream.pool = f->job->pools ? &f->job->pools[worker] : NULL;
    f->lanes->streams(f->job, sorted->sorted + begin, left < STREAM ? left : STREAM, &f->spaces[worker].stream);
}

/// Whether packets fall apart among instances so small that few rays of each meet any of them: every entry costs what
/// bringing all rays into its frame does, and lists of a stream are longer.
static bool is_scattered(const tact_packet* p)
{
    enum { ENOUGH = 256 };
    return p->entries >= ENOUGH && p->entered < TACT_PACKET_WORTH * p->entries;
}

/// Whether large instances, such as the ground, stop so many rays that small ones are worth no look before.
static bool is_hidden(const tact_packet* p)
{
    enum { ENOUGH = 1024 };
    return p->large < ENOUGH || 2 * p->done >= p->large;
}

/// A packet, or else so many more that are cast apart.
static uint32_t try_packet(const fast_job* f, workspace* space, const uint32_t* order, uint32_t count, uint32_t left)
{
    TACT_ASSERT(count >= 1 && count <= TACT_PACKET_RAYS && left + count <= SLICE);
    tact_packet* p = &space->packet;
    p->choosy = p->choosy || (f->job->scene->instance_count > 1 && is_scattered(p));
    const bool apart = p->choosy && !(f->job->mode == TACT_RAY_ANY && is_hidden(p));
    if (!apart && f->lanes->packet(f->job, order, count, f->size, p)) {
        for (uint64_t rays = p->left; rays; rays &= rays - 1u)
            space->order[left++] = order[tact_lowest_bit_64(rays)];
        return left;
    }
    memcpy(space->order + left, order, count * sizeof *order);
    return left + count;
}

/// A ray's dominant axis and octant.
static uint32_t way_of(const tact_ray* r)
{
    const float x = fabsf(r->dx), y = fabsf(r->dy), z = fabsf(r->dz), most = x < y ? y : x;
    const uint32_t axis = most < z ? 2 : x < y ? 1 : 0;
    return axis << 3 | (uint32_t)(r->dx < 0.0f) | (uint32_t)(r->dy < 0.0f) << 1 | (uint32_t)(r->dz < 0.0f) << 2;
}

/// A square of a picture: a packet for each way that its rays go. There are several in the rows and columns where rays
/// begin to fall along an axis, such as the middle.
static uint32_t cast_square(const fast_job* f, workspace* space, const uint32_t* order, uint32_t count, uint32_t left)
{
    const tact_ray* rays = f->job->rays;
    uint32_t ways[TACT_PACKET_RAYS], some[TACT_PACKET_RAYS];
    const uint32_t first = way_of(&rays[order[0]]), corner = count < SIDE ? 0 : count - SIDE;
    if (way_of(&rays[order[count - 1]]) == first && way_of(&rays[order[count - 1 - corner]]) == first &&
        way_of(&rays[order[corner]]) == first)
        return try_packet(f, space, order, count, left);
    for (uint32_t i = 0; i < count; ++i)
        ways[i] = way_of(&rays[order[i]]);
    for (uint64_t rest = ~(uint64_t)0 >> (TACT_PACKET_RAYS - count); rest;) {
        const uint32_t way = ways[tact_lowest_bit_64(rest)];
        uint32_t n = 0;
        for (uint64_t bits = rest; bits; bits &= bits - 1u) {
            const uint32_t i = tact_lowest_bit_64(bits);
            if (ways[i] != way) continue;
            some[n++] = order[i];
            rest &= ~((uint64_t)1 << i);
        }
        if (n >= LEAST) {
            left = try_packet(f, space, some, n, left);
        } else {
            memcpy(space->order + left, some, n * sizeof *some);
            left += n;
        }
    }
    return left;
}

/// Whether rays at both ends and in the middle go the same way; if not, it is no use to look closer.
static bool may_be_packet(const tact_ray* rays, size_t count)
{
    TACT_ASSERT(count >= 1);
    const tact_ray *a = &rays[0], *b = &rays[count / 2], *c = &rays[count - 1];
    const bool same = (a->dx < 0.0f) == (b->dx < 0.0f) && (a->dy < 0.0f) == (b->dy < 0.0f) &&
                      (a->dz < 0.0f) == (b->dz < 0.0f) && (a->dx < 0.0f) == (c->dx < 0.0f) &&
                      (a->dy < 0.0f) == (c->dy < 0.0f) && (a->dz < 0.0f) == (c->dz < 0.0f);
    const float ab = fabsf(a->dx - b->dx) + fabsf(a->dy - b->dy) + fabsf(a->dz - b->dz);
    const float ac = fabsf(a->dx - c->dx) + fabsf(a->dy - c->dy) + fabsf(a->dz - c->dz);
    const float length = fabsf(a->dx) + fabsf(a->dy) + fabsf(a->dz);
    return same && ab <= length && ac <= length;
}

/// Rays in rows, some whole rows and maybe a part of one, as squares.
static uint32_t cast_rows(const fast_job* f, workspace* space, size_t begin, size_t end)
{
    TACT_ASSERT(f->row > 0 && begin < end && end <= f->job->count && end - begin <= SLICE);
    uint32_t left = 0;
    for (size_t top = begin; top < end; top += SIDE * f->row) {
        for (size_t x = 0; x < f->row; x += SIDE) {
            uint32_t order[TACT_PACKET_RAYS], n = 0;
            const bool whole = x + SIDE <= f->row && top + (SIDE - 1) * f->row + x + SIDE <= end;
            for (size_t y = 0; y < SIDE; ++y) {
                const size_t first = top + y * f->row + x;
                for (size_t i = 0; i < SIDE && whole; ++i)
                    order[y * SIDE + i] = (uint32_t)(first + i);
                for (size_t i = 0; i < SIDE && x + i < f->row && first + i < end && !whole; ++i)
                    order[n++] = (uint32_t)(first + i);
            }
            if (whole) n = TACT_PACKET_RAYS;
            if (n > 0) left = cast_square(f, space, order, n, left);
        }
    }
    return left;
}

/// Casts packets, and puts the other rays in order for streams; tells how many.
static uint32_t cast_packets(size_t begin, size_t end, int worker, void* user)
{
    const fast_job* f = user;
    workspace* space = &f->spaces[worker];
    TACT_ASSERT(worker >= 0 && worker < f->workers && end - begin <= SLICE);
    uint32_t left = 0;
    space->packet.entries = space->packet.entered = 0;
    space->packet.large = space->packet.done = 0;
    space->packet.choosy = false;
    space->packet.pool = f->job->pools ? &f->job->pools[worker] : NULL;
    if (f->row > 0) {
        left = cast_rows(f, space, begin, end);
    } else {
        for (size_t at = begin; at < end; at += TACT_PACKET_RAYS) {
            const size_t n = end - at < TACT_PACKET_RAYS ? end - at : TACT_PACKET_RAYS;
            uint32_t order[TACT_PACKET_RAYS];
            for (size_t i = 0; i < n; ++i)
                order[i] = (uint32_t)(at + i);
            if (f->packets && may_be_packet(f->job->rays + at, n)) {
                left = try_packet(f, space, order, (uint32_t)n, left);
            } else {
                memcpy(space->order + left, order, n * sizeof *order);
                left += (uint32_t)n;
            }
        }
    }
    space->left = left > 0 ? sort_apart(f, space, left) : 0;
    TACT_ASSERT(space->left <= end - begin);
    return (space->left + TACT_STREAM_RAYS - 1) / TACT_STREAM_RAYS;
}

/// Rays of a piece of work: so many that sorting them pays, so few that all threads have one. Of a picture, which need
/// not be sorted, so few that no thread waits for another's last piece, and whole squares.
static size_t piece_of(const fast_job* f)
{
    TACT_ASSERT(f->workers >= 1);
    enum { SQUARES = 1 << 16 };
    const size_t most = f->row > 0 ? SQUARES : SLICE, share = f->job->count / ((size_t)f->workers * 2) + 1;
    size_t piece = share < most ? share : most;
    if (piece < PIECE) piece = PIECE;
    if (f->row == 0) return piece;
    const size_t band = 8 * f->row;
    return band >= piece ? band : piece / band * band;
}

tact_trace_spaces* tact_trace_spaces_make(tact_env* env, int threads, size_t rays)
{
    const size_t most = threads > 0 ? (size_t)threads : 1, pieces = rays / PIECE + 1;
    tact_trace_spaces* spaces = tact_allocate(env, 1, sizeof *spaces);
    if (!spaces) return NULL;
    *spaces = (tact_trace_spaces){.workers = (int)(most < pieces ? most : pieces)};
    spaces->spaces = tact_allocate(env, (size_t)spaces->workers, sizeof *spaces->spaces);
    spaces->places = spaces->spaces ? tact_allocate(env, (size_t)spaces->workers, sizeof *spaces->places) : NULL;
    if (spaces->places) return spaces;
    tact_trace_spaces_free(env, spaces);
    return NULL;
}

void tact_trace_spaces_free(tact_env* env, tact_trace_spaces* spaces)
{
    if (!spaces) return;
    tact_release(env, spaces->places);
    tact_release(env, spaces->spaces);
    tact_release(env, spaces);
}

size_t tact_trace_round(tact_trace_spaces* spaces, const tact_trace_job* job, size_t begin, size_t most, tact_hit* hits)
{
    TACT_ASSERT(begin < job->count && most >= 1 && most <= ROUND && job->scene->wide_top_count >= 1);
    tact_trace_job part = *job;
    tact_ray_rules rules;
    part.rays += begin;
    part.hits = hits;
    if (part.occluded) part.occluded += begin;
    part.first += begin;
    if (job->rules && job->rules->masks) {
        rules = *job->rules;
        rules.masks += begin;
        part.rules = &rules;
    }
    const tact_bvh_box bounds = tact_bvh8_bounds(&job->scene->wide_top[0]);
    fast_job f = {.job = &part,
                  .lanes = tact_trace_lanes(),
                  .workers = spaces->workers,
                  .spaces = spaces->spaces,
                  .packets = tact_trace_is_plain(job->scene, job->rules) && job->mode != TACT_TRACE_NEAREST};
    for (int k = 0; k < 3; ++k)
        f.size[k] = 0.05f * (bounds.upper[k] - bounds.lower[k]);
    const size_t left = job->count - begin;
    f.row = f.packets ? tact_reorder_find_rows(part.rays, left) : 0;
    if (8 * f.row > SLICE) f.row = 0;
    part.count = left < most ? left : most;
    if (f.row > 0 && left > most && most >= 8 * f.row) part.count = most / (8 * f.row) * (8 * f.row);
    tact_parallel_for_parts(f.workers, part.count, piece_of(&f), spaces->places, cast_packets, cast_stream, &f);
    return part.count;
}

static tact_result cast_all(tact_env* env, const tact_trace_job* job)
{
    tact_trace_spaces* spaces = tact_trace_spaces_make(env, job->threads, job->count);
    tact_result result = spaces ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t begin = 0; result == TACT_OK && begin < job->count;) {
        begin += tact_trace_round(spaces, job, begin, ROUND, job->occluded ? NULL : job->hits + begin);
        const double done = (double)begin / (double)job->count;
        if (job->progress && !job->progress(done, job->progress_user)) {
            result = tact_fail(env, TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
        }
    }
    tact_trace_spaces_free(env, spaces);
    return result;
}

tact_result tact_raycast_cpu(tact_env* env, const tact_trace_job* job)
{
    const tact_trace_scene* scene = job->scene;
    TACT_ASSERT(job->count == 0 || (job->rays && !job->hits == (job->occluded != NULL)));
    TACT_ASSERT(scene->stretch >= 1.0f);
    if (scene->instance_count == 0) return tact_trace_batch(env, job, cast_piece, (size_t)1 << 18, 256);
    const bool packets = tact_trace_is_plain(scene, job->rules);
    if (job->count < ALIKE || (job->count < FEW && !(packets && may_be_packet(job->rays, job->count)))) {
        return tact_trace_batch(env, job, cast_few, (size_t)1 << 18, 256);
    }
    return cast_all(env, job);
}
