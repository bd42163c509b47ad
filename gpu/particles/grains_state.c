// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Grains between the host's state and a device: what contacts remember lies in records by id there, and here in lists
// by slot, each pair twice, and in chains.

#include <stdlib.h>
#include <string.h>

#include "gpu/particles/grains.h"
#include "kernels/grain_layout.h"
#include "kernels/particle_listing.h"

_Static_assert(TACT_CONTACT_PARTICLE == TACT_WITH_PARTICLE && TACT_CONTACT_WALL == TACT_WITH_WALL &&
                   TACT_CONTACT_COLLIDER == TACT_WITH_COLLIDER && TACT_CONTACT_BODY == TACT_WITH_BODY,
               "surfaces of nodes");
_Static_assert(TACT_MAX_BODIES < 1 << 28 && TACT_MAX_COLLIDERS < 1 << 28, "numbers of surfaces");

typedef uint32_t row[4];

// ---- To the device ----

/// The opposite of a number that a contact remembers, but never -0.
static uint32_t opposite_of(float x)
{
    return as_uint(0.0f - x);
}

/// A list of a state's pairs, by rows of the state.
typedef struct packed_list {
    row* rows;
    size_t count, rolls, bonds;  ///< rows; where angles and bonds are
    uint32_t longest;
    uint32_t* lengths;  ///< of each row of the state
} packed_list;

static void put_pair(packed_list* l, size_t from, size_t to, const tact_grain_record* r, bool opposite)
{
    const TactGrainMemory* m = &r->spring;
    const size_t at =
        l->rows[from / TACT_GRAIN_LANES][0] + l->lengths[from]++ * TACT_GRAIN_LANES + from % TACT_GRAIN_LANES;
    const float numbers[6] = {m->sx, m->sy, m->sz, m->rx, m->ry, m->rz};
    uint32_t words[6];
    for (size_t k = 0; k < 6; ++k)
        words[k] = opposite ? opposite_of(numbers[k]) : as_uint(numbers[k]);
    const row slid = {(uint32_t)to, words[0], words[1], words[2]};
    const row rolled = {words[3], words[4], words[5], as_uint(m->twist)};
    memcpy(l->rows[at], slid, sizeof slid);
    memcpy(l->rows[l->rolls + at], rolled, sizeof rolled);
    const TactBond bond = tact_grain_bond_of(r);
    const row held = {as_uint(bond.rest), as_uint(bond.kind), 0, 0};
    memcpy(l->rows[l->bonds + at], held, sizeof held);
}

/// The row of the partner in a record; that of a ghost may not be there: the number of all rows.
static size_t partner_of(const tact_particle_state* s, const tact_grain_record* r)
{
    return r->with == TACT_CONTACT_PARTICLE ? tact_particle_state_find(s, r->b) : s->count;
}

static void place_pairs(packed_list* l, const tact_particle_state* s)
{
    size_t from = 0;
    memset(l->lengths, 0, s->count * sizeof *l->lengths);
    for (size_t k = 0; k < s->record_count; ++k) {
        const tact_grain_record* r = &s->records[k];
        const size_t to = partner_of(s, r);
        if (to == s->count) continue;
        while (s->tag[from][0] != r->a)
            ++from;
        put_pair(l, from, to, r, false);
        put_pair(l, to, from, r, true);
    }
}

static void count_pairs(packed_list* l, const tact_particle_state* s)
{
    size_t from = 0;
    for (size_t k = 0; k < s->record_count; ++k) {
        const tact_grain_record* r = &s->records[k];
        const size_t to = partner_of(s, r);
        if (to == s->count) continue;
        while (s->tag[from][0] != r->a)
            ++from;
        ++l->lengths[from];
        ++l->lengths[to];
    }
}

/// The pairs of the particle that has most in a block.
static uint32_t most_of(const packed_list* l, size_t count, size_t block)
{
    uint32_t most = 0;
    for (size_t i = block * TACT_GRAIN_LANES; i < count && i < (block + 1) * TACT_GRAIN_LANES; ++i)
        most = l->lengths[i] > most ? l->lengths[i] : most;
    return most;
}

