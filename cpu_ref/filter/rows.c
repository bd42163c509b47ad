// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Triangles of shapes, along a Morton curve of each shape's own box, in groups of eight. One sort does all shapes.

#include "base/compiler.h"
#include "base/parallel.h"
#include "cpu_ref/blocks.h"
#include "cpu_ref/filter/engine.h"

enum { TRIANGLES_AT_ONCE = 4096, GROUPS_AT_ONCE = 512, SHAPES_AT_ONCE = 16, CODE_BITS = 30 };

typedef struct making {
    const tact_filter_job* job;
    size_t* first;        ///< triangle of each shape among those of all; count + 1 entries
    size_t* first_group;  ///< likewise
    size_t shape_count, total;
    float* centres;  ///< four numbers each
    uint32_t *codes, *keys, *order;
    tact_filter_group* groups;
    int threads;  ///< of one shape
} making;

static void place_shape(making* m, size_t i)
{
    TACT_ASSERT(i < m->shape_count && m->first[i] <= m->first[i + 1]);
    const size_t begin = m->first[i], count = m->first[i + 1] - begin;
    float bounds[8];
    tact_reduce_bounds_cpu(TACT_POINTS, m->centres + 4 * begin, count, bounds);
    tact_morton_cpu(m->threads, TACT_POINTS, m->centres + 4 * begin, count, bounds, false, m->codes + begin);
}

static void place_shapes(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        place_shape(user, i);
}

/// A third of each corner first, so that no sum overflows. Where a triangle is not finite its place does not matter.
static void find_centres(size_t begin, size_t end, int worker, void* user)
{
    const making* m = user;
    TACT_ASSERT(begin < end && end <= m->total);
    const float third = 1.0f / 3.0f;
    (void)worker;
    size_t shape = tact_filter_find(m->first, m->shape_count, begin);
    for (size_t i = begin; i < end; ++i) {
        while (i >= m->first[shape + 1])
            ++shape;
        const tact_mesh_desc* s = &m->job->shapes[shape];
        tact_vec3 p[3];
        for (size_t k = 0; k < 3; ++k)
            p[k] = tact_filter_corner(s, i - m->first[shape], k);
        float* c = m->centres + 4 * i;
        c[0] = (third * p[0].x + third * p[1].x) + third * p[2].x;
        c[1] = (third * p[0].y + third * p[1].y) + third * p[2].y;
        c[2] = (third * p[0].z + third * p[1].z) + third * p[2].z;
        c[3] = 0.0f;
    }
}

/// As many bits of a code as tell the triangles of a surface apart: cells are to be about as many as the largest shape
/// has triangles, and a surface meets four of the eight in a cell.
static uint32_t code_bits(const making* m)
{
    size_t most = 0;
    for (size_t i = 0; i < m->shape_count; ++i) {
        const size_t count = m->first[i + 1] - m->first[i];
        most = count > most ? count : most;
    }
    const uint32_t wanted = 3 * ((tact_bit_width(most) + 1) / 2 + 1);
    return wanted < CODE_BITS ? wanted : CODE_BITS;
}

/// Sorts by shape, then by code. Keys of one word take the codes' place.
static tact_result sort(tact_env* env, making* m)
{
    TACT_ASSERT(m->shape_count >= 1 && m->total >= 1);
    const uint32_t bits = code_bits(m), all = bits + tact_bit_width(m->shape_count - 1);
    const size_t words = all > 32 ? 2 : 1;
    uint32_t* keys = m->codes;
    if (words == 2) keys = m->keys = tact_allocate(env, m->total, 2 * sizeof *m->keys);
    m->order = tact_allocate(env, m->total, sizeof *m->order);
    if (!keys || !m->order) return TACT_ERROR_OUT_OF_MEMORY;
    size_t shape = 0;
    for (size_t i = 0; i < m->total; ++i) {
        while (i >= m->first[shape + 1])
            ++shape;
        const uint64_t key = (uint64_t)shape << bits | m->codes[i] >> (CODE_BITS - bits);
        keys[words * i] = (uint32_t)key;
        if (words == 2) keys[words * i + 1] = (uint32_t)(key >> 32);
    }
    const tact_sort_cpu_job job = {.keys_in = keys,
                                   .keys_out = keys,
                                   .values_out = m->order,
                                   .count = m->total,
                                   .key_words = (uint32_t)words,
                                   .key_bits = all};
    return tact_sort_cpu(env, m->job->threads, &job);
}

