// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Makes one sorted list of what the sinks hold. All threads throw the pairs into parts by the high bits of a, each part
// small enough for a core's own cache; few pairs are one part, of which each thread takes a range of rows. There a
// counting sort by a leaves rows, mostly so short that neighbours change places until they are in order of b; where
// rows are long the part is sorted by the digits of b and then by a. Whatever is too large or too uneven for that is
// sorted where it lies, by its highest bits first (McIlroy, Bostic, McIlroy: Engineering radix sort, 1993), and a row
// that has most of the ids in its range is set and read back as bits. No two pairs are equal, so that no order among
// equals is needed.

#include <string.h>

#include "base/compiler.h"
#include "base/order.h"
#include "base/parallel.h"
#include "cpu_ref/pairs/lanes.h"
#include "cpu_ref/pairs/pair_sink.h"

enum {
    PART_PAIRS = 4096,        ///< that a part has on average
    MOST_PARTS_LOG = 12,      ///< more parts than this do not fit the cache while they are filled
    SCRATCH_PAIRS = 1 << 18,  ///< a larger part is sorted in place
    FEW_PAIRS = 1 << 16,      ///< up to so many pairs, of as many ids, are one part
    SHORT = 20,               ///< pairs that are sorted by insertion
    SHORT_ROW = 24,           ///< pairs of a row that neighbours are compared in
    DIGIT_BITS = 11,          ///< at most, of b
    BITMAP_WORDS = 1 << 13,   ///< of 64 bits
    UNITS_A_THREAD = 4,
    MOST_DIGITS = 256,
};

typedef struct scratch {
    tact_pair* pairs;
    uint32_t* rows;    ///< counters, one more than a part has ids
    uint64_t* bits;    ///< zeros: BITMAP_WORDS, or a bit for each b
    uint32_t* digits;  ///< counters, 1 << DIGIT_BITS
} scratch;

typedef struct pair_sort {
    const tact_pair_block** blocks;
    size_t block_count, units;
    uint32_t shift, b_bits;
    size_t parts;
    size_t ranges;  ///< of rows, where there is one part; 0: where there are more
    uint64_t total;
    uint32_t* counts;  ///< [unit][part]: how many, then where the next goes
    uint32_t* starts;  ///< of the parts, and the end
    scratch* scratches;
    tact_pair* pairs;
    const tact_pairs_lane_table* lanes;
} pair_sort;

static void insertion_sort(tact_pair* pairs, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        const tact_pair p = pairs[i];
        size_t k = i;
        for (; k > 0 && (pairs[k - 1].a > p.a || (pairs[k - 1].a == p.a && pairs[k - 1].b > p.b)); --k)
            pairs[k] = pairs[k - 1];
        pairs[k] = p;
    }
}

/// Pairs of one row whose b are in [first, first + 64 words).
static void sort_as_bits(tact_pair* pairs, size_t count, uint32_t first, size_t words, uint64_t* bits)
{
    TACT_ASSERT(count >= 1 && words <= BITMAP_WORDS);
    const uint32_t a = pairs[0].a;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t at = pairs[i].b - first;
        TACT_ASSERT(pairs[i].a == a && at / 64 < words && !(bits[at / 64] >> (at % 64) & 1));
        bits[at / 64] |= (uint64_t)1 << (at % 64);
    }
    for (size_t w = 0; w < words; ++w) {
        uint32_t b = first + 64 * (uint32_t)w;
        for (uint64_t left = bits[w]; left; left >>= 1, ++b) {
            const uint32_t skip = tact_lowest_bit_64(left);
            left >>= skip;
            b += skip;
            *pairs++ = (tact_pair){a, b};
        }
        bits[w] = 0;
    }
}

static uint64_t key_of(const pair_sort* s, tact_pair p)
{
    return (uint64_t)p.a << s->b_bits | p.b;
}

static void sort_in_place(const pair_sort* s, tact_pair* pairs, size_t count, uint64_t* bits);

