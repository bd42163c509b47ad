// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The engine of a system that is spread over ranks. It moves this rank's particles by another engine, in which they lie
// with their ghosts: particles of other ranks within the reach of theirs.
//
// Why all ranks together do what one process does. A substep of forces is worked out for each particle from what is
// within its reach, in an order, or by sums, that do not depend on what else there is. So all that a particle's own
// rank needs is that every particle within its reach is there, with its place, speed, spin and what contacts with it
// remember. Particles are placed when the curve's cells are w wide: each is then on the rank that has its cell, and a
// ghost on all ranks that have a cell about that. Two that are not farther than w apart then are together on the ranks
// of both. After that each moves by u at most, the sum over substeps of the longest way of all;
// as long as 2 u + reach <= w, pairs within reach are together still. Else particles are placed anew. What a
// contact remembers is on the ranks of both, since both work it out, from the same numbers.
//
// With POSITION a particle's partners are those whose cells, in the engine's grid, are neighbours of its own where both
// are predicted to come to. Cells that are neighbours are less than two edges across, and a prediction moves each of
// the two by d at most: pairs are together as long as 2 u + 2 d + 2 edges <= w. Ghosts are predicted where they are
// ghosts, from the same numbers as on their own ranks; after each iteration but the last they get the places that their
// own ranks have worked out.

#include "core/particles/spread_engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/platform.h"
#include "core/particles/spread_move.h"
#include "core/particles/spread_rows.h"

enum { CACHED = 4096 };

typedef struct spread_engine {
    tact_particle_engine base;
    tact_particle_engine_class type;
    tact_particle_spread* spread;
    tact_particle_engine* inner;
    tact_particle_state own;         ///< this rank's, while they are not placed; room else
    tact_particle_state all;         ///< room for those and their ghosts
    bool placed;                     ///< the inner engine has them
    bool apart;                      ///< but on another rank they are not placed
    bool fresh;                      ///< and the ghosts are where they are on their own ranks
    tact_particle_counters counted;  ///< of this rank since ranks were last summed; a device adds late
    float width;                     ///< of cells when they were placed
    float moved;                     ///< since then, at most
    float speed;                     ///< the greatest of all ranks
    TactGrid grid;                   ///< of the model
    tact_particle_halo halo;
    bool read;           ///< `out` has this rank's rows as they are now
    bool under_way;      ///< an exchange
    tact_result begun;   ///< what became of its beginning
    uint32_t exchanged;  ///< POSITION: times in this substep
    size_t own_count, all_count;
    // Whom ghosts are exchanged with, once they are placed.
    void* link;
    uint32_t peer_count;
    uint32_t* peers;                 ///< ranks, ascending
    size_t *out_begins, *in_begins;  ///< by peer: where their rows begin; one more than there are peers
    uint32_t *out_rows, *in_rows;    ///< numbers in the inner engine: of what is sent, of ghosts
    tact_particle_row *out, *in;
    tact_rank_bytes* parts;  ///< room for two for each peer
    size_t peers_capacity, out_begins_capacity, in_begins_capacity, out_rows_capacity, in_rows_capacity;
    size_t out_capacity, in_capacity, parts_capacity;
} spread_engine;

static uint32_t rank_count(const spread_engine* e)
{
    return tact_ranks_count(e->spread->ranks);
}

static tact_result agree(const spread_engine* e, tact_result result)
{
    return tact_ranks_agree(e->spread->ranks, result);
}

