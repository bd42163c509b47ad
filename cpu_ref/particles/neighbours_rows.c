// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Rows of cells along x, found in the sorted points. Only rows with points exist, and each has a table of where its
// cells begin that is about as long as it has points, so that neither empty room nor a lonely point far away costs
// memory: a long row with few points has an entry for several cells at a time, and more is looked at than need be.

#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/particles/neighbours_internal.h"

enum { MOST_PARTS = 64, LEAST_PART = 4096, ROWS_A_PIECE = 64 };
typedef struct making {
    const uint64_t* keys;
    tact_neighbour_row* rows;
    uint32_t row_count;
    uint32_t* starts;
    size_t part_size;
    uint32_t begins[MOST_PARTS];  ///< rows that begin in a part; then in all before it
} making;

static bool begins_row(const uint64_t* keys, size_t i)
{
    return i == 0 || keys[i] >> 16 != keys[i - 1] >> 16;
}

static void count_range(size_t begin, size_t end, int worker, void* user)
{
    making* m = user;
    TACT_ASSERT(begin % m->part_size == 0 && begin / m->part_size < MOST_PARTS);
    (void)worker;
    uint32_t count = 0;
    for (size_t i = begin; i < end; ++i)
        count += begins_row(m->keys, i);
    m->begins[begin / m->part_size] = count;
}

static void fill_range(size_t begin, size_t end, int worker, void* user)
{
    const making* m = user;
    (void)worker;
    tact_neighbour_row* row = m->rows + m->begins[begin / m->part_size];
    for (size_t i = begin; i < end; ++i) {
        if (!begins_row(m->keys, i)) continue;
        const uint64_t key = m->keys[i];
        *row++ = (tact_neighbour_row){.key = (uint32_t)(key >> 16), .first = (uint32_t)i, .x_first = key & 0xffff};
        TACT_ASSERT(row <= m->rows + m->row_count);
    }
}

/// How long the tables are, and where they begin. Returns the length of all.
static size_t lay_out(const making* m)
{
    size_t total = 0;
    for (uint32_t r = 0; r < m->row_count; ++r) {
        tact_neighbour_row* row = &m->rows[r];
        const uint32_t points = row[1].first - row->first;
        TACT_ASSERT(row[1].first > row->first);
        row->x_last = (uint32_t)(m->keys[row[1].first - 1] & 0xffff);
        TACT_ASSERT(row->x_first <= row->x_last);
        row->shift = 0;
        while ((row->x_last - row->x_first) >> row->shift > 4 * (uint64_t)points)
            ++row->shift;
        row->table = (uint32_t)total;
        total += ((row->x_last - row->x_first) >> row->shift) + 2;
    }
    return total;
}

static void table_range(size_t begin, size_t end, int worker, void* user)
{
    const making* m = user;
    (void)worker;
    for (size_t r = begin; r < end; ++r) {
        const tact_neighbour_row* row = &m->rows[r];
        uint32_t* starts = m->starts + row->table;
        const uint32_t x_first = row->x_first, shift = row->shift, last = (row->x_last - x_first) >> shift;
        // Where each entry's points end, and after that where those without points begin: there are as many as points,
        // so that a loop over them inside the one over points would be left at times that cannot be foreseen.
        memset(starts, 0, ((size_t)last + 2) * sizeof *starts);
        starts[0] = row->first;
        for (uint32_t s = row->first; s < row[1].first; ++s)
            starts[(((uint32_t)(m->keys[s] & 0xffff) - x_first) >> shift) + 1] = s + 1;
        uint32_t before = row->first;
        for (uint32_t e = 1; e <= last + 1; ++e) {
            before = starts[e] > before ? starts[e] : before;
            starts[e] = before;
        }
    }
}

tact_result tact_neighbours_make_rows(tact_neighbour_finder* f)
{
    TACT_ASSERT(f->count >= 1);
    const size_t n = f->count;
    making m = {.keys = f->keys};
    size_t parts = f->threads > 1 ? (size_t)f->threads : 1;
    if (parts > MOST_PARTS) parts = MOST_PARTS;
    m.part_size = (n + parts - 1) / parts;
    if (m.part_size < LEAST_PART) m.part_size = LEAST_PART;
    tact_parallel_for(f->threads, n, m.part_size, count_range, &m);
    for (size_t k = 0; k * m.part_size < n; ++k) {
        const uint32_t count = m.begins[k];
        m.begins[k] = m.row_count;
        m.row_count += count;
    }
    f->row_count = m.row_count;
    TACT_ASSERT(m.row_count >= 1 && m.row_count <= n);
    if (!tact_neighbour_room(f->env, &f->rows, (size_t)m.row_count + 1, sizeof(tact_neighbour_row))) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    m.rows = f->rows.data;
    m.rows[m.row_count] = (tact_neighbour_row){.first = (uint32_t)n};
    tact_parallel_for(f->threads, n, m.part_size, fill_range, &m);
    if (!tact_neighbour_room(f->env, &f->starts, lay_out(&m), sizeof(uint32_t))) return TACT_ERROR_OUT_OF_MEMORY;
    m.starts = f->starts.data;
    tact_parallel_for(f->threads, m.row_count, ROWS_A_PIECE, table_range, &m);
    return TACT_OK;
}

/// Cells from one to another.
typedef struct interval {
    uint32_t first, last;
} interval;

