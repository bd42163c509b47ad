// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Saving a system to a file, which ranks do together. What all ranks have alike is the first one's to write; of the
// particles, and what their contacts remember, each has the rows of a range of ids. A block of the file is the rank's
// that has its first byte: the others send it what they have of the rest, which is less than a block for each array.

#include "base/bytes.h"
#include "base/xxh64.h"
#include "core/particles/archive.h"
#include "core/particles/spread_order.h"
#include "core/ranks/files.h"

/// A block that this rank writes, and its digest.
typedef struct block_note {
    uint64_t block, digest;
} block_note;

typedef struct saving {
    tact_particles* particles;
    tact_env* env;
    tact_ranks* ranks;
    uint32_t rank, count;
    tact_archive archive;                   ///< with the sections
    uint64_t end;                           ///< of the body
    uint64_t* begins[TACT_ARCHIVE_ARRAYS];  ///< where the rows of each rank begin in the arrays; one more
    uint8_t* common;                        ///< on the first rank: all but the sections
    void* came;                             ///< parts of blocks that others have sent
    uint64_t came_size;
    block_note* notes;
    size_t note_count;
} saving;

/// Bytes of the file, but for what precedes the system's header.
typedef struct span {
    uint64_t from, to;
} span;

static span common_of(span a, span b)
{
    return (span){a.from > b.from ? a.from : b.from, a.to < b.to ? a.to : b.to};
}

static uint64_t section_end(const saving* s, const tact_archive_section* c)
{
    return c->at + s->archive.slice[c->array].all * c->words * 4;
}

// Pieces of the body, in order: what lies before section i is number 2 * i, the section itself number 2 * i + 1.

static uint32_t piece_count(const saving* s)
{
    return 2 * s->archive.sections + 1;
}

/// What this rank has of a piece.
static span piece_of(const saving* s, uint32_t piece)
{
    const tact_archive_section* c = &s->archive.section[piece / 2];
    if (piece % 2 == 1) {
        const tact_archive_slice* slice = &s->archive.slice[c->array];
        const uint64_t each = (uint64_t)c->words * 4, from = c->at + slice->first * each;
        return (span){from, from + slice->count * each};
    }
    if (s->rank > 0) return (span){0, 0};
    return (span){piece > 0 ? section_end(s, c - 1) : TACT_SAVED_HEADER,
                  piece / 2 < s->archive.sections ? c->at : s->end};
}

/// Copies what this rank has of a span, which begins at `out`. Returns how many bytes that are.
static uint64_t copy_own(const saving* s, span wanted, uint8_t* out)
{
    uint64_t copied = 0, left_out = 0;
    for (uint32_t k = 0; k < piece_count(s); ++k) {
        const span own = piece_of(s, k), both = common_of(wanted, own);
        const tact_archive_section* c = &s->archive.section[k / 2];
        if (both.from < both.to) {
            uint8_t* to = out + (both.from - wanted.from);
            const size_t size = (size_t)(both.to - both.from);
            copied += size;
            if (k % 2 == 0) {
                memcpy(to, s->common + (both.from - left_out), size);
            } else {
                TACT_ASSERT((both.from - own.from) % 4 == 0 && size % 4 == 0);
                const uint8_t* rows = (const uint8_t*)c->rows + (both.from - own.from);
                for (size_t i = 0; i < size; i += 4) {
                    uint32_t word;
                    memcpy(&word, rows + i, sizeof word);
                    tact_put_u32(to + i, word);
                }
            }
        }
        if (k % 2 == 1) left_out += section_end(s, c) - c->at;
    }
    return copied;
}

/// The rank that has a byte.
static uint32_t owner_of(const saving* s, uint64_t at)
{
    for (uint32_t k = 0; k < s->archive.sections; ++k) {
        const tact_archive_section* c = &s->archive.section[k];
        if (at < c->at || at >= section_end(s, c)) continue;
        const uint64_t row = (at - c->at) / ((uint64_t)c->words * 4);
        const uint64_t* begins = s->begins[c->array];
        uint32_t low = 0, high = s->count;
        // The last one that begins at or before the row: those before it that begin there have none.
        while (high - low > 1) {
            const uint32_t middle = low + (high - low) / 2;
            if (begins[middle] <= row)
                low = middle;
            else
                high = middle;
        }
        return low;
    }
    return 0;
}

static uint64_t block_of(uint64_t at)
{
    return (at - TACT_SAVED_HEADER) / TACT_SAVED_BLOCK;
}