/// One step of a radix sort from the highest bits, in place, and then each digit's pairs.
static void sort_by_digit(const pair_sort* s, tact_pair* pairs, size_t count, uint64_t least, uint32_t shift,
                          uint64_t* bits)
{
    TACT_ASSERT(shift <= 56);
    size_t next[MOST_DIGITS] = {0}, end[MOST_DIGITS];
    for (size_t i = 0; i < count; ++i)
        ++next[(key_of(s, pairs[i]) - least) >> shift];
    size_t sum = 0;
    for (size_t d = 0; d < MOST_DIGITS; ++d) {
        const size_t size = next[d];
        next[d] = sum;
        sum += size;
        end[d] = sum;
    }
    for (size_t d = 0; d < MOST_DIGITS; ++d) {
        while (next[d] < end[d]) {
            tact_pair p = pairs[next[d]];
            for (size_t to; (to = (size_t)((key_of(s, p) - least) >> shift)) != d;) {
                const tact_pair other = pairs[next[to]];
                pairs[next[to]++] = p;
                p = other;
            }
            pairs[next[d]++] = p;
        }
    }
    size_t begin = 0;
    for (size_t d = 0; d < MOST_DIGITS && shift > 0; ++d) {
        sort_in_place(s, pairs + begin, end[d] - begin, bits);
        begin = end[d];
    }
}

/// Any pairs. No more than 8 calls deep, since each digit takes 8 bits of at most 60.
static void sort_in_place(const pair_sort* s, tact_pair* pairs, size_t count, uint64_t* bits)
{
    if (count <= SHORT) {
        insertion_sort(pairs, count);
        return;
    }
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t key = key_of(s, pairs[i]);
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    const uint64_t range = most - least;
    if (range == 0) return;
    if (least >> s->b_bits == most >> s->b_bits && range / 64 < BITMAP_WORDS && range / 16 <= count) {
        sort_as_bits(pairs, count, (uint32_t)(least & (((uint64_t)1 << s->b_bits) - 1)), (size_t)(range / 64 + 1),
                     bits);
        return;
    }
    const uint32_t width = tact_bit_width(range);
    sort_by_digit(s, pairs, count, least, width > 8 ? width - 8 : 0, bits);
}

/// Turns how many there are into where the first goes.
static void sum_up(uint32_t* counts, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t size = counts[i];
        counts[i] = sum;
        sum += size;
    }
}

/// The pairs in the scratch, to `pairs`: by b, from its lowest digit up, and then by a, whose rows begin at with->rows.
static void sort_by_digits(const pair_sort* s, tact_pair* pairs, uint32_t count, uint32_t row_mask, const scratch* with)
{
    const uint32_t digits = (s->b_bits + DIGIT_BITS - 1) / DIGIT_BITS;
    const uint32_t width = digits > 0 ? (s->b_bits + digits - 1) / digits : 0, mask = ((uint32_t)1 << width) - 1;
    TACT_ASSERT(count <= SCRATCH_PAIRS && width <= DIGIT_BITS);
    tact_pair *from = with->pairs, *to = pairs;
    if (digits % 2 == 1) {
        memcpy(to, from, count * sizeof *pairs);
        from = pairs;
        to = with->pairs;
    }
    for (uint32_t d = 0; d < digits; ++d) {
        uint32_t* next = with->digits;
        const uint32_t shift = d * width;
        memset(next, 0, ((size_t)mask + 1) * sizeof *next);
        for (uint32_t i = 0; i < count; ++i)
            ++next[from[i].b >> shift & mask];
        sum_up(next, mask + 1);
        for (uint32_t i = 0; i < count; ++i)
            to[next[from[i].b >> shift & mask]++] = from[i];
        tact_pair* swap = from;
        from = to;
        to = swap;
    }
    for (uint32_t i = 0; i < count; ++i)
        to[with->rows[from[i].a & row_mask]++] = from[i];
    TACT_ASSERT(to == pairs);
}

/// Rows of more than a few pairs, which end at `ends`.
static void sort_long_rows(const pair_sort* s, tact_pair* pairs, const uint32_t* ends, uint32_t ids,
                           const scratch* with)
{
    uint32_t begin = 0;
    for (uint32_t r = 0; r < ids; ++r) {
        const uint32_t end = ends[r];
        TACT_ASSERT(begin <= end);
        if (end - begin > SHORT_ROW) sort_in_place(s, pairs + begin, end - begin, with->bits);
        begin = end;
    }
}

