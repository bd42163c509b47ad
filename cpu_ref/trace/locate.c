// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/locate.h"

#include "base/parallel.h"
#include "cpu_ref/trace/closest.h"
#include "cpu_ref/trace/lanes.h"
#include "cpu_ref/trace/near_walk.h"
#include "cpu_ref/trace/sorted_points.h"
#include "kernels/closest_point.h"
#include "kernels/strip_turn.h"
#include "tact/geometry/predicates.h"

// A winding number is counted in 2^-32: what a strip covers is a whole number of these, so the order of the sum does
// not matter.
#define ONE ((int64_t)1 << 32)

enum { SLICE = 1 << 18, GRAIN = 64 };

typedef struct winding_walk {
    tact_near_walk walk;  // first, since that is what triangles are given to
    const tact_rim* boundary;
    tact_vec3 p;
    int64_t sum;
} winding_walk;

/// On which side of the line through a and b, seen along x, the point is: 1 where a, b and it turn counter-clockwise.
/// The point is a little farther along y, and much less along z; so 0 only where a and b are one.
static int side_of(const float* a, const float* b, tact_vec3 p)
{
    const int side = tact_orient2d((tact_vec2){a[1], a[2]}, (tact_vec2){b[1], b[2]}, (tact_vec2){p.y, p.z});
    if (side != 0) return side;
    if (a[2] != b[2]) return a[2] > b[2] ? 1 : -1;
    return (b[1] > a[1]) - (b[1] < a[1]);
}

static tact_vec3 vec_of(const float* a)
{
    return (tact_vec3){a[0], a[1], a[2]};
}

int tact_triangle_crossing(const float a[3], const float b[3], const float c[3], tact_vec3 p)
{
    if ((a[0] < p.x && b[0] < p.x && c[0] < p.x) || (a[1] < p.y && b[1] < p.y && c[1] < p.y) ||
        (a[1] > p.y && b[1] > p.y && c[1] > p.y) || (a[2] < p.z && b[2] < p.z && c[2] < p.z) ||
        (a[2] > p.z && b[2] > p.z && c[2] > p.z)) {
        return 0;
    }
    const int side = side_of(a, b, p);
    if (side == 0 || side_of(b, c, p) != side || side_of(c, a, p) != side) return 0;
    return tact_orient3d(vec_of(a), vec_of(b), vec_of(c), (tact_vec3){p.x, p.y, p.z}) == side ? side : 0;
}

static void take(tact_near_walk* walk, const tact_trace_instance* in, float gate, uint32_t primitive, const float a[3],
                 const float b[3], const float c[3])
{
    winding_walk* w = (winding_walk*)walk;
    (void)gate;
    (void)primitive;
    const int crossing = tact_triangle_crossing(a, b, c, w->p);
    const bool mirrored = w->boundary->mirrored[in->id / 32] >> in->id % 32 & 1u;
    w->sum += mirrored ? -crossing * ONE : crossing * ONE;
}

static void all_keys(const tact_near_walk* walk, const tact_near_boxes* boxes, float keys[TACT_BVH8_WIDTH])
{
    (void)walk;
    (void)boxes;
    for (int i = 0; i < TACT_BVH8_WIDTH; ++i)
        keys[i] = 0.0f;
}

int tact_rim_side(const tact_strip_block* block, int edge, tact_vec3 p)
{
    const float a[3] = {0.0f, block->ends[0][1][edge], block->ends[0][2][edge]},
                b[3] = {0.0f, block->ends[1][1][edge], block->ends[1][2][edge]};
    return side_of(a, b, p);
}

/// The definition of what the strips along -x from the boundary's edges add.
static int64_t strips_of(const tact_rim* boundary, tact_vec3 p)
{
    int64_t sum = 0;
    for (size_t i = 0; i < boundary->count; ++i) {
        const tact_strip_block* block = &boundary->blocks[i / TACT_WINDING_BLOCK];
        const int k = (int)(i % TACT_WINDING_BLOCK);
        TactStripEnd at[2];
        for (int end = 0; end < 2; ++end) {
            at[end] =
                tact_strip_end(p.x, p.y, p.z, block->ends[end][0][k], block->ends[end][1][k], block->ends[end][2][k]);
        }
        sum -= tact_rim_side(block, k, p) * (int64_t)tact_strip_turn(at[0], at[1]);
    }
    return sum;
}

static int64_t winding_reference(const tact_locate_job* job, tact_vec3 p)
{
    winding_walk w = {.walk = {.scene = job->scene}, .boundary = job->boundary, .p = p};
    tact_near_walk_every(&w.walk, all_keys, take);
    return w.sum + strips_of(job->boundary, p);
}

static int64_t winding_cpu(const tact_locate_job* job, const tact_trace_lane_table* lanes, tact_vec3 p)
{
    return lanes->crossings(job->scene, job->boundary, p) * ONE + lanes->strips(job->boundary, p);
}

/// Whether a query is one; else its winding number is 0.
static bool is_query(const tact_closest_query* q)
{
    return tact_closest_limit2(q->x, q->y, q->z, q->max_distance) >= 0.0f;
}

/// By the weights as they are given; the first vertex' is 1 - u - v.
static tact_feature feature_of(float u, float v)
{
    if (u == 1.0f) return TACT_FEATURE_VERTEX_B;
    if (v == 1.0f) return TACT_FEATURE_VERTEX_C;
    if (v == 0.0f) return u == 0.0f ? TACT_FEATURE_VERTEX_A : TACT_FEATURE_EDGE_AB;
    if (u == 0.0f) return TACT_FEATURE_EDGE_CA;
    return u == 1.0f - v ? TACT_FEATURE_EDGE_BC : TACT_FEATURE_FACE;
}