static tact_result lack_unless(bool good)
{
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// Room for `count` of an array of the engine, which loses what it has.
static bool room(const spread_engine* e, void* array, size_t* capacity, size_t count, size_t size)
{
    return tact_reserve(e->base.env, array, capacity, 0, count, size);
}

// ---- Taking particles back from the inner engine ----

/// This rank's particles of a state, in place.
static void keep_own(tact_particle_state* s)
{
    size_t kept = 0, records = 0, at = 0;
    for (size_t i = 0; i < s->count; ++i) {
        const uint32_t id = s->tag[i][0];
        const bool ghost = tact_tag_is_ghost(s->tag[i][1]);
        while (s->turns && at < s->record_count && s->records[at].a <= id) {
            if (s->records[at].a == id && !ghost) s->records[records++] = s->records[at];
            ++at;
        }
        if (!ghost) tact_particle_state_move(s, kept++, s, i);
    }
    s->count = kept;
    if (s->turns) s->record_count = records;
}

/// Copies this rank's particles and their ghosts out of the inner engine.
static tact_result take_all(const spread_engine* e, tact_particle_state* to)
{
    TACT_ASSERT(e->placed);
    // The inner engine is not loaded with nothing, and has what was there before.
    if (e->all_count == 0) {
        if (!tact_particle_state_assign(e->base.env, to, &e->all)) return TACT_ERROR_OUT_OF_MEMORY;
        to->record_count = 0;
        return TACT_OK;
    }
    if (!tact_particle_state_reserve(e->base.env, to, e->all_count)) return TACT_ERROR_OUT_OF_MEMORY;
    return e->inner->type->store(e->inner, to);
}

static tact_result take_own(const spread_engine* e, tact_particle_state* to)
{
    const tact_result result = take_all(e, to);
    if (result == TACT_OK) keep_own(to);
    TACT_ASSERT(result != TACT_OK || to->count == e->own_count);
    return result;
}

/// The particles are this rank's copy, and are to be placed before the next substep.
static tact_result unplace(spread_engine* e)
{
    if (!e->placed) return TACT_OK;
    const tact_result result = take_own(e, &e->own);
    if (result == TACT_OK) e->placed = false;
    return result;
}

// ---- Ghosts ----

/// Cells and the ranks about them, as far as they were looked up lately.
typedef struct lookup {
    uint64_t code;
    uint32_t count;
    uint32_t ranks[TACT_SPREAD_AROUND + 1];
} lookup;

/// What goes where: row and rank.
typedef struct share {
    uint32_t row, rank;
} share;

typedef struct shares {
    share* list;
    size_t count, capacity;
} shares;

/// Lists the ranks that are to have this one's particles as ghosts.
static bool find_shares(spread_engine* e, shares* to)
{
    tact_env* env = e->base.env;
    const tact_spread_cells* cells = &e->spread->cells;
    const uint32_t own = tact_ranks_own(e->spread->ranks);
    lookup* cache = tact_allocate(env, CACHED, sizeof *cache);
    for (size_t k = 0; cache && k < CACHED; ++k)
        cache[k].code = UINT64_MAX;
    bool good = cache != NULL;
    for (size_t i = 0; i < e->own.count && good; ++i) {
        const TactCell cell = tact_spread_cell(cells, e->own.position[i]);
        const uint64_t code = tact_spread_code(cell);
        lookup* l = &cache[(code * UINT64_C(0x9e3779b97f4a7c15)) >> 52];
        if (l->code != code) {
            l->code = code;
            l->count = tact_spread_about(cells, cell, own, l->ranks);
        }
        if (l->count == 0) continue;
        good = tact_reserve(env, (void**)&to->list, &to->capacity, to->count, to->count + l->count, sizeof *to->list);
        for (uint32_t k = 0; k < l->count && good; ++k)
            to->list[to->count++] = (share){(uint32_t)i, l->ranks[k]};
    }
    tact_release(env, cache);
    return good;
}

/// By rank, each in order of rows.
static void sort_shares(const shares* s, uint32_t ranks, uint32_t* rows, size_t* begins)
{
    memset(begins, 0, ((size_t)ranks + 2) * sizeof *begins);
    for (size_t k = 0; k < s->count; ++k)
        ++begins[s->list[k].rank + 2];
    for (uint32_t r = 0; r < ranks; ++r)
        begins[r + 2] += begins[r + 1];
    for (size_t k = 0; k < s->count; ++k)
        rows[begins[s->list[k].rank + 1]++] = s->list[k].row;
}

/// Notes the ranks that ghosts are exchanged with, and the ghosts: rows in `all`.
static tact_result note_peers(spread_engine* e, const uint32_t* rows, const size_t* begins,
                              const tact_spread_rows* came, const uint32_t* own_at, const uint32_t* came_at)
{
    const uint32_t ranks = rank_count(e);
    const size_t outs = begins[ranks], ins = came->count;
    bool changed = false;
    uint32_t peers = 0;
    for (uint32_t r = 0; r < ranks; ++r) {
        if (begins[r] == begins[r + 1] && came->begins[r] == came->begins[r + 1]) continue;
        changed = changed || peers >= e->peer_count || e->peers[peers] != r;
        ++peers;
    }
    uint64_t relink = changed || peers != e->peer_count || !e->link;
    const bool good = room(e, &e->peers, &e->peers_capacity, peers, sizeof *e->peers) &&
                      room(e, &e->out_begins, &e->out_begins_capacity, (size_t)peers + 1, sizeof *e->out_begins) &&
                      room(e, &e->in_begins, &e->in_begins_capacity, (size_t)peers + 1, sizeof *e->in_begins) &&
                      room(e, &e->out_rows, &e->out_rows_capacity, outs, sizeof *e->out_rows) &&
                      room(e, &e->in_rows, &e->in_rows_capacity, ins, sizeof *e->in_rows) &&
                      room(e, &e->out, &e->out_capacity, outs, sizeof *e->out) &&
                      room(e, &e->in, &e->in_capacity, ins, sizeof *e->in) &&
                      room(e, &e->parts, &e->parts_capacity, 2 * (size_t)peers, sizeof *e->parts);
    tact_result result = agree(e, lack_unless(good));
    if (result != TACT_OK) return result;
    peers = 0;
    for (uint32_t r = 0; r < ranks; ++r) {
        if (begins[r] == begins[r + 1] && came->begins[r] == came->begins[r + 1]) continue;
        e->out_begins[peers] = begins[r];
        e->in_begins[peers] = came->begins[r];
        e->peers[peers++] = r;
    }
    e->out_begins[peers] = outs;
    e->in_begins[peers] = ins;
    e->peer_count = peers;
    e->read = false;
    for (size_t k = 0; k < outs; ++k)
        e->out_rows[k] = own_at[rows[k]];
    for (size_t k = 0; k < ins; ++k)
        e->in_rows[k] = came_at[k];
    tact_ranks* group = e->spread->ranks;
    result = tact_ranks_combine(group, TACT_RANKS_MAX, &relink, 1);
    if (result != TACT_OK || !relink || ranks == 1) return result;
    if (e->link) group->calls.unlink(group->calls.user, e->link);
    e->link = NULL;
    result = group->calls.link(group->calls.user, e->peers, peers, &e->link);
    if (result != TACT_OK) result = tact_fail(e->base.env, result, "%s", group->calls.explain(group->calls.user));
    return result;
}

/// Drops bonds of ghosts with what is not here.
static void drop_bonds(tact_particle_state* s)
{
    size_t kept = 0;
    for (size_t k = 0; k < s->record_count; ++k) {
        const tact_grain_record* r = &s->records[k];
        const bool bond = tact_grain_bond_of(r).kind > 0.0f;
        if (!bond || tact_particle_state_find(s, r->b) < s->count) s->records[kept++] = *r;
    }
    s->record_count = kept;
}

/// Sends ghosts, and loads the inner engine with all there is.
static tact_result fill(spread_engine* e, const tact_particle_model* model)
{
    tact_env* env = e->base.env;
    tact_ranks* ranks = e->spread->ranks;
    const uint32_t count = rank_count(e);
    shares s = {0};
    size_t *first = NULL, *begins = tact_allocate(env, (size_t)count + 2, sizeof *begins);
    bool good = begins && tact_spread_first_records(env, &e->own, &first) && find_shares(e, &s);
    uint32_t* rows = tact_allocate(env, s.count, sizeof *rows);
    uint32_t* own_at = tact_allocate(env, e->own.count, sizeof *own_at);
    uint32_t* came_at = NULL;
    tact_spread_rows came = {0};
    tact_result result = agree(e, lack_unless(good && rows && own_at));
    if (result == TACT_OK) {
        sort_shares(&s, count, rows, begins);
        const tact_spread_list list = {rows, begins};
        result = tact_spread_send(ranks, &e->own, first, NULL, &list, false, &came);
    }
    if (result == TACT_OK) {
        came_at = tact_allocate(env, came.count, sizeof *came_at);
        good = came_at && tact_spread_join(env, &e->own, first, NULL, &came, true, &e->all, own_at, came_at);
        result = agree(e, lack_unless(good));
    }
    if (result == TACT_OK) result = note_peers(e, rows, begins, &came, own_at, came_at);
    if (result == TACT_OK) {
        if (model->bonded) drop_bonds(&e->all);
        result = agree(e, e->all.count > 0 ? e->inner->type->load(e->inner, &e->all, model->threads) : TACT_OK);
        e->own_count = e->own.count;
        e->all_count = e->all.count;
        e->spread->info.ghosts = came.count;
    }
    tact_spread_rows_free(env, &came);
    tact_release(env, came_at);
    tact_release(env, own_at);
    tact_release(env, rows);
    tact_release(env, s.list);
    tact_release(env, begins);
    tact_release(env, first);
    return result;
}

/// How far apart two particles may be that act on each other, once they are predicted.
static float reach_of(const tact_particle_model* model)
{
    if (model->response == TACT_RESPONSE_POSITION) return 2.0f * model->grid.edge;
    // Cells are wider than the largest are, and bonds break at an eighth more.
    const float reach = model->bonded ? 1.125f * model->grid.edge : model->grid.edge;
    // A clump is where its centre is, and its spheres beyond.
    float beyond = 0.0f;
    for (size_t k = 0; model->clumps && k < model->clumps->count; ++k)
        beyond = fmaxf(beyond, model->clumps->bodies[k].reach);
    return reach + 1.001f * beyond;
}

/// POSITION: how far a prediction may move a particle.
static float ahead_of(const spread_engine* e, const tact_particle_model* model)
{
    const TactMotion* m = &model->motion;
    if (model->response != TACT_RESPONSE_POSITION) return 0.0f;
    const float fallen = 1.001f * (e->speed + m->dt * tact_length3(m->gx, m->gy, m->gz));
    // What other forces do is not known here.
    const bool limited = model->program || model->force_count > 0 || !(fallen < m->speed_limit);
    return 1.001f * m->dt * (limited ? m->speed_limit : fallen);
}

/// Whether pairs that act on each other in the next substep are together.
static bool are_together(const spread_engine* e, const tact_particle_model* model)
{
    return e->placed && !e->apart && reach_of(model) + 2.0f * (e->moved + ahead_of(e, model)) <= 0.9999f * e->width;
}

/// The greatest speed of all, before they are placed.
static tact_result find_speed(spread_engine* e)
{
    float most = 0.0f;
    for (size_t i = 0; i < e->own.count; ++i) {
        const float* v = e->own.velocity[i];
        most = fmaxf(most, tact_length3(v[0], v[1], v[2]));
    }
    uint64_t number = tact_float_bits(most);
    const tact_result result = tact_ranks_combine(e->spread->ranks, TACT_RANKS_MAX, &number, 1);
    e->speed = tact_bits_float(number);
    return result;
}

/// The width of cells: that of before where it serves, so that cuts stay.
static float width_of(const spread_engine* e, const tact_particle_model* model)
{
    const float least = reach_of(model) + 2.0f * ahead_of(e, model), margin = e->spread->margin * model->grid.edge;
    const float before = e->spread->width;
    if (before >= least + 0.5f * margin && before <= 1.5f * (least + margin)) return before;
    return least + margin + 0.5f * ahead_of(e, model);
}

static tact_result place(spread_engine* e, const tact_particle_model* model)
{
    const double start = tact_platform_milliseconds();
    tact_result result = agree(e, unplace(e));
    if (result == TACT_OK) result = find_speed(e);
    const float width = width_of(e, model);
    if (result == TACT_OK)
        result = tact_spread_distribute(e->spread, &model->grid, width, model->clumps, &e->own, &e->all);
    if (result == TACT_OK) result = fill(e, model);
    e->spread->info.place_ms += tact_platform_milliseconds() - start;
    if (result != TACT_OK) return result;
    e->placed = e->fresh = true;
    e->apart = false;
    e->moved = 0.0f;
    e->width = e->spread->width = width;
    ++e->spread->info.placed;
    e->spread->info.held = e->own_count;
    e->spread->info.neighbours = e->peer_count;
    return TACT_OK;
}

// ---- Between placings ----

/// Begins to send rows of particles that are ghosts elsewhere, and to get those of ghosts.
static void begin_exchange(spread_engine* e)
{
    const double start = tact_platform_milliseconds();
    tact_result result = TACT_OK;
    const size_t outs = e->out_begins[e->peer_count];
    if (outs > 0 && !e->read) result = e->inner->type->read_rows(e->inner, e->out_rows, outs, e->out);
    for (uint32_t k = 0; k < e->peer_count; ++k) {
        const size_t out = e->out_begins[k], in = e->in_begins[k];
        e->parts[k] = (tact_rank_bytes){e->peers[k], e->out + out, (e->out_begins[k + 1] - out) * sizeof *e->out};
        e->parts[e->peer_count + k] =
            (tact_rank_bytes){e->peers[k], e->in + in, (e->in_begins[k + 1] - in) * sizeof *e->in};
    }
    // Also after a failure, since others wait; and without neighbours, since a link's ranks exchange together.
    const tact_result reached = rank_count(e) > 1 ? tact_ranks_begin(e->spread->ranks, e->link, e->parts, e->peer_count,
                                                                     e->parts + e->peer_count, e->peer_count)
                                                  : TACT_OK;
    e->under_way = rank_count(e) > 1 && reached == TACT_OK;
    e->begun = result == TACT_OK ? reached : result;
    e->spread->info.exchange_ms += tact_platform_milliseconds() - start;
}

/// Ends what was begun, and puts ghosts in place.
static tact_result end_exchange(spread_engine* e)
{
    const double start = tact_platform_milliseconds();
    const size_t ins = e->in_begins[e->peer_count];
    const tact_result reached = e->under_way ? tact_ranks_end(e->spread->ranks) : TACT_OK;
    tact_result result = e->begun == TACT_OK ? reached : e->begun;
    e->under_way = false;
    if (result == TACT_OK && ins > 0) result = e->inner->type->write_rows(e->inner, &e->grid, e->in_rows, ins, e->in);
    e->spread->info.exchange_ms += tact_platform_milliseconds() - start;
    return result;
}

static tact_result exchange(spread_engine* e)
{
    begin_exchange(e);
    return end_exchange(e);
}

/// Ghosts become what they are on their own ranks.
static tact_result refresh(spread_engine* e)
{
    if (e->fresh) return TACT_OK;
    const tact_result result = exchange(e);
    e->fresh = result == TACT_OK;
    return result;
}

static spread_engine* engine_of(const tact_particle_halo* halo)
{
    return (spread_engine*)(uintptr_t)((const char*)halo - offsetof(spread_engine, halo));
}

/// As tact_particle_halo::exchange.
static tact_result exchange_iteration(const tact_particle_halo* halo)
{
    spread_engine* e = engine_of(halo);
    ++e->exchanged;
    return exchange(e);
}

/// As tact_particle_halo::arrive.
static tact_result arrive(tact_particle_halo* halo)
{
    spread_engine* e = engine_of(halo);
    halo->arrive = NULL;
    return end_exchange(e);
}

/// All that a substep needs is there. All ranks agree on the result where particles were placed: `*agreed`.
static tact_result prepare(spread_engine* e, const tact_particle_model* model, bool* agreed)
{
    e->grid = model->grid;
    *agreed = !are_together(e, model);
    return *agreed ? place(e, model) : refresh(e);
}

/// The same, but that ghosts may be on their way yet, which move() sees to.
static tact_result prepare_late(spread_engine* e, const tact_particle_model* model, bool* agreed)
{
    const bool late = e->inner->type->late && model->response == TACT_RESPONSE_GRAINS && rank_count(e) > 1;
    if (!late || e->fresh || !are_together(e, model)) return prepare(e, model, agreed);
    e->grid = model->grid;
    *agreed = false;
    begin_exchange(e);
    e->halo.arrive = arrive;
    return TACT_OK;
}

/// What all ranks say after a substep: whether one failed, and the greatest speed and way of all.
static tact_result settle(spread_engine* e, tact_result result, float speed, float way)
{
    const double start = tact_platform_milliseconds();
    // Floats from 0 on are in the order of their bits.
    uint64_t numbers[3] = {result != TACT_OK, tact_float_bits(speed), tact_float_bits(way)};
    const tact_result reached = tact_ranks_combine(e->spread->ranks, TACT_RANKS_MAX, numbers, 3);
    e->spread->info.agree_ms += tact_platform_milliseconds() - start;
    if (reached != TACT_OK) return reached;
    if (numbers[0] != 0) return agree(e, result);
    e->speed = tact_bits_float(numbers[1]);
    e->halo.farthest = 1.001f * tact_bits_float(numbers[2]);
    e->moved += e->halo.farthest;
    return TACT_OK;
}

/// Lets the inner engine do a substep. With POSITION as many exchanges as all others do, also where it fails or there
/// is nothing to move.
static tact_result move(spread_engine* e, const tact_particle_model* model, tact_particle_counters* counters)
{
    tact_result result = TACT_OK;
    e->read = false;
    const bool iterates = model->response == TACT_RESPONSE_POSITION && model->iterations > 1;
    e->exchanged = 0;
    if (e->all_count > 0) result = e->inner->type->step(e->inner, model, 1, counters);
    if (e->halo.arrive) {
        // Others wait for what this rank sends also where it has nothing to move, or failed.
        const tact_result reached = arrive(&e->halo);
        if (result == TACT_OK) result = reached;
    }
    while (iterates && e->exchanged < model->iterations - 1) {
        const tact_result reached = exchange_iteration(&e->halo);
        if (result == TACT_OK) result = reached;
    }
    return result;
}

static tact_result substep(spread_engine* e, const tact_particle_model* model, tact_particle_counters* counters)
{
    float speed = 0.0f, way = 0.0f;
    bool agreed;
    tact_result result = prepare_late(e, model, &agreed);
    if (result != TACT_OK && agreed) return result;
    const double start = tact_platform_milliseconds();
    if (result == TACT_OK || model->response == TACT_RESPONSE_POSITION) {
        const tact_result moved = move(e, model, counters);
        if (result == TACT_OK) result = moved;
    }
    if (result == TACT_OK && e->all_count > 0)
        result =
            e->inner->type->fastest(e->inner, model, e->out_rows, e->out_begins[e->peer_count], e->out, &speed, &way);
    e->read = result == TACT_OK;
    e->fresh = false;
    e->spread->info.step_ms += tact_platform_milliseconds() - start;
    return settle(e, result, speed, way);
}

// ---- As an engine ----

static tact_result spread_load(tact_particle_engine* engine, const tact_particle_state* state, int threads)
{
    spread_engine* e = (spread_engine*)engine;
    (void)threads;
    if (!tact_particle_state_assign(engine->env, &e->own, state)) return TACT_ERROR_OUT_OF_MEMORY;
    e->placed = false;
    e->spread->info.held = state->count;
    return TACT_OK;
}

static tact_result spread_store(tact_particle_engine* engine, tact_particle_state* state)
{
    const spread_engine* e = (const spread_engine*)engine;
    if (e->placed) return take_own(e, state);
    return lack_unless(tact_particle_state_assign(engine->env, state, &e->own));
}

static tact_result spread_step(tact_particle_engine* engine, const tact_particle_model* model, uint32_t substeps,
                               tact_particle_counters* counters)
{
    spread_engine* e = (spread_engine*)engine;
    tact_particle_model with = *model;
    with.halo = &e->halo;
    tact_result result = TACT_OK;
    for (uint32_t k = 0; k < substeps && result == TACT_OK; ++k) {
        with.first_substep = model->first_substep + k;
        result = substep(e, &with, &e->counted);
    }
    if (result != TACT_OK) return result;
    uint64_t numbers[4] = {e->counted.slowed, e->counted.stopped, e->counted.unforced, e->counted.capped};
    e->counted = (tact_particle_counters){0};
    result = tact_ranks_combine(e->spread->ranks, TACT_RANKS_SUM, numbers, 4);
    counters->slowed += numbers[0];
    counters->stopped += numbers[1];
    counters->unforced += numbers[2];
    counters->capped += numbers[3];
    return result;
}

size_t tact_spread_own_contacts(const tact_particle_state* all, const tact_particle_contact* from, size_t count,
                                tact_particle_contact* contacts, size_t capacity)
{
    size_t found = 0, row = 0;
    for (size_t i = 0; i < count; ++i) {
        while (all->tag[row][0] < from[i].a)
            ++row;
        if (tact_tag_is_ghost(all->tag[row][1])) continue;
        if (found < capacity) contacts[found] = from[i];
        ++found;
    }
    return found;
}

static tact_result spread_contacts(tact_particle_engine* engine, const tact_particle_model* model,
                                   tact_particle_contact* contacts, size_t capacity, size_t* count)
{
    spread_engine* e = (spread_engine*)engine;
    tact_particle_contact* all = NULL;
    size_t found = 0;
    *count = 0;
    bool agreed;
    tact_result result = agree(e, prepare(e, model, &agreed));
    if (result == TACT_OK && e->all_count > 0) {
        result = e->inner->type->contacts(e->inner, model, NULL, 0, &found);
        if (result == TACT_INCOMPLETE) result = TACT_OK;
        if (result == TACT_OK) all = tact_allocate(engine->env, found, sizeof *all);
        if (result == TACT_OK && !all) result = TACT_ERROR_OUT_OF_MEMORY;
        if (result == TACT_OK) result = e->inner->type->contacts(e->inner, model, all, found, &found);
        // Which of them are ghosts: `all` is as it was placed, but for places and speeds.
        if (result == TACT_OK) *count = tact_spread_own_contacts(&e->all, all, found, contacts, capacity);
        tact_release(engine->env, all);
    }
    return agree(e, result);
}

tact_result tact_spread_engine_meet(tact_particle_engine* engine, tact_ranks* ranks, tact_result result)
{
    spread_engine* e = (spread_engine*)engine;
    bool apart = !e || !e->placed;
    result = tact_ranks_agree_and(ranks, result, &apart);
    if (e) e->apart = apart;
    return result;
}

tact_result tact_spread_engine_surroundings(tact_particle_engine* engine, const tact_particle_model* model,
                                            tact_particle_state* state)
{
    spread_engine* e = (spread_engine*)engine;
    bool agreed;
    *state = (tact_particle_state){.turns = e->own.turns};
    const tact_result result = agree(e, prepare(e, model, &agreed));
    return result == TACT_OK ? agree(e, take_all(e, state)) : result;
}

// ---- Sinks ----

static int compare_ids(const void* a, const void* b)
{
    const uint32_t p = *(const uint32_t*)a, q = *(const uint32_t*)b;
    return (p > q) - (p < q);
}

/// Takes rows that are gone out of a list, and numbers those that stay anew.
static void close_rows(uint32_t* rows, size_t* begins, uint32_t peers, const uint32_t* renumbered)
{
    size_t kept = 0, at = 0;
    for (uint32_t k = 0; k < peers; ++k) {
        const size_t end = begins[k + 1];
        begins[k] = kept;
        for (; at < end; ++at) {
            if (renumbered[rows[at]] != TACT_NONE) rows[kept++] = renumbered[rows[at]];
        }
    }
    begins[peers] = kept;
}

/// Forgets particles that the inner engine has not any more. `ids` are sorted; `renumbered` is room for all rows. Those
/// that were this rank's come first afterwards; returns how many.
static size_t forget(spread_engine* e, uint32_t* ids, size_t count, uint32_t* renumbered)
{
    tact_particle_state* s = &e->all;
    size_t kept = 0, gone = 0, own = 0;
    for (size_t i = 0; i < s->count; ++i) {
        const bool goes = gone < count && ids[gone] == s->tag[i][0];
        renumbered[i] = goes ? TACT_NONE : (uint32_t)kept;
        if (goes) {
            if (!tact_tag_is_ghost(s->tag[i][1])) ids[own++] = ids[gone];
            ++gone;
        } else {
            memmove(s->tag[kept++], s->tag[i], sizeof *s->tag);
        }
    }
    TACT_ASSERT(gone == count);
    s->count = e->all_count = kept;
    e->read = false;
    e->own_count -= own;
    close_rows(e->out_rows, e->out_begins, e->peer_count, renumbered);
    close_rows(e->in_rows, e->in_begins, e->peer_count, renumbered);
    e->spread->info.held = e->own_count;
    e->spread->info.ghosts = e->all_count - e->own_count;
    return own;
}

/// Ghosts are where their own ranks have them, so that sinks take the same particles wherever these are.
static tact_result spread_drain(tact_particle_engine* engine, const tact_particle_solid* regions, uint32_t region_count,
                                uint32_t* ids, size_t* count)
{
    spread_engine* e = (spread_engine*)engine;
    tact_env* env = engine->env;
    TACT_ASSERT(e->placed);
    size_t found = 0, own = 0;
    void* all = NULL;
    uint64_t size = 0;
    uint32_t* here = tact_allocate(env, e->all_count, sizeof *here);
    uint32_t* renumbered = tact_allocate(env, e->all_count, sizeof *renumbered);
    // Without memory too, since others wait for what this rank sends.
    const bool good = here && renumbered;
    tact_result result = refresh(e);
    result = agree(e, good ? result : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) {
        if (e->all_count > 0) result = e->inner->type->drain(e->inner, regions, region_count, here, &found);
        if (result == TACT_OK && found > 0) {
            qsort(here, found, sizeof *here, compare_ids);
            own = forget(e, here, found, renumbered);
        }
        result = agree(e, result);
    }
    uint64_t gone = own;
    if (result == TACT_OK) result = tact_ranks_combine(e->spread->ranks, TACT_RANKS_SUM, &gone, 1);
    if (result == TACT_OK && gone > 0)
        result = tact_ranks_share(e->spread->ranks, here, own * sizeof *here, &all, &size);
    if (size > 0) memcpy(ids, all, (size_t)size);
    *count = (size_t)(size / sizeof *ids);
    tact_release(env, all);
    tact_release(env, renumbered);
    tact_release(env, here);
    return result;
}

static tact_result spread_append(tact_particle_engine* engine, const tact_particle_state* extra)
{
    spread_engine* e = (spread_engine*)engine;
    const tact_result result = unplace(e);
    if (result != TACT_OK) return result;
    if (!tact_particle_state_reserve(engine->env, &e->own, e->own.count + extra->count))
        return TACT_ERROR_OUT_OF_MEMORY;
    tact_particle_state_merge(&e->own, extra);
    e->spread->info.held = e->own.count;
    return TACT_OK;
}

static uint64_t state_bytes(const tact_particle_state* s)
{
    return s->capacity * (s->turns ? 72u : 40u) + s->record_capacity * sizeof *s->records;
}

static uint64_t spread_bytes(const tact_particle_engine* engine)
{
    const spread_engine* e = (const spread_engine*)engine;
    return e->inner->type->bytes(e->inner) + state_bytes(&e->own) + state_bytes(&e->all) +
           (e->out_capacity + e->in_capacity) * sizeof *e->in +
           (e->out_rows_capacity + e->in_rows_capacity) * sizeof *e->in_rows;
}

static tact_result spread_wait(tact_particle_engine* engine)
{
    const spread_engine* e = (const spread_engine*)engine;
    return e->inner->type->wait ? e->inner->type->wait(e->inner) : TACT_OK;
}

static void spread_destroy(tact_particle_engine* engine)
{
    spread_engine* e = (spread_engine*)engine;
    tact_env* env = engine->env;
    tact_ranks* ranks = e->spread->ranks;
    if (e->link) ranks->calls.unlink(ranks->calls.user, e->link);
    e->inner->type->destroy(e->inner);
    tact_particle_state_free(env, &e->own);
    tact_particle_state_free(env, &e->all);
    void* const rest[] = {e->peers, e->out_begins, e->in_begins, e->out_rows, e->in_rows, e->out, e->in, e->parts};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; ++i)
        tact_release(env, rest[i]);
    tact_release(env, e);
}

tact_result tact_spread_engine_create(tact_env* env, tact_particle_spread* spread, tact_particle_engine* inner,
                                      bool turns, tact_particle_engine** engine)
{
    spread_engine* e = tact_allocate_zeroed(env, 1, sizeof *e);
    if (!e) {
        inner->type->destroy(inner);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    e->type = (tact_particle_engine_class){
        .backend = inner->type->backend,
        .destroy = spread_destroy,
        .load = spread_load,
        .store = spread_store,
        .step = spread_step,
        .contacts = spread_contacts,
        .bytes = spread_bytes,
        .wait = spread_wait,
        .append = spread_append,
        .drain = spread_drain,
    };
    TACT_ASSERT(inner->type->drain && inner->type->read_rows && inner->type->write_rows && inner->type->fastest);
    e->base = (tact_particle_engine){&e->type, env};
    e->spread = spread;
    e->inner = inner;
    e->halo.exchange = exchange_iteration;
    e->own.turns = e->all.turns = turns;
    *engine = &e->base;
    return TACT_OK;
}
