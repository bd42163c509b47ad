// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Chooses the cells by a sample of the boxes. Nothing here can make an answer wrong (see grid_cells.h); it decides what
// the answer costs. Cells are as wide as the widest boxes, but for a few; a hierarchy has finer ones below while those
// would part boxes that share a cell; where boxes are small and far apart, cells grow until some share one.

#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu_ref/pairs/grid_cells.h"
#include "cpu_ref/pairs/select_rank.h"

enum {
    LEAST_SAMPLE = 1024,
    MOST_SAMPLE = 16384,
    SPREAD_SAMPLE = 63,  ///< of these the middle and the spread are found
    MOST_STEPS = 24,     ///< from the widest to the finest cells
    LARGE_BOXES = 3000,  ///< that may be left out of one grid
};

static const double CROWDED = 4.0;  ///< boxes that share a box's cell, above which finer cells are worth a level
static const double LONELY = 0.7;   ///< the same, below which cells grow

typedef struct sample_box {
    float lower[3], width[3];
    float ratio;  ///< width by the widest cells, of the axis where that is most
} sample_box;

typedef struct plan {
    const tact_volume_view* of;
    tact_cells* cells;
    bool single;
    sample_box* boxes;
    float* scratch;
    uint32_t* table;  ///< table_size words of key, then as many counts
    uint32_t count, table_size;
    float middle[3], window[3];      ///< where most boxes are
    double widest[3];                ///< cells of the coarsest level
    double edges[TACT_GRID_LEVELS];  ///< of the levels, by the widest, coarsest first
    int edge_count;
} plan;

/// The nearest finite number; 0 for NaN, the width of a box at infinity.
static float nearest_finite(float v)
{
    if (v != v) return 0.0f;
    return v > FLT_MAX ? FLT_MAX : v < -FLT_MAX ? -FLT_MAX : v;
}

static void take(plan* p, const tact_aabb* box)
{
    const float lower[3] = {box->lower.x, box->lower.y, box->lower.z};
    const float upper[3] = {box->upper.x, box->upper.y, box->upper.z};
    sample_box* s = &p->boxes[p->count++];
    for (int k = 0; k < 3; ++k) {
        s->lower[k] = nearest_finite(lower[k]);
        s->width[k] = nearest_finite(upper[k] - lower[k]);
    }
}

/// Every n-th box; should those hardly be in use, the first that are.
static void take_sample(plan* p, uint32_t most)
{
    const uint64_t count = p->of->count;
    for (uint64_t i = 0; i < most; ++i) {
        const tact_aabb* box = &p->of->boxes[i * count / most];
        if (tact_volume_is_live(box)) take(p, box);
    }
    if (p->count >= most / 16) return;
    p->count = 0;
    for (uint64_t i = 0; i < count && p->count < most; ++i) {
        if (tact_volume_is_live(&p->of->boxes[i])) take(p, &p->of->boxes[i]);
    }
}

/// Where most boxes are: about the middle one, eight times as wide as four fifths are spread, and no wider than all.
static void find_window(plan* p, int k)
{
    float some[SPREAD_SAMPLE] = {0};
    const uint32_t count = p->count < SPREAD_SAMPLE ? p->count : SPREAD_SAMPLE;
    TACT_ASSERT(count >= 1);
    for (uint32_t i = 0; i < count; ++i) {
        const float v = p->boxes[(uint64_t)i * p->count / count].lower[k];
        uint32_t at = i;
        for (; at > 0 && some[at - 1] > v; --at)
            some[at] = some[at - 1];
        some[at] = v;
    }
    const double middle = (double)some[count / 2];
    const double spread = 4.0 * ((double)some[count - 1 - count / 10] - (double)some[count / 10]);
    double low = middle, high = middle;
    for (uint32_t i = 0; i < p->count; ++i) {
        const double v = (double)p->boxes[i].lower[k];
        if (v < low && v >= middle - spread) low = v;
        if (v > high && v <= middle + spread) high = v;
    }
    p->middle[k] = (float)(0.5 * (low + high));
    p->window[k] = nearest_finite((float)(high - low));
}

/// The widest boxes, but for those few that may go into the list.
static void find_widest(plan* p)
{
    const uint32_t few = (uint32_t)fmin(0.01 * p->count, (double)LARGE_BOXES / p->of->live * p->count);
    TACT_ASSERT(few < p->count);
    double most = 0.0, all = 0.0;
    for (int k = 0; k < 3; ++k) {
        double widest = 0.0;
        for (uint32_t i = 0; i < p->count; ++i) {
            p->scratch[i] = p->boxes[i].width[k];
            widest = fmax(widest, (double)p->scratch[i]);
        }
        const double usual = (double)tact_select_rank(p->scratch, p->count, p->count - 1 - few);
        // A little wider, for those the sample missed and for rounding.
        p->widest[k] = 1.01 * (widest <= 2.0 * usual ? widest : usual);
        most = fmax(most, p->widest[k]);
        all = fmax(all, (double)p->window[k]);
    }
    if (most == 0.0) most = all / cbrt((double)p->of->live);
    if (most == 0.0) most = 1.0;
    for (int k = 0; k < 3; ++k) {
        if (p->widest[k] == 0.0) p->widest[k] = most;
        p->widest[k] = fmin(fmax(p->widest[k], 0x1p-120), 0x1p126);
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        double ratio = 0.0;
        for (int k = 0; k < 3; ++k)
            ratio = fmax(ratio, 1.005 * (double)p->boxes[i].width[k] / p->widest[k]);
        p->boxes[i].ratio = nearest_finite((float)ratio);
    }
}