static span span_of_block(const saving* s, uint64_t block)
{
    return (span){tact_archive_block_at(block), tact_archive_block_end(block, s->end)};
}

// ---- Before the file ----

/// What every rank has of the arrays.
static tact_result share_out(saving* s, tact_particle_state* part)
{
    const tact_particles* p = s->particles;
    for (uint32_t k = 0; k < TACT_ARCHIVE_ARRAYS; ++k)
        s->begins[k] = tact_allocate_zeroed(s->env, (size_t)s->count + 1, sizeof *s->begins[k]);
    const bool good = s->begins[0] && s->begins[1];
    tact_result result = tact_ranks_agree(s->ranks, good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result != TACT_OK) return result;
    uint64_t *rows = s->begins[TACT_ARRAY_PARTICLES], *records = s->begins[TACT_ARRAY_RECORDS];
    for (uint32_t r = 0; r <= s->count; ++r)
        rows[r] = (uint64_t)p->count * r / s->count;
    uint64_t own = p->mirror.record_count;
    if (s->ranks) {
        result = tact_spread_in_order(s->particles, rows, part);
        own = part->record_count;
    }
    if (result == TACT_OK) result = tact_ranks_gather(s->ranks, &own, sizeof own, records + 1);
    for (uint32_t r = 0; r < s->count; ++r)
        records[r + 1] += records[r];
    for (uint32_t k = 0; k < TACT_ARCHIVE_ARRAYS; ++k) {
        const uint64_t* b = s->begins[k];
        s->archive.slice[k] = (tact_archive_slice){b[s->rank], b[s->rank + 1] - b[s->rank], b[s->count]};
    }
    return result;
}

/// The sections, and what is in none of them.
static tact_result lay_out(saving* s)
{
    s->archive.cuts = true;
    tact_archive writer = s->archive;
    tact_result result = tact_archive_write(&s->archive, s->particles);
    s->end = s->archive.at;
    if (result == TACT_OK && s->rank == 0) {
        s->common = tact_allocate(s->env, s->archive.at - s->archive.left_out, 1);
        writer.out = s->common;
        result = s->common ? tact_archive_write(&writer, s->particles) : TACT_ERROR_OUT_OF_MEMORY;
    }
    result = tact_ranks_agree(s->ranks, result);
    // All have the same: the greatest is the least.
    uint64_t ends[2] = {s->end, ~s->end};
    if (result == TACT_OK) result = tact_ranks_combine(s->ranks, TACT_RANKS_MAX, ends, 2);
    if (result != TACT_OK || ends[0] == ~ends[1]) return result;
    return tact_fail(s->env, TACT_ERROR_INTERNAL, "the ranks have systems that differ");
}

/// The blocks that are this rank's.
static tact_result list_blocks(saving* s)
{
    for (int pass = 0; pass < 2; ++pass) {
        size_t count = 0;
        for (uint32_t k = 0; k < piece_count(s); ++k) {
            const span own = piece_of(s, k);
            if (own.from >= own.to) continue;
            for (uint64_t b = block_of(own.from + TACT_SAVED_BLOCK - 1); tact_archive_block_at(b) < own.to; ++b) {
                if (pass == 1) s->notes[count] = (block_note){.block = b};
                ++count;
            }
        }
        if (pass == 0) s->notes = tact_allocate(s->env, count, sizeof *s->notes);
        if (!s->notes) return TACT_ERROR_OUT_OF_MEMORY;
        s->note_count = count;
    }
    return TACT_OK;
}

enum { PART_HEAD = 16 };  ///< bytes before a part of a block: where it is, and how long

/// What this rank has of a piece and another rank writes, and which one that is.
static span sent_of(const saving* s, uint32_t piece, uint32_t* to)
{
    const span own = piece_of(s, piece);
    if (own.from >= own.to) return (span){0, 0};
    const span block = span_of_block(s, block_of(own.from));
    *to = owner_of(s, block.from);
    return *to == s->rank ? (span){0, 0} : common_of(own, block);
}

/// Packs what goes to each rank into `out`, from `at[rank]` on, which then is behind it; NULL: counts.
static void pack_parts(const saving* s, uint8_t* out, uint64_t* at)
{
    for (uint32_t k = 0; k < piece_count(s); ++k) {
        uint32_t to = 0;
        const span part = sent_of(s, k, &to);
        if (part.from >= part.to) continue;
        if (out) {
            uint8_t* b = out + at[to];
            tact_put_u64(b, part.from);
            tact_put_u64(b + 8, part.to - part.from);
            copy_own(s, part, b + PART_HEAD);
        }
        at[to] += PART_HEAD + (part.to - part.from);
    }
}