/// The pairs in the scratch, to `pairs`: by a, then each row by b, or, where rows are long, the other way round. The
/// rows are `ids` from `first` on, counted in with->rows.
static void sort_rows(const pair_sort* s, tact_pair* pairs, uint32_t count, uint32_t first, uint32_t ids,
                      const scratch* with)
{
    TACT_ASSERT(count <= SCRATCH_PAIRS);
    const uint32_t mask = ((uint32_t)1 << s->shift) - 1;
    uint32_t* rows = with->rows + first;
    uint32_t in_long = 0, longest = 0;
    for (uint32_t r = 0; r < ids; ++r) {
        in_long += rows[r] > SHORT_ROW ? rows[r] : 0;
        longest = rows[r] > longest ? rows[r] : longest;
    }
    sum_up(rows, ids);
    if (in_long > count / 4) {
        sort_by_digits(s, pairs, count, mask, with);
        return;
    }
    for (uint32_t i = 0; i < count; ++i)
        pairs[with->rows[with->pairs[i].a & mask]++] = with->pairs[i];
    s->lanes->rows(pairs, count, longest < SHORT_ROW ? longest : SHORT_ROW);
    if (in_long > 0) sort_long_rows(s, pairs, rows, ids, with);
}

static void count_rows(const pair_sort* s, const tact_pair* pairs, size_t count, const scratch* with)
{
    const uint32_t mask = ((uint32_t)1 << s->shift) - 1;
    for (size_t i = 0; i < count; ++i)
        ++with->rows[pairs[i].a & mask];
}

/// Copies the pairs of `ids` rows from `first` on to the scratch, without a branch that depends on them.
static void select_rows(const pair_sort* s, uint32_t first, uint32_t ids, const scratch* with)
{
    tact_pair* to = with->pairs;
    for (size_t k = 0; k < s->block_count; ++k) {
        for (size_t i = 0; i < s->blocks[k]->count; ++i) {
            *to = s->blocks[k]->pairs[i];
            to += to->a - first < ids;
        }
    }
}

/// Sorts ranges of rows in which about as many pairs are. Each counts all rows, which takes less than to wait for
/// another thread.
static void sort_ranges(size_t begin, size_t end, int worker, void* user)
{
    const pair_sort* s = user;
    const scratch* with = &s->scratches[worker];
    const uint32_t ids = (uint32_t)1 << s->shift;
    for (size_t range = begin; range < end; ++range) {
        memset(with->rows, 0, ids * sizeof *with->rows);
        for (size_t k = 0; k < s->block_count; ++k)
            count_rows(s, s->blocks[k]->pairs, s->blocks[k]->count, with);
        uint32_t first = 0, last, sum = 0;
        for (; sum < s->total * range / s->ranges; ++first)
            sum += with->rows[first];
        tact_pair* pairs = s->pairs + sum;
        uint32_t count = 0;
        for (last = first; sum + count < s->total * (range + 1) / s->ranges; ++last)
            count += with->rows[last];
        TACT_ASSERT(last <= ids && sum + count <= s->total);
        select_rows(s, first, last - first, with);
        sort_rows(s, pairs, count, first, last - first, with);
    }
}

static void sort_parts(size_t begin, size_t end, int worker, void* user)
{
    const pair_sort* s = user;
    const scratch* with = &s->scratches[worker];
    TACT_ASSERT(end <= s->parts);
    for (size_t part = begin; part < end; ++part) {
        const uint32_t count = s->starts[part + 1] - s->starts[part];
        TACT_ASSERT(s->starts[part] <= s->starts[part + 1]);
        tact_pair* pairs = s->pairs + s->starts[part];
        // Where few of many ids have pairs the counters cost more than they bring.
        if (count <= SCRATCH_PAIRS && count >= (uint64_t)1 << s->shift >> 3) {
            memset(with->rows, 0, ((size_t)1 << s->shift) * sizeof *with->rows);
            count_rows(s, pairs, count, with);
            memcpy(with->pairs, pairs, count * sizeof *pairs);
            sort_rows(s, pairs, count, 0, (uint32_t)1 << s->shift, with);
        } else {
            sort_in_place(s, pairs, count, with->bits);
        }
    }
}

static size_t unit_begin(const pair_sort* s, size_t unit)
{
    TACT_ASSERT(unit <= s->units && s->units >= 1);
    return unit * s->block_count / s->units;
}

static void count_units(size_t begin, size_t end, int worker, void* user)
{
    const pair_sort* s = user;
    (void)worker;
    for (size_t unit = begin; unit < end; ++unit) {
        uint32_t* counts = s->counts + unit * s->parts;
        memset(counts, 0, s->parts * sizeof *counts);
        for (size_t k = unit_begin(s, unit); k < unit_begin(s, unit + 1); ++k) {
            const tact_pair* pairs = s->blocks[k]->pairs;
            TACT_ASSERT(s->blocks[k]->count <= TACT_PAIR_BLOCK);
            for (size_t i = 0; i < s->blocks[k]->count; ++i)
                ++counts[pairs[i].a >> s->shift];
        }
    }
}