static uint32_t mixed(uint32_t h, double cell)
{
    const double clamped = fmin(fmax(cell, -1e9), 1e9);
    h = (h ^ (uint32_t)(int32_t)clamped) * 0x9e3779b1u;
    return h ^ h >> 15;
}

/// About how many others of at most this ratio share a box's cell, were cells `edge` times the widest.
static double mates(const plan* p, double edge, double ratio, uint32_t* subset)
{
    TACT_ASSERT(edge > 0.0 && 2 * p->count <= p->table_size);
    uint32_t* keys = p->table;
    uint32_t* counts = p->table + p->table_size;
    memset(counts, 0, p->table_size * sizeof *counts);
    uint64_t pairs = 0;
    *subset = 0;
    const double scale[3] = {1.0 / (edge * p->widest[0]), 1.0 / (edge * p->widest[1]), 1.0 / (edge * p->widest[2])};
    for (uint32_t i = 0; i < p->count; ++i) {
        const sample_box* s = &p->boxes[i];
        if ((double)s->ratio > ratio) continue;
        ++*subset;
        uint32_t key = 1;
        for (int k = 0; k < 3; ++k)
            key = mixed(key, floor(((double)s->lower[k] - (double)p->middle[k]) * scale[k]));
        uint32_t at = key & (p->table_size - 1);
        while (counts[at] > 0 && keys[at] != key)
            at = (at + 1) & (p->table_size - 1);
        keys[at] = key;
        pairs += counts[at]++;
    }
    if (*subset == 0) return 0.0;
    return 2.0 * (double)pairs / *subset * ((double)p->of->live / p->count);
}

static uint32_t count_between(const plan* p, double least, double most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->count; ++i)
        count += (double)p->boxes[i].ratio > least && (double)p->boxes[i].ratio <= most;
    return count;
}

/// How the edges of the levels shrink: by two, or by more if that would not reach the narrowest boxes.
static double choose_factor(const plan* p)
{
    float least = 1.0f;
    for (uint32_t i = 0; i < p->count; ++i)
        least = p->boxes[i].ratio > 0.0f && p->boxes[i].ratio < least ? p->boxes[i].ratio : least;
    return fmax(2.0, pow(1.0 / (double)least, 1.0 / (TACT_GRID_LEVELS - 1)));
}

static void choose_edges(plan* p)
{
    double edge = 1.0;
    // In a hierarchy all boxes are to fit a level; those left out above get ones of their own.
    float most = 1.0f;
    for (uint32_t i = 0; i < p->count && !p->single; ++i) {
        const float ratio = p->boxes[i].ratio;
        most = ratio > most && ratio < 4096.0f ? ratio : most;
    }
    while (edge < (double)most)
        edge *= 2.0;
    const double factor = p->single ? 2.0 : choose_factor(p);
    p->edges[p->edge_count++] = edge;
    for (int step = 0; step < MOST_STEPS && !p->single && p->edge_count < TACT_GRID_LEVELS; ++step) {
        uint32_t finer = 0;
        const double crowd = mates(p, edge, edge / factor, &finer);
        if (finer <= p->count / 50 || crowd < CROWDED) break;
        // A level that would hold nothing is none.
        if (count_between(p, edge / factor, edge) == 0) --p->edge_count;
        edge /= factor;
        p->edges[p->edge_count++] = edge;
    }
    TACT_ASSERT(p->edge_count >= 1 && p->edge_count <= TACT_GRID_LEVELS);
    double* finest = &p->edges[p->edge_count - 1];
    for (int step = 0; step < 10; ++step) {
        uint32_t subset = 0;
        const double crowd = mates(p, *finest, *finest, &subset);
        if (crowd >= LONELY || subset < 2) break;
        *finest *= fmin(2.0, fmax(1.1, cbrt(LONELY / fmax(crowd, 1e-9))));
    }
    for (int i = p->edge_count - 1; i > 0 && p->edges[i] >= p->edges[i - 1]; --i) {
        p->edges[i - 1] = p->edges[i];
        --p->edge_count;
    }
}