static void write_location(const tact_closest_hit* hit, int64_t winding, tact_point_location* location)
{
    *location = (tact_point_location){.inside = winding > ONE / 2,
                                      .distance = hit->distance,
                                      .winding = (float)((double)winding * 0x1p-32),
                                      .instance = hit->instance,
                                      .primitive = hit->primitive,
                                      .x = hit->x,
                                      .y = hit->y,
                                      .z = hit->z,
                                      .u = hit->u,
                                      .v = hit->v};
    if (hit->instance == TACT_NONE) {
        memcpy(&location->distance, &hit->distance, sizeof hit->distance);  // a NaN keeps its bits
        return;
    }
    location->feature = feature_of(hit->u, hit->v);
    if (location->inside) location->distance = -hit->distance;
}

/// Points of a job from `offset` on, and what is found of each.
typedef struct slice_job {
    const tact_locate_job* job;
    size_t offset;
    tact_closest_hit* hits;
    int64_t* windings;
    const uint32_t (*sums)[4];  ///< in place of `windings`, what a device has found
} slice_job;

static void reference_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const slice_job* s = user;
    for (size_t i = begin; i < end; ++i) {
        const tact_closest_query* q = &s->job->points[s->offset + i];
        const int64_t winding = is_query(q) ? winding_reference(s->job, (tact_vec3){q->x, q->y, q->z}) : 0;
        write_location(&s->hits[i], winding, &s->job->locations[s->offset + i]);
    }
}

/// Answers in the order of `order` what needs the trees, and writes locations in their own.
static void cpu_piece(void* user, size_t first, const uint32_t* order, uint32_t count)
{
    const slice_job* s = user;
    const tact_trace_lane_table* lanes = tact_trace_lanes();
    const tact_closest_query* points = s->job->points + s->offset + first;
    const tact_closest_job closest = {s->job->scene, points, s->hits + first, {.count = count}};
    int64_t* windings = s->windings + first;
    lanes->closest(&closest, order, count);
    for (uint32_t i = 0; i < count; ++i) {
        const tact_closest_query* q = &points[order[i]];
        windings[order[i]] = is_query(q) ? winding_cpu(s->job, lanes, (tact_vec3){q->x, q->y, q->z}) : 0;
    }
    for (uint32_t i = 0; i < count; ++i)
        write_location(&closest.hits[i], windings[i], &s->job->locations[s->offset + first + i]);
}

static tact_result locate_slice(tact_env* env, slice_job* s, size_t count, bool reference)
{
    const tact_closest_job closest = {
        s->job->scene, s->job->points + s->offset, s->hits, {.count = count, .threads = s->job->batch.threads}};
    if (!reference) return tact_points_run(env, closest.queries, &closest.batch, cpu_piece, s);
    const tact_result result = tact_closest_reference(env, &closest);
    if (result == TACT_OK) tact_parallel_for(closest.batch.threads, count, 4, reference_piece, s);
    return result;
}

static tact_result run(tact_env* env, const tact_locate_job* job, bool reference)
{
    const size_t most = reference ? 256 : SLICE, room = job->batch.count < most ? job->batch.count : most;
    slice_job slice = {.job = job};
    slice.hits = tact_allocate(env, room, sizeof *slice.hits);
    slice.windings = tact_allocate(env, room, sizeof *slice.windings);
    tact_result result = slice.hits && slice.windings ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    while (slice.offset < job->batch.count && result == TACT_OK) {
        const size_t left = job->batch.count - slice.offset, count = left < room ? left : room;
        result = locate_slice(env, &slice, count, reference);
        slice.offset += count;
        const double done = (double)slice.offset / (double)job->batch.count;
        if (result == TACT_OK && job->batch.progress && !job->batch.progress(done, job->batch.progress_user)) {
            result = tact_fail(env, TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
        }
    }
    tact_release(env, slice.hits);
    tact_release(env, slice.windings);
    return result;
}

tact_result tact_locate_reference(tact_env* env, const tact_locate_job* job)
{
    TACT_ASSERT(job->boundary->fresh);
    return run(env, job, true);
}

tact_result tact_locate_cpu(tact_env* env, const tact_locate_job* job)
{
    TACT_ASSERT(job->boundary->fresh && job->scene->wide_top_count >= 1);
    return run(env, job, false);
}

static void finish_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const slice_job* s = user;
    for (size_t i = begin; i < end; ++i) {
        const tact_closest_query* q = &s->job->points[i];
        const uint32_t* sum = s->sums[i];
        int64_t winding = 0;
        if (is_query(q)) {
            winding = sum[2] ? winding_cpu(s->job, tact_trace_lanes(), (tact_vec3){q->x, q->y, q->z})
                             : (int64_t)(sum[0] | (uint64_t)sum[1] << 32);
        }
        write_location(&s->hits[i], winding, &s->job->locations[i]);
    }
}

void tact_locate_finish(const tact_locate_job* job, tact_closest_hit* hits, const uint32_t (*sums)[4])
{
    TACT_ASSERT(job->boundary->fresh && (job->batch.count == 0 || (hits && sums)));
    slice_job all = {.job = job, .hits = hits, .sums = sums};
    tact_parallel_for(job->batch.threads, job->batch.count, GRAIN, finish_piece, &all);
}