static void scatter_units(size_t begin, size_t end, int worker, void* user)
{
    const pair_sort* s = user;
    (void)worker;
    for (size_t unit = begin; unit < end; ++unit) {
        uint32_t* next = s->counts + unit * s->parts;
        for (size_t k = unit_begin(s, unit); k < unit_begin(s, unit + 1); ++k) {
            const tact_pair* pairs = s->blocks[k]->pairs;
            for (size_t i = 0; i < s->blocks[k]->count; ++i)
                s->pairs[next[pairs[i].a >> s->shift]++] = pairs[i];
        }
    }
}

/// Turns the counts into where each unit's pairs of each part go. Returns the size of the largest part.
static uint32_t place_parts(const pair_sort* s)
{
    uint32_t sum = 0, largest = 0;
    for (size_t part = 0; part < s->parts; ++part) {
        s->starts[part] = sum;
        for (size_t unit = 0; unit < s->units; ++unit) {
            uint32_t* count = &s->counts[unit * s->parts + part];
            const uint32_t size = *count;
            *count = sum;
            sum += size;
        }
        if (sum - s->starts[part] > largest) largest = sum - s->starts[part];
        TACT_ASSERT(sum >= s->starts[part]);
    }
    s->starts[s->parts] = sum;
    return largest;
}

static size_t sink_count(const tact_pairs_job* job)
{
    return job->threads > 0 ? (size_t)job->threads : 1;
}

/// Memory for the workers, in one piece: `largest` is the size of the largest part.
static void* make_scratches(const tact_pairs_job* job, pair_sort* s, uint32_t largest)
{
    const size_t workers = sink_count(job);
    const size_t pairs = ((largest < SCRATCH_PAIRS ? largest : SCRATCH_PAIRS) + 7u) / 8 * 8;
    const size_t rows = ((((size_t)1 << s->shift) < 8 * pairs ? (size_t)1 << s->shift : 8 * pairs) + 15) / 16 * 16;
    const size_t counters = rows + ((size_t)1 << DIGIT_BITS);
    const uint64_t b_words = ((uint64_t)1 << s->b_bits) / 64 + 1;
    const size_t words = b_words < BITMAP_WORDS ? (size_t)b_words : BITMAP_WORDS;
    const size_t bytes = pairs * sizeof(tact_pair) + counters * sizeof(uint32_t) + words * sizeof(uint64_t);
    char* memory = tact_allocate(job->env, workers, bytes + sizeof(scratch));
    if (!memory) return NULL;
    s->scratches = (scratch*)(void*)(memory + workers * bytes);
    for (size_t w = 0; w < workers; ++w) {
        char* at = memory + w * bytes;
        s->scratches[w].bits = (uint64_t*)(void*)at;
        s->scratches[w].pairs = (tact_pair*)(void*)(at + words * sizeof(uint64_t));
        s->scratches[w].rows = (uint32_t*)(void*)(s->scratches[w].pairs + pairs);
        s->scratches[w].digits = s->scratches[w].rows + rows;
        memset(s->scratches[w].bits, 0, words * sizeof(uint64_t));
    }
    return memory;
}

/// How the pairs are cut: parts of about PART_PAIRS, of a power of two of ids each.
static void plan(const tact_pairs_job* job, pair_sort* s)
{
    const uint32_t id_bits = tact_bit_width(job->a->count > 0 ? job->a->count - 1 : 0);
    const uint64_t ids = (uint64_t)1 << id_bits;
    uint32_t log = tact_bit_width(s->total / PART_PAIRS);
    if (s->total <= FEW_PAIRS && ids <= FEW_PAIRS && s->total >= ids / 8) {
        s->ranges = (size_t)(s->total / PART_PAIRS) + 1;
        if (s->ranges > sink_count(job)) s->ranges = sink_count(job);
        log = 0;
    }
    if (log > MOST_PARTS_LOG) log = MOST_PARTS_LOG;
    if (log > id_bits) log = id_bits;
    s->shift = id_bits - log;
    s->parts = (size_t)1 << log;
    const uint32_t b_count = job->b ? job->b->count : job->a->count;
    s->b_bits = tact_bit_width(b_count > 0 ? b_count - 1 : 0);
    TACT_ASSERT(s->shift <= 32 && s->b_bits + id_bits <= 64);
    s->units = UNITS_A_THREAD * sink_count(job);
    if (s->units > s->block_count) s->units = s->block_count;
}

