// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Finds the pairs of boxes that were sorted into cells. Within a level each cell is tested with its neighbours. Between
// two levels the boxes of one look their neighbours up in the other: those of the coarser level in the finer one where
// they are so few that this reads fewer rows, else the other way round.

#include "base/parallel.h"
#include "cpu_ref/pairs/lanes.h"

enum {
    PIECE = 1024,     ///< places a thread takes at a time
    LARGE_PIECE = 8,  ///< the same of boxes that fit no level, each of which may meet all others
    SLICE = 1 << 18,  ///< places between two questions for progress
};

typedef struct search {
    const tact_pairs_job* job;
    const tact_cells* cells;
    const tact_cells* askers;  ///< whose boxes ask: the cells of b, or the same
    const tact_pairs_lane_table* lanes;
    uint32_t targets[TACT_GRID_LEVELS + 1];  ///< by the level of what asks: a bit for each level it asks
    size_t first;                            ///< place that the loop counts from
} search;

static void read_place(const search* s, uint32_t place, float box[6])
{
    TACT_ASSERT(place < s->askers->boxes);
    for (int k = 0; k < 3; ++k) {
        int from = 0;
        while (s->askers->axis[from] != s->cells->axis[k])
            ++from;
        box[2 * k] = s->askers->bounds[2 * from][place];
        box[2 * k + 1] = s->askers->bounds[2 * from + 1][place];
    }
}

static void ask_levels(const search* s, uint32_t place, uint32_t targets, tact_pair_sink* sink)
{
    float box[6];
    read_place(s, place, box);
    for (int i = 0; i < s->cells->level_count; ++i) {
        if (!(targets >> i & 1u)) continue;
        sink->tests += s->lanes->grid_query(s->cells, &s->cells->levels[i], box, s->askers->ids[place], sink);
    }
}

/// Places within levels: with the same level, and with others.
static void search_levels(size_t begin, size_t end, int worker, void* user)
{
    const search* s = user;
    const tact_cells* c = s->cells;
    tact_pair_sink* sink = &s->job->sinks[worker];
    for (int i = 0; i < c->level_count; ++i) {
        const tact_grid_level* level = &c->levels[i];
        TACT_ASSERT(level->begin <= level->end && level->end <= c->fitting);
        const uint32_t first = s->first + begin > level->begin ? (uint32_t)(s->first + begin) : level->begin;
        const uint32_t last = s->first + end < level->end ? (uint32_t)(s->first + end) : level->end;
        if (first >= last) continue;
        sink->tests += s->lanes->grid_self(c, level, first, last, sink);
        for (uint32_t place = first; s->targets[i] && place < last; ++place)
            ask_levels(s, place, s->targets[i], sink);
    }
}

/// Boxes that fit no level: with all levels and those after them.
static void search_large(size_t begin, size_t end, int worker, void* user)
{
    const search* s = user;
    const tact_cells* c = s->cells;
    tact_pair_sink* sink = &s->job->sinks[worker];
    for (size_t n = begin; n < end; ++n) {
        const uint32_t place = (uint32_t)(s->first + n);
        TACT_ASSERT(place >= c->fitting && place < c->boxes);
        float box[6];
        read_place(s, place, box);
        ask_levels(s, place, UINT32_MAX, sink);
        sink->tests += s->lanes->grid_scan(c, box, c->ids[place], place + 1, c->boxes, sink);
    }
}

/// Boxes of another set: with all.
static void search_other(size_t begin, size_t end, int worker, void* user)
{
    const search* s = user;
    const tact_cells* c = s->cells;
    tact_pair_sink* sink = &s->job->sinks[worker];
    for (size_t n = begin; n < end; ++n) {
        const uint32_t place = (uint32_t)(s->first + n);
        ask_levels(s, place, UINT32_MAX, sink);
        if (c->fitting == c->boxes) continue;
        float box[6];
        read_place(s, place, box);
        sink->tests += s->lanes->grid_scan(c, box, s->askers->ids[place], c->fitting, c->boxes, sink);
    }
}

/// Who asks whom: rows that the boxes of the coarser level would read in the finer one, against the other way round.
static void choose_targets(search* s)
{
    const tact_cells* c = s->cells;
    for (int fine = 0; fine < c->level_count; ++fine) {
        for (int coarse = fine + 1; coarse < c->level_count; ++coarse) {
            const tact_grid_level *f = &c->levels[fine], *g = &c->levels[coarse];
            TACT_ASSERT(f->scale[1] >= g->scale[1]);
            if (f->begin == f->end || g->begin == g->end) continue;
            const double ratio = (double)f->scale[1] / (double)g->scale[1] + 2.0;
            const double down = (double)(g->end - g->begin) * ratio * ratio, up = (double)(f->end - f->begin) * 5.0;
            if (down < up) {
                s->targets[coarse] |= 1u << fine;
            } else {
                s->targets[fine] |= 1u << coarse;
            }
        }
    }
}

/// Loops over places [begin, end), which are that part of `of` places in all. Errors: CANCELLED.
static tact_result loop(search* s, uint32_t begin, uint32_t end, size_t grain, uint32_t of, tact_parallel_fn* function)
{
    TACT_ASSERT(begin <= end && grain >= 1);
    const tact_pairs_job* job = s->job;
    const uint32_t slice = job->progress ? (uint32_t)(SLICE / PIECE * grain) : end - begin;
    for (uint32_t at = begin; at < end;) {
        const uint32_t size = end - at < slice ? end - at : slice;
        s->first = at;
        tact_parallel_for(job->threads, size, grain, function, s);
        at += size;
        if (job->progress && !job->progress((double)at / (double)of, job->progress_user)) {
            return tact_fail(job->env, TACT_ERROR_CANCELLED, "cancelled");
        }
    }
    return TACT_OK;
}

static size_t grain_for(const tact_pairs_job* job, uint32_t places, size_t most)
{
    const size_t grain = places / (8 * (size_t)(job->threads > 0 ? job->threads : 1)) + 1;
    return grain < most ? grain : most;
}

tact_result tact_cells_pairs(tact_pairs_job* job, tact_pairs_method method, bool single)
{
    tact_result result = tact_cells_update(job, job->a, single, &job->state_a->kept[method]);
    if (result == TACT_OK && job->b) result = tact_cells_update(job, job->b, single, &job->state_b->kept[method]);
    if (result != TACT_OK) return result;
    const tact_cells* c = job->state_a->kept[method];
    search s = {.job = job, .cells = c, .askers = c, .lanes = tact_pairs_lanes()};
    TACT_ASSERT(c->filled && c->version == job->a->version && c->boxes == job->a->live);
    job->memory_bytes = tact_cells_memory(c);
    if (job->b) {
        s.askers = job->state_b->kept[method];
        job->memory_bytes += tact_cells_memory(s.askers);
        const uint32_t count = c->boxes > 0 ? s.askers->boxes : 0;
        result = loop(&s, 0, count, grain_for(job, count, PIECE / 4), count, search_other);
    } else {
        choose_targets(&s);
        // The large ones first: they take longest.
        result = loop(&s, c->fitting, c->boxes, LARGE_PIECE, c->boxes, search_large);
        if (result == TACT_OK) {
            result = loop(&s, 0, c->fitting, grain_for(job, c->fitting, PIECE), c->boxes, search_levels);
        }
    }
    for (int i = 0; i < (job->threads > 0 ? job->threads : 1); ++i)
        job->tests += job->sinks[i].tests;
    return result;
}