/// The axis with the most cells is x, that with the second most y.
static void choose_axes(const plan* p, int axis[3])
{
    double cells[3];
    for (int k = 0; k < 3; ++k) {
        cells[k] = (double)p->window[k] / p->widest[k];
        axis[k] = k;
    }
    for (int i = 1; i < 3; ++i) {
        for (int k = i; k > 0 && cells[axis[k]] > cells[axis[k - 1]]; --k) {
            const int swap = axis[k];
            axis[k] = axis[k - 1];
            axis[k - 1] = swap;
        }
    }
}

/// Numbers of a level with cells `edge` times the widest, for about `boxes` boxes, whose buckets begin at `base`.
static void make_level(const plan* p, double edge, double boxes, uint32_t base, tact_grid_level* level)
{
    double cells[3];  // in the window
    // x is not part of a key, so that there may be as many as there are buckets: a long line needs them.
    const double most_x = fmin(fmax(4.0 * boxes, TACT_GRID_LAST), 0x1p24);
    for (int k = 0; k < 3; ++k) {
        const double most = k == 0 ? most_x : TACT_GRID_LAST;
        const int axis = p->cells->axis[k];
        const double width = fmin(edge * p->widest[axis], 0x1p126);
        cells[k] = fmin(ceil((double)p->window[axis] / width) + 4.0, most);
        level->middle[k] = p->middle[axis];
        level->scale[k] = (float)(1.0 / width);
        level->last[k] = (float)fmin(fmax(4.0 * cells[k], 1024.0), most);
    }
    const double all = cells[0] * cells[1] * cells[2];
    const bool every_cell = all <= 4.0 * boxes + 64.0;
    const double wanted = every_cell ? all : 2.0 * boxes + 64.0;
    uint32_t size = 64;
    while (size < wanted && size < 1u << 27)
        size *= 2;
    level->mask = size - 1;
    level->stride_y = every_cell ? (uint32_t)cells[0] : 0x9e3779b1u;
    level->stride_z = every_cell ? (uint32_t)(cells[0] * cells[1]) : 0x85ebca77u;
    // A row is as long as all x there are, and the buckets must hold the last.
    level->last[0] = (float)fmin((double)level->last[0], fmax(cells[0], size));
    for (int k = 0; k < 3; ++k)
        level->half[k] = 0.5f * level->last[k];
    level->base = base;
    level->length = size + (uint32_t)level->last[0] + 2;
    TACT_ASSERT(level->scale[0] > 0.0f && level->last[0] >= 1.0f);
    TACT_ASSERT(level->last[1] <= (float)TACT_GRID_LAST && level->last[2] <= (float)TACT_GRID_LAST);
    TACT_ASSERT(base + level->length > base);
    level->begin = level->end = 0;
}

static void make_levels(plan* p)
{
    tact_cells* c = p->cells;
    uint32_t base = 0;
    c->level_count = p->edge_count;
    for (int i = 0; i < p->edge_count; ++i) {
        const int edge = p->edge_count - 1 - i;
        const uint32_t sampled = count_between(p, i > 0 ? p->edges[edge + 1] : -1.0, p->edges[edge]);
        const double boxes = ceil((double)p->of->live / p->count * (sampled + 1.0));
        make_level(p, p->edges[edge], fmin(boxes, p->of->live), base, &c->levels[i]);
        TACT_ASSERT(edge == 0 || p->edges[edge] < p->edges[edge - 1]);
        base += c->levels[i].length;
    }
    c->buckets = base + 1;
}

tact_result tact_cells_plan(tact_env* env, const tact_volume_view* of, bool single, tact_cells* cells)
{
    TACT_ASSERT(of->live > 0);
    plan p = {.of = of, .cells = cells, .single = single};
    uint32_t most = of->live / 64;
    most = most < LEAST_SAMPLE ? LEAST_SAMPLE : most > MOST_SAMPLE ? MOST_SAMPLE : most;
    if (most > of->count) most = of->count;
    for (p.table_size = 64; p.table_size < 2 * most;)
        p.table_size *= 2;
    void* memory =
        tact_allocate(env, 1, most * (sizeof(sample_box) + sizeof(float)) + 2 * p.table_size * sizeof(uint32_t));
    if (!memory) return TACT_ERROR_OUT_OF_MEMORY;
    p.table = memory;
    p.boxes = (sample_box*)(void*)(p.table + 2 * p.table_size);
    p.scratch = (float*)(void*)(p.boxes + most);
    take_sample(&p, most);
    TACT_ASSERT(p.count <= most);
    if (p.count == 0) take(&p, &(tact_aabb){{0, 0, 0}, {0, 0, 0}});
    for (int k = 0; k < 3; ++k)
        find_window(&p, k);
    find_widest(&p);
    choose_axes(&p, cells->axis);
    choose_edges(&p);
    make_levels(&p);
    tact_release(env, memory);
    return TACT_OK;
}
