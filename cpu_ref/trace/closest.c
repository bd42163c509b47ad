// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/closest.h"

#include "base/parallel.h"
#include "cpu_ref/trace/closest_found.h"
#include "cpu_ref/trace/lanes.h"
#include "kernels/closest_bent.h"

typedef struct search {
    tact_near_walk walk;  // first, since that is what triangles are given to
    float x, y, z;
    TactClosest best;
    TactShapeClosest shape;  // the best, when `is_shape`
    bool is_shape;
    uint32_t instance, primitive;
    float corners[3][3];  // of the best triangle
} search;

TactShapeClosest tact_closest_to_bent(const tact_trace_scene* scene, const tact_trace_instance* in,
                                      const tact_trace_shape* shape, const tact_closest_query* q, float gate2,
                                      float limit2)
{
    TACT_ASSERT(in->bent && in->kind != TACT_KIND_TRIANGLES);
    return tact_bent_closest(q->x, q->y, q->z, tact_trace_shape_of(shape), in->kind, tact_closest_row(scene, in, 0),
                             tact_closest_row(scene, in, 1), tact_closest_row(scene, in, 2), gate2, limit2);
}

float tact_closest_square(const tact_trace_scene* scene, const tact_closest_query* q, uint32_t instance,
                          uint32_t primitive)
{
    TACT_ASSERT(instance < scene->by_id_count && scene->by_id[instance].mesh != TACT_NONE);
    const tact_trace_instance* in = &scene->by_id[instance];
    const tact_trace_mesh* mesh = &scene->meshes[in->mesh];
    TACT_ASSERT(primitive < mesh->triangle_count + mesh->shape_count);
    const float gate2 = tact_box_gap2(q->x, q->y, q->z, in->lower[0], in->lower[1], in->lower[2], in->upper[0],
                                      in->upper[1], in->upper[2]);
    if (mesh->kind != TACT_KIND_TRIANGLES)
        return tact_closest_to_shape(scene, in, &mesh->shapes[primitive], q, gate2, TACT_CLOSEST_FAR2).d2;
    float corners[3][3];
    for (size_t c = 0; c < 3; ++c) {
        const float* p = mesh->positions + (size_t)mesh->indices[3 * (size_t)primitive + c] * 3;
        tact_near_move(scene->matrices[instance], p, corners[c]);
    }
    return tact_closest_to(q, (const float(*)[3])corners, gate2, TACT_CLOSEST_FAR2).d2;
}

static void gap_keys(const tact_near_walk* walk, const tact_near_boxes* boxes, float keys[TACT_BVH8_WIDTH])
{
    const search* s = (const search*)walk;
    const float x = s->x, y = s->y, z = s->z;
    for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
        keys[i] = tact_box_gap2(x, y, z, boxes->lower[0][i], boxes->lower[1][i], boxes->lower[2][i], boxes->upper[0][i],
                                boxes->upper[1][i], boxes->upper[2][i]);
    }
}

static void take(tact_near_walk* walk, const tact_trace_instance* in, float gate, uint32_t primitive, const float a[3],
                 const float b[3], const float c[3])
{
    search* s = (search*)walk;
    const uint32_t instance = in->id;
    TACT_ASSERT(instance < walk->scene->by_id_count && gate >= 0.0f);
    const TactClosest r = tact_triangle_closest(s->x, s->y, s->z, a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2],
                                                gate, walk->limit);
    if (!(r.d2 <= walk->limit)) return;
    if (r.d2 == walk->limit && !(instance < s->instance || (instance == s->instance && primitive < s->primitive))) {
        return;
    }
    walk->limit = r.d2;
    s->best = r;
    s->is_shape = false;
    s->instance = instance;
    s->primitive = primitive;
    memcpy(s->corners[0], a, sizeof s->corners[0]);
    memcpy(s->corners[1], b, sizeof s->corners[1]);
    memcpy(s->corners[2], c, sizeof s->corners[2]);
}