static bool make_packed(tact_env* env, const tact_particle_state* s, packed_list* l)
{
    const size_t blocks = tact_gpu_grain_blocks(s->count);
    l->lengths = tact_allocate_zeroed(env, s->count + 1, sizeof *l->lengths);
    if (!l->lengths) return false;
    count_pairs(l, s);
    size_t pairs = 0;
    for (size_t b = 0; b < blocks; ++b) {
        const uint32_t most = most_of(l, s->count, b);
        pairs += (size_t)most * TACT_GRAIN_LANES;
        l->longest = most > l->longest ? most : l->longest;
    }
    l->rolls = pairs;
    l->bonds = 2 * pairs;
    l->count = blocks + 3 * pairs;
    l->rows = tact_allocate(env, l->count + 1, sizeof *l->rows);
    if (!l->rows) return false;
    memset(l->rows, 0xff, l->count * sizeof *l->rows);
    size_t at = blocks;
    for (size_t b = 0; b < blocks; ++b) {
        const uint32_t most = most_of(l, s->count, b);
        const row head = {(uint32_t)at, most, 0, 0};
        memcpy(l->rows[b], head, sizeof head);
        at += (size_t)most * TACT_GRAIN_LANES;
    }
    place_pairs(l, s);
    return true;
}

static tact_result upload_pairs(tact_gpu_particles* e, const tact_particle_state* s)
{
    tact_gpu_grains* g = e->grains;
    packed_list l = {0};
    g->list_count = 0;
    g->rolls = g->bonds = 0;
    g->longest = 0;
    g->list_rows = 0;
    if (s->record_count == 0) return tact_device_result(e->device);
    if (!make_packed(e->base.env, s, &l)) tact_device_fail(e->device, TACT_ERROR_OUT_OF_MEMORY);
    if (l.count > UINT32_MAX) TACT_DEVICE_FAIL(e->device, TACT_ERROR_LIMIT, "%llu pairs", (unsigned long long)l.rolls);
    tact_gpu_particles_need(e, &g->memory, (uint64_t)l.count * sizeof(row), "pairs of particles");
    if (tact_device_result(e->device) == TACT_OK) tact_buffer_write(g->memory, 0, l.rows, l.count * sizeof(row));
    if (tact_device_result(e->device) == TACT_OK) {
        g->list_count = s->count;
        g->rolls = (uint32_t)l.rolls;
        g->bonds = (uint32_t)l.bonds;
        g->longest = l.longest;
        g->list_rows = l.count;
    }
    tact_release(e->base.env, l.rows);
    tact_release(e->base.env, l.lengths);
    return tact_device_result(e->device);
}

/// Spins with the first of each one's contacts with surfaces, these, and each one's place.
typedef struct packed_slots {
    row *spins, *nodes;
    uint32_t (*origin)[2];
} packed_slots;

static void put_node(row* nodes, size_t k, const tact_grain_record* r)
{
    const TactGrainMemory* m = &r->spring;
    const row rows[TACT_GRAIN_NODE_ROWS] = {
        {TACT_GRAIN_SURFACE(r->with, r->b), as_uint(r->normal[0]), as_uint(r->normal[1]), as_uint(r->normal[2])},
        {as_uint(m->sx), as_uint(m->sy), as_uint(m->sz), as_uint(m->twist)},
        {as_uint(m->rx), as_uint(m->ry), as_uint(m->rz), 0},
        {TACT_GRAIN_NONE, 0, 0, 0}};
    memcpy(nodes + TACT_GRAIN_NODE_ROWS * k, rows, sizeof rows);
}

