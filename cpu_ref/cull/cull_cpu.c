// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Culling on the CPU: threads over pieces, lanes over the volumes of a block for the planes, then the tree of the boxes
// for each volume that is left.

#include "base/parallel.h"
#include "cpu_ref/cull/cull_lanes.h"
#include "cpu_ref/cull/cull_one.h"

TACT_LANE_CHOICE(tact_cull_lane_table, TACT_LANE_TABLES(tact_cull_lanes), tact_cull_lanes)

/// Fills a block's rows; a dead volume gets `live` false.
static void fill_boxes(const tact_aabb* boxes, tact_cull_block* block, bool* live)
{
    for (uint32_t i = 0; i < block->count; ++i) {
        const tact_aabb b = boxes[i];
        block->row[0][i] = b.lower.x;
        block->row[1][i] = b.lower.y;
        block->row[2][i] = b.lower.z;
        block->row[3][i] = b.upper.x;
        block->row[4][i] = b.upper.y;
        block->row[5][i] = b.upper.z;
        live[i] = (b.lower.x <= b.upper.x) & (b.lower.y <= b.upper.y) & (b.lower.z <= b.upper.z);
    }
}

static void fill_spheres(const tact_sphere* spheres, tact_cull_block* block, bool* live)
{
    for (uint32_t i = 0; i < block->count; ++i) {
        const tact_sphere s = spheres[i];
        block->row[0][i] = s.center.x;
        block->row[1][i] = s.center.y;
        block->row[2][i] = s.center.z;
        block->row[3][i] = s.radius;
        live[i] = tact_cull_sphere_live(s.center.x, s.center.y, s.center.z, s.radius);
    }
}

static void fill_obbs(const tact_obb* boxes, tact_cull_block* block, bool* live)
{
    for (uint32_t i = 0; i < block->count; ++i) {
        const TactCullObb o = tact_cull_load_obb(&boxes[i]);
        const float numbers[TACT_CULL_ROWS] = {o.cx, o.cy, o.cz, o.ax, o.ay, o.az, o.bx, o.by,
                                               o.bz, o.gx, o.gy, o.gz, o.ha, o.hb, o.hg, o.spread};
        for (int r = 0; r < TACT_CULL_ROWS; ++r)
            block->row[r][i] = numbers[r];
        live[i] = tact_cull_obb_live(o);
    }
}

/// The planes' answers for a block, but for their bounds.
static void planes_of_block(const tact_cull_job* job, const tact_cull_lane_table* lanes, size_t first,
                            tact_cull_block* block, bool* live, uint8_t* classes)
{
    TACT_ASSERT(block->count >= 1 && block->count <= TACT_CULL_BLOCK);
    const tact_cull_work* w = job->work;
    switch (w->kind) {
        case TACT_CULL_AABBS:
            fill_boxes((const tact_aabb*)w->volumes + first, block, live);
            lanes->boxes(job->table, block, job->classify, classes);
            break;
        case TACT_CULL_SPHERES:
            fill_spheres((const tact_sphere*)w->volumes + first, block, live);
            lanes->spheres(job->table, block, classes);
            break;
        default:
            fill_obbs((const tact_obb*)w->volumes + first, block, live);
            lanes->obbs(job->table, block, classes);
            break;
    }
}

static int finish_one(const tact_cull_job* job, const tact_cull_lane_table* lanes, size_t i, int planes,
                      bool check_bounds)
{
    tact_cull_one one;
    tact_cull_load(job->work->kind, job->work->volumes, i, &one);
    if (check_bounds) {
        // The lanes have asked the planes alone. Where those say INSIDE, both would hold.
        if (!tact_cull_boxes_meet(one.outer, tact_cull_table_box(job->table))) return TACT_CULL_OUTSIDE;
        if (!tact_cull_one_bounds(&one, job->table)) return TACT_CULL_OUTSIDE;
    }
    if (!job->tree) return planes;
    TACT_ASSERT(planes == TACT_CULL_INSIDE || planes == TACT_CULL_CROSSING);
    const int boxes = lanes->tree(job->tree, &one, job->classify);
    return boxes < planes ? boxes : planes;
}

static void cull_block(const tact_cull_job* job, const tact_cull_lane_table* lanes, size_t first, uint32_t count)
{
    TACT_ASSERT(count >= 1 && count <= TACT_CULL_BLOCK && first + count <= job->work->count);
    tact_cull_block block;
    bool live[TACT_CULL_BLOCK];
    uint8_t classes[TACT_CULL_BLOCK + 16];
    block.count = count;
    // The last lanes of a short block read on: any numbers, but numbers.
    for (int r = 0; r < TACT_CULL_ROWS; ++r)
        for (uint32_t i = count; i < TACT_CULL_BLOCK && i < count + 16; ++i)
            block.row[r][i] = 0.0f;
    planes_of_block(job, lanes, first, &block, live, classes);
    const bool bounds = job->table->bounded && job->work->kind != TACT_CULL_AABBS;
    for (uint32_t i = 0; i < count; ++i) {
        int answer = live[i] ? classes[i] : TACT_CULL_OUTSIDE;
        const bool check = bounds && answer == TACT_CULL_CROSSING;
        if (answer != TACT_CULL_OUTSIDE && (check || job->tree))
            answer = finish_one(job, lanes, first + i, answer, check);
        job->classes[first + i] = (uint8_t)answer;
    }
}