/// A block, and where its pairs go.
typedef struct placed_block {
    const tact_pair_block* block;
    tact_pair* to;
} placed_block;

static void copy_blocks(size_t begin, size_t end, int worker, void* user)
{
    const placed_block* blocks = user;
    (void)worker;
    for (size_t k = begin; k < end; ++k)
        memcpy(blocks[k].to, blocks[k].block->pairs, blocks[k].block->count * sizeof *blocks[k].to);
}

/// In place of the sort, where nothing is brought into order: blocks in the order of the sinks.
static tact_result copy_unsorted(const tact_pairs_job* job, tact_pair* pairs, size_t count)
{
    placed_block* blocks = tact_allocate(job->env, count, sizeof *blocks);
    size_t k = 0;
    if (!blocks) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < sink_count(job); ++i) {
        for (const tact_pair_block* block = job->sinks[i].blocks; block; block = block->next) {
            blocks[k++] = (placed_block){block, pairs};
            pairs += block->count;
        }
    }
    TACT_ASSERT(k == count);
    tact_parallel_for(job->threads, count, 1, copy_blocks, blocks);
    tact_release(job->env, blocks);
    return TACT_OK;
}

/// One part, to each thread a range of it.
static void* sort_few(const tact_pairs_job* job, pair_sort* s)
{
    void* scratches = make_scratches(job, s, (uint32_t)s->total + 1);
    if (scratches) tact_parallel_for(job->threads, s->ranges, 1, sort_ranges, s);
    return scratches;
}

static void* sort_many(const tact_pairs_job* job, pair_sort* s)
{
    s->counts = tact_allocate(job->env, (s->units + 1) * s->parts + 1, sizeof *s->counts);
    if (!s->counts) return NULL;
    s->starts = s->counts + s->units * s->parts;
    tact_parallel_for(job->threads, s->units, 1, count_units, s);
    void* scratches = make_scratches(job, s, place_parts(s));
    TACT_ASSERT(s->starts[s->parts] == s->total);
    if (scratches) {
        tact_parallel_for(job->threads, s->units, 1, scatter_units, s);
        const size_t grain = s->parts / (32 * sink_count(job)) + 1;
        tact_parallel_for(job->threads, s->parts, grain, sort_parts, s);
    }
    tact_release(job->env, s->counts);
    return scratches;
}

tact_result tact_pair_sinks_sort(const tact_pairs_job* job, tact_pair* pairs)
{
    pair_sort s = {.pairs = pairs, .lanes = tact_pairs_lanes()};
    for (size_t i = 0; i < sink_count(job); ++i) {
        for (const tact_pair_block* block = job->sinks[i].blocks; block; block = block->next) {
            s.total += block->count;
            ++s.block_count;
        }
    }
    if (s.total == 0) return TACT_OK;
    TACT_ASSERT(pairs && s.total <= UINT32_MAX && s.block_count >= 1);
    if (!TACT_ORDERED) return copy_unsorted(job, pairs, s.block_count);
    plan(job, &s);
    s.blocks = tact_allocate(job->env, s.block_count, sizeof *s.blocks);
    if (!s.blocks) return TACT_ERROR_OUT_OF_MEMORY;
    size_t k = 0;
    for (size_t i = 0; i < sink_count(job); ++i) {
        for (const tact_pair_block* block = job->sinks[i].blocks; block; block = block->next)
            s.blocks[k++] = block;
    }
    TACT_ASSERT(k == s.block_count);
    void* scratches = s.ranges > 0 ? sort_few(job, &s) : sort_many(job, &s);
    TACT_VALIDATE(!scratches || tact_pairs_are_sorted(pairs, (size_t)s.total));
    tact_release(job->env, scratches);
    tact_release(job->env, s.blocks);
    return scratches ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

#if defined(TACT_ASSERTS)

bool tact_pairs_are_sorted(const tact_pair* pairs, size_t count)
{
    if (count > TACT_VALIDATE_MOST) return true;
    for (size_t i = 1; i < count; ++i) {
        const tact_pair p = pairs[i - 1], q = pairs[i];
        if (p.a > q.a || (p.a == q.a && p.b >= q.b)) return false;
    }
    return true;
}

#endif