static uint32_t place_slots(packed_slots* p, const tact_particle_state* s)
{
    uint32_t taken = 0;
    size_t k = 0;
    for (size_t i = 0; i < s->count; ++i) {
        memcpy(p->spins[i], s->spin[i], sizeof p->spins[i]);
        p->spins[i][3] = TACT_GRAIN_NONE;
        p->origin[i][0] = (uint32_t)i;
        p->origin[i][1] = tact_tag_is_ghost(s->tag[i][1]);
        uint32_t last = TACT_GRAIN_NONE;
        for (; k < s->record_count && s->records[k].a == s->tag[i][0]; ++k) {
            // What a ghost's contacts with surfaces remember is worked out on its own rank.
            if (s->records[k].with == TACT_CONTACT_PARTICLE || tact_tag_is_ghost(s->tag[i][1])) continue;
            put_node(p->nodes, taken, &s->records[k]);
            if (last == TACT_GRAIN_NONE)
                p->spins[i][3] = taken;
            else
                p->nodes[TACT_GRAIN_NODE_ROWS * last + 3][0] = taken;
            last = taken++;
        }
    }
    TACT_ASSERT(k == s->record_count);
    return taken;
}

static tact_result write_slots(tact_gpu_particles* e, const tact_particle_state* s, const packed_slots* p,
                               uint32_t nodes)
{
    tact_gpu_grains* g = e->grains;
    // As large as the scratch, with which they change places.
    const uint64_t bytes = tact_buffer_size(e->other.position);
    tact_gpu_particles_need(e, &g->spin, bytes, "spins");
    tact_gpu_particles_need(e, &g->turn, bytes, "orientations");
    tact_gpu_particles_need(e, &g->origin, tact_buffer_size(e->other.tag), "places in lists");
    tact_gpu_grains_node_room(e, nodes);
    if (tact_device_result(e->device) != TACT_OK || s->count == 0) return tact_device_result(e->device);
    tact_buffer_write(g->spin, 0, p->spins, s->count * sizeof *p->spins);
    tact_buffer_write(g->turn, 0, s->turn, s->count * sizeof *s->turn);
    if (nodes > 0) tact_buffer_write(g->nodes, 0, p->nodes, (size_t)nodes * TACT_GRAIN_NODE_ROWS * sizeof(row));
    return tact_buffer_write(g->origin, 0, p->origin, s->count * sizeof *p->origin);
}

static tact_result upload_slots(tact_gpu_particles* e, const tact_particle_state* s)
{
    tact_gpu_grains* g = e->grains;
    tact_env* env = e->base.env;
    packed_slots p = {.spins = tact_allocate(env, s->count + 1, sizeof *p.spins),
                      .nodes = tact_allocate(env, s->record_count + 1, TACT_GRAIN_NODE_ROWS * sizeof *p.nodes),
                      .origin = tact_allocate(env, s->count + 1, sizeof *p.origin)};
    if (p.spins && p.nodes && p.origin) {
        const uint32_t nodes = place_slots(&p, s);
        write_slots(e, s, &p, nodes);
        g->pool = false;
        g->touched = nodes > 0;
    } else {
        tact_device_fail(e->device, TACT_ERROR_OUT_OF_MEMORY);
    }
    tact_release(env, p.spins);
    tact_release(env, p.nodes);
    tact_release(env, p.origin);
    return tact_device_result(e->device);
}

tact_result tact_gpu_grains_upload(tact_gpu_particles* e, const tact_particle_state* state)
{
    TACT_ASSERT(state->turns);
    e->grains->holds = false;
    e->grains->age = 0;
    upload_slots(e, state);
    tact_gpu_clumps_upload(e, state);
    return upload_pairs(e, state);
}

enum { PART = 1024 };