static void fill_group(const making* m, size_t shape, size_t group, tact_filter_group* g)
{
    const size_t begin = m->first[shape] + TACT_WIDE * group, left = m->first[shape + 1] - begin;
    g->count = left < TACT_WIDE ? (uint32_t)left : TACT_WIDE;
    for (uint32_t i = 0; i < TACT_WIDE; ++i) {
        const size_t triangle = m->order[begin + (i < g->count ? i : 0)] - m->first[shape];
        TACT_ASSERT(triangle < m->job->shapes[shape].triangle_count);
        g->id[i] = (uint32_t)triangle;
        for (size_t k = 0; k < 3; ++k) {
            const tact_vec3 p = tact_filter_corner(&m->job->shapes[shape], triangle, k);
            g->corner[3 * k][i] = p.x;
            g->corner[3 * k + 1][i] = p.y;
            g->corner[3 * k + 2][i] = p.z;
        }
    }
}

static void fill_groups(size_t begin, size_t end, int worker, void* user)
{
    const making* m = user;
    (void)worker;
    size_t shape = tact_filter_find(m->first_group, m->shape_count, begin);
    for (size_t i = begin; i < end; ++i) {
        while (i >= m->first_group[shape + 1])
            ++shape;
        fill_group(m, shape, i - m->first_group[shape], &m->groups[i]);
    }
}

/// The codes of all triangles.
static tact_result make_codes(tact_env* env, making* m)
{
    const int threads = m->job->threads;
    m->centres = tact_allocate(env, m->total, 4 * sizeof *m->centres);
    m->codes = tact_allocate(env, m->total, sizeof *m->codes);
    if (!m->centres || !m->codes) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(threads, m->total, TRIANGLES_AT_ONCE, find_centres, m);
    // Threads share a few large shapes, or take one of many each.
    m->threads = m->shape_count < (size_t)threads * 4 ? threads : 1;
    tact_parallel_for(m->threads == 1 ? threads : 1, m->shape_count, SHAPES_AT_ONCE, place_shapes, m);
    return TACT_OK;
}

/// Each array goes before the next comes: together they may be large.
static tact_result make_groups(tact_env* env, making* m)
{
    if (m->total > TACT_BLOCK_LIMIT) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu triangles of shapes that come near another object; at most 2^31",
                         m->total);
    }
    tact_result result = make_codes(env, m);
    tact_release(env, m->centres);
    m->centres = NULL;
    if (result == TACT_OK) result = sort(env, m);
    tact_release(env, m->codes);
    tact_release(env, m->keys);
    m->codes = m->keys = NULL;
    if (result != TACT_OK) return result;
    const size_t groups = m->first_group[m->shape_count];
    TACT_ASSERT(groups >= 1 && groups <= m->total);
    m->groups = tact_allocate(env, groups, sizeof *m->groups);
    if (!m->groups) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(m->job->threads, groups, GROUPS_AT_ONCE, fill_groups, m);
    return TACT_OK;
}

static void lay_out(const tact_filter_group* groups, size_t count, tact_filter_rows* rows)
{
    rows->groups = groups;
    rows->group_count = (uint32_t)count;
    uint32_t nodes = 0;
    while (count > 0) {
        count = count / TACT_WIDE + (count % TACT_WIDE != 0);
        rows->level_begin[rows->levels++] = nodes;
        nodes += (uint32_t)count;
        if (count == 1) break;
    }
    rows->level_begin[rows->levels] = nodes;
    TACT_ASSERT(rows->levels <= TACT_FILTER_LEVELS);
}

tact_result tact_filter_make_ready(tact_env* env, const tact_filter_job* job, const bool* wanted,
                                   tact_filter_ready* ready)
{
    making m = {.job = job, .shape_count = job->shape_count};
    *ready = (tact_filter_ready){0};
    ready->rows = tact_allocate_zeroed(env, job->shape_count, sizeof *ready->rows);
    m.first = tact_allocate(env, job->shape_count + 1, 2 * sizeof *m.first);
    tact_result result = ready->rows && m.first ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        m.first_group = m.first + job->shape_count + 1;
        m.first[0] = m.first_group[0] = 0;
        for (size_t i = 0; i < job->shape_count; ++i) {
            const size_t count = wanted[i] ? job->shapes[i].triangle_count : 0;
            m.first[i + 1] = m.first[i] + count;
            m.first_group[i + 1] = m.first_group[i] + count / TACT_WIDE + (count % TACT_WIDE != 0);
        }
        m.total = m.first[job->shape_count];
        if (m.total > 0) result = make_groups(env, &m);
        ready->groups = m.groups;
    }
    for (size_t i = 0; i < job->shape_count && result == TACT_OK && m.groups; ++i)
        lay_out(m.groups + m.first_group[i], m.first_group[i + 1] - m.first_group[i], &ready->rows[i]);
    tact_release(env, m.first);
    tact_release(env, m.order);
    return result;
}

void tact_filter_unready(tact_env* env, tact_filter_ready* ready)
{
    tact_release(env, ready->rows);
    tact_release(env, ready->groups);
    *ready = (tact_filter_ready){0};
}
