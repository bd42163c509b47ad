// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "core/particles/spread_rows.h"

#include <string.h>

#include "base/xxh64.h"
#include "cpu_ref/pair_keys.h"

/// What a message begins with. Rows follow, then their records, then motions of clumps.
typedef struct head {
    uint64_t digest;  ///< of what follows
    uint32_t rows, records, motions, unused;
} head;

/// A row; those that do not turn end before `spin`.
typedef struct row {
    float position[4], velocity[4];
    uint32_t tag[2];
    uint32_t records;  ///< of it
    uint32_t unused;
    float spin[4], turn[4];
} row;

static size_t row_size(bool turns)
{
    return turns ? sizeof(row) : offsetof(row, spin);
}

bool tact_spread_first_records(tact_env* env, const tact_particle_state* s, size_t** first)
{
    *first = NULL;
    if (!s->turns) return true;
    *first = tact_allocate(env, s->count + 1, sizeof **first);
    if (!*first) return false;
    size_t at = 0;
    for (size_t i = 0; i < s->count; ++i) {
        // Records of what is not there any more are passed over.
        while (at < s->record_count && s->records[at].a < s->tag[i][0])
            ++at;
        (*first)[i] = at;
        while (at < s->record_count && s->records[at].a == s->tag[i][0])
            ++at;
    }
    (*first)[s->count] = at;
    return true;
}

/// How many of a particle's records go with it: those of pairs come first.
static uint32_t records_of(const tact_particle_state* s, const size_t* first, size_t i, bool all)
{
    if (!first) return 0;
    size_t end = first[i];
    while (end < first[i + 1] && s->records[end].a == s->tag[i][0] &&
           (all || s->records[end].with == TACT_CONTACT_PARTICLE)) {
        ++end;
    }
    return (uint32_t)(end - first[i]);
}

typedef struct packing {
    const tact_particle_state* state;
    const size_t* first;
    const tact_clump_table* clumps;  ///< whose motions travel, or NULL
    bool all;
} packing;

static size_t size_of(const packing* p, const uint32_t* rows, size_t count)
{
    size_t records = 0, motions = 0;
    if (count == 0) return 0;
    for (size_t k = 0; k < count; ++k) {
        records += records_of(p->state, p->first, rows[k], p->all);
        motions += tact_clump_led_by(p->clumps, p->state->tag[rows[k]][0]) != TACT_NONE;
    }
    const size_t bytes = sizeof(head) + count * row_size(p->state->turns) + records * sizeof(tact_grain_record) +
                         motions * sizeof(tact_clump_motion);
    return (bytes + 7) / 8 * 8;
}

static void pack(const packing* p, const uint32_t* rows, size_t count, uint8_t* to, size_t size)
{
    const tact_particle_state* s = p->state;
    const size_t each = row_size(s->turns);
    head h = {.rows = (uint32_t)count};
    uint8_t *at = to + sizeof h, *records = at + count * each;
    for (size_t k = 0; k < count; ++k) {
        const size_t i = rows[k];
        row r = {.records = records_of(s, p->first, i, p->all)};
        memcpy(r.position, s->position[i], sizeof r.position);
        memcpy(r.velocity, s->velocity[i], sizeof r.velocity);
        memcpy(r.tag, s->tag[i], sizeof r.tag);
        if (s->turns) {
            memcpy(r.spin, s->spin[i], sizeof r.spin);
            memcpy(r.turn, s->turn[i], sizeof r.turn);
        }
        memcpy(at, &r, each);
        at += each;
        if (r.records == 0) continue;
        memcpy(records, s->records + p->first[i], r.records * sizeof(tact_grain_record));
        records += r.records * sizeof(tact_grain_record);
        h.records += r.records;
    }
    uint8_t* motions = records;
    for (size_t k = 0; k < count && p->clumps; ++k) {
        const uint32_t clump = tact_clump_led_by(p->clumps, s->tag[rows[k]][0]);
        if (clump == TACT_NONE) continue;
        memcpy(motions, &s->clumps[clump], sizeof *s->clumps);
        motions += sizeof *s->clumps;
        ++h.motions;
    }
    memset(motions, 0, size - (size_t)(motions - to));
    h.digest = tact_xxh64_of(to + sizeof h, size - sizeof h);
    memcpy(to, &h, sizeof h);
}