static tact_result send_parts(saving* s)
{
    if (s->count == 1) return TACT_OK;
    const uint32_t count = s->count;
    uint64_t* sizes = tact_allocate_zeroed(s->env, 3 * (size_t)count, sizeof *sizes);
    const void** parts = tact_allocate(s->env, count, sizeof *parts);
    uint8_t* bytes = NULL;
    if (sizes && parts) {
        uint64_t *at = sizes + count, all = 0;
        pack_parts(s, NULL, sizes);
        for (uint32_t r = 0; r < count; ++r) {
            at[r] = all;
            all += sizes[r];
        }
        bytes = tact_allocate(s->env, (size_t)all, 1);
        for (uint32_t r = 0; bytes && r < count; ++r)
            parts[r] = bytes + at[r];
        if (bytes) pack_parts(s, bytes, at);
    }
    tact_result result = tact_ranks_agree(s->ranks, bytes ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = tact_ranks_send(s->ranks, parts, sizes, &s->came, sizes + 2 * (size_t)count);
    for (uint32_t r = 0; r < count && result == TACT_OK; ++r)
        s->came_size += sizes[2 * (size_t)count + r];
    tact_release(s->env, bytes);
    tact_release(s->env, (void*)parts);
    tact_release(s->env, sizes);
    return result;
}

static tact_result prepare(saving* s, tact_particle_state* part)
{
    tact_result result = share_out(s, part);
    if (result != TACT_OK) return result;
    // While it is written, the host's copy is the part that goes to the file.
    tact_particle_state* mirror = &s->particles->mirror;
    const tact_particle_state own = *mirror;
    if (s->ranks) *mirror = *part;
    result = lay_out(s);
    if (s->ranks) *mirror = own;
    if (result == TACT_OK) result = tact_ranks_agree(s->ranks, list_blocks(s));
    return result == TACT_OK ? send_parts(s) : result;
}

// ---- The file ----

/// Copies what others have sent of a block. Returns how many bytes that are.
static uint64_t copy_came(const saving* s, span block, uint8_t* out)
{
    const uint8_t* b = s->came;
    uint64_t copied = 0;
    for (uint64_t at = 0; at + PART_HEAD <= s->came_size;) {
        const uint64_t from = tact_get_u64(b + at), size = tact_get_u64(b + at + 8);
        at += PART_HEAD;
        if (size > s->came_size - at) break;
        if (from >= block.from && from < block.to && size <= block.to - from) {
            memcpy(out + (from - block.from), b + at, (size_t)size);
            copied += size;
        }
        at += size;
    }
    return copied;
}

/// Writes the blocks of all ranks, one of each at a time.
static tact_result write_blocks(saving* s, tact_rank_file* file, uint64_t base)
{
    uint64_t rounds = s->note_count;
    uint8_t* bytes = tact_allocate(s->env, TACT_SAVED_BLOCK, 1);
    tact_result result = tact_ranks_agree(s->ranks, bytes ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = tact_ranks_combine(s->ranks, TACT_RANKS_MAX, &rounds, 1);
    bool complete = true;
    for (uint64_t i = 0; i < rounds && result == TACT_OK; ++i) {
        size_t size = 0;
        span block = {0, 0};
        if (i < s->note_count) {
            block = span_of_block(s, s->notes[i].block);
            size = (size_t)(block.to - block.from);
            complete = complete && copy_own(s, block, bytes) + copy_came(s, block, bytes) == size;
            s->notes[i].digest = tact_xxh64_of(bytes, size);
        }
        result = tact_rank_file_write(file, base + block.from, bytes, size);
    }
    tact_release(s->env, bytes);
    if (result != TACT_OK) return result;
    if (!complete) result = tact_fail(s->env, TACT_ERROR_INTERNAL, "a block has not come as it was sent");
    return tact_ranks_agree(s->ranks, result);
}

/// The digests of all blocks, on the first rank, in `digests`.
static tact_result gather_digests(saving* s, uint8_t* digests)
{
    const uint32_t count = s->count;
    void* came = NULL;
    uint64_t all = s->note_count * sizeof *s->notes;
    tact_result result = TACT_OK;
    if (count > 1) {
        const void** parts = tact_allocate(s->env, count, sizeof *parts);
        uint64_t* sizes = tact_allocate_zeroed(s->env, 2 * (size_t)count, sizeof *sizes);
        result = tact_ranks_agree(s->ranks, parts && sizes ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
        for (uint32_t r = 0; r < count && result == TACT_OK; ++r)
            parts[r] = s->notes;
        if (result == TACT_OK) {
            sizes[0] = all;
            result = tact_ranks_send(s->ranks, parts, sizes, &came, sizes + count);
        }
        all = 0;
        for (uint32_t r = 0; r < count && result == TACT_OK; ++r)
            all += sizes[count + r];
        tact_release(s->env, sizes);
        tact_release(s->env, (void*)parts);
    }
    const uint8_t* from = count > 1 ? came : (const void*)s->notes;
    const uint64_t blocks = tact_archive_blocks(s->end);
    uint64_t filled = 0;
    for (uint64_t at = 0; at < all && result == TACT_OK && digests; at += sizeof(block_note)) {
        block_note note;
        memcpy(&note, from + at, sizeof note);
        if (note.block >= blocks) continue;
        tact_put_u64(digests + TACT_SAVED_DIGEST * note.block, note.digest);
        ++filled;
    }
    tact_release(s->env, came);
    if (result == TACT_OK && digests && filled != blocks)
        result = tact_fail(s->env, TACT_ERROR_INTERNAL, "%llu of %llu blocks were written", (unsigned long long)filled,
                           (unsigned long long)blocks);
    return tact_ranks_agree(s->ranks, result);
}

/// What the first rank writes when all blocks are: the digests, and what the file begins with.
static tact_result write_ends(saving* s, tact_rank_file* file, const void* head, size_t head_size)
{
    const uint64_t blocks = tact_archive_blocks(s->end);
    const size_t tail = (size_t)blocks * TACT_SAVED_DIGEST, begin = head_size + TACT_SAVED_HEADER;
    uint8_t *digests = NULL, *first = NULL;
    if (s->rank == 0) {
        digests = tact_allocate_zeroed(s->env, tail, 1);
        first = tact_allocate(s->env, begin, 1);
    }
    const bool good = s->rank > 0 || (digests && first);
    tact_result result = tact_ranks_agree(s->ranks, good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = gather_digests(s, digests);
    if (result == TACT_OK && first) {
        if (head_size > 0) memcpy(first, head, head_size);
        tact_archive_particles_head(s->particles, first + head_size, s->end + tail, digests, blocks);
    }
    if (result == TACT_OK) result = tact_rank_file_write(file, head_size + s->end, digests, digests ? tail : 0);
    if (result == TACT_OK) result = tact_rank_file_write(file, 0, first, first ? begin : 0);
    tact_release(s->env, first);
    tact_release(s->env, digests);
    return result;
}

static tact_result save_file(tact_particles* p, const char* path, const void* head, size_t head_size)
{
    tact_ranks* ranks = p->spread ? p->spread->ranks : NULL;
    saving s = {.particles = p,
                .env = &p->context->env,
                .ranks = ranks,
                .rank = tact_ranks_own(ranks),
                .count = tact_ranks_count(ranks)};
    tact_particle_state part = {.turns = p->mirror.turns};
    tact_rank_file file;
    tact_result result = prepare(&s, &part);
    if (result == TACT_OK) result = tact_rank_file_begin(&file, p->context, ranks, path);
    if (result == TACT_OK) {
        result = write_blocks(&s, &file, head_size);
        if (result == TACT_OK) result = write_ends(&s, &file, head, head_size);
        result = tact_rank_file_finish(&file, result);
    }
    tact_particle_state_free(s.env, &part);
    tact_release(s.env, s.notes);
    tact_release(s.env, s.came);
    tact_release(s.env, s.common);
    for (uint32_t k = 0; k < TACT_ARCHIVE_ARRAYS; ++k)
        tact_release(s.env, s.begins[k]);
    return result;
}

tact_result tact_particles_save_file(tact_particles* p, const char* path, const void* head, size_t head_size)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!path) return tact_null(&p->context->env, "path");
    if (head_size > 0 && !head) return tact_null(&p->context->env, "head");
    tact_result result = tact_particles_recall(p);
    if (result == TACT_OK) result = tact_particles_fetch_forces(p);
    if (p->spread) result = tact_ranks_agree(p->spread->ranks, result);
    return result == TACT_OK ? save_file(p, path, head, head_size) : result;
}