static void take_shape(tact_near_walk* walk, const tact_trace_instance* in, float gate, const tact_trace_shape* shape)
{
    search* s = (search*)walk;
    TACT_ASSERT(in->kind != TACT_KIND_TRIANGLES);
    const tact_closest_query q = {s->x, s->y, s->z, 0.0f};
    const TactShapeClosest r = tact_closest_to_shape(walk->scene, in, shape, &q, gate, walk->limit);
    if (!(r.d2 <= walk->limit)) return;
    if (r.d2 == walk->limit && !(in->id < s->instance || (in->id == s->instance && shape->primitive < s->primitive))) {
        return;
    }
    walk->limit = r.d2;
    s->shape = r;
    s->is_shape = true;
    s->instance = in->id;
    s->primitive = shape->primitive;
}

static void write_hit(const search* s, const tact_closest_query* q, tact_closest_hit* hit)
{
    TACT_ASSERT((s->instance == TACT_NONE) == (s->primitive == TACT_NONE));
    if (s->instance == TACT_NONE) {
        tact_closest_write_none(q, hit);
    } else if (s->is_shape) {
        tact_closest_write_shape(s->walk.scene, s->instance, s->primitive, &s->shape, hit);
    } else {
        tact_closest_write(s->instance, s->primitive, &s->best, (const float(*)[3])s->corners, hit);
    }
}

static search start(const tact_closest_job* job, const tact_closest_query* q)
{
    const float limit2 = tact_closest_limit2(q->x, q->y, q->z, q->max_distance);
    search s = {.walk = {job->scene, limit2, take_shape}, .x = q->x, .y = q->y, .z = q->z};
    s.instance = s.primitive = TACT_NONE;
    return s;
}

static void reference_piece(const void* user, size_t begin, size_t end)
{
    const tact_closest_job* job = user;
    TACT_ASSERT(end <= job->batch.count);
    for (size_t i = begin; i < end; ++i) {
        search s = start(job, &job->queries[i]);
        if (s.walk.limit >= 0.0f) tact_near_walk_every(&s.walk, gap_keys, take);
        write_hit(&s, &job->queries[i], &job->hits[i]);
    }
}

static void cpu_piece(const void* user, size_t begin, size_t end)
{
    const tact_closest_job* job = user;
    TACT_ASSERT(end <= job->batch.count && job->scene->wide_top_count >= 1);
    for (size_t i = begin; i < end; ++i) {
        search s = start(job, &job->queries[i]);
        if (s.walk.limit >= 0.0f) tact_near_walk_scene(&s.walk, gap_keys, take);
        write_hit(&s, &job->queries[i], &job->hits[i]);
    }
}

tact_result tact_closest_reference(tact_env* env, const tact_closest_job* job)
{
    return tact_batch_run(env, &job->batch, reference_piece, job, 256, 4);
}

// ---- Sorted points, in lanes ----

enum {
    FEW = 16,         // points that are not worth it
    PIECE = 1 << 10,  // least and most points of a piece of work
    SLICE = 1 << 16,
    ROUND = 1 << 21,  // numbers of points are 32 bits wide, and progress wants to be told now and then
    CELL_BITS = TACT_REORDER_BITS / 3
};

_Static_assert((int)SLICE <= (int)TACT_REORDER_MOST, "a piece is sorted at once");

/// What a thread works with.
typedef struct workspace {
    uint32_t order[SLICE], keys[SLICE];
    uint32_t scratch[2 * SLICE];
} workspace;

typedef struct fast_job {
    const tact_closest_job* job;
    const tact_trace_lane_table* lanes;
    workspace* spaces;
} fast_job;

/// The bits of a number, each moved to every third place.
static uint32_t spread(uint32_t cell)
{
    TACT_ASSERT(cell < 1u << CELL_BITS);
    uint32_t bits = 0;
    for (uint32_t b = 0; b < CELL_BITS; ++b)
        bits |= (cell >> b & 1u) << (3 * b);
    return bits;
}