/// k-DOPs, and culling without planes.
static void cull_plainly(const tact_cull_job* job, const tact_cull_lane_table* lanes, size_t i)
{
    TACT_ASSERT(i < job->work->count);
    tact_cull_one one;
    tact_cull_load(job->work->kind, job->work->volumes, i, &one);
    int answer = TACT_CULL_OUTSIDE;
    if (one.live) answer = job->table ? tact_cull_one_planes(&one, job->table) : TACT_CULL_INSIDE;
    if (answer != TACT_CULL_OUTSIDE && job->tree) {
        const int boxes = lanes->tree(job->tree, &one, job->classify);
        if (boxes < answer) answer = boxes;
    }
    job->classes[i] = (uint8_t)answer;
}

typedef struct cull_loop {
    const tact_cull_job* job;
    const tact_cull_lane_table* lanes;
    size_t first;
} cull_loop;

static void cull_piece(size_t begin, size_t end, int worker, void* user)
{
    const cull_loop* l = user;
    const tact_cull_job* job = l->job;
    (void)worker;
    begin += l->first;
    end += l->first;
    TACT_ASSERT(begin < end && end <= job->work->count);
    if (!job->table || job->table->nothing || job->work->kind == TACT_CULL_KDOPS) {
        for (size_t i = begin; i < end; ++i)
            cull_plainly(job, l->lanes, i);
        return;
    }
    for (size_t i = begin; i < end; i += TACT_CULL_BLOCK) {
        const size_t left = end - i;
        cull_block(job, l->lanes, i, left < TACT_CULL_BLOCK ? (uint32_t)left : TACT_CULL_BLOCK);
    }
}

enum { SLICE = 256 * TACT_CULL_PIECE, GRAIN = TACT_CULL_PIECE / 4 };

tact_result tact_cull_cpu(tact_env* env, const tact_cull_job* job)
{
    const size_t count = job->work->count;
    cull_loop loop = {job, tact_cull_lanes(), 0};
    // In slices, between which progress is asked.
    while (loop.first < count) {
        const size_t left = count - loop.first, size = job->progress && left > SLICE ? SLICE : left;
        tact_parallel_for(job->threads, size, GRAIN, cull_piece, &loop);
        loop.first += size;
        if (job->progress && !job->progress((double)loop.first / (double)count, job->progress_user)) {
            return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled");
        }
    }
    return TACT_OK;
}

// ---- ids ----

typedef struct collect_loop {
    const uint8_t* classes;
    size_t* counts;
    uint32_t* ids;
} collect_loop;

static void count_piece(size_t begin, size_t end, int worker, void* user)
{
    const collect_loop* l = user;
    TACT_ASSERT(begin % TACT_CULL_PIECE == 0 && end - begin <= TACT_CULL_PIECE);
    size_t kept = 0;
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        kept += l->classes[i] != 0;
    l->counts[begin / TACT_CULL_PIECE] = kept;
}

size_t tact_cull_collect(const uint8_t* classes, size_t count, int threads, size_t* counts)
{
    collect_loop loop = {classes, counts, NULL};
    tact_parallel_for(threads, count, TACT_CULL_PIECE, count_piece, &loop);
    size_t sum = 0;
    for (size_t i = 0; i < (count + TACT_CULL_PIECE - 1) / TACT_CULL_PIECE; ++i) {
        const size_t here = counts[i];
        counts[i] = sum;
        sum += here;
    }
    TACT_ASSERT(sum <= count);
    return sum;
}

static void write_piece(size_t begin, size_t end, int worker, void* user)
{
    const collect_loop* l = user;
    size_t at = l->counts[begin / TACT_CULL_PIECE];
    TACT_ASSERT(begin % TACT_CULL_PIECE == 0 && at <= begin);
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        if (l->classes[i] != 0) l->ids[at++] = (uint32_t)i;
}

void tact_cull_write_ids(const uint8_t* classes, size_t count, int threads, const size_t* counts, uint32_t* ids)
{
    TACT_ASSERT(count <= UINT32_MAX);
    size_t* places = (size_t*)counts;
    collect_loop loop = {classes, places, ids};
    tact_parallel_for(threads, count, TACT_CULL_PIECE, write_piece, &loop);
}