/// How `count` grains turn that come to slots from `at` on; they are in no list, and touch nothing yet.
static tact_result put_down(tact_gpu_particles* e, const tact_particle_state* extra, size_t from, size_t count,
                            size_t at)
{
    const tact_gpu_grains* g = e->grains;
    row spins[PART];
    float turns[PART][4];
    uint32_t origin[PART][2];
    TACT_ASSERT(count <= PART);
    for (size_t i = 0; i < count; ++i) {
        const float rest[2][4] = {{0.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
        memcpy(spins[i], extra ? extra->spin[from + i] : rest[0], sizeof spins[i]);
        memcpy(turns[i], extra ? extra->turn[from + i] : rest[1], sizeof turns[i]);
        spins[i][3] = TACT_GRAIN_NONE;
        origin[i][0] = TACT_GRAIN_NONE;
        origin[i][1] = 0;
    }
    tact_buffer_write(g->spin, at * sizeof *spins, spins, count * sizeof *spins);
    tact_buffer_write(g->turn, at * sizeof *turns, turns, count * sizeof *turns);
    return tact_buffer_write(g->origin, at * sizeof *origin, origin, count * sizeof *origin);
}

tact_result tact_gpu_grains_come(tact_gpu_particles* e, const tact_particle_state* extra, size_t count)
{
    tact_gpu_grains* g = e->grains;
    const size_t bytes = tact_buffer_size(e->other.position), there = e->count * sizeof(row);
    tact_gpu_particles_lengthen(e, &g->spin, bytes, there);
    tact_gpu_particles_lengthen(e, &g->turn, bytes, there);
    tact_gpu_particles_lengthen(e, &g->origin, tact_buffer_size(e->other.tag), there / 2);
    for (size_t done = 0; done < count && tact_device_result(e->device) == TACT_OK; done += PART)
        put_down(e, extra, done, count - done < PART ? count - done : PART, e->count + done);
    if (tact_device_result(e->device) == TACT_OK) g->holds = false;
    return tact_device_result(e->device);
}

// ---- From the device ----

/// All that is read, and what it is made into.
typedef struct unpacking {
    const tact_gpu_grains* grains;
    size_t count;  ///< of particles
    row *memory, *nodes;
    uint32_t (*origin)[2];
    uint32_t* slots;  ///< of places in the list; TACT_NONE: it is there no more
    tact_particle_state* state;
} unpacking;

static bool add_record(tact_env* env, unpacking* u, const tact_grain_record* r)
{
    tact_particle_state* s = u->state;
    if (s->record_count == s->record_capacity &&
        !tact_particle_state_reserve_records(env, s, s->record_count + s->record_count / 2 + 64)) {
        return false;
    }
    s->records[s->record_count++] = *r;
    return true;
}

/// The contacts of the particle in a slot with those of greater ids.
static bool add_pairs(tact_env* env, unpacking* u, size_t slot)
{
    const tact_gpu_grains* g = u->grains;
    const uint32_t place = u->origin[slot][0], id = u->state->tag[slot][0];
    if (place >= g->list_count) return true;
    const uint32_t* head = u->memory[place / TACT_GRAIN_LANES];
    for (uint32_t k = 0; k < head[1]; ++k) {
        const size_t at = (size_t)head[0] + (size_t)k * TACT_GRAIN_LANES + place % TACT_GRAIN_LANES;
        const uint32_t* pair = u->memory[at];
        if (pair[0] == TACT_GRAIN_NONE) break;
        TACT_ASSERT(pair[0] < g->list_count);
        if (pair[1] == TACT_GRAIN_APART || u->slots[pair[0]] == TACT_NONE) continue;
        const uint32_t other = u->state->tag[u->slots[pair[0]]][0];
        if (other < id) continue;
        tact_grain_record r = {.a = id, .with = TACT_CONTACT_PARTICLE, .b = other, .spring = tact_grain_forgotten()};
        r.spring.sx = as_float(pair[1]);
        r.spring.sy = as_float(pair[2]);
        r.spring.sz = as_float(pair[3]);
        if (g->rolls > 0) {
            const uint32_t* rolled = u->memory[g->rolls + at];
            r.spring.rx = as_float(rolled[0]);
            r.spring.ry = as_float(rolled[1]);
            r.spring.rz = as_float(rolled[2]);
            r.spring.twist = as_float(rolled[3]);
        }
        for (size_t n = 0; n < 2 && g->bonds > 0; ++n)
            r.normal[n] = as_float(u->memory[g->bonds + at][n]);
        if (!add_record(env, u, &r)) return false;
    }
    return true;
}

static bool add_chain(tact_env* env, unpacking* u, size_t slot, uint32_t first)
{
    const uint32_t room = u->grains->node_room;
    for (uint32_t node = first; node != TACT_GRAIN_NONE;) {
        const size_t number = (node & ~TACT_GRAIN_POOL) + (node & TACT_GRAIN_POOL ? room : 0);
        const row* rows = (const row*)u->nodes + number * TACT_GRAIN_NODE_ROWS;
        TACT_ASSERT((node & ~TACT_GRAIN_POOL) < room);
        const tact_grain_record r = {
            .a = u->state->tag[slot][0],
            .with = rows[0][0] >> 28,
            .b = rows[0][0] & 0xfffffffu,
            .normal = {as_float(rows[0][1]), as_float(rows[0][2]), as_float(rows[0][3])},
            .spring = {as_float(rows[1][0]), as_float(rows[1][1]), as_float(rows[1][2]), as_float(rows[2][0]),
                       as_float(rows[2][1]), as_float(rows[2][2]), as_float(rows[1][3])}};
        if (!add_record(env, u, &r)) return false;
        node = rows[3][0];
    }
    return true;
}

static int compare_others(const void* a, const void* b)
{
    const tact_grain_record *r = a, *s = b;
    return r->b < s->b ? -1 : r->b > s->b;
}

/// `order`: slots by id.
static bool make_records(tact_env* env, unpacking* u, const uint32_t* order)
{
    tact_particle_state* s = u->state;
    memset(u->slots, 0xff, u->grains->list_count * sizeof *u->slots);
    for (size_t i = 0; i < u->count; ++i) {
        if (u->origin[i][0] < u->grains->list_count) u->slots[u->origin[i][0]] = (uint32_t)i;
    }
    for (size_t k = 0; k < u->count; ++k) {
        const uint32_t slot = order[k];
        const size_t first = s->record_count;
        if (!add_pairs(env, u, slot)) return false;
        if (s->record_count > first + 1)
            qsort(s->records + first, s->record_count - first, sizeof *s->records, compare_others);
        if (!add_chain(env, u, slot, as_uint(s->spin[slot][3]))) return false;
        s->spin[slot][3] = 0.0f;
    }
    return true;
}

static tact_result read_all(tact_gpu_particles* e, const unpacking* u)
{
    const tact_gpu_grains* g = u->grains;
    const size_t n = u->count, nodes = tact_buffer_size(g->nodes);
    tact_read reads[5] = {
        {g->spin, 0, n * 16, u->state->spin}, {g->turn, 0, n * 16, u->state->turn}, {g->origin, 0, n * 8, u->origin}};
    size_t count = 3;
    if (g->list_count > 0) reads[count++] = (tact_read){g->memory, 0, (size_t)g->list_rows * 16, u->memory};
    if (g->touched) reads[count++] = (tact_read){g->nodes, 0, nodes, u->nodes};
    return tact_device_read(e->device, reads, count);
}

tact_result tact_gpu_grains_read(tact_gpu_particles* e, tact_particle_state* staging, const uint32_t* order)
{
    const tact_gpu_grains* g = e->grains;
    tact_env* env = e->base.env;
    if (tact_device_result(e->device) != TACT_OK || e->count == 0) return tact_device_result(e->device);
    const size_t rows = g->list_count > 0 ? (size_t)g->list_rows : 0;
    const size_t nodes = g->touched ? tact_buffer_size(g->nodes) / sizeof(row) : 0;
    unpacking u = {.grains = g,
                   .count = e->count,
                   .memory = tact_allocate(env, rows + 1, sizeof *u.memory),
                   .nodes = tact_allocate(env, nodes + 1, sizeof *u.nodes),
                   .origin = tact_allocate(env, e->count, sizeof *u.origin),
                   .slots = tact_allocate(env, g->list_count + 1, sizeof *u.slots),
                   .state = staging};
    const bool room = u.memory && u.nodes && u.origin && u.slots;
    if (!room) tact_device_fail(e->device, TACT_ERROR_OUT_OF_MEMORY);
    if (room && read_all(e, &u) == TACT_OK && !make_records(env, &u, order))
        tact_device_fail(e->device, TACT_ERROR_OUT_OF_MEMORY);
    tact_gpu_clumps_read(e, staging);
    tact_release(env, u.memory);
    tact_release(env, u.nodes);
    tact_release(env, u.origin);
    tact_release(env, u.slots);
    return tact_device_result(e->device);
}