/// Sorts points along a Morton curve through their own box, in which what is no point comes first.
static void sort_points(const tact_closest_query* queries, workspace* space, uint32_t count)
{
    TACT_ASSERT(count <= SLICE);
    float lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < count; ++i) {
        const tact_closest_query* q = &queries[space->order[i]];
        const float at[3] = {q->x, q->y, q->z};
        for (int k = 0; k < 3; ++k) {
            if (!tact_closest_in_range(at[k])) continue;
            lower[k] = at[k] < lower[k] ? at[k] : lower[k];
            upper[k] = at[k] > upper[k] ? at[k] : upper[k];
        }
    }
    const float last = (float)((1 << CELL_BITS) - 1);
    uint32_t spreads[1 << CELL_BITS];
    float scale[3];
    for (uint32_t c = 0; c < 1u << CELL_BITS; ++c)
        spreads[c] = spread(c);
    for (int k = 0; k < 3; ++k) {
        const float width = upper[k] - lower[k];
        scale[k] = width > 0.0f ? (last + 1.0f) / width : 0.0f;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const tact_closest_query* q = &queries[space->order[i]];
        const float at[3] = {q->x, q->y, q->z};
        uint32_t key = 0;
        for (int k = 0; k < 3; ++k) {
            const float cell = (at[k] - lower[k]) * scale[k];
            key |= spreads[cell > 0.0f ? (uint32_t)(cell < last ? cell : last) : 0u] << k;
        }
        space->keys[i] = key;
    }
    tact_reorder(space->order, space->keys, count, space->scratch);
}

static void fast_piece(size_t begin, size_t end, int worker, void* user)
{
    const fast_job* f = user;
    TACT_ASSERT(end - begin <= SLICE && end <= ROUND);
    workspace* space = &f->spaces[worker];
    const uint32_t count = (uint32_t)(end - begin);
    for (uint32_t i = 0; i < count; ++i)
        space->order[i] = (uint32_t)begin + i;
    sort_points(f->job->queries, space, count);
    f->lanes->closest(f->job, space->order, count);
}

/// So many points that sorting them pays, so few that all threads have enough.
static size_t piece_of(const tact_batch* batch)
{
    const size_t threads = batch->threads > 0 ? (size_t)batch->threads : 1;
    const size_t share = batch->count / (threads * 4) + 1;
    const size_t piece = share < SLICE ? share : SLICE;
    TACT_ASSERT(piece >= 1);
    return piece < PIECE ? PIECE : piece;
}

static tact_result run_fast(tact_env* env, fast_job* f)
{
    const tact_closest_job whole = *f->job;
    for (size_t begin = 0; begin < whole.batch.count;) {
        tact_closest_job part = whole;
        part.queries += begin;
        part.hits += begin;
        const size_t left = whole.batch.count - begin, count = left < ROUND ? left : ROUND;
        f->job = &part;
        tact_parallel_for(whole.batch.threads, count, piece_of(&whole.batch), fast_piece, f);
        begin += count;
        const double done = (double)begin / (double)whole.batch.count;
        if (whole.batch.progress && !whole.batch.progress(done, whole.batch.progress_user)) {
            return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
        }
    }
    return TACT_OK;
}

tact_result tact_closest_cpu(tact_env* env, const tact_closest_job* job)
{
    TACT_ASSERT(job->batch.count == 0 || (job->queries && job->hits));
    // A few points are answered before the memory for sorting is at hand.
    if (job->scene->instance_count == 0 || job->batch.count < FEW) {
        return tact_batch_run(env, &job->batch, cpu_piece, job, (size_t)1 << 18, 256);
    }
    fast_job f = {.job = job, .lanes = tact_trace_lanes()};
    // No piece is shorter than half of PIECE.
    const size_t pieces = job->batch.count / (PIECE / 2) + 1,
                 threads = job->batch.threads > 0 ? (size_t)job->batch.threads : 1;
    f.spaces = tact_allocate(env, threads < pieces ? threads : pieces, sizeof *f.spaces);
    if (!f.spaces) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = run_fast(env, &f);
    tact_release(env, f.spaces);
    return result;
}