/// Packs a message for each rank and sends it.
static tact_result send_all(tact_ranks* ranks, const packing* p, const tact_spread_list* list, tact_spread_rows* rows,
                            uint64_t* in_sizes)
{
    tact_env* env = &ranks->context->env;
    const uint32_t count = tact_ranks_count(ranks);
    uint64_t* sizes = tact_allocate(env, count, sizeof *sizes);
    const void** parts = tact_allocate(env, count, sizeof *parts);
    size_t all = 0;
    for (uint32_t r = 0; sizes && r < count; ++r) {
        sizes[r] = size_of(p, list->rows + list->begins[r], list->begins[r + 1] - list->begins[r]);
        all += (size_t)sizes[r];
    }
    uint8_t* bytes = sizes && parts ? tact_allocate(env, all, 1) : NULL;
    size_t at = 0;
    for (uint32_t r = 0; bytes && r < count; ++r) {
        parts[r] = bytes + at;
        if (sizes[r] > 0)
            pack(p, list->rows + list->begins[r], list->begins[r + 1] - list->begins[r], bytes + at, (size_t)sizes[r]);
        at += (size_t)sizes[r];
    }
    tact_result result = tact_ranks_agree(ranks, bytes ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = tact_ranks_send(ranks, parts, sizes, &rows->bytes, in_sizes);
    tact_release(env, bytes);
    tact_release(env, (void*)parts);
    tact_release(env, sizes);
    return result;
}

/// Reads what messages begin with, and checks that they are what was sent.
static tact_result look_over(tact_ranks* ranks, const uint64_t* sizes, tact_spread_rows* rows)
{
    const uint8_t* at = rows->bytes;
    const uint32_t count = tact_ranks_count(ranks);
    for (uint32_t r = 0; r < count; ++r) {
        head h = {0};
        rows->begins[r] = rows->count;
        if (sizes[r] == 0) continue;
        memcpy(&h, at, sizeof h);
        const uint64_t digest = tact_xxh64_of(at + sizeof h, (size_t)sizes[r] - sizeof h);
        if (digest != h.digest) {
            return tact_fail(&ranks->context->env, TACT_ERROR_INTERNAL,
                             "%llu bytes of particles from rank %u to rank %u did not come as they were sent",
                             (unsigned long long)sizes[r], (unsigned)r, (unsigned)tact_ranks_own(ranks));
        }
        rows->count += h.rows;
        rows->record_count += h.records;
        at += sizes[r];
    }
    rows->begins[count] = rows->count;
    return TACT_OK;
}

static uint32_t row_id(const uint8_t* bytes)
{
    row r;
    memcpy(&r, bytes, offsetof(row, spin));
    return r.tag[0];
}

/// Finds rows and their records in the messages, and sorts them by id.
static bool take_apart(tact_env* env, uint32_t count, const uint64_t* sizes, tact_spread_rows* rows)
{
    const size_t each = row_size(rows->turns);
    rows->rows = tact_allocate(env, rows->count, sizeof *rows->rows);
    rows->records = tact_allocate(env, rows->count, sizeof *rows->records);
    rows->motions = tact_allocate_zeroed(env, rows->count, sizeof *rows->motions);
    rows->order = tact_allocate(env, rows->count, sizeof *rows->order);
    uint64_t* spare = tact_allocate(env, rows->count, sizeof *spare);
    const bool good = rows->rows && rows->records && rows->motions && rows->order && spare;
    const uint8_t* message = rows->bytes;
    size_t n = 0;
    for (uint32_t r = 0; good && r < count; ++r) {
        const size_t here = rows->begins[r + 1] - rows->begins[r];
        const uint8_t* at = message + sizeof(head);
        const uint8_t* records = at + here * each;
        for (size_t k = 0; k < here; ++k, ++n, at += each) {
            row one;
            memcpy(&one, at, offsetof(row, spin));
            rows->rows[n] = at;
            rows->records[n] = records;
            rows->order[n] = (uint64_t)one.tag[0] << 32 | n;
            records += one.records * sizeof(tact_grain_record);
        }
        // Motions lie behind the records of all.
        for (size_t k = n - here; k < n && rows->clumps; ++k) {
            if (tact_clump_led_by(rows->clumps, row_id(rows->rows[k])) == TACT_NONE) continue;
            rows->motions[k] = records;
            records += sizeof(tact_clump_motion);
        }
        message += sizes[r];
    }
    if (good) tact_pair_keys_sort(rows->order, spare, rows->count, UINT32_MAX, UINT32_MAX);
    tact_release(env, spare);
    return good;
}

tact_result tact_spread_send(tact_ranks* ranks, const tact_particle_state* state, const size_t* first,
                             const tact_clump_table* clumps, const tact_spread_list* list, bool all,
                             tact_spread_rows* rows)
{
    tact_env* env = &ranks->context->env;
    const uint32_t count = tact_ranks_count(ranks);
    *rows = (tact_spread_rows){.turns = state->turns, .clumps = all ? clumps : NULL};
    const packing p = {.state = state, .first = first, .clumps = rows->clumps, .all = all};
    uint64_t* sizes = tact_allocate(env, count, sizeof *sizes);
    rows->begins = tact_allocate(env, (size_t)count + 1, sizeof *rows->begins);
    tact_result result = tact_ranks_agree(ranks, sizes && rows->begins ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = send_all(ranks, &p, list, rows, sizes);
    if (result == TACT_OK) {
        result = look_over(ranks, sizes, rows);
        if (result == TACT_OK && !take_apart(env, count, sizes, rows)) result = TACT_ERROR_OUT_OF_MEMORY;
        result = tact_ranks_agree(ranks, result);
    }
    tact_release(env, sizes);
    return result;
}

void tact_spread_rows_free(tact_env* env, tact_spread_rows* rows)
{
    tact_release(env, rows->bytes);
    tact_release(env, (void*)rows->rows);
    tact_release(env, (void*)rows->records);
    tact_release(env, (void*)rows->motions);
    tact_release(env, rows->order);
    tact_release(env, rows->begins);
    *rows = (tact_spread_rows){0};
}

/// Puts a row that came, and its records, at the end of a state that has room.
static void put_row(const tact_spread_rows* came, size_t n, uint32_t mark, tact_particle_state* to)
{
    const size_t k = to->count++;
    row r;
    TACT_ASSERT(k < to->capacity);
    memcpy(&r, came->rows[n], row_size(came->turns));
    memcpy(to->position[k], r.position, sizeof r.position);
    memcpy(to->velocity[k], r.velocity, sizeof r.velocity);
    to->tag[k][0] = r.tag[0];
    to->tag[k][1] = r.tag[1] | mark;
    if (!to->turns) return;
    memcpy(to->spin[k], r.spin, sizeof r.spin);
    memcpy(to->turn[k], r.turn, sizeof r.turn);
    if (came->motions[n])
        memcpy(&to->clumps[tact_clump_of(came->clumps, r.tag[0])], came->motions[n], sizeof *to->clumps);
    if (r.records > 0) memcpy(to->records + to->record_count, came->records[n], r.records * sizeof *to->records);
    to->record_count += r.records;
}

bool tact_spread_join(tact_env* env, const tact_particle_state* from, const size_t* first, const uint8_t* leaves,
                      const tact_spread_rows* came, bool ghosts, tact_particle_state* to, uint32_t* own_at,
                      uint32_t* came_at)
{
    TACT_ASSERT(from->turns == to->turns && from->turns == came->turns && from->turns == (first != NULL));
    to->count = to->record_count = 0;
    if (!tact_particle_state_reserve(env, to, from->count + came->count) ||
        (to->turns && (!tact_particle_state_reserve_records(env, to, from->record_count + came->record_count + 1) ||
                       !tact_particle_state_reserve_clumps(env, to, from->clump_count)))) {
        return false;
    }
    tact_particle_state_copy_clumps(to, from);
    size_t k = 0;
    for (size_t i = 0; i < from->count || k < came->count;) {
        const uint32_t id = k < came->count ? (uint32_t)(came->order[k] >> 32) : UINT32_MAX;
        if (i == from->count || (k < came->count && id < from->tag[i][0])) {
            const uint32_t n = (uint32_t)came->order[k++];
            if (came_at) came_at[n] = (uint32_t)to->count;
            put_row(came, n, ghosts ? TACT_TAG_GHOST : 0u, to);
            continue;
        }
        const size_t at = i++;
        if (leaves && leaves[at]) continue;
        TACT_ASSERT(id != from->tag[at][0]);
        if (own_at) own_at[at] = (uint32_t)to->count;
        tact_particle_state_move(to, to->count++, from, at);
        const uint32_t records = records_of(from, first, at, true);
        if (records > 0)
            memcpy(to->records + to->record_count, from->records + first[at], records * sizeof *to->records);
        to->record_count += records;
    }
    return true;
}
