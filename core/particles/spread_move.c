// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "core/particles/spread_move.h"

#include <math.h>
#include <string.h>

#include "core/particles/spread_rows.h"
#include "cpu_ref/pair_keys.h"

static tact_env* env_of(const tact_particle_spread* s)
{
    return &s->ranks->context->env;
}

static tact_result lack_unless(bool good)
{
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// Particles that go to their ranks.
typedef struct placing {
    tact_particle_spread* spread;
    const tact_clump_table* clumps;  ///< or NULL
    tact_particle_state* own;        ///< this rank's
    tact_particle_state* room;       ///< for another
    size_t* first;                   ///< of records: tact_spread_first_records()
    uint64_t* codes;
    uint32_t* rows;  ///< of a tact_spread_list
    size_t* begins;  ///< likewise
    uint32_t* goes;  ///< to which rank, by row
    uint64_t bounds[TACT_SPREAD_BOUNDS];
} placing;

static void free_placing(placing* p)
{
    const tact_env* env = env_of(p->spread);
    tact_release(env, p->first);
    tact_release(env, p->codes);
    tact_release(env, p->rows);
    tact_release(env, p->begins);
    tact_release(env, p->goes);
    *p = (placing){.spread = p->spread, .clumps = p->clumps, .own = p->own, .room = p->room};
}

static bool begin_placing(placing* p)
{
    tact_env* env = env_of(p->spread);
    const size_t count = p->own->count;
    p->codes = tact_allocate(env, count, sizeof *p->codes);
    p->goes = tact_allocate(env, count, sizeof *p->goes);
    p->rows = tact_allocate(env, count, sizeof *p->rows);
    p->begins = tact_allocate(env, (size_t)tact_ranks_count(p->spread->ranks) + 2, sizeof *p->begins);
    return p->codes && p->goes && p->rows && p->begins && tact_spread_first_records(env, p->own, &p->first);
}

/// The work that a particle is: one, and one for each contact.
static size_t work_of(const placing* p, size_t i)
{
    return p->first ? 1 + p->first[i + 1] - p->first[i] : 1;
}

static size_t work_of_all(const tact_particle_state* s)
{
    return s->count + s->record_count;
}

/// Cuts the curve by the work there is.
static tact_result cut(placing* p)
{
    tact_particle_spread* s = p->spread;
    tact_env* env = env_of(s);
    const size_t work = work_of_all(p->own);
    uint64_t* keys = tact_allocate(env, work, sizeof *keys);
    uint64_t* spare = tact_allocate(env, work, sizeof *spare);
    tact_result result = tact_ranks_agree(s->ranks, lack_unless(keys && spare));
    if (result == TACT_OK) {
        size_t at = 0;
        for (size_t i = 0; i < p->own->count; ++i) {
            for (size_t k = work_of(p, i); k > 0; --k)
                keys[at++] = p->codes[i];
        }
        tact_pair_keys_sort(keys, spare, at, UINT32_MAX, UINT32_MAX);
        result = tact_spread_cut(&s->cells, s->ranks, keys, at);
        ++s->info.cut;
    }
    tact_release(env, spare);
    tact_release(env, keys);
    return result;
}

/// Lists rows by the rank that they go to.
static void list_rows(placing* p, uint32_t except)
{
    const uint32_t ranks = tact_ranks_count(p->spread->ranks);
    const size_t count = p->own->count;
    memset(p->begins, 0, ((size_t)ranks + 2) * sizeof *p->begins);
    for (size_t i = 0; i < count; ++i)
        p->begins[p->goes[i] + 2] += p->goes[i] != except;
    for (uint32_t r = 0; r < ranks; ++r)
        p->begins[r + 2] += p->begins[r + 1];
    for (size_t i = 0; i < count; ++i) {
        if (p->goes[i] != except) p->rows[p->begins[p->goes[i] + 1]++] = (uint32_t)i;
    }
}

/// What all ranks know before and after particles move: how many there are, and a sum of digests of all their bytes.
static void tally(const tact_particle_state* s, uint64_t sums[2])
{
    sums[0] = s->count;
    sums[1] = 0;
    for (size_t i = 0; i < s->count; ++i) {
        uint64_t words[5];
        memcpy(words, s->position[i], 16);
        memcpy(words + 2, s->velocity[i], 16);
        memcpy(words + 4, s->tag[i], 8);
        uint64_t x = UINT64_C(0x9e3779b97f4a7c15);
        for (int k = 0; k < 5; ++k) {
            x = (x ^ words[k]) * UINT64_C(0xbf58476d1ce4e5b9);
            x ^= x >> 29;
        }
        sums[1] += x;
    }
}

/// Each particle goes to the rank that has its cell.
static tact_result migrate(placing* p)
{
    tact_particle_spread* s = p->spread;
    tact_env* env = env_of(s);
    const uint32_t own = tact_ranks_own(s->ranks);
    uint64_t sums[4] = {0};
    for (size_t i = 0; i < p->own->count; ++i) {
        p->goes[i] = tact_spread_owner(&s->cells, p->codes[i]);
        sums[2] += p->goes[i] != own;
    }
    const uint64_t leaving = sums[2];
    tally(p->own, sums);
    tact_result result = tact_ranks_combine(s->ranks, TACT_RANKS_SUM, sums, 3);
    if (result != TACT_OK || sums[2] == 0) return result;
    list_rows(p, own);
    const tact_spread_list list = {p->rows, p->begins};
    tact_spread_rows came = {0};
    uint8_t* leaves = tact_allocate(env, p->own->count, 1);
    result = tact_ranks_agree(s->ranks, lack_unless(leaves != NULL));
    if (result == TACT_OK) result = tact_spread_send(s->ranks, p->own, p->first, p->clumps, &list, true, &came);
    if (result == TACT_OK) {
        for (size_t i = 0; i < p->own->count; ++i)
            leaves[i] = p->goes[i] != own;
        const bool good = tact_spread_join(env, p->own, p->first, leaves, &came, false, p->room, NULL, NULL);
        result = tact_ranks_agree(s->ranks, lack_unless(good));
    }
    tact_release(env, leaves);
    tact_spread_rows_free(env, &came);
    if (result != TACT_OK) return result;
    const tact_particle_state was = *p->own;
    *p->own = *p->room;
    *p->room = was;
    s->info.moved += leaving;
    uint64_t after[2];
    tally(p->own, after);
    result = tact_ranks_combine(s->ranks, TACT_RANKS_SUM, after, 2);
    if (result == TACT_OK && (after[0] != sums[0] || after[1] != sums[1])) {
        result = tact_fail(env, TACT_ERROR_INTERNAL,
                           "of %llu particles there are %llu, or not the same ones, after some went to other ranks",
                           (unsigned long long)sums[0], (unsigned long long)after[0]);
    }
    return result;
}

static void find_codes(placing* p)
{
    memset(p->bounds, 0, sizeof p->bounds);
    for (size_t i = 0; i < p->own->count; ++i) {
        const uint32_t clump = tact_clump_of(p->clumps, p->own->tag[i][0]);
        const float* place = clump == TACT_NONE ? p->own->position[i] : p->own->clumps[clump].place;
        const TactCell cell = tact_spread_cell(&p->spread->cells, place);
        p->codes[i] = tact_spread_code(cell);
        tact_spread_bound(p->bounds, cell);
    }
}

/// Notes where particles are, and the greatest work of a rank by the mean: `imbalance`.
static tact_result look_over(placing* p, double* imbalance)
{
    tact_ranks* ranks = p->spread->ranks;
    uint64_t all = work_of_all(p->own), most[1 + TACT_SPREAD_BOUNDS] = {all};
    memcpy(most + 1, p->bounds, sizeof p->bounds);
    tact_result result = tact_ranks_combine(ranks, TACT_RANKS_MAX, most, 1 + TACT_SPREAD_BOUNDS);
    if (result == TACT_OK) result = tact_ranks_combine(ranks, TACT_RANKS_SUM, &all, 1);
    tact_spread_set_bounds(&p->spread->cells, most + 1);
    *imbalance = all > 0 ? (double)most[0] * (double)tact_ranks_count(ranks) / (double)all : 1.0;
    return result;
}

tact_result tact_spread_distribute(tact_particle_spread* s, const TactGrid* grid, float width,
                                   const tact_clump_table* clumps, tact_particle_state* own, tact_particle_state* room)
{
    tact_spread_cells before = s->cells;
    tact_spread_cells_frame(&s->cells, grid, width);
    bool anew = s->cells.cut_count == 0 || !tact_spread_cells_alike(&before, &s->cells) || s->most_imbalance <= 1.0f;
    tact_result result = TACT_OK;
    for (int pass = 0; pass < 2 && result == TACT_OK; ++pass) {
        placing p = {.spread = s, .clumps = clumps, .own = own, .room = room};
        double imbalance = 1.0;
        result = tact_ranks_agree(s->ranks, lack_unless(begin_placing(&p)));
        if (result == TACT_OK) {
            find_codes(&p);
            if (anew) result = cut(&p);
        }
        if (result == TACT_OK) result = migrate(&p);
        if (result == TACT_OK) result = look_over(&p, &imbalance);
        free_placing(&p);
        s->info.imbalance = imbalance;
        if (anew) s->reached = (float)imbalance;
        // Cells cannot be cut: what the last cut has left may be as good as it gets.
        if (anew || imbalance <= fmax((double)s->most_imbalance, 1.05 * (double)s->reached)) break;
        anew = true;
    }
    return result;
}