/// The cells of an axis in reach of some that follow each other, ascending: an interval, or two where they go round a
/// period. `wrapped` is set where the way to one of them may be shorter round the period.
static int in_reach(const tact_neighbour_axis* a, interval cells, interval out[2], bool* wrapped)
{
    TACT_ASSERT(cells.first <= cells.last && (a->cells == 0 || cells.last < a->cells));
    const uint32_t r = a->reach, all = cells.last - cells.first + 2 * r + 1;
    if (a->cells == 0) {
        out[0] = (interval){cells.first > r ? cells.first - r : 0, cells.last + r};
        return 1;
    }
    if (a->cells < all + 2) *wrapped = true;
    if (a->cells <= all) {
        out[0] = (interval){0, a->cells - 1};
        return 1;
    }
    if (cells.first < r) {
        out[0] = (interval){0, cells.last + r};
        out[1] = (interval){cells.first + a->cells - r, a->cells - 1};
    } else if (cells.last + r >= a->cells) {
        out[0] = (interval){0, cells.last + r - a->cells};
        out[1] = (interval){cells.first - r, a->cells - 1};
    } else {
        out[0] = (interval){cells.first - r, cells.last + r};
        return 1;
    }
    *wrapped = true;
    return 2;
}

/// The first row whose key is not less.
static uint32_t find_row(const tact_neighbour_row* rows, uint32_t begin, uint32_t end, uint64_t key)
{
    TACT_ASSERT(begin <= end);
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        if (rows[middle].key < key) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

static void find_near_rows(tact_neighbour_walk* w)
{
    const tact_neighbour_finder* f = w->finder;
    const tact_neighbour_row* rows = f->rows.data;
    const uint32_t key = rows[w->row].key, at_y = key & 0xffff, at_z = key >> 16;
    interval y[2], z[2];
    w->near_count = 0;
    w->rows_wrapped = f->outside;
    const int z_count = in_reach(&f->axes[2], (interval){at_z, at_z}, z, &w->rows_wrapped);
    const int y_count = in_reach(&f->axes[1], (interval){at_y, at_y}, y, &w->rows_wrapped);
    uint32_t from = f->once ? w->row : 0;
    for (int k = 0; k < z_count; ++k) {
        for (uint32_t layer = z[k].first; layer <= z[k].last; ++layer) {
            for (int l = 0; l < y_count; ++l) {
                const uint64_t base = (uint64_t)layer << 16;
                const uint64_t last = base + (y[l].last < 0xffff ? y[l].last : 0xffff);
                from = find_row(rows, from, f->row_count, base + y[l].first);
                while (from < f->row_count && rows[from].key <= last)
                    w->near[w->near_count++] = from++;
            }
        }
    }
    TACT_ASSERT(w->near_count <= TACT_NEIGHBOUR_ROWS);
}

void tact_neighbour_walk_begin(tact_neighbour_walk* w, const tact_neighbour_finder* finder, uint32_t begin,
                               uint32_t end)
{
    TACT_ASSERT(begin <= end && end <= finder->count);
    const tact_neighbour_row* rows = finder->rows.data;
    w->finder = finder;
    w->slot = begin;
    w->end = end;
    // The last row that begins at or before the slot.
    uint32_t low = 0, high = finder->row_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (rows[middle].first <= begin) {
            low = middle;
        } else {
            high = middle;
        }
    }
    w->row = low;
    TACT_ASSERT(begin == end || (rows[low].first <= begin && begin < rows[low + 1].first));
    if (begin < end) find_near_rows(w);
}

/// The candidates in one row.
static void add_row(tact_neighbour_walk* w, const tact_neighbour_row* row, const interval* x, int x_count)
{
    const uint32_t* starts = (const uint32_t*)w->finder->starts.data + row->table;
    uint32_t before = row->first;
    if (w->finder->once && before < w->first) before = w->first;
    for (int k = 0; k < x_count; ++k) {
        if (x[k].first > row->x_last || x[k].last < row->x_first) continue;
        const uint32_t low = x[k].first > row->x_first ? x[k].first : row->x_first;
        const uint32_t high = x[k].last < row->x_last ? x[k].last : row->x_last;
        uint32_t begin = starts[(low - row->x_first) >> row->shift];
        const uint32_t end = starts[((high - row->x_first) >> row->shift) + 1];
        if (begin < before) begin = before;  // an entry for several cells: not twice
        if (begin >= end) continue;
        TACT_ASSERT(w->range_count < 2 * TACT_NEIGHBOUR_ROWS);
        TACT_ASSERT(w->range_count == 0 || begin >= w->ends[w->range_count - 1]);
        w->begins[w->range_count] = begin;
        w->ends[w->range_count++] = end;
        before = end;
    }
}

bool tact_neighbour_walk_next(tact_neighbour_walk* w)
{
    if (w->slot >= w->end) return false;
    const tact_neighbour_finder* f = w->finder;
    const uint64_t* keys = f->keys;
    const tact_neighbour_row* rows = f->rows.data;
    if (w->slot >= rows[w->row + 1].first) {
        ++w->row;
        find_near_rows(w);
    }
    const uint64_t key = keys[w->slot];
    TACT_ASSERT(rows[w->row].key == key >> 16);
    w->first = w->slot;
    w->last = w->slot + 1;
    const uint32_t most = w->end - w->first > TACT_NEIGHBOUR_GROUP ? w->first + TACT_NEIGHBOUR_GROUP : w->end;
    const uint32_t x_first = (uint32_t)(key & 0xffff), room = 0xffff - x_first;
    const uint64_t top = key + (f->span < room ? f->span : room);
    while (w->last < most && keys[w->last] <= top)
        ++w->last;
    w->slot = w->last;
    interval x[2];
    w->wrapped = w->rows_wrapped;
    const interval cells = {x_first, (uint32_t)(keys[w->last - 1] & 0xffff)};
    const int x_count = in_reach(&f->axes[0], cells, x, &w->wrapped);
    w->range_count = 0;
    for (uint32_t k = 0; k < w->near_count; ++k)
        add_row(w, &rows[w->near[k]], x, x_count);
    return true;
}
